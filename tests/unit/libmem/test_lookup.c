/*
 * test_lookup.c: the owner of an address is found in O(1): with 100,000 segments a call takes
 * exactly as many instructions as with one. They are counted by stepping a child through the call,
 * so no clock is asked.
 */
#include <signal.h>
#include <sys/ptrace.h>

#include "tests/unit/libmem/mem_test.h"

enum {
    SEGMENTS = 100000,
    BLOCK = 2 * 4096 + 1, /* each gets a segment of its own */
    COUNTERS = 4,         /* instructions: whether a call sets a new peak */
};

static void *blocks[SEGMENTS];
static struct mem_region *region;
static size_t at; /* the block that the calls below are about */

static void find_owner(void)
{
    if (mem_region_of((char *)blocks[at] + 100) != region)
        abort();
}

static void ask_size(void)
{
    if (mem_block_bytes(blocks[at]) < BLOCK)
        abort();
}

static void small_pair(void)
{
    mem_free(mem_alloc(region, 40));
}

static void small_sized_pair(void)
{
    mem_free_sized(region, mem_alloc(region, 40), 40);
}

static void small_resize(void)
{
    void *block = mem_alloc(region, 40);

    mem_free(mem_resize(region, block, 200));
}

static void pages_free(void)
{
    mem_free(blocks[at]);
}

static void malloc_pair(void)
{
    void *volatile block = malloc(40);

    free(block);
}

static const struct {
    const char *name;
    void (*call)(void);
    long more; /* instructions that may be added */
} calls[] = {
    { "mem_region_of", find_owner, 0 },
    { "mem_block_bytes", ask_size, 0 },
    { "mem_alloc and mem_free", small_pair, COUNTERS },
    { "mem_alloc and mem_free_sized", small_sized_pair, COUNTERS },
    { "mem_resize", small_resize, COUNTERS },
    { "malloc and free", malloc_pair, COUNTERS },
    { "mem_free of whole pages", pages_free, 60 }, /* its bin's list has others in it, or not */
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* How many instructions a child runs from before CALL until after it; -1: cannot be traced. */
static long instructions(void (*call)(void))
{
    int status = 0;
    long count = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(9);
        raise(SIGSTOP);
        call();
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status))
        return -1;
    do {
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
            break;
        waitpid(pid, &status, 0);
        count++;
    } while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && count < 1000000);
    bool ended = WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return ended ? count : -1;
}

static size_t segments(void)
{
    struct mem_stats stats;

    mem_region_stats(region, &stats);
    return stats.segment_count;
}

static void fill(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        blocks[i] = mem_alloc(region, BLOCK);
        assert_non_null(blocks[i]);
    }
}

static void test_100000_segments(void **state)
{
    long before[CALLS];

    (void)state;
    if (TEST_SANITIZED)
        skip(); /* counts the sanitizer's own work */
    assert_int_equal(mem_options_apply("segsize=4Ki,getmem=anon,huge=off,giveback=none"), 0);
    region = mem_region_open("lookup", MEM_BEST, 0);
    fill(0, 4);
    mem_free(mem_alloc(region, 40));
    mem_free(mem_alloc(region, 200));
    for (int i = 0; i < CALLS; i++) {
        calls[i].call == pages_free ? (void)0 : calls[i].call(); /* binds what is bound lazily */
        before[i] = instructions(calls[i].call);
        if (before[i] < 0)
            skip(); /* no tracing here */
    }
    fill(4, SEGMENTS);
    assert_true(segments() >= SEGMENTS);
    static const size_t places[] = { 0, 77777, SEGMENTS / 2, SEGMENTS - 1 };
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        at = places[p];
        for (int i = 0; i < CALLS; i++) {
            long now = instructions(calls[i].call);
            if (now < 0 || labs(now - before[i]) > calls[i].more)
                fail_msg("%s: %ld instructions with 4 segments, %ld with %zu", calls[i].name,
                         before[i], now, segments());
        }
    }
    for (size_t i = 0; i < SEGMENTS; i++)
        assert_ptr_equal(mem_region_of(blocks[i]), region);
    assert_int_equal(mem_check(region), 0);
    for (size_t i = 0; i < SEGMENTS; i++)
        mem_free(blocks[i]);
    test_stats_match(region);
    mem_region_close(region);
    assert_int_equal(mem_options_apply("nosegsize,nogetmem,nohuge,giveback=auto"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_100000_segments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
