/*
 * lex_arith: the text of arithmetic expressions.
 *
 * Finds where an expression ends and which expansions it holds; what it means is not known here.
 * Text is as inside double quotes; text that stood in double quotes of its own is marked dquoted
 * (parentheses in it do not nest). Character constants 'x' are copied as they are.
 *
 * `((` may turn out to be two subshells: lex_try_arith goes back then. While it tries, it also
 * learns which inner `((` cannot be arithmetic, so that 10,000 nested ones are read twice and not
 * 10,000 times.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

static bool arith_stop(char c)
{
    static const bool stop[256] = {
        ['('] = true,  [')'] = true,  ['['] = true, [']'] = true, ['"'] = true,
        ['\''] = true, ['\\'] = true, ['$'] = true, ['`'] = true, [';'] = true,
        [':'] = true,  ['}'] = true,  ['?'] = true
    };
    return stop[(unsigned char)c];
}

/* 'x', copied with its quotes, but for expansions in it; a ' without a partner on its line is an
 * ordinary byte. */
static bool lex_char_constant(struct parser *p, struct builder *b)
{
    size_t n = 1;
    int c;
    while ((c = look_ahead(p, n)) != '\'' && c >= 0 && c != '\n')
        n += c == '\\' && look_ahead(p, n + 1) >= 0 ? 2 : 1;
    bool closed = c == '\'';
    do {
        if (look(p) == '$' && look_ahead(p, 1) != '\'') {
            if (!lex_dollar(p, b, true))
                return false;
            continue;
        }
        for (n = look(p) == '\\' ? 2 : 1; n > 0; n--) {
            builder_char(p, b, (char)look(p), true);
            p->pos++;
        }
    } while (closed && (c = look(p)) != '\'' && c >= 0);
    if (closed && c == '\'') {
        builder_char(p, b, '\'', true);
        p->pos++;
    }
    return true;
}

struct arith_lexer {
    struct builder b;
    const char *ends;
    size_t paren_mark; /* number of those open outside */
    unsigned parens, brackets, ternaries;
    bool done;
};

/* An inner parenthesis closes: `((` that is not closed by `))` is not arithmetic. */
static void paren_close(struct parser *p, const struct arith_lexer *l)
{
    size_t count = open_count(p);
    if (count <= l->paren_mark)
        return; /* out of memory when it was opened */
    size_t open = open_at(p, count - 1);
    open_truncate(p, count - 1);
    if (count - 1 == l->paren_mark)
        return;
    size_t outer = open_at(p, count - 2);
    if (outer + 1 == open && look_ahead(p, 1) != ')')
        memo_unmatched(p, outer);
}

/* A closing parenthesis. False: it stands alone where `))` was wanted. */
static bool arith_paren(struct parser *p, struct arith_lexer *l)
{
    if (l->parens > 0) {
        l->parens--;
        if (p->speculating > 0)
            paren_close(p, l);
        builder_char(p, &l->b, ')', true);
        p->pos++;
        return true;
    }
    if (*l->ends != ')')
        return parser_unexpected(p);
    p->pos++;
    l->done = take(p, ')');
    return l->done;
}

/* A byte of arith_stop that is not part of a quote or expansion. */
static bool arith_punctuation(struct parser *p, struct arith_lexer *l, int c)
{
    bool outermost = l->parens == 0 && l->brackets == 0;
    if (c == ')')
        return arith_paren(p, l);
    if (outermost && c != ')' && strchr(l->ends, c) && !(c == ':' && l->ternaries > 0)) {
        l->done = true;
        return true;
    }
    if (c == '(') {
        l->parens++;
        if (p->speculating > 0)
            open_push(p, p->pos);
    } else if (c == '[') {
        l->brackets++;
    } else if (c == ']' && l->brackets > 0) {
        l->brackets--;
    } else if (c == '?' && outermost) {
        l->ternaries++;
    } else if (c == ':' && outermost && l->ternaries > 0) {
        l->ternaries--;
    }
    builder_char(p, &l->b, (char)c, true);
    p->pos++;
    return true;
}

static bool arith_special(struct parser *p, struct arith_lexer *l, int c)
{
    struct builder *b = &l->b;
    switch (c) {
    case '"': {
        b->arith_quotes = true;
        bool ok = lex_double(p, b, false);
        b->arith_quotes = false;
        return ok;
    }
    case '\'':
        return lex_char_constant(p, b);
    case '\\':
        return lex_dq_escape(p, b, true, false);
    case '$':
        return lex_dollar(p, b, true);
    case '`':
        return lex_backquote(p, b, true);
    default:
        return arith_punctuation(p, l, c);
    }
}

bool lex_arith(struct parser *p, const char *ends, struct word **ret_word)
{
    struct arith_lexer l = { .ends = ends, .paren_mark = open_count(p) };
    uint32_t line = parser_line(p);
    builder_init(p, &l.b, WORD_ARITH);
    *ret_word = NULL;
    bool ok = true;
    while (ok && !l.done) {
        int c = look(p);
        if (c < 0) {
            ok = parser_missing(p, *ends == ')' ? "((" : "{", line);
        } else if (arith_stop((char)c)) {
            ok = arith_special(p, &l, c);
        } else {
            const char *text = p->text + p->pos;
            const char *end = p->text + p->len;
            const char *s = text;
            while (s < end && !arith_stop(*s))
                s++;
            builder_text(p, &l.b, text, (size_t)(s - text), true);
            p->pos += (size_t)(s - text);
        }
    }
    if (!ok) {
        str_truncate(&p->stack, l.b.stack_base);
        str_truncate(&p->lit, l.b.lit_base);
        return false;
    }
    *ret_word = builder_finish(p, &l.b);
    return *ret_word != NULL;
}

bool lex_is_blank(const struct word *word)
{
    return word->kind == WORD_LITERAL && word->len == strspn(word->text, " \t\n");
}

/* Two operands with nothing but blanks between them: a command, not arithmetic. */
static bool is_no_expression(const struct word *word)
{
    if (word->kind != WORD_LITERAL)
        return false;
    bool operand = false, blank = false;
    for (size_t i = 0; i < word->len; i++) {
        char c = word->text[i];
        bool is_blank = c == ' ' || c == '\t' || c == '\n';
        bool is_operand = cclass_is(c, CC_NAME);
        if (is_operand && operand && blank)
            return true;
        blank = is_blank && (operand || blank);
        operand = is_operand || (is_blank && operand);
    }
    return false;
}

/* The `((` at START is no arithmetic: two parentheses of nested subshells. */
static bool parens_nested(struct parser *p, struct cursor start, struct word **ret_word)
{
    lint_add(p, parser_line(p), "spaces required for nested subshell");
    p->nested_in = start.in;
    p->nested_pos = start.pos + 1;
    *ret_word = NULL;
    return true;
}

bool lex_try_arith(struct parser *p, struct cursor start, struct word **ret_word)
{
    *ret_word = NULL;
    if (memo_find(p, MEMO_UNMATCHED, start.pos, false)) {
        cursor_restore(p, start);
        return parens_nested(p, start, ret_word);
    }
    bool nested = p->nested_in == start.in && p->nested_pos == start.pos;
    size_t mark = open_count(p), stack_len = p->stack.len, lit_len = p->lit.len;
    p->speculating++;
    bool ok = lex_arith(p, ")", ret_word);
    p->speculating--;
    if (!ok && p->in == start.in) {
        for (size_t i = mark + 1; i < open_count(p); i++) {
            if (open_at(p, i - 1) + 1 == open_at(p, i))
                memo_unmatched(p, open_at(p, i - 1));
        }
        memo_unmatched(p, start.pos);
    }
    open_truncate(p, mark);
    if (ok && !(nested && is_no_expression(*ret_word)))
        return true;
    return speculation_undo(p, start, stack_len, lit_len) && parens_nested(p, start, ret_word);
}
