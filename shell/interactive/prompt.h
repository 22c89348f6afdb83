/* Prompts, and what is shown before them. */
#ifndef SHELL_INTERACTIVE_PROMPT_H
#define SHELL_INTERACTIVE_PROMPT_H

#include "shell/state/shell.h"

/* Around what a prompt holds of sequences that move no cursor: colours and the like. */
enum { PROMPT_ESCAPE = '\1' };

/* In place of the last character of a prompt behind which there are such sequences. */
#define PROMPT_LAST "\xf4\x87\xbf\xbf" /* U+107FFF */

/* Puts into RET the value of PS1, expanded: `!` is the number of the command, `!!` a !. With
 * UNFINISHED (not NULL) that of PS2; before the default one stands that text. A value that cannot
 * be expanded is shown as it is, after a line that says why. The status stays. */
void prompt_make(struct shell *sh, const char *unfinished, struct str *ret);

/* The last row of the prompt TEXT for libedit, in RET: sequences of the terminal between two
 * PROMPT_ESCAPE, PROMPT_LAST at the end if *RET_LAST, what it stands for, is not empty. Returns the
 * length of the rows before. */
size_t prompt_escape(const char *text, size_t len, struct str *ret, struct str *ret_last);

#endif
