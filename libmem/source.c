/*
 * source.c: getmem, the five ways to get raw memory from the system.
 *
 * - anon: anonymous mappings wherever the kernel likes; grown by mremap, perhaps elsewhere.
 * - break: the program break; grows in place while nobody else moves it; what cannot be given back
 *   at its top waits in a list of spare ranges.
 * - native: the C library's own allocator, below the malloc that this library may have replaced; a
 *   statically linked program has none, unless it asks its linker for it, as memksh does.
 * - safe: mappings put at addresses of our own choice, in a private area that the kernel does not
 *   use by itself, each with room above it, so that they grow upwards in place. Nothing is mapped
 *   ahead: address space limits (ulimit -v) count only what is in use.
 * - zero: private mappings of /dev/zero at growing offsets.
 *
 * The first source that delivers serves the process until the options change; a later failure does
 * not fall back to another. Nothing here writes into memory that is in use or knows of segments.
 */
#include "libmem/internal.h"

MEM_WARM uint64_t glue_memory_calls = 0;

#ifdef __SANITIZE_THREAD__ /* its shadow lies where the area is elsewhere */
#define AREA_BASE        ((uintptr_t)0x001000000000)
#define AREA_END         ((uintptr_t)0x007000000000)
#define AREA_RANDOM_BITS 3
#else
#define AREA_BASE        ((uintptr_t)0x200000000000)
#define AREA_END         ((uintptr_t)0x500000000000)
#define AREA_RANDOM_BITS 12 /* of the area's base, in units of 4 GiB */
#endif
#define AREA_TRIES      16
#define LANE_COUNT      32
#define BREAK_SPARE_MIN ((size_t)64 << 10) /* less below an aligned segment is not used */

/* A range below the break that was given back; the record lies at its start. */
struct spare {
    struct spare *next; /* at a higher address, never adjacent */
    size_t bytes;
};

static struct spare *break_spare;
static MEM_WARM struct {
    char *base;
    size_t room_bytes;
} lanes[LANE_COUNT] = { 0 };
static MEM_WARM uintptr_t area_next = 0;
static int zero_fd = -1;
static MEM_WARM off_t zero_offset = 0;
static enum source_id source_current = SOURCE_COUNT;

/* ---- anon ---- */

static void map_put(void *base, size_t bytes, size_t room_bytes)
{
    (void)room_bytes;
    glue_unmap(base, bytes);
}

/* Requests that huge pages fill lie at multiples of these. */
static size_t align_of(size_t bytes)
{
    return bytes % MEM_HUGE_MIN ? MEM_PAGE : MEM_HUGE_MIN;
}

static void *map_any(size_t bytes, bool zero)
{
    return zero ? glue_map_file(zero_fd, bytes, zero_offset) : glue_map(NULL, bytes);
}

/* Maps anonymous memory or, where ZERO, /dev/zero. Where the system does not align by itself, more
 * is mapped and cut. */
static void *map_aligned(size_t bytes, bool zero)
{
    size_t align = align_of(bytes);
    char *base = map_any(bytes, zero);

    if (!base || (uintptr_t)base % align == 0)
        return base;
    char *more = map_any(bytes + align, zero);
    if (!more)
        return base;
    glue_unmap(base, bytes);
    size_t before = (size_t)(-(uintptr_t)more) & (align - 1);
    if (before)
        glue_unmap(more, before);
    glue_unmap(more + before + bytes, align - before);
    return more + before;
}

static void *anon_get(size_t bytes, size_t room_bytes)
{
    (void)room_bytes;
    return map_aligned(bytes, false);
}

/* ---- break ---- */

static void *spare_take(size_t bytes)
{
    for (struct spare **at = &break_spare; *at; at = &(*at)->next) {
        struct spare *spare = *at;
        if (spare->bytes < bytes)
            continue;
        struct spare *next = spare->next;
        if (spare->bytes > bytes) {
            struct spare *rest = (struct spare *)((char *)spare + bytes);
            *rest = (struct spare){ next, spare->bytes - bytes };
            next = rest;
        }
        *at = next;
        return spare;
    }
    return NULL;
}

static void break_put(void *base, size_t bytes, size_t room_bytes)
{
    (void)room_bytes;
    struct spare **at = &break_spare, **before = NULL;

    while (*at && (char *)*at < (char *)base) {
        before = at;
        at = &(*at)->next;
    }
    struct spare *spare = base, *next = *at;
    if (next && (char *)base + bytes == (char *)next) {
        bytes += next->bytes;
        next = next->next;
    }
    *spare = (struct spare){ next, bytes };
    if (before && (char *)*before + (*before)->bytes == (char *)base) {
        (*before)->bytes += bytes;
        (*before)->next = next;
        at = before;
    } else {
        *at = spare;
    }
    spare = *at;
    bytes = spare->bytes;
    if (!next && glue_break(0) == (char *)spare + bytes) {
        *at = NULL;
        (void)glue_break(-(ptrdiff_t)bytes);
    }
}

/* So that later extensions by so much can end where a huge page does. */
static size_t break_align(size_t bytes)
{
    size_t align = bytes & -bytes;

    align = align < MEM_HUGE_MIN ? align : MEM_HUGE_MIN;
    return align > MEM_PAGE ? align : MEM_PAGE;
}

static void *break_get(size_t bytes, size_t room_bytes)
{
    (void)room_bytes;
    void *spare = spare_take(bytes);
    if (spare)
        return spare;
    char *top = glue_break(0);
    if (!top)
        return NULL;
    size_t align = break_align(bytes), pad = (size_t)(-(uintptr_t)top) & (align - 1);
    char *base = glue_break((ptrdiff_t)(bytes + pad));
    if (!base)
        return NULL;
    if (((uintptr_t)base + pad) & (MEM_PAGE - 1))
        return NULL; /* somebody moved the break in between; a try later does better */
    size_t page_pad = (size_t)(-(uintptr_t)base) & (MEM_PAGE - 1);
    if (pad - page_pad >= BREAK_SPARE_MIN)
        break_put(base + page_pad, pad - page_pad, 0);
    return base + pad;
}

static bool break_grow(char *base, size_t old_bytes, size_t bytes)
{
    if (glue_break(0) != base + old_bytes)
        return false;
    char *got = glue_break((ptrdiff_t)(bytes - old_bytes));
    if (!got)
        return false;
    if (got == base + old_bytes)
        return true;
    (void)glue_break(-(ptrdiff_t)(bytes - old_bytes));
    return false;
}

/* ---- native ---- */

static void *native_get(size_t bytes, size_t room_bytes)
{
    (void)room_bytes;
    return glue_native_alloc(align_of(bytes), bytes);
}

static void *native_move(void *base, size_t old_bytes, size_t bytes)
{
    void *got = glue_native_alloc(align_of(bytes), bytes);

    if (!got)
        return NULL;
    memcpy(got, base, old_bytes < bytes ? old_bytes : bytes);
    glue_native_free(base);
    return got;
}

static void native_put(void *base, size_t bytes, size_t room_bytes)
{
    (void)room_bytes;
    (void)bytes;
    glue_native_free(base);
}

/* ---- safe ---- */

/* Rooms whose segment was given back: using them again keeps the page map small. */
static void lane_put(char *base, size_t room_bytes)
{
    int at = 0;

    for (int i = 0; i < LANE_COUNT; i++)
        if (lanes[i].room_bytes < lanes[at].room_bytes)
            at = i;
    if (lanes[at].room_bytes >= room_bytes)
        return;
    lanes[at].base = base;
    lanes[at].room_bytes = room_bytes;
}

static void *lane_get(size_t bytes, size_t room_bytes)
{
    int at = -1;

    for (int i = 0; i < LANE_COUNT; i++)
        if (lanes[i].room_bytes >= room_bytes && lanes[i].room_bytes / 8 <= room_bytes &&
            (at < 0 || lanes[i].room_bytes < lanes[at].room_bytes))
            at = i;
    if (at < 0)
        return NULL;
    lanes[at].room_bytes = 0;
    return glue_map_at(lanes[at].base, bytes);
}

static void *safe_get(size_t bytes, size_t room_bytes)
{
    if (!area_next) {
        uint64_t random = glue_random() & ((1u << AREA_RANDOM_BITS) - 1);
        area_next = AREA_BASE + ((uintptr_t)random << 32);
    }
    void *again = lane_get(bytes, room_bytes);
    if (again)
        return again;
    for (int i = 0; i < AREA_TRIES && area_next < AREA_END && bytes < AREA_END - area_next; i++) {
        void *base = glue_map_at((void *)area_next, bytes);
        if (!base && errno != EEXIST)
            break;
        area_next += mem_round_up(room_bytes > bytes ? room_bytes : bytes, mem_settings.page_bytes);
        if (base)
            return base;
    }
    return glue_map(NULL, bytes); /* the area is used up or this system has none */
}

static void safe_put(void *base, size_t bytes, size_t room_bytes)
{
    glue_unmap(base, bytes);
    if (room_bytes)
        lane_put(base, room_bytes);
}

static bool safe_grow(char *base, size_t old_bytes, size_t bytes)
{
    return glue_map_at(base + old_bytes, bytes - old_bytes) != NULL;
}

/* ---- zero ---- */

static void *zero_get(size_t bytes, size_t room_bytes)
{
    (void)room_bytes;
    if (zero_fd < 0 && (zero_fd = glue_open_zero()) < 0)
        return NULL;
    void *base = map_aligned(bytes, true);
    if (!base && errno == EBADF) { /* a script closed it */
        zero_fd = glue_open_zero();
        base = zero_fd < 0 ? NULL : map_aligned(bytes, true);
    }
    if (base)
        zero_offset += (off_t)bytes;
    return base;
}

const struct source mem_sources[SOURCE_COUNT] = {
    [SOURCE_ANON] = { "anon", "mmapanonmem", anon_get, NULL, glue_remap, map_put, true, false },
    [SOURCE_BREAK] = { "break", "sbrkmem", break_get, break_grow, NULL, break_put, false, true },
    [SOURCE_NATIVE] = { "native", "mallocmem", native_get, NULL, native_move, native_put, false,
                        true },
    [SOURCE_SAFE] = { "safe", "safebrkmem", safe_get, safe_grow, glue_remap, safe_put, true,
                      false },
    [SOURCE_ZERO] = { "zero", "mmapzeromem", zero_get, NULL, glue_remap, map_put, true, false },
};

void *source_get(size_t bytes, size_t room_bytes, enum source_id *ret_source)
{
    static const enum source_id probe[SOURCE_COUNT] = { SOURCE_SAFE, SOURCE_ANON, SOURCE_ZERO,
                                                        SOURCE_BREAK, SOURCE_NATIVE };
    void *base = NULL;
    int saved = errno;

    if (source_current < SOURCE_COUNT) {
        base = mem_sources[source_current].get(bytes, room_bytes);
        *ret_source = source_current;
        errno = base ? saved : ENOMEM;
        return base;
    }
    for (int i = 0; i < SOURCE_COUNT && !base; i++) {
        if (!(mem_settings.sources & 1u << probe[i]))
            continue;
        base = mem_sources[probe[i]].get(bytes, room_bytes);
        if (base)
            *ret_source = source_current = probe[i];
    }
    if (base && mem_settings.verbose)
        stats_say_verbose();
    errno = base ? saved : ENOMEM;
    return base;
}

void source_forget(void)
{
    source_current = SOURCE_COUNT;
}

enum source_id source_used(void)
{
    return source_current;
}
