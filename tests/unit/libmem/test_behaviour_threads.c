/*
 * test_behaviour_threads.c: what the test programs of the original vmalloc checked of threads and
 * signals, one test a behaviour (bNN, numbered as in the table of tests/README.md), in programs
 * started anew. Nothing here measures time: what is checked is content, and where blocks lie.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "tests/unit/libmem/mem_test.h"

enum { THREADS = 4, LINE_BYTES = 64 };

static char said[65536];
static atomic_int failures;
static pthread_barrier_t together;

static void run_threads(unsigned count, void *(*code)(void *))
{
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, code, (void *)(uintptr_t)(i + 1)))
            abort();
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* ---- b18: every live block keeps its pattern ---- */

struct filled {
    unsigned char *block;
    size_t bytes;
};

static bool filled_good(const struct filled *filled, unsigned char fill, size_t bytes)
{
    for (size_t i = 0; i < bytes && i < filled->bytes; i++)
        if (filled->block[i] != fill)
            return false;
    return true;
}

static void *patterns(void *arg)
{
    enum { LIVE = 300, CALLS = 60000 };
    struct filled live[LIVE] = { { NULL, 0 } };
    uint64_t seed = (uintptr_t)arg * 1234567;

    for (int i = 0; i < CALLS; i++) {
        size_t at = test_random(&seed) % LIVE, bytes = 1 + test_random(&seed) % 400;
        unsigned char fill = (unsigned char)(at + (uintptr_t)arg * 50);
        struct filled *slot = &live[at];
        if (test_random(&seed) % 100 == 0)
            bytes *= 100;
        failures += !filled_good(slot, fill, slot->bytes);
        size_t kept = slot->bytes;
        if (i % 3 == 0) {
            free(slot->block);
            slot->block = malloc(bytes);
            kept = 0;
        } else {
            slot->block = realloc(slot->block, bytes);
        }
        if (!slot->block)
            abort();
        slot->bytes = bytes;
        failures += !filled_good(slot, fill, kept);
        memset(slot->block, fill, bytes);
    }
    for (int i = 0; i < LIVE; i++)
        free(live[i].block);
    return NULL;
}

/* ---- b19: malloc and free of 512 bytes ---- */

static void *million(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000000; i++) {
        char *volatile block = malloc(512);
        if (!block)
            abort();
        block[0] = block[511] = 1;
        free(block);
    }
    return NULL;
}

/* ---- b20, b21: no two threads get parts of one line of the processor's cache ---- */

enum { SHARED = 2000 };
static _Atomic uintptr_t line_of[THREADS + 1][SHARED];
static char *handed[THREADS + 1][SHARED];

static void note_lines(size_t thread)
{
    char *blocks[SHARED];

    for (int i = 0; i < SHARED; i++) {
        blocks[i] = malloc(8);
        if (!blocks[i])
            abort();
        blocks[i][0] = (char)thread;
        line_of[thread][i] = (uintptr_t)blocks[i] / LINE_BYTES;
    }
    pthread_barrier_wait(&together); /* all of them live at once */
    for (int i = 0; i < SHARED; i++)
        failures += blocks[i][0] != (char)thread;
    pthread_barrier_wait(&together);
    for (int i = 0; i < SHARED; i++)
        free(blocks[i]);
}

static void *active_sharing(void *arg)
{
    note_lines((uintptr_t)arg);
    return NULL;
}

/* Frees what the first thread got; its own must not come from there. */
static void *passive_sharing(void *arg)
{
    size_t thread = (uintptr_t)arg;

    for (int i = 0; i < SHARED; i++) {
        failures += handed[thread][i][0] != (char)thread;
        free(handed[thread][i]);
    }
    note_lines(thread);
    return NULL;
}

static int compare(const void *one, const void *two)
{
    uintptr_t a = *(const uintptr_t *)one, b = *(const uintptr_t *)two;

    return (a > b) - (a < b);
}

/* How many lines two threads have both got blocks in. */
static int lines_shared(void)
{
    static uintptr_t all[THREADS * SHARED];
    size_t count = 0;
    int shared = 0;

    for (uintptr_t t = 1; t <= THREADS; t++) {
        uintptr_t mine[SHARED];
        size_t distinct = 0;
        for (int i = 0; i < SHARED; i++)
            mine[i] = line_of[t][i];
        qsort(mine, SHARED, sizeof mine[0], compare);
        for (int i = 0; i < SHARED; i++)
            if (i == 0 || mine[i] != mine[i - 1])
                mine[distinct++] = mine[i];
        memcpy(all + count, mine, distinct * sizeof mine[0]);
        count += distinct;
    }
    qsort(all, count, sizeof all[0], compare);
    for (size_t i = 1; i < count; i++)
        shared += all[i] == all[i - 1];
    return shared;
}

static int do_sharing(void *(*code)(void *))
{
    for (int t = 1; t <= THREADS; t++)
        for (int i = 0; i < SHARED; i++) {
            handed[t][i] = malloc(8);
            handed[t][i][0] = (char)t;
        }
    pthread_barrier_init(&together, NULL, THREADS);
    run_threads(THREADS, code);
    return lines_shared();
}

/* ---- b22: short-lived threads fill a table that all share ---- */

enum { TABLE = 400 };
static _Atomic(char *) table[TABLE];

static void *brief(void *arg)
{
    uint64_t seed = (uintptr_t)arg * 99;

    for (int i = 0; i < 20; i++) {
        char *mine = malloc(40), *old;
        if (!mine)
            abort();
        size_t at = test_random(&seed) % TABLE;
        snprintf(mine, 40, "slot %zu", at);
        old = atomic_exchange(&table[at], mine);
        if (old)
            failures += strtoul(old + 5, NULL, 10) != at;
        free(old);
    }
    return NULL;
}

static int do_brief(void)
{
    for (int i = 0; i < 150; i++)
        run_threads(THREADS, brief);
    for (size_t i = 0; i < TABLE; i++) {
        char *old = table[i];
        if (old)
            failures += strtoul(old + 5, NULL, 10) != i;
        free(old);
    }
    return 0;
}

/* ---- b24: handlers that jump out of the middle of a call ---- */

static sigjmp_buf jump;
static volatile sig_atomic_t jumps, in_calls;

static void on_hangup(int number)
{
    char *block = malloc(100); /* a handler may allocate, too */

    (void)number;
    free(block);
    jumps++;
    if (in_calls)
        siglongjmp(jump, 1);
}

static long cpu_ms(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/* Allocates and frees for good while a child sends SIGHUP again and again; what a jump leaves
 * behind are blocks nobody knows, so the heap must be whole at the end but not empty. */
static void storm(struct mem_region *region, struct mem_region *last, long ms)
{
    static char *volatile blocks[64];
    static volatile uint64_t seed = 24;
    long end = cpu_ms() + ms;

    (void)sigsetjmp(jump, 1);
    in_calls = 1;
    while (cpu_ms() < end || jumps <= 100) {
        uint64_t next = seed;
        size_t at = test_random(&next) % 64, bytes = (next >> 20) % (next % 16 ? 600 : 90000);
        seed = next;
        char *old = blocks[at];
        blocks[at] = NULL;
        mem_free(old);
        if (mem_alloc(last, bytes / 8) && at == 0)
            mem_region_reset(last, (struct mem_mark){ 0 });
        blocks[at] = mem_alloc(at % 2 ? region : mem_region_malloc(), bytes);
        char *more = realloc(malloc(bytes), bytes * 2);
        free(more);
    }
    in_calls = 0;
}

static int do_signals(void)
{
    struct mem_region *region = mem_region_open("b24", MEM_BEST, 0);
    struct mem_region *last = mem_region_open("b24 last", MEM_LAST, 0);
    struct sigaction action = { .sa_handler = on_hangup };
    pid_t parent = getpid();

    mem_signals_hold(true);
    sigaction(SIGHUP, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (kill(parent, SIGHUP) == 0)
            usleep(10); /* handlers in handlers would fill the stack */
        _exit(0);
    }
    storm(region, last, 400);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    signal(SIGHUP, SIG_IGN);
    mem_signals_hold(false);
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    bool usable = mem_alloc(region, 100) && mem_alloc(region, 1000000) && malloc(3000);
    dprintf(2, "%s, signal %s, %s\n", jumps > 100 ? "many jumps" : "few jumps",
            sigismember(&blocked, SIGHUP) ? "blocked" : "free", usable ? "usable" : "stuck");
    return 0;
}

/* ---- tests ---- */

static int program(const char *what)
{
    if (strcmp(what, "b18") == 0)
        run_threads(THREADS, patterns);
    else if (strcmp(what, "b19") == 0)
        run_threads(THREADS, million);
    else if (strcmp(what, "b20") == 0)
        failures += do_sharing(passive_sharing);
    else if (strcmp(what, "b21") == 0)
        failures += do_sharing(active_sharing);
    else if (strcmp(what, "b22") == 0)
        do_brief();
    else
        do_signals();
    dprintf(2, "failures %d faults %zu\n", failures, mem_check(NULL));
    return 0;
}

static void check(const char *what, const char *options)
{
    int status = test_program(what, options, said, sizeof said);

    if (!WIFEXITED(status) || WEXITSTATUS(status) || !strstr(said, "failures 0 faults 0\n"))
        fail_msg("%s %s: status %x: %s", what, options, (unsigned)status, said);
}

static void check_all(const char *what)
{
    if (!test_front())
        skip(); /* malloc, and with it the heaps of threads, is another one */
    check(what, "");
    check(what, "getmem=anon,segsize=64Ki");
    check(what, "arenas=1");
}

static void b18_patterns_in_threads(void **state)
{
    (void)state;
    check_all("b18");
    check("b18", "method=debug");
}

static void b19_a_million_of_512(void **state)
{
    (void)state;
    check_all("b19");
}

static void b20_passive_false_sharing(void **state)
{
    (void)state;
    if (!test_front())
        skip();
    check("b20", "");
}

static void b21_active_false_sharing(void **state)
{
    (void)state;
    if (!test_front())
        skip();
    check("b21", "");
}

static void b22_short_lived_threads(void **state)
{
    (void)state;
    check_all("b22");
}

static void b24_signal_storm(void **state)
{
    static const char *const options[] = { "", "method=debug", "getmem=break,segsize=64Ki" };

    (void)state;
    if (!test_front())
        skip();
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        check("b24", options[i]);
        if (!strstr(said, "many jumps, signal free, usable\n"))
            fail_msg("%s: %s", options[i], said);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b18_patterns_in_threads),   cmocka_unit_test(b19_a_million_of_512),
        cmocka_unit_test(b20_passive_false_sharing), cmocka_unit_test(b21_active_false_sharing),
        cmocka_unit_test(b22_short_lived_threads),   cmocka_unit_test(b24_signal_storm),
    };

    if (argc > 1)
        return program(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
