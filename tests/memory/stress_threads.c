/*
 * stress_threads.c: four threads at work on the malloc front at once, for ThreadSanitizer.
 *
 * Usage: stress_threads [ROUNDS]. Threads allocate, grow, align and zero blocks of all sizes, pass
 * them to each other through a table, free what others got, end and begin anew, fork, and read the
 * statistics, while the main thread changes options, also those that watch each call. When no
 * thread runs, what sites have adds up to what the regions hold. The front has other names here
 * (front_names.h), so that the sanitizer's own malloc stays. Exits 1 when a block lost its content
 * or the heap is damaged.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libmem.h"
#include "tests/memory/site_sum.h"

enum { THREADS = 4, TABLE = 256, CALLS = 4000 };

static _Atomic(unsigned char *) table[TABLE];
static atomic_int failures;

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* The first bytes of a block: its size, then its fill. */
static unsigned char *block_new(uint64_t *seed)
{
    uint64_t r = next_random(seed);
    uint32_t bytes = 8 + (uint32_t)(r >> 8) % (r % 40 ? 700 : 90000);
    void *block = NULL;

    if (r % 16 == 0)
        block = aligned_alloc(256, bytes);
    else if (r % 16 == 1)
        block = calloc(1, bytes);
    else
        block = malloc(bytes);
    if (!block) {
        failures++;
        return NULL;
    }
    memcpy(block, &bytes, 4);
    memset((char *)block + 4, (int)(bytes & 255), bytes - 4);
    return block;
}

static void block_end(unsigned char *block, uint64_t *seed)
{
    uint32_t bytes;

    if (!block)
        return;
    memcpy(&bytes, block, 4);
    failures += malloc_usable_size(block) < bytes;
    for (uint32_t i = 4; i < bytes; i += 61)
        failures += block[i] != (bytes & 255);
    if (next_random(seed) % 6 == 0) {
        block = realloc(block, bytes * 2);
        failures += !block || block[bytes - 1] != (bytes > 4 ? (bytes & 255) : block[bytes - 1]);
    }
    free(block);
}

static void *work(void *arg)
{
    uint64_t seed = (uintptr_t)arg * 7919 + 1;

    for (int i = 0; i < CALLS; i++)
        block_end(atomic_exchange(&table[next_random(&seed) % TABLE], block_new(&seed)), &seed);
    return NULL;
}

static int forked_child(void)
{
    uint64_t seed = 3;

    for (int i = 0; i < 200; i++)
        block_end(block_new(&seed), &seed);
    return failures != 0;
}

int main(int argc, char **argv)
{
    static const char *const options[] = { "giveback=fixed,delay=0", "giveback=free,delay=1",
                                           "giveback=auto,delay=100", "huge=on", "huge=auto" };
    static const char *const watching[] = { "sites=on",  "trace=/dev/null", "notrace",
                                            "sites=off", "sites=on",        "keep",
                                            "nokeep",    "sites=off",       "sites=on" };
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
    pthread_t threads[THREADS];
    uint64_t seed = 1;

    for (long round = 0; round < rounds; round++) {
        for (uintptr_t i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, work, (void *)(i + 1 + (uintptr_t)round * 4)))
                abort();
        for (int i = 0; i < 5; i++) {
            failures += mem_options_apply(options[i]) != 0;
            failures += mallinfo2().arena == 0;
            (void)mem_idle();
            for (int k = 0; k < 200; k++)
                block_end(block_new(&seed), &seed);
        }
        for (size_t i = 0; i < sizeof watching / sizeof watching[0]; i++) {
            failures += mem_options_apply(watching[i]) != 0;
            __atomic_store_n(&mem_site, mem_site_wanted ? mem_site_new() : 0, __ATOMIC_RELAXED);
            for (int k = 0; k < 100; k++)
                block_end(block_new(&seed), &seed);
        }
        if (round % 5 == 0) {
            int status = 0;
            pid_t pid = fork();
            if (pid == 0)
                _exit(forked_child());
            waitpid(pid, &status, 0);
            failures += status != 0;
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        failures += !sites_add_up();
        if (round % 3 == 0)
            mem_sites_set(round % 2);
    }
    for (int i = 0; i < TABLE; i++)
        block_end(table[i], &seed);
    size_t faults = mem_check(NULL);
    printf("failures %d faults %zu\n", failures, faults);
    return failures || faults;
}
