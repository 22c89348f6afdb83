/*
 * The history file: commands typed or written with print -s, shared with other shells.
 *
 * The file is that of HISTFILE, by default ~/.sh_history, in ksh93's format. It is opened at first
 * use, and again when HISTFILE changes. Commands are numbered from 1; the last HISTSIZE (512) can
 * be had. A command that was typed stands in it while it runs, but is not yet one that can be had.
 */
#ifndef SHELL_STATE_HISTORY_H
#define SHELL_STATE_HISTORY_H

#include "shell/state/shell.h"

/* Opens the file or takes in what was added to it since, and sets HISTCMD. When it cannot be opened
 * or is none of ours: ERROR_BUILTIN in the name of COMMAND, or in an interactive shell a warning,
 * after which commands are kept in memory. */
enum flow history_refresh(struct shell *sh, const char *command) NODISCARD;
/* Cuts the file to what is kept if it has grown far beyond. Interactive shells do at their start.
 */
void history_trim(struct shell *sh);
/* The number of the running command, which was typed; else that of the next one. */
int64_t history_next(const struct shell *sh);
/* The number of the oldest command that can be had; history_next() when there is none. */
int64_t history_first(const struct shell *sh);
/* The text of command NUMBER, without a newline at its end; NULL: there is none. Dies with the next
 * call of history_refresh() or history_add(). */
const char *history_get(const struct shell *sh, int64_t number, size_t *ret_len);
/* When command NUMBER was added, in seconds since 1970; 0: not known. */
int64_t history_time(const struct shell *sh, int64_t number);
/* Adds TEXT, whose newlines at the end do not count. Hook history_add; what cannot be written is
 * lost. */
void history_add(struct shell *sh, const char *text, size_t len);
/* The same for what was typed and will run now, until history_running_end(). */
void history_add_running(struct shell *sh, const char *text, size_t len);
void history_running_end(struct shell *sh);
/* Takes it back: what runs in its place is added instead. */
void history_running_undo(struct shell *sh);
/* Whether HISTCONTROL, words between colons, has WORD. */
bool history_control(struct shell *sh, const char *word);
void history_free(struct shell *sh);

#endif
