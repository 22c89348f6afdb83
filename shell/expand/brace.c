/*
 * brace: {a,b} {1..10..2} {a..e} {1..3%02d}.
 *
 * As in ksh93 this works on finished fields, so lists that come out of expansions count too, and
 * before pathname expansion. The text is in escaped form: what was quoted follows a backslash and
 * means nothing here. Alternatives come out left to right, depth first; nothing is kept but the
 * text of the one being made.
 */
#include "shell/expand/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct braces {
    struct shell *sh;
    struct fields *fields;
    struct buf out; /* what stands before the text still to be read */
};

static enum flow braces_text(struct braces *c, const char *text, size_t len);

/* A { and the } that closes it. */
struct pair {
    size_t close; /* LEN of the text: nothing does */
    bool comma;   /* there is a , at its own level */
};
enum { PAIRS_FEW = 16 };

/* Fills PAIRS with those of all { of TEXT, in order, in one pass however deep they nest. */
static void find_pairs(const char *text, size_t len, struct pair *pairs)
{
    size_t count = 0,
           open = SIZE_MAX; /* the innermost that is open; its `close` leads to the next */
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\\') {
            i++;
        } else if (text[i] == '{') {
            pairs[count] = (struct pair){ .close = open };
            open = count++;
        } else if (text[i] == '}' && open != SIZE_MAX) {
            size_t outer = pairs[open].close;
            pairs[open].close = i;
            open = outer;
        } else if (text[i] == ',' && open != SIZE_MAX) {
            pairs[open].comma = true;
        }
    }
    while (open != SIZE_MAX) {
        size_t outer = pairs[open].close;
        pairs[open].close = len;
        open = outer;
    }
}

static size_t count_opens(const char *text, size_t len)
{
    size_t count = 0;
    for (const char *at = text, *end = text + len; (at = memchr(at, '{', (size_t)(end - at))); at++)
        count++;
    return count;
}

/* ---- ranges ---- */

enum { FORMAT_MAX = 32 };
#define FIELDS_MAX (SIZE_MAX / 16 / sizeof(char *))
struct range {
    int64_t first, last, step;
    char format[FORMAT_MAX]; /* for printf with one int64_t; "" for characters */
    size_t format_len;
};

static bool scan_int(const char **text, int64_t *ret)
{
    char *end;
    errno = 0;
    *ret = strtoll(*text, &end, 0);
    if (*end == '8' || *end == '9') /* 08 is no octal number */
        *ret = strtoll(*text, &end, 10);
    if (end == *text || errno || **text == ' ')
        return false;
    *text = end;
    return true;
}

/* %[flags][width][l]C up to the end of TEXT, as a format for int64_t. */
static bool scan_format(const char *text, struct range *r)
{
    char *out = r->format, *limit = r->format + FORMAT_MAX - 4;
    const char *s = text;
    *out++ = *s++;
    while (*s && strchr("-+ #0", *s) && out < limit)
        *out++ = *s++;
    for (int digits = 0; *s >= '0' && *s <= '9' && digits < 4 && out < limit; digits++)
        *out++ = *s++;
    while (*s == 'l')
        s++;
    if (!*s || !strchr("diuoxXc", *s) || s[1])
        return false;
    if (*s != 'c') {
        *out++ = 'l';
        *out++ = 'l';
    }
    *out++ = *s;
    *out = '\0';
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* FIRST..LAST[..STEP][%FORMAT]; TEXT is NUL-terminated. */
static bool scan_range(const char *text, struct range *r)
{
    bool letters = is_letter(text[0]) && text[1] == '.' && text[2] == '.' && is_letter(text[3]);
    *r = (struct range){ .format = "%lld" };
    if (letters) {
        r->first = text[0];
        r->last = text[3];
        r->format[0] = '\0';
        text += 4;
        if ((r->first < 'a') != (r->last < 'a'))
            return false;
    } else if (!scan_int(&text, &r->first) || strncmp(text, "..", 2) != 0) {
        return false;
    } else {
        text += 2;
        if (!scan_int(&text, &r->last))
            return false;
    }
    r->step = r->first <= r->last ? 1 : -1;
    if (strncmp(text, "..", 2) == 0) {
        text += 2;
        if (!scan_int(&text, &r->step) || r->step == 0)
            return false;
    }
    if (*text == '%' && !letters)
        return scan_format(text, r);
    return *text == '\0';
}

static void put_member(struct braces *c, const struct range *r, int64_t n)
{
    if (!r->format[0]) {
        buf_putc(&c->out, (char)n);
        return;
    }
    char text[10064]; /* a width has at most four digits */
    int len;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr(r->format, 'c'))
        len = snprintf(text, sizeof text, r->format, (int)n);
    else
        len = snprintf(text, sizeof text, r->format, (long long)n);
#pragma GCC diagnostic pop
    if (len > 0)
        buf_append(&c->out, text, (size_t)len);
}

/* How many members there are at least; 1 where STEP leads away from LAST. */
static uint64_t member_count(const struct range *r)
{
    if (r->step > 0 ? r->first > r->last : r->first < r->last)
        return 1;
    uint64_t way = r->step > 0 ? (uint64_t)r->last - (uint64_t)r->first
                               : (uint64_t)r->first - (uint64_t)r->last;
    uint64_t step = r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step;
    return way / step == UINT64_MAX ? UINT64_MAX : way / step + 1;
}

static enum flow braces_range(struct braces *c, const struct range *r, const char *rest,
                              size_t rest_len)
{
    size_t base = c->out.len;
    int64_t n = r->first;
    /* What can never fit fails at once, not when all memory is used up. */
    uint64_t count = member_count(r);
    TRY(fields_reserve(c->sh, c->fields, count < FIELDS_MAX ? count : FIELDS_MAX));
    for (;;) {
        put_member(c, r, n);
        TRY(braces_text(c, rest, rest_len));
        c->out.len = base;
        if (__builtin_add_overflow(n, r->step, &n))
            break;
        if (r->step > 0 ? n > r->last || n < r->first : n < r->last || n > r->first)
            break;
    }
    return FLOW_NEXT;
}

/* ---- lists ---- */

/* Each alternative of TEXT[0..LEN) followed by REST. */
static enum flow braces_list(struct braces *c, const char *text, size_t len, const char *rest,
                             size_t rest_len)
{
    size_t base = c->out.len, start = 0;
    unsigned depth = 0;
    struct buf one;
    buf_init(&one, c->sh);
    enum flow flow = FLOW_NEXT;
    for (size_t i = 0; i <= len && flow == FLOW_NEXT; i++) {
        if (i < len && text[i] == '\\') {
            i++;
            continue;
        }
        if (i < len && text[i] == '{')
            depth++;
        else if (i < len && text[i] == '}')
            depth--;
        if (i < len && (text[i] != ',' || depth > 0))
            continue;
        one.len = 0;
        buf_append(&one, text + start, i - start);
        buf_append(&one, rest, rest_len);
        start = i + 1;
        const char *joined;
        size_t joined_len;
        flow = buf_text(c->sh, &one, &joined, &joined_len);
        if (flow == FLOW_NEXT)
            flow = braces_text(c, joined, joined_len);
        c->out.len = base;
    }
    buf_release(&one);
    return flow;
}

/* The braces at OPEN..CLOSE if they are a list or a range. *RET_DONE: they were, and all of TEXT is
 * dealt with. */
static enum flow braces_group(struct braces *c, const char *text, size_t len, size_t open,
                              size_t close, bool comma, bool *ret_done)
{
    const char *inner = text + open + 1, *rest = text + close + 1;
    size_t inner_len = close - open - 1, rest_len = len - close - 1;
    if (rest_len > 0 && rest[0] == '(') /* {n,m}(pattern) */
        return FLOW_NEXT;
    if (comma) {
        *ret_done = true;
        return braces_list(c, inner, inner_len, rest, rest_len);
    }
    char copy[80];
    struct range range;
    if (inner_len < 4 || inner_len >= sizeof copy)
        return FLOW_NEXT;
    memcpy(copy, inner, inner_len);
    copy[inner_len] = '\0';
    if (!scan_range(copy, &range))
        return FLOW_NEXT;
    *ret_done = true;
    return braces_range(c, &range, rest, rest_len);
}

static enum flow braces_emit(struct braces *c)
{
    const char *text;
    size_t len;
    TRY(buf_text(c->sh, &c->out, &text, &len));
    return glob_field(c->sh, c->fields, text, len);
}

/* PAIRS: of the braces of TEXT. */
static enum flow braces_scan(struct braces *c, const char *text, size_t len,
                             const struct pair *pairs)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\\' && i + 1 < len) {
            buf_append(&c->out, text + i++, 2);
            continue;
        }
        if (text[i] == '{') {
            bool done = false;
            if (pairs->close == len) {
                buf_append(&c->out, text + i, len - i);
                break;
            }
            TRY(braces_group(c, text, len, i, pairs->close, pairs->comma, &done));
            if (done)
                return FLOW_NEXT;
            pairs++;
        }
        buf_putc(&c->out, text[i]);
    }
    return braces_emit(c);
}

static enum flow braces_pair(struct braces *c, const char *text, size_t len)
{
    struct pair few[PAIRS_FEW], *pairs = few;
    size_t count = count_opens(text, len);
    if (count == 0) {
        buf_append(&c->out, text, len);
        return braces_emit(c);
    }
    if (count > PAIRS_FEW && !(pairs = mem_alloc(c->sh->heap, count * sizeof *pairs)))
        return shell_fail_memory(c->sh, count * sizeof *pairs);
    find_pairs(text, len, pairs);
    enum flow flow = braces_scan(c, text, len, pairs);
    if (pairs != few)
        mem_free_sized(c->sh->heap, pairs, count * sizeof *pairs);
    return flow;
}

static enum flow braces_text(struct braces *c, const char *text, size_t len)
{
    enum flow flow = shell_enter(c->sh) ? braces_pair(c, text, len)
                                        : shell_fail(c->sh, ERROR_LIMIT, 1, NULL,
                                                     "brace expansion: nested too deeply");
    shell_leave(c->sh);
    return flow;
}

/* True for ~(E)... and the like, where braces count repetitions. */
static bool is_regex(const char *text, size_t len)
{
    if (len < 3 || text[0] != '~' || text[1] != '(')
        return false;
    for (size_t i = 2; i < len && text[i] != ')' && text[i] != ':'; i++)
        if (strchr("AEFGPVX", text[i]))
            return true;
    return false;
}

enum flow brace_expand(struct builder *b, const char *text, size_t len)
{
    if (!memchr(text, '{', len) || is_regex(text, len))
        return glob_field(b->sh, b->fields, text, len);
    struct braces c = { .sh = b->sh, .fields = b->fields };
    buf_init(&c.out, b->sh);
    enum flow flow = braces_text(&c, text, len);
    buf_release(&c.out);
    return flow;
}
