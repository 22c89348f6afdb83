/*
 * stats.c: statistics, and the lines that libmem writes.
 *
 * All counters are kept where things happen; the two maxima are searched for when they are asked
 * for. A line is put together in a fixed buffer and written to standard error by one call; nothing
 * here allocates or uses stdio, so it works before main and while memory is short.
 */
#include "libmem/internal.h"

/* ---- lines ---- */

void line_text(struct mem_line *line, const char *text, size_t bytes)
{
    size_t room = sizeof line->text - 1 - line->used; /* the newline always fits */

    if (bytes > room)
        bytes = room;
    memcpy(line->text + line->used, text, bytes);
    line->used += bytes;
}

void line_str(struct mem_line *line, const char *text)
{
    line_text(line, text, strlen(text));
}

static void line_number(struct mem_line *line, uint64_t value, unsigned base, size_t digits)
{
    char text[24];
    size_t at = sizeof text;

    do {
        text[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value || sizeof text - at < digits);
    line_text(line, text + at, sizeof text - at);
}

void line_dec(struct mem_line *line, uint64_t value)
{
    line_number(line, value, 10, 1);
}

void line_hex(struct mem_line *line, uint64_t value)
{
    line_str(line, "0x");
    line_number(line, value, 16, 8);
}

void line_write(struct mem_line *line, int fd)
{
    line->text[line->used++] = '\n';
    glue_write(fd, line->text, line->used);
    line->used = 0;
}

void (*mem_line_notify)(const char *text, size_t bytes);

void line_send(struct mem_line *line)
{
    if (!mem_line_notify) {
        line_write(line, STDERR_FILENO);
        return;
    }
    mem_line_notify(line->text, line->used);
    line->used = 0;
}

/* ---- counters ---- */

MEM_RACY static uint64_t busy_count(const struct mem_region *region)
{
    return region->alloc_count - region->freed_count;
}

MEM_RACY static size_t cache_bytes(const struct mem_region *region)
{
    if (region->method == MEM_LAST)
        return 0;
    return region->carved_bytes - (region->busy_bytes - region->large_bytes);
}

MEM_RACY static size_t cache_count(const struct mem_region *region)
{
    if (region->method == MEM_LAST)
        return 0;
    return region->carved_count - (size_t)(busy_count(region) - region->large_count);
}

/* ---- the maxima ---- */

/* Counts in FREE how many free blocks each class has; returns the largest busy large block. */
static size_t count_class_free(struct mem_region *region, size_t *free)
{
    size_t largest = 0;

    for (struct segment *segment = region->segments; segment; segment = segment->next)
        for (struct span *span = segment_next_span(segment, NULL); span;
             span = segment_next_span(segment, span)) {
            size_t bytes = (size_t)span->pages << MEM_PAGE_SHIFT;
            if (span->kind == SPAN_PACK)
                free[span->class_index] += (size_t)(span->carved - span->used);
            else if (span->kind == SPAN_LARGE && bytes > largest)
                largest = bytes;
        }
    unsigned classes = region->method == MEM_BEST ? MEM_CLASSES : 1;
    for (unsigned i = 0; i < classes; i++) {
        const struct size_class *class = &region->classes[i];
        if (!class->bytes)
            continue;
        free[i] += (size_t)(class->limit - class->room);
        for (const void *block = class->mixed_free; block; block = chain_next(block))
            free[i]++;
    }
    return largest;
}

/* What was given back is joined with its neighbours when that is needed. */
static size_t largest_free_run(const struct mem_region *region)
{
    size_t largest = 0;

    for (struct segment *segment = region->segments; segment; segment = segment->next) {
        size_t run = 0;
        const char *end = NULL;
        for (struct span *span = segment_next_span(segment, NULL); span;
             span = segment_next_span(segment, span)) {
            bool free = span->kind == SPAN_FREE && !segment->solo;
            run = !free ? 0 : (span->base == end ? run : 0) + span->pages;
            end = span_end(span);
            if (run > largest)
                largest = run;
        }
    }
    return largest << MEM_PAGE_SHIFT;
}

static size_t largest_free_span(const struct mem_region *region)
{
    size_t largest = 0;

    if (region->given_count)
        return largest_free_run(region);

    for (unsigned bin = MEM_BINS; bin-- > 0 && !largest;)
        for (const struct span *span = region->bins[bin]; span; span = span->next)
            if (span->pages > largest)
                largest = span->pages;
    return largest << MEM_PAGE_SHIFT;
}

static void block_maxima(struct mem_region *region, size_t *ret_busy, size_t *ret_free)
{
    size_t free[MEM_CLASSES] = { 0 };
    size_t busy = count_class_free(region, free);
    size_t most = largest_free_span(region);

    for (unsigned i = region->method == MEM_BEST ? MEM_CLASSES : 1; i-- > 0;) {
        const struct size_class *class = &region->classes[i];
        if (class->carved_count > free[i] && class->bytes > busy)
            busy = class->bytes;
        if ((free[i] || class->avail) && class->bytes > most)
            most = class->bytes;
    }
    *ret_busy = busy;
    *ret_free = region->method == MEM_POOL && most > region->classes[0].bytes
                    ? region->classes[0].bytes
                    : most;
}

static int last_visit(void *arg, void *block, size_t bytes, bool busy)
{
    struct mem_stats *stats = arg;

    (void)block;
    if (busy && bytes > stats->busy_max_bytes)
        stats->busy_max_bytes = bytes;
    if (!busy) {
        stats->free_bytes += bytes;
        stats->free_count++;
        if (bytes > stats->free_max_bytes + MEM_LAST_HEAD)
            stats->free_max_bytes = bytes - MEM_LAST_HEAD;
    }
    return 0;
}

/* What counters alone tell: no block is looked at, so the owner of REGION may be at work. */
MEM_RACY void stats_counters(const struct mem_region *region, struct mem_stats *ret_stats)
{
    *ret_stats = (struct mem_stats){
        .name = region->name,
        .method = region->method,
        .size_bytes = region->size_bytes,
        .segment_count = region->segment_count,
        .pack_count = region->pack_count,
        .busy_bytes = region->busy_bytes,
        .busy_count = (size_t)busy_count(region),
        .cache_bytes = cache_bytes(region),
        .cache_count = cache_count(region),
        .peak_bytes = mem_region_peak(region),
        .alloc_count = region->alloc_count,
        .free_calls_count = region->freed_count - region->dropped_count,
        .resize_count = region->resize_count,
    };

    if (region->debug) {
        ret_stats->method = MEM_METHOD_DEBUG;
        ret_stats->busy_bytes = region->debug_bytes;
        ret_stats->busy_count = region->debug_count;
    }
    if (region->method == MEM_LAST)
        return;
    ret_stats->free_bytes = region->size_bytes - region->busy_bytes; /* debug: frames are neither */
    ret_stats->given_bytes = region->given_bytes;
    ret_stats->lazy_bytes = region->lazy_bytes;
    ret_stats->retaken_bytes = region->retaken_total;
    ret_stats->free_count = ret_stats->cache_count + region->rest_count + region->free_span_count;
}

void mem_region_stats(struct mem_region *region, struct mem_stats *ret_stats)
{
    struct mem_stats stats;

    stats_counters(region, &stats);
    if (region->method == MEM_LAST)
        (void)mem_region_walk(region, last_visit, &stats);
    else
        block_maxima(region, &stats.busy_max_bytes, &stats.free_max_bytes);
    *ret_stats = stats;
}

MEM_RACY size_t mem_region_busy(const struct mem_region *region)
{
    return region->debug ? region->debug_bytes : region->busy_bytes;
}

MEM_RACY size_t mem_region_peak(const struct mem_region *region)
{
    size_t peak = region->debug ? region->debug_peak : region->peak_bytes;

    return peak > region->peak_before ? peak : region->peak_before;
}

size_t mem_region_peak_begin(struct mem_region *region)
{
    size_t before = mem_region_peak(region);

    if (sites_followed(region) && region->method == MEM_LAST)
        site_last_settle(region);
    *(region->debug ? &region->debug_peak : &region->peak_bytes) = mem_region_busy(region);
    region->peak_before = 0;
    return before;
}

void mem_region_peak_end(struct mem_region *region, size_t before)
{
    if (region->peak_before < before)
        region->peak_before = before;
}

/* ---- what the options have written ---- */

void stats_say_usage(struct mem_region *region, const void *base, size_t bytes)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: ");
    line_hex(&line, (uintptr_t)base);
    line_str(&line, " ");
    line_dec(&line, bytes);
    line_str(&line, " region ");
    line_hex(&line, (uintptr_t)region);
    line_str(&line, " size=");
    line_dec(&line, region->size_bytes);
    line_str(&line, " segs=");
    line_dec(&line, region->segment_count);
    line_str(&line, " packs=");
    line_dec(&line, region->pack_count);
    line_str(&line, " busy=");
    size_t size = region->size_bytes;
    line_dec(&line, size ? (uint64_t)((unsigned __int128)region->busy_bytes * 100 / size) : 0);
    line_str(&line, "% cache=");
    line_dec(&line, cache_bytes(region));
    line_str(&line, "/");
    line_dec(&line, cache_count(region));
    line_send(&line);
}

void stats_say_debug(const char *what, const struct mem_region *region, const void *base,
                     size_t bytes)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: debug: ");
    line_str(&line, what);
    line_str(&line, " ");
    line_hex(&line, (uintptr_t)base);
    line_str(&line, " ");
    line_dec(&line, bytes);
    line_str(&line, " region ");
    line_str(&line, region->name);
    line_send(&line);
}

void stats_say_verbose(void)
{
    static const unsigned source_bit[SOURCE_COUNT] = {
        [SOURCE_ANON] = 1u << 24, [SOURCE_BREAK] = 1u << 25, [SOURCE_NATIVE] = 1u << 26,
        [SOURCE_SAFE] = 1u << 27, [SOURCE_ZERO] = 1u << 28,
    };
    unsigned bits = 0;
    struct mem_line line = { .used = 0 };

    for (int i = 0; i < SOURCE_COUNT; i++)
        if (mem_settings.sources & 1u << i)
            bits |= source_bit[i];
    bits |= mem_settings.abort ? 1u << 16 : 0;
    bits |= mem_settings.trace_internal ? 1u << 19 : 0;
    bits |= mem_settings.keep ? 1u << 20 : 0;
    bits |= mem_settings.verbose ? 1u << 23 : 0;
    bits |= mem_settings.usage ? 1u << 22 : 0;
    bits |= mem_settings.check_region ? 1u << 17 : 0;
    line_str(&line, "vmalloc: getmemory=");
    line_str(&line, mem_sources[source_used()].long_name);
    line_send(&line);
    line_str(&line, "vmalloc: pagesize=");
    line_dec(&line, mem_settings.page_bytes);
    line_str(&line, " segsize=");
    line_dec(&line, mem_settings.segment_bytes);
    line_str(&line, " assert=");
    line_hex(&line, bits);
    line_send(&line);
    line_str(&line, mem_settings.debug_method ? "vmalloc: method=debug" : "vmalloc: method=best");
    line_send(&line);
}

void stats_say_free_error(const void *block, const char *why)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: free error: block=");
    line_hex(&line, (uintptr_t)block);
    line_str(&line, ": ");
    line_str(&line, why);
    line_send(&line);
}
