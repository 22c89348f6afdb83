/*
 * malloc.c: the `malloc` region and, where MEM_FRONT is set, the C library's allocation calls on
 * it.
 *
 * The region is static: its first use, perhaps by the dynamic linker before main, reads the options
 * and needs nothing that could allocate. It also lends the slices in which small regions begin, and
 * is never closed or cleared. The front takes the library's lock only in a process that has
 * threads. A block of another region may be freed or resized through the front; it stays in its
 * region.
 */
#include "libmem/internal.h"

static _Alignas(64) union {
    struct mem_region region;
    char room[sizeof(struct mem_region) + MEM_CLASSES * sizeof(struct size_class)];
} storage;

struct mem_region *mem_region_malloc(void)
{
    struct mem_region *region = &storage.region;

    if (MEM_UNLIKELY(!region->open)) {
        mem_lock();
        if (!region->open) {
            mem_settings_init();
            region_init(region, "malloc", MEM_BEST, 0);
        }
        mem_unlock();
    }
    return region;
}

#if MEM_FRONT

#include <malloc.h>
#include <stdlib.h>

#define CALLER __builtin_return_address(0)

static void *front_alloc(size_t bytes, size_t align, bool zeroed, const void *caller)
{
    struct mem_region *region = mem_region_malloc();

    mem_lock();
    void *block = region_alloc(region, bytes, align, zeroed, caller);
    mem_unlock();
    return block;
}

void *malloc(size_t bytes)
{
    struct mem_region *region = &storage.region;

    if (MEM_LIKELY(bytes - 1 < region->small_limit && !glue_threaded())) {
        void *block = class_take(region, class_small(region, bytes));
        if (MEM_UNLIKELY(!block))
            errno = ENOMEM;
        return block;
    }
    return front_alloc(bytes, MEM_ALIGN, false, CALLER);
}

void free(void *block)
{
    if (MEM_LIKELY(!glue_threaded() && block_give(block)))
        return;
    int saved = errno;
    mem_lock();
    if (block && (glue_threaded() ? !block_give(block) : true))
        region_free(block, CALLER);
    mem_unlock();
    errno = saved;
}

void *calloc(size_t count, size_t bytes)
{
    size_t all;

    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return front_alloc(all, MEM_ALIGN, true, CALLER);
}

void *realloc(void *block, size_t bytes)
{
    if (!block)
        return front_alloc(bytes, MEM_ALIGN, false, CALLER);
    if (!bytes) {
        free(block);
        return NULL;
    }
    mem_lock();
    struct mem_region *region = mem_region_of(block);
    void *moved = NULL;
    if (region) {
        moved = region_resize(region, block, bytes, true, CALLER);
    } else {
        stats_say_free_error(block, "cannot resize: outside region");
    }
    mem_unlock();
    if (!moved)
        errno = ENOMEM;
    return moved;
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
    size_t all;

    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, all);
}

int posix_memalign(void **ret_block, size_t align, size_t bytes)
{
    if (align < sizeof(void *) || (align & (align - 1)))
        return EINVAL;
    int saved = errno;
    void *block = front_alloc(bytes, align, false, CALLER);
    errno = saved;
    if (!block)
        return ENOMEM;
    *ret_block = block;
    return 0;
}

void *memalign(size_t align, size_t bytes)
{
    size_t power = MEM_ALIGN;

    while (power < align && power <= SIZE_MAX / 2)
        power *= 2;
    return front_alloc(bytes, power, false, CALLER);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    if (!align || (align & (align - 1))) {
        errno = EINVAL;
        return NULL;
    }
    return front_alloc(bytes, align, false, CALLER);
}

void *valloc(size_t bytes)
{
    return front_alloc(bytes, glue_page_bytes(), false, CALLER);
}

void *pvalloc(size_t bytes)
{
    size_t page = glue_page_bytes();

    if (bytes > SIZE_MAX - page) {
        errno = ENOMEM;
        return NULL;
    }
    return front_alloc(mem_round_up(bytes ? bytes : 1, page), page, false, CALLER);
}

size_t malloc_usable_size(void *block)
{
    return block ? mem_block_bytes(block) : 0;
}

#endif
