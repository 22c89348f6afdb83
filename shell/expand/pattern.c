/*
 * pattern: words that are patterns, ready to match.
 *
 * A word without expansions is compiled once per program and kept in the program's cache slot; one
 * whose pattern holds no special character is compared as a string and never compiled. Others are
 * compiled for one use; an invalid regular expression matches nothing. Also records matches as
 * .sh.match, handing over only the bytes that matched.
 */
#include "shell/expand/build.h"
#include "shell/state/cache.h"

#include <errno.h>

enum { USE_GROUPS = 1u << 0 };

static void pattern_release(void *data)
{
    pattern_free(data);
}

static void use_literal(struct pattern_use *use, const char *text, size_t len)
{
    use->pattern = NULL;
    use->never = false;
    use->literal = text;
    use->literal_len = len;
    use->has_groups = false;
}

/* Compiles the escaped text in USE->BUF, or makes it the literal. */
static enum flow use_text(struct shell *sh, struct pattern_use *use, struct cache_slot *slot)
{
    const char *text;
    size_t len;
    TRY(buf_text(sh, &use->buf, &text, &len));
    if (pattern_is_literal(text, len, 0)) {
        use_literal(use, text, pattern_unescape(text, len, use->buf.data));
        return FLOW_NEXT;
    }
    struct pattern *pattern = pattern_compile(slot ? sh->program_region : sh->heap, text, len, 0);
    if (!pattern && !pattern_error(errno))
        return shell_fail_memory(sh, len);
    use_literal(use, "", 0);
    use->pattern = pattern;
    use->never = !pattern; /* an invalid regular expression */
    if (!pattern)
        return FLOW_NEXT;
    use->has_groups = memchr(text, '(', len) != NULL;
    if (slot) {
        cache_put(slot, CACHE_PATTERN, pattern, pattern_release);
        slot->extra = use->has_groups ? USE_GROUPS : 0;
    } else {
        use->owned = pattern;
    }
    return FLOW_NEXT;
}

enum flow pattern_use_word(struct shell *sh, const struct word *word, struct pattern_use *ret)
{
    buf_init(&ret->buf, sh);
    ret->owned = NULL;
    if (!word || word->kind == WORD_LITERAL) {
        use_literal(ret, word ? word->text : "", word ? word->len : 0);
        return FLOW_NEXT;
    }
    struct cache_slot *slot = NULL;
    if (!(word->flags & (WORD_HAS_EXPANSION | WORD_HAS_TILDE))) {
        slot = cache_at(sh, word->cache);
        if (slot && slot->kind == CACHE_PATTERN) {
            ret->pattern = slot->data;
            ret->never = false;
            ret->has_groups = slot->extra & USE_GROUPS;
            return FLOW_NEXT;
        }
    }
    /* Nothing unquoted that could be a pattern: the text itself is compared. */
    bool literal = !(word->flags & (WORD_HAS_GLOB | WORD_UNQUOTED_EXPANSION));
    enum build_mode mode = literal ? BUILD_TEXT : BUILD_PATTERN;
    enum flow flow = build_word_text(sh, word, mode, &ret->buf);
    if (flow == FLOW_NEXT && literal)
        use_literal(ret, ret->buf.data, ret->buf.len);
    else if (flow == FLOW_NEXT)
        flow = use_text(sh, ret, slot);
    if (flow != FLOW_NEXT)
        pattern_use_release(ret);
    return flow;
}

void pattern_use_release(struct pattern_use *use)
{
    pattern_free(use->owned);
    use->owned = NULL;
    buf_release(&use->buf);
}

bool pattern_use_matches(const struct pattern_use *use, const char *text, size_t len)
{
    if (use->pattern)
        return pattern_matches(use->pattern, text, len);
    return !use->never && text_eq(text, len, use->literal, use->literal_len);
}

ptrdiff_t pattern_use_prefix(const struct pattern_use *use, const char *text, size_t len,
                             bool longest)
{
    if (use->pattern)
        return pattern_prefix(use->pattern, text, len, longest);
    size_t n = use->literal_len;
    if (use->never)
        return -1;
    return n <= len && memcmp(text, use->literal, n) == 0 ? (ptrdiff_t)n : -1;
}

ptrdiff_t pattern_use_suffix(const struct pattern_use *use, const char *text, size_t len,
                             bool longest)
{
    if (use->pattern)
        return pattern_suffix(use->pattern, text, len, longest);
    size_t n = use->literal_len;
    if (use->never)
        return -1;
    return n <= len && memcmp(text + len - n, use->literal, n) == 0 ? (ptrdiff_t)(len - n) : -1;
}

size_t pattern_use_search(const struct pattern_use *use, const char *text, size_t len, size_t start,
                          struct match_span *spans, size_t span_max)
{
    if (use->pattern)
        return pattern_search(use->pattern, text, len, start, spans, span_max);
    if (start > len || use->never)
        return 0;
    const char *found = memmem(text + start, len - start, use->literal, use->literal_len);
    if (!found)
        return 0;
    spans[0].start = found - text;
    spans[0].end = spans[0].start + (ptrdiff_t)use->literal_len;
    return 1;
}

enum flow pattern_use_record(struct shell *sh, const struct pattern_use *use, const char *text,
                             ptrdiff_t start, ptrdiff_t end)
{
    if (start < 0)
        return special_set_match(sh, "", 0, NULL, 0);
    size_t len = (size_t)(end - start);
    if (use->has_groups && use->pattern && special_match_waits(use->pattern, len))
        return special_set_match_later(sh, text + start, len, use->pattern, false);
    if (use->has_groups && use->pattern) {
        struct match_span spans[MATCH_CAPTURE_MAX];
        size_t count =
            pattern_matches_spans(use->pattern, text + start, len, spans, MATCH_CAPTURE_MAX);
        if (count > 0)
            return special_set_match(sh, text + start, len, spans, count);
    }
    struct match_span whole = { 0, (ptrdiff_t)len };
    return special_set_match(sh, text + start, len, &whole, 1);
}
