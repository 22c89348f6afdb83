/* Jobs: what runs in the background or in the foreground as processes; waiting. */
#ifndef SHELL_EXEC_JOBS_H
#define SHELL_EXEC_JOBS_H

#include "shell/state/shell.h"

enum job_state { JOB_RUNNING, JOB_STOPPED, JOB_DONE };
struct job_process {
    pid_t pid;
    int wait_status; /* raw, when ENDED */
    bool ended, stopped;
};
struct job {
    struct job *next;
    uint32_t number;   /* %N; 0 until listed */
    pid_t group;
    enum job_state state;
    bool background, disowned, notified, is_coproc;
    uint32_t count;
    struct job_process *processes; /* last one's status is the job's (pipefail: see job_status) */
    char *command;     /* for listing; owned */
    int64_t start_ns;
    bool negate;
};

struct jobs *jobs_new(struct mem_region *region);
void jobs_free(struct jobs *jobs);
void jobs_after_fork(struct shell *sh); /* in a child: these are not its children */

/* Makes a job of processes already started; owned by the table until waited for (foreground) or reported (background). */
enum flow job_add(struct shell *sh, const pid_t *pids, size_t count, pid_t group, const char *command, bool background,
                  struct job **ret_job) NODISCARD;
/* Waits for a foreground job; sets sh->status (128+n for signals... as ksh93u+m: 256+n; COMPATIBILITY decides 128+n), handles stop, pipefail,
 * drains captures, takes the terminal back; frees the job when done. Interrupted by trapped signals only for `wait`. */
enum flow job_wait_foreground(struct shell *sh, struct job *job) NODISCARD;
/* wait builtin: PID or job; *RET_STATUS; returns FLOW_NEXT also when interrupted by a trapped signal (status 128+n). 127 unknown. */
enum flow job_wait_pid(struct shell *sh, pid_t pid, int *ret_status) NODISCARD;
enum flow job_wait_job(struct shell *sh, struct job *job, int *ret_status) NODISCARD;
enum flow job_wait_all(struct shell *sh) NODISCARD;
/* %N %+ %- %str %?str, number; NULL: none. */
struct job *job_find(struct shell *sh, const char *spec);
struct job *job_first(struct shell *sh);
struct job *job_current(struct shell *sh);
struct job *job_previous(struct shell *sh);
/* Collects state changes without waiting (after SIGCHLD, before jobs/prompts). */
void jobs_poll(struct shell *sh);
/* Prints changes not yet reported (set -b, prompts). */
void jobs_notify(struct shell *sh);
int job_status(struct shell *sh, const struct job *job); /* exit status of a done job */
enum flow job_continue(struct shell *sh, struct job *job, bool foreground) NODISCARD; /* fg bg */
void job_forget(struct shell *sh, struct job *job);
/* The shell does not wait for JOB's processes (the heads of a pipeline): they are reaped when they end and never reported; JOB dies. */
void job_leave(struct shell *sh, struct job *job);
int status_from_wait(int wait_status); /* exit code, or 128+signal */
/* One line as the jobs builtin prints it; FLAGS: 'l' pid, 'p' group only, 'n' changed only, 0. */
void job_print(struct shell *sh, const struct job *job, char flag, struct out *out);

/* The coprocess of |&: descriptors to write to and read from it, -1 when none. coproc.c */
enum flow coproc_start(struct shell *sh, const struct node *node) NODISCARD;
int coproc_read_fd(struct shell *sh);
int coproc_write_fd(struct shell *sh);
void coproc_close_write(struct shell *sh); /* exec p>&- and friends move them */
void coproc_close_read(struct shell *sh);

#endif
