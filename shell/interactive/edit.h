/* The line editor. */
#ifndef SHELL_INTERACTIVE_EDIT_H
#define SHELL_INTERACTIVE_EDIT_H

#include "shell/state/shell.h"

struct edit;

/* The editor, when standard input and error are a terminal that can move its cursor; NULL: there is
 * none, or no memory, or memksh was built without one, and lines are read as they come. */
struct edit *edit_new(struct shell *sh);
void edit_free(struct edit *edit);

/* Reads a line at PROMPT (escaped: prompt.h). Returns its length with the newline, 0 at the end of
 * input, -1 when a signal ended it. *RET_TEXT is borrowed until the next call. */
ptrdiff_t edit_read(struct edit *edit, const char *prompt, const char **ret_text);

/* The next line begins with TEXT, as if it had been typed. */
void edit_prefill(struct edit *edit, const char *text, size_t len);

/* Adds a command that can be called back; ERASE: earlier ones with its text no longer can. */
void edit_remember(struct edit *edit, const char *text, bool erase);

#endif
