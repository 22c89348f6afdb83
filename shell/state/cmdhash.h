/* Where commands are: PATH search and tracked paths. */
#ifndef SHELL_STATE_CMDHASH_H
#define SHELL_STATE_CMDHASH_H

#include "shell/state/shell.h"

/* Path of NAME (no slash in it) by PATH, from the table when tracked; NULL with errno ENOENT or EACCES. Borrowed
 * until the table changes. DEFAULT_PATH: search the standard PATH and do not track (command -p). */
const char *cmdhash_find(struct shell *sh, const char *name, bool default_path);
enum flow cmdhash_add(struct shell *sh, const char *name, const char *path) NODISCARD;
bool cmdhash_remove(struct shell *sh, const char *name);
void cmdhash_clear(struct shell *sh);
/* All places in PATH where NAME is executable, appended to PATHS (scratch copies): whence -a. */
enum flow cmdhash_find_all(struct shell *sh, const char *name, struct vec *paths) NODISCARD;
/* The same search for a file that need only be readable (dot scripts, autoload in FPATH). NULL when absent. Scratch. */
const char *path_search(struct shell *sh, const char *path_list, const char *name, bool executable);

#endif
