/*
 * Inside the expander only: texts and fields under construction, and the functions that its files
 * share.
 */
#ifndef SHELL_EXPAND_BUILD_H
#define SHELL_EXPAND_BUILD_H

#include <string.h>

#include "shell/base/match.h"
#include "shell/expand/buf.h"
#include "shell/expand/expand.h"
#include "shell/state/special.h"

/* ---- builder: a word on its way to fields or to one text ---- */

enum build_mode {
    BUILD_FIELDS,      /* splitting, braces, pathnames */
    BUILD_TEXT,        /* one text */
    BUILD_PATTERN,     /* one text for match.h: what was quoted is escaped */
    BUILD_REGEX,       /* the same for an ERE */
    BUILD_REPLACEMENT, /* of ${x/p/r}: \N refers to a group; quoted backslashes are doubled */
};
/* In BUILD_FIELDS the text of a field that may still meet brace or pathname expansion is kept in
 * escaped form: literal bytes that mean something in patterns follow a backslash (ESCAPE); it is
 * undone when the field is finished. */
struct builder {
    struct shell *sh;
    struct fields *fields; /* BUILD_FIELDS */
    enum build_mode mode;
    bool escape;      /* literal special bytes get a backslash */
    bool split;       /* results of unquoted expansions are split */
    bool brace_on;    /* set -B */
    bool brace_text;  /* braces in the results of expansions are text: the POSIX mode */
    bool sole;        /* BUILD_FIELDS: the word has one part only */
    bool active;      /* the field exists, even if empty */
    bool soft;        /* an empty quoted expansion: the field exists unless "$@" gave nothing */
    bool empty_at;    /* a "$@" without elements was met */
    bool special;     /* an unquoted byte may start a pattern or a brace list */
    bool escaped;     /* a backslash was added */
    bool after_space; /* a field just ended by IFS white space: an IFS byte may follow as part of
                         that delimiter */
    struct buf *buf;  /* the text or, in BUILD_FIELDS, the present field */
};
void build_init(struct builder *b, struct shell *sh, enum build_mode mode, struct fields *fields,
                struct buf *buf);
/* Text that is taken as it is. */
void build_quoted(struct builder *b, const char *text, size_t len);
/* Unquoted text of the program: patterns and braces are live, no splitting. */
void build_literal(struct builder *b, const char *text, size_t len);
/* The result of an unquoted expansion: split by IFS in BUILD_FIELDS. */
enum flow build_value(struct builder *b, const char *text, size_t len) NODISCARD;
/* One of the two above, or nothing but a trace of its presence for an empty quoted one. */
enum flow build_result(struct builder *b, bool quoted, const char *text, size_t len) NODISCARD;
/* Ends the field under construction, if there is one. */
enum flow build_end_field(struct builder *b) NODISCARD;
/* PART of a word, before NEXT (NULL: the last). IN_OP: the word is the operand of ${x-word}, so
 * unquoted text is split too. */
enum flow build_part(struct builder *b, const struct part *part, const struct part *next,
                     bool in_op) NODISCARD;
/* All parts of WORD. */
enum flow build_parts(struct builder *b, const struct word *word, bool in_op) NODISCARD;
/* WORD as one text appended to BUF (NULL word: nothing). */
enum flow build_word_text(struct shell *sh, const struct word *word, enum build_mode mode,
                          struct buf *buf) NODISCARD;

/* A literal copy of TEXT appended to BUF with its special bytes escaped. */
void buf_append_escaped(struct buf *buf, const char *text, size_t len, enum build_mode mode,
                        bool *ret_escaped);

/* Compact copies of texts, owned by FIELDS. */
enum flow fields_push_copy(struct shell *sh, struct fields *fields, const char *text,
                           size_t len) NODISCARD;
enum flow fields_reserve(struct shell *sh, struct fields *fields, size_t extra) NODISCARD;

/* An escaped field text through brace and pathname expansion into FIELDS. brace.c */
enum flow brace_expand(struct builder *b, const char *text, size_t len) NODISCARD;
/* The same without braces. glob.c */
enum flow glob_field(struct shell *sh, struct fields *fields, const char *text,
                     size_t len) NODISCARD;

/* ---- parts ---- */
enum flow part_param(struct builder *b, const struct part *part) NODISCARD;   /* param.c */
enum flow part_command(struct builder *b, const struct part *part) NODISCARD; /* subst.c */
/* The output of a command substitution as one text in scratch. subst.c */
enum flow text_command(struct shell *sh, const struct command_sub *command, const char **ret_text,
                       size_t *ret_len) NODISCARD;
/* The same as all of BUF, which is empty. */
enum flow take_command(struct shell *sh, const struct command_sub *command,
                       struct buf *buf) NODISCARD;
enum flow part_arith(struct builder *b, const struct part *part) NODISCARD;   /* subst.c */
enum flow part_process(struct builder *b, const struct part *part) NODISCARD; /* subst.c */
/* NEXT: the part after it or NULL. tilde.c */
enum flow part_tilde(struct builder *b, const struct part *part, const struct part *next) NODISCARD;

/* ---- pattern words: pattern.c ---- */

/* A pattern in use. PATTERN is NULL when the pattern has no special character: then LITERAL is
 * compared. */
struct pattern_use {
    const struct pattern *pattern;
    struct pattern *owned; /* freed by the release */
    const char *literal;
    size_t literal_len;
    bool has_groups;
    bool never; /* matches nothing */
    struct buf buf;
};
enum flow pattern_use_word(struct shell *sh, const struct word *word,
                           struct pattern_use *ret) NODISCARD;
void pattern_use_release(struct pattern_use *use);
bool pattern_use_matches(const struct pattern_use *use, const char *text, size_t len);
/* As pattern_prefix, pattern_suffix and pattern_search. */
ptrdiff_t pattern_use_prefix(const struct pattern_use *use, const char *text, size_t len,
                             bool longest);
ptrdiff_t pattern_use_suffix(const struct pattern_use *use, const char *text, size_t len,
                             bool longest);
size_t pattern_use_search(const struct pattern_use *use, const char *text, size_t len, size_t start,
                          struct match_span *spans, size_t span_max);
/* Remembers text[START..END), which USE matched, as .sh.match; START -1: no match. */
enum flow pattern_use_record(struct shell *sh, const struct pattern_use *use, const char *text,
                             ptrdiff_t start, ptrdiff_t end) NODISCARD;

/* ---- parameters ---- */

/* The elements of "$@" or "${a[@]}" (or their keys, or names) one after the other. */
struct elements {
    const char *const *argv; /* positional parameters or names; NULL: an array */
    bool is_params;          /* the positional parameters: `set` frees what ARGV points to */
    size_t next, count;      /* of ARGV */
    bool zero_first;         /* $0 goes first (slices from 0) */
    bool keys;               /* of the array */
    struct name *name;
    const struct var_ref *inner; /* an array inside NAME: m[1][@]; NULL: NAME itself */
    struct var_cursor cursor;
    int64_t from_index, to_index;  /* indexed arrays: others are skipped */
    const char *from_key, *to_key; /* associative ones; NULL: no limit */
    size_t skip, left;             /* others: how many to skip; how many to give */
    char digits[24];
};
/* What a parameter names, before any operation. */
struct subject {
    char all;         /* '@' or '*': ELEMENTS; 0: TEXT */
    bool is_var;      /* REF is set */
    size_t position;  /* N of ${N}; 0: something else */
    const char *text; /* NULL: unset */
    size_t len;
    struct var_ref ref;
    struct elements elements;
    char room[72]; /* where TEXT of $? and the like is made */
};
bool elements_next(struct shell *sh, struct elements *e, const char **ret_text, size_t *ret_len);
/* What is left of E becomes a list of copies in scratch: what runs between its steps may change
 * what they are elements of. */
enum flow elements_keep(struct shell *sh, struct elements *e) NODISCARD;
size_t elements_count(struct shell *sh, const struct elements *e); /* without slicing */
/* If the last subscript of REF is a range (a[2..4]): sets the limits of E, the array as a[@], and
 * *RET. refs.c */
enum flow elements_range(struct shell *sh, const struct name_ref *ref, struct elements *e,
                         struct var_ref *ret_array, bool *ret) NODISCARD;
/* Finds the subject (evaluates subscripts) but not yet the text of a variable or the positional
 * parameters: subject_fetch does, as late as possible, because running operands may change them. */
enum flow subject_find(struct shell *sh, const struct param *param, struct subject *ret) NODISCARD;
enum flow subject_fetch(struct shell *sh, struct subject *s) NODISCARD;
/* Of a member NAME whose look-up ended with FLOW: what its discipline or function of that name
 * prints, if there is no such variable. */
enum flow member_fetch(struct shell *sh, struct name *name, enum flow flow, const char **ret_text,
                       size_t *ret_len) NODISCARD;
/* The value of the variable NAME, or that; NULL: neither. */
static inline enum flow name_fetch(struct shell *sh, struct name *name, const char **ret_text,
                                   size_t *ret_len)
{
    enum flow flow = var_get_name(sh, name, ret_text, ret_len);
    return __builtin_expect(name->parent != NULL, 0)
               ? member_fetch(sh, name, flow, ret_text, ret_len)
               : flow;
}
/* An unset NAME: fails when it is a member of a compound variable, or under set -u. */
enum flow name_unset(struct shell *sh, const struct name *name) NODISCARD;
/* Fails as name_unset when the fetched subject is unset. */
enum flow subject_check(struct shell *sh, const struct param *param,
                        const struct subject *s) NODISCARD;
/* `x`, `a[3]`, `1`, `@`: for messages and ${!x}. */
void subject_name(const struct param *param, const struct subject *s, struct str *ret);
/* ${...}: bad substitution. */
enum flow param_bad(struct shell *sh, const struct part *part) NODISCARD;
/* All operations with OP != OP_NONE: param_op.c */
enum flow param_op(struct builder *b, const struct part *part, struct subject *s) NODISCARD;

/* ${x^^} ${x@Q} and the like: param_case.c. Is PARAM one that is known? */
bool param_changes_text(const struct param *param);
/* Appends TEXT as PARAM, one of these, changes it; USE is its pattern. */
enum flow param_change_text(struct shell *sh, const struct param *param,
                            const struct pattern_use *use, const char *text, size_t len,
                            struct buf *ret) NODISCARD;

/* Changes one text of a list; NULL: none. The result is borrowed from TEXT or made in OP's own
 * buffer. */
struct text_op;
enum flow text_op_apply(struct shell *sh, struct text_op *op, const char **text,
                        size_t *len) NODISCARD;
/* Appends the elements of a list as PART's quoting and S->ALL ask, each changed by OP. */
enum flow param_list(struct builder *b, const struct part *part, struct subject *s,
                     struct text_op *op) NODISCARD;

#endif
