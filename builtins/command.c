/*
 * command: run a simple command without functions and without the ways of special builtins; or tell
 * what it is.
 *
 * `command [-p] name` is a prefix that the executor takes off before it looks the name up, so that
 * declaration commands and redirections work as without it. What comes here are the other options:
 * -v and -V, and -x.
 */
#include "builtins/builtin.h"
#include "builtins/whence.h"
#include "shell/exec/exec.h"
#include "shell/state/option.h"

static enum flow command_run(struct shell *sh, struct args *args)
{
    unsigned show = 0, how = EXEC_NO_FUNCTION | EXEC_NOT_SPECIAL;
    bool query = false;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        switch (option) {
        case 'p':
            show |= WHENCE_DEFAULT_PATH;
            how |= EXEC_DEFAULT_PATH;
            break;
        case 'x':
            how |= EXEC_EXTERNAL;
            break;
        case 'V':
            show |= WHENCE_VERBOSE;
            query = true;
            break;
        default:
            query = true;
            break;
        }
    }
    if (option_on(sh, OPTION_POSIX))
        show |= WHENCE_DEFINITION;
    if (query)
        return whence_names(sh, args, show);
    return exec_argv(sh, args_left(args), args->argv + args->next, how);
}

static const struct builtin_option options[] = {
    { .letter = 'p', .help = "search the system's standard PATH" },
    { .letter = 'v', .help = "show the path, the alias or the name: whence" },
    { .letter = 'V', .help = "describe in words: whence -v" },
    { .letter = 'x', .help = "run a program even if there is a builtin of that name" },
    { 0 },
};

const struct builtin_spec command_spec = {
    .name = "command",
    .options = options,
    .usage = "[name [arg ...]]",
    .summary = "run a command that is not a function, or describe it",
    .doc = "Runs name with its arguments; functions are passed over, and a special builtin is "
           "treated like any other: its "
           "errors do not end the script and assignments before it do not stay. The status is that "
           "of the command, 127 "
           "when it is not found, 126 when it cannot be run.",
    .run = command_run,
};
