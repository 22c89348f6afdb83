/*
 * sleep: wait for a time without starting a process.
 *
 * Takes seconds with a fraction, or numbers with the suffixes s m h d w. A trapped signal runs its
 * action at once; the sleep then goes on for the rest of its time, or ends early with -s.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builtins/builtin.h"
#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"

static double suffix_seconds(char c)
{
    switch (c) {
    case 'm':
        return 60;
    case 'h':
        return 3600;
    case 'd':
        return 86400;
    case 'w':
        return 604800;
    default:
        return 1;
    }
}

/* ISO 8601: P1DT2H3M4.5S. Years and months have no length and are not taken. */
static bool parse_iso_duration(const char *text, double *ret_seconds)
{
    double total = 0;
    bool is_time = false, any = false;
    for (text++; *text; text++) {
        if (*text == 'T' && !is_time) {
            is_time = true;
            continue;
        }
        char *end;
        double n = strtod(text, &end);
        const char *unit = strchr(is_time ? "HMS" : "DW", *end);
        if (end == text || !*end || !unit || !(n >= 0))
            return false;
        total += n * suffix_seconds((char)tolower((unsigned char)*end));
        text = end;
        any = true;
    }
    *ret_seconds = total;
    return any;
}

/* A sum such as 1h30m; a bare number means seconds. */
static bool parse_duration(const char *text, double *ret_seconds)
{
    double total = 0;
    if (!*text)
        return false;
    if (*text == 'P')
        return parse_iso_duration(text, ret_seconds);
    while (*text) {
        char *end;
        double n = strtod(text, &end);
        if (end == text || isnan(n) || n < 0)
            return false;
        total += n * suffix_seconds(*end);
        if (*end && suffix_seconds(*end) == 1 && *end != 's')
            return false;
        text = *end ? end + 1 : end;
    }
    *ret_seconds = total;
    return true;
}

/* Until END, or a signal has something to do. */
static enum flow sleep_until(struct shell *sh, int64_t end, bool once)
{
    for (int64_t left; (left = end - sys_monotonic_ns()) > 0;) {
        int idle_ms = mem_idle();
        if (idle_ms >= 0 && left > idle_ms * 1000000LL)
            left = idle_ms * 1000000LL;
        if (sys_await(NULL, 0, left) == 0)
            continue;
        if (sh->pending)
            TRY(trap_run_pending(sh));
        if (once)
            break;
    }
    return FLOW_NEXT;
}

/* Under job control as a process, so that it can be stopped and put into the background. */
static enum flow sleep_job(struct shell *sh, const struct args *args, int64_t end)
{
    static const struct spawn_plan plan = { .in = -1, .out = -1, .group = -1 };
    struct str command;
    struct job *job;
    pid_t pid;
    TRY(spawn_fork(sh, &plan, &pid));
    if (pid == 0)
        exec_child_exit(sh, sleep_until(sh, end, false));
    str_init(&command, sh->heap);
    str_printf(&command, "%s %s", args->argv[0], args_peek(args, 0));
    enum flow flow = job_add(sh, &pid, 1, pid, str_text(&command), false, &job);
    str_release(&command);
    TRY(flow);
    return job_wait_foreground(sh, job);
}

static enum flow sleep_run(struct shell *sh, struct args *args)
{
    bool once = false;
    enum flow flow = FLOW_NEXT;
    const double longest = 1e9;
    double seconds;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        once |= option == 's';
    }
    const char *operand = args_peek(args, 0);
    if (args_left(args) > 1 || (!operand && !once))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "one operand expected");
    if (!operand) /* -s alone: until a signal comes */
        seconds = longest;
    else if (!parse_duration(operand, &seconds))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad number", operand);
    (void)fdtab_flush(sh);
    sh->status = 0;
    int64_t end = sys_monotonic_ns() + (int64_t)((seconds < longest ? seconds : longest) * 1e9);
    return operand && !once && jobs_control(sh) ? sleep_job(sh, args, end)
                                                : sleep_until(sh, end, once);
}

static const struct builtin_option options[] = {
    { .letter = 's', .help = "end early when a signal arrives; without a duration, only then" },
    { 0 },
};

const struct builtin_spec sleep_spec = {
    .name = "sleep",
    .options = options,
    .usage = "[duration]",
    .summary = "wait for a time",
    .doc = "Waits for the given number of seconds, which may have a fraction, or for a duration "
           "made of "
           "numbers with the suffixes s, m, h, d and w, or written as in ISO 8601: PT1H30M.",
    .run = sleep_run,
};
