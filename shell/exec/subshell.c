/*
 * ( ): a subshell in this process.
 *
 * A SUBSHELL frame journals all that the body changes, and its pop undoes it. What the journal
 * cannot undo, and jobs, which belong to a process, make subshell_materialize fork: the child goes
 * on with the body and exits at the end of it, in subshell_finish, while the parent unwinds with
 * FLOW_FORKED and the child's status. In the test mode fork-subshells every subshell is a process
 * from the start.
 */
#include "shell/exec/exec.h"

#include <unistd.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"
#include "shell/syntax/unparse.h"

static const struct spawn_plan process_plan = { .in = -1, .out = -1 };
static const struct spawn_plan continue_plan = { .in = -1, .out = -1, .continues = true };

/* In the POSIX mode what BODY starts is to be the child of a process of the subshell, as signals
 * sent to $PPID tell; not so a single program, which such a process could have become itself. */
static bool wants_process(struct shell *sh, const struct list *body)
{
    if (body->count > 1 || body->items[0].node->kind != NODE_SIMPLE)
        return true;
    const struct node_simple *node = (const struct node_simple *)body->items[0].node;
    if (!node->arg_count || node->args[0].word->kind != WORD_LITERAL)
        return false;
    struct command command;
    command_resolve_cached(sh, node->args[0].word, &command);
    return command.kind != COMMAND_EXTERNAL;
}

enum flow subshell_enter(struct shell *sh, struct subshell *subshell, const struct list *body)
{
    bool process_wanted = false;
    if (__builtin_expect(option_on(sh, OPTION_POSIX), 0) && body) {
        process_wanted = wants_process(sh, body);
        if (!process_wanted) /* then what is around it has to be its parent */
            TRY(subshell_before_process(sh));
    }
    if (!shell_enter(sh)) {
        shell_leave(sh);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "subshells nested too deep");
    }
    subshell->options = sh->options;
    subshell->loop_depth = sh->loop_depth;
    subshell->command = sh->command;
    subshell->exec_last = sh->exec_last;
    sh->exec_last = false;
    sh->subshell_level++;
    frame_push(sh, &subshell->frame, FRAME_SUBSHELL);
    subshell->frame.process_wanted = process_wanted;
    return FLOW_NEXT;
}

void exec_exit_trap(struct shell *sh)
{
    /* What came while the last command ran is this shell's, and not that of the one around it. */
    if (__builtin_expect(sh->pending != 0, 0) && trap_run_pending(sh) == FLOW_ERROR)
        shell_print_error(sh);
    if (!trap_is_set(sh, TRAP_EXIT))
        return;
    int status = sh->status;
    enum flow flow = trap_run(sh, TRAP_EXIT);
    if (flow == FLOW_ERROR)
        shell_print_error(sh);
    if (flow != FLOW_EXIT && flow != FLOW_RETURN &&
        (flow != FLOW_ERROR || !option_on(sh, OPTION_POSIX)))
        sh->status = status;
}

enum flow subshell_finish(struct shell *sh, enum flow flow)
{
    if (flow == FLOW_FORKED) /* the child's status is in sh->status */
        return FLOW_NEXT;
    if (sh->frame->is_process)
        exec_child_exit(sh, flow);
    if (flow == FLOW_ERROR)
        shell_print_error(sh);
    if (!sh->frame->handed_over) /* else the process did it */
        exec_exit_trap(sh);
    if (!status_is_signal(sh->status))
        sh->status &= 0xff;
    /* runaway nesting ends as a whole, but no further than the outermost subshell */
    bool nested = sh->frame->outer->subshell != NULL;
    return flow == FLOW_ERROR && sh->err.kind == ERROR_LIMIT && nested ? FLOW_ERROR : FLOW_NEXT;
}

void subshell_leave(struct shell *sh, struct subshell *subshell)
{
    frame_pop(sh, &subshell->frame);
    sh->options = subshell->options;
    sh->loop_depth = subshell->loop_depth;
    sh->command = subshell->command;
    sh->exec_last = subshell->exec_last;
    sh->subshell_level--;
    traps_leave_subshell(sh);
    shell_leave(sh);
}

void exec_child_begin(struct shell *sh, bool counts)
{
    if (sh->frame->subshell)
        sh->frame->subshell->is_process = true;
    sh->subshell_level += counts;
    sh->loop_depth = 0;
}

_Noreturn void exec_child_exit(struct shell *sh, enum flow flow)
{
    if (flow == FLOW_ERROR)
        shell_print_error(sh);
    if (flow != FLOW_FORKED) /* else a process of its own ran it */
        exec_exit_trap(sh);
    if (!fdtab_flush(sh) && sh->status == 0)
        sh->status = 1;
    fdtab_input_sync(sh);
    mem_flush();
    _exit(status_exit_code(sh->status));
}

/* The same as a process: under job control, so that it can be stopped, and in the test mode
 * fork-subshells. */
static enum flow forked_run(struct shell *sh, const struct node_group *node)
{
    pid_t pid;
    TRY(spawn_fork(sh, &process_plan, &pid));
    if (pid == 0) {
        sh->subshell_level++;
        exec_child_exit(sh, exec_list(sh, node->body));
    }
    struct str command;
    str_init(&command, sh->heap);
    if (jobs_control(sh))
        unparse_summary(&command, &node->node, 200);
    enum flow flow = job_run(sh, pid, -1, str_text(&command));
    str_release(&command);
    return flow;
}

enum flow exec_subshell(struct shell *sh, const struct node_group *node)
{
    bool is_last = sh->exec_last;
    sh->exec_last = false;
    if (is_last && sh->is_child && exec_may_replace(sh)) {
        sh->subshell_level++; /* this process is the subshell: `( ) &` has the signals sent to $! */
        exec_child_exit(sh, exec_list_last(sh, node->body));
    }
    if (sh->debug_fork_subshells || jobs_control(sh))
        return forked_run(sh, node);
    struct subshell subshell;
    TRY(subshell_enter(sh, &subshell, node->body));
    enum flow flow = subshell_finish(sh, exec_list(sh, node->body));
    subshell_leave(sh, &subshell);
    return flow;
}

enum flow subshell_materialize(struct shell *sh)
{
    struct frame *frame = sh->frame->subshell;
    if (!frame || frame->is_process)
        return FLOW_NEXT;
    pid_t pid;
    fdtab_capture_poll(sh); /* what ${ } got so far goes with the child */
    TRY(spawn_fork(sh, &continue_plan, &pid));
    if (pid == 0) {
        frame->is_process = true;
        return FLOW_NEXT;
    }
    frame->handed_over = true;
    TRY(job_run(sh, pid, -1, "( )"));
    return FLOW_FORKED;
}
