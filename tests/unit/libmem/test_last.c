/*
 * test_last.c: the bump method: only the newest block is freed or resized alone; marks nest and
 * reset.
 */
#include "tests/unit/libmem/mem_test.h"

static size_t busy_count(struct mem_region *region)
{
    struct mem_stats stats;

    mem_region_stats(region, &stats);
    return stats.busy_count;
}

static void test_newest(void **state)
{
    struct mem_region *region = mem_region_open("newest", MEM_LAST, 0);
    char *first = mem_alloc(region, 100), *second = mem_alloc(region, 50);

    (void)state;
    mem_free(first); /* not the newest: stays */
    assert_int_equal(busy_count(region), 2);
    assert_ptr_equal(mem_resize(region, second, 200), second);
    assert_true(mem_resize_in_place(second, 30));
    assert_ptr_equal(mem_resize(region, first, 90), first);
    memcpy(first, "kept", 5);
    char *moved = mem_resize(region, first, 1000);
    assert_ptr_not_equal(moved, first);
    assert_string_equal(moved, "kept");
    mem_free(moved);
    mem_free(second);
    mem_free(first);
    assert_int_equal(busy_count(region), 0);
    assert_ptr_equal(mem_alloc(region, 1), first);
    test_stats_match(region);
    mem_region_close(region);
}

static void test_marks(void **state)
{
    struct mem_region *region = mem_region_open("marks", MEM_LAST, 0);
    struct mem_mark empty = mem_region_mark(region);
    char *first = mem_alloc(region, 100);
    struct mem_mark outer = mem_region_mark(region);
    char *inside = mem_alloc(region, 30);
    struct mem_mark inner = mem_region_mark(region);

    (void)state;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 5000; i++)
            assert_non_null(mem_alloc(region, (size_t)i));
        test_stats_match(region);
        mem_region_reset(region, inner);
        assert_int_equal(busy_count(region), 2);
        test_stats_match(region);
    }
    mem_region_reset(region, inner);
    mem_region_reset(region, outer);
    assert_int_equal(busy_count(region), 1);
    assert_ptr_equal(mem_alloc(region, 10), inside);
    mem_region_reset(region, empty);
    assert_int_equal(busy_count(region), 0);
    assert_ptr_equal(mem_alloc(region, 10), first);
    test_stats_match(region);
    mem_region_close(region);
}

/* Segments are kept for reuse: the second time no new memory is got. */
static void test_reuse(void **state)
{
    struct mem_region *region = mem_region_open("reuse", MEM_LAST, 0);
    struct mem_mark mark = mem_region_mark(region);
    struct mem_stats stats;
    size_t size = 0;

    (void)state;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 200; i++)
            memset(mem_alloc(region, 50000), 1, 50000);
        mem_region_stats(region, &stats);
        assert_true(!size || size == stats.size_bytes);
        size = stats.size_bytes;
        mem_region_reset(region, mark);
    }
    assert_true(size < 20000000);
    mem_region_close(region);
}

static void test_big_blocks(void **state)
{
    struct mem_region *region = mem_region_open("big", MEM_LAST, 0);
    struct mem_mark mark = mem_region_mark(region);
    char *text = NULL;

    (void)state;
    for (size_t bytes = 1; bytes < 20000000; bytes += 1 + bytes / 7) {
        text = mem_resize(region, text, bytes);
        memset(text, 1, bytes);
        assert_ptr_equal(mem_region_of(text + bytes - 1), region);
    }
    assert_int_equal(busy_count(region), 1);
    test_stats_match(region);
    mem_region_reset(region, mark);
    test_stats_match(region);
    mem_region_clear(region);
    test_stats_match(region);
    assert_non_null(mem_alloc(region, 3));
    mem_region_close(region);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newest),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_big_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
