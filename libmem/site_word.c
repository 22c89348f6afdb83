/*
 * site_word.c: the words in which site.c keeps who got a block.
 *
 * There is a word for each 16 bytes of address, in chunks made when first needed and found by two
 * look-ups, so that neither a block's size nor its region matters; the word of a block's first byte
 * is its own, others mean nothing. Chunks are sparse: pages of words that nothing wrote to, or that
 * words_drop gave back, cost nothing. What a word says is site.c's alone. All of it runs under the
 * library's lock.
 */
#include "libmem/site_word.h"

#define CHUNK_BYTES ((size_t)SITE_CHUNK_WORDS * sizeof(uint32_t))

struct site_leaf *site_leaves[1u << MEM_MAP_ROOT_BITS];

/* A chunk: of a big heap, in a huge page, because next to every word used is a miss. */
static uint32_t *chunk_new(void)
{
    static size_t count;
    bool huge = count++ && mem_settings.huge != MEM_HUGE_OFF;
    char *base = glue_map_sparse(huge ? 2 * CHUNK_BYTES : CHUNK_BYTES);

    if (!base || !huge)
        return (uint32_t *)base;
    size_t skip = -(uintptr_t)base & (CHUNK_BYTES - 1);
    if (skip)
        glue_unmap(base, skip);
    if (skip != CHUNK_BYTES)
        glue_unmap(base + skip + CHUNK_BYTES, CHUNK_BYTES - skip);
    glue_advise(base + skip, CHUNK_BYTES, MADV_HUGEPAGE);
    return (uint32_t *)(base + skip);
}

uint32_t *word_make(const void *block)
{
    uintptr_t at = (uintptr_t)block;
    struct site_leaf **leaf = &site_leaves[at >> SITE_LEAF_SHIFT];

    if (!*leaf && !(*leaf = meta_alloc(sizeof **leaf)))
        return NULL;
    uint32_t **chunk = &(*leaf)->chunk[at >> SITE_CHUNK_SHIFT & (SITE_LEAF_CHUNKS - 1)];
    if (!*chunk)
        *chunk = chunk_new();
    return word_of(block);
}

void words_drop(const char *base, size_t bytes)
{
    uintptr_t at = (uintptr_t)base, end = at + bytes;
    while (at < end) {
        uintptr_t next = (at | (((uintptr_t)1 << SITE_CHUNK_SHIFT) - 1)) + 1;
        uint32_t *word = word_of((const void *)at);
        next = next < end ? next : end;
        if (word) {
            size_t page = glue_page_bytes();
            uintptr_t from = mem_round_up((uintptr_t)word, page);
            uintptr_t to = ((uintptr_t)word + (next - at) / 4) & ~(uintptr_t)(page - 1);
            if (from < to)
                glue_advise((void *)from, to - from, MADV_DONTNEED);
        }
        at = next;
    }
}

void words_clear(void)
{
    for (size_t i = 0; i < sizeof site_leaves / sizeof site_leaves[0]; i++)
        for (int j = 0; site_leaves[i] && j < SITE_LEAF_CHUNKS; j++)
            if (site_leaves[i]->chunk[j]) {
                glue_unmap(site_leaves[i]->chunk[j], CHUNK_BYTES);
                site_leaves[i]->chunk[j] = NULL;
            }
}
