/*
 * Buffered output to a descriptor or into memory.
 *
 * Owns the buffer of struct out, neither the descriptor nor the sink. The buffer starts small and
 * grows while output keeps coming, so that a shell that prints little touches little; what is
 * larger than the biggest buffer is written directly. Order is kept: nothing is written before what
 * was buffered earlier. ERROR keeps the first errno; later output is still tried (a full disk may
 * have room again).
 *
 * Must not decide when to flush: that is the executor's business.
 */
#include "shell/base/out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shell/base/kind.h"
#include "shell/base/sys.h"

enum { OUT_FIRST_BYTES = 4096, OUT_MAX_BYTES = 65536 };

void out_init_fd(struct out *o, int fd, struct mem_region *region)
{
    *o = (struct out){ .fd = fd, .region = region };
}

void out_init_sink(struct out *o, struct str *sink)
{
    *o = (struct out){ .fd = -1, .sink = sink };
}

void out_release(struct out *o)
{
    if (o->buffer)
        mem_free_sized(o->region, o->buffer, o->cap);
    o->buffer = NULL;
    o->len = o->cap = 0;
}

static bool write_through(struct out *o, const char *bytes, size_t len)
{
    o->written += len;
    if (len == 0 || sys_write_all(o->fd, bytes, len))
        return true;
    if (!o->error)
        o->error = errno;
    return false;
}

/* Enlarges the buffer until NEED bytes fit, if that is allowed and there is memory. */
static void buffer_grow(struct out *o, size_t need)
{
    if (need > OUT_MAX_BYTES || o->cap >= OUT_MAX_BYTES)
        return;
    size_t cap = o->cap ? o->cap : OUT_FIRST_BYTES;
    while (cap < need)
        cap *= 2;
    char *buffer = mem_resize_kind(o->region, o->buffer, cap, KIND_BUFFER);
    if (!buffer)
        return;
    o->buffer = buffer;
    o->cap = cap;
}

void out_write(struct out *o, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    if (o->fd < 0) {
        str_append(o->sink, bytes, len);
        if (!str_ok(o->sink) && !o->error)
            o->error = ENOMEM;
        return;
    }
    if (len > o->cap - o->len) {
        buffer_grow(o, o->len + len);
        if (len > o->cap - o->len)
            out_flush(o);
        if (len > o->cap) {
            write_through(o, bytes, len);
            return;
        }
    }
    memcpy(o->buffer + o->len, bytes, len);
    o->len += len;
}

void out_prepare(struct out *o)
{
    if (o->fd >= 0)
        buffer_grow(o, OUT_FIRST_BYTES);
}

void out_puts(struct out *o, const char *text)
{
    out_write(o, text, strlen(text));
}

void out_printf(struct out *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    out_vprintf(o, format, args);
    va_end(args);
}

void out_vprintf(struct out *o, const char *format, va_list args)
{
    char small[256];
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(small, sizeof small, format, args);
    if (len >= 0 && (size_t)len < sizeof small) {
        out_write(o, small, (size_t)len);
    } else {
        struct str text;
        str_init(&text, o->fd < 0 ? o->sink->region : o->region);
        str_vprintf(&text, format, again);
        if (!str_ok(&text)) {
            o->error = o->error ? o->error : ENOMEM;
            if (o->fd < 0)
                o->sink->failed = true;
        }
        out_write(o, str_text(&text), text.len);
        str_release(&text);
    }
    va_end(again);
}

bool out_flush(struct out *o)
{
    if (o->fd < 0)
        return o->error == 0;
    size_t len = o->len;
    o->len = 0;
    return write_through(o, o->buffer, len) && o->error == 0;
}

void out_clear_error(struct out *o)
{
    o->error = 0; /* not that of the sink's text, which stays incomplete: its reader must know */
}
