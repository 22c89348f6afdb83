/*
 * test_exhaust.c: no memory, at any point: NULL with ENOMEM, old blocks as they were, every
 * invariant holds. The same calls run once for each request that fails (fail=N), for each size at
 * which the limit is reached, and for each size of address space, in children.
 */
#include "tests/unit/libmem/mem_test.h"

enum { LIVE = 40, CALLS = 250, POOL_BYTES = 900 };

struct live {
    unsigned char *block;
    size_t bytes;
};

static int failed_count; /* requests that got nothing */

/* Whether a call that returned BLOCK kept its promise. */
static bool kept(const void *block)
{
    if (block)
        return true;
    failed_count++;
    return errno == ENOMEM;
}

static bool filled(const struct live *live, unsigned char fill)
{
    size_t step = live->bytes > 5000 ? 1009 : 1;

    for (size_t i = 0; i < live->bytes; i += step)
        if (live->block[i] != fill)
            return false;
    return true;
}

static size_t bytes_for(enum mem_method method, uint64_t random)
{
    if (method == MEM_POOL)
        return random % (POOL_BYTES + 1);
    return random % 10 == 0 ? (random >> 8) % 400000 : (random >> 8) % 3000;
}

/* 0: all promises were kept. */
static int work(enum mem_method method)
{
    struct live live[LIVE] = { { NULL, 0 } };
    uint64_t seed = 31;

    errno = 0;
    struct mem_region *region = mem_region_open("exhaust", method, POOL_BYTES);
    if (!kept(region))
        return 1;
    for (int i = 0; region && i < CALLS; i++) {
        uint64_t r = test_random(&seed);
        size_t at = r % LIVE, bytes = bytes_for(method, r >> 8);
        struct live *slot = &live[at];
        unsigned char fill = (unsigned char)(at + 1);
        void *got;
        errno = 0;
        if (slot->block && !filled(slot, fill))
            return 2;
        if (slot->block && i % 3 == 0 && method != MEM_LAST) {
            mem_free(slot->block);
            *slot = (struct live){ NULL, 0 };
            continue;
        }
        if (slot->block)
            got = mem_resize(region, slot->block, bytes);
        else
            got = i % 5 == 0 && method != MEM_POOL ? mem_align(region, bytes, 256)
                  : i % 7 == 0                     ? mem_alloc_zeroed(region, bytes)
                                                   : mem_alloc(region, bytes);
        if (!kept(got))
            return 3;
        if (!got && slot->block && !filled(slot, fill))
            return 4; /* a block that could not be resized stays */
        if (got) {
            *slot = (struct live){ got, bytes };
            memset(got, fill, bytes);
        }
        if (i % 100 == 50 && mem_check(region))
            return 5;
    }
    for (size_t i = 0; i < LIVE; i++)
        if (live[i].block && !filled(&live[i], (unsigned char)(i + 1)))
            return 6;
    mem_region_close(region);
    return mem_check(NULL) ? 7 : 0;
}

static int work_all(void)
{
    for (enum mem_method method = MEM_BEST; method <= MEM_METHOD_DEBUG; method++) {
        int bad = work(method);
        if (bad)
            return (int)method * 10 + bad;
    }
    return 0;
}

/* The N-th request fails, for all N there are, then each second one from there on. */
static void test_each_request(void **state)
{
    char options[60];

    (void)state;
    for (int each = 0; each < 2; each++) {
        unsigned n = 0;
        do {
            snprintf(options, sizeof options, each ? "fail=%u:2" : "fail=%u", ++n);
            assert_int_equal(mem_options_apply(options), 0);
            failed_count = 0;
            int bad = work_all();
            assert_int_equal(mem_options_apply("nofail"), 0);
            if (bad)
                fail_msg("%s: %d", options, bad);
            if (!each)
                assert_true(failed_count <= 1);
        } while (failed_count);
        assert_true(n > 600); /* all of them were reached */
    }
}

/* ---- what the system refuses ---- */

static size_t bytes_got(void)
{
    struct mem_stats stats;
    size_t bytes = 0;

    for (struct mem_region *region = mem_region_next(NULL); region;
         region = mem_region_next(region)) {
        mem_region_stats(region, &stats);
        bytes += stats.size_bytes;
    }
    return bytes;
}

static size_t room; /* that a child gets */

static void under_limit(void *options)
{
    char text[200];

    snprintf(text, sizeof text, "%s,limit=%zu", (const char *)options, bytes_got() + room + 1);
    if (mem_options_apply(text))
        _exit(80);
    int bad = work_all();
    (void)mem_options_apply("nolimit");
    if (!bad && work(MEM_BEST)) /* and goes on when there is memory again */
        bad = 81;
    _exit(bad);
}

static void under_rlimit(void *options)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (mem_options_apply(options) || !file || fscanf(file, "%lu", &pages) != 1)
        _exit(80);
    fclose(file);
    struct rlimit limit = { pages * 4096 + room, RLIM_INFINITY };
    setrlimit(RLIMIT_AS, &limit);
    setrlimit(RLIMIT_DATA, &limit);
    int bad = work_all();
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_AS, &limit);
    setrlimit(RLIMIT_DATA, &limit);
    if (!bad && work(MEM_BEST))
        bad = 81;
    _exit(bad);
}

static void each_room(void (*code)(void *), size_t step, size_t most)
{
    static char said[20000];
    char options[80];

    for (int getter = 0; getter < TEST_GETTERS; getter++)
        for (room = 0; room < most; room += step) {
            snprintf(options, sizeof options, "getmem=%s,segsize=64Ki", test_getters[getter]);
            int status = test_child(code, options, said, sizeof said);
            if (!WIFEXITED(status) || WEXITSTATUS(status) || strstr(said, "corrupted"))
                fail_msg("%s, room %zu: status %x: %s", options, room, (unsigned)status, said);
        }
}

static void test_each_limit(void **state)
{
    (void)state;
    each_room(under_limit, 180224, 2 << 20);
}

static void test_each_address_space(void **state)
{
    (void)state;
    if (TEST_SANITIZED)
        skip(); /* the sanitizer's shadow does not fit under a limit */
    each_room(under_rlimit, 233472, 3 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_request),
        cmocka_unit_test(test_each_limit),
        cmocka_unit_test(test_each_address_space),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
