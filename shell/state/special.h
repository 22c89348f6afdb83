/* Variables with a meaning of their own: one row each in special.def (RANDOM, SECONDS, LINENO, IFS, PATH, HOME, .sh.*, ...). */
#ifndef SHELL_STATE_SPECIAL_H
#define SHELL_STATE_SPECIAL_H

#include "shell/state/name.h"
#include "shell/state/shell.h"

struct special {
    const char *name;
    /* Makes the value on reading (scratch or static); NULL: the stored value. */
    enum flow (*get)(struct shell *sh, struct name *name, const char **ret_text, size_t *ret_len);
    /* Called after a value was stored (TEXT NULL: unset). May refuse with FLOW_ERROR (the old value is put back). */
    enum flow (*changed)(struct shell *sh, struct name *name, const char *text, size_t len);
    unsigned flags;
};
/* Called once by shell_new: marks the names. */
enum flow special_init(struct shell *sh) NODISCARD;

/* Field separators, from IFS. */
enum ifs_class { IFS_NONE = 0, IFS_SPACE = 1, IFS_OTHER = 2 };
struct ifs_table {
    uint8_t classes[256]; /* of bytes; multibyte separators in UTF-8 are listed in CHARS */
    const char *first;    /* first separator (joins "$*"), "" when IFS is empty */
    size_t first_len;
    bool is_default;      /* space tab newline */
    bool multibyte;       /* some separator is a multibyte character: see split.c */
    const char *text; size_t len; /* IFS as set */
};

/* .sh.match after a successful match: TEXT with SPAN_COUNT spans (as struct match_span pairs). */
struct match_span;
enum flow special_set_match(struct shell *sh, const char *text, size_t len, const struct match_span *spans, size_t count) NODISCARD;

#endif
