/*
 * Figures of memory: the one list of their names.
 *
 * Every figure is read from libmem's counters or the system at the moment it is asked for. Nothing
 * here allocates or changes what it measures.
 */
#include "shell/state/figure.h"

#include <string.h>
#include <sys/resource.h>

#include "shell/base/sys.h"

static const struct figure figures[] = {
#define FIGURE(name, field, help)                                                                  \
    {                                                                                              \
        name, offsetof(struct mem_stats, field), help                                              \
    }
    FIGURE("size", size_bytes, "bytes of all its segments"), /* first: the default of formats */
    FIGURE("segments", segment_count, "how many segments"),
    FIGURE("packs", pack_count, "runs of small blocks of one size"),
    FIGURE("busy_size", busy_bytes, "bytes of blocks in use"),
    FIGURE("busy_blocks", busy_count, "how many blocks are in use"),
    FIGURE("busy_max", busy_max_bytes, "the largest block in use"),
    FIGURE("free_size", free_bytes, "bytes not in use"),
    FIGURE("free_blocks", free_count, "how many free blocks"),
    FIGURE("free_max", free_max_bytes, "the largest block to be had without a new segment"),
    FIGURE("cache_size", cache_bytes, "bytes of freed small blocks that wait to be used again"),
    FIGURE("cache_blocks", cache_count, "how many of those"),
    FIGURE("given_size", given_bytes, "free bytes given back to the system"),
    FIGURE("lazy_size", lazy_bytes, "free bytes given back lazily, perhaps still resident"),
    FIGURE("retaken_size", retaken_bytes, "bytes given back and then used again, since the start"),
    FIGURE("peak", peak_bytes, "the most bytes that were ever in use"),
    FIGURE("allocs", alloc_count, "blocks allocated since the start"),
    FIGURE("frees", free_calls_count, "blocks freed since the start"),
    FIGURE("resizes", resize_count, "blocks resized since the start"),
#undef FIGURE
};
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "figures are read as size_t");

static const struct process_figure process_list[] = {
#define FIGURE(name, help)                                                                         \
    {                                                                                              \
#name, offsetof(struct process_figures, name), help                                        \
    }
    FIGURE(live, "bytes of blocks in use in all regions"),
    FIGURE(blocks, "how many blocks are in use"),
    FIGURE(peak, "the regions' highest live bytes, added up"),
    FIGURE(size, "bytes got from the system and held"),
    FIGURE(free, "of size: not in use"),
    FIGURE(given, "of free: given back to the system, not resident"),
    FIGURE(lazy, "of free: given back lazily, perhaps still resident"),
    FIGURE(segments, "segments of all regions"),
    FIGURE(rss, "bytes of the process that are resident"),
    FIGURE(commit, "private bytes that the system has promised the process"),
    FIGURE(calls, "system calls for memory so far"),
    FIGURE(got, "segments got so far"),
    FIGURE(got_bytes, "bytes got so far"),
    FIGURE(put, "segments given up so far"),
    FIGURE(put_bytes, "bytes given up so far"),
    FIGURE(minor_faults, "page faults that read nothing"),
    FIGURE(major_faults, "page faults that read from a disk"),
    FIGURE(forks, "copies of the shell made so far"),
    FIGURE(programs, "programs started without a copy"),
#undef FIGURE
};

const struct figure *figure_at(size_t index)
{
    return index < sizeof figures / sizeof *figures ? &figures[index] : NULL;
}

const struct figure *figure_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (text_eq(figures[i].name, strlen(figures[i].name), name, len))
            return &figures[i];
    return NULL;
}

size_t figure_value(const struct figure *figure, const struct mem_stats *stats)
{
    size_t value;
    memcpy(&value, (const char *)stats + figure->offset, sizeof value);
    return value;
}

const struct process_figure *process_figure_at(size_t index)
{
    return index < sizeof process_list / sizeof *process_list ? &process_list[index] : NULL;
}

uint64_t process_figure_value(const struct process_figure *figure,
                              const struct process_figures *values)
{
    uint64_t value;
    memcpy(&value, (const char *)values + figure->offset, sizeof value);
    return value;
}

void process_figures_take(const struct shell *sh, struct process_figures *ret)
{
    struct process_figures values = { 0 };
    struct mem_system_stats system;
    struct rusage usage;
    size_t commit = 0;

    for (struct mem_region *region = NULL; (region = mem_region_next(region));) {
        struct mem_stats stats;
        mem_region_stats(region, &stats);
        values.live += stats.busy_bytes;
        values.blocks += stats.busy_count;
        values.peak += stats.peak_bytes;
        values.size += stats.size_bytes;
        values.free += stats.free_bytes;
        values.given += stats.given_bytes;
        values.lazy += stats.lazy_bytes;
        values.segments += stats.segment_count;
    }
    mem_system_stats(&system);
    values.calls = system.call_count;
    values.got = system.got_count;
    values.got_bytes = system.got_bytes;
    values.put = system.put_count;
    values.put_bytes = system.put_bytes;
    values.rss = sys_process_bytes(&commit);
    values.commit = commit;
    getrusage(RUSAGE_SELF, &usage);
    values.minor_faults = (uint64_t)usage.ru_minflt;
    values.major_faults = (uint64_t)usage.ru_majflt;
    values.forks = sh->counts.forks;
    values.programs = sh->counts.programs;
    *ret = values;
}

/* ---- by path ---- */

static struct mem_region *region_named(const char *name, size_t len)
{
    struct mem_region *region = NULL;
    while ((region = mem_region_next(region))) {
        const char *own = mem_region_name(region);
        if (text_eq(own, strlen(own), name, len))
            return region;
    }
    return NULL;
}

/* Is it a region, or one that is opened when it is first needed? */
static bool region_known(const char *name, size_t len)
{
    return region_named(name, len) || text_eq("vmstat", 6, name, len) ||
           text_eq("malloc", 6, name, len);
}

bool figure_path(const char *text, size_t len, const struct process_figure **ret_process,
                 const struct figure **ret_figure, size_t *ret_region_len)
{
    const char *dot = memchr(text, '.', len);
    if (dot) {
        *ret_region_len = (size_t)(dot - text);
        *ret_figure = figure_find(dot + 1, len - *ret_region_len - 1);
        *ret_process = NULL;
        return *ret_figure && region_known(text, *ret_region_len);
    }
    for (size_t i = 0; i < sizeof process_list / sizeof *process_list; i++) {
        if (!text_eq(process_list[i].name, strlen(process_list[i].name), text, len))
            continue;
        *ret_process = &process_list[i];
        *ret_figure = NULL;
        return true;
    }
    return false;
}

uint64_t figure_read(const struct shell *sh, const char *text, size_t len)
{
    const struct process_figure *process;
    const struct figure *figure;
    size_t region_len;

    if (!figure_path(text, len, &process, &figure, &region_len))
        return 0;
    if (process) {
        struct process_figures values;
        process_figures_take(sh, &values);
        return process_figure_value(process, &values);
    }
    struct mem_region *region = region_named(text, region_len);
    struct mem_stats stats;
    if (!region)
        return 0;
    mem_region_stats(region, &stats);
    return figure_value(figure, &stats);
}
