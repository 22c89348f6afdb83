/* Functions: definition, look-up, listing. Journaled: a subshell's definitions end with it. */
#ifndef SHELL_STATE_FUNC_H
#define SHELL_STATE_FUNC_H

#include "shell/state/name.h"
#include "shell/state/shell.h"
#include "shell/syntax/ast.h"

#define STATIC_PREFIX ".sh.static." /* `typeset -S x` in f is the variable .sh.static.f/x */
/* TEXT, the name of a variable; of a static one the local name. */
const char *static_short(const char *text);
#define MATH_PREFIX ".sh.math." /* functions of this name are called in arithmetic */

struct func {
    struct name *name;
    struct name *space;               /* the name space it was defined in: .n; NULL: none */
    struct program *program;          /* held while the function exists */
    const struct node_function *node; /* in PROGRAM; NULL: autoload, not loaded yet */
    bool ksh_style;
    bool traced;      /* typeset -ft */
    bool exported;    /* kept for listing */
    bool has_statics; /* variables of typeset -S, which go with it */
    uint32_t refs;    /* definition + running calls */
    const char *file; /* source name, owned */
    uint32_t line;
    uint32_t eval_line; /* in FILE, of the eval that defined it; 0: it is in FILE itself */
};

/* Defines (replaces) the function NAME; takes its own reference to PROGRAM. */
enum flow func_define(struct shell *sh, struct program *program, const struct node_function *node,
                      struct name *name) NODISCARD;
/* Marks NAME as autoloaded (typeset -fu / autoload). */
enum flow func_declare_autoload(struct shell *sh, struct name *name) NODISCARD;
struct func *func_find(struct shell *sh, const char *text, size_t len); /* NULL: none */
/* As a command finds it: in a name space its own first. */
struct func *func_find_visible(struct shell *sh, const char *text, size_t len);
enum flow func_unset(struct shell *sh, struct name *name) NODISCARD;
/* The same for all functions TEXT.NAME. */
enum flow func_unset_below(struct shell *sh, const char *text, size_t len) NODISCARD;
/* True for the function of some .sh.math.NAME. */
bool func_is_math(const struct func *func);
/* While a call runs: keeps it alive when the script redefines or unsets it. */
struct func *func_hold(struct func *func);
void func_release(struct shell *sh, struct func *func);
/* The end of the shell: forgets all, without record. */
void func_free_all(struct shell *sh);
/* Names of all functions in byte order; array in scratch. */
enum flow func_list(struct shell *sh, struct func ***ret_funcs, size_t *ret_count) NODISCARD;

#endif
