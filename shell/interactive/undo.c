/*
 * Undo: the line as it was before each change.
 *
 * libedit remembers one state, and only in the manner of vi. Here every change between two keys is
 * one step; characters typed one after the other are one step up to the next blank. A line that
 * has grown very long is not remembered: each step is a copy.
 */
#include <limits.h>
#include <string.h>

#include "shell/interactive/edit_private.h"

enum { UNDO_CHARS = 16 << 10, UNDO_BYTES = 4 << 20 };

/* At the end of each step in STEPS. */
struct step {
    size_t count, cursor;
};

void undo_init(struct undo *undo, struct mem_region *region)
{
    *undo = (struct undo){ 0 };
    str_init(&undo->steps, region);
    str_init(&undo->now, region);
}

void undo_release(struct undo *undo)
{
    str_release(&undo->steps);
    str_release(&undo->now);
}

void undo_clear(struct undo *undo)
{
    str_clear(&undo->steps);
    str_clear(&undo->now);
    undo->now_cursor = 0;
    undo->typing = false;
}

/* Whether the change to LINE put in one character that goes with those before. */
static bool is_typed(const struct undo *undo, const LineInfoW *line, size_t count)
{
    size_t cursor = (size_t)(line->cursor - line->buffer);
    size_t before = undo->now.len / sizeof(wchar_t);
    return count == before + 1 && cursor == undo->now_cursor + 1 && line->cursor[-1] != L' ' &&
           (cursor == 1 ||
            memcmp(line->buffer, undo->now.data, undo->now_cursor * sizeof(wchar_t)) == 0);
}

static void push(struct undo *undo)
{
    struct step step = { undo->now.len / sizeof(wchar_t), undo->now_cursor };
    if (undo->steps.len > UNDO_BYTES)
        str_clear(&undo->steps);
    str_append(&undo->steps, undo->now.data, undo->now.len);
    str_append(&undo->steps, (const char *)&step, sizeof step);
    if (!str_ok(&undo->steps))
        str_clear(&undo->steps);
}

void undo_note(struct undo *undo, EditLine *edit)
{
    const LineInfoW *line = el_wline(edit);
    size_t count = (size_t)(line->lastchar - line->buffer), len = count * sizeof(wchar_t);
    if (count > UNDO_CHARS) {
        undo_clear(undo);
        return;
    }
    if (len != undo->now.len || (len && memcmp(line->buffer, undo->now.data, len) != 0)) {
        bool typed = is_typed(undo, line, count);
        if (!(typed && undo->typing))
            push(undo);
        undo->typing = typed;
        str_clear(&undo->now);
        str_append(&undo->now, (const char *)line->buffer, len);
    } else if ((size_t)(line->cursor - line->buffer) != undo->now_cursor) {
        undo->typing = false;
    }
    undo->now_cursor = (size_t)(line->cursor - line->buffer);
}

bool undo_back(struct undo *undo, EditLine *edit)
{
    struct step step;
    if (undo->steps.len < sizeof step)
        return false;
    size_t at = undo->steps.len - sizeof step;
    memcpy(&step, undo->steps.data + at, sizeof step);
    at -= step.count * sizeof(wchar_t);
    str_clear(&undo->now);
    str_append(&undo->now, undo->steps.data + at, step.count * sizeof(wchar_t));
    str_append(&undo->now, "\0\0\0", sizeof(wchar_t)); /* libedit wants an end */
    str_truncate(&undo->steps, at);
    if (!str_ok(&undo->now))
        return false;
    int len = el_cursor(edit, INT_MAX);
    el_deletestr(edit, len);
    if (step.count > 0)
        el_winsertstr(edit, (const wchar_t *)(const void *)undo->now.data);
    str_truncate(&undo->now, step.count * sizeof(wchar_t));
    el_cursor(edit, -(int)(step.count - step.cursor));
    undo->now_cursor = step.cursor;
    undo->typing = false;
    return true;
}
