/*
 * page.c: -P, one HTML page with all of it: figures, regions, pictures, lines and variables.
 *
 * The page refers to nothing outside of itself: pictures are SVG elements in it, style is in it,
 * and there is no script.
 */
#include <string.h>

#include "builtins/vmstat/sites.h"
#include "builtins/vmstat/variables.h"

enum { TOP = 25 };

static const char style[] =
    "body{font-family:sans-serif;margin:2em;max-width:1220px;color:#222}"
    "table{border-collapse:collapse;margin:.5em 0 1.5em}"
    "th,td{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}"
    "th{background:#f3f3f3}td.l,th.l{text-align:left}h2{margin-top:1.5em;font-size:1.2em}"
    "svg{max-width:100%;height:auto}code{overflow-wrap:anywhere}";

static void cell_text(struct out *out, const char *text)
{
    out_puts(out, "<td class=\"l\">");
    out_xml(out, text, strlen(text));
    out_puts(out, "</td>");
}

static void cell_size(struct out *out, uint64_t bytes)
{
    char size[SIZE_TEXT];
    out_printf(out, "<td title=\"%llu\">%s</td>", (unsigned long long)bytes,
               size_text(size, bytes, false));
}

static void cell_count(struct out *out, uint64_t count)
{
    out_printf(out, "<td>%llu</td>", (unsigned long long)count);
}

static void put_summary(struct shell *sh, struct out *out)
{
    struct process_figures values;
    const struct process_figure *figure;
    process_figures_take(sh, &values);
    out_puts(out, "<h2 id=\"summary\">Process</h2>\n<table>\n");
    for (size_t i = 0; (figure = process_figure_at(i)); i++) {
        out_puts(out, "<tr>");
        cell_text(out, figure->name);
        out_printf(out, "<td>%llu</td>", (unsigned long long)process_figure_value(figure, &values));
        cell_text(out, figure->help);
        out_puts(out, "</tr>\n");
    }
    out_puts(out, "</table>\n");
}

static void put_regions(struct out *out)
{
    struct regions regions;
    regions_take(&regions, NULL);
    out_puts(out, "<h2 id=\"regions\">Regions</h2>\n<table>\n<tr><th class=\"l\">region</th>"
                  "<th class=\"l\">method</th><th>size</th><th>segments</th><th>busy</th>"
                  "<th>blocks</th><th>free</th><th>peak</th></tr>\n");
    for (size_t i = 0; i < regions.count; i++) {
        const struct mem_stats *s = &regions.stats[i];
        out_puts(out, "<tr>");
        cell_text(out, s->name);
        cell_text(out, mem_method_name(s->method));
        cell_size(out, s->size_bytes);
        cell_count(out, s->segment_count);
        cell_size(out, s->busy_bytes);
        cell_count(out, s->busy_count);
        cell_size(out, s->free_bytes);
        cell_size(out, s->peak_bytes);
        out_puts(out, "</tr>\n");
    }
    out_puts(out, "</table>\n");
}

static enum flow put_lines(struct shell *sh, struct out *out)
{
    struct line_sizes lines;
    struct site_tree tree;
    char place[PLACE_TEXT];

    out_puts(out, "<h2 id=\"lines\">Lines</h2>\n");
    if (mem_sites_state() == MEM_SITES_OFF) {
        out_puts(out, "<p>Sites were off: nothing is known by line.</p>\n");
        return FLOW_NEXT;
    }
    TRY(lines_take(sh, &lines));
    out_puts(out, "<table>\n<tr><th>live</th><th>blocks</th><th>peak</th><th>calls</th>"
                  "<th class=\"l\">line</th></tr>\n");
    for (size_t i = 0; i < lines.count && i < TOP; i++) {
        const struct line_size *line = &lines.items[i];
        out_puts(out, "<tr>");
        cell_size(out, line->stats.live_bytes);
        cell_count(out, line->stats.live_count);
        cell_size(out, line->stats.peak_bytes);
        cell_count(out, line->stats.call_count);
        cell_text(out, line_place(line, place));
        out_puts(out, "</tr>\n");
    }
    out_puts(out, "</table>\n");
    lines_release(&lines);
    TRY(site_tree_take(sh, &tree));
    flame_draw(out, &tree);
    site_tree_release(&tree);
    return FLOW_NEXT;
}

static enum flow put_variables(struct shell *sh, struct out *out)
{
    struct variable_sizes list;
    TRY(variables_take(sh, NULL, &list));
    out_puts(out, "<h2 id=\"variables\">Variables</h2>\n<table>\n<tr><th class=\"l\">variable</th>"
                  "<th class=\"l\">function</th><th class=\"l\">kind</th><th>elements</th>"
                  "<th>bytes</th><th>slack</th></tr>\n");
    for (size_t i = 0; i < list.count && i < TOP; i++) {
        const struct variable_size *item = &list.items[i];
        out_puts(out, "<tr>");
        cell_text(out, item->name);
        cell_text(out, item->scope);
        cell_text(out, item->kind);
        cell_count(out, item->elements);
        cell_size(out, item->bytes);
        cell_size(out, item->slack);
        out_puts(out, "</tr>\n");
    }
    out_puts(out, "</table>\n");
    variables_release(&list);
    return FLOW_NEXT;
}

static enum flow put_page(struct shell *sh, struct out *out)
{
    const char *script = sh->file ? sh->file : sh->arg0 ? sh->arg0 : "memksh";
    char options[MEM_STATE_BYTES];

    out_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>");
    out_xml(out, script, strlen(script));
    out_printf(out, " memory</title>\n<style>%s</style></head>\n<body>\n<h1>Memory of ", style);
    out_xml(out, script, strlen(script));
    out_puts(out, "</h1>\n<p>Options in force: <code>");
    mem_options_get(options, sizeof options);
    out_xml(out, options, strlen(options));
    out_puts(out, "</code></p>\n");
    put_summary(sh, out);
    put_regions(out);
    out_puts(out, "<h2 id=\"timeline\">Over time</h2>\n");
    if (!timeline_draw(sh, out))
        out_puts(out, "<p>No samples were being taken (vmstat -w).</p>\n");
    out_puts(out, "<h2 id=\"histogram\">Sizes of blocks</h2>\n");
    histogram_draw(sh, out);
    out_puts(out, "<h2 id=\"map\">Segments</h2>\n");
    map_draw(out);
    TRY(put_lines(sh, out));
    TRY(put_variables(sh, out));
    out_puts(out, "</body>\n</html>\n");
    return FLOW_NEXT;
}

enum flow vmstat_page(struct shell *sh, const struct request *rq)
{
    struct document document;
    TRY(document_begin(sh, &document));
    enum flow flow = put_page(sh, &document.out);
    if (flow == FLOW_NEXT)
        return document_write(sh, &document, rq->command, rq->argument);
    document_release(&document);
    return flow;
}
