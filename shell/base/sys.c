/*
 * System calls with the details that everyone needs and forgets: EINTR, close-on-exec, and the
 * shell's own descriptors kept out of the range that scripts use.
 *
 * Owns the count of signals that wait to be acted on (sys_signals), which handlers write. Must not
 * print, and must not retry where a signal has to be seen by the caller (sys_read).
 */
#include "shell/base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "libmem.h"

struct sys_signals sys_signals;

int sys_await(struct pollfd *entries, nfds_t count, int64_t timeout_ns)
{
    const struct timespec timeout = { .tv_sec = timeout_ns / 1000000000,
                                      .tv_nsec = timeout_ns % 1000000000 };
    const struct timespec *limit = timeout_ns < 0 ? NULL : &timeout;
    sigset_t all, mask;
    int ready = -1;
    if (!sys_signals.caught)
        return ppoll(entries, count, limit, NULL);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    if (!sys_signals_wait())
        ready = ppoll(entries, count, limit, &mask);
    else
        errno = EINTR;
    int error = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    errno = error;
    return ready;
}

ssize_t sys_read(int fd, void *buffer, size_t bytes)
{
    return read(fd, buffer, bytes);
}

bool sys_ignores_case(int fd)
{
    enum { MSDOS = 0x4d44, EXFAT = 0x2011bab0, NTFS3 = 0x7366746e };
    struct statfs fs;
    int flags = 0;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL))
        return true;
    return fstatfs(fd, &fs) == 0 &&
           (fs.f_type == MSDOS || fs.f_type == EXFAT || fs.f_type == NTFS3);
}

bool sys_readable_now(int fd)
{
    return sys_readable_within(fd, 0);
}

bool sys_readable_within(int fd, int ms)
{
    struct pollfd entry = { .fd = fd, .events = POLLIN };
    return poll(&entry, 1, ms) > 0;
}

bool sys_terminal_size(int fd, size_t *ret_rows, size_t *ret_columns)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return false;
    *ret_rows = size.ws_row;
    *ret_columns = size.ws_col;
    return true;
}

bool sys_idle_fd(int fd)
{
    for (;;) {
        struct pollfd entry = { .fd = fd, .events = POLLIN };
        int ms = mem_idle();
        if (ms < 0 && !sys_signals.caught)
            return true;
        int ready = sys_await(&entry, 1, ms < 0 ? -1 : ms * INT64_C(1000000));
        if (ready < 0 && errno == EINTR && sys_signals_wait())
            return false;
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return true; /* after an error: the read will tell */
    }
}

bool sys_idle_child(pid_t pid)
{
    int fd = mem_idle() < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return true;
    bool done = sys_idle_fd(fd);
    close(fd);
    return done;
}

/* Somebody made the descriptor non-blocking: waits until it takes bytes again. */
static bool wait_writable(int fd)
{
    struct pollfd entry = { .fd = fd, .events = POLLOUT };
    return poll(&entry, 1, -1) > 0 || errno == EINTR;
}

bool sys_write_all(int fd, const void *bytes, size_t len)
{
    const char *p = bytes;
    while (len > 0) {
        ssize_t n = write(fd, p, len);
        if (n >= 0) {
            p += n;
            len -= (size_t)n;
        } else if (errno == EAGAIN) {
            if (!wait_writable(fd))
                return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

int sys_open(const char *path, int flags, unsigned mode)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, (mode_t)mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int sys_dup_private(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, SYS_FD_PRIVATE);
}

int sys_move_private(int fd)
{
    int moved = sys_dup_private(fd);
    if (moved >= 0)
        close(fd);
    return moved;
}

int sys_pipe(int ret_fds[2])
{
    return pipe2(ret_fds, O_CLOEXEC);
}

int sys_memfd(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t sys_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t sys_monotonic_coarse_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC_COARSE);
}

int64_t sys_realtime_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}

uint64_t sys_random(void)
{
    uint64_t value;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) == (ssize_t)sizeof value)
        return value;
    /* Early in boot there may be no entropy yet; what is left differs at least between processes.
     */
    value = (uint64_t)sys_realtime_ns() ^ ((uint64_t)getpid() << 40);
    return value * 0x9e3779b97f4a7c15u;
}

static size_t unreserved_bytes;

void sys_note_unreserved(size_t bytes)
{
    unreserved_bytes += bytes;
}

size_t sys_process_bytes(size_t *ret_commit)
{
    char text[128];
    size_t fields[6] = { 0 }; /* size, resident, shared, text, library, data: in pages */
    int fd = sys_open("/proc/self/statm", O_RDONLY, 0);
    ssize_t n = fd < 0 ? 0 : sys_read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    char *at = text;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fields[i] = strtoull(at, &at, 10);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (ret_commit)
        *ret_commit = fields[5] * page - unreserved_bytes;
    return fields[1] * page;
}

size_t sys_resident_bytes(void)
{
    return sys_process_bytes(NULL);
}

bool sys_is_privileged(void)
{
    return getauxval(AT_UID) != getauxval(AT_EUID) || getauxval(AT_GID) != getauxval(AT_EGID);
}

void sys_drop_privileges(void)
{
    if (setgid(getgid()) != 0 || setuid(getuid()) != 0)
        _exit(126); /* going on with rights that were given up would be worse */
}
