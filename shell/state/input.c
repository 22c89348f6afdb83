/*
 * Buffered input that takes no more from a descriptor than the script used.
 *
 * Owns struct input, one for each open file that is read, and so shared by duplicated descriptors.
 * DATA[START..END) is unread. Of the bytes up to END, the last PEEKED are still in the pipe: they
 * were copied with tee(2) (sockets: MSG_PEEK) and are taken out when more is wanted or when
 * somebody else may read (input_sync). Regular files are read in big pieces and the unread rest is
 * given back with lseek. Where peeking cannot be right (a FIFO open for reading and writing serves
 * as a semaphore; a background process may read the same pipe) bytes are read one at a time, so
 * that each goes to one reader.
 *
 * Must not hand out a byte twice. Before waiting, buffered output is written and captures are
 * emptied.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/kind.h"
#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/fdtab_private.h"

enum {
    INPUT_CHUNK_FIRST = 4096,
    INPUT_CHUNK_MAX = 131072,
    INPUT_PEEK_MAX = 65536,
    INPUT_KEEP_MAX = 1 << 20
};

enum input_kind {
    INPUT_FILE,   /* seekable */
    INPUT_PIPE,   /* tee */
    INPUT_SOCKET, /* MSG_PEEK */
    INPUT_DEVICE, /* terminals (a read gives a line) and others: nothing can be given back */
    INPUT_BYTES,  /* one at a time */
};
struct input {
    struct fdtab *tab;
    struct open_file *file;
    char *data;
    size_t start, end, cap;
    size_t peeked;
    size_t chunk; /* how much to ask for next */
    bool plain;   /* DATA[START..END) holds no backslash and no NUL byte */
    enum input_kind kind;
};

static enum input_kind input_kind_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return INPUT_BYTES;
    if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode))
        return lseek(fd, 0, SEEK_CUR) >= 0 ? INPUT_FILE : INPUT_BYTES;
    if (S_ISFIFO(st.st_mode))
        return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? INPUT_PIPE : INPUT_BYTES;
    if (S_ISCHR(st.st_mode))
        return INPUT_DEVICE;
    return S_ISSOCK(st.st_mode) ? INPUT_SOCKET : INPUT_BYTES;
}

struct input *fdtab_in(struct shell *sh, int fd)
{
    struct fdtab *tab = sh->fdtab;
    struct open_file *file = fdtab_file(sh, fd);
    if (!file)
        return NULL;
    if (file->in)
        return file->in;
    if (file->real < 0 || file->real == CLOSED_FD) {
        errno = EBADF;
        return NULL;
    }
    struct input *in = mem_alloc_zeroed(tab->region, sizeof *in);
    if (!in) {
        errno = ENOMEM;
        return NULL;
    }
    in->tab = tab;
    in->file = file;
    in->chunk = INPUT_CHUNK_FIRST;
    in->kind = input_kind_of(file->real);
    file->in = in;
    return in;
}

void input_free(struct fdtab *tab, struct input *in)
{
    if (in->data)
        mem_free_sized(tab->region, in->data, in->cap);
    mem_free_sized(tab->region, in, sizeof *in);
}

/* Takes BYTES of the peeked ones out of the pipe, to where their copies are: should another reader
 * have come in between, what we really got is there. */
static void take_peeked(struct input *in, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = read(in->file->real, in->data + in->end - in->peeked, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        in->peeked -= (size_t)n;
        bytes -= (size_t)n;
    }
}

bool input_is_idle(const struct input *in)
{
    return in->start == in->end && in->peeked == 0;
}

void input_sync(struct input *in)
{
    size_t unread = in->end - in->start;
    if (in->kind == INPUT_FILE && unread > 0) {
        if (lseek(in->file->real, -(off_t)unread, SEEK_CUR) < 0)
            return;
        in->start = in->end = 0;
        /* Somebody else reads in between: big pieces would be read again and again. */
        in->chunk = INPUT_CHUNK_FIRST;
    } else if (in->peeked > 0) {
        if (unread < in->peeked)
            take_peeked(in, in->peeked - unread);
        in->end -= in->peeked;
        in->peeked = 0;
    }
    if (in->start == in->end && in->cap > INPUT_KEEP_MAX) {
        mem_free_sized(in->tab->region, in->data, in->cap);
        in->data = NULL;
        in->cap = in->start = in->end = 0;
    }
}

void fdtab_input_sync(struct shell *sh)
{
    for (struct open_file *file = sh->fdtab->files; file; file = file->next) {
        if (file->in)
            input_sync(file->in);
    }
}

void fdtab_input_share(struct shell *sh)
{
    for (struct open_file *file = sh->fdtab->files; file; file = file->next)
        file->shared = true;
}

/* Room for CHUNK bytes after END. */
static bool make_room(struct input *in, size_t chunk)
{
    if (in->cap - in->end >= chunk)
        return true;
    if (in->start > 0) {
        memmove(in->data, in->data + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
        if (in->cap - in->end >= chunk)
            return true;
    }
    size_t cap = in->cap + in->cap / 2;
    if (cap < in->end + chunk)
        cap = in->end + chunk;
    char *data = mem_resize_kind(in->tab->region, in->data, cap, KIND_BUFFER);
    if (!data) {
        errno = ENOMEM;
        return false;
    }
    in->data = data;
    in->cap = cap;
    return true;
}

/* The reader of a capture's pipe is this process: while it waits here the pipe must not fill up. */
static bool wait_emptying_captures(struct input *in)
{
    for (;;) {
        struct pollfd polled[8] = { { .fd = in->file->real, .events = POLLIN } };
        nfds_t count = 1;
        for (struct capture *c = in->tab->capture; c && count < 8; c = c->outer) {
            if (c->pipe_read >= 0)
                polled[count++] = (struct pollfd){ .fd = c->pipe_read, .events = POLLIN };
        }
        if (count == 1)
            return true;
        if (sys_await(polled, count, -1) < 0) {
            if (errno == EINTR && !sys_signals_wait())
                continue;
            return false;
        }
        if (polled[0].revents)
            return true;
        captures_poll(in->tab);
        for (nfds_t i = 1; i < count; i++) {
            /* Only the hang-up of all writers is left: nothing to empty. */
            if (polled[i].revents == POLLHUP)
                return true;
        }
    }
}

static ssize_t fill_from_pipe(struct input *in)
{
    int *pipe = in->tab->peek_pipe;
    if (in->file->shared || (pipe[0] < 0 && sys_pipe(pipe) != 0)) {
        in->kind = INPUT_BYTES;
        return read(in->file->real, in->data + in->end, 1);
    }
    ssize_t n = tee(in->file->real, pipe[1], INPUT_PEEK_MAX, 0);
    if (n < 0 && errno == EINVAL) {
        in->kind = INPUT_BYTES;
        return read(in->file->real, in->data + in->end, 1);
    }
    size_t got = 0;
    while (n > 0 && got < (size_t)n) {
        ssize_t part = read(pipe[0], in->data + in->end + got, (size_t)n - got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return -1;
        got += (size_t)part;
    }
    if (n > 0)
        in->peeked = (size_t)n;
    return n;
}

static ssize_t fill_from_socket(struct input *in, size_t chunk)
{
    ssize_t n = recv(in->file->real, in->data + in->end, chunk, in->file->shared ? 0 : MSG_PEEK);
    if (n > 0 && !in->file->shared)
        in->peeked = (size_t)n;
    return n;
}

/* Says whether the unread bytes are plain, of which the last ADDED are new; CHANGED: what was there
 * before was taken from the pipe anew. */
static void look_for_escapes(struct input *in, size_t added, bool changed)
{
    enum { LOOK_AGAIN_MAX = 4096 };
    size_t before = in->end - in->start - added;
    size_t len = changed && before <= LOOK_AGAIN_MAX ? before + added : added;
    bool known = before == 0 || (changed ? before <= LOOK_AGAIN_MAX : in->plain);
    const char *from = in->data + in->end - len;
    in->plain = known && !memchr(from, '\\', len) && !memchr(from, '\0', len);
}

/* Gets more bytes after END: how many, 0 at the end of file, -1. */
static ssize_t input_fill(struct input *in)
{
    size_t chunk = in->kind == INPUT_PIPE    ? INPUT_PEEK_MAX
                   : in->kind == INPUT_BYTES ? 1
                                             : in->chunk;
    if (in->kind == INPUT_SOCKET && in->file->shared)
        chunk = 1;
    /* Before the buffer moves: they are counted from its end. */
    bool peeked = in->peeked > 0;
    take_peeked(in, in->peeked);
    in->peeked = 0;
    if (!make_room(in, chunk < INPUT_CHUNK_FIRST ? INPUT_CHUNK_FIRST : chunk))
        return -1;
    int fd = in->file->real;
    if (in->kind != INPUT_FILE) {
        files_flush(in->tab);
        if (in->tab->capture && !wait_emptying_captures(in))
            return -1;
        if (!sys_idle_fd(fd))
            return -1;
    } else {
        files_flush_shared(in->tab, in->file);
    }
    ssize_t n;
    if (in->kind == INPUT_PIPE)
        n = fill_from_pipe(in);
    else if (in->kind == INPUT_SOCKET)
        n = fill_from_socket(in, chunk);
    else
        n = read(fd, in->data + in->end, chunk);
    if (n > 0) {
        in->end += (size_t)n;
        look_for_escapes(in, (size_t)n, peeked);
    }
    if (in->kind == INPUT_FILE && in->chunk < INPUT_CHUNK_MAX)
        in->chunk *= 4;
    if (in->chunk > INPUT_CHUNK_MAX)
        in->chunk = INPUT_CHUNK_MAX;
    return n;
}

int input_getc(struct input *in)
{
    if (in->start == in->end) {
        ssize_t n = input_fill(in);
        if (n <= 0)
            return n < 0 ? -2 : -1;
    }
    return (unsigned char)in->data[in->start++];
}

int input_line(struct input *in, char delim, const char **ret_text, size_t *ret_len)
{
    size_t scanned = 0;
    for (;;) {
        size_t len = in->end - in->start - scanned;
        const char *found = len > 0 ? memchr(in->data + in->start + scanned, delim, len) : NULL;
        if (found) {
            *ret_text = in->data + in->start;
            *ret_len = (size_t)(found - *ret_text) + 1;
            in->start += *ret_len;
            return 1;
        }
        scanned += len;
        ssize_t n = input_fill(in);
        if (n < 0)
            return -1;
        if (n == 0) {
            *ret_text = in->data ? in->data + in->start : "";
            *ret_len = in->end - in->start;
            in->start = in->end;
            return 0;
        }
    }
}

bool input_buffered_line(struct input *in, char delim, const char **ret_text, size_t *ret_len,
                         bool *ret_plain)
{
    const char *text = in->data + in->start;
    const char *end = in->start < in->end ? memchr(text, delim, in->end - in->start) : NULL;
    if (!end)
        return false;
    *ret_text = text;
    *ret_len = (size_t)(end - text);
    *ret_plain = in->plain;
    in->start += *ret_len + 1;
    return true;
}

ssize_t input_read(struct input *in, void *buffer, size_t max)
{
    if (max == 0)
        return 0;
    if (in->start == in->end && in->kind != INPUT_FILE && in->kind != INPUT_DEVICE) {
        /* What a read(2) gives is exactly what is used: no need to peek. */
        take_peeked(in, in->peeked);
        in->peeked = 0;
        in->start = in->end = 0;
        files_flush(in->tab);
        if (in->tab->capture && !wait_emptying_captures(in))
            return -1;
        return sys_idle_fd(in->file->real) ? read(in->file->real, buffer, max) : -1;
    }
    if (in->start == in->end) {
        ssize_t n = input_fill(in);
        if (n <= 0)
            return n;
    }
    size_t bytes = in->end - in->start < max ? in->end - in->start : max;
    memcpy(buffer, in->data + in->start, bytes);
    in->start += bytes;
    return (ssize_t)bytes;
}

void input_unread(struct input *in, size_t bytes)
{
    in->start -= bytes < in->start ? bytes : in->start;
}

bool input_wait(struct input *in, int64_t timeout_ns)
{
    errno = 0;
    if (in->start < in->end || in->kind == INPUT_FILE)
        return true;
    files_flush(in->tab);
    /* Peeked bytes that were used are still in the pipe and would make it look ready. */
    take_peeked(in, in->peeked);
    in->peeked = 0;
    struct pollfd polled = { .fd = in->file->real, .events = POLLIN };
    int n = sys_await(&polled, 1, timeout_ns);
    if (n == 0)
        errno = 0;
    return n > 0;
}

off_t input_seek(struct input *in, off_t offset, int whence)
{
    if (in->file->out.len > 0)
        files_flush(in->tab);
    input_sync(in);
    return lseek(in->file->real, offset, whence);
}
