/* Where the words of site.c are: who got a block, and what for. */
#ifndef LIBMEM_SITE_WORD_H
#define LIBMEM_SITE_WORD_H

#include "libmem/internal.h"

/* What a SITED pack has in front of its bits; the words of its blocks lie before it, downwards. */
struct pack_words {
    uint64_t touched;         /* a bit for each 64 blocks of which some died and still have words */
    struct span *next, *prev; /* packs with such */
    uint64_t line_count;      /* of the whole record */
};

static inline struct pack_words *pack_words(const struct span *pack)
{
    return (struct pack_words *)(void *)pack->bits - 1;
}

/* The word of block INDEX of a sited PACK. */
static inline uint32_t *pack_word(const struct span *pack, size_t index)
{
    return (uint32_t *)(void *)pack_words(pack) + ~(ptrdiff_t)index;
}

/* Gives PACK words; those of blocks not in its bits become WORD. False: no memory. */
bool words_give(struct span *pack, uint32_t word);
/* PACK, none of whose blocks lives, needs them no more. */
void words_take(struct span *pack);
/* No block has a word any more. */
void words_clear(void);
/* The word of BLOCK, in SPAN, made if MAKE and need be; NULL: there is none. */
uint32_t *word_find(struct span *span, const void *block, bool make);

#endif
