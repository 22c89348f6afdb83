/*
 * Pages of an option string for nroff, for a browser, and for programs (--api).
 *
 * The three share the order of optpage_walk(). Fonts are told by \b (bold) and \a (italic) in the
 * texts; what means something to the target is escaped.
 */
#include <ctype.h>
#include <string.h>

#include "builtins/optpage.h"

enum { LINE_WIDTH = 79 };
enum font { FONT_NONE, FONT_BOLD, FONT_ITALIC };
enum target { TARGET_NROFF, TARGET_HTML, TARGET_PLAIN };

static void put_font(struct str *s, enum target target, enum font font, bool on)
{
    if (target == TARGET_NROFF)
        str_append_z(s, !on ? "\\fP" : font == FONT_BOLD ? "\\fB" : "\\fI");
    else if (target == TARGET_HTML)
        str_printf(s, "<%s%c>", on ? "" : "/", font == FONT_BOLD ? 'B' : 'I');
}

static void put_char(struct str *s, enum target target, char c)
{
    const char *text = NULL;
    if (target == TARGET_NROFF)
        text = c == '\\' ? "\\e" : c == '-' ? "\\-" : c == '.' ? "\\&." : NULL;
    else if (target == TARGET_HTML)
        text = c == '<'   ? "&lt;"
               : c == '>' ? "&gt;"
               : c == '&' ? "&amp;"
               : c == '[' ? "&#0091;"
               : c == ']' ? "&#0093;"
                          : NULL;
    if (text)
        str_append_z(s, text);
    else
        str_putc(s, c);
}

/* TEXT in the language of TARGET. */
static void put_text(struct str *s, enum target target, struct optstring_text text)
{
    enum font font = FONT_NONE;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.text[i];
        enum optstring_mark mark = optstring_mark(c);
        if (mark != OPTSTRING_MARK_NONE) {
            enum font next = mark == OPTSTRING_MARK_BOLD ? FONT_BOLD : FONT_ITALIC;
            if (mark != OPTSTRING_MARK_OTHER)
                put_font(s, target, next, font != next);
            if (mark != OPTSTRING_MARK_OTHER)
                font = font == next ? FONT_NONE : next;
            continue;
        }
        if ((c == ']' || c == '?') && i + 1 < text.len && text.text[i + 1] == c)
            i++;
        put_char(s, target, c);
    }
    if (font != FONT_NONE)
        put_font(s, target, font, false);
}

/* The same, in lines. */
static void put_lines(struct str *s, enum target target, struct optstring_text text)
{
    struct str all;
    str_init(&all, s->region);
    put_text(&all, target, text);
    size_t column = 0;
    for (const char *word = str_text(&all); *word;) {
        size_t len = strcspn(word, " \n");
        if (column && column + 1 + len > LINE_WIDTH) {
            str_putc(s, '\n');
            column = 0;
        } else if (column) {
            str_putc(s, ' ');
            column++;
        }
        str_append(s, word, len);
        column += len;
        word += len + (word[len] != '\0');
    }
    str_putc(s, '\n');
    str_release(&all);
}

/* The text of an option with its remarks. */
static void put_option_text(struct optpage_writer *w, enum target target,
                            const struct optstring_item *item, bool after)
{
    struct str text;
    str_init(&text, w->s->region);
    struct optstring_text own = item->text.len ? item->text : item->argument_text;
    if (!after)
        str_append(&text, own.text, own.len);
    optpage_remarks(&text, item, after);
    size_t skip = after && text.len ? 1 : 0;
    if (text.len > skip) {
        struct optstring_text all = { str_text(&text) + skip, text.len - skip };
        if (target == TARGET_PLAIN) {
            put_text(w->s, target, all);
            str_putc(w->s, '\n');
        } else {
            put_lines(w->s, target, all);
        }
    }
    str_release(&text);
}

/* `.OP letter name type argument` */
static void put_option_line(struct optpage_writer *w, const struct optstring_item *item)
{
    struct str *s = w->s;
    str_printf(s, ".OP %c ", item->letter ? item->letter : '-');
    if (item->name.len)
        optstring_append_name(s, item);
    else
        str_putc(s, '-');
    str_append_z(s, item->argument == '#'   ? " number"
                    : item->argument == ':' ? " string"
                                            : " flag");
    if (item->optional)
        str_append_z(s, ":optional");
    if (item->inverted)
        str_append_z(s, ":invert");
    str_putc(s, ' ');
    if (item->argument && item->argument_name.len)
        optstring_append(s, item->argument_name);
    else
        str_putc(s, '-');
    if (item->argument && item->argument_default.len) {
        str_putc(s, ' ');
        str_append(s, item->argument_default.text, item->argument_default.len);
    }
    str_putc(s, '\n');
}

/* ---- nroff --------------------------------------------------------------------------------------
 */

static void nroff_section(struct optpage_writer *w, const char *title)
{
    str_append_z(w->s, ".SH ");
    for (const char *c = title; *c; c++)
        str_append_z(w->s, *c == ' ' ? "\\ " : (char[]){ *c, '\0' });
    str_putc(w->s, '\n');
}

static void nroff_paragraph(struct optpage_writer *w, struct optstring_text text, bool first)
{
    if (!first)
        str_append_z(w->s, ".PP\n");
    put_lines(w->s, TARGET_NROFF, text);
}

static void nroff_synopsis(struct optpage_writer *w, struct optstring_text operands, bool first)
{
    if (!first)
        str_append_z(w->s, ".br\n");
    str_printf(w->s, "\\fB%s\\fP", w->name);
    if (first)
        str_append_z(w->s, "\\ [\\ \\fIoptions\\fP\\ ]");
    if (operands.len)
        str_append_z(w->s, "\\ ");
    str_append(w->s, operands.text, operands.len);
    str_putc(w->s, '\n');
}

static void nroff_option(struct optpage_writer *w, const struct optstring_item *item)
{
    put_option_line(w, item);
    put_option_text(w, TARGET_NROFF, item, false);
}

static void nroff_entry(struct optpage_writer *w, int depth, struct optstring_text label,
                        struct optstring_text text)
{
    str_printf(w->s, ".H%d ", depth);
    put_text(w->s, TARGET_NROFF, label);
    str_putc(w->s, '\n');
    put_lines(w->s, TARGET_NROFF, text);
}

static void nroff_after(struct optpage_writer *w, const struct optstring_item *item)
{
    str_append_z(w->s, ".SP\n");
    put_option_text(w, TARGET_NROFF, item, true);
}

void optpage_nroff(struct str *s, const struct optstring *o, const char *name)
{
    struct optpage_writer w = { .s = s,
                                .name = name,
                                .section = nroff_section,
                                .paragraph = nroff_paragraph,
                                .synopsis = nroff_synopsis,
                                .option = nroff_option,
                                .entry = nroff_entry,
                                .after_values = nroff_after };
    str_append_z(s, ".\\\" format with nroff|troff|groff -man\n.TH ");
    struct str title;
    str_init(&title, s->region);
    optpage_title(&title, o, name);
    for (const char *c = str_text(&title); *c; c++)
        str_putc(s, (char)toupper((unsigned char)*c));
    str_release(&title);
    str_append_z(s, " 1\n");
    for (int depth = 0; depth <= 2; depth++) /* entries of lists, by depth */
        str_printf(s, ".de H%d\n.in %dn\n\\fB\\\\$1\\fP\n.in %dn\n..\n", depth, 5 + 4 * depth,
                   7 + 4 * depth);
    str_append_z(s, ".de OP\n.in 5n\n"
                    ".ie !'\\\\$1'-' .ds mO \\\\fB\\\\-\\\\$1\\\\fP\n.el .ds mO \\\\&\n"
                    ".if !'\\\\$2'-' .as mO \\\\0\\\\fB\\\\-\\\\-\\\\$2\\\\fP\n"
                    ".if !'\\\\$4'-' .as mO \\\\0\\\\fI\\\\$4\\\\fP\n"
                    "\\\\*(mO\n.in 9n\n..\n.de SP\n.in 9n\n..\n");
    optpage_walk(&w, o);
}

/* ---- HTML ---------------------------------------------------------------------------------------
 */

static void html_section(struct optpage_writer *w, const char *title)
{
    struct optstring_text text = { title, strlen(title) };
    str_append_z(w->s, "<H4><A name=\"");
    put_text(w->s, TARGET_HTML, text);
    str_append_z(w->s, "\">");
    put_text(w->s, TARGET_HTML, text);
    str_append_z(w->s, "</A></H4>\n<DIV class=SH>\n");
}

static void html_end_section(struct optpage_writer *w)
{
    str_append_z(w->s, "</DIV>\n");
}

static void html_paragraph(struct optpage_writer *w, struct optstring_text text, bool first)
{
    (void)first;
    put_lines(w->s, TARGET_HTML, text);
    str_append_z(w->s, "<P>\n");
}

static void html_synopsis(struct optpage_writer *w, struct optstring_text operands, bool first)
{
    if (!first)
        str_append_z(w->s, "<BR>\n");
    str_printf(w->s, "<B>%s</B>%s", w->name, first ? " &#0091; <I>options</I> &#0093;" : "");
    if (operands.len)
        str_putc(w->s, ' ');
    put_text(w->s, TARGET_HTML, operands);
    str_putc(w->s, '\n');
}

static void html_option(struct optpage_writer *w, const struct optstring_item *item)
{
    struct str *s = w->s;
    str_append_z(s, "<DT>");
    if (item->letter)
        str_printf(s, "-<B>%c</B>%s", item->letter, item->name.len ? ", " : "");
    if (item->name.len) {
        str_append_z(s, "--<B>");
        optstring_append_name(s, item);
        str_append_z(s, "</B>");
    }
    if (item->argument) {
        str_append_z(s, item->optional ? "&#0091;" : item->name.len ? "" : " ");
        str_append_z(s, item->name.len ? "=<I>" : "<I>");
        if (item->argument_name.len)
            put_text(s, TARGET_HTML, item->argument_name);
        else
            str_append_z(s, "arg");
        str_append_z(s, item->optional ? "</I>&#0093;" : "</I>");
    }
    str_append_z(s, "<DD>");
    put_option_text(w, TARGET_HTML, item, false);
    if (item->values.len)
        str_append_z(s, "<DL>\n");
}

static void html_entry(struct optpage_writer *w, int depth, struct optstring_text label,
                       struct optstring_text text)
{
    (void)depth;
    str_append_z(w->s, "<DT><B>");
    put_text(w->s, TARGET_HTML, label);
    str_append_z(w->s, "</B><DD>");
    put_lines(w->s, TARGET_HTML, text);
}

static void html_end_list(struct optpage_writer *w, int depth)
{
    if (depth == 2)
        str_append_z(w->s, "</DL>\n");
}

static void html_after(struct optpage_writer *w, const struct optstring_item *item)
{
    put_option_text(w, TARGET_HTML, item, true);
}

void optpage_html(struct str *s, const struct optstring *o, const char *name)
{
    struct optpage_writer w = { .s = s,
                                .name = name,
                                .section = html_section,
                                .end_section = html_end_section,
                                .paragraph = html_paragraph,
                                .synopsis = html_synopsis,
                                .option = html_option,
                                .entry = html_entry,
                                .end_list = html_end_list,
                                .after_values = html_after };
    struct str title;
    str_init(&title, s->region);
    optpage_title(&title, o, name);
    str_printf(s,
               "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML//EN\">\n<HTML>\n<HEAD>\n"
               "<TITLE>%s man document</TITLE>\n<STYLE type=\"text/css\">\n"
               "div.SH { padding-left:2em; }\ndd { margin-left:3em; }\n</STYLE>\n</HEAD>\n<BODY>\n",
               str_text(&title));
    str_release(&title);
    optpage_walk(&w, o);
    str_append_z(s, "</BODY>\n</HTML>\n");
}

/* ---- for programs -------------------------------------------------------------------------------
 */

static void api_section(struct optpage_writer *w, const char *title)
{
    str_printf(w->s, ".SH %s\n", title);
}

static void api_line(struct optpage_writer *w, struct optstring_text text)
{
    put_text(w->s, TARGET_PLAIN, text);
    str_putc(w->s, '\n');
}

static void api_paragraph(struct optpage_writer *w, struct optstring_text text, bool first)
{
    if (!first)
        str_append_z(w->s, ".PP\n");
    api_line(w, text);
}

static void api_synopsis(struct optpage_writer *w, struct optstring_text operands, bool first)
{
    str_printf(w->s, "%s%s%s%s", first ? "" : ".BR\n", w->name, first ? " [ options ]" : "",
               operands.len ? " " : "");
    api_line(w, operands);
}

static void api_option(struct optpage_writer *w, const struct optstring_item *item)
{
    put_option_line(w, item);
    put_option_text(w, TARGET_PLAIN, item, false);
}

static void api_entry(struct optpage_writer *w, int depth, struct optstring_text label,
                      struct optstring_text text)
{
    str_printf(w->s, ".H%d ", depth);
    api_line(w, label);
    api_line(w, text);
}

static void api_after(struct optpage_writer *w, const struct optstring_item *item)
{
    str_append_z(w->s, ".SP\n");
    put_option_text(w, TARGET_PLAIN, item, true);
}

void optpage_api(struct str *s, const struct optstring *o, const char *name)
{
    struct optpage_writer w = { .s = s,
                                .name = name,
                                .section = api_section,
                                .paragraph = api_paragraph,
                                .synopsis = api_synopsis,
                                .option = api_option,
                                .entry = api_entry,
                                .after_values = api_after };
    optpage_walk(&w, o);
}
