/* Random patterns on random texts: the matcher against the slow one, and regular expressions
 * against the C library's own use of them. */
#include <locale.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shell/base/utf8.h"
#include "tests/fuzz/slow_match.h"

enum { ROUNDS = 60000, REGEX_BYTES = 2000 };

static void compare_all(const char *locale)
{
    char pattern[1000];
    unsigned differences = 0;
    setlocale(LC_ALL, locale);
    utf8_refresh();
    for (uint64_t i = 0; i < ROUNDS; i++) {
        struct choices c = { .state = i * 0x9e3779b97f4a7c15u };
        differences += slow_compare(&c, utf8_active, pattern) != NULL;
        if (differences > 20)
            break;
    }
    assert_int_equal(differences, 0);
}

static void test_slow_bytes(void **state)
{
    (void)state;
    compare_all("C");
}

static void test_slow_utf8(void **state)
{
    (void)state;
    compare_all("C.UTF-8");
}

/* A random regular expression over a and b. */
static void make_regex(struct choices *c, char *text, unsigned depth)
{
    static const char *const atoms[] = { "a", "b", ".", "[ab]", "[^a]" };
    static const char *const counts[] = { "", "", "", "*", "+", "?", "{1,2}" };
    unsigned branches = 1 + (choose(c, 4) == 0);
    for (unsigned b = 0; b < branches; b++) {
        if (b > 0)
            append(text, REGEX_BYTES, "|");
        for (unsigned n = 1 + choose(c, 3); n > 0; n--) {
            if (depth > 0 && choose(c, 3) == 0) {
                append(text, REGEX_BYTES, "(");
                make_regex(c, text, depth - 1);
                append(text, REGEX_BYTES, ")");
            } else {
                append(text, REGEX_BYTES, atoms[choose(c, 5)]);
            }
            append(text, REGEX_BYTES, counts[choose(c, 7)]);
        }
    }
}

/* Prefixes and suffixes that ~(E)REGEX finds, against trying each. */
static bool same_ends(const char *regex, const char *text, size_t len)
{
    char whole[REGEX_BYTES + 10] = "^(", pattern[REGEX_BYTES + 10] = "~(E)";
    append(whole, sizeof whole, regex);
    append(whole, sizeof whole, ")$");
    append(pattern, sizeof pattern, regex);
    regex_t re;
    assert_int_equal(regcomp(&re, whole, REG_EXTENDED | REG_NOSUB), 0);
    ptrdiff_t want[4] = { -1, -1, -1, -1 };
    for (size_t i = 0; i <= len; i++) {
        char part[12];
        memcpy(part, text, i);
        part[i] = '\0';
        if (regexec(&re, part, 0, NULL, 0) == 0) {
            want[0] = want[0] < 0 ? (ptrdiff_t)i : want[0];
            want[1] = (ptrdiff_t)i;
        }
        if (regexec(&re, text + i, 0, NULL, 0) == 0) {
            want[2] = (ptrdiff_t)i;
            want[3] = want[3] < 0 ? (ptrdiff_t)i : want[3];
        }
    }
    regfree(&re);
    struct pattern *p = pattern_compile(mem_region_malloc(), pattern, strlen(pattern), 0);
    assert_non_null(p);
    bool same = pattern_prefix(p, text, len, false) == want[0] &&
                pattern_prefix(p, text, len, true) == want[1] &&
                pattern_suffix(p, text, len, false) == want[2] &&
                pattern_suffix(p, text, len, true) == want[3];
    pattern_free(p);
    return same;
}

static void test_regex(void **state)
{
    (void)state;
    unsigned differences = 0;
    setlocale(LC_ALL, "C");
    utf8_refresh();
    for (uint64_t i = 0; i < ROUNDS / 2 && differences < 20; i++) {
        struct choices c = { .state = i * 0x9e3779b97f4a7c15u };
        char regex[REGEX_BYTES] = "", text[12] = "";
        /* Anchors only at the ends. */
        if (choose(&c, 4) == 0)
            append(regex, REGEX_BYTES, "^");
        make_regex(&c, regex, 2);
        if (choose(&c, 4) == 0)
            append(regex, REGEX_BYTES, "$");
        size_t len = choose(&c, 11);
        for (size_t k = 0; k < len; k++)
            text[k] = "ab"[choose(&c, 2)];
        text[len] = '\0';
        regex_t re;
        regmatch_t want[1];
        assert_int_equal(regcomp(&re, regex, REG_EXTENDED), 0);
        bool found = regexec(&re, text, 1, want, 0) == 0;
        regfree(&re);
        struct pattern *p =
            pattern_compile(mem_region_malloc(), regex, strlen(regex), PATTERN_REGEX);
        assert_non_null(p);
        struct match_span spans[100];
        size_t n = pattern_search(p, text, len, 0, spans, 100);
        bool same = (n > 0) == found && pattern_matches(p, text, len) == found;
        if (same && found)
            same = spans[0].start == want[0].rm_so && spans[0].end == want[0].rm_eo;
        if (regex[0] != '^' && !strchr(regex, '$'))
            same = same && same_ends(regex, text, len);
        if (!same) {
            differences++;
            print_error("%s on %s: want %d [%d,%d)\n", regex, text, found,
                        found ? want[0].rm_so : 0, found ? want[0].rm_eo : 0);
        }
        pattern_free(p);
    }
    assert_int_equal(differences, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_bytes),
        cmocka_unit_test(test_slow_utf8),
        cmocka_unit_test(test_regex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
