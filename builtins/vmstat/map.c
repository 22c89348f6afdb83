/*
 * map.c: -m, how the segments of each region are used, as text or as SVG.
 *
 * A CELL is so many bytes of a segment. Ranges come from libmem in address order and are cut into
 * cells on the way; nothing is stored. What a cell shows: full or part when blocks are in it, else
 * what most of it is; the parts of a segment that are lent to another region are shown there.
 */
#include "builtins/vmstat/vmstat.h"

#include <string.h>

#include "shell/base/utf8.h"

enum cell { CELL_LENT, CELL_UNTOUCHED, CELL_GIVEN, CELL_FREE, CELL_PART, CELL_FULL, CELL_COUNT };
enum { CELL_LEVELS = 3, CELL_BYTES_MIN = 4096, TEXT_ROWS = 24, SVG_COLUMNS = 96, SVG_ROWS = 48 };
enum { SVG_CELL = 8, SVG_TOP = 40, SVG_LEFT = 10, SVG_HEAD = 22 };

static const struct look {
    const char *name, *ascii, *utf8, *colour, *fill;
} looks[CELL_COUNT] = {
    [CELL_LENT] = { "lent to another region", " ", " ", "", "#ffffff" },
    [CELL_UNTOUCHED] = { "never touched", ".", "·", "\033[2m", "#eeeeee" },
    [CELL_GIVEN] = { "given back", "-", "╌", "\033[36m", "#9ecae1" },
    [CELL_FREE] = { "free", "o", "□", "\033[32m", "#a1d99b" },
    [CELL_PART] = { "part", "+", "▒", "\033[33m", "#fdae6b" },
    [CELL_FULL] = { "full", "#", "█", "\033[31m", "#d94801" },
};
static const char *const part_shades[CELL_LEVELS] = { "░", "▒", "▓" };

struct painter {
    struct out *out;
    size_t cell_bytes;
    bool utf8, colour, svg, exact;
    size_t columns, column, row; /* where the next cell goes */
    size_t top;                  /* SVG: of the region's cells */
    /* the cell that is being gathered */
    const void *segment;
    size_t index;
    size_t bytes[MEM_RANGE_BUSY + 1], busy_bytes;
    bool pending;
    enum cell last;     /* whose colour is on */
    enum cell run_kind; /* SVG: cells that wait to be drawn, left of COLUMN */
    int run_level;
    size_t run_count;
};

/* ---- one cell ---- */

static enum cell cell_kind(const struct painter *map, int *ret_level)
{
    size_t all = 0, most = 0;
    enum cell kind = CELL_LENT;
    static const enum cell kinds[] = {
        [MEM_RANGE_UNTOUCHED] = CELL_UNTOUCHED, [MEM_RANGE_GIVEN] = CELL_GIVEN,
        [MEM_RANGE_LAZY] = CELL_GIVEN,          [MEM_RANGE_FREE] = CELL_FREE,
        [MEM_RANGE_BUSY] = CELL_FREE,
    };

    for (size_t i = 0; i <= MEM_RANGE_BUSY; i++) {
        all += map->bytes[i];
        if (map->bytes[i] > most) {
            most = map->bytes[i];
            kind = kinds[i];
        }
    }
    *ret_level = all ? (int)(map->busy_bytes * CELL_LEVELS / all) : 0;
    if (all && map->busy_bytes >= all - all / 20)
        return CELL_FULL;
    if (*ret_level >= CELL_LEVELS)
        *ret_level = CELL_LEVELS - 1;
    return map->busy_bytes ? CELL_PART : kind;
}

static void cell_text(struct painter *map, enum cell kind, int level)
{
    const struct look *look = &looks[kind];
    if (map->colour && kind != map->last)
        out_printf(map->out, "\033[0m%s", look->colour);
    map->last = kind;
    if (kind == CELL_PART && map->utf8)
        out_puts(map->out, part_shades[level]);
    else
        out_puts(map->out, map->utf8 ? look->utf8 : look->ascii);
}

/* Cells that look alike, side by side, are one box. */
static void run_flush(struct painter *map)
{
    size_t count = map->run_count;
    map->run_count = 0;
    if (!count || map->run_kind == CELL_LENT)
        return;
    out_printf(map->out, "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\" fill=\"%s\"",
               SVG_LEFT + (map->column - count) * SVG_CELL, map->top + map->row * SVG_CELL,
               count * SVG_CELL - 1, SVG_CELL - 1, looks[map->run_kind].fill);
    if (map->run_kind == CELL_PART)
        out_printf(map->out, " fill-opacity=\"%.1f\"", 0.4 + 0.3 * map->run_level);
    out_puts(map->out, "/>\n");
}

/* Called with COLUMN still that of the cell. */
static void cell_svg(struct painter *map, enum cell kind, int level)
{
    if (map->run_count && (kind != map->run_kind || level != map->run_level))
        run_flush(map);
    map->run_kind = kind;
    map->run_level = level;
    map->run_count++;
}

static void map_advance(struct painter *map)
{
    if (++map->column < map->columns)
        return;
    if (map->svg)
        run_flush(map);
    map->column = 0;
    map->row++;
    if (map->svg)
        return;
    if (map->colour)
        out_puts(map->out, "\033[0m");
    map->last = CELL_COUNT;
    out_putc(map->out, '\n');
}

static void cell_flush(struct painter *map)
{
    int level;
    if (!map->pending)
        return;
    enum cell kind = cell_kind(map, &level);
    if (map->svg)
        cell_svg(map, kind, level);
    else
        cell_text(map, kind, level);
    map_advance(map);
    memset(map->bytes, 0, sizeof map->bytes);
    map->busy_bytes = 0;
    map->pending = false;
}

/* Cells before INDEX that no range reached: lent. */
static void cell_seek(struct painter *map, const void *segment, size_t index)
{
    if (map->segment != segment) {
        cell_flush(map);
        if (map->segment) { /* a mark between segments */
            if (!map->svg)
                out_puts(map->out, "|");
            else
                cell_svg(map, CELL_LENT, 0);
            map_advance(map);
        }
        map->segment = segment;
        map->index = 0;
    }
    while (map->index < index) {
        map->pending = true;
        cell_flush(map);
        map->index++;
    }
    map->pending = true;
}

static int map_visit(void *arg, const struct mem_range *range)
{
    struct painter *map = arg;
    size_t from = (size_t)(range->base - (const char *)range->segment), end = from + range->bytes;

    while (from < end) {
        size_t index = from / map->cell_bytes;
        size_t stop = (index + 1) * map->cell_bytes;
        size_t part = (stop < end ? stop : end) - from;
        cell_seek(map, range->segment, index);
        map->bytes[range->kind] += part;
        map->busy_bytes +=
            (size_t)((double)range->busy_bytes * (double)part / (double)range->bytes);
        from += part;
    }
    return 0;
}

/* ---- the whole ---- */

static bool region_shown(const struct mem_region *region, const char *only)
{
    const char *name = mem_region_name(region);
    return only ? strcmp(name, only) == 0 : strcmp(name, "vmstat") != 0;
}

/* Bytes of a cell so that all of it takes ROWS rows or so; a power of two. */
static size_t cell_bytes_choose(const char *only, size_t columns, size_t rows)
{
    size_t all = 0, bytes = CELL_BYTES_MIN;
    for (struct mem_region *region = NULL; (region = mem_region_next(region));) {
        struct mem_stats stats;
        mem_region_stats(region, &stats);
        all += region_shown(region, only) ? stats.size_bytes : 0;
    }
    while (bytes * columns * rows < all)
        bytes *= 2;
    return bytes;
}

static void region_head(struct painter *map, const struct mem_stats *s)
{
    char size[SIZE_TEXT], busy[SIZE_TEXT], cell[SIZE_TEXT];
    size_text(size, s->size_bytes, map->exact);
    size_text(busy, s->busy_bytes, map->exact);
    size_text(cell, map->cell_bytes, map->exact);
    if (map->svg) {
        out_printf(map->out, "<text x=\"%d\" y=\"%zu\">", SVG_LEFT, map->top - 6);
        out_xml(map->out, s->name, strlen(s->name));
        out_printf(map->out, ": %s in %zu segment%s, %s busy</text>\n", size, s->segment_count,
                   s->segment_count == 1 ? "" : "s", busy);
    } else {
        out_printf(map->out, "%s: %s in %zu segment%s, %s busy; a cell is %s\n", s->name, size,
                   s->segment_count, s->segment_count == 1 ? "" : "s", busy, cell);
    }
}

static void region_draw(struct painter *map, struct mem_region *region)
{
    struct mem_stats stats;
    mem_region_stats(region, &stats);
    map->top += SVG_HEAD;
    map->segment = NULL;
    map->column = map->row = map->index = 0;
    map->last = CELL_COUNT;
    region_head(map, &stats);
    (void)mem_region_walk_ranges(region, map_visit, map);
    cell_flush(map);
    if (map->column) {
        if (map->svg)
            run_flush(map);
        if (!map->svg)
            out_puts(map->out, map->colour ? "\033[0m\n" : "\n");
        map->row++;
    }
    map->top += map->row * SVG_CELL;
}

static void legend_text(struct painter *map)
{
    for (int kind = CELL_UNTOUCHED; kind < CELL_COUNT; kind++) {
        map->last = CELL_COUNT;
        cell_text(map, (enum cell)kind, 1);
        out_printf(map->out, "%s %s%s", map->colour ? "\033[0m" : "", looks[kind].name,
                   kind + 1 < CELL_COUNT ? "  " : "\n");
    }
}

static bool map_regions(struct painter *map, const char *only)
{
    bool any = false;
    for (struct mem_region *region = NULL; (region = mem_region_next(region));) {
        if (!region_shown(region, only))
            continue;
        region_draw(map, region);
        any = true;
    }
    return any;
}

static void draw_svg(struct out *out, const char *only, bool exact)
{
    struct str body;
    struct out sink;
    char cell[SIZE_TEXT];
    str_init(&body, out->sink->region);
    out_init_sink(&sink, &body);
    struct painter map = {
        .out = &sink, .svg = true, .exact = exact, .columns = SVG_COLUMNS, .top = SVG_TOP
    };
    map.cell_bytes = cell_bytes_choose(only, SVG_COLUMNS, SVG_ROWS);
    (void)map_regions(&map, only);
    /* the height is known only now */
    out_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
               SVG_COLUMNS * SVG_CELL + 2 * SVG_LEFT, map.top + SVG_LEFT);
    size_t x = SVG_LEFT;
    for (int kind = CELL_UNTOUCHED; kind < CELL_COUNT; kind++) {
        out_printf(out,
                   "<rect x=\"%zu\" y=\"10\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                   "<text x=\"%zu\" y=\"20\">%s</text>\n",
                   x, looks[kind].fill, x + 16, looks[kind].name);
        x += 110;
    }
    out_printf(out, "<text x=\"%zu\" y=\"20\">a cell is %s</text>\n", x,
               size_text(cell, map.cell_bytes, exact));
    out_write(out, body.data, body.len);
    out_puts(out, "</svg>\n");
    out->sink->failed |= body.failed;
    str_release(&body);
}

void map_draw(struct out *out)
{
    draw_svg(out, NULL, false);
}

enum flow vmstat_map(struct shell *sh, const struct request *rq)
{
    const char *only = rq->inputs[0], *file = args_peek(rq->args, 0);
    struct document document;

    if (args_left(rq->args) > 1)
        return vmstat_fail(sh, rq, "-m: one file is enough");
    if (only && !mem_region_find(only))
        return vmstat_fail(sh, rq, "%s: no such region", only);
    if (file) {
        TRY(document_begin(sh, &document));
        draw_svg(&document.out, only, rq->exact);
        return document_write(sh, &document, rq->command, file);
    }
    struct painter map = { .out = sh->out, .exact = rq->exact };
    map.colour = out_is_terminal(sh->out);
    map.utf8 = map.colour && utf8_active;
    map.columns = terminal_width(sh, sh->out);
    map.cell_bytes = cell_bytes_choose(only, map.columns, TEXT_ROWS);
    legend_text(&map);
    (void)map_regions(&map, only);
    return FLOW_NEXT;
}
