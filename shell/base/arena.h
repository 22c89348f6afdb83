/* Bump allocation for a thing that dies as a whole (a parsed program): chunks from one region,
 * freed together. Kept apart from MEM_LAST regions because there may be thousands of small ones at
 * a time, too many for a segment each. */
#ifndef SHELL_BASE_ARENA_H
#define SHELL_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "libmem.h"

struct arena_chunk;
struct arena {
    struct mem_region *region;
    struct arena_chunk *chunks; /* newest first */
    char *next, *end;
    size_t chunk_bytes; /* size of the next chunk */
    bool doubling;      /* it is the first of that size */
};

void arena_init(struct arena *a, struct mem_region *region);
void arena_release(struct arena *a); /* frees everything */
/* As arena_alloc when the newest chunk is full. */
void *arena_alloc_slow(struct arena *a, size_t bytes);
/* 8-aligned, zeroed; NULL when out of memory. */
static inline void *arena_alloc(struct arena *a, size_t bytes)
{
    size_t room = (size_t)(a->end - a->next), step = (bytes + 7) & ~(size_t)7;
    if (step > room || step < bytes)
        return arena_alloc_slow(a, bytes);
    void *p = a->next;
    a->next += step;
    return p;
}
char *arena_dup(struct arena *a, const char *text, size_t len); /* NUL-terminated copy */

#endif
