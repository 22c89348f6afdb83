/*
 * test_walk.c: walks stop when told to and go upwards; the check finds what was written where it
 * must not.
 */
#include "tests/unit/libmem/mem_test.h"

static int stop_at(void *arg, void *block, size_t bytes, bool busy)
{
    int *left = arg;

    (void)block;
    (void)bytes;
    (void)busy;
    return --*left == 0 ? 42 : 0;
}

static void test_stop(void **state)
{
    (void)state;
    for (enum mem_method method = MEM_BEST; method <= MEM_POOL; method++) {
        struct mem_region *region = mem_region_open("stop", method, 100);
        int left = 7;
        for (size_t i = 0; i < 1000; i++)
            mem_alloc(region, i % 100);
        assert_int_equal(mem_region_walk(region, stop_at, &left), 42);
        assert_int_equal(left, 0);
        mem_region_close(region);
    }
}

static int go_upwards(void *arg, void *block, size_t bytes, bool busy)
{
    char **last = arg;

    (void)busy;
    assert_true((char *)block >= *last);
    *last = (char *)block + bytes;
    return 0;
}

static void test_order(void **state)
{
    (void)state;
    for (enum mem_method method = MEM_BEST; method <= MEM_POOL; method++) {
        struct mem_region *region = mem_region_open("order", method, 64);
        char *last = NULL;
        for (size_t i = 0; i < 300; i++) /* fits the first segment */
            mem_free(i % 3 ? NULL : mem_alloc(region, i % 64));
        assert_int_equal(mem_region_walk(region, go_upwards, &last), 0);
        mem_region_close(region);
    }
}

static struct mem_region *region;

/* Writes where nobody may, which the sanitizer must not see. */
__attribute__((no_sanitize("address"))) static void spoil(void *address, size_t bytes)
{
    for (volatile char *p = address; bytes > 0; bytes--)
        *p++ = 0x41;
}

static void spoil_chain(void *arg)
{
    char *block = mem_alloc(region, 3000);

    (void)arg;
    mem_free(block);
    spoil(block, 3000); /* written after free */
    _exit(mem_check(region) > 0 ? 0 : 1);
}

static void spoil_link(void *arg)
{
    void **block = mem_alloc(region, 48);
    static void *elsewhere[100];

    (void)arg;
    mem_free(block);
    *block = elsewhere;
    _exit(mem_check(NULL) > 0 ? 0 : 1);
}

static void spoil_head(void *arg)
{
    struct mem_region *last = mem_region_open("spoilt", MEM_LAST, 0);
    char *block = mem_alloc(last, 24);

    (void)arg;
    mem_alloc(last, 24);
    spoil(block, 40); /* past its end */
    _exit(mem_check(last) > 0 ? 0 : 1);
}

static void spoil_counter(void *arg)
{
    (void)arg;
    region->busy_bytes += 16;
    _exit(mem_check(region) == 1 ? 0 : 1);
}

static void test_corruption(void **state)
{
    static void (*const spoilers[])(void *) = { spoil_chain, spoil_link, spoil_head,
                                                spoil_counter };
    char said[8000];

    (void)state;
    region = mem_region_open("spoilt", MEM_BEST, 0);
    for (size_t i = 0; i < 5000; i++)
        mem_alloc(region, i);
    for (size_t i = 0; i < sizeof spoilers / sizeof spoilers[0]; i++) {
        int status = test_child(spoilers[i], NULL, said, sizeof said);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_int_equal(strncmp(said, "vmalloc: corrupted: region spoilt at 0x", 39), 0);
    }
    assert_int_equal(mem_check(NULL), 0);
    mem_region_close(region);
}

/* The counters of a region that others borrowed slices from still add up. */
static void test_lender(void **state)
{
    struct mem_region *small[50];
    size_t before = 0, during = 0, after = 0;
    struct mem_stats stats;

    (void)state;
    mem_region_stats(mem_region_malloc(), &stats);
    before = stats.size_bytes;
    for (int i = 0; i < 50; i++) {
        small[i] = mem_region_open("small", i % 2 ? MEM_LAST : MEM_POOL, 24);
        mem_alloc(small[i], 10);
        mem_region_stats(small[i], &stats);
        during += stats.size_bytes;
        test_stats_match(small[i]);
    }
    test_stats_match(mem_region_malloc());
    mem_region_stats(mem_region_malloc(), &stats);
    during += stats.size_bytes;
    assert_true(during >= before && during % MEM_SEGSIZE == before % MEM_SEGSIZE);
    for (int i = 0; i < 50; i++)
        mem_region_close(small[(i * 7) % 50]);
    mem_region_stats(mem_region_malloc(), &stats);
    after = stats.size_bytes;
    assert_int_equal(after, during);
    test_stats_match(mem_region_malloc());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_corruption),
        cmocka_unit_test(test_lender),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
