/* Values of expressions. Answers are ksh93's. */
#include "tests/unit/arith/arith_test.h"

static void test_integers(void **state)
{
    (void)state;
    static const struct check checks[] = {
        { "", "0" },
        { "  \n", "0" },
        { "2+3*4", "14" },
        { "(2+3)*4", "20" },
        { "7/2", "3" },
        { "-7/2", "-3" },
        { "-7%3", "-1" },
        { "2**10", "1024" },
        { "-2**2", "4" },
        { "2**3**2", "512" },
        { "1<<63", "-9223372036854775808" },
        { "-1>>1", "-1" },
        { "6&3|8^1", "11" },
        { "~5", "-6" },
        { "!5+1", "1" },
        { "- -3", "3" },
        { "3>2>1", "0" },
        { "1&1==1", "1" },
        { "1?2:3,4", "4" },
        { "0?2:0?5:6", "6" },
        { "9223372036854775807", "9223372036854775807" },
        { "-9223372036854775807-1", "-9223372036854775808" },
        { "(-9223372036854775807-1)%-1", "0" },
        { "\"3\" + 4", "7" },
    };
    RUN(checks);
}

static void test_floats(void **state)
{
    (void)state;
    static const struct check checks[] = {
        { "1/3.", "0.333333333333333333" },
        { "0.1+0.2", "0.3" },
        { "1e18", "1000000000000000000" },
        { "1e20", "1e+20" },
        { "9223372036854775807+1", "9.22337203685477581e+18" },
        { "(-9223372036854775807-1)/-1", "9.22337203685477581e+18" },
        { "2**-1", "0.5" },
        { "2**64", "1.84467440737095516e+19" },
        { "1/0.", "inf" },
        { "-1/0.", "-inf" },
        { "-0.0", "-0" },
        { "1==1.0", "1" },
        { "7.5%2", "1" },
        { "!0.5", "0" },
        { "1.5&&2", "1" },
        { "0x1.8p1", "3" },
        { ".5+5.", "5.5" },
    };
    RUN(checks);
}

static void test_constants(void **state)
{
    (void)state;
    static const struct check checks[] = {
        { "0xff", "255" },   { "16#ff", "255" }, { "2#1010", "10" }, { "36#zz", "1295" },
        { "64#@_", "4031" }, { "010", "10" },    { "09", "9" },      { "'A'", "65" },
        { "'a'+1", "98" },   { "'\\n'", "10" },  { "'\\\\'", "92" }, { "inf", "inf" },
        { "1e3", "1000" },
    };
    RUN(checks);
    assert_int_equal(option_set(sh, OPTION_POSIX, true), FLOW_NEXT);
    assert_string_equal(eval("010"), "8");
    assert_string_equal(eval("018"), "18");
    assert_int_equal(option_set(sh, OPTION_POSIX, false), FLOW_NEXT);
    assert_string_equal(eval("010"), "10");
}

static void test_functions(void **state)
{
    (void)state;
    static const struct check checks[] = {
        { "sqrt(16)", "4" },        { "int(-3.7)", "-3" },   { "int(7.5)/2", "3.5" },
        { "pow(2,8)", "256" },      { "fma(1,2,3)", "5" },   { "ldexp(1,3)", "8" },
        { "isnan(nan)", "1" },      { "atan2(0,1)", "0" },   { "floor(2.5)", "2" },
        { "copysign(1,-2)", "-1" }, { "hypot(3,4)+1", "6" },
    };
    RUN(checks);
    for (size_t i = 0; arith_function_at(i + 1); i++)
        assert_true(strcmp(arith_function_at(i), arith_function_at(i + 1)) < 0);
}

static void test_variables(void **state)
{
    (void)state;
    set("a", "b+1");
    set("b", "2");
    set("e", "");
    set("s", " 5 ");
    static const struct check checks[] = {
        { "a*2", "6" },
        { "x=5", "5" },
        { "x++", "5" },
        { "++x", "7" },
        { "x--", "7" },
        { "x+=y=3", "9" },
        { "x<<=2", "36" },
        { "x%=5", "1" },
        { "s", "5" },
        { "e+1", "1" },
        { "nosuch", "0" },
        { "f=2.5", "2.5" },
        { "f++", "2.5" },
        { "f", "3.5" },
        { "x=1,x++ + ++x", "4" },
        { "1||(q=1)", "1" },
        { "0&&(q=1)", "0" },
        { "1?0:(q=1)", "0" },
        { "big=99999999999999", "99999999999999" },
        { "++big", "100000000000000" },
        { "-big", "-100000000000000" },
    };
    RUN(checks);
    assert_string_equal(get("q"), "(unset)");
    assert_string_equal(get("f"), "3.5");
    assert_string_equal(get("big"), "100000000000000");
}

static void test_integer_variables(void **state)
{
    (void)state;
    struct name *name = name_intern(sh, "n", 1);
    struct var_change change = { .set = VAR_INTEGER, .base = 16, .width = -1 };
    assert_int_equal(var_declare(sh, name, &change), FLOW_NEXT);
    assert_string_equal(eval("n=3.9"), "3");
    assert_string_equal(eval("n=255"), "255");
    assert_string_equal(get("n"), "16#ff");
    assert_string_equal(eval("n=9223372036854775807,n++,n"), "-9223372036854775808");
}

/* Warm integer arithmetic must not allocate. */
static void test_no_allocation(void **state)
{
    (void)state;
    struct num n;
    struct mem_stats before, after;
    set("i", "1");
    eval("i++");
    mem_region_stats(sh->heap, &before);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(arith_eval(sh, "i++", 3, &n), FLOW_NEXT);
    mem_region_stats(sh->heap, &after);
    assert_int_equal(before.alloc_count, after.alloc_count);
    assert_string_equal(get("i"), "1002");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_integers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_floats, setup, teardown),
        cmocka_unit_test_setup_teardown(test_constants, setup, teardown),
        cmocka_unit_test_setup_teardown(test_functions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_variables, setup, teardown),
        cmocka_unit_test_setup_teardown(test_integer_variables, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_allocation, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
