/*
 * .sh.match: what the last pattern match matched, kept as text and spans (of long texts, as text
 * and pattern, since groups are much work) and made an array only when a script looks.
 *
 * Owns sh->match. A match in a subshell is forgotten with it: the first one moves the old state
 * into the journal.
 */
#include <string.h>

#include "shell/base/match.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

struct match_state {
    struct str text;
    struct match_span *spans;
    size_t count, cap; /* spans of one match; room for all */
    size_t rows;       /* matches of ${x//y}; 0: a single one, whose elements are plain */
    bool shown;        /* the array of .sh.match says the same */
    bool waits;        /* the spans are to be found with PATTERN, by a search if SEARCHED */
    bool searched;
    unsigned flags; /* to compile it with */
    struct str pattern;
    uint64_t stamp;
};

static void state_free(struct shell *sh, struct match_state *state)
{
    if (!state)
        return;
    str_release(&state->text);
    str_release(&state->pattern);
    mem_free(state->spans);
    mem_free_sized(sh->heap, state, sizeof *state);
}

void special_match_release(struct shell *sh)
{
    state_free(sh, sh->match);
    sh->match = NULL;
}

static void restore(struct shell *sh, void *old, uintptr_t b)
{
    (void)b;
    state_free(sh, sh->match);
    sh->match = old;
    if (sh->match)
        sh->match->shown = false;
}

/* The state to write to: a new one if a subshell needs the old one back. */
static enum flow writable_state(struct shell *sh, struct match_state **ret)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (sh->match && !frame_should_record(target, sh->match->stamp)) {
        *ret = sh->match;
        return FLOW_NEXT;
    }
    struct match_state *state = mem_alloc_zeroed(sh->heap, sizeof *state);
    if (!state)
        return shell_fail_memory(sh, sizeof *state);
    str_init(&state->text, sh->heap);
    str_init(&state->pattern, sh->heap);
    enum flow flow = frame_record_call(sh, target, restore, sh->match, 0);
    if (flow != FLOW_NEXT) {
        state_free(sh, state);
        return flow;
    }
    state->stamp = target ? target->id : 0;
    sh->match = state;
    *ret = state;
    return FLOW_NEXT;
}

enum flow special_set_match(struct shell *sh, const char *text, size_t len,
                            const struct match_span *spans, size_t count)
{
    return special_set_matches(sh, text, len, spans, count, 0);
}

/* Makes room for COUNT spans. */
static enum flow spans_grow(struct shell *sh, struct match_state *state, size_t count)
{
    struct match_span *more = mem_resize(sh->heap, state->spans, count * sizeof *more);
    if (!more)
        return shell_fail_memory(sh, count * sizeof *more);
    state->spans = more;
    state->cap = count;
    return FLOW_NEXT;
}

enum flow special_set_matches(struct shell *sh, const char *text, size_t len, const void *spans,
                              size_t count, size_t rows)
{
    struct match_state *state = NULL;
    size_t all = rows ? count * rows : count;
    if (count == 0 && !(sh->match && sh->match->count > 0))
        return FLOW_NEXT;
    TRY(writable_state(sh, &state));
    if (all > state->cap)
        TRY(spans_grow(sh, state, all));
    state->count = 0;
    state->waits = false;
    state->shown = false;
    str_clear(&state->text);
    str_append(&state->text, text, len);
    if (!str_ok(&state->text))
        return shell_fail_memory(sh, len);
    if (all > 0)
        memcpy(state->spans, spans, all * sizeof *state->spans);
    state->count = count;
    state->rows = rows;
    return FLOW_NEXT;
}

bool special_match_waits(const struct pattern *pattern, size_t len)
{
    const char *text;
    size_t text_len;
    unsigned flags;
    return pattern_worth_waiting(pattern, len, &text, &text_len, &flags);
}

enum flow special_set_match_later(struct shell *sh, const char *text, size_t len,
                                  const struct pattern *pattern, bool searched)
{
    const struct match_span whole = { 0, (ptrdiff_t)len };
    const char *source;
    size_t source_len;
    TRY(special_set_match(sh, text, len, &whole, 1));
    struct match_state *state = sh->match;
    if (!pattern_worth_waiting(pattern, len, &source, &source_len, &state->flags))
        return FLOW_NEXT;
    str_clear(&state->pattern);
    str_append(&state->pattern, source, source_len);
    state->searched = searched;
    state->waits = str_ok(&state->pattern);
    return state->waits ? FLOW_NEXT : shell_fail_memory(sh, source_len);
}

/* Finds the spans that were left for later. */
static enum flow settle(struct shell *sh, struct match_state *state)
{
    struct match_span spans[MATCH_CAPTURE_MAX];
    const char *text = str_text(&state->text);
    struct pattern *pattern =
        pattern_compile(sh->heap, str_text(&state->pattern), state->pattern.len, state->flags);
    if (!pattern)
        return shell_fail_memory(sh, state->pattern.len);
    size_t len = state->text.len;
    size_t count = state->searched
                       ? pattern_search(pattern, text, len, 0, spans, MATCH_CAPTURE_MAX)
                       : pattern_matches_spans(pattern, text, len, spans, MATCH_CAPTURE_MAX);
    pattern_free(pattern);
    if (count > state->cap)
        TRY(spans_grow(sh, state, count));
    if (count > 0) {
        memcpy(state->spans, spans, count * sizeof *spans);
        state->count = count;
    }
    state->waits = false;
    return FLOW_NEXT;
}

/* Element INDEX of ARRAY becomes what SPAN covers. */
static bool fill_one(struct array *array, size_t index, const struct match_state *state,
                     const struct match_span *span)
{
    if (span->start < 0)
        return true;
    struct value *value = array_put_index(array, (int64_t)index);
    if (!value)
        return false;
    if (value_set_text(array->heap, value, str_text(&state->text) + span->start,
                       (size_t)(span->end - span->start)))
        return true;
    array->count--;
    return false;
}

/* Element INDEX of ARRAY becomes an array of what span INDEX was in each match. */
static bool fill_row(struct array *array, size_t index, const struct match_state *state)
{
    struct array *row = array_new(array->nodes, array->heap, false);
    bool ok = row != NULL;
    for (size_t i = 0; ok && i < state->rows; i++)
        ok = fill_one(row, i, state, &state->spans[i * state->count + index]);
    struct value *value = ok && row->count > 0 ? array_put_index(array, (int64_t)index) : NULL;
    if (value) {
        value_take_array(value, row);
        return true;
    }
    ok = ok && row->count == 0; /* the group took no part */
    array_free(row);
    return ok;
}

static bool fill_matches(struct array *array, const struct match_state *state)
{
    bool ok = true;
    for (size_t i = 0; ok && i < state->count; i++)
        ok = state->rows ? fill_row(array, i, state) : fill_one(array, i, state, &state->spans[i]);
    return ok;
}

enum flow special_prepare(struct shell *sh, struct var *var)
{
    const struct special *special = var->name->special;
    if (!(special->flags & SPECIAL_ARRAY))
        return FLOW_NEXT;
    if (var->array && (sh->match ? sh->match->shown : var->array->count == 0))
        return FLOW_NEXT;
    if (sh->match && sh->match->waits)
        TRY(settle(sh, sh->match));
    struct array *array = array_new(sh->nodes, sh->heap, false);
    if (!array)
        return shell_fail_memory(sh, sizeof *array);
    if (sh->match && !fill_matches(array, sh->match)) {
        array_free(array);
        return shell_fail_memory(sh, 0);
    }
    array_free(var->array);
    var->array = array;
    var->attrs |= VAR_INDEXED;
    if (sh->match)
        sh->match->shown = true;
    return FLOW_NEXT;
}
