/*
 * set -x: what runs, after expansion, on descriptor 2 behind PS4.
 *
 * A line is made whole and written at once. PS4 is expanded each time with tracing (and errexit)
 * off, $? kept; when its expansion fails it is shown as it is. Nothing here changes what the script
 * sees.
 */
#include "shell/exec/exec_private.h"

#include <string.h>

#include "shell/state/fdtab.h"
#include "shell/syntax/unparse.h"

static void prompt_append(struct shell *sh, struct str *s)
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
    str_append(s, text, len);
}

static void line_begin(struct shell *sh, struct str *s)
{
    str_init(s, sh->heap);
    prompt_append(sh, s);
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
}

void xtrace_text(struct shell *sh, const char *text, size_t len)
{
    struct str s;
    line_begin(sh, &s);
    str_append(&s, text, len);
    line_end(sh, &s);
}

void xtrace_words(struct shell *sh, size_t count, const char *const *words)
{
    struct str s;
    line_begin(sh, &s);
    for (size_t i = 0; i < count; i++) {
        if (i)
            str_putc(&s, ' ');
        text_quote(&s, words[i], strlen(words[i]));
    }
    line_end(sh, &s);
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

void xtrace_assign(struct shell *sh, const struct var_ref *ref, bool append, const char *text,
                   size_t len)
{
    struct str s;
    line_begin(sh, &s);
    str_append(&s, ref->name->text, ref->name->len);
    subscript(&s, ref->kind, ref->index, ref->key, ref->key_len);
    for (uint32_t i = 0; i < ref->step_count; i++) {
        const struct ref_step *step = &ref->steps[i];
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
