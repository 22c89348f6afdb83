/*
 * The completion key: puts what candidates.c finds into the line.
 *
 * Only the part of the word behind its last slash is replaced, so that variables and ~ before it
 * stay as they were typed. Candidates are quoted as the end of the word was: within its quotes, or
 * with backslashes. Lists are shown in columns of the terminal's width; a list longer than the
 * screen is shown page by page, after a question.
 */
#include "shell/interactive/complete.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/match.h"
#include "shell/base/sys.h"
#include "shell/base/utf8.h"
#include "shell/expand/expand.h"
#include "shell/interactive/candidates.h"
#include "shell/interactive/edit_private.h"

void completion_init(struct completion *c, struct mem_region *region)
{
    *c = (struct completion){ 0 };
    str_init(&c->line, region);
    str_init(&c->insert, region);
}

void completion_release(struct completion *c)
{
    str_release(&c->line);
    str_release(&c->insert);
}

/* ---- quoting -------------------------------------------------------------------------------- */

/* TEXT so that it reads back within QUOTE (0: none). */
static void append_quoted(struct str *s, const char *text, size_t len, char quote)
{
    const char *special = quote == '"' ? "\\\"$`" : " \t\\'\"`$&|;<>()*?[]{}#!~";
    for (size_t i = 0; i < len; i++) {
        if (quote == '\'' && text[i] == '\'') {
            str_append_z(s, "'\\''");
            continue;
        }
        bool home = i == 0 && text[i] == '~'; /* a user's: meant as such */
        if (text[i] == '\n' && quote == 0)
            str_append_z(s, "$'\\n'");
        else if (quote != '\'' && strchr(special, text[i]) && text[i] && !home)
            str_printf(s, "\\%c", text[i]);
        else
            str_putc(s, text[i]);
    }
}

/* One candidate, or the start that all have, as it goes into the line. WHOLE: nothing follows in
 * the word. */
static void append_insert(struct str *s, const struct context *c, const struct candidates *found,
                          const char *text, size_t len, bool whole)
{
    if (found->variables) {
        str_append(s, text, len);
        if (whole)
            str_append_z(s, c->in_braces ? "}" : "");
        return;
    }
    char quote = c->quote;
    if (quote && c->quote_at > c->tail_at) /* opened in the middle of what is replaced */
        quote = 0;
    if (quote && c->quote_at == c->tail_at)
        str_putc(s, quote);
    append_quoted(s, text, len, quote);
    bool folder = found->paths && len > 0 && text[len - 1] == '/';
    bool option = len > 0 && text[0] == '-' && text[len - 1] == '=';
    bool host = found->hosts && len > 0 && text[len - 1] == ':';
    if (!whole || folder || option || host)
        return;
    if (quote)
        str_putc(s, quote);
    str_putc(s, ' ');
}

static size_t common_len(const struct candidates *found)
{
    size_t len = strlen(found->items[0]);
    const char *last = found->items[found->count - 1]; /* sorted: the least alike */
    size_t same = 0;
    while (same < len && found->items[0][same] == last[same])
        same++;
    while (same > 0 && utf8_active && ((unsigned char)found->items[0][same] & 0xC0) == 0x80)
        same--;
    return same;
}

/* ---- listing -------------------------------------------------------------------------------- */

/* Asks TEXT at the bottom of a page; true: go on. */
static bool ask(EditLine *edit, FILE *out, const char *text)
{
    char key = 'q';
    fprintf(out, "%s", text);
    fflush(out);
    int got = el_getc(edit, &key);
    fprintf(out, "\r%*s\r", (int)strlen(text), "");
    return got == 1 &&
           (key == 'y' || key == 'Y' || key == ' ' || key == '\r' || key == '\n' || key == '\t');
}

/* Shows TEXT with a question mark for what cannot be printed: names of files come from anybody, and
 * the terminal would obey them. Returns the columns; OUT may be NULL. */
static size_t show(FILE *out, const char *text)
{
    size_t columns = 0;
    const char *end = text + strlen(text);
    for (const char *p = text; p < end;) {
        uint32_t c;
        size_t bytes = utf8_decode(p, end, &c);
        int width = utf8_width(c);
        if (out)
            fprintf(out, "%.*s", width < 0 ? 1 : (int)bytes, width < 0 ? "?" : p);
        columns += width < 0 ? 1 : (size_t)width;
        p += bytes;
    }
    return columns;
}

/* On a dumb terminal, as ksh93 does everywhere; the editor goes to the next line by itself. */
static void list_numbered(EditLine *edit, const struct candidates *found)
{
    FILE *out = stdout;
    int digits = snprintf(NULL, 0, "%zu", found->count);
    el_get(edit, EL_GETFP, 1, &out);
    for (size_t i = 0; i < found->count; i++) {
        fprintf(out, "\n%*zu) ", digits, i + 1);
        show(out, found->items[i]);
    }
}

static bool is_dumb(struct shell *sh)
{
    const char *term = var_text(sh, "TERM");
    return term && strcmp(term, "dumb") == 0;
}

static void list(EditLine *edit, const struct candidates *found)
{
    FILE *out = stdout;
    size_t width = 0, columns = 80, rows = 24;
    el_get(edit, EL_GETFP, 1, &out);
    (void)sys_terminal_size(STDIN_FILENO, &rows, &columns);
    rows = rows > 1 ? rows : 2; /* one for the question */
    for (size_t i = 0; i < found->count; i++) {
        size_t one = show(NULL, found->items[i]);
        width = one > width ? one : width;
    }
    width += 2;
    size_t across = columns > width ? columns / width : 1;
    size_t down = (found->count + across - 1) / across;
    fputs("\n", out);
    if (down + 1 > rows) {
        char question[64];
        snprintf(question, sizeof question, "%zu possibilities: show them? (y/n) ", found->count);
        if (!ask(edit, out, question))
            return;
    }
    for (size_t row = 0; row < down; row++) {
        if (row > 0 && row % (rows - 1) == 0 && !ask(edit, out, "more? (y/n) "))
            return;
        for (size_t i = row; i < found->count; i += down) {
            size_t used = show(out, found->items[i]);
            bool last = i + down >= found->count;
            fprintf(out, "%*s", last ? 0 : (int)(width - used), "");
        }
        fputs("\n", out);
    }
}

/* ---- the key -------------------------------------------------------------------------------- */

static bool line_is(const struct completion *c, const char *line, size_t len)
{
    return c->count > 0 && text_eq(c->line.data, c->line.len, line, len);
}

/* The line before the cursor, in scratch; NULL: no memory, or so long a line that it would take
 * noticeable time to look at. */
static char *line_before(EditLine *edit, size_t *ret_len)
{
    enum { LOOK_CHARS = 256 << 10 };
    size_t len;
    const LineInfoW *info = el_wline(edit);
    if (info->lastchar - info->buffer > LOOK_CHARS)
        return NULL;
    char *text = edit_text(edit, &len, ret_len);
    if (text)
        text[*ret_len] = '\0';
    return text;
}

static void line_keep(EditLine *edit, struct completion *c)
{
    size_t len;
    const char *line = line_before(edit, &len);
    str_clear(&c->line);
    str_append(&c->line, line, line ? len : 0);
}

/* Puts TEXT in place of the last BYTES of LINE, which stands before the cursor. */
static bool replace(EditLine *edit, const char *line, size_t len, size_t bytes, const char *text)
{
    struct edit *e = edit_of(edit);
    str_clear(&e->wide);
    cluster_append_wide(&e->clusters, &e->wide, line + len - bytes, bytes);
    el_deletestr(edit, (int)(e->wide.len / sizeof(wchar_t)));
    return !*text || edit_insert(edit, text, strlen(text));
}

/* The next candidate in place of the last. */
static int put_next(struct completion *c, EditLine *edit, const char *line, size_t len)
{
    const char *text = c->insert.data;
    for (size_t i = 0; i < c->next; i++)
        text += strlen(text) + 1;
    if (!replace(edit, line, len, c->shown_len, text))
        return CC_ERROR;
    c->shown_len = strlen(text);
    c->next = (c->next + 1) % c->count;
    line_keep(edit, c);
    return CC_REFRESH;
}

static int complete_word(struct shell *sh, struct completion *c, EditLine *edit, const char *line,
                         size_t len)
{
    struct context context;
    struct candidates found;
    struct str insert;
    context_read(&context, sh->scratch, line, len);
    candidates_find(sh, &context, line, &found);
    if (found.count == 0 || found.failed)
        return CC_ERROR;
    size_t replaced = len - (found.variables ? context.name_at : context.tail_at);
    size_t same = common_len(&found);
    bool whole = found.count == 1;
    str_init(&insert, sh->scratch);
    append_insert(&insert, &context, &found, found.items[0], same, whole);
    if (!str_ok(&insert) || !replace(edit, line, len, replaced, str_text(&insert)))
        return CC_ERROR;
    if (whole)
        return CC_REFRESH;
    for (size_t i = 0; i < found.count; i++) {
        append_insert(&c->insert, &context, &found, found.items[i], strlen(found.items[i]), false);
        str_putc(&c->insert, '\0');
    }
    if (str_ok(&c->insert)) {
        c->count = found.count;
        c->shown_len = insert.len;
        line_keep(edit, c);
    }
    if (is_dumb(sh))
        return CC_REFRESH;
    list(edit, &found);
    return CC_REDISPLAY;
}

int complete_key(struct shell *sh, struct completion *c, EditLine *edit)
{
    size_t len;
    int action = CC_ERROR;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    char *line = line_before(edit, &len);
    if (line && line_is(c, line, len)) {
        action = is_dumb(sh) ? complete_list(sh, edit) : put_next(c, edit, line, len);
    } else if (line) {
        str_clear(&c->insert);
        c->count = c->next = 0;
        action = complete_word(sh, c, edit, line, len);
    }
    mem_region_reset(sh->scratch, mark);
    return action;
}

int complete_list(struct shell *sh, EditLine *edit)
{
    struct context context;
    struct candidates found = { 0 };
    size_t len;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    char *line = line_before(edit, &len);
    if (line) {
        context_read(&context, sh->scratch, line, len);
        candidates_find(sh, &context, line, &found);
    }
    if (found.count > 0 && is_dumb(sh))
        list_numbered(edit, &found);
    else if (found.count > 0)
        list(edit, &found);
    mem_region_reset(sh->scratch, mark);
    return found.count > 0 ? CC_REDISPLAY : CC_ERROR;
}

/* The names that WORD matches, each quoted and with a blank behind it. */
static bool append_matches(struct shell *sh, struct str *word, struct str *ret)
{
    struct fields fields;
    size_t count;
    fields_init(&fields);
    if (pattern_is_literal(str_text(word), word->len, PATTERN_PERIOD))
        str_putc(word, '*');
    if (glob_expand(sh, str_text(word), word->len, &fields, &count) != FLOW_NEXT) {
        shell_print_error(sh);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        append_quoted(ret, fields.argv[i], strlen(fields.argv[i]), 0);
        str_putc(ret, ' ');
    }
    return count > 0 && str_ok(ret);
}

int complete_expand(struct shell *sh, EditLine *edit)
{
    struct context context;
    struct str names, pattern;
    size_t len;
    bool done = false;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    char *line = line_before(edit, &len);
    str_init(&names, sh->scratch);
    str_init(&pattern, sh->scratch);
    if (line) {
        context_read(&context, sh->scratch, line, len);
        candidates_path(sh, &context, &pattern);
        done = append_matches(sh, &pattern, &names) &&
               replace(edit, line, len, len - context.word_at, str_text(&names));
    }
    mem_region_reset(sh->scratch, mark);
    return done ? CC_REFRESH : CC_ERROR;
}
