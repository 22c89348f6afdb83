/*
 * lex_word: words outside double quotes.
 *
 * Owns the one loop that reads a word in each of its surroundings (enum word_mode), the byte
 * classes that end its runs of ordinary text, extended pattern groups, regular expressions and
 * tildes. Quotes and expansions are handed to lex_quote.c and lex_dollar.c. It never looks past the
 * byte that ends the word.
 */
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/syntax/parser.h"

enum {
    T_BLANK = 1u << 0, /* space, tab */
    T_NEWLINE = 1u << 1,
    T_OPERATOR = 1u << 2, /* ; & | < > */
    T_PAREN = 1u << 3,
    T_QUOTE = 1u << 4, /* \ ' " ` $ and NUL, which is dropped */
    T_BRACE = 1u << 5,
    T_BRACKET = 1u << 6,
    T_SLASH = 1u << 7,
    T_TILDE = 1u << 8,
    T_STAR = 1u << 9, /* * ? */
    T_META = T_BLANK | T_NEWLINE | T_OPERATOR | T_PAREN,
};

static const uint16_t byte_class[256] = {
    ['\0'] = T_QUOTE,   [' '] = T_BLANK,    ['\t'] = T_BLANK,   ['\n'] = T_NEWLINE,
    [';'] = T_OPERATOR, ['&'] = T_OPERATOR, ['|'] = T_OPERATOR, ['<'] = T_OPERATOR,
    ['>'] = T_OPERATOR, ['('] = T_PAREN,    [')'] = T_PAREN,    ['\\'] = T_QUOTE,
    ['\''] = T_QUOTE,   ['"'] = T_QUOTE,    ['`'] = T_QUOTE,    ['$'] = T_QUOTE,
    ['{'] = T_BRACE,    ['}'] = T_BRACE,    ['['] = T_BRACKET,  [']'] = T_BRACKET,
    ['/'] = T_SLASH,    ['~'] = T_TILDE,    ['*'] = T_STAR,     ['?'] = T_STAR,
};

/* Which classes stop a run of ordinary bytes, by mode. */
static const uint16_t mode_stop[] = {
    [WORD_NORMAL] = T_META | T_QUOTE | T_TILDE,
    [WORD_VALUE] = T_META | T_QUOTE | T_TILDE,
    [WORD_TARGET] = T_META | T_QUOTE | T_TILDE,
    [WORD_COND] = T_META | T_QUOTE | T_TILDE,
    [WORD_PATTERN] = T_META | T_QUOTE | T_TILDE,
    [WORD_REGEX] = T_META | T_QUOTE | T_BRACKET,
    [WORD_ARG] = T_QUOTE | T_BRACE | T_PAREN | T_TILDE,
    [WORD_ARG_DQ] = T_QUOTE | T_BRACE,
    [WORD_TRIM] = T_QUOTE | T_BRACE | T_PAREN | T_TILDE,
    [WORD_REPLACE] = T_QUOTE | T_BRACE | T_PAREN | T_TILDE,
    [WORD_SUBST] = T_QUOTE | T_BRACE | T_PAREN | T_TILDE | T_SLASH,
    [WORD_SUBSCRIPT] = T_QUOTE | T_BRACKET,
    [WORD_HERE] = T_QUOTE,
};

/* The state of one word: its builder and how deep in ( ), { } or [ ] the cursor is. */
struct lexer {
    struct builder b;
    unsigned group;  /* open ( of extended patterns and regular expressions */
    unsigned parens; /* the same in all modes */
    unsigned braces; /* open { in ${x-..} */
    unsigned brackets;
    bool in_class; /* WORD_REGEX: inside [..] */
    bool regex;    /* the pattern started with ~(E) or the like: any ( opens a group */
    bool dialect;  /* a ~(E) or the like was anywhere in it: escapes are live */
    bool cond;     /* WORD_COND_PATTERN */
};

static bool mode_in_braces(unsigned mode)
{
    return mode >= WORD_ARG && mode <= WORD_SUBST;
}

static bool last_is_unquoted(const struct parser *p, const struct builder *b, char c)
{
    return b->lit_open && !b->lit_quoted && p->lit.len > b->lit_base &&
           p->lit.data[p->lit.len - 1] == c;
}

/* True when the ( under the cursor opens an extended pattern: ?( *( +( @( !( ~( %( {n,m}(, all of
 * them with a - before the ( too. A - alone, and the ) of another group, let it be part of the word
 * as well (is_bare). */
static bool opens_group(const struct parser *p, const struct builder *b)
{
    if (!b->lit_open || b->lit_quoted || p->lit.len == b->lit_base)
        return false;
    const char *start = p->lit.data + b->lit_base;
    const char *end = p->lit.data + p->lit.len - 1;
    if (strchr("?*+@!~%-)", *end))
        return true;
    if (*end != '}')
        return false;
    const char *s = end;
    while (s > start && (cclass_is(s[-1], CC_DIGIT) || s[-1] == ','))
        s--;
    return s < end && s > start && s[-1] == '{';
}

/* Does nothing before the ( under the cursor, which opens a group, say how often it may occur? */
static bool is_bare(const struct parser *p, const struct builder *b)
{
    const char *start = p->lit.data + b->lit_base;
    const char *end = p->lit.data + p->lit.len - 1;
    if (*end != '-')
        return *end == ')';
    return end == start || !strchr("?*+@!~%}", end[-1]);
}

/* Takes the backslash-newlines out of TEXT. */
static size_t joined_bytes(char *text, size_t len)
{
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\\' && i + 1 < len && text[i + 1] == '\n')
            i++;
        else
            text[kept++] = text[i];
    }
    text[kept] = '\0';
    return kept;
}

/* Offset of what follows the name after a ~, which is a user's, or a descriptor's in braces. */
static size_t tilde_end(struct parser *p)
{
    size_t start = ahead_next(p, 0), n = start;
    bool braces = look_ahead(p, n) == '{';
    if (braces)
        n = ahead_next(p, n);
    int c = look_ahead(p, n);
    while (c >= 0 && (cclass_is((char)c, CC_NAME) || c == '.' || (!braces && strchr("+-", c)))) {
        n = ahead_next(p, n);
        c = look_ahead(p, n);
    }
    if (!braces)
        return n;
    return c == '}' ? ahead_next(p, n) : start;
}

/* A ~ that may be expanded: at the start, or after an unquoted : in an assignment. */
static bool lex_tilde(struct parser *p, struct builder *b)
{
    bool at_start = !b->lit_open && p->stack.len == b->stack_base;
    bool wanted = at_start || (b->mode == WORD_VALUE && last_is_unquoted(p, b, ':'));
    size_t n = wanted ? tilde_end(p) : ahead_next(p, 0);
    int c = look_ahead(p, n);
    if (wanted && c >= 0 && !cclass_is((char)c, CC_META) && c != '/' && c != '}' && c != ':')
        wanted = false;
    if (c == '(')
        wanted = false;
    if (!wanted || n > p->len - p->pos) {
        p->pos++;
        builder_char(p, b, '~', false);
        return true;
    }
    char *text = arena_dup(p->arena, p->text + p->pos + 1, n - 1);
    if (!text)
        return parser_no_memory(p);
    struct part part = { .kind = PART_TILDE,
                         .before_colon = c == ':' && b->mode != WORD_VALUE,
                         .line = b->line };
    part.literal.text = text;
    part.literal.len = joined_bytes(text, n - 1);
    skip(p, n);
    b->flags |= WORD_HAS_TILDE;
    return builder_part(p, b, &part);
}

/* Does the literal under construction begin with ~(? */
static bool is_dialect(const struct parser *p, const struct builder *b)
{
    const char *text = p->lit.data + b->lit_base;
    return b->lit_open && !b->lit_quoted && p->lit.len > b->lit_base + 1 && text[0] == '~' &&
           text[1] == '(';
}

/* Is \C live text: a group in a replacement, any escape of a regular expression, one like \d or
 * \t inside of an extended pattern, \1 once one was opened (that is what the flag says)? In an
 * argument of a command, one after ~( only. */
static bool keeps_backslash(const struct parser *p, const struct builder *b, int c)
{
    switch (b->mode) {
    case WORD_NORMAL:
        return cclass_is((char)c, CC_NAME) && (b->live_escapes || is_dialect(p, b));
    case WORD_REPLACE:
        return c >= '0' && c <= '9';
    case WORD_REGEX:
        return !cclass_is((char)c, CC_SPACE) && c < 0x80;
    case WORD_PATTERN:
    case WORD_TRIM:
    case WORD_SUBST:
        return cclass_is((char)c, CC_NAME) &&
               (b->live_escapes || (c >= '0' && c <= '9' && b->flags & WORD_HAS_GLOB));
    default:
        return false;
    }
}

/* A backslash outside quotes. */
static bool lex_backslash(struct parser *p, struct builder *b)
{
    int c = look_ahead(p, 1);
    if (c == '\n') {
        skip_over(p, 2);
        return true;
    }
    p->pos++;
    if (c < 0) {
        builder_char(p, b, '\\', true);
        return true;
    }
    c = look(p);
    p->pos++;
    bool live = keeps_backslash(p, b, c);
    if (live || (b->mode == WORD_REPLACE && c == '/'))
        builder_char(p, b, '\\', !live);
    if (!live)
        builder_empty_quotes(p, b); /* the byte may be a NUL, which is dropped */
    builder_char(p, b, (char)c, !live);
    return true;
}

/* A byte of class T_QUOTE. */
static bool lex_special(struct parser *p, struct builder *b, int c)
{
    bool dq = b->mode == WORD_ARG_DQ || b->mode == WORD_HERE;
    switch (c) {
    case '\0':
        p->pos++;
        return true;
    case '\\':
        return dq ? lex_dq_escape(p, b, b->mode == WORD_ARG_DQ, b->mode == WORD_ARG_DQ)
                  : lex_backslash(p, b);
    case '\'':
        if (!dq)
            return lex_single(p, b);
        break;
    case '"':
        if (b->mode != WORD_HERE)
            return lex_double(p, b, !dq);
        break;
    case '`':
        return lex_backquote(p, b, dq);
    default:
        return lex_dollar(p, b, dq);
    }
    p->pos++;
    builder_char(p, b, (char)c, dq);
    return true;
}

enum verdict { V_STOP, V_TAKE, V_OPEN, V_CLOSE };

/* What an unquoted ( or ) means. */
static enum verdict judge_paren(const struct parser *p, const struct lexer *l, int c)
{
    if (mode_in_braces(l->b.mode))
        return V_TAKE;
    if (l->in_class)
        return V_TAKE;
    if (c == ')')
        return l->group > 0 ? V_CLOSE : V_STOP;
    if (l->group > 0 || l->regex || l->b.mode == WORD_REGEX)
        return V_OPEN;
    return opens_group(p, &l->b) ? V_OPEN : V_STOP;
}

/* Are these ~(options), and is one of LETTERS among them? The ) is under the cursor. */
static bool ends_options(const struct parser *p, const struct builder *b, const char *letters)
{
    if (!b->lit_open || b->lit_quoted)
        return false;
    const char *text = p->lit.data + b->lit_base, *end = p->lit.data + p->lit.len;
    bool found = false;
    while (end > text && (cclass_is(end[-1], CC_NAME) || end[-1] == '+' || end[-1] == '-'))
        found |= strchr(letters, *--end) != NULL;
    return found && end - text >= 2 && end[-1] == '(' && end[-2] == '~';
}

/* Do options that the word begins with make the rest of a pattern a regular expression? */
static bool starts_regex(const struct parser *p, const struct builder *b)
{
    if (b->mode != WORD_PATTERN || p->stack.len != b->stack_base ||
        !ends_options(p, b, "ABEFGLPVX"))
        return false;
    return is_dialect(p, b) &&
           !memchr(p->lit.data + b->lit_base + 2, '(', p->lit.len - b->lit_base - 2);
}

/* Are | & < > ordinary, since a regular expression is read in [[ ]]? */
static bool operators_are_text(const struct lexer *l)
{
    return l->b.mode == WORD_REGEX || (l->cond && l->regex);
}

/* Is the { under the cursor that of a repeat in a pattern, {2}(x) or {1,3}(x)? */
static bool at_repeat(struct parser *p)
{
    size_t n = 1;
    int c;
    while ((c = look_ahead(p, n)) == ',' || (c >= '0' && c <= '9'))
        n++;
    return c == '}' && n > 1;
}

/* The unquoted byte C stopped the run: does it end the word? Keeps the nesting. */
static enum verdict judge(struct parser *p, struct lexer *l, int c)
{
    unsigned mode = l->b.mode;
    switch (c) {
    case '(':
    case ')':
        return judge_paren(p, l, c);
    case '{': /* nests only in patterns */
        if (mode == WORD_ARG || mode == WORD_ARG_DQ || mode == WORD_REPLACE)
            return V_TAKE;
        return mode_in_braces(mode) && !at_repeat(p) ? V_TAKE : V_OPEN;
    case '}':
        return l->braces > 0 ? V_CLOSE : V_STOP;
    case '/':
        return l->braces > 0 ? V_TAKE : V_STOP;
    case '[':
        return V_OPEN;
    case ']':
        if (mode == WORD_REGEX)
            return V_CLOSE;
        return l->brackets > 0 ? V_CLOSE : V_STOP;
    case '|':
        return operators_are_text(l) && (l->in_class || look_ahead(p, 1) != '|') ? V_TAKE : V_STOP;
    case '<':
    case '>':
        return operators_are_text(l) ? V_TAKE : V_STOP;
    case '&':
        if (operators_are_text(l) && look_ahead(p, 1) != '&')
            return V_TAKE;
        return l->in_class ? V_TAKE : V_STOP;
    case ';':
        return l->in_class ? V_TAKE : V_STOP;
    default:
        return V_STOP;
    }
}

/* Remembers open brackets, and those that close but cannot end the subscript of an assignment. */
static void note_bracket(struct parser *p, bool open)
{
    size_t count = open_count(p);
    if (open) {
        open_push(p, p->pos);
    } else if (count > 0) {
        int next = look_ahead(p, 1);
        if (next < 0 || !strchr("=+[.\\", next))
            memo_unmatched(p, open_at(p, count - 1));
        open_truncate(p, count - 1);
    }
}

/* The paren C of a pattern is under the cursor: are escapes live behind it? */
static void note_paren(const struct parser *p, struct lexer *l, int c)
{
    if (c == '(' && (l->parens > 0 || opens_group(p, &l->b)))
        l->parens++;
    else if (c == ')' && l->parens > 0)
        l->parens--;
    l->dialect |= c == ')' && ends_options(p, &l->b, "ABEFGKLPVX");
    l->b.live_escapes = l->parens > 0 || l->dialect;
}

static void nest(struct parser *p, struct lexer *l, int c, bool open)
{
    if (c == '(' || c == ')') {
        if (open && !l->group && l->b.mode != WORD_REGEX)
            l->b.flags |= WORD_HAS_GLOB;
        l->group += open ? 1 : -1u;
        l->regex |= !open && !l->group && starts_regex(p, &l->b);
    } else if (c == '{' || c == '}') {
        l->braces += open ? 1 : -1u;
    } else if (l->b.mode != WORD_REGEX) {
        l->brackets += open ? 1 : -1u;
        if (p->speculating > 0)
            note_bracket(p, open);
    } else if (open) {
        /* A ] right after [ or [^ is a member of the class, which builder and matcher see as text.
         */
        l->in_class = true;
        if (look_ahead(p, 1) == ']' || (look_ahead(p, 1) == '^' && look_ahead(p, 2) == ']')) {
            size_t n = look_ahead(p, 1) == ']' ? 1 : 2;
            while (n-- > 0) {
                builder_char(p, &l->b, (char)look(p), false);
                p->pos++;
            }
        }
    } else {
        l->in_class = false;
    }
}

/* Takes a run of ordinary bytes; the byte after it is of a class in STOP, or the input ends. */
static void lex_run(struct parser *p, struct builder *b, unsigned stop, bool quoted)
{
    const char *text = p->text + p->pos;
    const char *end = p->text + p->len;
    const char *s = text;
    while (s < end && !(byte_class[(unsigned char)*s] & stop))
        s++;
    p->pos += (size_t)(s - text);
    builder_text(p, b, text, (size_t)(s - text), quoted);
}

static struct word *lex_general(struct parser *p, struct lexer *l)
{
    struct builder *b = &l->b;
    bool quoted = b->mode == WORD_ARG_DQ || b->mode == WORD_HERE;
    while (p->status == PARSE_OK) {
        unsigned stop = l->group > 0 ? T_QUOTE | T_PAREN | (mode_stop[b->mode] & T_BRACKET)
                                     : mode_stop[b->mode];
        int c = look(p);
        if (c < 0)
            break;
        unsigned class = byte_class[c];
        if (!(class & stop)) {
            lex_run(p, b, stop, quoted);
        } else if (class & T_QUOTE) {
            lex_special(p, b, c);
        } else if (class & T_TILDE) {
            lex_tilde(p, b);
        } else {
            enum verdict v = judge(p, l, c);
            if (v == V_STOP)
                break;
            if (c == '(' && mode_in_braces(b->mode) && opens_group(p, b))
                b->flags |= WORD_HAS_GLOB;
            if (c == '(' || c == ')')
                note_paren(p, l, c);
            /* ksh93: (x) occurs once in the patterns of case, and is text elsewhere. */
            if (c == '(' && v == V_OPEN && !l->group && b->mode == WORD_PATTERN && !l->cond &&
                !l->regex && is_bare(p, b))
                builder_char(p, b, '@', false);
            if (v == V_OPEN || v == V_CLOSE)
                nest(p, l, c, v == V_OPEN);
            c = look(p);
            p->pos++;
            builder_char(p, b, (char)c, quoted);
        }
    }
    if (p->status == PARSE_OK && l->group > 0)
        parser_missing(p, "(", b->line);
    return builder_finish(p, b);
}

/* The common case, a word of ordinary bytes only, in one allocation. NULL: it is not one (or
 * failed). */
static struct word *lex_plain(struct parser *p, enum word_mode mode)
{
    const char *text = p->text + p->pos;
    const char *end = p->text + p->len;
    const char *s = text;
    unsigned class = 0, seen = 0;
    while (s < end && !((class = byte_class[(unsigned char)*s]) & (T_META | T_QUOTE | T_TILDE))) {
        seen |= class;
        s++;
    }
    if (s == text || s == end || !(class & T_META) || *s == '(')
        return NULL;
    struct {
        struct word word;
        struct part part;
    } *block = parser_alloc(p, sizeof *block + (size_t)(s - text) + 1);
    if (!block)
        return NULL;
    size_t len = (size_t)(s - text);
    char *copy = memcpy(block + 1, text, len);
    struct word *word = &block->word;
    word->line = parser_line(p);
    p->pos += len;
    word->parts = &block->part;
    word->part_count = 1;
    block->part = (struct part){ .kind = PART_LITERAL, .line = word->line };
    block->part.literal.text = copy;
    block->part.literal.len = len;
    if (seen & (T_BRACE | T_BRACKET | T_STAR))
        resolve_word(p, word, mode);
    else
        resolve_literal(p, word, mode);
    return word;
}

struct word *lex_word(struct parser *p, enum word_mode mode)
{
    struct lexer l = { .cond = mode == WORD_COND_PATTERN };
    if (l.cond)
        mode = WORD_PATTERN;
    if (mode <= WORD_PATTERN) {
        struct word *word = lex_plain(p, mode);
        if (word || p->status != PARSE_OK)
            return word;
    }
    builder_init(p, &l.b, mode);
    if (mode <= WORD_TARGET) {
        int c = look(p);
        if ((c == '<' || c == '>') && look_joined_ahead(p, 1) == '(')
            lex_process(p, &l.b);
    }
    return lex_general(p, &l);
}

bool lex_at_word(struct parser *p, int c)
{
    if (c < 0)
        return false;
    if (c == '<' || c == '>')
        return look_joined_ahead(p, 1) == '(';
    return !(byte_class[c] & T_META);
}
