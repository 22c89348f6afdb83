/* Modes of files as chmod writes them. */
#ifndef BUILTINS_MODE_H
#define BUILTINS_MODE_H

#include <stdbool.h>
#include <sys/types.h>

/* Octal digits up to MOST; false: TEXT is something else. */
bool mode_parse_octal(const char *text, mode_t most, mode_t *ret);
/* clause(,clause)* with clause: [ugoa]*([+-=][rwxXstugo]*)+, applied to *MODE. False: TEXT is none,
 * and *MODE may have changed. */
bool mode_parse_symbolic(const char *text, mode_t *mode);

#endif
