/* System calls: EINTR, close-on-exec, descriptors kept away from 0..9. The only place in L1 that
 * calls the kernel. Functions return -1 with errno like the calls they wrap. */
#ifndef SHELL_BASE_SYS_H
#define SHELL_BASE_SYS_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SYS_FD_PRIVATE = 10 }; /* the shell's own descriptors are at or above this one */

/* Signals that handlers took note of, and how many of those have been acted on: who is about to
 * wait must not while they differ. CHLD, which interrupts nothing, does not count. CAUGHT: there
 * are such handlers at all. */
struct sys_signals {
    volatile sig_atomic_t noted;
    sig_atomic_t acted;
    bool caught;
};
extern struct sys_signals sys_signals;

static inline bool sys_signals_wait(void)
{
    return sys_signals.noted != sys_signals.acted;
}

/* Whether in the directory FD names that differ only in case are one. */
bool sys_ignores_case(int fd);

/* poll(2) for at most TIMEOUT_NS (negative: for ever), which no noted signal slips past: -1 with
 * EINTR also when one came before. */
int sys_await(struct pollfd *entries, nfds_t count, int64_t timeout_ns);
/* The process has another effective user or group than the real ones. */
bool sys_is_privileged(void);
/* The effective ones become the real ones. */
void sys_drop_privileges(void);
ssize_t sys_read(int fd, void *buffer, size_t bytes); /* retries nothing: EINTR is the caller's */
bool sys_readable_now(int fd);
/* The same within MS milliseconds; a signal ends the waiting. */
bool sys_readable_within(int fd, int ms);
/* The size of the terminal FD; false: it is none, or has none. */
bool sys_terminal_size(int fd, size_t *ret_rows, size_t *ret_columns); /* a read would not wait */
/* Before a read that may wait: while nothing comes, free memory goes back to the system. True: FD
 * is ready, or there is nothing more to give back and no signal to miss. False, with EINTR: a
 * signal came. */
bool sys_idle_fd(int fd);
/* The same before waiting for the child PID. */
bool sys_idle_child(pid_t pid);
bool sys_write_all(int fd, const void *bytes, size_t len); /* retries EINTR and short writes */
int sys_open(const char *path, int flags, unsigned mode);  /* close-on-exec, retries EINTR */
int sys_dup_private(int fd);                               /* >= SYS_FD_PRIVATE, close-on-exec */
int sys_move_private(int fd);                              /* the same, closes FD */
int sys_pipe(int ret_fds[2]);                              /* both close-on-exec */
int sys_memfd(const char *name);                           /* anonymous file, close-on-exec */
int64_t sys_monotonic_ns(void);
int64_t sys_monotonic_coarse_ns(void); /* the same, up to 10 ms late and much cheaper */
int64_t sys_realtime_ns(void);
uint64_t sys_random(void);
/* Of this process: bytes in memory, and private bytes that it may write (*RET_COMMIT, may be NULL),
 * which the system has promised. 0 where it does not tell. Allocates nothing. */
size_t sys_resident_bytes(void);
/* BYTES were mapped that the system has not promised (MAP_NORESERVE). */
void sys_note_unreserved(size_t bytes);
size_t sys_process_bytes(size_t *ret_commit);

#endif
