/*
 * site.c: sites=on, who allocated: a site for each living block, and counters for each site.
 *
 * The sites of blocks stand beside the heap (site_word.c): for each block a word with its site and
 * kind, which is there from its birth on. A block without one was got before, or found no memory
 * for its word: it is of site 0 and of its region's kind (or, where its pack has one word for all,
 * of that).
 *
 * Births and deaths are counted here, one by one, but for most of those in packs, which
 * site_pack.c counts many at a time. The blocks in the chain of a class all have the word `fill`,
 * the one that the first of them was got for, so that the next one of the same site and kind finds
 * it written; when that was so CALM times without a death in a chain, a run begins. A peak is
 * looked for before something is taken away, and by readers.
 *
 * Counters are kept as what was ever got and ever freed. What lives when attribution begins is put
 * to site 0 by moving its `freed_count`, modulo 2^64, so that from then on the sites add up to the
 * regions. Every call that makes or ends a block passes here while HOOK_SITES is set (those for
 * MEM_LAST only when the site is another one); the fast paths do not. All of it runs under the
 * library's lock.
 *
 * A region is FOLLOWED from when it has adopted HOOK_SITES on (region_adopt) until sites end. What
 * lives in others is no part of the counters; who reads site 0 gets it added.
 */
#include "libmem/site_count.h"

enum { COUNTS_FIRST = 64, CALM = 16 };

MEM_WARM uint32_t mem_site = 0;
MEM_WARM bool mem_site_wanted = false;
MEM_WARM bool (*mem_site_describe)(uint32_t site, char *ret_text, size_t bytes) = NULL;

static struct count counts_first[COUNTS_FIRST];
struct count site_kinds[MEM_KINDS];
struct count *site_counts = counts_first;
static uint32_t counts_room = COUNTS_FIRST;
uint32_t site_count = 1;
enum mem_sites site_state;
uint64_t site_finishing_count;
static struct {
    uint64_t key;  /* the mem_site that this is for; SITE_NO_KEY: look */
    uint32_t word; /* of new blocks, but for the kind */
} now = { SITE_NO_KEY, WORD_LIVE };
static unsigned calm; /* blocks taken one by one from chains that had their word */

/* ---- blocks ---- */

static void now_forget(void)
{
    now.key = SITE_NO_KEY;
    now.word = WORD_LIVE;
}

/* Before a birth, with which runs may have nothing to do. */
static inline void now_update(void)
{
    if (MEM_UNLIKELY(site_waits))
        site_packs_settle();
    uint32_t asked = MEM_PEEK(mem_site);
    if (asked == now.key)
        return;
    uint32_t site = site_known(asked);
    now.key = site == asked ? site : SITE_NO_KEY;
    now.word = WORD_LIVE | site;
}

static inline uint32_t now_word(const struct mem_region *region, unsigned kind)
{
    return now.word | (kind ? kind % MEM_KINDS : region->kind) << WORD_KIND_SHIFT;
}

/* A block that was at hand before sites were on has a pack without words. */
static uint32_t block_put(const void *block, uint32_t word)
{
    struct span *span = map_find(block);

    if (span->kind == SPAN_PACK && !span->sited && site_state == MEM_SITES_ON)
        site_pack_opens(span);
    return word_put(span, block, word);
}

static void block_born(const struct mem_region *region, const void *block, size_t bytes,
                       unsigned kind)
{
    now_update();
    word_born(block_put(block, now_word(region, kind)), region->kind, 1, bytes);
}

void site_born(const struct mem_region *region, const void *block, size_t bytes)
{
    block_born(region, block, bytes, 0);
}

/* Births that are not counted come before. */
static void block_died(const struct mem_region *region, uint32_t word, size_t bytes)
{
    site_runs_end();
    word_died(word, region->kind, 1, bytes);
}

void site_died(const struct mem_region *region, const void *block, size_t bytes)
{
    block_died(region, word_get(map_find(block), block), bytes);
}

unsigned site_kind(const void *block)
{
    return word_kind(word_get(map_find(block), block), 0);
}

void site_kind_set(const struct mem_region *region, const void *block, size_t bytes, unsigned kind)
{
    struct span *span = map_find(block);
    uint32_t word = word_get(span, block);

    if (!word || !kind)
        return;
    struct count *from = &site_kinds[word_kind(word, region->kind)];
    from->got_count--;
    from->live_bytes -= bytes;
    word =
        word_put(span, block, WORD_LIVE | word_site(word) | (kind % MEM_KINDS) << WORD_KIND_SHIFT);
    count_born(&site_kinds[word_kind(word, region->kind)], 1, bytes);
}

/* What CLASS has at hand gets WORD ahead. It was just refilled, so it is of one pack; or nothing,
 * or of the mixed pack. */
static void class_fill(struct size_class *class, uint32_t word)
{
    struct span *pack = class->head ? map_find(class->head) : NULL;

    if (!pack || pack->kind != SPAN_PACK || !pack->sited)
        return;
    for (const void *block = class->head; block; block = chain_next(block)) {
        if (pack_word_put(pack, pack_index(pack, class, block), word) != word)
            return;
        if (!pack_words(pack)->words)
            break; /* all have it */
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

/* ---- on and off ---- */

MEM_RACY static uint64_t live_of(const struct mem_region *region, size_t *ret_bytes)
{
    *ret_bytes = region->debug ? region->debug_bytes : region->busy_bytes;
    return region->debug ? region->debug_count : region->alloc_count - region->freed_count;
}

static void count_adds_live(struct count *count, uint64_t blocks, size_t bytes)
{
    count->freed_count -= blocks;
    count->live_bytes += bytes;
    count_peak(count);
}

/* All that lives in REGION is of site 0, and from now on it is followed. */
static void region_follow(struct mem_region *region)
{
    struct count *count = &site_counts[0];
    size_t bytes;
    uint64_t blocks = live_of(region, &bytes);

    region->followed = true;
    if (region->method != MEM_LAST) {
        count_adds_live(count, blocks, bytes);
        count_adds_live(&site_kinds[region->kind], blocks, bytes);
        return;
    }
    site_last_begin(region);
    count->freed_count -= blocks;
    count->last_bytes += bytes;
    if (count->last_bytes > count->last_peak)
        count->last_peak = count->last_bytes;
}

void site_region_set(struct mem_region *region)
{
    if (region->hooks & HOOK_SITES && !region->followed)
        region_follow(region);
    if (region->method == MEM_LAST)
        site_last_set(region);
    else if (region->alloc_count) /* a new one need not be touched: all of it is zero */
        for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++)
            if (region->classes[i].fill)
                region->classes[i].fill = 0;
}

static void sites_settle(void)
{
    site_packs_settle();
    site_last_stop();
}

static void state_set(enum mem_sites state)
{
    __atomic_store_n(&site_state, state, __ATOMIC_RELAXED);
}

static void sites_finish(void)
{
    site_finishing_count = 0;
    for (uint32_t i = 1; i < site_count; i++)
        site_finishing_count += site_counts[i].got_count - site_counts[i].freed_count;
    state_set(MEM_SITES_FINISHING);
}

static void count_end(struct count *count)
{
    count_peak(count);
    count->freed_count = count->got_count;
    count->live_bytes = count->last_bytes = 0;
}

static void sites_end(void)
{
    words_clear();
    for (struct mem_region *region = mem_regions; region; region = region->next)
        if (region->followed) /* else its owner may be looking at it without the lock */
            region->followed = false;
    for (uint32_t i = 0; i < site_count; i++)
        count_end(&site_counts[i]);
    for (int i = 0; i < MEM_KINDS; i++)
        count_end(&site_kinds[i]);
    state_set(MEM_SITES_OFF);
}

bool sites_update(bool on)
{
    site_runs_end();
    sites_settle();
    now_forget();
    if (on)
        state_set(MEM_SITES_ON);
    else if (site_state == MEM_SITES_ON)
        sites_finish();
    if (site_state == MEM_SITES_FINISHING && !site_finishing_count)
        sites_end();
    return site_state != MEM_SITES_OFF;
}

void sites_end_check(void)
{
    if (MEM_UNLIKELY(site_state == MEM_SITES_FINISHING && !site_finishing_count))
        hooks_update(); /* the last block with a site is gone */
}

/* ---- the calls ---- */

static __attribute__((noinline)) void *site_alloc_other(struct mem_region *region, size_t bytes,
                                                        size_t align, bool zeroed, unsigned kind)
{
    mem_lock();
    site_runs_end();
    site_packs_settle(); /* before their blocks are used again */
    if (region->method == MEM_LAST && region->followed && MEM_PEEK(mem_site) != region->site_key)
        site_last_switch(region);
    void *block = plain_alloc(region, bytes, align, zeroed);
    if (block && region->method != MEM_LAST && region->followed)
        block_born(region, block, block_bytes(map_find(block), block), kind);
    mem_unlock();
    return block;
}

/* CLASS has nothing at hand. */
static __attribute__((noinline)) void *
site_take_refill(struct mem_region *region, struct size_class *class, size_t bytes, unsigned kind)
{
    site_packs_settle();
    void *block = plain_alloc(region, bytes, MEM_ALIGN, false);
    if (!block)
        return NULL;
    block_born(region, block, class->bytes, kind);
    uint32_t word = now_word(region, kind);
    class_fill(class, word);
    if (class->fill == word && now.key == mem_site)
        site_run_begin(region, class, word, kind);
    return block;
}

void *site_take_slow(struct mem_region *region, size_t bytes, unsigned kind)
{
    /* A chain that is refilled with what other threads freed is of many packs. */
    if (glue_threaded() || MEM_UNLIKELY(__atomic_load_n(&region->remote, __ATOMIC_RELAXED)))
        return site_alloc_other(region, bytes, MEM_ALIGN, false, kind);
    now_update();
    struct size_class *class = class_small(region, bytes);
    uint32_t word = now_word(region, kind);
    if (class->head && word == class->fill && site_has_run(class))
        return class_take(region, class); /* what stopped the run is over, or KIND means the same */
    site_run_end(class);
    if (!class->head)
        return site_take_refill(region, class, bytes, kind);
    if (word == class->fill) {
        word_born(word, 0, 1, class->bytes);
        void *block = class_take(region, class);
        if (++calm >= CALM && now.key == mem_site)
            site_run_begin(region, class, word, kind);
        return block;
    }
    word = block_put(class->head, word);
    word_born(word, region->kind, 1, class->bytes);
    return class_take(region, class);
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
    struct mem_region *region = span ? span->region : NULL;
    if (region && !region->followed) { /* they have just ended */
        plain_free(block);
    } else if (span && span->kind == SPAN_LAST) {
        site_last_free(span->region, block);
    } else {
        uint64_t freed = region ? region->freed_count : 0;
        size_t bytes = region ? block_bytes(span, block) : 0;
        uint32_t word = region ? word_get(span, block) : 0;
        site_runs_end();
        plain_free(block);
        if (region && region->freed_count != freed)
            block_died(region, word, bytes);
    }
    sites_end_check();
    mem_unlock();
}

/* BLOCK, of PACK and with INDEX there, goes into the chain of CLASS. */
static __attribute__((noinline)) void site_chain(struct span *pack, struct size_class *class,
                                                 size_t index, void *block)
{
    uint32_t word = pack_word(pack, index);

    calm = 0;
    block_died(pack->region, word, class->bytes);
    if (word != class->fill && class->fill &&
        pack_word_put(pack, index, class->fill) != class->fill)
        class->fill = 0;
    class_give(pack->region, class, block);
}

void site_free_tagged(uintptr_t entry, void *block)
{
    struct span *pack = entry_span(entry);
    struct mem_region *region = pack->region;
    struct size_class *class =
        &region->classes[(entry >> MEM_TAG_SHIFT & MEM_TAG_CLASS) - MEM_TAG_SITED - 1];
    size_t index = pack_index(pack, class, block);

    if (MEM_UNLIKELY(glue_threaded() || (uintptr_t)block % MEM_ALIGN || class->head == block)) {
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

    if (!region->followed) {
        moved = plain_resize(region, block, bytes, keep);
    } else if (span && span->kind == SPAN_LAST) {
        moved = site_last_resize(region, block, bytes);
    } else if (span && span->kind == SPAN_PACK && bytes - 1 < MEM_CLASS_MAX &&
               region->method == MEM_BEST && mem_class_of(bytes) == span->class_index) {
        moved = plain_resize(region, block, bytes, keep);
    } else {
        size_t old = span && span->region ? block_bytes(span, block) : 0;
        uint32_t word = old ? word_get(span, block) : 0;
        site_runs_end();
        site_packs_settle();
        moved = plain_resize(region, block, bytes, keep);
        size_t got = moved ? block_bytes(map_find(moved), moved) : 0;
        if (moved && (moved != block || got != old)) {
            unsigned before = word_kind(word, 0);
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
    if (!region->followed) {
        done = plain_resize_in_place(span, block, bytes);
    } else if (span->kind == SPAN_LAST) {
        done = site_last_resize_in_place(span, block, bytes);
    } else {
        size_t old = block_bytes(span, block);
        uint32_t word = word_get(span, block);
        done = plain_resize_in_place(span, block, bytes);
        size_t got = done ? block_bytes(span, block) : old;
        if (got != old) {
            block_died(region, word, old);
            block_born(region, block, got, word_kind(word, 0));
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

    site_runs_end();
    site_packs_settle();
    if (region->method == MEM_LAST) {
        site_last_stop();
        site_last_reset(region, &nothing);
        struct count *kind = &site_kinds[region->kind];
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
    return __atomic_load_n(&site_state, __ATOMIC_RELAXED);
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
        count_forget(&site_kinds[i]);
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

/* Adds what lives in regions that are not followed, and, where KIND is one, of it. */
static void stats_add_rest(struct mem_site_stats *stats, unsigned kind)
{
    for (struct mem_region *region = mem_regions; region; region = region->next) {
        size_t bytes;
        if (region->followed ||
            (kind < MEM_KINDS && (region->kind != kind || region->method == MEM_LAST)))
            continue;
        stats->live_count += live_of(region, &bytes);
        stats->live_bytes += bytes;
    }
    if (stats->live_bytes > stats->peak_bytes)
        stats->peak_bytes = stats->live_bytes;
}

static void site_stats_fill(uint32_t site, struct mem_site_stats *ret_stats)
{
    stats_fill(&site_counts[site], ret_stats);
    if (site == 0)
        stats_add_rest(ret_stats, MEM_KINDS);
}

bool mem_site_stats(uint32_t site, struct mem_site_stats *ret_stats)
{
    if (site >= site_count)
        return false;
    mem_lock();
    sites_settle();
    site_stats_fill(site, ret_stats);
    mem_unlock();
    return true;
}

bool mem_kind_stats(unsigned kind, struct mem_site_stats *ret_stats)
{
    if (kind >= MEM_KINDS)
        return false;
    mem_lock();
    sites_settle();
    stats_fill(&site_kinds[kind], ret_stats);
    stats_add_rest(ret_stats, kind);
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
    sites_settle();
    for (uint32_t site = 0; site < site_count && !result; site++) {
        struct mem_site_stats stats;
        site_stats_fill(site, &stats);
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
    unsigned kind = word_kind(word, 0);
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
        if (!region->followed)
            continue;
        blocks -= live_of(region, &more);
        bytes -= more;
    }
    for (uint32_t i = 0; i < site_count; i++) {
        blocks += site_counts[i].got_count - site_counts[i].freed_count;
        bytes += site_counts[i].live_bytes + site_counts[i].last_bytes;
    }
    return !bytes && !blocks;
}
