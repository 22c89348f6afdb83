/*
 * split: where IFS cuts a text.
 *
 * Works on a text and a table only: no allocation, no state. White space separators at the ends are
 * dropped and runs of them count as one, together with at most one other separator; every further
 * separator ends a field of its own, and one at the end of the text ends the last field without
 * starting another.
 */
#include "shell/expand/split.h"

#include <string.h>

#include "shell/base/utf8.h"

/* Is the multibyte character P[0..BYTES) one of the separators? */
static bool is_wide_separator(const struct ifs_table *ifs, const char *p, size_t bytes)
{
    const char *s = ifs->text, *end = s + ifs->len;
    while (s < end) {
        size_t n = utf8_char_bytes(s, end);
        if (n == bytes && memcmp(s, p, n) == 0)
            return true;
        s += n;
    }
    return false;
}

enum ifs_class ifs_class_at(const struct ifs_table *ifs, const char *p, const char *end,
                            size_t *ret_bytes)
{
    *ret_bytes = 1;
    if (!ifs->multibyte || (unsigned char)*p < 0x80)
        return (enum ifs_class)ifs->classes[(unsigned char)*p];
    size_t bytes = utf8_char_bytes(p, end);
    *ret_bytes = bytes;
    return is_wide_separator(ifs, p, bytes) ? IFS_OTHER : IFS_NONE;
}

const char *ifs_find(const struct ifs_table *ifs, const char *p, const char *end)
{
    if (!ifs->multibyte) {
        while (p < end && ifs->classes[(unsigned char)*p] == IFS_NONE)
            p++;
        return p;
    }
    size_t bytes;
    while (p < end && ifs_class_at(ifs, p, end, &bytes) == IFS_NONE)
        p += bytes;
    return p;
}

struct cut {
    const struct ifs_table *ifs;
    const char *text;
    size_t len;
    const uint8_t *escaped;
};

static enum ifs_class class_at(const struct cut *c, size_t i, size_t *ret_bytes)
{
    enum ifs_class class = ifs_class_at(c->ifs, c->text + i, c->text + c->len, ret_bytes);
    return c->escaped && (c->escaped[i / 8] >> i % 8 & 1) ? IFS_NONE : class;
}

static size_t skip_space(const struct cut *c, size_t i)
{
    size_t bytes;
    if (!c->escaped) {
        /* White space separators are single bytes. */
        while (i < c->len && c->ifs->classes[(unsigned char)c->text[i]] == IFS_SPACE)
            i++;
        return i;
    }
    while (i < c->len && class_at(c, i, &bytes) == IFS_SPACE)
        i += bytes;
    return i;
}

static size_t skip_field(const struct cut *c, size_t i)
{
    size_t bytes;
    if (!c->escaped)
        return (size_t)(ifs_find(c->ifs, c->text + i, c->text + c->len) - c->text);
    while (i < c->len && class_at(c, i, &bytes) == IFS_NONE)
        i += bytes;
    return i;
}

/* From the end of a field to after its delimiter. */
static size_t skip_delimiter(const struct cut *c, size_t i)
{
    size_t bytes;
    i = skip_space(c, i);
    if (i < c->len && class_at(c, i, &bytes) == IFS_OTHER)
        i = skip_space(c, i + bytes);
    return i;
}

/* Where the white space at the end begins, at FROM at the earliest. Its separators are all one byte
 * long. */
static size_t last_space(const struct cut *c, size_t from)
{
    size_t end = c->len, bytes;
    if (!c->escaped) {
        while (end > from && c->ifs->classes[(unsigned char)c->text[end - 1]] == IFS_SPACE)
            end--;
        return end;
    }
    while (end > from && class_at(c, end - 1, &bytes) == IFS_SPACE)
        end--;
    return end;
}

bool split_next(const struct ifs_table *ifs, const char *text, size_t len, const uint8_t *escaped,
                size_t *pos, size_t *ret_start, size_t *ret_end)
{
    struct cut c = { ifs, text, len, escaped };
    size_t start = skip_space(&c, *pos);
    if (start >= len)
        return false;
    *ret_start = start;
    *ret_end = skip_field(&c, start);
    *pos = skip_delimiter(&c, *ret_end);
    return true;
}

void split_rest(const struct ifs_table *ifs, const char *text, size_t len, const uint8_t *escaped,
                size_t pos, size_t *ret_start, size_t *ret_end)
{
    struct cut c = { ifs, text, len, escaped };
    size_t start = skip_space(&c, pos);
    *ret_start = start;
    if (ifs->only_space) { /* the end is all that matters: no delimiter could be the last */
        *ret_end = last_space(&c, start);
        return;
    }
    size_t field_end = skip_field(&c, start);
    if (skip_delimiter(&c, field_end) >= len) {
        *ret_end = field_end;
        return;
    }
    *ret_end = last_space(&c, field_end);
}
