/*
 * mem_test.h: what the tests of libmem share: cmocka, deterministic random numbers, the comparison
 * of statistics with a walk over all blocks, and children whose standard error is caught.
 */
#ifndef TESTS_MEM_TEST_H
#define TESTS_MEM_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libmem.h"
#include "libmem/internal.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_SANITIZED 1
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif

static const char *const test_getters[] = { "anon", "break", "native", "safe", "zero" };
enum { TEST_GETTERS = 5 };

struct walked {
    size_t busy_bytes, busy_count, free_bytes, free_count, busy_max;
    const char *last_end;
};

static inline uint64_t test_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline int test_count(void *arg, void *block, size_t bytes, bool busy)
{
    struct walked *walked = arg;

    assert_true(bytes > 0);
    if (busy) {
        assert_int_equal((uintptr_t)block % MEM_ALIGN, 0);
        walked->busy_bytes += bytes;
        walked->busy_count++;
        if (bytes > walked->busy_max)
            walked->busy_max = bytes;
    } else {
        walked->free_bytes += bytes;
        walked->free_count++;
    }
    return 0;
}

/* The counters must say what a walk over all blocks finds. */
static inline void test_stats_match(struct mem_region *region)
{
    struct walked walked = { 0 };
    struct mem_stats stats;

    assert_int_equal(mem_region_walk(region, test_count, &walked), 0);
    mem_region_stats(region, &stats);
    assert_int_equal(stats.busy_bytes, walked.busy_bytes);
    assert_int_equal(stats.busy_count, walked.busy_count);
    assert_int_equal(stats.free_bytes, walked.free_bytes);
    assert_int_equal(stats.free_count, walked.free_count);
    assert_int_equal(stats.busy_max_bytes, walked.busy_max);
    assert_true(stats.peak_bytes >= stats.busy_bytes);
    if (stats.method != MEM_LAST)
        assert_int_equal(stats.busy_bytes + stats.free_bytes, stats.size_bytes);
    assert_true(stats.free_max_bytes <= stats.free_bytes);
    assert_int_equal(mem_check(region), 0);
}

/* Whether malloc is libmem's here: not under sanitizers. */
static inline bool test_front(void)
{
    void *volatile block = malloc(1);
    bool front = mem_region_of(block) != NULL;

    free(block);
    return front;
}

static inline int test_count_spare(void *arg, const struct mem_range *range)
{
    if (range->kind == MEM_RANGE_FREE || range->kind == MEM_RANGE_BUSY)
        *(size_t *)arg += range->bytes - range->busy_bytes;
    return 0;
}

/* What REGION has that was touched and is neither busy nor given back. */
static inline size_t test_spare(struct mem_region *region)
{
    size_t spare = 0;

    mem_region_walk_ranges(region, test_count_spare, &spare);
    return spare;
}

/* Collects what PID writes into FD, and returns its wait status. */
static inline int test_collect(pid_t pid, int fd, char *ret_text, size_t bytes)
{
    int status = 0;
    size_t used = 0;
    ssize_t got;

    while (used < bytes - 1 && (got = read(fd, ret_text + used, bytes - 1 - used)) > 0)
        used += (size_t)got;
    ret_text[used] = '\0';
    close(fd);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* Runs CODE in a child; returns its wait status and what it wrote to standard error. */
static inline int test_child(void (*code)(void *), void *arg, char *ret_text, size_t bytes)
{
    int pipe_fds[2];

    assert_int_equal(pipe(pipe_fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(pipe_fds[1], 2);
        close(pipe_fds[0]);
        close(pipe_fds[1]);
        code(arg);
        _exit(0);
    }
    close(pipe_fds[1]);
    return test_collect(pid, pipe_fds[0], ret_text, bytes);
}

/* Starts this program anew with ARGUMENT and VMALLOC_OPTIONS; else as test_child. */
static inline int test_program(const char *argument, const char *options, char *ret_text,
                               size_t bytes)
{
    int pipe_fds[2];

    assert_int_equal(pipe(pipe_fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(pipe_fds[1], 2);
        close(pipe_fds[0]);
        close(pipe_fds[1]);
        setenv("VMALLOC_OPTIONS", options, 1);
        execl("/proc/self/exe", "test", argument, (char *)NULL);
        _exit(127);
    }
    close(pipe_fds[1]);
    return test_collect(pid, pipe_fds[0], ret_text, bytes);
}

#endif
