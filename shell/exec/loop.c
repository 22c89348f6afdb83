/*
 * for, while, until and for (( )).
 *
 * sh->loop_depth counts the loops of the present function, so that `break N` can be cut to what
 * there is. FLOW_BREAK and FLOW_CONTINUE carry sh->loop_count, the number of loops they still have
 * to leave; each loop takes one off. The status of a loop is that of the last body run, 0 when
 * there was none.
 */
#include "shell/exec/exec.h"

#include <string.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/filescan.h"
#include "shell/state/param.h"

enum flow exec_while(struct shell *sh, const struct node_while *node)
{
    int status = 0;
    enum flow flow;
    const struct redir *scanned = filescan_source(sh, node);
    if (__builtin_expect(scanned != NULL, 0))
        return exec_filescan(sh, node, scanned);
    sh->loop_depth++;
    for (;;) {
        sh->condition_depth++;
        flow = exec_list(sh, node->condition);
        sh->condition_depth--;
        if (flow != FLOW_NEXT) {
            status = sh->status;
            if (loop_ends(sh, &flow))
                break;
            continue;
        }
        if ((sh->status == 0) == node->until)
            break;
        flow = exec_list(sh, node->body);
        status = sh->status;
        if (loop_ends(sh, &flow))
            break;
    }
    sh->loop_depth--;
    if (flow == FLOW_NEXT)
        sh->status = status;
    return flow;
}

enum flow loop_words(struct shell *sh, const struct node_for *node, struct fields *fields)
{
    fields_init(fields);
    if (node->has_in) {
        for (uint32_t i = 0; i < node->word_count; i++)
            TRY(expand_fields(sh, node->words[i], fields));
        /* what is borrowed from a variable would die when the body writes to it */
        for (size_t i = 0; i < fields->count; i++) {
            if (mem_region_of(fields->argv[i]) != sh->heap)
                continue;
            const char *copy = scratch_dup(sh, fields->argv[i], strlen(fields->argv[i]));
            if (!copy)
                return shell_fail_memory(sh, 0);
            fields->argv[i] = copy;
        }
        return FLOW_NEXT;
    }
    for (size_t i = 0; i < sh->params->count; i++) {
        const char *copy = scratch_dup(sh, sh->params->argv[i], strlen(sh->params->argv[i]));
        if (!copy)
            return shell_fail_memory(sh, 0);
        TRY(fields_push(sh, fields, copy));
    }
    return FLOW_NEXT;
}

/* A loop over names moves a reference instead of writing through it. */
static enum flow set_variable(struct shell *sh, struct name *name, const char *text)
{
    if (var_is_reference(name->cur))
        return var_set_reference(sh, name, text, strlen(text));
    return var_set_name(sh, name, text, strlen(text), 0);
}

static enum flow for_turns(struct shell *sh, const struct node_for *node,
                           const struct fields *fields)
{
    enum flow flow = FLOW_NEXT;
    if (!fields->count)
        sh->status = 0;
    sh->loop_depth++;
    for (size_t i = 0; i < fields->count; i++) {
        bool skip = false;
        if (exec_debug_wanted(sh))
            flow = exec_debug_head(sh, &node->node, "for", node->name, fields->argv[i], &skip);
        if (flow == FLOW_NEXT && !skip)
            flow = set_variable(sh, node->name, fields->argv[i]);
        if (flow == FLOW_NEXT && !skip)
            flow = exec_list(sh, node->body);
        if (loop_ends(sh, &flow))
            break;
    }
    sh->loop_depth--;
    return flow;
}

enum flow exec_for(struct shell *sh, const struct node_for *node)
{
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct fields fields;
    enum flow flow = loop_words(sh, node, &fields);
    if (flow == FLOW_NEXT)
        flow = for_turns(sh, node, &fields);
    mem_region_reset(sh->scratch, mark);
    return flow;
}

/* One expression of for (( )); *RET_TRUE also for an empty one. DEBUG: there may be a DEBUG trap.
 */
static enum flow arith_part(struct shell *sh, const struct node_arith_for *node,
                            const struct word *word, bool debug, bool *ret_true)
{
    bool skip = false;
    *ret_true = true;
    if (!word)
        return FLOW_NEXT;
    if (__builtin_expect(debug, 0))
        TRY(exec_debug_arith(sh, &node->node, word, &skip));
    if (skip)
        return FLOW_NEXT;
    if (xtrace_on(sh))
        xtrace_arith(sh, word);
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct num n;
    enum flow flow = expand_arith(sh, word, &n);
    mem_region_reset(sh->scratch, mark);
    if (flow == FLOW_NEXT)
        *ret_true = num_is_true(n);
    return flow;
}

enum flow exec_arith_for(struct shell *sh, const struct node_arith_for *node)
{
    bool go_on, debug = exec_debug_wanted(sh);
    TRY(arith_part(sh, node, node->init, debug, &go_on));
    enum flow flow;
    int status = 0;
    sh->loop_depth++;
    for (;;) {
        if (sh->pending && (flow = trap_run_pending(sh)) != FLOW_NEXT)
            break;
        flow = arith_part(sh, node, node->condition, debug, &go_on);
        if (flow != FLOW_NEXT || !go_on)
            break;
        flow = exec_list(sh, node->body);
        status = sh->status;
        if (loop_ends(sh, &flow))
            break;
        sh->line = node->node.line; /* back from the body */
        debug = exec_debug_wanted(sh);
        flow = arith_part(sh, node, node->step, debug, &go_on);
        if (flow != FLOW_NEXT)
            break;
    }
    sh->loop_depth--;
    if (flow == FLOW_NEXT)
        sh->status = status;
    return flow;
}
