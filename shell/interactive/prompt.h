/* Prompts, and what is shown before them. */
#ifndef SHELL_INTERACTIVE_PROMPT_H
#define SHELL_INTERACTIVE_PROMPT_H

#include "shell/state/shell.h"

/* Around what a prompt holds of sequences that move no cursor: colours and the like. */
enum { PROMPT_ESCAPE = '\1' };

/* Puts into RET the value of PS1, expanded: `!` is the number of the command, `!!` a !. With
 * UNFINISHED (not NULL) that of PS2; before the default one stands that text. A value that cannot
 * be expanded is shown as it is, after a line that says why. ESCAPED: sequences of the terminal are
 * put between two PROMPT_ESCAPE. The status stays. */
void prompt_make(struct shell *sh, const char *unfinished, bool escaped, struct str *ret);

#endif
