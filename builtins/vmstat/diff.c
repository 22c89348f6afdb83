/*
 * diff.c: -d, what changed between two snapshots, or between one and now.
 *
 * Both are texts (snapshot.h), kept, read from a file or made now. Each is cut into entries, which
 * are sorted by what they are of, so that one pass over both finds the pairs. Shown is what
 * changed, the largest change first.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins/vmstat/snapshot.h"
#include "shell/base/sys.h"

enum { FILE_BYTES_MAX = 256 << 20, READ_BYTES = 65536 };
#define VALUE_MAX (INT64_C(1) << 60)
static const char damaged[] = "%s: not a snapshot, or damaged";

enum entry_kind { ENTRY_REGION, ENTRY_VARIABLE, ENTRY_LINE, ENTRY_KINDS };
static const char *const entry_words[ENTRY_KINDS] = { "region", "variable", "line" };
static const char *const entry_titles[ENTRY_KINDS][4] = {
    { "region", "live", "blocks", "size" },
    { "variable", "bytes", "elements", "slack" },
    { "line", "live", "blocks", "calls" },
};

struct entry {
    enum entry_kind kind;
    const char *name;
    size_t len;
    int64_t values[3]; /* BYTES COUNT and the third */
};
struct entries {
    struct entry *items;
    size_t count, cap;
    double time;
};
struct side { /* what is compared */
    const char *label;
    struct str own; /* made now or read from a file */
    const char *text;
    size_t len;
    struct entries entries;
};

/* ---- entries ---- */

static struct entry *entry_new(struct shell *sh, struct entries *entries)
{
    if (entries->count == entries->cap) {
        size_t cap = entries->cap ? 2 * entries->cap : 256;
        void *items = mem_resize(sh->watch_region, entries->items, cap * sizeof *entries->items);
        if (!items)
            return NULL;
        entries->items = items;
        entries->cap = cap;
    }
    return &entries->items[entries->count++];
}

enum parsed { PARSED, PARSED_DAMAGED, PARSED_NO_MEMORY };

/* Digits up to a tab, of a size that sums cannot overflow with; NULL: something else. */
static const char *parse_value(const char *at, const char *end, int64_t *ret)
{
    const char *from = at;
    int64_t n = 0;
    for (; at < end && isdigit((unsigned char)*at) && n < VALUE_MAX / 10; at++)
        n = n * 10 + (*at - '0');
    *ret = n;
    return at > from && at < end && *at == '\t' ? at + 1 : NULL;
}

/* The rest of a line behind its word: `n TAB n TAB n TAB name`. */
static enum parsed entry_parse(struct shell *sh, struct entries *entries, enum entry_kind kind,
                               const char *at, const char *end)
{
    struct entry entry = { .kind = kind };
    for (int i = 0; i < 3; i++)
        if (!(at = parse_value(at, end, &entry.values[i])))
            return PARSED_DAMAGED;
    entry.name = at;
    entry.len = (size_t)(end - at);
    if (memchr(at, '\0', entry.len))
        return PARSED_DAMAGED;
    struct entry *new = entry_new(sh, entries);
    if (!new)
        return PARSED_NO_MEMORY;
    *new = entry;
    return PARSED;
}

/* One line; those with words that are not known are passed over. */
static enum parsed line_parse(struct shell *sh, struct entries *entries, const char *line,
                              const char *end)
{
    const char *tab = memchr(line, '\t', (size_t)(end - line));
    if (!tab)
        return PARSED;
    size_t word = (size_t)(tab - line);
    for (int kind = 0; kind < ENTRY_KINDS; kind++)
        if (text_eq(entry_words[kind], strlen(entry_words[kind]), line, word))
            return entry_parse(sh, entries, (enum entry_kind)kind, tab + 1, end);
    if (text_eq("time", 4, line, word)) {
        if (tab + 1 == end || !isdigit((unsigned char)tab[1]))
            return PARSED_DAMAGED;
        entries->time = strtod(tab + 1, NULL);
    }
    return PARSED;
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return text_compare(x->name, x->len, y->name, y->len);
}

static int64_t magnitude(const struct entry *entry)
{
    return entry->values[0] < 0 ? -entry->values[0] : entry->values[0];
}

static int by_change(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (magnitude(x) != magnitude(y))
        return magnitude(x) < magnitude(y) ? 1 : -1;
    return by_name(a, b);
}

/* No more than VALUE_MAX, so that differences of sums do not overflow either. */
static void value_add(int64_t *sum, int64_t value)
{
    *sum = value > VALUE_MAX - *sum ? VALUE_MAX : *sum + value;
}

/* Entries of the same name (variables of recursive calls) become one. */
static void entries_merge(struct entries *entries)
{
    size_t kept = 0;
    items_sort(entries->items, entries->count, sizeof *entries->items, by_name);
    for (size_t i = 0; i < entries->count; i++) {
        if (kept && by_name(&entries->items[kept - 1], &entries->items[i]) == 0)
            for (int v = 0; v < 3; v++)
                value_add(&entries->items[kept - 1].values[v], entries->items[i].values[v]);
        else
            entries->items[kept++] = entries->items[i];
    }
    entries->count = kept;
}

static enum flow side_parse(struct shell *sh, const struct request *rq, struct side *side)
{
    const char *line = side->text, *end = side->text + side->len;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        newline = newline ? newline : end;
        enum parsed parsed = line_parse(sh, &side->entries, line, newline);
        if (parsed == PARSED_DAMAGED)
            return vmstat_fail(sh, rq, damaged, side->label);
        if (parsed == PARSED_NO_MEMORY)
            return shell_fail_memory(sh, 0);
        line = newline + 1;
    }
    entries_merge(&side->entries);
    return FLOW_NEXT;
}

/* ---- where they come from ---- */

static enum flow side_now(struct shell *sh, struct side *side)
{
    side->label = "now";
    TRY(snapshot_write(sh, &side->own));
    side->text = side->own.data;
    side->len = side->own.len;
    return FLOW_NEXT;
}

static enum flow side_kept(struct shell *sh, const struct request *rq, const char *name,
                           struct side *side)
{
    const struct saved *saved = snapshot_find(sh, name);
    if (!saved)
        return vmstat_fail(sh, rq, "%s: no such snapshot", name);
    side->label = name;
    side->text = saved->text.data;
    side->len = saved->text.len;
    return FLOW_NEXT;
}

static enum flow side_file(struct shell *sh, const struct request *rq, const char *path,
                           struct side *side)
{
    char buffer[READ_BYTES];
    ssize_t got;
    int fd = sys_open(path, O_RDONLY, 0);
    if (fd < 0)
        return vmstat_fail(sh, rq, "%s: cannot open: %s", path, strerror(errno));
    while ((got = sys_read(fd, buffer, sizeof buffer)) > 0 && side->own.len < FILE_BYTES_MAX)
        str_append(&side->own, buffer, (size_t)got);
    int error = errno;
    close(fd);
    if (got < 0)
        return vmstat_fail(sh, rq, "%s: cannot read: %s", path, strerror(error));
    if (!str_ok(&side->own))
        return shell_fail_memory(sh, 0);
    if (!snapshot_is_whole(str_text(&side->own), side->own.len))
        return vmstat_fail(sh, rq, damaged, path);
    side->label = path;
    side->text = side->own.data;
    side->len = side->own.len;
    return FLOW_NEXT;
}

/* Files first, then names, then now: the two that were asked for. */
static enum flow sides_fill(struct shell *sh, const struct request *rq, struct side sides[2])
{
    size_t names = args_left(rq->args), n = 0;
    for (size_t i = 0; i < rq->input_count; i++)
        TRY(side_file(sh, rq, rq->inputs[i], &sides[n++]));
    for (size_t i = 0; i < names; i++)
        TRY(side_kept(sh, rq, args_peek(rq->args, i), &sides[n++]));
    return n < 2 ? side_now(sh, &sides[1]) : FLOW_NEXT;
}

/* ---- the difference ---- */

/* B minus A, in CHANGES: what is not the same in both. */
static enum flow entries_subtract(struct shell *sh, const struct entries *a,
                                  const struct entries *b, struct entries *changes)
{
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        int order = i == a->count ? 1 : k == b->count ? -1 : by_name(&a->items[i], &b->items[k]);
        struct entry change = order <= 0 ? a->items[i] : b->items[k];
        bool differs = false;
        for (int v = 0; v < 3; v++) {
            change.values[v] =
                (order >= 0 ? b->items[k].values[v] : 0) - (order <= 0 ? a->items[i].values[v] : 0);
            differs |= v < 2 && change.values[v] != 0;
        }
        i += order <= 0;
        k += order >= 0;
        struct entry *new = differs ? entry_new(sh, changes) : NULL;
        if (new)
            *new = change;
        else if (differs)
            return shell_fail_memory(sh, 0);
    }
    if (changes->count)
        items_sort(changes->items, changes->count, sizeof *changes->items, by_change);
    return FLOW_NEXT;
}

static enum flow show_kind(struct shell *sh, const struct request *rq,
                           const struct entries *changes, enum entry_kind kind)
{
    struct table table;
    size_t shown = 0;
    table_init(&table, sh->watch_region, 4, 1);
    for (int i = 0; i < 4; i++)
        table_put(&table, "%s", entry_titles[kind][i]);
    for (size_t i = 0; i < changes->count; i++) {
        const struct entry *entry = &changes->items[i];
        if (entry->kind != kind || (rq->count && shown == rq->count))
            continue;
        table_put(&table, "%.*s", (int)entry->len, entry->name);
        table_change(&table, entry->values[0], rq->exact);
        table_put(&table, "%+lld", (long long)entry->values[1]);
        if (kind == ENTRY_LINE)
            table_put(&table, "%+lld", (long long)entry->values[2]);
        else
            table_change(&table, entry->values[2], rq->exact);
        shown++;
    }
    if (shown)
        return table_end(sh, &table, sh->out);
    str_release(&table.cells);
    out_printf(sh->out, "no %s changed\n", entry_words[kind]);
    return FLOW_NEXT;
}

static enum flow show(struct shell *sh, const struct request *rq, const struct side sides[2])
{
    struct entries changes = { 0 };
    enum flow flow = entries_subtract(sh, &sides[0].entries, &sides[1].entries, &changes);
    if (flow == FLOW_NEXT)
        out_printf(sh->out, "from %s to %s, %.3f s\n", sides[0].label, sides[1].label,
                   sides[1].entries.time - sides[0].entries.time);
    for (int kind = 0; kind < ENTRY_KINDS && flow == FLOW_NEXT; kind++)
        flow = show_kind(sh, rq, &changes, (enum entry_kind)kind);
    mem_free(changes.items);
    return flow;
}

enum flow vmstat_diff(struct shell *sh, const struct request *rq)
{
    struct side sides[2] = { 0 };
    size_t given = args_left(rq->args) + rq->input_count;

    if (given < 1 || given > 2)
        return vmstat_fail(sh, rq, "-d: one or two snapshots are needed");
    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    for (int i = 0; i < 2; i++)
        str_init(&sides[i].own, sh->watch_region);
    enum flow flow = sides_fill(sh, rq, sides);
    for (int i = 0; i < 2 && flow == FLOW_NEXT; i++)
        flow = side_parse(sh, rq, &sides[i]);
    if (flow == FLOW_NEXT)
        flow = show(sh, rq, sides);
    for (int i = 0; i < 2; i++) {
        str_release(&sides[i].own);
        mem_free(sides[i].entries.items);
    }
    return flow;
}
