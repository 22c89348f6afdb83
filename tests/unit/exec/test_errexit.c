/* set -e and the ERR trap: where they look and where they do not (POSIX set -e). */
#include "run_script.h"

static void test_errexit(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "set -e; false; echo no", "", 1 },
        { "set -e; (exit 3); echo no", "", 3 },
        { "set -e; true | (exit 4); echo no", "", 4 },
        { "set -e; (exit 4) | true; echo yes", "yes\n", 0 },
        { "set -eo pipefail; (exit 4) | true; echo no", "", 4 },
        { "set -e; false || true; false && true; ! true; echo yes", "yes\n", 0 },
        { "set -e; true && false; echo no", "", 1 },
        { "set -e; if false; then :; fi; while false; do :; done; until true; do :; done; echo yes",
          "yes\n", 0 },
        { "set -e; f() { false; echo in; }; f || echo no; f && echo and; if f; then echo if; fi; "
          "f; echo no",
          "in\nin\nand\nin\nif\n", 1 },
        { "set -e; x=$(false; echo no); echo no", "", 1 },
        { "set -e; echo $(false; echo no); echo yes", "\nyes\n", 0 },
        { "set -e; ((1)); echo yes; ((0)); echo no", "yes\n", 1 },
        { "set -e; let 1; echo yes; let 0; echo no", "yes\n", 1 },
        { "set -e; [[ a == b ]]; echo no", "", 1 },
        { "set -e; { false && true; }; echo yes", "yes\n", 0 },
        { "set -e; (false; echo no) || echo or", "no\n", 0 },
        { "set -e; for i in 1; do false; echo no; done", "", 1 },
        { "set -e; { echo x >/nonexistent/f; } 2>/dev/null; echo no", "", 1 },
        { "set -e; trap 'echo bye $?' EXIT; (exit 9); echo no", "", 9 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_err_trap(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "trap 'echo err $?' ERR; false; (exit 3); true", "err 1\nerr 3\n", 0 },
        { "trap 'echo err' ERR; ! true; false || true; if false; then :; fi; true", "", 0 },
        { "trap 'echo err' ERR; f() { false; true; }; f; function g { false; true; }; g", "err\n",
          0 },
        { "trap 'echo err' ERR; (false; true); true", "", 0 },
        { "set -e; trap 'echo err' ERR; false", "err\n", 1 },
        { "trap 'echo err; false; true' ERR; false; true", "err\n", 0 },
        { "trap 'echo err' ERR; true | false; true", "err\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_debug_trap(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "trap 'echo d' DEBUG; : a; x=1; ((1)); [[ a ]]; trap - DEBUG; :", "d\nd\nd\nd\nd\n", 0 },
        { "function skip { [[ ${.sh.command} == *danger* ]] && return 2; return 0; }; trap skip "
          "DEBUG; echo safe; "
          "echo danger; echo too",
          "safe\ntoo\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errexit),
        cmocka_unit_test(test_err_trap),
        cmocka_unit_test(test_debug_trap),
    };
    struct test_group group = { tests, sizeof tests / sizeof *tests };
    return stack_run(test_group_run, &group);
}
