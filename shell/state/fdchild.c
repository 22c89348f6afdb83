/*
 * The descriptors of a child: what has to be moved where between vfork and exec.
 *
 * Owns the list of moves, made in the parent, carried out in the child. All moves are as if at
 * once: a descriptor that is both taken from and written to is read first. Descriptors that the
 * shell opened are close-on-exec and vanish by themselves.
 *
 * fdtab_child_apply must not allocate or call anything that is not async-signal-safe.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/fdtab_private.h"

/* Has FD, a slot, a file that commands get? */
static bool is_visible(const struct fdtab *tab, size_t fd)
{
    return tab->slots[fd].file && !tab->slots[fd].hidden;
}

/* Is FD of the process open across exec, whatever the script thinks of it? */
static bool passes_exec(const struct fdtab *tab, int fd)
{
    for (const struct open_file *file = tab->files; file; file = file->next) {
        if (file->real == fd)
            return file->inherited;
    }
    return false;
}

/* What to do for FD, which is visible or REPLACED (else -1); false: nothing. */
static bool find_move(const struct fdtab *tab, int fd, int replaced, struct fd_move *ret)
{
    const struct open_file *file = is_visible(tab, (size_t)fd) ? tab->slots[fd].file : NULL;
    int from = replaced;
    if (from < 0)
        from = file->capture ? file->capture->pipe_write : file->real;
    if (from < 0 || from == CLOSED_FD) {
        *ret = (struct fd_move){ -1, fd };
        return passes_exec(tab, fd);
    }
    *ret = (struct fd_move){ from, fd };
    return from != fd || replaced >= 0 || !file->inherited;
}

enum flow fdtab_child_moves(struct shell *sh, const int replace[3], struct fd_move **ret_moves,
                            size_t *ret_count)
{
    struct fdtab *tab = sh->fdtab;
    if (tab->move_cap < tab->count) {
        struct fd_move *moves = mem_resize(tab->region, tab->moves, tab->count * sizeof *moves);
        if (!moves)
            return shell_fail_memory(sh, tab->count * sizeof *moves);
        tab->moves = moves;
        tab->move_cap = tab->count;
    }
    size_t count = 0;
    for (size_t fd = 0; fd < tab->count; fd++) {
        int replaced = fd < 3 ? replace[fd] : -1;
        if (replaced >= 0 || is_visible(tab, fd))
            count += find_move(tab, (int)fd, replaced, &tab->moves[count]);
    }
    /* What the script has closed. Few files are open, but of slots there may be many. */
    for (const struct open_file *file = tab->files; file; file = file->next) {
        if (!file->inherited || file->real < 0 || (size_t)file->real >= tab->count ||
            is_visible(tab, (size_t)file->real) || (file->real < 3 && replace[file->real] >= 0))
            continue;
        tab->moves[count++] = (struct fd_move){ -1, file->real };
    }
    *ret_moves = tab->moves;
    *ret_count = count;
    return FLOW_NEXT;
}

static bool is_source(const struct fd_move *moves, size_t count, int fd)
{
    for (size_t i = 0; i < count; i++) {
        if (moves[i].from == fd && moves[i].to != fd)
            return true;
    }
    return false;
}

static int move_one(const struct fd_move *move)
{
    if (move->from < 0)
        return close(move->to) != 0 && errno != EBADF ? errno : 0;
    if (move->from == move->to)
        return fcntl(move->to, F_SETFD, 0) < 0 ? errno : 0;
    return dup2(move->from, move->to) < 0 ? errno : 0;
}

/* All that is left depends on each other in circles: takes one source out of the way. */
static int break_circle(struct fd_move *moves, size_t count)
{
    int above = SYS_FD_PRIVATE;
    for (size_t i = 0; i < count; i++) {
        if (moves[i].to >= above)
            above = moves[i].to + 1;
    }
    int from = moves[0].from;
    int aside = fcntl(from, F_DUPFD_CLOEXEC, above);
    if (aside < 0)
        return errno;
    for (size_t i = 0; i < count; i++) {
        if (moves[i].from == from)
            moves[i].from = aside;
    }
    return 0;
}

int fdtab_child_apply(struct fd_move *moves, size_t count)
{
    while (count > 0) {
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
            struct fd_move move = moves[i];
            moves[i].from = -1; /* not a source of itself */
            bool wait = is_source(moves, left, move.to) || is_source(moves + i, count - i, move.to);
            int error = wait ? 0 : move_one(&move);
            if (error)
                return error;
            if (wait)
                moves[left++] = move;
        }
        int error = left == count ? break_circle(moves, left) : 0;
        if (error)
            return error;
        count = left;
    }
    return 0;
}
