/*
 * Private to shell/syntax: the state of one parse and what its files offer each other.
 *
 * The parser works on bytes, without a token queue: what a byte means depends on where it stands,
 * and each grammar function knows. Its place is a cursor (input, offset), so that it can go back:
 * for `((` that is not arithmetic, for a[..] that is not an assignment. Going back is linear over
 * all, see speculate.c.
 *
 * Failure is sticky: parser_fail and parser_no_memory set STATUS, functions return NULL or false,
 * and every caller returns at once.
 */
#ifndef SHELL_SYNTAX_PARSER_H
#define SHELL_SYNTAX_PARSER_H

#include "shell/base/str.h"
#include "shell/syntax/parse.h"

enum reserved {
    RW_NONE,
#define RESERVED(id, text) RW_##id,
#include "shell/syntax/token.def"
#undef RESERVED
    RW_COUNT,
};

/* The words that, where a command could begin, end the list before them instead. */
static inline bool reserved_ends_list(enum reserved word)
{
    switch (word) {
    case RW_THEN:
    case RW_ELSE:
    case RW_ELIF:
    case RW_FI:
    case RW_DO:
    case RW_DONE:
    case RW_ESAC:
    case RW_RBRACE:
        return true;
    default:
        return false;
    }
}

/* ---- input ---------------------------------------------------------------------------------- */

/* A stretch of text being read. The root input is the source. An alias input goes on with OUTER at
 * its end; an island (backquotes, here-document body) just ends. */
struct input {
    const char *text;
    size_t len;
    struct input *outer;
    size_t outer_pos;  /* alias: where to go on */
    const char *alias; /* alias: its name, in the arena */
    size_t alias_len;
    bool ends_blank; /* alias: the value ends with a blank, so the next word is looked up too */
    bool island;
    uint32_t serial; /* tells the inputs of one parse apart; 0 is the root */
    uint32_t line;   /* up to LINE_END, as far as that was looked for; unused for alias inputs */
    size_t line_end; /* no newline lies before it, or where it was last asked for a line */
};
struct cursor {
    struct input *in;
    size_t pos;
    struct input *root; /* whose line count is kept below */
    uint32_t line;
    size_t line_end;
    size_t lint_len; /* of the parser's remarks, for an attempt that is given up */
};

struct here_doc {
    struct here_doc *next;
    struct word *word; /* filled in when the body is read */
    const char *delimiter;
    size_t len;
    uint32_t line;
    bool quoted, strip_tabs, strip_indent;
};

/* MEMO_UNMATCHED: a `((` that is not closed by `))`, or a subscript that never ends. */
enum memo_kind { MEMO_PART, MEMO_FAILED, MEMO_UNMATCHED };
struct memo {
    uint32_t serial; /* of the input */
    uint8_t kind;    /* enum memo_kind */
    bool dquoted;
    bool used;
    size_t pos, end_pos;
    struct part part;
};

struct parser {
    const struct parse_hooks *hooks;
    struct source *source;
    struct program *program;
    struct arena *arena;
    struct parse_error *error;
    enum parse_result status; /* PARSE_OK until something failed */
    bool fatal;               /* the error must not be hidden by going back */

    const char *text; /* of IN, where the cursor is */
    size_t pos, len;
    struct input *in;
    struct input root;
    uint32_t serial_count;

    struct str lit;    /* literal text under construction; nested words use the room above */
    struct str parens; /* offsets of the ( or [ that are open in an attempt */
    struct str stack;  /* items of arrays under construction, likewise */
    struct str
        types;       /* names that commands before in this source declare as types, each with NUL */
    struct str lint; /* remarks: lint.c */
    struct str assigns, redirs; /* the same for those that a simple command gathers side by side */
    struct here_doc *here_first, *here_last; /* waiting for the next newline */

    uint32_t depth;
    unsigned speculating; /* attempts under way that may be given up */
    struct memo *memo;    /* hash table; NULL until needed */
    size_t memo_count, memo_cap;

    bool started;       /* inside a command: more input is a continuation */
    bool alias_next;    /* an alias whose value ends with a blank has just ended */
    bool alias_applied; /* an alias was replaced since this was cleared: the command may be empty */
    struct input *nested_in; /* the last `((` that was no arithmetic: where its second one stands */
    size_t nested_pos;
    struct input *no_alias_in; /* the place where the last look-up found no alias */
    size_t no_alias_pos;
    struct input *peeked_in; /* the place where peek_reserved looked last ... */
    size_t peeked_pos;
    uint32_t peeked_serial;
    enum reserved peeked;     /* ... and what it found */
    struct input *bracket_in; /* from BRACKET_FROM to BRACKET_END there is no `]` and no newline */
    uint32_t bracket_serial;
    size_t bracket_from, bracket_end;
    uint32_t subst_depth;
    uint32_t function_depth; /* bodies of functions around the cursor */
    bool brace_closes; /* in ${ list;}: a } at the start of a command ends it, whatever follows */
};

/* parse_simple.c: enum command_trait of the command TEXT, as far as is known now. */
unsigned command_traits(struct parser *p, const char *text, size_t len);

/* lint.c: a remark about what stands at LINE; the others add those that there are about a node. */
void lint_add(struct parser *p, uint32_t line, const char *format, ...) PRINTF_LIKE(3, 4);
/* What stands in IN from START to the cursor, less CLOSING bytes, is an arithmetic command. */
void lint_arith(struct parser *p, const struct input *in, size_t start, size_t closing);
/* ASSIGN was read from there on. */
void lint_assign(struct parser *p, const struct assign *assign, const struct input *in,
                 size_t start);
void lint_simple(struct parser *p, const struct node_simple *node);
/* Hands all remarks to the hook. */
void lint_flush(struct parser *p);

/* input.c */
void parser_init(struct parser *p, const struct parse_hooks *hooks, struct source *source,
                 struct parse_error *error);
void parser_release(struct parser *p);
/* The byte under the cursor or -1; leaves finished alias inputs and reads more input. */
int look_slow(struct parser *p);
static inline int look(struct parser *p)
{
    return p->pos < p->len ? (unsigned char)p->text[p->pos] : look_slow(p);
}
/* The N-th byte after the cursor, or -1. Valid only when look() found a byte. */
int look_ahead_slow(struct parser *p, size_t n);
static inline int look_ahead(struct parser *p, size_t n)
{
    return n < p->len - p->pos ? (unsigned char)p->text[p->pos + n] : look_ahead_slow(p, n);
}
/* Offset from the cursor of the byte behind that at offset N, over backslash-newlines. */
size_t ahead_next(struct parser *p, size_t n);
/* As look_ahead(), but backslash-newlines do not count; skip_joined() skips N bytes likewise. */
int look_joined_ahead(struct parser *p, size_t n);
void skip_joined(struct parser *p, size_t n);
/* Removes a backslash-newline under the cursor, if there; then looks. */
int look_joined_slow(struct parser *p);
static inline int look_joined(struct parser *p)
{
    int c = look(p);
    return c == '\\' ? look_joined_slow(p) : c;
}
static inline void skip(struct parser *p, size_t n)
{
    p->pos += n;
}
/* Skips BYTES bytes over the ends of alias inputs; each of them was seen with look_ahead. */
void skip_over(struct parser *p, size_t n);
/* Advances when the byte under the cursor (backslash-newlines removed) is C. */
bool take(struct parser *p, char c);
/* Blanks, backslash-newlines and comments. */
void skip_space_slow(struct parser *p);
static inline void skip_space(struct parser *p)
{
    while (p->pos < p->len) {
        char c = p->text[p->pos];
        if (c != ' ') {
            if (c == '\0' || c == '\t' || c == '#' || c == '\\')
                break;
            return;
        }
        p->pos++;
    }
    skip_space_slow(p);
}
/* The same and newlines (here-document bodies are read). False on failure. */
bool skip_newlines(struct parser *p);
/* Consumes the newline under the cursor and the here-documents that wait for it. */
bool take_newline(struct parser *p);
struct cursor cursor_save(struct parser *p);
void cursor_restore(struct parser *p, struct cursor c);
uint32_t parser_line_slow(struct parser *p);
static inline uint32_t parser_line(struct parser *p)
{
    const struct input *in = p->in;
    return p->pos <= in->line_end && !in->outer ? in->line : parser_line_slow(p);
}
/* Lets the parser read IN (text, len set) until island_leave. */
struct cursor island_enter(struct parser *p, struct input *in, uint32_t line);
void island_leave(struct parser *p, struct cursor back);
/* One level deeper; false (failed) when too deep. */
bool parser_enter(struct parser *p);
static inline void parser_leave(struct parser *p)
{
    p->depth--;
}

/* error.c; each of them returns false so that it can be returned */
bool parser_no_memory(struct parser *p);
bool parser_fail(struct parser *p, uint32_t line, const char *format, ...) PRINTF_LIKE(3, 4);
/* "`...' unexpected" for what is under the cursor. */
bool parser_unexpected(struct parser *p);
/* The same, or "syntax error at line LINE: `OPENER' unmatched" at the end of input. */
bool parser_missing(struct parser *p, const char *opener, uint32_t line);
/* "syntax error at line LINE: `WHAT' unmatched" for a quote. */
bool parser_unterminated(struct parser *p, const char *what, uint32_t line);

/* NULL: failed. */
static inline void *parser_alloc(struct parser *p, size_t bytes)
{
    void *block = arena_alloc(p->arena, bytes);
    if (__builtin_expect(!block, 0))
        parser_no_memory(p);
    return block;
}

/* arrays under construction, in p->stack, p->assigns or p->redirs */
static inline size_t stack_mark(const struct parser *p)
{
    return p->stack.len;
}
static inline void stack_push(struct parser *p, const void *item, size_t bytes)
{
    struct str *s = &p->stack;
    if (s->cap - s->len <= bytes && !str_reserve(s, bytes))
        return;
    memcpy(s->data + s->len, item, bytes);
    s->len += bytes;
}
/* items_take() of BYTES bytes. */
void *items_move(struct parser *p, struct str *stack, size_t bytes);
/* Copies the items above MARK to the arena, drops them, and gives their number. NULL when none (or
 * failed). */
static inline void *items_take(struct parser *p, struct str *stack, size_t mark, size_t item_bytes,
                               uint32_t *ret_count)
{
    size_t bytes = stack->len - mark;
    void *items = bytes > 0 || stack->failed ? items_move(p, stack, bytes) : NULL;
    *ret_count = items ? (uint32_t)(bytes / item_bytes) : 0;
    return items;
}
static inline void *stack_take(struct parser *p, size_t mark, size_t item_bytes,
                               uint32_t *ret_count)
{
    return items_take(p, &p->stack, mark, item_bytes, ret_count);
}
static inline uint32_t parser_cache(struct parser *p)
{
    return ++p->program->cache_count;
}

/* speculate.c */
const struct memo *memo_find(const struct parser *p, enum memo_kind kind, size_t pos, bool dquoted);
void memo_add(struct parser *p, const struct memo *memo);
void memo_unmatched(struct parser *p, size_t pos);
static inline void open_push(struct parser *p, size_t pos)
{
    str_append(&p->parens, (const char *)&pos, sizeof pos);
}
/* Position number I of those that are open. */
size_t open_at(const struct parser *p, size_t i);
static inline size_t open_count(const struct parser *p)
{
    return p->parens.len / sizeof(size_t);
}
static inline void open_truncate(struct parser *p, size_t count)
{
    if (count < open_count(p))
        str_truncate(&p->parens, count * sizeof(size_t));
}
/* Gives up an attempt that began at C: the error is forgotten. False when the failure must stand.
 */
bool speculation_undo(struct parser *p, struct cursor c, size_t stack_len, size_t lit_len);

/* ---- words ---------------------------------------------------------------------------------- */

enum word_mode {
    WORD_NORMAL,    /* argument of a command */
    WORD_VALUE,     /* value of an assignment */
    WORD_TARGET,    /* of a redirection, subject of case, here-string */
    WORD_COND,      /* operand in [[ ]] */
    WORD_PATTERN,   /* of case */
    WORD_REGEX,     /* right side of =~ */
    WORD_ARG,       /* ${x-WORD}, unquoted */
    WORD_ARG_DQ,    /* the same in double quotes or a here-document */
    WORD_TRIM,      /* pattern of # % ^ ,: quotes count everywhere */
    WORD_REPLACE,   /* replacement of /: the same, but \0 .. \9 stay as they are, unquoted */
    WORD_SUBST,     /* pattern of /: ends at / too */
    WORD_SUBSCRIPT, /* ends at ] */
    WORD_HERE,      /* to the end of the island, as in a here-document */
    WORD_ARITH,
    WORD_COND_PATTERN, /* right side of == in [[ ]]: WORD_PATTERN, but for | & < > in ~(E) */
};

/* A word under construction. */
struct builder {
    uint8_t mode;
    bool lit_open; /* a literal is being gathered in p->lit */
    bool lit_quoted, lit_dquoted;
    bool arith_quotes; /* inside "..." of an arithmetic expression: such text is marked dquoted */
    bool live_escapes; /* patterns: \d is a class, in ( ) and in regular expressions */
    uint8_t flags;
    uint32_t line, lit_line;
    size_t stack_base, lit_base;
};
void builder_init(struct parser *p, struct builder *b, enum word_mode mode);
void builder_text(struct parser *p, struct builder *b, const char *text, size_t len, bool quoted);
void builder_char(struct parser *p, struct builder *b, char c, bool quoted);
/* Makes sure that an empty pair of quotes leaves a trace. */
void builder_empty_quotes(struct parser *p, struct builder *b);
bool builder_part(struct parser *p, struct builder *b, const struct part *part);
/* Ends the literal under construction, if any. */
bool builder_flush(struct parser *p, struct builder *b);
struct word *builder_finish(struct parser *p, struct builder *b);

/* lex_word.c; NULL: failed. An empty word has no parts. */
struct word *lex_word(struct parser *p, enum word_mode mode);
/* True when the byte C begins a word (and not an operator, newline or the end). */
bool lex_at_word(struct parser *p, int c);
/* lex_quote.c; the cursor is on the opening quote */
bool lex_single(struct parser *p, struct builder *b);
bool lex_double(struct parser *p, struct builder *b, bool mark_empty);
bool lex_ansi(struct parser *p, struct builder *b); /* on the ' of $' */
bool lex_backquote(struct parser *p, struct builder *b, bool dquoted);
/* A backslash in double-quote-like text; QUOTE: before " too, BRACE: before } too. */
bool lex_dq_escape(struct parser *p, struct builder *b, bool quote, bool brace);
/* lex_dollar.c: $ and what follows; a $ that begins nothing is a literal */
bool lex_dollar(struct parser *p, struct builder *b, bool dquoted);
/* The list of a command substitution up to CLOSER (`)`, `}` or -1), which is left; BEGAN is for
 * messages. NULL: failed. */
struct command_sub *lex_command_body(struct parser *p, int closer, uint32_t line);
/* <( ) and >( ); the cursor is on the first byte */
bool lex_process(struct parser *p, struct builder *b);
/* lex_param.c: after `${` */
struct param *lex_braced(struct parser *p, bool dquoted);
/* The name of a variable at the cursor, with dots when DOTTED. *RET_NAME NULL: there is none. */
bool lex_name(struct parser *p, bool dotted, struct name **ret_name);
struct name *parser_intern(struct parser *p, const char *text, size_t len); /* NULL: failed */
/* Subscripts and members after a name: [..] and .name. */
bool lex_ref_steps(struct parser *p, struct name_ref *ref);
/* A whole reference. False with p->status PARSE_OK: there is no name here (the cursor did not
 * move). */
bool lex_ref(struct parser *p, struct name_ref *ref);
/* lex_arith.c: an arithmetic expression up to an unnested byte of ENDS, which is left; `)` stands
 * for `))` and is consumed. False with status PARSE_OK: a `)` stood alone. */
bool lex_arith(struct parser *p, const char *ends, struct word **ret_word);
bool lex_is_blank(const struct word *word);
/* After `((`, whose first byte is at START: tries arithmetic. When it is not, goes back to START,
 * *RET_WORD NULL. */
bool lex_try_arith(struct parser *p, struct cursor start, struct word **ret_word);

/* heredoc.c */
bool here_parse_delimiter(struct parser *p, struct redir *redir, bool strip_tabs,
                          bool strip_indent);
bool here_read_all(struct parser *p);

/* resolve.c */
void resolve_word(struct parser *p, struct word *word, enum word_mode mode);
/* The same for WORD of one unquoted literal without special bytes. */
void resolve_literal(struct parser *p, struct word *word, enum word_mode mode);

/* parse.c */
struct list *parse_list(struct parser *p); /* NULL with status OK: empty */
/* As parse_list; an empty one is an error. OPENER, which began at LINE, is for the message. */
struct list *parse_list_needed(struct parser *p, const char *opener, uint32_t line);
/* The same for what if, while and until test: no `;` may stand before its first command. */
struct list *parse_condition(struct parser *p, const char *opener, uint32_t line);
struct node *parse_pipeline(struct parser *p);

/* ---- command.c: words with a meaning at the start of a command ---- */

/* Skips blanks and expands aliases. */
void command_position(struct parser *p);
enum reserved peek_reserved_slow(struct parser *p);
static inline enum reserved peek_reserved(struct parser *p)
{
    if (p->in == p->peeked_in && p->pos == p->peeked_pos && p->in->serial == p->peeked_serial)
        return p->peeked;
    return peek_reserved_slow(p);
}
bool take_reserved(struct parser *p, enum reserved word);
/* Takes WORD, or reports that what OPENER began at LINE is not terminated, or the unexpected token.
 */
bool expect_reserved(struct parser *p, enum reserved word, const char *opener, uint32_t line);
/* Does C after a `;` make it the end of an item of `case`? */
static inline bool item_ends_with(int c)
{
    return c == ';' || c == '&' || c == '|';
}
/* Replaces the word under the cursor when it is an alias. */
bool alias_expand(struct parser *p);
/* The next word, which begins no command: it may be an alias right after one whose value ends in a
 * blank. False: failed. */
bool alias_follow(struct parser *p);
/* True when the bytes at the cursor are TEXT and a word ends there. */
bool word_is(struct parser *p, const char *text);
void node_init(struct parser *p, struct node *node, enum node_kind kind, uint32_t line);

/* parse_cmd.c */
/* A command of no words. */
struct node *parse_nothing(struct parser *p, uint32_t line);
struct node *parse_command_node(struct parser *p);
/* After the name of NAME(): the cursor is on the first parenthesis. */
struct node *parse_function_parens(struct parser *p, const struct word *name, uint32_t line);
/* parse_simple.c */
/* The compound command under the cursor, without redirections; NULL with status OK: there is none.
 */
struct node *parse_compound_argument(struct parser *p);
struct node *parse_simple(struct parser *p);

/* parse_redir.c */
/* True when a redirection begins at the cursor. */
bool redir_begins(struct parser *p, int c);
/* Parses it onto p->redirs. */
bool parse_redir(struct parser *p);
/* Redirections after a compound command. */
bool parse_redirs(struct parser *p, struct node *node);

/* parse_assign.c: NAME.. = at the cursor? Fills ASSIGN's reference and APPEND and consumes the =.
 * False with status PARSE_OK: no, nothing consumed. */
bool parse_assign_head(struct parser *p, struct assign *assign);
/* What ( ) after the = holds: seen from its first item, or said by an option of the declaration
 * command. */
enum value_hint { VALUE_GUESS, VALUE_ARRAY, VALUE_COMPOUND };
/* What follows the =. */
bool parse_assign_value(struct parser *p, struct assign *assign, enum value_hint hint);
/* The assignment ASSIGN to a variable whose name up to the first subscript is NAME, as a plain
 * word. */
struct word *assign_as_word(struct parser *p, const struct assign *assign, const char *name,
                            size_t name_len);

/* parse_cond.c: after [[ */
struct node *parse_cond(struct parser *p, uint32_t line);

#endif
