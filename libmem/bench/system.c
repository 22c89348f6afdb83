/*
 * system.c: what the system charges: giving memory back in each way, and fork.
 *
 * Usage: mem_system drop MIB WAY | fork MIB [huge]. WAY: dontneed, protect, fixed, free, unmap,
 * keep. drop prints: way, MiB, microseconds to drop, to make usable, to touch again, KiB of commit
 * charge left. fork prints: MiB, microseconds of fork, of fork with exit and wait. All but the last
 * is processor time, which other work on the machine changes less.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_us(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double now_us(void)
{
    return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

static void *map(void *at, size_t bytes, int protection, int flags)
{
    void *base = mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    if (base == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return base;
}

static void touch(char *base, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 4096)
        base[at] = 1;
}

/* What strict accounting charges this process for: its accountable mappings. */
static long committed_kib(void)
{
    char line[400];
    long kib = 0, size = 0;
    FILE *file = fopen("/proc/self/smaps", "r");

    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "Size: %ld", &size) != 1 && strncmp(line, "VmFlags:", 8) == 0 &&
            strstr(line, " ac"))
            kib += size;
    }
    if (file)
        fclose(file);
    return kib;
}

static int drop(size_t bytes, const char *way)
{
    long before = committed_kib();
    char *base = map(NULL, bytes, PROT_READ | PROT_WRITE, 0);
    int failed = 0;

    touch(base, bytes);
    double start = now_us();
    if (strcmp(way, "dontneed") == 0 || strcmp(way, "protect") == 0)
        failed = madvise(base, bytes, MADV_DONTNEED);
    if (strcmp(way, "protect") == 0)
        failed |= mprotect(base, bytes, PROT_NONE);
    if (strcmp(way, "free") == 0)
        failed = madvise(base, bytes, MADV_FREE);
    if (strcmp(way, "fixed") == 0)
        map(base, bytes, PROT_NONE, MAP_FIXED | MAP_NORESERVE);
    if (strcmp(way, "unmap") == 0)
        failed = munmap(base, bytes);
    double dropped = now_us();
    long left = committed_kib() - before;
    double usable_start = now_us();
    if (strcmp(way, "protect") == 0)
        failed |= mprotect(base, bytes, PROT_READ | PROT_WRITE);
    if (strcmp(way, "fixed") == 0)
        map(base, bytes, PROT_READ | PROT_WRITE, MAP_FIXED);
    if (strcmp(way, "unmap") == 0)
        base = map(NULL, bytes, PROT_READ | PROT_WRITE, 0);
    double usable = now_us();
    touch(base, bytes);
    double touched = now_us();
    if (failed)
        perror(way);
    printf("%s %zu %.1f %.1f %.1f %ld\n", way, bytes >> 20, dropped - start, usable - usable_start,
           touched - usable, left);
    return failed != 0;
}

static int fork_cost(size_t bytes, int huge)
{
    char *base = map(NULL, bytes ? bytes : 4096, PROT_READ | PROT_WRITE, 0);

    if (huge)
        (void)madvise(base, bytes, MADV_HUGEPAGE);
    touch(base, bytes);
    double best = 1e18, best_all = 1e18;
    for (int i = 0; i < 5; i++) {
        double start = now_us(), began = clock_us(CLOCK_MONOTONIC);
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        double forked = now_us();
        waitpid(pid, NULL, 0);
        double all = clock_us(CLOCK_MONOTONIC) - began;
        best = forked - start < best ? forked - start : best;
        best_all = all < best_all ? all : best_all;
    }
    printf("%zu %.1f %.1f\n", bytes >> 20, best, best_all);
    return 0;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) << 20 : 0;

    if (argc == 4 && strcmp(argv[1], "drop") == 0 && bytes)
        return drop(bytes, argv[3]);
    if (argc >= 3 && strcmp(argv[1], "fork") == 0)
        return fork_cost(bytes, argc > 3);
    fprintf(stderr, "usage: mem_system drop MIB WAY | fork MIB [huge]\n");
    return 2;
}
