/*
 * Name spaces: `namespace n { ...; }` and the functions defined in it.
 *
 * A name space n is a compound variable called .n. While its commands run, its members are bound to
 * their plain names, behind locals and in front of globals; what is assigned then and is no local
 * becomes a member.
 */
#ifndef SHELL_STATE_NAMESPACE_H
#define SHELL_STATE_NAMESPACE_H

#include "shell/state/var.h"

struct space {
    struct space *outer; /* not in force while this one is */
    struct name *name;   /* .n */
    struct members *members;
    struct var **bound; /* members on the stacks of their names; heap */
    size_t count, cap;
};

/* The name space called NAME (.n; NULL: none) comes into force; SPACE is the caller's storage. */
enum flow space_enter(struct shell *sh, struct space *space, struct name *name) NODISCARD;
/* The one before it is in force again. */
void space_leave(struct shell *sh, struct space *space);
/* Is NAME, without a local variable, one of the name space's in force when it is assigned? */
bool space_owns(const struct shell *sh, const struct name *name);
/* The member NAME of the name space in force, made and bound when missing. */
enum flow space_member(struct shell *sh, struct name *name, struct var **ret_var) NODISCARD;
/* VAR is a member of the name space in force: binds it, unless it is already. */
enum flow space_bind(struct shell *sh, struct var *var) NODISCARD;
/* VAR, a member, is about to go: it is bound no more. */
void space_unbind(struct shell *sh, struct var *var);
/* TEXT, the name of a variable, as it is shown: in the name space n without its `.n.`; a
 * static variable of a function by its local name. */
const char *space_short(const struct shell *sh, const char *text);
/* `.n.TEXT` of the name space in force, if that name exists; else NULL. */
struct name *space_find(struct shell *sh, const char *text, size_t len);

#endif
