/* Background jobs and waiting for them. */
#include "run_script.h"

#include "shell/exec/jobs.h"

static void test_wait(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "(exit 3) & wait $!; echo $?; wait $!; echo $?", "3\n127\n", 0 },
        { "(exit 2) & a=$!; (exit 6) & wait $a $!; echo $?", "6\n", 0 },
        { "(exit 3) & wait; echo $?; wait 99999999; echo $?", "0\n127\n", 0 },
        { "sleep 60 & kill $!; wait $!; echo $?", "271\n", 0 },
        { "sleep 60 & kill %1; wait %1; echo $?; jobs", "271\n", 0 },
        { "true | (exit 4) & wait $!; echo $?", "4\n", 0 },
        { "for i in 1 2 3; do (exit $i) & p=\"$p $!\"; done; for q in $p; do wait $q; echo $?; "
          "done",
          "1\n2\n3\n", 0 },
        { "i=0; while ((i < 100)); do : & ((++i)); done; wait; echo $i", "100\n", 0 },
        { "(sleep 0.05 & wait $!; echo in $?); wait; echo out", "in 0\nout\n", 0 },
        { "( (sleep 60 & echo $! >&3) 3>&1; jobs; echo none ) | while read l; do [[ $l == none ]] "
          "&& echo none || kill $l; done",
          "none\n", 0 },
        { "JOBMAX=1; for i in a b c; do { sleep 0.02; echo $i; } & done; wait", "a\nb\nc\n", 0 },
        { "false & echo $?; true && false & wait $!; echo $?", "0\n1\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_surroundings(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "cat & wait; echo eof", "eof\n", 0 },
        { "cat <<<text & wait", "text\n", 0 },
        { "x=$(sleep 0.01 & echo early); echo $x", "early\n", 0 },
        { "f=/tmp/jobs.$$; mkfifo $f; exec 9<>$f; rm $f; x=$( (read -u9; echo late) & echo early; "
          "echo >&9; wait); echo $x",
          "early late\n", 0 },
        { "x=${ (sleep 0.05; echo late) & wait; echo end; }; echo $x", "late end\n", 0 },
        { "x=$(seq 100000 & wait); echo ${#x}", "588894\n", 0 },
        { "x=${ seq 100000 & wait; }; echo ${#x}", "588894\n", 0 },
        { "x=1; { x=2; } & wait; echo $x", "1\n", 0 },
        { "f() { echo f$1; }; f 1 & wait; f 2 | cat", "f1\nf2\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_coprocess(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "cat |& print -p hello; read -p x; echo $x", "hello\n", 0 },
        { "while read x; do print $((x * 2)); done |& print -p 4; read -p y; echo $y", "8\n", 0 },
        { "sort |& exec 3>&p 4<&p; print -u3 b; print -u3 a; exec 3>&-; while read -u4 l; do echo "
          "$l; done",
          "a\nb\n", 0 },
        { "cat |& exec 3>&p; exec 3>&-; read -p x; echo $?", "1\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

/* Finished foreground commands and reported jobs leave nothing in the table. */
static void test_memory(void **state)
{
    (void)state;
    struct shell *sh = test_shell();
    struct mem_stats before, after;
    struct str out;
    str_init(&out, sh->heap);
    static const char script[] =
        "i=0; while ((i < 20)); do /bin/true; (exit 1) & wait $!; : | :; ((++i)); done";
    (void)script_run(sh, script, &out);
    mem_region_stats(sh->heap, &before);
    (void)script_run(sh, script, &out);
    mem_region_stats(sh->heap, &after);
    assert_int_equal(before.busy_count, after.busy_count);
    assert_null(job_first(sh));
    str_release(&out);
    test_shell_end(sh);
}

static void test_find(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "sleep 50 & sleep 60 & kill %?5; wait %1; echo $?; kill %sleep; wait %2; echo $?",
          "271\n271\n", 0 },
        { "sleep 60 & a=$!; sleep 60 & kill %-; wait $a; echo $?; kill %+; wait $!; echo $?",
          "271\n271\n", 0 },
        { "sleep 60 & kill $!; wait %%; echo $?; kill %1 2>/dev/null; echo $?", "271\n1\n", 0 },
        { "sleep 0.01 & disown 2>/dev/null; echo $?; wait", "1\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait),      cmocka_unit_test(test_surroundings),
        cmocka_unit_test(test_coprocess), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_find),
    };
    struct test_group group = { tests, sizeof tests / sizeof *tests };
    return stack_run(test_group_run, &group);
}
