/*
 * The pages that an option string (optstring.h) describes: usage, help, manual page, and the forms
 * for other programs. Builtins make such a string of their tables, so that there is one layout.
 */
#ifndef BUILTINS_OPTPAGE_H
#define BUILTINS_OPTPAGE_H

#include "builtins/optstring.h"

enum optpage {
    OPTPAGE_USAGE, /* the usage line with short options */
    OPTPAGE_LONG,  /* with long options */
    OPTPAGE_HELP,  /* usage and the options explained */
    OPTPAGE_MAN,
    OPTPAGE_NROFF,
    OPTPAGE_HTML,
    OPTPAGE_API,
    OPTPAGE_KEYS,   /* the texts that could be translated */
    OPTPAGE_STRING, /* the option string itself */
    OPTPAGE_POSIX,  /* a getopts string of the letters */
    OPTPAGE_ABOUT,  /* version, author ... */
    OPTPAGE_VERSION,
    OPTPAGE_GENERAL, /* which pages there are */
    OPTPAGE_KNOWN,   /* version=1: the page asked for exists */
};

/* The page that the long option NAME asks for, such as man, ma, ??html or ?; false: none. Any name
 * after ?? asks for one, if only for the list of pages; ???NAME asks whether there is one. */
bool optpage_find(const char *name, size_t len, enum optpage *ret);
/* Does the long option NAME, a beginning of `version`, ask for one that O gives, by [-?text] or
 * with $Id: in its text? */
bool optpage_is_version(const struct optstring *o, const char *name, size_t len);
/* Appends what the long option OPTION, which asks for no page, wants to know of the command NAME:
 * ?ITEM what the option of that letter does, or those whose names begin so; otherwise a fact about
 * the implementation, such as author. False: nothing so called is there. */
bool optpage_append_item(struct str *s, const struct optstring *o, const char *name,
                         const char *option, size_t len);
/* Appends PAGE of the command NAME. */
void optpage_append(struct str *s, const struct optstring *o, const char *name, enum optpage page);
/* `Usage:` with [ options ] for all of them, or with each as SHORT says, and the hint. */
void optpage_usage(struct str *s, const struct optstring *o, const char *name, bool detailed);

/* ---- between optpage.c and optpage_markup.c ---- */

/* Walks over the parts of a page in their order; each function may be NULL. */
struct optpage_writer {
    struct str *s;
    const char *name; /* of the command */
    void (*section)(struct optpage_writer *w, const char *title);
    void (*paragraph)(struct optpage_writer *w, struct optstring_text text, bool first);
    void (*synopsis)(struct optpage_writer *w, struct optstring_text operands, bool first);
    void (*option)(struct optpage_writer *w, const struct optstring_item *item);
    /* An entry of a list: DEPTH 1 in a section, 2 values of an option. */
    void (*entry)(struct optpage_writer *w, int depth, struct optstring_text label,
                  struct optstring_text text);
    /* What follows a list in an option's text. */
    void (*after_values)(struct optpage_writer *w, const struct optstring_item *item);
    void (*end_list)(struct optpage_writer *w, int depth);
    void (*end_section)(struct optpage_writer *w);
};
/* Appends what the page calls the command: the first word of NAME, or NAME. */
void optpage_title(struct str *s, const struct optstring *o, const char *name);
void optpage_walk(struct optpage_writer *w, const struct optstring *o);
/* The generated sentences of ITEM's description: default value, optional argument ... */
void optpage_remarks(struct str *s, const struct optstring_item *item, bool values_only);
void optpage_nroff(struct str *s, const struct optstring *o, const char *name);
void optpage_html(struct str *s, const struct optstring *o, const char *name);
void optpage_api(struct str *s, const struct optstring *o, const char *name);

#endif
