/* Errors, scratch text, interned names, and that a shell leaves nothing behind. */
#include "state_test.h"

static void test_error_text(void **state)
{
    struct shell *sh = *state;
    sh->file = "script";
    sh->line = 12;
    assert_int_equal(shell_fail(sh, ERROR_ASSIGN, 3, "x", "is %s only", "read"), FLOW_ERROR);
    assert_string_equal(sh->err.text, "x: is read only");
    assert_int_equal(sh->err.line, 12);
    assert_int_equal(sh->err.status, 3);
    assert_string_equal(sh->err.file, "script");
    assert_int_equal(shell_fail_memory(sh, 77), FLOW_ERROR);
    assert_string_equal(sh->err.text, "cannot allocate 77 bytes");
    char *what = calloc(1, 5000);
    memset(what, 'w', 4999);
    assert_int_equal(shell_fail(sh, ERROR_ASSIGN, 1, what, "why"), FLOW_ERROR);
    assert_int_equal(strlen(sh->err.text), sizeof sh->err.text - 1);
    free(what);
}

static void test_names(void **state)
{
    struct shell *sh = *state;
    struct name *a = name_intern(sh, "abc", 3);
    assert_ptr_equal(name_intern(sh, "abcd", 3), a);
    assert_ptr_equal(name_find(sh, "abc", 3), a);
    assert_null(name_find(sh, "never", 5));
    assert_string_equal(a->text, "abc");
    assert_false(a->dotted);
    assert_true(name_intern(sh, "a.b", 3)->dotted);
}

static void test_depth(void **state)
{
    struct shell *sh = *state;
    for (int i = 0; i < SHELL_DEPTH_MAX; i++)
        assert_true(shell_enter(sh));
    assert_false(shell_enter(sh));
    sh->depth = 0;
}

static void test_many_shells(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct shell *sh = shell_new();
        assert_non_null(sh);
        assert_set(sh, "x", "a text that is too long to be kept inline");
        assert_int_equal(set_ref(sh, index_of(sh, "a", 1000000), "y"), FLOW_NEXT);
        assert_int_equal(shell_free_counted(sh), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { state_test(test_error_text), state_test(test_names),
                                        state_test(test_depth),
                                        cmocka_unit_test(test_many_shells) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
