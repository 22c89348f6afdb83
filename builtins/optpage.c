/*
 * Pages of an option string as text: usage, help, manual page.
 *
 * The order is that of the string, except that NAME and SYNOPSIS come first and the facts about the
 * implementation last. optpage_walk() knows the order, the writers how each part looks. Nothing
 * here knows where a page goes.
 */
#include "builtins/optpage.h"

#include <string.h>

#include "builtins/builtin.h"
#include "shell/base/cclass.h"

enum { INDENT = 2, OPTION_INDENT = 18, ENTRY_LABEL = 4, ENTRY_TEXT = 10, USAGE_WIDTH = 79 };

bool optpage_find(const char *name, size_t len, enum optpage *ret)
{
    static const struct {
        const char *name;
        enum optpage page;
    } pages[] = {
        { "", OPTPAGE_HELP },       { "help", OPTPAGE_HELP },   { "options", OPTPAGE_HELP },
        { "man", OPTPAGE_MAN },     { "nroff", OPTPAGE_NROFF }, { "html", OPTPAGE_HTML },
        { "api", OPTPAGE_API },     { "keys", OPTPAGE_KEYS },   { "usage", OPTPAGE_STRING },
        { "posix", OPTPAGE_POSIX }, { "about", OPTPAGE_ABOUT }, { "short", OPTPAGE_USAGE },
        { "long", OPTPAGE_LONG },
    };
    size_t marks = 0;
    while (marks < len && name[marks] == '?')
        marks++;
    if (!len)
        return false;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        size_t page_len = strlen(pages[i].name);
        bool begins = page_len > len - marks && len > marks && marks != 1 &&
                      memcmp(name + marks, pages[i].name, len - marks) == 0;
        if (begins || text_eq(name + marks, len - marks, pages[i].name, page_len)) {
            *ret = marks == 2 && len == 2  ? OPTPAGE_MAN
                   : marks == 3 && len > 3 ? OPTPAGE_KNOWN
                                           : pages[i].page;
            return true;
        }
    }
    if (marks != 2)
        return false;
    *ret = name[marks] == '-' ? OPTPAGE_ABOUT : OPTPAGE_GENERAL;
    return true;
}

/* What OPTPAGE_GENERAL shows, after the name. */
static const char general[] = " - the pages that it has]"
                              "[+DESCRIPTION?Each of these options shows a page and does nothing "
                              "else. Where a command has an "
                              "option of that name itself, the page is shown after ???? and the "
                              "name. The short forms are -?? "
                              "for --short, --?? for --options and --???? for --man. ??????page "
                              "says version=1 if there is such "
                              "a page.]"
                              "[11:about?Author, version and the like.]"
                              "[12:api?The manual page for other programs.]"
                              "[13:help|options?The usage, and what each option does.]"
                              "[14:html?The manual page in HTML.]"
                              "[15:keys?The texts that could be translated.]"
                              "[16:long?The usage, with long options.]"
                              "[17:man?The manual page.]"
                              "[18:nroff?The manual page for nroff.]"
                              "[19:posix?The letters of the options, as getopt takes them.]"
                              "[20:short?The usage, with letters.]"
                              "[21:usage?The option string.]"
                              "[22:version?The version.]";

static bool is_title(struct optstring_text name, const char *title)
{
    return text_eq(name.text, name.len, title, strlen(title));
}

static bool is_separator(const struct optstring *o, const struct optstring_item *item)
{
    return item->kind == OPTSTRING_IMPLEMENTATION && item->name.text == o->items + 2;
}

/* The version in the TEXT of the first item: between $Id: and $ where that is there. */
static struct optstring_text version_text(struct optstring_text text)
{
    static const char mark[] = "$Id: ";
    const char *id = memmem(text.text, text.len, mark, sizeof mark - 1);
    if (!id)
        return text;
    const char *start = id + sizeof mark - 1, *end = text.text + text.len;
    const char *stop = memchr(start, '$', (size_t)(end - start));
    end = stop ? stop : end;
    while (end > start && cclass_is(end[-1], CC_SPACE))
        end--;
    return (struct optstring_text){ start, (size_t)(end - start) };
}

bool optpage_is_version(const struct optstring *o, const char *name, size_t len)
{
    static const char version[] = "version";
    struct optstring_item item;
    const char *pos = o->items;
    if (!len || len >= sizeof version || memcmp(name, version, len) != 0 ||
        !optstring_next(&pos, &item) || !is_separator(o, &item) || !item.text.len)
        return false;
    return !item.name.len || version_text(item.text).text != item.text.text;
}

/* ---- usage ---------------------------------------------------------------------------------- */

/* Appends the word S holds from START on to the line, which is broken before it when it is full. */
static void fit_word(struct str *s, size_t start, size_t line, size_t indent)
{
    if (s->len - line <= USAGE_WIDTH || start <= line + indent)
        return;
    char blanks[64];
    size_t count = indent < sizeof blanks - 1 ? indent : sizeof blanks - 1;
    memset(blanks, ' ', count);
    blanks[0] = '\n';
    str_insert(s, start, blanks, 1);
    memset(blanks, ' ', count);
    str_insert(s, start + 1, blanks, count - 1);
}

struct usage {
    struct str *s;
    size_t line, indent; /* where the line began, and what stands before its words */
};

/* Ends the word that began at START with its leading blank. */
static void word_end(struct usage *u, size_t start)
{
    size_t before = u->s->len;
    fit_word(u->s, start, u->line, u->indent);
    if (u->s->len != before)
        u->line = start + 1;
}

static void append_argument_name(struct str *s, const struct optstring_item *item)
{
    if (item->argument_name.len)
        optstring_append(s, item->argument_name);
    else
        str_append_z(s, item->argument == '#' ? "#" : "arg");
}

static void usage_letters(struct usage *u, const struct optstring *o)
{
    struct optstring_item item;
    size_t start = u->s->len;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || item.argument || !item.letter)
            continue;
        if (u->s->len == start)
            str_append_z(u->s, " [-");
        str_putc(u->s, item.letter);
    }
    if (u->s->len > start) {
        str_putc(u->s, ']');
        word_end(u, start);
    }
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || !item.argument || !item.letter)
            continue;
        start = u->s->len;
        str_printf(u->s, " [-%c%s", item.letter, item.optional ? "[" : " ");
        append_argument_name(u->s, &item);
        str_append_z(u->s, item.optional ? "]]" : "]");
        word_end(u, start);
    }
}

static void usage_long(struct usage *u, const struct optstring *o)
{
    struct optstring_item item;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || !item.name.len)
            continue;
        size_t start = u->s->len;
        str_append_z(u->s, " [--");
        optstring_append_name(u->s, &item);
        if (item.argument) {
            str_append_z(u->s, item.optional ? "[=" : "=");
            append_argument_name(u->s, &item);
            str_append_z(u->s, item.optional ? "]" : "");
        }
        str_putc(u->s, ']');
        word_end(u, start);
    }
}

/* A line of operands, word by word. */
static void usage_operands(struct usage *u, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t start = u->s->len, word = 0;
        while (i + word < len && (text[i + word] != ' ' || (word && text[i + word - 1] == '[')))
            word++;
        str_putc(u->s, ' ');
        str_append(u->s, text + i, word);
        word_end(u, start);
        i += word + 1;
    }
}

enum usage_options { USAGE_ALL, USAGE_SHORT, USAGE_LONG };

static void append_usage(struct str *s, const struct optstring *o, const char *name,
                         enum usage_options options)
{
    struct usage u = { s, s->len, strlen("Usage: ") + strlen(name) + 1 };
    struct optstring_item item;
    str_printf(s, "Usage: %s", name);
    if (options == USAGE_SHORT)
        usage_letters(&u, o);
    else if (options == USAGE_LONG)
        usage_long(&u, o);
    else
        str_append_z(s, " [ options ]");
    bool first = true;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPERANDS || !item.text.len)
            continue;
        const char *line = item.text.text, *end = line + item.text.len;
        first = first && *line != '\n';
        while (line < end) {
            const char *newline = memchr(line, '\n', (size_t)(end - line));
            size_t len = (size_t)((newline ? newline : end) - line);
            if (!first && len) {
                str_putc(s, '\n');
                u.line = s->len;
                str_printf(s, "   Or: %s", name);
            }
            usage_operands(&u, line, len);
            first = first && !len;
            line += len + 1;
        }
    }
    str_printf(s, "\n Help: %s [ --help | --man ] 2>&1\n", name);
}

void optpage_usage(struct str *s, const struct optstring *o, const char *name, bool detailed)
{
    append_usage(s, o, name, detailed ? USAGE_SHORT : USAGE_ALL);
}

/* ---- the order of a page ----------------------------------------------------------------------
 */

/* The entries of a list {...}, and lists in it, which are shown as part of it. */
static void walk_list(struct optpage_writer *w, struct optstring_text list, int depth)
{
    const char *pos = list.text, *end = list.text + list.len;
    struct optstring_item item;
    while (pos < end && optstring_next(&pos, &item) && pos <= end + 1) {
        if (item.kind != OPTSTRING_SECTION)
            continue;
        w->entry(w, depth, item.name, item.text);
        if (item.values.len)
            walk_list(w, item.values, depth);
    }
    if (w->end_list)
        w->end_list(w, depth);
}

static void walk_option(struct optpage_writer *w, const struct optstring_item *item)
{
    w->option(w, item);
    if (!item->values.len)
        return;
    walk_list(w, item->values, 2);
    if (w->after_values)
        w->after_values(w, item);
}

static void end_section(struct optpage_writer *w, bool *open)
{
    if (*open && w->end_section)
        w->end_section(w);
    *open = false;
}

static void begin_section(struct optpage_writer *w, bool *open, struct optstring_text title)
{
    struct str text;
    end_section(w, open);
    str_init(&text, w->s->region);
    str_append(&text, title.text, title.len);
    if (w->section)
        w->section(w, str_text(&text));
    str_release(&text);
    *open = true;
}

static void begin_section_z(struct optpage_writer *w, bool *open, const char *title)
{
    begin_section(w, open, (struct optstring_text){ title, strlen(title) });
}

static struct optstring_text find_title(const struct optstring *o, const char *name)
{
    struct optstring_item item;
    struct optstring_text title = { name, strlen(name) };
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind == OPTSTRING_SECTION && is_title(item.name, "NAME"))
            title = item.text;
    }
    return title;
}

void optpage_title(struct str *s, const struct optstring *o, const char *name)
{
    size_t start = s->len;
    optstring_append(s, find_title(o, name));
    size_t word = str_ok(s) ? strcspn(str_text(s) + start, " ,") : 0;
    if (word)
        str_truncate(s, start + word);
}

static void walk_head(struct optpage_writer *w, const struct optstring *o, bool *open)
{
    struct optstring_item item;
    struct str name;
    str_init(&name, w->s->region);
    begin_section_z(w, open, "NAME");
    w->paragraph(w, find_title(o, w->name), true);
    optpage_title(&name, o, w->name);
    const char *outer = w->name;
    w->name = str_text(&name);
    begin_section_z(w, open, "SYNOPSIS");
    bool first = true;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPERANDS)
            continue;
        const char *line = item.text.text, *end = line + item.text.len;
        if (item.text.len && *line == '\n')
            w->synopsis(w, (struct optstring_text){ "", 0 }, first), first = false;
        while (line < end) {
            const char *newline = memchr(line, '\n', (size_t)(end - line));
            size_t len = (size_t)((newline ? newline : end) - line);
            if (len)
                w->synopsis(w, (struct optstring_text){ line, len }, first);
            first = first && !len;
            line += len + 1;
        }
    }
    if (first)
        w->synopsis(w, (struct optstring_text){ "", 0 }, true);
    w->name = outer;
    str_release(&name);
}

/* ONLY_VERSION: not the author and what else there is. */
static void walk_implementation(struct optpage_writer *w, const struct optstring *o, bool *open,
                                bool only_version)
{
    struct optstring_item item;
    static const struct optstring_text version = { "version", 7 };
    bool any = false;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        bool is_version = is_separator(o, &item);
        if (item.kind != OPTSTRING_IMPLEMENTATION || !item.text.len ||
            (only_version && !is_version))
            continue;
        if (!any)
            begin_section_z(w, open, "IMPLEMENTATION");
        any = true;
        w->entry(w, 0, is_version ? version : item.name,
                 is_version ? version_text(item.text) : item.text);
    }
    if (any && w->end_list)
        w->end_list(w, 0);
}

void optpage_walk(struct optpage_writer *w, const struct optstring *o)
{
    struct optstring_item item;
    bool open = false, in_options = false;
    walk_head(w, o, &open);
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind == OPTSTRING_OPTION) {
            if (!in_options)
                begin_section_z(w, &open, "OPTIONS");
            in_options = true;
            walk_option(w, &item);
        } else if (item.kind == OPTSTRING_SECTION && !is_title(item.name, "NAME")) {
            if (item.name.len)
                begin_section(w, &open, item.name);
            if (item.name.len)
                in_options = false;
            if (item.text.len)
                w->paragraph(w, item.text, item.name.len > 0);
            if (item.values.len)
                walk_list(w, item.values, 1);
        }
    }
    walk_implementation(w, o, &open, false);
    end_section(w, &open);
}

/* ---- help and manual page as text -------------------------------------------------------------
 */

static void wrap(struct optpage_writer *w, struct optstring_text text, size_t indent, size_t column)
{
    struct str plain;
    str_init(&plain, w->s->region);
    optstring_append(&plain, text);
    builtin_help_wrap(w->s, str_text(&plain), indent, column);
    str_release(&plain);
}

static void text_section(struct optpage_writer *w, const char *title)
{
    if (w->s->len)
        str_putc(w->s, '\n');
    str_printf(w->s, "%s\n", title);
}

static void text_paragraph(struct optpage_writer *w, struct optstring_text text, bool first)
{
    if (!first)
        str_putc(w->s, '\n');
    wrap(w, text, INDENT, 0);
}

static void text_synopsis(struct optpage_writer *w, struct optstring_text operands, bool first)
{
    str_printf(w->s, "  %s%s", w->name, first ? " [ options ]" : "");
    if (operands.len)
        str_putc(w->s, ' ');
    str_append(w->s, operands.text, operands.len);
    str_putc(w->s, '\n');
}

/* A label, and the text behind it at column INDENT, or below it when the label is too long. */
static void text_labelled(struct optpage_writer *w, size_t start, struct optstring_text text,
                          size_t indent)
{
    size_t column = w->s->len - start;
    if (column + 1 > indent) {
        str_putc(w->s, '\n');
        column = 0;
    }
    wrap(w, text, indent, column);
}

static void text_entry(struct optpage_writer *w, int depth, struct optstring_text label,
                       struct optstring_text text)
{
    size_t start = w->s->len;
    size_t base = depth == 2 ? OPTION_INDENT - INDENT : 0;
    size_t column = depth == 0 ? INDENT : base + ENTRY_LABEL;
    for (size_t i = 0; i < column; i++)
        str_putc(w->s, ' ');
    optstring_append(w->s, label);
    text_labelled(w, start, text, depth == 0 ? OPTION_INDENT : base + ENTRY_TEXT);
}

void optpage_remarks(struct str *s, const struct optstring_item *item, bool values_only)
{
    bool list = item->values.len > 0;
    if (list != values_only)
        return;
    if (item->optional)
        str_append_z(s, " The option value may be omitted.");
    if (item->argument_default.len) {
        str_append_z(s, " The default value is \b");
        str_append(s, item->argument_default.text, item->argument_default.len);
        str_append_z(s, "\b.");
    }
    if (item->inverted && item->letter && item->name.len) {
        str_printf(s, " On by default; -\b%c\b means --\bno", item->letter);
        optstring_append_name(s, item);
        str_append_z(s, "\b.");
    }
}

static void text_option(struct optpage_writer *w, const struct optstring_item *item)
{
    struct str *s = w->s, text;
    size_t start = s->len;
    str_append_z(s, "  ");
    if (item->letter)
        str_printf(s, "-%c%s", item->letter, item->name.len ? ", " : "");
    if (item->name.len) {
        str_append_z(s, "--");
        optstring_append_name(s, item);
    }
    if (item->argument) {
        str_append_z(s, item->optional ? item->name.len ? "[=" : "[" : item->name.len ? "=" : " ");
        append_argument_name(s, item);
        if (item->optional)
            str_putc(s, ']');
    }
    str_init(&text, s->region);
    struct optstring_text own = item->text.len ? item->text : item->argument_text;
    str_append(&text, own.text, own.len);
    optpage_remarks(&text, item, false);
    text_labelled(w, start, (struct optstring_text){ str_text(&text), text.len }, OPTION_INDENT);
    str_release(&text);
}

static void text_after_values(struct optpage_writer *w, const struct optstring_item *item)
{
    struct str text;
    str_init(&text, w->s->region);
    optpage_remarks(&text, item, true);
    if (text.len)
        wrap(w, (struct optstring_text){ text.data + 1, text.len - 1 }, OPTION_INDENT, 0);
    str_release(&text);
}

static const struct optpage_writer text_writer = {
    .section = text_section,
    .paragraph = text_paragraph,
    .synopsis = text_synopsis,
    .option = text_option,
    .entry = text_entry,
    .after_values = text_after_values,
};

/* Is ITEM the option of the letter BEGIN, or does a name of it begin so? */
static bool is_meant(const struct optstring_item *item, const char *begin, size_t len)
{
    const char *name = item->name.text, *end = name + item->name.len;
    if (len == 1 && item->letter == *begin)
        return true;
    while (len && name < end) {
        const char *bar = memchr(name, '|', (size_t)(end - name));
        size_t here = (size_t)((bar ? bar : end) - name);
        if (here >= len && memcmp(name, begin, len) == 0)
            return true;
        name += here + 1;
    }
    return false;
}

/* BEGIN: only for options called so (NULL: all). False: there is none, and nothing was added. */
static bool append_help(struct str *s, const struct optstring *o, const char *name,
                        const char *begin, size_t len)
{
    struct optpage_writer w = text_writer;
    struct optstring_item item;
    size_t start = s->len;
    bool any = false;
    w.s = s;
    w.name = name;
    append_usage(s, o, name, USAGE_ALL);
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || (begin && !is_meant(&item, begin, len)))
            continue;
        if (!any)
            str_append_z(s, "OPTIONS\n");
        any = true;
        walk_option(&w, &item);
    }
    if (begin && !any)
        str_truncate(s, start);
    return any;
}

static void append_about(struct str *s, const struct optstring *o, bool only_version)
{
    struct optpage_writer w = text_writer;
    struct str all;
    bool open = false;
    str_init(&all, s->region);
    w.s = &all;
    w.section = NULL;
    walk_implementation(&w, o, &open, only_version);
    str_append(s, str_text(&all), all.len);
    str_release(&all);
}

/* ---- forms for programs ------------------------------------------------------------------------
 */

/* TEXT on one line, its control characters and backslashes as escapes. */
static void append_visible(struct str *s, const char *text, size_t len)
{
    static const char controls[] = "\a\b\f\v\n\t\\", letters[] = "abfvnt\\";
    for (size_t i = 0; i < len; i++) {
        const char *at = text[i] ? strchr(controls, text[i]) : NULL;
        if (at)
            str_putc(s, '\\');
        str_putc(s, at ? letters[at - controls] : text[i]);
    }
}

static void append_key(struct str *s, struct optstring_text text)
{
    if (!text.len)
        return;
    str_putc(s, '"');
    append_visible(s, text.text, text.len);
    str_append_z(s, "\"\n");
}

static void append_keys(struct str *s, const char *items)
{
    struct optstring_item item;
    for (const char *pos = items; *pos && optstring_next(&pos, &item);) {
        if (item.kind == OPTSTRING_IMPLEMENTATION)
            continue;
        if (item.kind == OPTSTRING_OPTION)
            append_key(s, item.name);
        append_key(s, item.argument_name);
        append_key(s, item.text.len ? item.text : item.argument_text);
        if (item.values.len) {
            struct str list;
            str_init(&list, s->region);
            str_append(&list, item.values.text, item.values.len);
            append_keys(s, str_text(&list));
            str_release(&list);
        }
    }
}

static void append_posix(struct str *s, const struct optstring *o)
{
    struct optstring_item item;
    for (const char *pos = o->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || !item.letter)
            continue;
        str_putc(s, item.letter);
        if (item.argument)
            str_putc(s, ':');
    }
    str_putc(s, '\n');
}

static void append_general(struct str *s, const char *name)
{
    struct optpage_writer w = text_writer;
    struct optstring o;
    struct str text;
    str_init(&text, s->region);
    str_printf(&text, "[-][+NAME?%s%s", name, general);
    w.s = s;
    w.name = name;
    optstring_init(&o, str_text(&text));
    optpage_walk(&w, &o);
    str_release(&text);
}

void optpage_append(struct str *s, const struct optstring *o, const char *name, enum optpage page)
{
    struct optpage_writer w = text_writer;
    switch (page) {
    case OPTPAGE_USAGE:
        append_usage(s, o, name, USAGE_SHORT);
        break;
    case OPTPAGE_LONG:
        append_usage(s, o, name, USAGE_LONG);
        break;
    case OPTPAGE_HELP:
        append_help(s, o, name, NULL, 0);
        break;
    case OPTPAGE_MAN:
        w.s = s;
        w.name = name;
        optpage_walk(&w, o);
        break;
    case OPTPAGE_NROFF:
        optpage_nroff(s, o, name);
        break;
    case OPTPAGE_HTML:
        optpage_html(s, o, name);
        break;
    case OPTPAGE_API:
        optpage_api(s, o, name);
        break;
    case OPTPAGE_KEYS:
        append_keys(s, o->items);
        break;
    case OPTPAGE_STRING:
        append_visible(s, o->items, strlen(o->items));
        str_putc(s, '\n');
        break;
    case OPTPAGE_POSIX:
        append_posix(s, o);
        break;
    case OPTPAGE_ABOUT:
    case OPTPAGE_VERSION:
        append_about(s, o, page == OPTPAGE_VERSION);
        break;
    case OPTPAGE_GENERAL:
        append_general(s, name);
        break;
    case OPTPAGE_KNOWN:
        str_append_z(s, "version=1\n");
        break;
    }
}

bool optpage_append_item(struct str *s, const struct optstring *o, const char *name,
                         const char *option, size_t len)
{
    struct optpage_writer w = text_writer;
    struct optstring_item item;
    if (len > 1 && *option == '?')
        return append_help(s, o, name, option + 1, len - 1);
    w.s = s;
    for (const char *pos = o->items; len && optstring_next(&pos, &item);) {
        if (item.kind == OPTSTRING_IMPLEMENTATION && !is_separator(o, &item) &&
            item.name.len >= len && memcmp(item.name.text, option, len) == 0) {
            text_entry(&w, 0, item.name, item.text);
            return true;
        }
    }
    return false;
}
