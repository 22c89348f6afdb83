/*
 * snapshot.c: -s, keeps what memory looks like now, under a name or in a file.
 *
 * Kept ones live in the region `vmstat`, which no snapshot shows, so that keeping one does not
 * change what the next one sees. Beside the text one in memory has the set of blocks that lived, as
 * the mark for -L.
 */
#include "builtins/vmstat/snapshot.h"

#include <stdio.h>
#include <string.h>

#include "builtins/vmstat/sites.h"
#include "builtins/vmstat/variables.h"
#include "shell/base/sys.h"

enum { SNAPSHOT_VERSION = 1, NS_PER_MS = 1000000, MS_PER_SECOND = 1000, CHECKSUM_LINE = 21 };

static uint64_t checksum(const char *text, size_t len)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
    return sum;
}

static void put_name(struct str *text, const char *name)
{
    for (; *name; name++) {
        if (*name == '\t' || *name == '\n' || *name == '\\')
            str_putc(text, '\\');
        str_putc(text, *name == '\t' ? 't' : *name == '\n' ? 'n' : *name);
    }
}

static void put_regions(struct str *text, const struct regions *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        const struct mem_stats *s = &regions->stats[i];
        if (strcmp(s->name, "vmstat") == 0)
            continue;
        str_printf(text, "region\t%zu\t%zu\t%zu\t", s->busy_bytes, s->busy_count, s->size_bytes);
        put_name(text, s->name);
        str_putc(text, '\n');
    }
}

static void put_variables(struct str *text, const struct variable_sizes *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct variable_size *item = &list->items[i];
        str_printf(text, "variable\t%zu\t%zu\t%zu\t", item->bytes, item->elements, item->slack);
        put_name(text, item->name);
        if (*item->scope) {
            str_append_z(text, " in ");
            put_name(text, item->scope);
        }
        str_putc(text, '\n');
    }
}

static void put_lines(struct str *text, const struct line_sizes *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct line_size *item = &list->items[i];
        char place[PLACE_TEXT];
        str_printf(text, "line\t%llu\t%llu\t%llu\t", (unsigned long long)item->stats.live_bytes,
                   (unsigned long long)item->stats.live_count,
                   (unsigned long long)item->stats.call_count);
        put_name(text, line_place(item, place));
        str_putc(text, '\n');
    }
}

enum flow snapshot_write(struct shell *sh, struct str *text)
{
    struct regions regions;
    struct variable_sizes variables;
    struct line_sizes lines;
    long long ms = (long long)(sys_realtime_ns() / NS_PER_MS);

    regions_take(&regions, NULL);
    TRY(lines_take(sh, &lines));
    enum flow flow = variables_take(sh, NULL, &variables);
    if (flow != FLOW_NEXT) {
        lines_release(&lines);
        return flow;
    }
    str_printf(text, "vmstat-snapshot %d\ntime\t%lld.%03lld\n", SNAPSHOT_VERSION,
               ms / MS_PER_SECOND, ms % MS_PER_SECOND);
    put_regions(text, &regions);
    put_variables(text, &variables);
    put_lines(text, &lines);
    str_printf(text, "end\t%016llx\n", (unsigned long long)checksum(text->data, text->len));
    variables_release(&variables);
    lines_release(&lines);
    return str_ok(text) ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

bool snapshot_is_whole(const char *text, size_t len)
{
    char end[CHECKSUM_LINE + 1];
    if (len <= CHECKSUM_LINE || strncmp(text, "vmstat-snapshot 1\n", 18) != 0)
        return false;
    snprintf(end, sizeof end, "end\t%016llx\n",
             (unsigned long long)checksum(text, len - CHECKSUM_LINE));
    return memcmp(text + len - CHECKSUM_LINE, end, CHECKSUM_LINE) == 0;
}

struct saved *snapshot_find(struct shell *sh, const char *name)
{
    struct saved *saved = sh->vmstat ? sh->vmstat->snapshots : NULL;
    while (saved && strcmp(saved->name, name) != 0)
        saved = saved->next;
    return saved;
}

static void saved_free(struct saved *saved)
{
    if (!saved)
        return;
    mem_free(saved->name);
    str_release(&saved->text);
    mem_marks_free(saved->marks);
    mem_free(saved);
}

/* Forgets those with STAMP, of NAME (NULL: all). */
static void saved_forget(struct vmstat *vmstat, uint64_t stamp, const char *name)
{
    for (struct saved **at = &vmstat->snapshots; *at;) {
        struct saved *saved = *at;
        if (saved->stamp != stamp || (name && strcmp(saved->name, name) != 0)) {
            at = &saved->next;
            continue;
        }
        *at = saved->next;
        saved_free(saved);
    }
}

static void undo_saved(struct shell *sh, void *a, uintptr_t stamp)
{
    (void)a;
    saved_forget(sh->vmstat, stamp, NULL);
}

/* In place of one of the same name, which comes back at the end of a subshell. */
static void saved_keep(struct shell *sh, struct saved *saved)
{
    saved->stamp = vmstat_stamp(sh);
    saved_forget(sh->vmstat, saved->stamp, saved->name);
    saved->next = sh->vmstat->snapshots;
    sh->vmstat->snapshots = saved;
}

static enum flow snapshot_keep(struct shell *sh, const char *name)
{
    struct saved *saved = mem_alloc_zeroed(sh->watch_region, sizeof *saved);
    if (!saved)
        return shell_fail_memory(sh, sizeof *saved);
    str_init(&saved->text, sh->watch_region);
    saved->name = text_dup(sh->watch_region, name);
    enum flow flow = saved->name ? snapshot_write(sh, &saved->text) : shell_fail_memory(sh, 0);
    if (flow == FLOW_NEXT)
        flow = vmstat_record(sh, undo_saved, NULL, vmstat_stamp(sh));
    if (flow != FLOW_NEXT) {
        saved_free(saved);
        return flow;
    }
    saved->marks = mem_marks_new(sh->watch_region);
    if (saved->marks)
        mem_marks_add_busy(saved->marks);
    saved_keep(sh, saved);
    return FLOW_NEXT;
}

enum flow vmstat_save(struct shell *sh, const struct request *rq)
{
    struct document document;
    size_t names = args_left(rq->args);

    if (names > 1 || (rq->write && names))
        return vmstat_fail(sh, rq, "-s: one name, or -w and a file");
    if (!names && !rq->write) {
        const struct saved *saved = sh->vmstat ? sh->vmstat->snapshots : NULL;
        for (; saved; saved = saved->next)
            if (snapshot_find(sh, saved->name) == saved)
                out_printf(sh->out, "%s\n", saved->name);
        return FLOW_NEXT;
    }
    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    if (!rq->write)
        return snapshot_keep(sh, args_peek(rq->args, 0));
    TRY(document_begin(sh, &document));
    enum flow flow = snapshot_write(sh, &document.text);
    if (flow == FLOW_NEXT)
        return document_write(sh, &document, rq->command, rq->write);
    document_release(&document);
    return flow;
}
