/*
 * set -x: what runs, after expansion, on descriptor 2 behind PS4.
 *
 * A line is made whole and written at once. PS4 is expanded each time with tracing (and errexit)
 * off, $? kept; when its expansion fails it is shown as it is. Nothing here changes what the script
 * sees. Under set -o memtrace %m in PS4 is how many bytes more are live than after the line traced
 * before, without what tracing itself needs.
 */
#include "shell/exec/exec_private.h"
#include "shell/exec/redir_private.h"

#include <string.h>

#include "shell/state/fdtab.h"
#include "shell/state/members.h"
#include "shell/syntax/unparse.h"

/* The bytes that live longer than a command; parsed programs come and go with each line. */
static size_t live_bytes(const struct shell *sh)
{
    return mem_region_busy(sh->heap) + mem_region_busy(sh->nodes) +
           mem_region_busy(mem_region_malloc());
}

/* TEXT with each %m replaced by CHANGE, and %% by a percent sign. */
static void append_changes(struct str *s, const char *text, size_t len, int64_t change)
{
    for (size_t i = 0; i < len; i++) {
        bool percent = text[i] == '%' && i + 1 < len;
        if (percent && text[i + 1] == 'm')
            str_printf(s, "%+lld", (long long)change);
        else
            str_putc(s, text[i]);
        i += percent && (text[i + 1] == 'm' || text[i + 1] == '%');
    }
}

static void prompt_append(struct shell *sh, struct str *s, size_t live)
{
    const char *ps4 = var_text(sh, "PS4");
    if (!ps4)
        ps4 = "+ ";
    const char *text = ps4;
    size_t len = strlen(ps4);
    if (memchr(ps4, '$', len) || memchr(ps4, '`', len)) {
        uint64_t options = sh->options;
        int status = sh->status;
        sh->options &= ~(1ull << OPTION_XTRACE | 1ull << OPTION_ERREXIT);
        if (sh->hooks.expand_text(sh, ps4, len, &text, &len) != FLOW_NEXT) {
            text = ps4;
            len = strlen(ps4);
        }
        sh->options = options;
        sh->status = status;
    }
    if (option_on(sh, OPTION_MEMTRACE))
        append_changes(s, text, len,
                       sh->trace_live_bytes ? (int64_t)(live - sh->trace_live_bytes) : 0);
    else
        str_append(s, text, len);
}

static void line_begin(struct shell *sh, struct str *s)
{
    size_t live = live_bytes(sh);
    str_init(s, sh->heap);
    prompt_append(sh, s, live);
}

static void line_end(struct shell *sh, struct str *s)
{
    str_putc(s, '\n');
    struct out *out = fdtab_out(sh, 2);
    if (out && str_ok(s)) {
        out_write(out, s->data, s->len);
        (void)out_flush(out);
        out_clear_error(out);
    }
    str_release(s);
    sh->trace_live_bytes = live_bytes(sh);
}

void xtrace_text(struct shell *sh, const char *text, size_t len)
{
    struct str s;
    line_begin(sh, &s);
    str_append(&s, text, len);
    line_end(sh, &s);
}

void xtrace_append_words(struct str *s, size_t count, const char *const *words)
{
    bool is_test = strcmp(words[0], "[") == 0; /* its brackets need no quotes */
    for (size_t i = 0; i < count; i++) {
        if (i)
            str_putc(s, ' ');
        if (is_test && (i == 0 || (i == count - 1 && strcmp(words[i], "]") == 0)))
            str_append_z(s, words[i]);
        else
            text_quote(s, words[i], strlen(words[i]));
    }
}

/* `set +x` or `set +o xtrace`, also behind `command`: the end of tracing is not traced, but in
 * POSIX mode. */
static bool ends_trace(size_t count, const char *const *words)
{
    size_t i = 0;
    while (i < count && strcmp(words[i], "command") == 0)
        i++;
    if (i >= count || strcmp(words[i], "set") != 0)
        return false;
    for (i++; i < count && (*words[i] == '-' || *words[i] == '+'); i++) {
        bool off = *words[i] == '+';
        if (off && strchr(words[i], 'x'))
            return true;
        if (off && strcmp(words[i], "+o") == 0 && i + 1 < count &&
            strcmp(words[++i], "xtrace") == 0)
            return true;
    }
    return false;
}

void xtrace_words(struct shell *sh, size_t count, const char *const *words)
{
    struct str s;
    if (!option_on(sh, OPTION_POSIX) && ends_trace(count, words))
        return;
    line_begin(sh, &s);
    xtrace_append_words(&s, count, words);
    line_end(sh, &s);
}

void xtrace_declaration(struct shell *sh, size_t count, const char *const *words, uint64_t assigned)
{
    const char **names = scratch_alloc(sh, count * sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        size_t len = strcspn(words[i], "=");
        size_t name_len = len && words[i][len - 1] == '+' ? len - 1 : len;
        names[i] = words[i];
        bool is_assigned = i < 64 && assigned >> i & 1;
        if (!is_assigned || !words[i][len] || !text_is_name(words[i], name_len))
            continue;
        struct str s;
        line_begin(sh, &s);
        str_append(&s, words[i], len + 1);
        text_quote(&s, words[i] + len + 1, strlen(words[i] + len + 1));
        line_end(sh, &s);
        names[i] = scratch_dup(sh, words[i], name_len);
        if (!names[i])
            names[i] = words[i];
    }
    xtrace_words(sh, count, names ? names : words);
}

void xtrace_redir_end(struct shell *sh)
{
    struct out *out = sh->redir_traced && !sh->redir_text ? fdtab_out(sh, 2) : NULL;
    sh->redir_traced = sh->redir_text = false;
    if (!out)
        return;
    out_putc(out, '\n');
    (void)out_flush(out);
    out_clear_error(out);
}

/* The text of a here-document after expansion, which is why the delimiter is quoted. */
static void append_here(struct str *s, const char *delimiter, const char *text, size_t len)
{
    size_t mark = s->len;
    text_quote(s, delimiter, strlen(delimiter));
    if (str_ok(s) && s->len == mark + strlen(delimiter)) { /* it needed no quotes */
        str_truncate(s, mark);
        str_printf(s, "\\%s", delimiter);
    }
    str_putc(s, '\n');
    str_append(s, text, len);
    str_printf(s, "%s\n", delimiter);
}

void xtrace_redir(struct shell *sh, const struct redir *redir, const char *text, size_t len)
{
    struct out *out = fdtab_out(sh, 2);
    struct str s;
    if (!out || !xtrace_on(sh))
        return;
    size_t live = live_bytes(sh);
    str_init(&s, sh->heap);
    if (!sh->redir_traced)
        prompt_append(sh, &s, live);
    else if (!sh->redir_text)
        str_putc(&s, ' ');
    sh->redir_traced = true;
    sh->redir_text = redir->op == REDIR_HERE_DOC;
    if (redir->var)
        str_printf(&s, "{%s}", redir->var->name->text);
    else if (redir->op != REDIR_BOTH && redir->op != REDIR_BOTH_APPEND)
        str_append_int(&s, redir_fd(sh, redir));
    str_append_z(&s, redir_operator((enum redir_op)redir->op));
    str_putc(&s, ' ');
    if (redir->op == REDIR_HERE_DOC)
        append_here(&s, redir->here_delimiter, text, len);
    else if (redir->seek_arith || redir->op == REDIR_DUP_IN || redir->op == REDIR_DUP_OUT)
        str_append(&s, text, len);
    else
        text_quote(&s, text, len);
    if (str_ok(&s))
        out_write(out, s.data, s.len);
    str_release(&s);
    sh->trace_live_bytes = live_bytes(sh);
    if (redir->fd == 2 || redir->op == REDIR_BOTH || redir->op == REDIR_BOTH_APPEND)
        xtrace_redir_end(sh); /* what follows goes elsewhere */
}

static void subscript(struct str *s, enum ref_kind kind, int64_t index, const char *key,
                      size_t key_len)
{
    if (kind == REF_INDEX) {
        str_printf(s, "[%lld]", (long long)index);
    } else if (kind == REF_KEY) {
        str_putc(s, '[');
        text_quote(s, key, key_len);
        str_putc(s, ']');
    }
}

void xtrace_append_base(struct str *s, const struct members *m)
{
    if (!m || !m->of)
        return;
    members_append_path(m, s);
    str_putc(s, '.');
}

void xtrace_assign(struct shell *sh, const struct var_ref *ref, bool append, const char *text,
                   size_t len)
{
    struct str s;
    line_begin(sh, &s);
    xtrace_append_base(&s, ref->base);
    str_append(&s, ref->name->text, ref->name->len);
    subscript(&s, ref->kind, ref->index, ref->key, ref->key_len);
    for (uint32_t i = 0; i < ref->step_count; i++) {
        const struct ref_step *step = &ref->steps[i];
        if (step->kind == REF_MEMBER)
            str_printf(&s, ".%s", step->member->text);
        subscript(&s, step->kind, step->index, step->key, step->key_len);
    }
    str_append_z(&s, append ? "+=" : "=");
    text_quote(&s, text, len);
    line_end(sh, &s);
}

void xtrace_arith(struct shell *sh, const struct word *word)
{
    struct str s;
    line_begin(sh, &s);
    str_append_z(&s, "((");
    unparse_arith(&s, word);
    str_append_z(&s, "))");
    line_end(sh, &s);
}
