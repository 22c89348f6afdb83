/* Options: names as users write them, exclusions, scope. */
#include "state_test.h"

#include "shell/state/option.h"

static void expect_name(const char *text, enum option wanted, bool wanted_inverted)
{
    enum option option = OPTION_COUNT;
    bool inverted = !wanted_inverted;
    if (!option_parse_name(text, &option, &inverted) || option != wanted ||
        inverted != wanted_inverted)
        fail_msg("%s: option %d, inverted %d", text, (int)option, inverted);
}

static void expect_unknown(const char *text)
{
    enum option option;
    bool inverted;
    if (option_parse_name(text, &option, &inverted))
        fail_msg("%s: taken for %s", text, option_info(option)->name);
}

static void test_names(void **state)
{
    (void)state;
    expect_name("errexit", OPTION_ERREXIT, false);
    expect_name("noerrexit", OPTION_ERREXIT, true);
    expect_name("err-exit", OPTION_ERREXIT, false);
    expect_name("no_err_exit", OPTION_ERREXIT, true);
    expect_name("errex", OPTION_ERREXIT, false);
    expect_name("clobber", OPTION_NOCLOBBER, true);
    expect_name("noclobber", OPTION_NOCLOBBER, false);
    expect_name("unset", OPTION_NOUNSET, true);
    expect_name("nounset", OPTION_NOUNSET, false);
    expect_name("notify", OPTION_NOTIFY, false);
    expect_name("nonotify", OPTION_NOTIFY, true);
    expect_name("log", OPTION_NOLOG, true);
    expect_name("login", OPTION_LOGIN_SHELL, false);
    expect_name("vi", OPTION_VI, false);
    expect_name("vir", OPTION_VIRAW, false);
    expect_unknown("");
    expect_unknown("no");
    expect_unknown("g");
    expect_unknown("hist");
    expect_unknown("errexits");
    for (enum option option = 0; option < OPTION_COUNT; option++)
        expect_name(option_info(option)->name, option, false);
}

static void test_letters(void **state)
{
    struct shell *sh = *state;
    enum option option;
    char letters[OPTION_COUNT + 1];
    assert_true(option_parse_letter('C', &option));
    assert_int_equal(option, OPTION_NOCLOBBER);
    assert_false(option_parse_letter('z', &option));
    assert_false(option_parse_letter('\0', &option));
    assert_int_equal(option_set(sh, OPTION_NOCLOBBER, true), FLOW_NEXT);
    assert_int_equal(option_set(sh, OPTION_ERREXIT, true), FLOW_NEXT);
    option_letters(sh, letters);
    assert_string_equal(letters, "ehBC");
}

static void test_exclusions(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(option_set(sh, OPTION_VI, true), FLOW_NEXT);
    assert_int_equal(option_set(sh, OPTION_EMACS, true), FLOW_NEXT);
    assert_true(option_on(sh, OPTION_EMACS) && !option_on(sh, OPTION_VI));
    assert_int_equal(option_set(sh, OPTION_POSIX, true), FLOW_NEXT);
    assert_true(option_on(sh, OPTION_LETOCTAL) && !option_on(sh, OPTION_BRACEEXPAND));
    assert_int_equal(option_set(sh, OPTION_POSIX, false), FLOW_NEXT);
    assert_true(!option_on(sh, OPTION_LETOCTAL) && option_on(sh, OPTION_BRACEEXPAND));
}

static void test_scope(void **state)
{
    struct shell *sh = *state;
    static const enum frame_kind local[] = { FRAME_SUBSHELL, FRAME_FUNC };
    for (size_t i = 0; i < 2; i++) {
        struct frame frame;
        frame_push(sh, &frame, local[i]);
        assert_int_equal(option_set(sh, OPTION_NOGLOB, true), FLOW_NEXT);
        assert_int_equal(option_set(sh, OPTION_NOUNSET, true), FLOW_NEXT);
        frame_pop(sh, &frame);
        assert_false(option_on(sh, OPTION_NOGLOB) || option_on(sh, OPTION_NOUNSET));
    }
    struct frame dot;
    frame_push(sh, &dot, FRAME_DOT);
    assert_int_equal(option_set(sh, OPTION_NOGLOB, true), FLOW_NEXT);
    assert_int_equal(option_set(sh, OPTION_STDIN, true), FLOW_ERROR);
    frame_pop(sh, &dot);
    assert_true(option_on(sh, OPTION_NOGLOB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_names),
        state_test(test_letters),
        state_test(test_exclusions),
        state_test(test_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
