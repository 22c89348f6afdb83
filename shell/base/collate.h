/* The names that POSIX gives to characters, for `[.hyphen.]` in brackets. */
#ifndef SHELL_BASE_COLLATE_H
#define SHELL_BASE_COLLATE_H

#include <stddef.h>

/* The character that NAME (XBD 6.1, portable character set) stands for; -1: it is no such name. */
int collate_find(const char *name, size_t len);

#endif
