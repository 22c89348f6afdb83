/*
 * speculate: going back without losing linear time.
 *
 * While an attempt is under way that may be given up (arithmetic that may be nested subshells,
 * `a[x]` that may not be an assignment), each expansion that was parsed, or failed, is remembered
 * by its place, so that the second reading takes the result instead of parsing again: nested
 * attempts would otherwise cost 2^n. The tree may be shared because it is immutable. Only places in
 * the root input and in islands are remembered, since alias inputs come and go. Invariant: the
 * table is a power of two, at most half full.
 */
#include <string.h>

#include "shell/syntax/parser.h"

static size_t memo_hash(uint32_t serial, size_t pos)
{
    uint64_t h = ((uint64_t)pos + ((uint64_t)serial << 40)) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20);
}

static struct memo *memo_slot(struct memo *table, size_t cap, uint32_t serial, size_t pos,
                              enum memo_kind kind, bool dquoted)
{
    bool arith = kind == MEMO_UNMATCHED;
    for (size_t i = memo_hash(serial, pos);; i++) {
        struct memo *m = &table[i & (cap - 1)];
        if (!m->used || (m->pos == pos && m->serial == serial && m->dquoted == dquoted &&
                         (m->kind == MEMO_UNMATCHED) == arith))
            return m;
    }
}

const struct memo *memo_find(const struct parser *p, enum memo_kind kind, size_t pos, bool dquoted)
{
    if (p->memo_count == 0 || p->in->outer)
        return NULL;
    struct memo *m = memo_slot(p->memo, p->memo_cap, p->in->serial, pos, kind, dquoted);
    return m->used ? m : NULL;
}

static bool memo_grow(struct parser *p)
{
    size_t cap = p->memo_cap ? p->memo_cap * 2 : 64;
    struct memo *table = mem_alloc_zeroed(p->hooks->scratch_region, cap * sizeof *table);
    if (!table)
        return parser_no_memory(p);
    for (size_t i = 0; i < p->memo_cap; i++) {
        const struct memo *m = &p->memo[i];
        if (m->used)
            *memo_slot(table, cap, m->serial, m->pos, m->kind, m->dquoted) = *m;
    }
    mem_free(p->memo);
    p->memo = table;
    p->memo_cap = cap;
    return true;
}

void memo_add(struct parser *p, const struct memo *memo)
{
    if ((p->memo_count + 1) * 2 > p->memo_cap && !memo_grow(p))
        return;
    struct memo *slot =
        memo_slot(p->memo, p->memo_cap, memo->serial, memo->pos, memo->kind, memo->dquoted);
    if (!slot->used)
        p->memo_count++;
    *slot = *memo;
    slot->used = true;
}

void memo_unmatched(struct parser *p, size_t pos)
{
    if (!p->in->outer)
        memo_add(p, &(struct memo){ .serial = p->in->serial, .kind = MEMO_UNMATCHED, .pos = pos });
}

size_t open_at(const struct parser *p, size_t i)
{
    size_t pos;
    memcpy(&pos, p->parens.data + i * sizeof pos, sizeof pos);
    return pos;
}

bool speculation_undo(struct parser *p, struct cursor c, size_t stack_len, size_t lit_len)
{
    if (p->fatal)
        return false;
    p->status = PARSE_OK;
    str_truncate(&p->stack, stack_len);
    str_truncate(&p->lit, lit_len);
    str_truncate(&p->lint, c.lint_len);
    cursor_restore(p, c);
    return true;
}
