/*
 * Process substitution: <(list) and >(list) as /dev/fd/N.
 *
 * The pipe's end becomes a descriptor of the script, passed to commands under its number, and lives
 * until the command whose words it stands in has ended (exec_process_subs_end). The process is
 * no job that is listed, but $!, and known to `wait`.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"

/* Room to remember one more. */
static enum flow reserve(struct shell *sh)
{
    if (sh->process_sub_count < sh->process_sub_cap)
        return FLOW_NEXT;
    uint32_t cap = sh->process_sub_cap ? sh->process_sub_cap * 2 : 8;
    int *fds = mem_resize(sh->heap, sh->process_subs, cap * sizeof *fds);
    if (!fds)
        return shell_fail_memory(sh, cap * sizeof *fds);
    sh->process_subs = fds;
    sh->process_sub_cap = cap;
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
    TRY(reserve(sh));
    if (sys_pipe(fds) != 0)
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "cannot make a pipe: %s", strerror(errno));
    int mine = fds[sub->output], its = fds[!sub->output];
    struct spawn_plan plan = { .in = -1, .out = -1, .group = -1, .aside = true };
    *(sub->output ? &plan.in : &plan.out) = its;
    enum flow flow = spawn_fork(sh, &plan, &pid);
    if (flow == FLOW_NEXT && pid == 0) {
        close(mine);
        exec_child_begin(sh, true);
        exec_child_exit(sh, exec_list_last(sh, sub->body));
    }
    close(its);
    if (flow != FLOW_NEXT) {
        close(mine);
        return flow;
    }
    flow = job_add_substitution(sh, pid);
    int fd = flow == FLOW_NEXT ? fdtab_free_fd(sh) : -1;
    if (flow != FLOW_NEXT) {
        close(mine);
        return flow;
    }
    if (fd < 0) {
        close(mine);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL,
                          "no free descriptor for a process substitution");
    }
    TRY(fdtab_install(sh, NULL, fd, mine));
    sh->process_subs[sh->process_sub_count++] = fd;
    str_printf(ret, "/dev/fd/%d", fd);
    return FLOW_NEXT;
}
