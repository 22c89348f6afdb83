/* The walk over ranges: no gap, the sums of the region; and what measuring a stretch needs. */
#include <sys/stat.h>

#include "tests/unit/libmem/mem_test.h"

struct sums {
    const char *at;
    const void *segment;
    size_t bytes[MEM_RANGE_BUSY + 1], busy_bytes, all_bytes;
    bool gap;
};

static int visit(void *arg, const struct mem_range *range)
{
    struct sums *sums = arg;

    if (range->segment != sums->segment) {
        sums->segment = range->segment;
        sums->at = range->segment;
    }
    sums->gap |= range->base != sums->at;
    sums->at = range->base + range->bytes;
    sums->bytes[range->kind] += range->bytes;
    sums->busy_bytes += range->busy_bytes;
    sums->all_bytes += range->bytes;
    return 0;
}

static struct sums walk(struct mem_region *region)
{
    struct sums sums = { 0 };
    struct mem_stats stats;

    assert_int_equal(mem_region_walk_ranges(region, visit, &sums), 0);
    mem_region_stats(region, &stats);
    assert_false(sums.gap);
    assert_int_equal(sums.all_bytes, stats.size_bytes);
    if (stats.method != MEM_LAST)
        assert_int_equal(sums.busy_bytes, stats.busy_bytes);
    return sums;
}

static void ranges_add_up(void **state)
{
    struct mem_region *region = mem_region_open("range", MEM_BEST, 0);
    void *blocks[3000];

    (void)state;
    for (int i = 0; i < 3000; i++)
        blocks[i] = mem_alloc(region, (size_t)(i % 700) + 1);
    void *large = mem_alloc(region, 300000);
    struct sums sums = walk(region);
    assert_true(sums.bytes[MEM_RANGE_UNTOUCHED] > 0);
    for (int i = 0; i < 3000; i += 2)
        mem_free(blocks[i]);
    mem_free(large);
    sums = walk(region);
    assert_true(sums.bytes[MEM_RANGE_FREE] + sums.bytes[MEM_RANGE_GIVEN] > 0);
    (void)mem_give_back();
    walk(region);
    mem_region_close(region);
}

static void ranges_of_last(void **state)
{
    struct mem_region *region = mem_region_open("range", MEM_LAST, 0);
    struct mem_mark mark = mem_region_mark(region);

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_non_null(mem_alloc(region, 500));
    assert_true(walk(region).bytes[MEM_RANGE_BUSY] > 500000);
    mem_region_reset(region, mark);
    struct sums sums = walk(region);
    assert_true(sums.bytes[MEM_RANGE_FREE] > 100000);
    mem_region_close(region);
}

/* Heads hold the site of a block, too. */
static void ranges_of_last_with_sites(void **state)
{
    struct mem_region *region = mem_region_open("range", MEM_LAST, 0);

    (void)state;
    mem_sites_set(true);
    mem_site = mem_site_new();
    for (int i = 0; i < 1000; i++)
        assert_non_null(mem_alloc(region, 500));
    struct sums sums = walk(region);
    assert_int_equal(sums.busy_bytes, mem_region_busy(region));
    mem_site = 0;
    mem_sites_set(false);
    mem_region_close(region);
}

static void cleared_is_not_untouched(void **state)
{
    (void)state;
    assert_int_equal(mem_options_change("clear=all"), 0);
    struct mem_region *region = mem_region_open("range", MEM_BEST, 0);
    assert_non_null(mem_alloc(region, 100));
    struct sums sums = walk(region);
    assert_int_equal(sums.bytes[MEM_RANGE_UNTOUCHED], 0);
    assert_true(sums.bytes[MEM_RANGE_FREE] > sums.all_bytes / 2);
    mem_region_close(region);
    assert_int_equal(mem_options_change("clear=none"), 0);
}

static void peaks_nest(void **state)
{
    struct mem_region *region = mem_region_open("peak", MEM_BEST, 0);
    void *base = mem_alloc(region, 1024);

    (void)state;
    mem_free(mem_alloc(region, 100 << 10));
    size_t high = mem_region_peak(region);
    size_t outer = mem_region_peak_begin(region);
    assert_int_equal(outer, high);
    assert_int_equal(mem_region_peak(region), mem_region_busy(region));
    mem_free(mem_alloc(region, 4096));
    size_t inner = mem_region_peak_begin(region);
    mem_free(mem_alloc(region, 8192));
    assert_true(mem_region_peak(region) >= 1024 + 8192);
    mem_region_peak_end(region, inner);
    assert_true(mem_region_peak(region) >= 1024 + 8192);
    mem_region_peak_end(region, outer);
    assert_int_equal(mem_region_peak(region), high);
    mem_free(base);
    mem_region_close(region);
}

static void options_all_or_nothing(void **state)
{
    char before[1024], after[1024];

    (void)state;
    mem_options_get(before, sizeof before);
    assert_int_not_equal(mem_options_change("delay=77,giveback=nonsense"), 0);
    mem_options_get(after, sizeof after);
    assert_string_equal(before, after);
    assert_int_equal(mem_options_change("delay=77"), 0);
    mem_options_get(after, sizeof after);
    assert_non_null(strstr(after, "delay=77"));
    assert_int_equal(mem_options_change(before), 0);
}

/* What a change cost that was taken back: not the trace so far. */
static void a_failed_change_keeps_the_trace(void **state)
{
    char dir[] = "/tmp/rangeXXXXXX", text[100];
    struct stat before, after;

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(mem_options_change("trace=one.bin"), 0);
    for (int i = 0; i < 100; i++)
        mem_free(mem_alloc(mem_region_malloc(), 100));
    mem_flush();
    assert_int_equal(stat("one.bin", &before), 0);
    snprintf(text, sizeof text, "trace=two.bin,giveback=nonsense");
    assert_int_not_equal(mem_options_change(text), 0);
    mem_free(mem_alloc(mem_region_malloc(), 100));
    assert_int_equal(mem_options_change("notrace"), 0);
    assert_int_equal(stat("one.bin", &after), 0);
    assert_true(before.st_size > 1000);
    assert_int_equal(after.st_size - before.st_size, 24); /* no second header */
    assert_int_equal(unlink("one.bin") | unlink("two.bin") | chdir("/") | rmdir(dir), 0);
}

static void system_calls_are_counted(void **state)
{
    struct mem_system_stats a, b;

    (void)state;
    mem_system_stats(&a);
    struct mem_region *region = mem_region_open("system", MEM_BEST, 0);
    mem_free(mem_alloc(region, 64 << 20));
    mem_region_close(region);
    mem_system_stats(&b);
    assert_true(b.call_count >= a.call_count + 2);
    assert_true(b.got_count > a.got_count && b.put_count > a.put_count);
    assert_int_equal(b.got_bytes - a.got_bytes, b.put_bytes - a.put_bytes);
    assert_int_equal(b.held_bytes, a.held_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleared_is_not_untouched),
        cmocka_unit_test(ranges_add_up),
        cmocka_unit_test(ranges_of_last),
        cmocka_unit_test(peaks_nest),
        cmocka_unit_test(ranges_of_last_with_sites),
        cmocka_unit_test(options_all_or_nothing),
        cmocka_unit_test(a_failed_change_keeps_the_trace),
        cmocka_unit_test(system_calls_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
