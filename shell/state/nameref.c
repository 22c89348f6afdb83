/*
 * From a reference to the variable and element it means: name references, default elements, negative indices.
 *
 * Must not create or change anything.
 */
#include "shell/state/special.h"
#include "shell/state/var_private.h"

enum { NAMEREF_DEPTH_MAX = 64 };

/* The subscript of a reference to an element, as the target's kind of array needs it. */
static enum flow apply_key(struct shell *sh, const struct var *holder, const struct var *target, struct place *place)
{
    if (place->kind != REF_SCALAR)
        return shell_fail(sh, ERROR_UNSUPPORTED, 1, holder->name->text, "subscript of an element reference");
    place->kind = REF_KEY;
    place->key = holder->target_key;
    place->key_len = strlen(holder->target_key);
    if ((place->key_len == 1) && (place->key[0] == '@' || place->key[0] == '*') &&
        !(target && (target->attrs & VAR_ASSOC)))
        place->kind = REF_ALL;
    return FLOW_NEXT;
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

/* TEXT as an index: arithmetic. */
static enum flow key_to_index(struct shell *sh, const struct place *place, int64_t *ret)
{
    if (num_parse_int(place->key, place->key_len, ret))
        return FLOW_NEXT;
    if (!sh->hooks.arith_text)
        return shell_fail(sh, ERROR_ASSIGN, 1, place->name->text, "bad subscript");
    struct num n;
    TRY(sh->hooks.arith_text(sh, place->key, place->key_len, &n));
    *ret = num_to_int(n);
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

static void start_place(struct place *place, const struct var_ref *ref)
{
    place->name = ref->name;
    place->var = ref->name->cur;
    place->kind = ref->kind;
    /* Only what counts is read: a reference just built may have parts that are slow to read back. */
    if (ref->kind == REF_INDEX) {
        place->index = ref->index;
    } else if (ref->kind == REF_KEY) {
        place->key = ref->key;
        place->key_len = ref->key_len;
    }
}

enum flow place_find(struct shell *sh, const struct var_ref *ref, struct place *ret)
{
    start_place(ret, ref);
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
    return FLOW_NEXT;
}

struct value *place_value(const struct place *place)
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

enum flow var_resolve(struct shell *sh, struct var_ref *ref, struct var **ret_var)
{
    struct place place = {0};
    start_place(&place, ref);
    TRY(follow(sh, &place));
    ref->name = place.name;
    ref->kind = place.kind;
    ref->key = place.key;
    ref->key_len = place.key_len;
    if (place.kind == REF_KEY && !(place.var && (place.var->attrs & VAR_ASSOC))) {
        TRY(key_to_index(sh, &place, &ref->index));
        ref->kind = REF_INDEX;
    }
    *ret_var = place.var;
    return FLOW_NEXT;
}
