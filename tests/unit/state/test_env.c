/* The environment: in, defaults, and out again. */
#include "state_test.h"

#include "shell/state/env.h"

static const char *find(char *const *envp, const char *name)
{
    size_t len = strlen(name);
    for (; *envp; envp++)
        if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
            return *envp + len + 1;
    return NULL;
}

static char *const environment[] = {
    (char[]){ "HOME=/home/me" }, (char[]){ "odd-name=1" },
    (char[]){ "IFS=x" },         (char[]){ "SHLVL=3" },
    (char[]){ "N=007" },         (char[]){ "EMPTY=" },
    (char[]){ "no sign" },       NULL,
};

static void test_round_trip(void **state)
{
    struct shell *sh = *state;
    char *const *envp, *const *again;
    assert_int_equal(env_import(sh, environment), FLOW_NEXT);
    assert_value(sh, "HOME", "/home/me");
    assert_value(sh, "N", "007");
    assert_value(sh, "IFS", " \t\n");
    assert_value(sh, "SHLVL", "4");
    assert_value(sh, "OPTIND", "1");
    assert_value(sh, "PS4", "+ ");
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "HOME"), "/home/me");
    assert_string_equal(find(envp, "odd-name"), "1");
    assert_string_equal(find(envp, "SHLVL"), "4");
    assert_string_equal(find(envp, "EMPTY"), "");
    assert_string_equal(find(envp, "IFS"), " \t\n"); /* exported, but with the own value */
    assert_null(find(envp, "PS4"));
    assert_set(sh, "plain", "1");
    assert_int_equal(env_build(sh, NULL, &again), FLOW_NEXT);
    assert_ptr_equal(envp, again); /* nothing exported changed */
    assert_null(find(again, "_"));
    assert_int_equal(env_build(sh, "/bin/x", &again), FLOW_NEXT);
    assert_non_null(strstr(find(again, "_"), "*/bin/x"));
    assert_string_equal(find(again, "HOME"), "/home/me");
}

static void test_changes(void **state)
{
    struct shell *sh = *state;
    char *const *envp;
    assert_int_equal(env_import(sh, environment), FLOW_NEXT);
    struct frame command;
    frame_push(sh, &command, FRAME_CMD);
    assert_int_equal(var_set_name(sh, name_of(sh, "t"), "1", 1, ASSIGN_TEMP), FLOW_NEXT);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "t"), "1");
    frame_pop(sh, &command);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_null(find(envp, "t"));
    struct frame sub;
    frame_push(sh, &sub, FRAME_SUBSHELL);
    assert_set(sh, "HOME", "/other");
    struct var_ref ref = ref_of(sh, "N");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "HOME"), "/other");
    assert_null(find(envp, "N"));
    frame_pop(sh, &sub);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "HOME"), "/home/me");
    assert_string_equal(find(envp, "N"), "007");
}

/* A local that is not exported keeps the exported global from children, until it is gone or hidden.
 */
static void test_locals(void **state)
{
    struct shell *sh = *state;
    char *const *envp;
    struct frame f, g;
    assert_int_equal(env_import(sh, environment), FLOW_NEXT);
    frame_push(sh, &f, FRAME_FUNC);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "N"), "007");
    assert_int_equal(declare(sh, "N", 0, -1), FLOW_NEXT);
    assert_set(sh, "N", "local");
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_null(find(envp, "N"));
    frame_push(sh, &g, FRAME_FUNC);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "N"), "007");
    frame_pop(sh, &g);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_null(find(envp, "N"));
    frame_pop(sh, &f);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "N"), "007");
}

static void test_arrays_and_numbers(void **state)
{
    struct shell *sh = *state;
    char *const *envp;
    assert_int_equal(env_import(sh, environment), FLOW_NEXT);
    assert_int_equal(set_ref(sh, index_of(sh, "a", 1), "second"), FLOW_NEXT);
    assert_int_equal(set_ref(sh, index_of(sh, "a", 0), "first"), FLOW_NEXT);
    assert_int_equal(declare(sh, "a", VAR_EXPORT, -1), FLOW_NEXT);
    assert_int_equal(declare(sh, "i", VAR_EXPORT | VAR_INTEGER, 16), FLOW_NEXT);
    assert_set(sh, "i", "255");
    assert_int_equal(declare(sh, "none", VAR_EXPORT, -1), FLOW_NEXT);
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_string_equal(find(envp, "a"), "first");
    assert_string_equal(find(envp, "i"), "16#ff");
    assert_null(find(envp, "none"));
}

/* Attributes of exported variables come in and go out in A__z; what is odd there does no harm. */
static void test_shapes(void **state)
{
    struct shell *sh = *state;
    char *const *envp;
    char *const shaped[] = { (char[]){ "N=5" },
                             (char[]){ "Z=007" },
                             (char[]){ "U=ABC" },
                             (char[]){ "E=1+1" },
                             (char[]){ "A__z=\"*N=P Z=$ U=\"*E=\"*missing=\"*=x=\377\377N=" },
                             NULL };
    assert_int_equal(env_import(sh, shaped), FLOW_NEXT);
    assert_null(name_of(sh, "A__z")->cur);
    assert_true(name_of(sh, "N")->cur->attrs & VAR_INTEGER);
    assert_true(name_of(sh, "Z")->cur->attrs & VAR_ZERO);
    assert_int_equal(name_of(sh, "Z")->cur->width, 3);
    assert_true(name_of(sh, "U")->cur->attrs & VAR_UPPER);
    assert_false(name_of(sh, "E")->cur->attrs & VAR_INTEGER); /* no constant */
    assert_int_equal(env_build(sh, NULL, &envp), FLOW_NEXT);
    assert_non_null(find(envp, "A__z"));
    assert_null(strstr(find(envp, "A__z"), "SHLVL"));
    assert_non_null(strstr(find(envp, "A__z"), "\"*N"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { state_test(test_round_trip), state_test(test_changes),
                                        state_test(test_shapes), state_test(test_locals),
                                        state_test(test_arrays_and_numbers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
