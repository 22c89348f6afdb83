/*
 * ulimit: show or set resource limits of the process.
 *
 * Owns the table of limits. A limit cannot be undone, so that a virtual subshell becomes a process
 * first. Without -H or -S a new value sets both limits, and the soft one is shown. The listing has
 * ksh93's lines.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "builtins/builtin.h"
#include "shell/arith/arith.h"
#include "shell/state/var.h"

/* Resources that are no limits of the system. */
enum { NOT_SUPPORTED = -1, PIPE_BUFFER = -2 };

/* In the order of the listing. */
static const struct limit {
    char letter;
    const char *title;
    int resource;    /* RLIMIT_..., or one of the above */
    unsigned factor; /* bytes per unit of the operand */
} limits[] = {
    { 'M', "address space limit (Kibytes)", RLIMIT_AS, 1024 },
    { 'c', "core file size (blocks)", RLIMIT_CORE, 512 },
    { 't', "cpu time (seconds)", RLIMIT_CPU, 1 },
    { 'd', "data size (Kibytes)", RLIMIT_DATA, 1024 },
    { 'f', "file size (blocks)", RLIMIT_FSIZE, 512 },
    { 'k', "kqueues", NOT_SUPPORTED, 1 },
    { 'x', "locks", RLIMIT_LOCKS, 1 },
    { 'l', "locked address space (Kibytes)", RLIMIT_MEMLOCK, 1024 },
    { 'q', "message queue size (Kibytes)", RLIMIT_MSGQUEUE, 1024 },
    { 'e', "nice", RLIMIT_NICE, 1 },
    { 'n', "nofile", RLIMIT_NOFILE, 1 },
    { 'V', "novmon", NOT_SUPPORTED, 1 },
    { 'u', "nproc", RLIMIT_NPROC, 1 },
    { 'P', "npts", NOT_SUPPORTED, 1 },
    { 'p', "pipe buffer size (bytes)", PIPE_BUFFER, 1 },
    { 'm', "max memory size (Kibytes)", RLIMIT_RSS, 1024 },
    { 'r', "rtprio", RLIMIT_RTPRIO, 1 },
    { 'R', "max time before blocking (microseconds)", RLIMIT_RTTIME, 1 },
    { 'b', "socket buffer size (bytes)", PIPE_BUFFER, 1 },
    { 'i', "sigpend", RLIMIT_SIGPENDING, 1 },
    { 's', "stack size (Kibytes)", RLIMIT_STACK, 1024 },
    { 'w', "swap size (Kibytes)", NOT_SUPPORTED, 1 },
    { 'T', "threads", NOT_SUPPORTED, 1 },
    { 'v', "process size (Kibytes)", RLIMIT_AS, 1024 },
};
enum { LIMIT_COUNT = sizeof limits / sizeof *limits };

static int limit_find(char letter)
{
    int i = 0;
    while (i < LIMIT_COUNT - 1 && limits[i].letter != letter)
        i++;
    return i;
}

static void limit_print(struct shell *sh, const struct limit *limit, bool hard, bool titled)
{
    struct rlimit value;
    if (titled)
        out_printf(sh->out, "%-39s (-%c)  ", limit->title, limit->letter);
    if (limit->resource == PIPE_BUFFER) {
        out_printf(sh->out, "%d\n", PIPE_BUF);
        return;
    }
    if (limit->resource == NOT_SUPPORTED ||
        getrlimit((__rlimit_resource_t)limit->resource, &value) != 0) {
        out_puts(sh->out, "not supported\n");
        return;
    }
    rlim_t shown = hard ? value.rlim_max : value.rlim_cur;
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
    size_t len = strlen(text);
    struct name *name = text_is_name(text, len) ? name_intern(sh, text, len) : NULL;
    struct var_ref ref = { .name = name };
    if (name && !var_is_set(sh, &ref)) /* a slip of the pen must not set the limit to 0 */
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: parameter not set", text);
    TRY(arith_eval_int(sh, text, len, &n));
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

    if (limit->resource < 0)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "-%c: cannot be set", limit->letter);
    TRY(limit_parse(sh, args, limit, text, &wanted));
    if (getrlimit((__rlimit_resource_t)limit->resource, &value) == 0) {
        if (hard)
            value.rlim_max = wanted;
        if (soft)
            value.rlim_cur = wanted;
        if (setrlimit((__rlimit_resource_t)limit->resource, &value) == 0)
            return FLOW_NEXT;
    }
    return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: limit exceeded [%s]", text,
                      strerror(errno));
}

static enum flow ulimit_run(struct shell *sh, struct args *args)
{
    bool chosen[LIMIT_COUNT] = { false };
    size_t count = 0;
    int last = limit_find('f');
    bool hard = false, soft = false, all = false;
    enum flow flow = FLOW_NEXT;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        if (option == 'H') {
            hard = true;
        } else if (option == 'S') {
            soft = true;
        } else if (option == 'a') {
            all = true;
        } else {
            last = limit_find((char)option);
            count += !chosen[last];
            chosen[last] = true;
        }
    }
    const char *operand = args_peek(args, 0);
    if (args_left(args) > 1 || (operand && (all || count > 1)))
        return builtin_usage_error(sh, args, "too many operands");
    sh->status = 0;
    if (operand)
        return limit_set(sh, args, &limits[last], operand, hard || !soft, soft || !hard);
    chosen[last] = true;
    for (int i = 0; i < LIMIT_COUNT; i++) {
        if (all || chosen[i])
            limit_print(sh, &limits[i], hard, all || count > 1);
    }
    return FLOW_NEXT;
}

static const struct builtin_option options[] = {
    { .letter = 'H', .help = "show or set the hard limit" },
    { .letter = 'S', .help = "show or set the soft limit" },
    { .letter = 'a', .help = "show all limits" },
    { .letter = 'b', .help = "size of socket buffers, in bytes; only shown" },
    { .letter = 'c', .help = "size of core files, in blocks of 512 bytes" },
    { .letter = 'd', .help = "size of the data segment, in KiB" },
    { .letter = 'e', .help = "scheduling priority" },
    { .letter = 'f', .help = "size of files written, in blocks of 512 bytes (the default)" },
    { .letter = 'i', .help = "number of pending signals" },
    { .letter = 'k', .help = "number of kqueues; not here" },
    { .letter = 'l', .help = "locked memory, in KiB" },
    { .letter = 'm', .help = "resident memory, in KiB" },
    { .letter = 'n', .help = "number of open descriptors" },
    { .letter = 'p', .help = "size of pipe buffers, in bytes; only shown" },
    { .letter = 'q', .help = "size of message queues, in KiB" },
    { .letter = 'r', .help = "real-time priority" },
    { .letter = 's', .help = "size of the stack, in KiB" },
    { .letter = 't', .help = "processor time, in seconds" },
    { .letter = 'u', .help = "number of processes" },
    { .letter = 'v', .help = "address space, in KiB" },
    { .letter = 'w', .help = "swap space; not here" },
    { .letter = 'x', .help = "number of file locks" },
    { .letter = 'M', .help = "address space, in KiB" },
    { .letter = 'P', .help = "number of pseudo-terminals; not here" },
    { .letter = 'R', .help = "time a real-time process may run before it blocks, in microseconds" },
    { .letter = 'T', .help = "number of threads; not here" },
    { .letter = 'V', .help = "number of open vnode monitors; not here" },
    { 0 },
};

const struct builtin_spec ulimit_spec = {
    .name = "ulimit",
    .flags = BUILTIN_NEEDS_PROCESS,
    .options = options,
    .usage = "[limit]",
    .summary = "show or set limits of the process",
    .doc = "Sets a resource limit of the shell and of what it starts, or shows it when no limit is "
           "given. "
           "limit is an arithmetic expression or the word unlimited. Without -H and -S both limits "
           "are "
           "set, and the soft one is shown.",
    .run = ulimit_run,
};
