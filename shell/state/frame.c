/*
 * Frames and the journal: pushing, popping, and the records in between.
 *
 * Owns the list of undo records of each frame. Invariants: ids only grow, so "saved by this frame
 * or by one inside it" is one comparison of a stamp with an id; records are in the order of the
 * changes, newest first, and a record exists before its change is made. Rolling back neither fails
 * nor allocates.
 *
 * What a record means is known only to the module that made it (undo.def). The scoping of ksh
 * functions, hiding the caller's locals, is in scope.c and is called from here.
 */
#include "shell/state/frame.h"

#include "shell/base/diag.h"
#include "shell/state/scope.h"
#include "shell/state/undo.h"
#include "shell/state/var_private.h"

struct undo {
    struct undo *next; /* older */
    enum undo_kind kind;
    _Alignas(16) char payload[];
};

static void call_rollback(struct shell *sh, struct undo_call *call)
{
    call->undo(sh, call->a, call->b);
}

/* What the callback would have put back is not known here: it stays as it is. */
static void call_discard(struct shell *sh, struct undo_call *call)
{
    (void)sh;
    (void)call;
}

static const size_t payload_bytes[UNDO_KIND_COUNT] = {
#define UNDO(id, type, rollback, discard) [UNDO_##id] = sizeof(type),
#include "shell/state/undo.def"
#undef UNDO
};

static void undo_apply(struct shell *sh, struct undo *undo)
{
    switch (undo->kind) {
#define UNDO(id, type, rollback, discard)                                                          \
    case UNDO_##id:                                                                                \
        rollback(sh, (void *)(undo->payload));                                                     \
        break;
#include "shell/state/undo.def"
#undef UNDO
    case UNDO_KIND_COUNT:
        break;
    }
}

static void undo_discard(struct shell *sh, struct undo *undo)
{
    switch (undo->kind) {
#define UNDO(id, type, rollback, discard)                                                          \
    case UNDO_##id:                                                                                \
        discard(sh, (void *)(undo->payload));                                                      \
        break;
#include "shell/state/undo.def"
#undef UNDO
    case UNDO_KIND_COUNT:
        break;
    }
}

static void undo_free(struct shell *sh, struct undo *undo)
{
    mem_free_sized(sh->nodes, undo, sizeof *undo + payload_bytes[undo->kind]);
}

void *undo_push(struct shell *sh, struct frame *frame, enum undo_kind kind)
{
    struct undo *undo = mem_alloc(sh->nodes, sizeof *undo + payload_bytes[kind]);
    if (!undo)
        return NULL;
    undo->kind = kind;
    undo->next = frame->undo;
    frame->undo = undo;
    return undo->payload;
}

void *undo_newest(struct frame *frame)
{
    return frame->undo->payload;
}

void undo_drop(struct shell *sh, struct frame *frame)
{
    struct undo *undo = frame->undo;
    frame->undo = undo->next;
    undo_free(sh, undo);
}

/* $_ of what is around a subshell. Where there is no memory to keep it, it will be empty. */
static void last_argument_save(const struct shell *sh, struct frame *frame)
{
    const struct str *last = &sh->last_argument;
    frame->last_len = last->len;
    frame->last_long = NULL;
    if (last->len <= sizeof frame->last_short)
        text_move_short(frame->last_short, str_text(last), last->len);
    else if (!(frame->last_long = text_dup_n(sh->heap, last->data, last->len)))
        frame->last_len = 0;
}

static void last_argument_restore(struct shell *sh, struct frame *frame)
{
    struct str *last = &sh->last_argument;
    if (!frame->last_long && frame->last_len < last->cap) {
        text_move_short(last->data, frame->last_short, frame->last_len);
        last->data[last->len = frame->last_len] = '\0';
        return;
    }
    str_clear(last);
    str_append(last, frame->last_long ? frame->last_long : frame->last_short, frame->last_len);
    if (frame->last_long)
        mem_free(frame->last_long);
}

void frame_push(struct shell *sh, struct frame *frame, enum frame_kind kind)
{
    struct frame *outer = sh->frame;
    frame->outer = outer;
    frame->id = ++sh->frame_id;
    frame->kind = kind;
    frame->is_process = false;
    frame->is_call = false;
    frame->process_wanted = frame->handed_over = false;
    frame->undo = NULL;
    frame->locals = NULL;
    frame->function_name = outer ? outer->function_name : NULL;
    frame->file = sh->file;
    frame->line = sh->line;
    frame->params = sh->params;
    frame->subshell = kind == FRAME_SUBSHELL ? frame : outer ? outer->subshell : NULL;
    frame->func = kind == FRAME_FUNC ? frame : outer ? outer->func : NULL;
    sh->frame = frame;
    frame->own_getopts = kind == FRAME_FUNC || kind == FRAME_SUBSHELL;
    if (frame->own_getopts)
        frame->getopts = sh->getopts;
    if (kind == FRAME_SUBSHELL)
        last_argument_save(sh, frame);
    if (kind == FRAME_FUNC)
        sh->getopts = (struct getopts_state){ .index = 1 };
    if (kind == FRAME_FUNC && outer && outer->func)
        scope_hide(sh, outer->func, frame);
}

void frame_pop(struct shell *sh, struct frame *frame)
{
    ASSERT(sh->frame == frame);
    while (frame->undo) {
        /* Unlinked first: what an undo callback records by mistake must not be freed twice. */
        struct undo *undo = frame->undo;
        frame->undo = undo->next;
        undo_apply(sh, undo);
        undo_free(sh, undo);
    }
    struct frame *outer = frame->outer;
    if (frame->kind == FRAME_FUNC && outer && outer->func)
        scope_show(sh, outer->func, frame);
    if (frame->own_getopts)
        sh->getopts = frame->getopts;
    if (frame->kind == FRAME_SUBSHELL)
        last_argument_restore(sh, frame);
    sh->frame = outer;
    sh->file = frame->file;
    sh->line = frame->line;
}

void frame_keep(struct shell *sh, struct frame *frame)
{
    while (frame->undo) {
        struct undo *undo = frame->undo;
        frame->undo = undo->next;
        undo_discard(sh, undo);
        undo_free(sh, undo);
    }
}

struct frame *frame_target(struct shell *sh, enum frame_target target)
{
    struct frame *frame = sh->frame;
    switch (target) {
    case TARGET_GLOBAL:
        return frame->subshell;
    case TARGET_LOCAL:
        if (frame->func && (!frame->subshell || frame->func->id > frame->subshell->id))
            return frame->func;
        return frame->subshell;
    case TARGET_CMD:
        /* A function body is a new place: the CMD frame of its call is not for its own commands. */
        while (frame && frame->kind != FRAME_CMD)
            frame = frame->outer;
        return frame ? frame : sh->frame->subshell;
    }
    return NULL;
}

enum flow frame_record_call(struct shell *sh, struct frame *frame,
                            void (*undo)(struct shell *sh, void *a, uintptr_t b), void *a,
                            uintptr_t b)
{
    if (!frame)
        return FLOW_NEXT;
    struct undo_call *call = undo_push(sh, frame, UNDO_CALL);
    if (!call)
        return shell_fail_memory(sh, sizeof *call);
    *call = (struct undo_call){ .undo = undo, .a = a, .b = b };
    return FLOW_NEXT;
}
