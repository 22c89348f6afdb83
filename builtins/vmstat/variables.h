/* What variables take: shared by -v, snapshots, pages and advice. */
#ifndef BUILTINS_VMSTAT_VARIABLES_H
#define BUILTINS_VMSTAT_VARIABLES_H

#include "builtins/vmstat/vmstat.h"

struct variable_size {
    const char *name;  /* borrowed from the shell */
    const char *scope; /* the function it is local to, or "" */
    const char *kind;  /* "scalar", "indexed", "associative" ... */
    size_t elements;
    size_t bytes; /* of all its blocks, with what rounding adds */
    size_t slack; /* of those: room that nothing is in */
};
struct variable_sizes {
    struct variable_size *items; /* in the region `vmstat`; the largest first */
    size_t count, cap;
};
/* All variables whose name matches PATTERN (NULL: all), hidden ones included. */
enum flow variables_take(struct shell *sh, const char *pattern,
                         struct variable_sizes *ret) NODISCARD;
void variables_release(struct variable_sizes *sizes);
/* Calls VISIT for each block that a variable or name owns: its usable BYTES, and how many of them
 * are USED; the others are slack. */
typedef void variable_visit(void *arg, const void *block, size_t bytes, size_t used);
void variables_walk(struct shell *sh, variable_visit *visit, void *arg);

#endif
