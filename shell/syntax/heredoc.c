/*
 * heredoc: delimiters and bodies of here-documents.
 *
 * A here-document waits in the parser's list from its operator to the next newline token; its body
 * is then read line by line and, unless the delimiter was quoted, parsed as an island. Tabs (<<-)
 * or the first line's indentation (<<#) are removed while reading. The end of the input ends a
 * body, with a warning.
 */
#include <stdio.h>
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

/* One quoted piece of a delimiter, to CLOSE; the cursor is after the opening quote. */
static bool delimiter_quoted(struct parser *p, char close, uint32_t line)
{
    for (;;) {
        int c = look(p);
        if (c < 0)
            return parser_unterminated(p, close == '"' ? "\"" : "'", line);
        p->pos++;
        if (c == close)
            return true;
        if (c == '\\' && close == '"' && look(p) > 0 && strchr("\"\\$`", look(p))) {
            c = look(p);
            p->pos++;
        }
        str_putc(&p->lit, (char)c);
    }
}

/* What is left of a substitution in a delimiter, to the CLOSE of the OPEN that came last: it stands
 * for itself, blanks and all. */
static bool delimiter_nested(struct parser *p, char open, char close, uint32_t line)
{
    const char name[] = { close, '\0' };
    for (uint32_t depth = 1; depth > 0;) {
        int c = look(p);
        if (c < 0)
            return parser_unterminated(p, name, line);
        p->pos++;
        str_putc(&p->lit, (char)c);
        if (c == '\\' && look(p) >= 0) {
            str_putc(&p->lit, (char)look(p));
            p->pos++;
        } else if (c == close) {
            depth--;
        } else if (c == open) {
            depth++;
        }
    }
    return true;
}

/* The delimiter at the cursor, quotes removed, appended to p->lit. */
static bool delimiter_text(struct parser *p, bool *ret_quoted)
{
    uint32_t line = parser_line(p);
    for (;;) {
        int c = look(p);
        if (c < 0 || cclass_is((char)c, CC_META))
            return true;
        p->pos++;
        if (c == '\\' && look(p) == '\n') {
            p->pos++;
        } else if (c == '\\') {
            *ret_quoted = true;
            if ((c = look(p)) >= 0) {
                str_putc(&p->lit, (char)c);
                p->pos++;
            }
        } else if (c == '\'' || c == '"') {
            *ret_quoted = true;
            if (!delimiter_quoted(p, (char)c, line))
                return false;
        } else if (c == '$' && (look(p) == '\'' || look(p) == '"')) {
            /* $'..' as a delimiter: the quotes go, escapes stay as written */
        } else {
            str_putc(&p->lit, (char)c);
            if (c == '`' && !delimiter_nested(p, '`', '`', line))
                return false;
            if (c != '$' || (look(p) != '(' && look(p) != '{'))
                continue;
            char open = (char)look(p);
            str_putc(&p->lit, open);
            p->pos++;
            if (!delimiter_nested(p, open, open == '(' ? ')' : '}', line))
                return false;
        }
    }
}

bool here_parse_delimiter(struct parser *p, struct redir *redir, bool strip_tabs, bool strip_indent)
{
    skip_space(p);
    int c = look(p);
    if (c < 0 || cclass_is((char)c, CC_META))
        return parser_unexpected(p);
    size_t base = p->lit.len;
    bool quoted = false;
    struct here_doc *here = parser_alloc(p, sizeof *here);
    struct word *word = parser_alloc(p, sizeof *word);
    if (!here || !word)
        return false;
    here->line = parser_line(p);
    if (!delimiter_text(p, &quoted)) {
        str_truncate(&p->lit, base);
        return false;
    }
    size_t start = base;
    while (strip_tabs && start < p->lit.len && str_text(&p->lit)[start] == '\t')
        start++;
    here->len = p->lit.len - start;
    here->delimiter =
        p->lit.failed ? NULL : arena_dup(p->arena, str_text(&p->lit) + start, here->len);
    str_truncate(&p->lit, base);
    if (!here->delimiter)
        return parser_no_memory(p);
    here->quoted = quoted;
    here->strip_tabs = strip_tabs;
    here->strip_indent = strip_indent;
    here->word = word;
    redir->here_quoted = quoted;
    redir->here_strip = strip_tabs || strip_indent;
    redir->here_delimiter = here->delimiter;
    redir->word = word;
    if (p->here_last)
        p->here_last->next = here;
    else
        p->here_first = here;
    p->here_last = here;
    return true;
}

/* The line at the cursor, without its newline: *RET_TEXT is borrowed until the next read. The
 * cursor stays. False at the end of the input. */
static bool peek_line(struct parser *p, const char **ret_text, size_t *ret_len, bool *ret_newline)
{
    if (look(p) < 0)
        return false;
    size_t scanned = 0;
    for (;;) {
        const char *text = p->text + p->pos;
        size_t room = p->len - p->pos;
        const char *end = memchr(text + scanned, '\n', room - scanned);
        *ret_text = text;
        *ret_len = end ? (size_t)(end - text) : room;
        *ret_newline = end != NULL;
        if (end || p->in->outer || p->in->island)
            return true;
        scanned = room;
        if (look_ahead(p, room) < 0)
            return p->status == PARSE_OK;
    }
}

/* Is LINE the delimiter, of which the continued lines before it were the first MATCHED bytes? Its
 * end must be on LINE, which is no delimiter just because a newline was removed before it. In a
 * command substitution its closing parenthesis may follow. */
static bool is_delimiter(const struct parser *p, const struct here_doc *here, size_t matched,
                         const char *line, size_t len)
{
    size_t rest = here->len - matched;
    if (len < rest || (rest == 0 && here->len > 0) ||
        memcmp(line, here->delimiter + matched, rest) != 0)
        return false;
    return len == rest || (p->subst_depth > 0 && line[rest] == ')');
}

/* How many bytes of blanks at the start of LINE reach at most to column LIMIT; *RET_COLUMN: which
 * one they reach. */
static size_t indent_of(const char *line, size_t len, size_t limit, size_t *ret_column)
{
    enum { TAB_COLUMNS = 8 };
    size_t n = 0, column = 0;
    for (; n < len && (line[n] == ' ' || line[n] == '\t'); n++) {
        size_t next = line[n] == ' ' ? column + 1 : (column / TAB_COLUMNS + 1) * TAB_COLUMNS;
        if (next > limit)
            break;
        column = next;
    }
    *ret_column = column;
    return n;
}

/* How many bytes to drop at the start of a line. INDENT is that of the first line. */
static size_t strip_of(const struct here_doc *here, const char *line, size_t len, size_t indent)
{
    size_t n = 0, column;
    if (here->strip_tabs) {
        while (n < len && line[n] == '\t')
            n++;
    } else if (here->strip_indent) {
        n = indent_of(line, len, indent, &column);
    }
    return n;
}

static bool ends_in_backslash(const char *line, size_t len)
{
    size_t n = 0;
    while (n < len && line[len - 1 - n] == '\\')
        n++;
    return n % 2 == 1;
}

/* Gathers the lines of the body in BODY; the cursor is left after the delimiter's line. */
static bool gather_body(struct parser *p, const struct here_doc *here, struct str *body)
{
    const char *line;
    size_t len, indent = SIZE_MAX;
    size_t start = 0;   /* of the line in BODY, from the first of those that backslashes join */
    size_t matched = 0; /* of the delimiter, by joined lines; SIZE_MAX: they differ from it */
    bool newline, joined = false;
    while (peek_line(p, &line, &len, &newline)) {
        if (indent == SIZE_MAX)
            (void)indent_of(line, len, SIZE_MAX, &indent);
        size_t drop = joined ? 0 : strip_of(here, line, len, indent);
        line += drop;
        len -= drop;
        p->pos += drop;
        if (!joined) {
            start = body->len;
            matched = 0;
        }
        if (matched != SIZE_MAX && is_delimiter(p, here, matched, line, len)) {
            p->pos += here->len - matched;
            if (len == here->len - matched && newline)
                p->pos++;
            str_truncate(body, start);
            return true;
        }
        str_append(body, line, len);
        if (newline)
            str_putc(body, '\n');
        p->pos += len + newline;
        joined = !here->quoted && newline && ends_in_backslash(line, len);
        if (!joined)
            continue;
        if (matched != SIZE_MAX && len - 1 <= here->len - matched &&
            memcmp(line, here->delimiter + matched, len - 1) == 0)
            matched += len - 1;
        else
            matched = SIZE_MAX;
    }
    if (p->status != PARSE_OK)
        return false;
    if (p->hooks->warn) {
        char text[160];
        snprintf(text, sizeof text,
                 "here-document `%.60s' (began at line %u) is ended by the end of the input",
                 here->delimiter, here->line);
        p->hooks->warn(p->hooks->ctx, here->line, text);
    }
    return true;
}

/* Parses BODY into HERE's word, which began at LINE. */
static bool parse_body(struct parser *p, struct here_doc *here, const struct str *body,
                       uint32_t line)
{
    struct word *word;
    const char *text = str_text(body);
    if (here->quoted || strcspn(text, "$`\\") == body->len) {
        struct builder b;
        builder_init(p, &b, WORD_HERE);
        b.line = line;
        builder_text(p, &b, text, body->len, true);
        word = builder_finish(p, &b);
    } else {
        struct input in = { .text = text, .len = body->len };
        struct here_doc *first = p->here_first, *last = p->here_last;
        p->here_first = p->here_last = NULL;
        uint32_t depth = p->subst_depth;
        p->subst_depth = 0;
        struct cursor back = island_enter(p, &in, line);
        word = lex_word(p, WORD_HERE);
        island_leave(p, back);
        p->subst_depth = depth;
        p->here_first = first;
        p->here_last = last;
    }
    if (!word)
        return false;
    *here->word = *word;
    return true;
}

bool here_read_all(struct parser *p)
{
    while (p->here_first && p->status == PARSE_OK) {
        struct here_doc *here = p->here_first;
        p->here_first = here->next;
        if (!p->here_first)
            p->here_last = NULL;
        struct str body;
        str_init(&body, p->hooks->scratch_region);
        uint32_t line = parser_line(p);
        if (gather_body(p, here, &body)) {
            if (!str_ok(&body))
                parser_no_memory(p);
            else
                parse_body(p, here, &body, line);
        }
        str_release(&body);
    }
    return p->status == PARSE_OK;
}
