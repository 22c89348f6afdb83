/*
 * Runs pattern code with all possible ways in lock step, one character at a time.
 *
 * Time is at most code size times text length, and no memory is needed beyond what the pattern
 * brought along: this is what keeps `*(a|aa)*(a|aa)b` from exploding. Threads are kept in order of
 * preference, each with its captures. When two threads meet, the better one stays: by the order of
 * preference, or in patterns without lazy parts by the rule that earlier groups match as much as
 * possible.
 *
 * Cannot run the instructions from OP_NOT on; match_track.c does.
 */
#include "shell/base/match_internal.h"

#include <string.h>

#include "shell/base/cclass.h"

struct sim {
    struct run *run;
    struct sim_space *space;
    uint32_t slot_count;
    bool compare; /* captures decide between threads that meet */
    bool found;
    ptrdiff_t best_start;
};

static bool is_word_at(const struct run *run, const char *p)
{
    uint32_t cp;
    utf8_decode(p, run->text + run->len, &cp);
    return cclass_is((char)cp, CC_NAME) ? cp < 128
                                        : cp >= 128 && utf8_to_lower(cp) != utf8_to_upper(cp);
}

bool assert_holds(const struct run *run, enum assert_kind kind, size_t at)
{
    if (kind == ASSERT_START)
        return at == 0;
    if (kind == ASSERT_END)
        return at == run->len;
    const char *p = run->text + at;
    if (kind == ASSERT_LINE_START)
        return at == 0 || p[-1] == '\n';
    if (kind == ASSERT_LINE_END)
        return at == run->len || *p == '\n';
    bool before = at > 0 && is_word_at(run, utf8_prev(run->text, p));
    bool after = at < run->len && is_word_at(run, p);
    switch (kind) {
    case ASSERT_WORD:
        return before != after;
    case ASSERT_NOT_WORD:
        return before == after;
    case ASSERT_WORD_START:
        return !before && after;
    default:
        return before && !after;
    }
}

/* True when captures A are better than B, which came first: the same start of the match, and the
 * first group that differs starts earlier or is longer. When it takes no part in one of them they
 * come from different alternatives, of which the first is preferred. */
static bool captures_better(const ptrdiff_t *a, const ptrdiff_t *b, uint32_t slot_count)
{
    if (a[0] != b[0])
        return a[0] < b[0];
    for (uint32_t i = 2; i < slot_count; i += 2) {
        if (a[i] != b[i])
            return a[i] >= 0 && b[i] >= 0 && a[i] < b[i];
        if (a[i + 1] != b[i + 1])
            return a[i + 1] > b[i + 1];
    }
    return false;
}

static void list_clear(struct sim_list *list, uint32_t code_count)
{
    list->count = 0;
    if (++list->generation == 0) {
        memset(list->mark, 0, code_count * sizeof *list->mark);
        list->generation = 1;
    }
}

/* Enters PC with the captures in WORK; false when it was there already with captures as good, or
 * with worse ones while MAY_IMPROVE is false. */
static bool enter(struct sim *sim, struct sim_list *list, uint32_t pc, bool may_improve)
{
    const ptrdiff_t *work = sim->space->work;
    size_t bytes = sim->slot_count * sizeof *work;
    if (list->mark[pc] == list->generation) {
        ptrdiff_t *slots = list->slots + (size_t)list->row[pc] * sim->slot_count;
        if (!may_improve || !captures_better(work, slots, sim->slot_count))
            return false;
        memcpy(slots, work, bytes);
        return true;
    }
    list->mark[pc] = list->generation;
    list->row[pc] = list->count;
    if (bytes)
        memcpy(list->slots + (size_t)list->count * sim->slot_count, work, bytes);
    list->pcs[list->count++] = pc;
    return true;
}

/* Sets slot N for what follows and notes on the task stack how to put it back. */
static uint32_t set_slot(struct sim *sim, uint32_t top, uint32_t n, ptrdiff_t value)
{
    if (n >= sim->slot_count || sim->space->work[n] == value)
        return top;
    sim->space->tasks[top] = (struct sim_task){ .slot = (int32_t)n, .old = sim->space->work[n] };
    sim->space->work[n] = value;
    return top + 1;
}

static uint32_t push_pc(struct sim *sim, uint32_t top, uint32_t pc)
{
    sim->space->tasks[top] = (struct sim_task){ .pc = pc, .slot = -1 };
    return top + 1;
}

/* Adds the thread at PC, and all that it leads to without taking a character, to LIST for position
 * AT. */
static void add_thread(struct sim *sim, struct sim_list *list, uint32_t first, size_t at)
{
    const struct inst *code = sim->run->p->code;
    struct sim_task *tasks = sim->space->tasks;
    uint32_t top = push_pc(sim, 0, first);
    while (top > 0) {
        struct sim_task task = tasks[--top];
        if (task.slot >= 0) {
            sim->space->work[task.slot] = task.old;
            continue;
        }
        /* New states fit half of the stack at most; the rest is for improved ones, entered again.
         * When that is full the first comer may stay. */
        bool may_improve = sim->compare && top < sim->space->task_max / 2;
        if (!enter(sim, list, task.pc, may_improve))
            continue;
        const struct inst *inst = &code[task.pc];
        switch ((enum op)inst->op) {
        case OP_SPLIT:
            top = push_pc(sim, top, inst->y);
            top = push_pc(sim, top, inst->x);
            break;
        case OP_JUMP:
            top = push_pc(sim, top, inst->x);
            break;
        case OP_SAVE:
            top = set_slot(sim, top, inst->x, (ptrdiff_t)at);
            if (!(inst->x & 1)) /* a group that starts has no end yet */
                top = set_slot(sim, top, inst->x + 1, -1);
            top = push_pc(sim, top, task.pc + 1);
            break;
        case OP_RESET:
            for (uint32_t n = 2 * inst->x; n < 2 * inst->y && n < sim->slot_count; n++)
                top = set_slot(sim, top, n, -1);
            top = push_pc(sim, top, task.pc + 1);
            break;
        case OP_ASSERT:
            if (assert_holds(sim->run, (enum assert_kind)inst->x, at))
                top = push_pc(sim, top, task.pc + 1);
            break;
        default:
            break;
        }
    }
}

/* Starts a thread at AT unless the text there cannot begin a match. */
static void add_start(struct sim *sim, struct sim_list *list, size_t at)
{
    const struct run *run = sim->run;
    const struct pattern *p = run->p;
    if (run->from_start && at != run->start)
        return;
    if (p->has_first && run->pc == 0) {
        unsigned char byte = at < run->len ? (unsigned char)run->text[at] : 0;
        if (at >= run->len || !(p->first_bytes[byte / 32] >> (byte % 32) & 1))
            return;
    }
    for (uint32_t i = 0; i < sim->slot_count; i++)
        sim->space->work[i] = -1;
    if (sim->slot_count)
        sim->space->work[0] = (ptrdiff_t)at;
    add_thread(sim, list, run->pc, at);
}

/* A thread reached OP_MATCH at AT. Returns true when no other thread of this position can be
 * better. */
static bool take_match(struct sim *sim, const ptrdiff_t *slots, size_t at)
{
    struct run *run = sim->run;
    if (run->to_end && at != run->len)
        return false;
    if (run->ends) {
        size_t n = at - run->start;
        run->ends[n / 8] |= (uint8_t)(1u << (n % 8));
        return false;
    }
    bool better = !sim->found || run->goal != RUN_SHORTEST;
    if (sim->slot_count && sim->found) {
        bool later = slots[0] > sim->best_start;
        better = better && (run->latest ? later : !later);
        if (better && sim->compare && run->slots[1] == (ptrdiff_t)at)
            better = captures_better(slots, run->slots, sim->slot_count);
    }
    if (better) {
        sim->found = true;
        if (sim->slot_count)
            sim->best_start = slots[0];
        if (run->slots) {
            if (sim->slot_count)
                memcpy(run->slots, slots, sim->slot_count * sizeof *slots);
            else
                run->slots[0] = (ptrdiff_t)run->start;
            run->slots[1] = (ptrdiff_t)at;
        }
    }
    return run->goal != RUN_LONGEST;
}

/* True when INST takes character CP at AT. */
static bool takes(const struct run *run, const struct inst *inst, uint32_t cp, size_t at)
{
    if (at == 0 && cp == '.' && run->p->period && inst->op != OP_CHAR && inst->op != OP_CHAR_FOLD)
        return false;
    return inst_takes(run->p, inst, cp);
}

/* Moves the threads of FROM at AT over one character (BYTES long, 0 at the end) into TO. */
static void step(struct sim *sim, const struct sim_list *from, struct sim_list *to, size_t at,
                 size_t bytes, uint32_t cp)
{
    const struct run *run = sim->run;
    for (uint32_t i = 0; i < from->count; i++) {
        const struct inst *inst = &run->p->code[from->pcs[i]];
        const ptrdiff_t *slots = from->slots + (size_t)i * sim->slot_count;
        if (inst->op == OP_MATCH) {
            if (take_match(sim, slots, at))
                return;
            continue;
        }
        if (inst->op > OP_SET || bytes == 0 || !takes(run, inst, cp, at))
            continue;
        if (sim->slot_count) {
            if (sim->found && slots[0] > sim->best_start && !run->latest)
                continue; /* a match that starts earlier is known */
            memcpy(sim->space->work, slots, sim->slot_count * sizeof *slots);
        }
        add_thread(sim, to, from->pcs[i] + 1, at + bytes);
    }
}

size_t pattern_next_start(const struct pattern *p, const char *text, size_t len, size_t at)
{
    const char *q = text + at, *end = text + len;
    if (p->first_byte >= 0 && p->first_byte < 0x80) {
        q = at < len ? memchr(q, p->first_byte, len - at) : NULL;
        return q ? (size_t)(q - text) : len + 1;
    }
    while (q < end) {
        unsigned char byte = (unsigned char)*q;
        if (p->first_bytes[byte / 32] >> (byte % 32) & 1)
            return (size_t)(q - text);
        q += utf8_char_bytes(q, end);
    }
    return len + 1;
}

static size_t next_start(const struct run *run, size_t at)
{
    if (!run->p->has_first || run->pc != 0)
        return at;
    return pattern_next_start(run->p, run->text, run->len, at);
}

static bool done(const struct sim *sim)
{
    const struct run *run = sim->run;
    return sim->found && run->goal == RUN_SHORTEST && !run->latest && !run->ends;
}

static bool seeding(const struct sim *sim)
{
    return !sim->run->from_start && (!sim->found || sim->run->latest);
}

bool sim_run(struct run *run)
{
    struct sim_space *space = run->p->space;
    struct sim sim = {
        .run = run,
        .space = space,
        .slot_count = run->slot_count,
        .compare = run->slot_count > 2 && !run->p->by_preference && !run->latest,
    };
    struct sim_list *now = &space->lists[0], *next = &space->lists[1];
    const char *end = run->text + run->len;
    size_t at = run->start, patience = run->patience;
    list_clear(now, run->p->code_count);
    add_start(&sim, now, at);
    for (;;) {
        if (now->count == 0) {
            if (!seeding(&sim) || at >= run->len)
                break;
            size_t start = next_start(run, at + utf8_char_bytes(run->text + at, end));
            if (start > run->len)
                break;
            at = start;
            list_clear(now, run->p->code_count);
            add_start(&sim, now, at);
            if (now->count == 0)
                continue;
        }
        uint32_t cp = 0;
        size_t bytes = at < run->len ? utf8_decode(run->text + at, end, &cp) : 0;
        list_clear(next, run->p->code_count);
        if (bytes && run->latest)
            add_start(&sim, next, at + bytes);
        step(&sim, now, next, at, bytes, cp);
        if (bytes == 0 || done(&sim) || (at == run->stop && run->stop))
            break;
        if (patience && --patience == 0) {
            run->gave_up = true;
            return false;
        }
        if (!run->latest && seeding(&sim))
            add_start(&sim, next, at + bytes);
        at += bytes;
        struct sim_list *swap = now;
        now = next;
        next = swap;
    }
    return sim.found;
}
