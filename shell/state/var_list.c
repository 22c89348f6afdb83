/*
 * Showing variables: lists of names, and the `typeset -p` form, which reads back to the same
 * variable.
 */
#include <stdlib.h>

#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* ---- names ---- */

static bool is_shown(const struct name *name, uint32_t attrs_all)
{
    const struct var *var = name->cur;
    if (!var || (var->attrs & attrs_all) != attrs_all)
        return false;
    return var_has_value(var) ||
           (var->attrs & ~(uint32_t)(VAR_SPECIAL | VAR_NOTHING | VAR_DISCIPLINE));
}

static int compare_names(const void *a, const void *b)
{
    const struct name *x = *(struct name *const *)a, *y = *(struct name *const *)b;
    return text_compare(x->text, x->len, y->text, y->len);
}

enum flow var_list(struct shell *sh, uint32_t attrs_all, struct name ***ret_names,
                   size_t *ret_count)
{
    struct name **names = scratch_alloc(sh, (sh->names.count + 1) * sizeof *names);
    size_t count = 0, cursor = 0;
    if (!names)
        return shell_fail_memory(sh, (sh->names.count + 1) * sizeof *names);
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor)) != NULL;)
        if (is_shown(slot->value, attrs_all))
            names[count++] = slot->value;
    names[count] = NULL;
    qsort(names, count, sizeof *names, compare_names);
    *ret_names = names;
    *ret_count = count;
    return FLOW_NEXT;
}

/* ---- attributes ---- */

struct flag_row {
    uint32_t attr;
    const char *text;
};

void var_print_attrs(const struct var *var, struct str *s)
{
    static const struct flag_row rows[] = {
        { VAR_NAMEREF, "-n" },  { VAR_EXPORT, "-x" },   { VAR_READONLY, "-r" },
        { VAR_TAG, "-t" },      { VAR_ASSOC, "-A" },    { VAR_INDEXED, "-a" },
        { VAR_BINARY, "-b" },   { VAR_HOST, "-H" },     { VAR_SHORT, "-s" },
        { VAR_LONG, "-l" },     { VAR_LOWER, "-l" },    { VAR_UNSIGNED, "-u" },
        { VAR_UPPER, "-u" },    { VAR_INTEGER, "-i" },  { VAR_FIXED, "-F" },
        { VAR_EXPONENT, "-E" }, { VAR_HEXFLOAT, "-X" }, { VAR_ZERO, "-Z" },
        { VAR_LEFT, "-L" },     { VAR_RIGHT, "-R" },
    };
    bool first = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(var->attrs & rows[i].attr))
            continue;
        if (!first)
            str_putc(s, ' ');
        first = false;
        str_append_z(s, rows[i].text);
        if (rows[i].attr == VAR_INTEGER && var->base != 0 && var->base != 10)
            str_printf(s, " %d", var->base);
        else if (rows[i].attr & VAR_JUSTIFY)
            str_printf(s, " %d", var->width);
        else if ((rows[i].attr & VAR_FLOATING) && var->width >= 0)
            str_printf(s, " %d", var->width);
        else if (rows[i].attr == VAR_HEXFLOAT)
            str_append_z(s, " 32");
        else if (rows[i].attr == VAR_INDEXED && (var->attrs & VAR_TYPED_INDEX))
            str_printf(s, " [%s]", var->index_type->name);
    }
}

/* ---- values ---- */

/* Indices need not be shown when they are 0, 1, 2 ... */
static bool is_gapless(const struct array *array)
{
    return !array->assoc && array->top == (int64_t)array->count;
}

static bool position_is_last(struct array *array, size_t position)
{
    struct array_item item;
    return !array_next(array, &position, &item);
}

/* Would an array in an array read back as an associative one? */
static bool needs_prefix(const struct value *value)
{
    if (!(value->bits & VALUE_ARRAY) || value->array->assoc)
        return false;
    return value->array->count == 0 || !is_gapless(value->array);
}

/* What stands before an element. DEPTH as in print_array. */
static void print_gap(struct str *s, bool first, int depth)
{
    if (depth) {
        str_putc(s, '\n');
        for (int i = 1; i <= depth; i++)
            str_putc(s, '\t');
    } else if (!first) {
        str_putc(s, ' ');
    }
}

static void print_subscript(const struct var *var, const struct array *array,
                            const struct array_item *item, struct str *s)
{
    if (needs_prefix(item->value))
        str_append_z(s, "typeset -a ");
    str_putc(s, '[');
    const char *label = index_label(var, array, item->index);
    if (item->element)
        text_quote(s, item->element->key, item->element->key_len);
    else if (label)
        text_quote(s, label, strlen(label));
    else
        str_append_int(s, item->index);
    str_append(s, "]=", 2);
}

/* DEPTH: 0: all on one line; else of ARRAY in the variable, from 1. */
static enum flow print_array(struct shell *sh, const struct var *var, struct array *array,
                             struct str *s, int depth)
{
    struct array_item item;
    size_t position = 0;
    bool plain = is_gapless(array), first = true;
    str_putc(s, '(');
    while (array_next(array, &position, &item)) {
        print_gap(s, first, depth);
        first = false;
        if (!plain)
            print_subscript(var, array, &item, s);
        if (item.value->bits & VALUE_ARRAY) {
            TRY(print_array(sh, var, item.value->array, s, depth ? depth + 1 : 0));
            if (!depth && position_is_last(array, position))
                str_putc(s, ' '); /* so does ksh93 */
            continue;
        }
        const char *text;
        size_t len;
        TRY(attr_show(sh, var, item.value, &text, &len));
        text_quote(s, text, len);
    }
    if (depth) {
        str_putc(s, '\n');
        for (int i = 1; i < depth; i++)
            str_putc(s, '\t');
    }
    str_putc(s, ')');
    return FLOW_NEXT;
}

static void print_reference(const struct var *var, struct str *s)
{
    struct str text;
    str_init(&text, s->region);
    str_append(&text, var->target->text, var->target->len);
    if (var->target_key)
        str_printf(&text, "[%s]", var->target_key);
    text_quote(s, str_text(&text), text.len);
    str_release(&text);
}

static enum flow print_value(struct shell *sh, struct var *var, struct str *s)
{
    if (var->attrs & VAR_NAMEREF) {
        if (var->target)
            print_reference(var, s);
        return FLOW_NEXT;
    }
    if (var->attrs & VAR_SPECIAL)
        TRY(special_prepare(sh, var));
    if (var->attrs & VAR_ARRAY)
        return print_array(sh, var, var->array, s, 0);
    const char *text;
    size_t len;
    if ((var->attrs & VAR_DISCIPLINE) && var->name->cur == var)
        TRY(var_get_name(sh, var->name, &text, &len));
    else if ((var->attrs & VAR_SPECIAL) && var->name->special->get)
        TRY(var->name->special->get(sh, var->name, &text, &len));
    else
        TRY(attr_show(sh, var, &var->value, &text, &len));
    if (text)
        text_quote(s, text, len);
    return FLOW_NEXT;
}

static enum flow check_str(struct shell *sh, const struct str *s)
{
    return str_ok(s) ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

enum flow var_print_value(struct shell *sh, struct name *name, struct str *s)
{
    if (name->cur)
        TRY(print_value(sh, name->cur, s));
    return check_str(sh, s);
}

/* `typeset -i x`, or the name alone. */
static void print_head(const struct var *var, struct str *s, bool with_command)
{
    uint32_t attrs = var->attrs & ~(uint32_t)(VAR_SPECIAL | VAR_NOTHING | VAR_DISCIPLINE);
    if (with_command && attrs) {
        str_append_z(s, attrs & VAR_ENUM ? var->type->name : "typeset");
        str_putc(s, ' ');
        var_print_attrs(var, s);
        if (attrs & ~(uint32_t)(VAR_ENUM | VAR_TYPED_INDEX))
            str_putc(s, ' ');
    }
    str_append(s, var->name->text, var->name->len);
}

enum flow var_print_head(struct shell *sh, struct name *name, struct str *s)
{
    if (name->cur && is_shown(name, 0))
        print_head(name->cur, s, true);
    return check_str(sh, s);
}

enum flow var_print(struct shell *sh, struct name *name, struct str *s, bool with_command)
{
    struct var *var = name->cur;
    if (!var || !is_shown(name, 0))
        return FLOW_NEXT;
    bool empty_array =
        (var->attrs & VAR_ARRAY) && !((var->attrs & VAR_INDEXED) && (var->attrs & VAR_NOTHING));
    print_head(var, s, with_command);
    if (var_has_value(var) || empty_array) {
        str_putc(s, '=');
        TRY(print_value(sh, var, s));
    }
    return check_str(sh, s);
}

enum flow var_print_element(struct shell *sh, const struct var_ref *ref, const char *text,
                            struct str *s, bool *ret_is)
{
    struct place place;
    TRY(place_find(sh, ref, &place));
    const struct value *value = place_is_all(&place) ? NULL : place_stored(&place);
    *ret_is = value && (value->bits & VALUE_ARRAY);
    if (!*ret_is)
        return FLOW_NEXT;
    str_printf(s, "typeset %s %s=", value->array->assoc ? "-A" : "-a", text);
    TRY(print_array(sh, place.var, value->array, s, 0));
    return check_str(sh, s);
}

enum flow var_print_array(struct shell *sh, const struct var_ref *ref, bool lines, struct str *s,
                          bool *ret_is)
{
    struct var_ref all = *ref;
    struct var *var;
    TRY(var_resolve(sh, &all, &var));
    *ret_is = false;
    if (!var || !(var->attrs & VAR_ARRAY) || all.kind != REF_SCALAR || all.step_count > 0)
        return FLOW_NEXT;
    if (var->attrs & VAR_SPECIAL)
        TRY(special_prepare(sh, var));
    *ret_is = true;
    if (!var->array || var->array->count == 0)
        return FLOW_NEXT;
    TRY(print_array(sh, var, var->array, s, lines ? 1 : 0));
    return check_str(sh, s);
}
