/*
 * trace_format.h: the compact form of a trace, shared by trace.c, which writes it, and memreplay.
 *
 * A header of 16 bytes, then events of 8 or 16 bytes in the byte order of the machine. Word 0 of an
 * event: kind in bits 0..2, address / 16 in 3..45, microseconds since the event before in 46..63
 * (TRACE_TIME_MAX: that or more; the clock is read at each 32nd event). Word 1, absent for a
 * free: size in bits 0..39 and site in 40..63; aligned: size in 0..33, log2 of the largest power of
 * two in the alignment in 34..39; moved: the new address / 16 in 0..42 and the size in 43..63,
 * which above TRACE_SIZE_EXACT counts 4 KiB units.
 */
#ifndef LIBMEM_TRACE_FORMAT_H
#define LIBMEM_TRACE_FORMAT_H

#include <stdint.h>

struct trace_header {
    char magic[8]; /* TRACE_MAGIC without its NUL */
    uint32_t version, pid;
};

enum trace_kind { TRACE_FREE, TRACE_ALLOC, TRACE_RESIZE, TRACE_MOVE, TRACE_ALIGN };

#define TRACE_MAGIC      "memtrace"
#define TRACE_TIME_MAX   ((uint64_t)(1 << 18) - 1)
#define TRACE_SIZE_EXACT ((uint64_t)(1 << 20) - 1)
#define TRACE_UNITS      ((uint64_t)1 << 20) /* bit of a moved size: the rest counts units */
#define TRACE_UNIT_SHIFT 12

static inline uint64_t trace_word(enum trace_kind kind, uint64_t address, uint64_t time)
{
    return (uint64_t)kind | (address >> 4 & (((uint64_t)1 << 43) - 1)) << 3 | time << 46;
}

static inline uint64_t trace_address(uint64_t word)
{
    return (word >> 3 & (((uint64_t)1 << 43) - 1)) << 4;
}

#endif
