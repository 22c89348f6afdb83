/*
 * Numbers and text: the constants of shell arithmetic and how results are shown.
 *
 * Exact: an integer of up to 64 bits never passes through floating point, and a decimal fraction is
 * rounded once. Text need not be NUL-terminated and is never read past its length. The decimal
 * point is always a dot, whatever the locale.
 *
 * Must not know of variables: `inf` and `nan` are taken here, every other word is the caller's.
 */
#include "shell/base/num.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shell/base/cclass.h"

int64_t num_to_int(struct num n)
{
    if (!n.is_float)
        return n.i;
    if (isnan(n.f))
        return 0;
    if (n.f >= 0x1p63L)
        return INT64_MAX;
    return n.f <= -0x1p63L ? INT64_MIN : (int64_t)n.f;
}

bool num_parse_int(const char *text, size_t len, int64_t *ret)
{
    size_t i = 0;
    while (i < len && cclass_is(text[i], CC_SPACE))
        i++;
    bool negative = i < len && text[i] == '-';
    if (negative || (i < len && text[i] == '+'))
        i++;
    size_t first = i;
    uint64_t value = 0;
    for (; i < len && cclass_is(text[i], CC_DIGIT); i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (i == first || value > (uint64_t)INT64_MAX + negative)
        return false;
    while (i < len && cclass_is(text[i], CC_SPACE))
        i++;
    if (i != len)
        return false;
    *ret = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

/* Value of digit C in BASE, or -1. Up to base 36 the case of letters does not matter. */
static int digit_value(char c, int base)
{
    int value;
    if (c >= '0' && c <= '9')
        value = c - '0';
    else if (c >= 'a' && c <= 'z')
        value = c - 'a' + 10;
    else if (c >= 'A' && c <= 'Z')
        value = c - 'A' + (base <= 36 ? 10 : 36);
    else if (c == '@')
        value = 62;
    else if (c == '_')
        value = 63;
    else
        return -1;
    return value < base ? value : -1;
}

/* Result of a scan before it is handed out. */
struct scanned {
    uint64_t integer;
    long double number;
    bool is_float;
};

/* Reads digits of BASE; 0 when there is none. More than 64 bits become floating. */
static size_t scan_digits(const char *text, size_t len, int base, struct scanned *s)
{
    size_t i = 0;
    for (int digit; i < len && (digit = digit_value(text[i], base)) >= 0; i++) {
        uint64_t more;
        if (!s->is_float && !__builtin_mul_overflow(s->integer, (uint64_t)base, &more) &&
            !__builtin_add_overflow(more, (uint64_t)digit, &more)) {
            s->integer = more;
            continue;
        }
        if (!s->is_float)
            s->number = (long double)s->integer;
        s->is_float = true;
        s->number = s->number * base + digit;
    }
    return i;
}

/* The C library converts what the short way below cannot do exactly. TEXT is a well-formed number.
 */
static long double convert_long(const char *text, size_t len)
{
    char small[128];
    char *copy = len < sizeof small ? small : mem_alloc(mem_region_malloc(), len + 1);
    if (!copy) { /* more digits than memory: the first ones decide but for the magnitude */
        copy = small;
        len = sizeof small - 1;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    static locale_t c_locale;
    if (!c_locale)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    long double value = c_locale ? strtold_l(copy, NULL, c_locale) : strtold(copy, NULL);
    if (copy != small)
        mem_free(copy);
    return value;
}

/* Where an exponent led by LETTER ends, or AT when there is no complete one. */
static size_t skip_exponent(const char *text, size_t len, size_t at, char letter)
{
    size_t i = at;
    if (i >= len || (text[i] | 0x20) != letter)
        return at;
    i++;
    if (i < len && (text[i] == '+' || text[i] == '-'))
        i++;
    size_t first = i;
    while (i < len && cclass_is(text[i], CC_DIGIT))
        i++;
    return i > first ? i : at;
}

/* A decimal fraction whose digits fit 64 bits and whose scale is an exact power of ten is one
 * division or multiplication of exact numbers away from its correctly rounded value. */
static bool convert_short(const char *text, size_t len, long double *ret)
{
    enum { EXACT_POWER_MAX = 27 }; /* 5**27 < 2**64 */
    uint64_t digits = 0;
    int scale = 0;
    bool point = false;
    size_t i = 0;
    for (; i < len && (text[i] | 0x20) != 'e'; i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        if (digits > (UINT64_MAX - 9) / 10)
            return false;
        digits = digits * 10 + (uint64_t)(text[i] - '0');
        scale -= point;
    }
    if (i < len) {
        bool negative = text[++i] == '-';
        i += negative || text[i] == '+';
        int exponent = 0;
        for (; i < len; i++) {
            exponent = exponent * 10 + (text[i] - '0');
            if (exponent > 9999)
                return false;
        }
        scale += negative ? -exponent : exponent;
    }
    if (scale < -EXACT_POWER_MAX || scale > EXACT_POWER_MAX)
        return false;
    long double power = 1;
    for (int n = scale < 0 ? -scale : scale; n > 0; n--)
        power *= 10;
    *ret = scale < 0 ? (long double)digits / power : (long double)digits * power;
    return true;
}

static size_t scan_hex(const char *text, size_t len, struct scanned *s)
{
    size_t whole = scan_digits(text + 2, len - 2, 16, s);
    size_t i = 2 + whole, fraction = 0;
    if (i < len && text[i] == '.') {
        struct scanned ignored = { 0 };
        fraction = scan_digits(text + i + 1, len - i - 1, 16, &ignored);
        i += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    i = skip_exponent(text, len, i, 'p');
    if (i > 2 + whole) {
        s->is_float = true;
        s->number = convert_long(text, i);
    }
    return i;
}

/* Digits, `B#digits`, a fraction or an exponent. TEXT starts with a digit, or a dot and a digit. */
static size_t scan_decimal(const char *text, size_t len, struct scanned *s, int *ret_base)
{
    size_t i = scan_digits(text, len, 10, s);
    if (i < len && text[i] == '#' && !s->is_float && s->integer >= 2 && s->integer <= 64) {
        *ret_base = (int)s->integer;
        s->integer = 0;
        return i + 1 + scan_digits(text + i + 1, len - i - 1, *ret_base, s);
    }
    size_t end = i;
    if (end < len && text[end] == '.') {
        end++;
        while (end < len && cclass_is(text[end], CC_DIGIT))
            end++;
    }
    end = skip_exponent(text, len, end, 'e');
    if (end > i || s->integer > INT64_MAX || s->is_float) {
        s->is_float = true;
        if (!convert_short(text, end, &s->number))
            s->number = convert_long(text, end);
    }
    return end;
}

/* `inf` and `nan` as whole words. */
static size_t scan_word(const char *text, size_t len, struct scanned *s)
{
    if (text_name_len(text, len) != 3 || (len > 3 && text[3] == '.'))
        return 0;
    if (strncasecmp(text, "inf", 3) == 0)
        s->number = HUGE_VALL;
    else if (strncasecmp(text, "nan", 3) == 0)
        s->number = (long double)NAN;
    else
        return 0;
    s->is_float = true;
    return 3;
}

/* Octal digits after a 0, up to the end of the number; 0 when it is not octal after all. */
static size_t scan_octal(const char *text, size_t len, struct scanned *s)
{
    size_t n = scan_digits(text, len, 8, s);
    bool octal = n == len || !(cclass_is(text[n], CC_DIGIT) || text[n] == '.' || text[n] == '#' ||
                               (text[n] | 0x20) == 'e');
    if (octal && n > 1)
        return n;
    *s = (struct scanned){ 0 };
    return 0;
}

size_t num_scan(const char *text, size_t len, bool octal, int64_t *ret_int, long double *ret_float,
                bool *ret_is_float, int *ret_base)
{
    if (len == 0)
        return 0;
    struct scanned s = { 0 };
    int base = 10;
    size_t used = 0;
    bool digit = cclass_is(text[0], CC_DIGIT);
    if (digit && text[0] == '0' && len > 2 && (text[1] | 0x20) == 'x')
        used = scan_hex(text, len, &s);
    else if (digit && text[0] == '0' && octal)
        used = scan_octal(text, len, &s);
    if (used == 0 && (digit || (text[0] == '.' && len > 1 && cclass_is(text[1], CC_DIGIT))))
        used = scan_decimal(text, len, &s, &base);
    else if (used == 0)
        used = scan_word(text, len, &s);
    if (used == 0)
        return 0;
    if (s.is_float)
        *ret_float = s.number;
    else
        *ret_int = (int64_t)s.integer;
    *ret_is_float = s.is_float;
    *ret_base = base;
    return used;
}

static size_t digit_count(uint64_t value)
{
    size_t count = 1;
    for (; value >= 10000; value /= 10000)
        count += 4;
    return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

size_t num_format_int(int64_t n, char *ret)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "68697071727374757677787980818283848586878889909192939495969798"
        "99";
    uint64_t value = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    size_t len = digit_count(value) + (n < 0);
    char *p = ret + len;
    *p = '\0';
    for (; value >= 100; value /= 100) {
        p -= 2;
        memcpy(p, pairs + value % 100 * 2, 2);
    }
    if (value >= 10)
        memcpy(p - 2, pairs + value * 2, 2);
    else
        p[-1] = (char)('0' + value);
    if (n < 0)
        *ret = '-';
    return len;
}

size_t num_format_base(int64_t n, int base, bool prefix, char *ret)
{
    static const char digit_names[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";
    if (base < 2 || base > 64 || base == 10)
        return num_format_int(n, ret);
    char digits[64];
    size_t count = 0, len = 0;
    uint64_t value = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do {
        digits[count++] = digit_names[value % (unsigned)base];
        value /= (unsigned)base;
    } while (value);
    if (n < 0)
        ret[len++] = '-';
    if (prefix) {
        len += num_format_int(base, ret + len);
        ret[len++] = '#';
    }
    while (count > 0)
        ret[len++] = digits[--count];
    ret[len] = '\0';
    return len;
}

void num_format_float(struct str *s, long double f, int digits)
{
    /* Whole numbers that fit are shown without going through the slow general conversion. */
    if (digits >= 18 && f > -1e18L && f < 1e18L && f == (long double)(int64_t)f && f != 0) {
        str_append_int(s, (int64_t)f);
        return;
    }
    size_t at = s->len;
    str_printf(s, "%.*Lg", digits, f);
    char point = '.';
    for (size_t i = at; i < s->len; i++) {
        char c = s->data[i];
        if (!cclass_is(c, CC_NAME) && c != '-' && c != '+' && c != point)
            s->data[i] = point; /* the locale's own decimal sign */
    }
}

/* Is DIGIT decimals all that FRACTION, below 1, has but for an exact half of the last? In the
 * arithmetic of a double, whose decimals are what people wrote. */
static bool is_half(double fraction, int digits)
{
    for (int i = 0; i < digits; i++) {
        fraction *= 10;
        fraction -= (double)(int)fraction;
    }
    return fraction == 0.5;
}

long double num_round_half(long double f, char conversion, int precision)
{
    double magnitude = fabs((double)f);
    long double unit = 1;
    conversion |= 0x20;
    if (!isfinite(magnitude) || magnitude == 0 || conversion == 'a')
        return f;
    if (precision < 0)
        precision = 6;
    if (conversion != 'f') {
        for (; magnitude / (double)unit >= 10; unit *= 10) {
        }
        for (; magnitude / (double)unit < 1; unit /= 10) {
        }
        magnitude = (double)(magnitude / unit);
        precision -= conversion == 'g' && precision > 0;
    }
    if (precision > 15 || magnitude >= 0x1p53 ||
        !is_half(magnitude - (double)(int64_t)magnitude, precision))
        return f;
    long double step = unit / 10;
    for (int i = 0; i < precision; i++)
        step /= 10;
    return f < 0 ? f - step : f + step;
}

double num_round_hex(long double f, int precision)
{
    enum { BITS = 4, DIGITS = 13 }; /* of a digit; of a double */
    int exponent;
    if (!isfinite(f) || f == 0 || precision < 0 || precision >= DIGITS)
        return (double)f;
    frexpl(f, &exponent);
    int shift = BITS * precision - (exponent - 1);
    return (double)ldexpl(roundl(ldexpl(f, shift)), -shift);
}
