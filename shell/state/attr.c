/*
 * What attributes do: text or a number on its way into a variable, and a number on its way out as
 * text.
 *
 * Numeric variables keep numbers and make text only when it is asked for; all other attributes (-u
 * -l -L -R -Z) act once, at assignment. Results are drafts: nothing here writes a variable.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "shell/base/base64.h"
#include "shell/base/utf8.h"
#include "shell/state/option.h"
#include "shell/state/var_private.h"

enum {
    FLOAT_DIGITS = 10,      /* -F and -E without n */
    HEXFLOAT_DIGITS = 32,   /* -X without n */
    DOUBLE_DIGITS_MAX = 15, /* more would show noise */
    LONG_DOUBLE_DIGITS_MAX = 18,
    TEXT_FLOAT_DIGITS = 18, /* a floating number in a plain variable */
};

/* ---- numbers in ---- */

/* A plain signed integer has 64 bits: ksh93's 32 help nobody, and no value that fits them shows
 * otherwise. */
int64_t attr_wrap(uint32_t attrs, int64_t n)
{
    if (attrs & VAR_SHORT)
        return attrs & VAR_UNSIGNED ? (int64_t)(uint16_t)n : (int64_t)(int16_t)n;
    if ((attrs & VAR_UNSIGNED) && !(attrs & VAR_LONG))
        return (int64_t)(uint32_t)n;
    return n;
}

static long double round_float(uint32_t attrs, long double f)
{
    return attrs & VAR_LONG ? f : (long double)(double)f;
}

static int64_t float_to_int(uint32_t attrs, long double f)
{
    if ((attrs & VAR_UNSIGNED) && f >= 0x1p63L &&
        isfinite(f)) /* what is shown as a number above INT64_MAX */
        return f >= 0x1p64L ? -1 : (int64_t)(uint64_t)f;
    return isfinite(f) ? num_to_int(num_float(f)) : 0;
}

enum flow attr_parse_num(struct shell *sh, const char *text, size_t len, struct num *ret)
{
    int64_t i;
    bool octal = len > 1 && text[0] == '0' && option_on(sh, OPTION_LETOCTAL);
    if (!octal && num_parse_int(text, len, &i)) {
        *ret = num_int(i);
        return FLOW_NEXT;
    }
    if (sh->hooks.arith_text)
        return sh->hooks.arith_text(sh, text, len, ret);
    /* No arithmetic in this process (tests of this layer): constants only. */
    long double f = 0;
    bool is_float = false;
    int base;
    if (len > 0 && num_scan(text, len, octal, &i, &f, &is_float, &base) != len)
        return shell_fail(sh, ERROR_EXPANSION, 1, text, "not a number");
    *ret = is_float ? num_float(f) : num_int(len > 0 ? i : 0);
    return FLOW_NEXT;
}

/* VALUE as a number without evaluating text: for +=. */
static struct num stored_num(const struct value *value)
{
    if (value && (value->bits & VALUE_INT))
        return num_int(value->i);
    if (value && (value->bits & VALUE_FLOAT))
        return num_float(value_float(value));
    return num_int(0);
}

static struct num add_nums(struct num a, struct num b)
{
    if (!a.is_float && !b.is_float)
        return num_int((int64_t)((uint64_t)a.i + (uint64_t)b.i));
    long double x = a.is_float ? a.f : (long double)a.i;
    long double y = b.is_float ? b.f : (long double)b.i;
    return num_float(x + y);
}

/* N for a numeric variable with ATTRS. */
static void draft_num(uint32_t attrs, struct num n, struct draft *ret)
{
    if (attrs & VAR_INTEGER) {
        ret->bits = VALUE_INT;
        ret->i = attr_wrap(attrs, n.is_float ? float_to_int(attrs, n.f) : n.i);
        return;
    }
    long double f = n.f;
    if (!n.is_float) /* a 64-bit unsigned integer may arrive as a negative one; it is taken as it is
                      */
        f = (long double)n.i;
    ret->bits = VALUE_FLOAT;
    ret->f = round_float(attrs, f);
}

/* ---- text in ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* The text of -L, -R or -Z in WIDTH columns, appended to S. */
static void justify(struct str *s, uint32_t attrs, size_t width, const char *text, size_t len)
{
    if (attrs & VAR_LEFT) {
        while (len > 0 && (is_blank(*text) || ((attrs & VAR_ZERO) && *text == '0')))
            text++, len--;
        size_t bytes = utf8_offset_columns(text, len, width);
        str_append(s, text, bytes);
        for (size_t n = utf8_columns(text, bytes); n < width; n++)
            str_putc(s, ' ');
        return;
    }
    while (len > 0 && is_blank(text[len - 1]))
        len--;
    char pad = ' ';
    if (attrs & VAR_ZERO) {
        while (len > 0 && is_blank(*text))
            text++, len--;
        pad = len > 0 && *text >= '0' && *text <= '9' ? '0' : ' ';
    }
    size_t columns = utf8_columns(text, len);
    while (columns > width) { /* characters in front go */
        size_t bytes = utf8_char_bytes(text, text + len);
        columns -= utf8_columns(text, bytes);
        text += bytes;
        len -= bytes;
    }
    for (size_t n = columns; n < width; n++)
        str_putc(s, pad);
    str_append(s, text, len);
}

/* Base64 TEXT for a binary variable, after that of OLD if there is one: the canonical text of the
 * bytes, as many as -Z says. */
static enum flow shape_binary(struct shell *sh, const struct var *var, const struct value *old,
                              const char *text, size_t len, struct draft *ret)
{
    struct str bytes, encoded;
    str_init(&bytes, sh->scratch);
    str_init(&encoded, sh->scratch);
    if (old) {
        const char *before;
        size_t before_len;
        TRY(attr_show(sh, var, old, &before, &before_len));
        base64_decode(&bytes, before, before_len);
    }
    base64_decode(&bytes, text, len);
    size_t size = bytes.len;
    if ((var->attrs & VAR_ZERO) && var->width > 0) {
        size = (size_t)var->width;
        while (bytes.len < size && str_ok(&bytes))
            str_putc(&bytes, '\0');
    }
    base64_encode(&encoded, str_text(&bytes), size);
    if (!str_ok(&bytes) || !str_ok(&encoded))
        return shell_fail_memory(sh, len);
    *ret = (struct draft){ .bits = VALUE_TEXT, .text = str_text(&encoded), .len = encoded.len };
    return FLOW_NEXT;
}

/* Case and width for a text variable, into scratch. */
static enum flow shape_text(struct shell *sh, const struct var *var, const char *text, size_t len,
                            struct draft *ret)
{
    struct str s;
    str_init(&s, sh->scratch);
    if (var->attrs & (VAR_LOWER | VAR_UPPER)) {
        if (var->attrs & VAR_UPPER)
            utf8_upper(&s, text, len);
        else
            utf8_lower(&s, text, len);
        text = str_text(&s);
        len = s.len;
    }
    struct str wide;
    str_init(&wide, sh->scratch);
    size_t width = var->width > 0 ? (size_t)var->width : utf8_columns(text, len);
    if (var->attrs & VAR_JUSTIFY) {
        justify(&wide, var->attrs, width, text, len);
        text = str_text(&wide);
        len = wide.len;
    }
    if (!str_ok(&s) || !str_ok(&wide))
        return shell_fail_memory(sh, len);
    *ret = (struct draft){ .bits = VALUE_TEXT, .text = text, .len = len };
    return FLOW_NEXT;
}

enum flow attr_convert_text(struct shell *sh, const struct var *var, const struct value *old,
                            const char *text, size_t len, struct draft *ret)
{
    uint32_t attrs = var ? var->attrs : 0;
    if (attrs & VAR_ENUM) {
        ret->bits = VALUE_INT;
        return type_item_number(sh, var->type, var_label(sh, var), text, len, &ret->i);
    }
    if (attrs & VAR_NUMERIC) {
        struct num n;
        TRY(attr_parse_num(sh, text, len, &n));
        draft_num(attrs, old ? add_nums(stored_num(old), n) : n, ret);
        return FLOW_NEXT;
    }
    if (attrs & VAR_BINARY)
        return shape_binary(sh, var, old, text, len, ret);
    if (!(attrs & (VAR_LOWER | VAR_UPPER | VAR_JUSTIFY))) {
        *ret = (struct draft){ .bits = VALUE_TEXT, .text = text, .len = len };
        return FLOW_NEXT;
    }
    if (old && (attrs & VAR_JUSTIFY)) { /* the whole is shaped again */
        const char *before;
        size_t before_len;
        TRY(attr_show(sh, var, old, &before, &before_len));
        char *all = scratch_alloc(sh, before_len + len + 1);
        if (!all)
            return shell_fail_memory(sh, before_len + len);
        memcpy(all, before, before_len);
        memcpy(all + before_len, text, len);
        text = all;
        len += before_len;
    }
    return shape_text(sh, var, text, len, ret);
}

enum flow attr_convert_num(struct shell *sh, const struct var *var, const struct value *old,
                           struct num n, struct draft *ret)
{
    uint32_t attrs = var ? var->attrs : 0;
    if (attrs & VAR_ENUM) {
        if (old)
            n = add_nums(stored_num(old), n);
        ret->bits = VALUE_INT;
        ret->i = num_to_int(n);
        return type_check_number(sh, var->type, var_label(sh, var), ret->i);
    }
    if (attrs & VAR_NUMERIC) {
        draft_num(attrs, old ? add_nums(stored_num(old), n) : n, ret);
        return FLOW_NEXT;
    }
    struct str s;
    str_init(&s, sh->scratch);
    if (n.is_float)
        num_format_float(&s, n.f, TEXT_FLOAT_DIGITS);
    else
        str_append_int(&s, n.i);
    if (!str_ok(&s))
        return shell_fail_memory(sh, 0);
    return attr_convert_text(sh, var, old, str_text(&s), s.len, ret);
}

/* ---- numbers out ---- */

/* An unsigned number beyond INT64_MAX in BASE. */
static size_t show_huge(uint64_t n, unsigned base, char *ret)
{
    /* All digits but the last fit a signed number. */
    size_t len = num_format_base((int64_t)(n / base), (int)base, true, ret);
    char last[80];
    size_t last_len = num_format_base((int64_t)(n % base), (int)base, false, last);
    ret[len++] = last[last_len - 1];
    ret[len] = '\0';
    return len;
}

/* As an integer variable shows N; RET has 80 bytes. */
static size_t show_int(const struct var *var, int64_t n, char *ret)
{
    int base = var->base >= 2 ? var->base : 10;
    if ((var->attrs & VAR_UNSIGNED) && n < 0)
        return show_huge((uint64_t)n, (unsigned)base, ret);
    size_t len = num_format_base(n, base, true, ret);
    ret[len] = '\0';
    return len;
}

/* The decimals of F, DIGITS of them and one more, in the precision of the variable as ksh93 works
 * them out: 0.35 * 10 is 3.5 in a double. Rounds half away from 0; true: what is before the point
 * is one more. */
static bool decimals(long double f, int digits, bool is_double, char *ret)
{
    f -= (long double)(uint64_t)f;
    for (int i = 0; i <= digits; i++) {
        f = is_double ? (long double)((double)f * 10) : f * 10;
        int digit = (int)f;
        ret[i] = (char)('0' + digit);
        f -= digit;
    }
    int i = digits;
    if (ret[i] < '5')
        return false;
    while (i > 0 && ret[i - 1] == '9')
        ret[--i] = '0';
    if (i == 0)
        return true;
    ret[i - 1]++;
    return false;
}

/* -F: digits that a float does not have are 0. */
static void show_fixed(struct str *s, long double f, int width, int most)
{
    char text[LONG_DOUBLE_DIGITS_MAX + 2];
    int digits = width < most ? width : most;
    if (fabsl(f) < 0x1p63L) {
        bool more = decimals(fabsl(f), digits, most == DOUBLE_DIGITS_MAX, text);
        if (signbit(f))
            str_putc(s, '-');
        str_append_int(s, (int64_t)((uint64_t)fabsl(f) + more));
        if (width > 0)
            str_putc(s, '.');
        str_append(s, text, (size_t)digits);
    } else {
        str_printf(s, "%.*Lf", digits, f);
    }
    for (; digits < width; digits++)
        str_putc(s, '0');
}

static void show_float(struct str *s, const struct var *var, long double f)
{
    int most = var->attrs & VAR_LONG ? LONG_DOUBLE_DIGITS_MAX : DOUBLE_DIGITS_MAX;
    int width = var->width < 0 ? FLOAT_DIGITS : var->width;
    if (!isfinite(f))
        str_append_z(s, isnan(f) ? "nan" : f < 0 ? "-inf" : "inf");
    else if (var->attrs & VAR_FIXED)
        show_fixed(s, f, width, most);
    else if (var->attrs & VAR_EXPONENT)
        str_printf(s, "%.*Lg", width < most ? width : most,
                   num_round_half(f, 'g', width < most ? width : most));
    else
        str_printf(s, "%.*a", var->width < 0 ? HEXFLOAT_DIGITS : width,
                   num_round_hex(f, var->width));
}

enum flow attr_show(struct shell *sh, const struct var *var, const struct value *value,
                    const char **ret_text, size_t *ret_len)
{
    if (value && (value->bits & VALUE_ARRAY))
        value = value_scalar(value);
    if (!value || !value_is_set(value)) {
        *ret_text = NULL;
        *ret_len = 0;
        return FLOW_NEXT;
    }
    if (value->bits & VALUE_TEXT) {
        *ret_text = value_text(value, ret_len);
        return FLOW_NEXT;
    }
    if ((value->bits & VALUE_INT) && (var->attrs & VAR_ENUM)) {
        const struct type_item *item = &var->type->items[value->i];
        *ret_text = item->text;
        *ret_len = item->len;
        return FLOW_NEXT;
    }
    if (value->bits & VALUE_INT) {
        char buffer[80];
        size_t len = show_int(var, value->i, buffer);
        char *copy = scratch_alloc(sh, len + 1);
        if (!copy)
            return shell_fail_memory(sh, len + 1);
        memcpy(copy, buffer, len + 1);
        *ret_text = copy;
        *ret_len = len;
        return FLOW_NEXT;
    }
    struct str s;
    str_init(&s, sh->scratch);
    show_float(&s, var, value_float(value));
    if (!str_ok(&s))
        return shell_fail_memory(sh, 0);
    *ret_text = str_text(&s);
    *ret_len = s.len;
    return FLOW_NEXT;
}
