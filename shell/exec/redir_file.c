/*
 * Opening what redirections name: files, /dev/fd and friends, sockets, here-documents, and files
 * that are replaced only when the command succeeds.
 *
 * All descriptors are close-on-exec; the caller puts them into the descriptor table. Before an open
 * that may wait for somebody (a FIFO) buffered output is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shell/base/lookup.h"
#include "shell/base/sys.h"
#include "shell/exec/redir_private.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

static enum flow open_fail(struct shell *sh, const char *path, bool create, int error)
{
    return shell_fail(sh, ERROR_REDIRECT, 1, path, "cannot %s [%s]", create ? "create" : "open",
                      strerror(error));
}

/* open(2) that waits (FIFO) only as long as no signal wants to act. */
static int open_patiently(struct shell *sh, const char *path, int flags)
{
    struct stat st;
    char buffer[FDTAB_PATH_SIZE];
    const char *real = fdtab_path(sh, path, buffer);
    if (!fdtab_is_idle(sh) && stat(real, &st) == 0 && S_ISFIFO(st.st_mode)) {
        (void)fdtab_flush(sh);
        fdtab_input_sync(sh);
    }
    for (;;) {
        int fd = open(real, flags | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EINTR || trap_pending_now(sh))
            return fd;
    }
}

/* set -C: `>` makes a new file or writes to something that is no regular file. */
static int open_noclobber(struct shell *sh, const char *path)
{
    int fd = open_patiently(sh, path, O_WRONLY | O_CREAT | O_EXCL);
    if (fd >= 0 || errno != EEXIST)
        return fd;
    struct stat st;
    fd = open_patiently(sh, path, O_WRONLY);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        close(fd);
        errno = EEXIST;
        return -1;
    }
    return fd;
}

/* `host/port`: connects. -1 with errno, or *RET_WHY when there is no such place. */
static int connect_to(const char *target, int type, struct mem_region *work, const char **ret_why)
{
    char host[256];
    const char *slash = strrchr(target, '/');
    *ret_why = NULL;
    if (!slash || slash == target || (size_t)(slash - target) >= sizeof host || !slash[1]) {
        errno = EINVAL;
        return -1;
    }
    memcpy(host, target, (size_t)(slash - target));
    host[slash - target] = '\0';
    struct lookup_address places[LOOKUP_ADDRESSES];
    size_t count;
    *ret_why = lookup_socket(host, slash + 1, type, work, places, &count);
    int fd = -1;
    for (size_t i = 0; !*ret_why && i < count && fd < 0; i++) {
        fd = socket(places[i].address.ss_family, type | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&places[i].address, places[i].len) != 0) {
            int failed = errno;
            close(fd);
            fd = -1;
            errno = failed;
        }
    }
    return fd;
}

static enum flow open_socket(struct shell *sh, const char *path, int type, int *ret_real)
{
    const char *why;
    int fd = connect_to(path + 9, type, sh->scratch, &why);
    if (fd < 0)
        return shell_fail(sh, ERROR_REDIRECT, 1, path, "cannot open [%s]",
                          why ? why : strerror(errno));
    *ret_real = fd;
    return FLOW_NEXT;
}

enum flow redir_open(struct shell *sh, enum redir_op op, const char *path, int *ret_real,
                     int *ret_dup)
{
    bool create = op != REDIR_IN;
    *ret_real = -1;
    *ret_dup = fdtab_named(path);
    if (*ret_dup >= 0)
        return FLOW_NEXT;
    if (strncmp(path, "/dev/tcp/", 9) == 0)
        return open_socket(sh, path, SOCK_STREAM, ret_real);
    if (strncmp(path, "/dev/udp/", 9) == 0)
        return open_socket(sh, path, SOCK_DGRAM, ret_real);
    int fd;
    switch (op) {
    case REDIR_IN:
        fd = open_patiently(sh, path, O_RDONLY);
        break;
    case REDIR_APPEND:
    case REDIR_BOTH_APPEND:
        fd = open_patiently(sh, path, O_WRONLY | O_CREAT | O_APPEND);
        break;
    case REDIR_INOUT:
    case REDIR_INOUT_TRUNC:
        fd = open_patiently(sh, path, O_RDWR | O_CREAT);
        break;
    case REDIR_OUT:
    case REDIR_BOTH:
        if (option_on(sh, OPTION_NOCLOBBER)) {
            fd = open_noclobber(sh, path);
            if (fd < 0 && errno == EEXIST)
                return shell_fail(sh, ERROR_REDIRECT, 1, path, "file already exists [%s]",
                                  strerror(EEXIST));
            break;
        }
        fd = open_patiently(sh, path, O_WRONLY | O_CREAT | O_TRUNC);
        break;
    default:
        fd = open_patiently(sh, path, O_WRONLY | O_CREAT | O_TRUNC);
        break;
    }
    if (fd < 0)
        return open_fail(sh, path, create, errno);
    *ret_real = fd;
    return FLOW_NEXT;
}

/* ---- here-documents ------------------------------------------------------------------------- */

/* Fills the new file FD, whose offset stays 0: at once as a rule. */
static bool text_put(int fd, const char *text, size_t len, bool newline)
{
    const struct iovec parts[] = { { .iov_base = (void *)(uintptr_t)text, .iov_len = len },
                                   { .iov_base = (void *)(uintptr_t) "\n", .iov_len = 1 } };
    ssize_t put = pwritev(fd, parts, newline ? 2 : 1, 0);
    return (put >= 0 && (size_t)put == len + newline) ||
           (sys_write_all(fd, text, len) && (!newline || sys_write_all(fd, "\n", 1)) &&
            lseek(fd, 0, SEEK_SET) == 0);
}

enum flow redir_open_text(struct shell *sh, const char *text, size_t len, bool newline,
                          int *ret_real)
{
    int fd = sys_memfd("here-document");
    if (fd < 0)
        return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "cannot make a here-document: %s",
                          strerror(errno));
    if (!text_put(fd, text, len, newline)) {
        int error = errno;
        close(fd);
        return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "cannot write a here-document: %s",
                          strerror(error));
    }
    *ret_real = fd;
    return FLOW_NEXT;
}

/* ---- files replaced or cut on success ------------------------------------------------------- */

struct rewrite {
    size_t bytes; /* of this struct with its texts */
    char *path;
    char temporary[];
};

static void rewrite_finish(struct shell *sh, void *a, uintptr_t b)
{
    struct rewrite *rewrite = a;
    (void)b;
    bool failed = sh->status == 0 && rename(rewrite->temporary, rewrite->path) != 0;
    if (failed)
        shell_warn(sh, rewrite->path, "cannot create [%s]", strerror(errno));
    if (failed || sh->status != 0)
        unlink(rewrite->temporary);
    mem_free_sized(sh->nodes, rewrite, rewrite->bytes);
}

/* The temporary file's name: beside PATH, so that it can be renamed. */
static struct rewrite *rewrite_new(struct shell *sh, const char *path)
{
    static const char suffix[] = ".XXXXXX";
    size_t len = strlen(path);
    size_t bytes = sizeof(struct rewrite) + len + sizeof suffix + len + 1;
    struct rewrite *rewrite = mem_alloc(sh->nodes, bytes);
    if (!rewrite)
        return NULL;
    rewrite->bytes = bytes;
    memcpy(rewrite->temporary, path, len);
    memcpy(rewrite->temporary + len, suffix, sizeof suffix);
    rewrite->path = rewrite->temporary + len + sizeof suffix;
    memcpy(rewrite->path, path, len + 1);
    return rewrite;
}

enum flow redir_open_rewrite(struct shell *sh, struct frame *target, const char *path,
                             int *ret_real)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode)) {
        int fd = open_patiently(sh, path, O_WRONLY);
        *ret_real = fd;
        return fd < 0 ? open_fail(sh, path, true, errno) : FLOW_NEXT;
    }
    struct rewrite *rewrite = rewrite_new(sh, path);
    if (!rewrite)
        return shell_fail_memory(sh, strlen(path));
    int fd = mkostemp(rewrite->temporary, O_CLOEXEC);
    if (fd < 0) {
        int error = errno;
        mem_free_sized(sh->nodes, rewrite, rewrite->bytes);
        return open_fail(sh, path, true, error);
    }
    fchmod(fd, exists ? st.st_mode & 07777 : 0666 & ~sh->umask);
    enum flow flow = frame_record_call(sh, target, rewrite_finish, rewrite, 0);
    if (flow != FLOW_NEXT) {
        close(fd);
        unlink(rewrite->temporary);
        mem_free_sized(sh->nodes, rewrite, rewrite->bytes);
        return flow;
    }
    *ret_real = fd;
    return FLOW_NEXT;
}

static void truncate_finish(struct shell *sh, void *a, uintptr_t b)
{
    (void)a;
    int fd = (int)b;
    struct input *in = sh->status == 0 ? fdtab_in(sh, fd) : NULL;
    off_t at = in ? input_seek(in, 0, SEEK_CUR) : -1;
    if (at >= 0 && ftruncate(fdtab_real(sh, fd), at) != 0)
        shell_warn(sh, NULL, "%d: cannot cut the file: %s", fd, strerror(errno));
}

enum flow redir_truncate_later(struct shell *sh, struct frame *target, int fd)
{
    return frame_record_call(sh, target, truncate_finish, NULL, (uintptr_t)fd);
}
