/*
 * Quoting text so that the shell reads it back: as it is, in '..', or in $'..'.
 *
 * The same decisions as ksh93's printf %q: what is a word of harmless characters stays bare, what
 * has a quote or an unprintable character becomes $'..', all else '..'. `name=value` keeps the name
 * outside of the quotes.
 */
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "shell/base/cclass.h"
#include "shell/base/utf8.h"
#include "shell/state/var.h"

enum { UTF8_INVALID = 0x110000 }; /* utf8_decode: this plus the byte */

enum quote_kind { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOLLAR };

/* Invisible as they are: controls, spaces other than the blank, marks of direction. */
static bool is_invisible(uint32_t cp)
{
    static const uint32_t ranges[][2] = {
        { 0x80, 0xa0 },     { 0x61c, 0x61c },   { 0x1680, 0x1680 }, { 0x180e, 0x180e },
        { 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x2064 }, { 0x2066, 0x206f },
        { 0x3000, 0x3000 }, { 0xfeff, 0xfeff },
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (cp >= ranges[i][0] && cp <= ranges[i][1])
            return true;
    return false;
}

static bool is_printable(uint32_t cp)
{
    if (cp < 0x80)
        return cp >= 0x20 && cp != 0x7f;
    return cp < UTF8_INVALID && utf8_active && !is_invisible(cp);
}

static uint32_t decode(const char *p, const char *end, size_t *ret_bytes)
{
    uint32_t cp = (unsigned char)*p;
    *ret_bytes = 1;
    if (cp < 0x80)
        return cp;
    if (!utf8_active)
        return UTF8_INVALID + cp;
    *ret_bytes = utf8_decode(p, end, &cp);
    return cp;
}

static bool is_name_char(uint32_t cp, bool first)
{
    if (cp < 0x80)
        return cclass_is((char)cp, first ? CC_NAME_START : CC_NAME);
    if (cp >= UTF8_INVALID || !utf8_active)
        return false;
    utf8_need_tables();
    return iswalpha((wint_t)cp) != 0;
}

/* Where a leading `name=` or `name==` ends; 0: there is none. *RET_NAME_END: the end of a leading
 * name. */
static size_t assignment_prefix(const char *text, size_t len, size_t *ret_name_end)
{
    size_t i = 0, bytes;
    while (i < len && is_name_char(decode(text + i, text + len, &bytes), i == 0))
        i += bytes;
    *ret_name_end = i;
    if (i == 0 || i == len || text[i] != '=')
        return 0;
    i++;
    return i < len && text[i] == '=' ? i + 1 : i;
}

/* Characters that mean something to the lexer wherever they stand. */
static bool is_active(uint32_t cp)
{
    return cp < 0x80 && cp != 0 && strchr(" \t\n&|;<>()$`\"'\\*?[]{}=", (int)cp) != NULL;
}

static enum quote_kind classify(const char *text, size_t len, size_t name_end)
{
    enum quote_kind kind = QUOTE_NONE;
    if (name_end < len && (text[name_end] == '#' || text[name_end] == '~'))
        kind = QUOTE_SINGLE;
    for (size_t i = 0, bytes; i < len; i += bytes) {
        uint32_t cp = decode(text + i, text + len, &bytes);
        if (cp == '\'' || !is_printable(cp))
            return QUOTE_DOLLAR;
        if (is_active(cp))
            kind = QUOTE_SINGLE;
    }
    return kind;
}

/* The letter of a one-letter escape in $'..', or 0. */
static char escape_letter(uint32_t cp)
{
    switch (cp) {
    case '\a':
        return 'a';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case 033:
        return 'E';
    case '\'':
        return '\'';
    case '\\':
        return '\\';
    default:
        return 0;
    }
}

static bool is_hex_digit(char c)
{
    return cclass_is(c, CC_DIGIT) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static void append_escape(struct str *s, uint32_t cp, bool hex_follows)
{
    char letter = escape_letter(cp);
    if (letter) {
        str_putc(s, '\\');
        str_putc(s, letter);
    } else if (cp >= 0x80 && cp < UTF8_INVALID) {
        str_printf(s, "\\u[%x]", (unsigned)cp);
    } else {
        unsigned byte = cp & 0xff;
        str_printf(s, hex_follows ? "\\x[%02x]" : "\\x%02x", byte);
    }
}

static void quote_dollar(struct str *s, const char *text, size_t len)
{
    str_append(s, "$'", 2);
    for (size_t i = 0, bytes; i < len; i += bytes) {
        uint32_t cp = decode(text + i, text + len, &bytes);
        if (cp != '\'' && cp != '\\' && is_printable(cp)) {
            str_append(s, text + i, bytes);
            continue;
        }
        bool hex_follows = i + bytes < len && is_hex_digit(text[i + bytes]);
        append_escape(s, cp, hex_follows);
    }
    str_putc(s, '\'');
}

static void quote(struct str *s, const char *text, size_t len, bool in_list)
{
    size_t name_end;
    size_t prefix = assignment_prefix(text, len, &name_end);
    if (prefix && in_list) {
        str_append(s, text, name_end);
        str_putc(s, '\\');
        str_append(s, text + name_end, prefix - name_end);
    } else {
        str_append(s, text, prefix);
    }
    text += prefix;
    len -= prefix;
    if (len == 0) {
        if (prefix == 0 || prefix > name_end + 1)
            str_append(s, "''", 2);
        return;
    }
    switch (classify(text, len, prefix > 0 ? 0 : name_end)) {
    case QUOTE_NONE:
        str_append(s, text, len);
        return;
    case QUOTE_SINGLE:
        str_putc(s, '\'');
        str_append(s, text, len);
        str_putc(s, '\'');
        return;
    case QUOTE_DOLLAR:
        quote_dollar(s, text, len);
        return;
    }
}

void text_quote(struct str *s, const char *text, size_t len)
{
    quote(s, text, len, false);
}

void text_quote_in_list(struct str *s, const char *text, size_t len)
{
    quote(s, text, len, true);
}

const char *text_shown(struct mem_region *region, const char *text)
{
    size_t len = strlen(text);
    struct str s;
    for (size_t i = 0, bytes; i < len; i += bytes) {
        if (is_printable(decode(text + i, text + len, &bytes)))
            continue;
        str_init(&s, region);
        quote_dollar(&s, text, len);
        return str_ok(&s) ? str_text(&s) : text;
    }
    return text;
}

void text_quote_single(struct str *s, const char *text, size_t len)
{
    str_putc(s, '\'');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'')
            str_append_z(s, "'\\'");
        str_putc(s, text[i]);
    }
    str_putc(s, '\'');
}
