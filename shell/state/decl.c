/*
 * typeset: declaring variables, changing attributes, name references.
 *
 * A change of attributes builds the new state beside the old one, converting every value, and swaps
 * them at the end; so it works whole or not at all, and the journal gets the old state moved.
 * Changes that touch no data skip that.
 */
#include "shell/base/utf8.h"
#include "shell/state/namespace.h"
#include "shell/state/option.h"
#include "shell/state/scope.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

enum {
    SIZE_ATTRS = VAR_SHORT | VAR_LONG | VAR_UNSIGNED,
    CASE_ATTRS = VAR_LOWER | VAR_UPPER,
    /* a change of one of these converts the data */
    DATA_ATTRS = VAR_NUMERIC | SIZE_ATTRS | CASE_ATTRS | VAR_JUSTIFY | VAR_ENUM | VAR_TYPED_INDEX |
                 VAR_BINARY,
    /* what may be done to a read-only variable */
    HARMLESS_ATTRS = VAR_READONLY | VAR_EXPORT | VAR_TAG,
};

bool var_in_function(const struct shell *sh)
{
    return sh->frame->func != NULL;
}

/* ---- the new attributes ---- */

/* -l and -u mean a size beside a numeric attribute, else a case. */
static uint32_t normal_set(uint32_t set)
{
    if ((set & VAR_NUMERIC) && (set & VAR_LOWER))
        set = (set & ~(uint32_t)VAR_LOWER) | VAR_LONG;
    if (set & VAR_FLOATING)
        set &= ~(uint32_t)(VAR_UPPER | VAR_UNSIGNED); /* -u says nothing about them */
    if ((set & VAR_INTEGER) && (set & VAR_UPPER))
        set = (set & ~(uint32_t)VAR_UPPER) | VAR_UNSIGNED;
    if (!(set & VAR_INTEGER) || (set & VAR_LONG)) /* there is no short float nor a short text */
        set &= ~(uint32_t)VAR_SHORT;
    if ((set & VAR_ZERO) && !(set & VAR_LEFT))
        set |= VAR_RIGHT;
    return set;
}

/* Attributes of the same group exclude each other: the new one wins. */
static uint32_t merge_attrs(uint32_t old, uint32_t set, uint32_t clear)
{
    uint32_t drop = clear;
    if (clear & VAR_NUMERIC)
        drop |= SIZE_ATTRS;
    if (clear & (VAR_RIGHT | VAR_ZERO))
        drop |= VAR_RIGHT | VAR_ZERO;
    if (set & (VAR_NUMERIC | VAR_ENUM))
        drop |= VAR_NUMERIC | SIZE_ATTRS | CASE_ATTRS | VAR_JUSTIFY | VAR_ENUM;
    if (set & (CASE_ATTRS | VAR_JUSTIFY | VAR_BINARY))
        drop |= VAR_NUMERIC | SIZE_ATTRS | VAR_ENUM;
    if (set & CASE_ATTRS)
        drop |= CASE_ATTRS;
    if (set & VAR_JUSTIFY)
        drop |= VAR_JUSTIFY;
    if (set & VAR_ASSOC)
        drop |= VAR_INDEXED | VAR_TYPED_INDEX;
    return (old & ~drop) | set;
}

/* Base and width of NEXT, whose attributes are merged, from CHANGE. */
static void merge_numbers(struct var_state *next, uint32_t set, const struct var_change *change)
{
    if (set & VAR_INTEGER)
        next->base = (int16_t)(change->base >= 2 && change->base <= 64 ? change->base : 0);
    if (set & (VAR_FLOATING | VAR_JUSTIFY)) {
        int width = change->width < 0 && (set & VAR_JUSTIFY) ? 0 : change->width;
        next->width = (int16_t)(width < INT16_MAX ? width : INT16_MAX);
    }
    if (!(next->attrs & VAR_INTEGER))
        next->base = 0;
    if (!(next->attrs & (VAR_FLOATING | VAR_JUSTIFY)))
        next->width = -1;
}

static enum flow check_change(struct shell *sh, const struct var *var, uint32_t set,
                              const struct var_change *change)
{
    const char *name = var_label(sh, var);
    const struct special *special = var->name->special;
    if (special && (special->flags & SPECIAL_CONFINED) && option_on(sh, OPTION_RESTRICTED) &&
        ((set & ~var->attrs) || (change->clear & var->attrs)))
        return shell_fail(sh, ERROR_ASSIGN, 1, name, "restricted");
    if (var->attrs & VAR_READONLY) {
        bool harmless = (set & ~(uint32_t)HARMLESS_ATTRS & ~var->attrs) == 0 &&
                        !(change->clear & VAR_READONLY) &&
                        (change->clear & ~(uint32_t)HARMLESS_ATTRS & var->attrs) == 0;
        if (!harmless)
            return shell_fail(sh, ERROR_ASSIGN, 1, name, "is read only");
    }
    if ((set & VAR_INDEXED) && (var->attrs & VAR_ASSOC))
        return shell_fail(sh, ERROR_ASSIGN, 1, name,
                          "cannot change associative array %s to indexed array", name);
    if (change->clear & VAR_ARRAY & var->attrs)
        return shell_fail(sh, ERROR_ASSIGN, 1, name, "cannot unset attribute A or a");
    return FLOW_NEXT;
}

/* ---- the new data ---- */

/* FROM, shown by OLD's attributes, as NEXT's attributes want it, into TO (unset, or FROM itself).
 */
static enum flow convert_array(struct shell *sh, const struct var *old, const struct var *next,
                               struct array *array);

static enum flow convert_value(struct shell *sh, const struct var *old, const struct var *next,
                               const struct value *from, struct value *to)
{
    struct draft draft;
    if (from->bits & VALUE_COMPOUND)
        return shell_fail(sh, ERROR_ASSIGN, 1, old->name->text, "is compound");
    if (from->bits & VALUE_ARRAY) /* only elements, which are converted in place */
        return convert_array(sh, old, next, to->array);
    bool number = (from->bits & (VALUE_INT | VALUE_FLOAT)) != 0;
    if (number && (next->attrs & VAR_NUMERIC)) {
        struct num n = from->bits & VALUE_INT ? num_int(from->i) : num_float(value_float(from));
        TRY(attr_convert_num(sh, next, NULL, n, &draft));
    } else {
        const char *text;
        size_t len;
        TRY(attr_show(sh, old, from, &text, &len));
        TRY(attr_convert_text(sh, next, NULL, text, len, &draft));
    }
    if (draft.bits & VALUE_INT)
        value_set_int(to, draft.i);
    else if (draft.bits & VALUE_FLOAT)
        value_set_float(to, draft.f);
    else if (!value_set_text(sh->heap, to, draft.text, draft.len))
        return shell_fail_memory(sh, draft.len);
    return FLOW_NEXT;
}

static enum flow convert_array(struct shell *sh, const struct var *old, const struct var *next,
                               struct array *array)
{
    struct array_item item;
    size_t position = 0;
    while (array_next(array, &position, &item))
        TRY(convert_value(sh, old, next, item.value, item.value));
    return FLOW_NEXT;
}

/* -L, -R and -Z without a width: that of the first value, shown by OLD. */
static enum flow take_width(struct shell *sh, const struct var *old, const struct value *first,
                            struct var *next)
{
    const char *text;
    size_t len;
    if (!(next->attrs & VAR_JUSTIFY) || next->width != 0 || !first || !value_is_set(first))
        return FLOW_NEXT;
    TRY(attr_show(sh, old, first, &text, &len));
    size_t width = utf8_columns(text, len);
    next->width = (int16_t)(width < INT16_MAX ? width : INT16_MAX);
    return FLOW_NEXT;
}

/* The first element of ARRAY; NULL when it has none. */
static const struct value *array_first(struct array *array)
{
    struct array_item item;
    size_t position = 0;
    return array_next(array, &position, &item) ? item.value : NULL;
}

/* The elements of NEXT, from VAR's array or scalar. */
static enum flow build_array(struct shell *sh, const struct var *var, struct var *next)
{
    bool assoc = (next->attrs & VAR_ASSOC) != 0;
    if (var->array)
        next->array =
            assoc && !var->array->assoc ? array_to_assoc(var->array) : array_dup(var->array);
    else
        next->array = array_new(sh->nodes, sh->heap, assoc);
    if (!next->array)
        return shell_fail_memory(sh, sizeof *next->array);
    if (!var->array && value_is_set(&var->value)) {
        struct value *first;
        if (assoc) {
            struct element *element = array_put_key(next->array, "0", 1);
            first = element ? &element->value : NULL;
        } else {
            first = array_put_index(next->array, 0);
        }
        if (!first)
            return shell_fail_memory(sh, sizeof *first);
        if (!value_copy(sh->heap, first, &var->value)) {
            next->array->count--;
            return shell_fail_memory(sh, 0);
        }
    }
    TRY(take_width(sh, var, array_first(next->array), next));
    if ((var->attrs ^ next->attrs) & DATA_ATTRS || var->width != next->width)
        return convert_array(sh, var, next, next->array);
    return FLOW_NEXT;
}

/* Fills NEXT's data; DOOMED: a new scalar value comes anyway. */
static enum flow build_data(struct shell *sh, const struct var *var, bool doomed, struct var *next)
{
    next->value.bits = 0;
    next->array = NULL;
    if (next->attrs & VAR_ARRAY)
        return build_array(sh, var, next);
    if (!value_is_set(&var->value))
        return FLOW_NEXT;
    TRY(take_width(sh, var, &var->value, next));
    if (doomed && (next->attrs & VAR_NUMERIC) && (var->value.bits & VALUE_TEXT))
        return FLOW_NEXT; /* it may be no expression at all */
    return convert_value(sh, var, next, &var->value, &next->value);
}

/* Gives VAR the state NEXT, whose data are its own. On failure they are freed. */
static enum flow swap_state(struct shell *sh, struct var *var, struct var_state *next)
{
    bool exported = ((var->attrs | next->attrs) & VAR_EXPORT) != 0;
    struct var_state *saved;
    enum flow flow = var_save(sh, var, &saved);
    if (flow != FLOW_NEXT) {
        var_state_clear(sh, next);
        return flow;
    }
    var_state_clear(sh, &var->state);
    var->state = *next;
    if (exported)
        sh->export_epoch++;
    return var->attrs & VAR_SPECIAL ? var_notify(sh, var) : FLOW_NEXT;
}

enum flow members_append(struct shell *sh, struct members *m, struct members *from)
{
    enum flow flow = FLOW_NEXT;
    members_hold(from);
    for (uint32_t i = 0; i < from->count && flow == FLOW_NEXT; i++) {
        struct var copy = { 0 }, *var;
        if (!member_in_use(from->items[i]))
            continue;
        flow = member_make(sh, m, from->items[i]->name, &var);
        if (flow == FLOW_NEXT)
            flow = var_check_writable(sh, var, 0);
        if (flow != FLOW_NEXT)
            break;
        if (var_copy_state(sh->heap, &copy, from->items[i])) {
            flow = swap_state(sh, var, &copy.state);
        } else {
            var_state_clear(sh, &copy.state);
            flow = shell_fail_memory(sh, 0);
        }
    }
    members_release(from);
    return flow;
}

static uint32_t with_nothing(const struct var *var, uint32_t attrs)
{
    return var_has_value(var) ? attrs & ~(uint32_t)VAR_NOTHING : attrs | VAR_NOTHING;
}

static enum flow change_attrs(struct shell *sh, struct var *var, uint32_t set,
                              const struct var_change *change)
{
    struct var next = *var;
    next.attrs = merge_attrs(var->attrs, set, change->clear);
    merge_numbers(&next.state, set, change);
    if (set & (VAR_ENUM | VAR_TYPED))
        next.type = change->type;
    if (set & VAR_TYPED_INDEX)
        next.index_type = change->index_type;
    if (!(next.attrs & (VAR_ENUM | VAR_TYPED)))
        next.type = NULL;
    if (!(next.attrs & VAR_TYPED_INDEX))
        next.index_type = NULL;
    next.attrs = with_nothing(var, next.attrs);
    bool same_data = ((var->attrs ^ next.attrs) & (DATA_ATTRS | VAR_ARRAY)) == 0 &&
                     (!(next.attrs & VAR_JUSTIFY) || var->width == next.width) &&
                     next.type == var->type && next.index_type == var->index_type;
    if (same_data && !frame_should_record(frame_target(sh, TARGET_GLOBAL), var->stamp)) {
        bool exported = ((var->attrs ^ next.attrs) & VAR_EXPORT) != 0 || (next.attrs & VAR_EXPORT);
        var->attrs = next.attrs;
        var->base = next.base;
        var->width = next.width;
        if (exported)
            sh->export_epoch++;
        return FLOW_NEXT;
    }
    next.target_rest = NULL;
    enum flow flow = build_data(sh, var, change->doomed, &next);
    if (flow != FLOW_NEXT) {
        var_state_clear(sh, &next.state);
        return flow;
    }
    return swap_state(sh, var, &next.state);
}

/* ---- name references ---- */

enum { REFERENCE_DEPTH_MAX = 100 };

static enum flow refuse_self(struct shell *sh, const struct name *name)
{
    return shell_fail(sh, ERROR_ASSIGN, 1, name->text, "invalid self reference");
}

/* Would a reference of VAR to TARGET lead back to VAR? */
static enum flow check_loop(struct shell *sh, const struct var *var, const struct name *target,
                            const struct var *target_var)
{
    const struct var *at = target_var ? target_var : target->cur;
    if (!target_var && target == var->name && !(at && at != var))
        return refuse_self(sh, var->name);
    for (int depth = 0;
         at && (at->attrs & VAR_NAMEREF) && at->target && depth < REFERENCE_DEPTH_MAX; depth++) {
        if (at == var)
            return refuse_self(sh, var->name);
        at = at->target_var ? at->target_var : at->target->cur;
    }
    return at == var ? refuse_self(sh, var->name) : FLOW_NEXT;
}

/* Without an operand the value is taken as the name to refer to. */
static enum flow target_from_value(struct shell *sh, const struct var *var,
                                   struct name **ret_target)
{
    const char *text = NULL;
    size_t len = 0;
    if (!(var->attrs & (VAR_ARRAY | VAR_NAMEREF)))
        TRY(attr_show(sh, var, &var->value, &text, &len));
    *ret_target = NULL;
    if (!text || len == 0)
        return FLOW_NEXT;
    if (!text_is_dotted_name(text, len))
        return shell_fail(sh, ERROR_ASSIGN, 1, var->name->text, "invalid variable name");
    *ret_target = name_intern(sh, text, len);
    return *ret_target ? FLOW_NEXT : shell_fail_memory(sh, len);
}

/* The variable that a reference to TARGET starts from: ROOT, or else the visible one. */
static const struct var *start_of(struct name *target, const struct var *root)
{
    return root ? root : name_root(target)->cur;
}

/* In a name space NAME, unless it is that of a local or of a variable from outside, is one of the
 * name space, wherever the reference is used later. */
static enum flow qualify_target(struct shell *sh, struct name *name, struct name **ret)
{
    struct name *root = name_root(name);
    if (!sh->space || root->dotted || root->special ||
        (root->cur && (root->cur->owner || space_owns(sh, root))))
        return FLOW_NEXT;
    struct str s;
    str_init(&s, sh->scratch);
    str_printf(&s, "%s.%s", sh->space->name->text, name->text);
    struct name *full = str_ok(&s) ? name_intern(sh, str_text(&s), s.len) : NULL;
    if (!full)
        return shell_fail_memory(sh, s.len);
    *ret = full;
    return FLOW_NEXT;
}

/* A reference to a reference, or to something reached through one, refers to what that refers to
 * now: NEXT's target and REST are rewritten until they start from an ordinary variable. */
static enum flow resolve_target(struct shell *sh, const struct var *var, struct var_state *next,
                                const char **rest)
{
    const struct var *via = start_of(next->target, next->target_var);
    for (int depth = 0; via && via != var && (via->attrs & VAR_NAMEREF) && via->target; depth++) {
        if (depth == REFERENCE_DEPTH_MAX)
            return shell_fail(sh, ERROR_ASSIGN, 1, var->name->text, "name reference loop");
        struct str s;
        size_t root_len = name_root(next->target)->len;
        str_init(&s, sh->scratch);
        str_append(&s, via->target->text, via->target->len);
        str_append_z(&s, via->target_rest ? via->target_rest : "");
        str_append(&s, next->target->text + root_len, next->target->len - root_len);
        str_append_z(&s, *rest ? *rest : "");
        if (!str_ok(&s))
            return shell_fail_memory(sh, s.len);
        const char *text = str_text(&s), *bracket = strchr(text, '[');
        size_t name_len = bracket ? (size_t)(bracket - text) : s.len;
        struct name *target = name_intern(sh, text, name_len);
        if (!target)
            return shell_fail_memory(sh, name_len);
        struct var *root = scope_reference_root(sh, via);
        if (!root && next->target_var && via->owner)
            root = scope_caller_local(sh, name_root(target));
        *rest = bracket;
        next->target = target;
        next->target_var = root;
        via = start_of(target, root);
    }
    return FLOW_NEXT;
}

/* Is there a variable that a member of that name could be in? */
static bool has_parent(const struct var_state *next)
{
    const struct var *root = start_of(next->target, next->target_var);
    return !next->target->dotted || next->target->text[0] == '.' ||
           (root && !(root->attrs & VAR_NOTHING));
}

static enum flow make_reference(struct shell *sh, struct var *var, const struct var_change *change)
{
    TRY(var_check_writable(sh, var, 0));
    if ((var->attrs & VAR_ARRAY) && var->array->count > 0)
        return shell_fail(sh, ERROR_ASSIGN, 1, var->name->text,
                          "reference variable cannot be an array");
    struct var_state next = { .attrs = VAR_NAMEREF | VAR_NOTHING | (change->set & VAR_STATIC),
                              .width = -1,
                              .target = change->nameref_target };
    const char *rest = change->nameref_rest;
    if (!next.target && (var->attrs & VAR_NAMEREF))
        return FLOW_NEXT; /* it is one already */
    if (!next.target)
        TRY(target_from_value(sh, var, &next.target));
    if (next.target) {
        next.attrs &= ~(uint32_t)VAR_NOTHING;
        if (change->nameref_caller)
            TRY(scope_caller_var(sh, name_root(next.target), &next.target_var));
        if (!next.target_var && next.target == var->name && change->nameref_caller && var->owner)
            next.target_var = var->outer; /* the global one */
        if (!next.target_var && (!next.target->dotted || name_root(next.target)->cur))
            TRY(scope_reference_bind(sh, var, name_root(next.target), &next.target_var));
        TRY(check_loop(sh, var, next.target, next.target_var));
        TRY(resolve_target(sh, var, &next, &rest));
        if (!next.target_var)
            TRY(qualify_target(sh, next.target, &next.target));
        if (!has_parent(&next))
            return shell_fail(sh, ERROR_ASSIGN, 1, next.target->text, "no parent");
        if (!var->owner && !var->in && !next.target_var &&
            scope_has_local(sh, name_root(next.target)))
            return shell_fail(sh, ERROR_ASSIGN, 1, var->name->text,
                              "global reference cannot refer to local variable");
        if (rest)
            TRY(reference_settle(sh, next.target, next.target_var, &rest));
    }
    if (rest) {
        next.target_rest = text_dup(sh->heap, rest);
        if (!next.target_rest)
            return shell_fail_memory(sh, strlen(rest));
    }
    return swap_state(sh, var, &next);
}

/* typeset +n: an ordinary variable whose value is what it referred to. */
static enum flow end_reference(struct shell *sh, struct var *var)
{
    struct var_state next = { .attrs = VAR_NOTHING, .width = -1 };
    if (var->target) {
        struct str s;
        str_init(&s, sh->scratch);
        str_append(&s, var->target->text, var->target->len);
        if (var->target_rest)
            str_append_z(&s, var->target_rest);
        if (!str_ok(&s) || !value_set_text(sh->heap, &next.value, str_text(&s), s.len))
            return shell_fail_memory(sh, s.len);
        next.attrs = 0;
    }
    return swap_state(sh, var, &next);
}

/* ---- compound variables and instances of types ---- */

/* VAR, no array, becomes compound, or an instance of TYPE. */
static enum flow make_compound_value(struct shell *sh, struct var *var, const struct type *type)
{
    const struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct members *m = var->value.bits & VALUE_COMPOUND ? var->value.members : NULL;
    if (m && m->type == type)
        return FLOW_NEXT;
    m = type ? members_dup(type->prototype) : members_new(sh->nodes, sh->heap);
    if (!m)
        return shell_fail_memory(sh, sizeof *m);
    m->stamp = target ? target->id : 0;
    m->type = type;
    struct place place = { .name = var->name, .var = var, .kind = REF_SCALAR };
    struct draft draft = { .bits = VALUE_COMPOUND, .members = m };
    enum flow flow = members_check_levels(sh, var, m);
    if (flow == FLOW_NEXT)
        flow = place_store(sh, &place, &draft, 0);
    if (flow != FLOW_NEXT)
        members_release(m);
    return flow;
}

/* Do methods of TYPE say how its instances are read and written? */
static bool has_disciplines(struct shell *sh, const struct type *type)
{
    static const char *const names[] = { "get", "getn", "set", "append", "unset" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (type_method(sh, type, names[i]))
            return true;
    return false;
}

static enum flow declare_compound(struct shell *sh, struct var *var, uint32_t set,
                                  const struct var_change *change)
{
    const uint32_t kept =
        VAR_READONLY | VAR_TAG | VAR_COMPOUND | VAR_TYPED | VAR_STATIC | VAR_DISCIPLINE | VAR_ARRAY;
    if (set & VAR_EXPORT)
        return shell_fail(sh, ERROR_ASSIGN, 1, var_label(sh, var),
                          "only simple variables can be exported");
    if (set & ~var->attrs & VAR_ARRAY) {
        struct var_change shape = *change;
        shape.set = set & (VAR_ARRAY | VAR_TYPED_INDEX);
        shape.clear = VAR_COMPOUND;
        TRY(change_attrs(sh, var, shape.set, &shape));
    }
    const struct type *type = set & VAR_TYPED ? change->type : NULL;
    bool has_members = (var->value.bits & VALUE_COMPOUND) != 0;
    if (!(var->attrs & VAR_ARRAY) && (type || ((set & VAR_COMPOUND) && !has_members)))
        TRY(make_compound_value(sh, var, type));
    if (type && has_disciplines(sh, type))
        set |= VAR_DISCIPLINE;
    uint32_t attrs = (var->attrs | (set & kept)) & ~(change->clear & VAR_TAG);
    TRY(var_set_flags(sh, var, attrs));
    if (type)
        var->type = type;
    return FLOW_NEXT;
}

/* ---- entry ---- */

/* The variable that CHANGE is about, not following references. */
static enum flow find_or_make(struct shell *sh, const struct var_ref *ref,
                              const struct var_change *change, struct var **ret)
{
    struct name *name = ref->name;
    if (ref->base && !name->parent && !ref->step_count) {
        TRY(member_make(sh, ref->base, name, ret));
        return FLOW_NEXT;
    }
    if (ref->base || name->parent || ref->step_count) {
        struct place place;
        TRY(place_make(sh, ref, &place));
        *ret = place.var;
        return FLOW_NEXT;
    }
    if (change->dynamic && !change->global)
        return scope_dynamic(sh, name, ret);
    if (change->local && !change->global)
        return scope_local(sh, name, ret);
    *ret = name->cur;
    return name->cur && !change->global && !space_owns(sh, name) ? FLOW_NEXT
                                                                 : scope_global(sh, name, ret);
}

enum flow var_declare_ref(struct shell *sh, const struct var_ref *ref,
                          const struct var_change *change)
{
    struct var *var;
    TRY(find_or_make(sh, ref, change, &var));
    if (change->set & VAR_NAMEREF)
        return make_reference(sh, var, change);
    if ((var->attrs & VAR_NAMEREF) && (change->clear & VAR_NAMEREF))
        return end_reference(sh, var);
    if (var->attrs & VAR_NAMEREF) {
        if (!var->target || (change->set | change->clear) == 0)
            return FLOW_NEXT;
        struct var_ref target = { .base = var->in, .name = var->name };
        TRY(var_resolve(sh, &target, &var));
        if (!var && target.base)
            TRY(member_make(sh, target.base, target.name, &var));
        else if (!var)
            TRY(scope_global(sh, target.name, &var));
    }
    uint32_t set = normal_set(change->set);
    TRY(check_change(sh, var, set, change));
    bool is_compound = (var->attrs & (VAR_COMPOUND | VAR_TYPED)) != 0;
    if ((set & (VAR_COMPOUND | VAR_TYPED)) || (is_compound && !(set & DATA_ATTRS)))
        return declare_compound(sh, var, set, change);
    return change_attrs(sh, var, set, change);
}

enum flow var_declare(struct shell *sh, struct name *name, const struct var_change *change)
{
    const struct var_ref ref = var_ref_name(name);
    return var_declare_ref(sh, &ref, change);
}
