/*
 * Backslash escapes of print, echo and printf.
 *
 * Two sets: print's, with \c that ends the output and octal only after \0; and that of printf
 * formats, with \xHH, \uHHHH, \cX and octal without the 0. print keeps unknown escapes, a format
 * drops their backslash.
 */
#include "builtins/escape.h"

#include <string.h>

#include "shell/base/utf8.h"

/* What the letter after a backslash means in both sets; -1: nothing. */
static int simple_escape(char letter)
{
    switch (letter) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    case 'E':
        return '\033';
    case '\\':
        return '\\';
    default:
        return -1;
    }
}

static int digit_of(char c, int base)
{
    int value = c >= '0' && c <= '9'                     ? c - '0'
                : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                         : 99;
    return value < base ? value : -1;
}

/* Up to MAX digits of BASE at *TEXT. */
static uint32_t read_digits(const char **text, const char *end, int base, int max)
{
    uint32_t value = 0;
    for (int digit; max > 0 && *text < end && (digit = digit_of(**text, base)) >= 0;
         max--, (*text)++)
        value = value * (uint32_t)base + (uint32_t)digit;
    return value;
}

bool escape_print(struct str *s, const char *text, size_t len)
{
    const char *end = text + len;
    while (text < end) {
        const char *slash = memchr(text, '\\', (size_t)(end - text));
        if (!slash || slash + 1 == end) {
            str_append(s, text, (size_t)(end - text));
            return true;
        }
        str_append(s, text, (size_t)(slash - text));
        char letter = slash[1];
        text = slash + 2;
        int c = simple_escape(letter);
        if (c >= 0) {
            str_putc(s, (char)c);
        } else if (letter == 'c') {
            return false;
        } else if (letter == '0') {
            str_putc(s, (char)read_digits(&text, end, 8, 3));
        } else {
            str_append(s, slash, 2);
        }
    }
    return true;
}

/* \x41 \x{41} \u41 \u{41}: *TEXT is after the letter. False: no digits there. */
static bool hex_escape(struct str *s, const char **text, bool unicode)
{
    const char *end = *text + strlen(*text);
    const char *at = *text;
    bool brace = *at == '{';
    const char *digits = at += brace;
    uint32_t value = read_digits(&at, end, 16, brace ? 8 : unicode ? 8 : 2);
    if (at == digits || (brace && *at != '}'))
        return false;
    *text = at + brace;
    if (unicode && value > 0x7f) {
        char bytes[6];
        str_append(s, bytes, utf8_encode(value, bytes));
    } else {
        str_putc(s, (char)value);
    }
    return true;
}

void escape_format(struct str *s, const char **text)
{
    const char *slash = *text;
    char letter = slash[1];
    int c = letter == 'e' ? '\033' : simple_escape(letter);
    *text = slash + 2;
    if (letter == '\0') {
        *text = slash + 1;
        str_putc(s, '\\');
    } else if (c >= 0) {
        str_putc(s, (char)c);
    } else if (letter >= '0' && letter <= '7') {
        *text = slash + 1;
        str_putc(s, (char)read_digits(text, slash + 1 + strlen(slash + 1), 8, 3));
    } else if (letter == 'c' && slash[2]) {
        *text = slash + 3;
        str_putc(s, slash[2] == '?' ? '\177' : (char)(slash[2] & 0x1f));
    } else if (!((letter == 'x' || letter == 'u' || letter == 'U' || letter == 'w') &&
                 hex_escape(s, text, letter != 'x'))) {
        str_putc(s, letter);
    }
}
