/*
 * What the process does about signals.
 *
 * Owns the process's dispositions. A handler is installed only when there is something to do: a
 * trap, an EXIT trap that a fatal signal must not skip, job control, an interactive shell; so a
 * plain script starts without a single call here. What was ignored when the shell started is asked
 * when a signal is first touched.
 *
 * The handler only notes the signal and sets a bit in sh->pending. It reaches the shell through
 * static variables: a handler has no other way.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/trap_private.h"
#include "shell/state/frame.h"
#include "shell/state/var.h"

static volatile sig_atomic_t arrived[TRAP_SIGNALS];
static struct shell *volatile handler_shell;
static volatile pid_t heads_group; /* signal_watch_heads */

/* Does a child tell that the job was stopped which the shell is a part of? Then it stops waiting;
 * how children end is no reason to. */
static bool heads_stopped(void)
{
    siginfo_t info = { .si_pid = 0 };
    int error = errno;
    if (heads_group && waitid(P_PGID, (id_t)heads_group, &info, WSTOPPED | WNOHANG | WNOWAIT) != 0)
        info.si_pid = 0;
    errno = error;
    return info.si_pid != 0;
}

static void on_signal(int signal)
{
    struct shell *sh = handler_shell;
    arrived[signal] = 1;
    if (signal != SIGCHLD || heads_stopped())
        __atomic_fetch_add(&sys_signals.noted, 1, __ATOMIC_RELAXED);
    if (sh)
        shell_pend(sh, signal == SIGCHLD    ? PENDING_SIGNAL | PENDING_CHILD
                       : signal == SIGWINCH ? PENDING_SIGNAL | PENDING_WINCH
                                            : PENDING_SIGNAL);
}

/* libmem's call in the middle of a request: like a handler it only takes note. */
static void on_memory_limit(void)
{
    shell_pend(handler_shell, PENDING_MEMORY);
}

bool signal_arrived(int signal)
{
    return arrived[signal] != 0;
}

void signal_note(int signal)
{
    on_signal(signal);
}

void signal_take(int signal)
{
    arrived[signal] = 0;
}

bool signal_is_fatal(int signal)
{
    switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGPIPE:
    case SIGALRM:
    case SIGTERM:
    case SIGUSR1:
    case SIGUSR2:
    case SIGXCPU:
    case SIGXFSZ:
    case SIGVTALRM:
    case SIGPROF:
        return true;
    default:
        return false;
    }
}

bool signal_ignored_at_start(struct shell *sh, int signal)
{
    struct traps *traps = sh->traps;
    struct sigaction action;
    if (signal == SIGCHLD && traps->child_ignored)
        return true;
    if (traps->dispositions[signal] == SIG_UNKNOWN) {
        bool ignored = sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
        traps->dispositions[signal] = ignored ? SIG_IGNORED_START : SIG_DEFAULTED;
    }
    return traps->dispositions[signal] == SIG_IGNORED_START;
}

static bool ignored_by_interactive(int signal)
{
    return signal == SIGTERM || signal == SIGQUIT || signal == SIGTTIN || signal == SIGTTOU ||
           signal == SIGTSTP;
}

/* Did an outer level, whose trap is in the journal, set an action that the signal may still be
 * meant for? */
static bool outer_waits(struct shell *sh, int signal)
{
    return sh->traps->traps[signal].outer_action && sh->frame->subshell &&
           !sh->frame->subshell->is_process;
}

static bool is_taken_over(const struct traps *traps, int signal)
{
    return signal < 64 && (traps->taken_over >> signal & 1);
}

static enum disposition wanted(struct shell *sh, int signal)
{
    struct traps *traps = sh->traps;
    const char *action = trap_action(traps, signal);
    if (action && *action)
        return SIG_HANDLED;
    if (signal == SIGCHLD) /* ignoring it would lose the children's status */
        return traps->watch_children ? SIG_HANDLED : SIG_DEFAULTED;
    if (action)
        return SIG_IGNORED_TRAP;
    if (sh->interactive && !sh->is_child) {
        if (signal == SIGINT || signal == SIGWINCH)
            return SIG_HANDLED;
        if (ignored_by_interactive(signal))
            return SIG_IGNORED_SHELL;
        /* The terminal is given back before it dies, and jobs are hung up. */
        if (signal_is_fatal(signal))
            return is_taken_over(traps, signal) ? SIG_IGNORED_START : SIG_HANDLED;
    }
    if (traps->is_async && (signal == SIGINT || signal == SIGQUIT))
        return SIG_IGNORED_ASYNC;
    if ((traps->exit_handlers && signal_is_fatal(signal)) || outer_waits(sh, signal))
        return SIG_HANDLED;
    return SIG_DEFAULTED;
}

static void set_disposition(struct shell *sh, int signal, enum disposition disposition)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    if (disposition == SIG_HANDLED) {
        handler_shell = sh;
        action.sa_handler = on_signal;
        sys_signals.caught |= signal != SIGCHLD;
    } else if (disposition != SIG_DEFAULTED) {
        action.sa_handler = SIG_IGN;
    }
    sigemptyset(&action.sa_mask);
    /* No SA_RESTART: whoever waits has to look at sh->pending; but the end of a background job is
     * no reason to interrupt a read. */
    if (signal == SIGCHLD)
        action.sa_flags = SA_RESTART;
    if (sigaction(signal, &action, NULL) == 0)
        sh->traps->dispositions[signal] = (uint8_t)disposition;
}

void signal_apply(struct shell *sh, int signal)
{
    if (signal_ignored_at_start(sh, signal) && !sh->interactive)
        return;
    enum disposition disposition = wanted(sh, signal);
    if (sh->traps->dispositions[signal] != disposition)
        set_disposition(sh, signal, disposition);
}

void traps_ignore_interrupts(struct shell *sh)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    uint8_t *dispositions = sh->traps->dispositions;
    sh->traps->is_async = true;
    for (int signal = SIGINT; signal <= SIGQUIT; signal++) {
        unsigned known = dispositions[signal];
        if (known == SIG_IGNORED_START || sigaction(signal, &ignore, &before) != 0)
            continue;
        bool ignored = known == SIG_UNKNOWN && before.sa_handler == SIG_IGN;
        dispositions[signal] = ignored ? SIG_IGNORED_START : SIG_IGNORED_ASYNC;
    }
}

void signal_apply_fatal(struct shell *sh)
{
    sh->traps->exit_handlers = true;
    for (int signal = 1; signal < TRAP_SIGNALS; signal++) {
        if (signal_is_fatal(signal))
            signal_apply(sh, signal);
    }
}

void signal_watch_children(struct shell *sh)
{
    if (sh->traps->watch_children)
        return;
    sh->traps->watch_children = true;
    signal_apply(sh, SIGCHLD);
    if (signal_ignored_at_start(sh, SIGCHLD))
        set_disposition(sh, SIGCHLD, SIG_HANDLED);
}

void signal_watch_heads(struct shell *sh, pid_t group)
{
    heads_group = group;
    if (group) {
        signal_watch_children(sh);
        shell_pend(sh, PENDING_CHILD); /* it may have been stopped already */
    }
}

bool signal_may_act(const struct shell *sh)
{
    return sys_signals.caught || sh->traps->dispositions[SIGCHLD] == SIG_HANDLED;
}

void signal_before_children(struct shell *sh)
{
    struct traps *traps = sh->traps;
    if (__builtin_expect(traps->children_checked, 1))
        return;
    traps->children_checked = true;
    if (!signal_ignored_at_start(sh, SIGCHLD))
        return;
    traps->child_ignored = true;
    set_disposition(sh, SIGCHLD, traps->watch_children ? SIG_HANDLED : SIG_DEFAULTED);
}

void signal_window(struct shell *sh)
{
    static size_t rows, columns; /* as they were set last: users may assign others */
    size_t now_rows, now_columns;
    if (!sh->interactive || sh->is_child ||
        !sys_terminal_size(STDIN_FILENO, &now_rows, &now_columns) ||
        (now_rows == rows && now_columns == columns))
        return;
    rows = now_rows;
    columns = now_columns;
    if (var_set_int(sh, "LINES", (int64_t)rows) != FLOW_NEXT ||
        var_set_int(sh, "COLUMNS", (int64_t)columns) != FLOW_NEXT)
        shell_print_error(sh); /* they are readonly */
}

void traps_init(struct shell *sh)
{
    handler_shell = sh;
    mem_limit_notify = on_memory_limit;
    if (!sh->interactive)
        return;
    for (int signal = 1; signal < TRAP_SIGNALS; signal++) {
        if (!signal_is_fatal(signal) && !ignored_by_interactive(signal) && signal != SIGWINCH)
            continue;
        /* Those of job control are for the shell to manage: jobs have to stop in any case. */
        bool is_of_jobs = signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
        if (signal_ignored_at_start(sh, signal) && !is_of_jobs)
            sh->traps->taken_over |= UINT64_C(1) << signal;
        signal_apply(sh, signal);
    }
}

void traps_reset_in_child(struct shell *sh)
{
    struct sigaction action = { .sa_handler = SIG_DFL };
    for (int signal = 1; signal < TRAP_SIGNALS; signal++) {
        unsigned disposition = sh->traps->dispositions[signal];
        action.sa_handler = is_taken_over(sh->traps, signal) ? SIG_IGN : SIG_DFL;
        if (disposition == SIG_HANDLED || disposition == SIG_IGNORED_SHELL)
            sigaction(signal, &action, NULL);
    }
    const char *child_action = sh->traps->traps[SIGCHLD].action;
    if (sh->traps->child_ignored || (child_action && !*child_action)) {
        action.sa_handler = SIG_IGN;
        sigaction(SIGCHLD, &action, NULL);
    }
}

void traps_after_fork(struct shell *sh, bool continues)
{
    struct traps *traps = sh->traps;
    if (!continues)
        traps->fork_id = ++sh->frame_id;
    for (int signal = 1; signal < TRAP_SIGNALS; signal++) {
        unsigned disposition = traps->dispositions[signal];
        if (arrived[signal])
            arrived[signal] = 0;
        bool mine = trap_is_set(sh, signal) || (signal == SIGCHLD && traps->watch_children);
        if ((disposition == SIG_HANDLED || disposition == SIG_IGNORED_SHELL) && !mine)
            set_disposition(sh, signal,
                            is_taken_over(traps, signal) ? SIG_IGNORED_START : SIG_DEFAULTED);
    }
    traps->exit_handlers = false;
    traps->dying_of = 0;
    sys_signals.acted = sys_signals.noted;
    sh->pending = 0; /* a child takes no samples either */
    if (trap_is_set(sh, TRAP_EXIT))
        signal_apply_fatal(sh);
}
