/*
 * unset: forget variables, elements of arrays, functions.
 *
 * As in ksh93 a name that cannot be unset is reported and the others are still done; the script
 * goes on, with status 1. In the POSIX mode it is the error of a special builtin.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "builtins/operand.h"
#include "shell/state/func.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

enum what { WHAT_VARIABLE, WHAT_REFERENCE, WHAT_FUNCTION };

static enum flow unset_function(struct shell *sh, const struct args *args, const char *text)
{
    const size_t len = strlen(text);
    struct func *func = func_find_visible(sh, text, len);
    if (!func && !text_is_dotted_name(text, len))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: invalid function name", text);
    return func ? func_unset(sh, func->name) : FLOW_NEXT;
}

static enum flow unset_variable(struct shell *sh, const struct args *args, const char *text,
                                bool no_nameref)
{
    struct var_ref ref;
    size_t len = strlen(text);
    TRY(operand_ref(sh, args, text, len, &ref));
    TRY(var_unset(sh, &ref, no_nameref));
    bool is_space = *text == '.' && text_is_name(text + 1, len - 1);
    return is_space ? func_unset_below(sh, text, len) : FLOW_NEXT;
}

static enum flow unset_run(struct shell *sh, struct args *args)
{
    enum what what = WHAT_VARIABLE;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        what = option == 'f' ? WHAT_FUNCTION : option == 'n' ? WHAT_REFERENCE : WHAT_VARIABLE;
    }
    if (!args_left(args))
        return builtin_usage_error(sh, args, "name expected");
    int status = 0;
    for (size_t i = 0; i < args_left(args); i++) {
        const char *text = args_peek(args, i);
        if (what == WHAT_FUNCTION)
            flow = unset_function(sh, args, text);
        else
            flow = unset_variable(sh, args, text, what == WHAT_REFERENCE);
        if (flow == FLOW_ERROR && !option_on(sh, OPTION_RESTRICTED) &&
            !option_on(sh, OPTION_POSIX)) {
            shell_print_error(sh);
            status = sh->err.status;
        } else if (flow != FLOW_NEXT) {
            return flow;
        }
    }
    sh->status = status;
    return FLOW_NEXT;
}

static const struct builtin_option options[] = {
    { .letter = 'f', .help = "the names are those of functions" },
    { .letter = 'n', .help = "unset name references themselves, not what they refer to" },
    { .letter = 'v', .help = "the names are those of variables (the default)" },
    { 0 },
};

const struct builtin_spec unset_spec = {
    .name = "unset",
    .flags = BUILTIN_SPECIAL,
    .options = options,
    .usage = "name ...",
    .summary = "unset variables and functions",
    .doc = "Removes each variable, element of an array (name[subscript], name[@] for all of them) "
           "or function; with a name space .n go its functions. A name "
           "that is not set is no error; one that is read-only is.",
    .run = unset_run,
};
