/*
 * string: texts expanded as inside double quotes: PS1, PS4, ENV.
 *
 * The last few texts stay parsed, so that PS4 is parsed once and not for each traced line. An entry
 * is found by its text and holds a reference to its program while it is used.
 */
#include "shell/expand/build.h"
#include "shell/syntax/parse.h"

enum { STRING_ENTRIES = 4 };
struct string_entry {
    char *text; /* owned; NULL: free */
    size_t len;
    struct program *program;
};
struct string_cache {
    struct string_entry entries[STRING_ENTRIES];
    unsigned next; /* to be replaced */
};

static void entry_clear(struct string_entry *entry)
{
    program_release(entry->program);
    mem_free(entry->text);
    *entry = (struct string_entry){ .text = NULL };
}

void expand_cache_free(struct shell *sh)
{
    struct string_cache *cache = sh->string_cache;
    sh->string_cache = NULL;
    if (!cache)
        return;
    for (size_t i = 0; i < STRING_ENTRIES; i++)
        entry_clear(&cache->entries[i]);
    mem_free(cache);
}

/* A reference to the program of TEXT if it is remembered. */
static struct program *cache_find(struct shell *sh, const char *text, size_t len)
{
    struct string_cache *cache = sh->string_cache;
    for (size_t i = 0; cache && i < STRING_ENTRIES; i++)
        if (cache->entries[i].text &&
            text_eq(cache->entries[i].text, cache->entries[i].len, text, len))
            return program_hold(cache->entries[i].program);
    return NULL;
}

/* Without memory nothing is remembered, which only costs time. */
static void cache_remember(struct shell *sh, const char *text, size_t len, struct program *program)
{
    if (!sh->string_cache)
        sh->string_cache = mem_alloc_zeroed(sh->heap, sizeof *sh->string_cache);
    char *copy = sh->string_cache ? text_dup_n(sh->heap, text, len) : NULL;
    if (!copy)
        return;
    struct string_cache *cache = sh->string_cache;
    struct string_entry *entry = &cache->entries[cache->next++ % STRING_ENTRIES];
    entry_clear(entry);
    *entry = (struct string_entry){ copy, len, program_hold(program) };
}

static enum flow string_parse(struct shell *sh, const char *text, size_t len, struct program **ret)
{
    struct parse_error error;
    switch (parse_dquoted(sh->parse_hooks, "prompt", text, len, ret, &error)) {
    case PARSE_OK:
        cache_remember(sh, text, len, *ret);
        return FLOW_NEXT;
    case PARSE_NO_MEMORY:
        return shell_fail_memory(sh, len);
    case PARSE_ERROR:
        return shell_fail(sh, ERROR_SYNTAX, 2, NULL, "%s", error.why);
    default:
        *ret = NULL;
        return FLOW_NEXT;
    }
}

enum flow expand_string(struct shell *sh, const char *text, size_t len, const char **ret,
                        size_t *ret_len)
{
    if (!memchr(text, '$', len) && !memchr(text, '`', len) && !memchr(text, '\\', len)) {
        char *copy = scratch_dup(sh, text, len);
        if (!copy)
            return shell_fail_memory(sh, len + 1);
        *ret = copy;
        *ret_len = len;
        return FLOW_NEXT;
    }
    struct program *program = cache_find(sh, text, len);
    if (!program)
        TRY(string_parse(sh, text, len, &program));
    if (!program || !program->body) {
        program_release(program);
        *ret = "";
        *ret_len = 0;
        return FLOW_NEXT;
    }
    const struct program *running = sh->program;
    const struct node_simple *node = (const struct node_simple *)program->body->items[0].node;
    sh->program = program;
    enum flow flow = expand_text(sh, node->args[0].word, ret, ret_len);
    sh->program = running;
    /* Literal text is borrowed from the program, which may go. */
    if (flow == FLOW_NEXT && node->args[0].word->kind == WORD_LITERAL) {
        *ret = scratch_dup(sh, *ret, *ret_len);
        if (!*ret)
            flow = shell_fail_memory(sh, *ret_len + 1);
    }
    program_release(program);
    return flow;
}
