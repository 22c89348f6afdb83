/*
 * regions.c: the table, one line a region, and the records of -f.
 *
 * Two calls in a row show the same figures: everything is taken before anything is printed, the
 * cells stand on the C stack, and a first round that is thrown away has the pages that the work
 * needs touched before faults are counted.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "builtins/vmstat/vmstat.h"
#include "shell/base/sys.h"

void regions_take(struct regions *regions, const char *only)
{
    regions->count = 0;
    struct mem_region *region = NULL;
    while (regions->count < REGION_MAX && (region = mem_region_next(region))) {
        if (only && strcmp(mem_region_name(region), only) != 0)
            continue;
        regions->regions[regions->count] = region;
        mem_region_stats(region, &regions->stats[regions->count++]);
    }
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
typedef char row_cells[COLUMN_COUNT][SIZE_TEXT];

static void row_fill(row_cells cells, const struct mem_stats *s, const char *name,
                     const char *method, bool exact)
{
    snprintf(cells[COLUMN_NAME], SIZE_TEXT, "%s", name);
    snprintf(cells[COLUMN_METHOD], SIZE_TEXT, "%s", method);
    size_text(cells[COLUMN_SIZE], s->size_bytes, exact);
    snprintf(cells[COLUMN_SEGMENTS], SIZE_TEXT, "%zu", s->segment_count);
    snprintf(cells[COLUMN_PACKS], SIZE_TEXT, "%zu", s->pack_count);
    size_text(cells[COLUMN_BUSY], s->busy_bytes, exact);
    snprintf(cells[COLUMN_BLOCKS], SIZE_TEXT, "%zu", s->busy_count);
    snprintf(cells[COLUMN_PERCENT], SIZE_TEXT, "%d%%", percent_of(s->busy_bytes, s->size_bytes));
    size_text(cells[COLUMN_FREE], s->free_bytes, exact);
    size_text(cells[COLUMN_LARGEST], s->free_max_bytes, exact);
    size_text(cells[COLUMN_PEAK], s->peak_bytes, exact);
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

struct shown {
    struct regions regions;
    row_cells cells[REGION_MAX + 2];
    size_t rows;
    struct rusage usage;
    size_t resident;
};

static void shown_take(struct shown *shown, const char *only, bool exact)
{
    struct mem_stats total = { 0 };

    regions_take(&shown->regions, only);
    for (int i = 0; i < COLUMN_COUNT; i++)
        snprintf(shown->cells[0][i], SIZE_TEXT, "%s", column_titles[i]);
    for (size_t r = 0; r < shown->regions.count; r++) {
        const struct mem_stats *s = &shown->regions.stats[r];
        row_fill(shown->cells[r + 1], s, s->name, mem_method_name(s->method), exact);
        add_to_total(&total, s);
    }
    shown->rows = shown->regions.count + 1;
    if (!only)
        row_fill(shown->cells[shown->rows++], &total, "total", "", exact);
    shown->resident = sys_resident_bytes();
    getrusage(RUSAGE_SELF, &shown->usage);
}

static void shown_print(const struct shown *shown, struct out *out, bool only, bool exact)
{
    int widths[COLUMN_COUNT] = { 0 };
    char resident[SIZE_TEXT];

    for (size_t r = 0; r < shown->rows; r++)
        for (int i = 0; i < COLUMN_COUNT; i++)
            if ((int)strlen(shown->cells[r][i]) > widths[i])
                widths[i] = (int)strlen(shown->cells[r][i]);
    for (size_t r = 0; r < shown->rows; r++)
        for (int i = 0; i < COLUMN_COUNT; i++)
            out_printf(out, i <= COLUMN_METHOD ? "%-*s%s" : "%*s%s", widths[i], shown->cells[r][i],
                       i + 1 < COLUMN_COUNT ? "  " : "\n");
    if (!only)
        out_printf(out, "resident %s, page faults %ld minor, %ld major\n",
                   size_text(resident, shown->resident, exact), shown->usage.ru_minflt,
                   shown->usage.ru_majflt);
}

/* One record a region in FORMAT. */
static enum flow print_records(struct shell *sh, const struct request *rq, const char *format,
                               const struct regions *regions)
{
    TRY(vmstat_format_check(sh, rq, format));
    for (size_t r = 0; r < regions->count; r++) {
        struct format_record record = {
            .region = regions->regions[r],
            .stats = &regions->stats[r],
        };
        vmstat_format(sh->out, format, &record);
    }
    return FLOW_NEXT;
}

/* Prints to nowhere, so that the code which prints is resident before that is measured. */
static void shown_rehearse(const struct shown *shown, bool only, bool exact)
{
    char buffer[REGION_MAX * 256];
    struct out nowhere = { .fd = INT_MAX, .buffer = buffer, .cap = sizeof buffer };
    shown_print(shown, &nowhere, only, exact);
}

enum flow vmstat_table(struct shell *sh, const struct request *rq)
{
    const char *only = rq->inputs[0];
    const char *format = rq->format ? rq->format : rq->original ? vmstat_default_format : NULL;
    struct shown shown;

    out_prepare(sh->out); /* its buffer is there from the first time on */
    shown_take(&shown, only, rq->exact);
    if (only && shown.regions.count == 0)
        return vmstat_fail(sh, rq, "%s: no such region", only);
    if (format)
        return print_records(sh, rq, format, &shown.regions);
    shown_rehearse(&shown, only != NULL, rq->exact);
    shown_take(&shown, only, rq->exact);
    shown_print(&shown, sh->out, only != NULL, rq->exact);
    return FLOW_NEXT;
}
