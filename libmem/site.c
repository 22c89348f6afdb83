/*
 * site.c: sites=on, who allocated: a site for each living block, and counters for each site.
 *
 * The sites of blocks stand beside the heap (site_word.c): for each block a word, SITE | KIND <<
 * 24; 0 is what a block has that was got before, or found no memory for its word.
 *
 * What happens again and again costs little. Births are counted at once, but a peak is only looked
 * for before something is taken away, and by readers. Deaths wait in a queue until their words have
 * come from memory (blocks die in any order, and each is a miss), and then, summed up by words, in
 * `ended`. Whatever else is counted, and each birth after a death, settles both.
 *
 * MEM_LAST regions, whose blocks die by the thousand in one step, write the site into the head of
 * each block (last.c), and are counted by runs: what is newer than `settled_bytes` is of the one
 * site in `site_head` and not counted yet; below, all is. A new site settles. So a reset that ends
 * newer blocks only, as nearly all do, looks at none of them; another one looks at those it ends.
 * For the kinds such a region counts alone.
 *
 * Counters are kept as what was ever got and ever freed. What lives when attribution begins is put
 * to site 0 by moving its `freed`, modulo 2^64, so that from then on the sites add up to the
 * regions. Every call that makes or ends a block passes here while HOOK_SITES is set (those for
 * MEM_LAST only when the site is another one); the fast paths do not. All of it runs under the
 * library's lock.
 */
#include "libmem/site_word.h"

enum {
    KIND_SHIFT = 24,
    COUNTS_FIRST = 64,
    FORGET_MIN = 64 << 10, /* smaller dead ranges keep their words */
    QUEUE_MAX = 64,
};

#define NO_KEY UINT32_MAX

/* Of 64 bytes. */
struct count {
    uint64_t got_count, freed_count, peak_bytes, got_bytes, freed_bytes;
    uint64_t passed_count, unused, passed_bytes; /* got and freed, not in the others */
};

MEM_WARM uint32_t mem_site = 0;
MEM_WARM bool mem_site_wanted = false;
MEM_WARM bool (*mem_site_describe)(uint32_t site, char *ret_text, size_t bytes) = NULL;

static struct count counts_first[COUNTS_FIRST], kinds[MEM_KINDS];
static struct count *counts = counts_first;
static uint32_t counts_room = COUNTS_FIRST, site_count = 1;
static enum mem_sites state;
static uint64_t finishing_count; /* FINISHING: blocks that still have a site */
static struct {
    uint32_t key, site; /* what mem_site was, and what it means; NO_KEY: look, and settle first */
    struct count *count;
} now = { NO_KEY, 0, counts_first };
static struct {
    const uint32_t *word;
    uint32_t bytes, kind;
} queue[QUEUE_MAX]; /* blocks that died; empty: `ended` is, too */
static size_t queue_count;
static struct ended {
    uint64_t count, bytes;
    uint32_t word;
} __attribute__((aligned(32)))
ended[MEM_KINDS];            /* blocks that died before those: for each kind some of one word */
static uint32_t ended_kinds; /* bit set */
static const uint32_t no_word;

static void events_settle(void);

/* Drops what the words of a range cost; its blocks are dead. */
void site_forget(const char *base, size_t bytes)
{
    if (MEM_LIKELY(state == MEM_SITES_OFF) || bytes < FORGET_MIN)
        return;
    events_settle();
    words_drop(base, bytes);
}

/* ---- counters ---- */

static inline void count_peak(struct count *count)
{
    uint64_t live = count->got_bytes - count->freed_bytes;

    if (live > count->peak_bytes)
        count->peak_bytes = live;
}

static inline void count_born(struct count *count, uint64_t blocks, uint64_t bytes)
{
    count->got_count += blocks;
    count->got_bytes += bytes;
}

static inline void count_died(struct count *count, uint64_t blocks, uint64_t bytes)
{
    count_peak(count);
    count->freed_count += blocks;
    count->freed_bytes += bytes;
}

static inline uint32_t site_now(void)
{
    return MEM_LIKELY(state == MEM_SITES_ON && mem_site < site_count) ? mem_site : 0;
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

/* What died and has come from memory is summed up. */
static __attribute__((noinline)) void queue_drain(void)
{
    for (size_t i = 0; i < queue_count; i++) {
        uint32_t word = *queue[i].word;
        struct ended *run = &ended[word >> KIND_SHIFT];
        if (MEM_UNLIKELY(run->word != word || !word)) {
            if (run->word)
                word_died(run->word, 0, run->count, run->bytes);
            *run = (struct ended){ .word = word };
            if (!word) {
                word_died(0, queue[i].kind, 1, queue[i].bytes);
                continue;
            }
            ended_kinds |= 1u << (word >> KIND_SHIFT);
        }
        run->count++;
        run->bytes += queue[i].bytes;
    }
    queue_count = 0;
}

static __attribute__((noinline)) void events_settle(void)
{
    queue_drain();
    for (; ended_kinds; ended_kinds &= ended_kinds - 1) {
        struct ended *run = &ended[__builtin_ctz(ended_kinds)];
        if (run->word)
            word_died(run->word, 0, run->count, run->bytes);
        *run = (struct ended){ 0 };
    }
}

static void now_forget(void)
{
    now.key = NO_KEY;
    now.site = 0;
    now.count = counts;
}

/* mem_site is another one. */
static __attribute__((noinline)) void now_update(void)
{
    uint32_t site = site_now();

    now.key = site == mem_site ? site : NO_KEY;
    now.site = site;
    now.count = &counts[site];
}

/* The fast paths: what they need is at hand. */
static inline bool now_ready(void)
{
    return MEM_LIKELY(mem_site == now.key && !glue_threaded());
}

static inline void now_born(uint32_t *word, size_t bytes, unsigned kind)
{
    *word = now.site | kind << KIND_SHIFT;
    count_born(now.count, 1, bytes);
    count_born(&kinds[kind], 1, bytes);
}

static void block_born(const struct mem_region *region, const void *block, size_t bytes,
                       unsigned kind)
{
    uint32_t *word = word_make(block);

    if (mem_site != now.key) {
        events_settle();
        now_update();
    }
    if (word) {
        now_born(word, bytes, kind ? kind % MEM_KINDS : region->kind);
        return;
    }
    count_born(&counts[0], 1, bytes);
    count_born(&kinds[region->kind], 1, bytes);
}

/* A block that has WORD is about to be given back; the queue has room. */
static inline void block_dies(const struct mem_region *region, const uint32_t *word, uint32_t bytes)
{
    __builtin_prefetch(word);
    queue[queue_count].word = word;
    queue[queue_count].bytes = bytes;
    queue[queue_count++].kind = region->kind;
    now.key = NO_KEY;
}

/* The last one was no block that lives. */
static void block_died_not(void)
{
    if (!--queue_count)
        events_settle();
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
    count_peak(count);
    count->freed_count = count->got_count - blocks;
    count->freed_bytes = count->got_bytes - bytes;
    count_peak(count);
}

/* All of it is counted. */
static inline void last_settled(struct mem_region *region)
{
    region->settled_bytes = region->busy_bytes;
    region->settled_count = region->alloc_count - region->freed_count;
}

static void last_site_forget(struct mem_region *region)
{
    region->site_key = NO_KEY;
    region->site_head = 0;
}

static void last_begin(struct mem_region *region)
{
    last_sites_clear(region);
    last_settled(region);
    region->kind_peak = region->busy_bytes;
    last_site_forget(region);
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
    now_forget();
    for (struct mem_region *region = mem_regions; region; region = region->next)
        last_site_forget(region);
}

bool sites_update(bool on)
{
    sites_settle();
    enum mem_sites before = state;
    if (on && state == MEM_SITES_OFF)
        sites_begin(true);
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
    for (struct mem_region *region = mem_regions; region && state != before; region = region->next)
        region_limit_set(region);
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

static inline struct count *last_count_new(const struct mem_region *region)
{
    return &counts[region->site_head >> MEM_LAST_SITE_SHIFT];
}

static inline void last_kind_born(struct mem_region *region, uint64_t blocks, uint64_t bytes)
{
    region->kind_bytes += bytes;
    region->kind_count += blocks;
    if (region->busy_bytes > region->kind_peak)
        region->kind_peak = region->busy_bytes;
}

/* Counts what is new as got. */
static void last_settle(struct mem_region *region)
{
    uint64_t bytes = region->busy_bytes - region->settled_bytes;
    uint64_t blocks = region->alloc_count - region->freed_count - region->settled_count;

    if (!bytes)
        return;
    if (queue_count)
        events_settle();
    count_born(last_count_new(region), blocks, bytes);
    last_kind_born(region, blocks, bytes);
    last_settled(region);
}

void site_last_switch(struct mem_region *region)
{
    mem_lock();
    last_settle(region);
    uint32_t site = site_now();
    region->site_key = site == mem_site ? site : NO_KEY;
    region->site_head = (uint64_t)site << MEM_LAST_SITE_SHIFT;
    mem_unlock();
}

static void site_last_free(struct mem_region *region, void *block)
{
    last_settle(region);
    size_t before = region->busy_bytes;
    struct count *count = site_counts(last_site_of(block));
    last_free(region, block);
    if (region->busy_bytes != before)
        last_count_died(count, before - region->busy_bytes);
    last_settled(region);
}

static void *site_last_resize(struct mem_region *region, void *block, size_t bytes)
{
    site_last_switch(region);
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
    last_settled(region);
    return moved;
}

static bool site_last_resize_in_place(struct span *span, void *block, size_t bytes)
{
    struct mem_region *region = span->region;

    site_last_switch(region);
    size_t old = last_block_bytes(block);
    uint32_t site = last_site_of(block);
    bool done = plain_resize_in_place(span, block, bytes);
    size_t got = last_block_bytes(block);
    last_site_set(block, site);
    if (got != old) {
        last_count_died(site_counts(site), old);
        last_born(region, block, got);
    }
    last_settled(region);
    return done;
}

static __attribute__((noinline)) void last_reset_slow(struct mem_region *region,
                                                      const struct mem_mark *mark)
{
    last_settle(region);
    last_walk_above(region, mark, last_died);
    region->settled_bytes = mark->busy_bytes;
    region->settled_count = mark->busy_count;
}

static __attribute__((noinline)) void last_peak_slow(struct count *count, uint64_t more)
{
    events_settle();
    uint64_t live = count->got_bytes - count->freed_bytes + more;
    if (live > count->peak_bytes)
        count->peak_bytes = live;
}

/* Before a reset to MARK, or the death of all. */
void site_last_reset(struct mem_region *region, const struct mem_mark *mark)
{
    if (MEM_UNLIKELY(mark->busy_bytes < region->settled_bytes)) {
        last_reset_slow(region, mark);
        return;
    }
    /* Blocks of one site that were not counted since they were got. */
    uint64_t bytes = region->busy_bytes - mark->busy_bytes;
    uint64_t blocks = region->alloc_count - region->freed_count - mark->busy_count;
    uint64_t more = region->busy_bytes - region->settled_bytes;
    struct count *count = last_count_new(region);
    uint64_t live = count->got_bytes - count->freed_bytes + more;
    count->passed_count += blocks;
    count->passed_bytes += bytes;
    last_kind_born(region, blocks, bytes);
    if (live > count->peak_bytes) {
        if (MEM_UNLIKELY(queue_count))
            last_peak_slow(count, more);
        else
            count->peak_bytes = live;
    }
}

/* ---- the calls ---- */

static __attribute__((noinline)) void *site_alloc_other(struct mem_region *region, size_t bytes,
                                                        size_t align, bool zeroed, unsigned kind)
{
    mem_lock();
    if (region->method == MEM_LAST)
        site_last_switch(region);
    void *block = plain_alloc(region, bytes, align, zeroed);
    if (block && region->method != MEM_LAST)
        block_born(region, block, block_bytes(map_find(block), block), kind);
    mem_unlock();
    return block;
}

static __attribute__((noinline)) void *site_take_slow(struct mem_region *region, size_t bytes,
                                                      unsigned kind)
{
    struct size_class *class = class_small(region, bytes);

    if (glue_threaded() || !class->head)
        return site_alloc_other(region, bytes, MEM_ALIGN, false, kind);
    void *block = class_take(region, class);
    block_born(region, block, class->bytes, kind);
    return block;
}

void *site_take(struct mem_region *region, size_t bytes, unsigned kind)
{
    struct size_class *class = class_small(region, bytes);
    uint32_t *word = class->head ? word_of(class->head) : NULL;

    if (MEM_UNLIKELY(!word || !now_ready()))
        return site_take_slow(region, bytes, kind);
    void *block = class_take(region, class);
    now_born(word, class->bytes, kind ? kind % MEM_KINDS : region->kind);
    return block;
}

void *site_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed, unsigned kind)
{
    if (MEM_LIKELY(bytes - 1 < region->site_limit && align <= MEM_ALIGN)) {
        void *block = site_take(region, bytes, kind);
        return block && zeroed ? memset(block, 0, bytes) : block;
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

/* The general case. */
void site_free(struct span *span, void *block)
{
    const uint32_t *word = word_of(block);

    if (MEM_LIKELY(span && span->kind == SPAN_PACK && (uintptr_t)block % MEM_ALIGN == 0 &&
                   span->region->site_limit && !glue_threaded())) {
        struct mem_region *region = span->region;
        if (queue_count == QUEUE_MAX)
            queue_drain();
        block_dies(region, word ? word : &no_word, region->classes[span->class_index].bytes);
        if (quick_give(region, span->class_index, (uintptr_t)span, block))
            return;
        block_died_not();
    }
    site_free_other(span, block);
}

void site_free_pack(struct span *pack, void *block)
{
    struct mem_region *region = pack->region;
    struct size_class *class = &region->classes[pack->class_index];
    const uint32_t *word = word_of(block);

    if (MEM_UNLIKELY(!word || (uintptr_t)block % MEM_ALIGN || class->head == block ||
                     queue_count == QUEUE_MAX || glue_threaded())) {
        site_free(pack, block);
        return;
    }
    if (class->room > 0) {
        block_dies(region, word, class->bytes);
        class_give(region, class, block);
        return;
    }
    if (MEM_UNLIKELY(!pack_mark(pack, class, block))) {
        site_free_other(pack, block);
        return;
    }
    block_dies(region, word, class->bytes); /* before its word can be dropped */
    MEM_POISON(block, class->bytes);
    region_count_free(region, class->bytes);
    if (MEM_UNLIKELY(pack->used <= pack->low))
        pack_low(pack);
}

bool site_free_sized(struct mem_region *region, void *block, size_t bytes)
{
    struct size_class *class = class_small(region, bytes);

    if (MEM_UNLIKELY(class->room <= 0)) {
        struct span *pack = map_find(block);
        if (!pack || pack->kind != SPAN_PACK)
            return false;
        site_free_pack(pack, block);
        return true;
    }
    const uint32_t *word = word_of(block);
    if (MEM_UNLIKELY(class->head == block || !word || queue_count == QUEUE_MAX || glue_threaded()))
        return false;
    block_dies(region, word, class->bytes);
    class_give(region, class, block);
    return true;
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
    now_forget(); /* what was no site may be one now, and counts may have moved */
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

static void stats_fill(struct count *count, struct mem_site_stats *ret_stats)
{
    count_peak(count);
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
