/* The format language of vmstat -f and vmstate. */
#ifndef BUILTINS_VMSTAT_FORMAT_H
#define BUILTINS_VMSTAT_FORMAT_H

#include "shell/state/shell.h"

struct format_record {
    const char *command; /* for messages */
    struct mem_region *region;
    const struct mem_stats *stats;
};

/* The format of the original command. */
extern const char vmstat_default_format[];

/* Writes RECORD to OUT as FORMAT says, and a newline. An unknown identifier is a warning, and the
 * record goes on; false when there was one. */
bool vmstat_format(struct shell *sh, struct out *out, const char *format,
                   const struct format_record *record);

#endif
