/*
 * Regular expressions: rewrites those of ~(E) ~(X) ~(G) ~(V) ~(P) and [[ =~ ]] as extended ones of
 * the C library.
 *
 *   regex  := both { "|" both }       both := branch { "&" branch }   ("&" only in augmented ones)
 *   branch := { atom { "*" | "+" | "?" | "{" bounds "}" } }
 *   atom   := char | "." | bracket | "^" | "$" | "\" escape | "(" ["?" ...] regex ")"
 *
 * Everything is read and written anew, so that only what is meant reaches the C library: an escape
 * is resolved, a brace that is no bound is text. Groups that do not capture become groups that do,
 * and a map tells which are the user's. Plain shell pattern text may stand around the expression.
 * Owns no compiled expression: match_libc.c does. What cannot be said (a lazy repeat, look-around,
 * a group of a shell pattern, a change of case inside) fails with ENOTSUP, what is malformed with
 * EINVAL.
 */
#include "shell/base/match_internal.h"

#include <errno.h>
#include <string.h>

#include "shell/base/cclass.h"

static bool fail(struct regex_text *t, int error)
{
    if (!t->error)
        t->error = error;
    return false;
}

/* True when operator C is at AT: escaped by a backslash in basic expressions, bare in the others.
 */
static bool at_operator(const struct parse *ps, char c)
{
    if (ps->mode == MODE_BRE)
        return ps->end - ps->at > 1 && ps->at[0] == '\\' && ps->at[1] == c;
    return ps->at < ps->end && *ps->at == c;
}

static bool take_operator(struct parse *ps, char c)
{
    if (!at_operator(ps, c))
        return false;
    ps->at += ps->mode == MODE_BRE ? 2 : 1;
    return true;
}

/* A ")" that ends the innermost group: always bare when that was opened by the shell's ~(G: ; the
 * outermost level has none. */
static bool at_close(const struct regex_text *t)
{
    if (t->ps.depth != t->shell_depth)
        return at_operator(&t->ps, ')');
    return t->ps.depth > 0 && t->ps.at < t->ps.end && *t->ps.at == ')';
}

/* --- writing
 * -------------------------------------------------------------------------------------- */

/* What an element costs the C library, which recurses over alternatives, repeats and groups. */
enum { COST_CHAR = 1, COST_OPERATOR = 8, COST_MAX = 1 << 17 };

static bool add_cost(struct regex_text *t, uint64_t cost)
{
    t->cost += cost;
    return t->cost <= COST_MAX || fail(t, EINVAL);
}

static void put(struct regex_text *t, const char *text)
{
    str_append_z(&t->out, text);
}

/* Bytes of one literal character. */
static bool put_literal(struct regex_text *t, const char *bytes, size_t len)
{
    if (*bytes == '\0')
        return fail(t, EINVAL); /* the C library's expressions end there */
    if (strchr("\\^$.[]|()*+?{}", *bytes))
        str_putc(&t->out, '\\');
    str_append(&t->out, bytes, len);
    return add_cost(t, COST_CHAR);
}

/* A code point given by an escape; RET has 6 bytes. */
static size_t encode(uint32_t cp, char *ret)
{
    if (utf8_active && cp >= 0x80)
        return utf8_encode(cp, ret);
    *ret = (char)cp;
    return 1;
}

/* Opens a group; USER: the number of the user's group, 0: not his. */
static void open_group(struct regex_text *t, uint32_t user)
{
    t->libc_groups++;
    if (user > 0 && user < MATCH_CAPTURE_MAX)
        t->map[user] = (struct regex_group){ .part = t->part_count, .number = t->libc_groups };
    str_putc(&t->out, '(');
}

/* --- bracket expressions
 * -------------------------------------------------------------------------- */

struct bracket {
    struct regex_text *t;
    struct str members;
    bool shell; /* a backslash quotes, ! negates */
    char without[4];
    unsigned without_count; /* members \D \S \W: letters of what is left out */
};

static const char *class_of(char letter)
{
    switch (letter) {
    case 'd':
        return "[:digit:]";
    case 's':
        return "[:space:]";
    case 'w':
        return "[:alnum:]_";
    default:
        return NULL;
    }
}

/* A member, or one end of a range, in a form that means nothing else. */
static void put_member(struct bracket *b, const char *bytes, size_t len)
{
    bool special = strchr("]^-[", *bytes) != NULL;
    if (special)
        str_append_z(&b->members, "[.");
    str_append(&b->members, bytes, len);
    if (special)
        str_append_z(&b->members, ".]");
}

enum member { MEMBER_CHAR, MEMBER_CLASS, MEMBER_BAD };

/* [:name:] [=c=] [.c.] at *AT: written as it is, but for what the C library does not know. */
static enum member read_named(struct bracket *b, const char **at, const char *end,
                              const char **ret_bytes, size_t *ret_len)
{
    char kind = (*at)[1];
    const char *name = *at + 2, *p = name;
    while (p + 1 < end && !(p[0] == kind && p[1] == ']'))
        p++;
    if (p + 1 >= end || p == name)
        return MEMBER_BAD;
    size_t len = (size_t)(p - name);
    const char *start = *at;
    *at = p + 2;
    if (kind != ':' && utf8_char_bytes(name, p) == len && (kind == '.' || len > 1)) {
        *ret_bytes = name;
        *ret_len = len;
        return MEMBER_CHAR;
    }
    if (kind == ':' && text_eq(name, len, "word", 4))
        str_append_z(&b->members, class_of('w'));
    else
        str_append(&b->members, start, (size_t)(*at - start));
    return MEMBER_CLASS;
}

/* Reads one member; classes are written at once. ROOM (6 bytes) may hold the character. */
static enum member read_member(struct bracket *b, const char **at, const char *end, char *room,
                               const char **ret_bytes, size_t *ret_len)
{
    const char *p = *at;
    if (*p == '[' && end - p > 1 && p[1] && strchr(":=.", p[1]))
        return read_named(b, at, end, ret_bytes, ret_len);
    if (*p == '\\' && end - p > 1) {
        bool alnum = cclass_is(p[1], CC_NAME) && p[1] != '_';
        uint32_t cp;
        *at = p + 1;
        if (!b->shell && alnum && class_of((char)(p[1] | 0x20))) {
            *at = p + 2;
            if (p[1] & 0x20)
                str_append_z(&b->members, class_of(p[1]));
            else if (!memchr(b->without, p[1], b->without_count))
                b->without[b->without_count++] = p[1];
            return MEMBER_CLASS;
        }
        if (!b->shell && alnum && escape_char(at, end, &cp)) {
            *ret_bytes = room;
            *ret_len = encode(cp, room);
            return *room ? MEMBER_CHAR : MEMBER_BAD;
        }
        /* Otherwise it is a member itself, but before a letter, and before a [, which only
         * quoting puts there. */
        if (b->shell || alnum || p[1] == '[')
            p++;
    }
    *ret_bytes = p;
    *ret_len = utf8_char_bytes(p, end);
    *at = p + *ret_len;
    return *p ? MEMBER_CHAR : MEMBER_BAD;
}

/* A range that ends above ASCII: in locales without rules of collation, as C.UTF-8, the C library
 * takes no such range, so its members are listed; false when there are too many for that. */
static bool put_listed(struct bracket *b, uint32_t lo, uint32_t hi)
{
    enum { LIST_MAX = 4096, ASCII_MAX = 0x7f, SURROGATE = 0xd800, SURROGATE_MAX = 0xdfff };
    uint32_t from = lo > ASCII_MAX ? lo : ASCII_MAX + 1;
    if (lo > hi || hi - from > LIST_MAX)
        return false;
    if (lo <= ASCII_MAX) {
        char first = (char)lo;
        put_member(b, &first, 1);
        str_append_z(&b->members, "-\x7f");
    }
    for (uint32_t cp = from; cp <= hi; cp++) {
        char bytes[8];
        if (cp < SURROGATE || cp > SURROGATE_MAX)
            str_append(&b->members, bytes, utf8_encode(cp, bytes));
    }
    return true;
}

/* One member or range. */
static bool read_range(struct bracket *b, const char **at, const char *end)
{
    char room[2][8];
    const char *lo, *hi;
    size_t lo_len, hi_len;
    enum member member = read_member(b, at, end, room[0], &lo, &lo_len);
    if (member != MEMBER_CHAR)
        return member == MEMBER_CLASS;
    if (end - *at < 2 || (*at)[0] != '-' || (*at)[1] == ']') {
        put_member(b, lo, lo_len);
        return true;
    }
    ++*at;
    member = read_member(b, at, end, room[1], &hi, &hi_len);
    if (member == MEMBER_BAD)
        return false;
    if (member == MEMBER_CLASS) { /* a-[:x:] : the - and the class are members */
        put_member(b, lo, lo_len);
        put_member(b, "-", 1);
        return true;
    }
    uint32_t first, last;
    utf8_decode(lo, lo + lo_len, &first);
    utf8_decode(hi, hi + hi_len, &last);
    if (utf8_active && hi_len > 1 && put_listed(b, first, last))
        return true;
    put_member(b, lo, lo_len);
    str_putc(&b->members, '-');
    put_member(b, hi, hi_len);
    return true;
}

/* Members with \D \S \W, which cannot stand in a bracket expression, become alternatives. */
static bool put_without(struct bracket *b, bool negate)
{
    struct regex_text *t = b->t;
    bool sole = b->members.len == 0 && b->without_count == 1;
    if (negate && !sole)
        return fail(t, ENOTSUP);
    if (!sole)
        open_group(t, 0);
    for (unsigned i = 0; i < b->without_count; i++) {
        put(t, i > 0 ? "|[" : "[");
        put(t, negate ? "" : "^");
        put(t, class_of((char)(b->without[i] | 0x20)));
        str_putc(&t->out, ']');
    }
    if (b->members.len > 0) {
        put(t, "|[");
        put(t, str_text(&b->members));
        str_putc(&t->out, ']');
    }
    if (!sole)
        str_putc(&t->out, ')');
    return true;
}

/* The bracket expression at AT; false: it is none, or T failed. */
static bool read_bracket(struct regex_text *t, bool shell)
{
    struct bracket b = { .t = t, .shell = shell };
    const char *p = t->ps.at + 1, *end = t->ps.end;
    bool negate = p < end && (*p == '^' || (*p == '!' && shell));
    bool ok = true, first = true;
    str_init(&b.members, mem_region_malloc());
    for (p += negate; ok && (p >= end || *p != ']' || first); first = false)
        ok = p < end && read_range(&b, &p, end);
    if (b.members.failed)
        ok = fail(t, ENOMEM);
    if (ok) {
        t->ps.at = p + 1;
        add_cost(t, COST_CHAR);
    }
    if (ok && b.without_count > 0) {
        ok = put_without(&b, negate);
    } else if (ok) {
        put(t, negate ? "[^" : "[");
        put(t, str_text(&b.members));
        str_putc(&t->out, ']');
    }
    str_release(&b.members);
    return ok;
}

/* --- groups
 * --------------------------------------------------------------------------------------- */

static bool read_regex(struct regex_text *t);

/* regex ")" with the "(" written. */
static bool read_body(struct regex_text *t)
{
    if (t->ps.depth >= PARSE_DEPTH_MAX)
        return fail(t, EINVAL);
    t->ps.depth++;
    bool ok = read_regex(t);
    ok = ok && at_close(t);
    t->ps.depth--;
    if (!ok)
        return fail(t, EINVAL);
    t->ps.at += *t->ps.at == '\\' ? 2 : 1;
    str_putc(&t->out, ')');
    return add_cost(t, COST_OPERATOR);
}

static bool read_capture(struct regex_text *t)
{
    uint32_t number = ++t->ps.group_count;
    open_group(t, number);
    if (!read_body(t))
        return false;
    if (number <= 9)
        t->ps.closed_groups |= (uint64_t)1 << number;
    return true;
}

/* (?i) (?-i) (?i:...) with AT at the letters. Case is one for the whole expression. */
static bool read_flags(struct regex_text *t)
{
    struct parse *ps = &t->ps;
    bool on = true, nocase = ps->nocase, first = t->out.len == t->part_start;
    for (; ps->at < ps->end && *ps->at != ')' && *ps->at != ':'; ps->at++) {
        if (*ps->at == '-')
            on = false;
        else if (*ps->at == 'i')
            nocase = on;
        else if (*ps->at != 's') /* a dot matches newlines anyway */
            return fail(t, EINVAL);
    }
    if (ps->at >= ps->end)
        return fail(t, EINVAL);
    bool whole = *ps->at++ == ')';
    if (nocase != ps->nocase && !(whole && first && t->part_count == 0))
        return fail(t, ENOTSUP);
    ps->nocase = nocase;
    if (whole)
        return true;
    open_group(t, 0);
    return read_body(t);
}

/* What follows "(?"; *RET_EMPTY: it matches nothing that could be repeated. */
static bool read_special(struct regex_text *t, bool *ret_empty)
{
    struct parse *ps = &t->ps;
    size_t left = (size_t)(ps->end - ps->at);
    if (left > 0 && *ps->at == ':') {
        ps->at++;
        open_group(t, 0);
        return read_body(t);
    }
    if (left > 0 && (*ps->at == '=' || *ps->at == '!' || *ps->at == '>'))
        return fail(t, ENOTSUP);
    if (left > 0 && *ps->at == '#') {
        const char *close = memchr(ps->at, ')', left);
        if (!close)
            return fail(t, EINVAL);
        ps->at = close + 1;
        *ret_empty = true;
        return true;
    }
    size_t name = left > 0 && *ps->at == 'P'; /* (?P<name> and (?<name> */
    if (left > name + 1 && ps->at[name] == '<') {
        const char *close = memchr(ps->at, '>', left);
        if (!close || !cclass_is(ps->at[name + 1], CC_NAME_START))
            return fail(t, ENOTSUP); /* looks behind */
        ps->at = close + 1;
        return read_capture(t);
    }
    size_t before = t->out.len;
    bool ok = read_flags(t);
    *ret_empty = t->out.len == before;
    return ok;
}

/* --- atoms
 * ---------------------------------------------------------------------------------------- */

/* A backslash at AT that is no operator of a basic expression. */
static bool read_escape(struct regex_text *t)
{
    struct parse *ps = &t->ps;
    if (ps->end - ps->at < 2)
        return fail(t, EINVAL);
    char c = *++ps->at;
    if (c >= '1' && c <= '9' && ps->closed_groups >> (c - '0') & 1) {
        struct regex_group group = t->map[c - '0'];
        if (group.number > 9 || group.part != t->part_count)
            return fail(t, ENOTSUP);
        ps->at++;
        str_putc(&t->out, '\\');
        str_putc(&t->out, (char)('0' + group.number));
        return add_cost(t, COST_OPERATOR);
    }
    static const char letters[] = "bB<>AzZwWsSdD";
    static const char *const written[] = { "\\b", "\\B",         "\\<",         "\\>", "^",
                                           "$",   "$",           "\\w",         "\\W", "\\s",
                                           "\\S", "[[:digit:]]", "[^[:digit:]]" };
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        ps->at++;
        put(t, written[found - letters]);
        return add_cost(t, COST_CHAR);
    }
    uint32_t cp;
    if (escape_char(&ps->at, ps->end, &cp)) {
        char bytes[8];
        size_t len = encode(cp, bytes);
        return put_literal(t, bytes, len);
    }
    size_t len = utf8_char_bytes(ps->at, ps->end);
    ps->at += len;
    return put_literal(t, ps->at - len, len);
}

/* In basic expressions ^ and $ are special only at the ends of a branch. */
static bool dollar_is_end(struct regex_text *t)
{
    struct parse *ps = &t->ps;
    ps->at++;
    bool end = ps->at >= ps->end || at_operator(ps, '|') || at_close(t);
    ps->at--;
    return end || ps->mode != MODE_BRE;
}

static bool read_atom(struct regex_text *t, bool first, bool *ret_empty)
{
    struct parse *ps = &t->ps;
    bool basic = ps->mode == MODE_BRE;
    if (take_operator(ps, '(')) {
        if (basic || ps->at >= ps->end || *ps->at != '?')
            return read_capture(t);
        ps->at++;
        return read_special(t, ret_empty);
    }
    char c = *ps->at;
    if (c == '\\')
        return read_escape(t);
    if (c == '[')
        return read_bracket(t, false) || fail(t, EINVAL);
    bool anchor = (c == '^' && (first || !basic)) || (c == '$' && dollar_is_end(t));
    if (c == '.' || anchor) {
        ps->at++;
        str_putc(&t->out, c);
        return add_cost(t, COST_CHAR);
    }
    if (!basic && c && strchr("*+?", c))
        return fail(t, EINVAL);
    size_t len = utf8_char_bytes(ps->at, ps->end);
    ps->at += len;
    return put_literal(t, ps->at - len, len);
}

/* The bounds \{n,m\} of a basic expression, or {n,m}; written in the second form. */
static bool read_bounds(struct regex_text *t, uint32_t *ret_max)
{
    struct parse *ps = &t->ps;
    bool basic = ps->mode == MODE_BRE;
    char bounds[32];
    const char *open = ps->at + (basic ? 2 : 1), *close = open;
    while (close < ps->end && (cclass_is(*close, CC_DIGIT) || *close == ','))
        close++;
    size_t len = (size_t)(close - open);
    bool closed = basic ? ps->end - close > 1 && close[0] == '\\' && close[1] == '}'
                        : ps->end > close && *close == '}';
    uint32_t min, max;
    const char *at = bounds;
    bounds[0] = '{';
    if (closed && len > 0 && *open != ',' && len + 2 < sizeof bounds) {
        memcpy(bounds + 1, open, len);
        bounds[len + 1] = '}';
        if (parse_bounds(&at, bounds + len + 2, &min, &max)) {
            str_append(&t->out, bounds, len + 2);
            ps->at = close + 1 + basic;
            *ret_max = max == REPEAT_INFINITE ? min : max;
            return true;
        }
    }
    return basic ? fail(t, EINVAL) : false; /* else it is text */
}

/* Writes the quantifier at AT, if there is one; *RET_MAX: how often what is repeated is copied. */
static bool read_quantifier(struct regex_text *t, uint32_t *ret_max)
{
    struct parse *ps = &t->ps;
    *ret_max = 1;
    if (ps->at < ps->end && *ps->at == '*') {
        ps->at++;
        str_putc(&t->out, '*');
    } else if (take_operator(ps, '+')) {
        str_putc(&t->out, '+');
    } else if (take_operator(ps, '?')) {
        str_putc(&t->out, '?');
    } else if (!at_operator(ps, '{') || !read_bounds(t, ret_max)) {
        return false;
    }
    bool more = ps->mode != MODE_BRE && ps->at < ps->end;
    if (more && (*ps->at == '?' || (*ps->at == '+' && ps->mode == MODE_PERL)))
        return fail(t, ENOTSUP); /* lazy or possessive */
    return add_cost(t, COST_OPERATOR);
}

static bool read_branch(struct regex_text *t)
{
    struct parse *ps = &t->ps;
    bool first = true;
    while (ps->at < ps->end) {
        if (at_operator(ps, '|') || at_close(t) || (ps->mode == MODE_AUGMENTED && *ps->at == '&'))
            return true;
        uint64_t before = t->cost;
        uint32_t copies;
        bool empty = false;
        if (!read_atom(t, first, &empty))
            return false;
        first &= empty;
        while (!empty && read_quantifier(t, &copies))
            add_cost(t, (t->cost - before) * (copies > 0 ? copies - 1 : 0));
        if (t->error)
            return false;
    }
    return true;
}

/* An & at AT: the next part of a conjunction, possible only at the outermost level. */
static bool next_part(struct regex_text *t)
{
    if (t->ps.depth > 0 || t->glued || t->alternatives || t->part_count + 1 == REGEX_PARTS_MAX)
        return fail(t, ENOTSUP);
    t->ps.at++;
    str_putc(&t->out, '\0');
    t->part_count++;
    t->part_start = t->out.len;
    t->libc_groups = 0;
    return true;
}

static bool read_regex(struct regex_text *t)
{
    for (;;) {
        if (!read_branch(t))
            return false;
        if (t->ps.mode == MODE_AUGMENTED && t->ps.at < t->ps.end && *t->ps.at == '&') {
            if (!next_part(t))
                return false;
            continue;
        }
        if (!take_operator(&t->ps, '|'))
            return true;
        str_putc(&t->out, '|');
        t->alternatives |= t->ps.depth == 0;
        if (!add_cost(t, COST_OPERATOR) || (t->ps.depth == 0 && t->part_count > 0))
            return fail(t, ENOTSUP);
    }
}

/* --- a shell pattern around it
 * -------------------------------------------------------------------- */

/* "~(" at AT: options, then an expression up to the ")" or, without a ":", the end. */
static bool read_options(struct regex_text *t)
{
    struct parse *ps = &t->ps;
    enum pattern_mode outer_mode = ps->mode;
    bool outer_nocase = ps->nocase, first = t->out.len == 0;
    if (!parse_option_letters(ps))
        return fail(t, EINVAL);
    bool whole = *ps->at++ != ':';
    if (ps->any_lazy || ps->mode == MODE_FIXED || (ps->nocase != outer_nocase && !first))
        return fail(t, ENOTSUP);
    if (whole && ps->mode == MODE_SHELL)
        return true;
    if (ps->mode == MODE_SHELL)
        return fail(t, ENOTSUP);
    if (whole) {
        ps->left_open |= first && !ps->left_fixed;
        ps->right_open |= !ps->right_fixed;
        t->glued = !first;
        if (first)
            return read_regex(t);
        open_group(t, 0);
        t->shell_depth = ++ps->depth; /* what would be outermost is not here */
        bool ok = read_regex(t) && ps->at == ps->end;
        t->shell_depth = --ps->depth;
        str_putc(&t->out, ')');
        return ok || fail(t, EINVAL);
    }
    t->glued = true;
    open_group(t, 0);
    t->shell_depth = 1;
    bool ok = read_body(t);
    t->shell_depth = 0;
    ps->mode = outer_mode;
    if (ok && ps->nocase != outer_nocase && ps->at < ps->end)
        return fail(t, ENOTSUP);
    return ok;
}

/* One element of a shell pattern; groups are not for the C library. */
static bool read_shell(struct regex_text *t)
{
    struct parse *ps = &t->ps;
    char c = *ps->at, next = ps->end - ps->at > 1 ? ps->at[1] : '\0';
    if (c == '~' && next == '(')
        return read_options(t);
    if ((next == '(' && c && strchr("?*+@!%-}", c)))
        return fail(t, ENOTSUP);
    add_cost(t, COST_CHAR);
    if (c == '*' || c == '?') {
        ps->at++;
        put(t, c == '*' ? ".*" : ".");
        return true;
    }
    if (c == '[' && read_bracket(t, true))
        return true;
    if (c == '\\' && next)
        ps->at++;
    size_t len = utf8_char_bytes(ps->at, ps->end);
    ps->at += len;
    return !t->error && put_literal(t, ps->at - len, len);
}

/* --- the whole
 * ------------------------------------------------------------------------------------ */

static bool read_text(struct regex_text *t, bool shell)
{
    while (shell && t->ps.at < t->ps.end && !t->error)
        read_shell(t);
    if (!shell)
        read_regex(t);
    if (!t->error && t->ps.at < t->ps.end)
        fail(t, EINVAL);
    if (t->out.failed)
        t->error = ENOMEM;
    return !t->error;
}

bool regex_translate(struct regex_text *t, const char *text, size_t len, unsigned flags)
{
    bool shell = !(flags & PATTERN_REGEX);
    str_init(&t->out, mem_region_malloc());
    for (bool enclosed = false;; enclosed = true) {
        struct str out = t->out;
        *t = (struct regex_text){ .out = out };
        t->ps = (struct parse){
            .text = text,
            .at = text,
            .end = text + len,
            .mode = shell ? MODE_SHELL : MODE_ERE,
            .nocase = (flags & PATTERN_NOCASE) != 0,
            .left_open = !shell,
            .right_open = !shell,
        };
        str_clear(&t->out);
        if (enclosed)
            t->libc_groups = 1;
        bool ok = read_text(t, shell);
        /* Alternatives get parentheses, so that an anchor can be put behind all of them. */
        if (!ok || !t->alternatives || enclosed)
            break;
    }
    if (!t->error && t->alternatives) {
        str_insert(&t->out, 0, "(", 1);
        str_putc(&t->out, ')');
    }
    str_putc(&t->out, '\0');
    t->part_count++;
    if (t->out.failed && !t->error)
        t->error = ENOMEM;
    return !t->error;
}
