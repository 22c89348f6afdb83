/*
 * The syntax tree of a parsed command. Immutable once the parser returns it: the executor keeps
 * what it learns (inline caches) in the program's side array, indexed by the CACHE numbers in the
 * nodes. Every pointer points into the program's arena, or to interned names, which live for ever.
 * Text is NUL-terminated and may hold no NUL byte; LEN never counts the terminator.
 */
#ifndef SHELL_SYNTAX_AST_H
#define SHELL_SYNTAX_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/base/arena.h"

struct name; /* interned variable/function name, shell/state/name.h */
struct word;
struct list;
struct node;
struct pattern;

/* One parsed unit. Reference-counted as a whole: functions, traps and running frames hold it. */
struct program {
    struct arena arena;
    uint32_t refs;
    uint32_t cache_count; /* the nodes use the numbers 1 to this; 0 in a node means none */
    void *caches;         /* side array of state/cache.h, freed through program_caches_free */
    const char *source;   /* name of the file (or "-c", "eval", ...) for messages */
    struct list *body;    /* NULL: nothing but blank lines and comments */
};

/* ---- words ---------------------------------------------------------------------------------- */

enum part_kind {
    PART_LITERAL, /* text */
    PART_PARAM,   /* $x ${x...} */
    PART_COMMAND, /* $(list) `list` ${ list;} $(<file) */
    PART_ARITH,   /* $((expr)) */
    PART_PROCESS, /* <(list) >(list) */
    PART_TILDE, /* ~ ~name ~+ ~- at a place where tilde expansion applies; TEXT is what follows ~ */
};

/* A word is a flat array of parts. Quotes are gone: a part says whether it was quoted. An empty
 * pair of quotes is a quoted PART_LITERAL of length 0, so that it makes a field. */
struct part {
    uint8_t kind;      /* enum part_kind */
    bool quoted;       /* inside '..', "..", $'..' or after a backslash */
    bool dquoted;      /* inside "..": "$@" and "${a[@]}" give separate fields */
    bool before_colon; /* PART_TILDE that a : follows, not in an assignment: no tilde in POSIX */
    uint32_t line;
    union {
        struct {
            const char *text;
            size_t len;
        } literal; /* also PART_TILDE */
        struct param *param;
        struct command_sub *command;
        struct word *arith; /* the expression, all parts quoted; text that stood in double quotes of
                               its own is a literal with DQUOTED, 'x' is text with its quotes */
        struct process_sub *process;
    };
};

enum word_kind {
    WORD_LITERAL,    /* no expansion of any sort: TEXT, LEN is the field (quotes removed) */
    WORD_VAR_QUOTED, /* exactly "$name" / "${name}" of a plain variable: PARTS[0] */
    WORD_GENERAL,
};

enum word_flags {
    WORD_HAS_QUOTES = 1u << 0, /* some part was quoted */
    WORD_HAS_GLOB = 1u << 1,   /* an unquoted literal holds * ? [ or an extended pattern */
    WORD_HAS_BRACE = 1u << 2,  /* an unquoted { } that may be a brace expansion */
    WORD_HAS_TILDE = 1u << 3,
    WORD_HAS_EXPANSION = 1u << 4,      /* PARAM, COMMAND, ARITH or PROCESS parts */
    WORD_UNQUOTED_EXPANSION = 1u << 5, /* one of those unquoted: field splitting may apply */
    WORD_IS_VARIABLE = 1u << 6,        /* exactly $name or ${name}, quoted or not: PARTS[0] */
};

struct word {
    uint8_t kind;  /* enum word_kind */
    uint8_t flags; /* enum word_flags */
    uint32_t line;
    uint32_t cache; /* WORD used as pattern, arithmetic expression, subscript or command name */
    uint32_t part_count;
    struct part *parts; /* of literal words too: patterns need to know what was quoted */
    const char
        *text; /* WORD_LITERAL; else NULL. A regular expression is GENERAL unless all quoted */
    size_t len;
};

enum param_form {
    PARAM_NAME,       /* variable; NAME (and PATH for dotted names with subscripts) */
    PARAM_POSITIONAL, /* $1 ${12}: INDEX; $0 is index 0 */
    PARAM_SPECIAL,    /* one of @ * # ? - $ ! : SPECIAL */
};
enum param_prefix {
    PARAM_PLAIN,
    PARAM_LENGTH,   /* ${#x} ${#a[@]} ${#a[1]} */
    PARAM_BANG,     /* ${!x} ${!a[1]} : name of a nameref target or the name itself */
    PARAM_KEYS,     /* ${!a[@]} ${!a[*]} */
    PARAM_PREFIXES, /* ${!pre@} ${!pre*}: names of variables; SUBSCRIPT_ALL says which */
    PARAM_TYPE,     /* ${@x}: type/attributes of a variable */
};
enum param_op {
    OP_NONE,
    OP_DEFAULT, /* - */
    OP_ASSIGN,  /* = */
    OP_ERROR,   /* ? */
    OP_ALT,     /* + */
    OP_TRIM_PREFIX,
    OP_TRIM_PREFIX_LONG, /* # ## */
    OP_TRIM_SUFFIX,
    OP_TRIM_SUFFIX_LONG, /* % %% */
    OP_SLICE,            /* :offset[:length], ARG and ARG2 are arithmetic */
    OP_SUBST,
    OP_SUBST_ALL,
    OP_SUBST_PREFIX,
    OP_SUBST_SUFFIX, /* / // /# /%, ARG pattern, ARG2 text */
    OP_UPPER_FIRST,
    OP_UPPER_ALL,
    OP_LOWER_FIRST,
    OP_LOWER_ALL, /* ^ ^^ , ,, ARG optional pattern */
    OP_TRANSFORM, /* @X: TRANSFORM is the letter */
    OP_BAD, /* no substitution; ARG is the rest. Of the form PARAM_SPECIAL without SPECIAL when
             * there is no parameter either */
};

/* One step of a name: a[sub].b is two steps. */
struct name_step {
    const char *text;
    size_t len;
    struct word *subscript; /* NULL: none; also NULL when SUBSCRIPT_ALL is set */
    char subscript_all;     /* '@' or '*' for [@] and [*] */
};

/* A variable as it was written: `x`, `a[i]`, `.sh.version`, `p.x[2].y`. */
struct name_ref {
    struct name *name; /* interned whole dotted text up to the first subscript */
    struct word
        *subscript; /* of that name; several [..][..] of multi-dimensional arrays: NEXT steps */
    char subscript_all;
    uint32_t step_count; /* further steps after the first subscript (compound members, more
                            subscripts: a step of empty TEXT) */
    struct name_step *steps;
};

struct param {
    uint8_t form;   /* enum param_form */
    uint8_t prefix; /* enum param_prefix */
    uint8_t op;     /* enum param_op */
    bool colon;     /* :- := :? :+ */
    bool braced;
    bool plain;       /* $x or ${x} of a simple name, and nothing else */
    bool members;     /* PARAM_PREFIXES of ${!x.@}: all members of REF */
    char members_all; /* the @ or * of that */
    char special;
    char transform;
    uint32_t index;
    uint32_t cache;
    struct name_ref ref;     /* PARAM_NAME */
    struct word *arg, *arg2; /* NULL: absent */
};

struct command_sub {
    struct list *body;      /* NULL: empty */
    bool shared;            /* ${ list;}: runs in the current environment */
    bool value;             /* ${| list;}: result is REPLY */
    struct word *read_file; /* $(<file): the file name, BODY is NULL */
};
struct process_sub {
    struct list *body;
    bool output; /* >( ) */
};

/* ---- redirections --------------------------------------------------------------------------- */

enum redir_op {
    REDIR_IN,          /* <  */
    REDIR_OUT,         /* >  */
    REDIR_CLOBBER,     /* >| */
    REDIR_APPEND,      /* >> */
    REDIR_INOUT,       /* <> */
    REDIR_OUT_REWRITE, /* >; written to a temporary file, renamed when the command succeeded */
    REDIR_INOUT_TRUNC, /* <>; */
    REDIR_DUP_IN,      /* <&word: n, n-, -, p */
    REDIR_DUP_OUT,     /* >&word */
    REDIR_BOTH,        /* &>word */
    REDIR_BOTH_APPEND, /* &>>word */
    REDIR_HERE_DOC,    /* << <<- */
    REDIR_HERE_STRING, /* <<< */
    REDIR_SEEK_IN,     /* <#((expr)) and <#pattern (WORD) */
    REDIR_SEEK_OUT,    /* >#((expr)) */
    REDIR_SKIP_COPY,   /* <##pattern */
    REDIR_TELL,        /* <# at the end of $( ): the position goes to standard output; no WORD */
};
struct redir {
    uint8_t op;       /* enum redir_op */
    bool here_quoted; /* the delimiter was quoted: WORD is literal */
    bool here_strip;  /* <<- (tabs are already gone) */
    bool seek_arith;  /* REDIR_SEEK_*: WORD is arithmetic */
    bool fd_implied;  /* FD was not written */
    int fd;           /* as written, or 0/1 by default */
    struct name_ref
        *var;          /* {name}>...: the descriptor goes to/comes from this variable; else NULL */
    struct word *word; /* file, descriptor, here-document body, here-string */
    const char *here_delimiter; /* for unparse */
    uint32_t line;
};

/* ---- assignments ---------------------------------------------------------------------------- */

enum assign_kind {
    ASSIGN_WORD,     /* x=word */
    ASSIGN_ARRAY,    /* x=(a b c) x=([k]=v ...) x=((1 2) (3 4)); x=() has no elements */
    ASSIGN_COMPOUND, /* x=(a=1 b=2; typeset -i c=3) */
};
struct assign {
    uint8_t kind; /* enum assign_kind */
    bool append;  /* += */
    uint32_t line;
    struct name_ref ref; /* for elements of an array value: REF.NAME is NULL, REF.SUBSCRIPT maybe */
    struct word *word;   /* ASSIGN_WORD; NULL: empty value */
    uint32_t element_count;
    struct assign *elements; /* ASSIGN_ARRAY: in order; each ASSIGN_WORD (no subscript: the word
                                gives any number of fields) or a nested ASSIGN_ARRAY/COMPOUND */
    struct list *members;    /* ASSIGN_COMPOUND: assignments and declaration commands */
};

/* ---- commands ------------------------------------------------------------------------------- */

enum node_kind {
    NODE_SIMPLE,
    NODE_PIPELINE,
    NODE_AND_OR,
    NODE_SUBSHELL,
    NODE_GROUP,
    NODE_IF,
    NODE_WHILE,
    NODE_FOR,
    NODE_ARITH_FOR,
    NODE_SELECT,
    NODE_CASE,
    NODE_FUNCTION,
    NODE_ARITH,
    NODE_COND,
    NODE_TIME,
    NODE_NAMESPACE,
};

/* The head of every command node. */
struct node {
    uint8_t kind; /* enum node_kind */
    uint32_t line;
    uint32_t cache;
    uint32_t redir_count;
    struct redir *redirs; /* of compound commands; of NODE_SIMPLE too */
};

enum list_end {
    END_SEQ,        /* ; or newline */
    END_SHOWN,      /* ; or newline, and `;` stands before the command: set -o showme */
    END_BACKGROUND, /* & */
    END_COPROC,     /* |& */
    END_DISOWN,     /* &! / &| of some shells is not ksh: unused by the parser */
};
struct list_item {
    struct node *node;
    uint8_t end; /* enum list_end */
};
struct list {
    uint32_t count;
    struct list_item *items;
};

/* How the word of a simple command was seen by the parser. */
enum arg_kind {
    ARG_WORD,
    ARG_ASSIGN, /* name=value after a declaration command (typeset, export, ...): ASSIGN is set */
};
struct arg {
    uint8_t kind;
    struct word
        *word; /* always set for ARG_WORD; for ARG_ASSIGN of scalar kind also set, as the plain
                  word, for the case that the command turns out not to be a declaration */
    struct assign *assign;
};
struct node_simple {
    struct node node;
    uint32_t assign_count, arg_count;
    struct assign *assigns; /* leading assignments */
    struct arg *args;       /* command word and arguments */
    struct node *body;      /* the compound command after `vmstat -x`; else NULL */
    bool declaration;       /* args[0] is a literal name of a declaration command */
};
struct node_pipeline {
    struct node node;
    bool negate; /* ! */
    uint32_t count;
    struct node **parts; /* at least 1 (1 only with NEGATE); a part may be such a pipeline of one */
    bool *both;          /* BOTH[i]: part i is followed by |& style stderr joining; NULL normally */
};
struct node_and_or {
    struct node node;
    bool is_or;
    struct node *left, *right;
};
struct node_group { /* NODE_GROUP { }, NODE_SUBSHELL ( ) */
    struct node node;
    struct list *body;
};
struct node_if {
    struct node node;
    struct list *condition, *then_body;
    struct list *else_body; /* elif is a list holding one NODE_IF with IS_ELIF */
    bool is_elif;
};
struct node_while {
    struct node node;
    bool until;
    struct list *condition, *body;
};
struct node_for { /* NODE_FOR, NODE_SELECT */
    struct node node;
    struct name *name;
    bool has_in; /* false: "$@" */
    uint32_t word_count;
    struct word **words;
    struct list *body;
};
struct node_arith_for {
    struct node node;
    struct word *init, *condition, *step; /* NULL: empty */
    struct list *body;
};
enum case_end { CASE_BREAK, CASE_FALL, CASE_TEST_NEXT }; /* ;; ;& ;;&=;| */
struct case_item {
    uint32_t pattern_count;
    struct word **patterns;
    struct list *body; /* NULL: empty */
    uint8_t end;       /* enum case_end */
};
struct node_case {
    struct node node;
    struct word *subject;
    uint32_t item_count;
    struct case_item *items;
};
struct node_function {
    struct node node;
    struct name *name;
    bool ksh_style;     /* function name { }: own scope */
    struct node *body;  /* NODE_GROUP, or any command (with its redirections) for name() */
    const char *text;   /* name as written */
    const char *source; /* the definition as written, to the end of its line; NULL: it is in another
                           function, came out of an alias, or a here-document follows its end */
    size_t source_len;
    uint32_t parameter_count; /* function .sh.math.f x y { }: their names */
    struct name **parameters;
};
struct node_arith {
    struct node node;
    struct word *expression;
};
enum cond_op {
    COND_AND,
    COND_OR,
    COND_NOT,
    COND_WORD,     /* [[ word ]]: not empty */
    COND_UNARY,    /* -X word: OP_CHAR */
    COND_MATCH,    /* == = */
    COND_NO_MATCH, /* != */
    COND_REGEX,    /* =~ */
    COND_LESS,
    COND_GREATER, /* < > */
    COND_NT,
    COND_OT,
    COND_EF,
    COND_EQ,
    COND_NE,
    COND_LT,
    COND_LE,
    COND_GT,
    COND_GE,
};
struct cond {
    uint8_t op;   /* enum cond_op */
    char op_char; /* COND_UNARY */
    uint32_t cache;
    struct cond *left, *right; /* AND OR NOT */
    struct word *a, *b;
};
struct node_cond {
    struct node node;
    struct cond *cond;
};
struct node_time {
    struct node node;
    bool posix;           /* time -p */
    struct node *command; /* NULL: times of the shell itself */
};
struct node_namespace {
    struct node node;
    struct name *name;
    struct list *body;
};

/* One more or one fewer user of PROGRAM; the last release frees it. NULL is ok. */
struct program *program_hold(struct program *program);
void program_release(struct program *program);
/* Called by the last release for a program with CACHES; set once at start by the layer that owns
 * them (state/cache.c). NULL: nobody does. Defined beside program_release. */
extern void (*program_caches_free)(struct program *program);
/* Set at start by whoever interns: the text of NAME, for unparse. */
extern const char *(*program_name_text)(const struct name *name);

#endif
