/* What xref_walk.c and xref_command.c know of each other. */
#ifndef SHELL_SYNTAX_XREF_PRIVATE_H
#define SHELL_SYNTAX_XREF_PRIVATE_H

#include "shell/syntax/xref.h"

/* What the expansions in WORD refer to; NULL: nothing. */
void xref_word(struct xref *x, const struct word *word);
/* The same of an arithmetic expression, whose text has names, too. */
void xref_arith(struct xref *x, const struct word *word);
/* Names in the text of an expression, or of a part of one. */
void xref_expression(struct xref *x, const char *text, size_t len, uint32_t line);
/* The words and assignments of ARG; what it assigns to is of KIND and put to USE. */
void xref_operand(struct xref *x, const struct arg *arg, enum xref_kind kind, enum xref_use use);
/* The command word of NODE and its arguments. */
void xref_command(struct xref *x, const struct node_simple *node);
/* Length of the name of a variable that TEXT begins with. */
size_t xref_name_len(const char *text);

#endif
