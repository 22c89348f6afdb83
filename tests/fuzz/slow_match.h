/*
 * A pattern matcher that is slow and obviously right, and random patterns to try it on.
 *
 * A pattern is made as a tree; the same tree is printed as text for the matcher under test and
 * evaluated here by the definition: the set of places where a match that starts at I can end. Used
 * by fuzz_match.c and by the unit test that compares the two on random input.
 */
#ifndef TESTS_SLOW_MATCH_H
#define TESTS_SLOW_MATCH_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "shell/base/match.h"

/* Where choices come from: a fuzzer's bytes, then (or only) a counter that is mixed. */
struct choices {
    const uint8_t *bytes;
    size_t left;
    uint64_t state;
};
static unsigned choose(struct choices *c, unsigned count)
{
    if (c->left > 0) {
        c->left--;
        return *c->bytes++ % count;
    }
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(c->state >> 33) % count;
}

/* Appends PIECE to TEXT, which has ROOM bytes. */
static void append(char *text, size_t room, const char *piece)
{
    size_t len = strlen(text);
    snprintf(text + len, room - len, "%s", piece);
}

/* --- the alphabet: single characters as the matcher should see them ------------------------------
 */

enum { SLOW_ALPHABET = 9, SLOW_TEXT_MAX = 14 };
static const char *const slow_chars[SLOW_ALPHABET] = { "a",  "b",        "c", "A",   ".",
                                                       "\n", "\xc3\xa9", "-", "\x80" };
enum { SLOW_E_ACUTE = 6, SLOW_INVALID = 8 };

/* --- trees ---------------------------------------------------------------------------------------
 */

enum slow_kind { SLOW_CHAR, SLOW_ANY, SLOW_STAR, SLOW_SET, SLOW_GROUP };
struct slow_node {
    enum slow_kind kind;
    unsigned letter;  /* CHAR */
    uint32_t members; /* SET: bit for each letter, before negation */
    bool negate, lazy;
    char text[40]; /* SET: as printed */
    char group;    /* GROUP: ? * + @ ! or { */
    unsigned min, max;
    struct slow_node *next; /* in the sequence */
    struct slow_node
        *branches[3][2]; /* GROUP: alternatives of conjuncts (the second may be absent) */
    unsigned branch_count;
    bool has_and[3];
};
struct slow_pool {
    struct slow_node nodes[64];
    unsigned used;
};

static void slow_make_set(struct choices *c, struct slow_node *n)
{
    static const struct {
        const char *text;
        uint32_t members; /* of "abcA.\né-\x80" */
    } items[] = {
        { "a", 1 },
        { "b", 2 },
        { "A", 8 },
        { ".", 16 },
        { "\xc3\xa9", 64 },
        { "a-c", 7 },
        { "b-c", 6 },
        { "A-b", 11 },
        { "[:alpha:]", 79 },
        { "[:upper:]", 8 },
        { "[:punct:]", 16 | 128 },
        { "\\-", 128 },
        { "[.a.]", 1 },
        { "[=b=]", 2 },
        { "\\]", 0 },
        { "c-a", 0 },
        { "[:space:]", 32 },
        { "\\b", 2 },
    };
    n->negate = choose(c, 3) == 0;
    append(n->text, sizeof n->text, n->negate ? (choose(c, 2) ? "[!" : "[^") : "[");
    for (unsigned count = 1 + choose(c, 3); count > 0; count--) {
        unsigned i = choose(c, sizeof items / sizeof items[0] - 1);
        append(n->text, sizeof n->text, items[i].text);
        n->members |= items[i].members;
    }
    append(n->text, sizeof n->text, "]");
}

static struct slow_node *slow_make(struct choices *c, struct slow_pool *pool, unsigned depth,
                                   bool plain)
{
    struct slow_node *first = NULL, **link = &first;
    for (unsigned count = choose(c, 5); count > 0 && pool->used < 60; count--) {
        struct slow_node *n = &pool->nodes[pool->used++];
        *n = (struct slow_node){ .kind = SLOW_CHAR, .letter = choose(c, SLOW_ALPHABET) };
        *link = n;
        link = &n->next;
        switch (choose(c, 8)) {
        case 0:
            n->kind = SLOW_ANY;
            break;
        case 1:
            n->kind = SLOW_STAR;
            break;
        case 2:
            n->kind = SLOW_SET;
            slow_make_set(c, n);
            break;
        case 3:
        case 4:
            if (plain || depth == 0)
                break;
            n->kind = SLOW_GROUP;
            n->group = "?*+@!{"[choose(c, 6)];
            n->min = n->group == '+' || n->group == '@';
            n->max = n->group == '?' || n->group == '@' ? 1 : SLOW_TEXT_MAX;
            if (n->group == '{') {
                n->min = choose(c, 3);
                n->max = n->min + choose(c, 3);
            }
            n->branch_count = 1 + choose(c, 3);
            for (unsigned i = 0; i < n->branch_count; i++) {
                n->branches[i][0] = slow_make(c, pool, depth - 1, false);
                n->has_and[i] = choose(c, 8) == 0;
                if (n->has_and[i])
                    n->branches[i][1] = slow_make(c, pool, depth - 1, false);
            }
            break;
        default:
            break;
        }
    }
    return first;
}

static void slow_print(const struct slow_node *first, char *text, size_t room)
{
    for (const struct slow_node *n = first; n; n = n->next) {
        size_t len = strlen(text);
        const char *c;
        switch (n->kind) {
        case SLOW_CHAR:
            c = slow_chars[n->letter];
            snprintf(text + len, room - len, "%s%s", *c == '.' || *c == '-' ? "\\" : "", c);
            break;
        case SLOW_ANY:
            snprintf(text + len, room - len, "?");
            break;
        case SLOW_STAR:
            snprintf(text + len, room - len, "*");
            break;
        case SLOW_SET:
            snprintf(text + len, room - len, "%s", n->text);
            break;
        case SLOW_GROUP:
            if (n->group == '{')
                snprintf(text + len, room - len, "{%u,%u}(", n->min, n->max);
            else
                snprintf(text + len, room - len, "%c(", n->group);
            for (unsigned i = 0; i < n->branch_count; i++) {
                if (i > 0)
                    append(text, room, "|");
                slow_print(n->branches[i][0], text, room);
                if (n->has_and[i]) {
                    append(text, room, "&");
                    slow_print(n->branches[i][1], text, room);
                }
            }
            append(text, room, ")");
            break;
        }
    }
}

/* --- evaluation ----------------------------------------------------------------------------------
 */

struct slow_text {
    unsigned letters[SLOW_TEXT_MAX]; /* indices into slow_chars */
    unsigned count;
    bool nocase, period;
};

static unsigned slow_fold(unsigned letter)
{
    return letter == 3 ? 0 : letter; /* A is a */
}

static bool slow_in_set(const struct slow_node *n, const struct slow_text *t, unsigned letter)
{
    bool in = n->members >> letter & 1;
    if (t->nocase && (letter == 0 || letter == 3))
        in = (n->members & 9) != 0;
    if (t->nocase && strstr(n->text, "A-b") && letter <= 3) /* the range has A, B and C */
        in = true;
    if (t->nocase && (strstr(n->text, "upper") && (letter <= 3 || letter == SLOW_E_ACUTE)))
        in = true;
    return in != n->negate;
}

/* The bits of the places where the sequence FIRST, started at AT, can end. */
static uint32_t slow_ends(const struct slow_node *first, const struct slow_text *t, unsigned at);

static uint32_t slow_step(const struct slow_node *n, const struct slow_text *t, unsigned at)
{
    bool hidden = t->period && at == 0 && t->count > 0 && t->letters[0] == 4;
    bool more = at < t->count;
    uint32_t all = ((uint32_t)2 << t->count) - 1;
    uint32_t ends = 0;
    switch (n->kind) {
    case SLOW_CHAR:
        if (more && (t->letters[at] == n->letter ||
                     (t->nocase && slow_fold(t->letters[at]) == slow_fold(n->letter))))
            ends = 2u << at;
        break;
    case SLOW_ANY:
        ends = more && !hidden ? 2u << at : 0;
        break;
    case SLOW_STAR:
        ends = hidden ? 1u << at : all & ~((1u << at) - 1);
        break;
    case SLOW_SET:
        ends = more && !hidden && slow_in_set(n, t, t->letters[at]) ? 2u << at : 0;
        break;
    case SLOW_GROUP:
        for (unsigned i = 0; i < n->branch_count; i++) {
            uint32_t branch = slow_ends(n->branches[i][0], t, at);
            if (n->has_and[i])
                branch &= slow_ends(n->branches[i][1], t, at);
            ends |= branch;
        }
        if (n->group == '!') {
            ends = all & ~((1u << at) - 1) & ~ends;
            if (hidden)
                ends &= 1u << at;
        }
        break;
    }
    return ends;
}

/* N once from each place in FROM. */
static uint32_t slow_step_all(const struct slow_node *n, const struct slow_text *t, uint32_t from)
{
    uint32_t ends = 0;
    for (unsigned at = 0; at <= t->count; at++) {
        if (from >> at & 1)
            ends |= slow_step(n, t, at);
    }
    return ends;
}

static uint32_t slow_ends(const struct slow_node *first, const struct slow_text *t, unsigned at)
{
    uint32_t here = 1u << at;
    for (const struct slow_node *n = first; n; n = n->next) {
        bool repeats = n->kind == SLOW_GROUP && n->group != '!';
        unsigned min = repeats ? n->min : 1, max = repeats ? n->max : 1;
        uint32_t ends = min == 0 ? here : 0;
        for (unsigned i = 1; i <= max; i++) {
            uint32_t before = here;
            here = slow_step_all(n, t, here);
            if (i >= min)
                ends |= here;
            if (here == before || here == 0) {
                ends |= here; /* more of it changes nothing */
                break;
            }
        }
        here = ends;
    }
    return here;
}

/* --- the comparison ------------------------------------------------------------------------------
 */

/* A text of random letters in BYTES, with the byte offset of each place. */
static void slow_make_text(struct choices *c, struct slow_text *t, char *bytes, size_t *offsets)
{
    size_t len = 0;
    t->count = choose(c, SLOW_TEXT_MAX);
    for (unsigned i = 0; i < t->count; i++) {
        t->letters[i] = choose(c, 3) ? choose(c, 3) : choose(c, SLOW_ALPHABET);
        offsets[i] = len;
        size_t n = strlen(slow_chars[t->letters[i]]);
        memcpy(bytes + len, slow_chars[t->letters[i]], n);
        len += n;
    }
    offsets[t->count] = len;
}

struct slow_result {
    bool matches;
    ptrdiff_t prefix[2], suffix[2]; /* shortest, longest; bytes or -1 */
    struct match_span found;
};

static void slow_run(const struct slow_node *tree, const struct slow_text *t, const size_t *offsets,
                     unsigned from, struct slow_result *r)
{
    *r = (struct slow_result){ .prefix = { -1, -1 }, .suffix = { -1, -1 }, .found = { -1, -1 } };
    struct slow_text plain = *t;
    plain.period = false;
    r->matches = slow_ends(tree, t, 0) >> t->count & 1;
    uint32_t ends = slow_ends(tree, &plain, 0);
    for (unsigned i = 0; i <= t->count; i++) {
        if (ends >> i & 1) {
            if (r->prefix[0] < 0)
                r->prefix[0] = (ptrdiff_t)offsets[i];
            r->prefix[1] = (ptrdiff_t)offsets[i];
        }
        if (slow_ends(tree, &plain, i) >> t->count & 1) {
            if (r->suffix[1] < 0)
                r->suffix[1] = (ptrdiff_t)offsets[i];
            r->suffix[0] = (ptrdiff_t)offsets[i];
        }
    }
    for (unsigned i = from; i <= t->count && r->found.start < 0; i++) {
        uint32_t here = slow_ends(tree, &plain, i);
        for (unsigned j = i; j <= t->count; j++) {
            if (here >> j & 1)
                r->found = (struct match_span){ (ptrdiff_t)offsets[i], (ptrdiff_t)offsets[j] };
        }
    }
}

/* Makes a pattern and a text from CHOICES and compares. NULL when all agree, else what differs;
 * PATTERN (1000 bytes) gets the pattern's text. */
static const char *slow_compare(struct choices *c, bool utf8, char *pattern)
{
    struct slow_pool pool = { .used = 0 };
    struct slow_text t = { .count = 0 };
    char bytes[64];
    size_t offsets[SLOW_TEXT_MAX + 1];
    bool plain = choose(c, 3) == 0;
    struct slow_node *tree = slow_make(c, &pool, 3, plain);
    pattern[0] = '\0';
    slow_print(tree, pattern, 1000);
    if (strlen(pattern) > 900 || (!utf8 && strstr(pattern, "\xc3\xa9")))
        return NULL;
    slow_make_text(c, &t, bytes, offsets);
    for (unsigned i = 0; i < t.count; i++) {
        if (!utf8 && t.letters[i] == SLOW_E_ACUTE)
            return NULL;
    }
    t.nocase = choose(c, 4) == 0;
    unsigned flags = t.nocase ? PATTERN_NOCASE : 0;
    unsigned from = choose(c, t.count + 1);
    size_t len = offsets[t.count];
    struct slow_result want;
    slow_run(tree, &t, offsets, from, &want);
    struct pattern *p = pattern_compile(mem_region_malloc(), pattern, strlen(pattern), flags);
    if (!p)
        return "no memory";
    const char *differs = NULL;
    struct match_span spans[100];
    if (pattern_matches(p, bytes, len) != want.matches)
        differs = "matches";
    if (pattern_prefix(p, bytes, len, false) != want.prefix[0])
        differs = "shortest prefix";
    if (pattern_prefix(p, bytes, len, true) != want.prefix[1])
        differs = "longest prefix";
    ptrdiff_t suffix = pattern_suffix(p, bytes, len, false);
    if (suffix != want.suffix[0])
        differs = "shortest suffix";
    if (pattern_suffix(p, bytes, len, true) != want.suffix[1])
        differs = "longest suffix";
    size_t n = pattern_search(p, bytes, len, offsets[from], spans, 100);
    if ((n > 0) != (want.found.start >= 0) ||
        (n > 0 && (spans[0].start != want.found.start || spans[0].end != want.found.end)))
        differs = "search";
    for (size_t i = 1; i < n; i++) {
        bool inside = spans[i].start >= spans[0].start && spans[i].end <= spans[0].end;
        if (spans[i].start >= 0 && (!inside || spans[i].end < spans[i].start))
            differs = "group outside of the match";
    }
    if ((pattern_matches_spans(p, bytes, len, spans, 100) > 0) != want.matches)
        differs = "matches with spans";
    pattern_free(p);
    t.period = true;
    slow_run(tree, &t, offsets, 0, &want);
    p = pattern_compile(mem_region_malloc(), pattern, strlen(pattern), flags | PATTERN_PERIOD);
    if (p && pattern_matches(p, bytes, len) != want.matches)
        differs = "matches with leading period";
    pattern_free(p);
    if (differs)
        fprintf(stderr, "pattern %s text %.*s flags %u from %zu: %s\n", pattern, (int)len, bytes,
                flags, offsets[from], differs);
    return differs;
}

#endif
