/* Frames: ids, targets, order of undoing, keeping; scopes of ksh functions. */
#include "state_test.h"

static int order[8], order_count;

static void note(struct shell *sh, void *a, uintptr_t b)
{
    (void)sh;
    (void)a;
    order[order_count++] = (int)b;
}

static void test_newest_first(void **state)
{
    struct shell *sh = *state;
    struct frame frame;
    order_count = 0;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(frame_record_call(sh, &frame, note, NULL, i), FLOW_NEXT);
    assert_int_equal(frame_record_call(sh, NULL, note, NULL, 9), FLOW_NEXT);
    frame_pop(sh, &frame);
    assert_int_equal(order_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(order[i], 3 - i);
}

static void test_targets(void **state)
{
    struct shell *sh = *state;
    struct frame func, sub, command;
    assert_null(frame_target(sh, TARGET_GLOBAL));
    assert_null(frame_target(sh, TARGET_LOCAL));
    frame_push(sh, &func, FRAME_FUNC);
    assert_null(frame_target(sh, TARGET_GLOBAL));
    assert_ptr_equal(frame_target(sh, TARGET_LOCAL), &func);
    frame_push(sh, &sub, FRAME_SUBSHELL);
    frame_push(sh, &command, FRAME_CMD);
    assert_ptr_equal(frame_target(sh, TARGET_GLOBAL), &sub);
    assert_ptr_equal(frame_target(sh, TARGET_LOCAL), &sub);
    assert_ptr_equal(frame_target(sh, TARGET_CMD), &command);
    assert_true(command.id > sub.id && sub.id > func.id);
    frame_pop(sh, &command);
    frame_pop(sh, &sub);
    frame_pop(sh, &func);
}

/* A child process keeps what its frame did. */
static void test_keep(void **state)
{
    struct shell *sh = *state;
    struct frame frame;
    assert_set(sh, "x", "old");
    assert_int_equal(set_ref(sh, index_of(sh, "a", 0), "old"), FLOW_NEXT);
    frame_push(sh, &frame, FRAME_SUBSHELL);
    assert_set(sh, "x", "a new value that is in the heap region");
    assert_set(sh, "y", "new");
    struct var_ref ref = index_of(sh, "a", 0);
    assert_int_equal(set_ref(sh, index_of(sh, "a", 1), "new"), FLOW_NEXT);
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    frame_keep(sh, &frame);
    assert_null(frame.undo);
    assert_set(sh, "x", "newer");
    frame_pop(sh, &frame);
    assert_value(sh, "x", "newer");
    assert_value(sh, "y", "new");
    assert_string_equal(printed(sh, "a"), "typeset -a a=([1]=new)");
}

static void test_static_scope(void **state)
{
    struct shell *sh = *state;
    struct frame f, g, dot;
    assert_set(sh, "x", "global");
    frame_push(sh, &f, FRAME_FUNC);
    assert_int_equal(declare(sh, "x", 0, -1), FLOW_NEXT);
    assert_null(get(sh, "x"));
    assert_set(sh, "x", "local");
    frame_push(sh, &dot, FRAME_DOT); /* a POSIX function shares the scope */
    assert_value(sh, "x", "local");
    assert_int_equal(declare(sh, "y", 0, -1), FLOW_NEXT);
    assert_set(sh, "y", "of f");
    frame_pop(sh, &dot);
    assert_value(sh, "y", "of f");
    frame_push(sh, &g, FRAME_FUNC);
    assert_value(sh, "x", "global");
    assert_null(get(sh, "y"));
    assert_set(sh, "x", "changed");
    assert_set(sh, "y", "made in g");
    frame_pop(sh, &g);
    assert_value(sh, "x", "local");
    assert_value(sh, "y", "of f");
    struct var_ref ref = ref_of(sh, "x");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_null(get(sh, "x")); /* the global one does not shine through */
    frame_pop(sh, &f);
    assert_value(sh, "x", "changed");
    assert_value(sh, "y", "made in g");
}

static void test_exported_locals_are_copied(void **state)
{
    struct shell *sh = *state;
    struct frame call, f, g;
    assert_set(sh, "x", "global");
    frame_push(sh, &call, FRAME_CMD);
    assert_int_equal(var_set_name(sh, name_of(sh, "x"), "1", 1, ASSIGN_TEMP), FLOW_NEXT);
    frame_push(sh, &f, FRAME_FUNC);
    assert_value(sh, "x", "1");
    frame_push(sh, &g, FRAME_FUNC);
    assert_value(sh, "x", "1");
    assert_set(sh, "x", "5");
    frame_pop(sh, &g);
    assert_value(sh, "x", "1");
    assert_int_equal(declare(sh, "x", 0, -1), FLOW_NEXT); /* typeset x: the variable of the call */
    assert_value(sh, "x", "1");
    frame_pop(sh, &f);
    frame_pop(sh, &call);
    assert_value(sh, "x", "global");
}

static void test_locals_of_a_subshell(void **state)
{
    struct shell *sh = *state;
    struct frame f, sub;
    frame_push(sh, &f, FRAME_FUNC);
    assert_int_equal(declare(sh, "z", 0, -1), FLOW_NEXT);
    assert_set(sh, "z", "1");
    frame_push(sh, &sub, FRAME_SUBSHELL);
    assert_int_equal(declare(sh, "z", VAR_INTEGER, -1), FLOW_NEXT);
    assert_set(sh, "z", "2");
    assert_int_equal(declare(sh, "w", 0, -1), FLOW_NEXT);
    assert_set(sh, "w", "2");
    frame_pop(sh, &sub);
    assert_string_equal(printed(sh, "z"), "z=1");
    assert_null(get(sh, "w"));
    frame_pop(sh, &f);
}

static void test_readonly_global_local(void **state)
{
    struct shell *sh = *state;
    struct frame f;
    assert_set(sh, "r", "1");
    assert_int_equal(declare(sh, "r", VAR_READONLY, -1), FLOW_NEXT);
    frame_push(sh, &f, FRAME_FUNC);
    assert_int_equal(var_set_name(sh, name_of(sh, "r"), "5", 1, ASSIGN_LOCAL), FLOW_NEXT);
    assert_value(sh, "r", "5");
    frame_pop(sh, &f);
    assert_value(sh, "r", "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_newest_first),
        state_test(test_targets),
        state_test(test_keep),
        state_test(test_static_scope),
        state_test(test_exported_locals_are_copied),
        state_test(test_locals_of_a_subshell),
        state_test(test_readonly_global_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
