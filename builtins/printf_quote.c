/*
 * The quotings of printf: csv fields, HTML, URIs, patterns as regular expressions and back, and the
 * bytes of variables.
 *
 * Each appends to a string and takes text that is not NUL-terminated.
 */
#include <limits.h>
#include <string.h>

#include "builtins/operand.h"
#include "builtins/print.h"
#include "shell/base/base64.h"
#include "shell/base/cclass.h"
#include "shell/base/utf8.h"
#include "shell/state/var.h"

void quote_csv(struct str *s, const char *text, size_t len)
{
    bool quote = false;
    for (size_t i = 0; i < len && !quote; i++) /* bytes of other alphabets do not count */
        quote = (unsigned char)text[i] < 0x80 && !cclass_is(text[i], CC_NAME);
    if (!quote) {
        str_append(s, text, len);
        return;
    }
    str_putc(s, '"');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            str_putc(s, '"');
        str_putc(s, text[i]);
    }
    str_putc(s, '"');
}

void quote_html(struct str *s, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        switch (c) {
        case '<':
            str_append_z(s, "&lt;");
            break;
        case '>':
            str_append_z(s, "&gt;");
            break;
        case '&':
            str_append_z(s, "&amp;");
            break;
        case '"':
            str_append_z(s, "&quot;");
            break;
        case '\'':
            str_append_z(s, "&#39;");
            break;
        default:
            if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
                str_printf(s, "&#%d;", c);
            else
                str_putc(s, (char)c);
        }
    }
}

void quote_url(struct str *s, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (cclass_is(c, CC_NAME) || (c && strchr("-.~", c)))
            str_putc(s, c);
        else
            str_printf(s, "%%%02X", (unsigned char)c);
    }
}

/* Where the bracket expression at AT ends; AT + 1 when it has no end. */
static size_t bracket_end(const char *text, size_t len, size_t at)
{
    size_t i = at + 1;
    if (i < len && (text[i] == '!' || text[i] == '^'))
        i++;
    if (i < len && text[i] == ']')
        i++;
    for (; i < len && text[i] != ']'; i++) {
        if (text[i] == '[' && i + 1 < len && strchr(":.=", text[i + 1])) {
            const char *close = memchr(text + i + 2, ']', len - i - 2);
            i = close ? (size_t)(close - text) : i;
        }
    }
    return i < len ? i + 1 : at + 1;
}

/* How many bytes of TEXT, from the first on, are in SET. */
static size_t span(const char *text, size_t len, const char *set)
{
    size_t at = 0;
    while (at < len && memchr(set, text[at], strlen(set)))
        at++;
    return at;
}

/* Where one piece of the regular expression (an atom without its repetition) ends. */
static size_t atom_end(const char *text, size_t len, size_t at)
{
    if (text[at] == '\\')
        return at + 2 <= len ? at + 2 : len;
    if (text[at] == '[')
        return bracket_end(text, len, at);
    if (text[at] != '(')
        return at + utf8_char_bytes(text + at, text + len);
    size_t depth = 0;
    for (size_t i = at; i < len;) {
        if (text[i] == ')' && --depth == 0)
            return i + 1;
        depth += text[i] == '(';
        i = text[i] == '(' || text[i] == ')' || text[i] == '|' ? i + 1 : atom_end(text, len, i);
        if (depth > 64)
            break;
    }
    return len;
}

static void append_branches(struct str *s, const char *text, size_t len, int level);

/* An atom of a regular expression as pattern text, without repetition. */
static void append_atom(struct str *s, const char *atom, size_t len, int level)
{
    if (*atom == '(' && len >= 2) {
        size_t skip = len > 3 && memcmp(atom + 1, "?:", 2) == 0 ? 3 : 1; /* (?: is a group */
        append_branches(s, atom + skip, len - skip - 1, level + 1);
    } else if (*atom == '[' && len > 2) {
        str_putc(s, '[');
        str_append(s, atom[1] == '^' ? "!" : atom + 1, 1);
        str_append(s, atom + 2, len - 2);
    } else if (*atom == '.') {
        str_putc(s, '?');
    } else {
        if (*atom == '*' || *atom == '?' || *atom == '[')
            str_putc(s, '\\');
        str_append(s, atom, len);
    }
}

/* (?i) (?i:x): what ksh93 writes as ~(i) and ~(i:x). False: ATOM is no such thing. */
static bool append_flags(struct str *s, const char *atom, size_t len, int level)
{
    size_t flags = len > 3 && memcmp(atom, "(?", 2) == 0 ? span(atom + 2, len - 2, "+-imsxg") : 0;
    size_t at = 2 + flags;
    if (!flags || at >= len || (atom[at] != ')' && atom[at] != ':'))
        return false;
    str_append_z(s, "~(");
    str_append(s, atom + 2, flags);
    if (atom[at] == ':') {
        str_putc(s, ':');
        append_branches(s, atom + at + 1, len - at - 2, level + 1);
    }
    str_putc(s, ')');
    return true;
}

/* One branch: atoms with their repetitions, behind which a ? asks for as few as possible. */
static void append_branch(struct str *s, const char *text, size_t len, int level)
{
    for (size_t i = 0; i < len && level < 64;) {
        size_t end = atom_end(text, len, i);
        char repeat = end < len ? text[end] : '\0';
        bool group = text[i] == '(';
        size_t next =
            end + (repeat == '*' || repeat == '+' || repeat == '?' || (group && repeat == '!'));
        if (repeat == '{') {
            const char *close = memchr(text + end, '}', len - end);
            next = close ? (size_t)(close - text) + 1 : end;
        }
        bool lazy = next > end && next < len && text[next] == '?';
        if (next == end && append_flags(s, text + i, end - i, level)) {
            i = next;
            continue;
        }
        if (repeat == '*' && text[i] == '.' && !lazy) {
            str_putc(s, '*');
        } else if (next == end && !group) {
            append_atom(s, text + i, end - i, level);
        } else {
            if (repeat == '{')
                str_append(s, text + end, next - end);
            else
                str_putc(s, next == end ? '@' : repeat);
            str_append_z(s, lazy ? "-(" : "(");
            append_atom(s, text + i, end - i, level);
            str_putc(s, ')');
        }
        i = next + lazy;
    }
}

static void append_branches(struct str *s, const char *text, size_t len, int level)
{
    size_t start = 0;
    for (size_t i = 0; i < len;) {
        if (text[i] == '|') {
            append_branch(s, text + start, i - start, level);
            str_putc(s, '|');
            start = ++i;
        } else {
            i = atom_end(text, len, i);
        }
    }
    append_branch(s, text + start, len - start, level);
}

/* Is there a | outside of all parentheses and brackets? */
static bool has_branches(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i = atom_end(text, len, i)) {
        if (text[i] == '|')
            return true;
    }
    return false;
}

void quote_ere_to_pattern(struct str *s, const char *text, size_t len)
{
    bool anchored_end = len > 0 && text[len - 1] == '$' && (len < 2 || text[len - 2] != '\\');
    bool anchored = len > 0 && *text == '^';
    if (anchored)
        text++, len--;
    else if (len < 2 || memcmp(text, ".*", 2) != 0)
        str_putc(s, '*');
    if (anchored_end)
        len--;
    else if (len >= 2 && memcmp(text + len - 2, ".*", 2) == 0)
        anchored_end = true; /* the * is there */
    if (has_branches(text, len)) {
        str_append_z(s, "@(");
        append_branches(s, text, len, 0);
        str_putc(s, ')');
    } else {
        append_branch(s, text, len, 0);
    }
    if (!anchored_end)
        str_putc(s, '*');
}

/* Length of the repetition that a ( follows at TEXT: * ? + @ ! or {n,m}, a - behind it for as few
 * as possible. 0: none. */
static size_t repeat_length(const char *text, size_t len)
{
    size_t at = 0;
    if (len && memchr("*?+@!", *text, 5)) {
        at = 1;
    } else if (len && *text == '{') {
        at = 1 + span(text + 1, len - 1, "0123456789,");
        if (at == 1 || at >= len || text[at++] != '}')
            return 0;
    }
    at += at && at < len && text[at] == '-';
    return at && at < len && text[at] == '(' ? at : 0;
}

/* The repetition TEXT behind its group. */
static void append_repeat(struct str *s, const char *text, size_t len)
{
    bool lazy = len > 1 && text[len - 1] == '-';
    if (len == 0 || *text == '@')
        return;
    str_append(s, text, len - lazy); /* ! has no regular expression; %P knows it again */
    if (lazy)
        str_putc(s, '?');
}

/* A repetition before the parenthesis waits in OPEN, its length behind it, for the closing one. */
static void group_open(struct str *open, const char *repeat, size_t len)
{
    if (len > UCHAR_MAX)
        len = 0;
    str_append(open, repeat, len);
    str_putc(open, (char)len);
}

static void group_close(struct str *s, struct str *open)
{
    size_t len = (unsigned char)open->data[open->len - 1];
    size_t start = open->len - 1 - len;
    str_putc(s, ')');
    append_repeat(s, open->data + start, len);
    str_truncate(open, start);
}

/* ~(i) or ~(i: at the LEN bytes of TEXT; its length, 0: it is no such thing. */
static size_t append_options(struct str *s, const char *text, size_t len, struct str *open)
{
    size_t at = 2;
    if (len < 4 || memcmp(text, "~(", 2) != 0)
        return 0;
    at += span(text + at, len - at, "+-imsxg");
    if (at == 2 || at == len || (text[at] != ')' && text[at] != ':'))
        return 0;
    str_append_z(s, "(?");
    str_append(s, text + 2, at - 1);
    if (text[at] == ':')
        group_open(open, "", 0);
    return at + 1;
}

/* The bracket expression at I of TEXT; where it ends. */
static size_t append_bracket(struct str *s, const char *text, size_t i, size_t len)
{
    size_t close = bracket_end(text, len, i);
    str_putc(s, '[');
    str_append(s, i + 1 < close && text[i + 1] == '!' ? "^" : text + i + 1, close > i + 1);
    if (close > i + 2)
        str_append(s, text + i + 2, close - i - 2);
    return close;
}

/* The piece of a pattern at I of TEXT; where the next one begins. */
static size_t append_piece(struct str *s, const char *text, size_t i, size_t len, struct str *open)
{
    char c = text[i];
    size_t repeat = repeat_length(text + i, len - i);
    size_t options = append_options(s, text + i, len - i, open);
    if (options)
        return i + options;
    if (repeat) {
        str_putc(s, '(');
        group_open(open, text + i, repeat);
        return i + repeat + 1;
    }
    if (c == '[')
        return append_bracket(s, text, i, len);
    if (c == ')' && open->len && str_ok(open)) {
        group_close(s, open);
    } else if (c == '*') {
        str_append_z(s, ".*");
    } else if (c == '?') {
        str_putc(s, '.');
    } else if (c == '\\' && i + 1 < len) {
        str_append(s, text + i, 2);
        return i + 2;
    } else {
        if (c && strchr(".^$+{}()", c))
            str_putc(s, '\\');
        str_putc(s, c);
    }
    return i + 1;
}

void quote_pattern_to_ere(struct str *s, const char *text, size_t len)
{
    struct str open; /* repetitions of the groups that are not closed yet */
    str_init(&open, s->region);
    bool open_start = len > 0 && *text == '*' && !repeat_length(text, len);
    bool open_end = len > 1 && text[len - 1] == '*' && text[len - 2] != '\\';
    size_t i = open_start;
    size_t end = open_end && len > i ? len - 1 : len;
    if (!open_start)
        str_putc(s, '^');
    while (i < end)
        i = append_piece(s, text, i, end, &open);
    if (!open_end)
        str_putc(s, '$');
    str_release(&open);
}

/* ---- %B ------------------------------------------------------------------------------------- */

enum flow quote_variable(struct shell *sh, const char *name, const char *variable, bool lines,
                         struct str *s)
{
    const char *text;
    size_t len;
    const char *const argv[] = { name, NULL };
    const struct args args = { .count = 1, .argv = argv };
    struct var_ref ref;
    struct var *var;
    bool is_array;
    TRY(operand_ref(sh, &args, variable, strlen(variable), &ref));
    TRY(var_print_tree(sh, &ref, lines, s, &is_array));
    if (is_array)
        return FLOW_NEXT;
    TRY(var_get(sh, &ref, &text, &len));
    if (!text)
        return FLOW_NEXT;
    TRY(var_resolve(sh, &ref, &var));
    if (var && var->attrs & VAR_BINARY)
        base64_decode(s, text, len);
    else
        str_append(s, text, len);
    return FLOW_NEXT;
}
