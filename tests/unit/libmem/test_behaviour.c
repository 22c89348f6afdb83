/*
 * test_behaviour.c: what the test programs of the original vmalloc checked, one test a behaviour
 * (bNN, numbered as in the table of tests/README.md); those of threads and signals are in
 * test_behaviour_threads.c. Regions shared between processes do not exist here.
 */
#include <malloc.h>
#include <stdalign.h>

#include "tests/unit/libmem/mem_test.h"
#include "tests/unit/libmem/recorded.h"

static const enum mem_method any_size[] = { MEM_BEST, MEM_LAST, MEM_METHOD_DEBUG };
enum { ANY_SIZE = sizeof any_size / sizeof any_size[0] };

static char said[65536];

static struct mem_stats stats_of(struct mem_region *region)
{
    struct mem_stats stats;

    mem_region_stats(region, &stats);
    return stats;
}

static void check_filled(const unsigned char *block, size_t bytes, unsigned char fill)
{
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != fill)
            fail_msg("byte %zu of %zu is %d, not %d", i, bytes, block[i], fill);
}

/* ---- alignment ---- */

static void align_any(struct mem_region *region)
{
    static const size_t aligns[] = { 1, 2, 3, 13, 24, 48, 100, 208, 1000, 4095, 4097, 12288 };

    for (size_t i = 0; i < sizeof aligns / sizeof aligns[0]; i++) {
        unsigned char *blocks[20];
        for (int k = 0; k < 20; k++) {
            size_t bytes = 10 + (size_t)k * 700;
            blocks[k] = mem_align(region, bytes, aligns[i]);
            assert_non_null(blocks[k]);
            assert_int_equal((uintptr_t)blocks[k] % aligns[i], 0);
            assert_int_equal((uintptr_t)blocks[k] % MEM_ALIGN, 0);
            assert_true(mem_block_bytes(blocks[k]) >= bytes);
            memset(blocks[k], k, bytes);
        }
        for (int k = 20; k-- > 0;) {
            check_filled(blocks[k], 10 + (size_t)k * 700, (unsigned char)k);
            mem_free(blocks[k]);
        }
        assert_int_equal(mem_check(region), 0);
    }
}

static void b01_align_13(void **state)
{
    (void)state;
    for (int m = 0; m < ANY_SIZE; m++) {
        struct mem_region *region = mem_region_open("b01", any_size[m], 0);
        for (int getter = 0; getter < TEST_GETTERS; getter++) {
            char options[80];
            snprintf(options, sizeof options, "getmem=%s", test_getters[getter]);
            assert_int_equal(mem_options_apply(options), 0);
            align_any(region);
        }
        errno = 0;
        assert_null(mem_align(region, 10, SIZE_MAX));
        assert_int_equal(errno, ENOMEM);
        assert_null(mem_align(region, 10, (size_t)1 << 40));
        assert_null(mem_align(region, 10, 0));
        assert_int_equal(errno, EINVAL);
        mem_region_close(region);
    }
    assert_int_equal(mem_options_apply("nogetmem"), 0);
    align_any(mem_region_malloc());
    struct mem_region *pool = mem_region_open("b01", MEM_POOL, 208);
    assert_null(mem_align(pool, 10, 13)); /* where one block lies says nothing of the next */
    assert_int_equal(errno, EINVAL);
    mem_region_close(pool);
}

static void b02_align_pages(void **state)
{
    (void)state;
    for (int m = 0; m < ANY_SIZE; m++) {
        struct mem_region *region = mem_region_open("b02", any_size[m], 0);
        unsigned char *odd[10], *blocks[10];
        for (int i = 0; i < 10; i++) {
            odd[i] = memset(mem_alloc(region, 2 * (size_t)i + 1), i, 2 * (size_t)i + 1);
            blocks[i] = mem_align(region, 64, 4096);
            assert_int_equal((uintptr_t)blocks[i] % 4096, 0);
            memset(blocks[i], 100 + i, 64);
        }
        for (int i = 10; i-- > 0;) {
            check_filled(blocks[i], 64, (unsigned char)(100 + i));
            check_filled(odd[i], 2 * (size_t)i + 1, (unsigned char)i);
            mem_free(blocks[i]);
            mem_free(odd[i]);
        }
        if (any_size[m] != MEM_LAST) /* the filler before an aligned block hides the one before */
            assert_int_equal(stats_of(region).busy_count, 0);
        assert_int_equal(mem_check(region), 0);
        mem_region_close(region);
    }
}

static void b03_any_type(void **state)
{
    (void)state;
    for (enum mem_method method = MEM_BEST; method <= MEM_METHOD_DEBUG; method++) {
        struct mem_region *region = mem_region_open("b03", method, 200);
        for (size_t bytes = 0; bytes <= 200; bytes++)
            assert_int_equal((uintptr_t)mem_alloc(region, bytes) % alignof(max_align_t), 0);
        mem_region_close(region);
    }
}

static void b08_posix_memalign(void **state)
{
    void *block = &block;

    (void)state;
    if (!test_front())
        skip();
    assert_int_equal(posix_memalign(&block, 3, 64), EINVAL);
    assert_int_equal(posix_memalign(&block, 3 * sizeof(void *), 64), EINVAL);
    assert_ptr_equal(block, &block);
    assert_int_equal(posix_memalign(&block, 16 * sizeof(void *), 64), 0);
    assert_int_equal((uintptr_t)block % (16 * sizeof(void *)), 0);
    free(block);
}

/* ---- allocation, free and resize ---- */

static void b04_reuse_and_shrink(void **state)
{
    (void)state;
    for (enum mem_method method = MEM_BEST; method <= MEM_METHOD_DEBUG; method++) {
        struct mem_region *region = mem_region_open("b04", method, 100);
        void *blocks[10];
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 10; i++)
                assert_non_null(blocks[i] = mem_alloc(region, 20));
            for (int i = 10; i-- > 0;)
                mem_free(blocks[i]);
        }
        assert_int_equal(stats_of(region).busy_count, 0);
        unsigned char *block = memset(mem_alloc(region, 100), 7, 100);
        unsigned char *shrunk = mem_resize(region, block, 90);
        if (method != MEM_BEST) /* there it is of the class of its size: see mem_free_sized */
            assert_ptr_equal(shrunk, block);
        check_filled(shrunk, 90, 7);
        mem_region_close(region);
    }
    unsigned char *block = malloc(100);
    if (mem_region_of(block)) {
        unsigned char *shrunk = realloc(block, 90);
        assert_ptr_equal(shrunk, block);
        block = shrunk;
    }
    free(block);
}

static void b05_last_newest_only(void **state)
{
    struct mem_region *region = mem_region_open("b05", MEM_LAST, 0);
    char *first = mem_alloc(region, 64), *second = mem_alloc(region, 64);

    (void)state;
    mem_free(first);
    assert_int_equal(stats_of(region).busy_count, 2);
    assert_ptr_equal(mem_resize(region, second, 640), second);
    assert_true(mem_resize_in_place(second, 6400));
    assert_false(mem_resize_in_place(first, 640));
    mem_free(second);
    mem_free(first);
    assert_int_equal(stats_of(region).busy_count, 0);
    mem_region_close(region);
}

static void b06_pool_one_size(void **state)
{
    struct mem_region *region = mem_region_open("b06", MEM_POOL, 0);
    void *blocks[100];

    (void)state;
    for (int i = 0; i < 100; i++)
        blocks[i] = mem_alloc(region, 32);
    errno = 0;
    assert_null(mem_resize(region, blocks[3], 64));
    assert_int_equal(errno, EINVAL);
    assert_null(mem_alloc(region, 64));
    mem_free(blocks[3]);
    mem_free(blocks[50]);
    void *one = mem_alloc(region, 32), *two = mem_alloc(region, 32);
    assert_true((one == blocks[3] && two == blocks[50]) || (one == blocks[50] && two == blocks[3]));
    mem_region_close(region);
}

static void b07_owner(void **state)
{
    struct mem_region *region = mem_region_open("b07", MEM_BEST, 0);
    void *own = mem_alloc(region, 100), *heaps = mem_alloc(mem_region_malloc(), 100);

    (void)state;
    assert_ptr_equal(mem_region_of(own), region);
    assert_ptr_equal(mem_region_of(heaps), mem_region_malloc());
    assert_null(mem_region_of(&own));
    mem_free(heaps);
    mem_region_close(region);
}

static void b09_resize_and_back(void **state)
{
    static const size_t steps[][3] = { { 32, 60, 32 },
                                       { 16, 80, 16 },
                                       { 32, 120, 32 },
                                       { 9000, 30000, 9000 },
                                       { 50000, 99000, 50000 } };

    (void)state;
    for (int m = 0; m < ANY_SIZE; m++) {
        struct mem_region *region = mem_region_open("b09", any_size[m], 0);
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            unsigned char *block = memset(mem_alloc(region, steps[s][0]), 5, steps[s][0]);
            void *beside = mem_alloc(region, steps[s][1]);
            mem_free(beside);
            unsigned char *grown = mem_resize(region, block, steps[s][1]);
            check_filled(grown, steps[s][0], 5);
            if (steps[s][0] > MEM_CLASS_MAX && any_size[m] == MEM_BEST)
                assert_ptr_equal(grown, block); /* into the neighbour that was freed */
            memset(grown, 6, steps[s][1]);
            block = mem_resize(region, grown, steps[s][2]);
            check_filled(block, steps[s][2], 6);
            assert_int_equal(mem_check(region), 0);
            mem_free(block);
        }
        mem_region_close(region);
    }
}

static void b10_stats_of_one_block(void **state)
{
    (void)state;
    for (enum mem_method method = MEM_BEST; method <= MEM_METHOD_DEBUG; method++) {
        struct mem_region *region = mem_region_open("b10", method, method == MEM_POOL ? 13 : 0);
        void *block = mem_alloc(region, 13);
        struct mem_stats stats = stats_of(region);
        assert_int_equal(stats.busy_count, 1);
        assert_true(stats.busy_bytes >= 13 && stats.busy_bytes <= 13 + 32);
        if (method == MEM_POOL)
            assert_int_equal(stats.busy_bytes, 16);
        mem_free(block);
        stats = stats_of(region);
        assert_int_equal(stats.busy_count, 0);
        assert_int_equal(stats.busy_bytes, 0);
        mem_region_close(region);
    }
}

/* ---- wrong use, in a started program ---- */

static int wrong_calls(struct mem_region *region)
{
    volatile char *block = mem_alloc(region, 256);

    mem_free((void *)1);
    if (mem_resize(region, (void *)3, 10))
        return 1;
    block[-3] = 1;
    mem_free((char *)block);
    block = mem_alloc(region, 256);
    block[256 + 7] = 1;
    mem_free((char *)block);
    char *again = mem_alloc(region, 256);
    mem_free(again);
    mem_free(again);
    return mem_resize(region, again, 300) != NULL;
}

static int wrong_mallocs(void)
{
    void *(*volatile get)(size_t) = malloc; /* out of the compiler's sight */
    void *(*volatile resize)(void *, size_t) = realloc;
    void (*volatile release)(void *) = free;
    volatile char *block = get(256);

    release((void *)1);
    if (resize((void *)3, 10))
        return 1;
    block[-3] = 1;
    release((char *)block);
    block = get(256);
    block[256 + 7] = 1;
    release((char *)block);
    char *again = get(256);
    release(again);
    release(again);
    return resize(again, 300) != NULL;
}

static int check_after_small_free(struct mem_region *region)
{
    mem_free(mem_alloc(region, 3));
    return mem_check(region) != 0;
}

static void run(const char *what, const char *options)
{
    int status = test_program(what, options, said, sizeof said);

    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s %s: status %x: %s", what, options, (unsigned)status, said);
}

static void assert_said_in_order(const char *const *parts, size_t count)
{
    const char *at = said;

    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(at, parts[i]);
        if (!found)
            fail_msg("'%s' not in: %s", parts[i], at);
        at = found + 1;
    }
}

static const char *const wrong_lines[] = {
    "free error",     "outside region:",          "resize error",   "outside region:",
    "corrupted data", "bad byte at=-3:",          "corrupted data", "bad byte at=263:",
    "free error",     "not currently allocated:", "resize error",   "not currently allocated:",
};

static void b11_debug_wrong_use(void **state)
{
    (void)state;
    run("wrong", "method=debug");
    assert_said_in_order(wrong_lines, sizeof wrong_lines / sizeof wrong_lines[0]);
}

static void b12_malloc_wrong_use(void **state)
{
    (void)state;
    if (!test_front())
        skip();
    run("malloc", "method=debug,period=1,start=1");
    assert_said_in_order(wrong_lines, sizeof wrong_lines / sizeof wrong_lines[0]);
}

static void b13_check_after_small_free(void **state)
{
    (void)state;
    run("check", "");
    run("check", "method=debug");
    assert_string_equal(said, "");
}

/* ---- segments ---- */

struct segments {
    size_t count, bytes;
    const char *base[64];
};

static int count_segment(void *arg, void *base, size_t bytes)
{
    struct segments *segments = arg;

    if (segments->count < 64)
        segments->base[segments->count] = base;
    segments->count++;
    segments->bytes += bytes;
    return 0;
}

/* The system gives no more than four pieces of 1 MiB that are no neighbours of each other. */
static int four_pieces(struct mem_region *region)
{
    enum { PIECE = 1 << 20, PART = 60000, MOST = 200 };
    static char *blocks[MOST];
    struct segments segments = { 0 };
    int count = 0;
    size_t used = 0;

    for (struct mem_region *each = mem_region_next(NULL); each; each = mem_region_next(each))
        used += stats_of(each).size_bytes;
    char limit[80];
    snprintf(limit, sizeof limit, "segsize=1Mi,getmem=anon,huge=off,limit=%zu",
             used + 4 * (size_t)PIECE);
    if (mem_options_apply(limit))
        return 1;
    for (; count < MOST && (blocks[count] = mem_alloc(region, PART)); count++)
        memset(blocks[count], count, PART);
    if (errno != ENOMEM || count < 4 * (PIECE / PART) - 4 || count == MOST)
        return 2;
    mem_region_walk_segments(region, count_segment, &segments);
    if (segments.count != 4 || segments.bytes != 4 * PIECE || mem_check(NULL))
        return 3;
    if (mem_alloc(region, PIECE - 4096)) /* nowhere is so much together */
        return 4;
    for (int i = 0; i < count; i++) {
        if (blocks[i][0] != (char)i || blocks[i][PART - 1] != (char)i)
            return 5;
        mem_free(blocks[i]);
    }
    for (int i = 0; i < 4; i++) /* in each piece all neighbours are free again */
        if (!(blocks[i] = mem_alloc(region, PIECE)) || (uintptr_t)blocks[i] % MEM_PAGE)
            return 6;
    return mem_alloc(region, PIECE) || errno != ENOMEM || mem_check(NULL);
}

static void b14_four_pieces(void **state)
{
    (void)state;
    run("pieces", "");
}

static void b15_segment_walk(void **state)
{
    (void)state;
    for (int getter = 0; getter < TEST_GETTERS; getter++) {
        char options[80];
        snprintf(options, sizeof options, "segsize=1Mi,getmem=%s", test_getters[getter]);
        assert_int_equal(mem_options_apply(options), 0);
        struct mem_region *region = mem_region_open("b15", MEM_BEST, 0);
        struct segments segments = { 0 };
        mem_region_walk_segments(region, count_segment, &segments);
        assert_int_equal(segments.count, 0); /* a region without blocks has no memory */
        for (int i = 0; i < 8; i++)
            assert_non_null(mem_alloc(region, 900000));
        mem_region_walk_segments(region, count_segment, &segments);
        struct mem_stats stats = stats_of(region);
        assert_int_equal(segments.count, stats.segment_count);
        assert_int_equal(segments.bytes, stats.size_bytes);
        assert_true(segments.bytes >= 8 * 900000 && segments.bytes < 12u << 20);
        for (size_t i = 0; i < segments.count; i++)
            assert_ptr_equal(mem_region_of(segments.base[i]), region);
        mem_region_close(region);
    }
    assert_int_equal(mem_options_apply("nosegsize,nogetmem"), 0);
}

/* ---- long sequences ---- */

enum { LIVE = 4096, CALLS = 500000 };

struct live {
    unsigned char *block;
    size_t bytes;
};

static size_t mixed_bytes(uint64_t *seed)
{
    uint64_t r = test_random(seed);

    if (r % 1000 == 0)
        return 100000 + (r >> 20) % 400000;
    return r % 20 == 1 ? 1000 + (r >> 20) % 20000 : 1 + (r >> 20) % 200;
}

static void set_ends(struct live *live, size_t bytes, unsigned char fill)
{
    assert_non_null(live->block);
    live->bytes = bytes;
    live->block[0] = live->block[bytes - 1] = fill;
}

static void random_calls(struct mem_region *region)
{
    static struct live live[LIVE];
    struct live growing = { mem_alloc(region, 1), 1 };
    uint64_t seed = 16;

    memset(live, 0, sizeof live);
    growing.block[0] = 'g';
    for (int i = 0; i < CALLS; i++) {
        size_t at = test_random(&seed) % LIVE, bytes = mixed_bytes(&seed);
        struct live *slot = &live[at];
        if (slot->block)
            assert_true(slot->block[0] == (unsigned char)at &&
                        slot->block[slot->bytes - 1] == (unsigned char)at);
        if (!slot->block) {
            slot->block = mem_alloc(region, bytes);
            set_ends(slot, bytes, (unsigned char)at);
        } else if (i % 2) {
            slot->block = mem_resize(region, slot->block, bytes);
            assert_int_equal(slot->block[0], (unsigned char)at);
            set_ends(slot, bytes, (unsigned char)at);
        } else {
            mem_free(slot->block);
            slot->block = NULL;
        }
        if (i % 50 == 0) {
            growing.block = mem_resize(region, growing.block, growing.bytes + 100);
            assert_int_equal(growing.block[growing.bytes - 1], 'g');
            set_ends(&growing, growing.bytes + 100, 'g');
        }
        if (i % 50000 == 0)
            assert_int_equal(mem_check(region), 0);
    }
    assert_int_equal(mem_check(region), 0);
    for (int i = 0; i < LIVE; i++)
        mem_free(live[i].block);
    mem_free(growing.block);
    assert_int_equal(stats_of(region).busy_count, 0);
    assert_int_equal(stats_of(region).busy_bytes, 0);
    assert_int_equal(mem_check(NULL), 0);
}

static void b16_500000_calls(void **state)
{
    (void)state;
    for (int debug = 0; debug < 2; debug++) {
        struct mem_region *region = mem_region_open("b16", debug ? MEM_METHOD_DEBUG : MEM_BEST, 0);
        random_calls(region);
        mem_region_close(region);
    }
}

/* The calls of memksh, in a region of the method last and in the heap, with blocks of 30 MB. */
static void b17_recorded_calls(void **state)
{
    enum { BIG = 30000000, ROUNDS = 20 };
    static struct live live[RECORDED_SLOTS];
    struct mem_region *last = mem_region_open("b17 last", MEM_LAST, 0);
    struct mem_region *heap = mem_region_malloc();

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        char *big[3] = { NULL };
        for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
            struct live *slot = &live[recorded[i].slot];
            struct mem_region *region = recorded[i].last ? last : heap;
            size_t bytes = recorded[i].bytes;
            unsigned char fill = (unsigned char)recorded[i].slot;
            if (slot->block)
                assert_true(slot->block[0] == fill && slot->block[slot->bytes - 1] == fill);
            if (slot->block && (!bytes || mem_region_of(slot->block) != region)) {
                mem_free(slot->block);
                slot->block = NULL;
            }
            if (bytes) {
                slot->block = mem_resize(region, slot->block, bytes);
                set_ends(slot, bytes, fill);
            }
            if (i % 100 == 50) {
                char **at = &big[i / 100 % 3];
                mem_free(*at);
                *at = mem_alloc(i % 200 == 50 ? last : heap, BIG);
                assert_non_null(*at);
                (*at)[0] = (*at)[BIG - 1] = 1;
            }
        }
        for (int i = 3; i-- > 0;)
            mem_free(big[i]);
        assert_int_equal(mem_check(NULL), 0);
        for (int i = 0; i < RECORDED_SLOTS; i++) {
            if (round == ROUNDS - 1 || mem_region_of(live[i].block) == last)
                mem_free(mem_region_of(live[i].block) == last ? NULL : live[i].block);
            if (round == ROUNDS - 1 || mem_region_of(live[i].block) == last)
                live[i].block = NULL;
        }
        mem_region_reset(last, (struct mem_mark){ 0 });
        assert_int_equal(stats_of(last).busy_count, 0);
    }
    mem_region_close(last);
}

/* Small blocks that live long between large ones that do not: what was got from the system stays
 * near what was in use. */
static void b23_extent_near_peak(void **state)
{
    enum { LONG = 20000, SHORT = 16 };
    static char *kept[LONG];
    struct mem_region *region = mem_region_open("b23", MEM_BEST, 0);
    char *brief[SHORT] = { NULL };
    uint64_t seed = 23;

    (void)state;
    assert_int_equal(mem_options_apply("segsize=64Ki"), 0);
    for (int i = 0; i < 200000; i++) {
        int at = (int)(test_random(&seed) % LONG);
        if (i % 10 == 0) {
            int slot = (int)(test_random(&seed) % SHORT);
            mem_free(brief[slot]);
            assert_non_null(brief[slot] = mem_alloc(region, 10000 + test_random(&seed) % 200000));
        }
        if (!kept[at])
            assert_non_null(kept[at] = mem_alloc(region, 8 + test_random(&seed) % 120));
    }
    struct mem_stats stats = stats_of(region);
    if (stats.size_bytes > stats.peak_bytes + stats.peak_bytes / 2)
        fail_msg("%zu got for a peak of %zu", stats.size_bytes, stats.peak_bytes);
    test_stats_match(region);
    mem_region_close(region);
    assert_int_equal(mem_options_apply("nosegsize"), 0);
}

/* strdup, and blocks of one region that are freed while others are at work. */
static void b28_strdup_and_cross_free(void **state)
{
    struct mem_region *one = mem_region_open("b28 one", MEM_BEST, 0);
    struct mem_region *two = mem_region_open("b28 two", MEM_METHOD_DEBUG, 0);
    char *texts[100];

    (void)state;
    for (int i = 0; i < 100; i++) {
        char text[40];
        snprintf(text, sizeof text, "text %d", i);
        texts[i] = memcpy(mem_alloc(i % 2 ? one : two, sizeof text), text, sizeof text);
        char *copy = strdup(text);
        assert_string_equal(copy, texts[i]);
        free(copy);
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(strtol(texts[i] + 5, NULL, 10), i);
        mem_free(texts[i]); /* into whichever region it came from */
    }
    assert_int_equal(stats_of(one).busy_count + stats_of(two).busy_count, 0);
    assert_int_equal(mem_check(NULL), 0);
    mem_region_close(two);
    mem_region_close(one);
}

static int program(const char *what)
{
    struct mem_region *region = mem_region_open("work", MEM_BEST, 0);

    if (strcmp(what, "malloc") == 0)
        return wrong_mallocs();
    if (strcmp(what, "pieces") == 0)
        return four_pieces(region);
    return strcmp(what, "check") == 0 ? check_after_small_free(region) : wrong_calls(region);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b01_align_13),
        cmocka_unit_test(b02_align_pages),
        cmocka_unit_test(b03_any_type),
        cmocka_unit_test(b04_reuse_and_shrink),
        cmocka_unit_test(b05_last_newest_only),
        cmocka_unit_test(b06_pool_one_size),
        cmocka_unit_test(b07_owner),
        cmocka_unit_test(b08_posix_memalign),
        cmocka_unit_test(b09_resize_and_back),
        cmocka_unit_test(b10_stats_of_one_block),
        cmocka_unit_test(b11_debug_wrong_use),
        cmocka_unit_test(b12_malloc_wrong_use),
        cmocka_unit_test(b13_check_after_small_free),
        cmocka_unit_test(b14_four_pieces),
        cmocka_unit_test(b15_segment_walk),
        cmocka_unit_test(b16_500000_calls),
        cmocka_unit_test(b17_recorded_calls),
        cmocka_unit_test(b23_extent_near_peak),
        cmocka_unit_test(b28_strdup_and_cross_free),
    };

    if (argc > 1)
        return program(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
