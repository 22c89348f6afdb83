/*
 * break, continue: leave loops, or go on with their next turn.
 *
 * Outside of loops both do nothing. A count larger than the number of loops around means all of
 * them.
 */
#include <string.h>

#include "builtins/builtin.h"

static enum flow leave_loops(struct shell *sh, struct args *args, enum flow how)
{
    enum flow flow = FLOW_NEXT;
    if (args_option(sh, args, &flow) != 0)
        return flow;
    int64_t count = 1;
    const char *operand = args_peek(args, 0);
    if (operand && (!num_parse_int(operand, strlen(operand), &count) || count < 1))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad number", operand);
    sh->status = 0;
    if (sh->loop_depth == 0)
        return FLOW_NEXT;
    sh->loop_count = count < sh->loop_depth ? (uint32_t)count : sh->loop_depth;
    return how;
}

static enum flow break_run(struct shell *sh, struct args *args)
{
    return leave_loops(sh, args, FLOW_BREAK);
}

static enum flow continue_run(struct shell *sh, struct args *args)
{
    return leave_loops(sh, args, FLOW_CONTINUE);
}

const struct builtin_spec break_spec = {
    .name = "break",
    .flags = BUILTIN_SPECIAL,
    .usage = "[n]",
    .summary = "leave a loop",
    .doc = "Leaves the n innermost enclosing for, while, until or select loops; 1 by default.",
    .run = break_run,
};

const struct builtin_spec continue_spec = {
    .name = "continue",
    .flags = BUILTIN_SPECIAL,
    .usage = "[n]",
    .summary = "go on with the next turn of a loop",
    .doc = "Goes on with the next turn of the n-th enclosing loop, counted from the innermost; 1 "
           "by default.",
    .run = continue_run,
};
