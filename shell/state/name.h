/* Interned names. A name lives for ever; its CUR is the live variable of that name (shallow
 * binding), so the AST reaches a variable with one load. Dotted names (.sh.version, p.x) are
 * interned whole. */
#ifndef SHELL_STATE_NAME_H
#define SHELL_STATE_NAME_H

#include "shell/state/shell.h"

struct special; /* special.h */

struct name {
    struct var *cur;   /* NULL: unset and not declared in the visible scope */
    struct func *func; /* function of that name or NULL */
    const struct special
        *special; /* reading/writing has a meaning of its own (RANDOM, IFS, ...) or NULL */
    uint64_t func_stamp;
    uint32_t len;
    uint32_t hash;
    bool dotted;         /* holds a dot: .sh.version, p.x */
    struct name *parent; /* p of p.x, .n of .n.x, p.x of p.x.y; NULL: a name of its own. Names of
                            the shell itself (.sh.x) are no members. */
    struct name *member; /* with PARENT: x of p.x */
    char text[];         /* NUL-terminated */
};

/* The name of TEXT, made if needed; NULL: out of memory. */
struct name *name_intern(struct shell *sh, const char *text, size_t len);
/* The name of TEXT if it was ever interned, else NULL. */
struct name *name_find(struct shell *sh, const char *text, size_t len);
/* The same of BASE.LAST. NULL also when there is no memory to put them together. */
struct name *name_find_below(struct shell *sh, const char *base, size_t base_len, const char *last,
                             size_t last_len);

/* The same for the operand of a command, if it is a plain name; NULL: it is not, or out of memory.
 * A command in a loop gets its operands from the same place again and again: those are known
 * without a look-up. */
struct name *name_of_operand(struct shell *sh, const char *text);

/* The variable at the root of NAME: c of c.x.y. */
static inline struct name *name_root(struct name *name)
{
    while (name->parent)
        name = name->parent;
    return name;
}

#endif
