/* The C library's mathematics, loaded when a script first asks for it. */
#ifndef SHELL_BASE_MATHLIB_H
#define SHELL_BASE_MATHLIB_H

/* Returns the address of a function of libm, such as "sinl"; never NULL. The library is loaded by
 * the first call; where it is missing the process ends with a line and status 127, as it would have
 * at start had the library been linked. */
void *mathlib_find(const char *symbol);

/* x to the power y. */
long double mathlib_pow(long double x, long double y);

#endif
