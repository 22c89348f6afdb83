/*
 * Syntax trees to code, and the layout of a compiled pattern.
 *
 * A compiled pattern is one block: struct pattern, code, sets, ranges, text, and the space that
 * match_sim.c works in, so that matching need not allocate. Repeats with bounds are unrolled;
 * CODE_MAX limits what can come of that. Loops whose body may take nothing need no care in
 * match_sim.c (a state is entered once at each position), but get a progress test when back
 * references rule that out.
 */
#include "shell/base/match_internal.h"

#include <errno.h>
#include <string.h>

struct emitter {
    struct table code;
    struct parse *ps;
    uint32_t tracked_ops; /* instructions so far that only match_track.c runs */
    uint32_t registers;
    bool failed, too_big;
};

static uint32_t here(const struct emitter *e)
{
    return (uint32_t)e->code.count;
}

static struct inst *inst_at(struct emitter *e, uint32_t pc)
{
    return (struct inst *)(void *)e->code.data + pc;
}

/* Appends an instruction and returns its place; after a failure any place, never to be run. */
static uint32_t emit(struct emitter *e, enum op op, uint32_t x, uint32_t y)
{
    if (e->failed || e->code.count >= CODE_MAX) {
        e->too_big |= !e->failed;
        e->failed = true;
        return 0;
    }
    struct inst *inst = table_add(&e->code);
    if (!inst) {
        e->failed = e->ps->no_memory = true;
        return 0;
    }
    *inst = (struct inst){ .op = (uint8_t)op, .x = x, .y = y };
    e->tracked_ops += op >= OP_NOT;
    return here(e) - 1;
}

/* A split whose preferred way is the next instruction (or, when LAZY, the other). */
static uint32_t emit_split(struct emitter *e, bool lazy)
{
    uint32_t pc = emit(e, OP_SPLIT, 0, 0);
    if (!e->failed) {
        inst_at(e, pc)->n = lazy;
        inst_at(e, pc)->x = inst_at(e, pc)->y = pc + 1;
    }
    return pc;
}

/* Makes the other way of the split at PC lead to TO. */
static void patch_split(struct emitter *e, uint32_t pc, uint32_t to)
{
    if (e->failed)
        return;
    struct inst *split = inst_at(e, pc);
    if (split->n)
        split->x = to;
    else
        split->y = to;
}

static void patch(struct emitter *e, uint32_t pc, uint32_t to)
{
    if (!e->failed)
        inst_at(e, pc)->x = to;
}

static void emit_node(struct emitter *e, const struct node *node);

static void emit_list(struct emitter *e, const struct node *first)
{
    for (const struct node *node = first; node && !e->failed; node = node->next)
        emit_node(e, node);
}

static void emit_alternatives(struct emitter *e, const struct node *first)
{
    /* The jumps to the end are chained through X until the end is known. */
    uint32_t chain = 0;
    for (const struct node *branch = first; branch && !e->failed; branch = branch->next) {
        uint32_t split = branch->next ? emit_split(e, false) : 0;
        emit_node(e, branch);
        if (branch->next) {
            chain = emit(e, OP_JUMP, chain, 0);
            patch_split(e, split, here(e));
        }
    }
    while (chain && !e->failed) {
        uint32_t next = inst_at(e, chain)->x;
        patch(e, chain, here(e));
        chain = next;
    }
}

static bool is_one_char(const struct node *node)
{
    return node->kind == NODE_CHAR || node->kind == NODE_ANY || node->kind == NODE_SET;
}

/* One iteration: the groups inside forget what they matched in the one before. */
static void emit_iteration(struct emitter *e, const struct node *repeat)
{
    if (repeat->value > repeat->first_group)
        emit(e, OP_RESET, repeat->first_group, repeat->value);
    emit_node(e, repeat->child);
}

static void emit_loop(struct emitter *e, const struct node *repeat)
{
    bool guarded = e->ps->any_backref && !is_one_char(repeat->child);
    uint32_t reg = guarded ? e->registers++ : 0;
    uint32_t split = emit_split(e, repeat->lazy);
    if (guarded)
        emit(e, OP_LOOP_IN, reg, 0);
    emit_iteration(e, repeat);
    if (guarded)
        emit(e, OP_LOOP_TEST, reg, 0);
    emit(e, OP_JUMP, split, 0);
    patch_split(e, split, here(e));
}

static void emit_repeat(struct emitter *e, const struct node *repeat)
{
    for (uint32_t i = 0; i < repeat->min && !e->failed; i++)
        emit_iteration(e, repeat);
    if (repeat->max == REPEAT_INFINITE) {
        emit_loop(e, repeat);
        return;
    }
    /* Each optional iteration may leave to the end; the splits are chained until that is known. */
    uint32_t chain = 0;
    for (uint32_t i = repeat->min; i < repeat->max && !e->failed; i++) {
        uint32_t split = emit_split(e, repeat->lazy);
        patch_split(e, split, chain);
        chain = split + 1; /* 0 ends the chain */
        emit_iteration(e, repeat);
        if (here(e) == split + 1)
            break; /* an empty body: once is as good as often */
    }
    while (chain && !e->failed) {
        uint32_t split = chain - 1;
        const struct inst *inst = inst_at(e, split);
        chain = inst->n ? inst->x : inst->y;
        patch_split(e, split, here(e));
    }
}

static void emit_not(struct emitter *e, const struct node *node)
{
    uint32_t pc = emit(e, OP_NOT, 0, 0);
    uint32_t before = e->tracked_ops;
    emit_node(e, node->child);
    emit(e, OP_MATCH, 0, 0);
    if (e->failed)
        return;
    inst_at(e, pc)->n = node->lazy;
    inst_at(e, pc)->pure = e->tracked_ops == before;
    patch(e, pc, here(e));
}

/* FIRST and its followers over the same text; nested in pairs. */
static void emit_and(struct emitter *e, const struct node *first)
{
    if (!first->next) {
        emit_node(e, first);
        return;
    }
    uint32_t pc = emit(e, OP_AND, 0, 0);
    emit_node(e, first);
    emit(e, OP_MATCH, 0, 0);
    if (!e->failed)
        inst_at(e, pc)->y = here(e);
    emit_and(e, first->next);
    emit(e, OP_MATCH, 0, 0);
    patch(e, pc, here(e));
}

static void emit_node(struct emitter *e, const struct node *node)
{
    uint32_t pc;
    switch ((enum node_kind)node->kind) {
    case NODE_EMPTY:
        break;
    case NODE_CHAR:
        emit(e, node->nocase ? OP_CHAR_FOLD : OP_CHAR, node->value, 0);
        break;
    case NODE_ANY:
        emit(e, OP_ANY, 0, 0);
        break;
    case NODE_SET:
        emit(e, OP_SET, node->value, 0);
        break;
    case NODE_SEQ:
        emit_list(e, node->child);
        break;
    case NODE_ALT:
        emit_alternatives(e, node->child);
        break;
    case NODE_AND:
        emit_and(e, node->child);
        break;
    case NODE_REPEAT:
        emit_repeat(e, node);
        break;
    case NODE_GROUP:
        emit(e, OP_SAVE, 2 * node->value, 0);
        emit_node(e, node->child);
        emit(e, OP_SAVE, 2 * node->value + 1, 0);
        break;
    case NODE_NOT:
        emit_not(e, node);
        break;
    case NODE_BACK:
        pc = emit(e, OP_BACK, node->value, 0);
        if (!e->failed)
            inst_at(e, pc)->n = node->nocase;
        break;
    case NODE_ASSERT:
        emit(e, OP_ASSERT, node->value, 0);
        break;
    case NODE_LOOK:
        pc = emit(e, OP_LOOK, 0, node->value);
        emit_node(e, node->child);
        emit(e, OP_MATCH, 0, 0);
        if (!e->failed)
            inst_at(e, pc)->n = node->negate;
        patch(e, pc, here(e));
        break;
    case NODE_NEST:
        emit(e, OP_NEST, node->value, node->max);
        break;
    }
}

/* ---- first bytes ---- */

static void first_add(struct pattern *p, unsigned byte)
{
    p->first_bytes[byte / 32] |= 1u << (byte % 32);
}

static void first_add_high(struct pattern *p)
{
    for (unsigned i = 4; i < 8; i++)
        p->first_bytes[i] = UINT32_MAX;
}

/* The bytes that a character instruction can start with. */
static void first_add_inst(struct pattern *p, const struct inst *inst)
{
    if (inst->op == OP_SET) {
        for (unsigned i = 0; i < 4; i++)
            p->first_bytes[i] |= p->sets[inst->x].ascii[i];
        first_add_high(p);
    } else if (inst->x >= 128) {
        first_add_high(p);
    } else {
        first_add(p, inst->x);
        if (inst->op == OP_CHAR_FOLD) {
            first_add(p, utf8_to_upper(inst->x));
            first_add_high(p); /* some letter outside ASCII may fold to it */
        }
    }
}

/* Finds the bytes that a match can start with; sets HAS_FIRST unless an empty match, or one that
 * starts with anything, is possible. WAITING and SEEN have room for the whole code. */
static void find_first_bytes(struct pattern *p, uint32_t *waiting, uint32_t *seen)
{
    uint32_t count = 0;
    memset(seen, 0, p->code_count * sizeof *seen);
    waiting[count++] = 0;
    seen[0] = 1;
    while (count > 0) {
        uint32_t pc = waiting[--count];
        const struct inst *inst = &p->code[pc];
        uint32_t next[2] = { pc + 1, pc + 1 };
        switch ((enum op)inst->op) {
        case OP_CHAR:
        case OP_CHAR_FOLD:
        case OP_SET:
            first_add_inst(p, inst);
            continue;
        case OP_SPLIT:
            next[0] = inst->x;
            next[1] = inst->y;
            break;
        case OP_JUMP:
            next[0] = next[1] = inst->x;
            break;
        case OP_SAVE:
        case OP_RESET:
        case OP_ASSERT:
        case OP_LOOP_IN:
            break;
        default:
            return;
        }
        for (unsigned i = 0; i < 2; i++) {
            if (!seen[next[i]]) {
                seen[next[i]] = 1;
                waiting[count++] = next[i];
            }
        }
    }
    p->has_first = true;
}

/* The byte that all matches start with, or -1. */
static int16_t only_byte(const struct pattern *p)
{
    int16_t found = -1;
    for (int16_t byte = 0; p->has_first && byte < 256; byte++) {
        if (!(p->first_bytes[byte / 32] >> (byte % 32) & 1))
            continue;
        if (found >= 0)
            return -1;
        found = byte;
    }
    return found;
}

/* ---- layout ---- */

/* Cuts pieces off one block: first only adds up, then hands out. */
struct layout {
    char *base;
    size_t at;
};

static void *layout_take(struct layout *l, size_t count, size_t item_bytes)
{
    l->at = (l->at + 15) & ~(size_t)15;
    void *piece = l->base ? l->base + l->at : NULL;
    l->at += count * item_bytes;
    return piece;
}

static void layout_list(struct layout *l, struct sim_list *list, size_t code, size_t slots)
{
    list->pcs = layout_take(l, code, sizeof *list->pcs);
    list->mark = layout_take(l, code, sizeof *list->mark);
    list->row = layout_take(l, code, sizeof *list->row);
    list->slots = layout_take(l, code * slots, sizeof *list->slots);
}

/* Everything in P's block; with BASE NULL only the size is found out. */
static void layout_pattern(struct layout *l, struct pattern *p, const struct emitter *e)
{
    const struct parse *ps = e->ps;
    size_t code = e->code.count, slots = p->slot_count;
    struct sim_space space = { .task_max = (uint32_t)(8 * code + 8 * MATCH_CAPTURE_MAX) };
    p->code = layout_take(l, code, sizeof *p->code);
    p->sets = layout_take(l, ps->sets.sets.count, sizeof *p->sets);
    p->ranges = layout_take(l, ps->sets.ranges.count, sizeof *p->ranges);
    p->text = layout_take(l, (size_t)(ps->end - ps->text), 1);
    p->group_map = ps->hidden_groups ? layout_take(l, sizeof ps->group_map, 1) : NULL;
    p->space = layout_take(l, 1, sizeof *p->space);
    layout_list(l, &space.lists[0], code, slots);
    layout_list(l, &space.lists[1], code, slots);
    space.tasks = layout_take(l, space.task_max, sizeof *space.tasks);
    space.work = layout_take(l, slots, sizeof *space.work);
    if (l->base)
        *p->space = space;
}

static void copy_table(const void *to, const struct table *from)
{
    if (from->count)
        memcpy((void *)(uintptr_t)to, from->data, from->count * from->item_bytes);
}

static struct pattern *pattern_build(struct mem_region *region, const struct emitter *e,
                                     unsigned flags)
{
    const struct parse *ps = e->ps;
    uint32_t groups = ps->group_count < MATCH_CAPTURE_MAX ? ps->group_count : MATCH_CAPTURE_MAX - 1;
    struct pattern head = {
        .region = region,
        .text_len = (size_t)(ps->end - ps->text),
        .flags = flags,
        .period = (flags & PATTERN_PERIOD) != 0,
        .left_open = ps->left_open,
        .right_open = ps->right_open,
        .left_fixed = ps->left_fixed,
        .right_fixed = ps->right_fixed,
        .code_count = (uint32_t)e->code.count,
        .group_count = groups,
        .slot_count = 2 * (groups + ps->hidden_groups + 1),
        .register_count = e->registers,
        .backtracks = e->tracked_ops > 0,
        .has_backref = ps->any_backref,
        .by_preference = ps->any_lazy,
    };
    struct layout size = { .at = sizeof head };
    struct pattern measured = head;
    layout_pattern(&size, &measured, e);
    struct pattern *p = mem_alloc(region, size.at);
    if (!p)
        return NULL;
    *p = head;
    p->bytes = size.at;
    struct layout real = { .base = (char *)p, .at = sizeof head };
    layout_pattern(&real, p, e);
    copy_table(p->code, &e->code);
    copy_table(p->sets, &ps->sets.sets);
    copy_table(p->ranges, &ps->sets.ranges);
    if (ps->end > ps->text)
        memcpy((char *)(uintptr_t)p->text, ps->text, (size_t)(ps->end - ps->text));
    if (p->group_map)
        memcpy((uint8_t *)(uintptr_t)p->group_map, ps->group_map, sizeof ps->group_map);
    struct sim_list *lists = p->space->lists;
    find_first_bytes(p, lists[0].pcs, lists[0].mark);
    p->first_byte = only_byte(p);
    p->dfa_able = dfa_can_run(p);
    for (unsigned i = 0; i < 2; i++) {
        memset(lists[i].mark, 0, p->code_count * sizeof *lists[i].mark);
        lists[i].generation = 0;
    }
    return p;
}

struct pattern *code_compile(struct mem_region *region, struct parse *ps, struct node *root,
                             unsigned flags)
{
    struct emitter e = { .ps = ps, .code = { .item_bytes = sizeof(struct inst) } };
    order_groups(ps, &root);
    emit_node(&e, root);
    emit(&e, OP_MATCH, 0, 0);
    e.failed |= ps->no_memory;
    struct pattern *p = e.failed ? NULL : pattern_build(region, &e, flags);
    if (p) {
        stretch_find(p, root);
        /* The whole pattern is one !( ) that needs no more than the other engine can do: a match of
         * everything is decided by running what it must not match. */
        uint32_t at = p->code[0].op == OP_SAVE;
        const struct inst *not = &p->code[at];
        p->whole_not = not ->op == OP_NOT && not ->pure && not ->x + at + 1 == p->code_count;
    } else {
        errno = e.too_big ? E2BIG : ENOMEM;
        ps->no_memory = !e.too_big;
    }
    table_release(&e.code);
    return p;
}
