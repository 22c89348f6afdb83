/*
 * The table of builtins, made from builtin.def, and which of them are switched off.
 *
 * The rows are sorted by name, so that looking one up is a binary search; running code asks once
 * per command word and remembers the answer (command_epoch). `builtin -d` sets a bit in the shell,
 * undone with the subshell that did it.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/state/frame.h"
#include "shell/state/type.h"

#define BUILTIN(symbol, name) extern const struct builtin_spec symbol##_spec;
#include "builtins/builtin.def"
#undef BUILTIN

struct row {
    const char *name;
    uint32_t len;
    const struct builtin_spec *spec;
};
static const struct row rows[] = {
#define BUILTIN(symbol, name) { name, sizeof name - 1, &symbol##_spec },
#include "builtins/builtin.def"
#undef BUILTIN
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

_Static_assert((size_t)ROW_COUNT <= sizeof((struct shell *)0)->builtins_disabled * 8,
               "a bit for each builtin");

static int row_find(const char *name, size_t len)
{
    int low = 0, high = ROW_COUNT;
    while (low < high) {
        int middle = (low + high) / 2;
        int order = text_compare(name, len, rows[middle].name, rows[middle].len);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

const struct builtin_spec *builtin_find(const char *name, size_t len)
{
    int row = row_find(name, len);
    return row < 0 ? NULL : rows[row].spec;
}

const struct builtin_spec *builtin_at(size_t index)
{
    return index < ROW_COUNT ? rows[index].spec : NULL;
}

static bool is_disabled(const struct shell *sh, int row)
{
    return (sh->builtins_disabled[row / 64] >> (row % 64) & 1) != 0;
}

const struct builtin_spec *builtin_enabled(struct shell *sh, const char *name, size_t len)
{
    const struct type *type = type_find_visible(sh, name, len);
    if (type)
        return type->command;
    int row = row_find(name, len);
    return row < 0 || is_disabled(sh, row) ? NULL : rows[row].spec;
}

static void row_flip(struct shell *sh, void *unused, uintptr_t row)
{
    (void)unused;
    sh->builtins_disabled[row / 64] ^= (uint64_t)1 << (row % 64);
    sh->command_epoch++;
}

enum flow builtin_enable(struct shell *sh, const char *name, bool on, bool *ret_found)
{
    int row = row_find(name, strlen(name));
    *ret_found = row >= 0;
    if (row < 0 || on != is_disabled(sh, row))
        return FLOW_NEXT;
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (target)
        TRY(frame_record_call(sh, target, row_flip, NULL, (uintptr_t)row));
    row_flip(sh, NULL, (uintptr_t)row);
    return FLOW_NEXT;
}
