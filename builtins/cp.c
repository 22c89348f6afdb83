/*
 * cp: copies of files and folders. What it shares with ln and mv is in copy.c.
 */
#include <string.h>

#include "builtins/copy.h"

enum { KEEP_ALL = KEEP_OWNER | KEEP_MODE | KEEP_TIMES };

/* The letters of -A. */
static enum flow take_attributes(struct copy *copy, struct args *args)
{
    for (const char *p = args->option_argument; *p; p++) {
        switch (*p) {
        case 'e':
            copy->keep |= KEEP_ALL;
            break;
        case 'i':
            copy->keep |= KEEP_OWNER;
            break;
        case 'p':
            copy->keep |= KEEP_MODE;
            break;
        case 't':
            copy->keep |= KEEP_TIMES;
            break;
        default:
            return builtin_usage_error(copy->sh, args, "-A takes the letters e, i, p and t");
        }
    }
    return FLOW_NEXT;
}

static enum flow take_option(struct copy *copy, struct args *args, int option)
{
    switch (option) {
    case 'a':
        copy->keep = KEEP_ALL;
        copy->recursive = true;
        copy->follow = FOLLOW_NONE;
        break;
    case 'A':
        return take_attributes(copy, args);
    case 'p':
        copy->keep = KEEP_ALL;
        break;
    case 'h':
        copy->hierarchy = true;
        break;
    case 'H':
        copy->follow = FOLLOW_OPERANDS;
        break;
    case 'L':
        copy->follow = FOLLOW_ALL;
        break;
    case 'P':
    case 'd':
        copy->follow = FOLLOW_NONE;
        break;
    case 'l':
        copy->action = COPY_LINK;
        break;
    case 's':
        copy->action = COPY_SYMLINK;
        break;
    case 'U':
        copy->remove = true;
        break;
    default:
        return copy_option(copy, args, option);
    }
    return FLOW_NEXT;
}

static enum flow cp_run(struct shell *sh, struct args *args)
{
    struct copy copy = { .sh = sh, .command = args->spec->name, .action = COPY_DATA };
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        TRY(take_option(&copy, args, option));
    }
    if (args_left(args) < 2)
        return builtin_usage_error(sh, args, args_left(args) ? "where to?" : "what, and where to?");
    return copy_operands(&copy, args);
}

static const struct builtin_option options[] = {
    { .letter = 'a', .long_name = "archive", .help = "the same as -pPR" },
    { .letter = 'A',
      .argument = "eipt",
      .long_name = "attributes",
      .help = "keep everything (e), the owner (i), the mode (p), the times (t)" },
    { .letter = 'p', .long_name = "preserve", .help = "keep owner, mode and times" },
    { .letter = 'h',
      .long_name = "hierarchy|parents",
      .help = "copy to the whole path of the file, below the last operand, a directory; make the "
              "directories in it" },
    { .letter = 'H',
      .long_name = "metaphysical",
      .help =
          "operands that are symbolic links stand for what they lead to, others for themselves" },
    { .letter = 'l', .long_name = "link", .help = "make hard links, not copies" },
    { .letter = 'U',
      .long_name = "remove-destination",
      .help = "remove what is there rather than write to it" },
    { .letter = 'L',
      .long_name = "logical|dereference",
      .help = "symbolic links stand for what they lead to" },
    { .letter = 'P',
      .long_name = "physical|nodereference|no-dereference",
      .help = "symbolic links are copied as such" },
    { .letter = 'd', .help = "the same as -P" },
    { .letter = 's',
      .long_name = "symlink|symbolic-link",
      .help = "make symbolic links, not copies" },
    COPY_OPTIONS,
    { 0 },
};

const struct builtin_spec cp_spec = {
    .name = "cp",
    .flags = BUILTIN_LONG,
    .options = options,
    .usage = "source destination\nfile ... directory",
    .summary = "copy files",
    .doc = "Copies source to the name destination, or each file into the directory. What is there "
           "is written over. Directories are copied with -R only, into a directory of their name. "
           "Symbolic links then are copied as such, and without -R stand for what they lead "
           "to.\n\nA copy has the mode of the file as far as the mask of the shell allows, without "
           "the bits that set users and groups; more is kept with -p. Files with holes keep them.",
    .run = cp_run,
};
