/* Simple commands: assignments, look-up, redirections, and that a warm one leaves the heap alone.
 */
#include "run_script.h"

static void test_assignments(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "x=1; echo $x", "1\n", 0 },
        { "x=$(exit 3); echo $?; x=1; echo $?", "3\n0\n", 0 },
        { "false; x=$?; echo $x $?", "1 0\n", 0 },
        { "x=1 y=$x; echo $y", "1\n", 0 },
        { "x=1; x=2 true; echo $x", "1\n", 0 },
        { "x=1; x=2 :; echo $x", "2\n", 0 },
        { "x=1; x=2 eval 'echo $x'; echo $x", "2\n2\n", 0 },
        { "x=1; f() { x=3; }; x=2 f; echo $x", "1\n", 0 },
        { "x=1; function f { echo $x; x=3; }; x=2 f; echo $x", "2\n1\n", 0 },
        { "x=1; function g { echo $x; }; function f { typeset x=5; x=2 g; echo $x; }; f; echo $x",
          "2\n5\n1\n", 0 },
        { "a=(1 '2 3' 4); echo \"${a[1]}\" ${#a[@]}; a+=(5); echo ${a[3]}; a=(\"${a[@]}\" 6); echo "
          "${a[@]}",
          "2 3 3\n5\n1 2 3 4 5 6\n", 0 },
        { "a=([k]=v [l]=w); echo ${!a[@]} ${a[l]}", "k l w\n", 0 },
        { "x=ab; x+=cd; echo $x; typeset -i n=5; n+=2; echo $n", "abcd\n7\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_lookup(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "echo() { print f $1; }; echo a; command echo b; unset -f echo; echo c", "f a\nb\nc\n",
          0 },
        { "nosuchcommand 2>/dev/null; echo $?; /; echo $?", "127\n126\n", 0 },
        { "for i in 1 2 3; do c; c() { echo c; }; done 2>/dev/null", "c\nc\n", 0 },
        { "c=command; $c export y='a b'; echo $y", "a b\n", 0 },
        { "$none; echo $?; $(true); echo $?; $(exit 4); echo $?", "0\n0\n4\n", 0 },
        { "echo a b last >/dev/null\necho $_", "last\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_redirections(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "echo x >/nonexistent/f; echo $?", "1\n", 0 },
        { ": >/nonexistent/f; echo $?", "", 1 },
        { "command : >/nonexistent/f; echo $?", "1\n", 0 },
        { "{ echo x; } >/nonexistent/f; echo $?", "1\n", 0 },
        { "{ echo e >&2; echo o; } 2>&1", "e\no\n", 0 },
        { "f() { echo x; }; f >/dev/null; f", "x\n", 0 },
        { "x=$(echo a; echo b >&2) 2>/dev/null; echo $x", "a\n", 0 },
        { "while read x; do echo \"<$x>\"; done <<E\na\nb\nE", "<a>\n<b>\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

/* Nothing of the heap is handed out for a command that ran before. */
static void test_warm_command_allocates_nothing(void **state)
{
    (void)state;
    struct shell *sh = test_shell();
    struct str out;
    str_init(&out, sh->heap);
    const char *script = "f() { :; }; i=0; while ((i < 50)); do ((i++)); x=$i; : a b; true \"$x\"; "
                         "f $x; [[ $x == 1* ]]; done";
    assert_int_equal(script_run(sh, script, &out), FLOW_NEXT);
    struct mem_stats before, after;
    script =
        "i=0; f; while ((i < 2)); do ((i++)); x=$i; : a b; true \"$x\"; f $x; [[ $x == 1* ]]; done";
    assert_int_equal(script_run(sh, script, &out), FLOW_NEXT);
    mem_region_stats(sh->heap, &before);
    assert_int_equal(script_run(sh, script, &out), FLOW_NEXT);
    mem_region_stats(sh->heap, &after);
    uint64_t fixed = after.alloc_count - before.alloc_count;
    script = "i=0; f; while ((i < 1002)); do ((i++)); x=$i; : a b; true \"$x\"; f $x; [[ $x == 1* "
             "]]; done";
    mem_region_stats(sh->heap, &before);
    assert_int_equal(script_run(sh, script, &out), FLOW_NEXT);
    mem_region_stats(sh->heap, &after);
    assert_int_equal(after.alloc_count - before.alloc_count, fixed);
    str_release(&out);
    test_shell_end(sh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assignments),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_redirections),
        cmocka_unit_test(test_warm_command_allocates_nothing),
    };
    struct test_group group = { tests, sizeof tests / sizeof *tests };
    return stack_run(test_group_run, &group);
}
