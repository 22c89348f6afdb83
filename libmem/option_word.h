/*
 * option_word.h: the words of VMALLOC_OPTIONS and what their values can be.
 *
 * A word is a part of the text, not NUL-terminated; TEXT NULL: there is none. Nothing here knows of
 * a single option.
 */
#ifndef LIBMEM_OPTION_WORD_H
#define LIBMEM_OPTION_WORD_H

#include "libmem/internal.h"

/* What an option may say about a value. */
enum verdict {
    GOOD,
    BAD,
    TOO_LATE,
    REFUSED,
    PRIVATE_ONLY,
    UNWRITABLE,
    CONTRADICTS,
    ABSENT,
    /* In force, and worth a line: */
    ROUNDED,
    NOWHERE,
};

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
/* The state before a change that failed is set again: files go on where they were. */
extern bool options_restoring;
/* The descriptor of the file that VALUE names, emptied unless options_restoring, close-on-exec and
 * out of the way, or -1: &N and /dev/fd/N are open descriptors, %p is the process id. NAME keeps
 * what was given. */
int option_word_open(struct word value, char name[MEM_FILE_BYTES]);

/* option_file.c: VALUE.text NULL: none was given. OFF: the name had "no" in front. */
enum verdict option_trace(struct word value, bool off);
enum verdict option_leak(struct word value, bool off);
enum verdict option_warn(struct word value, bool off);
void option_files_get(struct mem_line *line); /* for mem_options_get */

#endif
