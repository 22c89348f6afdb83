/*
 * Characters of the current locale: bytes, or UTF-8 sequences when the locale's charset is UTF-8.
 *
 * Owns utf8_active. Decoding is strict (no overlong forms, no surrogates, nothing above 0x10ffff)
 * and never fails: a byte that starts no valid sequence is one character of its own with a code
 * point outside Unicode, so that any byte string has exactly one division into characters, whatever
 * the direction it is read in. Must not keep conversion state.
 */
#include "shell/base/utf8.h"

#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "shell/base/str.h"

enum { CP_INVALID = 0x110000 };

bool utf8_active;
static bool tables_pending; /* the C.UTF-8 locale was chosen and libc does not know yet */

void utf8_choose(bool utf8)
{
    utf8_active = utf8;
    tables_pending = utf8;
    if (!utf8)
        setlocale(LC_CTYPE, "C");
}

void utf8_need_tables(void)
{
    if (tables_pending)
        setlocale(LC_CTYPE, "C.UTF-8");
    tables_pending = false;
}

void utf8_refresh(void)
{
    tables_pending = false;
    utf8_active = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool is_tail(const char *p)
{
    return ((unsigned char)*p & 0xc0) == 0x80;
}

/* Decodes a sequence of two to four bytes; 0 when P starts no valid one. */
static size_t decode_sequence(const char *p, const char *end, uint32_t *ret_cp)
{
    unsigned char lead = (unsigned char)p[0];
    ptrdiff_t room = end - p;
    if (lead < 0xc2 || lead > 0xf4 || room < 2 || !is_tail(p + 1))
        return 0;
    uint32_t second = p[1] & 0x3f;
    if (lead < 0xe0) {
        *ret_cp = ((lead & 0x1fu) << 6) | second;
        return 2;
    }
    if (room < 3 || !is_tail(p + 2))
        return 0;
    uint32_t third = p[2] & 0x3f;
    if (lead < 0xf0) {
        uint32_t cp = ((lead & 0x0fu) << 12) | (second << 6) | third;
        if (cp < 0x800 || (cp >= 0xd800 && cp <= 0xdfff))
            return 0;
        *ret_cp = cp;
        return 3;
    }
    if (room < 4 || !is_tail(p + 3))
        return 0;
    uint32_t cp = ((lead & 0x07u) << 18) | (second << 12) | (third << 6) | (p[3] & 0x3fu);
    if (cp < 0x10000 || cp > 0x10ffff)
        return 0;
    *ret_cp = cp;
    return 4;
}

size_t utf8_valid_bytes(const char *p, const char *end)
{
    uint32_t cp;
    return (unsigned char)*p < 0x80 ? 1 : decode_sequence(p, end, &cp);
}

size_t utf8_decode(const char *p, const char *end, uint32_t *ret_cp)
{
    unsigned char byte = (unsigned char)*p;
    if (byte < 0x80 || !utf8_active) {
        *ret_cp = byte;
        return 1;
    }
    size_t len = decode_sequence(p, end, ret_cp);
    if (len)
        return len;
    *ret_cp = CP_INVALID + byte;
    return 1;
}

size_t utf8_encode(uint32_t cp, char *ret)
{
    if (cp < 0x80) {
        ret[0] = (char)cp;
        return 1;
    }
    /* The lead byte has one more high bit than there are tail bytes; the old six-byte form covers
     * the 31 bits that \U can name. */
    size_t tails = cp < 0x800 ? 1 : cp < 0x10000 ? 2 : cp < 0x200000 ? 3 : cp < 0x4000000 ? 4 : 5;
    for (size_t i = tails; i > 0; i--) {
        ret[i] = (char)(0x80 | (cp & 0x3f));
        cp >>= 6;
    }
    ret[0] = (char)((0xff00u >> (tails + 1)) | cp);
    return tails + 1;
}

size_t utf8_char_bytes_slow(const char *p, const char *end)
{
    uint32_t cp;
    return utf8_decode(p, end, &cp);
}

size_t utf8_count(const char *text, size_t len)
{
    if (!utf8_active)
        return len;
    const char *end = text + len;
    size_t count = 0;
    for (const char *p = text; p < end; p += utf8_char_bytes(p, end))
        count++;
    return count;
}

size_t utf8_offset(const char *text, size_t len, size_t index)
{
    if (!utf8_active)
        return index < len ? index : len;
    const char *p = text, *end = text + len;
    for (; index > 0 && p < end; index--)
        p += utf8_char_bytes(p, end);
    return (size_t)(p - text);
}

const char *utf8_prev(const char *start, const char *p)
{
    if (p <= start)
        return start;
    const char *q = p - 1;
    if (!utf8_active || (unsigned char)*q < 0x80)
        return q;
    /* A lead byte at most three back whose sequence ends exactly here; else the byte stands alone.
     */
    for (size_t back = 2; back <= 4 && p - start >= (ptrdiff_t)back && is_tail(q); back++) {
        q = p - back;
        uint32_t cp;
        if (decode_sequence(q, p, &cp) == back)
            return q;
    }
    return p - 1;
}

int utf8_width(uint32_t cp)
{
    if (cp >= CP_INVALID)
        return -1;
    if (cp < 0x80 || !utf8_active)
        return cp >= 0x20 && cp != 0x7f ? 1 : -1;
    utf8_need_tables();
    return wcwidth((wchar_t)cp);
}

static size_t char_columns(const char *p, const char *end, size_t *ret_bytes)
{
    uint32_t cp = 0;
    if (!utf8_active || (unsigned char)*p < 0x80) {
        *ret_bytes = 1;
        return 1;
    }
    *ret_bytes = utf8_decode(p, end, &cp);
    int width = cp >= 0x110000 ? 1 : utf8_width(cp);
    return width > 0 ? (size_t)width : 0;
}

size_t utf8_columns(const char *text, size_t len)
{
    size_t columns = 0, bytes;
    for (size_t i = 0; i < len; i += bytes)
        columns += char_columns(text + i, text + len, &bytes);
    return columns;
}

size_t utf8_offset_columns(const char *text, size_t len, size_t columns)
{
    size_t used = 0, bytes, at = 0;
    for (; at < len; at += bytes) {
        used += char_columns(text + at, text + len, &bytes);
        if (used > columns)
            break;
    }
    return at;
}

uint32_t utf8_to_upper(uint32_t cp)
{
    if (cp < 0x80)
        return cp >= 'a' && cp <= 'z' ? cp - 0x20 : cp;
    if (cp >= CP_INVALID)
        return cp;
    if (!utf8_active)
        return cp < 0x100 ? (uint32_t)toupper((int)cp) : cp;
    utf8_need_tables();
    return (uint32_t)towupper((wint_t)cp);
}

uint32_t utf8_to_lower(uint32_t cp)
{
    if (cp < 0x80)
        return cp >= 'A' && cp <= 'Z' ? cp + 0x20 : cp;
    if (cp >= CP_INVALID)
        return cp;
    if (!utf8_active)
        return cp < 0x100 ? (uint32_t)tolower((int)cp) : cp;
    utf8_need_tables();
    return (uint32_t)towlower((wint_t)cp);
}

static void map_case(struct str *s, const char *text, size_t len, uint32_t (*convert)(uint32_t))
{
    const char *end = text + len;
    if (!str_reserve(s, len))
        return;
    for (const char *p = text; p < end;) {
        uint32_t cp;
        size_t bytes = utf8_decode(p, end, &cp);
        uint32_t mapped = convert(cp);
        if (mapped == cp) {
            str_append(s, p, bytes);
        } else if (!utf8_active) {
            str_putc(s, (char)mapped);
        } else {
            char encoded[6];
            str_append(s, encoded, utf8_encode(mapped, encoded));
        }
        p += bytes;
    }
}

void utf8_upper(struct str *s, const char *text, size_t len)
{
    map_case(s, text, len, utf8_to_upper);
}

void utf8_lower(struct str *s, const char *text, size_t len)
{
    map_case(s, text, len, utf8_to_lower);
}
