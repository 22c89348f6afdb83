/*
 * parse_cond: [[ expression ]].
 *
 * Owns the grammar and the operators of the conditional command. Operands are words; the right side
 * of a match is a pattern or a regular expression. Newlines may stand wherever blanks may.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

static const char unary_operators[] = "abcdefghknoprstuvwxzCGHLNORS";

static const struct {
    const char *text;
    uint8_t op;
} binary_operators[] = {
    { "==", COND_MATCH }, { "=", COND_MATCH }, { "!=", COND_NO_MATCH }, { "=~", COND_REGEX },
    { "-nt", COND_NT },   { "-ot", COND_OT },  { "-ef", COND_EF },      { "-eq", COND_EQ },
    { "-ne", COND_NE },   { "-lt", COND_LT },  { "-le", COND_LE },      { "-gt", COND_GT },
    { "-ge", COND_GE },
};

static struct cond *parse_or(struct parser *p);

static struct cond *cond_new(struct parser *p, enum cond_op op)
{
    struct cond *cond = parser_alloc(p, sizeof *cond);
    if (cond) {
        cond->op = (uint8_t)op;
        cond->cache = parser_cache(p);
    }
    return cond;
}

static struct word *parse_operand(struct parser *p, enum word_mode mode)
{
    if (!skip_newlines(p))
        return NULL;
    int c = look(p);
    bool starts_regex = mode == WORD_REGEX && (c == '(' || c == '<' || c == '>');
    if (!lex_at_word(p, c) && !starts_regex) {
        parser_unexpected(p);
        return NULL;
    }
    if (c == ']' && word_is(p, "]]")) {
        parser_unexpected(p);
        return NULL;
    }
    return lex_word(p, mode);
}

/* Operators that have a newer form. */
static void lint_operator(struct parser *p, const char *text)
{
    static const char *const arith[][2] = { { "-eq", "==" }, { "-ne", "!=" }, { "-lt", "<" },
                                            { "-le", "<=" }, { "-gt", ">" },  { "-ge", ">=" } };
    if (!p->hooks->lint)
        return;
    if (strcmp(text, "=") == 0)
        lint_add(p, parser_line(p), "'=' obsolete, use '=='");
    for (size_t i = 0; i < sizeof arith / sizeof *arith; i++)
        if (strcmp(text, arith[i][0]) == 0)
            lint_add(p, parser_line(p), "[[ ... %s ... ]] obsolete, use ((... %s ...))", text,
                     arith[i][1]);
}

/* The operator under the cursor, consumed; COND_WORD: there is none. */
static enum cond_op take_operator(struct parser *p)
{
    int c = look(p);
    if ((c == '<' || c == '>') && look_joined_ahead(p, 1) != '(') {
        p->pos++;
        return c == '<' ? COND_LESS : COND_GREATER;
    }
    for (size_t i = 0; i < sizeof binary_operators / sizeof *binary_operators; i++) {
        if (word_is(p, binary_operators[i].text)) {
            lint_operator(p, binary_operators[i].text);
            skip_over(p, strlen(binary_operators[i].text));
            return binary_operators[i].op;
        }
    }
    return COND_WORD;
}

static enum word_mode right_mode(enum cond_op op)
{
    if (op == COND_REGEX)
        return WORD_REGEX;
    return op == COND_MATCH || op == COND_NO_MATCH ? WORD_COND_PATTERN : WORD_COND;
}

/* -X word */
static struct cond *parse_unary(struct parser *p)
{
    int c = look_ahead(p, 1);
    if (c <= 0 || !strchr(unary_operators, c)) {
        parser_fail(p, parser_line(p), "syntax error: unknown operator `-%c' in [[ ]]", c);
        return NULL;
    }
    struct cond *cond = cond_new(p, COND_UNARY);
    if (!cond)
        return NULL;
    cond->op_char = (char)c;
    if (c == 'a')
        lint_add(p, parser_line(p), "-a obsolete, use -e");
    skip_over(p, 2);
    cond->a = parse_operand(p, WORD_COND);
    return cond->a ? cond : NULL;
}

/* word [operator word] */
static struct cond *parse_binary(struct parser *p)
{
    struct word *a = parse_operand(p, WORD_COND);
    if (!a || !skip_newlines(p))
        return NULL;
    enum cond_op op = take_operator(p);
    struct cond *cond = cond_new(p, op);
    if (!cond)
        return NULL;
    cond->a = a;
    if (op == COND_WORD)
        return cond;
    cond->b = parse_operand(p, right_mode(op));
    return cond->b ? cond : NULL;
}

/* primary: "(" or ")" | ! primary | -X word | word [operator word] */
static struct cond *parse_primary(struct parser *p)
{
    if (!skip_newlines(p) || !parser_enter(p))
        return NULL;
    int c = look(p);
    int next = c >= 0 ? look_ahead(p, 1) : -1;
    struct cond *cond;
    if (c == '(') {
        uint32_t line = parser_line(p);
        p->pos++;
        cond = parse_or(p);
        if (cond && !take(p, ')')) {
            parser_missing(p, "(", line);
            cond = NULL;
        }
    } else if (c == '!' && next >= 0 && cclass_is((char)next, CC_META)) {
        p->pos++;
        cond = cond_new(p, COND_NOT);
        if (cond && !(cond->left = parse_primary(p)))
            cond = NULL;
    } else if (c == '-' && next > 0 && cclass_is((char)next, CC_NAME_START) &&
               look_ahead(p, 2) >= 0 && cclass_is((char)look_ahead(p, 2), CC_META)) {
        cond = parse_unary(p);
    } else {
        cond = parse_binary(p);
    }
    parser_leave(p);
    return cond && skip_newlines(p) ? cond : NULL;
}

static bool take_double(struct parser *p, char c)
{
    if (look(p) != c || look_joined_ahead(p, 1) != c)
        return false;
    skip_joined(p, 2);
    return true;
}

/* A chain of PART joined by the doubled byte C, left to right. */
static struct cond *parse_chain(struct parser *p, char c, enum cond_op op,
                                struct cond *(*part)(struct parser *))
{
    struct cond *left = part(p);
    unsigned links = 0;
    while (left && take_double(p, c)) {
        if (++links > p->hooks->depth_max) {
            parser_fail(p, parser_line(p), "syntax error: nesting too deep");
            return NULL;
        }
        struct cond *cond = cond_new(p, op);
        if (!cond || !(cond->right = part(p)))
            return NULL;
        cond->left = left;
        left = cond;
    }
    return left;
}

static struct cond *parse_and(struct parser *p)
{
    return parse_chain(p, '&', COND_AND, parse_primary);
}

static struct cond *parse_or(struct parser *p)
{
    return parse_chain(p, '|', COND_OR, parse_and);
}

struct node *parse_cond(struct parser *p, uint32_t line)
{
    struct node_cond *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_COND, line);
    node->cond = parse_or(p);
    if (!node->cond)
        return NULL;
    if (look(p) != ']' || !word_is(p, "]]")) {
        parser_missing(p, "[[", line);
        return NULL;
    }
    skip_over(p, 2);
    return &node->node;
}
