/* Backslash escapes of print, echo and printf. */
#ifndef BUILTINS_ESCAPE_H
#define BUILTINS_ESCAPE_H

#include "shell/base/str.h"

/* Appends TEXT with the escapes of print, echo -e and %b made: \a \b \c \f \n \r \t \v \E \\ \0ooo.
 * Others stay. False: a \c was met; nothing after it is to be written. */
bool escape_print(struct str *s, const char *text, size_t len);
/* Appends what the escape of a printf format at *TEXT (the backslash) means and moves *TEXT past
 * it. */
void escape_format(struct str *s, const char **text);

#endif
