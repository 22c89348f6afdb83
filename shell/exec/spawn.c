/*
 * Starting programs: vfork and exec.
 *
 * The child shares our memory until it has exec'd, so its cost does not depend on how much the
 * shell holds, and it tells us by a plain variable why it could not. It runs on a stack of its own
 * and calls only what is async-signal-safe. Where there are handlers all signals are blocked until
 * they are gone there: a handler that ran would write into our memory.
 *
 * A file that the kernel does not know (ENOEXEC) and that is text is run by this shell again, as
 * POSIX asks.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/base/diag.h"
#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/exec/spawn_private.h"
#include "shell/exec/trap.h"
#include "shell/state/env.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

enum { CHILD_STACK_BYTES = 65536 };

/* What the child needs; in our memory, which it shares. */
struct start {
    struct shell *sh;
    const char *path;
    char *const *argv;
    char *const *envp;
    struct fd_move *moves;
    size_t move_count;
    const struct process_place *place;
    bool blocks; /* signals are blocked, MASK is what was before */
    sigset_t mask;
    int error; /* errno of what failed in the child */
};

/* Returns its exit status: to call _exit() here would have the sanitizers look at a stack that is
 * not the process's. Not instrumented: the address sanitizer does not know this stack, and says so
 * at each _exit. */
__attribute__((no_sanitize("address"))) static int child_main(void *arg)
{
    struct start *start = arg;
    process_enter_place(start->place);
    start->error = fdtab_child_apply(start->moves, start->move_count);
    if (start->error)
        return 126;
    traps_reset_in_child(start->sh);
    process_ignore_interrupts(start->place);
    if (start->blocks)
        sigprocmask(SIG_SETMASK, &start->mask, NULL);
    execve(start->path, start->argv, start->envp);
    start->error = errno;
    return 127;
}

/* Runs child_main in a process that shares our memory. -1: no process (errno). */
static pid_t vfork_start(struct start *start)
{
    static _Alignas(16) char stack[CHILD_STACK_BYTES];
    sigset_t all;
    sigfillset(&all);
    start->blocks = process_blocks_signals(start->sh, start->place);
    if (start->blocks)
        sigprocmask(SIG_BLOCK, &all, &start->mask);
    start->error = 0;
    pid_t pid = clone(child_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    int error = errno;
    if (start->blocks)
        sigprocmask(SIG_SETMASK, &start->mask, NULL);
    errno = error;
    return pid;
}

/* ---- why a program cannot be run ------------------------------------------------------------ */

/* The first bytes of PATH; 0 when it cannot be read. */
static size_t read_head(const char *path, char *ret, size_t max)
{
    int fd = sys_open(path, O_RDONLY, 0);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, ret, max);
    close(fd);
    return n > 0 ? (size_t)n : 0;
}

static bool is_binary(const char *path)
{
    char head[SCRIPT_HEAD_BYTES];
    return script_is_binary(head, read_head(path, head, sizeof head));
}

/* The interpreter that the first line of PATH names, cut to 127 bytes; "" if none. */
static void read_interpreter(const char *path, char ret[128])
{
    char head[256];
    size_t len = read_head(path, head, sizeof head - 1);
    head[len] = '\0';
    ret[0] = '\0';
    if (strncmp(head, "#!", 2) != 0)
        return;
    const char *text = head + 2 + strspn(head + 2, " \t");
    size_t bytes = strcspn(text, " \t\r\n");
    if (bytes > 127)
        bytes = 127;
    memcpy(ret, text, bytes);
    ret[bytes] = '\0';
}

enum flow spawn_fail(struct shell *sh, const char *name, const char *path, int error)
{
    struct stat st;
    char interpreter[128];
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return shell_fail(sh, ERROR_COMMAND, 126, name, "cannot execute [Is a directory]");
    switch (error) {
    case ENOENT:
        if (!exists)
            return shell_fail(sh, ERROR_COMMAND, 127, name, "not found");
        read_interpreter(path, interpreter);
        return shell_fail(sh, ERROR_COMMAND, 126, name,
                          "cannot execute: interpreter `%s' not found", interpreter);
    case E2BIG:
        return shell_fail(sh, ERROR_COMMAND, 126, name, "argument list too long");
    default:
        return shell_fail(sh, ERROR_COMMAND, 126, name, "cannot execute [%s]", strerror(error));
    }
}

/* ---- starting ------------------------------------------------------------------------------- */

enum flow spawn_prepare(struct shell *sh)
{
    signal_before_children(sh);
    (void)fdtab_flush(sh); /* the writer's error is reported where its command ends */
    fdtab_input_sync(sh);
    return fdtab_promote(sh);
}

/* ARGV of the shell that runs PATH as a script; in the POSIX mode if this one is. */
static enum flow script_argv(struct shell *sh, const char *path, const char *const *argv,
                             const char *const **ret)
{
    size_t count = 0;
    while (argv[count])
        count++;
    const char **script = scratch_alloc(sh, (count + 4) * sizeof *script), **next = script;
    if (!script)
        return shell_fail_memory(sh, (count + 4) * sizeof *script);
    *next++ = diag_program;
    if (option_on(sh, OPTION_POSIX)) {
        *next++ = "-o";
        *next++ = "posix";
    }
    *next++ = path;
    memcpy(next, argv + 1, count * sizeof *next);
    *ret = script;
    return FLOW_NEXT;
}

static enum flow start_program(struct shell *sh, const char *name, const char *path,
                               const char *const *argv, char *const *envp,
                               const struct process_place *place, const int replace[3],
                               pid_t *ret_pid)
{
    struct start start = {
        .sh = sh, .path = path, .argv = (char *const *)argv, .envp = envp, .place = place
    };
    TRY(fdtab_child_moves(sh, replace, &start.moves, &start.move_count));
    pid_t pid = vfork_start(&start);
    if (pid < 0)
        return shell_fail(sh, ERROR_COMMAND, 126, name, "cannot start a process: %s",
                          strerror(errno));
    if (!start.error) {
        sh->counts.programs++;
        *ret_pid = pid;
        return FLOW_NEXT;
    }
    waitpid(pid, NULL, 0);
    if (place->terminal >= 0 && place->group == 0)
        jobs_foreground(sh); /* the child had taken it for its own group, which is gone */
    if (start.error != ENOEXEC || strcmp(path, "/proc/self/exe") == 0 || is_binary(path))
        return spawn_fail(sh, name, path, start.error);
    const char *const *script;
    TRY(script_argv(sh, path, argv, &script));
    return start_program(sh, name, "/proc/self/exe", script, envp, place, replace, ret_pid);
}

enum flow spawn_external(struct shell *sh, const char *name, const char *path,
                         const char *const *argv, const struct spawn_plan *plan, pid_t *ret_pid)
{
    struct process_place place;
    int replace[3] = { plan->in, plan->out, plan->err_to_out ? plan->out : -1 };
    int null = -1;
    char *const *envp;
    TRY(spawn_prepare(sh));
    TRY(env_build(sh, path, &envp));
    process_place_init(sh, plan, &place);
    if (place.null_input) {
        null = sys_open("/dev/null", O_RDONLY, 0);
        replace[0] = null;
    }
    enum flow flow = start_program(sh, name, path, argv, envp, &place, replace, ret_pid);
    if (null >= 0)
        close(null);
    if (flow == FLOW_NEXT) {
        process_place_done(&place, *ret_pid);
        if (plan->background)
            fdtab_input_share(sh);
    }
    return flow;
}

enum flow spawn_exec_env(struct shell *sh, const char *name, const char *path,
                         const char *const *argv, char *const *envp)
{
    /* Nobody would read what it writes to a ${ } of this process. */
    const int replace[3] = { -1, fdtab_behind_captures(sh), -1 };
    struct fd_move *moves;
    size_t count;
    sigset_t all, mask;
    TRY(spawn_prepare(sh));
    TRY(fdtab_child_moves(sh, replace, &moves, &count));
    if (access(path, X_OK) != 0)
        return spawn_fail(sh, name, path, errno);
    const char *const *script;
    TRY(script_argv(sh, path, argv, &script));
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    int error = fdtab_child_apply(moves, count);
    if (!error) {
        jobs_control_leave(sh);
        traps_reset_in_child(sh);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        mem_flush();
        execve(path, (char *const *)argv, envp);
        error = errno;
        if (error == ENOEXEC && !is_binary(path))
            execve("/proc/self/exe", (char *const *)script, envp);
        jobs_control_return(sh);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return spawn_fail(sh, name, path, error);
}

enum flow spawn_exec(struct shell *sh, const char *name, const char *path, const char *const *argv)
{
    char *const *envp;
    TRY(env_build(sh, path, &envp));
    return spawn_exec_env(sh, name, path, argv, envp);
}
