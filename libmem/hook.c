/*
 * hook.c: what the slow paths call while an option wants to see each call: keep, watch, fail,
 * trace, sites together with one of these, and the frames of method=debug.
 *
 * The fast paths know nothing of this: while mem_settings.hooks is set (or the region is a debug
 * region) every call ends here. Order of a call: fail, debug_tick, the call itself, trace, watch.
 * A call that fails leaves no trace. All of it runs under the library's lock.
 */
#include "libmem/internal.h"

static const void *watched[MEM_WATCH_MAX];
static size_t watched_count;
static uint64_t fail_calls; /* requests seen since fail= was set */
static bool debug_regions;  /* there was one */

/* ---- watch ---- */

void hook_watch(const void *address)
{
    if (watched_count == MEM_WATCH_MAX) /* the oldest goes */
        memmove(watched, watched + 1, --watched_count * sizeof watched[0]);
    watched[watched_count++] = address;
}

void hook_watch_none(void)
{
    watched_count = 0;
}

size_t hook_watch_list(const void **ret_addresses, size_t most)
{
    size_t count = watched_count < most ? watched_count : most;

    memcpy(ret_addresses, watched, count * sizeof watched[0]);
    return watched_count;
}

/* Says that EVENT happens to BLOCK of BYTES when a watched address lies in it. */
static void watch_event(const struct mem_region *region, const void *block, size_t bytes,
                        const char *event, const void *caller)
{
    for (size_t i = 0; i < watched_count; i++) {
        size_t offset = (size_t)((uintptr_t)watched[i] - (uintptr_t)block);
        if (offset >= (bytes ? bytes : 1))
            continue;
        struct mem_line line = { .used = 0 };
        debug_warn_begin(&line, "alert", region, block);
        line_str(&line, "size=");
        line_dec(&line, bytes);
        line_str(&line, ":");
        line_str(&line, event);
        line_str(&line, ":");
        debug_warn_end(&line, caller);
        return;
    }
}

/* ---- fail ---- */

/* What the C library asks for before any constructor runs, to start the program at all, does not
 * fail: it could not go on. */
static bool program_begun;

__attribute__((constructor(101))) static void program_begins(void)
{
    program_begun = true;
}

static bool fail_due(void)
{
    const struct mem_settings *set = &mem_settings;

    if (!set->fail_first || !program_begun)
        return false;
    uint64_t call = ++fail_calls;
    if (call < set->fail_first)
        return false;
    return call == set->fail_first ||
           (set->fail_each && (call - set->fail_first) % set->fail_each == 0);
}

void hooks_update(void)
{
    const struct mem_settings *set = &mem_settings;
    static size_t fail_seen;
    unsigned hooks = 0;
    enum mem_sites sites = mem_sites_state();

    if (set->fail_first != fail_seen) {
        fail_seen = set->fail_first;
        fail_calls = 0;
    }
    hooks |= set->keep ? HOOK_KEEP : 0;
    hooks |= watched_count ? HOOK_WATCH : 0;
    hooks |= set->fail_first ? HOOK_FAIL : 0;
    hooks |= trace_is_on() ? HOOK_TRACE : 0;
    hooks |= mem_signals_held ? HOOK_SIGNALS : 0;
    hooks |= sites_update(set->sites) ? HOOK_SITES : 0;
    mem_site_wanted =
        set->sites || hooks & (HOOK_TRACE | HOOK_WATCH) || debug_regions || set->debug_method;
    if (!mem_site_wanted && MEM_PEEK(mem_site))
        MEM_POKE(mem_site, 0);
    if (hooks == set->hooks && sites == mem_sites_state()) /* threads read it all the time */
        return;
    __atomic_store_n(&mem_settings.hooks, hooks, __ATOMIC_RELAXED);
    region_hooks_changed();
}

void hooks_debug_region(void)
{
    debug_regions = mem_site_wanted = true;
}

/* ---- the calls ---- */

static __attribute__((noinline)) void *traced_alloc(struct mem_region *region, size_t bytes,
                                                    size_t align, bool zeroed)
{
    mem_lock();
    void *block = plain_alloc(region, bytes, align, zeroed);
    if (block)
        trace_event(region, NULL, block, bytes, align);
    mem_unlock();
    return block;
}

static __attribute__((noinline)) void *traced_last_alloc(struct mem_region *region, size_t bytes)
{
    void *block = last_alloc(region, bytes, MEM_ALIGN);

    return MEM_LIKELY(block) ? trace_got(region, block, bytes)
                             : traced_alloc(region, bytes, MEM_ALIGN, false);
}

void *hook_traced_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed)
{
    if (MEM_LIKELY(align <= MEM_ALIGN && !zeroed && !glue_threaded())) {
        if (region->method == MEM_LAST)
            return traced_last_alloc(region, bytes);
        if (region->method == MEM_BEST && bytes - 1 < MEM_SMALL_MAX) {
            struct size_class *class = class_small(region, bytes);
            void *block = class->head;
            if (MEM_LIKELY(block != NULL))
                return trace_got(region, class_take_head(region, class, block), bytes);
        }
    }
    return traced_alloc(region, bytes, align, zeroed);
}

/* The same for a free that leaves few blocks in PACK. */
static __attribute__((noinline)) void traced_low(struct span *pack, void *block, size_t bytes)
{
    trace_freed(pack->region, block, bytes);
    pack_low(pack);
}

void hook_traced_free(uintptr_t entry, void *block, const void *caller)
{
    struct span *pack = entry_span(entry);

    /* The entry may be stale. What is not simply a block of a pack, or perhaps of another thread's
     * heap, or wrong, goes the long way. */
    if (MEM_LIKELY(pack && pack->kind == SPAN_PACK && !pack->region->debug && !glue_threaded())) {
        struct mem_region *region = pack->region;
        struct size_class *class = &region->classes[pack->class_index];
        size_t index = pack_index(pack, class, block), bytes = class->bytes;
        if (MEM_LIKELY(index < pack->carved && pack->base + index * bytes == (char *)block &&
                       class->head != block)) {
            if (class->room > 0) {
                class_give(region, class, block);
                trace_freed(region, block, bytes);
                return;
            }
            if (MEM_LIKELY(pack_mark_index(pack, index))) {
                MEM_POISON(block, bytes);
                region_count_free(region, bytes);
                if (MEM_UNLIKELY(pack->used <= pack->low))
                    traced_low(pack, block, bytes);
                else
                    trace_freed(region, block, bytes);
                return;
            }
        }
    }
    if (block)
        region_free(block, caller);
}

void *hook_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed, unsigned kind,
                 const void *caller)
{
    void *block = NULL;

    mem_lock();
    if (fail_due()) {
        mem_unlock();
        errno = ENOMEM;
        return NULL;
    }
    if (region->debug) {
        debug_tick(caller);
        block = debug_alloc(region, bytes, align, zeroed, caller);
        if (block && sites_followed(region))
            site_kind_set(region, block, bytes, kind);
    } else if (sites_followed(region)) {
        block = site_alloc(region, bytes, align, zeroed, kind);
    } else {
        block = plain_alloc(region, bytes, align, zeroed);
    }
    if (block && mem_settings.hooks & HOOK_TRACE)
        trace_event(region, NULL, block, bytes, align);
    if (block && watched_count)
        watch_event(region, block, bytes, "just allocated", caller);
    mem_unlock();
    return block;
}

void hook_free(void *block, const void *caller)
{
    mem_lock();
    struct span *span = map_find(block);
    struct mem_region *region = span ? span->region : NULL;
    bool told = watched_count || mem_settings.hooks & HOOK_TRACE;
    size_t bytes = region && (told || !region->debug) ? mem_block_bytes(block) : 0;
    if (bytes || (region && region->debug)) {
        if (watched_count)
            watch_event(region, block, bytes, "being freed", caller);
        if (bytes && mem_settings.hooks & HOOK_TRACE)
            trace_event(region, block, NULL, bytes, 0);
    }
    if (region ? region->debug : mem_settings.debug_method) {
        debug_tick(caller);
        debug_free(span, block, caller);
    } else if (!mem_settings.keep || !bytes) {
        if (region && sites_followed(region))
            site_free(span, block);
        else
            block_free(block); /* its heap may be another thread's */
    }
    sites_end_check();
    mem_unlock();
}

void *hook_resize(struct mem_region *region, void *block, size_t bytes, bool keep, unsigned kind,
                  const void *caller)
{
    void *moved = NULL;

    mem_lock();
    size_t old = mem_block_bytes(block);
    if (fail_due()) {
        mem_unlock();
        errno = ENOMEM;
        return NULL;
    }
    if (watched_count)
        watch_event(region, block, old, "being resized", caller);
    if (region->debug) {
        debug_tick(caller);
        kind = sites_followed(region) && site_kind(block) ? site_kind(block) : kind;
        moved = debug_resize(region, block, bytes, caller);
        if (moved && sites_followed(region))
            site_kind_set(region, moved, bytes, kind);
    } else if (mem_settings.keep && bytes > old) {
        /* the old one must stay */
        moved = sites_followed(region) ? site_alloc(region, bytes, MEM_ALIGN, false, kind)
                                       : plain_alloc(region, bytes, MEM_ALIGN, false);
        if (moved)
            memcpy(moved, block, old);
    } else if (sites_followed(region)) {
        moved = site_resize(region, block, bytes, keep, kind);
    } else {
        moved = plain_resize(region, block, bytes, keep);
    }
    if (moved && mem_settings.hooks & HOOK_TRACE)
        trace_event(region, block, moved, bytes, 0);
    if (moved && watched_count)
        watch_event(region, moved, bytes, "just resized", caller);
    sites_end_check();
    mem_unlock();
    return moved;
}

bool hook_resize_in_place(struct mem_region *region, void *block, size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    struct span *span = map_find(block);
    bool done;

    mem_lock();
    if (region->debug)
        done = debug_resize_in_place(region, block, bytes);
    else if (sites_followed(region))
        done = site_resize_in_place(span, block, bytes);
    else
        done = plain_resize_in_place(span, block, bytes);
    if (done && mem_settings.hooks & HOOK_TRACE)
        trace_event(region, block, block, bytes, 0);
    if (done && watched_count)
        watch_event(region, block, bytes, "just resized", caller);
    mem_unlock();
    return done;
}
