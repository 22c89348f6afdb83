/*
 * PS1 and PS2.
 *
 * A prompt is a text that is expanded anew each time. The editor has to know how many columns it
 * takes, so the sequences in it that a terminal obeys (ESC [ ... letter, ESC ] ... BEL, ESC and one
 * byte, other controls) are marked; users need not do that by hand. What goes wrong in an expansion
 * must never keep the prompt away.
 */
#include "shell/interactive/prompt.h"

#include <string.h>

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

static void append_escaped(struct str *ret, const char *text, size_t len)
{
    const char *end = text + len;
    for (const char *p = text; p < end;) {
        bool control = (unsigned char)*p < ' ' && *p != '\n' && *p != '\t';
        size_t step = control ? sequence_len(p, end) : 1;
        if (control)
            str_putc(ret, PROMPT_ESCAPE);
        str_append(ret, p, step);
        if (control)
            str_putc(ret, PROMPT_ESCAPE);
        p += step;
    }
}

void prompt_make(struct shell *sh, const char *unfinished, bool escaped, struct str *ret)
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
    if (unfinished && raw && strcmp(raw, "> ") == 0)
        str_append_z(ret, unfinished);
    if (escaped)
        append_escaped(ret, expanded, len);
    else
        str_append(ret, expanded, len);
    mem_region_reset(sh->scratch, mark);
    str_release(&text);
}
