/*
 * Arrays: dense vectors and hash tables of elements.
 *
 * The hash table is open addressing with linear probing. Beside the elements' addresses it keeps 32
 * bits of each one's hash in an array of their own, so that probing reads little memory and touches
 * an element only when it is almost surely the right one. Homes grow with the hash: the table is
 * nearly sorted by hash, any size will do, and it grows in place, passing over memory in order
 * without looking at any key. Removal shifts followers back; there are no tombstones in the table.
 *
 * Invariants: at most four fifths of the slots are used; COUNT is the number of set values; of an
 * indexed array exactly one of CELLS and SLOTS is there, or none; TOP is exact; buried elements
 * survive every change of form, so that the journal finds them again without allocating.
 */
#include "shell/state/array.h"

#include "shell/base/kind.h"
#include "shell/base/num.h"

enum {
    FIRST_CELLS = 8,
    FIRST_SLOTS = 8,
    DENSE_ALWAYS = 64, /* indices below this one never make an array sparse */
    SPARSE_RATIO = 4,  /* sparse when fewer than one in so many cells would be set */
    DENSE_RATIO = 2,   /* dense again when at least one in so many are */
    PREFETCH_AHEAD = 12,
    INDEX_KEY_BYTES = 8,
};

/* ---- hashing ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load8(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint64_t load_tail(const char *p, size_t len)
{
    uint64_t x = 0;
    memcpy(&x, p, len);
    return x;
}

/* Two bits of a hash are always set: one tells a used slot from an empty one (0), the other is
 * borrowed while the table grows. */
enum { HASH_SETTLED = 1, HASH_USED = 2 };

static uint32_t key_hash(const char *key, size_t len)
{
    const uint64_t k0 = 0x9E3779B97F4A7C15u, k1 = 0xD6E8FEB86659FD93u;
    uint64_t h = len * k0;
    const char *p = key;
    size_t rest = len;
    for (; rest > 16; rest -= 16, p += 16)
        h = mix(load8(p) ^ k0 ^ h, load8(p + 8) ^ k1);
    uint64_t a, b = 0;
    if (rest >= 8) {
        a = load8(p);
        b = load8(p + rest - 8);
    } else {
        a = load_tail(p, rest);
    }
    return (uint32_t)(mix(mix(a ^ k1 ^ h, b ^ k0), k1) >> 32) | HASH_SETTLED | HASH_USED;
}

static void index_key(int64_t index, char *ret)
{
    uint64_t big = __builtin_bswap64((uint64_t)index);
    memcpy(ret, &big, INDEX_KEY_BYTES);
}

static int64_t element_index(const struct element *element)
{
    return (int64_t)__builtin_bswap64(load8(element->key));
}

static size_t element_bytes(size_t key_len)
{
    return offsetof(struct element, key) + key_len + 1;
}

/* ---- life ---- */

struct array *array_new(struct mem_region *nodes, struct mem_region *heap, bool assoc)
{
    struct array *a = mem_alloc_zeroed_kind(nodes, sizeof *a, KIND_ARRAY);
    if (!a)
        return NULL;
    a->nodes = nodes;
    a->heap = heap;
    a->assoc = assoc;
    return a;
}

static void element_free(struct array *a, struct element *element)
{
    value_clear(&element->value);
    mem_free_sized(a->nodes, element, element_bytes(element->key_len));
}

static void drop_order(struct array *a)
{
    a->version++;
    a->order_valid = false;
    if (a->order) {
        mem_free(a->order);
        a->order = NULL;
    }
}

static void prefetch_slot(const struct array *a, size_t i)
{
    if (i < a->slot_cap)
        __builtin_prefetch(a->slots[i]);
}

static void free_slots(struct array *a)
{
    for (size_t i = 0; i < a->slot_cap; i++) {
        prefetch_slot(a, i + PREFETCH_AHEAD);
        if (a->hashes[i])
            element_free(a, a->slots[i]);
    }
    mem_free(a->slots);
    mem_free(a->hashes);
    a->slots = NULL;
    a->hashes = NULL;
    a->slot_cap = a->used = 0;
}

static void free_cells(struct array *a)
{
    for (size_t i = 0; i < a->cell_cap; i++)
        value_clear(&a->cells[i]);
    if (a->cells)
        mem_free_sized(a->heap, a->cells, a->cell_cap * sizeof *a->cells);
    a->cells = NULL;
    a->cell_cap = 0;
}

void array_clear(struct array *a, bool assoc)
{
    drop_order(a);
    free_slots(a);
    free_cells(a);
    a->assoc = assoc;
    a->limit = assoc ? 0 : a->limit;
    a->count = 0;
    a->top = a->span = 0;
}

static struct array_walk *walks; /* the innermost of those that are under way */

void array_free(struct array *a)
{
    if (!a)
        return;
    for (struct array_walk *walk = walks; walk; walk = walk->outer)
        if (walk->array == a)
            walk->array = NULL;
    array_clear(a, a->assoc);
    mem_free_sized(a->nodes, a, sizeof *a);
}

/* ---- hash table ---- */

/* The slot that a key of HASH is looked for first: the hash scaled to the size of the table. */
static size_t home(const struct array *a, uint32_t hash)
{
    return (size_t)(((uint64_t)hash * a->slot_cap) >> 32);
}

static size_t next_slot(const struct array *a, size_t i)
{
    return i + 1 < a->slot_cap ? i + 1 : 0;
}

/* How far slot I is behind slot FROM, around the end. */
static size_t distance(const struct array *a, size_t from, size_t i)
{
    return i >= from ? i - from : i + a->slot_cap - from;
}

/* Slot of KEY, or the empty one where it belongs. There must be an empty one. */
static size_t find_slot(const struct array *a, const char *key, size_t len, uint32_t hash)
{
    const uint32_t *hashes = a->hashes;
    size_t i = home(a, hash);
    /* What is to be found or written there: on its way while the hash is. */
    __builtin_prefetch(&a->slots[i], 1);
    for (;; i = next_slot(a, i)) {
        if (hashes[i] == 0)
            return i;
        if (hashes[i] != hash)
            continue;
        const struct element *element = a->slots[i];
        if (element->key_len == len && memcmp(element->key, key, len) == 0)
            return i;
    }
}

struct element *array_find_key(const struct array *a, const char *key, size_t len)
{
    if (a->used == 0)
        return NULL;
    size_t i = find_slot(a, key, len, key_hash(key, len));
    return a->hashes[i] ? a->slots[i] : NULL;
}

/* Puts an element of HASH, not settled yet, where it belongs now. One that is not settled either
 * and is in the way goes on to its own place. */
static void settle(struct array *a, struct element *element, uint32_t hash)
{
    for (;;) {
        hash |= HASH_SETTLED;
        size_t i = home(a, hash);
        while (a->hashes[i] & HASH_SETTLED)
            i = next_slot(a, i);
        uint32_t other_hash = a->hashes[i];
        struct element *other = a->slots[i];
        a->hashes[i] = hash;
        a->slots[i] = element;
        if (other_hash == 0)
            return;
        hash = other_hash;
        element = other;
    }
}

/* Grows the table to CAP slots, in place if the allocator can. From the end, so that almost every
 * element finds its new place, which lies further on, already empty. */
static bool resize_slots(struct array *a, size_t cap)
{
    size_t old_cap = a->slot_cap;
    struct element **slots = mem_resize_kind(a->heap, a->slots, cap * sizeof *slots, KIND_ARRAY);
    if (!slots)
        return false;
    a->slots = slots;
    uint32_t *hashes = mem_resize_kind(a->heap, a->hashes, cap * sizeof *hashes, KIND_ARRAY);
    if (!hashes) {
        if (old_cap == 0) {
            mem_free(slots);
            a->slots = NULL;
        }
        return false; /* SLOTS has room to spare, which does no harm */
    }
    memset(hashes + old_cap, 0, (cap - old_cap) * sizeof *hashes);
    for (size_t i = 0; i < old_cap; i++)
        hashes[i] &= ~(uint32_t)HASH_SETTLED;
    a->hashes = hashes;
    a->slot_cap = cap;
    for (size_t i = old_cap; i-- > 0;) {
        uint32_t hash = hashes[i];
        if (hash == 0 || (hash & HASH_SETTLED))
            continue;
        hashes[i] = 0;
        settle(a, slots[i], hash);
    }
    return true;
}

/* The element of KEY, made unset and not counted when missing. */
static struct element *put_element(struct array *a, const char *key, size_t len)
{
    if (len >= UINT32_MAX)
        return NULL;
    uint32_t hash = key_hash(key, len);
    size_t at = 0;
    if (a->slot_cap) {
        at = find_slot(a, key, len, hash);
        if (a->hashes[at])
            return a->slots[at];
    }
    struct element *element = mem_alloc_kind(a->nodes, element_bytes(len), KIND_ARRAY);
    if (!element)
        return NULL;
    if ((a->used + 1) * 5 > a->slot_cap * 4) {
        if (!resize_slots(a, a->slot_cap ? a->slot_cap + a->slot_cap / 2 : FIRST_SLOTS)) {
            mem_free_sized(a->nodes, element, element_bytes(len));
            return NULL;
        }
        at = find_slot(a, key, len, hash);
    }
    element->value.bits = 0;
    value_set_stamp(&element->value, 0);
    element->key_len = (uint32_t)len;
    memcpy(element->key, key, len);
    element->key[len] = '\0';
    a->slots[at] = element;
    a->hashes[at] = hash;
    a->used++;
    drop_order(a);
    return element;
}

struct element *array_put_key(struct array *a, const char *key, size_t len)
{
    struct element *element = put_element(a, key, len);
    if (element && !value_is_set(&element->value))
        a->count++;
    return element;
}

/* Takes ELEMENT out of the table, shifting back those that its slot had pushed on. */
static void unlink_element(struct array *a, const struct element *element)
{
    size_t hole =
        find_slot(a, element->key, element->key_len, key_hash(element->key, element->key_len));
    for (size_t i = next_slot(a, hole); a->hashes[i]; i = next_slot(a, i)) {
        if (distance(a, home(a, a->hashes[i]), i) >= distance(a, hole, i)) {
            a->slots[hole] = a->slots[i];
            a->hashes[hole] = a->hashes[i];
            hole = i;
        }
    }
    a->slots[hole] = NULL;
    a->hashes[hole] = 0;
    a->used--;
    drop_order(a);
}

/* ---- indexed arrays ---- */

static bool is_hashed(const struct array *a)
{
    return a->assoc || a->slots;
}

/* TOP after the highest element went away. */
static void find_top(struct array *a)
{
    if (a->cells) {
        while (a->top > 0 && !value_is_set(&a->cells[a->top - 1]))
            a->top--;
        return;
    }
    a->top = 0;
    for (size_t i = 0; i < a->slot_cap; i++) {
        if (!a->hashes[i] || !value_is_set(&a->slots[i]->value))
            continue;
        int64_t index = element_index(a->slots[i]);
        if (index >= a->top)
            a->top = index + 1;
    }
}

/* Grows the vector so that INDEX fits. New cells are unset with stamp 0. */
static bool grow_cells(struct array *a, size_t index)
{
    size_t cap = a->cell_cap ? a->cell_cap + a->cell_cap / 2 : FIRST_CELLS;
    if (cap <= index)
        cap = index + 1;
    struct value *cells = mem_resize_kind(a->heap, a->cells, cap * sizeof *cells, KIND_ARRAY);
    if (!cells)
        return false;
    memset(cells + a->cell_cap, 0, (cap - a->cell_cap) * sizeof *cells);
    a->cells = cells;
    a->cell_cap = cap;
    return true;
}

/* Dense to sparse. On failure nothing changed: what was made is taken down without touching the
 * values. */
static bool make_sparse(struct array *a)
{
    char key[INDEX_KEY_BYTES];
    size_t made = 0;
    for (; made < a->cell_cap; made++) {
        const struct value *cell = &a->cells[made];
        if (!value_is_set(cell) && value_stamp(cell) == 0)
            continue;
        index_key((int64_t)made, key);
        struct element *element = put_element(a, key, sizeof key);
        if (!element)
            break;
        element->value = *cell;
        a->span = (int64_t)made + 1;
    }
    if (made < a->cell_cap) {
        for (size_t i = 0; i < a->slot_cap; i++)
            if (a->hashes[i])
                a->slots[i]->value.bits = 0;
        free_slots(a);
        return false;
    }
    if (a->cells)
        mem_free_sized(a->heap, a->cells, a->cell_cap * sizeof *a->cells);
    a->cells = NULL;
    a->cell_cap = 0;
    if (!a->slots && !resize_slots(a, FIRST_SLOTS))
        return false; /* still right: an empty array without form */
    return true;
}

/* Sparse to dense, when that is no larger. Stays sparse when out of memory. */
static void make_dense(struct array *a)
{
    struct value *cells =
        mem_alloc_zeroed_kind(a->heap, (size_t)a->span * sizeof *cells, KIND_ARRAY);
    if (!cells)
        return;
    for (size_t i = 0; i < a->slot_cap; i++) {
        if (!a->hashes[i])
            continue;
        struct element *element = a->slots[i];
        cells[element_index(element)] = element->value;
        element->value.bits = 0;
    }
    free_slots(a);
    drop_order(a);
    a->cells = cells;
    a->cell_cap = (size_t)a->span;
}

static bool too_sparse(const struct array *a, int64_t index)
{
    return index >= DENSE_ALWAYS && (uint64_t)index / SPARSE_RATIO > a->count;
}

struct value *array_find_index(const struct array *a, int64_t index)
{
    if (index < 0)
        return NULL;
    if (a->cells)
        return (uint64_t)index < a->cell_cap ? &a->cells[index] : NULL;
    if (a->used == 0)
        return NULL;
    char key[INDEX_KEY_BYTES];
    index_key(index, key);
    struct element *element = array_find_key(a, key, sizeof key);
    return element ? &element->value : NULL;
}

static struct value *put_sparse(struct array *a, int64_t index)
{
    char key[INDEX_KEY_BYTES];
    index_key(index, key);
    size_t before = a->slot_cap;
    struct element *element = put_element(a, key, sizeof key);
    if (!element)
        return NULL;
    if (index >= a->span)
        a->span = index + 1;
    /* The question is asked when the table grew, so that it costs nothing. */
    if (a->slot_cap != before && (uint64_t)a->span / DENSE_RATIO <= a->count) {
        make_dense(a);
        if (a->cells)
            return &a->cells[index];
    }
    return &element->value;
}

struct value *array_put_index(struct array *a, int64_t index)
{
    struct value *value;
    if (!a->slots && (uint64_t)index >= a->cell_cap) {
        if (too_sparse(a, index)) {
            if (!make_sparse(a))
                return NULL;
        } else if (!grow_cells(a, (size_t)index)) {
            return NULL;
        }
        a->version++;
    }
    if (a->slots) {
        value = put_sparse(a, index);
        if (!value)
            return NULL;
    } else {
        value = &a->cells[index];
    }
    if (!value_is_set(value)) {
        a->count++;
        if (index >= a->top)
            a->top = index + 1;
    }
    return value;
}

/* ---- taking away ---- */

void array_bury_index(struct array *a, int64_t index)
{
    struct value *value = array_find_index(a, index);
    if (!value)
        return;
    value_clear(value);
    a->count--;
    if (index + 1 == a->top)
        find_top(a);
}

void array_bury_element(struct array *a, struct element *element)
{
    value_clear(&element->value);
    a->count--;
}

void array_remove_element(struct array *a, struct element *element)
{
    unlink_element(a, element);
    if (value_is_set(&element->value))
        a->count--;
    element_free(a, element);
}

void array_remove_index(struct array *a, int64_t index)
{
    struct value *value = array_find_index(a, index);
    if (!value)
        return;
    if (a->cells) {
        if (value_is_set(value))
            a->count--;
        value_clear(value);
        value_set_stamp(value, 0);
    } else {
        char key[INDEX_KEY_BYTES];
        index_key(index, key);
        array_remove_element(a, array_find_key(a, key, sizeof key));
    }
    if (index + 1 == a->top)
        find_top(a);
}

/* ---- all elements ---- */

static bool item_of(const struct array *a, struct element *element, struct array_item *ret)
{
    *ret = (struct array_item){ .value = &element->value };
    if (a->assoc)
        ret->element = element;
    else
        ret->index = element_index(element);
    return true;
}

/* The next set element of a hashed array, in order. */
static bool next_hashed(struct array *a, size_t *position, struct array_item *ret)
{
    if (*position & ARRAY_SLOT || (!a->order_valid && !array_sort(a))) {
        struct element *element = array_next_unsorted(a, position);
        return element && item_of(a, element, ret);
    }
    for (size_t i = *position; i < a->used; i++) {
        if (i + PREFETCH_AHEAD < a->used)
            __builtin_prefetch(a->order[i + PREFETCH_AHEAD]);
        struct element *element = a->order[i];
        if (!value_is_set(&element->value))
            continue;
        *position = i + 1;
        return item_of(a, element, ret);
    }
    *position = a->used;
    return false;
}

struct element *const *array_order(struct array *a, size_t *ret_count)
{
    if (a->used == 0 || !array_sort(a))
        return NULL;
    *ret_count = a->used;
    return a->order;
}

bool array_next(struct array *a, size_t *position, struct array_item *ret_item)
{
    if (is_hashed(a))
        return a->used > 0 && next_hashed(a, position, ret_item);
    for (size_t i = *position; (int64_t)i < a->top; i++) {
        if (!value_is_set(&a->cells[i]))
            continue;
        *position = i + 1;
        *ret_item = (struct array_item){ .value = &a->cells[i], .index = (int64_t)i };
        return true;
    }
    return false;
}

void array_walk_begin(struct array_walk *walk, struct array *a)
{
    *walk = (struct array_walk){ .array = a, .version = a->version, .outer = walks };
    walks = walk;
}

bool array_walk_next(struct array_walk *walk, struct array_item *ret_item)
{
    return walk->array && walk->array->version == walk->version &&
           array_next(walk->array, &walk->position, ret_item);
}

void array_walk_end(struct array_walk *walk)
{
    walks = walk->outer;
}

/* Copies ELEMENT (or the value of INDEX) into A. */
static bool copy_item(struct array *a, const struct value *value, const char *key, size_t key_len,
                      int64_t index)
{
    struct value *to;
    if (a->assoc) {
        struct element *element = array_put_key(a, key, key_len);
        to = element ? &element->value : NULL;
    } else {
        to = array_put_index(a, index);
    }
    if (!to)
        return false;
    if (value_copy(a->heap, to, value))
        return true;
    a->count--; /* it stays unset; the caller frees the whole */
    return false;
}

/* Copies all set elements in storage order; as decimal keys when TO is associative and FROM is not.
 */
static bool copy_all(struct array *to, const struct array *from)
{
    char digits[24];
    for (size_t i = 0; i < from->cell_cap; i++) {
        if (!value_is_set(&from->cells[i]))
            continue;
        size_t len = to->assoc ? num_format_int((int64_t)i, digits) : 0;
        if (!copy_item(to, &from->cells[i], digits, len, (int64_t)i))
            return false;
    }
    for (size_t i = 0; i < from->slot_cap; i++) {
        prefetch_slot(from, i + PREFETCH_AHEAD);
        const struct element *element = from->hashes[i] ? from->slots[i] : NULL;
        if (!element || !value_is_set(&element->value))
            continue;
        const char *key = element->key;
        size_t len = element->key_len;
        int64_t index = from->assoc ? 0 : element_index(element);
        if (to->assoc && !from->assoc) {
            len = num_format_int(index, digits);
            key = digits;
        }
        if (!copy_item(to, &element->value, key, len, index))
            return false;
    }
    return true;
}

static struct array *copy_as(const struct array *from, bool assoc)
{
    struct array *to = array_new(from->nodes, from->heap, assoc);
    if (to && !copy_all(to, from)) {
        array_free(to);
        return NULL;
    }
    return to;
}

struct array *array_dup(const struct array *a)
{
    struct array *copy = copy_as(a, a->assoc);
    if (copy)
        copy->limit = a->limit;
    return copy;
}

struct array *array_to_assoc(const struct array *a)
{
    return copy_as(a, true);
}
