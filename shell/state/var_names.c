/*
 * Names of variables and members: ${!pre@}, ${!x.@}.
 *
 * Texts are made in scratch.
 */
#include <stdlib.h>
#include <string.h>

#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* Names being gathered. PATH: that of the variable at work; only names that begin with PREFIX. */
struct gathering {
    struct shell *sh;
    const char **texts;
    size_t count, cap;
    struct str path;
    const char *prefix;
    size_t prefix_len;
};

static enum flow add(struct gathering *g)
{
    if (g->path.len < g->prefix_len ||
        (g->prefix_len > 0 && memcmp(g->path.data, g->prefix, g->prefix_len) != 0))
        return FLOW_NEXT;
    if (g->count == g->cap) {
        size_t cap = g->cap ? g->cap * 2 : 32;
        const char **texts = mem_resize(g->sh->scratch, g->texts, cap * sizeof *texts);
        if (!texts)
            return shell_fail_memory(g->sh, cap * sizeof *texts);
        g->texts = texts;
        g->cap = cap;
    }
    char *copy = str_ok(&g->path) ? scratch_dup(g->sh, g->path.data, g->path.len) : NULL;
    if (!copy)
        return shell_fail_memory(g->sh, g->path.len);
    g->texts[g->count++] = copy;
    return FLOW_NEXT;
}

static enum flow gather_members(struct gathering *g, struct members *m);

/* The members of the elements of ARRAY. */
static enum flow gather_elements(struct gathering *g, struct array *array)
{
    struct array_item item;
    size_t len = g->path.len, position = 0;
    while (array_next(array, &position, &item)) {
        if (!(item.value->bits & (VALUE_COMPOUND | VALUE_ARRAY)))
            continue;
        str_putc(&g->path, '[');
        if (item.element)
            str_append(&g->path, item.element->key, item.element->key_len);
        else
            str_append_int(&g->path, item.index);
        str_putc(&g->path, ']');
        if (item.value->bits & VALUE_COMPOUND)
            TRY(gather_members(g, item.value->members));
        else
            TRY(gather_elements(g, item.value->array));
        str_truncate(&g->path, len);
    }
    return FLOW_NEXT;
}

static enum flow gather_inside(struct gathering *g, const struct var *var)
{
    if (var->attrs & VAR_NAMEREF)
        return FLOW_NEXT;
    if (var->attrs & VAR_ARRAY)
        return gather_elements(g, var->array);
    return var->value.bits & VALUE_COMPOUND ? gather_members(g, var->value.members) : FLOW_NEXT;
}

static enum flow gather_sorted(struct gathering *g, struct var *const *vars, size_t count)
{
    size_t len = g->path.len;
    for (size_t i = 0; i < count; i++) {
        str_putc(&g->path, '.');
        str_append(&g->path, vars[i]->name->text, vars[i]->name->len);
        TRY(add(g));
        TRY(gather_inside(g, vars[i]));
        str_truncate(&g->path, len);
    }
    return FLOW_NEXT;
}

static enum flow gather_members(struct gathering *g, struct members *m)
{
    size_t count;
    struct var **vars = members_sorted(m, &count);
    if (!shell_enter(g->sh)) {
        shell_leave(g->sh);
        mem_free(vars);
        return shell_fail(g->sh, ERROR_LIMIT, 1, NULL, "compound variable: nested too deeply");
    }
    enum flow flow = gather_sorted(g, vars, count);
    shell_leave(g->sh);
    mem_free(vars);
    return flow;
}

/* .sh and what is below it: those variables have flat names and are no members of anything. */
static bool is_own_tree(const struct name *name)
{
    return name->len >= 3 && memcmp(name->text, ".sh", 3) == 0 &&
           (name->len == 3 || name->text[3] == '.');
}

enum flow var_member_names(struct shell *sh, const struct var_ref *ref, const char ***ret_texts,
                           size_t *ret_count)
{
    struct gathering g = { .sh = sh };
    struct members *m;
    str_init(&g.path, sh->scratch);
    *ret_texts = NULL;
    *ret_count = 0;
    if (!ref->base && !ref->step_count && is_own_tree(ref->name)) {
        str_append(&g.path, ref->name->text, ref->name->len);
        str_putc(&g.path, '.');
        if (!str_ok(&g.path))
            return shell_fail_memory(sh, g.path.len);
        return var_prefix_names(sh, str_text(&g.path), g.path.len, ret_texts, ret_count);
    }
    TRY(var_find_members(sh, ref, &m));
    if (!m)
        return FLOW_NEXT;
    members_append_path(m, &g.path);
    if (!str_ok(&g.path))
        return shell_fail_memory(sh, g.path.len);
    TRY(gather_members(&g, m));
    static const char *const none[] = { NULL };
    *ret_texts = g.texts ? g.texts : (const char **)none;
    *ret_count = g.count;
    return FLOW_NEXT;
}

/* Some of the shell's own variables come and go. */
static enum flow own_is_set(struct shell *sh, struct name *name, bool *ret)
{
    const char *text;
    size_t len;
    if (!name->special->get || !(name->cur->attrs & VAR_SPECIAL))
        return FLOW_NEXT;
    TRY(name->special->get(sh, name, &text, &len));
    *ret = text != NULL;
    return FLOW_NEXT;
}

/* .sh.match and .sh.math are made when they are looked at. */
static enum flow prepare_arrays(struct shell *sh)
{
    static const char *const arrays[] = { ".sh.match", ".sh.math" };
    for (size_t i = 0; i < 2; i++) {
        struct name *name = name_find(sh, arrays[i], strlen(arrays[i]));
        if (name && name->cur)
            TRY(special_prepare(sh, name->cur));
    }
    return FLOW_NEXT;
}

enum flow var_prefix_names(struct shell *sh, const char *prefix, size_t len,
                           const char ***ret_texts, size_t *ret_count)
{
    struct gathering g = { .sh = sh, .prefix = prefix, .prefix_len = len };
    struct name **names;
    size_t count;
    if (len > 0 && *prefix == '.')
        TRY(prepare_arrays(sh));
    TRY(var_list(sh, 0, &names, &count));
    str_init(&g.path, sh->scratch);
    for (size_t i = 0; i < count; i++) {
        size_t common = names[i]->len < len ? names[i]->len : len;
        if (memcmp(names[i]->text, prefix, common) != 0)
            continue;
        str_truncate(&g.path, 0);
        str_append(&g.path, names[i]->text, names[i]->len);
        bool is_set = true;
        if (names[i]->special)
            TRY(own_is_set(sh, names[i], &is_set));
        if (!is_set)
            continue;
        TRY(add(&g));
        TRY(gather_inside(&g, names[i]->cur));
    }
    static const char *const none[] = { NULL };
    *ret_texts = g.texts ? g.texts : (const char **)none;
    *ret_count = g.count;
    return FLOW_NEXT;
}
