/* What cp, ln and mv share: files that come to be at other names. */
#ifndef BUILTINS_COPY_H
#define BUILTINS_COPY_H

#include <sys/stat.h>

#include "builtins/builtin.h"
#include "shell/base/map.h"
#include "shell/state/fdtab.h"

enum copy_action { COPY_DATA, COPY_MOVE, COPY_LINK, COPY_SYMLINK };
enum copy_keep { KEEP_OWNER = 1u << 0, KEEP_MODE = 1u << 1, KEEP_TIMES = 1u << 2 };
enum copy_backup { BACKUP_NONE, BACKUP_SIMPLE, BACKUP_NUMBERED, BACKUP_EXISTING };
enum copy_follow { FOLLOW_DEFAULT, FOLLOW_NONE, FOLLOW_OPERANDS, FOLLOW_ALL };

/* A descriptor of the script that an operand is reached through: its name there, and for system
 * calls. REAL_LEN 0: none. */
struct copy_alias {
    const char *shown, *real; /* begin with them */
    size_t shown_len, real_len;
};
enum copy_side { COPY_FROM, COPY_TO, COPY_SIDES };

struct copy {
    struct shell *sh;
    const char *command; /* for messages */
    enum copy_action action;
    unsigned keep; /* enum copy_keep */
    enum copy_follow follow;
    enum copy_backup backup;
    const char *suffix; /* of backups; NULL: the environment's */
    bool recursive;
    bool force;      /* -f */
    bool ask;        /* -i */
    bool update;     /* only what is newer */
    bool verbose;    /* each file is named */
    bool sync;       /* fsync */
    bool remove;     /* -U: what is replaced is removed, not written to */
    bool hierarchy;  /* -h: below the last operand by its whole path */
    bool one_device; /* -x */
    bool failed;     /* something was reported */
    bool quit;       /* the answer was: no more */
    int signal;      /* has ended the command */
    char *buffer;    /* of copy_data; heap */
    struct copy_alias alias[COPY_SIDES];
    struct map *made; /* copy_name.c; NULL: no two files can meet */
};

/* The options that cp, ln and mv have in common, for their tables. */
#define COPY_OPTIONS                                                                               \
    { .letter = 'f',                                                                               \
      .long_name = "force",                                                                        \
      .help = "replace what is there without asking; remove it if it cannot be written to" },      \
        { .letter = 'i',                                                                           \
          .long_name = "interactive|prompt",                                                       \
          .help = "ask before a file is replaced: y is yes, q ends the command, all else is no" }, \
        { .letter = 'R',                                                                           \
          .long_name = "recursive",                                                                \
          .help = "directories with all that is in them" },                                        \
        { .letter = 'r', .help = "the same as -R" },                                               \
        { .letter = 'u',                                                                           \
          .long_name = "update",                                                                   \
          .help = "leave what is there if it was modified as late or later" },                     \
        { .letter = 'v', .long_name = "verbose", .help = "name each file" },                       \
        { .letter = 'F',                                                                           \
          .long_name = "fsync|sync",                                                               \
          .help = "have each file on the disk before the next" },                                  \
        { .letter = 'B',                                                                           \
          .argument = "?type",                                                                     \
          .long_name = "backup",                                                                   \
          .help =                                                                                  \
              "rename what would be replaced: numbered (or t) FILE.~N~, simple (never) FILE "      \
              "and suffix, existing (nil) numbered if there is such a one, none (off); without "   \
              "type VERSION_CONTROL tells, or existing is meant",                                  \
          .attached = true },                                                                      \
        { .letter = 'b', .help = "the same as -B without type" },                                  \
        { .letter = 'S',                                                                           \
          .argument = "suffix",                                                                    \
          .long_name = "suffix",                                                                   \
          .help = "what names of backups end in; without it SIMPLE_BACKUP_SUFFIX, or ~" },         \
        { .letter = 'x',                                                                           \
          .long_name = "xdev|local|mount|one-file-system",                                         \
          .help = "leave out directories of other file systems" },                                 \
    {                                                                                              \
        .letter = 'X', .help = "the same as -x"                                                    \
    }

/* Takes one of COPY_OPTIONS. */
enum flow copy_option(struct copy *copy, struct args *args, int option) NODISCARD;
/* Carries out the operands that are left: one to another name, or all into a folder. */
enum flow copy_operands(struct copy *copy, struct args *args) NODISCARD;

/* Reports `FROM: WHY` with errno's text if WHY is NULL; the status becomes 1. */
void copy_fail(struct copy *copy, const char *from, const char *why);
/* One file that is no folder to be entered: FROM, of which ST tells, comes to be at TO. */
enum flow copy_file(struct copy *copy, const char *from, const struct stat *st,
                    const char *to) NODISCARD;
/* Does what signals ask for. One that has an action ends the command: FLOW_ERROR without an error,
 * for copy_operands, and SIGNAL of COPY is set. */
enum flow copy_signals(struct copy *copy) NODISCARD;

/* copy_name.c: PATH, the operand of SIDE, for system calls: in BUFFER if it leads through a
 * descriptor of the script. Both stay while the operand is dealt with. */
const char *copy_real_name(struct copy *copy, enum copy_side side, const char *path,
                           char buffer[static FDTAB_PATH_SIZE]);
/* The name that the script has for PATH, perhaps in scratch. */
const char *copy_written_name(struct copy *copy, const char *path);
/* The same for a message: on one line. */
const char *copy_shown_name(struct copy *copy, const char *path);
/* Is what is at TO of this very command, and not of the file that ST (may be NULL) tells of? */
bool copy_has_made(struct copy *copy, const char *to, const struct stat *st);
/* The file that ST tells of came to be at TO. */
enum flow copy_note_made(struct copy *copy, const char *to, const struct stat *st) NODISCARD;
void copy_forget_made(struct copy *copy);

/* copy_tree.c: a folder and what is in it, or a file. */
enum flow copy_tree(struct copy *copy, const char *from, const char *to) NODISCARD;
/* Removes FROM and what is in it. */
enum flow copy_remove(struct copy *copy, const char *from) NODISCARD;
/* Is TO, which need not be there, the folder FROM or somewhere in it? */
bool copy_is_inside(const char *from, const char *to);

/* copy_data.c: the contents of FROM, a regular file or one to be read like it, to TO. EXISTS: TO is
 * there and is written to. */
enum flow copy_data(struct copy *copy, const char *from, const struct stat *st, const char *to,
                    bool exists) NODISCARD;
/* The contents of FROM to what a command substitution takes. */
enum flow copy_to_sink(struct copy *copy, const char *from, struct out *sink) NODISCARD;
/* Gives TO what COPY keeps of ST. FD: TO's, or -1; not following a link. */
void copy_attributes(struct copy *copy, const struct stat *st, const char *to, int fd);

#endif
