/*
 * input: the cursor of a parse.
 *
 * Owns the stack of inputs (source, aliases, islands), reading ahead as far as a byte is really
 * needed, the line count, and blanks and comments. Lines are counted when one is asked for: each
 * non-alias input knows how far its present line reaches. Invariant: TEXT, LEN mirror IN. It knows
 * nothing of grammar.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

static void input_switch(struct parser *p, struct input *in, size_t pos)
{
    p->in = in;
    p->text = in->text;
    p->len = in->len;
    p->pos = pos;
}

void parser_init(struct parser *p, const struct parse_hooks *hooks, struct source *source,
                 struct parse_error *error)
{
    memset(p, 0, sizeof *p);
    p->hooks = hooks;
    p->source = source;
    p->error = error;
    p->root = (struct input){
        .text = source->text, .len = source->len, .line = source->line, .line_end = source->pos
    };
    input_switch(p, &p->root, source->pos);
    str_init(&p->lit, hooks->scratch_region);
    str_init(&p->stack, hooks->scratch_region);
    str_init(&p->parens, hooks->scratch_region);
    p->types = source->types;
    source->types = (struct str){ 0 };
    if (!p->types.data)
        str_init(&p->types, hooks->scratch_region);
    str_init(&p->assigns, hooks->scratch_region);
    str_init(&p->redirs, hooks->scratch_region);
    str_init(&p->lint, hooks->scratch_region);
}

void parser_release(struct parser *p)
{
    str_release(&p->lit);
    str_release(&p->stack);
    str_release(&p->parens);
    if (p->hooks->keep_types)
        p->source->types = p->types;
    else
        str_release(&p->types);
    str_release(&p->assigns);
    str_release(&p->redirs);
    str_release(&p->lint);
    mem_free(p->memo);
}

/* Reads one more piece of the source. False at the end or on failure. */
static bool root_more(struct parser *p)
{
    struct source *s = p->source;
    if (!s->read || s->at_end || s->failed)
        return false;
    const char *piece = NULL;
    ptrdiff_t n = s->read(s->ctx, p->started, &piece);
    if (n <= 0) {
        s->at_end = n == 0;
        s->failed = n < 0;
        if (n < 0 && (p->status == PARSE_OK || p->status == PARSE_ERROR)) {
            p->status = PARSE_INTERRUPTED;
            p->fatal = true;
        }
        return false;
    }
    str_append(&s->pending, piece, (size_t)n);
    if (!str_ok(&s->pending)) {
        s->pending.failed = false;
        return parser_no_memory(p);
    }
    s->text = str_text(&s->pending);
    s->len = s->pending.len;
    p->root.text = s->text;
    p->root.len = s->len;
    if (p->in == &p->root)
        input_switch(p, p->in, p->pos);
    return true;
}

int look_slow(struct parser *p)
{
    for (;;) {
        if (p->pos < p->len)
            return (unsigned char)p->text[p->pos];
        struct input *in = p->in;
        if (in->outer) {
            if (in->ends_blank)
                p->alias_next = true;
            input_switch(p, in->outer, in->outer_pos);
        } else if (in->island || !root_more(p)) {
            return -1;
        }
    }
}

int look_ahead_slow(struct parser *p, size_t n)
{
    const struct input *in = p->in;
    size_t pos = p->pos;
    for (;;) {
        if (n < in->len - pos)
            return (unsigned char)in->text[pos + n];
        if (in->outer) {
            n -= in->len - pos;
            pos = in->outer_pos;
            in = in->outer;
        } else if (in->island || !root_more(p)) {
            return -1;
        }
    }
}

void skip_over(struct parser *p, size_t n)
{
    while (n > p->len - p->pos && p->in->outer) {
        n -= p->len - p->pos;
        input_switch(p, p->in->outer, p->in->outer_pos);
    }
    p->pos += n;
}

static size_t ahead_joined(struct parser *p, size_t n)
{
    while (look_ahead(p, n) == '\\' && look_ahead(p, n + 1) == '\n')
        n += 2;
    return n;
}

size_t ahead_next(struct parser *p, size_t n)
{
    return ahead_joined(p, n + 1);
}

int look_joined_ahead(struct parser *p, size_t n)
{
    size_t at = ahead_joined(p, 0);
    while (n-- > 0)
        at = ahead_next(p, at);
    return look_ahead(p, at);
}

void skip_joined(struct parser *p, size_t n)
{
    while (n-- > 0 && look_joined(p) >= 0)
        p->pos++;
}

int look_joined_slow(struct parser *p)
{
    int c;
    while ((c = look(p)) == '\\' && look_ahead(p, 1) == '\n')
        skip_over(p, 2);
    return c;
}

bool take(struct parser *p, char c)
{
    if (look_joined(p) != (unsigned char)c)
        return false;
    p->pos++;
    return true;
}

static void skip_comment(struct parser *p)
{
    do {
        const char *start = p->text + p->pos;
        const char *end = memchr(start, '\n', p->len - p->pos);
        p->pos += end ? (size_t)(end - start) : p->len - p->pos;
        if (end)
            return;
    } while (look(p) >= 0);
}

void skip_space_slow(struct parser *p)
{
    for (;;) {
        int c = look(p);
        if (c == ' ' || c == '\t' || c == '\0')
            p->pos++;
        else if (c == '\\' && look_ahead(p, 1) == '\n')
            skip_over(p, 2);
        else if (c == '#')
            skip_comment(p);
        else
            return;
    }
}

bool take_newline(struct parser *p)
{
    p->pos++;
    return !p->here_first || here_read_all(p);
}

bool skip_newlines(struct parser *p)
{
    for (;;) {
        skip_space(p);
        if (look(p) != '\n')
            return p->status == PARSE_OK;
        if (!take_newline(p))
            return false;
    }
}

/* The input whose lines count at the cursor, and the offset in it. */
static struct input *line_root(const struct parser *p, size_t *ret_pos)
{
    struct input *in = p->in;
    size_t pos = p->pos;
    while (in->outer) {
        pos = in->outer_pos;
        in = in->outer;
    }
    *ret_pos = pos;
    return in;
}

uint32_t parser_line_slow(struct parser *p)
{
    size_t pos;
    struct input *in = line_root(p, &pos);
    while (in->line_end < pos) {
        const char *from = in->text + in->line_end;
        if (*from == '\n') {
            in->line++;
            from++;
        }
        const char *end = memchr(from, '\n', (size_t)(in->text + in->len - from));
        in->line_end = end ? (size_t)(end - in->text) : in->len;
    }
    return in->line;
}

struct cursor cursor_save(struct parser *p)
{
    size_t pos;
    struct input *root = line_root(p, &pos);
    return (struct cursor){ p->in, p->pos, root, root->line, root->line_end, p->lint.len };
}

void cursor_restore(struct parser *p, struct cursor c)
{
    input_switch(p, c.in, c.pos);
    c.root->line = c.line;
    c.root->line_end = c.line_end;
}

struct cursor island_enter(struct parser *p, struct input *in, uint32_t line)
{
    struct cursor back = cursor_save(p);
    in->island = true;
    in->serial = ++p->serial_count;
    in->line = line;
    in->line_end = 0;
    input_switch(p, in, 0);
    return back;
}

void island_leave(struct parser *p, struct cursor back)
{
    cursor_restore(p, back);
}

bool parser_enter(struct parser *p)
{
    const char here = 0;
    const char *floor = p->hooks->stack_floor;
    if (++p->depth <= p->hooks->depth_max && (!floor || &here > floor))
        return true;
    if (p->status == PARSE_OK) {
        parser_fail(p, parser_line(p), "syntax error: nesting too deep");
        p->fatal = true;
    }
    return false;
}

void *items_move(struct parser *p, struct str *stack, size_t bytes)
{
    void *items = NULL;
    if (stack->failed || bytes > UINT32_MAX)
        parser_no_memory(p);
    else if ((items = parser_alloc(p, bytes)))
        memcpy(items, stack->data + stack->len - bytes, bytes);
    if (bytes > 0)
        str_truncate(stack, stack->len - bytes);
    return items;
}
