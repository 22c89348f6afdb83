/*
 * expand: words -> fields or one text.
 *
 * The driver: picks the short way for literal words and "$x", else runs a builder over the parts.
 * Results are borrowed from the program or copied to the caller's scratch, so that nothing a
 * running command does to a variable can change its own arguments. Debug option no-fastpath sends
 * "$x" the long way, with the same result.
 */
#include "shell/expand/build.h"
#include "shell/state/cache.h"
#include "shell/state/option.h"

/* "$x": one field. */
static enum flow push_variable(struct shell *sh, const struct param *param, struct fields *fields)
{
    const char *text;
    size_t len;
    TRY(name_fetch(sh, param->ref.name, &text, &len));
    if (text)
        return fields_push_copy(sh, fields, text, len);
    TRY(name_unset(sh, param->ref.name));
    return fields_push(sh, fields, "");
}

enum flow expand_fields(struct shell *sh, const struct word *word, struct fields *fields)
{
    if (word->kind == WORD_LITERAL)
        return fields_push(sh, fields, word->text);
    if (word->kind == WORD_VAR_QUOTED && !sh->debug_no_fastpath)
        return push_variable(sh, word->parts[0].param, fields);
    struct builder b;
    struct buf buf;
    buf_init(&buf, sh);
    build_init(&b, sh, BUILD_FIELDS, fields, &buf);
    b.sole = word->part_count == 1;
    enum flow flow = build_parts(&b, word, false);
    if (flow == FLOW_NEXT)
        flow = build_end_field(&b);
    buf_release(&buf);
    return flow;
}

/* A part of a word that becomes one text; the usual ones at once. */
static inline enum flow text_part(struct builder *b, const struct part *part,
                                  const struct part *next)
{
    const char *text;
    size_t len;
    if (part->kind == PART_LITERAL) {
        buf_append(b->buf, part->literal.text, part->literal.len);
        return FLOW_NEXT;
    }
    if (part->kind == PART_PARAM && part->param->plain &&
        var_peek(part->param->ref.name, &text, &len)) {
        buf_append(b->buf, text, len);
        return FLOW_NEXT;
    }
    return build_part(b, part, next, false);
}

enum flow build_word_text(struct shell *sh, const struct word *word, enum build_mode mode,
                          struct buf *buf)
{
    if (!word)
        return FLOW_NEXT;
    struct builder b;
    build_init(&b, sh, mode, NULL, buf);
    if (mode != BUILD_TEXT || sh->debug_no_fastpath) {
        TRY(build_parts(&b, word, false));
    } else {
        const struct part *part = word->parts, *end = part + word->part_count;
        for (; part < end; part++)
            TRY(text_part(&b, part, part + 1 < end ? part + 1 : NULL));
    }
    return __builtin_expect(buf->failed, 0) ? shell_fail_memory(sh, buf->len) : FLOW_NEXT;
}

enum flow expand_text_in(struct shell *sh, const struct word *word, struct buf *buf,
                         const char **ret_text, size_t *ret_len)
{
    buf_init(buf, sh);
    if (word->part_count == 1 && word->parts[0].kind == PART_COMMAND)
        TRY(take_command(sh, word->parts[0].command, buf));
    else
        TRY(build_word_text(sh, word, BUILD_TEXT, buf));
    return buf_text(sh, buf, ret_text, ret_len);
}

/* WORD through a builder of the given mode into scratch. */
static enum flow expand_one(struct shell *sh, const struct word *word, enum build_mode mode,
                            const char **ret_text, size_t *ret_len)
{
    struct buf buf;
    buf_init(&buf, sh);
    enum flow flow = build_word_text(sh, word, mode, &buf);
    if (flow == FLOW_NEXT)
        flow = buf_copy(sh, &buf, ret_text, ret_len);
    buf_release(&buf);
    return flow;
}

/* A plain variable alone: one copy. */
static enum flow text_variable(struct shell *sh, const struct param *param, const char **ret_text,
                               size_t *ret_len)
{
    const char *text;
    size_t len;
    TRY(name_fetch(sh, param->ref.name, &text, &len));
    if (!text) {
        TRY(name_unset(sh, param->ref.name));
        *ret_text = "";
        *ret_len = 0;
        return FLOW_NEXT;
    }
    char *copy = scratch_dup(sh, text, len);
    if (!copy)
        return shell_fail_memory(sh, len + 1);
    *ret_text = copy;
    *ret_len = len;
    return FLOW_NEXT;
}

enum flow expand_text(struct shell *sh, const struct word *word, const char **ret_text,
                      size_t *ret_len)
{
    if (word->kind == WORD_LITERAL) {
        *ret_text = word->text;
        *ret_len = word->len;
        return FLOW_NEXT;
    }
    if ((word->flags & WORD_IS_VARIABLE) && !sh->debug_no_fastpath)
        return text_variable(sh, word->parts[0].param, ret_text, ret_len);
    if (word->part_count == 1 && word->parts[0].kind == PART_COMMAND)
        return text_command(sh, word->parts[0].command, ret_text, ret_len);
    return expand_one(sh, word, BUILD_TEXT, ret_text, ret_len);
}

/* Pattern or ERE text of a literal word: all of it stands for itself. */
static enum flow escape_literal(struct shell *sh, const struct word *word, enum build_mode mode,
                                const char **ret_text, size_t *ret_len)
{
    struct buf buf;
    bool escaped = false;
    buf_init(&buf, sh);
    buf_append_escaped(&buf, word->text, word->len, mode, &escaped);
    enum flow flow = buf_copy(sh, &buf, ret_text, ret_len);
    buf_release(&buf);
    return flow;
}

enum flow expand_pattern(struct shell *sh, const struct word *word, const char **ret_text,
                         size_t *ret_len)
{
    if (word->kind == WORD_LITERAL)
        return escape_literal(sh, word, BUILD_PATTERN, ret_text, ret_len);
    return expand_one(sh, word, BUILD_PATTERN, ret_text, ret_len);
}

enum flow expand_regex(struct shell *sh, const struct word *word, const char **ret_text,
                       size_t *ret_len)
{
    if (word->kind == WORD_LITERAL)
        return escape_literal(sh, word, BUILD_REGEX, ret_text, ret_len);
    return expand_one(sh, word, BUILD_REGEX, ret_text, ret_len);
}

enum flow expand_target(struct shell *sh, const struct word *word, const char **ret_text,
                        size_t *ret_len)
{
    if (!sh->interactive || !(word->flags & (WORD_HAS_GLOB | WORD_UNQUOTED_EXPANSION)))
        return expand_text(sh, word, ret_text, ret_len);
    struct fields fields;
    const char *pattern;
    size_t len, count;
    fields_init(&fields);
    TRY(expand_pattern(sh, word, &pattern, &len));
    TRY(glob_expand(sh, pattern, len, &fields, &count));
    if (count != 1)
        return expand_text(sh, word, ret_text, ret_len);
    *ret_text = fields.argv[0];
    *ret_len = strlen(fields.argv[0]);
    return FLOW_NEXT;
}
