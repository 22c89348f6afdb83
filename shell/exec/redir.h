/* Redirections of a command: all of ast.h's redir_op. */
#ifndef SHELL_EXEC_REDIR_H
#define SHELL_EXEC_REDIR_H

#include "shell/state/frame.h"
#include "shell/syntax/ast.h"

/* Carries out REDIRS left to right, saving what they replace in TARGET (frame_target(TARGET_CMD),
 * or for `exec` the nearest SUBSHELL / NULL). On failure FLOW_ERROR (ERROR_REDIRECT); the frame's
 * pop undoes those already made. {var}> descriptors live as long (ksh93). */
enum flow redir_apply(struct shell *sh, struct frame *target, const struct redir *redirs,
                      size_t count) NODISCARD;

#endif
