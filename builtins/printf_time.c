/*
 * printf %T: dates by a format.
 *
 * Most letters are strftime's; those that ksh93 has of its own are made here. The zone is the
 * shell's TZ, which is put into the C library's environment when it changed (children get an
 * environment of their own).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "builtins/print.h"
#include "shell/base/sys.h"
#include "shell/base/utf8.h"
#include "shell/state/var.h"

enum { WIDTH_MAX = 1024 };

static const char default_format[] = "%a %b %e %H:%M:%S %Z %Y";

struct moment {
    time_t seconds;
    long ns;
    struct tm tm;
};

static void use_zone(struct shell *sh)
{
    const char *wanted = var_text(sh, "TZ");
    const char *present = getenv("TZ");
    if (wanted && (!present || strcmp(wanted, present) != 0))
        setenv("TZ", wanted, 1);
    else if (!wanted && present)
        unsetenv("TZ");
    tzset();
}

/* One conversion of strftime. */
static void append_strftime(struct str *s, const char *pad, char letter, const struct tm *tm)
{
    char format[8], text[256];
    snprintf(format, sizeof format, "%%%s%c", pad, letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    size_t len = strftime(text, sizeof text, format, tm);
#pragma GCC diagnostic pop
    str_append(s, text, len);
}

static void append_format(struct str *s, const char *format, struct moment *m);

/* A letter of ksh93's own: what it stands for, or NULL. */
static const char *expansion(char letter)
{
    switch (letter) {
    case 'f':
        return "%Y.%m.%d-%H:%M:%S";
    case 'i':
        return "%a %b %e %H:%M:%S %z %Z %Y";
    case 'c':
        return "%a %b %e %H:%M:%S %Y";
    case 'K':
        return "%Y-%m-%d+%H:%M:%S";
    case 'L':
        return default_format;
    case 'h':
        return "%b";
    case 'r':
        return "%I:%M:%S %p";
    default:
        return NULL;
    }
}

/* %s and %#, with .PRECISION digits of the fraction. */
static void append_seconds(struct str *s, const struct moment *m, int precision)
{
    str_append_int(s, (int64_t)m->seconds);
    if (precision >= 0) {
        char digits[16];
        snprintf(digits, sizeof digits, "%09ld", m->ns);
        str_printf(s, ".%.*s", precision > 9 || precision == 0 ? 9 : precision, digits);
    }
}

/* The conversion LETTER with its PAD flag. False: not one. */
static bool append_letter(struct str *s, char letter, const char *pad, int precision,
                          struct moment *m)
{
    const char *longer = expansion(letter);
    if (longer) {
        append_format(s, longer, m);
        return true;
    }
    switch (letter) {
    case 'J':
        str_printf(s, "%03d", m->tm.tm_yday);
        return true;
    case 'N': {
        char digits[16];
        snprintf(digits, sizeof digits, "%09ld", m->ns);
        str_printf(s, "%.*s", precision > 0 && precision < 9 ? precision : 9, digits);
        return true;
    }
    case 'Q':
        return true;
    case 'P':
        str_append_z(s, m->tm.tm_hour < 12 ? "am" : "pm");
        return true;
    case 'q':
        str_printf(s, "%d", m->tm.tm_mon / 3 + 1);
        return true;
    case '#':
    case 's':
        append_seconds(s, m, precision);
        return true;
    case '%':
        str_putc(s, '%');
        return true;
    case 'z':
        if (*pad == '_') {
            long minutes = m->tm.tm_gmtoff / 60;
            str_printf(s, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60,
                       labs(minutes) % 60);
            return true;
        }
        break;
    default:
        break;
    }
    if (!strchr("aAbBCdDegFGHIjklmMnpRStTuUVwWxXyYzZ", letter))
        return false;
    append_strftime(s, pad, letter, &m->tm);
    return true;
}

/* At least WIDTH characters for what stands behind START: numbers get zeros, behind their sign, and
 * other text blanks, unless PAD says otherwise. */
static void pad_field(struct str *s, size_t start, int width, char pad)
{
    const char *text = str_text(s) + start;
    size_t len = s->len - start, count = utf8_count(text, len), at = start;
    bool sign = len && strchr("+-", *text);
    bool number = len > sign && strspn(text + sign, "0123456789.") == len - sign;
    if (!str_ok(s) || width < 0 || (size_t)width <= count || pad == '-')
        return;
    bool zeros = pad == '0' || (pad != '_' && number);
    if (zeros)
        at += sign;
    for (size_t i = (size_t)width - count; i > 0; i--)
        str_insert(s, at, zeros ? "0" : " ", 1);
}

/* %[flags][width][.precision]letter at AT; returns its end, or AT when it is none. */
static const char *append_conversion(struct str *s, const char *at, struct moment *m)
{
    const char *start = at;
    char pad[2] = "";
    int precision = -1, width = -1;
    size_t begin = s->len;
    for (at++; *at && strchr("_-EO0^", *at); at++)
        if (*at != 'E' && *at != 'O')
            pad[0] = *at;
    if (*at >= '1' && *at <= '9') {
        long number = strtol(at, (char **)&at, 10);
        width = number > WIDTH_MAX ? WIDTH_MAX : (int)number;
    }
    if (*at == '.') {
        long number = strtol(at + 1, (char **)&at, 10);
        precision = number < 0 || number > 9 ? 9 : (int)number;
    }
    if (*at == 'N' && width >= 0) { /* digits of a fraction */
        precision = precision < 0 ? width : precision;
        width = -1;
    }
    bool alone = width >= 0 && (*pad == '_' || *pad == '0'); /* they are about the width */
    if (!*at || !append_letter(s, *at, alone ? "" : pad, precision, m))
        return start;
    if (width >= 0 && *pad == '_' && s->data[begin] == '0') { /* its own zeros are padding, too */
        size_t zeros = strspn(s->data + begin, "0");
        str_remove(s, begin, zeros - (zeros == s->len - begin));
    }
    pad_field(s, begin, width, strchr("ekl", *at) && !*pad ? '_' : *pad);
    return at + 1;
}

static void append_format(struct str *s, const char *format, struct moment *m)
{
    while (*format) {
        size_t plain = strcspn(format, "%");
        str_append(s, format, plain);
        format += plain;
        if (!*format)
            return;
        const char *end = append_conversion(s, format, m);
        if (end == format)
            str_putc(s, *end++);
        format = end;
    }
}

bool time_format(struct shell *sh, struct str *s, const char *format, const char *date)
{
    use_zone(sh);
    int64_t ns = sys_realtime_ns();
    bool ok = time_parse(date, ns, &ns);
    struct moment m = { .seconds = (time_t)(ns / 1000000000), .ns = (long)(ns % 1000000000) };
    if (m.ns < 0) {
        m.ns += 1000000000;
        m.seconds--;
    }
    if (!localtime_r(&m.seconds, &m.tm))
        return false;
    append_format(s, format ? format : default_format, &m);
    return ok;
}
