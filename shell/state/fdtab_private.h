/*
 * What the files of the descriptor table share: fdtab.c (slots, journal), fdsink.c (captures),
 * fdchild.c (children), input.c.
 */
#ifndef SHELL_STATE_FDTAB_PRIVATE_H
#define SHELL_STATE_FDTAB_PRIVATE_H

#include "shell/state/fdtab.h"

/* How output to an open file may wait in the buffer. */
enum file_mode {
    FILE_UNKNOWN,  /* not looked at yet */
    FILE_BUFFERED, /* regular files, pipes, /dev/null */
    FILE_DIRECT,   /* terminals and other devices: written out after each command */
};

/* An open file. OUT is first: a writer leads back to its file. */
struct open_file {
    struct out out; /* out.fd is REAL, -1 for a sink, CLOSED_FD when nothing is behind it */
    struct open_file *next, **link; /* all files of the table */
    struct input *in;               /* made when first read */
    int real;                       /* -1: a sink */
    uint32_t refs;                  /* slots and saved slots */
    bool inherited;                 /* not close-on-exec: was there when the shell started */
    uint8_t mode;                   /* enum file_mode */
    bool read_only;                 /* valid unless FILE_UNKNOWN */
    bool shared;                    /* a background process may read from it too */
    uint64_t device, inode;         /* valid unless FILE_UNKNOWN */
    /* sinks */
    struct capture *capture; /* NULL: no sink */
};

/* A command substitution in progress. */
struct capture {
    struct capture *outer;
    struct open_file *file;    /* holds one reference */
    struct str *sink;          /* borrowed */
    int pipe_read, pipe_write; /* -1: no process was started yet */
};

struct fd_slot {
    struct open_file *file; /* NULL: closed */
    uint64_t stamp;
    bool hidden; /* not passed to commands */
};

/* A slot's old state, in a frame's undo record. */
struct fd_save {
    struct fd_save *next, **link;
    struct open_file *file;  /* holds the slot's reference; NULL: was closed */
    struct capture *capture; /* ends at rollback; else NULL */
    uint64_t stamp, frame_id;
    int fd;
    bool hidden;
    bool dead; /* a forked child dropped it: rollback does nothing */
};

struct fdtab {
    struct mem_region *region;
    struct fd_slot *slots;
    size_t count;
    struct open_file *files;
    struct fd_save *saves;
    struct capture *capture;   /* innermost */
    struct open_file closed;   /* writer for a closed descriptor 1 */
    struct open_file *touched; /* written other than through sh->out since the last command; may be
                                  stale: only compared with live files */
    struct fd_move *moves;
    size_t move_cap;
    int peek_pipe[2]; /* where input.c copies what is in a pipe; -1: not made yet */
    int late_error;   /* errno of a failed flush of a file that is gone */
};

enum { CLOSED_FD = 0x7fffffff };

struct open_file *file_new(struct fdtab *tab, int real);
struct open_file *file_hold(struct open_file *file);
void file_release(struct fdtab *tab, struct open_file *file);
struct open_file *fdtab_file(struct shell *sh, int fd); /* NULL: closed (errno EBADF) */
void file_look(struct open_file *file);                 /* fills mode, device, inode */
/* Saves slot FD for TARGET (NULL: not) and puts FILE, whose reference it takes, in its place.
 * CAPTURE ends at rollback. */
enum flow slot_set(struct shell *sh, struct frame *target, int fd, struct open_file *file,
                   struct capture *capture) NODISCARD;

/* Writes out all buffers. */
void files_flush(struct fdtab *tab);
/* Writes out what is buffered for the file that READER reads, too. */
void files_flush_shared(struct fdtab *tab, struct open_file *reader);

/* fdsink.c */
/* As fdtab_capture_poll. */
void captures_poll(struct fdtab *tab);
void capture_end(struct fdtab *tab, struct capture *capture);
/* In a child: a capture becomes a descriptor that leads to the parent's pipe, but one that was made
 * inside of KEEP, a subshell that goes on in the child, stays what it is. */
void captures_after_fork(struct fdtab *tab, const struct frame *keep);

/* input.c */
void input_free(struct fdtab *tab, struct input *in);
bool input_is_idle(const struct input *in); /* nothing to give back */
/* Gives read-ahead back. */
void input_sync(struct input *in);

#endif
