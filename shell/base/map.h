/* Hash map from byte strings to pointers (open addressing). Keys are borrowed: the owner of the
 * value keeps the key alive as long as it is in the map. */
#ifndef SHELL_BASE_MAP_H
#define SHELL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmem.h"

struct map_slot {
    const char *key; /* NULL: empty */
    void *value;
    uint32_t len, hash;
};
struct map {
    struct map_slot *slots;
    size_t count, cap;
    struct mem_region *region;
};

/* Its symbol has another name, because the static libedit defines a map_init of its own. */
void map_init(struct map *m, struct mem_region *region) __asm__("shell_map_init");
void map_release(struct map *m);
void *map_get(const struct map *m, const char *key, size_t len); /* NULL: absent */
/* Adds or replaces; false when out of memory (nothing changed). */
bool map_put(struct map *m, const char *key, size_t len, void *value);
void *map_remove(struct map *m, const char *key, size_t len); /* the removed value or NULL */
/* Iterates: *CURSOR starts at 0; NULL at the end. Nothing may be added meanwhile. */
struct map_slot *map_next(const struct map *m, size_t *cursor);
/* All slots sorted by key in byte order, in a new array in REGION that the caller frees; count in
 * *RET_COUNT. NULL when empty or out of memory. */
struct map_slot **map_sorted(const struct map *m, struct mem_region *region, size_t *ret_count);

#endif
