/*
 * stress_regions.c: four threads at work on regions of their own at once, for ThreadSanitizer.
 *
 * Usage: stress_regions [ROUNDS]. Each thread opens regions of every method, fills, resizes, marks,
 * resets, clears and closes them: the page map, the records, the sources, the slices of the
 * `malloc` region and the registry are shared. Blocks of the front go to the next thread, which
 * frees them, while the main thread gives memory back and changes options, also those that watch
 * each call. Exits 1 when a block
 * lost its content or a region is damaged.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libmem.h"
#include "tests/memory/site_sum.h"

enum { THREADS = 4, LIVE = 200, CALLS = 3000 };

static _Atomic(char *) passed[THREADS];
static atomic_int failures;

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

struct live {
    unsigned char *block;
    size_t bytes;
};

static void live_check(const struct live *live)
{
    for (size_t i = 0; i < live->bytes; i += 53)
        failures += live->block[i] != (live->bytes & 255);
}

static void live_fill(struct live *live, unsigned char *block, size_t bytes)
{
    failures += !block;
    live->block = block;
    live->bytes = block ? bytes : 0;
    memset(block, (int)(bytes & 255), live->bytes);
}

static void work_best(uint64_t *seed)
{
    struct mem_region *region = mem_region_open("best", MEM_BEST, 0);
    struct live live[LIVE] = { { NULL, 0 } };

    for (int i = 0; i < CALLS; i++) {
        struct live *slot = &live[next_random(seed) % LIVE];
        uint64_t r = next_random(seed);
        size_t bytes = 1 + (r >> 8) % (r % 50 ? 500 : 400000);
        live_check(slot);
        if (r % 3 == 0 || !slot->block) {
            mem_free(slot->block);
            live_fill(slot, mem_alloc(region, bytes), bytes);
        } else if (r % 3 == 1) {
            live_fill(slot, mem_resize(region, slot->block, bytes), bytes);
        } else {
            mem_free_sized(region, slot->block, slot->bytes);
            slot->block = NULL;
            slot->bytes = 0;
        }
    }
    failures += mem_check(region) != 0;
    mem_region_clear(region);
    failures += mem_region_busy(region) != 0;
    mem_region_close(region);
}

static void work_last(uint64_t *seed)
{
    struct mem_region *region = mem_region_open("last", MEM_LAST, 0);

    for (int i = 0; i < CALLS / 20; i++) {
        struct mem_mark mark = mem_region_mark(region);
        for (int k = 0; k < 20; k++) {
            size_t bytes = 1 + next_random(seed) % 9000;
            failures += !memset(mem_alloc(region, bytes), 1, bytes);
        }
        mem_region_reset(region, mark);
    }
    failures += mem_check(region) != 0;
    mem_region_close(region);
}

static void work_pool(uint64_t *seed)
{
    struct mem_region *region = mem_region_open("pool", MEM_POOL, 48);
    void *live[LIVE] = { NULL };

    for (int i = 0; i < CALLS; i++) {
        size_t at = next_random(seed) % LIVE;
        mem_free(live[at]);
        live[at] = memset(mem_alloc(region, 48), 1, 48);
    }
    failures += mem_check(region) != 0;
    mem_region_close(region);
}

static void *work(void *arg)
{
    size_t thread = (uintptr_t)arg % THREADS;
    uint64_t seed = (uintptr_t)arg * 7919 + 1;

    for (int i = 0; i < 3; i++) {
        work_best(&seed);
        work_last(&seed);
        work_pool(&seed);
        for (int k = 0; k < 300; k++) {
            char *block = malloc(1 + next_random(&seed) % 3000);
            failures += !block;
            free(atomic_exchange(&passed[(thread + 1) % THREADS], block));
            free(atomic_exchange(&passed[thread], NULL));
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *const options[] = { "giveback=fixed,delay=0,segsize=64Ki",
                                           "getmem=anon",
                                           "huge=on",
                                           "huge=auto,getmem=safe",
                                           "giveback=auto,delay=100,segsize=4Mi",
                                           "sites=on",
                                           "trace=/dev/null",
                                           "sites=off",
                                           "notrace",
                                           "sites=on",
                                           "sites=off",
                                           "sites=on" };
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 6;
    pthread_t threads[THREADS];

    for (long round = 0; round < rounds; round++) {
        for (uintptr_t i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, work, (void *)(i + (uintptr_t)round * THREADS)))
                abort();
        for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
            failures += mem_options_apply(options[i]) != 0;
            (void)mem_idle();
            __atomic_store_n(&mem_site, mem_site_wanted ? mem_site_new() : 0, __ATOMIC_RELAXED);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        failures += !sites_add_up();
    }
    for (int i = 0; i < THREADS; i++)
        free(passed[i]);
    size_t faults = mem_check(NULL);
    printf("failures %d faults %zu\n", failures, faults);
    return failures || faults;
}
