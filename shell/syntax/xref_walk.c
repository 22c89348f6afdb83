/*
 * xref_walk: goes through a parsed program and finds the facts of its cross reference.
 *
 * Owns the walk and what is known of commands that take names as operands. What only running could
 * tell is left out: words with expansions, text for eval, actions of traps. Positional and special
 * parameters are no facts. Recursion is bounded by the parser's own limit of nesting.
 */
#include <string.h>

#include "shell/syntax/xref.h"
#include "shell/syntax/xref_private.h"

static void walk_list(struct xref *x, const struct list *list);
static void walk_node(struct xref *x, const struct node *node);
static void walk_param(struct xref *x, const struct param *param, uint32_t line);

/* ---- words ---- */

static void walk_part(struct xref *x, const struct part *part)
{
    switch ((enum part_kind)part->kind) {
    case PART_LITERAL:
    case PART_TILDE:
        break;
    case PART_PARAM:
        walk_param(x, part->param, part->line);
        break;
    case PART_COMMAND:
        walk_list(x, part->command->body);
        xref_word(x, part->command->read_file);
        break;
    case PART_ARITH:
        xref_arith(x, part->arith);
        break;
    case PART_PROCESS:
        walk_list(x, part->process->body);
        break;
    }
}

void xref_word(struct xref *x, const struct word *word)
{
    for (uint32_t i = 0; word && i < word->part_count; i++)
        walk_part(x, &word->parts[i]);
}

void xref_arith(struct xref *x, const struct word *word)
{
    for (uint32_t i = 0; word && i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_LITERAL)
            xref_expression(x, part->literal.text, part->literal.len, part->line);
        else
            walk_part(x, part);
    }
}

/* A subscript is an expression, if NAME is not known to have text in its place. */
static void walk_subscript(struct xref *x, const char *name, size_t len, const struct word *word)
{
    bool quoted = word && (word->flags & WORD_HAS_QUOTES);
    if (quoted || map_get(&x->associative, name, len))
        xref_word(x, word);
    else
        xref_arith(x, word);
}

static void walk_ref_of(struct xref *x, const struct name_ref *ref, enum xref_kind kind,
                        enum xref_use use, uint32_t line)
{
    const char *name = ref->name ? program_name_text(ref->name) : "";
    size_t len = strlen(name);
    if (len)
        xref_fact(x, kind, use, name, len, line);
    walk_subscript(x, name, len, ref->subscript);
    for (uint32_t i = 0; i < ref->step_count; i++)
        walk_subscript(x, name, len, ref->steps[i].subscript);
}

static void walk_ref(struct xref *x, const struct name_ref *ref, enum xref_use use, uint32_t line)
{
    walk_ref_of(x, ref, XREF_VARIABLE, use, line);
}

static void walk_param(struct xref *x, const struct param *param, uint32_t line)
{
    bool slice = param->op == OP_SLICE;
    if (param->form == PARAM_NAME && (param->prefix != PARAM_PREFIXES || param->members))
        walk_ref(x, &param->ref, XREF_REFER, line);
    if (param->form == PARAM_NAME && param->op == OP_ASSIGN)
        walk_ref(x, &param->ref, XREF_ASSIGN, line);
    (slice ? xref_arith : xref_word)(x, param->arg);
    (slice ? xref_arith : xref_word)(x, param->arg2);
}

/* ---- assignments and redirections ---- */

static void walk_elements(struct xref *x, const struct assign *assign)
{
    const char *name = assign->ref.name ? program_name_text(assign->ref.name) : "";
    for (uint32_t i = 0; i < assign->element_count; i++) {
        const struct assign *element = &assign->elements[i];
        walk_subscript(x, name, strlen(name), element->ref.subscript);
        xref_word(x, element->word);
        walk_elements(x, element);
        walk_list(x, element->members);
    }
}

/* The list of a compound variable or type defines members of it. */
static void walk_members(struct xref *x, const struct assign *assign)
{
    const char *outer = x->within;
    if (!assign->members || !assign->ref.name)
        return;
    const char *name = program_name_text(assign->ref.name);
    x->within = xref_full_name(x, name, strlen(name));
    walk_list(x, assign->members);
    x->within = outer;
}

static void walk_assign(struct xref *x, const struct assign *assign, enum xref_kind kind,
                        enum xref_use use)
{
    walk_ref_of(x, &assign->ref, kind, use, assign->line);
    xref_word(x, assign->word);
    walk_elements(x, assign);
    walk_members(x, assign);
}

static void walk_redirs(struct xref *x, const struct node *node)
{
    for (uint32_t i = 0; i < node->redir_count; i++) {
        const struct redir *redir = &node->redirs[i];
        bool dup = redir->op == REDIR_DUP_IN || redir->op == REDIR_DUP_OUT;
        const char *text = dup && redir->word ? redir->word->text : NULL;
        bool closes = text && strcmp(text, "-") == 0;
        if (redir->var)
            walk_ref(x, redir->var, closes ? XREF_REFER : XREF_ASSIGN, redir->line);
        if (redir->seek_arith)
            xref_arith(x, redir->word);
        else
            xref_word(x, redir->word);
    }
}

/* ---- commands ---- */

void xref_operand(struct xref *x, const struct arg *arg, enum xref_kind kind, enum xref_use use)
{
    if (arg->kind == ARG_ASSIGN)
        walk_assign(x, arg->assign, kind, use);
    else
        xref_word(x, arg->word);
}

static void walk_simple(struct xref *x, const struct node_simple *node)
{
    for (uint32_t i = 0; i < node->assign_count; i++)
        walk_assign(x, &node->assigns[i], XREF_VARIABLE, XREF_ASSIGN);
    if (node->arg_count)
        xref_command(x, node);
    if (node->body)
        walk_node(x, node->body);
}

static void walk_for(struct xref *x, const struct node_for *node)
{
    const char *name = program_name_text(node->name);
    xref_fact(x, XREF_VARIABLE, XREF_ASSIGN, name, strlen(name), node->node.line);
    for (uint32_t i = 0; i < node->word_count; i++)
        xref_word(x, node->words[i]);
    walk_list(x, node->body);
}

static void walk_case(struct xref *x, const struct node_case *node)
{
    xref_word(x, node->subject);
    for (uint32_t i = 0; i < node->item_count; i++) {
        for (uint32_t j = 0; j < node->items[i].pattern_count; j++)
            xref_word(x, node->items[i].patterns[j]);
        walk_list(x, node->items[i].body);
    }
}

static void walk_function(struct xref *x, const struct node_function *node)
{
    const char *outer = x->function, *within = x->within;
    size_t len = strlen(node->text);
    xref_fact(x, XREF_FUNCTION, XREF_DEFINE, node->text, len, node->node.line);
    x->function = xref_full_name(x, node->text, len);
    x->within = NULL;
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const char *parameter = program_name_text(node->parameters[i]);
        xref_fact(x, XREF_VARIABLE, XREF_DECLARE, parameter, strlen(parameter), node->node.line);
    }
    walk_node(x, node->body);
    x->function = outer;
    x->within = within;
}

static void walk_cond(struct xref *x, const struct cond *cond)
{
    if (!cond)
        return;
    walk_cond(x, cond->left);
    walk_cond(x, cond->right);
    bool number = cond->op >= COND_EQ && cond->op <= COND_GE;
    const char *text = cond->op == COND_UNARY ? cond->a->text : NULL;
    if (text && (cond->op_char == 'v' || cond->op_char == 'R'))
        xref_fact(x, XREF_VARIABLE, XREF_REFER, text, xref_name_len(text), cond->a->line);
    (number ? xref_arith : xref_word)(x, cond->a);
    (number ? xref_arith : xref_word)(x, cond->b);
}

static void walk_list(struct xref *x, const struct list *list)
{
    for (uint32_t i = 0; list && i < list->count; i++)
        walk_node(x, list->items[i].node);
}

static void walk_pipeline(struct xref *x, const struct node_pipeline *node)
{
    for (uint32_t i = 0; i < node->count; i++)
        walk_node(x, node->parts[i]);
}

static void walk_if(struct xref *x, const struct node_if *node)
{
    walk_list(x, node->condition);
    walk_list(x, node->then_body);
    walk_list(x, node->else_body);
}

static void walk_while(struct xref *x, const struct node_while *node)
{
    walk_list(x, node->condition);
    walk_list(x, node->body);
}

static void walk_and_or(struct xref *x, const struct node_and_or *node)
{
    walk_node(x, node->left);
    walk_node(x, node->right);
}

static void walk_arith_for(struct xref *x, const struct node_arith_for *node)
{
    xref_arith(x, node->init);
    xref_arith(x, node->condition);
    xref_arith(x, node->step);
    walk_list(x, node->body);
}

static void walk_node(struct xref *x, const struct node *node)
{
    if (!node)
        return;
    walk_redirs(x, node);
    switch ((enum node_kind)node->kind) {
    case NODE_SIMPLE:
        walk_simple(x, (const struct node_simple *)node);
        break;
    case NODE_PIPELINE:
        walk_pipeline(x, (const struct node_pipeline *)node);
        break;
    case NODE_AND_OR:
        walk_and_or(x, (const struct node_and_or *)node);
        break;
    case NODE_SUBSHELL:
    case NODE_GROUP:
        walk_list(x, ((const struct node_group *)node)->body);
        break;
    case NODE_IF:
        walk_if(x, (const struct node_if *)node);
        break;
    case NODE_WHILE:
        walk_while(x, (const struct node_while *)node);
        break;
    case NODE_FOR:
    case NODE_SELECT:
        walk_for(x, (const struct node_for *)node);
        break;
    case NODE_ARITH_FOR:
        walk_arith_for(x, (const struct node_arith_for *)node);
        break;
    case NODE_CASE:
        walk_case(x, (const struct node_case *)node);
        break;
    case NODE_FUNCTION:
        walk_function(x, (const struct node_function *)node);
        break;
    case NODE_ARITH:
        xref_arith(x, ((const struct node_arith *)node)->expression);
        break;
    case NODE_COND:
        walk_cond(x, ((const struct node_cond *)node)->cond);
        break;
    case NODE_TIME:
        walk_node(x, ((const struct node_time *)node)->command);
        break;
    case NODE_NAMESPACE:
        walk_list(x, ((const struct node_namespace *)node)->body);
        break;
    }
}

void xref_add_program(struct xref *x, const struct program *program)
{
    if (!x->file || strcmp(x->file, program->source) != 0)
        x->file = arena_dup(&x->arena, program->source, strlen(program->source));
    if (x->file)
        walk_list(x, program->body);
    else
        x->failed = true;
}
