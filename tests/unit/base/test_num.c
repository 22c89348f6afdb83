/* Numbers: parsing of integers and arithmetic constants, formatting. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/base/num.h"

static bool parse(const char *text, int64_t *ret)
{
    return num_parse_int(text, strlen(text), ret);
}

static void test_parse_int(void **state)
{
    (void)state;
    int64_t n = 77;
    assert_true(parse(" -12\n", &n));
    assert_int_equal(n, -12);
    assert_true(parse("9223372036854775807", &n));
    assert_true(n == INT64_MAX);
    assert_true(parse("-9223372036854775808", &n));
    assert_true(n == INT64_MIN);
    assert_true(parse("+5", &n));
    n = 77;
    static const char *const bad[] = {
        "",   " ",   "-",   "9223372036854775808",     "-9223372036854775809",
        "1x", "1 2", "0x1", "99999999999999999999999", "--1"
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(parse(bad[i], &n));
    assert_int_equal(n, 77);
    assert_false(num_parse_int("1\0", 2, &n));
}

/* Scans and shows the result as "used:value" (with base when it is not 10). */
static const char *scan(const char *text, bool octal)
{
    static char shown[80];
    int64_t i = 0;
    long double f = 0;
    bool is_float = false;
    int base = 0;
    size_t used = num_scan(text, strlen(text), octal, &i, &f, &is_float, &base);
    if (used == 0)
        return "none";
    if (is_float)
        snprintf(shown, sizeof shown, "%zu:f%.18Lg", used, f);
    else if (base != 10)
        snprintf(shown, sizeof shown, "%zu:%lld(%d)", used, (long long)i, base);
    else
        snprintf(shown, sizeof shown, "%zu:%lld", used, (long long)i);
    return shown;
}

static void test_scan(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } examples[] = {
        { "0", "1:0" },
        { "42+1", "2:42" },
        { "0x1F", "4:31" },
        { "0xffffffffffffffff", "18:-1" },
        { "1_000", "1:1" },
        { "16#ff", "5:255(16)" },
        { "64#@_", "5:4031(64)" },
        { "36#zZ", "5:1295(36)" },
        { "37#z", "4:35(37)" },
        { "37#Z", "3:0(37)" },
        { "2#3", "2:0(2)" },
        { "65#1", "2:65" },
        { "1#0", "1:1" },
        { ".5", "2:f0.5" },
        { "5.", "2:f5" },
        { "1e3", "3:f1000" },
        { "1e", "1:1" },
        { "1e+", "1:1" },
        { "1.5e-2x", "6:f0.015" },
        { "0x1p4", "5:f16" },
        { "0x1.8p1", "7:f3" },
        { "0x", "1:0" },
        { "0xg", "1:0" },
        { ".", "none" },
        { "..", "none" },
        { "x", "none" },
        { "", "none" },
        { "08", "2:8" },
        { "010", "3:10" },
        { "inf", "3:finf" },
        { "Inf)", "3:finf" },
        { "info", "none" },
        { "nan", "3:fnan" },
        { "9223372036854775807", "19:9223372036854775807" },
        { "9223372036854775808", "19:f9.22337203685477581e+18" },
        { "1..2", "2:f1" },
        { "1e400", "5:f1e+400" },
        { "99999999999999999999", "20:f1e+20" },
        { "010.5", "5:f10.5" },
        { "-1", "none" },
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        assert_string_equal(scan(examples[i].text, false), examples[i].want);
    assert_string_equal(scan("010", true), "3:8");
    assert_string_equal(scan("08", true), "2:8");
    assert_string_equal(scan("0", true), "1:0");
    assert_string_equal(scan("010.5", true), "5:f10.5");
    assert_string_equal(scan("016#f", true), "5:15(16)");
}

static void test_scan_exact(void **state)
{
    (void)state;
    char text[64];
    srand(1);
    for (int i = 0; i < 200000; i++) {
        snprintf(text, sizeof text, "%d.%0*de%d", rand() % 100000, 1 + rand() % 12, rand(),
                 rand() % 60 - 30);
        int64_t n;
        long double f = 0, want = strtold(text, NULL);
        bool is_float = false;
        int base;
        assert_int_equal(num_scan(text, strlen(text), false, &n, &f, &is_float, &base),
                         strlen(text));
        assert_true(is_float);
        if (f != want)
            fail_msg("%s: %.25Lg is not %.25Lg", text, f, want);
    }
}

static void test_format(void **state)
{
    (void)state;
    char text[80];
    assert_int_equal(num_format_int(INT64_MIN, text), 20);
    assert_string_equal(text, "-9223372036854775808");
    num_format_int(0, text);
    assert_string_equal(text, "0");
    num_format_base(255, 16, true, text);
    assert_string_equal(text, "16#ff");
    num_format_base(-26, 16, true, text);
    assert_string_equal(text, "-16#1a");
    num_format_base(4031, 64, true, text);
    assert_string_equal(text, "64#@_");
    num_format_base(5, 2, false, text);
    assert_string_equal(text, "101");
    num_format_base(7, 10, true, text);
    assert_string_equal(text, "7");
    assert_int_equal(num_format_base(INT64_MIN, 2, true, text), 67);
}

static void test_format_float(void **state)
{
    (void)state;
    static const struct {
        long double f;
        int digits;
        const char *want;
    } examples[] = {
        { 0.5L, 18, "0.5" },      { 3.0L, 18, "3" },
        { 1e20L, 18, "1e+20" },   { 1e17L, 18, "100000000000000000" },
        { -0.0L, 18, "-0" },      { 1.0L / 3, 18, "0.333333333333333333" },
        { 1e-5L, 18, "1e-05" },   { 123456.0L, 3, "1.23e+05" },
        { HUGE_VALL, 18, "inf" }, { -HUGE_VALL, 18, "-inf" },
        { -7.0L, 18, "-7" },      { 999999999999999999.0L, 18, "999999999999999999" },
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct str s;
        str_init(&s, mem_region_malloc());
        num_format_float(&s, examples[i].f, examples[i].digits);
        assert_string_equal(str_text(&s), examples[i].want);
        str_release(&s);
    }
}

static void test_to_int(void **state)
{
    (void)state;
    assert_int_equal(num_to_int(num_float(-2.9L)), -2);
    assert_true(num_to_int(num_float(1e30L)) == INT64_MAX);
    assert_true(num_to_int(num_float(-1e30L)) == INT64_MIN);
    assert_int_equal(num_to_int(num_float(nanl(""))), 0);
    assert_true(num_to_int(num_float(9223372036854775807.0L)) == INT64_MAX);
    assert_int_equal(num_to_int(num_int(7)), 7);
    assert_true(num_is_true(num_float(0.1L)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_int),    cmocka_unit_test(test_scan),
        cmocka_unit_test(test_scan_exact),   cmocka_unit_test(test_format),
        cmocka_unit_test(test_format_float), cmocka_unit_test(test_to_int),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
