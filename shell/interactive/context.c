/*
 * Reading a line that is not finished. The parser wants whole commands, so this is a reader of its
 * own, which only knows what completion has to know: where words and commands begin, quotes, and
 * names after a dollar.
 *
 * One pass from the start of the line. A command substitution that is still open begins a command
 * of its own; one that is closed is a part of its word like any other. Nothing here can fail: what
 * is not understood is a part of a word.
 */
#include "shell/interactive/context.h"

#include <string.h>

#include "shell/base/cclass.h"

struct reader {
    struct context *c;
    const char *line;
    size_t len;
    bool in_word, in_array;
};

/* A reserved word that a command follows. */
static bool goes_before_command(const char *text, size_t len)
{
    static const char *const words[] = { "!",    "{",  "if",    "then",  "else",
                                         "elif", "do", "while", "until", "time" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_eq(text, len, words[i], strlen(words[i])))
            return true;
    return false;
}

static void word_end(struct reader *r)
{
    struct context *c = r->c;
    if (!r->in_word)
        return;
    r->in_word = false;
    const char *text = str_text(&c->word);
    if (c->is_file) {
        c->is_file = false;
    } else if (c->is_command) {
        size_t name = text_name_len(text, c->word.len);
        bool assigns = name > 0 && (text[name] == '=' || text[name] == '[' || text[name] == '+');
        if (!assigns && !goes_before_command(text, c->word.len)) {
            str_clear(&c->command);
            str_append(&c->command, text, c->word.len);
            c->is_command = false;
        }
    }
    str_clear(&c->word);
}

static void word_begin(struct reader *r, size_t at)
{
    struct context *c = r->c;
    if (r->in_word)
        return;
    r->in_word = true;
    c->word_at = c->tail_at = at;
    c->tail = c->value = 0;
    str_clear(&c->word);
}

static void command_begin(struct reader *r)
{
    word_end(r);
    r->c->is_command = true;
    r->c->is_file = r->in_array = false;
    str_clear(&r->c->command);
}

/* Whether what stands before the = that ends the word is given a value by it. */
static bool takes_value(const struct context *c)
{
    const char *text = str_text(&c->word);
    size_t name = text_name_len(text, c->word.len - 1);
    return c->is_command || text[0] == '-' || (name > 0 && name == c->word.len - 1);
}

/* A byte of the word's value; AT: behind it. */
static void word_put(struct reader *r, char byte, size_t at)
{
    struct context *c = r->c;
    str_putc(&c->word, byte);
    bool ends_name = byte == '=' && c->value == 0 && c->word.len > 1 && takes_value(c);
    bool begins_path = ends_name || (byte == ':' && c->value > 0);
    if (begins_path)
        c->value = c->word.len;
    if (begins_path || byte == '/') {
        c->tail_at = at;
        c->tail = c->word.len;
    }
}

/* The end of the command substitution whose text begins at I; LEN when it is open. */
static size_t substitution_end(const struct reader *r, size_t i)
{
    int depth = 1;
    char quote = 0;
    for (; i < r->len; i++) {
        char byte = r->line[i];
        if (byte == '\\' && quote != '\'')
            i++;
        else if (quote)
            quote = byte == quote ? 0 : quote;
        else if (byte == '\'' || byte == '"')
            quote = byte;
        else if (byte == '(')
            depth++;
        else if (byte == ')' && --depth == 0)
            return i;
    }
    return r->len;
}

/* `$` at I: a name that reaches the end of the line is what is completed. Returns where to go on.
 */
static size_t dollar(struct reader *r, size_t i)
{
    struct context *c = r->c;
    size_t at = i + 1;
    bool braces = at < r->len && r->line[at] == '{';
    if (at < r->len && r->line[at] == '(') {
        size_t end = substitution_end(r, at + 1);
        if (end == r->len) { /* open: a command of its own */
            c->quote = 0;
            r->in_word = false;
            str_clear(&c->word);
            command_begin(r);
            return at + 1;
        }
        for (; i <= end; i++)
            word_put(r, r->line[i], i + 1);
        return i;
    }
    at += braces;
    at += braces && at < r->len && (r->line[at] == '#' || r->line[at] == '!');
    size_t end = at;
    while (end < r->len && (cclass_is(r->line[end], CC_NAME) || (braces && r->line[end] == '.')))
        end++;
    if (end == r->len) {
        c->after_dollar = true;
        c->in_braces = braces;
        c->name_at = at;
    }
    word_put(r, '$', i + 1);
    return i + 1;
}

/* Within quotes at I. Returns where to go on. */
static size_t quoted(struct reader *r, size_t i)
{
    struct context *c = r->c;
    char byte = r->line[i];
    if (byte == c->quote) {
        c->quote = 0;
        return i + 1;
    }
    if (c->quote == '"' && byte == '$')
        return dollar(r, i);
    if (c->quote == '"' && byte == '\\' && i + 1 < r->len && strchr("\\\"$`", r->line[i + 1]))
        byte = r->line[++i];
    word_put(r, byte, i + 1);
    return i + 1;
}

static size_t operator(struct reader *r, size_t i)
{
    char byte = r->line[i];
    bool opens_array = byte == '(' && r->in_word && r->c->is_command && r->c->value > 0 &&
                       r->c->value == r->c->word.len;
    word_end(r);
    if (opens_array || (r->in_array && byte == '\n')) {
        r->in_array = true;
        r->c->is_command = false;
        return i + 1;
    }
    if (byte == '<' || byte == '>') {
        while (i < r->len && strchr("<>|&-", r->line[i]))
            i++;
        if (i < r->len && r->line[i] == '(') {
            command_begin(r);
            return i + 1;
        }
        r->c->is_file = true;
        return i;
    }
    command_begin(r);
    return i + 1;
}

static size_t unquoted(struct reader *r, size_t i)
{
    char byte = r->line[i];
    if (byte == ' ' || byte == '\t') {
        word_end(r);
        return i + 1;
    }
    if (strchr(";&|()<>\n", byte))
        return operator(r, i);
    if (byte == '`') { /* either end of a command substitution of the old form */
        command_begin(r);
        return i + 1;
    }
    word_begin(r, i);
    if (byte == '\'' || byte == '"') {
        r->c->quote = byte;
        r->c->quote_at = i;
        return i + 1;
    }
    if (byte == '$')
        return dollar(r, i);
    if (byte == '\\' && i + 1 < r->len)
        byte = r->line[++i];
    word_put(r, byte, i + 1);
    return i + 1;
}

void context_read(struct context *c, struct mem_region *region, const char *line, size_t len)
{
    struct reader r = { .c = c, .line = line, .len = len };
    *c = (struct context){ .is_command = true };
    str_init(&c->word, region);
    str_init(&c->command, region);
    for (size_t i = 0; i < len;)
        i = c->quote ? quoted(&r, i) : unquoted(&r, i);
    if (!r.in_word)
        word_begin(&r, len);
}

void context_release(struct context *c)
{
    str_release(&c->word);
    str_release(&c->command);
}
