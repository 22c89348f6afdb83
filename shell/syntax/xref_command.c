/*
 * xref_command: what the arguments of commands and the text of expressions name.
 *
 * Owns the table of commands whose operands are names of variables, functions, aliases or scripts,
 * and a scanner of arithmetic that knows just enough to tell names from numbers and writing from
 * reading. Only constant words are looked at; other words are searched for expansions.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/xref_private.h"

/* ---- expressions ---- */

static bool is_name_start(char c)
{
    return cclass_is(c, CC_NAME_START);
}

static size_t name_len(const char *text, size_t len)
{
    size_t at = 0;
    for (;;) {
        size_t dot = at < len && text[at] == '.';
        size_t part = at + dot < len ? text_name_len(text + at + dot, len - at - dot) : 0;
        if (part == 0 || (at > 0 && !dot))
            return at;
        at += dot + part;
    }
}

size_t xref_name_len(const char *text)
{
    return name_len(text, strlen(text));
}

/* Does TEXT, which follows a name and its subscripts, assign to it? */
static bool is_assigning(const char *text, size_t len)
{
    size_t at = 0;
    if (len >= 2 && (memcmp(text, "++", 2) == 0 || memcmp(text, "--", 2) == 0))
        return true;
    if (len >= 2 &&
        (memcmp(text, "<<", 2) == 0 || memcmp(text, ">>", 2) == 0 || memcmp(text, "**", 2) == 0))
        at = 2;
    else if (len && strchr("+-*/%&|^", *text))
        at = 1;
    if (at >= len || text[at] != '=')
        return false;
    return at > 0 || len == 1 || text[1] != '=';
}

/* Where TEXT goes on behind blanks and subscripts that begin at AT. */
static size_t skip_subscripts(const char *text, size_t at, size_t len)
{
    int depth = 0;
    for (; at < len; at++) {
        if (text[at] == '[')
            depth++;
        else if (text[at] == ']' && depth > 0)
            depth--;
        else if (depth == 0 && !strchr(" \t\n", text[at]))
            return at;
    }
    return len;
}

static void math_call(struct xref *x, const char *name, size_t len, uint32_t line)
{
    struct str s;
    str_init(&s, x->arena.region);
    str_append_z(&s, ".sh.math.");
    str_append(&s, name, len);
    if (str_ok(&s))
        xref_fact(x, XREF_MATH, XREF_CALL, s.data, s.len, line);
    else
        x->failed = true;
    str_release(&s);
}

/* The name of LEN bytes at AT of TEXT, which has TEXT_LEN. */
static void expression_name(struct xref *x, const char *text, size_t text_len, size_t at,
                            size_t len, uint32_t line)
{
    const char *name = text + at;
    if (text_eq(name, len, "inf", 3) || text_eq(name, len, "nan", 3))
        return;
    size_t next = at + len;
    if (next < text_len && text[next] == '(') {
        math_call(x, name, len, line);
        return;
    }
    next = skip_subscripts(text, next, text_len);
    size_t back = at;
    while (back > 0 && strchr(" \t", text[back - 1]))
        back--;
    bool prefixed = back >= 2 && text[back - 1] == text[back - 2] && strchr("+-", text[back - 1]);
    bool assigns = prefixed || is_assigning(text + next, text_len - next);
    xref_fact(x, XREF_VARIABLE, assigns ? XREF_ASSIGN : XREF_REFER, name, len, line);
}

void xref_expression(struct xref *x, const char *text, size_t len, uint32_t line)
{
    for (size_t at = 0; at < len;) {
        char c = text[at];
        bool dotted = c == '.' && at + 1 < len && is_name_start(text[at + 1]);
        if (is_name_start(c) || dotted) {
            size_t name = name_len(text + at, len - at);
            expression_name(x, text, len, at, name, line);
            at += name;
        } else if (c == '\'') { /* a character constant */
            const char *end = at + 2 < len ? memchr(text + at + 2, '\'', len - at - 2) : NULL;
            at = end ? (size_t)(end - text) + 1 : len;
        } else if (c >= '0' && c <= '9') { /* 0x1f, 16#ff, 1e5 */
            while (at < len && (cclass_is(text[at], CC_NAME) || strchr("#@.", text[at])))
                at++;
        } else {
            line += c == '\n';
            at++;
        }
    }
}

/* ---- commands that take names ---- */

/* The text of a word that expands to nothing else, but for path names (read x?prompt); or NULL. */
static const char *constant(const struct arg *arg)
{
    const struct word *word = arg->word;
    if (arg->kind != ARG_WORD || word->kind == WORD_LITERAL)
        return arg->kind == ARG_WORD ? word->text : NULL;
    bool one = word->part_count == 1 && word->parts[0].kind == PART_LITERAL;
    return one ? word->parts[0].literal.text : NULL;
}

static void name_fact(struct xref *x, enum xref_kind kind, enum xref_use use, const struct arg *arg)
{
    const char *text = arg->kind == ARG_WORD ? constant(arg) : NULL;
    if (!text)
        return;
    size_t len = kind == XREF_VARIABLE ? xref_name_len(text) : strcspn(text, "=");
    if (kind == XREF_SCRIPT)
        len = strlen(text);
    if (len)
        xref_fact(x, kind, use, text, len, arg->word->line);
}

enum operands {
    TAKES_NONE,
    TAKES_ALL,     /* all operands are names */
    TAKES_FIRST,   /* only the first is */
    TAKES_SECOND,  /* only the second */
    TAKES_COMMAND, /* the first is a command, which has the others as arguments */
    TAKES_NUMBERS, /* expressions */
};

struct command_info {
    const char *name;
    uint8_t operands;      /* enum operands */
    uint8_t kind;          /* enum xref_kind */
    uint8_t use;           /* enum xref_use */
    const char *with;      /* letters of options that take an argument */
    const char *variables; /* those of them whose argument is a variable, written to */
};

static const struct command_info commands[] = {
    { ".", TAKES_FIRST, XREF_SCRIPT, XREF_REFER, "", "" },
    { "source", TAKES_FIRST, XREF_SCRIPT, XREF_REFER, "", "" },
    { "alias", TAKES_ALL, XREF_ALIAS, XREF_DEFINE, "", "" },
    { "unalias", TAKES_ALL, XREF_ALIAS, XREF_UNSET, "", "" },
    { "unset", TAKES_ALL, XREF_VARIABLE, XREF_UNSET, "", "" },
    { "read", TAKES_ALL, XREF_VARIABLE, XREF_ASSIGN, "dnNtu", "" },
    { "getopts", TAKES_SECOND, XREF_VARIABLE, XREF_ASSIGN, "a", "" },
    { "printf", TAKES_NONE, XREF_VARIABLE, XREF_ASSIGN, "v", "v" },
    { "set", TAKES_NONE, XREF_VARIABLE, XREF_ASSIGN, "Ao", "A" },
    { "let", TAKES_NUMBERS, XREF_VARIABLE, XREF_REFER, "", "" },
    { "command", TAKES_COMMAND, XREF_COMMAND, XREF_CALL, "", "" },
    { "exec", TAKES_COMMAND, XREF_COMMAND, XREF_CALL, "a", "" },
    { "nohup", TAKES_COMMAND, XREF_COMMAND, XREF_CALL, "", "" },
};

static const struct command_info *command_find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static bool is_option(const char *text)
{
    return text && (*text == '-' || *text == '+') && text[1];
}

/* The options from I on; the number of the first operand. */
static uint32_t command_options(struct xref *x, const struct node_simple *node, uint32_t i,
                                const struct command_info *info)
{
    for (; i < node->arg_count && is_option(constant(&node->args[i])); i++) {
        const char *text = constant(&node->args[i]);
        if (strcmp(text, "--") == 0)
            return i + 1;
        const char *last = text + strlen(text) - 1;
        if (last == text || !strchr(info->with, *last) || i + 1 == node->arg_count)
            continue;
        i++;
        if (strchr(info->variables, *last))
            name_fact(x, XREF_VARIABLE, info->use, &node->args[i]);
    }
    return i;
}

/* One of the options before the operands has LETTER. */
static bool has_option(const struct node_simple *node, char letter)
{
    for (uint32_t i = 1; i < node->arg_count && is_option(constant(&node->args[i])); i++)
        if (strchr(constant(&node->args[i]) + 1, letter))
            return true;
    return false;
}

static void operands_take(struct xref *x, const struct node_simple *node, uint32_t head,
                          const struct command_info *info)
{
    uint32_t first = command_options(x, node, head + 1, info), last = node->arg_count;
    enum xref_kind kind = (enum xref_kind)info->kind;
    if (kind == XREF_VARIABLE && info->use == XREF_UNSET && has_option(node, 'f'))
        kind = XREF_FUNCTION;
    if (info->operands == TAKES_FIRST)
        last = first + 1;
    else if (info->operands == TAKES_SECOND)
        last = ++first + 1;
    for (uint32_t i = first; i < last && i < node->arg_count; i++) {
        const struct arg *arg = &node->args[i];
        const char *text = constant(arg);
        if (info->operands == TAKES_NUMBERS && text)
            xref_expression(x, text, strlen(text), arg->word->line);
        else if (kind == XREF_ALIAS && text && info->use == XREF_DEFINE && !strchr(text, '='))
            name_fact(x, kind, XREF_REFER, arg);
        else if (info->operands != TAKES_NONE)
            name_fact(x, kind, (enum xref_use)info->use, arg);
    }
}

/* typeset and its kin: options tell what the operands are. */
static void declaration(struct xref *x, const struct node_simple *node, const char *name)
{
    bool functions = has_option(node, 'f');
    bool types = has_option(node, 'T'), references = has_option(node, 'n');
    references |= strcmp(name, "nameref") == 0;
    static const struct command_info plain = { .with = "M", .variables = "" };
    /* numbers behind -i, -L and so on are no names */
    for (uint32_t i = command_options(x, node, 1, &plain); i < node->arg_count; i++) {
        const struct arg *arg = &node->args[i];
        const char *text = constant(arg);
        if (functions) {
            name_fact(x, XREF_FUNCTION, XREF_DECLARE, arg);
            continue;
        }
        const char *variable = text;
        if (arg->kind == ARG_ASSIGN && arg->assign->ref.name)
            variable = program_name_text(arg->assign->ref.name);
        size_t len = variable ? xref_name_len(variable) : 0;
        if (!len)
            continue;
        if (has_option(node, 'A') && !map_put(&x->associative, variable, len, x))
            x->failed = true;
        if (arg->kind == ARG_WORD)
            xref_fact(x, types ? XREF_TYPE : XREF_VARIABLE, types ? XREF_REFER : XREF_DECLARE,
                      variable, len, arg->word->line);
        if (references && arg->kind == ARG_ASSIGN && arg->assign->word && arg->assign->word->text)
            xref_fact(x, XREF_VARIABLE, XREF_REFER, arg->assign->word->text,
                      xref_name_len(arg->assign->word->text), arg->assign->line);
    }
}

/* The command whose word is number HEAD of NODE. */
static void command_take(struct xref *x, const struct node_simple *node, uint32_t head)
{
    const char *name = head < node->arg_count ? constant(&node->args[head]) : NULL;
    if (!name || !*name)
        return;
    xref_fact(x, XREF_COMMAND, XREF_CALL, name, strlen(name), node->node.line);
    const struct command_info *info = command_find(name);
    if (info && info->operands == TAKES_COMMAND)
        command_take(x, node, command_options(x, node, head + 1, info));
    else if (info)
        operands_take(x, node, head, info);
}

void xref_command(struct xref *x, const struct node_simple *node)
{
    const char *name = constant(&node->args[0]);
    enum xref_kind kind = XREF_VARIABLE;
    if (name && strcmp(name, "alias") == 0)
        kind = XREF_ALIAS;
    else if (node->declaration && has_option(node, 'T'))
        kind = XREF_TYPE;
    bool defines = kind != XREF_VARIABLE;
    command_take(x, node, 0);
    if (name && node->declaration && kind != XREF_ALIAS)
        declaration(x, node, name); /* before the subscripts of what it declares */
    for (uint32_t i = 0; i < node->arg_count; i++)
        xref_operand(x, &node->args[i], kind, defines ? XREF_DEFINE : XREF_DECLARE);
}
