/*
 * test_large.c: blocks of whole pages: merging, growth in place, strings that keep growing, and
 * what is known to be zero.
 */
#include "tests/unit/libmem/mem_test.h"

static void test_merge(void **state)
{
    struct mem_region *region = mem_region_open("merge", MEM_BEST, 0);
    void *block[20];
    struct mem_stats stats;

    (void)state;
    for (int i = 0; i < 20; i++)
        block[i] = mem_alloc(region, 100000);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.segment_count, 1);
    for (int i = 1; i < 20; i += 2)
        mem_free(block[i]);
    test_stats_match(region);
    for (int i = 0; i < 20; i += 2)
        mem_free(block[i]);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.free_count, 1);
    assert_int_equal(stats.free_max_bytes, stats.size_bytes);
    void *all = mem_alloc(region, stats.size_bytes);
    assert_ptr_equal(all, block[0]);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.free_bytes, 0);
    assert_int_equal(stats.free_max_bytes, 0);
    assert_int_equal(stats.busy_max_bytes, stats.size_bytes);
    mem_region_close(region);
}

static void test_in_place(void **state)
{
    struct mem_region *region = mem_region_open("place", MEM_BEST, 0);
    char *first = mem_alloc(region, 20000), *second = mem_alloc(region, 20000);
    char *third = mem_alloc(region, 20000);

    (void)state;
    memset(first, 1, 20000);
    assert_false(mem_resize_in_place(first, 40000));
    mem_free(second);
    assert_true(mem_resize_in_place(first, 40000));
    assert_int_equal(mem_block_bytes(first), 40960);
    assert_true(mem_resize_in_place(first, 10000));
    assert_int_equal(mem_block_bytes(first), 12288);
    assert_false(mem_resize_in_place(first, 100)); /* another size class */
    second = mem_alloc(region, 15000);
    assert_ptr_equal(second, first + 12288);
    assert_true(mem_resize_in_place(third, 500000)); /* the rest of the segment is behind it */
    for (int i = 0; i < 10000; i++)
        assert_int_equal(first[i], 1);
    char *small = mem_alloc(region, 100);
    assert_true(mem_resize_in_place(small, 98));
    assert_false(mem_resize_in_place(small, 90));
    assert_false(mem_resize_in_place(small, 120));
    assert_false(mem_resize_in_place(&small, 120));
    test_stats_match(region);
    mem_region_close(region);
}

/* Appends in a child, beside other allocations; exits with the number of moves or fails on memory.
 */
static void append(void *arg)
{
    struct mem_region *region = mem_region_open("append", MEM_BEST, 0);
    char *text = NULL;
    const size_t total = 40000000, step = 13;
    struct rusage before, after;
    int moves = 0;

    if (mem_options_apply(arg))
        _exit(100);
    getrusage(RUSAGE_SELF, &before);
    for (size_t bytes = step; bytes < total; bytes += step) {
        char *moved = mem_resize(region, text, bytes);
        moves += moved != text;
        text = moved;
        memset(text + bytes - step, (int)(bytes % 251), step);
        if (bytes % 5000 < step && !mem_alloc(region, 40))
            _exit(101);
    }
    for (size_t bytes = step; bytes < total; bytes += step)
        if ((unsigned char)text[bytes - 1] != bytes % 251)
            _exit(102);
    getrusage(RUSAGE_SELF, &after);
    if ((size_t)(after.ru_maxrss - before.ru_maxrss) * 1024 > total / 10 * 22)
        _exit(103);
    _exit(mem_check(region) || moves > 99 ? 104 : moves);
}

static void test_append(void **state)
{
    char said[2000], options[80];

    (void)state;
    for (int i = 0; i < TEST_GETTERS; i++) {
        snprintf(options, sizeof options, "getmem=%s", test_getters[i]);
        if (TEST_SANITIZED && i == SOURCE_NATIVE)
            continue; /* the sanitizer keeps what was freed */
        int status = test_child(append, options, said, sizeof said);
        assert_string_equal(said, "");
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) >= 100)
            fail_msg("getmem=%s: %d", test_getters[i], WEXITSTATUS(status));
    }
}

static void test_shrink(void **state)
{
    struct mem_region *region = mem_region_open("shrink", MEM_BEST, 0);
    char *text = NULL;

    (void)state;
    for (size_t bytes = 1000; bytes < 3000000; bytes += 1000)
        text = mem_resize(region, text, bytes);
    assert_true(mem_block_bytes(text) < 2 * 3000000);
    text = mem_resize(region, text, 50000);
    assert_int_equal(mem_block_bytes(text), 53248);
    text = mem_resize(region, text, 10);
    assert_int_equal(mem_block_bytes(text), 16);
    test_stats_match(region);
    mem_region_close(region);
}

static void test_zeroed(void **state)
{
    struct mem_region *region = mem_region_open("zeroed", MEM_BEST, 0);

    (void)state;
    for (int round = 0; round < 4; round++) {
        unsigned char *one = mem_alloc_zeroed(region, 3000000);
        unsigned char *two = mem_alloc_zeroed(region, 700000);
        for (size_t i = 0; i < 700000; i++)
            assert_int_equal(one[i] | one[3000000 - 1 - i] | two[i], 0);
        memset(one, 1, 3000000);
        memset(two, 1, 700000);
        mem_free(round % 2 ? one : two);
        one = mem_resize(region, round % 2 ? two : one, 5000000);
        memset(one, 2, 5000000);
        mem_free(one);
    }
    mem_region_close(region);
}

static void test_absurd(void **state)
{
    static const size_t sizes[] = { SIZE_MAX,           SIZE_MAX - 1,    SIZE_MAX / 2,
                                    (size_t)1 << 62,    (size_t)1 << 48, SIZE_MAX - 4096,
                                    (size_t)PTRDIFF_MAX };

    (void)state;
    for (enum mem_method method = MEM_BEST; method <= MEM_LAST; method++) {
        struct mem_region *region = mem_region_open("absurd", method, 0);
        void *block = mem_alloc(region, 10000);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            errno = 0;
            assert_null(mem_alloc(region, sizes[i]));
            assert_int_equal(errno, ENOMEM);
            assert_null(mem_alloc_zeroed(region, sizes[i]));
            assert_null(mem_align(region, sizes[i], 4096));
            assert_null(mem_resize(region, block, sizes[i]));
            assert_false(mem_resize_in_place(block, sizes[i]));
        }
        assert_null(mem_align(region, 100, (size_t)1 << 62));
        test_stats_match(region);
        mem_region_close(region);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),  cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_append), cmocka_unit_test(test_shrink),
        cmocka_unit_test(test_zeroed), cmocka_unit_test(test_absurd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
