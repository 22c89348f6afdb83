/* What kill and stop share. */
#ifndef BUILTINS_KILL_H
#define BUILTINS_KILL_H

#include "builtins/builtin.h"

/* Sends SIGNAL to the job or process that OPERAND names. What fails is reported at once and makes
 * sh->status 1. */
void kill_send(struct shell *sh, const struct args *args, const char *operand, int signal);

#endif
