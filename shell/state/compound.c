/*
 * Compound variables: the way into them, making and unsetting members, whole values.
 *
 * A compound value is a table of members (members.h) in a value like any other, so the journal
 * moves it as a whole; a member is a variable with a stamp of its own, so that changing one in a
 * subshell saves just that. What is new here is the making: a member made in a subshell is taken
 * out again, unless the table itself was made there. An unset member stays in its table, unset,
 * while a subshell may have to bring it back.
 *
 * M->of is set whenever the way goes from a variable into M, so the way up is known of every place
 * that was just found; names like a[3].x.y are made from it.
 */
#include "shell/state/discipline.h"
#include "shell/state/frame.h"
#include "shell/state/func.h"
#include "shell/state/namespace.h"
#include "shell/state/scope.h"
#include "shell/state/type.h"
#include "shell/state/var_private.h"

/* ---- names ---- */

/* Appends the subscripts that lead from ARRAY to M. */
static bool append_subscript(struct array *array, const struct members *m, struct str *s)
{
    struct array_item item;
    size_t position = 0, len = s->len;
    while (array_next(array, &position, &item)) {
        str_putc(s, '[');
        if (item.element)
            str_append(s, item.element->key, item.element->key_len);
        else
            str_append_int(s, item.index);
        str_putc(s, ']');
        if ((item.value->bits & VALUE_COMPOUND) && item.value->members == m)
            return true;
        if ((item.value->bits & VALUE_ARRAY) && append_subscript(item.value->array, m, s))
            return true;
        s->len = len;
    }
    return false;
}

const struct var *var_append_path(const struct var *var, bool with_root, struct str *s)
{
    const struct members *m = var->in;
    if (!m || !m->of) {
        if (with_root)
            str_append(s, var->name->text, var->name->len);
        return var;
    }
    const struct var *root = var_append_path(m->of, with_root, s);
    if (m->of->array)
        append_subscript(m->of->array, m, s);
    if (m->self == var)
        return root;
    if (s->len > 0 || !with_root)
        str_putc(s, '.');
    str_append(s, var->name->text, var->name->len);
    return root;
}

const char *var_label(struct shell *sh, const struct var *var)
{
    struct str s;
    if (!var->in)
        return static_short(var->name->text);
    str_init(&s, sh->scratch);
    var_append_path(var, true, &s);
    return str_ok(&s) ? static_short(str_text(&s)) : var->name->text;
}

static void append_step(struct str *s, const struct ref_step *step)
{
    if (step->kind == REF_MEMBER) {
        str_putc(s, '.');
        str_append(s, step->member->text, step->member->len);
    } else if (step->kind == REF_INDEX || step->kind == REF_KEY) {
        str_putc(s, '[');
        if (step->kind == REF_KEY)
            str_append(s, step->key, step->key_len);
        else
            str_append_int(s, step->index);
        str_putc(s, ']');
    }
}

void var_ref_append_subscripts(struct str *s, const struct var_ref *ref)
{
    const struct ref_step first = {
        .kind = ref->kind, .index = ref->index, .key = ref->key, .key_len = ref->key_len
    };
    append_step(s, &first);
    for (uint32_t i = 0; i < ref->step_count; i++)
        append_step(s, &ref->steps[i]);
}

void var_ref_append(struct str *s, const struct var_ref *ref)
{
    str_append_z(s, static_short(ref->name->text));
    var_ref_append_subscripts(s, ref);
}

const struct var *place_append_path(const struct place *place, bool with_root, struct str *s)
{
    const struct var_ref ref = place_ref(place);
    const struct var *root = var_append_path(place->var, with_root, s);
    var_ref_append_subscripts(s, &ref);
    return root;
}

/* ---- making members ---- */

/* The instance of a type that says which members there may be in M: M or one around it. */
static const struct members *instance_around(const struct members *m)
{
    for (const struct members *at = m; at && !at->open;
         at = at->of && !at->of->array ? at->of->in : NULL) {
        if (at->type)
            return at;
    }
    return NULL;
}

/* Fails when M is an instance of a type, or in one, which has no member NAME. */
static enum flow check_element(struct shell *sh, const struct members *m, const struct name *name)
{
    const struct members *instance = instance_around(m);
    if (!instance)
        return FLOW_NEXT;
    return shell_fail(sh, ERROR_ASSIGN, 1, name->text, "is not an element of %s",
                      m->of ? var_label(sh, m->of) : instance->type->name);
}

enum flow member_make(struct shell *sh, struct members *m, struct name *name, struct var **ret_var)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct undo_member *undo = NULL;
    struct var *var = members_find(m, name);
    bool bound = sh->space && m == sh->space->members;
    if (var) {
        *ret_var = var;
        return bound ? space_bind(sh, var) : FLOW_NEXT;
    }
    TRY(check_element(sh, m, name));
    if (frame_should_record(target, m->stamp)) {
        undo = undo_push(sh, target, UNDO_MEMBER);
        if (!undo)
            return shell_fail_memory(sh, sizeof *undo);
    }
    var = members_put(m, name);
    if (!var) {
        if (undo)
            undo_drop(sh, target);
        return shell_fail_memory(sh, sizeof *var);
    }
    var->stamp = target ? target->id : 0;
    if (undo) {
        undo->var = var;
        var->refs++;
    }
    *ret_var = var;
    return bound ? space_bind(sh, var) : FLOW_NEXT;
}

void member_unset(struct shell *sh, struct var *var)
{
    struct members *m = var->in;
    if (sh->space) /* an unset one may not hide the global */
        space_unbind(sh, var);
    if (m && !frame_should_record(frame_target(sh, TARGET_GLOBAL), m->stamp))
        members_remove(m, var);
}

enum flow member_reset(struct shell *sh, struct var *var)
{
    const struct var *from = members_find(var->in->type->prototype, var->name);
    if (!from || var_copy_state(sh->heap, var, from))
        return FLOW_NEXT;
    return shell_fail_memory(sh, 0);
}

/* How many levels of compound values there are in ARRAY's elements; LIMIT is enough to know. */
static int array_levels(struct array *array, int limit);

static int value_levels(const struct value *value, int limit)
{
    int most = 0;
    if (limit <= 0)
        return 0;
    if (value->bits & VALUE_ARRAY)
        return array_levels(value->array, limit);
    if (!(value->bits & VALUE_COMPOUND))
        return 0;
    const struct members *m = value->members;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct var *var = m->items[i];
        int levels =
            var->array ? array_levels(var->array, limit - 1) : value_levels(&var->value, limit - 1);
        most = levels > most ? levels : most;
    }
    return most + 1;
}

static int array_levels(struct array *array, int limit)
{
    struct array_item item;
    int most = 0;
    for (size_t position = 0; array_next(array, &position, &item);) {
        int levels = value_levels(item.value, limit);
        most = levels > most ? levels : most;
    }
    return most;
}

enum flow members_check_levels(struct shell *sh, const struct var *var, struct members *m)
{
    const struct value value = { .bits = VALUE_COMPOUND, .members = m };
    int levels = m->count ? value_levels(&value, MEMBERS_LEVELS_MAX) : 1;
    for (const struct var *at = var; at && at->in; at = at->in->of)
        levels++;
    if (levels < MEMBERS_LEVELS_MAX)
        return FLOW_NEXT;
    return shell_fail(sh, ERROR_LIMIT, 1, var->name->text, "compound variable: nested too deeply");
}

/* An empty compound value made on behalf of the running subshell. */
static struct members *new_members(struct shell *sh, const struct type *type)
{
    const struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct members *m =
        type && type->prototype ? members_dup(type->prototype) : members_new(sh->nodes, sh->heap);
    if (m) {
        m->stamp = target ? target->id : 0;
        m->type = type;
        m->open = false;
    }
    return m;
}

/* A scalar value that VAR has becomes the member `.` of M. */
static enum flow keep_scalar(struct shell *sh, const struct var *var, struct members *m)
{
    struct name *name = name_intern(sh, ".", 1);
    struct var *self = name ? members_put(m, name) : NULL;
    if (!self || !value_copy(sh->heap, &self->value, &var->value))
        return shell_fail_memory(sh, sizeof *self);
    self->stamp = m->stamp;
    self->attrs = var->attrs & (VAR_NUMERIC | VAR_JUSTIFY | VAR_LOWER | VAR_UPPER | VAR_SHORT |
                                VAR_LONG | VAR_UNSIGNED);
    self->base = var->base;
    self->width = var->width;
    return FLOW_NEXT;
}

static enum flow no_parent(struct shell *sh, const struct place *place, const struct name *member)
{
    struct str s;
    str_init(&s, sh->scratch);
    str_printf(&s, "%s.%s", place->name->text, member->text);
    return shell_fail(sh, ERROR_ASSIGN, 1, str_text(&s), "no parent");
}

/* PLACE, settled and not compound yet, becomes it. */
static enum flow make_compound(struct shell *sh, struct place *place, const struct name *member,
                               struct members **ret)
{
    struct var *var = place->var;
    bool is_root = !var->in && place->kind == REF_SCALAR && !(var->attrs & VAR_ARRAY);
    const struct value *value = place_stored(place);
    bool is_set = value && value_is_set(value);
    if (var->attrs & VAR_SPECIAL)
        return no_parent(sh, place, member);
    if (is_root && !is_set && !(var->attrs & (VAR_COMPOUND | VAR_TYPED)))
        return no_parent(sh, place, member);
    TRY(var_check_writable(sh, var, 0));
    struct members *m = new_members(sh, var->attrs & VAR_TYPED ? var->type : NULL);
    if (!m)
        return shell_fail_memory(sh, sizeof *m);
    enum flow flow = members_check_levels(sh, var, m);
    if (flow == FLOW_NEXT && is_set && !(var->attrs & (VAR_ARRAY | VAR_TYPED)))
        flow = keep_scalar(sh, var, m);
    struct draft draft = { .bits = VALUE_COMPOUND, .members = m };
    if (flow == FLOW_NEXT)
        flow = place_store(sh, place, &draft, 0);
    if (flow != FLOW_NEXT)
        members_release(m);
    *ret = m;
    return flow;
}

/* ---- the way ---- */

/* The variable that stands for the member VAR of M: that of the type if all instances share it. */
static struct var *shared_member(const struct members *m, struct var *var)
{
    if (!(var->attrs & VAR_STATIC) || !m->type || m->type->prototype == m)
        return var;
    struct var *shared = members_find(m->type->prototype, var->name);
    return shared ? shared : var;
}

enum flow place_enter_members(struct shell *sh, struct members *m, struct name *member,
                              struct place *place, bool make)
{
    struct var *var = members_find(m, member);
    if (!var && make)
        TRY(member_make(sh, m, member, &var));
    else if (!var && m->type)
        TRY(check_element(sh, m, member));
    if (var)
        var = shared_member(m, var);
    place->var = var;
    place->name = member;
    place->parent = m;
    place->entered = true;
    place->kind = REF_SCALAR;
    place->step_count = 0;
    place->inner = NULL;
    return var && (var->attrs & VAR_NAMEREF) ? place_follow(sh, place, make) : FLOW_NEXT;
}

enum flow place_enter(struct shell *sh, struct place *place, struct name *member, bool make)
{
    struct members *m = NULL;
    if (!place->var && make && !place->entered && place->kind != REF_SCALAR)
        TRY(scope_global(sh, place->name, &place->var)); /* a[3].x=1 makes the array a */
    place->entered = true;
    if (!place->var) {
        place->parent = NULL;
        return make ? no_parent(sh, place, member) : FLOW_NEXT;
    }
    if (place->kind == REF_SCALAR && (place->var->value.bits & VALUE_COMPOUND)) {
        m = place->var->value.members;
    } else {
        TRY(place_settle(sh, place));
        if (place_is_all(place))
            return shell_fail(sh, ERROR_ASSIGN, 1, place->name->text,
                              "invalid subscript in assignment");
        m = place_members(place);
    }
    if (!m && make)
        TRY(make_compound(sh, place, member, &m));
    if (m) {
        m->of = place->var;
        return place_enter_members(sh, m, member, place, make);
    }
    place->var = NULL;
    place->parent = NULL;
    place->kind = REF_SCALAR;
    place->step_count = 0;
    return FLOW_NEXT;
}

struct members *place_members(const struct place *place)
{
    const struct value *value = place->var ? place_value(place) : NULL;
    if (!value || !(value->bits & VALUE_COMPOUND))
        return NULL;
    value->members->of = place->var;
    return value->members;
}

enum flow place_make_members(struct shell *sh, struct place *place)
{
    struct members *unused;
    return place_members(place) ? FLOW_NEXT : make_compound(sh, place, place->name, &unused);
}

void place_to_self(struct place *place)
{
    const struct members *m = place_members(place);
    if (!m || !m->self)
        return;
    place->var = m->self;
    place->kind = REF_SCALAR;
    place->index = 0;
    place->step_count = 0;
}

/* ---- whole values ---- */

enum flow var_find_members(struct shell *sh, const struct var_ref *ref, struct members **ret)
{
    struct place place;
    TRY(place_find(sh, ref, &place));
    *ret = place.var && !place_is_all(&place) ? place_members(&place) : NULL;
    return FLOW_NEXT;
}

/* VAR, which becomes compound, has no longer the attributes of plain data. */
static enum flow drop_data_attrs(struct shell *sh, struct var *var)
{
    const uint32_t data = VAR_NUMERIC | VAR_LOWER | VAR_UPPER | VAR_JUSTIFY | VAR_UNSIGNED |
                          VAR_SHORT | VAR_LONG | VAR_BINARY | VAR_HOST | VAR_EXPORT;
    if (!(var->attrs & data) || var->attrs & (VAR_COMPOUND | VAR_TYPED))
        return FLOW_NEXT;
    TRY(var_check_writable(sh, var, 0));
    if (var->attrs & VAR_EXPORT)
        sh->export_epoch++;
    return var_set_flags(sh, var, var->attrs & ~data);
}

/* Does REF, which led to an array, mean all of it, and no element? */
static bool means_whole(struct shell *sh, const struct var_ref *ref)
{
    struct var_ref target = *ref;
    struct var *unused;
    return var_resolve(sh, &target, &unused) == FLOW_NEXT && target.kind == REF_SCALAR &&
           !target.step_count;
}

enum flow var_begin_compound(struct shell *sh, const struct var_ref *ref, unsigned flags,
                             struct members **ret)
{
    struct place place;
    TRY(place_for_write(sh, ref, flags, &place));
    if (place_is_all(&place) || (place.var->attrs & VAR_NAMEREF))
        return shell_fail(sh, ERROR_ASSIGN, 1, place.name->text, "invalid subscript in assignment");
    const struct value *stored = place_stored(&place);
    struct members *m = stored && (stored->bits & VALUE_COMPOUND) ? stored->members : NULL;
    if (m)
        m->of = place.var;
    /* Where a type says what there is, a list changes the members that it names. */
    if (m && ((flags & ASSIGN_APPEND) || m->type || instance_around(m))) {
        *ret = members_hold(m);
        return FLOW_NEXT;
    }
    if (!(flags & ASSIGN_APPEND) && (place.var->attrs & VAR_ARRAY) && means_whole(sh, ref)) {
        struct place whole = place;
        TRY(var_become_scalar(sh, place.var));
        whole.kind = REF_SCALAR;
        place = whole;
    }
    if (!(flags & ASSIGN_APPEND) && place.kind == REF_SCALAR)
        TRY(drop_data_attrs(sh, place.var));
    m = new_members(sh, place.var->attrs & VAR_TYPED ? place.var->type : NULL);
    if (!m)
        return shell_fail_memory(sh, sizeof *m);
    struct draft draft = { .bits = VALUE_COMPOUND, .members = members_hold(m) };
    enum flow flow = members_check_levels(sh, place.var, m);
    if (flow == FLOW_NEXT)
        flow = place_store(sh, &place, &draft, flags);
    if (flow != FLOW_NEXT) {
        members_release(m);
        members_release(m);
        return flow;
    }
    m->of = place.var;
    *ret = m;
    return FLOW_NEXT;
}

enum flow var_copy_compound(struct shell *sh, const struct var_ref *to, struct members *from,
                            unsigned flags)
{
    struct place place;
    const struct frame *target = frame_target(sh, TARGET_GLOBAL);
    struct members *m = members_dup(from);
    if (!m)
        return shell_fail_memory(sh, sizeof *m);
    m->stamp = target ? target->id : 0;
    enum flow flow = place_for_write(sh, to, flags, &place);
    if (flow == FLOW_NEXT && place_is_all(&place))
        flow = shell_fail(sh, ERROR_ASSIGN, 1, place.name->text, "invalid subscript in assignment");
    if (flow == FLOW_NEXT)
        flow = members_check_levels(sh, place.var, m);
    if (flow == FLOW_NEXT) {
        struct draft draft = { .bits = VALUE_COMPOUND, .members = m };
        flow = place_store(sh, &place, &draft, flags);
    }
    if (flow != FLOW_NEXT)
        members_release(m);
    return flow;
}

enum flow var_copy_array(struct shell *sh, const struct var_ref *to, const struct array *array)
{
    struct place place;
    int64_t unused;
    struct array *copy = array_dup(array);
    if (!copy)
        return shell_fail_memory(sh, sizeof *copy);
    enum flow flow = var_begin_array_in(sh, to, copy->assoc ? VAR_ASSOC : VAR_INDEXED, 0, &unused);
    if (flow == FLOW_NEXT)
        flow = place_for_write_whole(sh, to, 0, &place);
    struct array *empty = flow == FLOW_NEXT ? place_array(&place) : NULL;
    if (!empty) {
        array_free(copy);
        return flow;
    }
    struct array swap = *empty; /* just made: nothing refers to its elements */
    *empty = *copy;
    *copy = swap;
    array_free(copy);
    return var_notify(sh, place.var);
}

void members_append_path(const struct members *m, struct str *s)
{
    if (!m->of)
        return;
    var_append_path(m->of, true, s);
    if (m->of->array)
        append_subscript(m->of->array, m, s);
}

enum flow compound_function_name(struct shell *sh, const struct members *m, const char *text,
                                 struct name **ret)
{
    struct str s;
    str_init(&s, sh->scratch);
    members_append_path(m, &s);
    if (s.len)
        str_putc(&s, '.');
    str_append_z(&s, text);
    *ret = str_ok(&s) ? name_intern(sh, str_text(&s), s.len) : NULL;
    return *ret ? FLOW_NEXT : shell_fail_memory(sh, s.len);
}
