/* Jobs: what runs in the background or in the foreground as processes; waiting. */
#ifndef SHELL_EXEC_JOBS_H
#define SHELL_EXEC_JOBS_H

#include <termios.h>

#include "shell/state/frame.h"
#include "shell/state/shell.h"

struct node;

enum job_state { JOB_RUNNING, JOB_STOPPED, JOB_DONE };
struct job_process {
    pid_t pid;
    int wait_status; /* raw, when ENDED or STOPPED */
    bool ended, stopped;
};
struct job {
    struct job *next, *prev; /* newest first */
    uint32_t number;         /* %N; 0 until listed */
    pid_t group;             /* -1: the shell's */
    enum job_state state;
    bool background, disowned, notified, is_coproc;
    bool reported;     /* the prompt told that it ended; kept only for `wait` to ask about */
    bool waited;       /* somebody waits for it now */
    bool substitution; /* a process substitution's: never listed or told of */
    bool inherited;    /* of the shell that this one was forked from: only shown and signalled */
    uint32_t count;
    struct job_process *processes; /* last one's status is the job's (pipefail: see job_status) */
    char *command;                 /* for listing; owned */
    int64_t start_ns;
    bool negate;
    bool has_modes;           /* it was stopped in the foreground, */
    struct termios modes;     /* where the terminal was so: fg makes it so again */
    struct job_process first; /* PROCESSES when there is only one */
};

struct jobs *jobs_new(struct mem_region *region);
void jobs_free(struct jobs *jobs);
void jobs_after_fork(struct shell *sh); /* in a child: these are not its children; it shows them
                                           until it has jobs of its own */

/* Job control is on here: -m, and this is the shell itself, no subshell. The first call of an
 * interactive shell makes it the leader of a process group of its own that has the terminal. */
bool jobs_control(struct shell *sh);
/* HEADS, of a pipeline whose last part the shell runs: what that starts in the foreground joins
 * their process group, which keeps the terminal. NULL: none. */
void jobs_join(struct shell *sh, struct job *heads);
/* That group, while it lives; else 0. */
pid_t jobs_joined(const struct shell *sh);
/* The terminal that is given to foreground jobs; -1: none. */
int jobs_terminal(struct shell *sh);
/* The terminal's foreground is the shell itself again: no process of the new group lives. */
void jobs_foreground(struct shell *sh);
/* The last part of a pipeline, which the shell runs itself, reads from FD: when that is a terminal
 * the shell has it from here on, and not the processes of the other parts. Returns the group to
 * give it back to in jobs_read_end; 0: nothing was done. */
pid_t jobs_read_begin(struct shell *sh, int fd);
void jobs_read_end(struct shell *sh, pid_t holder);
/* The shell is about to end or to become another program: what had the terminal before it gets it
 * back, and the shell is in that group again. The other one undoes this. */
void jobs_control_leave(struct shell *sh);
void jobs_control_return(struct shell *sh);

/* Makes a job of processes already started; owned by the table until waited for (foreground) or
 * reported (background). GROUP counts only under job control. A background job becomes the current
 * one. */
enum flow job_add(struct shell *sh, const pid_t *pids, size_t count, pid_t group,
                  const char *command, bool background, struct job **ret_job) NODISCARD;
/* Waits for a foreground job; sets sh->status (256+n for signals, as ksh93), handles stop,
 * pipefail, drains captures, takes the terminal back; the job dies when done. Without pipefail and
 * job control only the last process is waited for. */
enum flow job_wait_foreground(struct shell *sh, struct job *job) NODISCARD;
/* Waits for PID, for which there was no memory to make a job: it shall not run beside what comes
 * next. */
void job_missed(struct shell *sh, pid_t pid);
/* job_add and job_wait_foreground for one process, PID, just started; or job_missed. */
enum flow job_run(struct shell *sh, pid_t pid, pid_t group, const char *command) NODISCARD;
/* wait builtin: PID or job; *RET_STATUS; returns FLOW_NEXT also when interrupted by a trapped
 * signal (status 256+n). 127 unknown. The job is forgotten when done. */
enum flow job_wait_pid(struct shell *sh, pid_t pid, int *ret_status) NODISCARD;
enum flow job_wait_job(struct shell *sh, struct job *job, int *ret_status) NODISCARD;
/* All background jobs; sh->status 0, or 256+n when interrupted. */
enum flow job_wait_all(struct shell *sh) NODISCARD;
/* wait -n: the first of the COUNT JOBS to end, or with none given of all in the background; it is
 * forgotten. 127: there is none. */
enum flow job_wait_next(struct shell *sh, struct job *const *jobs, size_t count,
                        int *ret_status) NODISCARD;
/* Until fewer than LIMIT background jobs run (JOBMAX). */
enum flow job_wait_below(struct shell *sh, size_t limit) NODISCARD;
/* %N %+ %- %% %str %?str, or the process id of one, in its present state; NULL: none. */
struct job *job_find(struct shell *sh, const char *spec);
struct job *job_of_pid(struct shell *sh, pid_t pid);
struct job *job_first(
    struct shell *sh); /* newest; follow NEXT; skip those that are not BACKGROUND nor stopped */
struct job *job_current(struct shell *sh);
struct job *job_previous(struct shell *sh);
/* Does the table list JOB: in the background or stopped, and its end not shown yet? */
static inline bool job_is_listed(const struct job *job)
{
    return job->number > 0 && !job->disowned && !(job->state == JOB_DONE && job->notified);
}
/* Tells an interactive shell that is about to leave that jobs are stopped; true: it stays. Not
 * twice in a row. */
bool jobs_keep_shell(struct shell *sh);
/* The shell dies of SIGHUP: so do its jobs, but for those that were disowned. */
void jobs_hang_up(struct shell *sh);
/* Collects state changes without waiting (after SIGCHLD, before jobs/prompts). Are there children?
 */
bool jobs_poll(struct shell *sh);
/* The same when there are background jobs at all: before their state is told or acted upon. */
void jobs_refresh(struct shell *sh);
/* Background jobs that ended and for which the CHLD action did not run yet; _take: they are none
 * any more, STATUSES: how the first ones ended. */
enum { JOBS_ENDED_KEPT = 16 };
size_t jobs_ended_count(const struct shell *sh);
size_t jobs_ended_take(struct shell *sh, int statuses[static JOBS_ENDED_KEPT]);
/* Prints changes not yet reported (set -b, prompts); of done jobs only `wait` knows afterwards. */
void jobs_notify(struct shell *sh);
int job_status(struct shell *sh, const struct job *job); /* exit status of a done job */
enum flow job_continue(struct shell *sh, struct job *job, bool foreground) NODISCARD; /* fg bg */
/* SIGNAL was sent to PID (as for kill(2)). What was stopped and goes on, or dies, counts as running
 * from here on: the system tells only when it has come so far. */
void jobs_note_sent(struct shell *sh, pid_t pid, int signal);
/* Sends SIGNAL to PID, as kill(2); CONT follows TERM and HUP if it is a child that is stopped, or
 * STOPPED says so. 0 or an errno. */
int job_send(struct shell *sh, pid_t pid, int signal, bool stopped);
/* Sends SIGNAL to the job's processes (its group under job control); stopped ones are continued for
 * TERM and HUP. 0 or an errno. */
int job_kill(struct shell *sh, struct job *job, int signal);
void job_forget(struct shell *sh, struct job *job);
/* The shell does not wait for JOB's processes (the heads of a pipeline): they are reaped when they
 * end and never reported; JOB dies. */
void job_leave(struct shell *sh, struct job *job);
/* PID, the process of a process substitution, becomes $! and is known to `wait`, alone and as long
 * as it runs or no other comes after it. */
enum flow job_add_substitution(struct shell *sh, pid_t pid) NODISCARD;
int status_from_wait(int wait_status); /* exit code, or 256+signal */
/* One line as the jobs builtin prints it; FLAGS: 'l' pid, 'p' group only, 'n' changed only, 0. */
void job_print(struct shell *sh, const struct job *job, char flag, struct out *out);

/* The coprocess of |&: the script's descriptors to write to and read from it, -1 when none.
 * coproc.c */
enum flow coproc_start(struct shell *sh, const struct node *node) NODISCARD;
int coproc_read_fd(struct shell *sh);
int coproc_write_fd(struct shell *sh);
/* FD becomes the end for reading (or writing): <&p, >&p. With exec it is the coprocess's no longer.
 */
enum flow coproc_move(struct shell *sh, struct frame *target, int fd, bool reading) NODISCARD;
void coproc_close_write(struct shell *sh);
void coproc_close_read(struct shell *sh);

#endif
