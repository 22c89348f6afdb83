/*
 * limit.c: limit=SIZE, how much may be got from the system.
 *
 * Two limits: beyond the soft one (warn, trap) there is one line or a call of mem_limit_notify each
 * time it is passed, beyond the hard one (fail) requests fail. A trap has a reserve above its
 * limit, in which whoever is told can put things right; where no hard limit says otherwise requests
 * fail beyond the reserve. Before anything is said or refused, the free ends of segments go back.
 * What counts is what segments hold, which segment.c knows. Runs under the library's lock, in the
 * middle of a request: nothing here may allocate.
 */
#include "libmem/internal.h"

static bool soft_told, hard_told;
void (*mem_limit_notify)(void);

/* What may be held at most; SIZE_MAX: no limit. */
static size_t hard_limit(void)
{
    const struct mem_settings *set = &mem_settings;

    if (set->limit_bytes)
        return set->limit_bytes;
    if (!set->limit_soft_bytes || set->limit_action != MEM_LIMIT_TRAP)
        return SIZE_MAX;
    size_t reserve = set->limit_soft_bytes / 8;
    reserve = reserve > MEM_LIMIT_MIN ? reserve : MEM_LIMIT_MIN;
    return reserve < SIZE_MAX - set->limit_soft_bytes ? set->limit_soft_bytes + reserve : SIZE_MAX;
}

static bool passes(size_t bytes, size_t limit)
{
    return segment_held_bytes > limit || bytes > limit - segment_held_bytes;
}

size_t limit_cut(size_t want, size_t least)
{
    size_t soft = mem_settings.limit_soft_bytes, hard = hard_limit();

    return passes(want, soft && soft < hard ? soft : hard) ? least : want;
}

static void limit_tell(size_t limit, const char *what, size_t bytes)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: limit=");
    line_dec(&line, limit);
    line_str(&line, ": ");
    line_str(&line, what);
    line_str(&line, ": in use ");
    line_dec(&line, segment_held_bytes);
    line_str(&line, ", asked for ");
    line_dec(&line, bytes);
    line_send(&line);
}

static void soft_passed(size_t bytes)
{
    bool trap = mem_settings.limit_action == MEM_LIMIT_TRAP;

    if (soft_told)
        return;
    soft_told = true;
    if (trap && mem_limit_notify)
        mem_limit_notify();
    else
        limit_tell(mem_settings.limit_soft_bytes, trap ? "trapped" : "warned", bytes);
}

bool limit_allows(size_t bytes, const struct mem_region *asking)
{
    size_t soft = mem_settings.limit_soft_bytes ? mem_settings.limit_soft_bytes : SIZE_MAX;
    size_t hard = hard_limit();

    if (MEM_LIKELY(soft == SIZE_MAX && hard == SIZE_MAX))
        return true;
    if (passes(bytes, soft < hard ? soft : hard))
        give_segments(asking);
    if (passes(bytes, soft))
        soft_passed(bytes);
    else if (!passes(bytes + soft / 16, soft)) /* well below: the next time counts anew */
        soft_told = false;
    if (!passes(bytes, hard)) {
        if (!passes(bytes + hard / 4, hard)) /* not each of ever smaller steps towards it */
            hard_told = false;
        return true;
    }
    if (mem_settings.limit_bytes && !hard_told)
        limit_tell(hard, "refused", bytes);
    hard_told = true;
    return false;
}

void mem_limit_relieve(void)
{
    mem_lock();
    give_segments(NULL);
    if (!passes(0, mem_settings.limit_soft_bytes))
        soft_told = false;
    mem_unlock();
}

void limit_too_low(size_t bytes)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: limit=");
    line_dec(&line, bytes);
    line_str(&line, ": below what start-up needs, ");
    line_dec(&line, MEM_LIMIT_MIN);
    line_send(&line);
    _exit(1);
}
