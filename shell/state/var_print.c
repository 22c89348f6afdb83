/*
 * Showing values: the `typeset -p` form, which reads back to the same variable, and the forms of
 * print -v and -C.
 *
 * A value is shown on one line, members separated by semicolons, or an item a line, indented by
 * tabs. In which places ksh93 writes a semicolon after the last member, or the subscripts of a
 * gapless array, is followed exactly.
 *
 * Must not change a variable, except through what its disciplines do.
 */
#include "shell/state/discipline.h"
#include "shell/state/namespace.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

struct printer {
    struct shell *sh;
    struct str *s;
    bool lines;
    int depth;    /* of parentheses */
    bool in_list; /* the value is a word of a list, or a member: see text_quote_in_list */
};

static enum flow print_value(struct printer *p, struct var *var, const struct value *value,
                             bool last);

static void new_line(struct printer *p)
{
    str_putc(p->s, '\n');
    for (int i = 0; i < p->depth; i++)
        str_putc(p->s, '\t');
}

static void open_list(struct printer *p)
{
    str_putc(p->s, '(');
    p->depth++;
}

static void close_list(struct printer *p)
{
    p->depth--;
    if (p->lines)
        new_line(p);
    str_putc(p->s, ')');
}

/* ---- arrays ---- */

/* Indices need not be shown when they are 0, 1, 2 ... */
static bool is_gapless(const struct array *array)
{
    return !array->assoc && array->top == (int64_t)array->count;
}

/* Would an array in an array read back as an associative one? */
static bool needs_prefix(const struct value *value)
{
    if (!(value->bits & VALUE_ARRAY) || value->array->assoc)
        return false;
    return value->array->count == 0 || !is_gapless(value->array);
}

static bool has_compounds(struct array *array)
{
    struct array_item item;
    for (size_t position = 0; array_next(array, &position, &item);)
        if (item.value->bits & VALUE_COMPOUND)
            return true;
    return false;
}

static void print_subscript(const struct printer *p, const struct var *var,
                            const struct array *array, const struct array_item *item)
{
    if (needs_prefix(item->value))
        str_append_z(p->s, "typeset -a ");
    str_putc(p->s, '[');
    const char *label = index_label(var, array, item->index);
    if (item->element)
        text_quote(p->s, item->element->key, item->element->key_len);
    else if (label)
        text_quote(p->s, label, strlen(label));
    else
        str_append_int(p->s, item->index);
    str_append(p->s, "]=", 2);
}

/* What stands before an element of an array on one line. BEFORE: the value of the one before. */
static void print_gap(const struct printer *p, const struct value *before, bool explicit,
                      const struct value *value)
{
    if (explicit) /* an array of compound values in one */
        before = before ? (before->bits & VALUE_COMPOUND ? NULL : before)
                        : (value->bits & VALUE_COMPOUND ? value : NULL);
    if (before)
        str_putc(p->s, ' ');
}

/* The elements of the array of WALK. */
static enum flow print_elements(struct printer *p, struct var *var, struct array_walk *walk,
                                bool inner, bool last)
{
    struct array *array = walk->array;
    struct array_item item;
    struct value before;
    size_t shown = 0;
    bool explicit = inner && has_compounds(array);
    bool plain = is_gapless(array) && !explicit;
    while (array_walk_next(walk, &item)) {
        bool is_last = shown + 1 == array->count, is_array = item.value->bits & VALUE_ARRAY;
        if (p->lines)
            new_line(p);
        else
            print_gap(p, shown ? &before : NULL, explicit, item.value);
        before = (struct value){ .bits = item.value->bits };
        shown++;
        if (!plain)
            print_subscript(p, var, array, &item);
        p->in_list = plain;
        TRY(print_value(p, var, item.value, !explicit || (last && is_last)));
        if (!p->lines && is_last && is_array)
            str_putc(p->s, ' '); /* so does ksh93 */
    }
    return FLOW_NEXT;
}

/* INNER: the array is a member's. LAST: nothing but parentheses will follow. */
static enum flow print_array(struct printer *p, struct var *var, struct array *array, bool inner,
                             bool last)
{
    struct array_walk walk;
    open_list(p);
    var->refs++; /* whatever disciplines do */
    array_walk_begin(&walk, array);
    enum flow flow = print_elements(p, var, &walk, inner, last);
    array_walk_end(&walk);
    var_drop(p->sh->nodes, var);
    if (flow == FLOW_NEXT)
        close_list(p);
    return flow;
}

/* ---- members ---- */

/* Attributes of VAR and the NAME of the member that it is, or that refers to it. */
static void print_head(struct printer *p, const struct members *m, const struct var *var,
                       const struct name *name)
{
    uint32_t attrs = var_shown_attrs(var);
    bool typed = (var->attrs & (VAR_ENUM | VAR_TYPED)) != 0;
    if (attrs || typed) {
        str_append_z(p->s, typed ? var->type->name : "typeset");
        str_putc(p->s, ' ');
        var_print_attrs(var, p->s);
        if (attrs)
            str_putc(p->s, ' ');
    } else if (m->type && !value_is_set(&var->value))
        str_append_z(p->s, "typeset "); /* a type has it all the same */
    str_append(p->s, name->text, name->len);
}

/* What shows in place of the member VAR: as in ksh93 the variable that a reference leads to, if
 * that has a plain value. */
static enum flow find_shown(struct printer *p, struct var *var, struct var **ret)
{
    struct place place = { .name = var->name, .var = var, .kind = REF_SCALAR };
    *ret = var;
    if (!(var->attrs & VAR_NAMEREF) || !var->target)
        return FLOW_NEXT;
    TRY(place_follow(p->sh, &place, false));
    const struct var *to = place.var;
    if (to && place.kind == REF_SCALAR && !place.step_count && !(to->attrs & VAR_ARRAY) &&
        value_is_set(&to->value) && !(to->value.bits & VALUE_COMPOUND))
        *ret = place.var;
    return FLOW_NEXT;
}

/* The value of the member VAR of M by its disciplines. */
static enum flow print_disciplined(struct printer *p, struct members *m, struct var *var)
{
    const struct var_ref ref = { .base = var->in ? m : NULL, .name = var->name };
    const char *text;
    size_t len;
    TRY(var_get(p->sh, &ref, &text, &len));
    if (text)
        text_quote_in_list(p->s, text, len);
    return FLOW_NEXT;
}

static enum flow print_member_value(struct printer *p, struct members *m, struct var *var,
                                    bool last)
{
    const struct value *value = &var->value;
    if (var->attrs & VAR_NAMEREF) {
        if (!var->target)
            return FLOW_NEXT;
        str_putc(p->s, '=');
        var_print_reference(p->sh, var, p->s);
    } else if ((var->attrs & VAR_ARRAY) && var->array->count > 0) {
        str_putc(p->s, '=');
        TRY(print_array(p, var, var->array, true, last));
        if (!p->lines)
            str_putc(p->s, ';');
        return FLOW_NEXT;
    } else if (value_is_set(value)) {
        bool is_compound = value->bits & VALUE_COMPOUND;
        str_putc(p->s, '=');
        p->in_list = true;
        if ((var->attrs & VAR_DISCIPLINE) && !is_compound)
            TRY(print_disciplined(p, m, var));
        else
            TRY(print_value(p, var, value, last));
        if (is_compound)
            return FLOW_NEXT;
    } else if ((var->attrs & VAR_NUMERIC) && !(var->attrs & VAR_ARRAY)) {
        str_append_z(p->s, "=0");
    }
    if (!p->lines && !last)
        str_putc(p->s, ';');
    return FLOW_NEXT;
}

static bool has_members(const struct members *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (member_in_use(m->items[i]))
            return true;
    return false;
}

/* A compound variable without members does not show, though what stands before it ends in a
 * semicolon. */
static bool is_empty(const struct var *var)
{
    return (var->value.bits & VALUE_COMPOUND) && !(var->attrs & VAR_ARRAY) &&
           !var->value.members->type && !has_members(var->value.members);
}

/* A member that has neither value nor attributes does not show. */
static bool is_shown(const struct var *var)
{
    return value_is_set(&var->value) || var_shown_attrs(var) || (var->attrs & VAR_TYPED);
}

static enum flow print_member(struct printer *p, struct members *m, struct var *var, bool last)
{
    struct name *name = var->name;
    if (p->lines)
        new_line(p);
    TRY(find_shown(p, var, &var));
    print_head(p, m, var, name);
    if ((var->attrs & VAR_STATIC) && m->type && m != m->type->prototype) {
        struct var *shared = members_find(m->type->prototype, var->name);
        var = shared ? shared : var;
    }
    var->refs++; /* it need not be one of M */
    enum flow flow = print_member_value(p, m, var, last);
    var_drop(p->sh->nodes, var);
    return flow;
}

static enum flow print_members(struct printer *p, struct members *m, bool last)
{
    size_t count;
    struct var **vars = members_sorted(m, &count);
    enum flow flow = FLOW_NEXT;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_shown(vars[i]) || m->type)
            vars[kept++] = vars[i];
    members_hold(m); /* whatever disciplines do */
    for (size_t i = 0; i < kept; i++)
        vars[i]->refs++;
    open_list(p);
    for (size_t i = 0; i < kept && flow == FLOW_NEXT; i++)
        if (vars[i]->in == m && !is_empty(vars[i]))
            flow = print_member(p, m, vars[i], last && i + 1 == kept);
    close_list(p);
    for (size_t i = 0; i < kept; i++)
        var_drop(p->sh->nodes, vars[i]);
    members_release(m);
    mem_free(vars);
    return flow;
}

static enum flow print_value(struct printer *p, struct var *var, const struct value *value,
                             bool last)
{
    const char *text;
    size_t len;
    if (value->bits & VALUE_ARRAY)
        return print_array(p, var, value->array, false, last);
    if (value->bits & VALUE_COMPOUND) {
        value->members->of = var;
        return print_members(p, value->members, last);
    }
    TRY(attr_show(p->sh, var, value, &text, &len));
    if (var->in && (var->attrs & VAR_LEFT)) /* what fills it up is no part of a member's value */
        while (len && text[len - 1] == ' ')
            len--;
    if (text && p->in_list)
        text_quote_in_list(p->s, text, len);
    else if (text)
        text_quote(p->s, text, len);
    return FLOW_NEXT;
}

enum flow members_print(struct shell *sh, struct members *m, bool lines, struct str *s)
{
    struct printer p = { .sh = sh, .s = s, .lines = lines };
    return print_members(&p, m, true);
}

/* ---- as text ---- */

enum flow var_show_members(struct shell *sh, struct members *m, const char **ret_text,
                           size_t *ret_len)
{
    struct str s;
    struct printer p = { .sh = sh, .s = &s, .lines = true };
    str_init(&s, sh->scratch);
    if (!shell_enter(sh)) {
        shell_leave(sh);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "compound variable: nested too deeply");
    }
    enum flow flow = print_members(&p, m, true);
    shell_leave(sh);
    TRY(flow);
    if (!str_ok(&s))
        return shell_fail_memory(sh, s.len);
    *ret_text = str_text(&s);
    *ret_len = s.len;
    return FLOW_NEXT;
}

enum flow var_show_value(struct shell *sh, struct var *var, const struct value *value,
                         const char **ret_text, size_t *ret_len)
{
    if (!value || !(value->bits & VALUE_COMPOUND))
        return attr_show(sh, var, value, ret_text, ret_len);
    value->members->of = var;
    return var_show_members(sh, value->members, ret_text, ret_len);
}

/* ---- variables ---- */

void var_print_reference(const struct shell *sh, const struct var *var, struct str *s)
{
    struct str text;
    str_init(&text, s->region);
    str_append_z(&text, space_short(sh, var->target->text));
    if (var->target_rest)
        str_append_z(&text, var->target_rest);
    text_quote(s, str_text(&text), text.len);
    str_release(&text);
}

static enum flow print_variable(struct shell *sh, struct var *var, struct str *s)
{
    struct printer p = { .sh = sh, .s = s };
    const char *text;
    size_t len;
    if (var->attrs & VAR_NAMEREF) {
        if (var->target)
            var_print_reference(sh, var, s);
        return FLOW_NEXT;
    }
    if (var->attrs & VAR_SPECIAL)
        TRY(special_prepare(sh, var));
    if (var->attrs & VAR_ARRAY)
        return print_array(&p, var, var->array, false, true);
    if (var->value.bits & VALUE_COMPOUND)
        return print_value(&p, var, &var->value, true);
    if ((var->attrs & VAR_DISCIPLINE) && (var->in || var->name->cur == var)) {
        const struct var_ref ref = { .base = var->in, .name = var->name };
        TRY(var_get(sh, &ref, &text, &len));
    } else if ((var->attrs & VAR_SPECIAL) && var->name->special->get) {
        TRY(var->name->special->get(sh, var->name, &text, &len));
    } else {
        TRY(attr_show(sh, var, &var->value, &text, &len));
    }
    if (text)
        text_quote(s, text, len);
    return FLOW_NEXT;
}

static enum flow check_str(struct shell *sh, const struct str *s)
{
    return str_ok(s) ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

/* The variable of NAME itself, a reference not followed; NULL: none. */
static enum flow find_var(struct shell *sh, struct name *name, struct var **ret)
{
    *ret = var_seen(name->cur);
    if (name->parent) {
        const struct var_ref outer = var_ref_name(name->parent), ref = var_ref_name(name);
        struct place place;
        TRY(place_find(sh, &outer, &place));
        struct members *m = place.var && !place_is_all(&place) ? place_members(&place) : NULL;
        *ret = m ? members_find(m, name->member) : NULL;
        if (*ret && ((*ret)->attrs & VAR_NAMEREF)) /* it is about the reference itself */
            return FLOW_NEXT;
        TRY(place_find(sh, &ref, &place));
        *ret = place.var;
    }
    return FLOW_NEXT;
}

enum flow var_print_value(struct shell *sh, struct name *name, struct str *s)
{
    struct var *var;
    TRY(find_var(sh, name, &var));
    if (var)
        TRY(print_variable(sh, var, s));
    return check_str(sh, s);
}

/* Is there anything to show of VAR? */
static bool is_declared(const struct var *var)
{
    return var_has_value(var) ||
           (var->attrs & ~(uint32_t)(VAR_SPECIAL | VAR_NOTHING | VAR_DISCIPLINE));
}

/* `typeset -i`, the name of a type, or nothing. */
static void print_command(const struct var *var, struct str *s)
{
    bool typed = (var->attrs & (VAR_ENUM | VAR_TYPED)) != 0;
    struct var shown = *var;
    shown.in = NULL; /* a member on its own shows -C */
    uint32_t attrs = var_shown_attrs(&shown);
    if (!attrs && !typed && !(var->attrs & VAR_TYPED_INDEX))
        return;
    str_append_z(s, typed ? var->type->name : "typeset");
    if (attrs)
        str_putc(s, ' ');
    var_print_attrs(&shown, s);
}

/* `typeset -i NAME`, or the name alone. */
static void print_declaration(const struct shell *sh, const struct var *var,
                              const struct name *name, struct str *s, bool with_command)
{
    size_t len = s->len;
    if (with_command)
        print_command(var, s);
    if (s->len > len)
        str_putc(s, ' ');
    str_append_z(s, space_short(sh, name->text));
}

enum flow var_print_command(struct shell *sh, const struct var *var, struct str *s)
{
    if (var->attrs & (VAR_ENUM | VAR_TYPED))
        str_append_z(s, var->type->name);
    else
        print_command(var, s);
    if (s->len && !(var->attrs & (VAR_ENUM | VAR_TYPED)))
        str_putc(s, ' '); /* so does ksh93 */
    return check_str(sh, s);
}

enum flow var_print_head(struct shell *sh, struct name *name, struct str *s)
{
    struct var *var;
    TRY(find_var(sh, name, &var));
    if (var && is_declared(var))
        print_declaration(sh, var, name, s, true);
    return check_str(sh, s);
}

enum flow var_print(struct shell *sh, struct name *name, struct str *s, bool with_command)
{
    struct var *var;
    TRY(find_var(sh, name, &var));
    if (!var || !is_declared(var))
        return FLOW_NEXT;
    bool empty_array = (var->attrs & VAR_ARRAY) &&
                       !((var->attrs & VAR_INDEXED) && (var->attrs & (VAR_NOTHING | VAR_COMPOUND)));
    print_declaration(sh, var, name, s, with_command);
    if (var_has_value(var) || empty_array) {
        str_putc(s, '=');
        TRY(print_variable(sh, var, s));
    }
    return check_str(sh, s);
}

enum flow var_print_element(struct shell *sh, const struct var_ref *ref, const char *text,
                            struct str *s, bool *ret_is)
{
    struct place place;
    struct printer p = { .sh = sh, .s = s };
    TRY(place_find(sh, ref, &place));
    const struct value *value = place_is_all(&place) || !place.var ? NULL : place_stored(&place);
    *ret_is = value && (value->bits & (VALUE_ARRAY | VALUE_COMPOUND));
    if (!*ret_is)
        return FLOW_NEXT;
    if (value->bits & VALUE_COMPOUND && value->members->type)
        str_printf(s, "%s %s=", value->members->type->name, text);
    else if (value->bits & VALUE_COMPOUND)
        str_printf(s, "typeset -C %s=", text);
    else
        str_printf(s, "typeset %s %s=", value->array->assoc ? "-A" : "-a", text);
    TRY(print_value(&p, place.var, value, true));
    return check_str(sh, s);
}

enum flow var_print_tree(struct shell *sh, const struct var_ref *ref, bool lines, struct str *s,
                         bool *ret_is)
{
    struct printer p = { .sh = sh, .s = s, .lines = lines };
    struct var_ref all = *ref;
    struct place place;
    struct var *var;
    *ret_is = false;
    TRY(var_resolve(sh, &all, &var));
    if (var && (var->attrs & VAR_SPECIAL)) /* may make it an array */
        TRY(special_prepare(sh, var));
    if (var && (var->attrs & VAR_ARRAY) && all.kind == REF_SCALAR && all.step_count == 0) {
        *ret_is = true;
        if (var->array && var->array->count > 0)
            TRY(print_array(&p, var, var->array, false, true));
        return check_str(sh, s);
    }
    TRY(place_find(sh, ref, &place));
    struct members *m = place.var && !place_is_all(&place) ? place_members(&place) : NULL;
    *ret_is = m != NULL;
    if (m)
        TRY(print_members(&p, m, true));
    return check_str(sh, s);
}
