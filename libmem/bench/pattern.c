/*
 * pattern.c: the allocation pattern of a shell, in nanoseconds a call.
 *
 * Usage: mem_bench [NODES [region|malloc]]. Inserts nodes of 24..64 bytes with strings of 8..40,
 * gives random strings a new value, unsets and inserts again, appends byte by byte, pushes and pops
 * call frames, and frees all; once through regions with sized frees, once through malloc and free.
 * In mem_bench those are libmem's own; mem_bench_malloc is not linked with libmem and does the
 * second only, on whatever malloc is preloaded. "all" is the mean of the phases that touch nodes.
 * Run it several times: the figures are processor time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if PATTERN_REGIONS
#include "libmem.h"
#else
#include <stdint.h>
#endif

struct heap {
    const char *name;
    void *(*alloc)(size_t bytes);
    void *(*resize)(void *block, size_t bytes);
    void (*free)(void *block, size_t bytes);
};

struct item {
    char *node, *string;
    unsigned node_bytes, string_bytes;
};

enum { PHASES = 6 };
static const char *const phase_names[PHASES] = { "insert", "assign", "unset",
                                                 "append", "frame",  "free" };

static uint64_t seed;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#if PATTERN_REGIONS
static struct mem_region *region;

static void *region_alloc(size_t bytes)
{
    return mem_alloc(region, bytes);
}

static void *region_resize(void *block, size_t bytes)
{
    return mem_resize(region, block, bytes);
}

static void region_free(void *block, size_t bytes)
{
    mem_free_sized(region, block, bytes);
}

#endif

static void plain_free(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

static void *checked(void *block)
{
    if (!block) {
        fprintf(stderr, "mem_bench: out of memory\n");
        exit(1);
    }
    return block;
}

static char *new_string(const struct heap *heap, struct item *item)
{
    item->string_bytes = 8 + (unsigned)(next_random() % 33);
    char *string = checked(heap->alloc(item->string_bytes));
    memset(string, 'x', item->string_bytes);
    return string;
}

static void insert(const struct heap *heap, struct item *item)
{
    item->node_bytes = 24 + (unsigned)(next_random() % 6) * 8;
    item->node = checked(heap->alloc(item->node_bytes));
    memset(item->node, 0, 24);
    item->string = new_string(heap, item);
}

static void drop(const struct heap *heap, struct item *item)
{
    heap->free(item->string, item->string_bytes);
    heap->free(item->node, item->node_bytes);
}

static void append(const struct heap *heap, size_t count)
{
    char *text = NULL;

    for (size_t i = 0; i < count; i++) {
        text = checked(heap->resize(text, i + 1));
        text[i] = 'a';
    }
    heap->free(text, count);
}

/* A function call: eight blocks, freed in reverse order. */
static void frame(const struct heap *heap)
{
    void *block[8];

    for (int i = 0; i < 8; i++)
        block[i] = checked(heap->alloc(16 + (size_t)i * 24));
    for (int i = 8; i-- > 0;)
        heap->free(block[i], 16 + (size_t)i * 24);
}

static void run(const struct heap *heap, struct item *items, size_t count, double *ret_ns)
{
    double t = now_ns();

    for (size_t i = 0; i < count; i++)
        insert(heap, &items[i]);
    ret_ns[0] = (now_ns() - t) / (double)count / 2;
    t = now_ns();
    for (size_t i = 0; i < count; i++) {
        struct item *item = &items[next_random() % count];
        heap->free(item->string, item->string_bytes);
        item->string = new_string(heap, item);
    }
    ret_ns[1] = (now_ns() - t) / (double)count / 2;
    t = now_ns();
    for (size_t i = 0; i < count; i++) {
        struct item *item = &items[next_random() % count];
        drop(heap, item);
        insert(heap, item);
    }
    ret_ns[2] = (now_ns() - t) / (double)count / 4;
    t = now_ns();
    append(heap, count * 20);
    ret_ns[3] = (now_ns() - t) / (double)count / 20;
    t = now_ns();
    for (size_t i = 0; i < count / 4; i++)
        frame(heap);
    ret_ns[4] = (now_ns() - t) / (double)count / 4;
    t = now_ns();
    for (size_t i = 0; i < count; i++)
        drop(heap, &items[(i * 7919) % count]);
    ret_ns[5] = (now_ns() - t) / (double)count / 2;
}

int main(int argc, char **argv)
{
    static const struct heap heaps[] = {
#if PATTERN_REGIONS
        { "region", region_alloc, region_resize, region_free },
#endif
        { "malloc", malloc, realloc, plain_free },
    };
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    const char *only = argc > 2 ? argv[2] : NULL;
    struct item *items = checked(calloc(count ? count : 1, sizeof *items));

#if PATTERN_REGIONS
    region = mem_region_open("bench", MEM_BEST, 0);
#endif
    printf("%-8s", "ns/call");
    for (int i = 0; i < PHASES; i++)
        printf("%9s", phase_names[i]);
    printf("%9s%9s\n", "all", "peak MB");
    for (size_t h = 0; h < sizeof heaps / sizeof heaps[0]; h++) {
        double ns[PHASES];
        struct rusage usage;
        if (only && strcmp(only, heaps[h].name) != 0)
            continue;
        seed = 88172645463325252u;
        run(&heaps[h], items, count, ns);
        getrusage(RUSAGE_SELF, &usage);
        printf("%-8s", heaps[h].name);
        for (int i = 0; i < PHASES; i++)
            printf("%9.1f", ns[i]);
        printf("%9.1f%9ld\n", (ns[0] * 2 + ns[1] * 2 + ns[2] * 4 + ns[5] * 2) / 10,
               usage.ru_maxrss / 1024);
    }
    free(items);
    return 0;
}
