/*
 * `while <file; do list; done`: a turn for each line of the file, as in ksh93.
 *
 * The line is in REPLY and its fields are the positional parameters; standard input of the list is
 * /dev/null. The file is read through a descriptor that no process inherits. What stands behind the
 * last newline is not read. The POSIX mode has no such loop.
 */
#include "shell/exec/filescan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shell/base/sys.h"
#include "shell/exec/exec_private.h"
#include "shell/exec/redir.h"
#include "shell/expand/split.h"
#include "shell/state/fdtab.h"
#include "shell/state/param.h"

const struct redir *filescan_source(const struct shell *sh, const struct node_while *node)
{
    const struct list *list = node->condition;
    if (node->until || !list || list->count != 1 || list->items[0].end != END_SEQ ||
        list->items[0].node->kind != NODE_SIMPLE || list->items[0].node->redir_count != 1 ||
        option_on(sh, OPTION_POSIX))
        return NULL;
    const struct node_simple *simple = (const struct node_simple *)list->items[0].node;
    const struct redir *redir = simple->node.redirs;
    bool is_dup = redir->op == REDIR_DUP_IN && redir->word->kind == WORD_LITERAL &&
                  strcmp(redir->word->text, "-") != 0;
    bool is_input = is_dup || redir->op == REDIR_IN || redir->op == REDIR_HERE_DOC ||
                    redir->op == REDIR_HERE_STRING;
    bool is_lone = !simple->arg_count && !simple->assign_count;
    return is_lone && is_input && redir->fd == STDIN_FILENO && !redir->var ? redir : NULL;
}

/* Opens what REDIR names at a descriptor of its own, *RET_FD, and /dev/null as standard input. */
static enum flow scan_open(struct shell *sh, struct frame *frame, const struct redir *redir,
                           int *ret_fd)
{
    TRY(redir_apply(sh, frame, redir, 1));
    int fd = fdtab_free_fd(sh);
    if (fd < 0)
        return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "no free descriptor: %s", strerror(errno));
    TRY(fdtab_dup(sh, frame, fd, STDIN_FILENO));
    fdtab_hide(sh, fd);
    int null = sys_open("/dev/null", O_RDONLY, 0);
    if (null < 0)
        return shell_fail(sh, ERROR_REDIRECT, 1, "/dev/null", "cannot open [%s]", strerror(errno));
    *ret_fd = fd;
    return fdtab_install(sh, frame, STDIN_FILENO, null);
}

/* The fields of LINE, copied to scratch. */
static enum flow line_fields(struct shell *sh, const char *line, size_t len, struct fields *fields)
{
    size_t pos = 0, start, end;
    fields_init(fields);
    while (split_next(sh->ifs, line, len, NULL, &pos, &start, &end)) {
        const char *copy = scratch_dup(sh, line + start, end - start);
        if (!copy)
            return shell_fail_memory(sh, end - start);
        TRY(fields_push(sh, fields, copy));
    }
    return FLOW_NEXT;
}

/* A turn with LINE. */
static enum flow scan_turn(struct shell *sh, const struct list *body, const char *line, size_t len)
{
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct fields fields;
    struct params params, *outer;
    struct name *reply = name_intern(sh, "REPLY", 5);
    if (!reply)
        return shell_fail_memory(sh, 0);
    enum flow flow = var_set_name(sh, reply, line, len, 0);
    if (flow == FLOW_NEXT)
        flow = line_fields(sh, line, len, &fields);
    if (flow == FLOW_NEXT) {
        param_enter(sh, &params, fields.count, fields.argv, &outer);
        flow = exec_list(sh, body);
        param_leave(sh, outer);
    }
    mem_region_reset(sh->scratch, mark);
    return flow;
}

static enum flow scan_lines(struct shell *sh, const struct list *body, int fd)
{
    enum flow flow = FLOW_NEXT;
    sh->status = 0;
    sh->loop_depth++;
    for (;;) {
        const char *line;
        size_t len;
        if (sh->pending && (flow = trap_run_pending(sh)) != FLOW_NEXT)
            break;
        struct input *in = fdtab_in(sh, fd);
        if (!in) /* the body closed it */
            break;
        int got = input_line(in, '\n', &line, &len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        flow = scan_turn(sh, body, line, len - 1);
        if (loop_ends(sh, &flow))
            break;
    }
    sh->loop_depth--;
    return flow;
}

enum flow exec_filescan(struct shell *sh, const struct node_while *node, const struct redir *redir)
{
    struct frame frame;
    int fd = -1;
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = scan_open(sh, &frame, redir, &fd);
    if (flow == FLOW_NEXT)
        flow = scan_lines(sh, node->body, fd);
    frame_pop(sh, &frame);
    if (flow == FLOW_NEXT) {
        int status = sh->status;
        flow = var_set_text(sh, "REPLY", "");
        sh->status = status;
    }
    return flow;
}
