/*
 * The journal's side of variables: saving before a change, rolling back, discarding.
 *
 * Invariants: only SUBSHELL frames get VAR and ELEMENT records, because locals and temporary
 * variables are bindings of their own (scope.c); a state that was moved into a record is moved back
 * by the rollback, never copied; an element with a record keeps its place in the array, so that
 * rolling back needs no memory.
 */
#include "shell/state/env.h"
#include "shell/state/frame.h"
#include "shell/state/namespace.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

void var_state_clear(struct shell *sh, struct var_state *state)
{
    (void)sh;
    value_clear(&state->value);
    array_free(state->array);
    state->array = NULL;
    mem_free(state->target_rest);
    state->target_rest = NULL;
}

void var_free(struct shell *sh, struct var *var)
{
    var_drop(sh->nodes, var);
}

enum flow var_save(struct shell *sh, struct var *var, struct var_state **ret_saved)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    *ret_saved = NULL;
    if (!frame_should_record(target, var->stamp))
        return FLOW_NEXT;
    struct undo_var *undo = undo_push(sh, target, UNDO_VAR);
    if (!undo)
        return shell_fail_memory(sh, sizeof *undo);
    undo->var = var;
    var->refs++;
    undo->stamp = var->stamp;
    undo->state = var->state;
    var->stamp = target->id;
    var->value.bits = 0;
    var->array = NULL;
    var->target_rest = NULL;
    *ret_saved = &undo->state;
    return FLOW_NEXT;
}

enum flow var_replace_array(struct shell *sh, struct var *var, struct array *array)
{
    struct var_state *saved;
    enum flow flow = var_save(sh, var, &saved);
    if (flow != FLOW_NEXT) {
        array_free(array);
        return flow;
    }
    array_free(var->array);
    var->array = array;
    return FLOW_NEXT;
}

/* State and stamp as they were. What replaced them is freed. */
static void put_back(struct shell *sh, struct undo_var *undo)
{
    struct var *var = undo->var;
    var_state_clear(sh, &var->state);
    var->state = undo->state;
    var->stamp = undo->stamp;
}

void var_unsave(struct shell *sh, struct var *var)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct undo_var *undo = undo_newest(target);
    put_back(sh, undo);
    var_drop(sh->nodes, var);
    undo_drop(sh, target);
}

void var_rollback_state(struct shell *sh, struct undo_var *undo)
{
    struct var *var = undo->var;
    uint32_t attrs = var->attrs | undo->state.attrs;
    put_back(sh, undo);
    if (attrs & VAR_EXPORT)
        sh->export_epoch++;
    if ((attrs & VAR_SPECIAL) && var->name->cur == var)
        special_refresh(sh, var->name);
    if (sh->space && var->in == sh->space->members && member_in_use(var))
        (void)!space_bind(sh, var); /* its room is there already */
    var_drop(sh->nodes, var);
}

void var_discard_state(struct shell *sh, struct undo_var *undo)
{
    var_state_clear(sh, &undo->state);
    var_drop(sh->nodes, undo->var);
}

enum flow var_save_element(struct shell *sh, const struct place *place, struct element *element,
                           struct value *value, bool was_set, bool *ret_saved)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    *ret_saved = false;
    if (!frame_should_record(target, place->var->stamp) || value_stamp(value) >= target->id)
        return FLOW_NEXT;
    struct undo_element *undo = undo_push(sh, target, UNDO_ELEMENT);
    if (!undo)
        return shell_fail_memory(sh, sizeof *undo);
    undo->var = place->var;
    place->var->refs++;
    undo->element = element;
    undo->index = place->index;
    undo->value.bits = 0;
    if (was_set)
        value_move(&undo->value, value);
    value_set_stamp(&undo->value, value_stamp(value));
    value_set_stamp(value, target->id);
    *ret_saved = true;
    return FLOW_NEXT;
}

static void remove_place(struct array *array, struct element *element, int64_t index)
{
    if (element)
        array_remove_element(array, element);
    else
        array_remove_index(array, index);
}

void var_rollback_element(struct shell *sh, struct undo_element *undo)
{
    struct var *var = undo->var;
    struct array *array = var->array;
    struct value *value =
        undo->element ? &undo->element->value : array_find_index(array, undo->index);
    uint64_t stamp = value_stamp(&undo->value);
    if (value_is_set(&undo->value)) {
        if (!value_is_set(value) && undo->element)
            array->count++;
        else if (!value_is_set(value)) /* its place is there: nothing is allocated */
            value = array_put_index(array, undo->index);
        value_clear(value);
        value_move(value, &undo->value);
        value_set_stamp(value, stamp);
    } else if (stamp == 0) {
        remove_place(array, undo->element, undo->index);
    } else { /* an outer subshell remembers this element as its own */
        if (value_is_set(value) && undo->element)
            array_bury_element(array, undo->element);
        else if (value_is_set(value))
            array_bury_index(array, undo->index);
        value_set_stamp(value, stamp);
    }
    if (var->attrs & VAR_EXPORT)
        sh->export_epoch++;
    var_drop(sh->nodes, var);
}

void var_discard_element(struct shell *sh, struct undo_element *undo)
{
    value_clear(&undo->value);
    var_drop(sh->nodes, undo->var);
}

void var_rollback_member(struct shell *sh, struct undo_member *undo)
{
    struct var *var = undo->var;
    space_unbind(sh, var);
    if (var->in)
        members_remove(var->in, var);
    var_drop(sh->nodes, var);
}

void var_discard_member(struct shell *sh, struct undo_member *undo)
{
    var_drop(sh->nodes, undo->var);
}

void var_rollback_flags(struct shell *sh, struct undo_flags *undo)
{
    struct var *var = undo->var;
    if ((var->attrs ^ undo->attrs) & VAR_EXPORT)
        sh->export_epoch++;
    var->attrs = undo->attrs;
    var_drop(sh->nodes, var);
}

void var_discard_flags(struct shell *sh, struct undo_flags *undo)
{
    var_drop(sh->nodes, undo->var);
}

enum flow var_set_flags(struct shell *sh, struct var *var, uint32_t attrs)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (attrs == var->attrs)
        return FLOW_NEXT;
    if (frame_should_record(target, var->stamp)) {
        struct undo_flags *undo = undo_push(sh, target, UNDO_FLAGS);
        if (!undo)
            return shell_fail_memory(sh, sizeof *undo);
        *undo = (struct undo_flags){ .var = var, .attrs = var->attrs };
        var->refs++;
    }
    if ((var->attrs ^ attrs) & VAR_EXPORT)
        sh->export_epoch++;
    var->attrs = attrs;
    return FLOW_NEXT;
}

enum flow var_notify(struct shell *sh, struct var *var)
{
    if (var->attrs & VAR_EXPORT)
        sh->export_epoch++;
    if (!(var->attrs & VAR_SPECIAL) || !var->name->special->changed)
        return FLOW_NEXT;
    const char *text = NULL;
    size_t len = 0;
    TRY(attr_show(sh, var, &var->value, &text, &len));
    return var->name->special->changed(sh, var->name, text, len);
}
