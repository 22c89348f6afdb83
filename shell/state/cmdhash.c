/*
 * Finding commands in PATH, and remembering where they were found (tracked paths).
 *
 * Owns sh->cmdhash: name -> struct tracked. The entry of the empty name holds the PATH with which
 * all others were found: when PATH is another one, however that came about, the table is emptied.
 * Only what was found is remembered, and only below absolute directories. An entry is checked
 * before it is used: files go away, and builtins that stand for one (`builtin -d`).
 *
 * A cache of facts outside, so what a subshell finds stays for the shell around; that it has looked
 * is not shown there. Only emptying the table is journaled.
 */
#include "shell/state/cmdhash.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/state/frame.h"
#include "shell/state/var.h"

struct tracked {
    char *path;
    uint64_t frame_id; /* of the virtual subshell that found it, 0: none */
    char name[];
};

static void tracked_free(struct tracked *tracked)
{
    if (tracked)
        mem_free(tracked->path);
    mem_free(tracked);
}

static void table_release(struct map *table)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(table, &cursor));)
        tracked_free(slot->value);
    map_release(table);
}

/* Undo of emptying: the table SAVED is that of the shell around. */
static void table_restore(struct shell *sh, void *saved, uintptr_t unused)
{
    struct map *table = saved;
    (void)unused;
    table_release(&sh->cmdhash);
    sh->cmdhash = *table;
    sh->command_epoch++;
    mem_free_sized(sh->nodes, table, sizeof *table);
}

/* Moves the table to the journal of a virtual subshell; false: there is none, or no memory. */
static bool table_save(struct shell *sh)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct map *saved = target && sh->cmdhash.count ? mem_alloc(sh->nodes, sizeof *saved) : NULL;
    if (!saved)
        return false;
    if (frame_record_call(sh, target, table_restore, saved, 0) != FLOW_NEXT) {
        mem_free_sized(sh->nodes, saved, sizeof *saved);
        sh->err.kind = ERROR_NONE; /* no more than the outer one's knowledge is lost */
        return false;
    }
    *saved = sh->cmdhash;
    return true;
}

void cmdhash_clear(struct shell *sh)
{
    if (!sh->frame || !table_save(sh))
        table_release(&sh->cmdhash);
    map_init(&sh->cmdhash, sh->heap);
}

static uint64_t subshell_id(const struct shell *sh)
{
    return sh->frame && sh->frame->subshell ? sh->frame->subshell->id : 0;
}

/* Was it found by this subshell or one around it? */
static bool is_known_here(const struct shell *sh, const struct tracked *tracked)
{
    const struct frame *frame = sh->frame ? sh->frame->subshell : NULL;
    while (frame && frame->id != tracked->frame_id)
        frame = frame->outer ? frame->outer->subshell : NULL;
    return tracked->frame_id == 0 || frame != NULL;
}

bool cmdhash_remove(struct shell *sh, const char *name)
{
    struct tracked *tracked = *name ? map_remove(&sh->cmdhash, name, strlen(name)) : NULL;
    tracked_free(tracked);
    return tracked != NULL;
}

/* Remembers PATH for NAME; the entry, or NULL when out of memory. */
static struct tracked *track(struct shell *sh, const char *name, const char *path)
{
    size_t len = strlen(name);
    tracked_free(map_remove(&sh->cmdhash, name, len));
    struct tracked *tracked = mem_alloc(sh->heap, sizeof *tracked + len + 1);
    if (!tracked)
        return NULL;
    tracked->frame_id = subshell_id(sh);
    memcpy(tracked->name, name, len + 1);
    tracked->path = text_dup(sh->heap, path);
    if (!tracked->path || !map_put(&sh->cmdhash, tracked->name, len, tracked)) {
        tracked_free(tracked);
        return NULL;
    }
    return tracked;
}

static const char *default_path_text(void)
{
    static char text[256];
    if (!*text && (confstr(_CS_PATH, text, sizeof text) == 0 || !*text))
        return "/bin:/usr/bin";
    return text;
}

static const char *path_text(struct shell *sh, bool default_path)
{
    const char *path = default_path ? NULL : var_text(sh, "PATH");
    return path ? path : default_path_text();
}

bool cmdhash_is_builtin(struct shell *sh, const char *path)
{
    static const char folder[] = CMDHASH_BUILTIN_FOLDER;
    if (!sh->builtins_bound.count && strncmp(path, folder, sizeof folder - 1) != 0)
        return false;
    return sh->hooks.find_builtin && sh->hooks.find_builtin(sh, path, strlen(path));
}

/* Is there a file for this purpose at PATH? errno: ENOENT no file, EACCES not executable
 * (readable), EISDIR. */
static bool is_usable(const char *path, bool executable)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        errno = ENOENT;
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (eaccess(path, executable ? X_OK : R_OK) == 0)
        return true;
    errno = EACCES;
    return false;
}

/* Joins the first directory of *LIST with NAME into S and moves *LIST behind it. A relative
 * directory counts from the working directory. *RET_ABSOLUTE: the directory was absolute. False:
 * the list is at its end. */
static bool next_place(struct shell *sh, const char **list, const char *name, struct str *s,
                       bool *ret_absolute)
{
    const char *dir = *list;
    if (!dir)
        return false;
    size_t len = strcspn(dir, ":");
    *list = dir[len] ? dir + len + 1 : NULL;
    *ret_absolute = len > 0 && *dir == '/';
    str_clear(s);
    if (!*ret_absolute) {
        str_append_z(s, sh->cwd ? sh->cwd : ".");
        if (len > 0)
            str_putc(s, '/');
    }
    str_append(s, dir, len);
    if (s->len == 0 || s->data[s->len - 1] != '/')
        str_putc(s, '/');
    str_append_z(s, name);
    return true;
}

/* The path in S when found; else errno. *RET_ABSOLUTE as in next_place. */
static bool search(struct shell *sh, const char *list, const char *name, bool executable,
                   struct str *s, bool *ret_absolute)
{
    int error = ENOENT;
    while (next_place(sh, &list, name, s, ret_absolute)) {
        if (!str_ok(s)) {
            error = ENOMEM;
            break;
        }
        if (executable && *ret_absolute && cmdhash_is_builtin(sh, s->data))
            return true;
        if (is_usable(s->data, executable))
            return true;
        if (error == ENOENT)
            error = errno;
    }
    errno = error;
    return false;
}

const char *path_search(struct shell *sh, const char *path_list, const char *name, bool executable)
{
    struct str s;
    bool absolute;
    str_init(&s, sh->scratch);
    return search(sh, path_list, name, executable, &s, &absolute) ? s.data : NULL;
}

/* Empties the table when PATH changed since it was filled. */
static void check_path(struct shell *sh, const char *path)
{
    const struct tracked *made_for = map_get(&sh->cmdhash, "", 0);
    if (made_for && strcmp(made_for->path, path) == 0)
        return;
    if (made_for)
        cmdhash_clear(sh);
    track(sh, "", path);
}

const char *cmdhash_find(struct shell *sh, const char *name, bool default_path)
{
    const char *path = path_text(sh, default_path);
    if (!default_path) {
        check_path(sh, path);
        struct tracked *known = map_get(&sh->cmdhash, name, strlen(name));
        if (known && (cmdhash_is_builtin(sh, known->path) || access(known->path, X_OK) == 0)) {
            if (!is_known_here(sh, known))
                known->frame_id = subshell_id(sh);
            return known->path;
        }
    }
    struct str s;
    bool absolute;
    str_init(&s, sh->scratch);
    sh->stats.path_searches++;
    if (!search(sh, path, name, true, &s, &absolute))
        return NULL;
    if (default_path || !absolute)
        return s.data;
    const struct tracked *tracked = track(sh, name, s.data);
    return tracked ? tracked->path : s.data;
}

const char *cmdhash_path(struct shell *sh, const char *name)
{
    const struct tracked *tracked = *name ? map_get(&sh->cmdhash, name, strlen(name)) : NULL;
    return tracked ? tracked->path : NULL;
}

enum flow cmdhash_list(struct shell *sh, const char ***ret_names, size_t *ret_count)
{
    size_t count = 0, used = 0;
    struct map_slot **slots = map_sorted(&sh->cmdhash, sh->scratch, &count);
    const char **names = scratch_alloc(sh, (count + 1) * sizeof *names);
    if (!names || (!slots && sh->cmdhash.count > 0))
        return shell_fail_memory(sh, (count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++) {
        if (slots[i]->len > 0 && is_known_here(sh, slots[i]->value))
            names[used++] = slots[i]->key;
    }
    names[used] = NULL;
    *ret_names = names;
    *ret_count = used;
    return FLOW_NEXT;
}

enum flow cmdhash_find_all(struct shell *sh, const char *name, struct vec *paths)
{
    const char *list = path_text(sh, false);
    struct str s;
    bool absolute;
    str_init(&s, sh->scratch);
    while (next_place(sh, &list, name, &s, &absolute)) {
        if (!str_ok(&s))
            continue;
        if (!(absolute && cmdhash_is_builtin(sh, s.data)) && !is_usable(s.data, true))
            continue;
        char *copy = scratch_dup(sh, s.data, s.len);
        if (!copy)
            return shell_fail_memory(sh, s.len + 1);
        vec_push(paths, copy);
    }
    return vec_ok(paths) && str_ok(&s) ? FLOW_NEXT : shell_fail_memory(sh, 0);
}
