/*
 * parse_cmd: compound commands and function definitions.
 *
 * One function for each construct, with its grammar line. What opened a construct and where is
 * kept, so that a missing end is reported with its beginning. An empty body is an error, as in ksh.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

/* group: { list } and subshell: ( list ); the opening is consumed. */
static struct node *parse_group(struct parser *p, enum node_kind kind, uint32_t line)
{
    struct node_group *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, kind, line);
    node->body = parse_list_needed(p, kind == NODE_GROUP ? "{" : "(", line);
    if (kind == NODE_GROUP)
        return expect_reserved(p, RW_RBRACE, "{", line) ? &node->node : NULL;
    if (p->status != PARSE_OK)
        return NULL;
    if (look(p) != ')') {
        parser_missing(p, "(", line);
        return NULL;
    }
    p->pos++;
    return &node->node;
}

/* (( expression )), or ( list ) when it is not arithmetic */
static struct node *parse_parens(struct parser *p, uint32_t line)
{
    if (look_joined_ahead(p, 1) == '(') {
        struct cursor start = cursor_save(p);
        struct word *expression;
        skip_joined(p, 2);
        if (!lex_try_arith(p, start, &expression))
            return NULL;
        if (expression) {
            struct node_arith *node = parser_alloc(p, sizeof *node);
            if (!node)
                return NULL;
            node_init(p, &node->node, NODE_ARITH, line);
            node->expression = expression;
            lint_arith(p, start.in, start.pos + 2, 2);
            return &node->node;
        }
    }
    p->pos++;
    return parse_group(p, NODE_SUBSHELL, line);
}

static struct list *if_else(struct parser *p, uint32_t line);

/* if list then list {elif list then list} [else list] fi; after the if or elif */
static struct node *parse_if(struct parser *p, uint32_t line, bool is_elif)
{
    struct node_if *node = parser_alloc(p, sizeof *node);
    if (!node || !parser_enter(p))
        return NULL;
    node_init(p, &node->node, NODE_IF, line);
    node->is_elif = is_elif;
    node->condition = parse_condition(p, "if", line);
    if (expect_reserved(p, RW_THEN, "if", line) &&
        (node->then_body = parse_list_needed(p, "if", line)))
        node->else_body = if_else(p, line);
    parser_leave(p);
    return p->status == PARSE_OK ? &node->node : NULL;
}

/* What follows a then-body, with the fi. NULL with status OK: nothing. */
static struct list *if_else(struct parser *p, uint32_t line)
{
    enum reserved word = peek_reserved(p);
    if (word == RW_ELSE) {
        take_reserved(p, word);
        struct list *body = parse_list_needed(p, "if", line);
        return expect_reserved(p, RW_FI, "if", line) ? body : NULL;
    }
    if (word != RW_ELIF) {
        expect_reserved(p, RW_FI, "if", line);
        return NULL;
    }
    uint32_t elif_line = parser_line(p);
    take_reserved(p, word);
    struct list_item item = { .node = parse_if(p, elif_line, true), .end = END_SEQ };
    struct list *list = item.node ? parser_alloc(p, sizeof *list) : NULL;
    struct list_item *items = list ? parser_alloc(p, sizeof item) : NULL;
    if (!items)
        return NULL;
    *items = item;
    list->items = items;
    list->count = 1;
    return list;
}

/* do list done, or { list } where BRACES */
static struct list *parse_do_group(struct parser *p, const char *opener, uint32_t line, bool braces)
{
    if (!skip_newlines(p))
        return NULL;
    command_position(p);
    if (braces && peek_reserved(p) == RW_LBRACE) {
        uint32_t brace_line = parser_line(p);
        take_reserved(p, RW_LBRACE);
        struct list *body = parse_list_needed(p, "{", brace_line);
        return expect_reserved(p, RW_RBRACE, "{", brace_line) ? body : NULL;
    }
    if (!expect_reserved(p, RW_DO, opener, line))
        return NULL;
    struct list *body = parse_list_needed(p, opener, line);
    return expect_reserved(p, RW_DONE, opener, line) ? body : NULL;
}

/* while|until list do list done */
static struct node *parse_while(struct parser *p, bool until, uint32_t line)
{
    struct node_while *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_WHILE, line);
    node->until = until;
    const char *opener = until ? "until" : "while";
    node->condition = parse_condition(p, opener, line);
    if (node->condition)
        node->body = parse_do_group(p, opener, line, false);
    return node->body ? &node->node : NULL;
}

/* The separator before the body of a for: ; or newlines, or nothing when OPTIONAL. */
static bool for_separator(struct parser *p, bool optional)
{
    skip_space(p);
    int c = look(p);
    if (c == ';' && !item_ends_with(look_joined_ahead(p, 1)))
        p->pos++;
    else if (c != '\n' && !optional)
        return parser_unexpected(p);
    return skip_newlines(p);
}

/* One expression of for (( )): NULL in *RET_WORD when blank. */
static bool for_expression(struct parser *p, const char *ends, struct word **ret_word)
{
    const struct input *in = p->in;
    size_t start = p->pos;
    if (!lex_arith(p, ends, ret_word)) {
        if (p->status == PARSE_OK)
            parser_unexpected(p);
        return false;
    }
    lint_arith(p, in, start, *ends == ')' ? 2 : 0);
    if (lex_is_blank(*ret_word))
        *ret_word = NULL;
    return *ends == ')' || take(p, ';');
}

/* for (( init ; condition ; step )) [;] do list done; the parentheses are consumed */
static struct node *parse_arith_for(struct parser *p, uint32_t line)
{
    struct node_arith_for *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_ARITH_FOR, line);
    if (!for_expression(p, ";", &node->init) || !for_expression(p, ";", &node->condition) ||
        !for_expression(p, ")", &node->step) || !for_separator(p, true))
        return NULL;
    node->body = parse_do_group(p, "for", line, true);
    return node->body ? &node->node : NULL;
}

static bool for_words(struct parser *p, struct node_for *node)
{
    size_t mark = stack_mark(p);
    node->has_in = true;
    for (;;) {
        if (!alias_follow(p) || !lex_at_word(p, look(p)))
            break;
        struct word *word = lex_word(p, WORD_NORMAL);
        if (!word)
            break;
        stack_push(p, &word, sizeof word);
    }
    node->words = stack_take(p, mark, sizeof(struct word *), &node->word_count);
    if (node->word_count == 0)
        lint_add(p, parser_line(p), "empty for list");
    return p->status == PARSE_OK && for_separator(p, false);
}

/* for|select name [in {word}] (; | newline) do list done */
static struct node *parse_for(struct parser *p, enum node_kind kind, uint32_t line)
{
    const char *opener = kind == NODE_FOR ? "for" : "select";
    p->alias_next = false;
    skip_space(p);
    if (kind == NODE_FOR && look(p) == '(' && look_joined_ahead(p, 1) == '(') {
        skip_joined(p, 2);
        return parse_arith_for(p, line);
    }
    struct node_for *node = alias_follow(p) ? parser_alloc(p, sizeof *node) : NULL;
    if (!node || !lex_name(p, true, &node->name))
        return NULL;
    int c = look(p);
    if (!node->name || (c >= 0 && !cclass_is((char)c, CC_META))) {
        parser_missing(p, opener, line);
        return NULL;
    }
    node_init(p, &node->node, kind, line);
    if (!alias_follow(p) || !skip_newlines(p))
        return NULL;
    if (peek_reserved(p) == RW_IN) {
        take_reserved(p, RW_IN);
        if (!for_words(p, node))
            return NULL;
    } else if (!for_separator(p, true)) {
        return NULL;
    }
    node->body = parse_do_group(p, opener, line, true);
    return node->body ? &node->node : NULL;
}

/* [(] pattern {| pattern} ) */
static bool case_patterns(struct parser *p, struct case_item *item)
{
    size_t mark = stack_mark(p);
    skip_space(p);
    take(p, '(');
    do {
        skip_space(p);
        if (!lex_at_word(p, look(p)))
            return parser_unexpected(p);
        struct word *word = lex_word(p, WORD_PATTERN);
        if (!word)
            return false;
        stack_push(p, &word, sizeof word);
        skip_space(p);
    } while (take(p, '|'));
    item->patterns = stack_take(p, mark, sizeof(struct word *), &item->pattern_count);
    return p->status == PARSE_OK && (take(p, ')') || parser_unexpected(p));
}

/* patterns [list] (;; | ;& | ;;& | ;|), the last of which may be missing before the end. *RET_MORE:
 * it was there. */
static bool parse_case_item(struct parser *p, struct case_item *item, bool *ret_more)
{
    if (!case_patterns(p, item))
        return false;
    item->body = parse_list(p);
    if (p->status != PARSE_OK)
        return false;
    *ret_more = look(p) == ';';
    if (!*ret_more)
        return true;
    p->pos++;
    if (take(p, '&'))
        item->end = CASE_FALL;
    else if (take(p, '|'))
        item->end = CASE_TEST_NEXT; /* as mksh and zsh write it */
    else if (!take(p, ';'))
        return parser_unexpected(p);
    else if (take(p, '&'))
        item->end = CASE_TEST_NEXT;
    return true;
}

/* case word in {item} esac */
static struct node *parse_case(struct parser *p, uint32_t line)
{
    struct node_case *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_CASE, line);
    if (!alias_follow(p))
        return NULL;
    if (!lex_at_word(p, look(p))) {
        parser_missing(p, "case", line);
        return NULL;
    }
    node->subject = lex_word(p, WORD_TARGET);
    if (!node->subject || !alias_follow(p) || !skip_newlines(p))
        return NULL;
    enum reserved begin = peek_reserved(p);
    bool braces = begin == RW_LBRACE;
    if (!braces && begin != RW_IN) {
        parser_missing(p, "case", line);
        return NULL;
    }
    take_reserved(p, begin);
    enum reserved end = braces ? RW_RBRACE : RW_ESAC;
    size_t mark = stack_mark(p);
    bool more = true;
    while (more && skip_newlines(p)) { /* no command begins here: no alias is looked up */
        if (look(p) < 0 || peek_reserved(p) == end)
            break;
        struct case_item item = { .end = CASE_BREAK };
        if (!parse_case_item(p, &item, &more))
            break;
        stack_push(p, &item, sizeof item);
    }
    node->items = stack_take(p, mark, sizeof *node->items, &node->item_count);
    return expect_reserved(p, end, "case", line) ? &node->node : NULL;
}

/* () or {name} after the name in a function command. */
static bool function_parameters(struct parser *p, struct node_function *node)
{
    skip_space(p);
    if (look(p) == '(') {
        struct cursor at = cursor_save(p);
        p->pos++;
        skip_space(p);
        if (!take(p, ')'))
            cursor_restore(p, at);
        return true;
    }
    size_t mark = stack_mark(p);
    struct name *name;
    while (peek_reserved(p) == RW_NONE && lex_name(p, false, &name) && name) {
        stack_push(p, &name, sizeof name);
        if (look(p) >= 0 && !cclass_is((char)look(p), CC_META))
            return parser_unexpected(p);
        skip_space(p);
    }
    node->parameters = stack_take(p, mark, sizeof name, &node->parameter_count);
    return p->status == PARSE_OK;
}

/* Redirections that follow the body belong to it. */
static struct node *parse_function(struct parser *p, const char *text, size_t len, bool ksh_style,
                                   uint32_t line)
{
    struct node_function *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_FUNCTION, line);
    node->ksh_style = ksh_style;
    node->text = text;
    node->name = parser_intern(p, text, len);
    if (!node->name || (ksh_style && !function_parameters(p, node)) || !skip_newlines(p))
        return NULL;
    p->alias_applied = false;
    command_position(p);
    int c = look(p);
    if (c < 0) {
        parser_missing(p, ksh_style ? "function" : text, line);
        return NULL;
    }
    enum reserved word = c == '(' ? RW_LBRACE : peek_reserved(p);
    if (ksh_style && (word == RW_NONE || word == RW_IN)) {
        parser_unexpected(p);
        return NULL;
    }
    p->function_depth++;
    node->body = parse_command_node(p);
    p->function_depth--;
    return node->body ? &node->node : NULL;
}

static size_t blanks_n(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && (text[n] == ' ' || text[n] == '\t'))
        n++;
    return n;
}

/* Keeps the text of the function NODE from START to the end of the line: a comment or a `;` too. */
static bool keep_source(struct parser *p, struct node_function *node, const struct cursor *start)
{
    if (p->function_depth || p->in != start->in || p->in->outer || p->here_first)
        return true;
    size_t end = p->pos + blanks_n(p->text + p->pos, p->len - p->pos);
    if (end < p->len && p->text[end] == '#' && end > p->pos) {
        const char *newline = memchr(p->text + end, '\n', p->len - end);
        end = newline ? (size_t)(newline - p->text) : p->len;
    } else if (end < p->len && p->text[end] == ';') {
        end++;
    } else if (end < p->len && p->text[end] != '\n') {
        end = p->pos;
    }
    node->source_len = end - start->pos;
    node->source = arena_dup(p->arena, p->text + start->pos, node->source_len);
    return node->source || parser_no_memory(p);
}

/* name ( ) command */
struct node *parse_function_parens(struct parser *p, const struct word *name, uint32_t line)
{
    struct cursor at = cursor_save(p);
    p->pos++;
    skip_space(p);
    if (name->kind != WORD_LITERAL || look(p) != ')') {
        cursor_restore(p, at);
        parser_unexpected(p);
        return NULL;
    }
    p->pos++;
    return parse_function(p, name->text, name->len, false, line);
}

/* function name [() | {name}] compound-command */
static struct node *parse_function_keyword(struct parser *p, uint32_t line)
{
    skip_space(p);
    if (!lex_at_word(p, look(p))) {
        parser_missing(p, "function", line);
        return NULL;
    }
    struct word *name = lex_word(p, WORD_TARGET);
    if (!name)
        return NULL;
    if (name->kind != WORD_LITERAL) {
        parser_fail(p, line, "syntax error: invalid function name");
        return NULL;
    }
    return parse_function(p, name->text, name->len, true, line);
}

/* namespace name { list } */
static struct node *parse_namespace(struct parser *p, uint32_t line)
{
    struct node_namespace *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_NAMESPACE, line);
    skip_space(p);
    if (!lex_name(p, true, &node->name))
        return NULL;
    if (!node->name) {
        parser_missing(p, "namespace", line);
        return NULL;
    }
    if (!skip_newlines(p) || !expect_reserved(p, RW_LBRACE, "namespace", line))
        return NULL;
    node->body = parse_list_needed(p, "{", line);
    return expect_reserved(p, RW_RBRACE, "{", line) ? &node->node : NULL;
}

/* time before one command of a pipeline */
static struct node *parse_time_part(struct parser *p, uint32_t line)
{
    struct node_time *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_TIME, line);
    node->command = parse_command_node(p);
    return node->command ? &node->node : NULL;
}

/* ! before one command of a pipeline */
static struct node *parse_not_part(struct parser *p, uint32_t line)
{
    struct node_pipeline *node = parser_alloc(p, sizeof *node);
    struct node **part = parser_alloc(p, sizeof *part);
    if (!node || !part)
        return NULL;
    node_init(p, &node->node, NODE_PIPELINE, line);
    node->negate = true;
    node->parts = part;
    node->count = 1;
    *part = parse_command_node(p);
    return *part ? &node->node : NULL;
}

static struct node *parse_compound(struct parser *p, enum reserved word, uint32_t line)
{
    if (word != RW_NONE)
        take_reserved(p, word);
    switch (word) {
    case RW_NONE:
        return parse_parens(p, line);
    case RW_LBRACE:
        return parse_group(p, NODE_GROUP, line);
    case RW_IF:
        return parse_if(p, line, false);
    case RW_WHILE:
    case RW_UNTIL:
        return parse_while(p, word == RW_UNTIL, line);
    case RW_FOR:
        return parse_for(p, NODE_FOR, line);
    case RW_SELECT:
        return parse_for(p, NODE_SELECT, line);
    case RW_CASE:
        return parse_case(p, line);
    case RW_COND:
        return parse_cond(p, line);
    case RW_FUNCTION:
        return parse_function_keyword(p, line);
    case RW_NAMESPACE:
        return parse_namespace(p, line);
    case RW_NOT:
        return parse_not_part(p, line);
    default:
        return parse_time_part(p, line);
    }
}

struct node *parse_compound_argument(struct parser *p)
{
    uint32_t line = parser_line(p);
    int c = look(p);
    enum reserved word = c == '(' ? RW_NONE : peek_reserved(p);
    switch (word) {
    case RW_NONE:
        if (c != '(')
            return NULL;
        break;
    case RW_LBRACE:
    case RW_IF:
    case RW_WHILE:
    case RW_UNTIL:
    case RW_FOR:
    case RW_SELECT:
    case RW_CASE:
    case RW_COND:
        break;
    default:
        return NULL;
    }
    if (!parser_enter(p))
        return NULL;
    struct node *node = parse_compound(p, word, line);
    parser_leave(p);
    return node;
}

struct node *parse_nothing(struct parser *p, uint32_t line)
{
    struct node_simple *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_SIMPLE, line);
    return &node->node;
}

/* command: simple | compound {redirection} | function definition */
struct node *parse_command_node(struct parser *p)
{
    command_position(p);
    if (p->status != PARSE_OK)
        return NULL;
    bool alias_applied = p->alias_applied;
    p->alias_applied = p->alias_next = false;
    uint32_t line = parser_line(p);
    int c = look(p);
    if (alias_applied && (c < 0 || strchr("\n;&|)", c)))
        return parse_nothing(p, line);
    struct cursor start = { .in = p->in, .pos = p->pos };
    enum reserved word = c == '(' ? RW_NONE : peek_reserved(p);
    if (c != '(' && (word == RW_NONE || word == RW_IN)) {
        struct node *simple = parse_simple(p);
        if (!simple || simple->kind != NODE_FUNCTION)
            return simple;
        return keep_source(p, (struct node_function *)simple, &start) ? simple : NULL;
    }
    if (reserved_ends_list(word)) {
        parser_unexpected(p);
        return NULL;
    }
    if (!parser_enter(p))
        return NULL;
    struct node *node = parse_compound(p, word, line);
    parser_leave(p);
    if (!node)
        return NULL;
    if (node->kind == NODE_FUNCTION && !keep_source(p, (struct node_function *)node, &start))
        return NULL;
    bool takes_redirs =
        node->kind != NODE_FUNCTION && node->kind != NODE_TIME && node->kind != NODE_PIPELINE;
    return !takes_redirs || parse_redirs(p, node) ? node : NULL;
}
