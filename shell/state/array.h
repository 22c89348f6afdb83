/*
 * The elements of an array variable: by index or by key. Plain storage, like value.h.
 *
 * Indexed arrays are a vector while they are dense and a hash table of indices while they are
 * sparse; any index from 0 to INT64_MAX is possible. Associative arrays are a hash table. In order
 * means ascending indices, or keys in byte order; the order is worked out when it is asked for and
 * kept until an element comes or goes.
 *
 * An element may be BURIED: unset, but its place and stamp are kept because a record of the journal
 * refers to it. No function counts or shows buried elements.
 */
#ifndef SHELL_STATE_ARRAY_H
#define SHELL_STATE_ARRAY_H

#include "shell/state/value.h"

/* An element that lives in the hash table. Its address is stable as long as it exists. */
struct element {
    struct value value;
    uint32_t key_len;
    char key[]; /* NUL-terminated; of sparse indexed arrays the index in 8 bytes, most significant
                   first */
};

struct array {
    struct mem_region *nodes; /* elements */
    struct mem_region *heap;  /* tables, and the text of values */
    uint64_t version;         /* changes when an element comes or goes */
    size_t count;             /* elements that are set */
    int64_t limit;            /* of a fixed size: indices are below it; 0: any */
    bool assoc;
    bool order_valid;
    int64_t top;         /* indexed: highest set index + 1 */
    struct value *cells; /* dense form: CELL_CAP values; else NULL */
    size_t cell_cap;
    struct element **slots; /* hashed form: SLOT_CAP places */
    uint32_t *hashes;       /* the hash of each slot's key; 0: the slot is empty */
    size_t slot_cap;
    size_t used;            /* elements in SLOTS, buried ones included */
    int64_t span;           /* sparse form: highest index ever held + 1 */
    struct element **order; /* USED elements in order, when ORDER_VALID */
};

/* An empty array; NULL: out of memory. */
struct array *array_new(struct mem_region *nodes, struct mem_region *heap, bool assoc);
void array_free(struct array *a); /* NULL is ok */
/* Forgets all elements; what is left is an empty array of the given shape. */
void array_clear(struct array *a, bool assoc);
/* A copy of all set elements, without stamps; NULL: out of memory. */
struct array *array_dup(const struct array *a);
/* The same elements as an associative array whose keys are the indices in decimal. NULL: out of
 * memory. */
struct array *array_to_assoc(const struct array *a);

/* The element's value, set or buried; NULL when there is no such element. Borrowed until an element
 * comes or goes. */
struct value *array_find_index(const struct array *a, int64_t index);
struct element *array_find_key(const struct array *a, const char *key, size_t len);
/* The element's value, made (unset) when missing. An unset one is counted as set from now on: the
 * caller sets it at once, or takes COUNT down again and removes it. NULL: out of memory, nothing
 * changed. */
struct value *array_put_index(struct array *a, int64_t index);
struct element *array_put_key(struct array *a, const char *key, size_t len);
/* Unsets a set element but keeps its place. */
void array_bury_index(struct array *a, int64_t index);
void array_bury_element(struct array *a, struct element *element);
/* Forgets an element, set or buried, if there is one. */
void array_remove_index(struct array *a, int64_t index);
void array_remove_element(struct array *a, struct element *element);

#define ARRAY_SLOT ((size_t)1 << 63) /* of a position: what is below this bit is a slot */
/* One step of an iteration in order; POSITION starts at 0. false at the end, or out of memory.
 * Elements must not come or go meanwhile (VERSION tells). */
struct array_item {
    struct value *value;
    struct element *element; /* associative arrays; else NULL */
    int64_t index;
};
bool array_next(struct array *a, size_t *position, struct array_item *ret_item);
/* A walk in the middle of which the script's functions run: they may change A, or free it. On the
 * C stack of who walks, from _begin to _end. */
struct array_walk {
    struct array *array; /* NULL: it was freed */
    uint64_t version;
    size_t position;
    struct array_walk *outer;
};
void array_walk_begin(struct array_walk *walk, struct array *a);
/* As array_next; false also when elements came or went since _begin. */
bool array_walk_next(struct array_walk *walk, struct array_item *ret_item);
void array_walk_end(struct array_walk *walk);
/* The elements of an associative array in order, *RET_COUNT of them, buried ones too; NULL: there
 * are none, or out of memory. Borrowed until an element comes or goes. */
struct element *const *array_order(struct array *a, size_t *ret_count);
/* Works out the order of a hashed array now (array_next does it by itself). false: out of memory.
 */
bool array_sort(struct array *a); /* array_order.c */
/* The set element after the one at POSITION, in order, found by looking at all of them: when there
 * is no memory to sort them nothing is left out. NULL: the last one was it. */
struct element *array_next_unsorted(struct array *a, size_t *position);

#endif
