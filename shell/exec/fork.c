/*
 * Copies of the shell: subshells that need a process, pipeline parts, background lists.
 *
 * The child drops what belongs to the parent: jobs, traps, what frames saved. Where there are
 * handlers signals are blocked over the fork, so that none runs in the child before it has its own
 * dispositions. Also here: process groups and the terminal, for both kinds of children.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/exec/spawn_private.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

enum { BACKGROUND_NICE = 4 };

void process_place_init(struct shell *sh, const struct spawn_plan *plan, struct process_place *ret)
{
    *ret = (struct process_place){ .group = -1, .terminal = -1 };
    if (plan->aside)
        return;
    ret->nice = plan->background && option_on(sh, OPTION_BGNICE);
    if (jobs_control(sh)) {
        ret->group = plan->group > 0 ? plan->group : plan->background ? 0 : jobs_joined(sh);
        if (!plan->background)
            ret->terminal = jobs_terminal(sh);
    } else {
        bool redirected = fdtab_input_redirected(sh) && !option_on(sh, OPTION_POSIX);
        ret->ignore_interrupts = plan->background;
        ret->null_input = plan->background && plan->in < 0 && !redirected;
    }
}

bool process_blocks_signals(const struct shell *sh, const struct process_place *place)
{
    return signal_may_act(sh) || place->group >= 0 || place->ignore_interrupts;
}

void process_enter_place(const struct process_place *place)
{
    if (place->nice)
        (void)!nice(BACKGROUND_NICE);
    if (place->group < 0)
        return;
    setpgid(0, place->group);
    /* With signals blocked TTOU does not stop us. */
    if (place->terminal >= 0)
        tcsetpgrp(place->terminal, getpgrp());
}

void process_ignore_interrupts(const struct process_place *place)
{
    struct sigaction action = { .sa_handler = SIG_IGN };
    if (!place->ignore_interrupts)
        return;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
}

void process_place_done(const struct process_place *place, pid_t pid)
{
    if (place->group >= 0)
        setpgid(pid, place->group);
}

/* What the frames outside of KEEP (NULL: all) would undo stays in the child. */
static void frames_keep(struct shell *sh, const struct frame *keep)
{
    for (struct frame *frame = sh->frame; frame; frame = frame->outer) {
        if (!keep || frame->id <= keep->id)
            frame_keep(sh, frame);
    }
}

static enum flow child_descriptors(struct shell *sh, const struct spawn_plan *plan,
                                   const struct process_place *place)
{
    int null = -1;
    if (place->null_input)
        null = sys_open("/dev/null", O_RDONLY, 0);
    if (plan->in >= 0 || null >= 0)
        TRY(fdtab_install(sh, NULL, STDIN_FILENO, plan->in >= 0 ? plan->in : null));
    if (plan->in >= 0)
        fdtab_note_input(sh);
    if (plan->out >= 0)
        TRY(fdtab_install(sh, NULL, STDOUT_FILENO, plan->out));
    if (plan->err_to_out)
        TRY(fdtab_dup(sh, NULL, STDERR_FILENO, STDOUT_FILENO));
    return FLOW_NEXT;
}

static enum flow child_start(struct shell *sh, const struct spawn_plan *plan,
                             const struct process_place *place, const sigset_t *mask)
{
    const struct frame *keep = plan->continues ? sh->frame->subshell : NULL;
    sh->is_child = true;
    if (!plan->continues)
        sh->random_state = sys_random();
    process_enter_place(place);
    traps_after_fork(sh, plan->continues);
    if (place->ignore_interrupts)
        traps_ignore_interrupts(sh);
    if (mask)
        sigprocmask(SIG_SETMASK, mask, NULL);
    if (!plan->continues)
        sh->random_state ^= (uint64_t)getpid() << 20; /* numbers of its own */
    jobs_after_fork(sh);
    fdtab_after_fork(sh, keep);
    frames_keep(sh, keep);
    if (plan->background)
        fdtab_input_share(sh);
    return child_descriptors(sh, plan, place);
}

enum flow spawn_fork(struct shell *sh, const struct spawn_plan *plan, pid_t *ret_pid)
{
    struct process_place place;
    sigset_t all, mask;
    TRY(spawn_prepare(sh));
    process_place_init(sh, plan, &place);
    /* The child sees the jobs as they are now: it cannot ask. Not in the middle of a pipeline,
     * whose parts are in no job yet. */
    if (plan->group <= 0)
        jobs_refresh(sh);
    bool blocks = process_blocks_signals(sh, &place);
    sigfillset(&all);
    if (blocks)
        sigprocmask(SIG_BLOCK, &all, &mask);
    pid_t pid = fork();
    if (pid == 0) {
        *ret_pid = 0;
        enum flow flow = child_start(sh, plan, &place, blocks ? &mask : NULL);
        if (flow != FLOW_NEXT) {
            shell_print_error(sh);
            _exit(1);
        }
        return FLOW_NEXT;
    }
    int error = errno;
    if (blocks)
        sigprocmask(SIG_SETMASK, &mask, NULL);
    if (pid < 0)
        return shell_fail(sh, ERROR_LIMIT, 126, NULL, "cannot start a process: %s",
                          strerror(error));
    sh->counts.forks++;
    if (sh->measure_depth)
        sh->counts.fork_bytes += sys_resident_bytes();
    process_place_done(&place, pid);
    if (plan->background)
        fdtab_input_share(sh);
    *ret_pid = pid;
    return FLOW_NEXT;
}
