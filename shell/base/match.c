/*
 * The public functions of the pattern matcher: chooses how a pattern is compiled and run.
 *
 * Three ways, from fast to able: match_glob.c for plain patterns (and match_stretch.c), match_sim.c
 * for groups and regular expressions (with match_dfa.c where a text is long), match_track.c for
 * negation, conjunction, look-ahead and back references. Regular expressions are compiled by the
 * same machinery and not by the C library's, whose matcher allocates, stops at NUL bytes and knows
 * no lazy quantifiers; no pattern holds anything but its own block and what match_dfa.c keeps.
 */
#include "shell/base/match_internal.h"

#include <errno.h>
#include <string.h>

#include "shell/base/cclass.h"
#include "shell/base/str.h"

/* True when the letter C behind a backslash asks for a class. */
static bool names_class(char c)
{
    return c && strchr("dDsSwW", c) != NULL;
}

/* True when TEXT has something that only the full parser understands: a group or options, or a
 * class like \d. */
static bool has_groups(const char *text, size_t len, bool names)
{
    const char *p = text, *end = text + len;
    for (; p < end; p++) {
        if (*p == '\\' && end - p > 1) {
            p++;
            if (!names && names_class(*p))
                return true;
        } else if (*p == '(' && p > text && strchr("?*+@!~%}-", p[-1]) && p[-1]) {
            return true;
        }
    }
    return false;
}

static struct pattern *compile_parsed(struct mem_region *region, const char *text, size_t len,
                                      unsigned flags)
{
    struct parse ps = {
        .text = text,
        .at = text,
        .end = text + len,
        .sets = { .sets = { .item_bytes = sizeof(struct char_set) },
                  .ranges = { .item_bytes = sizeof(struct char_range) } },
        .nocase = (flags & PATTERN_NOCASE) != 0,
        .names = (flags & PATTERN_PERIOD) != 0,
        .mode = flags & PATTERN_REGEX ? MODE_ERE : MODE_SHELL,
        .left_open = (flags & PATTERN_REGEX) != 0,
        .right_open = (flags & PATTERN_REGEX) != 0,
    };
    struct node *root = flags & PATTERN_REGEX ? parse_regex(&ps) : parse_shell(&ps);
    struct pattern *p = NULL;
    int error = ps.no_memory ? ENOMEM : EINVAL;
    if (root && !ps.no_memory && !ps.malformed) {
        p = code_compile(region, &ps, root, flags);
        error = ps.no_memory ? ENOMEM : EINVAL;
    }
    parse_release(&ps);
    /* What is wrong with a shell pattern makes it literal text, unless it asked for a regular
     * expression. */
    bool shell = !(flags & PATTERN_REGEX) && ps.mode == MODE_SHELL;
    if (!p && error == EINVAL && shell)
        return glob_compile(region, text, len, flags, true);
    if (!p)
        errno = error;
    return p;
}

struct pattern *pattern_compile(struct mem_region *region, const char *text, size_t len,
                                unsigned flags)
{
    if (len >= UINT32_MAX / 16) {
        errno = ENOMEM;
        return NULL;
    }
    if (!(flags & PATTERN_REGEX) &&
        (flags & PATTERN_NO_EXT || !has_groups(text, len, flags & PATTERN_PERIOD))) {
        struct pattern *p = glob_compile(region, text, len, flags, false);
        if (!p)
            errno = ENOMEM;
        return p;
    }
    return compile_parsed(region, text, len, flags);
}

void pattern_free(struct pattern *p)
{
    if (!p)
        return;
    if (p->space)
        dfa_release(p->space);
    mem_free_sized(p->region, p, p->bytes);
}

bool pattern_is_literal(const char *text, size_t len, unsigned flags)
{
    const char *end = text + len;
    for (const char *p = text; p < end; p++) {
        if (*p == '\\') {
            p++;
            if (p < end && !(flags & PATTERN_PERIOD) && names_class(*p))
                return false;
        } else if (cclass_is(*p, CC_PATTERN)) {
            return false;
        }
    }
    return true;
}

size_t pattern_unescape(const char *text, size_t len, char *ret)
{
    const char *end = text + len;
    char *to = ret;
    for (const char *p = text; p < end; p++) {
        if (*p == '\\' && end - p > 1)
            p++;
        *to++ = *p;
    }
    return (size_t)(to - ret);
}

enum { LONG_BYTES = 1024 }; /* from here on match_dfa.c is thought of */

static bool run_pattern(struct run *run)
{
    enum { PATIENCE = 256 };
    run->pc = 0;
    /* Most matches in long texts are short: only those that are not are worth a table. */
    if (run->p->dfa_able && run->len - run->start >= LONG_BYTES)
        run->patience = PATIENCE;
    bool found = run->p->backtracks ? track_run(run) : sim_run(run);
    if (run->gave_up) {
        enum dfa_verdict verdict = dfa_run(run);
        run->patience = 0;
        run->gave_up = false;
        found = verdict == DFA_UNKNOWN ? sim_run(run) : verdict == DFA_YES;
    }
    if (run->no_memory)
        errno = ENOMEM;
    return found;
}

/* !( ) over the whole text: what is inside must not match it. */
static bool whole_not_matches(const struct pattern *p, const char *text, size_t len)
{
    if (p->period && len > 0 && text[0] == '.')
        return false;
    struct run run = {
        .p = p,
        .text = text,
        .len = len,
        .from_start = true,
        .to_end = true,
        .goal = RUN_SHORTEST,
        .pc = 1u + (p->code[0].op == OP_SAVE),
    };
    return !sim_run(&run);
}

bool pattern_matches(const struct pattern *p, const char *text, size_t len)
{
    if (p->is_glob)
        return glob_matches(p, text, len);
    if (p->is_stretch)
        return stretch_matches(p, text, len);
    if (p->whole_not && !p->left_open && !p->right_open)
        return whole_not_matches(p, text, len);
    struct run run = {
        .p = p,
        .text = text,
        .len = len,
        .from_start = !p->left_open,
        .to_end = !p->right_open,
        .goal = RUN_SHORTEST,
    };
    return run_pattern(&run);
}

ptrdiff_t pattern_prefix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    if (p->is_glob)
        return glob_prefix(p, text, len, longest);
    if (p->is_stretch)
        return stretch_prefix(p, text, len, longest);
    ptrdiff_t slots[2 * MATCH_CAPTURE_MAX];
    struct run run = {
        .p = p,
        .text = text,
        .len = len,
        .from_start = true,
        .to_end = p->right_fixed,
        .goal = !longest           ? RUN_SHORTEST
                : p->by_preference ? RUN_PREFERRED
                                   : RUN_LONGEST,
        .slots = slots,
        .slot_count = p->backtracks || p->by_preference ? 2 : 0,
    };
    return run_pattern(&run) ? slots[1] : -1;
}

ptrdiff_t pattern_suffix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    if (p->is_glob)
        return glob_suffix(p, text, len, longest);
    if (p->is_stretch)
        return stretch_suffix(p, text, len, longest);
    ptrdiff_t slots[2 * MATCH_CAPTURE_MAX];
    struct run run = {
        .p = p,
        .text = text,
        .len = len,
        .from_start = p->left_fixed,
        .to_end = true,
        .latest = !longest,
        .goal = RUN_SHORTEST,
        .slots = slots,
        .slot_count = 2,
    };
    return run_pattern(&run) ? slots[0] : -1;
}

static void set_span(struct match_span *spans, size_t span_max, size_t i, ptrdiff_t start,
                     ptrdiff_t end)
{
    if (i < span_max)
        spans[i] = start < 0 || end < start ? (struct match_span){ -1, -1 }
                                            : (struct match_span){ start, end };
}

/* Runs for captures; the number of spans set. */
static size_t run_for_spans(struct run *run, struct match_span *spans, size_t span_max)
{
    const struct pattern *p = run->p;
    ptrdiff_t slots[2 * MATCH_CAPTURE_MAX];
    size_t wanted = p->group_count + 1 < span_max ? p->group_count + 1 : span_max;
    size_t last = wanted > 1 ? wanted - 1 : 0; /* the last group whose place is asked for */
    if (p->group_map)
        last = p->group_map[last];
    run->slot_count = 2 * ((uint32_t)last + 1);
    run->slots = slots;
    run->goal = p->by_preference ? RUN_PREFERRED : RUN_LONGEST;
    if (!run_pattern(run))
        return 0;
    for (size_t i = 0; i < wanted; i++) {
        size_t group = p->group_map ? p->group_map[i] : i;
        set_span(spans, span_max, i, slots[2 * group], slots[2 * group + 1]);
    }
    return wanted ? wanted : 1;
}

/* WHOLE is a match of P, which has no group but, perhaps, one around all of it. */
static size_t whole_spans(const struct pattern *p, struct match_span whole,
                          struct match_span *spans, size_t span_max)
{
    set_span(spans, span_max, 0, whole.start, whole.end);
    if (!p->is_stretch || !p->stretch.group || span_max < 2)
        return 1;
    set_span(spans, span_max, 1, whole.start, whole.end);
    return 2;
}

size_t pattern_search(const struct pattern *p, const char *text, size_t len, size_t start,
                      struct match_span *spans, size_t span_max)
{
    if (start > len)
        return 0;
    if (p->is_glob || p->is_stretch) {
        struct match_span whole;
        if (p->is_glob ? !glob_search(p, text, len, start, &whole)
                       : !stretch_search(p, text, len, start, &whole))
            return 0;
        return whole_spans(p, whole, spans, span_max);
    }
    if (p->left_fixed && start > 0)
        return 0;
    struct run run = {
        .p = p,
        .text = text,
        .len = len,
        .start = start,
        .from_start = p->left_fixed,
        .to_end = p->right_fixed,
    };
    return run_for_spans(&run, spans, span_max);
}

size_t pattern_matches_spans(const struct pattern *p, const char *text, size_t len,
                             struct match_span *spans, size_t span_max)
{
    const struct match_span whole = { 0, (ptrdiff_t)len };
    if (p->is_glob)
        return glob_matches(p, text, len) ? whole_spans(p, whole, spans, span_max) : 0;
    if (p->is_stretch && !p->left_open && !p->right_open)
        return stretch_matches(p, text, len) ? whole_spans(p, whole, spans, span_max) : 0;
    struct run run = {
        .p = p,
        .text = text,
        .len = len,
        .from_start = !p->left_open,
        .to_end = !p->right_open,
    };
    return run_for_spans(&run, spans, span_max);
}

bool pattern_worth_waiting(const struct pattern *p, size_t len, const char **ret_text,
                           size_t *ret_len, unsigned *ret_flags)
{
    if (p->is_glob || p->is_stretch || !p->dfa_able || p->group_count == 0 || len < LONG_BYTES)
        return false;
    *ret_text = p->text;
    *ret_len = p->text_len;
    *ret_flags = p->flags;
    return true;
}

const char *pattern_error(int error)
{
    return error == ENOMEM ? NULL : "invalid regular expression";
}
