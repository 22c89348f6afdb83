/*
 * Types that a script defines: enumerations (`enum colour=(red green)`).
 *
 * A variable of a type (VAR_ENUM) holds the number of its item; an array with a type as its index
 * (VAR_TYPED_INDEX, typeset -a [colour]) takes items as subscripts. Types never change; one defined
 * in a subshell ends with it.
 */
#ifndef SHELL_STATE_TYPE_H
#define SHELL_STATE_TYPE_H

#include "shell/state/name.h"
#include "shell/state/shell.h"

struct type_item {
    const char *text;
    size_t len;
};
struct type {
    const char *name;
    size_t name_len;
    bool ignore_case;
    size_t count;
    struct type_item *items;
    void *command; /* of builtins/enum.c: the declaration command of the same name; freed with the
                      type */
};

/* Defines NAME with ITEMS, all of which are copied. COMMAND (heap) is taken. Fails when the name is
 * taken. */
enum flow type_define(struct shell *sh, const char *name, bool ignore_case,
                      const struct type_item *items, size_t count, void *command,
                      const struct type **ret) NODISCARD;
const struct type *type_find(const struct shell *sh, const char *name, size_t len); /* NULL: none */
/* The number of the item TEXT; -1: none. */
int64_t type_item_find(const struct type *type, const char *text, size_t len);
/* The same, or fails: `NAME: invalid value TEXT`. */
enum flow type_item_number(struct shell *sh, const struct type *type, const char *name,
                           const char *text, size_t len, int64_t *ret) NODISCARD;
/* Fails unless N is the number of an item: `NAME: value N out of enum range`. */
enum flow type_check_number(struct shell *sh, const struct type *type, const char *name,
                            int64_t n) NODISCARD;
void type_free_all(struct shell *sh);

#endif
