/*
 * Words -> fields. POSIX 2.6 order: tilde, parameter, command, arithmetic, (process); then field
 * splitting, pathname expansion, quote removal; brace expansion first of all. Results live in
 * scratch (or are borrowed from the program or a variable) until the end of the command: the caller
 * holds a scratch mark.
 */
#ifndef SHELL_EXPAND_EXPAND_H
#define SHELL_EXPAND_EXPAND_H

#include "shell/expand/buf.h"
#include "shell/state/shell.h"
#include "shell/state/var.h"
#include "shell/state/var_plain.h"
#include "shell/syntax/ast.h"

/* Fields being gathered; ARGV[COUNT] is NULL when not empty. In scratch, with a packed store of the
 * copied texts. */
struct fields {
    const char **argv;
    size_t count, cap;
    char *room, *room_end; /* unused part of the newest chunk of texts */
    size_t room_bytes;     /* size of that chunk */
};
void fields_init(struct fields *fields);
enum flow fields_push(struct shell *sh, struct fields *fields, const char *text) NODISCARD;

/* Full expansion of WORD: appends any number of fields. WORD_LITERAL and WORD_VAR_QUOTED take the
 * short way. */
enum flow expand_fields(struct shell *sh, const struct word *word, struct fields *fields) NODISCARD;
/* To exactly one text, no splitting, no globbing ("$@" joins with blanks): assignments, case
 * subjects, [[ ]] operands, here-strings, here-document bodies. */
enum flow expand_text(struct shell *sh, const struct word *word, const char **ret_text,
                      size_t *ret_len) NODISCARD;
/* The same without a copy, for words that are literal or a plain variable: false, and nothing done,
 * for all others. The text lies in the program or in the variable and dies when that changes. */
static inline bool expand_peek(const struct shell *sh, const struct word *word,
                               const char **ret_text, size_t *ret_len)
{
    if (word->kind == WORD_LITERAL) {
        *ret_text = word->text;
        *ret_len = word->len;
        return true;
    }
    return (word->flags & WORD_IS_VARIABLE) && !sh->debug_no_fastpath &&
           var_peek(word->parts[0].param->ref.name, ret_text, ret_len);
}
/* As expand_text, but the text is made in BUF, whose owner releases it whatever comes back. */
enum flow expand_text_in(struct shell *sh, const struct word *word, struct buf *buf,
                         const char **ret_text, size_t *ret_len) NODISCARD;
/* To pattern text for match.h: quoted characters that mean something in patterns get a backslash.
 */
enum flow expand_pattern(struct shell *sh, const struct word *word, const char **ret_text,
                         size_t *ret_len) NODISCARD;
/* To ERE text for [[ =~ ]]: quoted characters are made literal for regcomp. */
enum flow expand_regex(struct shell *sh, const struct word *word, const char **ret_text,
                       size_t *ret_len) NODISCARD;
/* Redirection target: one field; in interactive shells globbed when that gives one file. */
enum flow expand_target(struct shell *sh, const struct word *word, const char **ret_text,
                        size_t *ret_len) NODISCARD;
/* A written reference OF THE RUNNING PROGRAM (sh->program) to one that names an element: evaluates
 * the subscript (arithmetic, or text for associative arrays). Keys live in scratch. */
enum flow expand_ref(struct shell *sh, const struct name_ref *ref, struct var_ref *ret) NODISCARD;
/* The same for a member of BASE (NULL: a variable). */
enum flow expand_ref_under(struct shell *sh, struct members *base, const struct name_ref *ref,
                           struct var_ref *ret) NODISCARD;
/* One more subscript or member STEP for R. */
enum flow ref_push(struct shell *sh, struct var_ref *r, const struct ref_step *step) NODISCARD;
/* The subscripts of REF, which has at least one and no name, within the array or element ARRAY. */
enum flow expand_ref_in(struct shell *sh, const struct var_ref *array, const struct name_ref *ref,
                        struct var_ref *ret) NODISCARD;
/* The same for a reference of another program (parse_name_ref): keeps out of the caches. Hook
 * resolve_ref. */
enum flow expand_ref_foreign(struct shell *sh, const struct name_ref *ref,
                             struct var_ref *ret) NODISCARD;
/* TEXT (`a`, `a[i+1]`) to a reference in one go, for builtins. *RET_OK false: TEXT is not one. */
enum flow expand_ref_text(struct shell *sh, const char *text, size_t len, struct var_ref *ret,
                          bool *ret_ok) NODISCARD;
/* An arithmetic word (expression of $(( )), (( )), for (( ))): expands and evaluates, with the
 * compiled code kept in the program's cache slot when the word is literal. */
enum flow expand_arith(struct shell *sh, const struct word *word, struct num *ret) NODISCARD;
/* Text as inside double quotes; hook expand_text. Result in scratch. */
enum flow expand_string(struct shell *sh, const char *text, size_t len, const char **ret,
                        size_t *ret_len) NODISCARD;
/* Frees what expand_string remembers (sh->string_cache); before shell_free. */
void expand_cache_free(struct shell *sh);
/* Pathname expansion of PATTERN (match.h text): appends the sorted names; none: *RET_COUNT 0. */
enum flow glob_expand(struct shell *sh, const char *pattern, size_t len, struct fields *fields,
                      size_t *ret_count) NODISCARD;
/* Splits TEXT by IFS into fields (read, -A, unquoted expansions) is split.h. */

#endif
