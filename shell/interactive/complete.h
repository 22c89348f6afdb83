/* The completion key. */
#ifndef SHELL_INTERACTIVE_COMPLETE_H
#define SHELL_INTERACTIVE_COMPLETE_H

#include <histedit.h>

#include "shell/state/shell.h"

/* What a first press of the key left, so that the next goes through the candidates one by one. */
struct completion {
    struct str line;    /* the line as the last press left it */
    struct str insert;  /* all candidates as they go into the line, each ended by a NUL */
    size_t count, next; /* of them; the one that the next press puts in */
    size_t shown_len;   /* how much of the line, before the cursor, is the one put in last */
};

void completion_init(struct completion *c, struct mem_region *region);
void completion_release(struct completion *c);

/* Completes the word before the cursor of EDIT: as far as all candidates agree, quoted as the word
 * was, and with a blank when there is one only; else lists them. Pressed again it puts in the
 * candidates in turn. On a dumb terminal only the second press lists, as in ksh93. Returns what
 * libedit is to do. */
int complete_key(struct shell *sh, struct completion *c, EditLine *edit);
/* Lists what may complete the word before the cursor. */
int complete_list(struct shell *sh, EditLine *edit);
/* Puts the path names that match the word before the cursor as a pattern, or begin with it, in its
 * place. */
int complete_expand(struct shell *sh, EditLine *edit);

#endif
