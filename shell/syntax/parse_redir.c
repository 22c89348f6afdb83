/*
 * parse_redir: redirections.
 *
 * Owns the redirection operators, the descriptor numbers and {variables} before them, and their
 * default descriptors. Here-documents are only announced here; heredoc.c reads them at the next
 * newline.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

/* Length of the digits or the {name} before < or > at the cursor; 0: there are none. */
static size_t prefix_bytes(struct parser *p, int c)
{
    size_t n = 0;
    if (cclass_is((char)c, CC_DIGIT)) {
        while (c > 0 && cclass_is((char)c, CC_DIGIT)) {
            n = ahead_next(p, n);
            c = look_ahead(p, n);
        }
    } else if (c == '{') {
        c = look_ahead(p, ++n);
        if (c <= 0 || !cclass_is((char)c, CC_NAME_START | (c == '.' ? CC_META : 0)))
            return 0;
        while (c > 0 && c != '}' && !cclass_is((char)c, CC_META))
            c = look_ahead(p, ++n);
        if (c != '}')
            return 0;
        c = look_ahead(p, ++n);
    }
    return c == '<' || c == '>' ? n : 0;
}

bool redir_begins(struct parser *p, int c)
{
    if (c == '<' || c == '>')
        return look_joined_ahead(p, 1) != '(';
    if (c == '&')
        return look_joined_ahead(p, 1) == '>';
    return c > 0 && (c == '{' || cclass_is((char)c, CC_DIGIT)) && prefix_bytes(p, c) > 0;
}

/* 12 or {name} */
static bool parse_prefix(struct parser *p, struct redir *redir)
{
    int c = look(p);
    if (c == '{') {
        p->pos++;
        redir->var = parser_alloc(p, sizeof *redir->var);
        if (!redir->var)
            return false;
        if (!lex_ref(p, redir->var) && p->status == PARSE_OK)
            return parser_unexpected(p);
        return p->status == PARSE_OK && (take(p, '}') || parser_unexpected(p));
    }
    if (c <= 0 || !cclass_is((char)c, CC_DIGIT))
        return true;
    int64_t fd = 0;
    while ((c = look_joined(p)) > 0 && cclass_is((char)c, CC_DIGIT)) {
        fd = fd * 10 + (c - '0');
        if (fd > INT32_MAX)
            fd = INT32_MAX;
        p->pos++;
    }
    redir->fd = (int)fd;
    return true;
}

/* After <# or >#: ((expression)) or, for reading, a pattern. */
static bool parse_seek(struct parser *p, struct redir *redir, bool arith_only)
{
    skip_space(p);
    if (look_joined(p) == '(' && look_joined_ahead(p, 1) == '(') {
        redir->seek_arith = true;
        skip_joined(p, 2);
        return lex_arith(p, ")", &redir->word) || parser_unexpected(p);
    }
    if (arith_only)
        return parser_unexpected(p);
    if (!lex_at_word(p, look(p)))
        return parser_unexpected(p);
    redir->word = lex_word(p, WORD_PATTERN);
    return redir->word != NULL;
}

/* << and what may follow it, after the second < */
static bool parse_here(struct parser *p, struct redir *redir, bool *ret_done)
{
    if (take(p, '<')) {
        redir->op = REDIR_HERE_STRING;
        return true;
    }
    redir->op = REDIR_HERE_DOC;
    *ret_done = true;
    bool tabs = take(p, '-');
    bool indent = !tabs && take(p, '#');
    return here_parse_delimiter(p, redir, tabs, indent);
}

/* The operators that begin with <, after it. *RET_DONE: the word was read too. */
static bool parse_in(struct parser *p, struct redir *redir, bool *ret_done)
{
    int c = look_joined(p);
    redir->op = REDIR_IN;
    if (c == '<') {
        p->pos++;
        return parse_here(p, redir, ret_done);
    }
    if (c == '&') {
        redir->op = REDIR_DUP_IN;
        p->pos++;
    } else if (c == '>') {
        p->pos++;
        redir->op = take(p, ';') ? REDIR_INOUT_TRUNC : REDIR_INOUT;
    } else if (c == '#') {
        p->pos++;
        *ret_done = true;
        bool copy = take(p, '#');
        if (!copy && look(p) == ')') {
            redir->op = REDIR_TELL;
            return true;
        }
        redir->op = copy ? REDIR_SKIP_COPY : REDIR_SEEK_IN;
        return parse_seek(p, redir, false);
    }
    return true;
}

/* The operators that begin with >, after it. */
static bool parse_out(struct parser *p, struct redir *redir, bool *ret_done)
{
    static const char follow[] = ">|&;";
    static const uint8_t ops[] = { REDIR_APPEND, REDIR_CLOBBER, REDIR_DUP_OUT, REDIR_OUT_REWRITE };
    int c = look_joined(p);
    redir->op = REDIR_OUT;
    const char *s = c > 0 ? strchr(follow, c) : NULL;
    if (s) {
        redir->op = ops[s - follow];
        p->pos++;
    } else if (c == '#') {
        p->pos++;
        *ret_done = true;
        redir->op = REDIR_SEEK_OUT;
        return parse_seek(p, redir, true);
    }
    return true;
}

bool parse_redir(struct parser *p)
{
    struct redir redir = { .fd = -1, .line = parser_line(p) };
    bool done = false;
    if (!parse_prefix(p, &redir))
        return false;
    bool out = look(p) != '<';
    if (take(p, '&')) {
        p->pos++;
        redir.op = take(p, '>') ? REDIR_BOTH_APPEND : REDIR_BOTH;
    } else {
        p->pos++;
        if (!(out ? parse_out(p, &redir, &done) : parse_in(p, &redir, &done)))
            return false;
    }
    redir.fd_implied = redir.fd < 0;
    if (redir.fd < 0)
        redir.fd = out ? 1 : 0;
    if (!done) {
        skip_space(p);
        if (!lex_at_word(p, look(p)))
            return parser_unexpected(p);
        redir.word = lex_word(p, WORD_TARGET);
        if (!redir.word)
            return false;
    }
    str_append(&p->redirs, (const char *)&redir, sizeof redir);
    return true;
}

bool parse_redirs(struct parser *p, struct node *node)
{
    size_t mark = p->redirs.len;
    for (;;) {
        skip_space(p);
        if (!redir_begins(p, look(p)) || !parse_redir(p))
            break;
    }
    node->redirs = items_take(p, &p->redirs, mark, sizeof *node->redirs, &node->redir_count);
    return p->status == PARSE_OK;
}
