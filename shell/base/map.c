/*
 * Hash map from byte strings to pointers: open addressing with linear probing in a power-of-two
 * table.
 *
 * Owns the table only; keys and values belong to the user. Invariants: CAP is 0 or a power of two;
 * at most three quarters of the slots are used; the slots from a key's home to the key itself are
 * all used. A removal shifts the followers back instead of leaving a tombstone, so that a table
 * that sees many additions and removals stays as fast as a fresh one.
 */
#include "shell/base/map.h"

#include <string.h>

#include "shell/base/str.h"

enum { MAP_FIRST_COUNT = 8 };

void map_init(struct map *m, struct mem_region *region)
{
    *m = (struct map){ .region = region };
}

void map_release(struct map *m)
{
    if (m->slots)
        mem_free_sized(m->region, m->slots, m->cap * sizeof *m->slots);
    map_init(m, m->region);
}

/* The slot of KEY, or the empty one where it would go. The table must not be full. */
static struct map_slot *find_slot(const struct map *m, const char *key, size_t len, uint32_t hash)
{
    size_t mask = m->cap - 1;
    size_t i = hash & mask;
    for (;; i = (i + 1) & mask) {
        struct map_slot *slot = &m->slots[i];
        if (!slot->key)
            return slot;
        if (slot->hash == hash && text_eq(slot->key, slot->len, key, len))
            return slot;
    }
}

void *map_get(const struct map *m, const char *key, size_t len)
{
    if (m->count == 0)
        return NULL;
    const struct map_slot *slot = find_slot(m, key, len, text_hash(key, len));
    return slot->key ? slot->value : NULL;
}

/* Moves everything to a table of CAP slots; false when out of memory. */
static bool resize_table(struct map *m, size_t cap)
{
    struct map_slot *slots = mem_alloc_zeroed(m->region, cap * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->slots[i].key)
            continue;
        size_t to = m->slots[i].hash & (cap - 1);
        while (slots[to].key)
            to = (to + 1) & (cap - 1);
        slots[to] = m->slots[i];
    }
    if (m->slots)
        mem_free_sized(m->region, m->slots, m->cap * sizeof *m->slots);
    m->slots = slots;
    m->cap = cap;
    return true;
}

bool map_put(struct map *m, const char *key, size_t len, void *value)
{
    if (len > UINT32_MAX)
        return false;
    uint32_t hash = text_hash(key, len);
    struct map_slot *slot = m->cap ? find_slot(m, key, len, hash) : NULL;
    if (slot && slot->key) {
        slot->key = key; /* the old key may die with the old value */
        slot->value = value;
        return true;
    }
    if ((m->count + 1) * 4 > m->cap * 3) {
        if (!resize_table(m, m->cap ? m->cap * 2 : MAP_FIRST_COUNT))
            return false;
        slot = find_slot(m, key, len, hash);
    }
    *slot = (struct map_slot){ .key = key, .value = value, .len = (uint32_t)len, .hash = hash };
    m->count++;
    return true;
}

void *map_remove(struct map *m, const char *key, size_t len)
{
    if (m->count == 0)
        return NULL;
    struct map_slot *slot = find_slot(m, key, len, text_hash(key, len));
    if (!slot->key)
        return NULL;
    void *value = slot->value;
    size_t mask = m->cap - 1;
    size_t hole = (size_t)(slot - m->slots);
    for (size_t i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
        size_t home = m->slots[i].hash & mask;
        /* The entry may move back to the hole unless its home lies behind the hole. */
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole] = (struct map_slot){ 0 };
    m->count--;
    return value;
}

struct map_slot *map_next(const struct map *m, size_t *cursor)
{
    while (*cursor < m->cap) {
        struct map_slot *slot = &m->slots[(*cursor)++];
        if (slot->key)
            return slot;
    }
    return NULL;
}

/* What is sorted: most comparisons are decided by HEAD, the first bytes of the key as a number, and
 * need not touch the key. */
struct sort_item {
    uint64_t head;
    struct map_slot *slot;
};

static uint64_t key_head(const struct map_slot *slot)
{
    uint64_t head = 0;
    memcpy(&head, slot->key, slot->len < sizeof head ? slot->len : sizeof head);
    return __builtin_bswap64(head);
}

static bool item_after(const struct sort_item *a, const struct sort_item *b)
{
    if (a->head != b->head)
        return a->head > b->head;
    return text_compare(a->slot->key, a->slot->len, b->slot->key, b->slot->len) > 0;
}

/* Merges FROM[LO,MID) and FROM[MID,HI), both sorted, into TO. */
static void merge_runs(const struct sort_item *from, struct sort_item *to, size_t lo, size_t mid,
                       size_t hi)
{
    size_t a = lo, b = mid;
    for (size_t out = lo; out < hi; out++) {
        if (a < mid && (b >= hi || !item_after(&from[a], &from[b])))
            to[out] = from[a++];
        else
            to[out] = from[b++];
    }
}

/* Sorts ITEMS with the help of SPARE (both COUNT long); returns the one that holds the result. */
static struct sort_item *sort_items(struct sort_item *items, struct sort_item *spare, size_t count)
{
    enum { RUN = 8 };
    for (size_t lo = 0; lo < count; lo += RUN) {
        size_t hi = lo + RUN < count ? lo + RUN : count;
        for (size_t i = lo + 1; i < hi; i++) {
            struct sort_item item = items[i];
            size_t j = i;
            for (; j > lo && item_after(&items[j - 1], &item); j--)
                items[j] = items[j - 1];
            items[j] = item;
        }
    }
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * width) {
            size_t mid = lo + width < count ? lo + width : count;
            size_t hi = lo + 2 * width < count ? lo + 2 * width : count;
            merge_runs(items, spare, lo, mid, hi);
        }
        struct sort_item *swap = items;
        items = spare;
        spare = swap;
    }
    return items;
}

struct map_slot **map_sorted(const struct map *m, struct mem_region *region, size_t *ret_count)
{
    if (m->count == 0) {
        *ret_count = 0;
        return NULL;
    }
    size_t bytes = 2 * m->count * sizeof(struct sort_item);
    struct map_slot **result = mem_alloc(region, m->count * sizeof(struct map_slot *));
    struct sort_item *items = result ? mem_alloc(region, bytes) : NULL;
    if (!items) {
        mem_free(result);
        return NULL;
    }
    size_t cursor = 0, n = 0;
    for (struct map_slot *slot; (slot = map_next(m, &cursor)); n++)
        items[n] = (struct sort_item){ .head = key_head(slot), .slot = slot };
    const struct sort_item *sorted = sort_items(items, items + m->count, m->count);
    for (size_t i = 0; i < n; i++)
        result[i] = sorted[i].slot;
    mem_free_sized(region, items, bytes);
    *ret_count = n;
    return result;
}
