/* Arrays inside of arrays. */
#include "state_test.h"

#include <stdio.h>

/* NAME[FIRST][SECOND] of indices. */
static struct var_ref two(struct shell *sh, const char *name, int64_t first, struct ref_step *step,
                          int64_t second)
{
    struct var_ref ref = index_of(sh, name, first);
    *step = (struct ref_step){ .kind = REF_INDEX, .index = second };
    ref.steps = step;
    ref.step_count = 1;
    return ref;
}

static enum flow set_two(struct shell *sh, const char *name, int64_t first, int64_t second,
                         const char *text)
{
    struct ref_step step;
    return set_ref(sh, two(sh, name, first, &step, second), text);
}

static const char *get_two(struct shell *sh, const char *name, int64_t first, int64_t second)
{
    struct ref_step step;
    return get_ref(sh, two(sh, name, first, &step, second));
}

static void test_matrix(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(set_two(sh, "m", 0, 0, "a"), FLOW_NEXT);
    assert_int_equal(set_two(sh, "m", 0, 1, "b"), FLOW_NEXT);
    assert_int_equal(set_two(sh, "m", 1, 0, "c"), FLOW_NEXT);
    assert_string_equal(printed(sh, "m"), "typeset -a m=((a b) (c) )");
    assert_string_equal(get_two(sh, "m", 0, 1), "b");
    assert_string_equal(get_two(sh, "m", -2, -1), "b");
    assert_null(get_two(sh, "m", 0, 7));
    assert_null(get_two(sh, "m", 7, 0));
    assert_value(sh, "m", "a");
    assert_string_equal(get_ref(sh, index_of(sh, "m", 1)), "c");
    assert_int_equal(set_ref(sh, index_of(sh, "m", 0), "x"), FLOW_NEXT);
    assert_string_equal(printed(sh, "m"), "typeset -a m=((x b) (c) )");
    assert_int_equal(var_count(sh, name_of(sh, "m")), 2);
    struct ref_step all = { .kind = REF_ALL, .all = '@' };
    struct var_ref row = index_of(sh, "m", 0);
    row.steps = &all;
    row.step_count = 1;
    assert_int_equal(var_count_in(sh, &row), 2);
    assert_int_equal(var_next_index_in(sh, &row), 2);
    assert_string_equal(get_ref(sh, row), "x b");
    struct var_cursor cursor = { 0 };
    struct var_item item;
    assert_true(var_next_in(sh, &row, &cursor, &item));
    assert_string_equal(item.text, "x");
    assert_true(var_next_in(sh, &row, &cursor, &item));
    assert_int_equal(item.index, 1);
    assert_false(var_next_in(sh, &row, &cursor, &item));
    assert_int_equal(var_unset(sh, &row, false), FLOW_NEXT);
    assert_string_equal(printed(sh, "m"), "typeset -a m=(() (c) )");
}

static void test_scalar_becomes_array(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(set_ref(sh, index_of(sh, "a", 2), "s"), FLOW_NEXT);
    assert_int_equal(set_two(sh, "a", 2, 3, "t"), FLOW_NEXT);
    assert_string_equal(printed(sh, "a"), "typeset -a a=(typeset -a [2]=([0]=s [3]=t) )");
    assert_set(sh, "b", "plain");
    assert_int_equal(set_two(sh, "b", 0, 1, "u"), FLOW_NEXT);
    assert_string_equal(printed(sh, "b"), "typeset -a b=((plain u) )");
    struct ref_step step;
    struct var_ref ref = two(sh, "b", 0, &step, 0);
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_string_equal(printed(sh, "b"), "typeset -a b=(([1]=u) )");
}

static void test_keys_inside(void **state)
{
    struct shell *sh = *state;
    int64_t next;
    bool takes_key;
    assert_int_equal(declare(sh, "z", VAR_ASSOC, -1), FLOW_NEXT);
    struct var_ref one = key_of(sh, "z", "one");
    assert_int_equal(var_begin_array_in(sh, &one, VAR_ASSOC, ASSIGN_APPEND, &next), FLOW_NEXT);
    assert_string_equal(printed(sh, "z"), "typeset -A z=([one]=() )");
    assert_int_equal(var_takes_key(sh, &one, &takes_key), FLOW_NEXT);
    assert_true(takes_key);
    struct var_ref two_ref = key_of(sh, "z", "two");
    assert_int_equal(var_takes_key(sh, &two_ref, &takes_key), FLOW_NEXT);
    assert_false(takes_key);
    struct ref_step k = { .kind = REF_KEY, .key = "k", .key_len = 1 };
    one.steps = &k;
    one.step_count = 1;
    assert_int_equal(set_ref(sh, one, "v"), FLOW_NEXT);
    assert_string_equal(printed(sh, "z"), "typeset -A z=([one]=([k]=v) )");
    assert_string_equal(get_ref(sh, one), "v");
}

static void test_subshell(void **state)
{
    struct shell *sh = *state;
    struct frame frame;
    int64_t next;
    for (int i = 0; i < 3; i++)
        assert_int_equal(set_two(sh, "g", 0, i, "row"), FLOW_NEXT);
    assert_int_equal(set_two(sh, "g", 1, 0, "a long text that lives in the heap"), FLOW_NEXT);
    char before[200];
    snprintf(before, sizeof before, "%s", printed(sh, "g"));
    frame_push(sh, &frame, FRAME_SUBSHELL);
    assert_int_equal(set_two(sh, "g", 0, 1, "sub"), FLOW_NEXT);
    assert_int_equal(set_two(sh, "g", 5, 5, "new"), FLOW_NEXT);
    struct var_ref row = index_of(sh, "g", 1);
    assert_int_equal(var_begin_array_in(sh, &row, 0, 0, &next), FLOW_NEXT);
    assert_string_equal(
        printed(sh, "g"),
        "typeset -a g=([0]=(row sub row) typeset -a [1]=() typeset -a [5]=([5]=new) )");
    assert_int_equal(var_unset(sh, &row, false), FLOW_NEXT);
    frame_pop(sh, &frame);
    assert_string_equal(printed(sh, "g"), before);
}

static void test_attributes_reach_inside(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(set_two(sh, "i", 0, 0, "5"), FLOW_NEXT);
    assert_int_equal(declare(sh, "i", VAR_INTEGER, -1), FLOW_NEXT);
    struct ref_step step;
    struct var_ref ref = two(sh, "i", 0, &step, 0);
    assert_int_equal(var_set(sh, &ref, "3", 1, ASSIGN_APPEND), FLOW_NEXT);
    struct num n;
    assert_int_equal(var_get_num(sh, &ref, &n), FLOW_NEXT);
    assert_int_equal(n.i, 8);
    assert_string_equal(printed(sh, "i"), "typeset -a -i i=((8) )");
}

static void test_reference_to_a_row(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(set_two(sh, "g", 1, 0, "4"), FLOW_NEXT);
    assert_int_equal(set_two(sh, "g", 1, 1, "5"), FLOW_NEXT);
    struct var_change change = { .set = VAR_NAMEREF, .base = -1, .width = -1 };
    change.nameref_target = name_of(sh, "g");
    change.nameref_rest = "[1]";
    assert_int_equal(var_declare(sh, name_of(sh, "r"), &change), FLOW_NEXT);
    assert_value(sh, "r", "4");
    assert_string_equal(get_ref(sh, index_of(sh, "r", 1)), "5");
    assert_int_equal(set_ref(sh, index_of(sh, "r", 1), "x"), FLOW_NEXT);
    assert_string_equal(get_two(sh, "g", 1, 1), "x");
    assert_int_equal(var_count(sh, name_of(sh, "r")), 2);
}

static void test_too_deep(void **state)
{
    struct shell *sh = *state;
    struct ref_step steps[REF_STEPS_MAX + 1];
    for (int i = 0; i <= REF_STEPS_MAX; i++)
        steps[i] = (struct ref_step){ .kind = REF_INDEX, .index = 1 };
    struct var_ref ref = index_of(sh, "d", 1);
    ref.steps = steps;
    ref.step_count = REF_STEPS_MAX;
    assert_int_equal(set_ref(sh, ref, "deep"), FLOW_NEXT);
    assert_string_equal(get_ref(sh, ref), "deep");
    ref.step_count++;
    assert_fails(sh, set_ref(sh, ref, "deeper"), "d: too many subscripts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_matrix),
        state_test(test_scalar_becomes_array),
        state_test(test_keys_inside),
        state_test(test_subshell),
        state_test(test_attributes_reach_inside),
        state_test(test_reference_to_a_row),
        state_test(test_too_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
