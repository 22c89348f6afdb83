/*
 * special_stats.c: .sh.stats and its members: how often the shell did what since it started.
 *
 * Owns the table of their names; whoever does the work counts it in sh->stats or sh->counts. The
 * names are flat, as all below .sh: `.sh.stats` itself is the text that a compound variable of them
 * would show. Must not write variables.
 */
#include <stddef.h>
#include <string.h>

#include "shell/state/special.h"
#include "shell/state/var_private.h"

struct stat_row {
    const char *name;
    size_t offset; /* of a uint64_t in struct shell */
};

static const struct stat_row stat_rows[] = {
    { "arg_cachehits", offsetof(struct shell, stats.literal_words) },
    { "arg_expands", offsetof(struct shell, stats.expanded_words) },
    { "comsubs", offsetof(struct shell, stats.captures) },
    { "forks", offsetof(struct shell, counts.forks) },
    { "funcalls", offsetof(struct shell, stats.ksh_calls) },
    { "globs", offsetof(struct shell, stats.globs) },
    { "linesread", offsetof(struct shell, stats.lines_read) },
    { "nv_cachehit", offsetof(struct shell, stats.names_known) },
    { "nv_opens", offsetof(struct shell, stats.names_asked) },
    { "pathsearch", offsetof(struct shell, stats.path_searches) },
    { "posixfuncall", offsetof(struct shell, stats.posix_calls) },
    { "simplecmds", offsetof(struct shell, stats.simple_commands) },
    { "spawns", offsetof(struct shell, counts.programs) },
    { "subshell", offsetof(struct shell, stats.subshells) },
};

static uint64_t stat_read(const struct shell *sh, const struct stat_row *row)
{
    uint64_t n;
    memcpy(&n, (const char *)sh + row->offset, sizeof n);
    return n;
}

enum flow special_stat(struct shell *sh, struct name *name, const char **ret_text, size_t *ret_len)
{
    const char *member = name->text + strlen(".sh.stats.");
    struct value value = { 0 };
    for (size_t i = 0; i < sizeof stat_rows / sizeof *stat_rows; i++)
        if (strcmp(stat_rows[i].name, member) == 0)
            value_set_int(&value, (int64_t)stat_read(sh, &stat_rows[i]));
    return attr_show(sh, name->cur, &value, ret_text, ret_len);
}

enum flow special_stats(struct shell *sh, struct name *name, const char **ret_text, size_t *ret_len)
{
    struct str s;
    (void)name;
    str_init(&s, sh->scratch);
    str_append_z(&s, "(\n");
    for (size_t i = 0; i < sizeof stat_rows / sizeof *stat_rows; i++)
        str_printf(&s, "\ttypeset -r -i %s=%llu\n", stat_rows[i].name,
                   (unsigned long long)stat_read(sh, &stat_rows[i]));
    str_putc(&s, ')');
    if (!str_ok(&s))
        return shell_fail_memory(sh, s.len);
    *ret_text = str_text(&s);
    *ret_len = s.len;
    return FLOW_NEXT;
}
