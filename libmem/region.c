/*
 * region.c: the public calls on regions and blocks, and the registry of regions.
 *
 * A region's struct ends where its method needs no more of it, is kept for reuse when the region is
 * closed, and is never unmapped. The registry is a list in the order of opening; it begins with the
 * `malloc` region. A call dispatches on the method; small blocks of a `best` region take the
 * inlined paths of internal.h. Freeing looks up the span of the block in the page map, so it needs
 * no region.
 */
#include "libmem/internal.h"

MEM_WARM struct mem_region *mem_regions = NULL;

static MEM_WARM struct mem_region *region_spare[MEM_POOL + 1] = { NULL };

/* ---- open and close ---- */

static size_t region_struct_bytes(enum mem_method method)
{
    if (method == MEM_LAST)
        return offsetof(struct mem_region, growing);
    return sizeof(struct mem_region) +
           (method == MEM_BEST ? MEM_CLASSES : 1) * sizeof(struct size_class);
}

/* How far the fast path of allocation reaches. */
void region_limit_set(struct mem_region *region)
{
    bool shared = region->heap == HEAP_SHARED, plain = !region->debug && !region->hooks;
    unsigned look = (region->debug ? LOOK_DEBUG : 0) | (region->hooks ? LOOK_HOOKS : 0);
    size_t limit = 0;

    if (region->method == MEM_BEST)
        limit = MEM_SMALL_MAX;
    else if (region->method == MEM_POOL)
        limit = region->classes[0].bytes;
    __atomic_store_n(&region->small_limit, plain && !shared ? limit : 0, __ATOMIC_RELAXED);
    region->site_limit = !region->debug && region->hooks == HOOK_SITES && !shared &&
                                 mem_sites_state() == MEM_SITES_ON
                             ? limit
                             : 0;
    __atomic_store_n(&region->look, (uint8_t)look, __ATOMIC_RELAXED);
    site_region_set(region);
}

static void region_init_classes(struct mem_region *region, size_t pool_bytes)
{
    if (region->method == MEM_BEST)
        region->class_mask = MEM_SMALL_CLASSES - 1;
    if (region->method == MEM_POOL && pool_bytes)
        pool_set_bytes(region, pool_bytes);
    else
        region_limit_set(region);
}

void region_init(struct mem_region *region, const char *name, enum mem_method method,
                 size_t pool_bytes)
{
    region->hooks = (uint8_t)mem_settings.hooks;
    region->debug = method == MEM_METHOD_DEBUG || (method == MEM_BEST && mem_settings.debug_method);
    region->method = region->debug ? MEM_BEST : method;
    region->open = true;
    region->slice_bytes = region->method == MEM_BEST ? 0 : MEM_SLICE_FIRST;
    trace_region_begins(region);
    if (region->debug)
        hooks_debug_region();
    for (size_t i = 0; i < MEM_NAME_BYTES - 1 && name[i]; i++)
        region->name[i] = name[i];
    region_init_classes(region, pool_bytes);
    if (!mem_regions) {
        mem_regions = region->prev = region;
        return;
    }
    /* The first one's prev is the last one. */
    region->prev = mem_regions->prev;
    mem_regions->prev->next = region;
    mem_regions->prev = region;
}

struct mem_region *mem_region_open(const char *name, enum mem_method method, size_t pool_bytes)
{
    if (method > MEM_METHOD_DEBUG || pool_bytes > UINT32_MAX / 2) {
        errno = EINVAL;
        return NULL;
    }
    (void)mem_region_malloc(); /* first in the registry; reads the options */
    mem_lock();
    enum mem_method shape = method == MEM_METHOD_DEBUG ? MEM_BEST : method;
    struct mem_region *region = region_spare[shape];
    if (region) {
        struct mixed_pack *mixed = shape == MEM_BEST ? region->mixed : NULL;
        region_spare[shape] = region->next;
        memset(region, 0, region_struct_bytes(shape));
        if (mixed)
            region->mixed = mixed;
    } else {
        region = meta_alloc(region_struct_bytes(shape));
    }
    if (region)
        region_init(region, name, method, pool_bytes);
    mem_unlock();
    if (!region)
        errno = ENOMEM;
    return region;
}

void mem_region_start_small(struct mem_region *region)
{
    if (region->method == MEM_BEST && !region->debug && region != mem_region_malloc())
        region->slice_bytes = MEM_SLICE_PACKS;
}

static void segment_drop_spans(struct segment *segment)
{
    struct span *span = segment_next_span(segment, NULL);

    while (span) {
        struct span *next = segment_next_span(segment, span);
        if (span->kind == SPAN_PACK)
            pack_forget(span);
        else if (span->quick)
            map_tag(span, false);
        span_drop(span);
        span = next;
    }
}

/* Gives back every segment but KEPT (NULL: all). */
static void region_drop_segments(struct mem_region *region, struct segment *kept)
{
    for (struct segment *segment = region->segments, *next; segment; segment = next) {
        next = segment->next;
        segment_drop_spans(segment);
        if (segment != kept)
            segment_drop(segment);
    }
}

static int trace_visit(void *arg, void *block, size_t bytes, bool busy)
{
    if (busy)
        trace_event(arg, block, NULL, bytes, 0);
    return 0;
}

/* All blocks of REGION are about to die without a call of free. */
static void region_blocks_die(struct mem_region *region)
{
    if (MEM_UNLIKELY(mem_settings.hooks & HOOK_TRACE))
        (void)mem_region_walk(region, trace_visit, region);
    if (sites_followed(region))
        site_region_dies(region);
    if (region->debug)
        debug_region_forget(region);
}

void mem_region_close(struct mem_region *region)
{
    if (!region || region == mem_region_malloc())
        return;
    MEM_ASSERT(region->open);
    mem_lock();
    region_blocks_die(region);
    region_drop_segments(region, NULL);
    if (region->method == MEM_BEST && region->mixed)
        mixed_clear(region->mixed);
    region->open = false;
    if (region->next)
        region->next->prev = region->prev;
    else
        mem_regions->prev = region->prev;
    region->prev->next = region->next; /* never the first one, which is `malloc` */
    region->next = region_spare[region->method];
    region_spare[region->method] = region;
    mem_unlock();
}

/* A mixed pack is forgotten with its span; its record is used again. */
static void region_forget_blocks(struct mem_region *region)
{
    struct mixed_pack *mixed = region->mixed;

    if (mixed)
        mixed_clear(mixed);
    for (unsigned i = 0; i < (region->method == MEM_BEST ? MEM_CLASSES : 1u); i++)
        if (region->classes[i].bytes)
            pack_class_init(&region->classes[i], region->classes[i].bytes);
    region->free_pages_bytes = region->dirty_bytes = region->dirty_low = 0;
    region->given_bytes = region->lazy_bytes = region->given_count = 0;
    memset(region->bins, 0, sizeof region->bins);
    memset(region->bin_bits, 0, sizeof region->bin_bits);
    region->growing = NULL;
    region->large_bytes = region->large_count = 0;
    region->carved_bytes = region->carved_count = 0;
    region->rest_count = region->free_span_count = region->pack_count = 0;
}

void mem_region_clear(struct mem_region *region)
{
    if (region == mem_region_malloc())
        return; /* the C library and others live there */
    mem_lock();
    struct segment *kept = region->segments;
    if (region->method == MEM_LAST) {
        mem_region_reset(region, (struct mem_mark){ 0 });
        for (struct segment *next; kept && kept->next;) {
            next = kept->next;
            span_drop(next->span);
            segment_drop(next);
        }
        mem_unlock();
        return;
    }
    region_blocks_die(region);
    if (kept && !kept->lent && region->given_count) {
        (void)glue_open(kept->base, kept->bytes);      /* parts of it may be closed ... */
        give_huge(region, kept->base, kept->bytes, 0); /* ... and have lost the advice */
    }
    region_drop_segments(region, kept);
    region_forget_blocks(region);
    uint64_t busy = region->alloc_count - region->freed_count;
    region->freed_count += busy;
    region->dropped_count += busy;
    region->busy_bytes = 0;
    if (kept) {
        kept->solo = false;
        MEM_POISON(kept->base, (size_t)(kept->high - kept->base));
        large_add(kept);
        region->growing = kept->lent ? NULL : kept;
    }
    mem_unlock();
}

/* ---- the registry ---- */

struct mem_region *mem_region_next(struct mem_region *region)
{
    (void)mem_region_malloc();
    return region ? region->next : mem_regions;
}

const char *mem_region_name(const struct mem_region *region)
{
    return region->name;
}

struct mem_region *mem_region_find(const char *name)
{
    for (struct mem_region *region = mem_region_next(NULL); region; region = region->next)
        if (strcmp(region->name, name) == 0)
            return region;
    return NULL;
}

const char *mem_method_name(enum mem_method method)
{
    static const char *const names[] = { "best", "last", "pool", "debug" };

    return method <= MEM_METHOD_DEBUG ? names[method] : "?";
}

struct mem_region *mem_region_of(const void *address)
{
    const struct span *span = map_find(address);

    return span ? span->region : NULL;
}

/* ---- hooks ---- */

void region_adopt(struct mem_region *region)
{
    mem_lock();
    region->hooks = (uint8_t)mem_settings.hooks;
    region_limit_set(region);
    bool quick = !region->debug && !region->hooks && region->heap != HEAP_SHARED;
    for (struct segment *segment = region->method == MEM_LAST ? NULL : region->segments; segment;
         segment = segment->next)
        for (struct span *span = segment_next_span(segment, NULL); span;
             span = segment_next_span(segment, span))
            if (span->kind == SPAN_PACK || span->kind == SPAN_MIXED)
                map_tag(span, quick);
    mem_unlock();
}

static void region_stale(struct mem_region *region)
{
    __atomic_store_n(&region->look, (uint8_t)(region->look | LOOK_STALE), __ATOMIC_RELAXED);
    __atomic_store_n(&region->small_limit, 0, __ATOMIC_RELAXED);
    if (region->method == MEM_LAST)
        site_last_stale(region);
}

void region_hooks_changed(void)
{
    for (struct mem_region *region = mem_regions; region; region = region->next) {
        unsigned heap = __atomic_load_n(&region->heap, __ATOMIC_RELAXED);
        if (!glue_threaded() || heap == HEAP_SHARED || heap == HEAP_WAITING)
            region_adopt(region);
        else
            region_stale(region);
    }
}

/* ---- blocks ---- */

static size_t failed_bytes;

size_t mem_failed_take(void)
{
    size_t bytes = failed_bytes;

    failed_bytes = 0;
    return bytes;
}

/* There is no memory for BYTES. */
static void *alloc_failed(size_t bytes)
{
    failed_bytes = bytes;
    errno = ENOMEM;
    return NULL;
}

#define CALLER __builtin_return_address(0)

void *plain_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed)
{
    void *block = NULL;

    switch (region->method) {
    case MEM_LAST:
        block = last_alloc(region, bytes, align);
        break;
    case MEM_POOL:
        block = pool_alloc(region, bytes, align);
        if (!block && errno == EINVAL)
            return NULL;
        break;
    default:
        block = align > MEM_ALIGN ? best_align(region, bytes, align)
                                  : best_alloc(region, bytes, zeroed);
    }
    if (!block)
        return alloc_failed(bytes);
    if (zeroed && region->method != MEM_BEST)
        memset(block, 0, bytes);
    return block;
}

void *region_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed,
                   unsigned kind, const void *caller)
{
    if (region->method == MEM_LAST &&
        MEM_LIKELY(MEM_PEEK(mem_site) == MEM_PEEK(region->site_key) && !zeroed)) {
        void *block = last_alloc(region, bytes, align);
        return block ? block : alloc_failed(bytes);
    }
    if (MEM_LIKELY(!region_look(region)))
        return plain_alloc(region, bytes, align, zeroed);
    if (region_look(region) & LOOK_STALE)
        region_adopt(region);
    if (region->hooks == HOOK_SITES && !region->debug)
        return site_alloc(region, bytes, align, zeroed, kind);
    if (region->hooks == HOOK_TRACE && !region->debug)
        return hook_traced_alloc(region, bytes, align, zeroed);
    if (region_look(region))
        return hook_alloc(region, bytes, align, zeroed, kind, caller);
    return plain_alloc(region, bytes, align, zeroed);
}

/* What mem_alloc does when the head of CLASS is empty. */
static __attribute__((noinline)) void *alloc_refill(struct mem_region *region, size_t bytes,
                                                    struct size_class *class)
{
    void *block = class_take(region, class);

    return block ? block : alloc_failed(bytes);
}

void *mem_alloc(struct mem_region *region, size_t bytes)
{
    if (MEM_LIKELY(bytes - 1 < MEM_PEEK(region->small_limit))) {
        struct size_class *class = class_small(region, bytes);
        void *block = class->head;
        if (MEM_UNLIKELY(!block))
            return alloc_refill(region, bytes, class);
        return class_take_head(region, class, block);
    }
    if (bytes - 1 < region->site_limit)
        return site_take(region, bytes, 0);
    return region_alloc(region, bytes, MEM_ALIGN, false, 0, CALLER);
}

void *mem_alloc_kind(struct mem_region *region, size_t bytes, unsigned kind)
{
    if (MEM_LIKELY(bytes - 1 < MEM_PEEK(region->small_limit))) {
        struct size_class *class = class_small(region, bytes);
        void *block = class->head;
        if (MEM_UNLIKELY(!block))
            return alloc_refill(region, bytes, class);
        return class_take_head(region, class, block);
    }
    if (bytes - 1 < region->site_limit)
        return site_take(region, bytes, kind);
    return region_alloc(region, bytes, MEM_ALIGN, false, kind, CALLER);
}

void *mem_alloc_zeroed(struct mem_region *region, size_t bytes)
{
    if (MEM_LIKELY(bytes - 1 < MEM_PEEK(region->small_limit))) {
        void *block = mem_alloc(region, bytes);
        return block ? memset(block, 0, bytes) : NULL;
    }
    return region_alloc(region, bytes, MEM_ALIGN, true, 0, CALLER);
}

void *mem_alloc_zeroed_kind(struct mem_region *region, size_t bytes, unsigned kind)
{
    if (MEM_LIKELY(bytes - 1 < MEM_PEEK(region->small_limit))) {
        void *block = mem_alloc(region, bytes);
        return block ? memset(block, 0, bytes) : NULL;
    }
    return region_alloc(region, bytes, MEM_ALIGN, true, kind, CALLER);
}

void *mem_align(struct mem_region *region, size_t bytes, size_t align)
{
    if (!align) {
        errno = EINVAL;
        return NULL;
    }
    unsigned twos = (unsigned)__builtin_ctzl(align);
    if (twos < 4 && align > 1u << twos) { /* its least common multiple with MEM_ALIGN */
        if (__builtin_mul_overflow(align, (size_t)MEM_ALIGN >> twos, &align))
            return alloc_failed(bytes);
    }
    return region_alloc(region, bytes, align, false, 0, CALLER);
}

void *plain_resize(struct mem_region *region, void *block, size_t bytes, bool keep)
{
    void *moved = NULL;

    region->resize_count++;
    switch (region->method) {
    case MEM_LAST:
        moved = last_resize(region, block, bytes);
        break;
    case MEM_POOL:
        if (bytes <= region->classes[0].bytes)
            return block;
        errno = EINVAL;
        return NULL;
    default:
        moved = best_resize(region, block, bytes, keep);
    }
    if (!moved && mem_region_of(block) == region && block_bytes(map_find(block), block))
        alloc_failed(bytes);
    return moved;
}

void *region_resize(struct mem_region *region, void *block, size_t bytes, bool keep, unsigned kind,
                    const void *caller)
{
    if (MEM_LIKELY(!region_look(region)))
        return plain_resize(region, block, bytes, keep);
    if (region_look(region) & LOOK_STALE)
        region_adopt(region);
    if (region->hooks == HOOK_SITES && !region->debug)
        return site_resize(region, block, bytes, keep, kind);
    if (region_look(region))
        return hook_resize(region, block, bytes, keep, kind, caller);
    return plain_resize(region, block, bytes, keep);
}

void *mem_resize(struct mem_region *region, void *block, size_t bytes)
{
    if (!block)
        return region_alloc(region, bytes, MEM_ALIGN, false, 0, CALLER);
    return region_resize(region, block, bytes, false, 0, CALLER);
}

void *mem_resize_kind(struct mem_region *region, void *block, size_t bytes, unsigned kind)
{
    if (!block)
        return region_alloc(region, bytes, MEM_ALIGN, false, kind, CALLER);
    return region_resize(region, block, bytes, false, kind, CALLER);
}

bool plain_resize_in_place(struct span *span, void *block, size_t bytes)
{
    struct mem_region *region = span->region;

    if (!block_bytes(span, block))
        return false;
    region->resize_count++;
    if (region->method == MEM_BEST)
        return best_resize_in_place(span, block, bytes);
    if (region->method == MEM_LAST)
        return last_resize_in_place(region, block, bytes);
    return bytes <= pack_bytes(span);
}

bool mem_resize_in_place(void *block, size_t bytes)
{
    struct span *span = map_find(block);

    if (!span || !span->region)
        return false;
    if (region_look(span->region) & LOOK_STALE)
        region_adopt(span->region);
    if (MEM_UNLIKELY(region_look(span->region)))
        return hook_resize_in_place(span->region, block, bytes);
    return plain_resize_in_place(span, block, bytes);
}

/* What the fast path left: no block of a pack, hooked, or wrong. */
static void free_other(struct span *span, void *block)
{
    size_t class = MEM_CLASSES;

    switch (span ? span->kind : SPAN_NONE) {
    case SPAN_LARGE:
        if (block == span->base) {
            large_free(span);
            return;
        }
        break;
    case SPAN_LAST:
        last_free(span->region, block);
        return;
    case SPAN_MIXED:
        class = mixed_class_of(span->region, block);
        break;
    case SPAN_PACK:
        if (block_bytes(span, block))
            class = span->class_index;
        break;
    case SPAN_FREE:
        break;
    default:
        stats_say_free_error(block, "outside region");
        return;
    }
    if (class < MEM_CLASSES && span->region->classes[class].head != block)
        class_give(span->region, &span->region->classes[class], block);
    else
        stats_say_free_error(block, "not currently allocated");
}

void plain_free(void *block)
{
    struct span *span = map_find(block);

    if (span && span->region && sites_followed(span->region))
        site_chain_mixed(span, block);
    if (!entry_give(map_entry(block), block))
        free_other(span, block);
}

void region_free(void *block, const void *caller)
{
    struct span *span = map_find(block);
    struct mem_region *region = span ? span->region : NULL;
    bool debug = region ? region->debug : mem_settings.debug_method;
    unsigned hooks = region ? region->hooks : hooks_wanted();

    if (hooks == HOOK_SITES && !debug)
        site_free(span, block);
    else if (MEM_UNLIKELY(hooks || debug))
        hook_free(block, caller);
    else
        free_other(span, block);
}

/* What is no block of a quick pack, or wrong; ENTRY is its page's. */
static __attribute__((noinline)) void free_slow(uintptr_t entry, void *block, const void *caller)
{
    if (hooks_wanted() == HOOK_TRACE)
        hook_traced_free(entry, block, caller);
    else if (!entry_give(entry, block) && block)
        region_free(block, caller);
}

void mem_free(void *block)
{
    uintptr_t entry = map_entry(block);
    size_t index = (entry >> MEM_TAG_SHIFT & MEM_TAG_CLASS) - 1;

    if (MEM_LIKELY(index < MEM_CLASSES && (uintptr_t)block % MEM_ALIGN == 0)) {
        if (MEM_LIKELY(quick_give(entry_span(entry)->region, index, entry, block)))
            return;
    } else if (entry_is_sited(entry)) {
        site_free_tagged(entry, block);
        return;
    }
    free_slow(entry, block, CALLER);
}

void mem_free_sized(struct mem_region *region, void *block, size_t bytes)
{
    if (MEM_LIKELY(block && bytes - 1 < MEM_PEEK(region->small_limit))) {
        struct size_class *class = class_small(region, bytes);
#if MEM_DEBUG >= 1
        struct span *span = map_find(block);
        MEM_ASSERT(span && span->region == region && block_bytes(span, block) == class->bytes);
#endif
        if (MEM_LIKELY(class->room > 0)) {
            if (MEM_LIKELY(class->head != block)) {
                class_give(region, class, block);
                return;
            }
        } else {
            uintptr_t entry = map_entry(block);
            size_t index = (size_t)(class - region->classes);
            if (MEM_LIKELY((entry >> MEM_TAG_SHIFT & MEM_TAG_CLASS) == index + 1) &&
                quick_give(region, index, entry, block))
                return;
        }
    }
    uintptr_t entry = map_entry(block);
    if (entry_is_sited(entry))
        site_free_tagged(entry, block);
    else
        free_slow(entry, block, CALLER);
}

size_t block_bytes(const struct span *span, const void *block)
{
    size_t offset = (size_t)((const char *)block - span->base);
    const struct size_class *class;
    unsigned index;

    switch (span->kind) {
    case SPAN_PACK:
        class = &span->region->classes[span->class_index];
        index = (unsigned)pack_index(span, class, block);
        if ((size_t)index * class->bytes != offset ||
            index >= __atomic_load_n(&span->carved, __ATOMIC_RELAXED))
            return 0;
        return class->bytes;
    case SPAN_MIXED:
        index = mixed_class_of(span->region, block);
        return index < MEM_CLASSES ? mem_class_bytes(index) : 0;
    case SPAN_LARGE:
        return offset ? 0 : (size_t)span->pages << MEM_PAGE_SHIFT;
    case SPAN_LAST:
        return last_block_bytes(block);
    default:
        return 0;
    }
}

size_t mem_block_bytes(const void *block)
{
    const struct span *span = map_find(block);

    if (!span || !span->region)
        return 0;
    return MEM_UNLIKELY(span->region->debug) ? debug_block_bytes(span, block)
                                             : block_bytes(span, block);
}

size_t mem_good_bytes(size_t bytes)
{
    if (bytes > MEM_BYTES_MAX || mem_settings.debug_method)
        return bytes;
    if (bytes > MEM_CLASS_MAX)
        return mem_pages(bytes) << MEM_PAGE_SHIFT;
    return mem_class_bytes(mem_class_of(bytes ? bytes : 1));
}
