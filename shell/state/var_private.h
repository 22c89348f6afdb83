/*
 * What the files of the variable module share: var_*.c, scope.c, attr.c, decl.c, nameref.c. Not for
 * other modules.
 */
#ifndef SHELL_STATE_VAR_PRIVATE_H
#define SHELL_STATE_VAR_PRIVATE_H

#include "shell/state/array.h"
#include "shell/state/members.h"
#include "shell/state/type.h"
#include "shell/state/undo.h"
#include "shell/state/var.h"

/* A reference after namerefs and defaults were worked out: the variable and what of it is meant. */
struct place {
    struct name *name;      /* as it was written, or of the member */
    struct var *var;        /* NULL: no variable of that name yet */
    struct members *parent; /* VAR is NULL: where a member of NAME would be; NULL: no such place */
    bool entered;           /* a member, or inside of one: not made by its name alone */
    enum ref_kind
        kind; /* the first subscript. REF_SCALAR only of non-arrays; REF_INDEX only of indexed
                 arrays and scalars, not negative; REF_KEY only of associative arrays; REF_ALL */
    int64_t index;
    const char *key;
    size_t key_len;
    char digits[24];     /* KEY of a numeric subscript of an associative array */
    uint32_t step_count; /* subscripts after the first one, as written */
    struct value *inner; /* STEP_COUNT > 0: the value that they lead to (all but a last REF_ALL);
                            NULL: none */
    struct ref_step steps[REF_STEPS_MAX];
};
/* Works REF out. Nothing is made: what does not exist yet is NULL in the place. */
enum flow place_find(struct shell *sh, const struct var_ref *ref, struct place *ret) NODISCARD;
/* The same on behalf of a write: compound variables and members that are missing on the way are
 * made. */
enum flow place_make(struct shell *sh, const struct var_ref *ref, struct place *ret) NODISCARD;
/* As place_find; a reference without a subscript at its end means the array as a whole. */
enum flow place_find_whole(struct shell *sh, const struct var_ref *ref,
                           struct place *ret) NODISCARD;
/* The last step of both: default elements, negative indices, arrays in arrays. */
enum flow place_settle(struct shell *sh, struct place *place) NODISCARD;
/* PLACE's variable is followed while it is a name reference. */
enum flow place_follow(struct shell *sh, struct place *place, bool make) NODISCARD;
/* The subscripts of *REST, which follows TARGET in a reference that starts from ROOT (NULL: the
 * visible variable), are worked out: `[i]` of an indexed array becomes `[3]`. In scratch. */
enum flow reference_settle(struct shell *sh, struct name *target, struct var *root,
                           const char **rest) NODISCARD;
/* The reference that leads to PLACE; borrows from it. */
static inline struct var_ref place_ref(const struct place *place)
{
    return (struct var_ref){ .base = place->var ? place->var->in : NULL,
                             .name = place->var && place->var->in ? place->var->name : place->name,
                             .kind = place->kind,
                             .all = '@',
                             .index = place->index,
                             .key = place->key,
                             .key_len = place->key_len,
                             .step_count = place->step_count,
                             .steps = place->steps };
}
/* What is stored at PLACE, set or not, perhaps an array; NULL when there is no such place. */
struct value *place_stored(const struct place *place);
/* The data that PLACE stands for: of an array its element 0. NULL or unset: none. */
const struct value *place_value(const struct place *place);
/* The array whose elements PLACE means (REF_ALL as last subscript, or no subscript); NULL: it is
 * none. */
struct array *place_array(const struct place *place);
/* Does PLACE mean all elements of an array? */
bool place_is_all(const struct place *place);

/* Where in an array a subscript points. */
struct slot {
    struct array *array;
    int64_t index;
    const char *key;
    size_t key_len;
    char digits[24];
};
/* Works out STEP for ARRAY; negative indices count from the end. WHAT names it in messages. */
enum flow slot_find(struct shell *sh, const char *what, struct array *array,
                    const struct ref_step *step, struct slot *ret) NODISCARD;
struct value *slot_value(const struct slot *slot); /* NULL: none */

/* ---- compound.c: the way into compound variables ---- */

/* From PLACE, not settled, to its member MEMBER. MAKE: what is missing is made, or it fails; else
 * PLACE is without a variable then. */
enum flow place_enter(struct shell *sh, struct place *place, struct name *member,
                      bool make) NODISCARD;
/* The same from the table itself. */
enum flow place_enter_members(struct shell *sh, struct members *m, struct name *member,
                              struct place *place, bool make) NODISCARD;
/* A member NAME of M, made and journaled when missing. */
enum flow member_make(struct shell *sh, struct members *m, struct name *name,
                      struct var **ret_var) NODISCARD;
/* The members that PLACE, settled, has; NULL: it is not compound. */
struct members *place_members(const struct place *place);
/* PLACE, settled, becomes compound, or an instance of its type, unless it is that already. */
enum flow place_make_members(struct shell *sh, struct place *place) NODISCARD;
/* PLACE, settled, whose value has members, becomes the value beside them (`.`), if there is one. */
void place_to_self(struct place *place);
/* So many levels of members are enough for any script, and few enough for the C stack. */
enum { MEMBERS_LEVELS_MAX = 1000 };
/* M, which is no instance of a type, gets copies of all members of FROM. */
enum flow members_append(struct shell *sh, struct members *m, struct members *from) NODISCARD;
/* Fails when M as the value of VAR would have too many. */
enum flow members_check_levels(struct shell *sh, const struct var *var,
                               struct members *m) NODISCARD;
/* Unset VAR, which is a member, leaves its table if no record needs it there. */
void member_unset(struct shell *sh, struct var *var);

/* VAR, a member of an instance whose state is empty (and saved), starts anew as its type says. */
enum flow member_reset(struct shell *sh, struct var *var) NODISCARD;

/* Data on its way into a value: already converted by the attributes. */
struct draft {
    uint8_t bits;            /* VALUE_TEXT, VALUE_INT, VALUE_FLOAT or VALUE_COMPOUND */
    struct members *members; /* VALUE_COMPOUND: its reference is taken when it was stored */
    const char *text;
    size_t len;
    int64_t i;
    long double f;
};

/* ---- attr.c: what attributes do to data ---- */

/* TEXT as a number: a constant, or an arithmetic expression (hook). Empty text is 0. */
enum flow attr_parse_num(struct shell *sh, const char *text, size_t len, struct num *ret) NODISCARD;
/* Converts text for VAR (NULL: no attributes). OLD: the present value when appending, else NULL.
 * Results in scratch, or TEXT itself. */
enum flow attr_convert_text(struct shell *sh, const struct var *var, const struct value *old,
                            const char *text, size_t len, struct draft *ret) NODISCARD;
enum flow attr_convert_num(struct shell *sh, const struct var *var, const struct value *old,
                           struct num n, struct draft *ret) NODISCARD;
/* The text of VALUE as VAR shows it; scratch when it must be made. VALUE NULL or unset: *RET_TEXT =
 * NULL. */
enum flow attr_show(struct shell *sh, const struct var *var, const struct value *value,
                    const char **ret_text, size_t *ret_len) NODISCARD;
/* N as an integer variable with ATTRS keeps it: wrapped to 16, 32 or 64 bits. */
int64_t attr_wrap(uint32_t attrs, int64_t n);

/* ---- var_undo.c ---- */

/* Before VAR changes as a whole: if a subshell must be able to put it back, moves its state into a
 * record, leaving VAR with its attributes but no data. *RET_SAVED: the record's copy of the old
 * state, NULL when nothing had to be saved. */
enum flow var_save(struct shell *sh, struct var *var, struct var_state **ret_saved) NODISCARD;
/* With a var_save: ARRAY, which is VAR's from now on, in place of the elements that VAR has. On
 * failure it is freed. */
enum flow var_replace_array(struct shell *sh, struct var *var, struct array *array) NODISCARD;
/* The place to write REF to, in the scope that FLAGS ask for; its variable is there and may be
 * written. */
enum flow place_for_write(struct shell *sh, const struct var_ref *ref, unsigned flags,
                          struct place *ret) NODISCARD;
/* The same as place_find_whole is to place_find. */
enum flow place_for_write_whole(struct shell *sh, const struct var_ref *ref, unsigned flags,
                                struct place *ret) NODISCARD;
/* VAR, which may be written, becomes an array: var_begin_array. */
enum flow var_begin_whole(struct shell *sh, struct var *var, unsigned shape, unsigned flags,
                          int64_t *ret_next_index) NODISCARD;
/* An array VAR becomes an unset variable with its other attributes. */
enum flow var_become_scalar(struct shell *sh, struct var *var) NODISCARD;
/* A scalar VAR becomes an indexed array with its value as element 0. */
enum flow var_make_indexed(struct shell *sh, struct var *var) NODISCARD;
/* The element of PLACE's first subscript, made (unset but counted) when missing; NULL: out of
 * memory. *RET_ELEMENT: for associative arrays. place_unput takes it back if it WAS_SET not; STAMP
 * as it was before. */
struct value *place_put(const struct place *place, struct element **ret_element);
void place_unput(const struct place *place, struct element *element, uint64_t stamp);

/* ---- var_inner.c: arrays inside of arrays ---- */

/* Stores DRAFT where the steps of PLACE lead, making the arrays on the way. */
enum flow inner_store(struct shell *sh, struct place *place, const struct draft *draft,
                      bool append) NODISCARD;
/* Unsets what the steps of PLACE lead to, if it is there. */
enum flow inner_unset(struct shell *sh, struct place *place) NODISCARD;
/* One subscript more for PLACE: its element 0. */
void place_add_zero(struct place *place, bool assoc);

/* Takes a var_save back (SAVED not NULL, and its record is the newest): the change failed. */
void var_unsave(struct shell *sh, struct var *var);
/* Before the element of PLACE (VALUE: its place in the array, with the stamp) changes: makes a
 * record if needed. The old value is moved into it. WAS_SET: of the element. */
enum flow var_save_element(struct shell *sh, const struct place *place, struct element *element,
                           struct value *value, bool was_set, bool *ret_saved) NODISCARD;
/* Frees what STATE owns. */
void var_state_clear(struct shell *sh, struct var_state *state);
/* Frees VAR and its data; it must be bound nowhere. */
void var_free(struct shell *sh, struct var *var);
/* Tells whom it concerns that VAR has (TEXT) or lost (NULL) its value: environment, special
 * variables. */
enum flow var_notify(struct shell *sh, struct var *var) NODISCARD;

void var_rollback_state(struct shell *sh, struct undo_var *undo);
void var_discard_state(struct shell *sh, struct undo_var *undo);
void var_rollback_binding(struct shell *sh, struct undo_bind *undo);
void var_discard_binding(struct shell *sh, struct undo_bind *undo);
void var_rollback_element(struct shell *sh, struct undo_element *undo);
void var_discard_element(struct shell *sh, struct undo_element *undo);

/* Appends what PLACE is called, subscripts and all; as var_append_path. */
const struct var *place_append_path(const struct place *place, bool with_root, struct str *s);
/* The attributes of VAR that show as options. */
uint32_t var_shown_attrs(const struct var *var);
/* What the reference VAR refers to, quoted. */
void var_print_reference(const struct shell *sh, const struct var *var, struct str *s);
/* The members as print -v shows them, in scratch. */
enum flow var_show_members(struct shell *sh, struct members *m, const char **ret_text,
                           size_t *ret_len) NODISCARD;
/* As attr_show, of any kind of value. */
enum flow var_show_value(struct shell *sh, struct var *var, const struct value *value,
                         const char **ret_text, size_t *ret_len) NODISCARD;
/* Stores DRAFT at PLACE, which place_for_write found. */
enum flow place_store(struct shell *sh, struct place *place, const struct draft *draft,
                      unsigned flags) NODISCARD;
void var_rollback_member(struct shell *sh, struct undo_member *undo);
void var_discard_member(struct shell *sh, struct undo_member *undo);
void var_rollback_flags(struct shell *sh, struct undo_flags *undo);
void var_discard_flags(struct shell *sh, struct undo_flags *undo);
/* VAR's attributes become ATTRS, journaled apart from its data, which stay where they are. */
enum flow var_set_flags(struct shell *sh, struct var *var, uint32_t attrs) NODISCARD;

/* Fails when VAR is read-only and FLAGS has no ASSIGN_FORCE. */
enum flow var_check_writable(struct shell *sh, const struct var *var, unsigned flags) NODISCARD;
/* The item that INDEX of VAR's own ARRAY is the number of; NULL: it has none. */
static inline const char *index_label(const struct var *var, const struct array *array,
                                      int64_t index)
{
    bool typed = (var->attrs & VAR_TYPED_INDEX) && array == var->array;
    return typed && (uint64_t)index < var->index_type->count ? var->index_type->items[index].text
                                                             : NULL;
}
/* VAR gets data: it is no more VAR_NOTHING, and exported under allexport. What was before is
 * recorded if its state was not. */
enum flow var_mark_set(struct shell *sh, struct var *var) NODISCARD;
/* Is there data in VAR. */
bool var_has_value(const struct var *var);

#endif
