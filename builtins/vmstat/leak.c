/*
 * leak.c: -L, blocks that no variable owns.
 *
 * LOST is what the shell cannot reach any more, whichever way; HELD what it reaches, but not
 * through a variable: functions, parsed programs, jobs, caches. With the name of a snapshot only
 * blocks that lived then already are told. What is found is put together by kind, region and line
 * in a fixed table in the region `vmstat`; nothing else is allocated while blocks are looked at.
 */
#include <string.h>

#include "builtins/vmstat/sites.h"
#include "builtins/vmstat/snapshot.h"
#include "builtins/vmstat/variables.h"
#include "shell/base/kind.h"

enum { GROUPS = 1024, GROUPS_MOST = GROUPS * 3 / 4 };

struct group {
    const struct mem_region *region; /* NULL: free */
    uint32_t site;
    unsigned kind;
    bool lost;
    size_t count, bytes;
};
struct search {
    struct mem_marks *reached, *owned;
    const struct mem_marks *older; /* NULL: all are old enough */
    const struct mem_region *region;
    bool held; /* tell those too */
    size_t group_count, lost_bytes, lost_count;
    struct group groups[GROUPS];
    struct group others;
};

static struct group *group_of(struct search *search, uint32_t site, unsigned kind, bool lost)
{
    size_t at = (site * 31u + kind * 7u + lost) % GROUPS;
    for (;; at = (at + 1) % GROUPS) {
        struct group *group = &search->groups[at];
        if (!group->region) {
            if (search->group_count >= GROUPS_MOST)
                return &search->others;
            search->group_count++;
            *group = (struct group){ search->region, site, kind, lost, 0, 0 };
            return group;
        }
        if (group->region == search->region && group->site == site && group->kind == kind &&
            group->lost == lost)
            return group;
    }
}

static int search_visit(void *arg, void *block, size_t bytes, bool busy)
{
    struct search *search = arg;
    unsigned kind;

    if (!busy || mem_marks_has(search->owned, block) ||
        (search->older && !mem_marks_has(search->older, block)))
        return 0;
    bool lost = !mem_marks_has(search->reached, block);
    if (!lost && !search->held)
        return 0;
    uint32_t site = mem_site_of(block, &kind);
    struct group *group = group_of(search, site, kind, lost);
    group->count++;
    group->bytes += bytes;
    if (lost) {
        search->lost_count++;
        search->lost_bytes += bytes;
    }
    return 0;
}

static void search_regions(struct shell *sh, struct search *search)
{
    for (struct mem_region *region = NULL; (region = mem_region_next(region));) {
        if (region == sh->watch_region || region == sh->scratch)
            continue;
        search->region = region;
        (void)mem_region_walk(region, search_visit, search);
    }
}

static int lost_and_large_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->lost != y->lost)
        return x->lost ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->site < y->site ? -1 : x->site > y->site;
}

static void put_group(struct table *table, const struct group *group, bool exact)
{
    char place[PLACE_TEXT];
    table_put(table, "%s", group->lost ? "lost" : "held");
    table_size(table, group->bytes, exact);
    table_put(table, "%zu", group->count);
    table_put(table, "%s", kind_name(group->kind));
    table_put(table, "%s", group->region ? mem_region_name(group->region) : "");
    table_put(table, "%s", group->region ? site_place(group->site, place) : "and others");
}

static enum flow show(struct shell *sh, const struct request *rq, struct search *search)
{
    static const char *const titles[] = { "state", "bytes", "blocks", "kind", "region", "line" };
    char size[SIZE_TEXT];
    struct table table;
    size_t shown = 0;

    items_sort(search->groups, GROUPS, sizeof *search->groups, lost_and_large_first);
    table_init(&table, sh->watch_region, sizeof titles / sizeof *titles, 1 | 7u << 3);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_put(&table, "%s", titles[i]);
    for (size_t i = 0; i < GROUPS && (!rq->count || shown < rq->count); i++) {
        if (!search->groups[i].count)
            continue;
        put_group(&table, &search->groups[i], rq->exact);
        shown++;
    }
    if (search->others.count) {
        put_group(&table, &search->others, rq->exact);
        shown++;
    }
    if (shown)
        TRY(table_end(sh, &table, sh->out));
    else
        str_release(&table.cells);
    out_printf(sh->out, "lost: %s in %zu blocks\n", size_text(size, search->lost_bytes, rq->exact),
               search->lost_count);
    sh->status = search->lost_count != 0;
    return FLOW_NEXT;
}

static void mark_visit(void *arg, const void *block, size_t bytes, size_t used)
{
    (void)bytes;
    (void)used;
    (void)mem_marks_add(arg, block);
}

static enum flow search_run(struct shell *sh, const struct request *rq, struct search *search)
{
    search->reached = mem_marks_new(sh->watch_region);
    search->owned = mem_marks_new(sh->watch_region);
    if (!search->reached || !search->owned || !mem_marks_reach(search->reached))
        return shell_fail_memory(sh, 0);
    variables_walk(sh, mark_visit, search->owned);
    search_regions(sh, search);
    return show(sh, rq, search);
}

enum flow vmstat_leaks(struct shell *sh, const struct request *rq)
{
    const char *name = args_peek(rq->args, 0);
    const struct saved *saved = name ? snapshot_find(sh, name) : NULL;

    if (args_left(rq->args) > 1)
        return vmstat_fail(sh, rq, "-L: one snapshot is enough");
    if (name && !saved)
        return vmstat_fail(sh, rq, "%s: no such snapshot", name);
    if (saved && !saved->marks)
        return vmstat_fail(sh, rq, "%s: there was no memory to note its blocks", name);
    struct search *search =
        vmstat_state(sh) ? mem_alloc_zeroed(sh->watch_region, sizeof *search) : NULL;
    if (!search)
        return shell_fail_memory(sh, sizeof *search);
    search->older = saved ? saved->marks : NULL;
    search->held = saved != NULL;
    enum flow flow = search_run(sh, rq, search);
    mem_marks_free(search->reached);
    mem_marks_free(search->owned);
    mem_free(search);
    return flow;
}
