/* Private to the unparse files: the state of one unparse. */
#ifndef SHELL_SYNTAX_UNPARSER_H
#define SHELL_SYNTAX_UNPARSER_H

#include "shell/base/vec.h"
#include "shell/syntax/unparse.h"

struct unparser {
    struct str *s;
    struct vec here; /* const struct redir *, whose bodies follow the next newline */
    int indent;
    bool oneline; /* `; ` instead of newlines */
    bool regex;   /* in a regular expression, where backslashes stay */
    bool no_here; /* leave bodies of here-documents out (summaries) */
    size_t max;   /* stop early past so many bytes; 0: never */
};

void unparser_init(struct unparser *u, struct str *s, int indent);
void unparser_release(struct unparser *u);
void unparser_put(struct unparser *u, const char *text);
/* A newline, the here-documents that wait for it, and the indentation. */
void unparser_newline(struct unparser *u);
/* The items of LIST, separated; nothing after the last but its & or |&. */
void unparser_list(struct unparser *u, const struct list *list);
void unparser_node(struct unparser *u, const struct node *node);
/* LIST on one line within $( ) and the like, with here-documents of its own. */
void unparser_inner_list(struct unparser *u, const struct list *list);

/* How the literal text of a word is to be written. */
enum word_context {
    CONTEXT_WORD,  /* outside quotes */
    CONTEXT_REGEX, /* the same, right of =~ */
    CONTEXT_DQ,    /* the word of ${x-..} inside double quotes */
    CONTEXT_HERE,  /* body of a here-document */
    CONTEXT_ARITH,
};
void unparser_word(struct unparser *u, const struct word *word, enum word_context context);
void unparser_ref(struct unparser *u, const struct name_ref *ref);
void unparser_assign(struct unparser *u, const struct assign *assign);
void unparser_redir(struct unparser *u, const struct redir *redir);
/* TEXT as a quoted literal. */
void unparser_quoted(struct unparser *u, const char *text, size_t len);

#endif
