/*
 * Regular expressions to syntax trees: extended, basic, augmented (extended with &) and Perl's.
 *
 *   regex := both { "|" both }        both := branch { "&" branch }    (& only in augmented ones)
 *   branch := { atom { "*" | "+" | "?" | "{" bounds "}" } }
 *   atom := char | "." | bracket | "^" | "$" | "\" escape | "(" ["?" ...] regex ")"
 *
 * In basic ones the operators are \| \( \) \{ \} \+ \?. Shares nodes and options with
 * match_parse.c. A malformed one sets `malformed`. The escapes \d \w \s \b and the lazy quantifiers
 * of Perl are known in all of them, since what they would mean otherwise is undefined.
 */
#include "shell/base/match_internal.h"

#include <string.h>

#include "shell/base/cclass.h"

static struct node *bad_regex(struct parse *ps)
{
    ps->malformed = true;
    return NULL;
}

/* True when operator C is at AT: escaped by a backslash in basic expressions, bare in the others.
 */
static bool at_operator(const struct parse *ps, char c)
{
    if (ps->mode == MODE_BRE)
        return ps->end - ps->at > 1 && ps->at[0] == '\\' && ps->at[1] == c;
    return ps->at < ps->end && *ps->at == c;
}

static bool take_operator(struct parse *ps, char c)
{
    if (!at_operator(ps, c))
        return false;
    ps->at += ps->mode == MODE_BRE ? 2 : 1;
    return true;
}

/* A ")" that ends the innermost group: always bare when that was opened by the shell's ~(G: ; the
 * outermost level has none. */
static bool at_close(const struct parse *ps)
{
    if (ps->depth != ps->shell_depth)
        return at_operator(ps, ')');
    return ps->depth > 0 && ps->at < ps->end && *ps->at == ')';
}

static struct node *assertion(struct parse *ps, enum assert_kind kind)
{
    struct node *node = node_new(ps, NODE_ASSERT);
    if (node)
        node->value = kind;
    return node;
}

/* ---- groups ---- */

static struct node *parse_body(struct parse *ps)
{
    if (ps->depth >= PARSE_DEPTH_MAX)
        return bad_regex(ps);
    bool nocase = ps->nocase, multiline = ps->multiline, spaced = ps->spaced;
    ps->depth++;
    struct node *body = parse_regex(ps);
    ps->depth--;
    ps->nocase = nocase;
    ps->multiline = multiline;
    ps->spaced = spaced;
    if (body && !take_operator(ps, ')'))
        return bad_regex(ps);
    return body;
}

/* Captured as the next group. AT is behind the "(". */
static struct node *parse_capture(struct parse *ps)
{
    uint32_t number = ++ps->group_count;
    return node_group(ps, number, parse_body(ps));
}

/* (?i) (?-i) (?i:...) with AT at the letters. */
static struct node *parse_flags(struct parse *ps)
{
    bool on = true, nocase = ps->nocase, multiline = ps->multiline, spaced = ps->spaced;
    for (; ps->at < ps->end && *ps->at != ')' && *ps->at != ':'; ps->at++) {
        if (*ps->at == '-')
            on = false;
        else if (*ps->at == 'i')
            ps->nocase = on;
        else if (*ps->at == 'm')
            ps->multiline = on;
        else if (*ps->at == 'x')
            ps->spaced = on;
        else if (*ps->at != 's') /* a dot matches newlines anyway */
            return bad_regex(ps);
    }
    if (ps->at >= ps->end)
        return bad_regex(ps);
    if (*ps->at++ == ')')
        return node_new(ps, NODE_EMPTY);
    struct node *body = parse_body(ps);
    ps->nocase = nocase;
    ps->multiline = multiline;
    ps->spaced = spaced;
    return body;
}

/* (?=..) (?!..) and, with BEHIND, (?<=..) (?<!..) with AT behind the question mark. */
static struct node *parse_look(struct parse *ps, bool behind)
{
    ps->at += behind;
    bool negate = *ps->at++ == '!';
    struct node *body = parse_body(ps);
    struct node *look = body ? node_new(ps, NODE_LOOK) : NULL;
    if (look) {
        look->child = body;
        look->negate = negate;
        look->value = behind;
    }
    return look;
}

/* What follows "(?". */
static struct node *parse_special(struct parse *ps)
{
    size_t left = (size_t)(ps->end - ps->at);
    if (left > 0 && *ps->at == ':') {
        ps->at++;
        return parse_body(ps);
    }
    bool behind = left > 1 && *ps->at == '<' && (ps->at[1] == '=' || ps->at[1] == '!');
    if (behind || (left > 0 && (*ps->at == '=' || *ps->at == '!')))
        return parse_look(ps, behind);
    if (left > 0 && *ps->at == '#') {
        const char *close = memchr(ps->at, ')', left);
        if (!close)
            return bad_regex(ps);
        ps->at = close + 1;
        return node_new(ps, NODE_EMPTY);
    }
    size_t name = left > 0 && *ps->at == 'P'; /* (?P<name> and (?<name> */
    if (left > name + 1 && ps->at[name] == '<' && cclass_is(ps->at[name + 1], CC_NAME_START)) {
        const char *close = memchr(ps->at, '>', left);
        if (!close)
            return bad_regex(ps);
        ps->at = close + 1;
        return parse_capture(ps);
    }
    return parse_flags(ps);
}

/* ---- atoms ---- */

/* A backslash at AT that is no operator of a basic expression. */
static struct node *parse_escape(struct parse *ps)
{
    if (ps->end - ps->at < 2)
        return bad_regex(ps);
    char c = *++ps->at;
    struct node *back;
    if (take_back(ps, c, &back))
        return back;
    static const char assert_letters[] = "bB<>AzZ";
    static const uint8_t assert_kinds[] = { ASSERT_WORD,     ASSERT_NOT_WORD, ASSERT_WORD_START,
                                            ASSERT_WORD_END, ASSERT_START,    ASSERT_END,
                                            ASSERT_END };
    const char *found = c ? strchr(assert_letters, c) : NULL;
    if (found) {
        ps->at++;
        return assertion(ps, assert_kinds[found - assert_letters]);
    }
    if (c && strchr("dDsSwW", c)) {
        ps->at++;
        return node_set(ps, set_add_escape(&ps->sets, c));
    }
    uint32_t cp;
    if (!escape_char(&ps->at, ps->end, &cp))
        ps->at += utf8_decode(ps->at, ps->end, &cp);
    return node_char(ps, cp);
}

/* In basic expressions ^ and $ are special only at the ends of a branch. */
static bool dollar_is_end(const struct parse *ps)
{
    if (ps->mode != MODE_BRE)
        return true;
    struct parse next = *ps;
    next.at++;
    return next.at >= next.end || at_operator(&next, '|') || at_close(&next);
}

static struct node *parse_atom(struct parse *ps, bool first)
{
    if (take_operator(ps, '(')) {
        if (ps->mode != MODE_BRE && ps->at < ps->end && *ps->at == '?') {
            ps->at++;
            return parse_special(ps);
        }
        return parse_capture(ps);
    }
    char c = *ps->at;
    bool basic = ps->mode == MODE_BRE;
    if (c == '\\')
        return parse_escape(ps);
    if (c == '[') {
        int set = set_parse(&ps->sets, &ps->at, ps->end, SET_REGEX, ps->nocase);
        return set == SET_NONE ? bad_regex(ps) : node_set(ps, set);
    }
    if (c == '.') {
        ps->at++;
        return node_new(ps, NODE_ANY);
    }
    if ((c == '^' && (first || !basic)) || (c == '$' && dollar_is_end(ps))) {
        ps->at++;
        if (ps->multiline)
            return assertion(ps, c == '^' ? ASSERT_LINE_START : ASSERT_LINE_END);
        return assertion(ps, c == '^' ? ASSERT_START : ASSERT_END);
    }
    if (!basic && c && strchr("*+?", c))
        return bad_regex(ps);
    uint32_t cp;
    ps->at += utf8_decode(ps->at, ps->end, &cp);
    return node_char(ps, cp);
}

/* The quantifier at AT, if there is one. */
static bool take_quantifier(struct parse *ps, uint32_t *ret_min, uint32_t *ret_max)
{
    *ret_min = 0;
    *ret_max = REPEAT_INFINITE;
    if (ps->at < ps->end && *ps->at == '*') {
        ps->at++;
        return true;
    }
    if (take_operator(ps, '+')) {
        *ret_min = 1;
        return true;
    }
    if (take_operator(ps, '?')) {
        *ret_max = 1;
        return true;
    }
    if (!at_operator(ps, '{'))
        return false;
    if (ps->mode != MODE_BRE) {
        bool omitted = ps->end - ps->at > 1 && ps->at[1] == ','; /* {,n} is text here */
        return !omitted && parse_bounds(&ps->at, ps->end, ret_min, ret_max);
    }
    /* \{n,m\}: the bounds end in a backslash and a brace. */
    const char *open = ps->at + 1, *close = open;
    while (close < ps->end && *close != '\\')
        close++;
    char bounds[32];
    size_t len = (size_t)(close - open);
    if (ps->end - close < 2 || close[1] != '}' || len + 1 > sizeof bounds) {
        bad_regex(ps);
        return false;
    }
    memcpy(bounds, open, len);
    bounds[len] = '}';
    const char *at = bounds;
    if (!parse_bounds(&at, bounds + len + 1, ret_min, ret_max)) {
        bad_regex(ps);
        return false;
    }
    ps->at = close + 2;
    return true;
}

/* Passes over what (?x) makes comment. */
static void skip_spaces(struct parse *ps)
{
    for (; ps->spaced && ps->at < ps->end; ps->at++) {
        if (*ps->at == '#') {
            const char *line = memchr(ps->at, '\n', (size_t)(ps->end - ps->at));
            ps->at = line ? line : ps->end - 1;
        } else if (!cclass_is(*ps->at, CC_SPACE)) {
            return;
        }
    }
}

static struct node *parse_branch(struct parse *ps)
{
    struct node *seq = node_new(ps, NODE_SEQ);
    struct node **link = seq ? &seq->child : NULL;
    for (;;) {
        skip_spaces(ps);
        if (!seq || ps->at >= ps->end)
            break;
        if (at_operator(ps, '|') || at_close(ps) || (ps->mode == MODE_AUGMENTED && *ps->at == '&'))
            break;
        uint32_t first_group = ps->group_count + 1, min, max;
        struct node *atom = parse_atom(ps, seq->child == NULL);
        while (atom && atom->kind != NODE_EMPTY && take_quantifier(ps, &min, &max)) {
            bool outer = ps->lazy;
            if (ps->mode != MODE_BRE && ps->at < ps->end && *ps->at == '?') {
                ps->at++;
                ps->lazy = !ps->lazy;
                ps->any_lazy = true;
            }
            atom = parse_repeat(ps, atom, min, max, first_group);
            ps->lazy = outer;
        }
        if (!atom || ps->malformed)
            return NULL;
        if (atom->kind == NODE_EMPTY)
            continue;
        *link = atom;
        link = &atom->next;
    }
    return seq;
}

static struct node *parse_both(struct parse *ps)
{
    struct node *first = parse_branch(ps);
    if (!first || ps->mode != MODE_AUGMENTED || ps->at >= ps->end || *ps->at != '&')
        return first;
    return parse_others(ps, NODE_AND, first, '&', take_bare, parse_branch);
}

struct node *parse_regex(struct parse *ps)
{
    struct node *first = parse_both(ps);
    if (!first || !at_operator(ps, '|'))
        return first;
    struct node *list = parse_others(ps, NODE_ALT, first, '|', take_operator, parse_both);
    if (list && ps->lazy && ps->mode != MODE_PERL)
        order_alternatives(list);
    return list;
}
