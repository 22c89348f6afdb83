/*
 * lookup.c: what finding the owner of an address costs, over the number of segments.
 *
 * Usage: mem_lookup SEGMENTS. Prints: segments, ns for mem_region_of at random, ns for a free and
 * an allocation of a small block at random (processor time).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libmem.h"

enum { CALLS = 2000000, SMALL = 20000, BLOCK = 2 * 4096 + 1 };

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

static void *checked(void *block)
{
    if (!block) {
        fprintf(stderr, "mem_lookup: out of memory\n");
        exit(1);
    }
    return block;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000, found = 0;
    uint64_t seed = 88172645463325252u;
    static void *small[SMALL];

    if (!count || mem_options_apply("segsize=4Ki,getmem=anon,huge=off,giveback=none"))
        return 2;
    struct mem_region *region = checked(mem_region_open("lookup", MEM_BEST, 0));
    char **blocks = checked(calloc(count, sizeof *blocks));
    for (size_t i = 0; i < SMALL; i++)
        small[i] = checked(mem_alloc(region, 40));
    for (size_t i = 0; i < count; i++) /* each in a segment of its own */
        blocks[i] = checked(mem_alloc(region, BLOCK));
    double start = cpu_ns();
    for (size_t i = 0; i < CALLS; i++)
        found += mem_region_of(blocks[next_random(&seed) % count] + i % BLOCK) == region;
    double owner = (cpu_ns() - start) / CALLS;
    start = cpu_ns();
    for (size_t i = 0; i < CALLS; i++) {
        void **at = &small[next_random(&seed) % SMALL];
        mem_free(*at);
        *at = checked(mem_alloc(region, 40));
    }
    struct mem_stats stats;
    mem_region_stats(region, &stats);
    printf("%zu %.2f %.2f\n", stats.segment_count, owner, (cpu_ns() - start) / CALLS);
    return found == CALLS ? 0 : 1;
}
