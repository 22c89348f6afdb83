/*
 * Binding the members of name spaces.
 *
 * Invariants: at most one name space is in force, sh->space, and exactly its BOUND members are on
 * the stacks of their names, each behind all variables that a frame owns and in front of the global
 * one; a bound variable is counted, so a member may be removed while it is. Reading needs no look
 * at any of this; writers ask space_owns before they make or change a global.
 */
#include "shell/state/namespace.h"

#include "shell/state/func.h"
#include "shell/state/scope.h"
#include "shell/state/var_private.h"

/* Where the name space's variable belongs in the stack of NAME. */
static struct var **find_link(struct name *name)
{
    struct var **link = &name->cur;
    while (*link && (*link)->owner)
        link = &(*link)->outer;
    return link;
}

static bool bind(struct shell *sh, struct space *space, struct var *var)
{
    if (var->name->special || var->name->dotted)
        return true;
    if (space->count == space->cap) {
        size_t cap = space->cap ? space->cap * 2 : 16;
        struct var **bound = mem_resize(sh->heap, space->bound, cap * sizeof *bound);
        if (!bound)
            return false;
        space->bound = bound;
        space->cap = cap;
    }
    struct var **link = find_link(var->name);
    var->outer = *link;
    *link = var;
    var->refs++;
    space->bound[space->count++] = var;
    if ((var->attrs & VAR_EXPORT) || (var->outer && (var->outer->attrs & VAR_EXPORT)))
        sh->export_epoch++;
    return true;
}

static void unbind(struct shell *sh, struct var *var)
{
    struct var **link = &var->name->cur;
    while (*link && *link != var)
        link = &(*link)->outer;
    if (*link)
        *link = var->outer;
    if ((var->attrs & VAR_EXPORT) || (var->outer && (var->outer->attrs & VAR_EXPORT)))
        sh->export_epoch++;
    var->outer = NULL;
    var_drop(sh->nodes, var);
}

static void unbind_all(struct shell *sh, struct space *space)
{
    while (space->count > 0)
        unbind(sh, space->bound[--space->count]);
}

static bool bind_all(struct shell *sh, struct space *space)
{
    const struct members *m = space->members;
    for (uint32_t i = 0; i < m->count; i++)
        if (member_in_use(m->items[i]) && !bind(sh, space, m->items[i]))
            return false;
    return true;
}

/* The members of the variable NAME, which is made compound if it is not. */
static enum flow open_members(struct shell *sh, struct name *name, struct members **ret)
{
    const struct var_ref ref = var_ref_name(name);
    struct members *m;
    TRY(var_find_members(sh, &ref, &m));
    if (!m) {
        struct var_change change = { .set = VAR_COMPOUND, .base = -1, .width = -1 };
        TRY(var_declare(sh, name, &change));
        TRY(var_find_members(sh, &ref, &m));
    }
    *ret = members_hold(m);
    return FLOW_NEXT;
}

enum flow space_enter(struct shell *sh, struct space *space, struct name *name)
{
    *space = (struct space){ .outer = sh->space, .name = name };
    if (sh->space)
        unbind_all(sh, sh->space);
    sh->space = NULL;
    sh->command_epoch++;
    enum flow flow = name ? open_members(sh, name, &space->members) : FLOW_NEXT;
    if (flow != FLOW_NEXT) {
        space_leave(sh, space);
        return flow;
    }
    if (!name)
        return FLOW_NEXT;
    sh->space = space;
    if (!bind_all(sh, space)) {
        space_leave(sh, space);
        return shell_fail_memory(sh, 0);
    }
    return FLOW_NEXT;
}

void space_leave(struct shell *sh, struct space *space)
{
    unbind_all(sh, space);
    mem_free(space->bound);
    members_release(space->members);
    sh->space = space->outer;
    sh->command_epoch++;
    if (sh->space)
        (void)bind_all(sh, sh->space); /* its room is there already */
}

bool space_owns(const struct shell *sh, const struct name *name)
{
    const struct var *var = name->cur;
    if (!sh->space || name->special || name->dotted)
        return false;
    return !var || (!var->owner && var->in != sh->space->members);
}

enum flow space_member(struct shell *sh, struct name *name, struct var **ret_var)
{
    struct space *space = sh->space;
    const struct var_ref ref = var_ref_name(space->name);
    struct members *m;
    TRY(var_find_members(sh, &ref, &m)); /* so that the way up is known */
    if (!m)
        return shell_fail(sh, ERROR_ASSIGN, 1, space->name->text, "the name space is gone");
    return member_make(sh, m, name, ret_var);
}

enum flow space_bind(struct shell *sh, struct var *var)
{
    for (const struct var *bound = var->name->cur; bound; bound = bound->outer)
        if (bound == var)
            return FLOW_NEXT;
    return bind(sh, sh->space, var) ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

void space_unbind(struct shell *sh, struct var *var)
{
    struct space *space = sh->space;
    for (size_t i = 0; space && i < space->count; i++) {
        if (space->bound[i] != var)
            continue;
        space->bound[i] = space->bound[--space->count];
        unbind(sh, var);
        return;
    }
}

const char *space_short(const struct shell *sh, const char *text)
{
    if (!sh->space)
        return static_short(text);
    const struct name *space = sh->space->name;
    bool below = strncmp(text, space->text, space->len) == 0 && text[space->len] == '.';
    return below ? text + space->len + 1 : text;
}

struct name *space_find(struct shell *sh, const char *text, size_t len)
{
    const struct name *space = sh->space->name;
    return name_find_below(sh, space->text, space->len, text, len);
}
