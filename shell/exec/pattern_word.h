/* A word used as a pattern: case and [[ == ]]. */
#ifndef SHELL_EXEC_PATTERN_WORD_H
#define SHELL_EXEC_PATTERN_WORD_H

#include "shell/base/match.h"
#include "shell/state/shell.h"
#include "shell/syntax/ast.h"

/* Does TEXT match the pattern that WORD expands to? */
enum flow pattern_word_matches(struct shell *sh, const struct word *word, const char *text,
                               size_t len, bool *ret) NODISCARD;
/* The compiled pattern of WORD (REGEX: an ERE): from its cache slot when it holds no expansion,
 * else made in scratch. FLOW_ERROR for an invalid regular expression. */
enum flow pattern_word_compile(struct shell *sh, const struct word *word, bool regex,
                               const struct pattern **ret_pattern) NODISCARD;

#endif
