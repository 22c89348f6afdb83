/*
 * site_pack.c: births and deaths in packs while sites are followed, counted many at a time.
 *
 * A class that is asked for blocks of one site and kind again and again has a RUN: all blocks in
 * its chain have the right word, so they may be taken with nothing but a look at `site_key`, and
 * the class's `room` tells later how many were. Whatever else changes that chain ends the run
 * before. A block freed into the bits of its pack is not counted at once either: the first one
 * makes `low` of the pack call here, so that it WAITS and no run has a key; then no block is taken
 * before site_packs_settle, or a reader has it counted. It is all free blocks but those that are in
 * `counted`. So between two settlings all births come before all deaths, and peaks, which
 * are looked for before deaths are counted, are exact. All of it runs under the library's lock, but
 * for taking from a run, which only a process without threads does.
 */
#include "libmem/site_count.h"

enum { RUNS = 8 };

bool site_waits;

static struct run {
    struct mem_region *region;
    struct size_class *class;
    uint32_t word;
    int32_t room; /* of class, when last it was counted */
    uint64_t key;
} runs[RUNS];
static unsigned run_count;
static struct span *waiting;

/* ---- runs ---- */

static void run_settle(struct run *run)
{
    int32_t got = run->class->room - run->room;

    if (got)
        word_born(run->word, run->region->kind, (uint64_t)got, (size_t)got * run->class->bytes);
    run->room = run->class->room;
}

void site_runs_count(void)
{
    for (unsigned i = 0; i < run_count; i++)
        run_settle(&runs[i]);
}

static void run_drop(struct run *run)
{
    run_settle(run);
    run->class->site_key = 0;
    *run = runs[--run_count];
}

void site_runs_end(void)
{
    while (run_count)
        run_drop(&runs[run_count - 1]);
}

static struct run *run_of(const struct size_class *class)
{
    for (unsigned i = 0; i < run_count; i++)
        if (runs[i].class == class)
            return &runs[i];
    return NULL;
}

bool site_has_run(const struct size_class *class)
{
    return run_of(class);
}

void site_run_end(struct size_class *class)
{
    struct run *run = run_of(class);

    if (run)
        run_drop(run);
}

void site_run_begin(struct mem_region *region, struct size_class *class, uint32_t word,
                    unsigned asked)
{
    if (run_count == RUNS)
        run_drop(&runs[0]);
    class->site_key = site_key_of(asked);
    runs[run_count++] = (struct run){
        .region = region, .class = class, .word = word, .room = class->room, .key = class->site_key
    };
}

/* ---- packs that wait ---- */

static void pack_count_spread(struct span *pack, const struct pack_words *words)
{
    unsigned kind = pack->region->kind;
    size_t bytes = pack_bytes(pack);
    uint32_t word = 0;
    uint64_t blocks = 0; /* of WORD, in a row */

    for (size_t group = 0; group < pack_groups(pack); group++)
        for (uint64_t dead = pack->bits[group] & ~words->counted[group]; dead; dead &= dead - 1) {
            uint32_t next = words->words[group * 64 + (size_t)__builtin_ctzll(dead)];
            if (MEM_UNLIKELY(next != word)) {
                if (blocks)
                    word_died(word, kind, blocks, blocks * bytes);
                word = next;
                blocks = 0;
            }
            blocks++;
        }
    if (blocks)
        word_died(word, kind, blocks, blocks * bytes);
}

static void pack_count_alike(struct span *pack, const struct pack_words *words)
{
    uint64_t blocks = 0;

    for (size_t group = 0; group < pack_groups(pack); group++) {
        uint64_t dead = pack->bits[group] & ~words->counted[group];
        if (dead)
            blocks += (uint64_t)__builtin_popcountll(dead);
    }
    if (blocks)
        word_died(words->word, pack->region->kind, blocks, blocks * pack_bytes(pack));
}

static void pack_settle(struct span *pack)
{
    struct pack_words *words = pack_words(pack);

    if (words->words)
        pack_count_spread(pack, words);
    else
        pack_count_alike(pack, words);
    memcpy(words->counted, pack->bits, pack_groups(pack) * sizeof(uint64_t));
    words->waits = false;
    if (words->next)
        pack_words(words->next)->prev = words->prev;
    if (words->prev)
        pack_words(words->prev)->next = words->next;
    else
        waiting = words->next;
    if (pack->low != MEM_PACK_FULL)
        pack->low = MEM_PACK_WATCHED;
}

void site_packs_settle(void)
{
    site_runs_count();
    while (waiting)
        pack_settle(waiting);
    for (unsigned i = 0; site_waits && i < run_count; i++)
        runs[i].class->site_key = runs[i].key;
    site_waits = false;
}

void site_pack_low(struct span *pack)
{
    struct pack_words *words = pack_words(pack);

    if (words->waits)
        return;
    words->waits = true;
    words->prev = NULL;
    words->next = waiting;
    if (waiting)
        pack_words(waiting)->prev = pack;
    waiting = pack;
    if (site_waits)
        return;
    site_waits = true;
    for (unsigned i = 0; i < run_count; i++)
        runs[i].class->site_key = 0;
}

void site_pack_opens(struct span *pack)
{
    uint32_t old = pack->used ? WORD_LIVE | (uint32_t)pack->region->kind << WORD_KIND_SHIFT : 0;

    if (pack->sited) {
        if (pack_words(pack)->waits)
            site_packs_settle();
        if (!pack->used)
            words_forget(pack);
    } else if (site_state != MEM_SITES_OFF && words_give(pack, old)) {
        if (pack->low != MEM_PACK_FULL)
            pack->low = MEM_PACK_WATCHED;
        map_tag(pack, false);
    }
}

void site_pack_taken(struct span *pack)
{
    struct pack_words *words = pack_words(pack);

    for (size_t group = 0; group < pack_groups(pack); group++)
        words->counted[group] &= pack->bits[group];
}

void site_pack_ends(struct span *pack)
{
    if (pack_words(pack)->waits) {
        site_runs_count();
        pack_settle(pack);
    }
    words_take(pack);
}

void site_block_home(struct span *pack, size_t index)
{
    pack_words(pack)->counted[index / 64] |= (uint64_t)1 << index % 64;
}
