/*
 * The table of jobs.
 *
 * Owns struct job: one for each foreground command while it is waited for, and for each background
 * or stopped job until its status was asked for or reported. Processes are found by pid through a
 * map, so that thousands of jobs cost nothing; finished jobs that nobody asks about are kept up to
 * a limit. Only background and stopped jobs have a number and are listed.
 *
 * Waiting is in jobs_wait.c. Nothing here blocks but jobs_await.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/jobs_private.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

enum { DONE_KEPT_MAX = 16384 };

struct jobs *jobs_new(struct mem_region *region)
{
    struct jobs *jobs = mem_alloc_zeroed(region, sizeof *jobs);
    if (!jobs)
        return NULL;
    jobs->region = region;
    map_init(&jobs->pids, region);
    jobs->terminal = -1;
    jobs->coproc_read = jobs->coproc_write = -1;
    return jobs;
}

static void job_free(struct jobs *jobs, struct job *job)
{
    if (job->processes != &job->first)
        mem_free(job->processes);
    mem_free(job->command);
    mem_free_sized(jobs->region, job, sizeof *job);
}

/* No child is known. */
static void clear_counts(struct jobs *jobs)
{
    map_release(&jobs->pids);
    map_init(&jobs->pids, jobs->region);
    jobs->left_count = jobs->done_count = jobs->running_count = jobs->substitutions = 0;
    jobs->highest = 0;
    memset(jobs->strays, 0, sizeof jobs->strays);
    jobs->stray_next = 0;
}

/* Whether clear_counts would change nothing: each page that a child writes to has to be copied. */
static bool counts_are_clear(const struct jobs *jobs)
{
    return !jobs->pids.count && !jobs->left_count && !jobs->done_count && !jobs->running_count &&
           !jobs->substitutions && !jobs->highest && !jobs->stray_next;
}

static void jobs_clear(struct jobs *jobs)
{
    while (jobs->first) {
        struct job *job = jobs->first;
        jobs->first = job->next;
        job_free(jobs, job);
    }
    jobs->last = NULL;
    clear_counts(jobs);
}

void jobs_free(struct jobs *jobs)
{
    if (!jobs)
        return;
    jobs_clear(jobs);
    if (jobs->terminal >= 0)
        close(jobs->terminal);
    mem_free_sized(jobs->region, jobs, sizeof *jobs);
}

/* ---- job control ---------------------------------------------------------------------------- */

/* Makes the shell the leader of its own group in the foreground; the terminal stays -1 when that is
 * not to be had. */
static void control_start(struct shell *sh)
{
    struct jobs *jobs = sh->jobs;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    int terminal = fd >= 0 ? sys_move_private(fd) : -1;
    if (terminal < 0)
        return;
    pid_t group = getpgrp();
    /* Started in the background: stop here until somebody brings us to the front. */
    while (sh->interactive && tcgetpgrp(terminal) != group && tcgetpgrp(terminal) > 0) {
        signal(SIGTTIN, SIG_DFL);
        kill(0, SIGTTIN);
        group = getpgrp();
    }
    if (tcgetpgrp(terminal) != group) {
        close(terminal);
        return;
    }
    jobs->terminal = terminal;
    jobs->group = group;
    if (sh->interactive) {
        traps_init(sh);
        if (group != getpid() && setpgid(0, 0) == 0) {
            jobs->group = getpid();
            jobs->group_before = group;
        }
        tcsetpgrp(terminal, jobs->group);
    }
    tcgetattr(terminal, &jobs->modes);
}

bool jobs_control(struct shell *sh)
{
    const struct frame *subshell = sh->frame->subshell;
    if (!option_on(sh, OPTION_MONITOR) || sh->is_child || (subshell && !subshell->is_process))
        return false;
    if (!sh->jobs->control_tried) {
        sh->jobs->control_tried = true;
        control_start(sh);
    }
    return true;
}

void jobs_join(struct shell *sh, struct job *heads)
{
    sh->jobs->heads = heads;
}

pid_t jobs_joined(const struct shell *sh)
{
    const struct job *heads = sh->jobs->heads;
    return heads && heads->group > 0 && kill(-heads->group, 0) == 0 ? heads->group : 0;
}

int jobs_terminal(struct shell *sh)
{
    return jobs_control(sh) ? sh->jobs->terminal : -1;
}

static void terminal_give(int terminal, pid_t group)
{
    sigset_t block, mask;
    sigemptyset(&block);
    sigaddset(&block, SIGTTOU);
    sigprocmask(SIG_BLOCK, &block, &mask);
    tcsetpgrp(terminal, group);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

void jobs_foreground(struct shell *sh)
{
    if (sh->jobs->terminal >= 0)
        terminal_give(sh->jobs->terminal, sh->jobs->group);
}

pid_t jobs_read_begin(struct shell *sh, int fd)
{
    const struct jobs *jobs = sh->jobs;
    if (!jobs->heads || sh->is_child || jobs->terminal < 0 || !isatty(fd))
        return 0;
    pid_t holder = tcgetpgrp(jobs->terminal);
    if (holder <= 0 || holder == jobs->group)
        return 0;
    terminal_give(jobs->terminal, jobs->group);
    return holder;
}

void jobs_read_end(struct shell *sh, pid_t holder)
{
    if (holder > 0 && kill(-holder, 0) == 0)
        terminal_give(sh->jobs->terminal, holder);
}

void jobs_control_leave(struct shell *sh)
{
    struct jobs *jobs = sh->jobs;
    if (sh->is_child || jobs->terminal < 0 || jobs->group_before <= 0)
        return;
    if (tcgetpgrp(jobs->terminal) == jobs->group)
        terminal_give(jobs->terminal, jobs->group_before);
    setpgid(0, jobs->group_before);
}

void jobs_control_return(struct shell *sh)
{
    struct jobs *jobs = sh->jobs;
    if (sh->is_child || jobs->terminal < 0 || jobs->group_before <= 0)
        return;
    setpgid(0, 0);
    jobs_foreground(sh);
}

void jobs_take_terminal(struct shell *sh, struct job *job)
{
    struct jobs *jobs = sh->jobs;
    if (jobs->terminal < 0 || job->group < 0)
        return;
    sigset_t block, mask;
    sigemptyset(&block);
    sigaddset(&block, SIGTTOU);
    sigprocmask(SIG_BLOCK, &block, &mask);
    pid_t joined = jobs_joined(sh);
    tcsetpgrp(jobs->terminal, joined ? joined : jobs->group);
    if (job->state == JOB_STOPPED)
        job->has_modes = tcgetattr(jobs->terminal, &job->modes) == 0;
    /* What a killed or stopped program did to the terminal is undone; what stty did stays. */
    if (job->state == JOB_STOPPED ||
        (job->count > 0 && WIFSIGNALED(job->processes[job->count - 1].wait_status)))
        tcsetattr(jobs->terminal, TCSADRAIN, &jobs->modes);
    else
        tcgetattr(jobs->terminal, &jobs->modes);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* ---- adding and removing -------------------------------------------------------------------- */

static void unlink_job(struct jobs *jobs, struct job *job)
{
    *(job->prev ? &job->prev->next : &jobs->first) = job->next;
    *(job->next ? &job->next->prev : &jobs->last) = job->prev;
}

static void link_first(struct jobs *jobs, struct job *job)
{
    job->prev = NULL;
    job->next = jobs->first;
    *(job->next ? &job->next->prev : &jobs->last) = job;
    jobs->first = job;
}

void job_list(struct shell *sh, struct job *job)
{
    struct jobs *jobs = sh->jobs;
    if (job->number == 0)
        job->number = ++jobs->highest;
    unlink_job(jobs, job);
    link_first(jobs, job);
}

/* Room in the map for each process, keyed by its pid where it is stored. */
static bool map_processes(struct jobs *jobs, struct job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        struct job_process *process = &job->processes[i];
        /* The number of a process that ended long ago may come again. */
        map_remove(&jobs->pids, (const char *)&process->pid, sizeof process->pid);
        if (!map_put(&jobs->pids, (const char *)&process->pid, sizeof process->pid, job))
            return false;
    }
    return true;
}

static void unmap_processes(struct jobs *jobs, struct job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        const char *key = (const char *)&job->processes[i].pid;
        if (map_get(&jobs->pids, key, sizeof(pid_t)) == job)
            map_remove(&jobs->pids, key, sizeof(pid_t));
    }
}

static void number_release(struct jobs *jobs, struct job *job)
{
    uint32_t number = job->number;
    job->number = 0;
    if (number == 0 || number != jobs->highest)
        return;
    jobs->highest = 0;
    for (const struct job *other = jobs->first; other; other = other->next) {
        if (other != job && other->number > jobs->highest)
            jobs->highest = other->number;
    }
}

void job_forget(struct shell *sh, struct job *job)
{
    struct jobs *jobs = sh->jobs;
    if (job->background && job->state == JOB_DONE)
        jobs->done_count--;
    else if (job->background && job->state == JOB_RUNNING)
        jobs->running_count--;
    else if (job->substitution && job->state == JOB_RUNNING)
        jobs->substitutions--;
    unmap_processes(jobs, job);
    unlink_job(jobs, job);
    number_release(jobs, job);
    job_free(jobs, job);
}

void job_reported(struct shell *sh, struct job *job)
{
    job->reported = job->notified = true;
    number_release(sh->jobs, job);
}

/* Scripts that start jobs for ever and never wait: the oldest results go. */
static void forget_old(struct shell *sh)
{
    struct jobs *jobs = sh->jobs;
    for (struct job *job = jobs->last, *prev; job && jobs->done_count > DONE_KEPT_MAX; job = prev) {
        prev = job->prev;
        if (job->state == JOB_DONE && job->background && !job->waited)
            job_forget(sh, job);
    }
}

/* Jobs that are not our children go; ALL: or only those that are not to be shown. */
static void drop_foreign(struct jobs *jobs, bool all)
{
    for (struct job *job = jobs->first, *next; job; job = next) {
        next = job->next;
        if (!all && job_is_listed(job)) {
            job->inherited = true;
        } else if (!all || job->inherited) {
            unlink_job(jobs, job);
            job_free(jobs, job);
        }
    }
}

void jobs_after_fork(struct shell *sh)
{
    struct jobs *jobs = sh->jobs;
    drop_foreign(jobs, false);
    jobs->heads = NULL;
    if (!counts_are_clear(jobs))
        clear_counts(jobs);
}

/* What shows for a job of COMMAND: at a prompt the whole line that was typed, unless there are
 * several.
 */
static char *job_name(const struct shell *sh, const char *command)
{
    const char *typed = sh->typed ? sh->typed + strspn(sh->typed, " \t\n") : "";
    size_t len = strlen(typed);
    while (len > 0 && strchr(" \t\n", typed[len - 1]))
        len--;
    if (len == 0 || memchr(typed, '\n', len) || sh->is_child || option_on(sh, OPTION_POSIX))
        return text_dup(sh->jobs->region, command);
    return text_dup_n(sh->jobs->region, typed, len);
}

static struct job *job_new(struct shell *sh, const pid_t *pids, size_t count, const char *command)
{
    struct jobs *jobs = sh->jobs;
    struct job *job = mem_alloc_zeroed(jobs->region, sizeof *job);
    if (!job)
        return NULL;
    job->processes =
        count <= 1 ? &job->first : mem_alloc_zeroed(jobs->region, count * sizeof *job->processes);
    job->command = job_name(sh, command);
    if (!job->processes || !job->command) {
        job->count = 0;
        job_free(jobs, job);
        return NULL;
    }
    job->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        job->processes[i].pid = pids[i];
    return job;
}

enum flow job_add(struct shell *sh, const pid_t *pids, size_t count, pid_t group,
                  const char *command, bool background, struct job **ret_job)
{
    struct jobs *jobs = sh->jobs;
    struct job *job = job_new(sh, pids, count, command);
    if (!job)
        return shell_fail_memory(sh, sizeof *job);
    if (background)
        drop_foreign(jobs, true);
    job->group = jobs_control(sh) ? group > 0 ? group : pids[0] : -1;
    if (job->group >= 0 && jobs->heads && !background)
        job->group = getpgid(pids[0]);
    job->background = background;
    link_first(jobs, job);
    if (!map_processes(jobs, job)) {
        job_forget(sh, job);
        return shell_fail_memory(sh, 0);
    }
    if (background) {
        jobs->running_count++;
        job_list(sh, job);
    }
    for (size_t i = 0; i < STRAY_MAX; i++) {
        if (jobs->strays[i].pid > 0 && job_of_pid(sh, jobs->strays[i].pid) == job) {
            jobs_note(sh, jobs->strays[i].pid, jobs->strays[i].wait_status);
            jobs->strays[i].pid = 0;
        }
    }
    if (background) {
        jobs_poll(sh);
        forget_old(sh);
    } else if (jobs->left_count > 0) {
        jobs_poll(sh);
    }
    *ret_job = job;
    return FLOW_NEXT;
}

bool job_absorb(struct shell *sh, struct job *into, struct job *job)
{
    struct jobs *jobs = sh->jobs;
    struct job_process *all =
        mem_alloc_zeroed(jobs->region, (into->count + job->count) * sizeof *all);
    if (!all)
        return false;
    memcpy(all, into->processes, into->count * sizeof *all);
    memcpy(all + into->count, job->processes, job->count * sizeof *all);
    unmap_processes(jobs, into);
    unmap_processes(jobs, job);
    if (into->processes != &into->first)
        mem_free(into->processes);
    into->processes = all;
    into->count += job->count;
    job->count = 0;
    job_forget(sh, job);
    (void)map_processes(jobs, into); /* there was room for them a moment ago */
    return true;
}

void job_leave(struct shell *sh, struct job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        sh->jobs->left_count += !job->processes[i].ended;
    job_forget(sh, job);
}

static void restore_last_background(struct shell *sh, void *a, uintptr_t stamp)
{
    sh->last_background = (pid_t)(intptr_t)a;
    sh->background_stamp = stamp;
}

enum flow job_add_substitution(struct shell *sh, pid_t pid)
{
    struct jobs *jobs = sh->jobs;
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct job *job;

    jobs_poll(sh);
    for (struct job *other = jobs->first, *next; other; other = next) {
        next = other->next;
        if (other->substitution && other->state == JOB_DONE && !other->waited)
            job_forget(sh, other);
    }
    TRY(job_add(sh, &pid, 1, -1, "", false, &job));
    job->substitution = true;
    job->group = -1;
    jobs->substitutions += job->state != JOB_DONE;
    if (target && frame_should_record(target, sh->background_stamp)) {
        TRY(frame_record_call(sh, target, restore_last_background,
                              (void *)(intptr_t)sh->last_background, sh->background_stamp));
        sh->background_stamp = target->id;
    }
    sh->last_background = pid;
    return FLOW_NEXT;
}

/* ---- what happened to processes ------------------------------------------------------------- */

static void process_note(struct job_process *process, int wait_status)
{
    process->wait_status = wait_status;
    process->stopped = WIFSTOPPED(wait_status);
    process->ended = WIFEXITED(wait_status) || WIFSIGNALED(wait_status);
}

static enum job_state state_of(const struct job *job)
{
    bool running = false, stopped = false;
    for (uint32_t i = 0; i < job->count; i++) {
        stopped |= job->processes[i].stopped;
        running |= !job->processes[i].ended && !job->processes[i].stopped;
    }
    return running ? JOB_RUNNING : stopped ? JOB_STOPPED : JOB_DONE;
}

/* The state of JOB after those of its processes changed. */
static void state_update(struct jobs *jobs, struct job *job)
{
    enum job_state state = state_of(job);
    if (state == job->state)
        return;
    if (job->background) {
        jobs->running_count += (state == JOB_RUNNING) - (job->state == JOB_RUNNING);
        jobs->done_count += state == JOB_DONE;
        if (state == JOB_DONE && jobs->ended_count < JOBS_ENDED_KEPT)
            jobs->ended[jobs->ended_count] =
                status_from_wait(job->processes[job->count - 1].wait_status);
        jobs->ended_count += state == JOB_DONE;
    } else if (job->substitution) {
        jobs->substitutions += (state == JOB_RUNNING) - (job->state == JOB_RUNNING);
    }
    job->state = state;
    job->notified = false;
}

void jobs_note_sent(struct shell *sh, pid_t pid, int signal)
{
    struct jobs *jobs = sh->jobs;
    if (signal != SIGCONT && signal != SIGKILL)
        return;
    for (struct job *job = jobs->first; job; job = job->next) {
        if (job->state != JOB_STOPPED)
            continue;
        for (uint32_t i = 0; i < job->count; i++) {
            if (job->processes[i].pid == pid || (pid < 0 && job->group == -pid))
                job->processes[i].stopped = false;
        }
        state_update(jobs, job);
    }
}

void jobs_note(struct shell *sh, pid_t pid, int wait_status)
{
    struct jobs *jobs = sh->jobs;
    struct job *job = map_get(&jobs->pids, (const char *)&pid, sizeof pid);
    if (!job) {
        jobs->left_count -= jobs->left_count > 0 && !WIFSTOPPED(wait_status);
        jobs->strays[jobs->stray_next++ % STRAY_MAX] = (struct stray){ pid, wait_status };
        return;
    }
    for (uint32_t i = 0; i < job->count; i++) {
        if (job->processes[i].pid == pid)
            process_note(&job->processes[i], wait_status);
    }
    enum job_state before = job->state;
    state_update(jobs, job);
    if (job->state == JOB_DONE && before != JOB_DONE && pid == jobs->coproc_pid)
        coproc_close_write(sh); /* nobody reads it; what it wrote can still be read */
}

/* What waitpid is to tell of: what stops and goes on only with job control. */
static int wait_flags(const struct shell *sh)
{
    return option_on(sh, OPTION_MONITOR) ? WUNTRACED | WCONTINUED : 0;
}

bool jobs_await(struct shell *sh)
{
    int wait_status;
    pid_t pid = waitpid(-1, &wait_status, wait_flags(sh));
    if (pid > 0)
        jobs_note(sh, pid, wait_status);
    else if (errno == ECHILD)
        sh->jobs->left_count = 0;
    return pid > 0 || errno != ECHILD;
}

bool jobs_poll(struct shell *sh)
{
    int wait_status;
    int flags = WNOHANG | wait_flags(sh);
    pid_t pid;
    while ((pid = waitpid(-1, &wait_status, flags)) > 0)
        jobs_note(sh, pid, wait_status);
    bool any = pid == 0 || errno != ECHILD;
    if (!any)
        sh->jobs->left_count = 0;
    return any;
}

void jobs_refresh(struct shell *sh)
{
    if (sh->jobs->first)
        jobs_poll(sh);
}

size_t jobs_ended_count(const struct shell *sh)
{
    return sh->jobs->ended_count;
}

size_t jobs_ended_take(struct shell *sh, int statuses[static JOBS_ENDED_KEPT])
{
    size_t count = sh->jobs->ended_count;
    for (size_t i = 0; i < count && i < JOBS_ENDED_KEPT; i++)
        statuses[i] = sh->jobs->ended[i];
    sh->jobs->ended_count = 0;
    return count;
}

int status_from_wait(int wait_status)
{
    if (WIFSIGNALED(wait_status))
        return 256 + WTERMSIG(wait_status);
    if (WIFSTOPPED(wait_status))
        return 256 + WSTOPSIG(wait_status);
    return WEXITSTATUS(wait_status);
}

int job_status(struct shell *sh, const struct job *job)
{
    int status = status_from_wait(job->processes[job->count - 1].wait_status);
    for (uint32_t i = job->count; option_on(sh, OPTION_PIPEFAIL) && status == 0 && i-- > 0;)
        status = status_from_wait(job->processes[i].wait_status);
    return job->negate ? !status : status;
}

/* ---- finding -------------------------------------------------------------------------------- */

struct job *job_first(struct shell *sh)
{
    return sh->jobs->first;
}

static struct job *next_listed(struct job *job, bool stopped_only)
{
    while (job && (!job_is_listed(job) || (stopped_only && job->state != JOB_STOPPED)))
        job = job->next;
    return job;
}

struct job *job_current(struct shell *sh)
{
    struct job *stopped = next_listed(sh->jobs->first, true);
    return stopped ? stopped : next_listed(sh->jobs->first, false);
}

struct job *job_previous(struct shell *sh)
{
    struct job *current = job_current(sh);
    if (!current)
        return NULL;
    struct job *stopped = current->state == JOB_STOPPED ? next_listed(current->next, true) : NULL;
    struct job *job = stopped ? stopped : next_listed(sh->jobs->first, false);
    return job == current ? next_listed(current->next, false) : job;
}

struct job *job_of_pid(struct shell *sh, pid_t pid)
{
    return map_get(&sh->jobs->pids, (const char *)&pid, sizeof pid);
}

static bool command_matches(const struct job *job, const char *text, bool anywhere)
{
    return anywhere ? strstr(job->command, text) != NULL
                    : strncmp(job->command, text, strlen(text)) == 0;
}

struct job *job_find(struct shell *sh, const char *spec)
{
    char *end;
    jobs_refresh(sh);
    if (*spec != '%') {
        long pid = strtol(spec, &end, 10);
        return *spec && !*end && pid > 0 ? job_of_pid(sh, (pid_t)pid) : NULL;
    }
    spec++;
    if (!*spec || strcmp(spec, "%") == 0 || strcmp(spec, "+") == 0)
        return job_current(sh);
    if (strcmp(spec, "-") == 0)
        return job_previous(sh);
    unsigned long number = strtoul(spec, &end, 10);
    bool is_number = !*end;
    bool anywhere = *spec == '?';
    struct job *found = NULL;
    for (struct job *job = next_listed(sh->jobs->first, false); job;
         job = next_listed(job->next, false)) {
        if (!(is_number ? job->number == number : command_matches(job, spec + anywhere, anywhere)))
            continue;
        if (found)
            return NULL; /* ambiguous */
        found = job;
    }
    return found;
}
