/* The line editor. */
#ifndef SHELL_INTERACTIVE_EDIT_H
#define SHELL_INTERACTIVE_EDIT_H

#include "shell/base/str.h"
#include "shell/state/shell.h"

struct edit;

/* From now on the command bind makes the editor if there is none yet. */
void edit_offer(struct shell *sh);
/* The editor, made unless bind has; when standard input and error are a terminal that can move its
 * cursor; NULL: there is none, or no memory, or memksh was built without one, and lines are read as
 * they come. */
struct edit *edit_new(struct shell *sh);
void edit_free(struct edit *edit);

enum edit_result {
    EDIT_LINE,     /* a line was typed */
    EDIT_END,      /* the end of input */
    EDIT_GIVEN_UP, /* a signal ended the line */
    EDIT_WHOLE,    /* the line and what was typed of its command before are to be edited as one */
    EDIT_EDITOR    /* the line is to be handed to the user's editor */
};

/* Reads a line at PROMPT, IS_CONTINUATION: of a command that has begun before.
 * *RET_TEXT, of *RET_LEN bytes with the newline, is borrowed until the next call. */
enum edit_result edit_read(struct edit *edit, const struct str *prompt, bool is_continuation,
                           const char **ret_text, size_t *ret_len);

/* The next line begins with TEXT, as if it had been typed; UP: and then the cursor moved up. */
void edit_prefill(struct edit *edit, const char *text, size_t len, bool up);

#endif
