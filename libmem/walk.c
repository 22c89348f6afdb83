/*
 * walk.c: visits every segment, span and block of a region, and checks every invariant.
 *
 * A walk changes nothing: which blocks of a pack are free is collected from the chains into a
 * bitmap, one pack at a time. A check trusts nothing it has not looked up in the page map first, so
 * it survives what it is there to find; each fault is one line.
 */
#include "libmem/internal.h"

struct span *segment_next_span(const struct segment *segment, const struct span *span)
{
    const char *at = span ? span_end(span) : segment->base;

    while (at < segment_end(segment)) {
        struct span *found = map_get(at);
        if (!found || !found->segment)
            return NULL;
        if (found->segment == segment)
            return found->base == at && found->pages ? found : NULL;
        const struct span *lent = found->segment->lent;
        if (!lent || lent->segment != segment)
            return NULL;
        at = segment_end(found->segment);
    }
    return NULL;
}

/* ---- walking ---- */

struct free_map {
    const struct span *span;
    size_t unit_bytes;
    uint64_t bits[MEM_PACK_BLOCKS_MAX / 64];
};

static void free_map_add(struct free_map *map, const void *chain)
{
    size_t span_bytes = (size_t)map->span->pages << MEM_PAGE_SHIFT;

    for (const void *block = chain; block; block = chain_next(block)) {
        size_t offset = (size_t)((const char *)block - map->span->base);
        if (offset < span_bytes)
            map->bits[offset / map->unit_bytes / 64] |= 1ull << (offset / map->unit_bytes % 64);
    }
}

/* Those that the pack itself has. */
static void free_map_add_pack(struct free_map *map, const struct span *pack)
{
    memcpy(map->bits, pack->bits, (pack->capacity + 63u) / 64 * sizeof map->bits[0]);
}

static void free_map_add_class(struct free_map *map, const struct size_class *class)
{
    free_map_add(map, class->head);
    free_map_add(map, class->mixed_free);
}

static bool free_map_has(const struct free_map *map, size_t index)
{
    return map->bits[index / 64] >> (index % 64) & 1;
}

static int walk_rest(const struct span *span, size_t used, mem_block_visit *visit, void *arg)
{
    size_t all = (size_t)span->pages << MEM_PAGE_SHIFT;

    return used < all ? visit(arg, span->base + used, all - used, false) : 0;
}

static int walk_pack(const struct span *pack, mem_block_visit *visit, void *arg)
{
    struct free_map map = { .span = pack, .unit_bytes = pack_bytes(pack) };
    size_t bytes = pack_bytes(pack);

    free_map_add_pack(&map, pack);
    free_map_add_class(&map, &pack->region->classes[pack->class_index]);
    for (size_t i = 0; i < pack->carved; i++) {
        int result = visit(arg, pack->base + i * bytes, bytes, !free_map_has(&map, i));
        if (result)
            return result;
    }
    return walk_rest(pack, pack->carved * bytes, visit, arg);
}

static int walk_mixed(const struct span *span, mem_block_visit *visit, void *arg)
{
    const struct mem_region *region = span->region;
    struct free_map map = { .span = span, .unit_bytes = MEM_ALIGN };
    size_t unit = 0;

    for (unsigned i = 0; i < MEM_SMALL_CLASSES; i++)
        free_map_add_class(&map, &region->classes[i]);
    while (unit < region->mixed->next_unit) {
        size_t bytes = mem_class_bytes(region->mixed->unit_class[unit] - 1u);
        int result = visit(arg, span->base + unit * MEM_ALIGN, bytes, !free_map_has(&map, unit));
        if (result)
            return result;
        unit += bytes / MEM_ALIGN;
    }
    return walk_rest(span, unit * MEM_ALIGN, visit, arg);
}

static int walk_last(const struct segment *segment, mem_block_visit *visit, void *arg)
{
    const struct mem_region *region = segment->region;
    char *at = segment->base + MEM_LAST_HEAD;
    char *end = segment == region->last_segment ? region->last_next : segment->last_next;

    while (at < end) {
        size_t step = last_head_get(at);
        if (!(step & 1)) {
            int result = visit(arg, at + MEM_LAST_HEAD, step - MEM_LAST_HEAD, true);
            if (result)
                return result;
        }
        at += step & ~(size_t)1;
    }
    size_t rest = (size_t)(segment_end(segment) - at);
    return rest ? visit(arg, at, rest, false) : 0;
}

static int walk_span(struct span *span, mem_block_visit *visit, void *arg)
{
    switch (span->kind) {
    case SPAN_PACK:
        return walk_pack(span, visit, arg);
    case SPAN_MIXED:
        return walk_mixed(span, visit, arg);
    default:
        return visit(arg, span->base, (size_t)span->pages << MEM_PAGE_SHIFT,
                     span->kind == SPAN_LARGE);
    }
}

int region_walk_raw(struct mem_region *region, mem_block_visit *visit, void *arg)
{
    int result = 0;

    for (struct segment *segment = region->segments; segment && !result; segment = segment->next) {
        if (region->method == MEM_LAST) {
            result = walk_last(segment, visit, arg);
            continue;
        }
        for (struct span *span = segment_next_span(segment, NULL); span && !result;
             span = segment_next_span(segment, span))
            result = walk_span(span, visit, arg);
    }
    return result;
}

int mem_region_walk(struct mem_region *region, mem_block_visit *visit, void *arg)
{
    struct debug_visit debug = { visit, arg };

    return region->debug ? region_walk_raw(region, debug_visit_block, &debug)
                         : region_walk_raw(region, visit, arg);
}

int mem_region_walk_segments(struct mem_region *region, mem_segment_visit *visit, void *arg)
{
    int result = 0;

    for (struct segment *segment = region->segments; segment && !result; segment = segment->next)
        result = visit(arg, segment->base, segment->bytes);
    return result;
}

/* ---- checking ---- */

struct check {
    struct mem_region *region;
    size_t faults;
    size_t size_bytes, large_bytes, large_count, carved_bytes, carved_count;
    size_t pack_count, rest_count, free_span_count, solo_tail_count, pack_free_count;
    uint64_t busy_count;
    size_t busy_bytes;
};

static void check_fault(struct check *check, const void *at, const char *why)
{
    struct mem_line line = { .used = 0 };

    check->faults++;
    if (check->faults > 20)
        return; /* one fault makes many */
    line_str(&line, "vmalloc: corrupted: region ");
    line_str(&line, check->region->name);
    line_str(&line, " at ");
    line_hex(&line, (uintptr_t)at);
    line_str(&line, ": ");
    line_str(&line, why);
    line_send(&line);
}

static void check_that(struct check *check, bool good, const void *at, const char *why)
{
    if (!good)
        check_fault(check, at, why);
}

static void check_pack(struct check *check, const struct span *pack)
{
    size_t count = 0, want = (size_t)(pack->carved - pack->used);

    check_that(check, pack->used <= pack->carved && pack->carved <= pack->capacity, pack->base,
               "counts of a pack");
    check_that(check,
               (pack->quick || pack_is_sited_fast(pack)) ==
                   (map_entry(pack->base) >> MEM_TAG_SHIFT != 0),
               pack->base, "tag of a pack");
    check_that(check, (pack->used == pack->capacity) == (pack->low == MEM_PACK_FULL), pack->base,
               "mark of a full pack");
    for (size_t i = 0; i < (pack->capacity + 63u) / 64; i++)
        count += (size_t)__builtin_popcountll(pack->bits[i]);
    check_that(check, count == want, pack->base, "number of free blocks in a pack");
    check->pack_free_count += want;
    check->pack_count++;
    check->carved_count += pack->carved;
    check->carved_bytes += (size_t)pack->carved * pack_bytes(pack);
    if ((size_t)pack->carved * pack_bytes(pack) < (size_t)pack->pages << MEM_PAGE_SHIFT)
        check->rest_count++;
}

static void check_mixed(struct check *check, const struct span *span)
{
    const struct mixed_pack *mixed = check->region->mixed;

    check_that(check, !span->quick == !(map_entry(span->base) >> MEM_TAG_SHIFT), span->base,
               "tag of a mixed pack");
    if (!mixed || mixed->span != span) {
        check_fault(check, span->base, "unknown mixed pack");
        return;
    }
    for (size_t unit = 0; unit < mixed->next_unit;) {
        unsigned class = mixed->unit_class[unit];
        if (!class || class > MEM_SMALL_CLASSES) {
            check_fault(check, span->base + unit * MEM_ALIGN, "unit of the mixed pack");
            return;
        }
        check->carved_count++;
        check->carved_bytes += mem_class_bytes(class - 1);
        unit += class;
    }
    check->pack_count++;
    if (mixed->next_unit < sizeof mixed->unit_class)
        check->rest_count++;
}

static void check_span(struct check *check, const struct span *span, const struct span *before)
{
    size_t bytes = (size_t)span->pages << MEM_PAGE_SHIFT;

    check->size_bytes += bytes;
    check_that(check, span->region == check->region, span->base, "span of another region");
    if (span->kind != SPAN_FREE || span_end(span) != segment_end(span->segment))
        check_that(check, map_get(span_end(span) - 1) == span, span->base, "end of a span");
    else
        check_that(check, span->segment->tail == span, span->base, "end of a segment");
    switch (span->kind) {
    case SPAN_FREE:
        check->free_span_count++;
        if (span->segment->solo)
            check->solo_tail_count++;
        check_that(check,
                   !before || before->kind != SPAN_FREE || span_end(before) != span->base ||
                       before->given != span->given,
                   span->base, "free spans not merged");
        break;
    case SPAN_PACK:
        check_pack(check, span);
        break;
    case SPAN_MIXED:
        check_mixed(check, span);
        break;
    case SPAN_LARGE:
        check->large_bytes += bytes;
        check->large_count++;
        check_that(check, map_get(span->base + bytes / 2) == span, span->base, "middle of a block");
        break;
    default:
        check_fault(check, span->base, "kind of a span");
    }
}

static void check_chain(struct check *check, const struct size_class *class, const void *chain,
                        size_t want)
{
    size_t count = 0;

    for (const void *block = chain; block; block = chain_next(block)) {
        const struct span *span = map_find(block);
        bool good =
            span && span->region == check->region && block_bytes(span, block) == class->bytes;
        if (!good || ++count > want) {
            check_fault(check, block, "chain of a class (written after free, or freed twice?)");
            return;
        }
    }
    check_that(check, count == want, chain, "number of blocks in a chain");
}

static void check_classes(struct check *check)
{
    struct mem_region *region = check->region;
    size_t chained = 0;

    for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++) {
        const struct size_class *class = &region->classes[i];
        if (!class->bytes)
            continue;
        size_t in_head = (size_t)(class->limit - class->room), in_mixed = 0;
        check_chain(check, class, class->head, in_head);
        for (const void *block = class->mixed_free; block && map_find(block);
             block = chain_next(block))
            if (++in_mixed > class->carved_count)
                break;
        check_chain(check, class, class->mixed_free, in_mixed);
        chained += in_head + in_mixed;
        for (const struct span *pack = class->avail; pack; pack = pack->next)
            if (pack->kind != SPAN_PACK || pack->class_index != i || pack->used == pack->capacity) {
                check_fault(check, pack, "list of packs with room");
                break;
            }
    }
    check->busy_count = check->carved_count - check->pack_free_count - chained + check->large_count;
}

static void check_bins(struct check *check)
{
    struct mem_region *region = check->region;
    size_t count = 0, given = 0;

    for (unsigned bin = 0; bin < MEM_BINS; bin++) {
        check_that(check, !region->bins[bin] == !(region->bin_bits[bin / 64] >> (bin % 64) & 1),
                   &region->bins[bin], "bit of a bin");
        for (const struct span *span = region->bins[bin]; span; span = span->next) {
            count++;
            given += span->given != GIVEN_NOT;
            if (span->kind != SPAN_FREE || mem_bin_of(span->pages) != bin ||
                map_get(span->base) != span || count > check->free_span_count) {
                check_fault(check, span, "list of a bin");
                break;
            }
        }
    }
    check_that(check, count + check->solo_tail_count == check->free_span_count, region->bins,
               "number of free spans in bins");
    check_that(check, given == region->given_count, region->bins, "number of given spans");
}

static int check_visit(void *arg, void *block, size_t bytes, bool busy)
{
    struct check *check = arg;

    (void)block;
    if (busy) {
        check->busy_bytes += bytes;
        check->busy_count++;
    }
    return 0;
}

static void check_spans(struct check *check)
{
    struct mem_region *region = check->region;

    for (struct segment *segment = region->segments; segment; segment = segment->next) {
        const struct span *before = NULL;
        size_t lent = 0, had = check->size_bytes;
        const char *at = segment->base;
        for (struct span *span = segment_next_span(segment, NULL); span;
             span = segment_next_span(segment, span)) {
            lent += (size_t)(span->base - at);
            check_span(check, span, before);
            before = span;
            at = span_end(span);
        }
        lent += (size_t)(segment_end(segment) - at);
        check_that(check, check->size_bytes - had + lent == segment->bytes, segment->base,
                   "spans of a segment");
    }
    check_classes(check);
    check_bins(check);
    uint64_t counted = check->busy_count;
    check->busy_count = 0;
    if (!check->faults)
        (void)region_walk_raw(region, check_visit, check);
    check_that(check, check->faults || counted == check->busy_count, region,
               "number of busy blocks");
    check_that(check,
               check->carved_bytes == region->carved_bytes &&
                   check->carved_count == region->carved_count,
               region, "counter of cut blocks");
    check_that(check,
               check->large_bytes == region->large_bytes &&
                   check->large_count == region->large_count,
               region, "counter of large blocks");
    check_that(check,
               check->pack_count == region->pack_count && check->rest_count == region->rest_count &&
                   check->free_span_count == region->free_span_count,
               region, "counter of packs or free spans");
}

static void check_last(struct check *check)
{
    struct mem_region *region = check->region;
    bool after = false;

    for (struct segment *segment = region->segments; segment; segment = segment->next) {
        check->size_bytes += segment->bytes;
        char *at = segment->base + MEM_LAST_HEAD;
        char *end = segment == region->last_segment ? region->last_next : segment->last_next;
        check_that(check, end <= segment_end(segment) && (!after || end == at), segment->base,
                   "end of the blocks of a segment");
        after = after || segment == region->last_segment;
        while (at < end) {
            size_t step = last_head_get(at) & ~(size_t)1;
            if (step < MEM_ALIGN || step % MEM_ALIGN || step > (size_t)(end - at)) {
                check_fault(check, at, "head of a block (written past the end of the one before?)");
                return;
            }
            at += step;
        }
    }
    (void)region_walk_raw(region, check_visit, check);
    check_that(check, check->busy_count == region->alloc_count - region->freed_count, region,
               "number of busy blocks");
}

static size_t check_region(struct mem_region *region)
{
    struct check check = { .region = region };

    if (region->method == MEM_LAST)
        check_last(&check);
    else
        check_spans(&check);
    check_that(&check, check.size_bytes == region->size_bytes, region, "size of the region");
    check_that(&check, check.faults || check.busy_bytes == region->busy_bytes, region,
               "counter of busy bytes");
    return check.faults;
}

size_t mem_check(struct mem_region *region)
{
    size_t faults = 0;

    if (region)
        return check_region(region);
    mem_lock();
    for (region = mem_region_next(NULL); region; region = region->next)
        if (region->heap !=
            HEAP_DEAD) /* its thread may have been caught in the middle of a change */
            faults += check_region(region);
    if (!faults && !site_counts_agree()) {
        struct mem_line line = { .used = 0 };
        line_str(&line, "vmalloc: corrupted: counters of sites");
        line_send(&line);
        faults++;
    }
    mem_unlock();
    return faults;
}
