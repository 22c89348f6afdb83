/* What typeset and its forms (export, readonly, integer, ...) share. */
#ifndef BUILTINS_DECL_H
#define BUILTINS_DECL_H

#include "builtins/builtin.h"
#include "shell/state/func.h"
#include "shell/state/var.h"

/* A declaration command as its options say. */
struct decl {
    struct var_change change;
    uint32_t last_case;  /* the last one of -l and -u, as an attribute */
    uint32_t last_size;  /* the last one of -l and -s */
    const char *command; /* for messages: argv[0] */
    const char *word;    /* what -p prints before each: "export"; NULL: typeset and attributes */
    bool print;          /* -p */
    bool names_only;     /* the first option began with + */
    bool any_option;
    bool functions;   /* -f */
    bool move;        /* -m */
    bool undefined;   /* -fu */
    bool traced;      /* -ft */
    bool is_static;   /* -S */
    bool define_type; /* -T */
    const char *help; /* -h */
};

/* typeset_option.c: OPTION, which args_option() gave, goes into DECL. */
enum flow decl_take_option(struct shell *sh, struct args *args, int option,
                           struct decl *decl) NODISCARD;
/* typeset_option.c: fails when the options do not go together. */
enum flow decl_check_options(struct shell *sh, const struct args *args,
                             const struct decl *decl) NODISCARD;
/* typeset_list.c: what is shown without operands, and with -p and operands. */
enum flow decl_list(struct shell *sh, const struct decl *decl) NODISCARD;
enum flow decl_print(struct shell *sh, const struct decl *decl, const struct args *args) NODISCARD;
enum flow decl_functions(struct shell *sh, const struct decl *decl, struct args *args) NODISCARD;
extern const struct builtin_spec typeset_spec;
/* typeset.c: parses the options left in ARGS into DECL and does what they and the operands ask for.
 */
enum flow decl_run(struct shell *sh, struct args *args, struct decl *decl) NODISCARD;
/* typeset.c: declares the operands left in ARGS. */
enum flow decl_operands(struct shell *sh, const struct decl *decl,
                        const struct args *args) NODISCARD;

/* ---- typeset_type.c: compound types ---- */

/* typeset -T NAME=(...): TEXT is the operand, ASSIGN its value. */
enum flow type_define_operand(struct shell *sh, const char *text,
                              const struct assign *assign) NODISCARD;
/* typeset -T without operands: all types with their definitions. */
enum flow types_list(struct shell *sh) NODISCARD;
/* The command of a type called NAME, on the heap; NULL: out of memory. */
struct builtin_spec *type_command_new(struct shell *sh, const char *name, const char *summary,
                                      const char *doc);

#endif
