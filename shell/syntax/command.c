/*
 * command: what only the start of a command gives a meaning: reserved words and aliases.
 *
 * Owns the table of reserved words. A word is looked at in place, without being read, so that
 * whoever finds no use for it leaves it where it is. An alias becomes an input of its own; a name
 * is not replaced again while its own value is being read.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

static const struct {
    const char *text;
    uint8_t len;
} reserved_words[] = {
    [RW_NONE] = { "", 0 },
#define RESERVED(id, text) [RW_##id] = { text, sizeof(text) - 1 },
#include "shell/syntax/token.def"
#undef RESERVED
};

enum { RESERVED_MAX = 9 };

/* The first of the words that begin with a byte; the others follow. */
static const uint8_t reserved_first[256] = {
    ['!'] = RW_NOT,   ['['] = RW_COND,  ['c'] = RW_CASE,      ['d'] = RW_DO,     ['e'] = RW_ELIF,
    ['f'] = RW_FI,    ['i'] = RW_IF,    ['n'] = RW_NAMESPACE, ['s'] = RW_SELECT, ['t'] = RW_THEN,
    ['u'] = RW_UNTIL, ['w'] = RW_WHILE, ['{'] = RW_LBRACE,    ['}'] = RW_RBRACE,
};

static enum reserved reserved_find(const char *word, size_t len)
{
    int i = reserved_first[(unsigned char)word[0]];
    if (i == RW_NONE)
        return RW_NONE;
    for (; i < RW_COUNT && reserved_words[i].text[0] == word[0]; i++) {
        const char *text = reserved_words[i].text;
        size_t same = 1; /* too few bytes for a call */
        while (same < len && text[same] == word[same])
            same++;
        if (same == len && reserved_words[i].len == len)
            return (enum reserved)i;
    }
    return RW_NONE;
}

bool parse_is_reserved(const char *word, size_t len)
{
    return len > 0 && reserved_find(word, len) != RW_NONE;
}

const char *parse_reserved_at(size_t i)
{
    return i < RW_COUNT - 1 ? reserved_words[i + 1].text : NULL;
}

/* peek_reserved_slow() for a word that is interrupted by a backslash-newline or the end of an
 * input. */
static enum reserved peek_joined(struct parser *p)
{
    char word[RESERVED_MAX + 1];
    size_t len = 0, n = 0;
    int c;
    while ((c = look_ahead(p, n)) > 0 && !cclass_is((char)c, CC_META)) {
        if (c == '\\' && look_ahead(p, n + 1) == '\n') {
            n += 2;
            continue;
        }
        if (len == RESERVED_MAX)
            return RW_NONE;
        word[len++] = (char)c;
        n++;
    }
    enum reserved found = len > 0 ? reserved_find(word, len) : RW_NONE;
    if (found == RW_NOT && c == '(')
        return RW_NONE; /* !(pattern) */
    return found;
}

static enum reserved peek_keep(struct parser *p, enum reserved word)
{
    p->peeked_in = p->in;
    p->peeked_pos = p->pos;
    p->peeked_serial = p->in->serial;
    p->peeked = word;
    return word;
}

enum reserved peek_reserved_slow(struct parser *p)
{
    int first = look(p);
    if (first <= 0)
        return RW_NONE;
    if (!reserved_first[first] && first != '\\')
        return peek_keep(p, RW_NONE);
    const char *word = p->text + p->pos;
    size_t room = p->len - p->pos, len = 1;
    if (room > RESERVED_MAX + 1)
        room = RESERVED_MAX + 1;
    while (len < room && word[len] != '\\' && word[len] && !cclass_is(word[len], CC_META))
        len++;
    if (first == '\\' || len == p->len - p->pos || word[len] == '\\')
        return peek_joined(p);
    enum reserved found = len <= RESERVED_MAX ? reserved_find(word, len) : RW_NONE;
    bool group = found == RW_NOT && word[len] == '('; /* !(pattern) */
    return peek_keep(p, group ? RW_NONE : found);
}

bool take_reserved(struct parser *p, enum reserved word)
{
    for (const char *s = reserved_words[word].text; *s; s++) {
        if (!take(p, *s))
            return false;
    }
    return true;
}

bool expect_reserved(struct parser *p, enum reserved word, const char *opener, uint32_t line)
{
    if (p->status != PARSE_OK)
        return false;
    command_position(p);
    if (peek_reserved(p) == word)
        return take_reserved(p, word);
    return parser_missing(p, opener, line);
}

bool word_is(struct parser *p, const char *text)
{
    size_t n = 0;
    for (; text[n]; n++) {
        if (look_ahead(p, n) != (unsigned char)text[n])
            return false;
    }
    int c = look_ahead(p, n);
    return c < 0 || cclass_is((char)c, CC_META);
}

static bool alias_in_use(const struct parser *p, const char *name, size_t len)
{
    for (const struct input *in = p->in; in; in = in->outer) {
        if (in->alias && text_eq(in->alias, in->alias_len, name, len))
            return true;
    }
    return false;
}

/* The word under the cursor that may be the name of an alias. */
struct alias_word {
    const char *text; /* backslash-newlines removed */
    size_t len;
    size_t bytes; /* in the input */
    char joined[64];
};

static bool ends_alias_name(char c)
{
    return cclass_is(c, CC_META | CC_QUOTE) || c == '=';
}

/* The rest of a name after BYTES bytes of it, the next of which is a backslash. False: too long. */
static bool alias_word_join(struct parser *p, struct alias_word *word)
{
    const char *text = p->text + p->pos;
    size_t room = p->len - p->pos;
    if (word->len > sizeof word->joined)
        return false;
    memcpy(word->joined, text, word->len);
    while (word->bytes < room) {
        char c = text[word->bytes];
        if (c == '\\' && word->bytes + 1 < room && text[word->bytes + 1] == '\n') {
            word->bytes += 2;
            continue;
        }
        if (ends_alias_name(c))
            break;
        if (word->len == sizeof word->joined)
            return false;
        word->joined[word->len++] = c;
        word->bytes++;
    }
    word->text = word->joined;
    return true;
}

static bool alias_word(struct parser *p, struct alias_word *ret)
{
    const char *text = p->text + p->pos;
    size_t n = 0;
    while (p->pos + n < p->len && !ends_alias_name(text[n]))
        n++;
    ret->text = text;
    ret->len = ret->bytes = n;
    int next = look_ahead(p, n);
    if (next == '\\') {
        if (look_ahead(p, n + 1) != '\n' || !alias_word_join(p, ret))
            return false;
        next = look_ahead(p, ret->bytes);
    }
    /* POSIX looks up the name of a function, too: what follows the word plays no part. */
    bool is_function = next == '(' && !p->hooks->posix;
    return ret->len > 0 && !is_function && (next < 0 || cclass_is((char)next, CC_META));
}

/* Makes VALUE the input in place of WORD under the cursor. */
static bool alias_enter(struct parser *p, const char *value, const struct alias_word *word)
{
    struct input *in = parser_alloc(p, sizeof *in);
    if (!in)
        return false;
    size_t value_len = strlen(value);
    in->text = arena_dup(p->arena, value, value_len);
    in->alias = arena_dup(p->arena, word->text, word->len);
    if (!in->text || !in->alias)
        return parser_no_memory(p);
    in->len = value_len;
    in->alias_len = word->len;
    in->outer = p->in;
    in->outer_pos = p->pos + word->bytes;
    in->ends_blank = value_len > 0 && cclass_is(value[value_len - 1], CC_BLANK);
    p->in = in;
    p->text = in->text;
    p->len = in->len;
    p->pos = 0;
    return true;
}

bool alias_expand(struct parser *p)
{
    const size_t *count = p->hooks->alias_count;
    if (look(p) < 0 || (count && *count == 0) ||
        (p->in == p->no_alias_in && p->pos == p->no_alias_pos))
        return false;
    struct alias_word word;
    const char *value = NULL;
    if (alias_word(p, &word))
        value = p->hooks->alias(p->hooks->ctx, word.text, word.len);
    if (value && !alias_in_use(p, word.text, word.len))
        return alias_enter(p, value, &word);
    p->no_alias_in = p->in;
    p->no_alias_pos = p->pos;
    return false;
}

bool alias_follow(struct parser *p)
{
    skip_space(p);
    while (p->status == PARSE_OK && p->alias_next && peek_reserved(p) != RW_IN && alias_expand(p)) {
        p->alias_next = true; /* the first word of the value is looked up as well */
        skip_space(p);
    }
    p->alias_next = false;
    return p->status == PARSE_OK;
}

void command_position(struct parser *p)
{
    for (;;) {
        skip_space(p);
        enum reserved word = p->status == PARSE_OK ? peek_reserved(p) : RW_NONE;
        bool is_fixed = word != RW_NONE && word != RW_IN; /* cannot be aliased here */
        if (p->status != PARSE_OK || is_fixed || !alias_expand(p))
            return;
        p->alias_applied = true;
    }
}

void node_init(struct parser *p, struct node *node, enum node_kind kind, uint32_t line)
{
    node->kind = (uint8_t)kind;
    node->line = line;
    node->cache = parser_cache(p);
}
