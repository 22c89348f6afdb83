/* The environment: imported at start, rebuilt for children only when an export changed. */
#ifndef SHELL_STATE_ENV_H
#define SHELL_STATE_ENV_H

#include "shell/state/shell.h"

/* Imports ENVP as exported variables; sets the defaults a shell starts with (IFS, PS1, PS2, PS4,
 * OPTIND, PWD, PPID ...). */
enum flow env_import(struct shell *sh, char *const *envp) NODISCARD;
/* envp for a child that runs PATH, valid until an export changes or the next call. Names that are
 * not shell names and came in at start go out again unchanged; `_` is `*PID*PATH` with the process
 * id of this shell, by which a shell knows that it is meant, or, when PATH is NULL, left out. */
enum flow env_build(struct shell *sh, const char *path, char *const **ret_envp) NODISCARD;
/* Only the assignments before the running command (`x=1 exec -c cmd`). In scratch. */
enum flow env_build_temporary(struct shell *sh, char *const **ret_envp) NODISCARD;
/* Called by shell_new and shell_free. */
enum flow env_init(struct shell *sh) NODISCARD;
void env_release(struct shell *sh);

#endif
