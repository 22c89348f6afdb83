/*
 * Views: see view.h.
 *
 * Owns sh->view. Moving always starts from the innermost call, so that going back is the same steps
 * in reverse: a ksh function's locals make place for its caller's, one call at a time.
 */
#include "shell/state/view.h"

#include "shell/state/scope.h"

struct frame *view_call(struct frame *frame)
{
    while (frame && frame->kind != FRAME_FUNC && frame->kind != FRAME_DOT)
        frame = frame->outer;
    return frame;
}

unsigned view_depth(struct frame *frame)
{
    unsigned depth = 0;
    for (frame = view_call(frame); frame; frame = view_call(frame->outer))
        depth++;
    return depth;
}

void view_open(struct shell *sh, struct view *view, uint32_t line)
{
    struct frame *call = view_call(sh->frame);
    unsigned depth = view_depth(call);
    *view = (struct view){ .innermost = call,
                           .at = call,
                           .params = sh->params,
                           .depth = depth,
                           .level = depth,
                           .line = line,
                           .at_line = line };
    sh->view = view;
}

/* Back from the call around FRAME, through all calls, to the innermost one. */
static void step_back(struct shell *sh, struct frame *frame, unsigned level)
{
    if (level > sh->view->level + 1)
        step_back(sh, view_call(frame->outer), level - 1);
    if (frame->kind == FRAME_FUNC)
        scope_unpeel(sh, frame);
}

static void go_back(struct shell *sh)
{
    struct view *view = sh->view;
    if (view->level == view->depth)
        return;
    step_back(sh, view->innermost, view->depth);
    view->at = view->innermost;
    view->level = view->depth;
    view->at_line = view->line;
    sh->params = view->params;
}

void view_close(struct shell *sh)
{
    go_back(sh);
    sh->view = NULL;
}

enum flow view_set(struct shell *sh, int64_t level)
{
    struct view *view = sh->view;
    if (!view || level < 0 || level > view->depth)
        return shell_fail(sh, ERROR_ASSIGN, 1, ".sh.level",
                          view ? "no such level" : "is read only");
    uint32_t line = view->line;
    go_back(sh);
    while (view->level > level) {
        struct frame *frame = view->at;
        if (frame->kind == FRAME_FUNC)
            scope_peel(sh, frame);
        sh->params = frame->params;
        line = frame->line;
        view->at = view_call(frame->outer);
        view->level--;
    }
    view->at_line = line;
    return FLOW_NEXT;
}
