/*
 * Reading variables: as text, as numbers, by iteration.
 *
 * The short paths at the top of var_get_name and var_get_num serve plain variables and allocate
 * nothing; all else goes through place_find. Must not change anything by itself (special getters
 * make their text in scratch; a discipline may do anything, so that a place is stale afterwards).
 */
#include "shell/state/discipline.h"
#include "shell/state/method.h"
#include "shell/state/option.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* A compound value as text: its own value if it has one beside its members, else all of them. */
static enum flow show_compound(struct shell *sh, const struct place *place, const char **ret_text,
                               size_t *ret_len)
{
    struct place self = *place;
    place_to_self(&self);
    const struct value *value = place_value(&self);
    if (self.var != place->var && (!value || !(value->bits & VALUE_COMPOUND)))
        return attr_show(sh, self.var, value, ret_text, ret_len);
    return var_show_members(sh, place_members(place), ret_text, ret_len);
}

/* The text stored at PLACE, or made by a special variable. */
static enum flow show_place(struct shell *sh, const struct place *place, const char **ret_text,
                            size_t *ret_len)
{
    const struct var *var = place->var;
    if (var && (var->attrs & VAR_SPECIAL) && var->name->special->get && place->kind == REF_SCALAR)
        return var->name->special->get(sh, place->name, ret_text, ret_len);
    const struct value *value = place_value(place);
    if (var && value && (value->bits & VALUE_COMPOUND))
        return show_compound(sh, place, ret_text, ret_len);
    return attr_show(sh, var, value, ret_text, ret_len);
}

/* The text stored at REF, whose base is HELD, after a discipline that said nothing; NULL when there
 * is no such variable any more. */
static enum flow show_again(struct shell *sh, const struct var_ref *ref, struct members *held,
                            const char **ret_text, size_t *ret_len)
{
    struct place again;
    if (held && held->refs == 1) /* nothing but us */
        return FLOW_NEXT;
    TRY(place_find(sh, ref, &again));
    return show_place(sh, &again, ret_text, ret_len);
}

/* What x.get makes of PLACE. If it says nothing the stored text counts, wherever that is then.
 * PLACE's variable may be gone then. */
static enum flow get_disciplined(struct shell *sh, const struct place *place, enum discipline first,
                                 const char **ret_text, size_t *ret_len)
{
    enum discipline second = first == DISCIPLINE_GET ? DISCIPLINE_GETN : DISCIPLINE_GET;
    const struct var_ref ref = place_ref(place);
    struct members *held = ref.base ? members_hold(ref.base) : NULL;
    bool called;
    enum flow flow = discipline_call(sh, place, first, NULL, 0, &called, ret_text, ret_len);
    if (flow == FLOW_NEXT && !called)
        flow = discipline_call(sh, place, second, NULL, 0, &called, ret_text, ret_len);
    if (flow == FLOW_NEXT && !called)
        flow = show_place(sh, place, ret_text, ret_len);
    else if (flow == FLOW_NEXT && !*ret_text)
        flow = show_again(sh, &ref, held, ret_text, ret_len);
    members_release(held);
    return flow;
}

/* The text of a whole scalar variable or element. */
static enum flow get_place(struct shell *sh, const struct place *place, const char **ret_text,
                           size_t *ret_len)
{
    const struct var *var = place->var;
    if (var && (var->attrs & VAR_NAMEREF))
        return shell_fail(sh, ERROR_EXPANSION, 1, var->name->text, "no reference name");
    if (var && (var->attrs & VAR_DISCIPLINE))
        return get_disciplined(sh, place, DISCIPLINE_GET, ret_text, ret_len);
    return show_place(sh, place, ret_text, ret_len);
}

/* a[@] as one text: the elements joined by blanks; callers who want fields iterate. */
static enum flow get_all(struct shell *sh, const struct place *place, const char **ret_text,
                         size_t *ret_len)
{
    struct array *array = place_array(place);
    if (!array) {
        const struct value *scalar = place->var ? &place->var->value : NULL;
        return var_show_value(sh, place->var, place->step_count > 0 ? place->inner : scalar,
                              ret_text, ret_len);
    }
    struct str s;
    str_init(&s, sh->scratch);
    struct array_walk walk;
    struct array_item item;
    bool any = false;
    enum flow flow = FLOW_NEXT;
    array_walk_begin(&walk, array);
    while (flow == FLOW_NEXT && array_walk_next(&walk, &item)) {
        const char *text = NULL;
        size_t len = 0;
        flow = var_show_value(sh, place->var, item.value, &text, &len);
        if (any)
            str_putc(&s, ' ');
        str_append(&s, text ? text : "", len);
        any = true;
    }
    array_walk_end(&walk);
    TRY(flow);
    if (!str_ok(&s))
        return shell_fail_memory(sh, 0);
    *ret_text = any ? str_text(&s) : NULL;
    *ret_len = s.len;
    return FLOW_NEXT;
}

/* What an element of an array without further meaning holds: text or a number; NULL: not so simple.
 */
static const struct value *peek_element(const struct var_ref *ref)
{
    const uint32_t in_the_way = VAR_COMPLEX_READ | VAR_COMPOUND | VAR_TYPED;
    const struct var *var = ref->name->cur;
    const struct value *value = NULL;
    if (ref->base || ref->step_count || !var || (var->attrs & in_the_way & ~VAR_ARRAY))
        return NULL;
    if (ref->kind == REF_KEY && (var->attrs & VAR_ASSOC)) {
        const struct element *element = array_find_key(var->array, ref->key, ref->key_len);
        value = element ? &element->value : NULL;
    } else if (ref->kind == REF_INDEX && (var->attrs & VAR_INDEXED)) {
        value = array_find_index(var->array, ref->index);
    }
    return value && (value->bits & (VALUE_TEXT | VALUE_INT | VALUE_FLOAT)) ? value : NULL;
}

enum flow var_get(struct shell *sh, const struct var_ref *ref, const char **ret_text,
                  size_t *ret_len)
{
    struct place place;
    const struct value *element = peek_element(ref);
    if (element && (element->bits & VALUE_TEXT)) {
        *ret_text = value_text(element, ret_len);
        return FLOW_NEXT;
    }
    enum flow flow = place_find(sh, ref, &place);
    if (flow == FLOW_ERROR)
        return method_value(sh, ref, ret_text, ret_len);
    TRY(flow);
    if (place_is_all(&place))
        return get_all(sh, &place, ret_text, ret_len);
    return get_place(sh, &place, ret_text, ret_len);
}

enum flow var_get_name(struct shell *sh, struct name *name, const char **ret_text, size_t *ret_len)
{
    struct var *var = name->cur;
    if (!var && !name->parent) {
        *ret_text = NULL;
        *ret_len = 0;
        return FLOW_NEXT;
    }
    if (var && !(var->attrs & VAR_COMPLEX_READ)) {
        if ((var->value.bits & VALUE_TEXT) ||
            (!(var->attrs & (VAR_NUMERIC | VAR_ENUM)) && value_int_to_text(&var->value))) {
            *ret_text = value_text(&var->value, ret_len);
            return FLOW_NEXT;
        }
        if (var->value.bits & VALUE_COMPOUND) {
            struct var_ref ref = var_ref_name(name);
            return var_get(sh, &ref, ret_text, ret_len);
        }
        return attr_show(sh, var, &var->value, ret_text, ret_len);
    }
    struct var_ref ref = var_ref_name(name);
    return var_get(sh, &ref, ret_text, ret_len);
}

/* ---- numbers ---- */

static enum flow text_num(struct shell *sh, const struct name *name, const char *text, size_t len,
                          struct num *ret)
{
    if (name->special && (name->special->flags & SPECIAL_VERSION) && text) {
        *ret = num_int(special_version_number());
        return FLOW_NEXT;
    }
    if (text)
        return attr_parse_num(sh, text, len, ret);
    if (option_on(sh, OPTION_NOUNSET))
        return shell_fail(sh, ERROR_EXPANSION, 1, name->text, "parameter not set");
    *ret = num_int(0);
    return FLOW_NEXT;
}

/* VALUE, of NAME, that has no meaning beyond what is stored. NULL: unset. */
static enum flow value_num(struct shell *sh, const struct name *name, const struct value *value,
                           struct num *ret)
{
    const char *text = NULL;
    size_t len = 0;
    if (value && (value->bits & VALUE_INT)) {
        *ret = num_int(value->i);
        return FLOW_NEXT;
    }
    if (value && (value->bits & VALUE_FLOAT)) {
        *ret = num_float(value_float(value));
        return FLOW_NEXT;
    }
    if (value && (value->bits & VALUE_TEXT))
        text = value_text(value, &len);
    else if (value && (value->bits & VALUE_COMPOUND))
        return shell_fail(sh, ERROR_EXPANSION, 1, name->text,
                          "compound assignment requires sub-variable name");
    return text_num(sh, name, text, len, ret);
}

/* Is PLACE an instance of a type whose own value is a number? As in ksh93 only getn, and not get,
 * says what it is in arithmetic. */
static bool has_number_itself(struct shell *sh, const struct place *place)
{
    const struct members *m = place_members(place);
    return m && m->self && (m->self->attrs & VAR_NUMERIC) &&
           !discipline_has(sh, place, DISCIPLINE_GETN);
}

/* All other variables. What get says counts only for text: that of a number is said by getn. */
static enum flow get_num_slow(struct shell *sh, const struct var_ref *ref, struct num *ret)
{
    struct place place;
    const char *text = NULL;
    size_t len = 0;
    enum flow flow = place_find(sh, ref, &place);
    if (flow == FLOW_ERROR) {
        TRY(method_value(sh, ref, &text, &len));
        return text_num(sh, ref->name, text, len, ret);
    }
    TRY(flow);
    uint32_t attrs = place.var ? place.var->attrs : 0;
    if (place_is_all(&place)) {
        TRY(get_all(sh, &place, &text, &len));
    } else if (has_number_itself(sh, &place)) {
        place_to_self(&place);
        return value_num(sh, place.name, place_value(&place), ret);
    } else if ((attrs & VAR_DISCIPLINE) &&
               !((attrs & VAR_NUMERIC) && !discipline_has(sh, &place, DISCIPLINE_GETN))) {
        TRY(get_disciplined(sh, &place, DISCIPLINE_GETN, &text, &len));
    } else if (attrs & (VAR_SPECIAL | VAR_NAMEREF)) {
        TRY(get_place(sh, &place, &text, &len));
    } else {
        place_to_self(&place);
        return value_num(sh, place.name, place_value(&place), ret);
    }
    return text_num(sh, place.name, text, len, ret);
}

enum flow var_get_num(struct shell *sh, const struct var_ref *ref, struct num *ret)
{
    const struct var *var = ref->name->cur;
    if (ref->kind == REF_SCALAR && !ref->base && !ref->step_count &&
        (var ? !(var->attrs & (VAR_COMPLEX_READ | VAR_COMPOUND)) : !ref->name->parent))
        return value_num(sh, ref->name, var ? &var->value : NULL, ret);
    const struct value *element = peek_element(ref);
    return element ? value_num(sh, ref->name, element, ret) : get_num_slow(sh, ref, ret);
}

/* ---- for the shell itself ---- */

const char *var_text(struct shell *sh, const char *name)
{
    struct name *found = name_find(sh, name, strlen(name));
    const char *text = NULL;
    size_t len;
    if (!found || !found->cur || (found->cur->attrs & VAR_COMPOUND))
        return NULL;
    if (var_get_name(sh, found, &text, &len) != FLOW_NEXT) {
        sh->err.kind = ERROR_NONE;
        return NULL;
    }
    return text;
}

bool var_is_set(struct shell *sh, const struct var_ref *ref)
{
    struct place place;
    if (place_find(sh, ref, &place) != FLOW_NEXT) {
        sh->err.kind = ERROR_NONE;
        return false;
    }
    if (!place.var || (place.var->attrs & VAR_NAMEREF))
        return false;
    if (place_is_all(&place)) {
        const struct array *array = place_array(&place);
        if (array)
            return array->count > 0;
        return place.step_count > 0 ? place.inner && value_is_set(place.inner)
                                    : var_has_value(place.var);
    }
    if ((place.var->attrs & VAR_DISCIPLINE) && discipline_has(sh, &place, DISCIPLINE_GET))
        return true;
    if ((place.var->attrs & VAR_SPECIAL) && place.var->name->special->get &&
        place.kind == REF_SCALAR) {
        const char *text = NULL;
        size_t len;
        return place.var->name->special->get(sh, place.name, &text, &len) == FLOW_NEXT && text;
    }
    const struct value *value = place_value(&place);
    return value && value_is_set(value);
}

bool var_has_value(const struct var *var)
{
    if (var->attrs & VAR_NAMEREF)
        return var->target != NULL;
    if (var->attrs & VAR_ARRAY)
        return var->array->count > 0;
    if ((var->attrs & VAR_SPECIAL) && var->name->special->get)
        return true;
    return value_is_set(&var->value);
}

/* ---- elements ---- */

/* What REF, or the whole variable if it has no subscript, means; false: nothing. */
static bool find_whole(struct shell *sh, const struct var_ref *ref, struct place *ret)
{
    if (place_find_whole(sh, ref, ret) != FLOW_NEXT) {
        sh->err.kind = ERROR_NONE;
        return false;
    }
    return ret->var && !(ret->var->attrs & VAR_NAMEREF);
}

/* Does a place that is no array hold one piece of data? A compound variable without members, which
 * `a=()` makes, is an array without elements to who asks for its elements. */
static bool holds_scalar(const struct place *place)
{
    bool whole = place->step_count == 0 && place->kind == REF_ALL;
    const struct value *value = whole ? &place->var->value : place_stored(place);
    if (whole ? !var_has_value(place->var) : !value || !value_is_set(value))
        return false;
    return !(value->bits & VALUE_COMPOUND) || value->members->count || value->members->type;
}

size_t var_count_in(struct shell *sh, const struct var_ref *ref)
{
    struct place place;
    if (!find_whole(sh, ref, &place))
        return 0;
    const struct array *array = place_array(&place);
    return array ? array->count : holds_scalar(&place);
}

int64_t var_next_index_in(struct shell *sh, const struct var_ref *ref)
{
    struct place place;
    if (!find_whole(sh, ref, &place))
        return 0;
    const struct array *array = place_array(&place);
    if (!array)
        return holds_scalar(&place);
    return array->assoc ? 0 : array->top;
}

size_t var_count(struct shell *sh, struct name *name)
{
    const struct var_ref ref = var_ref_name(name);
    return var_count_in(sh, &ref);
}

int64_t var_next_index(struct shell *sh, struct name *name)
{
    const struct var_ref ref = var_ref_name(name);
    return var_next_index_in(sh, &ref);
}

static bool next_scalar(struct shell *sh, struct var_cursor *cursor, const struct place *place,
                        struct var_item *ret)
{
    *ret = (struct var_item){ 0 };
    if (cursor->position++ > 0 || !holds_scalar(place))
        return false;
    if (cursor->keys_only) {
        ret->text = "";
        return true;
    }
    struct place scalar = *place;
    if (scalar.step_count == 0)
        scalar.kind = REF_SCALAR;
    scalar.index = 0;
    return get_place(sh, &scalar, &ret->text, &ret->len) == FLOW_NEXT && ret->text;
}

static bool start_cursor(struct shell *sh, const struct var_ref *ref, struct var_cursor *cursor,
                         struct var_item *ret_item)
{
    struct place place;
    if (cursor->array)
        return true;
    if (cursor->started || !find_whole(sh, ref, &place)) {
        cursor->started = true;
        return false;
    }
    cursor->started = true;
    cursor->var = place.var;
    cursor->array = place_array(&place);
    cursor->version = cursor->array ? cursor->array->version : 0;
    cursor->inner = cursor->array && cursor->array != place.var->array;
    cursor->nested = cursor->inner || (cursor->array && place.var->in);
    return cursor->array || next_scalar(sh, cursor, &place, ret_item);
}

/* An array inside of another, or of a compound variable, may be gone together with that: it is
 * looked for again at each step. */
static bool nested_is_there(struct shell *sh, const struct var_ref *ref,
                            const struct var_cursor *cursor)
{
    struct place place;
    return find_whole(sh, ref, &place) && place.var == cursor->var &&
           place_array(&place) == cursor->array;
}

/* The text of ITEM of VAR's array, by its disciplines, which may take its element away. */
static enum flow get_item(struct shell *sh, struct var *var, struct var_item *item)
{
    if (item->key && !(item->key = scratch_dup(sh, item->key, item->key_len)))
        return shell_fail_memory(sh, item->key_len);
    struct place place = { .name = var->name,
                           .var = var,
                           .kind = item->key ? REF_KEY : REF_INDEX,
                           .index = item->index,
                           .key = item->key,
                           .key_len = item->key_len };
    return get_disciplined(sh, &place, DISCIPLINE_GET, &item->text, &item->len);
}

bool var_next_in(struct shell *sh, const struct var_ref *ref, struct var_cursor *cursor,
                 struct var_item *ret_item)
{
    bool first = !cursor->started;
    if (!start_cursor(sh, ref, cursor, ret_item))
        return false;
    if (!cursor->array)
        return first;
    if (cursor->nested ? !nested_is_there(sh, ref, cursor) : cursor->var->array != cursor->array)
        return false;
    if (cursor->array->version != cursor->version)
        return false;
    struct array_item item;
    if (!array_next(cursor->array, &cursor->position, &item))
        return false;
    ret_item->index = item.index;
    ret_item->label = index_label(cursor->var, cursor->array, item.index);
    ret_item->key = item.element ? item.element->key : NULL;
    ret_item->key_len = item.element ? item.element->key_len : 0;
    enum flow flow = FLOW_NEXT;
    ret_item->text = NULL;
    if (cursor->keys_only)
        ret_item->len = 0;
    else if ((cursor->var->attrs & VAR_DISCIPLINE) && !cursor->inner)
        flow = get_item(sh, cursor->var, ret_item);
    else
        flow = var_show_value(sh, cursor->var, item.value, &ret_item->text, &ret_item->len);
    if (flow != FLOW_NEXT)
        return false;
    if (!ret_item->text) /* an array without element 0 */
        ret_item->text = "";
    return true;
}

bool var_next(struct shell *sh, struct name *name, struct var_cursor *cursor,
              struct var_item *ret_item)
{
    const struct var_ref ref = { .name = name, .kind = REF_ALL };
    return var_next_in(sh, &ref, cursor, ret_item);
}
