/*
 * The coprocess of `cmd |&`: a background job whose input and output are pipes to this shell.
 *
 * Owns the two descriptors, which are the script's (hidden from commands), so that print -p and
 * read -p use the descriptor table like everything else. exec 3>&p moves them: the
 * coprocess's end is then the script's to close.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/background.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs_private.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"

int coproc_read_fd(struct shell *sh)
{
    return sh->jobs->coproc_read;
}

int coproc_write_fd(struct shell *sh)
{
    jobs_refresh(sh); /* nobody may be left who reads it */
    return sh->jobs->coproc_write;
}

static void end_close(struct shell *sh, int *fd)
{
    if (*fd >= 0)
        (void)!fdtab_close(sh, NULL, *fd);
    *fd = -1;
}

void coproc_close_write(struct shell *sh)
{
    end_close(sh, &sh->jobs->coproc_write);
}

void coproc_close_read(struct shell *sh)
{
    end_close(sh, &sh->jobs->coproc_read);
}

enum flow coproc_move(struct shell *sh, struct frame *target, int fd, bool reading)
{
    jobs_refresh(sh);
    int *end = reading ? &sh->jobs->coproc_read : &sh->jobs->coproc_write;
    if (*end < 0 || !fdtab_is_open(sh, *end))
        return shell_fail(sh, ERROR_REDIRECT, 1, "p", "no coprocess");
    TRY(fdtab_dup(sh, target, fd, *end));
    if (!target || target->kind != FRAME_CMD) /* for good, by exec */
        end_close(sh, end);
    return FLOW_NEXT;
}

/* REAL becomes a descriptor of the script that commands do not see. */
static enum flow end_install(struct shell *sh, int real, int *ret_fd)
{
    int fd = fdtab_free_fd(sh);
    if (fd < 0) {
        close(real);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "no free descriptor for the coprocess");
    }
    TRY(fdtab_install(sh, NULL, fd, real));
    fdtab_hide(sh, fd);
    *ret_fd = fd;
    return FLOW_NEXT;
}

static void pipe_close(int fds[2])
{
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

/* One that ended, and was perhaps waited for, is no longer in the way of the next. */
static bool is_running(struct shell *sh)
{
    jobs_poll(sh);
    const struct job *job = job_first(sh);
    while (job && (!job->is_coproc || job->state == JOB_DONE))
        job = job->next;
    return job != NULL;
}

enum flow coproc_start(struct shell *sh, const struct node *node)
{
    struct jobs *jobs = sh->jobs;
    int to[2] = { -1, -1 }, from[2] = { -1, -1 };
    pid_t pid = 0;
    if (jobs->coproc_write >= 0 && is_running(sh))
        return shell_fail(sh, ERROR_LIMIT, 1, NULL,
                          "coprocess is running; cannot create a new coprocess");
    coproc_close_write(sh);
    coproc_close_read(sh);
    if (sys_pipe(to) != 0 || sys_pipe(from) != 0) {
        int error = errno;
        pipe_close(to);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "cannot make a pipe: %s", strerror(error));
    }
    struct spawn_plan plan = { .in = to[0], .out = from[1], .group = -1, .background = true };
    enum flow flow = spawn_fork(sh, &plan, &pid);
    if (flow == FLOW_NEXT && pid == 0) {
        close(to[1]);
        close(from[0]);
        background_child(sh, node);
    }
    close(to[0]);
    close(from[1]);
    if (flow == FLOW_NEXT)
        flow = end_install(sh, to[1], &jobs->coproc_write);
    else
        close(to[1]);
    if (flow == FLOW_NEXT)
        flow = end_install(sh, from[0], &jobs->coproc_read);
    else
        close(from[0]);
    TRY(flow);
    struct job *job;
    jobs->coproc_pid = pid; /* which may end before the job is made */
    TRY(background_job(sh, node, pid, &job));
    job->is_coproc = true;
    return FLOW_NEXT;
}
