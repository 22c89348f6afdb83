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

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

void lint_add(struct parser *p, uint32_t line, const char *format, ...)
{
    if (!p->hooks->lint || !p->hooks->warn)
        return;
    va_list args;
    va_start(args, format);
    str_append(&p->lint, (const char *)&line, sizeof line);
    str_printf(&p->lint, "warning: line %u: ", line);
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

/* Does the $ at TEXT begin a variable that arithmetic could name itself? */
static bool is_plain_name(const char *text, size_t len)
{
    if (len > 1 && text[1] == '{')
        return len > 2 && text[2] != '#';
    return len > 1 && cclass_is(text[1], CC_NAME_START);
}

/* The first $name of TEXT that stands neither in brackets nor in single quotes nor behind a
 * substitution; LEN: there is none. */
static size_t find_dollar(const char *text, size_t len)
{
    int brackets = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'')
            quoted = !quoted;
        if (quoted)
            continue;
        if (text[i] == '[')
            brackets++;
        else if (text[i] == ']')
            brackets--;
        else if (text[i] == '`' || (text[i] == '$' && i + 1 < len && text[i + 1] == '('))
            return len;
        else if (text[i] == '$' && brackets == 0 && is_plain_name(text + i, len - i))
            return i;
    }
    return len;
}

void lint_arith(struct parser *p, const struct input *in, size_t start, size_t closing)
{
    if (!p->hooks->lint || p->in != in || p->pos < start + closing)
        return;
    const char *text = p->text + start;
    size_t len = p->pos - closing - start;
    size_t at = find_dollar(text, len);
    if (at == len)
        return;
    size_t end = at;
    while (end < len && !strchr(" \t\n", text[end]))
        end++;
    lint_add(p, parser_line(p),
             "in '((%.*s))', using '$' as in '%.*s' is slower and can introduce rounding errors",
             (int)len, text, (int)(end - at), text + at);
}

void lint_assign(struct parser *p, const struct assign *assign, const struct input *in,
                 size_t start)
{
    const struct word *word = assign->kind == ASSIGN_WORD ? assign->word : NULL;
    if (!p->hooks->lint || p->in != in || !word || word->part_count != 1 ||
        word->parts[0].kind != PART_ARITH || word->parts[0].quoted)
        return;
    const char *text = p->text + start;
    size_t len = p->pos - start;
    const char *value = memmem(text, len, "=$((", 4);
    if (!value || text[len - 1] != ')')
        return;
    size_t name = (size_t)(value - text) + 1;
    lint_add(p, parser_line(p), "%.*s is slower than ((%.*s%.*s", (int)len, text, (int)name, text,
             (int)(len - name - 3), value + 4);
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
        lint_add(p, node->node.line, "Invariant test");
    else if (strcmp(name, "set") == 0 && (*first == '-' || *first == '+') && first[1] != '-' &&
             strchr(first, 'k'))
        lint_add(p, node->node.line, "set %s obsolete", first);
    else if (strcmp(name, "set") == 0 && (strcmp(first, "-") == 0 || strcmp(first, "+") == 0))
        lint_add(p, node->node.line, "set %s obsolete", first);
}
