/*
 * Builtins: one file each, `const struct builtin_spec NAME_spec`, one row each in builtin.def. A
 * row named by a path is of a builtin that is reached by that path, along PATH too, and by its bare
 * name after `builtin NAME`. A builtin writes only to sh->out (errors go through shell_fail), gets
 * const argv, changes state only through setters and knows nothing of subshells. It returns
 * FLOW_NEXT with sh->status set, or another flow.
 */
#ifndef BUILTINS_BUILTIN_H
#define BUILTINS_BUILTIN_H

#include "builtins/optpage.h"
#include "shell/state/shell.h"
#include "shell/syntax/ast.h"

enum builtin_flags {
    BUILTIN_SPECIAL = 1u << 0, /* POSIX special builtin */
    BUILTIN_DECL = 1u << 1, /* declaration command: assignment arguments arrive in ARGS->ASSIGNS */
    BUILTIN_NEEDS_PROCESS = 1u << 2, /* cannot be undone: a virtual subshell forks first */
    BUILTIN_TTY = 1u << 3,           /* uses the terminal (fg, bg) */
    BUILTIN_MAY_EXIT = 1u << 4,
    BUILTIN_LONG = 1u << 9, /* may take long: a job at the prompt, so that it can be stopped */
    BUILTIN_OWN = 1u << 7,  /* not one of ksh93: help is on standard output, with status 0 */
    BUILTIN_RAW =
        1u
        << 5, /* parses its own arguments (echo, test, [, let, :) : no option parsing, no --help */
    BUILTIN_WRITER = 1u << 10,       /* writes its arguments to descriptor 1 and reads nothing */
    BUILTIN_IDLE = 1u << 8,          /* with no arguments it does nothing but return 0 */
    BUILTIN_TAKES_COMMAND = 1u << 6, /* a compound command may follow its options: ARGS->BODY */
};

/* One option of a builtin. */
struct builtin_option {
    char letter;
    const char *argument;  /* NULL: none; "name" of the argument; leading ? = optional */
    const char *long_name; /* or NULL; several are separated by `|` */
    const char *help;
    bool plus;     /* +X is accepted too (typeset, set) */
    bool numeric;  /* argument must be a number; also for optional ones: digits only are taken */
    bool attached; /* an optional argument is the rest of the cluster, whatever that is */
};

struct args {
    size_t count;            /* argv[0] is the command's name */
    const char *const *argv; /* NULL-terminated; scratch */
    const struct assign *const
        *assigns; /* BUILTIN_DECL: per argument, the parsed assignment or NULL; NULL array: none */
    const struct node *body; /* BUILTIN_TAKES_COMMAND: the compound command, or NULL */
    /* from the first to behind the last argument that is one of several that a word became; both 0:
     * there is none */
    size_t many_first, many_end;
    /* state of option parsing */
    size_t next;                 /* index of the next argument */
    const char *cluster;         /* rest of -abc */
    const char *option_argument; /* of the option just returned */
    char sign;                   /* '-' or '+' */
    bool numbers_are_operands;   /* set before parsing: -16 ends the options */
    const struct builtin_spec *spec;
};

struct builtin_spec {
    const char *name;
    unsigned flags;
    const struct builtin_option *options; /* ends with letter 0 */
    const char *usage;                    /* operands: "[name[=value] ...]" */
    const char *summary;                  /* one line */
    const char *doc;                      /* paragraphs, for --man */
    const struct builtin_spec *kin;       /* whose usage is shown after an error; NULL: its own */
    enum flow (*run)(struct shell *sh, struct args *args);
};

/* Next option letter; 0 when only operands are left (args->next is the first; `--` is skipped); -1
 * when --help/--man was shown (return FLOW_NEXT then). Fills option_argument and sign. Unknown or
 * missing argument: *RET_FLOW = FLOW_ERROR (ERROR_USAGE, status 2) and returns -2. */
int args_option(struct shell *sh, struct args *args, enum flow *ret_flow);
/* Remaining operands. */
static inline size_t args_left(const struct args *args)
{
    return args->count - args->next;
}
static inline const char *args_peek(const struct args *args, size_t i)
{
    return args->next + i < args->count ? args->argv[args->next + i] : NULL;
}
/* ERROR_USAGE, status 2: WHY, a newline, and the usage lines (printed as lines of their own). */
enum flow builtin_usage_error(struct shell *sh, const struct args *args, const char *why) NODISCARD;
/* Is the word after OPTION, a word that begins with a dash, its argument? */
bool builtin_option_takes_word(const struct builtin_spec *spec, const char *option);
/* The page of SPEC that OPTION (-?, --man ...) asks for is shown: -1; -2 with *RET_FLOW an error;
 * 0: it is no such option. */
int builtin_help(struct shell *sh, const struct args *args, const char *option,
                 enum flow *ret_flow);
/* Appends PAGE of SPEC. */
void builtin_page(const struct builtin_spec *spec, struct str *s, enum optpage page);

/* Appends TEXT in lines of 80 bytes, each after INDENT blanks; the first line stands at column
 * COLUMN already. */
void builtin_help_wrap(struct str *s, const char *text, size_t indent, size_t column);

/* The sorted table made from builtin.def. */
const struct builtin_spec *builtin_find(const char *name, size_t len);
const struct builtin_spec *builtin_at(size_t index); /* NULL past the end */
/* hook find_builtin: also knows those disabled by `builtin -d`, and further names of those bound to
 * a path. */
const struct builtin_spec *builtin_enabled(struct shell *sh, const char *name, size_t len);
/* `builtin name` and `builtin -d name`: journaled. */
enum flow builtin_enable(struct shell *sh, const char *name, bool on, bool *ret_found) NODISCARD;
/* The names of all that are in use, in byte order (borrowed until the next change). */
enum flow builtin_names(struct shell *sh, bool special_only, struct vec *ret) NODISCARD;
/* What the command NAME runs, a builtin found along PATH included; NULL: no builtin. */
const struct builtin_spec *builtin_meant(struct shell *sh, const char *name);
/* Frees the further names, when the shell ends. */
void builtin_bound_free(struct shell *sh);

#endif
