/*
 * The journal's records, for the modules of this layer that have kinds of their own (undo.def).
 * Everyone else records through frame_record_call (frame.h).
 */
#ifndef SHELL_STATE_UNDO_H
#define SHELL_STATE_UNDO_H

#include "shell/state/frame.h"
#include "shell/state/var.h"

struct undo_call {
    void (*undo)(struct shell *sh, void *a, uintptr_t b);
    void *a;
    uintptr_t b;
};
/* The whole state of a variable, moved out of it. */
struct undo_var {
    struct var *var; /* counted */
    uint64_t stamp;
    struct var_state state;
};
/* A variable that was made and put in front of the others of its name. */
struct undo_bind {
    struct var *var;
};
/* One element of VAR's array: its old value and stamp (bits 0: there was none). Its place in the
 * array exists until the record is gone. */
struct element;
struct undo_element {
    struct var *var;         /* counted */
    struct element *element; /* associative arrays; else NULL and INDEX counts */
    int64_t index;
    struct value value;
};

/* A member that was made. */
struct undo_member {
    struct var *var; /* counted */
};
/* Attributes that changed without the data. */
struct undo_flags {
    struct var *var; /* counted */
    uint32_t attrs;
};

enum undo_kind {
#define UNDO(id, type, rollback, discard) UNDO_##id,
#include "shell/state/undo.def"
#undef UNDO
    UNDO_KIND_COUNT
};

/* Adds a record of KIND to FRAME and returns its payload for the caller to fill at once; NULL: out
 * of memory, and nothing changed. To be called before the change that it describes. */
void *undo_push(struct shell *sh, struct frame *frame, enum undo_kind kind);
/* The payload of FRAME's newest record. */
void *undo_newest(struct frame *frame);
/* Takes the newest record of FRAME back, neither applied nor discarded: the change did not happen.
 */
void undo_drop(struct shell *sh, struct frame *frame);

#endif
