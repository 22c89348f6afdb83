/* Aliases. Journaled. */
#ifndef SHELL_STATE_ALIAS_H
#define SHELL_STATE_ALIAS_H

#include "shell/state/shell.h"

const char *alias_get(struct shell *sh, const char *name, size_t len); /* NULL: none */
enum flow alias_set(struct shell *sh, const char *name, const char *value) NODISCARD;
enum flow alias_unset(struct shell *sh, const char *name, bool *ret_found) NODISCARD;
enum flow alias_unset_all(struct shell *sh) NODISCARD;
/* Names in byte order, NULL-terminated, in scratch. */
enum flow alias_list(struct shell *sh, const char ***ret_names, size_t *ret_count) NODISCARD;
/* The end of the shell: forgets all, without record. */
void alias_free_all(struct shell *sh);
/* The built-in aliases of ksh93u+m (history, r): for interactive shells. */
enum flow alias_init(struct shell *sh) NODISCARD;

#endif
