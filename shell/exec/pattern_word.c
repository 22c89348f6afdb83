/*
 * Words used as patterns, compiled once where the text cannot change.
 *
 * A word without expansions has the same pattern each time: it is compiled into the heap and kept
 * in the program's cache slot of the word, which frees it with the program. All others are compiled
 * in scratch and live until the end of the command. A word that is literal and holds no pattern
 * character never gets that far.
 */
#include "shell/exec/pattern_word.h"

#include <errno.h>
#include <string.h>

#include "shell/expand/expand.h"
#include "shell/state/cache.h"

static void pattern_release(void *data)
{
    pattern_free(data);
}

static enum flow compile(struct shell *sh, struct mem_region *region, const struct word *word,
                         bool regex, struct pattern **ret)
{
    const char *text;
    size_t len;
    TRY(regex ? expand_regex(sh, word, &text, &len) : expand_pattern(sh, word, &text, &len));
    errno = 0;
    *ret = pattern_compile(region, text, len, regex ? PATTERN_REGEX : 0);
    if (*ret)
        return FLOW_NEXT;
    if (errno == EINVAL)
        return shell_fail(sh, ERROR_EXPANSION, 2, text, "invalid regular expression");
    return shell_fail_memory(sh, len);
}

enum flow pattern_word_compile(struct shell *sh, const struct word *word, bool regex,
                               const struct pattern **ret_pattern, struct pattern **ret_free)
{
    struct pattern *made;
    *ret_free = NULL;
    struct cache_slot *slot = NULL;
    if (!(word->flags & (WORD_HAS_EXPANSION | WORD_HAS_TILDE)) && !sh->debug_no_fastpath)
        slot = cache_at(sh, word->cache);
    if (!slot) {
        TRY(compile(sh, sh->scratch, word, regex, &made));
        if (pattern_needs_free(made))
            *ret_free = made;
        *ret_pattern = made;
        return FLOW_NEXT;
    }
    if (slot->kind == CACHE_PATTERN && slot->extra == (uint32_t)regex) {
        *ret_pattern = slot->data;
        return FLOW_NEXT;
    }
    TRY(compile(sh, sh->heap, word, regex, &made));
    if (cache_put(slot, CACHE_PATTERN, made, pattern_release))
        slot->extra = regex;
    *ret_pattern = made;
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
    struct pattern *to_free;
    TRY(pattern_word_compile(sh, word, false, &pattern, &to_free));
    *ret = pattern_matches(pattern, text, len);
    if (to_free)
        pattern_free(to_free);
    return FLOW_NEXT;
}
