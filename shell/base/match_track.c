/*
 * Runs pattern code by backtracking: for what match_sim.c cannot do, that is !( ), &, look-ahead,
 * back references and %( ).
 *
 * A pair of instruction and position that failed once is not tried again (one bit each), so that
 * time is polynomial; only back references, where what was captured matters, forbid that, and get a
 * limit on steps instead. The ways still to try are on a stack of its own, never on the C stack. A
 * sub-program is run for all the ends it can have at once, as a set of bits.
 *
 * Memory comes from the malloc region and is freed before track_run returns; without memory there
 * is no match and `no_memory` is set.
 */
#include "shell/base/match_internal.h"

#include <string.h>

#include "shell/base/str.h"

struct job {
    uint32_t pc;
    int32_t slot; /* >= 0: put VALUE back; else VALUE is the position to go on at */
    size_t value;
};

struct track {
    struct run *run;
    struct job *jobs;
    size_t job_count, job_cap;
    uint8_t *visited;            /* NULL with back references */
    size_t visited_bytes, width; /* WIDTH positions for each instruction */
    ptrdiff_t *slots;            /* captures, then loop registers */
    size_t slot_count, register_base;
    uint64_t steps_left;
    bool found, stop;
};

static bool push(struct track *t, uint32_t pc, int32_t slot, size_t value)
{
    if (t->job_count == t->job_cap) {
        size_t cap = t->job_cap ? t->job_cap * 2 : 64;
        struct job *jobs = mem_resize(mem_region_malloc(), t->jobs, cap * sizeof *jobs);
        if (!jobs) {
            t->run->no_memory = t->stop = true;
            return false;
        }
        t->jobs = jobs;
        t->job_cap = cap;
    }
    t->jobs[t->job_count++] = (struct job){ .pc = pc, .slot = slot, .value = value };
    return true;
}

static void set_slot(struct track *t, size_t n, ptrdiff_t value)
{
    if (n >= t->slot_count || t->slots[n] == value)
        return;
    if (push(t, 0, (int32_t)n, (size_t)t->slots[n]))
        t->slots[n] = value;
}

/* True the first time that PC is reached at AT. */
static bool first_visit(struct track *t, uint32_t pc, size_t at)
{
    if (!t->visited) {
        if (t->steps_left-- > 0)
            return true;
        t->stop = true;
        return false;
    }
    size_t bit = pc * t->width + (at - t->run->start);
    uint8_t mask = (uint8_t)(1u << (bit % 8));
    if (t->visited[bit / 8] & mask)
        return false;
    t->visited[bit / 8] |= mask;
    return true;
}

/* ---- sub-programs ---- */

static bool has_end(const uint8_t *ends, size_t n)
{
    return ends[n / 8] >> (n % 8) & 1;
}

/* All ends of the sub-program at PC started at AT, as bits counted from AT; NULL when out of
 * memory. The caller frees it. */
static uint8_t *collect_ends(struct track *t, uint32_t pc, size_t at, bool pure)
{
    const struct run *run = t->run;
    size_t bytes = (run->len - at) / 8 + 1;
    uint8_t *ends = mem_alloc_zeroed(mem_region_malloc(), bytes);
    struct run sub = {
        .p = run->p,
        .text = run->text,
        .len = run->len,
        .start = at,
        .from_start = true,
        .goal = RUN_LONGEST,
        .pc = pc,
        .ends = ends,
    };
    if (ends && pure)
        sim_run(&sub);
    else if (ends)
        track_run(&sub);
    if (!ends || sub.no_memory) {
        t->run->no_memory = t->stop = true;
        mem_free(ends);
        return NULL;
    }
    return ends;
}

/* Pushes PC for each position from AT on that EXCLUDED lacks and (if given) both others have, so
 * that the longest (or with LAZY the shortest) is tried first. */
static void push_ends(struct track *t, uint32_t pc, size_t at, const uint8_t *excluded,
                      const uint8_t *first, const uint8_t *second, bool lazy)
{
    const struct run *run = t->run;
    size_t base = t->job_count;
    const char *p = run->text + at, *end = run->text + run->len;
    for (size_t n = 0; !t->stop; n = (size_t)(p - run->text) - at) {
        bool ok = excluded ? !has_end(excluded, n) : has_end(first, n) && has_end(second, n);
        if (ok)
            push(t, pc, -1, at + n);
        if (p >= end || (n == 0 && at == 0 && run->p->period && *p == '.' && excluded))
            break;
        p += utf8_char_bytes(p, end);
    }
    for (size_t i = base, j = t->job_count; lazy && i + 1 < j; i++) {
        struct job swap = t->jobs[i];
        t->jobs[i] = t->jobs[--j];
        t->jobs[j] = swap;
    }
}

static void run_not(struct track *t, uint32_t pc, size_t at)
{
    const struct inst *inst = &t->run->p->code[pc];
    uint8_t *ends = collect_ends(t, pc + 1, at, inst->pure);
    if (ends)
        push_ends(t, inst->x, at, ends, NULL, NULL, inst->n);
    mem_free(ends);
}

static void run_and(struct track *t, uint32_t pc, size_t at)
{
    const struct inst *inst = &t->run->p->code[pc];
    uint8_t *first = collect_ends(t, pc + 1, at, false);
    uint8_t *second = first ? collect_ends(t, inst->y, at, false) : NULL;
    if (second)
        push_ends(t, inst->x, at, NULL, first, second, false);
    mem_free(second);
    mem_free(first);
}

/* Is there a match of the sub-program at PC that starts at START and, with BEHIND, ends at AT? */
static bool look_from(struct track *t, uint32_t pc, size_t start, size_t at, bool behind)
{
    uint8_t *ends = collect_ends(t, pc, start, false);
    bool any = ends && behind && has_end(ends, at - start);
    for (size_t i = 0; ends && !behind && !any && i <= (t->run->len - start) / 8; i++)
        any = ends[i] != 0;
    mem_free(ends);
    return any;
}

static bool look_holds(struct track *t, uint32_t pc, size_t at)
{
    const struct inst *inst = &t->run->p->code[pc];
    bool any = look_from(t, pc + 1, at, at, inst->y);
    for (size_t start = at; inst->y && !any && start > 0 && !t->stop; start--)
        any = look_from(t, pc + 1, start - 1, at, true);
    return !t->stop && any != inst->n;
}

/* ---- single instructions ---- */

/* Moves *AT over the text of group N again; false when it is not there. */
static bool take_group_again(const struct track *t, const struct inst *inst, size_t *at)
{
    ptrdiff_t start = t->slots[2 * inst->x], end = t->slots[2 * inst->x + 1];
    if (start < 0 || end < start)
        return false;
    const struct run *run = t->run;
    size_t len = (size_t)(end - start);
    if (!inst->n) {
        if (len > run->len - *at || memcmp(run->text + start, run->text + *at, len) != 0)
            return false;
        *at += len;
        return true;
    }
    const char *a = run->text + start, *a_end = run->text + end;
    const char *b = run->text + *at, *b_end = run->text + run->len;
    while (a < a_end) {
        uint32_t a_cp, b_cp;
        if (b >= b_end)
            return false;
        a += utf8_decode(a, a_end, &a_cp);
        b += utf8_decode(b, b_end, &b_cp);
        if (utf8_to_lower(a_cp) != utf8_to_lower(b_cp))
            return false;
    }
    *at = (size_t)(b - run->text);
    return true;
}

/* %( ): the pairs as ksh defines them. */
struct nest {
    const char *pairs;
    size_t len;
    char escape;
};

/* The second byte of the pair that is led by LETTER; 0 when there is none. */
static char pair_of(const struct nest *nest, char letter)
{
    for (size_t i = 0; i + 1 < nest->len; i += 2) {
        if (nest->pairs[i] == letter)
            return nest->pairs[i + 1];
    }
    return 0;
}

static bool pair_is_option(char c)
{
    return c == 'D' || c == 'E' || c == 'L' || c == 'Q';
}

/* Behind the string that starts at P with quote *P; NULL when it does not end. */
static const char *skip_quoted(const struct nest *nest, const char *p, const char *end,
                               bool escapes)
{
    char quote = *p++;
    for (; p < end; p++) {
        if (escapes && nest->escape && *p == nest->escape && p + 1 < end)
            p++;
        else if (*p == quote)
            return p + 1;
    }
    return NULL;
}

/* Which closing byte the opening byte C asks for; 0 when it opens nothing. */
static char closer_of(const struct nest *nest, char c)
{
    return pair_is_option(c) ? 0 : pair_of(nest, c);
}

/* Behind the balanced text that starts at P; NULL when there is none. */
static const char *skip_nested(const struct nest *nest, const char *p, const char *end)
{
    char quote = pair_of(nest, 'Q'), literal = pair_of(nest, 'L'), stop = pair_of(nest, 'D');
    bool plain = nest->len == 0 || pair_is_option(nest->pairs[0]);
    char open = plain ? 0 : nest->pairs[0], close = plain ? 0 : nest->pairs[1];
    if (p >= end)
        return NULL;
    if (plain)
        return quote && *p == quote       ? skip_quoted(nest, p, end, true)
               : literal && *p == literal ? skip_quoted(nest, p, end, false)
                                          : NULL;
    if (*p != open)
        return NULL;
    if (open == close)
        return skip_quoted(nest, p, end, true);
    struct str closers; /* what still has to come, innermost last */
    str_init(&closers, mem_region_malloc());
    const char *result = NULL;
    while (p < end && str_ok(&closers)) {
        char c = *p, closer = closer_of(nest, c);
        if (nest->escape && c == nest->escape) {
            p += p + 1 < end ? 2 : 1;
        } else if ((quote && c == quote) || (literal && c == literal)) {
            p = skip_quoted(nest, p, end, c == quote);
            if (!p)
                break;
        } else if (closers.len > 0 && c == closers.data[closers.len - 1]) {
            str_truncate(&closers, closers.len - 1);
            p++;
            if (closers.len == 0) {
                result = p;
                break;
            }
        } else if (closer) {
            str_putc(&closers, closer);
            p++;
        } else if (stop && c == stop) {
            break;
        } else {
            p++;
        }
    }
    str_release(&closers);
    return result;
}

static bool take_nested(const struct run *run, const struct inst *inst, size_t *at)
{
    struct nest nest = { .pairs = run->p->text + inst->x, .len = inst->y };
    nest.escape = pair_of(&nest, 'E');
    const char *end = skip_nested(&nest, run->text + *at, run->text + run->len);
    if (!end)
        return false;
    *at = (size_t)(end - run->text);
    return true;
}

static bool take_char(const struct run *run, const struct inst *inst, size_t *at)
{
    const struct pattern *p = run->p;
    if (*at >= run->len)
        return false;
    uint32_t cp;
    size_t bytes = utf8_decode(run->text + *at, run->text + run->len, &cp);
    bool hidden = p->period && *at == 0 && cp == '.';
    bool ok;
    switch ((enum op)inst->op) {
    case OP_CHAR:
        ok = cp == inst->x;
        break;
    case OP_CHAR_FOLD:
        ok = utf8_to_lower(cp) == inst->x;
        break;
    case OP_ANY:
        ok = !hidden;
        break;
    default:
        ok = !hidden && set_has(&p->sets[inst->x], p->ranges, cp);
        break;
    }
    *at += bytes;
    return ok;
}

/* ---- the machine ---- */

static void take_match(struct track *t, size_t at)
{
    struct run *run = t->run;
    if (run->to_end && at != run->len)
        return;
    if (run->ends) {
        size_t n = at - run->start;
        run->ends[n / 8] |= (uint8_t)(1u << (n % 8));
        return;
    }
    size_t known = run->slots ? (size_t)run->slots[1] : 0;
    bool better = !t->found || (run->goal == RUN_LONGEST ? at > known : at < known);
    t->found = true;
    if (better && run->slots) {
        memcpy(run->slots, t->slots, run->slot_count * sizeof *run->slots);
        run->slots[1] = (ptrdiff_t)at;
    }
    /* Nothing is longer than all, and what is preferred came first. */
    t->stop =
        run->goal == RUN_PREFERRED || !run->slots || (run->goal == RUN_LONGEST && at == run->len);
}

/* Follows one way from PC at AT until it fails or matches; other ways are pushed. */
static void follow(struct track *t, uint32_t pc, size_t at)
{
    const struct run *run = t->run;
    while (!t->stop && first_visit(t, pc, at)) {
        const struct inst *inst = &run->p->code[pc];
        uint32_t next = pc + 1;
        switch ((enum op)inst->op) {
        case OP_CHAR:
        case OP_CHAR_FOLD:
        case OP_ANY:
        case OP_SET:
            if (!take_char(run, inst, &at))
                return;
            break;
        case OP_SPLIT:
            push(t, inst->y, -1, at);
            next = inst->x;
            break;
        case OP_JUMP:
            next = inst->x;
            break;
        case OP_SAVE:
            set_slot(t, inst->x, (ptrdiff_t)at);
            if (!(inst->x & 1))
                set_slot(t, inst->x + 1, -1);
            break;
        case OP_RESET:
            for (uint32_t n = 2 * inst->x; n < 2 * inst->y && n < t->register_base; n++)
                set_slot(t, n, -1);
            break;
        case OP_ASSERT:
            if (!assert_holds(run, (enum assert_kind)inst->x, at))
                return;
            break;
        case OP_MATCH:
            take_match(t, at);
            return;
        case OP_NOT:
            run_not(t, pc, at);
            return;
        case OP_AND:
            run_and(t, pc, at);
            return;
        case OP_LOOK:
            if (!look_holds(t, pc, at))
                return;
            next = inst->x;
            break;
        case OP_BACK:
            if (!take_group_again(t, inst, &at))
                return;
            break;
        case OP_NEST:
            if (!take_nested(run, inst, &at))
                return;
            break;
        case OP_LOOP_IN:
            set_slot(t, t->register_base + inst->x, (ptrdiff_t)at);
            break;
        case OP_LOOP_TEST:
            if (t->slots[t->register_base + inst->x] == (ptrdiff_t)at)
                return;
            break;
        }
        pc = next;
    }
}

static void try_start(struct track *t, size_t at)
{
    for (size_t i = 0; i < t->slot_count; i++)
        t->slots[i] = -1;
    t->slots[0] = (ptrdiff_t)at;
    t->job_count = 0;
    push(t, t->run->pc, -1, at);
    while (t->job_count > 0 && !t->stop) {
        struct job job = t->jobs[--t->job_count];
        if (job.slot >= 0)
            t->slots[job.slot] = (ptrdiff_t)job.value;
        else
            follow(t, job.pc, job.value);
    }
}

static void try_all_starts(struct track *t)
{
    const struct run *run = t->run;
    const char *first = run->text + run->start, *end = run->text + run->len;
    if (run->latest) {
        for (const char *p = end;; p = utf8_prev(first, p)) {
            try_start(t, (size_t)(p - run->text));
            if (p == first || t->found || t->stop)
                return;
        }
    }
    for (const char *p = first;; p += utf8_char_bytes(p, end)) {
        try_start(t, (size_t)(p - run->text));
        if (run->from_start || p >= end || t->found || t->stop)
            return;
    }
}

bool track_run(struct run *run)
{
    enum { BACKREF_STEPS = 1 << 26 };
    const struct pattern *p = run->p;
    struct track t = {
        .run = run,
        .width = run->len - run->start + 1,
        .slot_count = p->slot_count + p->register_count,
        .register_base = p->slot_count,
        .steps_left = BACKREF_STEPS,
    };
    t.slots = mem_alloc(mem_region_malloc(), t.slot_count * sizeof *t.slots);
    if (!p->has_backref) {
        t.visited_bytes = p->code_count * t.width / 8 + 1;
        t.visited = mem_alloc_zeroed(mem_region_malloc(), t.visited_bytes);
    }
    if (t.slots && (t.visited || p->has_backref))
        try_all_starts(&t);
    else
        run->no_memory = true;
    mem_free(t.jobs);
    mem_free(t.visited);
    mem_free(t.slots);
    return t.found && !run->no_memory;
}
