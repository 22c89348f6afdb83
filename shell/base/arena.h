/* Bump allocation for a thing that dies as a whole (a parsed program): chunks from one region,
 * freed together. Kept apart from MEM_LAST regions because there may be thousands of small ones at
 * a time, too many for a segment each. */
#ifndef SHELL_BASE_ARENA_H
#define SHELL_BASE_ARENA_H

#include <stddef.h>

#include "libmem.h"

struct arena_chunk;
struct arena {
    struct mem_region *region;
    struct arena_chunk *chunks; /* newest first */
    char *next, *end;
    size_t chunk_bytes; /* size of the next chunk */
};

void arena_init(struct arena *a, struct mem_region *region);
void arena_release(struct arena *a); /* frees everything */
/* 8-aligned, zeroed; NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_dup(struct arena *a, const char *text, size_t len); /* NUL-terminated copy */
size_t arena_bytes(const struct arena *a);                      /* total of the chunks */

#endif
