/*
 * Tables of members.
 *
 * Owns struct members and the member variables' links to it (in, refs). Invariants: a variable is
 * in at most one table, its IN; a variable that was taken out has IN NULL and lives as long as
 * someone else counts on it; few members are searched one by one, more through an index of their
 * names' hashes (open addressing, at most half full).
 *
 * Must not look at attributes beyond those that say what a state owns, and must not record
 * anything: see compound.c.
 */
#include "shell/state/members.h"

#include <stdlib.h>

#include "shell/base/kind.h"
#include "shell/state/value.h"
#include "shell/state/var_private.h"

enum { FIRST_CAP = 4, INDEX_FROM = 9, FIRST_INDEX = 32 };

struct members *members_new(struct mem_region *nodes, struct mem_region *heap)
{
    struct members *m = mem_alloc_zeroed_kind(nodes, sizeof *m, KIND_VARIABLE);
    if (!m)
        return NULL;
    m->nodes = nodes;
    m->heap = heap;
    m->refs = 1;
    return m;
}

struct members *members_hold(struct members *m)
{
    m->refs++;
    return m;
}

void var_drop(struct mem_region *nodes, struct var *var)
{
    if (--var->refs > 0)
        return;
    var_state_clear(NULL, &var->state);
    mem_free_sized(nodes, var, sizeof *var);
}

void members_release(struct members *m)
{
    if (!m || --m->refs > 0)
        return;
    for (uint32_t i = 0; i < m->count; i++) {
        m->items[i]->in = NULL;
        var_drop(m->nodes, m->items[i]);
    }
    mem_free(m->items);
    mem_free(m->index);
    mem_free_sized(m->nodes, m, sizeof *m);
}

/* The place of NAME in the index, or the empty one where it belongs. */
static uint32_t index_place(const struct members *m, const struct name *name)
{
    uint32_t mask = m->index_cap - 1, i = name->hash & mask;
    while (m->index[i] && m->items[m->index[i] - 1]->name != name)
        i = (i + 1) & mask;
    return i;
}

static void index_fill(struct members *m)
{
    memset(m->index, 0, m->index_cap * sizeof *m->index);
    for (uint32_t i = 0; i < m->count; i++)
        m->index[index_place(m, m->items[i]->name)] = i + 1;
}

/* Makes the index big enough for COUNT members. */
static bool index_grow(struct members *m, uint32_t count)
{
    if (count < INDEX_FROM || count * 2 <= m->index_cap)
        return true;
    uint32_t cap = m->index_cap ? m->index_cap * 2 : FIRST_INDEX;
    uint32_t *index = mem_resize_kind(m->heap, m->index, cap * sizeof *index, KIND_VARIABLE);
    if (!index)
        return false;
    m->index = index;
    m->index_cap = cap;
    index_fill(m);
    return true;
}

struct var *members_find(const struct members *m, const struct name *name)
{
    if (m->index) {
        uint32_t number = m->index[index_place(m, name)];
        return number ? m->items[number - 1] : NULL;
    }
    for (uint32_t i = 0; i < m->count; i++)
        if (m->items[i]->name == name)
            return m->items[i];
    return NULL;
}

struct var *members_put(struct members *m, struct name *name)
{
    if (m->count == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : FIRST_CAP;
        struct var **items = mem_resize_kind(m->heap, m->items, cap * sizeof *items, KIND_VARIABLE);
        if (!items)
            return NULL;
        m->items = items;
        m->cap = cap;
    }
    if (!index_grow(m, m->count + 1))
        return NULL;
    struct var *var = mem_alloc_zeroed_kind(m->nodes, sizeof *var, KIND_VARIABLE);
    if (!var)
        return NULL;
    var->name = name;
    var->width = -1;
    var->refs = 1;
    var->in = m;
    m->items[m->count++] = var;
    if (m->index)
        m->index[index_place(m, name)] = m->count;
    if (name->len == 1 && name->text[0] == '.')
        m->self = var;
    return var;
}

/* Takes the entry at HOLE out of the index, shifting back those that it had pushed on. */
static void index_remove(struct members *m, uint32_t hole)
{
    uint32_t mask = m->index_cap - 1;
    for (uint32_t i = (hole + 1) & mask; m->index[i]; i = (i + 1) & mask) {
        uint32_t home = m->items[m->index[i] - 1]->name->hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->index[hole] = m->index[i];
            hole = i;
        }
    }
    m->index[hole] = 0;
}

/* Takes VAR out of a table with an index; the last member takes its place. */
static void remove_indexed(struct members *m, const struct var *var)
{
    uint32_t place = index_place(m, var->name), number = m->index[place];
    struct var *last = m->items[m->count - 1];
    index_remove(m, place);
    if (last != var) {
        m->index[index_place(m, last->name)] = number;
        m->items[number - 1] = last;
    }
    m->count--;
}

/* The same where the others keep their order. */
static void remove_ordered(struct members *m, const struct var *var)
{
    uint32_t i = 0;
    while (m->items[i] != var)
        i++;
    memmove(m->items + i, m->items + i + 1, (m->count - i - 1) * sizeof *m->items);
    m->count--;
    if (m->index)
        index_fill(m);
}

void members_remove(struct members *m, struct var *var)
{
    if (m->index && !m->type) /* the order of a type's members counts */
        remove_indexed(m, var);
    else
        remove_ordered(m, var);
    if (m->self == var)
        m->self = NULL;
    var->in = NULL;
    var_drop(m->nodes, var);
}

bool var_copy_state(struct mem_region *heap, struct var *to, const struct var *from)
{
    uint64_t stamp = to->stamp;
    to->state = from->state;
    to->stamp = stamp;
    to->value.bits = 0;
    value_set_stamp(&to->value, 0);
    to->array = NULL;
    to->target_rest = NULL;
    if (!value_copy(heap, &to->value, &from->value))
        return false;
    if (from->array && !(to->array = array_dup(from->array)))
        return false;
    if (from->target_rest && !(to->target_rest = text_dup(heap, from->target_rest)))
        return false;
    return true;
}

struct members *members_dup(const struct members *m)
{
    struct members *copy = members_new(m->nodes, m->heap);
    if (!copy)
        return NULL;
    copy->type = m->type;
    for (uint32_t i = 0; i < m->count; i++) {
        if (!member_in_use(m->items[i]))
            continue;
        struct var *var = members_put(copy, m->items[i]->name);
        if (!var || !var_copy_state(copy->heap, var, m->items[i])) {
            members_release(copy);
            return NULL;
        }
    }
    return copy;
}

bool member_in_use(const struct var *var)
{
    return value_is_set(&var->value) || var->attrs != 0;
}

static int compare_members(const void *a, const void *b)
{
    const struct var *x = *(struct var *const *)a, *y = *(struct var *const *)b;
    return text_compare(x->name->text, x->name->len, y->name->text, y->name->len);
}

struct var **members_sorted(const struct members *m, size_t *ret_count)
{
    size_t count = 0;
    struct var **vars = m->count ? mem_alloc(m->heap, m->count * sizeof(struct var *)) : NULL;
    if (vars) {
        for (uint32_t i = 0; i < m->count; i++)
            if (member_in_use(m->items[i]))
                vars[count++] = m->items[i];
        if (!m->type && count > 1)
            qsort(vars, count, sizeof(struct var *), compare_members);
    }
    *ret_count = count;
    return vars;
}
