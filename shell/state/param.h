/* Positional parameters. Owned by the frame that set them; shift is O(1). */
#ifndef SHELL_STATE_PARAM_H
#define SHELL_STATE_PARAM_H

#include "shell/state/shell.h"

struct params {
    const char **argv; /* after shifts: argv[0] is $1; NULL-terminated */
    size_t count;
    uint64_t stamp;
    void *storage; /* what to free; NULL: borrowed from the caller of a function */
};

/* Start: no parameters. param_release frees what sh->params owns. */
enum flow param_init(struct shell *sh) NODISCARD;
void param_release(struct shell *sh);
/* Replaces $1.. by copies of ARGV (set --, script start); journaled in the nearest SUBSHELL. */
enum flow param_set(struct shell *sh, size_t count, const char *const *argv) NODISCARD;
/* For calls: makes ARGV the parameters until PARAMS is restored with param_leave; ARGV is borrowed.
 * `set --` inside replaces only the callee's. */
void param_enter(struct shell *sh, struct params *params, size_t count, const char *const *argv,
                 struct params **ret_outer);
void param_leave(struct shell *sh, struct params *outer);
enum flow param_shift(struct shell *sh, size_t count) NODISCARD; /* COUNT <= sh->params->count */
/* $INDEX; NULL when unset. 0 gives $0. */
const char *param_get(const struct shell *sh, size_t index);

#endif
