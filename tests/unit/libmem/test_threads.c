/*
 * test_threads.c: a heap for each thread: contents survive, blocks freed by others come back, ended
 * threads leave their heap to the next, a fork in the middle leaves a usable heap, sites are
 * switched beside a thread at work.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/memory/site_sum.h"
#include "tests/unit/libmem/mem_test.h"

enum { THREADS = 4, SLOTS = 512 };
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 3000 };
#else
enum { ROUNDS = TEST_SANITIZED ? 20000 : 100000 };
#endif

static char said[65536];
static _Atomic(unsigned char *) shared[SLOTS];
static atomic_int failures;
static pthread_barrier_t together;

/* The first bytes of a block: its size, then its fill. */
static unsigned char *block_new(uint64_t *seed)
{
    uint32_t bytes = 8 + (uint32_t)(test_random(seed) % (test_random(seed) % 64 ? 300 : 60000));
    unsigned char *block = malloc(bytes);

    if (!block) {
        failures++;
        return NULL;
    }
    memcpy(block, &bytes, 4);
    memset(block + 4, (int)(bytes & 255), bytes - 4);
    return block;
}

static void block_end(unsigned char *block, uint64_t *seed)
{
    uint32_t bytes;

    if (!block)
        return;
    memcpy(&bytes, block, 4);
    for (uint32_t i = 4; i < bytes; i += 37)
        if (block[i] != (bytes & 255))
            failures++;
    if (test_random(seed) % 8 == 0) {
        block = realloc(block, bytes * 2);
        if (!block || (bytes > 4 && block[bytes - 1] != (bytes & 255)))
            failures++;
    }
    free(block);
}

/* Blocks go through a table that all threads share: most are freed by another thread. */
static void *exchange(void *arg)
{
    uint64_t seed = (uintptr_t)arg * 7919 + 1;

    void *volatile first = malloc(10); /* has a heap before any thread ends and leaves its own */
    free(first);
    pthread_barrier_wait(&together);
    for (int i = 0; i < ROUNDS; i++)
        block_end(atomic_exchange(&shared[test_random(&seed) % SLOTS], block_new(&seed)), &seed);
    return NULL;
}

static void run_threads(int count, void *(*code)(void *))
{
    pthread_t threads[64];

    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, code, (void *)(uintptr_t)(i + 1)))
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static int heaps(void)
{
    int count = 0;

    for (struct mem_region *region = mem_region_next(NULL); region;
         region = mem_region_next(region))
        count += strncmp(mem_region_name(region), "malloc", 6) == 0;
    return count;
}

static int do_exchange(void)
{
    uint64_t seed = 5;

    pthread_barrier_init(&together, NULL, THREADS);
    run_threads(THREADS, exchange);
    for (int i = 0; i < SLOTS; i++)
        block_end(shared[i], &seed);
    dprintf(2, "failures %d faults %zu heaps %d\n", failures, mem_check(NULL), heaps());
    return 0;
}

static void *brief(void *arg)
{
    uint64_t seed = (uintptr_t)arg;

    for (int i = 0; i < 50; i++)
        block_end(block_new(&seed), &seed);
    return NULL;
}

static int do_brief(void)
{
    for (int i = 0; i < 200; i++)
        run_threads(2, brief);
    dprintf(2, "failures %d faults %zu heaps %d\n", failures, mem_check(NULL), heaps());
    return 0;
}

static atomic_int stop;

static void *busy(void *arg)
{
    uint64_t seed = (uintptr_t)arg;

    while (!stop)
        block_end(block_new(&seed), &seed);
    return NULL;
}

static int do_fork(void)
{
    pthread_t threads[3];
    uint64_t seed = 99;
    int status = 0, bad = 0;

    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, busy, (void *)(uintptr_t)(i + 1)))
            abort();
    for (int i = 0; i < 60; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (int k = 0; k < 300; k++)
                block_end(block_new(&seed), &seed);
            _exit(failures != 0);
        }
        waitpid(pid, &status, 0);
        bad += !WIFEXITED(status) || WEXITSTATUS(status);
    }
    stop = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    dprintf(2, "failures %d faults %zu bad %d\n", failures, mem_check(NULL), bad);
    return 0;
}

enum { NODES = 300000 };
static void *nodes[NODES];

static void *nodes_get(void *arg)
{
    for (int i = 0; i < NODES; i++)
        nodes[i] = memset(malloc(24 + (size_t)i % 90), 1, 24);
    return arg;
}

static void *nodes_free(void *arg)
{
    for (int i = 0; i < NODES; i++)
        free(nodes[i]);
    return arg;
}

static void *nodes_both(void *arg)
{
    return nodes_free(nodes_get(arg));
}

static size_t spare_bytes(void)
{
    size_t spare = 0;

    for (struct mem_region *region = mem_region_next(NULL); region;
         region = mem_region_next(region))
        spare += test_spare(region);
    return spare;
}

/* A thread has ended: what it freed itself, and what others free of it, goes back; the second time
 * when some time has passed in which what was taken again is paid for. */
static int do_left(void)
{
    run_threads(1, nodes_both);
    size_t own = spare_bytes();
    run_threads(1, nodes_get);
    sleep(1);
    (void)nodes_free(NULL);
    size_t others = spare_bytes();
    dprintf(2, "own %d others %d faults %zu\n", own < 5000000, others < 5000000, mem_check(NULL));
    return 0;
}

/* What a thread does in turns with the one that switches sites; in its heap and in its region. */
static struct {
    struct mem_region *region;
    void *before[2], *during[2], *after[2];
} turns;

static void turn_get(void **blocks)
{
    blocks[0] = malloc(48);
    blocks[1] = mem_alloc(turns.region, 48);
}

static void turn_free(void **blocks)
{
    free(blocks[0]);
    mem_free(blocks[1]);
}

static void *takes_turns(void *arg)
{
    turns.region = mem_region_open("turns", MEM_BEST, 0);
    turn_get(turns.before);
    for (int i = 0; i < 2; i++)
        pthread_barrier_wait(&together); /* on */
    turn_get(turns.during);
    turn_free(turns.before);
    for (int i = 0; i < 2; i++)
        pthread_barrier_wait(&together); /* off */
    turn_get(turns.after);
    turn_free(turns.during);
    for (int i = 0; i < 2; i++)
        pthread_barrier_wait(&together); /* looked at */
    turn_free(turns.after);
    return arg;
}

/* Sites are switched while another thread is at work: it takes that up with its next request, and
 * at any moment the sites add up to the regions. */
static int do_switch(void)
{
    pthread_t thread;
    uint32_t site = mem_site_new();
    int bad = 0;

    pthread_barrier_init(&together, NULL, 2);
    if (pthread_create(&thread, NULL, takes_turns, NULL))
        abort();
    pthread_barrier_wait(&together);
    mem_sites_set(true);
    bad += !sites_add_up();
    mem_site = site;
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    mem_site = 0;
    bad += test_front() && mem_site_of(turns.during[0], NULL) != site;
    bad += mem_site_of(turns.during[1], NULL) != site;
    bad += !sites_add_up();
    mem_sites_set(false);
    bad += mem_sites_state() != MEM_SITES_FINISHING;
    bad += !sites_add_up();
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    bad += mem_sites_state() != MEM_SITES_OFF;
    bad += mem_site_of(turns.after[1], NULL) != 0;
    bad += !sites_add_up();
    pthread_barrier_wait(&together);
    pthread_join(thread, NULL);
    bad += !sites_add_up();
    dprintf(2, "bad %d faults %zu\n", bad, mem_check(NULL));
    return 0;
}

static int program(const char *what)
{
    if (strcmp(what, "switch") == 0)
        return do_switch();
    if (strcmp(what, "left") == 0)
        return do_left();
    if (strcmp(what, "exchange") == 0)
        return do_exchange();
    return strcmp(what, "brief") == 0 ? do_brief() : do_fork();
}

static void check(const char *what, const char *options, const char *want)
{
    int status = test_program(what, options, said, sizeof said);

    if (!WIFEXITED(status) || WEXITSTATUS(status) || !strstr(said, want))
        fail_msg("%s %s: status %x, '%s' not in: %s", what, options, (unsigned)status, want, said);
}

static void test_exchange(void **state)
{
    (void)state;
    check("exchange", "", test_front() ? "failures 0 faults 0 heaps 5" : "failures 0");
    check("exchange", "getmem=anon,segsize=64Ki,delay=1", "failures 0 faults 0");
    check("exchange", "giveback=fixed,delay=1", "failures 0 faults 0");
    check("exchange", "arenas=2", test_front() ? "failures 0 faults 0 heaps 3" : "failures 0");
    check("exchange", "arenas=1", test_front() ? "failures 0 faults 0 heaps 2" : "failures 0");
    check("exchange", "method=debug", "failures 0 faults 0");
    check("exchange", "trace=/dev/null", "failures 0 faults 0");
}

static void test_brief(void **state)
{
    (void)state;
    check("brief", "", "failures 0 faults 0 heaps ");
    assert_true(strtol(strstr(said, "heaps ") + 6, NULL, 10) <= 4); /* ended threads leave theirs */
}

static void test_fork(void **state)
{
    (void)state;
    check("fork", "", "failures 0 faults 0 bad 0");
    check("fork", "method=debug", "failures 0 faults 0 bad 0");
}

static void test_left(void **state)
{
    (void)state;
    if (!test_front())
        skip(); /* there is but one heap */
    check("left", "delay=100000", "own 1 others 1 faults 0");
}

static void test_switch(void **state)
{
    (void)state;
    check("switch", "", "bad 0 faults 0");
    check("switch", "method=debug", "bad 0 faults 0");
    check("switch", "trace=/dev/null", "bad 0 faults 0");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange), cmocka_unit_test(test_brief),  cmocka_unit_test(test_fork),
        cmocka_unit_test(test_left),     cmocka_unit_test(test_switch),
    };

    if (argc > 1)
        return program(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
