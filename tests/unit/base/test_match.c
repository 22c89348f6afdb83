/* The pattern matcher: what each construct means, captures, corner cases, and no explosion. */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/base/match.h"
#include "shell/base/utf8.h"

struct example {
    const char *pattern, *text;
    bool matches;
};

static struct pattern *compile(const char *pattern, unsigned flags)
{
    struct pattern *p = pattern_compile(mem_region_malloc(), pattern, strlen(pattern), flags);
    if (!p)
        fail_msg("%s: errno %d", pattern, errno);
    return p;
}

static void check(const struct example *examples, size_t count, unsigned flags)
{
    for (size_t i = 0; i < count; i++) {
        const struct example *e = &examples[i];
        struct pattern *p = compile(e->pattern, flags);
        struct match_span spans[10];
        bool got = pattern_matches(p, e->text, strlen(e->text));
        bool with_spans = pattern_matches_spans(p, e->text, strlen(e->text), spans, 10) > 0;
        if (got != e->matches || with_spans != e->matches)
            fail_msg("%s on %s: %d, with spans %d", e->pattern, e->text, got, with_spans);
        pattern_free(p);
    }
}
#define CHECK(examples, flags) check(examples, sizeof(examples) / sizeof(examples)[0], flags)

static void test_plain(void **state)
{
    (void)state;
    static const struct example examples[] = {
        { "", "", true },
        { "", "a", false },
        { "*", "", true },
        { "*", "abc", true },
        { "?", "a", true },
        { "?", "", false },
        { "a*c", "abbbc", true },
        { "a*c", "abbb", false },
        { "*.tar.*", "x.tar.gz", true },
        { "a\\*", "a*", true },
        { "a\\*", "ab", false },
        { "\\", "\\", true },
        { "a\\", "a\\", true },
        { "\\d", "d", false },
        { "\\d", "5", true },
        { "\\Dx\\s", "ax ", true },
        { "[\\d]", "d", true },
        { "[abc]x", "bx", true },
        { "[!abc]", "b", false },
        { "[^abc]", "d", true },
        { "[]a]", "]", true },
        { "[!]a]", "]", false },
        { "[a-]", "-", true },
        { "[", "[", true },
        { "[a", "[a", true },
        { "[]", "[]", true },
        { "a[", "a[", true },
        { "[*", "[xyz", true },
        { "[z-a]", "m", false },
        { "[p\\-r]", "q", false },
        { "[p\\-r]", "-", true },
        { "[k\\!m]", "\\", false },
        { "[\\!km]", "!", true },
        { "[\\!km]", "x", false },
        { "[[:digit:]x]", "7", true },
        { "[[:word:]]", "_", true },
        { "[[.a.]]", "a", true },
        { "[[=a=]]", "a", true },
        { "[[:foo:]]", "a", false },
        { "[\\]]", "]", true },
        { "a|b", "a|b", true },
        { "a&b", "a&b", true },
        { "(a)", "(a)", true },
        { "(a)", "a", false },
        { "a{2}", "a{2}", true },
        { "+a", "+a", true },
        { "a(b", "a(b", true },
    };
    CHECK(examples, 0);
}

static void test_groups(void **state)
{
    (void)state;
    static const struct example examples[] = {
        { "?(a)b", "b", true },
        { "?(a)b", "aab", false },
        { "*(ab)", "ababab", true },
        { "+(ab)", "", false },
        { "@(a|bc)d", "bcd", true },
        { "!(a|b)", "a", false },
        { "!(a|b)", "ab", true },
        { "!(a)", "", true },
        { "!(*.c)", "x.c", false },
        { "a!(b)c", "axc", true },
        { "a!(b)c", "abc", false },
        { "!(!(a*))", "aaa", true },
        { "{3}(ab)", "ababab", true },
        { "{2,4}(ab)", "ab", false },
        { "{2,}(a)", "aaa", true },
        { "{,2}(a)", "aaa", false },
        { "{0,3}(a)", "aaaa", false },
        { "@(*c*&*[0-9])", "abc12", true },
        { "@(*c*&*[0-9])", "abc", false },
        { "@(a(b)c)", "abc", true },
        { "@()a", "a", true },
        { "*(|a)b", "aab", true },
        { "@(a\\|b)", "a|b", true },
        { "@([|])", "|", true },
        { "+(\\d)", "2024", true },
        { "+(\\w)", "a_1", true },
        { "a@(\\s)b", "a b", true },
        { "@(\\D)", "1", false },
        { "@([\\d])", "1", true },
        { "@(\\x41\\n)", "A\n", true },
        { "@(ab|c)\\1", "abab", true },
        { "@(ab|c)\\1", "abc", false },
        { "@(?)*\\1", "xyx", true },
        { "x@(a", "x@(a", true },
        { "*@(a", "x@(a", false },
        { "%({})", "{a{b}c}", true },
        { "%({})", "{a{b}c", false },
        { "%({}Q\")", "{\"}\"}", true },
        { "%(Q\"E\\)", "\"a\\\"\"", true },
    };
    CHECK(examples, 0);
    static const struct example plain[] = { { "@(a|b)", "@(a|b)", true },
                                            { "@(a|b)", "a", false } };
    CHECK(plain, PATTERN_NO_EXT);
}

static void test_options(void **state)
{
    (void)state;
    static const struct example examples[] = {
        { "~(i)hello", "HeLLo", true },
        { "~(i:hel)lo", "HELlo", true },
        { "~(i:hel)LO", "HELLO", true },
        { "~(i:hel)LO", "HELlo", false },
        { "~(i)b~(-i)x", "bX", false },
        { "~(E)^fo+b", "foobar", true },
        { "~(E)^foo", "barfoo", false },
        { "~(Elr)a+b", "xaab", false },
        { "~(Er)a+", "xaab", false },
        { "~(E)a|z", "xzx", true },
        { "~(P)^\\w{2}\\d+$", "ab12", true },
        { "~(F)a.b", "xa.by", true },
        { "~(F)a.b", "xaxby", false },
        { "~(G)\\(a\\)\\1b", "xaab", true },
        { "~(G)a\\{2\\}b", "aab", true },
        { "~(X)a+&aa", "xaab", true },
        { "~(K)xa*", "xaab", true },
        { "~(-l)a*", "xay", true },
        { "f~(E:o+)bar", "foobar", true },
        { "~(N)a", "a", true },
        { "~(Q)x", "x", false },
        { "~(E)\\bb\\b", "a b", true },
        { "~(P)(?i)AB", "ab", true },
        { "~(P)(?:a|b)c", "bc", true },
        { "~(P)a(?=b)", "ab", true },
        { "~(P)a(?!b)", "ab", false },
        { "~(P)a(?i)b", "aB", true },
        { "~(P)(?<=a)b", "ab", true },
        { "~(P)(?<=a+)b", "cb", false },
        { "~(P)(?<!a)b", "ab", false },
        { "~(P)(?<!a)b", "cb", true },
        { "~(P)^(?:a(?i)b)c", "aBC", false },
        { "~(X)^(a.*&.*b)$", "aab", true },
        { "~(X)^(a.*&.*b)$", "aac", false },
        { "@(~(E)a+|b)", "aa", true },
        { "x@(~(E)a+)y", "xaay", true },
        { "x@(~(G)\\(a\\)*)y", "xaay", true },
        { "~(E:a)+(b)", "abb", true },
        { "f~(E)o+b", "xfooby", true },
        { "~(L)a+b", "xa+b", true },
        { "~(B)a+b", "a+b", true },
        { "~(A)^(a&.)$", "a", true },
        { "~(Ea)a+", "xaa", false },
        { "~(Em)^b$", "a\nb\nc", true },
        { "~(E)^b", "a\nb", false },
        { "~(Ex)a b # c", "ab", true },
        { "~(P)(?x)a b", "ab", true },
        { "a*~(E:b+|x)c", "a..bbc", true },
        { "a*~(E:b+|x)c", "a..bbcx", false },
        { "*~(E)b|c", "axcx", true },
        { "[!x]?~(E:b)\\*", "a.b*", true },
        { "[!x]?~(E:b)\\*", "x.b*", false },
        { "~(i)f~(E:O+)a", "fooA", true },
        { "~(G:\\(a\\)\\1)b*", "aabc", true },
        { "~(Elr)a|ab", "ab", true },
        { "~(El)a|b", "xb", false },
        { "~(X)a+b&.*b&aa.", "aab", true },
        { "~(X)a+&.*b&a", "aab", false },
        { "~(X)a+&c", "aab", false },
        { "~(E)(a|b)\\1|c", "xbb", true },
        { "~(E)(a|b)\\1|c", "xab", false },
    };
    CHECK(examples, 0);
}

/* What the C library would read otherwise, or not at all. */
static void test_regex(void **state)
{
    (void)state;
    static const struct example regex[] = {
        { "a.c", "xabcx", true },
        { "^b", "abc", false },
        { "a{2}", "baab", true },
        { "a{", "a{", true },
        { "a{,2}", "a{,2}", true },
        { "a\\.b", "axb", false },
        { "a)", "a)", true },
        { "[\\n]", "n", false },
        { "[\\]]", "\\]", true },
        { "(ab)*c", "ababc", true },
        { "aaab$", "aaaab", true },
        { "()b", "b", true },
        { "^\\d\\D$", "1x", true },
        { "^\\w\\W$", "_-", true },
        { "a\\sb", "a b", true },
        { "a\\Sb", "a b", false },
        { "\\bb\\b", "a b", true },
        { "\\<b", "ab", false },
        { "\\'\\`", "'`", true },
        { "\\-\\/\\.", "-/.", true },
        { "\\x41\\t", "A\t", true },
        { "^[\\d_]$", "_", true },
        { "^[\\D1]$", "1", true },
        { "^[\\D1]$", "2", false },
        { "^[\\s\\S]$", "x", true },
        { "^[^\\W]$", "_", true },
        { "^[^\\W]$", "-", false },
        { "^[]^-]$", "-", true },
        { "^[]^-]$", "]", true },
        { "^[]^-]$", "^", true },
        { "^[^]^-]$", "^", false },
        { "^[!--]$", "#", true },
        { "^[\\x5d]$", "]", true },
        { "^[\\[]$", "\\", false },
        { "^[\\*]$", "\\", true },
        { "^[[:word:]-]$", "_", true },
        { "^[[.-.]a]$", "-", true },
        { "^[[=a=]]$", "a", true },
        { "^[a-[:digit:]]$", "-", true },
        { "(?:a)(b)\\1", "abb", true },
        { "a}]", "a}]", true },
        { "(?i)a", "A", true },
        { "x{,2}", "xx", false },
        { "^[^\\W\\D]$", "5", true },
        { "^[^\\W\\D]$", "-", false },
        { "a\\x00", "a", false },
    };
    CHECK(regex, PATTERN_REGEX);
    static const struct {
        const char *regex;
        int error;
        unsigned flags;
    } bad[] = {
        { "(a", EINVAL, PATTERN_REGEX },
        { "*a", EINVAL, PATTERN_REGEX },
        { "a|*", EINVAL, PATTERN_REGEX },
        { "[a", EINVAL, PATTERN_REGEX },
        { "a\\", EINVAL, PATTERN_REGEX },
        { "[[:foo:]]", EINVAL, PATTERN_REGEX },
        { "((a{999}){999}){999}", EINVAL, PATTERN_REGEX },
        { "~(E)(a", EINVAL, 0 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *text = bad[i].regex;
        errno = 0;
        assert_null(pattern_compile(mem_region_malloc(), text, strlen(text), bad[i].flags));
        if (errno != bad[i].error || !pattern_error(errno))
            fail_msg("%s: errno %d", text, errno);
    }
    assert_null(pattern_error(ENOMEM));
}

static void test_period(void **state)
{
    (void)state;
    static const struct example examples[] = {
        { "*", ".x", false },    { "?x", ".x", false },   { ".*", ".x", true },
        { "[.]x", ".x", false }, { "@(.x)", ".x", true }, { "?(.)x", ".x", true },
        { "!(a)", ".x", false }, { "*.c", "a.c", true },  { "+(.|h)x", ".x", true },
        { "@(*)", ".x", false }, { "*x", ".x", false },   { "\\.x", ".x", true },
    };
    CHECK(examples, PATTERN_PERIOD);
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct example examples[] = {
        { "?", "\xc3\xa9", true },      { "??", "\xc3\xa9", false },
        { "*\xa9", "\xc3\xa9", false }, { "[\xc3\xa0-\xc3\xaf]", "\xc3\xa9", true },
        { "[!a]", "\xc3\xa9", true },   { "[[:alpha:]]", "\xc3\xa9", true },
        { "@(?)", "\xc3\xa9", true },   { "?", "\x80", true },
        { "\xc3?", "\xc3\xa9", false }, { "~(i)\xc3\x89", "\xc3\xa9", true },
    };
    if (!setlocale(LC_ALL, "C.UTF-8"))
        skip();
    utf8_refresh();
    assert_true(utf8_active);
    CHECK(examples, 0);
    static const struct example regex[] = {
        { "^.$", "\xc3\xa9", true },
        { "^..$", "\xc3\xa9", false },
        { "(?i)^\xc3\x89$", "\xc3\xa9", true },
        { "^[\xc3\xa0-\xc3\xaf]$", "\xc3\xa9", true },
        { "^[!-\xd1\x8f]$", "\xd0\xb6", true },
        { "^[!-\xd1\x8f]$", "~", true },
        { "^[^a]$", "\xc3\xa9", true },
        { "^\\xe9$", "\xc3\xa9", true },
        { "^\\w$", "\xc3\xa9", true },
        { "^\xc3\xa9?a$", "a", true },
    };
    CHECK(regex, PATTERN_REGEX);
    struct pattern *any = compile("~(E)..", 0); /* the same one in both locales */
    assert_int_equal(pattern_prefix(any, "\xc3\xa9\xc3\xa9", 4, true), 4);
    assert_int_equal(pattern_prefix(any, "\xc3\xa9\xc3\xa9.", 5, false), 4);
    assert_int_equal(pattern_suffix(any, "..\xc3\xa9\xc3\xa9", 6, false), 2);
    setlocale(LC_ALL, "C");
    utf8_refresh();
    assert_int_equal(pattern_prefix(any, "\xc3\xa9\xc3\xa9", 4, true), 2);
    pattern_free(any);
    static const struct example bytes[] = { { "?", "\xc3\xa9", false },
                                            { "??", "\xc3\xa9", true } };
    CHECK(bytes, 0);
}

/* Searches PATTERN in TEXT; the spans as "start-end start-end ...". */
static const char *spans_of(const char *pattern, unsigned flags, const char *text)
{
    static char shown[200];
    struct match_span spans[MATCH_CAPTURE_MAX];
    struct pattern *p = compile(pattern, flags);
    size_t count = pattern_search(p, text, strlen(text), 0, spans, MATCH_CAPTURE_MAX);
    size_t len = 0;
    shown[0] = '\0';
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(shown + len, sizeof shown - len, "%s%td-%td", i ? " " : "",
                                spans[i].start, spans[i].end);
    pattern_free(p);
    return shown;
}

static void test_spans(void **state)
{
    (void)state;
    assert_string_equal(spans_of("b", 0, "abc"), "1-2");
    assert_string_equal(spans_of("b*", 0, "abc"), "1-3");
    assert_string_equal(spans_of("z", 0, "abc"), "");
    assert_string_equal(spans_of("@(a|ab)@(c|bcd)@(d*)", 0, "abcd"), "0-4 0-2 2-3 3-4");
    assert_string_equal(spans_of("(?:x|(a))(b)", PATTERN_REGEX, "cab"), "1-3 1-2 2-3");
    assert_string_equal(spans_of("a|(b)", PATTERN_REGEX, "cb"), "1-2 1-2");
    assert_string_equal(spans_of("[\\D1](b)", PATTERN_REGEX, "1b"), "0-2 1-2");
    assert_string_equal(spans_of("~(X)(a)b&.*", 0, "abc"), "0-2 -1--1");
    assert_string_equal(spans_of("*~(E:(b)|c)", 0, "abc"), "0-3 -1--1");
    assert_string_equal(spans_of("+(a@(b))", 0, "xabab"), "1-5 1-5 4-5");
    assert_string_equal(spans_of("x*-(a)@(*)", 0, "xaab"), "0-4 1-1 1-4");
    assert_string_equal(spans_of("~(-g)+(a)", 0, "aaab"), "0-1 0-1");
    assert_string_equal(spans_of(".*-(.*)", PATTERN_REGEX, "a-b-c"), "0-5 4-5");
    assert_string_equal(spans_of(".*/([^.]*)\\.(.*)", PATTERN_REGEX, "/a/b.c.d"), "0-8 3-4 5-8");
    assert_string_equal(spans_of("*-@(*)", 0, "a-b-c"), "0-5 4-5");
    assert_string_equal(spans_of("@(b|*(b))", 0, "b"), "0-1 0-1 -1--1");
    assert_string_equal(spans_of("~(P)a+?", 0, "aaa"), "0-1");
    assert_string_equal(spans_of("~(P)(a+?)(a*)b", 0, "aaab"), "0-4 0-1 1-3");
    assert_string_equal(spans_of("(a|ab)(c|bcd)(d*)", PATTERN_REGEX, "abcd"), "0-4 0-2 2-3 3-4");
    assert_string_equal(spans_of("^((a)|(b))*$", PATTERN_REGEX, "ab"), "0-2 1-2 -1--1 1-2");
    assert_string_equal(spans_of("@(a)!(b)c", 0, "abxc"), "0-4 0-1 1-3");
    assert_string_equal(spans_of("~(E)([a-z]+) *= *([0-9]+)", 0, "--key = 42;"), "2-10 2-5 8-10");
    assert_string_equal(spans_of("~(l)b", 0, "ab"), "");
    assert_string_equal(spans_of("~(r)a", 0, "ab"), "");
    struct match_span one;
    struct pattern *p = compile("@(a)(b)", 0);
    assert_int_equal(pattern_search(p, "xa(b)", 5, 0, &one, 1), 1);
    assert_int_equal(one.start, 1);
    assert_int_equal(pattern_search(p, "xa(b)", 5, 2, &one, 1), 0);
    pattern_free(p);
    /* Behind the start nothing is the beginning of the text. */
    p = compile("^b|\\<c", PATTERN_REGEX);
    assert_int_equal(pattern_search(p, "ab", 2, 1, &one, 1), 0);
    assert_int_equal(pattern_search(p, "ac", 2, 1, &one, 1), 0);
    assert_int_equal(pattern_search(p, "a c", 3, 1, &one, 1), 1);
    pattern_free(p);
}

static void test_prefix_suffix(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        ptrdiff_t values[4]; /* shortest and longest prefix, shortest and longest suffix */
    } examples[] = {
        { "*/", "/usr/lib/x", { 1, 9, -1, -1 } }, { ".*", "foo.tar.gz", { -1, -1, 7, 3 } },
        { "*.", "foo.tar.gz", { 4, 8, -1, -1 } }, { "+(a)", "aaba", { 1, 2, 3, 3 } },
        { "*(a)", "aaba", { 0, 2, 4, 3 } },       { "@(b|ab)", "abaab", { 2, 2, 4, 3 } },
        { "~(E)a+", "aab", { 1, 2, -1, -1 } },    { "~(E)a+|b", "aab", { 1, 2, 2, 2 } },
        { "~(E)[ab]+", "xab", { -1, -1, 2, 1 } }, { "~(E)b*", "xbb", { 0, 0, 3, 1 } },
        { "~(Er)a+", "aab", { -1, -1, -1, -1 } }, { "~(Er)[ab]+", "aab", { 3, 3, 2, 0 } },
        { "~(El)b+", "abb", { -1, -1, -1, -1 } }, { "~(E)a$", "aa", { -1, -1, 1, 1 } },
        { "*", "abc", { 0, 3, 3, 0 } },           { "", "abc", { 0, 0, 3, 3 } },
        { "!(x)", "abc", { 0, 3, 3, 0 } },        { "~(E)x=[0-9]+;", "x=12;y", { 5, 5, -1, -1 } },
        { "a*b", "abab", { 2, 4, 2, 0 } },
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const char *text = examples[i].text;
        size_t len = strlen(text);
        struct pattern *p = compile(examples[i].pattern, 0);
        ptrdiff_t got[4] = { pattern_prefix(p, text, len, false),
                             pattern_prefix(p, text, len, true),
                             pattern_suffix(p, text, len, false),
                             pattern_suffix(p, text, len, true) };
        for (unsigned k = 0; k < 4; k++) {
            if (got[k] != examples[i].values[k])
                fail_msg("%s on %s: value %u is %td", examples[i].pattern, text, k, got[k]);
        }
        pattern_free(p);
    }
}

static void test_literals(void **state)
{
    (void)state;
    char text[20];
    assert_true(pattern_is_literal("abc", 3, 0));
    assert_true(pattern_is_literal("a\\*b", 4, 0));
    assert_false(pattern_is_literal("a*", 2, 0));
    assert_false(pattern_is_literal("a\\w", 3, 0));
    assert_true(pattern_is_literal("a\\w", 3, PATTERN_PERIOD));
    assert_false(pattern_is_literal("@(a)", 4, 0));
    assert_int_equal(pattern_unescape("a\\*\\\\b\\", 7, text), 5);
    assert_memory_equal(text, "a*\\b\\", 5);
}

static void test_nul_bytes(void **state)
{
    (void)state;
    static const char *const patterns[] = { "a?b", "a@(?)b", "a!(c)b", "a[!x]b" };
    for (unsigned i = 0; i < 4; i++) {
        struct pattern *p = compile(patterns[i], 0);
        assert_true(pattern_matches(p, "a\0b", 3));
        assert_false(pattern_matches(p, "ab\0", 3));
        pattern_free(p);
    }
    struct pattern *p = pattern_compile(mem_region_malloc(), "a\0*", 3, 0);
    assert_true(pattern_matches(p, "a\0x", 3));
    assert_false(pattern_matches(p, "abx", 3));
    pattern_free(p);
    p = compile("~(E)a[^b]b", 0);
    assert_true(pattern_matches(p, "xa\0b", 4));
    pattern_free(p);
}

static void test_no_explosion(void **state)
{
    (void)state;
    static char text[10000];
    memset(text, 'a', sizeof text);
    static const char *const patterns[] = { "*a*a*a*a*b",    "+(a|aa)+(a|aa)b", "*(*(*(a)))b",
                                            "!(*a*)",        "*(a|a|a)@(b)",    "x!(*b)",
                                            "{1,500}(a|aa)b" };
    for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct pattern *p = compile(patterns[i], 0);
        assert_false(pattern_matches(p, text, sizeof text));
        pattern_free(p);
    }
    struct pattern *p = compile("(a*)*(a|aa)*b", PATTERN_REGEX);
    assert_false(pattern_matches(p, text, sizeof text));
    pattern_free(p);
    p = compile("@(*(a))@(*(a))@(*(a))\\1\\2b", 0); /* gives up at last, but in bounded time */
    assert_false(pattern_matches(p, text, 200));
    pattern_free(p);
}

static void test_big_patterns(void **state)
{
    (void)state;
    static char text[100000];
    size_t len = (size_t)snprintf(text, sizeof text, "@(");
    for (int i = 0; i < 3000; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "word%d|", i);
    snprintf(text + len, sizeof text - len, "last)");
    struct pattern *p = compile(text, 0);
    assert_true(pattern_matches(p, "last", 4));
    assert_true(pattern_matches(p, "word2999", 8));
    assert_false(pattern_matches(p, "word3000", 8));
    pattern_free(p);
    /* Too deep or too big: literal text, no crash. */
    for (len = 0; len < 40000; len += 2)
        memcpy(text + len, "@(", 2);
    memset(text + len, ')', len / 2);
    p = pattern_compile(mem_region_malloc(), text, len + len / 2, 0);
    assert_non_null(p);
    assert_true(pattern_matches(p, text, len + len / 2));
    pattern_free(p);
    p = compile("{9999}({9999}(a))", 0);
    assert_false(pattern_matches(p, "a", 1));
    pattern_free(p);
    /* More groups than are captured. */
    len = 0;
    for (int i = 0; i < 150; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "@(a)");
    p = compile(text, 0);
    char as[150];
    memset(as, 'a', sizeof as);
    struct match_span spans[MATCH_CAPTURE_MAX];
    assert_int_equal(pattern_search(p, as, sizeof as, 0, spans, MATCH_CAPTURE_MAX),
                     MATCH_CAPTURE_MAX);
    assert_int_equal(spans[99].start, 98);
    pattern_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_options),      cmocka_unit_test(test_regex),
        cmocka_unit_test(test_period),       cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_spans),        cmocka_unit_test(test_prefix_suffix),
        cmocka_unit_test(test_literals),     cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_no_explosion), cmocka_unit_test(test_big_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
