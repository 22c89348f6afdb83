/*
 * pool.c: the method `pool`: blocks of one size, set when the region is opened or by the first
 * request.
 *
 * One size class and its packs (page.c); smaller requests get a whole block, larger ones fail with
 * EINVAL. An alignment is possible when the block size is a multiple of it.
 */
#include "libmem/internal.h"

void pool_set_bytes(struct mem_region *region, size_t bytes)
{
    pack_class_init(&region->classes[0], mem_round_up(bytes ? bytes : 1, MEM_ALIGN));
    region_limit_set(region);
}

void *pool_alloc(struct mem_region *region, size_t bytes, size_t align)
{
    struct size_class *class = region->classes;

    if (MEM_UNLIKELY(!class->bytes)) {
        if (bytes > UINT32_MAX / 2) {
            errno = ENOMEM;
            return NULL;
        }
        pool_set_bytes(region, bytes);
    }
    if (MEM_UNLIKELY(bytes > class->bytes ||
                     (align > MEM_ALIGN && (MEM_PAGE % align || class->bytes % align)))) {
        errno = EINVAL;
        return NULL;
    }
    return class_take(region, class);
}
