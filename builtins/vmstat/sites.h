/* Who allocated: lines of scripts and the calls that led to them. */
#ifndef BUILTINS_VMSTAT_SITES_H
#define BUILTINS_VMSTAT_SITES_H

#include "builtins/vmstat/vmstat.h"

enum { PLACE_TEXT = 512 };

struct line_size {
    const char *file;            /* NULL: none, as with -c */
    const char *function;        /* NULL: outside of functions */
    uint32_t line;               /* 0: the shell itself */
    struct mem_site_stats stats; /* of all sites of this line */
};
struct line_sizes {
    struct line_size *items; /* in the region `vmstat`; most live bytes first */
    size_t count;
};
/* What lines hold; empty while sites are off. */
enum flow lines_take(struct shell *sh, struct line_sizes *ret) NODISCARD;
void lines_release(struct line_sizes *lines);
/* `FILE:LINE FUNCTION()`, in RET. */
const char *line_place(const struct line_size *line, char ret[static PLACE_TEXT]);
/* The same of a site. */
const char *site_place(uint32_t site, char ret[static PLACE_TEXT]);

/* All sites as the tree of calls. Site 0, the shell itself, is the root of all. */
struct site_node {
    uint64_t own_bytes, own_count; /* live */
    uint64_t all_bytes, all_count; /* with what was called from there */
    uint32_t child, sibling;       /* most bytes first; 0: none */
};
struct site_tree {
    struct site_node *nodes; /* by site; in the region `vmstat` */
    uint32_t count;
};
enum flow site_tree_take(struct shell *sh, struct site_tree *ret) NODISCARD;
void site_tree_release(struct site_tree *tree);
/* Fails with a line that says how to turn sites on, when they are off. */
enum flow sites_needed(struct shell *sh, const struct request *rq) NODISCARD;
void flame_draw(struct out *out, const struct site_tree *tree);

#endif
