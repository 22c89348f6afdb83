/*
 * lex_dollar: what begins with $, and process substitutions.
 *
 * Decides between variable, braces, command substitution and arithmetic, and remembers results
 * while an attempt is under way (speculate.c). The here-documents of a command substitution are its
 * own: those that wait outside are set aside while it is parsed.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

/* $(<file): a list of one redirection. */
static struct word *read_file_word(const struct list *list)
{
    if (!list || list->count != 1 || list->items[0].end != END_SEQ ||
        list->items[0].node->kind != NODE_SIMPLE)
        return NULL;
    const struct node_simple *simple = (const struct node_simple *)list->items[0].node;
    if (simple->assign_count || simple->arg_count || simple->node.redir_count != 1)
        return NULL;
    const struct redir *redir = simple->node.redirs;
    return redir->op == REDIR_IN && redir->fd == 0 && !redir->var ? redir->word : NULL;
}

struct command_sub *lex_command_body(struct parser *p, int closer, uint32_t line)
{
    struct here_doc *first = p->here_first, *last = p->here_last;
    bool outer_brace = p->brace_closes;
    p->here_first = p->here_last = NULL;
    p->subst_depth++;
    p->brace_closes = closer == '}';
    struct list *body = parse_list(p);
    p->brace_closes = outer_brace;
    if (p->status == PARSE_OK && p->here_first) {
        if (closer < 0)
            here_read_all(p);
        else if (look(p) == closer)
            parser_fail(
                p, p->here_first->line,
                "syntax error: here-document `%.80s' (began at line %u) does not end within the "
                "command substitution",
                p->here_first->delimiter, p->here_first->line);
    }
    p->subst_depth--;
    p->here_first = first;
    p->here_last = last;
    if (p->status == PARSE_OK && closer >= 0 && look(p) != closer)
        parser_missing(p, closer == '}' ? "{" : "(", line);
    struct command_sub *command = p->status == PARSE_OK ? parser_alloc(p, sizeof *command) : NULL;
    if (!command)
        return NULL;
    command->body = body;
    command->read_file = read_file_word(body);
    if (command->read_file)
        command->body = NULL;
    return command;
}

/* ( list ) after the $; the cursor is on the parenthesis. */
static struct command_sub *lex_command_sub(struct parser *p, uint32_t line)
{
    p->pos++;
    struct command_sub *command = lex_command_body(p, ')', line);
    if (command)
        p->pos++;
    return command;
}

/* ${ list;} and ${| list;}: the cursor is after the brace, on a blank, newline or bar. */
static struct command_sub *lex_shared_sub(struct parser *p, uint32_t line)
{
    bool value = look(p) == '|';
    if (value)
        p->pos++;
    struct command_sub *command = lex_command_body(p, '}', line);
    if (!command)
        return NULL;
    p->pos++;
    command->shared = !value;
    command->value = value;
    return command;
}

static bool lex_parens(struct parser *p, struct part *part)
{
    if (look_joined_ahead(p, 1) == '(') {
        struct cursor start = cursor_save(p);
        skip_joined(p, 2);
        struct word *expression;
        if (!lex_try_arith(p, start, &expression))
            return false;
        if (expression) {
            part->kind = PART_ARITH;
            part->arith = expression;
            return true;
        }
    }
    part->kind = PART_COMMAND;
    part->command = lex_command_sub(p, part->line);
    return part->command != NULL;
}

static bool lex_braces(struct parser *p, struct part *part, bool dquoted)
{
    p->pos++;
    int c = look_joined(p);
    if (c == ' ' || c == '\t' || c == '\n' || c == '|') {
        part->kind = PART_COMMAND;
        part->command = lex_shared_sub(p, part->line);
        return part->command != NULL;
    }
    part->kind = PART_PARAM;
    part->param = lex_braced(p, dquoted);
    return part->param != NULL;
}

/* The nesting forms, with their results remembered while speculating. */
static bool lex_nested(struct parser *p, struct builder *b, struct part *part, size_t dollar_pos)
{
    if (!parser_enter(p))
        return false;
    struct input *in = p->in;
    bool ok = look(p) == '(' ? lex_parens(p, part) : lex_braces(p, part, part->dquoted);
    parser_leave(p);
    if (p->speculating > 0 && !in->outer && (ok ? p->in == in : p->status == PARSE_ERROR))
        memo_add(p, &(struct memo){ .serial = in->serial,
                                    .kind = ok ? MEMO_PART : MEMO_FAILED,
                                    .dquoted = part->dquoted,
                                    .pos = dollar_pos,
                                    .end_pos = p->pos,
                                    .part = *part });
    return ok && builder_part(p, b, part);
}

/* $name $1 $@ and the like. False: nothing of the sort follows. */
static bool lex_short(struct parser *p, struct part *part, int c, bool in_arith)
{
    struct param *param = parser_alloc(p, sizeof *param);
    if (!param)
        return false;
    param->cache = parser_cache(p);
    part->kind = PART_PARAM;
    part->param = param;
    if (cclass_is((char)c, CC_NAME_START)) {
        if (!lex_name(p, false, &param->ref.name))
            return false;
        if (p->hooks->lint && !in_arith && look(p) == '[')
            lint_add(p, part->line, "use braces to avoid ambiguities with $id[...]");
        return true;
    }
    p->pos++;
    if (cclass_is((char)c, CC_DIGIT)) {
        param->form = PARAM_POSITIONAL;
        param->index = (uint32_t)(c - '0');
    } else {
        param->form = PARAM_SPECIAL;
        param->special = (char)c;
    }
    return true;
}

static bool memo_replay(struct parser *p, struct builder *b, const struct memo *m)
{
    if (m->kind == MEMO_FAILED) {
        p->status = PARSE_ERROR; /* the message of the first time is still there */
        return false;
    }
    p->pos = m->end_pos;
    return builder_part(p, b, &m->part);
}

/* $"...": a message that might be translated; there are no translations. */
static bool lex_message(struct parser *p, struct builder *b)
{
    size_t start = p->pos;
    if (!lex_double(p, b, true))
        return false;
    if (p->hooks->message)
        p->hooks->message(p->hooks->ctx, p->text + start, p->pos - start);
    return true;
}

bool lex_dollar(struct parser *p, struct builder *b, bool dquoted)
{
    const struct memo *m = memo_find(p, MEMO_PART, p->pos, dquoted);
    if (m)
        return memo_replay(p, b, m);
    size_t dollar_pos = p->pos;
    struct part part = { .quoted = dquoted, .dquoted = dquoted, .line = parser_line(p) };
    p->pos++;
    int c = look_joined(p);
    if (c == '(' || c == '{')
        return lex_nested(p, b, &part, dollar_pos);
    if (c > 0 && (cclass_is((char)c, CC_NAME) || strchr("@*#?-$!", c)))
        return lex_short(p, &part, c, b->mode == WORD_ARITH) && builder_part(p, b, &part);
    if (c == '\'' && !dquoted)
        return lex_ansi(p, b);
    if (c == '"' && !dquoted)
        return lex_message(p, b);
    if (c == '[' || (c == '"' && dquoted) || c == '.')
        lint_add(p, part.line, "$ not preceded by \\");
    /* A lone $ counts as quoted, so that it means the same wherever the word is written out; where
     * the word may be a regular expression it is live, an anchor. */
    bool live = b->mode == WORD_REGEX || b->mode == WORD_PATTERN || b->mode == WORD_TRIM ||
                b->mode == WORD_SUBST;
    builder_char(p, b, '$', dquoted || !live);
    return true;
}

bool lex_process(struct parser *p, struct builder *b)
{
    if (!parser_enter(p))
        return false;
    struct part part = { .kind = PART_PROCESS, .line = parser_line(p) };
    struct process_sub *process = parser_alloc(p, sizeof *process);
    if (!process)
        return false;
    process->output = look(p) == '>';
    p->pos++;
    struct command_sub *command = look_joined(p) == '(' ? lex_command_sub(p, part.line) : NULL;
    parser_leave(p);
    if (!command)
        return false;
    process->body = command->body;
    part.process = process;
    return builder_part(p, b, &part);
}
