/*
 * site_word.c: the words in which site.c keeps who got a block, four bytes for each.
 *
 * A SITED pack has a record with a word for each of its blocks, in front of its bits, which are in
 * the same record. A pack becomes sited when blocks are taken from it while sites are followed; the
 * words of the mixed pack lie in a record of their own, those of large and guarded blocks in their
 * spans. Records are cut from chunks and used again for packs of the same size; the chunks go back
 * when sites are no longer followed. What a word says is site.c's alone. All of it runs under the
 * library's lock.
 */
#include "libmem/site_word.h"

enum {
    LINE = 64,
    WORD_LINES_MAX = MEM_PACK_BLOCKS_MAX * sizeof(uint32_t) / LINE,
    LINES_MAX = WORD_LINES_MAX + (MEM_PACK_BLOCKS_MAX / 8 + sizeof(struct pack_words)) / LINE + 1,
};

#define CHUNK_BYTES ((size_t)2 << 20)

static char *spare[LINES_MAX + 1]; /* records by size, linked by their first bytes */
static struct chunk {
    struct chunk *next;
} * chunks;               /* the newest is being cut */
static size_t chunk_left; /* of its lines */
static bool records_held; /* beyond words_clear */

/* From the second one on in a huge page: the heap is big. */
static struct chunk *chunk_new(void)
{
    bool huge = chunks && mem_settings.huge != MEM_HUGE_OFF;
    char *base = glue_map_sparse(huge ? 2 * CHUNK_BYTES : CHUNK_BYTES);

    if (!base || !huge)
        return (struct chunk *)(void *)base;
    size_t skip = -(uintptr_t)base & (CHUNK_BYTES - 1);
    if (skip)
        glue_unmap(base, skip);
    if (skip != CHUNK_BYTES)
        glue_unmap(base + skip + CHUNK_BYTES, CHUNK_BYTES - skip);
    glue_advise(base + skip, CHUNK_BYTES, MADV_HUGEPAGE);
    return (struct chunk *)(void *)(base + skip);
}

/* A record of zeros. */
static char *record_new(size_t lines)
{
    char *record = spare[lines];

    if (record) {
        spare[lines] = chain_next(record);
        return memset(record, 0, lines * LINE);
    }
    if (chunk_left < lines) {
        struct chunk *chunk = chunk_new();
        if (!chunk)
            return NULL;
        chunk->next = chunks;
        chunks = chunk;
        chunk_left = CHUNK_BYTES / LINE - 1;
    }
    chunk_left -= lines;
    return (char *)chunks + CHUNK_BYTES - (chunk_left + lines) * LINE;
}

static size_t word_lines(size_t capacity)
{
    return (capacity * sizeof(uint32_t) + LINE - 1) / LINE;
}

bool words_give(struct span *pack, uint32_t word)
{
    size_t first = word_lines(pack->capacity), bits = mem_round_up((pack->capacity + 7u) / 8, LINE);
    size_t lines = first + (sizeof(struct pack_words) + bits + LINE - 1) / LINE;
    char *record = record_new(lines);

    if (!record)
        return false;
    struct pack_words *words = (struct pack_words *)(void *)(record + first * LINE);
    words->line_count = lines;
    pack_bits_move(pack, (uint64_t *)(void *)(words + 1));
    pack->sited = true;
    for (size_t i = 0; i < pack->carved; i++)
        *pack_word(pack, i) = pack->bits[i / 64] >> i % 64 & 1 ? 0 : word;
    return true;
}

void words_take(struct span *pack)
{
    struct pack_words *words = pack_words(pack);
    size_t lines = words->line_count;
    char *record = (char *)words - word_lines(pack->capacity) * LINE;

    pack->sited = false;
    memcpy(record, &spare[lines], sizeof spare[lines]);
    spare[lines] = record;
}

static void region_words_clear(struct mem_region *region)
{
    if (region->mixed && region->mixed->words)
        memset(region->mixed->words, 0, MEM_MIXED_UNITS * sizeof(uint32_t));
    for (struct segment *segment = region->segments; segment; segment = segment->next)
        for (struct span *span = segment_next_span(segment, NULL); span;
             span = segment_next_span(segment, span)) {
            if (span->kind == SPAN_LARGE)
                span->site_word = 0;
            if (span->kind != SPAN_PACK || !span->sited)
                continue;
            uint64_t *bits = pack_bits_new(span->capacity);
            if (bits)
                pack_bits_move(span, bits);
            else
                records_held = true; /* one of them, for its bits */
            span->sited = false;
        }
}

void words_clear(void)
{
    for (struct mem_region *region = mem_regions; region; region = region->next)
        if (region->method != MEM_LAST)
            region_words_clear(region);
    if (records_held)
        return;
    memset(spare, 0, sizeof spare);
    chunk_left = 0;
    while (chunks) {
        struct chunk *next = chunks->next;
        glue_unmap(chunks, CHUNK_BYTES);
        chunks = next;
    }
}

uint32_t *word_find(struct span *span, const void *block, bool make)
{
    struct mixed_pack *mixed;

    switch (span->kind) {
    case SPAN_PACK:
        return span->sited
                   ? pack_word(span,
                               pack_index(span, &span->region->classes[span->class_index], block))
                   : NULL;
    case SPAN_MIXED:
        mixed = span->region->mixed;
        if (make && !mixed->words)
            mixed->words = meta_alloc(MEM_MIXED_UNITS * sizeof(uint32_t));
        return mixed->words ? &mixed->words[(size_t)((const char *)block - span->base) / MEM_ALIGN]
                            : NULL;
    case SPAN_LARGE:
    case SPAN_GUARD:
        return &span->site_word;
    default:
        return NULL;
    }
}
