/*
 * segment.c: segments, the page map, and the memory libmem needs for itself.
 *
 * A segment is a range got from a source, or a slice lent by the `malloc` region. The page map is a
 * root of leaves of one GiB each; a leaf is mapped before memory in its GiB is used, so that
 * map_set cannot fail. Records (spans, segments, leaves) lie outside of the segments: getting a
 * segment writes nothing into it unless the clear option asks, and a freed record is reused and
 * never unmapped, so a stale map entry always points to some record. Nothing here decides how a
 * segment is cut.
 */
#include "libmem/internal.h"

enum { META_FIRST_BYTES = 96 * 1024, META_BYTES = 256 * 1024, SPAN_BATCH = 32 };
enum {
    META_PART = 112, /* records for a segment full of packs need less than this part of it */
    META_STOCK = 4,
};

struct map_leaf *mem_map[1u << MEM_MAP_ROOT_BITS];

static struct map_leaf map_first_leaf; /* saves small programs a system call */
static MEM_WARM bool map_first_used = false;
static MEM_WARM struct map_leaf *leaf_spare =
    NULL; /* made ahead of a move; linked by their first entry */
static _Alignas(64) char meta_first[META_FIRST_BYTES];
static char *meta_next = meta_first;
static size_t meta_left = META_FIRST_BYTES;
static size_t meta_bytes = META_FIRST_BYTES;         /* of all chunks but oversized ones */
static MEM_WARM struct meta_chunk *meta_more = NULL; /* chunks got ahead */
static MEM_WARM struct span *span_spare = NULL;
static MEM_WARM struct segment *segment_spare = NULL;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned lock_depth;   /* of its owner */
static bool lock_holds;       /* the outermost lock has blocked signals ... */
static sigset_t lock_signals; /* ... and these were blocked before */
MEM_WARM bool mem_signals_held = false;

/* Signals are blocked before the lock is taken: a handler that jumps away must not keep it. */
void mem_lock_slow(void)
{
    sigset_t before;
    bool hold = mem_signals_held;

    if (hold)
        glue_signals_block(&before);
    (void)pthread_mutex_lock(&lock);
    if (lock_depth++ == 0 && (lock_holds = hold))
        lock_signals = before;
}

/* What the outermost lock changed; after the lock is free. */
static void signals_restore(bool held, const sigset_t *before)
{
    if (held)
        glue_signals_set(before);
}

void mem_unlock_slow(void)
{
    bool held = --lock_depth == 0 && lock_holds;
    sigset_t before = lock_signals;

    (void)pthread_mutex_unlock(&lock);
    signals_restore(held, &before);
}

void mem_signals_hold(bool hold)
{
    (void)mem_region_malloc();
    mem_signals_held = hold;
    mem_lock();
    hooks_update();
    mem_unlock();
}

/* ---- fork: no other thread may be inside while the process is copied ---- */

static void fork_before(void)
{
    mem_lock();
    trace_flush();
    give_fork();
}

static void fork_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

    trace_forked();
    if (!lock_depth)
        return;
    lock = fresh; /* held by a thread whose id is another one here */
    bool held = lock_depth && lock_holds;
    lock_depth = 0;
    signals_restore(held, &lock_signals);
}

__attribute__((constructor)) static void fork_prepare(void)
{
    (void)pthread_atfork(fork_before, mem_unlock, fork_child);
}

/* ---- records ---- */

struct meta_chunk {
    struct meta_chunk *next;
};

/* Gets memory for the records of SEGMENTS_BYTES ahead, so that the last of the memory can still be
 * cut into packs. */
static void meta_stock(size_t segments_bytes)
{
    /* Few at a time: big blocks need none of it. */
    for (int i = 0; i < META_STOCK && meta_bytes < segments_bytes / META_PART; i++) {
        struct meta_chunk *chunk = glue_map_sparse(META_BYTES);
        if (!chunk)
            return;
        chunk->next = meta_more;
        meta_more = chunk;
        meta_bytes += META_BYTES;
    }
}

/* Makes room for BYTES, which the current chunk has not. */
static bool meta_get(size_t bytes)
{
    struct meta_chunk *more = meta_more;

    if (more && bytes <= META_BYTES) {
        meta_more = more->next;
        more->next = NULL;
        meta_next = (char *)more;
        meta_left = META_BYTES;
        return true;
    }
    size_t chunk = bytes > META_BYTES ? mem_round_up(bytes, MEM_PAGE) : META_BYTES;
    char *base = glue_map_sparse(chunk);
    if (!base && chunk > bytes)
        base = glue_map_sparse(chunk = mem_round_up(bytes, MEM_PAGE));
    if (!base)
        return false;
    meta_next = base;
    meta_left = chunk;
    if (chunk == META_BYTES)
        meta_bytes += META_BYTES;
    return true;
}

void *meta_alloc(size_t bytes)
{
    bytes = mem_round_up(bytes, 64);
    if (bytes > meta_left && !meta_get(bytes))
        return NULL;
    void *block = meta_next;
    meta_next += bytes;
    meta_left -= bytes;
    return block;
}

struct span *span_new(void)
{
    struct span *span = span_spare;

    if (!span) {
        span = meta_alloc(SPAN_BATCH * sizeof *span);
        if (!span)
            return NULL;
        for (int i = SPAN_BATCH - 1; i > 0; i--) {
            span[i].next = span_spare;
            span_spare = &span[i];
        }
        return span;
    }
    span_spare = span->next;
    memset(span, 0, sizeof *span);
    return span;
}

void span_drop(struct span *span)
{
    MEM_ASSERT(!span->quick);
    span->kind = SPAN_NONE;
    span->pages = 0; /* no address is in it: stale map entries find nothing */
    span->segment = NULL;
    span->region = NULL;
    span->next = span_spare;
    span_spare = span;
}

/* ---- the page map ---- */

static struct map_leaf *leaf_new(void)
{
    struct map_leaf *leaf = leaf_spare;

    if (leaf) {
        leaf_spare = (struct map_leaf *)leaf->entry[0];
        leaf->entry[0] = 0;
        return leaf;
    }
    if (map_first_used)
        return glue_map_sparse(sizeof *leaf);
    map_first_used = true;
    return &map_first_leaf;
}

/* Makes enough spare leaves for BYTES at an address that is not known yet. */
static bool leaf_stock(size_t bytes)
{
    size_t want = (bytes >> (MEM_PAGE_SHIFT + MEM_MAP_LEAF_BITS)) + 2;

    for (struct map_leaf *leaf = leaf_spare; leaf && want; want--)
        leaf = (struct map_leaf *)leaf->entry[0];
    for (; want; want--) {
        struct map_leaf *leaf = glue_map_sparse(sizeof *leaf);
        if (!leaf)
            return false;
        leaf->entry[0] = (uintptr_t)leaf_spare;
        leaf_spare = leaf;
    }
    return true;
}

bool map_reserve(const char *base, size_t bytes)
{
    uintptr_t first = (uintptr_t)base >> (MEM_PAGE_SHIFT + MEM_MAP_LEAF_BITS);
    uintptr_t last = ((uintptr_t)base + bytes - 1) >> (MEM_PAGE_SHIFT + MEM_MAP_LEAF_BITS);

    if (last >> MEM_MAP_ROOT_BITS)
        return false;
    for (uintptr_t i = first; i <= last; i++) {
        if (mem_map[i])
            continue;
        struct map_leaf *leaf = leaf_new();
        if (!leaf)
            return false;
        mem_map[i] = leaf;
    }
    return true;
}

/* Writes ENTRY for PAGES pages of SPAN from FIRST_PAGE on. */
static void map_fill(const struct span *span, size_t first_page, size_t pages, uintptr_t entry)
{
    uintptr_t page = ((uintptr_t)span->base >> MEM_PAGE_SHIFT) + first_page;
    uintptr_t end = page + pages;

    while (page < end) {
        struct map_leaf *leaf = mem_map[page >> MEM_MAP_LEAF_BITS];
        uintptr_t at = page & ((1u << MEM_MAP_LEAF_BITS) - 1);
        for (; page < end && at < 1u << MEM_MAP_LEAF_BITS; page++, at++)
            MEM_POKE(leaf->entry[at], entry);
    }
}

void map_set(struct span *span, size_t first_page, size_t pages)
{
    map_fill(span, first_page, pages, (uintptr_t)span);
}

void map_tag(struct span *pack, bool quick)
{
    uintptr_t tag = pack->region->heap_tag == MEM_TAG_NOBODY ? 0 : pack->region->heap_tag;

    tag |= pack->kind == SPAN_MIXED ? MEM_TAG_MIXED : pack->class_index + 1u;
    if (!quick)
        tag = pack_is_sited_fast(pack) ? MEM_TAG_SITED | (pack->class_index + 1u) : 0;
    pack->quick = quick;
    map_fill(pack, 0, pack->pages, (uintptr_t)pack | tag << MEM_TAG_SHIFT);
}

/* The end of a segment has no neighbour to ask for it, so it need not be touched. */
void map_set_ends(struct span *span)
{
    map_set(span, 0, 1);
    if (span_end(span) == segment_end(span->segment))
        span->segment->tail = span;
    else
        map_set(span, span->pages - 1, 1);
}

/* ---- counters ---- */

size_t segment_held_bytes;
static struct mem_system_stats system_stats;

void mem_system_stats(struct mem_system_stats *ret_stats)
{
    *ret_stats = system_stats;
    ret_stats->call_count = glue_memory_calls;
    ret_stats->held_bytes = segment_held_bytes;
}

/* Segments grow and shrink too: COUNT is 0 then. */
static void count_got(size_t bytes, unsigned count)
{
    segment_held_bytes += bytes;
    meta_stock(segment_held_bytes);
    system_stats.got_bytes += bytes;
    system_stats.got_count += count;
}

static void count_put(size_t bytes, unsigned count)
{
    segment_held_bytes -= bytes;
    system_stats.put_bytes += bytes;
    system_stats.put_count += count;
}

/* ---- segments ---- */

static struct segment *segment_record(void)
{
    struct segment *segment = segment_spare;

    if (!segment)
        return meta_alloc(sizeof *segment);
    segment_spare = segment->next;
    memset(segment, 0, sizeof *segment);
    return segment;
}

static void segment_record_drop(struct segment *segment)
{
    segment->next = segment_spare;
    segment_spare = segment;
}

static void segment_link(struct segment *segment, struct mem_region *region)
{
    segment->region = region;
    segment->prev = region->newest;
    segment->next = NULL;
    if (region->newest)
        region->newest->next = segment;
    else
        region->segments = segment;
    region->newest = segment;
    region->segment_count++;
    region->size_bytes += segment->bytes;
}

/* What is asked for when REGION wants BYTES that begin at END (0: not known yet): where it is on
 * huge pages, smaller segments get as many as make one. */
static size_t segment_round(const struct mem_region *region, uintptr_t end, size_t bytes)
{
    size_t unit = mem_round_up(mem_settings.segment_bytes, mem_settings.page_bytes);

    if (unit < MEM_HUGE_MIN && give_wants_huge(region, 0))
        bytes = mem_round_up(end + bytes, MEM_HUGE_MIN) - end;
    return mem_round_up(bytes, unit);
}

/* The block of USED_BYTES in SEGMENT, which is all new, ends amid a huge page: where much of that
 * would be for nothing, a page touched ahead makes the system use small ones there. */
static void segment_end_small(const struct segment *segment, size_t used_bytes)
{
    uintptr_t end = (uintptr_t)segment->base + used_bytes, last = end & ~(MEM_HUGE_MIN - 1);

    if (last >= (uintptr_t)segment->base && last < end && end - last < MEM_HUGE_MIN / 4 * 3)
        *(volatile char *)last = 0;
}

/* What the options want done with the memory of SEGMENT above OLD_BYTES, which is new, and up to
 * USED_BYTES for a block that did not grow yet (0: one that does, or many). */
static void segment_got(struct segment *segment, size_t old_bytes, size_t used_bytes)
{
    struct mem_region *region = segment->region;
    char *base = segment->base + old_bytes;
    size_t part = segment->bytes - old_bytes;
    bool first = region->segments == segment && base == segment->base;

    if (mem_settings.clear == MEM_CLEAR_ALL || (mem_settings.clear == MEM_CLEAR_FIRST && first)) {
        memset(base, 0, part);
        segment->cleared_bytes = (size_t)(base + part - segment->base);
    }
    if (segment_moves(segment)) { /* all or nothing of it */
        if (mem_settings.huge == MEM_HUGE_AUTO && used_bytes && give_wants_huge(region, part))
            segment_end_small(segment, used_bytes);
        give_huge(region, segment->base, segment->bytes, part);
    } else if (mem_settings.huge == MEM_HUGE_ON) {
        give_huge(region, base, part, 0);
    }
}

void segment_trim(struct segment *segment, size_t bytes)
{
    segment->bytes -= bytes;
    segment->region->size_bytes -= bytes;
    count_put(bytes, 0);
    if (segment->high > segment_end(segment))
        segment->high = segment_end(segment);
    if (segment->huge_next > segment_end(segment))
        segment->huge_next = segment_end(segment);
    segment->tail = NULL;
    MEM_OPEN(segment_end(segment), bytes);
    glue_unmap(segment_end(segment), bytes);
    segment_announce(segment->region, segment_end(segment), 0);
}

/* check=segment: every page of REGION must be there. */
static void segments_check(const struct mem_region *region)
{
    for (const struct segment *segment = region->segments; segment; segment = segment->next)
        if (!glue_mapped(segment->base, segment->bytes)) {
            struct mem_line line = { .used = 0 };
            line_str(&line, "vmalloc: corrupted: region ");
            line_str(&line, region->name);
            line_str(&line, " at ");
            line_hex(&line, (uintptr_t)segment->base);
            line_str(&line, ": pages of a segment are not mapped");
            line_send(&line);
        }
}

void segment_announce(struct mem_region *region, const void *base, size_t bytes)
{
    if (MEM_UNLIKELY(mem_settings.trace_internal))
        stats_say_debug(bytes ? "got" : "put back", region, base, bytes);
    if (MEM_UNLIKELY(mem_settings.check_segment && bytes))
        segments_check(region);
    if (MEM_UNLIKELY(mem_settings.usage))
        stats_say_usage(region, base, bytes);
    if (MEM_UNLIKELY(mem_settings.check_region && bytes))
        (void)mem_check(region);
}

struct segment *segment_new(struct mem_region *region, size_t bytes, bool solo)
{
    if (bytes > MEM_BYTES_MAX)
        return NULL;
    mem_lock();
    struct segment *segment = segment_record();
    if (!segment) {
        mem_unlock();
        return NULL;
    }
    size_t least = mem_round_up(bytes, mem_settings.page_bytes);
    size_t got = limit_cut(segment_round(region, 0, bytes), least);
    size_t room = region->segment_count ? MEM_ROOM_LATER : MEM_ROOM_FIRST;
    if (solo)
        room = mem_round_up(got, MEM_SOLO_MIN) * 8;
    enum source_id source = SOURCE_COUNT;
    bool allowed = limit_allows(got, region);
    char *base = allowed ? source_get(got, room, &source) : NULL;
    if (!base && allowed && least < got)
        base = source_get(got = least, room, &source);
    if (base && !map_reserve(base, got)) {
        mem_sources[source].put(base, got, room);
        base = NULL;
    }
    if (!base) {
        segment_record_drop(segment);
        mem_unlock();
        return NULL;
    }
    segment->base = base;
    segment->bytes = got;
    segment->high = mem_sources[source].zeroed ? base : base + got;
    segment->huge_next = base;
    segment->source = (uint8_t)source;
    segment->room_bytes = room;
    segment->solo = solo;
    segment_link(segment, region);
    count_got(got, 1);
    segment_got(segment, 0, bytes);
    mem_unlock();
    return segment;
}

struct segment *segment_borrow(struct mem_region *region, size_t bytes)
{
    struct mem_region *lender = mem_region_malloc();

    mem_lock();
    struct segment *segment = segment_record();
    size_t dirty = 0;
    struct span *span = segment ? large_take(lender, mem_pages(bytes), 1, &dirty) : NULL;
    if (!span) {
        if (segment)
            segment_record_drop(segment);
        mem_unlock();
        return NULL;
    }
    span->kind = SPAN_LENT;
    segment->base = span->base;
    segment->bytes = (size_t)span->pages << MEM_PAGE_SHIFT;
    segment->high = span->base + dirty;
    segment->huge_next = span->base;
    segment->lent = span;
    lender->size_bytes -= segment->bytes;
    segment_link(segment, region);
    mem_unlock();
    return segment;
}

void segment_drop(struct segment *segment)
{
    struct mem_region *region = segment->region;
    char *base = segment->base;
    bool lent = segment->lent != NULL;

    mem_lock();
    if (segment->prev)
        segment->prev->next = segment->next;
    else
        region->segments = segment->next;
    if (segment->next)
        segment->next->prev = segment->prev;
    else
        region->newest = segment->prev;
    region->segment_count--;
    region->size_bytes -= segment->bytes;
    if (lent) {
        segment->lent->region->size_bytes += segment->bytes;
        large_put(segment->lent);
    } else {
        MEM_OPEN(base, segment->bytes);
        mem_sources[segment->source].put(base, segment->bytes, segment->room_bytes);
        count_put(segment->bytes, 1);
    }
    segment_record_drop(segment);
    if (!lent)
        segment_announce(region, base, 0);
    mem_unlock();
}

/* Counts the part of SEGMENT above OLD_BYTES, which is new. */
static void segment_grown(struct segment *segment, size_t old_bytes)
{
    if (!mem_sources[segment->source].zeroed)
        segment->high = segment_end(segment);
    segment->region->size_bytes += segment->bytes - old_bytes;
    if (segment->bytes >= old_bytes)
        count_got(segment->bytes - old_bytes, 0);
    else
        count_put(old_bytes - segment->bytes, 0);
    if (segment->bytes > old_bytes)
        segment_got(segment, old_bytes, 0);
}

bool segment_grow(struct segment *segment, size_t bytes)
{
    const struct source *source = &mem_sources[segment->source];
    size_t old = segment->bytes;

    if (segment->lent || !source->grow || bytes > MEM_BYTES_MAX - old)
        return false;
    mem_lock();
    size_t least = old + mem_round_up(bytes, mem_settings.page_bytes);
    size_t want =
        old + limit_cut(segment_round(segment->region, (uintptr_t)segment_end(segment), bytes),
                        least - old);
    bool allowed = limit_allows(want - old, segment->region);
    bool grown =
        allowed && map_reserve(segment->base, want) && source->grow(segment->base, old, want);
    if (!grown && allowed && least < want)
        grown = source->grow(segment->base, old, want = least);
    if (grown) {
        segment->bytes = want;
        segment_grown(segment, old);
    }
    mem_unlock();
    return grown;
}

bool segment_move(struct segment *segment, size_t bytes)
{
    const struct source *source = &mem_sources[segment->source];
    size_t old = segment->bytes;

    if (segment->lent || !source->move || bytes > MEM_BYTES_MAX)
        return false;
    mem_lock();
    size_t more = bytes > old ? mem_round_up(bytes - old, mem_settings.page_bytes) : 0;
    size_t want = segment_round(segment->region, 0, bytes);
    want = want > old ? old + limit_cut(want - old, more) : want;
    if (want > old && !limit_allows(want - old, segment->region)) {
        mem_unlock();
        return false;
    }
    size_t used_bytes = (size_t)(segment->high - segment->base);
    char *base = NULL;
    MEM_OPEN(segment->base, old);
    if (leaf_stock(want))
        base = source->move(segment->base, old, want);
    if (!base && leaf_stock(bytes))
        base =
            source->move(segment->base, old, want = mem_round_up(bytes, mem_settings.page_bytes));
    if (base) {
        (void)map_reserve(base, want); /* from the stock */
        if (base != segment->base)
            segment->room_bytes = 0;
        segment->base = base;
        segment->bytes = want;
        segment->high = base + used_bytes;
        segment->huge_next = base;
        segment_grown(segment, old);
    }
    mem_unlock();
    return base != NULL;
}
