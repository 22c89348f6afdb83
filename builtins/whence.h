/* What whence, type and command -v share. */
#ifndef BUILTINS_WHENCE_H
#define BUILTINS_WHENCE_H

#include "builtins/builtin.h"

enum whence_show {
    WHENCE_ALL = 1u << 0,       /* every meaning */
    WHENCE_VERBOSE = 1u << 1,   /* in words */
    WHENCE_TYPE = 1u << 2,      /* one word of its kind */
    WHENCE_QUIET = 1u << 3,     /* status only */
    WHENCE_PATH_ONLY = 1u << 4, /* files only */
    WHENCE_NO_FUNCTION = 1u << 5,
    WHENCE_DEFAULT_PATH = 1u << 6, /* command -p */
    WHENCE_DEFINITION = 1u << 7,   /* an alias as the command that defines it */
};

/* Reports each operand that is left in ARGS; status 1 when one is not found. */
enum flow whence_names(struct shell *sh, struct args *args, unsigned show);

#endif
