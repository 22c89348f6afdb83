/*
 * test_page.c: size classes and packs: every size gets a fitting class, packs cost little and come
 * back.
 */
#include "tests/unit/libmem/mem_test.h"

static void test_classes(void **state)
{
    size_t before = 0;

    (void)state;
    for (size_t bytes = 1; bytes <= MEM_CLASS_MAX; bytes++) {
        size_t good = mem_class_bytes(mem_class_of(bytes));
        assert_true(good >= bytes && good >= before && good % MEM_ALIGN == 0);
        assert_true(good - bytes < MEM_ALIGN || good <= bytes + bytes / 8);
        assert_int_equal(mem_class_of(good), mem_class_of(bytes));
        assert_int_equal(mem_good_bytes(bytes), good);
        before = good;
    }
    assert_int_equal(mem_class_of(MEM_CLASS_MAX), MEM_CLASSES - 1);
    assert_int_equal(mem_good_bytes(0), 16);
    assert_int_equal(mem_good_bytes(8193), 12288);
    assert_int_equal(mem_good_bytes(SIZE_MAX), SIZE_MAX);
    for (size_t pages = 1, bin = 0; pages < 1u << 20; pages++) {
        assert_true(mem_bin_of(pages) == bin || mem_bin_of(pages) == bin + 1);
        bin = mem_bin_of(pages);
    }
}

static void test_sizes(void **state)
{
    struct mem_region *region = mem_region_open("sizes", MEM_BEST, 0);

    (void)state;
    for (size_t bytes = 0; bytes < 20000; bytes += 1 + bytes / 100) {
        void *block = mem_alloc(region, bytes), *zeroed = mem_alloc_zeroed(region, bytes);
        assert_int_equal(mem_block_bytes(block), mem_good_bytes(bytes));
        assert_ptr_not_equal(block, zeroed);
        memset(block, 1, bytes);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(((char *)zeroed)[i], 0);
        memset(zeroed, 1, bytes);
        mem_free_sized(region, block, bytes);
        mem_free_sized(region, zeroed, mem_good_bytes(bytes));
    }
    test_stats_match(region);
    mem_region_close(region);
}

static void test_density(void **state)
{
    static void *block[1000000];
    struct mem_region *region = mem_region_open("dense", MEM_BEST, 0);
    struct mem_stats stats;

    (void)state;
    for (int i = 0; i < 1000000; i++)
        block[i] = mem_alloc(region, 64);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.busy_bytes, 64000000);
    assert_true(stats.busy_bytes + stats.cache_bytes + stats.pack_count * 64 < 66000000);
    assert_true(stats.size_bytes < 64000000 + 2 * MEM_SEGSIZE);
    for (int i = 0; i < 1000000; i++)
        mem_free(block[((size_t)i * 7919) % 1000000]);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.busy_count, 0);
    /* But for the few that blocks in the class's chains come from, packs gave their pages back. */
    assert_true(stats.pack_count <= 2 * MEM_CHAIN_MAX + 4);
    pack_drain(region);
    mem_region_stats(region, &stats);
    assert_true(stats.pack_count <= 4);
    assert_true(stats.free_max_bytes > 60000000);
    test_stats_match(region);
    mem_region_close(region);
}

static void test_small_start(void **state)
{
    struct mem_region *region = mem_region_open("small", MEM_BEST, 0);
    struct mem_stats stats;

    (void)state;
    for (size_t bytes = 8; bytes <= 400; bytes += 16)
        assert_non_null(mem_alloc(region, bytes));
    mem_region_stats(region, &stats);
    assert_int_equal(stats.pack_count, 1); /* they all share the mixed pack */
    test_stats_match(region);
    mem_region_close(region);
}

static void test_align(void **state)
{
    struct mem_region *region = mem_region_open("align", MEM_BEST, 0);
    struct mem_region *last = mem_region_open("align last", MEM_LAST, 0);

    (void)state;
    for (size_t align = 1; align <= 1u << 21; align *= 2)
        for (size_t bytes = 0; bytes < 30000; bytes = bytes * 3 + 1) {
            mem_alloc(region, 24);
            char *block = mem_align(region, bytes, align);
            assert_int_equal((uintptr_t)block % align, 0);
            assert_true(mem_block_bytes(block) >= bytes);
            memset(block, 7, bytes);
            if (bytes % 2)
                mem_free(block);
            block = mem_align(last, bytes, align);
            assert_int_equal((uintptr_t)block % align, 0);
            memset(block, 7, bytes);
        }
    errno = 0;
    assert_null(mem_align(region, 10, 0));
    assert_int_equal(errno, EINVAL);
    test_stats_match(region);
    test_stats_match(last);
    mem_region_close(last);
    mem_region_close(region);
}

static void test_pool(void **state)
{
    struct mem_region *region = mem_region_open("pool", MEM_POOL, 0);
    void *block[1000];

    (void)state;
    block[0] = mem_alloc(region, 33); /* sets the size: 48 */
    for (int i = 1; i < 1000; i++)
        assert_int_equal(mem_block_bytes(block[i] = mem_alloc(region, (size_t)i % 49)), 48);
    errno = 0;
    assert_null(mem_alloc(region, 49));
    assert_int_equal(errno, EINVAL);
    assert_null(mem_resize(region, block[0], 100));
    assert_ptr_equal(mem_resize(region, block[0], 40), block[0]);
    assert_true(mem_resize_in_place(block[0], 48));
    assert_false(mem_resize_in_place(block[0], 49));
    assert_null(mem_align(region, 10, 64));
    void *freed = block[500];
    mem_free(freed);
    assert_ptr_equal(mem_alloc(region, 1), freed);
    test_stats_match(region);
    mem_region_close(region);
    struct mem_region *big = mem_region_open("big pool", MEM_POOL, 300000);
    for (int i = 0; i < 50; i++)
        memset(mem_alloc(big, 300000), 1, 300000);
    test_stats_match(big);
    mem_region_close(big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_density), cmocka_unit_test(test_small_start),
        cmocka_unit_test(test_align),   cmocka_unit_test(test_pool),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
