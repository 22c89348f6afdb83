/*
 * Captures: descriptor 1 as a string in memory while a command substitution runs in this process.
 *
 * Owns the stack of captures and their pipes. The shell's own output goes straight into the string.
 * A process gets the write end of a pipe in its place, and what it writes is appended while
 * somebody waits for it: so the order of builtins and externals is kept, and no amount of output
 * can block both sides. A pipe rather than a file in memory: programs see what they see under any
 * other shell, `>/dev/stdout` does not truncate, and the end of the last background process shows.
 *
 * Must not wait for processes, except in fdtab_capture_drain.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/fdtab_private.h"
#include "shell/state/frame.h"

enum { CAPTURE_READ_BYTES = 65536 };

enum flow fdtab_capture(struct shell *sh, struct frame *target, struct str *sink)
{
    struct fdtab *tab = sh->fdtab;
    struct capture *capture = mem_alloc_zeroed(tab->region, sizeof *capture);
    struct open_file *file = capture ? file_new(tab, -1) : NULL;
    if (!file) {
        mem_free(capture);
        return shell_fail_memory(sh, sizeof *file);
    }
    out_init_sink(&file->out, sink);
    file->capture = capture;
    *capture = (struct capture){
        .outer = tab->capture, .file = file, .sink = sink, .pipe_read = -1, .pipe_write = -1
    };
    tab->capture = capture;
    enum flow flow = slot_set(sh, target, STDOUT_FILENO, file_hold(file), capture);
    if (flow != FLOW_NEXT) {
        file_release(tab, file);
        capture_end(tab, capture);
    }
    return flow;
}

int fdtab_behind_captures(struct shell *sh)
{
    const struct fdtab *tab = sh->fdtab;
    const struct open_file *file = fdtab_file(sh, STDOUT_FILENO);
    int real = -1;
    if (!file || !file->capture)
        return -1;
    for (const struct fd_save *save = tab->saves; save; save = save->next) /* the oldest is last */
        if (save->capture && save->file && !save->file->capture)
            real = save->file->real;
    return real == CLOSED_FD ? -1 : real;
}

static void pipe_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void capture_end(struct fdtab *tab, struct capture *capture)
{
    struct capture **link = &tab->capture;
    while (*link && *link != capture)
        link = &(*link)->outer;
    if (*link)
        *link = capture->outer;
    struct open_file *file = capture->file;
    if (file->capture) {
        /* A descriptor that a shared ${ exec 3>&1;} left behind has nothing to write to any more.
         */
        file->capture = NULL;
        file->real = CLOSED_FD;
        out_init_fd(&file->out, CLOSED_FD, tab->region);
    }
    pipe_close(&capture->pipe_read);
    pipe_close(&capture->pipe_write);
    file_release(tab, file);
    mem_free_sized(tab->region, capture, sizeof *capture);
}

enum flow fdtab_promote(struct shell *sh)
{
    for (struct capture *capture = sh->fdtab->capture; capture; capture = capture->outer) {
        int fds[2];
        /* No slot, saved or not, leads to it: nothing can be written to it. */
        if (capture->pipe_write >= 0 || capture->file->refs <= 1)
            continue;
        pipe_close(&capture->pipe_read);
        if (sys_pipe(fds) != 0)
            return shell_fail(sh, ERROR_LIMIT, 1, NULL, "cannot make a pipe: %m");
        capture->pipe_read = fds[0];
        capture->pipe_write = fds[1];
        fcntl(fds[0], F_SETFL, O_NONBLOCK);
    }
    return FLOW_NEXT;
}

/* Appends what is in the pipe. 1: got something; 0: end of file; -1: nothing now, or error (errno).
 * Without memory the pipe is closed, so that who writes to it ends; the sink says that it failed.
 */
static int capture_read(struct capture *capture)
{
    struct str *sink = capture->sink;
    if (!str_reserve(sink, CAPTURE_READ_BYTES)) {
        pipe_close(&capture->pipe_read);
        return 0;
    }
    ssize_t n = read(capture->pipe_read, sink->data + sink->len, CAPTURE_READ_BYTES);
    if (n > 0) {
        sink->len += (size_t)n;
        sink->data[sink->len] = '\0';
    }
    return n > 0 ? 1 : n < 0 ? -1 : 0;
}

void captures_poll(struct fdtab *tab)
{
    for (struct capture *capture = tab->capture; capture; capture = capture->outer) {
        if (capture->pipe_read < 0)
            continue;
        while (capture_read(capture) > 0)
            ;
    }
}

void fdtab_capture_poll(struct shell *sh)
{
    captures_poll(sh->fdtab);
}

size_t fdtab_capture_fds(struct shell *sh, int *ret, size_t max)
{
    size_t count = 0;
    for (struct capture *capture = sh->fdtab->capture; capture && count < max;
         capture = capture->outer) {
        if (capture->pipe_read >= 0)
            ret[count++] = capture->pipe_read;
    }
    return count;
}

/* Sleeps until the pipe FD has something to read or a signal comes; false, at once, when one that
 * ENDS says ends the waiting has come. Signals are blocked in between, so that none is missed. */
static bool pipe_await(struct shell *sh, int fd, bool (*ends)(const struct shell *sh))
{
    struct pollfd polled = { .fd = fd, .events = POLLIN };
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    bool waits = !ends || !ends(sh);
    if (waits)
        (void)ppoll(&polled, 1, NULL, &mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return waits;
}

void fdtab_capture_drain(struct shell *sh, bool (*ends)(const struct shell *sh))
{
    struct capture *capture = sh->fdtab->capture;
    if (!capture || capture->pipe_read < 0)
        return;
    pipe_close(&capture->pipe_write);
    for (;;) {
        int got = capture_read(capture);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            break;
        if (got < 0 && !pipe_await(sh, capture->pipe_read, ends))
            break;
    }
    pipe_close(&capture->pipe_read);
}

/* Does CAPTURE end with a frame inside of KEEP (NULL: none does)? */
static bool capture_is_inside(const struct fdtab *tab, const struct capture *capture,
                              const struct frame *keep)
{
    for (const struct fd_save *save = tab->saves; keep && save; save = save->next) {
        if (save->capture == capture)
            return save->frame_id > keep->id;
    }
    return false;
}

void captures_after_fork(struct fdtab *tab, const struct frame *keep)
{
    struct capture *next;
    for (struct capture *capture = tab->capture; capture; capture = next) {
        struct open_file *file = capture->file;
        next = capture->outer;
        pipe_close(&capture->pipe_read);
        if (capture_is_inside(tab, capture, keep)) { /* ${ } goes on; the parent has the pipe */
            pipe_close(&capture->pipe_write);
            continue;
        }
        int real = capture->pipe_write >= 0 ? capture->pipe_write : CLOSED_FD;
        capture->pipe_write = -1;
        file->capture = NULL;
        file->real = real;
        out_init_fd(&file->out, real, tab->region);
        /* Rollback of the frame that would end it finds it ended. */
        for (struct fd_save *save = tab->saves; save; save = save->next) {
            if (save->capture == capture)
                save->capture = NULL;
        }
        capture_end(tab, capture);
    }
}
