/* A word of site.c for each block, beside the heap: of the address of its first byte. */
#ifndef LIBMEM_SITE_WORD_H
#define LIBMEM_SITE_WORD_H

#include "libmem/internal.h"

enum {
    SITE_CHUNK_SHIFT = 23, /* of the heap, for one chunk of words */
    SITE_CHUNK_WORDS = 1 << (SITE_CHUNK_SHIFT - 4),
    SITE_LEAF_SHIFT = MEM_PAGE_SHIFT + MEM_MAP_LEAF_BITS,
    SITE_LEAF_CHUNKS = 1 << (SITE_LEAF_SHIFT - SITE_CHUNK_SHIFT),
};

struct site_leaf {
    uint32_t *chunk[SITE_LEAF_CHUNKS];
};
extern struct site_leaf *site_leaves[1u << MEM_MAP_ROOT_BITS];

/* The word of BLOCK, made if need be; NULL: no memory. */
uint32_t *word_make(const void *block);
/* Drops what the words of a range cost: they are 0, or mean nothing. */
void words_drop(const char *base, size_t bytes);
/* No block has a word any more. */
void words_clear(void);

/* The word of BLOCK; NULL: it has none. */
static inline uint32_t *word_of(const void *block)
{
    uintptr_t at = (uintptr_t)block;
    const struct site_leaf *leaf = site_leaves[at >> SITE_LEAF_SHIFT];
    uint32_t *chunk = MEM_LIKELY(leaf != NULL)
                          ? leaf->chunk[at >> SITE_CHUNK_SHIFT & (SITE_LEAF_CHUNKS - 1)]
                          : NULL;

    return MEM_LIKELY(chunk != NULL) ? chunk + (at >> 4 & (SITE_CHUNK_WORDS - 1)) : NULL;
}

static inline uint32_t word_get(const void *block)
{
    const uint32_t *word = word_of(block);

    return word ? *word : 0;
}

#endif
