/*
 * error: how a parse fails.
 *
 * The first failure wins and is kept until speculation forgets it. Messages name the offending
 * token and its line, for what was never closed the line where it began, in the words that scripts
 * look for since the first Korn shells. Nothing is printed here.
 */
#include <stdio.h>
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

enum { TOKEN_SHOWN_MAX = 40 };

bool parser_no_memory(struct parser *p)
{
    if (p->status == PARSE_OK || p->status == PARSE_ERROR)
        p->status = PARSE_NO_MEMORY;
    p->fatal = true;
    return false;
}

/* Something that was read could not be kept, so what comes now only seems wrong. */
static bool has_lost(const struct parser *p)
{
    return p->lit.failed || p->parens.failed || p->stack.failed || p->assigns.failed ||
           p->redirs.failed;
}

bool parser_fail(struct parser *p, uint32_t line, const char *format, ...)
{
    if (p->status != PARSE_OK)
        return false;
    if (has_lost(p))
        return parser_no_memory(p);
    p->status = PARSE_ERROR;
    p->error->line = line;
    p->error->incomplete = false;
    va_list args;
    va_start(args, format);
    vsnprintf(p->error->why, sizeof p->error->why, format, args);
    va_end(args);
    return false;
}

/* Length of the operator at the start of TEXT, 0 when none. */
static size_t operator_bytes(const char *text, size_t len)
{
    static const char *const operators[] = { ";;&", "<<<", "<<-", "&>>", ";;", ";&", ";|", "&&",
                                             "||",  "|&",  "<<",  ">>",  "<&", ">&", "<>", ">|",
                                             "&>",  "&",   ";",   "|",   "(",  ")",  "<",  ">" };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t n = strlen(operators[i]);
        if (n <= len && memcmp(operators[i], text, n) == 0)
            return n;
    }
    return 0;
}

bool parser_unexpected(struct parser *p)
{
    if (p->status != PARSE_OK)
        return false;
    int c = look(p);
    uint32_t line = parser_line(p);
    if (c < 0) {
        parser_fail(p, line, "syntax error at line %u: `end of file' unexpected", line);
        p->error->incomplete = p->status == PARSE_ERROR;
        return false;
    }
    if (c == '\n')
        return parser_fail(p, line, "syntax error at line %u: `newline' unexpected", line);
    const char *text = p->text + p->pos;
    size_t room = p->len - p->pos;
    size_t n = operator_bytes(text, room);
    if (n == 0) {
        while (n < room && n < TOKEN_SHOWN_MAX && !cclass_is(text[n], CC_META))
            n++;
        if (n == 0)
            n = 1;
    }
    return parser_fail(p, line, "syntax error at line %u: `%.*s' unexpected", line, (int)n, text);
}

bool parser_missing(struct parser *p, const char *opener, uint32_t line)
{
    if (p->status != PARSE_OK)
        return false;
    if (look(p) >= 0)
        return parser_unexpected(p);
    parser_fail(p, parser_line(p), "syntax error at line %u: `%s' unmatched", line, opener);
    p->error->incomplete = true;
    return false;
}

bool parser_unterminated(struct parser *p, const char *what, uint32_t line)
{
    if (p->status != PARSE_OK)
        return false;
    parser_fail(p, line, "syntax error at line %u: `%s' unmatched", line, what);
    p->error->incomplete = true;
    return false;
}
