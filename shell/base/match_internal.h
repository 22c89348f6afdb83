/* What the parts of the pattern matcher share; nobody outside shell/base/match*.c includes this.
 *
 *   match_set.c    bracket expressions           match_glob.c   patterns of only * ? [ ]
 *   match_parse.c  shell patterns -> nodes       match_regex.c  regular expressions -> nodes
 *   match_order.c  numbers the groups of a tree
 *   match_code.c   nodes -> code                 match_sim.c    runs code, all threads in lock step
 *   match_dfa.c    runs code over long texts     match_stretch.c  one class, repeated
 *   match_track.c  runs code by backtracking     match.c        the public functions */
#ifndef SHELL_BASE_MATCH_INTERNAL_H
#define SHELL_BASE_MATCH_INTERNAL_H

#include "shell/base/match.h"
#include "shell/base/utf8.h"

/* A growable array used while compiling; lives in the malloc region, freed before compiling ends.
 */
struct table {
    char *data;
    size_t count, cap, item_bytes;
};
/* A new zeroed item, or NULL when out of memory. */
void *table_add(struct table *t);
void table_release(struct table *t);

/* ---- sets of characters ---- */

struct char_range {
    uint32_t lo, hi;
};
/* ASCII holds the final answer for code points below 128; the rest is for those above. */
struct char_set {
    uint32_t ascii[4];
    uint16_t classes, not_classes;
    bool negate, nocase;
    uint32_t range_first, range_count;
};
struct set_tables {
    struct table sets, ranges;
    /* The last ] of the text and, where a backslash always quotes, the last one without: behind it
     * nothing needs to be searched. NULL: none. */
    const char *last_close[2];
    bool searched[2];
};
enum set_syntax {
    SET_PLAIN, /* outside ( ): a backslash quotes */
    SET_GROUP, /* inside ( ): \d \n and the like too */
    SET_REGEX, /* a backslash that starts no such escape is itself a member */
};
/* Reads the bracket expression at *AT (a '['). Returns the index of a new set and moves *AT behind
 * the
 * ']'; SET_NONE when it is malformed, SET_NO_MEMORY when out of memory. */
enum { SET_NONE = -1, SET_NO_MEMORY = -2 };
int set_parse(struct set_tables *tables, const char **at, const char *end, enum set_syntax syntax,
              bool nocase);
/* A new set of one class given by its escape letter (d D s S w W), or SET_NO_MEMORY. */
int set_add_escape(struct set_tables *tables, char letter);
bool set_has_high(const struct char_set *set, const struct char_range *ranges, uint32_t cp);
static inline bool set_has(const struct char_set *set, const struct char_range *ranges, uint32_t cp)
{
    return cp < 128 ? (set->ascii[cp / 32] >> (cp % 32)) & 1 : set_has_high(set, ranges, cp);
}
/* Reads a C-like escape (\n \x41 \101 \cX) whose letter is at *AT; moves *AT behind it. False when
 * the letter starts none. */
bool escape_char(const char **at, const char *end, uint32_t *ret_cp);

/* ---- syntax tree ---- */

enum node_kind {
    NODE_EMPTY,
    NODE_CHAR, /* VALUE is the code point, folded when NOCASE */
    NODE_ANY,
    NODE_SET,    /* VALUE is the index */
    NODE_SEQ,    /* CHILD.. in order */
    NODE_ALT,    /* one of CHILD.. (each a SEQ or AND) */
    NODE_AND,    /* all of CHILD.. over the same text */
    NODE_REPEAT, /* CHILD, MIN to MAX times; groups FIRST_GROUP..VALUE-1 are inside */
    NODE_GROUP,  /* CHILD, captured as group VALUE */
    NODE_NOT,    /* anything but CHILD */
    NODE_BACK,   /* what group VALUE matched */
    NODE_ASSERT, /* VALUE: enum assert_kind */
    NODE_LOOK,   /* CHILD matches here (VALUE: ends here), or does not when NEGATE; takes nothing */
    NODE_NEST,   /* %(..): VALUE, MAX are offset and length of the pairs in the pattern's text */
};
enum assert_kind {
    ASSERT_START,
    ASSERT_END,
    ASSERT_LINE_START,
    ASSERT_LINE_END,
    ASSERT_WORD,
    ASSERT_NOT_WORD,
    ASSERT_WORD_START,
    ASSERT_WORD_END
};
enum { REPEAT_INFINITE = UINT32_MAX };

struct node {
    uint8_t kind;
    bool nocase, lazy, negate;
    uint32_t value, min, max, first_group;
    struct node *child, *next;
};

enum pattern_mode {
    MODE_SHELL,
    MODE_ERE,
    MODE_AUGMENTED,
    MODE_BRE,
    MODE_PERL,
    MODE_FIXED,
    MODE_COUNT
};

/* Nodes come from chunks, so that they never move. */
struct node_chunk;
struct parse {
    const char *text, *at, *end;
    struct node_chunk *chunks;
    struct set_tables sets;
    unsigned depth;         /* of open ( */
    unsigned shell_depth;   /* the depth at which the shell's ~( began a regular expression */
    uint32_t group_count;   /* capturing groups seen so far */
    uint64_t closed_groups; /* bit n: group n (up to 9) is complete */
    enum pattern_mode mode;
    bool nocase, lazy; /* options in force */
    bool names;        /* for file names: outside ( ) \d is a d */
    bool multiline;    /* ^ and $ match at newlines too */
    bool spaced;       /* white space and #comments mean nothing in regular expressions */
    bool any_lazy;     /* something asked for the shortest: first match by preference wins */
    bool any_backref;
    bool left_open, right_open;   /* not anchored in a whole match */
    bool left_fixed, right_fixed; /* ~(l) ~(r): anchored even in a search */
    bool malformed, no_memory;
    uint32_t hidden_groups;               /* that order_groups made */
    uint8_t group_map[MATCH_CAPTURE_MAX]; /* with those: the number of each of the user's groups */
};
enum { PARSE_DEPTH_MAX = 250 };

struct node *node_new(struct parse *ps, enum node_kind kind);
struct node *node_char(struct parse *ps, uint32_t cp);
/* A NODE_SET of the set number SET; of SET_NO_MEMORY NULL with no_memory set. */
struct node *node_set(struct parse *ps, int set);
/* BODY (NULL: it failed) as group NUMBER, which is complete: itself beyond those that are captured.
 */
struct node *node_group(struct parse *ps, uint32_t number, struct node *body);
/* The digit C at AT is a back reference, to a group that is complete: takes it, *RET its node. */
bool take_back(struct parse *ps, char c, struct node **ret);
/* Takes C if it stands at AT. */
bool take_bare(struct parse *ps, char c);
/* FIRST, and as long as TAKE takes a C what NEXT reads behind it, as the children of a KIND. */
struct node *parse_others(struct parse *ps, enum node_kind kind, struct node *first, char c,
                          bool (*take)(struct parse *ps, char c),
                          struct node *(*next)(struct parse *ps));
void parse_release(struct parse *ps);
/* pattern := alternatives up to the end of the text. NULL with malformed or no_memory set. */
struct node *parse_shell(struct parse *ps);
/* regex := alternatives up to a ) that closes what was open, or the end. */
struct node *parse_regex(struct parse *ps);
struct node *parse_repeat(struct parse *ps, struct node *child, uint32_t min, uint32_t max,
                          uint32_t first_group);
/* match_order.c: numbers the groups below ROOT in the order in which they are to take as much as
 * they can. Sets hidden_groups and group_map. */
void order_groups(struct parse *ps, struct node **root);
/* Puts the branches of ALT, if it is a NODE_ALT, in the order in which the shortest text is found.
 */
void order_alternatives(struct node *alt);
/* Reads {n} {n,} {,m} {n,m} at *AT; false when it is none. */
bool parse_bounds(const char **at, const char *end, uint32_t *ret_min, uint32_t *ret_max);

/* ---- code ---- */

enum op {
    OP_CHAR,      /* X */
    OP_CHAR_FOLD, /* X, folded */
    OP_ANY,
    OP_SET,    /* set X */
    OP_SPLIT,  /* try X, then Y */
    OP_JUMP,   /* X */
    OP_SAVE,   /* slot X */
    OP_RESET,  /* groups X to Y-1 are unset */
    OP_ASSERT, /* kind X */
    OP_MATCH,  /* end of the pattern, or of a sub-program */
    /* The rest needs match_track.c. */
    OP_NOT,       /* sub-program follows; continue at X after any text it does not match; N: lazy */
    OP_AND,       /* sub-programs follow and at Y; continue at X after text that both match */
    OP_LOOK,      /* sub-program follows; continue at X if it matches here, or with Y ends here; N:
                   * negate */
    OP_BACK,      /* text of group X again; N: fold */
    OP_NEST,      /* pairs at text offset X, Y bytes */
    OP_LOOP_IN,   /* remember the position in register X */
    OP_LOOP_TEST, /* fail when nothing was taken since */
};
struct inst {
    uint8_t op;
    bool n;
    bool pure; /* OP_NOT: match_sim.c can run the sub-program */
    uint32_t x, y;
};
enum { CODE_MAX = 1 << 17 };

/* ---- compiled pattern ---- */

/* A run of the pattern between stars: elements that each take a fixed number of characters. */
enum glob_kind { GLOB_BYTES, GLOB_FOLD, GLOB_CHARS, GLOB_ANY, GLOB_SET };
struct glob_elem {
    uint8_t kind; /* GLOB_CHARS: bytes that are no valid UTF-8, compared character by character */
    uint32_t x;   /* offset of the bytes, or the set */
    uint32_t len; /* bytes */
};
struct glob_seg {
    uint32_t first, count; /* elements */
    uint32_t chars;        /* characters in all, in UTF-8 */
    uint32_t min_bytes;    /* bytes that one match takes at least */
    bool plain;            /* one GLOB_BYTES element */
};

struct sim_list {
    uint32_t count;
    uint32_t *pcs;
    uint32_t *mark;   /* by pc: the generation in which it was added */
    uint32_t *row;    /* by pc: its index in PCS */
    ptrdiff_t *slots; /* SLOT_MAX for each row */
    uint32_t generation;
};
struct sim_task {
    uint32_t pc;
    int32_t slot; /* >= 0: put OLD back into this slot */
    ptrdiff_t old;
};
struct sim_space {
    struct sim_list lists[2];
    struct sim_task *tasks;
    ptrdiff_t *work; /* slots of the thread being added */
    struct dfa *dfa; /* match_dfa.c; NULL: none yet */
    uint32_t task_max;
};

/* One element, MIN to MAX times: match_stretch.c. */
struct stretch {
    bool from_start, to_end; /* ^ before, $ behind */
    bool group;              /* a group around it */
    bool ascii[128];         /* the characters that it takes */
    struct inst inst;        /* takes one */
    uint32_t min, max;
};

struct pattern {
    struct mem_region *region;
    size_t bytes; /* of the one block that holds all of this */
    const struct char_set *sets;
    const struct char_range *ranges;
    const char *text; /* bytes of literals, or the whole pattern */
    size_t text_len;  /* of the latter */
    unsigned flags;   /* it was compiled with */
    bool is_glob, is_stretch, period;
    bool left_open, right_open;
    /* glob */
    const struct glob_seg *segs;
    const struct glob_elem *elems;
    uint32_t seg_count;
    /* program */
    const struct inst *code;
    struct sim_space *space; /* what match_sim.c writes to; a pattern is run by one at a time */
    uint32_t code_count, group_count, slot_count, register_count;
    const uint8_t *group_map; /* the number in the code of each group; NULL: the same */
    bool left_fixed, right_fixed;
    bool backtracks, has_backref, by_preference, whole_not, has_first;
    struct stretch stretch;
    bool dfa_able;           /* match_dfa.c can run it */
    int16_t first_byte;      /* the only one that a match can start with; -1: there are others */
    uint32_t first_bytes[8]; /* bytes that a match can start with, when HAS_FIRST */
};

/* How a program is run. */
enum run_goal { RUN_SHORTEST, RUN_LONGEST, RUN_PREFERRED };
struct run {
    const struct pattern *p;
    const char *text;
    size_t len, start;
    bool from_start; /* the match starts at START only */
    bool to_end;     /* the match ends at LEN only */
    bool latest;     /* the last possible start, not the first */
    enum run_goal goal;
    uint32_t slot_count; /* slots wanted: 0, 2 (whole match) or up to the pattern's */
    ptrdiff_t *slots;    /* result; [0] start, [1] end, then the groups */
    uint32_t pc;
    uint8_t *ends;   /* collect instead: bit n is set when a match ends at START + n */
    size_t stop;     /* no match ends after that; 0: not known */
    size_t patience; /* characters to look at before giving up; 0: all */
    bool gave_up;
    bool no_memory;
};
bool sim_run(struct run *run);
/* From AT on, the first place where a match can start; LEN + 1 when there is none. P->has_first. */
size_t pattern_next_start(const struct pattern *p, const char *text, size_t len, size_t at);
/* What match_dfa.c found out. UNKNOWN: match_sim.c has to run, though with START, FROM_START and
 * STOP of the run as far as they were found. */
enum dfa_verdict { DFA_UNKNOWN, DFA_NO, DFA_YES };
enum dfa_verdict dfa_run(struct run *run);
bool dfa_can_run(const struct pattern *p);
void dfa_release(struct sim_space *space);
bool track_run(struct run *run);
bool assert_holds(const struct run *run, enum assert_kind kind, size_t at);

struct pattern *glob_compile(struct mem_region *region, const char *text, size_t len,
                             unsigned flags, bool literal);
bool glob_matches(const struct pattern *p, const char *text, size_t len);
ptrdiff_t glob_prefix(const struct pattern *p, const char *text, size_t len, bool longest);
ptrdiff_t glob_suffix(const struct pattern *p, const char *text, size_t len, bool longest);
bool glob_search(const struct pattern *p, const char *text, size_t len, size_t start,
                 struct match_span *ret_span);
/* Is ROOT, which P was compiled from, such a pattern? Sets is_stretch and stretch. */
void stretch_find(struct pattern *p, const struct node *root);
bool stretch_matches(const struct pattern *p, const char *text, size_t len);
ptrdiff_t stretch_prefix(const struct pattern *p, const char *text, size_t len, bool longest);
ptrdiff_t stretch_suffix(const struct pattern *p, const char *text, size_t len, bool longest);
bool stretch_search(const struct pattern *p, const char *text, size_t len, size_t start,
                    struct match_span *ret_span);
/* Does INST take the character CP? (A period at the start of file names is the caller's.) */
static inline bool inst_takes(const struct pattern *p, const struct inst *inst, uint32_t cp)
{
    switch ((enum op)inst->op) {
    case OP_CHAR:
        return cp == inst->x;
    case OP_CHAR_FOLD:
        return utf8_to_lower(cp) == inst->x;
    case OP_ANY:
        return true;
    case OP_SET:
        return set_has(&p->sets[inst->x], p->ranges, cp);
    default:
        return false;
    }
}
/* Compiles a parsed pattern; NULL when out of memory (parse.no_memory) or too big (errno E2BIG). */
struct pattern *code_compile(struct mem_region *region, struct parse *ps, struct node *root,
                             unsigned flags);

#endif
