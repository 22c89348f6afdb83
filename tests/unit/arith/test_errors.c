/* Expressions that are none, values that cannot be, elements, and depth. */
#include "tests/unit/arith/arith_test.h"

static void test_messages(void **state)
{
    (void)state;
    static const struct check checks[] = {
        { "1+", "!1+: more tokens expected" },
        { "1 2", "!1 2: arithmetic syntax error" },
        { "(1", "!(1: unbalanced parenthesis" },
        { "1)", "!1): unbalanced parenthesis" },
        { "1?2", "!1?2: ':' expected for '?' operator" },
        { "5++", "!5++: assignment requires lvalue" },
        { "--5", "!--5: assignment requires lvalue" },
        { "x+1=2", "!x+1=2: assignment requires lvalue" },
        { "1/0", "!1/0: divide by zero" },
        { "5%0", "!5%0: divide by zero" },
        { "1.5<<2", "!1.5<<2: invalid floating point operation" },
        { "7%2.5", "!7%2.5: invalid floating point operation" },
        { "foo(1)", "!foo(1): unknown function" },
        { "pow(2)", "!pow(2): function has wrong number of arguments" },
        { "2#12", "!2#12: arithmetic syntax error" },
        { "0x", "!0x: arithmetic syntax error" },
        { "'ab'", "!'ab': arithmetic syntax error" },
        { "a[", "!a[: arithmetic syntax error" },
        { "a[x y]", "!x y: arithmetic syntax error" },
        { "$", "!$: arithmetic syntax error" },
        { "x**=2", "!x**=2: arithmetic syntax error" },
        { "h[1$Z$9][Z&&]", "!Z&&: more tokens expected" },
    };
    RUN(checks);
}

static void test_recursion(void **state)
{
    (void)state;
    set("a", "b");
    set("b", "a");
    set("c", "c+1");
    set("d", "nosuch");
    assert_non_null(strstr(eval("a"), "recursion too deep"));
    assert_non_null(strstr(eval("c"), "recursion too deep"));
    assert_string_equal(eval("d"), "0");
    assert_int_equal(sh->depth, 0);
    assert_int_equal(sh->arith_level, 0);
    assert_string_equal(eval("1"), "1");
}

static void test_unset(void **state)
{
    (void)state;
    assert_int_equal(option_set(sh, OPTION_NOUNSET, true), FLOW_NEXT);
    assert_string_equal(eval("nosuch+1"), "!nosuch: parameter not set");
    assert_string_equal(eval("nosuch++"), "!nosuch: parameter not set");
    assert_string_equal(eval("nosuch=1"), "1");
}

static void test_elements(void **state)
{
    (void)state;
    static const struct check checks[] = {
        { "a[2]=3", "3" }, { "a[i++]+=5", "5" },   { "i", "1" },
        { "a[2]++", "3" }, { "a[a[2]-4]", "5" },   { "a[-1]", "4" },
        { "++a[9]", "1" }, { "a[0]=a[1]=7", "7" }, { "a[0]+a[1]*a[2]", "35" },
    };
    RUN(checks);
    struct var_change change = { .set = VAR_ASSOC, .base = -1, .width = -1 };
    assert_int_equal(var_declare(sh, name_intern(sh, "m", 1), &change), FLOW_NEXT);
    static const struct check keys[] = {
        { "m[x y]=3", "3" }, { "m[x y]++", "3" }, { "m[\"x y\"]", "4" },
        { "m['x y']", "4" }, { "m[ x y]", "0" },  { "m[a]=1,m[a]", "1" },
        { "m[\\]]=5", "5" }, { "m[\\]]", "5" },   { "m[1+1]=6,m[2]", "0" },
    };
    RUN(keys);
}

/* Nesting of every kind, far beyond what is sensible: a message, never a crash. */
static void test_depth(void **state)
{
    (void)state;
    static const struct {
        const char *open, *middle, *close;
    } shapes[] = {
        { "(", "1", ")" },   { "-", "1", "" },    { "a[", "1", "]" },  { "abs(", "1", ")" },
        { "1?", "1", ":1" }, { "1?1:", "1", "" }, { "x=", "1", "" },   { "2**", "1", "" },
        { "!", "1", "" },    { "- -", "1", "" },  { "1+(", "1", ")" }, { "1&&", "1", "" },
        { "(", "", "" },     { "a[", "", "" },
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct str text;
        struct num n;
        str_init(&text, sh->heap);
        for (int k = 0; k < 10000; k++)
            str_append_z(&text, shapes[i].open);
        str_append_z(&text, shapes[i].middle);
        for (int k = 0; k < 10000; k++)
            str_append_z(&text, shapes[i].close);
        struct mem_mark mark = mem_region_mark(sh->scratch);
        enum flow flow = arith_eval(sh, text.data, text.len, &n);
        assert_true(flow == FLOW_NEXT || flow == FLOW_ERROR);
        mem_region_reset(sh->scratch, mark);
        str_release(&text);
    }
    assert_string_equal(eval("1+1"), "2");
}

static void test_nul(void **state)
{
    (void)state;
    struct num n;
    assert_int_equal(arith_eval(sh, "1\0", 2, &n), FLOW_ERROR);
    assert_int_equal(arith_eval(sh, "'\0'", 3, &n), FLOW_NEXT);
    assert_int_equal(arith_eval(sh, "x\0=1", 4, &n), FLOW_ERROR);
}

/* More different texts than the cache holds, and long ones. */
static void test_cache(void **state)
{
    (void)state;
    char text[600];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2000; i++) {
            struct num n;
            int len = snprintf(text, sizeof text, "%d+%d", i, i);
            assert_int_equal(arith_eval(sh, text, (size_t)len, &n), FLOW_NEXT);
            assert_int_equal(n.i, 2 * i);
        }
    }
    memset(text, ' ', sizeof text);
    memcpy(text + sizeof text - 4, "1+1", 4);
    assert_string_equal(eval(text), "2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_messages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_recursion, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unset, setup, teardown),
        cmocka_unit_test_setup_teardown(test_elements, setup, teardown),
        cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nul, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cache, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
