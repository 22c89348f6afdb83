/*
 * ln: hard and symbolic links. What it shares with cp and mv is in copy.c.
 */
#include "builtins/copy.h"

static enum flow ln_run(struct shell *sh, struct args *args)
{
    struct copy copy = { .sh = sh, .command = args->spec->name, .action = COPY_LINK };
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        if (option == 's')
            copy.action = COPY_SYMLINK;
        else if (option == 'L')
            copy.follow = FOLLOW_ALL;
        else if (option == 'P')
            copy.follow = FOLLOW_NONE;
        else
            TRY(copy_option(&copy, args, option));
    }
    if (!args_left(args))
        return builtin_usage_error(sh, args, "what, and where to?");
    return copy_operands(&copy, args);
}

static const struct builtin_option options[] = {
    { .letter = 's', .long_name = "symlink|symbolic-link", .help = "make symbolic links" },
    { .letter = 'L', .help = "link to what symbolic links lead to" },
    { .letter = 'P', .help = "link to symbolic links themselves, as without -L" },
    COPY_OPTIONS,
    { 0 },
};

const struct builtin_spec ln_spec = {
    .name = "ln",
    .flags = BUILTIN_LONG,
    .options = options,
    .usage = "source [destination]\nfile ... directory",
    .summary = "make links",
    .doc = "Makes destination another name of the file source, or a name for each file in the "
           "directory; without destination in the present one. What is there is replaced with -f "
           "only. The text of a symbolic link is source as it is written. With -R directories are "
           "made "
           "anew, with links to all that is in them.",
    .run = ln_run,
};
