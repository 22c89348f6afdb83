/* From a tree back to text that parses to the same tree. */
#ifndef SHELL_SYNTAX_UNPARSE_H
#define SHELL_SYNTAX_UNPARSE_H

#include "shell/base/str.h"
#include "shell/syntax/ast.h"

/* Appends; several lines with INDENT tabs and a final newline for commands, one line for words. */
void unparse_list(struct str *s, const struct list *list, int indent);
void unparse_node(struct str *s, const struct node *node, int indent);
void unparse_function(struct str *s, const struct node_function *function);
void unparse_word(struct str *s, const struct word *word);
/* The inside of (( )). */
void unparse_arith(struct str *s, const struct word *word);
/* The command on one line, shortened to at most MAX bytes, for job lists. */
void unparse_summary(struct str *s, const struct node *node, size_t max);

/* `>`, `<<` and so on; static. */
const char *redir_operator(enum redir_op op);

#endif
