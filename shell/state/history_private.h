/* What history.c and history_file.c share. */
#ifndef SHELL_STATE_HISTORY_PRIVATE_H
#define SHELL_STATE_HISTORY_PRIVATE_H

#include "shell/base/str.h"
#include "shell/state/history.h"

enum {
    HISTORY_UNDO = 0201,
    HISTORY_NUMBER = 0202,
    HISTORY_VERSION = 1,
    HISTORY_HEADER = 2,
    HISTORY_NUMBER_BYTES = 6
};

/* A command in TEXT. */
struct place {
    size_t start, len;
    int64_t time; /* seconds since 1970; 0: not known */
};

struct history {
    char *path;
    int fd;            /* -1: commands are kept in memory only */
    size_t read_bytes; /* of the file, which are in TEXT */
    struct str text;   /* the file as read so far, and what could not be written */
    struct str places; /* of struct place */
    size_t parsed;     /* bytes of TEXT looked at */
    int64_t first;     /* the number of the first place */
    int64_t time;      /* of the next command */
    int64_t running;   /* the number of the command that runs and was typed; 0: none */
    bool has_warned;   /* that something cannot be written */
};

static inline size_t place_count(const struct history *h)
{
    return h->places.len / sizeof(struct place);
}

static inline struct place *place_at(const struct history *h, size_t i)
{
    return (struct place *)(void *)h->places.data + i;
}

/* Takes in what was added to TEXT. */
void history_parse(struct history *h);
/* A command as it stands in a file, behind AT bytes of it. */
void history_append_entry(struct str *s, size_t at, const char *text, size_t len, int64_t time);
/* How many commands are kept. */
int64_t history_size(struct shell *sh);

/* Opens PATH; false with errno: it cannot be, or (EINVAL) holds something else. */
bool history_file_open(struct shell *sh, const char *path);
/* Reads what was added to the file; false: the file was replaced by another. */
bool history_file_read(struct history *h);
/* Appends ENTRY, made for AT bytes of the file, if it still has so many; *RET_MOVED: it has not. */
bool history_file_append(struct history *h, const char *text, size_t len, int64_t time);
/* Takes the last command back if it has NUMBER. */
void history_file_undo(struct history *h, int64_t number);
/* Cuts the file to SIZE commands when it has many more. Other shells notice. */
void history_file_trim(struct history *h, int64_t size);

#endif
