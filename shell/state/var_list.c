/*
 * Showing variables: lists of names, and the attributes as options. Values are var_print.c's.
 */
#include <stdlib.h>

#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* ---- names ---- */

struct var *var_seen(struct var *var)
{
    const uint32_t both = VAR_NAMEREF | VAR_STATIC;
    return var && (var->attrs & both) == both ? var->target->cur : var;
}

static bool is_shown(const struct name *name, uint32_t attrs_all)
{
    const struct var *var = var_seen(name->cur);
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

uint32_t var_shown_attrs(const struct var *var)
{
    const uint32_t inner =
        VAR_SPECIAL | VAR_NOTHING | VAR_DISCIPLINE | VAR_ENUM | VAR_TYPED | VAR_TYPED_INDEX;
    uint32_t attrs = var->attrs & ~inner;
    bool is_plain = !(attrs & VAR_ARRAY) && (attrs & ~(uint32_t)VAR_COMPOUND || var->in);
    if ((var->attrs & VAR_TYPED) || is_plain)
        attrs &= ~(uint32_t)VAR_COMPOUND; /* the value shows it */
    return attrs;
}

struct flag_row {
    uint32_t attr;
    const char *text;
};

void var_print_attrs(const struct var *var, struct str *s)
{
    static const struct flag_row rows[] = {
        { VAR_NAMEREF, "-n" },  { VAR_EXPORT, "-x" },   { VAR_STATIC, "-S" },
        { VAR_READONLY, "-r" }, { VAR_COMPOUND, "-C" }, { VAR_TAG, "-t" },
        { VAR_ASSOC, "-A" },    { VAR_INDEXED, "-a" },  { VAR_BINARY, "-b" },
        { VAR_HOST, "-H" },     { VAR_SHORT, "-s" },    { VAR_LONG, "-l" },
        { VAR_LOWER, "-l" },    { VAR_UNSIGNED, "-u" }, { VAR_UPPER, "-u" },
        { VAR_INTEGER, "-i" },  { VAR_FIXED, "-F" },    { VAR_EXPONENT, "-E" },
        { VAR_HEXFLOAT, "-X" }, { VAR_ZERO, "-Z" },     { VAR_LEFT, "-L" },
        { VAR_RIGHT, "-R" },
    };
    bool first = true;
    uint32_t attrs = var_shown_attrs(var);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(attrs & rows[i].attr))
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
