/* What stands at the end of a typed line: the word to be completed and its part in the command. */
#ifndef SHELL_INTERACTIVE_CONTEXT_H
#define SHELL_INTERACTIVE_CONTEXT_H

#include <stdbool.h>

#include "shell/base/str.h"

struct context {
    struct str word;    /* without its quotes */
    struct str command; /* the first word of the command, without its quotes; empty: none yet */
    size_t word_at;     /* where the word begins in the line */
    size_t tail_at;     /* where what is replaced begins: after the word's last slash */
    size_t tail;        /* the same in WORD */
    size_t value;       /* in WORD: where a path begins behind a name= or --option=; else 0 */
    size_t quote_at;    /* where QUOTE was opened */
    char quote;         /* '\'' or '"' when the word's end is in quotes, else 0 */
    bool is_command;    /* the word stands where a command name does */
    bool is_file;       /* it stands after a redirection */
    bool after_dollar;  /* the end of the word names a parameter */
    size_t name_at;     /* AFTER_DOLLAR: where that name begins in the line */
    bool in_braces;     /* AFTER_DOLLAR: it is ${name */
};

/* Reads LINE of LEN bytes, up to the cursor, into C; its texts live in REGION. */
void context_read(struct context *c, struct mem_region *region, const char *line, size_t len);
void context_release(struct context *c);

#endif
