/*
 * test_giveback.c: memory returns to the system in each way, only after calm or a collapse, and is
 * usable again; the limit; huge pages.
 *
 * The clock that libmem asks is this program's own and goes on only when a test says so: what goes
 * back depends on the time, and a loaded machine would be late.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "tests/unit/libmem/mem_test.h"

enum { COUNT = 24, BYTES = 900000 }; /* no solo segments */

static char said[65536];
static const char *const ways[] = { "dontneed", "free", "fixed", "unmap", "auto" };

static long clock_ms = 1000;

int clock_gettime(clockid_t id, struct timespec *ret)
{
    (void)id;
    *ret = (struct timespec){ clock_ms / 1000, clock_ms % 1000 * 1000000 };
    return 0;
}

static void pause_ms(long ms)
{
    clock_ms += ms;
}

static size_t resident(void)
{
    unsigned long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || fscanf(file, "%lu %lu", &size, &pages) != 2)
        abort();
    fclose(file);
    return pages * 4096;
}

static void fill(struct mem_region *region, char **blocks, int count)
{
    for (int i = 0; i < count; i++) {
        blocks[i] = mem_alloc(region, BYTES);
        assert_non_null(blocks[i]);
        memset(blocks[i], i + 1, BYTES);
    }
}

static void empty(char **blocks, int from, int count, int step)
{
    for (int i = from; i < count; i += step) {
        for (size_t at = 0; at < BYTES; at += 5000)
            assert_int_equal(blocks[i][at], i + 1);
        mem_free(blocks[i]);
    }
}

static void use(const char *way)
{
    char text[80];

    snprintf(text, sizeof text, "giveback=%s,delay=30,huge=off", way);
    assert_int_equal(mem_options_apply(text), 0);
}

/* Every second block stays, so nothing collapses; calm gives the holes back. */
static void test_calm(void **state)
{
    char *blocks[COUNT];
    struct mem_stats stats;

    (void)state;
    for (size_t w = 0; w < 5; w++) {
        struct mem_region *region = mem_region_open("calm", MEM_BEST, 0);
        use(ways[w]);
        fill(region, blocks, COUNT);
        /* small blocks make the rest busy beyond what counts as a collapse */
        char *small[3000];
        for (int i = 0; i < 3000; i++)
            small[i] = memset(mem_alloc(region, 1000), 1, 1000);
        empty(blocks, 0, COUNT, 2);
        mem_region_stats(region, &stats);
        assert_int_equal(stats.given_bytes + stats.lazy_bytes, 0);
        assert_true(mem_idle() > 0);
        size_t before = resident();
        for (int wait = 0; wait >= 0; wait = mem_idle())
            pause_ms(wait);
        mem_region_stats(region, &stats);
        if (strcmp(ways[w], "free") == 0)
            assert_true(stats.lazy_bytes > 8000000 && stats.given_bytes == 0);
        else
            assert_true(stats.given_bytes + (strcmp(ways[w], "unmap") ? 0 : 2000000) > 8000000);
        if (strcmp(ways[w], "free") != 0)
            assert_true(before - resident() > 8000000);
        test_stats_match(region);
        for (int i = 0; i < COUNT; i += 2) { /* usable again */
            blocks[i] = memset(mem_alloc(region, BYTES), i + 1, BYTES);
            assert_int_equal(mem_check(region), 0);
        }
        empty(blocks, 0, COUNT, 1);
        for (int i = 0; i < 3000; i++)
            mem_free(small[i]);
        test_stats_match(region);
        mem_region_clear(region);
        memset(mem_alloc(region, 100000), 1, 100000);
        test_stats_match(region);
        mem_region_close(region);
    }
}

static void test_collapse(void **state)
{
    char *blocks[COUNT];

    (void)state;
    for (size_t w = 0; w < 5; w++) {
        if (strcmp(ways[w], "free") == 0)
            continue;
        size_t start = resident();
        struct mem_region *region = mem_region_open("collapse", MEM_BEST, 0);
        use(ways[w]);
        fill(region, blocks, COUNT);
        assert_true(resident() > start + 20000000);
        empty(blocks, 0, COUNT, 1);
        assert_true(resident() < start + 5000000);
        test_stats_match(region);
        mem_region_close(region);
    }
}

static void test_none(void **state)
{
    char *blocks[COUNT];
    struct mem_stats stats;

    (void)state;
    struct mem_region *region = mem_region_open("none", MEM_BEST, 0);
    use("none");
    fill(region, blocks, COUNT);
    empty(blocks, 0, COUNT, 1);
    pause_ms(45);
    assert_int_equal(mem_idle(), -1);
    assert_int_equal(mem_give_back(), 0);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.given_bytes, 0);
    use("dontneed");
    assert_true(mem_give_back() > 20000000);
    assert_int_equal(mem_give_back(), 0);
    mem_region_close(region);
}

/* A loop that frees all again and again must not give back each time: not before three times of
 * what touching again costs, 2 us a page, has passed. */
static void test_budget(void **state)
{
    enum { FAULTS = 5300, COST_US = 2 * FAULTS, TIMES = 3 };
    char *blocks[COUNT];
    struct rusage before, after;

    (void)state;
    struct mem_region *region = mem_region_open("budget", MEM_BEST, 0);
    use("dontneed");
    mem_options_apply("delay=100000");
    getrusage(RUSAGE_SELF, &before);
    uint64_t start = glue_time_us();
    for (int i = 0; i < 30; i++) {
        fill(region, blocks, COUNT);
        empty(blocks, 0, COUNT, 1);
        pause_ms(10); /* so long it takes */
    }
    getrusage(RUSAGE_SELF, &after);
    uint64_t most = 3 + (glue_time_us() - start) / (TIMES * COST_US);
    assert_true((uint64_t)(after.ru_minflt - before.ru_minflt) < most * FAULTS);
    mem_region_close(region);
}

/* Rounds that do more than touching what they get end with nothing, however many they are. */
static void test_rounds(void **state)
{
    enum { NODES = 200000 };
    static char *nodes[NODES];

    (void)state;
    use("dontneed");
    mem_options_apply("delay=100000");
    for (int rounds = 1; rounds <= 4; rounds++) {
        struct mem_region *region = mem_region_open("rounds", MEM_BEST, 0);
        for (int round = 0; round < rounds; round++) {
            char *large = memset(mem_alloc(region, 3 << 20), 1, 3 << 20);
            for (int i = 0; i < NODES; i++)
                nodes[i] = memset(mem_alloc(region, 24 + (size_t)i % 90), 1, 24);
            pause_ms(200); /* work */
            for (int i = 0; i < NODES; i++)
                mem_free(nodes[i]);
            mem_free(large);
        }
        assert_true(test_spare(region) < 5000000);
        test_stats_match(region);
        mem_region_close(region);
    }
}

static void test_growth_over_given(void **state)
{
    (void)state;
    for (size_t w = 0; w < 5; w++) {
        struct mem_region *region = mem_region_open("grow", MEM_BEST, 0);
        char *blocks[COUNT];
        use(ways[w]);
        fill(region, blocks, COUNT);
        empty(blocks, 1, COUNT, 1);
        mem_give_back();
        char *block = blocks[0];
        for (size_t bytes = BYTES; bytes < 30u * BYTES; bytes += 200000) {
            block = mem_resize(region, block, bytes);
            assert_non_null(block);
            block[bytes - 1] = 3;
            assert_int_equal(block[5], 1);
            assert_int_equal(mem_check(region), 0);
        }
        mem_free(block);
        block = mem_align(region, 600000, 1 << 18);
        memset(block, 1, 600000);
        test_stats_match(region);
        mem_region_close(region);
    }
}

/* What is left of a given span when its written part was taken has nothing that is given, but is
 * still closed: clearing the region must open it, and a block over it and its neighbours fits. */
static void test_clean_rest(void **state)
{
    (void)state;
    for (size_t w = 0; w < 5; w++) {
        struct mem_region *region = mem_region_open("rest", MEM_BEST, 0);
        use(ways[w]);
        mem_options_apply("segsize=8Mi");
        char *blocks[2] = { memset(mem_alloc(region, BYTES), 1, BYTES), mem_alloc(region, 4096) };
        mem_free(blocks[0]);
        mem_free(blocks[1]);
        mem_give_back();
        blocks[0] = memset(mem_alloc(region, BYTES + 8192), 1, BYTES + 8192);
        assert_int_equal(mem_check(region), 0);
        mem_region_clear(region);
        char *all = mem_alloc(region, 7 << 20);
        memset(all, 2, 7 << 20);
        test_stats_match(region);
        mem_region_close(region);
    }
    mem_options_apply("nosegsize");
}

/* The permissions (RET_WORD, of the first line) or flags of the mapping that holds ADDRESS. */
static void mapping_of(const void *address, bool flags, char ret_word[200])
{
    static char line[400];
    unsigned long from = 0, to = 0;
    bool inside = false;
    FILE *file = fopen("/proc/self/smaps", "r");

    assert_non_null(file);
    ret_word[0] = '\0';
    while (fgets(line, sizeof line, file)) {
        char permissions[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, permissions) == 3) {
            inside = (uintptr_t)address >= from && (uintptr_t)address < to;
            if (inside && !flags)
                snprintf(ret_word, 200, "%s", permissions);
        }
        if (inside && flags && strncmp(line, "VmFlags:", 8) == 0)
            snprintf(ret_word, 200, "%.199s", line);
    }
    fclose(file);
}

static void auto_is(int overcommit, const char *permissions)
{
    char *blocks[COUNT], word[200];
    struct mem_region *region = mem_region_open("auto", MEM_BEST, 0);

    give_overcommit = overcommit;
    use("auto");
    fill(region, blocks, COUNT);
    for (int i = 2; i < COUNT - 2; i++)
        mem_free(blocks[i]);
    (void)mem_give_back(); /* what a collapse has left */
    mapping_of(blocks[5], false, word);
    assert_string_equal(word, permissions);
    mapping_of(blocks[0], false, word);
    assert_string_equal(word, "rw-p");
    mem_region_close(region);
}

/* Strict accounting charges for what may be written to, so there auto takes that away. */
static void test_auto_reads_overcommit(void **state)
{
    (void)state;
    auto_is(2, "---p");
    auto_is(0, "rw-p");
    auto_is(1, "rw-p");
    auto_is(-1, "rw-p"); /* nobody knows */
    give_overcommit = GIVE_ASK;
    struct mem_region *region = mem_region_open("ask", MEM_BEST, 0);
    char *block = memset(mem_alloc(region, BYTES), 1, BYTES);
    mem_free(block);
    (void)mem_give_back();
    assert_int_equal(give_overcommit, glue_overcommit());
    mem_region_close(region);
}

/* A new mapping has lost the advice to use huge pages: it is given again. */
static void test_huge_after_fixed(void **state)
{
    static const char *const closing[] = { "fixed", "unmap" };
    char *blocks[COUNT], word[200];

    (void)state;
    for (size_t w = 0; w < 2; w++) {
        use(closing[w]);
        mem_options_apply("huge=on");
        struct mem_region *region = mem_region_open("huge", MEM_BEST, 0);
        fill(region, blocks, COUNT);
        mapping_of(blocks[5], true, word);
        assert_non_null(strstr(word, " hg"));
        for (int i = 2; i < COUNT - 2; i++)
            mem_free(blocks[i]);
        (void)mem_give_back(); /* what a collapse has left */
        mapping_of(blocks[5], true, word);
        assert_null(strstr(word, " hg"));
        char *again = mem_alloc(region, 15 * BYTES);
        memset(again, 1, 15 * BYTES);
        mapping_of(again + (8 << 20), true, word);
        assert_non_null(strstr(word, " hg"));
        mem_region_close(region);
    }
    mem_options_apply("huge=off");
}

/* While chunks come and go, some of what is free is so at each moment, but other spans each time:
 * next to nothing goes. What lay free all the while does. */
static void test_calm_of_spans(void **state)
{
    enum { CHUNKS = 300, PERIODS = 30, RECORDS = 3000, KEPT = 24 };
    char *chunk[CHUNKS], *kept[KEPT];
    uint64_t seed = 4711;

    (void)state;
    use("dontneed");
    struct mem_region *region = mem_region_open("chunks", MEM_BEST, 0);
    for (int i = 0; i < CHUNKS; i++)
        chunk[i] = memset(mem_alloc(region, 128 << 10), 1, 128 << 10);
    for (int i = 0; i < KEPT; i++)
        kept[i] = memset(mem_alloc(region, 900 << 10), 1, 900 << 10);
    for (int period = 0; period < PERIODS; period++) {
        mem_options_apply("delay=1000000"); /* as if so little time had passed */
        for (int i = 0; i < RECORDS; i++) {
            size_t at = test_random(&seed) % CHUNKS;
            mem_free(chunk[at]);
            chunk[at] = mem_alloc(region, 1024 + test_random(&seed) % (255 << 10));
        }
        if (period == PERIODS / 2)
            for (int i = 0; i < KEPT; i++)
                mem_free(kept[i]);    /* all together, and not needed again */
        mem_options_apply("delay=1"); /* the next free ends the period */
        region->give_start = 1;
        region->calm_shift = 0;
        mem_free(chunk[0]);
        chunk[0] = mem_alloc(region, 1024);
        if (period == PERIODS / 2)
            assert_true(region->retaken_total < 6u << 20);
    }
    assert_true(region->given_bytes > KEPT / 3 * 2 * (900u << 10));
    test_stats_match(region);
    mem_region_close(region);
}

/* With `cache`, a region keeps exactly so much in a loop that frees and takes all again in haste,
 * whatever the way of giving back. */
static void test_cache_bound(void **state)
{
    enum { CACHE = 1 << 20, BLOCKS = 300, SMALL = 200000, PACKS = 128 << 10 };
    static char *blocks[BLOCKS], *small[SMALL];
    static const char *const all_ways[] = { "none", "dontneed", "free", "fixed", "unmap", "auto" };

    (void)state;
    for (size_t w = 0; w < 6; w++) {
        use(all_ways[w]);
        assert_int_equal(mem_options_apply("cache=1Mi,delay=100000"), 0);
        struct mem_region *region = mem_region_open("bound", MEM_BEST, 0);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < BLOCKS; i++)
                blocks[i] = memset(mem_alloc(region, 100000), 1, 100000);
            assert_true(region->dirty_bytes <= CACHE);
            for (int i = 0; i < BLOCKS; i++) {
                mem_free(blocks[i * 7 % BLOCKS]);
                assert_true(region->dirty_bytes <= CACHE);
            }
            assert_int_equal(region->dirty_bytes, CACHE);
            assert_true(test_spare(region) <= CACHE + PACKS);
            char *string = memset(mem_alloc(region, 9 << 20), 2, 9 << 20);
            string = mem_resize(region, string, 100000);
            assert_true(test_spare(region) <= CACHE + PACKS);
            mem_free(string);
            for (int i = 0; i < SMALL; i++)
                small[i] = memset(mem_alloc(region, 40), 3, 40);
            for (int i = 0; i < SMALL; i++)
                mem_free(small[i]);
            assert_true(region->dirty_bytes <= CACHE);
            assert_true(test_spare(region) <= CACHE + PACKS);
        }
        test_stats_match(region);
        assert_int_equal(mem_options_apply("cache=64Ki"), 0); /* at once */
        assert_int_equal(region->dirty_bytes, 64 << 10);
        assert_int_equal(mem_options_apply("nocache"), 0);
        test_stats_match(region);
        mem_region_close(region);
    }
}

static void test_cache_bound_last(void **state)
{
    size_t start = resident();

    (void)state;
    if (TEST_SANITIZED)
        skip(); /* its shadow is resident too */
    use("auto");
    assert_int_equal(mem_options_apply("cache=1Mi,delay=100000"), 0);
    struct mem_region *region = mem_region_open("bound last", MEM_LAST, 0);
    memset(mem_alloc(region, 100), 1, 100);
    for (int round = 0; round < 3; round++) {
        struct mem_mark mark = mem_region_mark(region);
        for (int i = 0; i < 200; i++)
            memset(mem_alloc(region, 100000), 1, 100000);
        assert_true(resident() >= start + 20000000);
        mem_region_reset(region, mark);
        assert_true(resident() <= start + (3 << 20) / 2);
    }
    for (int i = 0; i < 30; i++) /* in the first segment that is no slice */
        memset(mem_alloc(region, 100000), 1, 100000);
    struct mem_mark mark = mem_region_mark(region);
    memset(mem_alloc(region, 10 << 20), 1, 10 << 20);
    mem_region_reset(region, mark);
    memset(mem_alloc(region, 10 << 20), 1, 10 << 20);
    mem_region_reset(region, mark);
    assert_true(resident() <= start + 3000000 + (2 << 20));
    test_stats_match(region);
    mem_region_close(region);
    assert_int_equal(mem_options_apply("nocache"), 0);
}

/* ---- the limit ---- */

static int noticed;

static void notice(void)
{
    noticed++;
}

static size_t fill_until_full(size_t most)
{
    struct mem_region *region = mem_region_open("full", MEM_BEST, 0);
    size_t got = 0;

    while (got < most && mem_alloc(region, 100000))
        got += 100000;
    if (mem_check(NULL))
        got = SIZE_MAX;
    mem_region_close(region);
    return got;
}

static int program(const char *what)
{
    if (strcmp(what, "trap") == 0)
        mem_limit_notify = notice;
    size_t got = fill_until_full(40000000);
    dprintf(2, "got %zu noticed %d again %d\n", got / 1000000, noticed,
            fill_until_full(2000000) == 2000000);
    return 0;
}

static void limit(const char *what, const char *options, const char *want)
{
    int status = test_program(what, options, said, sizeof said);

    assert_true(WIFEXITED(status));
    if (!strstr(said, want))
        fail_msg("'%s' not in: %s", want, said);
}

static void test_limit(void **state)
{
    (void)state;
    limit("x", "limit=20M", "got 19 noticed 0 again 1");
    limit("x", "limit=20M:fail", "vmalloc: limit=20000000: refused: in use ");
    limit("x", "limit=20M:fail segsize=64Ki getmem=anon huge=off", "got 15 noticed 0 again 1");
    limit("x", "limit=20M:warn", "vmalloc: limit=20000000: warned: in use ");
    limit("x", "limit=20M:warn", "got 40 noticed 0 again 1");
    limit("trap", "limit=20M:trap", "got 21 noticed 1 again 1");
    limit("x", "limit=20M:trap", "vmalloc: limit=20000000: trapped: in use ");
    limit("x", "limit=100K", "vmalloc: limit=100000: below what start-up needs, 524288\n");
    int status = test_program("x", "limit=100K", said, sizeof said);
    assert_int_equal(WEXITSTATUS(status), 1);
}

static size_t huge_flagged(const char *options)
{
    char line[400];
    size_t count = 0;

    mem_options_apply(options);
    struct mem_region *region = mem_region_open("huge", MEM_BEST, 0);
    for (int i = 0; i < 40; i++)
        (void)!mem_alloc(region, BYTES);
    FILE *file = fopen("/proc/self/smaps", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        count += strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg") != NULL;
    fclose(file);
    mem_region_close(region);
    return count;
}

/* Bytes of mappings that are advised to be of huge pages. */
static size_t huge_advised(void)
{
    char line[400];
    size_t sum = 0, kib = 0;
    FILE *file = fopen("/proc/self/smaps", "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "Size: %zu kB", &kib) == 1)
            continue;
        if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg"))
            sum += kib << 10;
    }
    fclose(file);
    return sum;
}

/* Whatever the getter and the size of segments, what a big region gets is on huge pages. */
static void test_huge_alike(void **state)
{
    static const char *const sizes[] = { "64Ki", "1Mi", "4Mi", "128Mi" };
    char options[80];

    (void)state;
    if (TEST_SANITIZED)
        skip(); /* native is the sanitizer's own */
    for (int g = 0; g < TEST_GETTERS; g++)
        for (size_t s = 0; s < 4; s++) {
            snprintf(options, sizeof options, "huge=auto,getmem=%s,segsize=%s", test_getters[g],
                     sizes[s]);
            assert_int_equal(mem_options_apply(options), 0);
            struct mem_region *region = mem_region_open("alike", MEM_BEST, 0);
            size_t before = huge_advised();
            for (size_t bytes = 0; bytes < 40u << 20; bytes += 64)
                assert_non_null(mem_alloc(region, 64));
            size_t more = huge_advised() - before;
            if (more < 28u << 20)
                fail_msg("%s: %zu", options, more);
            mem_region_close(region);
        }
    assert_int_equal(mem_options_apply("nogetmem,nosegsize,huge=off"), 0);
}

/* Growing blocks that cannot move without being copied leave nothing behind. */
static void test_growth_leaves_nothing(void **state)
{
    enum { STEPS = 24 };
    static const char *const options[] = { "getmem=break", "getmem=native",
                                           "getmem=zero,segsize=128Mi" };

    (void)state;
    if (TEST_SANITIZED)
        skip(); /* it keeps what was freed */
    for (size_t o = 0; o < 3; o++) {
        assert_int_equal(mem_options_apply(options[o]), 0);
        assert_int_equal(mem_options_apply("huge=off,giveback=auto"), 0);
        struct mem_region *region = mem_region_open("growing", MEM_BEST, 0);
        size_t start = resident();
        char *block[2] = { mem_alloc(region, 1), mem_alloc(region, 1) };
        for (size_t step = 1; step <= STEPS; step++)
            for (size_t b = 0; b < 2; b++) {
                block[b] = mem_resize(region, block[b], step << 20);
                assert_non_null(block[b]);
                memset(block[b] + ((step - 1) << 20), (int)(step + b), 1 << 20);
            }
        size_t used = resident() - start;
        if (used > (2u * STEPS + 3) << 20)
            fail_msg("%s: %zu", options[o], used);
        for (size_t i = 0; i < (size_t)STEPS << 20; i += 4096)
            for (size_t b = 0; b < 2; b++)
                assert_int_equal(block[b][i], (i >> 20) + 1 + b);
        test_stats_match(region);
        mem_free(block[0]);
        memset(mem_alloc(region, 20u << 20), 1, 20u << 20); /* over what was left */
        test_stats_match(region);
        mem_region_close(region);
    }
    assert_int_equal(mem_options_apply("nogetmem,nosegsize"), 0);
}

static void test_huge(void **state)
{
    (void)state;
    assert_int_equal(huge_flagged("huge=off"), 0);
    assert_true(huge_flagged("huge=auto") > 0);
    assert_true(huge_flagged("huge=on") > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calm),
        cmocka_unit_test(test_collapse),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_growth_over_given),
        cmocka_unit_test(test_clean_rest),
        cmocka_unit_test(test_auto_reads_overcommit),
        cmocka_unit_test(test_huge_after_fixed),
        cmocka_unit_test(test_calm_of_spans),
        cmocka_unit_test(test_cache_bound),
        cmocka_unit_test(test_cache_bound_last),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_huge_alike),
        cmocka_unit_test(test_growth_leaves_nothing),
    };

    if (argc > 1)
        return program(argv[1]);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* what is resident is counted in pages */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
