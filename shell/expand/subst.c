/*
 * subst: $( ) ` ` ${ ;} $(( )) <( ) >( ) as parts of a word, and the value of arithmetic words.
 *
 * Commands run through the hooks; what they wrote is gathered in the heap, because the commands
 * mark and reset scratch while they run, and goes into the builder at once. Code of literal
 * expressions lives in the program's cache slots.
 */
#include "shell/arith/arith.h"
#include "shell/expand/build.h"
#include "shell/state/cache.h"

enum flow part_command(struct builder *b, const struct part *part)
{
    struct shell *sh = b->sh;
    struct str output;
    str_init(&output, sh->heap);
    enum flow flow = sh->hooks.capture(sh, part->command, &output);
    if (flow == FLOW_NEXT && !str_ok(&output))
        flow = shell_fail_memory(sh, output.len);
    if (flow == FLOW_NEXT)
        flow = build_result(b, part->quoted, str_text(&output), output.len);
    str_release(&output);
    return flow;
}

enum flow text_command(struct shell *sh, const struct command_sub *command, const char **ret_text,
                       size_t *ret_len)
{
    struct str output;
    str_init(&output, sh->heap);
    enum flow flow = sh->hooks.capture(sh, command, &output);
    if (flow == FLOW_NEXT) {
        char *copy = str_ok(&output) ? scratch_dup(sh, str_text(&output), output.len) : NULL;
        if (copy) {
            *ret_text = copy;
            *ret_len = output.len;
        } else {
            flow = shell_fail_memory(sh, output.len);
        }
    }
    str_release(&output);
    return flow;
}

enum flow take_command(struct shell *sh, const struct command_sub *command, struct buf *buf)
{
    struct str output;
    str_init(&output, sh->heap);
    enum flow flow = sh->hooks.capture(sh, command, &output);
    if (flow == FLOW_NEXT)
        buf_take(buf, &output);
    else
        str_release(&output);
    return flow;
}

enum flow part_process(struct builder *b, const struct part *part)
{
    struct shell *sh = b->sh;
    struct str path;
    str_init(&path, sh->heap);
    enum flow flow = sh->hooks.process_substitution(sh, part->process, &path);
    if (flow == FLOW_NEXT && !str_ok(&path))
        flow = shell_fail_memory(sh, path.len);
    if (flow == FLOW_NEXT)
        build_quoted(b, str_text(&path), path.len);
    str_release(&path);
    return flow;
}

enum flow part_arith(struct builder *b, const struct part *part)
{
    struct num n;
    TRY(expand_arith(b->sh, part->arith, &n));
    if (!n.is_float) {
        char digits[24];
        return build_result(b, part->quoted, digits, num_format_int(n.i, digits));
    }
    struct str text;
    str_init(&text, b->sh->heap);
    arith_format(&text, n);
    enum flow flow = str_ok(&text) ? build_result(b, part->quoted, str_text(&text), text.len)
                                   : shell_fail_memory(b->sh, text.len);
    str_release(&text);
    return flow;
}

static void code_release(void *data)
{
    arith_code_free(data);
}

/* A literal expression: compiled once per program. */
static enum flow arith_literal(struct shell *sh, const struct word *word, struct num *ret)
{
    struct cache_slot *slot = cache_at(sh, word->cache);
    if (!slot)
        return arith_eval(sh, word->text, word->len, ret);
    if (slot->kind != CACHE_ARITH) {
        struct arith_code *code;
        TRY(arith_compile(sh, word->text, word->len, &code));
        cache_put(slot, CACHE_ARITH, code, code_release);
    }
    return arith_run(sh, slot->data, ret);
}

/* True for a plain decimal integer, which is its own value. */
static bool is_plain_integer(const char *text, size_t len)
{
    if (len == 0 || len > 18 || (text[0] == '0' && len > 1))
        return false;
    for (size_t i = 0; i < len; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

/* Does [ open more often than ] closes, so far? Literal text may close what it opened. */
static int bracket_depth(const struct part *part, int depth)
{
    for (size_t i = 0; i < part->literal.len; i++)
        depth += (part->literal.text[i] == '[') - (part->literal.text[i] == ']');
    return depth;
}

/* What was expanded inside a subscript: quotes and unpaired brackets in it mean themselves. */
static void append_subscript(struct buf *buf, const char *text, size_t len)
{
    int depth = 0;
    bool paired = true;
    for (size_t i = 0; i < len && paired; i++) {
        depth += (text[i] == '[') - (text[i] == ']');
        paired = depth >= 0;
    }
    paired = paired && depth == 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '"' || c == '\'' || c == '\\' || (!paired && (c == '[' || c == ']')))
            buf_putc(buf, '\\');
        buf_putc(buf, c);
    }
}

/* The text of an expression: `((a[$key]++))` must find the element of any key. */
static enum flow arith_text(struct shell *sh, const struct word *word, struct buf *buf)
{
    int depth = 0;
    bool subscript = false;
    for (uint32_t i = 0; i < word->part_count && !subscript; i++)
        subscript = word->parts[i].kind == PART_LITERAL &&
                    memchr(word->parts[i].literal.text, '[', word->parts[i].literal.len);
    if (!subscript)
        return build_word_text(sh, word, BUILD_TEXT, buf);
    for (uint32_t i = 0; i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_LITERAL)
            depth = bracket_depth(part, depth);
        struct word piece = *word;
        piece.parts = &word->parts[i];
        piece.part_count = 1;
        if (part->kind == PART_LITERAL || depth <= 0) {
            TRY(build_word_text(sh, &piece, BUILD_TEXT, buf));
            continue;
        }
        const char *text;
        size_t len;
        TRY(expand_text(sh, &piece, &text, &len));
        append_subscript(buf, text, len);
    }
    return FLOW_NEXT;
}

enum flow expand_arith(struct shell *sh, const struct word *word, struct num *ret)
{
    if (word->kind == WORD_LITERAL)
        return arith_literal(sh, word, ret);
    struct buf buf;
    buf_init(&buf, sh);
    const char *text;
    size_t len;
    enum flow flow = arith_text(sh, word, &buf);
    if (flow == FLOW_NEXT)
        flow = buf_text(sh, &buf, &text, &len);
    if (flow == FLOW_NEXT && is_plain_integer(text, len)) {
        int64_t value = 0;
        for (size_t i = 0; i < len; i++)
            value = value * 10 + (text[i] - '0');
        *ret = num_int(value);
    } else if (flow == FLOW_NEXT) {
        flow = arith_eval(sh, text, len, ret);
    }
    buf_release(&buf);
    return flow;
}
