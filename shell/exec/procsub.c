/*
 * Process substitution: <(list) and >(list) as /dev/fd/N.
 *
 * The pipe's end becomes a descriptor of the script, passed to commands under its number, and lives
 * until the command whose words it stands in has ended (exec_process_subs_end). The process is
 * nobody's job.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"

static void child_run(struct shell *sh, const struct process_sub *sub, int other)
{
    close(other);
    if (sh->frame->subshell)
        sh->frame->subshell->is_process = true;
    sh->subshell_level++;
    sh->loop_depth = 0;
    exec_child_exit(sh, exec_list_last(sh, sub->body));
}

/* The descriptors of substitutions in use, newest last. */
static enum flow remember(struct shell *sh, int fd)
{
    if (sh->process_sub_count >= sizeof sh->process_subs / sizeof *sh->process_subs)
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "too many process substitutions at a time");
    sh->process_subs[sh->process_sub_count++] = fd;
    return FLOW_NEXT;
}

void exec_process_subs_end(struct shell *sh, uint32_t count)
{
    while (sh->process_sub_count > count)
        (void)!fdtab_close(sh, NULL, sh->process_subs[--sh->process_sub_count]);
}

enum flow exec_process_sub(struct shell *sh, const struct process_sub *sub, struct str *ret)
{
    int fds[2];
    pid_t pid;
    if (sys_pipe(fds) != 0)
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "cannot make a pipe: %s", strerror(errno));
    int mine = fds[sub->output], its = fds[!sub->output];
    struct spawn_plan plan = { .in = -1, .out = -1, .group = -1, .aside = true };
    *(sub->output ? &plan.in : &plan.out) = its;
    enum flow flow = spawn_fork(sh, &plan, &pid);
    if (flow == FLOW_NEXT && pid == 0)
        child_run(sh, sub, mine);
    close(its);
    if (flow != FLOW_NEXT) {
        close(mine);
        return flow;
    }
    job_leave_process(sh, pid);
    int fd = fdtab_free_fd(sh);
    if (fd < 0) {
        close(mine);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL,
                          "no free descriptor for a process substitution");
    }
    TRY(fdtab_install(sh, NULL, fd, mine));
    TRY(remember(sh, fd));
    str_printf(ret, "/dev/fd/%d", fd);
    return FLOW_NEXT;
}
