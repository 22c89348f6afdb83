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
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "shell/base/num.h"
#include "shell/base/sys.h"
#include "shell/base/utf8.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/interactive/await.h"
#include "shell/interactive/edit_private.h"
#include "shell/interactive/prompt.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

enum { GRACE_SECONDS = 60, ESCAPE_MS = 10 };

struct edit *edit_of(EditLine *line)
{
    struct edit *edit = NULL;
    el_get(line, EL_CLIENTDATA, &edit);
    return edit;
}

/* libedit dies of a prompt that is no text in the locale, which may be another one by now. */
static void prompt_mend(struct str *prompt)
{
    mbstate_t state = { 0 };
    for (size_t i = 0; i < prompt->len;) {
        size_t len = mbrtowc(NULL, prompt->data + i, prompt->len - i, &state);
        if (len >= (size_t)-2) {
            prompt->data[i] = '?';
            memset(&state, 0, sizeof state);
            len = 1;
        }
        i += len ? len : 1;
    }
}

static char *prompt_text(EditLine *line)
{
    static char mark[] = PANE_MARK;
    struct edit *edit = edit_of(line);
    prompt_mend(&edit->prompt);
    if (edit->pane.start == 0)
        return (char *)str_text(&edit->prompt);
    int rows = 0;
    el_get(line, EL_GETTC, "li", &rows);
    return pane_mark_columns((size_t)rows) ? mark : mark + sizeof mark - 1;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* How many rows of WIDTH columns lie above the end of TEXT, which begins in column *COLUMN. */
static size_t rows_above(const wchar_t *text, const wchar_t *end, size_t width, size_t *column)
{
    size_t rows = 0;
    for (; text < end; text++) {
        int known = *text == L'\t' ? 8 - (int)(*column % 8) : wcwidth(*text);
        size_t columns = known >= 0 ? (size_t)known : 2; /* a control is shown as ^X */
        if (*text == L'\n') {
            rows++;
            *column = 0;
            continue;
        }
        *column += columns;
        if (*column > width) {
            rows++;
            *column = columns;
        }
    }
    return rows;
}

static size_t prompt_columns(const struct edit *edit)
{
    size_t columns = 0;
    for (const char *p = str_text(&edit->prompt); *p;) {
        size_t len = strcspn(p, "\1");
        columns += utf8_columns(p, len);
        p += len;
        const char *end = *p ? strchr(p + 1, PROMPT_ESCAPE) : NULL;
        p = end ? end + 1 : p + strlen(p);
    }
    return columns;
}

/* The window has another size. Terminals fold long lines anew by themselves, so the rows above the
 * cursor are counted in the new width; from the first one on all is drawn again. */
static void window_redraw(struct edit *edit)
{
    char up[32];
    size_t count, columns = 0, rows = 0, used = 0;
    el_resize(edit->line);
    if (!sys_terminal_size(STDIN_FILENO, &count, &columns))
        columns = 80;
    const LineInfoW *line = el_wline(edit->line);
    const wchar_t *start = line->buffer + edit->pane.start;
    used = edit->pane.start > 0 ? sizeof PANE_MARK - 1 : edit->prompt_columns;
    rows = used ? (used - 1) / columns : 0;
    used = used ? (used - 1) % columns + 1 : 0;
    if (start <= line->cursor)
        rows += rows_above(start, line->cursor, columns, &used);
    rows += used == columns; /* the cursor waits in the row below */
    int len = snprintf(up, sizeof up, rows ? "\r\033[%zuA\033[J" : "\r\033[J", rows);
    if (write(STDERR_FILENO, up, (size_t)len) < 0)
        return; /* a terminal that is gone: reading will tell */
}

void edit_signals(bool on)
{
    struct termios modes;
    if (tcgetattr(STDIN_FILENO, &modes) != 0 || on == !!(modes.c_lflag & ISIG))
        return;
    modes.c_lflag ^= ISIG;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
}

/* Acts on what arrived; false: the line is given up. */
static bool pending_act(struct edit *edit)
{
    struct shell *sh = edit->sh;
    bool drawn = true;
    if (sh->pending & PENDING_WINCH) {
        window_redraw(edit);
        drawn = false;
    }
    if (await_gives_up(sh))
        return false;
    bool acts = trap_pending_now(sh) || (sh->pending & PENDING_CHILD && trap_is_set(sh, SIGCHLD));
    if (sh->pending & PENDING_CHILD && option_on(sh, OPTION_NOTIFY)) {
        jobs_notify(sh);
        drawn = false;
    }
    if (sh->pending) {
        int status = sh->status;
        edit_signals(true);
        if (trap_run_pending(sh) != FLOW_NEXT)
            shell_print_error(sh);
        edit_signals(false);
        (void)fdtab_flush(sh);
        sh->status = status;
        drawn = drawn && !acts;
    }
    if (!drawn)
        el_set(edit->line, EL_REFRESH);
    return true;
}

int edit_read_byte(struct edit *edit, char *ret)
{
    struct shell *sh = edit->sh;
    bool warned = false;
    for (;;) {
        const char *limit = var_text(sh, "TMOUT");
        switch (await_input(sh, warned ? GRACE_SECONDS : limit ? strtol(limit, NULL, 10) : 0)) {
        case AWAIT_SIGNAL:
            if (pending_act(edit))
                break;
            edit->result = EDIT_GIVEN_UP;
            edit->ended = true;
            pane_leave(edit->line);
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

bool edit_insert(EditLine *line, const char *text, size_t len)
{
    struct edit *edit = edit_of(line);
    str_clear(&edit->wide);
    cluster_append_wide(&edit->clusters, &edit->wide, text, len);
    str_append(&edit->wide, "\0\0\0", sizeof(wchar_t)); /* libedit wants an end */
    return str_ok(&edit->wide) &&
           el_winsertstr(line, (const wchar_t *)(const void *)edit->wide.data) == 0;
}

char *edit_text(EditLine *line, size_t *ret_len, size_t *ret_cursor)
{
    struct edit *edit = edit_of(line);
    const LineInfoW *info = el_wline(line);
    struct str text;
    str_init(&text, edit->sh->scratch);
    cluster_append_text(&edit->clusters, &text, info->buffer,
                        (size_t)(info->cursor - info->buffer));
    size_t cursor = text.len;
    cluster_append_text(&edit->clusters, &text, info->cursor,
                        (size_t)(info->lastchar - info->cursor));
    if (!str_ok(&text))
        return NULL;
    *ret_len = text.len;
    *ret_cursor = cursor;
    return scratch_dup(edit->sh, str_text(&text), text.len);
}

void edit_queue(struct edit *edit, const char *bytes, size_t len)
{
    if (edit->queue_at == edit->queued.len) {
        str_clear(&edit->queued);
        edit->queue_at = 0;
    }
    str_append(&edit->queued, bytes, len);
}

/* What the KEYBD trap makes of the character that was typed, BYTES: queued in its place. */
static void keybd_run(struct edit *edit, const char *bytes, size_t len)
{
    struct shell *sh = edit->sh;
    size_t line_len, cursor;
    char typed[MB_LEN_MAX + 1], column[24];
    int status = sh->status;
    memcpy(typed, bytes, len);
    typed[len] = '\0';
    char *text = edit_text(edit->line, &line_len, &cursor);
    column[num_format_int(text ? (int64_t)cursor : 0, column)] = '\0';
    edit_signals(true);
    if (!text || var_set_text(sh, ".sh.edchar", typed) != FLOW_NEXT ||
        var_set_text(sh, ".sh.edcol", column) != FLOW_NEXT ||
        var_set_text(sh, ".sh.edmode", option_on(sh, OPTION_VI) ? "\033" : "") != FLOW_NEXT ||
        var_set_text(sh, ".sh.edtext", text) != FLOW_NEXT || trap_run(sh, TRAP_KEYBD) != FLOW_NEXT)
        shell_print_error(sh);
    edit_signals(false);
    (void)fdtab_flush(sh);
    sh->status = status;
    const char *now = var_text(sh, ".sh.edchar");
    if (now)
        edit_queue(edit, now, strlen(now));
}

bool edit_signal_key(char byte)
{
    struct termios modes;
    cc_t key = (cc_t)byte;
    if (key == _POSIX_VDISABLE || (key >= ' ' && key < 0x7f) ||
        tcgetattr(STDIN_FILENO, &modes) != 0 || !(modes.c_iflag & ICRNL))
        return false;
    if (key != modes.c_cc[VINTR] && key != modes.c_cc[VQUIT])
        return false;
    kill(0, key == modes.c_cc[VINTR] ? SIGINT : SIGQUIT);
    return true;
}

/* A byte that the KEYBD trap left, or of the terminal. As edit_read_byte. */
static int byte_next(struct edit *edit, char *ret)
{
    do {
        if (edit->queue_at < edit->queued.len) {
            *ret = edit->queued.data[edit->queue_at++];
            continue;
        }
        str_clear(&edit->queued);
        edit->queue_at = 0;
        int got = edit_read_byte(edit, ret);
        if (got != 1)
            return got;
    } while (edit_signal_key(*ret));
    return 1;
}

/* What stands for the bytes of which the last one made it clear that they are no character; that
 * one is still to be taken, if it is not alone. */
static wchar_t bytes_take(struct edit *edit, const char *bytes, size_t len)
{
    if (len > 1) {
        len--;
        if (edit->queue_at > 0) /* it came from there */
            edit->queue_at--;
        else
            edit_queue(edit, bytes + len, 1);
    }
    wchar_t whole = cluster_of_bytes(&edit->clusters, bytes, len);
    return whole ? whole : (unsigned char)*bytes;
}

/* Whether the bytes behind an ESC say that pasted text begins. Those that say something else are
 * left as keys. In vi's manner ESC is a key of its own, so nothing can be bound to what begins with
 * it. */
static bool paste_begins(struct edit *edit)
{
    static const char rest[] = "[200~";
    char bytes[sizeof rest];
    size_t len = 0;
    while (rest[len] && sys_readable_within(STDIN_FILENO, ESCAPE_MS)) {
        if (edit_read_byte(edit, &bytes[len]) != 1)
            break;
        len++;
        if (bytes[len - 1] != rest[len - 1])
            break;
    }
    if (len == sizeof rest - 1 && bytes[len - 1] == '~')
        return true;
    edit_queue(edit, bytes, len);
    return false;
}

/* A combining mark goes with the character before the cursor, if there is one. */
static void mark_take(struct edit *edit, wchar_t *typed)
{
    if (*typed < 0x80 || !cluster_is_mark(*typed))
        return;
    const LineInfoW *line = el_wline(edit->line);
    if (line->cursor == line->buffer || line->cursor[-1] < L' ')
        return;
    edit->mark = *typed;
    *typed = KEY_MARK;
}

/* libedit's way to a character. */
static int character_read(EditLine *line, wchar_t *ret)
{
    struct edit *edit = edit_of(line);
    mbstate_t state = { 0 };
    char bytes[MB_LEN_MAX];
    if (edit->prefill.len > 0) {
        *ret = KEY_PREFILL;
        return 1;
    }
    undo_note(&edit->undo, line);
    for (size_t len = 0;;) {
        char byte;
        bool fresh = edit->queue_at == edit->queued.len;
        int got = byte_next(edit, &byte);
        if (got <= 0)
            return got;
        if (fresh && byte == '\033' && option_on(edit->sh, OPTION_VI) && paste_begins(edit)) {
            *ret = KEY_PASTE;
            return 1;
        }
        bytes[len++] = byte;
        size_t used = mbrtowc(ret, &byte, 1, &state);
        if (used == (size_t)-2)
            continue;
        if (used == (size_t)-1)
            *ret = bytes_take(edit, bytes, len);
        if (*ret >= KEY_FIRST && *ret <= KEY_LAST) { /* typed, not the shell's own */
            state = (mbstate_t){ 0 };
            len = 0;
            continue;
        }
        if (!fresh || !trap_is_set(edit->sh, TRAP_KEYBD)) {
            mark_take(edit, ret);
            return 1;
        }
        keybd_run(edit, bytes, len);
        state = (mbstate_t){ 0 };
        len = 0;
    }
}

/* ---- the manner of editing ------------------------------------------------------------------ */

/* What ~/.editrc or bind -v and -e chose counts as set -o. */
static void mode_take(struct edit *edit)
{
    struct shell *sh = edit->sh;
    if (keys_are_vi(edit->line) != option_on(sh, OPTION_VI) &&
        option_set(sh, keys_are_vi(edit->line) ? OPTION_VI : OPTION_EMACS, true) != FLOW_NEXT)
        shell_print_error(sh);
    if (!keys_are_bound(edit->line))
        keys_bind(edit->line);
}

/* The manner that set -o chose. Each has bindings of its own, which are made again: first the
 * shell's, then the user's. */
static void mode_set(struct edit *edit)
{
    bool vi = option_on(edit->sh, OPTION_VI);
    if (keys_are_vi(edit->line) == vi && keys_are_bound(edit->line))
        return;
    el_set(edit->line, EL_EDITOR, vi ? "vi" : "emacs");
    keys_bind(edit->line);
    el_source(edit->line, NULL);
    mode_take(edit);
}

/* TERM may change at any time. */
static void term_set(struct edit *edit)
{
    const char *term = var_text(edit->sh, "TERM");
    if (!term || strcmp(term, edit->term) == 0 || strlen(term) >= sizeof edit->term)
        return;
    memcpy(edit->term, term, strlen(term) + 1);
    setenv("TERM", term, 1); /* libedit asks there */
    el_set(edit->line, EL_TERMINAL, term);
    keys_bind(edit->line);
}

/* ---- the editor ----------------------------------------------------------------------------- */

/* What stands for the character at P, which is of the private plane; NULL: it stands for itself. */
static const char *output_text(const struct edit *edit, const char *p, size_t *ret_len)
{
    uint32_t c = 0;
    if (edit->last.len && memcmp(p, PROMPT_LAST, sizeof PROMPT_LAST - 1) == 0) {
        *ret_len = edit->last.len;
        return edit->last.data;
    }
    (void)utf8_decode(p, p + 4, &c);
    return cluster_text(&edit->clusters, (wchar_t)c, ret_len);
}

/* What libedit draws, with the texts of clusters and of PROMPT_LAST. */
static ssize_t output_write(void *ctx, const char *bytes, size_t len)
{
    enum { PLANE = 0xf4, PLANE_BYTES = 4 };
    struct edit *edit = ctx;
    struct str out;
    str_init(&out, edit->sh->heap);
    str_append(&out, edit->cut, edit->cut_len);
    str_append(&out, bytes, len);
    edit->cut_len = 0;
    const char *p = str_text(&out), *end = p + out.len, *special;
    while ((special = memchr(p, PLANE, (size_t)(end - p))) != NULL) {
        (void)!sys_write_all(STDERR_FILENO, p, (size_t)(special - p));
        if (end - special < PLANE_BYTES) { /* the rest comes with the next call */
            edit->cut_len = (size_t)(end - special);
            memcpy(edit->cut, special, edit->cut_len);
            p = end;
            break;
        }
        size_t text_len = PLANE_BYTES;
        const char *text = output_text(edit, special, &text_len);
        (void)!sys_write_all(STDERR_FILENO, text ? text : special, text_len);
        p = special + PLANE_BYTES;
    }
    (void)!sys_write_all(STDERR_FILENO, p, (size_t)(end - p)); /* a terminal that is gone: reading
                                                                  will tell */
    str_release(&out);
    return (ssize_t)len;
}

/* The lines of the prompt above its last one. */
static void write_above(struct edit *edit)
{
    if (edit->above.len) /* else there may be no text */
        fwrite(edit->above.data, 1, edit->above.len, edit->out);
}

void edit_clear_screen(struct edit *edit)
{
    static const char clear[] = "\033[H\033[2J";
    fwrite(clear, 1, sizeof clear - 1, edit->out);
    write_above(edit);
    el_set(edit->line, EL_REFRESH);
}

struct edit *edit_new(struct shell *sh)
{
    const char *term = var_text(sh, "TERM");
    if (sh->editor)
        return sh->editor;
    /* A dumb terminal is edited on if that was asked for: backspaces and blanks are enough. */
    bool asked =
        option_on(sh, OPTION_VI) || option_on(sh, OPTION_EMACS) || option_on(sh, OPTION_GMACS);
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !term || !*term ||
        (strcmp(term, "dumb") == 0 && !asked))
        return NULL;
    struct edit *edit = mem_alloc_zeroed(sh->heap, sizeof *edit);
    if (!edit)
        return NULL;
    edit->sh = sh;
    str_init(&edit->above, sh->heap);
    str_init(&edit->prompt, sh->heap);
    str_init(&edit->last, sh->heap);
    str_init(&edit->pasted, sh->heap);
    str_init(&edit->queued, sh->heap);
    str_init(&edit->prefill, sh->heap);
    str_init(&edit->kept, sh->heap);
    clusters_init(&edit->clusters, sh->heap);
    str_init(&edit->wide, sh->heap);
    str_init(&edit->typed, sh->heap);
    undo_init(&edit->undo, sh->heap);
    completion_init(&edit->completion, sh->heap);
    if (strlen(term) < sizeof edit->term)
        memcpy(edit->term, term, strlen(term) + 1);
    setenv("TERM", term, 1); /* libedit asks there */
    if (utf8_active)
        utf8_need_tables();
    edit->out = fopencookie(edit, "w", (cookie_io_functions_t){ .write = output_write });
    if (edit->out)
        edit->line = el_init_fd("memksh", stdin, edit->out, edit->out, STDIN_FILENO, STDERR_FILENO,
                                STDERR_FILENO);
    if (!edit->line) {
        edit_free(edit);
        return NULL;
    }
    el_set(edit->line, EL_CLIENTDATA, edit);
    el_set(edit->line, EL_PROMPT_ESC, prompt_text, PROMPT_ESCAPE);
    el_set(edit->line, EL_SIGNAL, 0);
    el_set(edit->line, EL_SETTY, "-d", "-isig", NULL);
    el_set(edit->line, EL_GETCFN, character_read);
    recall_init(&edit->recall, sh, edit->line);
    keys_init(edit);
    mode_set(edit);
    sh->editor = edit;
    return edit;
}

/* Hook: a command of libedit, whose output goes where the shell's goes. */
static bool editor_command(struct shell *sh, size_t argc, const char *const *argv)
{
    enum { OUTPUT_BYTES = 128 << 10 };
    struct edit *edit = edit_new(sh);
    if (!edit)
        return false;
    EditLine *line = edit->line;
    mode_set(edit);
    char *output = scratch_alloc(sh, OUTPUT_BYTES);
    FILE *file = output ? fmemopen(output, OUTPUT_BYTES, "w") : NULL;
    if (!file)
        return false;
    output[0] = '\0';
    el_set(line, EL_SETFP, 1, file);
    int failed = el_parse(line, (int)argc, (const char **)argv);
    el_set(line, EL_SETFP, 1, edit->out);
    fclose(file);
    out_puts(sh->out, output);
    mode_take(edit);
    return failed == 0;
}

void edit_offer(struct shell *sh)
{
    sh->hooks.editor_command = editor_command;
}

void edit_free(struct edit *edit)
{
    if (!edit)
        return;
    if (edit->line) {
        el_set(edit->line, EL_EDITMODE, 0); /* else it would throw away what was typed ahead */
        el_end(edit->line);
    }
    completion_release(&edit->completion);
    if (edit->out)
        fclose(edit->out);
    str_release(&edit->above);
    str_release(&edit->prompt);
    str_release(&edit->last);
    str_release(&edit->pasted);
    str_release(&edit->queued);
    str_release(&edit->prefill);
    str_release(&edit->kept);
    clusters_release(&edit->clusters);
    str_release(&edit->wide);
    str_release(&edit->typed);
    undo_release(&edit->undo);
    recall_release(&edit->recall);
    edit->sh->editor = NULL;
    edit->sh->hooks.editor_command = NULL;
    mem_free_sized(edit->sh->heap, edit, sizeof *edit);
}

/* Whether the terminal takes the sequence that asks for marks around pasted text: one that clears
 * lines in another way would show it. */
static bool takes_marks(struct edit *edit)
{
    const char *clear = NULL;
    if (strcmp(edit->term, "linux") == 0)
        return false;
    return el_get(edit->line, EL_GETTC, "ce", &clear) == 0 && clear && strstr(clear, "\033[");
}

static void paste_mark(bool on)
{
    static const char start[] = "\033[?2004h", stop[] = "\033[?2004l";
    if (write(STDERR_FILENO, on ? start : stop, sizeof start - 1) < 0)
        return; /* a terminal that is gone: reading will tell */
}

enum edit_result edit_read(struct edit *edit, const struct str *prompt, bool is_continuation,
                           const char **ret_text, size_t *ret_len)
{
    int count = 0;
    size_t above = prompt_escape(prompt->data, prompt->len, &edit->prompt, &edit->last);
    str_clear(&edit->above);
    str_append(&edit->above, prompt->data, above);
    edit->prompt_columns = prompt_columns(edit);
    edit->pane = (struct pane){ 0 };
    edit->is_continuation = is_continuation;
    edit->ended = false;
    edit->recall.at = RECALL_NONE;
    undo_clear(&edit->undo);
    term_set(edit);
    mode_set(edit);
    if (utf8_active)
        utf8_need_tables(); /* libedit asks libc, and the locale may have changed */
    bool marks = takes_marks(edit);
    if (marks)
        paste_mark(true);
    write_above(edit);
    const wchar_t *text = el_wgets(edit->line, &count);
    if (marks)
        paste_mark(false);
    str_clear(&edit->typed);
    if (text && count > 0)
        cluster_append_text(&edit->clusters, &edit->typed, text, (size_t)count);
    *ret_text = str_text(&edit->typed);
    *ret_len = edit->typed.len;
    if (edit->ended)
        return edit->result;
    return *ret_len ? EDIT_LINE : EDIT_END;
}

void edit_prefill(struct edit *edit, const char *text, size_t len, bool up)
{
    edit->prefill_up = up;
    str_clear(&edit->prefill);
    str_append(&edit->prefill, text, len);
}
