/* What a block of memory is for, told to libmem at the call that gets it (mem_alloc_kind). What
 * tells nothing is of its region's kind (shell_new). */
#ifndef SHELL_BASE_KIND_H
#define SHELL_BASE_KIND_H

enum kind {
#define KIND(id, name) KIND_##id,
#include "shell/base/kind.def"
#undef KIND
    KIND_COUNT
};

/* The name of KIND, which is below KIND_COUNT. */
const char *kind_name(unsigned kind);

#endif
