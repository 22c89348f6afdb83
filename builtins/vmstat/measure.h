/* What a command cost: shared by -x, which shows it, and -O, which compares it. */
#ifndef BUILTINS_VMSTAT_MEASURE_H
#define BUILTINS_VMSTAT_MEASURE_H

#include "builtins/vmstat/vmstat.h"

struct region_cost {
    char name[NAME_TEXT];
    int64_t live_bytes, peak_bytes; /* changes from the start; PEAK of its highest moment */
    int64_t blocks;
    uint64_t allocs, frees, resizes;
};
struct cost {
    int64_t real_ns, user_ns, sys_ns;
    size_t region_count;
    struct region_cost regions[REGION_MAX];
    struct region_cost total;
    int64_t size_bytes, resident_bytes; /* changes */
    uint64_t peak_resident_bytes;       /* of the process, since it started */
    uint64_t calls, got, got_bytes, put, put_bytes;
    uint64_t minor_faults, major_faults;
    uint64_t forks, fork_bytes, programs;
};
struct cost_start {
    int64_t real_ns, user_ns, sys_ns;
    struct regions regions;
    size_t peaks[REGION_MAX];
    struct process_figures figures;
    struct process_counts counts;
};
/* Measures from here ... */
void cost_begin(struct shell *sh, struct cost_start *start);
/* ... to here. Each begin needs its end: it lowers the regions' peaks. */
void cost_end(struct shell *sh, struct cost_start *start, struct cost *ret);

#endif
