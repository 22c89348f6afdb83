/*
 * exec and redirect: put a program in the shell's place; make redirections that stay.
 *
 * The redirections themselves are made by the executor, for good (shell/exec/simple.c), before
 * these run. When the program cannot be run exec fails like any special builtin, so a script ends
 * there.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/exec/exec.h"
#include "shell/exec/spawn.h"
#include "shell/state/cmdhash.h"
#include "shell/state/env.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

/* The program takes the place of this shell, so it is a level less deep; in a subshell the shell
 * stays. */
static enum flow lower_shlvl(struct shell *sh)
{
    const char *text = var_text(sh, "SHLVL");
    int64_t level;
    if (sh->subshell_level > 0 || !text || !num_parse_int(text, strlen(text), &level))
        return FLOW_NEXT;
    return var_set_int(sh, "SHLVL", level - 1);
}

/* FLOW; an error says that it is of exec. */
static enum flow as_ours(struct shell *sh, const struct args *args, enum flow flow)
{
    if (flow != FLOW_ERROR || sh->err.kind != ERROR_COMMAND || sh->err.printed)
        return flow;
    const char *text = scratch_dup(sh, sh->err.text, strlen(sh->err.text));
    return text ? shell_fail(sh, ERROR_COMMAND, sh->err.status, args->argv[0], "%s", text) : flow;
}

static enum flow exec_run(struct shell *sh, struct args *args)
{
    const char *shown = NULL;
    bool clear = false;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        if (option == 'a')
            shown = args->option_argument;
        else
            clear = true;
    }
    sh->status = 0;
    if (!args_left(args))
        return FLOW_NEXT;
    if (option_on(sh, OPTION_RESTRICTED))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "restricted");
    const char *name = args_peek(args, 0), *path;
    TRY(as_ours(sh, args, command_path(sh, name, false, &path)));
    size_t count = args_left(args);
    const char **argv = scratch_alloc(sh, (count + 1) * sizeof *argv);
    if (!argv)
        return shell_fail_memory(sh, (count + 1) * sizeof *argv);
    for (size_t i = 0; i <= count; i++)
        argv[i] = args_peek(args, i);
    if (shown)
        argv[0] = shown;
    if (cmdhash_is_builtin(sh, path)) { /* it would be the last thing that this process does */
        argv[0] = path;
        TRY(exec_argv(sh, count, argv, EXEC_NO_FUNCTION));
        return FLOW_EXIT;
    }
    if (clear) {
        char *const *envp;
        TRY(env_build_temporary(sh, &envp));
        return as_ours(sh, args, spawn_exec_env(sh, name, path, argv, envp));
    }
    TRY(lower_shlvl(sh));
    return as_ours(sh, args, spawn_exec(sh, name, path, argv));
}

static enum flow redirect_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    int option = args_option(sh, args, &flow);
    if (option != 0)
        return flow;
    if (args_left(args))
        return shell_fail(sh, ERROR_BUILTIN, 2, args->argv[0], "incorrect syntax: %s",
                          args_peek(args, 0));
    sh->status = 0;
    return FLOW_NEXT;
}

static const struct builtin_option exec_options[] = {
    { .letter = 'a', .argument = "name", .help = "the program is told that it is called so" },
    { .letter = 'c', .help = "an empty environment, but for assignments before exec" },
    { 0 },
};

const struct builtin_spec exec_spec = {
    .name = "exec",
    .flags = BUILTIN_SPECIAL | BUILTIN_NEEDS_PROCESS | BUILTIN_MAY_EXIT,
    .options = exec_options,
    .usage = "[command [arg ...]]",
    .summary = "replace the shell by a program, or make redirections that stay",
    .doc = "With a command the shell's process becomes that program; builtins and functions are "
           "not looked for. Without "
           "one the redirections stay in force. If the program cannot be run a script ends, with "
           "status 127 when it "
           "was not found and 126 otherwise.",
    .run = exec_run,
};

const struct builtin_spec redirect_spec = {
    .name = "redirect",
    .usage = "[redirection ...]",
    .summary = "make redirections that stay",
    .doc =
        "The same as exec without a command, but a redirection that fails does not end the script.",
    .run = redirect_run,
};
