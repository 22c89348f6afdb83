/*
 * The contents of one file to another, and what else is kept of it.
 *
 * The system copies by itself where it can (copy_file_range); holes stay holes. A file that keeps
 * its owner is nobody else's to read until it has it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "builtins/copy.h"
#include "builtins/stream.h"
#include "shell/base/kind.h"
#include "shell/base/sys.h"

enum { BUFFER_BYTES = 131072, STEP_BYTES = 1 << 24 };

/* An error on the side of PATH: reported, FLOW_NEXT. */
static enum flow fail(struct copy *copy, const char *path, const char *what)
{
    struct str why;
    int error = errno;
    str_init(&why, copy->sh->scratch);
    str_printf(&why, "%s: %s", what, strerror(error));
    copy_fail(copy, path, str_text(&why));
    return FLOW_NEXT;
}

/* BYTES (negative: all) from where IN is to where OUT is, by way of a buffer. *RET_SIDE: 'r' or 'w'
 * failed; 0: neither. */
static enum flow copy_by_buffer(struct copy *copy, int in, int out, off_t bytes, char *ret_side)
{
    if (!copy->buffer)
        copy->buffer = mem_alloc_kind(copy->sh->heap, BUFFER_BYTES, KIND_BUFFER);
    if (!copy->buffer)
        return shell_fail_memory(copy->sh, BUFFER_BYTES);
    while (bytes != 0) {
        TRY(copy_signals(copy));
        size_t most = bytes < 0 || bytes > BUFFER_BYTES ? BUFFER_BYTES : (size_t)bytes;
        ssize_t n = read(in, copy->buffer, most);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            *ret_side = n < 0 ? 'r' : 0;
            return FLOW_NEXT;
        }
        if (!sys_write_all(out, copy->buffer, (size_t)n)) {
            *ret_side = 'w';
            return FLOW_NEXT;
        }
        if (bytes > 0)
            bytes -= n;
    }
    return FLOW_NEXT;
}

/* The same, by the system where it can; IN is a regular file. */
static enum flow copy_stretch(struct copy *copy, int in, int out, off_t bytes, char *ret_side)
{
    while (bytes != 0) {
        TRY(copy_signals(copy));
        size_t most = bytes < 0 || bytes > STEP_BYTES ? STEP_BYTES : (size_t)bytes;
        ssize_t n = copy_file_range(in, NULL, out, NULL, most, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)) {
            *ret_side = 'w';
            return FLOW_NEXT;
        }
        if (n <= 0) /* not between these files; files of /proc say that they are empty */
            return copy_by_buffer(copy, in, out, bytes, ret_side);
        if (bytes > 0)
            bytes -= n;
    }
    return FLOW_NEXT;
}

/* A file of SIZE bytes with holes. */
static enum flow copy_sparse(struct copy *copy, int in, int out, off_t size, char *ret_side)
{
    off_t at = 0;
    while (at < size && !*ret_side) {
        off_t data = lseek(in, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break;
        off_t hole = data < 0 ? -1 : lseek(in, data, SEEK_HOLE);
        if (hole < 0) { /* the file system does not tell */
            data = at;
            hole = size;
        }
        if (lseek(in, data, SEEK_SET) < 0 || lseek(out, data, SEEK_SET) < 0)
            *ret_side = 'w';
        else
            TRY(copy_stretch(copy, in, out, hole - data, ret_side));
        at = hole;
    }
    if (!*ret_side && ftruncate(out, size) != 0)
        *ret_side = 'w';
    return FLOW_NEXT;
}

void copy_attributes(struct copy *copy, const struct stat *st, const char *to, int fd)
{
    const struct timespec times[2] = { st->st_atim, st->st_mtim };
    mode_t mode = st->st_mode & 07777;
    if (copy->keep & KEEP_OWNER) {
        int failed =
            fd >= 0 ? fchown(fd, st->st_uid, st->st_gid) : lchown(to, st->st_uid, st->st_gid);
        if (failed) /* only who may give files away does; then no rights go along with them */
            mode &= 0777;
    }
    if (copy->keep & KEEP_MODE && !S_ISLNK(st->st_mode) &&
        (fd >= 0 ? fchmod(fd, mode) : chmod(to, mode)) != 0)
        (void)fail(copy, to, "cannot set its mode");
    if (copy->keep & KEEP_TIMES &&
        (fd >= 0 ? futimens(fd, times) : utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW)) != 0)
        (void)fail(copy, to, "cannot set its times");
}

/* The descriptor to write to; -1: errno. */
static int open_target(struct copy *copy, const struct stat *st, const char *to, bool exists)
{
    mode_t mode = st->st_mode & (copy->keep & KEEP_OWNER ? 0700 : 0777);
    if (exists) {
        int fd = sys_open(to, O_WRONLY | O_TRUNC, 0);
        if (fd >= 0 || !copy->force || unlink(to) != 0)
            return fd;
    }
    return sys_open(to, O_WRONLY | O_CREAT | O_EXCL, mode);
}

enum flow copy_to_sink(struct copy *copy, const char *from, struct out *sink)
{
    struct stream s;
    int error = 0;
    stream_init(&s, copy->sh, copy->command);
    enum flow flow = stream_open(&s, from, &error);
    while (flow == FLOW_NEXT && !error && !s.ended) {
        flow = stream_fill(&s, &error);
        out_write(sink, s.buffer + s.start, s.end - s.start);
        s.start = s.end;
    }
    stream_release(&s);
    if (flow == FLOW_NEXT && error)
        copy_fail(copy, from, strerror(error));
    return flow;
}

enum flow copy_data(struct copy *copy, const char *from, const struct stat *st, const char *to,
                    bool exists)
{
    char side = 0;
    struct stat now;
    int in;
    while ((in = open(from, O_RDONLY | O_CLOEXEC)) < 0 && errno == EINTR) /* a FIFO */
        TRY(copy_signals(copy));
    if (in < 0)
        return fail(copy, from, "cannot open");
    int out = open_target(copy, st, to, exists);
    if (out < 0) {
        enum flow flow = fail(copy, to, "cannot create");
        close(in);
        return flow;
    }
    enum flow flow;
    if (fstat(in, &now) != 0 || !S_ISREG(now.st_mode))
        flow = copy_by_buffer(copy, in, out, -1, &side);
    else if (now.st_blocks < now.st_size / 512 && now.st_size > 0)
        flow = copy_sparse(copy, in, out, now.st_size, &side);
    else
        flow = copy_stretch(copy, in, out, -1, &side);
    if (flow == FLOW_NEXT && !side && copy->sync && fsync(out) != 0 && errno != EINVAL)
        side = 'w';
    if (flow == FLOW_NEXT && side)
        flow = fail(copy, side == 'r' ? from : to, side == 'r' ? "cannot read" : "cannot write");
    copy_attributes(copy, st, to, out);
    close(in);
    if (close(out) != 0 && flow == FLOW_NEXT && !side)
        flow = fail(copy, to, "cannot write");
    return flow;
}
