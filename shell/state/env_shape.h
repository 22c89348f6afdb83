/*
 * The attributes of exported variables in one string of the environment, in the form that ksh93
 * writes and reads: `"*x=&  y` says that x is an integer. Only attributes that shape the value are
 * told.
 */
#ifndef SHELL_STATE_ENV_SHAPE_H
#define SHELL_STATE_ENV_SHAPE_H

#include "shell/base/str.h"
#include "shell/state/var.h"

/* Appends the entry of VAR to S; nothing when no attribute shapes its value. */
void env_shape_append(struct str *s, const struct var *var);
/* Gives imported variables the attributes that TEXT tells of. What is malformed or does not fit
 * the value is passed over. */
enum flow env_shape_import(struct shell *sh, const char *text) NODISCARD;

#endif
