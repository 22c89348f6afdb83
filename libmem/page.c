/*
 * page.c: packs, spans cut into equal blocks, and the chains of free blocks in front of them.
 *
 * Each class keeps a chain of free blocks, `head`, which the fast paths pop and push. A free that
 * finds it full is marked in the bits of the block's pack: then nothing is handled twice, and what
 * is freed in bulk is not even touched. An empty head is refilled from one pack. A pack whose
 * blocks all came back gives up its pages at once, except the last pack with room of its class. A
 * full pack is in no list; its `low` makes the first free look at it. The first blocks of each
 * small class come from the region's mixed pack. Blocks of packs are cut in batches of at most a
 * page, so untouched pages stay untouched.
 */
#include "libmem/internal.h"

void pack_class_init(struct size_class *class, size_t bytes)
{
    *class = (struct size_class){ .bytes = (uint32_t)bytes,
                                  .limit = (int32_t)class_chain_limit(bytes),
                                  .room = (int32_t)class_chain_limit(bytes),
                                  .reciprocal = (uint32_t)(UINT32_MAX / bytes + 1) };
}

/* A class is made ready by its first request, so that unused ones are never touched. */
static void class_ready(const struct mem_region *region, struct size_class *class)
{
    if (MEM_UNLIKELY(!class->bytes))
        pack_class_init(class, mem_class_bytes((unsigned)(class - region->classes)));
}

static bool pack_has_rest(const struct span *pack)
{
    return (size_t)pack->carved * pack_bytes(pack) < (size_t)pack->pages << MEM_PAGE_SHIFT;
}

static bool pack_is_full(const struct span *pack)
{
    return pack->used == pack->capacity;
}

static uint16_t pack_low_of(const struct span *pack)
{
    return pack->capacity / MEM_SHRINK_PART;
}

static void avail_link(struct size_class *class, struct span *pack)
{
    pack->prev = NULL;
    pack->next = class->avail;
    if (pack->next)
        pack->next->prev = pack;
    class->avail = pack;
    pack->low = pack_low_of(pack);
}

static void avail_unlink(struct size_class *class, struct span *pack)
{
    if (pack->next)
        pack->next->prev = pack->prev;
    if (pack->prev)
        pack->prev->next = pack->next;
    else
        class->avail = pack->next;
    pack->low = MEM_PACK_FULL;
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

static bool pack_may_be_quick(const struct mem_region *region)
{
    return !region->debug && !region->hooks && region->heap != HEAP_SHARED;
}

/* ---- bits: records of whole cache lines, all 0 ---- */

enum { BITS_UNIT_WORDS = 8 };

static MEM_WARM uint64_t *bits_spare[MEM_PACK_BLOCKS_MAX / 64 / BITS_UNIT_WORDS] = { NULL };

static uint64_t **bits_spare_of(size_t capacity)
{
    return &bits_spare[(capacity - 1) / (64u * BITS_UNIT_WORDS)];
}

uint64_t *pack_bits_new(size_t capacity)
{
    uint64_t **spare = bits_spare_of(capacity), *bits = *spare;

    if (!bits)
        return meta_alloc(mem_round_up((capacity + 7) / 8, sizeof *bits * BITS_UNIT_WORDS));
    memcpy(spare, bits, sizeof *spare);
    bits[0] = 0;
    return bits;
}

/* BITS is all 0 but for its first word, perhaps. */
static void bits_drop(uint64_t *bits, size_t capacity)
{
    uint64_t **spare = bits_spare_of(capacity);

    memcpy(bits, spare, sizeof *spare);
    *spare = bits;
}

static size_t bits_bytes(size_t capacity)
{
    return (capacity + 63) / 64 * sizeof(uint64_t);
}

/* Where they lie in PACK itself, they go with it. */
static void pack_bits_drop(struct span *pack, uint64_t *bits)
{
    if (map_get(bits) == pack)
        return;
    memset(bits, 0, bits_bytes(pack->capacity));
    bits_drop(bits, pack->capacity);
}

void pack_bits_move(struct span *pack, uint64_t *to)
{
    uint64_t *from = pack->bits;

    memcpy(to, from, bits_bytes(pack->capacity));
    pack->bits = to;
    if (!pack->sited)
        pack_bits_drop(pack, from);
}

void pack_forget(struct span *pack)
{
    if (MEM_UNLIKELY(pack->sited))
        site_pack_ends(pack);
    else
        pack_bits_drop(pack, pack->bits);
    if (map_entry(pack->base) >> MEM_TAG_SHIFT)
        map_tag(pack, false);
}

/* Makes SPAN a pack of CLASS with bits for its blocks; these lie at its end when there is no other
 * memory to be had. False: there is no room. */
static bool pack_init(struct span *span, const struct size_class *class)
{
    size_t bytes = (size_t)span->pages << MEM_PAGE_SHIFT;
    size_t most = (MEM_PACK_PAGES << MEM_PAGE_SHIFT) / class->bytes; /* for pack_index */
    size_t capacity = bytes / class->bytes;

    /* The span may be bigger than was asked for. */
    most = most ? most : 1;
    capacity = capacity < most ? capacity : most;
    span->bits = pack_bits_new(capacity);
    if (!span->bits) {
        size_t room = bits_bytes(capacity);
        if ((bytes - room) / class->bytes < capacity)
            capacity = (bytes - room) / class->bytes;
        span->bits = memset(span_end(span) - room, 0, room);
    }
    span->kind = SPAN_PACK;
    span->class_index = (uint8_t)(class - span->region->classes);
    span->capacity = (uint16_t)capacity;
    span->used = span->carved = 0;
    span->sited = false;
    return capacity > 0;
}

/* ---- packs ---- */

static struct span *pack_new(struct mem_region *region, struct size_class *class)
{
    size_t dirty;

    mem_lock();
    struct span *pack = large_take(region, pack_pages(class), 1, &dirty);
    if (pack && !pack_init(pack, class)) {
        large_put(pack);
        pack = NULL;
    }
    if (pack && pack_may_be_quick(region)) /* under the lock: an option may be changing it */
        map_tag(pack, true);
    mem_unlock();
    if (!pack)
        return NULL;
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
    pack_forget(pack);
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
    if (mixed && pack_may_be_quick(region))
        map_tag(span, true);
    mem_unlock();
    if (!mixed)
        return NULL;
    mixed->span = span;
    region->mixed = mixed;
    region->pack_count++;
    region->rest_count++;
    return mixed;
}

void mixed_clear(struct mixed_pack *mixed)
{
    uint32_t *words = mixed->words;

    memset(mixed, 0, sizeof *mixed);
    mixed->words = words;
    if (words)
        memset(words, 0, MEM_MIXED_UNITS * sizeof *words);
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

/* Takes up to LIMIT of the blocks that are marked in PACK as a chain; there are some. */
static void *pack_unmark(const struct size_class *class, struct span *pack, size_t limit,
                         size_t *ret_count)
{
    void *chain, **link = &chain;
    size_t count = 0, have = (size_t)(pack->carved - pack->used);

    limit = have < limit ? have : limit;
    for (size_t word = 0; count < limit; word++) {
        uint64_t bits = pack->bits[word];
        for (; bits && count < limit; bits &= bits - 1, count++) {
            size_t index = word * 64 + (size_t)__builtin_ctzll(bits);
            void *block = pack->base + index * class->bytes;
            MEM_OPEN(block, sizeof block);
            *link = block;
            link = block;
        }
        pack->bits[word] = bits;
    }
    *link = NULL;
    pack->used = (uint16_t)(pack->used + count);
    *ret_count = count;
    if (MEM_UNLIKELY(pack->sited))
        site_pack_taken(pack);
    return chain;
}

/* Takes up to LIMIT blocks out of PACK as a chain: freed ones or, where there are none, new ones.
 */
static void *pack_take(struct mem_region *region, struct size_class *class, struct span *pack,
                       size_t limit, size_t *ret_count)
{
    if (pack->used < pack->carved)
        return pack_unmark(class, pack, limit, ret_count);
    size_t count = MEM_PAGE / class->bytes, rest = (size_t)(pack->capacity - pack->carved);
    count = count < 1 ? 1 : count;
    count = count < limit ? count : limit;
    *ret_count = count < rest ? count : rest;
    return pack_carve(region, class, pack, *ret_count);
}

/* A pack of CLASS that has a block left, or NULL. */
static struct span *pack_with_room(struct mem_region *region, struct size_class *class)
{
    struct span *pack = class->avail ? class->avail : pack_new(region, class);

    if (sites_followed(region) && pack)
        site_pack_opens(pack);
    return pack;
}

/* Makes HEAD of CLASS, which is empty, a chain of COUNT blocks but the first, and returns that. */
static void *class_set_head(struct size_class *class, void *chain, size_t count)
{
    class->head = chain_next(chain);
    class->room = class->limit - (int32_t)(count - 1);
    class->fill = 0;
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
    if (class->mixed_free && !class->avail) {
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
    class->limit = (int32_t)class_chain_limit(class->bytes);
    region->shrinking = false;
    void *chain = pack_take(region, class, pack, (size_t) class->limit, &count);
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

/* A free BLOCK of CLASS goes home; false: it is there. */
static bool block_home(struct size_class *class, void *block)
{
    struct span *span = map_find(block);

    if (!span || span->kind != SPAN_PACK) {
        chain_set(block, class->mixed_free);
        class->mixed_free = block;
        return true;
    }
    MEM_ASSERT(pack_bytes(span) == class->bytes);
    size_t index = pack_index(span, class, block);
    if (!pack_mark_index(span, index))
        return false;
    if (MEM_UNLIKELY(span->sited))
        site_block_home(span, index);
    MEM_SHUT(block, class->bytes);
    if (span->used <= span->low)
        pack_low(span);
    return true;
}

void pack_spill(struct mem_region *region, struct size_class *class, void *block)
{
    MEM_POISON(block, class->bytes);
    region_count_free(region, class->bytes);
    if (block_home(class, block))
        return;
    region->freed_count--;
    region->busy_bytes += class->bytes;
    stats_say_free_error(block, "not currently allocated");
}

/* Sends the blocks of a chain of CLASS home. */
static void chain_drain(struct size_class *class, void *chain)
{
    for (void *block = chain, *next; block; block = next) {
        next = chain_next(block);
        (void)block_home(class, block);
    }
}

void pack_drain(struct mem_region *region)
{
    if (sites_followed(region))
        site_runs_end();
    for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++) {
        struct size_class *class = &region->classes[i];
        if (!class->bytes)
            continue;
        void *head = class->head;
        class->head = NULL;
        class->room = class->limit;
        chain_drain(class, head);
    }
}

/* Most of REGION's blocks are free, and the last ones of each class, waiting in its chain, keep
 * whole packs from going: until blocks are asked for again, chains stay as short as can be. */
void pack_shrink(struct mem_region *region)
{
    region->shrinking = true;
    pack_drain(region);
    for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++) {
        struct size_class *class = &region->classes[i];
        if (!class->bytes)
            continue;
        class->limit = class->room = 1;
        for (struct span *pack = class->avail, *next; pack; pack = next) {
            next = pack->next;
            if (pack->used == 0)
                pack_drop(region, class, pack);
        }
    }
}

void pack_low(struct span *pack)
{
    struct mem_region *region = pack->region;
    struct size_class *class = &region->classes[pack->class_index];

    if (MEM_UNLIKELY(pack->sited))
        site_pack_low(pack);
    if (pack->low == MEM_PACK_FULL)
        avail_link(class, pack);
    else if (pack->low == MEM_PACK_WATCHED)
        pack->low = pack_low_of(pack);
    if (pack->used == 0 && (class->avail != pack || pack->next || region->shrinking)) {
        pack_drop(region, class, pack);
    } else if (pack->used <= pack->low && !region->shrinking &&
               region->carved_bytes >= MEM_SHRINK_MIN &&
               region->busy_bytes - region->large_bytes <= region->carved_bytes / MEM_SHRINK_PART) {
        pack_shrink(region);
    }
}
