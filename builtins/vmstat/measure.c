/*
 * measure.c: -x, what a command costs in time and memory.
 *
 * The command runs in the current shell, between two looks at counters that are kept anyway, so it
 * runs as fast as without. The report goes to descriptor 2 as it is for vmstat itself, after the
 * command, whatever way that ended. Peaks of regions are lowered meanwhile to see those of the
 * command, and put right again, so measurements may nest.
 */
#include "builtins/vmstat/measure.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/state/fdtab.h"

static int64_t timeval_ns(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

/* Of the shell and the children it waited for. */
static void processor_times(int64_t *ret_user_ns, int64_t *ret_sys_ns)
{
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    *ret_user_ns = timeval_ns(self.ru_utime) + timeval_ns(children.ru_utime);
    *ret_sys_ns = timeval_ns(self.ru_stime) + timeval_ns(children.ru_stime);
}

void cost_begin(struct shell *sh, struct cost_start *start)
{
    sh->measure_depth++;
    regions_take(&start->regions, NULL);
    for (size_t i = 0; i < start->regions.count; i++)
        start->peaks[i] = mem_region_peak_begin(start->regions.regions[i]);
    start->counts = sh->counts;
    process_figures_take(sh, &start->figures);
    processor_times(&start->user_ns, &start->sys_ns);
    start->real_ns = sys_monotonic_ns();
}

static void region_cost_take(struct region_cost *ret, const struct mem_stats *before,
                             const struct mem_stats *after, size_t peak)
{
    snprintf(ret->name, sizeof ret->name, "%s", after->name);
    ret->live_bytes = (int64_t)(after->busy_bytes - before->busy_bytes);
    ret->peak_bytes = (int64_t)(peak - before->busy_bytes);
    ret->blocks = (int64_t)(after->busy_count - before->busy_count);
    ret->allocs = after->alloc_count - before->alloc_count;
    ret->frees = after->free_calls_count - before->free_calls_count;
    ret->resizes = after->resize_count - before->resize_count;
}

static void region_cost_add(struct region_cost *total, const struct region_cost *cost)
{
    total->live_bytes += cost->live_bytes;
    total->peak_bytes += cost->peak_bytes;
    total->blocks += cost->blocks;
    total->allocs += cost->allocs;
    total->frees += cost->frees;
    total->resizes += cost->resizes;
}

/* The place of REGION in START, or COUNT when it was opened since. */
static size_t region_place(const struct regions *regions, const struct mem_region *region)
{
    size_t i = 0;
    while (i < regions->count && regions->regions[i] != region)
        i++;
    return i;
}

static void cost_regions(struct cost_start *start, struct cost *ret)
{
    static const struct mem_stats nothing;
    struct mem_region *region = NULL;
    while (ret->region_count < REGION_MAX && (region = mem_region_next(region))) {
        struct mem_stats now;
        size_t i = region_place(&start->regions, region);
        bool old = i < start->regions.count;
        mem_region_stats(region, &now);
        if (old)
            mem_region_peak_end(region, start->peaks[i]);
        struct region_cost *cost = &ret->regions[ret->region_count++];
        region_cost_take(cost, old ? &start->regions.stats[i] : &nothing, &now, now.peak_bytes);
        region_cost_add(&ret->total, cost);
    }
}

void cost_end(struct shell *sh, struct cost_start *start, struct cost *ret)
{
    struct process_figures now;
    struct rusage usage;

    memset(ret, 0, sizeof *ret);
    ret->real_ns = sys_monotonic_ns() - start->real_ns;
    processor_times(&ret->user_ns, &ret->sys_ns);
    ret->user_ns -= start->user_ns;
    ret->sys_ns -= start->sys_ns;
    process_figures_take(sh, &now);
    cost_regions(start, ret);
    ret->size_bytes = (int64_t)(now.size - start->figures.size);
    ret->resident_bytes = (int64_t)(now.rss - start->figures.rss);
    getrusage(RUSAGE_SELF, &usage);
    ret->peak_resident_bytes = (uint64_t)usage.ru_maxrss * 1024;
    ret->calls = now.calls - start->figures.calls;
    ret->got = now.got - start->figures.got;
    ret->got_bytes = now.got_bytes - start->figures.got_bytes;
    ret->put = now.put - start->figures.put;
    ret->put_bytes = now.put_bytes - start->figures.put_bytes;
    ret->minor_faults = now.minor_faults - start->figures.minor_faults;
    ret->major_faults = now.major_faults - start->figures.major_faults;
    ret->forks = sh->counts.forks - start->counts.forks;
    ret->fork_bytes = sh->counts.fork_bytes - start->counts.fork_bytes;
    ret->programs = sh->counts.programs - start->counts.programs;
    snprintf(ret->total.name, sizeof ret->total.name, "total");
    sh->measure_depth--;
}

/* ---- running ---- */

bool request_has_command(const struct request *rq)
{
    return rq->args->body || args_left(rq->args);
}

/* One operand with blanks or operators is text, as for eval. */
static bool operand_is_text(const struct args *args)
{
    return args_left(args) == 1 && strpbrk(args_peek(args, 0), " \t\n;&|<>(){}") != NULL;
}

enum flow request_run(struct shell *sh, const struct request *rq)
{
    struct args *args = rq->args;
    if (args->body)
        return exec_node(sh, args->body);
    if (operand_is_text(args)) {
        const char *text = args_peek(args, 0);
        return sh->hooks.run_text(sh, "vmstat", text, strlen(text));
    }
    return exec_argv(sh, args_left(args), args->argv + args->next, 0);
}

/* ---- the report ---- */

static void row_put(struct table *table, const struct region_cost *cost, bool exact)
{
    table_put(table, "%s", cost->name);
    table_change(table, cost->live_bytes, exact);
    table_change(table, cost->peak_bytes, exact);
    table_put(table, "%+lld", (long long)cost->blocks);
    table_put(table, "%llu", (unsigned long long)cost->allocs);
    table_put(table, "%llu", (unsigned long long)cost->frees);
    table_put(table, "%llu", (unsigned long long)cost->resizes);
}

static void print_times(struct out *out, const struct cost *cost)
{
    char text[SIZE_TEXT];
    out_printf(out, "\nreal  %9s s\n", seconds_text(text, cost->real_ns));
    out_printf(out, "user  %9s s\n", seconds_text(text, cost->user_ns));
    out_printf(out, "sys   %9s s\n", seconds_text(text, cost->sys_ns));
}

static void print_system(struct out *out, const struct cost *cost, bool exact)
{
    char a[SIZE_TEXT], b[SIZE_TEXT];
    out_printf(out, "system: %llu calls for memory, %llu segments got, %llu given back",
               (unsigned long long)cost->calls, (unsigned long long)cost->got,
               (unsigned long long)cost->put);
    out_printf(out, " (%s, %s)\n", size_text(a, cost->got_bytes, exact),
               size_text(b, cost->put_bytes, exact));
    out_printf(out, "pages: %llu faults minor, %llu major; resident %s, held %s\n",
               (unsigned long long)cost->minor_faults, (unsigned long long)cost->major_faults,
               change_text(a, cost->resident_bytes, exact),
               change_text(b, cost->size_bytes, exact));
    out_printf(out, "processes: %llu forks, which mapped %s again, %llu programs\n",
               (unsigned long long)cost->forks, size_text(a, cost->fork_bytes, exact),
               (unsigned long long)cost->programs);
}

static enum flow report(struct shell *sh, const struct cost *cost, bool exact)
{
    static const char *const titles[] = { "region", "live",  "peak",   "blocks",
                                          "allocs", "frees", "resizes" };
    struct table table;
    struct out *out = vmstat_report_out(sh);
    if (!out)
        return FLOW_NEXT;
    print_times(out, cost);
    table_init(&table, sh->watch_region, sizeof titles / sizeof *titles, 1);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_put(&table, "%s", titles[i]);
    for (size_t i = 0; i < cost->region_count; i++)
        if (strcmp(cost->regions[i].name, "vmstat") != 0)
            row_put(&table, &cost->regions[i], exact);
    row_put(&table, &cost->total, exact);
    TRY(table_end(sh, &table, out));
    print_system(out, cost, exact);
    (void)out_flush(out);
    return FLOW_NEXT;
}

enum flow vmstat_measure(struct shell *sh, const struct request *rq)
{
    struct measured {
        struct cost_start start;
        struct cost cost;
    } * m;

    if (!request_has_command(rq))
        return vmstat_fail(sh, rq, "-x: a command is needed");
    if (!vmstat_state(sh) || !(m = mem_alloc(sh->watch_region, sizeof *m)))
        return shell_fail_memory(sh, sizeof *m);
    if (rq->write) {
        enum flow begun = timeline_begin(sh, rq);
        if (begun != FLOW_NEXT) {
            mem_free(m);
            return begun;
        }
    }
    cost_begin(sh, &m->start);
    enum flow flow = request_run(sh, rq);
    cost_end(sh, &m->start, &m->cost);
    int status = sh->status;
    if (flow == FLOW_FORKED) { /* a child goes on in our place, and will report */
        mem_free(m);
        return flow;
    }
    enum flow reported = report(sh, &m->cost, rq->exact);
    if (rq->write && sh->vmstat->timeline) {
        enum flow drawn = timeline_end(sh, vmstat_report_out(sh));
        reported = reported == FLOW_NEXT ? drawn : reported;
    }
    mem_free(m);
    sh->status = status;
    return flow == FLOW_NEXT ? reported : flow;
}
