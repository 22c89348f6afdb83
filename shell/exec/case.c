/*
 * case: the subject against the patterns of each item, in order.
 *
 * Literal patterns without pattern characters are compared as text; literal ones with them are
 * compiled once into the cache slot of their word; the rest is expanded each time. ;& falls into
 * the next body, ;;& goes on testing.
 */
#include "shell/exec/exec.h"

#include <errno.h>
#include <string.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/pattern_word.h"

static enum flow item_matches(struct shell *sh, const struct case_item *item, const char *subject,
                              size_t len, bool *ret)
{
    *ret = false;
    for (uint32_t i = 0; i < item->pattern_count && !*ret; i++)
        TRY(pattern_word_matches(sh, item->patterns[i], subject, len, ret));
    return FLOW_NEXT;
}

static enum flow items_run(struct shell *sh, const struct node_case *node, const char *subject,
                           size_t len)
{
    int before = sh->status;
    bool fall = false, ran = false;
    for (uint32_t i = 0; i < node->item_count; i++) {
        const struct case_item *item = &node->items[i];
        if (!fall) {
            bool matches;
            TRY(item_matches(sh, item, subject, len, &matches));
            if (!matches)
                continue;
        }
        if (!ran)
            sh->status = item->body ? before : 0;
        ran = true;
        TRY(exec_list(sh, item->body));
        if (item->end == CASE_BREAK)
            return FLOW_NEXT;
        fall = item->end == CASE_FALL;
    }
    if (!ran)
        sh->status = 0;
    return FLOW_NEXT;
}

enum flow exec_case(struct shell *sh, const struct node_case *node)
{
    bool skip = false;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    const char *text;
    size_t len;
    enum flow flow = expand_text(sh, node->subject, &text, &len);
    if (flow == FLOW_NEXT && mem_region_of(text) == sh->heap) {
        /* borrowed from a variable, and expanding the patterns may write to it */
        const char *copy = scratch_dup(sh, text, len);
        flow = copy ? FLOW_NEXT : shell_fail_memory(sh, len + 1);
        text = copy;
    }
    if (flow == FLOW_NEXT && exec_debug_wanted(sh))
        flow = exec_debug_head(sh, &node->node, "case", NULL, text, &skip);
    if (flow == FLOW_NEXT && !skip)
        flow = items_run(sh, node, text, len);
    mem_region_reset(sh->scratch, mark);
    return flow;
}
