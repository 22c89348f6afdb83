/*
 * Backslash escapes of print, echo and printf.
 *
 * Three sets: print's, with \c that ends the output and octal only after \0; that of echo -e and
 * %b, which is print's and \e \xHH \uHHHH \UHHHHHHHH of other shells; and that of printf formats,
 * with \xHH, \uHHHH, \cX and octal without the 0. Unknown escapes stay.
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

/* \x41 \x{41} \u41 \u{41}, of up to MAX digits: *TEXT is after the letter. False: no digits there.
 */
static bool hex_escape(struct str *s, const char **text, const char *end, bool unicode, int max)
{
    const char *at = *text;
    bool brace = at < end && *at == '{';
    const char *digits = at += brace;
    uint32_t value = read_digits(&at, end, 16, brace ? 8 : max);
    if (at == digits || (brace && (at == end || *at != '}')))
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

/* What LETTER adds in echo -e and %b to the escapes of print; *TEXT is after it. */
static bool more_escape(struct str *s, char letter, const char **text, const char *end, bool octal)
{
    switch (letter) {
    case 'e':
        str_putc(s, '\033');
        return true;
    case 'x':
        return hex_escape(s, text, end, false, 2);
    case 'u':
        return hex_escape(s, text, end, true, 4);
    case 'U':
        return hex_escape(s, text, end, true, 8);
    default:
        if (!octal || letter < '1' || letter > '7')
            return false;
        (*text)--;
        str_putc(s, (char)read_digits(text, end, 8, 3));
        return true;
    }
}

enum escape_set { SET_PRINT, SET_ECHO, SET_B };

static bool escape_text(struct str *s, const char *text, size_t len, enum escape_set set)
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
        if (c >= 0)
            str_putc(s, (char)c);
        else if (letter == 'c')
            return false;
        else if (letter == '0')
            str_putc(s, (char)read_digits(&text, end, 8, 3));
        else if (set == SET_PRINT || !more_escape(s, letter, &text, end, set == SET_B))
            str_append(s, slash, 2);
    }
    return true;
}

bool escape_print(struct str *s, const char *text, size_t len)
{
    return escape_text(s, text, len, SET_PRINT);
}

bool escape_echo(struct str *s, const char *text, size_t len)
{
    return escape_text(s, text, len, SET_ECHO);
}

bool escape_b(struct str *s, const char *text, size_t len)
{
    return escape_text(s, text, len, SET_B);
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
                 hex_escape(s, text, *text + strlen(*text), letter != 'x',
                            letter == 'x' ? 2 : 8))) {
        if (!strchr("\"'?%", letter))
            str_putc(s, '\\');
        str_putc(s, letter);
    }
}
