/* Growable arrays of pointers; failure is sticky as in str.h. */
#ifndef SHELL_BASE_VEC_H
#define SHELL_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#include "libmem.h"

struct vec {
    void **items; /* ITEMS[COUNT] is NULL when ITEMS is not */
    size_t count, cap;
    struct mem_region *region;
    bool failed;
};

void vec_init(struct vec *v, struct mem_region *region);
void vec_release(struct vec *v); /* frees the array, not what the items point to */
void vec_clear(struct vec *v);
bool vec_reserve(struct vec *v, size_t extra);
void vec_push(struct vec *v, void *item);
static inline bool vec_ok(const struct vec *v)
{
    return !v->failed;
}

#endif
