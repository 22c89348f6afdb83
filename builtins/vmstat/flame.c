/*
 * flame.c: -g, the live bytes of each line as a flame graph in SVG.
 *
 * A box for each site as wide as what lives of it and of what was called from there; a box stands
 * on that of its caller. The whole text of a box is in its title, which viewers show when pointed
 * at.
 */
#include "builtins/vmstat/sites.h"

#include <stdio.h>
#include <string.h>

enum {
    FLAME_WIDTH = 1180,
    FLAME_LEFT = 10,
    FLAME_TOP = 34,
    BOX_HEIGHT = 18,
    LETTER_WIDTH = 7,
    DEPTH_MAX = 200
};

struct flame {
    struct out *out;
    const struct site_tree *tree;
    size_t depth; /* of the deepest box that is drawn */
    double scale; /* pixels a byte */
};

static size_t flame_depth(const struct flame *flame, uint32_t at, size_t depth)
{
    size_t deepest = depth;
    if (depth >= DEPTH_MAX)
        return depth;
    for (uint32_t child = flame->tree->nodes[at].child; child;
         child = flame->tree->nodes[child].sibling) {
        size_t below = flame_depth(flame, child, depth + 1);
        deepest = below > deepest ? below : deepest;
    }
    return deepest;
}

/* Warm colours that differ from line to line, and are the same in each picture. */
static void box_colour(const char *text, char ret[static 8])
{
    uint32_t hash = text_hash(text, strlen(text));
    snprintf(ret, 8, "#%02x%02x%02x", 205 + hash % 50, 80 + (hash >> 8) % 130,
             40 + (hash >> 16) % 40);
}

static void box_draw(struct flame *flame, uint32_t at, size_t depth, double x)
{
    const struct site_node *node = &flame->tree->nodes[at];
    double width = (double)node->all_bytes * flame->scale;
    double y = FLAME_TOP + (double)(flame->depth - depth) * BOX_HEIGHT;
    char place[PLACE_TEXT], colour[8], size[SIZE_TEXT];
    const char *text = at ? site_place(at, place) : "all";
    size_t len = strlen(text), room = width > 6 ? (size_t)((width - 6) / LETTER_WIDTH) : 0;

    box_colour(text, colour);
    out_puts(flame->out, "<g><title>");
    out_xml(flame->out, text, len);
    out_printf(flame->out,
               ": %s in %llu blocks</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
               "height=\"%d\" fill=\"%s\"/>",
               size_text(size, node->all_bytes, false), (unsigned long long)node->all_count, x, y,
               width > 1 ? width - 0.5 : width, BOX_HEIGHT - 1, colour);
    if (room >= 3) {
        out_printf(flame->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + 13);
        out_xml(flame->out, text, len > room ? room - 2 : len);
        out_puts(flame->out, len > room ? "..</text>" : "</text>");
    }
    out_puts(flame->out, "</g>\n");
    if (depth >= DEPTH_MAX)
        return;
    for (uint32_t child = node->child; child; child = flame->tree->nodes[child].sibling) {
        box_draw(flame, child, depth + 1, x);
        x += (double)flame->tree->nodes[child].all_bytes * flame->scale;
    }
}

void flame_draw(struct out *out, const struct site_tree *tree)
{
    struct flame flame = { .out = out, .tree = tree };
    uint64_t all = tree->nodes[0].all_bytes;
    char size[SIZE_TEXT];

    flame.depth = flame_depth(&flame, 0, 0);
    flame.scale = FLAME_WIDTH / (double)(all ? all : 1);
    out_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
               "font-family=\"monospace\" font-size=\"11\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
               "<text x=\"%d\" y=\"20\">%s live, by the line that got it and its callers</text>\n",
               FLAME_WIDTH + 2 * FLAME_LEFT, FLAME_TOP + (flame.depth + 1) * BOX_HEIGHT + 10,
               FLAME_LEFT, size_text(size, all, false));
    box_draw(&flame, 0, 0, FLAME_LEFT);
    out_puts(out, "</svg>\n");
}

enum flow vmstat_flame(struct shell *sh, const struct request *rq)
{
    struct site_tree tree;
    struct document document;

    TRY(sites_needed(sh, rq));
    TRY(site_tree_take(sh, &tree));
    enum flow flow = document_begin(sh, &document);
    if (flow == FLOW_NEXT) {
        flame_draw(&document.out, &tree);
        flow = document_write(sh, &document, rq->command, rq->argument);
    }
    site_tree_release(&tree);
    return flow;
}
