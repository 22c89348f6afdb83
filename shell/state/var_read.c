/*
 * Reading variables: as text, as numbers, by iteration.
 *
 * The short paths at the top of var_get_name and var_get_num serve plain variables and allocate nothing; all else
 * goes through place_find. Must not change anything (special getters make their text in scratch).
 */
#include "shell/state/option.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* The text of a whole scalar variable or element. */
static enum flow get_place(struct shell *sh, const struct place *place, const char **ret_text, size_t *ret_len)
{
    const struct var *var = place->var;
    if (var && (var->attrs & VAR_NAMEREF))
        return shell_fail(sh, ERROR_EXPANSION, 1, var->name->text, "no reference name");
    if (var && (var->attrs & VAR_SPECIAL) && var->name->special->get && place->kind == REF_SCALAR)
        return var->name->special->get(sh, place->name, ret_text, ret_len);
    return attr_show(sh, var, place_value(place), ret_text, ret_len);
}

/* a[@] as one text: the elements joined by blanks; callers who want fields iterate. */
static enum flow get_all(struct shell *sh, const struct place *place, const char **ret_text, size_t *ret_len)
{
    if (!place->var || !place->var->array)
        return attr_show(sh, place->var, place->var ? &place->var->value : NULL, ret_text, ret_len);
    struct str s;
    str_init(&s, sh->scratch);
    struct array_item item;
    size_t position = 0;
    bool any = false;
    while (array_next(place->var->array, &position, &item)) {
        const char *text;
        size_t len;
        TRY(attr_show(sh, place->var, item.value, &text, &len));
        if (any)
            str_putc(&s, ' ');
        str_append(&s, text, len);
        any = true;
    }
    if (!str_ok(&s))
        return shell_fail_memory(sh, 0);
    *ret_text = any ? str_text(&s) : NULL;
    *ret_len = s.len;
    return FLOW_NEXT;
}

enum flow var_get(struct shell *sh, const struct var_ref *ref, const char **ret_text, size_t *ret_len)
{
    struct place place;
    TRY(place_find(sh, ref, &place));
    if (place.kind == REF_ALL)
        return get_all(sh, &place, ret_text, ret_len);
    return get_place(sh, &place, ret_text, ret_len);
}

enum flow var_get_name(struct shell *sh, struct name *name, const char **ret_text, size_t *ret_len)
{
    const struct var *var = name->cur;
    if (!var) {
        *ret_text = NULL;
        *ret_len = 0;
        return FLOW_NEXT;
    }
    if (!(var->attrs & VAR_COMPLEX_READ)) {
        if (var->value.bits & VALUE_TEXT) {
            *ret_text = value_text(&var->value, ret_len);
            return FLOW_NEXT;
        }
        return attr_show(sh, var, &var->value, ret_text, ret_len);
    }
    struct var_ref ref = var_ref_name(name);
    return var_get(sh, &ref, ret_text, ret_len);
}

/* ---- numbers ---- */

static enum flow text_num(struct shell *sh, const struct name *name, const char *text, size_t len, struct num *ret)
{
    if (text)
        return attr_parse_num(sh, text, len, ret);
    if (option_on(sh, OPTION_NOUNSET))
        return shell_fail(sh, ERROR_EXPANSION, 1, name->text, "parameter not set");
    *ret = num_int(0);
    return FLOW_NEXT;
}

enum flow var_get_num(struct shell *sh, const struct var_ref *ref, struct num *ret)
{
    const struct var *var = ref->name->cur;
    struct place place = {.name = ref->name};
    const struct value *value = NULL;
    if (ref->kind == REF_SCALAR && (!var || !(var->attrs & VAR_COMPLEX_READ))) {
        value = var ? &var->value : NULL;
    } else {
        TRY(place_find(sh, ref, &place));
        if (place.kind != REF_ALL && !(place.var && (place.var->attrs & VAR_SPECIAL)))
            value = place_value(&place);
    }
    if (value && (value->bits & VALUE_INT)) {
        *ret = num_int(value->i);
        return FLOW_NEXT;
    }
    if (value && (value->bits & VALUE_FLOAT)) {
        *ret = num_float(value_float(value));
        return FLOW_NEXT;
    }
    const char *text = NULL;
    size_t len = 0;
    if (value && value_is_set(value))
        text = value_text(value, &len);
    else if (place.var)
        TRY(place.kind == REF_ALL ? get_all(sh, &place, &text, &len) : get_place(sh, &place, &text, &len));
    return text_num(sh, place.name, text, len, ret);
}

/* ---- for the shell itself ---- */

const char *var_text(struct shell *sh, const char *name)
{
    struct name *found = name_find(sh, name, strlen(name));
    const char *text = NULL;
    size_t len;
    if (!found || !found->cur)
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
    if (place.kind == REF_ALL)
        return var_has_value(place.var);
    if ((place.var->attrs & VAR_SPECIAL) && place.var->name->special->get && place.kind == REF_SCALAR) {
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

/* NAME's variable after references; NULL: none, or it means an element. */
static struct var *whole_var(struct shell *sh, struct name *name)
{
    struct var_ref ref = {.name = name, .kind = REF_ALL};
    struct place place;
    if (place_find(sh, &ref, &place) != FLOW_NEXT) {
        sh->err.kind = ERROR_NONE;
        return NULL;
    }
    return place.var && !(place.var->attrs & VAR_NAMEREF) ? place.var : NULL;
}

size_t var_count(struct shell *sh, struct name *name)
{
    const struct var *var = whole_var(sh, name);
    if (!var)
        return 0;
    return var->attrs & VAR_ARRAY ? var->array->count : var_has_value(var);
}

int64_t var_next_index(struct shell *sh, struct name *name)
{
    const struct var *var = whole_var(sh, name);
    if (!var)
        return 0;
    if (var->attrs & VAR_INDEXED)
        return var->array->top;
    return var->attrs & VAR_ASSOC ? 0 : var_has_value(var);
}

static bool next_scalar(struct shell *sh, struct var_cursor *cursor, struct var_item *ret)
{
    struct place place = {.name = cursor->var->name, .var = cursor->var, .kind = REF_SCALAR};
    *ret = (struct var_item){0};
    return cursor->position++ == 0 && get_place(sh, &place, &ret->text, &ret->len) == FLOW_NEXT && ret->text;
}

bool var_next(struct shell *sh, struct name *name, struct var_cursor *cursor, struct var_item *ret_item)
{
    if (!cursor->started) {
        cursor->started = true;
        cursor->var = whole_var(sh, name);
        cursor->array = cursor->var ? cursor->var->array : NULL;
        cursor->version = cursor->array ? cursor->array->version : 0;
    }
    if (!cursor->var)
        return false;
    if (!cursor->array)
        return !cursor->var->array && next_scalar(sh, cursor, ret_item);
    if (cursor->var->array != cursor->array || cursor->array->version != cursor->version)
        return false;
    struct array_item item;
    if (!array_next(cursor->array, &cursor->position, &item))
        return false;
    ret_item->index = item.index;
    ret_item->key = item.element ? item.element->key : NULL;
    ret_item->key_len = item.element ? item.element->key_len : 0;
    return attr_show(sh, cursor->var, item.value, &ret_item->text, &ret_item->len) == FLOW_NEXT;
}
