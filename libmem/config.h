/*
 * config.h: the numbers libmem is built on: page unit, size classes, bins and limits.
 *
 * A PAGE here is the unit in which segments are cut (4 KiB, or a part of a larger system page); the
 * page of the system only rounds requests. Sizes up to MEM_SMALL_MAX have a class for each 16
 * bytes, sizes up to MEM_CLASS_MAX eight classes for each doubling, and larger ones get whole
 * pages. Nothing but constants and the pure functions on them belongs here.
 */
#ifndef LIBMEM_CONFIG_H
#define LIBMEM_CONFIG_H

#include <stddef.h>
#include <stdint.h>

/* Whether malloc.c defines the C library's calls, and how much libmem checks of itself (0..3). */
#ifndef MEM_FRONT
#define MEM_FRONT 0
#endif
#ifndef MEM_DEBUG
#define MEM_DEBUG 0
#endif

#define MEM_LIKELY(e)   __builtin_expect(!!(e), 1)
#define MEM_UNLIKELY(e) __builtin_expect(!!(e), 0)

enum {
    MEM_PAGE_SHIFT = 12,
    MEM_ALIGN = 16,       /* every block starts on a multiple of this */
    MEM_SMALL_MAX = 1024, /* last size of the 16-byte steps */
    MEM_CLASS_MAX = 8192, /* last size that comes from a pack */
    MEM_SMALL_CLASSES = MEM_SMALL_MAX / MEM_ALIGN,
    MEM_CLASSES = MEM_SMALL_CLASSES + 3 * 8,
    MEM_NAME_BYTES = 32,      /* of a region's name, with its NUL */
    MEM_FILE_BYTES = 256,     /* of a file's name */
    MEM_LINE_BYTES = 1024,    /* of a message */
    MEM_OPTIONS_BYTES = 1023, /* of VMALLOC_OPTIONS in the environment are looked at */
    MEM_WATCH_MAX = 32,       /* addresses of watch= */
    MEM_PACK_BLOCKS_MAX = 4096,
    MEM_PACK_PAGES = 16,  /* a pack of a class that is much used */
    MEM_SHRINK_PART = 16, /* a region shrinks when only this part of its packs is busy */
    MEM_MIXED_PAGES = 4,  /* the shared first pack of a region ... */
    MEM_MIXED_UNITS = MEM_MIXED_PAGES * 4096 / MEM_ALIGN, /* ... in units of 16 bytes */
    MEM_MIXED_CLASS_BYTES = 1536, /* of it for one class, which then gets packs of its own */
    MEM_PACK_FULL = 0xffff,
    MEM_PACK_WATCHED = 0xfffe,
    MEM_TAG_SHIFT = 48,      /* of a map entry: the tag is in the bits that addresses have not */
    MEM_TAG_CLASS = 0xff,    /* of a tag: class + 1, or ... */
    MEM_TAG_SITED = 0x80,    /* ... the same with this bit where only sites are followed, or ... */
    MEM_TAG_MIXED = 0xff,    /* ... this for the mixed pack */
    MEM_TAG_HEAP = 0x100,    /* ... and above it the number of a heap ... */
    MEM_TAG_HEAPS = 254,     /* ... up to this; the rest have 0, as other regions */
    MEM_TAG_NOBODY = 0xff00, /* the tag of a heap that owns no tagged page */
    MEM_CHAIN_BYTES = 16384, /* aimed at in a class's chain ... */
    MEM_CHAIN_MIN = 4,       /* ... which holds this many blocks at least */
    MEM_CHAIN_MAX = 256,     /* ... and this many at most */
    MEM_BINS = 112,          /* lists of free spans by size */
    MEM_BIN_SCAN = 24,       /* spans looked at in one bin for a better fit */
    MEM_MAP_LEAF_BITS = 18,  /* pages of one leaf of the page map: 1 GiB */
    MEM_MAP_ROOT_BITS = 17,  /* leaves: 47 bits of address */
    MEM_ARENAS = 64,         /* heaps for threads */
    MEM_DELAY_MS = 100,      /* of calm before memory goes back */
    MEM_DELAY_MAX = 1000000,
    MEM_LAST_HEAD = 8,        /* bytes before each block of a MEM_LAST region ... */
    MEM_LAST_SITE_SHIFT = 40, /* ... of which the upper bits are its site */
};

#define MEM_PAGE         ((size_t)1 << MEM_PAGE_SHIFT)
#define MEM_BYTES_MAX    ((size_t)PTRDIFF_MAX - ((size_t)1 << 32)) /* more is never tried */
#define MEM_SEGSIZE      ((size_t)4 << 20)
#define MEM_SEGSIZE_MAX  ((size_t)16 << 30)
#define MEM_PAGESIZE_MAX ((size_t)1 << 30)
#define MEM_SHRINK_MIN   ((size_t)4 << 20)   /* smaller regions keep their packs */
#define MEM_HUGE_LIVE    ((size_t)8 << 20)   /* huge=auto: from so many live bytes on ... */
#define MEM_HUGE_MIN     ((size_t)2 << 20)   /* ... for ranges from this size on */
#define MEM_LIMIT_MIN    ((size_t)512 << 10) /* start-up needs more or less this */
#define MEM_CALM_MIN     ((size_t)1 << 20)   /* less free memory is not worth giving back */
#define MEM_SOLO_MIN     ((size_t)1 << 20)   /* blocks from here on get a segment that can grow */
#define MEM_SLICE_FIRST  ((size_t)16 << 10)  /* small regions begin in a slice of this size, ... */
#define MEM_SLICE_PACKS  ((size_t)64 << 10)  /* ... those with packs in one of this, ... */
#define MEM_SLICE_MAX    ((size_t)128 << 10) /* ... and go on in slices up to this one */
#define MEM_LAST_STEP    ((size_t)64 << 10)  /* a MEM_LAST segment is entered in the map by steps */
#define MEM_ROOM_FIRST   ((size_t)128 << 20) /* addresses a first segment may grow over ... */
#define MEM_ROOM_LATER   ((size_t)64 << 30)  /* ... and a later one */

/* For the few variables that every process writes to, and that few others lie beside: in the page
 * of initialised data they cost a start no page fault, and each fork no page table, of their own.
 */
#define MEM_WARM __attribute__((section(".data")))

/* Of a function that reads counters which another thread may be changing: what it finds may be a
 * moment old, and nothing else comes of it. */
#define MEM_RACY __attribute__((no_sanitize("thread")))

/* X, which another thread may set under the lock: what is read may be a moment old. The paths that
 * do so have no instruction to spare, and a plain load or store of a word is as good as one that
 * says it. */
#if defined(__has_feature) && !defined(__SANITIZE_THREAD__)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1 /* clang's name for it */
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define MEM_PEEK(x)        __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define MEM_POKE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#else
#define MEM_PEEK(x)        (x)
#define MEM_POKE(x, value) ((x) = (value))
#endif

static inline size_t mem_round_up(size_t bytes, size_t unit)
{
    size_t rest = bytes % unit;

    return rest ? bytes + (unit - rest) : bytes;
}

static inline size_t mem_pages(size_t bytes)
{
    return (bytes + MEM_PAGE - 1) >> MEM_PAGE_SHIFT;
}

/* The class of BYTES, which must be 1..MEM_CLASS_MAX. */
static inline unsigned mem_class_of(size_t bytes)
{
    if (MEM_LIKELY(bytes <= MEM_SMALL_MAX))
        return (unsigned)((bytes - 1) / MEM_ALIGN);
    unsigned log = 63u - (unsigned)__builtin_clzl(bytes - 1);
    unsigned step = (unsigned)((bytes - 1) >> (log - 3)) & 7u;
    return MEM_SMALL_CLASSES + (log - 10) * 8 + step;
}

/* The block size of class INDEX. */
static inline size_t mem_class_bytes(unsigned index)
{
    if (index < MEM_SMALL_CLASSES)
        return ((size_t)index + 1) * MEM_ALIGN;
    unsigned log = 10 + (index - MEM_SMALL_CLASSES) / 8;
    unsigned step = (index - MEM_SMALL_CLASSES) % 8;
    return ((size_t)1 << log) + ((size_t)(step + 1) << (log - 3));
}

/* The bin of free spans of PAGES pages: exact up to 16, then four to each doubling. */
static inline unsigned mem_bin_of(size_t pages)
{
    if (pages <= 16)
        return (unsigned)pages - 1;
    unsigned log = 63u - (unsigned)__builtin_clzl(pages);
    unsigned bin = 16 + (log - 4) * 4 + ((unsigned)(pages >> (log - 2)) & 3u);
    return bin < MEM_BINS ? bin : MEM_BINS - 1;
}

#endif
