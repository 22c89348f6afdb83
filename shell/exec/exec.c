/*
 * Dispatch: lists, and one command of any kind.
 *
 * Every command passes exec_node, which tests for pending signals, notes the line and the
 * allocation site, applies the redirections of compound commands, lets consequence.c decide about
 * errors, and applies set -e and the ERR trap to those kinds of commands they look at. What the
 * kinds do is in files of their own; only the trivial ones are here. Nothing here allocates; the C
 * stack is the only cost of nesting.
 */
#include "shell/exec/exec.h"

#include <string.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/redir.h"
#include "shell/state/members.h"
#include "shell/state/method.h"
#include "shell/state/namespace.h"
#include "shell/state/option.h"
#include "shell/state/scope.h"
#include "shell/state/site.h"
#include "shell/state/type.h"
#include "shell/state/view.h"
#include "shell/syntax/unparse.h"

/* What node_run chooses from stays out of it, so that it has nothing to save: a switch and jumps.
 */
#define NOINLINE __attribute__((noinline))

enum flow exec_failed(struct shell *sh)
{
    int status = sh->status;
    if (sh->in_profile)
        return FLOW_NEXT;
    if (trap_is_set(sh, TRAP_ERR)) {
        TRY(trap_run(sh, TRAP_ERR));
        sh->status = status;
    }
    return option_on(sh, OPTION_ERREXIT) ? FLOW_EXIT : FLOW_NEXT;
}

/* What the status of a DEBUG action means (ksh93): skip the command; leave the function. */
enum { SKIP_STATUS = 2, LEAVE_STATUS = 255 };

enum flow exec_debug_slow(struct shell *sh, const struct node *node, const char *text,
                          bool *ret_skip)
{
    *ret_skip = false;
    if (sh->debug_command) /* a command of the action itself */
        return FLOW_NEXT;
    uint32_t line = sh->line;
    int trap_status = 0;
    sh->debug_command = node;
    sh->debug_text = text;
    struct view view;
    view_open(sh, &view, node->line);
    enum flow flow = trap_run_debug(sh, &trap_status);
    view_close(sh);
    sh->debug_command = NULL;
    sh->debug_text = NULL;
    sh->line = line;
    bool leaves = trap_status == LEAVE_STATUS;
    if (flow == FLOW_RETURN && leaves) /* `return 255` in the action */
        flow = FLOW_NEXT;
    if (flow != FLOW_NEXT)
        return flow;
    *ret_skip = trap_status == SKIP_STATUS;
    if (leaves && scope_call(sh)) {
        sh->status = 0;
        return FLOW_RETURN;
    }
    return FLOW_NEXT;
}

static enum flow debug_made(struct shell *sh, const struct node *node, struct str *text,
                            bool *ret_skip)
{
    enum flow flow = str_ok(text) ? exec_debug_slow(sh, node, str_text(text), ret_skip)
                                  : shell_fail_memory(sh, text->len);
    str_release(text);
    return flow;
}

enum flow exec_debug_arith_slow(struct shell *sh, const struct node *node, const struct word *word,
                                bool *ret_skip)
{
    struct str text;
    str_init(&text, sh->heap);
    str_append_z(&text, "(( ");
    unparse_arith(&text, word);
    str_append_z(&text, " ))");
    return debug_made(sh, node, &text, ret_skip);
}

enum flow exec_debug_head(struct shell *sh, const struct node *node, const char *word,
                          const struct name *name, const char *value, bool *ret_skip)
{
    struct str text;
    str_init(&text, sh->heap);
    str_append_z(&text, word);
    if (name) {
        str_printf(&text, " %s in ", name->text);
        str_append_z(&text, value);
    } else {
        str_putc(&text, ' ');
        text_quote(&text, value, strlen(value));
        str_append_z(&text, " in");
    }
    return debug_made(sh, node, &text, ret_skip);
}

static enum flow condition_run(struct shell *sh, const struct list *list)
{
    sh->condition_depth++;
    enum flow flow = exec_list(sh, list);
    sh->condition_depth--;
    return flow;
}

static NOINLINE enum flow if_run(struct shell *sh, const struct node_if *node)
{
    TRY(condition_run(sh, node->condition));
    const struct list *body = sh->status == 0 ? node->then_body : node->else_body;
    if (!body) /* else the branch starts with the condition's $? */
        sh->status = 0;
    return exec_list(sh, body);
}

static NOINLINE enum flow and_or_run(struct shell *sh, const struct node_and_or *node)
{
    sh->condition_depth++;
    enum flow flow = exec_node(sh, node->left);
    sh->condition_depth--;
    if (flow != FLOW_NEXT || (sh->status == 0) == node->is_or)
        return flow;
    return exec_node(sh, node->right);
}

static NOINLINE enum flow arith_run_node(struct shell *sh, const struct node_arith *node)
{
    bool skip;
    TRY(exec_debug_arith(sh, &node->node, node->expression, &skip));
    if (skip)
        return FLOW_NEXT;
    if (xtrace_on(sh))
        xtrace_arith(sh, node->expression);
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct num n;
    enum flow flow = expand_arith(sh, node->expression, &n);
    mem_region_reset(sh->scratch, mark);
    if (flow == FLOW_NEXT)
        sh->status = !num_is_true(n);
    return flow;
}

static NOINLINE enum flow namespace_run(struct shell *sh, const struct node_namespace *node)
{
    struct space space;
    struct str text;
    struct members *compound = sh->compound;
    if (node->name->dotted)
        return shell_fail(sh, ERROR_ASSIGN, 1, node->name->text, "is not an identifier");
    if (sh->frame->func)
        return shell_fail(sh, ERROR_ASSIGN, 1, node->name->text,
                          "namespaces cannot be defined in a ksh function scope");
    str_init(&text, sh->scratch);
    str_printf(&text, ".%s", node->name->text);
    struct name *name = str_ok(&text) ? name_intern(sh, text.data, text.len) : NULL;
    if (!name)
        return shell_fail_memory(sh, text.len);
    sh->compound = NULL;
    enum flow flow = space_enter(sh, &space, name);
    if (flow == FLOW_NEXT) {
        flow = exec_list(sh, node->body);
        space_leave(sh, &space);
    }
    sh->compound = compound;
    return flow;
}

/* What a function defined in the name space in force is called: .n.f. */
static enum flow space_function(struct shell *sh, const struct node_function *node,
                                struct name **ret)
{
    struct str text;
    if (node->name->text[0] == '.')
        return FLOW_NEXT;
    str_init(&text, sh->scratch);
    str_printf(&text, "%s.%s", sh->space->name->text, node->name->text);
    *ret = str_ok(&text) ? name_intern(sh, text.data, text.len) : NULL;
    return *ret ? FLOW_NEXT : shell_fail_memory(sh, text.len);
}

static enum flow group_run(struct shell *sh, const struct node_group *node)
{
    return exec_list(sh, node->body);
}

/* A function among the members of a compound value, or of a type: its full name. */
static enum flow member_function(struct shell *sh, const struct node_function *node,
                                 struct name **ret)
{
    struct members *m = sh->compound;
    const char *text = node->name->text, *dot = strrchr(text, '.');
    if (!m->open)
        return compound_function_name(sh, m, text, ret);
    *ret = type_method_name(sh, m->type, text, node->name->len);
    if (!*ret)
        return shell_fail_memory(sh, 0);
    if (!dot || !discipline_is_name(dot + 1, strlen(dot + 1)))
        return FLOW_NEXT;
    struct var_change change = { .set = VAR_DISCIPLINE, .base = -1, .width = -1 };
    const struct var_ref ref = { .base = m, .name = name_intern(sh, text, (size_t)(dot - text)) };
    return ref.name ? var_declare_ref(sh, &ref, &change) : shell_fail_memory(sh, 0);
}

static NOINLINE enum flow function_define(struct shell *sh, const struct node_function *node)
{
    const struct builtin_spec *spec = sh->hooks.find_builtin(sh, node->text, strlen(node->text));
    if (spec && (spec->flags & BUILTIN_SPECIAL) && !sh->compound)
        return shell_fail(sh, ERROR_ASSIGN, 1, node->text,
                          "invalid function name: is a special builtin");
    sh->status = 0;
    struct name *name = node->name;
    if (sh->compound)
        TRY(member_function(sh, node, &name));
    else if (sh->space)
        TRY(space_function(sh, node, &name));
    return func_define(sh, (struct program *)sh->program, node, name);
}

/* The switch over the kinds; redirections are in force. */
static enum flow node_run(struct shell *sh, const struct node *node)
{
    switch ((enum node_kind)node->kind) {
    case NODE_SIMPLE:
        return exec_simple(sh, (const struct node_simple *)node);
    case NODE_PIPELINE:
        return exec_pipeline(sh, (const struct node_pipeline *)node);
    case NODE_AND_OR:
        return and_or_run(sh, (const struct node_and_or *)node);
    case NODE_SUBSHELL:
        return exec_subshell(sh, (const struct node_group *)node);
    case NODE_GROUP:
        return group_run(sh, (const struct node_group *)node);
    case NODE_IF:
        return if_run(sh, (const struct node_if *)node);
    case NODE_WHILE:
        return exec_while(sh, (const struct node_while *)node);
    case NODE_FOR:
        return exec_for(sh, (const struct node_for *)node);
    case NODE_ARITH_FOR:
        return exec_arith_for(sh, (const struct node_arith_for *)node);
    case NODE_SELECT:
        return exec_select(sh, (const struct node_for *)node);
    case NODE_CASE:
        return exec_case(sh, (const struct node_case *)node);
    case NODE_FUNCTION:
        return function_define(sh, (const struct node_function *)node);
    case NODE_ARITH:
        return arith_run_node(sh, (const struct node_arith *)node);
    case NODE_COND:
        return exec_cond(sh, (const struct node_cond *)node);
    case NODE_TIME:
        return exec_time(sh, (const struct node_time *)node);
    case NODE_NAMESPACE:
        return namespace_run(sh, (const struct node_namespace *)node);
    }
    return FLOW_NEXT;
}

/* A compound command with redirections: a failing one fails the command only. */
static NOINLINE enum flow node_run_redirected(struct shell *sh, const struct node *node,
                                              bool *ret_failed)
{
    struct frame frame;
    frame_push(sh, &frame, FRAME_CMD);
    struct mem_mark mark = mem_region_mark(sh->scratch);
    enum flow flow = redir_apply(sh, &frame, node->redirs, node->redir_count);
    mem_region_reset(sh->scratch, mark);
    if (flow == FLOW_NEXT) {
        sh->line = node->line;
        flow = node_run(sh, node);
        if (flow != FLOW_ERROR)
            flow = exec_output_check(sh, NULL, flow);
    } else if (flow == FLOW_ERROR) {
        *ret_failed = true;
    }
    if (flow == FLOW_ERROR)
        flow = exec_consequence(sh, false);
    frame_pop(sh, &frame);
    return flow;
}

/* Kinds whose own status set -e and ERR look at; that of the others comes from commands they ran.
 */
static inline bool kind_is_checked(enum node_kind kind)
{
    return kind == NODE_SIMPLE || kind == NODE_SUBSHELL || kind == NODE_COND || kind == NODE_ARITH;
}

enum flow exec_node(struct shell *sh, const struct node *node)
{
    if (__builtin_expect(sh->pending, 0))
        TRY(trap_run_pending(sh));
    if (__builtin_expect(option_on(sh, OPTION_NOEXEC), 0) && !sh->interactive)
        return FLOW_NEXT; /* set -n in the command that is running */
    sh->line = node->line;
    if (__builtin_expect(mem_site_wanted, 0))
        site_enter(sh, node);
    bool checked = kind_is_checked(node->kind);
    uint32_t process_subs = sh->process_sub_count;
    enum flow flow;
    if (node->redir_count && node->kind != NODE_SIMPLE && node->kind != NODE_FUNCTION)
        flow = node_run_redirected(sh, node, &checked);
    else
        flow = node_run(sh, node);
    if (__builtin_expect(flow == FLOW_ERROR, 0))
        flow = exec_consequence(sh, false);
    if (__builtin_expect(sh->process_sub_count > process_subs, 0))
        exec_process_subs_end(sh, process_subs);
    if (sh->status != 0 && flow == FLOW_NEXT && checked && sh->condition_depth == 0)
        return exec_failed(sh);
    return flow;
}

enum flow exec_list(struct shell *sh, const struct list *list)
{
    if (!list)
        return FLOW_NEXT;
    const struct list_item *end = list->items + list->count;
    enum flow flow = FLOW_NEXT;
    uint32_t site = mem_site; /* of the command that the list is a part of */
    for (const struct list_item *item = list->items; item < end && flow == FLOW_NEXT; item++) {
        if (__builtin_expect(item->end == END_SEQ, 1)) {
            flow = exec_node(sh, item->node);
        } else if (item->end == END_SHOWN) {
            bool outer = sh->show_only;
            sh->show_only = outer || option_on(sh, OPTION_SHOWME);
            flow = exec_node(sh, item->node);
            sh->show_only = outer;
        } else {
            sh->line = item->node->line;
            flow = exec_background(sh, item->node, item->end == END_COPROC);
            if (flow == FLOW_ERROR)
                flow = exec_consequence(sh, false);
        }
    }
    site_leave(sh, site);
    return flow;
}

enum flow exec_list_last(struct shell *sh, const struct list *list)
{
    if (!list || !list->count)
        return FLOW_NEXT;
    struct list head = { .count = list->count - 1, .items = list->items };
    const struct list_item *last = &list->items[list->count - 1];
    TRY(exec_list(sh, &head));
    enum node_kind kind = last->node->kind;
    bool takes_last = kind == NODE_SIMPLE || kind == NODE_SUBSHELL || kind == NODE_PIPELINE;
    if (last->end == END_SEQ && takes_last) {
        sh->exec_last = true; /* exec_simple, exec_subshell or exec_pipeline takes it at once */
        return exec_node(sh, last->node);
    }
    struct list tail = { .count = 1, .items = list->items + list->count - 1 };
    return exec_list(sh, &tail);
}

enum flow exec_node_last(struct shell *sh, const struct node *node)
{
    struct list_item item = { .node = (struct node *)node, .end = END_SEQ };
    const struct list list = { .count = 1, .items = &item };
    return exec_list_last(sh, &list);
}

enum flow exec_program(struct shell *sh, struct program *program)
{
    const struct program *outer = sh->program;
    const struct node *command = sh->command;
    program_hold(program);
    sh->program = program;
    enum flow flow = exec_list(sh, program->body);
    sh->program = outer;
    sh->command = command;
    program_release(program);
    return flow;
}
