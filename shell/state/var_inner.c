/*
 * Arrays inside of arrays: m[1][2]=x, unsetting, and `m[1]=(...)`.
 *
 * The journal knows only elements of a variable's own array: the first change below such an element
 * in a subshell moves its old value into a record and goes on with a copy, so that whatever is
 * inside needs no records of its own.
 */
#include "shell/state/scope.h"
#include "shell/state/var_private.h"

void place_add_zero(struct place *place, bool assoc)
{
    struct ref_step *step = &place->steps[place->step_count];
    if (place->step_count == REF_STEPS_MAX)
        return; /* deeper than anything that can be made */
    *step = (struct ref_step){ .kind = assoc ? REF_KEY : REF_INDEX, .key = "0", .key_len = 1 };
    place->step_count++;
}

/* Makes VALUE an array for a subscript of KIND, if it is none; data that was there is its element
 * 0. */
static enum flow make_inner(struct shell *sh, struct value *value, enum ref_kind kind)
{
    if (value->bits & VALUE_ARRAY)
        return FLOW_NEXT;
    struct array *array = array_new(sh->nodes, sh->heap, kind == REF_KEY);
    if (!array)
        return shell_fail_memory(sh, sizeof *array);
    if (value_is_set(value)) {
        struct element *element = array->assoc ? array_put_key(array, "0", 1) : NULL;
        struct value *first =
            array->assoc ? (element ? &element->value : NULL) : array_put_index(array, 0);
        if (!first) {
            array_free(array);
            return shell_fail_memory(sh, sizeof *first);
        }
        value_move(first, value);
    }
    value_take_array(value, array);
    return FLOW_NEXT;
}

/* The slot's value, made (unset but counted) when missing. */
static struct value *slot_put(const struct slot *slot)
{
    if (!slot->array->assoc)
        return array_put_index(slot->array, slot->index);
    struct element *element = array_put_key(slot->array, slot->key, slot->key_len);
    return element ? &element->value : NULL;
}

static void slot_remove(const struct slot *slot)
{
    if (!slot->array->assoc) {
        array_remove_index(slot->array, slot->index);
        return;
    }
    struct element *element = array_find_key(slot->array, slot->key, slot->key_len);
    if (element)
        array_remove_element(slot->array, element);
}

/* Takes back a slot_put that got no value. */
static void slot_unput(const struct slot *slot)
{
    slot->array->count--;
    slot_remove(slot);
}

/* The element at PLACE's first subscript, ready to be changed inside: made when missing, an array,
 * and a copy of its own if a subshell must be able to put the old one back. */
static enum flow open_first(struct shell *sh, const struct place *place, struct value **ret)
{
    struct element *element;
    struct value *value = place_put(place, &element);
    if (!value)
        return shell_fail_memory(sh, sizeof *element);
    bool was_set = value_is_set(value), saved;
    uint64_t stamp = value_stamp(value);
    enum flow flow = var_save_element(sh, place, element, value, was_set, &saved);
    if (flow == FLOW_NEXT && saved && was_set) {
        struct frame *target = frame_target(sh, TARGET_GLOBAL);
        struct undo_element *undo = undo_newest(target);
        if (!value_copy(sh->heap, value, &undo->value)) {
            value_move(value, &undo->value);
            value_set_stamp(value, stamp);
            undo->var->refs--;
            undo_drop(sh, target);
            return shell_fail_memory(sh, 0);
        }
    }
    if (flow == FLOW_NEXT)
        flow = make_inner(sh, value, place->steps[0].kind);
    if (flow != FLOW_NEXT && !value_is_set(value))
        place_unput(place, element, value_stamp(value));
    *ret = value;
    return flow;
}

/* Makes the way to where the last step of PLACE points. */
static enum flow open_way(struct shell *sh, struct place *place, struct slot *ret)
{
    struct value *value = NULL;
    if (!(place->var->attrs & VAR_ARRAY)) {
        TRY(var_make_indexed(sh, place->var));
        place->kind = REF_INDEX;
    }
    TRY(open_first(sh, place, &value));
    for (uint32_t i = 0;; i++) {
        TRY(slot_find(sh, place->name->text, value->array, &place->steps[i], ret));
        if (i + 1 == place->step_count)
            return FLOW_NEXT;
        value = slot_put(ret);
        if (!value)
            return shell_fail_memory(sh, ret->key_len);
        enum flow flow = make_inner(sh, value, place->steps[i + 1].kind);
        if (flow != FLOW_NEXT) {
            if (!value_is_set(value))
                slot_unput(ret);
            return flow;
        }
    }
}

enum flow inner_store(struct shell *sh, struct place *place, const struct draft *draft, bool append)
{
    struct slot slot;
    struct draft copy = *draft;
    if (draft->bits & VALUE_TEXT) { /* the way may move what the text is a part of */
        copy.text = scratch_dup(sh, draft->text, draft->len);
        if (!copy.text)
            return shell_fail_memory(sh, draft->len);
    }
    TRY(open_way(sh, place, &slot));
    struct value *value = slot_put(&slot);
    bool done = value != NULL;
    if (done && (copy.bits & VALUE_INT))
        value_set_int(value, copy.i);
    else if (done && (copy.bits & VALUE_FLOAT))
        value_set_float(value, copy.f);
    else if (done && (copy.bits & VALUE_COMPOUND))
        value_take_members(value, copy.members);
    else if (done && append && (value->bits & (VALUE_TEXT | VALUE_INT)))
        done = value_append_text(sh->heap, value, copy.text, copy.len);
    else if (done)
        done = value_set_text(sh->heap, value, copy.text, copy.len);
    if (done)
        return FLOW_NEXT;
    if (value && !value_is_set(value))
        slot_unput(&slot);
    return shell_fail_memory(sh, draft->len);
}

enum flow inner_unset(struct shell *sh, struct place *place)
{
    struct slot slot;
    const struct value *there = place_stored(place);
    if (!there || !value_is_set(there))
        return FLOW_NEXT;
    struct ref_step *last = &place->steps[place->step_count - 1];
    if (last->kind == REF_ALL) {
        if (!(there->bits & VALUE_ARRAY))
            return FLOW_NEXT;
        *last = (struct ref_step){ .kind = REF_INDEX };
        TRY(open_way(sh, place, &slot));
        array_clear(slot.array, slot.array->assoc);
        return FLOW_NEXT;
    }
    TRY(open_way(sh, place, &slot));
    slot_remove(&slot);
    return FLOW_NEXT;
}

enum flow var_begin_array_in(struct shell *sh, const struct var_ref *ref, unsigned shape,
                             unsigned flags, int64_t *ret_next_index)
{
    struct place place;
    struct slot slot;
    TRY(place_for_write_whole(sh, ref, flags, &place));
    if (place.step_count == 0 && place.kind == REF_ALL)
        return var_begin_whole(sh, place.var, shape, flags, ret_next_index);
    if (place_is_all(&place))
        return shell_fail(sh, ERROR_ASSIGN, 1, place.name->text, "invalid subscript in assignment");
    const struct value *there = place_stored(&place);
    const struct array *old = there && (there->bits & VALUE_ARRAY) ? there->array : NULL;
    bool assoc = shape ? (shape & VAR_ASSOC) != 0 : old && old->assoc;
    place_add_zero(&place, assoc);
    TRY(open_way(sh, &place, &slot));
    if (!(flags & ASSIGN_APPEND) || (slot.array->count == 0 && slot.array->assoc != assoc))
        array_clear(slot.array, assoc);
    TRY(var_mark_set(sh, place.var));
    *ret_next_index = slot.array->assoc ? 0 : slot.array->top;
    return var_notify(sh, place.var);
}

enum flow var_takes_key(struct shell *sh, const struct var_ref *ref, bool *ret)
{
    struct place place;
    TRY(place_find_whole(sh, ref, &place));
    const struct array *array = place_array(&place);
    bool is_whole = place.step_count == 0 && place.kind == REF_ALL;
    bool typed = is_whole && place.var && (place.var->attrs & VAR_TYPED_INDEX);
    *ret = typed || (array && array->assoc); /* of a typed index: the name of an item */
    return FLOW_NEXT;
}

enum flow var_is_assoc(struct shell *sh, const struct var_ref *ref, bool *ret)
{
    struct place place;
    TRY(place_find_whole(sh, ref, &place));
    const struct array *array = place_array(&place);
    *ret = array && array->assoc;
    return FLOW_NEXT;
}

/* ---- arrays of a fixed size ---- */

/* Rows of more elements than this are left without any; an array of more rows is refused. */
enum { FILL_MAX = 1 << 16 };

/* What an element of a sized array holds at first. */
static bool set_blank(struct value *value, uint32_t attrs)
{
    if (attrs & VAR_INTEGER)
        value_set_int(value, 0);
    else if (attrs & VAR_FLOATING)
        value_set_float(value, 0);
    else
        return value_set_text(NULL, value, "", 0); /* it fits inside */
    return true;
}

/* An array of SIZES[0] elements, each, while sizes are left, an array again; NULL: out of memory.
 */
static struct array *sized_new(struct shell *sh, const int64_t *sizes, uint32_t count,
                               uint32_t attrs)
{
    struct array *array = array_new(sh->nodes, sh->heap, false);
    if (!array)
        return NULL;
    array->limit = sizes[0];
    for (int64_t i = 0; i < sizes[0] && (count > 1 || sizes[0] <= FILL_MAX); i++) {
        struct array *row = count > 1 ? sized_new(sh, sizes + 1, count - 1, attrs) : NULL;
        struct value *value = count > 1 && !row ? NULL : array_put_index(array, i);
        bool done = value != NULL;
        if (done && row)
            value_take_array(value, row);
        else if (done)
            done = set_blank(value, attrs);
        if (done)
            continue;
        array_free(row);
        array_free(array);
        return NULL;
    }
    return array;
}

/* The subscripts of REF as sizes. */
static enum flow take_sizes(struct shell *sh, const struct var_ref *ref, int64_t *sizes)
{
    int64_t rows = 1;
    for (uint32_t i = 0; i <= ref->step_count; i++) {
        enum ref_kind kind = i ? ref->steps[i - 1].kind : ref->kind;
        sizes[i] = i ? ref->steps[i - 1].index : ref->index;
        bool fits = kind == REF_INDEX && sizes[i] >= 0 && sizes[i] < INT64_MAX;
        if (fits && i < ref->step_count)
            fits = !__builtin_mul_overflow(rows, sizes[i], &rows) && rows <= FILL_MAX;
        if (!fits)
            return shell_fail(sh, ERROR_ASSIGN, 1, ref->name->text, "subscript out of range");
    }
    return FLOW_NEXT;
}

enum flow var_size_array(struct shell *sh, const struct var_ref *whole, const struct var_ref *ref)
{
    struct var_ref target = *whole;
    struct var *var;
    int64_t sizes[REF_STEPS_MAX + 1];
    TRY(var_resolve(sh, &target, &var));
    if (!var || !(var->attrs & VAR_INDEXED) || var->attrs & (VAR_TYPED_INDEX | VAR_ENUM) ||
        (var->array && var->array->count))
        return FLOW_NEXT;
    TRY(take_sizes(sh, ref, sizes));
    if (sizes[ref->step_count] == 0)
        return FLOW_NEXT; /* any number of them */
    struct array *array = sized_new(sh, sizes, ref->step_count + 1, var->attrs);
    if (!array)
        return shell_fail_memory(sh, sizeof *array);
    TRY(var_replace_array(sh, var, array));
    var->attrs = (var->attrs | VAR_SIZED) & ~(uint32_t)VAR_NOTHING;
    return FLOW_NEXT;
}
