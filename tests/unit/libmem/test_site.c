/* sites=on: who allocated, exact at every moment. */
#include "mem_test.h"

#include <stdio.h>
#include <string.h>

enum { OTHER, TEXT, NODE, FRESH };

static struct mem_site_stats site_stats(uint32_t site)
{
    struct mem_site_stats stats;
    assert_true(mem_site_stats(site, &stats));
    return stats;
}

static struct mem_site_stats kind_stats(unsigned kind)
{
    struct mem_site_stats stats;
    assert_true(mem_kind_stats(kind, &stats));
    return stats;
}

struct sum {
    uint64_t bytes, count;
};

static int sum_visit(void *arg, uint32_t site, const struct mem_site_stats *stats)
{
    struct sum *sum = arg;
    (void)site;
    sum->bytes += stats->live_bytes;
    sum->count += stats->live_count;
    assert_true(stats->peak_bytes >= stats->live_bytes);
    return 0;
}

struct recount {
    uint64_t bytes[64], count[64], kind_bytes[MEM_KINDS];
};

static int recount_visit(void *arg, void *block, size_t bytes, bool busy)
{
    struct recount *recount = arg;
    unsigned kind;
    if (!busy)
        return 0;
    uint32_t site = mem_site_of(block, &kind);
    bytes = mem_block_bytes(block); /* a walk shows empty blocks of debug regions as one byte */
    assert_true(site < 64);
    recount->bytes[site] += bytes;
    recount->count[site]++;
    recount->kind_bytes[kind] += bytes;
    return 0;
}

/* The sites add up to the regions, and each to its blocks. */
static void agree(void)
{
    static struct recount recount;
    struct sum sites = { 0 }, regions = { 0 };
    memset(&recount, 0, sizeof recount);
    mem_site_walk(sum_visit, &sites);
    for (struct mem_region *r = NULL; (r = mem_region_next(r));) {
        struct mem_stats stats;
        mem_region_stats(r, &stats);
        regions.bytes += stats.busy_bytes;
        regions.count += stats.busy_count;
        mem_region_walk(r, recount_visit, &recount);
    }
    assert_int_equal(sites.bytes, regions.bytes);
    assert_int_equal(sites.count, regions.count);
    for (uint32_t i = 0; i < mem_site_count() && i < 64; i++) {
        assert_int_equal(site_stats(i).live_bytes, recount.bytes[i]);
        assert_int_equal(site_stats(i).live_count, recount.count[i]);
    }
    for (unsigned i = 0; i < MEM_KINDS; i++)
        assert_int_equal(kind_stats(i).live_bytes, recount.kind_bytes[i]);
    assert_int_equal(mem_check(NULL), 0);
}

static void end(struct mem_region *region)
{
    mem_region_close(region);
    mem_site = 0;
    mem_sites_set(false);
    assert_int_equal(mem_sites_state(), MEM_SITES_OFF);
}

static void test_counts(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("counts", MEM_BEST, 0);
    void *before = mem_alloc(r, 100);
    assert_false(mem_site_wanted);
    mem_sites_set(true);
    assert_true(mem_site_wanted);
    uint32_t one = mem_site_new(), two = mem_site_new();
    assert_true(one && two == one + 1 && mem_site_count() == two + 1);
    mem_site = one;
    void *a = mem_alloc(r, 100), *b = mem_alloc(r, 20000);
    mem_site = two;
    void *c = mem_align(r, 64, 256), *d = mem_alloc_zeroed(r, 5000);
    assert_int_equal(mem_site_of(before, NULL), 0);
    assert_int_equal(mem_site_of(a, NULL), one);
    assert_int_equal(mem_site_of(b, NULL), one);
    assert_int_equal(mem_site_of(c, NULL), two);
    assert_int_equal(mem_site_of(d, NULL), two);
    assert_int_equal(mem_site_of(&d, NULL), 0);
    struct mem_site_stats s = site_stats(one);
    assert_int_equal(s.live_bytes, 112 + 20480);
    assert_int_equal(s.live_count, 2);
    assert_int_equal(s.call_count, 2);
    agree();
    mem_free(b);
    mem_free_sized(r, before, 100);
    s = site_stats(one);
    assert_int_equal(s.live_bytes, 112);
    assert_int_equal(s.peak_bytes, 112 + 20480);
    agree();
    mem_sites_reset();
    s = site_stats(one);
    assert_int_equal(s.live_count, 1);
    assert_int_equal(s.peak_bytes, 112);
    assert_int_equal(s.call_count, 0);
    agree();
    end(r);
    assert_int_equal(site_stats(one).live_bytes, 0);
}

static void test_resize(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("resize", MEM_BEST, 0);
    mem_sites_set(true);
    uint32_t one = mem_site_new(), two = mem_site_new();
    mem_site = one;
    char *block = mem_alloc_kind(r, 40, NODE);
    mem_site = two;
    block = mem_resize(r, block, 48); /* the same block: nothing happened */
    assert_int_equal(mem_site_of(block, NULL), one);
    assert_int_equal(site_stats(two).call_count, 0);
    for (size_t bytes = 64; bytes < 3000000; bytes = bytes * 3 / 2) {
        unsigned kind;
        size_t old_bytes = mem_block_bytes(block);
        uint32_t old_site = mem_site_of(block, NULL);
        mem_site = mem_site == one ? two : one;
        block = mem_resize(r, block, bytes);
        bool changed = mem_block_bytes(block) != old_bytes;
        assert_int_equal(mem_site_of(block, &kind), changed ? mem_site : old_site);
        assert_int_equal(kind, NODE);
        agree();
    }
    while (mem_resize_in_place(block, mem_block_bytes(block) + 4096) &&
           mem_block_bytes(block) < 9000000)
        agree();
    assert_true(mem_resize_in_place(block, 1000000));
    agree();
    end(r);
}

static void test_last(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("scratch", MEM_LAST, 0);
    mem_region_kind_set(r, TEXT);
    uint32_t one, two;
    struct mem_mark start = mem_region_mark(r);
    (void)mem_alloc(r, 50);
    mem_sites_set(true);
    one = mem_site_new();
    two = mem_site_new();
    mem_site = one;
    struct mem_mark outer = mem_region_mark(r);
    void *a = mem_alloc(r, 100);
    agree();
    for (int i = 0; i < 100; i++) {
        mem_site = i % 3 ? two : one;
        struct mem_mark inner = mem_region_mark(r);
        (void)mem_alloc(r, 10);
        mem_site = i % 2 ? two : one;
        void *b = mem_alloc(r, 100000);
        assert_int_equal(mem_site_of(b, NULL), mem_site);
        b = mem_resize(r, b, 200000);
        agree();
        mem_site = one;
        void *c = mem_align(r, 30, 128);
        (void)mem_resize(r, b, 300000); /* not the newest: moves */
        agree();
        mem_free(c);
        mem_region_reset(r, inner);
        agree();
    }
    assert_int_equal(mem_site_of(a, NULL), one);
    mem_site = one;
    void *d = mem_alloc(r, 8);
    mem_site = two;
    mem_free(d);
    d = mem_alloc(r, 8);
    agree();
    mem_region_reset(r, outer);
    assert_int_equal(site_stats(one).live_bytes, 0);
    assert_int_equal(site_stats(two).live_bytes, 0);
    assert_true(site_stats(two).peak_bytes > 100000);
    agree();
    mem_region_reset(r, start);
    agree();
    (void)mem_alloc(r, 100);
    mem_region_clear(r);
    agree();
    end(r);
}

/* Off while blocks live: they are followed, new ones are nobody's; on again: nothing was lost. */
static void test_off_and_on(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("switch", MEM_BEST, 0);
    struct mem_region *last = mem_region_open("scratch", MEM_LAST, 0);
    mem_sites_set(true);
    uint32_t site = mem_site_new();
    mem_site = site;
    void *a = mem_alloc(r, 1000), *b = mem_alloc(r, 30), *s = mem_alloc(last, 100);
    mem_sites_set(false);
    assert_int_equal(mem_sites_state(), MEM_SITES_FINISHING);
    assert_false(mem_site_wanted);
    mem_site = site; /* nobody looks at it */
    void *c = mem_alloc(r, 500);
    assert_int_equal(mem_site_of(c, NULL), 0);
    assert_int_equal(mem_site_of(s, NULL), site);
    agree();
    mem_free(a);
    agree();
    mem_sites_set(true);
    mem_site = site;
    void *d = mem_alloc(r, 700);
    assert_int_equal(site_stats(site).live_count, 3);
    agree();
    mem_sites_set(false);
    mem_free(d);
    mem_free(b);
    assert_int_equal(mem_sites_state(), MEM_SITES_FINISHING);
    mem_region_close(last);
    mem_free(c);
    c = mem_alloc(r, 500);
    mem_free(c);
    mem_sites_set(false);
    assert_int_equal(mem_sites_state(), MEM_SITES_OFF);
    assert_int_equal(site_stats(site).call_count, 4);
    c = mem_alloc(r, 500);
    mem_sites_set(true); /* what the words said is forgotten */
    assert_int_equal(mem_site_of(c, NULL), 0);
    agree();
    end(r);
}

static void test_kinds(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("kinds", MEM_BEST, 0);
    mem_region_kind_set(r, TEXT);
    uint64_t had = kind_stats(TEXT).live_bytes;
    void *early = mem_alloc(r, 64);
    mem_sites_set(true);
    void *text = mem_alloc(r, 64), *node = mem_alloc_kind(r, 64, FRESH);
    void *grown = mem_resize_kind(r, NULL, 64, FRESH);
    unsigned kind;
    assert_int_equal(mem_site_of(early, &kind), 0);
    assert_int_equal(kind, TEXT);
    (void)mem_site_of(text, &kind);
    assert_int_equal(kind, TEXT);
    (void)mem_site_of(node, &kind);
    assert_int_equal(kind, FRESH);
    assert_int_equal(kind_stats(TEXT).live_bytes, had + 128);
    assert_int_equal(kind_stats(FRESH).live_bytes, 128);
    assert_int_equal(kind_stats(FRESH).call_count, 2);
    mem_free(early);
    mem_free(grown);
    assert_int_equal(kind_stats(TEXT).live_bytes, had + 64);
    assert_int_equal(kind_stats(FRESH).live_bytes, 64);
    struct mem_site_stats stats;
    assert_false(mem_kind_stats(MEM_KINDS, &stats));
    assert_false(mem_site_stats(mem_site_count(), &stats));
    agree();
    end(r);
}

/* With trace, keep and debug regions beside it; closing and clearing regions. */
static void test_beside_others(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("beside", MEM_BEST, 0);
    struct mem_region *pool = mem_region_open("pool", MEM_POOL, 48);
    struct mem_region *debug = mem_region_open("debug", MEM_METHOD_DEBUG, 0);
    assert_int_equal(mem_options_apply("sites=on,trace=/dev/null"), 0);
    uint32_t site = mem_site_new();
    mem_site = site;
    for (int i = 0; i < 2000; i++) {
        void *a = mem_alloc_kind(debug, (size_t)i, NODE), *b = mem_alloc(pool, 48);
        unsigned kind;
        assert_int_equal(mem_site_of(a, &kind), site);
        assert_int_equal(kind, NODE);
        a = mem_resize(debug, a, (size_t)(i * 7) % 900);
        (void)mem_site_of(a, &kind);
        assert_int_equal(kind, NODE);
        (void)mem_alloc(r, (size_t)(i * 31) % 9000);
        if (i % 3)
            mem_free(a);
        if (i % 2)
            mem_free(b);
    }
    agree();
    assert_int_equal(mem_options_apply("notrace,keep"), 0);
    void *kept = mem_alloc(r, 10);
    mem_free(kept);
    kept = mem_resize(r, kept, 1000);
    agree();
    assert_int_equal(mem_options_apply("nokeep"), 0);
    mem_region_clear(pool);
    agree();
    mem_region_clear(r);
    agree();
    mem_region_close(pool);
    mem_region_close(debug);
    agree();
    assert_int_equal(site_stats(site).live_bytes, 0);
    end(r);
}

static void test_option(void **state)
{
    (void)state;
    char text[2048];
    assert_int_equal(mem_options_apply("sites=on"), 0);
    assert_int_equal(mem_sites_state(), MEM_SITES_ON);
    mem_options_get(text, sizeof text);
    assert_non_null(strstr(text, "sites=on"));
    assert_int_equal(mem_options_apply("sites=off"), 0);
    mem_options_get(text, sizeof text);
    assert_non_null(strstr(text, "sites=off"));
    assert_int_equal(mem_options_apply("sites"), 1);
    assert_int_equal(mem_options_apply("sites=perhaps"), 1);
    assert_int_equal(mem_options_apply("sites=on,nosites"), 0);
    assert_int_equal(mem_sites_state(), MEM_SITES_OFF);
}

/* Memory given back takes the words of dead blocks along, and only those. */
static void test_giving_back(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("giving", MEM_BEST, 0);
    static char *blocks[20000];
    mem_sites_set(true);
    uint32_t site = mem_site_new();
    mem_site = site;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 20000; i++)
            blocks[i] = mem_alloc(r, 600);
        agree();
        for (int i = 0; i < 20000; i++)
            if (i % 1000)
                mem_free(blocks[i]);
        mem_give_back();
        for (int i = 0; i < 20000; i += 1000)
            assert_int_equal(mem_site_of(blocks[i], NULL), site);
        agree();
        for (int i = 0; i < 20000; i += 1000)
            mem_free(blocks[i]);
        agree();
    }
    end(r);
}

static void test_many_sites(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("many", MEM_BEST, 0);
    mem_sites_set(true);
    uint32_t first = mem_site_new();
    uint64_t sum = 0;
    for (int i = 0; i < 5000; i++) {
        mem_site = mem_site_new();
        assert_int_equal(mem_site, first + 1 + (uint32_t)i);
        (void)mem_alloc(r, 16);
    }
    for (int i = 0; i < 5000; i++)
        sum += site_stats(first + 1 + (uint32_t)i).live_bytes;
    assert_int_equal(sum, 5000 * 16);
    mem_site = 0x7fffffff; /* no site */
    assert_int_equal(mem_site_of(mem_alloc(r, 16), NULL), 0);
    end(r);
}

/* More frees than a class keeps at hand, down to packs that go away; blocks freed twice count once.
 */
static void test_many_frees(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    static void *blocks[MANY];
    struct mem_region *r = mem_region_open("frees", MEM_BEST, 0);
    mem_sites_set(true);
    uint32_t site = mem_site_new();
    mem_site = site;
    for (int i = 0; i < MANY; i++)
        blocks[i] = mem_alloc(r, 48);
    mem_site = 0;
    for (int i = 0; i < MANY; i++) {
        mem_free(blocks[i]);
        if (i % 5000 == 2500)
            agree();
        if (i == MANY / 2) {
            mem_free(blocks[i]); /* each tells a line */
            mem_free(blocks[i - 1]);
            agree();
        }
    }
    assert_int_equal(site_stats(site).live_count, 0);
    assert_int_equal(site_stats(site).peak_bytes, (uint64_t)MANY * 48);
    agree();
    end(r);
}

static void all_of(char **blocks, int count, uint32_t site, unsigned kind)
{
    for (int i = 0; i < count; i++) {
        unsigned found;
        assert_int_equal(mem_site_of(blocks[i], &found), site);
        assert_int_equal(found, kind);
    }
    assert_int_equal(site_stats(site).live_count, count);
    assert_int_equal(site_stats(site).call_count, count);
    assert_int_equal(site_stats(site).live_bytes, (size_t)count * 48);
    agree();
}

/* Blocks of one site and kind one after the other, which are counted many at a time: whatever comes
 * between finds them counted. And what packs knew of blocks that died does not stay. */
static void test_runs(void **state)
{
    (void)state;
    enum { MANY = 9000 };
    static char *blocks[2][MANY];
    struct mem_region *r = mem_region_open("runs", MEM_BEST, 0);
    struct mem_region *other = mem_region_open("more", MEM_BEST, 0);
    for (int i = 0; i < 400; i++) /* the next ones are at hand when sites begin */
        assert_non_null(mem_alloc(i % 2 ? r : other, 48));
    mem_sites_set(true);
    uint32_t one = mem_site_new(), two = mem_site_new(), three = mem_site_new();
    mem_site = one;
    for (int i = 0; i < MANY; i++) {
        blocks[0][i] = mem_alloc_kind(r, 48, TEXT);
        if (i % 1000 == 77)
            all_of(blocks[0], i + 1, one, TEXT);
        mem_site = three; /* a short break; other classes, other kinds */
        if (i % 300 == 99)
            (void)mem_alloc_kind(r, 80, NODE);
        if (i % 2000 == 99)
            mem_free(mem_alloc_kind(other, 48, TEXT));
        mem_site = one;
    }
    all_of(blocks[0], MANY, one, TEXT);
    assert_int_equal(site_stats(three).call_count, MANY / 300 + MANY / 2000 + 1);
    mem_sites_reset();
    assert_int_equal(site_stats(one).peak_bytes, site_stats(one).live_bytes);
    for (int i = 0; i < MANY; i++)
        mem_free(blocks[0][i]);
    mem_site = two;
    for (int i = 0; i < MANY; i++)
        blocks[1][i] = mem_alloc_kind(r, 48, NODE);
    all_of(blocks[1], MANY, two, NODE);
    for (int i = 0; i < MANY; i += 2)
        mem_free_sized(r, blocks[1][i], 48);
    assert_int_equal(site_stats(two).peak_bytes, MANY * 48);
    mem_site = three;
    uint64_t before = site_stats(three).live_count;
    for (int i = 0; i < MANY; i += 2) /* beside the others */
        blocks[1][i] = mem_alloc_kind(r, 48, FRESH);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(mem_site_of(blocks[1][i], NULL), i % 2 ? two : three);
    assert_int_equal(site_stats(three).live_count - before, MANY / 2);
    assert_int_equal(site_stats(two).peak_bytes, MANY * 48);
    agree();
    mem_region_close(other);
    end(r);
}

/* What each of some sites should have: in all regions but MEM_LAST ones, and in those. */
enum { MODEL_SITES = 5, MODEL_BLOCKS = 6000, MODEL_STEPS = 60000 };

static struct model {
    uint32_t first;
    uint64_t calls[MODEL_SITES];
    size_t live[2][MODEL_SITES], peak[2][MODEL_SITES];
    struct {
        char *block;
        unsigned site;
    } blocks[MODEL_BLOCKS];
    unsigned count;
    uint32_t random;
} model;

static unsigned model_random(unsigned below)
{
    model.random = model.random * 1664525u + 1013904223u;
    return (model.random >> 8) % below;
}

static void model_born(int last, unsigned site, size_t bytes)
{
    model.calls[site]++;
    model.live[last][site] += bytes;
    if (model.live[last][site] > model.peak[last][site])
        model.peak[last][site] = model.live[last][site];
}

static void model_alloc(struct mem_region *region, unsigned site)
{
    size_t bytes = model_random(20) ? 16 + model_random(8) * 24 : model_random(20000);
    if (model.count == MODEL_BLOCKS)
        return;
    mem_site = model.first + site;
    char *block = mem_alloc(region, bytes);
    assert_non_null(block);
    model_born(0, site, mem_block_bytes(block));
    model.blocks[model.count].block = block;
    model.blocks[model.count++].site = site;
}

static void model_free(unsigned at)
{
    char *block = model.blocks[at].block;
    size_t bytes = mem_block_bytes(block);
    model.live[0][model.blocks[at].site] -= bytes;
    model.blocks[at] = model.blocks[--model.count];
    if (bytes % 32)
        mem_free(block);
    else
        mem_free_sized(mem_region_of(block), block, bytes);
}

static void model_resize(struct mem_region *region, unsigned at, unsigned site)
{
    char *block = model.blocks[at].block;
    size_t old = mem_block_bytes(block);
    if (mem_region_of(block) != region)
        return;
    mem_site = model.first + site;
    model.blocks[at].block = mem_resize(region, block, 1 + model_random(3000));
    size_t got = mem_block_bytes(model.blocks[at].block);
    if (got == old && model.blocks[at].block == block)
        return;
    model.live[0][model.blocks[at].site] -= old;
    model.blocks[at].site = site;
    model_born(0, site, got);
}

/* Some blocks of some sites, and back. */
static void model_scratch(struct mem_region *last, struct mem_region *other)
{
    struct {
        unsigned site;
        size_t bytes;
    } got[20];
    struct mem_mark mark = mem_region_mark(last);
    unsigned count = model_random(20), site = model_random(MODEL_SITES);
    for (unsigned i = 0; i < count; i++) {
        if (model_random(6) == 0)
            site = model_random(MODEL_SITES);
        mem_site = model.first + site;
        got[i].site = site;
        if (model_random(30) == 0)
            model_born(1, 0, mem_block_bytes((mem_site = model.first, mem_alloc(other, 100))));
        mem_site = model.first + site;
        got[i].bytes = mem_block_bytes(mem_alloc(last, model_random(300)));
        model_born(1, site, got[i].bytes);
    }
    if (model_random(10))
        mem_region_reset(last, mark);
    else
        count = 0; /* they stay */
    for (unsigned i = 0; i < count; i++)
        model.live[1][got[i].site] -= got[i].bytes;
}

static void model_agree(void)
{
    for (unsigned i = 0; i < MODEL_SITES; i++) {
        struct mem_site_stats stats = site_stats(model.first + i);
        assert_int_equal(stats.call_count, model.calls[i]);
        assert_int_equal(stats.live_bytes, model.live[0][i] + model.live[1][i]);
        assert_int_equal(stats.peak_bytes, model.peak[0][i] + model.peak[1][i]);
    }
}

/* Counters and peaks are those of a model that counts each call at once, in phases of growing, of
 * freeing much and of both in turns. */
static void test_model(void **state)
{
    (void)state;
    struct mem_region *r = mem_region_open("model", MEM_BEST, 0);
    struct mem_region *pool = mem_region_open("pool", MEM_POOL, 20000);
    struct mem_region *last = mem_region_open("scratch", MEM_LAST, 0);
    struct mem_region *other = mem_region_open("other", MEM_LAST, 0);
    mem_sites_set(true);
    model.first = mem_site_new();
    for (int i = 1; i < MODEL_SITES; i++)
        (void)mem_site_new();
    for (int step = 0; step < MODEL_STEPS; step++) {
        unsigned phase = (unsigned)step / 5000 % 3, site = model_random(MODEL_SITES);
        unsigned what = model_random(10);
        if (what == 0)
            model_scratch(last, other);
        else if (what == 1 && model.count)
            model_resize(r, model_random(model.count), site);
        else if (what < (phase == 0 ? 9 : phase == 1 ? 3 : 6))
            model_alloc(r, phase == 0 ? 1 : site);
        else if (model.count)
            model_free(model_random(model.count));
        if (step % 100 == 0)
            model_alloc(pool, site);
        if (step % 7919 == 0) {
            model_agree();
            agree();
        }
    }
    while (model.count)
        model_free(model_random(model.count));
    model_agree();
    agree();
    mem_region_close(pool);
    mem_region_close(last);
    mem_region_close(other);
    end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_last),
        cmocka_unit_test(test_off_and_on),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_beside_others),
        cmocka_unit_test(test_option),
        cmocka_unit_test(test_giving_back),
        cmocka_unit_test(test_many_frees),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_many_sites), /* the last: it makes thousands */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
