/*
 * Looking at the variables of a calling function: .sh.level, which a DEBUG trap may set.
 *
 * While a view is open the locals of the functions inside the one looked at are hidden, those of
 * that one are visible, and the positional parameters are its own.
 */
#ifndef SHELL_STATE_VIEW_H
#define SHELL_STATE_VIEW_H

#include "shell/state/frame.h"

struct view {
    struct frame *innermost; /* the call that the trap interrupted; NULL: none */
    struct frame *at;        /* the call that is looked at; NULL: the script itself */
    struct params *params;   /* those of INNERMOST */
    unsigned depth, level;   /* calls around: of INNERMOST, and of AT */
    uint32_t line;           /* where INNERMOST is */
    uint32_t at_line;        /* where AT is */
};

/* The innermost call of a function or dot script from FRAME outwards; NULL: none. */
struct frame *view_call(struct frame *frame);
/* How many of them there are. */
unsigned view_depth(struct frame *frame);
/* Allows .sh.level to be set until view_close; LINE: where the innermost call is. VIEW is the
 * caller's storage. */
void view_open(struct shell *sh, struct view *view, uint32_t line);
/* Everything is visible as before. */
void view_close(struct shell *sh);
/* Looks at the call at LEVEL. FLOW_ERROR when no view is open or there is no such level. */
enum flow view_set(struct shell *sh, int64_t level) NODISCARD;

#endif
