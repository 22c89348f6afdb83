/*
 * printf: formatted output, with the conversions of C and those of ksh93.
 *
 * The format is read while it is written, one conversion at a time, and used again while there are
 * arguments and it takes some. An argument that is no number is reported and counts as what could
 * be read of it; the rest is still written and the status is 1. Numbers are arithmetic expressions,
 * each evaluated once.
 */
#include "builtins/print.h"

#include <stdlib.h>
#include <string.h>

#include "builtins/escape.h"
#include "builtins/operand.h"
#include "shell/arith/arith.h"
#include "shell/base/numeric.h"
#include "shell/base/utf8.h"
#include "shell/state/option.h"

enum { WIDTH_MAX = 1 << 28, FLOAT_PRECISION_MAX = 4000 };

struct printer {
    struct shell *sh;
    struct out *out;
    const char *name;
    const char *const *argv;
    size_t count;
    size_t base; /* argv[base] is %1$ in this turn of the format */
    size_t next; /* next argument */
    size_t used; /* highest argument taken in this turn, + 1 */
    bool stop;   /* \c was met */
    bool failed;
    struct str text; /* of the conversion at hand */
    uint64_t start;  /* where in OUT this turn began */
};

/* A conversion as written. */
struct spec {
    bool minus, plus, space, alternate, zero, center, wide;
    bool group;  /* flag , */
    bool locale; /* flag ': groups as LC_NUMERIC has them, which in C are none */
    bool has_precision;
    int width, precision;
    int base;              /* of %..Nd; 0: none */
    const char *separator; /* of %..:c and %..:s, between characters or arguments; NULL: none */
    size_t separator_len;
    const char *name; /* of %(name)c */
    size_t name_len;
    char conversion;
};

/* ---- arguments ------------------------------------------------------------------------------ */

static const char *take_arg(struct printer *p)
{
    const char *arg = p->next < p->count ? p->argv[p->next] : NULL;
    p->next++;
    if (p->next > p->used)
        p->used = p->next;
    return arg;
}

static void complain(struct printer *p, const char *arg, const char *why)
{
    shell_warn(p->sh, p->name, "%s: %s", arg, why);
    p->failed = true;
}

/* The number that ARG begins with, when it is no expression. */
static struct num leading_number(const char *arg)
{
    char *end;
    long long integer = strtoll(arg, &end, 10);
    if (*end == '.' || *end == 'e' || *end == 'E')
        return num_float(strtold(arg, &end));
    return num_int(integer);
}

static bool is_constant(const char *arg)
{
    char *end;
    (void)!strtold(arg, &end);
    return end != arg && !*end;
}

/* ARG with a dot, if it is a constant with the decimal point of LC_NUMERIC: 1,5 in many a locale,
 * which to arithmetic is two expressions. */
static const char *dotted(struct printer *p, const char *arg)
{
    size_t start = strspn(arg, " \t+-"), len = strlen(numeric.radix);
    size_t at = start + strspn(arg + start, "0123456789");
    if (strcmp(numeric.radix, ".") == 0 || strncmp(arg + at, numeric.radix, len) != 0)
        return arg;
    str_clear(&p->text);
    str_append(&p->text, arg, at);
    str_putc(&p->text, '.');
    str_append_z(&p->text, arg + at + len);
    const char *text = str_text(&p->text);
    return is_constant(text) ? text : arg;
}

static struct num take_number(struct printer *p)
{
    const char *arg = take_arg(p);
    if (!arg || !*arg)
        return num_int(0);
    arg = dotted(p, arg);
    if (*arg == '\'' || *arg == '"') {
        uint32_t code = 0;
        size_t len = strlen(arg + 1);
        if (len > 0 && utf8_active)
            utf8_decode(arg + 1, arg + 1 + len, &code);
        else
            code = (unsigned char)arg[1];
        return num_int(code >= 0x110000 ? code - 0x110000 : code);
    }
    if (option_on(p->sh, OPTION_POSIX) && !is_constant(arg)) {
        complain(p, arg, "not a number");
        return leading_number(arg);
    }
    struct num n;
    size_t depth = p->sh->depth;
    if (arith_eval(p->sh, arg, strlen(arg), &n) == FLOW_NEXT)
        return n.is_float || n.i || *arg != '-' || !is_constant(arg) ? n : num_float(-0.0L);
    p->sh->depth = (uint32_t)depth;
    shell_warn(p->sh, p->name, "%s", p->sh->err.text);
    p->failed = true;
    return leading_number(arg);
}

/* * and *N$ : a width or precision from the arguments. */
static int take_int(struct printer *p)
{
    int64_t n = num_to_int(take_number(p));
    return n > WIDTH_MAX ? WIDTH_MAX : n < -WIDTH_MAX ? -WIDTH_MAX : (int)n;
}

/* ---- reading the format -----------------------------------------------------------------------
 */

/* Decimal digits at *AT, 0 without. */
static int read_int(const char **at)
{
    int n = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        n = n < WIDTH_MAX / 10 ? n * 10 + (**at - '0') : WIDTH_MAX;
    return n;
}

/* N$ at *AT chooses an argument. False: there is none. */
static bool read_position(struct printer *p, const char **at)
{
    const char *digits = *at;
    int n = read_int(&digits);
    if (n == 0 || *digits != '$')
        return false;
    p->next = p->base + (size_t)n - 1;
    *at = digits + 1;
    return true;
}

static bool read_flag(struct spec *spec, char c)
{
    switch (c) {
    case '-':
        spec->minus = true;
        return true;
    case '+':
        spec->plus = true;
        return true;
    case ' ':
        spec->space = true;
        return true;
    case '#':
        spec->alternate = true;
        return true;
    case '0':
        spec->zero = true;
        return true;
    case '\'':
        spec->locale = true;
        return true;
    case ',':
        spec->group = true;
        return true;
    case '=':
        spec->center = true;
        return true;
    case 'L':
        spec->wide = true;
        return true;
    default:
        return false;
    }
}

static int read_star(struct printer *p, const char **at)
{
    if (**at != '*')
        return read_int(at);
    (*at)++;
    read_position(p, at);
    return take_int(p);
}

/* After the second point: a base, or what separates the characters of %c and the arguments of %s,
 * which `*` takes from the arguments. */
static void read_third(struct printer *p, const char **at, struct spec *spec)
{
    const char *c = *at;
    bool is_text = c[0] && (c[1] == 'c' || c[1] == 's');
    if (is_text && *c == '*') {
        const char *arg = take_arg(p);
        spec->separator = arg ? arg : "";
        spec->separator_len =
            arg && *arg ? utf8_char_bytes(arg, arg + strlen(arg)) : 0; /* its first character */
        *at = c + 1;
    } else if (is_text && !(*c >= '0' && *c <= '9')) {
        spec->separator = c;
        spec->separator_len = 1;
        *at = c + 1;
    } else {
        spec->base = read_star(p, at);
    }
}

/* What follows a % at *AT, which is moved past it. False: the format ends there. */
static bool read_spec(struct printer *p, const char **at, struct spec *spec)
{
    const char *c = *at;
    *spec = (struct spec){ .width = 0 };
    bool chosen = read_position(p, &c);
    size_t value = p->next;
    while (read_flag(spec, *c))
        c++;
    spec->width = read_star(p, &c);
    if (spec->width < 0) {
        spec->minus = true;
        spec->width = -spec->width;
    }
    if (*c == '.') {
        c++;
        spec->has_precision = *c != '.';
        spec->precision = read_star(p, &c);
        if (spec->precision < 0)
            spec->has_precision = false;
        if (*c == '.') {
            c++;
            if (*c == '#' && c[1] >= '0' && c[1] <= '9') /* the flag may stand before the base */
                spec->alternate = *c++;
            read_third(p, &c, spec);
        }
    }
    if (chosen) /* and not what follows the argument of a `*` */
        p->next = value;
    if (*c == '(') {
        spec->name = ++c;
        for (int depth = 1; *c; c++) {
            depth += (*c == '(') - (*c == ')');
            if (depth == 0)
                break;
        }
        spec->name_len = (size_t)(c - spec->name);
        c += *c != '\0';
    }
    for (; *c && strchr("hlLjztI", *c) && c[1]; c++) { /* sizes mean nothing here */
        spec->wide |= *c == 'L' || *c == 'l';
        while (*c == 'I' && c[1] >= '0' && c[1] <= '9' && c[2])
            c++;
    }
    spec->conversion = *c;
    *at = c + (*c != '\0');
    return *c != '\0';
}

/* ---- conversions ------------------------------------------------------------------------------
 */

static void write_fill(struct out *out, char c, size_t count)
{
    char chunk[256];
    memset(chunk, c, count < sizeof chunk ? count : sizeof chunk);
    while (count > 0 && !out->error) {
        size_t len = count < sizeof chunk ? count : sizeof chunk;
        out_write(out, chunk, len);
        count -= len;
    }
}

/* TEXT in the field of SPEC; SHOWN is its width. */
static void write_field(struct printer *p, const struct spec *spec, const char *text, size_t len,
                        size_t shown)
{
    size_t fill = (size_t)spec->width > shown ? (size_t)spec->width - shown : 0;
    size_t left = spec->minus ? 0 : spec->center ? fill / 2 : fill;
    write_fill(p->out, ' ', left);
    out_write(p->out, text, len);
    write_fill(p->out, ' ', fill - left);
}

/* A string: the precision cuts it; with the L flag both count columns. */
static void write_string(struct printer *p, const struct spec *spec, const char *text, size_t len)
{
    if (spec->has_precision) {
        size_t limit = (size_t)spec->precision;
        if (spec->wide)
            limit = utf8_offset_columns(text, len, limit);
        len = len < limit ? len : limit;
    }
    write_field(p, spec, text, len, spec->wide ? utf8_columns(text, len) : len);
}

/* The digits of VALUE, most significant last. */
static size_t make_digits(uint64_t value, unsigned base, bool upper, char *ret)
{
    static const char names[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";
    size_t count = 0;
    for (; value; value /= base) {
        char digit = names[value % base];
        ret[count++] = upper && digit >= 'a' && digit <= 'z' ? (char)(digit - 'a' + 'A') : digit;
    }
    return count;
}

/* What stands between groups of three digits; "": nothing. */
static const char *group_separator(const struct spec *spec)
{
    if (!spec->group && !spec->locale)
        return "";
    return *numeric.thousands || !spec->group ? numeric.thousands : ",";
}

/* Sign, base prefix, zeros, digits. */
static void write_integer(struct printer *p, const struct spec *spec, uint64_t magnitude,
                          bool negative, bool is_signed, unsigned base)
{
    char digits[64], prefix[8];
    size_t count = make_digits(magnitude, base, spec->conversion == 'X', digits);
    size_t prefix_len = 0;
    int precision = spec->has_precision ? spec->precision : 1;
    if (negative)
        prefix[prefix_len++] = '-';
    else if (is_signed && (spec->plus || spec->space))
        prefix[prefix_len++] = spec->plus ? '+' : ' ';
    if (spec->alternate && spec->base && is_signed) {
        prefix_len += num_format_int(spec->base, prefix + prefix_len);
        prefix[prefix_len++] = '#';
    } else if (spec->alternate && base == 16 && (magnitude || precision > 0)) {
        prefix[prefix_len++] = '0';
        prefix[prefix_len++] = spec->conversion == 'X' ? 'X' : 'x';
    } else if (spec->alternate && base == 8 && precision <= (int)count) {
        precision = (int)count + 1;
    }
    size_t zeros = (size_t)precision > count ? (size_t)precision - count : 0;
    const char *separator = base == 10 ? group_separator(spec) : "";
    size_t commas = *separator && count > 0 ? (count - 1) / 3 : 0;
    size_t shown = prefix_len + zeros + count + commas * utf8_columns(separator, strlen(separator));
    if (spec->zero && !spec->minus && !spec->has_precision && shown < (size_t)spec->width) {
        zeros += (size_t)spec->width - shown;
        shown = (size_t)spec->width;
    }
    size_t fill = (size_t)spec->width > shown ? (size_t)spec->width - shown : 0;
    size_t left = spec->minus ? 0 : fill;
    write_fill(p->out, ' ', left);
    out_write(p->out, prefix, prefix_len);
    write_fill(p->out, '0', zeros);
    while (count > 0) {
        out_putc(p->out, digits[--count]);
        if (commas && count && count % 3 == 0)
            out_write(p->out, separator, strlen(separator));
    }
    write_fill(p->out, ' ', fill - left);
}

/* N as an integer of 64 bits; too large ones are reported. */
static uint64_t to_integer(struct printer *p, struct num n, bool is_signed)
{
    if (!n.is_float)
        return (uint64_t)n.i;
    if (!is_signed && n.f >= 0x1p63L && n.f < 0x1p64L)
        return (uint64_t)n.f;
    if (!(n.f > -0x1p63L - 1 && n.f < 0x1p63L)) {
        const char *arg = p->next - 1 < p->count ? p->argv[p->next - 1] : "";
        complain(p, arg, "overflow exception");
        if (!is_signed && n.f >= 0x1p64L)
            return UINT64_MAX;
    }
    return (uint64_t)num_to_int(n);
}

/* %#d and %#i: about VALUE, in powers of 1000 or 1024: 1.5k, 15Ki. */
static void write_scaled(struct printer *p, const struct spec *spec, uint64_t value)
{
    static const char units[] = " kMGTPE";
    static const char binary_units[] = " KMGTPE";
    bool binary = spec->conversion == 'i';
    unsigned step = binary ? 1024 : 1000, unit = 0;
    uint64_t rest = 0;
    while (value >= 1000 && units[unit + 1]) {
        rest = value % step;
        value /= step;
        unit++;
    }
    unsigned tenths = (unsigned)((rest * 10 + step / 2) / step);
    if (tenths == 10) {
        value++;
        tenths = 0;
    }
    str_clear(&p->text);
    if (value > 0 && value < 10)
        str_printf(&p->text, "%u.%u", (unsigned)value, tenths);
    else
        str_append_int(&p->text, (int64_t)(value + (tenths >= 5)));
    if (unit) {
        str_putc(&p->text, (binary ? binary_units : units)[unit]);
        if (binary)
            str_putc(&p->text, 'i');
    }
    write_string(p, spec, str_text(&p->text), p->text.len);
}

static void convert_integer(struct printer *p, const struct spec *spec)
{
    bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
    unsigned base = spec->conversion == 'o' ? 8 : (spec->conversion | 0x20) == 'x' ? 16 : 10;
    uint64_t value = to_integer(p, take_number(p), is_signed);
    if (is_signed && spec->alternate && !spec->base) {
        write_scaled(p, spec, value);
        return;
    }
    if ((is_signed || spec->conversion == 'u') && spec->base >= 2 && spec->base <= 64)
        base = (unsigned)spec->base;
    bool negative = is_signed && (int64_t)value < 0;
    write_integer(p, spec, negative ? 0 - value : value, negative, is_signed, base);
}

/* Groups the digits before the point of the number in S. */
static void group_digits(struct str *s, const char *separator)
{
    const char *text = str_text(s);
    size_t start = strcspn(text, "0123456789");
    size_t end = start + strspn(text + start, "0123456789");
    for (size_t at = end; at > start + 3;) {
        at -= 3;
        str_insert(s, at, separator, strlen(separator));
    }
}

/* The dot in S becomes the decimal point of LC_NUMERIC. */
static void place_radix(struct str *s)
{
    const char *dot = strchr(str_text(s), '.');
    if (!dot || strcmp(numeric.radix, ".") == 0)
        return;
    size_t at = (size_t)(dot - str_text(s));
    str_remove(s, at, 1);
    str_insert(s, at, numeric.radix, strlen(numeric.radix));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* %e %f %g %a by the C library. */
static void convert_float(struct printer *p, const struct spec *spec)
{
    char format[16];
    size_t n = 0;
    struct num value = take_number(p);
    long double f = value.is_float ? value.f : (long double)value.i;
    int precision = spec->has_precision ? spec->precision : -1;
    bool hex = (spec->conversion | 0x20) == 'a';
    if (hex && precision < 0)
        precision = 28; /* what ksh93 shows */
    if (precision > FLOAT_PRECISION_MAX)
        precision = FLOAT_PRECISION_MAX;
    f = num_round_half(f, spec->conversion, precision);
    const char *separator = (spec->conversion | 0x20) == 'f' ? group_separator(spec) : "";
    format[n++] = '%';
    if (spec->minus)
        format[n++] = '-';
    if (spec->plus)
        format[n++] = '+';
    if (spec->space)
        format[n++] = ' ';
    if (spec->alternate)
        format[n++] = '#';
    if (spec->zero)
        format[n++] = '0';
    memcpy(format + n, "*.*L", 5);
    n += hex ? 3 : 4;
    format[n++] = spec->conversion;
    format[n] = '\0';
    int width = *separator ? 0 : spec->width;
    str_clear(&p->text);
    if (hex)
        str_printf(&p->text, format, width, precision, num_round_hex(f, precision));
    else
        str_printf(&p->text, format, width, precision, f);
    place_radix(&p->text);
    if (*separator)
        group_digits(&p->text, separator);
    struct spec field = *spec;
    field.center = false;
    write_field(p, &field, str_text(&p->text), p->text.len, p->text.len);
}
#pragma GCC diagnostic pop

/* %..:c, the characters of an argument, and %..:s, all arguments that are left, with what is
 * between them. */
static void convert_separated(struct printer *p, const struct spec *spec)
{
    bool first = true;
    str_clear(&p->text);
    do {
        const char *arg = take_arg(p);
        size_t len = arg ? strlen(arg) : 0, bytes;
        for (size_t i = 0; i < len || (spec->conversion == 's' && i == 0); i += bytes) {
            bytes = spec->conversion == 's' ? len : utf8_char_bytes(arg + i, arg + len);
            if (!first)
                str_append(&p->text, spec->separator, spec->separator_len);
            first = false;
            str_append(&p->text, arg ? arg + i : "", bytes);
            if (!bytes)
                break;
        }
    } while (spec->conversion == 's' && p->next < p->count);
    write_string(p, spec, str_text(&p->text), p->text.len);
}

/* %c: the first character, or a NUL byte. */
static void convert_char(struct printer *p, const struct spec *spec)
{
    const char *arg = take_arg(p);
    size_t len = arg && *arg ? utf8_char_bytes(arg, arg + strlen(arg)) : 1;
    write_field(p, spec, arg ? arg : "", len, spec->wide || !arg ? 1 : len);
}

static void convert_escaped(struct printer *p, const struct spec *spec)
{
    const char *arg = take_arg(p);
    if (!arg)
        arg = "";
    str_clear(&p->text);
    p->stop = !escape_b(&p->text, arg, strlen(arg));
    write_string(p, spec, str_text(&p->text), p->text.len);
}

/* Quotes the argument into p->text in the way that SPEC asks for. */
static void quote_arg(struct printer *p, const struct spec *spec, const char *arg)
{
    static const struct {
        const char *name;
        char conversion;
        bool alternate;
    } names[] = {
        { "csv", 'q', true },      { "ere", 'R', false }, { "html", 'H', false },
        { "pattern", 'P', false }, { "url", 'H', true },
    };
    char conversion = spec->conversion;
    bool alternate = spec->alternate;
    size_t len = strlen(arg);
    for (size_t i = 0; i < sizeof names / sizeof *names && spec->name; i++) {
        if (text_eq(spec->name, spec->name_len, names[i].name, strlen(names[i].name))) {
            conversion = names[i].conversion;
            alternate = names[i].alternate;
        }
    }
    switch (conversion) {
    case 'P':
        quote_ere_to_pattern(&p->text, arg, len);
        break;
    case 'R':
        quote_pattern_to_ere(&p->text, arg, len);
        break;
    case 'H':
        (alternate ? quote_url : quote_html)(&p->text, arg, len);
        break;
    default:
        (alternate ? quote_csv : text_quote)(&p->text, arg, len);
        break;
    }
}

/* %Q: seconds as people say them, the two largest units. */
static void convert_elapsed(struct printer *p, const struct spec *spec)
{
    static const struct {
        int64_t seconds;
        const char *unit, *sub_unit;
        int64_t sub;
    } units[] = {
        { 31536000, "Y", "M", 2592000 }, { 2592000, "M", "d", 86400 }, { 604800, "w", "d", 86400 },
        { 86400, "d", "h", 3600 },       { 3600, "h", "m", 60 },       { 60, "m", "s", 1 },
    };
    struct num n = take_number(p);
    long double seconds = n.is_float ? n.f : (long double)n.i;
    str_clear(&p->text);
    size_t i = 0;
    while (i < sizeof units / sizeof *units && !(seconds >= (long double)units[i].seconds))
        i++;
    bool known = seconds >= 0 && seconds < 0x1p63L;
    if (!known)
        complain(p, p->next - 1 < p->count ? p->argv[p->next - 1] : "",
                 "invalid argument of type Q");
    if (!known || seconds == 0) {
        str_putc(&p->text, '0');
    } else if (i == sizeof units / sizeof *units) {
        str_printf(&p->text, "%.2Lfs", seconds);
    } else {
        int64_t whole = (int64_t)seconds;
        str_printf(&p->text, "%lld%s%02lld%s", (long long)(whole / units[i].seconds), units[i].unit,
                   (long long)(whole % units[i].seconds / units[i].sub), units[i].sub_unit);
    }
    write_string(p, spec, str_text(&p->text), p->text.len);
}

static void convert_time(struct printer *p, const struct spec *spec)
{
    const char *arg = take_arg(p);
    char *format = spec->name_len ? text_dup_n(p->sh->scratch, spec->name, spec->name_len) : NULL;
    str_clear(&p->text);
    if (!time_format(p->sh, &p->text, format, arg ? arg : ""))
        complain(p, arg ? arg : "", "invalid argument of type T");
    write_string(p, spec, str_text(&p->text), p->text.len);
}

/* %n: the variable that the argument names gets the count of bytes that this turn wrote so far. */
static enum flow store_count(struct printer *p)
{
    const char *arg = take_arg(p);
    const struct args args = { .argv = (const char *const[]){ p->name } };
    struct var_ref ref;

    if (!arg || !*arg)
        return FLOW_NEXT;
    TRY(operand_ref(p->sh, &args, arg, strlen(arg), &ref));
    return var_set_num(p->sh, &ref, num_int((int64_t)(out_position(p->out) - p->start)), 0);
}

/* One conversion; P->text is free for use. */
static enum flow convert(struct printer *p, struct spec *spec)
{
    const char *arg;
    if (spec->separator) {
        convert_separated(p, spec);
        return FLOW_NEXT;
    }
    switch (spec->conversion) {
    case 's':
        arg = take_arg(p);
        write_string(p, spec, arg ? arg : "", arg ? strlen(arg) : 0);
        break;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        convert_integer(p, spec);
        break;
    case 'p':
        spec->alternate = true;
        spec->conversion = 'x';
        convert_integer(p, spec);
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        convert_float(p, spec);
        break;
    case 'c':
        convert_char(p, spec);
        break;
    case 'b':
        convert_escaped(p, spec);
        break;
    case 'q':
    case 'H':
    case 'P':
    case 'R':
        arg = take_arg(p);
        str_clear(&p->text);
        if (arg)
            quote_arg(p, spec, arg);
        write_string(p, spec, str_text(&p->text), p->text.len);
        break;
    case 'B':
        arg = take_arg(p);
        str_clear(&p->text);
        if (arg && *arg)
            TRY(quote_variable(p->sh, p->name, arg, !spec->alternate, &p->text));
        write_string(p, spec, str_text(&p->text), p->text.len);
        break;
    case 'Q':
        convert_elapsed(p, spec);
        break;
    case 'T':
        convert_time(p, spec);
        break;
    case 'Z':
        out_putc(p->out, '\0');
        break;
    case 'n':
        return store_count(p);
    case '%':
        out_putc(p->out, '%');
        break;
    default:
        return shell_fail(p->sh, ERROR_BUILTIN, 1, p->name, "%c: unknown format specifier",
                          spec->conversion);
    }
    return FLOW_NEXT;
}

/* One turn of FORMAT. */
static enum flow format_turn(struct printer *p, const char *format)
{
    const char *at = format;
    while (*at && !p->stop) {
        size_t plain = strcspn(at, "%\\");
        out_write(p->out, at, plain);
        at += plain;
        if (*at == '\\') {
            str_clear(&p->text);
            escape_format(&p->text, &at);
            out_write(p->out, str_text(&p->text), p->text.len);
        } else if (*at == '%' && at[1] == 's') { /* the usual one */
            const char *arg = take_arg(p);
            if (arg)
                out_write(p->out, arg, strlen(arg));
            at += 2;
        } else if (*at == '%') {
            struct spec spec;
            at++;
            if (!read_spec(p, &at, &spec)) {
                out_putc(p->out, '%');
                return FLOW_NEXT;
            }
            TRY(convert(p, &spec));
        }
    }
    return FLOW_NEXT;
}

/* Is FORMAT nothing but text and one %s? TEXT gets its text, *RET_AT says where in it the arguments
 * go. */
static bool format_is_plain(const char *format, struct str *text, size_t *ret_at)
{
    bool found = false;
    for (const char *at = format; *at;) {
        size_t len = strcspn(at, "%\\");
        str_append(text, at, len);
        at += len;
        if (*at == '\\') {
            escape_format(text, &at);
        } else if (*at) {
            if (at[1] != 's' || found)
                return false;
            found = true;
            *ret_at = text->len;
            at += 2;
        }
    }
    return found && str_ok(text);
}

/* All turns of such a format. */
static void write_plain(struct printer *p, size_t at)
{
    const char *before = str_text(&p->text), *after = before + at;
    size_t after_len = p->text.len - at;
    do {
        const char *arg = p->next < p->count ? p->argv[p->next] : "";
        out_put(p->out, before, at);
        out_put(p->out, arg, strlen(arg));
        out_put(p->out, after, after_len);
    } while (++p->next < p->count);
}

enum flow printf_format(struct shell *sh, struct out *out, const char *name, const char *format,
                        const char *const *argv, size_t count, int *ret_status)
{
    struct printer p = { .sh = sh, .out = out, .name = name, .argv = argv, .count = count };
    enum flow flow = FLOW_NEXT;
    size_t at;
    str_init(&p.text, sh->heap);
    if (count > 1 && !sh->debug_no_fastpath && format_is_plain(format, &p.text, &at)) {
        write_plain(&p, at);
        str_release(&p.text);
        *ret_status = 0;
        return FLOW_NEXT;
    }
    str_clear(&p.text);
    do {
        p.base = p.next = p.used;
        p.start = out_position(out);
        flow = format_turn(&p, format);
    } while (flow == FLOW_NEXT && p.used > p.base && p.used < count && !p.stop && str_ok(&p.text));
    if (flow == FLOW_NEXT && !str_ok(&p.text))
        flow = shell_fail_memory(sh, p.text.len);
    str_release(&p.text);
    *ret_status = p.failed;
    return flow;
}

/* printf -v NAME: the output becomes the variable's value. */
static enum flow format_variable(struct shell *sh, const struct args *args, const char *variable,
                                 const char *format)
{
    struct var_ref ref;
    struct str text;
    struct out out;
    int status;
    TRY(operand_ref(sh, args, variable, strlen(variable), &ref));
    str_init(&text, sh->heap);
    out_init_sink(&out, &text);
    enum flow flow = printf_format(sh, &out, args->argv[0], format, args->argv + args->next,
                                   args_left(args), &status);
    if (flow == FLOW_NEXT && !str_ok(&text))
        flow = shell_fail_memory(sh, text.len);
    if (flow == FLOW_NEXT)
        flow = var_set(sh, &ref, str_text(&text), text.len, 0);
    str_release(&text);
    if (flow == FLOW_NEXT)
        sh->status = status;
    return flow;
}

static enum flow printf_run(struct shell *sh, struct args *args)
{
    const char *variable = NULL;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        variable = args->option_argument;
    }
    const char *format = args_peek(args, 0);
    if (!format)
        return builtin_usage_error(sh, args, "a format is expected");
    args->next++;
    if (variable)
        return format_variable(sh, args, variable, format);
    int status;
    TRY(printf_format(sh, sh->out, args->argv[0], format, args->argv + args->next, args_left(args),
                      &status));
    sh->status = status;
    return FLOW_NEXT;
}

static const struct builtin_option printf_options[] = {
    { .letter = 'v',
      .argument = "name",
      .help = "assign the output to the variable name, which may be an "
              "array element, instead of writing it" },
    { 0 },
};

const struct builtin_spec printf_spec = {
    .name = "printf",
    .flags = BUILTIN_WRITER,
    .options = printf_options,
    .usage = "format [string ...]",
    .summary = "write formatted output",
    .doc =
        "Writes its arguments as format says; the format is used again until all are written, and "
        "what it asks for and is not there is an empty string or 0. Besides the conversions of C "
        "there are: %b, with the escapes of print; %q, quoted for the shell (%#q for a csv file); "
        "%B, the value of the variable so named; %H, quoted for HTML (%#H for a URI); %P, a "
        "regular expression as a pattern; %R, a pattern as a regular expression; %Q, seconds as "
        "readable time; %p, hexadecimal; %T and %(format)T, a date; %Z, a byte of value "
        "0.\n\nNumbers are arithmetic expressions, or the code of a character after a quote. "
        "%..Nd writes in base N; = centers; L counts characters instead of bytes; n$ chooses the "
        "n-th argument.",
    .run = printf_run,
};
