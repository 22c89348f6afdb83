/*
 * The option strings of getopts: `ab:c#`, and ksh93's long form `[-1?version][a:all?All of
 * it.][f:file]:[name?The file.]`. Nothing is copied: all texts point into the string.
 */
#ifndef BUILTINS_OPTSTRING_H
#define BUILTINS_OPTSTRING_H

#include <stdbool.h>
#include <stddef.h>

#include "shell/base/str.h"

struct optstring {
    bool quiet;    /* leading : the script reports errors */
    bool plus;     /* leading + or flag of [-...]: +x is an option too */
    bool extended; /* begins with [-...] or a section [+...] */
    bool values;   /* begins with [-...]: OPTARG of numbers and switches is their value */
    const char *items;
};

struct optstring_text {
    const char *text;
    size_t len;
};

enum optstring_kind {
    OPTSTRING_OPTION,
    OPTSTRING_SECTION,        /* [+name?text]: NAME, TEXT */
    OPTSTRING_IMPLEMENTATION, /* [-name?text] */
    OPTSTRING_OPERANDS,       /* the synopsis after the options: TEXT */
};
struct optstring_item {
    enum optstring_kind kind;
    char letter;                 /* 0: only a long name */
    bool inverted;               /* !: the letter means the opposite of the long name */
    char argument;               /* 0, ':' or '#' */
    bool optional;               /* the argument may be left out */
    struct optstring_text value; /* given to the script instead of the letter */
    /* Long names, separated by `|`, or a section's title. What stands before a `*` in a name
     * suffices; else any unique prefix does. */
    struct optstring_text name;
    struct optstring_text text;   /* description; ]] stands for ] in it */
    struct optstring_text values; /* what stands in {} behind it: entries [+value?text] */
    struct optstring_text argument_name, argument_text, argument_default;
};

void optstring_init(struct optstring *o, const char *text);
/* The next item from *POS on (starts as o->items); false at the end. */
bool optstring_next(const char **pos, struct optstring_item *ret);
/* Appends TEXT as it is to be read: doubled brackets made single, formatting characters left out.
 */
void optstring_append(struct str *s, struct optstring_text text);

/* Fonts in texts: the control characters \b and \a switch bold and italic. */
enum optstring_mark {
    OPTSTRING_MARK_NONE,
    OPTSTRING_MARK_BOLD,
    OPTSTRING_MARK_ITALIC,
    OPTSTRING_MARK_OTHER, /* \f, \v: nothing to see */
};
enum optstring_mark optstring_mark(char c);
/* Appends the long name of ITEM without the star that marks how far it may be shortened. */
void optstring_append_name(struct str *s, const struct optstring_item *item);

#endif
