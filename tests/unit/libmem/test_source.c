/*
 * test_source.c: each getter delivers, gives back, and fails cleanly when the system has no more.
 */
#include "tests/unit/libmem/mem_test.h"
#include <sys/prctl.h>

static void test_each(void **state)
{
    (void)state;
    for (int g = 0; g < TEST_GETTERS; g++) {
        char options[80];
        snprintf(options, sizeof options, "getmem=%s", test_getters[g]);
        assert_int_equal(mem_options_apply(options), 0);
        for (int round = 0; round < 3; round++) {
            struct mem_region *region = mem_region_open("getter", MEM_BEST, 0);
            for (int i = 0; i < 200; i++)
                memset(mem_alloc(region, 100000), 1, 100000);
            assert_int_equal(source_used(), g);
            test_stats_match(region);
            mem_region_close(region);
        }
    }
    assert_int_equal(mem_options_apply("nogetmem"), 0);
}

static int zero_on_map_faults(const char *options)
{
    struct rusage before, after;

    assert_int_equal(mem_options_apply(options), 0);
    struct mem_region *region = mem_region_open("fault", MEM_BEST, 0);
    getrusage(RUSAGE_SELF, &before);
    assert_non_null(mem_alloc(region, 100));
    getrusage(RUSAGE_SELF, &after);
    mem_region_close(region);
    return (int)(after.ru_minflt - before.ru_minflt);
}

/* Whatever the order, what is given back to the break is used again or leaves the process. */
static void test_break_is_given_back(void **state)
{
    uint64_t random = 7;
    char *top = NULL;

    (void)state;
    assert_int_equal(mem_options_apply("getmem=break segsize=64Ki"), 0);
    for (int round = 0; round < 20; round++) {
        struct mem_region *region[8];
        if (round == 1)
            top = sbrk(0);
        for (int i = 0; i < 8; i++)
            region[i] = mem_region_open("break", MEM_BEST, 0);
        for (int i = 0; i < 3000; i++)
            assert_non_null(mem_alloc(region[test_random(&random) % 8],
                                      (size_t)(test_random(&random) % 60000)));
        for (int i = 0; i < 8; i++)
            mem_region_close(region[(i * 3 + round) % 8]);
    }
    assert_true((char *)sbrk(0) <= top + (1 << 20));
    assert_int_equal(mem_options_apply("nogetmem nosegsize"), 0);
}

/* Getting a big segment costs no more page faults than a small one, unless clearing is asked for.
 */
static void test_clear(void **state)
{
    (void)state;
    int small = zero_on_map_faults("getmem=anon segsize=64Ki clear=none");
    int big = zero_on_map_faults("segsize=64Mi");
    assert_true(big <= small + 4);
    assert_true(zero_on_map_faults("segsize=8Mi clear=first") >= 1000);
    assert_true(zero_on_map_faults("segsize=8Mi clear=all") >= 1000);
    assert_int_equal(mem_options_apply("noclear nosegsize nogetmem"), 0);
}

/* ---- exhaustion ---- */

enum { BLOCKS = 4000 };

static void limit_memory(rlim_t more)
{
    char text[200] = "";
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || !fgets(text, sizeof text, file) || sscanf(text, "%lu", &pages) != 1)
        _exit(90);
    fclose(file);
    struct rlimit limit = { pages * 4096 + more, pages * 4096 + more };
    setrlimit(RLIMIT_AS, &limit);
    setrlimit(RLIMIT_DATA, &limit);
}

/* Takes blocks of BYTES until there are none; the first and last words are used. */
static int take_all(struct mem_region *region, size_t bytes, char **block)
{
    int count = 0;

    for (; count < BLOCKS; count++) {
        errno = 0;
        block[count] = mem_alloc(region, bytes);
        if (!block[count])
            break;
        block[count][0] = block[count][bytes - 1] = (char)count;
    }
    if (count == BLOCKS || errno != ENOMEM)
        _exit(91);
    return count;
}

static void exhaust(void *options)
{
    static char *block[BLOCKS];
    struct mem_region *region = mem_region_open("full", MEM_BEST, 0);
    struct mem_region *last = mem_region_open("full last", MEM_LAST, 0);
    static const size_t sizes[] = { 20000, 500000, 8000, 3000000 };

    if (mem_options_apply(options))
        _exit(92);
    limit_memory(24u << 20); /* less than one segment of the bigger size: smaller ones are got */
    if (!mem_alloc(region, 100) || !mem_alloc(last, 100))
        _exit(93);
    /* The C library keeps what it was given back in small pieces: no big ones after that. */
    for (int round = 0; round < (source_used() == SOURCE_NATIVE ? 1 : 4); round++) {
        int count = take_all(region, sizes[round], block);
        if (count * sizes[round] < 9000000)
            _exit(94);
        errno = 0;
        char *moved = mem_resize(region, block[0], sizes[round] * 1000);
        if (moved || errno != ENOMEM || block[0][sizes[round] - 1] != 0)
            _exit(95);
        if (mem_alloc(last, 40000000) || mem_alloc_zeroed(region, 40000000) || mem_check(NULL))
            _exit(96);
        for (int i = 0; i < count; i++) {
            if (block[i][0] != (char)i)
                _exit(97);
            mem_free(block[i]);
        }
        if (!mem_alloc(region, 2000) || mem_check(NULL))
            _exit(98);
        mem_region_close(region); /* what is free in small segments is no use for big blocks */
        region = mem_region_open("full", MEM_BEST, 0);
    }
    mem_region_close(region);
    mem_region_close(last);
    _exit(mem_check(NULL) ? 99 : 0);
}

static void test_exhaustion(void **state)
{
    char options[80], said[4000];

    (void)state;
    if (TEST_SANITIZED)
        skip(); /* the sanitizer's shadow does not fit under a limit */
    for (int g = 0; g < TEST_GETTERS; g++)
        for (int s = 0; s < 2; s++) {
            snprintf(options, sizeof options, "getmem=%s segsize=%s", test_getters[g],
                     s ? "64Mi" : "64Ki");
            int status = test_child(exhaust, options, said, sizeof said);
            assert_string_equal(said, "");
            assert_true(WIFEXITED(status));
            if (WEXITSTATUS(status) != 0)
                fail_msg("%s: %d", options, WEXITSTATUS(status));
        }
}

/* No getter at all: the program still runs. */
static void nothing(void *arg)
{
    struct rlimit limit = { 0, 0 };
    struct mem_region *region = mem_region_open("nothing", MEM_BEST, 0);

    (void)arg;
    setrlimit(RLIMIT_AS, &limit);
    setrlimit(RLIMIT_DATA, &limit);
    errno = 0;
    if (!region || mem_alloc(region, 1 << 20) || errno != ENOMEM)
        _exit(1);
    _exit(0);
}

static void test_nothing(void **state)
{
    char said[2000];

    (void)state;
    if (TEST_SANITIZED)
        skip();
    int status = test_child(nothing, NULL, said, sizeof said);
    assert_string_equal(said, "");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),    cmocka_unit_test(test_break_is_given_back),
        cmocka_unit_test(test_clear),   cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_nothing),
    };

    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* page faults are counted */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
