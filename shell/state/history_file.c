/*
 * The file that holds the history, shared with other shells.
 *
 * Whoever writes holds a lock on it (flock), and has read all that others wrote before. What is
 * written is one write(2), so a shell that is killed loses nothing but what it was writing. Nobody
 * waits long for the lock: a shell that was stopped with it must not stop others.
 *
 * A file that has grown to many times what is kept is replaced by a shorter one with rename(2),
 * under the lock. The others see that theirs has no name any more and open the new one; numbers go
 * on, since its first record says them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/kind.h"
#include "shell/base/sys.h"
#include "shell/state/history_private.h"

enum { LOCK_TRIES = 50, LOCK_PAUSE_MS = 10, TRIM_BYTES = 64 << 10 };

static void lock(struct history *h, int how)
{
    for (int i = 0; i < LOCK_TRIES && flock(h->fd, how | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return; /* a file system that has no locks */
        (void)sys_readable_within(-1, LOCK_PAUSE_MS);
    }
}

static void unlock(struct history *h)
{
    int error = errno;
    (void)flock(h->fd, LOCK_UN);
    errno = error;
}

/* ---- reading ---- */

static bool has_grown(struct history *h, struct stat *ret)
{
    return fstat(h->fd, ret) == 0 && (size_t)ret->st_size > h->read_bytes;
}

/* Reads on while the lock is held. */
static void read_on(struct history *h)
{
    struct stat st;
    if (!has_grown(h, &st))
        return;
    size_t more = (size_t)st.st_size - h->read_bytes;
    if (!str_reserve(&h->text, more))
        return;
    ssize_t got = pread(h->fd, h->text.data + h->text.len, more, (off_t)h->read_bytes);
    if (got <= 0)
        return;
    h->read_bytes += (size_t)got;
    h->text.len += (size_t)got;
    h->text.data[h->text.len] = '\0';
    history_parse(h);
}

bool history_file_read(struct history *h)
{
    struct stat st = { .st_nlink = 0 };
    if (h->fd < 0)
        return true;
    if (has_grown(h, &st)) {
        lock(h, LOCK_SH);
        read_on(h);
        unlock(h);
    }
    return st.st_nlink > 0;
}

/* ---- writing ---- */

/* Writes S behind the file's end, whole or not at all. */
static bool write_whole(struct history *h, const struct str *s)
{
    struct stat st;
    if (!str_ok(s) || fstat(h->fd, &st) != 0)
        return false;
    if (sys_write_all(h->fd, s->data, s->len))
        return true;
    int error = errno;
    (void)!ftruncate(h->fd, st.st_size);
    errno = error;
    return false;
}

bool history_file_append(struct history *h, const char *text, size_t len, int64_t time)
{
    struct str entry;
    lock(h, LOCK_EX);
    read_on(h);
    str_init(&entry, h->text.region);
    if (h->read_bytes > HISTORY_HEADER && h->text.len && h->text.data[h->text.len - 1])
        str_append(&entry, "\n", 2); /* who wrote last was cut off */
    if ((h->read_bytes + entry.len) % 2)
        str_putc(&entry, '\0');
    history_append_entry(&entry, h->read_bytes + entry.len, text, len, time);
    bool ok = write_whole(h, &entry);
    int error = errno;
    if (ok)
        read_on(h);
    str_release(&entry);
    unlock(h);
    errno = error;
    return ok;
}

void history_file_undo(struct history *h, int64_t number)
{
    static const char record[] = { (char)HISTORY_UNDO, '\0' };
    lock(h, LOCK_EX);
    read_on(h);
    if (h->first + (int64_t)place_count(h) - 1 == number &&
        sys_write_all(h->fd, record, sizeof record))
        read_on(h);
    unlock(h);
}

/* ---- fewer commands ---- */

/* The last SIZE commands as a file. */
static bool make_short(const struct history *h, size_t size, struct str *ret)
{
    size_t count = place_count(h), from = count > size ? count - size : 0;
    int64_t number = h->first + (int64_t)from;
    const char header[] = { (char)HISTORY_UNDO, HISTORY_VERSION };
    const char record[] = { (char)HISTORY_NUMBER, '\0',         (char)(number >> 16),
                            (char)(number >> 8),  (char)number, '\0' };
    str_append(ret, header, sizeof header);
    str_append(ret, record, sizeof record);
    for (size_t i = from; i < count; i++) {
        const struct place *place = place_at(h, i);
        history_append_entry(ret, ret->len, h->text.data + place->start, place->len, place->time);
    }
    return str_ok(ret);
}

/* Puts S in the place of the file PATH, whose state is ST. */
static bool replace(const char *path, const struct str *s, const struct stat *st)
{
    char real[PATH_MAX], other[PATH_MAX + 24];
    if (!realpath(path, real))
        return false;
    (void)snprintf(other, sizeof other, "%s.%ld", real, (long)getpid());
    int fd = sys_open(other, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    bool ok = sys_write_all(fd, s->data, s->len) && fchmod(fd, st->st_mode & 07777) == 0 &&
              fdatasync(fd) == 0;
    ok = close(fd) == 0 && ok;
    ok = ok && rename(other, real) == 0;
    if (!ok)
        (void)unlink(other);
    return ok;
}

void history_file_trim(struct history *h, int64_t size)
{
    struct stat st, named;
    struct str s;
    if (h->fd < 0 || h->read_bytes < TRIM_BYTES || (int64_t)place_count(h) < 2 * size)
        return;
    lock(h, LOCK_EX);
    read_on(h);
    str_init(&s, h->text.region);
    /* A file of somebody else, or that was replaced just now, stays as it is. */
    if (fstat(h->fd, &st) == 0 && stat(h->path, &named) == 0 && st.st_ino == named.st_ino &&
        st.st_dev == named.st_dev && st.st_uid == geteuid() && make_short(h, (size_t)size, &s))
        (void)replace(h->path, &s, &st);
    str_release(&s);
    unlock(h);
}

/* ---- opening ---- */

/* A new file gets its header; one that begins otherwise is none of ours. */
static bool check_header(struct history *h)
{
    static const char header[] = { (char)HISTORY_UNDO, HISTORY_VERSION };
    struct stat st;
    bool ok = fstat(h->fd, &st) == 0;
    if (ok && !S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    lock(h, LOCK_EX);
    if (ok && fstat(h->fd, &st) == 0 && st.st_size == 0)
        ok = sys_write_all(h->fd, header, sizeof header);
    if (ok)
        read_on(h);
    unlock(h);
    if (!ok)
        return false;
    if (h->text.len >= sizeof header && memcmp(h->text.data, header, sizeof header) == 0)
        return true;
    errno = EINVAL;
    return false;
}

bool history_file_open(struct shell *sh, const char *path)
{
    /* Not blocking: it may be a FIFO. */
    int fd = sys_open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, 0600);
    if (fd < 0)
        return false;
    struct history *h = sh->history;
    h->fd = sys_move_private(fd);
    if (check_header(h))
        return true;
    int error = errno;
    close(h->fd);
    h->fd = -1;
    h->read_bytes = h->parsed = 0;
    str_clear(&h->text);
    str_clear(&h->places);
    errno = error;
    return false;
}
