/*
 * lex_param: ${...} and references to variables.
 *
 * Owns the grammar of what follows `${` (prefix, parameter, subscripts, operator and its words) and
 * of names with subscripts and members, which assignments share. What no shell of the family
 * accepts becomes OP_BAD, a bad substitution when it is reached: the rest of the script may be
 * for shells that do accept it.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

struct name *parser_intern(struct parser *p, const char *text, size_t len)
{
    struct name *name = p->hooks->intern(p->hooks->ctx, text, len);
    if (!name)
        parser_no_memory(p);
    return name;
}

static bool name_goes_on(const struct parser *p, size_t pos, size_t start, bool dotted)
{
    char c = p->text[pos];
    if (cclass_is(c, CC_NAME))
        return pos > start || !cclass_is(c, CC_DIGIT);
    return c == '.' && dotted && pos + 1 < p->len && cclass_is(p->text[pos + 1], CC_NAME_START);
}

/* A name interrupted by a backslash-newline or the end of an alias: gathered byte by byte. */
static bool lex_name_joined(struct parser *p, bool dotted, struct name **ret_name)
{
    size_t base = p->lit.len;
    for (;;) {
        int c = look_joined(p);
        if (c <= 0)
            break;
        bool first = p->lit.len == base;
        bool dot = c == '.' && dotted && look_joined_ahead(p, 1) > 0 &&
                   cclass_is((char)look_joined_ahead(p, 1), CC_NAME_START);
        if (!dot && !cclass_is((char)c, first ? CC_NAME_START : CC_NAME))
            break;
        str_putc(&p->lit, (char)c);
        p->pos++;
    }
    if (p->lit.len > base &&
        (p->lit.failed || !(*ret_name = parser_intern(p, p->lit.data + base, p->lit.len - base))))
        parser_no_memory(p);
    str_truncate(&p->lit, base);
    return p->status == PARSE_OK;
}

bool lex_name(struct parser *p, bool dotted, struct name **ret_name)
{
    *ret_name = NULL;
    size_t start = p->pos, pos = start;
    while (pos < p->len && name_goes_on(p, pos, start, dotted))
        pos++;
    if (pos == p->len || p->text[pos] == '\\')
        return lex_name_joined(p, dotted, ret_name);
    if (pos == start)
        return true;
    *ret_name = parser_intern(p, p->text + start, pos - start);
    p->pos = pos;
    return *ret_name != NULL;
}

/* [word] [@] [*] */
static bool lex_subscript(struct parser *p, struct word **ret_word, char *ret_all)
{
    const struct input *in = p->in;
    size_t start = p->pos;
    uint32_t line = parser_line(p);
    p->pos++;
    int c = look_joined(p);
    if ((c == '@' || c == '*') && look_joined_ahead(p, 1) == ']') {
        *ret_all = (char)c;
        skip_joined(p, 2);
        return true;
    }
    if (c == ']' && p->speculating > 0) { /* name[]= is an assignment, but to no element */
        c = look_joined_ahead(p, 1);
        p->fatal = c == '=' || (c == '+' && look_joined_ahead(p, 2) == '=');
        if (p->fatal)
            return parser_fail(p, line, "syntax error at line %u: `[]' empty subscript", line);
    }
    size_t mark = open_count(p);
    if (p->speculating > 0)
        open_push(p, start);
    *ret_word = lex_word(p, WORD_SUBSCRIPT);
    bool closed = *ret_word && look(p) == ']';
    if (closed)
        p->pos++;
    else if (*ret_word)
        parser_missing(p, "[", line);
    /* What is still open never ends: no later attempt need find that out again. */
    for (size_t i = mark; !closed && p->in == in && i < open_count(p); i++)
        memo_unmatched(p, open_at(p, i));
    open_truncate(p, mark);
    return closed;
}

bool lex_ref_steps(struct parser *p, struct name_ref *ref)
{
    size_t mark = stack_mark(p);
    while (p->status == PARSE_OK) {
        int c = look_joined(p);
        struct name_step step = { .text = "" };
        if (c == '[' && p->stack.len == mark && !ref->subscript && !ref->subscript_all) {
            lex_subscript(p, &ref->subscript, &ref->subscript_all);
            continue;
        }
        if (c == '.' && look_ahead(p, 1) > 0 && cclass_is((char)look_ahead(p, 1), CC_NAME_START)) {
            p->pos++;
            size_t n = 0;
            while (look_ahead(p, n) > 0 && cclass_is((char)look_ahead(p, n), CC_NAME))
                n++;
            if (n > p->len - p->pos)
                n = p->len - p->pos;
            step.text = arena_dup(p->arena, p->text + p->pos, n);
            step.len = n;
            p->pos += n;
            if (!step.text)
                parser_no_memory(p);
            c = look_joined(p);
        } else if (c != '[') {
            break;
        }
        if (c == '[' && !lex_subscript(p, &step.subscript, &step.subscript_all))
            break;
        stack_push(p, &step, sizeof step);
    }
    ref->steps = stack_take(p, mark, sizeof *ref->steps, &ref->step_count);
    return p->status == PARSE_OK;
}

bool lex_ref(struct parser *p, struct name_ref *ref)
{
    return lex_name(p, true, &ref->name) && ref->name && lex_ref_steps(p, ref);
}

static bool begins_name(struct parser *p, size_t n)
{
    int c = look_joined_ahead(p, n);
    if (c == '.')
        c = look_joined_ahead(p, n + 1);
    return c > 0 && cclass_is((char)c, CC_NAME_START);
}

/* The # ! @ that may precede the parameter, or be it. */
static void lex_prefix(struct parser *p, struct param *param)
{
    int c = look_joined(p);
    int next = c == '#' || c == '!' || c == '@' ? look_joined_ahead(p, 1) : -1;
    if (next <= 0)
        return;
    if (c == '#' && (begins_name(p, 1) || cclass_is((char)next, CC_DIGIT) ||
                     (strchr("@*?-$!#", next) && look_joined_ahead(p, 2) == '}')))
        param->prefix = PARAM_LENGTH;
    else if (c == '!' && begins_name(p, 1))
        param->prefix = PARAM_BANG;
    else if (c == '@' && begins_name(p, 1))
        param->prefix = PARAM_TYPE;
    if (param->prefix != PARAM_PLAIN)
        p->pos++;
}

static bool lex_arg(struct parser *p, enum word_mode mode, struct word **ret_word)
{
    *ret_word = lex_word(p, mode);
    return *ret_word != NULL;
}

/* What is no ${...} from the cursor on: skipped to the closing brace. */
static bool bad_substitution(struct parser *p, struct param *param, bool dquoted)
{
    if (look(p) < 0)
        return parser_unexpected(p);
    param->op = OP_BAD;
    return lex_arg(p, dquoted ? WORD_ARG_DQ : WORD_ARG, &param->arg);
}

static bool lex_parameter(struct parser *p, struct param *param, bool dquoted)
{
    int c = look_joined(p);
    if (c > 0 && cclass_is((char)c, CC_DIGIT)) {
        param->form = PARAM_POSITIONAL;
        uint64_t index = 0;
        for (; c > 0 && cclass_is((char)c, CC_DIGIT); c = look_joined(p)) {
            index = index * 10 + (uint64_t)(c - '0');
            if (index > UINT32_MAX)
                index = UINT32_MAX;
            p->pos++;
        }
        param->index = (uint32_t)index;
        return true;
    }
    if (c > 0 && strchr("@*#?-$!", c)) {
        param->form = PARAM_SPECIAL;
        param->special = (char)c;
        p->pos++;
        return true;
    }
    if (!begins_name(p, 0)) {
        param->form = PARAM_SPECIAL;
        return bad_substitution(p, param, dquoted);
    }
    param->form = PARAM_NAME;
    if (!lex_ref(p, &param->ref))
        return p->status == PARSE_OK ? parser_unexpected(p) : false;
    if (param->prefix != PARAM_BANG)
        return true;
    c = look_joined(p);
    if (c == '.' && look_ahead(p, 1) > 0 && strchr("@*", look_ahead(p, 1)) &&
        look_ahead(p, 2) == '}') {
        param->prefix = PARAM_PREFIXES;
        param->members = true;
        param->members_all = (char)look_ahead(p, 1);
        skip_over(p, 2);
        return true;
    }
    if ((c == '@' || c == '*') && look_joined_ahead(p, 1) == '}') {
        param->prefix = PARAM_PREFIXES;
        param->ref.subscript_all = (char)c;
        p->pos++;
    } else if (param->ref.subscript_all && param->ref.step_count == 0) {
        param->prefix = PARAM_KEYS;
    }
    return true;
}

/* :offset[:length] */
static bool lex_slice(struct parser *p, struct param *param, bool dquoted)
{
    if (look_joined(p) == '}') {
        param->colon = true; /* it was read */
        return bad_substitution(p, param, dquoted);
    }
    param->op = OP_SLICE;
    if (!lex_arith(p, ":}", &param->arg))
        return false;
    return !take(p, ':') || lex_arith(p, "}", &param->arg2);
}

/* /pattern/text with // /# /% */
static bool lex_substitute(struct parser *p, struct param *param)
{
    param->op = OP_SUBST;
    if (take(p, '/'))
        param->op = OP_SUBST_ALL;
    else if (take(p, '#'))
        param->op = OP_SUBST_PREFIX;
    else if (look_ahead(p, 1) != '(' && take(p, '%')) /* %( begins a pattern */
        param->op = OP_SUBST_SUFFIX;
    return lex_arg(p, WORD_SUBST, &param->arg) &&
           (!take(p, '/') || lex_arg(p, WORD_REPLACE, &param->arg2));
}

/* The operators that take one word; after the operator's first byte. */
static bool lex_word_op(struct parser *p, struct param *param, int c, bool dquoted)
{
    static const struct {
        char c;
        uint8_t once, twice;
    } ops[] = {
        { '-', OP_DEFAULT, 0 },
        { '=', OP_ASSIGN, 0 },
        { '?', OP_ERROR, 0 },
        { '+', OP_ALT, 0 },
        { '#', OP_TRIM_PREFIX, OP_TRIM_PREFIX_LONG },
        { '%', OP_TRIM_SUFFIX, OP_TRIM_SUFFIX_LONG },
        { '^', OP_UPPER_FIRST, OP_UPPER_ALL },
        { ',', OP_LOWER_FIRST, OP_LOWER_ALL },
    };
    size_t i = 0;
    while (ops[i].c != c)
        i++;
    bool twice = ops[i].twice && take(p, (char)c);
    param->op = twice ? ops[i].twice : ops[i].once;
    if ((c == '^' || c == ',') && look_joined(p) == '}')
        return true;
    enum word_mode mode = dquoted ? WORD_ARG_DQ : WORD_ARG;
    return lex_arg(p, ops[i].twice ? WORD_TRIM : mode, &param->arg);
}

static bool lex_operator(struct parser *p, struct param *param, bool dquoted)
{
    int c = look_joined(p);
    if (c == '}')
        return true;
    if (c <= 0 || !strchr(":-=?+#%/^,@", c) || param->prefix == PARAM_LENGTH)
        return bad_substitution(p, param, dquoted);
    if (c == '@') {
        c = look_joined_ahead(p, 1);
        if (c <= 0 || !cclass_is((char)c, CC_NAME_START) || look_joined_ahead(p, 2) != '}')
            return bad_substitution(p, param, dquoted);
        param->op = OP_TRANSFORM;
        param->transform = (char)c;
        skip_joined(p, 2);
        return true;
    }
    p->pos++;
    if (c == ':') {
        c = look_joined(p);
        if (c <= 0 || !strchr("-=?+", c))
            return lex_slice(p, param, dquoted);
        p->pos++;
        param->colon = true;
    }
    if (c == '/')
        return lex_substitute(p, param);
    return lex_word_op(p, param, c, dquoted);
}

struct param *lex_braced(struct parser *p, bool dquoted)
{
    uint32_t line = parser_line(p);
    struct param *param = parser_alloc(p, sizeof *param);
    if (!param)
        return NULL;
    param->braced = true;
    param->cache = parser_cache(p);
    lex_prefix(p, param);
    if (look_joined(p) >= 0 && !lex_parameter(p, param, dquoted))
        return NULL;
    if (look_joined(p) >= 0 && param->op == OP_NONE && !lex_operator(p, param, dquoted))
        return NULL;
    if (look_joined(p) != '}') {
        parser_missing(p, "{", line);
        return NULL;
    }
    p->pos++;
    return param;
}
