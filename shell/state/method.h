/*
 * Functions that belong to a variable: p.len of a type, c.f of a compound variable.
 */
#ifndef SHELL_STATE_METHOD_H
#define SHELL_STATE_METHOD_H

#include "shell/state/var.h"

/* REF has just become an instance of a type: calls the functions `create` of the types of its
 * members and of its own. */
enum flow method_create(struct shell *sh, const struct var_ref *ref) NODISCARD;
/* The command p.len: calls the function of that name, or len of the type that p is an instance of.
 * *RET_DONE false: there is none. */
enum flow method_command(struct shell *sh, size_t argc, const char *const *argv,
                         bool *ret_done) NODISCARD;
/* The function that the command p.len would call; NULL: none. */
struct func *method_find(struct shell *sh, const char *command);
/* What the function that COMMAND calls prints, without newlines at its end, in the scratch region.
 */
enum flow method_output(struct shell *sh, const char *command, const char **ret_text,
                        size_t *ret_len) NODISCARD;
/* What `${p.len}` gives where p is an instance of a type that has no member len, but a function:
 * what that prints. place_find() of REF has just failed; if there is no such function, so does
 * this, with the same error. */
enum flow method_value(struct shell *sh, const struct var_ref *ref, const char **ret_text,
                       size_t *ret_len) NODISCARD;
/* Is TEXT the name of a discipline: get, set ... */
bool discipline_is_name(const char *text, size_t len);

/* For this layer: in a CMD frame just pushed, makes `_`, .sh.name and .sh.subscript mean PLACE. */
struct place;
enum flow method_bind(struct shell *sh, const struct place *place) NODISCARD;
/* The same for the variable called WHAT. TEXT NULL: unset. */
enum flow method_bind_name(struct shell *sh, const char *what, const char *text, size_t len,
                           struct name **ret_name) NODISCARD;

#endif
