/* How LC_NUMERIC writes numbers. The shell language itself, arithmetic and variables, keeps to the
 * dot in every locale; printf shows and reads the locale's. */
#ifndef SHELL_BASE_NUMERIC_H
#define SHELL_BASE_NUMERIC_H

#include <stdbool.h>

enum { NUMERIC_SYMBOL_MAX = 15 };

struct numeric {
    char radix[NUMERIC_SYMBOL_MAX + 1];     /* the decimal point */
    char thousands[NUMERIC_SYMBOL_MAX + 1]; /* between groups of three digits; "": nothing */
};
extern struct numeric numeric; /* of the locale chosen last */

/* Takes the symbols of LOCALE; NULL: of the C locale. False: there is no such locale, and nothing
 * changed. libc's own LC_NUMERIC stays as it is. */
bool numeric_choose(const char *locale);

#endif
