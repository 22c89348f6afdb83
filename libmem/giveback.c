/*
 * giveback.c: when and how free memory returns to the system, and huge pages.
 *
 * Touching memory again after it was given back costs about ten times the giving (7 to 13 in our
 * runs), so it goes only when it was not needed for long. There is no timer and no thread: time is
 * looked at when spans are freed, by mem_idle and before a fork. Three rules:
 * - CALM: `dirty_low` is the least that was free at any moment of a period of `delay`. So much was
 *   needed by nobody, and goes at the period's end, of what was free all the time: while blocks
 * come and go, other spans are free at each moment, and those of now are needed next. When half of
 * it was taken again in the next period, that was a mistake, and the period after it is twice as
 * long, up to 64 times.
 * - COLLAPSE: when next to nothing but large blocks is left of a region, and of those half of what
 *   is free, a program phase ended and perhaps nothing will be called again: the free memory goes
 *   at once. But what is taken again afterwards has a price: no collapse of the same kind (some,
 *   most or all is free) counts before twenty times the time of touching it again has passed, so a
 *   loop that does so on purpose loses 5 %; that is processor time, for on a busy machine other
 *   programs run meanwhile, or four times as long by the clock. The first time that only some is
 *   free counts when the program has run so long. Where all was free and more work than touching
 *   lay between, three times are enough. Only one that frees most or all, twice of what was taken
 *   again, comes early: such ones cost less than the first touching of the memory did. The kinds
 *   have accounts of their own, since that all is free is likely to be the end, whatever was a
 *   mistake before.
 * - END: the heap of a thread that ends waits for the next thread, perhaps for ever: what is free
 *   of it goes, at the same price.
 * - FORK: free pages make each fork dearer: what a dozen of forks saw unused goes, and what is much
 *   goes at once, when it has no price any more.
 * Of each region `cache` bytes stay and, where it is given, never more: BOUND, what is beyond it
 * goes when it becomes free, page by page. A given span keeps its place in the bins, with `given`
 * telling what must be done before use; free neighbours merge only when they are alike. Slices and
 * solo segments are left alone. All of it runs under the library's lock.
 */
#include "libmem/internal.h"

enum {
    GIVE_MIN = 32 << 10,      /* a span with less dirty memory stays */
    FORKS = 12,               /* after so many without use giving has paid */
    LEFT_MIN = 256 << 10,     /* less stays with the heap of a thread that ended */
    COLLAPSE_DIRTY = 2 << 20, /* what makes a collapse worth while ... */
    COLLAPSE_BUSY = 1 << 20,  /* ... and the most that packs may still hold */
    COST_SHIFT = 13,          /* dropping and touching again: 1 us for 8 KiB ... */
    COST_FAULT_NS = 1500,     /* ... and so much for each fault: few on huge pages */
    COST_TIMES = 20,          /* so much time must pass ... */
    COST_TIMES_SLOW = 3,      /* ... and so much where it was not taken in haste */
    COST_TIMES_LATE = 4,      /* ... or so many times as much by the clock */
    CALM_SHIFT_MAX = 6,
    SOME_PART = 2, /* the parts of what is free that large blocks may be at most */
    MOST_PART = 64,
};

#define FORK_MUCH ((size_t)64 << 20) /* free: a fork costs more than giving it */

int give_overcommit = GIVE_ASK;

/* The way that `auto` stands for: only a mapping without access frees what strict accounting
 * counts. */
static enum mem_giveback give_way(void)
{
    if (mem_settings.giveback != MEM_GIVE_AUTO)
        return mem_settings.giveback;
    if (give_overcommit == GIVE_ASK)
        give_overcommit = glue_overcommit();
    return give_overcommit == 2 ? MEM_GIVE_FIXED : MEM_GIVE_DONTNEED;
}

bool give_wants_huge(const struct mem_region *region, size_t more_bytes)
{
    return mem_settings.huge == MEM_HUGE_ON ||
           (mem_settings.huge == MEM_HUGE_AUTO && region->busy_bytes + more_bytes >= MEM_HUGE_LIVE);
}

void give_huge(const struct mem_region *region, char *base, size_t bytes, size_t more_bytes)
{
    if (bytes >= MEM_HUGE_MIN && give_wants_huge(region, more_bytes))
        glue_advise(base, bytes, MADV_HUGEPAGE);
}

void give_huge_used(struct segment *segment, const char *end, size_t more_bytes)
{
    const uintptr_t last = MEM_HUGE_MIN - 1;
    uintptr_t from = ((uintptr_t)segment->huge_next + last) & ~last;
    uintptr_t to = (uintptr_t)segment_end(segment) & ~last;
    uintptr_t next = ((uintptr_t)end + last) & ~last;

    if (end <= segment->huge_next)
        return;
    if (mem_settings.huge != MEM_HUGE_ON && !segment->lent && !segment_moves(segment) &&
        from < to && give_wants_huge(segment->region, more_bytes)) {
        glue_advise((char *)from, to - from, MADV_HUGEPAGE);
        next = to > next ? to : next;
    }
    segment->huge_next = (const char *)next;
}

static bool source_maps(const struct segment *segment)
{
    return segment->source == SOURCE_ANON || segment->source == SOURCE_SAFE ||
           segment->source == SOURCE_ZERO;
}

/* Does to SPAN, which is in no bin, what the options ask. */
static void span_give(struct span *span)
{
    enum mem_giveback way = give_way();
    /* All of it: a huge page reaches beyond what was handed out. */
    size_t bytes = (size_t)span->pages << MEM_PAGE_SHIFT;

    if (way >= MEM_GIVE_FIXED && !source_maps(span->segment))
        way = MEM_GIVE_DONTNEED;
    if (way == MEM_GIVE_FREE && glue_advise(span->base, bytes, MADV_FREE)) {
        span->given = GIVEN_LAZY;
    } else if (way >= MEM_GIVE_FIXED && glue_map_closed(span->base, bytes)) {
        span->given = GIVEN_CLOSED;
    } else if (glue_advise(span->base, bytes, MADV_DONTNEED)) {
        span->given = GIVEN_DROPPED;
    }
}

enum { PERIOD_ANY = UINT32_MAX };

/* Gives AMOUNT bytes of REGION, or what became free of it before PERIOD, large spans first, and of
 * the last one more unless a `cache` is asked for; returns what was given. */
static size_t region_give(struct mem_region *region, size_t amount, uint32_t period)
{
    size_t given = 0;
    bool unmap = give_way() == MEM_GIVE_UNMAP;
    bool exact = mem_settings.cache_most != SIZE_MAX;
    size_t least = exact ? MEM_PAGE : GIVE_MIN;

    for (unsigned bin = MEM_BINS; bin-- > mem_bin_of(least >> MEM_PAGE_SHIFT) && given < amount;) {
        struct span *chosen = NULL;
        size_t bytes = given;
        for (struct span *span = region->bins[bin], *next; span && bytes < amount; span = next) {
            next = span->next;
            if (span->given || span->segment->lent || span_dirty(span) < least ||
                span->freed_in >= period)
                continue;
            bytes += span_dirty(span);
            large_unbin(span);
            span->next = chosen;
            chosen = span;
        }
        for (struct span *next; chosen; chosen = next) {
            next = chosen->next;
            if (exact && given < amount)
                chosen = large_keep_end(chosen, amount - given);
            else if (exact) { /* a bigger one was enough */
                large_bin(chosen);
                continue;
            }
            size_t dirty = span_dirty(chosen);
            given += dirty;
            if (unmap && source_maps(chosen->segment) && large_unmap(chosen))
                continue;
            span_give(chosen);
            large_bin(chosen);
        }
    }
    if (given && mem_settings.trace_internal)
        stats_say_debug("gave back", region, NULL, given);
    region->dirty_low = region->dirty_bytes;
    return given;
}

void give_segments(const struct mem_region *asking)
{
    for (struct mem_region *region = mem_regions; region; region = region->next) {
        if (region->method == MEM_LAST) {
            (void)last_give(region);
            continue;
        }
        for (struct segment *segment = region->segments, *next; segment; segment = next) {
            next = segment->next;
            if (segment->lent || segment->solo || !source_maps(segment))
                continue;
            struct span *tail = map_get(segment->tail ? segment->tail->base : segment->base);
            bool keep = region == asking &&
                        (segment == region->growing || !tail || tail->base != segment->base);
            if (tail && !keep && tail->kind == SPAN_FREE && tail->segment == segment &&
                span_end(tail) == segment_end(segment)) {
                large_unbin(tail);
                if (!large_unmap(tail))
                    large_bin(tail);
            }
        }
    }
}

/* Makes SPAN, which is in no bin, usable; false: no memory. */
bool give_undo(struct span *span)
{
    size_t bytes = (size_t)span->pages << MEM_PAGE_SHIFT;

    if (span->given == GIVEN_CLOSED) {
        if (!glue_map_open(span->base, bytes))
            return false;
        give_huge(span->region, span->base, bytes, 0); /* the new mapping has lost the advice */
    }
    if (span->given && span->given != GIVEN_MOVED) {
        span->region->retaken_bytes += span_dirty(span);
        span->region->retaken_total += span_dirty(span);
    }
    span->given = GIVEN_NOT;
    return true;
}

/* Whether only large blocks are left of REGION; *RET_PART: how much of it is free. */
static bool region_collapsed(const struct mem_region *region, enum give_part *ret_part)
{
    size_t busy = region->size_bytes - region->free_pages_bytes - region->large_bytes;

    if (!region->large_count)
        *ret_part = GIVE_ALL;
    else
        *ret_part = region->large_bytes <= region->dirty_bytes / MOST_PART ? GIVE_MOST : GIVE_SOME;
    return busy <= COLLAPSE_BUSY && region->large_bytes <= region->dirty_bytes / SOME_PART;
}

/* Gives BYTES of REGION, which are PART of it, as region_give. */
static size_t region_give_part(struct mem_region *region, size_t bytes, enum give_part part,
                               uint32_t period, uint64_t now)
{
    size_t given = region_give(region, bytes, period);

    if (!given)
        return 0;
    region->give_accounts[part].given += given;
    region->give_accounts[part].given_at = region->given_at = now;
    region->given_cpu = glue_cpu_us();
    region->given_faults = glue_faults();
    return given;
}

/* BYTES of REGION, which are PART of it, are not needed: gives what is more than the cache may
 * hold.
 */
static size_t region_give_calm(struct mem_region *region, size_t bytes, enum give_part part,
                               uint32_t period, uint64_t now)
{
    size_t cache = mem_settings.cache_bytes;

    if (bytes < MEM_CALM_MIN + cache)
        return 0;
    return region_give_part(region, bytes - cache, part, period, now);
}

/* Us that dropping BYTES and touching them again has cost. */
static uint64_t cost_us(struct mem_region *region, size_t bytes)
{
    uint64_t faults = glue_faults(), pages = bytes >> MEM_PAGE_SHIFT;
    uint64_t here = faults - region->given_faults;

    region->given_faults = faults;
    return (bytes >> COST_SHIFT) + (here < pages ? here : pages) * COST_FAULT_NS / 1000;
}

/* PRICE us more of processor time must pass. */
static void account_charge(struct give_account *account, uint64_t price)
{
    account->next += price;
    account->next_cpu += price;
    account->late += price * COST_TIMES_LATE;
}

/* What is charged next counts from AT, by the clock, and CPU. */
static void account_begin(struct give_account *account, uint64_t at, uint64_t cpu)
{
    account->next = account->late = at;
    account->next_cpu = cpu;
}

static bool account_paid(struct give_account *account, uint64_t now)
{
    if (now < account->next)
        return false;
    if (now >= account->late)
        return true;
    uint64_t cpu = glue_cpu_us();
    if (cpu >= account->next_cpu) {
        account->late = account->next;
        return true;
    }
    account->next = now + (account->next_cpu - cpu);
    return false;
}

/* Charges what was taken again to the accounts that gave it. */
static void accounts_charge(struct mem_region *region, uint64_t now)
{
    size_t taken = region->retaken_bytes;

    if (!taken)
        return;
    uint64_t cost = cost_us(region, taken);
    bool haste = now - region->given_at < cost + cost / 2;
    for (unsigned part = GIVE_PARTS; part-- > 0 && region->retaken_bytes;) {
        struct give_account *account = &region->give_accounts[part];
        size_t left = region->retaken_bytes;
        size_t bytes = left < account->given || part == GIVE_SOME ? left : account->given;
        unsigned times = part == GIVE_ALL && !haste ? COST_TIMES_SLOW : COST_TIMES;
        uint64_t price = cost * bytes / taken * times;
        bool paid = account_paid(account, now);
        account->given -= bytes < account->given ? bytes : account->given;
        account->debt = (paid ? 0 : account->debt) + bytes;
        if (paid)
            account_begin(account, account->given_at, region->given_cpu);
        account_charge(account, price);
        region->retaken_bytes -= bytes;
    }
}

/* PART of REGION is free, and the rest in large blocks: gives what is free, unless that was done
 * not long ago for nothing. */
static void give_collapsed(struct mem_region *region, enum give_part part, uint64_t now)
{
    struct give_account *account = &region->give_accounts[part];

    if (part == GIVE_SOME && !account->late) {
        uint64_t price = (region->dirty_bytes >> COST_SHIFT) * COST_TIMES;
        account_begin(account, now - price, 0);
        account_charge(account, price);
    }
    if (account_paid(account, now) ||
        (part != GIVE_SOME && region->dirty_bytes / 2 >= account->debt))
        (void)region_give_calm(region, region->dirty_bytes, part, PERIOD_ANY, now);
}

/* A period of calm is over: the next one is longer if what went after the last was taken again. */
static void calm_learn(struct mem_region *region)
{
    size_t taken = region->retaken_total - region->calm_retaken;

    if (region->calm_given && taken >= region->calm_given / 2)
        region->calm_shift += region->calm_shift < CALM_SHIFT_MAX;
    else
        region->calm_shift -= region->calm_shift > 0;
}

static void period_begin(struct mem_region *region, uint64_t now)
{
    region->give_start = now;
    region->give_period++;
    region->dirty_low = region->dirty_bytes;
}

/* REGION has COLLAPSE_DIRTY or more dirty bytes, and one span more. */
static void give_check(struct mem_region *region)
{
    uint64_t now = glue_time_us();
    enum give_part part;

    accounts_charge(region, now);
    if (region_collapsed(region, &part))
        give_collapsed(region, part, now);
    if (now - region->give_start < mem_settings.delay_ms * 1000 << region->calm_shift)
        return;
    calm_learn(region);
    uint32_t period = mem_settings.delay_ms ? region->give_period : PERIOD_ANY;
    if (region->give_start)
        region->calm_given = region_give_calm(region, region->dirty_low, GIVE_SOME, period, now);
    region->calm_retaken = region->retaken_total;
    period_begin(region, now);
}

/* REGION keeps no more than `cache`. */
static void give_bound(struct mem_region *region)
{
    size_t most = mem_settings.cache_most;

    if (region->method == MEM_LAST)
        last_bound(region);
    else if (region->dirty_bytes > most)
        (void)region_give(region, region->dirty_bytes - most, PERIOD_ANY);
}

void give_bounds(void)
{
    if (mem_settings.cache_most == SIZE_MAX)
        return;
    mem_lock();
    for (struct mem_region *region = mem_regions; region; region = region->next)
        if (region->method != MEM_LAST || !glue_threaded()) /* another thread may be at its end */
            give_bound(region);
    mem_unlock();
}

void give_freed(struct mem_region *region)
{
    if (MEM_UNLIKELY(region->dirty_bytes > mem_settings.cache_most))
        give_bound(region);
    if (region->dirty_bytes >= COLLAPSE_DIRTY && mem_settings.giveback != MEM_GIVE_NONE)
        give_check(region);
}

void give_left(struct mem_region *region)
{
    size_t spare = region->size_bytes - region->busy_bytes - region->given_bytes;

    if (spare < LEFT_MIN + mem_settings.cache_bytes || mem_settings.giveback == MEM_GIVE_NONE)
        return;
    uint64_t now = glue_time_us();
    accounts_charge(region, now);
    if (!account_paid(&region->give_accounts[GIVE_ALL], now))
        return;
    pack_shrink(region);
    if (region->dirty_bytes >= LEFT_MIN + mem_settings.cache_bytes)
        (void)region_give_part(region, region->dirty_bytes - mem_settings.cache_bytes, GIVE_ALL,
                               PERIOD_ANY, now);
}

/* Us until REGION would give more. */
static uint64_t region_idle(struct mem_region *region, uint64_t now)
{
    uint64_t delay = mem_settings.delay_ms * 1000;
    size_t least = MEM_CALM_MIN + mem_settings.cache_bytes;

    if (region->method == MEM_LAST)
        return last_idle(region, now);
    if (region->dirty_bytes < least)
        return UINT64_MAX;
    if (region->give_start && now - region->give_start < delay)
        return delay - (now - region->give_start);
    if (region->give_start)
        (void)region_give_calm(region, region->dirty_low, GIVE_SOME, PERIOD_ANY, now);
    period_begin(region, now);
    return region->dirty_bytes < least ? UINT64_MAX : delay;
}

/* Whether REGION has what could go back one day: cheaper than to ask for the time. */
static bool region_has_spare(const struct mem_region *region)
{
    return region->method == MEM_LAST ? region->last_segment && region->last_segment->next
                                      : region->dirty_bytes >= MEM_CALM_MIN;
}

int mem_idle(void)
{
    uint64_t wait = UINT64_MAX;
    bool spare = false;

    mem_lock();
    trace_flush();
    for (struct mem_region *region = mem_regions; region && !spare; region = region->next)
        spare = region_has_spare(region);
    if (!spare) {
        mem_unlock();
        return -1;
    }
    uint64_t now = glue_time_us();
    for (struct mem_region *region = mem_regions; region && mem_settings.giveback != MEM_GIVE_NONE;
         region = region->next) {
        uint64_t more = region_idle(region, now);
        wait = more < wait ? more : wait;
    }
    mem_unlock();
    return wait == UINT64_MAX ? -1 : (int)(wait / 1000 + 1);
}

size_t mem_give_back(void)
{
    size_t given = 0;

    mem_lock();
    for (struct mem_region *region = mem_regions; region && mem_settings.giveback != MEM_GIVE_NONE;
         region = region->next)
        given += region->method == MEM_LAST ? last_give(region)
                                            : region_give(region, SIZE_MAX, PERIOD_ANY);
    mem_unlock();
    return given;
}

/* What is free costs a fork its page tables: much of it more than the giving, less of it when it
 * lay unused over many forks. */
static void region_fork(struct mem_region *region)
{
    size_t bytes = region->dirty_bytes;

    if (bytes < MEM_CALM_MIN + mem_settings.cache_bytes)
        return;
    if (!region->fork_count || region->fork_low > bytes)
        region->fork_low = bytes;
    uint64_t now = glue_time_us();
    accounts_charge(region, now);
    if (bytes >= FORK_MUCH && account_paid(&region->give_accounts[GIVE_SOME], now))
        (void)region_give_calm(region, bytes, GIVE_SOME, PERIOD_ANY, now);
    else if (++region->fork_count >= FORKS)
        (void)region_give_calm(region, region->fork_low, GIVE_SOME, PERIOD_ANY, now);
    else
        return;
    region->fork_count = 0;
}

void give_fork(void)
{
    for (struct mem_region *region = mem_regions; region && mem_settings.giveback != MEM_GIVE_NONE;
         region = region->next)
        if (region->method != MEM_LAST)
            region_fork(region);
}
