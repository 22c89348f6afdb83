/*
 * build: texts and fields under construction.
 *
 * Owns struct builder and struct fields: quoting, splitting and the end of fields. A
 * builder works in its caller's stack frame and spills to the heap, never to scratch, so that
 * nested commands may mark and reset scratch at will; finished fields are copied there, packed.
 * This file runs no script code and looks up no variables but IFS.
 */
#include "shell/expand/build.h"
#include "shell/expand/split.h"
#include "shell/state/option.h"

enum {
    B_LIVE = 1u << 0,   /* unquoted: starts a pattern */
    B_BRACE = 1u << 1,  /* unquoted: starts a brace list */
    B_ESCAPE = 1u << 2, /* literal: gets a backslash in patterns */
    B_REGEX = 1u << 3,  /* literal: gets a backslash in an ERE; as in ksh93 not . + ^ $ */
    B_TEXT = 1u << 4,   /* means something in a ~(E) pattern, which may be matched against a text */
    B_GROUP = 1u << 5,  /* belongs to extended patterns, which do not come out of expansions */
    B_DOT = 1u << 6,    /* the same as B_TEXT in fields, where a lone $ counts as quoted */
};
static const uint8_t byte_kind[256] = {
    ['*'] = B_LIVE | B_ESCAPE | B_REGEX,
    ['?'] = B_LIVE | B_ESCAPE | B_REGEX,
    ['['] = B_LIVE | B_ESCAPE | B_REGEX,
    ['('] = B_LIVE | B_ESCAPE | B_REGEX | B_GROUP,
    ['{'] = B_BRACE | B_ESCAPE | B_REGEX,
    ['\\'] = B_ESCAPE | B_REGEX | B_GROUP,
    [']'] = B_ESCAPE | B_REGEX,
    [')'] = B_ESCAPE | B_REGEX | B_GROUP,
    ['|'] = B_ESCAPE | B_REGEX | B_GROUP,
    ['}'] = B_ESCAPE | B_REGEX,
    ['+'] = B_ESCAPE,
    ['^'] = B_ESCAPE,
    ['.'] = B_TEXT | B_DOT,
    ['$'] = B_TEXT,
    ['&'] = B_ESCAPE | B_GROUP,
    ['!'] = B_ESCAPE,
    ['@'] = B_ESCAPE,
    ['~'] = B_ESCAPE,
    ['-'] = B_ESCAPE,
    [','] = B_ESCAPE,
    ['%'] = B_ESCAPE,
};

/* Does the field so far begin with ~(, so that it may be a regular expression? */
static bool is_dialect(const struct buf *buf)
{
    return buf->len > 1 && buf->data[0] == '~' && buf->data[1] == '(';
}

void buf_append_escaped(struct buf *buf, const char *text, size_t len, enum build_mode mode,
                        bool *ret_escaped)
{
    unsigned mask = mode == BUILD_REGEX     ? B_REGEX
                    : mode == BUILD_PATTERN ? B_ESCAPE | B_TEXT
                                            : B_ESCAPE;
    if (mode == BUILD_FIELDS && is_dialect(buf))
        mask |= B_DOT;
    const char *end = text + len;
    while (text < end) {
        const char *run = text;
        if (mode == BUILD_REPLACEMENT)
            while (text < end && *text != '\\')
                text++;
        else
            while (text < end && !(byte_kind[(unsigned char)*text] & mask))
                text++;
        buf_append(buf, run, (size_t)(text - run));
        if (text == end)
            return;
        buf_putc(buf, '\\');
        buf_putc(buf, *text++);
        *ret_escaped = true;
    }
}

/* ---- fields ---- */

void fields_init(struct fields *fields)
{
    *fields = (struct fields){ .argv = NULL };
}

enum flow fields_reserve(struct shell *sh, struct fields *fields, size_t extra)
{
    if (fields->cap - fields->count > extra)
        return FLOW_NEXT;
    size_t cap = fields->cap ? fields->cap * 2 : 16;
    if (cap < fields->count + extra + 1)
        cap = fields->count + extra + 1;
    const char **argv = cap > SIZE_MAX / sizeof *argv
                            ? NULL
                            : mem_resize(sh->scratch, fields->argv, cap * sizeof *argv);
    if (!argv)
        return shell_fail_memory(sh, cap * sizeof *argv);
    argv[fields->count] = NULL;
    fields->argv = argv;
    fields->cap = cap;
    return FLOW_NEXT;
}

enum flow fields_push(struct shell *sh, struct fields *fields, const char *text)
{
    if (fields->cap - fields->count <= 1)
        TRY(fields_reserve(sh, fields, 1));
    fields->argv[fields->count++] = text;
    fields->argv[fields->count] = NULL;
    return FLOW_NEXT;
}

enum { ROOM_FIRST = 112, ROOM_LAST = 32 * 1024 };

/* Room for a text of LEN bytes where the newest chunk has none; NULL: out of memory. */
static char *copy_room(struct shell *sh, struct fields *fields, size_t len)
{
    if (len >= ROOM_LAST / 4)
        return scratch_alloc(sh, len + 1);
    size_t bytes = fields->room_bytes ? fields->room_bytes * 2 : ROOM_FIRST;
    while (bytes <= len)
        bytes *= 2;
    if (bytes > ROOM_LAST)
        bytes = ROOM_LAST;
    char *copy = scratch_alloc(sh, bytes);
    if (!copy)
        return NULL;
    fields->room = copy + len + 1;
    fields->room_end = copy + bytes;
    fields->room_bytes = bytes;
    return copy;
}

enum flow fields_push_copy(struct shell *sh, struct fields *fields, const char *text, size_t len)
{
    char *copy = fields->room;
    if ((size_t)(fields->room_end - copy) > len)
        fields->room += len + 1;
    else if (!(copy = copy_room(sh, fields, len)))
        return shell_fail_memory(sh, len + 1);
    if (len <= 16)
        text_move_short(copy, text, len);
    else
        memcpy(copy, text, len);
    copy[len] = '\0';
    if (fields->cap - fields->count <= 1)
        TRY(fields_reserve(sh, fields, 1));
    fields->argv[fields->count++] = copy;
    fields->argv[fields->count] = NULL;
    return FLOW_NEXT;
}

/* ---- builder ---- */

void build_init(struct builder *b, struct shell *sh, enum build_mode mode, struct fields *fields,
                struct buf *buf)
{
    b->sh = sh;
    b->fields = fields;
    b->mode = mode;
    b->brace_on = mode == BUILD_FIELDS && option_on(sh, OPTION_BRACEEXPAND);
    b->brace_text = b->brace_on && option_on(sh, OPTION_POSIX);
    b->escape =
        mode == BUILD_FIELDS ? b->brace_on || !option_on(sh, OPTION_NOGLOB) : mode != BUILD_TEXT;
    b->split = mode == BUILD_FIELDS && sh->ifs->len > 0;
    b->sole = false;
    b->active = b->soft = b->empty_at = b->special = b->escaped = b->after_space = false;
    b->buf = buf;
}

void build_quoted(struct builder *b, const char *text, size_t len)
{
    b->active = true;
    if (b->escape)
        buf_append_escaped(b->buf, text, len, b->mode, &b->escaped);
    else
        buf_append(b->buf, text, len);
}

void build_literal(struct builder *b, const char *text, size_t len)
{
    if (len == 0)
        return;
    b->active = true;
    if (b->mode == BUILD_FIELDS && b->escape) {
        for (size_t i = 0; i < len; i++) {
            unsigned kind = byte_kind[(unsigned char)text[i]];
            if (kind & B_LIVE)
                b->special = true;
            if (kind & B_BRACE && b->brace_on) {
                /* As in ksh93: what is expanded after an open brace is not split, so that {$x,$y}
                 * keeps its words. */
                b->special = true;
                b->split = false;
            }
        }
    }
    buf_append(b->buf, text, len);
}

/* Appends unquoted TEXT that holds no separator: the result of an expansion. Patterns in it are
 * live but for groups, and a backslash stands for itself, as in ksh93; in brackets it quotes the
 * next byte, too. */
static void build_live(struct builder *b, const char *text, size_t len)
{
    b->active = true;
    b->after_space = false;
    if (!b->escape) {
        buf_append(b->buf, text, len);
        return;
    }
    const char *end = text + len;
    while (text < end) {
        const char *run = text;
        for (; text < end; text++) {
            unsigned kind = byte_kind[(unsigned char)*text];
            if (kind & B_GROUP || (kind & B_BRACE && b->brace_text))
                break;
            if (kind & B_LIVE || (kind & B_BRACE && b->brace_on))
                b->special = true;
        }
        buf_append(b->buf, run, (size_t)(text - run));
        if (text == end)
            return;
        b->escaped = true;
        bool quotes = *text == '\\' && end - text > 1 && strchr("-]^!", text[1]) && text[1];
        buf_putc(b->buf, '\\');
        buf_putc(b->buf, *text++);
        if (quotes) {
            buf_putc(b->buf, '\\');
            buf_putc(b->buf, *text++);
        }
    }
}

enum flow build_value(struct builder *b, const char *text, size_t len)
{
    if (b->mode != BUILD_FIELDS) {
        buf_append(b->buf, text, len);
        return FLOW_NEXT;
    }
    if (!b->split) {
        if (len > 0)
            build_live(b, text, len);
        return FLOW_NEXT;
    }
    b->after_space = false;
    if (len == 0) /* TEXT of an unset parameter is NULL */
        return FLOW_NEXT;
    const struct ifs_table *ifs = b->sh->ifs;
    const char *end = text + len;
    while (text < end) {
        const char *stop = ifs_find(ifs, text, end);
        if (stop > text)
            build_live(b, text, (size_t)(stop - text));
        if (stop == end)
            break;
        size_t bytes;
        enum ifs_class class = ifs_class_at(ifs, stop, end, &bytes);
        text = stop + bytes;
        if (class == IFS_SPACE) {
            if (b->active || b->soft) {
                TRY(build_end_field(b));
                b->after_space = true;
            }
        } else if (b->after_space) {
            b->after_space = false;
        } else {
            b->active = true;
            TRY(build_end_field(b));
        }
    }
    return FLOW_NEXT;
}

enum flow build_result(struct builder *b, bool quoted, const char *text, size_t len)
{
    if (!quoted)
        return build_value(b, text, len);
    if (len == 0)
        b->soft = true;
    else
        build_quoted(b, text, len);
    return FLOW_NEXT;
}

/* Back to an empty field; the open brace of a word ends with its field. */
static void build_reset(struct builder *b)
{
    b->sole = false;
    b->active = b->soft = b->special = b->escaped = false;
    b->buf->len = 0;
}

enum flow build_end_field(struct builder *b)
{
    if (!b->active && (!b->soft || b->empty_at)) {
        build_reset(b);
        return FLOW_NEXT;
    }
    const char *text;
    size_t len;
    TRY(buf_text(b->sh, b->buf, &text, &len));
    if (b->special && b->brace_on) {
        TRY(brace_expand(b, text, len));
    } else if (b->special) {
        TRY(glob_field(b->sh, b->fields, text, len));
    } else {
        if (b->escaped)
            len = pattern_unescape(text, len, b->buf->data);
        TRY(fields_push_copy(b->sh, b->fields, text, len));
    }
    build_reset(b);
    return FLOW_NEXT;
}

enum flow build_part(struct builder *b, const struct part *part, const struct part *next,
                     bool in_op)
{
    switch ((enum part_kind)part->kind) {
    case PART_LITERAL:
        if (part->quoted)
            build_quoted(b, part->literal.text, part->literal.len);
        else if (in_op)
            return build_value(b, part->literal.text, part->literal.len);
        else
            build_literal(b, part->literal.text, part->literal.len);
        break;
    case PART_PARAM:
        return part_param(b, part);
    case PART_COMMAND:
        return part_command(b, part);
    case PART_ARITH:
        return part_arith(b, part);
    case PART_PROCESS:
        return part_process(b, part);
    case PART_TILDE:
        return part_tilde(b, part, next);
    }
    return FLOW_NEXT;
}

enum flow build_parts(struct builder *b, const struct word *word, bool in_op)
{
    const struct part *part = word->parts, *end = part + word->part_count;
    for (; part < end; part++)
        TRY(build_part(b, part, part + 1 < end ? part + 1 : NULL, in_op));
    return FLOW_NEXT;
}
