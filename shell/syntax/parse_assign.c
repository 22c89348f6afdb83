/*
 * parse_assign: assignments, with array and compound values.
 *
 * Whether `a[x]` begins an assignment is known only after the bracket: the attempt is given up when
 * no = follows. A value in parentheses is compound when its first item is an assignment, a
 * declaration command or a function, and an array otherwise.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

/* = or += at the cursor: consumed. */
static bool take_equals(struct parser *p, bool *ret_append)
{
    int c = look_joined(p);
    if (c == '+' && look_joined_ahead(p, 1) == '=') {
        skip_joined(p, 2);
        *ret_append = true;
        return true;
    }
    *ret_append = false;
    return c == '=' && take(p, '=');
}

/* Is there a `]` after offset POS in its line? What was searched is remembered, for long lines. */
static bool bracket_closes(struct parser *p, size_t pos)
{
    size_t end = pos;
    if (memo_find(p, MEMO_UNMATCHED, pos, false))
        return false;
    if (p->in == p->bracket_in && p->in->serial == p->bracket_serial && pos >= p->bracket_from &&
        pos < p->bracket_end)
        end = p->bracket_end;
    else
        p->bracket_from = pos;
    while (end < p->len && p->text[end] != ']' && p->text[end] != '\n')
        end++;
    p->bracket_in = p->in;
    p->bracket_serial = p->in->serial;
    p->bracket_end = end;
    return end < p->len && p->text[end] == ']';
}

/* A cheap look: can NAME= NAME+= NAME[..]= begin here? */
static bool may_assign(struct parser *p)
{
    size_t n = p->pos;
    if (n >= p->len || !(cclass_is(p->text[n], CC_NAME_START) || p->text[n] == '.'))
        return false;
    while (n < p->len && (cclass_is(p->text[n], CC_NAME) || p->text[n] == '.'))
        n++;
    if (n >= p->len)
        return false;
    const char *s = p->text + n;
    size_t room = p->len - n;
    if (*s == '[')
        return bracket_closes(p, n);
    return *s == '=' || (*s == '+' && room > 1 && s[1] == '=') ||
           (*s == '\\' && room > 1 && s[1] == '\n');
}

bool parse_assign_head(struct parser *p, struct assign *assign)
{
    if (!may_assign(p))
        return false;
    struct cursor start = cursor_save(p);
    size_t stack_len = p->stack.len, lit_len = p->lit.len;
    assign->line = parser_line(p);
    p->speculating++;
    bool ok = lex_ref(p, &assign->ref) && take_equals(p, &assign->append);
    p->speculating--;
    if (!ok)
        speculation_undo(p, start, stack_len, lit_len);
    return ok;
}

/* [subscript]= of an array element */
static bool parse_element_head(struct parser *p, struct assign *element)
{
    if (!bracket_closes(p, p->pos))
        return false;
    struct cursor start = cursor_save(p);
    size_t stack_len = p->stack.len, lit_len = p->lit.len;
    p->speculating++;
    bool ok = lex_ref_steps(p, &element->ref) && take_equals(p, &element->append);
    p->speculating--;
    if (!ok) {
        element->ref = (struct name_ref){ 0 };
        speculation_undo(p, start, stack_len, lit_len);
    }
    return ok;
}

/* Does a compound value begin here, after its parenthesis? */
static bool begins_members(struct parser *p)
{
    struct assign assign = { 0 };
    struct cursor start = cursor_save(p);
    if (parse_assign_head(p, &assign)) {
        cursor_restore(p, start);
        return true;
    }
    enum reserved word = peek_reserved(p);
    if (word == RW_FUNCTION || word == RW_NAMESPACE)
        return true;
    size_t n = 0;
    while (p->pos + n < p->len && !cclass_is(p->text[p->pos + n], CC_META | CC_QUOTE))
        n++;
    int c = n > 0 ? look_ahead(p, n) : -1;
    if (c == '(')
        return look_ahead(p, n + 1) == ')' && cclass_is(p->text[p->pos], CC_NAME_START);
    return c > 0 && cclass_is((char)c, CC_BLANK) &&
           command_traits(p, p->text + p->pos, n) & COMMAND_DECLARES;
}

static bool parse_parens_value(struct parser *p, struct assign *assign, enum value_hint hint);

/* element: word | [subscript]=value | ( .. ) */
static bool parse_element(struct parser *p)
{
    struct assign element = { .kind = ASSIGN_WORD, .line = parser_line(p) };
    int c = look(p);
    if (c == '(') {
        if (!parse_parens_value(p, &element, VALUE_GUESS))
            return false;
    } else if (c == '[' && parse_element_head(p, &element)) {
        if (!parse_assign_value(p, &element, VALUE_GUESS))
            return false;
    } else if (p->status != PARSE_OK) {
        return false;
    } else if (!lex_at_word(p, c)) {
        return parser_unexpected(p);
    } else if (!(element.word = lex_word(p, WORD_NORMAL))) {
        return false;
    } else if (look(p) == '(') {
        return parser_unexpected(p);
    }
    str_append(&p->assigns, (const char *)&element, sizeof element);
    return true;
}

/* ( {element} ) or ( list ), from the parenthesis */
static bool parse_parens_value(struct parser *p, struct assign *assign, enum value_hint hint)
{
    uint32_t line = parser_line(p);
    if (!parser_enter(p))
        return false;
    p->pos++;
    skip_newlines(p);
    size_t mark = p->assigns.len;
    if (hint != VALUE_ARRAY && p->status == PARSE_OK &&
        (hint == VALUE_COMPOUND || begins_members(p))) {
        assign->kind = ASSIGN_COMPOUND;
        assign->members = parse_list(p);
    } else {
        assign->kind = ASSIGN_ARRAY;
        while (skip_newlines(p) && look(p) >= 0 && look(p) != ')') {
            if (!parse_element(p))
                break;
        }
        assign->elements =
            items_take(p, &p->assigns, mark, sizeof *assign->elements, &assign->element_count);
    }
    parser_leave(p);
    if (p->status != PARSE_OK)
        return false;
    if (look(p) != ')')
        return parser_missing(p, "(", line);
    p->pos++;
    return true;
}

bool parse_assign_value(struct parser *p, struct assign *assign, enum value_hint hint)
{
    if (look_joined(p) == '(')
        return parse_parens_value(p, assign, hint);
    assign->kind = ASSIGN_WORD;
    assign->word = lex_word(p, WORD_VALUE);
    if (!assign->word)
        return false;
    if (assign->word->part_count == 0)
        assign->word = NULL;
    return true;
}

static void add_parts(struct parser *p, struct builder *b, const struct word *word)
{
    for (uint32_t i = 0; word && i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_TILDE) {
            /* an argument like x=~ is not expanded */
            builder_char(p, b, '~', false);
            builder_text(p, b, part->literal.text, part->literal.len, false);
        } else if (part->kind != PART_LITERAL) {
            builder_part(p, b, part);
        } else if (part->literal.len == 0) {
            builder_empty_quotes(p, b);
        } else {
            builder_text(p, b, part->literal.text, part->literal.len, part->quoted);
        }
    }
}

static void add_subscript(struct parser *p, struct builder *b, const struct word *word, char all)
{
    if (!word && !all)
        return;
    builder_char(p, b, '[', false);
    if (all)
        builder_char(p, b, all, false);
    add_parts(p, b, word);
    builder_char(p, b, ']', false);
}

struct word *assign_as_word(struct parser *p, const struct assign *assign, const char *name,
                            size_t name_len)
{
    const struct name_ref *ref = &assign->ref;
    struct builder b;
    builder_init(p, &b, WORD_NORMAL);
    b.line = assign->line;
    builder_text(p, &b, name, name_len, false);
    add_subscript(p, &b, ref->subscript, ref->subscript_all);
    for (uint32_t i = 0; i < ref->step_count; i++) {
        const struct name_step *step = &ref->steps[i];
        if (step->len > 0) {
            builder_char(p, &b, '.', false);
            builder_text(p, &b, step->text, step->len, false);
        }
        add_subscript(p, &b, step->subscript, step->subscript_all);
    }
    builder_text(p, &b, assign->append ? "+=" : "=", assign->append ? 2 : 1, false);
    add_parts(p, &b, assign->word);
    return builder_finish(p, &b);
}
