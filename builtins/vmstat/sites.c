/*
 * sites.c: -p, -l, -k, -t and -F: live bytes by line, by kind and by the calls that led there.
 *
 * libmem counts by site exactly; here its counters are put together by line, or along the calls.
 * What vmstat itself takes belongs to site 0 (vmstat.c sees to that) and is left out; the rest of
 * site 0 is shown as the shell itself, so the sum over all lines is what all regions but `vmstat`
 * hold.
 */
#include "builtins/vmstat/sites.h"

#include <stdio.h>
#include <string.h>

#include "shell/base/kind.h"
#include "shell/state/site.h"

static const char itself[] = "(the shell itself)";

enum flow sites_needed(struct shell *sh, const struct request *rq)
{
    if (mem_sites_state() != MEM_SITES_OFF)
        return FLOW_NEXT;
    return vmstat_fail(sh, rq, "-%c: sites are off: `vmstat -p on' or VMALLOC_OPTIONS=sites=on",
                       rq->action);
}

static void undo_sites(struct shell *sh, void *a, uintptr_t on)
{
    (void)a;
    mem_sites_set(on != 0);
    site_look(sh);
}

enum flow vmstat_sites(struct shell *sh, const struct request *rq)
{
    const char *what = rq->argument;
    bool on = strcmp(what, "on") == 0, was = mem_sites_state() == MEM_SITES_ON;
    if (on || strcmp(what, "off") == 0) {
        if (on != was)
            TRY(vmstat_record(sh, undo_sites, NULL, was));
        mem_sites_set(on);
    } else if (strcmp(what, "reset") == 0)
        mem_sites_reset();
    else
        return vmstat_fail(sh, rq, "-p: %s: on, off or reset is needed", what);
    return FLOW_NEXT;
}

/* Takes what the region `vmstat` holds out of STATS, those of site 0 or of its kind. */
static void leave_out_own(const struct shell *sh, struct mem_site_stats *stats)
{
    struct mem_stats own;
    mem_region_stats(sh->watch_region, &own);
    stats->live_bytes -= own.busy_bytes < stats->live_bytes ? own.busy_bytes : stats->live_bytes;
    stats->live_count -= own.busy_count < stats->live_count ? own.busy_count : stats->live_count;
}

/* ---- places ---- */

static const char *place_text(const char *file, uint32_t line, const char *function, char *ret)
{
    if (!line)
        return itself;
    int len = snprintf(ret, PLACE_TEXT, "%.300s:%u", file ? file : "-", line);
    if (function && len > 0 && len < PLACE_TEXT)
        snprintf(ret + len, (size_t)(PLACE_TEXT - len), " %.150s()", function);
    return ret;
}

const char *line_place(const struct line_size *line, char ret[static PLACE_TEXT])
{
    return place_text(line->file, line->line, line->function, ret);
}

const char *site_place(uint32_t number, char ret[static PLACE_TEXT])
{
    const struct site *site = site_get(number);
    return site ? place_text(site->file, site->line, site->function, ret) : itself;
}

/* ---- by line ---- */

struct gather {
    struct line_sizes *list;
    size_t cap;
};

static int gather_site(void *arg, uint32_t number, const struct mem_site_stats *stats)
{
    struct gather *gather = arg;
    const struct site *site = site_get(number);
    if (gather->list->count == gather->cap)
        return 1;
    struct line_size *item = &gather->list->items[gather->list->count++];
    *item = (struct line_size){ .stats = *stats };
    if (site) {
        item->file = site->file;
        item->function = site->function;
        item->line = site->line;
    }
    return 0;
}

static int text_order(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int by_place(const void *a, const void *b)
{
    const struct line_size *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    int files = text_order(x->file, y->file);
    return files ? files : text_order(x->function, y->function);
}

static int by_live(const void *a, const void *b)
{
    const struct line_size *x = a, *y = b;
    if (x->stats.live_bytes != y->stats.live_bytes)
        return x->stats.live_bytes < y->stats.live_bytes ? 1 : -1;
    return by_place(a, b);
}

static void lines_merge(struct line_sizes *list)
{
    size_t kept = 0;
    items_sort(list->items, list->count, sizeof *list->items, by_place);
    for (size_t i = 0; i < list->count; i++) {
        struct line_size *item = &list->items[i];
        if (kept == 0 || by_place(&list->items[kept - 1], item) != 0) {
            list->items[kept++] = *item;
            continue;
        }
        struct mem_site_stats *sum = &list->items[kept - 1].stats;
        sum->live_bytes += item->stats.live_bytes;
        sum->live_count += item->stats.live_count;
        sum->peak_bytes += item->stats.peak_bytes;
        sum->call_count += item->stats.call_count;
    }
    list->count = kept;
}

enum flow lines_take(struct shell *sh, struct line_sizes *ret)
{
    struct line_sizes list = { 0 };
    if (mem_sites_state() != MEM_SITES_OFF) {
        struct gather gather = { .list = &list, .cap = mem_site_count() };
        if (!vmstat_state(sh) ||
            !(list.items = mem_alloc(sh->watch_region, gather.cap * sizeof *list.items)))
            return shell_fail_memory(sh, 0);
        (void)mem_site_walk(gather_site, &gather);
        if (list.count && !list.items[0].line) /* site 0 comes first */
            leave_out_own(sh, &list.items[0].stats);
        lines_merge(&list);
        items_sort(list.items, list.count, sizeof *list.items, by_live);
    }
    *ret = list;
    return FLOW_NEXT;
}

void lines_release(struct line_sizes *lines)
{
    mem_free(lines->items);
    lines->items = NULL;
}

static void put_stats(struct table *table, const struct mem_site_stats *stats, bool exact)
{
    table_size(table, stats->live_bytes, exact);
    table_put(table, "%llu", (unsigned long long)stats->live_count);
    table_size(table, stats->peak_bytes, exact);
    table_put(table, "%llu", (unsigned long long)stats->call_count);
}

static void put_titles(struct table *table, const char *last)
{
    static const char *const titles[] = { "live", "blocks", "peak", "calls" };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_put(table, "%s", titles[i]);
    table_put(table, "%s", last);
}

static void add_stats(struct mem_site_stats *total, const struct mem_site_stats *stats)
{
    total->live_bytes += stats->live_bytes;
    total->live_count += stats->live_count;
    total->peak_bytes += stats->peak_bytes;
    total->call_count += stats->call_count;
}

enum flow vmstat_lines(struct shell *sh, const struct request *rq)
{
    struct line_sizes list;
    struct mem_site_stats total = { 0 };
    struct table table;
    char place[PLACE_TEXT];

    TRY(sites_needed(sh, rq));
    TRY(lines_take(sh, &list));
    table_init(&table, sh->watch_region, 5, 1u << 4);
    put_titles(&table, "line");
    for (size_t i = 0; i < list.count; i++) {
        add_stats(&total, &list.items[i].stats);
        if (rq->count && i >= rq->count)
            continue;
        put_stats(&table, &list.items[i].stats, rq->exact);
        table_put(&table, "%s", line_place(&list.items[i], place));
    }
    put_stats(&table, &total, rq->exact);
    table_put(&table, "total");
    lines_release(&list);
    return table_end(sh, &table, sh->out);
}

/* ---- by kind ---- */

enum flow vmstat_kinds(struct shell *sh, const struct request *rq)
{
    struct mem_site_stats stats, total = { 0 };
    struct table table;

    TRY(sites_needed(sh, rq));
    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    table_init(&table, sh->watch_region, 5, 1u << 4);
    put_titles(&table, "kind");
    for (unsigned kind = 0; kind < KIND_COUNT && mem_kind_stats(kind, &stats); kind++) {
        if (kind == KIND_OTHER)
            leave_out_own(sh, &stats);
        add_stats(&total, &stats);
        put_stats(&table, &stats, rq->exact);
        table_put(&table, "%s", kind_name(kind));
    }
    put_stats(&table, &total, rq->exact);
    table_put(&table, "total");
    return table_end(sh, &table, sh->out);
}

/* ---- the tree of calls ---- */

struct order {
    uint64_t bytes;
    uint32_t site;
};

static int by_bytes_up(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->site < y->site ? 1 : -1;
}

static int tree_visit(void *arg, uint32_t site, const struct mem_site_stats *stats)
{
    struct site_tree *tree = arg;
    if (site >= tree->count)
        return 0;
    tree->nodes[site].own_bytes = stats->live_bytes;
    tree->nodes[site].own_count = stats->live_count;
    return 0;
}

/* A caller has a smaller number than what it calls, so one pass down sums up. */
static void tree_sum(struct site_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        tree->nodes[i].all_bytes = tree->nodes[i].own_bytes;
        tree->nodes[i].all_count = tree->nodes[i].own_count;
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        const struct site *site = site_get(i);
        struct site_node *parent = &tree->nodes[site && site->parent < i ? site->parent : 0];
        parent->all_bytes += tree->nodes[i].all_bytes;
        parent->all_count += tree->nodes[i].all_count;
    }
}

/* Pushed in front in the order of their bytes, children stand with the largest first. */
static void tree_link(struct site_tree *tree, struct order *order)
{
    for (uint32_t i = 0; i < tree->count; i++)
        order[i] = (struct order){ tree->nodes[i].all_bytes, i };
    items_sort(order, tree->count, sizeof *order, by_bytes_up);
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t at = order[i].site;
        const struct site *site = site_get(at);
        if (at == 0 || !tree->nodes[at].all_bytes)
            continue;
        struct site_node *parent = &tree->nodes[site && site->parent < at ? site->parent : 0];
        tree->nodes[at].sibling = parent->child;
        parent->child = at;
    }
}

enum flow site_tree_take(struct shell *sh, struct site_tree *ret)
{
    struct site_tree tree = { .count = mem_site_count() };
    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    tree.nodes = mem_alloc_zeroed(sh->watch_region, tree.count * sizeof *tree.nodes);
    struct order *order = mem_alloc(sh->watch_region, tree.count * sizeof *order);
    if (!tree.nodes || !order) {
        mem_free(tree.nodes);
        mem_free(order);
        return shell_fail_memory(sh, 0);
    }
    (void)mem_site_walk(tree_visit, &tree);
    struct mem_site_stats itself_stats = { .live_bytes = tree.nodes[0].own_bytes,
                                           .live_count = tree.nodes[0].own_count };
    leave_out_own(sh, &itself_stats);
    tree.nodes[0].own_bytes = itself_stats.live_bytes;
    tree.nodes[0].own_count = itself_stats.live_count;
    tree_sum(&tree);
    tree_link(&tree, order);
    mem_free(order);
    *ret = tree;
    return FLOW_NEXT;
}

void site_tree_release(struct site_tree *tree)
{
    mem_free(tree->nodes);
    tree->nodes = NULL;
}

/* The node after SITE in depth-first order, 0 at the end; DEPTH follows. */
static uint32_t tree_next(const struct site_tree *tree, uint32_t at, unsigned *depth)
{
    if (tree->nodes[at].child) {
        ++*depth;
        return tree->nodes[at].child;
    }
    while (at && !tree->nodes[at].sibling) {
        const struct site *site = site_get(at);
        at = site && site->parent < at ? site->parent : 0;
        --*depth;
    }
    return at ? tree->nodes[at].sibling : 0;
}

enum flow vmstat_tree(struct shell *sh, const struct request *rq)
{
    struct site_tree tree;
    struct table table;
    char place[PLACE_TEXT];
    unsigned depth = 0;
    size_t shown = 0;

    TRY(sites_needed(sh, rq));
    TRY(site_tree_take(sh, &tree));
    table_init(&table, sh->watch_region, 4, 1u << 3);
    table_put(&table, "all");
    table_put(&table, "own");
    table_put(&table, "blocks");
    table_put(&table, "line, and below it what it called");
    uint32_t at = 0;
    do {
        const struct site_node *node = &tree.nodes[at];
        table_size(&table, node->all_bytes, rq->exact);
        table_size(&table, node->own_bytes, rq->exact);
        table_put(&table, "%llu", (unsigned long long)node->own_count);
        table_put(&table, "%*s%s", (int)(2 * depth), "", at ? site_place(at, place) : itself);
        at = tree_next(&tree, at, &depth);
    } while (at && (!rq->count || ++shown < rq->count));
    site_tree_release(&tree);
    return table_end(sh, &table, sh->out);
}

/* ---- folded stacks ---- */

/* The frames of SITE from the outermost on, each as `FUNCTION FILE:LINE`, with semicolons. */
static void put_frames(struct out *out, uint32_t at)
{
    uint32_t chain[256];
    size_t count = 0;
    for (; at && count < sizeof chain / sizeof *chain; count++) {
        const struct site *site = site_get(at);
        chain[count] = at;
        at = site && site->parent < at ? site->parent : 0;
    }
    while (count-- > 0) {
        char place[PLACE_TEXT];
        for (const char *p = site_place(chain[count], place); *p; p++)
            out_putc(out, *p == ';' || *p == '\n' ? '_' : *p);
        if (count)
            out_putc(out, ';');
    }
}

enum flow vmstat_folded(struct shell *sh, const struct request *rq)
{
    struct site_tree tree;
    struct document document;

    TRY(sites_needed(sh, rq));
    TRY(site_tree_take(sh, &tree));
    enum flow flow = document_begin(sh, &document);
    if (flow == FLOW_NEXT) {
        for (uint32_t i = 0; i < tree.count; i++) {
            if (!tree.nodes[i].own_bytes)
                continue;
            if (i)
                put_frames(&document.out, i);
            else
                out_puts(&document.out, itself);
            out_printf(&document.out, " %llu\n", (unsigned long long)tree.nodes[i].own_bytes);
        }
        flow = document_write(sh, &document, rq->command, rq->argument);
    }
    site_tree_release(&tree);
    return flow;
}
