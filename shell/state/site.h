/* Who allocated: sites of libmem as places in scripts. A site is a statement's file, line and
 * function, under the site of the call that led there. The executor sets mem_site for each
 * statement while somebody reads it (mem_site_wanted). */
#ifndef SHELL_STATE_SITE_H
#define SHELL_STATE_SITE_H

#include "shell/state/cache.h"

/* What site_line says when no statement's line is the one of mem_site: the context is the one of
 * before, or perhaps another one. */
#define SITE_LINE_NONE UINT32_MAX
#define SITE_LINE_LOOK (UINT32_MAX - 1)

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
void site_enter_slow(struct shell *sh, const struct node *node);
/* Tells libmem how to describe sites. */
void site_init(void);

/* The next statement looks for its site: the function, file or text that runs is another one, or
 * mem_site was perhaps set to 0 because nobody wanted it. */
static inline void site_look(struct shell *sh)
{
    sh->site_line = SITE_LINE_LOOK;
}

/* NODE is about to run: puts its site into mem_site. In one context all nodes of a line have one
 * site; so while the line stays, it is there, and of a few lines it is at hand. */
static inline void site_enter(struct shell *sh, const struct node *node)
{
    if (__builtin_expect(node->line == sh->site_line, 1))
        return;
    const struct line_site *known = &sh->line_sites[node->line % LINE_SITES];
    if (__builtin_expect(known->line == node->line && sh->site_line != SITE_LINE_LOOK, 1)) {
        mem_site = known->site;
        sh->site_line = node->line;
    } else {
        site_enter_slow(sh, node);
    }
}

/* Back to a statement of SITE, which others were a part of. */
static inline void site_leave(struct shell *sh, uint32_t site)
{
    if (__builtin_expect(mem_site == site, 1))
        return;
    mem_site = site;
    if (sh->site_line != SITE_LINE_LOOK)
        sh->site_line = SITE_LINE_NONE;
}

#endif
