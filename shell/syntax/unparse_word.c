/*
 * unparse_word: words, expansions and references back to text.
 *
 * The tree does not say how something was quoted, only that it was; each quoted run is written in
 * the plainest way that reads back as the same parts. What is written depends on the tree alone,
 * never on how it was once written, so that writing, reading and writing again is stable.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/unparser.h"

static void write_param(struct unparser *u, const struct param *param, bool quoted, bool brace);

static void put_escaped(struct unparser *u, const char *text, size_t len, const char *special)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr(special, text[i]))
            str_putc(u->s, '\\');
        str_putc(u->s, text[i]);
    }
}

static void put_double(struct unparser *u, const char *text, size_t len)
{
    str_putc(u->s, '"');
    put_escaped(u, text, len, "\\$`\"");
    str_putc(u->s, '"');
}

void unparser_quoted(struct unparser *u, const char *text, size_t len)
{
    if (len > 1 && u->regex && u->s->data[u->s->len - 1] == '$') {
        /* $ before a quote would begin another kind of quote */
        unparser_quoted(u, text, 1);
        text++;
        len--;
    }
    if (len == 1 && *text != '\n' && !cclass_is(*text, CC_NAME) &&
        (!u->regex || cclass_is(*text, CC_BLANK) || (unsigned char)*text >= 0x80)) {
        str_putc(u->s, '\\');
        str_putc(u->s, *text);
    } else if (!memchr(text, '\'', len)) {
        str_putc(u->s, '\'');
        str_append(u->s, text, len);
        str_putc(u->s, '\'');
    } else {
        put_double(u, text, len);
    }
}

static void write_expansion(struct unparser *u, const struct part *part, bool brace)
{
    switch (part->kind) {
    case PART_PARAM:
        write_param(u, part->param, part->dquoted, brace);
        break;
    case PART_COMMAND:
        if (part->command->read_file) {
            const struct word *file = part->command->read_file;
            bool process = file->part_count > 0 && file->parts[0].kind == PART_PROCESS;
            unparser_put(u, process ? "$(< " : "$(<");
            unparser_word(u, file, CONTEXT_WORD);
            unparser_put(u, ")");
        } else if (part->command->shared || part->command->value) {
            unparser_put(u, part->command->value ? "${|" : "${");
            unparser_inner_list(u, part->command->body);
            unparser_put(u, "}");
        } else {
            unparser_put(u, "$(");
            if (part->command->body && part->command->body->items[0].node->kind == NODE_SUBSHELL)
                unparser_put(u, " ");
            unparser_inner_list(u, part->command->body);
            unparser_put(u, ")");
        }
        break;
    case PART_ARITH:
        unparser_put(u, "$((");
        unparser_word(u, part->arith, CONTEXT_ARITH);
        unparser_put(u, "))");
        break;
    case PART_PROCESS:
        unparser_put(u, part->process->output ? ">(" : "<(");
        unparser_inner_list(u, part->process->body);
        unparser_put(u, ")");
        break;
    default:
        break;
    }
}

/* Would the text after part I of WORD go on with an unbraced name? */
static bool needs_brace(const struct word *word, uint32_t i)
{
    if (i + 1 >= word->part_count)
        return false;
    const struct part *next = &word->parts[i + 1];
    return next->kind == PART_LITERAL && next->quoted == word->parts[i].quoted &&
           next->literal.len > 0 && cclass_is(next->literal.text[0], CC_NAME);
}

static bool in_double_quotes(const struct part *part)
{
    return part->quoted && !(part->kind == PART_LITERAL && part->literal.len == 0);
}

/* The quoted parts from I on that go into one pair of double quotes; returns the one after. */
static uint32_t write_quoted_run(struct unparser *u, const struct word *word, uint32_t i)
{
    uint32_t end = i;
    bool expansion = false;
    while (end < word->part_count && in_double_quotes(&word->parts[end]))
        expansion |= word->parts[end++].kind != PART_LITERAL;
    if (!expansion) {
        const struct part *part = &word->parts[i];
        unparser_quoted(u, part->literal.text, part->literal.len);
        return i + 1;
    }
    unparser_put(u, "\"");
    for (; i < end; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_LITERAL)
            put_escaped(u, part->literal.text, part->literal.len, "\\$`\"");
        else
            write_expansion(u, part, needs_brace(word, i));
    }
    unparser_put(u, "\"");
    return end;
}

static void write_plain_word(struct unparser *u, const struct word *word)
{
    for (uint32_t i = 0; i < word->part_count;) {
        const struct part *part = &word->parts[i];
        if (part->quoted) {
            i = write_quoted_run(u, word, i);
            continue;
        }
        if (part->kind == PART_TILDE)
            str_putc(u->s, '~');
        if (part->kind == PART_LITERAL || part->kind == PART_TILDE)
            str_append(u->s, part->literal.text, part->literal.len);
        else
            write_expansion(u, part, needs_brace(word, i));
        i++;
    }
}

/* Length of the character constant at TEXT, 0: none. The same rule as the lexer's. */
static size_t char_constant(const char *text, size_t len)
{
    size_t n = 1;
    while (n < len && text[n] != '\'' && text[n] != '\n')
        n += text[n] == '\\' && n + 1 < len ? 2 : 1;
    return n < len && text[n] == '\'' ? n + 1 : 0;
}

static void write_arith_literal(struct unparser *u, const struct part *part)
{
    const char *text = part->literal.text;
    size_t len = part->literal.len;
    if (part->dquoted) {
        put_double(u, text, len);
        return;
    }
    for (size_t i = 0; i < len;) {
        size_t n = text[i] == '\'' ? char_constant(text + i, len - i) : 1;
        if (n > 1)
            str_append(u->s, text + i, n);
        else if (n == 0)
            unparser_put(u, "\"'\"");
        else
            put_escaped(u, text + i, 1, "\\$`\"");
        i += n ? n : 1;
    }
}

static void write_quoted_literal(struct unparser *u, const struct part *part,
                                 enum word_context context)
{
    const char *text = part->literal.text;
    size_t len = part->literal.len;
    if (context == CONTEXT_ARITH)
        write_arith_literal(u, part);
    else if (context == CONTEXT_HERE)
        put_escaped(u, text, len, "\\$`");
    else if (memchr(text, '{', len) || memchr(text, '}', len))
        put_double(u, text, len); /* in double quotes of their own, braces do not nest */
    else
        put_escaped(u, text, len, "\\$`\"");
}

void unparser_word(struct unparser *u, const struct word *word, enum word_context context)
{
    if (!word)
        return;
    if (context == CONTEXT_WORD || context == CONTEXT_REGEX) {
        bool regex = u->regex;
        u->regex = context == CONTEXT_REGEX;
        write_plain_word(u, word);
        u->regex = regex;
        return;
    }
    for (uint32_t i = 0; i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_LITERAL)
            write_quoted_literal(u, part, context);
        else
            write_expansion(u, part, needs_brace(word, i));
    }
}

static void write_subscript(struct unparser *u, const struct word *word, char all)
{
    if (!word && !all)
        return;
    str_putc(u->s, '[');
    if (all)
        str_putc(u->s, all);
    unparser_word(u, word, CONTEXT_WORD);
    str_putc(u->s, ']');
}

void unparser_ref(struct unparser *u, const struct name_ref *ref)
{
    if (ref->name)
        unparser_put(u, program_name_text(ref->name));
    write_subscript(u, ref->subscript, ref->subscript_all);
    for (uint32_t i = 0; i < ref->step_count; i++) {
        const struct name_step *step = &ref->steps[i];
        if (step->len > 0) {
            str_putc(u->s, '.');
            str_append(u->s, step->text, step->len);
        }
        write_subscript(u, step->subscript, step->subscript_all);
    }
}

static void write_parameter(struct unparser *u, const struct param *param)
{
    if (param->form == PARAM_POSITIONAL) {
        str_printf(u->s, "%u", param->index);
    } else if (param->form == PARAM_SPECIAL) {
        if (param->special)
            str_putc(u->s, param->special);
    } else if (param->prefix == PARAM_PREFIXES) {
        if (param->members)
            unparser_ref(u, &param->ref);
        else
            unparser_put(u, program_name_text(param->ref.name));
        if (param->members)
            str_putc(u->s, '.');
        str_putc(u->s, param->members ? param->members_all : param->ref.subscript_all);
    } else {
        unparser_ref(u, &param->ref);
    }
}

static void write_operator(struct unparser *u, const struct param *param, bool quoted)
{
    static const char *const text[] = {
        [OP_NONE] = "",
        [OP_DEFAULT] = "-",
        [OP_ASSIGN] = "=",
        [OP_ERROR] = "?",
        [OP_ALT] = "+",
        [OP_TRIM_PREFIX] = "#",
        [OP_TRIM_PREFIX_LONG] = "##",
        [OP_TRIM_SUFFIX] = "%",
        [OP_TRIM_SUFFIX_LONG] = "%%",
        [OP_SLICE] = ":",
        [OP_SUBST] = "/",
        [OP_SUBST_ALL] = "//",
        [OP_SUBST_PREFIX] = "/#",
        [OP_SUBST_SUFFIX] = "/%",
        [OP_UPPER_FIRST] = "^",
        [OP_UPPER_ALL] = "^^",
        [OP_LOWER_FIRST] = ",",
        [OP_LOWER_ALL] = ",,",
        [OP_TRANSFORM] = "@",
        [OP_BAD] = "",
    };
    if (param->colon)
        str_putc(u->s, ':');
    unparser_put(u, text[param->op]);
    if (param->op == OP_TRANSFORM)
        str_putc(u->s, param->transform);
    enum word_context context = CONTEXT_WORD;
    if (param->op == OP_SLICE)
        context = CONTEXT_ARITH;
    else if (quoted && ((param->op >= OP_DEFAULT && param->op <= OP_ALT) || param->op == OP_BAD))
        context = CONTEXT_DQ;
    unparser_word(u, param->arg, context);
    if (!param->arg2)
        return;
    str_putc(u->s, param->op == OP_SLICE ? ':' : '/');
    unparser_word(u, param->arg2, context);
}

static void write_param(struct unparser *u, const struct param *param, bool quoted, bool brace)
{
    static const char *const prefixes[] = { "", "#", "!", "!", "!", "@" };
    bool plain = param->prefix == PARAM_PLAIN && param->op == OP_NONE;
    const struct name_ref *ref = &param->ref;
    if (param->form == PARAM_NAME)
        plain = plain && !brace && !ref->subscript && !ref->subscript_all && !ref->step_count &&
                !strchr(program_name_text(ref->name), '.');
    else if (param->form == PARAM_POSITIONAL)
        plain = plain && param->index < 10;
    unparser_put(u, plain ? "$" : "${");
    unparser_put(u, prefixes[param->prefix]);
    write_parameter(u, param);
    if (plain)
        return;
    write_operator(u, param, quoted);
    str_putc(u->s, '}');
}
