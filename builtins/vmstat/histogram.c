/*
 * histogram.c: -H, how many blocks of which size there are, as text or as SVG.
 *
 * One walk over all blocks fills a fixed table: a BUCKET for each size class up to the largest that
 * comes from packs, then one for each doubling. GIVEN is what the blocks take, so what rounding
 * costs. What was ASKED for only the owner of a block knows; it is shown for the blocks of
 * variables, as the part of what they were given.
 */
#include "builtins/vmstat/variables.h"

#include <string.h>

#include "shell/base/utf8.h"

enum { SMALL_MAX = 1024, SMALL_STEP = 16, BUCKETS = SMALL_MAX / SMALL_STEP + 8 + 48 };
enum { BAR_MIN = 10, SVG_WIDTH = 788, SVG_BAR = 420, SVG_LINE = 18, SVG_TEXT = 150 };

struct bucket {
    size_t busy_count, busy_bytes, free_count;
    size_t known_bytes, asked_bytes; /* of blocks whose owner was asked */
};
struct histogram {
    struct bucket buckets[BUCKETS];
    size_t busy_bytes;
    const struct mem_region *only; /* NULL: all regions */
};

/* By 16 up to 1024, then by doubling. */
static size_t bucket_of(size_t bytes)
{
    if (bytes == 0)
        return 0;
    if (bytes <= SMALL_MAX)
        return (bytes - 1) / SMALL_STEP;
    size_t log = 63u - (size_t)__builtin_clzl(bytes - 1);
    size_t bucket = SMALL_MAX / SMALL_STEP + log - 10;
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static size_t bucket_top(size_t bucket)
{
    if (bucket < SMALL_MAX / SMALL_STEP)
        return (bucket + 1) * SMALL_STEP;
    return (size_t)2048 << (bucket - SMALL_MAX / SMALL_STEP);
}

static int histogram_visit(void *arg, void *block, size_t bytes, bool busy)
{
    struct histogram *histogram = arg;
    struct bucket *bucket = &histogram->buckets[bucket_of(bytes)];

    (void)block;
    if (!busy) {
        bucket->free_count++;
        return 0;
    }
    bucket->busy_count++;
    bucket->busy_bytes += bytes;
    histogram->busy_bytes += bytes;
    return 0;
}

static void asked_visit(void *arg, const void *block, size_t bytes, size_t used)
{
    struct histogram *histogram = arg;
    struct bucket *bucket = &histogram->buckets[bucket_of(bytes)];

    if (histogram->only && mem_region_of(block) != histogram->only)
        return;
    bucket->known_bytes += bytes;
    bucket->asked_bytes += used;
}

static void histogram_take(struct shell *sh, struct histogram *histogram, const char *only)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->only = only ? mem_region_find(only) : NULL;
    for (struct mem_region *region = NULL; (region = mem_region_next(region));)
        if (only ? strcmp(mem_region_name(region), only) == 0
                 : strcmp(mem_region_name(region), "vmstat") != 0)
            (void)mem_region_walk(region, histogram_visit, histogram);
    variables_walk(sh, asked_visit, histogram);
}

static bool bucket_used(const struct bucket *bucket)
{
    return bucket->busy_count || bucket->free_count;
}

static size_t most_bytes(const struct histogram *histogram)
{
    size_t most = 1;
    for (size_t i = 0; i < BUCKETS; i++)
        if (histogram->buckets[i].busy_bytes > most)
            most = histogram->buckets[i].busy_bytes;
    return most;
}

static enum flow draw_text(struct shell *sh, const struct histogram *histogram, bool exact)
{
    static const char *const titles[] = {
        "up to", "blocks", "free", "given", "asked", "share", ""
    };
    bool utf8 = out_is_terminal(sh->out) && utf8_active;
    size_t width = terminal_width(sh, sh->out), most = most_bytes(histogram);
    size_t bar = width > 50 + BAR_MIN ? width - 50 : BAR_MIN;
    struct table table;

    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    table_init(&table, sh->watch_region, sizeof titles / sizeof *titles, 1u << 6);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_put(&table, "%s", titles[i]);
    for (size_t i = 0; i < BUCKETS; i++) {
        const struct bucket *b = &histogram->buckets[i];
        if (!bucket_used(b))
            continue;
        table_size(&table, bucket_top(i), exact);
        table_put(&table, "%zu", b->busy_count);
        table_put(&table, "%zu", b->free_count);
        table_size(&table, b->busy_bytes, exact);
        if (b->known_bytes)
            table_put(&table, "%d%%", percent_of(b->asked_bytes, b->known_bytes));
        else
            table_put(&table, "-");
        table_put(&table, "%d%%", percent_of(b->busy_bytes, histogram->busy_bytes));
        size_t length = (size_t)((double)b->busy_bytes * (double)bar / (double)most + 0.5);
        for (size_t k = 0; k < length; k++)
            str_append_z(&table.cells, utf8 ? "█" : "#");
        str_putc(&table.cells, '\0');
    }
    return table_end(sh, &table, sh->out);
}

static void draw_svg(struct out *out, const struct histogram *histogram, bool exact)
{
    size_t lines = 0, y = 34, most = most_bytes(histogram);
    char top[SIZE_TEXT], bytes[SIZE_TEXT];

    for (size_t i = 0; i < BUCKETS; i++)
        lines += bucket_used(&histogram->buckets[i]);
    out_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
               "<text x=\"10\" y=\"18\">Bytes in use by size of the block</text>\n",
               SVG_WIDTH, 44 + lines * SVG_LINE);
    for (size_t i = 0; i < BUCKETS; i++) {
        const struct bucket *b = &histogram->buckets[i];
        if (!bucket_used(b))
            continue;
        out_printf(out,
                   "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">up to %s</text>"
                   "<rect x=\"%d\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"#3182bd\"/>"
                   "<text x=\"%.1f\" y=\"%zu\">%s in %zu blocks, %zu free</text>\n",
                   SVG_TEXT - 10, y + 12, size_text(top, bucket_top(i), exact), SVG_TEXT, y,
                   (double)b->busy_bytes * SVG_BAR / (double)most, SVG_LINE - 4,
                   SVG_TEXT + 6 + (double)b->busy_bytes * SVG_BAR / (double)most, y + 12,
                   size_text(bytes, b->busy_bytes, exact), b->busy_count, b->free_count);
        y += SVG_LINE;
    }
    out_puts(out, "</svg>\n");
}

void histogram_draw(struct shell *sh, struct out *out)
{
    struct histogram histogram;
    histogram_take(sh, &histogram, NULL);
    draw_svg(out, &histogram, false);
}

enum flow vmstat_histogram(struct shell *sh, const struct request *rq)
{
    const char *only = rq->inputs[0], *file = args_peek(rq->args, 0);
    struct histogram histogram;
    struct document document;

    if (args_left(rq->args) > 1)
        return vmstat_fail(sh, rq, "-H: one file is enough");
    if (only && !mem_region_find(only))
        return vmstat_fail(sh, rq, "%s: no such region", only);
    histogram_take(sh, &histogram, only);
    if (!file)
        return draw_text(sh, &histogram, rq->exact);
    TRY(document_begin(sh, &document));
    draw_svg(&document.out, &histogram, rq->exact);
    return document_write(sh, &document, rq->command, file);
}
