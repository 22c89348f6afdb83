/*
 * The operands of cat, cut and their like: files read from begin to end, or standard input.
 *
 * Files are read by descriptors of the shell's own, which no child gets; standard input and what
 * /dev/fd names are the script's, read through its buffers so that nothing is lost. One buffer
 * serves all operands of a command. A signal that has an action ends the command, as it does read.
 */
#include "builtins/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/kind.h"
#include "shell/base/sys.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/var.h"

enum { FIRST_BYTES = 65536 };

void stream_init(struct stream *s, struct shell *sh, const char *command)
{
    *s = (struct stream){ .sh = sh, .command = command, .fd = -1 };
}

enum flow stream_open(struct stream *s, const char *path, int *ret_error)
{
    stream_close(s);
    *ret_error = 0;
    int number = strcmp(path, "-") == 0 ? STDIN_FILENO : fdtab_named(path);
    s->name = path;
    if (number >= 0) {
        s->in = fdtab_in(s->sh, number);
        *ret_error = s->in ? 0 : errno;
        return FLOW_NEXT;
    }
    struct stat st;
    char real[FDTAB_PATH_SIZE];
    path = fdtab_path(s->sh, path, real);
    s->waits = stat(path, &st) != 0 || !S_ISREG(st.st_mode);
    if (s->waits)
        (void)out_flush(s->sh->out);
    while (!s->signal && (s->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0 && errno == EINTR)
        TRY(trap_interrupt(s->sh, &s->signal));
    *ret_error = s->fd < 0 ? errno : 0;
    return FLOW_NEXT;
}

/* Room for more behind END. */
static bool make_room(struct stream *s)
{
    if (s->start > 0) {
        memmove(s->buffer, s->buffer + s->start, s->end - s->start);
        s->end -= s->start;
        s->start = 0;
    }
    if (s->end < s->cap)
        return true;
    size_t cap = s->cap ? s->cap * 2 : FIRST_BYTES;
    char *buffer = mem_resize_kind(s->sh->heap, s->buffer, cap, KIND_BUFFER);
    if (!buffer)
        return false;
    s->buffer = buffer;
    s->cap = cap;
    return true;
}

enum flow stream_fill(struct stream *s, int *ret_error)
{
    *ret_error = 0;
    if (s->ended)
        return FLOW_NEXT;
    if (!make_room(s))
        return shell_fail_memory(s->sh, s->cap * 2);
    if (s->waits)
        (void)out_flush(s->sh->out);
    for (;;) {
        TRY(trap_interrupt(s->sh, &s->signal));
        if (s->signal) {
            s->ended = true;
            return FLOW_NEXT;
        }
        char *to = s->buffer + s->end;
        size_t room = s->cap - s->end;
        errno = 0;
        ssize_t n = s->in ? input_read(s->in, to, room) : sys_read(s->fd, to, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            *ret_error = errno;
        s->ended = n <= 0;
        s->end += n > 0 ? (size_t)n : 0;
        return FLOW_NEXT;
    }
}

enum flow stream_line(struct stream *s, char delim, const char **ret_text, size_t *ret_len,
                      bool *ret_whole, int *ret_error)
{
    size_t looked = 0;
    *ret_error = 0;
    *ret_text = NULL;
    for (;;) {
        const char *text = s->buffer ? s->buffer + s->start : "";
        size_t len = s->end - s->start;
        const char *at = len > looked ? memchr(text + looked, delim, len - looked) : NULL;
        if (s->signal)
            return FLOW_NEXT;
        if (at || s->ended) {
            *ret_whole = at != NULL;
            *ret_len = at ? (size_t)(at - text) : len;
            s->start += *ret_len + *ret_whole;
            if (at || len)
                *ret_text = text;
            return FLOW_NEXT;
        }
        looked = len;
        TRY(stream_fill(s, ret_error));
        if (*ret_error)
            return FLOW_NEXT;
    }
}

int stream_fd(const struct stream *s)
{
    if (!s->in)
        return s->fd;
    int number = strcmp(s->name, "-") == 0 ? STDIN_FILENO : fdtab_named(s->name);
    return fdtab_real(s->sh, number);
}

void stream_close(struct stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->in = NULL;
    s->start = s->end = 0;
    s->ended = s->waits = false;
}

void stream_release(struct stream *s)
{
    stream_close(s);
    if (s->buffer)
        mem_free_sized(s->sh->heap, s->buffer, s->cap);
    s->buffer = NULL;
    s->cap = 0;
}

static void complain(const struct stream *s, const char *what, int error)
{
    shell_warn(s->sh, s->command, "%s: %s [%s]", text_shown(s->sh->scratch, s->name), what,
               strerror(error));
    s->sh->status = 1;
}

enum flow stream_each(struct shell *sh, struct args *args, bool quiet,
                      enum flow (*each)(struct stream *s, void *context, int *ret_error),
                      void *context)
{
    struct stream s;
    size_t count = args_left(args);
    enum flow flow = FLOW_NEXT;
    stream_init(&s, sh, args->spec->name);
    for (size_t i = 0; (i == 0 || i < count) && flow == FLOW_NEXT && !sh->out->error && !s.signal;
         i++) {
        int error = 0;
        flow = stream_open(&s, count ? args_peek(args, i) : "-", &error);
        bool is_open = !error, missing = error == ENOENT;
        if (flow == FLOW_NEXT && !error)
            flow = each(&s, context, &error);
        if (flow == FLOW_NEXT && s.signal)
            sh->status = 256 + s.signal;
        else if (flow == FLOW_NEXT && error && quiet && missing)
            sh->status = 1;
        else if (flow == FLOW_NEXT && error)
            complain(&s, is_open ? "read error" : "cannot open", error);
    }
    stream_release(&s);
    return flow;
}
