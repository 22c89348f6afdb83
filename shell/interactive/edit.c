/*
 * The line editor: libedit, and what the shell adds to it.
 *
 * Everything of libedit is made here and in complete.c, when the shell is interactive. Characters
 * are read by a function of our own, so that signals are acted on while a line is typed: traps run
 * and the line is drawn again, ^C gives it up, a changed window counts at once, TMOUT ends the
 * waiting. Text that a terminal marks as pasted goes into the line as it is, newlines and all.
 *
 * Signals are blocked between looking at what is pending and sleeping; libedit's own handlers are
 * not used, since the shell has its own.
 */
#include "shell/interactive/edit.h"

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "shell/base/num.h"
#include "shell/base/sys.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/interactive/await.h"
#include "shell/interactive/complete.h"
#include "shell/interactive/prompt.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

enum { GRACE_SECONDS = 60, HISTORY_LINES = 512 };

struct edit {
    struct shell *sh;
    EditLine *line;
    History *history;
    HistEvent event;
    const char *prompt;
    struct completion completion;
    struct str pasted;
    struct str
        queued; /* to be taken before keys: of the KEYBD trap, or edit_prefill; how far it is */
    size_t queue_at;
    bool interrupted;
};

static struct edit *edit_of(EditLine *line)
{
    struct edit *edit = NULL;
    el_get(line, EL_CLIENTDATA, &edit);
    return edit;
}

static char *prompt_text(EditLine *line)
{
    return (char *)edit_of(line)->prompt;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Acts on what arrived; false: the line is given up. */
static bool pending_act(struct edit *edit)
{
    struct shell *sh = edit->sh;
    bool drawn = true;
    if (sh->pending & PENDING_WINCH) {
        el_resize(edit->line);
        /* libedit keeps the old cursor, which may lie outside the new screen: draw from its origin.
         */
        fdtab_message(sh, "\r", 1);
        drawn = false;
    }
    if (await_gives_up(sh))
        return false;
    int signal = trap_pending_now(sh);
    if (sh->pending & PENDING_CHILD && option_on(sh, OPTION_NOTIFY)) {
        jobs_notify(sh);
        drawn = false;
    }
    if (sh->pending) {
        int status = sh->status;
        if (trap_run_pending(sh) != FLOW_NEXT)
            shell_print_error(sh);
        (void)fdtab_flush(sh);
        sh->status = status;
        drawn = drawn && !signal;
    }
    if (!drawn)
        el_set(edit->line, EL_REFRESH);
    return true;
}

/* One byte of the terminal: 1, 0 at its end, -1 when the line is given up. */
static int byte_read(struct edit *edit, char *ret)
{
    struct shell *sh = edit->sh;
    bool warned = false;
    for (;;) {
        const char *limit = var_text(sh, "TMOUT");
        switch (await_input(sh, warned ? GRACE_SECONDS : limit ? strtol(limit, NULL, 10) : 0)) {
        case AWAIT_SIGNAL:
            if (pending_act(edit))
                break;
            edit->interrupted = true;
            return -1;
        case AWAIT_TIMEOUT:
            if (warned)
                return 0;
            warned = true;
            fdtab_message(sh, "\n\ashell will end in 60 seconds for want of input", 48);
            el_set(edit->line, EL_REFRESH);
            break;
        case AWAIT_INPUT: {
            ssize_t count = read(STDIN_FILENO, ret, 1);
            if (count >= 0 || errno != EINTR)
                return (int)count;
            break;
        }
        }
    }
}

/* What the KEYBD trap makes of the character that was typed, BYTES: queued in its place. */
static void keybd_run(struct edit *edit, const char *bytes, size_t len)
{
    struct shell *sh = edit->sh;
    const LineInfo *line = el_line(edit->line);
    char typed[MB_LEN_MAX + 1], column[24];
    int status = sh->status;
    memcpy(typed, bytes, len);
    typed[len] = '\0';
    column[num_format_int(line->cursor - line->buffer, column)] = '\0';
    char *text = scratch_dup(sh, line->buffer, (size_t)(line->lastchar - line->buffer));
    if (!text || var_set_text(sh, ".sh.edchar", typed) != FLOW_NEXT ||
        var_set_text(sh, ".sh.edcol", column) != FLOW_NEXT ||
        var_set_text(sh, ".sh.edmode", option_on(sh, OPTION_VI) ? "\033" : "") != FLOW_NEXT ||
        var_set_text(sh, ".sh.edtext", text) != FLOW_NEXT || trap_run(sh, TRAP_KEYBD) != FLOW_NEXT)
        shell_print_error(sh);
    (void)fdtab_flush(sh);
    sh->status = status;
    const char *now = var_text(sh, ".sh.edchar");
    str_clear(&edit->queued);
    str_append_z(&edit->queued, now ? now : "");
    edit->queue_at = 0;
}

/* A byte that the KEYBD trap left, or of the terminal. As byte_read. */
static int byte_next(struct edit *edit, char *ret)
{
    if (edit->queue_at == edit->queued.len)
        return byte_read(edit, ret);
    *ret = edit->queued.data[edit->queue_at++];
    return 1;
}

/* libedit's way to a character. */
static int character_read(EditLine *line, wchar_t *ret)
{
    struct edit *edit = edit_of(line);
    mbstate_t state = { 0 };
    char bytes[MB_LEN_MAX];
    for (size_t len = 0;;) {
        char byte;
        bool fresh = edit->queue_at == edit->queued.len;
        int got = byte_next(edit, &byte);
        if (got <= 0)
            return got;
        bytes[len++] = byte;
        size_t used = mbrtowc(ret, &byte, 1, &state);
        if (used == (size_t)-2)
            continue;
        if (used == (size_t)-1)
            *ret = (unsigned char)byte;
        if (!fresh || !trap_is_set(edit->sh, TRAP_KEYBD))
            return 1;
        keybd_run(edit, bytes, len);
        state = (mbstate_t){ 0 };
        len = 0;
    }
}

/* ---- keys ----------------------------------------------------------------------------------- */

static unsigned char key_complete(EditLine *line, int key)
{
    struct edit *edit = edit_of(line);
    (void)key;
    return (unsigned char)complete_key(edit->sh, &edit->completion, line);
}

/* Takes in what has arrived, with newlines in place of returns; false: no more will come. */
static bool paste_read(struct edit *edit, struct str *text)
{
    enum { PIECE_BYTES = 64 << 10 };
    char byte;
    if (byte_read(edit, &byte) != 1)
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
        str_append(&edit->queued, end + mark_len, text->len - len - mark_len);
        str_truncate(text, len);
        if (text->len > 0 && el_insertstr(line, str_text(text)) != 0)
            return CC_ERROR;
        return CC_REFRESH;
    }
    return edit->interrupted ? CC_EOF : CC_ERROR;
}

static void keys_bind(EditLine *line)
{
    el_set(line, EL_ADDFN, "memksh-complete", "Complete the word", key_complete);
    el_set(line, EL_ADDFN, "memksh-paste", "Take in what is pasted", key_paste);
    el_set(line, EL_BIND, "^I", "memksh-complete", NULL);
    el_set(line, EL_BIND, "\033[200~", "memksh-paste", NULL);
    el_set(line, EL_BIND, "^R", "em-inc-search-prev", NULL);
}

/* The editor that set -o chose; a change of it undoes bindings, which are made again. */
static void mode_set(struct edit *edit)
{
    const char *now = "", *wanted = option_on(edit->sh, OPTION_VI) ? "vi" : "emacs";
    el_get(edit->line, EL_EDITOR, &now);
    if (strcmp(now, wanted) == 0)
        return;
    el_set(edit->line, EL_EDITOR, wanted);
    el_source(edit->line, NULL);
    keys_bind(edit->line);
}

/* Hook: a command of libedit, whose output goes where the shell's goes. */
static bool editor_command(struct shell *sh, size_t argc, const char *const *argv)
{
    enum { OUTPUT_BYTES = 128 << 10 };
    EditLine *line = sh->editor->line;
    char *output = scratch_alloc(sh, OUTPUT_BYTES);
    FILE *file = output ? fmemopen(output, OUTPUT_BYTES, "w") : NULL;
    if (!file)
        return false;
    output[0] = '\0';
    el_set(line, EL_SETFP, 1, file);
    int failed = el_parse(line, (int)argc, (const char **)argv);
    el_set(line, EL_SETFP, 1, stdout);
    fclose(file);
    out_puts(sh->out, output);
    return failed == 0;
}

/* ---- the editor ----------------------------------------------------------------------------- */

struct edit *edit_new(struct shell *sh)
{
    const char *term = var_text(sh, "TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !term || !*term ||
        strcmp(term, "dumb") == 0)
        return NULL;
    struct edit *edit = mem_alloc_zeroed(sh->heap, sizeof *edit);
    if (!edit)
        return NULL;
    edit->sh = sh;
    str_init(&edit->pasted, sh->heap);
    str_init(&edit->queued, sh->heap);
    completion_init(&edit->completion, sh->heap);
    setenv("TERM", term, 1); /* libedit asks there */
    edit->line = el_init("memksh", stdin, stdout, stderr);
    edit->history = history_init();
    if (!edit->line || !edit->history) {
        edit_free(edit);
        return NULL;
    }
    history(edit->history, &edit->event, H_SETSIZE, HISTORY_LINES);
    el_set(edit->line, EL_CLIENTDATA, edit);
    el_set(edit->line, EL_PROMPT_ESC, prompt_text, PROMPT_ESCAPE);
    el_set(edit->line, EL_SIGNAL, 0);
    el_set(edit->line, EL_GETCFN, character_read);
    el_set(edit->line, EL_HIST, history, edit->history);
    el_set(edit->line, EL_EDITOR, option_on(sh, OPTION_VI) ? "vi" : "emacs");
    el_source(edit->line, NULL);
    keys_bind(edit->line);
    sh->editor = edit;
    sh->hooks.editor_command = editor_command;
    return edit;
}

void edit_free(struct edit *edit)
{
    if (!edit)
        return;
    if (edit->history)
        history_end(edit->history);
    if (edit->line)
        el_end(edit->line);
    completion_release(&edit->completion);
    str_release(&edit->pasted);
    str_release(&edit->queued);
    edit->sh->editor = NULL;
    edit->sh->hooks.editor_command = NULL;
    mem_free_sized(edit->sh->heap, edit, sizeof *edit);
}

static void paste_mark(bool on)
{
    static const char start[] = "\033[?2004h", stop[] = "\033[?2004l";
    if (write(STDERR_FILENO, on ? start : stop, sizeof start - 1) < 0)
        return; /* a terminal that is gone: reading will tell */
}

ptrdiff_t edit_read(struct edit *edit, const char *prompt, const char **ret_text)
{
    int count = 0;
    const char *term = var_text(edit->sh, "TERM");
    edit->prompt = prompt;
    edit->interrupted = false;
    mode_set(edit);
    bool marks = term && strcmp(term, "linux") != 0;
    if (marks)
        paste_mark(true);
    const char *text = el_gets(edit->line, &count);
    if (marks)
        paste_mark(false);
    if (edit->interrupted)
        return -1;
    if (!text || count <= 0)
        return 0;
    *ret_text = text;
    return count;
}

void edit_prefill(struct edit *edit, const char *text, size_t len)
{
    enum { QUOTE_NEXT = 'V' & 0x1f };
    str_clear(&edit->queued);
    edit->queue_at = 0;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < ' ')
            str_putc(&edit->queued, QUOTE_NEXT);
        str_putc(&edit->queued, text[i]);
    }
}

/* Deletes what has TEXT. */
static void forget(struct edit *edit, const char *text)
{
    HistEvent event, gone;
    int more = history(edit->history, &event, H_LAST);
    while (more >= 0) {
        int number = strcmp(event.str, text) == 0 ? event.num : -1;
        more = history(edit->history, &event, H_PREV);
        if (number >= 0)
            history(edit->history, &gone, H_DEL, number);
    }
}

void edit_remember(struct edit *edit, const char *text, bool erase)
{
    if (erase)
        forget(edit, text);
    history(edit->history, &edit->event, H_ENTER, text);
}
