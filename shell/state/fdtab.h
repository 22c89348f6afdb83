/*
 * Descriptors as scripts see them. A script's descriptor is a slot of this table, which points to
 * an OPEN FILE: a real descriptor of the process with an output buffer and an input buffer, or a
 * memory sink (the output of a command substitution that runs in this process). Slots that were
 * duplicated share the open file, and so its buffers: the order of what is written through both,
 * and of what is read through both, is kept.
 *
 * THE NUMBERS DIFFER: descriptor N of the script is not descriptor N of the process while a
 * redirection is in force. A redirection only changes a slot; nothing is duplicated or moved in
 * this process. Children get the descriptors at their numbers between vfork and exec
 * (fdtab_child_moves). So: read through fdtab_in, write through fdtab_out, and where a system call
 * needs a number (isatty, poll, fstat), ask fdtab_real. Only for 0, 1 and 2, and only for permanent
 * changes (`exec >f` at top level), is the process's own descriptor kept in step, for the sake of
 * libraries that use them.
 *
 * Journaled: a slot's old open file moves into the record of the frame and comes back at rollback;
 * `exec 3>f` inside ( ) is undone with the SUBSHELL frame, at top level not at all. The shell's own
 * descriptors are close-on-exec and are in no slot, so no number that a script may ask for is ever
 * taken by one of them.
 */
#ifndef SHELL_STATE_FDTAB_H
#define SHELL_STATE_FDTAB_H

#include "shell/base/out.h"
#include "shell/state/shell.h"

/* Writer for descriptor FD as it is now; NULL when FD is not open for the script (then errno
 * EBADF). Borrowed until the descriptor is redirected. Writes out first what is buffered for 1
 * where the order could be seen (2, terminals). */
struct out *fdtab_out(struct shell *sh, int fd);
/* The writer of descriptor 1; when that is closed, one whose writes fail with EBADF: never NULL.
 * What sh->out is kept at. */
struct out *fdtab_stdout(struct shell *sh);
/* Flushes all output buffers (before a spawn, fork, exec, wait, read from a terminal, at exit).
 * false: a write failed now or since the last report (errno); reported once. */
bool fdtab_flush(struct shell *sh);
/* Nothing is buffered: neither output to be written nor input to be given back. */
bool fdtab_is_idle(struct shell *sh);
/* After each builtin, before its CMD frame is popped, and before the CMD frame of a compound
 * command with redirections is popped: writes out what must not wait (terminals and other devices,
 * descriptor 2, files opened by this very command). false: a write failed (errno), reported once.
 * Cheap when there is nothing to do. */
bool fdtab_command_done(struct shell *sh);
/* One line on descriptor 2 of the script (sinks and redirections included), after what is buffered
 * for 1. TEXT without newline. */
void fdtab_message(struct shell *sh, const char *text, size_t len);
/* The process's descriptor behind FD, for isatty, poll, fstat, lseek: -1 (EBADF) when FD is closed
 * or a sink. Borrowed until FD is redirected. */
int fdtab_real(struct shell *sh, int fd);
/* The script's descriptor that PATH means, /dev/fd/N, /dev/stdin, /dev/stdout or /dev/stderr; -1:
 * it is another file. */
int fdtab_named(const char *path);
/* PATH for system calls of this process: a name of a script's descriptor, also with more behind it
 * (/dev/fd/3/file), becomes that of the one behind it, in BUFFER; when that is closed, one that
 * does not exist. */
enum { FDTAB_PATH_SIZE = 4096 };
const char *fdtab_path(struct shell *sh, const char *path, char buffer[static FDTAB_PATH_SIZE]);

/* Buffered input from FD. For seekable files bytes read ahead are given back by lseek in
 * fdtab_input_sync; for pipes and terminals never more is consumed than used (peek by tee(2) where
 * it works, else one byte at a time). */
struct input;
struct input *fdtab_in(struct shell *sh, int fd); /* NULL: not open, errno */
/* Next byte, -1 end of file, -2 error/EINTR (errno). */
int input_getc(struct input *in);
/* The bytes up to and including DELIM (or end of file) without copying when the buffer holds them:
 * *RET_TEXT and *RET_LEN are borrowed until the next call. Returns 1 found the delimiter, 0 end of
 * file before it (LEN may be > 0), -1 error or EINTR (errno; bytes so far are kept for the next
 * call). */
int input_line(struct input *in, char delim, const char **ret_text, size_t *ret_len);
/* The same, without DELIM, if all of it is in the buffer; false: it is not, and nothing was taken.
 * *RET_PLAIN false: it may hold a backslash or a NUL byte. */
bool input_buffered_line(struct input *in, char delim, const char **ret_text, size_t *ret_len,
                         bool *ret_plain);
/* Up to MAX bytes into BUFFER: >0, 0 end, -1 error. */
ssize_t input_read(struct input *in, void *buffer, size_t max);
void input_unread(struct input *in,
                  size_t bytes); /* gives back the last BYTES handed out by input_line/getc */
/* True when the next byte (or the end of file) can be had without waiting; waits up to TIMEOUT_NS
 * for that (0: not at all, < 0: for ever). false: timed out, or EINTR (errno EINTR then, else 0).
 */
bool input_wait(struct input *in, int64_t timeout_ns);
/* Moves the read position: bytes read ahead are given back, then lseek(OFFSET, WHENCE). -1 with
 * errno. */
off_t input_seek(struct input *in, off_t offset, int whence);
/* From now on a background process may read the same pipes: no more peeking. */
void fdtab_input_share(struct shell *sh);
/* Gives read-ahead back to the kernel for all descriptors (before another process may read them).
 */
void fdtab_input_sync(struct shell *sh);

/* ---- redirection ---- */

/* Makes FD refer to REAL (an open descriptor, close-on-exec, that the table takes over, also on
 * failure). Saves the old one in TARGET (NULL: for good). The frame redirections of the running
 * command are saved in: nearest CMD; of `exec`: nearest SUBSHELL or NULL. */
enum flow fdtab_install(struct shell *sh, struct frame *target, int fd, int real) NODISCARD;
/* FD becomes a duplicate of FROM (sinks included: `2>&1` inside $( ) makes 2 write to the sink). */
enum flow fdtab_dup(struct shell *sh, struct frame *target, int fd, int from) NODISCARD;
enum flow fdtab_close(struct shell *sh, struct frame *target, int fd) NODISCARD;
bool fdtab_is_open(struct shell *sh, int fd);
/* Open, and not for reading only. */
bool fdtab_is_writable(struct shell *sh, int fd);
/* FD is not passed to commands (as ksh does with descriptors above 2 that `exec` opened). */
void fdtab_hide(struct shell *sh, int fd);
/* A free descriptor >= 10 that scripts may use ({name}>file); -1 with errno. */
int fdtab_free_fd(struct shell *sh);

/* ---- capture: command substitution in this process ---- */

/* From now on descriptor 1 (and what duplicates it) appends to SINK, saved in the SUBSHELL/CMD
 * frame TARGET, until that is popped. */
enum flow fdtab_capture(struct shell *sh, struct frame *target, struct str *sink) NODISCARD;
/* Before a process is started: makes a pipe for each sink that the process would write to. The
 * shell itself goes on writing to memory; what the processes write is appended while they are
 * waited for. Cheap when there is none. spawn.c calls it. */
enum flow fdtab_promote(struct shell *sh) NODISCARD;
/* At the end of a command substitution, before its frame is popped: waits until no process holds
 * the innermost sink's pipe any more and appends the rest, as every shell waits for `$(sleep 1 &
 * echo x)`. Nothing to do when no process was started. Asked when a signal has come, ENDS (NULL:
 * never) says whether the waiting ends. */
void fdtab_capture_drain(struct shell *sh, bool (*ends)(const struct shell *sh));
/* Appends what processes wrote so far, without waiting; for those who wait for processes (jobs.c).
 */
void fdtab_capture_poll(struct shell *sh);
/* Pipes of the sinks, to be polled while waiting: up to MAX descriptors into RET; returns how many.
 */
size_t fdtab_capture_fds(struct shell *sh, int *ret, size_t max);

/* The process's descriptor that descriptor 1 was before it became a sink; -1: it is none. */
int fdtab_behind_captures(struct shell *sh);

/* ---- children ---- */

/* One step of setting up a child's descriptors: FROM -1: close TO; FROM == TO: pass it on. */
struct fd_move {
    int from, to;
};
/* What a child has to do so that its descriptors are those of the script. REPLACE[i] >= 0 is used
 * instead of the script's descriptor i (pipes). Borrowed until the next call. */
enum flow fdtab_child_moves(struct shell *sh, const int replace[3], struct fd_move **ret_moves,
                            size_t *ret_count) NODISCARD;
/* Carries MOVES out; async-signal-safe, for the child of a vfork (MOVES is changed). 0 or an errno.
 */
int fdtab_child_apply(struct fd_move *moves, size_t count);

struct fdtab *fdtab_new(struct mem_region *region); /* adopts the descriptors open now */
void fdtab_free(struct fdtab *tab);
/* In a forked child: forgets what the parent's frames saved; sinks become the pipes that
 * fdtab_promote made. KEEP (may be NULL): the frame whose inner frames this child will still roll
 * back (subshell_materialize): what they saved stays. */
void fdtab_after_fork(struct shell *sh, const struct frame *keep);
/* Does a command that runs, or the pipeline that this process is part of, have another standard
 * input than the script? What background work without one of its own reads then. _note: so it is.
 */
bool fdtab_input_redirected(const struct shell *sh);
void fdtab_note_input(struct shell *sh);
/* Descriptors that FRAME saved are closed and not put back at its end: the process ends with it. */
void fdtab_drop_saved(struct shell *sh, const struct frame *frame);

#endif
