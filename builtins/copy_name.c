/*
 * Names for cp, ln and mv: those of descriptors, what messages call them, and what one command has
 * put where.
 *
 * A name through a descriptor of the script (/dev/fd/8/file) is that of another descriptor for
 * system calls; messages, and symbolic links, have what the script wrote. A file that this command
 * has just put somewhere is not replaced by another one of it: the first would be lost without a
 * word. Only several operands can meet so, and only for those is it kept in mind.
 */
#include <string.h>
#include <sys/stat.h>

#include "builtins/copy.h"
#include "shell/state/fdtab.h"
#include "shell/state/var.h"

/* ---- names through descriptors -------------------------------------------------------------- */

/* The length of the name of a descriptor that PATH begins with. */
static size_t descriptor_len(const char *path)
{
    return strncmp(path, "/dev/fd/", 8) == 0 ? 8 + strspn(path + 8, "-0123456789") : strlen(path);
}

const char *copy_real_name(struct copy *copy, enum copy_side side, const char *path,
                           char buffer[static FDTAB_PATH_SIZE])
{
    const char *real = fdtab_path(copy->sh, path, buffer);
    if (fdtab_named(path) >= 0) {
        (void)out_flush(copy->sh->out);
        fdtab_input_sync(copy->sh);
    }
    copy->alias[side].real_len = 0;
    if (real != path)
        copy->alias[side] = (struct copy_alias){ .shown = path,
                                                 .shown_len = descriptor_len(path),
                                                 .real = real,
                                                 .real_len = descriptor_len(real) };
    return real;
}

const char *copy_written_name(struct copy *copy, const char *path)
{
    for (int side = 0; side < COPY_SIDES; side++) {
        const struct copy_alias *alias = &copy->alias[side];
        const char *rest = path + alias->real_len;
        if (!alias->real_len || strncmp(path, alias->real, alias->real_len) != 0 ||
            (*rest && *rest != '/'))
            continue;
        struct str s;
        str_init(&s, copy->sh->scratch);
        str_append(&s, alias->shown, alias->shown_len);
        str_append_z(&s, rest);
        return str_ok(&s) ? str_text(&s) : path;
    }
    return path;
}

const char *copy_shown_name(struct copy *copy, const char *path)
{
    return text_shown(copy->sh->scratch, copy_written_name(copy, path));
}

/* ---- what was put where --------------------------------------------------------------------- */

/* A file that came to be at KEY: which one it was made of. */
struct made {
    dev_t device;
    ino_t inode;
    char key[];
};

/* PATH in one spelling. All names of one command begin with its last operand. */
static bool make_key(struct copy *copy, struct str *s, const char *path)
{
    str_init(s, copy->sh->scratch);
    for (; *path; path++) {
        while (path[0] == '/' && (path[1] == '/' || (path[1] == '.' && path[2] == '/')))
            path += path[1] == '/' ? 1 : 2;
        str_putc(s, *path);
    }
    return str_ok(s);
}

bool copy_has_made(struct copy *copy, const char *to, const struct stat *st)
{
    struct str key;
    if (!copy->made || copy->made->count == 0 || !make_key(copy, &key, to))
        return false;
    const struct made *made = map_get(copy->made, key.data, key.len);
    bool again = made && st && copy->action != COPY_MOVE && made->inode &&
                 made->inode == st->st_ino && made->device == st->st_dev;
    return made && !again;
}

enum flow copy_note_made(struct copy *copy, const char *to, const struct stat *st)
{
    struct str key;
    if (!copy->made)
        return FLOW_NEXT;
    if (!make_key(copy, &key, to))
        return shell_fail_memory(copy->sh, key.len);
    struct made *made = map_get(copy->made, key.data, key.len);
    if (!made) {
        size_t bytes = sizeof *made + key.len + 1;
        made = mem_alloc(copy->sh->heap, bytes);
        if (!made)
            return shell_fail_memory(copy->sh, bytes);
        memcpy(made->key, key.data, key.len + 1);
        if (!map_put(copy->made, made->key, key.len, made)) {
            mem_free(made);
            return shell_fail_memory(copy->sh, bytes);
        }
    }
    made->device = st->st_dev;
    made->inode = st->st_ino;
    return FLOW_NEXT;
}

void copy_forget_made(struct copy *copy)
{
    size_t cursor = 0;
    if (!copy->made)
        return;
    for (struct map_slot *slot; (slot = map_next(copy->made, &cursor));)
        mem_free(slot->value);
    map_release(copy->made);
    copy->made = NULL;
}
