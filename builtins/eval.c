/* eval: run the arguments, joined by blanks, as shell text. */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/exec/exec.h"

static enum flow eval_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    if (args_option(sh, args, &flow) != 0)
        return flow;
    const char *first = args_peek(args, 0);
    if (args_left(args) < 2) {
        if (!first || !*first) {
            sh->status = 0;
            return FLOW_NEXT;
        }
        return exec_eval(sh, first, strlen(first));
    }
    struct str text;
    str_init(&text, sh->scratch);
    for (const char *word; (word = args_peek(args, 0)); args->next++) {
        str_append_z(&text, word);
        if (args_left(args) > 1)
            str_putc(&text, ' ');
    }
    if (!str_ok(&text))
        return shell_fail_memory(sh, text.len);
    return exec_eval(sh, text.data, text.len);
}

const struct builtin_spec eval_spec = {
    .name = "eval",
    .flags = BUILTIN_SPECIAL | BUILTIN_MAY_EXIT,
    .usage = "[arg ...]",
    .summary = "run arguments as a command",
    .doc = "Joins its arguments with blanks and runs the result as a command of the current shell.",
    .run = eval_run,
};
