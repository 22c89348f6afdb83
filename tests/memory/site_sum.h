/* Whether what sites have adds up to what the regions hold. No other thread may be at work. */
#ifndef TESTS_SITE_SUM_H
#define TESTS_SITE_SUM_H

#include <stdbool.h>

#include "libmem.h"

struct site_sum {
    uint64_t bytes, count;
    bool wrong; /* a peak below what lives */
};

static int site_sum_visit(void *arg, uint32_t site, const struct mem_site_stats *stats)
{
    struct site_sum *sum = arg;

    (void)site;
    sum->bytes += stats->live_bytes;
    sum->count += stats->live_count;
    sum->wrong |= stats->peak_bytes < stats->live_bytes;
    return 0;
}

static inline bool sites_add_up(void)
{
    struct site_sum sum = { 0 };

    (void)mem_site_walk(site_sum_visit, &sum);
    for (struct mem_region *region = NULL; (region = mem_region_next(region)) != NULL;) {
        struct mem_stats stats;
        mem_region_stats(region, &stats);
        sum.bytes -= stats.busy_bytes;
        sum.count -= stats.busy_count;
    }
    return !sum.bytes && !sum.count && !sum.wrong;
}

#endif
