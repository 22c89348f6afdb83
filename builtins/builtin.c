/*
 * builtin: list the builtins, switch them off and on, run one.
 *
 * All builtins are part of the program, so no others can be added: a name that was deleted comes
 * back, and those bound to a path get further names. Special builtins cannot be touched. A builtin
 * in use that arguments follow, none of which would come back, is run past the function of that
 * name, as in bash and mksh: there is nothing to switch on.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/exec/exec.h"
#include "shell/state/option.h"

static enum flow list(struct shell *sh, bool special_only)
{
    struct vec names;
    vec_init(&names, sh->heap);
    enum flow flow = builtin_names(sh, special_only, &names);
    for (size_t i = 0; i < names.count && flow == FLOW_NEXT; i++)
        out_printf(sh->out, "%s\n", (const char *)names.items[i]);
    vec_release(&names);
    return flow;
}

/* Switches NAME on or off; false, and reported, when that cannot be. */
static enum flow change(struct shell *sh, const struct args *args, const char *name, bool on,
                        bool *ret_ok)
{
    const struct builtin_spec *spec = builtin_find(name, strlen(name));
    bool found;
    *ret_ok = false;
    if (spec && (spec->flags & BUILTIN_SPECIAL)) {
        if (on)
            shell_warn(sh, args->argv[0], "%s: restricted name", name);
        else
            shell_warn(sh, args->argv[0], "cannot delete: %s is a special shell builtin", name);
        return FLOW_NEXT;
    }
    TRY(builtin_enable(sh, name, on, &found));
    if (found || !on)
        *ret_ok = true;
    else
        shell_warn(sh, args->argv[0], "%s: not found", name);
    return FLOW_NEXT;
}

/* Are the operands a builtin and its arguments? */
static bool is_call(struct shell *sh, const struct args *args)
{
    for (size_t i = 0; i < args_left(args); i++) {
        const char *name = args_peek(args, i);
        if ((i == 0 || builtin_find(name, strlen(name))) &&
            !builtin_enabled(sh, name, strlen(name)))
            return false;
    }
    return args_left(args) > 1;
}

static enum flow builtin_run(struct shell *sh, struct args *args)
{
    bool on = true, special_only = false, plain = true;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        plain = false;
        if (option == 'f')
            return builtin_usage_error(sh, args, "adding built-ins not supported");
        if (option == 'd')
            on = false;
        if (option == 's')
            special_only = true;
    }
    if (plain && is_call(sh, args))
        return exec_argv(sh, args_left(args), args->argv + args->next,
                         EXEC_NO_FUNCTION | EXEC_NOT_SPECIAL);
    sh->status = 0;
    if (!args_left(args))
        return list(sh, special_only);
    if (option_on(sh, OPTION_RESTRICTED))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "restricted");
    for (size_t i = 0; i < args_left(args); i++) {
        bool ok;
        TRY(change(sh, args, args_peek(args, i), on, &ok));
        if (!ok)
            sh->status = 1;
    }
    return FLOW_NEXT;
}

static const struct builtin_option options[] = {
    { .letter = 'd', .help = "delete the builtins, so that the names mean functions or files" },
    { .letter = 'f', .argument = "lib", .help = "not supported: load builtins from a library" },
    { .letter = 'l', .help = "no effect" },
    { .letter = 's', .help = "show only the special builtins" },
    { 0 },
};

const struct builtin_spec builtin_spec = {
    .name = "builtin",
    .options = options,
    .usage = "[name ...]",
    .summary = "list, delete, restore and run builtins",
    .doc = "Without names lists the builtins in use. Otherwise each name, which must be that of a "
           "builtin of this shell, is "
           "put back into use, or with -d out of it. Special builtins are always in use. Builtins "
           "listed by a path are found where the search along PATH comes by that path; their last "
           "part as name makes them known by it, and another path binds them to that as well. When "
           "the "
           "names are in use already, the first is run with what follows as its arguments.",
    .run = builtin_run,
};
