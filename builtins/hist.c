/*
 * hist, fc: list, edit and run again commands of the history file (state/history.h).
 *
 * A command is named by its number, by how many commands ago it was, or by how it begins. What
 * is run instead of this command takes its place in the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "builtins/print.h"
#include "shell/base/num.h"
#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/state/fdtab.h"
#include "shell/state/histexpand.h"
#include "shell/state/history.h"
#include "shell/state/var.h"

enum { LIST_DEFAULT = 16 };

struct hist {
    struct shell *sh;
    struct args *args;
    const char *editor; /* -e */
    int64_t back;       /* -N; 0: not given */
    bool list, no_numbers, reverse, run, expand;
    int64_t present;         /* the number of the command that is running */
    const char *time_format; /* NULL: no times */
};

/* ---- which commands ---- */

static enum flow bad_range(struct hist *h, int64_t first, int64_t last)
{
    if (h->present <= history_first(h->sh))
        return shell_fail(h->sh, ERROR_BUILTIN, 1, h->args->argv[0], "no commands yet");
    return shell_fail(h->sh, ERROR_BUILTIN, 1, h->args->argv[0], "%lld-%lld: invalid range",
                      (long long)first, (long long)last);
}

/* The command that TEXT names. */
static enum flow find_command(struct hist *h, const char *text, int64_t *ret)
{
    int64_t number;
    size_t len = strlen(text), entry_len;
    if (num_parse_int(text, len, &number)) {
        *ret = number <= 0 && *text != '0' ? h->present + number : number;
        return FLOW_NEXT;
    }
    for (number = h->present - 1; number >= history_first(h->sh); number--) {
        const char *entry = history_get(h->sh, number, &entry_len);
        if (entry && entry_len >= len && memcmp(entry, text, len) == 0) {
            *ret = number;
            return FLOW_NEXT;
        }
    }
    return shell_fail(h->sh, ERROR_BUILTIN, 1, h->args->argv[0], "%s: not found", text);
}

/* [first [last]], in order, with the defaults. */
static enum flow find_range(struct hist *h, int64_t *ret_first, int64_t *ret_last)
{
    int64_t oldest = history_first(h->sh), previous = h->present - 1, first, last;
    const char *from = args_peek(h->args, 0), *to = args_peek(h->args, 1);
    first = h->list ? h->present - LIST_DEFAULT : previous;
    if (h->back)
        first = h->present - h->back;
    if (first < oldest && !from)
        first = oldest;
    if (from)
        TRY(find_command(h, from, &first));
    last = h->list ? previous : first;
    if (to)
        TRY(find_command(h, to, &last));
    if (h->list && previous >= oldest) { /* as far as there are commands */
        first = first < oldest ? oldest : first > previous ? previous : first;
        last = last < oldest ? oldest : last > previous ? previous : last;
    }
    if (first < oldest || last < oldest || first > previous || last > previous)
        return bad_range(h, first, last);
    if (first > last) {
        int64_t swap = first;
        first = last;
        last = swap;
        h->reverse = !h->reverse;
    }
    *ret_first = first;
    *ret_last = last;
    return FLOW_NEXT;
}

/* ---- listing ---- */

/* A command, its further lines indented. */
static void append_command(struct str *s, const char *text, size_t len, bool indent)
{
    for (size_t i = 0; i < len; i++) {
        str_putc(s, text[i]);
        if (text[i] == '\n' && indent)
            str_putc(s, '\t');
    }
    str_putc(s, '\n');
}

/* When the command was given, as HISTTIMEFORMAT says. */
static void append_time(struct hist *h, struct str *s, int64_t number)
{
    char date[32] = "#";
    int64_t time = history_time(h->sh, number);
    if (time == 0)
        return;
    date[1 + num_format_int(time, date + 1)] = '\0';
    (void)time_format(h->sh, s, h->time_format, date);
}

/* The commands in their order into S; with MARGIN as hist -l shows them. */
static void append_range(struct hist *h, struct str *s, int64_t first, int64_t last, bool margin)
{
    for (int64_t i = 0; i <= last - first; i++) {
        int64_t number = h->reverse ? last - i : first + i;
        size_t len;
        const char *text = history_get(h->sh, number, &len);
        if (!text)
            continue;
        if (margin && !h->no_numbers)
            str_append_int(s, number);
        if (margin)
            str_putc(s, '\t');
        if (margin && h->time_format)
            append_time(h, s, number);
        append_command(s, text, len, margin);
    }
}

static enum flow list_commands(struct hist *h)
{
    int64_t first, last;
    struct str s;
    TRY(find_range(h, &first, &last));
    str_init(&s, h->sh->heap);
    append_range(h, &s, first, last, true);
    bool ok = str_ok(&s);
    if (ok)
        out_write(h->sh->out, str_text(&s), s.len);
    str_release(&s);
    return ok ? FLOW_NEXT : shell_fail_memory(h->sh, 0);
}

/* ---- running again ---- */

/* Shows TEXT on standard error, puts it into the history instead of this command, and runs it. */
static enum flow run_command(struct hist *h, const char *text, size_t len)
{
    struct shell *sh = h->sh;
    struct out *out = fdtab_out(sh, STDERR_FILENO);
    while (len && text[len - 1] == '\n')
        len--;
    if (out) {
        out_write(out, text, len);
        out_putc(out, '\n');
        (void)out_flush(out);
        out_clear_error(out);
    }
    history_running_undo(sh);
    history_add(sh, text, len);
    return exec_text(sh, h->args->argv[0], text, len);
}

/* TEXT with the first OLD replaced, CHANGE being `old=new`; in S. */
static enum flow append_changed(struct hist *h, struct str *s, const char *text, size_t len,
                                const char *change)
{
    size_t old_len = strcspn(change, "=");
    const char *at = old_len ? memmem(text, len, change, old_len) : NULL;
    if (!at)
        return shell_fail(h->sh, ERROR_BUILTIN, 1, h->args->argv[0], "%s: bad substitution",
                          change);
    str_append(s, text, (size_t)(at - text));
    str_append_z(s, change + old_len + 1);
    str_append(s, at + old_len, len - (size_t)(at - text) - old_len);
    return FLOW_NEXT;
}

/* hist -s [old=new] [command] */
static enum flow run_again(struct hist *h)
{
    const char *change = args_peek(h->args, 0);
    int64_t number = h->present - (h->back ? h->back : 1);
    size_t len;
    struct str s;
    if (change && strchr(change, '='))
        h->args->next++;
    else
        change = NULL;
    if (args_left(h->args) > 1)
        return builtin_usage_error(h->sh, h->args, "too many operands");
    if (args_left(h->args))
        TRY(find_command(h, args_peek(h->args, 0), &number));
    const char *text = number < h->present ? history_get(h->sh, number, &len) : NULL;
    if (!text)
        return bad_range(h, number, number);
    str_init(&s, h->sh->scratch);
    if (change)
        TRY(append_changed(h, &s, text, len, change));
    else
        str_append(&s, text, len);
    if (!str_ok(&s))
        return shell_fail_memory(h->sh, s.len);
    return run_command(h, str_text(&s), s.len);
}

/* Reads the rest of descriptor FD into S. */
static bool read_all(int fd, struct str *s)
{
    for (;;) {
        if (!str_reserve(s, 4096))
            return false;
        ssize_t got = sys_read(fd, s->data + s->len, 4096);
        if (got <= 0)
            return got == 0;
        s->len += (size_t)got;
        s->data[s->len] = '\0';
    }
}

/* Runs the editor on the file PATH; *RET_OK: it ended well. */
static enum flow run_editor(struct hist *h, const char *path, bool *ret_ok)
{
    struct shell *sh = h->sh;
    const char *editor = h->editor;
    struct str command;
    if (!editor)
        editor = var_text(sh, "HISTEDIT");
    if (!editor || !*editor)
        editor = var_text(sh, "FCEDIT");
    if (!editor || !*editor)
        editor = "/bin/ed";
    str_init(&command, sh->scratch);
    str_printf(&command, "%s ", editor);
    text_quote(&command, path, strlen(path));
    if (!str_ok(&command))
        return shell_fail_memory(sh, command.len);
    TRY(exec_text(sh, h->args->argv[0], str_text(&command), command.len));
    *ret_ok = sh->status == 0;
    return FLOW_NEXT;
}

/* The commands of TEXT in a file, given to the editor and run as it leaves them. */
static enum flow edit_text(struct hist *h, const struct str *text)
{
    struct shell *sh = h->sh;
    const char *directory = var_text(sh, "TMPDIR");
    struct str path, edited;
    bool ok = false;
    str_init(&path, sh->scratch);
    str_init(&edited, sh->scratch);
    str_printf(&path, "%s/histXXXXXX", directory && *directory ? directory : "/tmp");
    int fd = str_ok(&path) ? mkstemp(path.data) : -1;
    if (fd < 0)
        return shell_fail(sh, ERROR_BUILTIN, 1, h->args->argv[0], "cannot make a temporary file");
    fd = sys_move_private(fd);
    enum flow flow = FLOW_NEXT;
    if (sys_write_all(fd, str_text(text), text->len))
        flow = run_editor(h, path.data, &ok);
    else
        flow = shell_fail(sh, ERROR_BUILTIN, 1, h->args->argv[0], "%s: %s", path.data,
                          strerror(errno));
    close(fd);
    fd = ok ? sys_open(path.data, 0, 0) : -1; /* the editor may have made a new file */
    if (fd >= 0) {
        ok = read_all(fd, &edited);
        close(fd);
    }
    unlink(path.data);
    if (flow == FLOW_NEXT && ok && edited.len)
        return run_command(h, edited.data, edited.len);
    return flow;
}

static enum flow edit_commands(struct hist *h)
{
    int64_t first, last;
    struct str text;
    TRY(find_range(h, &first, &last));
    str_init(&text, h->sh->scratch);
    append_range(h, &text, first, last, false);
    if (!str_ok(&text))
        return shell_fail_memory(h->sh, text.len);
    return edit_text(h, &text);
}

/* hist -p: what history expansion makes of each operand. One that fails does not stop the others.
 */
static enum flow expand_operands(struct hist *h)
{
    struct shell *sh = h->sh;
    struct histexpand state;
    struct str line;
    enum flow flow = history_refresh(sh, h->args->argv[0]);
    histexpand_init(&state, sh->heap);
    str_init(&line, sh->heap);
    sh->status = 0;
    for (const char *word; flow == FLOW_NEXT && (word = args_peek(h->args, 0)); h->args->next++) {
        str_clear(&line);
        switch (histexpand_line(sh, &state, word, strlen(word), &line)) {
        case HISTEXPAND_NOTHING:
            out_printf(sh->out, "%s\n", word);
            break;
        case HISTEXPAND_DONE:
        case HISTEXPAND_PRINT:
            str_putc(&line, '\n');
            if (!str_ok(&line))
                flow = shell_fail_memory(sh, line.len);
            else
                out_write(sh->out, line.data, line.len);
            break;
        case HISTEXPAND_FAILED:
            if (sh->err.kind == ERROR_MEMORY)
                flow = FLOW_ERROR;
            else
                shell_print_error(sh);
            break;
        }
    }
    histexpand_release(&state);
    str_release(&line);
    return flow;
}

/* ---- the command ---- */

static enum flow hist_run(struct shell *sh, struct args *args)
{
    struct hist h = { .sh = sh, .args = args };
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        h.list |= option == 'l';
        h.no_numbers |= option == 'n';
        h.reverse |= option == 'r';
        h.run |= option == 's';
        h.expand |= option == 'p';
        if (option == 'e')
            h.editor = args->option_argument;
        if (option == 'N')
            h.back = strtoll(args->option_argument, NULL, 10);
    }
    if (h.expand)
        return expand_operands(&h);
    if (h.editor && strcmp(h.editor, "-") == 0)
        h.run = true;
    if (args_left(args) > 2)
        return builtin_usage_error(sh, args, "too many operands");
    TRY(history_refresh(sh, args->argv[0]));
    h.present = history_next(sh);
    h.time_format = var_text(sh, "HISTTIMEFORMAT");
    sh->status = 0;
    if (h.list)
        return list_commands(&h);
    return h.run ? run_again(&h) : edit_commands(&h);
}

/* `-16` is a command, not an option. */
static enum flow hist_start(struct shell *sh, struct args *args)
{
    args->numbers_are_operands = true;
    return hist_run(sh, args);
}

static const struct builtin_option options[] = {
    { .letter = 'e', .argument = "editor", .help = "edit with this program; - is the same as -s" },
    { .letter = 'l', .help = "list the commands" },
    { .letter = 'n', .help = "list without numbers" },
    { .letter = 'N',
      .argument = "num",
      .numeric = true,
      .help = "begin with the command num commands ago" },
    { .letter = 'p', .help = "show what history expansion makes of each operand" },
    { .letter = 'r', .help = "in reverse order" },
    { .letter = 's', .help = "run the command again without editing it" },
    { 0 },
};

#define HIST_USAGE "[first [last]]\n-s [old=new] [command]\n-p [text ...]"
#define HIST_DOC                                                                                   \
    "Works on commands of the history file. Each is named by its number, a negative number of "    \
    "commands ago, or its first characters. With -l the commands from first to last are listed, "  \
    "by default the last 16. With -s the command, by default the last one, is run again, the "     \
    "first old in it replaced by new. With -p, ! and ^ are expanded in the operands. Otherwise "   \
    "the commands are given to the editor of "                                                     \
    "HISTEDIT or FCEDIT, or ed, and run as it leaves them."

const struct builtin_spec hist_spec = {
    .name = "hist",
    .options = options,
    .usage = HIST_USAGE,
    .summary = "list, edit and run again commands of the history",
    .doc = HIST_DOC,
    .run = hist_start,
};

const struct builtin_spec fc_spec = {
    .name = "fc",
    .options = options,
    .usage = HIST_USAGE,
    .summary = "list, edit and run again commands of the history: hist",
    .doc = HIST_DOC,
    .run = hist_start,
};
