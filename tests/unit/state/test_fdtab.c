/* The descriptor table: every redirection is undone, sinks, and what children get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first */
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/frame.h"

static struct shell *sh;
static char path[64];

static int open_count(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static int setup(void **state)
{
    (void)state;
    sh = shell_new();
    memcpy(path, "/tmp/test_fdtab.XXXXXX", 23);
    close(mkstemp(path));
    return sh ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    shell_free(sh);
    unlink(path);
    return 0;
}

static int open_file(int flags)
{
    int fd = sys_open(path, flags | O_CREAT, 0600);
    assert_true(fd >= 0);
    return fd;
}

static void expect_content(const char *text)
{
    char buffer[256];
    int fd = open_file(O_RDONLY);
    ssize_t n = read(fd, buffer, sizeof buffer - 1);
    close(fd);
    assert_true(n >= 0);
    buffer[n] = '\0';
    assert_string_equal(buffer, text);
}

#define OK(e) assert_int_equal((e), FLOW_NEXT)

static void test_redirection_is_undone(void **state)
{
    (void)state;
    int before = open_count();
    struct out *stdout_before = sh->out;
    struct frame frame;
    frame_push(sh, &frame, FRAME_CMD);
    OK(fdtab_install(sh, &frame, 1, open_file(O_WRONLY)));
    OK(fdtab_install(sh, &frame, 5, open_file(O_WRONLY | O_APPEND)));
    OK(fdtab_install(sh, &frame, 23, open_file(O_WRONLY | O_APPEND)));
    out_puts(sh->out, "one\n");
    assert_true(fdtab_command_done(sh));
    expect_content("one\n");
    assert_true(fdtab_is_open(sh, 5));
    frame_pop(sh, &frame);
    assert_ptr_equal(sh->out, stdout_before);
    assert_false(fdtab_is_open(sh, 5));
    assert_false(fdtab_is_open(sh, 23));
    assert_int_equal(open_count(), before);
}

static void test_order_of_dup(void **state)
{
    (void)state;
    int before = open_count();
    struct frame frame, inner;
    frame_push(sh, &frame, FRAME_CMD);
    OK(fdtab_install(sh, &frame, 1, open_file(O_WRONLY)));
    frame_push(sh, &inner, FRAME_CMD);
    /* 2>&1 1>/dev/null */
    OK(fdtab_dup(sh, &inner, 2, 1));
    OK(fdtab_install(sh, &inner, 1, sys_open("/dev/null", O_WRONLY, 0)));
    out_puts(sh->out, "lost\n");
    fdtab_message(sh, "seen", 4);
    frame_pop(sh, &inner);
    out_puts(sh->out, "after\n");
    frame_pop(sh, &frame);
    expect_content("seen\nafter\n");
    assert_int_equal(open_count(), before);
}

static void test_dup_of_closed(void **state)
{
    (void)state;
    struct frame frame;
    frame_push(sh, &frame, FRAME_CMD);
    OK(fdtab_close(sh, &frame, 1));
    assert_false(fdtab_is_open(sh, 1));
    assert_int_equal(fdtab_dup(sh, &frame, 3, 1), FLOW_ERROR);
    out_puts(sh->out, "nowhere");
    assert_false(fdtab_command_done(sh));
    assert_true(fdtab_command_done(sh));
    frame_pop(sh, &frame);
    assert_true(fdtab_is_open(sh, 1));
}

static void test_exec_in_subshell(void **state)
{
    (void)state;
    struct frame subshell, cmd;
    int before = open_count();
    frame_push(sh, &subshell, FRAME_SUBSHELL);
    frame_push(sh, &cmd, FRAME_CMD);
    OK(fdtab_install(sh, &subshell, 3, open_file(O_WRONLY)));
    frame_pop(sh, &cmd);
    assert_true(fdtab_is_open(sh, 3));
    out_puts(fdtab_out(sh, 3), "three");
    frame_pop(sh, &subshell);
    assert_false(fdtab_is_open(sh, 3));
    expect_content("three");
    assert_int_equal(open_count(), before);
}

static void test_sink(void **state)
{
    (void)state;
    struct str sink;
    struct frame frame, cmd;
    int before = open_count();
    str_init(&sink, sh->heap);
    frame_push(sh, &frame, FRAME_SUBSHELL);
    OK(fdtab_capture(sh, &frame, &sink));
    out_puts(sh->out, "a");
    frame_push(sh, &cmd, FRAME_CMD);
    OK(fdtab_dup(sh, &cmd, 2, 1));
    OK(fdtab_dup(sh, &cmd, 3, 1));
    OK(fdtab_install(sh, &cmd, 1, open_file(O_WRONLY)));
    fdtab_message(sh, "b", 1);
    out_puts(fdtab_out(sh, 3), "c");
    out_puts(sh->out, "file");
    frame_pop(sh, &cmd);
    out_puts(sh->out, "d");
    assert_int_equal(open_count(), before);
    fdtab_capture_drain(sh, NULL);
    frame_pop(sh, &frame);
    assert_string_equal(str_text(&sink), "ab\ncd");
    expect_content("file");
    str_release(&sink);
    assert_int_equal(open_count(), before);
}

/* Starts a child with the script's descriptors, which writes TEXT to FD. */
static void child_write(int fd, const char *text)
{
    static const int replace[3] = { -1, -1, -1 };
    struct fd_move *moves;
    size_t count;
    assert_true(fdtab_flush(sh));
    OK(fdtab_promote(sh));
    OK(fdtab_child_moves(sh, replace, &moves, &count));
    pid_t pid = fork();
    if (pid == 0) {
        if (fdtab_child_apply(moves, count) != 0)
            _exit(1);
        _exit(write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_sink_with_child(void **state)
{
    (void)state;
    struct str sink;
    struct frame frame;
    int before = open_count();
    str_init(&sink, sh->heap);
    frame_push(sh, &frame, FRAME_SUBSHELL);
    OK(fdtab_capture(sh, &frame, &sink));
    out_puts(sh->out, "one ");
    child_write(1, "two ");
    fdtab_capture_poll(sh);
    out_puts(sh->out, "three ");
    child_write(1, "four");
    fdtab_capture_drain(sh, NULL);
    frame_pop(sh, &frame);
    assert_string_equal(str_text(&sink), "one two three four");
    str_release(&sink);
    assert_int_equal(open_count(), before);
}

static void test_child_swaps(void **state)
{
    (void)state;
    struct frame frame;
    char other[] = "/tmp/test_fdtab2.XXXXXX";
    int before = open_count();
    frame_push(sh, &frame, FRAME_CMD);
    int a = open_file(O_WRONLY), b = mkostemp(other, O_CLOEXEC);
    /* Descriptor A of the script is B of the process and the other way round. */
    OK(fdtab_install(sh, &frame, b, a));
    OK(fdtab_install(sh, &frame, a, b));
    child_write(b, "to a");
    child_write(a, "to b");
    expect_content("to a");
    frame_pop(sh, &frame);
    struct stat st;
    assert_int_equal(stat(other, &st), 0);
    assert_int_equal(st.st_size, 4);
    unlink(other);
    assert_int_equal(open_count(), before);
}

static void test_permanent(void **state)
{
    (void)state;
    struct frame frame;
    int before = open_count();
    OK(fdtab_install(sh, NULL, 7, open_file(O_WRONLY)));
    frame_push(sh, &frame, FRAME_CMD);
    OK(fdtab_dup(sh, &frame, 1, 7));
    out_puts(sh->out, "x");
    frame_pop(sh, &frame);
    assert_true(fdtab_is_open(sh, 7));
    child_write(7, "y");
    fdtab_hide(sh, 7);
    OK(fdtab_close(sh, NULL, 7));
    expect_content("xy");
    assert_int_equal(open_count(), before);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct frame frame;
    frame_push(sh, &frame, FRAME_CMD);
    OK(fdtab_install(sh, &frame, 1, sys_open("/dev/full", O_WRONLY, 0)));
    out_puts(sh->out, "x");
    assert_false(fdtab_command_done(sh));
    assert_int_equal(errno, ENOSPC);
    assert_true(fdtab_command_done(sh));
    frame_pop(sh, &frame);
}

int main(void)
{
    (void)close_range(3, ~0u, 0); /* what the runner left open would be the script's too */
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(test_redirection_is_undone), TEST(test_order_of_dup), TEST(test_dup_of_closed),
        TEST(test_exec_in_subshell),      TEST(test_sink),         TEST(test_sink_with_child),
        TEST(test_child_swaps),           TEST(test_permanent),    TEST(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
