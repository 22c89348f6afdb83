/* The operands of cat, cut and their like: files read from begin to end, or standard input. */
#ifndef BUILTINS_STREAM_H
#define BUILTINS_STREAM_H

#include "builtins/builtin.h"

struct input;

struct stream {
    struct shell *sh;
    const char *command, *name; /* for messages */
    struct input *in;           /* a descriptor of the script; NULL: FD */
    int fd;                     /* -1: none */
    char *buffer; /* [start, end) is read and not used; heap, freed by stream_release */
    size_t start, end, cap;
    bool ended; /* there is nothing behind END */
    int signal; /* has ended the command; its action runs after it */
    bool waits; /* FD is no regular file: what is written so far must be seen before a read */
};

/* COMMAND says who complains. Nothing is open. */
void stream_init(struct stream *s, struct shell *sh, const char *command);
/* Opens PATH; `-` is standard input, and names of the script's descriptors, such as /dev/stdin, are
 * those. What was open is closed. A signal may end the wait for a FIFO (SIGNAL). *RET_ERROR: an
 * errno, 0: none. */
enum flow stream_open(struct stream *s, const char *path, int *ret_error) NODISCARD;
/* Reads more behind END, moving what is left to the front and enlarging the buffer when it is full.
 * *RET_ERROR: an errno, 0: none; at the end, and when a signal ended it (SIGNAL), ENDED is set. */
enum flow stream_fill(struct stream *s, int *ret_error) NODISCARD;
/* The next line, without its DELIM; *RET_TEXT is good until the next call. *RET_LEN counts bytes;
 * *RET_WHOLE: DELIM followed. *RET_TEXT NULL: there is none. */
enum flow stream_line(struct stream *s, char delim, const char **ret_text, size_t *ret_len,
                      bool *ret_whole, int *ret_error) NODISCARD;
/* The descriptor to ask with fstat; -1: none. */
int stream_fd(const struct stream *s);
void stream_close(struct stream *s);
void stream_release(struct stream *s); /* closes, and frees the buffer */

/* Calls EACH for every operand of ARGS that is left, or for standard input when there is none, with
 * the stream open. What cannot be opened or read is reported, sets the status to 1, and does not
 * keep the others from being read; QUIET: what is not there is not reported. EACH returns an errno
 * for a failed read in *RET_ERROR. Stops when writing failed. */
enum flow stream_each(struct shell *sh, struct args *args, bool quiet,
                      enum flow (*each)(struct stream *s, void *context, int *ret_error),
                      void *context) NODISCARD;

#endif
