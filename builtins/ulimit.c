/*
 * ulimit: show or set resource limits of the process.
 *
 * Owns the table of limits. A limit cannot be undone, so that a virtual subshell becomes a process first.
 * Without -H or -S a new value sets both limits, and the soft one is shown.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "builtins/builtin.h"
#include "shell/arith/arith.h"

static const struct limit {
    char letter;
    const char *name;
    const char *unit;
    int resource;    /* -1: only shown, VALUE */
    unsigned factor; /* bytes per unit of the operand */
} limits[] = {
    { 'T', "threads", "number", RLIMIT_NPROC, 1 },
    { 'c', "core file size", "blocks", RLIMIT_CORE, 512 },
    { 'd', "data size", "kibytes", RLIMIT_DATA, 1024 },
    { 'e', "nice", "number", RLIMIT_NICE, 1 },
    { 'f', "file size", "blocks", RLIMIT_FSIZE, 512 },
    { 'i', "signals", "number", RLIMIT_SIGPENDING, 1 },
    { 'l', "locked address space", "kibytes", RLIMIT_MEMLOCK, 1024 },
    { 'm', "resident set size", "kibytes", RLIMIT_RSS, 1024 },
    { 'n', "nofile", "number", RLIMIT_NOFILE, 1 },
    { 'q', "message queue size", "kibytes", RLIMIT_MSGQUEUE, 1024 },
    { 'r', "rtprio", "number", RLIMIT_RTPRIO, 1 },
    { 's', "stack size", "kibytes", RLIMIT_STACK, 1024 },
    { 't', "cpu time", "seconds", RLIMIT_CPU, 1 },
    { 'u', "processes", "number", RLIMIT_NPROC, 1 },
    { 'v', "address space size", "kibytes", RLIMIT_AS, 1024 },
    { 'x', "locks", "number", RLIMIT_LOCKS, 1 },
};
enum { LIMIT_COUNT = sizeof limits / sizeof *limits };

static const struct limit *limit_find(char letter)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (limits[i].letter == letter)
            return &limits[i];
    return NULL;
}

static void limit_print(struct shell *sh, const struct limit *limit, bool hard, bool named)
{
    struct rlimit value;

    if (getrlimit((__rlimit_resource_t)limit->resource, &value) != 0)
        return;
    rlim_t shown = hard ? value.rlim_max : value.rlim_cur;
    if (named) {
        char title[64];
        snprintf(title, sizeof title, "%s (%s)", limit->name, limit->unit);
        out_printf(sh->out, "%-29s (-%c)  ", title, limit->letter);
    }
    if (shown == RLIM_INFINITY)
        out_puts(sh->out, "unlimited\n");
    else
        out_printf(sh->out, "%llu\n", (unsigned long long)(shown / limit->factor));
}

/* Numbers may be arithmetic expressions, as in ksh93. */
static enum flow limit_parse(struct shell *sh, const struct args *args, const struct limit *limit,
                             const char *text, rlim_t *ret)
{
    int64_t n;

    if (strcmp(text, "unlimited") == 0) {
        *ret = RLIM_INFINITY;
        return FLOW_NEXT;
    }
    TRY(arith_eval_int(sh, text, strlen(text), &n));
    if (n < 0 || (uint64_t)n > RLIM_INFINITY / limit->factor)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad number", text);
    *ret = (rlim_t)n * limit->factor;
    return FLOW_NEXT;
}

static enum flow limit_set(struct shell *sh, const struct args *args, const struct limit *limit,
                           const char *text, bool hard, bool soft)
{
    struct rlimit value;
    rlim_t wanted = 0;

    TRY(limit_parse(sh, args, limit, text, &wanted));
    if (getrlimit((__rlimit_resource_t)limit->resource, &value) == 0) {
        if (hard)
            value.rlim_max = wanted;
        if (soft)
            value.rlim_cur = wanted;
        if (setrlimit((__rlimit_resource_t)limit->resource, &value) == 0)
            return FLOW_NEXT;
    }
    return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: limit exceeded: %s", text,
                      strerror(errno));
}

static enum flow ulimit_run(struct shell *sh, struct args *args)
{
    const struct limit *chosen[LIMIT_COUNT];
    size_t count = 0;
    bool hard = false, soft = false, all = false;
    enum flow flow = FLOW_NEXT;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        if (option == 'H')
            hard = true;
        else if (option == 'S')
            soft = true;
        else if (option == 'a')
            all = true;
        else if (count < LIMIT_COUNT)
            chosen[count++] = limit_find((char)option);
    }
    const char *operand = args_peek(args, 0);
    if (args_left(args) > 1 || (operand && (all || count > 1)))
        return builtin_usage_error(sh, args, "too many operands");
    sh->status = 0;
    if (all) {
        for (int i = 0; i < LIMIT_COUNT; i++)
            limit_print(sh, &limits[i], hard, true);
        return FLOW_NEXT;
    }
    if (count == 0)
        chosen[count++] = limit_find('f');
    if (operand)
        return limit_set(sh, args, chosen[0], operand, hard || !soft, soft || !hard);
    for (size_t i = 0; i < count; i++)
        limit_print(sh, chosen[i], hard, count > 1);
    return FLOW_NEXT;
}

static const struct builtin_option options[] = {
    { .letter = 'H', .help = "show or set the hard limit" },
    { .letter = 'S', .help = "show or set the soft limit" },
    { .letter = 'a', .help = "show all limits" },
    { .letter = 'T', .help = "number of threads" },
    { .letter = 'c', .help = "size of core files, in blocks of 512 bytes" },
    { .letter = 'd', .help = "size of the data segment, in KiB" },
    { .letter = 'e', .help = "scheduling priority" },
    { .letter = 'f', .help = "size of files written, in blocks of 512 bytes (the default)" },
    { .letter = 'i', .help = "number of pending signals" },
    { .letter = 'l', .help = "locked memory, in KiB" },
    { .letter = 'm', .help = "resident memory, in KiB" },
    { .letter = 'n', .help = "number of open descriptors" },
    { .letter = 'q', .help = "size of message queues, in KiB" },
    { .letter = 'r', .help = "real-time priority" },
    { .letter = 's', .help = "size of the stack, in KiB" },
    { .letter = 't', .help = "processor time, in seconds" },
    { .letter = 'u', .help = "number of processes" },
    { .letter = 'v', .help = "address space, in KiB" },
    { .letter = 'x', .help = "number of file locks" },
    { 0 },
};

const struct builtin_spec ulimit_spec = {
    .name = "ulimit",
    .flags = BUILTIN_NEEDS_PROCESS,
    .options = options,
    .usage = "[limit]",
    .summary = "show or set limits of the process",
    .doc = "Sets a resource limit of the shell and of what it starts, or shows it when no limit is given. "
           "limit is an arithmetic expression or the word unlimited. Without -H and -S both limits are "
           "set, and the soft one is shown.",
    .run = ulimit_run,
};
