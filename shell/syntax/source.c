/*
 * source: where the parser's text comes from.
 *
 * Owns the buffer that gathers the pieces of a reader. A text source borrows its text. Invariant:
 * TEXT[POS] is the first byte that no command has used; LINE is its line number. The buffer is
 * compacted between commands only, so offsets hold while one is parsed.
 */
#include "shell/syntax/parse.h"

void source_init_text(struct source *s, const char *name, const char *text, size_t len)
{
    *s = (struct source){ .name = name, .text = text, .len = len, .line = 1, .at_end = true };
}

void source_init_reader(struct source *s, const char *name,
                        ptrdiff_t (*read)(void *, bool, const char **), void *ctx,
                        struct mem_region *region)
{
    *s = (struct source){ .name = name, .text = "", .line = 1, .read = read, .ctx = ctx };
    str_init(&s->pending, region);
}

void source_release(struct source *s)
{
    if (s->read)
        str_release(&s->pending);
    str_release(&s->types);
}
