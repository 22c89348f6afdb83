/*
 * json.c: the figures for machines: -j, and -C, which fills an associative array.
 *
 * The keys are the names of shell/state/figure.h, so that JSON, the array, formats and .sh.mem.*
 * agree. VERSION grows when a key goes or changes its meaning; new keys do not change it.
 */
#include <stdio.h>
#include <string.h>

#include "builtins/vmstat/vmstat.h"
#include "shell/state/var.h"

enum { JSON_VERSION = 1 };

/* The options as an object: a switch is true or false, everything else a text. */
static void json_options(struct out *out)
{
    char text[MEM_STATE_BYTES];
    const char *before = "";

    mem_options_get(text, sizeof text);
    out_puts(out, "{");
    for (char *word = text, *next; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        bool off = !value && strncmp(word, "no", 2) == 0;
        out_printf(out, "%s\n    ", before);
        out_json(out, word + (off ? 2 : 0), strlen(word) - (off ? 2 : 0));
        out_puts(out, ": ");
        if (value)
            out_json(out, value, strlen(value));
        else
            out_puts(out, off ? "false" : "true");
        before = ",";
    }
    out_puts(out, "\n  }");
}

static void json_region(struct out *out, const struct mem_stats *stats)
{
    out_puts(out, "    {\"name\": ");
    out_json(out, stats->name, strlen(stats->name));
    out_printf(out, ", \"method\": \"%s\"", mem_method_name(stats->method));
    const struct figure *figure;
    for (size_t i = 0; (figure = figure_at(i)); i++)
        out_printf(out, ", \"%s\": %zu", figure->name, figure_value(figure, stats));
    out_puts(out, "}");
}

enum flow vmstat_json(struct shell *sh, const struct request *rq)
{
    struct regions regions;
    struct process_figures values;
    const struct process_figure *figure;

    (void)rq;
    process_figures_take(sh, &values);
    regions_take(&regions, NULL);
    out_printf(sh->out, "{\n  \"version\": %d,\n  \"pid\": %lld,\n  \"process\": {", JSON_VERSION,
               (long long)sh->pid);
    for (size_t i = 0; (figure = process_figure_at(i)); i++)
        out_printf(sh->out, "%s\n    \"%s\": %llu", i ? "," : "", figure->name,
                   (unsigned long long)process_figure_value(figure, &values));
    out_puts(sh->out, "\n  },\n  \"options\": ");
    json_options(sh->out);
    out_puts(sh->out, ",\n  \"regions\": [\n");
    for (size_t i = 0; i < regions.count; i++) {
        json_region(sh->out, &regions.stats[i]);
        out_puts(sh->out, i + 1 < regions.count ? ",\n" : "\n");
    }
    out_puts(sh->out, "  ]\n}\n");
    return FLOW_NEXT;
}

/* ---- -C ---- */

static enum flow fill_one(struct shell *sh, struct name *array, const char *region,
                          const char *figure, uint64_t value)
{
    char key[2 * NAME_TEXT + 32], text[SIZE_TEXT];
    int len = snprintf(key, sizeof key, "%s%s%s", region, *region ? "." : "", figure);
    int text_len = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    struct var_ref ref = { .name = array, .kind = REF_KEY, .key = key, .key_len = (size_t)len };
    return var_set(sh, &ref, text, (size_t)text_len, 0);
}

enum flow vmstat_fill(struct shell *sh, const struct request *rq)
{
    struct regions regions;
    struct process_figures values;
    const struct process_figure *process;
    const struct figure *figure;
    int64_t next;

    if (!text_is_dotted_name(rq->argument, strlen(rq->argument)))
        return vmstat_fail(sh, rq, "%s: invalid variable name", rq->argument);
    process_figures_take(sh, &values); /* before the array takes memory */
    regions_take(&regions, NULL);
    struct name *name = name_intern(sh, rq->argument, strlen(rq->argument));
    if (!name)
        return shell_fail_memory(sh, 0);
    TRY(var_begin_array(sh, name, VAR_ASSOC, 0, &next));
    for (size_t i = 0; (process = process_figure_at(i)); i++)
        TRY(fill_one(sh, name, "", process->name, process_figure_value(process, &values)));
    for (size_t r = 0; r < regions.count; r++)
        for (size_t i = 0; (figure = figure_at(i)); i++)
            TRY(fill_one(sh, name, regions.stats[r].name, figure->name,
                         figure_value(figure, &regions.stats[r])));
    return FLOW_NEXT;
}
