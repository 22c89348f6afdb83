/* A stack big enough for what the shell allows to nest. */
#ifndef SHELL_STACK_H
#define SHELL_STACK_H

/* Calls RUN(CTX, FLOOR) on a large stack; FLOOR is an address that deep recursion must stay above.
 * Returns what RUN returns. Where no such stack can be had, runs on the present one. */
int stack_run(int (*run)(void *ctx, const char *floor), void *ctx);

#endif
