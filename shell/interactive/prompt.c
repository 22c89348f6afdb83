/*
 * PS1 and PS2.
 *
 * A prompt is a text that is expanded anew each time. The editor has to know how many columns it
 * takes, so the sequences in it that a terminal obeys (ESC [ ... letter, ESC ] ... BEL, ESC and one
 * byte, other controls) are marked; users need not do that by hand. What goes wrong in an expansion
 * must never keep the prompt away. libedit knows one row; those above it are shown before it draws.
 */
#include "shell/interactive/prompt.h"

#include <string.h>

#include "shell/base/utf8.h"
#include "shell/state/history.h"
#include "shell/state/var.h"

/* The length of the sequence at P, which is a control byte. */
static size_t sequence_len(const char *p, const char *end)
{
    const char *start = p++;
    if (*start != '\033' || p == end)
        return 1;
    if (*p == '[') {
        for (p++; p < end && (unsigned char)*p < 0x40;)
            p++;
        return (size_t)((p < end ? p + 1 : end) - start);
    }
    if (*p == ']') {
        while (p < end && *p != '\a' && !(*p == '\\' && p[-1] == '\033'))
            p++;
        return (size_t)((p < end ? p + 1 : end) - start);
    }
    return 2;
}

/* How many bytes of sequences, one after the other, begin at P. */
static size_t sequences_len(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && (unsigned char)*p < ' ' && *p != '\t')
        p += sequence_len(p, end);
    return (size_t)(p - start);
}

/* The length of the character that ends at END. */
static size_t last_len(const char *start, const char *end)
{
    const char *p = end;
    if (p > start)
        p--;
    while (utf8_active && p > start && ((unsigned char)*p & 0xC0) == 0x80)
        p--;
    return (size_t)(end - p);
}

size_t prompt_escape(const char *text, size_t len, struct str *ret, struct str *ret_last)
{
    const char *end = text + len, *row = memrchr(text, '\n', len), *visible = NULL;
    size_t visible_at = 0; /* in RET, the last visible byte and the sequences before it */
    row = row ? row + 1 : text;
    str_clear(ret);
    str_clear(ret_last);
    for (const char *p = row; p < end;) {
        size_t step = sequences_len(p, end);
        bool is_last = p + step == end;
        if (step && is_last && visible) { /* libedit puts nothing behind the last character */
            size_t one = last_len(row, visible + 1);
            bool fits = utf8_active && utf8_columns(visible + 1 - one, one) == 1;
            str_truncate(ret, visible_at + 1 - one);
            if (fits) {
                str_append(ret_last, visible + 1 - one, one);
                str_append(ret_last, p, step);
                str_append_z(ret, PROMPT_LAST);
            } else {
                str_printf(ret, "%c%.*s%c", PROMPT_ESCAPE, (int)step, p, PROMPT_ESCAPE);
                str_append(ret, visible + 1 - one, one);
            }
        } else if (step && !is_last) {
            str_printf(ret, "%c%.*s%c", PROMPT_ESCAPE, (int)step, p, PROMPT_ESCAPE);
        } else if (!step) {
            visible = p;
            visible_at = ret->len;
            str_putc(ret, *p);
            step = 1;
        }
        p += step;
    }
    return (size_t)(row - text);
}

/* Was the variable chosen on purpose, outside? */
static bool is_exported(struct shell *sh, const char *text)
{
    const struct name *name = name_find(sh, text, strlen(text));
    return name && name->cur && (name->cur->attrs & VAR_EXPORT);
}

void prompt_make(struct shell *sh, const char *unfinished, struct str *ret)
{
    const char *raw = var_text(sh, unfinished ? "PS2" : "PS1");
    struct str text;
    str_init(&text, sh->heap);
    for (const char *p = raw ? raw : ""; *p; p++) {
        if (unfinished || *p != '!')
            str_putc(&text, *p);
        else if (p[1] == '!')
            str_putc(&text, *p++);
        else
            str_append_int(&text, history_next(sh));
    }
    const char *expanded = str_text(&text);
    size_t len = text.len;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    int status = sh->status;
    if (sh->hooks.expand_text(sh, expanded, len, &expanded, &len) != FLOW_NEXT) {
        shell_print_error(sh);
        expanded = str_text(&text);
        len = text.len;
    }
    sh->status = status;
    str_clear(ret);
    if (unfinished && raw && strcmp(raw, "> ") == 0 && !is_exported(sh, "PS2"))
        str_append_z(ret, unfinished);
    str_append(ret, expanded, len);
    mem_region_reset(sh->scratch, mark);
    str_release(&text);
}
