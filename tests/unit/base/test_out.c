/* Buffered output, messages, and the system calls below them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/base/diag.h"
#include "shell/base/out.h"
#include "shell/base/sys.h"

/* All of the file FD, NUL-terminated, in a buffer that the caller frees. */
static char *read_file(int fd, size_t *ret_len)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = mem_alloc(mem_region_malloc(), (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(pread(fd, text, (size_t)size, 0), size);
    text[size] = '\0';
    *ret_len = (size_t)size;
    return text;
}

static void test_buffer(void **state)
{
    (void)state;
    struct str want;
    struct out o;
    int fd = sys_memfd("out");
    assert_true(fd >= 0);
    str_init(&want, mem_region_malloc());
    out_init_fd(&o, fd, mem_region_malloc());
    assert_null(o.buffer);
    srand(5);
    static char block[200000];
    for (int i = 0; i < 3000; i++) {
        size_t len = i % 100 == 99 ? (size_t)rand() % sizeof block : (size_t)rand() % 60;
        memset(block, 'a' + i % 26, len);
        out_write(&o, block, len);
        out_putc(&o, '\n');
        str_append(&want, block, len);
        str_putc(&want, '\n');
        assert_true(o.cap <= 65536);
    }
    out_printf(&o, "%d %s %0*d", 1, "two", 1000, 3);
    str_printf(&want, "%d %s %0*d", 1, "two", 1000, 3);
    out_puts(&o, "end");
    str_append_z(&want, "end");
    assert_true(out_flush(&o));
    size_t len;
    char *got = read_file(fd, &len);
    assert_int_equal(len, want.len);
    assert_memory_equal(got, want.data, len);
    mem_free(got);
    str_release(&want);
    out_release(&o);
    close(fd);
}

static void test_small_stays_small(void **state)
{
    (void)state;
    struct out o;
    out_init_fd(&o, 1, mem_region_malloc());
    out_puts(&o, "x");
    assert_true(o.cap <= 4096);
    o.len = 0;
    out_release(&o);
}

static void test_sink(void **state)
{
    (void)state;
    struct str text;
    struct out o;
    str_init(&text, mem_region_malloc());
    out_init_sink(&o, &text);
    out_putc(&o, 'a');
    out_printf(&o, "%s", "bc");
    out_printf(&o, "%0*d", 400, 1);
    assert_true(out_flush(&o));
    assert_int_equal(text.len, 403);
    out_release(&o);
    str_release(&text);
}

static void test_errors(void **state)
{
    (void)state;
    struct out o;
    int fds[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(sys_pipe(fds), 0);
    close(fds[0]);
    out_init_fd(&o, fds[1], mem_region_malloc());
    out_puts(&o, "lost");
    assert_int_equal(o.error, 0);
    assert_false(out_flush(&o));
    assert_int_equal(o.error, EPIPE);
    assert_int_equal(o.len, 0);
    assert_false(out_flush(&o)); /* sticky */
    out_clear_error(&o);
    assert_true(out_flush(&o));
    out_release(&o);
    close(fds[1]);
    int full = sys_open("/dev/full", O_WRONLY, 0);
    if (full < 0)
        return;
    out_init_fd(&o, full, mem_region_malloc());
    static char block[100000];
    out_write(&o, block, sizeof block);
    assert_int_equal(o.error, ENOSPC);
    out_release(&o);
    close(full);
}

static void test_diag(void **state)
{
    (void)state;
    int fd = sys_memfd("diag"), saved = sys_dup_private(2);
    assert_true(saved >= SYS_FD_PRIVATE);
    assert_true(fcntl(saved, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(dup2(fd, 2), 2);
    diag_printf("%s: bad\tfile \x1b[31m\n%c", "memksh", 0x7f);
    static char longer[10000];
    memset(longer, 'x', sizeof longer);
    diag_line(longer, sizeof longer);
    dup2(saved, 2);
    close(saved);
    size_t len;
    char *got = read_file(fd, &len);
    static const char want[] = "memksh: bad\tfile ^[[31m^J^?\nxxx";
    assert_memory_equal(got, want, sizeof want - 1);
    assert_int_equal(len, sizeof want - 4 + sizeof longer + 1);
    mem_free(got);
    close(fd);
}

static void test_sys(void **state)
{
    (void)state;
    int fd = sys_open("/dev/null", O_RDONLY, 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    int moved = sys_move_private(fd);
    assert_true(moved >= SYS_FD_PRIVATE);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    char c;
    assert_int_equal(sys_read(moved, &c, 1), 0);
    close(moved);
    assert_int_equal(sys_move_private(99), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(sys_open("/nonexistent/x", O_RDONLY, 0), -1);
    assert_int_equal(errno, ENOENT);
    int64_t a = sys_monotonic_ns(), b = sys_monotonic_ns();
    assert_true(a > 0 && b >= a);
    assert_true(sys_realtime_ns() > 1700000000ll * 1000000000);
    assert_true(sys_random() != sys_random());
}

/* A pipe whose reader is slow and whose writer is non-blocking: everything arrives. */
static void test_nonblocking(void **state)
{
    (void)state;
    enum { BYTES = 1000000 };
    int fds[2];
    assert_int_equal(sys_pipe(fds), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    pid_t pid = fork();
    if (pid == 0) {
        static char block[BYTES];
        close(fds[0]);
        _exit(sys_write_all(fds[1], block, sizeof block) ? 0 : 1);
    }
    close(fds[1]);
    size_t total = 0;
    static char block[5000];
    for (ssize_t n; (n = read(fds[0], block, sizeof block)) > 0; total += (size_t)n)
        ;
    assert_int_equal(total, BYTES);
    close(fds[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer),      cmocka_unit_test(test_small_stays_small),
        cmocka_unit_test(test_sink),        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_diag),        cmocka_unit_test(test_sys),
        cmocka_unit_test(test_nonblocking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
