/* Loops, branches, functions, and what travels through them: break, continue, return, exit. */
#include "run_script.h"

static void test_loops(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "i=0; while ((i < 3)); do echo $i; ((i++)); done", "0\n1\n2\n", 0 },
        { "i=2; until ((i == 0)); do echo $i; ((i--)); done", "2\n1\n", 0 },
        { "for ((i = 0; i < 2; i++)); do echo $i; done; for ((;;)); do break; done", "0\n1\n", 0 },
        { "for i in a 'b c'; do echo $i; done; false; for i in; do :; done; echo $?", "a\nb c\n0\n",
          0 },
        { "set -- x y; for i; do echo $i; set --; done", "x\ny\n", 0 },
        { "for i in 1 2; do for j in 1 2; do echo $i$j; continue 2; done; done", "11\n21\n", 0 },
        { "for i in 1 2; do for j in 1 2; do echo $i$j; break 2; done; done; echo $?", "11\n0\n",
          0 },
        { "for i in 1 2; do break 7; done; break; echo ok", "ok\n", 0 },
        { "f() { break 2; echo in; }; for i in 1 2; do f; echo $i; done", "in\n1\nin\n2\n", 0 },
        { "for i in 1 2; do (break; echo no); eval 'continue; echo no'; echo no; done; echo $i",
          "2\n", 0 },
        { "while break; do :; done; echo $?; while false; do :; done; echo $?", "0\n0\n", 0 },
        { "i=0; while ((i++ < 3)); do ((i == 2)) && continue; echo $i; done", "1\n3\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_branches(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "if false; then echo a; elif true; then echo b; else echo c; fi", "b\n", 0 },
        { "false; if false; then :; fi; echo $?", "0\n", 0 },
        { "case abc in x) echo x;; a*) echo a;; *) echo other;; esac", "a\n", 0 },
        { "case b in b) echo 1;& c) echo 2;; d) echo 3;; esac", "1\n2\n", 0 },
        { "false; case a in b) ;; esac; echo $?; false; case a in a) echo $?;; esac", "0\n1\n", 0 },
        { "p='a*'; case abc in \"$p\") echo quoted;; $p) echo pattern;; esac", "pattern\n", 0 },
        { "[[ abc == a* && ! -e /nonexistent && 3 -lt 1+3 ]]; echo $?; [[ a > b || -z x ]]; echo "
          "$?",
          "0\n1\n", 0 },
        { "[[ foobar =~ o+(b)a ]] && echo ${.sh.match[0]} ${.sh.match[1]}", "ooba b\n", 0 },
        { "true && echo a || echo b; false && echo a || echo b; ! true; echo $?", "a\nb\n1\n", 0 },
        { "x=5; [[ -v x ]] && echo set; [[ -v y ]] || echo unset", "set\nunset\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_functions(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "f() { return 3; echo no; }; f; echo $?", "3\n", 0 },
        { "f() { return 300; }; f; echo $?; (f); echo $?", "300\n44\n", 0 },
        { "function f { typeset x=1; echo $1 $# ${.sh.fun}; }; x=2; f a b; echo $x $#",
          "a 2 f\n2 0\n", 0 },
        { "f() { f() { echo new; }; echo old; }; f; f", "old\nnew\n", 0 },
        { "function f { unset -f f; echo still; }; f; f 2>/dev/null; echo $?", "still\n127\n", 0 },
        { "function f { trap 'echo exit $?' EXIT; echo in; return 2; }; f; echo $?",
          "in\nexit 2\n2\n", 0 },
        { "function f { set -f; }; f; [[ -o noglob ]]; echo $?; g() { set -f; }; g; [[ -o noglob "
          "]]; echo $?",
          "1\n0\n", 0 },
        { "function f { echo ${x?no}; echo in; }; f 2>/dev/null; echo after $?", "after 1\n", 0 },
        { "f() { echo ${x?no}; echo in; }; f 2>/dev/null; echo after $?", "", 1 },
        { "function fact { if (($1 < 2)); then print 1; else print $(($1 * $(fact $(($1 - 1))))); "
          "fi; }; fact 10",
          "3628800\n", 0 },
        { "f() { exit 7; }; f; echo no", "", 7 },
        { "function f { f; }; f 2>/dev/null; echo after $?", "after 1\n", 0 },
        { "v='eval \"$v\"'; eval \"$v\" 2>/dev/null; echo no", "", 1 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "{ shift 9; echo no; } 2>/dev/null", "", 1 },
        { "command shift 9 2>/dev/null; echo $?", "1\n", 0 },
        { "readonly r=1; { r=2; echo no; } 2>/dev/null", "", 1 },
        { "readonly r=1; (r=2; echo no) 2>/dev/null; echo $?", "1\n", 0 },
        { "{ ((1 / 0)); echo no; } 2>/dev/null", "", 1 },
        { "let 1/0 2>/dev/null; echo $?", "1\n", 0 },
        { "eval 'fi' 2>/dev/null; (( $? > 0 )) && echo goes on", "goes on\n", 0 },
        { "echo a\nif then", "a\n", 2 },
    };
    SCRIPTS_CHECK(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_errors),
    };
    struct test_group group = { tests, sizeof tests / sizeof *tests };
    return stack_run(test_group_run, &group);
}
