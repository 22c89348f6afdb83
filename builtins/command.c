/*
 * command: run a simple command without functions and without the ways of special builtins; or tell
 * what it is.
 *
 * `command [-p] name` is a prefix that the executor takes off before it looks the name up, so that
 * declaration commands and redirections work as without it. What comes here are the other options:
 * -v and -V, and -x.
 */
#include <string.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "builtins/whence.h"
#include "shell/exec/exec.h"
#include "shell/state/env.h"
#include "shell/state/option.h"

enum { RESERVED_BYTES = 4096 }; /* what the system puts beside arguments and environment */

/* ---- command -x with more arguments than the system takes --------------------------------------
 */

static size_t texts_bytes(const char *const *texts, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]) + 1 + sizeof *texts;
    return bytes;
}

/* Bytes of arguments that a program may get beside the environment. */
static enum flow arguments_limit(struct shell *sh, size_t *ret)
{
    char *const *envp;
    size_t count = 0;
    TRY(env_build(sh, NULL, &envp));
    while (envp[count])
        count++;
    size_t used = texts_bytes((const char *const *)envp, count) + RESERVED_BYTES;
    long most = sysconf(_SC_ARG_MAX);
    *ret = most > 0 && (size_t)most > used ? (size_t)most - used : 0;
    return FLOW_NEXT;
}

/* Runs the command as often as it takes for the arguments from FIRST to END; the others go along
 * each time. The status is the highest one. */
static enum flow run_divided(struct shell *sh, const char *const *argv, size_t count, size_t first,
                             size_t end, size_t limit, unsigned how)
{
    size_t tail = count - end;
    size_t fixed = texts_bytes(argv, first) + texts_bytes(argv + end, tail);
    const char **part = scratch_alloc(sh, (count + 1) * sizeof *part);
    int status = 0;
    if (!part)
        return shell_fail_memory(sh, (count + 1) * sizeof *part);
    memcpy(part, argv, first * sizeof *part);
    for (size_t at = first; at < end;) {
        size_t bytes = fixed, n = first;
        while (at < end && (n == first || bytes + texts_bytes(argv + at, 1) <= limit)) {
            bytes += texts_bytes(argv + at, 1);
            part[n++] = argv[at++];
        }
        memcpy(part + n, argv + end, tail * sizeof *part);
        part[n + tail] = NULL;
        TRY(exec_argv(sh, n + tail, part, how));
        if (sh->status > status)
            status = sh->status;
    }
    sh->status = status;
    return FLOW_NEXT;
}

static enum flow run_program(struct shell *sh, const struct args *args, unsigned how)
{
    const char *const *argv = args->argv + args->next;
    size_t count = args_left(args), limit;
    size_t first = args->many_first > args->next ? args->many_first - args->next : 1;
    size_t end = args->many_end > args->next + first ? args->many_end - args->next : 0;
    if (end && end <= count) {
        TRY(arguments_limit(sh, &limit));
        if (texts_bytes(argv, count) > limit)
            return run_divided(sh, argv, count, first, end, limit, how);
    }
    return exec_argv(sh, count, argv, how);
}

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
    if (how & EXEC_EXTERNAL)
        return run_program(sh, args, how);
    return exec_argv(sh, args_left(args), args->argv + args->next, how);
}

static const struct builtin_option options[] = {
    { .letter = 'p', .help = "search the system's standard PATH" },
    { .letter = 'v', .help = "show the path, the alias or the name: whence" },
    { .letter = 'V', .help = "describe in words: whence -v" },
    { .letter = 'x',
      .help = "run a program even if there is a builtin of that name; as often as needed when the "
              "arguments that words like \"$@\" became are too many for one run" },
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
