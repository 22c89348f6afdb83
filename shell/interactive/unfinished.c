/*
 * What an unfinished command is in the middle of, for PS2.
 *
 * The parser knows, and says so in its message; so the text is parsed once more, which for what
 * people type costs nothing. Reads only: nothing is run, and the program that may come out of it is
 * dropped.
 */
#include "shell/interactive/unfinished.h"

#include <string.h>

#include "shell/syntax/parse.h"

enum { LOOK_BYTES = 64 << 10 };

/* The word that WHY, a message, has between ` and ' unmatched. */
static void take_unmatched(const char *why, char *ret)
{
    static const char end[] = "' unmatched";
    const char *from = strchr(why, '`'), *to = strstr(why, end);
    if (!from || !to || to <= from || (size_t)(to - from) > UNFINISHED_BYTES)
        return;
    size_t len = (size_t)(to - from - 1);
    memcpy(ret, from + 1, len);
    ret[len] = '\0';
}

void unfinished_name(struct shell *sh, const char *text, size_t len, char *ret)
{
    struct parse_hooks hooks = *sh->parse_hooks;
    struct program *program = NULL;
    struct parse_error error;
    struct source source;
    bool continued = len >= 2 && text[len - 2] == '\\';
    ret[0] = '\0';
    if (len > LOOK_BYTES)
        return;
    hooks.warn = NULL;
    source_init_text(&source, sh->arg0, text, len);
    enum parse_result result = parse_all(&hooks, &source, &program, &error);
    if (result == PARSE_ERROR && error.incomplete)
        take_unmatched(error.why, ret);
    else if (result == PARSE_OK && !continued)
        memcpy(ret, "<<", sizeof "<<"); /* only a here-document may end anywhere */
    if (program)
        program_release(program);
    source_release(&source);
}
