/*
 * Functions.
 *
 * A name's function hangs on the name. Owns struct func; counted references: one for the definition
 * (or its place in an undo record), one for each running call. A function holds the program its
 * body is part of. Journaled for the nearest subshell; every change moves sh->command_epoch.
 */
#include "shell/state/func.h"

#include <stdlib.h>
#include <string.h>

#include "shell/state/discipline.h"
#include "shell/state/frame.h"
#include "shell/state/namespace.h"
#include "shell/state/var.h"
#include "shell/state/where.h"

struct func *func_hold(struct func *func)
{
    func->refs++;
    return func;
}

void func_release(struct shell *sh, struct func *func)
{
    if (!func || --func->refs > 0)
        return;
    program_release(func->program);
    mem_free((void *)func->file);
    mem_free_sized(sh->heap, func, sizeof *func);
}

struct func_save {
    struct name *name;
    struct func *func;
};

static void restore(struct shell *sh, void *a, uintptr_t b)
{
    struct func_save *save = a;
    struct func *now = save->name->func;
    save->name->func = save->func;
    save->name->func_stamp = b;
    func_release(sh, now);
    mem_free_sized(sh->nodes, save, sizeof *save);
    sh->command_epoch++;
}

const char *static_short(const char *text)
{
    bool is_static = strncmp(text, STATIC_PREFIX, sizeof STATIC_PREFIX - 1) == 0;
    return is_static ? strrchr(text, '/') + 1 : text;
}

/* Unsets the static variables of FUNC, which is about to be replaced. */
static enum flow drop_statics(struct shell *sh, struct func *func)
{
    size_t cursor = 0, len = strlen(STATIC_PREFIX);
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor));) {
        struct name *name = slot->value;
        size_t before = len + func->name->len;
        if (name->len <= before + 1 || memcmp(name->text, STATIC_PREFIX, len) != 0 ||
            memcmp(name->text + len, func->name->text, func->name->len) != 0 ||
            name->text[before] != '/' || !name->cur || name->cur->attrs & VAR_READONLY)
            continue;
        const struct var_ref ref = var_ref_name(name);
        TRY(var_unset(sh, &ref, false));
    }
    return FLOW_NEXT;
}

static enum flow func_switch(struct shell *sh, struct name *name, struct func *func)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct func *old = name->func;
    if (frame_should_record(target, name->func_stamp)) {
        struct func_save *save = mem_alloc(sh->nodes, sizeof *save);
        if (!save || frame_record_call(sh, target, restore, save, name->func_stamp) != FLOW_NEXT) {
            mem_free(save);
            func_release(sh, func);
            return shell_fail_memory(sh, sizeof *save);
        }
        *save = (struct func_save){ .name = name, .func = old };
        name->func_stamp = target->id;
        old = NULL;
    }
    name->func = func;
    sh->command_epoch++;
    func_release(sh, old);
    return FLOW_NEXT;
}

/* FUNC (its reference is taken; NULL: none) becomes the function of NAME. */
static enum flow func_replace(struct shell *sh, struct name *name, struct func *func)
{
    enum flow flow =
        name->func && name->func->has_statics ? drop_statics(sh, name->func) : FLOW_NEXT;
    if (flow == FLOW_NEXT)
        return func_switch(sh, name, func);
    func_release(sh, func);
    return flow;
}

static struct func *func_new(struct shell *sh, struct name *name)
{
    struct func *func = mem_alloc_zeroed(sh->heap, sizeof *func);
    if (func) {
        func->name = name;
        func->refs = 1;
    }
    return func;
}

enum flow func_define(struct shell *sh, struct program *program, const struct node_function *node,
                      struct name *name)
{
    if (name->dotted)
        TRY(discipline_attach(sh, name));
    struct func *func = func_new(sh, name);
    char *file = sh->file ? text_dup(sh->heap, sh->file) : NULL;
    if (!func || (sh->file && !file)) {
        mem_free(func);
        mem_free(file);
        return shell_fail_memory(sh, sizeof *func);
    }
    func->program = program_hold(program);
    func->node = node;
    func->space = sh->space ? sh->space->name : NULL;
    func->ksh_style = node->ksh_style;
    func->file = file;
    func->line = node->node.line;
    func->eval_line = sh->where ? where_file_line(sh, 0) : 0;
    /* What typeset -ft and -fx said about the name outlives a new body. */
    if (name->func) {
        func->traced = name->func->traced;
        func->exported = name->func->exported;
    }
    sh->math_functions |= func_is_math(func);
    return func_replace(sh, name, func);
}

enum flow func_declare_autoload(struct shell *sh, struct name *name)
{
    if (name->func)
        return FLOW_NEXT;
    struct func *func = func_new(sh, name);
    if (!func)
        return shell_fail_memory(sh, sizeof *func);
    func->ksh_style = true;
    return func_replace(sh, name, func);
}

bool func_is_math(const struct func *func)
{
    size_t len = strlen(MATH_PREFIX);
    return func->name->len > len && memcmp(func->name->text, MATH_PREFIX, len) == 0;
}

struct func *func_find(struct shell *sh, const char *text, size_t len)
{
    const struct name *name = name_find(sh, text, len);
    return name ? name->func : NULL;
}

struct func *func_find_visible(struct shell *sh, const char *text, size_t len)
{
    const struct name *own = sh->space ? space_find(sh, text, len) : NULL;
    return own && own->func ? own->func : func_find(sh, text, len);
}

enum flow func_unset(struct shell *sh, struct name *name)
{
    return name->func ? func_replace(sh, name, NULL) : FLOW_NEXT;
}

enum flow func_unset_below(struct shell *sh, const char *text, size_t len)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor));) {
        struct name *name = slot->value;
        if (name->func && name->len > len && name->text[len] == '.' &&
            memcmp(name->text, text, len) == 0)
            TRY(func_unset(sh, name));
    }
    return FLOW_NEXT;
}

static int compare_names(const void *a, const void *b)
{
    const struct func *const *x = a, *const *y = b;
    return text_compare((*x)->name->text, (*x)->name->len, (*y)->name->text, (*y)->name->len);
}

enum flow func_list(struct shell *sh, struct func ***ret_funcs, size_t *ret_count)
{
    size_t count = 0, cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor));)
        count += ((struct name *)slot->value)->func != NULL;
    struct func **funcs = scratch_alloc(sh, (count + 1) * sizeof *funcs);
    if (!funcs)
        return shell_fail_memory(sh, (count + 1) * sizeof *funcs);
    count = 0;
    cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor));) {
        struct name *name = slot->value;
        if (name->func)
            funcs[count++] = name->func;
    }
    qsort(funcs, count, sizeof *funcs, compare_names);
    funcs[count] = NULL;
    *ret_funcs = funcs;
    *ret_count = count;
    return FLOW_NEXT;
}

void func_free_all(struct shell *sh)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor));) {
        struct name *name = slot->value;
        struct func *func = name->func;
        name->func = NULL;
        func_release(sh, func);
    }
}
