/*
 * Assigning and unsetting: every change of a variable's data goes through here.
 *
 * The order is always the same: find what is meant, check that it may be written, convert the new
 * data by the attributes, save what the journal needs, store. Each step before storing may fail
 * without a trace; storing itself fails only for memory, and then takes the saving back. So a
 * failed assignment changes nothing.
 */
#include <float.h>

#include "shell/base/utf8.h"
#include "shell/state/discipline.h"
#include "shell/state/namespace.h"
#include "shell/state/option.h"
#include "shell/state/scope.h"
#include "shell/state/special.h"
#include "shell/state/type.h"
#include "shell/state/var_plain.h"
#include "shell/state/var_private.h"

/* ---- may it be written ---- */

enum flow var_check_writable(struct shell *sh, const struct var *var, unsigned flags)
{
    if (!var || (flags & ASSIGN_FORCE))
        return FLOW_NEXT;
    for (const struct var *at = var; at; at = at->in ? at->in->of : NULL)
        if ((at->attrs & VAR_READONLY) && (at == var || (at->attrs & VAR_TYPED)))
            return shell_fail(sh, ERROR_ASSIGN, 1, var_label(sh, var), "is read only");
    return FLOW_NEXT;
}

static enum flow check_confined(struct shell *sh, const struct name *name)
{
    if (name->special && (name->special->flags & SPECIAL_CONFINED) &&
        option_on(sh, OPTION_RESTRICTED))
        return shell_fail(sh, ERROR_ASSIGN, 1, name->text, "restricted");
    return FLOW_NEXT;
}

/* Makes PLACE->VAR the variable to write to, by the scope that FLAGS ask for. WRITTEN: the kind of
 * the reference. */
static enum flow choose_scope(struct shell *sh, struct place *place, enum ref_kind written,
                              unsigned flags)
{
    if (!place->entered)
        TRY(check_confined(sh, place->name));
    TRY(var_check_writable(sh, place->var, flags));
    if (place->var && place->entered)
        return FLOW_NEXT; /* members have no scope of their own */
    bool with_value = written != REF_SCALAR || (flags & ASSIGN_APPEND);
    if (flags & ASSIGN_TEMP)
        return scope_temporary(sh, place->name, with_value, &place->var);
    if (place->var && sh->space && space_owns(sh, place->name) && place->var == place->name->cur) {
        TRY(var_check_writable(sh, place->var, flags));
        return scope_global(sh, place->name, &place->var);
    }
    if (!place->var)
        return scope_global(sh, place->name, &place->var);
    return FLOW_NEXT;
}

/* The place to write REF to. What the scope gives may be another kind of array than what was
 * visible. */
static inline enum flow find_for_write(struct shell *sh, const struct var_ref *ref, unsigned flags,
                                       bool whole, struct place *ret)
{
    struct var *local;
    if ((flags & ASSIGN_LOCAL) && var_in_function(sh) && !ref->base && !ref->name->parent)
        TRY(scope_local(sh, ref->name, &local)); /* from here on it is the visible one */
    TRY(whole ? place_find_whole(sh, ref, ret) : place_find(sh, ref, ret));
    if (!ret->var && ret->entered) {
        TRY(place_make(sh, ref, ret));
        if (whole && ret->kind == REF_SCALAR)
            ret->kind = REF_ALL;
    }
    const struct var *before = ret->var;
    TRY(choose_scope(sh, ret, ref->kind, flags));
    if (ret->var == before || !before)
        return FLOW_NEXT;
    struct var_ref again = *ref;
    again.name = ret->name;
    return whole ? place_find_whole(sh, &again, ret) : place_find(sh, &again, ret);
}

enum flow place_for_write(struct shell *sh, const struct var_ref *ref, unsigned flags,
                          struct place *ret)
{
    return find_for_write(sh, ref, flags, false, ret);
}

enum flow place_for_write_whole(struct shell *sh, const struct var_ref *ref, unsigned flags,
                                struct place *ret)
{
    return find_for_write(sh, ref, flags, true, ret);
}

/* ---- storing ---- */

static bool put_draft(struct shell *sh, struct value *value, const struct draft *draft)
{
    if (draft->bits & VALUE_TEXT)
        return value_set_text(sh->heap, value, draft->text, draft->len);
    if (draft->bits & VALUE_INT)
        value_set_int(value, draft->i);
    else if (draft->bits & VALUE_FLOAT)
        value_set_float(value, draft->f);
    else
        value_take_members(value, draft->members);
    return true;
}

/* Stores DRAFT in VALUE, which is unset if its data was SAVED by the journal. APPEND: DRAFT is the
 * text to add. */
static bool store_value(struct shell *sh, struct value *value, const struct value *saved,
                        const struct draft *draft, bool append)
{
    if (!append)
        return put_draft(sh, value, draft);
    if (saved && (saved->bits & (VALUE_TEXT | VALUE_INT)) && !value_copy(sh->heap, value, saved))
        return false;
    if (!(value->bits & (VALUE_TEXT | VALUE_INT)))
        return put_draft(sh, value, draft);
    return value_append_text(sh->heap, value, draft->text, draft->len);
}

static enum flow store_scalar(struct shell *sh, struct var *var, const struct draft *draft,
                              bool append)
{
    struct var_state *saved;
    TRY(var_save(sh, var, &saved));
    if (!store_value(sh, &var->value, saved ? &saved->value : NULL, draft, append)) {
        if (saved)
            var_unsave(sh, var);
        return shell_fail_memory(sh, draft->len + 1);
    }
    return FLOW_NEXT;
}

/* The scalar's text moves if it can: the new data may be a part of it. */
enum flow var_make_indexed(struct shell *sh, struct var *var)
{
    struct array *array = array_new(sh->nodes, sh->heap, false);
    struct value *first = NULL;
    /* members are no element: as in ksh93 they are gone */
    bool dropped = (var->attrs & VAR_COMPOUND) && !(var->attrs & VAR_TYPED);
    bool is_set = value_is_set(&var->value) && !dropped;
    if (array && is_set)
        first = array_put_index(array, 0);
    if (!array || (is_set && !first)) {
        array_free(array);
        return shell_fail_memory(sh, sizeof *array);
    }
    struct var_state *saved;
    enum flow flow = var_save(sh, var, &saved);
    if (flow == FLOW_NEXT && first && !saved) {
        value_move(first, &var->value);
    } else if (flow == FLOW_NEXT && first && !value_copy(sh->heap, first, &saved->value)) {
        var_unsave(sh, var);
        flow = shell_fail_memory(sh, 0);
    }
    if (flow != FLOW_NEXT) {
        array_free(array);
        return flow;
    }
    if (dropped) {
        value_clear(&var->value);
        var->attrs &= ~(uint32_t)VAR_COMPOUND;
    }
    var->array = array;
    var->attrs |= VAR_INDEXED;
    return FLOW_NEXT;
}

struct value *place_put(const struct place *place, struct element **ret_element)
{
    struct array *array = place->var->array;
    *ret_element = NULL;
    if (!array->assoc)
        return array_put_index(array, place->index);
    *ret_element = array_put_key(array, place->key, place->key_len);
    return *ret_element ? &(*ret_element)->value : NULL;
}

static void drop_place(const struct place *place, struct element *element)
{
    if (element)
        array_remove_element(place->var->array, element);
    else
        array_remove_index(place->var->array, place->index);
}

void place_unput(const struct place *place, struct element *element, uint64_t stamp)
{
    place->var->array->count--;
    if (stamp == 0) /* else it was there before, buried */
        drop_place(place, element);
}

static enum flow store_element(struct shell *sh, const struct place *place,
                               const struct draft *draft, bool append)
{
    /* Short text may sit in a cell of this very array, which making the element can move. */
    struct draft copy = *draft;
    char small[VALUE_INLINE + 1];
    if ((copy.bits & VALUE_TEXT) && copy.len <= VALUE_INLINE) {
        memcpy(small, copy.text, copy.len);
        copy.text = small;
    }
    struct element *element;
    struct value *value = place_put(place, &element);
    if (!value)
        return shell_fail_memory(sh, place->key_len + sizeof *element);
    bool was_set = value_is_set(value), saved;
    uint64_t stamp = value_stamp(value);
    enum flow flow = var_save_element(sh, place, element, value, was_set, &saved);
    if (flow == FLOW_NEXT) {
        struct frame *target = frame_target(sh, TARGET_GLOBAL);
        struct undo_element *undo = saved ? undo_newest(target) : NULL;
        if (store_value(sh, value, undo ? &undo->value : NULL, &copy, append))
            return FLOW_NEXT;
        if (undo) {
            if (was_set)
                value_move(value, &undo->value);
            value_set_stamp(value, stamp);
            undo->var->refs--;
            undo_drop(sh, target);
        }
        flow = shell_fail_memory(sh, draft->len + 1);
    }
    if (!was_set)
        place_unput(place, element, stamp);
    return flow;
}

enum flow var_mark_set(struct shell *sh, struct var *var)
{
    uint32_t attrs = var->attrs & ~(uint32_t)VAR_NOTHING;
    if (option_on(sh, OPTION_ALLEXPORT))
        attrs |= VAR_EXPORT;
    if (__builtin_expect(attrs == var->attrs, 1))
        return FLOW_NEXT;
    return var_set_flags(sh, var, attrs);
}

/* After data was stored: flags that go with having a value, and those who want to know. */
static enum flow finish(struct shell *sh, struct var *var, const struct draft *draft)
{
    TRY(var_mark_set(sh, var));
    if ((var->attrs & VAR_JUSTIFY) && var->width <= 0 && (draft->bits & VALUE_TEXT)) {
        size_t width = utf8_columns(draft->text, draft->len);
        var->width = (int16_t)(width < INT16_MAX ? width : INT16_MAX);
    }
    return var_notify(sh, var);
}

/* A locale that there is not leaves LC_ALL and its kin as they were, as in ksh93. */
static bool is_refused(struct shell *sh, const struct place *place, const struct draft *draft)
{
    const struct var *var = place->var;
    return (var->attrs & VAR_SPECIAL) && (var->name->special->flags & SPECIAL_CHECKED) &&
           (draft->bits & VALUE_TEXT) &&
           !special_locale_known(sh, var->name, draft->text, draft->len);
}

enum flow place_store(struct shell *sh, struct place *place, const struct draft *draft,
                      unsigned flags)
{
    struct var *var = place->var;
    bool is_compound = (draft->bits & VALUE_COMPOUND) != 0;
    bool append = (flags & ASSIGN_APPEND) && (draft->bits & VALUE_TEXT) &&
                  !(var->attrs & (VAR_JUSTIFY | VAR_BINARY));
    const struct value *there = place_stored(place);
    if (__builtin_expect(is_refused(sh, place, draft), 0))
        return FLOW_NEXT;
    if (there && (there->bits & VALUE_ARRAY) &&
        !is_compound) /* m[1]=x of an array in the array is its element 0 */
        place_add_zero(place, there->array->assoc);
    if (place->kind == REF_INDEX && !(var->attrs & VAR_ARRAY)) {
        TRY(special_save(sh, place->name));
        TRY(var_make_indexed(sh, var));
    }
    if (var->attrs & VAR_ARRAY) /* its state is not saved as a whole */
        TRY(var_mark_set(sh, var));
    if (place->step_count > 0) {
        TRY(inner_store(sh, place, draft, append));
    } else if (var->attrs & VAR_ARRAY) {
        TRY(store_element(sh, place, draft, append));
    } else {
        if (var->attrs & VAR_SPECIAL)
            TRY(special_save(sh, place->name));
        TRY(store_scalar(sh, var, draft, append));
        if ((var->attrs & VAR_SPECIAL) && (var->name->special->flags & SPECIAL_YIELDS))
            var->attrs &= ~(uint32_t)VAR_SPECIAL;
        if (is_compound)
            var->attrs |= VAR_COMPOUND;
        else if (__builtin_expect(var->attrs & VAR_COMPOUND, 0))
            var->attrs &= ~(uint32_t)VAR_COMPOUND;
    }
    return finish(sh, var, draft);
}

/* What += adds to; numbers need it for converting. NULL when not appending. */
static const struct value *old_value(const struct place *place, unsigned flags)
{
    if (!(flags & ASSIGN_APPEND))
        return NULL;
    const struct value *value = place_value(place);
    return value && value_is_set(value) ? value : NULL;
}

/* ---- assigning through references that are references no more ---- */

enum flow var_set_reference(struct shell *sh, struct name *name, const char *text, size_t len)
{
    struct var_change change = { .set = VAR_NAMEREF, .base = -1, .width = -1 };
    const char *bracket = memchr(text, '[', len);
    size_t name_len = bracket ? (size_t)(bracket - text) : len;
    if (!text_is_dotted_name(text, name_len) || (bracket && !memchr(bracket, ']', len - name_len)))
        return shell_fail(sh, ERROR_ASSIGN, 1, name->text, "invalid variable name");
    change.nameref_target = name_intern(sh, text, name_len);
    if (!change.nameref_target)
        return shell_fail_memory(sh, name_len);
    if (bracket) {
        change.nameref_rest = scratch_dup(sh, bracket, len - name_len);
        if (!change.nameref_rest)
            return shell_fail_memory(sh, len);
    }
    return var_declare(sh, name, &change);
}

static enum flow set_all_refused(struct shell *sh, const struct place *place)
{
    return shell_fail(sh, ERROR_ASSIGN, 1, place->name->text, "invalid subscript in assignment");
}

/* Lets x.set or x.append say what is to be stored: *RET_STORE false: nothing. PLACE is found again,
 * since the discipline may have done anything. */
static enum flow set_disciplined(struct shell *sh, const struct var_ref *ref, unsigned flags,
                                 struct place *place, const char **text, size_t *len,
                                 bool *ret_store)
{
    enum discipline kind = flags & ASSIGN_APPEND ? DISCIPLINE_APPEND : DISCIPLINE_SET;
    const char *said;
    size_t said_len;
    bool called;
    TRY(discipline_call(sh, place, kind, *text, *len, &called, &said, &said_len));
    *ret_store = true;
    if (!called)
        return FLOW_NEXT;
    *ret_store = said != NULL;
    *text = said;
    *len = said_len;
    return said ? place_for_write(sh, ref, flags, place) : FLOW_NEXT;
}

/* The text of a compound value, as print -v gives it, is assigned to an instance of a type. */
static enum flow set_from_text(struct shell *sh, const struct place *place, const char *text,
                               size_t len)
{
    struct str command;
    str_init(&command, sh->scratch);
    place_append_path(place, true, &command);
    str_putc(&command, '=');
    str_append(&command, text, len);
    if (!str_ok(&command))
        return shell_fail_memory(sh, len);
    return sh->hooks.run_text(sh, "typeset", str_text(&command), command.len);
}

/* The value of a compound variable may be the name of another, which is copied. */
static enum flow set_from_compound(struct shell *sh, const struct var_ref *ref,
                                   const struct place *place, const char *text, size_t len,
                                   unsigned flags, bool *ret_done)
{
    struct var_ref from;
    struct members *m = NULL;
    struct members *own = place_members(place);
    *ret_done = false;
    if (sh->hooks.find_ref)
        TRY(sh->hooks.find_ref(sh, text, len, &from, ret_done));
    if (*ret_done)
        TRY(var_find_members(sh, &from, &m));
    *ret_done = m != NULL;
    if (flags & ASSIGN_APPEND || !sh->hooks.find_ref) {
        if (own && own->type)
            *ret_done = !own->self; /* as other text below */
        else if (own && m && m != own)
            return members_append(sh, own, m);
        return FLOW_NEXT;
    }
    if (!m && len > 1 && text[0] == '(' && text[len - 1] == ')' &&
        (place->var->attrs & VAR_TYPED)) {
        *ret_done = true;
        return set_from_text(sh, place, text, len);
    }
    if (!m && own && own->type && !own->self)
        *ret_done = true; /* other text changes nothing, as in ksh93 */
    if (!m || m == own)
        return FLOW_NEXT;
    if ((place->var->attrs & VAR_TYPED) && m->type != place->var->type)
        return shell_fail(sh, ERROR_ASSIGN, 1, text, "is no %s", place->var->type->name);
    return var_copy_compound(sh, ref, m, flags);
}

/* An element of a plain array: looked up once. *RET_DONE: it was one. */
static inline enum flow set_plain_element(struct shell *sh, const struct var_ref *ref,
                                          const char *text, size_t len, unsigned flags,
                                          bool *ret_done)
{
    *ret_done = false;
    if ((ref->kind != REF_KEY && ref->kind != REF_INDEX) || ref->base || ref->step_count ||
        (flags & ~(unsigned)ASSIGN_APPEND) || sh->debug_no_fastpath)
        return FLOW_NEXT;
    struct var *var = var_plain(sh, ref->name, VAR_ARRAY);
    if (!var)
        return FLOW_NEXT;
    if (ref->kind == REF_KEY && (var->attrs & VAR_ASSOC))
        return var_plain_set_key(sh, var, ref->key, ref->key_len, text, len, flags, ret_done);
    bool indexed = (var->attrs & (VAR_INDEXED | VAR_TYPED_INDEX)) == VAR_INDEXED;
    if (ref->kind == REF_INDEX && indexed && ref->index >= 0 && ref->index < INT64_MAX)
        return var_plain_set_index(sh, var, ref->index, text, len, flags, ret_done);
    return FLOW_NEXT;
}

/* TEXT, about to be assigned to an instance of a type: that of another instance is copied without a
 * word to the discipline set, and an element that is to have a value is made an instance first. */
static enum flow set_instance(struct shell *sh, const struct var_ref *ref, struct place *place,
                              const char *text, size_t len, unsigned flags, bool *ret_done)
{
    const struct type *type = place->var->type;
    const struct members *own = place_members(place);
    struct members *m = NULL;
    struct var_ref from;
    bool found = false;
    *ret_done = false;
    if (!type || !type->prototype || !type->prototype->self)
        return FLOW_NEXT;
    if (sh->hooks.find_ref && !(flags & ASSIGN_APPEND))
        TRY(sh->hooks.find_ref(sh, text, len, &from, &found));
    if (found)
        TRY(var_find_members(sh, &from, &m));
    if (m && m->type == type) {
        *ret_done = true;
        return m == own ? FLOW_NEXT : var_copy_compound(sh, ref, m, flags);
    }
    if (own || (place->kind != REF_INDEX && place->kind != REF_KEY))
        return FLOW_NEXT;
    TRY(place_make_members(sh, place));
    return place_for_write(sh, ref, flags, place);
}

enum flow var_set(struct shell *sh, const struct var_ref *ref, const char *text, size_t len,
                  unsigned flags)
{
    struct place place;
    struct draft draft;
    bool is_done;
    TRY(set_plain_element(sh, ref, text, len, flags, &is_done));
    if (is_done)
        return FLOW_NEXT;
    TRY(place_for_write(sh, ref, flags, &place));
    if (place_is_all(&place))
        return set_all_refused(sh, &place);
    if (place.var->attrs & VAR_NAMEREF)
        return var_set_reference(sh, place.var->name, text, len); /* `typeset -n r; r=x` */
    if (place.var->attrs & VAR_TYPED) {
        TRY(set_instance(sh, ref, &place, text, len, flags, &is_done));
        if (is_done)
            return FLOW_NEXT;
    }
    if (place.var->attrs & VAR_DISCIPLINE) {
        bool is_stored;
        TRY(set_disciplined(sh, ref, flags, &place, &text, &len, &is_stored));
        if (!is_stored)
            return FLOW_NEXT;
    }
    if (place.var->attrs & (VAR_COMPOUND | VAR_TYPED)) {
        TRY(set_from_compound(sh, ref, &place, text, len, flags, &is_done));
        if (is_done)
            return FLOW_NEXT;
        place_to_self(&place);
    }
    TRY(attr_convert_text(sh, place.var, old_value(&place, flags), text, len, &draft));
    return place_store(sh, &place, &draft, flags);
}

enum flow var_set_name(struct shell *sh, struct name *name, const char *text, size_t len,
                       unsigned flags)
{
    struct var *var = flags & ~(unsigned)ASSIGN_APPEND ? NULL : var_plain(sh, name, 0);
    if (var)
        return var_plain_set(sh, var, text, len, flags);
    struct var_ref ref = var_ref_name(name);
    return var_set(sh, &ref, text, len, flags);
}

/* Disciplines see texts. */
static enum flow set_num_as_text(struct shell *sh, const struct var_ref *ref, struct num n,
                                 unsigned flags)
{
    struct str s;
    str_init(&s, sh->scratch);
    if (n.is_float)
        num_format_float(&s, n.f, LDBL_DIG);
    else
        str_append_int(&s, n.i);
    if (!str_ok(&s))
        return shell_fail_memory(sh, 0);
    return var_set(sh, ref, str_text(&s), s.len, flags);
}

enum flow var_set_num(struct shell *sh, const struct var_ref *ref, struct num n, unsigned flags)
{
    struct var *var = ref->base ? NULL : var_plain(sh, ref->name, VAR_INTEGER);
    if (var && flags == 0 && ref->kind == REF_SCALAR && !n.is_float &&
        (var->value.bits & VALUE_INT)) {
        var->value.i = attr_wrap(var->attrs, n.i);
        return FLOW_NEXT;
    }
    struct place place;
    struct draft draft;
    char digits[24];
    bool is_done = false;
    if (ref->kind != REF_SCALAR && !n.is_float)
        TRY(set_plain_element(sh, ref, digits, num_format_int(n.i, digits), flags, &is_done));
    if (is_done)
        return FLOW_NEXT;
    TRY(place_for_write(sh, ref, flags, &place));
    if (place_is_all(&place))
        return set_all_refused(sh, &place);
    if (place.var->attrs & VAR_NAMEREF)
        return shell_fail(sh, ERROR_ASSIGN, 1, place.var->name->text, "no reference name");
    if (place.var->attrs & VAR_DISCIPLINE)
        return set_num_as_text(sh, ref, n, flags);
    if (place.var->attrs & (VAR_COMPOUND | VAR_TYPED))
        place_to_self(&place);
    TRY(attr_convert_num(sh, place.var, old_value(&place, flags), n, &draft));
    return place_store(sh, &place, &draft, flags);
}

enum flow var_set_text(struct shell *sh, const char *name, const char *text)
{
    struct name *found = name_intern(sh, name, strlen(name));
    if (!found)
        return shell_fail_memory(sh, strlen(name));
    return var_set_name(sh, found, text, strlen(text), ASSIGN_FORCE);
}

enum flow var_set_int(struct shell *sh, const char *name, int64_t n)
{
    struct name *found = name_intern(sh, name, strlen(name));
    if (!found)
        return shell_fail_memory(sh, strlen(name));
    struct var_ref ref = var_ref_name(found);
    return var_set_num(sh, &ref, num_int(n), ASSIGN_FORCE);
}

/* ---- unsetting ---- */

/* Takes everything from VAR: value, elements, attributes. */
static enum flow unset_whole(struct shell *sh, struct var *var)
{
    uint32_t attrs = var->attrs;
    if (!var_has_value(var) && !(attrs & ~(uint32_t)VAR_SPECIAL))
        return FLOW_NEXT;
    if (attrs & VAR_SPECIAL)
        TRY(special_save(sh, var->name));
    if (attrs & VAR_DISCIPLINE)
        TRY(discipline_detach(sh, var));
    struct var_state *saved;
    TRY(var_save(sh, var, &saved));
    var_state_clear(sh, &var->state);
    var->state = (struct var_state){ .width = -1 };
    if (attrs & VAR_EXPORT)
        sh->export_epoch++;
    if (var->in && var->in->type && !var->in->open)
        return member_reset(sh, var);
    if (var->in)
        member_unset(sh, var);
    if (!(attrs & VAR_SPECIAL))
        return FLOW_NEXT;
    const struct special *special = var->name->special;
    if (!(special->flags & SPECIAL_LOSABLE))
        var->attrs = VAR_SPECIAL;
    return special->changed ? special->changed(sh, var->name, NULL, 0) : FLOW_NEXT;
}

static enum flow unset_element(struct shell *sh, const struct place *place)
{
    struct value *value = place_stored(place);
    if (!value || !value_is_set(value))
        return FLOW_NEXT;
    struct element *element = NULL;
    if (place->kind == REF_KEY)
        element = array_find_key(place->var->array, place->key, place->key_len);
    const struct frame *target = frame_target(sh, TARGET_GLOBAL);
    bool saved;
    TRY(var_save_element(sh, place, element, value, true, &saved));
    if (place->var->attrs & VAR_EXPORT)
        sh->export_epoch++;
    if (!frame_should_record(target, place->var->stamp)) {
        drop_place(place, element);
        return FLOW_NEXT;
    }
    if (element) /* a record refers to it, made just now or before */
        array_bury_element(place->var->array, element);
    else
        array_bury_index(place->var->array, place->index);
    return FLOW_NEXT;
}

/* All elements, but the variable stays the array that it is. */
static enum flow unset_elements(struct shell *sh, struct var *var)
{
    struct array *array = array_new(sh->nodes, sh->heap, (var->attrs & VAR_ASSOC) != 0);
    if (!array)
        return shell_fail_memory(sh, sizeof *array);
    TRY(var_replace_array(sh, var, array));
    return var_notify(sh, var);
}

/* Calls x.unset; PLACE is found again afterwards. */
static enum flow unset_disciplined(struct shell *sh, const struct var_ref *ref, struct place *place)
{
    const char *text;
    size_t len;
    bool called;
    if (ref->kind == REF_SCALAR)
        place->kind = REF_SCALAR; /* all of an array, not its element 0 */
    TRY(discipline_call(sh, place, DISCIPLINE_UNSET, NULL, 0, &called, &text, &len));
    return place_find(sh, ref, place);
}

/* .sh.math and .sh.stats: they cannot be assigned, as silence would mislead, but be given up. */
static bool is_losable(const struct var *var)
{
    return (var->attrs & VAR_SPECIAL) && (var->name->special->flags & SPECIAL_LOSABLE) &&
           (var->name->special->flags & SPECIAL_READONLY);
}

enum flow var_unset(struct shell *sh, const struct var_ref *ref, bool no_nameref)
{
    struct place place;
    if (no_nameref && ref->name->cur && (ref->name->cur->attrs & VAR_NAMEREF) && !ref->base)
        return unset_whole(sh, ref->name->cur);
    TRY(place_find(sh, ref, &place));
    if (!place.var && place.entered && !place.parent)
        return shell_fail(sh, ERROR_BUILTIN, 1, ref->name->text, "no parent");
    TRY(check_confined(sh, place.var ? place.name : ref->name));
    if (!place.var)
        return FLOW_NEXT;
    if (!is_losable(place.var))
        TRY(var_check_writable(sh, place.var, 0));
    if (place.var->attrs & VAR_DISCIPLINE) {
        TRY(unset_disciplined(sh, ref, &place));
        if (!place.var)
            return FLOW_NEXT;
    }
    if (place.step_count > 0) {
        TRY(inner_unset(sh, &place));
        return var_notify(sh, place.var);
    }
    struct var_ref all = *ref;
    struct var *var;
    TRY(var_resolve(sh, &all, &var)); /* through references: an element only if one says so */
    bool whole = all.kind == REF_SCALAR;
    if (whole || (!(place.var->attrs & VAR_ARRAY) && (place.kind == REF_ALL || place.index == 0)))
        return unset_whole(sh, place.var);
    if (place.kind == REF_ALL)
        return unset_elements(sh, place.var);
    return place.var->attrs & VAR_ARRAY ? unset_element(sh, &place) : FLOW_NEXT;
}

/* ---- whole arrays ---- */

enum flow var_become_scalar(struct shell *sh, struct var *var)
{
    struct var_state *saved;
    TRY(var_save(sh, var, &saved));
    array_free(var->array);
    var->array = NULL;
    var->attrs &= ~(uint32_t)(VAR_ARRAY | VAR_TYPED_INDEX);
    return FLOW_NEXT;
}

static enum flow begin_append(struct shell *sh, struct var *var, bool assoc)
{
    if (!(var->attrs & VAR_ARRAY)) {
        if (assoc) {
            struct var_change change = { .set = VAR_ASSOC, .base = -1, .width = -1 };
            const struct var_ref ref = { .base = var->in, .name = var->name };
            return var_declare_ref(sh, &ref, &change);
        }
        TRY(var_make_indexed(sh, var));
    }
    return FLOW_NEXT;
}

/* A new array is not exported: element 0 alone would be of no use to anyone. */
static enum flow begin_fresh(struct shell *sh, struct var *var, bool assoc, unsigned flags)
{
    struct array *array = array_new(sh->nodes, sh->heap, assoc);
    if (!array)
        return shell_fail_memory(sh, sizeof *array);
    struct var_state *saved;
    enum flow flow = var_save(sh, var, &saved);
    if (flow != FLOW_NEXT) {
        array_free(array);
        return flow;
    }
    if (!saved && (var->value.bits & VALUE_COMPOUND))
        var->attrs &= ~(uint32_t)VAR_COMPOUND;
    else if (saved && (saved->value.bits & VALUE_COMPOUND))
        var->attrs &= ~(uint32_t)VAR_COMPOUND;
    const struct array *old = saved ? saved->array : var->array;
    array->limit = old && !assoc ? old->limit : 0;
    value_clear(&var->value);
    array_free(var->array);
    var->array = array;
    var->attrs &= ~(uint32_t)VAR_ARRAY;
    var->attrs |= assoc ? VAR_ASSOC : VAR_INDEXED;
    if (var->attrs & VAR_EXPORT && !assoc && !(flags & ASSIGN_KEEP_EXPORT)) {
        var->attrs &= ~(uint32_t)VAR_EXPORT;
        sh->export_epoch++;
    }
    return FLOW_NEXT;
}

enum flow var_begin_whole(struct shell *sh, struct var *var, unsigned shape, unsigned flags,
                          int64_t *ret_next_index)
{
    if (var->attrs & VAR_NAMEREF) { /* it refers to nothing: it becomes the array itself */
        struct var_change change = { .clear = VAR_NAMEREF, .base = -1, .width = -1 };
        const struct var_ref ref = { .base = var->in, .name = var->name };
        TRY(var_declare_ref(sh, &ref, &change));
    }
    if (var->attrs & VAR_SPECIAL)
        TRY(special_save(sh, var->name));
    bool assoc = shape ? (shape & VAR_ASSOC) != 0 : (var->attrs & VAR_ASSOC) != 0;
    if (var->attrs & VAR_TYPED_INDEX)
        assoc = false;
    TRY(flags & ASSIGN_APPEND ? begin_append(sh, var, assoc) : begin_fresh(sh, var, assoc, flags));
    TRY(var_mark_set(sh, var));
    *ret_next_index = var->attrs & VAR_INDEXED ? var->array->top : 0;
    return var_notify(sh, var);
}

enum flow var_begin_array(struct shell *sh, struct name *name, unsigned shape, unsigned flags,
                          int64_t *ret_next_index)
{
    const struct var_ref ref = var_ref_name(name);
    return var_begin_array_in(sh, &ref, shape, flags, ret_next_index);
}
