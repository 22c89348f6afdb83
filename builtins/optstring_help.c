/*
 * The usage line, the help and the manual page that a script's option string describes; laid out as
 * those of builtins. The order is that of the string, except that the NAME section comes first and
 * the version last.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "builtins/optstring.h"

enum { INDENT = 2, OPTION_INDENT = 18 };

static bool is_title(struct optstring_text name, const char *title)
{
    return text_eq(name.text, name.len, title, strlen(title));
}

static void append_raw(struct str *s, struct optstring_text text)
{
    str_append(s, text.text, text.len);
}

/* The name of an option's argument. */
static void append_argument_name(struct str *s, const struct optstring_item *item)
{
    if (item->argument_name.len)
        append_raw(s, item->argument_name);
    else
        str_append_z(s, "arg");
}

static void append_letters(struct str *s, const struct optstring *o)
{
    struct optstring_item item;
    size_t start = s->len;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || item.argument || !item.letter)
            continue;
        if (s->len == start)
            str_append_z(s, " [-");
        str_putc(s, item.letter);
    }
    if (s->len > start)
        str_putc(s, ']');
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || !item.argument || !item.letter)
            continue;
        str_printf(s, " [-%c%s", item.letter, item.optional ? "[" : " ");
        append_argument_name(s, &item);
        str_append_z(s, item.optional ? "]]" : "]");
    }
}

static void append_operands(struct str *s, const struct optstring *o)
{
    struct optstring_item item;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPERANDS || !item.text.len)
            continue;
        str_putc(s, ' ');
        append_raw(s, item.text);
    }
}

static void append_hint(struct str *s, const char *name)
{
    str_printf(s, "\n Help: %s [ --help | --man ] 2>&1\n", name);
}

void optstring_usage(struct str *s, const struct optstring *o, const char *name)
{
    str_printf(s, "Usage: %s", name);
    append_letters(s, o);
    append_operands(s, o);
    append_hint(s, name);
}

/* ---- options ---- */

static void append_description(struct str *s, const struct optstring_item *item)
{
    optstring_append(s, item->text);
    if (!item->text.len)
        optstring_append(s, item->argument_text);
    if (item->optional)
        str_append_z(s, " The option value may be omitted.");
    if (item->argument_default.len) {
        str_append_z(s, " The default value is ");
        append_raw(s, item->argument_default);
        str_putc(s, '.');
    }
    if (item->inverted && item->letter && item->name.len) {
        str_printf(s, " On by default; -%c means --no", item->letter);
        append_raw(s, item->name);
        str_putc(s, '.');
    }
}

static void append_option(struct str *s, const struct optstring_item *item)
{
    size_t start = s->len;
    str_append_z(s, "  ");
    if (item->letter)
        str_printf(s, "-%c%s", item->letter, item->name.len ? ", " : "");
    if (item->name.len) {
        str_append_z(s, "--");
        append_raw(s, item->name);
    }
    if (item->argument) {
        str_append_z(s, item->optional ? item->name.len ? "[=" : "[" : item->name.len ? "=" : " ");
        append_argument_name(s, item);
        if (item->optional)
            str_putc(s, ']');
    }
    struct str text;
    str_init(&text, s->region);
    append_description(&text, item);
    size_t column = s->len - start;
    if (column + 1 > OPTION_INDENT) {
        str_putc(s, '\n');
        column = 0;
    }
    builtin_help_wrap(s, str_text(&text), OPTION_INDENT, column);
    str_release(&text);
}

static void append_options(struct str *s, const struct optstring *o)
{
    struct optstring_item item;
    bool any = false;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION)
            continue;
        if (!any)
            str_append_z(s, "OPTIONS\n");
        any = true;
        append_option(s, &item);
    }
}

/* ---- manual page ---- */

static void append_section(struct str *s, const struct optstring_item *item)
{
    struct str text;
    str_init(&text, s->region);
    if (item->name.len) {
        str_putc(s, '\n');
        append_raw(s, item->name);
        str_putc(s, '\n');
    } else {
        str_putc(s, '\n'); /* a new paragraph of the same section */
    }
    optstring_append(&text, item->text);
    builtin_help_wrap(s, str_text(&text), INDENT, 0);
    str_release(&text);
}

/* The sections, those before the options or those after. */
static void append_sections(struct str *s, const struct optstring *o, bool after)
{
    struct optstring_item item;
    bool options_seen = false;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind == OPTSTRING_OPTION || item.kind == OPTSTRING_OPERANDS)
            options_seen = true;
        else if (item.kind == OPTSTRING_SECTION && options_seen == after &&
                 !is_title(item.name, "NAME"))
            append_section(s, &item);
    }
}

/* `version` and the other facts of [-...] groups. */
static void append_implementation(struct str *s, const struct optstring *o)
{
    struct optstring_item item;
    bool any = false;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        bool is_first = item.kind == OPTSTRING_IMPLEMENTATION && item.name.text == o->items + 2;
        if (item.kind != OPTSTRING_IMPLEMENTATION || !item.text.len)
            continue;
        if (!any)
            str_append_z(s, "\nIMPLEMENTATION\n");
        any = true;
        struct str text;
        str_init(&text, s->region);
        optstring_append(&text, item.text);
        size_t start = s->len;
        str_append_z(s, "  ");
        if (is_first)
            str_append_z(s, "version");
        else
            append_raw(s, item.name);
        builtin_help_wrap(s, str_text(&text), OPTION_INDENT, s->len - start);
        str_release(&text);
    }
}

static void append_man(struct str *s, const struct optstring *o, const char *name)
{
    struct optstring_item item;
    struct str title;
    str_init(&title, s->region);
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind == OPTSTRING_SECTION && is_title(item.name, "NAME"))
            optstring_append(&title, item.text);
    }
    if (!title.len)
        str_append_z(&title, name);
    str_printf(s, "NAME\n  %s\n\nSYNOPSIS\n  %.*s [ options ]", str_text(&title),
               (int)strcspn(str_text(&title), " "), str_text(&title));
    append_operands(s, o);
    str_putc(s, '\n');
    append_sections(s, o, false);
    str_putc(s, '\n');
    append_options(s, o);
    append_sections(s, o, true);
    append_implementation(s, o);
    str_release(&title);
}

void optstring_help(struct str *s, const struct optstring *o, const char *name,
                    enum optstring_page page)
{
    if (page == OPTSTRING_MAN) {
        append_man(s, o, name);
        return;
    }
    if (!o->extended) {
        optstring_usage(s, o, name);
        return;
    }
    str_printf(s, "Usage: %s [ options ]", name);
    append_operands(s, o);
    append_hint(s, name);
    append_options(s, o);
}
