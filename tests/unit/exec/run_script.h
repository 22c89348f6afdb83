/* Fixture of the executor's tests: a fresh shell that runs text in this process, its standard
 * output caught. */
#ifndef TEST_RUN_SCRIPT_H
#define TEST_RUN_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/exec/exec.h"
#include "shell/exec/trap.h"
#include "shell/stack.h"
#include "shell/state/alias.h"
#include "shell/state/cwd.h"
#include "shell/state/env.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

static struct shell *test_shell(void)
{
    static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    static char *environment[] = { path, NULL };
    struct shell *sh = shell_new();
    assert_non_null(sh);
    assert_int_equal(exec_init(sh), FLOW_NEXT);
    sh->arg0 = "test";
    assert_int_equal(env_import(sh, environment), FLOW_NEXT);
    assert_int_equal(cwd_init(sh), FLOW_NEXT);
    assert_int_equal(alias_init(sh), FLOW_NEXT);
    traps_init(sh);
    return sh;
}

static void test_shell_end(struct shell *sh)
{
    exec_release(sh);
    shell_free(sh);
}

/* Runs SCRIPT in SH; its output goes to OUT. Returns how it ended. */
static enum flow script_run(struct shell *sh, const char *script, struct str *out)
{
    struct frame frame;
    frame_push(sh, &frame, FRAME_CMD);
    assert_int_equal(fdtab_capture(sh, &frame, out), FLOW_NEXT);
    struct source source;
    source_init_text(&source, "test", script, strlen(script));
    enum flow flow = exec_source(sh, &source);
    source_release(&source);
    if (flow == FLOW_ERROR)
        shell_print_error(sh);
    fdtab_capture_drain(sh, NULL);
    frame_pop(sh, &frame);
    return flow;
}

/* A script, what it prints, and its exit status. */
struct script_case {
    const char *script, *output;
    int status;
};

static void scripts_check(const struct script_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct shell *sh = test_shell();
        struct str out;
        str_init(&out, sh->heap);
        (void)script_run(sh, cases[i].script, &out);
        if (strcmp(str_text(&out), cases[i].output) != 0 || sh->status != cases[i].status)
            fail_msg("script: %s\ngot: %s\nstatus %d\nwanted: %s\nstatus %d", cases[i].script,
                     str_text(&out), sh->status, cases[i].output, cases[i].status);
        str_release(&out);
        assert_ptr_equal(sh->frame, sh->base_frame);
        assert_int_equal(sh->depth, 0);
        assert_int_equal(sh->condition_depth, 0);
        test_shell_end(sh);
    }
}
/* The tests of CTX need the big stack of the shell. */
struct test_group {
    const struct CMUnitTest *tests;
    size_t count;
};
static int test_group_run(void *ctx, const char *floor)
{
    const struct test_group *group = ctx;
    (void)floor;
    return _cmocka_run_group_tests("exec", group->tests, group->count, NULL, NULL);
}
#define SCRIPTS_CHECK(cases) scripts_check(cases, sizeof(cases) / sizeof *(cases))

#endif
