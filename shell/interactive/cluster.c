/*
 * Characters with combining marks, for libedit, which draws one character a cell.
 *
 * A character and the marks behind it are one character of the line here: a code point of a private
 * plane, which stands for their text. It is made when the marks come in (typed, pasted, called
 * back) and replaced by its text on every way out, to the shell and to the terminal. Half of the
 * code points are of characters that take two columns: libedit asks wcwidth, which the linker
 * leads to the function below.
 *
 * A byte that is no character of UTF-8 goes in and out the same way.
 *
 * The same texts have the same code point for as long as the editor lives.
 */
#include "shell/interactive/cluster.h"

#include <limits.h>
#include <string.h>

#include "shell/base/utf8.h"

enum {
    NARROW_FIRST = 0x100000,
    WIDE_FIRST = 0x108000,
    WIDE_END = 0x10fffe,
    CLUSTERS_MAX = WIDE_FIRST - NARROW_FIRST - 2 /* the last one is PROMPT_LAST */
};

struct cluster {
    size_t start, len; /* in TEXTS */
};

int __real_wcwidth(wchar_t c);
int __wrap_wcwidth(wchar_t c);

int __wrap_wcwidth(wchar_t c)
{
    return c >= WIDE_FIRST && c < WIDE_END ? 2 : __real_wcwidth(c);
}

void clusters_init(struct clusters *c, struct mem_region *region)
{
    str_init(&c->texts, region);
    str_init(&c->places, region);
}

void clusters_release(struct clusters *c)
{
    str_release(&c->texts);
    str_release(&c->places);
}

static size_t cluster_count(const struct clusters *c)
{
    return c->places.len / sizeof(struct cluster);
}

static const struct cluster *cluster_at(const struct clusters *c, size_t i)
{
    return (const struct cluster *)(const void *)c->places.data + i;
}

/* The number of TEXT, which is given one if it has none; CLUSTERS_MAX: there are no more. */
static size_t number_of(struct clusters *c, const char *text, size_t len)
{
    size_t count = cluster_count(c);
    for (size_t i = 0; i < count; i++) { /* few are ever used */
        const struct cluster *one = cluster_at(c, i);
        if (text_eq(c->texts.data + one->start, one->len, text, len))
            return i;
    }
    struct cluster one = { .start = c->texts.len, .len = len };
    if (count == CLUSTERS_MAX)
        return count;
    str_append(&c->texts, text, len);
    str_append(&c->places, (const char *)&one, sizeof one);
    return str_ok(&c->texts) && str_ok(&c->places) ? count : CLUSTERS_MAX;
}

const char *cluster_text(const struct clusters *c, wchar_t wide, size_t *ret_len)
{
    size_t i = wide >= WIDE_FIRST ? (size_t)(wide - WIDE_FIRST) : (size_t)(wide - NARROW_FIRST);
    if (wide < NARROW_FIRST || i >= cluster_count(c))
        return NULL;
    const struct cluster *one = cluster_at(c, i);
    *ret_len = one->len;
    return c->texts.data + one->start;
}

bool cluster_is_mark(wchar_t wide)
{
    return wide >= 0x300 && utf8_active && wcwidth(wide) == 0;
}

/* The character, or cluster, that TEXT is; 0: none can be made. */
static wchar_t cluster_make(struct clusters *c, const char *text, size_t len)
{
    size_t columns = utf8_columns(text, len), i = number_of(c, text, len);
    if (i == CLUSTERS_MAX || columns < 1 || columns > 2)
        return 0;
    return (wchar_t)((columns == 2 ? WIDE_FIRST : NARROW_FIRST) + i);
}

wchar_t cluster_of_bytes(struct clusters *c, const char *bytes, size_t len)
{
    return utf8_active ? cluster_make(c, bytes, len) : 0;
}

/* One character of the locale; of a byte that begins none *RET is its value. */
static size_t decode(const char *text, size_t len, wchar_t *ret)
{
    mbstate_t state = { 0 };
    unsigned char byte = (unsigned char)*text;
    size_t used = byte < 0x80 ? 0 : mbrtowc(ret, text, len, &state);
    if (used > 0 && used <= len)
        return used;
    *ret = byte;
    return 1;
}

/* How many bytes of marks TEXT begins with. */
static size_t marks_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && (unsigned char)text[at] >= 0x80) {
        wchar_t mark;
        size_t used = decode(text + at, len - at, &mark);
        if (!cluster_is_mark(mark))
            break;
        at += used;
    }
    return at;
}

/* How many bytes of plain ASCII, of which none has a mark, TEXT begins with. */
static size_t plain_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && (unsigned char)text[at] < 0x80)
        at++;
    return at == len || at == 0 ? at : at - 1;
}

static void append_plain(struct str *ret, const char *text, size_t len)
{
    size_t bytes = len * sizeof(wchar_t);
    if (!str_reserve(ret, bytes))
        return;
    wchar_t *to = (wchar_t *)(void *)(ret->data + ret->len);
    for (size_t i = 0; i < len; i++)
        to[i] = text[i];
    ret->len += bytes;
}

void cluster_append_wide(struct clusters *c, struct str *ret, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t plain = plain_len(text + i, len - i);
        if (plain > 0) {
            append_plain(ret, text + i, plain);
            i += plain;
            continue;
        }
        wchar_t wide;
        size_t used = decode(text + i, len - i, &wide);
        size_t marks = wide >= ' ' ? marks_len(text + i + used, len - i - used) : 0;
        bool is_byte = used == 1 && wide >= 0x80;
        wchar_t whole = marks     ? cluster_make(c, text + i, used + marks)
                        : is_byte ? cluster_of_bytes(c, text + i, 1)
                                  : 0;
        if (whole) {
            wide = whole;
            used += marks;
        }
        str_append(ret, (const char *)&wide, sizeof wide);
        i += used;
    }
}

void cluster_append_text(const struct clusters *c, struct str *ret, const wchar_t *text,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t len;
        const char *marked = cluster_text(c, text[i], &len);
        char bytes[MB_LEN_MAX];
        mbstate_t state = { 0 };
        if (marked)
            str_append(ret, marked, len);
        else if (text[i] < 0x80)
            str_putc(ret, (char)text[i]);
        else if ((len = wcrtomb(bytes, text[i], &state)) != (size_t)-1)
            str_append(ret, bytes, len);
        else if (text[i] <= 0xff)
            str_putc(ret, (char)text[i]);
        else /* typed before the locale changed */
            str_append(ret, bytes, utf8_encode((uint32_t)text[i], bytes));
    }
}
