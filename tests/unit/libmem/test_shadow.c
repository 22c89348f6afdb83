/*
 * test_shadow.c: random operations on regions of every method and getter against a shadow: a table
 * of what should be alive, each block filled with a pattern of its own that is verified whenever
 * the block is touched. Seeds are fixed. MEM_SHADOW_ROUNDS in the environment makes it run longer;
 * MEM_SHADOW_SECONDS adds runs of random methods and options, which change on the way, for so long,
 * the first of them with MEM_SHADOW_SEED.
 */
#include "tests/unit/libmem/mem_test.h"
#include <time.h>

enum { LIVE = 1500, MARKS = 4 };

struct live {
    unsigned char *block;
    size_t bytes, align;
    unsigned char fill;
};

struct shadow {
    struct mem_region *region;
    enum mem_method method;
    size_t pool_bytes;
    uint64_t random;
    size_t count;
    struct live live[LIVE];
    struct mem_mark mark[MARKS];
    size_t mark_count, mark_live[MARKS];
};

static size_t random_bytes(struct shadow *shadow)
{
    uint64_t r = test_random(&shadow->random);

    if (shadow->method == MEM_POOL)
        return (size_t)(r >> 8) % (shadow->pool_bytes + 1);
    switch (r % 64) {
    case 0:
        return (size_t)(r >> 8) % 3000000;
    case 1:
    case 2:
        return (size_t)(r >> 8) % 200000;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
        return (size_t)(r >> 8) % 20000;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
        return (size_t)(r >> 8) % 1200;
    default:
        return (size_t)(r >> 8) % 120;
    }
}

/* Big blocks are filled and verified at their ends only, or the test would do nothing else. */
static void fill(struct live *live, unsigned char with)
{
    size_t part = live->bytes < 512 ? live->bytes : 512;

    live->fill = with;
    memset(live->block, with, part);
    memset(live->block + live->bytes - part, with, part);
}

static void verify(const struct live *live, size_t bytes)
{
    size_t part = live->bytes < 512 ? live->bytes : 512;

    for (size_t i = 0; i < part && i < bytes; i++)
        assert_int_equal(live->block[i], live->fill);
    for (size_t i = live->bytes - part; i < live->bytes && i < bytes; i++)
        assert_int_equal(live->block[i], live->fill);
}

static void enter(struct shadow *shadow, void *block, size_t bytes, size_t align)
{
    struct live *live = &shadow->live[shadow->count++];

    assert_non_null(block);
    assert_int_equal((uintptr_t)block % align, 0);
    assert_true(mem_block_bytes(block) >= bytes);
    assert_ptr_equal(mem_region_of(block), shadow->region);
    assert_ptr_equal(mem_region_of((char *)block + (bytes ? bytes - 1 : 0)), shadow->region);
    *live = (struct live){ block, bytes, align, 0 };
    fill(live, (unsigned char)test_random(&shadow->random));
}

static void leave(struct shadow *shadow, size_t at)
{
    shadow->live[at] = shadow->live[--shadow->count];
}

static void do_alloc(struct shadow *shadow)
{
    size_t bytes = random_bytes(shadow), align = 16;
    uint64_t r = test_random(&shadow->random);
    void *block;

    if (shadow->count == LIVE)
        return;
    if (r % 8 == 0) {
        block = mem_alloc_zeroed(shadow->region, bytes);
        assert_non_null(block);
        for (size_t i = 0; i < bytes; i++)
            if (((unsigned char *)block)[i])
                fail_msg("byte %zu of a zeroed block of %zu is not zero", i, bytes);
    } else if (r % 16 == 1 && shadow->method != MEM_POOL) {
        align = (size_t)1 << (r >> 8) % 17;
        block = mem_align(shadow->region, bytes, align);
    } else {
        block = mem_alloc(shadow->region, bytes);
    }
    enter(shadow, block, bytes, align);
}

static void do_free(struct shadow *shadow)
{
    if (!shadow->count)
        return;
    uint64_t r = test_random(&shadow->random);
    size_t at = (size_t)(r >> 8) % shadow->count;
    if (shadow->method == MEM_LAST) { /* only the newest one, and none older than a mark */
        at = shadow->count - 1;
        if (shadow->mark_count && at < shadow->mark_live[shadow->mark_count - 1])
            return;
    }
    struct live *live = &shadow->live[at];
    verify(live, live->bytes);
    if (live->align > 16)
        mem_free_sized(shadow->region, live->block, mem_block_bytes(live->block));
    else if (r % 2)
        mem_free_sized(shadow->region, live->block, live->bytes);
    else
        mem_free(live->block);
    leave(shadow, at);
}

static void do_resize(struct shadow *shadow)
{
    if (!shadow->count)
        return;
    uint64_t r = test_random(&shadow->random);
    size_t at = (size_t)(r >> 8) % shadow->count;
    if (shadow->method == MEM_LAST) { /* of others it would change the order */
        at = shadow->count - 1;
        if (shadow->mark_count && at < shadow->mark_live[shadow->mark_count - 1])
            return;
    }
    struct live *live = &shadow->live[at];
    size_t bytes = random_bytes(shadow);
    if (r % 4 == 0 && shadow->method != MEM_POOL)
        bytes = live->bytes + (size_t)(r >> 20) % 400;
    verify(live, live->bytes);
    size_t kept = bytes < live->bytes ? bytes : live->bytes;
    if (r % 8 == 1) {
        if (!mem_resize_in_place(live->block, bytes))
            return;
    } else {
        void *moved = mem_resize(shadow->region, live->block, bytes);
        assert_non_null(moved);
        live->block = moved;
        live->align = 16;
    }
    assert_true(mem_block_bytes(live->block) >= bytes);
    verify(live, kept);
    live->bytes = bytes;
    fill(live, live->fill);
}

static void do_mark(struct shadow *shadow)
{
    if (shadow->method != MEM_LAST)
        return;
    uint64_t r = test_random(&shadow->random);
    if (r % 2 && shadow->mark_count < MARKS) {
        shadow->mark[shadow->mark_count] = mem_region_mark(shadow->region);
        shadow->mark_live[shadow->mark_count++] = shadow->count;
    } else if (shadow->mark_count) {
        size_t to = (size_t)(r >> 8) % shadow->mark_count;
        mem_region_reset(shadow->region, shadow->mark[to]);
        shadow->mark_count = to;
        shadow->count = shadow->mark_live[to];
    }
}

static void step(struct shadow *shadow)
{
    uint64_t r = test_random(&shadow->random) % 1000;

    if (r < 480)
        do_alloc(shadow);
    else if (r < 800)
        do_free(shadow);
    else if (r < 994)
        do_resize(shadow);
    else
        do_mark(shadow);
}

/* What may change while blocks live. */
static const char *const changes[] = {
    "giveback=none",  "giveback=dontneed", "giveback=free",   "giveback=fixed",
    "giveback=unmap", "giveback=auto",     "delay=0",         "delay=1",
    "delay=100",      "cache=0",           "cache=100000",    "cache=2Mi",
    "nocache",        "huge=on",           "huge=off",        "huge=auto",
    "sites=on",       "sites=off",         "trace=/dev/null", "trace=/dev/null.bin",
    "notrace",        "clear=first",       "clear=all",       "noclear",
    "check=region",   "nocheck",           "getmem=safe",     "getmem=anon",
    "getmem=zero",    "getmem=break",      "getmem=native",   "nogetmem",
    "segsize=4Ki",    "segsize=1Mi",       "segsize=64Mi",    "watch=0x10000000",
    "nowatch",        "limit=64Gi:warn",   "nolimit",
};

static bool changing; /* options change at random */
static unsigned long steps;

static void change(struct shadow *shadow)
{
    uint64_t r = test_random(&shadow->random);

    if (r % 16 == 0)
        (void)mem_give_back();
    else if (r % 16 == 1)
        (void)mem_idle();
    else
        (void)mem_options_apply(changes[(r >> 8) % (sizeof changes / sizeof changes[0])]);
}

/* Frames of a debug region are neither busy nor free, and what is in quarantine is free to a walk
 * only. */
static void match(struct mem_region *region)
{
    struct walked walked = { 0 };
    struct mem_stats stats;

    mem_region_stats(region, &stats);
    if (stats.method != MEM_METHOD_DEBUG) {
        test_stats_match(region);
        return;
    }
    assert_int_equal(mem_region_walk(region, test_count, &walked), 0);
    assert_true(walked.busy_bytes >= stats.busy_bytes); /* a walk shows one byte of an empty one */
    assert_true(walked.busy_bytes - stats.busy_bytes <= walked.busy_count);
    assert_int_equal(stats.busy_count, walked.busy_count);
    assert_int_equal(mem_check(region), 0);
}

static void run(enum mem_method method, const char *options, uint64_t seed, unsigned rounds)
{
    static struct shadow shadow;

    assert_int_equal(mem_options_apply(options), 0);
    memset(&shadow, 0, sizeof shadow);
    shadow.method = method;
    shadow.random = seed * 0x9e3779b97f4a7c15u;
    shadow.pool_bytes = 1 + (size_t)(test_random(&shadow.random) % 5000);
    shadow.region = mem_region_open("shadow", method, shadow.pool_bytes);
    assert_non_null(shadow.region);
    for (unsigned i = 0; i < rounds; i++) {
        step(&shadow);
        steps++;
        if (changing && i % 64 == 0)
            change(&shadow);
        if (i % 2000 == 0) {
            match(shadow.region);
            assert_int_equal(mem_check(NULL), 0);
        }
        if (i % 15000 == 14999) {
            mem_region_clear(shadow.region);
            shadow.count = shadow.mark_count = 0;
        }
    }
    for (size_t i = 0; i < shadow.count; i++)
        verify(&shadow.live[i], shadow.live[i].bytes);
    match(shadow.region);
    while (shadow.count && method != MEM_LAST)
        do_free(&shadow);
    match(shadow.region);
    mem_region_close(shadow.region);
    assert_int_equal(mem_check(NULL), 0);
}

static unsigned round_count(unsigned standard)
{
    const char *text = getenv("MEM_SHADOW_ROUNDS");

    return text ? (unsigned)strtoul(text, NULL, 10) : standard;
}

static void run_all(enum mem_method method, unsigned rounds)
{
    static const char *const segsizes[] = { "4096", "64Ki", "1000000", "4Mi", "64Mi" };
    uint64_t seed = 1;

    for (int g = 0; g < TEST_GETTERS; g++)
        for (size_t s = 0; s < sizeof segsizes / sizeof segsizes[0]; s++) {
            char options[80];
            snprintf(options, sizeof options, "getmem=%s segsize=%s", test_getters[g], segsizes[s]);
            run(method, options, seed++, round_count(rounds));
        }
}

static void test_best(void **state)
{
    (void)state;
    run_all(MEM_BEST, 20000);
}

static void test_last(void **state)
{
    (void)state;
    run_all(MEM_LAST, 20000);
}

static void test_pool(void **state)
{
    (void)state;
    run_all(MEM_POOL, 20000);
}

/* Only with MEM_SHADOW_SECONDS. */
static void test_long(void **state)
{
    static const enum mem_method methods[] = { MEM_BEST, MEM_LAST, MEM_POOL, MEM_METHOD_DEBUG,
                                               MEM_BEST };
    const char *text = getenv("MEM_SHADOW_SECONDS");
    time_t end = time(NULL) + (text ? strtol(text, NULL, 10) : 0);
    const char *first = getenv("MEM_SHADOW_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : (uint64_t)time(NULL);

    (void)state;
    if (!text)
        skip();
    changing = true;
    steps = 0;
    unsigned runs = 0;
    for (; time(NULL) < end; runs++, seed++) {
        fprintf(stderr, "\rrun %u, seed %llu", runs, (unsigned long long)seed);
        run(methods[seed % 5], "giveback=auto", seed, 30000);
    }
    changing = false;
    fprintf(stderr, "\n%lu operations in %u runs\n", steps, runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_last),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
