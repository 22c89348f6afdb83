/*
 * Attributes in the environment.
 *
 *     entries: entry [= entry]...      entry: attributes base name
 *
 * ATTRIBUTES is a byte, a blank plus bits; BASE one too, a blank plus the base of an integer. The
 * width of a justified variable is that of its value, the decimals of a floating one are counted
 * in it. The text comes from outside: nothing in it may do harm.
 */
#include "shell/state/env_shape.h"

#include <string.h>

#include "shell/base/utf8.h"

enum {
    SHAPE_BASE = ' ',
    SHAPE_NUMBER = 1 << 1,
    SHAPE_UPPER = 1 << 2, /* of a number: unsigned */
    SHAPE_LOWER = 1 << 3, /* of a number: long */
    SHAPE_ZERO = 1 << 4,
    SHAPE_RIGHT = 1 << 5,
    SHAPE_LEFT = 1 << 6,
    SHAPE_BOTH = SHAPE_LEFT | SHAPE_RIGHT, /* -H; of a number: short */
};

/* Attributes that shape a value. */
enum {
    SHAPING = VAR_NUMERIC | VAR_UPPER | VAR_UNSIGNED | VAR_LOWER | VAR_LONG | VAR_ZERO | VAR_RIGHT |
              VAR_LEFT | VAR_SHORT | VAR_HOST,
};

static int shape_of(const struct var *var)
{
    uint32_t attrs = var->attrs;
    int shape = 0;
    if (!(attrs & SHAPING))
        return 0;
    if (attrs & VAR_NUMERIC)
        shape |= SHAPE_NUMBER;
    if (attrs & (VAR_UPPER | VAR_UNSIGNED))
        shape |= SHAPE_UPPER;
    if (attrs & (VAR_LOWER | VAR_LONG))
        shape |= SHAPE_LOWER;
    if (attrs & VAR_ZERO)
        shape |= SHAPE_ZERO;
    if (attrs & VAR_RIGHT)
        shape |= SHAPE_RIGHT;
    if (attrs & VAR_LEFT)
        shape |= SHAPE_LEFT;
    if (attrs & (VAR_SHORT | VAR_HOST))
        shape |= SHAPE_BOTH;
    return shape;
}

void env_shape_append(struct str *s, const struct var *var)
{
    int shape = shape_of(var);
    if (!shape)
        return;
    int base = var->attrs & VAR_INTEGER ? var->base ? var->base : 10 : 0;
    bool is_own = text_eq(var->name->text, var->name->len, "SHLVL", 5);
    if (is_own || var->attrs & (VAR_ENUM | VAR_ARRAY) || base == '=' - SHAPE_BASE)
        return;
    if (s->len)
        str_putc(s, '=');
    str_putc(s, (char)(SHAPE_BASE + shape));
    str_putc(s, (char)(SHAPE_BASE + base));
    str_append(s, var->name->text, var->name->len);
}

/* What SHAPE and BASE mean for a variable that holds VALUE. */
static struct var_change change_of(int shape, int base, const char *value, size_t len)
{
    struct var_change change = { .set = 0, .base = -1, .width = -1 };
    const char *point = memchr(value, '.', len);
    if (shape & SHAPE_NUMBER) {
        change.set = point ? VAR_FIXED : VAR_INTEGER;
        if (point)
            change.width = (int)strspn(point + 1, "0123456789");
        else if (base >= 2 && base != 10)
            change.base = base;
        if ((shape & SHAPE_BOTH) == SHAPE_BOTH)
            change.set |= VAR_SHORT;
    } else if ((shape & SHAPE_BOTH) == SHAPE_BOTH) {
        change.set = VAR_HOST;
    } else if (shape & (SHAPE_BOTH | SHAPE_ZERO)) {
        change.set = shape & SHAPE_LEFT ? VAR_LEFT : VAR_RIGHT;
        if (shape & SHAPE_ZERO)
            change.set |= VAR_ZERO;
        size_t width = utf8_columns(value, len);
        change.width = width < INT16_MAX ? (int)width : INT16_MAX;
    }
    if (shape & SHAPE_UPPER)
        change.set |= VAR_UPPER;
    if (shape & SHAPE_LOWER)
        change.set |= VAR_LOWER;
    return change;
}

/* Is VALUE a constant? An expression from the environment is not evaluated. */
static bool is_constant(const char *value, size_t len)
{
    int64_t i;
    long double f;
    bool is_float;
    int base;
    size_t sign = len && *value == '-';
    return len > sign &&
           num_scan(value + sign, len - sign, false, &i, &f, &is_float, &base) == len - sign;
}

static enum flow import_entry(struct shell *sh, int shape, int base, const char *text, size_t len)
{
    const char *value;
    size_t value_len;
    struct name *name = name_find(sh, text, len);
    if (!name || !name->cur || !(name->cur->attrs & VAR_EXPORT) || name->cur->attrs & VAR_SPECIAL)
        return FLOW_NEXT;
    TRY(var_get_name(sh, name, &value, &value_len));
    if (!value || ((shape & SHAPE_NUMBER) && !is_constant(value, value_len)))
        return FLOW_NEXT;
    struct var_change change = change_of(shape, base, value, value_len);
    return change.set ? var_declare(sh, name, &change) : FLOW_NEXT;
}

enum flow env_shape_import(struct shell *sh, const char *text)
{
    while (text[0] && text[1]) {
        size_t len = strcspn(text + 2, "=");
        int shape = (unsigned char)text[0] - SHAPE_BASE, base = (unsigned char)text[1] - SHAPE_BASE;
        if (shape > 0 && base >= 0 && base <= 64 && text_is_name(text + 2, len))
            TRY(import_entry(sh, shape, base, text + 2, len));
        text += 2 + len;
        if (*text == '=')
            text++;
    }
    return FLOW_NEXT;
}
