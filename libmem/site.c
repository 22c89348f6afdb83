/*
 * site.c: sites=on, who allocated: a site for each living block, and counters for each site.
 *
 * The sites of blocks stand beside the heap (site_word.c): for each block a word, WORD_LIVE | KIND
 * << 24 | SITE, which is there from its birth until its death is counted. A block without one was
 * got before, or found no memory for its word: it is of site 0 and of its region's kind.
 *
 * Births are counted at once. So are deaths, but for those of blocks that go straight to the bits
 * of their pack, as most do where much is freed: their words stay, and the pack waits in a list
 * until the next birth, or a reader, settles it; so many that died together are counted together,
 * and in the order of memory. A peak is looked for before something is taken away, and by readers;
 * what waits may be counted late, because between births nothing but deaths happens. And the blocks
 * that a class got from a pack have the word of the one that they were got for ahead (`fill`), so
 * that the next one of the same site and kind finds it written.
 *
 * Counters are kept as what was ever got and ever freed. What lives when attribution begins is put
 * to site 0 by moving its `freed_count`, modulo 2^64, so that from then on the sites add up to the
 * regions. Every call that makes or ends a block passes here while HOOK_SITES is set (those for
 * MEM_LAST only when the site is another one); the fast paths do not. All of it runs under the
 * library's lock.
 */
#include "libmem/site_count.h"
#include "libmem/site_word.h"

enum { KIND_SHIFT = 24, KIND_MASK = MEM_KINDS - 1, COUNTS_FIRST = 64 };

#define WORD_LIVE ((uint32_t)1 << 31)

MEM_WARM uint32_t mem_site = 0;
MEM_WARM bool mem_site_wanted = false;
MEM_WARM bool (*mem_site_describe)(uint32_t site, char *ret_text, size_t bytes) = NULL;

static struct count counts_first[COUNTS_FIRST], kinds[MEM_KINDS];
struct count *site_counts = counts_first;
static uint32_t counts_room = COUNTS_FIRST;
uint32_t site_count = 1;
enum mem_sites site_state;
uint64_t site_finishing_count;
static struct {
    uint64_t key;  /* the mem_site that this is for; SITE_NO_KEY: look, and settle first */
    uint32_t word; /* of new blocks, but for the kind */
    struct count *count;
} now = { SITE_NO_KEY, WORD_LIVE, counts_first };
static struct span *waiting; /* packs with deaths that are not counted */

/* ---- counters ---- */

static inline void count_peak(struct count *count)
{
    if (count->live_bytes > count->peak_bytes)
        count->peak_bytes = count->live_bytes;
}

static inline void count_born(struct count *count, size_t bytes)
{
    count->got_count++;
    count->live_bytes += bytes;
}

static inline void count_died(struct count *count, uint64_t blocks, size_t bytes)
{
    count_peak(count);
    count->freed_count += blocks;
    count->live_bytes -= bytes;
}

/* KIND: of what has no word. */
static inline void word_died(uint32_t word, unsigned kind, uint64_t blocks, size_t bytes)
{
    uint32_t site = word & WORD_LIVE ? word & MEM_SITE_MAX : 0;

    count_died(&site_counts[site], blocks, bytes);
    count_died(&kinds[word & WORD_LIVE ? word >> KIND_SHIFT & KIND_MASK : kind], blocks, bytes);
    if (MEM_UNLIKELY(site_state == MEM_SITES_FINISHING) && site)
        site_finishing_count -= blocks;
}

static inline uint32_t word_get(struct span *span, const void *block)
{
    const uint32_t *word = word_find(span, block, false);

    return word ? *word : 0;
}

/* ---- packs that wait ---- */

/* Dead blocks of one word and size in a row. */
struct dead_run {
    uint32_t word;
    uint64_t count;
    size_t bytes; /* of each */
};

static inline void dead_add(struct dead_run *run, uint32_t word, uint64_t count)
{
    if (MEM_UNLIKELY(word != run->word)) {
        if (run->count)
            word_died(run->word, 0, run->count, run->count * run->bytes);
        run->word = word;
        run->count = 0;
    }
    run->count += count;
}

/* All blocks of a group of 64 are dead; WORDS are theirs. True: and of one word, not counted yet.
 */
static bool group_is_one(const uint32_t *words)
{
    const uint64_t *pair = (const void *)words;
    uint64_t both = words[0] | (uint64_t)words[0] << 32, differ = 0;

    for (int i = 0; i < 32; i++)
        differ |= pair[i] ^ both;
    return !differ && words[0];
}

static void group_settle(struct span *pack, size_t group, struct dead_run *run)
{
    uint32_t *words = pack_word(pack, group * 64 + 63);

    if (pack->bits[group] == UINT64_MAX && group_is_one(words)) {
        dead_add(run, words[0], 64);
        memset(words, 0, 64 * sizeof *words);
        return;
    }
    for (uint64_t dead = pack->bits[group]; dead; dead &= dead - 1) {
        uint32_t *word = words + 63 - __builtin_ctzll(dead);
        if (MEM_UNLIKELY(!*word))
            continue; /* counted */
        dead_add(run, *word, 1);
        *word = 0;
    }
}

static void pack_settle(struct span *pack)
{
    struct pack_words *words = pack_words(pack);
    struct dead_run run = { .bytes = pack_bytes(pack) };

    for (uint64_t groups = words->touched; groups; groups &= groups - 1)
        group_settle(pack, (size_t)__builtin_ctzll(groups), &run);
    dead_add(&run, 0, 0);
    words->touched = 0;
    if (words->next)
        pack_words(words->next)->prev = words->prev;
    if (words->prev)
        pack_words(words->prev)->next = words->next;
    else
        waiting = words->next;
}

static __attribute__((noinline)) void waiting_settle(void)
{
    while (waiting)
        pack_settle(waiting);
}

/* Of PACK a block died, the first since it was settled; BIT is for `touched`. */
static __attribute__((noinline)) void pack_wait(struct span *pack, uint64_t bit)
{
    struct pack_words *words = pack_words(pack);

    words->touched = bit;
    words->prev = NULL;
    words->next = waiting;
    if (waiting)
        pack_words(waiting)->prev = pack;
    waiting = pack;
    now.key = SITE_NO_KEY;
    if (pack->used <= pack->low)
        pack_low(pack);
}

void site_pack_begins(struct span *pack)
{
    if (site_state != MEM_SITES_OFF &&
        words_give(pack, WORD_LIVE | pack->region->kind << KIND_SHIFT))
        map_tag(pack, false);
}

void site_pack_ends(struct span *pack)
{
    if (pack_words(pack)->touched)
        pack_settle(pack);
    words_take(pack);
}

void site_block_home(struct span *pack, size_t index)
{
    *pack_word(pack, index) = 0;
}

/* ---- blocks ---- */

static void now_forget(void)
{
    now.key = SITE_NO_KEY;
    now.word = WORD_LIVE;
    now.count = site_counts;
}

/* mem_site is another one, or something waits. */
static __attribute__((noinline)) void now_update(void)
{
    uint32_t site = site_now();

    waiting_settle();
    now.key = site == mem_site ? site : SITE_NO_KEY;
    now.word = WORD_LIVE | site;
    now.count = &site_counts[site];
}

static inline void now_born(uint32_t *word, size_t bytes, unsigned kind)
{
    *word = now.word | kind << KIND_SHIFT;
    count_born(now.count, bytes);
    count_born(&kinds[kind], bytes);
}

static void block_born(const struct mem_region *region, const void *block, size_t bytes,
                       unsigned kind)
{
    uint32_t *word = word_find(map_find(block), block, true);

    if (mem_site != now.key)
        now_update();
    if (word) {
        now_born(word, bytes, kind ? kind % MEM_KINDS : region->kind);
        return;
    }
    count_born(&site_counts[0], bytes);
    count_born(&kinds[region->kind], bytes);
}

void site_born(const struct mem_region *region, const void *block, size_t bytes)
{
    block_born(region, block, bytes, 0);
}

static void words_fill(uint32_t *words, size_t count, uint32_t word)
{
    uint64_t both = word | (uint64_t)word << 32;

    for (; count >= 4; count -= 4, words += 4) {
        memcpy(words, &both, sizeof both);
        memcpy(words + 2, &both, sizeof both);
    }
    while (count--)
        *words++ = word;
}

/* What CLASS has at hand gets WORD ahead. It was just refilled, so it is of one pack and in order;
 * or nothing, or of the mixed pack. */
static void class_fill(struct size_class *class, uint32_t word)
{
    struct span *pack = class->head ? map_find(class->head) : NULL;

    if (!pack || pack->kind != SPAN_PACK || !pack->sited)
        return;
    size_t first = pack_index(pack, class, class->head);
    if (first + (size_t)(class->limit - class->room) == pack->carved) {
        words_fill(pack_word(pack, pack->carved - 1u), pack->carved - first, word);
    } else {
        for (const void *block = class->head; block; block = chain_next(block))
            *pack_word(pack, pack_index(pack, class, block)) = word;
    }
    class->fill = word;
}

void site_chain_mixed(const struct span *span, const void *block)
{
    if (span && span->kind == SPAN_PACK)
        span->region->classes[span->class_index].fill = 0;
    else if (span && span->kind == SPAN_MIXED && mixed_class_of(span->region, block) < MEM_CLASSES)
        span->region->classes[mixed_class_of(span->region, block)].fill = 0;
}

static void block_died(const struct mem_region *region, uint32_t word, size_t bytes)
{
    word_died(word, region->kind, 1, bytes);
}

void site_died(const struct mem_region *region, const void *block, size_t bytes)
{
    uint32_t *word = word_find(map_find(block), block, false);

    block_died(region, word ? *word : 0, bytes);
    if (word)
        *word = 0;
}

unsigned site_kind(const void *block)
{
    return word_get(map_find(block), block) >> KIND_SHIFT & KIND_MASK;
}

void site_kind_set(const struct mem_region *region, const void *block, size_t bytes, unsigned kind)
{
    uint32_t *word = word_find(map_find(block), block, false);

    if (!word || !kind)
        return;
    struct count *from = &kinds[*word >> KIND_SHIFT & KIND_MASK];
    from->got_count--;
    from->live_bytes -= bytes;
    kind %= MEM_KINDS;
    *word = WORD_LIVE | (*word & MEM_SITE_MAX) | kind << KIND_SHIFT;
    count_born(&kinds[kind], bytes);
    (void)region;
}

/* ---- on and off ---- */

void site_region_set(struct mem_region *region)
{
    if (region->method == MEM_LAST)
        site_last_set(region);
    else if (region->alloc_count) /* a new one need not be touched: all of it is zero */
        for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++)
            if (region->classes[i].fill)
                region->classes[i].fill = 0;
}

static uint64_t live_of(const struct mem_region *region, size_t *ret_bytes)
{
    *ret_bytes = region->debug ? region->debug_bytes : region->busy_bytes;
    return region->debug ? region->debug_count : region->alloc_count - region->freed_count;
}

static void count_set_live(struct count *count, uint64_t blocks, size_t bytes, size_t last_bytes)
{
    count_peak(count);
    count->freed_count = count->got_count - blocks;
    count->live_bytes = bytes;
    count->last_bytes = last_bytes;
    if (last_bytes > count->last_peak)
        count->last_peak = last_bytes;
    count_peak(count);
}

/* All that lives is of site 0. START: from now on it is followed. */
static void sites_begin(bool start)
{
    uint64_t blocks = 0, kind_blocks[MEM_KINDS] = { 0 };
    size_t bytes[2] = { 0 }, kind_bytes[MEM_KINDS] = { 0 };

    for (struct mem_region *region = mem_regions; region; region = region->next) {
        size_t more;
        uint64_t count = live_of(region, &more);
        blocks += count;
        bytes[region->method == MEM_LAST] += more;
        if (region->method == MEM_LAST) {
            if (start)
                site_last_begin(region);
            continue;
        }
        kind_blocks[region->kind] += count;
        kind_bytes[region->kind] += more;
    }
    count_set_live(&site_counts[0], blocks, bytes[false], bytes[true]);
    for (int i = 0; i < MEM_KINDS; i++)
        count_set_live(&kinds[i], kind_blocks[i], kind_bytes[i], 0);
}

static void sites_settle(void)
{
    waiting_settle();
    site_last_stop();
}

static void sites_finish(void)
{
    site_finishing_count = 0;
    for (uint32_t i = 1; i < site_count; i++)
        site_finishing_count += site_counts[i].got_count - site_counts[i].freed_count;
    site_state = MEM_SITES_FINISHING;
}

bool sites_update(bool on)
{
    sites_settle();
    now_forget();
    if (on && site_state == MEM_SITES_OFF)
        sites_begin(true);
    if (on)
        site_state = MEM_SITES_ON;
    else if (site_state == MEM_SITES_ON)
        sites_finish();
    if (site_state == MEM_SITES_FINISHING && !site_finishing_count) {
        site_state = MEM_SITES_OFF;
        words_clear();
        for (uint32_t i = 0; i < site_count; i++)
            count_set_live(&site_counts[i], 0, 0, 0);
    }
    return site_state != MEM_SITES_OFF;
}

static void sites_end_check(void)
{
    if (MEM_UNLIKELY(site_state == MEM_SITES_FINISHING && !site_finishing_count))
        hooks_update(); /* the last block with a site is gone */
}

/* ---- the calls ---- */

static __attribute__((noinline)) void *site_alloc_other(struct mem_region *region, size_t bytes,
                                                        size_t align, bool zeroed, unsigned kind)
{
    mem_lock();
    waiting_settle(); /* before their blocks are used again */
    if (region->method == MEM_LAST && mem_site != region->site_key)
        site_last_switch(region);
    void *block = plain_alloc(region, bytes, align, zeroed);
    if (block && region->method != MEM_LAST)
        block_born(region, block, block_bytes(map_find(block), block), kind);
    mem_unlock();
    return block;
}

/* WORD is for the block, and now.key up to date; the chain of CLASS has others. */
static __attribute__((noinline)) void *site_take_other(struct mem_region *region, size_t bytes,
                                                       uint32_t word)
{
    struct size_class *class = class_small(region, bytes);
    bool empty = !class->head;
    uintptr_t entry = empty ? 0 : map_entry(class->head);

    if (MEM_LIKELY(entry_is_sited(entry))) {
        const struct span *pack = entry_span(entry);
        *pack_word(pack, pack_index(pack, class, class->head)) = word;
        count_born(now.count, class->bytes);
        count_born(&kinds[word >> KIND_SHIFT & KIND_MASK], class->bytes);
        return class_take(region, class);
    }
    void *block = site_alloc_other(region, bytes, MEM_ALIGN, false, word >> KIND_SHIFT & KIND_MASK);
    if (block && empty)
        class_fill(class, word);
    return block;
}

static __attribute__((noinline)) void *site_take_slow(struct mem_region *region, size_t bytes,
                                                      unsigned kind)
{
    kind = kind ? kind % MEM_KINDS : region->kind;
    if (glue_threaded())
        return site_alloc_other(region, bytes, MEM_ALIGN, false, kind);
    now_update();
    return site_take_other(region, bytes, now.word | kind << KIND_SHIFT);
}

void *site_take(struct mem_region *region, size_t bytes, unsigned kind)
{
    if (MEM_UNLIKELY(mem_site != now.key || glue_threaded()))
        return site_take_slow(region, bytes, kind);
    struct size_class *class = class_small(region, bytes);
    kind = kind ? kind % MEM_KINDS : region->kind;
    uint32_t word = now.word | kind << KIND_SHIFT;
    if (MEM_UNLIKELY(word != class->fill || !class->head))
        return site_take_other(region, bytes, word);
    struct count *count = now.count;
    size_t got = class->bytes;
    void *block = class_take(region, class);
    count_born(count, got);
    count_born(&kinds[kind], got);
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
        uint32_t word = region ? word_get(span, block) : 0;
        plain_free(block);
        if (region && region->freed_count != freed)
            block_died(region, word, bytes);
    }
    sites_end_check();
    mem_unlock();
}

/* BLOCK, of PACK and with INDEX there, goes into the chain of CLASS. */
static __attribute__((noinline)) void site_chain(const struct span *pack, struct size_class *class,
                                                 size_t index, void *block)
{
    uint32_t *word = pack_word(pack, index);

    word_died(*word, 0, 1, class->bytes);
    *word = class->fill;
    class_give(pack->region, class, block);
}

void site_free_tagged(uintptr_t entry, void *block)
{
    struct span *pack = entry_span(entry);
    struct mem_region *region = pack->region;
    struct size_class *class =
        &region->classes[(entry >> MEM_TAG_SHIFT & MEM_TAG_CLASS) - MEM_TAG_SITED - 1];
    size_t index = pack_index(pack, class, block);

    if (MEM_UNLIKELY((uintptr_t)block % MEM_ALIGN || class->head == block || glue_threaded())) {
        site_free_other(pack, block);
        return;
    }
    if (class->room > 0) {
        site_chain(pack, class, index, block);
        return;
    }
    if (MEM_UNLIKELY(!pack_mark_index(pack, index))) {
        site_free_other(pack, block); /* which says so */
        return;
    }
    MEM_POISON(block, class->bytes);
    region_count_free(region, class->bytes);
    struct pack_words *words = pack_words(pack);
    uint64_t bit = (uint64_t)1 << index / 64;
    if (MEM_UNLIKELY(!words->touched)) {
        pack_wait(pack, bit);
        return;
    }
    words->touched |= bit;
    if (MEM_UNLIKELY(pack->used <= pack->low))
        pack_low(pack);
}

void site_free(struct span *span, void *block)
{
    uintptr_t entry = map_entry(block);

    if (entry_is_sited(entry))
        site_free_tagged(entry, block);
    else
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
        uint32_t word = old ? word_get(span, block) : 0;
        waiting_settle();
        moved = plain_resize(region, block, bytes, keep);
        size_t got = moved ? block_bytes(map_find(moved), moved) : 0;
        if (moved && (moved != block || got != old)) {
            unsigned before = word >> KIND_SHIFT & KIND_MASK;
            block_died(region, word, old);
            block_born(region, moved, got, before ? before : kind);
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
        uint32_t word = word_get(span, block);
        done = plain_resize_in_place(span, block, bytes);
        size_t got = done ? block_bytes(span, block) : old;
        if (got != old) {
            block_died(region, word, old);
            block_born(region, block, got, word >> KIND_SHIFT & KIND_MASK);
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

    waiting_settle();
    if (region->method == MEM_LAST) {
        site_last_stop();
        site_last_reset(region, &nothing);
        struct count *kind = &kinds[region->kind];
        kind->got_count += region->kind_count;
        kind->freed_count += region->kind_count;
    } else if (!region->debug) {
        (void)mem_region_walk(region, dying_visit, region);
    }
}

/* ---- the interface ---- */

uint32_t mem_site_new(void)
{
    uint32_t site = 0;

    mem_lock();
    if (site_count == counts_room && site_count <= MEM_SITE_MAX) {
        size_t bytes = counts_room * sizeof *site_counts;
        struct count *more = site_counts == counts_first
                                 ? glue_map_sparse(2 * bytes)
                                 : glue_remap(site_counts, bytes, 2 * bytes);
        if (more && site_counts == counts_first)
            memcpy(more, site_counts, bytes);
        if (more) {
            site_counts = more;
            counts_room *= 2;
        }
    }
    if (site_count < counts_room && site_count <= MEM_SITE_MAX)
        site = site_count++;
    now_forget(); /* what was no site may be one now, and site_counts may have moved */
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
    return site_state;
}

static void count_forget(struct count *count)
{
    count->forgotten_count = count->got_count;
    count->peak_bytes = count->live_bytes;
    count->last_peak = count->last_bytes;
}

void mem_sites_reset(void)
{
    mem_lock();
    sites_settle();
    for (uint32_t i = 0; i < site_count; i++)
        count_forget(&site_counts[i]);
    for (int i = 0; i < MEM_KINDS; i++)
        count_forget(&kinds[i]);
    for (struct mem_region *region = mem_regions; region; region = region->next) {
        region->kind_count = 0;
        region->kind_peak = region->busy_bytes;
    }
    mem_unlock();
}

static void stats_fill(struct count *count, struct mem_site_stats *ret_stats)
{
    count_peak(count);
    *ret_stats = (struct mem_site_stats){ .live_bytes = count->live_bytes + count->last_bytes,
                                          .live_count = count->got_count - count->freed_count,
                                          .peak_bytes = count->peak_bytes + count->last_peak,
                                          .call_count = count->got_count - count->forgotten_count };
}

/* Up to date; also where nothing is attributed. */
static void counts_refresh(void)
{
    if (site_state == MEM_SITES_OFF)
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
    stats_fill(&site_counts[site], ret_stats);
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
        stats_fill(&site_counts[site], &stats);
        if (stats.call_count || stats.live_count)
            result = visit(arg, site, &stats);
    }
    mem_unlock();
    return result;
}

uint32_t mem_site_of(const void *block, unsigned *ret_kind)
{
    struct span *span = map_find(block);
    uint32_t word = 0;

    if (span && span->kind != SPAN_LAST)
        word = word_get(span, block);
    else if (span && site_state != MEM_SITES_OFF)
        word = last_site_of(block);
    unsigned kind = word >> KIND_SHIFT & KIND_MASK;
    if (ret_kind)
        *ret_kind = kind || !span || !span->region ? kind : span->region->kind;
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

    if (site_state == MEM_SITES_OFF)
        return true;
    sites_settle();
    for (struct mem_region *region = mem_regions; region; region = region->next) {
        size_t more;
        blocks -= live_of(region, &more);
        bytes -= more;
    }
    for (uint32_t i = 0; i < site_count; i++) {
        blocks += site_counts[i].got_count - site_counts[i].freed_count;
        bytes += site_counts[i].live_bytes + site_counts[i].last_bytes;
    }
    return !bytes && !blocks;
}
