/*
 * variables.c: -v, how much each variable takes.
 *
 * Follows a variable to every block that it owns: itself, its text, the tables and elements of its
 * array, arrays inside of arrays. Reads only; the list is kept in the region `vmstat`. SLACK is
 * what of these blocks holds nothing: room to grow in texts and tables, and rounding.
 */
#include "builtins/vmstat/variables.h"

#include <errno.h>
#include <string.h>

#include "shell/base/match.h"
#include "shell/state/array.h"
#include "shell/state/frame.h"
#include "shell/state/members.h"

struct size {
    size_t bytes, slack, elements;
    variable_visit *visit; /* or NULL */
    void *arg;
    bool looked_up; /* blocks of debug regions have sizes of their own */
};

enum { PREFETCH_AHEAD = 12 };

static bool is_debugged(const struct shell *sh)
{
    struct mem_stats stats;
    mem_region_stats(sh->nodes, &stats);
    return stats.method == MEM_METHOD_DEBUG;
}

/* One block of BYTES, of which USED hold something. */
static void add_sized(struct size *size, const void *block, size_t bytes, size_t used)
{
    if (size->visit)
        size->visit(size->arg, block, bytes, used < bytes ? used : bytes);
    size->bytes += bytes;
    size->slack += bytes > used ? bytes - used : 0;
}

static void add_array(struct size *size, const struct array *a);
static void add_members(struct size *size, const struct members *m);

static void add_block(struct size *size, const void *block, size_t used)
{
    if (block)
        add_sized(size, block, mem_block_bytes(block), used);
}

/* Of a block that got REQUESTED bytes, which need not be looked up then: there may be millions. */
static void add_requested(struct size *size, const void *block, size_t requested, size_t used)
{
    size_t bytes = size->looked_up ? mem_block_bytes(block) : mem_good_bytes(requested);
    add_sized(size, block, bytes, used);
}

/* What VALUE owns; the value itself lies in a block that is counted already. */
static void add_value(struct size *size, const struct value *value)
{
    if (value->bits & VALUE_ARRAY)
        add_array(size, value->array);
    else if (value->bits & VALUE_COMPOUND)
        add_members(size, value->members);
    else if (value->bits & VALUE_HEAP)
        add_requested(size, value->heap.data, value->heap.cap, (size_t)value->heap.len + 1);
}

static void add_array(struct size *size, const struct array *a)
{
    add_block(size, a, sizeof *a);
    add_block(size, a->order, a->order_valid ? a->used * sizeof *a->order : 0);
    if (a->cells) {
        add_block(size, a->cells, a->count * sizeof *a->cells);
        for (size_t i = 0; i < a->cell_cap; i++)
            add_value(size, &a->cells[i]);
    }
    if (!a->slots)
        return;
    add_block(size, a->slots, a->used * sizeof *a->slots);
    add_block(size, a->hashes, a->used * sizeof *a->hashes);
    for (size_t i = 0; i < a->slot_cap; i++) {
        if (i + PREFETCH_AHEAD < a->slot_cap && a->hashes[i + PREFETCH_AHEAD])
            __builtin_prefetch(a->slots[i + PREFETCH_AHEAD]);
        const struct element *element = a->hashes[i] ? a->slots[i] : NULL;
        if (!element)
            continue;
        size_t bytes = offsetof(struct element, key) + element->key_len + 1;
        add_requested(size, element, bytes, bytes);
        add_value(size, &element->value);
    }
}

static void add_variable(struct size *size, const struct var *var);

static void add_members(struct size *size, const struct members *m)
{
    add_block(size, m, sizeof *m);
    add_block(size, m->items, m->count * sizeof(struct var *));
    add_block(size, m->index, m->count * sizeof *m->index);
    for (uint32_t i = 0; i < m->count; i++)
        add_variable(size, m->items[i]);
}

static void add_variable(struct size *size, const struct var *var)
{
    add_block(size, var, sizeof *var);
    if (var->attrs & VAR_NAMEREF)
        add_block(size, var->target_rest, var->target_rest ? strlen(var->target_rest) + 1 : 0);
    if (var->attrs & VAR_ARRAY && var->array) {
        add_array(size, var->array);
        size->elements = var->array->count;
    } else {
        add_value(size, &var->value);
        size->elements = var->value.bits & VALUE_COMPOUND ? var->value.members->count
                                                          : value_is_set(&var->value);
    }
}

void variables_walk(struct shell *sh, variable_visit *visit, void *arg)
{
    struct size size = { .visit = visit, .arg = arg, .looked_up = is_debugged(sh) };
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor));) {
        const struct name *name = slot->value;
        add_block(&size, name, sizeof *name + name->len + 1);
        for (const struct var *var = name->cur; var; var = var->outer)
            if (!var->in) /* of a name space in force */
                add_variable(&size, var);
    }
}

static const char *variable_kind(const struct var *var)
{
    if (var->attrs & VAR_NAMEREF)
        return "reference";
    if (var->value.bits & VALUE_COMPOUND)
        return "compound";
    if (var->attrs & VAR_ASSOC)
        return "associative";
    if (var->attrs & VAR_INDEXED)
        return "indexed";
    if (var->attrs & VAR_NUMERIC)
        return var->attrs & VAR_INTEGER ? "integer" : "float";
    return "scalar";
}

static bool list_add(struct shell *sh, struct variable_sizes *list, const struct var *var,
                     bool looked_up)
{
    struct size size = { .looked_up = looked_up };
    if (list->count == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 128;
        void *items = mem_resize(sh->watch_region, list->items, cap * sizeof *list->items);
        if (!items)
            return false;
        list->items = items;
        list->cap = cap;
    }
    add_variable(&size, var);
    const char *scope = var->owner && var->owner->function_name ? var->owner->function_name : "";
    list->items[list->count++] = (struct variable_size){
        .name = var->name->text,
        .scope = scope,
        .kind = variable_kind(var),
        .elements = size.elements,
        .bytes = size.bytes,
        .slack = size.slack,
    };
    return true;
}

static int larger_first(const void *a, const void *b)
{
    const struct variable_size *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    int names = strcmp(x->name, y->name);
    return names ? names : strcmp(x->scope, y->scope);
}

void variables_release(struct variable_sizes *sizes)
{
    mem_free(sizes->items);
    sizes->items = NULL;
}

enum flow variables_take(struct shell *sh, const char *pattern, struct variable_sizes *ret)
{
    struct variable_sizes list = { 0 };
    struct pattern *compiled = NULL;
    size_t cursor = 0;
    bool whole = true, looked_up = is_debugged(sh);

    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    if (pattern && !(compiled = pattern_compile(sh->watch_region, pattern, strlen(pattern), 0)))
        return errno == EINVAL ? shell_fail(sh, ERROR_BUILTIN, 1, pattern, "invalid pattern")
                               : shell_fail_memory(sh, 0);
    for (struct map_slot *slot; whole && (slot = map_next(&sh->names, &cursor));) {
        const struct name *name = slot->value;
        if (compiled && !pattern_matches(compiled, name->text, name->len))
            continue;
        for (const struct var *var = name->cur; var && whole; var = var->outer)
            whole = list_add(sh, &list, var, looked_up);
    }
    if (compiled)
        pattern_free(compiled);
    if (!whole) {
        variables_release(&list);
        return shell_fail_memory(sh, 0);
    }
    if (list.count)
        items_sort(list.items, list.count, sizeof *list.items, larger_first);
    *ret = list;
    return FLOW_NEXT;
}

enum flow vmstat_variables(struct shell *sh, const struct request *rq)
{
    static const char *const titles[] = { "variable", "function", "kind",
                                          "elements", "bytes",    "slack" };
    const char *pattern = args_peek(rq->args, 0);
    struct variable_sizes list;
    struct table table;

    if (args_left(rq->args) > 1)
        return vmstat_fail(sh, rq, "-v: one pattern is enough");
    TRY(variables_take(sh, pattern, &list));
    table_init(&table, sh->watch_region, sizeof titles / sizeof *titles, 1 | 1u << 1 | 1u << 2);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_put(&table, "%s", titles[i]);
    for (size_t i = 0; i < list.count && (!rq->count || i < rq->count); i++) {
        const struct variable_size *item = &list.items[i];
        table_put(&table, "%s", item->name);
        table_put(&table, "%s", *item->scope ? item->scope : "-");
        table_put(&table, "%s", item->kind);
        table_put(&table, "%zu", item->elements);
        table_size(&table, item->bytes, rq->exact);
        table_size(&table, item->slack, rq->exact);
    }
    variables_release(&list);
    return table_end(sh, &table, sh->out);
}
