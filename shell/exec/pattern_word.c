/*
 * Words used as patterns, compiled once where the text cannot change.
 *
 * A word without expansions has the same pattern each time: it is compiled into the heap and kept
 * in the program's cache slot of the word, which frees it with the program. A regular expression
 * that an expansion gives is costly to compile and often the same as the last time: the slot keeps
 * it with its text. All others are compiled in scratch and live until the end of the command. A
 * word that is literal and holds no pattern character never gets that far.
 */
#include "shell/exec/pattern_word.h"

#include <errno.h>
#include <string.h>

#include "shell/expand/expand.h"
#include "shell/state/cache.h"

/* The last regular expression that a word expanded to. */
struct known_regex {
    struct pattern *pattern;
    size_t len;
    char text[];
};

static void pattern_release(void *data)
{
    pattern_free(data);
}

static void known_release(void *data)
{
    struct known_regex *known = data;
    pattern_free(known->pattern);
    mem_free(known);
}

static enum flow compile(struct shell *sh, struct mem_region *region, const char *text, size_t len,
                         bool regex, struct pattern **ret)
{
    errno = 0;
    *ret = pattern_compile(region, text, len, regex ? PATTERN_REGEX : 0);
    if (*ret)
        return FLOW_NEXT;
    const char *why = pattern_error(errno);
    return why ? shell_fail(sh, ERROR_BUILTIN, 2, text, "%s", why) : shell_fail_memory(sh, len);
}

/* Compiles TEXT into SLOT, unless that is what the slot has. */
static enum flow compile_known(struct shell *sh, struct cache_slot *slot, const char *text,
                               size_t len, bool regex, const struct pattern **ret)
{
    struct known_regex *known = slot->kind == CACHE_OTHER ? slot->data : NULL;
    if (known && slot->release == known_release && text_eq(known->text, known->len, text, len)) {
        *ret = known->pattern;
        return FLOW_NEXT;
    }
    struct pattern *made;
    TRY(compile(sh, sh->heap, text, len, regex, &made));
    known = mem_alloc(sh->heap, sizeof *known + len);
    if (!known) {
        pattern_free(made);
        return shell_fail_memory(sh, sizeof *known + len);
    }
    known->pattern = made;
    known->len = len;
    memcpy(known->text, text, len);
    cache_put(slot, CACHE_OTHER, known, known_release);
    *ret = made;
    return FLOW_NEXT;
}

enum flow pattern_word_compile(struct shell *sh, const struct word *word, bool regex,
                               const struct pattern **ret_pattern)
{
    bool fixed = !(word->flags & (WORD_HAS_EXPANSION | WORD_HAS_TILDE));
    struct cache_slot *slot = sh->debug_no_fastpath ? NULL : cache_at(sh, word->cache);
    if (slot && fixed && slot->kind == CACHE_PATTERN && slot->extra == (uint32_t)regex) {
        *ret_pattern = slot->data;
        return FLOW_NEXT;
    }
    const char *text;
    size_t len;
    struct pattern *made;
    TRY(regex ? expand_regex(sh, word, &text, &len) : expand_pattern(sh, word, &text, &len));
    if (slot && !fixed && (regex || (len > 2 && text[0] == '~' && text[1] == '(')))
        return compile_known(sh, slot, text, len, regex, ret_pattern);
    TRY(compile(sh, slot && fixed ? sh->heap : sh->scratch, text, len, regex, &made));
    *ret_pattern = made;
    if (slot && fixed && cache_put(slot, CACHE_PATTERN, made, pattern_release))
        slot->extra = regex;
    return FLOW_NEXT;
}

enum flow pattern_word_matches(struct shell *sh, const struct word *word, const char *text,
                               size_t len, bool *ret)
{
    if (word->kind == WORD_LITERAL && !(word->flags & WORD_HAS_GLOB)) {
        *ret = text_eq(word->text, word->len, text, len);
        return FLOW_NEXT;
    }
    const struct pattern *pattern;
    TRY(pattern_word_compile(sh, word, false, &pattern));
    *ret = pattern_matches(pattern, text, len);
    return FLOW_NEXT;
}
