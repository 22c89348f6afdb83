/* Where the running command stands: the text that its line is counted in, for LINENO and messages.
 */
#ifndef SHELL_STATE_WHERE_H
#define SHELL_STATE_WHERE_H

#include "shell/state/shell.h"

/* A text with lines of its own: what eval runs, or a function that was defined in such a text.
 * Lives on the C stack of whoever runs it. */
struct where {
    const struct where *outer; /* NULL: around it is a file */
    const char *name;          /* for messages */
    uint32_t line;             /* the one around, from which it was run, as LINENO tells it */
    uint32_t file_line;        /* the same in sh->file itself */
    int32_t outer_shift;       /* sh->line_shift around */
};

/* Lines count from 1 in what runs now, called NAME, until where_leave. */
void where_enter(struct shell *sh, struct where *where, const char *name);
void where_leave(struct shell *sh, const struct where *where);

/* LINE of what runs now, as LINENO tells it. */
static inline uint32_t where_line(const struct shell *sh, uint32_t line)
{
    return line + (uint32_t)sh->line_shift;
}
/* The line of sh->file that LINE of what runs now belongs to. */
uint32_t where_file_line(const struct shell *sh, uint32_t line);
/* For a message about the running line: writes `eval: line N: ` for each text around it into TEXT,
 * returns its length and the line in the file. */
size_t where_describe(const struct shell *sh, char *text, size_t bytes, uint32_t *ret_line);

/* The script PATH is about to run: keeps its name from the root for .sh.file. */
void where_script(struct shell *sh, const char *path);
/* PATH from the root, if it was kept; else PATH. */
const char *where_script_path(const struct shell *sh, const char *path);

void where_release(struct shell *sh);

#endif
