/*
 * The table of builtins, made from builtin.def, which of them are switched off, and further names.
 *
 * The rows are sorted by name, so that looking one up is a binary search; running code asks once
 * per command word and remembers the answer (command_epoch). `builtin -d` sets a bit in the shell,
 * undone with the subshell that did it.
 *
 * Some rows are named by a path: those builtins are found where a search along PATH comes by that
 * path, or by the whole path. `builtin cat` and `builtin /else/where/cat` add names for them, which
 * are in a map, empty as a rule: nobody pays for it who does not use it. An entry once made stays;
 * a bit tells whether it counts.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/state/cmdhash.h"
#include "shell/state/frame.h"
#include "shell/state/type.h"

#define BUILTIN(symbol, name) extern const struct builtin_spec symbol##_spec;
#include "builtins/builtin.def"
#undef BUILTIN

struct row {
    const char *name;
    uint32_t len;
    const struct builtin_spec *spec;
};
static const struct row rows[] = {
#define BUILTIN(symbol, name) { name, sizeof name - 1, &symbol##_spec },
#include "builtins/builtin.def"
#undef BUILTIN
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

_Static_assert((size_t)ROW_COUNT <= sizeof((struct shell *)0)->builtins_disabled * 8,
               "a bit for each builtin");

static int row_find(const char *name, size_t len)
{
    int low = 0, high = ROW_COUNT;
    while (low < high) {
        int middle = (low + high) / 2;
        const char *other = rows[middle].name;
        size_t same = 0; /* mostly too few bytes for a call */
        while (same < len && name[same] == other[same] && other[same])
            same++;
        if (same == len && !other[same])
            return middle;
        if (same == len || (unsigned char)name[same] < (unsigned char)other[same])
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

const struct builtin_spec *builtin_find(const char *name, size_t len)
{
    int row = row_find(name, len);
    return row < 0 ? NULL : rows[row].spec;
}

const struct builtin_spec *builtin_at(size_t index)
{
    return index < ROW_COUNT ? rows[index].spec : NULL;
}

/* A name that a builtin bound to a path got besides its own. */
struct bound {
    const struct builtin_spec *spec;
    bool on;
    char name[];
};

static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL;
}

/* The builtin bound to a path that is called as the last part of NAME is; NULL: none. */
static const struct builtin_spec *path_builtin(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (is_path(rows[i].name) && strcmp(rows[i].spec->name, base) == 0)
            return rows[i].spec;
    return NULL;
}

static bool is_disabled(const struct shell *sh, int row)
{
    return (sh->builtins_disabled[row / 64] >> (row % 64) & 1) != 0;
}

const struct builtin_spec *builtin_enabled(struct shell *sh, const char *name, size_t len)
{
    const struct type *type = type_find_visible(sh, name, len);
    if (type)
        return type->command;
    int row = row_find(name, len);
    if (row >= 0)
        return is_disabled(sh, row) ? NULL : rows[row].spec;
    if (__builtin_expect(!sh->builtins_bound.count, 1))
        return NULL;
    const struct bound *bound = map_get(&sh->builtins_bound, name, len);
    return bound && bound->on ? bound->spec : NULL;
}

static void row_flip(struct shell *sh, void *unused, uintptr_t row)
{
    (void)unused;
    sh->builtins_disabled[row / 64] ^= (uint64_t)1 << (row % 64);
    sh->command_epoch++;
}

static void bound_flip(struct shell *sh, void *entry, uintptr_t unused)
{
    struct bound *bound = entry;
    (void)unused;
    bound->on = !bound->on;
    sh->command_epoch++;
}

/* The entry of NAME, made for SPEC when there is none. */
static struct bound *bound_make(struct shell *sh, const char *name, const struct builtin_spec *spec)
{
    size_t len = strlen(name);
    struct bound *bound = map_get(&sh->builtins_bound, name, len);
    if (bound || !spec)
        return bound;
    bound = mem_alloc(sh->heap, sizeof *bound + len + 1);
    if (!bound)
        return NULL;
    *bound = (struct bound){ .spec = spec };
    memcpy(bound->name, name, len + 1);
    if (map_put(&sh->builtins_bound, bound->name, len, bound))
        return bound;
    mem_free(bound);
    return NULL;
}

void builtin_bound_free(struct shell *sh)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->builtins_bound, &cursor));)
        mem_free(slot->value);
    map_release(&sh->builtins_bound);
}

/* The names that are no row's: those of builtins bound to a path. */
static enum flow bound_enable(struct shell *sh, const char *name, bool on, bool *ret_found)
{
    const char *slash = strrchr(name, '/');
    const struct builtin_spec *spec = path_builtin(name);
    /* as in ksh93, the path of another builtin is no error, and nothing new */
    *ret_found = spec || (slash && row_find(slash + 1, strlen(slash + 1)) >= 0);
    struct bound *bound = bound_make(sh, name, on ? spec : NULL);
    if (!bound)
        return spec && on ? shell_fail_memory(sh, sizeof *bound + strlen(name) + 1) : FLOW_NEXT;
    if (bound->on == on)
        return FLOW_NEXT;
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (target)
        TRY(frame_record_call(sh, target, bound_flip, bound, 0));
    bound_flip(sh, bound, 0);
    return FLOW_NEXT;
}

enum flow builtin_names(struct shell *sh, bool special_only, struct vec *ret)
{
    size_t count = 0, next = 0;
    struct map_slot **slots = map_sorted(&sh->builtins_bound, sh->scratch, &count);
    for (int row = 0; row <= ROW_COUNT; row++) {
        const char *name = row < ROW_COUNT ? rows[row].name : NULL;
        for (; next < count && (!name || strcmp(slots[next]->key, name) < 0); next++) {
            const struct bound *bound = slots[next]->value;
            if (bound->on && !special_only)
                vec_push(ret, (void *)bound->name);
        }
        if (name && !is_disabled(sh, row) &&
            (!special_only || rows[row].spec->flags & BUILTIN_SPECIAL))
            vec_push(ret, (void *)name);
    }
    return vec_ok(ret) ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

const struct builtin_spec *builtin_meant(struct shell *sh, const char *name)
{
    const struct builtin_spec *spec = builtin_enabled(sh, name, strlen(name));
    if (spec || is_path(name))
        return spec;
    const char *path = cmdhash_find(sh, name, false);
    return path && cmdhash_is_builtin(sh, path) ? builtin_enabled(sh, path, strlen(path)) : NULL;
}

enum flow builtin_enable(struct shell *sh, const char *name, bool on, bool *ret_found)
{
    int row = row_find(name, strlen(name));
    if (row < 0)
        return bound_enable(sh, name, on, ret_found);
    *ret_found = true;
    if (on != is_disabled(sh, row))
        return FLOW_NEXT;
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (target)
        TRY(frame_record_call(sh, target, row_flip, NULL, (uintptr_t)row));
    row_flip(sh, NULL, (uintptr_t)row);
    return FLOW_NEXT;
}
