/* Disciplines, called through the hook: what they see, what they may change, when they are not
 * called. */
#include "tests/unit/state/state_test.h"

#include <stdio.h>

#include "shell/state/discipline.h"
#include "shell/state/func.h"

static int calls;
static char seen[64];
static const char *answer; /* what the discipline says; NULL: nothing */
static bool touches_itself;

static enum flow call(struct shell *sh, struct func *func, size_t argc, const char *const *argv)
{
    const char *value = var_text(sh, ".sh.value"), *subscript = var_text(sh, ".sh.subscript");
    (void)func;
    (void)argc;
    calls++;
    snprintf(seen, sizeof seen, "%s %s[%s] %s", argv[0], var_text(sh, ".sh.name"), subscript,
             value ? value : "-");
    if (touches_itself)
        TRY(var_set_text(sh, "x", "inner"));
    sh->status = 7;
    return answer ? var_set_text(sh, ".sh.value", answer) : FLOW_NEXT;
}

/* Defines a function without a body: only the hook above is ever called. */
static void define(struct shell *sh, const char *name)
{
    sh->hooks.call_function = call;
    assert_int_equal(discipline_attach(sh, name_of(sh, name)), FLOW_NEXT);
    assert_int_equal(func_declare_autoload(sh, name_of(sh, name)), FLOW_NEXT);
    calls = 0;
    answer = NULL;
    touches_itself = false;
}

static void set_may_change_and_refuse(void **state)
{
    struct shell *sh = *state;
    define(sh, "x.set");
    answer = "other";
    sh->status = 3;
    assert_int_equal(var_set_text(sh, "x", "given"), FLOW_NEXT);
    assert_string_equal(seen, "x.set x[] given");
    assert_value(sh, "x", "other");
    assert_int_equal(sh->status, 3);
    assert_int_equal(sh->frame == sh->base_frame, 1);
    assert_null(name_of(sh, ".sh.value")->cur);
    struct var_ref x = ref_of(sh, "x");
    assert_int_equal(var_set_num(sh, &x, num_int(5), 0), FLOW_NEXT);
    assert_string_equal(seen, "x.set x[] 5");
    calls = 0;
    assert_int_equal(var_set(sh, &x, "more", 4, ASSIGN_APPEND), FLOW_NEXT);
    assert_int_equal(calls, 0); /* that is for x.append */
    assert_value(sh, "x", "othermore");
}

static void get_is_called_for_reading(void **state)
{
    struct shell *sh = *state;
    define(sh, "x.get");
    struct var_ref x = ref_of(sh, "x");
    assert_true(var_is_set(sh, &x));
    assert_int_equal(calls, 0);
    assert_null(get(sh, "x"));
    answer = "12";
    assert_value(sh, "x", "12");
    assert_string_equal(seen, "x.get x[] -");
    struct num n;
    assert_int_equal(var_get_num(sh, &x, &n), FLOW_NEXT);
    assert_int_equal(n.i, 12);
    assert_int_equal(calls, 3);
}

static void elements_have_their_subscript(void **state)
{
    struct shell *sh = *state;
    struct var_ref two = { .name = name_of(sh, "x"), .kind = REF_INDEX, .index = 2 };
    define(sh, "x.set");
    answer = "v";
    assert_int_equal(var_set(sh, &two, "given", 5, 0), FLOW_NEXT);
    assert_string_equal(seen, "x.set x[2] given");
    assert_int_equal(var_count(sh, two.name), 1);
}

static void a_discipline_is_not_called_for_itself(void **state)
{
    struct shell *sh = *state;
    define(sh, "x.set");
    answer = "outer";
    touches_itself = true;
    assert_int_equal(var_set_text(sh, "x", "given"), FLOW_NEXT);
    assert_int_equal(calls, 1);
    assert_value(sh, "x", "outer");
}

static void unset_ends_them(void **state)
{
    struct shell *sh = *state;
    struct frame frame;
    struct var_ref x = ref_of(sh, "x");
    define(sh, "x.unset");
    assert_int_equal(var_set_text(sh, "x", "v"), FLOW_NEXT);
    frame_push(sh, &frame, FRAME_SUBSHELL);
    assert_int_equal(var_unset(sh, &x, false), FLOW_NEXT);
    assert_int_equal(calls, 1);
    assert_false(var_is_set(sh, &x));
    assert_null(name_of(sh, "x.unset")->func);
    assert_int_equal(var_set_text(sh, "x", "w"), FLOW_NEXT);
    assert_int_equal(var_unset(sh, &x, false), FLOW_NEXT);
    assert_int_equal(calls, 1);
    frame_pop(sh, &frame);
    assert_value(sh, "x", "v");
    assert_int_equal(var_unset(sh, &x, false), FLOW_NEXT);
    assert_int_equal(calls, 2);
}

static void others_are_refused(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(discipline_attach(sh, name_of(sh, "x.foo")), FLOW_NEXT);
    assert_int_equal(var_set_text(sh, "y", "1"), FLOW_NEXT);
    assert_int_equal(discipline_attach(sh, name_of(sh, "y.foo")), FLOW_ERROR);
    assert_int_equal(discipline_attach(sh, name_of(sh, ".sh.math.f")), FLOW_NEXT);
    assert_null(name_of(sh, "x")->cur);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(set_may_change_and_refuse),
        state_test(get_is_called_for_reading),
        state_test(elements_have_their_subscript),
        state_test(a_discipline_is_not_called_for_itself),
        state_test(unset_ends_them),
        state_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
