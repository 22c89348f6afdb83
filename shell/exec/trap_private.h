/* Between trap.c (actions) and signal.c (the process's dispositions). */
#ifndef SHELL_EXEC_TRAP_PRIVATE_H
#define SHELL_EXEC_TRAP_PRIVATE_H

#include <signal.h>

#include "shell/exec/trap.h"

enum {
    TRAP_SIGNALS = 65,
    TRAP_INDEX_ERR = TRAP_SIGNALS,
    TRAP_INDEX_DEBUG,
    TRAP_INDEX_KEYBD,
    TRAP_INDEX_MEM,
    TRAP_COUNT
};

/* What the process does when a signal comes. */
enum disposition {
    SIG_UNKNOWN, /* as at start, not asked yet */
    SIG_DEFAULTED,
    SIG_IGNORED_START, /* ignored when the shell started: stays, unless interactive */
    SIG_IGNORED_TRAP,  /* trap '' */
    SIG_IGNORED_SHELL, /* an interactive shell for itself: children get the default */
    SIG_IGNORED_ASYNC, /* in a background list without job control: a trap may change it */
    SIG_HANDLED,
};

struct trap {
    char *action; /* owned; NULL: default */
    uint64_t stamp;
    uint64_t
        set_id; /* sh->frame_id when it was set: older than a subshell's frame: not active in it */
    bool outer_action; /* an action of an outer level is in the journal */
    uint64_t func_id;  /* frame of the ksh function that set it; 0: none */
};
struct traps {
    struct mem_region *region;
    struct trap traps[TRAP_COUNT];
    uint8_t dispositions[TRAP_SIGNALS]; /* enum disposition */
    uint64_t changed_id;                /* sh->frame_id when a trap was last set */
    uint64_t fork_id;                   /* traps set before this id are a parent's */
    unsigned action_count;              /* entries with an action */
    int running_pseudo;                 /* ERR or DEBUG action that runs now, as index; 0: none */
    int depth;                          /* actions running */
    int running_signal;                 /* that the innermost action runs for; 0: none */
    uint64_t running_subshell;          /* the subshell it runs in */
    int status_before;                  /* of the innermost running action */
    int dying_of;                       /* the signal that ends the shell; 0: none */
    bool outer[TRAP_SIGNALS]; /* a virtual subshell sent it to $$: meant for the shell around it */
    bool memory_later;  /* the memory limit was passed in a subshell of the shell with the action */
    bool running_exit;  /* an EXIT action runs: no signal cuts it short */
    bool exit_handlers; /* fatal signals are handled because an EXIT action must run */
    bool watch_children;
    struct job *heads;     /* trap_watch_heads */
    bool children_checked; /* the next one: known */
    bool child_ignored; /* CHLD was ignored at start; the shell needs it and undoes that for itself
                         */
    /* Signals, as bits, that were ignored when an interactive shell started, which has taken them
     * for itself: its children ignore them, and so does it those that would end it, until a trap is
     * set. */
    uint64_t taken_over;
    bool is_async; /* a background list without job control: INT and QUIT are ignored */
};

/* The action of this process for a signal; what a parent process set, other than to ignore, only
 * shows in listings. */
static inline const char *trap_action(const struct traps *traps, int signal)
{
    const struct trap *trap = &traps->traps[signal];
    bool is_foreign = trap->action && *trap->action && trap->set_id < traps->fork_id;
    return is_foreign ? NULL : trap->action;
}

/* Has SIGNAL arrived and not been dealt with? */
bool signal_arrived(int signal);
void signal_note(int signal); /* as its handler does */
/* SIGCHLD interrupts waiting when a process of GROUP was stopped; 0: of none. */
void signal_watch_heads(struct shell *sh, pid_t group);
void signal_take(int signal); /* it has been dealt with */
/* Sets the process's disposition of SIGNAL to what its trap, the EXIT trap and the kind of shell
 * ask for. */
void signal_apply(struct shell *sh, int signal);
/* The same for all signals that end a shell, after an EXIT trap was set. */
void signal_apply_fatal(struct shell *sh);
bool signal_is_fatal(int signal); /* its default ends the process, and it may be caught */
bool signal_ignored_at_start(struct shell *sh, int signal);

#endif
