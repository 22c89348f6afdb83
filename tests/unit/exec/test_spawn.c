/* Starting programs: what they get, and why they cannot be started. */
#include "run_script.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"

static int open_count(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void test_descriptors(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "/bin/sh -c 'echo 5 >&5' 5>&1", "5\n", 0 },
        { "exec 5>&1; /bin/sh -c 'echo 5 >&5' 2>/dev/null; echo $?; set -o posix; /bin/sh -c 'echo "
          "5 >&5' 5>&5",
          "2\n5\n", 0 },
        { "{ /bin/echo a; echo b >&2; /bin/echo c >&2; } 2>&1", "a\nb\nc\n", 0 },
        { "echo 1; /bin/echo 2; echo 3; (/bin/echo 4; echo 5); x=$(echo 6; /bin/echo 7); echo $x",
          "1\n2\n3\n4\n5\n6 7\n", 0 },
        { "/bin/cat <<X\n$((1 + 1))\nX", "2\n", 0 },
        { "/bin/cat /dev/fd/7 7<<<text", "text\n", 0 },
        { "/bin/sh -c 'echo x' >&-; [ $? -gt 0 ] && echo failed", "failed\n", 0 },
        { "cat <(echo a) <(echo b); read x < <(echo c); echo $x", "a\nb\nc\n", 0 },
        { "f() { cat $1; cat $2; }; f <(echo a) <(echo b)", "a\nb\n", 0 },
        { "x=$(head -c 3000000 /dev/zero | tr '\\0' x); echo ${#x}", "3000000\n", 0 },
        { "printf '1\\n2\\n3\\n' | { read a; /bin/sh -c 'read b; echo $b'; read c; echo $a $c; }",
          "2\n1 3\n", 0 },
        { "exec 9</dev/null; ls /proc/self/fd | grep -c '^9$'; set -o posix; exec 9</dev/null; ls "
          "/proc/self/fd | grep -c '^9$'",
          "0\n1\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_failures(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "nosuchprogram 2>&1; echo $?", "memksh: line 1: nosuchprogram: not found\n127\n", 0 },
        { "/nosuch/file 2>&1; echo $?", "memksh: line 1: /nosuch/file: not found\n127\n", 0 },
        { "/tmp 2>&1; echo $?", "memksh: line 1: /tmp: cannot execute [Is a directory]\n126\n", 0 },
        { "x=$(printf %140000s x); /bin/echo \"$x$x\" 2>&1; echo $?",
          "memksh: line 1: /bin/echo: argument list too long\n126\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void write_file(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), len);
    close(fd);
}

/* Starts PATH and returns its status; the message of a failure is in sh->err. */
static int run(struct shell *sh, const char *path)
{
    static const struct spawn_plan plan = { .in = -1, .out = -1, .group = -1 };
    const char *const argv[] = { path, "arg", NULL };
    pid_t pid;
    struct job *job;
    sh->err.text[0] = '\0';
    if (spawn_external(sh, path, path, argv, &plan, &pid) != FLOW_NEXT)
        return sh->err.status;
    assert_int_equal(job_add(sh, &pid, 1, -1, path, false, &job), FLOW_NEXT);
    assert_int_equal(job_wait_foreground(sh, job), FLOW_NEXT);
    return sh->status;
}

static void test_scripts(void **state)
{
    (void)state;
    struct shell *sh = test_shell();
    char path[] = "/tmp/test_spawn.XXXXXX";
    close(mkstemp(path));
    chmod(path, 0700);
    write_file(path, "#!/bin/sh\nexit 7\n", 17);
    assert_int_equal(run(sh, path), 7);
    write_file(path, "#!/no/such/interpreter -x\n", 26);
    assert_int_equal(run(sh, path), 126);
    assert_non_null(strstr(sh->err.text, "interpreter `/no/such/interpreter' not found"));
    write_file(path, "bin\0ary\n", 8);
    assert_int_equal(run(sh, path), 126);
    chmod(path, 0600);
    assert_int_equal(run(sh, path), 126);
    unlink(path);
    assert_int_equal(run(sh, path), 127);
    test_shell_end(sh);
}

/* The child of a spawn has the signals of the shell's parent. */
static void test_signals(void **state)
{
    (void)state;
    static const struct script_case cases[] = {
        { "trap 'echo no' USR1; awk '/SigCgt/ { print $2 }' /proc/self/status",
          "0000000000000000\n", 0 },
        { "trap '' USR1; awk '/SigIgn/ { print $2 }' /proc/self/status; trap - USR1",
          "0000000000000200\n", 0 },
        { "awk '/SigIgn/ { print $2 }' /proc/self/status & wait", "0000000000000006\n", 0 },
        { "awk '/SigBlk/ { print $2 }' /proc/self/status", "0000000000000000\n", 0 },
    };
    SCRIPTS_CHECK(cases);
}

static void test_leaks(void **state)
{
    (void)state;
    int before = open_count();
    static const struct script_case cases[] = {
        { "for i in 1 2 3; do x=$(/bin/echo a | cat); cat <<<$x >/dev/null; echo b | read y; exec "
          "3</dev/null 3<&-; done",
          "", 0 },
        { "for i in 1 2 3; do cat <(echo a) | tee >(cat >/dev/null) >/dev/null; (exec 4</dev/null; "
          "echo x >&4) 2>/dev/null; done",
          "", 1 },
        { "cat |& exec 3>&p 4<&p; exec 3>&- 4<&-; wait", "", 0 },
    };
    SCRIPTS_CHECK(cases);
    assert_int_equal(open_count(), before);
}

int main(void)
{
    (void)close_range(3, ~0u, 0); /* what the runner left open would be the script's too */
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptors), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_scripts),     cmocka_unit_test(test_signals),
        cmocka_unit_test(test_leaks),
    };
    struct test_group group = { tests, sizeof tests / sizeof *tests };
    return stack_run(test_group_run, &group);
}
