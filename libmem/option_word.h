/*
 * option_word.h: the words of VMALLOC_OPTIONS and what their values can be.
 *
 * A word is a part of the text, not NUL-terminated; TEXT NULL: there is none. Nothing here knows of
 * a single option.
 */
#ifndef LIBMEM_OPTION_WORD_H
#define LIBMEM_OPTION_WORD_H

#include "libmem/internal.h"

struct word {
    const char *text;
    size_t bytes;
};

bool option_word_is(struct word word, const char *text);
/* Takes "no" or "no-" off the front of WORD. */
bool option_word_cut_no(struct word *word);
/* The next part of LIST up to a colon. */
bool option_word_next(struct word *list, struct word *ret_part);
/* A size: decimal or 0x, with suffixes. */
bool option_word_size(struct word word, size_t *ret_size);

#endif
