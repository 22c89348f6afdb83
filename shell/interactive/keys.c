/*
 * What keys do at the prompt beyond libedit's own functions, and which keys do what.
 *
 * A function gets the libedit line and the last character of its key, and returns what libedit is
 * to do (CC_...). Where one of libedit's functions does the rest, it is typed: the keys of enum
 * edit_key stand for functions that a user's bindings do not reach, and a count that was typed
 * still holds for them when CC_ARGHACK is returned.
 *
 * The names of functions are part of what users may write in ~/.editrc.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/cclass.h"
#include "shell/base/sys.h"
#include "shell/interactive/edit_private.h"
#include "shell/state/alias.h"
#include "shell/state/history.h"
#include "shell/state/option.h"

/* ---- paste ---------------------------------------------------------------------------------- */

/* Takes in what has arrived, with newlines in place of returns; false: no more will come. Where a
 * terminal fails to say that pasted text ends, ^C after a while is a key again. */
static bool paste_read(struct edit *edit, struct str *text)
{
    enum { PIECE_BYTES = 64 << 10, PAUSE_MS = 500 };
    char byte;
    bool paused = !sys_readable_within(STDIN_FILENO, PAUSE_MS);
    if (edit_read_byte(edit, &byte) != 1 ||
        (paused && edit_signal_key(byte) && edit_read_byte(edit, &byte) != 1))
        return false;
    size_t from = text->len;
    str_putc(text, byte);
    if (sys_readable_now(STDIN_FILENO) && str_reserve(text, PIECE_BYTES)) {
        ssize_t got = read(STDIN_FILENO, text->data + text->len, PIECE_BYTES);
        text->len += got > 0 ? (size_t)got : 0;
    }
    for (size_t i = from; i < text->len; i++)
        if (text->data[i] == '\r')
            text->data[i] = '\n';
    return str_ok(text);
}

static unsigned char key_paste(EditLine *line, int key)
{
    static const char mark[] = "\033[201~";
    const size_t mark_len = sizeof mark - 1;
    struct edit *edit = edit_of(line);
    struct str *text = &edit->pasted;
    size_t looked = 0;
    (void)key;
    str_clear(text);
    while (paste_read(edit, text)) {
        const char *end = memmem(text->data + looked, text->len - looked, mark, mark_len);
        looked = text->len < mark_len ? 0 : text->len - mark_len + 1;
        if (!end)
            continue;
        /* What was typed after it is still to be taken as keys. */
        size_t len = (size_t)(end - text->data);
        edit_queue(edit, end + mark_len, text->len - len - mark_len);
        str_truncate(text, len);
        if (text->len > 0 && !edit_insert(line, text->data, text->len))
            return CC_ERROR;
        return CC_REFRESH;
    }
    return edit->ended ? CC_EOF : CC_ERROR;
}

/* ---- completion ----------------------------------------------------------------------------- */

static unsigned char key_complete(EditLine *line, int key)
{
    struct edit *edit = edit_of(line);
    (void)key;
    edit_signals(true);
    int action = complete_key(edit->sh, &edit->completion, line);
    edit_signals(false);
    return (unsigned char)action;
}

static unsigned char key_list(EditLine *line, int key)
{
    (void)key;
    edit_signals(true);
    int action = complete_list(edit_of(line)->sh, line);
    edit_signals(false);
    return (unsigned char)action;
}

static unsigned char key_expand(EditLine *line, int key)
{
    (void)key;
    edit_signals(true);
    int action = complete_expand(edit_of(line)->sh, line);
    edit_signals(false);
    return (unsigned char)action;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Types KEY and NEXT, if it is not 0, before anything else; counts that were typed hold for KEY. */
static unsigned char type_key(EditLine *line, int key, int next)
{
    const wchar_t text[] = { key, next, 0 };
    el_wpush(line, text);
    return CC_ARGHACK;
}

static const wchar_t *row_start(const LineInfoW *line, const wchar_t *at)
{
    while (at > line->buffer && at[-1] != L'\n')
        at--;
    return at;
}

static const wchar_t *row_end(const LineInfoW *line, const wchar_t *at)
{
    while (at < line->lastchar && *at != L'\n')
        at++;
    return at;
}

/* To the end of COLUMN in the row that begins at START and ends at END. */
static unsigned char to_row(EditLine *el, const wchar_t *start, const wchar_t *end,
                            ptrdiff_t column)
{
    const LineInfoW *line = el_wline(el);
    ptrdiff_t room = end - start;
    el_cursor(el, (int)(start + (column < room ? column : room) - line->cursor));
    return CC_CURSOR;
}

/* Back in the history. The line that was typed is kept here: libedit keeps little of a long one. */
static unsigned char history_back(struct edit *edit, const LineInfoW *line)
{
    if (edit->recall.at == RECALL_NONE) {
        str_clear(&edit->kept);
        str_append(&edit->kept, (const char *)line->buffer,
                   (size_t)(line->lastchar - line->buffer) * sizeof(wchar_t));
    }
    return type_key(edit->line, KEY_HISTORY_BACK, 0);
}

/* To the row of the text above the cursor; where there is none, back in the history, or to the
 * lines of the command that were typed before. */
static unsigned char key_up(EditLine *el, int key)
{
    struct edit *edit = edit_of(el);
    const LineInfoW *line = el_wline(el);
    const wchar_t *start = row_start(line, line->cursor);
    (void)key;
    if (start > line->buffer)
        return to_row(el, row_start(line, start - 1), start - 1, line->cursor - start);
    if (!edit->is_continuation)
        return history_back(edit, line);
    edit->result = EDIT_WHOLE;
    edit->ended = true;
    return type_key(el, KEY_ENTER, 0);
}

static unsigned char key_down(EditLine *el, int key)
{
    struct edit *edit = edit_of(el);
    const LineInfoW *line = el_wline(el);
    const wchar_t *end = row_end(line, line->cursor);
    (void)key;
    if (end < line->lastchar)
        return to_row(el, end + 1, row_end(line, end + 1),
                      line->cursor - row_start(line, line->cursor));
    if (edit->recall.at == RECALL_NONE)
        return CC_ERROR;
    edit->recall.at = RECALL_NONE; /* unless libedit asks for a command now */
    return type_key(el, KEY_HISTORY_ON, KEY_KEPT);
}

/* After KEY_HISTORY_ON: the line that was being typed, where there was nothing newer. */
static unsigned char key_kept(EditLine *line, int key)
{
    struct edit *edit = edit_of(line);
    (void)key;
    if (edit->recall.at != RECALL_NONE)
        return CC_NORM;
    el_deletestr(line, el_cursor(line, INT_MAX));
    str_append(&edit->kept, "\0\0\0", sizeof(wchar_t)); /* libedit wants an end */
    if (str_ok(&edit->kept))
        el_winsertstr(line, (const wchar_t *)(const void *)edit->kept.data);
    str_clear(&edit->kept);
    return CC_REFRESH;
}

static unsigned char key_prefill(EditLine *line, int key)
{
    struct edit *edit = edit_of(line);
    if (edit->prefill.len > 0)
        (void)edit_insert(line, edit->prefill.data, edit->prefill.len);
    str_clear(&edit->prefill);
    if (edit->prefill_up)
        (void)key_up(line, key);
    return CC_REFRESH;
}

static unsigned char key_undo(EditLine *line, int key)
{
    (void)key;
    return undo_back(&edit_of(line)->undo, line) ? CC_REFRESH : CC_ERROR;
}

/* Puts the two characters before the cursor in each other's place; in the manner of emacs, but not
 * of gmacs, the cursor goes on first. */
static unsigned char key_transpose(EditLine *el, int key)
{
    const LineInfoW *line = el_wline(el);
    (void)key;
    if (!option_on(edit_of(el)->sh, OPTION_GMACS))
        el_cursor(el, 1);
    if (line->lastchar - line->buffer < 2 || el_cursor(el, 0) < 2)
        return CC_ERROR;
    line = el_wline(el);
    const wchar_t swapped[] = { line->cursor[-1], line->cursor[-2], 0 };
    el_deletestr(el, 2);
    el_winsertstr(el, swapped);
    return CC_REFRESH;
}

/* The last word of the last command. */
static unsigned char key_last_word(EditLine *line, int key)
{
    struct shell *sh = edit_of(line)->sh;
    size_t len, word = 0;
    (void)key;
    const char *text = history_get(sh, history_next(sh) - 1, &len);
    if (!text)
        return CC_ERROR;
    while (len > 0 && cclass_is(text[len - 1], CC_BLANK))
        len--;
    while (word < len && !cclass_is(text[len - word - 1], CC_BLANK))
        word++;
    return word > 0 && edit_insert(line, text + len - word, word) ? CC_REFRESH : CC_ERROR;
}

/* A combining mark: the character before the cursor has one more. */
static unsigned char key_mark(EditLine *el, int key)
{
    struct edit *edit = edit_of(el);
    const LineInfoW *line = el_wline(el);
    (void)key;
    if (line->cursor == line->buffer)
        return CC_ERROR;
    const wchar_t pair[] = { line->cursor[-1], edit->mark };
    struct str text;
    str_init(&text, edit->sh->heap);
    cluster_append_text(&edit->clusters, &text, pair, 2);
    el_deletestr(el, 1);
    bool inserted = str_ok(&text) && edit_insert(el, text.data, text.len);
    str_release(&text);
    return inserted ? CC_REFRESH : CC_ERROR;
}

static unsigned char key_clear(EditLine *line, int key)
{
    struct edit *edit = edit_of(line);
    (void)key;
    if (edit->above.len == 0)
        return type_key(line, KEY_CLEAR, 0);
    edit_clear_screen(edit);
    return CC_NORM;
}

/* Hands the line to the editor of HISTEDIT, VISUAL or EDITOR, which runs what is written then. */
static unsigned char key_editor(EditLine *line, int key)
{
    struct edit *edit = edit_of(line);
    (void)key;
    if (edit->is_continuation)
        return CC_ERROR;
    edit->result = EDIT_EDITOR;
    edit->ended = true;
    return type_key(line, KEY_ENTER, 0);
}

/* ESC and a letter: what the alias _letter stands for is typed. */
static unsigned char key_alias(EditLine *line, int key)
{
    struct edit *edit = edit_of(line);
    const char name[] = { '_', (char)key, '\0' };
    const char *text = alias_get(edit->sh, name, sizeof name - 1);
    if (!text)
        return CC_ERROR;
    edit_queue(edit, text, strlen(text));
    return CC_NORM;
}

/* The same in the manner of vi, called by libedit. */
static const char *alias_text(void *ctx, const char *name)
{
    struct edit *edit = ctx;
    return alias_get(edit->sh, name, strlen(name));
}

/* ---- bindings ------------------------------------------------------------------------------- */

static const struct {
    const char *name, *help;
    unsigned char (*run)(EditLine *line, int key);
} functions[] = {
    { "memksh-complete", "Complete the word", key_complete },
    { "memksh-list", "List what may complete the word", key_list },
    { "memksh-expand", "Put the path names that match into the line", key_expand },
    { "memksh-paste", "Take in what is pasted", key_paste },
    { "memksh-prefill", "Take in what the line is to begin with", key_prefill },
    { "memksh-kept", "Back to the line that was being typed", key_kept },
    { "memksh-up", "Move up a row, or back in the history", key_up },
    { "memksh-down", "Move down a row, or on in the history", key_down },
    { "memksh-undo", "Take back the last change", key_undo },
    { "memksh-transpose", "Swap characters as emacs or gmacs do", key_transpose },
    { "memksh-last-word", "Insert the last word of the last command", key_last_word },
    { "memksh-mark", "Add a combining mark", key_mark },
    { "memksh-clear", "Clear the screen", key_clear },
    { "memksh-editor", "Edit the line with an editor", key_editor },
    { "memksh-alias", "Type what the alias _letter stands for", key_alias },
};

enum binding_maps {
    MAP_EMACS = 1u << 0,
    MAP_INSERT = 1u << 1,  /* vi */
    MAP_COMMAND = 1u << 2, /* vi */
    MAP_TYPED = MAP_EMACS | MAP_INSERT,
    MAP_ALL = MAP_TYPED | MAP_COMMAND
};

/* No key that begins with ESC may be bound in MAP_INSERT: ESC alone would no longer be a key. What
 * a terminal sends for arrows is ESC, and then keys of MAP_COMMAND. */
static const struct {
    unsigned maps;
    const char *key, *function;
} bindings[] = {
    { MAP_ALL, "\\200", "memksh-paste" },
    { MAP_ALL, "\\201", "memksh-prefill" },
    { MAP_ALL, "\\202", "ed-prev-history" },
    { MAP_ALL, "\\203", "ed-next-history" },
    { MAP_ALL, "\\204", "ed-newline" },
    { MAP_ALL, "\\205", "memksh-complete" },
    { MAP_ALL, "\\206", "memksh-list" },
    { MAP_ALL, "\\207", "memksh-expand" },
    { MAP_ALL, "\\210", "memksh-kept" },
    { MAP_ALL, "\\211", "ed-clear-screen" },
    { MAP_ALL, "\\212", "memksh-mark" },
    { MAP_ALL, "^L", "memksh-clear" },
    { MAP_TYPED, "^I", "memksh-complete" },
    { MAP_TYPED, "^P", "memksh-up" },
    { MAP_TYPED, "^N", "memksh-down" },
    { MAP_TYPED, "^R", "em-inc-search-prev" },
    { MAP_EMACS, "^@", "em-set-mark" },
    { MAP_EMACS, "\\e ", "em-set-mark" },
    { MAP_EMACS, "^T", "memksh-transpose" },
    { MAP_EMACS, "^_", "memksh-undo" },
    { MAP_EMACS, "^X^U", "memksh-undo" },
    { MAP_EMACS, "^X^E", "memksh-editor" },
    { MAP_EMACS, "^]", "vi-next-char" },
    { MAP_EMACS, "\\e^]", "vi-prev-char" },
    { MAP_EMACS, "\\e.", "memksh-last-word" },
    { MAP_EMACS, "\\e_", "memksh-last-word" },
    { MAP_EMACS, "\\e#", "vi-comment-out" },
    { MAP_EMACS, "\\e*", "memksh-expand" },
    { MAP_EMACS, "\\e=", "memksh-list" },
    { MAP_EMACS, "\\e?", "memksh-list" },
    { MAP_EMACS, "\\e\\e", "memksh-complete" },
    { MAP_EMACS, "\\eh", "ed-delete-prev-word" },
    { MAP_EMACS, "\\e<", "vi-to-history-line" },
    { MAP_EMACS, "\\e[200~", "memksh-paste" },
    { MAP_EMACS, "\\e[201~", "ed-ignore" },
    { MAP_EMACS, "\\e[A", "memksh-up" },
    { MAP_EMACS, "\\eOA", "memksh-up" },
    { MAP_EMACS, "\\e[B", "memksh-down" },
    { MAP_EMACS, "\\eOB", "memksh-down" },
    { MAP_EMACS, "\\e[1;3C", "em-next-word" },
    { MAP_EMACS, "\\e[1;5C", "em-next-word" },
    { MAP_EMACS, "\\e[1;9C", "em-next-word" },
    { MAP_EMACS, "\\eO5C", "em-next-word" },
    { MAP_EMACS, "\\e[1;3D", "ed-prev-word" },
    { MAP_EMACS, "\\e[1;5D", "ed-prev-word" },
    { MAP_EMACS, "\\e[1;9D", "ed-prev-word" },
    { MAP_EMACS, "\\eO5D", "ed-prev-word" },
    { MAP_EMACS, "\\e[2~", "ed-quoted-insert" },
    { MAP_EMACS, "\\e[3;3~", "em-delete-next-word" },
    { MAP_EMACS, "\\e[3;5~", "em-delete-next-word" },
    { MAP_EMACS, "\\e[5~", "ed-search-prev-history" },
    { MAP_EMACS, "\\e[6~", "ed-search-next-history" },
    { MAP_EMACS, "\\e[7~", "ed-move-to-beg" },
    { MAP_EMACS, "\\e[8~", "ed-move-to-end" },
    { MAP_COMMAND, "^[", "ed-ignore" }, /* libedit would take the key after it for another */
    { MAP_COMMAND, "k", "memksh-up" },
    { MAP_COMMAND, "\\055", "memksh-up" },
    { MAP_COMMAND, "j", "memksh-down" },
    { MAP_COMMAND, "+", "memksh-down" },
    { MAP_COMMAND, "[A", "memksh-up" },
    { MAP_COMMAND, "OA", "memksh-up" },
    { MAP_COMMAND, "[B", "memksh-down" },
    { MAP_COMMAND, "OB", "memksh-down" },
    { MAP_COMMAND, "[201~", "ed-ignore" },
    { MAP_COMMAND, "[3~", "ed-delete-next-char" },
    { MAP_COMMAND, "[1~", "ed-move-to-beg" },
    { MAP_COMMAND, "[4~", "ed-move-to-end" },
    { MAP_COMMAND, "[1;5C", "vi-next-word" },
    { MAP_COMMAND, "[1;5D", "vi-prev-word" },
    { MAP_COMMAND, "v", "memksh-editor" },
};

/* Keys of vi's command mode that act on the word under the cursor: first they go behind it. */
static const struct {
    const char *key, *typed;
} texts[] = {
    { "\\\\", "a\\205" },
    { "=", "a\\206\\e" },
    { "*", "a\\207" },
};

void keys_init(struct edit *edit)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        el_set(edit->line, EL_ADDFN, functions[i].name, functions[i].help, functions[i].run);
    el_set(edit->line, EL_ALIAS_TEXT, alias_text, edit);
}

bool keys_are_vi(EditLine *line)
{
    const char *editor = "";
    el_get(line, EL_EDITOR, &editor);
    return strcmp(editor, "vi") == 0;
}

void keys_bind(EditLine *line)
{
    static const char soft[] = "aegijkmoqrstvyzAEGHIJKMQRSTVYZ";
    bool vi = keys_are_vi(line);
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        if (bindings[i].maps & (vi ? MAP_INSERT : MAP_EMACS))
            el_set(line, EL_BIND, bindings[i].key, bindings[i].function, NULL);
        if (vi && bindings[i].maps & MAP_COMMAND)
            el_set(line, EL_BIND, "-a", bindings[i].key, bindings[i].function, NULL);
    }
    for (size_t i = 0; vi && i < sizeof texts / sizeof *texts; i++)
        el_set(line, EL_BIND, "-a", "-s", texts[i].key, texts[i].typed, NULL);
    for (size_t i = 0; !vi && soft[i]; i++) {
        const char key[] = { '\\', 'e', soft[i], '\0' };
        el_set(line, EL_BIND, key, "memksh-alias", NULL);
    }
}

bool keys_are_bound(EditLine *line)
{
    const char *command[] = { "bind", "\\200", NULL };
    char output[256] = "";
    FILE *file = fmemopen(output, sizeof output, "w"), *before = stdout;
    if (!file)
        return true;
    el_get(line, EL_GETFP, 1, &before);
    el_set(line, EL_SETFP, 1, file);
    el_parse(line, 2, command);
    el_set(line, EL_SETFP, 1, before);
    fclose(file);
    return strstr(output, "memksh-paste") != NULL;
}
