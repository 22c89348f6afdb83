/*
 * select: a numbered menu on standard error, answers read from standard input into REPLY.
 *
 * The menu is shown at the start and after an empty answer. Its layout is columns filled downward,
 * when there are more words than two thirds of LINES, within COLUMNS. The end of input ends the
 * loop with status 1.
 */
#include "shell/exec/exec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/utf8.h"
#include "shell/exec/exec_private.h"
#include "shell/state/fdtab.h"

static size_t number_width(size_t n)
{
    size_t width = 1;
    while (n >= 10) {
        n /= 10;
        width++;
    }
    return width;
}

static size_t text_width(const char *text)
{
    size_t width = 0;
    const char *end = text + strlen(text);
    while (text < end) {
        uint32_t cp;
        text += utf8_decode(text, end, &cp);
        int columns = utf8_width(cp);
        width += columns > 0 ? (size_t)columns : 0;
    }
    return width;
}

static size_t variable_number(struct shell *sh, const char *name, size_t fallback)
{
    const char *text = var_text(sh, name);
    int64_t n;
    if (text && num_parse_int(text, strlen(text), &n) && n > 2)
        return (size_t)n;
    return fallback;
}

static void menu_show(struct shell *sh, const struct fields *words)
{
    struct out *out = fdtab_out(sh, 2);
    if (!out || !words->count)
        return;
    size_t widest = 0;
    for (size_t i = 0; i < words->count; i++) {
        size_t width = text_width(words->argv[i]);
        widest = width > widest ? width : widest;
    }
    size_t digits = number_width(words->count);
    size_t cell = digits + 2 + widest + 2;
    size_t columns = variable_number(sh, "COLUMNS", 80), lines = variable_number(sh, "LINES", 24);
    size_t across = words->count < lines - 2 || cell > columns ? 1 : columns / cell;
    size_t down = (words->count + across - 1) / across;
    for (size_t row = 0; row < down; row++) {
        for (size_t i = row; i < words->count; i += down) {
            const char *word = words->argv[i];
            out_printf(out, "%*zu) %s", (int)digits, i + 1, word);
            if (i + down < words->count)
                out_printf(out, "%*s", (int)(widest - text_width(word) + 2), "");
        }
        out_putc(out, '\n');
    }
    (void)out_flush(out);
}

/* Only someone at a terminal is asked. */
static void prompt_show(struct shell *sh)
{
    if (!isatty(fdtab_real(sh, 0)))
        return;
    const char *ps3 = var_text(sh, "PS3");
    const char *text = ps3 ? ps3 : "#? ";
    size_t len = strlen(text);
    struct out *out = fdtab_out(sh, 2);
    if (sh->hooks.expand_text(sh, text, len, &text, &len) != FLOW_NEXT || !out)
        return;
    out_write(out, text, len);
    (void)out_flush(out);
}

/* Reads an answer into REPLY. 1: there, 0: end of input, -1: interrupted or failed. */
static int answer_read(struct shell *sh, struct str *line)
{
    (void)fdtab_flush(sh);
    struct input *in = fdtab_in(sh, 0);
    const char *text;
    size_t len;
    if (!in)
        return 0;
    int64_t limit = sh->terminal_limit_ns;
    if (limit && isatty(fdtab_real(sh, 0)) && !input_wait(in, limit))
        return errno == EINTR ? -1 : 0;
    int found = input_line(in, '\n', &text, &len);
    if (found < 0)
        return -1;
    if (!found && !len)
        return 0;
    str_clear(line);
    while (len && (*text == ' ' || *text == '\t')) {
        text++;
        len--;
    }
    if (found)
        len--;
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    str_append(line, text, len);
    return 1;
}

/* Sets the loop's variable and REPLY from the answer. *RET_SKIP: a DEBUG action leaves out the
 * turn. */
static enum flow answer_take(struct shell *sh, const struct node_for *node,
                             const struct fields *words, const struct str *line, bool *ret_skip)
{
    int64_t n;
    const char *word = "";
    *ret_skip = false;
    if (num_parse_int(str_text(line), line->len, &n) && n >= 1 && (uint64_t)n <= words->count)
        word = words->argv[n - 1];
    TRY(var_set_text(sh, "REPLY", str_text(line)));
    if (exec_debug_wanted(sh))
        TRY(exec_debug_head(sh, &node->node, "select", node->name, word, ret_skip));
    return var_set_name(sh, node->name, word, strlen(word), 0);
}

static enum flow select_turns(struct shell *sh, const struct node_for *node,
                              const struct fields *words, struct str *line)
{
    menu_show(sh, words);
    for (;;) {
        if (sh->pending)
            TRY(trap_run_pending(sh));
        prompt_show(sh);
        int answer = answer_read(sh, line);
        if (answer < 0 && errno == EINTR)
            continue;
        if (answer <= 0) {
            struct out *out = sh->interactive ? fdtab_out(sh, 2) : NULL;
            if (out) {
                out_putc(out, '\n');
                (void)out_flush(out);
            }
            sh->status = 1;
            return FLOW_NEXT;
        }
        if (!line->len) {
            menu_show(sh, words);
            continue;
        }
        bool skip;
        TRY(answer_take(sh, node, words, line, &skip));
        enum flow flow = skip ? FLOW_NEXT : exec_list(sh, node->body);
        if (loop_ends(sh, &flow))
            return flow;
        const char *reply = var_text(sh, "REPLY");
        if (reply && !*reply)
            menu_show(sh, words);
    }
}

enum flow exec_select(struct shell *sh, const struct node_for *node)
{
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct fields words;
    struct str line;
    str_init(&line, sh->heap);
    enum flow flow = loop_words(sh, node, &words);
    if (flow == FLOW_NEXT && words.count) {
        sh->loop_depth++;
        sh->status = 0;
        flow = select_turns(sh, node, &words, &line);
        sh->loop_depth--;
    }
    str_release(&line);
    mem_region_reset(sh->scratch, mark);
    return flow;
}
