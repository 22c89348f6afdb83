/*
 * site_word.c: the words in which site.c keeps who got a block, four bytes for each where they
 * differ.
 *
 * A pack becomes SITED when blocks are taken from it while sites are followed: it gets a record
 * with its bits and what belongs to them. As long as all its blocks have one word, as most packs
 * of a big array do, that stands there once; with a second one each gets its own, in a second
 * record (`spread`), until none of them lives. The words of the mixed pack lie in a record of their
 * own, those of large and guarded blocks in their spans. Records are cut from chunks and used again
 * for those of the same size; the chunks go back when sites are no longer followed. What a word
 * says is site.c's alone. All of it runs under the library's lock.
 */
#include "libmem/site_word.h"

enum { LINE = 64, LINES_MAX = MEM_PACK_BLOCKS_MAX * sizeof(uint32_t) / LINE };

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

static void record_drop(void *record, size_t lines)
{
    memcpy(record, &spare[lines], sizeof spare[lines]);
    spare[lines] = record;
}

static size_t word_lines(const struct span *pack)
{
    return (pack->capacity * sizeof(uint32_t) + LINE - 1) / LINE;
}

static size_t pack_lines(const struct span *pack)
{
    size_t bytes = sizeof(struct pack_words) + 2 * pack_groups(pack) * sizeof(uint64_t);

    return (bytes + LINE - 1) / LINE;
}

bool words_give(struct span *pack, uint32_t word)
{
    struct pack_words *words = (void *)record_new(pack_lines(pack));

    if (!words)
        return false;
    pack_bits_move(pack, (uint64_t *)(void *)(words + 1));
    words->counted = pack->bits + pack_groups(pack);
    memcpy(words->counted, pack->bits, pack_groups(pack) * sizeof(uint64_t));
    words->word = word;
    pack->sited = true;
    return true;
}

void words_forget(struct span *pack)
{
    struct pack_words *words = pack_words(pack);

    if (words->words)
        record_drop(words->words, word_lines(pack));
    words->words = NULL;
    words->word = 0;
}

void words_take(struct span *pack)
{
    words_forget(pack);
    pack->sited = false;
    record_drop(pack_words(pack), pack_lines(pack));
}

/* Each block of PACK gets a word of its own; false: no memory. */
static bool words_spread(struct span *pack)
{
    struct pack_words *words = pack_words(pack);

    words->words = (void *)record_new(word_lines(pack));
    for (size_t i = 0; words->words && i < pack->capacity; i++)
        words->words[i] = words->word;
    return words->words;
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
        if (region->followed && region->method != MEM_LAST)
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

uint32_t pack_word_put(struct span *pack, size_t index, uint32_t word)
{
    struct pack_words *words = pack_words(pack);

    if (!words->words) {
        if (!words->word)
            words->word = word;
        if (words->word == word || !words_spread(pack))
            return words->word;
    }
    return words->words[index] = word;
}

static size_t index_of(const struct span *pack, const void *block)
{
    return pack_index(pack, &pack->region->classes[pack->class_index], block);
}

static size_t unit_of(const struct span *span, const void *block)
{
    return (size_t)((const char *)block - span->base) / MEM_ALIGN;
}

uint32_t word_get(const struct span *span, const void *block)
{
    switch (span->kind) {
    case SPAN_PACK:
        return span->sited ? pack_word(span, index_of(span, block)) : 0;
    case SPAN_MIXED: {
        const uint32_t *words = span->region->mixed->words;
        return words ? words[unit_of(span, block)] : 0;
    }
    case SPAN_LARGE:
    case SPAN_GUARD:
        return span->site_word;
    default:
        return 0;
    }
}

uint32_t word_put(struct span *span, const void *block, uint32_t word)
{
    struct mixed_pack *mixed;

    switch (span->kind) {
    case SPAN_PACK:
        return span->sited ? pack_word_put(span, index_of(span, block), word) : 0;
    case SPAN_MIXED:
        mixed = span->region->mixed;
        if (!mixed->words)
            mixed->words = meta_alloc(MEM_MIXED_UNITS * sizeof(uint32_t));
        return mixed->words ? mixed->words[unit_of(span, block)] = word : 0;
    case SPAN_LARGE:
    case SPAN_GUARD:
        return span->site_word = word;
    default:
        return 0;
    }
}
