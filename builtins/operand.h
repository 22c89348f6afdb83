/* Operands that several builtins take: variables and descriptors. */
#ifndef BUILTINS_OPERAND_H
#define BUILTINS_OPERAND_H

#include "builtins/builtin.h"
#include "shell/state/var.h"

/* The variable or element written as TEXT. Keys live in scratch. Fails `CMD: TEXT: invalid variable
 * name`. */
enum flow operand_ref(struct shell *sh, const struct args *args, const char *text, size_t len,
                      struct var_ref *ret) NODISCARD;
/* The number of a descriptor; `p` gives the coprocess's (COPROC, -1: none). Fails `CMD: TEXT: bad
 * file unit number`. */
enum flow operand_fd(struct shell *sh, const struct args *args, const char *text, int coproc,
                     int *ret) NODISCARD;

#endif
