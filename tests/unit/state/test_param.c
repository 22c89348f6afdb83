/* Positional parameters: set, shift, calls, subshells. */
#include "state_test.h"

#include "shell/state/param.h"

static const char *const abc[] = { "a", "b", "c", NULL };
static const char *const xy[] = { "x", "y", NULL };

/* The parameters joined with blanks. */
static void expect(struct shell *sh, const char *wanted)
{
    struct str s;
    str_init(&s, sh->heap);
    for (size_t i = 1; i <= sh->params->count; i++) {
        if (i > 1)
            str_putc(&s, ' ');
        str_append_z(&s, param_get(sh, i));
    }
    assert_string_equal(str_text(&s), wanted);
    assert_null(param_get(sh, sh->params->count + 1));
    str_release(&s);
}

static void test_set_and_shift(void **state)
{
    struct shell *sh = *state;
    sh->arg0 = "name";
    expect(sh, "");
    assert_int_equal(param_set(sh, 3, abc), FLOW_NEXT);
    expect(sh, "a b c");
    assert_string_equal(param_get(sh, 0), "name");
    assert_int_equal(param_shift(sh, 2), FLOW_NEXT);
    expect(sh, "c");
    /* From itself, as `set -- "$@" x` does. */
    const char *again[] = { param_get(sh, 1), "x", param_get(sh, 1) };
    assert_int_equal(param_set(sh, 3, again), FLOW_NEXT);
    expect(sh, "c x c");
    assert_int_equal(param_set(sh, 0, abc), FLOW_NEXT);
    expect(sh, "");
}

static void test_subshell(void **state)
{
    struct shell *sh = *state;
    struct frame outer, inner;
    assert_int_equal(param_set(sh, 3, abc), FLOW_NEXT);
    frame_push(sh, &outer, FRAME_SUBSHELL);
    assert_int_equal(param_shift(sh, 1), FLOW_NEXT);
    frame_push(sh, &inner, FRAME_SUBSHELL);
    assert_int_equal(param_shift(sh, 1), FLOW_NEXT);
    assert_int_equal(param_set(sh, 2, xy), FLOW_NEXT);
    assert_int_equal(param_shift(sh, 1), FLOW_NEXT);
    expect(sh, "y");
    frame_pop(sh, &inner);
    expect(sh, "b c");
    assert_int_equal(param_set(sh, 2, xy), FLOW_NEXT);
    frame_pop(sh, &outer);
    expect(sh, "a b c");
}

static void test_call(void **state)
{
    struct shell *sh = *state;
    struct frame subshell;
    struct params params, *outer;
    assert_int_equal(param_set(sh, 3, abc), FLOW_NEXT);
    param_enter(sh, &params, 2, xy, &outer);
    assert_int_equal(param_shift(sh, 1), FLOW_NEXT);
    expect(sh, "y");
    frame_push(sh, &subshell, FRAME_SUBSHELL);
    assert_int_equal(param_set(sh, 1, abc), FLOW_NEXT);
    expect(sh, "a");
    frame_pop(sh, &subshell);
    expect(sh, "y");
    assert_int_equal(param_set(sh, 3, abc), FLOW_NEXT);
    expect(sh, "a b c");
    assert_int_equal(param_shift(sh, 3), FLOW_NEXT);
    param_leave(sh, outer);
    expect(sh, "a b c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_set_and_shift),
        state_test(test_subshell),
        state_test(test_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
