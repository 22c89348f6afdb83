/*
 * segments.c: what getting segments from the system costs, under the
 * VMALLOC_OPTIONS in force.
 *
 * Usage: mem_segments [MIB]. Gets MIB in blocks of 60 KiB and touches a quarter
 * of each. Prints: segments, processor microseconds a MiB, MiB resident.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libmem.h"

enum { BLOCK = 60 * 1024 };

static double cpu_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double resident_mib(void)
{
    char text[100];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second ? (double)strtol(second, NULL, 10) * (double)sysconf(_SC_PAGESIZE) / 1048576 : 0;
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
    struct mem_region *region = mem_region_open("segments", MEM_BEST, 0);
    struct mem_stats stats;
    double start = cpu_us(), before = resident_mib();

    for (size_t got = 0; got < mib << 20; got += BLOCK) {
        char *block = region ? mem_alloc(region, BLOCK) : NULL;
        if (!block) {
            fprintf(stderr, "mem_segments: out of memory\n");
            return 1;
        }
        memset(block, 1, BLOCK / 4);
    }
    double us = cpu_us() - start;
    mem_region_stats(region, &stats);
    printf("%zu %.1f %.0f\n", stats.segment_count, us / (double)mib, resident_mib() - before);
    return 0;
}
