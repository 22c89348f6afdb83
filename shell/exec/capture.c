/*
 * Command substitution: $(list), `list`, ${ list;}, ${| list;} and $(<file), all in this process.
 *
 * Descriptor 1 is a memory sink while the body runs; processes it starts write to a pipe that is
 * appended to the sink. $( ) runs in a SUBSHELL frame, ${ } in the current environment with only
 * descriptor 1 journaled. The sink lives in the heap, because commands of the body reset scratch.
 * NUL bytes are dropped and trailing newlines cut before the text goes to the caller.
 * sh->capture_count tells an assignment that its status comes from here.
 */
#include "shell/exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec_private.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"
#include "shell/state/method.h"

/* Moves SINK to RET as a substitution's result. */
static enum flow result_append(struct shell *sh, struct str *sink, struct str *ret)
{
    size_t len = sink->len;
    if (sink->failed)
        return shell_fail_memory(sh, len);
    const char *text = str_text(sink);
    while (len && text[len - 1] == '\n')
        len--;
    const char *nul = memchr(text, '\0', len);
    while (nul) {
        str_append(ret, text, (size_t)(nul - text));
        len -= (size_t)(nul - text) + 1;
        text = nul + 1;
        nul = memchr(text, '\0', len);
    }
    str_append(ret, text, len);
    /* what followed the last NUL may have been newlines only */
    while (ret->len && text != str_text(sink) && ret->data[ret->len - 1] == '\n')
        str_truncate(ret, ret->len - 1);
    return ret->failed ? shell_fail_memory(sh, len) : FLOW_NEXT;
}

/* $(<file) */
static enum flow file_read(struct shell *sh, const struct word *word, struct str *sink)
{
    const char *path;
    size_t len;
    TRY(expand_target(sh, word, &path, &len));
    int fd = sys_open(path, O_RDONLY, 0);
    if (fd < 0)
        return shell_fail(sh, ERROR_REDIRECT, 1, path, "cannot open [%s]", strerror(errno));
    sh->status = 0;
    for (;;) {
        if (!str_reserve(sink, 65536))
            break;
        ssize_t got = sys_read(fd, sink->data + sink->len, sink->cap - sink->len - 1);
        if (got < 0 && errno == EINTR && !trap_pending_end(sh))
            continue;
        if (got <= 0)
            break;
        sink->len += (size_t)got;
        sink->data[sink->len] = '\0';
    }
    close(fd);
    return FLOW_NEXT;
}

static enum flow file_capture(struct shell *sh, const struct word *word, struct str *sink)
{
    enum flow flow = file_read(sh, word, sink);
    if (flow == FLOW_ERROR && sh->err.kind == ERROR_REDIRECT)
        flow = exec_consequence(sh, false);
    return flow;
}

/* $( ) in a virtual subshell. */
static enum flow subshell_capture(struct shell *sh, const struct list *body, struct str *sink)
{
    struct subshell subshell;
    TRY(subshell_enter(sh, &subshell, body));
    enum flow flow = fdtab_capture(sh, &subshell.frame, sink);
    if (flow == FLOW_NEXT)
        flow = exec_list(sh, body);
    flow = subshell_finish(sh, flow);
    fdtab_capture_drain(sh, trap_pending_end);
    subshell_leave(sh, &subshell);
    return flow;
}

/* $( ) as a process: test mode fork-subshells. */
static enum flow forked_capture(struct shell *sh, const struct list *body, struct str *sink)
{
    int fds[2];
    if (sys_pipe(fds) != 0)
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "cannot make a pipe: %s", strerror(errno));
    struct spawn_plan plan = { .in = -1, .out = fds[1] };
    pid_t pid = 0;
    enum flow flow = spawn_fork(sh, &plan, &pid);
    if (flow == FLOW_NEXT && pid == 0) {
        close(fds[0]);
        sh->subshell_level++;
        exec_child_exit(sh, exec_list(sh, body));
    }
    close(fds[1]);
    while (flow == FLOW_NEXT && str_reserve(sink, 65536)) {
        ssize_t got = sys_read(fds[0], sink->data + sink->len, sink->cap - sink->len - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        sink->len += (size_t)got;
        sink->data[sink->len] = '\0';
    }
    close(fds[0]);
    if (flow != FLOW_NEXT)
        return flow;
    return job_run(sh, pid, -1, "$( )");
}

/* `return`, `exit` and errors leave ${ } and nothing around it, as in ksh93; but not under set -e.
 * Runaway nesting ends as a whole. */
static enum flow shared_end(struct shell *sh, enum flow flow)
{
    if (flow == FLOW_RETURN)
        return FLOW_NEXT;
    if (option_on(sh, OPTION_ERREXIT))
        return flow;
    if (flow == FLOW_ERROR && sh->err.kind != ERROR_LIMIT) {
        shell_print_error(sh);
        return FLOW_NEXT;
    }
    return flow == FLOW_EXIT ? FLOW_NEXT : flow;
}

/* ${ list;}: only descriptor 1 is journaled. */
static enum flow shared_capture(struct shell *sh, const struct list *body, struct str *sink)
{
    struct frame frame;
    bool exec_last = sh->exec_last;
    const struct node *command = sh->command;
    if (!shell_enter(sh)) {
        shell_leave(sh);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "command substitutions nested too deep");
    }
    sh->exec_last = false;
    sh->subshell_level++; /* as in ksh93, though it is none */
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = fdtab_capture(sh, &frame, sink);
    if (flow == FLOW_NEXT)
        flow = shared_end(sh, exec_list(sh, body));
    fdtab_capture_drain(sh, trap_pending_end);
    frame_pop(sh, &frame);
    sh->subshell_level--;
    sh->exec_last = exec_last;
    sh->command = command;
    shell_leave(sh);
    return flow;
}

/* ${| list;}: the result is REPLY, which is local to it. */
static enum flow value_capture(struct shell *sh, const struct list *body, struct str *ret)
{
    struct frame frame;
    struct name *reply = name_intern(sh, "REPLY", 5);
    if (!reply)
        return shell_fail_memory(sh, 0);
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = var_set_name(sh, reply, "", 0, ASSIGN_TEMP);
    if (flow == FLOW_NEXT)
        flow = shared_end(sh, exec_list(sh, body));
    const char *text = NULL;
    size_t len = 0;
    if (flow == FLOW_NEXT)
        flow = var_get_name(sh, reply, &text, &len);
    if (flow == FLOW_NEXT && text)
        str_append(ret, text, len);
    frame_pop(sh, &frame);
    return flow;
}

enum flow exec_capture(struct shell *sh, const struct command_sub *sub, struct str *ret)
{
    uint32_t line = sh->line;
    struct members *compound = sh->compound;
    sh->compound = NULL;
    struct str sink;
    str_init(&sink, sh->heap);
    enum flow flow = FLOW_NEXT;
    sh->stats.captures++;
    sh->stats.subshells += sub->body && !sub->shared && !sub->value;
    if (sub->value) {
        flow = value_capture(sh, sub->body, ret);
    } else if (sub->read_file) {
        flow = file_capture(sh, sub->read_file, &sink);
    } else if (!sub->body) {
        sh->status = 0;
    } else if (sub->shared) {
        flow = shared_capture(sh, sub->body, &sink);
    } else if (sh->debug_fork_subshells) {
        flow = forked_capture(sh, sub->body, &sink);
    } else {
        flow = subshell_capture(sh, sub->body, &sink);
    }
    if (flow == FLOW_NEXT)
        flow = result_append(sh, &sink, ret);
    str_release(&sink);
    sh->capture_count++;
    sh->compound = compound;
    sh->line = line;
    return flow;
}

enum flow exec_capture_method(struct shell *sh, const char *command, struct str *ret)
{
    const char *const argv[] = { command, NULL };
    struct members *compound = sh->compound;
    struct frame frame;
    struct str sink;
    bool done = false;
    str_init(&sink, sh->heap);
    sh->compound = NULL;
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = fdtab_capture(sh, &frame, &sink);
    if (flow == FLOW_NEXT)
        flow = method_command(sh, 1, argv, &done);
    fdtab_capture_drain(sh, trap_pending_end);
    frame_pop(sh, &frame);
    if (flow == FLOW_NEXT)
        flow = result_append(sh, &sink, ret);
    str_release(&sink);
    sh->compound = compound;
    return flow;
}
