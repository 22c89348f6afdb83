/*
 * . and source: run a file, or a ksh function, in the present scope.
 *
 * Operands become the positional parameters while it runs; a DOT frame marks the place, so that the
 * level is right. `return` ends it. `.` is a special builtin and `source` is not; and `source`
 * takes a file of the present directory when PATH leads to none, as in bash and mksh.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "shell/exec/exec.h"
#include "shell/state/cmdhash.h"
#include "shell/state/frame.h"
#include "shell/state/func.h"
#include "shell/state/option.h"
#include "shell/state/param.h"
#include "shell/state/var.h"

/* The operands as parameters, or the present ones when there are none. */
struct scope {
    struct frame frame;
    struct params params;
    struct params *outer;
};

static void scope_enter(struct shell *sh, struct scope *scope, const struct args *args)
{
    frame_push(sh, &scope->frame, FRAME_DOT);
    scope->outer = NULL;
    if (args_left(args) > 1)
        param_enter(sh, &scope->params, args_left(args) - 1, args->argv + args->next + 1,
                    &scope->outer);
}

static void scope_leave(struct shell *sh, struct scope *scope)
{
    if (scope->outer)
        param_leave(sh, scope->outer);
    frame_pop(sh, &scope->frame);
}

static bool is_source(const struct args *args)
{
    return strcmp(args->argv[0], "source") == 0;
}

static enum flow run_file(struct shell *sh, const struct args *args)
{
    const char *name = args_peek(args, 0), *path = name;
    if (!strchr(name, '/')) {
        const char *list = var_text(sh, "PATH");
        path = list ? path_search(sh, list, name, false) : NULL;
        if (!path && is_source(args) && !option_on(sh, OPTION_RESTRICTED) &&
            access(name, F_OK) == 0)
            path = name;
        if (!path)
            return shell_fail(sh, ERROR_REDIRECT, 1, args->argv[0], "%s: cannot open [%s]", name,
                              strerror(ENOENT));
    } else if (option_on(sh, OPTION_RESTRICTED)) {
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: restricted", name);
    }
    if (!shell_enter(sh)) {
        shell_leave(sh);
        return shell_fail(sh, ERROR_LIMIT, 1, name, "recursion too deep");
    }
    bool exec_last = sh->exec_last;
    sh->exec_last = false;
    struct scope scope;
    scope_enter(sh, &scope, args);
    enum flow flow = exec_file(sh, args->argv[0], path);
    scope_leave(sh, &scope);
    sh->exec_last = exec_last;
    shell_leave(sh);
    return flow == FLOW_RETURN ? FLOW_NEXT : flow;
}

static enum flow dot_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    int option = args_option(sh, args, &flow);
    if (option != 0)
        return flow;
    const char *name = args_peek(args, 0);
    if (!name)
        return builtin_usage_error(sh, args, "name expected");
    bool is_posix_dot = !is_source(args) && option_on(sh, OPTION_POSIX);
    struct func *func = is_posix_dot ? NULL : func_find_visible(sh, name, strlen(name));
    if (func && func->ksh_style)
        return exec_call_here(sh, func, args_left(args), args->argv + args->next);
    return run_file(sh, args);
}

#define DOC                                                                                        \
    "Runs the commands of a file in this shell; it is searched in PATH when its name has no "      \
    "slash, and need not be executable. "
#define DOC_REST                                                                                   \
    "name may be a function defined with the word function, which then runs without a scope of "   \
    "its own. The arguments, if any, are the positional parameters meanwhile. The status is that " \
    "of the last command."

const struct builtin_spec dot_spec = {
    .name = ".",
    .flags = BUILTIN_SPECIAL,
    .usage = "name [arg ...]",
    .summary = "run a file in this shell",
    .doc = DOC DOC_REST,
    .run = dot_run,
};

const struct builtin_spec source_spec = {
    .name = "source",
    .usage = "name [arg ...]",
    .summary = "run a file in this shell",
    .doc = DOC "A file in the present directory will do when PATH has none. " DOC_REST,
    .run = dot_run,
};
