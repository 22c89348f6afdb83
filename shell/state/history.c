/*
 * The history file.
 *
 *     file: 0201 version {entry}      entry: text newline NUL padding | 0202 NUL number(3) NUL |
 * 0201 NUL
 *
 * An entry is padded with NULs to an even offset. 0202 sets the number of the next entry, 0201 at
 * the start of one takes the one before back. The whole file is kept as one text with the place of
 * each entry; it is read on from where the last look ended, so that what other shells add is seen.
 * A text that stops without its NUL is taken as an entry.
 *
 * Invariant: PLACES has COUNT entries, numbered from FIRST on.
 */
#include "shell/state/history.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/kind.h"
#include "shell/base/sys.h"
#include "shell/state/frame.h"
#include "shell/state/var.h"

enum {
    HISTORY_UNDO = 0201,
    HISTORY_NUMBER = 0202,
    HISTORY_VERSION = 1,
    HISTORY_HEADER = 2,
    HISTORY_NUMBER_BYTES = 6,
    HISTORY_SIZE = 512, /* HISTSIZE unset */
};

struct place {
    size_t start, len;
};

struct history {
    char *path;
    int fd;
    struct str text;   /* the file as read so far */
    struct str places; /* of struct place */
    size_t parsed;     /* bytes of TEXT looked at */
    int64_t first;
};

static size_t place_count(const struct history *h)
{
    return h->places.len / sizeof(struct place);
}

static struct place *place_at(const struct history *h, size_t i)
{
    return (struct place *)(void *)h->places.data + i;
}

/* ---- reading ---- */

/* 0202 NUL number NUL: the next entry has this number; earlier ones count back from it. */
static void take_number(struct history *h, const unsigned char *p)
{
    int64_t number = p[2] << 16 | p[3] << 8 | p[4];
    if (number > 0)
        h->first = number - (int64_t)place_count(h);
}

/* One entry at P, LEFT bytes of the file left: its length in the file. */
static size_t take_entry(struct history *h, const char *p, size_t left)
{
    const unsigned char *bytes = (const unsigned char *)p;
    if (bytes[0] == HISTORY_NUMBER && left >= HISTORY_NUMBER_BYTES && !bytes[1]) {
        take_number(h, bytes);
        return HISTORY_NUMBER_BYTES;
    }
    if (bytes[0] == HISTORY_UNDO && left >= 2 && !bytes[1]) {
        if (h->places.len)
            str_truncate(&h->places, h->places.len - sizeof(struct place));
        return 2;
    }
    size_t len = strnlen(p, left);
    struct place place = { (size_t)(p - h->text.data), len };
    while (place.len && p[place.len - 1] == '\n')
        place.len--;
    if (place.len)
        str_append(&h->places, (const char *)&place, sizeof place);
    return len < left ? len + 1 : len;
}

static void parse(struct history *h)
{
    if (h->parsed < HISTORY_HEADER)
        h->parsed = h->text.len < HISTORY_HEADER ? h->text.len : HISTORY_HEADER;
    while (h->parsed < h->text.len) {
        const char *p = h->text.data + h->parsed;
        h->parsed += *p ? take_entry(h, p, h->text.len - h->parsed) : 1;
    }
}

static void read_on(struct history *h)
{
    struct stat st;
    if (fstat(h->fd, &st) != 0 || (size_t)st.st_size <= h->text.len)
        return;
    size_t more = (size_t)st.st_size - h->text.len;
    if (!str_reserve(&h->text, more))
        return;
    ssize_t got = pread(h->fd, h->text.data + h->text.len, more, (off_t)h->text.len);
    if (got <= 0)
        return;
    h->text.len += (size_t)got;
    h->text.data[h->text.len] = '\0';
    parse(h);
}

/* ---- the file ---- */

static void close_file(struct shell *sh)
{
    struct history *h = sh->history;
    if (!h)
        return;
    if (h->fd >= 0)
        close(h->fd);
    str_release(&h->text);
    str_release(&h->places);
    mem_free(h->path);
    mem_free(h);
    sh->history = NULL;
}

void history_free(struct shell *sh)
{
    close_file(sh);
}

/* The name of the file, in S; empty: there is none. */
static void file_name(struct shell *sh, struct str *s)
{
    const char *file = var_text(sh, "HISTFILE"), *home = var_text(sh, "HOME");
    str_init(s, sh->scratch);
    if (file && *file)
        str_append_z(s, file);
    else if (home && *home)
        str_printf(s, "%s/.sh_history", home);
}

static bool open_file(struct shell *sh, const char *path)
{
    static const char header[] = { (char)HISTORY_UNDO, HISTORY_VERSION };
    int fd = sys_open(path, O_RDWR | O_APPEND | O_CREAT, 0600);
    if (fd < 0)
        return false;
    struct history *h = mem_alloc_zeroed_kind(sh->heap, sizeof *h, KIND_HISTORY);
    char *copy = h ? text_dup(sh->heap, path) : NULL;
    if (!copy) {
        mem_free(h);
        close(fd);
        errno = ENOMEM;
        return false;
    }
    h->path = copy;
    h->fd = sys_move_private(fd);
    h->first = 1;
    str_init(&h->text, sh->heap);
    str_init(&h->places, sh->heap);
    h->text.kind = h->places.kind = KIND_HISTORY;
    sh->history = h;
    read_on(h);
    if (h->text.len == 0 && sys_write_all(h->fd, header, sizeof header))
        read_on(h);
    return true;
}

enum flow history_refresh(struct shell *sh, const char *command)
{
    struct str path;
    file_name(sh, &path);
    if (sh->history && strcmp(sh->history->path, str_text(&path)) != 0)
        close_file(sh);
    if (sh->history)
        read_on(sh->history);
    else if (!open_file(sh, str_text(&path)))
        return shell_fail(sh, ERROR_BUILTIN, 1, command, "cannot open history file: %s",
                          strerror(errno));
    if (!str_ok(&sh->history->places))
        return shell_fail_memory(sh, sh->history->places.len);
    return var_set_int(sh, "HISTCMD", history_next(sh));
}

/* ---- commands ---- */

int64_t history_next(const struct shell *sh)
{
    return sh->history ? sh->history->first + (int64_t)place_count(sh->history) : 1;
}

int64_t history_first(const struct shell *sh)
{
    const char *text = var_text((struct shell *)sh, "HISTSIZE");
    int64_t size = HISTORY_SIZE, next = history_next(sh);
    if (text && (!num_parse_int(text, strlen(text), &size) || size < 0))
        size = HISTORY_SIZE;
    int64_t first = sh->history ? sh->history->first : 1;
    return next - size > first ? next - size : first;
}

const char *history_get(const struct shell *sh, int64_t number, size_t *ret_len)
{
    const struct history *h = sh->history;
    if (!h || number < history_first(sh) || number >= history_next(sh))
        return NULL;
    const struct place *place = place_at(h, (size_t)(number - h->first));
    *ret_len = place->len;
    return h->text.data + place->start;
}

void history_add(struct shell *sh, const char *text, size_t len)
{
    struct str entry;
    while (len && text[len - 1] == '\n')
        len--;
    len = strnlen(text, len);
    if (!len || history_refresh(sh, NULL) != FLOW_NEXT)
        return;
    str_init(&entry, sh->scratch);
    str_append(&entry, text, len);
    str_append(&entry, "\n", 2); /* with its NUL */
    if ((sh->history->text.len + entry.len) % 2)
        str_putc(&entry, '\0');
    if (str_ok(&entry) && sys_write_all(sh->history->fd, entry.data, entry.len))
        (void)!history_refresh(sh, NULL);
}
