/*
 * The working directory and the umask of the process, both undone with the subshell that changed
 * them.
 *
 * Owns sh->cwd, the logical path, and keeps PWD and OLDPWD in step. A subshell's journal remembers
 * the directory by a descriptor, so that it is found again even if it was renamed or is out of
 * reach by its path.
 */
#include "shell/state/cwd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/frame.h"
#include "shell/state/var.h"

struct cwd_save {
    char *path;
    uint64_t stamp;
};

static void cwd_restore(struct shell *sh, void *a, uintptr_t b)
{
    struct cwd_save *save = a;
    int fd = (int)b - 1;
    /* Nothing can be done if both fail: the directory is gone. */
    if (fd < 0 || fchdir(fd) != 0)
        (void)!chdir(save->path);
    if (fd >= 0)
        close(fd);
    mem_free(sh->cwd);
    sh->cwd = save->path;
    sh->cwd_stamp = save->stamp;
    mem_free_sized(sh->nodes, save, sizeof *save);
}

/* Takes the place of sh->cwd, which moves into the journal if a subshell wants it. FD: the old
 * directory, or -1. */
static enum flow cwd_save(struct shell *sh, struct frame *target, int fd)
{
    struct cwd_save *save = mem_alloc(sh->nodes, sizeof *save);
    if (!save ||
        frame_record_call(sh, target, cwd_restore, save, (uintptr_t)(fd + 1)) != FLOW_NEXT) {
        mem_free(save);
        return shell_fail_memory(sh, sizeof *save);
    }
    *save = (struct cwd_save){ .path = sh->cwd, .stamp = sh->cwd_stamp };
    sh->cwd = NULL;
    sh->cwd_stamp = target->id;
    return FLOW_NEXT;
}

bool cwd_physical(struct str *s)
{
    size_t start = s->len;
    for (size_t bytes = 256;; bytes *= 2) {
        if (!str_reserve(s, bytes)) {
            errno = ENOMEM;
            return false;
        }
        if (getcwd(s->data + start, bytes)) {
            s->len = start + strlen(s->data + start);
            return true;
        }
        s->data[start] = '\0';
        if (errno != ERANGE)
            return false;
    }
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(*path ? path : "/", &st) == 0 && S_ISDIR(st.st_mode);
}

/* Appends PATH to the logical directory in S, removing `.`, and `..` with what is before it. False:
 * what is before a `..` is no directory (errno). What S holds already is where the shell is: one
 * may leave it upwards also when it was removed. */
static bool append_logical(struct str *s, const char *path)
{
    size_t here = s->len;
    while (*path) {
        size_t len = strcspn(path, "/");
        if (len == 2 && path[0] == '.' && path[1] == '.') {
            if (s->len > here && !is_directory(str_text(s)))
                return false;
            while (s->len > 0 && s->data[s->len - 1] != '/')
                str_truncate(s, s->len - 1);
            if (s->len > 0)
                str_truncate(s, s->len - 1);
            here = s->len < here ? s->len : here;
        } else if (len > 0 && !(len == 1 && *path == '.')) {
            str_putc(s, '/');
            str_append(s, path, len);
        }
        path += len;
        path += *path == '/';
    }
    return true;
}

bool cwd_logical(struct shell *sh, const char *path, struct str *s)
{
    if (*path != '/' && !append_logical(s, sh->cwd))
        return false;
    if (!append_logical(s, path))
        return false;
    if (s->len == 0)
        str_putc(s, '/');
    return str_ok(s);
}

/* chdir(2), where PATH may lead through a descriptor of the script. */
static int enter(struct shell *sh, const char *path)
{
    char buffer[FDTAB_PATH_SIZE];
    return chdir(fdtab_path(sh, path, buffer));
}

static int go(struct shell *sh, const char *path, bool logical, struct str *where)
{
    if (logical && sh->cwd && *sh->cwd == '/') {
        if (!cwd_logical(sh, path, where))
            return str_ok(where) ? errno : ENOMEM;
        if (enter(sh, where->data) == 0)
            return 0;
        /* The text may be too long, or a directory above unreadable: then the path as it was given
         * may do. */
        if (errno != ENAMETOOLONG || *path == '/' || enter(sh, path) != 0)
            return errno;
        return 0;
    }
    if (enter(sh, path) != 0)
        return errno;
    if (!cwd_physical(where)) {
        str_clear(where); /* removed meanwhile: its name is the best there is */
        if (*sh->cwd != '/' || !cwd_logical(sh, path, where)) {
            str_clear(where);
            str_append_z(where, path);
        }
    }
    return 0;
}

/* Sets a variable of the shell, which is never one of the name space in force. */
static enum flow set_outside(struct shell *sh, const char *name, const char *text)
{
    struct space *space = sh->space;
    sh->space = NULL;
    enum flow flow = var_set_text(sh, name, text);
    sh->space = space;
    return flow;
}

enum flow cwd_change(struct shell *sh, const char *path, bool logical, int *ret_errno)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    bool record = frame_should_record(target, sh->cwd_stamp);
    int old = record ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    struct str where;
    str_init(&where, sh->heap);
    int error = *path ? go(sh, path, logical, &where) : ENOENT;
    char *cwd = error ? NULL : str_take(&where);
    str_release(&where);
    if (error || !cwd) {
        if (old >= 0)
            close(old);
        *ret_errno = error ? error : ENOMEM;
        return FLOW_NEXT;
    }
    *ret_errno = 0;
    enum flow flow = set_outside(sh, "OLDPWD", sh->cwd ? sh->cwd : "");
    if (flow == FLOW_NEXT && record) {
        flow = cwd_save(sh, target, old);
        old = flow == FLOW_NEXT ? -1 : old;
    }
    if (old >= 0)
        close(old);
    if (flow != FLOW_NEXT) {
        mem_free(cwd);
        return flow;
    }
    mem_free(sh->cwd);
    sh->cwd = cwd;
    return set_outside(sh, "PWD", cwd);
}

/* Is PATH an absolute name of "." without . and .. in it? */
static bool names_here(const char *path)
{
    struct stat there, here;
    if (!path || *path != '/' || stat(path, &there) != 0 || stat(".", &here) != 0)
        return false;
    for (const char *p = path; (p = strstr(p, "/.")); p++) {
        size_t dots = strspn(p + 1, ".");
        if (dots <= 2 && (p[1 + dots] == '/' || p[1 + dots] == '\0'))
            return false;
    }
    return there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

enum flow cwd_init(struct shell *sh)
{
    const char *pwd = var_text(sh, "PWD");
    struct str where;
    str_init(&where, sh->heap);
    if (names_here(pwd))
        str_append_z(&where, pwd);
    else if (!cwd_physical(&where))
        str_append_z(&where, ".");
    char *cwd = str_take(&where);
    str_release(&where);
    if (!cwd)
        return shell_fail_memory(sh, 0);
    mem_free(sh->cwd);
    sh->cwd = cwd;
    struct name *name = name_intern(sh, "PWD", 3);
    if (!name)
        return shell_fail_memory(sh, 0);
    struct var_change exported = { .set = VAR_EXPORT, .base = -1, .width = -1 };
    TRY(var_declare(sh, name, &exported));
    return var_set_text(sh, "PWD", cwd);
}

/* Is the descriptor of cwd_descriptor() still what that made of it? Scripts open none by O_PATH. */
static bool descriptor_is_ours(struct shell *sh, struct stat *ret_there)
{
    int real = sh->cwd_fd > 0 ? fdtab_real(sh, sh->cwd_fd) : -1;
    int flags = real >= 0 ? fcntl(real, F_GETFL) : -1;
    return flags >= 0 && flags & O_PATH && fstat(real, ret_there) == 0;
}

enum flow cwd_descriptor(struct shell *sh, int *ret_fd)
{
    struct stat here, there;
    *ret_fd = -1;
    if (stat(".", &here) != 0)
        return FLOW_NEXT;
    bool is_ours = descriptor_is_ours(sh, &there);
    if (!is_ours || here.st_dev != there.st_dev || here.st_ino != there.st_ino) {
        int fd = is_ours ? sh->cwd_fd : fdtab_free_fd(sh);
        int real = fd < 0 ? -1 : open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (real < 0)
            return FLOW_NEXT;
        TRY(fdtab_install(sh, frame_target(sh, TARGET_GLOBAL), fd, real));
        fdtab_hide(sh, fd);
        sh->cwd_fd = fd;
    }
    *ret_fd = sh->cwd_fd;
    return FLOW_NEXT;
}

static void umask_restore(struct shell *sh, void *a, uintptr_t b)
{
    sh->umask = (mode_t)b;
    sh->umask_stamp = (uint64_t)(uintptr_t)a;
    umask(sh->umask);
}

enum flow umask_set(struct shell *sh, mode_t mask)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (frame_should_record(target, sh->umask_stamp)) {
        TRY(frame_record_call(sh, target, umask_restore, (void *)(uintptr_t)sh->umask_stamp,
                              sh->umask));
        sh->umask_stamp = target->id;
    }
    sh->umask = mask;
    umask(mask);
    return FLOW_NEXT;
}
