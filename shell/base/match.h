/*
 * ksh patterns: * ? [..] with classes, @(..) ?(..) *(..) +(..) !(..) {n,m}(..) %(..), and
 * ~(options)pattern, which includes regular expressions.
 *
 * In pattern text a backslash makes the next character literal, with these exceptions as in ksh:
 * inside ( ) and in regular expressions one before a letter or digit is an escape (\d \w \s \n
 * \x41); \d \s \w and their opposites are classes anywhere but in file names; and \1 to \9 after
 * that many groups is a back reference anywhere. So expansion puts a backslash before each quoted
 * character that is NOT a letter or digit, and drops an unquoted one before a letter outside ( ):
 * only the value of a variable brings a class there.
 *
 * Compiled once. Matching takes time that cannot explode and allocates nothing for texts below a
 * kilobyte (beyond that it tries, to be faster), except for patterns
 * with !( ), &, back references, look-ahead or %( ): those allocate, and without memory do not
 * match (errno ENOMEM); back references give up after some ten million steps.
 */
#ifndef SHELL_BASE_MATCH_H
#define SHELL_BASE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmem.h"

struct pattern;

enum pattern_flags {
    PATTERN_NOCASE = 1u << 0, /* ~(i) */
    PATTERN_PERIOD = 1u << 1, /* file names: a leading . is matched only by a literal one */
    PATTERN_NO_EXT = 1u << 2, /* POSIX patterns only: no @( ) and friends */
    PATTERN_REGEX = 1u << 3,  /* the text is an ERE (for [[ =~ ]]); backslash-escaped quoting */
};

/* Compiles. NULL: out of memory (errno ENOMEM) or an invalid regular expression (errno EINVAL). A
 * malformed shell pattern is taken literally and never fails. Freed with pattern_free; or, when
 * REGION is a MEM_LAST region, by its reset. */
struct pattern *pattern_compile(struct mem_region *region, const char *text, size_t len,
                                unsigned flags);
void pattern_free(struct pattern *p);
/* What to say of an errno of pattern_compile; NULL: out of memory. */
const char *pattern_error(int error);

/* True when TEXT holds no active pattern character (so it can be compared as a string after
 * pattern_unescape). Of FLAGS, those it would be compiled with, PATTERN_PERIOD matters. */
bool pattern_is_literal(const char *text, size_t len, unsigned flags);
/* Removes the backslashes; returns the new length; RET may be TEXT. */
size_t pattern_unescape(const char *text, size_t len, char *ret);

struct match_span {
    ptrdiff_t start, end; /* byte offsets; -1: did not take part */
};
enum { MATCH_CAPTURE_MAX = 100 };

bool pattern_matches(const struct pattern *p, const char *text, size_t len);
/* Length of the shortest/longest prefix that matches, or -1. */
ptrdiff_t pattern_prefix(const struct pattern *p, const char *text, size_t len, bool longest);
/* Start of the shortest/longest suffix that matches, or -1. */
ptrdiff_t pattern_suffix(const struct pattern *p, const char *text, size_t len, bool longest);
/* First (longest at that place) match at or after START. Fills SPANS[0] with the whole match and
 * SPANS[i] with group i, up to SPAN_MAX; returns the number of spans set, 0 when none. */
size_t pattern_search(const struct pattern *p, const char *text, size_t len, size_t start,
                      struct match_span *spans, size_t span_max);
/* As pattern_matches but fills the spans. */
size_t pattern_matches_spans(const struct pattern *p, const char *text, size_t len,
                             struct match_span *spans, size_t span_max);
/* Are the groups of P in a text of LEN bytes best found only when someone asks for them? Then that
 * can be done with a pattern compiled from *RET_TEXT, which is P's, and *RET_FLAGS. */
bool pattern_worth_waiting(const struct pattern *p, size_t len, const char **ret_text,
                           size_t *ret_len, unsigned *ret_flags);

#endif
