/* Buffered input takes no more than was used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first */
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/frame.h"

static struct shell *sh;
static struct frame frame;

static int setup(void **state)
{
    (void)state;
    sh = shell_new();
    if (sh)
        frame_push(sh, &frame, FRAME_CMD);
    return sh ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    frame_pop(sh, &frame);
    shell_free(sh);
    return 0;
}

#define OK(e) assert_int_equal((e), FLOW_NEXT)

static void expect_line(struct input *in, const char *text)
{
    const char *line;
    size_t len;
    assert_true(input_line(in, '\n', &line, &len) >= 0);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(line, text, len);
}

static void test_file_gives_back(void **state)
{
    (void)state;
    char buffer[32];
    int fd = sys_memfd("test");
    assert_true(sys_write_all(fd, "one\ntwo\nthree\nlast", 18));
    lseek(fd, 0, SEEK_SET);
    OK(fdtab_install(sh, &frame, 0, fd));
    struct input *in = fdtab_in(sh, 0);
    expect_line(in, "one\n");
    fdtab_input_sync(sh);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 4);
    assert_int_equal(read(fd, buffer, 4), 4);
    expect_line(in, "three\n");
    assert_int_equal(input_getc(in), 'l');
    input_unread(in, 1);
    expect_line(in, "last");
    assert_int_equal(input_getc(in), -1);
}

static void test_duplicates_share(void **state)
{
    (void)state;
    int fd = sys_memfd("test");
    assert_true(sys_write_all(fd, "one\ntwo\n", 8));
    lseek(fd, 0, SEEK_SET);
    OK(fdtab_install(sh, &frame, 0, fd));
    OK(fdtab_dup(sh, &frame, 4, 0));
    expect_line(fdtab_in(sh, 4), "one\n");
    expect_line(fdtab_in(sh, 0), "two\n");
}

static void test_pipe_exact(void **state)
{
    (void)state;
    int fds[2];
    char buffer[32];
    assert_int_equal(sys_pipe(fds), 0);
    assert_true(sys_write_all(fds[1], "one\ntwo\nthree\n", 14));
    OK(fdtab_install(sh, &frame, 0, fds[0]));
    struct input *in = fdtab_in(sh, 0);
    expect_line(in, "one\n");
    fdtab_input_sync(sh);
    assert_int_equal(read(fds[0], buffer, 4), 4);
    assert_memory_equal(buffer, "two\n", 4);
    expect_line(in, "three\n");
    assert_true(sys_write_all(fds[1], "rest", 4));
    assert_int_equal(input_read(in, buffer, sizeof buffer), 4);
    assert_false(input_wait(in, 0));
    assert_true(sys_write_all(fds[1], "x", 1));
    assert_true(input_wait(in, 0));
    fdtab_input_share(sh);
    assert_true(sys_write_all(fds[1], "yz\nrest", 7));
    expect_line(in, "xyz\n");
    assert_int_equal(read(fds[0], buffer, 4), 4);
    close(fds[1]);
    expect_line(in, "");
}

/* The next line in the buffer is TEXT, and PLAIN; NULL: none is. */
static void expect_buffered(struct input *in, const char *text, bool plain)
{
    const char *line;
    size_t len;
    bool is_plain;
    assert_int_equal(input_buffered_line(in, '\n', &line, &len, &is_plain), text != NULL);
    if (!text)
        return;
    assert_int_equal(len, strlen(text));
    assert_memory_equal(line, text, len);
    assert_int_equal(is_plain, plain);
}

static void test_buffered_lines(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(sys_pipe(fds), 0);
    assert_true(sys_write_all(fds[1], "one\ntwo\npart", 12));
    OK(fdtab_install(sh, &frame, 0, fds[0]));
    struct input *in = fdtab_in(sh, 0);
    expect_buffered(in, NULL, false); /* it reads nothing */
    expect_line(in, "one\n");
    expect_buffered(in, "two", true);
    expect_buffered(in, NULL, false);
    /* The part that was read is plain, what comes is not. */
    assert_true(sys_write_all(fds[1], "\nthree\nfo\\ur\n", 13));
    expect_line(in, "part\n");
    expect_buffered(in, "three", false);
    input_unread(in, 6);
    expect_buffered(in, "three", false);
    expect_buffered(in, "fo\\ur", false);
    assert_true(sys_write_all(fds[1], "five\nsix\n", 9));
    expect_line(in, "five\n");
    expect_buffered(in, "six", true);
    assert_true(sys_write_all(fds[1], "\\\nx", 3));
    expect_line(in, "\\\n");
    assert_true(sys_write_all(fds[1], "y\nz\n", 4));
    expect_line(in, "xy\n");
    expect_buffered(in, "z", true);
    close(fds[1]);
    expect_buffered(in, NULL, false);
}

static void test_pipe_long(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(sys_pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        for (int i = 0; i < 100000; i++)
            dprintf(fds[1], "%d\n", i);
        _exit(0);
    }
    close(fds[1]);
    OK(fdtab_install(sh, &frame, 0, fds[0]));
    struct input *in = fdtab_in(sh, 0);
    for (int i = 0; i < 100000; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d\n", i);
        expect_line(in, text);
        if (i % 1000 == 0)
            fdtab_input_sync(sh);
    }
    assert_int_equal(input_getc(in), -1);
    waitpid(pid, NULL, 0);
}

static void test_long_line(void **state)
{
    (void)state;
    enum { BYTES = 3000000 };
    char *text = malloc(BYTES);
    const char *line;
    size_t len;
    memset(text, 'x', BYTES);
    text[BYTES - 1] = '\n';
    int fd = sys_memfd("test");
    assert_true(sys_write_all(fd, text, BYTES) && sys_write_all(fd, "next\n", 5));
    lseek(fd, 0, SEEK_SET);
    OK(fdtab_install(sh, &frame, 0, fd));
    struct input *in = fdtab_in(sh, 0);
    assert_int_equal(input_line(in, '\n', &line, &len), 1);
    assert_int_equal(len, BYTES);
    assert_memory_equal(line, text, BYTES);
    expect_line(in, "next\n");
    free(text);
}

/* Bytes read by this process so far, in calls. */
static unsigned long read_calls(void)
{
    char line[128];
    unsigned long calls = 0;
    FILE *io = fopen("/proc/self/io", "re");
    while (io && fgets(line, sizeof line, io)) {
        if (strncmp(line, "syscr: ", 7) == 0)
            calls = strtoul(line + 7, NULL, 10);
    }
    if (io)
        fclose(io);
    return calls;
}

static void test_million_lines(void **state)
{
    (void)state;
    int fd = sys_memfd("test");
    char chunk[11000];
    const char *line;
    size_t len, lines = 0;
    for (size_t i = 0; i < sizeof chunk; i++)
        chunk[i] = i % 11 == 10 ? '\n' : 'a';
    for (int i = 0; i < 1000; i++)
        assert_true(sys_write_all(fd, chunk, sizeof chunk));
    lseek(fd, 0, SEEK_SET);
    OK(fdtab_install(sh, &frame, 0, fd));
    struct input *in = fdtab_in(sh, 0);
    unsigned long before = read_calls();
    while (input_line(in, '\n', &line, &len) == 1)
        lines++;
    assert_int_equal(lines, 1000000);
    assert_true(read_calls() - before <= 1000 * sizeof chunk / 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(test_file_gives_back), TEST(test_duplicates_share), TEST(test_pipe_exact),
        TEST(test_pipe_long),       TEST(test_buffered_lines),   TEST(test_long_line),
        TEST(test_million_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
