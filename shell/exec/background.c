/*
 * Asynchronous lists: `cmd &` and, by coproc.c, `cmd |&`.
 *
 * A plain external command is started by vfork, anything else by a copy of the shell that runs it
 * as its last command, so that $! is the process a user means. In a virtual subshell jobs would be
 * the parent's: such a subshell becomes a process first. Without job control a background command
 * ignores INT and QUIT and reads from /dev/null, unless a command around it is redirected.
 */
#include "shell/exec/background.h"

#include <string.h>

#include "shell/exec/exec.h"
#include "shell/exec/exec_private.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"
#include "shell/syntax/unparse.h"

enum { SUMMARY_MAX = 200 };

void background_child(struct shell *sh, const struct node *node)
{
    exec_child_begin(sh, node->kind != NODE_SUBSHELL); /* else that counts */
    sh->last_redirs = node->redirs;
    exec_child_exit(sh, exec_node_last(sh, node));
}

enum flow background_job(struct shell *sh, const struct node *node, pid_t pid, struct job **ret_job)
{
    struct str command;
    str_init(&command, sh->heap);
    unparse_summary(&command, node, SUMMARY_MAX);
    enum flow flow = job_add(sh, &pid, 1, pid, str_text(&command), true, ret_job);
    str_release(&command);
    TRY(flow);
    sh->last_background = pid;
    sh->status = 0;
    if (sh->interactive && !sh->is_child) {
        struct out *out = fdtab_out(sh, 2);
        if (out) {
            out_printf(out, "[%u]\t%d\n", (unsigned)(*ret_job)->number, (int)pid);
            out_flush(out);
        }
    }
    return FLOW_NEXT;
}

/* JOBMAX: how many background jobs may run at a time; 0: any number. */
static enum flow wait_for_room(struct shell *sh)
{
    int64_t limit;
    const char *text = var_text(sh, "JOBMAX");
    if (!text || !num_parse_int(text, strlen(text), &limit) || limit <= 0)
        return FLOW_NEXT;
    return job_wait_below(sh, (size_t)limit);
}

enum flow exec_background(struct shell *sh, const struct node *node, bool coproc)
{
    TRY(subshell_materialize(sh));
    if (coproc)
        return coproc_start(sh, node);
    TRY(wait_for_room(sh));
    struct spawn_plan plan = { .in = -1, .out = -1, .group = -1, .background = true };
    pid_t pid = 0;
    if (simple_is_plain_external(sh, (const struct node_simple *)node)) {
        TRY(simple_spawn(sh, (const struct node_simple *)node, &plan, &pid));
    } else {
        TRY(spawn_fork(sh, &plan, &pid));
        if (pid == 0)
            background_child(sh, node);
    }
    struct job *job;
    return background_job(sh, node, pid, &job);
}
