/*
 * Patterns of only literal characters, ?, [ ] and *, which is nearly all patterns of nearly all
 * scripts.
 *
 * Such a pattern is a list of segments separated by stars. A segment takes a fixed number of
 * characters, so that matching each one at the first place after the one before (or, from the end,
 * the last place) is always right and nothing is ever tried again. Segments that are plain bytes
 * are found by memmem.
 *
 * Bytes are compared as bytes where that cannot split a character of the text, that is for valid
 * UTF-8. Must not allocate after compiling.
 */
#include "shell/base/match_internal.h"

#include <string.h>

#include "shell/base/cclass.h"
#include "shell/base/str.h"

/* ---- compiling ---- */

struct builder {
    struct table segs, elems;
    struct set_tables sets;
    struct str bytes;
    bool nocase, failed;
    bool open_left, star; /* a star came first; a star came last */
};

static struct glob_seg *current_seg(struct builder *b)
{
    if (b->segs.count == 0 || b->star) {
        struct glob_seg *seg = table_add(&b->segs);
        if (!seg) {
            b->failed = true;
            return NULL;
        }
        seg->first = (uint32_t)b->elems.count;
        b->star = false;
        return seg;
    }
    return (struct glob_seg *)(void *)b->segs.data + b->segs.count - 1;
}

static struct glob_elem *add_elem(struct builder *b, enum glob_kind kind, uint32_t x)
{
    struct glob_seg *seg = current_seg(b);
    struct glob_elem *elem = seg ? table_add(&b->elems) : NULL;
    if (!elem) {
        b->failed = true;
        return NULL;
    }
    elem->kind = (uint8_t)kind;
    elem->x = x;
    seg->count++;
    return elem;
}

/* Appends literal bytes to the literal that is being collected, or starts one. */
static void add_bytes(struct builder *b, const char *bytes, size_t len)
{
    enum glob_kind kind = b->nocase ? GLOB_FOLD : GLOB_BYTES;
    struct glob_seg *seg = current_seg(b);
    struct glob_elem *last = NULL;
    if (seg && seg->count > 0)
        last = (struct glob_elem *)(void *)b->elems.data + b->elems.count - 1;
    if (!last || last->kind != kind)
        last = add_elem(b, kind, (uint32_t)b->bytes.len);
    if (!last)
        return;
    str_append(&b->bytes, bytes, len);
    last->len += (uint32_t)len;
}

static bool is_valid_utf8(const char *p, size_t len)
{
    for (const char *end = p + len; p < end;) {
        uint32_t cp;
        p += utf8_decode(p, end, &cp);
        if (cp >= 0x110000)
            return false;
    }
    return true;
}

static void finish_seg(struct builder *b, struct glob_seg *seg)
{
    struct glob_elem *elems = (struct glob_elem *)(void *)b->elems.data + seg->first;
    for (uint32_t i = 0; i < seg->count; i++) {
        struct glob_elem *elem = &elems[i];
        if (elem->kind == GLOB_ANY || elem->kind == GLOB_SET) {
            seg->chars++;
            seg->min_bytes++;
            continue;
        }
        const char *bytes = str_text(&b->bytes) + elem->x;
        size_t chars = utf8_count(bytes, elem->len);
        seg->chars += (uint32_t)chars;
        seg->min_bytes += elem->kind == GLOB_BYTES ? elem->len : (uint32_t)chars;
        if (elem->kind == GLOB_BYTES && utf8_active && !is_valid_utf8(bytes, elem->len))
            elem->kind = GLOB_CHARS;
    }
    seg->plain = seg->count == 1 && elems[0].kind == GLOB_BYTES;
}

static void scan_text(struct builder *b, const char *text, size_t len, bool literal)
{
    const char *end = text + len;
    for (const char *p = text; p < end && !b->failed;) {
        char c = *p;
        if (c == '*' && !literal) {
            b->open_left |= b->segs.count == 0;
            b->star = true;
            p++;
        } else if (c == '?' && !literal) {
            add_elem(b, GLOB_ANY, 0);
            p++;
        } else if (c == '[' && !literal) {
            int set = set_parse(&b->sets, &p, end, SET_PLAIN, b->nocase);
            b->failed |= set == SET_NO_MEMORY;
            if (set == SET_NONE)
                add_bytes(b, p++, 1);
            else
                add_elem(b, GLOB_SET, (uint32_t)set);
        } else {
            if (c == '\\' && end - p > 1)
                p++;
            const char *run = p++;
            while (p < end && (literal ? *p != '\\' : !cclass_is(*p, CC_PATTERN)))
                p++;
            add_bytes(b, run, (size_t)(p - run));
        }
    }
}

static void *piece(char *base, size_t *at, const struct table *from)
{
    *at = (*at + 7) & ~(size_t)7;
    char *to = base ? base + *at : NULL;
    size_t bytes = from->count * from->item_bytes;
    if (to && bytes)
        memcpy(to, from->data, bytes);
    *at += bytes;
    return to;
}

static size_t lay_out(struct builder *b, struct pattern *p, char *base)
{
    size_t at = sizeof *p;
    p->segs = piece(base, &at, &b->segs);
    p->elems = piece(base, &at, &b->elems);
    p->sets = piece(base, &at, &b->sets.sets);
    p->ranges = piece(base, &at, &b->sets.ranges);
    p->text = base ? base + at : NULL;
    if (base && b->bytes.len)
        memcpy(base + at, b->bytes.data, b->bytes.len);
    return at + b->bytes.len;
}

static struct pattern *build(struct mem_region *region, struct builder *b, unsigned flags)
{
    struct glob_seg *segs = (struct glob_seg *)(void *)b->segs.data;
    for (size_t i = 0; i < b->segs.count; i++)
        finish_seg(b, &segs[i]);
    struct pattern head = {
        .region = region,
        .is_glob = true,
        .period = (flags & PATTERN_PERIOD) != 0,
        .seg_count = (uint32_t)b->segs.count,
        .left_open = b->open_left,
        .right_open = b->star,
    };
    head.bytes = lay_out(b, &head, NULL);
    struct pattern *p = mem_alloc(region, head.bytes);
    if (!p)
        return NULL;
    *p = head;
    lay_out(b, p, (char *)p);
    return p;
}

struct pattern *glob_compile(struct mem_region *region, const char *text, size_t len,
                             unsigned flags, bool literal)
{
    struct builder b = {
        .segs = { .item_bytes = sizeof(struct glob_seg) },
        .elems = { .item_bytes = sizeof(struct glob_elem) },
        .sets = { .sets = { .item_bytes = sizeof(struct char_set) },
                  .ranges = { .item_bytes = sizeof(struct char_range) } },
        .nocase = (flags & PATTERN_NOCASE) != 0,
    };
    str_init(&b.bytes, mem_region_malloc());
    scan_text(&b, text, len, literal);
    struct pattern *p = b.failed || !str_ok(&b.bytes) ? NULL : build(region, &b, flags);
    str_release(&b.bytes);
    table_release(&b.segs);
    table_release(&b.elems);
    table_release(&b.sets.sets);
    table_release(&b.sets.ranges);
    return p;
}

/* ---- matching segments ---- */

/* Characters of a literal against the text; the end of the match or NULL. */
static const char *match_chars(const char *q, size_t len, bool fold, const char *p, const char *end)
{
    const char *q_end = q + len;
    while (q < q_end) {
        uint32_t want, have;
        if (p >= end)
            return NULL;
        q += utf8_decode(q, q_end, &want);
        p += utf8_decode(p, end, &have);
        if (want != have && !(fold && utf8_to_lower(want) == utf8_to_lower(have)))
            return NULL;
    }
    return p;
}

/* The end of SEG matched at P, or NULL. */
static const char *seg_match(const struct pattern *p, const struct glob_seg *seg, const char *at,
                             const char *end)
{
    if (end - at < (ptrdiff_t)seg->min_bytes)
        return NULL;
    for (uint32_t i = 0; i < seg->count; i++) {
        const struct glob_elem *elem = &p->elems[seg->first + i];
        const char *bytes = p->text + elem->x;
        uint32_t cp;
        switch ((enum glob_kind)elem->kind) {
        case GLOB_BYTES:
            if (end - at < (ptrdiff_t)elem->len || memcmp(at, bytes, elem->len) != 0)
                return NULL;
            at += elem->len;
            break;
        case GLOB_FOLD:
        case GLOB_CHARS:
            at = match_chars(bytes, elem->len, elem->kind == GLOB_FOLD, at, end);
            if (!at)
                return NULL;
            break;
        case GLOB_ANY:
            if (at >= end)
                return NULL;
            at += utf8_char_bytes(at, end);
            break;
        case GLOB_SET:
            if (at >= end)
                return NULL;
            at += utf8_decode(at, end, &cp);
            if (!set_has(&p->sets[elem->x], p->ranges, cp))
                return NULL;
            break;
        }
    }
    return at;
}

/* A match within a text: from START to END (both NULL when there is none). */
struct place {
    const char *start, *end;
};

/* Skips ASCII characters that are not in SET. */
static const char *set_find(const struct char_set *set, const char *at, const char *end)
{
    while (at < end) {
        unsigned char byte = (unsigned char)*at;
        if (byte >= 0x80 || (set->ascii[byte / 32] >> (byte % 32)) & 1)
            break;
        at++;
    }
    return at;
}

/* The first place of SEG in the text from AT to END. */
static struct place seg_find(const struct pattern *p, const struct glob_seg *seg, const char *at,
                             const char *end)
{
    const struct glob_elem *lead = &p->elems[seg->first];
    const char *bytes = p->text + lead->x;
    while (end - at >= (ptrdiff_t)seg->min_bytes) {
        if (lead->kind == GLOB_BYTES) {
            at = lead->len == 1 ? memchr(at, bytes[0], (size_t)(end - at))
                                : memmem(at, (size_t)(end - at), bytes, lead->len);
            if (!at)
                break;
        } else if (lead->kind == GLOB_SET) {
            at = set_find(&p->sets[lead->x], at, end);
        }
        const char *after = seg->plain ? at + lead->len : seg_match(p, seg, at, end);
        if (after)
            return (struct place){ at, after };
        if (at >= end)
            break;
        at += utf8_char_bytes(at, end);
    }
    return (struct place){ NULL, NULL };
}

/* Where SEG would start to end at END; NULL when there are too few characters behind FIRST. */
static const char *seg_start(const struct glob_seg *seg, const struct pattern *p, const char *first,
                             const char *end)
{
    if (end - first < (ptrdiff_t)seg->min_bytes)
        return NULL;
    if (seg->plain)
        return end - p->elems[seg->first].len;
    for (uint32_t n = seg->chars; n > 0; n--) {
        if (end <= first)
            return NULL;
        end = utf8_prev(first, end);
    }
    return end;
}

/* SEG ending exactly at END, not before FIRST. */
static struct place seg_match_end(const struct pattern *p, const struct glob_seg *seg,
                                  const char *first, const char *end)
{
    const char *at = seg_start(seg, p, first, end);
    if (at && seg_match(p, seg, at, end) == end)
        return (struct place){ at, end };
    return (struct place){ NULL, NULL };
}

/* The last place of SEG between FIRST and END. */
static struct place seg_find_last(const struct pattern *p, const struct glob_seg *seg,
                                  const char *first, const char *end)
{
    const struct glob_elem *lead = &p->elems[seg->first];
    const char *at = seg_start(seg, p, first, end);
    while (at) {
        if (lead->kind == GLOB_BYTES) {
            at = memrchr(first, p->text[lead->x], (size_t)(at - first) + 1);
            if (!at)
                break;
        }
        const char *after = seg_match(p, seg, at, end);
        if (after)
            return (struct place){ at, after };
        at = at > first ? utf8_prev(first, at) : NULL;
    }
    return (struct place){ NULL, NULL };
}

/* ---- whole patterns ---- */

/* Segments FROM to TO - 1 one after the other, each at its first place; behind the last, or NULL.
 */
static const char *find_all(const struct pattern *p, uint32_t from, uint32_t to, const char *at,
                            const char *end)
{
    for (uint32_t i = from; i < to && at; i++)
        at = seg_find(p, &p->segs[i], at, end).end;
    return at;
}

/* The same from the end: each at its last place; the start of the first, or NULL. */
static const char *find_all_back(const struct pattern *p, uint32_t from, uint32_t to,
                                 const char *first, const char *end)
{
    for (uint32_t i = to; i > from && end; i--)
        end = seg_find_last(p, &p->segs[i - 1], first, end).start;
    return end;
}

static bool hides_period(const struct pattern *p, const char *text, size_t len)
{
    if (!p->period || len == 0 || text[0] != '.')
        return false;
    if (p->left_open || p->seg_count == 0)
        return true;
    uint8_t kind = p->elems[p->segs[0].first].kind;
    return kind == GLOB_ANY || kind == GLOB_SET;
}

bool glob_matches(const struct pattern *p, const char *text, size_t len)
{
    const char *at = text, *end = text + len;
    uint32_t from = 0, to = p->seg_count;
    if (to == 0)
        return (p->left_open || len == 0) && !hides_period(p, text, len);
    if (hides_period(p, text, len))
        return false;
    if (!p->left_open) {
        at = seg_match(p, &p->segs[0], at, end);
        from = 1;
        if (!at || (to == 1 && !p->right_open))
            return at == end && at;
    }
    if (!p->right_open) {
        end = seg_match_end(p, &p->segs[to - 1], at, end).start;
        to--;
        if (!end)
            return false;
    }
    return find_all(p, from, to, at, end) != NULL;
}

ptrdiff_t glob_prefix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    const char *at = text, *end = text + len;
    uint32_t from = 0, to = p->seg_count;
    if (to > 0 && !p->left_open) {
        at = seg_match(p, &p->segs[0], at, end);
        from = 1;
    }
    bool last_free = longest && !p->right_open && to > from; /* the last one: as late as possible */
    if (at)
        at = find_all(p, from, last_free ? to - 1 : to, at, end);
    if (at && last_free)
        at = seg_find_last(p, &p->segs[to - 1], at, end).end;
    if (!at)
        return -1;
    return longest && p->right_open ? (ptrdiff_t)len : at - text;
}

ptrdiff_t glob_suffix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    const char *end = text + len;
    uint32_t from = 0, to = p->seg_count;
    if (to > 0 && !p->right_open) {
        end = seg_match_end(p, &p->segs[to - 1], text, end).start;
        to--;
    }
    bool first_free = longest && !p->left_open && to > 0;
    if (end)
        end = find_all_back(p, first_free ? 1 : from, to, text, end);
    if (end && first_free)
        end = seg_find(p, &p->segs[0], text, end).start;
    if (!end)
        return -1;
    return longest && p->left_open ? 0 : end - text;
}

bool glob_search(const struct pattern *p, const char *text, size_t len, size_t start,
                 struct match_span *ret_span)
{
    const char *first = text + start, *end = text + len, *at = first;
    uint32_t from = 0, to = p->seg_count;
    if (to > 0 && !p->left_open) {
        struct place place = seg_find(p, &p->segs[0], at, end);
        first = place.start;
        at = place.end;
        from = 1;
    }
    bool last_free = !p->right_open && to > from;
    if (at)
        at = find_all(p, from, last_free ? to - 1 : to, at, end);
    if (at && last_free)
        at = seg_find_last(p, &p->segs[to - 1], at, end).end;
    if (!at)
        return false;
    *ret_span = (struct match_span){ first - text, p->right_open ? (ptrdiff_t)len : at - text };
    return true;
}
