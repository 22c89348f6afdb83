/* Random patterns on random texts: the matcher against the slow one, and regular expressions
 * against the C library's own use of them. */
#include <locale.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shell/base/match_internal.h"
#include "shell/base/utf8.h"
#include "tests/fuzz/slow_match.h"

/* What a sanitizer watches is four times as slow, and the answers are the same. */
enum { ROUNDS = MEM_DEBUG ? 15000 : 60000, REGEX_BYTES = 2000 };

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

/* ---- the ways for long texts (match_dfa.c) and simple patterns (match_stretch.c), against
 * match_sim.c
 * ---- */

enum { LONG_ROUNDS = 500, TEXT_BYTES = 4000, PATTERN_BYTES = 400 };

static void make_list(struct choices *c, char *text, unsigned depth, bool regex)
{
    static const char *const shell_atoms[] = { "a", "b", "?", "[ab]", "[!a]", "*", "x", "é" };
    static const char *const regex_atoms[] = { "a", "b", ".", "[ab]", "[^a]", ".*", "x", "é" };
    static const char *const before[] = { "*(", "+(", "?(", "@(", "{1,3}(", "*-(" };
    static const char *const after[] = { "", "*", "+", "?", "{2}" };
    unsigned branches = 1 + (choose(c, 3) == 0);
    for (unsigned b = 0; b < branches; b++) {
        if (b > 0)
            append(text, PATTERN_BYTES, depth < 2 || regex ? "|" : "");
        for (unsigned n = 1 + choose(c, 3); n > 0; n--) {
            bool group = depth > 0 && choose(c, 2) == 0;
            if (group) {
                append(text, PATTERN_BYTES, regex ? "(" : before[choose(c, 6)]);
                make_list(c, text, depth - 1, regex);
                append(text, PATTERN_BYTES, ")");
            } else {
                append(text, PATTERN_BYTES, (regex ? regex_atoms : shell_atoms)[choose(c, 8)]);
            }
            if (regex)
                append(text, PATTERN_BYTES, after[choose(c, 5)]);
        }
    }
}

/* Long stretches of few characters, so that matches are long too. */
static size_t make_text(struct choices *c, char *text)
{
    static const char *const parts[] = { "a", "ab", "b", "é", "abé", "x" };
    size_t len = 0, want = 1100 + choose(c, 2000);
    while (len < want) {
        const char *part = parts[choose(c, choose(c, 8) ? 3 : 6)];
        for (unsigned n = 1 + choose(c, choose(c, 10) ? 9 : 700); n > 0 && len < want; n--) {
            memcpy(text + len, part, strlen(part));
            len += strlen(part);
        }
    }
    return len;
}

struct answers {
    bool matches;
    size_t searched, whole;
    ptrdiff_t ends[4];
    struct match_span search[12], spans[12];
};

static void ask(const struct pattern *p, const char *text, size_t len, size_t start,
                struct answers *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->matches = pattern_matches(p, text, len);
    ret->searched = pattern_search(p, text, len, start, ret->search, 12);
    ret->whole = pattern_matches_spans(p, text, len, ret->spans, 12);
    ret->ends[0] = pattern_prefix(p, text, len, false);
    ret->ends[1] = pattern_prefix(p, text, len, true);
    ret->ends[2] = pattern_suffix(p, text, len, false);
    ret->ends[3] = pattern_suffix(p, text, len, true);
}

static void compare_long(const char *locale)
{
    unsigned differences = 0;
    setlocale(LC_ALL, locale);
    utf8_refresh();
    for (uint64_t i = 0; i < LONG_ROUNDS && differences < 10; i++) {
        struct choices c = { .state = i * 0x9e3779b97f4a7c15u };
        char text[TEXT_BYTES], pattern[PATTERN_BYTES] = "";
        bool regex = choose(&c, 2);
        if (regex && choose(&c, 4) == 0)
            append(pattern, PATTERN_BYTES, "^");
        make_list(&c, pattern, 2, regex);
        if (regex && choose(&c, 4) == 0)
            append(pattern, PATTERN_BYTES, "$");
        size_t len = make_text(&c, text), start = choose(&c, 2) ? 0 : choose(&c, 40);
        if (choose(&c, 4) == 0)
            len = choose(&c, 5); /* what is short matters to simple patterns */
        start = start < len ? start : len;
        struct pattern *p = pattern_compile(mem_region_malloc(), pattern, strlen(pattern),
                                            regex ? PATTERN_REGEX : 0);
        assert_non_null(p);
        struct answers want, got;
        if (!p->is_glob) {
            bool dfa_able = p->dfa_able, is_stretch = p->is_stretch;
            ask(p, text, len, start, &got);
            p->dfa_able = p->is_stretch = false;
            ask(p, text, len, start, &want);
            p->dfa_able = dfa_able;
            p->is_stretch = is_stretch;
            if (memcmp(&want, &got, sizeof want) != 0) {
                differences++;
                print_error(
                    "%s: round %llu: match %d %d, search %zu %zu, ends %td %td %td %td, want "
                    "%td %td %td %td\n",
                    pattern, (unsigned long long)i, got.matches, want.matches, got.searched,
                    want.searched, got.ends[0], got.ends[1], got.ends[2], got.ends[3], want.ends[0],
                    want.ends[1], want.ends[2], want.ends[3]);
            }
        }
        pattern_free(p);
    }
    assert_int_equal(differences, 0);
}

static void test_long(void **state)
{
    (void)state;
    compare_long("C");
    compare_long("C.UTF-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_bytes),
        cmocka_unit_test(test_slow_utf8),
        cmocka_unit_test(test_regex),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
