/*
 * format.c: prints a region's figures as a format asks.
 *
 * The identifiers are the figures of shell/state/figure.h and a few texts. A directive is
 * %[-+][width[.precision[.base]]](id)char; `%%` is a percent sign, and backslash escapes n t \ are
 * known. Anything else stands for itself. Must not allocate: the figures were taken before.
 */
#include "builtins/vmstat/vmstat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/state/figure.h"

const char vmstat_default_format[] =
    "region=%(region)p method=%(method)s flags=%(flags)s size=%(size)d segments=%(segments)d "
    "packs=%(packs)d busy=(%(busy_size)d,%(busy_blocks)d) free=(%(free_size)d,%(free_blocks)d)";

enum id_kind { ID_REGION, ID_NAME, ID_METHOD, ID_FLAGS, ID_FORMAT };

/* What is no figure. */
static const struct id {
    const char *name;
    enum id_kind kind;
} ids[] = {
    { "region", ID_REGION }, { "name", ID_NAME },     { "method", ID_METHOD },
    { "flags", ID_FLAGS },   { "format", ID_FORMAT },
};

struct directive {
    bool left, sign;
    int width, precision, base;
    const char *id;
    size_t id_len;
    char conversion;
};

/* Digits of N in BASE (2..36), at least PRECISION of them. */
static void number_text(char *ret, size_t bytes, uint64_t n, int base, int precision, bool upper)
{
    const char *digits =
        upper ? "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789abcdefghijklmnopqrstuvwxyz";
    char reversed[72];
    int len = 0;

    if (base < 2 || base > 36)
        base = 10;
    if (precision > 64)
        precision = 64;
    do {
        reversed[len++] = digits[n % (unsigned)base];
        n /= (unsigned)base;
    } while (n);
    while (len < precision)
        reversed[len++] = '0';
    size_t at = 0;
    while (len > 0 && at + 1 < bytes)
        ret[at++] = reversed[--len];
    ret[at] = '\0';
}

/* Parses the directive after `%`; returns its length, 0 when it is none. */
static size_t directive_parse(const char *text, struct directive *ret)
{
    const char *p = text;
    char *end;

    *ret = (struct directive){ .precision = -1, .id = "size", .id_len = 4 };
    for (; *p == '-' || *p == '+'; p++) {
        ret->left |= *p == '-';
        ret->sign |= *p == '+';
    }
    int *const fields[] = { &ret->width, &ret->precision, &ret->base };
    for (size_t i = 0; i < 3; i++) {
        if (i > 0 && *p++ != '.')
            break;
        if (isdigit((unsigned char)*p)) {
            long n = strtol(p, &end, 10);
            *fields[i] = n > 1000 ? 1000 : (int)n;
            p = end;
        }
        if (*p != '.')
            break;
    }
    if (*p == '(') {
        const char *close = strchr(p, ')');
        if (!close)
            return 0;
        ret->id = p + 1;
        ret->id_len = (size_t)(close - p - 1);
        p = close + 1;
    }
    if (!*p || !strchr("douxXpsc", *p))
        return 0;
    ret->conversion = *p;
    return (size_t)(p + 1 - text);
}

static const struct id *id_find(const struct directive *d)
{
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strlen(ids[i].name) == d->id_len && memcmp(ids[i].name, d->id, d->id_len) == 0)
            return &ids[i];
    return NULL;
}

static void number_format(char *ret, size_t bytes, const struct directive *d, uint64_t n)
{
    int base = d->base;
    char c = d->conversion;

    if (base == 0)
        base = c == 'x' || c == 'X' || c == 'p' ? 16 : c == 'o' ? 8 : 10;
    size_t at = 0;
    if (c == 'p') {
        ret[at++] = '0';
        ret[at++] = 'x';
    } else if (d->sign) {
        ret[at++] = '+';
    }
    number_text(ret + at, bytes - at, n, base, d->precision, c == 'X');
}

/* The text of ID; NUMBER is room for one that has to be made. */
static const char *id_text(const struct id *id, const struct directive *d,
                           const struct format_record *record, const char *format, char *number,
                           size_t bytes)
{
    switch (id->kind) {
    case ID_NAME:
        return record->stats->name;
    case ID_METHOD:
        return mem_method_name(record->stats->method);
    case ID_FORMAT:
        return format;
    case ID_FLAGS:
        number_format(number, bytes, d, record->stats->flags);
        return number;
    case ID_REGION:
        number_format(number, bytes, d, (uintptr_t)record->region);
        return number;
    }
    return "";
}

static void directive_print(struct out *out, const struct directive *d,
                            const struct format_record *record, const char *format)
{
    const struct figure *figure = figure_find(d->id, d->id_len);
    const struct id *id = id_find(d);
    char number[96];

    const char *text = number;
    if (figure)
        number_format(number, sizeof number, d, figure_value(figure, record->stats));
    else
        text = id_text(id, d, record, format, number, sizeof number);
    int len = (int)strlen(text);
    if (d->conversion == 's' && d->precision >= 0 && d->precision < len)
        len = d->precision;
    out_printf(out, d->left ? "%-*.*s" : "%*.*s", d->width, len, text);
}

enum flow vmstat_format_check(struct shell *sh, const struct request *rq, const char *format)
{
    for (const char *p = format; *p; p++) {
        struct directive d;
        size_t len = *p == '%' ? directive_parse(p + 1, &d) : 0;
        if (*p == '%' && !len && p[1] != '%')
            return vmstat_fail(sh, rq, "%s: %%(name)c expected, c one of d o u x X p s c", p);
        if (len && !figure_find(d.id, d.id_len) && !id_find(&d))
            return vmstat_fail(sh, rq, "%.*s: unknown format identifier", (int)d.id_len, d.id);
        if (*p == '%' && (len || p[1] == '%'))
            p += len ? len : 1;
    }
    return FLOW_NEXT;
}

void vmstat_format(struct out *out, const char *format, const struct format_record *record)
{
    for (const char *p = format; *p; p++) {
        if (*p == '%') {
            struct directive d;
            size_t len = directive_parse(p + 1, &d);
            if (len) {
                directive_print(out, &d, record, format);
                p += len;
                continue;
            }
            if (p[1] == '%')
                p++;
        } else if (*p == '\\' && p[1] && strchr("nt\\", p[1])) {
            p++;
            out_putc(out, *p == 'n' ? '\n' : *p == 't' ? '\t' : '\\');
            continue;
        }
        out_putc(out, *p);
    }
    out_putc(out, '\n');
}
