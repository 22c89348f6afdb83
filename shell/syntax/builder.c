/*
 * builder: puts a word together from runs of text and expansions.
 *
 * Owns the literal under construction (in p->lit above LIT_BASE) and the parts (in p->stack above
 * STACK_BASE), merges text of one quotedness, and copies the result to the arena. NUL bytes are
 * dropped here, the one place through which all text of words goes. It classifies nothing: see
 * resolve.c.
 */
#include <string.h>

#include "shell/syntax/parser.h"

void builder_init(struct parser *p, struct builder *b, enum word_mode mode)
{
    *b = (struct builder){ .mode = (uint8_t)mode,
                           .line = parser_line(p),
                           .stack_base = p->stack.len,
                           .lit_base = p->lit.len };
}

bool builder_flush(struct parser *p, struct builder *b)
{
    if (!b->lit_open)
        return true;
    b->lit_open = false;
    if (p->lit.failed)
        return parser_no_memory(p);
    size_t len = p->lit.len - b->lit_base;
    struct part part = { .kind = PART_LITERAL,
                         .quoted = b->lit_quoted,
                         .dquoted = b->lit_dquoted,
                         .line = b->lit_line };
    part.literal.text = arena_dup(p->arena, len ? p->lit.data + b->lit_base : "", len);
    part.literal.len = len;
    str_truncate(&p->lit, b->lit_base);
    if (!part.literal.text)
        return parser_no_memory(p);
    stack_push(p, &part, sizeof part);
    return true;
}

/* Makes the literal under construction one of the given quotedness. */
static void builder_open(struct parser *p, struct builder *b, bool quoted, bool dquoted)
{
    if (b->lit_open && b->lit_quoted == quoted && b->lit_dquoted == dquoted)
        return;
    builder_flush(p, b);
    b->lit_open = true;
    b->lit_quoted = quoted;
    b->lit_dquoted = dquoted;
    b->lit_line = b->line;
    if (quoted)
        b->flags |= WORD_HAS_QUOTES;
}

void builder_text(struct parser *p, struct builder *b, const char *text, size_t len, bool quoted)
{
    if (len == 0)
        return;
    builder_open(p, b, quoted, b->arith_quotes);
    const char *nul;
    while ((nul = memchr(text, '\0', len))) {
        str_append(&p->lit, text, (size_t)(nul - text));
        len -= (size_t)(nul + 1 - text);
        text = nul + 1;
    }
    str_append(&p->lit, text, len);
}

void builder_char(struct parser *p, struct builder *b, char c, bool quoted)
{
    if (c == '\0')
        return;
    builder_open(p, b, quoted, b->arith_quotes);
    str_putc(&p->lit, c);
}

void builder_empty_quotes(struct parser *p, struct builder *b)
{
    builder_open(p, b, true, b->arith_quotes);
}

bool builder_part(struct parser *p, struct builder *b, const struct part *part)
{
    if (!builder_flush(p, b))
        return false;
    if (part->kind != PART_TILDE) {
        b->flags |= WORD_HAS_EXPANSION;
        b->flags |= part->quoted ? WORD_HAS_QUOTES : WORD_UNQUOTED_EXPANSION;
    }
    stack_push(p, part, sizeof *part);
    return true;
}

struct word *builder_finish(struct parser *p, struct builder *b)
{
    if (p->status != PARSE_OK || !builder_flush(p, b)) {
        str_truncate(&p->stack, b->stack_base);
        str_truncate(&p->lit, b->lit_base);
        return NULL;
    }
    struct word *word = parser_alloc(p, sizeof *word);
    uint32_t count;
    struct part *parts = stack_take(p, b->stack_base, sizeof *parts, &count);
    if (!word || p->status != PARSE_OK)
        return NULL;
    word->line = b->line;
    word->parts = parts;
    word->part_count = count;
    word->flags = b->flags;
    resolve_word(p, word, b->mode);
    return p->status == PARSE_OK ? word : NULL;
}
