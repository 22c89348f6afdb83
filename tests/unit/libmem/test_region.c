/*
 * test_region.c: opening, closing and clearing regions, who owns an address, and wrong frees.
 */
#include "tests/unit/libmem/mem_test.h"

static void test_registry(void **state)
{
    struct mem_region *first = mem_region_open("first", MEM_BEST, 0);
    struct mem_region *second =
        mem_region_open("a name that is much longer than the room for it", MEM_LAST, 0);

    (void)state;
    assert_ptr_equal(mem_region_next(NULL), mem_region_malloc());
    assert_string_equal(mem_region_name(mem_region_malloc()), "malloc");
    assert_ptr_equal(mem_region_find("first"), first);
    assert_ptr_equal(mem_region_next(first), second);
    assert_null(mem_region_next(second));
    assert_string_equal(mem_region_name(second), "a name that is much longer than");
    assert_null(mem_region_find("none"));
    mem_region_close(first);
    assert_null(mem_region_find("first"));
    struct mem_region *third = mem_region_open("third", MEM_POOL, 40);
    assert_ptr_equal(mem_region_next(second), third);
    mem_region_close(third);
    mem_region_close(second);
    mem_region_close(NULL);
    mem_region_close(mem_region_malloc()); /* does nothing */
    assert_ptr_equal(mem_region_next(NULL), mem_region_malloc());
    assert_string_equal(mem_method_name(MEM_BEST), "best");
    assert_string_equal(mem_method_name(MEM_LAST), "last");
    assert_string_equal(mem_method_name(MEM_POOL), "pool");
}

/* A small region begins in slices of `malloc` and ends in segments of its own. */
static void test_start_small(void **state)
{
    struct mem_region *region = mem_region_open("small", MEM_BEST, 0);
    struct mem_stats stats, lender, before;

    (void)state;
    mem_free(mem_alloc(mem_region_malloc(), 100000)); /* has a segment */
    mem_region_stats(mem_region_malloc(), &before);
    mem_region_start_small(region);
    char *block = mem_alloc(region, 100);
    mem_region_stats(region, &stats);
    mem_region_stats(mem_region_malloc(), &lender);
    assert_int_equal(stats.size_bytes, 64 << 10);
    assert_int_equal(lender.size_bytes, before.size_bytes - stats.size_bytes);
    assert_ptr_equal(mem_region_of(block), region);
    char *big = mem_alloc(region, 200000);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.segment_count, 2);
    assert_true(stats.size_bytes > 1 << 20);
    assert_int_equal(mem_check(region), 0);
    assert_int_equal(mem_check(mem_region_malloc()), 0);
    mem_free(block);
    mem_free(big);
    mem_region_close(region);
    mem_region_stats(mem_region_malloc(), &lender);
    assert_int_equal(lender.size_bytes, before.size_bytes);
}

static void test_owner(void **state)
{
    static void *block[3][400];
    struct mem_region *region[3] = { mem_region_open("b", MEM_BEST, 0),
                                     mem_region_open("l", MEM_LAST, 0),
                                     mem_region_open("p", MEM_POOL, 800) };
    int local = 0;

    (void)state;
    for (int i = 0; i < 400; i++)
        for (int r = 0; r < 3; r++) {
            size_t bytes = r == 2 ? 700 : (size_t)i * 97 + 1;
            block[r][i] = mem_alloc(region[r], bytes);
            assert_ptr_equal(mem_region_of(block[r][i]), region[r]);
            assert_ptr_equal(mem_region_of((char *)block[r][i] + bytes - 1), region[r]);
        }
    assert_null(mem_region_of(&local));
    assert_null(mem_region_of(NULL));
    assert_null(mem_region_of((void *)(uintptr_t)test_owner));
    assert_null(mem_region_of((void *)UINTPTR_MAX));
    for (int r = 0; r < 3; r++)
        mem_region_close(region[r]);
    for (int i = 0; i < 400; i++)
        for (int r = 0; r < 3; r++)
            assert_true(!mem_region_of(block[r][i]) ||
                        mem_region_of(block[r][i]) == mem_region_malloc());
}

static int count_segment(void *arg, void *base, size_t bytes)
{
    size_t *sum = arg;

    assert_non_null(base);
    sum[0]++;
    sum[1] += bytes;
    return 0;
}

static void test_many_segments(void **state)
{
    static void *block[8000];
    size_t sum[2] = { 0, 0 };
    struct mem_stats stats;

    (void)state;
    assert_int_equal(mem_options_apply("segsize=64Ki getmem=anon huge=off"), 0);
    struct mem_region *region = mem_region_open("many", MEM_BEST, 0);
    for (int i = 0; i < 8000; i++)
        assert_non_null(block[i] = mem_alloc(region, 60000));
    mem_region_stats(region, &stats);
    assert_true(stats.segment_count >= 8000);
    mem_region_walk_segments(region, count_segment, sum);
    assert_int_equal(sum[0], stats.segment_count);
    assert_int_equal(sum[1], stats.size_bytes);
    for (int i = 0; i < 8000; i++)
        assert_ptr_equal(mem_region_of(block[i]), region);
    for (int i = 0; i < 8000; i++)
        mem_free(block[i]);
    test_stats_match(region);
    mem_region_close(region);
    assert_int_equal(mem_options_apply("nosegsize nogetmem huge=auto"), 0);
}

static void test_clear(void **state)
{
    struct mem_stats stats;

    (void)state;
    for (enum mem_method method = MEM_BEST; method <= MEM_POOL; method++) {
        struct mem_region *region = mem_region_open("clear", method, 3000);
        for (int round = 0; round < 3; round++) {
            for (size_t i = 0; i < 3000; i++)
                assert_non_null(mem_alloc(region, method == MEM_POOL ? 2000 : i * 7));
            test_stats_match(region);
            mem_region_clear(region);
            mem_region_stats(region, &stats);
            assert_int_equal(stats.busy_bytes, 0);
            assert_int_equal(stats.busy_count, 0);
            assert_int_equal(stats.segment_count, 1);
            assert_int_equal(stats.alloc_count, (uint64_t)(round + 1) * 3000);
            assert_int_equal(stats.free_calls_count, 0);
            assert_true(stats.peak_bytes > 1000000);
            test_stats_match(region);
        }
        mem_region_close(region);
    }
    assert_int_equal(mem_check(NULL), 0);
}

static void test_calls_counted(void **state)
{
    struct mem_region *region = mem_region_open("calls", MEM_BEST, 0);
    struct mem_stats stats;
    void *block = NULL;

    (void)state;
    block = mem_resize(region, block, 10);
    for (size_t i = 1; i <= 50; i++)
        block = mem_resize(region, block, i * 1000);
    mem_free(block);
    mem_free(NULL);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.alloc_count, 1);
    assert_int_equal(stats.resize_count, 50);
    assert_int_equal(stats.free_calls_count, 1);
    assert_int_equal(stats.busy_count, 0);
    mem_region_close(region);
}

static void test_open_close_is_cheap(void **state)
{
    struct mem_stats before, after;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct mem_region *region = mem_region_open("unit", i % 2 ? MEM_LAST : MEM_POOL, 64);
        if (i == 100)
            mem_region_stats(mem_region_malloc(), &before);
        assert_non_null(mem_alloc(region, 50));
        mem_region_close(region);
    }
    mem_region_stats(mem_region_malloc(), &after);
    assert_int_equal(before.segment_count, after.segment_count);
}

/* ---- wrong frees ---- */

static struct mem_region *wrong;

static void free_foreign(void *arg)
{
    int local = 0;

    (void)arg;
    mem_free(&local);
    mem_free((void *)0x10);
    char *block = mem_alloc(wrong, 100000);
    mem_free(block + 16);
    mem_free(block);
    mem_free(block);
    block = mem_alloc(wrong, 48);
    mem_free(block);
    mem_free(block);
    mem_free(block + 1);
    _exit(mem_check(NULL) == 0 ? 0 : 1);
}

static void test_wrong_free(void **state)
{
    char said[4000];
    size_t lines = 0;

    (void)state;
    wrong = mem_region_open("wrong", MEM_BEST, 0);
    int status = test_child(free_foreign, NULL, said, sizeof said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (const char *at = said; *at; at = strchr(at, '\n') + 1, lines++)
        assert_int_equal(strncmp(at, "vmalloc: free error: block=0x", 29), 0);
    assert_int_equal(lines, 6);
    assert_non_null(strstr(said, "outside region"));
    assert_non_null(strstr(said, "not currently allocated"));
    mem_region_close(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_start_small),
        cmocka_unit_test(test_owner),
        cmocka_unit_test(test_many_segments),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_calls_counted),
        cmocka_unit_test(test_open_close_is_cheap),
        cmocka_unit_test(test_wrong_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
