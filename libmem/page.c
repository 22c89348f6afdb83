/*
 * page.c: packs, spans cut into equal blocks, and the chains of free blocks in front of them.
 *
 * Each class keeps up to two chains of free blocks: `head`, which the fast paths pop and push, and
 * `older`, a former head. A free that finds head full sends older back to the packs and starts
 * anew, so both bursts of frees and a free/alloc pair at the boundary stay cheap, and blocks reach
 * their packs while they are still in the processor's cache. A pack whose blocks all came back
 * gives up its pages at once, except the last pack with room of its class. The first blocks of each
 * small class come from the region's mixed pack. Blocks of packs are cut in batches of at most a
 * page, so untouched pages stay untouched.
 */
#include "libmem/internal.h"

void pack_class_init(struct size_class *class, size_t bytes)
{
    *class = (struct size_class){ .bytes = (uint32_t)bytes,
                                  .limit = class_chain_limit(bytes),
                                  .room = class_chain_limit(bytes) };
}

/* A class is made ready by its first request, so that unused ones are never touched. */
static void class_ready(const struct mem_region *region, struct size_class *class)
{
    if (MEM_UNLIKELY(!class->bytes))
        pack_class_init(class, mem_class_bytes((unsigned)(class - region->classes)));
}

static bool pack_has_rest(const struct span *pack)
{
    return (size_t)pack->carved * pack->block_bytes < (size_t)pack->pages << MEM_PAGE_SHIFT;
}

static bool pack_is_full(const struct span *pack)
{
    return pack->used == pack->capacity;
}

static void avail_link(struct size_class *class, struct span *pack)
{
    pack->prev = NULL;
    pack->next = class->avail;
    if (pack->next)
        pack->next->prev = pack;
    class->avail = pack;
}

static void avail_unlink(struct size_class *class, struct span *pack)
{
    if (pack->next)
        pack->next->prev = pack->prev;
    if (pack->prev)
        pack->prev->next = pack->next;
    else
        class->avail = pack->next;
}

/* The pages of the next pack: one for a class that starts, four, then sixteen; four blocks at least
 * where the region is of mixed sizes. */
static size_t pack_pages(const struct size_class *class)
{
    size_t pages = class->pack_count == 0 ? 1 : class->pack_count <= 2 ? 4 : MEM_PACK_PAGES;
    size_t least = class->bytes <= MEM_CLASS_MAX ? 4 : 1;

    if (pages << MEM_PAGE_SHIFT < class->bytes * least)
        pages = mem_pages(class->bytes * least);
    return pages;
}

static struct span *pack_new(struct mem_region *region, struct size_class *class)
{
    size_t dirty;

    mem_lock();
    struct span *pack = large_take(region, pack_pages(class), 1, &dirty);
    if (pack) { /* under the lock: an option may be changing the quick ones */
        pack->kind = SPAN_PACK;
        pack->quick = !region->debug && !mem_settings.hooks && region->heap != HEAP_SHARED;
    }
    mem_unlock();
    if (!pack)
        return NULL;
    size_t capacity = ((size_t)pack->pages << MEM_PAGE_SHIFT) / class->bytes;
    pack->class_index = (uint8_t)(class - region->classes);
    pack->block_bytes = class->bytes;
    pack->capacity = (uint16_t)(capacity < MEM_PACK_BLOCKS_MAX ? capacity : MEM_PACK_BLOCKS_MAX);
    pack->used = pack->carved = 0;
    pack->free = NULL;
    region->rest_count++;
    region->pack_count++;
    class->pack_count++;
    avail_link(class, pack);
    return pack;
}

static void pack_drop(struct mem_region *region, struct size_class *class, struct span *pack)
{
    avail_unlink(class, pack);
    class->pack_count--;
    class->carved_count -= pack->carved;
    region->pack_count--;
    region->carved_count -= pack->carved;
    region->carved_bytes -= (size_t)pack->carved * class->bytes;
    if (pack_has_rest(pack))
        region->rest_count--;
    mem_lock();
    pack->quick = false;
    large_put(pack);
    mem_unlock();
}

static void count_carved(struct mem_region *region, struct size_class *class, size_t count)
{
    class->carved_count += count;
    region->carved_count += count;
    region->carved_bytes += count * class->bytes;
}

/* ---- the mixed pack ---- */

static struct mixed_pack *mixed_new(struct mem_region *region)
{
    size_t dirty;
    struct mixed_pack *mixed = NULL;

    mem_lock();
    struct span *span = large_take(region, MEM_MIXED_PAGES, 1, &dirty);
    if (span) {
        mixed = region->mixed ? region->mixed : meta_alloc(sizeof *mixed);
        if (mixed)
            span->kind = SPAN_MIXED;
        else
            large_put(span);
    }
    mem_unlock();
    if (!mixed)
        return NULL;
    mixed->span = span;
    region->mixed = mixed;
    region->pack_count++;
    region->rest_count++;
    return mixed;
}

static void *mixed_carve(struct mem_region *region, struct size_class *class)
{
    struct mixed_pack *mixed = region->mixed;
    size_t units = class->bytes / MEM_ALIGN;

    if (class->bytes > MEM_SMALL_MAX || region->method != MEM_BEST || region->debug ||
        (class->carved_count + 1) * class->bytes > MEM_MIXED_CLASS_BYTES)
        return NULL;
    if ((!mixed || !mixed->span) && !(mixed = mixed_new(region)))
        return NULL;
    if (units > sizeof mixed->unit_class - mixed->next_unit)
        return NULL;
    void *block = mixed->span->base + (size_t)mixed->next_unit * MEM_ALIGN;
    mixed->unit_class[mixed->next_unit] = (uint8_t)(class - region->classes + 1);
    mixed->next_unit += (uint32_t)units;
    if (mixed->next_unit == sizeof mixed->unit_class)
        region->rest_count--;
    count_carved(region, class, 1);
    return block;
}

unsigned mixed_class_of(const struct mem_region *region, const void *block)
{
    const struct mixed_pack *mixed = region->mixed;
    size_t offset = (size_t)((const char *)block - mixed->span->base);

    if (offset % MEM_ALIGN || !mixed->unit_class[offset / MEM_ALIGN])
        return MEM_CLASSES;
    return mixed->unit_class[offset / MEM_ALIGN] - 1u;
}

/* ---- refill and flush ---- */

/* Cuts COUNT blocks from the rest of PACK and chains them. */
static void *pack_carve(struct mem_region *region, struct size_class *class, struct span *pack,
                        size_t count)
{
    size_t bytes = class->bytes;
    char *first = pack->base + (size_t)pack->carved * bytes;

    for (size_t i = 0; i + 1 < count; i++)
        chain_set(first + i * bytes, first + (i + 1) * bytes);
    chain_set(first + (count - 1) * bytes, NULL);
    /* Another thread that frees a block of this pack looks at it. */
    __atomic_store_n(&pack->carved, (uint16_t)(pack->carved + count), __ATOMIC_RELAXED);
    pack->used = (uint16_t)(pack->used + count);
    count_carved(region, class, count);
    if (!pack_has_rest(pack))
        region->rest_count--;
    return first;
}

/* Takes up to LIMIT blocks out of PACK as a chain. */
static void *pack_take(struct mem_region *region, struct size_class *class, struct span *pack,
                       size_t limit, size_t *ret_count)
{
    size_t have = (size_t)(pack->carved - pack->used);
    void *chain = pack->free;

    if (have == 0) {
        size_t count = MEM_PAGE / class->bytes, rest = (size_t)(pack->capacity - pack->carved);
        count = count < 1 ? 1 : count;
        count = count < limit ? count : limit;
        *ret_count = count < rest ? count : rest;
        return pack_carve(region, class, pack, *ret_count);
    }
    if (have <= limit) {
        pack->free = NULL;
        *ret_count = have;
    } else {
        void *last = chain;
        for (size_t i = 1; i < limit; i++)
            last = chain_next(last);
        pack->free = chain_next(last);
        chain_set(last, NULL);
        *ret_count = limit;
    }
    pack->used = (uint16_t)(pack->used + *ret_count);
    return chain;
}

/* A pack of CLASS that has a block left, or NULL. */
static struct span *pack_with_room(struct mem_region *region, struct size_class *class)
{
    return class->avail ? class->avail : pack_new(region, class);
}

/* Makes HEAD of CLASS, which is empty, a chain of COUNT blocks but the first, and returns that. */
static void *class_set_head(struct size_class *class, void *chain, size_t count)
{
    class->head = chain_next(chain);
    class->room = class->limit - (uint32_t)(count - 1);
    return chain;
}

static void *class_refill(struct mem_region *region, struct size_class *class)
{
    void *block;
    size_t count = 0;

    class_ready(region, class);
    if (MEM_UNLIKELY(remote_take(region)) && class->head) {
        block = class->head;
        class->head = chain_next(block);
        class->room++;
        return block;
    }
    if (class->older) {
        block = class_set_head(class, class->older, class->older_count);
        class->older = NULL;
        class->older_count = 0;
        return block;
    }
    if (class->mixed_free) {
        block = class->mixed_free;
        class->mixed_free = chain_next(block);
        return block;
    }
    block = mixed_carve(region, class);
    if (block)
        return block;
    struct span *pack = pack_with_room(region, class);
    if (!pack)
        return NULL;
    class->limit = class_chain_limit(class->bytes);
    region->shrinking = false;
    void *chain = pack_take(region, class, pack, class->limit, &count);
    if (pack_is_full(pack))
        avail_unlink(class, pack);
    return class_set_head(class, chain, count);
}

void *pack_refill(struct mem_region *region, struct size_class *class)
{
    void *block = class_refill(region, class);

    if (block)
        region_count_alloc(region, class->bytes);
    else
        errno = ENOMEM;
    return block;
}

void *pack_take_aligned(struct mem_region *region, struct size_class *class)
{
    size_t count;

    class_ready(region, class);
    struct span *pack = pack_with_room(region, class);
    if (!pack)
        return NULL;
    void *block = pack_take(region, class, pack, 1, &count);
    if (pack_is_full(pack))
        avail_unlink(class, pack);
    return block;
}

static void pack_give(struct mem_region *region, struct size_class *class, struct span *pack,
                      void *block)
{
    if (pack_is_full(pack))
        avail_link(class, pack);
    chain_set(block, pack->free);
    pack->free = block;
    pack->used--;
    if (pack->used == 0 && (class->avail != pack || pack->next))
        pack_drop(region, class, pack);
}

/* Sends the blocks of a chain home. */
static void chain_drain(struct mem_region *region, struct size_class *class, void *chain)
{
    for (void *block = chain; block;) {
        void *next = chain_next(block);
        struct span *span = map_find(block);
        if (span && span->kind == SPAN_PACK) {
            MEM_ASSERT(span->region == region && span->block_bytes == class->bytes);
            pack_give(region, class, span, block);
        } else {
            chain_set(block, class->mixed_free);
            class->mixed_free = block;
        }
        block = next;
    }
}

/* Most of REGION's blocks are free, and the last ones of each class, waiting in its chains, keep
 * whole packs from going: until blocks are asked for again, chains stay as short as can be. */
static void pack_shrink(struct mem_region *region)
{
    region->shrinking = true;
    pack_drain(region);
    for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++)
        if (region->classes[i].bytes)
            region->classes[i].limit = region->classes[i].room = 1;
}

void pack_flush(struct mem_region *region, struct size_class *class)
{
    if (!region->shrinking && region->carved_bytes >= MEM_SHRINK_MIN &&
        region->busy_bytes - region->large_bytes <= region->carved_bytes / 16) {
        struct size_class full = *class; /* with one block more than its limit */
        class->head = class->older = NULL;
        class->older_count = 0;
        class->room = class->limit;
        chain_drain(region, class, full.head);
        chain_drain(region, class, full.older);
        pack_shrink(region);
        return;
    }
    void *chain = class->older;
    uint32_t limit = class->limit;

    class->older = class->head;
    class->older_count = limit + 1;
    class->head = NULL;
    class->room = limit;
    chain_drain(region, class, chain);
}

void pack_drain(struct mem_region *region)
{
    for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++) {
        struct size_class *class = &region->classes[i];
        if (!class->bytes)
            continue;
        void *head = class->head, *older = class->older;
        class->head = class->older = NULL;
        class->older_count = 0;
        class->room = class->limit;
        chain_drain(region, class, head);
        chain_drain(region, class, older);
    }
}
