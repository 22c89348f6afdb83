/*
 * glob: pathname expansion.
 *
 * A pattern is cut at its slashes into steps. A step without special characters is appended to the
 * path unseen; any other is matched against the entries of one directory, which is read once and
 * closed before anything below it is looked at. The kernel is asked about an entry only where the
 * directory does not tell its type. Names go to scratch, as fields of the caller; everything else
 * dies with the call.
 */
#include "shell/base/sys.h"
#include "shell/expand/build.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

enum step_kind { STEP_LITERAL, STEP_PATTERN, STEP_ANY_DEPTH, STEP_NOTHING };
struct step {
    enum step_kind kind;
    const char *text; /* STEP_LITERAL: the name, unescaped */
    size_t len;
    struct pattern *pattern;
    struct pattern *folded; /* globcasedetect: the same where case does not count, or NULL */
    size_t slashes;         /* that follow */
};

struct glob {
    struct shell *sh;
    struct fields *fields;
    struct buf path; /* so far */
    struct step *steps;
    size_t step_count;
    struct pattern *ignore; /* FIGNORE */
    bool mark;              /* set -o markdirs */
};

static enum flow glob_step(struct glob *g, size_t index);

/* ---- steps ---- */

/* Length of a leading ~(options) that holds for the whole pattern. */
static size_t options_len(const char *text, size_t len, bool *ret_null)
{
    if (len < 3 || text[0] != '~' || text[1] != '(')
        return 0;
    size_t i = 2;
    bool on = true;
    while (i < len && (text[i] == '-' || text[i] == '+' ||
                       (text[i] >= 'A' && text[i] <= 'z' && text[i] != '\\'))) {
        if (text[i] == '-' || text[i] == '+')
            on = text[i] == '+';
        else if (text[i] == 'N')
            *ret_null = on;
        i++;
    }
    return i < len && text[i] == ')' ? i + 1 : 0;
}

/* End of the step that starts at TEXT: an unescaped slash that is not within parentheses. */
static size_t step_len(const char *text, size_t len)
{
    unsigned depth = 0;
    size_t i = 0;
    for (; i < len; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == '(')
            depth++;
        else if (text[i] == ')' && depth > 0)
            depth--;
        else if (text[i] == '/' && depth == 0)
            break;
    }
    return i < len ? i : len;
}

static size_t count_slashes(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && text[n] == '/')
        n++;
    return n;
}

/* The pattern of STEP from TEXT, and with globcasedetect the one that ignores case. */
static void step_compile(struct glob *g, struct step *step, const char *text, size_t len)
{
    static const char ignoring[] = "~(i)";
    const size_t prefix = sizeof ignoring - 1;
    unsigned flags = g->ignore ? 0 : PATTERN_PERIOD;
    step->pattern = pattern_compile(g->sh->heap, text, len, flags);
    if (!step->pattern || !option_on(g->sh, OPTION_GLOBCASEDETECT))
        return;
    char *copy = scratch_alloc(g->sh, prefix + len);
    if (!copy)
        return;
    memcpy(copy, ignoring, prefix);
    memcpy(copy + prefix, text, len);
    step->folded = pattern_compile(g->sh->heap, copy, prefix + len, flags);
}

/* OPTIONS[0..OPTIONS_LEN) are put before each pattern. */
static enum flow step_make(struct glob *g, struct step *step, const char *options,
                           size_t options_len_, const char *text, size_t len)
{
    struct shell *sh = g->sh;
    bool literal = pattern_is_literal(text, len, PATTERN_PERIOD);
    char *copy = scratch_alloc(sh, options_len_ + len + 1);
    if (!copy)
        return shell_fail_memory(sh, len);
    if (len == 2 && memcmp(text, "**", 2) == 0 && option_on(sh, OPTION_GLOBSTAR)) {
        step->kind = STEP_ANY_DEPTH;
        return FLOW_NEXT;
    }
    if (literal && options_len_ == 0) {
        step->kind = STEP_LITERAL;
        step->len = pattern_unescape(text, len, copy);
        step->text = copy;
        return FLOW_NEXT;
    }
    memcpy(copy, options, options_len_);
    memcpy(copy + options_len_, text, len);
    step->kind = STEP_PATTERN;
    step_compile(g, step, copy, options_len_ + len);
    if (step->pattern)
        return FLOW_NEXT;
    step->kind = STEP_NOTHING; /* an invalid regular expression matches no file */
    return pattern_error(errno) ? FLOW_NEXT : shell_fail_memory(sh, len);
}

static enum flow steps_make(struct glob *g, const char *text, size_t len)
{
    bool null;
    size_t options = options_len(text, len, &null);
    const char *rest = text + options;
    size_t rest_len = len - options, count = 1;
    for (size_t i = 0; i < rest_len; i++)
        count += rest[i] == '/';
    g->steps = mem_alloc_zeroed(g->sh->scratch, count * sizeof *g->steps);
    if (!g->steps)
        return shell_fail_memory(g->sh, count * sizeof *g->steps);
    size_t slashes = count_slashes(rest, rest_len);
    for (size_t i = 0; i < slashes; i++)
        buf_putc(&g->path, '/');
    rest += slashes;
    rest_len -= slashes;
    while (rest_len > 0) {
        struct step *step = &g->steps[g->step_count++];
        size_t n = step_len(rest, rest_len);
        TRY(step_make(g, step, text, options, rest, n));
        step->slashes = count_slashes(rest + n, rest_len - n);
        rest += n + step->slashes;
        rest_len -= n + step->slashes;
        if (step > g->steps && step->kind == STEP_ANY_DEPTH && step[-1].kind == STEP_ANY_DEPTH) {
            step[-1].slashes = step->slashes; /* the second finds nothing that the first did not */
            g->step_count--;
        }
    }
    return FLOW_NEXT;
}

/* ---- entries ---- */

static const char *path_text(struct glob *g)
{
    g->path.data[g->path.len] = '\0';
    return g->path.data;
}

static bool path_is_directory(struct glob *g)
{
    char buffer[FDTAB_PATH_SIZE];
    struct stat st;
    return stat(fdtab_path(g->sh, path_text(g), buffer), &st) == 0 && S_ISDIR(st.st_mode);
}

/* What the path is, not following a link; DT_UNKNOWN: it is not there. */
static unsigned char path_type(struct glob *g)
{
    char buffer[FDTAB_PATH_SIZE];
    struct stat st;
    if (lstat(fdtab_path(g->sh, path_text(g), buffer), &st) != 0)
        return DT_UNKNOWN;
    return (unsigned char)IFTODT(st.st_mode);
}

/* The path is a result. TYPE: as the directory told, or DT_UNKNOWN. */
static enum flow glob_found(struct glob *g, unsigned char type)
{
    size_t len = g->path.len;
    if (g->mark && len > 0 && g->path.data[len - 1] != '/' &&
        (type == DT_DIR || ((type == DT_UNKNOWN || type == DT_LNK) && path_is_directory(g))))
        buf_putc(&g->path, '/');
    const char *text;
    size_t text_len;
    TRY(buf_text(g->sh, &g->path, &text, &text_len));
    TRY(fields_push_copy(g->sh, g->fields, text, text_len));
    g->path.len = len;
    return FLOW_NEXT;
}

/* The entry whose name was appended to the path matched step INDEX: goes on below it, or is a
 * result. */
static enum flow glob_descend(struct glob *g, size_t index, unsigned char type)
{
    const struct step *step = &g->steps[index];
    bool maybe_directory = type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN;
    if (step->slashes == 0)
        return glob_found(g, type);
    if (!maybe_directory)
        return FLOW_NEXT;
    if (index + 1 == g->step_count && type != DT_DIR && !path_is_directory(g))
        return FLOW_NEXT;
    for (size_t i = 0; i < step->slashes; i++)
        buf_putc(&g->path, '/');
    return index + 1 == g->step_count ? glob_found(g, DT_DIR) : glob_step(g, index + 1);
}

/* Names of the directory PATH that STEP's pattern (NULL: any not hidden) matches, each as its type,
 * its bytes and a NUL. */
static void read_names(struct glob *g, const struct step *step, struct buf *names)
{
    char buffer[FDTAB_PATH_SIZE];
    DIR *dir = opendir(g->path.len ? fdtab_path(g->sh, path_text(g), buffer) : ".");
    if (!dir)
        return;
    const struct pattern *pattern = step->pattern;
    if (step->folded && sys_ignores_case(dirfd(dir)))
        pattern = step->folded;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        size_t len = strlen(name);
        if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
            continue;
        if (pattern ? !pattern_matches(pattern, name, len) : name[0] == '.' && !g->ignore)
            continue;
        if (g->ignore && pattern_matches(g->ignore, name, len))
            continue;
        buf_putc(names, (char)entry->d_type);
        buf_append(names, name, len + 1);
    }
    closedir(dir);
}

/* Calls for each name of the directory PATH: the entry is appended to the path. */
static enum flow glob_entries(struct glob *g, size_t index,
                              enum flow (*visit)(struct glob *g, size_t index, unsigned char type))
{
    struct buf names;
    buf_init(&names, g->sh);
    read_names(g, &g->steps[index], &names);
    enum flow flow = names.failed ? shell_fail_memory(g->sh, names.len) : FLOW_NEXT;
    size_t base = g->path.len;
    for (size_t i = 0; i < names.len && flow == FLOW_NEXT;) {
        unsigned char type = (unsigned char)names.data[i];
        size_t len = strlen(names.data + i + 1);
        buf_append(&g->path, names.data + i + 1, len);
        flow = visit(g, index, type);
        g->path.len = base;
        i += len + 2;
    }
    buf_release(&names);
    return flow;
}

/* An entry below a ** step: it is a result or a place to go on, and if it is a directory so is all
 * below it. */
static enum flow visit_deep(struct glob *g, size_t index, unsigned char type)
{
    const struct step *step = &g->steps[index];
    if (type == DT_UNKNOWN)
        type = path_type(g);
    size_t base = g->path.len;
    if (step->slashes == 0)
        TRY(glob_found(g, type));
    if (type != DT_DIR)
        return FLOW_NEXT;
    for (size_t i = 0; i < step->slashes || i == 0; i++)
        buf_putc(&g->path, '/');
    if (step->slashes > 0)
        TRY(index + 1 == g->step_count ? glob_found(g, DT_DIR) : glob_step(g, index + 1));
    TRY(glob_entries(g, index, visit_deep));
    g->path.len = base;
    return FLOW_NEXT;
}

static enum flow glob_step(struct glob *g, size_t index)
{
    const struct step *step = &g->steps[index];
    if (g->path.len >= PATH_MAX) /* no such file can be named: however long the pattern is */
        return FLOW_NEXT;
    switch (step->kind) {
    case STEP_PATTERN:
        return glob_entries(g, index, glob_descend);
    case STEP_ANY_DEPTH:
        if (index + 1 < g->step_count) {
            size_t base = g->path.len;
            TRY(glob_step(g, index + 1));
            g->path.len = base;
        }
        return glob_entries(g, index, visit_deep);
    case STEP_NOTHING:
        return FLOW_NEXT;
    case STEP_LITERAL:
        break;
    }
    size_t base = g->path.len;
    unsigned char type;
    buf_append(&g->path, step->text, step->len);
    for (size_t i = 0; i < step->slashes; i++)
        buf_putc(&g->path, '/');
    enum flow flow = FLOW_NEXT;
    if (index + 1 < g->step_count)
        flow = glob_step(g, index + 1);
    else if (g->path.failed)
        flow = shell_fail_memory(g->sh, g->path.len);
    else if ((type = path_type(g)) != DT_UNKNOWN)
        flow = glob_found(g, type);
    g->path.len = base;
    return flow;
}

/* ---- the whole ---- */

static int compare_names(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int order = strcoll(x, y);
    return order ? order : strcmp(x, y);
}

static enum flow glob_run(struct glob *g, const char *pattern, size_t len)
{
    const char *ignore = var_text(g->sh, "FIGNORE");
    if (ignore) {
        g->ignore = pattern_compile(g->sh->heap, ignore, strlen(ignore), 0);
        if (!g->ignore && !pattern_error(errno))
            return shell_fail_memory(g->sh, strlen(ignore));
    }
    TRY(steps_make(g, pattern, len));
    return g->step_count > 0 ? glob_step(g, 0) : FLOW_NEXT;
}

enum flow glob_expand(struct shell *sh, const char *pattern, size_t len, struct fields *fields,
                      size_t *ret_count)
{
    sh->stats.globs++;
    struct glob g = { .sh = sh, .fields = fields, .mark = option_on(sh, OPTION_MARKDIRS) };
    buf_init(&g.path, sh);
    size_t first = fields->count;
    enum flow flow = glob_run(&g, pattern, len);
    for (size_t i = 0; i < g.step_count; i++) {
        pattern_free(g.steps[i].pattern);
        pattern_free(g.steps[i].folded);
    }
    pattern_free(g.ignore);
    buf_release(&g.path);
    TRY(flow);
    size_t count = fields->count - first;
    if (count > 1)
        qsort(fields->argv + first, count, sizeof *fields->argv, compare_names);
    *ret_count = count;
    return FLOW_NEXT;
}

enum flow glob_field(struct shell *sh, struct fields *fields, const char *text, size_t len)
{
    if (!option_on(sh, OPTION_NOGLOB) && !pattern_is_literal(text, len, PATTERN_PERIOD)) {
        size_t count;
        bool null = false;
        TRY(glob_expand(sh, text, len, fields, &count));
        if (count == 0)
            options_len(text, len, &null);
        if (count > 0 || null)
            return FLOW_NEXT;
    }
    if (!memchr(text, '\\', len))
        return fields_push_copy(sh, fields, text, len);
    char *copy = scratch_alloc(sh, len + 1);
    if (!copy)
        return shell_fail_memory(sh, len + 1);
    copy[pattern_unescape(text, len, copy)] = '\0';
    return fields_push(sh, fields, copy);
}
