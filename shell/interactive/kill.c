/*
 * Deleting, and bringing back what was deleted, in lines of any length.
 *
 * libedit copies and moves characters one by one, and before most deletions it copies the whole
 * line for vi's undo, in its emacs mode too, where nothing asks for it. The linker leads its
 * functions here: they do the same with as few copies as can be. Where vi's undo is to bring back a
 * line of which only a start is left, the line itself becomes what is kept for it.
 *
 * What was deleted stays where libedit keeps it, so its other functions find it there. Where
 * libedit is a dynamic library it calls its own functions.
 */
#include <string.h>

#include "shell/interactive/edit_private.h"

typedef unsigned char key_function(EditLine *el, wint_t key);

/* libedit's own; weak: where it is dynamic they are not to be had, and nothing comes here. */
#define WEAK __attribute__((weak))
WEAK void cv_undo(EditLine *el); /* led to __wrap_cv_undo */
WEAK void cv_yank(EditLine *el, const wchar_t *text, int count);
WEAK key_function em_set_mark, vi_paste_prev, vi_undo;
WEAK void __real_cv_undo(EditLine *el);
WEAK key_function __real_em_exchange_mark, __real_vi_change_meta, __real_vi_change_to_eol,
    __real_vi_delete_meta, __real_vi_substitute_line;

void __wrap_cv_undo(EditLine *el);
void __wrap_c_delafter(EditLine *el, int count);
void __wrap_c_delafter1(EditLine *el);
void __wrap_c_delbefore(EditLine *el, int count);
void __wrap_c_delbefore1(EditLine *el);
void __wrap_el_deletestr(EditLine *el, int count);
key_function __wrap_ed_kill_line, __wrap_em_copy_region, __wrap_em_exchange_mark,
    __wrap_em_kill_line, __wrap_em_kill_region, __wrap_em_yank, __wrap_vi_change_meta,
    __wrap_vi_change_to_eol, __wrap_vi_delete_meta, __wrap_vi_kill_line_prev,
    __wrap_vi_substitute_line;

/* ---- what libedit's functions delete with --------------------------------------------------- */

/* Keeps the line for vi's undo: what follows may leave a start of it only (cut_run). */
void __wrap_cv_undo(EditLine *el)
{
    struct edit *edit = edit_of(el);
    LineInfoW *line = edit_line(el), whole = *line;
    if (!keys_are_vi(el))
        return;
    if (edit->cutting == CUT_WANTED) { /* all but the line itself is kept now */
        line->cursor = line->lastchar = line->buffer;
        edit->cutting = CUT_KEPT;
    }
    __real_cv_undo(el);
    *line = whole;
}

/* Closes the gap of COUNT characters at AT; the cursor is the caller's. */
static void close_gap(LineInfoW *line, const wchar_t *at, size_t count)
{
    size_t behind = (size_t)(line->lastchar - at) - count + 1; /* with what ends the line */
    memmove((wchar_t *)(uintptr_t)at, at + count, behind * sizeof(wchar_t));
    line->lastchar -= count;
}

void __wrap_c_delafter(EditLine *el, int count)
{
    LineInfoW *line = edit_line(el);
    if (count > line->lastchar - line->cursor)
        count = (int)(line->lastchar - line->cursor);
    cv_undo(el);
    cv_yank(el, line->cursor, count);
    close_gap(line, line->cursor, (size_t)count);
}

void __wrap_c_delbefore(EditLine *el, int count)
{
    LineInfoW *line = edit_line(el);
    if (count > line->cursor - line->buffer)
        count = (int)(line->cursor - line->buffer);
    cv_undo(el);
    cv_yank(el, line->cursor - count, count);
    close_gap(line, line->cursor - count, (size_t)count);
}

void __wrap_c_delafter1(EditLine *el)
{
    LineInfoW *line = edit_line(el);
    close_gap(line, line->cursor, 1);
}

void __wrap_c_delbefore1(EditLine *el)
{
    LineInfoW *line = edit_line(el);
    close_gap(line, line->cursor - 1, 1);
}

/* What the shell takes out of the line to put something else there was not deleted by the user. */
void __wrap_el_deletestr(EditLine *el, int count)
{
    LineInfoW *line = edit_line(el);
    if (count <= 0 || count > line->cursor - line->buffer)
        return;
    cv_undo(el);
    line->cursor -= count;
    close_gap(line, line->cursor, (size_t)count);
}

/* ---- the line, or its end ------------------------------------------------------------------- */

/* Runs RUN, which leaves a start of the line, if it changes it. If it keeps the line for undo, the
 * buffers of both change places, and only that start is copied. */
static unsigned char cut_run(EditLine *el, wint_t key, key_function *run)
{
    struct edit *edit = edit_of(el);
    LineInfoW *line = edit_line(el), whole = *line;
    if (edit->cutting != CUT_NONE) /* called by a function that came here itself */
        return run(el, key);
    edit->cutting = CUT_WANTED;
    unsigned char action = run(el, key);
    bool kept = edit->cutting == CUT_KEPT;
    edit->cutting = CUT_NONE;
    if (!kept)
        return action;
    size_t left = (size_t)(line->lastchar - line->buffer);
    *line = whole;
    vi_undo(el, 0);
    memcpy((wchar_t *)(uintptr_t)line->buffer, whole.buffer, left * sizeof(wchar_t));
    line->cursor = line->lastchar = line->buffer + left;
    em_set_mark(el, 0); /* it was in the other buffer */
    return action;
}

/* Deletes from the cursor on; what called this may have kept that already. */
static unsigned char kill_from_cursor(EditLine *el, wint_t key)
{
    LineInfoW *line = edit_line(el);
    (void)key;
    if (edit_of(el)->cutting != CUT_KEPT) {
        cv_undo(el);
        cv_yank(el, line->cursor, (int)(line->lastchar - line->cursor));
    }
    line->lastchar = line->cursor;
    return CC_REFRESH;
}

static unsigned char kill_all(EditLine *el, wint_t key)
{
    LineInfoW *line = edit_line(el);
    (void)key;
    if (edit_of(el)->cutting != CUT_KEPT) {
        cv_undo(el);
        cv_yank(el, line->buffer, (int)(line->lastchar - line->buffer));
    }
    line->cursor = line->lastchar = line->buffer;
    return CC_REFRESH;
}

unsigned char __wrap_ed_kill_line(EditLine *el, wint_t key)
{
    return cut_run(el, key, kill_from_cursor);
}

unsigned char __wrap_em_kill_line(EditLine *el, wint_t key)
{
    return cut_run(el, key, kill_all);
}

unsigned char __wrap_vi_kill_line_prev(EditLine *el, wint_t key)
{
    LineInfoW *line = edit_line(el);
    if (line->cursor == line->lastchar)
        return cut_run(el, key, kill_all);
    __wrap_c_delbefore(el, (int)(line->cursor - line->buffer));
    line->cursor = line->buffer;
    return CC_REFRESH;
}

unsigned char __wrap_vi_change_to_eol(EditLine *el, wint_t key)
{
    return cut_run(el, key, __real_vi_change_to_eol);
}

unsigned char __wrap_vi_substitute_line(EditLine *el, wint_t key)
{
    return cut_run(el, key, __real_vi_substitute_line);
}

/* dd: the first d changes nothing. */
unsigned char __wrap_vi_delete_meta(EditLine *el, wint_t key)
{
    return cut_run(el, key, __real_vi_delete_meta);
}

unsigned char __wrap_vi_change_meta(EditLine *el, wint_t key)
{
    return cut_run(el, key, __real_vi_change_meta);
}

/* ---- emacs' region, and what comes back ----------------------------------------------------- */

/* The mark stays where it was in the buffer when the line before it goes. */
unsigned char __wrap_em_exchange_mark(EditLine *el, wint_t key)
{
    LineInfoW *line = edit_line(el);
    unsigned char action = __real_em_exchange_mark(el, key);
    if (line->cursor > line->lastchar)
        line->cursor = line->lastchar;
    return action;
}

/* Keeps what lies between the mark and the cursor, and deletes it if DELETE. */
static void region_take(EditLine *el, bool delete)
{
    LineInfoW *line = edit_line(el);
    const wchar_t *cursor = line->cursor;
    __wrap_em_exchange_mark(el, 0);
    const wchar_t *mark = line->cursor, *from = mark < cursor ? mark : cursor;
    size_t count = (size_t)(mark < cursor ? cursor - mark : mark - cursor);
    line->cursor = cursor;
    if (delete)
        cv_undo(el);
    cv_yank(el, from, (int)count);
    if (delete) {
        close_gap(line, from, count);
        mark = cursor = from;
    }
    line->cursor = mark;
    em_set_mark(el, 0);
    line->cursor = cursor;
}

unsigned char __wrap_em_kill_region(EditLine *el, wint_t key)
{
    (void)key;
    region_take(el, true);
    return CC_REFRESH;
}

unsigned char __wrap_em_copy_region(EditLine *el, wint_t key)
{
    (void)key;
    region_take(el, false);
    return CC_NORM;
}

unsigned char __wrap_em_yank(EditLine *el, wint_t key)
{
    LineInfoW *line = edit_line(el);
    ptrdiff_t behind = line->lastchar - line->cursor;
    em_set_mark(el, key);
    if (vi_paste_prev(el, key) != CC_REFRESH) /* there is nothing */
        return CC_NORM;
    line->cursor = line->lastchar - behind;
    return CC_REFRESH;
}
