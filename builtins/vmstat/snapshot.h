/*
 * Snapshots: what regions, variables and lines held at one moment, as text, so that one kept in
 * memory and one in a file are the same.
 *
 *   vmstat-snapshot 1
 *   time SECONDS                       since 1970, with 3 decimals
 *   region BYTES COUNT SIZE NAME       busy bytes and blocks, bytes of its segments
 *   variable BYTES COUNT SLACK NAME [FUNCTION]    COUNT: elements
 *   line BYTES COUNT CALLS PLACE       COUNT: blocks
 *   end CHECKSUM                       of all bytes before this line, FNV-1a, 16 hex digits
 *
 * Fields are separated by a tab. In names a backslash stands before t, n, and itself.
 */
#ifndef BUILTINS_VMSTAT_SNAPSHOT_H
#define BUILTINS_VMSTAT_SNAPSHOT_H

#include "builtins/vmstat/vmstat.h"

struct saved {
    struct saved *next;
    char *name;
    struct str text;
    uint64_t stamp;          /* of the subshell that made it */
    struct mem_marks *marks; /* the blocks that lived; NULL: no memory was left for that */
};

/* Appends a snapshot of now to TEXT, which is of the region `vmstat`. */
enum flow snapshot_write(struct shell *sh, struct str *text) NODISCARD;
/* The snapshot called NAME, or NULL. */
struct saved *snapshot_find(struct shell *sh, const char *name);
/* Is TEXT whole? */
bool snapshot_is_whole(const char *text, size_t len);

#endif
