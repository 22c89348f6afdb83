/* typeset -p and lists of names. */
#include "state_test.h"

static void check(struct shell *sh, uint32_t attrs, int number, const char *value,
                  const char *expected)
{
    struct var_ref ref = ref_of(sh, "v");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_int_equal(declare(sh, "v", attrs, number), FLOW_NEXT);
    if (value)
        assert_set(sh, "v", value);
    assert_string_equal(printed(sh, "v"), expected);
}

static void test_attributes(void **state)
{
    struct shell *sh = *state;
    check(sh, 0, -1, "b c", "v='b c'");
    check(sh, VAR_EXPORT, -1, NULL, "typeset -x v");
    check(sh, VAR_EXPORT | VAR_INTEGER, -1, "3", "typeset -x -i v=3");
    check(sh, VAR_INTEGER, 16, "255", "typeset -i 16 v=16#ff");
    check(sh, VAR_INTEGER, 10, "255", "typeset -i v=255");
    check(sh, VAR_INTEGER | VAR_SHORT | VAR_UNSIGNED, -1, "1", "typeset -s -u -i v=1");
    check(sh, VAR_INTEGER | VAR_LONG | VAR_UNSIGNED, -1, "1", "typeset -l -u -i v=1");
    check(sh, VAR_FIXED, -1, "1.5", "typeset -F v=1.5000000000");
    check(sh, VAR_FIXED, 3, "1.5", "typeset -F 3 v=1.500");
    check(sh, VAR_EXPONENT, -1, "1.5", "typeset -E v=1.5");
    check(sh, VAR_EXPONENT | VAR_LONG, 25, "1.5", "typeset -l -E 25 v=1.5");
    check(sh, VAR_HEXFLOAT, 4, "1.5", "typeset -X 4 v=0x1.8000p+0");
    check(sh, VAR_UPPER, -1, "a", "typeset -u v=A");
    check(sh, VAR_LOWER | VAR_TAG, -1, "A", "typeset -t -l v=a");
    check(sh, VAR_LEFT, 5, "ab", "typeset -L 5 v='ab   '");
    check(sh, VAR_RIGHT, -1, NULL, "typeset -R 0 v");
    check(sh, VAR_ZERO, 5, "42", "typeset -Z 5 -R 5 v=00042");
    check(sh, VAR_BINARY | VAR_EXPORT, -1, "YWJj", "typeset -x -b v=YWJj");
    check(sh, VAR_HOST, -1, "/tmp", "typeset -H v=/tmp");
    check(sh, VAR_INDEXED, -1, NULL, "typeset -a v");
    check(sh, VAR_ASSOC, -1, NULL, "typeset -A v=()");
    check(sh, VAR_INDEXED | VAR_INTEGER, -1, "1", "typeset -a -i v=(1)");
    check(sh, VAR_ASSOC | VAR_INTEGER, -1, "1", "typeset -A -i v=([0]=1)");
    check(sh, 0, -1, NULL, "");
}

static void test_arrays(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(set_ref(sh, index_of(sh, "s", 3), "x"), FLOW_NEXT);
    assert_string_equal(printed(sh, "s"), "typeset -a s=([3]=x)");
    struct var_ref ref = index_of(sh, "s", 3);
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_string_equal(printed(sh, "s"), "typeset -a s=()");
    assert_int_equal(set_ref(sh, index_of(sh, "s", 0), ""), FLOW_NEXT);
    assert_int_equal(set_ref(sh, index_of(sh, "s", 1), "3 4"), FLOW_NEXT);
    assert_string_equal(printed(sh, "s"), "typeset -a s=('' '3 4')");
    assert_int_equal(declare(sh, "m", VAR_ASSOC, -1), FLOW_NEXT);
    assert_int_equal(set_ref(sh, key_of(sh, "m", ""), "e"), FLOW_NEXT);
    assert_int_equal(set_ref(sh, key_of(sh, "m", "$"), "4"), FLOW_NEXT);
    assert_string_equal(printed(sh, "m"), "typeset -A m=(['']=e ['$']=4)");
}

static void test_names_in_order(void **state)
{
    struct shell *sh = *state;
    struct name **names;
    size_t count;
    assert_set(sh, "zebra", "1");
    assert_set(sh, "apple", "1");
    assert_set(sh, "gone", "1");
    struct var_ref gone = ref_of(sh, "gone");
    assert_int_equal(var_unset(sh, &gone, false), FLOW_NEXT);
    assert_int_equal(declare(sh, "out", VAR_EXPORT, -1), FLOW_NEXT);
    assert_int_equal(var_list(sh, 0, &names, &count), FLOW_NEXT);
    int apple = -1, zebra = -1;
    for (size_t i = 0; i < count; i++) {
        assert_string_not_equal(names[i]->text, "gone");
        apple = strcmp(names[i]->text, "apple") == 0 ? (int)i : apple;
        zebra = strcmp(names[i]->text, "zebra") == 0 ? (int)i : zebra;
        if (i > 0)
            assert_true(strcmp(names[i - 1]->text, names[i]->text) < 0);
    }
    assert_true(apple >= 0 && zebra > apple);
    assert_int_equal(var_list(sh, VAR_EXPORT, &names, &count), FLOW_NEXT);
    assert_int_equal(count, 1);
    assert_string_equal(names[0]->text, "out");
}

int main(void)
{
    const struct CMUnitTest tests[] = { state_test(test_attributes), state_test(test_arrays),
                                        state_test(test_names_in_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
