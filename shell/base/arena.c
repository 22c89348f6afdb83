/*
 * arena: bump allocation in chunks that are freed together.
 *
 * Owns the chunk list. The first chunk is small, so that a one-word program costs little; each
 * second one is twice as big as those before, up to a limit. Invariant: NEXT..END is zeroed, unused
 * room of the newest chunk. Nothing is ever freed alone.
 */
#include "shell/base/arena.h"

#include <string.h>

struct arena_chunk {
    struct arena_chunk *older;
    size_t bytes; /* with this header */
};

enum { CHUNK_FIRST = 1024, CHUNK_LAST = 64 * 1024 };

void arena_init(struct arena *a, struct mem_region *region)
{
    *a = (struct arena){ .region = region, .chunk_bytes = CHUNK_FIRST };
}

void arena_release(struct arena *a)
{
    struct arena_chunk *chunk = a->chunks;
    while (chunk) {
        struct arena_chunk *older = chunk->older;
        mem_free_sized(a->region, chunk, chunk->bytes);
        chunk = older;
    }
    arena_init(a, a->region);
}

static bool arena_grow(struct arena *a, size_t bytes)
{
    size_t want = a->chunk_bytes;
    if (bytes > want - sizeof(struct arena_chunk))
        want = bytes + sizeof(struct arena_chunk);
    struct arena_chunk *chunk = mem_alloc_zeroed(a->region, want);
    if (!chunk)
        return false;
    chunk->older = a->chunks;
    chunk->bytes = want;
    a->chunks = chunk;
    a->next = (char *)(chunk + 1);
    a->end = (char *)chunk + want;
    if (a->chunk_bytes < CHUNK_LAST && (a->doubling = !a->doubling))
        a->chunk_bytes *= 2;
    return true;
}

void *arena_alloc_slow(struct arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 7) & ~(size_t)7;
    if (!arena_grow(a, bytes))
        return NULL;
    void *p = a->next;
    a->next += bytes;
    return p;
}

char *arena_dup(struct arena *a, const char *text, size_t len)
{
    char *p = arena_alloc(a, len + 1);
    if (p)
        memcpy(p, text, len);
    return p;
}
