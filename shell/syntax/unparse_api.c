/*
 * unparse_api: the public face of unparse.
 *
 * Sets up the state, calls the writers and closes the last line, so that here-documents of that
 * line are written too.
 */
#include "shell/base/utf8.h"
#include "shell/syntax/unparser.h"

static void begin_lines(struct unparser *u, struct str *s, int indent)
{
    unparser_init(u, s, indent);
    for (int i = 0; i < indent; i++)
        str_putc(s, '\t');
}

static void end_lines(struct unparser *u)
{
    u->indent = 0;
    unparser_newline(u);
    unparser_release(u);
}

void unparse_list(struct str *s, const struct list *list, int indent)
{
    struct unparser u;
    begin_lines(&u, s, indent);
    unparser_list(&u, list);
    end_lines(&u);
}

void unparse_node(struct str *s, const struct node *node, int indent)
{
    struct unparser u;
    begin_lines(&u, s, indent);
    unparser_node(&u, node);
    end_lines(&u);
}

void unparse_function(struct str *s, const struct node_function *function)
{
    unparse_node(s, &function->node, 0);
}

void unparse_word(struct str *s, const struct word *word)
{
    struct unparser u;
    unparser_init(&u, s, 0);
    unparser_word(&u, word, CONTEXT_WORD);
    unparser_release(&u);
}

void unparse_arith(struct str *s, const struct word *word)
{
    struct unparser u;
    unparser_init(&u, s, 0);
    unparser_word(&u, word, CONTEXT_ARITH);
    unparser_release(&u);
}

void unparse_summary(struct str *s, const struct node *node, size_t max)
{
    struct unparser u;
    size_t start = s->len;
    unparser_init(&u, s, 0);
    u.oneline = true;
    u.no_here = true;
    u.max = start + max;
    unparser_node(&u, node);
    unparser_release(&u);
    for (size_t i = start; i < s->len; i++) {
        if (s->data[i] == '\n')
            s->data[i] = ' ';
    }
    if (s->len <= start + max)
        return;
    const char *end = s->data + start + (max > 3 ? max - 3 : max);
    if (((unsigned char)*end & 0xc0) == 0x80)
        end = utf8_prev(s->data + start, end);
    str_truncate(s, (size_t)(end - s->data));
    str_append_z(s, max > 3 ? "..." : "");
}
