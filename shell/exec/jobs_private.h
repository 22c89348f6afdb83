/* Between jobs.c (the table), jobs_wait.c (waiting), jobs_show.c (listing, fg, bg) and coproc.c. */
#ifndef SHELL_EXEC_JOBS_PRIVATE_H
#define SHELL_EXEC_JOBS_PRIVATE_H

#include <termios.h>

#include "shell/base/map.h"
#include "shell/exec/jobs.h"

/* A process that was reaped before its job was added (while later parts of a pipeline were still
 * being started). */
struct stray {
    pid_t pid;
    int wait_status;
};
enum { STRAY_MAX = 64 };

struct jobs {
    struct mem_region *region;
    struct job *first, *last;       /* newest first */
    struct map pids;                /* bytes of a pid_t -> struct job */
    size_t left_count;              /* processes that nobody waits for, perhaps not reaped yet */
    size_t done_count;              /* finished background jobs whose status is kept */
    size_t ended_count;             /* background jobs that ended since the CHLD action last ran */
    int ended[JOBS_ENDED_KEPT];     /* how the first of them did */
    size_t running_count;           /* background jobs that run */
    size_t substitutions;           /* process substitutions that run */
    uint32_t highest;               /* number in use */
    struct stray strays[STRAY_MAX]; /* a ring */
    uint32_t stray_next;
    bool control_tried;
    int terminal;         /* close-on-exec; -1: none */
    pid_t group;          /* the shell's own */
    struct job *heads;    /* of a pipeline whose last part the shell runs; NULL: none */
    pid_t group_before;   /* the one it left for that, which had the terminal; 0: none */
    struct termios modes; /* of the terminal when the shell last had it */
    /* coprocess: descriptors of the script, -1 */
    int coproc_read, coproc_write;
    pid_t coproc_pid; /* of the one that the descriptors lead to */
};

/* Notes that PID changed its state. */
void jobs_note(struct shell *sh, pid_t pid, int wait_status);
/* Blocks until a child changes its state, and notes it. False: there are no children. */
bool jobs_await(struct shell *sh);
/* JOB becomes the current one and gets a number. */
void job_list(struct shell *sh, struct job *job);
/* The user knows that JOB ended: it loses its number, only `wait` still finds it. */
void job_reported(struct shell *sh, struct job *job);
/* The processes of JOB, which is none any more, are those of INTO. False: no memory. */
bool job_absorb(struct shell *sh, struct job *into, struct job *job);
void jobs_take_terminal(struct shell *sh, struct job *job);

#endif
