/*
 * History expansion, in the manner of csh: `!` and `^` in a line that was typed, or an operand of
 * `hist -p`.
 */
#ifndef SHELL_STATE_HISTEXPAND_H
#define SHELL_STATE_HISTEXPAND_H

#include "shell/base/str.h"
#include "shell/state/shell.h"

enum histexpand_result {
    HISTEXPAND_NOTHING, /* the line has none */
    HISTEXPAND_DONE,
    HISTEXPAND_PRINT, /* done, and only to be shown */
    HISTEXPAND_FAILED /* sh->err says why */
};

/* What later expansions refer to. */
struct histexpand {
    struct str sought;   /* by the last !?...? */
    struct str old, new; /* of the last substitution */
};

void histexpand_init(struct histexpand *state, struct mem_region *region);
void histexpand_release(struct histexpand *state);

/* Expands LINE of LEN bytes, without its newline, into RET, which the caller has made. */
enum histexpand_result histexpand_line(struct shell *sh, struct histexpand *state, const char *line,
                                       size_t len, struct str *ret);

#endif
