/*
 * .sh.match: what the last pattern match matched, kept as text and spans and made an array only
 * when a script looks.
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
    size_t count, cap;
    bool shown; /* the array of .sh.match says the same */
    uint64_t stamp;
};

static void state_free(struct shell *sh, struct match_state *state)
{
    if (!state)
        return;
    str_release(&state->text);
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
    struct match_state *state = NULL;
    if (count == 0 && !(sh->match && sh->match->count > 0))
        return FLOW_NEXT;
    TRY(writable_state(sh, &state));
    if (count > state->cap) {
        struct match_span *more = mem_resize(sh->heap, state->spans, count * sizeof *more);
        if (!more)
            return shell_fail_memory(sh, count * sizeof *more);
        state->spans = more;
        state->cap = count;
    }
    state->count = 0;
    state->shown = false;
    str_clear(&state->text);
    str_append(&state->text, text, len);
    if (!str_ok(&state->text))
        return shell_fail_memory(sh, len);
    if (count > 0)
        memcpy(state->spans, spans, count * sizeof *spans);
    state->count = count;
    return FLOW_NEXT;
}

static bool fill(struct array *array, const struct match_state *state)
{
    for (size_t i = 0; i < state->count; i++) {
        const struct match_span *span = &state->spans[i];
        if (span->start < 0)
            continue;
        struct value *value = array_put_index(array, (int64_t)i);
        if (!value)
            return false;
        if (!value_set_text(array->heap, value, state->text.data + span->start,
                            (size_t)(span->end - span->start))) {
            array->count--;
            return false;
        }
    }
    return true;
}

enum flow special_prepare(struct shell *sh, struct var *var)
{
    if (!(var->name->special->flags & SPECIAL_ARRAY) ||
        (var->array && (sh->match ? sh->match->shown : var->array->count == 0)))
        return FLOW_NEXT;
    struct array *array = array_new(sh->nodes, sh->heap, false);
    if (!array)
        return shell_fail_memory(sh, sizeof *array);
    if (sh->match && !fill(array, sh->match)) {
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
