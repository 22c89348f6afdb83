/*
 * Bracket expressions: [abc] [a-z] [!x] [[:alpha:]] [[.x.]] [[=x=]], and the escapes that name
 * characters.
 *
 * Owns struct char_set. A set is resolved for ASCII when it is compiled (ranges, classes, case and
 * negation all in 128 bits), so that matching ASCII is one bit test; higher code points are looked
 * up in ranges and, in UTF-8, in the locale's classes. Ranges are by code point, whatever the
 * collation.
 *
 * Must not allocate but through table_add.
 */
#include "shell/base/match_internal.h"

#include <ctype.h>
#include <string.h>
#include <wctype.h>

#include "shell/base/cclass.h"
#include "shell/base/collate.h"
#include "shell/base/str.h"

enum { CP_LIMIT = 0x110000 };

/* Class names in the order of their bits. */
static const char *const class_names[] = { "alnum", "alpha", "blank", "cntrl", "digit",
                                           "graph", "lower", "print", "punct", "space",
                                           "upper", "word",  "xdigit" };
enum {
    CLASS_DIGIT = 4,
    CLASS_LOWER = 6,
    CLASS_SPACE = 9,
    CLASS_UPPER = 10,
    CLASS_WORD = 11,
    CLASS_XDIGIT = 12,
    CLASS_COUNT = 13
};

static bool class_has_ascii(unsigned class, unsigned c)
{
    bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z', digit = c >= '0' && c <= '9';
    bool graph = c > 0x20 && c < 0x7f;
    switch (class) {
    case 0:
        return lower || upper || digit;
    case 1:
        return lower || upper;
    case 2:
        return c == ' ' || c == '\t';
    case 3:
        return c < 0x20 || c == 0x7f;
    case CLASS_DIGIT:
        return digit;
    case 5:
        return graph;
    case CLASS_LOWER:
        return lower;
    case 7:
        return graph || c == ' ';
    case 8:
        return graph && !(lower || upper || digit);
    case CLASS_SPACE:
        return c == ' ' || (c >= '\t' && c <= '\r');
    case CLASS_UPPER:
        return upper;
    case CLASS_WORD:
        return lower || upper || digit || c == '_';
    default:
        return digit || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    }
}

/* A byte above ASCII in a locale whose characters are bytes. */
static bool byte_has_class(unsigned class, int byte)
{
    static int (*const is[])(int) = {
        isalnum, isalpha, isblank, iscntrl, isdigit, isgraph,
        islower, isprint, ispunct, isspace, isupper, isalnum,
    };
    return class < sizeof is / sizeof *is && is[class](byte) != 0;
}

static bool class_has(unsigned class, uint32_t cp)
{
    if (cp < 128)
        return class_has_ascii(class, cp);
    if (cp >= CP_LIMIT || class == CLASS_DIGIT || class == CLASS_XDIGIT)
        return false;
    if (!utf8_active)
        return cp < 0x100 && byte_has_class(class, (int)cp);
    utf8_need_tables();
    wctype_t type = wctype(class == CLASS_WORD ? "alnum" : class_names[class]);
    return iswctype((wint_t)cp, type) != 0;
}

static bool classes_have(unsigned classes, uint32_t cp, bool nocase)
{
    if (nocase && classes & (1u << CLASS_LOWER | 1u << CLASS_UPPER))
        classes |= 1u << CLASS_LOWER | 1u << CLASS_UPPER;
    for (unsigned class = 0; classes >> class; class ++) {
        if ((classes >> class & 1) && class_has(class, cp))
            return true;
    }
    return false;
}

static bool lacks_some_class(unsigned classes, uint32_t cp)
{
    for (unsigned class = 0; classes >> class; class ++) {
        if ((classes >> class & 1) && !class_has(class, cp))
            return true;
    }
    return false;
}

static bool ranges_have(const struct char_set *set, const struct char_range *ranges, uint32_t cp)
{
    for (uint32_t i = 0; i < set->range_count; i++) {
        const struct char_range *range = &ranges[set->range_first + i];
        if (cp >= range->lo && cp <= range->hi)
            return true;
    }
    return false;
}

bool set_has_high(const struct char_set *set, const struct char_range *ranges, uint32_t cp)
{
    bool has = ranges_have(set, ranges, cp) || classes_have(set->classes, cp, set->nocase) ||
               lacks_some_class(set->not_classes, cp);
    if (!has && set->nocase)
        has = ranges_have(set, ranges, utf8_to_lower(cp)) ||
              ranges_have(set, ranges, utf8_to_upper(cp));
    return has != set->negate;
}

static void set_finish(struct char_set *set, const struct char_range *ranges)
{
    for (uint32_t cp = 0; cp < 128; cp++) {
        if (set_has_high(set, ranges, cp))
            set->ascii[cp / 32] |= 1u << (cp % 32);
    }
}

static uint32_t octal_or_hex(const char **at, const char *end, unsigned base, unsigned digits_max)
{
    uint32_t value = 0;
    for (unsigned n = 0; n < digits_max && *at < end; n++, ++*at) {
        char c = **at;
        unsigned digit =
            cclass_is(c, CC_DIGIT) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    return value;
}

bool escape_char(const char **at, const char *end, uint32_t *ret_cp)
{
    static const char letters[] = "abefnrtvE", values[] = "\a\b\033\f\n\r\t\v\033";
    if (*at >= end)
        return false;
    char c = **at;
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        ++*at;
        *ret_cp = (unsigned char)values[found - letters];
        return true;
    }
    if (c == 'x' && end - *at > 1 && class_has_ascii(CLASS_XDIGIT, (unsigned char)(*at)[1])) {
        ++*at;
        *ret_cp = octal_or_hex(at, end, 16, 2);
        return true;
    }
    if (c >= '0' && c <= '7') {
        *ret_cp = octal_or_hex(at, end, 8, 3) & 0xff;
        return true;
    }
    if (c == 'c' && end - *at > 1) {
        *ret_cp = (unsigned char)(*at)[1] & 0x1f;
        *at += 2;
        return true;
    }
    return false;
}

static bool add_range(struct set_tables *tables, uint32_t lo, uint32_t hi)
{
    struct char_range *range = table_add(&tables->ranges);
    if (!range)
        return false;
    *range = (struct char_range){ .lo = lo, .hi = hi };
    return true;
}

/* The class of an escape letter: d s w, or the same in upper case for what is not in the class. */
static bool add_escape_class(struct char_set *set, char letter)
{
    unsigned class;
    switch (letter | 0x20) {
    case 'd':
        class = CLASS_DIGIT;
        break;
    case 's':
        class = CLASS_SPACE;
        break;
    case 'w':
        class = CLASS_WORD;
        break;
    default:
        return false;
    }
    if (letter & 0x20)
        set->classes |= (uint16_t)(1u << class);
    else
        set->not_classes |= (uint16_t)(1u << class);
    return true;
}

int set_add_escape(struct set_tables *tables, char letter)
{
    struct char_set *set = table_add(&tables->sets);
    if (!set)
        return SET_NO_MEMORY;
    add_escape_class(set, letter);
    set_finish(set, NULL);
    return (int)tables->sets.count - 1;
}

/* One member: a single character, or a class already added to the set. */
enum member { MEMBER_CHAR, MEMBER_CLASS, MEMBER_BAD };

/* [:name:] [=c=] [.c.] with AT behind the first two bytes and KIND the second of them. */
static enum member parse_named(struct char_set *set, const char **at, const char *end, char kind,
                               uint32_t *ret_cp)
{
    enum { NAME_BYTES_MAX = 64 }; /* what is longer means nothing */
    const char *name = *at, *p = name;
    if (end - name > NAME_BYTES_MAX)
        end = name + NAME_BYTES_MAX;
    while (p + 1 < end && !(p[0] == kind && p[1] == ']'))
        p++;
    if (p + 1 >= end)
        return MEMBER_BAD;
    size_t len = (size_t)(p - name);
    *at = p + 2;
    if (kind != ':') {
        uint32_t cp;
        if (len > 0 && utf8_decode(name, p, &cp) == len) {
            *ret_cp = cp;
            return MEMBER_CHAR;
        }
        int named = kind == '.' ? collate_find(name, len) : -1;
        if (named < 0)
            return MEMBER_BAD;
        *ret_cp = (uint32_t)named;
        return MEMBER_CHAR;
    }
    for (unsigned class = 0; class < CLASS_COUNT; class ++) {
        if (text_eq(name, len, class_names[class], strlen(class_names[class]))) {
            set->classes |= (uint16_t)(1u << class);
            return MEMBER_CLASS;
        }
    }
    return MEMBER_BAD;
}

static enum member parse_member(struct char_set *set, const char **at, const char *end,
                                enum set_syntax syntax, uint32_t *ret_cp)
{
    const char *p = *at;
    if (*p == '[' && end - p > 1 && strchr(":=.", p[1]) && p[1]) {
        *at = p + 2;
        return parse_named(set, at, end, p[1], ret_cp);
    }
    if (*p == '\\' && end - p > 1) {
        bool alnum = cclass_is(p[1], CC_NAME) && p[1] != '_';
        if (syntax != SET_PLAIN && alnum) {
            *at = p + 2;
            if (add_escape_class(set, p[1]))
                return MEMBER_CLASS;
            *at = p + 1;
            if (escape_char(at, end, ret_cp))
                return MEMBER_CHAR;
            p++; /* an escape that means nothing: the letter */
        } else if (syntax != SET_REGEX || p[1] == '[') {
            p++; /* before a [ only quoting puts one */
        }
    }
    *at = p + utf8_decode(p, end, ret_cp);
    return MEMBER_CHAR;
}

/* Members up to the closing bracket; AT is behind the opening one and the negation. */
static int parse_members(struct set_tables *tables, struct char_set *set, const char **at,
                         const char *end, enum set_syntax syntax)
{
    bool first = true;
    for (;; first = false) {
        if (*at >= end)
            return SET_NONE;
        if (**at == ']' && !first) {
            ++*at;
            return 0;
        }
        uint32_t lo = 0, hi;
        enum member member = parse_member(set, at, end, syntax, &lo);
        if (member == MEMBER_BAD)
            return SET_NONE;
        if (member == MEMBER_CLASS)
            continue;
        hi = lo;
        /* A quoted - is a member, never the sign of a range. */
        if (end - *at > 1 && (*at)[0] == '-' && (*at)[1] != ']') {
            ++*at;
            member = parse_member(set, at, end, syntax, &hi);
            if (member == MEMBER_BAD)
                return SET_NONE;
            if (member == MEMBER_CLASS) { /* a-[:x:] : the - and the class are members */
                hi = lo;
                if (!add_range(tables, '-', '-'))
                    return SET_NO_MEMORY;
            }
        }
        if (!add_range(tables, lo, hi))
            return SET_NO_MEMORY;
    }
}

/* Does an even number of backslashes stand before P, behind FIRST? */
static bool is_bare(const char *first, const char *p)
{
    const char *q = p;
    while (q > first && q[-1] == '\\')
        q--;
    return (p - q) % 2 == 0;
}

/* May a bracket expression that begins at FROM have an end? Texts of many [ and no ] would take
 * time that grows with their square. */
static bool may_close(struct set_tables *tables, const char *from, const char *end,
                      enum set_syntax syntax)
{
    bool quotes = syntax == SET_PLAIN;
    if (!tables->searched[quotes]) {
        const char *found = memrchr(from, ']', (size_t)(end - from));
        while (found && quotes && !is_bare(from, found))
            found = memrchr(from, ']', (size_t)(found - from));
        tables->searched[quotes] = true;
        tables->last_close[quotes] = found;
    }
    const char *last = tables->last_close[quotes];
    return last && last > from;
}

int set_parse(struct set_tables *tables, const char **at, const char *end, enum set_syntax syntax,
              bool nocase)
{
    if (!may_close(tables, *at, end, syntax))
        return SET_NONE;
    const char *p = *at + 1;
    struct char_set set = { .nocase = nocase, .range_first = (uint32_t)tables->ranges.count };
    if (p < end && (*p == '^' || (*p == '!' && syntax != SET_REGEX))) {
        set.negate = true;
        p++;
    }
    int status = parse_members(tables, &set, &p, end, syntax);
    struct char_set *added = status == 0 ? table_add(&tables->sets) : NULL;
    if (!added) {
        tables->ranges.count = set.range_first;
        return status == 0 ? SET_NO_MEMORY : status;
    }
    set.range_count = (uint32_t)tables->ranges.count - set.range_first;
    const struct char_range *ranges = (const void *)tables->ranges.data;
    set_finish(&set, ranges);
    *added = set;
    *at = p;
    return (int)tables->sets.count - 1;
}
