/*
 * fuzz_arith.c: bytes are an expression; it is compiled and run, twice, which must give the same
 * text or the same error. Nothing may be left: depth, level, scratch. Command substitutions give
 * nothing: what chance writes must not be run.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "shell/arith/arith.h"
#include "shell/exec/exec.h"
#include "shell/state/var.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds)
{
    if (!holds)
        __builtin_trap();
}

static enum flow capture_nothing(struct shell *sh, const struct command_sub *sub, struct str *ret)
{
    (void)sh, (void)sub, (void)ret;
    return FLOW_NEXT;
}

/* A shell with a few variables of each kind. */
static struct shell *make_shell(void)
{
    struct shell *sh = shell_new();
    require(sh && exec_init(sh) == FLOW_NEXT);
    sh->hooks.capture = capture_nothing;
    require(var_set_text(sh, "a", "3") == FLOW_NEXT && var_set_text(sh, "b", "a+1") == FLOW_NEXT);
    require(var_set_text(sh, "c", "d") == FLOW_NEXT && var_set_text(sh, "d", "c") == FLOW_NEXT);
    struct var_change change = { .set = VAR_ASSOC, .base = -1, .width = -1 };
    require(var_declare(sh, name_intern(sh, "m", 1), &change) == FLOW_NEXT);
    change.set = VAR_INTEGER;
    require(var_declare(sh, name_intern(sh, "i", 1), &change) == FLOW_NEXT);
    change.set = VAR_EXPONENT;
    require(var_declare(sh, name_intern(sh, "f", 1), &change) == FLOW_NEXT);
    return sh;
}

static void evaluate(struct shell *sh, const char *text, size_t len)
{
    struct num n;
    struct frame frame;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    frame_push(sh, &frame, FRAME_SUBSHELL);
    enum flow flow = arith_eval(sh, text, len, &n);
    require(flow == FLOW_NEXT || flow == FLOW_ERROR);
    require(sh->depth == 0 && sh->arith_level == 0);
    frame_pop(sh, &frame);
    mem_region_reset(sh->scratch, mark);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct shell *sh;
    if (!sh)
        sh = make_shell();
    evaluate(sh, (const char *)data, bytes);
    evaluate(sh, (const char *)data, bytes);
    return 0;
}
