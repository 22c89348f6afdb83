/*
 * Runs pattern code over long texts with a table of what was seen before.
 *
 * What match_sim.c has at a place of the text, without captures, is a set of instructions. There
 * are few different ones, so each is kept as a state with its successor for each byte, made when it
 * is first needed: from then on a character costs one look-up. It finds where a match ends, and
 * whether there is one; captures are match_sim.c's, which then knows between which places to look.
 *
 * States live with the pattern, in memory of their own; those of a pattern in a region of method
 * last, which is never freed, go after each run. Without memory, or with too many states, it gives
 * up for good and match_sim.c does all. Characters outside ASCII are not kept: they are decoded and
 * looked at one by one. Cannot run assertions other than ^ and $ of the whole text.
 */
#include "shell/base/match_internal.h"

#include <string.h>

enum { STATES_MAX = 256, HASH_SIZE = 512 };

struct dfa_state {
    struct dfa_state *next[256]; /* by byte; NULL: not known yet */
    struct dfa_state *chain;     /* of its place in the hash table */
    bool seeded;                 /* a match may start at each place from here on */
    bool accepts, accepts_at_end;
    uint32_t hash, count;
    uint32_t pcs[];
};
struct dfa {
    struct dfa_state *table[HASH_SIZE];
    struct dfa_state *starts[2][2]; /* seeded; at the start of the text */
    uint32_t count;
    bool given_up;
    bool utf8; /* the characters that it knows */
};

/* --- states */

static struct sim_list *scratch_list(const struct pattern *p)
{
    struct sim_list *list = &p->space->lists[0];
    list->count = 0;
    if (++list->generation == 0) {
        memset(list->mark, 0, p->code_count * sizeof *list->mark);
        list->generation = 1;
    }
    return list;
}

/* Adds what PC leads to without taking a character. A $ stays in the list, for the end. */
static void add(const struct pattern *p, struct sim_list *list, uint32_t pc, bool at_start,
                bool at_end)
{
    struct sim_task *tasks = p->space->tasks;
    uint32_t top = 0;
    tasks[top++].pc = pc;
    while (top > 0) {
        pc = tasks[--top].pc;
        if (list->mark[pc] == list->generation)
            continue;
        list->mark[pc] = list->generation;
        const struct inst *inst = &p->code[pc];
        switch ((enum op)inst->op) {
        case OP_SPLIT:
            tasks[top++].pc = inst->y;
            tasks[top++].pc = inst->x;
            break;
        case OP_JUMP:
            tasks[top++].pc = inst->x;
            break;
        case OP_SAVE:
        case OP_RESET:
            tasks[top++].pc = pc + 1;
            break;
        case OP_ASSERT:
            if (inst->x == ASSERT_START ? at_start : at_end)
                tasks[top++].pc = pc + 1;
            else if (inst->x == ASSERT_END)
                list->pcs[list->count++] = pc;
            break;
        default:
            list->pcs[list->count++] = pc;
            break;
        }
    }
}

static bool has_match(const struct pattern *p, const uint32_t *pcs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (p->code[pcs[i]].op == OP_MATCH)
            return true;
    return false;
}

/* Would the instructions of STATE match at the end of the text? Uses the scratch list. */
static bool matches_at_end(const struct pattern *p, const struct dfa_state *state)
{
    struct sim_list *list = scratch_list(p);
    for (uint32_t i = 0; i < state->count; i++)
        add(p, list, state->pcs[i], false, true);
    return has_match(p, list->pcs, list->count);
}

/* The state of what is in LIST; NULL: given up. */
static struct dfa_state *state_of(const struct pattern *p, const struct sim_list *list, bool seeded)
{
    struct dfa *dfa = p->space->dfa;
    uint32_t hash = seeded;
    for (uint32_t i = 0; i < list->count; i++)
        hash = (hash ^ list->pcs[i]) * 0x9e3779b1u;
    hash ^= hash >> 15;
    struct dfa_state **head = &dfa->table[hash % HASH_SIZE];
    size_t bytes = list->count * sizeof *list->pcs;
    for (struct dfa_state *state = *head; state; state = state->chain)
        if (state->hash == hash && state->seeded == seeded && state->count == list->count &&
            memcmp(state->pcs, list->pcs, bytes) == 0)
            return state;
    struct dfa_state *state = NULL;
    if (dfa->count < STATES_MAX)
        state = mem_alloc_zeroed(mem_region_malloc(), sizeof *state + bytes);
    if (!state) {
        dfa->given_up = true;
        return NULL;
    }
    state->hash = hash;
    state->seeded = seeded;
    state->count = list->count;
    if (bytes)
        memcpy(state->pcs, list->pcs, bytes);
    state->accepts = has_match(p, state->pcs, state->count);
    state->accepts_at_end = state->accepts || matches_at_end(p, state);
    state->chain = *head;
    *head = state;
    dfa->count++;
    return state;
}

/* What follows STATE after the character CP. */
static struct dfa_state *state_after(const struct pattern *p, const struct dfa_state *state,
                                     uint32_t cp)
{
    struct sim_list *list = scratch_list(p);
    for (uint32_t i = 0; i < state->count; i++)
        if (inst_takes(p, &p->code[state->pcs[i]], cp))
            add(p, list, state->pcs[i] + 1, false, false);
    if (state->seeded)
        add(p, list, 0, false, false);
    return state_of(p, list, state->seeded);
}

/* The same after the character at *AT, which it moves over; kept if a byte decides it. */
static struct dfa_state *state_make_next(const struct pattern *p, struct dfa_state *state,
                                         const unsigned char **at, const unsigned char *end)
{
    uint32_t cp;
    unsigned char byte = **at;
    *at += utf8_decode((const char *)*at, (const char *)end, &cp);
    struct dfa_state *next = state_after(p, state, cp);
    if (byte < 0x80 || !utf8_active)
        state->next[byte] = next;
    return next;
}

static struct dfa_state *state_start(const struct pattern *p, bool seeded, bool at_start)
{
    struct dfa_state **start = &p->space->dfa->starts[seeded][at_start];
    if (!*start) {
        struct sim_list *list = scratch_list(p);
        add(p, list, 0, at_start, false);
        *start = state_of(p, list, seeded);
    }
    return *start;
}

/* --- running */

/* A way through the text. */
struct scan {
    const struct run *run;
    size_t from;
    bool seeded; /* a match may start later, too */
    bool longest;
    size_t limit; /* looks at no more than so many bytes */
    size_t used;  /* and did look at so many */
};
enum { SCAN_NONE = -1, SCAN_GAVE_UP = -2 };

/* Where the match ends, SCAN_NONE or SCAN_GAVE_UP. */
static ptrdiff_t scan_run(struct scan *scan)
{
    const struct run *run = scan->run;
    const struct pattern *p = run->p;
    const unsigned char *text = (const unsigned char *)run->text, *end = text + run->len;
    const unsigned char *at = text + scan->from;
    const unsigned char *stop = (size_t)(end - at) > scan->limit ? at + scan->limit : end;
    struct dfa_state *state = state_start(p, scan->seeded, scan->from == 0);
    ptrdiff_t last = SCAN_NONE;
    while (state && at < stop && (state->count > 0 || state->seeded)) {
        if (state->accepts && !run->to_end) {
            last = at - text;
            if (!scan->longest)
                break;
        }
        struct dfa_state *next = state->next[*at];
        if (next == state) {
            do
                at++;
            while (at < stop && state->next[*at] == state);
        } else if (next) {
            state = next;
            at++;
        } else {
            state = state_make_next(p, state, &at, end);
        }
    }
    scan->used = (size_t)(at - text) - scan->from;
    if (!state || (at >= stop && stop < end))
        return SCAN_GAVE_UP;
    if (at >= end && state->accepts_at_end && (scan->longest || last < 0))
        last = (ptrdiff_t)run->len;
    return last;
}

/* The first place where a match starts, and where that ends. */
static ptrdiff_t find_match(struct run *run, size_t *ret_start)
{
    enum { EFFORT = 8 };
    const struct pattern *p = run->p;
    struct scan any = { .run = run, .from = run->start, .seeded = true, .limit = SIZE_MAX };
    ptrdiff_t end = scan_run(&any);
    if (end < 0)
        return end;
    size_t at = run->start, left = EFFORT * (run->len - run->start);
    while (at <= run->len) {
        if (p->has_first && (at = pattern_next_start(p, run->text, run->len, at)) > run->len)
            break;
        struct scan here = { .run = run, .from = at, .longest = true, .limit = left };
        end = scan_run(&here);
        if (end != SCAN_NONE) {
            *ret_start = at;
            return end;
        }
        left -= here.used;
        if (at == run->len)
            break;
        at += utf8_char_bytes(run->text + at, run->text + run->len);
    }
    return SCAN_GAVE_UP; /* not reached: there is a match */
}

/* The last place where a match starts that goes to the end. */
static ptrdiff_t find_last(struct run *run, size_t *ret_start)
{
    enum { EFFORT = 8 };
    const char *first = run->text + run->start, *at = run->text + run->len;
    size_t left = EFFORT * run->len;
    for (;;) {
        struct scan here = { .run = run, .from = (size_t)(at - run->text), .limit = left };
        ptrdiff_t end = scan_run(&here);
        if (end != SCAN_NONE) {
            *ret_start = here.from;
            return end;
        }
        left -= here.used;
        if (at <= first)
            return SCAN_NONE;
        at = utf8_prev(first, at);
    }
}

static enum dfa_verdict dfa_decide(struct run *run)
{
    bool wants_end = run->slots && run->goal != RUN_PREFERRED;
    if (run->from_start || !run->slots) {
        struct scan scan = { .run = run,
                             .from = run->start,
                             .seeded = !run->from_start,
                             .longest = run->goal == RUN_LONGEST && run->slots,
                             .limit = SIZE_MAX };
        ptrdiff_t end = scan_run(&scan);
        if (end == SCAN_GAVE_UP)
            return DFA_UNKNOWN;
        if (end == SCAN_NONE)
            return DFA_NO;
        if (!run->slots)
            return DFA_YES;
        if (!wants_end)
            return DFA_UNKNOWN;
        run->slots[0] = (ptrdiff_t)run->start;
        run->slots[1] = end;
    } else {
        size_t start;
        ptrdiff_t end = run->latest ? find_last(run, &start) : find_match(run, &start);
        if (end < 0)
            return end == SCAN_NONE ? DFA_NO : DFA_UNKNOWN;
        run->start = start;
        run->from_start = true;
        if (!wants_end)
            return DFA_UNKNOWN;
        run->slots[0] = (ptrdiff_t)start;
        run->slots[1] = end;
    }
    if (run->slot_count <= 2)
        return DFA_YES;
    run->stop = (size_t)run->slots[1];
    return DFA_UNKNOWN;
}

bool dfa_can_run(const struct pattern *p)
{
    for (uint32_t i = 0; i < p->code_count; i++) {
        const struct inst *inst = &p->code[i];
        if (inst->op > OP_MATCH)
            return false;
        if (inst->op == OP_ASSERT && inst->x != ASSERT_START && inst->x != ASSERT_END)
            return false;
    }
    return !p->period;
}

enum dfa_verdict dfa_run(struct run *run)
{
    struct sim_space *space = run->p->space;
    struct mem_stats stats;
    if (space->dfa && space->dfa->utf8 != utf8_active)
        dfa_release(space);
    if (!space->dfa)
        space->dfa = mem_alloc_zeroed(mem_region_malloc(), sizeof *space->dfa);
    if (!space->dfa || space->dfa->given_up)
        return DFA_UNKNOWN;
    space->dfa->utf8 = utf8_active;
    enum dfa_verdict verdict = dfa_decide(run);
    mem_region_stats(run->p->region, &stats);
    if (stats.method == MEM_LAST)
        dfa_release(space);
    return verdict;
}

void dfa_release(struct sim_space *space)
{
    struct dfa *dfa = space->dfa;
    if (!dfa)
        return;
    for (unsigned i = 0; i < HASH_SIZE; i++) {
        while (dfa->table[i]) {
            struct dfa_state *state = dfa->table[i];
            dfa->table[i] = state->chain;
            mem_free(state);
        }
    }
    mem_free(dfa);
    space->dfa = NULL;
}
