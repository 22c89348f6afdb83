/* Field splitting by IFS (POSIX 2.6.5), shared by expansion and read. */
#ifndef SHELL_EXPAND_SPLIT_H
#define SHELL_EXPAND_SPLIT_H

#include "shell/state/shell.h"
#include "shell/state/special.h"

/* Finds the next field of TEXT from *POS. Returns true with the span and *POS after the delimiter(s). ESCAPED (may be NULL): a bit map
 * or same-length text marking bytes that never separate; see split.c. */
bool split_next(const struct ifs_table *ifs, const char *text, size_t len, const uint8_t *escaped, size_t *pos,
                size_t *ret_start, size_t *ret_end);

#endif
