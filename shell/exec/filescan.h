/* `while <file; do list; done`. */
#ifndef SHELL_EXEC_FILESCAN_H
#define SHELL_EXEC_FILESCAN_H

#include "shell/exec/exec.h"

/* The redirection that is all of the condition of NODE, when that makes it a loop over lines; else
 * NULL. */
const struct redir *filescan_source(const struct shell *sh, const struct node_while *node);
/* Runs such a loop. */
enum flow exec_filescan(struct shell *sh, const struct node_while *node,
                        const struct redir *redir) NODISCARD;

#endif
