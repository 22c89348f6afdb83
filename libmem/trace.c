/*
 * trace.c: trace=FILE, each call that got, freed or resized a block, as text or compact.
 *
 * Events are collected in one buffer, written when it is full, by mem_exit, before a fork and when
 * mem_flush is called; a program that is killed loses the last of them. The text form is the one of
 * the original vmalloc: `old:new:size:align:region:method:info:`. A file whose name ends with .bin
 * gets the compact form (trace_format.h). Runs under the library's lock and never allocates.
 * An event costs little more than the copying of its bytes: what repeats (region, site, thread) is
 * kept as text, and texts are copied in pieces of fixed size, so each buffer has room behind.
 */
#include "libmem/internal.h"
#include "libmem/trace_format.h"

enum {
    WRITE_BYTES = 1 << 18, /* written at once, at a multiple of it in the file: half the cost */
    EVENT_MAX = 1024,
    PIECE = 64, /* most tails are no longer, and copied as if they were as long */
    TAIL_SLOTS = 64,
    TAIL_BYTES = 512,
    SIZE_TEXTS = 2048,
    CLOCK_EVENTS = 8, /* the clock is read once in so many */
};

static char buffer[WRITE_BYTES + EVENT_MAX];
static size_t buffer_used;
static int trace_fd = -1;
static bool trace_compact;
static uint64_t time_last;
static unsigned clock_wait; /* events until the clock is read again */
static unsigned forks;      /* how often this process is a child of one that traced */

/* The end of an event: REGION:LETTER:file=F,line=N,func=F,tid=N,pid=N:, and a newline. */
static struct tail {
    const struct mem_region *region; /* NULL: unused */
    uint32_t site;
    int thread;
    unsigned forks;
    char letter;
    uint16_t bytes;
    char text[TAIL_BYTES];
} tails[TAIL_SLOTS];

/* The digits of small numbers, the first one in the lowest byte. */
static struct size_text {
    uint32_t word, digits;
} size_texts[SIZE_TEXTS];

/* ---- numbers as text ---- */

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

static void size_texts_fill(void)
{
    for (uint32_t value = 0; value < SIZE_TEXTS; value++) {
        struct size_text *text = &size_texts[value];
        memset(text, 0, sizeof *text);
        text->digits = (uint32_t)(put_dec((char *)&text->word, value) - (char *)&text->word);
    }
}

/* The same, faster for what sizes are like; writes 4 bytes at least. */
static inline char *put_size(char *to, uint64_t value)
{
    if (MEM_UNLIKELY(value >= SIZE_TEXTS))
        return put_dec(to, value);
    memcpy(to, &size_texts[value].word, 4);
    return to + size_texts[value].digits;
}

/* Writes 18 bytes, of which those that are returned count. */
static inline char *put_hex(char *to, const void *address)
{
    typedef unsigned char vector __attribute__((vector_size(16)));
    typedef uint64_t words __attribute__((vector_size(16)));
    uint64_t value = (uintptr_t)address, nibbles = 0x0f0f0f0f0f0f0f0fu;

    memcpy(to, "0x0", 3);
    if (!value)
        return to + 3;
    unsigned digits = (67u - (unsigned)__builtin_clzll(value)) / 4;
    value = __builtin_bswap64(value << (64 - 4 * digits));
    vector high = (vector)(words){ value >> 4 & nibbles, 0 };
    vector low = (vector)(words){ value & nibbles, 0 }, text;
    text =
        __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    text += '0' + ((vector)(text > 9) & ('a' - '0' - 10));
    memcpy(to + 2, &text, sizeof text);
    return to + 2 + digits;
}

/* ---- the file ---- */

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

static void buffer_write(size_t bytes)
{
    size_t at = 0;
    int saved = errno;

    while (at < bytes) {
        ssize_t done = glue_write_some(trace_fd, buffer + at, bytes - at);
        if (done <= 0) {
            trace_give_up();
            break;
        }
        at += (size_t)done;
    }
    errno = saved;
    memmove(buffer, buffer + bytes, buffer_used - bytes);
    buffer_used -= bytes;
}

void trace_flush(void)
{
    if (trace_fd >= 0)
        buffer_write(buffer_used);
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
    memset(tails, 0, sizeof tails);
    size_texts_fill();
    clock_wait = 0;
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
    forks++;
    buffer_used = 0;
}

/* ---- events as text ---- */

/* Writes `file,line,function` of SITE as `file=,line=,func=,`: at most 300 bytes. */
static char *put_site(char *to, uint32_t site)
{
    static const char *const names[] = { "file=", "line=", "func=" };
    char text[256];
    const char *at = text;

    if (!mem_site_describe || !site || !mem_site_describe(site, text, sizeof text))
        return to;
    for (int i = 0; i < 3 && *at; i++) {
        size_t bytes = strcspn(at, ",:\n");
        if (bytes) {
            to = put_text(to, names[i], strlen(names[i]));
            to = put_text(to, at, bytes);
            *to++ = ',';
        }
        at += bytes + (at[bytes] != 0);
    }
    return to;
}

static char region_letter(const struct mem_region *region)
{
    if (region->debug)
        return 'd';
    return region->method == MEM_BEST ? 'b' : region->method == MEM_LAST ? 'l' : 'p';
}

/* The system's id of this thread, which is asked for once. */
static inline int thread_id(void)
{
    static __thread int id __attribute__((tls_model("initial-exec")));
    static __thread unsigned id_forks __attribute__((tls_model("initial-exec")));

    if (MEM_UNLIKELY(!id || id_forks != forks)) {
        id = (int)gettid();
        id_forks = forks;
    }
    return id;
}

static __attribute__((noinline)) void tail_fill(struct tail *tail, const struct mem_region *region,
                                                char letter, int thread)
{
    char *to = put_hex(tail->text, region);

    *to++ = ':';
    *to++ = letter;
    *to++ = ':';
    to = put_site(to, mem_site);
    to = put_text(to, "tid=", 4);
    to = put_dec(to, (uint64_t)thread);
    to = put_text(to, ",pid=", 5);
    to = put_dec(to, (uint64_t)getpid());
    to = put_text(to, ":\n", 2);
    tail->region = region;
    tail->site = mem_site;
    tail->thread = thread;
    tail->forks = forks;
    tail->letter = letter;
    tail->bytes = (uint16_t)(to - tail->text);
}

static inline void event_text(const struct mem_region *region, const void *old, const void *new,
                              size_t bytes, size_t align)
{
    char *to = buffer + buffer_used, letter = region_letter(region);
    uint32_t site = mem_site;
    int thread = thread_id();
    struct tail *tail = &tails[(site ^ (uintptr_t)region >> 7) % TAIL_SLOTS];

    if (MEM_UNLIKELY(tail->region != region || tail->site != site || tail->thread != thread ||
                     tail->letter != letter || tail->forks != forks))
        tail_fill(tail, region, letter, thread);
    to = put_hex(to, old);
    *to++ = ':';
    to = put_hex(to, new);
    *to++ = ':';
    to = put_size(to, bytes);
    *to++ = ':';
    to = put_size(to, align > MEM_ALIGN ? align : 0);
    *to++ = ':';
    memcpy(to, tail->text, PIECE);
    for (size_t at = PIECE; MEM_UNLIKELY(at < tail->bytes); at += PIECE)
        memcpy(to + at, tail->text + at, PIECE);
    buffer_used = (size_t)(to - buffer) + tail->bytes;
}

/* ---- compact ---- */

static void put_word(uint64_t word)
{
    memcpy(buffer + buffer_used, &word, sizeof word);
    buffer_used += sizeof word;
}

static void event_compact(const void *old, const void *new, uint64_t bytes, size_t align)
{
    uint64_t now = time_last, time;
    uint64_t site = (uint64_t)mem_site << 40;

    if (!clock_wait--) {
        now = glue_time_us();
        clock_wait = CLOCK_EVENTS - 1;
    }
    time = now - time_last;
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
    if (trace_fd < 0)
        return;
    if (MEM_UNLIKELY(buffer_used >= WRITE_BYTES))
        buffer_write(WRITE_BYTES);
    if (trace_compact)
        event_compact(old, new, bytes, align);
    else
        event_text(region, old, new, bytes, align);
}
