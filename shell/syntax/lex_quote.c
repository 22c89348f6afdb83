/*
 * lex_quote: '...', "...", $'...', and `...`.
 *
 * Each function is called with the cursor on the opening quote and leaves it after the closing one.
 * What is inside goes to the builder as quoted text and parts. An unterminated quote is reported at
 * the line where it began.
 */
#include <string.h>

#include "shell/base/utf8.h"
#include "shell/syntax/parser.h"

bool lex_single(struct parser *p, struct builder *b)
{
    uint32_t line = parser_line(p);
    p->pos++;
    builder_empty_quotes(p, b);
    while (look(p) >= 0) {
        const char *text = p->text + p->pos;
        size_t room = p->len - p->pos;
        const char *end = memchr(text, '\'', room);
        size_t len = end ? (size_t)(end - text) : room;
        builder_text(p, b, text, len, true);
        p->pos += len;
        if (end) {
            p->pos++;
            return p->status == PARSE_OK;
        }
    }
    return parser_unterminated(p, "'", line);
}

bool lex_dq_escape(struct parser *p, struct builder *b, bool quote, bool brace)
{
    int c = look_ahead(p, 1);
    if (c == '\n') {
        skip_over(p, 2);
        return true;
    }
    if (c == '$' || c == '`' || c == '\\' || (c == '"' && quote) || (c == '}' && brace)) {
        skip_over(p, 2);
        builder_char(p, b, (char)c, true);
        return true;
    }
    p->pos++;
    builder_char(p, b, '\\', true);
    return true;
}

/* Length of the text at the cursor that means nothing inside double quotes. */
static size_t plain_run(const struct parser *p)
{
    static const bool stop[256] = { ['"'] = true, ['\\'] = true, ['$'] = true, ['`'] = true };
    const char *text = p->text + p->pos;
    const char *end = p->text + p->len;
    const char *s = text;
    while (s < end && !stop[(unsigned char)*s])
        s++;
    return (size_t)(s - text);
}

bool lex_double(struct parser *p, struct builder *b, bool mark_empty)
{
    uint32_t line = parser_line(p);
    size_t stack_len = p->stack.len, lit_len = p->lit.len;
    p->pos++;
    while (p->status == PARSE_OK) {
        int c = look(p);
        if (c < 0)
            return parser_unterminated(p, "\"", line);
        switch (c) {
        case '"':
            p->pos++;
            if (mark_empty && p->stack.len == stack_len && p->lit.len == lit_len)
                builder_empty_quotes(p, b);
            return true;
        case '\\':
            lex_dq_escape(p, b, true, b->mode == WORD_ARG_DQ);
            break;
        case '$':
            lex_dollar(p, b, true);
            break;
        case '`':
            lex_backquote(p, b, true);
            break;
        default: {
            size_t n = plain_run(p);
            builder_text(p, b, p->text + p->pos, n, true);
            p->pos += n;
        }
        }
    }
    return false;
}

static int hex_value(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Hexadecimal digits at the cursor, at most MAX or all up to } when it begins with {, or ] with [.
 * Returns how many. */
static unsigned lex_hex(struct parser *p, unsigned max, uint32_t *ret_value)
{
    unsigned n = 0;
    uint32_t value = 0;
    int close = look(p) == '{' ? '}' : ']';
    bool brace = (look(p) == '{' || look(p) == '[') && hex_value(look_ahead(p, 1)) >= 0;
    if (brace)
        p->pos++;
    while ((brace || n < max) && hex_value(look(p)) >= 0) {
        value = value * 16 + (uint32_t)hex_value(look(p));
        p->pos++;
        n++;
    }
    if (brace && look(p) == close)
        p->pos++;
    *ret_value = value;
    return n;
}

static void put_code_point(struct parser *p, struct builder *b, uint32_t cp)
{
    char bytes[6];
    size_t n = utf8_encode(cp, bytes);
    builder_text(p, b, bytes, n, true);
}

/* \x, \u and \U, after the letter. False when the result is a NUL, which ends the text. */
static bool lex_ansi_hex(struct parser *p, struct builder *b, int letter)
{
    uint32_t value;
    bool braced = look(p) == '{' || look(p) == '[';
    unsigned n = lex_hex(p, letter == 'U' || letter == 'x' ? 8 : 4, &value);
    if (n == 0)
        return true;
    if (value == 0)
        return false;
    if (letter == 'x' && value < 256 && (n <= 2 || braced))
        builder_char(p, b, (char)value, true);
    else
        put_code_point(p, b, value);
    return true;
}

/* Up to three octal digits. False for NUL. */
static bool lex_ansi_octal(struct parser *p, struct builder *b)
{
    unsigned value = 0;
    for (int n = 0; n < 3 && look(p) >= '0' && look(p) <= '7'; n++) {
        value = value * 8 + (unsigned)(look(p) - '0');
        p->pos++;
    }
    if ((value & 255) == 0)
        return false;
    builder_char(p, b, (char)value, true);
    return true;
}

/* One escape of $'..', after the backslash. False when it makes a NUL. */
static bool lex_ansi_escape(struct parser *p, struct builder *b)
{
    static const char from[] = "abeEfnrtv", to[] = "\a\b\033\033\f\n\r\t\v";
    int c = look(p);
    if (c < 0)
        return true;
    if (c >= '0' && c <= '7')
        return lex_ansi_octal(p, b);
    p->pos++;
    if (c == 'x' || c == 'u' || c == 'U')
        return lex_ansi_hex(p, b, c);
    const char *s = c ? strchr(from, c) : NULL;
    if (s) {
        builder_char(p, b, to[s - from], true);
    } else if (c == 'M' && look(p) == '-') { /* meta: what ESC stands before */
        p->pos++;
        builder_char(p, b, '\033', true);
    } else if ((c == 'c' || c == 'C') && look(p) > 0) {
        int control = look(p);
        p->pos++;
        if (control == '\\' && look(p) == '\\')
            p->pos++;
        int upper = control >= 'a' && control <= 'z' ? control - 32 : control;
        builder_char(p, b, (char)(upper ^ 64), true);
    } else {
        builder_char(p, b, (char)c, true);
    }
    return true;
}

bool lex_ansi(struct parser *p, struct builder *b)
{
    uint32_t line = parser_line(p);
    bool ended = false; /* a NUL was made: the rest of the text is dropped */
    p->pos++;
    builder_empty_quotes(p, b);
    while (p->status == PARSE_OK) {
        int c = look(p);
        if (c < 0)
            return parser_unterminated(p, "$'", line);
        p->pos++;
        if (c == '\'')
            return true;
        if (c != '\\') {
            if (!ended)
                builder_char(p, b, (char)c, true);
        } else if (ended) {
            p->pos += look(p) >= 0;
        } else {
            ended = !lex_ansi_escape(p, b);
        }
    }
    return false;
}

/* The text of a backquoted command without its level of backslashes, appended to TEXT. */
static bool unescape_backquote(struct parser *p, struct str *text, bool dquoted, uint32_t line)
{
    for (;;) {
        int c = look(p);
        if (c < 0)
            return parser_unterminated(p, "`", line);
        if (c == '`') {
            p->pos++;
            return true;
        }
        if (c == '\\') {
            int next = look_ahead(p, 1);
            if (next == '`' || next == '\\' || next == '$' || (next == '"' && dquoted)) {
                skip_over(p, 1);
                c = look(p);
            }
        }
        p->pos++;
        str_putc(text, (char)c);
    }
}

bool lex_backquote(struct parser *p, struct builder *b, bool dquoted)
{
    if (!parser_enter(p))
        return false;
    uint32_t line = parser_line(p);
    lint_add(p, line, "`...` obsolete, use $(...)");
    p->pos++;
    struct str text;
    str_init(&text, p->hooks->scratch_region);
    struct command_sub *command = NULL;
    if (unescape_backquote(p, &text, dquoted, line) && (str_ok(&text) || parser_no_memory(p))) {
        struct input in = { .text = str_text(&text), .len = text.len };
        struct cursor back = island_enter(p, &in, line);
        command = lex_command_body(p, -1, line);
        if (command && look(p) >= 0)
            parser_unexpected(p);
        island_leave(p, back);
    }
    str_release(&text);
    parser_leave(p);
    if (p->status != PARSE_OK)
        return false;
    struct part part = {
        .kind = PART_COMMAND, .quoted = dquoted, .dquoted = dquoted, .line = line
    };
    part.command = command;
    return builder_part(p, b, &part);
}
