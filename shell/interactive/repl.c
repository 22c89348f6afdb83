/*
 * The prompt: lines edited by libedit, prompts from PS1 and PS2, the history.
 *
 * Everything of libedit is made here, when the shell is interactive, and nowhere else. ^C gives the
 * line up and starts a new command; the end of input leaves the shell, unless ignoreeof is set or
 * jobs are stopped, of which it warns once.
 */
#include "shell/interactive/repl.h"

#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "shell/exec/exec.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/history.h"
#include "shell/state/option.h"

enum { HISTORY_LINES = 512, EOF_LIMIT = 10 };

struct repl {
    struct shell *sh;
    EditLine *edit;
    History *history;
    HistEvent event;
    struct str prompt;
    struct str command; /* lines of the command being typed, for the history */
    int eof_count;
};

/* PS1 with ! as the number of the command, expanded. */
static void prompt_make(struct repl *repl, bool continuation)
{
    struct shell *sh = repl->sh;
    const char *raw = var_text(sh, continuation ? "PS2" : "PS1");
    struct str text;
    if (!raw)
        raw = "";
    str_init(&text, sh->heap);
    for (const char *p = raw; *p; p++) {
        if (continuation || *p != '!')
            str_putc(&text, *p);
        else if (p[1] == '!')
            str_putc(&text, *p++);
        else
            str_append_int(&text, history_next(sh));
    }
    const char *expanded = str_text(&text);
    size_t len = text.len;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    int status = sh->status;
    if (sh->hooks.expand_text(sh, expanded, len, &expanded, &len) != FLOW_NEXT)
        shell_print_error(sh);
    sh->status = status;
    str_clear(&repl->prompt);
    str_append(&repl->prompt, expanded, len);
    mem_region_reset(sh->scratch, mark);
    str_release(&text);
}

static char *prompt_get(EditLine *edit)
{
    struct repl *repl = NULL;
    static char empty[] = "";
    el_get(edit, EL_CLIENTDATA, &repl);
    return repl && repl->prompt.data ? repl->prompt.data : empty;
}

/* The command that was typed, and has run by now, goes into both histories: the editor's and the
 * file. */
static void command_add(struct repl *repl)
{
    if (repl->command.len > 1 && str_ok(&repl->command)) {
        history(repl->history, &repl->event, H_ENTER, str_text(&repl->command));
        if (!repl->sh->history_taken)
            history_add(repl->sh, str_text(&repl->command), repl->command.len);
    }
    repl->sh->history_taken = false;
    str_clear(&repl->command);
}

/* What the file holds can be called back at the prompt. */
static void commands_load(struct repl *repl)
{
    struct shell *sh = repl->sh;
    size_t len;
    if (history_refresh(sh, NULL) != FLOW_NEXT)
        return;
    for (int64_t i = history_first(sh); i < history_next(sh); i++) {
        struct str line;
        str_init(&line, sh->heap);
        const char *text = history_get(sh, i, &len);
        str_append(&line, text ? text : "", text ? len : 0);
        str_putc(&line, '\n');
        if (str_ok(&line))
            history(repl->history, &repl->event, H_ENTER, str_text(&line));
        str_release(&line);
    }
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
    fdtab_message(sh, "", 0);
    return 0;
}

static ptrdiff_t line_read(void *ctx, bool continuation, const char **ret_text)
{
    struct repl *repl = ctx;
    struct shell *sh = repl->sh;
    int count = 0;
    (void)fdtab_flush(sh);
    if (!continuation) {
        command_add(repl);
        jobs_poll(sh);
        jobs_notify(sh);
    }
    prompt_make(repl, continuation);
    el_set(repl->edit, EL_EDITOR, option_on(sh, OPTION_VI) ? "vi" : "emacs");
    errno = 0;
    const char *line = el_gets(repl->edit, &count);
    if (!line || count <= 0) {
        if ((sh->pending & ~(int)PENDING_SAMPLE) || errno == EINTR) {
            str_clear(&repl->command);
            fdtab_message(sh, "", 0);
            sh->status = 128 + SIGINT;
            return -1;
        }
        return continuation ? 0 : end_of_input(repl, ret_text);
    }
    repl->eof_count = 0;
    str_append(&repl->command, line, (size_t)count);
    *ret_text = line;
    return count;
}

static bool repl_open(struct repl *repl)
{
    repl->edit = el_init("memksh", stdin, stdout, stderr);
    repl->history = history_init();
    if (!repl->edit || !repl->history)
        return false;
    history(repl->history, &repl->event, H_SETSIZE, HISTORY_LINES);
    el_set(repl->edit, EL_CLIENTDATA, repl);
    el_set(repl->edit, EL_PROMPT, prompt_get);
    el_set(repl->edit, EL_SIGNAL, 1);
    el_set(repl->edit, EL_HIST, history, repl->history);
    el_set(repl->edit, EL_EDITOR, "emacs");
    el_source(repl->edit, NULL);
    commands_load(repl);
    return true;
}

static void repl_close(struct repl *repl)
{
    if (repl->history)
        history_end(repl->history);
    if (repl->edit)
        el_end(repl->edit);
    str_release(&repl->prompt);
    str_release(&repl->command);
}

enum flow repl_run(struct shell *sh)
{
    struct repl repl = { .sh = sh };
    struct source source;
    str_init(&repl.prompt, sh->heap);
    str_init(&repl.command, sh->heap);
    if (!repl_open(&repl)) {
        repl_close(&repl);
        return shell_fail(sh, ERROR_MEMORY, 1, NULL, "cannot start the line editor");
    }
    source_init_reader(&source, sh->arg0, line_read, &repl, sh->heap);
    enum flow flow = exec_interactive(sh, &source);
    source_release(&source);
    repl_close(&repl);
    return flow;
}
