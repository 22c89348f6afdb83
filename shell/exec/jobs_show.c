/*
 * Showing jobs, moving them between foreground and background, and signalling them.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/exec/jobs_private.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

/* What a job or process does, as ksh words it; POSIX has no second blank before some. */
static void state_text(const struct shell *sh, char *ret, size_t bytes, enum job_state state,
                       int wait_status)
{
    const char *blank = option_on(sh, OPTION_POSIX) ? "" : " ";
    if (state == JOB_RUNNING) {
        snprintf(ret, bytes, "%sRunning", blank);
    } else if (state == JOB_STOPPED) {
        const char *name = trap_name(WIFSTOPPED(wait_status) ? WSTOPSIG(wait_status) : SIGTSTP);
        if (WIFSTOPPED(wait_status) && WSTOPSIG(wait_status) != SIGTSTP)
            snprintf(ret, bytes, "Stopped (SIG%s)", name ? name : "?");
        else
            snprintf(ret, bytes, "Stopped");
    } else if (WIFSIGNALED(wait_status)) {
        snprintf(ret, bytes, "%s%s", strsignal(WTERMSIG(wait_status)),
                 WCOREDUMP(wait_status) ? " (coredump)" : "");
    } else if (WEXITSTATUS(wait_status)) {
        snprintf(ret, bytes, "%sDone(%d)", blank, WEXITSTATUS(wait_status));
    } else {
        snprintf(ret, bytes, "%sDone", blank);
    }
}

static enum job_state process_state(const struct job_process *process)
{
    return process->ended ? JOB_DONE : process->stopped ? JOB_STOPPED : JOB_RUNNING;
}

/* The wait status that explains the job's state. */
static int telling_status(const struct job *job)
{
    for (uint32_t i = job->count; job->state == JOB_STOPPED && i-- > 0;) {
        if (job->processes[i].stopped)
            return job->processes[i].wait_status;
    }
    return job->processes[job->count - 1].wait_status;
}

void job_print(struct shell *sh, const struct job *job, char flag, struct out *out)
{
    char text[64];
    if (flag == 'p') {
        out_printf(out, "%d\n", (int)(job->group > 0 ? job->group : job->processes[0].pid));
        return;
    }
    char mark = job == job_current(sh) ? '+' : job == job_previous(sh) ? '-' : ' ';
    out_printf(out, "[%u] %c ", (unsigned)job->number, mark);
    if (flag != 'l') {
        state_text(sh, text, sizeof text, job->state, telling_status(job));
        out_printf(out, "%-24s %s\n", text, job->command);
        return;
    }
    char gap = option_on(sh, OPTION_POSIX) ? ' ' : '\t';
    for (uint32_t i = 0; i < job->count; i++) {
        const struct job_process *process = &job->processes[i];
        state_text(sh, text, sizeof text, process_state(process), process->wait_status);
        out_printf(out, "%s%d%c%-24s %s\n", i == 0 ? "" : "      ", (int)process->pid, gap, text,
                   i == 0 ? job->command : "|");
    }
}

void jobs_notify(struct shell *sh)
{
    struct job *next;
    jobs_poll(sh);
    for (struct job *job = sh->jobs->first; job; job = next) {
        next = job->next;
        if (!job->background || job->state == JOB_RUNNING || job->waited || job->inherited ||
            job->reported)
            continue;
        struct out *out = fdtab_out(sh, STDERR_FILENO);
        if (!job->notified && out && job_is_listed(job)) {
            job_print(sh, job, 0, out);
            out_flush(out);
        }
        job->notified = true;
        if (job->state == JOB_DONE)
            job_reported(sh, job);
    }
}

/* Is child PID stopped? Nobody may have asked for that without job control. */
static bool is_stopped(pid_t pid)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

int job_send(struct shell *sh, pid_t pid, int signal, bool stopped)
{
    bool ends = signal == SIGTERM || signal == SIGHUP;
    const struct job *job =
        pid > 0 ? map_get(&sh->jobs->pids, (const char *)&pid, sizeof pid) : NULL;
    stopped = stopped || (job && job->state == JOB_STOPPED);
    bool resume = ends && (stopped || (pid > 0 && is_stopped(pid)));
    if (kill(pid, signal) != 0)
        return errno;
    jobs_note_sent(sh, pid, signal);
    if (resume && kill(pid, SIGCONT) == 0)
        jobs_note_sent(sh, pid, SIGCONT);
    return 0;
}

int job_kill(struct shell *sh, struct job *job, int signal)
{
    int error = 0;
    if (job->state == JOB_DONE)
        return ESRCH;
    bool stopped = job->state == JOB_STOPPED;
    if (job->group > 0)
        return job_send(sh, -job->group, signal, stopped);
    for (uint32_t i = 0; i < job->count; i++) {
        int failed =
            job->processes[i].ended ? 0 : job_send(sh, job->processes[i].pid, signal, stopped);
        error = failed ? failed : error;
    }
    return error;
}

bool jobs_keep_shell(struct shell *sh)
{
    bool stopped = false;
    if (!sh->interactive || sh->is_child || sh->frame->subshell || sh->exit_warned)
        return false;
    jobs_poll(sh);
    for (const struct job *job = sh->jobs->first; job; job = job->next)
        stopped = stopped || (job->state == JOB_STOPPED && job_is_listed(job));
    if (!stopped)
        return false;
    fdtab_message(sh, "You have stopped jobs", 21);
    sh->exit_warned = 2;
    return true;
}

void jobs_hang_up(struct shell *sh)
{
    for (struct job *job = sh->jobs->first; job; job = job->next)
        if (job->state != JOB_DONE && !job->disowned && !job->inherited && job->group > 0)
            job_kill(sh, job, SIGHUP);
}

enum flow job_continue(struct shell *sh, struct job *job, bool foreground)
{
    struct jobs *jobs = sh->jobs;
    if (job->state == JOB_DONE && !foreground)
        return shell_fail(sh, ERROR_BUILTIN, 1, job->command, "has ended");
    if (job->state == JOB_DONE) { /* it may have ended a moment ago: as if just now */
        out_printf(sh->out, "%s\n", job->command);
        sh->status = job_status(sh, job);
        job_forget(sh, job);
        return FLOW_NEXT;
    }
    job_list(sh, job);
    bool posix = option_on(sh, OPTION_POSIX);
    int len = (int)strlen(job->command); /* without what put it into the background */
    while (!posix && len > 0 && strchr(" &", job->command[len - 1]))
        len--;
    if (foreground)
        out_printf(sh->out, "%.*s\n", len, job->command);
    else
        out_printf(sh->out, "[%u]%c%.*s%s\n", (unsigned)job->number, posix ? ' ' : '\t', len,
                   job->command, posix ? "" : "&");
    (void)fdtab_flush(sh); /* before the job writes anything itself */
    if (foreground && jobs->terminal >= 0 && job->group > 0) {
        if (job->has_modes)
            tcsetattr(jobs->terminal, TCSADRAIN, &job->modes);
        job->has_modes = false;
        tcsetpgrp(jobs->terminal, job->group);
    }
    job_kill(sh, job, SIGCONT);
    if (!foreground) {
        sh->last_background = job->processes[job->count - 1].pid;
        return FLOW_NEXT;
    }
    jobs->running_count -= job->background && job->state == JOB_RUNNING;
    job->background = false;
    return job_wait_foreground(sh, job);
}
