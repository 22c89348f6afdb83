/* Backslash escapes of print, echo and printf. */
#ifndef BUILTINS_ESCAPE_H
#define BUILTINS_ESCAPE_H

#include "shell/base/str.h"

/* Appends TEXT with the escapes of print made: \a \b \c \f \n \r \t \v \E \\ \0ooo. Others stay.
 * False: a \c was met; nothing after it is to be written. */
bool escape_print(struct str *s, const char *text, size_t len);
/* As escape_print, with echo -e's \e \xHH \uHHHH \UHHHHHHHH. */
bool escape_echo(struct str *s, const char *text, size_t len);
/* As escape_echo, with \ooo as well: what %b makes. */
bool escape_b(struct str *s, const char *text, size_t len);
/* Appends what the escape of a printf format at *TEXT (the backslash) means and moves *TEXT past
 * it. */
void escape_format(struct str *s, const char **text);

#endif
