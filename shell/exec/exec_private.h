/* Between the files of exec/ that run the language; not for other layers. */
#ifndef SHELL_EXEC_EXEC_PRIVATE_H
#define SHELL_EXEC_EXEC_PRIVATE_H

#include "builtins/builtin.h"
#include "shell/exec/exec.h"
#include "shell/exec/trap_private.h"
#include "shell/state/option.h"

/* ---- exec.c ---- */

/* After a command that set -e and the ERR trap look at failed: runs the trap, leaves the shell
 * under set -e. */
enum flow exec_failed(struct shell *sh) NODISCARD;
/* Runs the DEBUG trap before a command that starts at the present line; TEXT is .sh.command, NULL:
 * as NODE was written. *RET_SKIP: the command is not to be run. */
enum flow exec_debug_slow(struct shell *sh, const struct node *node, const char *text,
                          bool *ret_skip) NODISCARD;
static inline bool exec_debug_wanted(struct shell *sh)
{
    return __builtin_expect(sh->traps->action_count > 0, 0) && trap_is_set(sh, TRAP_DEBUG);
}
static inline enum flow exec_debug(struct shell *sh, const struct node *node, bool *ret_skip)
{
    *ret_skip = false;
    return exec_debug_wanted(sh) ? exec_debug_slow(sh, node, NULL, ret_skip) : FLOW_NEXT;
}

/* The same before an arithmetic command or a part of for (( )): .sh.command is (( WORD )). */
enum flow exec_debug_arith_slow(struct shell *sh, const struct node *node, const struct word *word,
                                bool *ret_skip) NODISCARD;
static inline enum flow exec_debug_arith(struct shell *sh, const struct node *node,
                                         const struct word *word, bool *ret_skip)
{
    *ret_skip = false;
    return exec_debug_wanted(sh) ? exec_debug_arith_slow(sh, node, word, ret_skip) : FLOW_NEXT;
}
/* The same before a turn of a loop over words and before `case`: .sh.command is `for NAME in
 * VALUE`, `case VALUE in` (no NAME). WORD: which of them it is. */
enum flow exec_debug_head(struct shell *sh, const struct node *node, const char *word,
                          const struct name *name, const char *value, bool *ret_skip) NODISCARD;

/* assign.c: an assignment of a simple command (exec_assign is for declaration commands). */
enum flow assign_run(struct shell *sh, const struct assign *assign, unsigned flags) NODISCARD;
/* subshell.c: the actions of signals that came during the last command, then the EXIT action that
 * this shell or subshell set for itself. They change the status
 * only by leaving; in the POSIX mode by an error as well. */
void exec_exit_trap(struct shell *sh);
/* time.c */
enum flow exec_time(struct shell *sh, const struct node_time *node) NODISCARD;
/* output.c: a builtin or a redirected command ended with FLOW: did its output get out? If not
 * FLOW_ERROR `NAME: write to 1 failed: why`. */
enum flow exec_output_check(struct shell *sh, const char *name, enum flow flow) NODISCARD;

/* ---- loop.c ---- */

/* A turn of a loop ended with *FLOW: true when the loop is over, with *FLOW what it hands on. */
static inline bool loop_ends(struct shell *sh, enum flow *flow)
{
    enum { TURNS_IDLE = 8192 }; /* a loop may be all that a script does for long */
    if (__builtin_expect(++sh->loop_turns % TURNS_IDLE == 0, 0))
        (void)mem_idle();
    if (__builtin_expect(*flow == FLOW_NEXT, 1))
        return false;
    if (*flow != FLOW_BREAK && *flow != FLOW_CONTINUE)
        return true;
    if (--sh->loop_count > 0)
        return true;
    bool is_break = *flow == FLOW_BREAK;
    *flow = FLOW_NEXT;
    return is_break;
}
/* The words of a for or select; without `in` the positional parameters, copied because the body may
 * change them. Scratch. */
enum flow loop_words(struct shell *sh, const struct node_for *node,
                     struct fields *fields) NODISCARD;

/* ---- command.c ---- */

enum command_kind { COMMAND_NONE, COMMAND_BUILTIN, COMMAND_FUNCTION, COMMAND_EXTERNAL };
/* What a command name means. */
struct command {
    enum command_kind kind;
    bool special;      /* a special builtin, and not after `command` */
    bool prefix;       /* the builtin `command` */
    bool default_path; /* command -p */
    bool program;      /* command -x: a program, whatever builtins PATH leads to */
    const struct builtin_spec *spec;
    struct func *func;
};
/* Looks NAME up: special builtin, function (unless NO_FUNCTION), builtin, else external. */
void command_resolve(struct shell *sh, const char *name, size_t len, bool no_function,
                     struct command *ret);
/* What `extra` of the cache slot of a command word says. IDLE: with no arguments nothing has to be
 * done. */
enum command_extra { EXTRA_EXTERNAL = 1, EXTRA_BUILTIN, EXTRA_IDLE, EXTRA_PREFIX, EXTRA_FUNCTION };
/* The same through the inline cache of the literal command word WORD. */
void command_resolve_cached(struct shell *sh, const struct word *word, struct command *ret);
/* autoload.c: the file that defines the function NAME, by FPATH or a file .paths in PATH; NULL:
 * none. Scratch. */
const char *autoload_path(struct shell *sh, const char *name);
/* Is PATH, where the search along PATH ended, in a directory of FPATH? Then it is a function's. */
bool autoload_claims(struct shell *sh, const char *path);
/* A name without slash that is neither builtin nor function, but for which FPATH holds a file:
 * declares it as autoloaded. */
bool command_autoload(struct shell *sh, const char *name, struct command *ret);

/* ---- subshell.c ---- */

/* 256 + n, as ksh has it, is the status of a command that died of signal n; others are cut to 8
 * bits where a process would end. */
static inline bool status_is_signal(int status)
{
    return status > 256 && status < 256 + 32;
}
/* What the parent of this process gets to see of STATUS. */
static inline int status_exit_code(int status)
{
    return status_is_signal(status) ? status - 128 : status & 0xff;
}

/* What a virtual subshell needs besides its frame. */
struct subshell {
    struct frame frame;
    uint64_t options;
    uint32_t loop_depth;
    const struct node *command;
    bool exec_last;
};
/* BODY is what will run in it. */
enum flow subshell_enter(struct shell *sh, struct subshell *subshell,
                         const struct list *body) NODISCARD;
/* Runs the subshell's EXIT trap and turns how its body ended (FLOW) into how the caller goes on;
 * prints an error. In a process of its own it does not return. subshell_leave afterwards takes
 * everything back. */
enum flow subshell_finish(struct shell *sh, enum flow flow) NODISCARD;
void subshell_leave(struct shell *sh, struct subshell *subshell);

/* To be called before a process is started: in the POSIX mode a virtual subshell becomes one itself
 * first (subshell_materialize), so that the new one's parent is the subshell. */
static inline enum flow subshell_before_process(struct shell *sh)
{
    const struct frame *frame = sh->frame->subshell;
    if (__builtin_expect(!frame || !frame->process_wanted || frame->is_process, 1))
        return FLOW_NEXT;
    return subshell_materialize(sh);
}

/* ---- simple.c ---- */

/* The last command of the process may take its place: nothing is left to be done after it. */
bool exec_may_replace(struct shell *sh);
/* NODE is a simple command that names a program literally, which is there, without assignments and
 * redirections: it can be started by vfork. Any node may be asked about. */
bool simple_is_plain_external(struct shell *sh, const struct node_simple *node);
/* May expanding WORD run a command? Its input would have to be that of the command it stands in. */
bool word_runs_commands(const struct word *word);
/* Expands and starts such a command; what its expansions change is undone, as in a process of its
 * own. */
struct spawn_plan;
enum flow simple_spawn(struct shell *sh, const struct node_simple *node,
                       const struct spawn_plan *plan, pid_t *ret_pid) NODISCARD;

/* ---- writer.c ---- */

/* NODE is a builtin that writes its arguments (BUILTIN_WRITER), which are short and run no
 * commands. Any node may be asked about. */
bool writer_is_short(struct shell *sh, const struct node *node);
/* Runs such a NODE as the head of a pipeline that writes to PLAN->out, whose other end OTHER is
 * open. *RET_STATUS: what it ended with. *RET_PID: the process that still writes; else unchanged.
 */
enum flow writer_run(struct shell *sh, const struct node *node, const struct spawn_plan *plan,
                     int other, pid_t *ret_pid, int *ret_status) NODISCARD;

/* ---- xtrace.c ---- */

static inline bool xtrace_on(const struct shell *sh)
{
    return option_on(sh, OPTION_XTRACE);
}
/* Starts a line with PS4 and puts TEXT after it, on descriptor 2. */
void xtrace_text(struct shell *sh, const char *text, size_t len);
/* Appends a command's words as set -x shows them. */
void xtrace_append_words(struct str *s, size_t count, const char *const *words);
/* A command's expanded words. */
void xtrace_words(struct shell *sh, size_t count, const char *const *words);
/* `c.x.` of the variable whose members M are, if they are some variable's. */
void xtrace_append_base(struct str *s, const struct members *m);
/* `name=value` of an assignment as done. */
void xtrace_assign(struct shell *sh, const struct var_ref *ref, bool append, const char *text,
                   size_t len);
/* The words of a declaration command: its assignments first, a line each, as ksh93 shows them.
 * ASSIGNED: bit N tells that word N was written as one. */
void xtrace_declaration(struct shell *sh, size_t count, const char *const *words,
                        uint64_t assigned);
/* A redirection whose word stands for TEXT, about to be made: on one line with those before it,
 * until xtrace_redir_end(). Each goes to what descriptor 2 is then. */
void xtrace_redir(struct shell *sh, const struct redir *redir, const char *text, size_t len);
/* Ends that line, if one was begun. */
void xtrace_redir_end(struct shell *sh);
/* `((x + 1))`: the source text of an arithmetic command or a part of for (( )). */
void xtrace_arith(struct shell *sh, const struct word *word);

#endif
