/* The prompt. */
#ifndef SHELL_INTERACTIVE_REPL_H
#define SHELL_INTERACTIVE_REPL_H

#include "shell/state/shell.h"

/* Before the profiles are read: what they may use of the editor and the terminal is there. */
void repl_init(struct shell *sh);
/* Reads commands at the terminal until the end of input or exit. */
enum flow repl_run(struct shell *sh) NODISCARD;

#endif
