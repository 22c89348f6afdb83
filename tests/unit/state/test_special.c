/* Variables with a meaning of their own. */
#include "state_test.h"

#include <stdio.h>
#include <unistd.h>

#include "shell/base/match.h"
#include "shell/base/utf8.h"
#include "shell/state/special.h"

static void test_random(void **state)
{
    struct shell *sh = *state;
    char first[3][8];
    assert_set(sh, "RANDOM", "42");
    for (int i = 0; i < 3; i++)
        snprintf(first[i], sizeof first[i], "%s", get(sh, "RANDOM"));
    assert_set(sh, "RANDOM", "42");
    for (int i = 0; i < 3; i++)
        assert_value(sh, "RANDOM", first[i]);
    for (int i = 0; i < 1000; i++)
        assert_in_range((int)strtol(get(sh, "RANDOM"), NULL, 10), 0, 32767);
    /* A seed set in a subshell is forgotten; numbers drawn there are others. */
    assert_set(sh, "RANDOM", "42");
    struct frame frame;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    get(sh, "RANDOM");
    assert_set(sh, "RANDOM", "7");
    get(sh, "RANDOM");
    frame_pop(sh, &frame);
    assert_value(sh, "RANDOM", first[0]);
}

static void test_seconds(void **state)
{
    struct shell *sh = *state;
    assert_true(atof(get(sh, "SECONDS")) < 5);
    struct frame frame;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    assert_set(sh, "SECONDS", "1000");
    assert_true(atof(get(sh, "SECONDS")) >= 1000);
    frame_pop(sh, &frame);
    assert_true(atof(get(sh, "SECONDS")) < 5);
    assert_non_null(strchr(get(sh, "SECONDS"), '.'));
    assert_int_equal(declare(sh, "SECONDS", VAR_INTEGER, -1), FLOW_NEXT);
    assert_null(strchr(get(sh, "SECONDS"), '.'));
}

static void test_lost_meaning(void **state)
{
    struct shell *sh = *state;
    static const char *const names[] = { "RANDOM", "SECONDS", "LINENO" };
    for (size_t i = 0; i < 3; i++) {
        struct var_ref ref = ref_of(sh, names[i]);
        assert_true(var_is_set(sh, &ref));
        assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
        assert_null(get(sh, names[i]));
        assert_set(sh, names[i], "plain");
        assert_value(sh, names[i], "plain");
    }
}

static void test_ifs(void **state)
{
    struct shell *sh = *state;
    assert_true(sh->ifs->is_default);
    assert_int_equal(sh->ifs->classes[' '], IFS_SPACE);
    assert_set(sh, "IFS", ":,");
    assert_int_equal(sh->ifs->classes[':'], IFS_OTHER);
    assert_int_equal(sh->ifs->classes[' '], IFS_NONE);
    assert_int_equal(*sh->ifs->first, ':');
    struct frame sub, func;
    frame_push(sh, &sub, FRAME_SUBSHELL);
    frame_push(sh, &func, FRAME_FUNC);
    assert_int_equal(declare(sh, "IFS", 0, -1), FLOW_NEXT);
    assert_set(sh, "IFS", "");
    assert_int_equal(sh->ifs->len, 0);
    assert_int_equal(sh->ifs->first_len, 0);
    frame_pop(sh, &func);
    assert_int_equal(sh->ifs->classes[':'], IFS_OTHER);
    struct var_ref ref = ref_of(sh, "IFS");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_true(sh->ifs->is_default);
    frame_pop(sh, &sub);
    assert_int_equal(sh->ifs->classes[':'], IFS_OTHER);
    frame_push(sh, &sub, FRAME_CMD);
    assert_int_equal(var_set_name(sh, ref.name, "x", 1, ASSIGN_TEMP), FLOW_NEXT);
    assert_int_equal(sh->ifs->classes['x'], IFS_OTHER);
    frame_pop(sh, &sub);
    assert_int_equal(sh->ifs->classes['x'], IFS_NONE);
    assert_int_equal(sh->ifs->classes[':'], IFS_OTHER);
}

static void test_locale(void **state)
{
    struct shell *sh = *state;
    assert_set(sh, "LC_ALL", "C.UTF-8");
    if (!utf8_active)
        skip();
    struct frame frame;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    assert_set(sh, "LC_ALL", "C");
    assert_false(utf8_active);
    frame_pop(sh, &frame);
    assert_true(utf8_active);
    struct var_ref ref = ref_of(sh, "LC_ALL");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_false(utf8_active);
}

static void test_match(void **state)
{
    struct shell *sh = *state;
    struct match_span spans[] = { { 0, 5 }, { 1, 3 }, { -1, -1 }, { 3, 3 } };
    assert_int_equal(special_set_match(sh, "hello", 5, spans, 4), FLOW_NEXT);
    assert_string_equal(get_ref(sh, index_of(sh, ".sh.match", 0)), "hello");
    assert_string_equal(get_ref(sh, index_of(sh, ".sh.match", 1)), "el");
    assert_null(get_ref(sh, index_of(sh, ".sh.match", 2)));
    assert_int_equal(var_count(sh, name_of(sh, ".sh.match")), 3);
    struct frame frame;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    struct match_span other = { 0, 2 };
    for (int i = 0; i < 10; i++)
        assert_int_equal(special_set_match(sh, "xy", 2, &other, 1), FLOW_NEXT);
    assert_string_equal(get(sh, ".sh.match"), "xy");
    frame_pop(sh, &frame);
    assert_string_equal(get(sh, ".sh.match"), "hello");
    assert_int_equal(special_set_match(sh, NULL, 0, NULL, 0), FLOW_NEXT);
    assert_null(get(sh, ".sh.match"));
}

static void test_shell_facts(void **state)
{
    struct shell *sh = *state;
    char pid[24];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_value(sh, ".sh.pid", pid);
    sh->line = 17;
    assert_value(sh, "LINENO", "17");
    assert_value(sh, ".sh.level", "0");
    assert_fails(sh, set(sh, ".sh.level", "3"), ".sh.level: is read only");
    struct frame frame;
    frame_push(sh, &frame, FRAME_FUNC);
    frame.function_name = "fun";
    sh->line = 99;
    assert_value(sh, ".sh.level", "1");
    assert_value(sh, ".sh.fun", "fun");
    assert_value(sh, ".sh.lineno", "17");
    frame_pop(sh, &frame);
    assert_int_equal(sh->line, 17);
    assert_non_null(strstr(get(sh, ".sh.version"), "93u+m"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_random),      state_test(test_seconds), state_test(test_lost_meaning),
        state_test(test_ifs),         state_test(test_locale),  state_test(test_match),
        state_test(test_shell_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
