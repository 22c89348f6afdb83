/*
 * Aliases.
 *
 * Owns sh->aliases: name -> struct alias. An alias removed in a subshell stays as an entry without
 * value until rollback, so that its stamp is kept; entries are freed at the end. Every change moves
 * sh->command_epoch, since command words are remembered by what they were found to be.
 */
#include "shell/state/alias.h"

#include <string.h>

#include "shell/state/frame.h"

struct alias {
    char *value; /* owned; NULL: not defined now */
    uint64_t stamp;
    char name[];
};

const char *alias_get(struct shell *sh, const char *name, size_t len)
{
    const struct alias *alias = map_get(&sh->aliases, name, len);
    return alias ? alias->value : NULL;
}

struct alias_save {
    struct alias *alias;
    char *value;
};

static void restore(struct shell *sh, void *a, uintptr_t b)
{
    struct alias_save *save = a;
    mem_free(save->alias->value);
    save->alias->value = save->value;
    save->alias->stamp = b;
    mem_free_sized(sh->nodes, save, sizeof *save);
    sh->command_epoch++;
}

/* Puts VALUE (taken; NULL: none) in ALIAS's place. */
static enum flow alias_replace(struct shell *sh, struct alias *alias, char *value)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (frame_should_record(target, alias->stamp)) {
        struct alias_save *save = mem_alloc(sh->nodes, sizeof *save);
        if (!save || frame_record_call(sh, target, restore, save, alias->stamp) != FLOW_NEXT) {
            mem_free(save);
            mem_free(value);
            return shell_fail_memory(sh, sizeof *save);
        }
        *save = (struct alias_save){ .alias = alias, .value = alias->value };
        alias->stamp = target->id;
    } else {
        mem_free(alias->value);
    }
    alias->value = value;
    sh->command_epoch++;
    return FLOW_NEXT;
}

static struct alias *alias_new(struct shell *sh, const char *name)
{
    size_t len = strlen(name);
    struct alias *alias = mem_alloc_zeroed(sh->heap, sizeof *alias + len + 1);
    if (!alias)
        return NULL;
    memcpy(alias->name, name, len + 1);
    if (map_put(&sh->aliases, alias->name, len, alias))
        return alias;
    mem_free(alias);
    return NULL;
}

enum flow alias_set(struct shell *sh, const char *name, const char *value)
{
    struct alias *alias = map_get(&sh->aliases, name, strlen(name));
    char *copy = text_dup(sh->heap, value);
    if (copy && !alias)
        alias = alias_new(sh, name);
    if (!copy || !alias) {
        mem_free(copy);
        return shell_fail_memory(sh, strlen(value) + 1);
    }
    return alias_replace(sh, alias, copy);
}

enum flow alias_unset(struct shell *sh, const char *name, bool *ret_found)
{
    struct alias *alias = map_get(&sh->aliases, name, strlen(name));
    *ret_found = alias && alias->value;
    return *ret_found ? alias_replace(sh, alias, NULL) : FLOW_NEXT;
}

enum flow alias_unset_all(struct shell *sh)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->aliases, &cursor));) {
        struct alias *alias = slot->value;
        if (alias->value)
            TRY(alias_replace(sh, alias, NULL));
    }
    return FLOW_NEXT;
}

enum flow alias_list(struct shell *sh, const char ***ret_names, size_t *ret_count)
{
    size_t count = 0, used = 0;
    struct map_slot **slots = map_sorted(&sh->aliases, sh->scratch, &count);
    const char **names = scratch_alloc(sh, (count + 1) * sizeof *names);
    if (!names || (!slots && sh->aliases.count > 0))
        return shell_fail_memory(sh, (count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++) {
        const struct alias *alias = slots[i]->value;
        if (alias->value)
            names[used++] = alias->name;
    }
    names[used] = NULL;
    *ret_names = names;
    *ret_count = used;
    return FLOW_NEXT;
}

void alias_free_all(struct shell *sh)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->aliases, &cursor));) {
        struct alias *alias = slot->value;
        mem_free(alias->value);
        mem_free(alias);
    }
    map_release(&sh->aliases);
    map_init(&sh->aliases, sh->heap);
}

enum flow alias_init(struct shell *sh)
{
    static const char *const preset[][2] = { { "history", "hist -l" }, { "r", "hist -s" } };
    for (size_t i = 0; i < sizeof preset / sizeof *preset; i++)
        TRY(alias_set(sh, preset[i][0], preset[i][1]));
    return FLOW_NEXT;
}
