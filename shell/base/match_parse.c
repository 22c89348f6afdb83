/*
 * Shell patterns to syntax trees.
 *
 *   pattern  := list
 *   list     := both { "|" both }               (both only inside a group)
 *   both     := sequence { "&" sequence }
 *   sequence := { element }
 *   element  := char | "\" char | "\" digit | "*" | "?" | bracket | group | options
 *   group    := kind ["-"] "(" list ")" | "%(" pairs ")"
 *   kind     := "?" | "*" | "+" | "@" | "!" | "{" bounds "}"
 *   options  := "~(" letters [":" list] ")"
 *
 * Owns the nodes of a pattern while it is compiled. Inside a group a plain "(" opens a group too.
 * Groups are numbered by their "("; those beyond MATCH_CAPTURE_MAX match but are not captured. What
 * is malformed sets `malformed` and the caller takes the text literally.
 */
#include "shell/base/match_internal.h"

#include <string.h>

#include "shell/base/cclass.h"

enum { CHUNK_NODES = 60 };
struct node_chunk {
    struct node_chunk *next;
    size_t used;
    struct node nodes[CHUNK_NODES];
};

void *table_add(struct table *t)
{
    if (t->count == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 16;
        char *data = mem_resize(mem_region_malloc(), t->data, cap * t->item_bytes);
        if (!data)
            return NULL;
        t->data = data;
        t->cap = cap;
    }
    void *item = t->data + t->count++ * t->item_bytes;
    memset(item, 0, t->item_bytes);
    return item;
}

void table_release(struct table *t)
{
    mem_free(t->data);
    *t = (struct table){ .item_bytes = t->item_bytes };
}

struct node *node_new(struct parse *ps, enum node_kind kind)
{
    struct node_chunk *chunk = ps->chunks;
    if (!chunk || chunk->used == CHUNK_NODES) {
        chunk = mem_alloc(mem_region_malloc(), sizeof *chunk);
        if (!chunk) {
            ps->no_memory = true;
            return NULL;
        }
        chunk->next = ps->chunks;
        chunk->used = 0;
        ps->chunks = chunk;
    }
    struct node *node = &chunk->nodes[chunk->used++];
    *node = (struct node){ .kind = (uint8_t)kind };
    return node;
}

struct node *node_char(struct parse *ps, uint32_t cp)
{
    struct node *node = node_new(ps, NODE_CHAR);
    if (node) {
        node->nocase = ps->nocase;
        node->value = ps->nocase ? utf8_to_lower(cp) : cp;
    }
    return node;
}

void parse_release(struct parse *ps)
{
    while (ps->chunks) {
        struct node_chunk *next = ps->chunks->next;
        mem_free_sized(mem_region_malloc(), ps->chunks, sizeof *ps->chunks);
        ps->chunks = next;
    }
    table_release(&ps->sets.sets);
    table_release(&ps->sets.ranges);
}

struct node *node_set(struct parse *ps, int set)
{
    struct node *node = set >= 0 ? node_new(ps, NODE_SET) : NULL;
    if (node)
        node->value = (uint32_t)set;
    ps->no_memory |= !node;
    return node;
}

struct node *node_group(struct parse *ps, uint32_t number, struct node *body)
{
    if (number <= 9)
        ps->closed_groups |= (uint64_t)1 << number;
    struct node *group = body && number < MATCH_CAPTURE_MAX ? node_new(ps, NODE_GROUP) : body;
    if (group && group != body) {
        group->value = number;
        group->child = body;
    }
    return group;
}

bool take_back(struct parse *ps, char c, struct node **ret)
{
    if (c < '1' || c > '9' || !(ps->closed_groups >> (c - '0') & 1))
        return false;
    ps->at++;
    *ret = node_new(ps, NODE_BACK);
    if (*ret) {
        (*ret)->value = (uint32_t)(c - '0');
        (*ret)->nocase = ps->nocase;
        ps->any_backref = true;
    }
    return true;
}

bool take_bare(struct parse *ps, char c)
{
    if (ps->at >= ps->end || *ps->at != c)
        return false;
    ps->at++;
    return true;
}

struct node *parse_others(struct parse *ps, enum node_kind kind, struct node *first, char c,
                          bool (*take)(struct parse *ps, char c),
                          struct node *(*next)(struct parse *ps))
{
    struct node *list = node_new(ps, kind);
    if (!list)
        return NULL;
    list->child = first;
    for (struct node *last = first; take(ps, c); last = last->next) {
        last->next = next(ps);
        if (!last->next)
            return NULL;
    }
    return list;
}

static struct node *bad_pattern(struct parse *ps)
{
    ps->malformed = true;
    return NULL;
}

struct node *parse_repeat(struct parse *ps, struct node *child, uint32_t min, uint32_t max,
                          uint32_t first_group)
{
    struct node *node = node_new(ps, NODE_REPEAT);
    if (node) {
        node->child = child;
        node->min = min;
        node->max = max;
        node->lazy = ps->lazy;
        node->first_group = first_group;
        node->value = ps->group_count + 1;
    }
    return node;
}

static bool parse_number(const char **at, const char *end, uint32_t *ret)
{
    enum { BOUND_MAX = 100000 };
    const char *p = *at;
    uint32_t n = 0;
    for (; p < end && cclass_is(*p, CC_DIGIT) && n < BOUND_MAX; p++)
        n = n * 10 + (uint32_t)(*p - '0');
    if (p == *at)
        return false;
    *at = p;
    *ret = n;
    return true;
}

bool parse_bounds(const char **at, const char *end, uint32_t *ret_min, uint32_t *ret_max)
{
    const char *p = *at + 1;
    uint32_t min = 0, max = REPEAT_INFINITE;
    bool some = parse_number(&p, end, &min);
    if (p < end && *p == ',') {
        p++;
        some |= parse_number(&p, end, &max);
    } else {
        max = min;
    }
    if (!some || p >= end || *p != '}' || min > max)
        return false;
    *at = p + 1;
    *ret_min = min;
    *ret_max = max;
    return true;
}

/* ---- groups ---- */

struct options {
    enum pattern_mode mode;
    bool nocase, lazy, multiline, spaced;
};
static struct options options_save(const struct parse *ps)
{
    return (struct options){
        .mode = ps->mode,
        .nocase = ps->nocase,
        .lazy = ps->lazy,
        .multiline = ps->multiline,
        .spaced = ps->spaced,
    };
}
static void options_restore(struct parse *ps, struct options saved)
{
    ps->mode = saved.mode;
    ps->nocase = saved.nocase;
    ps->lazy = saved.lazy;
    ps->multiline = saved.multiline;
    ps->spaced = saved.spaced;
}

static struct node *parse_list(struct parse *ps);
static struct node *parse_fixed(struct parse *ps);

/* What follows in the syntax in force, up to the end or the ")" of the shell's group around it. */
static struct node *parse_by_mode(struct parse *ps)
{
    if (ps->mode == MODE_SHELL)
        return parse_list(ps);
    if (ps->mode == MODE_FIXED)
        return parse_fixed(ps);
    ps->shell_depth = ps->depth;
    return parse_regex(ps);
}

/* list ")" with AT behind the "(". Options set inside end here. */
static struct node *parse_inside(struct parse *ps)
{
    if (ps->depth >= PARSE_DEPTH_MAX)
        return bad_pattern(ps);
    struct options saved = options_save(ps);
    ps->depth++;
    struct node *list = parse_by_mode(ps);
    ps->depth--;
    options_restore(ps, saved);
    if (!list)
        return NULL;
    if (ps->at >= ps->end || *ps->at != ')')
        return bad_pattern(ps);
    ps->at++;
    return list;
}

/* A group whose "(" (or "-(") is at AT. KIND is the character before it, or '{' with MIN and MAX.
 */
static struct node *parse_group(struct parse *ps, char kind, uint32_t min, uint32_t max)
{
    bool lazy = *ps->at == '-';
    ps->at += lazy ? 2 : 1;
    uint32_t number = ++ps->group_count;
    bool outer_lazy = ps->lazy;
    ps->lazy |= lazy;
    ps->any_lazy |= lazy;
    struct node *body = parse_inside(ps);
    if (!body)
        return NULL;
    if (kind == '!') {
        struct node *inverse = node_new(ps, NODE_NOT);
        if (inverse) {
            inverse->child = body;
            inverse->lazy = ps->lazy;
        }
        body = inverse;
    } else if (kind != '@') {
        body = parse_repeat(ps, body, min, max, number + 1);
    }
    ps->lazy = outer_lazy;
    return node_group(ps, number, body);
}

/* True when AT + SKIP is "(" or "-(". */
static bool opens_group(const struct parse *ps, size_t skip)
{
    size_t left = (size_t)(ps->end - ps->at);
    if (left > skip && ps->at[skip] == '(')
        return true;
    return left > skip + 1 && ps->at[skip] == '-' && ps->at[skip + 1] == '(';
}

/* "%(" pairs ")": the text between is kept and interpreted when it runs. */
static struct node *parse_nest(struct parse *ps)
{
    const char *pairs = ps->at + 2, *p = pairs;
    while (ps->end - p > 1 && *p != ')')
        p += 2;
    if (p >= ps->end || *p != ')')
        return bad_pattern(ps);
    uint32_t number = ++ps->group_count;
    struct node *nest = node_new(ps, NODE_NEST);
    if (!nest)
        return NULL;
    nest->value = (uint32_t)(pairs - ps->text);
    nest->max = (uint32_t)(p - pairs);
    ps->at = p + 1;
    return node_group(ps, number, nest);
}

/* ---- ~(options) and ~(options:list) ---- */

/* The syntax that an option letter asks for; MODE_COUNT: it asks for none. */
static enum pattern_mode option_mode(char letter)
{
    switch (letter) {
    case 'E':
        return MODE_ERE;
    case 'A':
    case 'X':
        return MODE_AUGMENTED;
    case 'B':
    case 'G':
    case 'V':
        return MODE_BRE;
    case 'P':
        return MODE_PERL;
    case 'F':
    case 'L':
        return MODE_FIXED;
    case 'K':
    case 'S':
        return MODE_SHELL;
    default:
        return MODE_COUNT;
    }
}

static void option_left(struct parse *ps, bool on)
{
    ps->left_fixed = on;
    ps->left_open = !on;
}
static void option_right(struct parse *ps, bool on)
{
    ps->right_fixed = on;
    ps->right_open = !on;
}

/* One option letter; false when it is none. */
static bool apply_option(struct parse *ps, char letter, bool on)
{
    enum pattern_mode mode = option_mode(letter);
    if (mode != MODE_COUNT) {
        ps->mode = on ? mode : MODE_SHELL;
        ps->any_lazy |= ps->mode == MODE_PERL;
        return true;
    }
    switch (letter) {
    case 'i':
        ps->nocase = on;
        break;
    case 'g':
        ps->lazy = !on;
        ps->any_lazy |= !on;
        break;
    case 'm':
        ps->multiline = on;
        break;
    case 'x':
        ps->spaced = on;
        break;
    case 'a':
        option_left(ps, on);
        option_right(ps, on);
        break;
    case 'l':
        option_left(ps, on);
        break;
    case 'r':
        option_right(ps, on);
        break;
    default:
        return strchr("MNOUps", letter) !=
               NULL; /* what they ask for is so anyway, or glob.c does it */
    }
    return true;
}

/* ~(F): the rest as it is, but for the backslash that quotes what is special to the shell. */
static struct node *parse_fixed(struct parse *ps)
{
    struct node *seq = node_new(ps, NODE_SEQ), **link = seq ? &seq->child : NULL;
    while (seq && ps->at < ps->end && !(ps->depth > 0 && *ps->at == ')')) {
        if (*ps->at == '\\' && ps->end - ps->at > 1 && !cclass_is(ps->at[1], CC_NAME))
            ps->at++;
        uint32_t cp;
        ps->at += utf8_decode(ps->at, ps->end, &cp);
        *link = node_char(ps, cp);
        if (!*link)
            return NULL;
        link = &(*link)->next;
    }
    return seq;
}

/* "~(" at AT. Without a list the options stay in force, and a change of syntax takes the rest of
 * the sequence; at the outermost level that need not match from the start and to the end. */
static struct node *parse_options(struct parse *ps)
{
    struct options saved = options_save(ps);
    bool on = true;
    ps->at += 2;
    for (; ps->at < ps->end && *ps->at != ')' && *ps->at != ':'; ps->at++) {
        if (*ps->at == '+' || *ps->at == '-')
            on = *ps->at == '+';
        else if (!apply_option(ps, *ps->at, on))
            break;
    }
    if (ps->at >= ps->end || (*ps->at != ')' && *ps->at != ':')) {
        options_restore(ps, saved); /* it asked for no regular expression */
        return bad_pattern(ps);
    }
    if (*ps->at++ == ':') {
        struct node *list = parse_inside(ps);
        options_restore(ps, saved);
        return list;
    }
    if (ps->mode == MODE_SHELL)
        return node_new(ps, NODE_EMPTY);
    if (ps->depth == 0) {
        ps->left_open |= !ps->left_fixed;
        ps->right_open |= !ps->right_fixed;
    }
    return parse_by_mode(ps);
}

/* ---- sequences ---- */

static struct node *parse_set(struct parse *ps)
{
    int set = set_parse(&ps->sets, &ps->at, ps->end, ps->depth ? SET_GROUP : SET_PLAIN, ps->nocase);
    if (set != SET_NONE)
        return node_set(ps, set);
    ps->at++;
    return node_char(ps, '[');
}

/* A backslash at AT. */
static struct node *parse_escape(struct parse *ps)
{
    if (ps->end - ps->at > 1)
        ps->at++;
    char c = *ps->at;
    struct node *back;
    if (take_back(ps, c, &back))
        return back;
    uint32_t cp;
    if ((ps->depth > 0 || !ps->names) && c && strchr("dDsSwW", c)) {
        ps->at++;
        return node_set(ps, set_add_escape(&ps->sets, c));
    }
    if (ps->depth > 0 && escape_char(&ps->at, ps->end, &cp))
        return node_char(ps, cp);
    ps->at += utf8_decode(ps->at, ps->end, &cp);
    return node_char(ps, cp);
}

/* One element of a sequence. */
static struct node *parse_element(struct parse *ps)
{
    char c = *ps->at;
    if (c == '\\')
        return parse_escape(ps);
    if (c == '~' && ps->end - ps->at > 1 && ps->at[1] == '(')
        return parse_options(ps);
    if (c == '%' && ps->end - ps->at > 1 && ps->at[1] == '(')
        return parse_nest(ps);
    if (strchr("?*+@!", c) && c && opens_group(ps, 1)) {
        ps->at++;
        return parse_group(ps, c, c == '+', c == '?' ? 1 : REPEAT_INFINITE);
    }
    if (c == '{') {
        uint32_t min, max;
        const char *after = ps->at;
        if (parse_bounds(&after, ps->end, &min, &max) &&
            opens_group(ps, (size_t)(after - ps->at))) {
            ps->at = after;
            return parse_group(ps, '{', min, max);
        }
    }
    if (c == '(' && ps->depth > 0)
        return parse_group(ps, '@', 1, 1);
    if (c == '[')
        return parse_set(ps);
    if (c == '*' || c == '?') {
        ps->at++;
        struct node *any = node_new(ps, NODE_ANY);
        return c == '?' || !any ? any
                                : parse_repeat(ps, any, 0, REPEAT_INFINITE, ps->group_count + 1);
    }
    uint32_t cp;
    ps->at += utf8_decode(ps->at, ps->end, &cp);
    return node_char(ps, cp);
}

static struct node *parse_sequence(struct parse *ps)
{
    struct node *seq = node_new(ps, NODE_SEQ);
    struct node **link = seq ? &seq->child : NULL;
    while (seq && ps->at < ps->end) {
        if (ps->depth > 0 && strchr(")|&", *ps->at) && *ps->at)
            break;
        struct node *element = parse_element(ps);
        if (!element)
            return NULL;
        if (element->kind == NODE_EMPTY)
            continue;
        *link = element;
        link = &element->next;
    }
    return seq;
}

static struct node *parse_both(struct parse *ps)
{
    struct node *first = parse_sequence(ps);
    if (!first || ps->depth == 0 || ps->at >= ps->end || *ps->at != '&')
        return first;
    return parse_others(ps, NODE_AND, first, '&', take_bare, parse_sequence);
}

static struct node *parse_list(struct parse *ps)
{
    struct node *first = parse_both(ps);
    if (!first || ps->depth == 0 || ps->at >= ps->end || *ps->at != '|')
        return first;
    struct node *list = parse_others(ps, NODE_ALT, first, '|', take_bare, parse_both);
    if (list && ps->lazy)
        order_alternatives(list);
    return list;
}

struct node *parse_shell(struct parse *ps)
{
    struct node *list = parse_list(ps);
    return ps->malformed || ps->no_memory ? NULL : list;
}
