/* What an unfinished command is in the middle of. */
#ifndef SHELL_INTERACTIVE_UNFINISHED_H
#define SHELL_INTERACTIVE_UNFINISHED_H

#include "shell/state/shell.h"

enum { UNFINISHED_BYTES = 16 };

/* Puts into RET, of UNFINISHED_BYTES, the word that opened what is innermost in TEXT of LEN bytes
 * and not closed: a reserved word, a quote, a bracket, `<<` for a here-document; empty when nothing
 * is, or TEXT is very long. */
void unfinished_name(struct shell *sh, const char *text, size_t len, char *ret);

#endif
