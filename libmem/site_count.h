/* The counters of sites, between site.c, site_pack.c and site_last.c. */
#ifndef LIBMEM_SITE_COUNT_H
#define LIBMEM_SITE_COUNT_H

#include "libmem/site_word.h"

/* Of 64 bytes. */
struct count {
    uint64_t got_count, freed_count;
    size_t live_bytes, peak_bytes; /* but for what MEM_LAST regions hold: ... */
    size_t last_bytes, last_peak;  /* ... that */
    uint64_t forgotten_count;      /* of got_count */
    uint64_t unused;
};

extern struct count *site_counts; /* by site; SITE_COUNT of them */
extern struct count site_kinds[MEM_KINDS];
extern uint32_t site_count;
extern enum mem_sites site_state;
extern uint64_t site_finishing_count; /* FINISHING: blocks that still have a site */

#define SITE_NO_KEY UINT64_MAX /* no mem_site is this: look */

/* Of what is got now, with the mem_site ASKED. */
static inline uint32_t site_known(uint32_t asked)
{
    return MEM_LIKELY(site_state == MEM_SITES_ON && asked < site_count) ? asked : 0;
}

static inline struct count *site_counter(uint32_t site)
{
    return &site_counts[MEM_LIKELY(site < site_count) ? site : 0];
}

static inline void count_peak(struct count *count)
{
    if (count->live_bytes > count->peak_bytes)
        count->peak_bytes = count->live_bytes;
}

static inline void count_died(struct count *count, uint64_t blocks, size_t bytes)
{
    count_peak(count);
    count->freed_count += blocks;
    count->live_bytes -= bytes;
}

static inline void count_born(struct count *count, uint64_t blocks, size_t bytes)
{
    count->got_count += blocks;
    count->live_bytes += bytes;
}

static inline uint32_t word_site(uint32_t word)
{
    return word & WORD_LIVE ? word & MEM_SITE_MAX : 0;
}

/* KIND: of what has no word. */
static inline unsigned word_kind(uint32_t word, unsigned kind)
{
    return word & WORD_LIVE ? word >> WORD_KIND_SHIFT & WORD_KIND_MASK : kind;
}

static inline void word_born(uint32_t word, unsigned kind, uint64_t blocks, size_t bytes)
{
    count_born(&site_counts[word_site(word)], blocks, bytes);
    count_born(&site_kinds[word_kind(word, kind)], blocks, bytes);
    if (MEM_UNLIKELY(site_state == MEM_SITES_FINISHING) && word_site(word))
        site_finishing_count += blocks;
}

static inline void word_died(uint32_t word, unsigned kind, uint64_t blocks, size_t bytes)
{
    count_died(&site_counts[word_site(word)], blocks, bytes);
    count_died(&site_kinds[word_kind(word, kind)], blocks, bytes);
    if (MEM_UNLIKELY(site_state == MEM_SITES_FINISHING) && word_site(word))
        site_finishing_count -= blocks;
}

/* site_pack.c */
extern bool site_waits; /* something is to be counted before the next birth */
/* The chain of CLASS of REGION, all of it with WORD, is for what is asked for with the kind ASKED,
 * now. */
void site_run_begin(struct mem_region *region, struct size_class *class, uint32_t word,
                    unsigned asked);
bool site_has_run(const struct size_class *class);
void site_run_end(struct size_class *class); /* if it has one */
void site_runs_count(void);
void site_packs_settle(void); /* all that waits */

/* All blocks of REGION are of site 0. */
void site_last_begin(struct mem_region *region);
/* Counts all that is not counted yet, in whatever region. */
void site_last_stop(void);
void site_last_set(struct mem_region *region); /* in line with the hooks */
void site_last_free(struct mem_region *region, void *block);
void *site_last_resize(struct mem_region *region, void *block, size_t bytes);
bool site_last_resize_in_place(struct span *span, void *block, size_t bytes);

#endif
