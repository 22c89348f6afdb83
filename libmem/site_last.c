/*
 * site_last.c: the sites of blocks of MEM_LAST regions, which die by the thousand in one step.
 *
 * Such a region writes the site into the head of each block (last.c), and is counted by runs: what
 * is newer than `settled_bytes` is of the one site in `site_head` and not counted yet; below, all
 * is. Another site, or another such region, settles. A reset that ends newer blocks only, as nearly
 * all do, has nothing to do with sites; and how high a run went is in the region's own peak, which
 * begins anew with each run. The peak of what a site has in such regions stands beside the one of
 * all the rest, and a reader gets the sum. For the kinds such a region counts alone. All of it runs
 * under the library's lock, but for what the region's owner does in a run.
 */
#include "libmem/site_count.h"

static struct mem_region *last_running; /* the only MEM_LAST region with what is not counted */

static void last_born(struct mem_region *region, void *block, size_t bytes)
{
    struct count *count = site_counter(last_site_of(block));

    count->got_count++;
    count->last_bytes += bytes;
    region->kind_count++;
    if (count->last_bytes > count->last_peak)
        count->last_peak = count->last_bytes;
    if (MEM_UNLIKELY(site_state == MEM_SITES_FINISHING) && count != site_counts)
        site_finishing_count++;
}

static void last_count_died(struct count *count, size_t bytes)
{
    count->freed_count++;
    count->last_bytes -= bytes;
    if (MEM_UNLIKELY(site_state == MEM_SITES_FINISHING) && count != site_counts)
        site_finishing_count--;
}

static void last_died(struct mem_region *region, void *block, size_t bytes)
{
    (void)region;
    last_count_died(site_counter(last_site_of(block)), bytes);
}

/* Neither runs of one site nor resets need the lock, nor anything else to see them. */
static bool last_is_alone(void)
{
    return mem_settings.hooks == HOOK_SITES && !glue_threaded();
}

/* All of the first BYTES and COUNT blocks, which are what there will be, is counted. */
static void last_settled(struct mem_region *region, size_t bytes, uint64_t count)
{
    if (region->peak_bytes > region->kind_peak)
        region->kind_peak = region->peak_bytes;
    if (region->peak_bytes > region->peak_before)
        region->peak_before = region->peak_bytes;
    region->peak_bytes = region->settled_bytes = bytes;
    region->settled_count = count;
    region->settled_alloc = region->alloc_count;
    MEM_POKE(region->reset_floor, last_is_alone() ? bytes : SIZE_MAX);
}

static void last_settled_all(struct mem_region *region)
{
    last_settled(region, region->busy_bytes, region->alloc_count - region->freed_count);
}

void site_last_settle(struct mem_region *region)
{
    uint64_t calls = region->alloc_count - region->settled_alloc;
    uint64_t blocks = region->alloc_count - region->freed_count - region->settled_count;

    if (calls) {
        struct count *count = site_counter((uint32_t)(region->site_head >> MEM_LAST_SITE_SHIFT));
        size_t high = count->last_bytes + (region->peak_bytes - region->settled_bytes);
        if (high > count->last_peak)
            count->last_peak = high;
        count->got_count += calls;
        count->freed_count += calls - blocks;
        count->last_bytes += region->busy_bytes - region->settled_bytes;
        region->kind_count += calls;
    }
    last_settled_all(region);
}

void site_last_stop(void)
{
    struct mem_region *region = last_running;

    if (!region)
        return;
    last_running = NULL;
    /* A run that began before there were threads: its owner, who is perhaps in it, settles it. */
    if (!glue_threaded() || region->site_key == SITE_NO_KEY)
        site_last_settle(region);
    __atomic_store_n(&region->site_key, SITE_NO_KEY, __ATOMIC_RELAXED);
}

void site_last_switch(struct mem_region *region)
{
    mem_lock();
    if (last_running != region)
        site_last_stop();
    site_last_settle(region);
    last_running = region;
    uint32_t asked = MEM_PEEK(mem_site), site = site_known(asked);
    __atomic_store_n(&region->site_key, site == asked && last_is_alone() ? site : SITE_NO_KEY,
                     __ATOMIC_RELAXED);
    region->site_head = (uint64_t)site << MEM_LAST_SITE_SHIFT;
    mem_unlock();
}

void site_last_set(struct mem_region *region)
{
    bool hooked = region->hooks;

    __atomic_store_n(&region->site_key, hooked ? SITE_NO_KEY : 0, __ATOMIC_RELAXED);
    MEM_POKE(region->reset_floor, !hooked ? 0 : last_is_alone() ? region->settled_bytes : SIZE_MAX);
    if (!hooked)
        region->site_head = 0;
}

void site_last_stale(struct mem_region *region)
{
    if (last_running == region)
        site_last_stop();
    __atomic_store_n(&region->site_key, SITE_NO_KEY, __ATOMIC_RELAXED);
}

void site_last_begin(struct mem_region *region)
{
    last_sites_clear(region);
    last_settled_all(region);
    region->kind_peak = region->busy_bytes;
    region->site_head = 0;
}

void site_last_reset(struct mem_region *region, const struct mem_mark *mark)
{
    site_last_settle(region);
    last_walk_above(region, mark, last_died);
    last_settled(region, mark->busy_bytes, mark->busy_count);
}

void site_last_free(struct mem_region *region, void *block)
{
    site_last_settle(region);
    size_t before = region->busy_bytes;
    struct count *count = site_counter(last_site_of(block));
    last_free(region, block);
    if (region->busy_bytes != before)
        last_count_died(count, before - region->busy_bytes);
    last_settled_all(region);
}

void *site_last_resize(struct mem_region *region, void *block, size_t bytes)
{
    site_last_switch(region);
    size_t before = region->busy_bytes, old = last_block_bytes(block);
    uint32_t site = last_site_of(block);
    void *moved = plain_resize(region, block, bytes, false);
    if (!moved)
        return NULL;
    size_t got = last_block_bytes(moved);
    if (moved == block && got == old) {
        last_site_set(block, site);
        return block;
    }
    /* A block that moved away from below others stays where it was, and site_counts. */
    if (moved == block || region->busy_bytes - before != got)
        last_count_died(site_counter(site), old);
    last_born(region, moved, got);
    last_settled_all(region);
    return moved;
}

bool site_last_resize_in_place(struct span *span, void *block, size_t bytes)
{
    struct mem_region *region = span->region;

    site_last_switch(region);
    size_t old = last_block_bytes(block);
    uint32_t site = last_site_of(block);
    bool done = plain_resize_in_place(span, block, bytes);
    size_t got = last_block_bytes(block);
    last_site_set(block, site);
    if (got != old) {
        last_count_died(site_counter(site), old);
        last_born(region, block, got);
    }
    last_settled_all(region);
    return done;
}
