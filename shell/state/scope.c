/*
 * Bindings: the stack of variables behind each name, static scope of ksh functions, temporary
 * variables.
 *
 * Owns struct var's links (owner, outer, next_local, hidden_by) and name->cur. Invariants: a
 * variable is in the stack of its name exactly when HIDDEN_BY is NULL; a frame's LOCALS list holds
 * each variable whose OWNER it is; at most one variable of a name belongs to a function and its
 * call. A variable made on behalf of a frame has a BIND record there, whose rollback takes it out
 * again from wherever it then is in the stack.
 *
 * Must not touch values: see var_write.c.
 */
#include "shell/state/scope.h"

#include "shell/base/kind.h"
#include "shell/state/namespace.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* A variable without anything, bound nowhere. Special names keep their meaning in every scope,
 * unless it can be lost. */
static struct var *new_var(struct shell *sh, struct name *name)
{
    struct var *var = mem_alloc_zeroed_kind(sh->nodes, sizeof *var, KIND_VARIABLE);
    if (!var)
        return NULL;
    var->name = name;
    var->refs = 1;
    var->width = -1;
    var->attrs = special_attrs(name);
    return var;
}

/* VAR came in front of OUTER (NULL: nothing), or went away: does that change the environment? */
static void note_export(struct shell *sh, const struct var *var, const struct var *outer)
{
    if ((var->attrs & VAR_EXPORT) || (outer && (outer->attrs & VAR_EXPORT)))
        sh->export_epoch++;
}

/* Puts a new variable of NAME on the stack at *AT, owned by OWNER (NULL: global), to be undone by
 * TARGET (NULL: never). */
static enum flow bind_new(struct shell *sh, struct name *name, struct var **at, struct frame *owner,
                          struct frame *target, struct var **ret_var)
{
    struct var *var = new_var(sh, name);
    if (!var)
        return shell_fail_memory(sh, sizeof *var);
    if (target) {
        struct undo_bind *undo = undo_push(sh, target, UNDO_BIND);
        if (!undo) {
            mem_free_sized(sh->nodes, var, sizeof *var);
            return shell_fail_memory(sh, sizeof *undo);
        }
        undo->var = var;
        var->stamp = target->id;
    }
    var->outer = *at;
    *at = var;
    note_export(sh, var, var->outer);
    if (owner) {
        var->owner = owner;
        var->next_local = owner->locals;
        var->local_link = &owner->locals;
        if (owner->locals)
            owner->locals->local_link = &var->next_local;
        owner->locals = var;
    }
    *ret_var = var;
    return FLOW_NEXT;
}

static void unlink_local(struct var *var)
{
    if (!var->owner)
        return;
    *var->local_link = var->next_local;
    if (var->next_local)
        var->next_local->local_link = var->local_link;
    var->owner = NULL;
}

void var_rollback_binding(struct shell *sh, struct undo_bind *undo)
{
    struct var *var = undo->var;
    struct var **link = &var->name->cur;
    while (*link && *link != var)
        link = &(*link)->outer;
    bool visible = link == &var->name->cur;
    if (*link)
        *link = var->outer;
    unlink_local(var);
    note_export(sh, var, var->outer);
    if (visible && (var->attrs & VAR_SPECIAL))
        special_refresh(sh, var->name);
    var_free(sh, var);
}

/* The variable stays, as if it had been there before the frame. */
void var_discard_binding(struct shell *sh, struct undo_bind *undo)
{
    (void)sh;
    (void)undo;
}

/* ---- calls of ksh functions ---- */

/* CALLEE gets its own copy of the exported variable FROM. Without memory it sees the original
 * instead. */
static bool copy_exported(struct shell *sh, const struct var *from, struct frame *callee)
{
    struct var *var;
    if (bind_new(sh, from->name, &from->name->cur, callee, callee, &var) != FLOW_NEXT)
        return false;
    var->attrs = from->attrs;
    if (from->attrs & VAR_ENUM)
        var->type = from->type;
    if (from->attrs & VAR_TYPED_INDEX)
        var->index_type = from->index_type;
    var->base = from->base;
    var->width = from->width;
    bool copied = value_copy(sh->heap, &var->value, &from->value);
    if (from->array)
        copied = (var->array = array_dup(from->array)) != NULL;
    if (!copied) {
        var_rollback_binding(sh, &(struct undo_bind){ .var = var });
        undo_drop(sh, callee);
    }
    return copied;
}

/* Where VAR is, or belongs, in the stack of its name: in front of the variables of older frames. */
static struct var **find_link(struct var *var)
{
    struct var **link = &var->name->cur;
    while (*link && *link != var && (*link)->owner && (*link)->owner->id > var->owner->id)
        link = &(*link)->outer;
    return link;
}

/* COPY: what is exported is copied into CALLEE. */
static void hide_list(struct shell *sh, struct var *list, struct frame *callee, bool copy)
{
    for (struct var *var = list; var; var = var->next_local) {
        if (var->hidden_by)
            continue;
        struct var **link = find_link(var);
        bool visible = link == &var->name->cur;
        var->hidden_by = callee;
        *link = var->outer;
        note_export(sh, var, var->outer);
        if (copy && visible && (var->attrs & VAR_EXPORT) && !copy_exported(sh, var, callee)) {
            var->hidden_by = NULL;
            *link = var;
        } else if (visible && (var->attrs & VAR_SPECIAL)) {
            special_refresh(sh, var->name);
        }
    }
}

static void show_list(struct shell *sh, struct var *list, const struct frame *callee)
{
    for (struct var *var = list; var; var = var->next_local) {
        if (var->hidden_by != callee)
            continue;
        struct var **link = find_link(var);
        var->hidden_by = NULL;
        var->outer = *link;
        *link = var;
        note_export(sh, var, var->outer);
        if (var->attrs & VAR_SPECIAL)
            special_refresh(sh, var->name);
    }
}

/* The frame of the simple command that called the function of FRAME: its temporary variables are
 * the function's. */
static struct frame *call_frame(const struct frame *func)
{
    return func->outer && func->outer->kind == FRAME_CMD ? func->outer : NULL;
}

static void hide_scope(struct shell *sh, struct frame *func, struct frame *callee, bool copy)
{
    struct frame *call = call_frame(func);
    hide_list(sh, func->locals, callee, copy);
    if (call)
        hide_list(sh, call->locals, callee, copy);
}

void scope_hide(struct shell *sh, struct frame *caller, struct frame *callee)
{
    hide_scope(sh, caller, callee, true);
}

void scope_show(struct shell *sh, struct frame *caller, struct frame *callee)
{
    struct frame *call = call_frame(caller);
    if (call)
        show_list(sh, call->locals, callee);
    show_list(sh, caller->locals, callee);
}

void scope_peel(struct shell *sh, struct frame *func)
{
    hide_scope(sh, func, func, false);
    if (func->outer && func->outer->func)
        scope_show(sh, func->outer->func, func);
}

void scope_unpeel(struct shell *sh, struct frame *func)
{
    if (func->outer && func->outer->func)
        hide_scope(sh, func->outer->func, func, false);
    scope_show(sh, func, func);
}

struct var *scope_caller_local(struct shell *sh, const struct name *name)
{
    const struct frame *func = sh->frame->func;
    const struct frame *caller = func && func->outer ? func->outer->func : NULL;
    if (!caller)
        return NULL;
    for (struct var *var = caller->locals; var; var = var->next_local)
        if (var->name == name)
            return var;
    const struct frame *call = call_frame(caller);
    for (struct var *var = call ? call->locals : NULL; var; var = var->next_local)
        if (var->name == name)
            return var;
    return NULL;
}

/* ---- finding or making a variable ---- */

static bool is_local(const struct shell *sh, const struct var *var)
{
    const struct frame *func = sh->frame->func;
    return var->owner &&
           (var->owner->kind != FRAME_CMD || (func && var->owner == call_frame(func)));
}

bool scope_has_local(const struct shell *sh, const struct name *name)
{
    return name->cur && is_local(sh, name->cur);
}

enum flow scope_caller_var(struct shell *sh, struct name *name, struct var **ret_var)
{
    const struct frame *func = sh->frame->func, *at = sh->frame;
    *ret_var = NULL;
    while (at && at->kind != FRAME_FUNC && at->kind != FRAME_DOT && !at->is_call)
        at = at->outer;
    if (!func || at != func)
        return FLOW_NEXT;
    *ret_var = scope_caller_local(sh, name);
    if (*ret_var || sh->space || name->text[0] == '.' || name->special)
        return FLOW_NEXT;
    return scope_global(sh, name, ret_var);
}

struct var *scope_reference_root(const struct shell *sh, const struct var *holder)
{
    const struct name *root = name_root(holder->target);
    if (holder->target_var)
        return holder->target_var;
    if (root->cur == holder)
        return holder->outer; /* a local reference to the global of the same name */
    if (holder->owner || holder->in || !root->cur || !is_local(sh, root->cur))
        return NULL;
    struct var *var = root->cur;
    while (var && var->owner)
        var = var->outer;
    return var;
}

enum flow scope_reference_bind(struct shell *sh, const struct var *holder, struct name *root,
                               struct var **ret_var)
{
    struct var *seen = root->cur;
    const struct frame *func = sh->frame->func;
    *ret_var = NULL;
    if (seen == holder || holder->in || sh->space || root->text[0] == '.')
        return FLOW_NEXT;
    if (!seen)
        TRY(scope_global(sh, root, &seen));
    if (func && holder->owner == func && !seen->in &&
        (!seen->owner || seen->owner == func || seen->owner == call_frame(func)))
        *ret_var = seen;
    return FLOW_NEXT;
}

enum flow scope_global(struct shell *sh, struct name *name, struct var **ret_var)
{
    struct var **link = &name->cur;
    while (*link && (*link)->owner)
        link = &(*link)->outer;
    if (sh->space && !(*link && (*link)->in) && !name->special && !name->dotted)
        return space_member(sh, name, ret_var);
    if (*link) {
        *ret_var = *link;
        return FLOW_NEXT;
    }
    return bind_new(sh, name, link, NULL, frame_target(sh, TARGET_GLOBAL), ret_var);
}

enum flow scope_lasting(struct shell *sh, struct name *name, struct var **ret_var)
{
    struct var **link = &name->cur;
    while (*link && (*link)->owner)
        link = &(*link)->outer;
    *ret_var = *link;
    return *link ? FLOW_NEXT : bind_new(sh, name, link, NULL, NULL, ret_var);
}

enum flow scope_local(struct shell *sh, struct name *name, struct var **ret_var)
{
    struct frame *func = sh->frame->func;
    if (!func) {
        *ret_var = name->cur;
        return name->cur ? FLOW_NEXT : scope_global(sh, name, ret_var);
    }
    struct frame *call = call_frame(func);
    for (struct var *var = name->cur; var; var = var->outer)
        if (var->owner && (var->owner == func || var->owner == call)) {
            *ret_var = var;
            return FLOW_NEXT;
        }
    /* Behind temporary variables of commands inside the function: the stack is in the order of the
     * frames. */
    struct var **link = &name->cur;
    while (*link && (*link)->owner && (*link)->owner->id > func->id)
        link = &(*link)->outer;
    return bind_new(sh, name, link, func, frame_target(sh, TARGET_LOCAL), ret_var);
}

struct frame *scope_call(const struct shell *sh)
{
    struct frame *frame = sh->frame;
    while (frame && frame->kind != FRAME_FUNC && !frame->is_call)
        frame = frame->outer;
    return frame;
}

/* VAR, a new local, is exported when SEEN, what it hides, is. */
static void inherit_export(struct shell *sh, struct var *var, const struct var *seen)
{
    if (var != seen && var->owner && seen && (seen->attrs & VAR_EXPORT)) {
        var->attrs |= VAR_EXPORT;
        sh->export_epoch++;
    }
}

/* OPTIND was made local until FRAME ends. */
static void getopts_begin(struct shell *sh, struct frame *frame)
{
    if (!frame->own_getopts)
        frame->getopts = sh->getopts;
    frame->own_getopts = true;
    sh->getopts = (struct getopts_state){ .index = 1 };
}

enum flow scope_dynamic(struct shell *sh, struct name *name, struct var **ret_var)
{
    struct frame *call = scope_call(sh), *target = sh->frame;
    if (!call || call->kind == FRAME_FUNC) {
        const struct var *seen = name->cur;
        TRY(scope_local(sh, name, ret_var));
        inherit_export(sh, *ret_var, seen);
        return FLOW_NEXT;
    }
    const struct frame *command = call_frame(call);
    for (struct var *var = name->cur; var; var = var->outer)
        if (var->owner && (var->owner == call || var->owner == command)) {
            *ret_var = var;
            return FLOW_NEXT;
        }
    struct var **link = &name->cur;
    while (*link && (*link)->owner && (*link)->owner->id > call->id)
        link = &(*link)->outer;
    while (target != call && target->kind != FRAME_SUBSHELL)
        target = target->outer;
    const struct var *seen = *link;
    TRY(bind_new(sh, name, link, call, target, ret_var));
    inherit_export(sh, *ret_var, seen);
    if (name->special && name->special->flags & SPECIAL_GETOPTS)
        getopts_begin(sh, target);
    return FLOW_NEXT;
}

enum flow scope_temporary(struct shell *sh, struct name *name, bool with_value,
                          struct var **ret_var)
{
    struct frame *command = frame_target(sh, TARGET_CMD);
    struct var *seen = name->cur, *var;
    if (!command)
        return scope_global(sh, name, ret_var);
    if (seen && seen->owner == command) {
        *ret_var = seen;
        return FLOW_NEXT;
    }
    TRY(bind_new(sh, name, &name->cur, command, command, &var));
    if (name->special && name->special->flags & SPECIAL_GETOPTS && !command->own_getopts) {
        command->own_getopts = true; /* unless the command is getopts itself */
        command->getopts = sh->getopts;
    }
    if (seen) {
        var->attrs |= seen->attrs & ~(uint32_t)(VAR_READONLY | VAR_NAMEREF | VAR_ARRAY |
                                                VAR_NOTHING | VAR_SPECIAL | VAR_DISCIPLINE);
        if (seen->attrs & VAR_ENUM)
            var->type = seen->type;
        if (seen->attrs & VAR_TYPED_INDEX)
            var->index_type = seen->index_type;
        var->base = seen->base;
        var->width = seen->width;
    }
    if (seen && with_value) {
        bool copied = value_copy(sh->heap, &var->value, &seen->value);
        if (seen->array)
            copied = (var->array = array_dup(seen->array)) != NULL;
        if (!copied) /* an unset variable is left for the command's frame to take away */
            return shell_fail_memory(sh, 0);
        var->attrs |= seen->attrs & VAR_ARRAY;
    }
    var->attrs |= VAR_EXPORT;
    *ret_var = var;
    return FLOW_NEXT;
}
