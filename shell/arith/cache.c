/*
 * Arithmetic text seen before: a small table from text to code, for expressions that are known only
 * at run time (values of variables, subscripts, let).
 *
 * Each text has one place; a newer text with the same place evicts the older. Long texts are not
 * kept. An entry holds one reference to its code, so that code which is running survives its
 * eviction.
 */
#include <string.h>

#include "shell/arith/code.h"
#include "shell/state/option.h"

enum { CACHE_SLOTS = 256, CACHE_TEXT_MAX = 256 };

struct arith_cache {
    struct mem_region *region;
    struct arith_code *slots[CACHE_SLOTS];
};

struct arith_cache *arith_cache_new(struct mem_region *region)
{
    struct arith_cache *cache = mem_alloc_zeroed(region, sizeof *cache);
    if (cache)
        cache->region = region;
    return cache;
}

void arith_cache_free(struct arith_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < CACHE_SLOTS; i++)
        arith_code_free(cache->slots[i]);
    mem_free(cache);
}

enum flow arith_cache_get(struct shell *sh, const char *text, size_t len,
                          struct arith_code **ret_code)
{
    if (!sh->arith_cache)
        sh->arith_cache = arith_cache_new(sh->heap);
    if (!sh->arith_cache || len > CACHE_TEXT_MAX)
        return arith_compile(sh, text, len, ret_code);
    struct arith_code **slot = &sh->arith_cache->slots[text_hash(text, len) % CACHE_SLOTS];
    if (!*slot || (*slot)->posix != option_on(sh, OPTION_POSIX) ||
        !text_eq((*slot)->text, (*slot)->len, text, len)) {
        struct arith_code *code;
        TRY(arith_compile(sh, text, len, &code));
        arith_code_free(*slot);
        *slot = code;
    }
    (*slot)->refs++;
    *ret_code = *slot;
    return FLOW_NEXT;
}
