/*
 * : true false: do nothing, and say how it went.
 *
 * They take any arguments and look at none of them.
 */
#include "builtins/builtin.h"

static enum flow succeed(struct shell *sh, struct args *args)
{
    (void)args;
    sh->status = 0;
    return FLOW_NEXT;
}

static enum flow fail(struct shell *sh, struct args *args)
{
    (void)args;
    sh->status = 1;
    return FLOW_NEXT;
}

const struct builtin_spec colon_spec = {
    .name = ":",
    .flags = BUILTIN_SPECIAL | BUILTIN_RAW | BUILTIN_IDLE,
    .usage = "[arg ...]",
    .summary = "do nothing, successfully",
    .doc = "Expands its arguments, performs its redirections and returns 0.",
    .run = succeed,
};

const struct builtin_spec true_spec = {
    .name = "true",
    .flags = BUILTIN_RAW | BUILTIN_IDLE,
    .usage = "[arg ...]",
    .summary = "return 0",
    .doc = "Returns 0, whatever the arguments.",
    .run = succeed,
};

const struct builtin_spec false_spec = {
    .name = "false",
    .flags = BUILTIN_RAW,
    .usage = "[arg ...]",
    .summary = "return 1",
    .doc = "Returns 1, whatever the arguments.",
    .run = fail,
};
