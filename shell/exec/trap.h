/* Signals and traps. Handlers set a bit; actions run in trap_run_pending, called where sh->pending
 * is tested.
 *
 * A trap belongs to the subshell and the ksh function that set it: inside another one it is not
 * active (a signal then is passed on to the caller), though it is listed until that subshell sets
 * one of its own. Nothing has to be done for that on entry. */
#ifndef SHELL_EXEC_TRAP_H
#define SHELL_EXEC_TRAP_H

#include "shell/state/shell.h"

/* Pseudo-signals besides 1..NSIG-1. */
enum { TRAP_EXIT = 0, TRAP_ERR = 200, TRAP_DEBUG, TRAP_KEYBD, TRAP_MEM, TRAP_END };

struct traps *traps_new(struct mem_region *region);
void traps_free(struct traps *traps);
/* Start: the memory limit is noted, and an interactive shell gets its handlers (which signals were
 * ignored on entry is found out when it matters). */
void traps_init(struct shell *sh);
/* Sets the action (NULL: default; "": ignore), journaled: a FUNC frame restores traps set in a ksh
 * function, a SUBSHELL all. Signals that were ignored when a non-interactive shell started stay so.
 */
enum flow trap_set(struct shell *sh, int signal, const char *action) NODISCARD;
/* For listing; NULL: default, "": ignored, also since before the shell started. */
const char *trap_get(struct shell *sh, int signal);
/* `INT`, `SIGINT`, `2`, `EXIT`, `0`, `ERR`, `DEBUG`, `MEM`: -1 unknown. */
int trap_parse(const char *name);
const char *trap_name(int signal); /* "INT"; NULL: none */
/* Runs actions of signals that arrived, and what a fatal signal without trap asks for (FLOW_EXIT
 * with 256+n). Called when sh->pending. $? is kept. */
enum flow trap_run_pending(struct shell *sh) NODISCARD;
/* Runs a pseudo trap (EXIT, ERR, DEBUG, MEM) if set. All but EXIT not recursively. The status is
 * the action's. */
enum flow trap_run(struct shell *sh, int pseudo) NODISCARD;
/* Runs the DEBUG action; *RET_STATUS is its exit status (2: skip the command, 255: return from the
 * function). $? is kept. */
enum flow trap_run_debug(struct shell *sh, int *ret_status) NODISCARD;
/* Is there an action here (in this subshell and function), or, for real signals, is it ignored by
 * `trap ''`? */
bool trap_is_set(const struct shell *sh, int signal);
/* The signal that has arrived and would run an action or end the shell now; 0: none. Those who wait
 * ask it after EINTR. */
int trap_pending_now(const struct shell *sh);
/* For a builtin that waits or works for long, when a signal may have come. One with an action, but
 * CHLD, ends the builtin: *RET_SIGNAL (0: none), whose status is then 256 + the signal, and whose
 * action runs after the command, outside of its redirections. What else has come is done here. */
enum flow trap_interrupt(struct shell *sh, int *ret_signal) NODISCARD;
/* As trap_pending_now, only signals that end the shell (or subshell): those who wait for a
 * foreground process stop waiting. */
bool trap_pending_fatal(const struct shell *sh);
/* The same with those of the terminal, and ^C at a prompt: those who wait for output that is not a
 * foreground process's stop waiting. */
bool trap_pending_end(const struct shell *sh);
/* Are signals that end the shell caught, because an EXIT trap has to run? */
bool trap_catches_fatal(const struct shell *sh);
/* A virtual subshell ended: what waited for the shell around it is pending again. */
void traps_leave_subshell(struct shell *sh);
/* kill(2) to this process is to follow: from a virtual subshell it is meant for the shell around,
 * whose process it is. False: it is not to be sent. As in ksh93 an action does not run again
 * because it sends its own signal, which would not end; in the POSIX mode it does, as in other
 * shells. */
bool trap_signal_self(struct shell *sh, int signal);
/* As if SIGNAL had come: a foreground job died of the terminal's interrupt, which its process group
 * got and we did not. */
void trap_note_signal(struct shell *sh, int signal);
/* What `exit` without operand uses: in a trap action the status from before it; else sh->status. */
int trap_exit_status(const struct shell *sh);
/* Whether a signal ends the shell: nothing is waited for any more. */
bool trap_is_dying(const struct shell *sh);
/* After the EXIT trap: if a signal ended the shell, it dies of that signal here, so that its parent
 * sees it; else returns. */
void trap_die(struct shell *sh);

/* ---- signal.c: what the process does about signals ---- */

/* In the child of a spawn (async-signal-safe): default dispositions for all that the shell handles;
 * ignored stay ignored. */
void traps_reset_in_child(struct shell *sh);
/* This process is a background list without job control: INT and QUIT are ignored from now on, but
 * it may trap them (unless they were ignored when the shell started). */
void traps_ignore_interrupts(struct shell *sh);
/* In a forked child: actions of the parent are not its own, handlers without action go. CONTINUES:
 * what the present virtual subshell set stays. */
void traps_after_fork(struct shell *sh, bool continues);
/* Before the first process is started: whoever started us may have left CHLD ignored, and then
 * nobody could be waited for. */
void signal_before_children(struct shell *sh);
/* From now on SIGCHLD sets PENDING_CHILD and interrupts waiting. */
void signal_watch_children(struct shell *sh);
/* Whether a handler may run: else a signal ends the process or does nothing, and whoever starts or
 * awaits a process need not block any. */
bool signal_may_act(const struct shell *sh);

/* What runs is given up without a message, up to the prompt, as by SIGNAL. */
enum flow trap_abort(struct shell *sh, int signal) NODISCARD;
/* From now on the shell runs the last part of JOB, a foreground job whose other parts have the
 * terminal (NULL: of none): a ^Z or ^C there is meant for what the shell runs, too. Returns what it
 * was before. */
struct job *trap_watch_heads(struct shell *sh, struct job *job);
/* Sets LINES and COLUMNS to the size of an interactive shell's terminal, if it has changed. */
void signal_window(struct shell *sh);

#endif
