/*
 * Types that a script defines: enumerations (`enum colour=(red green)`) and compound types
 * (`typeset -T point=(x=1 y=2)`).
 *
 * A compound type is a prototype, of which each instance begins as a copy, and functions, which are
 * called .sh.type.TYPE.NAME: methods, and disciplines of the instance or of a member.
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
struct type_help {
    const struct name *name; /* the member; NULL: the type itself */
    char *text;              /* heap */
};
struct type {
    const char *name;
    size_t name_len;
    bool ignore_case;
    size_t count;
    struct type_item *items;   /* of an enumeration */
    struct members *prototype; /* of a compound type: what an instance starts as; else NULL */
    const struct type *parent; /* the type that it extends; NULL: none */
    struct type_help *help;    /* what -h said of members */
    size_t help_count;
    char *doc;         /* heap: what the command's --man says */
    struct type *next; /* abandoned */
    void *command; /* of builtins/enum.c: the declaration command of the same name; freed with the
                  type */
};

/* Defines NAME with ITEMS, all of which are copied. COMMAND (heap) is taken. Fails when the name is
 * taken. */
enum flow type_define(struct shell *sh, const char *name, bool ignore_case,
                      const struct type_item *items, size_t count, void *command,
                      const struct type **ret) NODISCARD;
const struct type *type_find(const struct shell *sh, const char *name, size_t len); /* NULL: none */
/* The type that NAME means here: .n.NAME of the name space in force, or NAME. NULL: none. */
const struct type *type_find_visible(struct shell *sh, const char *name, size_t len);
/* The number of the item TEXT; -1: none. */
int64_t type_item_find(const struct type *type, const char *text, size_t len);
/* The same, or fails: `NAME: invalid value TEXT`. */
enum flow type_item_number(struct shell *sh, const struct type *type, const char *name,
                           const char *text, size_t len, int64_t *ret) NODISCARD;
/* Fails unless N is the number of an item: `NAME: value N out of enum range`. */
enum flow type_check_number(struct shell *sh, const struct type *type, const char *name,
                            int64_t n) NODISCARD;
/* Begins the compound type NAME; its prototype is open for members. COMMAND as above. */
enum flow type_begin(struct shell *sh, const char *name, void *command,
                     struct type **ret) NODISCARD;
/* Its prototype is complete. */
void type_end(struct type *type);
/* The members of TYPE that all instances share are variables of their own, too:
 * `.sh.type.TYPE.NAME`. */
enum flow type_share(struct shell *sh, const struct type *type) NODISCARD;
/* TYPE could not be completed: its name is free again. It stays for what points to it. */
void type_abandon(struct shell *sh, struct type *type);
/* TYPE, being defined, gets the members of PARENT, of which it is an extension. */
enum flow type_extend(struct shell *sh, struct type *type, const struct type *parent) NODISCARD;
/* Remembers what -h says of member NAME (NULL: the type). */
enum flow type_help_add(struct shell *sh, struct type *type, const struct name *name,
                        const char *text) NODISCARD;
/* The function NAME of TYPE or of a type that it extends; NULL: none. */
struct func *type_method(struct shell *sh, const struct type *type, const char *name);
/* The name under which TYPE's function NAME is kept. NULL: out of memory. */
struct name *type_method_name(struct shell *sh, const struct type *type, const char *name,
                              size_t len);
void type_free_all(struct shell *sh);

#endif
