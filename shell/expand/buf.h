/* A text under construction that starts in its owner's stack frame and moves to the heap when it
 * grows: never to scratch, so that commands run in between may mark and reset that. */
#ifndef SHELL_EXPAND_BUF_H
#define SHELL_EXPAND_BUF_H

#include <string.h>

#include "shell/base/str.h"
#include "shell/state/shell.h"

enum { BUF_ROOM = 240 };
/* DATA is ROOM or a heap block; there is always space for a NUL after LEN. A failed append is
 * remembered in FAILED. Must not be moved or copied. */
struct buf {
    char *data;
    size_t len, cap;
    struct mem_region *heap;
    bool failed;
    char room[BUF_ROOM];
};
static inline void buf_init(struct buf *b, struct shell *sh)
{
    b->data = b->room;
    b->len = 0;
    b->cap = BUF_ROOM;
    b->heap = sh->heap;
    b->failed = false;
}
static inline void buf_release(struct buf *b)
{
    if (b->data != b->room)
        mem_free(b->data);
    b->data = b->room;
}
/* B, which is empty, takes what S, a string of the heap, holds. */
void buf_take(struct buf *b, struct str *s);
bool buf_grow(struct buf *b, size_t extra);
void buf_append_long(struct buf *b, const char *bytes, size_t len);
static inline void buf_append(struct buf *b, const char *bytes, size_t len)
{
    if (len > 16 || b->cap - b->len <= len) {
        buf_append_long(b, bytes, len);
        return;
    }
    text_move_short(b->data + b->len, bytes, len); /* BYTES of an unset parameter is NULL */
    b->len += len;
}
static inline void buf_putc(struct buf *b, char c)
{
    if (b->cap - b->len <= 1 && !buf_grow(b, 1))
        return;
    b->data[b->len++] = c;
}
/* The text, terminated; fails when an append failed. */
enum flow buf_text(struct shell *sh, struct buf *b, const char **ret_text,
                   size_t *ret_len) NODISCARD;
/* A copy of the text in scratch. */
enum flow buf_copy(struct shell *sh, struct buf *b, const char **ret_text,
                   size_t *ret_len) NODISCARD;

#endif
