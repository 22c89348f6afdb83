/* A cross reference of scripts, for the shell's option -R: which names are defined and used where.
 * Facts are taken from parsed programs; nothing has to run. */
#ifndef SHELL_SYNTAX_XREF_H
#define SHELL_SYNTAX_XREF_H

#include <stdint.h>

#include "shell/base/arena.h"
#include "shell/base/map.h"
#include "shell/base/str.h"
#include "shell/base/vec.h"
#include "shell/syntax/ast.h"

/* What a fact is about; the order is that of the listing. */
enum xref_kind {
    XREF_ALIAS,
    XREF_COMMAND, /* called; a function, an alias or a type, if the scripts turn out to define it */
    XREF_FUNCTION,
    XREF_MATH, /* called in arithmetic; listed if the scripts define such a function */
    XREF_SCRIPT,
    XREF_TYPE,
    XREF_VARIABLE,
};
enum xref_use { XREF_DEFINE, XREF_DECLARE, XREF_ASSIGN, XREF_CALL, XREF_REFER, XREF_UNSET };

struct xref_fact {
    uint8_t kind; /* enum xref_kind */
    uint8_t use;  /* enum xref_use */
    uint32_t line;
    const char *name;
    size_t len;
    const char *file;
    const char *function; /* innermost function around it; NULL: none */
};

/* All fields are the business of xref.c and xref_walk.c. */
struct xref {
    struct arena arena; /* texts and facts */
    struct vec facts;
    struct vec scripts;   /* texts: files that `.` names, each once, in the order found */
    struct map known;     /* those files */
    struct map functions; /* names that the scripts define */
    struct map aliases;
    struct map types;
    struct map associative; /* names declared with -A: their subscripts are text */
    const char *file;       /* of the program under way */
    const char *function;
    const char *within; /* variable or type whose members are being defined; NULL: none */
    bool failed;        /* out of memory: facts are missing */
};

/* X must stay where it is until it is released. */
void xref_init(struct xref *x, struct mem_region *region);
void xref_release(struct xref *x);
/* Takes the facts of PROGRAM, which need not live on. */
void xref_add_program(struct xref *x, const struct program *program);
/* Notes that FILE is looked at or will be; false: that was known. */
bool xref_add_script(struct xref *x, const char *file);
/* The I-th file that the programs read with `.`, by a constant name; NULL: there are no more. */
const char *xref_script_at(const struct xref *x, size_t i);
/* Appends the facts, sorted, a line each. False: out of memory, then or before. */
bool xref_list(struct xref *x, struct str *s);

/* For the walk: NAME, which may be a member of what is being defined, in full. NULL: out of memory,
 * which X keeps in mind. Lives as long as X. */
const char *xref_full_name(struct xref *x, const char *name, size_t len);
/* For the walk: one fact. NAME is copied. */
void xref_fact(struct xref *x, enum xref_kind kind, enum xref_use use, const char *name, size_t len,
               uint32_t line);

#endif
