/* Between spawn.c (programs) and fork.c (copies of the shell): where a new process belongs. */
#ifndef SHELL_EXEC_SPAWN_PRIVATE_H
#define SHELL_EXEC_SPAWN_PRIVATE_H

#include "shell/exec/spawn.h"

struct process_place {
    pid_t group;            /* -1 the shell's; 0 a new one; else joined */
    int terminal;           /* to be given to the group; -1: none */
    bool nice;              /* set -o bgnice: less urgent than what is in the foreground */
    bool ignore_interrupts; /* a background process without job control */
    bool null_input;        /* and one whose standard input is the script's own */
};
void process_place_init(struct shell *sh, const struct spawn_plan *plan, struct process_place *ret);
/* Whether signals have to be blocked until the child is in its place: a handler must not run there,
 * nor a signal end it that it will ignore, and only so may it take the terminal. */
bool process_blocks_signals(const struct shell *sh, const struct process_place *place);
/* In the child, async-signal-safe, signals blocked if process_blocks_signals says so. */
void process_enter_place(const struct process_place *place);
void process_ignore_interrupts(const struct process_place *place);
/* In the parent: whoever of the two comes first does it. */
void process_place_done(const struct process_place *place, pid_t pid);

/* Writes output, gives back input, makes sinks real. */
enum flow spawn_prepare(struct shell *sh) NODISCARD;
/* Says why PATH could not be executed. */
enum flow spawn_fail(struct shell *sh, const char *name, const char *path, int error) NODISCARD;

#endif
