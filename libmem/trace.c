/*
 * trace.c: trace=FILE, each call that got, freed or resized a block, as text or compact.
 *
 * Events are collected in one buffer, written when it is full, by mem_exit, before a fork and when
 * mem_flush is called; a program that is killed loses the last of them. The text form is the one of
 * the original vmalloc: `old:new:size:align:region:method:info:`. A file whose name ends with .bin
 * gets the compact form (trace_format.h). Runs under the library's lock and never allocates.
 */
#include "libmem/internal.h"
#include "libmem/trace_format.h"

enum { BUFFER_BYTES = 1 << 16, EVENT_MAX = 1024 };

static char buffer[BUFFER_BYTES];
static size_t buffer_used;
static int trace_fd = -1;
static bool trace_compact;
static char ids_text[64]; /* tid=N,pid=N:\n of ids_thread */
static size_t ids_bytes;
static int ids_thread;
static uint32_t site_known;
static char site_text[320]; /* file=F,line=N,func=F, of site_known */
static size_t site_bytes;
static uint64_t time_last;

bool trace_is_on(void)
{
    return trace_fd >= 0;
}

/* Nothing can be written, as errno says: the rest of the trace is lost, and that is said once. */
static void trace_give_up(void)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: trace: cannot write: ");
    line_str(&line, glue_error_text(errno));
    line_send(&line);
    (void)close(trace_fd);
    trace_fd = -1;
}

void trace_flush(void)
{
    size_t at = 0;

    if (trace_fd < 0)
        return;
    int saved = errno;
    while (at < buffer_used) {
        ssize_t done = glue_write_some(trace_fd, buffer + at, buffer_used - at);
        if (done <= 0) {
            trace_give_up();
            break;
        }
        at += (size_t)done;
    }
    errno = saved;
    buffer_used = 0;
}

void mem_flush(void)
{
    mem_lock();
    trace_flush();
    mem_unlock();
}

void trace_start(int fd, bool compact)
{
    trace_stop();
    trace_fd = fd;
    trace_compact = compact;
    site_known = 0;
    site_bytes = 0;
    trace_forked();
    if (compact) {
        struct trace_header header = { .version = 1, .pid = (uint32_t)getpid() };
        memcpy(header.magic, TRACE_MAGIC, sizeof header.magic);
        memcpy(buffer, &header, sizeof header);
        buffer_used = sizeof header;
        time_last = glue_time_us();
    }
}

void trace_stop(void)
{
    trace_flush();
    if (trace_fd >= 0)
        (void)close(trace_fd);
    trace_fd = -1;
}

void trace_forked(void)
{
    ids_thread = 0;
    buffer_used = 0;
}

/* ---- text ---- */

static char *put_text(char *to, const char *text, size_t bytes)
{
    memcpy(to, text, bytes);
    return to + bytes;
}

static char *put_dec(char *to, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return put_text(to, digits + at, sizeof digits - at);
}

static char *put_hex(char *to, const void *address)
{
    uint64_t value = (uintptr_t)address;
    unsigned digits = value ? (67u - (unsigned)__builtin_clzll(value)) / 4 : 1;

    *to++ = '0';
    *to++ = 'x';
    for (unsigned i = digits; i-- > 0;)
        *to++ = "0123456789abcdef"[value >> (4 * i) & 15];
    return to;
}

static void ids_set(int thread)
{
    char *to = put_text(ids_text, "tid=", 4);

    to = put_dec(to, (uint64_t)thread);
    to = put_text(to, ",pid=", 5);
    to = put_dec(to, (uint64_t)getpid());
    to = put_text(to, ":\n", 2);
    ids_bytes = (size_t)(to - ids_text);
    ids_thread = thread;
}

/* `file,line,function` of the site becomes `file=,line=,func=`. */
static void site_set(uint32_t site)
{
    static const char *const names[] = { "file=", "line=", "func=" };
    char text[256], *to = site_text;
    const char *at = text;

    site_known = site;
    site_bytes = 0;
    if (!mem_site_describe || !site || !mem_site_describe(site, text, sizeof text))
        return;
    for (int i = 0; i < 3 && *at; i++) {
        size_t bytes = strcspn(at, ",:\n");
        if (bytes) {
            to = put_text(to, names[i], strlen(names[i]));
            to = put_text(to, at, bytes);
            *to++ = ',';
        }
        at += bytes + (at[bytes] != 0);
    }
    site_bytes = (size_t)(to - site_text);
}

static char region_letter(const struct mem_region *region)
{
    if (region->debug)
        return 'd';
    return region->method == MEM_BEST ? 'b' : region->method == MEM_LAST ? 'l' : 'p';
}

static void event_text(const struct mem_region *region, const void *old, const void *new,
                       size_t bytes, size_t align)
{
    char *to = buffer + buffer_used;
    int thread = glue_threaded() || !ids_thread ? (int)gettid() : ids_thread;

    if (MEM_UNLIKELY(thread != ids_thread))
        ids_set(thread);
    if (MEM_UNLIKELY(mem_site != site_known))
        site_set(mem_site);
    to = put_hex(to, old);
    *to++ = ':';
    to = put_hex(to, new);
    *to++ = ':';
    to = put_dec(to, bytes);
    *to++ = ':';
    to = put_dec(to, align > MEM_ALIGN ? align : 0);
    *to++ = ':';
    to = put_hex(to, region);
    *to++ = ':';
    *to++ = region_letter(region);
    *to++ = ':';
    to = put_text(to, site_text, site_bytes);
    to = put_text(to, ids_text, ids_bytes);
    buffer_used = (size_t)(to - buffer);
}

/* ---- compact ---- */

static void put_word(uint64_t word)
{
    memcpy(buffer + buffer_used, &word, sizeof word);
    buffer_used += sizeof word;
}

static void event_compact(const void *old, const void *new, uint64_t bytes, size_t align)
{
    uint64_t now = glue_time_us(), time = now - time_last;
    uint64_t site = (uint64_t)mem_site << 40;

    time_last = now;
    time = time < TRACE_TIME_MAX ? time : TRACE_TIME_MAX;
    if (!new) {
        put_word(trace_word(TRACE_FREE, (uintptr_t)old, time));
    } else if (old && old != new) {
        uint64_t size = bytes;
        if (size > TRACE_SIZE_EXACT)
            size = TRACE_UNITS | (bytes + (1 << TRACE_UNIT_SHIFT) - 1) >> TRACE_UNIT_SHIFT;
        put_word(trace_word(TRACE_MOVE, (uintptr_t)old, time));
        put_word(((uintptr_t) new >> 4 & (((uint64_t)1 << 43) - 1)) | size << 43);
    } else if (align > MEM_ALIGN) {
        put_word(trace_word(TRACE_ALIGN, (uintptr_t) new, time));
        put_word((bytes & (((uint64_t)1 << 34) - 1)) | (uint64_t)__builtin_ctzl(align) << 34 |
                 site);
    } else {
        put_word(trace_word(old ? TRACE_RESIZE : TRACE_ALLOC, (uintptr_t) new, time));
        put_word((bytes & (((uint64_t)1 << 40) - 1)) | site);
    }
}

void trace_event(const struct mem_region *region, const void *old, const void *new, size_t bytes,
                 size_t align)
{
    if (buffer_used > BUFFER_BYTES - EVENT_MAX)
        trace_flush();
    if (trace_fd < 0)
        return;
    if (trace_compact)
        event_compact(old, new, bytes, align);
    else
        event_text(region, old, new, bytes, align);
}
