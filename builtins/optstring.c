/*
 * Reading option strings.
 *
 *     optstring: [:] [+] item... [operands]      operands: a blank or an empty line, then text up
 * to `[+` item:      c [: | # [?] argument]  |  [option] [: | # [?] argument]  |  [+title?text]  |
 * [-title?text] option:    field [!] [=number] [:longname] [?text]      field: a letter, or digits
 * for a long name only argument:  [name[:word...][:=default][?text]] [{ values }] A group ends at
 * the first ] that is not doubled. Whatever is malformed ends the string; it never fails.
 */
#include "builtins/optstring.h"

#include <string.h>

void optstring_init(struct optstring *o, const char *text)
{
    *o = (struct optstring){ 0 };
    for (; *text == ':' || *text == '+'; text++) {
        if (*text == ':')
            o->quiet = true;
        else
            o->plus = true;
    }
    o->items = text;
    if (text[0] != '[' || (text[1] != '-' && text[1] != '+'))
        return;
    o->extended = true;
    if (text[1] == '+')
        return;
    o->values = true;
    for (const char *p = text + 2; *p && *p != '?' && *p != ']'; p++)
        o->plus = o->plus || *p == '+';
}

/* The end of the group that starts after its bracket at P: at the closing one or the end of the
 * string. */
static const char *group_end(const char *p)
{
    for (;;) {
        p += strcspn(p, "]");
        if (*p == '\0' || p[1] != ']')
            return p;
        p += 2;
    }
}

/* After the group. */
static const char *group_after(const char *end)
{
    return *end ? end + 1 : end;
}

/* The length of the label part of [P, END) up to one of STOPS, `??` being a question mark. */
static size_t field_length(const char *p, const char *end, const char *stops)
{
    const char *start = p;
    while (p < end && !strchr(stops, *p))
        p++;
    return (size_t)(p - start);
}

/* {...}, the values of an argument; they hold groups, which may have values too. */
static const char *skip_values(const char *p)
{
    size_t depth = 0;
    for (; *p; p++) {
        if (*p == '[')
            p = group_end(p + 1);
        else if (*p == '{')
            depth++;
        else if (*p == '}' && --depth == 0)
            return p + 1;
        if (!*p)
            break;
    }
    return p;
}

static const char *read_values(const char *p, struct optstring_item *item)
{
    if (*p != '{')
        return p;
    const char *end = skip_values(p);
    item->values = (struct optstring_text){ p + 1, (size_t)(end - p - 1) };
    if (item->values.len && end[-1] == '}')
        item->values.len--;
    return end;
}

static const char *skip_newline(const char *p)
{
    if (*p != '\n' || p[1] == '\n')
        return p;
    return p + 1 + strspn(p + 1, " \t");
}

static const char *read_argument_group(const char *p, struct optstring_item *item)
{
    const char *end = group_end(p);
    size_t len = field_length(p, end, ":?");
    item->argument_name = (struct optstring_text){ p, len };
    p += len;
    while (p < end && *p == ':') {
        p++;
        len = field_length(p, end, ":?");
        if (*p == '=')
            item->argument_default = (struct optstring_text){ p + 1, len - 1 };
        p += len;
    }
    if (p < end)
        item->argument_text = (struct optstring_text){ p + 1, (size_t)(end - p - 1) };
    return group_after(end);
}

/* What follows an option's letter or group. */
static const char *read_argument(const char *p, struct optstring_item *item)
{
    if (*p != ':' && *p != '#')
        return p;
    item->argument = *p++;
    if (*p == '?') {
        item->optional = true;
        p++;
    }
    p = skip_newline(p);
    if (*p == '[' && p[1] != '-' && p[1] != '+')
        p = read_argument_group(p + 1, item);
    return read_values(skip_newline(p), item);
}

/* [P, END) of an option's group. */
static void read_option_group(const char *p, const char *end, struct optstring_item *item)
{
    size_t len = field_length(p, end, ":?!=");
    if (len == 0 && p < end && p[0] == '?' && p + 1 < end && p[1] == '?') {
        item->letter = '?';
        p += 2;
    } else if (len == 1) {
        item->letter = *p++;
    } else {
        item->value = (struct optstring_text){ p, len };
        p += len;
    }
    if (p < end && *p == '!') {
        item->inverted = true;
        p++;
    }
    if (p < end && *p == '=') {
        len = field_length(p + 1, end, ":?");
        item->value = (struct optstring_text){ p + 1, len };
        p += len + 1;
    }
    if (p < end && *p == ':') {
        len = field_length(p + 1, end, ":?");
        item->name = (struct optstring_text){ p + 1, len };
        p += len + 1;
    }
    p += field_length(p, end, "?");
    if (p < end)
        item->text = (struct optstring_text){ p + 1, (size_t)(end - p - 1) };
}

/* [+title?text], [-title?text]; P is after the sign. */
static void read_section(const char *p, const char *end, struct optstring_item *item)
{
    size_t len = field_length(p, end, "?");
    item->name = (struct optstring_text){ p, len };
    p += len;
    if (p < end)
        item->text = (struct optstring_text){ p + 1, (size_t)(end - p - 1) };
}

static bool read_operands(const char **pos, struct optstring_item *ret)
{
    const char *p = *pos + strspn(*pos, " \t");
    for (int i = 0; i < 2 && *p == '\n'; i++)
        p++; /* a third one: the first synopsis has no operands */
    p += strspn(p, " \t");
    const char *end = strstr(p, "[+");
    if (!end)
        end = p + strlen(p);
    *pos = end;
    while (end > p && strchr(" \t\n", end[-1]))
        end--;
    *ret = (struct optstring_item){ .kind = OPTSTRING_OPERANDS, .text = { p, (size_t)(end - p) } };
    return true;
}

bool optstring_next(const char **pos, struct optstring_item *ret)
{
    const char *p = skip_newline(*pos);
    *ret = (struct optstring_item){ .kind = OPTSTRING_OPTION };
    while (*p == '{') /* values of nothing */
        p = skip_newline(skip_values(p));
    p += strspn(p, "\t");
    if (*p == '\0' || *p == '}')
        return false;
    if (*p == ' ' || *p == '\n') {
        *pos = p;
        return read_operands(pos, ret);
    }
    if (*p != '[') {
        ret->letter = *p;
        *pos = read_argument(p + 1, ret);
        return true;
    }
    const char *end = group_end(p + 1);
    if (p[1] == '+' || p[1] == '-') {
        ret->kind = p[1] == '+' ? OPTSTRING_SECTION : OPTSTRING_IMPLEMENTATION;
        read_section(p + 2, end, ret);
        *pos = read_values(skip_newline(group_after(end)), ret);
        return true;
    }
    read_option_group(p + 1, end, ret);
    *pos = read_argument(group_after(end), ret);
    return true;
}

enum optstring_mark optstring_mark(char c)
{
    switch (c) {
    case '\b':
        return OPTSTRING_MARK_BOLD;
    case '\a':
        return OPTSTRING_MARK_ITALIC;
    case '\f':
    case '\v':
        return OPTSTRING_MARK_OTHER;
    default:
        return OPTSTRING_MARK_NONE;
    }
}

void optstring_append(struct str *s, struct optstring_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.text[i];
        if (optstring_mark(c) != OPTSTRING_MARK_NONE)
            continue;
        if ((c == ']' || c == '?') && i + 1 < text.len && text.text[i + 1] == c)
            i++;
        str_putc(s, c);
    }
}

void optstring_append_name(struct str *s, const struct optstring_item *item)
{
    for (size_t i = 0; i < item->name.len; i++) {
        if (item->name.text[i] != '*')
            str_putc(s, item->name.text[i]);
    }
}
