/* The counters of sites, between site.c and site_last.c. */
#ifndef LIBMEM_SITE_COUNT_H
#define LIBMEM_SITE_COUNT_H

#include "libmem/internal.h"

#define SITE_NO_KEY UINT64_MAX /* no mem_site is this: look */

/* Of 64 bytes. */
struct count {
    uint64_t got_count, freed_count;
    size_t live_bytes, peak_bytes; /* but for what MEM_LAST regions hold: ... */
    size_t last_bytes, last_peak;  /* ... that */
    uint64_t forgotten_count;      /* of got_count */
    uint64_t unused;
};

extern struct count *site_counts; /* by site; SITE_COUNT of them */
extern uint32_t site_count;
extern enum mem_sites site_state;
extern uint64_t site_finishing_count; /* FINISHING: blocks that still have a site */

/* Of what is got now. */
static inline uint32_t site_now(void)
{
    return MEM_LIKELY(site_state == MEM_SITES_ON && mem_site < site_count) ? mem_site : 0;
}

static inline struct count *site_counter(uint32_t site)
{
    return &site_counts[MEM_LIKELY(site < site_count) ? site : 0];
}

/* All blocks of REGION are of site 0, and from now on it is followed. */
void site_last_begin(struct mem_region *region);
/* Counts all that is not counted yet, in whatever region. */
void site_last_stop(void);
void site_last_set(struct mem_region *region); /* in line with the hooks */
void site_last_free(struct mem_region *region, void *block);
void *site_last_resize(struct mem_region *region, void *block, size_t bytes);
bool site_last_resize_in_place(struct span *span, void *block, size_t bytes);

#endif
