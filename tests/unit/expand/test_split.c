/* Field splitting: the cuts themselves, and what they make of words. Answers are ksh93's. */
#include "expand_test.h"
#include "shell/expand/split.h"

/* All fields of TEXT by the IFS in force. */
static const char *cuts(const char *text, const uint8_t *escaped)
{
    size_t pos = 0, start, end, used = 0, len = strlen(text);
    shown[0] = '\0';
    while (split_next(sh->ifs, text, len, escaped, &pos, &start, &end))
        used += (size_t)snprintf(shown + used, sizeof shown - used, "<%.*s>", (int)(end - start),
                                 text + start);
    return shown;
}

static void test_cuts(void **state)
{
    (void)state;
    assert_string_equal(cuts("  a b\t\nc ", NULL), "<a><b><c>");
    assert_string_equal(cuts("", NULL), "");
    assert_string_equal(cuts("   ", NULL), "");
    set("IFS", ":");
    assert_string_equal(cuts("a:b:", NULL), "<a><b>");
    assert_string_equal(cuts(":a::b", NULL), "<><a><><b>");
    assert_string_equal(cuts("::", NULL), "<><>");
    assert_string_equal(cuts(" a : b ", NULL), "< a >< b >");
    set("IFS", " :");
    assert_string_equal(cuts("a : b", NULL), "<a><b>");
    assert_string_equal(cuts(" :a :: b: :c ", NULL), "<><a><><b><><c>");
    set("IFS", "");
    assert_string_equal(cuts("a b", NULL), "<a b>");
}

static void test_cuts_escaped(void **state)
{
    (void)state;
    uint8_t escaped[1] = { 1u << 1 };
    assert_string_equal(cuts("a b c", escaped), "<a b><c>");
}

static void check_rest(const char *text, size_t pos, const char *want)
{
    size_t start, end;
    split_rest(sh->ifs, text, strlen(text), NULL, pos, &start, &end);
    assert_int_equal(end - start, strlen(want));
    assert_memory_equal(text + start, want, strlen(want));
}

static void test_rest(void **state)
{
    (void)state;
    check_rest("a  b c  ", 1, "b c");
    check_rest("a", 1, "");
    set("IFS", ":");
    check_rest("a:b:c", 2, "b:c");
    check_rest("a:b:", 2, "b");
    check_rest("a:b::", 2, "b::");
    check_rest("a::", 2, "");
    set("IFS", ": ");
    check_rest("a: b : ", 2, "b");
    check_rest("a: b :c ", 2, "b :c");
}

static void test_words_colon(void **state)
{
    (void)state;
    set("IFS", ":");
    set("x", "a:b:");
    set("y", "a::b");
    set("z", ":a");
    set("c", ":");
    set("cc", "::");
    set("s", " a : b ");
    set("e", "");
    static const struct check checks[] = {
        { "$x", "<a><b>" },
        { "$y", "<a><><b>" },
        { "$z", "<><a>" },
        { "$c", "<>" },
        { "$cc", "<><>" },
        { "$s", "< a >< b >" },
        { "${x}b", "<a><b><b>" },
        { "$z\"\"", "<><a>" },
        { "b$z", "<b><a>" },
        { "\"\"$z", "<><a>" },
        { "$z$z", "<><a><a>" },
        { "$e", "" },
        { "$e$e", "" },
        { "\"$e\"", "<>" },
        { "$e\"\"", "<>" },
        { "\"$x\"", "<a:b:>" },
        { "a:b", "<a:b>" },
        { "$y$y", "<a><><ba><><b>" },
        { "${n:-a:b}", "<a><b>" },
        { "${n:-\"a:b\"}", "<a:b>" },
        { "$(print p:q)", "<p><q>" },
    };
    CHECK(checks);
}

static void test_words_mixed(void **state)
{
    (void)state;
    set("IFS", " :");
    set("x", "a : b");
    set("a", "a ");
    set("c", " :a");
    set("d", "a :: b");
    set("y", ":b");
    set("s", " ");
    set("t", ": ");
    static const struct check checks[] = {
        { "$x", "<a><b>" },        { "$c", "<><a>" },     { "$d", "<a><><b>" },
        { "$a$a", "<a><a>" },      { "${a}b", "<a><b>" }, { "$a$y", "<a><><b>" },
        { "\"\"$a\"\"", "<a><>" }, { "$s", "" },          { "\"\"$s", "<>" },
        { "a${s}b", "<a><b>" },    { "$s\"\"", "<>" },    { "$t", "<>" },
        { "$t\"q\"", "<><q>" },
    };
    CHECK(checks);
}

static void test_words_wide(void **state)
{
    (void)state;
    if (!utf8_active)
        skip();
    set("IFS", "é");
    set("x", "aéb");
    set("y", "éaéé");
    static const char *const params[] = { "a", "b" };
    set_params(2, params);
    static const struct check checks[] = {
        { "$x", "<a><b>" },
        { "$y", "<><a><>" },
        { "\"$*\"", "<aéb>" },
        { "\"$x\"", "<aéb>" },
    };
    CHECK(checks);
}

static void test_words_no_ifs(void **state)
{
    (void)state;
    static const char *const params[] = { "a b", "c:d" };
    set_params(2, params);
    set("x", " a  b ");
    set("IFS", "");
    static const struct check empty[] = {
        { "$x", "< a  b >" },
        { "$@", "<a b><c:d>" },
        { "$*", "<a b><c:d>" },
        { "\"$*\"", "<a bc:d>" },
    };
    CHECK(empty);
    unset("IFS");
    static const struct check without[] = {
        { "$x", "<a><b>" },
        { "$@", "<a><b><c:d>" },
        { "\"$*\"", "<a b c:d>" },
    };
    CHECK(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cuts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cuts_escaped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words_colon, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words_mixed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words_wide, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words_no_ifs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
