/*
 * What is drawn of a command that is longer than the screen: as much of it, around the cursor, as
 * the screen holds.
 *
 * libedit draws the whole line, of which the end stays on the screen, wherever the cursor is; and
 * the time for each key grows with the line. So its drawing functions are led here by the linker:
 * while they draw, the line begins and ends where the part does. Nothing else of libedit knows of
 * parts, so every key acts on the whole line. Where libedit is a dynamic library it calls its own
 * functions and draws as it does.
 *
 * A part that does not begin with the line has PANE_MARK for its prompt.
 */
#include <string.h>
#include <wctype.h>

#include "shell/interactive/edit_private.h"

void __wrap_re_refresh(EditLine *el);
void __wrap_re_refresh_cursor(EditLine *el);
void __wrap_re_fastaddc(EditLine *el);
void __wrap_c_insert(EditLine *el, int count);
/* weak: only calls that were led here come back to them */
__attribute__((weak)) void __real_re_refresh(EditLine *el);
__attribute__((weak)) void __real_re_refresh_cursor(EditLine *el);
__attribute__((weak)) void __real_re_fastaddc(EditLine *el);
__attribute__((weak)) void __real_c_insert(EditLine *el, int count);

/* The screen as libedit takes it to be, and where the next character goes. */
struct screen {
    size_t rows, width;
    size_t row, column;
};

static struct screen screen_of(EditLine *el)
{
    int rows = 0, width = 0;
    el_get(el, EL_GETTC, "li", &rows);
    el_get(el, EL_GETTC, "co", &width);
    return (struct screen){ .rows = rows > 0 ? (size_t)rows : 1,
                            .width = width > 1 ? (size_t)width : 2 };
}

/* How many columns libedit gives C. */
static size_t columns_of(wchar_t c)
{
    if (c >= L' ' && c < 0x7f)
        return 1;
    if (c < 0x100 && iswcntrl((wint_t)c))
        return 2; /* ^A */
    if (!iswprint((wint_t)c))
        return c > 0xffff ? 8 : 7; /* \U+1234 */
    int columns = wcwidth(c);
    return columns > 0 ? (size_t)columns : 0;
}

static void screen_put(struct screen *s, wchar_t c)
{
    if (c == L'\n') {
        s->row++;
        s->column = 0;
        return;
    }
    size_t columns = columns_of(c);
    if (c == L'\t') {
        columns = 8 - s->column % 8;
        columns = columns < s->width - s->column ? columns : s->width - s->column;
    } else if (columns == 2 && s->column + 1 == s->width) {
        s->row++;
        s->column = 0;
    }
    s->column += columns;
    while (s->column >= s->width) {
        s->column -= s->width;
        s->row++;
    }
}

/* Where a part that begins with the line, or PART, starts. */
static void screen_start(struct screen *s, const struct edit *edit, bool part)
{
    size_t columns = part ? pane_mark_columns(s->rows) : edit->prompt_columns;
    s->row = columns / s->width;
    s->column = columns % s->width;
    if (s->row >= s->rows) /* libedit keeps the end of a prompt */
        s->row = s->rows - 1;
}

/* The end of what the screen holds of TEXT, of COUNT characters, from START on. */
static size_t part_end(struct screen s, const struct edit *edit, const wchar_t *text, size_t start,
                       size_t count)
{
    screen_start(&s, edit, start > 0);
    for (size_t i = start; i < count; i++) {
        screen_put(&s, text[i]);
        if (s.row >= s.rows)
            return i;
    }
    return count;
}

/* The start of the row that is BACK rows above that of the character at CURSOR. */
static size_t row_start(struct screen s, const wchar_t *text, size_t cursor, size_t back)
{
    size_t from = cursor, newlines = 0, rows = 0;
    while (from > 0 && cursor - from < s.rows * s.width && newlines <= s.rows)
        newlines += text[--from] == L'\n';
    s.row = s.column = 0;
    for (size_t i = from; i < cursor; i++)
        screen_put(&s, text[i]);
    rows = s.row;
    s.row = s.column = 0;
    for (size_t i = from; i < cursor; i++) {
        if (s.row + back >= rows)
            return i;
        screen_put(&s, text[i]);
    }
    return back > 0 ? from : cursor;
}

/* Chooses the part; false: it is the whole line. */
static bool pane_choose(struct edit *edit, EditLine *el, struct pane *pane)
{
    const LineInfoW *line = el_wline(el);
    const wchar_t *text = line->buffer;
    struct screen s = screen_of(el);
    size_t count = (size_t)(line->lastchar - text), cursor = (size_t)(line->cursor - text);
    pane->end = part_end(s, edit, text, 0, count);
    if (pane->end == count) {
        pane->start = 0;
        return false;
    }
    if (pane->start > 0)
        pane->end = part_end(s, edit, text, pane->start < count ? pane->start : count, count);
    if (cursor <= pane->start && pane->start > 0)
        pane->start = row_start(s, text, cursor, (s.rows - 1) / 2);
    else if (cursor >= pane->end && pane->end < count)
        pane->start = row_start(s, text, cursor, s.rows > 2 ? s.rows - 2 : 0);
    else
        return true;
    pane->end = part_end(s, edit, text, pane->start, count);
    while (cursor >= pane->end && pane->end < count && pane->start < cursor) { /* a small screen */
        pane->start += (cursor - pane->start + 1) / 2;
        pane->end = part_end(s, edit, text, pane->start, count);
    }
    return true;
}

/* Draws with DRAW, which sees no more than PANE of the line. */
static void pane_draw(EditLine *el, const struct pane *pane, void (*draw)(EditLine *))
{
    LineInfoW *line = edit_line(el);
    const wchar_t *buffer = line->buffer, *last = line->lastchar, *cursor = line->cursor;
    line->buffer = buffer + pane->start;
    line->lastchar = buffer + pane->end;
    draw(el);
    line->buffer = buffer;
    if (line->lastchar != last)
        line->cursor = cursor; /* it was not to be moved to the end that was not one */
    line->lastchar = last;
}

void __wrap_re_refresh(EditLine *el)
{
    struct edit *edit = edit_of(el);
    if (edit && pane_choose(edit, el, &edit->pane))
        pane_draw(el, &edit->pane, __real_re_refresh);
    else
        __real_re_refresh(el);
}

/* The cursor moved. */
void __wrap_re_refresh_cursor(EditLine *el)
{
    struct edit *edit = edit_of(el);
    size_t before = edit->pane.start;
    bool part = pane_choose(edit, el, &edit->pane);
    if (edit->pane.start != before)
        __wrap_re_refresh(el);
    else if (part)
        pane_draw(el, &edit->pane, __real_re_refresh_cursor);
    else
        __real_re_refresh_cursor(el);
}

/* A character was typed; in a line that fits libedit need not draw all of it. */
void __wrap_re_fastaddc(EditLine *el)
{
    struct edit *edit = edit_of(el);
    size_t before = edit->pane.start;
    if (pane_choose(edit, el, &edit->pane) || before > 0)
        __wrap_re_refresh(el);
    else
        __real_re_fastaddc(el);
}

void pane_leave(EditLine *el)
{
    struct edit *edit = edit_of(el);
    LineInfoW *line = edit_line(el);
    const wchar_t *cursor = line->cursor;
    if (!__real_re_refresh_cursor)
        return;
    (void)pane_choose(edit, el, &edit->pane);
    line->cursor = line->buffer + edit->pane.end;
    pane_draw(el, &edit->pane, __real_re_refresh_cursor);
    line->cursor = cursor;
}

/* Makes room for COUNT characters at the cursor: libedit moves what is behind it one by one. */
void __wrap_c_insert(EditLine *el, int count)
{
    LineInfoW *line = edit_line(el);
    size_t behind = (size_t)(line->lastchar - line->cursor);
    const wchar_t *end = line->lastchar;
    line->cursor = end; /* now nothing is */
    __real_c_insert(el, count);
    bool grown = line->lastchar != end; /* of a buffer that may be another */
    wchar_t *cursor = (wchar_t *)(uintptr_t)line->lastchar - (grown ? count : 0) - behind;
    if (grown)
        memmove(cursor + count, cursor, behind * sizeof(wchar_t));
    line->cursor = cursor;
}
