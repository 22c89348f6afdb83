/*
 * best.c: the method `best`: blocks of any size, freed in any order.
 *
 * Up to MEM_CLASS_MAX a block comes from its class, above from whole pages. A block of up to
 * MEM_CLASS_MAX bytes always is of the class of the size it was last asked to have, so that
 * mem_free_sized need not look it up; only the malloc front, which never passes sizes, lets a
 * shrunk block stay where it is (KEEP).
 */
#include "libmem/internal.h"

static void *best_class_alloc(struct mem_region *region, size_t bytes)
{
    return class_take(region, &region->classes[mem_class_of(bytes ? bytes : 1)]);
}

void *best_alloc(struct mem_region *region, size_t bytes, bool zeroed)
{
    void *block;

    if (bytes > MEM_CLASS_MAX)
        return large_alloc(region, bytes, MEM_ALIGN, zeroed);
    block = best_class_alloc(region, bytes);
    if (block && zeroed)
        memset(block, 0, bytes);
    return block;
}

void *best_align(struct mem_region *region, size_t bytes, size_t align)
{
    if (align <= MEM_ALIGN)
        return best_alloc(region, bytes, false);
    if (bytes <= MEM_CLASS_MAX && align <= MEM_PAGE && MEM_PAGE % align == 0) {
        /* Blocks of a pack lie at multiples of their size, packs at multiples of a page. */
        size_t rounded = mem_round_up(bytes ? bytes : 1, align);
        unsigned index = rounded <= MEM_CLASS_MAX ? mem_class_of(rounded) : MEM_CLASSES;
        while (index < MEM_CLASSES && mem_class_bytes(index) % align)
            index++;
        if (index < MEM_CLASSES) {
            void *block = pack_take_aligned(region, &region->classes[index]);
            if (block) {
                MEM_OPEN(block, mem_class_bytes(index));
                region_count_alloc(region, mem_class_bytes(index));
            }
            return block;
        }
    }
    return large_alloc(region, bytes > MEM_CLASS_MAX ? bytes : MEM_CLASS_MAX + 1, align, false);
}

/* Moves BLOCK of OLD_BYTES to a new block of BYTES; counts as no call of alloc or free. */
static void *best_move(struct mem_region *region, void *block, size_t old_bytes, size_t bytes,
                       size_t want_bytes)
{
    void *moved = best_alloc(region, want_bytes, false);

    if (!moved && want_bytes > bytes)
        moved = best_alloc(region, bytes, false);
    if (!moved)
        return NULL;
    if (old_bytes < MEM_SOLO_MIN || !large_copy(map_get(block), moved, bytes))
        memcpy(moved, block, old_bytes < bytes ? old_bytes : bytes);
    plain_free(block);
    region->alloc_count--;
    region->freed_count--;
    return moved;
}

bool best_resize_in_place(struct span *span, void *block, size_t bytes)
{
    if (span->kind == SPAN_LARGE)
        return bytes > MEM_CLASS_MAX && large_resize(span, bytes, true);
    return bytes <= MEM_CLASS_MAX &&
           mem_class_bytes(mem_class_of(bytes ? bytes : 1)) == block_bytes(span, block);
}

void *best_resize(struct mem_region *region, void *block, size_t bytes, bool keep)
{
    struct span *span = map_find(block);

    /* What needs no change, without a division: most calls of an append loop. */
    if (MEM_LIKELY(span && span->region == region)) {
        if (span->kind == SPAN_PACK && bytes - 1 < MEM_CLASS_MAX &&
            mem_class_of(bytes) == span->class_index)
            return block;
        if (span->kind == SPAN_LARGE && block == span->base && large_fits(span, bytes))
            return block;
    }
    size_t old = span ? block_bytes(span, block) : 0;
    if (!old || span->region != region) {
        stats_say_free_error(block, "cannot resize: not a block of this region");
        errno = EINVAL;
        return NULL;
    }
    if (keep && bytes <= old && bytes >= old / 2 && old <= MEM_CLASS_MAX)
        return block;
    if (span->kind != SPAN_LARGE) {
        if (best_resize_in_place(span, block, bytes))
            return block;
        return best_move(region, block, old, bytes, bytes);
    }
    if (bytes > MEM_CLASS_MAX) {
        if (large_resize(span, bytes, false))
            return block;
        void *moved = large_move(span, bytes);
        if (moved)
            return moved;
        size_t count = span->grown_count;
        moved = best_move(region, block, old, bytes, large_want_bytes(span, bytes));
        if (moved && (span = map_find(moved)) != NULL)
            span->grown_count = count + 1;
        return moved;
    }
    return best_move(region, block, old, bytes, bytes);
}
