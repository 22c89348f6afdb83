/* shift: drop the first positional parameters. The count is an arithmetic expression. */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/arith/arith.h"
#include "shell/state/param.h"

static enum flow shift_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    if (args_option(sh, args, &flow) != 0)
        return flow;
    int64_t count = 1;
    const char *operand = args_peek(args, 0);
    if (operand)
        TRY(arith_eval_int(sh, operand, strlen(operand), &count));
    if (count < 0 || (uint64_t)count > sh->params->count)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad number",
                          operand ? operand : "1");
    sh->status = 0;
    return param_shift(sh, (size_t)count);
}

const struct builtin_spec shift_spec = {
    .name = "shift",
    .flags = BUILTIN_SPECIAL,
    .usage = "[n]",
    .summary = "drop positional parameters",
    .doc = "Drops the first n positional parameters, by default one; the others move down. n is an "
           "arithmetic expression and must not be greater than $#.",
    .run = shift_run,
};
