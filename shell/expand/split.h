/* Field splitting by IFS (POSIX 2.6.5), shared by expansion and read. */
#ifndef SHELL_EXPAND_SPLIT_H
#define SHELL_EXPAND_SPLIT_H

#include "shell/state/shell.h"
#include "shell/state/special.h"

/* Class of the character at P (P < END) and its length in bytes. */
enum ifs_class ifs_class_at(const struct ifs_table *ifs, const char *p, const char *end,
                            size_t *ret_bytes);
/* The first separator in [P, END), or END. */
const char *ifs_find(const struct ifs_table *ifs, const char *p, const char *end);

/* Finds the next field of TEXT from *POS. Returns true with the span and *POS after the
 * delimiter(s); false at the end. A delimiter at the very end gives no further empty field. ESCAPED
 * (may be NULL): one bit per byte of TEXT (byte i: bit i % 8 of ESCAPED[i / 8]); bytes marked there
 * never separate (read: after a backslash). */
bool split_next(const struct ifs_table *ifs, const char *text, size_t len, const uint8_t *escaped,
                size_t *pos, size_t *ret_start, size_t *ret_end);
/* What is left of TEXT from POS for the last variable of read: without leading and trailing IFS
 * white space; and when what follows the next field is one delimiter and nothing else, without
 * that. */
void split_rest(const struct ifs_table *ifs, const char *text, size_t len, const uint8_t *escaped,
                size_t pos, size_t *ret_start, size_t *ret_end);

/* split_rest of all of TEXT, at once where IFS is white space only. */
static inline void split_whole(const struct ifs_table *ifs, const char *text, size_t len,
                               size_t *ret_start, size_t *ret_end)
{
    size_t start = 0;
    if (!ifs->only_space) {
        split_rest(ifs, text, len, NULL, 0, ret_start, ret_end);
        return;
    }
    while (start < len && ifs->classes[(unsigned char)text[start]] == IFS_SPACE)
        start++;
    while (len > start && ifs->classes[(unsigned char)text[len - 1]] == IFS_SPACE)
        len--;
    *ret_start = start;
    *ret_end = len;
}

#endif
