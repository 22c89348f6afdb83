/*
 * range.c: what each part of a region's segments is used for: never touched, given back, free, or
 * full of blocks, for maps.
 *
 * Coarser than the walk of walk.c: one call for a pack, not for each of its blocks, so that a
 * region of gigabytes is told in no time. A span that was touched in part is told as two ranges.
 * Changes nothing and allocates nothing.
 */
#include "libmem/internal.h"

struct range_walk {
    const struct segment *segment;
    mem_range_visit *visit;
    void *arg;
};

static int range_tell(const struct range_walk *walk, const char *base, size_t bytes,
                      enum mem_range_kind kind, size_t busy_bytes)
{
    const struct mem_range range = {
        .segment = walk->segment->base,
        .segment_bytes = walk->segment->bytes,
        .base = base,
        .bytes = bytes,
        .kind = kind,
        .busy_bytes = busy_bytes,
    };

    return bytes ? walk->visit(walk->arg, &range) : 0;
}

/* What nothing was handed out of: untouched, but for what was filled with zeros. */
static int range_tell_unused(const struct range_walk *walk, const char *base, const char *end)
{
    const char *cleared = walk->segment->base + walk->segment->cleared_bytes;

    if (cleared < base)
        cleared = base;
    if (cleared > end)
        cleared = end;
    int result = range_tell(walk, base, (size_t)(cleared - base), MEM_RANGE_FREE, 0);
    return result ? result
                  : range_tell(walk, cleared, (size_t)(end - cleared), MEM_RANGE_UNTOUCHED, 0);
}

/* From BASE to END nothing is busy; above the segment's high mark nothing was handed out. */
static int range_tell_free(const struct range_walk *walk, const char *base, const char *end,
                           enum mem_range_kind kind)
{
    const char *high = walk->segment->high;
    const char *cleared = walk->segment->base + walk->segment->cleared_bytes;

    if (kind != MEM_RANGE_FREE && cleared > high)
        high = cleared; /* it was given back too */
    if (high < base)
        high = base;
    if (high > end)
        high = end;
    int result = range_tell(walk, base, (size_t)(high - base), kind, 0);
    if (!result && kind != MEM_RANGE_FREE)
        return range_tell(walk, high, (size_t)(end - high), MEM_RANGE_UNTOUCHED, 0);
    return result ? result : range_tell_unused(walk, high, end);
}

/* The blocks of CHAIN that lie in SPAN: free, though the pack counts them as used. */
static size_t chain_count(const struct span *span, const void *chain)
{
    size_t count = 0, bytes = (size_t)span->pages << MEM_PAGE_SHIFT;

    for (const void *block = chain; block; block = chain_next(block))
        count += (size_t)((const char *)block - span->base) < bytes;
    return count;
}

static size_t class_free_count(const struct span *span, const struct size_class *class)
{
    return chain_count(span, class->head) + chain_count(span, class->mixed_free);
}

static int range_pack(const struct range_walk *walk, const struct span *pack)
{
    const struct size_class *class = &pack->region->classes[pack->class_index];
    size_t busy = pack->used - class_free_count(pack, class);
    char *uncut = pack->base + (size_t)pack->carved * pack_bytes(pack);

    int result = range_tell(walk, pack->base, (size_t)(uncut - pack->base),
                            busy ? MEM_RANGE_BUSY : MEM_RANGE_FREE, busy * pack_bytes(pack));
    return result ? result : range_tell_unused(walk, uncut, span_end(pack));
}

static int range_mixed(const struct range_walk *walk, const struct span *span)
{
    const struct mem_region *region = span->region;
    size_t used = (size_t)region->mixed->next_unit * MEM_ALIGN, free = 0;

    for (unsigned i = 0; i < MEM_SMALL_CLASSES; i++)
        free += class_free_count(span, &region->classes[i]) * mem_class_bytes(i);
    int result = range_tell(walk, span->base, used, MEM_RANGE_BUSY, used - free);
    return result ? result : range_tell_unused(walk, span->base + used, span_end(span));
}

static int range_span(const struct range_walk *walk, const struct span *span)
{
    static const enum mem_range_kind free_kinds[] = {
        [GIVEN_NOT] = MEM_RANGE_FREE,      [GIVEN_LAZY] = MEM_RANGE_LAZY,
        [GIVEN_DROPPED] = MEM_RANGE_GIVEN, [GIVEN_CLOSED] = MEM_RANGE_GIVEN,
        [GIVEN_MOVED] = MEM_RANGE_GIVEN,
    };

    switch (span->kind) {
    case SPAN_PACK:
        return range_pack(walk, span);
    case SPAN_MIXED:
        return range_mixed(walk, span);
    case SPAN_FREE:
        return range_tell_free(walk, span->base, span_end(span), free_kinds[span->given]);
    default:
        return range_tell(walk, span->base, (size_t)(span_end(span) - span->base), MEM_RANGE_BUSY,
                          (size_t)(span_end(span) - span->base));
    }
}

static int range_last(const struct range_walk *walk)
{
    const struct segment *segment = walk->segment;
    const struct mem_region *region = segment->region;
    const char *end = segment == region->last_segment ? region->last_next : segment->last_next;
    size_t busy = 0;

    for (const char *at = segment->base + MEM_LAST_HEAD; at < end;) {
        size_t step = last_head_get(at);
        busy += step & 1 ? 0 : step - MEM_LAST_HEAD;
        at += step & ~(size_t)1;
    }
    if (end < segment->base)
        end = segment->base;
    int result = range_tell(walk, segment->base, (size_t)(end - segment->base),
                            busy ? MEM_RANGE_BUSY : MEM_RANGE_FREE, busy);
    /* The span reaches as far as the segment was ever used. */
    const char *high = span_end(segment->span);
    if (high < end)
        high = end;
    if (!result)
        result = range_tell(walk, end, (size_t)(high - end), MEM_RANGE_FREE, 0);
    return result ? result : range_tell_unused(walk, high, segment_end(segment));
}

int mem_region_walk_ranges(struct mem_region *region, mem_range_visit *visit, void *arg)
{
    int result = 0;

    for (struct segment *segment = region->segments; segment && !result; segment = segment->next) {
        const struct range_walk walk = { segment, visit, arg };
        if (region->method == MEM_LAST) {
            result = range_last(&walk);
            continue;
        }
        for (struct span *span = segment_next_span(segment, NULL); span && !result;
             span = segment_next_span(segment, span))
            result = range_span(&walk, span);
    }
    return result;
}
