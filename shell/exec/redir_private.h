/* Between redir.c (operators), redir_file.c (opening files and sockets) and redir_seek.c (<# and
 * >#). */
#ifndef SHELL_EXEC_REDIR_PRIVATE_H
#define SHELL_EXEC_REDIR_PRIVATE_H

#include "shell/exec/redir.h"

/* The descriptor of REDIR without {name}: <> alone is about standard output, in POSIX mode about
 * standard input. */
int redir_fd(const struct shell *sh, const struct redir *redir);
/* Opens PATH for the operator OP: *RET_REAL is a new descriptor; or, for /dev/fd/N and the like,
 * *RET_DUP the script's descriptor that it means (the other is -1). */
enum flow redir_open(struct shell *sh, enum redir_op op, const char *path, int *ret_real,
                     int *ret_dup) NODISCARD;
/* >;file: a temporary file beside PATH, which takes its place when TARGET is rolled back with $? 0.
 */
enum flow redir_open_rewrite(struct shell *sh, struct frame *target, const char *path,
                             int *ret_real) NODISCARD;
/* <>;file on FD: cut off at the position where the command left it, when TARGET is rolled back with
 * $? 0. */
enum flow redir_truncate_later(struct shell *sh, struct frame *target, int fd) NODISCARD;
/* A descriptor from which TEXT and, if NEWLINE, a newline are read. */
enum flow redir_open_text(struct shell *sh, const char *text, size_t len, bool newline,
                          int *ret_real) NODISCARD;
/* <#((expr)), >#((expr)), <#pattern, <##pattern and <# on FD. */
enum flow redir_seek(struct shell *sh, const struct redir *redir, int fd) NODISCARD;

#endif
