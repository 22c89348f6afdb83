/*
 * loads.c: loads on malloc, to compare libmem with others: whatever malloc is preloaded is
 * measured.
 *
 * Usage: mem_loads LOAD [THREADS [SCALE]]. Prints one line: load, threads, processor ns a call
 * (ebizzy: records per processor second), peak KiB resident, KiB resident one second after all was
 * freed.
 * - shell: insert nodes of 24..64 bytes with strings of 8..40, assign, unset, append, free all.
 * - small: random sizes of 8..1000 bytes, 20000 live.
 * - large: blocks of 64 KiB..16 MiB, touched, freed, again and again: so often that the first
 *   touching of memory counts little, but for no more than a second.
 * - pass: each thread frees what the one before it got.
 * - ebizzy: chunks of up to 256 KiB, got beforehand as in the original; then one freed and got
 *   again, copied and searched at random.
 * - tiny: nothing at all.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, PASS_SLOTS = 1024, CHUNKS = 512, SMALL_LIVE = 20000 };

struct load {
    const char *name;
    double (*run)(unsigned thread, size_t scale); /* returns how many calls or records */
};

static unsigned thread_count = 1;
static pthread_barrier_t all_ready;
static double load_start; /* cpu_ns when the part that counts began */
static _Atomic(char *) pass_slots[THREADS_MAX][PASS_SLOTS];

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A line of /proc/self/status: rusage would count what was resident before exec, too. */
static long status_kib(const char *key)
{
    static char text[8192];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    const char *at = strstr(text, key);
    return at ? strtol(at + strlen(key), NULL, 10) : 0;
}

static void *get(size_t bytes)
{
    char *block = malloc(bytes);

    if (!block)
        abort();
    block[0] = 1;
    return block;
}

/* What was before was preparation: waits for all threads, then the time counts. */
static void load_begin(void)
{
    if (pthread_barrier_wait(&all_ready) == PTHREAD_BARRIER_SERIAL_THREAD)
        load_start = cpu_ns();
    pthread_barrier_wait(&all_ready);
}

/* ---- the loads ---- */

struct node {
    char *node, *text;
};

static double shell_load(unsigned thread, size_t scale)
{
    size_t count = 1000000 * scale / 100, calls = 0;
    uint64_t seed = 88172645463325252u + thread;
    struct node *nodes = calloc(count, sizeof *nodes);

    if (!nodes)
        abort();
    for (size_t i = 0; i < count; i++, calls += 2) {
        nodes[i].node = get(24 + next_random(&seed) % 41);
        nodes[i].text = get(8 + next_random(&seed) % 33);
    }
    for (size_t i = 0; i < count; i++, calls += 2) { /* assign */
        struct node *node = &nodes[next_random(&seed) % count];
        free(node->text);
        node->text = get(8 + next_random(&seed) % 33);
    }
    for (size_t i = 0; i < count / 2; i++, calls += 4) { /* unset and insert again */
        struct node *node = &nodes[next_random(&seed) % count];
        free(node->node);
        free(node->text);
        node->node = get(24 + next_random(&seed) % 41);
        node->text = get(8 + next_random(&seed) % 33);
    }
    for (int k = 0; k < 10; k++) { /* append */
        char *text = NULL;
        for (size_t bytes = 1; bytes < 20000; bytes++, calls++) {
            text = realloc(text, bytes);
            text[bytes - 1] = 'x';
        }
        free(text);
    }
    for (size_t i = 0; i < count; i++, calls += 2) {
        free(nodes[i].node);
        free(nodes[i].text);
    }
    free(nodes);
    return (double)calls;
}

static double small_load(unsigned thread, size_t scale)
{
    size_t count = 5000000 * scale / 100;
    uint64_t seed = 1234567 + thread;
    char **live = calloc(SMALL_LIVE, sizeof *live);

    for (size_t i = 0; live && i < count; i++) {
        char **slot = &live[next_random(&seed) % SMALL_LIVE];
        free(*slot);
        *slot = get(
            8 + (next_random(&seed) % 16 ? next_random(&seed) % 120 : next_random(&seed) % 1000));
    }
    for (size_t i = 0; live && i < SMALL_LIVE; i++)
        free(live[i]);
    free(live);
    return 2.0 * (double)count;
}

static double large_load(unsigned thread, size_t scale)
{
    size_t count = 40000 * scale / 100, done = 0;
    uint64_t seed = 424242 + thread;
    char *live[8] = { 0 };
    double end = cpu_ns() + 1e9 * thread_count;

    for (; done < count && (done % 64 || cpu_ns() < end); done++) {
        char **slot = &live[next_random(&seed) % 8];
        size_t bytes = (size_t)65536 << next_random(&seed) % 9;
        free(*slot);
        *slot = get(bytes);
        for (size_t at = 0; at < bytes; at += 4096)
            (*slot)[at] = 2;
    }
    for (int i = 0; i < 8; i++)
        free(live[i]);
    return 2.0 * (double)done;
}

static double pass_load(unsigned thread, size_t scale)
{
    size_t count = 3000000 * scale / 100;
    uint64_t seed = 77777 + thread;

    for (size_t i = 0; i < count; i++) {
        char *mine = get(16 + next_random(&seed) % 200);
        size_t slot = i % PASS_SLOTS;
        free(atomic_exchange(&pass_slots[thread][slot], mine));
        free(atomic_exchange(&pass_slots[(thread + 1) % thread_count][slot], NULL));
    }
    for (size_t i = 0; i < PASS_SLOTS; i++)
        free(atomic_exchange(&pass_slots[thread][i], NULL));
    return 2.0 * (double)count;
}

static double ebizzy_load(unsigned thread, size_t scale)
{
    uint64_t seed = 999 + thread;
    size_t count = 30000 * scale / 100, sum = 0;
    static _Thread_local char *chunks[CHUNKS];
    static _Thread_local size_t sizes[CHUNKS];

    for (size_t at = 0; at < CHUNKS; at++) {
        sizes[at] = 1024 + next_random(&seed) % (255 * 1024);
        chunks[at] = memset(get(sizes[at]), 1, sizes[at]);
    }
    load_begin();
    for (size_t i = 0; i < count; i++) {
        size_t at = next_random(&seed) % CHUNKS;
        free(chunks[at]);
        sizes[at] = 1024 + next_random(&seed) % (255 * 1024);
        chunks[at] = get(sizes[at]);
        for (size_t k = 0; k < sizes[at]; k += 1024)
            chunks[at][k] = (char)k;
        char *copy = get(sizes[at]); /* freed at once: what the original does for each record */
        memcpy(copy, chunks[at], sizes[at]);
        sum += (unsigned char)copy[next_random(&seed) % sizes[at]];
        free(copy);
    }
    for (int i = 0; i < CHUNKS; i++)
        free(chunks[i]);
    return (double)count + (sum == 1 ? 1e-9 : 0);
}

static double tiny_load(unsigned thread, size_t scale)
{
    char *text = strdup("tiny");

    free(text);
    return 1.0 + (double)thread + 0 * (double)scale;
}

static const struct load loads[] = {
    { "shell", shell_load }, { "small", small_load },   { "large", large_load },
    { "pass", pass_load },   { "ebizzy", ebizzy_load }, { "tiny", tiny_load },
};

/* ---- threads ---- */

struct work {
    const struct load *load;
    size_t scale;
    unsigned thread;
    double calls;
};

static void *work_run(void *arg)
{
    struct work *work = arg;

    work->calls = work->load->run(work->thread, work->scale);
    return NULL;
}

static double run(const struct load *load, size_t scale)
{
    pthread_t threads[THREADS_MAX];
    struct work works[THREADS_MAX];
    double calls = 0;

    for (unsigned i = 0; i < thread_count; i++)
        works[i] = (struct work){ load, scale, i, 0 };
    if (thread_count == 1)
        work_run(&works[0]);
    for (unsigned i = 0; thread_count > 1 && i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work_run, &works[i]))
            abort();
    for (unsigned i = 0; i < thread_count; i++) {
        if (thread_count > 1)
            pthread_join(threads[i], NULL);
        calls += works[i].calls;
    }
    return calls;
}

int main(int argc, char **argv)
{
    const struct load *load = NULL;

    for (size_t i = 0; argc > 1 && i < sizeof loads / sizeof loads[0]; i++)
        if (strcmp(argv[1], loads[i].name) == 0)
            load = &loads[i];
    if (argc > 2)
        thread_count = (unsigned)strtoul(argv[2], NULL, 10);
    size_t scale = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
    if (!load || !thread_count || thread_count > THREADS_MAX) {
        fprintf(stderr,
                "usage: mem_loads shell|small|large|pass|ebizzy|tiny [THREADS [PERCENT]]\n");
        return 2;
    }
    if (pthread_barrier_init(&all_ready, NULL, thread_count))
        abort();
    load_start = cpu_ns();
    double calls = run(load, scale);
    double ns = cpu_ns() - load_start;
    long peak = status_kib("VmHWM:");
    double figure = strcmp(load->name, "ebizzy") == 0 ? calls / (ns / 1e9) : ns / calls;
    if (strcmp(load->name, "tiny") != 0)
        sleep(1);
    printf("%s %u %.2f %ld %ld\n", load->name, thread_count, figure, peak, status_kib("VmRSS:"));
    return 0;
}
