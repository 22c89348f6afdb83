/*
 * advice.c: -a, what stands out in the figures, in plain words.
 *
 * A rule looks at counters and says, when its threshold is passed, the figure and what would help:
 * an option, or a change of the script. Thresholds are such that a small script hears nothing.
 */
#include <string.h>

#include "builtins/vmstat/variables.h"

enum { MIB = 1 << 20 };

struct evidence {
    struct shell *sh;
    struct process_figures process;
    struct regions regions;
    struct variable_sizes variables;
    char options[MEM_STATE_BYTES];
};

static void say(const struct evidence *e, const char *format, ...) PRINTF_LIKE(2, 3);
static void say(const struct evidence *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    out_puts(e->sh->out, "- ");
    out_vprintf(e->sh->out, format, args);
    out_putc(e->sh->out, '\n');
    va_end(args);
}

static bool option_is(const struct evidence *e, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = e->options; (at = strstr(at, word)); at += len)
        if ((at == e->options || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

static void many_segments(const struct evidence *e)
{
    enum { MANY = 32 };
    char size[SIZE_TEXT];
    for (size_t i = 0; i < e->regions.count; i++) {
        const struct mem_stats *s = &e->regions.stats[i];
        if (s->segment_count >= MANY && s->size_bytes / s->segment_count < MIB)
            say(e,
                "%s has %zu segments of %s on average: segsize=4Mi or more asks the system less "
                "often and costs only address space.",
                s->name, s->segment_count,
                size_text(size, s->size_bytes / s->segment_count, false));
    }
}

static void given_and_retaken(const struct evidence *e)
{
    char retaken[SIZE_TEXT];
    for (size_t i = 0; i < e->regions.count; i++) {
        const struct mem_stats *s = &e->regions.stats[i];
        if (s->retaken_bytes >= 64u * MIB && s->retaken_bytes >= 2 * s->peak_bytes)
            say(e,
                "%s took %s again after giving it back, and touching memory again costs many times "
                "the giving: giveback=none, or a longer delay=.",
                s->name, size_text(retaken, s->retaken_bytes, false));
    }
}

static void one_variable(const struct evidence *e)
{
    char size[SIZE_TEXT];
    const struct variable_size *top = e->variables.count ? &e->variables.items[0] : NULL;
    if (!top || top->bytes < MIB || top->bytes * 10 < e->process.live * 8)
        return;
    say(e,
        "%s (%s, %zu elements) holds %s, %d%% of all that lives: unset it when it is not needed "
        "any more, or work on its elements as they come.",
        top->name, top->kind, top->elements, size_text(size, top->bytes, false),
        percent_of(top->bytes, e->process.live));
}

static void room_in_variables(const struct evidence *e)
{
    char slack[SIZE_TEXT], size[SIZE_TEXT];
    for (size_t i = 0; i < e->variables.count; i++) {
        const struct variable_size *v = &e->variables.items[i];
        if (v->slack < 8u * MIB || v->slack * 2 < v->bytes)
            continue;
        say(e,
            "%s holds %s of which %s is room to grow: v=$v, or a new array, is as large as needed.",
            v->name, size_text(size, v->bytes, false), size_text(slack, v->slack, false));
    }
}

static void growth(const struct evidence *e)
{
    enum { MANY = 100000 };
    for (size_t i = 0; i < e->regions.count; i++) {
        const struct mem_stats *s = &e->regions.stats[i];
        if (s->resize_count >= MANY && s->resize_count > s->alloc_count)
            say(e,
                "%s saw %llu blocks resized, more than were got (%llu): texts grow piece by piece; "
                "collect the pieces in an array (a+=(\"$x\")) and join them once.",
                s->name, (unsigned long long)s->resize_count, (unsigned long long)s->alloc_count);
    }
}

static void clearing(const struct evidence *e)
{
    char size[SIZE_TEXT];
    bool all = option_is(e, "clear=all");
    if ((all || option_is(e, "clear=first")) && e->process.size >= 8u * MIB &&
        e->process.live * 2 < e->process.rss)
        say(e, "clear=%s makes memory resident before it is used, %s now: clear=none.",
            all ? "all" : "first", size_text(size, e->process.rss, false));
}

static void lazy(const struct evidence *e)
{
    char size[SIZE_TEXT];
    if (e->process.lazy >= 8u * MIB)
        say(e,
            "%s are freed lazily and still count as resident until the system needs them: "
            "giveback=dontneed shows what is really used.",
            size_text(size, e->process.lazy, false));
}

static void idle_room(const struct evidence *e)
{
    char size[SIZE_TEXT];
    uint64_t kept = e->process.rss > e->process.live ? e->process.rss - e->process.live : 0;
    if (option_is(e, "giveback=none") && kept >= 32u * MIB && kept > e->process.live)
        say(e,
            "%s are resident though nothing uses them: vmstat -T gives them back, or "
            "giveback=auto.",
            size_text(size, kept, false));
}

static void forks(const struct evidence *e)
{
    enum { MANY = 20 };
    char size[SIZE_TEXT];
    if (e->process.forks >= MANY && e->process.rss >= 64u * MIB)
        say(e,
            "%llu copies of the shell were made while %s were resident, and each copies the page "
            "tables of all that: use ( ) and $( ) with builtins only, huge=on, or fork before the "
            "data is read.",
            (unsigned long long)e->process.forks, size_text(size, e->process.rss, false));
}

static void wide_command(const struct evidence *e)
{
    char size[SIZE_TEXT];
    for (size_t i = 0; i < e->regions.count; i++) {
        const struct mem_stats *s = &e->regions.stats[i];
        if (strcmp(s->name, "scratch") == 0 && s->peak_bytes >= 64u * MIB)
            say(e,
                "one command needed %s for its words: go over a large array or file in a loop "
                "instead of \"${a[@]}\" or $(<file) at once.",
                size_text(size, s->peak_bytes, false));
    }
}

enum flow vmstat_advice(struct shell *sh, const struct request *rq)
{
    static void (*const rules[])(const struct evidence *) = {
        many_segments, given_and_retaken, one_variable, room_in_variables, growth, clearing,
        lazy,          idle_room,         forks,        wide_command,
    };
    struct evidence *e = vmstat_state(sh) ? mem_alloc(sh->watch_region, sizeof *e) : NULL;

    (void)rq;
    if (!e)
        return shell_fail_memory(sh, sizeof *e);
    e->sh = sh;
    process_figures_take(sh, &e->process);
    regions_take(&e->regions, NULL);
    mem_options_get(e->options, sizeof e->options);
    enum flow flow = variables_take(sh, NULL, &e->variables);
    for (size_t i = 0; flow == FLOW_NEXT && i < sizeof rules / sizeof *rules; i++)
        rules[i](e);
    if (flow == FLOW_NEXT)
        variables_release(&e->variables);
    mem_free(e);
    return flow;
}
