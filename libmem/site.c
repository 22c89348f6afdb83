/*
 * site.c: sites=on, who allocated: a site for each living block, and counters for each site.
 *
 * The sites of blocks stand beside the heap: a word for each 16 bytes of address, in chunks made
 * when first needed and found by two look-ups, so that neither a block's size nor its region
 * matters; the word of a block's first byte is its own, others mean nothing. A word is SITE | KIND
 * << 24; 0 is what a block has that nobody attributed. MEM_LAST regions, whose blocks die by the
 * thousand in one step, keep the site in the head of each block (last.c) and count by RUNS: all
 * blocks above `run_floor` bytes are of `run_site`; what of them is counted already is told by
 * run_bytes and run_count. last_settle brings the counters up to date.
 *
 * Counters are kept as what was ever got and ever freed. What lives when attribution begins is put
 * to site 0 by moving its `freed`, modulo 2^64, so that from then on the sites add up to the
 * regions. Every call that makes or ends a block passes here while HOOK_SITES is set; the fast
 * paths do not. All of it runs under the library's lock.
 */
#include "libmem/internal.h"

enum {
    KIND_SHIFT = 24,
    CHUNK_SHIFT = 22, /* of the heap, for one chunk of words */
    CHUNK_WORDS = 1 << (CHUNK_SHIFT - 4),
    LEAF_SHIFT = MEM_PAGE_SHIFT + MEM_MAP_LEAF_BITS,
    LEAF_CHUNKS = 1 << (LEAF_SHIFT - CHUNK_SHIFT),
    COUNTS_FIRST = 64,
    FORGET_MIN = 64 << 10, /* smaller dead ranges keep their words */
};

struct count {
    uint64_t got_count, freed_count, got_bytes, freed_bytes, peak_bytes;
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

/* ---- the words of blocks ---- */

static inline uint32_t *word_of(const void *block)
{
    uintptr_t at = (uintptr_t)block;

    if (MEM_UNLIKELY(at >> (LEAF_SHIFT + MEM_MAP_ROOT_BITS)))
        return NULL;
    const struct site_leaf *leaf = leaves[at >> LEAF_SHIFT];
    uint32_t *chunk = leaf ? leaf->chunk[at >> CHUNK_SHIFT & (LEAF_CHUNKS - 1)] : NULL;
    return chunk ? chunk + (at >> 4 & (CHUNK_WORDS - 1)) : NULL;
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
        *chunk = glue_map_sparse(CHUNK_WORDS * sizeof **chunk);
    return word_of(block);
}

static inline uint32_t word_get(const void *block)
{
    const uint32_t *word = word_of(block);

    return word ? *word : 0;
}

/* Drops what the words of a range cost; its blocks are dead. */
void site_forget(const char *base, size_t bytes)
{
    if (MEM_LIKELY(state == MEM_SITES_OFF) || bytes < FORGET_MIN)
        return;
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
                glue_unmap(leaves[i]->chunk[j], CHUNK_WORDS * sizeof *leaves[i]->chunk[j]);
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

static inline void word_born(const struct mem_region *region, uint32_t word, uint64_t blocks,
                             uint64_t bytes)
{
    count_born(&counts[word & MEM_SITE_MAX], blocks, bytes);
    unsigned kind = word >> KIND_SHIFT;
    count_born(&kinds[kind ? kind : region->kind], blocks, bytes);
}

static inline void word_died(const struct mem_region *region, uint32_t word, uint64_t blocks,
                             uint64_t bytes)
{
    count_died(&counts[word & MEM_SITE_MAX], blocks, bytes);
    unsigned kind = word >> KIND_SHIFT;
    count_died(&kinds[kind ? kind : region->kind], blocks, bytes);
    if (MEM_UNLIKELY(state == MEM_SITES_FINISHING) && word & MEM_SITE_MAX)
        finishing_count -= blocks;
}

void site_born(const struct mem_region *region, const void *block, size_t bytes, unsigned kind)
{
    uint32_t *at = word_of(block), word = site_now() | (kind % MEM_KINDS) << KIND_SHIFT;

    if (MEM_UNLIKELY(!at) && !(at = word_make(block)))
        word = 0;
    else
        *at = word;
    word_born(region, word, 1, bytes);
}

void site_died(const struct mem_region *region, const void *block, size_t bytes)
{
    word_died(region, word_get(block), 1, bytes);
}

unsigned site_kind(const void *block)
{
    return word_get(block) >> KIND_SHIFT;
}

void site_kind_set(const struct mem_region *region, const void *block, size_t bytes, unsigned kind)
{
    uint32_t *word = word_of(block);

    if (!word || !kind || *word >> KIND_SHIFT)
        return;
    struct count *from = &kinds[region->kind];
    from->got_count--;
    from->got_bytes -= bytes;
    *word |= (kind % MEM_KINDS) << KIND_SHIFT;
    count_born(&kinds[kind % MEM_KINDS], 1, bytes);
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
    region->run_site = 0;
    region->run_floor = region->run_bytes = region->busy_bytes;
    region->run_count = region->alloc_count - region->freed_count;
    last_sites_clear(region);
}

/* All that lives is of site 0. START: from now on it is followed. */
static void sites_begin(bool start)
{
    uint64_t blocks = 0, bytes = 0, of_kind[MEM_KINDS][2] = { 0 };

    for (struct mem_region *region = mem_regions; region; region = region->next) {
        uint64_t more, count = live_of(region, &more);
        blocks += count;
        bytes += more;
        of_kind[region->kind][0] += count;
        of_kind[region->kind][1] += more;
        if (start && region->method == MEM_LAST)
            last_begin(region);
    }
    count_set_live(&counts[0], blocks, bytes);
    for (int i = 0; i < MEM_KINDS; i++)
        count_set_live(&kinds[i], of_kind[i][0], of_kind[i][1]);
}

static void last_settle(struct mem_region *region);

static void sites_settle(void)
{
    if (state != MEM_SITES_OFF)
        for (struct mem_region *region = mem_regions; region; region = region->next)
            if (region->method == MEM_LAST)
                last_settle(region);
}

bool sites_update(bool on)
{
    if (on && state == MEM_SITES_OFF)
        sites_begin(true);
    if (!on && state == MEM_SITES_ON) {
        sites_settle();
        finishing_count = 0;
        for (uint32_t i = 1; i < site_count; i++)
            finishing_count += counts[i].got_count - counts[i].freed_count;
    }
    if (on)
        state = MEM_SITES_ON;
    else if (state == MEM_SITES_ON)
        state = MEM_SITES_FINISHING;
    if (state == MEM_SITES_FINISHING && !finishing_count) {
        state = MEM_SITES_OFF;
        words_clear();
        for (uint32_t i = 0; i < site_count; i++)
            count_set_live(&counts[i], 0, 0);
    }
    return state != MEM_SITES_OFF;
}

/* The last block with a site is gone. */
static __attribute__((noinline)) void sites_end(void)
{
    hooks_update();
}

static inline void sites_end_check(void)
{
    if (MEM_UNLIKELY(state == MEM_SITES_FINISHING) && !finishing_count)
        sites_end();
}

/* ---- the calls ---- */

static void last_settle(struct mem_region *region)
{
    uint64_t count = region->alloc_count - region->freed_count;

    if (count != region->run_count)
        word_born(region, region->run_site, count - region->run_count,
                  region->busy_bytes - region->run_bytes);
    region->run_bytes = region->busy_bytes;
    region->run_count = count;
}

/* From here on blocks are of SITE; nothing is left to be counted. */
static void last_run(struct mem_region *region, uint32_t site)
{
    last_settle(region);
    region->run_site = site;
    region->run_floor = region->busy_bytes;
}

static void *site_last_alloc(struct mem_region *region, size_t bytes, size_t align)
{
    uint32_t site = site_now();

    if (MEM_UNLIKELY(site != region->run_site))
        last_run(region, site);
    void *block = plain_alloc(region, bytes, align, false);
    if (block)
        last_site_set(block, site);
    return block;
}

void *site_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed, unsigned kind)
{
    void *block = NULL;
    size_t got = 0;

    mem_lock();
    if (region->method == MEM_LAST) {
        block = site_last_alloc(region, bytes, align);
        if (block && zeroed)
            memset(block, 0, bytes);
        mem_unlock();
        return block;
    }
    if (MEM_LIKELY(bytes - 1 < MEM_SMALL_MAX && region->method == MEM_BEST && align <= MEM_ALIGN)) {
        struct size_class *class = class_small(region, bytes);
        block = class_take(region, class);
        got = class->bytes;
        if (block && zeroed)
            memset(block, 0, bytes);
    }
    if (MEM_UNLIKELY(!block)) {
        block = plain_alloc(region, bytes, align, zeroed);
        got = block ? block_bytes(map_find(block), block) : 0;
    }
    if (MEM_LIKELY(block != NULL))
        site_born(region, block, got, kind);
    mem_unlock();
    return block;
}

/* The newest block of REGION is freed or has another size, and that is counted. */
static void last_changed(struct mem_region *region)
{
    region->run_bytes = region->busy_bytes;
    region->run_count = region->alloc_count - region->freed_count;
    if (region->run_floor > region->busy_bytes)
        region->run_floor = region->busy_bytes;
}

static void site_last_free(struct mem_region *region, void *block)
{
    last_settle(region);
    size_t before = region->busy_bytes;
    uint32_t site = last_site_of(block);
    last_free(region, block);
    if (region->busy_bytes != before)
        word_died(region, site, 1, before - region->busy_bytes);
    last_changed(region);
}

void site_free(struct span *span, void *block)
{
    mem_lock();
    if (MEM_LIKELY(span && span->kind == SPAN_PACK && (uintptr_t)block % MEM_ALIGN == 0)) {
        struct mem_region *region = span->region;
        struct size_class *class = &region->classes[span->class_index];
        if (MEM_LIKELY(class->head != block)) {
            site_died(region, block, class->bytes);
            class_give(region, class, block);
        } else {
            plain_free(block); /* says what is wrong */
        }
    } else if (span && span->kind == SPAN_LAST) {
        site_last_free(span->region, block);
    } else {
        struct mem_region *region = span ? span->region : NULL;
        uint64_t freed = region ? region->freed_count : 0;
        size_t bytes = region ? block_bytes(span, block) : 0;
        uint32_t word = word_get(block);
        plain_free(block);
        if (region && region->freed_count != freed)
            word_died(region, word, 1, bytes);
    }
    sites_end_check();
    mem_unlock();
}

static void *site_last_resize(struct mem_region *region, void *block, size_t bytes)
{
    last_settle(region);
    size_t before = region->busy_bytes, old = last_block_bytes(block);
    uint64_t resizes = region->resize_count;
    uint32_t site = last_site_of(block), now = site_now();
    void *moved = plain_resize(region, block, bytes, false);
    if (!moved)
        return NULL;
    size_t got = last_block_bytes(moved);
    if (moved == block && got == old) {
        last_site_set(block, site);
        region->resize_count = resizes + 1;
        return block;
    }
    /* A block that moved away from below others stays where it was, and counts. */
    if (moved == block || region->busy_bytes - before != got)
        word_died(region, site, 1, old);
    last_site_set(moved, now);
    word_born(region, now, 1, got);
    last_changed(region);
    region->run_site = now;
    region->run_floor = region->busy_bytes; /* what lies below is of any site */
    return moved;
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
        uint32_t word = word_get(block);
        moved = plain_resize(region, block, bytes, keep);
        size_t got = moved ? block_bytes(map_find(moved), moved) : 0;
        if (moved && (moved != block || got != old)) {
            word_died(region, word, 1, old);
            site_born(region, moved, got, word >> KIND_SHIFT ? word >> KIND_SHIFT : kind);
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
        last_settle(region);
        size_t old = last_block_bytes(block);
        uint32_t site = last_site_of(block);
        done = plain_resize_in_place(span, block, bytes);
        size_t got = last_block_bytes(block);
        last_site_set(block, site);
        if (got != old) {
            word_died(region, site, 1, old);
            word_born(region, site, 1, got);
        }
        last_changed(region);
    } else {
        size_t old = block_bytes(span, block);
        uint32_t word = word_get(block);
        done = plain_resize_in_place(span, block, bytes);
        size_t got = done ? block_bytes(span, block) : old;
        if (got != old) {
            word_died(region, word, 1, old);
            site_born(region, block, got, word >> KIND_SHIFT);
        }
    }
    sites_end_check();
    mem_unlock();
    return done;
}

static void last_dying(struct mem_region *region, void *block, size_t bytes)
{
    word_died(region, last_site_of(block), 1, bytes);
}

/* Before a reset to MARK, or the death of all. */
void site_last_reset(struct mem_region *region, const struct mem_mark *mark)
{
    if (region->busy_bytes == mark->busy_bytes)
        return;
    last_settle(region);
    if (MEM_LIKELY(mark->busy_bytes >= region->run_floor)) {
        word_died(region, region->run_site,
                  region->alloc_count - region->freed_count - mark->busy_count,
                  region->busy_bytes - mark->busy_bytes);
    } else {
        last_walk_dying(region, mark, last_dying);
        region->run_floor = mark->busy_bytes;
    }
    region->run_bytes = mark->busy_bytes;
    region->run_count = mark->busy_count;
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

    if (region->method == MEM_LAST)
        site_last_reset(region, &nothing);
    else if (!region->debug)
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
    mem_unlock();
}

static void stats_fill(const struct count *count, struct mem_site_stats *ret_stats)
{
    *ret_stats = (struct mem_site_stats){ .live_bytes = count->got_bytes - count->freed_bytes,
                                          .live_count = count->got_count - count->freed_count,
                                          .peak_bytes = count->peak_bytes,
                                          .call_count = count->got_count,
                                          .total_bytes = count->got_bytes };
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
