/*
 * From a reference to the variable and element it means: name references, default elements,
 * negative indices.
 *
 * Must not create or change anything.
 */
#include "shell/state/scope.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

enum { NAMEREF_DEPTH_MAX = 64 };

static void place_scalar(struct place *place, struct var *var, struct name *name)
{
    place->var = var;
    place->name = name;
    place->kind = REF_SCALAR;
    place->step_count = 0;
    place->inner = NULL;
}

/* One more subscript for PLACE. */
static enum flow push_subscript(struct shell *sh, struct place *place, const struct ref_step *step)
{
    if (place->kind == REF_SCALAR) {
        place->kind = step->kind;
        place->index = step->index;
        place->key = step->key;
        place->key_len = step->key_len;
        return FLOW_NEXT;
    }
    if (place->step_count == REF_STEPS_MAX)
        return shell_fail(sh, ERROR_LIMIT, 1, place->name->text, "too many subscripts");
    place->steps[place->step_count++] = *step;
    return FLOW_NEXT;
}

/* The end of the subscript that begins with the bracket at TEXT: what stands before the next one, a
 * member, or the end. */
static const char *subscript_end(const char *text)
{
    const char *end = text + strlen(text) - 1;
    for (const char *at = text + 1; at < end; at++)
        if (*at == ']' && (at[1] == '[' || at[1] == '.'))
            return at;
    return end;
}

/* What follows the name in a reference: `[key]`, `[1][2].x[3]`. */
static enum flow apply_rest(struct shell *sh, const char *rest, struct place *place, bool make)
{
    while (*rest) {
        if (*rest == '.') {
            size_t len = strcspn(++rest, ".[");
            struct name *member = name_intern(sh, rest, len);
            if (!member)
                return shell_fail_memory(sh, len);
            TRY(place_enter(sh, place, member, make));
            rest += len;
            continue;
        }
        const char *end = subscript_end(rest);
        struct ref_step step = { .kind = REF_KEY,
                                 .key = rest + 1,
                                 .key_len = (size_t)(end - rest - 1) };
        bool all = step.key_len == 1 && (rest[1] == '@' || rest[1] == '*');
        if (num_parse_int(step.key, step.key_len, &step.index))
            step.kind = REF_INDEX;
        else if (all && !end[1] && !(place->var && (place->var->attrs & VAR_ASSOC)))
            step.kind = REF_ALL;
        step.all = '@';
        TRY(push_subscript(sh, place, &step));
        rest = end + 1;
    }
    return FLOW_NEXT;
}

static enum flow walk_name(struct shell *sh, struct name *name, struct members *base,
                           struct var *root, struct place *place, bool make);

/* Follows name references from PLACE->VAR until something else. */
static enum flow follow(struct shell *sh, struct place *place, bool make)
{
    for (int depth = 0;
         place->var && (place->var->attrs & VAR_NAMEREF) && place->kind == REF_SCALAR; depth++) {
        struct var *holder = place->var;
        if (!holder->target)
            return FLOW_NEXT; /* refers to nothing yet: the reader and the writer decide */
        if (depth == NAMEREF_DEPTH_MAX)
            return shell_fail(sh, ERROR_ASSIGN, 1, holder->name->text, "name reference loop");
        struct var *root = scope_reference_root(sh, holder);
        if (!root && holder->target->cur == holder) {
            place_scalar(place, NULL, holder->target);
            return FLOW_NEXT;
        }
        if (!shell_enter(sh)) {
            shell_leave(sh);
            return shell_fail(sh, ERROR_LIMIT, 1, holder->name->text, "name reference loop");
        }
        enum flow flow = walk_name(sh, holder->target, NULL, root, place, make);
        if (flow == FLOW_NEXT && holder->target_rest)
            flow = apply_rest(sh, holder->target_rest, place, make);
        shell_leave(sh);
        TRY(flow);
    }
    return FLOW_NEXT;
}

/* PLACE becomes the variable that NAME, perhaps a member's, means. BASE: what the first part is a
 * member of; ROOT: the variable that it is, instead of the visible one. */
static enum flow walk_name(struct shell *sh, struct name *name, struct members *base,
                           struct var *root, struct place *place, bool make)
{
    if (name->parent) {
        TRY(walk_name(sh, name->parent, base, root, place, make));
        TRY(place_enter(sh, place, name->member, make));
        place->name = name;
        return FLOW_NEXT;
    }
    if (base) {
        place_scalar(place, NULL, name);
        return place_enter_members(sh, base, name, place, make);
    }
    place_scalar(place, root ? root : name->cur, name);
    return place->var && (place->var->attrs & VAR_NAMEREF) ? follow(sh, place, make) : FLOW_NEXT;
}

enum flow place_follow(struct shell *sh, struct place *place, bool make)
{
    return follow(sh, place, make);
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
    int64_t limit = place->var && place->var->array ? place->var->array->limit : 0;
    if (place->index < 0 || place->index == INT64_MAX || (limit && place->index >= limit))
        return shell_fail(sh, ERROR_ASSIGN, 1, place->name->text, "subscript out of range");
    return FLOW_NEXT;
}

/* Follows REF to the end: the last variable on the way and the subscripts after it. */
static enum flow walk_far(struct shell *sh, const struct var_ref *ref, struct place *place,
                          bool make)
{
    place->parent = NULL;
    place->entered = false;
    if (!ref->base && !ref->name->parent) {
        place_scalar(place, ref->name->cur, ref->name);
        if (place->var && (place->var->attrs & VAR_NAMEREF))
            TRY(follow(sh, place, make));
    } else {
        TRY(walk_name(sh, ref->name, ref->base, NULL, place, make));
    }
    if (ref->kind != REF_SCALAR) {
        struct ref_step first = { .kind = ref->kind, .all = ref->all };
        if (ref->kind == REF_INDEX) {
            first.index = ref->index;
        } else if (ref->kind == REF_KEY) {
            first.key = ref->key;
            first.key_len = ref->key_len;
        }
        TRY(push_subscript(sh, place, &first));
    }
    for (uint32_t i = 0; i < ref->step_count; i++) {
        if (ref->steps[i].kind == REF_MEMBER)
            TRY(place_enter(sh, place, ref->steps[i].member, make));
        else
            TRY(push_subscript(sh, place, &ref->steps[i]));
    }
    return FLOW_NEXT;
}

static inline enum flow walk_ref(struct shell *sh, const struct var_ref *ref, struct place *place,
                                 bool make)
{
    struct var *var = ref->name->cur;
    if (ref->base || ref->step_count || ref->name->parent || (var && (var->attrs & VAR_NAMEREF)))
        return walk_far(sh, ref, place, make);
    place->parent = NULL;
    place->entered = false;
    place->name = ref->name;
    place->var = var;
    place->kind = ref->kind;
    place->step_count = 0;
    place->inner = NULL;
    /* Only what counts is read: a reference just built may have parts that are slow to read back.
     */
    if (ref->kind == REF_INDEX) {
        place->index = ref->index;
    } else if (ref->kind == REF_KEY) {
        place->key = ref->key;
        place->key_len = ref->key_len;
    }
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
    if (ret->index < 0 || ret->index == INT64_MAX || (array->limit && ret->index >= array->limit))
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

/* Is what the next subscript of PLACE goes into an array of keys? */
static enum flow takes_keys(struct shell *sh, struct place *place, bool *ret)
{
    const struct var *var = place->var;
    *ret = false;
    if (place->kind == REF_SCALAR || !var) {
        *ret = var && var->attrs & (VAR_ASSOC | VAR_TYPED_INDEX);
        return FLOW_NEXT;
    }
    if (!(var->attrs & VAR_ARRAY))
        return FLOW_NEXT;
    TRY(place->step_count ? find_inner(sh, place) : FLOW_NEXT);
    const struct value *v = place_stored(place);
    *ret = v && (v->bits & VALUE_ARRAY) && v->array->assoc;
    return FLOW_NEXT;
}

/* One subscript at TEXT, LEN bytes with its brackets, of a reference whose way so far is PLACE: its
 * text goes to TO. */
static enum flow settle_subscript(struct shell *sh, struct place *place, const char *text,
                                  size_t len, struct str *to)
{
    struct ref_step step = { .kind = REF_KEY, .key = text + 1, .key_len = len - 2, .all = '@' };
    bool keys;
    TRY(takes_keys(sh, place, &keys));
    if (step.key_len == 1 && (text[1] == '@' || text[1] == '*')) {
        step.kind = REF_ALL;
    } else if (!keys) {
        TRY(text_to_index(sh, place->name->text, step.key, step.key_len, &step.index));
        step.kind = REF_INDEX;
    }
    bool first = place->kind == REF_SCALAR;
    TRY(push_subscript(sh, place, &step));
    if (step.kind != REF_INDEX) {
        str_append(to, text, len);
        return FLOW_NEXT;
    }
    if (first)
        TRY(check_index(sh, place));
    str_printf(to, "[%lld]", (long long)(first ? place->index : step.index));
    return FLOW_NEXT;
}

enum flow reference_settle(struct shell *sh, struct name *target, struct var *root,
                           const char **rest)
{
    struct place place = { 0 };
    struct str s;
    const char *at = *rest;
    str_init(&s, sh->scratch);
    TRY(walk_name(sh, target, NULL, root, &place, false));
    while (*at) {
        size_t len = *at == '[' ? (size_t)(subscript_end(at) - at) + 1 : 1 + strcspn(at + 1, ".[");
        if (*at == '[') {
            TRY(settle_subscript(sh, &place, at, len, &s));
        } else {
            struct name *member = name_intern(sh, at + 1, len - 1);
            if (!member)
                return shell_fail_memory(sh, len);
            TRY(place_enter(sh, &place, member, false));
            str_append(&s, at, len);
        }
        at += len;
    }
    if (!str_ok(&s))
        return shell_fail_memory(sh, s.len);
    *rest = str_text(&s);
    return FLOW_NEXT;
}

enum flow place_settle(struct shell *sh, struct place *ret)
{
    uint32_t attrs = ret->var ? ret->var->attrs : 0;
    if (attrs & VAR_SPECIAL) { /* .sh.match is filled in when somebody looks */
        TRY(special_prepare(sh, ret->var));
        attrs = ret->var->attrs;
    }
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
    case REF_MEMBER: /* only steps are */
        break;
    }
    if ((attrs & VAR_SPECIAL) && !(attrs & VAR_ARRAY) && ret->var->name->special->get &&
        ret->kind == REF_INDEX && ret->index == 0 && ret->step_count == 0)
        ret->kind = REF_SCALAR; /* element 0 is what it shows */
    return ret->step_count > 0 ? find_inner(sh, ret) : FLOW_NEXT;
}

enum flow place_find(struct shell *sh, const struct var_ref *ref, struct place *ret)
{
    TRY(walk_ref(sh, ref, ret, false));
    return place_settle(sh, ret);
}

enum flow place_find_whole(struct shell *sh, const struct var_ref *ref, struct place *ret)
{
    TRY(walk_ref(sh, ref, ret, false));
    if (ret->kind == REF_SCALAR)
        ret->kind = REF_ALL;
    return place_settle(sh, ret);
}

enum flow place_make(struct shell *sh, const struct var_ref *ref, struct place *ret)
{
    TRY(walk_ref(sh, ref, ret, true));
    return place_settle(sh, ret);
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
    struct var *var = ref->name->cur;
    if (!ref->base && !ref->name->parent && !(var && (var->attrs & VAR_NAMEREF)) &&
        (ref->kind == REF_SCALAR || (ref->kind != REF_KEY && !ref->step_count))) {
        *ret_var = var;
        return FLOW_NEXT;
    }
    TRY(walk_ref(sh, ref, &place, false));
    struct ref_step *steps = NULL;
    if (place.step_count > 0) {
        steps = scratch_alloc(sh, place.step_count * sizeof *steps);
        if (!steps)
            return shell_fail_memory(sh, place.step_count * sizeof *steps);
        memcpy(steps, place.steps, place.step_count * sizeof *steps);
    }
    *ret_var = place.var;
    if (!place.var && place.parent) { /* a member that is not there yet */
        ref->base = place.parent;
        ref->name = place.name->parent ? place.name->member : place.name;
    } else if (!place.var && (ref->base || place.kind == REF_SCALAR) && ref->step_count) {
        return FLOW_NEXT; /* nothing on the way: as it was written */
    } else {
        ref->base = place.var ? place.var->in : NULL;
        ref->name = ref->base ? place.var->name : place.name;
    }
    ref->steps = steps;
    ref->step_count = place.step_count;
    ref->kind = place.kind;
    ref->all = '@';
    if (place.kind == REF_INDEX) {
        ref->index = place.index;
    } else if (place.kind == REF_KEY && place.var && (place.var->attrs & VAR_ASSOC)) {
        ref->key = place.key;
        ref->key_len = place.key_len;
    } else if (place.kind == REF_KEY) {
        TRY(key_to_index(sh, &place, &ref->index));
        ref->kind = REF_INDEX;
    }
    return FLOW_NEXT;
}
