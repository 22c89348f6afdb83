/*
 * large.c: runs of pages (spans) inside the segments of a region: the source of packs, slices and
 * blocks above MEM_CLASS_MAX.
 *
 * Free spans lie in bins by size, are found by best fit, split from their low end and merged with
 * both neighbours at once when freed; neighbours are found through the page map. A block that is
 * big enough and finds no room gets a SOLO segment: the room behind it is its own, in a segment
 * that its source extends in place or moves without copying, so a growing string costs its own size
 * only. When such a block dies its segment becomes an ordinary one. A big block that must be copied
 * to grow gives its old pages up on the way; other memory goes back to the system only with the
 * whole segment, never here.
 */
#include "libmem/internal.h"

/* ---- bins ---- */

/* Counts SPAN in (SIGN 1) or out (-1). */
static void count_dirty(struct mem_region *region, const struct span *span, size_t sign)
{
    size_t dirty = span_dirty(span) * sign;

    region->given_count += span->given ? sign : 0;
    if (span->given == GIVEN_NOT)
        region->dirty_bytes += dirty;
    else if (span->given == GIVEN_LAZY)
        region->lazy_bytes += dirty;
    else
        region->given_bytes += dirty;
}

/* Spans were taken, and what is left of them is in its bins again: only now is less free. */
static void count_low(struct mem_region *region)
{
    if (region->dirty_bytes < region->dirty_low)
        region->dirty_low = region->dirty_bytes;
    if (region->dirty_bytes < region->fork_low)
        region->fork_low = region->dirty_bytes;
}

static void bin_insert(struct mem_region *region, struct span *span)
{
    region->free_span_count++;
    region->free_pages_bytes += (size_t)span->pages << MEM_PAGE_SHIFT;
    span->prev = NULL;
    span->next = NULL;
    if (span->segment->solo)
        return;
    count_dirty(region, span, 1);
    unsigned bin = mem_bin_of(span->pages);
    span->next = region->bins[bin];
    if (span->next)
        span->next->prev = span;
    region->bins[bin] = span;
    region->bin_bits[bin / 64] |= 1ull << (bin % 64);
}

static void bin_remove(struct mem_region *region, struct span *span)
{
    region->free_span_count--;
    region->free_pages_bytes -= (size_t)span->pages << MEM_PAGE_SHIFT;
    if (span->segment->solo)
        return;
    count_dirty(region, span, (size_t)-1);
    unsigned bin = mem_bin_of(span->pages);
    if (span->next)
        span->next->prev = span->prev;
    if (span->prev)
        span->prev->next = span->next;
    else
        region->bins[bin] = span->next;
    if (!region->bins[bin])
        region->bin_bits[bin / 64] &= ~(1ull << (bin % 64));
}

/* The next bin from BIN on that is not empty, or MEM_BINS. */
static unsigned bin_from(const struct mem_region *region, unsigned bin)
{
    for (unsigned word = bin / 64; word < 2; word++) {
        uint64_t bits = region->bin_bits[word];
        if (word == bin / 64)
            bits &= ~0ull << (bin % 64);
        if (bits)
            return word * 64 + (unsigned)__builtin_ctzll(bits);
    }
    return MEM_BINS;
}

/* The smallest span of at least PAGES pages in the first bins that have one. */
static struct span *bin_find(const struct mem_region *region, size_t pages)
{
    for (unsigned bin = bin_from(region, mem_bin_of(pages)); bin < MEM_BINS;
         bin = bin_from(region, bin + 1)) {
        struct span *best = NULL;
        int scanned = 0;
        for (struct span *span = region->bins[bin]; span; span = span->next) {
            if (span->pages >= pages && (!best || span->pages < best->pages))
                best = span;
            if (best && (best->pages == pages || ++scanned > MEM_BIN_SCAN))
                break;
        }
        if (best)
            return best;
    }
    return NULL;
}

/* ---- spans ---- */

/* A span counts its pages in 32 bits; requests to the system are rounded up. */
enum { SMALL_PART = 16, SPAN_PAGES_MAX = INT32_MAX };

static struct span *span_right(const struct span *span)
{
    char *end = span_end(span);

    if (end >= segment_end(span->segment))
        return NULL;
    struct span *right = map_get(end);
    if (right && right->kind == SPAN_FREE && right->segment == span->segment && right->base == end)
        return right;
    return NULL;
}

static struct span *span_left(const struct span *span)
{
    if (span->base == span->segment->base)
        return NULL;
    struct span *left = map_get(span->base - 1);
    if (left && left->kind == SPAN_FREE && left->segment == span->segment &&
        span_end(left) == span->base)
        return left;
    return NULL;
}

static struct span *span_at(struct segment *segment, char *base, size_t pages)
{
    struct span *span = span_new();

    if (!span)
        return NULL;
    span->base = base;
    span->pages = (uint32_t)pages;
    span->segment = segment;
    span->region = segment->region;
    return span;
}

/* The freed_in of what SPAN and NEAR become together: the later one, but that a small part was in
 * use of late does not count. */
static uint32_t span_age(const struct span *span, const struct span *near)
{
    const struct span *late = span->freed_in > near->freed_in ? span : near;
    const struct span *early = late == span ? near : span;

    return late->pages < early->pages / SMALL_PART ? early->freed_in : late->freed_in;
}

/* SPAN, which is in no bin, becomes free, as of its freed_in; merges with its neighbours. */
static void span_release(struct span *span)
{
    struct mem_region *region = span->region;
    struct span *near = span_left(span);

    if (near && near->given == span->given) {
        bin_remove(region, near);
        near->freed_in = span_age(near, span);
        near->pages += span->pages;
        span_drop(span);
        span = near;
    }
    near = span_right(span);
    if (near && near->given == span->given) {
        bin_remove(region, near);
        span->freed_in = span_age(span, near);
        span->pages += near->pages;
        span_drop(near);
    }
    span->kind = SPAN_FREE;
    map_set_ends(span);
    bin_insert(region, span);
}

/* Cuts SPAN after PAGES pages and frees the rest, as of FREED_IN; without a record for the rest it
 * stays whole. */
static void span_cut(struct span *span, size_t pages, uint32_t freed_in)
{
    if (span->pages == pages)
        return;
    struct span *rest =
        span_at(span->segment, span->base + (pages << MEM_PAGE_SHIFT), span->pages - pages);
    if (!rest)
        return;
    span->pages = (uint32_t)pages;
    rest->given = span->given;
    rest->freed_in = freed_in;
    span_release(rest);
}

/* Moves the start of SPAN, which is in no bin, to a multiple of ALIGN_PAGES. */
static struct span *span_align(struct span *span, size_t align_pages)
{
    uintptr_t page = (uintptr_t)span->base >> MEM_PAGE_SHIFT;
    size_t skip = mem_round_up(page, align_pages) - page;

    if (!skip)
        return span;
    struct span *rest =
        span_at(span->segment, span->base + (skip << MEM_PAGE_SHIFT), span->pages - skip);
    if (!rest) {
        span_release(span);
        return NULL;
    }
    rest->given = span->given;
    rest->freed_in = span->freed_in;
    span->pages = (uint32_t)skip;
    span_release(span);
    return rest;
}

/* ---- segments ---- */

void large_add(struct segment *segment)
{
    struct span *span = span_at(segment, segment->base, segment->bytes >> MEM_PAGE_SHIFT);

    if (!span)
        return;
    span->kind = SPAN_FREE;
    map_set_ends(span);
    bin_insert(segment->region, span);
}

/* The free span at the end of SEGMENT, or NULL. */
static struct span *segment_tail(const struct segment *segment)
{
    struct span *tail = segment->tail;

    if (tail && tail->kind == SPAN_FREE && tail->segment == segment &&
        span_end(tail) == segment_end(segment))
        return tail;
    return NULL;
}

/* SPAN, which is free and in its bin, becomes usable and merges; false: no memory. */
static bool span_open(struct span *span)
{
    if (span->given == GIVEN_NOT)
        return true;
    bin_remove(span->region, span);
    bool done = give_undo(span);
    span_release(span);
    return done;
}

/* Room was given back between what is free: all of REGION is joined again. */
static void region_join(struct mem_region *region)
{
    struct span *given = NULL;

    for (unsigned bin = 0; bin < MEM_BINS; bin++)
        for (struct span *span = region->bins[bin], *next; span; span = next) {
            next = span->next;
            if (!span->given)
                continue;
            bin_remove(region, span);
            span->next = given;
            given = span;
        }
    for (struct span *next; given; given = next) {
        next = given->next;
        (void)give_undo(given);
        span_release(given);
    }
}

void large_bin(struct span *span)
{
    span_release(span);
}

struct span *large_keep_end(struct span *span, size_t bytes)
{
    size_t dirty = span_dirty(span), before = dirty > bytes ? (dirty - bytes) >> MEM_PAGE_SHIFT : 0;

    if (!before)
        return span;
    struct span *rest =
        span_at(span->segment, span->base + (before << MEM_PAGE_SHIFT), span->pages - before);
    if (!rest)
        return span;
    rest->freed_in = span->freed_in;
    span->pages = (uint32_t)before;
    span_release(span);
    return rest;
}

void large_unbin(struct span *span)
{
    bin_remove(span->region, span);
}

bool large_unmap(struct span *span)
{
    struct segment *segment = span->segment;
    struct mem_region *region = span->region;

    if (segment->lent || segment->solo || span_end(span) != segment_end(segment))
        return false;
    size_t bytes = (size_t)span->pages << MEM_PAGE_SHIFT;
    bool whole = bytes == segment->bytes;
    if (!whole && bytes % mem_settings.page_bytes)
        return false;
    span_drop(span);
    if (!whole) {
        segment_trim(segment, bytes);
        struct span *last = map_get(segment_end(segment) - 1);
        if (last && last->kind == SPAN_FREE && last->segment == segment)
            segment->tail = last;
        return true;
    }
    if (region->growing == segment)
        region->growing = NULL;
    segment_drop(segment);
    return true;
}

/* Extends SEGMENT until a free span of PAGES pages ends it, and returns that; NULL: cannot. */
static struct span *segment_extend(struct segment *segment, size_t pages)
{
    struct mem_region *region = segment->region;
    struct span *tail = segment_tail(segment);
    if (tail && !span_open(tail))
        return NULL;
    tail = segment_tail(segment);
    size_t have = tail ? tail->pages : 0;
    struct span *more = span_new();
    if (!more)
        return NULL;
    char *end = segment_end(segment);
    if (!segment_grow(segment, (pages - have) << MEM_PAGE_SHIFT)) {
        span_drop(more);
        return NULL;
    }
    if (tail)
        map_set(tail, tail->pages - 1, 1); /* from now on it has a neighbour */
    size_t added = (size_t)(segment_end(segment) - end) >> MEM_PAGE_SHIFT;
    more->base = end;
    more->pages = (uint32_t)added;
    more->segment = segment;
    more->region = region;
    more->freed_in = region->give_period;
    span_release(more);
    segment_announce(region, segment->base, added << MEM_PAGE_SHIFT);
    return segment_tail(segment);
}

/* More memory for REGION: a free span of at least PAGES pages, or NULL. */
static struct span *region_more(struct mem_region *region, size_t pages)
{
    size_t bytes = pages << MEM_PAGE_SHIFT;
    struct segment *segment = NULL;

    if (region->growing) {
        struct span *span = segment_extend(region->growing, pages);
        if (span)
            return span;
    }
    if (region->slice_bytes && region->size_bytes < MEM_SLICE_MAX && bytes <= MEM_SLICE_MAX) {
        size_t slice = region->size_bytes ? region->size_bytes : region->slice_bytes;
        segment = segment_borrow(region, bytes > slice ? bytes : slice);
    }
    if (!segment) {
        segment = segment_new(region, bytes, false);
        if (!segment)
            return NULL;
        region->growing = segment;
    }
    large_add(segment);
    if (!segment->lent)
        segment_announce(region, segment->base, segment->bytes);
    struct span *span = map_get(segment->base);
    if (span && span->segment == segment)
        return span;
    if (region->growing == segment)
        region->growing = NULL;
    segment_drop(segment); /* no record for its span */
    return NULL;
}

/* ---- the interface ---- */

struct span *large_take(struct mem_region *region, size_t pages, size_t align_pages,
                        size_t *ret_dirty_bytes)
{
    if (align_pages > SPAN_PAGES_MAX || pages > SPAN_PAGES_MAX - align_pages)
        return NULL;
    size_t want = pages + align_pages - 1;
    struct span *span = bin_find(region, want);
    if (!span && region->given_count && region->free_pages_bytes >> MEM_PAGE_SHIFT >= want) {
        region_join(region);
        span = bin_find(region, want);
    }
    if (!span)
        span = region_more(region, want);
    if (!span) {
        pack_drain(region); /* the last resort */
        span = bin_find(region, want);
    }
    if (!span)
        return NULL;
    bin_remove(region, span);
    span->kind = SPAN_NONE;
    if (align_pages > 1)
        span = span_align(span, align_pages);
    if (!span)
        return NULL;
    span_cut(span, pages, span->freed_in);
    if (span->given && !give_undo(span)) {
        span_release(span);
        return NULL;
    }
    count_low(region);
    char *end = span_end(span), *high = span->segment->high;
    *ret_dirty_bytes = high > span->base ? (size_t)((high < end ? high : end) - span->base) : 0;
    if (high < end)
        span->segment->high = end;
    give_huge_used(span->segment, end, (size_t)(end - span->base));
    map_set(span, 0, span->pages);
    MEM_OPEN(span->base, (size_t)(end - span->base));
    return span;
}

/* The segment of SPAN becomes an ordinary one, where it is solo: the room behind is part of SPAN.
 */
static void solo_end(struct span *span)
{
    struct span *right = span->segment->solo ? span_right(span) : NULL;

    if (right) {
        span->pages += right->pages;
        span->region->free_span_count--;
        span->region->free_pages_bytes -= (size_t)right->pages << MEM_PAGE_SHIFT;
        span_drop(right);
    }
    span->segment->solo = false;
}

void large_put(struct span *span)
{
    solo_end(span);
    struct mem_region *region = span->region;
    span->freed_in = region->give_period;
    span_release(span);
    give_freed(region);
}

static bool large_is_solo(const struct mem_region *region, size_t bytes)
{
    return bytes >= MEM_SOLO_MIN && bytes >= mem_settings.segment_bytes / 4 &&
           region->method == MEM_BEST;
}

static struct span *solo_take(struct mem_region *region, size_t pages)
{
    struct segment *segment = segment_new(region, pages << MEM_PAGE_SHIFT, true);

    if (!segment)
        return NULL;
    struct span *span = span_at(segment, segment->base, segment->bytes >> MEM_PAGE_SHIFT);
    if (!span) {
        segment_drop(segment);
        return NULL;
    }
    span_cut(span, pages, region->give_period);
    if (segment->high < span_end(span))
        segment->high = span_end(span);
    map_set(span, 0, span->pages);
    give_huge_used(segment, span_end(span), pages << MEM_PAGE_SHIFT);
    return span;
}

void *large_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed)
{
    size_t dirty = 0, pages = mem_pages(bytes);
    struct span *span = NULL;

    if (bytes > MEM_BYTES_MAX || align > MEM_BYTES_MAX || pages > SPAN_PAGES_MAX)
        return NULL;
    /* Pages whose address is a multiple of ALIGN, whatever odd part that has. */
    unsigned twos = (unsigned)__builtin_ctzl(align);
    size_t align_pages = align >> (twos < MEM_PAGE_SHIFT ? twos : MEM_PAGE_SHIFT);
    (void)remote_take(region);
    mem_lock();
    bool solo = align_pages == 1 && large_is_solo(region, bytes) && !bin_find(region, pages);
    if (solo) {
        span = solo_take(region, pages);
        if (span && !mem_sources[span->segment->source].zeroed)
            dirty = bytes;
    }
    if (!span) {
        solo = false;
        span = large_take(region, pages, align_pages, &dirty);
    }
    if (span) {
        size_t got = (size_t)span->pages << MEM_PAGE_SHIFT;
        span->kind = SPAN_LARGE;
        span->grown_count = 0;
        span->site_word = 0;
        region->large_bytes += got;
        region->large_count++;
        region_count_alloc(region, got);
    }
    mem_unlock();
    if (!span)
        return NULL;
    if (solo)
        segment_announce(region, span->segment->base, span->segment->bytes);
    if (zeroed && dirty)
        memset(span->base, 0, dirty);
    return span->base;
}

void large_free(struct span *span)
{
    struct mem_region *region = span->region;
    size_t bytes = (size_t)span->pages << MEM_PAGE_SHIFT;

    if (!span->given)
        MEM_POISON(span->base, bytes);
    mem_lock();
    region->large_bytes -= bytes;
    region->large_count--;
    region_count_free(region, bytes);
    large_put(span);
    mem_unlock();
}

/* Counts that SPAN has now another size than OLD_PAGES. */
static void large_resized(struct span *span, size_t old_pages)
{
    struct mem_region *region = span->region;
    size_t old = old_pages << MEM_PAGE_SHIFT, bytes = (size_t)span->pages << MEM_PAGE_SHIFT;

    region->large_bytes += bytes - old;
    region->busy_bytes += bytes - old;
    if (region->busy_bytes > region->peak_bytes)
        region->peak_bytes = region->busy_bytes;
    if (span->segment->high < span_end(span))
        span->segment->high = span_end(span);
    give_huge_used(span->segment, span_end(span), 0);
}

/* What a growing SPAN should be given when BYTES are asked for: the more often, the more. */
size_t large_want_bytes(const struct span *span, size_t bytes)
{
    if (span->grown_count == 0)
        return bytes;
    const struct segment *segment = span->segment;
    bool cheap = segment->solo && !mem_sources[segment->source].copies;
    size_t part = cheap ? bytes / 8 : bytes / 2;
    return part < MEM_BYTES_MAX - bytes ? bytes + part : bytes;
}

/* Grows into the free span on the right, or into what its segment can be extended by. */
static bool large_grow(struct span *span, size_t pages, size_t want)
{
    struct segment *segment = span->segment;
    struct span *right = span_right(span);
    if (right && span_open(right))
        right = span_right(span); /* perhaps merged */
    else if (right)
        return false;
    size_t have = right ? right->pages : 0, old = span->pages;

    if (old + have < pages) {
        char *end = right ? span_end(right) : span_end(span);
        if (end != segment_end(segment) || (!segment->solo && segment != span->region->growing))
            return false;
        right = segment_extend(segment, want - old);
        if (!right && want > pages)
            right = segment_extend(segment, pages - old);
        if (!right)
            return false;
        have = right->pages;
    }
    if (want > old + have)
        want = old + have;
    uint32_t freed_in = right->freed_in;
    bin_remove(span->region, right);
    span->pages += right->pages;
    span_drop(right);
    span_cut(span, want, freed_in);
    count_low(span->region);
    map_set(span, old, span->pages - old);
    MEM_OPEN(span->base + (old << MEM_PAGE_SHIFT), (size_t)(span->pages - old) << MEM_PAGE_SHIFT);
    large_resized(span, old);
    return true;
}

bool large_resize(struct span *span, size_t bytes, bool exact)
{
    size_t pages = mem_pages(bytes), old = span->pages;
    bool done = true;

    if (bytes > MEM_BYTES_MAX || pages > SPAN_PAGES_MAX)
        return false;
    mem_lock();
    if (pages > old) {
        size_t want = exact ? pages : mem_pages(large_want_bytes(span, bytes));
        done = large_grow(span, pages, want);
        if (done)
            span->grown_count++;
    } else if (pages < old && (exact || span->grown_count == 0 || pages <= old / 2)) {
        /* Room that a growing block was given ahead stays until the block really shrinks, and then
         * is free for all. */
        if ((old - pages) << MEM_PAGE_SHIFT >= MEM_SOLO_MIN)
            solo_end(span);
        span_cut(span, pages, span->region->give_period);
        large_resized(span, old);
        span->grown_count = 0;
        give_freed(span->region);
    }
    mem_unlock();
    return done;
}

/* A solo block that does not fit its segment any more: the segment moves as a whole. */
static void *solo_move(struct span *span, size_t bytes)
{
    struct segment *segment = span->segment;
    size_t old = span->pages, pages = mem_pages(bytes);
    struct span *right = span_right(span);

    if (right)
        bin_remove(span->region, right);
    if (!segment_move(segment, bytes)) {
        if (right)
            bin_insert(span->region, right);
        return NULL;
    }
    if (right)
        span_drop(right);
    span->base = segment->base;
    span->pages = (uint32_t)(segment->bytes >> MEM_PAGE_SHIFT);
    span_cut(span, pages, span->region->give_period);
    map_set(span, 0, span->pages);
    large_resized(span, old);
    return span->base;
}

bool large_copy(struct span *span, void *moved, size_t bytes)
{
    const struct span *to = map_get(moved);
    size_t left = (size_t)span->pages << MEM_PAGE_SHIFT;
    char *from = span->base, *target = moved;

    /* What can move from now on is not copied again. */
    if (mem_settings.giveback == MEM_GIVE_NONE || segment_moves(to->segment))
        return false;
    while (left) {
        size_t step = MEM_HUGE_MIN - ((uintptr_t)from & (MEM_HUGE_MIN - 1));
        step = step < left ? step : left;
        memcpy(target, from, step < bytes ? step : bytes);
        bytes -= step < bytes ? step : bytes;
        glue_advise(from, step, MADV_DONTNEED);
        from += step;
        target += step;
        left -= step;
    }
    span->given = GIVEN_MOVED;
    return true;
}

void *large_move(struct span *span, size_t bytes)
{
    size_t want = large_want_bytes(span, bytes);
    void *block = NULL;

    if (want > MEM_BYTES_MAX || mem_pages(want) > SPAN_PAGES_MAX || !span->segment->solo)
        return NULL;
    mem_lock();
    block = solo_move(span, want);
    if (!block && want > bytes)
        block = solo_move(span, bytes);
    if (block)
        span->grown_count++;
    mem_unlock();
    if (block)
        segment_announce(span->region, span->segment->base, span->segment->bytes);
    return block;
}
