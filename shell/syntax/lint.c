/*
 * lint: remarks about valid but doubtful code, for -n.
 *
 * Owns p->lint, the remarks of the parse under way: each a line number and a text with its NUL.
 * They are kept until the end of the parse, because an attempt that is given up takes its remarks
 * along. Without hooks->lint all of this does nothing. Must not fail a parse: without memory
 * remarks are lost.
 */
#include <stdarg.h>
#include <string.h>

#include "shell/syntax/parser.h"

void lint_add(struct parser *p, uint32_t line, const char *format, ...)
{
    if (!p->hooks->lint || !p->hooks->warn)
        return;
    va_list args;
    va_start(args, format);
    str_append(&p->lint, (const char *)&line, sizeof line);
    str_append_z(&p->lint, "warning: ");
    str_vprintf(&p->lint, format, args);
    str_putc(&p->lint, '\0');
    va_end(args);
}

void lint_flush(struct parser *p)
{
    size_t at = 0;
    while (str_ok(&p->lint) && at < p->lint.len) {
        uint32_t line;
        memcpy(&line, p->lint.data + at, sizeof line);
        const char *text = p->lint.data + at + sizeof line;
        p->hooks->warn(p->hooks->ctx, line, text);
        at += sizeof line + strlen(text) + 1;
    }
    str_clear(&p->lint);
}

void lint_arith(struct parser *p, const struct word *expression, uint32_t line)
{
    for (uint32_t i = 0; p->hooks->lint && expression && i < expression->part_count; i++) {
        const struct part *part = &expression->parts[i];
        if (part->kind != PART_PARAM || part->param->form != PARAM_NAME ||
            part->param->prefix != PARAM_PLAIN || part->param->op != OP_NONE)
            continue;
        lint_add(p, line, "a variable needs no `$' in ((...)): without it no digits are lost");
        return;
    }
}

void lint_assign(struct parser *p, const struct assign *assign)
{
    const struct word *word = assign->kind == ASSIGN_WORD ? assign->word : NULL;
    if (word && word->part_count == 1 && word->parts[0].kind == PART_ARITH &&
        !word->parts[0].quoted)
        lint_add(p, assign->line, "x=$((...)) is slower than ((x = ...))");
}

static const char *literal_at(const struct node_simple *node, uint32_t i)
{
    bool literal = i < node->arg_count && node->args[i].kind == ARG_WORD &&
                   node->args[i].word->kind == WORD_LITERAL;
    return literal ? node->args[i].word->text : NULL;
}

void lint_simple(struct parser *p, const struct node_simple *node)
{
    const char *name = p->hooks->lint ? literal_at(node, 0) : NULL;
    const char *first = name ? literal_at(node, 1) : NULL;
    if (!first)
        return;
    if ((strcmp(name, "[") == 0 && node->arg_count == 3) ||
        (strcmp(name, "test") == 0 && node->arg_count == 2))
        lint_add(p, node->node.line, "%s of one constant word always gives the same", name);
    else if (strcmp(name, "set") == 0 && (*first == '-' || *first == '+') && first[1] != '-' &&
             strchr(first, 'k'))
        lint_add(p, node->node.line, "set %s is obsolete", first);
}
