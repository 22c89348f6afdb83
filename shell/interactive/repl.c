/*
 * The prompt: lines typed become commands.
 *
 * A line comes from the editor, or, where there is none, from standard input as it is. ^C gives the
 * command up that is being typed and starts a new one; the end of input leaves the shell, unless
 * ignoreeof is set or jobs are stopped, of which it warns once. Commands go into the history whole,
 * however many lines they have; one that begins with a blank does not.
 */
#include "shell/interactive/repl.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/interactive/await.h"
#include "shell/interactive/edit.h"
#include "shell/interactive/mail.h"
#include "shell/interactive/prompt.h"
#include "shell/interactive/unfinished.h"
#include "shell/state/fdtab.h"
#include "shell/state/histexpand.h"
#include "shell/state/history.h"
#include "shell/state/option.h"

enum { EOF_LIMIT = 10 };

struct repl {
    struct shell *sh;
    struct edit *edit; /* NULL: lines come as they are */
    struct str prompt;
    struct str plain;   /* the line, without an editor */
    struct str command; /* lines of the command being typed, for the history */
    struct str running; /* the one that runs */
    struct histexpand expansion;
    struct str expanded; /* the line after history expansion */
    int eof_count;
    struct mail mail;
    bool from_file; /* standard input is a regular file */
};

/* No prompt is shown for what comes from a file, as in ksh93; POSIX asks for it. */
static bool is_silent(const struct repl *repl)
{
    return repl->from_file && !option_on(repl->sh, OPTION_POSIX);
}

/* Whether the command that was typed is what the history ends with. */
static bool is_repeated(struct repl *repl)
{
    size_t len = 0, typed = repl->command.len - 1; /* without its newline */
    if (history_refresh(repl->sh, NULL) != FLOW_NEXT)
        return false;
    const char *last = history_get(repl->sh, history_next(repl->sh) - 1, &len);
    return last && len == typed && memcmp(last, str_text(&repl->command), len) == 0;
}

/* A command was read and will run: it goes into the history. */
static void command_typed(void *ctx)
{
    struct repl *repl = ctx;
    struct shell *sh = repl->sh;
    bool secret = repl->command.len > 0 && str_text(&repl->command)[0] == ' ';
    if (repl->command.len > 1 && str_ok(&repl->command) && !secret) {
        bool once = history_control(sh, "erasedups") || history_control(sh, "ignoredups") ||
                    history_control(sh, "ignoreboth");
        if (!(once && is_repeated(repl)))
            history_add_running(sh, str_text(&repl->command), repl->command.len);
    }
    str_clear(&repl->running);
    str_append(&repl->running, str_text(&repl->command), repl->command.len);
    sh->typed = str_ok(&repl->running) ? str_text(&repl->running) : NULL;
    str_clear(&repl->command);
}

/* End of input at the start of a command: 0 to leave, or 1 with a line to go on with. */
static ptrdiff_t end_of_input(struct repl *repl, const char **ret_text)
{
    struct shell *sh = repl->sh;
    if (option_on(sh, OPTION_IGNOREEOF) && ++repl->eof_count < EOF_LIMIT) {
        fdtab_message(sh, "Use 'exit' to terminate this shell", 34);
        *ret_text = "\n";
        return 1;
    }
    if (jobs_keep_shell(sh)) {
        *ret_text = "\n";
        return 1;
    }
    if (!is_silent(repl))
        fdtab_message(sh, "", 0);
    return 0;
}

/* A line of standard input, as it comes. As edit_read. */
static enum edit_result plain_read(struct repl *repl, const char **ret_text, size_t *ret_len)
{
    struct out *err = fdtab_out(repl->sh, STDERR_FILENO);
    char byte = 0;
    if (err && !is_silent(repl)) {
        out_write(err, str_text(&repl->prompt), repl->prompt.len);
        out_flush(err);
    }
    str_clear(&repl->plain);
    while (byte != '\n') {
        if (await_input(repl->sh, 0) == AWAIT_SIGNAL) {
            if (await_gives_up(repl->sh))
                return EDIT_GIVEN_UP;
            if (option_on(repl->sh, OPTION_NOTIFY))
                jobs_notify(repl->sh);
            if (trap_run_pending(repl->sh) != FLOW_NEXT)
                shell_print_error(repl->sh);
            continue;
        }
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        str_putc(&repl->plain, byte);
    }
    *ret_text = str_text(&repl->plain);
    *ret_len = repl->plain.len;
    return *ret_len ? EDIT_LINE : EDIT_END;
}

/* History expansion of the line *TEXT of COUNT bytes. Returns what line_read returns; -1: the line
 * is not to be run. */
static ptrdiff_t line_expand(struct repl *repl, ptrdiff_t count, const char **text)
{
    struct shell *sh = repl->sh;
    size_t len = (size_t)count - ((*text)[count - 1] == '\n');
    struct mem_mark mark = mem_region_mark(sh->scratch);
    str_clear(&repl->expanded);
    enum histexpand_result result =
        histexpand_line(sh, &repl->expansion, *text, len, &repl->expanded);
    mem_region_reset(sh->scratch, mark);
    if (result == HISTEXPAND_NOTHING)
        return count;
    if (result == HISTEXPAND_FAILED) {
        shell_print_error(sh);
        if (repl->edit && option_on(sh, OPTION_HISTREEDIT))
            edit_prefill(repl->edit, *text, len, false);
        str_clear(&repl->command);
        return -1;
    }
    if (result == HISTEXPAND_DONE && repl->edit && option_on(sh, OPTION_HISTVERIFY)) {
        edit_prefill(repl->edit, str_text(&repl->expanded), repl->expanded.len, false);
        return -1;
    }
    fdtab_message(sh, str_text(&repl->expanded), repl->expanded.len);
    str_putc(&repl->expanded, '\n');
    *text = str_text(&repl->expanded);
    if (result == HISTEXPAND_DONE)
        return (ptrdiff_t)repl->expanded.len;
    str_append(&repl->command, *text, repl->expanded.len); /* :p is for the history */
    sh->status = 0;
    return -1;
}

/* The command that hands LINE, which is put into the history for it, to the user's editor. */
static ptrdiff_t line_to_editor(struct repl *repl, const char *line, size_t len,
                                const char **ret_text)
{
    static const char command[] = "hist -e \"${HISTEDIT:-${VISUAL:-${EDITOR:-vi}}}\"\n";
    if (len > 1)
        history_add(repl->sh, line, len - 1);
    *ret_text = command;
    return (ptrdiff_t)sizeof command - 1;
}

static ptrdiff_t line_read(void *ctx, bool continuation, const char **ret_text)
{
    struct repl *repl = ctx;
    struct shell *sh = repl->sh;
    (void)fdtab_flush(sh);
    fdtab_input_sync(sh);
    sh->typed = NULL;
    if (!continuation) {
        str_clear(&repl->command); /* of which nothing ran */
        history_running_end(sh);
        if (history_refresh(sh, NULL) != FLOW_NEXT)
            shell_print_error(sh);
        jobs_poll(sh);
        jobs_notify(sh);
        sh->exit_warned -= sh->exit_warned > 0;
        mail_check(sh, &repl->mail);
        signal_window(sh);
    }
    if (option_on(sh, OPTION_NOTIFY))
        signal_watch_children(sh);
    if (!repl->edit && (option_on(sh, OPTION_VI) || option_on(sh, OPTION_EMACS)))
        repl->edit = edit_new(sh); /* on a dumb terminal: it was asked for just now */
    char unfinished[UNFINISHED_BYTES];
    if (continuation)
        unfinished_name(sh, str_text(&repl->command), repl->command.len, unfinished);
    prompt_make(sh, continuation ? unfinished : NULL, &repl->prompt);
    if (!continuation && !sys_readable_now(0)) /* nobody types ahead: it is calm */
        (void)mem_give_back();
    const char *text;
    size_t len;
    enum edit_result result = repl->edit
                                  ? edit_read(repl->edit, &repl->prompt, continuation, &text, &len)
                                  : plain_read(repl, &text, &len);
    *ret_text = text;
    switch (result) {
    case EDIT_LINE:
        break;
    case EDIT_END:
        return continuation ? 0 : end_of_input(repl, ret_text);
    case EDIT_GIVEN_UP:
        str_clear(&repl->command);
        fdtab_message(sh, "", 0);
        sh->status = 128 + SIGINT;
        return -1;
    case EDIT_WHOLE:
        str_append(&repl->command, text, len);
        edit_prefill(repl->edit, str_text(&repl->command), repl->command.len - 1, true);
        str_clear(&repl->command);
        return -1;
    case EDIT_EDITOR:
        return line_to_editor(repl, text, len, ret_text);
    }
    ptrdiff_t count = (ptrdiff_t)len;
    repl->eof_count = 0;
    if (option_on(sh, OPTION_HISTEXPAND) && (count = line_expand(repl, count, ret_text)) < 0)
        return -1;
    str_append(&repl->command, *ret_text, (size_t)count);
    return count;
}

void repl_init(struct shell *sh)
{
    signal_window(sh);
    edit_offer(sh);
}

enum flow repl_run(struct shell *sh)
{
    struct repl repl = { .sh = sh };
    struct source source;
    struct stat st;
    repl.from_file = fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    str_init(&repl.prompt, sh->heap);
    str_init(&repl.plain, sh->heap);
    str_init(&repl.command, sh->heap);
    str_init(&repl.running, sh->heap);
    str_init(&repl.expanded, sh->heap);
    histexpand_init(&repl.expansion, sh->heap);
    mail_init(&repl.mail, sh->heap);
    repl.edit = edit_new(sh);
    if (history_refresh(sh, NULL) == FLOW_NEXT)
        history_trim(sh);
    else
        shell_print_error(sh);
    source_init_reader(&source, sh->arg0, line_read, &repl, sh->heap);
    enum flow flow = exec_interactive(sh, &source, command_typed, &repl);
    sh->typed = NULL;
    source_release(&source);
    edit_free(repl.edit);
    str_release(&repl.prompt);
    str_release(&repl.plain);
    str_release(&repl.command);
    str_release(&repl.running);
    str_release(&repl.expanded);
    histexpand_release(&repl.expansion);
    mail_release(&repl.mail);
    return flow;
}
