/* Who allocated: sites of libmem as places in scripts. A site is a statement's file, line and
 * function, under the site of the call that led there. The executor sets mem_site for each
 * statement while somebody reads it (mem_site_wanted). */
#ifndef SHELL_STATE_SITE_H
#define SHELL_STATE_SITE_H

#include "shell/state/cache.h"

struct site {
    uint32_t parent;      /* site of the call of FUNCTION, or of the dot command; 0: none */
    uint32_t line;        /* from 1 */
    uint32_t depth;       /* of its calls */
    uint32_t next;        /* in its hash chain */
    const char *file;     /* NULL: no file (-c, standard input); lives as long as the process */
    const char *function; /* NULL: outside of functions; the same */
};

/* What SITE is; NULL for 0 and for what is no site of this shell. Valid until the next statement
 * runs. */
const struct site *site_get(uint32_t site);
/* The site of LINE of the running file and function. 0: no memory. In recursion the calls of the
 * first round stand for all. */
uint32_t site_at(struct shell *sh, uint32_t line);
uint32_t site_of_node_slow(struct shell *sh, const struct node *node);
/* Tells libmem how to describe sites. */
void site_init(void);

/* The site of NODE, a node of the running program. */
static inline uint32_t site_of_node(struct shell *sh, const struct node *node)
{
    const struct cache_slot *slot = cache_at(sh, node->cache);
    if (__builtin_expect(slot && slot->kind == CACHE_SITE && slot->epoch == sh->site_parent, 1))
        return slot->extra;
    return site_of_node_slow(sh, node);
}

/* NODE is about to run: puts its site into mem_site. Nodes of one line have one site; so while the
 * line stays, it is there. Who goes to another function or file, or back, sets site_line to 0. */
static inline void site_enter(struct shell *sh, const struct node *node)
{
    if (node->line + 1 == sh->site_line && mem_site)
        return;
    mem_site = site_of_node(sh, node);
    sh->site_line = node->line + 1;
}

/* Back to a statement of SITE, which others were a part of. */
static inline void site_leave(struct shell *sh, uint32_t site)
{
    if (__builtin_expect(mem_site == site, 1))
        return;
    mem_site = site;
    sh->site_line = 0;
}

#endif
