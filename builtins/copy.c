/*
 * What cp, ln and mv share: operands, and what happens to one file whose new name may be taken.
 *
 * Each file goes the same way: is there something at the new name, is it the same file, may it be
 * replaced (-u, -i), is it kept as a backup; then it is copied, linked or renamed. A file that
 * cannot be dealt with is reported and the others go on; the status then is 1.
 */
#include "builtins/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell/exec/trap.h"
#include "shell/state/var.h"

void copy_fail(struct copy *copy, const char *from, const char *why)
{
    int error = errno;
    const char *shown = copy_shown_name(copy, from);
    shell_warn(copy->sh, copy->command, "%s: %s", shown, why ? why : strerror(error));
    copy->sh->status = 1;
    copy->failed = true;
}

/* Reports `FROM: WHY TO`. */
static void fail_pair(struct copy *copy, const char *from, const char *why, const char *to)
{
    struct str s;
    str_init(&s, copy->sh->scratch);
    str_printf(&s, "%s %s", why, copy_shown_name(copy, to));
    copy_fail(copy, from, str_text(&s));
}

enum flow copy_signals(struct copy *copy)
{
    TRY(trap_interrupt(copy->sh, &copy->signal));
    return copy->signal ? FLOW_ERROR : FLOW_NEXT;
}

/* ---- what is at the new name ---------------------------------------------------------------- */

/* Asks on descriptor 2; the answer is a line of standard input. */
static enum flow ask(struct copy *copy, const char *to, bool *ret_yes)
{
    struct shell *sh = copy->sh;
    struct input *in = fdtab_in(sh, STDIN_FILENO);
    struct out *out = fdtab_out(sh, STDERR_FILENO);
    const char *text = "";
    size_t len = 0;
    if (out) {
        out_printf(out, "%s: replace %s? ", copy->command, copy_shown_name(copy, to));
        (void)out_flush(out);
        out_clear_error(out);
    }
    for (int got = -1; in && got < 0;) {
        got = input_line(in, '\n', &text, &len);
        if (got < 0 && errno != EINTR)
            break;
        TRY(copy_signals(copy));
    }
    *ret_yes = len > 0 && (*text == 'y' || *text == 'Y');
    copy->quit = len > 0 && (*text == 'q' || *text == 'Q');
    return FLOW_NEXT;
}

/* mv asks, too, before it replaces what may not be written to, if somebody is there to answer. */
static bool must_ask(const struct copy *copy, const char *to)
{
    if (copy->ask)
        return true;
    return copy->action == COPY_MOVE && !copy->force && eaccess(to, W_OK) != 0 && errno != ENOENT &&
           isatty(fdtab_real(copy->sh, STDIN_FILENO));
}

static void append_numbered(struct str *s, const char *to, const char *suffix, unsigned n)
{
    str_clear(s);
    str_printf(s, "%s.%s%u%s", to, suffix, n, suffix);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder that PATH is in. */
static bool stat_folder(struct copy *copy, const char *path, struct stat *ret)
{
    size_t len = (size_t)(last_part(path) - path);
    const char *folder = len ? scratch_dup(copy->sh, path, len) : ".";
    return folder && stat(folder, ret) == 0;
}

/* Are FROM and TO one name in one folder? */
static bool is_same_entry(struct copy *copy, const char *from, const char *to)
{
    struct stat a, b;
    return strcmp(last_part(from), last_part(to)) == 0 && stat_folder(copy, from, &a) &&
           stat_folder(copy, to, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* What to do about what is at TO. */
enum verdict { VERDICT_SKIP, VERDICT_NEW, VERDICT_WRITE };

/* Would a file that becomes NAME, a backup, take the place of FROM, of which ST tells, or of what
 * this command has put there? */
static bool backup_loses(struct copy *copy, const char *from, const struct stat *st,
                         const char *name)
{
    struct stat there;
    if (lstat(name, &there) != 0)
        return false;
    return (there.st_dev == st->st_dev && there.st_ino == st->st_ino) ||
           is_same_entry(copy, from, name) || copy_has_made(copy, name, NULL);
}

/* Renames TO to the name of its backup; if that cannot be, *RET is VERDICT_SKIP. */
static enum flow keep_backup(struct copy *copy, const char *from, const struct stat *from_st,
                             const char *to, enum verdict *ret)
{
    struct stat st;
    struct str name;
    const char *suffix = copy->suffix ? copy->suffix : var_text(copy->sh, "SIMPLE_BACKUP_SUFFIX");
    unsigned n = 1;
    if (!suffix || !*suffix)
        suffix = "~";
    str_init(&name, copy->sh->heap);
    append_numbered(&name, to, suffix, n);
    bool numbered = copy->backup == BACKUP_NUMBERED ||
                    (copy->backup == BACKUP_EXISTING && lstat(str_text(&name), &st) == 0);
    while (numbered && lstat(str_text(&name), &st) == 0)
        append_numbered(&name, to, suffix, ++n);
    if (!numbered) {
        str_clear(&name);
        str_printf(&name, "%s%s", to, suffix);
    }
    bool loses = str_ok(&name) && backup_loses(copy, from, from_st, str_text(&name));
    bool ok = str_ok(&name) && !loses && rename(to, str_text(&name)) == 0;
    enum flow flow = FLOW_NEXT;
    if (ok && copy_has_made(copy, to, NULL))
        flow = copy_note_made(copy, str_text(&name), &(struct stat){ 0 });
    else if (loses)
        fail_pair(copy, from, "what it replaces would become, and lose,", str_text(&name));
    else if (!ok)
        copy_fail(copy, to, NULL);
    if (!ok)
        *ret = VERDICT_SKIP;
    str_release(&name);
    return flow;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* Would a symbolic link at TO with the text FROM, which counts from there, mean itself? */
static bool leads_to_itself(struct copy *copy, const char *from, const char *to)
{
    struct str path;
    if (*from == '/')
        return false;
    str_init(&path, copy->sh->scratch);
    str_append(&path, to, (size_t)(last_part(to) - to));
    str_append_z(&path, from);
    return str_ok(&path) && is_same_entry(copy, str_text(&path), to);
}

/* FROM and TO, where something is, are one file, so that there is nothing to do. It is reported if
 * what was asked for cannot be had. */
static bool is_same(struct copy *copy, const char *from, const struct stat *st, const char *to)
{
    struct stat there;
    bool through = copy->action == COPY_DATA && !S_ISLNK(st->st_mode);
    bool links = copy->action == COPY_LINK || copy->action == COPY_SYMLINK;
    bool entry = links && (is_same_entry(copy, from, to) ||
                           (copy->action == COPY_SYMLINK && leads_to_itself(copy, from, to)));
    if (copy->action == COPY_SYMLINK && !entry)
        return false;
    if (!entry && ((through ? stat(to, &there) : lstat(to, &there)) != 0 ||
                   there.st_dev != st->st_dev || there.st_ino != st->st_ino))
        return false;
    if (links && !copy->force && !copy->ask && !copy->backup && !copy->remove)
        return false; /* the usual complaint */
    if (copy->action != COPY_MOVE && !(links && !entry))
        fail_pair(copy, from, "the same file as", to);
    return true;
}

/* TO is taken, by what THERE tells of. */
static enum flow replace(struct copy *copy, const char *from, const struct stat *st, const char *to,
                         const struct stat *there, enum verdict *ret)
{
    bool yes = copy->action == COPY_DATA || copy->action == COPY_MOVE || copy->force;
    struct stat target;
    *ret = VERDICT_SKIP;
    if (is_same(copy, from, st, to))
        return FLOW_NEXT;
    if (!copy->backup && copy_has_made(copy, to, st)) {
        fail_pair(copy, from, "would replace what was just put at", to);
        return FLOW_NEXT;
    }
    if (S_ISDIR(there->st_mode) && !(copy->action == COPY_MOVE && S_ISDIR(st->st_mode))) {
        copy_fail(copy, to, "is a directory, and stays");
        return FLOW_NEXT;
    }
    if (copy->update && !is_newer(st, there))
        return FLOW_NEXT;
    if (must_ask(copy, to)) {
        TRY(ask(copy, to, &yes));
        if (!yes)
            return FLOW_NEXT;
    }
    if (!yes && !copy->remove && !copy->backup) {
        copy_fail(copy, to, "is there already");
        return FLOW_NEXT;
    }
    if (copy->backup) {
        *ret = VERDICT_NEW;
        return keep_backup(copy, from, st, to, ret);
    }
    bool writes = copy->action == COPY_DATA && !copy->remove && !S_ISLNK(st->st_mode) &&
                  !(copy->recursive && !S_ISREG(st->st_mode));
    if (writes && S_ISLNK(there->st_mode) && stat(to, &target) != 0) {
        copy_fail(copy, to, "a link that leads nowhere is not written through");
        return FLOW_NEXT;
    }
    *ret = VERDICT_WRITE;
    if (writes || copy->action == COPY_MOVE)
        return FLOW_NEXT;
    *ret = VERDICT_NEW;
    if (unlink(to) != 0) {
        copy_fail(copy, to, NULL);
        *ret = VERDICT_SKIP;
    }
    return FLOW_NEXT;
}

/* ---- one file ------------------------------------------------------------------------------- */

static enum flow copy_link_itself(struct copy *copy, const char *from, const struct stat *st,
                                  const char *to)
{
    struct str target;
    str_init(&target, copy->sh->scratch);
    size_t room = st->st_size > 0 ? (size_t)st->st_size + 1 : 4096;
    if (!str_reserve(&target, room + 1))
        return shell_fail_memory(copy->sh, room);
    ssize_t len = readlink(from, target.data, room);
    if (len < 0) {
        copy_fail(copy, from, NULL);
        return FLOW_NEXT;
    }
    target.data[len] = '\0';
    if (symlink(target.data, to) != 0)
        copy_fail(copy, to, NULL);
    else if (copy->keep)
        copy_attributes(copy, st, to, -1);
    return FLOW_NEXT;
}

/* A file that has no contents of its own: a FIFO, a device, a socket. */
static void copy_special(struct copy *copy, const struct stat *st, const char *to)
{
    if (mknod(to, st->st_mode & (S_IFMT | 0777), st->st_rdev) != 0)
        copy_fail(copy, to, NULL);
    else if (copy->keep)
        copy_attributes(copy, st, to, -1);
}

/* Takes over what came of a PART of COPY with other settings. */
static void take_outcome(struct copy *copy, const struct copy *part)
{
    copy->failed |= part->failed;
    copy->quit |= part->quit;
    copy->signal = part->signal;
    copy->buffer = part->buffer;
}

/* Between file systems: a copy that keeps all, and then the original is removed. */
static enum flow move_across(struct copy *copy, const char *from, const struct stat *st,
                             const char *to, bool exists)
{
    struct copy all = *copy;
    if (S_ISDIR(st->st_mode) ? exists && rmdir(to) != 0 : exists && unlink(to) != 0) {
        copy_fail(copy, to, NULL);
        return FLOW_NEXT;
    }
    all.action = COPY_DATA;
    all.keep = KEEP_OWNER | KEEP_MODE | KEEP_TIMES;
    all.follow = FOLLOW_NONE;
    all.recursive = true;
    all.verbose = all.update = all.ask = all.failed = false;
    all.backup = BACKUP_NONE;
    enum flow flow = copy_tree(&all, from, to);
    if (flow == FLOW_NEXT && !all.failed)
        flow = copy_remove(&all, from);
    take_outcome(copy, &all);
    return flow;
}

static enum flow move_file(struct copy *copy, const char *from, const struct stat *st,
                           const char *to, bool exists)
{
    if (rename(from, to) == 0)
        return FLOW_NEXT;
    if (errno == EXDEV)
        return move_across(copy, from, st, to, exists);
    struct str why;
    int error = errno;
    str_init(&why, copy->sh->scratch);
    str_printf(&why, "cannot become %s: %s", copy_shown_name(copy, to), strerror(error));
    copy_fail(copy, from, str_text(&why));
    return FLOW_NEXT;
}

/* FROM comes to be at TO, which is free unless WRITE. */
static enum flow put_file(struct copy *copy, const char *from, const struct stat *st,
                          const char *to, bool write)
{
    enum flow flow = FLOW_NEXT;
    bool failed = copy->failed;
    copy->failed = false;
    if (copy->verbose)
        out_printf(copy->sh->out, "%s -> %s\n", copy_written_name(copy, from),
                   copy_written_name(copy, to));
    switch (copy->action) {
    case COPY_MOVE:
        flow = move_file(copy, from, st, to, write);
        break;
    case COPY_SYMLINK:
        if (symlink(copy_written_name(copy, from), to) != 0)
            copy_fail(copy, to, NULL);
        break;
    case COPY_LINK:
        if (linkat(AT_FDCWD, from, AT_FDCWD, to,
                   copy->follow == FOLLOW_ALL ? AT_SYMLINK_FOLLOW : 0) != 0)
            copy_fail(copy, to, NULL);
        break;
    case COPY_DATA:
        if (S_ISLNK(st->st_mode))
            flow = copy_link_itself(copy, from, st, to);
        else if (copy->recursive && !S_ISREG(st->st_mode))
            copy_special(copy, st, to);
        else
            flow = copy_data(copy, from, st, to, write);
        break;
    }
    if (flow == FLOW_NEXT && !copy->failed)
        flow = copy_note_made(copy, to, st);
    copy->failed |= failed;
    return flow;
}

enum flow copy_file(struct copy *copy, const char *from, const struct stat *st, const char *to)
{
    struct stat there;
    enum verdict verdict = VERDICT_NEW;
    struct mem_mark mark = mem_region_mark(copy->sh->scratch);
    enum flow flow = FLOW_NEXT;
    if (lstat(to, &there) == 0)
        flow = replace(copy, from, st, to, &there, &verdict);
    if (flow == FLOW_NEXT && verdict != VERDICT_SKIP)
        flow = put_file(copy, from, st, to, verdict == VERDICT_WRITE);
    mem_region_reset(copy->sh->scratch, mark);
    return flow;
}

/* ---- operands ------------------------------------------------------------------------------- */

/* Does the operand itself, if it is a link, count, and not what it leads to? */
static bool takes_link(const struct copy *copy, const char *from)
{
    if (*from && from[strlen(from) - 1] == '/')
        return false;
    if (copy->action == COPY_MOVE || (copy->action == COPY_LINK && copy->follow != FOLLOW_ALL))
        return true;
    return copy->follow == FOLLOW_NONE || (copy->follow == FOLLOW_DEFAULT && copy->recursive);
}

static enum flow one_operand(struct copy *copy, const char *from, const char *to)
{
    struct stat st;
    char real[FDTAB_PATH_SIZE];
    /* /dev/stdin is the script's, and so on, unless the name itself is meant */
    copy->alias[COPY_FROM].real_len = 0;
    if (copy->action == COPY_DATA || !takes_link(copy, from) || fdtab_named(from) < 0)
        from = copy_real_name(copy, COPY_FROM, from, real);
    struct copy whole = *copy;
    bool link = takes_link(copy, from);
    if ((link ? lstat(from, &st) : stat(from, &st)) != 0) {
        if (copy->action == COPY_SYMLINK) {
            st = (struct stat){ 0 };
            return copy_file(copy, from, &st, to);
        }
        copy_fail(copy, from, NULL);
        return FLOW_NEXT;
    }
    if (!S_ISDIR(st.st_mode) || copy->action == COPY_MOVE ||
        (copy->action == COPY_SYMLINK && !copy->recursive))
        return copy_file(copy, from, &st, to);
    if (!copy->recursive) {
        copy_fail(copy, from, "is a directory: -R takes those");
        return FLOW_NEXT;
    }
    if (copy_is_inside(from, to)) {
        copy_fail(copy, from, "is not put into itself");
        return FLOW_NEXT;
    }
    size_t len = strlen(from);
    while (len > 1 && from[len - 1] == '/')
        len--;
    if (from[len] && whole.follow != FOLLOW_ALL)
        whole.follow = FOLLOW_OPERANDS;
    char *root = scratch_dup(copy->sh, from, len);
    if (!root)
        return shell_fail_memory(copy->sh, len);
    enum flow flow = copy_tree(&whole, root, to);
    take_outcome(copy, &whole);
    return flow;
}

/* -h: makes the folders around the name of FROM below FOLDER. */
static bool make_parents(struct copy *copy, struct str *path, size_t start)
{
    struct stat st;
    for (size_t i = start; i < path->len; i++) {
        if (path->data[i] != '/')
            continue;
        path->data[i] = '\0';
        bool ok =
            mkdir(path->data, 0777) == 0 || (stat(path->data, &st) == 0 && S_ISDIR(st.st_mode));
        if (!ok)
            copy_fail(copy, path->data, NULL);
        path->data[i] = '/';
        if (!ok)
            return false;
    }
    return true;
}

/* Is .. a part of PATH? */
static bool climbs(const char *path)
{
    for (const char *p = path; (p = strstr(p, "..")); p += 2)
        if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
            return true;
    return false;
}

static enum flow into_folder(struct copy *copy, const char *from, const char *folder)
{
    struct str path;
    size_t end = strlen(from), start;
    while (end > 1 && from[end - 1] == '/')
        end--;
    for (start = end; start > 0 && from[start - 1] != '/';)
        start--;
    if (copy->hierarchy) {
        start = strspn(from, "/");
        if (climbs(from)) {
            copy_fail(copy, from, "leads out of the directory that it is to be in");
            return FLOW_NEXT;
        }
    }
    str_init(&path, copy->sh->scratch);
    str_append_z(&path, folder);
    if (path.len && path.data[path.len - 1] != '/')
        str_putc(&path, '/');
    size_t parents = path.len;
    if (start < end)
        str_append(&path, from + start, end - start);
    if (!str_ok(&path))
        return shell_fail_memory(copy->sh, path.len);
    if (copy->hierarchy && !make_parents(copy, &path, parents))
        return FLOW_NEXT;
    return one_operand(copy, from, str_text(&path));
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What a name that is to be made means to system calls: for a copy also that of a descriptor, which
 * is written to. */
static const char *real_target(struct copy *copy, const char *to,
                               char buffer[static FDTAB_PATH_SIZE])
{
    if (copy->action != COPY_DATA && strncmp(to, "/dev/fd/", 8) != 0)
        return to;
    return copy_real_name(copy, COPY_TO, to, buffer);
}

/* The command substitution in this process that is behind TO, the name of a descriptor, if a copy
 * goes there; there is no file then. */
static struct out *named_sink(struct copy *copy, const char *to)
{
    int fd = copy->action == COPY_DATA ? fdtab_named(to) : -1;
    struct out *out = fd >= 0 ? fdtab_out(copy->sh, fd) : NULL;
    return out && out->fd < 0 ? out : NULL;
}

static enum flow each_operand(struct copy *copy, struct args *args)
{
    size_t count = args_left(args);
    bool here = copy->action != COPY_DATA && copy->action != COPY_MOVE && count == 1;
    char real[FDTAB_PATH_SIZE], first[FDTAB_PATH_SIZE];
    enum flow flow = FLOW_NEXT;
    if (count < 2 && !here)
        return builtin_usage_error(copy->sh, args, count ? "where to?" : "what, and where to?");
    struct out *sink = here ? NULL : named_sink(copy, args_peek(args, count - 1));
    if (sink && count == 2)
        return copy_to_sink(copy, args_peek(args, 0), sink);
    const char *last = here ? "." : real_target(copy, args_peek(args, count - 1), real);
    bool folder = is_folder(last);
    if (!folder && (count > 2 || copy->hierarchy))
        return builtin_usage_error(copy->sh, args, "the last operand must be a directory");
    if (!folder && last[strlen(last) - (*last != 0)] == '/' &&
        !is_folder(fdtab_path(copy->sh, args_peek(args, 0), first))) {
        copy_fail(copy, last, "is no directory");
        return FLOW_NEXT;
    }
    if (!folder)
        return one_operand(copy, args_peek(args, 0), last);
    for (size_t i = 0; i + !here < count && flow == FLOW_NEXT && !copy->quit; i++) {
        struct mem_mark mark = mem_region_mark(copy->sh->scratch);
        const char *from = args_peek(args, i);
        flow = copy_signals(copy);
        if (flow == FLOW_NEXT && !*from)
            copy_fail(copy, from, strerror(ENOENT));
        else if (flow == FLOW_NEXT)
            flow = into_folder(copy, from, last);
        mem_region_reset(copy->sh->scratch, mark);
    }
    return flow;
}

enum flow copy_operands(struct copy *copy, struct args *args)
{
    copy->sh->status = 0;
    struct map made;
    map_init(&made, copy->sh->heap);
    copy->made = args_left(args) > 2 ? &made : NULL;
    enum flow flow = each_operand(copy, args);
    if (flow == FLOW_ERROR && copy->signal) {
        copy->sh->status = 256 + copy->signal;
        flow = FLOW_NEXT;
    }
    copy_forget_made(copy);
    mem_free(copy->buffer);
    copy->buffer = NULL;
    return flow;
}

/* ---- options -------------------------------------------------------------------------------- */

/* The type of backups that TEXT, or else the environment, names. */
static enum flow take_backup(struct copy *copy, struct args *args, const char *text)
{
    static const struct {
        const char *name;
        enum copy_backup backup;
    } types[] = {
        { "numbered", BACKUP_NUMBERED }, { "t", BACKUP_NUMBERED },
        { "simple", BACKUP_SIMPLE },     { "never", BACKUP_SIMPLE },
        { "existing", BACKUP_EXISTING }, { "nil", BACKUP_EXISTING },
        { "none", BACKUP_NONE },         { "off", BACKUP_NONE },
    };
    if (!text)
        text = var_text(copy->sh, "VERSION_CONTROL");
    if (!text || !*text)
        text = "existing";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, text) == 0) {
            copy->backup = types[i].backup;
            return FLOW_NEXT;
        }
    }
    struct str why;
    str_init(&why, copy->sh->scratch);
    str_printf(&why, "%s: no type of backups", text);
    return builtin_usage_error(copy->sh, args, str_text(&why));
}

enum flow copy_option(struct copy *copy, struct args *args, int option)
{
    switch (option) {
    case 'f':
        copy->force = true;
        copy->ask &= copy->action == COPY_DATA;
        break;
    case 'i':
        copy->ask = true;
        copy->force &= copy->action == COPY_DATA;
        break;
    case 'R':
    case 'r':
        copy->recursive = true;
        break;
    case 'u':
        copy->update = true;
        break;
    case 'v':
        copy->verbose = true;
        break;
    case 'F':
        copy->sync = true;
        break;
    case 'B':
    case 'b':
        return take_backup(copy, args, option == 'B' ? args->option_argument : NULL);
    case 'S':
        copy->suffix = args->option_argument;
        break;
    default:
        copy->one_device = true;
        break;
    }
    return FLOW_NEXT;
}
