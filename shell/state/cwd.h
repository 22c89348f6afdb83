/* Working directory and umask; journaled (a subshell's cd ends with it). */
#ifndef SHELL_STATE_CWD_H
#define SHELL_STATE_CWD_H

#include "shell/state/shell.h"

/* Finds the start directory: PWD from the environment if it names ".", else getcwd. */
enum flow cwd_init(struct shell *sh) NODISCARD;
/* chdir to PATH; LOGICAL resolves .. in the text. Sets sh->cwd, PWD and OLDPWD. errno-style:
 * returns 0 or an errno in *RET_ERRNO with FLOW_NEXT; FLOW_ERROR only out of memory / readonly PWD.
 */
enum flow cwd_change(struct shell *sh, const char *path, bool logical, int *ret_errno) NODISCARD;
/* Appends PATH from the root, as `cd -L` finds it, to S, which is empty; false with errno. */
bool cwd_logical(struct shell *sh, const char *path, struct str *s);
/* Path of "." without symbolic links, appended to S; false and errno on failure. */
bool cwd_physical(struct str *s);
/* A descriptor of the script that is open on "." and not passed to commands; -1: there can be none.
 * It moves with the working directory when it is next asked for. */
enum flow cwd_descriptor(struct shell *sh, int *ret_fd) NODISCARD;
enum flow umask_set(struct shell *sh, mode_t mask) NODISCARD;

#endif
