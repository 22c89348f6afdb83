/*
 * Descriptors as scripts see them: real descriptors 0..N, each with an output buffer and an input buffer on demand,
 * or a memory sink in place of descriptor 1 while a command substitution runs in this process.
 *
 * Journaled: a redirection of a CMD frame saves the old descriptor by duplicating it to >= 10 (close-on-exec), or moves the
 * sink aside, and rollback puts it back; `exec 3>f` inside ( ) is undone with the SUBSHELL frame, at top level not at all.
 * Private descriptors (script file, saved copies) are >= 10, close-on-exec and never visible to scripts.
 */
#ifndef SHELL_STATE_FDTAB_H
#define SHELL_STATE_FDTAB_H

#include "shell/base/out.h"
#include "shell/state/shell.h"

/* Writer for descriptor FD as it is now; NULL when FD is not open for the script (then errno EBADF). Borrowed until the
 * descriptor is redirected. sh->out is always fdtab_out(sh, 1). */
struct out *fdtab_out(struct shell *sh, int fd);
/* Flushes all output buffers (before a spawn, fork, exec, wait, read from a terminal, at exit). false: a write failed; the writer's
 * ERROR says so. */
bool fdtab_flush(struct shell *sh);

/* Buffered input from FD. For seekable files bytes read ahead are given back by lseek in fdtab_input_sync; for pipes and
 * terminals never more is consumed than used (peek by tee(2) where it works, else one byte at a time). */
struct input;
struct input *fdtab_in(struct shell *sh, int fd); /* NULL: not open, errno */
/* Next byte, -1 end of file, -2 error/EINTR (errno). */
int input_getc(struct input *in);
/* The bytes up to and including DELIM (or end of file) without copying when the buffer holds them: *RET_TEXT/*RET_LEN are borrowed until the
 * next call. Returns 1 found the delimiter, 0 end of file before it (LEN may be > 0), -1 error or EINTR (errno; bytes so far are kept for the next call). */
int input_line(struct input *in, char delim, const char **ret_text, size_t *ret_len);
/* Up to MAX bytes into BUFFER: >0, 0 end, -1 error. */
ssize_t input_read(struct input *in, void *buffer, size_t max);
void input_unread(struct input *in, size_t bytes); /* gives back the last BYTES handed out by input_line/getc */
/* Gives read-ahead back to the kernel for all descriptors (before another process may read them). */
void fdtab_input_sync(struct shell *sh);

/* ---- redirection ---- */

/* Makes FD refer to REAL (an open descriptor that the table takes over; it is moved onto FD). Saves the old one in TARGET (NULL: for good).
 * Flushes what was buffered for FD. */
enum flow fdtab_install(struct shell *sh, struct frame *target, int fd, int real) NODISCARD;
/* FD becomes a duplicate of FROM (sinks included: `2>&1` inside $( ) makes 2 write to the sink). */
enum flow fdtab_dup(struct shell *sh, struct frame *target, int fd, int from) NODISCARD;
enum flow fdtab_close(struct shell *sh, struct frame *target, int fd) NODISCARD;
bool fdtab_is_open(struct shell *sh, int fd);
/* A free descriptor >= 10 that scripts may use ({name}>file); -1 with errno. */
int fdtab_free_fd(struct shell *sh);
/* The frame redirections of the running command are saved in: nearest CMD; of `exec`: nearest SUBSHELL or NULL. */

/* ---- capture: command substitution in this process ---- */

/* From now on descriptor 1 (and what duplicates it) appends to SINK, saved in the SUBSHELL/CMD frame TARGET. */
enum flow fdtab_capture(struct shell *sh, struct frame *target, struct str *sink) NODISCARD;
/* Before a process is started: if sinks are in use, makes them real (a memfd or pipe whose content is appended to the sink by
 * fdtab_capture_drain). Cheap when there is none. */
enum flow fdtab_promote(struct shell *sh) NODISCARD;
/* After the processes ended: moves what they wrote into the sink; order with later builtin output is kept. */
enum flow fdtab_capture_drain(struct shell *sh) NODISCARD;

struct fdtab *fdtab_new(struct mem_region *region); /* adopts the descriptors open now */
void fdtab_free(struct fdtab *tab);
/* In a forked child: forgets private descriptors of the parent; keeps buffers empty. */
void fdtab_after_fork(struct shell *sh);

#endif
