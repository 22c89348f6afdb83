/*
 * Trap actions: set, listed, journaled, run.
 *
 * Owns the table of actions. Whether an action is active is decided by where it was set: a
 * subshell's frame is newer than the actions of its parent, a ksh function has an id of its own. So
 * entering either costs nothing, and the journal only saves what a subshell or function overwrites.
 * An action's text is copied before it runs: it may change its own trap.
 *
 * A signal without active action that some outer level waits for is passed on: it stays noted, and
 * the function or, for the terminal's signals, the subshell ends. dying_of: a signal ends the
 * shell; it dies of it in trap_die.
 */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap_private.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"
#include "shell/state/site.h"

static const char *const names[TRAP_SIGNALS] = {
    "EXIT",     "HUP",      "INT",      "QUIT",     "ILL",      "TRAP",     "ABRT",     "BUS",
    "FPE",      "KILL",     "USR1",     "SEGV",     "USR2",     "PIPE",     "ALRM",     "TERM",
    "STKFLT",   "CHLD",     "CONT",     "STOP",     "TSTP",     "TTIN",     "TTOU",     "URG",
    "XCPU",     "XFSZ",     "VTALRM",   "PROF",     "WINCH",    "POLL",     "PWR",      "SYS",
    NULL,       NULL,       "RTMIN",    "RTMIN+1",  "RTMIN+2",  "RTMIN+3",  "RTMIN+4",  "RTMIN+5",
    "RTMIN+6",  "RTMIN+7",  "RTMIN+8",  "RTMIN+9",  "RTMIN+10", "RTMIN+11", "RTMIN+12", "RTMIN+13",
    "RTMIN+14", "RTMIN+15", "RTMAX-14", "RTMAX-13", "RTMAX-12", "RTMAX-11", "RTMAX-10", "RTMAX-9",
    "RTMAX-8",  "RTMAX-7",  "RTMAX-6",  "RTMAX-5",  "RTMAX-4",  "RTMAX-3",  "RTMAX-2",  "RTMAX-1",
    "RTMAX",
};

/* ---- names ---------------------------------------------------------------------------------- */

static int trap_index(int signal)
{
    return signal >= TRAP_ERR ? TRAP_INDEX_ERR + signal - TRAP_ERR : signal;
}

static bool is_valid(int signal)
{
    return (signal >= 0 && signal < TRAP_SIGNALS) || (signal >= TRAP_ERR && signal < TRAP_END);
}

const char *trap_name(int signal)
{
    static const char *const pseudo[] = { "ERR", "DEBUG", "KEYBD", "MEM" };
    if (signal >= TRAP_ERR && signal < TRAP_END)
        return pseudo[signal - TRAP_ERR];
    return signal >= 0 && signal < TRAP_SIGNALS ? names[signal] : NULL;
}

int trap_parse(const char *name)
{
    static const struct {
        const char *name;
        int signal;
    } others[] = { { "ERR", TRAP_ERR }, { "DEBUG", TRAP_DEBUG }, { "KEYBD", TRAP_KEYBD },
                   { "MEM", TRAP_MEM }, { "CLD", SIGCHLD },      { "IOT", SIGABRT },
                   { "IO", SIGIO } };
    if (isdigit((unsigned char)*name)) {
        char *end;
        long number = strtol(name, &end, 10);
        return *end || number >= TRAP_SIGNALS ? -1 : (int)number;
    }
    if (strncasecmp(name, "SIG", 3) == 0)
        name += 3;
    for (int signal = 0; signal < TRAP_SIGNALS; signal++) {
        if (names[signal] && strcasecmp(name, names[signal]) == 0)
            return signal;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcasecmp(name, others[i].name) == 0)
            return others[i].signal;
    }
    return -1;
}

/* ---- the table ------------------------------------------------------------------------------ */

struct traps *traps_new(struct mem_region *region)
{
    struct traps *traps = mem_alloc_zeroed(region, sizeof *traps);
    if (traps)
        traps->region = region;
    return traps;
}

void traps_free(struct traps *traps)
{
    if (!traps)
        return;
    for (int i = 0; i < TRAP_COUNT; i++)
        mem_free(traps->traps[i].action);
    mem_free_sized(traps->region, traps, sizeof *traps);
}

static uint64_t function_id(const struct shell *sh)
{
    return sh->frame->func ? sh->frame->func->id : 0;
}

/* Traps set before this id are those of a parent shell. */
static uint64_t subshell_id(const struct shell *sh)
{
    uint64_t id = sh->frame->subshell ? sh->frame->subshell->id : 0;
    return id > sh->traps->fork_id ? id : sh->traps->fork_id;
}

/* Is INDEX's action one of this subshell and this function? */
static bool is_mine(const struct shell *sh, int index)
{
    const struct trap *trap = &sh->traps->traps[index];
    if (!trap->action)
        return false;
    if (!*trap->action && index > 0 && index < TRAP_SIGNALS)
        return true;
    bool traces = index == TRAP_INDEX_DEBUG && option_on(sh, OPTION_FUNCTRACE);
    if (!traces && trap->set_id < subshell_id(sh))
        return false;
    return traces || index == TRAP_INDEX_MEM || trap->func_id == function_id(sh);
}

bool trap_is_set(const struct shell *sh, int signal)
{
    const struct traps *traps = sh->traps;
    return traps->action_count > 0 && is_valid(signal) && is_mine(sh, trap_index(signal));
}

const char *trap_get(struct shell *sh, int signal)
{
    struct traps *traps = sh->traps;
    if (!is_valid(signal))
        return NULL;
    int index = trap_index(signal);
    const struct trap *trap = &traps->traps[index];
    /* An interactive shell may have changed it. */
    bool untouchable = !sh->interactive || !trap->set_id;
    if (!trap->action && index > 0 && index < TRAP_SIGNALS && untouchable &&
        signal_ignored_at_start(sh, signal))
        return "";
    if (!trap->action || is_mine(sh, index))
        return trap->action;
    /* A subshell that set none yet shows those of its parent, a ksh function never. */
    bool untouched = traps->changed_id < subshell_id(sh);
    return untouched && trap->func_id == function_id(sh) ? trap->action : NULL;
}

struct trap_save {
    struct trap old;
    uint64_t changed_id;
};

static void action_replace(struct shell *sh, int index, char *action)
{
    struct traps *traps = sh->traps;
    traps->action_count += (action != NULL) - (traps->traps[index].action != NULL);
    traps->traps[index].action = action;
}

static void restore(struct shell *sh, void *a, uintptr_t b)
{
    struct trap_save *save = a;
    struct traps *traps = sh->traps;
    int index = (int)b;
    mem_free(traps->traps[index].action);
    action_replace(sh, index, save->old.action);
    traps->traps[index] = save->old;
    traps->changed_id = save->changed_id;
    mem_free_sized(sh->nodes, save, sizeof *save);
    if (index > 0 && index < TRAP_SIGNALS)
        signal_apply(sh, index);
}

/* Moves the old action to the journal of TARGET. */
static enum flow trap_save(struct shell *sh, struct frame *target, int index)
{
    struct trap *trap = &sh->traps->traps[index];
    struct trap_save *save = mem_alloc(sh->nodes, sizeof *save);
    if (!save || frame_record_call(sh, target, restore, save, (uintptr_t)index) != FLOW_NEXT) {
        mem_free(save);
        return shell_fail_memory(sh, sizeof *save);
    }
    *save = (struct trap_save){ .old = *trap, .changed_id = sh->traps->changed_id };
    action_replace(sh, index, NULL);
    trap->stamp = target->id;
    if (target->kind == FRAME_SUBSHELL && save->old.action)
        trap->outer_action = *save->old.action != '\0';
    return FLOW_NEXT;
}

enum flow trap_set(struct shell *sh, int signal, const char *action)
{
    struct traps *traps = sh->traps;
    int index = trap_index(signal);
    struct trap *trap = &traps->traps[index];
    bool is_signal = index > 0 && index < TRAP_SIGNALS;
    if (is_signal && signal_ignored_at_start(sh, signal) && !sh->interactive)
        return FLOW_NEXT;
    char *copy = action ? text_dup(traps->region, action) : NULL;
    if (action && !copy)
        return shell_fail_memory(sh, strlen(action) + 1);
    if (signal == SIGCHLD && !trap->action) { /* what ended before is not its business */
        int unused[JOBS_ENDED_KEPT];
        jobs_poll(sh);
        (void)jobs_ended_take(sh, unused);
    }
    struct frame *target = frame_target(sh, TARGET_LOCAL);
    if (frame_should_record(target, trap->stamp)) {
        enum flow flow = trap_save(sh, target, index);
        if (flow != FLOW_NEXT) {
            mem_free(copy);
            return flow;
        }
    }
    mem_free(trap->action);
    action_replace(sh, index, copy);
    trap->set_id = traps->changed_id = sh->frame_id;
    trap->func_id = function_id(sh);
    if (is_signal && signal < 64)
        traps->taken_over &= ~(UINT64_C(1) << signal);
    if (is_signal)
        signal_apply(sh, signal);
    else if (index == TRAP_EXIT && action && !traps->exit_handlers)
        signal_apply_fatal(sh);
    return FLOW_NEXT;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Runs ACTION with $? as it is; sh->status is the action's afterwards. */
static enum flow action_run(struct shell *sh, const char *action)
{
    struct traps *traps = sh->traps;
    struct frame frame;
    char *copy = text_dup(traps->region, action);
    if (!copy)
        return shell_fail_memory(sh, strlen(action) + 1);
    int status_before = traps->status_before;
    uint32_t loop_depth = sh->loop_depth;
    uint32_t site_parent = sh->site_parent;
    traps->status_before = sh->status;
    traps->depth++;
    sh->site_parent = 0; /* wherever it came from */
    site_look(sh);
    frame_push(sh, &frame, FRAME_TRAP);
    enum flow flow = exec_action(sh, copy);
    frame_pop(sh, &frame);
    sh->site_parent = site_parent;
    site_look(sh);
    traps->depth--;
    traps->status_before = status_before;
    sh->loop_depth = loop_depth;
    mem_free(copy);
    return flow;
}

int trap_exit_status(const struct shell *sh)
{
    return sh->traps->depth > 0 ? sh->traps->status_before : sh->status;
}

enum flow trap_run(struct shell *sh, int pseudo)
{
    struct traps *traps = sh->traps;
    int index = trap_index(pseudo);
    if (traps->running_pseudo == index && index)
        return FLOW_NEXT;
    if (!is_mine(sh, index))
        return FLOW_NEXT;
    if (pseudo == TRAP_EXIT) {
        /* Once: what it does, exit included, does not lead here again. */
        char *action = text_dup(traps->region, traps->traps[index].action);
        if (!action)
            return shell_fail_memory(sh, 0);
        enum flow flow = trap_set(sh, TRAP_EXIT, NULL);
        bool outer = traps->running_exit;
        traps->running_exit = true;
        if (flow == FLOW_NEXT)
            flow = action_run(sh, action);
        traps->running_exit = outer;
        mem_free(action);
        return flow;
    }
    int outer = traps->running_pseudo;
    traps->running_pseudo = index;
    enum flow flow = action_run(sh, traps->traps[index].action);
    traps->running_pseudo = outer;
    return flow;
}

enum flow trap_run_debug(struct shell *sh, int *ret_status)
{
    int status = sh->status;
    *ret_status = 0;
    if (sh->traps->running_pseudo == TRAP_INDEX_DEBUG)
        return FLOW_NEXT;
    enum flow flow = trap_run(sh, TRAP_DEBUG);
    *ret_status = sh->status;
    if (flow == FLOW_NEXT)
        sh->status = status;
    return flow;
}

/* ---- signals that arrived ------------------------------------------------------------------- */

enum verdict {
    VERDICT_NONE,   /* nothing to do: forget it */
    VERDICT_RUN,    /* run the action */
    VERDICT_LATER,  /* for a level further out */
    VERDICT_RETURN, /* ends the ksh function, then see again */
    VERDICT_EXIT,   /* ends the subshell, or the shell */
    VERDICT_ABORT,  /* ^C or a reader gone, under a prompt: ends the command */
};

static bool is_from_terminal(int signal)
{
    return signal == SIGINT || signal == SIGQUIT;
}

/* ksh93 runs the CHLD action for background jobs, POSIX for whatever sends the signal.
 * IS_WAITED_FOR: some level has an action. */
static enum verdict judge_child(const struct shell *sh, bool is_waited_for)
{
    if (!option_on(sh, OPTION_POSIX) && jobs_ended_count(sh) == 0)
        return VERDICT_NONE;
    return is_mine(sh, SIGCHLD) ? VERDICT_RUN : is_waited_for ? VERDICT_LATER : VERDICT_NONE;
}

static enum verdict judge_plain(const struct shell *sh, int signal)
{
    const struct traps *traps = sh->traps;
    const struct trap *trap = &traps->traps[signal];
    const char *action = trap_action(traps, signal);
    const struct frame *subshell = sh->frame->subshell;
    if (action && !*action)
        return VERDICT_NONE;
    bool outer_action = trap->outer_action && subshell && !subshell->is_process;
    if (signal == SIGCHLD)
        return judge_child(sh, outer_action || action);
    if (traps->outer[signal] && outer_action)
        return VERDICT_LATER;
    if (is_mine(sh, signal))
        return VERDICT_RUN;
    if (signal == SIGWINCH) /* ends nothing */
        return action || outer_action ? VERDICT_LATER : VERDICT_NONE;
    if (action && trap->set_id >= subshell_id(sh))
        return VERDICT_RETURN;
    /* The keyboard's signals end virtual subshells as they end processes; but one that a process
     * goes on with waits for that. */
    if (action || outer_action) /* outer: reset in this subshell */
        return is_from_terminal(signal) && !(subshell && subshell->handed_over) ? VERDICT_EXIT
                                                                                : VERDICT_LATER;
    if (sh->interactive && !sh->is_child && (signal == SIGINT || signal == SIGPIPE))
        return VERDICT_ABORT;
    return sh->exiting || !signal_is_fatal(signal) ? VERDICT_NONE : VERDICT_EXIT;
}

static enum verdict judge(const struct shell *sh, int signal)
{
    enum verdict verdict = judge_plain(sh, signal);
    bool ends = verdict == VERDICT_EXIT || verdict == VERDICT_RETURN;
    return ends && sh->traps->running_exit ? VERDICT_LATER : verdict;
}

int trap_pending_now(const struct shell *sh)
{
    for (int signal = 1; signal < TRAP_SIGNALS && (sh->pending & PENDING_SIGNAL); signal++) {
        /* The end of a child interrupts nothing, its action runs afterwards; POSIX makes no such
         * difference. */
        if (!signal_arrived(signal) || (signal == SIGCHLD && !option_on(sh, OPTION_POSIX)))
            continue;
        enum verdict verdict = judge(sh, signal);
        if (verdict != VERDICT_NONE && verdict != VERDICT_LATER)
            return signal;
    }
    return 0;
}

enum flow trap_interrupt(struct shell *sh, int *ret_signal)
{
    *ret_signal = 0;
    if (!(sh->pending & ~(int)PENDING_SAMPLE))
        return FLOW_NEXT;
    int signal = trap_pending_now(sh);
    if (!signal || signal == SIGCHLD || judge(sh, signal) != VERDICT_RUN)
        return trap_run_pending(sh);
    *ret_signal = signal;
    return FLOW_NEXT;
}

bool trap_catches_fatal(const struct shell *sh)
{
    return sh->traps->exit_handlers;
}

bool trap_pending_fatal(const struct shell *sh)
{
    for (int signal = 1; signal < TRAP_SIGNALS && (sh->pending & PENDING_SIGNAL); signal++) {
        if (signal_arrived(signal) && judge(sh, signal) == VERDICT_EXIT &&
            !is_from_terminal(signal))
            return true;
    }
    return false;
}

bool trap_pending_end(const struct shell *sh)
{
    for (int signal = 1; signal < TRAP_SIGNALS && (sh->pending & PENDING_SIGNAL); signal++) {
        enum verdict verdict = signal_arrived(signal) ? judge(sh, signal) : VERDICT_NONE;
        if (verdict == VERDICT_EXIT || verdict == VERDICT_ABORT)
            return true;
    }
    return false;
}

enum flow trap_abort(struct shell *sh, int signal)
{
    enum flow flow = shell_fail(sh, ERROR_LIMIT, 256 + signal, NULL, "interrupted");
    sh->err.printed = true;
    sh->status = 256 + signal;
    return flow;
}

/* What is to be done about SIGNAL, and how often; STATUSES: how the jobs ended that CHLD tells of.
 * It is not noted any more, unless it stays so. */
static enum verdict signal_settle(struct shell *sh, int signal, size_t *ret_times,
                                  int statuses[static JOBS_ENDED_KEPT])
{
    sigset_t child, mask;
    const struct timespec now = { 0 };
    const struct trap *trap = &sh->traps->traps[signal];
    bool is_child = signal == SIGCHLD && (trap->action || trap->outer_action);
    *ret_times = 1;
    if (is_child) {
        /* Children and the signals that tell of them have to be taken together: else one that ends
         * just now would run the action twice or not at all. */
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        sigprocmask(SIG_BLOCK, &child, &mask);
        do
            jobs_poll(sh);
        while (sigtimedwait(&child, NULL, &now) > 0);
    }
    enum verdict verdict = judge(sh, signal);
    if (verdict == VERDICT_NONE || verdict == VERDICT_RUN || verdict == VERDICT_ABORT) {
        signal_take(signal);
        sh->traps->outer[signal] = false;
    }
    /* The CHLD action runs for each job that ended; in the POSIX mode for the signal as such. */
    size_t ended = is_child && verdict == VERDICT_RUN ? jobs_ended_take(sh, statuses) : 0;
    if (ended)
        *ret_times = ended;
    if (is_child)
        sigprocmask(SIG_SETMASK, &mask, NULL);
    return verdict;
}

static enum flow signal_act(struct shell *sh, int signal)
{
    struct traps *traps = sh->traps;
    int status = sh->status;
    int statuses[JOBS_ENDED_KEPT] = { 0 };
    size_t times;
    bool tells_status = signal == SIGCHLD && !option_on(sh, OPTION_POSIX);
    switch (signal_settle(sh, signal, &times, statuses)) {
    case VERDICT_NONE:
        return FLOW_NEXT;
    case VERDICT_RUN: {
        enum flow flow = FLOW_NEXT;
        int outer_signal = traps->running_signal;
        uint64_t outer_subshell = traps->running_subshell;
        traps->running_signal = signal;
        traps->running_subshell = subshell_id(sh);
        for (size_t i = 0; i < times && flow == FLOW_NEXT && trap_is_set(sh, signal); i++) {
            if (tells_status && i < JOBS_ENDED_KEPT)
                sh->status = statuses[i];
            flow = action_run(sh, traps->traps[signal].action);
        }
        traps->running_signal = outer_signal;
        traps->running_subshell = outer_subshell;
        if (flow == FLOW_NEXT)
            sh->status = status;
        return flow;
    }
    case VERDICT_LATER:
        shell_pend(sh, PENDING_SIGNAL);
        return FLOW_NEXT;
    case VERDICT_RETURN:
        shell_pend(sh, PENDING_SIGNAL);
        sh->status = 256 + signal;
        return FLOW_RETURN;
    case VERDICT_EXIT:
        /* Stays noted: outer levels have to act on it, too. */
        shell_pend(sh, PENDING_SIGNAL);
        sh->status = 256 + signal;
        if (!traps->traps[signal].action)
            traps->dying_of = signal;
        return FLOW_EXIT;
    case VERDICT_ABORT:
        return trap_abort(sh, signal);
    }
    return FLOW_NEXT;
}

/* The memory limit was passed: the action runs in the shell that set it, wherever the memory went.
 * Without one there is a warning. */
static enum flow memory_act(struct shell *sh)
{
    struct traps *traps = sh->traps;
    const struct trap *trap = &traps->traps[TRAP_INDEX_MEM];
    if (is_mine(sh, TRAP_INDEX_MEM)) {
        int status = sh->status;
        enum flow flow = trap_run(sh, TRAP_MEM);
        mem_limit_relieve();
        if (flow == FLOW_NEXT)
            sh->status = status;
        return flow;
    }
    if (trap->action && trap->set_id >= traps->fork_id) {
        traps->memory_later = true;
        return FLOW_NEXT;
    }
    struct mem_system_stats stats;
    mem_system_stats(&stats);
    shell_warn(sh, NULL, "the memory limit is passed: %zu bytes in use", stats.held_bytes);
    return FLOW_NEXT;
}

void traps_leave_subshell(struct shell *sh)
{
    if (!sh->traps->memory_later)
        return;
    sh->traps->memory_later = false;
    shell_pend(sh, PENDING_MEMORY);
}

struct job *trap_watch_heads(struct shell *sh, struct job *job)
{
    struct job *before = sh->traps->heads;
    sh->traps->heads = job;
    jobs_join(sh, job);
    signal_watch_heads(sh, job ? job->group : 0);
    return before;
}

/* The keyboard's signals reach only those parts of a pipeline that are processes of their own: the
 * signal whose due it is to end the part that is the shell itself; 0: none. */
static int heads_signal(struct shell *sh)
{
    const struct job *job = sh->is_child ? NULL : sh->traps->heads;
    for (uint32_t i = 0; job && i < job->count; i++) {
        const struct job_process *head = &job->processes[i];
        if (head->stopped)
            return SIGTSTP;
        if (head->ended && WIFSIGNALED(head->wait_status) &&
            WTERMSIG(head->wait_status) == SIGINT && !trap_is_set(sh, SIGINT))
            return SIGINT;
    }
    return 0;
}

enum flow trap_run_pending(struct shell *sh)
{
    unsigned bits = 0;
    do { /* signals from here on are new ones */
        sys_signals.acted = sys_signals.noted;
        bits |= shell_pending_take(sh);
    } while (sys_signals_wait());
    if (bits & PENDING_SAMPLE)
        sh->hooks.sample(sh);
    if (bits & PENDING_CHILD) {
        jobs_poll(sh);
        int signal = heads_signal(sh);
        if (signal) {
            shell_pend(sh, bits & PENDING_SIGNAL);
            return trap_abort(sh, signal);
        }
    }
    if (bits & PENDING_WINCH)
        signal_window(sh);
    if (bits & PENDING_MEMORY) {
        enum flow flow = memory_act(sh);
        if (flow != FLOW_NEXT) {
            shell_pend(sh, bits & PENDING_SIGNAL);
            return flow;
        }
    }
    if (!(bits & PENDING_SIGNAL))
        return FLOW_NEXT;
    for (int signal = 1; signal < TRAP_SIGNALS; signal++) {
        if (!signal_arrived(signal))
            continue;
        enum flow flow = signal_act(sh, signal);
        if (flow != FLOW_NEXT) {
            shell_pend(sh, PENDING_SIGNAL); /* others may be noted behind it */
            return flow;
        }
    }
    return FLOW_NEXT;
}

bool trap_signal_self(struct shell *sh, int signal)
{
    struct traps *traps = sh->traps;
    if (signal <= 0 || signal >= TRAP_SIGNALS)
        return true;
    if (traps->running_signal == signal && traps->running_subshell == subshell_id(sh) &&
        is_mine(sh, signal) && !option_on(sh, OPTION_POSIX))
        return false;
    if (sh->frame->subshell && !sh->frame->subshell->is_process)
        traps->outer[signal] = true;
    return true;
}

void trap_note_signal(struct shell *sh, int signal)
{
    if (sh->traps->dispositions[signal] == SIG_HANDLED)
        signal_note(signal);
    else
        kill(getpid(), signal);
}

bool trap_is_dying(const struct shell *sh)
{
    return sh->traps->dying_of != 0;
}

void trap_die(struct shell *sh)
{
    int signal = sh->traps->dying_of;
    if (!signal)
        return;
    if (signal == SIGHUP && sh->interactive && !sh->is_child)
        jobs_hang_up(sh);
    struct rlimit no_core = { 0, 0 };
    struct sigaction action = { .sa_handler = SIG_DFL };
    sigset_t set;
    setrlimit(RLIMIT_CORE, &no_core);
    sigaction(signal, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), signal);
}
