/*
 * The table of types. Owns sh->types and every struct type, one block each on the heap with its
 * texts behind it. Variables point to types without counting: a type outlives them, because only
 * the end of the subshell that defined it takes it away, after the subshell's variables.
 */
#include "shell/state/type.h"

#include <string.h>
#include <strings.h>

#include "shell/state/frame.h"
#include "shell/state/func.h"
#include "shell/state/members.h"
#include "shell/state/name.h"
#include "shell/state/namespace.h"
#include "shell/state/scope.h"
#include "shell/state/value.h"

const struct type *type_find(const struct shell *sh, const char *name, size_t len)
{
    return sh->types.count ? map_get(&sh->types, name, len) : NULL;
}

const struct type *type_find_visible(struct shell *sh, const char *name, size_t len)
{
    if (!sh->types.count)
        return NULL;
    const struct name *own = sh->space ? space_find(sh, name, len) : NULL;
    const struct type *type = own ? map_get(&sh->types, own->text, own->len) : NULL;
    return type ? type : type_find(sh, name, len);
}

static void type_free(struct type *type)
{
    members_release(type->prototype);
    for (size_t i = 0; i < type->help_count; i++)
        mem_free(type->help[i].text);
    mem_free(type->help);
    mem_free(type->doc);
    mem_free(type->command);
    mem_free(type);
}

static void forget(struct shell *sh, void *a, uintptr_t b)
{
    struct type *type = a, **link = &sh->abandoned;
    (void)b;
    while (*link && *link != type)
        link = &(*link)->next;
    if (*link)
        *link = type->next;
    else
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

/* Puts the new TYPE into the table, to be forgotten with the running subshell. */
static enum flow type_register(struct shell *sh, struct type *type)
{
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
    return FLOW_NEXT;
}

enum flow type_define(struct shell *sh, const char *name, bool ignore_case,
                      const struct type_item *items, size_t count, void *command,
                      const struct type **ret)
{
    if (type_find(sh, name, strlen(name))) {
        mem_free(command);
        return shell_fail(sh, ERROR_BUILTIN, 1, name, "type cannot be redefined");
    }
    struct type *type = type_new(sh, name, items, count);
    if (!type) {
        mem_free(command);
        return shell_fail_memory(sh, count * sizeof *items);
    }
    type->ignore_case = ignore_case;
    type->command = command;
    TRY(type_register(sh, type));
    *ret = type;
    return FLOW_NEXT;
}

/* ---- compound types ---- */

enum flow type_begin(struct shell *sh, const char *name, void *command, struct type **ret)
{
    struct type *type = NULL;
    if (type_find(sh, name, strlen(name))) {
        mem_free(command);
        return shell_fail(sh, ERROR_BUILTIN, 1, name, "type cannot be redefined");
    }
    type = type_new(sh, name, NULL, 0);
    if (!type || !(type->prototype = members_new(sh->nodes, sh->heap))) {
        mem_free(type);
        mem_free(command);
        return shell_fail_memory(sh, sizeof *type);
    }
    const struct frame *target = frame_target(sh, TARGET_GLOBAL);
    type->command = command;
    type->prototype->stamp = target ? target->id : 0;
    type->prototype->type = type;
    type->prototype->open = true;
    TRY(type_register(sh, type));
    *ret = type;
    return FLOW_NEXT;
}

void type_end(struct type *type)
{
    type->prototype->open = false;
}

enum flow type_share(struct shell *sh, const struct type *type)
{
    const struct members *m = type->prototype;
    for (uint32_t i = 0; i < m->count; i++) {
        struct var *member = m->items[i], *var;
        if (!(member->attrs & VAR_STATIC))
            continue;
        struct name *name = type_method_name(sh, type, member->name->text, member->name->len);
        if (!name)
            return shell_fail_memory(sh, member->name->len);
        TRY(scope_global(sh, name, &var));
        if (value_is_set(&var->value) || var->attrs & VAR_NAMEREF)
            continue;
        var->attrs = VAR_NAMEREF;
        var->target = member->name;
        var->target_var = member;
    }
    return FLOW_NEXT;
}

void type_abandon(struct shell *sh, struct type *type)
{
    map_remove(&sh->types, type->name, type->name_len);
    type->next = sh->abandoned;
    sh->abandoned = type;
    sh->command_epoch++;
}

enum flow type_extend(struct shell *sh, struct type *type, const struct type *parent)
{
    struct members *copy = members_dup(parent->prototype);
    if (!copy)
        return shell_fail_memory(sh, sizeof *copy);
    struct members *own = type->prototype;
    type->parent = parent;
    for (uint32_t i = 0; i < copy->count; i++) {
        struct var *from = copy->items[i], *to = members_find(own, from->name);
        if (!to && !(to = members_put(own, from->name))) {
            members_release(copy);
            return shell_fail_memory(sh, sizeof *to);
        }
        if (to->attrs || value_is_set(&to->value))
            continue;
        to->state = from->state;
        from->state = (struct var_state){ .width = -1 };
    }
    members_release(copy);
    return FLOW_NEXT;
}

enum flow type_help_add(struct shell *sh, struct type *type, const struct name *name,
                        const char *text)
{
    struct type_help *help =
        mem_resize(sh->heap, type->help, (type->help_count + 1) * sizeof *help);
    if (!help)
        return shell_fail_memory(sh, sizeof *help);
    type->help = help;
    char *copy = text_dup(sh->heap, text);
    if (!copy)
        return shell_fail_memory(sh, strlen(text));
    help[type->help_count++] = (struct type_help){ .name = name, .text = copy };
    return FLOW_NEXT;
}

/* `.sh.type.TYPE.NAME`, in scratch; *RET_LEN its length. NULL: out of memory. */
static const char *method_text(struct shell *sh, const struct type *type, const char *name,
                               size_t len, size_t *ret_len)
{
    struct str s;
    str_init(&s, sh->scratch);
    str_append_z(&s, ".sh.type.");
    str_append(&s, type->name, type->name_len);
    str_putc(&s, '.');
    str_append(&s, name, len);
    *ret_len = s.len;
    return str_ok(&s) ? str_text(&s) : NULL;
}

struct name *type_method_name(struct shell *sh, const struct type *type, const char *name,
                              size_t len)
{
    size_t text_len;
    const char *text = method_text(sh, type, name, len, &text_len);
    return text ? name_intern(sh, text, text_len) : NULL;
}

struct func *type_method(struct shell *sh, const struct type *type, const char *name)
{
    for (; type; type = type->parent) {
        size_t len;
        const char *text = method_text(sh, type, name, strlen(name), &len);
        struct func *func = text ? func_find(sh, text, len) : NULL;
        if (func)
            return func;
    }
    return NULL;
}

/* ---- items ---- */

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
    for (struct type *type = sh->abandoned, *next; type; type = next) {
        next = type->next;
        type_free(type);
    }
    sh->abandoned = NULL;
}
