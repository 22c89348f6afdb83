/*
 * Which variable a name means: bindings, locals of ksh functions, temporary variables of commands.
 *
 * The variables of a name form a stack: name->cur is the visible one, its OUTER the one it shadows,
 * at the bottom the global one. Calling a ksh function takes the caller's locals out of their
 * stacks (they know who hides them); its return puts them back on top.
 */
#ifndef SHELL_STATE_SCOPE_H
#define SHELL_STATE_SCOPE_H

#include "shell/state/frame.h"
#include "shell/state/var.h"

/* CALLER's locals, and the temporary variables of its call, disappear because the ksh function of
 * frame CALLEE starts; those exported are copied into CALLEE, so that it may read but not change
 * them. */
void scope_hide(struct shell *sh, struct frame *caller, struct frame *callee);
/* Undoes scope_hide after CALLEE's own variables are gone. */
void scope_show(struct shell *sh, struct frame *caller, struct frame *callee);

/* For a look at the caller of the running ksh function of frame FUNC: FUNC's own locals disappear
 * and its caller's are seen again; and back. */
void scope_peel(struct shell *sh, struct frame *func);
void scope_unpeel(struct shell *sh, struct frame *func);

/* The global variable of NAME, made at the bottom of the stack when missing (journaled). */
enum flow scope_global(struct shell *sh, struct name *name, struct var **ret_var) NODISCARD;
/* The same, but no subshell takes away what was made: for the shell's own variables. */
enum flow scope_lasting(struct shell *sh, struct name *name, struct var **ret_var) NODISCARD;
/* The variable of NAME in the scope of the running ksh function, made when missing: unset and
 * without attributes. Outside of functions the visible or global one. */
enum flow scope_local(struct shell *sh, struct name *name, struct var **ret_var) NODISCARD;
/* The frame of the innermost call of a function of either kind; NULL: none runs. */
struct frame *scope_call(const struct shell *sh);
/* The same as scope_local(), but exported when the one that it shadows is, and in a POSIX function
 * the variable lives as long as the call, and
 * the functions that it calls see it. */
enum flow scope_dynamic(struct shell *sh, struct name *name, struct var **ret_var) NODISCARD;
/* NAME's variable of the running simple command (`x=1 cmd`), made when missing, exported, with the
 * attributes of what is visible and, if WITH_VALUE, a copy of its value. */
enum flow scope_temporary(struct shell *sh, struct name *name, bool with_value,
                          struct var **ret_var) NODISCARD;
/* What the reference HOLDER, which has a target, starts from; NULL: the visible variable. A global
 * reference means a global one also where a local of that name is seen. */
struct var *scope_reference_root(const struct shell *sh, const struct var *holder);
/* A reference HOLDER to ROOT is made: *RET_VAR is the variable that it is bound to for good, so
 * that a later local of that name does not come between; made when missing. NULL: the one that is
 * visible whenever it is used. */
enum flow scope_reference_bind(struct shell *sh, const struct var *holder, struct name *root,
                               struct var **ret_var) NODISCARD;
/* The local variable that NAME means in the function that called the running one; NULL: there is
 * none. */
struct var *scope_caller_local(struct shell *sh, const struct name *name);
/* The variable that NAME means there, the global one (made when missing) if no local. NULL: no ksh
 * function runs whose caller has other variables. */
enum flow scope_caller_var(struct shell *sh, struct name *name, struct var **ret_var) NODISCARD;
/* Does a local of a running ksh function bear NAME? */
bool scope_has_local(const struct shell *sh, const struct name *name);

#endif
