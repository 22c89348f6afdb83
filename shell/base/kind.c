/*
 * kind: the names of what memory is for. A constant table; nothing else belongs here.
 */
#include "shell/base/kind.h"

#include "libmem.h"

_Static_assert((int)KIND_COUNT <= (int)MEM_KINDS, "libmem counts so many kinds");

const char *kind_name(unsigned kind)
{
    static const char *const names[] = {
#define KIND(id, name) name,
#include "shell/base/kind.def"
#undef KIND
    };
    return names[kind];
}
