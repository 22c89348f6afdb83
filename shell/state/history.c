/*
 * The history: commands with their numbers and times.
 *
 *     file: 0201 version {entry}      entry: [time] text newline NUL padding | 0202 NUL number(3)
 * NUL | 0201 NUL      time: `#+` seconds newline NUL padding 0201 NUL
 *
 * An entry is padded with NULs to an even offset. 0202 sets the number of the next entry, 0201 at
 * the start of one takes the one before back; so ksh93, which knows no times, sees none. The whole
 * file is kept as one text with the place of each entry; it is read on from where the last look
 * ended, so that what other shells add is seen. A text that stops without its NUL is taken as an
 * entry. What an interactive shell cannot write it keeps in memory.
 *
 * Invariant: PLACES has COUNT entries, numbered from FIRST on.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shell/base/kind.h"
#include "shell/base/num.h"
#include "shell/state/frame.h"
#include "shell/state/history_private.h"
#include "shell/state/var.h"

enum { HISTORY_SIZE = 512 }; /* HISTSIZE unset */

/* ---- reading ---- */

/* 0202 NUL number NUL: the next entry has this number; earlier ones count back from it. */
static void take_number(struct history *h, const unsigned char *p)
{
    int64_t number = p[2] << 16 | p[3] << 8 | p[4];
    if (number > 0)
        h->first = number - (int64_t)place_count(h);
}

/* The time that PLACE says, which is taken back; 0: it is a command. */
static int64_t time_of(const struct history *h, const struct place *place)
{
    const char *p = h->text.data + place->start;
    int64_t time = 0;
    if (place->len < 3 || place->len > 14 || p[0] != '#' || p[1] != '+')
        return 0;
    for (size_t i = 2; i < place->len; i++) {
        if (p[i] < '0' || p[i] > '9')
            return 0;
        time = time * 10 + (p[i] - '0');
    }
    return time;
}

static void take_back(struct history *h)
{
    size_t count = place_count(h);
    if (count == 0)
        return;
    h->time = time_of(h, place_at(h, count - 1));
    str_truncate(&h->places, h->places.len - sizeof(struct place));
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
        take_back(h);
        return 2;
    }
    size_t len = strnlen(p, left);
    struct place place = { (size_t)(p - h->text.data), len, h->time };
    while (place.len && p[place.len - 1] == '\n')
        place.len--;
    if (place.len) {
        str_append(&h->places, (const char *)&place, sizeof place);
        h->time = 0;
    }
    return len < left ? len + 1 : len;
}

void history_parse(struct history *h)
{
    if (h->parsed < HISTORY_HEADER)
        h->parsed = h->text.len < HISTORY_HEADER ? h->text.len : HISTORY_HEADER;
    while (h->parsed < h->text.len) {
        const char *p = h->text.data + h->parsed;
        h->parsed += *p ? take_entry(h, p, h->text.len - h->parsed) : 1;
    }
}

void history_append_entry(struct str *s, size_t at, const char *text, size_t len, int64_t time)
{
    size_t start = s->len;
    if (time > 0) {
        str_append_z(s, "#+");
        str_append_int(s, time);
        str_append(s, "\n", 2); /* with its NUL */
        if ((at + s->len - start) % 2)
            str_putc(s, '\0');
        str_putc(s, (char)HISTORY_UNDO);
        str_putc(s, '\0');
    }
    str_append(s, text, len);
    str_append(s, "\n", 2);
    if ((at + s->len - start) % 2)
        str_putc(s, '\0');
}

/* ---- opening ---- */

void history_free(struct shell *sh)
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

static struct history *history_new(struct shell *sh, const char *path)
{
    struct history *h = mem_alloc_zeroed_kind(sh->heap, sizeof *h, KIND_HISTORY);
    char *copy = h ? text_dup(sh->heap, path) : NULL;
    if (!copy) {
        mem_free(h);
        return NULL;
    }
    h->path = copy;
    h->fd = -1;
    h->first = 1;
    str_init(&h->text, sh->heap);
    str_init(&h->places, sh->heap);
    h->text.kind = h->places.kind = KIND_HISTORY;
    return h;
}

/* Why PATH is not used. */
static const char *reason(int error)
{
    return error == EINVAL ? "not a history file of ksh" : strerror(error);
}

static enum flow open_history(struct shell *sh, const char *path, const char *command)
{
    sh->history = history_new(sh, path);
    if (!sh->history)
        return shell_fail_memory(sh, sizeof *sh->history);
    if (history_file_open(sh, path))
        return FLOW_NEXT;
    int error = errno;
    if (!sh->interactive) {
        history_free(sh);
        return shell_fail(sh, ERROR_BUILTIN, 1, command, "cannot open history file: %s",
                          reason(error));
    }
    if (strcmp(path, "/dev/null") != 0) /* that is how one asks for none */
        shell_warn(sh, NULL, "%s: cannot keep the history there: %s", path, reason(error));
    return FLOW_NEXT;
}

enum flow history_refresh(struct shell *sh, const char *command)
{
    struct str path;
    file_name(sh, &path);
    if (sh->history && strcmp(sh->history->path, str_text(&path)) != 0)
        history_free(sh);
    if (sh->history && !history_file_read(sh->history))
        history_free(sh); /* it was replaced, or removed */
    if (!sh->history)
        TRY(open_history(sh, str_text(&path), command));
    if (!str_ok(&sh->history->places))
        return shell_fail_memory(sh, sh->history->places.len);
    return var_set_int(sh, "HISTCMD", history_next(sh));
}

void history_trim(struct shell *sh)
{
    if (sh->history)
        history_file_trim(sh->history, history_size(sh));
}

bool history_control(struct shell *sh, const char *word)
{
    const char *at = var_text(sh, "HISTCONTROL");
    size_t len = strlen(word);
    while (at && *at) {
        size_t next = strcspn(at, ":");
        if (next == len && memcmp(at, word, len) == 0)
            return true;
        at += next + (at[next] == ':');
    }
    return false;
}

/* ---- commands ---- */

static int64_t number_end(const struct history *h)
{
    return h->first + (int64_t)place_count(h);
}

int64_t history_next(const struct shell *sh)
{
    const struct history *h = sh->history;
    return !h ? 1 : h->running ? h->running : number_end(h);
}

int64_t history_size(struct shell *sh)
{
    const char *text = var_text(sh, "HISTSIZE");
    int64_t size = HISTORY_SIZE;
    if (text && (!num_parse_int(text, strlen(text), &size) || size < 0))
        size = HISTORY_SIZE;
    return size;
}

int64_t history_first(const struct shell *sh)
{
    int64_t size = history_size((struct shell *)sh), next = history_next(sh);
    int64_t first = sh->history ? sh->history->first : 1;
    return next - size > first ? next - size : first;
}

static const struct place *place_of(const struct shell *sh, int64_t number)
{
    const struct history *h = sh->history;
    if (!h || number < history_first(sh) || number >= number_end(h))
        return NULL;
    return place_at(h, (size_t)(number - h->first));
}

const char *history_get(const struct shell *sh, int64_t number, size_t *ret_len)
{
    const struct place *place = place_of(sh, number);
    if (!place)
        return NULL;
    *ret_len = place->len;
    return sh->history->text.data + place->start;
}

int64_t history_time(const struct shell *sh, int64_t number)
{
    const struct place *place = place_of(sh, number);
    return place ? place->time : 0;
}

/* Keeps a command that cannot be written. */
static void add_in_memory(struct history *h, const char *text, size_t len, int64_t time)
{
    if (h->text.len == 0)
        str_append(&h->text, "\0", HISTORY_HEADER);
    history_append_entry(&h->text, h->text.len, text, len, time);
    if (str_ok(&h->text))
        history_parse(h);
}

void history_add(struct shell *sh, const char *text, size_t len)
{
    while (len && text[len - 1] == '\n')
        len--;
    len = strnlen(text, len);
    if (!len || history_refresh(sh, NULL) != FLOW_NEXT)
        return;
    struct history *h = sh->history;
    int64_t now = time(NULL);
    if (h->fd < 0) {
        add_in_memory(h, text, len, now);
    } else if (!history_file_append(h, text, len, now) && sh->interactive) {
        if (!h->has_warned)
            shell_warn(sh, NULL, "%s: cannot keep the history there: %s", h->path, strerror(errno));
        h->has_warned = true;
        add_in_memory(h, text, len, now);
    }
    h->running = 0;
    (void)!history_refresh(sh, NULL);
}

void history_add_running(struct shell *sh, const char *text, size_t len)
{
    int64_t before = history_next(sh);
    history_add(sh, text, len);
    struct history *h = sh->history;
    if (h && number_end(h) > before)
        h->running = number_end(h) - 1;
}

void history_running_end(struct shell *sh)
{
    if (sh->history)
        sh->history->running = 0;
}

void history_running_undo(struct shell *sh)
{
    struct history *h = sh->history;
    if (!h || !h->running)
        return;
    if (h->fd >= 0)
        history_file_undo(h, h->running);
    else if (h->running == number_end(h) - 1)
        str_truncate(&h->places, h->places.len - sizeof(struct place));
    h->running = 0;
}
