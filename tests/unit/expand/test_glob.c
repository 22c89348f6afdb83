/* Braces, tildes and pathnames. Answers are ksh93's. */
#include "expand_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/glob-test-XXXXXX";
static const char *const files[] = { "ab", "ac", "ad", "aab", "a*b", ".hid", "d1/x", "d1/.y" };

static int make_files(void **state)
{
    (void)state;
    if (!mkdtemp(directory) || chdir(directory) != 0 || mkdir("d1", 0700) != 0)
        return -1;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        close(open(files[i], O_CREAT | O_WRONLY, 0600));
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(files[i]);
    rmdir("d1");
    return chdir("/") == 0 ? rmdir(directory) : -1;
}

static void test_braces(void **state)
{
    (void)state;
    set("y", "1 2");
    set("v", "{p,q}");
    set("w", "p,q");
    static const struct check checks[] = {
        { "{a,b}{c,d}", "<ac><ad><bc><bd>" },
        { "x{,y}z", "<xz><xyz>" },
        { "{,}", "<><>" },
        { "{}", "<{}>" },
        { "{a}", "<{a}>" },
        { "\"{a,b}\" \\{a,b}", "<{a,b}><{a,b}>" },
        { "{a\\,b,c} {a,\"b,c\"}", "<a,b><c><a><b,c>" },
        { "a{b,c{d,e}}f", "<abf><acdf><acef>" },
        { "{a,b", "<{a,b>" },
        { "a,b}", "<a,b}>" },
        { "{a,b}}", "<a}><b}>" },
        { "{{a,b}", "<{{a,b}>" },
        { "{{a,b},c}", "<a><b><c>" },
        { "{a}{b,c}", "<{a}b><{a}c>" },
        { "{a,b}{c", "<a{c><b{c>" },
        { "{$y,z}", "<1 2><z>" },
        { "$v", "<p><q>" },
        { "{$w,z}", "<p><q><z>" },
        { "\"$v\"", "<{p,q}>" },
        { "${n-{p,q}}", "<p><q>" },
        { "{1..3} {3..1} {a..c}", "<1><2><3><3><2><1><a><b><c>" },
        { "{1..10..3}", "<1><4><7><10>" },
        { "{-1..2}", "<-1><0><1><2>" },
        { "{z..w..2} {z..w..-2}", "<z><z><x>" },
        { "{1..3%02d} {10..12%X}", "<01><02><03><A><B><C>" },
        { "{1..3%-3d}", "<1  ><2  ><3  >" },
        { "{1..5..2%02d}", "<01><03><05>" },
        { "{1..3%s} {1..3%} {1..3%dx}", "<{1..3%s}><{1..3%}><{1..3%dx}>" },
        { "{1..5..0} {a..5} {1...3}", "<{1..5..0}><{a..5}><{1...3}>" },
        { "{0x1..3} {1..010..7}", "<1><2><3><1><8>" },
        { "{a{1..2},b}", "<a1><a2><b>" },
        { "{1..2,5}", "<1..2><5>" },
        { "{9223372036854775806..9223372036854775807}",
          "<9223372036854775806><9223372036854775807>" },
    };
    CHECK(checks);
    assert_int_equal(option_set(sh, OPTION_BRACEEXPAND, false), FLOW_NEXT);
    hooks.brace_expand = false;
    static const struct check off[] = { { "{a,b} $v", "<{a,b}><{p,q}>" } };
    CHECK(off);
}

static void test_pathnames(void **state)
{
    (void)state;
    set("x", "@(ab|ac)");
    set("b", "\\a*");
    set("s", "*");
    set("c", "[a]");
    static const struct check checks[] = {
        { "a*", "<a*b><aab><ab><ac><ad>" },
        { "a\\*b \"a*\"", "<a*b><a*>" },
        { "a[bc]", "<ab><ac>" },
        { "a[b", "<a[b>" },
        { "[!.]b", "<ab>" },
        { ".*", "<.hid>" },
        { "d1/*", "<d1/x>" },
        { "*/x", "<d1/x>" },
        { "*/", "<d1/>" },
        { "./a?", "<./ab><./ac><./ad>" },
        { "d1//*", "<d1//x>" },
        { "zz*", "<zz*>" },
        { "~(N)zz*", "" },
        { "~(i)A?", "<ab><ac><ad>" },
        { "!(a*)", "<d1>" },
        { "@(.hid|ab)", "<.hid><ab>" },
        { "[.]hid ?hid *hid", "<[.]hid><?hid><*hid>" },
        { "\"a\"?", "<ab><ac><ad>" },
        { "$x \"$x\"", "<@(ab|ac)><@(ab|ac)>" },
        { "$b", "<\\a*>" },
        { "d1/$s \"a$s\"", "<d1/x><a*>" },
        { "${c}b", "<ab>" },
        { "{1,2}(a)b", "<aab><ab>" },
        { "d{1,*}/x", "<d1/x><d1/x>" },
        { "a{c,nomatch*}", "<ac><anomatch*>" },
        { "**", "<a*b><aab><ab><ac><ad><d1>" },
        { "d1/nosuch* d1/x*", "<d1/nosuch*><d1/x>" },
        { "ab/*", "<ab/*>" },
        { "/nosuch/*", "</nosuch/*>" },
    };
    CHECK(checks);
    set("IFS", ":");
    set("t", "a?:zz*");
    assert_string_equal(fields_of("$t"), "<ab><ac><ad><zz*>");
}

static void test_pathname_options(void **state)
{
    (void)state;
    assert_int_equal(option_set(sh, OPTION_GLOBSTAR, true), FLOW_NEXT);
    static const struct check deep[] = {
        { "**", "<a*b><aab><ab><ac><ad><d1><d1/x>" },
        { "**/", "<d1/>" },
        { "**/x", "<d1/x>" },
        { "**/a?", "<ab><ac><ad>" },
    };
    CHECK(deep);
    assert_int_equal(option_set(sh, OPTION_MARKDIRS, true), FLOW_NEXT);
    assert_string_equal(fields_of("d*"), "<d1/>");
    set("FIGNORE", "@(a*|d1)");
    assert_string_equal(fields_of("*"), "<.hid>");
    assert_int_equal(option_set(sh, OPTION_NOGLOB, true), FLOW_NEXT);
    static const struct check off[] = { { "a* {b,c}*", "<a*><b*><c*>" } };
    CHECK(off);
}

static void test_tildes(void **state)
{
    (void)state;
    set("HOME", "/h");
    set("PWD", "/p");
    set("OLDPWD", "/o");
    static const struct check checks[] = {
        { "~ ~/x x~", "</h></h/x><x~>" },
        { "~+ ~-", "</p></o>" },
        { "\"~\" \\~ a:~", "<~><~><a:~>" },
        { "~no-such-user ~bin", "<~no-such-user></bin>" },
        { "${n:-~} ${n:-~/a} \"${n:-~}\"", "</h></h/a><~>" },
    };
    CHECK(checks);
    set("HOME", "/a b*");
    assert_string_equal(fields_of("~ ~/x"), "</a b*></a b*/x>");
    set("HOME", "/");
    assert_string_equal(fields_of("~/x ~"), "</x></>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_braces, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pathnames, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pathname_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tildes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
