/* The figures of memory by name: what vmstat's formats, its JSON and the variables .sh.mem.* know.
 */
#ifndef SHELL_STATE_FIGURE_H
#define SHELL_STATE_FIGURE_H

#include "shell/state/shell.h"

/* A figure of a region: a size_t at OFFSET of struct mem_stats. */
struct figure {
    const char *name;
    size_t offset;
    const char *help;
};
const struct figure *figure_at(size_t index); /* NULL past the end */
const struct figure *figure_find(const char *name, size_t len);
size_t figure_value(const struct figure *figure, const struct mem_stats *stats);

/* A figure of the process. */
struct process_figure {
    const char *name;
    size_t offset; /* of a uint64_t in struct process_figures */
    const char *help;
};
struct process_figures {
    uint64_t live, blocks, peak, size, free, given, lazy, segments;
    uint64_t rss, commit;
    uint64_t calls, got, got_bytes, put, put_bytes;
    uint64_t minor_faults, major_faults;
    uint64_t forks, programs;
};
const struct process_figure *process_figure_at(size_t index);
uint64_t process_figure_value(const struct process_figure *figure,
                              const struct process_figures *figures);
/* Takes them all; allocates nothing. */
void process_figures_take(const struct shell *sh, struct process_figures *ret);

/* The figure that TEXT means, `live` or `heap.busy_size`. *RET_REGION is NULL for the process. */
bool figure_path(const char *text, size_t len, const struct process_figure **ret_process,
                 const struct figure **ret_figure, size_t *ret_region_len);
/* Its value now; 0 for a region that is not open. TEXT must be one that figure_path knows. */
uint64_t figure_read(const struct shell *sh, const char *text, size_t len);

#endif
