/*
 * stop, suspend: stop jobs, and the shell itself.
 *
 * Whoever is stopped goes on when it gets CONT; for the shell that is its parent's business.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "builtins/kill.h"
#include "shell/state/fdtab.h"

static enum flow stop_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    if (args_option(sh, args, &flow) != 0)
        return flow;
    if (!args_left(args))
        return builtin_usage_error(sh, args, "needs a job or process");
    sh->status = 0;
    (void)fdtab_flush(sh);
    for (size_t i = 0; i < args_left(args); i++)
        kill_send(sh, args, args_peek(args, i), SIGSTOP);
    return FLOW_NEXT;
}

static enum flow suspend_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    if (args_option(sh, args, &flow) != 0)
        return flow;
    if (args_left(args))
        return builtin_usage_error(sh, args, "too many operands");
    if (sh->login)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "cannot suspend a login shell");
    sh->status = 0;
    (void)fdtab_flush(sh);
    if (kill(sh->pid, SIGSTOP) != 0)
        sh->status = 1;
    return FLOW_NEXT;
}

const struct builtin_spec stop_spec = {
    .name = "stop",
    .usage = "job | pid ...",
    .summary = "stop jobs and processes",
    .doc = "Sends the signal STOP to each job or process; CONT lets it go on.",
    .run = stop_run,
};

const struct builtin_spec suspend_spec = {
    .name = "suspend",
    .usage = "",
    .summary = "stop the shell",
    .doc = "Sends the signal STOP to the shell itself, unless it is a login shell; CONT lets it go "
           "on.",
    .run = suspend_run,
};
