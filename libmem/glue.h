/*
 * glue.h: every call libmem makes to the host system, each behind a small contract.
 *
 * Failures come back as NULL, false or -1 and never as a message. Nothing here allocates, so all of
 * it may be called before main, and errno of the caller survives glue_write.
 */
#ifndef LIBMEM_GLUE_H
#define LIBMEM_GLUE_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "libmem/config.h"

/* The C library's own allocator; with the front only these names still lead to it. Weak, for a
 * statically linked program does not hold it unless it asks its linker for it: its malloc is
 * the one of the front. */
#if MEM_FRONT
__attribute__((weak)) extern void *__libc_memalign(size_t align, size_t bytes);
__attribute__((weak)) extern void __libc_free(void *block);
#define glue_native_known()             (__libc_memalign && __libc_free)
#define glue_native_alloc(align, bytes) __libc_memalign((align), (bytes))
#define glue_native_free(block)         __libc_free(block)
#else
#include <stdlib.h>
#define glue_native_known()             true
#define glue_native_alloc(align, bytes) aligned_alloc((align), (bytes))
#define glue_native_free(block)         free(block)
#endif

/* Calls that changed what memory the process has, so far. Threads may lose a count. */
extern uint64_t glue_memory_calls;

static inline size_t glue_page_bytes(void)
{
    size_t bytes = getauxval(AT_PAGESZ);

    return bytes ? bytes : 4096;
}

/* Maps BYTES of zeroed memory wherever the system likes, best at HINT (NULL: no wish). */
static inline void *glue_map(void *hint, size_t bytes)
{
    glue_memory_calls++;
    void *base = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return base == MAP_FAILED ? NULL : base;
}

/* Maps BYTES of zeroed memory of which most is never touched. */
static inline void *glue_map_sparse(size_t bytes)
{
    glue_memory_calls++;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return base == MAP_FAILED ? NULL : base;
}

/* Maps BYTES exactly at BASE and replaces nothing, or fails. */
static inline void *glue_map_at(void *base, size_t bytes)
{
    glue_memory_calls++;
    void *got = mmap(base, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (got == MAP_FAILED)
        return NULL;
    if (got == base)
        return got;
    glue_memory_calls++;
    (void)munmap(got, bytes); /* a kernel that takes the address for a hint */
    return NULL;
}

static inline void *glue_map_file(int fd, size_t bytes, off_t offset)
{
    glue_memory_calls++;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, offset);

    return base == MAP_FAILED ? NULL : base;
}

/* Whether each page of the range is mapped. */
static inline bool glue_mapped(void *base, size_t bytes)
{
    return msync(base, bytes, MS_ASYNC) == 0;
}

static inline void glue_unmap(void *base, size_t bytes)
{
    glue_memory_calls++;
    (void)munmap(base, bytes);
}

/* Resizes a mapping, moving it if needed; its contents go along without being copied. */
static inline void *glue_remap(void *base, size_t old_bytes, size_t bytes)
{
    glue_memory_calls++;
    void *got = mremap(base, old_bytes, bytes, MREMAP_MAYMOVE);

    return got == MAP_FAILED ? NULL : got;
}

/* Moves the break by BYTES and returns the old one, or NULL. */
static inline char *glue_break(ptrdiff_t bytes)
{
    glue_memory_calls++;
    void *old = sbrk(bytes);

    return old == (void *)-1 ? NULL : old;
}

/* FD out of the way of those that scripts use, closed at exec. -1 stays -1. */
static inline int glue_fd_high(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 48);

    if (high < 0)
        return fd;
    (void)close(fd);
    return high;
}

/* A descriptor of /dev/zero out of the way of those that scripts use, or -1. */
static inline int glue_open_zero(void)
{
    int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);

    return glue_fd_high(fd);
}

/* PATH made or cut, with GO_ON not cut but added to, for writing; a FIFO that nobody reads is an
 * error, not something to wait for. */
static inline int glue_open_write(const char *path, bool go_on)
{
    int fd = open(path, O_WRONLY | O_CREAT | (go_on ? O_APPEND : O_TRUNC) | O_CLOEXEC | O_NONBLOCK,
                  0644);

    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return glue_fd_high(fd);
}

/*
 * As write, but an interruption is retried, and a pipe that nobody reads any more, or a file that
 * would be larger than the process may write (SIGXFSZ), is an error and not the end of the program,
 * which knows nothing of what is written here.
 */
static inline ssize_t glue_write_some(int fd, const char *text, size_t bytes)
{
    static const struct timespec at_once = { 0, 0 };
    sigset_t broken, before, waiting;
    ssize_t done;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigaddset(&broken, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    if (sigpending(&waiting) == 0) /* those are not ours to take away */
        for (int i = 0; i < 2; i++)
            if (sigismember(&waiting, i ? SIGXFSZ : SIGPIPE) == 1)
                sigdelset(&broken, i ? SIGXFSZ : SIGPIPE);
    while ((done = write(fd, text, bytes)) < 0 && errno == EINTR)
        ;
    int error = errno;
    if (done < 0 ? error == EPIPE || error == EFBIG
                 : (size_t)done < bytes) /* a part: it comes, too */
        while (sigtimedwait(&broken, NULL, &at_once) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return done;
}

/* One write to FD; what cannot be written is lost. */
static inline void glue_write(int fd, const char *text, size_t bytes)
{
    int saved = errno;

    (void)glue_write_some(fd, text, bytes);
    errno = saved;
}

static inline uint64_t glue_time_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* How often the process touched a page that was not there. */
static inline uint64_t glue_faults(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_minflt : 0;
}

/* Processor time of the process so far: a system call, unlike glue_time_us. */
static inline uint64_t glue_cpu_us(void)
{
    struct timespec used = { 0, 0 };

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000u + (uint64_t)used.tv_nsec / 1000u;
}

static inline const char *glue_error_text(int number)
{
    const char *text = strerrordesc_np(number); /* a constant: nothing is allocated */

    return text ? text : "unknown error";
}

/* Whether this process has rights that its caller has not. */
static inline bool glue_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* A number that differs from process to process. */
static inline uint64_t glue_random(void)
{
    const void *seed = (const void *)getauxval(AT_RANDOM);
    uint64_t value = 0;

    if (seed)
        memcpy(&value, seed, sizeof value);
    return value;
}

/* The value of NAME in the environment, or NULL; works before the C library is up. */
static inline const char *glue_env(const char *name)
{
    size_t length = strlen(name);

    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    return NULL;
}

static inline bool glue_advise(void *base, size_t bytes, int advice)
{
    glue_memory_calls++;
    int saved = errno;
    bool done = madvise(base, bytes, advice) == 0;

    errno = saved;
    return done;
}

/* Replaces a range by one without access, which no accounting counts. */
static inline bool glue_map_closed(void *base, size_t bytes)
{
    glue_memory_calls++;
    return mmap(base, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

/* Replaces it by zeroed memory again; false: none to be had. */
static inline bool glue_map_open(void *base, size_t bytes)
{
    glue_memory_calls++;
    return mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

/* The system's overcommit setting (2: strict), or -1. */
static inline int glue_overcommit(void)
{
    int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    char digit = 0;

    if (fd < 0)
        return -1;
    ssize_t got = read(fd, &digit, 1);
    (void)close(fd);
    return got == 1 && digit >= '0' && digit <= '9' ? digit - '0' : -1;
}

/* Makes BYTES at BASE fault when touched. */
static inline void glue_close(void *base, size_t bytes)
{
    glue_memory_calls++;
    (void)mprotect(base, bytes, PROT_NONE);
}

static inline bool glue_open(void *base, size_t bytes)
{
    glue_memory_calls++;
    return mprotect(base, bytes, PROT_READ | PROT_WRITE) == 0;
}

/* The end of the mapping that holds ADDRESS, or ADDRESS when it is not known. */
static inline const char *glue_mapping_end(const char *address)
{
    char text[4096];
    size_t kept = 0;
    ssize_t got;
    uintptr_t end = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    /* lines `FROM-TO mode ...` in hexadecimal, read piece by piece */
    while (fd >= 0 && !end && (got = read(fd, text + kept, sizeof text - kept)) > 0) {
        char *line = text, *newline, *last = text + kept + got;
        while (!end && (newline = memchr(line, '\n', (size_t)(last - line)))) {
            uintptr_t range[2] = { 0, 0 };
            for (int i = 0; i < 2; i++, line++)
                for (int c; (c = *line) != '-' && c != ' '; line++)
                    range[i] = range[i] << 4 | (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
            if ((uintptr_t)address >= range[0] && (uintptr_t)address < range[1])
                end = range[1];
            line = newline + 1;
        }
        kept = (size_t)(last - line);
        memmove(text, line, kept);
    }
    if (fd >= 0)
        (void)close(fd);
    return end ? (const char *)end : address;
}

_Noreturn static inline void glue_abort(void)
{
    (void)signal(SIGABRT, SIG_DFL);
    (void)raise(SIGABRT);
    _exit(134);
}

/* The module that ADDRESS is in, and the name before it where it has one; false: unknown. */
static inline bool glue_symbol(const void *address, const char **ret_module, const char **ret_name,
                               size_t *ret_offset)
{
    Dl_info info;

    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    *ret_module = info.dli_fname;
    *ret_name = info.dli_sname;
    *ret_offset = (size_t)((const char *)address -
                           (const char *)(info.dli_sname ? info.dli_saddr : info.dli_fbase));
    return true;
}

/* Blocks all signals of this thread; *RET_BEFORE are those that were blocked. */
static inline void glue_signals_block(sigset_t *ret_before)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, ret_before);
}

static inline void glue_signals_set(const sigset_t *signals)
{
    (void)pthread_sigmask(SIG_SETMASK, signals, NULL);
}

/* The instruction that a signal's CONTEXT was taken at; NULL where that is not known. */
static inline const void *glue_fault_code(const void *context)
{
    const ucontext_t *at = context;

#if defined(__x86_64__)
    return (const void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)at->uc_mcontext.pc;
#else
    (void)at;
    return NULL;
#endif
}

static inline bool glue_threaded(void)
{
    return !__libc_single_threaded;
}

static inline bool glue_first_thread(void)
{
    return !glue_threaded() || gettid() == getpid();
}

#endif
