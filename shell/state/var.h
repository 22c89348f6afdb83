/*
 * Variables: reading, assigning, attributes, arrays.
 *
 * A var_ref names a variable or an element of one after subscripts were evaluated. All functions
 * follow namerefs unless they say otherwise. Views (text, len) are borrowed: they die with the next
 * write to that variable, or, where a value had to be made (numbers, specials), at the end of the
 * command (scratch).
 */
#ifndef SHELL_STATE_VAR_H
#define SHELL_STATE_VAR_H

#include "shell/state/name.h"
#include "shell/state/shell.h"

enum var_attr {
    VAR_EXPORT = 1u << 0,       /* -x */
    VAR_READONLY = 1u << 1,     /* -r */
    VAR_INTEGER = 1u << 2,      /* -i */
    VAR_FIXED = 1u << 3,        /* -F: %f with PRECISION */
    VAR_EXPONENT = 1u << 4,     /* -E: %g */
    VAR_HEXFLOAT = 1u << 5,     /* -X */
    VAR_LOWER = 1u << 6,        /* -l */
    VAR_UPPER = 1u << 7,        /* -u (of strings) */
    VAR_LEFT = 1u << 8,         /* -L WIDTH */
    VAR_RIGHT = 1u << 9,        /* -R WIDTH */
    VAR_ZERO = 1u << 10,        /* -Z WIDTH */
    VAR_TAG = 1u << 11,         /* -t */
    VAR_UNSIGNED = 1u << 12,    /* -ui */
    VAR_SHORT = 1u << 13,       /* -si: 16 bit; -sE float */
    VAR_LONG = 1u << 14,        /* -li, -lE */
    VAR_NAMEREF = 1u << 15,     /* -n */
    VAR_INDEXED = 1u << 16,     /* -a or has indexed elements */
    VAR_ASSOC = 1u << 17,       /* -A */
    VAR_BINARY = 1u << 18,      /* -b */
    VAR_HOST = 1u << 19,        /* -H */
    VAR_NOTHING = 1u << 20,     /* declared without a value */
    VAR_SPECIAL = 1u << 21,     /* the name has a meaning of its own: special.h */
    VAR_DISCIPLINE = 1u << 22,  /* there are functions x.get, x.set ...: discipline.h */
    VAR_ENUM = 1u << 23,        /* the value is the number of an item of TYPE: type.h */
    VAR_TYPED_INDEX = 1u << 24, /* an indexed array whose subscripts are items of INDEX_TYPE */
    VAR_COMPOUND = 1u << 25,    /* -C: the value, or each element of the array, has members */
    VAR_TYPED = 1u << 26,       /* an instance of TYPE, or an array of them */
    VAR_STATIC = 1u << 27,      /* a member of a type that all instances share; of a reference: the
                                   local name of a static variable (typeset -S) */
    VAR_SIZED = 1u << 28,       /* an array of a fixed size: see limit of struct array */
    VAR_FLOATING = VAR_FIXED | VAR_EXPONENT | VAR_HEXFLOAT,
    VAR_NUMERIC = VAR_INTEGER | VAR_FLOATING,
    VAR_ARRAY = VAR_INDEXED | VAR_ASSOC,
    VAR_JUSTIFY = VAR_LEFT | VAR_RIGHT | VAR_ZERO,
    /* a variable without any of these may be read, or written, by the short paths */
    VAR_COMPLEX_READ = VAR_NAMEREF | VAR_ARRAY | VAR_SPECIAL | VAR_DISCIPLINE,
    VAR_COMPLEX = VAR_COMPLEX_READ | VAR_READONLY | VAR_NUMERIC | VAR_LOWER | VAR_UPPER |
                  VAR_JUSTIFY | VAR_BINARY | VAR_EXPORT | VAR_HOST | VAR_NOTHING | VAR_ENUM |
                  VAR_COMPOUND | VAR_TYPED | VAR_SIZED,
};

/*
 * A scalar or an element of an array: text, an integer or a floating number, or nothing. Text of up
 * to VALUE_INLINE bytes sits in the value itself; longer text in a block of the heap that keeps
 * room to grow. 24 bytes, movable by memcpy. The functions are in value.h.
 */
enum { VALUE_INLINE = 15 };
enum value_bits {
    VALUE_TEXT = 1u << 0,  /* TEXT, or HEAP when VALUE_HEAP is set too */
    VALUE_INT = 1u << 1,   /* I */
    VALUE_FLOAT = 1u << 2, /* F: the bytes of a long double */
    VALUE_HEAP = 1u << 3,
    VALUE_ARRAY = 1u << 4, /* ARRAY: an element that is itself an array (m[1][2]) */
    /* Beside VALUE_TEXT: SHORT_NUMBER holds what the text, which is a plain decimal number of at
     * most VALUE_SHORT bytes, says. */
    VALUE_NUMBER = 1u << 5,
    VALUE_COMPOUND = 1u << 6, /* MEMBERS: c=(x=1) */
};
enum { VALUE_SHORT = 7 };
struct array;   /* array.h: indexed or associative elements */
struct members; /* members.h */
struct value {
    /* Journal stamp of an element (array.h): 48 bits of a frame id, which never run out. */
    uint32_t stamp_low;
    uint16_t stamp_high;
    uint8_t bits;       /* enum value_bits; 0: unset */
    uint8_t inline_len; /* length of TEXT */
    union {
        char text[VALUE_INLINE + 1];
        struct {
            char *data;
            uint32_t len, cap; /* CAP: bytes of DATA, LEN < CAP */
        } heap;
        struct {
            char short_text[VALUE_SHORT + 1];
            int64_t short_number;
        };
        int64_t i;
        unsigned char f[16];
        struct array *array;
        struct members *members;
    };
};

/* What assignment and typeset change, and what the journal saves as a whole. */
#define VAR_STATE_FIELDS                                                                           \
    uint32_t attrs; /* enum var_attr */                                                            \
    int16_t base;   /* -i BASE (0 = 10) */                                                         \
    /* -L -R -Z width (0: that of the first value), -F -E -X precision; -1: default */             \
    int16_t width;                                                                                 \
    struct array *array; /* elements when VAR_ARRAY */                                             \
    struct value value;  /* the scalar value; unused when VAR_ARRAY */                             \
    union {                                                                                        \
        struct name *target;     /* VAR_NAMEREF: what it points to; NULL: nothing yet */           \
        const struct type *type; /* VAR_ENUM, VAR_TYPED */                                         \
    };                                                                                             \
    union {                                                                                        \
        struct var *target_var; /* VAR_NAMEREF to a variable of the calling function; else NULL */ \
        const struct type *index_type; /* VAR_TYPED_INDEX */                                       \
    };                                                                                             \
    char *target_rest; /* VAR_NAMEREF: what follows TARGET's text: `[key]`, `[1][2].x`; heap;      \
                          NULL: nothing */
struct var_state {
    VAR_STATE_FIELDS
};

struct var {
    struct name *name;
    uint64_t stamp; /* journal */
    union {
        struct {
            VAR_STATE_FIELDS
        };
        struct var_state state;
    };
    struct frame *owner;                  /* frame of a local or temporary; NULL: global */
    struct var *outer;                    /* the variable of the same name that this one shadows */
    struct var *next_local, **local_link; /* list of OWNER's variables */
    struct frame *hidden_by; /* the ksh function whose call hides this local; NULL: visible */
    struct members *in;      /* the compound variable that it is a member of; NULL: none */
    uint32_t refs;           /* its binding or table, and records of the journal (members.h) */
};

enum ref_kind {
    REF_SCALAR, /* the variable itself (element 0 / key "0" of arrays) */
    REF_INDEX,  /* a[INDEX] */
    REF_KEY,    /* a[KEY] */
    REF_ALL,    /* a[@] or a[*] */
    REF_MEMBER, /* only as a step: .MEMBER of what the steps before it mean */
};
/* One of the further subscripts of m[1][2][3], or a member of it; fields as in struct var_ref, KIND
 * is not REF_SCALAR. */
struct ref_step {
    enum ref_kind kind;
    char all;
    int64_t index;
    const char *key;
    size_t key_len;
    struct name *member; /* REF_MEMBER: not dotted */
};
enum { REF_STEPS_MAX = 15 };
struct var_ref {
    struct members *base; /* NAME is a member of it; NULL: a variable */
    struct name *name;
    enum ref_kind kind;
    char all;        /* '@' or '*' of REF_ALL */
    int64_t index;   /* REF_INDEX: may be negative (from the end) */
    const char *key; /* REF_KEY: borrowed */
    size_t key_len;
    uint32_t step_count;          /* further subscripts: m[1][2] has one */
    const struct ref_step *steps; /* borrowed */
};
/* Is VAR, which may be NULL, a reference that scripts see as one? */
static inline bool var_is_reference(const struct var *var)
{
    return var && (var->attrs & (VAR_NAMEREF | VAR_STATIC)) == VAR_NAMEREF;
}
/* VAR, or the static variable that it is the local name of; NULL if VAR is. */
struct var *var_seen(struct var *var);
static inline struct var_ref var_ref_name(struct name *name)
{
    return (struct var_ref){ .name = name, .kind = REF_SCALAR };
}

/* Appends REF as it is written: `c.x[3]`, [@] left out. */
void var_ref_append(struct str *s, const struct var_ref *ref);
/* The same without the name. */
void var_ref_append_subscripts(struct str *s, const struct var_ref *ref);

enum var_assign_flags {
    ASSIGN_APPEND = 1u << 0,      /* += : adds for numbers, appends for strings */
    ASSIGN_TEMP = 1u << 1,        /* of `x=1 cmd`: undone with the nearest CMD frame, exported */
    ASSIGN_LOCAL = 1u << 2,       /* in the nearest FUNC scope: made there when missing */
    ASSIGN_FORCE = 1u << 3,       /* the shell itself: readonly does not apply */
    ASSIGN_KEEP_ARRAY = 1u << 4,  /* REF_SCALAR on an array writes element 0 (always so in ksh) */
    ASSIGN_KEEP_EXPORT = 1u << 5, /* of a whole array by a declaration, which says what it is */
};

/* ---- reading ---- */

/* The live variable after namerefs; NULL when unset. *REF is rewritten to the target (name,
 * element). Fails on loops. */
enum flow var_resolve(struct shell *sh, struct var_ref *ref, struct var **ret_var) NODISCARD;
/* Text of REF. *RET_TEXT = NULL when unset. Calls special getters. */
enum flow var_get(struct shell *sh, const struct var_ref *ref, const char **ret_text,
                  size_t *ret_len) NODISCARD;
/* The same for a plain name: the fast path of $x. */
enum flow var_get_name(struct shell *sh, struct name *name, const char **ret_text,
                       size_t *ret_len) NODISCARD;
/* Value as a number: integer and float variables give theirs without text; others evaluate their
 * text as an arithmetic expression (hooks.arith_text); unset gives 0 (or fails under set -u). */
enum flow var_get_num(struct shell *sh, const struct var_ref *ref, struct num *ret) NODISCARD;
/* Text by C name; NULL when unset or failing; for the shell's own needs (HOME, PATH, PS4). */
const char *var_text(struct shell *sh, const char *name);
bool var_is_set(struct shell *sh, const struct var_ref *ref);

/* ---- writing ---- */

enum flow var_set(struct shell *sh, const struct var_ref *ref, const char *text, size_t len,
                  unsigned flags) NODISCARD;
enum flow var_set_name(struct shell *sh, struct name *name, const char *text, size_t len,
                       unsigned flags) NODISCARD;
enum flow var_set_num(struct shell *sh, const struct var_ref *ref, struct num n,
                      unsigned flags) NODISCARD;
/* NAME, which is a reference, refers to TEXT from now on: `a`, `a[1]`, `a[1][2]`. */
enum flow var_set_reference(struct shell *sh, struct name *name, const char *text,
                            size_t len) NODISCARD;
/* By C name, for the shell itself (ASSIGN_FORCE implied): OPTARG, REPLY, PWD, _ ... */
enum flow var_set_text(struct shell *sh, const char *name, const char *text) NODISCARD;
enum flow var_set_int(struct shell *sh, const char *name, int64_t n) NODISCARD;
/* Unsets a variable (REF_SCALAR), an element, or all elements (REF_ALL). Does not follow a nameref
 * when NO_NAMEREF. */
enum flow var_unset(struct shell *sh, const struct var_ref *ref, bool no_nameref) NODISCARD;
/* Makes REF's variable an empty array of the given shape (VAR_INDEXED/VAR_ASSOC; 0: keep its shape,
 * indexed if none), ready for element assignments; with ASSIGN_APPEND keeps the elements.
 * *RET_NEXT_INDEX: index for the next element without subscript. */
enum flow var_begin_array(struct shell *sh, struct name *name, unsigned shape, unsigned flags,
                          int64_t *ret_next_index) NODISCARD;

/* The same for the element that REF names (m[1], m[1][2]): it becomes an array inside the array. */
enum flow var_begin_array_in(struct shell *sh, const struct var_ref *ref, unsigned shape,
                             unsigned flags, int64_t *ret_next_index) NODISCARD;
/* typeset -a NAME[N][M]...: the array WHOLE, which has no elements yet, gets a fixed size, that of
 * the subscripts of REF, and elements that are empty, or 0. An array with elements stays as it is.
 */
enum flow var_size_array(struct shell *sh, const struct var_ref *whole,
                         const struct var_ref *ref) NODISCARD;
/* Is what REF means, a variable or an element, an associative array? REF has no REF_ALL. */
enum flow var_is_assoc(struct shell *sh, const struct var_ref *ref, bool *ret) NODISCARD;
/* Would one more subscript of REF be a key (text) rather than an index (arithmetic)? REF has no
 * REF_ALL. */
enum flow var_takes_key(struct shell *sh, const struct var_ref *ref, bool *ret) NODISCARD;

/* ---- compound variables ---- */

/* The members of what REF means; NULL: it is not compound. Borrowed until it changes. */
enum flow var_find_members(struct shell *sh, const struct var_ref *ref,
                           struct members **ret) NODISCARD;
/* Makes REF a compound variable without members, or with ASSIGN_APPEND, or if it is an instance of
 * a type, keeps those that are there. *RET is held for the caller (members_release). */
enum flow var_begin_compound(struct shell *sh, const struct var_ref *ref, unsigned flags,
                             struct members **ret) NODISCARD;
/* TO becomes a copy of the compound value FROM. */
enum flow var_copy_compound(struct shell *sh, const struct var_ref *to, struct members *from,
                            unsigned flags) NODISCARD;
/* The name of a function TEXT that is defined among the members of M: `c.TEXT`. */
enum flow compound_function_name(struct shell *sh, const struct members *m, const char *text,
                                 struct name **ret) NODISCARD;
/* The full name of VAR, which was just reached: `a[3].x.y`; scratch, or VAR's own. */
const char *var_label(struct shell *sh, const struct var *var);
/* Appends it to S, without WITH_ROOT only what follows the name of the variable at its root, which
 * is returned. */
const struct var *var_append_path(const struct var *var, bool with_root, struct str *s);
/* Appends the full name of what has the members M. */
void members_append_path(const struct members *m, struct str *s);

/* ---- attributes (typeset) ---- */

struct var_change {
    uint32_t set, clear; /* enum var_attr */
    int base, width;     /* -1: not given */
    bool local;          /* make it in the function's scope */
    bool dynamic;        /* local: in a POSIX function too */
    bool global;         /* typeset -g style if ksh93u+m has it */
    bool doomed;         /* a value follows that replaces the present one, which is not converted */
    const struct type *type, *index_type; /* with set & VAR_ENUM, VAR_TYPED_INDEX */
    struct name *nameref_target;          /* with set & VAR_NAMEREF and an operand */
    const char *nameref_rest;             /* what follows the name: `[1].x` */
    bool nameref_caller; /* the operand came from a parameter ($1 ...): a variable of the calling
                            function is meant */
};
/* Declares NAME with CHANGE: converts the present value(s). Used by typeset, integer, export,
 * readonly, nameref. */
enum flow var_declare(struct shell *sh, struct name *name,
                      const struct var_change *change) NODISCARD;
/* The same for what REF, without subscripts, names: perhaps a member. */
enum flow var_declare_ref(struct shell *sh, const struct var_ref *ref,
                          const struct var_change *change) NODISCARD;
/* Marks the locals rule: the scope where `typeset` writes now: true in a ksh function. */
bool var_in_function(const struct shell *sh);

/* ---- arrays ---- */

/* Elements set in NAME's variable: 1 for a set scalar, 0 for unset. */
size_t var_count(struct shell *sh, struct name *name);
/* Iterates over the elements in order (indices ascending; keys in byte order). A scalar counts as
 * one element [0]. Start with a zeroed cursor; writes to the array end the iteration cleanly
 * (false). */
struct var_cursor {
    struct var *var;
    struct array *array;
    size_t position;
    uint64_t version;
    bool started;
    bool inner;     /* ARRAY is an element of another one */
    bool nested;    /* or a member */
    bool keys_only; /* set by who starts: no values, so that no discipline is asked for them */
};
struct var_item {
    int64_t index;   /* indexed */
    const char *key; /* associative (NULL for indexed) */
    size_t key_len;
    const char *label; /* the item that INDEX is the number of (VAR_TYPED_INDEX); else NULL */
    const char *text;  /* value */
    size_t len;
};
bool var_next(struct shell *sh, struct name *name, struct var_cursor *cursor,
              struct var_item *ret_item);
/* The same three for the array that REF means: `m[1][@]` (kind or last step REF_ALL), or `a` alone.
 */
size_t var_count_in(struct shell *sh, const struct var_ref *ref);
bool var_next_in(struct shell *sh, const struct var_ref *ref, struct var_cursor *cursor,
                 struct var_item *ret_item);
int64_t var_next_index_in(struct shell *sh, const struct var_ref *ref);
/* Highest index + 1 of an indexed array, 0 when none. */
int64_t var_next_index(struct shell *sh, struct name *name);

/* ---- listing ---- */

/* All bound names in byte order whose variable has all bits of ATTRS_ALL (0: all); array in
 * scratch. */
enum flow var_list(struct shell *sh, uint32_t attrs_all, struct name ***ret_names,
                   size_t *ret_count) NODISCARD;
/* The full names of all members of REF, and theirs in turn, in order; array and texts in scratch.
 */
enum flow var_member_names(struct shell *sh, const struct var_ref *ref, const char ***ret_texts,
                           size_t *ret_count) NODISCARD;
/* The names that begin with PREFIX: of variables, and of the members of those. */
enum flow var_prefix_names(struct shell *sh, const char *prefix, size_t len,
                           const char ***ret_texts, size_t *ret_count) NODISCARD;
/* `typeset -p` form of one variable: `typeset -i x=1`, `typeset -A a=([k]=v)`: appended to S; reads
 * back. */
enum flow var_print(struct shell *sh, struct name *name, struct str *s,
                    bool with_command) NODISCARD;
/* What declares VAR as it is: `typeset -i`, or the name of its type; nothing for a plain one. */
enum flow var_print_command(struct shell *sh, const struct var *var, struct str *s) NODISCARD;
/* The same without the value: typeset +p. */
enum flow var_print_head(struct shell *sh, struct name *name, struct str *s) NODISCARD;
/* The same of an element that is an array, under the name TEXT. *RET_IS false: REF means no such
 * element. */
enum flow var_print_element(struct shell *sh, const struct var_ref *ref, const char *text,
                            struct str *s, bool *ret_is) NODISCARD;
/* What print -v and -C show of an array or compound variable that REF means: (...), with LINES an
 * item a line; nothing of an array without elements. *RET_IS false: it is neither. */
enum flow var_print_tree(struct shell *sh, const struct var_ref *ref, bool lines, struct str *s,
                         bool *ret_is) NODISCARD;
/* M as print -v (LINES) or -C shows it, appended to S. */
enum flow members_print(struct shell *sh, struct members *m, bool lines, struct str *s) NODISCARD;
/* TO becomes a copy of ARRAY, all of it. */
enum flow var_copy_array(struct shell *sh, const struct var_ref *to,
                         const struct array *array) NODISCARD;
/* The attributes as options: `-x -i 16`; nothing when there are none. */
void var_print_attrs(const struct var *var, struct str *s);
/* The value as shown by set and typeset: quoted text, or the (...) of an array. */
enum flow var_print_value(struct shell *sh, struct name *name, struct str *s) NODISCARD;
/* Appends TEXT quoted for the shell, as printf %q: nothing, '..' or $'..'. */
void text_quote(struct str *s, const char *text, size_t len);
/* The same for a word of a list in parentheses, where `a=b` would be a member: `a\=b`. */
void text_quote_in_list(struct str *s, const char *text, size_t len);
/* In '..' whatever it is, its own quotes written '\'': as other shells do. */
void text_quote_single(struct str *s, const char *text, size_t len);
/* TEXT as it is shown in a message: itself, or as $'..' in REGION when it holds what cannot be
 * seen, such as newlines and bytes that are no characters. */
const char *text_shown(struct mem_region *region, const char *text);

#endif
