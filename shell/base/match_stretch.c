/*
 * Patterns that are one character or class, repeated: +([0-9]), *( ), ^[a-z]+$ and the like.
 *
 * Many patterns of scripts are no more than that, and need no machinery: whatever is asked is how
 * far the characters go on. They have at most one group, around all of it. What stands before and
 * behind may be ^ and $ of the whole text. Compiled by match_code.c like all others, so that
 * nothing else needs to know; only the public functions ask here first.
 */
#include "shell/base/match_internal.h"

static const struct node *only_child(const struct node *node)
{
    while (node && node->kind == NODE_SEQ && node->child && !node->child->next)
        node = node->child;
    return node;
}

static bool is_assert(const struct node *node, enum assert_kind kind)
{
    return node && node->kind == NODE_ASSERT && node->value == kind;
}

/* Takes ^ and $ off the sequence NODE; what is left, NULL: more than one. */
static const struct node *strip_anchors(const struct node *node, struct stretch *ret)
{
    if (node->kind != NODE_SEQ)
        return node;
    const struct node *first = node->child;
    if (is_assert(first, ASSERT_START)) {
        ret->from_start = true;
        first = first->next;
    }
    if (!first || !first->next)
        return first;
    if (first->next->next || !is_assert(first->next, ASSERT_END))
        return NULL;
    ret->to_end = true;
    return first;
}

static void fill_table(const struct pattern *p, struct stretch *stretch)
{
    for (uint32_t cp = 0; cp < 128; cp++)
        stretch->ascii[cp] = inst_takes(p, &stretch->inst, cp);
}

void stretch_find(struct pattern *p, const struct node *root)
{
    struct stretch *ret = &p->stretch;
    const struct node *node = only_child(root);
    node = node ? only_child(strip_anchors(node, ret)) : NULL;
    if (node && node->kind == NODE_GROUP) {
        ret->group = true;
        node = only_child(node->child);
    }
    ret->min = ret->max = 1;
    if (node && node->kind == NODE_REPEAT) {
        ret->min = node->min;
        ret->max = node->max;
        node = only_child(node->child);
    }
    if (!node || p->period || p->by_preference || p->backtracks)
        return;
    if (node->kind == NODE_CHAR)
        ret->inst.op = node->nocase ? OP_CHAR_FOLD : OP_CHAR;
    else if (node->kind == NODE_ANY)
        ret->inst.op = OP_ANY;
    else if (node->kind == NODE_SET)
        ret->inst.op = OP_SET;
    else
        return;
    ret->inst.x = node->value;
    ret->from_start |= p->left_fixed;
    ret->to_end |= p->right_fixed;
    fill_table(p, ret);
    p->is_stretch = true;
}

/* How far characters of the pattern go on from AT, MAX of them at most; their number is added to
 * *COUNT. */
static const char *go_on(const struct pattern *p, const char *at, const char *end, uint32_t max,
                         uint32_t *count)
{
    const struct stretch *stretch = &p->stretch;
    uint32_t n = 0;
    while (at < end && n < max) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x80) {
            if (!stretch->ascii[byte])
                break;
            at++;
        } else {
            uint32_t cp;
            size_t bytes = utf8_decode(at, end, &cp);
            if (!inst_takes(p, &stretch->inst, cp))
                break;
            at += bytes;
        }
        n += n < UINT32_MAX;
    }
    *count = n;
    return at;
}

/* The same backwards from END. */
static const char *go_back(const struct pattern *p, const char *first, const char *end,
                           uint32_t max, uint32_t *count)
{
    uint32_t n = 0;
    while (end > first && n < max) {
        unsigned char byte = (unsigned char)end[-1];
        if (byte < 0x80) {
            if (!p->stretch.ascii[byte])
                break;
            end--;
            n += n < UINT32_MAX;
            continue;
        }
        const char *before = utf8_prev(first, end);
        uint32_t cp;
        utf8_decode(before, end, &cp);
        if (!inst_takes(p, &p->stretch.inst, cp))
            break;
        end = before;
        n += n < UINT32_MAX;
    }
    *count = n;
    return end;
}

ptrdiff_t stretch_prefix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    const struct stretch *stretch = &p->stretch;
    const char *end = text + len;
    uint32_t count, max = longest || stretch->to_end ? stretch->max : stretch->min;
    const char *at = go_on(p, text, end, max, &count);
    if (count < stretch->min || (stretch->to_end && at < end))
        return -1;
    return at - text;
}

ptrdiff_t stretch_suffix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    const struct stretch *stretch = &p->stretch;
    uint32_t count, max = longest || stretch->from_start ? stretch->max : stretch->min;
    const char *at = go_back(p, text, text + len, max, &count);
    if (count < stretch->min || (stretch->from_start && at > text))
        return -1;
    return at - text;
}

/* Skips what cannot begin a match. */
static const char *skip_others(const struct stretch *stretch, const char *at, const char *end)
{
    while (at < end && (unsigned char)*at < 0x80 && !stretch->ascii[(unsigned char)*at])
        at++;
    return at;
}

bool stretch_search(const struct pattern *p, const char *text, size_t len, size_t start,
                    struct match_span *ret_span)
{
    const struct stretch *stretch = &p->stretch;
    const char *at = text + start, *end = text + len;
    if (stretch->from_start || stretch->to_end) {
        if (stretch->from_start && start > 0)
            return false;
        ptrdiff_t edge = stretch->from_start ? stretch_prefix(p, text, len, true)
                                             : stretch_suffix(p, at, len - start, true);
        if (edge < 0)
            return false;
        *ret_span = stretch->from_start
                        ? (struct match_span){ 0, edge }
                        : (struct match_span){ (ptrdiff_t)start + edge, (ptrdiff_t)len };
        return true;
    }
    for (;;) {
        uint32_t count;
        if (stretch->min > 0)
            at = skip_others(stretch, at, end);
        const char *after = go_on(p, at, end, stretch->max, &count);
        if (count >= stretch->min) {
            *ret_span = (struct match_span){ at - text, after - text };
            return true;
        }
        if (after >= end)
            return false;
        at = after + utf8_char_bytes(after, end);
    }
}

bool stretch_matches(const struct pattern *p, const char *text, size_t len)
{
    struct match_span span;
    if (p->left_open || p->right_open) {
        if (p->left_open && p->right_open)
            return stretch_search(p, text, len, 0, &span);
        return p->right_open ? stretch_prefix(p, text, len, false) >= 0
                             : stretch_suffix(p, text, len, false) >= 0;
    }
    uint32_t count;
    const char *after = go_on(p, text, text + len, p->stretch.max, &count);
    return count >= p->stretch.min && after == text + len;
}
