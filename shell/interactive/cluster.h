/* Characters with combining marks as one character of the line editor. */
#ifndef SHELL_INTERACTIVE_CLUSTER_H
#define SHELL_INTERACTIVE_CLUSTER_H

#include <wchar.h>

#include "shell/base/str.h"

struct clusters {
    struct str texts;  /* of all clusters, one behind the other */
    struct str places; /* of struct cluster: where each is in it */
};

void clusters_init(struct clusters *c, struct mem_region *region);
void clusters_release(struct clusters *c);

/* Whether WIDE is a mark, which goes with the character before it. */
bool cluster_is_mark(wchar_t wide);
/* The text that WIDE stands for; NULL: it is no cluster. Dies when one is added. */
const char *cluster_text(const struct clusters *c, wchar_t wide, size_t *ret_len);
/* What stands for LEN bytes that are no character of UTF-8; 0: nothing can. */
wchar_t cluster_of_bytes(struct clusters *c, const char *bytes, size_t len);
/* TEXT as wchar_t, with clusters for what has marks and for bytes that begin no character. */
void cluster_append_wide(struct clusters *c, struct str *ret, const char *text, size_t len);
/* The way back. */
void cluster_append_text(const struct clusters *c, struct str *ret, const wchar_t *text,
                         size_t count);

#endif
