/*
 * What the files of the variable module share: var_*.c, scope.c, attr.c, decl.c, nameref.c. Not for other modules.
 */
#ifndef SHELL_STATE_VAR_PRIVATE_H
#define SHELL_STATE_VAR_PRIVATE_H

#include "shell/state/array.h"
#include "shell/state/undo.h"
#include "shell/state/var.h"

/* A reference after namerefs and defaults were worked out: the variable and what of it is meant. */
struct place {
    struct name *name;
    struct var *var;    /* NULL: no variable of that name yet */
    enum ref_kind kind; /* REF_SCALAR only of non-arrays; REF_INDEX only of indexed arrays and scalars, not negative;
                           REF_KEY only of associative arrays; REF_ALL */
    int64_t index;
    const char *key;
    size_t key_len;
    char digits[24];    /* KEY of a numeric subscript of an associative array */
};
/* Works REF out. FOR_WRITE: a negative index or a loop is an error in any case; else only what would be read. */
enum flow place_find(struct shell *sh, const struct var_ref *ref, struct place *ret) NODISCARD;
/* The value of PLACE, set or not; NULL when there is none. */
struct value *place_value(const struct place *place);

/* Data on its way into a value: already converted by the attributes. */
struct draft {
    uint8_t bits; /* VALUE_TEXT, VALUE_INT or VALUE_FLOAT */
    const char *text;
    size_t len;
    int64_t i;
    long double f;
};

/* ---- attr.c: what attributes do to data ---- */

/* TEXT as a number: a constant, or an arithmetic expression (hook). Empty text is 0. */
enum flow attr_parse_num(struct shell *sh, const char *text, size_t len, struct num *ret) NODISCARD;
/* Converts text for VAR (NULL: no attributes). OLD: the present value when appending, else NULL. Results in scratch, or TEXT
 * itself. */
enum flow attr_convert_text(struct shell *sh, const struct var *var, const struct value *old, const char *text, size_t len,
                            struct draft *ret) NODISCARD;
enum flow attr_convert_num(struct shell *sh, const struct var *var, const struct value *old, struct num n,
                           struct draft *ret) NODISCARD;
/* The text of VALUE as VAR shows it; scratch when it must be made. VALUE NULL or unset: *RET_TEXT = NULL. */
enum flow attr_show(struct shell *sh, const struct var *var, const struct value *value, const char **ret_text,
                    size_t *ret_len) NODISCARD;
/* N as an integer variable with ATTRS keeps it: wrapped to 16, 32 or 64 bits. */
int64_t attr_wrap(uint32_t attrs, int64_t n);

/* ---- var_undo.c ---- */

/* Before VAR changes as a whole: if a subshell must be able to put it back, moves its state into a record, leaving VAR with
 * its attributes but no data. *RET_SAVED: the record's copy of the old state, NULL when nothing had to be saved. */
enum flow var_save(struct shell *sh, struct var *var, struct var_state **ret_saved) NODISCARD;
/* Takes a var_save back (SAVED not NULL, and its record is the newest): the change failed. */
void var_unsave(struct shell *sh, struct var *var);
/* Before the element of PLACE (VALUE: its place in the array, with the stamp) changes: makes a record if needed. The old
 * value is moved into it. WAS_SET: of the element. */
enum flow var_save_element(struct shell *sh, const struct place *place, struct element *element, struct value *value,
                           bool was_set, bool *ret_saved) NODISCARD;
/* Frees what STATE owns. */
void var_state_clear(struct shell *sh, struct var_state *state);
/* Frees VAR and its data; it must be bound nowhere. */
void var_free(struct shell *sh, struct var *var);
/* Tells whom it concerns that VAR has (TEXT) or lost (NULL) its value: environment, special variables. */
enum flow var_notify(struct shell *sh, struct var *var) NODISCARD;

void var_rollback_state(struct shell *sh, struct undo_var *undo);
void var_discard_state(struct shell *sh, struct undo_var *undo);
void var_rollback_binding(struct shell *sh, struct undo_bind *undo);
void var_discard_binding(struct shell *sh, struct undo_bind *undo);
void var_rollback_element(struct shell *sh, struct undo_element *undo);
void var_discard_element(struct shell *sh, struct undo_element *undo);

/* Fails when VAR is read-only and FLAGS has no ASSIGN_FORCE. */
enum flow var_check_writable(struct shell *sh, const struct var *var, unsigned flags) NODISCARD;
/* Is there data in VAR. */
bool var_has_value(const struct var *var);
/* Dotted names other than the shell's own are compound variables: not executed yet. */
enum flow name_check_supported(struct shell *sh, const struct name *name) NODISCARD;

#endif
