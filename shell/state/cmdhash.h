/* Where commands are: PATH search and tracked paths. */
#ifndef SHELL_STATE_CMDHASH_H
#define SHELL_STATE_CMDHASH_H

#include "shell/state/shell.h"

/* The folder in PATH that stands for the builtins that are bound to it. It need not exist. */
#define CMDHASH_BUILTIN_FOLDER "/opt/ast/bin/"

/* Is PATH, which has a slash, the name of a builtin? Costs a compare as a rule. */
bool cmdhash_is_builtin(struct shell *sh, const char *path);

/* Path of NAME (no slash in it) by PATH, from the table when tracked; NULL with errno ENOENT or
 * EACCES. It may be that of a builtin (cmdhash_is_builtin), where no file need be. Borrowed until
 * the table changes. DEFAULT_PATH: search the standard PATH and do not track (command -p). */
const char *cmdhash_find(struct shell *sh, const char *name, bool default_path);
/* Forgets where NAME leads; false: it was not tracked. */
bool cmdhash_remove(struct shell *sh, const char *name);
/* Forgets all. */
void cmdhash_clear(struct shell *sh);
/* Tracked names in byte order, NULL-terminated, in scratch; cmdhash_path tells where one leads
 * (borrowed; NULL: not tracked). */
enum flow cmdhash_list(struct shell *sh, const char ***ret_names, size_t *ret_count) NODISCARD;
const char *cmdhash_path(struct shell *sh, const char *name);
/* All places in PATH where NAME is executable, appended to PATHS (scratch copies): whence -a. */
enum flow cmdhash_find_all(struct shell *sh, const char *name, struct vec *paths) NODISCARD;
/* The same search for a file that need only be readable (dot scripts, autoload in FPATH). NULL when
 * absent. Scratch. */
const char *path_search(struct shell *sh, const char *path_list, const char *name, bool executable);

#endif
