/* Starting processes. */
#ifndef SHELL_EXEC_SPAWN_H
#define SHELL_EXEC_SPAWN_H

#include "shell/state/shell.h"

/* What a child gets besides the shell's own state. */
struct spawn_plan {
    int in, out;         /* descriptors to become 0 and 1; -1: as they are */
    pid_t group;         /* process group: -1 the shell's, 0 a new one, >0 join */
    bool foreground;     /* give it the terminal */
    bool background;     /* no job control: ignore INT and QUIT, stdin from /dev/null */
    bool err_to_out;     /* 2 also to OUT */
};

/* Starts PATH with ARGV and the exported environment by vfork (cost independent of heap size). Flushes output, syncs input, promotes
 * sinks first. Signals the shell traps or ignores for itself are reset in the child. ENOEXEC: run again as a script of this
 * shell (by /proc/self/exe). *RET_PID. FLOW_ERROR ERROR_COMMAND: 126 cannot execute, 127 not found; what: NAME. */
enum flow spawn_external(struct shell *sh, const char *name, const char *path, const char *const *argv, const struct spawn_plan *plan,
                         pid_t *ret_pid) NODISCARD;
/* Replaces the shell by PATH (exec builtin, last command of -c). Returns only on failure (FLOW_ERROR). */
enum flow spawn_exec(struct shell *sh, const char *name, const char *path, const char *const *argv) NODISCARD;
/* Forks a copy of the shell for background lists, pipeline parts, subshells that need a process. In the child *RET_PID is 0, sh->is_child is set,
 * traps reset, jobs forgotten. */
enum flow spawn_fork(struct shell *sh, const struct spawn_plan *plan, pid_t *ret_pid) NODISCARD;

#endif
