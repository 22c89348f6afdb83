/*
 * internal.h: the structs of libmem, their invariants, and the two fast paths.
 *
 * - The PAGE MAP leads from an address to the span that holds it. Each segment is tiled by spans.
 *   All pages of a busy span are in the map, of a free span the first and, unless it ends its
 *   segment, the last; other entries may be stale, so whoever looks up an address checks that the
 *   span really contains it (map_find).
 * - Two free spans of one segment that are `given` alike are never neighbours. A free span lies in
 * a bin of its region, except in a SOLO segment, whose room is kept for its one growing block.
 * - A free block of a pack is marked in the pack's own bits, which lie outside, so that freeing it
 *   need not touch it, or it is in the `head` chain of its class. `span->used` counts blocks that
 *   are not marked. A class's `room` is how many blocks `head` may still take.
 * - A page of a QUICK pack (the mixed one, too) is TAGGED in the map: its entry holds, above the
 * address of the span, the class and the number of the heap, so that a free need not look at the
 * span. A page of a SITED pack is tagged, too, in another way, while sites are all that is asked
 * for (region->site_limit). No other page is.
 * - A SLICE is a span of the `malloc` region lent to a small region as its segment. It counts in
 *   the borrower's size and no longer in the lender's, so that the sizes of all regions add up.
 * - HOOKED: while an option wants to see each call (mem_settings.hooks), and always in a debug
 * region, `small_limit` is 0 and no pack is `quick`, so that every call takes the slow path, which
 * asks; the fast paths know nothing of it.
 * - Where the process has threads an option that changes makes each region STALE: its owner goes
 * the slow way at its next request and there takes up what is new (region_adopt). Till then the
 * region is as it was.
 * - Only the owner thread uses a region; what regions share (map, spans, segments, sources,
 *   registry, the `malloc` region) is guarded by one lock, taken only when the process has threads.
 */
#ifndef LIBMEM_INTERNAL_H
#define LIBMEM_INTERNAL_H

#include "libmem.h"
#include "libmem/config.h"
#include "libmem/glue.h"

enum span_kind {
    SPAN_NONE,
    SPAN_FREE,
    SPAN_PACK,
    SPAN_MIXED,
    SPAN_LARGE,
    SPAN_LAST,
    SPAN_LENT,
    SPAN_GUARD, /* one block of a debug region between guard pages; in no segment */
};

/* MOVED: not resident, since what was in it was copied away page by page. */
enum span_given { GIVEN_NOT, GIVEN_LAZY, GIVEN_DROPPED, GIVEN_CLOSED, GIVEN_MOVED };

struct span {
    char *base;
    struct mem_region *region;
    struct segment *segment;
    struct span *next, *prev; /* free: its bin; pack with room: its class; unused: spare spans */
    union {
        uint64_t *bits;                /* pack: a bit for each free block not in a class chain */
        size_t grown_count;            /* large: how often it grew */
        struct debug_head *guard_head; /* guard */
    };
    uint32_t pages;
    union {
        struct {
            uint16_t used; /* pack: blocks not in `bits` (with callers or in a class chain) */
            /* pack: a free that leaves so few is looked at; MEM_PACK_FULL, _WATCHED: any is */
            uint16_t low;
        };
        uint32_t site_word; /* large, guard: see site.c */
        uint32_t freed_in;  /* free: the give_period in which most of it became so */
    };
    uint16_t carved;     /* pack: blocks ever cut from it; the rest is untouched */
    uint16_t capacity;   /* pack */
    uint8_t class_index; /* pack */
    /* One byte together, so that a span is one line of the processor's cache. */
    uint8_t kind : 4;  /* enum span_kind */
    uint8_t given : 3; /* free: enum span_given */
    bool quick;        /* pack, mixed: the fast path of free may take its blocks */
    bool sited;        /* pack: has words: see site_word.c */
};
_Static_assert(sizeof(struct span) <= 64, "a span fits a cache line");

struct segment {
    char *base;
    size_t bytes;
    char *high; /* nothing at or above was ever handed out: still zero */
    struct mem_region *region;
    struct segment *next, *prev; /* of the region, oldest first; unused: spare segments */
    struct span *lent;           /* a slice: the span of the lender; else NULL */
    struct span *span;           /* MEM_LAST: the one span */
    struct span *tail;           /* the last span when last it was free; may be stale */
    char *last_next;             /* MEM_LAST: end of its blocks, when not the current segment */
    size_t cleared_bytes;        /* from its base on filled with zeros, as `clear` asks */
    const char *huge_next;       /* what is handed out below it needs no huge pages any more */
    size_t room_bytes;           /* that its source was asked for; 0: it was moved */
    uint8_t source;
    bool solo;
};

struct size_class {
    void *head;
    int32_t room;
    uint32_t bytes;
    struct span *avail; /* packs that have a free or an uncut block */
    void *mixed_free;   /* freed blocks of the mixed pack */
    uint32_t pack_count;
    int32_t limit;       /* from so many blocks of `head` on, freed ones go to their packs */
    uint32_t reciprocal; /* of bytes: see pack_index */
    uint32_t fill;       /* the word that all blocks in `head` have: see site.c; 0: none */
    size_t carved_count; /* blocks in all packs and in the mixed pack, cut so far */
    uint64_t site_key;   /* of its run: see site_pack.c; 0: it has none */
} __attribute__((aligned(64)));

/* The first pack of a region: blocks of all small classes side by side, so that a small program
 * touches few pages. A block stays in its class. */
struct mixed_pack {
    struct span *span;
    uint32_t next_unit;
    uint8_t unit_class[MEM_MIXED_UNITS]; /* class + 1 where a block starts */
    uint32_t *words;                     /* of site.c, one for each unit; NULL: none yet; stays */
};

/* How much of a region was free when it was given. */
enum give_part { GIVE_SOME, GIVE_MOST, GIVE_ALL, GIVE_PARTS };

/* What taking again cost that was given: see giveback.c. */
struct give_account {
    uint64_t given_at; /* us: when last something was given */
    size_t given;      /* and not taken again yet */
    size_t debt;       /* taken again since it was last paid ... */
    uint64_t next;     /* ... us: before then it cannot have been, ... */
    uint64_t next_cpu; /* ... it is at this processor time, ... */
    uint64_t late;     /* ... or then, however little ran; 0: nothing was ever charged */
};

struct mem_region {
    size_t small_limit; /* requests of 1..small_limit take the fast path; LAST: none */
    size_t site_limit;  /* the same where sites are followed and nothing else asks */
    size_t class_mask;  /* of the index of a small class; POOL: 0, its only one */
    size_t busy_bytes;
    size_t peak_bytes, peak_before; /* the peak is the higher one: see mem_region_peak_begin */
    uint64_t alloc_count;
    uint64_t freed_count;         /* blocks that died in any way: busy = alloc - freed */
    uint32_t heap_tag;            /* of the map entries of its quick packs, but for the class */
    char *last_next, *last_limit; /* MEM_LAST: the current segment; blocks start at next + 8 */
    struct segment *last_segment;
    enum mem_method method;
    bool open, debug; /* debug: method is MEM_BEST, each block in a debug_head's frame */
    bool shrinking;   /* chains are kept short: see pack_shrink */
    uint8_t heap;     /* enum heap_state */
    uint8_t kind;     /* of blocks that were got without one */
    uint8_t look;     /* enum look: why calls take the slow path; 0: they need not */
    uint8_t hooks;    /* enum hook: what that does; those of mem_settings, unless LOOK_STALE */
    bool followed;    /* by sites: see site.c */
    char name[MEM_NAME_BYTES];
    struct mem_region *next, *prev; /* registry */
    struct segment *segments, *newest;
    size_t size_bytes, segment_count, pack_count;
    size_t slice_bytes;     /* of its first slice; 0: it has none */
    uint64_t dropped_count; /* of freed_count: not by a call of free */
    uint64_t resize_count;
    /* MEM_LAST, with sites: see site.c */
    uint64_t site_key;      /* the mem_site under which blocks may be got straight away */
    uint64_t site_head;     /* of new blocks */
    size_t reset_floor;     /* a reset to fewer bytes takes the slow path */
    size_t settled_bytes;   /* busy ones that are counted, ... */
    uint64_t settled_count; /* ... and how many blocks they are */
    uint64_t settled_alloc; /* alloc_count at that moment */
    uint64_t kind_count;
    size_t kind_peak;
    uint64_t calm_start; /* MEM_LAST, us: since when empty segments were seen unused; 0: not yet */
    uint32_t calm_resets;
    /* MEM_LAST regions end here. */
    struct segment *growing; /* the one segment that is tried to be extended */
    size_t large_bytes, large_count;
    size_t carved_bytes, carved_count; /* blocks cut from packs */
    size_t rest_count;                 /* packs with uncut or left over room */
    size_t free_span_count;
    struct mixed_pack *mixed;
    size_t free_pages_bytes; /* of all free spans */
    size_t dirty_bytes,
        dirty_low; /* of those in bins: written to and not given; the least of late */
    size_t given_bytes, lazy_bytes, retaken_bytes;
    size_t retaken_total; /* retaken_bytes is that since the last collapse */
    size_t given_count;   /* spans in bins that are `given` */
    struct give_account give_accounts[GIVE_PARTS];
    uint64_t given_at;     /* us: when last something was given for one of them, ... */
    uint64_t given_cpu;    /* ... at which processor time ... */
    uint64_t given_faults; /* ... and how many faults there had been when last was looked */
    uint64_t give_start;   /* us: the period of calm began ... */
    uint32_t give_period;  /* ... and its number */
    size_t calm_given, calm_retaken; /* at its begin: what went; retaken_total */
    uint8_t calm_shift;              /* it lasts so many times twice the delay */
    size_t fork_low;                 /* the least of dirty_bytes over the last forks ... */
    uint32_t fork_count;             /* ... so many */
    size_t debug_bytes, debug_peak, debug_count; /* debug: what was asked for and lives */
    uint64_t bin_bits[2];
    struct span *bins[MEM_BINS];
    /* Blocks freed by other threads; in a line of its own, for others write here. */
    _Alignas(64) void *remote;
    struct size_class classes[];
};

/* What a region is to threads: no heap; of one thread; of none at the moment; of all under the
 * lock; of a thread that a fork left behind. */
enum heap_state { HEAP_NO, HEAP_OWNED, HEAP_WAITING, HEAP_SHARED, HEAP_DEAD };

enum mem_clear { MEM_CLEAR_NONE, MEM_CLEAR_FIRST, MEM_CLEAR_ALL };

enum mem_giveback {
    MEM_GIVE_NONE,
    MEM_GIVE_DONTNEED,
    MEM_GIVE_FREE,
    MEM_GIVE_FIXED,
    MEM_GIVE_UNMAP,
    MEM_GIVE_AUTO,
};
enum mem_huge { MEM_HUGE_ON, MEM_HUGE_OFF, MEM_HUGE_AUTO };
enum mem_limit_action { MEM_LIMIT_WARN, MEM_LIMIT_TRAP, MEM_LIMIT_FAIL };

/* The options in force (options.c). */
struct mem_settings {
    unsigned sources; /* bit set of enum source_id that may be used */
    size_t page_bytes, segment_bytes;
    enum mem_clear clear;
    enum mem_giveback giveback;
    enum mem_huge huge;
    size_t delay_ms, arenas;
    size_t cache_bytes;                   /* free memory that each region keeps ... */
    size_t cache_most;                    /* ... and the most of it; SIZE_MAX: no bound */
    size_t limit_bytes, limit_soft_bytes; /* 0: none */
    enum mem_limit_action limit_action;   /* at the soft one */
    bool usage, verbose, check_region, check_segment;
    bool debug_method; /* new `best` regions are debug regions */
    bool keep, trace_internal, abort, sites;
    unsigned hooks;       /* enum hook: why calls take the slow path */
    size_t period, start; /* debug: check some blocks each PERIOD calls (0: never), after START */
    size_t guard;         /* debug: one block in so many stands between guard pages; 0: none */
    size_t fail_first, fail_each; /* the requests that fail; 0: none */
};

enum hook {
    HOOK_KEEP = 1,
    HOOK_WATCH = 2,
    HOOK_FAIL = 4,
    HOOK_TRACE = 8,
    HOOK_SITES = 16,
    HOOK_SIGNALS = 32,
};
extern struct mem_settings mem_settings;

enum look { LOOK_DEBUG = 1, LOOK_HOOKS = 2, LOOK_STALE = 4 };

/* region.c: brings every region in line with mem_settings.hooks, or has its owner do it. */
void region_hooks_changed(void);
/* By the owner, or under the lock of a region that nobody else uses without it. */
void region_adopt(struct mem_region *region);
void region_limit_set(struct mem_region *region); /* in line with its hooks */

/* options.c: reads the environment once; everything starts here. */
void mem_settings_init(void);

/* A message is put together here and written at once. */
struct mem_line {
    char text[MEM_LINE_BYTES];
    size_t used;
};
void line_text(struct mem_line *line, const char *text, size_t bytes);
void line_str(struct mem_line *line, const char *text);
void line_dec(struct mem_line *line, uint64_t value);
void line_hex(struct mem_line *line, uint64_t value); /* 0x and at least 8 digits */
void line_send(struct mem_line *line);                /* adds the newline */
void line_write(struct mem_line *line, int fd);       /* the same, to FD */

/* stats.c */
void stats_counters(const struct mem_region *region, struct mem_stats *ret_stats);
void stats_say_usage(struct mem_region *region, const void *base, size_t bytes);
void stats_say_verbose(void);
void stats_say_debug(const char *what, const struct mem_region *region, const void *base,
                     size_t bytes);
void stats_say_free_error(const void *block, const char *why);

/* source.c: raw memory. All sizes are multiples of the page size in force. */
enum source_id { SOURCE_ANON, SOURCE_BREAK, SOURCE_NATIVE, SOURCE_SAFE, SOURCE_ZERO, SOURCE_COUNT };
struct source {
    const char *name, *long_name;
    /* Gets BYTES that can perhaps be grown to ROOM_BYTES. */
    void *(*get)(size_t bytes, size_t room_bytes);
    bool (*grow)(char *base, size_t old_bytes, size_t bytes);  /* in place; NULL: never can */
    void *(*move)(void *base, size_t old_bytes, size_t bytes); /* keeps contents; NULL: cannot */
    /* ROOM_BYTES: what get was told, or 0 when the memory has been moved since. */
    void (*put)(void *base, size_t bytes, size_t room_bytes);
    bool zeroed; /* what it gives is all zero */
    bool copies; /* growing may mean copying */
};
extern const struct source mem_sources[SOURCE_COUNT];
/* Gets from the one source of the process, which the first success selects. */
void *source_get(size_t bytes, size_t room_bytes, enum source_id *ret_source);
void source_forget(void);         /* the next request selects again */
enum source_id source_used(void); /* SOURCE_COUNT: none yet */

/* segment.c */
struct map_leaf {
    uintptr_t entry[1u << MEM_MAP_LEAF_BITS];
};
extern struct map_leaf *mem_map[1u << MEM_MAP_ROOT_BITS];
void map_set(struct span *span, size_t first_page, size_t pages);
/* Makes PACK quick or not: its pages are tagged or no longer. */
void map_tag(struct span *pack, bool quick);
void map_set_ends(struct span *span);
/* Makes the leaves for a range; false when out of memory or when the range is out of reach. */
bool map_reserve(const char *base, size_t bytes);
struct span *span_new(void);
void span_drop(struct span *span);
void *meta_alloc(size_t bytes); /* zeroed, never given back; NULL: no memory */
/* A new segment of at least BYTES for REGION, linked and counted; or NULL. The caller puts spans
 * into it and then announces it: usage line and check, as the options ask (BYTES 0: given back). */
struct segment *segment_new(struct mem_region *region, size_t bytes, bool solo);
struct segment *segment_borrow(struct mem_region *region, size_t bytes);
void segment_drop(struct segment *segment);
void segment_announce(struct mem_region *region, const void *base, size_t bytes);
/* Extends in place by at least BYTES; the new part is in no span yet. */
bool segment_grow(struct segment *segment, size_t bytes);
/* Resizes a solo segment to at least BYTES, perhaps elsewhere; contents stay. The caller mends the
 * spans. */
bool segment_move(struct segment *segment, size_t bytes);
/* Gives the last BYTES of a mapped segment back. */
void segment_trim(struct segment *segment, size_t bytes);
void mem_lock_slow(void);
void mem_unlock_slow(void);
extern bool mem_signals_held; /* signals are blocked under the lock, which every call takes */

extern size_t segment_held_bytes; /* of all segments */

/* limit.c */
/* WANT, or where that would pass a limit LEAST. */
size_t limit_cut(size_t want, size_t least);
/* Whether ASKING may get BYTES more. Each passing of a limit is told once. */
bool limit_allows(size_t bytes, const struct mem_region *asking);
_Noreturn void limit_too_low(size_t bytes);

/* large.c: spans of pages */
struct span *large_take(struct mem_region *region, size_t pages, size_t align_pages,
                        size_t *ret_dirty_bytes);
void large_put(struct span *span);
/* SPAN, free but in no bin, keeps of its dirty bytes the last ones, no less than BYTES; what is
 * before them goes to the bins. */
struct span *large_keep_end(struct span *span, size_t bytes);
void large_bin(struct span *span); /* a span in no bin becomes free; merges */
void large_unbin(struct span *span);
/* Unmaps SPAN, in no bin, where it ends its segment; false: it does not. */
bool large_unmap(struct span *span);
void large_add(struct segment *segment); /* all of a new segment becomes one free span */
void *large_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed);
void large_free(struct span *span);
bool large_resize(struct span *span, size_t bytes, bool exact);
void *large_move(struct span *span, size_t bytes);
/* Copies up to BYTES of the big block SPAN to MOVED, letting go of it page by page, so that never
 * both are there; it can only be freed then. False: nothing was done, since a copy does as well. */
bool large_copy(struct span *span, void *moved, size_t bytes);
size_t large_want_bytes(const struct span *span, size_t bytes);

/* giveback.c */
enum { GIVE_ASK = -2 };
extern int give_overcommit;                 /* the system's setting, or GIVE_ASK: not asked yet */
void give_freed(struct mem_region *region); /* a span of it became free */
void give_bounds(void);                     /* `cache` changed: what is beyond it goes */
void give_left(struct mem_region *region);  /* the thread whose heap it is ends */
void give_fork(void);                       /* before a fork */
/* The free ends of segments; of ASKING, which needs more than they are, free segments only. */
void give_segments(const struct mem_region *asking);
bool give_undo(struct span *span); /* makes it usable; false: no memory */
/* Whether REGION is so big, or will be with MORE_BYTES of blocks, that it wants huge pages. */
bool give_wants_huge(const struct mem_region *region, size_t more_bytes);
/* Asks for them for a range then. */
void give_huge(const struct mem_region *region, char *base, size_t bytes, size_t more_bytes);
/* SEGMENT is handed out up to END, with MORE_BYTES that the region does not count yet: asks for
 * what was not yet touched of it, once. So the size of segments makes no difference. */
void give_huge_used(struct segment *segment, const char *end, size_t more_bytes);

/* page.c: packs */
/* A counted block of CLASS, whose head is empty; or NULL with ENOMEM. */
void *pack_refill(struct mem_region *region, struct size_class *class);
void *pack_take_aligned(struct mem_region *region, struct size_class *class);
/* PACK got a block back and has `low` or fewer left. */
void pack_low(struct span *pack);
/* Frees BLOCK of CLASS, whose head is full. */
void pack_spill(struct mem_region *region, struct size_class *class, void *block);
/* PACK is about to be no pack any more. */
void pack_forget(struct span *pack);
/* Which block of PACK, of CLASS, begins at or before ADDRESS in it. */
static inline size_t pack_index(const struct span *pack, const struct size_class *class,
                                const void *address)
{
    /* Exact: a pack of more than one block has at most 64 KiB. */
    return (uint64_t)((const char *)address - pack->base) * class->reciprocal >> 32;
}
void pack_drain(struct mem_region *region); /* all classes: frees the packs that only chains hold */
/* The same, and the last pack of each class; chains stay short until blocks are asked for. */
void pack_shrink(struct mem_region *region);
void pack_class_init(struct size_class *class, size_t bytes);
uint64_t *pack_bits_new(size_t capacity); /* NULL: no memory */
/* The bits of PACK go on in TO, all 0. */
void pack_bits_move(struct span *pack, uint64_t *to);
void mixed_clear(struct mixed_pack *mixed); /* ready to be used again */
/* The class of BLOCK in the mixed pack, or MEM_CLASSES when no block starts there. */
unsigned mixed_class_of(const struct mem_region *region, const void *block);

/* walk.c */
/* As mem_region_walk, but the blocks of a debug region with their frames. */
int region_walk_raw(struct mem_region *region, mem_block_visit *visit, void *arg);
/* The span after SPAN (NULL: the first) in SEGMENT; NULL ends. Slices lent to others are skipped.
 */
struct span *segment_next_span(const struct segment *segment, const struct span *span);

/* best.c, last.c, pool.c: the methods */
void *best_alloc(struct mem_region *region, size_t bytes, bool zeroed);
void *best_align(struct mem_region *region, size_t bytes, size_t align);
void *best_resize(struct mem_region *region, void *block, size_t bytes, bool keep);
bool best_resize_in_place(struct span *span, void *block, size_t bytes);
void *last_alloc(struct mem_region *region, size_t bytes, size_t align);
void *last_resize(struct mem_region *region, void *block, size_t bytes);
bool last_resize_in_place(struct mem_region *region, void *block, size_t bytes);
void last_free(struct mem_region *region, void *block);
void last_reset(struct mem_region *region, const struct mem_mark *mark);
size_t last_give(struct mem_region *region); /* the segments after the current one; returns bytes */
/* Gives what lies behind the last block beyond `cache`, in whole segments or in the current one. */
void last_bound(struct mem_region *region);
/* Gives them when it is time; returns after how many us it will be, UINT64_MAX: never. */
uint64_t last_idle(struct mem_region *region, uint64_t now);
size_t last_block_bytes(const void *block);
/* Calls VISIT for the blocks newer than MARK. */
void last_walk_above(struct mem_region *region, const struct mem_mark *mark,
                     void (*visit)(struct mem_region *region, void *block, size_t bytes));
/* The site in the head of BLOCK; of all blocks 0. */
uint32_t last_site_of(const void *block);
void last_site_set(void *block, uint32_t site);
void last_sites_clear(struct mem_region *region);
/* What a head says but for the site: bytes to the next head, bit 0 for a filler. */
size_t last_head_get(const char *head);
void pool_set_bytes(struct mem_region *region, size_t bytes);
void *pool_alloc(struct mem_region *region, size_t bytes, size_t align);

/* site.c: the calls while sites are followed and nothing else asks; of regions without frames */
void *site_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed, unsigned kind);
void site_free(struct span *span, void *block); /* BLOCK of a region, or wrong */
void *site_take_slow(struct mem_region *region, size_t bytes, unsigned kind);
void site_free_tagged(uintptr_t entry, void *block); /* in a page with a SITED tag */
/* Before blocks of a MEM_LAST region are got, where mem_site is not its site_key. */
void site_last_switch(struct mem_region *region);
void *site_resize(struct mem_region *region, void *block, size_t bytes, bool keep, unsigned kind);
bool site_resize_in_place(struct span *span, void *block, size_t bytes);
/* A block of a debug region begins or ends; one freed from afar ends. */
void site_born(const struct mem_region *region, const void *block, size_t bytes);
void site_died(const struct mem_region *region, const void *block, size_t bytes);
unsigned site_kind(const void *block); /* 0: its region's */
/* BLOCK, just born without a kind, gets one. */
void site_kind_set(const struct mem_region *region, const void *block, size_t bytes, unsigned kind);
void site_last_reset(struct mem_region *region, const struct mem_mark *mark); /* is about to be */
void site_last_settle(struct mem_region *region); /* counts what is new */
void site_region_dies(struct mem_region *region); /* all its blocks are about to */
void site_region_set(struct mem_region *region);  /* in line with its hooks */
void site_last_stale(struct mem_region *region);  /* its owner's next call takes the slow way */
/* BLOCK may come into a chain with any word. */
void site_chain_mixed(const struct span *span, const void *block);
/* site_pack.c: blocks are about to be taken from PACK, or were */
void site_pack_opens(struct span *pack);
void site_pack_taken(struct span *pack); /* some of its free ones, out of its bits */
void site_pack_low(struct span *pack);   /* one came back, perhaps the first one of late */
void site_pack_ends(struct span *pack);  /* of a sited one, all of whose blocks died */
void site_runs_end(void);                /* `head` of classes is about to change */
void site_block_home(struct span *pack, size_t index); /* its death was counted */
void sites_end_check(void);   /* FINISHING ends with the last block that has a site */
bool sites_update(bool on);   /* true: HOOK_SITES is wanted */
bool site_counts_agree(void); /* with the regions */

static inline bool sites_followed(const struct mem_region *region)
{
    return MEM_UNLIKELY(region->followed);
}

/* hook.c: what the slow paths call while HOOKED; CALLER is an address in the calling program. */
void *hook_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed, unsigned kind,
                 const void *caller);
void hook_free(void *block, const void *caller);
/* While only a trace is written, of a region without frames. */
void *hook_traced_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed);
void hook_traced_free(uintptr_t entry, void *block, const void *caller);
void *hook_resize(struct mem_region *region, void *block, size_t bytes, bool keep, unsigned kind,
                  const void *caller);
bool hook_resize_in_place(struct mem_region *region, void *block, size_t bytes);
void hook_watch(const void *address); /* the oldest makes room */
void hook_watch_none(void);
size_t hook_watch_list(const void **ret_addresses, size_t most);
void hooks_update(void);       /* the settings changed */
void hooks_debug_region(void); /* one is being opened */

/* trace.c */
bool trace_is_on(void);
/* Owns FD; GOES_ON: the file has the beginning of the trace. */
void trace_start(int fd, bool compact, bool goes_on);
void trace_stop(void);
void trace_flush(void);
void trace_forked(void); /* in the child */
/* OLD NULL: got; NEW NULL: freed. */
void trace_event(const struct mem_region *region, const void *old, const void *new, size_t bytes,
                 size_t align);
/* The same, faster; there is a BLOCK, which trace_got returns. */
void *trace_got(const struct mem_region *region, void *block, size_t bytes);
void trace_freed(const struct mem_region *region, const void *block, size_t bytes);
void trace_region_begins(
    const struct mem_region *region); /* perhaps at an address of another one */

/* debug.c: the frame around blocks of debug regions */
void *debug_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed,
                  const void *caller);
void debug_free(struct span *span, void *block, const void *caller);
void *debug_resize(struct mem_region *region, void *block, size_t bytes, const void *caller);
bool debug_resize_in_place(struct mem_region *region, void *block, size_t bytes);
size_t debug_block_bytes(const struct span *span, const void *block); /* 0: none lives there */
void debug_tick(const void *caller); /* one call more: checks the next few blocks when it is time */
size_t debug_check_all(void);
const void *debug_block_data(const void *block);     /* of a raw block that lives; else NULL */
void debug_region_forget(struct mem_region *region); /* its blocks are about to die */
/* Who got the live BLOCK; false: it is none. */
bool debug_block_origin(const void *block, uint32_t *ret_site, const void **ret_caller);
/* A warning begins WHAT:region=:block=: and goes where `warn` says. */
void debug_warn_begin(struct mem_line *line, const char *what, const struct mem_region *region,
                      const void *block);
void debug_warn_site(struct mem_line *line, const char *what, uint32_t site, const void *caller);
void debug_warn_end(struct mem_line *line, const void *caller);
void debug_warn_to(int fd);
/* The walk of a debug region as its users see it. */
struct debug_visit {
    mem_block_visit *visit;
    void *arg;
};
int debug_visit_block(void *arg, void *block, size_t bytes, bool busy);

/* leak.c */
void leak_to(int fd); /* -1: no report at exit; owns FD above 2 */

/* malloc.c */
void remote_give(struct mem_region *region, void *block); /* by any thread, without a lock */
bool remote_take(struct mem_region *region);              /* by the owner: frees what came */
/* Frees, wherever this thread may, what is still on its way between heaps. Under the lock. */
void remote_settle(void);
void block_free(void *block); /* without hooks, into whosever heap it is */

/* region.c */
void *region_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed,
                   unsigned kind, const void *caller);
void *region_resize(struct mem_region *region, void *block, size_t bytes, bool keep, unsigned kind,
                    const void *caller);
void region_free(void *block, const void *caller);
/* The same without hooks. */
void *plain_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed);
void plain_free(void *block);
void *plain_resize(struct mem_region *region, void *block, size_t bytes, bool keep);
bool plain_resize_in_place(struct span *span, void *block, size_t bytes);
extern struct mem_region *mem_regions; /* the oldest */
void region_init(struct mem_region *region, const char *name, enum mem_method method,
                 size_t pool_bytes);
size_t block_bytes(const struct span *span, const void *block); /* 0: no block starts there */

/* What another thread may change meanwhile, under the lock, and the owner looks at without. */
static inline unsigned region_look(const struct mem_region *region)
{
    return __atomic_load_n(&region->look, __ATOMIC_RELAXED);
}

static inline unsigned hooks_wanted(void)
{
    return __atomic_load_n(&mem_settings.hooks, __ATOMIC_RELAXED);
}

static inline void mem_lock(void)
{
    if (MEM_UNLIKELY(glue_threaded() || mem_signals_held))
        mem_lock_slow();
}

static inline void mem_unlock(void)
{
    if (MEM_UNLIKELY(glue_threaded() || mem_signals_held))
        mem_unlock_slow();
}

#if MEM_DEBUG >= 1
#define MEM_ASSERT(e)                                                                              \
    do {                                                                                           \
        if (!(e))                                                                                  \
            __builtin_trap();                                                                      \
    } while (0)
#else
#define MEM_ASSERT(e) ((void)0)
#endif

/* AddressSanitizer is told which bytes nobody may touch: MEM_SHUT, MEM_OPEN. Shut are dead blocks
 * but for the link of a chain, and what a caller of region.c did not ask for at the end of a block.
 * Memory is opened again before it goes back to the system. */
#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* clang's name for it */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define MEM_SHUT(p, n) __asan_poison_memory_region((p), (n))
#define MEM_OPEN(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define MEM_SHUT(p, n) ((void)0)
#define MEM_OPEN(p, n) ((void)0)
#endif

/* N bytes at P are dead. */
#if MEM_DEBUG >= 3
#define MEM_POISON(p, n) (MEM_OPEN((p), (n)), memset((p), 0xdb, (n)), MEM_SHUT((p), (n)))
#else
#define MEM_POISON(p, n) MEM_SHUT((p), (n))
#endif

/* What the map says of the page of ADDRESS: 0, or a span and perhaps a tag. */
static inline uintptr_t map_entry(const void *address)
{
    uintptr_t page = (uintptr_t)address >> MEM_PAGE_SHIFT;

    if (MEM_UNLIKELY(page >> (MEM_MAP_LEAF_BITS + MEM_MAP_ROOT_BITS)))
        return 0;
    const struct map_leaf *leaf = mem_map[page >> MEM_MAP_LEAF_BITS];
    return MEM_LIKELY(leaf) ? MEM_PEEK(leaf->entry[page & ((1u << MEM_MAP_LEAF_BITS) - 1)]) : 0;
}

static inline struct span *entry_span(uintptr_t entry)
{
    return (struct span *)(entry & (((uintptr_t)1 << MEM_TAG_SHIFT) - 1));
}

static inline struct span *map_get(const void *address)
{
    return entry_span(map_entry(address));
}

/* The span that contains ADDRESS, or NULL. */
static inline struct span *map_find(const void *address)
{
    struct span *span = map_get(address);

    if (MEM_UNLIKELY(!span || (uintptr_t)address - (uintptr_t)span->base >= (uintptr_t)span->pages
                                                                                << MEM_PAGE_SHIFT))
        return NULL;
    return span;
}

static inline char *span_end(const struct span *span)
{
    return span->base + ((size_t)span->pages << MEM_PAGE_SHIFT);
}

static inline char *segment_end(const struct segment *segment)
{
    return segment->base + segment->bytes;
}

/* Whether the system moves SEGMENT without copying, which it does only where all of it is alike. */
static inline bool segment_moves(const struct segment *segment)
{
    return segment->solo && !mem_sources[segment->source].copies;
}

/* How much of SPAN was ever written to. */
static inline size_t span_dirty(const struct span *span)
{
    char *high = span->segment->high, *end = span_end(span);

    if (high <= span->base)
        return 0;
    return (size_t)((high < end ? high : end) - span->base);
}

static inline void *chain_next(const void *block)
{
    void *next;

    memcpy(&next, block, sizeof next);
    return next;
}

static inline void chain_set(void *block, void *next)
{
    MEM_OPEN(block, sizeof next);
    memcpy(block, &next, sizeof next);
}

static inline uint32_t class_chain_limit(size_t bytes)
{
    size_t count = MEM_CHAIN_BYTES / bytes;

    if (count < MEM_CHAIN_MIN)
        return MEM_CHAIN_MIN;
    return count < MEM_CHAIN_MAX ? (uint32_t)count : MEM_CHAIN_MAX;
}

static inline void region_count_alloc(struct mem_region *region, size_t bytes)
{
    region->alloc_count++;
    region->busy_bytes += bytes;
    if (region->busy_bytes > region->peak_bytes)
        region->peak_bytes = region->busy_bytes;
}

static inline void region_count_free(struct mem_region *region, size_t bytes)
{
    region->freed_count++;
    region->busy_bytes -= bytes;
}

/* The fast path of allocation, 5 ns: takes BLOCK, the head of CLASS. */
static inline void *class_take_head(struct mem_region *region, struct size_class *class,
                                    void *block)
{
    class->head = chain_next(block);
    __builtin_prefetch(class->head); /* the next request reads its link */
    class->room++;
    MEM_OPEN(block, class->bytes);
    region_count_alloc(region, class->bytes);
    return block;
}

static inline void *class_take(struct mem_region *region, struct size_class *class)
{
    void *block = class->head;

    if (MEM_LIKELY(block != NULL))
        return class_take_head(region, class, block);
    block = pack_refill(region, class); /* counts it */
    if (block)
        MEM_OPEN(block, class->bytes);
    return block;
}

/* The class of a request, when BYTES - 1 < small_limit. */
static inline struct size_class *class_small(struct mem_region *region, size_t bytes)
{
    return &region->classes[(bytes - 1) / MEM_ALIGN & region->class_mask];
}

/* What the next block is for, as `site_key` of a class says it; never 0 for a site. */
static inline uint64_t site_key_of(unsigned kind)
{
    return ((uint64_t)kind << 32) + MEM_PEEK(mem_site) + 1;
}

/* The fast path of allocation while sites are followed and nothing else asks, of 1..site_limit
 * bytes. */
static inline void *site_take(struct mem_region *region, size_t bytes, unsigned kind)
{
    uint64_t key = site_key_of(kind);
    struct size_class *class = class_small(region, bytes);
    void *block = class->head;

    if (MEM_LIKELY(!glue_threaded() && class->site_key == key && block))
        return class_take_head(region, class, block);
    return site_take_slow(region, bytes, kind);
}

/* The size of the blocks of PACK. */
static inline uint32_t pack_bytes(const struct span *pack)
{
    return pack->region->classes[pack->class_index].bytes;
}

/* BYTES more or less fill the large SPAN, which grew before: nothing is to be done. */
static inline bool large_fits(const struct span *span, size_t bytes)
{
    return bytes > MEM_CLASS_MAX && (bytes - 1) >> MEM_PAGE_SHIFT < span->pages &&
           (bytes - 1) >> MEM_PAGE_SHIFT >= span->pages / 2 && span->grown_count;
}

/* The fast path of a free of known class. */
static inline void class_give(struct mem_region *region, struct size_class *class, void *block)
{
    int32_t room = class->room;

    if (MEM_UNLIKELY(room <= 0)) {
        pack_spill(region, class, block);
        return;
    }
    MEM_POISON(block, class->bytes);
    region_count_free(region, class->bytes);
    chain_set(block, class->head);
    class->head = block;
    class->room = room - 1;
}

/* Marks block INDEX as free in its PACK; false: it was. */
static inline bool pack_mark_index(struct span *pack, size_t index)
{
    uint64_t *word = &pack->bits[index / 64], old = *word;
    uint64_t marked = old | (uint64_t)1 << index % 64;

    if (MEM_UNLIKELY(marked == old))
        return false;
    *word = marked;
    pack->used--;
    return true;
}

static inline bool pack_mark(struct span *pack, const struct size_class *class, const void *block)
{
    return pack_mark_index(pack, pack_index(pack, class, block));
}

/* The pages of PACK have a SITED tag. */
static inline bool pack_is_sited_fast(const struct span *pack)
{
    return pack->kind == SPAN_PACK && pack->sited && pack->region->site_limit;
}

/* Of a page with a SITED tag. */
static inline bool entry_is_sited(uintptr_t entry)
{
    return (entry >> MEM_TAG_SHIFT & MEM_TAG_CLASS) - MEM_TAG_SITED - 1 < MEM_CLASSES;
}

/* The same for BLOCK of class INDEX in a quick pack with map entry ENTRY; false: freed twice. */
static inline bool quick_give(struct mem_region *region, size_t index, uintptr_t entry, void *block)
{
    struct size_class *class = &region->classes[index];
    void *head = class->head;
    int32_t room = class->room;

    if (MEM_UNLIKELY(head == block))
        return false;
#if MEM_DEBUG >= 1
    if (!block_bytes(entry_span(entry), block))
        return false;
#endif
    if (room > 0) {
        MEM_POISON(block, class->bytes);
        region_count_free(region, class->bytes);
        chain_set(block, head);
        class->head = block;
        class->room = room - 1;
        return true;
    }
    struct span *pack = entry_span(entry);
    if (MEM_UNLIKELY(!pack_mark(pack, class, block)))
        return false;
    MEM_POISON(block, class->bytes);
    region_count_free(region, class->bytes);
    if (MEM_UNLIKELY(pack->used <= pack->low))
        pack_low(pack);
    return true;
}

/* The same for a block of the mixed pack of REGION. Where its class has packs, it is put aside, so
 * that the blocks in use come to be of quick packs only. */
static inline bool mixed_give(struct mem_region *region, void *block)
{
    const struct mixed_pack *mixed = region->mixed;
    size_t unit = (size_t)((const char *)block - mixed->span->base) / MEM_ALIGN;
    struct size_class *class = &region->classes[mixed->unit_class[unit] - 1];

    if (MEM_UNLIKELY(!mixed->unit_class[unit] || class->head == block))
        return false;
    if (!class->pack_count) {
        class_give(region, class, block);
        return true;
    }
    MEM_POISON(block, class->bytes);
    region_count_free(region, class->bytes);
    chain_set(block, class->mixed_free);
    class->mixed_free = block;
    return true;
}

/* The fast path of a free of unknown class, of BLOCK in a page with map entry ENTRY: false when it
 * is not so simple and still there. */
static inline bool entry_give(uintptr_t entry, void *block)
{
    size_t index = (entry >> MEM_TAG_SHIFT & MEM_TAG_CLASS) - 1;

    if (MEM_UNLIKELY((uintptr_t)block % MEM_ALIGN))
        return false;
    if (MEM_UNLIKELY(index >= MEM_CLASSES))
        return index == MEM_TAG_MIXED - 1 && mixed_give(entry_span(entry)->region, block);
    return quick_give(entry_span(entry)->region, index, entry, block);
}

#endif
