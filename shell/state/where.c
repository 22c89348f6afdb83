/*
 * Where the running command stands: see where.h.
 *
 * Owns sh->where and sh->script_paths. sh->line is a number within the innermost text: the file,
 * what eval runs, a function. A function's own lines are those of its file; of a function defined
 * by eval they are those of that text, which has no name, so that the function's name stands for
 * it. A message names the line of the file first and then each text within, outermost first.
 */
#include "shell/state/where.h"

#include <stdio.h>
#include <string.h>

#include "shell/state/cwd.h"
#include "shell/state/site.h"

enum { SHOWN_MAX = 8 }; /* texts within each other that a message shows */

void where_enter(struct shell *sh, struct where *where, const char *name)
{
    *where = (struct where){ .outer = sh->where,
                             .name = name,
                             .line = where_line(sh, sh->line),
                             .file_line = where_file_line(sh, sh->line),
                             .outer_shift = sh->line_shift };
    sh->where = where;
    sh->line_shift = 0;
    site_look(sh);
}

void where_leave(struct shell *sh, const struct where *where)
{
    sh->where = where->outer;
    sh->line_shift = where->outer_shift;
    site_look(sh);
}

uint32_t where_file_line(const struct shell *sh, uint32_t line)
{
    return sh->where ? sh->where->file_line : line;
}

size_t where_describe(const struct shell *sh, char *text, size_t bytes, uint32_t *ret_line)
{
    const struct where *shown[SHOWN_MAX];
    size_t count = 0, len = 0;
    uint32_t line = where_line(sh, sh->line);
    uint32_t lines[SHOWN_MAX];
    for (const struct where *where = sh->where; where; where = where->outer) {
        if (count < SHOWN_MAX) {
            shown[count] = where;
            lines[count++] = line;
        }
        line = where->line;
    }
    *ret_line = line;
    while (count-- > 0 && len < bytes) {
        int n =
            snprintf(text + len, bytes - len, "%s: line %u: ", shown[count]->name, lines[count]);
        len += n < 0 ? 0 : (size_t)n;
    }
    return len < bytes ? len : bytes - 1;
}

/* An entry of sh->script_paths. */
struct script {
    char *full;
    char path[];
};

static void script_free(struct script *script)
{
    if (script)
        mem_free(script->full);
    mem_free(script);
}

/* Out of memory .sh.file is the path as it was given. */
void where_script(struct shell *sh, const char *path)
{
    struct str full;
    size_t len = strlen(path);
    struct script *script = *path == '/' ? NULL : mem_alloc(sh->heap, sizeof *script + len + 1);
    if (!script)
        return;
    str_init(&full, sh->heap);
    memcpy(script->path, path, len + 1);
    script->full = cwd_logical(sh, path, &full) ? str_take(&full) : NULL;
    str_release(&full);
    script_free(map_remove(&sh->script_paths, path, len));
    if (!map_put(&sh->script_paths, script->path, len, script))
        script_free(script);
}

const char *where_script_path(const struct shell *sh, const char *path)
{
    const struct script *script = path ? map_get(&sh->script_paths, path, strlen(path)) : NULL;
    return script && script->full ? script->full : path;
}

void where_release(struct shell *sh)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->script_paths, &cursor));)
        script_free(slot->value);
    map_release(&sh->script_paths);
}
