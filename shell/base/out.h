/* Buffered output to a descriptor or into memory. */
#ifndef SHELL_BASE_OUT_H
#define SHELL_BASE_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/base/str.h"

/* FD >= 0: bytes go to FD when the buffer is full or at out_flush.  FD -1: bytes are appended to
 * SINK. Errors are sticky: ERROR holds the errno of the first failed write until out_clear_error.
 */
struct out {
    int fd;
    struct str *sink; /* borrowed */
    char *buffer;
    size_t len, cap;
    uint64_t written; /* bytes given to FD so far */
    int error;
    struct mem_region *region;
};

void out_init_fd(struct out *o, int fd,
                 struct mem_region *region); /* buffer is made at first use */
void out_init_sink(struct out *o, struct str *sink);
void out_release(struct out *o); /* frees the buffer; does not flush, does not close */
/* Makes the buffer now rather than at the first use. */
void out_prepare(struct out *o);
void out_write(struct out *o, const char *bytes, size_t len);
void out_puts(struct out *o, const char *text);
void out_printf(struct out *o, const char *format, ...) PRINTF_LIKE(2, 3);
void out_vprintf(struct out *o, const char *format, va_list args) PRINTF_LIKE(2, 0);
/* Writes what is buffered; false and ERROR set when that failed (the buffer is dropped). */
bool out_flush(struct out *o);
void out_clear_error(struct out *o);
/* How many bytes went to O so far: what two calls differ by was written between them. */
static inline uint64_t out_position(const struct out *o)
{
    return o->fd < 0 ? o->sink->len : o->written + o->len;
}
/* out_write of what is short as a rule. */
static inline void out_put(struct out *o, const char *bytes, size_t len)
{
    if (o->fd < 0 || len > 16 || len > o->cap - o->len) {
        out_write(o, bytes, len);
        return;
    }
    text_move_short(o->buffer + o->len, bytes, len);
    o->len += len;
}
static inline void out_putc(struct out *o, char c)
{
    if (o->fd >= 0 && o->len < o->cap)
        o->buffer[o->len++] = c;
    else
        out_write(o, &c, 1);
}

#endif
