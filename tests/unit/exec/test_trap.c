/* Traps: names, when actions run, and where they are active. */
#include "run_script.h"

#include <signal.h>

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(trap_parse("INT"), SIGINT);
    assert_int_equal(trap_parse("SIGINT"), SIGINT);
    assert_int_equal(trap_parse("int"), SIGINT);
    assert_int_equal(trap_parse("2"), SIGINT);
    assert_int_equal(trap_parse("EXIT"), TRAP_EXIT);
    assert_int_equal(trap_parse("0"), TRAP_EXIT);
    assert_int_equal(trap_parse("ERR"), TRAP_ERR);
    assert_int_equal(trap_parse("DEBUG"), TRAP_DEBUG);
    assert_int_equal(trap_parse("CLD"), SIGCHLD);
    assert_int_equal(trap_parse("RTMIN+1"), SIGRTMIN + 1);
    assert_int_equal(trap_parse("NOSUCH"), -1);
    assert_int_equal(trap_parse("2x"), -1);
    assert_int_equal(trap_parse("65"), -1);
    assert_int_equal(trap_parse(""), -1);
    for (int signal = 1; signal < SIGRTMIN; signal++) {
        if (trap_name(signal))
            assert_int_equal(trap_parse(trap_name(signal)), signal);
    }
    assert_null(trap_name(-1));
    assert_null(trap_name(100));
}

static void test_signals(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "trap 'echo got' USR1; kill -USR1 $$; echo after", "got\nafter\n", 0 },
        { "trap 'echo got $?; false' USR1; (exit 3); kill -USR1 $$; echo $?", "got 0\n0\n", 0 },
        { "trap '' USR1; kill -USR1 $$; echo on; sh -c 'kill -USR1 $$; echo alive'; trap - USR1",
          "on\nalive\n", 0 },
        { "trap 'echo one; kill -USR2 $$; echo end' USR1; trap 'echo two' USR2; kill -USR1 $$",
          "one\ntwo\nend\n", 0 },
        { "trap 'echo got' USR1; sh -c \"kill -USR1 $$; echo slept\"; echo after",
          "slept\ngot\nafter\n", 0 },
        { "trap 'echo got' USR1; sleep 60 & p=$!; (until grep -q '^State:.S' /proc/$$/status; do "
          ":; done; kill -USR1 $$) & wait $p; (($? > 128)) && echo cut; kill $p",
          "got\ncut\n", 0 },
        { "trap 'exit 5' USR1; kill -USR1 $$; echo no", "", 5 },
        { "trap 'echo sub' USR1; (trap 'echo in' USR1; kill -USR1 $$; echo end); echo out",
          "end\nsub\nout\n", 0 },
        { "trap 'echo got' USR1; (kill -USR1 $$; echo end); echo out", "end\ngot\nout\n", 0 },
        { "trap 'echo got' CHLD; /bin/true; sleep 0.05 & wait; trap - CHLD; echo end", "got\nend\n",
          0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_scope(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "trap 'echo a' USR1; (trap; trap 'echo b' USR2; trap); trap",
          "trap -- 'echo a' USR1\ntrap -- 'echo b' USR2\ntrap -- 'echo a' USR1\n", 0 },
        { "trap 'echo a' USR1; x=$(trap); eval \"$x\"; kill -USR1 $$", "a\n", 0 },
        { "function f { trap 'echo f' USR1; kill -USR1 $$; }; trap 'echo o' USR1; f; kill -USR1 $$",
          "f\no\n", 0 },
        { "function f { kill -USR1 $$; echo no; }; trap 'echo o' USR1; f; echo after", "o\nafter\n",
          0 },
        { "f() { trap 'echo f' USR1; }; f; kill -USR1 $$", "f\n", 0 },
        { "function f { trap 'echo out' EXIT; echo in; return 3; }; f; echo $?", "in\nout\n3\n",
          0 },
        { "(trap 'echo sub' EXIT; echo in); echo $(trap 'echo bye' EXIT; echo x)",
          "in\nsub\nx bye\n", 0 },
        { "trap 'echo E' ERR; function f { false; true; }; f; g() { false; true; }; g", "E\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_pseudo(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "trap 'echo err $?' ERR; false; false || :; if false; then :; fi; ! true; (exit 4)",
          "err 1\nerr 4\n", 4 },
        { "trap 'echo D' DEBUG; :; trap - DEBUG; echo x", "D\nD\nx\n", 0 },
        { "trap 'false' ERR; false; echo $?", "1\n", 0 },
        { "trap '[[ ${.sh.command} == *no* ]] && exit 2' DEBUG; echo yes", "yes\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_scope),
        cmocka_unit_test(test_pseudo),
    };
    struct test_group group = { tests, sizeof tests / sizeof *tests };
    return stack_run(test_group_run, &group);
}
