/* Variables with a meaning of their own: one row each in special.def (RANDOM, SECONDS, LINENO, IFS,
 * PATH, HOME, .sh.*, ...). */
#ifndef SHELL_STATE_SPECIAL_H
#define SHELL_STATE_SPECIAL_H

#include "shell/state/name.h"
#include "shell/state/shell.h"

/* What a row says about its variable. */
enum special_flags {
    SPECIAL_LOSABLE = 1u << 0,  /* unset for good ends the special meaning (RANDOM, SECONDS, ...) */
    SPECIAL_READONLY = 1u << 1, /* assignment fails */
    SPECIAL_INTEGER = 1u << 2,  /* starts as an integer variable */
    SPECIAL_FLOAT = 1u << 3,    /* starts as a floating variable, 3 decimals */
    SPECIAL_EXISTS = 1u << 4,   /* there is always a variable, so that reading reaches GET */
    SPECIAL_ARRAY = 1u << 5,    /* .sh.match: made when looked at */
    SPECIAL_CONFINED = 1u << 6, /* a restricted shell may not change it */
    SPECIAL_VERSION = 1u << 7,  /* .sh.version: a number in arithmetic */
    SPECIAL_YIELDS = 1u << 8,   /* what is assigned takes the place of the special meaning */
    SPECIAL_GETOPTS = 1u << 9,  /* a local of a POSIX function starts getopts anew for the call */
    SPECIAL_CHECKED = 1u << 10, /* keeps its value when special_locale_known says no to a new one */
    SPECIAL_OWN = 1u << 11,     /* the shell gives it a value, whatever the environment says */
};
struct special {
    const char *name;
    /* Makes the value on reading (scratch or static); NULL: the stored value. */
    enum flow (*get)(struct shell *sh, struct name *name, const char **ret_text, size_t *ret_len);
    /* Called after a value was stored (TEXT NULL: unset) or came back at the end of a scope; must
     * not write variables. */
    enum flow (*changed)(struct shell *sh, struct name *name, const char *text, size_t len);
    unsigned flags;
};
/* Attributes a new variable of NAME starts with: VAR_SPECIAL or 0. */
uint32_t special_attrs(const struct name *name);
/* A dotted name was just made: one of .sh.mem. that means a figure gets its variable. false: out of
 * memory. */
bool special_intern(struct shell *sh, struct name *name);
/* The same for a name without dots, which begins as one that is made only when it is named. */
bool special_intern_late(struct shell *sh, struct name *name);
static inline bool special_may_be_late(const char *name, size_t len)
{
    return len >= sizeof "BASHPID" - 1 && (*name == 'B' || *name == 'E');
}
/* What .sh.version is in arithmetic: its date as YYYYMMDD. */
int64_t special_version_number(void);
/* The variable that NAME means changed without an assignment (end of a scope): its `changed` is
 * called, errors ignored. */
void special_refresh(struct shell *sh, struct name *name);
/* Before a write that CHANGED turns into shell state (SECONDS, RANDOM): lets the nearest subshell
 * restore that. */
enum flow special_save(struct shell *sh, const struct name *name) NODISCARD;
/* Takes the locale from the variables: after the environment was imported. */
void special_locale(struct shell *sh);
/* May NAME, LANG or LC_*, be TEXT? If not, that is warned of. */
bool special_locale_known(struct shell *sh, const struct name *name, const char *text, size_t len);
/* `changed` of LANG and LC_*: as special_locale. */
enum flow special_set_locale(struct shell *sh, struct name *name, const char *text,
                             size_t len) NODISCARD;
/* Takes the line editor from VISUAL or EDITOR. */
enum flow special_editor(struct shell *sh) NODISCARD;
/* Before a special variable is looked at: makes the array of .sh.match. */
enum flow special_prepare(struct shell *sh, struct var *var) NODISCARD;
/* .sh.stats and its members: special_stats.c */
enum flow special_stats(struct shell *sh, struct name *name, const char **ret_text,
                        size_t *ret_len) NODISCARD;
enum flow special_stat(struct shell *sh, struct name *name, const char **ret_text,
                       size_t *ret_len) NODISCARD;
void special_match_release(struct shell *sh); /* special_match.c */
void special_release(struct shell *sh);
/* Called once by shell_new: marks the names. */
enum flow special_init(struct shell *sh) NODISCARD;

/* After the POSIX mode was entered or left: it has its own rule for doubled blanks. */
void special_ifs_rebuild(struct shell *sh);

/* Field separators, from IFS. */
enum ifs_class { IFS_NONE = 0, IFS_SPACE = 1, IFS_OTHER = 2 };
struct ifs_table {
    uint8_t classes[256]; /* of bytes; multibyte separators in UTF-8 are listed in TEXT */
    const char *first;    /* first separator (joins "$*"), "" when IFS is empty */
    size_t first_len;
    bool is_default; /* space tab newline */
    bool only_space; /* no separator but white space, or none at all */
    bool multibyte;  /* some separator is a multibyte character: see split.c */
    const char *text;
    size_t len; /* IFS as set */
};

/* .sh.match after a successful match: TEXT with COUNT spans. */
struct match_span;
enum flow special_set_match(struct shell *sh, const char *text, size_t len,
                            const struct match_span *spans, size_t count) NODISCARD;
/* Are the groups of PATTERN in a text of LEN bytes to be found only when a script looks? */
struct pattern;
bool special_match_waits(const struct pattern *pattern, size_t len);
/* .sh.match after PATTERN was found to match all of TEXT (SEARCHED: something in it). */
enum flow special_set_match_later(struct shell *sh, const char *text, size_t len,
                                  const struct pattern *pattern, bool searched) NODISCARD;
/* .sh.match after ROWS matches one after the other, each with COUNT spans, whose bytes are at
 * SPANS: element I is an array of what span I was in each. */
enum flow special_set_matches(struct shell *sh, const char *text, size_t len, const void *spans,
                              size_t count, size_t rows) NODISCARD;

#endif
