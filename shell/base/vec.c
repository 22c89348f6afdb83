/*
 * Growable arrays of pointers, always NULL-terminated so that they can serve as argument lists.
 *
 * Owns the array, never what the items point to. Invariants: ITEMS is NULL (COUNT and CAP are 0) or
 * has CAP places with COUNT < CAP and ITEMS[COUNT] == NULL. A failed allocation changes nothing but
 * `failed`.
 */
#include "shell/base/vec.h"

#include <stdint.h>
#include <string.h>

enum { VEC_FIRST_COUNT = 8 };

void vec_init(struct vec *v, struct mem_region *region)
{
    *v = (struct vec){ .region = region };
}

void vec_release(struct vec *v)
{
    if (v->items)
        mem_free_sized(v->region, v->items, v->cap * sizeof *v->items);
    vec_init(v, v->region);
}

void vec_clear(struct vec *v)
{
    v->count = 0;
    v->failed = false;
    if (v->items)
        v->items[0] = NULL;
}

bool vec_reserve(struct vec *v, size_t extra)
{
    size_t need = v->count + extra + 1;
    if (need <= v->count || need > SIZE_MAX / (2 * sizeof *v->items)) {
        v->failed = true;
        return false;
    }
    if (need <= v->cap)
        return true;
    size_t cap = v->cap ? v->cap * 2 : VEC_FIRST_COUNT;
    if (cap < need)
        cap = need;
    void **items = mem_resize(v->region, v->items, cap * sizeof *items);
    if (!items) {
        v->failed = true;
        return false;
    }
    if (!v->items)
        items[0] = NULL;
    v->items = items;
    v->cap = cap;
    return true;
}

void vec_push(struct vec *v, void *item)
{
    if (v->count + 1 >= v->cap && !vec_reserve(v, 1))
        return;
    v->items[v->count++] = item;
    v->items[v->count] = NULL;
}
