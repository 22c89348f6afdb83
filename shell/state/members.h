/*
 * The members of a compound variable: a table from names (`x` of c.x) to variables. Plain storage,
 * like value.h and array.h; the table is one kind of value, so that variables, elements of arrays
 * and members alike may be compound.
 *
 * A table and each variable in it are counted: the value that holds it has one reference, and so
 * has whoever must survive its removal (a record of the journal, an assignment under way).
 */
#ifndef SHELL_STATE_MEMBERS_H
#define SHELL_STATE_MEMBERS_H

#include "shell/state/var.h"

struct members {
    struct mem_region *nodes; /* variables */
    struct mem_region *heap;  /* tables, and what the variables hold */
    uint64_t stamp; /* the subshell it was made in: members made there need no record; 0: any */
    uint32_t refs;  /* the value that holds it, and assignments under way */
    uint32_t count, cap;
    struct var **items; /* in the order in which they were made; unset ones may be among them */
    uint32_t *index;    /* hash of names -> number in ITEMS + 1; NULL while there are few */
    uint32_t index_cap;
    struct var
        *self; /* the member `.`: the value of the variable itself beside its members; NULL */
    const struct type *type; /* what it is an instance of; NULL: none */
    bool open;               /* TYPE is being defined: members may still come */
    struct var *of; /* the variable that it is the value, or an element, of: right after the way
                       from there was taken (compound.c) */
};

/* An empty table; NULL: out of memory. */
struct members *members_new(struct mem_region *nodes, struct mem_region *heap);
struct members *members_hold(struct members *m);
void members_release(struct members *m); /* NULL is ok */
/* A deep copy of all that is set, without stamps; NULL: out of memory. */
struct members *members_dup(const struct members *m);

/* The variable of NAME, set or not; NULL: none. */
struct var *members_find(const struct members *m, const struct name *name);
/* Puts a new unset variable of NAME, which must not be there yet. NULL: out of memory. */
struct var *members_put(struct members *m, struct name *name);
/* Takes VAR out and gives up the table's reference to it. */
void members_remove(struct members *m, struct var *var);
/* All that are in use, in the order of their names, or of their making for an instance of a type:
 * an array of *RET_COUNT in heap of the table, to be freed by the caller; NULL: none, or out of
 * memory. */
struct var **members_sorted(const struct members *m, size_t *ret_count);

/* One reference fewer; the last frees the variable and its data. */
void var_drop(struct mem_region *nodes, struct var *var);
/* TO, whose state is empty, gets a copy of FROM's. false: out of memory. */
bool var_copy_state(struct mem_region *heap, struct var *to, const struct var *from) NODISCARD;
/* Has VAR a value, or an attribute that makes it worth showing? */
bool member_in_use(const struct var *var);

#endif
