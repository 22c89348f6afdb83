/*
 * Interned names: one struct for each text that was ever a name, alive until the shell ends, so
 * that everyone may hold pointers to it and compare by address.
 *
 * Owns sh->names. Must not know what a name means: variables and functions hang on it from outside.
 */
#include "shell/state/name.h"

#include <string.h>

#include "shell/base/kind.h"
#include "shell/state/special.h"

struct name *name_find(struct shell *sh, const char *text, size_t len)
{
    return map_get(&sh->names, text, len);
}

struct name *name_intern(struct shell *sh, const char *text, size_t len)
{
    struct name *name = map_get(&sh->names, text, len);
    if (name)
        return name;
    if (len >= UINT32_MAX)
        return NULL;
    name = mem_alloc_zeroed_kind(sh->nodes, sizeof *name + len + 1, KIND_VARIABLE);
    if (!name)
        return NULL;
    memcpy(name->text, text, len);
    name->len = (uint32_t)len;
    name->hash = text_hash(text, len);
    name->dotted = memchr(text, '.', len) != NULL;
    if (!map_put(&sh->names, name->text, len, name)) {
        mem_free_sized(sh->nodes, name, sizeof *name + len + 1);
        return NULL;
    }
    if (name->dotted && !special_intern(sh, name))
        return NULL;
    return name;
}
