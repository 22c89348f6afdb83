/*
 * echo: write arguments, separated by blanks, and a newline.
 *
 * Options are the words of only n, e and E before the first other one. Escapes are made with -e
 * only, unless a later -E takes it back.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "builtins/escape.h"

static enum flow echo_run(struct shell *sh, struct args *args)
{
    bool newline = true, escapes = false;
    struct out *out = sh->out;
    size_t i = 1;
    for (; i < args->count; i++) {
        const char *word = args->argv[i];
        if (word[0] != '-' || !word[1] || word[1 + strspn(word + 1, "neE")])
            break;
        for (const char *letter = word + 1; *letter; letter++) {
            if (*letter == 'n')
                newline = false;
            else
                escapes = *letter == 'e';
        }
    }
    sh->status = 0;
    for (; i < args->count; i++) {
        const char *word = args->argv[i];
        if (escapes && strchr(word, '\\')) {
            struct str text;
            str_init(&text, sh->scratch);
            bool go_on = escape_echo(&text, word, strlen(word));
            if (!str_ok(&text))
                return shell_fail_memory(sh, text.len);
            out_write(out, str_text(&text), text.len);
            if (!go_on)
                return FLOW_NEXT;
        } else {
            out_write(out, word, strlen(word));
        }
        if (i + 1 < args->count)
            out_putc(out, ' ');
    }
    if (newline)
        out_putc(out, '\n');
    return FLOW_NEXT;
}

const struct builtin_spec echo_spec = {
    .name = "echo",
    .flags = BUILTIN_RAW | BUILTIN_WRITER,
    .usage = "[-neE] [arg ...]",
    .summary = "write arguments",
    .doc = "Writes its arguments, separated by blanks, and a newline, which -n leaves out. With -e "
           "the escapes of print are made, and \\e, \\xHH, \\uHHHH and \\UHHHHHHHH; -E takes that "
           "back. print is to be preferred in new scripts.",
    .run = echo_run,
};
