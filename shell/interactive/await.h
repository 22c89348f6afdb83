/* Waiting for what is typed. */
#ifndef SHELL_INTERACTIVE_AWAIT_H
#define SHELL_INTERACTIVE_AWAIT_H

#include "shell/state/shell.h"

enum await { AWAIT_INPUT, AWAIT_SIGNAL, AWAIT_TIMEOUT };

/* Waits until standard input can be read, something is pending (sh->pending), or SECONDS have
 * passed (0: for ever). Signals are blocked between looking and sleeping, so that none is missed.
 */
enum await await_input(struct shell *sh, long seconds);

/* A signal is pending that gives up the line being typed: ^C, or one that ends the shell. */
bool await_gives_up(const struct shell *sh);

#endif
