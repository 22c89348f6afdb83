/*
 * malloc.c: the `malloc` region, a heap for each thread and, where MEM_FRONT is set, the C
 * library's allocation calls on them.
 *
 * The `malloc` region is static: its first use, perhaps by the dynamic linker before main, reads
 * the options and needs nothing that could allocate. It also lends the slices in which small
 * regions begin, and is never closed or cleared. It is the heap of the first thread; every other
 * one gets a region of its own, up to `arenas` of them, and then one that all the rest share under
 * the lock. Only its owner takes blocks from a heap. A block freed by another thread waits in the
 * `outbox` of that one, which is pushed on the heap's `remote` list, without a lock, when some have
 * come together; the owner takes the list when a class of it is empty. The heap of a thread that
 * ended waits for the next thread. After a fork the heaps of threads that are gone may be caught in
 * the middle of a change: they are never used again, only pushed to. A block of a region that is no
 * heap may be freed or resized through the front by its owner.
 */
#include "libmem/internal.h"

static _Alignas(64) union {
    struct mem_region region;
    char room[sizeof(struct mem_region) + MEM_CLASSES * sizeof(struct size_class)];
} storage;

static inline void heap_set(struct mem_region *region, enum heap_state state)
{
    __atomic_store_n(&region->heap, (uint8_t)state, __ATOMIC_RELAXED);
}

struct mem_region *mem_region_malloc(void)
{
    static MEM_WARM bool ready = false;
    struct mem_region *region = &storage.region;

    if (MEM_UNLIKELY(!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))) {
        mem_lock();
        if (!ready && !region->open) { /* open: this call came from within */
            mem_settings_init();
            region_init(region, "malloc", MEM_BEST, 0);
            heap_set(region, HEAP_OWNED);
            region->heap_tag = MEM_TAG_HEAP;
            __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
        }
        mem_unlock();
    }
    return region;
}

/* ---- remote frees ---- */

/* What a block on its way holds: the next one, and one that is a few further on, to be fetched
 * from the other processor's cache meanwhile; NULL: none. */
struct remote_link {
    void *next, *ahead;
};
_Static_assert(sizeof(struct remote_link) <= MEM_ALIGN, "every block has room for it");

static void link_set(void *block, void *next, void *ahead)
{
    struct remote_link link = { next, ahead };

    MEM_OPEN(block, sizeof link);
    memcpy(block, &link, sizeof link);
}

/* Pushes a chain from FIRST to LAST. */
static void remote_push(struct mem_region *region, void *first, void *last)
{
    void *head = __atomic_load_n(&region->remote, __ATOMIC_RELAXED);

    do
        chain_set(last, head);
    while (!__atomic_compare_exchange_n(&region->remote, &head, first, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

void remote_give(struct mem_region *region, void *block)
{
    link_set(block, NULL, NULL);
    remote_push(region, block, block);
}

bool remote_take(struct mem_region *region)
{
    if (MEM_LIKELY(!__atomic_load_n(&region->remote, __ATOMIC_RELAXED)))
        return false;
    void *block = __atomic_exchange_n(&region->remote, NULL, __ATOMIC_ACQUIRE);
    while (block) {
        struct remote_link link;
        memcpy(&link, block, sizeof link);
        __builtin_prefetch(link.ahead);
        if (sites_followed(region))
            site_died(region, block, block_bytes(map_find(block), block));
        plain_free(block);
        block = link.next;
    }
    return true;
}

#if MEM_FRONT

#include <malloc.h>
#include <stdlib.h>

#pragma GCC visibility push(default)
#define CALLER __builtin_return_address(0)
/* Of the two calls that are a few cache lines each: one more costs 6 % of their time. */
#define AT_LINE __attribute__((aligned(64)))

/* A thread without a heap: its small_limit 0 and its tag send it to the slow paths. */
static struct mem_region heap_none = { .heap_tag = MEM_TAG_NOBODY };
static __thread struct mem_region *heap_mine __attribute__((tls_model("initial-exec"))) =
    &heap_none;
enum { OUTBOX_MAX = 16, OUTBOX_AHEAD = 4 };
/* Blocks of one heap that a thread with a heap of its own has freed. They are touched only when
 * they are sent, all at once: each lies in another processor's cache, perhaps. */
static __thread struct outbox {
    struct mem_region *region;
    unsigned count;
    void *blocks[OUTBOX_MAX];
} outbox __attribute__((tls_model("initial-exec")));

static struct mem_region *heap_shared; /* of the threads beyond the last arena */
static unsigned heap_count = 1;
static pthread_key_t heap_key;
static bool heap_key_made;

/* Other threads look at it when they free a block. */
static inline enum heap_state heap_state(const struct mem_region *region)
{
    return (enum heap_state)__atomic_load_n(&region->heap, __ATOMIC_RELAXED);
}

/* A heap whose thread has ended takes at once what was pushed: perhaps there is no other one. */
static void remote_waits(struct mem_region *region)
{
    int saved = errno;

    if (MEM_LIKELY(heap_state(region) != HEAP_WAITING))
        return;
    mem_lock();
    if (heap_state(region) == HEAP_WAITING)
        (void)remote_take(region);
    mem_unlock();
    errno = saved;
}

static void outbox_send(void)
{
    unsigned count = outbox.count;

    if (!count)
        return;
    for (unsigned i = 0; i < count; i++)
        link_set(outbox.blocks[i], i + 1 < count ? outbox.blocks[i + 1] : NULL,
                 i + OUTBOX_AHEAD < count ? outbox.blocks[i + OUTBOX_AHEAD] : NULL);
    outbox.count = 0;
    remote_push(outbox.region, outbox.blocks[0], outbox.blocks[count - 1]);
    remote_waits(outbox.region);
}

/* BLOCK of another thread's heap goes there without the outbox. */
static void block_push(struct mem_region *region, void *block)
{
    remote_give(region, block);
    remote_waits(region);
}

/* A BLOCK of the heap REGION, not this thread's, is free. */
static __attribute__((noinline)) void outbox_add(struct mem_region *region, void *block)
{
    if (MEM_UNLIKELY(outbox.region != region)) {
        outbox_send();
        outbox.region = region;
    }
    outbox.blocks[outbox.count] = block;
    if (++outbox.count == OUTBOX_MAX)
        outbox_send();
}

void remote_settle(void)
{
    outbox_send();
    for (struct mem_region *region = mem_regions; region; region = region->next)
        if (region == heap_mine || heap_state(region) == HEAP_WAITING)
            (void)remote_take(region);
}

static void heap_leave(void *heap)
{
    struct mem_region *region = heap;

    outbox_send();
    mem_lock();
    if (region_look(region) & LOOK_STALE)
        region_adopt(region);
    (void)remote_take(region);
    give_left(region);
    heap_mine = &heap_none;
    heap_set(region, HEAP_WAITING);
    mem_unlock();
}

static MEM_WARM bool fork_threaded = false; /* there were other threads when a fork began */

static void heaps_before_fork(void)
{
    if (fork_threaded != glue_threaded())
        fork_threaded = !fork_threaded;
}

static void heaps_forked(void)
{
    if (!fork_threaded)
        return;
    for (struct mem_region *region = mem_regions; region; region = region->next)
        if (heap_state(region) == HEAP_OWNED && region != heap_mine)
            heap_set(region, HEAP_DEAD);
}

__attribute__((constructor)) static void heap_prepare(void)
{
    heap_key_made = pthread_key_create(&heap_key, heap_leave) == 0;
    (void)pthread_atfork(heaps_before_fork, NULL, heaps_forked);
}

static struct mem_region *heap_waiting(void)
{
    for (struct mem_region *region = mem_regions; region; region = region->next)
        if (heap_state(region) == HEAP_WAITING)
            return region;
    return NULL;
}

/* A heap for a thread that has none. Under the lock. */
static struct mem_region *heap_find(void)
{
    struct mem_region *region = heap_waiting();

    if (!region && heap_key_made && heap_count < mem_settings.arenas) {
        struct mem_line line = { .used = 0 };
        line_str(&line, "malloc.");
        line_dec(&line, heap_count);
        line.text[line.used] = '\0';
        region = mem_region_open(line.text, MEM_BEST, 0);
        if (region) {
            heap_count++;
            region->heap_tag =
                heap_count > MEM_TAG_HEAPS ? MEM_TAG_NOBODY : heap_count * MEM_TAG_HEAP;
        }
    }
    if (region) {
        heap_set(region, HEAP_OWNED);
        heap_mine = region;
        (void)pthread_setspecific(heap_key, region);
        return region;
    }
    if (!heap_shared) {
        heap_shared = mem_region_open("malloc.shared", MEM_BEST, 0);
        if (!heap_shared)
            return NULL;
        heap_set(heap_shared, HEAP_SHARED);
        region_limit_set(heap_shared);
    }
    return heap_shared;
}

/* The heap of this thread. Under the lock. */
static struct mem_region *heap_get(void)
{
    struct mem_region *region = heap_mine;

    if (region != &heap_none)
        return region;
    if (glue_first_thread() && heap_state(mem_region_malloc()) == HEAP_OWNED)
        return heap_mine = mem_region_malloc();
    return heap_find();
}

/* Blocks of REGION may be freed into it by this thread. */
static inline bool heap_is_mine(const struct mem_region *region)
{
    return region == heap_mine || !heap_state(region) || heap_state(region) == HEAP_SHARED;
}

static __attribute__((noinline)) void *front_alloc(size_t bytes, size_t align, bool zeroed,
                                                   const void *caller)
{
    struct mem_region *region = heap_mine;
    void *block = NULL;

    if (MEM_LIKELY(bytes - 1 < MEM_CLASS_MAX && align <= MEM_ALIGN &&
                   MEM_PEEK(region->small_limit))) {
        block = class_take(region, &region->classes[mem_class_of(bytes)]);
        return zeroed && block ? memset(block, 0, bytes) : block;
    }
    if (MEM_LIKELY(region != &heap_none && !region_look(region)))
        return plain_alloc(region, bytes, align, zeroed); /* locks where it must */
    (void)mem_region_malloc();
    mem_lock();
    region = heap_get();
    if (region)
        block = region_alloc(region, bytes, align, zeroed, 0, caller);
    else
        errno = ENOMEM;
    mem_unlock();
    return block;
}

/* As class_small, of a heap, which is no POOL. */
static inline struct size_class *heap_class(struct mem_region *region, size_t bytes)
{
    return &region->classes[(bytes - 1) / MEM_ALIGN];
}

AT_LINE void *malloc(size_t bytes)
{
    struct mem_region *region = heap_mine;

    if (MEM_LIKELY(bytes - 1 < MEM_PEEK(region->small_limit)))
        return class_take(region, heap_class(region, bytes));
    return front_alloc(bytes, MEM_ALIGN, false, CALLER);
}

__attribute__((visibility("hidden"))) void block_free(void *block)
{
    const struct span *span = map_find(block);

    if (span && span->region && !heap_is_mine(span->region) && block_bytes(span, block))
        block_push(span->region, block);
    else
        plain_free(block);
}

/* What is not a block of a quick pack of this thread. */
static __attribute__((noinline)) void front_free(void *block, const void *caller)
{
    uintptr_t tag = map_entry(block) >> MEM_TAG_SHIFT;
    struct span *span = map_find(block);
    struct mem_region *region = span ? span->region : NULL;
    int saved = errno;

    /* Of a quick pack of another heap. */
    if (tag >= MEM_TAG_HEAP && region != heap_mine && (uintptr_t)block % MEM_ALIGN == 0) {
        block_push(region, block);
        return;
    }

    if (MEM_LIKELY(region && heap_state(region) && !(region_look(region) & ~LOOK_STALE))) {
        if (region == heap_mine) {
            region_free(block, caller);
            errno = saved;
            return;
        }
        if (heap_state(region) != HEAP_SHARED && block_bytes(span, block)) {
            block_push(region, block);
            return;
        }
    }
    mem_lock();
    if (region && !heap_is_mine(region) && !region->hooks && !region->debug &&
        block_bytes(span, block))
        block_push(region, block); /* its owner has just left the hooks */
    else
        region_free(block, caller);
    mem_unlock();
    errno = saved;
}

AT_LINE void free(void *block)
{
    if (!block)
        return;
    struct mem_region *region = heap_mine;
    uintptr_t entry = map_entry(block);
    size_t index = (entry >> MEM_TAG_SHIFT ^ region->heap_tag) - 1;

    if (MEM_LIKELY((uintptr_t)block % MEM_ALIGN == 0)) {
        if (MEM_LIKELY(index < MEM_CLASSES)) {
            if (MEM_LIKELY(quick_give(region, index, entry, block)))
                return;
        } else if (index == MEM_TAG_MIXED - 1 && mixed_give(region, block)) {
            return;
        }
    }
    /* A tag with the number of another heap. */
    if (MEM_LIKELY(entry >> MEM_TAG_SHIFT >= MEM_TAG_HEAP && index >= MEM_TAG_MIXED &&
                   region != &heap_none && (uintptr_t)block % MEM_ALIGN == 0))
        outbox_add(entry_span(entry)->region, block);
    else
        front_free(block, CALLER);
}

void *calloc(size_t count, size_t bytes)
{
    struct mem_region *region = heap_mine;
    size_t all;

    if (MEM_UNLIKELY(__builtin_mul_overflow(count, bytes, &all))) {
        errno = ENOMEM;
        return NULL;
    }
    if (MEM_LIKELY(all - 1 < MEM_PEEK(region->small_limit))) {
        void *block = class_take(region, heap_class(region, all));
        return MEM_LIKELY(block) ? memset(block, 0, all) : NULL;
    }
    return front_alloc(all, MEM_ALIGN, true, CALLER);
}

/* A block of another thread's heap: a new one here takes its place. */
static void *realloc_moved(void *block, size_t bytes, const void *caller)
{
    size_t old = mem_block_bytes(block);

    if (!old) {
        stats_say_free_error(block, "cannot resize: not currently allocated");
        errno = EINVAL;
        return NULL;
    }
    if (bytes <= old && bytes >= old / 2)
        return block;
    void *moved = front_alloc(bytes, MEM_ALIGN, false, caller);
    if (!moved)
        return NULL;
    memcpy(moved, block, old < bytes ? old : bytes);
    front_free(block, caller);
    return moved;
}

void *realloc(void *block, size_t bytes)
{
    uintptr_t entry = map_entry(block);
    struct mem_region *mine = heap_mine;
    size_t index = (entry >> MEM_TAG_SHIFT ^ mine->heap_tag) - 1;

    if (MEM_LIKELY(index < MEM_CLASSES && (uintptr_t)block % MEM_ALIGN == 0)) {
        size_t old = mine->classes[index].bytes;
        if (MEM_LIKELY(bytes <= old && bytes >= old / 2)) {
            mine->resize_count++;
            return block;
        }
    }
    if (!block)
        return malloc(bytes);
    if (!bytes) {
        free(block);
        return NULL;
    }
    struct mem_region *region = mem_region_of(block);
    const struct span *span = entry_span(entry);
    if (MEM_LIKELY(region == mine && MEM_PEEK(region->small_limit) && span->kind == SPAN_LARGE &&
                   block == span->base && large_fits(span, bytes))) {
        region->resize_count++;
        return block;
    }
    if (region && MEM_LIKELY(region == heap_mine && !region_look(region)))
        return plain_resize(region, block, bytes, true);
    if (region && !heap_is_mine(region) && !(region_look(region) & ~LOOK_STALE))
        return realloc_moved(block, bytes, CALLER);
    mem_lock();
    void *moved = NULL;
    if (region && (heap_is_mine(region) || region->debug)) {
        moved = region_resize(region, block, bytes, true, 0, CALLER);
    } else if (region) {
        moved = realloc_moved(block, bytes, CALLER);
    } else if (mem_settings.debug_method) {
        moved = region_resize(mem_region_malloc(), block, bytes, true, 0, CALLER); /* which warns */
    } else {
        stats_say_free_error(block, "cannot resize: outside region");
        errno = EINVAL;
    }
    mem_unlock();
    return moved;
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
    size_t all;

    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, all);
}

int posix_memalign(void **ret_block, size_t align, size_t bytes)
{
    if (align < sizeof(void *) || (align & (align - 1)))
        return EINVAL;
    int saved = errno;
    void *block = front_alloc(bytes, align, false, CALLER);
    errno = saved;
    if (!block)
        return ENOMEM;
    *ret_block = block;
    return 0;
}

void *memalign(size_t align, size_t bytes)
{
    size_t power = MEM_ALIGN;

    while (power < align && power <= SIZE_MAX / 2)
        power *= 2;
    return front_alloc(bytes, power, false, CALLER);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    if (!align || (align & (align - 1))) {
        errno = EINVAL;
        return NULL;
    }
    return front_alloc(bytes, align, false, CALLER);
}

void *valloc(size_t bytes)
{
    return front_alloc(bytes, glue_page_bytes(), false, CALLER);
}

void *pvalloc(size_t bytes)
{
    size_t page = glue_page_bytes();

    if (bytes > SIZE_MAX - page) {
        errno = ENOMEM;
        return NULL;
    }
    return front_alloc(mem_round_up(bytes ? bytes : 1, page), page, false, CALLER);
}

size_t malloc_usable_size(void *block)
{
    return block ? mem_block_bytes(block) : 0;
}

int mallopt(int option, int value)
{
    (void)option;
    (void)value;
    return 0; /* nothing was changed; VMALLOC_OPTIONS is the way */
}

int malloc_trim(size_t keep)
{
    (void)keep;
    return mem_give_back() != 0;
}

struct mallinfo2 mallinfo2(void)
{
    struct mallinfo2 info = { 0 };
    struct mem_stats stats;

    mem_lock();
    for (struct mem_region *region = mem_region_next(NULL); region; region = region->next) {
        stats_counters(region, &stats); /* threads are at work on their heaps */
        info.arena += stats.size_bytes;
        info.uordblks += stats.busy_bytes;
        info.fordblks += stats.free_bytes;
        info.ordblks += stats.busy_count + stats.free_count;
    }
    mem_unlock();
    return info;
}

#pragma GCC visibility pop

#else

void remote_settle(void)
{
}

void block_free(void *block)
{
    plain_free(block);
}

#endif
