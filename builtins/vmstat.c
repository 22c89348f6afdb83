/*
 * vmstat, vmstate: what the allocator holds, one line a region.
 *
 * Owns the table's columns and the choice of regions; the format language is in vmstat_format.c.
 * Every figure comes from mem_region_stats, taken before anything is printed, so that printing does
 * not change what is shown. Must not allocate between taking the figures of the first and the last
 * region.
 *
 * A first operand that is a number is meant for the system's own vmstat(8), which is run instead,
 * so that scripts which sample the system keep working.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "builtins/vmstat_format.h"
#include "shell/base/sys.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/cmdhash.h"

enum { REGION_MAX = 64, CELL_BYTES = 32 };

struct snapshot {
    size_t count;
    struct mem_region *regions[REGION_MAX];
    struct mem_stats stats[REGION_MAX];
};

/* Takes the figures of all regions, or of the one called ONLY. */
static void snapshot_take(struct snapshot *snapshot, const char *only)
{
    snapshot->count = 0;
    struct mem_region *region = NULL;
    while (snapshot->count < REGION_MAX && (region = mem_region_next(region))) {
        if (only && strcmp(mem_region_name(region), only) != 0)
            continue;
        snapshot->regions[snapshot->count] = region;
        mem_region_stats(region, &snapshot->stats[snapshot->count++]);
    }
}

/* BYTES as people read them: 4 digits at most and a unit, or all digits. */
static void size_text(char *ret, size_t bytes, bool exact)
{
    static const char units[] = { 'B', 'K', 'M', 'G', 'T' };
    double shown = (double)bytes;
    size_t unit = 0;

    if (exact) {
        snprintf(ret, CELL_BYTES, "%zu", bytes);
        return;
    }
    while (shown >= 1024 && unit + 1 < sizeof units) {
        shown /= 1024;
        unit++;
    }
    if (unit == 0 || shown >= 100)
        snprintf(ret, CELL_BYTES, "%.0f%c", shown, units[unit]);
    else
        snprintf(ret, CELL_BYTES, "%.1f%c", shown, units[unit]);
}

static int percent(size_t part, size_t whole)
{
    return whole ? (int)((double)part * 100 / (double)whole) : 0;
}

enum column {
    COLUMN_NAME,
    COLUMN_METHOD,
    COLUMN_SIZE,
    COLUMN_SEGMENTS,
    COLUMN_PACKS,
    COLUMN_BUSY,
    COLUMN_BLOCKS,
    COLUMN_PERCENT,
    COLUMN_FREE,
    COLUMN_LARGEST,
    COLUMN_PEAK,
    COLUMN_COUNT
};
static const char *const column_titles[COLUMN_COUNT] = {
    "region", "method", "size", "segs",    "packs", "busy",
    "blocks", "busy%",  "free", "largest", "peak",
};

static void row_fill(char cells[COLUMN_COUNT][CELL_BYTES], const struct mem_stats *s,
                     const char *name, const char *method, bool exact)
{
    snprintf(cells[COLUMN_NAME], CELL_BYTES, "%s", name);
    snprintf(cells[COLUMN_METHOD], CELL_BYTES, "%s", method);
    size_text(cells[COLUMN_SIZE], s->size_bytes, exact);
    snprintf(cells[COLUMN_SEGMENTS], CELL_BYTES, "%zu", s->segment_count);
    snprintf(cells[COLUMN_PACKS], CELL_BYTES, "%zu", s->pack_count);
    size_text(cells[COLUMN_BUSY], s->busy_bytes, exact);
    snprintf(cells[COLUMN_BLOCKS], CELL_BYTES, "%zu", s->busy_count);
    snprintf(cells[COLUMN_PERCENT], CELL_BYTES, "%d%%", percent(s->busy_bytes, s->size_bytes));
    size_text(cells[COLUMN_FREE], s->free_bytes, exact);
    size_text(cells[COLUMN_LARGEST], s->free_max_bytes, exact);
    size_text(cells[COLUMN_PEAK], s->peak_bytes, exact);
}

/* Resident bytes of the process; 0 when the system does not tell. */
static size_t resident_bytes(void)
{
    char text[128];
    int fd = sys_open("/proc/self/statm", 0, 0);
    if (fd < 0)
        return 0;
    ssize_t n = sys_read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    const char *resident = strchr(text, ' ');
    return resident ? strtoull(resident, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static void print_row(struct shell *sh, char cells[COLUMN_COUNT][CELL_BYTES], const int *widths)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        out_printf(sh->out, i <= COLUMN_METHOD ? "%-*s%s" : "%*s%s", widths[i], cells[i],
                   i + 1 < COLUMN_COUNT ? "  " : "\n");
}

static void add_to_total(struct mem_stats *total, const struct mem_stats *s)
{
    total->size_bytes += s->size_bytes;
    total->segment_count += s->segment_count;
    total->pack_count += s->pack_count;
    total->busy_bytes += s->busy_bytes;
    total->busy_count += s->busy_count;
    total->free_bytes += s->free_bytes;
    total->peak_bytes += s->peak_bytes;
    if (s->free_max_bytes > total->free_max_bytes)
        total->free_max_bytes = s->free_max_bytes;
}

static enum flow print_table(struct shell *sh, const struct snapshot *snapshot, bool exact,
                             bool with_total)
{
    size_t rows = snapshot->count + 2;
    char(*cells)[COLUMN_COUNT][CELL_BYTES] = scratch_alloc(sh, rows * sizeof *cells);
    int widths[COLUMN_COUNT] = { 0 };
    struct mem_stats total = { 0 };

    if (!cells)
        return shell_fail_memory(sh, rows * sizeof *cells);
    for (int i = 0; i < COLUMN_COUNT; i++)
        snprintf(cells[0][i], CELL_BYTES, "%s", column_titles[i]);
    for (size_t r = 0; r < snapshot->count; r++) {
        const struct mem_stats *s = &snapshot->stats[r];
        row_fill(cells[r + 1], s, s->name, mem_method_name(s->method), exact);
        add_to_total(&total, s);
    }
    row_fill(cells[rows - 1], &total, "total", "", exact);
    if (!with_total)
        rows--;
    for (size_t r = 0; r < rows; r++)
        for (int i = 0; i < COLUMN_COUNT; i++)
            if ((int)strlen(cells[r][i]) > widths[i])
                widths[i] = (int)strlen(cells[r][i]);
    for (size_t r = 0; r < rows; r++)
        print_row(sh, cells[r], widths);
    if (with_total) {
        struct rusage usage;
        char resident[CELL_BYTES];
        getrusage(RUSAGE_SELF, &usage);
        size_text(resident, resident_bytes(), exact);
        out_printf(sh->out, "resident %s, page faults %ld minor, %ld major\n", resident,
                   usage.ru_minflt, usage.ru_majflt);
    }
    return FLOW_NEXT;
}

/* One record a region in FORMAT. */
static enum flow print_records(struct shell *sh, const char *command,
                               const struct snapshot *snapshot, const char *format)
{
    sh->status = 0;
    for (size_t r = 0; r < snapshot->count; r++) {
        struct format_record record = {
            .command = command,
            .region = snapshot->regions[r],
            .stats = &snapshot->stats[r],
        };
        if (!vmstat_format(sh, sh->out, format, &record))
            sh->status = 1;
    }
    return FLOW_NEXT;
}

/* Runs the system's vmstat with the same arguments and waits for it. */
static enum flow run_system(struct shell *sh, const struct args *args)
{
    const struct spawn_plan plan = { .in = -1, .out = -1, .group = -1 };
    const char *path = cmdhash_find(sh, args->argv[0], false);
    struct job *job;
    pid_t pid;

    if (!path)
        return shell_fail(sh, ERROR_COMMAND, 127, args->argv[0],
                          "the system's own vmstat is not installed");
    TRY(spawn_external(sh, args->argv[0], path, args->argv, &plan, &pid));
    TRY(job_add(sh, &pid, 1, -1, args->argv[0], false, &job));
    return job_wait_foreground(sh, job);
}

static enum flow vmstat_run(struct shell *sh, struct args *args)
{
    const bool original = strcmp(args->spec->name, "vmstate") == 0;
    const char *format = original ? vmstat_default_format : NULL;
    const char *only = NULL;
    bool exact = false;
    enum flow flow = FLOW_NEXT;
    struct snapshot snapshot;

    if (args->count > 1 && isdigit((unsigned char)args->argv[1][0]))
        return run_system(sh, args);
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option == -2)
            return flow;
        if (option == -1)
            return FLOW_NEXT;
        if (option == 'b')
            exact = true;
        else if (option == 'r')
            only = args->option_argument;
        else
            format = args->option_argument;
    }
    if (args_left(args))
        return builtin_usage_error(sh, args, "takes no operands");
    snapshot_take(&snapshot, only);
    if (only && snapshot.count == 0)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: no such region", only);
    sh->status = 0;
    if (format)
        return print_records(sh, args->argv[0], &snapshot, format);
    return print_table(sh, &snapshot, exact, !only);
}

static const struct builtin_option vmstat_options[] = {
    { .letter = 'b', .long_name = "bytes", .help = "show all sizes in bytes" },
    { .letter = 'f',
      .argument = "format",
      .long_name = "format",
      .help = "print one record a region in this format" },
    { .letter = 'r', .argument = "region", .long_name = "region", .help = "show only this region" },
    { 0 },
};

#define FORMAT_DOC                                                                                 \
    "A format holds %[-+][width[.precision[.base]]](id)char, where char is d, u, o, x, X, p or "   \
    "s, and "                                                                                      \
    "a newline follows each record. The ids are region, name, method, flags, size, segments, "     \
    "packs, "                                                                                      \
    "busy_size, busy_blocks, busy_max, free_size, free_blocks, free_max, cache_size, "             \
    "cache_blocks, "                                                                               \
    "peak and format."

const struct builtin_spec vmstat_spec = {
    .name = "vmstat",
    .options = vmstat_options,
    .usage = "",
    .summary = "show the memory of the shell, region by region",
    .doc =
        "Prints one line for each region of the allocator: its name and method, the bytes it holds "
        "in how many segments and packs, busy bytes and blocks, free bytes, the largest free block "
        "and the highest number of busy bytes so far; then the totals, the resident size of the "
        "process and its page faults. With a number as its first operand it runs the system's "
        "vmstat instead.\n\n" FORMAT_DOC,
    .run = vmstat_run,
};

const struct builtin_spec vmstate_spec = {
    .name = "vmstate",
    .options = vmstat_options,
    .usage = "",
    .summary = "show the memory of the shell in the original's format",
    .doc =
        "As vmstat, but prints one record a region in the format of the original command of this "
        "name.\n\n" FORMAT_DOC,
    .run = vmstat_run,
};
