/* Subshells, command substitutions and pipelines: what they see, what they leave behind, with and
 * without processes. */
#include "run_script.h"

static const struct script_case cases[] = {
    { "x=1; (x=2; echo $x); echo $x", "2\n1\n", 0 },
    { "x=1; y=$(x=2; echo $x); echo $x$y", "12\n", 0 },
    { "x=1; y=${ x=2; echo $x;}; echo $x$y", "22\n", 0 },
    { "(exit 3); echo $?; (exit 257); echo $?; (return 4); echo $?", "3\n1\n4\n", 0 },
    { "cd /; (cd /usr; pwd); pwd", "/usr\n/\n", 0 },
    { "f() { echo a; }; (f() { echo b; }; f); f", "b\na\n", 0 },
    { "(trap 'echo bye' EXIT; echo hi); echo out", "hi\nbye\nout\n", 0 },
    { "x=$(trap 'echo bye' EXIT; echo hi); echo $x", "hi bye\n", 0 },
    { "(set -f; [[ -o noglob ]] && echo on); [[ -o noglob ]] || echo off", "on\noff\n", 0 },
    { "set -- a b; (set -- c; echo $1 $#); echo $1 $#", "c 1\na 2\n", 0 },
    { "a=(1 2); (a[0]=9; unset 'a[1]'; echo ${a[@]}); echo ${a[@]}", "9\n1 2\n", 0 },
    { "echo $$ | read p; (echo $$) | read q; ((p == q)) && echo same; [[ $$ == $(echo $$) ]] && "
      "echo same",
      "same\nsame\n", 0 },
    { "echo ${.sh.subshell} $(echo ${.sh.subshell}); (echo ${.sh.subshell}; (echo "
      "${.sh.subshell}))",
      "0 1\n1\n2\n", 0 },
    { "echo a b | read x y; echo $y", "b\n", 0 },
    { "echo a | cat | tr a b", "b\n", 0 },
    { "true | false; echo $?; false | true; echo $?; set -o pipefail; (exit 5) | true; echo $?",
      "1\n0\n5\n", 0 },
    { "! false | false; echo $?", "0\n", 0 },
    { "x=$(echo a; /bin/echo b; echo c); echo $x", "a b c\n", 0 },
    { "x=$(printf 'a\\n\\n\\n'); echo \"[$x]\"", "[a]\n", 0 },
    { "echo $(echo out; echo err >&2) 2>&1 | cat; x=$( (echo e >&2) 2>&1 ); echo $x", "out\ne\n",
      0 },
    { "(sleep 0.01 & wait $!; echo w); echo x", "w\nx\n", 0 },
    { "x=$(ulimit -c 0; echo in); echo $x", "in\n", 0 },
    { "x=$(exec /bin/echo replaced; echo no); echo $x; (exec true; echo no); echo $?",
      "replaced\n0\n", 0 },
    { "(exec >/dev/null; echo no); echo yes", "yes\n", 0 },
    { "echo $(for i in 1 2; do (echo $i | cat); done)", "1 2\n", 0 },
    { "i=0; while ((i++ < 300)); do s+='( '; e+=' )'; done; eval \"$s echo deep $e\"", "deep\n",
      0 },
};

static void test_virtual(void **state)
{
    (void)state;
    SCRIPTS_CHECK(cases);
}

/* The same results when each subshell is a process. */
static void test_forked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shell *sh = test_shell();
        struct str out;
        sh->debug_fork_subshells = true;
        str_init(&out, sh->heap);
        (void)script_run(sh, cases[i].script, &out);
        if (strcmp(str_text(&out), cases[i].output) != 0)
            fail_msg("script: %s\ngot: %s\nwanted: %s", cases[i].script, str_text(&out),
                     cases[i].output);
        assert_int_equal(sh->status, cases[i].status);
        str_release(&out);
        test_shell_end(sh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virtual),
        cmocka_unit_test(test_forked),
    };
    struct test_group group = { tests, sizeof tests / sizeof *tests };
    return stack_run(test_group_run, &group);
}
