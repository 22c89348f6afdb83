/*
 * cd, pwd: the working directory.
 *
 * cd finds the directory (CDPATH, `-`, `old new`, `-f descriptor`) and leaves the change itself,
 * PWD and OLDPWD, to state/cwd, which journals it. A directory found through CDPATH or `-` is
 * printed.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "builtins/builtin.h"
#include "shell/base/num.h"
#include "shell/base/str.h"
#include "shell/state/cwd.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* `cd old new`: PWD with the first OLD replaced by NEW, in RET. */
static enum flow replaced_path(struct shell *sh, const struct args *args, struct str *ret)
{
    const char *old = args_peek(args, 0), *new = args_peek(args, 1);
    const char *at = sh->cwd ? strstr(sh->cwd, old) : NULL;

    if (!at)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: not in the working directory",
                          old);
    str_append(ret, sh->cwd, (size_t)(at - sh->cwd));
    str_append_z(ret, new);
    str_append_z(ret, at + strlen(old));
    return FLOW_NEXT;
}

/* Looks PATH up in CDPATH; true with the place in RET when it is there. *RET_SHOW: by an entry that
 * is not empty. */
static bool search_cdpath(struct shell *sh, const char *path, struct str *ret, bool *ret_show)
{
    const char *list = var_text(sh, "CDPATH");

    if (!list || *path == '/' || (path[0] == '.' && (!path[1] || path[1] == '/')) ||
        (path[0] == '.' && path[1] == '.' && (!path[2] || path[2] == '/')))
        return false;
    for (const char *p = list; *p || p == list; p++) {
        size_t len = strcspn(p, ":");
        str_clear(ret);
        str_append(ret, p, len);
        if (len && p[len - 1] != '/')
            str_putc(ret, '/');
        str_append_z(ret, path);
        if (str_ok(ret) && is_directory(str_text(ret))) {
            *ret_show = len > 0;
            return true;
        }
        p += len;
        if (!*p)
            break;
    }
    return false;
}

/* The directory that the operands name, in RET. */
static enum flow choose(struct shell *sh, const struct args *args, struct str *ret, bool *ret_show)
{
    const char *operand = args_peek(args, 0);

    if (args_left(args) == 2)
        return *ret_show = true, replaced_path(sh, args, ret);
    if (!operand) {
        operand = var_text(sh, "HOME");
        if (!operand || !*operand)
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0],
                              "bad directory: HOME is not set");
    } else if (strcmp(operand, "-") == 0) {
        operand = var_text(sh, "OLDPWD");
        if (!operand || !*operand)
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0],
                              "bad directory: OLDPWD is not set");
        *ret_show = true;
    } else if (*operand && search_cdpath(sh, operand, ret, ret_show)) {
        return FLOW_NEXT;
    }
    str_clear(ret);
    str_append_z(ret, operand);
    return FLOW_NEXT;
}

/* `cd -f fd [directory]`: the directory behind the descriptor TEXT, or one from there. */
static enum flow choose_from(struct shell *sh, const struct args *args, const char *text,
                             struct str *ret)
{
    const char *operand = args_peek(args, 0);
    int64_t fd;

    if (!num_parse_int(text, strlen(text), &fd) || fd < 0 || fd > INT_MAX)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad number", text);
    if (!fdtab_is_open(sh, (int)fd))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: [%s]", text, strerror(EBADF));
    if (operand && *operand == '/') {
        str_append_z(ret, operand);
        return FLOW_NEXT;
    }
    str_printf(ret, operand ? "/dev/fd/%d/%s" : "/dev/fd/%d", (int)fd, operand);
    return FLOW_NEXT;
}

/* To where the operands say, from the descriptor FD unless that is NULL. */
static enum flow change(struct shell *sh, const struct args *args, const char *fd, struct str *path,
                        bool physical)
{
    bool show = false;
    int error = 0;

    TRY(fd ? choose_from(sh, args, fd, path) : choose(sh, args, path, &show));
    if (!str_ok(path))
        return shell_fail_memory(sh, 0);
    if (!path->len)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "bad directory: its name is empty");
    TRY(cwd_change(sh, str_text(path), !physical && !fd, &error));
    if (error)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: [%s]", str_text(path),
                          strerror(error));
    if (show)
        out_printf(sh->out, "%s\n", sh->cwd);
    return FLOW_NEXT;
}

struct options {
    bool physical;  /* -P */
    bool checked;   /* -e */
    const char *fd; /* -f, or NULL */
};

/* False: stop with *RET_FLOW. */
static bool take_options(struct shell *sh, struct args *args, struct options *ret,
                         enum flow *ret_flow)
{
    for (int option; (option = args_option(sh, args, ret_flow)) != 0;) {
        if (option < 0)
            return false;
        if (option == 'f')
            ret->fd = args->option_argument;
        else if (option == 'e')
            ret->checked = true;
        else
            ret->physical = option == 'P';
    }
    return true;
}

/* Has the directory that the shell is in a name? */
static bool is_known(struct shell *sh)
{
    struct str path;
    str_init(&path, sh->heap);
    bool known = cwd_physical(&path);
    str_release(&path);
    return known;
}

static enum flow cd_run(struct shell *sh, struct args *args)
{
    struct options options = { 0 };
    enum flow flow = FLOW_NEXT;
    struct str path;

    if (!take_options(sh, args, &options, &flow))
        return flow;
    if (option_on(sh, OPTION_RESTRICTED))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "restricted");
    if (args_left(args) > (options.fd ? 1u : 2u))
        return builtin_usage_error(sh, args, "too many operands");
    sh->status = 0;
    str_init(&path, sh->heap);
    flow = change(sh, args, options.fd, &path, options.physical);
    str_release(&path);
    if (flow == FLOW_ERROR && options.physical && options.checked) /* 1: that it was left */
        sh->err.status = 2;
    else if (flow == FLOW_NEXT && options.physical && options.checked && !is_known(sh))
        sh->status = 1;
    return flow;
}

static enum flow pwd_run(struct shell *sh, struct args *args)
{
    struct options options = { 0 };
    enum flow flow = FLOW_NEXT;
    struct str path;

    if (!take_options(sh, args, &options, &flow))
        return flow;
    sh->status = 0;
    if (!options.physical && sh->cwd) {
        out_printf(sh->out, "%s\n", sh->cwd);
        return FLOW_NEXT;
    }
    str_init(&path, sh->heap);
    if (cwd_physical(&path))
        out_printf(sh->out, "%s\n", str_text(&path));
    else
        flow = shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0],
                          "cannot determine present working directory [%s]", strerror(errno));
    str_release(&path);
    return flow;
}

static const struct builtin_option pwd_options[] = {
    { .letter = 'L', .help = "keep symbolic links in the name (the default)" },
    { .letter = 'P', .help = "resolve symbolic links" },
    { 0 },
};
static const struct builtin_option cd_options[] = {
    { .letter = 'e',
      .help = "with -P fail with status 1 when the new directory has no name any more, and with "
              "status 2 otherwise" },
    { .letter = 'f',
      .argument = "fd",
      .help = "change to the directory open as descriptor fd, or to one that is named from there" },
    { .letter = 'L', .help = "keep symbolic links in the name (the default)" },
    { .letter = 'P', .help = "resolve symbolic links" },
    { 0 },
};

const struct builtin_spec cd_spec = {
    .name = "cd",
    .options = cd_options,
    .usage = "[directory | old new]",
    .summary = "change the working directory",
    .doc = "Changes to directory, by default that of HOME; - stands for OLDPWD. A relative name is "
           "looked "
           "for in the directories of CDPATH. With two operands the first occurrence of old in the "
           "name of "
           "the working directory is replaced by new.",
    .run = cd_run,
};

const struct builtin_spec pwd_spec = {
    .name = "pwd",
    .options = pwd_options,
    .usage = "",
    .summary = "print the working directory",
    .doc = "Prints the name of the working directory.",
    .run = pwd_run,
};
