/*
 * buf: texts under construction, in the stack frame of their owner or, when they grow, in the heap.
 *
 * A failed append is remembered and changes nothing; who takes the text asks once (buf_text,
 * buf_copy). Must not run script code or look at variables.
 */
#include "shell/expand/buf.h"

void buf_take(struct buf *b, struct str *s)
{
    b->failed = !str_ok(s);
    if (s->data) {
        b->data = s->data;
        b->len = s->len;
        b->cap = s->cap;
    }
    str_init(s, s->region);
}

bool buf_grow(struct buf *b, size_t extra)
{
    size_t want = b->len + extra + 1;
    if (want < extra || b->failed) {
        b->failed = true;
        return false;
    }
    /* Doubling, but by a quarter where doubling would hurt. */
    size_t cap = b->cap < ((size_t)8 << 20) ? b->cap * 2 : b->cap + b->cap / 4;
    if (cap < want)
        cap = want;
    char *data = b->data == b->room ? mem_alloc(b->heap, cap) : mem_resize(b->heap, b->data, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    if (b->data == b->room)
        memcpy(data, b->room, b->len);
    b->data = data;
    b->cap = cap;
    return true;
}

void buf_append_long(struct buf *b, const char *bytes, size_t len)
{
    if (b->cap - b->len <= len && !buf_grow(b, len))
        return;
    if (len)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
}

enum flow buf_text(struct shell *sh, struct buf *b, const char **ret_text, size_t *ret_len)
{
    if (b->failed)
        return shell_fail_memory(sh, b->len);
    b->data[b->len] = '\0';
    *ret_text = b->data;
    *ret_len = b->len;
    return FLOW_NEXT;
}

enum flow buf_copy(struct shell *sh, struct buf *b, const char **ret_text, size_t *ret_len)
{
    if (b->failed)
        return shell_fail_memory(sh, b->len);
    char *copy = scratch_dup(sh, b->data, b->len);
    if (!copy)
        return shell_fail_memory(sh, b->len + 1);
    *ret_text = copy;
    *ret_len = b->len;
    return FLOW_NEXT;
}
