/*
 * The table of a script's descriptors: slots, open files, and their journal.
 *
 * Owns every open file and the descriptor behind it. Invariants: a file's references are the slots
 * and saved slots that point to it, and a capture's one; when the last goes, it is flushed, its
 * read-ahead given back, and closed. 0, 1 and 2 of the process are never free (where a script has
 * closed them, /dev/null stands in), so that no open(2) elsewhere gets one of them by accident.
 *
 * Must not duplicate or move descriptors for a redirection that is undone: that is what makes them
 * cheap.
 */
#include "shell/state/fdtab.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/state/fdtab_private.h"
#include "shell/state/frame.h"

enum { FD_STANDARD_COUNT = 3, FD_SCAN_COUNT = 256 };

/* ---- open files ----------------------------------------------------------------------------- */

struct open_file *file_new(struct fdtab *tab, int real)
{
    struct open_file *file = mem_alloc_zeroed(tab->region, sizeof *file);
    if (!file)
        return NULL;
    out_init_fd(&file->out, real, tab->region);
    file->real = real;
    file->refs = 1;
    file->next = tab->files;
    file->link = &tab->files;
    if (file->next)
        file->next->link = &file->next;
    tab->files = file;
    return file;
}

struct open_file *file_hold(struct open_file *file)
{
    if (file)
        file->refs++;
    return file;
}

/* Keeps descriptor FD of the process occupied by something harmless. */
static void place_null(int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && null != fd) {
        dup3(null, fd, O_CLOEXEC);
        close(null);
    }
}

static bool file_flush(struct fdtab *tab, struct open_file *file)
{
    if (file->capture)
        return file->out.error == 0;
    if (file->out.len > 0 && file->in)
        input_sync(file->in);
    bool ok = out_flush(&file->out);
    if (!ok && !tab->late_error)
        tab->late_error = file->out.error;
    out_clear_error(&file->out);
    return ok;
}

/* REPLACEMENT: what takes the place of a standard descriptor of the process that ends here; -1:
 * something harmless. */
static void file_let_go(struct fdtab *tab, struct open_file *file, int replacement)
{
    if (!file || --file->refs > 0)
        return;
    file_flush(tab, file);
    if (file->in) {
        input_sync(file->in);
        input_free(tab, file->in);
    }
    out_release(&file->out);
    if (replacement >= 0) {
        dup3(replacement, file->real, O_CLOEXEC);
    } else if (file->real >= 0 && file->real != CLOSED_FD) {
        close(file->real);
        if (file->real < FD_STANDARD_COUNT)
            place_null(file->real);
    }
    *file->link = file->next;
    if (file->next)
        file->next->link = file->link;
    if (tab->touched == file)
        tab->touched = NULL;
    mem_free_sized(tab->region, file, sizeof *file);
}

void file_release(struct fdtab *tab, struct open_file *file)
{
    file_let_go(tab, file, -1);
}

void file_look(struct open_file *file)
{
    struct stat st;
    if (file->mode != FILE_UNKNOWN)
        return;
    file->mode = FILE_DIRECT;
    if (file->real < 0 || fstat(file->real, &st) != 0)
        return;
    int flags = fcntl(file->real, F_GETFL);
    file->read_only = flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
    file->device = st.st_dev;
    file->inode = st.st_ino;
    bool null = S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
    if (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || null)
        file->mode = FILE_BUFFERED;
}

/* Could a reader see in which order A and B were written? */
static bool files_share(struct open_file *a, struct open_file *b)
{
    file_look(a);
    file_look(b);
    return a->mode != FILE_BUFFERED || b->mode != FILE_BUFFERED ||
           (a->device == b->device && a->inode == b->inode);
}

/* ---- slots ---------------------------------------------------------------------------------- */

struct open_file *fdtab_file(struct shell *sh, int fd)
{
    struct fdtab *tab = sh->fdtab;
    if (fd >= 0 && (size_t)fd < tab->count && tab->slots[fd].file)
        return tab->slots[fd].file;
    errno = EBADF;
    return NULL;
}

struct out *fdtab_stdout(struct shell *sh)
{
    struct open_file *file = fdtab_file(sh, STDOUT_FILENO);
    return file ? &file->out : &sh->fdtab->closed.out;
}

/* Descriptor 1 refers to something else now. What was buffered for the old file is written out
 * where somebody could see that it comes late; a sink is memory, nobody sees when it is filled. */
static void stdout_changed(struct shell *sh)
{
    struct fdtab *tab = sh->fdtab;
    struct out *now = fdtab_stdout(sh);
    struct out *was = sh->out;
    sh->out = now;
    if (was == now || !was || was->fd < 0 || was->len == 0 || now->fd < 0)
        return;
    struct open_file *was_file = (struct open_file *)was;
    if (was_file != &tab->closed && files_share(was_file, (struct open_file *)now))
        file_flush(tab, was_file);
}

static bool slots_grow(struct fdtab *tab, size_t need)
{
    if (need <= tab->count)
        return true;
    size_t count = need + 8;
    struct fd_slot *slots = mem_resize(tab->region, tab->slots, count * sizeof *slots);
    if (!slots)
        return false;
    memset(slots + tab->count, 0, (count - tab->count) * sizeof *slots);
    tab->slots = slots;
    tab->count = count;
    return true;
}

/* Libraries write to 0, 1 and 2 of the process: after a permanent change those follow the script's.
 */
static void standard_mirror(struct fdtab *tab, int fd)
{
    if (fd >= FD_STANDARD_COUNT)
        return;
    struct open_file *file = tab->slots[fd].file;
    if (file && file->real == fd)
        return;
    for (struct open_file *other = tab->files; other; other = other->next) {
        if (other->real != fd)
            continue;
        /* Saved by a frame that is still to be rolled back. */
        int moved = sys_dup_private(fd);
        if (moved < 0)
            return;
        other->real = other->out.fd = moved;
        other->inherited = false;
    }
    if (!file || file->real < 0 || file->real == CLOSED_FD)
        place_null(fd);
    else
        dup3(file->real, fd, O_CLOEXEC);
}

static void save_unlink(struct fd_save *save)
{
    *save->link = save->next;
    if (save->next)
        save->next->link = save->link;
}

static void slot_restore(struct shell *sh, void *a, uintptr_t b)
{
    struct fdtab *tab = sh->fdtab;
    struct fd_save *save = a;
    (void)b;
    if (!save->dead) {
        struct fd_slot *slot = &tab->slots[save->fd];
        struct open_file *file = slot->file;
        slot->file = save->file;
        slot->stamp = save->stamp;
        slot->hidden = save->hidden;
        save_unlink(save);
        if (save->fd == STDOUT_FILENO)
            stdout_changed(sh);
        file_release(tab, file);
        if (save->capture)
            capture_end(tab, save->capture);
    }
    mem_free_sized(tab->region, save, sizeof *save);
}

static enum flow slot_save(struct shell *sh, struct frame *target, int fd, struct capture *capture)
{
    struct fdtab *tab = sh->fdtab;
    struct fd_slot *slot = &tab->slots[fd];
    struct fd_save *save = mem_alloc(tab->region, sizeof *save);
    if (!save)
        return shell_fail_memory(sh, sizeof *save);
    enum flow flow = frame_record_call(sh, target, slot_restore, save, 0);
    if (flow != FLOW_NEXT) {
        mem_free_sized(tab->region, save, sizeof *save);
        return flow;
    }
    *save = (struct fd_save){ .next = tab->saves,
                              .link = &tab->saves,
                              .file = file_hold(slot->file),
                              .capture = capture,
                              .stamp = slot->stamp,
                              .frame_id = target->id,
                              .fd = fd,
                              .hidden = slot->hidden };
    if (save->next)
        save->next->link = &save->next;
    tab->saves = save;
    slot->stamp = target->id;
    return FLOW_NEXT;
}

enum flow slot_set(struct shell *sh, struct frame *target, int fd, struct open_file *file,
                   struct capture *capture)
{
    struct fdtab *tab = sh->fdtab;
    if (fd < 0 || (fd >= SYS_FD_PRIVATE && fd >= sysconf(_SC_OPEN_MAX)))
        return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "%d: cannot open [%s]", fd, strerror(EBADF));
    if (!slots_grow(tab, (size_t)fd + 1))
        return shell_fail_memory(sh, ((size_t)fd + 1) * sizeof *tab->slots);
    struct fd_slot *slot = &tab->slots[fd];
    if (capture || frame_should_record(target, slot->stamp))
        TRY(slot_save(sh, target, fd, capture));
    struct open_file *old = slot->file;
    slot->file = file;
    slot->hidden = false;
    if (fd == STDOUT_FILENO)
        stdout_changed(sh);
    bool replaces = !target && fd < FD_STANDARD_COUNT && old && old->refs == 1 && old->real == fd &&
                    file && file->real >= 0 && file->real != CLOSED_FD;
    file_let_go(tab, old, replaces ? file->real : -1);
    if (!target && !replaces)
        standard_mirror(tab, fd);
    return FLOW_NEXT;
}

enum flow fdtab_install(struct shell *sh, struct frame *target, int fd, int real)
{
    struct open_file *file = file_new(sh->fdtab, real);
    if (!file) {
        close(real);
        return shell_fail_memory(sh, sizeof *file);
    }
    enum flow flow = slot_set(sh, target, fd, file, NULL);
    if (flow != FLOW_NEXT)
        file_release(sh->fdtab, file);
    return flow;
}

enum flow fdtab_dup(struct shell *sh, struct frame *target, int fd, int from)
{
    struct open_file *file = fdtab_file(sh, from);
    if (!file)
        return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "%d: cannot open [%s]", from,
                          strerror(EBADF));
    if (fd == from && !sh->fdtab->slots[fd].hidden)
        return FLOW_NEXT;
    enum flow flow = slot_set(sh, target, fd, file_hold(file), NULL);
    if (flow != FLOW_NEXT)
        file_release(sh->fdtab, file);
    return flow;
}

enum flow fdtab_close(struct shell *sh, struct frame *target, int fd)
{
    if (!fdtab_file(sh, fd))
        return FLOW_NEXT;
    return slot_set(sh, target, fd, NULL, NULL);
}

bool fdtab_is_open(struct shell *sh, int fd)
{
    return fdtab_file(sh, fd) != NULL;
}

bool fdtab_is_writable(struct shell *sh, int fd)
{
    struct open_file *file = fdtab_file(sh, fd);
    if (file)
        file_look(file);
    return file && !file->read_only;
}

void fdtab_hide(struct shell *sh, int fd)
{
    if (fdtab_file(sh, fd))
        sh->fdtab->slots[fd].hidden = true;
}

int fdtab_free_fd(struct shell *sh)
{
    int fd = SYS_FD_PRIVATE;
    while (fdtab_file(sh, fd))
        fd++;
    if (fd < sysconf(_SC_OPEN_MAX))
        return fd;
    errno = EMFILE;
    return -1;
}

int fdtab_real(struct shell *sh, int fd)
{
    struct open_file *file = fdtab_file(sh, fd);
    if (file && file->real >= 0 && file->real != CLOSED_FD)
        return file->real;
    errno = EBADF;
    return -1;
}

int fdtab_named(const char *path)
{
    static const char *const standard[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
    if (strncmp(path, "/dev/", 5) != 0)
        return -1;
    for (int fd = 0; fd < 3; fd++) {
        if (strcmp(path, standard[fd]) == 0)
            return fd;
    }
    if (strncmp(path, "/dev/fd/", 8) != 0 || path[8] < '0' || path[8] > '9')
        return -1;
    char *end;
    long fd = strtol(path + 8, &end, 10);
    return *end || fd > 0xffff ? -1 : (int)fd;
}

/* As fdtab_named; *RET_REST: what follows the name, empty or from a slash on. */
static int named_before(const char *path, const char **ret_rest)
{
    *ret_rest = "";
    if (strncmp(path, "/dev/fd/", 8) == 0 && path[8] >= '0' && path[8] <= '9') {
        char *end;
        long fd = strtol(path + 8, &end, 10);
        *ret_rest = end;
        return (*end && *end != '/') || fd > 0xffff ? -1 : (int)fd;
    }
    return fdtab_named(path);
}

const char *fdtab_path(struct shell *sh, const char *path, char buffer[static FDTAB_PATH_SIZE])
{
    const char *rest;
    if (strncmp(path, "/dev/", 5) != 0)
        return path;
    int fd = named_before(path, &rest);
    if (fd < 0 || strlen(rest) > FDTAB_PATH_SIZE - 32)
        return path;
    struct open_file *file = fdtab_file(sh, fd);
    if (file && file->capture)
        return path;
    snprintf(buffer, FDTAB_PATH_SIZE, "/dev/fd/%d%s", fdtab_real(sh, fd), rest);
    return buffer;
}

/* ---- output --------------------------------------------------------------------------------- */

/* Writes out what is buffered for other files if it could be seen that it comes after what will be
 * written to FILE; ALL: everything. */
static void files_flush_before(struct fdtab *tab, struct open_file *file, bool all)
{
    for (struct open_file *other = tab->files; other; other = other->next) {
        if (other != file && other->out.len > 0 && !other->capture &&
            (all || files_share(other, file)))
            file_flush(tab, other);
    }
}

struct out *fdtab_out(struct shell *sh, int fd)
{
    struct fdtab *tab = sh->fdtab;
    struct open_file *file = fdtab_file(sh, fd);
    if (!file)
        return NULL;
    if (&file->out == sh->out)
        return sh->out;
    if (!file->capture)
        files_flush_before(tab, file, fd == STDERR_FILENO);
    tab->touched = file;
    return &file->out;
}

static bool report_error(struct fdtab *tab)
{
    if (!tab->late_error)
        return true;
    errno = tab->late_error;
    tab->late_error = 0;
    return false;
}

void files_flush(struct fdtab *tab)
{
    for (struct open_file *file = tab->files; file; file = file->next) {
        if (file->out.len > 0 || file->out.error)
            file_flush(tab, file);
        if (file->capture && file->out.error) {
            tab->late_error = file->out.error;
            out_clear_error(&file->out);
        }
    }
    if (tab->closed.out.len > 0)
        file_flush(tab, &tab->closed);
    tab->touched = NULL;
}

void files_flush_shared(struct fdtab *tab, struct open_file *reader)
{
    for (struct open_file *file = tab->files; file; file = file->next) {
        if (file->out.len > 0 && !file->capture && files_share(file, reader))
            file_flush(tab, file);
    }
}

bool fdtab_flush(struct shell *sh)
{
    files_flush(sh->fdtab);
    return report_error(sh->fdtab);
}

bool fdtab_is_idle(struct shell *sh)
{
    for (const struct open_file *file = sh->fdtab->files; file; file = file->next) {
        if (file->out.len > 0 || (file->in && !input_is_idle(file->in)))
            return false;
    }
    return true;
}

/* Must FILE's buffer be written out at the end of a command? */
static bool is_due(struct shell *sh, struct open_file *file)
{
    struct fdtab *tab = sh->fdtab;
    if (file->capture)
        return false;
    if (file->out.error || file == &tab->closed)
        return true;
    const struct fd_slot *slots = tab->slots;
    if (slots[STDERR_FILENO].file == file ||
        (slots[STDOUT_FILENO].file == file && slots[STDOUT_FILENO].stamp == sh->frame->id))
        return true;
    if (file->mode == FILE_UNKNOWN)
        file_look(file);
    return file->mode == FILE_DIRECT;
}

bool fdtab_command_done(struct shell *sh)
{
    struct fdtab *tab = sh->fdtab;
    struct out *out = sh->out;
    if (out->fd < 0 ? out->error != 0 : out->len > 0 || out->error) {
        struct open_file *file = (struct open_file *)out;
        if (out->fd < 0) {
            tab->late_error = out->error;
            out_clear_error(out);
        } else if (is_due(sh, file)) {
            file_flush(tab, file);
        }
    }
    struct open_file *touched = tab->touched;
    tab->touched = NULL;
    if (touched && (touched->out.len > 0 || touched->out.error) && is_due(sh, touched))
        file_flush(tab, touched);
    return report_error(tab);
}

void fdtab_message(struct shell *sh, const char *text, size_t len)
{
    struct out *out = fdtab_out(sh, STDERR_FILENO);
    if (!out)
        return;
    /* One write(2) for the whole line, so that lines of several processes do not mix. */
    out_write(out, text, len);
    out_write(out, "\n", 1);
    if (out->fd >= 0) {
        out_flush(out);
        out_clear_error(out);
    }
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Finds out with one system call which descriptors are open. */
static bool adopt_open(struct fdtab *tab)
{
    struct pollfd polled[FD_SCAN_COUNT];
    long limit = sysconf(_SC_OPEN_MAX);
    nfds_t count = limit > 0 && limit < FD_SCAN_COUNT ? (nfds_t)limit : FD_SCAN_COUNT;
    for (nfds_t i = 0; i < count; i++)
        polled[i] = (struct pollfd){ .fd = (int)i };
    if (poll(polled, count, 0) < 0)
        return false;
    for (nfds_t i = 0; i < count; i++) {
        if (polled[i].revents & POLLNVAL) {
            if (i < FD_STANDARD_COUNT)
                place_null((int)i);
            continue;
        }
        if (i >= FD_STANDARD_COUNT && (fcntl((int)i, F_GETFD) & FD_CLOEXEC))
            continue;
        struct open_file *file = slots_grow(tab, (size_t)i + 1) ? file_new(tab, (int)i) : NULL;
        if (!file)
            return false;
        file->inherited = true;
        tab->slots[i].file = file;
    }
    return true;
}

struct fdtab *fdtab_new(struct mem_region *region)
{
    struct fdtab *tab = mem_alloc_zeroed(region, sizeof *tab);
    if (!tab)
        return NULL;
    tab->region = region;
    tab->peek_pipe[0] = tab->peek_pipe[1] = -1;
    tab->closed.real = CLOSED_FD;
    tab->closed.refs = 1;
    out_init_fd(&tab->closed.out, CLOSED_FD, region);
    if (!slots_grow(tab, FD_STANDARD_COUNT) || !adopt_open(tab)) {
        fdtab_free(tab);
        return NULL;
    }
    return tab;
}

static void peek_pipe_close(struct fdtab *tab)
{
    for (int i = 0; i < 2; i++) {
        if (tab->peek_pipe[i] >= 0)
            close(tab->peek_pipe[i]);
        tab->peek_pipe[i] = -1;
    }
}

void fdtab_free(struct fdtab *tab)
{
    if (!tab)
        return;
    while (tab->saves) {
        struct fd_save *save = tab->saves;
        save_unlink(save);
        mem_free_sized(tab->region, save, sizeof *save);
    }
    while (tab->capture)
        capture_end(tab, tab->capture);
    while (tab->files) {
        struct open_file *file = tab->files;
        file->refs = 1;
        /* What the process was started with stays open: it ends with the process. */
        if (file->inherited) {
            file_flush(tab, file);
            file->real = CLOSED_FD;
        }
        file_release(tab, file);
    }
    peek_pipe_close(tab);
    out_release(&tab->closed.out);
    if (tab->slots)
        mem_free_sized(tab->region, tab->slots, tab->count * sizeof *tab->slots);
    if (tab->moves)
        mem_free_sized(tab->region, tab->moves, tab->move_cap * sizeof *tab->moves);
    mem_free_sized(tab->region, tab, sizeof *tab);
}

bool fdtab_input_redirected(const struct shell *sh)
{
    return sh->fdtab->slots[STDIN_FILENO].stamp > 0;
}

void fdtab_note_input(struct shell *sh)
{
    struct fd_slot *slot = &sh->fdtab->slots[STDIN_FILENO];
    if (slot->stamp == 0)
        slot->stamp = 1;
}

/* What SAVE would bring back is given up. */
static void save_drop(struct fdtab *tab, struct fd_save *save)
{
    save_unlink(save);
    save->dead = true;
    if (save->capture)
        capture_end(tab, save->capture);
    file_release(tab, save->file);
}

void fdtab_drop_saved(struct shell *sh, const struct frame *frame)
{
    struct fd_save *next;
    for (struct fd_save *save = sh->fdtab->saves; save; save = next) {
        next = save->next;
        if (save->frame_id == frame->id)
            save_drop(sh->fdtab, save);
    }
    for (int fd = 0; fd < FD_STANDARD_COUNT; fd++)
        standard_mirror(sh->fdtab, fd);
}

void fdtab_after_fork(struct shell *sh, const struct frame *keep)
{
    struct fdtab *tab = sh->fdtab;
    peek_pipe_close(tab);
    captures_after_fork(tab, keep);
    struct fd_save *next;
    for (struct fd_save *save = tab->saves; save; save = next) {
        next = save->next;
        if (keep && save->frame_id > keep->id)
            continue;
        save_drop(tab, save);
    }
    for (int fd = 0; fd < FD_STANDARD_COUNT; fd++)
        standard_mirror(tab, fd);
    sh->out = fdtab_stdout(sh);
}
