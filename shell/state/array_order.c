/*
 * The order of a hashed array: its elements sorted by key in byte order, a shorter key before its
 * extensions.
 *
 * Sorting works on items of 16 bytes: the next 8 bytes of the key as a big-endian number beside the
 * element's address, so that almost no comparison touches a key. Large ranges are split by one byte
 * at a time in place (an American flag sort), small ones by quicksort on the number; only runs of
 * equal numbers go on with the next 8 bytes of their keys. The items become the list of addresses
 * in place, so the whole costs 16 bytes an element while it runs and 8 after.
 */
#include "shell/state/array.h"

#include "shell/base/kind.h"
#include "shell/base/str.h"

enum {
    HEAD_BYTES = 8,
    INSERTION_MAX = 20,
    QUICK_MAX = 400,
    PREFETCH_AHEAD = 12,
};

struct item {
    uint64_t head; /* bytes DEPTH.. of the key, zero-padded */
    struct element *element;
};

static uint64_t key_head(const struct element *element, size_t depth)
{
    uint64_t head = 0;
    size_t left = element->key_len > depth ? element->key_len - depth : 0;
    if (left >= HEAD_BYTES)
        memcpy(&head, element->key + depth, HEAD_BYTES);
    else
        memcpy(&head, element->key + depth, left);
    return __builtin_bswap64(head);
}

static void swap_items(struct item *a, struct item *b)
{
    struct item t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(struct item *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct item item = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1].head > item.head; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b) {
        uint64_t t = a;
        a = b;
        b = t;
    }
    return c < a ? a : c > b ? b : c;
}

/* Sorts at most QUICK_MAX items by HEAD: the square of that is the worst that can happen. */
static void quick_sort(struct item *items, size_t count)
{
    while (count > INSERTION_MAX) {
        uint64_t pivot = median(items[0].head, items[count / 2].head, items[count - 1].head);
        size_t i = 0, j = count - 1;
        for (;;) {
            while (items[i].head < pivot)
                i++;
            while (items[j].head > pivot)
                j--;
            if (i >= j)
                break;
            swap_items(&items[i++], &items[j--]);
        }
        size_t left = j + 1;
        if (left < count - left) {
            quick_sort(items, left);
            items += left;
            count -= left;
        } else {
            quick_sort(items + left, count - left);
            count = left;
        }
    }
    insertion_sort(items, count);
}

/* Sorts by the bytes of HEAD from SHIFT down. */
static void radix_sort(struct item *items, size_t count, int shift)
{
    if (count <= QUICK_MAX) {
        quick_sort(items, count);
        return;
    }
    size_t start[257] = { 0 }, next[256];
    for (size_t i = 0; i < count; i++)
        start[(items[i].head >> shift & 0xff) + 1]++;
    for (size_t b = 0; b < 256; b++) {
        start[b + 1] += start[b];
        next[b] = start[b];
    }
    for (size_t b = 0; b < 256; b++) {
        while (next[b] < start[b + 1]) {
            struct item item = items[next[b]];
            size_t to = item.head >> shift & 0xff;
            while (to != b) {
                struct item other = items[next[to]];
                items[next[to]++] = item;
                item = other;
                to = item.head >> shift & 0xff;
            }
            items[next[b]++] = item;
        }
    }
    if (shift == 0)
        return;
    for (size_t b = 0; b < 256; b++)
        if (start[b + 1] - start[b] > 1)
            radix_sort(items + start[b], start[b + 1] - start[b], shift - 8);
}

/* A run of few items that agree in their first DEPTH bytes: compared directly. */
static void sort_few(struct item *items, size_t count, size_t depth)
{
    for (size_t i = 1; i < count; i++) {
        struct item item = items[i];
        const char *key = item.element->key + depth;
        size_t len = item.element->key_len - depth, j = i;
        for (; j > 0; j--) {
            const struct element *before = items[j - 1].element;
            if (text_compare(before->key + depth, before->key_len - depth, key, len) <= 0)
                break;
            items[j] = items[j - 1];
        }
        items[j] = item;
    }
}

/* Sorts items that agree in their first DEPTH bytes and have HEADs loaded from there. */
static void sort_items(struct item *items, size_t count, size_t depth)
{
    radix_sort(items, count, 56);
    size_t deeper = depth + HEAD_BYTES;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && items[end].head == items[i].head;)
            end++;
        if (end - i < 2)
            continue;
        /* Keys that end within these bytes differ at most in trailing NULs: they come first. */
        size_t first = i;
        for (size_t k = i; k < end; k++)
            if (items[k].element->key_len <= deeper)
                swap_items(&items[first++], &items[k]);
        sort_few(items + i, first - i, depth);
        if (end - first <= INSERTION_MAX) {
            sort_few(items + first, end - first, deeper);
            continue;
        }
        for (size_t k = first; k < end; k++) {
            if (k + PREFETCH_AHEAD < end)
                __builtin_prefetch(items[k + PREFETCH_AHEAD].element);
            items[k].head = key_head(items[k].element, deeper);
        }
        sort_items(items + first, end - first, deeper);
    }
}

bool array_sort(struct array *a)
{
    if (a->order_valid || a->used == 0)
        return true;
    struct item *items = mem_alloc_kind(a->heap, a->used * sizeof *items, KIND_ARRAY);
    if (!items)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < a->slot_cap; i++) {
        if (i + PREFETCH_AHEAD < a->slot_cap)
            __builtin_prefetch(a->slots[i + PREFETCH_AHEAD]);
        if (!a->hashes[i])
            continue;
        struct element *element = a->slots[i];
        items[count].head = key_head(element, 0);
        items[count++].element = element;
    }
    sort_items(items, count, 0);
    struct element **order = (struct element **)(void *)items;
    for (size_t i = 0; i < count; i++)
        order[i] = items[i].element;
    void *smaller = mem_resize(a->heap, items, count * sizeof *order);
    a->order = smaller ? smaller : (void *)items;
    a->order_valid = true;
    return true;
}

static bool element_before(const struct element *a, const struct element *b)
{
    size_t both = a->key_len < b->key_len ? a->key_len : b->key_len;
    int order = memcmp(a->key, b->key, both);
    return order ? order < 0 : a->key_len < b->key_len;
}

struct element *array_next_unsorted(struct array *a, size_t *position)
{
    if (*position && !(*position & ARRAY_SLOT))
        return NULL;
    const struct element *last = *position ? a->slots[*position & ~ARRAY_SLOT] : NULL;
    struct element *best = NULL;
    for (size_t i = 0; i < a->slot_cap; i++) {
        struct element *element = a->slots[i];
        if (!a->hashes[i] || !value_is_set(&element->value) ||
            (last && !element_before(last, element)) || (best && element_before(best, element)))
            continue;
        best = element;
        *position = i | ARRAY_SLOT;
    }
    return best;
}
