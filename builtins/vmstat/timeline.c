/*
 * timeline.c: -w, live, peak, resident and committed bytes over time.
 *
 * Samples are taken between commands, when the time has come: no signal and no timer, so nothing
 * that waits is interrupted. A command that takes long gives one late sample, but what it had at
 * its most is in `peak`, the highest so far. The samples stand in a fixed array; when it is full,
 * every other one goes and the time between two doubles.
 */
#include "builtins/vmstat/vmstat.h"

#include <string.h>
#include <unistd.h>

#include "shell/base/num.h"
#include "shell/base/sys.h"
#include "shell/base/utf8.h"

enum { SAMPLES = 1024, NS_PER_MS = 1000000, COARSE_MS = 10, MS_MAX = 3600000 };
enum {
    SVG_WIDTH = 810,
    SVG_HEIGHT = 320,
    PLOT_LEFT = 70,
    PLOT_TOP = 40,
    PLOT_WIDTH = 700,
    PLOT_HEIGHT = 230
};

enum series { SERIES_LIVE, SERIES_PEAK, SERIES_RESIDENT, SERIES_COMMIT, SERIES_COUNT };
static const struct {
    const char *name, *colour;
} series_looks[SERIES_COUNT] = {
    { "live", "#3182bd" },
    { "peak", "#d94801" },
    { "resident", "#31a354" },
    { "commit", "#756bb1" },
};

struct sample {
    int64_t at_ns; /* since the first */
    uint64_t bytes[SERIES_COUNT];
};
struct timeline {
    int64_t start_ns, step_ns, next_ns;
    char *file;     /* where the picture goes at the end; NULL: to descriptor 2, as text */
    uint64_t stamp; /* of the subshell that takes them */
    pid_t pid;      /* and its process: a copy takes none */
    size_t count;
    struct sample samples[SAMPLES];
};

/* ---- taking ---- */

static bool region_counts(const struct mem_region *region)
{
    return strcmp(mem_region_name(region), "vmstat") != 0;
}

static void sample_take(struct timeline *timeline, int64_t now)
{
    if (timeline->count == SAMPLES) {
        timeline->count /= 2;
        timeline->step_ns *= 2;
        for (size_t i = 0; i < timeline->count; i++)
            timeline->samples[i] = timeline->samples[2 * i + 1];
    }
    struct sample *sample = &timeline->samples[timeline->count++];
    size_t commit = 0;
    memset(sample, 0, sizeof *sample);
    sample->at_ns = now - timeline->start_ns;
    for (struct mem_region *region = NULL; (region = mem_region_next(region));) {
        if (!region_counts(region))
            continue;
        sample->bytes[SERIES_LIVE] += mem_region_busy(region);
        sample->bytes[SERIES_PEAK] += mem_region_peak(region);
    }
    sample->bytes[SERIES_RESIDENT] = sys_process_bytes(&commit);
    sample->bytes[SERIES_COMMIT] = commit;
}

/* Hook: before each command while samples are taken. */
static void timeline_sample(struct shell *sh)
{
    struct timeline *timeline = sh->vmstat->timeline;
    bool coarse = timeline->step_ns >= COARSE_MS * NS_PER_MS;
    if (coarse && sys_monotonic_coarse_ns() < timeline->next_ns)
        return;
    int64_t now = sys_monotonic_ns();
    if (now < timeline->next_ns)
        return;
    sample_take(timeline, now);
    timeline->next_ns += timeline->step_ns;
    if (timeline->next_ns <= now) /* the command took longer than a step */
        timeline->next_ns = now + timeline->step_ns;
}

/* ---- drawing ---- */

static uint64_t series_most(const struct timeline *timeline, enum series series)
{
    uint64_t most = 0;
    for (size_t i = 0; i < timeline->count; i++)
        if (timeline->samples[i].bytes[series] > most)
            most = timeline->samples[i].bytes[series];
    return most;
}

static uint64_t series_least(const struct timeline *timeline, enum series series)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < timeline->count; i++)
        if (timeline->samples[i].bytes[series] < least)
            least = timeline->samples[i].bytes[series];
    return least;
}

/* The value of SERIES at time AT: of the last sample before. */
static uint64_t series_at(const struct timeline *timeline, enum series series, int64_t at,
                          size_t *from)
{
    while (*from + 1 < timeline->count && timeline->samples[*from + 1].at_ns <= at)
        (*from)++;
    return timeline->samples[*from].bytes[series];
}

static void spark(struct out *out, const struct timeline *timeline, enum series series,
                  size_t width, bool utf8)
{
    static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    static const char *const marks[] = { "_", ".", ",", "-", "=", "+", "*", "#" };
    uint64_t most = series_most(timeline, series), least = series_least(timeline, series);
    int64_t end = timeline->samples[timeline->count - 1].at_ns;
    size_t from = 0;

    for (size_t x = 0; x < width; x++) {
        int64_t at = width > 1 ? (int64_t)((double)end * (double)x / (double)(width - 1)) : end;
        uint64_t value = series_at(timeline, series, at, &from) - least;
        size_t level =
            most > least ? (size_t)((double)value * 7 / (double)(most - least) + 0.5) : 0;
        out_puts(out, utf8 ? bars[level] : marks[level]);
    }
}

static void draw_text(struct shell *sh, const struct timeline *timeline, struct out *out)
{
    char least[SIZE_TEXT], most[SIZE_TEXT], time[SIZE_TEXT];
    bool utf8 = out_is_terminal(out) && utf8_active;
    size_t width = terminal_width(sh, out);
    width = width > 48 ? width - 28 : 20;

    out_printf(out, "%zu samples in %s s\n", timeline->count,
               seconds_text(time, timeline->samples[timeline->count - 1].at_ns));
    for (int s = 0; s < SERIES_COUNT; s++) {
        size_text(least, series_least(timeline, (enum series)s), false);
        size_text(most, series_most(timeline, (enum series)s), false);
        out_printf(out, "%-8s %6s ", series_looks[s].name, least);
        spark(out, timeline, (enum series)s, width, utf8);
        out_printf(out, " %s\n", most);
    }
}

static void svg_line(struct out *out, const struct timeline *timeline, enum series series,
                     double most, double end)
{
    double before = 0;
    out_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
               series_looks[series].colour);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct sample *sample = &timeline->samples[i];
        double x = PLOT_LEFT + (double)sample->at_ns * PLOT_WIDTH / end;
        double y = PLOT_TOP + PLOT_HEIGHT - (double)sample->bytes[series] * PLOT_HEIGHT / most;
        if (i)
            out_printf(out, "%.1f,%.1f ", x, before); /* values hold until the next sample */
        out_printf(out, "%.1f,%.1f ", x, y);
        before = y;
    }
    out_puts(out, "\"/>\n");
}

static void draw_svg(const struct timeline *timeline, struct out *out)
{
    int64_t end_ns = timeline->samples[timeline->count - 1].at_ns;
    double end = end_ns > 0 ? (double)end_ns : 1, most = 1;
    char text[SIZE_TEXT];

    for (int s = 0; s < SERIES_COUNT; s++)
        if ((double)series_most(timeline, (enum series)s) > most)
            most = (double)series_most(timeline, (enum series)s);
    out_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
               SVG_WIDTH, SVG_HEIGHT);
    for (int i = 0; i <= 4; i++) {
        int y = PLOT_TOP + PLOT_HEIGHT * (4 - i) / 4, x = PLOT_LEFT + PLOT_WIDTH * i / 4;
        out_printf(out,
                   "<path d=\"M%d %dH%d\" stroke=\"#dddddd\"/>"
                   "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                   PLOT_LEFT, y, PLOT_LEFT + PLOT_WIDTH, PLOT_LEFT - 6, y + 4,
                   size_text(text, (uint64_t)(most * i / 4), false));
        out_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s s</text>\n", x,
                   PLOT_TOP + PLOT_HEIGHT + 18, seconds_text(text, (int64_t)(end * i / 4)));
    }
    for (int s = 0; s < SERIES_COUNT; s++) {
        svg_line(out, timeline, (enum series)s, most, end);
        out_printf(out,
                   "<rect x=\"%d\" y=\"12\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                   "<text x=\"%d\" y=\"22\">%s</text>\n",
                   PLOT_LEFT + 110 * s, series_looks[s].colour, PLOT_LEFT + 110 * s + 16,
                   series_looks[s].name);
    }
    out_puts(out, "</svg>\n");
}

bool timeline_draw(struct shell *sh, struct out *out)
{
    struct timeline *timeline = sh->vmstat ? sh->vmstat->timeline : NULL;
    if (!timeline)
        return false;
    sample_take(timeline, sys_monotonic_ns());
    draw_svg(timeline, out);
    return true;
}

/* ---- beginning and ending ---- */

static void timeline_free(struct shell *sh)
{
    struct timeline *timeline = sh->vmstat->timeline;
    sh->vmstat->timeline = NULL;
    shell_pend_not(sh, PENDING_SAMPLE);
    if (timeline)
        mem_free(timeline->file);
    mem_free(timeline);
}

static void undo_timeline(struct shell *sh, void *a, uintptr_t stamp)
{
    (void)a;
    if (sh->vmstat->timeline && sh->vmstat->timeline->stamp == stamp)
        timeline_free(sh);
}

enum flow timeline_end(struct shell *sh, struct out *out)
{
    struct timeline *timeline = sh->vmstat->timeline;
    struct document document;

    sample_take(timeline, sys_monotonic_ns());
    if (timeline->file) {
        enum flow flow = document_begin(sh, &document);
        if (flow == FLOW_NEXT) {
            draw_svg(timeline, &document.out);
            flow = document_write(sh, &document, "vmstat", timeline->file);
        }
        if (flow != FLOW_NEXT) /* the samples are not lost: they can go to another file */
            return flow;
    } else if (out) {
        draw_text(sh, timeline, out);
        (void)out_flush(out);
    }
    timeline_free(sh);
    return FLOW_NEXT;
}

/* Hook: the shell ends while samples are taken. */
static void timeline_sample_end(struct shell *sh)
{
    if (timeline_end(sh, vmstat_report_out(sh)) != FLOW_NEXT)
        shell_print_error(sh);
}

enum flow timeline_begin(struct shell *sh, const struct request *rq)
{
    int64_t ms = 0;
    const char *file = rq->action == 'w' ? args_peek(rq->args, 0) : NULL;
    if (!num_parse_int(rq->write, strlen(rq->write), &ms) || ms < 1 || ms > MS_MAX)
        return vmstat_fail(sh, rq, "-w: %s: milliseconds from 1 to %d are needed", rq->write,
                           MS_MAX);
    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    if (sh->vmstat->timeline)
        return vmstat_fail(sh, rq, "-w: samples are being taken already");
    if (file)
        TRY(document_check(sh, rq->command, file));
    struct timeline *timeline = mem_alloc_zeroed(sh->watch_region, sizeof *timeline);
    if (!timeline)
        return shell_fail_memory(sh, sizeof *timeline);
    timeline->stamp = vmstat_stamp(sh);
    timeline->pid = getpid();
    enum flow flow = vmstat_record(sh, undo_timeline, NULL, timeline->stamp);
    if (flow != FLOW_NEXT) {
        mem_free(timeline);
        return flow;
    }
    if (file && !(timeline->file = text_dup(sh->watch_region, file))) {
        mem_free(timeline);
        return shell_fail_memory(sh, 0);
    }
    timeline->start_ns = sys_monotonic_ns();
    timeline->step_ns = ms * NS_PER_MS;
    timeline->next_ns = timeline->start_ns + timeline->step_ns;
    sample_take(timeline, timeline->start_ns);
    sh->vmstat->timeline = timeline;
    sh->hooks.sample = timeline_sample;
    sh->hooks.sample_end = timeline_sample_end;
    shell_pend(sh, PENDING_SAMPLE);
    return FLOW_NEXT;
}

static bool is_own(struct shell *sh, const struct timeline *timeline)
{
    return timeline && timeline->stamp == vmstat_stamp(sh) && timeline->pid == getpid();
}

enum flow vmstat_timeline(struct shell *sh, const struct request *rq)
{
    const char *file = args_peek(rq->args, 0);
    if (args_left(rq->args) > 1)
        return vmstat_fail(sh, rq, "-w: one file is enough");
    if (strcmp(rq->write, "0") != 0)
        return timeline_begin(sh, rq);
    if (!sh->vmstat || !is_own(sh, sh->vmstat->timeline))
        return vmstat_fail(sh, rq,
                           sh->vmstat && sh->vmstat->timeline
                               ? "-w: samples are taken outside of this subshell"
                               : "-w: no samples are being taken");
    if (!file)
        return timeline_end(sh, sh->out);
    struct timeline *timeline = sh->vmstat->timeline;
    char *before = timeline->file;
    if (!(timeline->file = text_dup(sh->watch_region, file))) {
        timeline->file = before;
        return shell_fail_memory(sh, 0);
    }
    enum flow flow = timeline_end(sh, sh->out);
    if (flow == FLOW_NEXT) {
        mem_free(before);
    } else {
        mem_free(timeline->file);
        timeline->file = before;
    }
    return flow;
}
