/*
 * libmem: a region and segment allocator that can be watched and re-tuned while the program runs.
 *
 * Vocabulary.  A REGION is a named heap with one METHOD (how memory is handed out).  Regions get
 * raw memory in SEGMENTS from the process-wide GETTER (how memory is got from the system).  A
 * segment is cut into PACKS (runs of equal blocks) and large blocks.  A BLOCK is what a caller
 * holds.
 *
 * Any block's region is found in O(1) from its address; no function searches a list of segments.
 * Sizes are in bytes.  A block's address is a multiple of 16.  Functions that return memory return
 * NULL with errno ENOMEM when none can be had; the region stays whole.
 */
#ifndef LIBMEM_H
#define LIBMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct mem_region;

enum mem_method {
    MEM_BEST,         /* size classes and best fit: blocks of any size, freed in any order */
    MEM_LAST,         /* bump: only the newest block is freed or resized alone; mark and reset */
    MEM_POOL,         /* blocks of one fixed size */
    MEM_METHOD_DEBUG, /* best, and each block is watched: red zones, poison, quarantine */
};

/* Opens a region. NAME is copied (at most 31 bytes are kept) and is what vmstat shows.
 * POOL_BYTES is the block size of a MEM_POOL region and ignored otherwise (0: first request sets
 * it). Returns NULL and sets errno when out of memory. The caller owns the region. */
struct mem_region *mem_region_open(const char *name, enum mem_method method, size_t pool_bytes);

/* For a region that often stays small, before its first block: it begins in slices of the `malloc`
 * region, as regions of the methods last and pool always do, and gets segments of its own when it
 * has outgrown them. */
void mem_region_start_small(struct mem_region *region);

/* Gives all segments back to the system and forgets the region; every block dies. NULL is ok. */
void mem_region_close(struct mem_region *region);

/* Frees all blocks but keeps the region usable; keeps one segment for reuse. */
void mem_region_clear(struct mem_region *region);

/* The region of the malloc front; exists always. */
struct mem_region *mem_region_malloc(void);

/* Allocates. BYTES 0 gives a unique block. The block belongs to the caller until mem_free. */
void *mem_alloc(struct mem_region *region, size_t bytes);
void *mem_alloc_zeroed(struct mem_region *region, size_t bytes);
/* The block's address is a multiple of ALIGN, which may be any positive number (13 is one; what is
 * no power of two takes whole pages), and of 16. */
void *mem_align(struct mem_region *region, size_t bytes, size_t align);

/* Resizes BLOCK (NULL: allocates) to BYTES, moving it if needed; contents are kept up to the
 * smaller size. On failure NULL, and BLOCK stays valid. A block that keeps growing is
 * over-allocated. */
void *mem_resize(struct mem_region *region, void *block, size_t bytes);
/* As mem_resize but never moves: true when BLOCK now is a block of BYTES; false leaves it as it is,
 * also where a smaller size would belong to another size class. */
bool mem_resize_in_place(void *block, size_t bytes);

/* The size of the last request that failed for want of memory since this was last called; 0: none.
 * For messages. */
size_t mem_failed_take(void);

/* Frees BLOCK (NULL is ok), of whatever region. */
void mem_free(void *block);
/* The same, faster; BYTES must be a size between the one last requested (mem_alloc, mem_resize) and
 * the usable one; for a block of mem_align with ALIGN > 16 it must be mem_block_bytes(BLOCK). */
void mem_free_sized(struct mem_region *region, void *block, size_t bytes);

/* Usable bytes of BLOCK: at least what was asked for. */
size_t mem_block_bytes(const void *block);
/* The bytes a fresh request of BYTES in a MEM_BEST region would really get. */
size_t mem_good_bytes(size_t bytes);
/* The region that owns ADDRESS, or NULL. O(1). */
struct mem_region *mem_region_of(const void *address);

/* MEM_LAST: a position to come back to. Resetting frees every block handed out since, in
 * O(segments given up). Marks nest; resetting to an older mark invalidates the newer, and freeing
 * or resizing a block older than a mark invalidates that mark. */
struct mem_mark {
    void *segment;
    char *next;
    size_t busy_bytes;
    uint64_t busy_count;
};
struct mem_mark mem_region_mark(struct mem_region *region);
void mem_region_reset(struct mem_region *region, struct mem_mark mark);

/* Statistics, exact at every moment. Busy bytes include rounding. */
struct mem_stats {
    const char *name;
    enum mem_method method;
    unsigned flags;    /* of the original, always 0 */
    size_t size_bytes; /* total of all segments */
    size_t segment_count;
    size_t pack_count;
    size_t busy_bytes, busy_count;
    size_t free_bytes, free_count;   /* free blocks and untouched room */
    size_t free_max_bytes;           /* largest block that could be had without a new segment */
    size_t busy_max_bytes;           /* the largest busy block */
    size_t cache_bytes, cache_count; /* freed blocks waiting in packs for reuse */
    size_t peak_bytes;               /* the highest busy_bytes ever */
    uint64_t alloc_count, free_calls_count; /* calls since the region was opened */
    uint64_t resize_count;
    size_t given_bytes;   /* of free_bytes: given back to the system, not resident */
    size_t lazy_bytes;    /* of free_bytes: lazily freed (MADV_FREE), perhaps still resident */
    size_t retaken_bytes; /* given back and then used again, since the region was opened */
};
void mem_region_stats(struct mem_region *region, struct mem_stats *ret_stats);

/* busy_bytes and peak_bytes alone, which cost nothing to read. */
size_t mem_region_busy(const struct mem_region *region);
size_t mem_region_peak(const struct mem_region *region);

/* Measures the peak of a stretch of the program: begin lowers it to what is busy now and returns
 * what it was; end, with that, makes it again the highest of all. Stretches nest. */
size_t mem_region_peak_begin(struct mem_region *region);
void mem_region_peak_end(struct mem_region *region, size_t before);

/* What went on between the library and the system, since the start. */
struct mem_system_stats {
    uint64_t call_count;           /* system calls that got, gave or advised about memory */
    uint64_t got_count, put_count; /* segments got and given back */
    uint64_t got_bytes, put_bytes; /* with those that grew or shrank */
    size_t held_bytes;             /* of all segments now */
};
void mem_system_stats(struct mem_system_stats *ret_stats);

/* Iterates over the regions in the order they were opened; NULL starts, NULL ends. */
struct mem_region *mem_region_next(struct mem_region *region);
const char *mem_region_name(const struct mem_region *region);
/* The region called NAME, or NULL. */
struct mem_region *mem_region_find(const char *name);
const char *mem_method_name(enum mem_method method); /* "best" ... */

/* Calls VISIT for each block of REGION, busy and free, in address order within each segment; stops
 * and returns what VISIT returned when that is not 0. VISIT must not allocate from REGION. */
typedef int mem_block_visit(void *arg, void *block, size_t bytes, bool busy);
int mem_region_walk(struct mem_region *region, mem_block_visit *visit, void *arg);
typedef int mem_segment_visit(void *arg, void *base, size_t bytes);
int mem_region_walk_segments(struct mem_region *region, mem_segment_visit *visit, void *arg);

/* Calls VISIT for each stretch of REGION's segments in address order within each; they leave no gap
 * but where a part is lent to another region. VISIT as for mem_region_walk. */
enum mem_range_kind {
    MEM_RANGE_UNTOUCHED, /* nothing was ever there */
    MEM_RANGE_GIVEN,     /* free and given back to the system */
    MEM_RANGE_LAZY,      /* free and given back lazily: the system takes it when it needs it */
    MEM_RANGE_FREE,      /* free and perhaps resident */
    MEM_RANGE_BUSY,      /* holds blocks */
};
struct mem_range {
    const void *segment; /* where its segment begins */
    size_t segment_bytes;
    const char *base;
    size_t bytes;
    enum mem_range_kind kind;
    size_t busy_bytes; /* of blocks in it */
};
typedef int mem_range_visit(void *arg, const struct mem_range *range);
int mem_region_walk_ranges(struct mem_region *region, mem_range_visit *visit, void *arg);

/* Sets of blocks, to find what was lost. A set knows the blocks of all regions but OWN, from which
 * its memory comes, and those of method last; blocks in segments got after it was made are never in
 * it. */
struct mem_marks;
struct mem_marks *mem_marks_new(struct mem_region *own); /* empty; NULL: no memory */
void mem_marks_free(struct mem_marks *marks);            /* NULL is ok */
bool mem_marks_has(const struct mem_marks *marks, const void *block);
/* True when BLOCK was not in it and now is. */
bool mem_marks_add(struct mem_marks *marks, const void *block);
void mem_marks_add_busy(struct mem_marks *marks); /* all that live now */
/* Adds all that the program can reach, from its variables, stack and registers, through whatever
 * looks like an address. Blocks that only OWN leads to are not reached. false: no memory; the set
 * is not whole. For programs of one thread. */
bool mem_marks_reach(struct mem_marks *marks);

/* Checks every invariant of REGION (NULL: of all regions). Returns the number of faults found; each
 * is also one line `vmalloc: corrupted: why` on standard error. */
size_t mem_check(struct mem_region *region);

/* Options: the text of VMALLOC_OPTIONS. Read once from the environment before the first allocation;
 * mem_options_apply changes what may change later and reports the rest in one line each on standard
 * error. Returns the number of complaints. */
unsigned mem_options_apply(const char *text);
/* The same, but all or nothing: on a complaint the options stay as they were. */
unsigned mem_options_change(const char *text);
/* The same with what was in force before: files are not emptied but go on. */
unsigned mem_options_restore(const char *text);
/* The state in force, in a form that mem_options_restore takes; NUL-terminated, cut at BYTES.
 * MEM_STATE_BYTES are always enough. */
enum { MEM_STATE_BYTES = 4096 };
void mem_options_get(char *ret_text, size_t bytes);
/* The program has nothing to do: memory that was free for the whole delay goes back now. Returns
 * after how many milliseconds a further call would give back more; -1: it would not. */
int mem_idle(void);
/* Gives back all that is free now; returns the bytes. */
size_t mem_give_back(void);
/* Called once when the process heap outgrows limit=SIZE:trap, in the middle of a request: must only
 * take note. The heap may then grow by a reserve. */
extern void (*mem_limit_notify)(void);
/* After it was called and things were put right: unmaps what ends segments and is free, so that it
 * no longer counts, and the next passing of the limit is told again. */
void mem_limit_relieve(void);
/* For programs whose signal handlers leave by siglongjmp or allocate: with HOLD all signals wait
 * while a heap is being changed, so that none is left half changed. Costs two system calls a call.
 */
void mem_signals_hold(bool hold);
/* Writes out what `trace` has collected: before _exit and exec, which run no destructors. */
void mem_flush(void);
/* Gets each line that would go to standard error, without its newline. NULL: they go there. Must
 * not allocate. */
extern void (*mem_line_notify)(const char *text, size_t bytes);
/* What is due at exit (leak report, flush): for programs that end by _exit. */
void mem_exit(void);
/* One row of the option table: for help and completion. NULL past the end. */
struct mem_option_info {
    const char *name, *value, *help;
};
const struct mem_option_info *mem_option_at(size_t index);

/*
 * Attribution: who allocated.
 *
 * A SITE is a number from mem_site_new for a place in the program (a statement with the calls that
 * led there, a phase, a request); the program keeps what each number means. It puts the site of
 * what it is doing into mem_site, where libmem reads it at each call: with sites=on (the option, or
 * mem_sites_set) every block carries the site that got or last resized it, and each site has exact
 * counters. Site 0 is the unknown: what was allocated before attribution was on or while mem_site
 * was 0 or no number of mem_site_new. The KIND of a block, 0 to MEM_KINDS - 1, says what it is for;
 * it comes from the call (mem_alloc_kind) or from the region (mem_region_kind_set). 0: other.
 *
 * Off, this costs nothing; on, a nanosecond or a few a call, the less the more blocks of one site
 * and kind come after each other, and up to four bytes for each block. Switched off while
 * attributed blocks live it is FINISHING: new blocks belong to site 0, the old ones are followed
 * until they die, and then the cost ends. So at any moment but OFF the live bytes of all sites are
 * the busy bytes of all regions; while it is OFF, site 0 stands for all of them. Counters are kept
 * over off and on until mem_sites_reset. All threads share mem_site. Sites may be switched while
 * threads are at work: each region follows with its owner's next request for memory, and what it
 * holds is of site 0 till then.
 */
enum { MEM_SITE_MAX = (1 << 24) - 1, MEM_KINDS = 32 };
enum mem_sites { MEM_SITES_OFF, MEM_SITES_FINISHING, MEM_SITES_ON };

extern uint32_t mem_site;
/* Somebody reads mem_site: sites=on, trace, watch, or a debug region. Else it need not be set; when
 * this becomes false mem_site is set to 0. */
extern bool mem_site_wanted;
/* Puts what SITE means, such as `script,12,function`, into RET_TEXT for a warning; false: unknown.
 * The program sets it; NULL: warnings name an address in the program's code. Must not allocate. */
extern bool (*mem_site_describe)(uint32_t site, char *ret_text, size_t bytes);

/* The next site, from 1; 0 when there is no memory for its counters or no number left. Sites live
 * as long as the process. */
uint32_t mem_site_new(void);
/* One more than the highest site. */
uint32_t mem_site_count(void);
/* As the option sites=on|off. */
void mem_sites_set(bool on);
enum mem_sites mem_sites_state(void);
/* Forgets the past: calls become 0 and peaks what lives now. */
void mem_sites_reset(void);

struct mem_site_stats {
    uint64_t live_bytes, live_count; /* usable bytes of living blocks, as busy bytes of a region */
    uint64_t peak_bytes;             /* the most live_bytes ever but for MEM_LAST regions, plus the
                                        most in those (of a kind: in each of those) */
    uint64_t call_count;             /* blocks got, and blocks that a resize changed */
};
/* False: no such site or kind. */
bool mem_site_stats(uint32_t site, struct mem_site_stats *ret_stats);
bool mem_kind_stats(unsigned kind, struct mem_site_stats *ret_stats);
/* Calls VISIT for each site that something was attributed to, in the order of their numbers; stops
 * and returns what VISIT returned when that is not 0. VISIT must not allocate. */
typedef int mem_site_visit(void *arg, uint32_t site, const struct mem_site_stats *stats);
int mem_site_walk(mem_site_visit *visit, void *arg);
/* Site and kind of the living BLOCK, O(1); 0 and its region's kind where nothing is known. Not
 * meaningful for a free block of mem_region_walk. */
uint32_t mem_site_of(const void *block, unsigned *ret_kind);

/* The kind of blocks of REGION got without one; before its first block. */
void mem_region_kind_set(struct mem_region *region, unsigned kind);
/* As the calls without _kind, for a block of KIND, which costs nothing more. A
 * resized block stays of its kind. MEM_LAST regions know only their own kind. */
void *mem_alloc_kind(struct mem_region *region, size_t bytes, unsigned kind);
void *mem_alloc_zeroed_kind(struct mem_region *region, size_t bytes, unsigned kind);
void *mem_resize_kind(struct mem_region *region, void *block, size_t bytes, unsigned kind);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
