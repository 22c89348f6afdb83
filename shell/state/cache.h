/*
 * What running code learns about nodes of a program: compiled patterns, compiled arithmetic, what a
 * command word was found to be. One slot for each cache number of a program, in the side array
 * program->caches, made at first use and freed with the program.
 */
#ifndef SHELL_STATE_CACHE_H
#define SHELL_STATE_CACHE_H

#include "shell/state/shell.h"
#include "shell/syntax/ast.h"

enum cache_kind {
    CACHE_EMPTY,   /* nothing yet */
    CACHE_PATTERN, /* struct pattern of a literal pattern word */
    CACHE_ARITH,   /* struct arith_code of a literal expression */
    CACHE_COMMAND, /* exec: what a literal command word is */
    CACHE_SITE,    /* of a node: EXTRA is its site under the call EPOCH (site.h) */
    CACHE_OTHER,   /* a user's own; DATA is typed by RELEASE */
};
struct cache_slot {
    void *data;                  /* owned by the slot when RELEASE is set, else borrowed */
    void (*release)(void *data); /* NULL: nothing to free */
    uint32_t epoch;              /* user's own: e.g. sh->command_epoch when DATA was learned */
    uint32_t extra;              /* user's own */
    uint8_t kind;                /* enum cache_kind */
};

/* Slot INDEX, from 1, of the running program (sh->program); NULL when INDEX is 0 (a node without
 * one), there is no program, the number is not one of its own, or memory is short: the caller then
 * does without. Valid as long as the program is held; slots never move. Nodes of another program
 * (parse_name_ref, parse_dquoted) must not be run under sh->program: set that first, or NULL. */
struct cache_slot *cache_at_slow(struct shell *sh, uint32_t index);
/* Puts DATA in SLOT (NULL: only releases DATA, so that the caller need not care), releasing what
 * was there. True: stored. */
bool cache_put(struct cache_slot *slot, enum cache_kind kind, void *data,
               void (*release)(void *data));
/* Frees all slots: what program_caches_free (ast.h) points to. cache_init sets that pointer and
 * program_name_text; shell_new calls it. */
void cache_init(void);

static inline struct cache_slot *cache_at(struct shell *sh, uint32_t index)
{
    const struct program *program = sh->program;
    if (program && program->caches && index - 1 < program->cache_count)
        return (struct cache_slot *)program->caches + (index - 1);
    return cache_at_slow(sh, index);
}

#endif
