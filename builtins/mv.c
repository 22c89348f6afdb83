/*
 * mv: files and folders get other names. What it shares with cp and ln is in copy.c.
 */
#include "builtins/copy.h"

static enum flow mv_run(struct shell *sh, struct args *args)
{
    struct copy copy = { .sh = sh, .command = args->spec->name, .action = COPY_MOVE };
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        if (option == 'U')
            copy.remove = true;
        else if (option == 's')
            copy.action = COPY_SYMLINK;
        else
            TRY(copy_option(&copy, args, option));
    }
    if (args_left(args) < 2)
        return builtin_usage_error(sh, args, args_left(args) ? "where to?" : "what, and where to?");
    return copy_operands(&copy, args);
}

static const struct builtin_option options[] = {
    { .letter = 'U',
      .long_name = "remove-destination",
      .help = "no effect: what is replaced is always removed" },
    { .letter = 's',
      .long_name = "symlink|symbolic-link",
      .help = "make a symbolic link at the new name and leave the file where it is" },
    COPY_OPTIONS,
    { 0 },
};

const struct builtin_spec mv_spec = {
    .name = "mv",
    .flags = BUILTIN_LONG,
    .options = options,
    .usage = "source destination\nfile ... directory",
    .summary = "rename files",
    .doc = "Gives source, a file or a directory, the name destination, or moves each file into the "
           "directory. What is there is replaced; without -f and if standard input is a terminal, "
           "files that may not be written to only after a question. To another file system files "
           "are copied with all that -p of cp keeps, and then removed.",
    .run = mv_run,
};
