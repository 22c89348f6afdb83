/* Characters of the current locale: UTF-8 sequences in UTF-8 locales, else bytes, which LC_CTYPE
 * may give classes and cases (other multibyte charsets are treated as bytes too). Invalid bytes
 * count as one character each. */
#ifndef SHELL_BASE_UTF8_H
#define SHELL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern bool utf8_active; /* set by utf8_refresh from the LC_CTYPE in force */
void utf8_refresh(void);
/* The LC_CTYPE in force is "C.UTF-8" (UTF8) or "C": known without asking libc, whose tables, a
 * third of the time that a shell takes to start, are then loaded when a character outside ASCII
 * asks for them. */
void utf8_choose(bool utf8);
/* Call before libc is asked about a character outside ASCII (isw..., tow..., wcwidth). */
void utf8_need_tables(void);

/* Decodes the character at P (END > P): its code point in *RET_CP (an invalid byte B gives
 * 0x110000 + B), returns its length in bytes, at least 1. */
size_t utf8_decode(const char *p, const char *end, uint32_t *ret_cp);
/* The length of the character at P (END > P), in any locale; 0 when that is no valid UTF-8. */
size_t utf8_valid_bytes(const char *p, const char *end);
/* Encodes CP (always as UTF-8) into RET (6 bytes); returns the length. */
size_t utf8_encode(uint32_t cp, char *ret);
/* Length in bytes of the character at P. Inline for ASCII. */
size_t utf8_char_bytes_slow(const char *p, const char *end);
static inline size_t utf8_char_bytes(const char *p, const char *end)
{
    return !utf8_active || (unsigned char)*p < 0x80 ? 1 : utf8_char_bytes_slow(p, end);
}
/* Characters in TEXT. */
size_t utf8_count(const char *text, size_t len);
/* Byte offset of character number INDEX (LEN when past the end). */
size_t utf8_offset(const char *text, size_t len, size_t index);
/* Start of the character before P. */
const char *utf8_prev(const char *start, const char *p);
/* Columns on a terminal; -1 for unprintable. */
int utf8_width(uint32_t cp);
/* Columns of TEXT on a terminal; what cannot be printed has none. */
size_t utf8_columns(const char *text, size_t len);
/* The most bytes of TEXT, whole characters, that take up to COLUMNS columns. */
size_t utf8_offset_columns(const char *text, size_t len, size_t columns);
/* Case mapping of a whole text by the locale; appended to S. */
struct str;
void utf8_upper(struct str *s, const char *text, size_t len);
void utf8_lower(struct str *s, const char *text, size_t len);
uint32_t utf8_to_upper(uint32_t cp);
uint32_t utf8_to_lower(uint32_t cp);

#endif
