/*
 * From a reference to the variable and element it means: name references, default elements,
 * negative indices.
 *
 * Must not create or change anything.
 */
#include "shell/state/special.h"
#include "shell/state/var_private.h"

enum { NAMEREF_DEPTH_MAX = 64 };

/* PLACE means a subscript of the element that HOLDER refers to: one step more, before the others.
 */
static enum flow push_step(struct shell *sh, const struct var *holder, struct place *place)
{
    if (place->step_count == REF_STEPS_MAX)
        return shell_fail(sh, ERROR_LIMIT, 1, holder->name->text, "too many subscripts");
    memmove(place->steps + 1, place->steps, place->step_count * sizeof *place->steps);
    place->step_count++;
    place->steps[0] = (struct ref_step){ .kind = place->kind, .all = '@' };
    if (place->kind == REF_INDEX) {
        place->steps[0].index = place->index;
    } else if (place->kind == REF_KEY) {
        place->steps[0].key = place->key;
        place->steps[0].key_len = place->key_len;
    }
    return FLOW_NEXT;
}

/* The subscripts of a reference to an element, as the target's kind of array needs them; the last
 * one is met first. */
static enum flow apply_key(struct shell *sh, const struct var *holder, const struct var *target,
                           struct place *place)
{
    const char *key = holder->target_key, *end = key + strlen(key);
    for (bool last = true;; last = false) {
        const char *start = end;
        while (start > key && !(start - key >= 2 && start[-1] == '[' && start[-2] == ']'))
            start--;
        if (place->kind != REF_SCALAR)
            TRY(push_step(sh, holder, place));
        place->kind =
            num_parse_int(start, (size_t)(end - start), &place->index) ? REF_INDEX : REF_KEY;
        place->key = start;
        place->key_len = (size_t)(end - start);
        bool all = place->key_len == 1 && (*start == '@' || *start == '*');
        if (last && all && !(target && (target->attrs & VAR_ASSOC)))
            place->kind = REF_ALL;
        if (start == key)
            return FLOW_NEXT;
        end = start - 2;
    }
}

/* Follows name references from PLACE->VAR until something else. */
static enum flow follow(struct shell *sh, struct place *place)
{
    for (int depth = 0; place->var && (place->var->attrs & VAR_NAMEREF); depth++) {
        struct var *holder = place->var;
        if (!holder->target)
            return FLOW_NEXT; /* refers to nothing yet: the reader and the writer decide */
        if (depth == NAMEREF_DEPTH_MAX)
            return shell_fail(sh, ERROR_ASSIGN, 1, holder->name->text, "name reference loop");
        place->name = holder->target;
        place->var = holder->target_var ? holder->target_var : holder->target->cur;
        if (place->var == holder) /* a local reference to the global of the same name */
            place->var = holder->outer;
        if (holder->target_key)
            TRY(apply_key(sh, holder, place->var, place));
    }
    return FLOW_NEXT;
}

static void index_to_key(struct place *place)
{
    place->kind = REF_KEY;
    place->key_len = num_format_int(place->index, place->digits);
    place->key = place->digits;
}

static enum flow check_index(struct shell *sh, struct place *place)
{
    if (place->index < 0) {
        int64_t top = 0;
        if (place->var && place->var->array)
            top = place->var->array->top;
        else if (place->var && value_is_set(&place->var->value))
            top = 1;
        place->index += top;
    }
    if (place->index < 0 || place->index == INT64_MAX)
        return shell_fail(sh, ERROR_ASSIGN, 1, place->name->text, "subscript out of range");
    return FLOW_NEXT;
}

static enum flow start_place(struct shell *sh, struct place *place, const struct var_ref *ref)
{
    place->name = ref->name;
    place->var = ref->name->cur;
    place->kind = ref->kind;
    /* Only what counts is read: a reference just built may have parts that are slow to read back.
     */
    if (ref->kind == REF_INDEX) {
        place->index = ref->index;
    } else if (ref->kind == REF_KEY) {
        place->key = ref->key;
        place->key_len = ref->key_len;
    }
    place->step_count = ref->step_count;
    if (ref->step_count > REF_STEPS_MAX)
        return shell_fail(sh, ERROR_LIMIT, 1, ref->name->text, "too many subscripts");
    for (uint32_t i = 0; i < ref->step_count; i++)
        place->steps[i] = ref->steps[i];
    return FLOW_NEXT;
}

/* ---- arrays inside of arrays ---- */

/* TEXT as an index: arithmetic. */
static enum flow text_to_index(struct shell *sh, const char *what, const char *text, size_t len,
                               int64_t *ret)
{
    if (num_parse_int(text, len, ret))
        return FLOW_NEXT;
    if (!sh->hooks.arith_text)
        return shell_fail(sh, ERROR_ASSIGN, 1, what, "bad subscript");
    struct num n;
    TRY(sh->hooks.arith_text(sh, text, len, &n));
    *ret = num_to_int(n);
    return FLOW_NEXT;
}

enum flow slot_find(struct shell *sh, const char *what, struct array *array,
                    const struct ref_step *step, struct slot *ret)
{
    ret->array = array;
    ret->index = step->index;
    ret->key = step->key;
    ret->key_len = step->key_len;
    if (array->assoc && step->kind == REF_INDEX) {
        ret->key_len = num_format_int(step->index, ret->digits);
        ret->key = ret->digits;
    }
    if (array->assoc)
        return FLOW_NEXT;
    if (step->kind == REF_KEY)
        TRY(text_to_index(sh, what, step->key, step->key_len, &ret->index));
    if (ret->index < 0)
        ret->index += array->top;
    if (ret->index < 0 || ret->index == INT64_MAX)
        return shell_fail(sh, ERROR_ASSIGN, 1, what, "subscript out of range");
    return FLOW_NEXT;
}

struct value *slot_value(const struct slot *slot)
{
    if (!slot->array->assoc)
        return array_find_index(slot->array, slot->index);
    struct element *element = array_find_key(slot->array, slot->key, slot->key_len);
    return element ? &element->value : NULL;
}

/* What is stored at the first subscript. */
static struct value *first_stored(const struct place *place)
{
    struct var *var = place->var;
    if (!var)
        return NULL;
    if (place->kind == REF_KEY) {
        struct element *element = array_find_key(var->array, place->key, place->key_len);
        return element ? &element->value : NULL;
    }
    if (place->kind == REF_INDEX && (var->attrs & VAR_INDEXED))
        return array_find_index(var->array, place->index);
    return place->kind == REF_ALL || place->index != 0 ? NULL : &var->value;
}

/* What stands where a scalar V is taken for an array: itself at 0. */
static struct value *scalar_step(struct value *v, const struct ref_step *step)
{
    bool zero =
        step->kind == REF_INDEX ? step->index == 0 : step->key_len == 1 && step->key[0] == '0';
    return zero ? v : NULL;
}

/* Follows the steps as far as they go. */
static enum flow find_inner(struct shell *sh, struct place *place)
{
    struct value *v = first_stored(place);
    if (place->kind == REF_ALL)
        return shell_fail(sh, ERROR_UNSUPPORTED, 1, place->name->text, "subscript after [@]");
    for (uint32_t i = 0; i < place->step_count; i++) {
        const struct ref_step *step = &place->steps[i];
        if (step->kind == REF_ALL) {
            if (i + 1 < place->step_count)
                return shell_fail(sh, ERROR_UNSUPPORTED, 1, place->name->text,
                                  "subscript after [@]");
            break;
        }
        if (!v || !value_is_set(v)) {
            v = NULL;
        } else if (v->bits & VALUE_ARRAY) {
            struct slot slot;
            TRY(slot_find(sh, place->name->text, v->array, step, &slot));
            v = slot_value(&slot);
        } else {
            v = scalar_step(v, step);
        }
    }
    place->inner = v;
    return FLOW_NEXT;
}

/* The key of PLACE, whose variable is no associative array, as an index. */
static enum flow key_to_index(struct shell *sh, const struct place *place, int64_t *ret)
{
    const struct var *var = place->var;
    if (!var || !(var->attrs & VAR_TYPED_INDEX))
        return text_to_index(sh, place->name->text, place->key, place->key_len, ret);
    if (num_parse_int(place->key, place->key_len, ret))
        return type_check_number(sh, var->index_type, var->index_type->name, *ret);
    return type_item_number(sh, var->index_type, var->index_type->name, place->key, place->key_len,
                            ret);
}

enum flow place_find(struct shell *sh, const struct var_ref *ref, struct place *ret)
{
    TRY(start_place(sh, ret, ref));
    if (ret->var && (ret->var->attrs & VAR_NAMEREF))
        TRY(follow(sh, ret));
    uint32_t attrs = ret->var ? ret->var->attrs : 0;
    if (attrs & VAR_SPECIAL) /* .sh.match is filled in when somebody looks */
        TRY(special_prepare(sh, ret->var));
    switch (ret->kind) {
    case REF_SCALAR:
        ret->index = 0;
        if (attrs & VAR_ASSOC)
            index_to_key(ret);
        else if (attrs & VAR_INDEXED)
            ret->kind = REF_INDEX;
        break;
    case REF_KEY:
        if (!(attrs & VAR_ASSOC)) {
            TRY(key_to_index(sh, ret, &ret->index));
            ret->kind = REF_INDEX;
            TRY(check_index(sh, ret));
        }
        break;
    case REF_INDEX:
        if (attrs & VAR_ASSOC)
            index_to_key(ret);
        else
            TRY(check_index(sh, ret));
        break;
    case REF_ALL:
        break;
    }
    return ret->step_count > 0 ? find_inner(sh, ret) : FLOW_NEXT;
}

struct value *place_stored(const struct place *place)
{
    return place->step_count > 0 ? place->inner : first_stored(place);
}

const struct value *place_value(const struct place *place)
{
    const struct value *value = place_stored(place);
    return value && (value->bits & VALUE_ARRAY) ? value_scalar(value) : value;
}

bool place_is_all(const struct place *place)
{
    return place->step_count > 0 ? place->steps[place->step_count - 1].kind == REF_ALL
                                 : place->kind == REF_ALL;
}

struct array *place_array(const struct place *place)
{
    if (place->step_count == 0 && (place->kind == REF_ALL || place->kind == REF_SCALAR))
        return place->var ? place->var->array : NULL;
    struct value *value = place_stored(place);
    return value && (value->bits & VALUE_ARRAY) ? value->array : NULL;
}

enum flow var_resolve(struct shell *sh, struct var_ref *ref, struct var **ret_var)
{
    struct place place;
    *ret_var = ref->name->cur;
    if (ref->kind == REF_SCALAR && !(*ret_var && ((*ret_var)->attrs & VAR_NAMEREF)))
        return FLOW_NEXT;
    TRY(start_place(sh, &place, ref));
    TRY(follow(sh, &place));
    if (place.step_count != ref->step_count) { /* a subscript came in between */
        struct ref_step *steps = scratch_alloc(sh, place.step_count * sizeof *steps);
        if (!steps)
            return shell_fail_memory(sh, place.step_count * sizeof *steps);
        memcpy(steps, place.steps, place.step_count * sizeof *steps);
        ref->steps = steps;
        ref->step_count = place.step_count;
    }
    ref->name = place.name;
    ref->kind = place.kind;
    if (place.kind == REF_INDEX) {
        ref->index = place.index;
    } else if (place.kind == REF_KEY && place.var && (place.var->attrs & VAR_ASSOC)) {
        ref->key = place.key;
        ref->key_len = place.key_len;
    } else if (place.kind == REF_KEY) {
        TRY(key_to_index(sh, &place, &ref->index));
        ref->kind = REF_INDEX;
    }
    *ret_var = place.var;
    return FLOW_NEXT;
}
