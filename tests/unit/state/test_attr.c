/* What attributes make of values; the right answers are ksh93's. */
#include "state_test.h"

#include <locale.h>

#include "shell/base/utf8.h"

static const char *shown(struct shell *sh, uint32_t attrs, int number, const char *text)
{
    struct var_ref ref = ref_of(sh, "x");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_int_equal(declare(sh, "x", attrs, number), FLOW_NEXT);
    assert_set(sh, "x", text);
    return get(sh, "x");
}

static void test_integers(void **state)
{
    struct shell *sh = *state;
    assert_string_equal(shown(sh, VAR_INTEGER, -1, "16#ff"), "255");
    assert_string_equal(shown(sh, VAR_INTEGER, 16, "255"), "16#ff");
    assert_string_equal(shown(sh, VAR_INTEGER, 16, "-26"), "-16#1a");
    assert_string_equal(shown(sh, VAR_INTEGER, 2, "-5"), "-2#101");
    assert_string_equal(shown(sh, VAR_INTEGER, 36, "35"), "36#z");
    assert_string_equal(shown(sh, VAR_INTEGER, 64, "63"), "64#_");
    assert_string_equal(shown(sh, VAR_INTEGER, -1, "010"), "10");
    assert_string_equal(shown(sh, VAR_INTEGER, -1, " 7 "), "7");
    assert_string_equal(shown(sh, VAR_INTEGER, -1, ""), "0");
    assert_string_equal(shown(sh, VAR_INTEGER, -1, "3.9"), "3");
    assert_string_equal(shown(sh, VAR_INTEGER, -1, "-3.9"), "-3");
    assert_string_equal(shown(sh, VAR_INTEGER, -1, "1e3"), "1000");
    assert_string_equal(shown(sh, VAR_INTEGER, -1, "inf"), "0");
    assert_string_equal(shown(sh, VAR_INTEGER | VAR_LONG, -1, "5000000000"), "5000000000");
    assert_string_equal(shown(sh, VAR_INTEGER | VAR_SHORT, -1, "70000"), "4464");
    assert_string_equal(shown(sh, VAR_INTEGER | VAR_UNSIGNED, -1, "-1"), "4294967295");
    assert_string_equal(shown(sh, VAR_INTEGER | VAR_UNSIGNED | VAR_LONG, -1, "-1"),
                        "18446744073709551615");
    assert_string_equal(shown(sh, VAR_INTEGER | VAR_UNSIGNED | VAR_LONG, 16, "-1"),
                        "16#ffffffffffffffff");
    assert_string_equal(shown(sh, VAR_INTEGER | VAR_UNSIGNED | VAR_SHORT, -1, "-1"), "65535");
}

static void test_floats(void **state)
{
    struct shell *sh = *state;
    assert_string_equal(shown(sh, VAR_FIXED, -1, "1.5"), "1.5000000000");
    assert_string_equal(shown(sh, VAR_FIXED, 3, "1.5"), "1.500");
    assert_string_equal(shown(sh, VAR_FIXED, 0, "1.5"), "2");
    assert_string_equal(shown(sh, VAR_EXPONENT, -1, "1.5"), "1.5");
    assert_string_equal(shown(sh, VAR_EXPONENT, 3, "123456"), "1.23e+05");
    assert_string_equal(shown(sh, VAR_EXPONENT, -1, "1e20"), "1e+20");
    assert_string_equal(shown(sh, VAR_EXPONENT, -1, "1e-7"), "1e-07");
    assert_string_equal(shown(sh, VAR_EXPONENT, 20, "1.1"), "1.1");
    assert_string_equal(shown(sh, VAR_EXPONENT | VAR_LONG, 25, "1.123456789012345678901"),
                        "1.12345678901234568");
    assert_string_equal(shown(sh, VAR_HEXFLOAT, 4, "1.5"), "0x1.8000p+0");
    assert_string_equal(shown(sh, VAR_EXPONENT, -1, "-inf"), "-inf");
    assert_string_equal(shown(sh, VAR_FIXED, -1, "nan"), "nan");
    assert_string_equal(shown(sh, VAR_FIXED, 20, "1.1"), "1.10000000000000000000");
    assert_string_equal(shown(sh, VAR_FIXED, 0, "2.5"), "3");
    assert_string_equal(shown(sh, VAR_FIXED, 2, "-0.125"), "-0.13");
    assert_string_equal(shown(sh, VAR_FIXED | VAR_SHORT, -1, "1.1"), "1.1000000000");
    /* Precision is for showing only. */
    assert_string_equal(shown(sh, VAR_FIXED, 2, "0.333333"), "0.33");
    assert_int_equal(declare(sh, "x", VAR_FIXED, 5), FLOW_NEXT);
    assert_value(sh, "x", "0.33333");
}

static void test_case_and_width(void **state)
{
    struct shell *sh = *state;
    assert_string_equal(shown(sh, VAR_UPPER, -1, "MixedCase"), "MIXEDCASE");
    assert_string_equal(shown(sh, VAR_LOWER, -1, "MixedCase"), "mixedcase");
    assert_string_equal(shown(sh, VAR_LEFT, 5, "abcdefgh"), "abcde");
    assert_string_equal(shown(sh, VAR_LEFT, 5, "  ab"), "ab   ");
    assert_string_equal(shown(sh, VAR_RIGHT, 5, "abcdefgh"), "defgh");
    assert_string_equal(shown(sh, VAR_RIGHT, 8, "x  "), "       x");
    assert_string_equal(shown(sh, VAR_ZERO, 5, "42"), "00042");
    assert_string_equal(shown(sh, VAR_ZERO, 5, "abc"), "  abc");
    assert_string_equal(shown(sh, VAR_ZERO, 5, "-42"), "  -42");
    assert_string_equal(shown(sh, VAR_ZERO, 5, " 7"), "00007");
    assert_string_equal(shown(sh, VAR_ZERO, 5, "1.5"), "001.5");
    assert_string_equal(shown(sh, VAR_ZERO, 5, "123456789"), "56789");
    assert_string_equal(shown(sh, VAR_ZERO | VAR_LEFT, 5, "00042"), "42   ");
    assert_string_equal(shown(sh, VAR_ZERO | VAR_LEFT, 5, "000"), "     ");
    assert_string_equal(shown(sh, VAR_LEFT, -1, "abc"),
                        "abc"); /* the first value gives the width */
    assert_set(sh, "x", "abcdef");
    assert_value(sh, "x", "abc");
    assert_string_equal(shown(sh, VAR_LEFT, 5, "ab"), "ab   ");
    assert_int_equal(append(sh, "x", "c"), FLOW_NEXT);
    assert_value(sh, "x", "ab   ");
}

static void test_width_counts_characters(void **state)
{
    struct shell *sh = *state;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    utf8_refresh();
    assert_string_equal(shown(sh, VAR_LEFT, 6, "\xc5\xbc\xc3\xb3\xc5\x82w"),
                        "\xc5\xbc\xc3\xb3\xc5\x82w  ");
    assert_string_equal(shown(sh, VAR_RIGHT, 3, "\xc5\xbc\xc3\xb3\xc5\x82w"), "\xc3\xb3\xc5\x82w");
    assert_string_equal(shown(sh, VAR_UPPER, -1, "\xc5\xbc"), "\xc5\xbb");
    setlocale(LC_CTYPE, "C");
    utf8_refresh();
}

static void test_append(void **state)
{
    struct shell *sh = *state;
    shown(sh, VAR_INTEGER, -1, "5");
    assert_int_equal(append(sh, "x", "3"), FLOW_NEXT);
    assert_value(sh, "x", "8");
    shown(sh, VAR_FIXED, 2, "1.005");
    assert_int_equal(append(sh, "x", "1"), FLOW_NEXT);
    assert_value(sh, "x", "2.00");
    shown(sh, VAR_UPPER, -1, "ab");
    assert_int_equal(append(sh, "x", "cd"), FLOW_NEXT);
    assert_value(sh, "x", "ABCD");
}

static void test_bad_number_changes_nothing(void **state)
{
    struct shell *sh = *state;
    shown(sh, VAR_INTEGER, -1, "1");
    assert_fails(sh, set(sh, "x", "abc%"), "abc%: arithmetic syntax error");
    assert_value(sh, "x", "1");
    assert_set(sh, "y", "12z");
    assert_int_equal(declare(sh, "y", VAR_INTEGER, -1), FLOW_ERROR);
    assert_value(sh, "y", "12z");
    assert_false(name_of(sh, "y")->cur->attrs & VAR_INTEGER);
}

static void test_numbers_make_no_text(void **state)
{
    struct shell *sh = *state;
    shown(sh, VAR_INTEGER, -1, "0");
    struct var_ref ref = ref_of(sh, "x");
    struct mem_stats before, after;
    mem_region_stats(sh->scratch, &before);
    for (int i = 0; i < 1000; i++) {
        struct num n;
        assert_int_equal(var_get_num(sh, &ref, &n), FLOW_NEXT);
        n.i++;
        assert_int_equal(var_set_num(sh, &ref, n, 0), FLOW_NEXT);
    }
    mem_region_stats(sh->scratch, &after);
    assert_int_equal(before.alloc_count, after.alloc_count);
    assert_value(sh, "x", "1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_integers),
        state_test(test_floats),
        state_test(test_case_and_width),
        state_test(test_width_counts_characters),
        state_test(test_append),
        state_test(test_bad_number_changes_nothing),
        state_test(test_numbers_make_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
