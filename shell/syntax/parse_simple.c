/*
 * parse_simple: simple commands.
 *
 * Gathers assignments, arguments and redirections in the order in which they come, looks up aliases
 * for the command word (and for the next one when the value ends with a blank), recognizes name()
 * and gives assignment arguments to declaration commands.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

struct simple {
    uint32_t line;
    uint32_t arg_count;
    size_t assign_mark, redir_mark, stack_mark;
    bool prefixes; /* only `command` and `builtin` so far */
    bool declaration;
    bool defines_types;   /* typeset -T, enum */
    bool options;         /* of a command that takes a compound one: none but options so far */
    bool option_argument; /* and the next word belongs to the last of them */
    const char *name;     /* that command */
    struct node *body;
    enum value_hint hint; /* what the declaration's options say of values in parentheses */
};

unsigned command_traits(struct parser *p, const char *text, size_t len)
{
    for (size_t at = 0; at < p->types.len; at += strlen(p->types.data + at) + 1)
        if (text_eq(p->types.data + at, strlen(p->types.data + at), text, len))
            return COMMAND_DECLARES;
    return p->hooks->command_traits(p->hooks->ctx, text, len);
}

/* Learns from the argument WORD what the following ones are. */
static void note_argument(struct parser *p, struct simple *s, const struct word *word)
{
    bool literal = word->kind == WORD_LITERAL;
    if (s->declaration) {
        if (!literal || word->len < 2 || word->text[0] != '-')
            return;
        s->defines_types |= strchr(word->text, 'T') != NULL;
        if (strchr(word->text, 'a'))
            s->hint = VALUE_ARRAY;
        else if (strchr(word->text, 'A'))
            s->hint = VALUE_GUESS;
        else if (strpbrk(word->text, "CT") && s->hint == VALUE_GUESS)
            s->hint = VALUE_COMPOUND;
        return;
    }
    if (!s->prefixes)
        return;
    s->prefixes = literal && (text_eq(word->text, word->len, "command", 7) ||
                              text_eq(word->text, word->len, "builtin", 7));
    if (!literal || s->prefixes)
        return;
    unsigned traits = command_traits(p, word->text, word->len);
    s->options = s->arg_count == 1 && traits & COMMAND_TAKES_COMMAND;
    s->name = word->text;
    s->declaration = traits & COMMAND_DECLARES;
    if (s->declaration && text_eq(word->text, word->len, "compound", 8))
        s->hint = VALUE_COMPOUND;
    s->defines_types = s->declaration && text_eq(word->text, word->len, "enum", 4);
}

/* Learns from WORD, among the options of a command that takes one, whether a compound command may
 * stand in the place of the next word. */
static void note_option(struct parser *p, struct simple *s, const struct word *word)
{
    const struct parse_hooks *hooks = p->hooks;
    if (s->option_argument) {
        s->option_argument = false;
        return;
    }
    s->options = word->kind == WORD_LITERAL && word->len > 1 && word->text[0] == '-';
    if (s->options)
        s->option_argument =
            hooks->option_takes_word(hooks->ctx, s->name, strlen(s->name), word->text);
}

/* Pushes an argument. */
static bool add_argument(struct parser *p, struct simple *s)
{
    struct arg arg = { .kind = ARG_WORD };
    arg.word = lex_word(p, WORD_NORMAL);
    if (!arg.word)
        return false;
    p->alias_next = false;
    if (s->arg_count++ == 0)
        arg.word->cache = parser_cache(p);
    if (s->options)
        note_option(p, s, arg.word);
    note_argument(p, s, arg.word);
    stack_push(p, &arg, sizeof arg);
    return true;
}

/* name=value after a declaration command. *RET_DONE false: it is none. */
static bool add_declared(struct parser *p, struct simple *s, bool *ret_done)
{
    struct assign head = { 0 };
    const struct input *in = p->in;
    size_t start = p->pos, end = start;
    while (end < p->len && (cclass_is(p->text[end], CC_NAME) || p->text[end] == '.'))
        end++;
    *ret_done = parse_assign_head(p, &head);
    if (!*ret_done)
        return p->status == PARSE_OK;
    size_t base = p->lit.len;
    struct assign *assign = parser_alloc(p, sizeof *assign);
    const char *copy = arena_dup(p->arena, in->text + start, end - start);
    if (!assign || !copy)
        return parser_no_memory(p);
    *assign = head;
    struct arg arg = { .kind = ARG_ASSIGN, .assign = assign };
    if (s->defines_types) { /* known from here on, although it does not exist yet */
        str_append(&p->types, copy, end - start);
        str_putc(&p->types, '\0');
    }
    if (!parse_assign_value(p, assign, s->hint))
        return false;
    lint_assign(p, assign, in, start);
    if (assign->kind == ASSIGN_WORD && !(arg.word = assign_as_word(p, assign, copy, end - start)))
        return false;
    str_truncate(&p->lit, base);
    s->arg_count++;
    stack_push(p, &arg, sizeof arg);
    return true;
}

/* name=value before the command word, or behind it under set -k. *RET_DONE false: it is none. */
static bool add_assignment(struct parser *p, bool *ret_done)
{
    struct assign assign = { 0 };
    const struct input *in = p->in;
    size_t start = p->pos;
    *ret_done = parse_assign_head(p, &assign);
    if (!*ret_done)
        return p->status == PARSE_OK;
    if (!parse_assign_value(p, &assign, VALUE_GUESS))
        return false;
    lint_assign(p, &assign, in, start);
    str_append(&p->assigns, (const char *)&assign, sizeof assign);
    return true;
}

static bool command_may_begin(const struct simple *s)
{
    return s->options && !s->option_argument && s->arg_count > 1 && !s->body;
}

/* One word, assignment or redirection. *RET_MORE false: the command ends here. */
static bool add_one(struct parser *p, struct simple *s, bool *ret_more)
{
    skip_space(p);
    if (p->status != PARSE_OK)
        return false;
    int c = look(p);
    if (redir_begins(p, c))
        return parse_redir(p);
    if (!lex_at_word(p, c) && !(c == '(' && command_may_begin(s))) {
        *ret_more = false;
        return p->status == PARSE_OK;
    }
    if (s->body)
        return parser_unexpected(p);
    if (command_may_begin(s) && (s->body = parse_compound_argument(p)))
        return true;
    if (p->status != PARSE_OK)
        return false;
    if ((s->arg_count == 0 || p->alias_next) && alias_expand(p)) {
        p->alias_next = true; /* the first word of the value is looked up as well */
        return true;
    }
    p->alias_next = false;
    bool done = false;
    if ((s->arg_count == 0 || (p->hooks->keyword && !s->declaration)) && !add_assignment(p, &done))
        return false;
    if (!done && s->declaration && !add_declared(p, s, &done))
        return false;
    return done || add_argument(p, s);
}

static struct node *simple_finish(struct parser *p, const struct simple *s)
{
    struct node_simple *node = p->status == PARSE_OK ? parser_alloc(p, sizeof *node) : NULL;
    if (!node)
        return NULL;
    node_init(p, &node->node, NODE_SIMPLE, s->line);
    node->declaration = s->declaration;
    node->body = s->body;
    node->args = stack_take(p, s->stack_mark, sizeof *node->args, &node->arg_count);
    node->assigns =
        items_take(p, &p->assigns, s->assign_mark, sizeof *node->assigns, &node->assign_count);
    node->node.redirs = items_take(p, &p->redirs, s->redir_mark, sizeof *node->node.redirs,
                                   &node->node.redir_count);
    if (p->status != PARSE_OK)
        return NULL;
    lint_simple(p, node);
    return &node->node;
}

/* Is the command so far one word and the cursor on the parenthesis of name()? */
static bool at_function(struct parser *p, const struct simple *s)
{
    if (s->arg_count != 1 || p->assigns.len > s->assign_mark || p->redirs.len > s->redir_mark)
        return false;
    skip_space(p);
    return look(p) == '(';
}

/* simple: {assignment | redirection} [word {word | redirection} [compound]] | name ( ) command */
struct node *parse_simple(struct parser *p)
{
    struct simple s = { .line = parser_line(p),
                        .assign_mark = p->assigns.len,
                        .redir_mark = p->redirs.len,
                        .stack_mark = p->stack.len,
                        .prefixes = true };
    bool more = true;
    while (more) {
        if (!add_one(p, &s, &more)) {
            str_truncate(&p->stack, s.stack_mark);
            str_truncate(&p->assigns, s.assign_mark);
            str_truncate(&p->redirs, s.redir_mark);
            return NULL;
        }
        if (at_function(p, &s)) {
            struct arg arg;
            memcpy(&arg, p->stack.data + s.stack_mark, sizeof arg);
            str_truncate(&p->stack, s.stack_mark);
            return parse_function_parens(p, arg.word, s.line);
        }
    }
    if (s.arg_count == 0 && p->assigns.len == s.assign_mark && p->redirs.len == s.redir_mark &&
        !p->alias_applied) {
        parser_unexpected(p);
        return NULL;
    }
    return simple_finish(p, &s);
}
