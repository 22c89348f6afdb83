/* Starting processes. */
#ifndef SHELL_EXEC_SPAWN_H
#define SHELL_EXEC_SPAWN_H

#include "shell/state/shell.h"

/* What a child gets besides the shell's own state. */
struct spawn_plan {
    int in, out; /* descriptors to become 0 and 1; -1: as they are */
    pid_t group; /* process group: >0 join; else a new one under job control, the shell's without */
    bool background; /* without job control: INT and QUIT ignored, stdin from /dev/null if it is the
                        script's; else: does not get the terminal */
    bool aside; /* runs beside a command (process substitution): no process group, no terminal */
    bool err_to_out; /* 2 also to OUT */
    bool continues;  /* spawn_fork: the child goes on in the present virtual subshell
                        (subshell_materialize) */
};

/* Starts PATH with ARGV and the exported environment by vfork (cost independent of heap size).
 * Flushes output, syncs input, promotes sinks first. Signals the shell traps or ignores for itself
 * are reset in the child. ENOEXEC: run again as a script of this shell (by /proc/self/exe).
 * *RET_PID. FLOW_ERROR ERROR_COMMAND: 126 cannot execute, 127 not found; what: NAME. */
enum flow spawn_external(struct shell *sh, const char *name, const char *path,
                         const char *const *argv, const struct spawn_plan *plan,
                         pid_t *ret_pid) NODISCARD;
/* Replaces the shell by PATH (exec builtin, last command of -c). Returns only on failure
 * (FLOW_ERROR). */
enum flow spawn_exec(struct shell *sh, const char *name, const char *path,
                     const char *const *argv) NODISCARD;
/* The same with another environment (exec -c). */
enum flow spawn_exec_env(struct shell *sh, const char *name, const char *path,
                         const char *const *argv, char *const *envp) NODISCARD;
/* Forks a copy of the shell for background lists, pipeline parts, subshells that need a process. In
 * the child *RET_PID is 0, sh->is_child is set, traps reset, jobs forgotten. */
enum flow spawn_fork(struct shell *sh, const struct spawn_plan *plan, pid_t *ret_pid) NODISCARD;

#endif
