/* Messages on standard error: one line, one write(2), control characters made visible. */
#ifndef SHELL_BASE_DIAG_H
#define SHELL_BASE_DIAG_H

#include <stdarg.h>

#include "shell/base/str.h"

/* The name the shell calls itself in messages; set once at start ("memksh"). */
extern const char *diag_program;

/* Writes TEXT and a newline to descriptor 2. */
void diag_line(const char *text, size_t len);
void diag_printf(const char *format, ...) PRINTF_LIKE(1, 2);
/* Broken invariant: prints and aborts the process (after restoring nothing). */
_Noreturn void diag_bug(const char *file, int line, const char *what);

#ifdef NDEBUG
#define ASSERT(e) ((void)0)
#else
#define ASSERT(e) ((e) ? (void)0 : diag_bug(__FILE__, __LINE__, #e))
#endif

#endif
