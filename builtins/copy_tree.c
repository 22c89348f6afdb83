/*
 * Folders with all that is in them: copied, linked, removed.
 *
 * fts walks; what is at the other side is named by what follows the walk's root. A new folder may
 * be written to until all is in it, whatever its mode will be. A folder is not copied into itself,
 * which would not end.
 */
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins/copy.h"
#include "shell/state/cwd.h"

/* The whole path of TO, or of the nearest folder around it that is there. False: it cannot be told.
 */
static bool existing_path(const char *to, char ret[PATH_MAX])
{
    char path[PATH_MAX];
    if (strlen(to) >= sizeof path)
        return false;
    memcpy(path, to, strlen(to) + 1);
    while (!realpath(*path ? path : "/", ret)) {
        char *slash = strrchr(path, '/');
        if ((errno != ENOENT && errno != ENOTDIR) || !*path || strcmp(path, ".") == 0)
            return false;
        if (slash)
            *slash = '\0';
        else
            memcpy(path, ".", 2);
    }
    return true;
}

bool copy_is_inside(const char *from, const char *to)
{
    struct stat root, st;
    char whole[PATH_MAX];
    if (stat(from, &root) != 0 || !existing_path(to, whole))
        return false;
    for (;;) {
        if (stat(whole, &st) == 0 && st.st_dev == root.st_dev && st.st_ino == root.st_ino)
            return true;
        char *slash = strrchr(whole, '/');
        if (!slash[1])
            return false;
        slash[slash == whole] = '\0';
    }
}

/* What fts gave, that is no file: reported. True: there is nothing more to do with it. */
static bool is_trouble(struct copy *copy, const FTSENT *entry)
{
    switch (entry->fts_info) {
    case FTS_DC:
        copy_fail(copy, entry->fts_path, "leads back to a directory around it");
        return true;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        copy_fail(copy, entry->fts_path, strerror(entry->fts_errno));
        return true;
    case FTS_SLNONE:
        copy_fail(copy, entry->fts_path, strerror(ENOENT));
        return true;
    default:
        return false;
    }
}

/* A folder before what is in it. False: it is left out. */
static bool enter_folder(struct copy *copy, FTSENT *entry, const char *to)
{
    struct stat st;
    mode_t mode = entry->fts_statp->st_mode & 0777;
    if (copy->keep & KEEP_OWNER)
        mode &= 0700;
    entry->fts_number = 0;
    if (mkdir(to, mode | 0700) == 0) {
        entry->fts_number = 1; /* is new */
        return true;
    }
    if (errno == EEXIST && stat(to, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return true;
        errno = ENOTDIR;
    }
    copy_fail(copy, to, NULL);
    return false;
}

static void leave_folder(struct copy *copy, const FTSENT *entry, const char *to)
{
    const struct stat *st = entry->fts_statp;
    mode_t mode = st->st_mode & 0777 & ~copy->sh->umask;
    if (copy->keep)
        copy_attributes(copy, st, to, -1);
    if (entry->fts_number && !(copy->keep & KEEP_MODE) && (mode & 0700) != 0700 &&
        chmod(to, mode) != 0)
        copy_fail(copy, to, NULL);
}

static enum flow copy_entry(struct copy *copy, FTS *fts, FTSENT *entry, const char *to)
{
    if (is_trouble(copy, entry)) {
        if (entry->fts_info == FTS_DNR)
            leave_folder(copy, entry, to);
        return FLOW_NEXT;
    }
    if (entry->fts_info == FTS_D) {
        if (copy->verbose)
            out_printf(copy->sh->out, "%s -> %s\n", copy_written_name(copy, entry->fts_path),
                       copy_written_name(copy, to));
        if (!enter_folder(copy, entry, to)) {
            fts_set(fts, entry, FTS_SKIP);
            entry->fts_number = 2; /* fts comes by again all the same */
        }
        return FLOW_NEXT;
    }
    if (entry->fts_info == FTS_DP) {
        if (entry->fts_number != 2)
            leave_folder(copy, entry, to);
        return FLOW_NEXT;
    }
    return copy_file(copy, entry->fts_path, entry->fts_statp, to);
}

/* Opens a walk through FROM; NULL: errno. */
static FTS *walk_open(struct copy *copy, const char *from, int options)
{
    char *root = scratch_dup(copy->sh, from, strlen(from));
    char *roots[] = { root, NULL };
    if (!root) {
        errno = ENOMEM;
        return NULL;
    }
    return fts_open(roots, FTS_NOCHDIR | options, NULL);
}

enum flow copy_tree(struct copy *copy, const char *from, const char *to)
{
    enum flow flow = FLOW_NEXT;
    struct str path;
    size_t root_len = strlen(from);
    int options = copy->follow == FOLLOW_ALL ? FTS_LOGICAL : FTS_PHYSICAL;
    if (copy->follow == FOLLOW_OPERANDS || copy->follow == FOLLOW_ALL)
        options |= FTS_COMFOLLOW;
    if (copy->one_device)
        options |= FTS_XDEV;
    FTS *fts = walk_open(copy, from, options);
    if (!fts) {
        copy_fail(copy, from, NULL);
        return FLOW_NEXT;
    }
    str_init(&path, copy->sh->heap);
    for (FTSENT *entry; flow == FLOW_NEXT && !copy->quit && (entry = fts_read(fts));) {
        const char *rest = entry->fts_path + root_len;
        rest += strspn(rest, "/");
        str_clear(&path);
        str_append_z(&path, to);
        if (*rest)
            str_printf(&path, "%s%s", path.len && path.data[path.len - 1] == '/' ? "" : "/", rest);
        if (!str_ok(&path))
            flow = shell_fail_memory(copy->sh, path.len);
        if (flow == FLOW_NEXT)
            flow = copy_signals(copy);
        if (flow == FLOW_NEXT)
            flow = copy_entry(copy, fts, entry, str_text(&path));
    }
    fts_close(fts);
    str_release(&path);
    return flow;
}

enum flow copy_remove(struct copy *copy, const char *from)
{
    enum flow flow = FLOW_NEXT;
    FTS *fts = walk_open(copy, from, FTS_PHYSICAL);
    if (!fts) {
        copy_fail(copy, from, NULL);
        return FLOW_NEXT;
    }
    for (FTSENT *entry; flow == FLOW_NEXT && (entry = fts_read(fts));) {
        flow = copy_signals(copy);
        if (flow != FLOW_NEXT || entry->fts_info == FTS_D)
            continue;
        if (is_trouble(copy, entry))
            continue;
        if ((entry->fts_info == FTS_DP ? rmdir(entry->fts_accpath) : unlink(entry->fts_accpath)) !=
            0)
            copy_fail(copy, entry->fts_path, NULL);
    }
    fts_close(fts);
    return flow;
}
