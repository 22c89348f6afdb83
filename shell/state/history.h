/*
 * The history file: commands typed or written with print -s, shared with other shells.
 *
 * The file is that of HISTFILE, by default ~/.sh_history, in ksh93's format. It is opened at first
 * use, and again when HISTFILE changes. Commands are numbered from 1; the last HISTSIZE (512) can
 * be had.
 */
#ifndef SHELL_STATE_HISTORY_H
#define SHELL_STATE_HISTORY_H

#include "shell/state/shell.h"

/* Opens the file or takes in what was added to it since, and sets HISTCMD. ERROR_BUILTIN in the
 * name of COMMAND when it cannot be opened. */
enum flow history_refresh(struct shell *sh, const char *command) NODISCARD;
/* The number that the next command will have. */
int64_t history_next(const struct shell *sh);
/* The number of the oldest command that can be had; history_next() when there is none. */
int64_t history_first(const struct shell *sh);
/* The text of command NUMBER, without a newline at its end; NULL: there is none. Dies with the next
 * call of history_refresh() or history_add(). */
const char *history_get(const struct shell *sh, int64_t number, size_t *ret_len);
/* Adds TEXT, whose newlines at the end do not count. Hook history_add; what cannot be written is
 * lost. */
void history_add(struct shell *sh, const char *text, size_t len);
void history_free(struct shell *sh);

#endif
