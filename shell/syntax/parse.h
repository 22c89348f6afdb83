/* From bytes to programs. One complete command (up to the newline that ends it) is parsed at a
 * time, so that aliases and options set by it hold for the next one, and a syntax error further
 * down runs what came before. */
#ifndef SHELL_SYNTAX_PARSE_H
#define SHELL_SYNTAX_PARSE_H

#include "shell/base/str.h"
#include "shell/syntax/ast.h"

/* Where the text comes from. READ fills BUFFER with the next bytes: >0 count, 0 end of input, -1
 * error/interrupt. For text already in memory use source_init_text. */
struct source {
    const char *name; /* for messages; borrowed */
    const char *text; /* what is there; grows by READ */
    size_t len, pos;
    uint32_t line;                                                          /* of POS, from 1 */
    ptrdiff_t (*read)(void *ctx, bool continuation, const char **ret_text); /* next piece (a line);
                              NULL: none. CONTINUATION: in the middle of a command (PS2) */
    void *ctx;
    struct str pending; /* bytes gathered from READ, owned */
    struct str types;   /* set -n: names of types that the commands before declare, each with NUL */
    bool at_end, failed;
};
void source_init_text(struct source *s, const char *name, const char *text, size_t len);
void source_init_reader(struct source *s, const char *name,
                        ptrdiff_t (*read)(void *, bool, const char **), void *ctx,
                        struct mem_region *region);
void source_release(struct source *s);

/* What the parser asks of the layers above. */
/* What of a command its parsing depends on. */
enum command_trait {
    COMMAND_DECLARES = 1u << 0,      /* typeset, export, ... and the names of types */
    COMMAND_TAKES_COMMAND = 1u << 1, /* a compound command may stand after its options */
};

struct parse_hooks {
    void *ctx;
    struct name *(*intern)(void *ctx, const char *text, size_t len); /* NULL: out of memory */
    /* Value of alias NAME, or NULL; borrowed until the next call. */
    const char *(*alias)(void *ctx, const char *name, size_t len);
    const size_t *alias_count; /* 0 there: ALIAS need not be asked; may be NULL */
    /* Which of enum command_trait the command NAME has. */
    unsigned (*command_traits)(void *ctx, const char *name, size_t len);
    /* OPTION is a word that begins with a dash, of the command NAME, which takes a command: is the
     * next word its argument? */
    bool (*option_takes_word)(void *ctx, const char *name, size_t len, const char *option);
    struct mem_region *region;         /* for programs */
    struct mem_region *scratch_region; /* MEM_BEST; for the parser's own temporary memory */
    bool posix;         /* set -o posix / invoked as sh: fewer extensions where they conflict */
    bool brace_expand;  /* set -B */
    bool keyword;       /* set -k: name=value is an assignment behind the command word, too */
    bool lint;          /* set -n: remarks about doubtful code go to WARN */
    bool keep_types;    /* set -n: types are known by what declares them, because nothing runs */
    bool show;          /* set -o showme: `;` before a command asks to show it */
    unsigned depth_max; /* nesting limit, e.g. 20000; more is a syntax error */
    const char
        *stack_floor; /* the parser's frames must stay above this address; NULL: no such limit */
    /* A remark that is no error (a here-document ended by the end of input); may be NULL. */
    void (*warn)(void *ctx, uint32_t line, const char *text);
    /* A $"..." as written, from its first quote to the last; may be NULL. */
    void (*message)(void *ctx, const char *text, size_t len);
    /* What is parsed to be run (not: expanded) is told here; may be NULL. */
    struct xref *xref;
};

enum parse_result {
    PARSE_OK,  /* *RET_PROGRAM is set (BODY NULL for blank input); the caller owns one reference */
    PARSE_END, /* end of input */
    PARSE_ERROR,       /* *RET_ERROR is set; the rest of the current line was skipped */
    PARSE_INTERRUPTED, /* READ returned -1 */
    PARSE_NO_MEMORY,
};
struct parse_error {
    uint32_t line;   /* where the message points */
    char why[256];   /* e.g. "syntax error at line 3: `fi' unexpected" or "...: `\"' unmatched" */
    bool incomplete; /* the end of input came too early */
};

/* Parses the next complete command of SOURCE. */
enum parse_result parse_command(const struct parse_hooks *hooks, struct source *source,
                                struct program **ret_program, struct parse_error *ret_error);
/* Parses all of SOURCE as one program (eval, traps, sh -n needs none). PARSE_END when blank. */
enum parse_result parse_all(const struct parse_hooks *hooks, struct source *source,
                            struct program **ret_program, struct parse_error *ret_error);
/* Parses TEXT as one word as it would stand inside double quotes (PS1, PS4, ENV, here-document
 * bodies) into a program whose body holds one NODE_SIMPLE of one word (args[0]). */
enum parse_result parse_dquoted(const struct parse_hooks *hooks, const char *name, const char *text,
                                size_t len, struct program **ret_program,
                                struct parse_error *ret_error);
/* Parses TEXT as a variable reference `a`, `a[i+1]`, `p.x[2]` (for read, unset, nameref, typeset,
 * -v, printf -v). Subscripts are parsed as words. The reference lives in *RET_PROGRAM. false when
 * it is not one. */
bool parse_name_ref(const struct parse_hooks *hooks, const char *text, size_t len,
                    struct program **ret_program, struct name_ref *ret_ref);
/* True when WORD is a reserved word of the shell language. */
bool parse_is_reserved(const char *word, size_t len);
/* The i-th reserved word or NULL (completion, whence). */
const char *parse_reserved_at(size_t i);

#endif
