/* Where the words of site.c are: who got a block, and what for. */
#ifndef LIBMEM_SITE_WORD_H
#define LIBMEM_SITE_WORD_H

#include "libmem/internal.h"

/* A word is WORD_LIVE | KIND << WORD_KIND_SHIFT | SITE; 0: nothing is known. */
#define WORD_LIVE ((uint32_t)1 << 31)
enum { WORD_KIND_SHIFT = 24, WORD_KIND_MASK = MEM_KINDS - 1 };

/* What a SITED pack has in front of its bits, in one record with them and with `counted`. */
struct pack_words {
    uint64_t *counted;        /* as the bits, of free blocks that are counted as dead */
    uint32_t *words;          /* of its blocks, by index; NULL: all have ... */
    uint32_t word;            /* ... this one; 0: they have none, and will have the next one put */
    bool waits;               /* with deaths that are not counted, perhaps */
    struct span *next, *prev; /* packs that wait */
};

static inline struct pack_words *pack_words(const struct span *pack)
{
    return (struct pack_words *)(void *)pack->bits - 1;
}

static inline size_t pack_groups(const struct span *pack)
{
    return (pack->capacity + 63u) / 64;
}

/* The word of block INDEX of a sited PACK. */
static inline uint32_t pack_word(const struct span *pack, size_t index)
{
    const struct pack_words *words = pack_words(pack);

    return words->words ? words->words[index] : words->word;
}

/* Gives PACK room for words; what lives in it has WORD. False: no memory. */
bool words_give(struct span *pack, uint32_t word);
/* PACK, none of whose blocks lives, needs them no more. */
void words_take(struct span *pack);
/* The next word that is put will be the one of all blocks of PACK, none of which lives. */
void words_forget(struct span *pack);
/* No block has a word any more. */
void words_clear(void);
/* The word of BLOCK, in SPAN; of block INDEX of the sited PACK: see pack_word. */
uint32_t word_get(const struct span *span, const void *block);
/* BLOCK, in SPAN, gets WORD. Returns what it has now: without memory 0, or that of its pack. */
uint32_t word_put(struct span *span, const void *block, uint32_t word);
uint32_t pack_word_put(struct span *pack, size_t index, uint32_t word);

#endif
