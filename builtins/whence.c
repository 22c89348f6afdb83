/*
 * whence, type, command -v and -V: how a name would be understood as a command.
 *
 * One function finds the meanings in the order in which the shell looks (keyword, alias, special
 * builtin, function, builtin, file), one table gives each its words. `command name args` itself is
 * carried out by the executor; this file only sees it with -v or -V.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "builtins/whence.h"
#include "shell/state/alias.h"
#include "shell/state/cmdhash.h"
#include "shell/state/func.h"
#include "shell/state/method.h"
#include "shell/state/var.h"
#include "shell/syntax/parse.h"

enum meaning {
    MEANING_KEYWORD,
    MEANING_ALIAS,
    MEANING_SPECIAL,
    MEANING_UNDEFINED,
    MEANING_FUNCTION,
    MEANING_BUILTIN,
    MEANING_FILE,
};
static const struct {
    const char *type;   /* whence -t */
    const char *phrase; /* whence -v */
} meanings[] = {
    [MEANING_KEYWORD] = { "keyword", "a keyword" },
    [MEANING_ALIAS] = { "alias", "an alias for" },
    [MEANING_SPECIAL] = { "builtin", "a special shell builtin" },
    [MEANING_UNDEFINED] = { "function", "an undefined function" },
    [MEANING_FUNCTION] = { "function", "a function" },
    [MEANING_BUILTIN] = { "builtin", "a shell builtin" },
    [MEANING_FILE] = { "file", "" },
};

struct query {
    const char *command; /* for messages */
    unsigned show;       /* enum whence_show */
    bool found;
};

/* The file of FPATH that defines the function NAME; NULL: none. */
static const char *autoload_path(struct shell *sh, const char *name)
{
    const char *fpath = var_text(sh, "FPATH");
    return fpath && *fpath && !strchr(name, '/') ? path_search(sh, fpath, name, false) : NULL;
}

/* Prints one meaning of NAME; TEXT is the alias's value or the file's path. */
static enum flow report(struct shell *sh, struct query *query, const char *name,
                        enum meaning meaning, const char *text)
{
    query->found = true;
    if (query->show & WHENCE_QUIET)
        return FLOW_NEXT;
    if (query->show & WHENCE_TYPE) {
        if (meaning == MEANING_FILE && cmdhash_is_builtin(sh, text))
            meaning = MEANING_BUILTIN;
        out_printf(sh->out, "%s\n", meanings[meaning].type);
        return FLOW_NEXT;
    }
    bool verbose = (query->show & WHENCE_VERBOSE) && !(query->show & WHENCE_PATH_ONLY);
    if (!verbose && meaning != MEANING_ALIAS) {
        out_printf(sh->out, "%s\n", text ? text : name);
        return FLOW_NEXT;
    }
    if (meaning == MEANING_FILE && cmdhash_is_builtin(sh, text)) {
        out_printf(sh->out, "%s is a shell builtin version of %s\n", name, text);
        return FLOW_NEXT;
    }
    if (meaning == MEANING_FILE) {
        /* looking a name up makes its first place known */
        const char *first = cmdhash_path(sh, name);
        bool tracked = first && strcmp(first, text) == 0;
        out_printf(sh->out, tracked ? "%s is a tracked alias for %s\n" : "%s is %s\n", name, text);
        return FLOW_NEXT;
    }
    if (meaning == MEANING_UNDEFINED) {
        const char *path = autoload_path(sh, name);
        out_printf(sh->out, path ? "%s is %s (autoload from %s)\n" : "%s is %s\n", name,
                   meanings[meaning].phrase, path);
        return FLOW_NEXT;
    }
    if (meaning != MEANING_ALIAS) {
        out_printf(sh->out, "%s is %s\n", name, meanings[meaning].phrase);
        return FLOW_NEXT;
    }
    struct str quoted;
    str_init(&quoted, sh->heap);
    text_quote(&quoted, text, strlen(text));
    bool ok = str_ok(&quoted);
    if (verbose)
        out_printf(sh->out, "%s is %s %s\n", name, meanings[meaning].phrase, str_text(&quoted));
    else if (query->show & WHENCE_DEFINITION)
        out_printf(sh->out, "alias %s=%s\n", name, str_text(&quoted));
    else
        out_printf(sh->out, "%s\n", str_text(&quoted));
    str_release(&quoted);
    return ok ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

/* NAME, which holds a slash, from the root on and without `.` and `..`. */
static void append_absolute(struct shell *sh, struct str *s, const char *name)
{
    if (*name != '/' && sh->cwd)
        str_append_z(s, sh->cwd);
    for (;;) {
        name += strspn(name, "/");
        size_t len = strcspn(name, "/");
        if (!len)
            break;
        if (len == 2 && name[0] == '.' && name[1] == '.') {
            const char *slash = s->len ? memrchr(s->data, '/', s->len) : NULL;
            str_truncate(s, slash ? (size_t)(slash - s->data) : 0);
        } else if (len != 1 || *name != '.') {
            if (!s->len || s->data[s->len - 1] != '/')
                str_putc(s, '/');
            str_append(s, name, len);
        }
        name += len;
    }
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The files called NAME in PATH, or NAME itself when it holds a slash. */
static enum flow report_files(struct shell *sh, struct query *query, const char *name)
{
    bool default_path = (query->show & WHENCE_DEFAULT_PATH) != 0;

    if (strchr(name, '/')) {
        struct stat st;
        if (access(name, X_OK) != 0 || stat(name, &st) != 0 || S_ISDIR(st.st_mode))
            return FLOW_NEXT;
        struct str path;
        str_init(&path, sh->scratch);
        append_absolute(sh, &path, name);
        if (!str_ok(&path))
            return shell_fail_memory(sh, path.len);
        return report(sh, query, name, MEANING_FILE, str_text(&path));
    }
    if (!(query->show & WHENCE_ALL)) {
        const char *path = cmdhash_find(sh, name, default_path);
        if (path)
            return report(sh, query, name, MEANING_FILE, path);
        if (!(query->show & WHENCE_PATH_ONLY) && autoload_path(sh, name))
            return report(sh, query, name, MEANING_UNDEFINED, NULL);
        return FLOW_NEXT;
    }
    struct vec paths;
    if (!(query->show & WHENCE_PATH_ONLY) && !query->found)
        (void)cmdhash_find(sh, name, default_path);
    vec_init(&paths, sh->heap);
    enum flow flow = cmdhash_find_all(sh, name, &paths);
    for (size_t i = 0; i < paths.count && flow == FLOW_NEXT; i++) {
        bool seen = false; /* the same file by another way, as where /bin is /usr/bin */
        for (size_t k = 0; k < i && !seen; k++)
            seen = is_same_file(paths.items[k], paths.items[i]);
        if (!seen)
            flow = report(sh, query, name, MEANING_FILE, paths.items[i]);
    }
    vec_release(&paths);
    return flow;
}

/* Reports the meanings of NAME in order; stops after the first unless all are asked for. */
static enum flow report_name(struct shell *sh, struct query *query, const char *name)
{
    const size_t len = strlen(name);
    const bool all = (query->show & WHENCE_ALL) != 0;
    const char *alias = alias_get(sh, name, len);
    const struct builtin_spec *spec = sh->hooks.find_builtin(sh, name, len);
    const bool functions = !(query->show & WHENCE_NO_FUNCTION);
    const struct func *func = functions ? func_find_visible(sh, name, len) : NULL;
    if (functions && !func && memchr(name, '.', len))
        func = method_find(sh, name);
    const bool special = spec && (spec->flags & BUILTIN_SPECIAL);

    if (!(query->show & WHENCE_PATH_ONLY)) {
        if (parse_is_reserved(name, len))
            TRY(report(sh, query, name, MEANING_KEYWORD, NULL));
        if (alias && (all || !query->found))
            TRY(report(sh, query, name, MEANING_ALIAS, alias));
        if (special && (all || !query->found))
            TRY(report(sh, query, name, MEANING_SPECIAL, NULL));
        if (func && (all || !query->found))
            TRY(report(sh, query, name, func->node ? MEANING_FUNCTION : MEANING_UNDEFINED, NULL));
        if (spec && !special && (all || !query->found))
            TRY(report(sh, query, name, MEANING_BUILTIN, NULL));
    }
    if (all || !query->found)
        TRY(report_files(sh, query, name));
    return FLOW_NEXT;
}

enum flow whence_names(struct shell *sh, struct args *args, unsigned show)
{
    if (!args_left(args))
        return builtin_usage_error(sh, args, "needs a name");
    sh->status = 0;
    for (size_t i = 0; i < args_left(args); i++) {
        struct query query = { .command = args->argv[0], .show = show };
        const char *name = args_peek(args, i);
        TRY(report_name(sh, &query, name));
        if (query.found)
            continue;
        sh->status = 1;
        if ((show & WHENCE_VERBOSE) && !(show & WHENCE_QUIET))
            shell_warn(sh, query.command, "%s: not found", name);
    }
    return FLOW_NEXT;
}

static enum flow whence_run(struct shell *sh, struct args *args)
{
    unsigned show = strcmp(args->spec->name, "type") == 0 ? WHENCE_VERBOSE : 0;
    enum flow flow = FLOW_NEXT;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        switch (option) {
        case 'a':
            show |= WHENCE_ALL | WHENCE_VERBOSE;
            break;
        case 'f':
            show |= WHENCE_NO_FUNCTION;
            break;
        case 'p':
        case 'P':
            show |= WHENCE_PATH_ONLY;
            break;
        case 'q':
            show |= WHENCE_QUIET;
            break;
        case 't':
            show |= WHENCE_TYPE;
            break;
        default:
            show |= WHENCE_VERBOSE;
        }
    }
    return whence_names(sh, args, show);
}

static const struct builtin_option options[] = {
    { .letter = 'a', .help = "show all meanings, not only the first" },
    { .letter = 'f', .help = "do not look at functions" },
    { .letter = 'p', .help = "look for files only" },
    { .letter = 'P', .help = "the same" },
    { .letter = 'q', .help = "print nothing, only set the status" },
    { .letter = 't', .help = "print one word: keyword, alias, builtin, function or file" },
    { .letter = 'v', .help = "describe in words" },
    { 0 },
};

const struct builtin_spec whence_spec = {
    .name = "whence",
    .options = options,
    .usage = "name ...",
    .summary = "tell what a command name means",
    .doc = "Tells how each name would be understood as a command: the value of an alias, the path "
           "of a "
           "file, or the name itself. The status is 1 when one of them means nothing.",
    .run = whence_run,
};

const struct builtin_spec type_spec = {
    .name = "type",
    .options = options,
    .usage = "name ...",
    .summary = "describe what a command name means",
    .doc = "The same as whence -v.",
    .run = whence_run,
};
