/*
 * kill: sends signals to processes and jobs, and lists signals.
 *
 * The signal is -NAME, -NUMBER, -s NAME or -n NUMBER; the first two are not options of the usual
 * kind, so that this command reads its own arguments. A job under job control is signalled as a
 * process group.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "builtins/kill.h"
#include "shell/base/num.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

enum { TABLE_COLUMNS = 5, TABLE_WIDTH = 10 };

static void list_names(struct shell *sh)
{
    for (int signal = 1; signal < NSIG; signal++) {
        const char *name = trap_name(signal);
        if (name)
            out_printf(sh->out, "%s\n", name);
    }
}

/* Names with their numbers, in columns. */
static void list_table(struct shell *sh)
{
    int signals[NSIG], count = 0;
    for (int signal = 1; signal < NSIG; signal++) {
        if (trap_name(signal))
            signals[count++] = signal;
    }
    int rows = (count + TABLE_COLUMNS - 1) / TABLE_COLUMNS;
    for (int row = 0; row < rows; row++) {
        for (int i = row; i < count; i += rows) {
            int width = i + rows < count ? TABLE_WIDTH : 0;
            out_printf(sh->out, "%2d) %-*s", signals[i], width, trap_name(signals[i]));
        }
        out_putc(sh->out, '\n');
    }
}

/* Names for numbers (statuses of killed commands too) and numbers for names. */
static enum flow list_some(struct shell *sh, const struct args *args, size_t first)
{
    for (size_t i = first; i < args->count; i++) {
        const char *operand = args->argv[i];
        int64_t n;
        if (num_parse_int(operand, strlen(operand), &n)) {
            if (n > 128)
                n = n > 256 ? n - 256 : n - 128;
            const char *name = n >= 0 && n < NSIG ? trap_name((int)n) : NULL;
            if (name)
                out_printf(sh->out, "%s\n", name);
            else if (option_on(sh, OPTION_POSIX))
                return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: unknown signal number",
                                  operand);
            else
                out_printf(sh->out, "%lld\n", (long long)n);
            continue;
        }
        int signal = trap_parse(operand);
        if (signal < 0 || signal >= NSIG)
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: unknown signal name",
                              operand);
        out_printf(sh->out, "%d\n", signal);
    }
    return FLOW_NEXT;
}

/* kill -l -X: no option goes with -l, but `--` ends them. */
static enum flow list_option(struct shell *sh, const struct args *args)
{
    if (strcmp(args->argv[2], "--") == 0)
        return list_some(sh, args, 3);
    struct str why;
    str_init(&why, sh->scratch);
    str_printf(&why, "%s: cannot be used with -l", args->argv[2]);
    return builtin_usage_error(sh, args, str_text(&why));
}

static void send_failed(struct shell *sh, const struct args *args, const char *operand, int error)
{
    shell_warn(sh, args->argv[0], "%s: %s", operand,
               error == ESRCH ? "no such process" : strerror(error));
    sh->status = 1;
}

void kill_send(struct shell *sh, const struct args *args, const char *operand, int signal)
{
    int64_t pid;

    if (*operand == '%') {
        struct job *job = job_find(sh, operand);
        if (!job) {
            shell_warn(sh, args->argv[0], "%s: no such job", operand);
            sh->status = 1;
            return;
        }
        int error = job_kill(sh, job, signal);
        if (error)
            send_failed(sh, args, operand, error);
        return;
    }
    if (!num_parse_int(operand, strlen(operand), &pid) || pid != (pid_t)pid) {
        shell_warn(sh, args->argv[0], "%s: invalid process ID", operand);
        sh->status = 1;
        return;
    }
    if (pid == getpid() && !trap_signal_self(sh, signal))
        return;
    /* A child that ended is there no more, whether its status was collected yet or not. */
    jobs_refresh(sh);
    int error = job_send(sh, (pid_t)pid, signal, false);
    if (error)
        send_failed(sh, args, operand, error);
}

/* Takes the signal from -s NAME, -n N, -NAME or -N at argument *AT. */
static enum flow take_signal(struct shell *sh, const struct args *args, size_t *at, int *ret_signal)
{
    const char *text = args->argv[*at] + 1;
    bool is_option = false;

    bool is_number = *text == 'n';

    if ((*text == 's' || *text == 'n') &&
        (!text[1] || isdigit((unsigned char)text[1]) || (*text == 's' && trap_parse(text) < 0))) {
        text = text[1] ? text + 1 : args->argv[++*at];
        if (!text)
            return builtin_usage_error(sh, args,
                                       is_number ? "-n: signum argument expected"
                                                 : "-s: signame argument expected");
        is_option = true;
        if (is_number && !isdigit((unsigned char)*text))
            return builtin_usage_error(sh, args, "-n: numeric signum argument expected");
    }
    ++*at;
    *ret_signal = trap_parse(text);
    if (*ret_signal < 0 || *ret_signal >= NSIG)
        return shell_fail(sh, ERROR_BUILTIN, is_option ? 1 : 2, args->argv[0],
                          "%s: unknown signal name", text);
    return FLOW_NEXT;
}

/* At a prompt, a moment for what was killed to end, so that the next prompt tells of it. */
static void let_end(struct shell *sh)
{
    const struct timespec moment = { .tv_nsec = 50000000 };
    if (sh->interactive && jobs_control(sh) && sh->last_background && !sh->pending)
        nanosleep(&moment, NULL);
}

static enum flow kill_run(struct shell *sh, struct args *args)
{
    int signal = SIGTERM;
    size_t at = 1;

    sh->status = 0;
    const char *first = args->count > 1 ? args->argv[1] : NULL;
    enum flow flow = FLOW_NEXT;
    if (first && builtin_help(sh, args, first, &flow))
        return flow;
    if (first && strncmp(first, "--", 2) == 0 && first[2])
        return args_option(sh, args, &flow), flow;
    if (first && (strcmp(first, "-l") == 0 || strcmp(first, "-L") == 0)) {
        if (args->count > 2 && args->argv[2][0] == '-' && !isdigit((unsigned char)args->argv[2][1]))
            return list_option(sh, args);
        if (args->count > 2)
            return list_some(sh, args, 2);
        if (first[1] == 'L')
            list_table(sh);
        else
            list_names(sh);
        return FLOW_NEXT;
    }
    if (first && *first == '-' && strcmp(first, "--") != 0)
        TRY(take_signal(sh, args, &at, &signal));
    if (at < args->count && strcmp(args->argv[at], "--") == 0)
        at++;
    if (at >= args->count)
        return builtin_usage_error(sh, args, "needs a job or process");
    (void)fdtab_flush(sh);
    /* What the shell is sent by a subshell must not end the subshell. */
    if (signal && option_on(sh, OPTION_POSIX) && sh->frame->subshell)
        TRY(subshell_materialize(sh));
    for (; at < args->count; at++)
        kill_send(sh, args, args->argv[at], signal);
    if (signal)
        let_end(sh);
    if (sh->pending)
        return trap_run_pending(sh);
    return FLOW_NEXT;
}

static const struct builtin_option kill_options[] = {
    { .letter = 'l', .help = "list signals: names for numbers and numbers for names" },
    { .letter = 'L', .help = "list signals with their numbers" },
    { .letter = 'n', .argument = "number", .help = "send the signal of this number" },
    { .letter = 's', .argument = "name", .help = "send the signal of this name" },
    { 0 },
};

const struct builtin_spec kill_spec = {
    .name = "kill",
    .options = kill_options,
    .usage = "job | pid ...",
    .summary = "send a signal",
    .doc = "Sends a signal, by default TERM, to each process or job. -NAME and -NUMBER name the "
           "signal too. "
           "Signal 0 only asks whether the process is there.",
    .run = kill_run,
};
