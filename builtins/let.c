/* let: evaluate arithmetic expressions; the status tells whether the last was not 0. */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/arith/arith.h"
#include "shell/state/option.h"

/* set -o letoctal is about let alone. An error is let's, so that the script goes on. */
static enum flow evaluate(struct shell *sh, const struct args *args, const char *text,
                          struct num *ret)
{
    bool outer = sh->arith_let;
    sh->arith_let = true;
    enum flow flow = arith_eval(sh, text, strlen(text), ret);
    sh->arith_let = outer;
    if (flow != FLOW_ERROR || sh->err.kind != ERROR_EXPANSION)
        return flow;
    char why[sizeof sh->err.text];
    memcpy(why, sh->err.text, sizeof why);
    return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s", why);
}

static enum flow let_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    const char *first = args_peek(args, 0);
    /* An expression may begin with a minus sign before a number. */
    bool is_number = first && *first == '-' && strchr("0123456789.( ", first[1]) && first[1];
    if (!is_number && args_option(sh, args, &flow) != 0)
        return flow;
    if (args_left(args) == 0)
        return builtin_usage_error(sh, args, "an expression is expected");
    struct num value = num_int(0);
    for (const char *text; (text = args_peek(args, 0)); args->next++)
        TRY(evaluate(sh, args, text, &value));
    sh->status = !num_is_true(value);
    return FLOW_NEXT;
}

const struct builtin_spec let_spec = {
    .name = "let",
    .usage = "[expr ...]",
    .summary = "evaluate arithmetic expressions",
    .doc = "Evaluates each expression in turn. Returns 0 if the value of the last is not zero, 1 "
           "if it is.",
    .run = let_run,
};
