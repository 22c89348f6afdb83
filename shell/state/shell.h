/*
 * The shell's state, and how failure travels.
 *
 * Everything a script can change hangs off struct shell and is changed only through the setters of
 * this layer, which record what they overwrite in the journal (frame.h). No module keeps state of
 * its own in static variables, except tables that never change.
 */
#ifndef SHELL_STATE_SHELL_H
#define SHELL_STATE_SHELL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libmem.h"
#include "shell/base/map.h"
#include "shell/base/num.h"
#include "shell/base/out.h"
#include "shell/base/str.h"
#include "shell/base/vec.h"

struct shell;
struct frame;
struct where;
struct name;
struct var;
struct var_ref;
struct func;
struct word;
struct list;
struct node;
struct program;
struct name_ref;
struct command_sub;
struct process_sub;
struct parse_hooks;

/* What running something led to. Anything but FLOW_NEXT travels up unchanged until a boundary
 * handles it. */
enum flow {
    FLOW_NEXT,     /* go on with the next thing */
    FLOW_BREAK,    /* leave sh->loop_count loops */
    FLOW_CONTINUE, /* leave sh->loop_count - 1 loops, go on with the next turn of the one reached */
    FLOW_RETURN,   /* return from function or dot script with sh->status */
    FLOW_EXIT,     /* leave the shell (or the subshell) with sh->status */
    FLOW_ERROR,    /* sh->err says what; printed once by the boundary */
    FLOW_FORKED, /* a child took over the rest of the subshell, and ended with sh->status: unwind to
                    the subshell's boundary */
};
#define TRY(e)                                                                                     \
    do {                                                                                           \
        enum flow f_ = (e);                                                                        \
        if (f_ != FLOW_NEXT)                                                                       \
            return f_;                                                                             \
    } while (0)

/* What sort of error: consequence.c (L5) decides by it whether the shell ends. */
enum error_kind {
    ERROR_NONE,
    ERROR_SYNTAX,    /* in eval, dot, -c or the script */
    ERROR_EXPANSION, /* bad substitution, set -u, ${x?}, arithmetic */
    ERROR_ASSIGN,    /* readonly, bad subscript, bad value */
    ERROR_REDIRECT,
    ERROR_BUILTIN, /* a builtin's operands or options */
    ERROR_USAGE,   /* the same, and the usage line follows */
    ERROR_COMMAND, /* not found (127), not executable (126) */
    ERROR_MEMORY,
    ERROR_LIMIT,       /* recursion too deep, too many descriptors */
    ERROR_UNSUPPORTED, /* what may be written but means nothing: a subscript after [@] */
};
struct error {
    enum error_kind kind;
    int status;
    uint32_t line;    /* 0: no line in the message */
    const char *file; /* borrowed from the running program; NULL: no file */
    char text[1024];  /* "what: why" */
    bool printed;
};

/* Upward calls, filled in at start by the layers that implement them. */
struct shell_hooks {
    /* expand -> exec: runs a command substitution, appends its output (trailing newlines cut) to
     * RET. */
    enum flow (*capture)(struct shell *sh, const struct command_sub *sub, struct str *ret);
    /* state -> exec: calls what the command p.len means (method.h), appends its output to RET. */
    enum flow (*capture_method)(struct shell *sh, const char *command, struct str *ret);
    /* expand -> exec: starts a process substitution, appends its /dev/fd path to RET. */
    enum flow (*process_substitution)(struct shell *sh, const struct process_sub *sub,
                                      struct str *ret);
    /* state -> arith: evaluates arithmetic text. */
    enum flow (*arith_text)(struct shell *sh, const char *text, size_t len, struct num *ret);
    /* state, builtins -> expand: resolves a written reference (evaluates subscripts). Keys live in
     * scratch. */
    enum flow (*resolve_ref)(struct shell *sh, const struct name_ref *ref, struct var_ref *ret);
    /* state -> expand: the reference that TEXT writes; *RET_OK false: it writes none. */
    enum flow (*find_ref)(struct shell *sh, const char *text, size_t len, struct var_ref *ret,
                          bool *ret_ok);
    /* state -> expand: expands TEXT as inside double quotes (PS1, PS4, ENV). Result in scratch. */
    enum flow (*expand_text)(struct shell *sh, const char *text, size_t len, const char **ret,
                             size_t *ret_len);
    /* anyone -> exec: runs TEXT as eval does; NAME is for messages. */
    enum flow (*run_text)(struct shell *sh, const char *name, const char *text, size_t len);
    /* anyone -> exec: calls FUNC with arguments ARGV (argv[0] = its name). */
    enum flow (*call_function)(struct shell *sh, struct func *func, size_t argc,
                               const char *const *argv);
    /* parser, whence -> builtins: is there a builtin, and is it a declaration command. */
    const struct builtin_spec *(*find_builtin)(struct shell *sh, const char *name, size_t len);
    /* vars -> exec: an assigned special variable matters there (e.g. PATH: forget command
     * locations). */
    void (*path_changed)(struct shell *sh);
    /* print -s, read -s -> state: adds lines to the history. NULL: there is none. */
    void (*history_add)(struct shell *sh, const char *text, size_t len);
    /* bind -> interactive: a command of the line editor; false: it failed. NULL: there is none. */
    bool (*editor_command)(struct shell *sh, size_t argc, const char *const *argv);
    /* state -> exec: the present virtual subshell becomes a process: subshell_materialize. */
    enum flow (*own_process)(struct shell *sh);
    /* exec -> vmstat: PENDING_SAMPLE is set. */
    void (*sample)(struct shell *sh);
    /* exec -> vmstat: the shell ends. */
    void (*sample_end)(struct shell *sh);
};

/* How far getopts is: the argument INDEX (OPTIND), and the byte in it where the rest of a cluster
 * -abc begins; 0: at its start. */
struct getopts_state {
    int64_t index;
    size_t offset;
    bool failed; /* an option since the first was a mistake that getopts reported */
    bool unset;  /* OPTIND was unset, and getopts has not run since */
};

enum pending_bits {
    PENDING_SIGNAL = 1u << 0, /* a trapped or fatal signal arrived: see exec/signal.c */
    PENDING_CHILD = 1u << 1,  /* SIGCHLD */
    PENDING_WINCH = 1u << 2,
    PENDING_MEMORY = 1u << 4, /* the memory limit was passed */
    PENDING_SAMPLE = 1u << 3, /* memory is watched over time: hooks.sample before each command */
};

/* What starting processes has cost so far. */
struct process_counts {
    uint64_t forks;      /* copies of the shell */
    uint64_t fork_bytes; /* that were resident, and so had to be mapped again, at those that
                            `vmstat -x` measured */
    uint64_t programs;   /* started without a copy */
};

/* What else the shell has done so far: .sh.stats (special_stats.c). */
struct shell_stats {
    uint64_t literal_words;          /* words of commands that were used as they stand */
    uint64_t expanded_words;         /* and the others */
    uint64_t captures;               /* command substitutions */
    uint64_t subshells;              /* those included, with or without a process */
    uint64_t ksh_calls, posix_calls; /* of functions */
    uint64_t simple_commands;
    uint64_t globs;         /* patterns looked up as path names */
    uint64_t lines_read;    /* by `read' */
    uint64_t path_searches; /* along PATH */
    uint64_t names_asked;   /* looked up by their text */
    uint64_t names_known;   /* and there already */
};

struct fdtab;
struct jobs;
struct traps;
struct params;
struct arith_cache;
struct string_cache;
struct history;
struct edit;

enum { SHELL_KNOWN_NAMES = 32, LINE_SITES = 16 };

/* A line of the running function, and its site: site.h. */
struct line_site {
    uint32_t line, site;
};

struct shell {
    /* hot */
    int status; /* $? */
    volatile sig_atomic_t
        pending;         /* enum pending_bits; set by signal handlers, tested before each command */
    uint64_t options;    /* bit per enum option (option.h) */
    struct frame *frame; /* innermost frame */
    struct out *out;     /* where builtins write: descriptor 1's writer (fdtab.h keeps it right) */
    uint32_t line;       /* of the running command, for messages and LINENO */
    uint32_t depth;      /* nesting of functions, evals, substitutions, arithmetic */
    uint32_t loop_depth; /* loops running in this function */
    uint32_t loop_count; /* for FLOW_BREAK / FLOW_CONTINUE */
    uint32_t loop_turns; /* of all loops so far */
    int32_t line_shift;  /* what `LINENO=n` added to it */
    const struct where *where; /* the innermost text with lines of its own: where.h; NULL: FILE */
    const char *file;          /* name of the running script, for messages */
    const struct program *program;           /* being run: its source and caches */
    uint32_t site_line;                      /* the line that mem_site is the site of: see site.h */
    struct line_site line_sites[LINE_SITES]; /* the same of lines entered before */
    uint32_t site_parent; /* site of the call that runs the present function; see site.h */

    /* memory (DESIGN: named lifetimes) */
    struct mem_region *heap;    /* variables, functions, history: best */
    struct mem_region *nodes;   /* undo records, array nodes, vars: best (fixed sizes by class) */
    struct mem_region *scratch; /* one command: last, mark/reset */
    struct mem_region *program_region; /* arenas of parsed programs: best */

    /* state layer */
    uint64_t frame_id; /* last id handed out */
    struct frame *base_frame;
    struct map names;                            /* text -> struct name */
    struct name *known_names[SHELL_KNOWN_NAMES]; /* found lately: name_of_operand */
    struct map aliases;                          /* text -> struct alias */
    struct map cmdhash;                          /* text -> path */
    struct map types;                            /* text -> struct type */
    struct type *abandoned;                      /* those that no name leads to any more */
    unsigned memory_failures;                    /* errors of the kind ERROR_MEMORY so far */
    struct map script_paths;                     /* of relative paths of scripts: where.c */
    struct params *params;                       /* positional parameters in force */
    const char *arg0;                            /* $0 */
    struct fdtab *fdtab;
    uint32_t export_epoch;  /* changes when the environment of children changes */
    uint32_t command_epoch; /* changes when functions, builtins, aliases, PATH or hashes change */
    struct env_cache *env_cache;
    struct ifs_table *ifs; /* rebuilt when IFS changes: var/special.c */
    char *cwd;             /* logical working directory (PWD), heap */
    int cwd_fd;            /* .sh.pwdfd when last asked for, or 0 */
    mode_t umask;
    uint64_t options_stamp, cwd_stamp, umask_stamp; /* journal */
    uint64_t random_state;
    uint32_t srandom_bound;    /* values of SRANDOM are below it; 0: any of 32 bits */
    int64_t seconds_base_ns;   /* SECONDS = (now - base) */
    int64_t terminal_limit_ns; /* TMOUT: how long reading from a terminal may wait; 0: for ever */
    struct getopts_state
        getopts;               /* saved in frames: a ksh function has its own, a subshell a copy */
    struct match_state *match; /* .sh.match: special_match.c */
    const struct discipline_call *discipline; /* the innermost one running: discipline.h */
    uint64_t random_stamp, srandom_stamp, seconds_stamp, line_stamp, background_stamp; /* journal */

    struct space *space;      /* the name space in force: namespace.h; NULL: none */
    struct members *compound; /* the compound value under construction, whose members assignments
                                 and declarations are: exec/assign.c; NULL: none */

    /* exec layer */
    struct jobs *jobs;
    struct traps *traps;
    struct arith_cache *arith_cache;
    bool math_functions;  /* some .sh.math.NAME was defined: look there before the built-in ones */
    bool arith_let;       /* let evaluates: letoctal tells whether a leading 0 means octal */
    uint32_t arith_level; /* expressions being evaluated: 2 and more are values of variables */
    struct string_cache
        *string_cache; /* expand/string.c; made at first use, freed by expand_cache_free */
    struct history *history;
    struct edit *editor;           /* interactive/edit.h; NULL: none */
    uint64_t builtins_disabled[2]; /* bit per row of builtin.def: `builtin -d` */
    struct map builtins_bound;     /* further names: text -> struct bound (builtins/table.c) */
    pid_t pid;                     /* $$ */
    pid_t ppid;
    pid_t last_background;   /* $!; 0: none */
    uint32_t subshell_level; /* .sh.subshell: virtual and real */
    const char *typed; /* the line that was typed and runs now: it names jobs, as in ksh93; NULL */
    bool interactive, login;
    bool in_profile;     /* neither set -e nor the ERR trap does anything */
    bool takes_command;  /* -c: the commands are an argument */
    bool command_named;  /* and a name follows it */
    bool show_only;      /* set -o showme: commands are shown instead of run */
    bool redir_traced;   /* xtrace: a line of redirections was begun */
    bool redir_text;     /* and ended by the text of a here-document */
    bool is_child;       /* a forked subshell: never returns to the parent's boundary */
    uint8_t exit_warned; /* an exit was refused, jobs being stopped: 2 at once, 1 a command later */
    bool exiting;        /* running the EXIT trap */
    bool debug_fork_subshells; /* every ( ) and $( ) forks: test mode fork-subshells */
    bool debug_no_fastpath;    /* test mode no-fastpath */
    uint32_t condition_depth;  /* in if/while/&&/||/! : set -e and ERR do not act */
    uint32_t
        capture_count; /* command substitutions run so far: did this expansion set the status? */
    const struct redir *last_redirs; /* of the command that this process ends with: not undone */
    bool exec_last; /* the simple command about to run is the last thing of this process */
    const struct node *command; /* the simple command running; dies with its program */
    const struct node
        *debug_command; /* .sh.command: what the DEBUG trap runs for; NULL outside of its action */
    struct view *view;  /* the DEBUG trap is running: view.h */
    const char *debug_text; /* that command after expansion; NULL: as it was written */
    int *process_subs;      /* process substitutions in use: their descriptors, newest last; heap */
    uint32_t process_sub_count, process_sub_cap;
    struct str last_argument; /* $_ of the previous command (heap) */

    struct process_counts counts;
    struct shell_stats stats;
    uint32_t measure_depth;          /* commands that vmstat -x is measuring */
    struct mem_region *watch_region; /* what vmstat keeps, NULL: nothing; closed with the shell */
    struct vmstat *vmstat;           /* in WATCH_REGION */
    size_t trace_live_bytes;         /* memtrace: live when the last line was traced */

    struct error err;
    struct shell_hooks hooks;
    struct parse_hooks *parse_hooks;
};

enum { SHELL_DEPTH_MAX = 2048 }; /* starting limit; main raises the C stack to match */

/* Fills sh->err ("WHAT: WHY") with file and line of the running command and returns FLOW_ERROR.
 * WHAT may be NULL. */
enum flow shell_fail(struct shell *sh, enum error_kind kind, int status, const char *what,
                     const char *format, ...) PRINTF_LIKE(5, 6) NODISCARD;
/* The same for memory: `cannot allocate N bytes`, status 1 (BYTES 0: size unknown). */
enum flow shell_fail_memory(struct shell *sh, size_t bytes) NODISCARD;
/* Prints sh->err as `memksh: FILE: line N: what: why` unless printed already; sets sh->status to
 * err.status. */
void shell_print_error(struct shell *sh);
/* A warning in the same shape, at once. */
void shell_warn(struct shell *sh, const char *what, const char *format, ...) PRINTF_LIKE(3, 4);

/* Makes an empty shell: regions, names, base frame, params, fdtab, options. Does not read the
 * environment (env.h). NULL when out of memory. shell_free releases everything so that all regions
 * are empty. */
struct shell *shell_new(void);
void shell_free(struct shell *sh);
/* The same, and returns the number of blocks that were still busy in the regions when they were
 * closed: 0 if nothing leaked. What the exec layer made must be released before (exec_release). */
size_t shell_free_counted(struct shell *sh);

/* Guards recursion: false when too deep (then shell_fail ERROR_LIMIT). */
static inline bool shell_enter(struct shell *sh)
{
    return ++sh->depth <= SHELL_DEPTH_MAX;
}
static inline void shell_leave(struct shell *sh)
{
    sh->depth--;
}

/* Sets BITS of sh->pending, as handlers do too: nothing that comes meanwhile is lost. */
static inline void shell_pend(struct shell *sh, unsigned bits)
{
    __atomic_fetch_or(&sh->pending, (int)bits, __ATOMIC_RELAXED);
}
static inline void shell_pend_not(struct shell *sh, unsigned bits)
{
    __atomic_fetch_and(&sh->pending, ~(int)bits, __ATOMIC_RELAXED);
}
/* What is pending; only samples stay so. */
static inline unsigned shell_pending_take(struct shell *sh)
{
    return (unsigned)__atomic_fetch_and(&sh->pending, (int)PENDING_SAMPLE, __ATOMIC_RELAXED);
}

/* Scratch memory: freed at the end of the command that asked. */
static inline void *scratch_alloc(struct shell *sh, size_t bytes)
{
    return mem_alloc(sh->scratch, bytes);
}
char *scratch_dup(struct shell *sh, const char *text, size_t len); /* NULL: out of memory */

#endif
