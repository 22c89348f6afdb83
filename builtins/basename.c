/*
 * basename and dirname: the two halves of a path's text.
 *
 * Both look at the text only; `dirname -x` and its kin, which look for a file along PATH, are
 * ksh93's. A path of slashes alone is `/`, as POSIX allows and GNU does.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "shell/state/cmdhash.h"
#include "shell/state/fdtab.h"
#include "shell/state/var.h"

/* LEN without the slashes at the end of TEXT; 0 for slashes alone. */
static size_t trim_slashes(const char *text, size_t len)
{
    while (len > 0 && text[len - 1] == '/')
        len--;
    return len;
}

static void print_base(struct shell *sh, const char *path, const char *suffix)
{
    size_t end = trim_slashes(path, strlen(path)), start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    size_t len = end - start, cut = suffix ? strlen(suffix) : 0;
    if (cut && cut < len && memcmp(path + end - cut, suffix, cut) == 0)
        len -= cut;
    if (len)
        out_write(sh->out, path + start, len);
    else if (*path)
        out_putc(sh->out, '/');
    out_putc(sh->out, '\n');
}

static enum flow basename_run(struct shell *sh, struct args *args)
{
    bool all = false;
    const char *suffix = NULL;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        all = true;
        if (option == 's')
            suffix = args->option_argument;
    }
    size_t count = args_left(args);
    if (!count)
        return builtin_usage_error(sh, args, "string operand expected");
    if (!all && count > 2)
        return builtin_usage_error(sh, args, "too many operands");
    sh->status = 0;
    if (!all) {
        print_base(sh, args_peek(args, 0), args_peek(args, 1));
        return FLOW_NEXT;
    }
    for (size_t i = 0; i < count; i++)
        print_base(sh, args_peek(args, i), suffix);
    return FLOW_NEXT;
}

/* ---- dirname -------------------------------------------------------------------------------- */

static void print_folder(struct shell *sh, const char *path)
{
    size_t len = trim_slashes(path, strlen(path));
    bool rooted = *path == '/';
    while (len > 0 && path[len - 1] != '/')
        len--;
    len = trim_slashes(path, len);
    for (; len > 1 && path[0] == '/' && path[1] == '/'; len--)
        path++;
    if (len)
        out_write(sh->out, path, len);
    else
        out_putc(sh->out, rooted ? '/' : '.');
    out_putc(sh->out, '\n');
}

/* The file that OPTION asks for, f r or x, at PATH. */
static bool is_wanted(char option, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    return option == 'f' || eaccess(path, option == 'x' ? X_OK : R_OK) == 0;
}

/* Where NAME is: here, or below one of PATH's folders or beside it. */
static const char *find_file(struct shell *sh, const char *name, char option)
{
    struct str path;
    const char *list = var_text(sh, "PATH");
    str_init(&path, sh->scratch);
    if (strchr(name, '/') || (option != 'x' && is_wanted(option, name)))
        return is_wanted(option, name) ? name : NULL;
    while (list && *list) {
        size_t len = strcspn(list, ":");
        str_clear(&path);
        str_append(&path, len ? list : ".", len ? len : 1);
        str_printf(&path, "/%s", name);
        if (str_ok(&path) && is_wanted(option, str_text(&path)))
            return str_text(&path);
        list += len + (list[len] == ':');
    }
    return NULL;
}

static enum flow dirname_run(struct shell *sh, struct args *args)
{
    char look_for = '\0';
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        look_for = (char)option;
    }
    if (args_left(args) != 1)
        return builtin_usage_error(sh, args, "one string operand expected");
    const char *name = args_peek(args, 0);
    sh->status = 0;
    if (!look_for) {
        print_folder(sh, name);
        return FLOW_NEXT;
    }
    const char *path = find_file(sh, name, look_for);
    if (!path)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->spec->name, "%s: no such file in PATH", name);
    out_printf(sh->out, "%s\n", path);
    return FLOW_NEXT;
}

static const struct builtin_option basename_options[] = {
    { .letter = 'a', .long_name = "all|multiple", .help = "all operands are paths; one line each" },
    { .letter = 's',
      .argument = "suffix",
      .long_name = "suffix",
      .help = "all operands are paths, from which suffix is cut" },
    { 0 },
};

const struct builtin_spec basename_spec = {
    .name = "basename",
    .options = basename_options,
    .usage = "string [suffix]",
    .summary = "print the last part of a path",
    .doc = "Prints what stands behind the last slash of string, without regard to slashes at its "
           "end, and without "
           "suffix if it ends in that and is longer. Of slashes alone one is left.",
    .run = basename_run,
};

static const struct builtin_option dirname_options[] = {
    { .letter = 'f',
      .long_name = "file",
      .help = "print where the regular file string is in PATH" },
    { .letter = 'r', .long_name = "relative", .help = "the same for one that can be read" },
    { .letter = 'x', .long_name = "executable", .help = "the same for one that can be run" },
    { 0 },
};

const struct builtin_spec dirname_spec = {
    .name = "dirname",
    .options = dirname_options,
    .usage = "string",
    .summary = "print a path without its last part",
    .doc = "Prints what stands before the last slash of string, without regard to slashes at its "
           "end: . when "
           "there is none, / for what is in the root.",
    .run = dirname_run,
};
