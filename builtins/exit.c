/*
 * exit, return: leave the shell, a function or a dot script with a status.
 *
 * The number is read as far as it goes, as ksh93 does: `exit abc` is `exit 0`. exit keeps the low 8
 * bits, as the system would; a function may return any number.
 */
#include <errno.h>
#include <stdlib.h>

#include "builtins/builtin.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"

enum { STATUS_OUT_OF_RANGE = 128 };

/* Options are not looked for: `return -1` is a number. `--` may stand before it. */
static enum flow take_status(struct shell *sh, struct args *args)
{
    const char *operand = args_peek(args, 0);
    if (!operand || operand[0] != '-' || operand[1] < '0' || operand[1] > '9') {
        enum flow flow = FLOW_NEXT;
        int option = args_option(sh, args, &flow);
        if (option == -1)
            return FLOW_BREAK;
        if (option != 0)
            return flow;
        operand = args_peek(args, 0);
    }
    if (!operand)
        return FLOW_NEXT;
    errno = 0;
    long status = strtol(operand, NULL, 10);
    if (errno || status != (int)status) {
        shell_warn(sh, args->argv[0], "warning: %s: out of range", operand);
        status = STATUS_OUT_OF_RANGE;
    }
    sh->status = (int)status;
    return FLOW_NEXT;
}

static enum flow exit_run(struct shell *sh, struct args *args)
{
    enum flow flow = take_status(sh, args);
    if (flow != FLOW_NEXT)
        return flow == FLOW_BREAK ? FLOW_NEXT : flow;
    if (jobs_keep_shell(sh)) {
        sh->status = 1;
        return FLOW_NEXT;
    }
    if (args_left(args))
        sh->status &= 0xff;
    else
        sh->status = trap_exit_status(sh); /* in a trap: the status from before it */
    return FLOW_EXIT;
}

static enum flow return_run(struct shell *sh, struct args *args)
{
    enum flow flow = take_status(sh, args);
    if (flow != FLOW_NEXT)
        return flow == FLOW_BREAK ? FLOW_NEXT : flow;
    return FLOW_RETURN;
}

const struct builtin_spec exit_spec = {
    .name = "exit",
    .flags = BUILTIN_SPECIAL | BUILTIN_MAY_EXIT,
    .usage = "[n]",
    .summary = "leave the shell",
    .doc = "Ends the shell, or the subshell, with status n, by default that of the last command. "
           "An EXIT "
           "trap runs first.",
    .run = exit_run,
};

const struct builtin_spec return_spec = {
    .name = "return",
    .flags = BUILTIN_SPECIAL,
    .usage = "[n]",
    .summary = "return from a function or dot script",
    .doc = "Ends the running function or dot script with status n, by default that of the last "
           "command. "
           "Outside of both it is the same as exit.",
    .run = return_run,
};
