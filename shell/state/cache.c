/*
 * cache: the side arrays in which running code keeps what it learned about the nodes of a program.
 *
 * Owns program->caches: an array of program->cache_count slots, made whole and zeroed at first use,
 * freed by program_caches_free when the program dies. Invariants: a slot never moves while its
 * program lives; a slot with RELEASE set owns DATA. This file knows nothing of what the slots hold,
 * and is the only one that writes to a program after the parser returned it.
 */
#include "shell/state/cache.h"

#include "shell/state/name.h"

static void slots_free(struct program *program)
{
    struct cache_slot *slots = program->caches;
    program->caches = NULL;
    if (!slots)
        return;
    for (uint32_t i = 0; i < program->cache_count; i++)
        if (slots[i].release)
            slots[i].release(slots[i].data);
    mem_free(slots);
}

static const char *name_text(const struct name *name)
{
    return name->text;
}

void cache_init(void)
{
    program_caches_free = slots_free;
    program_name_text = name_text;
}

struct cache_slot *cache_at_slow(struct shell *sh, uint32_t index)
{
    struct program *program = (struct program *)sh->program; /* const but for this array */
    if (!program || index == 0 || index > program->cache_count)
        return NULL;
    if (!program->caches)
        program->caches =
            mem_alloc_zeroed(sh->program_region, program->cache_count * sizeof(struct cache_slot));
    return program->caches ? (struct cache_slot *)program->caches + (index - 1) : NULL;
}

bool cache_put(struct cache_slot *slot, enum cache_kind kind, void *data,
               void (*release)(void *data))
{
    if (!slot) {
        if (release)
            release(data);
        return false;
    }
    if (slot->release)
        slot->release(slot->data);
    *slot = (struct cache_slot){ .data = data, .release = release, .kind = kind };
    return true;
}
