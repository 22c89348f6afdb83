/*
 * bind: the keys of the line editor.
 *
 * The editor is libedit, whose own command of this name does the work; it prints to standard output
 * by itself. Nothing here knows its keys or functions.
 */
#include "builtins/builtin.h"

static enum flow bind_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;)
        if (option < 0)
            return flow;
    if (!sh->hooks.editor_command)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0],
                          "there is no line editor: the shell is not interactive");
    if (!sh->hooks.editor_command(sh, args->count, args->argv))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0],
                          "no such key or function of the editor; bind -l lists them");
    sh->status = 0;
    return FLOW_NEXT;
}

static const struct builtin_option bind_options[] = {
    { .letter = 'a', .long_name = "alternative", .help = "the keys of vi's command mode" },
    { .letter = 'e', .long_name = "emacs", .help = "all keys as in the emacs editor" },
    { .letter = 'k', .long_name = "terminal", .help = "KEY is the name of a key of the terminal" },
    { .letter = 'l', .long_name = "list", .help = "list the functions of the editor" },
    { .letter = 'r', .long_name = "remove", .help = "the key does nothing any more" },
    { .letter = 's', .long_name = "string", .help = "the key types the text that follows" },
    { .letter = 'v', .long_name = "vi", .help = "all keys as in the vi editor" },
    { 0 },
};

const struct builtin_spec bind_spec = {
    .name = "bind",
    .flags = BUILTIN_OWN,
    .options = bind_options,
    .usage = "[key [function]]",
    .summary = "show or change what keys do at the prompt",
    .doc =
        "Without operands all keys are shown, with one what that key does, with two the key is "
        "bound to that function of the editor. A key is written as ^X, \\e and characters, for "
        "example `bind '\\e[1;5D' ed-prev-word`. What is to hold in each shell stands in "
        "~/.editrc, "
        "without the quotes of the shell; editline(5) tells the functions. The completion key is "
        "memksh-complete.",
    .run = bind_run,
};
