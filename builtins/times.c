/* times: the processor time used by the shell and by its children (POSIX 2.15). */
#include <sys/times.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "shell/state/option.h"

/* PADDED: two digits before the point, as outside of POSIX mode. */
static void print_time(struct out *out, clock_t ticks, long per_second, bool padded, char end)
{
    long minutes = (long)(ticks / (60 * per_second));
    double seconds = (double)(ticks % (60 * per_second)) / (double)per_second;
    out_printf(out, "%ldm%0*.3fs%c", minutes, padded ? 6 : 0, seconds, end);
}

static enum flow times_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    struct tms used;
    long per_second = sysconf(_SC_CLK_TCK);

    if (args_option(sh, args, &flow) != 0)
        return flow;
    if (args_left(args))
        return builtin_usage_error(sh, args, "too many operands");
    bool padded = !option_on(sh, OPTION_POSIX);
    times(&used);
    print_time(sh->out, used.tms_utime, per_second, padded, ' ');
    print_time(sh->out, used.tms_stime, per_second, padded, '\n');
    print_time(sh->out, used.tms_cutime, per_second, padded, ' ');
    print_time(sh->out, used.tms_cstime, per_second, padded, '\n');
    sh->status = 0;
    return FLOW_NEXT;
}

const struct builtin_spec times_spec = {
    .name = "times",
    .flags = BUILTIN_SPECIAL,
    .usage = "",
    .summary = "show the processor time used",
    .doc = "Prints the user and system time of the shell on the first line, and that of the "
           "processes it "
           "waited for on the second.",
    .run = times_run,
};
