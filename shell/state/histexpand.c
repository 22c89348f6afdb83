/*
 * History expansion: EVENT [: WORDS] {: MODIFIER} after a `!`, and `^old^new` at the start of a
 * line.
 *
 * It knows no shell grammar but quotes, which split an event into words and keep a `!` from being
 * special (single ones) or not. An expansion is one text all along: the words of an event are cut
 * from it, and modifiers change the first word, or all, in place. Nothing is expanded twice.
 */
#include "shell/state/histexpand.h"

#include <string.h>

#include "shell/base/num.h"
#include "shell/state/history.h"
#include "shell/state/var.h"

struct scan {
    struct shell *sh;
    struct histexpand *state;
    const char *start, *at, *end; /* the line */
    char bang, caret, comment;
    struct str *out;
    struct str part; /* what the expansion under way stands for */
    bool print;
};

struct word {
    const char *start;
    size_t len;
};

void histexpand_init(struct histexpand *state, struct mem_region *region)
{
    str_init(&state->sought, region);
    str_init(&state->old, region);
    str_init(&state->new, region);
}

void histexpand_release(struct histexpand *state)
{
    str_release(&state->sought);
    str_release(&state->old);
    str_release(&state->new);
}

static enum histexpand_result failed(struct scan *s, const char *from, const char *why)
{
    char *what = scratch_dup(s->sh, from, (size_t)(s->at - from));
    (void)!shell_fail(s->sh, ERROR_BUILTIN, 1, what ? what : "!", "%s", why);
    return HISTEXPAND_FAILED;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_operator(char c)
{
    return c && strchr("|&;<>()", c);
}

/* The word at or after *AT: operators are words of their own, quotes hold one together. False:
 * none. */
static bool word_next(const char **at, const char *end, struct word *ret)
{
    const char *p = *at;
    char quote = '\0';
    while (p < end && is_blank(*p))
        p++;
    ret->start = p;
    if (p < end && is_operator(*p)) {
        char first = *p++;
        while (p < end && *p == first && first != '(' && first != ')')
            p++;
    } else {
        for (; p < end && (quote || (!is_blank(*p) && !is_operator(*p))); p++) {
            if (*p == '\\' && quote != '\'' && p + 1 < end)
                p++;
            else if (quote ? *p == quote : (*p == '\'' || *p == '"' || *p == '`'))
                quote = quote ? '\0' : *p;
        }
    }
    ret->len = (size_t)(p - ret->start);
    *at = p;
    return ret->len > 0;
}

static size_t word_count(const char *text, const char *end)
{
    struct word word;
    size_t count = 0;
    while (word_next(&text, end, &word))
        count++;
    return count;
}

/* ---- events ---- */

static bool text_has(const char *text, size_t len, const char *what, size_t what_len)
{
    return what_len == 0 || memmem(text, len, what, what_len) != NULL;
}

/* The latest event that begins with, or holds, WHAT. */
static const char *event_find(struct scan *s, const char *what, size_t len, bool anywhere,
                              size_t *ret_len)
{
    for (int64_t n = history_next(s->sh) - 1; n >= history_first(s->sh); n--) {
        const char *text = history_get(s->sh, n, ret_len);
        if (!text)
            continue;
        if (anywhere ? text_has(text, *ret_len, what, len)
                     : *ret_len >= len && memcmp(text, what, len) == 0)
            return text;
    }
    return NULL;
}

static const char *event_number(struct scan *s, size_t *ret_len)
{
    bool back = *s->at == '-';
    const char *digits = s->at += back;
    int64_t number = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    if (!num_parse_int(digits, (size_t)(s->at - digits), &number))
        return NULL;
    return history_get(s->sh, back ? history_next(s->sh) - number : number, ret_len);
}

/* !?TEXT? */
static const char *event_sought(struct scan *s, size_t *ret_len)
{
    const char *from = ++s->at;
    while (s->at < s->end && *s->at != '?')
        s->at++;
    if (s->at > from) {
        str_clear(&s->state->sought);
        str_append(&s->state->sought, from, (size_t)(s->at - from));
    }
    if (s->at < s->end)
        s->at++;
    return event_find(s, str_text(&s->state->sought), s->state->sought.len, true, ret_len);
}

static bool ends_name(char c)
{
    return is_blank(c) || is_operator(c) || strchr(":^$*%\"'`", c);
}

/* The event named at s->at, after the `!`; NULL: there is none. */
static const char *event_read(struct scan *s, size_t *ret_len)
{
    char c = *s->at;
    bool dash_number = c == '-' && s->at + 1 < s->end && s->at[1] >= '0' && s->at[1] <= '9';
    if (c == s->bang) {
        s->at++;
        return history_get(s->sh, history_next(s->sh) - 1, ret_len);
    }
    if (strchr(":^$*%", c))
        return history_get(s->sh, history_next(s->sh) - 1, ret_len);
    if (c == '#') {
        s->at++;
        *ret_len = s->out->len;
        return str_text(s->out);
    }
    if (c == '?')
        return event_sought(s, ret_len);
    if ((c >= '0' && c <= '9') || dash_number)
        return event_number(s, ret_len);
    const char *name = s->at;
    while (s->at < s->end && !ends_name(*s->at))
        s->at++;
    return event_find(s, name, (size_t)(s->at - name), false, ret_len);
}

/* ---- which words ---- */

/* The number of the word with what was sought. */
static size_t word_sought(const struct scan *s, const char *text, const char *end)
{
    struct word word;
    for (size_t n = 0; word_next(&text, end, &word); n++)
        if (text_has(word.start, word.len, str_text(&s->state->sought), s->state->sought.len))
            return n;
    return SIZE_MAX;
}

/* A number, ^, $ or % at s->at; false: something else. */
static bool word_number(struct scan *s, const char *text, const char *end, size_t *ret)
{
    size_t last = word_count(text, end);
    const char *digits = s->at;
    int64_t number = 0;
    last -= last > 0;
    if (s->at == s->end)
        return false;
    switch (*s->at) {
    case '^':
        *ret = 1;
        break;
    case '$':
        *ret = last;
        break;
    case '%':
        *ret = word_sought(s, text, end);
        break;
    default:
        while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
            s->at++;
        if (s->at == digits || !num_parse_int(digits, (size_t)(s->at - digits), &number))
            return false;
        *ret = (size_t)number;
        return true;
    }
    s->at++;
    return true;
}

/* Which words follow the event, if it is said; false: they are not there. */
static bool words_read(struct scan *s, const char *text, size_t len)
{
    const char *end = text + len, *before = s->at;
    size_t first = 0, last = word_count(text, end), count = last;
    last -= last > 0;
    bool colon = s->at < s->end && *s->at == ':';
    s->at += colon;
    bool said =
        s->at < s->end && (strchr("^$*%-", *s->at) || (colon && *s->at >= '0' && *s->at <= '9'));
    if (!said) {
        s->at = before;
        str_append(&s->part, text, len);
        return true;
    }
    if (*s->at == '*') {
        s->at++;
        if (count <= 1)
            return true;
        first = 1;
    } else {
        if (*s->at != '-' && word_number(s, text, end, &first))
            last = first;
        if (s->at < s->end && *s->at == '*') {
            s->at++;
            last = count - (count > 0);
        } else if (s->at < s->end && *s->at == '-') {
            s->at++;
            if (!word_number(s, text, end, &last))
                last = count > 1 ? count - 2 : 0;
        }
    }
    if (first > last || last >= count)
        return false;
    struct word word;
    for (size_t n = 0; n <= last && word_next(&text, end, &word); n++) {
        if (n < first)
            continue;
        if (n > first)
            str_putc(&s->part, ' ');
        str_append(&s->part, word.start, word.len);
    }
    return true;
}

/* ---- modifiers ---- */

/* What HOW (h, t, r, e) leaves of WORD; false: it does not apply. */
static bool word_modify(struct word *word, char how)
{
    const char *slash = memrchr(word->start, '/', word->len);
    const char *base = slash ? slash + 1 : word->start;
    const char *end = word->start + word->len;
    const char *dot = memrchr(base, '.', (size_t)(end - base));
    switch (how) {
    case 'h':
        if (!slash)
            return false;
        word->len = slash == word->start ? 1 : (size_t)(slash - word->start);
        return true;
    case 't':
        if (!slash)
            return false;
        *word = (struct word){ base, (size_t)(end - base) };
        return true;
    case 'r':
        if (!dot)
            return false;
        word->len = (size_t)(dot - word->start);
        return true;
    default:
        if (!dot)
            return false;
        *word = (struct word){ dot, (size_t)(end - dot) };
        return true;
    }
}

static void part_replace(struct scan *s, const struct str *text)
{
    str_clear(&s->part);
    str_append(&s->part, str_text(text), text->len);
}

/* Modifies the first word of the text that it can, or ALL. */
static bool words_modify(struct scan *s, char how, bool all)
{
    const char *at = str_text(&s->part), *end = at + s->part.len, *kept = at;
    struct word word;
    struct str changed;
    bool any = false;
    str_init(&changed, s->sh->scratch);
    while ((!any || all) && word_next(&at, end, &word)) {
        const char *start = word.start;
        if (!word_modify(&word, how))
            continue;
        str_append(&changed, kept, (size_t)(start - kept));
        str_append(&changed, word.start, word.len);
        kept = at;
        any = true;
    }
    str_append(&changed, kept, (size_t)(end - kept));
    if (any)
        part_replace(s, &changed);
    return any;
}

/* The side of a substitution up to DELIMITER; `&` in the right one is the left one. */
static void side_read(struct scan *s, char delimiter, const struct str *left, struct str *ret)
{
    for (; s->at < s->end && *s->at != delimiter; s->at++) {
        bool quoted = *s->at == '\\' && s->at + 1 < s->end &&
                      (s->at[1] == delimiter || (left && s->at[1] == '&'));
        if (quoted)
            str_putc(ret, *++s->at);
        else if (left && *s->at == '&')
            str_append(ret, str_text(left), left->len);
        else
            str_putc(ret, *s->at);
    }
    if (s->at < s->end)
        s->at++;
}

/* DELIMITER old DELIMITER new [DELIMITER], the first one taken. */
static void substitution_read(struct scan *s, char delimiter)
{
    struct str old, new;
    str_init(&old, s->sh->scratch);
    str_init(&new, s->sh->scratch);
    side_read(s, delimiter, NULL, &old);
    if (!old.len && s->state->old.len)
        str_append(&old, str_text(&s->state->old), s->state->old.len);
    else if (!old.len)
        str_append(&old, str_text(&s->state->sought), s->state->sought.len);
    side_read(s, delimiter, &old, &new);
    str_clear(&s->state->old);
    str_clear(&s->state->new);
    str_append(&s->state->old, str_text(&old), old.len);
    str_append(&s->state->new, str_text(&new), new.len);
}

static bool substitute(struct scan *s, bool all)
{
    const struct str *old = &s->state->old, *new = &s->state->new;
    const char *at = str_text(&s->part), *end = at + s->part.len, *hit = NULL;
    struct str changed;
    bool any = false;
    str_init(&changed, s->sh->scratch);
    while (old->len && (!any || all) &&
           (hit = memmem(at, (size_t)(end - at), str_text(old), old->len)) != NULL) {
        str_append(&changed, at, (size_t)(hit - at));
        str_append(&changed, str_text(new), new->len);
        at = hit + old->len;
        any = true;
    }
    str_append(&changed, at, (size_t)(end - at));
    if (any)
        part_replace(s, &changed);
    return any;
}

/* As one word, or each of its WORDS. */
static void quote(struct scan *s, bool words)
{
    const char *at = str_text(&s->part), *end = at + s->part.len;
    struct str quoted;
    str_init(&quoted, s->sh->scratch);
    if (!words)
        text_quote_single(&quoted, at, s->part.len);
    while (words && at < end) {
        const char *start = at;
        while (at < end && is_blank(*at))
            at++;
        str_append(&quoted, start, (size_t)(at - start));
        for (start = at; at < end && !is_blank(*at);)
            at++;
        if (at > start)
            text_quote_single(&quoted, start, (size_t)(at - start));
    }
    part_replace(s, &quoted);
}

/* One modifier after its colon; false: it is none, or does not apply. */
static bool modifier_read(struct scan *s)
{
    bool all = s->at < s->end && (*s->at == 'g' || *s->at == 'a');
    s->at += all;
    if (s->at == s->end)
        return false;
    char how = *s->at++;
    switch (how) {
    case 'h':
    case 't':
    case 'r':
    case 'e':
        return words_modify(s, how, all);
    case 's':
        if (s->at == s->end)
            return false;
        s->at++;
        substitution_read(s, s->at[-1]);
        return substitute(s, all);
    case '&':
        return substitute(s, all);
    case 'p':
        s->print = true;
        return true;
    case 'q':
    case 'x':
        quote(s, how == 'x');
        return true;
    default:
        return false;
    }
}

static bool modifiers_read(struct scan *s)
{
    while (s->at < s->end && *s->at == ':') {
        s->at++;
        if (!modifier_read(s))
            return false;
    }
    return true;
}

/* ---- the line ---- */

/* The expansion at s->at, a `!`. */
static enum histexpand_result expansion(struct scan *s)
{
    const char *from = s->at++;
    size_t len = 0;
    str_clear(&s->part);
    const char *event = event_read(s, &len);
    if (!event)
        return failed(s, from, "no such command in the history");
    if (!words_read(s, event, len))
        return failed(s, from, "the command has no such words");
    if (!modifiers_read(s))
        return failed(s, from, "a modifier is unknown or changes nothing");
    str_append(s->out, str_text(&s->part), s->part.len);
    return HISTEXPAND_DONE;
}

/* `^old^new[^]` at the start of the line. */
static enum histexpand_result quick_substitution(struct scan *s)
{
    size_t len;
    const char *from = s->at++;
    const char *event = history_get(s->sh, history_next(s->sh) - 1, &len);
    substitution_read(s, s->caret);
    str_append(&s->part, event ? event : "", event ? len : 0);
    if (!substitute(s, false))
        return failed(s, from, "the last command has no such text");
    if (!modifiers_read(s))
        return failed(s, from, "a modifier is unknown or changes nothing");
    str_append(s->out, str_text(&s->part), s->part.len);
    return HISTEXPAND_DONE;
}

/* Whether the `!` at s->at begins an expansion. */
static bool is_expansion(const struct scan *s)
{
    char next = s->at + 1 < s->end ? s->at[1] : ' ';
    return !is_blank(next) && next != '=' && next != '(' && next != '"' && next != '\'';
}

enum histexpand_result histexpand_line(struct shell *sh, struct histexpand *state, const char *line,
                                       size_t len, struct str *ret)
{
    const char *chars = var_text(sh, "histchars");
    size_t chars_len = chars ? strlen(chars) : 0;
    struct scan s = { .sh = sh, .state = state, .start = line, .at = line, .end = line + len };
    enum histexpand_result result = HISTEXPAND_NOTHING;
    char quote_char = '\0';
    s.bang = chars_len > 0 ? chars[0] : '!';
    s.caret = chars_len > 1 ? chars[1] : '^';
    s.comment = chars_len > 2 ? chars[2] : '#';
    s.out = ret;
    str_init(&s.part, sh->scratch);
    if (history_refresh(sh, NULL) != FLOW_NEXT)
        return HISTEXPAND_FAILED;
    if (s.at < s.end && *s.at == s.caret)
        result = quick_substitution(&s);
    while (s.at < s.end && result != HISTEXPAND_FAILED) {
        char c = *s.at;
        if (!quote_char && c == s.comment && (s.at == line || is_blank(s.at[-1])))
            break;
        if (c == s.bang && quote_char != '\'' && is_expansion(&s)) {
            result = expansion(&s);
            continue;
        }
        if (c == '\\' && quote_char != '\'' && s.at + 1 < s.end)
            str_putc(ret, *s.at++);
        else if (quote_char ? c == quote_char : (c == '\'' || c == '"'))
            quote_char = quote_char ? '\0' : c;
        str_putc(ret, *s.at++);
    }
    str_append(ret, s.at, (size_t)(s.end - s.at));
    return result == HISTEXPAND_DONE && s.print ? HISTEXPAND_PRINT : result;
}
