/*
 * Growable byte strings and the small text helpers that need no locale.
 *
 * Owns the storage of struct str. Invariants: DATA is NULL (then LEN and CAP are 0) or has CAP
 * bytes with LEN < CAP and DATA[LEN] == 0. A failed allocation changes nothing but `failed`; the
 * string does not grow any more until it is cleared. Room grows by a factor, so that appending byte
 * by byte is linear in the end.
 *
 * Must not know of characters (utf8.c) or of the shell's syntax beyond what a name is.
 */
#include "shell/base/str.h"

#include <stdio.h>
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/base/num.h"

enum { STR_FIRST_BYTES = 32, STR_DOUBLE_MAX_BYTES = 1 << 20, STR_SPARE_MIN_BYTES = 4096 };

void str_init(struct str *s, struct mem_region *region)
{
    *s = (struct str){ .region = region };
}

void str_release(struct str *s)
{
    if (s->data)
        mem_free_sized(s->region, s->data, s->cap);
    *s = (struct str){ .region = s->region, .kind = s->kind };
}

void str_clear(struct str *s)
{
    s->len = 0;
    s->failed = false;
    if (s->data)
        s->data[0] = '\0';
}

/* The size to grow to for NEED bytes: twice the old one, half as much again for big strings. */
static size_t grown_bytes(size_t cap, size_t need)
{
    size_t bytes = cap < STR_DOUBLE_MAX_BYTES ? cap * 2 : cap + cap / 2;
    if (bytes < STR_FIRST_BYTES)
        bytes = STR_FIRST_BYTES;
    return bytes < need ? need : bytes;
}

bool str_reserve(struct str *s, size_t extra)
{
    size_t need = s->len + extra + 1;
    if (need <= s->len) { /* wrapped */
        s->failed = true;
        return false;
    }
    if (need <= s->cap)
        return true;
    if (s->failed) /* what fills it byte by byte would ask the system for each */
        return false;
    size_t bytes = grown_bytes(s->cap, need);
    char *data = mem_resize_kind(s->region, s->data, bytes, s->kind);
    while (!data && bytes > need) { /* less room, but some: the next byte would be as hard to get */
        size_t spare = (bytes - need) / 8;
        bytes = need + (spare < STR_SPARE_MIN_BYTES ? 0 : spare);
        data = mem_resize_kind(s->region, s->data, bytes, s->kind);
    }
    if (!data) {
        s->failed = true;
        return false;
    }
    if (!s->data)
        data[0] = '\0';
    s->data = data;
    s->cap = bytes;
    return true;
}

void str_append(struct str *s, const char *bytes, size_t len)
{
    if (len == 0 || !str_reserve(s, len))
        return;
    memcpy(s->data + s->len, bytes, len);
    s->len += len;
    s->data[s->len] = '\0';
}

void str_append_z(struct str *s, const char *text)
{
    str_append(s, text, strlen(text));
}

void str_append_int(struct str *s, int64_t n)
{
    char digits[24];
    str_append(s, digits, num_format_int(n, digits));
}

void str_printf(struct str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_vprintf(s, format, args);
    va_end(args);
}

void str_vprintf(struct str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = s->cap - s->len;
    int len = vsnprintf(s->data ? s->data + s->len : NULL, room, format, args);
    if (len >= 0 && (size_t)len >= room) {
        if (str_reserve(s, (size_t)len))
            len = vsnprintf(s->data + s->len, (size_t)len + 1, format, again);
        else
            len = -1;
    }
    va_end(again);
    if (len > 0)
        s->len += (size_t)len;
    if (len < 0)
        s->failed = true;
    if (s->data)
        s->data[s->len] = '\0'; /* a failed attempt may have written past LEN */
}

void str_insert(struct str *s, size_t at, const char *bytes, size_t len)
{
    if (at > s->len)
        at = s->len;
    if (len == 0 || !str_reserve(s, len))
        return;
    memmove(s->data + at + len, s->data + at, s->len - at + 1);
    memcpy(s->data + at, bytes, len);
    s->len += len;
}

void str_remove(struct str *s, size_t at, size_t len)
{
    if (at >= s->len)
        return;
    if (len > s->len - at)
        len = s->len - at;
    memmove(s->data + at, s->data + at + len, s->len - at - len + 1);
    s->len -= len;
}

void str_truncate(struct str *s, size_t len)
{
    if (len >= s->len)
        return;
    s->len = len;
    s->data[len] = '\0';
}

const char *str_text(const struct str *s)
{
    return s->data ? s->data : "";
}

char *str_take(struct str *s)
{
    if (s->failed || !str_reserve(s, 0))
        return NULL;
    char *data = s->data;
    str_init(s, s->region);
    return data;
}

char *text_dup(struct mem_region *region, const char *text)
{
    return text_dup_n(region, text, strlen(text));
}

char *text_dup_n(struct mem_region *region, const char *text, size_t len)
{
    char *copy = mem_alloc(region, len + 1);
    if (!copy)
        return NULL;
    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

bool text_eq(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

int text_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t common = a_len < b_len ? a_len : b_len;
    int order = common ? memcmp(a, b, common) : 0;
    if (order)
        return order;
    return (a_len > b_len) - (a_len < b_len);
}

size_t text_name_len(const char *text, size_t len)
{
    if (len == 0 || !cclass_is(text[0], CC_NAME_START))
        return 0;
    size_t n = 1;
    while (n < len && cclass_is(text[n], CC_NAME))
        n++;
    return n;
}

bool text_is_name(const char *text, size_t len)
{
    return len > 0 && text_name_len(text, len) == len;
}

bool text_is_dotted_name(const char *text, size_t len)
{
    size_t at = len > 0 && text[0] == '.';
    for (;;) {
        size_t n = text_name_len(text + at, len - at);
        if (n == 0)
            return false;
        at += n;
        if (at == len)
            return true;
        if (text[at++] != '.')
            return false;
    }
}

/* Multiplies and folds the two halves: every input bit reaches every output bit. */
static uint64_t hash_mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load_tail(const char *p, size_t len)
{
    uint64_t word = 0;
    memcpy(&word, p, len);
    return word;
}

uint32_t text_hash(const char *text, size_t len)
{
    const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd1b54a32d192ed03u, k2 = 0x8cb92ba72f3d8dd7u;
    uint64_t h = k0 ^ len;
    size_t left = len;
    for (; left >= 16; left -= 16, text += 16)
        h = hash_mix(load_tail(text, 8) ^ k1 ^ h, load_tail(text + 8, 8) ^ k2);
    uint64_t a = 0, b = 0;
    if (left > 8) {
        a = load_tail(text, 8);
        b = load_tail(text + 8, left - 8);
    } else if (left > 0) {
        a = load_tail(text, left);
    }
    h = hash_mix(a ^ k1 ^ h, b ^ k2);
    return (uint32_t)(h ^ (h >> 32));
}
