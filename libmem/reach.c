/*
 * reach.c: sets of blocks, and which blocks the program can still reach.
 *
 * A set has a bit for each 16 bytes of the segments that existed when it was made; its memory comes
 * from a region of the caller's choice, which no set knows. Reaching is conservative: every aligned
 * word that looks like an address inside a block reaches it. It starts at the writable data of all
 * modules, the variables of this thread, its stack from the caller up, its registers, and the
 * blocks of MEM_LAST regions, which come and go too fast to be called lost. Blocks are followed
 * with a list, not by recursion. Reads only.
 */
#include <link.h>
#include <setjmp.h>

#include "libmem/internal.h"

enum { LIST_FIRST = 1024 };

struct marked_segment {
    const char *base;
    size_t bytes;
    uint64_t *bits;
};

struct mem_marks {
    struct mem_region *region; /* of its own memory */
    size_t count;
    uint64_t *bits;                   /* of all segments, one after the other */
    struct marked_segment segments[]; /* by address */
};

/* ---- sets ---- */

static size_t segment_words(const struct segment *segment)
{
    return (segment->bytes / MEM_ALIGN + 63) / 64;
}

static bool region_marked(const struct mem_region *region, const struct mem_region *own)
{
    return region != own && region->method != MEM_LAST;
}

/* The first of SEGMENT and those after it that is no slice: what is in a slice has its bit in the
 * segment of the lender. */
static struct segment *own_segment(struct segment *segment)
{
    while (segment && segment->lent)
        segment = segment->next;
    return segment;
}

static struct segment *first_marked(const struct mem_region *region, const struct mem_region *own)
{
    return region_marked(region, own) ? own_segment(region->segments) : NULL;
}

static void segments_sort(struct marked_segment *segments, size_t count)
{
    for (size_t gap = count / 2; gap; gap /= 2)
        for (size_t i = gap; i < count; i++) {
            struct marked_segment moved = segments[i];
            size_t at = i;
            for (; at >= gap && segments[at - gap].base > moved.base; at -= gap)
                segments[at] = segments[at - gap];
            segments[at] = moved;
        }
}

struct mem_marks *mem_marks_new(struct mem_region *own)
{
    size_t count = 0, words = 0;

    for (struct mem_region *region = mem_region_next(NULL); region; region = region->next)
        for (struct segment *s = first_marked(region, own); s; s = own_segment(s->next)) {
            count++;
            words += segment_words(s);
        }
    struct mem_marks *marks = mem_alloc(own, sizeof *marks + count * sizeof marks->segments[0]);
    uint64_t *bits = marks ? mem_alloc_zeroed(own, (words ? words : 1) * sizeof *bits) : NULL;
    if (!bits) {
        mem_free(marks);
        return NULL;
    }
    *marks = (struct mem_marks){ .region = own, .bits = bits };
    for (struct mem_region *region = mem_region_next(NULL); region; region = region->next)
        for (struct segment *s = first_marked(region, own); s && marks->count < count;
             s = own_segment(s->next)) {
            marks->segments[marks->count++] = (struct marked_segment){ s->base, s->bytes, bits };
            bits += segment_words(s);
        }
    segments_sort(marks->segments, marks->count);
    return marks;
}

void mem_marks_free(struct mem_marks *marks)
{
    if (!marks)
        return;
    mem_free(marks->bits);
    mem_free(marks);
}

/* The word and bit of BLOCK; NULL: in no segment that the set knows. */
static uint64_t *marks_word(const struct mem_marks *marks, const void *block, uint64_t *ret_bit)
{
    size_t low = 0, high = marks->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)marks->segments[middle].base <= (uintptr_t)block)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct marked_segment *s = &marks->segments[low - 1];
    size_t offset = (size_t)((const char *)block - s->base);
    if (offset >= s->bytes)
        return NULL;
    *ret_bit = 1ull << (offset / MEM_ALIGN % 64);
    return &s->bits[offset / MEM_ALIGN / 64];
}

bool mem_marks_has(const struct mem_marks *marks, const void *block)
{
    uint64_t bit;
    const uint64_t *word = marks_word(marks, block, &bit);

    return word && (*word & bit);
}

bool mem_marks_add(struct mem_marks *marks, const void *block)
{
    uint64_t bit;
    uint64_t *word = marks_word(marks, block, &bit);

    if (!word || (*word & bit))
        return false;
    *word |= bit;
    return true;
}

static int add_visit(void *arg, void *block, size_t bytes, bool busy)
{
    (void)bytes;
    if (busy)
        (void)mem_marks_add(arg, block);
    return 0;
}

void mem_marks_add_busy(struct mem_marks *marks)
{
    for (struct mem_region *region = mem_region_next(NULL); region; region = region->next)
        if (region_marked(region, marks->region))
            (void)mem_region_walk(region, add_visit, marks);
}

/* ---- reaching ---- */

struct pending {
    const char *base;
    size_t bytes;
};

struct reach {
    struct mem_marks *marks;
    struct pending *list;
    size_t count, room;
    bool failed;
};

/* The block of raw memory that ADDRESS lies in; *RET_BYTES 0: none. */
static const char *block_around(const struct span *span, const char *address, size_t *ret_bytes)
{
    size_t offset = (size_t)(address - span->base);

    *ret_bytes = 0;
    if (span->kind == SPAN_LARGE) {
        *ret_bytes = (size_t)span->pages << MEM_PAGE_SHIFT;
        return span->base;
    }
    if (span->kind == SPAN_PACK) {
        if (offset / pack_bytes(span) < span->carved)
            *ret_bytes = pack_bytes(span);
        return span->base + offset / pack_bytes(span) * pack_bytes(span);
    }
    if (span->kind != SPAN_MIXED)
        return NULL;
    for (size_t unit = offset / MEM_ALIGN + 1; unit-- > 0;) {
        const char *start = span->base + unit * MEM_ALIGN;
        unsigned class = mixed_class_of(span->region, start);
        if (class == MEM_CLASSES)
            continue;
        if (start + mem_class_bytes(class) > address)
            *ret_bytes = mem_class_bytes(class);
        return start;
    }
    return NULL;
}

static void reach_word(struct reach *reach, uintptr_t word)
{
    const struct span *span = map_find((const void *)word);
    size_t bytes;

    if (!span || !span->region || span->region == reach->marks->region)
        return;
    const char *block = block_around(span, (const char *)word, &bytes);
    if (bytes && span->region->debug) {
        /* the head, by which all of them are linked, is not what users hold */
        block = debug_block_data(block);
        bytes = block && (uintptr_t)block <= word ? mem_block_bytes(block) : 0;
    }
    if (!bytes || !mem_marks_add(reach->marks, block))
        return;
    if (reach->count == reach->room) {
        size_t room = reach->room ? 2 * reach->room : LIST_FIRST;
        struct pending *list = mem_resize(reach->marks->region, reach->list, room * sizeof *list);
        if (!list) {
            reach->failed = true;
            return;
        }
        reach->list = list;
        reach->room = room;
    }
    reach->list[reach->count++] = (struct pending){ block, bytes };
}

/* All words from FROM to END, which may be read. */
__attribute__((no_sanitize("address"))) static void reach_range(struct reach *reach,
                                                                const void *from, const void *end)
{
    const char *at = (const char *)mem_round_up((uintptr_t)from, sizeof(uintptr_t));

    for (; at + sizeof(uintptr_t) <= (const char *)end; at += sizeof(uintptr_t)) {
        uintptr_t word;
        word = *(const volatile uintptr_t *)at;
        reach_word(reach, word);
    }
}

static void reach_all(struct reach *reach)
{
    while (reach->count && !reach->failed) {
        struct pending next = reach->list[--reach->count];
        reach_range(reach, next.base, next.base + next.bytes);
    }
}

static int root_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct reach *reach = arg;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const char *base = (const char *)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) && (part->p_flags & PF_R))
            reach_range(reach, base, base + part->p_memsz);
        if (part->p_type == PT_TLS && info->dlpi_tls_data)
            reach_range(reach, info->dlpi_tls_data,
                        (const char *)info->dlpi_tls_data + part->p_memsz);
    }
    return 0;
}

static int root_last(void *arg, void *block, size_t bytes, bool busy)
{
    if (busy)
        reach_range(arg, block, (const char *)block + bytes);
    return 0;
}

/* The stack from FROM up to the end of its mapping, or to where memory of libmem's begins. */
static void root_stack(struct reach *reach, const char *from)
{
    const char *end = glue_mapping_end(from);

    for (const char *page = (const char *)mem_round_up((uintptr_t)from + 1, MEM_PAGE); page < end;
         page += MEM_PAGE)
        if (map_find(page))
            end = page;
    reach_range(reach, from, end);
}

bool mem_marks_reach(struct mem_marks *marks)
{
    struct reach reach = { .marks = marks };
    jmp_buf registers;

    (void)setjmp(registers);
    root_stack(&reach, (const char *)&registers);
    (void)dl_iterate_phdr(root_module, &reach);
    for (struct mem_region *region = mem_region_next(NULL); region; region = region->next)
        if (region->method == MEM_LAST)
            (void)mem_region_walk(region, root_last, &reach);
    reach_all(&reach);
    mem_free(reach.list);
    return !reach.failed;
}
