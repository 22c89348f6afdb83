/* Lists run in the background: shared by background.c and coproc.c. */
#ifndef SHELL_EXEC_BACKGROUND_H
#define SHELL_EXEC_BACKGROUND_H

#include "shell/exec/jobs.h"

/* In a forked child: runs NODE as its last command, and exits. */
_Noreturn void background_child(struct shell *sh, const struct node *node);
/* PID, started for NODE, becomes a background job and $!. */
enum flow background_job(struct shell *sh, const struct node *node, pid_t pid,
                         struct job **ret_job) NODISCARD;

#endif
