/* Signals and traps. Handlers set a bit; actions run in trap_run_pending, called where sh->pending is tested. */
#ifndef SHELL_EXEC_TRAP_H
#define SHELL_EXEC_TRAP_H

#include "shell/state/shell.h"

/* Pseudo-signals besides 1..NSIG-1. */
enum { TRAP_EXIT = 0, TRAP_ERR = 200, TRAP_DEBUG, TRAP_KEYBD, TRAP_END };

struct traps *traps_new(struct mem_region *region);
void traps_free(struct traps *traps);
/* Start: remembers which signals were ignored on entry (they cannot be trapped in non-interactive shells), sets the shell's own handlers. */
void traps_init(struct shell *sh);
/* Sets the action (NULL: default; "": ignore), journaled: a FUNC frame restores traps set in a ksh function, a SUBSHELL all. */
enum flow trap_set(struct shell *sh, int signal, const char *action) NODISCARD;
const char *trap_get(struct shell *sh, int signal); /* NULL: default */
/* `INT`, `SIGINT`, `2`, `EXIT`, `0`, `ERR`, `DEBUG`: -1 unknown. */
int trap_parse(const char *name);
const char *trap_name(int signal); /* "INT"; NULL: none */
/* A subshell starts: trapped (not ignored) signals go back to default, but trap listing still shows the parent's until changed. */
enum flow traps_enter_subshell(struct shell *sh) NODISCARD;
/* Runs actions of signals that arrived, and what a fatal signal without trap asks for (FLOW_EXIT with 128+n). Called when sh->pending. $? is kept. */
enum flow trap_run_pending(struct shell *sh) NODISCARD;
/* Runs a pseudo trap (EXIT, ERR, DEBUG) if set. ERR and DEBUG not recursively. */
enum flow trap_run(struct shell *sh, int pseudo) NODISCARD;
/* Runs the DEBUG action; *RET_STATUS is its exit status (2: skip the command, 255: return from the function). $? is kept. */
enum flow trap_run_debug(struct shell *sh, int *ret_status) NODISCARD;
bool trap_is_set(const struct shell *sh, int signal);
/* In the child of a spawn (async-signal-safe): default dispositions for all that the shell handles; ignored stay ignored. */
void traps_reset_in_child(struct shell *sh);
/* sigset of signals to be blocked around vfork. */

#endif
