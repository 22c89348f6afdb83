/*
 * The journal: what a frame changed is undone when the frame is popped.
 *
 * Each frame has an ever-growing id and a list of typed undo records (undo.def). Each journaled
 * object has a STAMP: the id of the innermost frame that saved it. One rule, in one function
 * (frame_should_record): a setter that writes on behalf of frame T records the old state iff stamp
 * < T->id, and sets stamp = T->id; rollback restores state and stamp. Old values move into the
 * records; nothing is copied.
 *
 * A temporary assignment (x=1 cmd) and a redirection are written on behalf of the nearest CMD, a
 * `typeset` local of the nearest FUNC (or SUBSHELL if that is nearer), everything else of the
 * nearest SUBSHELL: where there is none, nothing is recorded.
 */
#ifndef SHELL_STATE_FRAME_H
#define SHELL_STATE_FRAME_H

#include "shell/state/shell.h"

enum frame_kind {
    FRAME_BASE,
    FRAME_SUBSHELL, /* ( ), $( ), a pipeline part in this process */
    FRAME_FUNC,     /* ksh function: locals, parameters, traps, options */
    FRAME_DOT,      /* dot script or POSIX function: parameters */
    FRAME_TRAP,     /* a trap action */
    FRAME_CMD,      /* one simple command: temporary assignments, redirections */
};

struct undo;
struct frame {
    struct frame *outer;
    struct frame *subshell; /* nearest enclosing SUBSHELL (itself included) or NULL */
    struct frame *func;     /* nearest enclosing FUNC (itself included) or NULL */
    uint64_t id;
    enum frame_kind kind;
    bool is_call;        /* DOT: a POSIX function, not a script */
    bool is_process;     /* SUBSHELL: this process was forked for it and ends with it
                            (subshell_materialize) */
    bool handed_over;    /* SUBSHELL: a process goes on with it, which is waited for here */
    bool own_getopts;    /* DOT: a call that made OPTIND local; FUNC, SUBSHELL: always */
    bool process_wanted; /* SUBSHELL: becomes a process before it starts another one (POSIX mode) */
    struct undo *undo;   /* newest first */
    struct var *locals; /* variables that live as long as this frame: locals of FUNC, temporary ones
                           of CMD */
    const char
        *function_name; /* FUNC, POSIX functions: for .sh.fun and messages; else that of outer */
    const char *file;   /* saved sh->file */
    struct getopts_state getopts; /* OWN_GETOPTS: saved sh->getopts */
    struct params *params;        /* sh->params of what is around */
    char *last_long;              /* SUBSHELL: saved $_, owned; NULL: it is LAST_SHORT */
    char last_short[16];          /* not terminated */
    size_t last_len;
    uint32_t line; /* saved sh->line: where the caller was */
};

/* Pushes FRAME (caller's storage, usually the C stack). FUNC hides the locals of the calling ksh
 * function. */
void frame_push(struct shell *sh, struct frame *frame, enum frame_kind kind);
/* Rolls back and pops the innermost frame, which must be FRAME. Never fails, never allocates from a
 * script's budget. */
void frame_pop(struct shell *sh, struct frame *frame);
/* Forgets the undo records instead of applying them, as a forked child does with frames of its
 * parent (their effects stay). The frame remains pushed. */
void frame_keep(struct shell *sh, struct frame *frame);

enum frame_target { TARGET_GLOBAL, TARGET_LOCAL, TARGET_CMD };
/* The frame on whose behalf a write is made; NULL: no record is needed. */
struct frame *frame_target(struct shell *sh, enum frame_target target);

/* A record for something outside the state layer's own kinds: UNDO is called at rollback with A and
 * B. */
enum flow frame_record_call(struct shell *sh, struct frame *frame,
                            void (*undo)(struct shell *sh, void *a, uintptr_t b), void *a,
                            uintptr_t b) NODISCARD;
/* The one rule. */
static inline bool frame_should_record(const struct frame *target, uint64_t stamp)
{
    return target && stamp < target->id;
}

#endif
