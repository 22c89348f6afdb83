/*
 * site.c: sites=on, who allocated: a site for each living block, and counters for each site.
 *
 * The sites of blocks stand beside the heap: a word for each 16 bytes of address, in chunks made
 * when first needed and found by two look-ups, so that neither a block's size nor its region
 * matters; the word of a block's first byte is its own, others mean nothing. A word is SITE | KIND
 * << 24; 0 is what a block has that was got before, or found no memory for its word.
 *
 * What happens again and again costs little, because it is counted later: births of one word in a
 * row are a RUN, one a kind; deaths wait in a queue until their words have come from memory (blocks
 * die in any order, and each is a miss). Whatever else is counted, and each birth after a death,
 * settles both, in the order of events, so peaks are exact.
 *
 * MEM_LAST regions, whose blocks die by the thousand in one step, write mem_site into the head of
 * each block (last.c) without passing here, and are counted when blocks die: all that lies below
 * the mark `settled` is counted as got, and what is newer is counted when a reset ends it or
 * settles below it. So each block is looked at twice at most, and peaks are exact as well: such a
 * region only grows between two resets. For the kinds it counts alone.
 *
 * Counters are kept as what was ever got and ever freed. What lives when attribution begins is put
 * to site 0 by moving its `freed`, modulo 2^64, so that from then on the sites add up to the
 * regions. Every call that makes or ends a block passes here while HOOK_SITES is set; the fast
 * paths do not. All of it runs under the library's lock.
 */
#include "libmem/internal.h"

enum {
    KIND_SHIFT = 24,
    CHUNK_SHIFT = 23, /* of the heap, for one chunk of words */
    CHUNK_WORDS = 1 << (CHUNK_SHIFT - 4),
    LEAF_SHIFT = MEM_PAGE_SHIFT + MEM_MAP_LEAF_BITS,
    LEAF_CHUNKS = 1 << (LEAF_SHIFT - CHUNK_SHIFT),
    COUNTS_FIRST = 64,
    FORGET_MIN = 64 << 10, /* smaller dead ranges keep their words */
    QUEUE_MAX = 64,
};

#define CHUNK_BYTES ((size_t)CHUNK_WORDS * sizeof(uint32_t))
#define NO_KEY      UINT32_MAX

struct count {
    uint64_t got_count, freed_count, got_bytes, freed_bytes, peak_bytes;
    uint64_t passed_count, passed_bytes; /* got and freed, not in the others */
};

struct site_leaf {
    uint32_t *chunk[LEAF_CHUNKS];
};

uint32_t mem_site;
bool mem_site_wanted;
bool (*mem_site_describe)(uint32_t site, char *ret_text, size_t bytes);

static struct site_leaf *leaves[1u << MEM_MAP_ROOT_BITS];
static struct count counts_first[COUNTS_FIRST], kinds[MEM_KINDS];
static struct count *counts = counts_first;
static uint32_t counts_room = COUNTS_FIRST, site_count = 1;
static enum mem_sites state;
static uint64_t finishing_count; /* FINISHING: blocks that still have a site */
static struct run {
    uint32_t key, word; /* what mem_site was, and what it means */
    uint64_t count, bytes;
} runs[MEM_KINDS];
static struct {
    const uint32_t *word;
    uint32_t bytes, kind;
} queue[QUEUE_MAX]; /* blocks that died after the runs */
static size_t queue_count;

/* ---- the words of blocks ---- */

static inline uint32_t *word_of(const void *block)
{
    uintptr_t at = (uintptr_t)block;
    const struct site_leaf *leaf = leaves[at >> LEAF_SHIFT];
    uint32_t *chunk =
        MEM_LIKELY(leaf != NULL) ? leaf->chunk[at >> CHUNK_SHIFT & (LEAF_CHUNKS - 1)] : NULL;

    return MEM_LIKELY(chunk != NULL) ? chunk + (at >> 4 & (CHUNK_WORDS - 1)) : NULL;
}

/* A chunk: of a big heap, in a huge page, because next to every word used is a miss. */
static uint32_t *chunk_new(void)
{
    static size_t count;
    bool huge = count++ && mem_settings.huge != MEM_HUGE_OFF;
    char *base = glue_map_sparse(huge ? 2 * CHUNK_BYTES : CHUNK_BYTES);

    if (!base || !huge)
        return (uint32_t *)base;
    size_t skip = -(uintptr_t)base & (CHUNK_BYTES - 1);
    if (skip)
        glue_unmap(base, skip);
    if (skip != CHUNK_BYTES)
        glue_unmap(base + skip + CHUNK_BYTES, CHUNK_BYTES - skip);
    glue_advise(base + skip, CHUNK_BYTES, MADV_HUGEPAGE);
    return (uint32_t *)(base + skip);
}

/* The same, made if need be; NULL: no memory. */
static __attribute__((noinline)) uint32_t *word_make(const void *block)
{
    uintptr_t at = (uintptr_t)block;
    struct site_leaf **leaf = &leaves[at >> LEAF_SHIFT];

    if (!*leaf && !(*leaf = meta_alloc(sizeof **leaf)))
        return NULL;
    uint32_t **chunk = &(*leaf)->chunk[at >> CHUNK_SHIFT & (LEAF_CHUNKS - 1)];
    if (!*chunk)
        *chunk = chunk_new();
    return word_of(block);
}

static inline uint32_t word_get(const void *block)
{
    const uint32_t *word = word_of(block);

    return word ? *word : 0;
}

static void events_settle(void);

/* Drops what the words of a range cost; its blocks are dead. */
void site_forget(const char *base, size_t bytes)
{
    if (MEM_LIKELY(state == MEM_SITES_OFF) || bytes < FORGET_MIN)
        return;
    events_settle();
    uintptr_t at = (uintptr_t)base, end = at + bytes;
    while (at < end) {
        uintptr_t next = (at | (((uintptr_t)1 << CHUNK_SHIFT) - 1)) + 1;
        uint32_t *word = word_of((const void *)at);
        next = next < end ? next : end;
        if (word) {
            size_t page = glue_page_bytes();
            uintptr_t from = mem_round_up((uintptr_t)word, page);
            uintptr_t to = ((uintptr_t)word + (next - at) / 4) & ~(uintptr_t)(page - 1);
            if (from < to)
                glue_advise((void *)from, to - from, MADV_DONTNEED);
        }
        at = next;
    }
}

static void words_clear(void)
{
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++)
        for (int j = 0; leaves[i] && j < LEAF_CHUNKS; j++)
            if (leaves[i]->chunk[j]) {
                glue_unmap(leaves[i]->chunk[j], CHUNK_BYTES);
                leaves[i]->chunk[j] = NULL;
            }
}

/* ---- counters ---- */

static inline void count_born(struct count *count, uint64_t blocks, uint64_t bytes)
{
    count->got_count += blocks;
    count->got_bytes += bytes;
    uint64_t live = count->got_bytes - count->freed_bytes;
    if (live > count->peak_bytes)
        count->peak_bytes = live;
}

static inline void count_died(struct count *count, uint64_t blocks, uint64_t bytes)
{
    count->freed_count += blocks;
    count->freed_bytes += bytes;
}

static inline uint32_t site_now(void)
{
    return MEM_LIKELY(state == MEM_SITES_ON && mem_site < site_count) ? mem_site : 0;
}

static void word_born(uint32_t word, uint64_t blocks, uint64_t bytes)
{
    count_born(&counts[word & MEM_SITE_MAX], blocks, bytes);
    count_born(&kinds[word >> KIND_SHIFT], blocks, bytes);
}

/* KIND: of what has no word. */
static inline void word_died(uint32_t word, unsigned kind, uint64_t blocks, uint64_t bytes)
{
    count_died(&counts[word & MEM_SITE_MAX], blocks, bytes);
    count_died(&kinds[word ? word >> KIND_SHIFT : kind], blocks, bytes);
    if (MEM_UNLIKELY(state == MEM_SITES_FINISHING) && word & MEM_SITE_MAX)
        finishing_count -= blocks;
}

/* ---- events that wait ---- */

static void run_settle(struct run *run)
{
    if (run->count)
        word_born(run->word, run->count, run->bytes);
    run->count = run->bytes = 0;
}

static __attribute__((noinline)) void events_settle(void)
{
    for (int i = 0; i < MEM_KINDS; i++)
        run_settle(&runs[i]);
    for (size_t i = 0; i < queue_count; i++)
        word_died(*queue[i].word, queue[i].kind, 1, queue[i].bytes);
    queue_count = 0;
}

/* A birth that does not go on with the run of its kind. */
static __attribute__((noinline)) void run_switch(unsigned kind)
{
    run_settle(&runs[kind]);
    runs[kind].word = site_now() | kind << KIND_SHIFT;
    runs[kind].key = state == MEM_SITES_ON ? mem_site : NO_KEY;
}

static void runs_end(void)
{
    for (int i = 0; i < MEM_KINDS; i++)
        runs[i].key = NO_KEY;
}

static inline void block_born(const struct mem_region *region, const void *block, size_t bytes,
                              unsigned kind)
{
    kind = kind ? kind % MEM_KINDS : region->kind;
    struct run *run = &runs[kind];
    uint32_t *at = word_of(block);

    if (MEM_UNLIKELY(queue_count))
        events_settle();
    if (MEM_UNLIKELY(mem_site != run->key))
        run_switch(kind);
    if (MEM_UNLIKELY(!at) && !(at = word_make(block))) {
        count_born(&counts[0], 1, bytes);
        count_born(&kinds[region->kind], 1, bytes);
        return;
    }
    *at = run->word;
    run->count++;
    run->bytes += bytes;
}

/* Of a block of a pack. */
static inline void block_died(const struct mem_region *region, const void *block, uint32_t bytes)
{
    const uint32_t *word = word_of(block);

    if (MEM_UNLIKELY(!word)) {
        events_settle();
        word_died(0, region->kind, 1, bytes);
        return;
    }
    __builtin_prefetch(word);
    if (MEM_UNLIKELY(queue_count == QUEUE_MAX))
        events_settle();
    queue[queue_count].word = word;
    queue[queue_count].bytes = bytes;
    queue[queue_count++].kind = region->kind;
}

void site_born(const struct mem_region *region, const void *block, size_t bytes)
{
    block_born(region, block, bytes, 0);
}

static void block_died_now(const struct mem_region *region, uint32_t word, size_t bytes)
{
    events_settle();
    word_died(word, region->kind, 1, bytes);
}

void site_died(const struct mem_region *region, const void *block, size_t bytes)
{
    block_died_now(region, word_get(block), bytes);
}

unsigned site_kind(const void *block)
{
    return word_get(block) >> KIND_SHIFT;
}

void site_kind_set(const struct mem_region *region, const void *block, size_t bytes, unsigned kind)
{
    uint32_t *word = word_of(block);

    if (!word || !kind)
        return;
    events_settle();
    struct count *from = &kinds[*word >> KIND_SHIFT];
    from->got_count--;
    from->got_bytes -= bytes;
    *word = (*word & MEM_SITE_MAX) | (kind % MEM_KINDS) << KIND_SHIFT;
    count_born(&kinds[kind % MEM_KINDS], 1, bytes);
    (void)region;
}

/* ---- on and off ---- */

static uint64_t live_of(const struct mem_region *region, uint64_t *ret_bytes)
{
    *ret_bytes = region->debug ? region->debug_bytes : region->busy_bytes;
    return region->debug ? region->debug_count : region->alloc_count - region->freed_count;
}

static void count_set_live(struct count *count, uint64_t blocks, uint64_t bytes)
{
    count->freed_count = count->got_count - blocks;
    count->freed_bytes = count->got_bytes - bytes;
    if (bytes > count->peak_bytes)
        count->peak_bytes = bytes;
}

static void last_begin(struct mem_region *region)
{
    last_sites_clear(region);
    region->settled = mem_region_mark(region);
    region->kind_peak = region->busy_bytes;
    region->site_mask = UINT64_MAX;
}

/* All that lives is of site 0. START: from now on it is followed. */
static void sites_begin(bool start)
{
    uint64_t blocks = 0, bytes = 0, of_kind[MEM_KINDS][2] = { 0 };

    for (struct mem_region *region = mem_regions; region; region = region->next) {
        uint64_t more, count = live_of(region, &more);
        blocks += count;
        bytes += more;
        if (region->method == MEM_LAST) {
            if (start)
                last_begin(region);
            continue;
        }
        of_kind[region->kind][0] += count;
        of_kind[region->kind][1] += more;
    }
    count_set_live(&counts[0], blocks, bytes);
    for (int i = 0; i < MEM_KINDS; i++)
        count_set_live(&kinds[i], of_kind[i][0], of_kind[i][1]);
}

static void last_settle(struct mem_region *region);

static void sites_settle(void)
{
    events_settle();
    if (state != MEM_SITES_OFF)
        for (struct mem_region *region = mem_regions; region; region = region->next)
            if (region->method == MEM_LAST)
                last_settle(region);
}

static void sites_finish(void)
{
    finishing_count = 0;
    for (uint32_t i = 1; i < site_count; i++)
        finishing_count += counts[i].got_count - counts[i].freed_count;
    state = MEM_SITES_FINISHING;
    runs_end();
    for (struct mem_region *region = mem_regions; region; region = region->next)
        region->site_mask = 0;
}

bool sites_update(bool on)
{
    sites_settle();
    if (on && state == MEM_SITES_OFF) {
        sites_begin(true);
        runs_end();
    }
    if (on && state == MEM_SITES_FINISHING)
        for (struct mem_region *region = mem_regions; region; region = region->next)
            region->site_mask = UINT64_MAX;
    if (on)
        state = MEM_SITES_ON;
    else if (state == MEM_SITES_ON)
        sites_finish();
    if (state == MEM_SITES_FINISHING && !finishing_count) {
        state = MEM_SITES_OFF;
        words_clear();
        for (uint32_t i = 0; i < site_count; i++)
            count_set_live(&counts[i], 0, 0);
    }
    return state != MEM_SITES_OFF;
}

static void sites_end_check(void)
{
    if (MEM_LIKELY(state != MEM_SITES_FINISHING))
        return;
    events_settle();
    if (!finishing_count)
        hooks_update(); /* the last block with a site is gone */
}

/* ---- MEM_LAST regions ---- */

void site_region_init(struct mem_region *region)
{
    region->site_mask = state == MEM_SITES_ON ? UINT64_MAX : 0;
}

static inline struct count *site_counts(uint32_t site)
{
    return &counts[MEM_LIKELY(site < site_count) ? site : 0];
}

static void last_born(struct mem_region *region, void *block, size_t bytes)
{
    struct count *count = site_counts(last_site_of(block));

    count_born(count, 1, bytes);
    region->kind_count++;
    region->kind_bytes += bytes;
    if (MEM_UNLIKELY(state == MEM_SITES_FINISHING) && count != counts)
        finishing_count++;
}

static void last_count_died(struct count *count, size_t bytes)
{
    count_died(count, 1, bytes);
    if (MEM_UNLIKELY(state == MEM_SITES_FINISHING) && count != counts)
        finishing_count--;
}

static void last_died(struct mem_region *region, void *block, size_t bytes)
{
    (void)region;
    last_count_died(site_counts(last_site_of(block)), bytes);
}

/* Counts what is new as got. */
static void last_settle(struct mem_region *region)
{
    last_walk_above(region, &region->settled, last_born);
    if (region->busy_bytes > region->kind_peak)
        region->kind_peak = region->busy_bytes;
    region->settled = mem_region_mark(region);
}

static void site_last_free(struct mem_region *region, void *block)
{
    last_settle(region);
    size_t before = region->busy_bytes;
    struct count *count = site_counts(last_site_of(block));
    last_free(region, block);
    if (region->busy_bytes != before)
        last_count_died(count, before - region->busy_bytes);
    region->settled = mem_region_mark(region);
}

static void *site_last_resize(struct mem_region *region, void *block, size_t bytes)
{
    last_settle(region);
    size_t before = region->busy_bytes, old = last_block_bytes(block);
    uint32_t site = last_site_of(block);
    void *moved = plain_resize(region, block, bytes, false);
    if (!moved)
        return NULL;
    size_t got = last_block_bytes(moved);
    if (moved == block && got == old) {
        last_site_set(block, site);
        return block;
    }
    /* A block that moved away from below others stays where it was, and counts. */
    if (moved == block || region->busy_bytes - before != got)
        last_count_died(site_counts(site), old);
    last_born(region, moved, got);
    region->settled = mem_region_mark(region);
    return moved;
}

static bool site_last_resize_in_place(struct span *span, void *block, size_t bytes)
{
    struct mem_region *region = span->region;

    last_settle(region);
    size_t old = last_block_bytes(block);
    uint32_t site = last_site_of(block);
    bool done = plain_resize_in_place(span, block, bytes);
    size_t got = last_block_bytes(block);
    last_site_set(block, site);
    if (got != old) {
        last_count_died(site_counts(site), old);
        last_born(region, block, got);
    }
    region->settled = mem_region_mark(region);
    return done;
}

static __attribute__((noinline)) void last_reset_slow(struct mem_region *region,
                                                      const struct mem_mark *mark)
{
    last_settle(region);
    last_walk_above(region, mark, last_died);
    region->settled = *mark;
}

/* Before a reset to MARK, or the death of all. */
void site_last_reset(struct mem_region *region, const struct mem_mark *mark)
{
    uint64_t bytes = region->busy_bytes - mark->busy_bytes, head;

    if (!bytes)
        return;
    if (MEM_UNLIKELY(mark->busy_bytes != region->settled.busy_bytes ||
                     mark->segment != region->last_segment || state != MEM_SITES_ON)) {
        last_reset_slow(region, mark);
        return;
    }
    /* Blocks of one site that nothing looked at since they were got. */
    const char *at = mark->next, *end = region->last_next;
    memcpy(&head, at, sizeof head);
    uint64_t site = head >> MEM_LAST_SITE_SHIFT;
    while ((at += head & (((uint64_t)1 << MEM_LAST_SITE_SHIFT) - MEM_ALIGN)) < end) {
        memcpy(&head, at, sizeof head);
        if (MEM_UNLIKELY(head >> MEM_LAST_SITE_SHIFT != site)) {
            last_reset_slow(region, mark);
            return;
        }
    }
    uint64_t blocks = region->alloc_count - region->freed_count - mark->busy_count;
    struct count *count = site_counts((uint32_t)site);
    count->passed_count += blocks;
    count->passed_bytes += bytes;
    if (count->got_bytes - count->freed_bytes + bytes > count->peak_bytes)
        count->peak_bytes = count->got_bytes - count->freed_bytes + bytes;
    region->kind_count += blocks;
    region->kind_bytes += bytes;
    if (region->busy_bytes > region->kind_peak)
        region->kind_peak = region->busy_bytes;
}

/* ---- the calls ---- */

static __attribute__((noinline)) void *site_alloc_other(struct mem_region *region, size_t bytes,
                                                        size_t align, bool zeroed, unsigned kind)
{
    mem_lock();
    void *block = plain_alloc(region, bytes, align, zeroed);
    if (block && region->method != MEM_LAST)
        block_born(region, block, block_bytes(map_find(block), block), kind);
    mem_unlock();
    return block;
}

void *site_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed, unsigned kind)
{
    if (MEM_LIKELY(bytes - 1 < MEM_SMALL_MAX && region->method == MEM_BEST && !zeroed &&
                   align <= MEM_ALIGN && !glue_threaded())) {
        struct size_class *class = class_small(region, bytes);
        void *block = class_take(region, class);
        if (MEM_LIKELY(block != NULL)) {
            block_born(region, block, class->bytes, kind);
            return block;
        }
    }
    return site_alloc_other(region, bytes, align, zeroed, kind);
}

static __attribute__((noinline)) void site_free_other(struct span *span, void *block)
{
    mem_lock();
    if (span && span->kind == SPAN_LAST) {
        site_last_free(span->region, block);
    } else {
        struct mem_region *region = span ? span->region : NULL;
        uint64_t freed = region ? region->freed_count : 0;
        size_t bytes = region ? block_bytes(span, block) : 0;
        uint32_t word = region ? word_get(block) : 0;
        plain_free(block);
        if (region && region->freed_count != freed)
            block_died_now(region, word, bytes);
    }
    sites_end_check();
    mem_unlock();
}

void site_free(struct span *span, void *block)
{
    if (MEM_LIKELY(span && span->kind == SPAN_PACK && (uintptr_t)block % MEM_ALIGN == 0 &&
                   state == MEM_SITES_ON && !glue_threaded())) {
        struct mem_region *region = span->region;
        struct size_class *class = &region->classes[span->class_index];
        if (MEM_LIKELY(class->room > 0)) {
            if (MEM_LIKELY(class->head != block)) {
                block_died(region, block, class->bytes);
                class_give(region, class, block);
                return;
            }
        } else if (MEM_LIKELY(class->head != block && pack_mark(span, class, block))) {
            block_died(region, block, class->bytes); /* before its word can be dropped */
            MEM_POISON(block, class->bytes);
            region_count_free(region, class->bytes);
            if (MEM_UNLIKELY(span->used <= span->low))
                pack_low(span);
            return;
        }
    }
    site_free_other(span, block);
}

void *site_resize(struct mem_region *region, void *block, size_t bytes, bool keep, unsigned kind)
{
    mem_lock();
    struct span *span = map_find(block);
    void *moved = NULL;

    if (span && span->kind == SPAN_LAST) {
        moved = site_last_resize(region, block, bytes);
    } else if (span && span->kind == SPAN_PACK && bytes - 1 < MEM_CLASS_MAX &&
               region->method == MEM_BEST && mem_class_of(bytes) == span->class_index) {
        moved = plain_resize(region, block, bytes, keep);
    } else {
        size_t old = span && span->region ? block_bytes(span, block) : 0;
        uint32_t word = old ? word_get(block) : 0;
        moved = plain_resize(region, block, bytes, keep);
        size_t got = moved ? block_bytes(map_find(moved), moved) : 0;
        if (moved && (moved != block || got != old)) {
            block_died_now(region, word, old);
            block_born(region, moved, got, word >> KIND_SHIFT ? word >> KIND_SHIFT : kind);
        }
    }
    sites_end_check();
    mem_unlock();
    return moved;
}

bool site_resize_in_place(struct span *span, void *block, size_t bytes)
{
    struct mem_region *region = span->region;
    bool done;

    mem_lock();
    if (span->kind == SPAN_LAST) {
        done = site_last_resize_in_place(span, block, bytes);
    } else {
        size_t old = block_bytes(span, block);
        uint32_t word = word_get(block);
        done = plain_resize_in_place(span, block, bytes);
        size_t got = done ? block_bytes(span, block) : old;
        if (got != old) {
            block_died_now(region, word, old);
            block_born(region, block, got, word >> KIND_SHIFT);
        }
    }
    sites_end_check();
    mem_unlock();
    return done;
}

static int dying_visit(void *arg, void *block, size_t bytes, bool busy)
{
    if (busy)
        site_died(arg, block, bytes);
    return 0;
}

void site_region_dies(struct mem_region *region)
{
    static const struct mem_mark nothing;

    if (region->method == MEM_LAST) {
        last_reset_slow(region, &nothing);
        struct count *kind = &kinds[region->kind];
        kind->got_count += region->kind_count;
        kind->freed_count += region->kind_count;
        kind->got_bytes += region->kind_bytes;
        kind->freed_bytes += region->kind_bytes;
    } else if (!region->debug)
        (void)mem_region_walk(region, dying_visit, region);
}

/* ---- the interface ---- */

uint32_t mem_site_new(void)
{
    uint32_t site = 0;

    mem_lock();
    if (site_count == counts_room && site_count <= MEM_SITE_MAX) {
        size_t bytes = counts_room * sizeof *counts;
        struct count *more = counts == counts_first ? glue_map_sparse(2 * bytes)
                                                    : glue_remap(counts, bytes, 2 * bytes);
        if (more && counts == counts_first)
            memcpy(more, counts, bytes);
        if (more) {
            counts = more;
            counts_room *= 2;
        }
    }
    if (site_count < counts_room && site_count <= MEM_SITE_MAX)
        site = site_count++;
    runs_end(); /* what was no site may be one now */
    mem_unlock();
    return site;
}

uint32_t mem_site_count(void)
{
    return site_count;
}

void mem_sites_set(bool on)
{
    (void)mem_region_malloc();
    mem_lock();
    mem_settings.sites = on;
    hooks_update();
    mem_unlock();
}

enum mem_sites mem_sites_state(void)
{
    return state;
}

static void count_forget(struct count *count)
{
    uint64_t blocks = count->got_count - count->freed_count;
    uint64_t bytes = count->got_bytes - count->freed_bytes;

    *count = (struct count){ .freed_count = -blocks, .freed_bytes = -bytes, .peak_bytes = bytes };
}

void mem_sites_reset(void)
{
    mem_lock();
    sites_settle();
    for (uint32_t i = 0; i < site_count; i++)
        count_forget(&counts[i]);
    for (int i = 0; i < MEM_KINDS; i++)
        count_forget(&kinds[i]);
    for (struct mem_region *region = mem_regions; region; region = region->next) {
        region->kind_count = region->kind_bytes = 0;
        region->kind_peak = region->busy_bytes;
    }
    mem_unlock();
}

static void stats_fill(const struct count *count, struct mem_site_stats *ret_stats)
{
    *ret_stats = (struct mem_site_stats){ .live_bytes = count->got_bytes - count->freed_bytes,
                                          .live_count = count->got_count - count->freed_count,
                                          .peak_bytes = count->peak_bytes,
                                          .call_count = count->got_count + count->passed_count,
                                          .total_bytes = count->got_bytes + count->passed_bytes };
}

/* Up to date; also where nothing is attributed. */
static void counts_refresh(void)
{
    if (state == MEM_SITES_OFF)
        sites_begin(false);
    else
        sites_settle();
}

bool mem_site_stats(uint32_t site, struct mem_site_stats *ret_stats)
{
    if (site >= site_count)
        return false;
    mem_lock();
    counts_refresh();
    stats_fill(&counts[site], ret_stats);
    mem_unlock();
    return true;
}

bool mem_kind_stats(unsigned kind, struct mem_site_stats *ret_stats)
{
    if (kind >= MEM_KINDS)
        return false;
    mem_lock();
    counts_refresh();
    stats_fill(&kinds[kind], ret_stats);
    for (struct mem_region *region = mem_regions; region; region = region->next)
        if (region->method == MEM_LAST && region->kind == kind) {
            ret_stats->live_bytes += region->busy_bytes;
            ret_stats->live_count += region->alloc_count - region->freed_count;
            ret_stats->call_count += region->kind_count;
            ret_stats->total_bytes += region->kind_bytes;
            ret_stats->peak_bytes += region->kind_peak;
        }
    mem_unlock();
    return true;
}

int mem_site_walk(mem_site_visit *visit, void *arg)
{
    int result = 0;

    mem_lock();
    counts_refresh();
    for (uint32_t site = 0; site < site_count && !result; site++) {
        struct mem_site_stats stats;
        stats_fill(&counts[site], &stats);
        if (stats.call_count || stats.live_count)
            result = visit(arg, site, &stats);
    }
    mem_unlock();
    return result;
}

uint32_t mem_site_of(const void *block, unsigned *ret_kind)
{
    const struct span *span = map_find(block);
    uint32_t word = 0;

    if (span && span->kind == SPAN_LAST)
        word = state != MEM_SITES_OFF ? last_site_of(block) : 0;
    else if (span)
        word = word_get(block);
    if (ret_kind) {
        const struct mem_region *region = span ? span->region : NULL;
        *ret_kind = word >> KIND_SHIFT ? word >> KIND_SHIFT : region ? region->kind : 0;
    }
    return word & MEM_SITE_MAX;
}

void mem_region_kind_set(struct mem_region *region, unsigned kind)
{
    if (kind < MEM_KINDS)
        region->kind = (uint8_t)kind;
}

bool site_counts_agree(void)
{
    uint64_t bytes = 0, blocks = 0;

    if (state == MEM_SITES_OFF)
        return true;
    sites_settle();
    for (struct mem_region *region = mem_regions; region; region = region->next) {
        uint64_t more;
        blocks -= live_of(region, &more);
        bytes -= more;
    }
    for (uint32_t i = 0; i < site_count; i++) {
        blocks += counts[i].got_count - counts[i].freed_count;
        bytes += counts[i].got_bytes - counts[i].freed_bytes;
    }
    return !bytes && !blocks;
}
