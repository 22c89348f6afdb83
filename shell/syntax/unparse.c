/*
 * unparse: commands back to text.
 *
 * Writes a tree as a person would: one command a line, bodies indented by tabs, here-documents
 * after the line that holds them. Inside words everything goes on one line. Line numbers and
 * aliases are gone; what is read back is the same tree otherwise. It never fails but for memory,
 * which the string remembers.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parse.h"
#include "shell/syntax/unparser.h"

void unparser_init(struct unparser *u, struct str *s, int indent)
{
    *u = (struct unparser){ .s = s, .indent = indent };
    vec_init(&u->here, s->region);
}

void unparser_release(struct unparser *u)
{
    vec_release(&u->here);
}

void unparser_put(struct unparser *u, const char *text)
{
    str_append_z(u->s, text);
}

/* True when some line of BODY could be taken for DELIMITER. */
static bool body_has_line(const char *body, size_t len, const char *delimiter)
{
    size_t n = strlen(delimiter);
    for (const char *line = body, *end = body + len; line && line < end;) {
        if ((size_t)(end - line) >= n && memcmp(line, delimiter, n) == 0)
            return true;
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    return false;
}

/* A delimiter for REDIR, whose body is the text from BODY_START of S on, appended after it. */
static void choose_delimiter(struct str *ret, const struct redir *redir, const char *body,
                             size_t len)
{
    const char *wanted = redir->here_delimiter;
    str_append_z(ret, text_is_name(wanted, strlen(wanted)) ? wanted : "EOF");
    while (body_has_line(body, len, str_text(ret)) && str_ok(ret))
        str_putc(ret, '_');
}

/* The body of REDIR as it stands in a script, with its last newline. */
static void render_body(struct str *ret, const struct redir *redir)
{
    struct unparser u;
    unparser_init(&u, ret, 0);
    if (redir->here_quoted) {
        for (uint32_t i = 0; i < redir->word->part_count; i++)
            str_append(ret, redir->word->parts[i].literal.text, redir->word->parts[i].literal.len);
    } else {
        unparser_word(&u, redir->word, CONTEXT_HERE);
    }
    if (ret->len > 0 && ret->data[ret->len - 1] != '\n')
        str_putc(ret, '\n');
    unparser_release(&u);
}

static void here_body(struct unparser *u, const struct redir *redir)
{
    struct str body, delimiter;
    str_init(&body, u->s->region);
    str_init(&delimiter, u->s->region);
    render_body(&body, redir);
    choose_delimiter(&delimiter, redir, str_text(&body), body.len);
    str_append(u->s, str_text(&body), body.len);
    str_append(u->s, str_text(&delimiter), delimiter.len);
    str_putc(u->s, '\n');
    str_release(&body);
    str_release(&delimiter);
}

static void here_operator(struct unparser *u, const struct redir *redir)
{
    struct str body, delimiter;
    str_init(&body, u->s->region);
    str_init(&delimiter, u->s->region);
    render_body(&body, redir);
    choose_delimiter(&delimiter, redir, str_text(&body), body.len);
    if (redir->here_quoted)
        str_printf(u->s, "<<'%s'", str_text(&delimiter));
    else
        str_printf(u->s, "<<%s", str_text(&delimiter));
    str_release(&body);
    str_release(&delimiter);
    if (!u->no_here)
        vec_push(&u->here, (void *)redir);
}

static void put_indent(struct unparser *u)
{
    for (int i = 0; i < u->indent; i++)
        str_putc(u->s, '\t');
}

void unparser_newline(struct unparser *u)
{
    str_putc(u->s, '\n');
    for (size_t i = 0; i < u->here.count; i++)
        here_body(u, u->here.items[i]);
    vec_clear(&u->here);
    if (!u->oneline)
        put_indent(u);
}

/* Between two commands, or before what closes a list; AFTER_END: the command ended with & already.
 */
static void separator(struct unparser *u, bool after_end)
{
    if (u->here.count > 0 || !u->oneline)
        unparser_newline(u);
    else
        unparser_put(u, after_end ? " " : "; ");
}

void unparser_list(struct unparser *u, const struct list *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct list_item *item = &list->items[i];
        if (u->max && u->s->len > u->max)
            return;
        if (item->end == END_SHOWN)
            unparser_put(u, "; ");
        unparser_node(u, item->node);
        if (item->end > END_SHOWN)
            unparser_put(u, item->end == END_COPROC ? " |&" : " &");
        if (i + 1 < list->count)
            separator(u, item->end > END_SHOWN);
    }
}

static bool ends_itself(const struct list *list)
{
    return !list || list->count == 0 || list->items[list->count - 1].end > END_SHOWN;
}

/* An indented body, after its opening word, up to where the closing one goes. */
static void put_body(struct unparser *u, const struct list *list)
{
    u->indent++;
    if (u->oneline)
        unparser_put(u, " ");
    else
        unparser_newline(u);
    unparser_list(u, list);
    u->indent--;
    separator(u, ends_itself(list));
}

/* A list on the line of the word before it, up to where the next word goes. */
static void put_condition(struct unparser *u, const struct list *list)
{
    bool oneline = u->oneline;
    u->oneline = true;
    unparser_put(u, " ");
    unparser_list(u, list);
    separator(u, ends_itself(list));
    u->oneline = oneline;
}

void unparser_inner_list(struct unparser *u, const struct list *list)
{
    struct unparser inner;
    unparser_init(&inner, u->s, 0);
    inner.oneline = true;
    inner.no_here = u->no_here;
    inner.max = u->max;
    bool brace = u->s->data[u->s->len - 1] == '{' || u->s->data[u->s->len - 1] == '|';
    if (brace)
        unparser_put(u, " ");
    unparser_list(&inner, list);
    if (inner.here.count > 0)
        unparser_newline(&inner);
    else if (brace && list)
        unparser_put(u, ends_itself(list) ? " " : "; ");
    unparser_release(&inner);
}

const char *redir_operator(enum redir_op op)
{
    static const char *const text[] = {
        [REDIR_IN] = "<",
        [REDIR_OUT] = ">",
        [REDIR_CLOBBER] = ">|",
        [REDIR_APPEND] = ">>",
        [REDIR_INOUT] = "<>",
        [REDIR_OUT_REWRITE] = ">;",
        [REDIR_INOUT_TRUNC] = "<>;",
        [REDIR_DUP_IN] = "<&",
        [REDIR_DUP_OUT] = ">&",
        [REDIR_BOTH] = "&>",
        [REDIR_BOTH_APPEND] = "&>>",
        [REDIR_HERE_DOC] = "<<",
        [REDIR_HERE_STRING] = "<<<",
        [REDIR_SEEK_IN] = "<#",
        [REDIR_SEEK_OUT] = ">#",
        [REDIR_SKIP_COPY] = "<##",
        [REDIR_TELL] = "<#",
    };
    return text[op];
}

void unparser_redir(struct unparser *u, const struct redir *redir)
{
    const char *op = redir_operator((enum redir_op)redir->op);
    if (redir->var) {
        str_putc(u->s, '{');
        unparser_ref(u, redir->var);
        str_putc(u->s, '}');
    } else if (redir->fd != (*op == '<' ? 0 : 1)) {
        str_append_int(u->s, redir->fd);
    }
    if (redir->op == REDIR_HERE_DOC) {
        here_operator(u, redir);
        return;
    }
    unparser_put(u, op);
    if (redir->seek_arith) {
        unparser_put(u, "((");
        unparser_word(u, redir->word, CONTEXT_ARITH);
        unparser_put(u, "))");
        return;
    }
    if (redir->op == REDIR_TELL)
        return;
    if (redir->word->part_count > 0 && redir->word->parts[0].kind == PART_PROCESS)
        unparser_put(u, " ");
    unparser_word(u, redir->word, CONTEXT_WORD);
}

void unparser_assign(struct unparser *u, const struct assign *assign)
{
    bool named = assign->ref.name || assign->ref.subscript || assign->ref.subscript_all ||
                 assign->ref.step_count > 0;
    unparser_ref(u, &assign->ref);
    if (named)
        unparser_put(u, assign->append ? "+=" : "=");
    if (assign->kind == ASSIGN_WORD) {
        unparser_word(u, assign->word, CONTEXT_WORD);
        return;
    }
    str_putc(u->s, '(');
    if (assign->kind == ASSIGN_COMPOUND)
        put_body(u, assign->members);
    for (uint32_t i = 0; i < assign->element_count; i++) {
        const struct assign *element = &assign->elements[i];
        if (i > 0)
            str_putc(u->s, ' ');
        unparser_assign(u, element);
    }
    str_putc(u->s, ')');
}

/* ---- commands ------------------------------------------------------------------------------- */

static bool unquoted_reserved(const struct word *word)
{
    return word->kind == WORD_LITERAL && !(word->flags & WORD_HAS_QUOTES) &&
           parse_is_reserved(word->text, word->len);
}

static void put_argument(struct unparser *u, const struct arg *arg, bool first)
{
    if (arg->kind == ARG_ASSIGN)
        unparser_assign(u, arg->assign);
    else if (first && unquoted_reserved(arg->word))
        unparser_quoted(u, arg->word->text, arg->word->len);
    else
        unparser_word(u, arg->word, CONTEXT_WORD);
}

static void put_simple(struct unparser *u, const struct node_simple *simple)
{
    bool space = false;
    for (uint32_t i = 0; i < simple->assign_count; i++, space = true) {
        if (space)
            str_putc(u->s, ' ');
        unparser_assign(u, &simple->assigns[i]);
    }
    for (uint32_t i = 0; i < simple->arg_count; i++, space = true) {
        if (space)
            str_putc(u->s, ' ');
        put_argument(u, &simple->args[i], !space);
    }
    if (simple->body) {
        str_putc(u->s, ' ');
        unparser_node(u, simple->body);
    }
    for (uint32_t i = 0; i < simple->node.redir_count; i++, space = true) {
        if (space)
            str_putc(u->s, ' ');
        unparser_redir(u, &simple->node.redirs[i]);
    }
    if (!space)
        str_putc(u->s, ':'); /* an alias of nothing */
}

static void put_group(struct unparser *u, const struct list *body, const char *open,
                      const char *close)
{
    unparser_put(u, open);
    put_body(u, body);
    unparser_put(u, close);
}

static void put_subshell(struct unparser *u, const struct node_group *node)
{
    if (!u->oneline) {
        put_group(u, node->body, "(", ")");
        return;
    }
    /* `((` would be arithmetic */
    unparser_put(u, node->body->items[0].node->kind == NODE_SUBSHELL ? "( " : "(");
    unparser_list(u, node->body);
    if (u->here.count > 0)
        unparser_newline(u);
    unparser_put(u, ")");
}

static void put_if(struct unparser *u, const struct node_if *node)
{
    unparser_put(u, "if");
    for (;;) {
        put_condition(u, node->condition);
        unparser_put(u, "then");
        put_body(u, node->then_body);
        const struct list *rest = node->else_body;
        if (!rest)
            break;
        const struct node_if *elif = (const struct node_if *)rest->items[0].node;
        if (rest->count != 1 || elif->node.kind != NODE_IF || !elif->is_elif) {
            unparser_put(u, "else");
            put_body(u, rest);
            break;
        }
        unparser_put(u, "elif");
        node = elif;
    }
    unparser_put(u, "fi");
}

static void put_do(struct unparser *u, const struct list *body)
{
    unparser_put(u, "do");
    put_body(u, body);
    unparser_put(u, "done");
}

static void put_for(struct unparser *u, const struct node_for *node, const char *word)
{
    str_printf(u->s, "%s %s", word, program_name_text(node->name));
    if (node->has_in)
        unparser_put(u, " in");
    for (uint32_t i = 0; i < node->word_count; i++) {
        str_putc(u->s, ' ');
        unparser_word(u, node->words[i], CONTEXT_WORD);
    }
    unparser_put(u, "; ");
    put_do(u, node->body);
}

static void put_expression(struct unparser *u, const struct word *word, bool last)
{
    unparser_word(u, word, CONTEXT_ARITH);
    if (!last)
        str_putc(u->s, ';');
}

static void put_arith_for(struct unparser *u, const struct node_arith_for *node)
{
    unparser_put(u, "for ((");
    put_expression(u, node->init, false);
    put_expression(u, node->condition, false);
    put_expression(u, node->step, true);
    unparser_put(u, ")); ");
    put_do(u, node->body);
}

static void put_case_item(struct unparser *u, const struct case_item *item)
{
    static const char *const ends[] = { ";;", ";&", ";;&" };
    const struct word *first = item->patterns[0];
    if (unquoted_reserved(first))
        str_putc(u->s, '(');
    for (uint32_t i = 0; i < item->pattern_count; i++) {
        if (i > 0)
            unparser_put(u, " | ");
        unparser_word(u, item->patterns[i], CONTEXT_WORD);
    }
    unparser_put(u, ")");
    u->indent++;
    if (item->body) {
        if (u->oneline)
            unparser_put(u, " ");
        else
            unparser_newline(u);
        unparser_list(u, item->body);
    }
    if (u->here.count > 0 || !u->oneline)
        unparser_newline(u);
    else
        unparser_put(u, " ");
    unparser_put(u, ends[item->end]);
    u->indent--;
}

static void put_case(struct unparser *u, const struct node_case *node)
{
    unparser_put(u, "case ");
    unparser_word(u, node->subject, CONTEXT_WORD);
    unparser_put(u, " in");
    for (uint32_t i = 0; i < node->item_count; i++) {
        if (u->oneline)
            unparser_put(u, " ");
        else
            unparser_newline(u);
        put_case_item(u, &node->items[i]);
    }
    if (u->oneline)
        unparser_put(u, " ");
    else
        unparser_newline(u);
    unparser_put(u, "esac");
}

static void put_function(struct unparser *u, const struct node_function *node)
{
    size_t len = strlen(node->text);
    bool plain = len > 0 && !parse_is_reserved(node->text, len);
    for (size_t i = 0; i < len; i++)
        plain &= cclass_is(node->text[i], CC_NAME) || strchr(".-+:,@%^/", node->text[i]) ||
                 (node->text[i] & 0x80);
    unparser_put(u, node->ksh_style ? "function " : "");
    if (plain)
        unparser_put(u, node->text);
    else
        unparser_quoted(u, node->text, len);
    for (uint32_t i = 0; i < node->parameter_count; i++)
        str_printf(u->s, " %s", program_name_text(node->parameters[i]));
    unparser_put(u, node->ksh_style ? " " : "() ");
    unparser_node(u, node->body);
}

static void put_cond(struct unparser *u, const struct cond *cond);

/* An operand, in parentheses when it needs them. */
static void put_cond_operand(struct unparser *u, const struct cond *cond, bool parens)
{
    unparser_put(u, parens ? "( " : "");
    put_cond(u, cond);
    unparser_put(u, parens ? " )" : "");
}

static void put_cond(struct unparser *u, const struct cond *cond)
{
    static const char *const ops[] = {
        [COND_MATCH] = "==",  [COND_NO_MATCH] = "!=", [COND_REGEX] = "=~", [COND_LESS] = "<",
        [COND_GREATER] = ">", [COND_NT] = "-nt",      [COND_OT] = "-ot",   [COND_EF] = "-ef",
        [COND_EQ] = "-eq",    [COND_NE] = "-ne",      [COND_LT] = "-lt",   [COND_LE] = "-le",
        [COND_GT] = "-gt",    [COND_GE] = "-ge",
    };
    switch (cond->op) {
    case COND_AND:
    case COND_OR:
        /* && binds tighter, and both group to the left */
        put_cond_operand(u, cond->left, cond->op == COND_AND && cond->left->op == COND_OR);
        unparser_put(u, cond->op == COND_AND ? " && " : " || ");
        put_cond_operand(u, cond->right, cond->right->op == COND_OR || cond->right->op == cond->op);
        break;
    case COND_NOT:
        unparser_put(u, "! ");
        put_cond_operand(u, cond->left, cond->left->op <= COND_OR);
        break;
    case COND_WORD:
        unparser_word(u, cond->a, CONTEXT_WORD);
        break;
    case COND_UNARY:
        str_printf(u->s, "-%c ", cond->op_char);
        unparser_word(u, cond->a, CONTEXT_WORD);
        break;
    default:
        unparser_word(u, cond->a, CONTEXT_WORD);
        str_printf(u->s, " %s ", ops[cond->op]);
        unparser_word(u, cond->b, cond->op == COND_REGEX ? CONTEXT_REGEX : CONTEXT_WORD);
    }
}

static void put_pipeline(struct unparser *u, const struct node_pipeline *node)
{
    if (node->negate)
        unparser_put(u, "! ");
    for (uint32_t i = 0; i < node->count; i++) {
        if (i > 0)
            unparser_put(u, " | ");
        unparser_node(u, node->parts[i]);
    }
}

static void put_time(struct unparser *u, const struct node_time *node)
{
    unparser_put(u, node->posix ? "time -p" : "time");
    if (node->command) {
        str_putc(u->s, ' ');
        unparser_node(u, node->command);
    }
}

static void put_command(struct unparser *u, const struct node *node)
{
    switch ((enum node_kind)node->kind) {
    case NODE_SIMPLE:
        put_simple(u, (const struct node_simple *)node);
        break;
    case NODE_PIPELINE:
        put_pipeline(u, (const struct node_pipeline *)node);
        break;
    case NODE_AND_OR: {
        const struct node_and_or *and_or = (const struct node_and_or *)node;
        unparser_node(u, and_or->left);
        unparser_put(u, and_or->is_or ? " || " : " && ");
        unparser_node(u, and_or->right);
        break;
    }
    case NODE_SUBSHELL:
        put_subshell(u, (const struct node_group *)node);
        break;
    case NODE_GROUP:
        put_group(u, ((const struct node_group *)node)->body, "{", "}");
        break;
    case NODE_IF:
        put_if(u, (const struct node_if *)node);
        break;
    case NODE_WHILE: {
        const struct node_while *loop = (const struct node_while *)node;
        unparser_put(u, loop->until ? "until" : "while");
        put_condition(u, loop->condition);
        put_do(u, loop->body);
        break;
    }
    case NODE_FOR:
    case NODE_SELECT:
        put_for(u, (const struct node_for *)node, node->kind == NODE_FOR ? "for" : "select");
        break;
    case NODE_ARITH_FOR:
        put_arith_for(u, (const struct node_arith_for *)node);
        break;
    case NODE_CASE:
        put_case(u, (const struct node_case *)node);
        break;
    case NODE_FUNCTION:
        put_function(u, (const struct node_function *)node);
        break;
    case NODE_ARITH:
        unparser_put(u, "((");
        unparser_word(u, ((const struct node_arith *)node)->expression, CONTEXT_ARITH);
        unparser_put(u, "))");
        break;
    case NODE_COND:
        unparser_put(u, "[[ ");
        put_cond(u, ((const struct node_cond *)node)->cond);
        unparser_put(u, " ]]");
        break;
    case NODE_TIME:
        put_time(u, (const struct node_time *)node);
        break;
    case NODE_NAMESPACE: {
        const struct node_namespace *space = (const struct node_namespace *)node;
        str_printf(u->s, "namespace %s ", program_name_text(space->name));
        put_group(u, space->body, "{", "}");
        break;
    }
    }
}

void unparser_node(struct unparser *u, const struct node *node)
{
    put_command(u, node);
    if (node->kind == NODE_SIMPLE)
        return; /* has written its redirections among its words */
    for (uint32_t i = 0; i < node->redir_count; i++) {
        str_putc(u->s, ' ');
        unparser_redir(u, &node->redirs[i]);
    }
}
