/*
 * parse: lists, and-or lists and pipelines, and the entry points.
 *
 * The grammar functions return NULL on failure, after setting the parser's status. Each function
 * here that begins a program owns it until it is handed to the caller, and releases it on failure.
 * The source is left after the command that was parsed, or after the offending line.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

/* Is the cursor, at the start of a command, on what can only end a list? */
static bool at_list_end(struct parser *p)
{
    int c = look(p);
    if (c < 0 || c == ')' || (c == '}' && p->brace_closes))
        return true;
    if (c == ';')
        return item_ends_with(look_joined_ahead(p, 1));
    return reserved_ends_list(peek_reserved(p));
}

/* time [-p] [pipeline] */
static struct node *parse_time(struct parser *p, uint32_t line)
{
    struct node_time *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_TIME, line);
    skip_space(p);
    if (look(p) == '-' && word_is(p, "-p")) {
        node->posix = true;
        skip_over(p, 2);
    }
    p->alias_applied = false;
    command_position(p);
    int c = look(p);
    if (c < 0 || strchr("\n;&|)", c) || at_list_end(p))
        return &node->node;
    node->command = parse_pipeline(p);
    return node->command ? &node->node : NULL;
}

static struct node *pipeline_finish(struct parser *p, size_t mark, bool negate, uint32_t line)
{
    struct node_pipeline *node = parser_alloc(p, sizeof *node);
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_PIPELINE, line);
    node->negate = negate;
    node->parts = stack_take(p, mark, sizeof(struct node *), &node->count);
    return node->parts ? &node->node : NULL;
}

/* The part that a ! or time began: one pipeline in it. */
static struct node *parse_prefixed(struct parser *p, enum reserved word)
{
    uint32_t line = parser_line(p);
    size_t mark = stack_mark(p);
    if (!parser_enter(p))
        return NULL;
    take_reserved(p, word);
    struct node *node;
    if (word == RW_TIME) {
        node = parse_time(p, line);
    } else if ((node = parse_pipeline(p))) {
        stack_push(p, &node, sizeof node);
        node = pipeline_finish(p, mark, true, line);
    }
    parser_leave(p);
    return node;
}

static bool at_pipe(struct parser *p)
{
    skip_space(p);
    if (look(p) != '|')
        return false;
    struct cursor c = cursor_save(p);
    p->pos++;
    int next = look_joined(p);
    if (next != '|' && next != '&')
        return true;
    cursor_restore(p, c);
    return false;
}

/* pipeline: [!|time [-p]] command {| newlines command} */
struct node *parse_pipeline(struct parser *p)
{
    command_position(p);
    enum reserved word = peek_reserved(p);
    if (word == RW_NOT || word == RW_TIME)
        return parse_prefixed(p, word);
    uint32_t line = parser_line(p);
    size_t mark = stack_mark(p);
    struct node *node = parse_command_node(p);
    while (node && at_pipe(p)) {
        stack_push(p, &node, sizeof node);
        p->alias_applied = false;
        node = skip_newlines(p) ? parse_command_node(p) : NULL;
    }
    if (!node) {
        str_truncate(&p->stack, mark);
        return NULL;
    }
    if (p->stack.len == mark)
        return node;
    stack_push(p, &node, sizeof node);
    return pipeline_finish(p, mark, false, line);
}

/* Consumes && or ||: returns its first byte, else 0. */
static char take_and_or(struct parser *p)
{
    skip_space(p);
    int c = look(p);
    if (c != '&' && c != '|')
        return 0;
    struct cursor back = cursor_save(p);
    p->pos++;
    if (take(p, (char)c))
        return (char)c;
    cursor_restore(p, back);
    return 0;
}

/* and_or: pipeline {(&& | ||) newlines pipeline} */
static struct node *parse_and_or(struct parser *p)
{
    struct node *left = parse_pipeline(p);
    char op;
    unsigned links = 0;
    while (left && (op = take_and_or(p))) {
        if (++links > p->hooks->depth_max) {
            parser_fail(p, parser_line(p), "syntax error: nesting too deep");
            p->fatal = true;
            return NULL;
        }
        struct node_and_or *node = parser_alloc(p, sizeof *node);
        p->alias_applied = false;
        if (!node || !skip_newlines(p))
            return NULL;
        node_init(p, &node->node, NODE_AND_OR, left->line);
        node->is_or = op == '|';
        node->left = left;
        node->right = parse_pipeline(p);
        left = node->right ? &node->node : NULL;
    }
    return left;
}

/* Takes one `;` before a command, which says nothing without set -o showme, and is no extension
 * that the POSIX mode has. */
static bool take_lone_semicolon(struct parser *p)
{
    if ((p->hooks->posix && !p->hooks->show) || look(p) != ';' || at_list_end(p))
        return false;
    p->pos++;
    command_position(p);
    return true;
}

/* One and-or list with what ends it, and perhaps a `;` before it, pushed. A `;` alone is nothing,
 * but makes a list that began at MARK one that is there. False: failed. *RET_MORE: another may
 * follow. */
static bool parse_item(struct parser *p, size_t mark, bool *ret_more)
{
    struct list_item item = { .end = END_SEQ };
    if (__builtin_expect(look(p) == ';', 0) && take_lone_semicolon(p)) {
        int c = look(p);
        if (c < 0 || c == '\n' || at_list_end(p)) {
            if (p->stack.len == mark && (item.node = parse_nothing(p, parser_line(p))))
                stack_push(p, &item, sizeof item);
            return p->status == PARSE_OK;
        }
        item.end = END_SHOWN; /* should the option be on by then */
    }
    item.node = parse_and_or(p);
    if (!item.node)
        return false;
    skip_space(p);
    int c = look(p);
    int next = c == ';' || c == '|' ? look_joined_ahead(p, 1) : -1;
    *ret_more = true;
    if (c == ';' && !item_ends_with(next)) {
        p->pos++;
    } else if (c == '&') {
        p->pos++;
        item.end = END_BACKGROUND;
    } else if (c == '|' && next == '&') {
        skip_joined(p, 2);
        item.end = END_COPROC;
    } else {
        *ret_more = c == '\n';
    }
    stack_push(p, &item, sizeof item);
    return true;
}

static struct list *list_finish(struct parser *p, size_t mark)
{
    if (p->status != PARSE_OK || p->stack.len == mark) {
        str_truncate(&p->stack, mark);
        return NULL;
    }
    struct list *list = parser_alloc(p, sizeof *list);
    if (list)
        list->items = stack_take(p, mark, sizeof *list->items, &list->count);
    return p->status == PARSE_OK ? list : NULL;
}

/* list: {newline | [;] [and_or] (; | & | "|&" | newline)}. Whoever opens the construct counts the
 * depth.
 */
struct list *parse_list(struct parser *p)
{
    size_t mark = stack_mark(p);
    bool more = true;
    while (more && skip_newlines(p)) {
        p->alias_applied = false;
        command_position(p);
        if (look(p) == '\n')
            continue;
        if (at_list_end(p) || !parse_item(p, mark, &more))
            break;
    }
    return list_finish(p, mark);
}

struct list *parse_condition(struct parser *p, const char *opener, uint32_t line)
{
    command_position(p);
    if (look(p) == ';') {
        parser_unexpected(p);
        return NULL;
    }
    return parse_list_needed(p, opener, line);
}

struct list *parse_list_needed(struct parser *p, const char *opener, uint32_t line)
{
    struct list *list = parse_list(p);
    if (!list && p->status == PARSE_OK)
        parser_missing(p, opener, line);
    return list;
}

/* As parse_list, but a newline ends it, unless it came from an alias. */
static struct list *parse_line(struct parser *p)
{
    size_t mark = stack_mark(p);
    bool more = true;
    while (more) {
        p->alias_applied = false;
        command_position(p);
        int c = look(p);
        if (c < 0)
            break;
        if (c == '\n') {
            more = p->in->outer != NULL;
            if (!take_newline(p))
                break;
            continue;
        }
        p->started = true;
        if (!parse_item(p, mark, &more))
            break;
        if (!more && look(p) >= 0)
            parser_unexpected(p);
    }
    if (p->status == PARSE_OK && p->here_first)
        here_read_all(p);
    return list_finish(p, mark);
}

/* ---- entry points --------------------------------------------------------------------------- */

static struct program *program_new(const struct parse_hooks *hooks, const char *name)
{
    struct program *program = mem_alloc_zeroed(hooks->region, sizeof *program);
    if (!program)
        return NULL;
    arena_init(&program->arena, hooks->region);
    program->refs = 1;
    program->source = name ? arena_dup(&program->arena, name, strlen(name)) : "";
    if (!program->source) {
        program_release(program);
        return NULL;
    }
    return program;
}

static bool parser_begin(struct parser *p, const struct parse_hooks *hooks, struct source *source,
                         struct parse_error *error)
{
    parser_init(p, hooks, source, error);
    p->program = program_new(hooks, source->name);
    if (!p->program)
        return parser_no_memory(p);
    p->arena = &p->program->arena;
    return true;
}

/* Moves the source to where the parser stopped, after a failure to the end of that line. */
static void source_advance(struct parser *p)
{
    while (p->in->outer) {
        p->pos = p->in->outer_pos;
        p->in = p->in->outer;
    }
    p->text = p->root.text;
    p->len = p->root.len;
    if (p->status != PARSE_OK && p->pos < p->len) {
        const char *start = p->text + p->pos;
        const char *end = memchr(start, '\n', p->len - p->pos);
        p->pos = end ? (size_t)(end + 1 - p->text) : p->len;
    }
    p->source->line = parser_line(p);
    p->source->pos = p->pos;
}

static enum parse_result parser_end(struct parser *p, struct program **ret_program)
{
    enum parse_result status = p->status;
    lint_flush(p);
    if (p->program) {
        source_advance(p);
        if (status == PARSE_OK)
            *ret_program = p->program;
        else
            program_release(p->program);
    }
    parser_release(p);
    return status;
}

/* Forgets what earlier commands used of the buffer, when that is most of it. */
static void source_compact(struct source *s)
{
    if (!s->read || s->pos == 0 || s->pos < s->len / 2)
        return;
    str_remove(&s->pending, 0, s->pos);
    s->text = str_text(&s->pending);
    s->len = s->pending.len;
    s->pos = 0;
}

/* Skips blank lines that are in memory already. True when something else is there. */
static bool skip_blank_lines(struct source *s)
{
    while (s->pos < s->len) {
        char c = s->text[s->pos];
        if (c == '#') {
            const char *end = memchr(s->text + s->pos, '\n', s->len - s->pos);
            if (!end && !s->at_end)
                return true;
            s->pos = end ? (size_t)(end - s->text) : s->len;
            continue;
        }
        if (c != '\n' && c != ' ' && c != '\t' && c != '\0')
            return true;
        s->line += c == '\n';
        s->pos++;
    }
    return false;
}

enum parse_result parse_command(const struct parse_hooks *hooks, struct source *source,
                                struct program **ret_program, struct parse_error *ret_error)
{
    source_compact(source);
    if (!skip_blank_lines(source) && source->at_end)
        return PARSE_END;
    struct parser p;
    if (parser_begin(&p, hooks, source, ret_error)) {
        p.program->body = parse_line(&p);
        if (p.status == PARSE_OK && !p.program->body && source->at_end && look(&p) < 0)
            p.status = PARSE_END;
    }
    return parser_end(&p, ret_program);
}

enum parse_result parse_all(const struct parse_hooks *hooks, struct source *source,
                            struct program **ret_program, struct parse_error *ret_error)
{
    struct parser p;
    if (parser_begin(&p, hooks, source, ret_error)) {
        p.started = true;
        p.program->body = parse_list(&p);
        if (p.status == PARSE_OK && p.here_first)
            here_read_all(&p);
        if (p.status == PARSE_OK && look(&p) >= 0)
            parser_unexpected(&p);
        else if (p.status == PARSE_OK && !p.program->body)
            p.status = PARSE_END;
    }
    return parser_end(&p, ret_program);
}

/* A program of one simple command of one word. */
static bool program_of_word(struct parser *p, struct word *word)
{
    struct node_simple *simple = parser_alloc(p, sizeof *simple);
    struct arg *arg = parser_alloc(p, sizeof *arg);
    struct list *list = parser_alloc(p, sizeof *list);
    struct list_item *item = parser_alloc(p, sizeof *item);
    if (!simple || !arg || !list || !item)
        return false;
    node_init(p, &simple->node, NODE_SIMPLE, word->line);
    arg->word = word;
    simple->args = arg;
    simple->arg_count = 1;
    item->node = &simple->node;
    list->items = item;
    list->count = 1;
    p->program->body = list;
    return true;
}

enum parse_result parse_dquoted(const struct parse_hooks *hooks, const char *name, const char *text,
                                size_t len, struct program **ret_program,
                                struct parse_error *ret_error)
{
    struct source source;
    source_init_text(&source, name, text, len);
    struct parser p;
    if (parser_begin(&p, hooks, &source, ret_error)) {
        struct word *word = lex_word(&p, WORD_HERE);
        if (word)
            program_of_word(&p, word);
    }
    return parser_end(&p, ret_program);
}

bool parse_name_ref(const struct parse_hooks *hooks, const char *text, size_t len,
                    struct program **ret_program, struct name_ref *ret_ref)
{
    struct source source;
    struct parse_error error;
    source_init_text(&source, NULL, text, len);
    struct parser p;
    struct name_ref ref = { 0 };
    bool found = false;
    if (parser_begin(&p, hooks, &source, &error)) {
        found = lex_ref(&p, &ref) && look(&p) < 0;
        if (!found && p.status == PARSE_OK)
            p.status = PARSE_ERROR;
    }
    if (parser_end(&p, ret_program) != PARSE_OK)
        return false;
    *ret_ref = ref;
    return found;
}
