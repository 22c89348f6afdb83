/*
 * Waiting for jobs.
 *
 * A foreground command is simply waited for, unless a command substitution is captured meanwhile:
 * then its pipe is emptied in turn. The wait builtin and JOBMAX wait for whatever comes first: a
 * child, a signal with an action, or output of a capture; signals are blocked between looking and
 * sleeping, so that none is missed. Where no signal has an action and nothing is captured only
 * children can come, and the system is simply asked for the next.
 *
 * Signals that arrive during a foreground command run their actions afterwards; only one that ends
 * the shell ends the waiting.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/jobs_private.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"
#include "shell/state/view.h"

enum { CAPTURE_MAX = 16 };

/* ---- whatever comes first ------------------------------------------------------------------- */

/* Sleeps until a signal comes (they are blocked but for MASK), a capture has output, or there is
 * memory to give back. */
static void sleep_for_event(struct shell *sh, const sigset_t *mask)
{
    int fds[CAPTURE_MAX];
    size_t count = fdtab_capture_fds(sh, fds, CAPTURE_MAX);
    int idle_ms = mem_idle();
    const struct timespec idle = { .tv_sec = idle_ms / 1000, .tv_nsec = idle_ms % 1000 * 1000000L };
    if (count == 0 && idle_ms < 0) {
        sigsuspend(mask);
        return;
    }
    struct pollfd polled[CAPTURE_MAX];
    nfds_t live = 0;
    for (size_t i = 0; i < count; i++) {
        struct pollfd one = { .fd = fds[i], .events = POLLIN };
        /* A pipe without writers is always ready: not to be waited for. */
        if (poll(&one, 1, 0) <= 0 || !(one.revents & POLLHUP))
            polled[live++] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
    }
    if (ppoll(polled, live, idle_ms < 0 ? NULL : &idle, mask) > 0)
        fdtab_capture_poll(sh);
}

/* Tells whether what is waited for has happened. */
typedef bool wait_done(struct shell *sh, void *arg);

/* Whether nothing but the end of a child can end a waiting. */
static bool awaits_children_only(struct shell *sh)
{
    int fds[1];
    return !signal_may_act(sh) && mem_idle() < 0 && fdtab_capture_fds(sh, fds, 1) == 0;
}

/* Waits until DONE, or there are no children any more, or a signal wants to act: returns that
 * signal, else 0. FOREGROUND: only a signal that ends the shell counts. */
static int wait_until(struct shell *sh, wait_done *done, void *arg, bool foreground)
{
    sigset_t all, mask;
    int signal = 0;
    (void)fdtab_flush(sh);
    fdtab_input_sync(sh);
    if (awaits_children_only(sh)) {
        for (bool any = jobs_poll(sh); any && !done(sh, arg);)
            any = jobs_await(sh);
        return 0;
    }
    signal_watch_children(sh);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    for (;;) {
        fdtab_capture_poll(sh);
        bool any = jobs_poll(sh);
        /* In the POSIX mode the CHLD trap is one that ends the waiting. */
        bool fatal = trap_pending_fatal(sh);
        bool by_child =
            !foreground && option_on(sh, OPTION_POSIX) && trap_pending_now(sh) == SIGCHLD;
        if (!by_child && done(sh, arg))
            break;
        signal = foreground ? 0 : trap_pending_now(sh);
        if (signal || fatal || !any)
            break;
        sleep_for_event(sh, &mask);
    }
    fdtab_capture_poll(sh);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return signal;
}

static bool job_at_rest(struct shell *sh, void *arg)
{
    const struct job *job = arg;
    (void)sh;
    return job->state != JOB_RUNNING;
}

static bool job_ended(struct shell *sh, void *arg)
{
    const struct job *job = arg;
    (void)sh;
    return job->state == JOB_DONE;
}

/* ---- the foreground ------------------------------------------------------------------------- */

static bool process_at_rest(struct shell *sh, void *arg)
{
    const struct job_process *process = arg;
    (void)sh;
    return process->ended || process->stopped;
}

/* Waits for one process. False: a signal ends the shell, or the process cannot be waited for. */
static bool process_wait(struct shell *sh, struct job *job, struct job_process *process)
{
    int flags = job->group >= 0 ? WUNTRACED : 0;
    if (trap_catches_fatal(sh)) { /* such a signal may come at any moment */
        wait_until(sh, process_at_rest, process, true);
        return process_at_rest(sh, process);
    }
    while (!process->ended && !process->stopped) {
        int wait_status;
        if (!sys_idle_child(process->pid) && trap_pending_fatal(sh))
            return false;
        pid_t pid = waitpid(process->pid, &wait_status, flags);
        if (pid > 0) {
            jobs_note(sh, pid, wait_status);
        } else if (errno != EINTR) {
            process->ended = true;
            return false;
        } else if (trap_pending_fatal(sh)) {
            return false;
        }
    }
    return true;
}

static void processes_wait(struct shell *sh, struct job *job)
{
    int fds[1];
    bool all = option_on(sh, OPTION_PIPEFAIL) || job->group >= 0;
    if (all && fdtab_capture_fds(sh, fds, 1) > 0) {
        wait_until(sh, job_at_rest, job, true);
        return;
    }
    for (uint32_t i = all ? 0 : job->count - 1; i < job->count; i++) {
        if (!process_wait(sh, job, &job->processes[i]))
            return;
    }
}

static bool last_ended(struct shell *sh, void *arg)
{
    const struct job *job = arg;
    (void)sh;
    return job->processes[job->count - 1].ended;
}

/* What a script's user should know: the command did not end by itself. */
static void report_signal(struct shell *sh, const struct job *job)
{
    const struct job_process *last = &job->processes[job->count - 1];
    if (!last->ended || !WIFSIGNALED(last->wait_status))
        return;
    int signal = WTERMSIG(last->wait_status);
    if (signal == SIGINT || signal == SIGPIPE)
        return;
    const char *core = WCOREDUMP(last->wait_status) ? " (core dumped)" : "";
    shell_warn(sh, NULL, "%d: %s%s", (int)last->pid, strsignal(signal), core);
}

static void job_stopped(struct shell *sh, struct job *job)
{
    job->background = true;
    job->notified = true;
    job_list(sh, job);
    struct out *out = fdtab_out(sh, STDERR_FILENO);
    if (out && sh->interactive) {
        out_putc(out, '\n');
        job_print(sh, job, 0, out);
        out_flush(out);
    }
}

enum flow job_wait_foreground(struct shell *sh, struct job *job)
{
    int fds[1];
    if (fdtab_capture_fds(sh, fds, 1) > 0 && !option_on(sh, OPTION_PIPEFAIL) && job->group < 0)
        wait_until(sh, last_ended, job, true);
    else
        processes_wait(sh, job);
    jobs_take_terminal(sh, job);
    bool given_up = job->state == JOB_RUNNING && sh->interactive && trap_pending_fatal(sh);
    if (given_up && job->group > 0) /* it is hung up with the others */
        return trap_run_pending(sh);
    sh->status = job_status(sh, job);
    struct job *heads = sh->jobs->heads;
    if (job->state == JOB_STOPPED && heads && heads->group == job->group &&
        job_absorb(sh, heads, job))
        return trap_abort(sh, SIGTSTP);
    if (job->state == JOB_STOPPED) {
        job_stopped(sh, job);
        /* Whoever stops a command of a loop or a function wants the prompt, not the next command.
         */
        bool is_within = sh->loop_depth > 0 || view_depth(sh->frame) > 0;
        return sh->interactive && !sh->is_child && is_within ? trap_abort(sh, SIGTSTP) : FLOW_NEXT;
    }
    report_signal(sh, job);
    /* In POSIX a script goes on, and a trap is for what the shell itself was sent. */
    bool is_told = !option_on(sh, OPTION_POSIX) || (sh->interactive && !trap_is_set(sh, SIGINT));
    if (job->group >= 0 && sh->status == 256 + SIGINT && is_told)
        trap_note_signal(sh, SIGINT);
    job_leave(sh, job);
    return sh->pending ? trap_run_pending(sh) : FLOW_NEXT;
}

void job_missed(struct shell *sh, pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR && !trap_pending_fatal(sh))
        ;
}

enum flow job_run(struct shell *sh, pid_t pid, pid_t group, const char *command)
{
    struct job *job;
    enum flow flow = job_add(sh, &pid, 1, group, command, false, &job);
    if (flow == FLOW_NEXT)
        return job_wait_foreground(sh, job);
    job_missed(sh, pid);
    return flow;
}

/* ---- wait ----------------------------------------------------------------------------------- */

/* In a subshell that is no process: the jobs are the parent's, and it could not wait for them if it
 * were one. */
static bool is_virtual(const struct shell *sh)
{
    return sh->frame->subshell && !sh->frame->subshell->is_process;
}

enum flow job_wait_job(struct shell *sh, struct job *job, int *ret_status)
{
    if ((is_virtual(sh) && !job->substitution) || job->inherited) {
        *ret_status = 127;
        return FLOW_NEXT;
    }
    job->waited = true;
    bool stops_count = sh->interactive || option_on(sh, OPTION_MONITOR);
    int signal = wait_until(sh, stops_count ? job_at_rest : job_ended, job, false);
    job->waited = false;
    if (signal) {
        *ret_status = sh->status = 256 + signal; /* the action sees it */
        return trap_run_pending(sh);
    }
    *ret_status = job_status(sh, job);
    if (job->state == JOB_DONE)
        job_forget(sh, job);
    return FLOW_NEXT;
}

enum flow job_wait_pid(struct shell *sh, pid_t pid, int *ret_status)
{
    struct job *job = job_of_pid(sh, pid);
    if (job)
        return job_wait_job(sh, job, ret_status);
    *ret_status = 127;
    return FLOW_NEXT;
}

static bool none_running(struct shell *sh, void *arg)
{
    (void)arg;
    return sh->jobs->running_count == 0 && sh->jobs->substitutions == 0;
}

static void forget_done(struct shell *sh)
{
    struct job *next;
    for (struct job *job = sh->jobs->first; job; job = next) {
        next = job->next;
        if ((job->background || job->substitution) && job->state == JOB_DONE && !job->inherited)
            job_forget(sh, job);
    }
}

enum flow job_wait_all(struct shell *sh)
{
    if (is_virtual(sh)) {
        sh->status = 0;
        return FLOW_NEXT;
    }
    int signal = wait_until(sh, none_running, NULL, false);
    sh->status = signal ? 256 + signal : 0;
    if (signal)
        return trap_run_pending(sh);
    if (sh->interactive && jobs_control(sh) && !option_on(sh, OPTION_POSIX))
        jobs_notify(sh);
    forget_done(sh);
    return FLOW_NEXT;
}

/* Jobs to choose from; COUNT 0: all. */
struct choice {
    struct job *const *jobs;
    size_t count;
};

static struct job *first_done(struct shell *sh, const struct choice *choice)
{
    for (size_t i = 0; i < choice->count; i++) {
        if (choice->jobs[i]->state == JOB_DONE)
            return choice->jobs[i];
    }
    if (choice->count)
        return NULL;
    for (struct job *job = sh->jobs->last; job; job = job->prev) {
        if (job->background && job->state == JOB_DONE && !job->inherited && !job->reported)
            return job;
    }
    return NULL;
}

static bool any_done(struct shell *sh, void *arg)
{
    return first_done(sh, arg) || sh->jobs->running_count == 0;
}

enum flow job_wait_next(struct shell *sh, struct job *const *jobs, size_t count, int *ret_status)
{
    struct choice choice = { jobs, count };
    if (is_virtual(sh)) {
        *ret_status = 127;
        return FLOW_NEXT;
    }
    int signal = wait_until(sh, any_done, &choice, false);
    struct job *job = signal ? NULL : first_done(sh, &choice);
    *ret_status = signal ? 256 + signal : job ? job_status(sh, job) : 127;
    if (signal)
        return trap_run_pending(sh);
    if (job)
        job_forget(sh, job);
    return FLOW_NEXT;
}

static bool fewer_running(struct shell *sh, void *arg)
{
    return sh->jobs->running_count < *(const size_t *)arg;
}

enum flow job_wait_below(struct shell *sh, size_t limit)
{
    while (!is_virtual(sh) && sh->jobs->running_count >= limit) {
        int signal = wait_until(sh, fewer_running, &limit, false);
        if (signal)
            TRY(trap_run_pending(sh));
        else
            break;
    }
    return FLOW_NEXT;
}
