/*
 * Names of collating symbols.
 *
 * Owns the one table of the portable character set (POSIX.1 XBD 6.1). The locales that the shell
 * knows have no collating elements of several characters, so a name stands for one character.
 * Letters and digits by themselves are not here: `[.a.]` is read as a character.
 */
#include "shell/base/collate.h"

#include "shell/base/str.h"

static const struct {
    const char *name;
    char c;
} names[] = {
    { "NUL", '\0' },
    { "alert", '\a' },
    { "backspace", '\b' },
    { "tab", '\t' },
    { "newline", '\n' },
    { "vertical-tab", '\v' },
    { "form-feed", '\f' },
    { "carriage-return", '\r' },
    { "space", ' ' },
    { "exclamation-mark", '!' },
    { "quotation-mark", '"' },
    { "number-sign", '#' },
    { "dollar-sign", '$' },
    { "percent-sign", '%' },
    { "ampersand", '&' },
    { "apostrophe", '\'' },
    { "left-parenthesis", '(' },
    { "right-parenthesis", ')' },
    { "asterisk", '*' },
    { "plus-sign", '+' },
    { "comma", ',' },
    { "hyphen", '-' },
    { "hyphen-minus", '-' },
    { "period", '.' },
    { "full-stop", '.' },
    { "slash", '/' },
    { "solidus", '/' },
    { "zero", '0' },
    { "one", '1' },
    { "two", '2' },
    { "three", '3' },
    { "four", '4' },
    { "five", '5' },
    { "six", '6' },
    { "seven", '7' },
    { "eight", '8' },
    { "nine", '9' },
    { "colon", ':' },
    { "semicolon", ';' },
    { "less-than-sign", '<' },
    { "equals-sign", '=' },
    { "greater-than-sign", '>' },
    { "question-mark", '?' },
    { "commercial-at", '@' },
    { "left-square-bracket", '[' },
    { "backslash", '\\' },
    { "reverse-solidus", '\\' },
    { "right-square-bracket", ']' },
    { "circumflex", '^' },
    { "circumflex-accent", '^' },
    { "underscore", '_' },
    { "low-line", '_' },
    { "grave-accent", '`' },
    { "left-brace", '{' },
    { "left-curly-bracket", '{' },
    { "vertical-line", '|' },
    { "right-brace", '}' },
    { "right-curly-bracket", '}' },
    { "tilde", '~' },
};

int collate_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_eq(name, len, names[i].name, strlen(names[i].name)))
            return (unsigned char)names[i].c;
    return -1;
}
