/* What tests and fuzzers of the parser share: hooks with a name table of their own, a few aliases
 * and declaration commands, and text -> tree -> text. */
#ifndef TESTS_UNIT_SYNTAX_PARSE_FIXTURE_H
#define TESTS_UNIT_SYNTAX_PARSE_FIXTURE_H

#include "shell/syntax/parse.h"
#include "shell/syntax/unparse.h"

struct fixture {
    struct mem_region *region;
    struct mem_region *names; /* bump region of the interned names */
    struct name *buckets[256];
    struct parse_hooks hooks;
    bool aliases; /* look them up */
    unsigned warnings;
};

void fixture_init(struct fixture *f);
/* Asserts nothing; the region is closed with all that leaked. Returns the blocks that were still
 * busy. */
size_t fixture_release(struct fixture *f);
/* Parses TEXT as a whole. */
enum parse_result fixture_parse(struct fixture *f, const char *text, size_t len,
                                struct program **ret_program, struct parse_error *ret_error);
/* Parses TEXT and writes it back to S; false (with *RET_ERROR) on a syntax error. */
bool fixture_rewrite(struct fixture *f, const char *text, size_t len, struct str *s,
                     struct parse_error *ret_error);

#endif
