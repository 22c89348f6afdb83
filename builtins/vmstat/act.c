/*
 * act.c: what vmstat does to the allocator: options (-o), a check (-c), giving back (-T).
 *
 * libmem tells its complaints in lines for standard error; while it is asked to do something here
 * they are caught, so that they come out as messages of this command, with the script's
 * redirections.
 */
#include <string.h>

#include "builtins/vmstat/vmstat.h"
#include "shell/base/sys.h"
#include "shell/state/site.h"

/* The first line that libmem wrote, and how many there were. libmem calls back without context. */
static struct {
    char text[256];
    size_t count;
} caught;

static void catch_line(const char *text, size_t bytes)
{
    static const char prefix[] = "vmalloc: ";
    if (caught.count++)
        return;
    if (bytes >= sizeof prefix && memcmp(text, prefix, sizeof prefix - 1) == 0) {
        text += sizeof prefix - 1;
        bytes -= sizeof prefix - 1;
    }
    if (bytes >= sizeof caught.text)
        bytes = sizeof caught.text - 1;
    memcpy(caught.text, text, bytes);
    caught.text[bytes] = '\0';
}

static void catch_begin(void)
{
    caught.count = 0;
    mem_line_notify = catch_line;
}

static void catch_end(void)
{
    mem_line_notify = NULL;
}

const char *options_change(const char *text)
{
    catch_begin();
    unsigned complaints = mem_options_change(text);
    catch_end();
    return complaints ? caught.text : NULL;
}

/* The options in force, one a line: NAME=VALUE, NAME or noNAME. */
static void options_show(struct shell *sh)
{
    char text[MEM_STATE_BYTES];
    mem_options_get(text, sizeof text);
    for (char *at = text; *at; at++)
        if (*at == ',')
            *at = '\n';
    out_printf(sh->out, "%s\n", text);
}

static void undo_options(struct shell *sh, void *a, uintptr_t b)
{
    (void)b;
    (void)mem_options_restore(a);
    site_look(sh);
    mem_free(a);
}

/* The options as they are come back at the end of the subshell. */
static enum flow options_record(struct shell *sh)
{
    char text[MEM_STATE_BYTES];
    if (!vmstat_stamp(sh))
        return FLOW_NEXT;
    mem_options_get(text, sizeof text);
    char *copy = vmstat_state(sh) ? text_dup(sh->watch_region, text) : NULL;
    if (!copy)
        return shell_fail_memory(sh, sizeof text);
    enum flow flow = vmstat_record(sh, undo_options, copy, 0);
    if (flow != FLOW_NEXT)
        mem_free(copy);
    return flow;
}

enum flow vmstat_options(struct shell *sh, const struct request *rq)
{
    struct args *args = rq->args;
    const char *word;
    if (!args_left(args)) {
        options_show(sh);
        return FLOW_NEXT;
    }
    TRY(options_record(sh));
    for (; (word = args_peek(args, 0)); args->next++) {
        const char *complaint = options_change(word);
        if (complaint)
            return vmstat_fail(sh, rq, "%s", complaint);
        if (caught.count) /* it is in force all the same */
            shell_warn(sh, rq->command, "%s", caught.text);
    }
    return FLOW_NEXT;
}

enum flow vmstat_check(struct shell *sh, const struct request *rq)
{
    catch_begin();
    size_t faults = mem_check(NULL);
    catch_end();
    if (!faults)
        return FLOW_NEXT;
    if (faults == 1)
        return vmstat_fail(sh, rq, "%s", caught.text);
    return vmstat_fail(sh, rq, "%s (and %zu more faults)", caught.text, faults - 1);
}

enum flow vmstat_trim(struct shell *sh, const struct request *rq)
{
    char size[SIZE_TEXT];
    size_t before = sys_resident_bytes();
    size_t given = mem_give_back();
    size_t after = sys_resident_bytes();
    out_printf(sh->out, "gave back %s", size_text(size, given, rq->exact));
    out_printf(sh->out, ", resident %s", size_text(size, before, rq->exact));
    out_printf(sh->out, " before, %s after\n", size_text(size, after, rq->exact));
    return FLOW_NEXT;
}
