/* The prompt. */
#ifndef SHELL_INTERACTIVE_REPL_H
#define SHELL_INTERACTIVE_REPL_H

#include "shell/state/shell.h"

/* Reads commands at the terminal until the end of input or exit. */
enum flow repl_run(struct shell *sh) NODISCARD;

#endif
