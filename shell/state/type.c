/*
 * The table of types. Owns sh->types and every struct type, one block each on the heap with its
 * texts behind it. Variables point to types without counting: a type outlives them, because only
 * the end of the subshell that defined it takes it away, after the subshell's variables.
 */
#include "shell/state/type.h"

#include <string.h>
#include <strings.h>

#include "shell/state/frame.h"

const struct type *type_find(const struct shell *sh, const char *name, size_t len)
{
    return sh->types.count ? map_get(&sh->types, name, len) : NULL;
}

static void type_free(struct type *type)
{
    mem_free(type->command);
    mem_free(type);
}

static void forget(struct shell *sh, void *a, uintptr_t b)
{
    struct type *type = a;
    (void)b;
    map_remove(&sh->types, type->name, type->name_len);
    type_free(type);
    sh->command_epoch++;
}

/* A type with room for its items and all texts in one block. */
static struct type *type_new(struct shell *sh, const char *name, const struct type_item *items,
                             size_t count)
{
    size_t name_len = strlen(name), bytes = name_len + 1;
    for (size_t i = 0; i < count; i++)
        bytes += items[i].len + 1;
    struct type *type = mem_alloc_zeroed(sh->heap, sizeof *type + count * sizeof *items + bytes);
    if (!type)
        return NULL;
    type->items = (struct type_item *)(type + 1);
    char *room = (char *)(type->items + count);
    type->name = memcpy(room, name, name_len);
    type->name_len = name_len;
    room += name_len + 1;
    for (size_t i = 0; i < count; i++) {
        type->items[i] = (struct type_item){ .text = room, .len = items[i].len };
        memcpy(room, items[i].text, items[i].len);
        room += items[i].len + 1;
    }
    type->count = count;
    return type;
}

enum flow type_define(struct shell *sh, const char *name, bool ignore_case,
                      const struct type_item *items, size_t count, void *command,
                      const struct type **ret)
{
    if (type_find(sh, name, strlen(name))) {
        mem_free(command);
        return shell_fail(sh, ERROR_BUILTIN, 1, name, "is a type already");
    }
    struct type *type = type_new(sh, name, items, count);
    if (!type) {
        mem_free(command);
        return shell_fail_memory(sh, count * sizeof *items);
    }
    type->ignore_case = ignore_case;
    type->command = command;
    if (!map_put(&sh->types, type->name, type->name_len, type)) {
        type_free(type);
        return shell_fail_memory(sh, 0);
    }
    enum flow flow = frame_record_call(sh, frame_target(sh, TARGET_GLOBAL), forget, type, 0);
    if (flow != FLOW_NEXT) {
        forget(sh, type, 0);
        return flow;
    }
    sh->command_epoch++;
    *ret = type;
    return FLOW_NEXT;
}

int64_t type_item_find(const struct type *type, const char *text, size_t len)
{
    for (size_t i = 0; i < type->count; i++) {
        const struct type_item *item = &type->items[i];
        if (item->len != len)
            continue;
        if (memcmp(item->text, text, len) == 0 ||
            (type->ignore_case && strncasecmp(item->text, text, len) == 0))
            return (int64_t)i;
    }
    return -1;
}

enum flow type_item_number(struct shell *sh, const struct type *type, const char *name,
                           const char *text, size_t len, int64_t *ret)
{
    *ret = type_item_find(type, text, len);
    if (*ret >= 0)
        return FLOW_NEXT;
    return shell_fail(sh, ERROR_ASSIGN, 1, name, "invalid value %.*s", (int)(len < 200 ? len : 200),
                      text);
}

enum flow type_check_number(struct shell *sh, const struct type *type, const char *name, int64_t n)
{
    if (n >= 0 && (uint64_t)n < type->count)
        return FLOW_NEXT;
    return shell_fail(sh, ERROR_ASSIGN, 1, name, "value %lld out of enum range", (long long)n);
}

void type_free_all(struct shell *sh)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->types, &cursor));)
        type_free(slot->value);
    map_release(&sh->types);
}
