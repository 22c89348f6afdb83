/*
 * last.c: the method `last`: a bump pointer.
 *
 * Before each block stand 8 bytes with the distance to the next block (bit 0: a filler before an
 * aligned block) and, in the highest 24 bits, its site, so all blocks can be walked and the newest
 * one can be given up again. `last_next`
 * of the region is where the next head goes, always 8 below a multiple of 16. Segments are used in
 * list order; those after the current one are empty and kept for reuse. A segment enters the page
 * map step by step (its span's `pages` says how far), so a big one costs nothing until it is used.
 * Blocks that are not the newest stay until a reset: freeing them does nothing. Empty segments go
 * back when they were not needed for long.
 */
#include "libmem/internal.h"

enum { FILLER = 1, SITE_SHIFT = MEM_LAST_SITE_SHIFT, CALM_RESETS = 256 };

#define STEP_MAX ((size_t)1 << SITE_SHIFT)

size_t last_head_get(const char *head)
{
    size_t value;

    memcpy(&value, head, sizeof value);
    return value & (STEP_MAX - 1);
}

static inline size_t head_get(const char *head)
{
    return last_head_get(head);
}

uint32_t last_site_of(const void *block)
{
    size_t value;

    memcpy(&value, (const char *)block - MEM_LAST_HEAD, sizeof value);
    return (uint32_t)(value >> SITE_SHIFT);
}

static void head_set(char *head, size_t value)
{
    memcpy(head, &value, sizeof value);
}

void last_site_set(void *block, uint32_t site)
{
    char *head = (char *)block - MEM_LAST_HEAD;

    head_set(head, head_get(head) | (size_t)site << SITE_SHIFT);
}

static size_t step_of(size_t bytes)
{
    return (bytes + MEM_LAST_HEAD + MEM_ALIGN - 1) & ~(size_t)(MEM_ALIGN - 1);
}

size_t last_block_bytes(const void *block)
{
    return head_get((const char *)block - MEM_LAST_HEAD) - MEM_LAST_HEAD;
}

/* Enters more of SEGMENT in the page map until BYTES above NEXT are in it. */
static void segment_map_more(struct segment *segment, const char *next, size_t bytes)
{
    struct span *span = segment->span;
    size_t all = segment->bytes >> MEM_PAGE_SHIFT;
    size_t want = mem_pages((size_t)(next - segment->base) + bytes + MEM_LAST_STEP);
    size_t have = span->pages;

    if (want > all)
        want = all;
    if (want > have) {
        map_set(span, have, want - have);
        span->pages = (uint32_t)want;
        give_huge_used(segment, next + bytes, bytes);
    }
}

static struct segment *last_segment_new(struct mem_region *region, size_t bytes)
{
    struct segment *segment = NULL;
    struct span *span = span_new();

    if (!span)
        return NULL;
    if (region->size_bytes < MEM_SLICE_MAX && bytes <= MEM_SLICE_MAX) {
        size_t slice = region->size_bytes ? region->size_bytes : region->slice_bytes;
        segment = segment_borrow(region, bytes > slice ? bytes : slice);
    }
    size_t share = region->size_bytes / 8; /* few segments, whatever the size of each */
    if (!segment)
        segment = segment_new(region, bytes > share ? bytes : share, false);
    if (!segment && bytes <= share)
        segment = segment_new(region, bytes, false);
    if (!segment) {
        span_drop(span);
        return NULL;
    }
    span->base = segment->base;
    span->segment = segment;
    span->region = region;
    span->kind = SPAN_LAST;
    segment->span = span;
    segment->last_next = segment->base + MEM_LAST_HEAD;
    segment_map_more(segment, segment->base, 0);
    if (!segment->lent) {
        segment_announce(region, segment->base, segment->bytes);
    }
    return segment;
}

static void segment_enter(struct mem_region *region, struct segment *segment)
{
    region->last_segment = segment;
    region->last_next = segment->last_next;
    region->last_limit = span_end(segment->span);
}

/* Makes room for BYTES at last_next, in this or another segment. */
static bool last_more(struct mem_region *region, size_t bytes)
{
    struct segment *segment = region->last_segment;

    if (bytes > MEM_BYTES_MAX / 2)
        return false;
    if (segment) {
        segment->last_next = region->last_next;
        if (bytes <= (size_t)(segment_end(segment) - region->last_next)) {
            segment_map_more(segment, region->last_next, bytes);
            region->last_limit = span_end(segment->span);
            return true;
        }
        segment = segment->next;
    } else {
        segment = region->segments;
    }
    while (segment && bytes > segment->bytes - MEM_LAST_HEAD)
        segment = segment->next;
    if (!segment) {
        mem_lock();
        segment = last_segment_new(region, bytes + MEM_LAST_HEAD);
        mem_unlock();
        if (!segment)
            return false;
    }
    segment_map_more(segment, segment->base, bytes);
    segment_enter(region, segment);
    return true;
}

void *last_alloc(struct mem_region *region, size_t bytes, size_t align)
{
    size_t step = step_of(bytes);

    if (MEM_UNLIKELY(bytes > STEP_MAX / 4 || align > STEP_MAX / 4))
        return NULL;
    if (MEM_UNLIKELY(align > MEM_ALIGN)) {
        if ((size_t)(region->last_limit - region->last_next) < step + align &&
            !last_more(region, step + align))
            return NULL;
        uintptr_t start = (uintptr_t)region->last_next + MEM_LAST_HEAD;
        size_t pad = mem_round_up(start, align) - start;
        if (pad) {
            MEM_OPEN(region->last_next, pad);
            head_set(region->last_next, pad | FILLER);
            region->last_next += pad;
        }
    } else if (MEM_UNLIKELY((size_t)(region->last_limit - region->last_next) < step)) {
        if (!last_more(region, step))
            return NULL;
    }
    char *head = region->last_next;
    MEM_OPEN(head, step);
    head_set(head, step | region->site_head);
    region->last_next = head + step;
    region_count_alloc(region, step - MEM_LAST_HEAD);
    return head + MEM_LAST_HEAD;
}

static bool last_is_newest(const struct mem_region *region, const void *block)
{
    const char *head = (const char *)block - MEM_LAST_HEAD;

    return head + head_get(head) == region->last_next;
}

void last_free(struct mem_region *region, void *block)
{
    if (!last_is_newest(region, block))
        return;
    /* An empty segment stays the current one: a mark may have been taken at its start. */
    region_count_free(region, last_block_bytes(block));
    MEM_POISON(block, last_block_bytes(block));
    region->last_next = (char *)block - MEM_LAST_HEAD;
}

bool last_resize_in_place(struct mem_region *region, void *block, size_t bytes)
{
    size_t old = last_block_bytes(block), step = step_of(bytes);

    if (!last_is_newest(region, block))
        return bytes <= old;
    if (bytes > STEP_MAX / 4)
        return false;
    char *head = (char *)block - MEM_LAST_HEAD;
    struct segment *segment = region->last_segment;
    if (step > (size_t)(segment_end(segment) - head))
        return false;
    if (step > (size_t)(region->last_limit - head)) {
        segment_map_more(segment, head, step);
        region->last_limit = span_end(segment->span);
    }
    if (step > old + MEM_LAST_HEAD)
        MEM_OPEN((char *)block + old, step - MEM_LAST_HEAD - old);
    head_set(head, step | region->site_head);
    region->last_next = head + step;
    region->busy_bytes += step - MEM_LAST_HEAD - old;
    if (region->busy_bytes > region->peak_bytes)
        region->peak_bytes = region->busy_bytes;
    return true;
}

void *last_resize(struct mem_region *region, void *block, size_t bytes)
{
    size_t old = last_block_bytes(block);

    if (last_resize_in_place(region, block, bytes))
        return block;
    bool newest = last_is_newest(region, block);
    struct segment *segment = region->last_segment;
    /* A block that is still growing at the end of its segment gets room to go on. */
    size_t want = newest && bytes < STEP_MAX / 8 ? bytes + bytes / 2 : bytes;
    void *moved = last_alloc(region, want, MEM_ALIGN);
    if (!moved && want > bytes)
        moved = last_alloc(region, want = bytes, MEM_ALIGN);
    if (!moved)
        return NULL;
    memcpy(moved, block, old < bytes ? old : bytes);
    if (want > bytes)
        (void)last_resize_in_place(region, moved, bytes);
    if (newest) { /* it ended a segment that is not the current one any more */
        segment->last_next = (char *)block - MEM_LAST_HEAD;
        region_count_free(region, old);
        region->alloc_count--;
        region->freed_count--;
    }
    return moved;
}

struct mem_mark mem_region_mark(struct mem_region *region)
{
    return (struct mem_mark){ region->last_segment, region->last_next, region->busy_bytes,
                              region->alloc_count - region->freed_count };
}

typedef void last_visit(struct mem_region *region, void *block, size_t bytes);

static inline __attribute__((always_inline)) void
segment_walk(const struct segment *segment, char *from, const char *to, last_visit *visit)
{
    for (char *head = from; head < to; head += head_get(head) & ~(size_t)FILLER)
        if (!(head_get(head) & FILLER))
            visit(segment->region, head + MEM_LAST_HEAD, head_get(head) - MEM_LAST_HEAD);
}

static inline __attribute__((always_inline)) void
walk_above(struct mem_region *region, const struct mem_mark *mark, last_visit *visit)
{
    struct segment *segment = region->last_segment;
    const struct segment *target = mark->segment ? mark->segment : region->segments;
    const char *to = region->last_next;

    for (; segment && segment != target; segment = segment->prev) {
        segment_walk(segment, segment->base + MEM_LAST_HEAD, to, visit);
        to = segment->prev ? segment->prev->last_next : NULL;
    }
    if (segment)
        segment_walk(segment, mark->segment ? mark->next : segment->base + MEM_LAST_HEAD, to,
                     visit);
}

void last_walk_above(struct mem_region *region, const struct mem_mark *mark, last_visit *visit)
{
    walk_above(region, mark, visit);
}

static void site_clear(struct mem_region *region, void *block, size_t bytes)
{
    (void)region;
    head_set((char *)block - MEM_LAST_HEAD, bytes + MEM_LAST_HEAD);
}

void last_sites_clear(struct mem_region *region)
{
    static const struct mem_mark nothing;

    last_walk_above(region, &nothing, site_clear);
}

static void segment_give_up(struct segment *segment, char *from, char *to)
{
    if (from < to)
        MEM_POISON(from, (size_t)(to - from));
    segment->last_next = from;
}

size_t last_give(struct mem_region *region)
{
    struct segment *segment = region->last_segment ? region->last_segment->next : region->segments;
    size_t given = 0;

    while (segment) {
        struct segment *next = segment->next;
        given += segment->bytes;
        span_drop(segment->span);
        segment_drop(segment);
        segment = next;
    }
    region->calm_resets = 0;
    region->calm_start = 0;
    return given;
}

static size_t last_spare_bytes(const struct mem_region *region)
{
    const struct segment *segment = region->last_segment;
    size_t bytes = 0;

    for (segment = segment ? segment->next : NULL; segment; segment = segment->next)
        bytes += segment->bytes;
    return bytes;
}

void last_bound(struct mem_region *region)
{
    struct segment *segment = region->last_segment;
    size_t most = mem_settings.cache_most, spare = last_spare_bytes(region);

    if (!segment)
        return;
    size_t kept = mem_round_up((size_t)(region->last_next - segment->base), MEM_PAGE);
    size_t entered = (size_t)segment->span->pages << MEM_PAGE_SHIFT;
    size_t rest = entered > kept ? entered - kept : 0;
    while (spare && (spare > most || rest > most - spare)) {
        struct segment *last = region->newest;
        spare -= last->bytes;
        span_drop(last->span);
        segment_drop(last);
    }
    if (rest <= most)
        return;
    kept += most - most % MEM_PAGE;
    glue_advise(segment->base + kept, entered - kept, MADV_DONTNEED);
    segment->span->pages = (uint32_t)(kept >> MEM_PAGE_SHIFT);
    region->last_limit = span_end(segment->span);
}

uint64_t last_idle(struct mem_region *region, uint64_t now)
{
    uint64_t delay = mem_settings.delay_ms * 1000;

    if (last_spare_bytes(region) < MEM_CALM_MIN + mem_settings.cache_bytes)
        return UINT64_MAX;
    if (!region->calm_start)
        region->calm_start = now;
    if (now - region->calm_start < delay)
        return delay - (now - region->calm_start);
    (void)last_give(region);
    return UINT64_MAX;
}

/* A reset left empty segments behind; USED: one of them was in use. When they were not for many
 * resets and the whole delay, the need for them is over. */
static void last_calm(struct mem_region *region, bool used)
{
    if (used) {
        region->calm_resets = 0;
        region->calm_start = 0;
    } else if (++region->calm_resets % CALM_RESETS == 0 && mem_settings.giveback != MEM_GIVE_NONE) {
        mem_lock();
        (void)last_idle(region, glue_time_us());
        mem_unlock();
    }
}

void last_reset(struct mem_region *region, const struct mem_mark *mark)
{
    struct segment *segment = region->last_segment, *target = mark->segment;
    uint64_t busy = region->alloc_count - region->freed_count;

    if (!target)
        target = region->segments;
    if (!segment || !target)
        return;
    segment->last_next = region->last_next;
    bool used = segment != target;
    while (segment != target && segment->prev) {
        segment_give_up(segment, segment->base + MEM_LAST_HEAD, segment->last_next);
        segment = segment->prev;
    }
    MEM_ASSERT(segment == target);
    char *next = mark->segment ? mark->next : target->base + MEM_LAST_HEAD;
    MEM_ASSERT(next <= segment->last_next);
    segment_give_up(segment, next, segment->last_next);
    segment_enter(region, segment);
    region->freed_count += busy - mark->busy_count;
    region->dropped_count += busy - mark->busy_count;
    region->busy_bytes = mark->busy_bytes;
    if (MEM_UNLIKELY(segment->next != NULL))
        last_calm(region, used);
    if (MEM_UNLIKELY(mem_settings.cache_most != SIZE_MAX)) {
        mem_lock();
        last_bound(region);
        mem_unlock();
    }
}

static void trace_death(struct mem_region *region, void *block, size_t bytes)
{
    trace_freed(region, block, bytes);
}

static __attribute__((noinline)) void reset_hooked(struct mem_region *region,
                                                   const struct mem_mark *mark)
{
    mem_lock();
    if (mem_settings.hooks & HOOK_TRACE)
        walk_above(region, mark, trace_death);
    if (sites_followed(region))
        site_last_reset(region, mark);
    last_reset(region, mark);
    mem_unlock();
}

void mem_region_reset(struct mem_region *region, struct mem_mark mark)
{
    if (region->method != MEM_LAST)
        return;
    /* Where the end is where it was, every block since the mark is dead already. */
    if (region->last_next == mark.next && region->last_segment == mark.segment)
        return;
    if (MEM_LIKELY(mark.busy_bytes >= MEM_PEEK(region->reset_floor)))
        last_reset(region, &mark);
    else
        reset_hooked(region, &mark);
}
