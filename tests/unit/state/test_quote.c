/* text_quote: the decisions of ksh93's printf %q. */
#include "state_test.h"

#include <locale.h>

#include "shell/base/utf8.h"

struct row {
    const char *text, *quoted;
};

static void check(struct shell *sh, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str s;
        str_init(&s, sh->scratch);
        text_quote(&s, rows[i].text, strlen(rows[i].text));
        assert_string_equal(str_text(&s), rows[i].quoted);
    }
}

static void test_ascii(void **state)
{
    static const struct row rows[] = {
        { "", "''" },
        { "a", "a" },
        { "a b", "'a b'" },
        { "it's", "$'it\\'s'" },
        { "a\nb", "$'a\\nb'" },
        { "\001x", "$'\\x01x'" },
        { "\0019", "$'\\x[01]9'" },
        { "\033[1m", "$'\\E[1m'" },
        { "a=b", "a=b" },
        { "~x", "'~x'" },
        { "a~b", "'a~b'" },
        { "/~", "/~" },
        { "-~", "-~" },
        { "1~", "1~" },
        { "#a", "'#a'" },
        { "a#b", "'a#b'" },
        { "a/b#c", "a/b#c" },
        { "{a,b}", "'{a,b}'" },
        { "a*", "'a*'" },
        { "a!b", "a!b" },
        { "a,b:c/d@e%f+g-h.i_j^k", "a,b:c/d@e%f+g-h.i_j^k" },
        { "a\\b", "'a\\b'" },
        { "\"", "'\"'" },
        { "[x", "'[x'" },
        { "]", "']'" },
        { "=", "'='" },
        { "a=", "a=" },
        { "=a", "'=a'" },
        { "a==", "a==''" },
        { "a==b", "a==b" },
        { "a=~b", "a='~b'" },
        { "a=b=c", "a='b=c'" },
        { "a=b~c", "a=b~c" },
        { "-n", "-n" },
        { "a?", "'a?'" },
        { "`", "'`'" },
        { "if", "if" },
        { "x y=z", "'x y=z'" },
        { "x=y z", "x='y z'" },
        { "x=it's", "x=$'it\\'s'" },
        { "x=\n", "x=$'\\n'" },
        { "1=a b", "'1=a b'" },
        { "!", "!" },
        { "%1", "%1" },
        { ":", ":" },
        { "a.b=c", "'a.b=c'" },
        { "a\\\nb", "$'a\\\\\\nb'" },
        { "\t", "$'\\t'" },
        { "\x7f", "$'\\x7f'" },
        { "\v", "$'\\x0b'" },
        { "\xc3\xa9", "$'\\xc3\\xa9'" },
        { "\xff"
          "b",
          "$'\\x[ff]b'" },
    };
    check(*state, rows, sizeof rows / sizeof *rows);
}

static void test_utf8(void **state)
{
    static const struct row rows[] = {
        { "\xc3\xa9", "\xc3\xa9" },         { "\xc3\xa9 b", "'\xc3\xa9 b'" },
        { "\xc3\xa9\n", "$'\xc3\xa9\\n'" }, { "\xe2\x80\x8b", "$'\\u[200b]'" },
        { "\xc2\x85", "$'\\u[85]'" },       { "\xc3\xa9\xff", "$'\xc3\xa9\\xff'" },
        { "a\xc3\xa9~", "'a\xc3\xa9~'" },   { "\xc3\xa9=b", "\xc3\xa9=b" },
    };
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    utf8_refresh();
    check(*state, rows, sizeof rows / sizeof *rows);
    setlocale(LC_CTYPE, "C");
    utf8_refresh();
}

int main(void)
{
    const struct CMUnitTest tests[] = { state_test(test_ascii), state_test(test_utf8) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
