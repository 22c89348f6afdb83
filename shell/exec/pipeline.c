/*
 * Pipelines: all parts but the last are processes, the last runs in this shell (as ksh does).
 *
 * A part that is a plain external command is started by vfork, a first one that only writes runs
 * here (writer.c), any other is a fork of the shell.
 * The shell waits for the last part, and for all of them under pipefail. An external last part is
 * started like the others, and joins their process group. set -e and ERR: the last part's own check
 * does for the pipeline, except when it was started as a process or pipefail chose another status.
 * After `!` nothing is checked.
 */
#include "shell/exec/exec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec_private.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"
#include "shell/syntax/unparse.h"

struct pipes {
    const struct node_pipeline *node;
    pid_t *pids;
    uint32_t started;
    pid_t group; /* of the first process; 0 before it */
    int in;      /* read end for the next part, or -1 */
    int written; /* status of a first part that ran here */
};

/* Starts PART as a process with PLAN; OTHER is the end of the pipe that only the shell keeps. */
static enum flow part_start(struct shell *sh, struct pipes *pipes, const struct node *part,
                            struct spawn_plan *plan, int other)
{
    pid_t pid = 0;
    enum flow flow = FLOW_NEXT;
    plan->group = pipes->group;
    if (part == pipes->node->parts[0] && !plan->err_to_out && !jobs_control(sh) &&
        writer_is_short(sh, part)) {
        TRY(writer_run(sh, part, plan, other, &pid, &pipes->written));
        if (!pid)
            return FLOW_NEXT;
        pipes->written = 0; /* the process tells */
    } else if (simple_is_plain_external(sh, (const struct node_simple *)part)) {
        flow = simple_spawn(sh, (const struct node_simple *)part, plan, &pid);
        if (flow == FLOW_ERROR && !sh->err.printed) /* only this part failed */
            shell_print_error(sh);
    }
    if (!pid) {
        enum flow failed = flow;
        TRY(spawn_fork(sh, plan, &pid));
        if (pid == 0) {
            if (other >= 0)
                close(other);
            if (failed != FLOW_NEXT)
                exec_child_exit(sh, FLOW_FORKED);
            exec_child_begin(sh, true);
            sh->last_redirs = part->redirs;
            exec_child_exit(sh, exec_node_last(sh, part));
        }
    }
    if (pipes->group == 0)
        pipes->group = pid;
    pipes->pids[pipes->started++] = pid;
    return FLOW_NEXT;
}

static enum flow heads_start(struct shell *sh, struct pipes *pipes)
{
    const struct node_pipeline *node = pipes->node;
    for (uint32_t i = 0; i + 1 < node->count; i++) {
        int fds[2];
        if (sys_pipe(fds) != 0)
            return shell_fail(sh, ERROR_LIMIT, 1, NULL, "cannot make a pipe: %s", strerror(errno));
        struct spawn_plan plan = { .in = pipes->in,
                                   .out = fds[1],
                                   .err_to_out = node->both && node->both[i] };
        enum flow flow = part_start(sh, pipes, node->parts[i], &plan, fds[0]);
        close(fds[1]);
        if (pipes->in >= 0)
            close(pipes->in);
        pipes->in = fds[0];
        TRY(flow);
    }
    return FLOW_NEXT;
}

static enum flow job_make(struct shell *sh, const struct pipes *pipes, struct job **ret_job)
{
    struct str command;
    str_init(&command, sh->heap);
    if (option_on(sh, OPTION_MONITOR))
        unparse_summary(&command, &pipes->node->node, 200);
    enum flow flow =
        job_add(sh, pipes->pids, pipes->started, option_on(sh, OPTION_MONITOR) ? pipes->group : -1,
                str_text(&command), false, ret_job);
    str_release(&command);
    return flow;
}

/* The last part as a process beside the others: wait for all of it. */
static enum flow last_spawned(struct shell *sh, struct pipes *pipes)
{
    struct spawn_plan plan = { .in = pipes->in, .out = -1 };
    enum flow flow = part_start(sh, pipes, pipes->node->parts[pipes->node->count - 1], &plan, -1);
    close(pipes->in);
    pipes->in = -1;
    TRY(flow);
    struct job *job;
    flow = job_make(sh, pipes, &job);
    if (flow != FLOW_NEXT) {
        job_missed(sh, pipes->pids[pipes->started - 1]);
        return flow;
    }
    TRY(job_wait_foreground(sh, job));
    if (!sh->status && option_on(sh, OPTION_PIPEFAIL))
        sh->status = pipes->written;
    return sh->status && !sh->condition_depth ? exec_failed(sh) : FLOW_NEXT;
}

/* The last part in this shell. */
static enum flow last_here(struct shell *sh, struct pipes *pipes)
{
    struct job *job = NULL;
    struct frame frame;
    if (pipes->started)
        TRY(job_make(sh, pipes, &job));
    frame_push(sh, &frame, FRAME_CMD);
    int in = pipes->in;
    pipes->in = -1;
    enum flow flow = fdtab_install(sh, &frame, 0, in);
    bool watched = sh->interactive && jobs_control(sh);
    struct job *outer = trap_watch_heads(sh, watched ? job : NULL);
    if (flow == FLOW_NEXT)
        flow = exec_node(sh, pipes->node->parts[pipes->node->count - 1]);
    (void)trap_watch_heads(sh, outer);
    frame_pop(sh, &frame);
    bool failed = flow == FLOW_ERROR && sh->err.kind != ERROR_LIMIT;
    if (failed) { /* as in any other part, the script goes on */
        shell_print_error(sh);
        flow = FLOW_NEXT;
    }
    int status = sh->status;
    /* With job control the heads hold the terminal until they end. */
    bool fails = option_on(sh, OPTION_PIPEFAIL);
    if (flow == FLOW_FORKED || (!fails && !jobs_control(sh))) {
        if (job)
            job_leave(sh, job);
        return failed && !sh->condition_depth ? exec_failed(sh) : flow;
    }
    if (flow == FLOW_EXIT && trap_is_dying(sh)) /* the heads are hung up then */
        return flow;
    enum flow waited = job ? job_wait_foreground(sh, job) : FLOW_NEXT;
    int head_status = job && sh->status ? sh->status : pipes->written;
    if (!fails || flow == FLOW_EXIT || flow == FLOW_RETURN)
        head_status = 0;
    sh->status = status ? status : head_status;
    if (flow != FLOW_NEXT || waited != FLOW_NEXT)
        return flow != FLOW_NEXT ? flow : waited;
    failed |= !status && head_status;
    return failed && !sh->condition_depth ? exec_failed(sh) : FLOW_NEXT;
}

/* The last part in the place of this process, which then is the last command of the background
 * job: what $! is to be. */
static _Noreturn void last_replaces(struct shell *sh, struct pipes *pipes)
{
    enum flow flow = fdtab_install(sh, NULL, STDIN_FILENO, pipes->in);
    if (flow == FLOW_NEXT)
        flow = exec_node_last(sh, pipes->node->parts[pipes->node->count - 1]);
    exec_child_exit(sh, flow);
}

/* IS_LAST: the pipeline is all that this process has still to do. */
static enum flow pipes_run(struct shell *sh, const struct node_pipeline *node, bool is_last)
{
    TRY(subshell_before_process(sh));
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct pipes pipes = { .node = node, .in = -1, .group = jobs_joined(sh) };
    pipes.pids = scratch_alloc(sh, node->count * sizeof *pipes.pids);
    if (!pipes.pids)
        return shell_fail_memory(sh, node->count * sizeof *pipes.pids);
    enum flow flow = heads_start(sh, &pipes);
    const struct node *last = node->parts[node->count - 1];
    if (flow == FLOW_NEXT) {
        if (is_last && sh->is_child && !option_on(sh, OPTION_PIPEFAIL) && exec_may_replace(sh))
            last_replaces(sh, &pipes);
        if (simple_is_plain_external(sh, (const struct node_simple *)last))
            flow = last_spawned(sh, &pipes);
        else
            flow = last_here(sh, &pipes);
    }
    if (pipes.in >= 0)
        close(pipes.in);
    mem_region_reset(sh->scratch, mark);
    return flow;
}

enum flow exec_pipeline(struct shell *sh, const struct node_pipeline *node)
{
    bool is_last = sh->exec_last;
    sh->exec_last = false;
    if (!node->negate)
        return pipes_run(sh, node, is_last);
    sh->condition_depth++;
    enum flow flow = node->count > 1 ? pipes_run(sh, node, false) : exec_node(sh, node->parts[0]);
    sh->condition_depth--;
    if (flow == FLOW_NEXT)
        sh->status = !sh->status;
    return flow;
}
