/*
 * trace.c: trace=FILE, each call that got, freed or resized a block, as text or compact.
 *
 * Events are collected in one buffer, written when it is full, by mem_exit, before a fork and when
 * mem_flush is called; a program that is killed loses the last of them. The text form is that of
 * the original vmalloc, `old:new:size:align:region:method:info:`, but info has only what differs
 * from the line before. A file whose name ends with .bin gets the compact form (trace_format.h).
 * Runs under the library's lock and never allocates. What is written at once is whole lines, the
 * first of which has all of info: processes that share a file do not spoil each other's lines.
 * An event costs little more than the copying of its bytes: regions and sites are kept as text, and
 * short texts are copied in one piece of fixed size, so the buffer has room behind.
 */
#include "libmem/internal.h"
#include "libmem/trace_format.h"

enum {
    WRITE_BYTES = 1 << 18, /* written at once when there are so many */
    EVENT_MAX = 1024,
    REGION_SLOTS = 64,
    REGION_BYTES = 32, /* copied as if it were as long */
    SITE_SLOTS = 256,
    SITE_BYTES = 256,
    SITE_PARTS = 3,
    HIGH_SLOTS = 2048, /* 64 KiB each */
    HIGH_SHIFT = 53,
    HIGH_BYTES = 16,
    SIZE_TEXTS = 2048, /* at most 10000 */
    CLOCK_EVENTS = 32, /* the clock is read once in so many */
};

static char buffer[WRITE_BYTES + EVENT_MAX];
static size_t buffer_used;
/* From here on it must be written; 0: there is no such trace. */
static size_t text_limit, compact_limit;
static int trace_fd = -1;
static bool trace_compact;
static uint64_t time_last;
static unsigned clock_wait; /* events until the clock is read again */
/* The system's id of this thread, which is asked for once; 0: not yet. */
static __thread int thread_known __attribute__((tls_model("initial-exec")));

/* The end of an event that has no info: REGION:LETTER::, and a newline. */
static struct region_text {
    const struct mem_region *region; /* NULL: unused */
    uint8_t bytes;
    char text[REGION_BYTES];
} __attribute__((aligned(64))) region_texts[REGION_SLOTS];

/* Addresses but for their last four digits. There are no blocks in the first 64 KiB. */
static struct high_text {
    uint64_t high; /* 0: unused */
    uint32_t bytes;
    char text[HIGH_BYTES];
} high_texts[HIGH_SLOTS];

/* What a site means: file=F, line=N, and func=F, each with its comma; no bytes: unknown. In a slot
 * that is not used the site is 0, which means nothing. */
static struct site_text {
    uint32_t site;
    uint16_t start[SITE_PARTS], bytes[SITE_PARTS];
    char text[SITE_BYTES + 32];
} site_texts[SITE_SLOTS];

/* What the lines before said of the next one; thread -1: nothing, so it must say all. */
static struct {
    const struct site_text *text;
    uint32_t site;
    int thread;
} said;

/* SIZE:0: for small sizes, the first digit in the lowest byte, how many bytes in the highest. */
static uint64_t size_texts[SIZE_TEXTS];

static uint16_t hex_pairs[256]; /* two digits */

/* ---- numbers as text ---- */

static char *put_text(char *to, const char *text, size_t bytes)
{
    memcpy(to, text, bytes);
    return to + bytes;
}

static __attribute__((noinline)) char *put_dec(char *to, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return put_text(to, digits + at, sizeof digits - at);
}

/* At least DIGITS of them. */
static char *put_hex(char *to, uint64_t value, unsigned digits)
{
    while (digits < 16 && value >> 4 * digits)
        digits++;
    while (digits--)
        *to++ = "0123456789abcdef"[value >> 4 * digits & 15];
    return to;
}

static void numbers_fill(void)
{
    for (unsigned value = 0; value < 256; value++)
        put_hex((char *)&hex_pairs[value], value, 2);
    for (uint32_t value = 0; value < SIZE_TEXTS; value++) {
        char text[8] = { 0 }, *end = put_text(put_dec(text, value), ":0:", 3);
        text[7] = (char)(end - text);
        memcpy(&size_texts[value], text, sizeof text);
    }
}

static __attribute__((noinline)) void high_fill(struct high_text *text, uint64_t high)
{
    text->high = high;
    text->bytes = (uint32_t)(put_hex(put_text(text->text, "0x", 2), high, 1) - text->text);
}

static inline struct high_text *high_slot(uint64_t high)
{
    return &high_texts[high * 0x9e3779b97f4a7c15u >> HIGH_SHIFT];
}

/* TEXT is that of its high part. Writes HIGH_BYTES + 4 at most, of which those that are returned
 * count. */
static inline char *put_address_of(char *to, const void *address, const struct high_text *text)
{
    uint64_t value = (uintptr_t)address;

    memcpy(to, text->text, HIGH_BYTES);
    to += text->bytes;
    memcpy(to, &hex_pairs[value >> 8 & 255], 2);
    memcpy(to + 2, &hex_pairs[value & 255], 2);
    return to + 4;
}

static char *put_address(char *to, const void *address)
{
    uint64_t high = (uintptr_t)address >> 16;
    struct high_text *text = high_slot(high);

    if (MEM_UNLIKELY(text->high != high))
        high_fill(text, high);
    return put_address_of(to, address, text);
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
    text_limit = compact_limit = 0;
}

static void buffer_write(void)
{
    size_t at = 0;
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
    said.thread = -1;
}

void trace_flush(void)
{
    if (trace_fd >= 0)
        buffer_write();
}

void mem_flush(void)
{
    mem_lock();
    trace_flush();
    mem_unlock();
}

static void trace_reset(void)
{
    buffer_used = 0;
    said.thread = -1;
    thread_known = 0;
}

void trace_start(int fd, bool compact, bool goes_on)
{
    trace_stop();
    trace_fd = fd;
    trace_compact = compact;
    text_limit = compact ? 0 : WRITE_BYTES;
    compact_limit = compact ? WRITE_BYTES : 0;
    memset(region_texts, 0, sizeof region_texts);
    memset(site_texts, 0, sizeof site_texts);
    numbers_fill();
    clock_wait = 0;
    trace_reset();
    time_last = glue_time_us();
    if (compact && !goes_on) {
        struct trace_header header = { .version = 1, .pid = (uint32_t)getpid() };
        memcpy(header.magic, TRACE_MAGIC, sizeof header.magic);
        memcpy(buffer, &header, sizeof header);
        buffer_used = sizeof header;
    }
}

void trace_stop(void)
{
    trace_flush();
    if (trace_fd >= 0)
        (void)close(trace_fd);
    trace_fd = -1;
    text_limit = compact_limit = 0;
}

void trace_forked(void)
{
    if (trace_is_on())
        trace_reset(); /* what is in the buffer is the parent's, and no other thread is left */
}

/* ---- events as text ---- */

static const char *const part_names[SITE_PARTS] = { "file=", "line=", "func=" };

/* Takes `file,line,function` to pieces. */
static __attribute__((noinline)) void site_text_fill(struct site_text *text, uint32_t site)
{
    char words[SITE_BYTES];
    const char *at = words;
    char *to = text->text;

    memset(text, 0, sizeof *text);
    text->site = site;
    if (!site || !mem_site_describe || !mem_site_describe(site, words, sizeof words))
        return;
    for (int i = 0; i < SITE_PARTS && *at; i++) {
        size_t bytes = strcspn(at, ",");
        if (bytes) {
            text->start[i] = (uint16_t)(to - text->text);
            to = put_text(to, part_names[i], strlen(part_names[i]));
            for (size_t k = 0; k < bytes; k++) /* colons and newlines end fields and lines */
                *to++ = (char)(at[k] == ':' || at[k] == '\n' ? '?' : at[k]);
            *to++ = ',';
            text->bytes[i] = (uint16_t)(to - text->text - text->start[i]);
        }
        at += bytes + (at[bytes] != 0);
    }
}

static bool part_is_same(const struct site_text *one, const struct site_text *two, int part)
{
    size_t bytes = one->bytes[part];

    return bytes == two->bytes[part] &&
           memcmp(one->text + one->start[part], two->text + two->start[part], bytes) == 0;
}

/* Writes what the lines before have not said: all when this thread is not theirs, else the parts of
 * SITE that changed, of which those that are no longer known are empty. At most 400 bytes. */
static __attribute__((noinline)) char *put_info(char *to, uint32_t site)
{
    struct site_text *text = &site_texts[site % SITE_SLOTS];
    const char *start = to;
    int thread = thread_known ? thread_known : (thread_known = (int)gettid());
    bool whole = said.thread != thread;

    if (text->site != site) {
        whole = whole || text == said.text; /* what was said is overwritten */
        site_text_fill(text, site);
    }
    for (int i = 0; i < SITE_PARTS; i++) {
        if (!whole && part_is_same(text, said.text, i))
            continue;
        to = put_text(to, text->text + text->start[i], text->bytes[i]);
        if (!whole && !text->bytes[i]) {
            to = put_text(to, part_names[i], strlen(part_names[i]));
            *to++ = ',';
        }
    }
    if (whole) {
        to = put_text(to, "tid=", 4);
        to = put_dec(to, (uint64_t)thread);
        to = put_text(to, ",pid=", 5);
        to = put_dec(to, (uint64_t)getpid());
        *to++ = ',';
    }
    said.text = text;
    said.site = site;
    said.thread = thread;
    return to - (to > start); /* without the last comma */
}

static char region_letter(const struct mem_region *region)
{
    if (region->debug)
        return 'd';
    return region->method == MEM_BEST ? 'b' : region->method == MEM_LAST ? 'l' : 'p';
}

static __attribute__((noinline)) void region_text_fill(struct region_text *text,
                                                       const struct mem_region *region)
{
    char *to = put_hex(put_text(text->text, "0x", 2), (uintptr_t)region, 1);

    *to++ = ':';
    *to++ = region_letter(region);
    to = put_text(to, "::\n", 3);
    text->region = region;
    text->bytes = (uint8_t)(to - text->text);
}

static inline struct region_text *region_slot(const struct mem_region *region)
{
    return &region_texts[(uintptr_t)region >> 7 & (REGION_SLOTS - 1)];
}

void trace_region_begins(const struct mem_region *region)
{
    if (trace_fd >= 0 && region_slot(region)->region == region)
        region_slot(region)->region = NULL;
}

static void event_text(const struct mem_region *region, const void *old, const void *new,
                       size_t bytes, size_t align)
{
    char *to = buffer + buffer_used;
    struct region_text *text = region_slot(region);

    if (MEM_UNLIKELY(text->region != region))
        region_text_fill(text, region);
    if (!old) {
        memcpy(to, "0x0:", 4);
        to = put_address(to + 4, new);
        *to++ = ':';
    } else {
        to = put_address(to, old);
        memcpy(to, ":0x0:", 5);
        to = new ? put_address(to + 1, new) : to + 4;
        *to++ = ':';
    }
    if (MEM_LIKELY(bytes < SIZE_TEXTS && align <= MEM_ALIGN)) {
        memcpy(to, &size_texts[bytes], 8);
        to += size_texts[bytes] >> 56;
    } else {
        to = put_dec(to, bytes);
        *to++ = ':';
        to = put_dec(to, align > MEM_ALIGN ? align : 0);
        *to++ = ':';
    }
    memcpy(to, text->text, REGION_BYTES);
    to += text->bytes;
    if (MEM_UNLIKELY(said.site != MEM_PEEK(mem_site) || said.thread != thread_known))
        to = put_text(put_info(to - 2, MEM_PEEK(mem_site)), ":\n", 2);
    buffer_used = (size_t)(to - buffer);
}

/* ---- compact ---- */

static inline void put_words(uint64_t one, uint64_t two, size_t bytes)
{
    memcpy(buffer + buffer_used, &one, sizeof one);
    memcpy(buffer + buffer_used + sizeof one, &two, sizeof two);
    buffer_used += bytes;
}

/* Microseconds since the event before. */
static inline uint64_t time_passed(void)
{
    if (MEM_LIKELY(clock_wait--))
        return 0;
    uint64_t now = glue_time_us(), time = now - time_last;
    clock_wait = CLOCK_EVENTS - 1;
    time_last = now;
    return time < TRACE_TIME_MAX ? time : TRACE_TIME_MAX;
}

static void event_compact(const void *old, const void *new, uint64_t bytes, size_t align)
{
    uint64_t time = time_passed(), site = (uint64_t)MEM_PEEK(mem_site) << 40;

    if (!new) {
        put_words(trace_word(TRACE_FREE, (uintptr_t)old, time), 0, 8);
    } else if (MEM_LIKELY((!old || old == new) && align <= MEM_ALIGN)) {
        put_words(trace_word(old ? TRACE_RESIZE : TRACE_ALLOC, (uintptr_t) new, time),
                  (bytes & (((uint64_t)1 << 40) - 1)) | site, 16);
    } else if (old) {
        uint64_t size = bytes;
        if (size > TRACE_SIZE_EXACT)
            size = TRACE_UNITS | (bytes + (1 << TRACE_UNIT_SHIFT) - 1) >> TRACE_UNIT_SHIFT;
        put_words(trace_word(TRACE_MOVE, (uintptr_t)old, time),
                  ((uintptr_t) new >> 4 & (((uint64_t)1 << 43) - 1)) | size << 43, 16);
    } else {
        put_words(
            trace_word(TRACE_ALIGN, (uintptr_t) new, time),
            (bytes & (((uint64_t)1 << 34) - 1)) | (uint64_t)__builtin_ctzl(align) << 34 | site, 16);
    }
}

void trace_event(const struct mem_region *region, const void *old, const void *new, size_t bytes,
                 size_t align)
{
    if (MEM_UNLIKELY(buffer_used >= WRITE_BYTES))
        trace_flush();
    if (trace_fd < 0)
        return;
    if (trace_compact)
        event_compact(old, new, bytes, align);
    else
        event_text(region, old, new, bytes, align);
}

/* ---- the same where nothing is to be looked up or filled in ---- */

/* Writes the event of BLOCK, the only one of the two, as text; false: it is not so simple. */
static inline __attribute__((always_inline)) bool
quick_text(const struct mem_region *region, const void *block, size_t bytes, bool freed)
{
    char *to = buffer + buffer_used;
    const struct region_text *text = region_slot(region);
    uint64_t high = (uintptr_t)block >> 16;
    const struct high_text *address = high_slot(high);

    if (MEM_UNLIKELY(text->region != region || address->high != high || bytes >= SIZE_TEXTS ||
                     said.site != MEM_PEEK(mem_site) || said.thread != thread_known))
        return false;
    if (freed) {
        to = put_address_of(to, block, address);
        memcpy(to, ":0x0:", 5);
        to += 5;
    } else {
        memcpy(to, "0x0:", 4);
        to = put_address_of(to + 4, block, address);
        *to++ = ':';
    }
    uint64_t size = size_texts[bytes];
    memcpy(to, &size, sizeof size);
    to += size >> 56;
    memcpy(to, text->text, REGION_BYTES);
    buffer_used = (size_t)(to + text->bytes - buffer);
    return true;
}

static __attribute__((noinline)) void *event_got(const struct mem_region *region, void *block,
                                                 size_t bytes)
{
    trace_event(region, NULL, block, bytes, 0);
    return block;
}

void *trace_got(const struct mem_region *region, void *block, size_t bytes)
{
    if (MEM_LIKELY(buffer_used < text_limit)) {
        if (MEM_LIKELY(quick_text(region, block, bytes, false)))
            return block;
    } else if (MEM_LIKELY(buffer_used < compact_limit && clock_wait)) {
        clock_wait--;
        put_words(trace_word(TRACE_ALLOC, (uintptr_t)block, 0),
                  (bytes & (((uint64_t)1 << 40) - 1)) | (uint64_t)MEM_PEEK(mem_site) << 40, 16);
        return block;
    }
    return event_got(region, block, bytes);
}

void trace_freed(const struct mem_region *region, const void *block, size_t bytes)
{
    if (MEM_LIKELY(buffer_used < text_limit)) {
        if (MEM_LIKELY(quick_text(region, block, bytes, true)))
            return;
    } else if (MEM_LIKELY(buffer_used < compact_limit && clock_wait)) {
        clock_wait--;
        put_words(trace_word(TRACE_FREE, (uintptr_t)block, 0), 0, 8);
        return;
    }
    trace_event(region, block, NULL, bytes, 0);
}
