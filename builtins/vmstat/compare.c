/*
 * compare.c: -O, one command under several sets of options.
 *
 * Each run is a forked child, which changes its options, runs the command and tells what it cost
 * through a pipe; the shell itself keeps its options and its memory. The sets take turns, so that
 * what else the machine does meets all alike. Every run finds descriptors 0 and 1 where the first
 * one found them, as far as they can be moved.
 *
 * What the shell held before is in the child's segments as it was got; options of getting memory
 * act on what the child gets.
 */
#include "builtins/vmstat/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"

enum { RUNS_DEFAULT = 5, RUNS_MAX = 1000 };

/* What a run tells; one write, so it must fit a pipe's atomic size. */
enum measure { REAL, CPU, SYS, PEAK, RESIDENT, HELD, CALLS, GOT, FAULTS, MEASURE_COUNT };
struct result {
    char complaint[256]; /* about the options; "": none */
    int status;
    double values[MEASURE_COUNT];
};
static const char *const measure_names[MEASURE_COUNT] = { "real",  "cpu",      "sys",
                                                          "peak",  "resident", "held",
                                                          "calls", "segs",     "faults" };

struct runs {
    const struct request *rq;
    size_t set_count, run_count;
    struct result *results; /* of set S in run R: [S * run_count + R] */
    off_t places[2];        /* of descriptors 0 and 1; -1: they cannot be moved */
    bool cut;               /* descriptor 1 was at the end of its file */
};

static void result_fill(struct result *result, const struct cost *cost)
{
    const double values[MEASURE_COUNT] = {
        [REAL] = (double)cost->real_ns / 1e9,
        [CPU] = (double)(cost->user_ns + cost->sys_ns) / 1e9,
        [SYS] = (double)cost->sys_ns / 1e9,
        [PEAK] = (double)cost->total.peak_bytes,
        [RESIDENT] = (double)cost->peak_resident_bytes,
        [HELD] = (double)cost->got_bytes,
        [CALLS] = (double)cost->calls,
        [GOT] = (double)cost->got,
        [FAULTS] = (double)(cost->minor_faults + cost->major_faults),
    };
    memcpy(result->values, values, sizeof values);
}

/* The child: never returns. TRIAL: it only changes the options. */
static _Noreturn void child_run(struct shell *sh, const struct request *rq, const char *set,
                                bool trial, int fd)
{
    struct result result = { 0 };
    enum flow flow = FLOW_NEXT;
    struct measured {
        struct cost_start start;
        struct cost cost;
    } *m = mem_alloc(sh->watch_region, sizeof *m);

    const char *complaint = m ? options_change(set) : "no memory";
    if (complaint)
        snprintf(result.complaint, sizeof result.complaint, "%s", complaint);
    if (trial) {
        sh->status = complaint != NULL;
    } else if (!complaint) {
        cost_begin(sh, &m->start);
        flow = request_run(sh, rq);
        (void)fdtab_flush(sh);
        cost_end(sh, &m->start, &m->cost);
        result_fill(&result, &m->cost);
        result.status = sh->status;
    } else {
        sh->status = 1;
    }
    (void)sys_write_all(fd, &result, sizeof result);
    close(fd);
    exec_child_exit(sh, flow);
}

/* ---- the parent ---- */

static const char *set_name(const char *set)
{
    return *set ? set : "(as they are)";
}

static void places_note(struct shell *sh, struct runs *runs)
{
    struct stat st;
    fdtab_input_sync(sh);
    (void)fdtab_flush(sh);
    for (int fd = 0; fd < 2; fd++) {
        int real = fdtab_real(sh, fd);
        runs->places[fd] = real < 0 ? -1 : lseek(real, 0, SEEK_CUR);
    }
    int real = fdtab_real(sh, 1);
    runs->cut = runs->places[1] >= 0 && fstat(real, &st) == 0 && S_ISREG(st.st_mode) &&
                st.st_size == runs->places[1] && !(fcntl(real, F_GETFL) & O_APPEND);
}

static void places_restore(struct shell *sh, const struct runs *runs)
{
    for (int fd = 0; fd < 2; fd++) {
        int real = fdtab_real(sh, fd);
        if (runs->places[fd] >= 0 && real >= 0)
            (void)lseek(real, runs->places[fd], SEEK_SET);
    }
    if (runs->cut)
        (void)!ftruncate(fdtab_real(sh, 1), runs->places[1]);
}

static enum flow run_once(struct shell *sh, struct runs *runs, size_t set, size_t run, bool trial)
{
    const struct spawn_plan plan = { .in = -1, .out = -1, .aside = false };
    const char *text = runs->rq->sets[set];
    struct result *result = &runs->results[set * runs->run_count + run];
    struct job *job;
    pid_t pid;
    int fds[2];

    places_restore(sh, runs);
    if (sys_pipe(fds) != 0)
        return vmstat_fail(sh, runs->rq, "cannot make a pipe: %s", strerror(errno));
    enum flow flow = spawn_fork(sh, &plan, &pid);
    if (flow == FLOW_NEXT && pid == 0) {
        close(fds[0]);
        child_run(sh, runs->rq, text, trial, fds[1]);
    }
    close(fds[1]);
    if (flow == FLOW_NEXT)
        flow = job_add(sh, &pid, 1, -1, "vmstat -O", false, &job);
    if (flow == FLOW_NEXT)
        flow = job_wait_foreground(sh, job);
    /* It has ended, so all is there or never will be, whoever else has the pipe open. */
    (void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
    ssize_t got = flow == FLOW_NEXT ? read(fds[0], result, sizeof *result) : 0;
    close(fds[0]);
    if (flow != FLOW_NEXT)
        return flow;
    if (got != (ssize_t)sizeof *result)
        return vmstat_fail(sh, runs->rq, "-O: run %zu with %s did not come to its end, status %d",
                           run + 1, set_name(text), sh->status);
    if (*result->complaint)
        return vmstat_fail(sh, runs->rq, "-O: %s", result->complaint);
    return FLOW_NEXT;
}

/* ---- the table ---- */

static int double_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread {
    double median, least, most;
};

static struct spread spread_of(const struct runs *runs, size_t set, enum measure measure)
{
    double values[RUNS_MAX];
    size_t n = runs->run_count;
    for (size_t i = 0; i < n; i++)
        values[i] = runs->results[set * n + i].values[measure];
    items_sort(values, n, sizeof *values, double_compare);
    return (struct spread){ n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2,
                            values[0], values[n - 1] };
}

static void put_measure(struct table *table, struct spread s, enum measure measure, bool exact)
{
    if (measure <= SYS) /* half the distance between the extremes, of the median */
        table_put(table, "%.3f %3.0f%%", s.median,
                  s.median > 0 ? (s.most - s.least) * 50 / s.median : 0.0);
    else if (measure <= HELD)
        table_size(table, (uint64_t)(s.median > 0 ? s.median : 0), exact);
    else
        table_put(table, "%.0f", s.median);
}

static enum flow report(struct shell *sh, const struct runs *runs, bool exact)
{
    struct table table;
    struct out *out = vmstat_report_out(sh);
    double best = 0;

    if (!out)
        return FLOW_NEXT;
    for (size_t set = 0; set < runs->set_count; set++) {
        double median = spread_of(runs, set, CPU).median;
        best = set == 0 || median < best ? median : best;
    }
    table_init(&table, sh->watch_region, MEASURE_COUNT + 2, 1);
    table_put(&table, "options");
    for (int i = 0; i < MEASURE_COUNT; i++)
        table_put(&table, i <= SYS ? "%s +-  " : "%s", measure_names[i]);
    table_put(&table, "cpu/best");
    for (size_t set = 0; set < runs->set_count; set++) {
        const char *text = runs->rq->sets[set];
        table_put(&table, "%s", set_name(text));
        for (int i = 0; i < MEASURE_COUNT; i++)
            put_measure(&table, spread_of(runs, set, (enum measure)i), (enum measure)i, exact);
        table_put(&table, "%.2f", best > 0 ? spread_of(runs, set, CPU).median / best : 1.0);
    }
    TRY(table_end(sh, &table, out));
    out_printf(out, "medians of %zu runs, in turns; seconds with half their spread\n",
               runs->run_count);
    (void)out_flush(out);
    return FLOW_NEXT;
}

static enum flow runs_all(struct shell *sh, struct runs *runs)
{
    places_note(sh, runs);
    for (size_t set = 0; set < runs->set_count;
         set++) /* a wrong one is found before work is done */
        TRY(run_once(sh, runs, set, 0, true));
    for (size_t run = 0; run < runs->run_count; run++)
        for (size_t set = 0; set < runs->set_count; set++)
            TRY(run_once(sh, runs, set, run, false));
    TRY(report(sh, runs, runs->rq->exact));
    sh->status = 0;
    for (size_t i = 0; i < runs->set_count * runs->run_count; i++)
        if (runs->results[i].status)
            sh->status = runs->results[i].status;
    return FLOW_NEXT;
}

enum flow vmstat_compare(struct shell *sh, const struct request *rq)
{
    struct runs runs = { .rq = rq, .set_count = rq->set_count, .run_count = rq->count };

    if (!request_has_command(rq))
        return vmstat_fail(sh, rq, "-O: a command is needed");
    if (!runs.run_count)
        runs.run_count = RUNS_DEFAULT;
    if (runs.run_count > RUNS_MAX)
        return vmstat_fail(sh, rq, "-n: at most %d runs", RUNS_MAX);
    size_t bytes = runs.set_count * runs.run_count * sizeof *runs.results;
    runs.results = vmstat_state(sh) ? mem_alloc_zeroed(sh->watch_region, bytes) : NULL;
    if (!runs.results)
        return shell_fail_memory(sh, bytes);
    enum flow flow = runs_all(sh, &runs);
    mem_free(runs.results);
    return flow;
}
