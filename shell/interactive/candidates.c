/*
 * Candidates for completion.
 *
 * All lists are made when they are asked for and live in scratch, so that nothing here has to be
 * kept up to date. Where a word stands tells which source is asked; for arguments the command does,
 * by the table `arguments`. A user's function .sh.complete goes before that table: it is called
 * with the word and then the words of the command before it, and prints one candidate a line; if it
 * prints none, the sources are asked.
 */
#include "shell/interactive/candidates.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "shell/base/lookup.h"
#include "shell/exec/jobs.h"
#include "shell/state/alias.h"
#include "shell/state/figure.h"
#include "shell/state/func.h"
#include "shell/state/name.h"
#include "shell/state/var.h"

struct finder {
    struct shell *sh;
    const struct context *c;
    struct candidates *found;
    const char *stem; /* what candidates begin with */
    size_t stem_len;
};

static void add(struct finder *f, const char *text, size_t len)
{
    struct candidates *found = f->found;
    if (len < f->stem_len || memcmp(text, f->stem, f->stem_len) != 0 || found->failed)
        return;
    if (found->count == found->room) {
        size_t room = found->room ? found->room * 2 : 64;
        const char **items = mem_resize(f->sh->scratch, found->items, room * sizeof *items);
        if (!items) {
            found->failed = true;
            return;
        }
        found->items = items;
        found->room = room;
    }
    char *copy = scratch_dup(f->sh, text, len);
    if (copy)
        found->items[found->count++] = copy;
    else
        found->failed = true;
}

static void add_z(struct finder *f, const char *text)
{
    add(f, text, strlen(text));
}

/* ---- sources -------------------------------------------------------------------------------- */

/* .sh.mem.live ...: those that nobody wrote yet have no name. */
static void find_figures(struct finder *f)
{
    char name[64];
    const struct process_figure *figure;
    for (size_t i = 0; (figure = process_figure_at(i)) != NULL; i++) {
        int len = snprintf(name, sizeof name, ".sh.mem.%s", figure->name);
        if (!name_find(f->sh, name, (size_t)len))
            add(f, name, (size_t)len);
    }
}

static void find_variables(struct finder *f)
{
    const char **names;
    size_t count;
    if (var_prefix_names(f->sh, f->stem, f->stem_len, &names, &count) != FLOW_NEXT)
        return;
    for (size_t i = 0; i < count; i++)
        add_z(f, names[i]);
    find_figures(f);
}

static void find_functions(struct finder *f)
{
    struct func **funcs;
    size_t count;
    if (func_list(f->sh, &funcs, &count) != FLOW_NEXT)
        return;
    for (size_t i = 0; i < count; i++)
        add(f, funcs[i]->name->text, funcs[i]->name->len);
}

static void find_builtins(struct finder *f)
{
    struct vec names;
    vec_init(&names, f->sh->scratch);
    if (builtin_names(f->sh, false, &names) != FLOW_NEXT)
        f->sh->err.kind = ERROR_NONE;
    for (size_t i = 0; i < names.count; i++)
        add_z(f, names.items[i]);
}

static void find_aliases(struct finder *f)
{
    const char **names;
    size_t count;
    if (alias_list(f->sh, &names, &count) != FLOW_NEXT)
        return;
    for (size_t i = 0; i < count; i++)
        add_z(f, names[i]);
}

static void find_programs_in(struct finder *f, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strncmp(entry->d_name, f->stem, f->stem_len) != 0 || entry->d_name[0] == '.')
            continue;
        if (faccessat(dirfd(dir), entry->d_name, X_OK, AT_EACCESS) == 0)
            add_z(f, entry->d_name);
    }
    closedir(dir);
}

static void find_commands(struct finder *f)
{
#define RESERVED(id, text) add_z(f, text);
#include "shell/syntax/token.def"
#undef RESERVED
    find_functions(f);
    find_builtins(f);
    find_aliases(f);
    const char *path = var_text(f->sh, "PATH");
    for (const char *p = path; p && *p;) {
        size_t len = strcspn(p, ":");
        char *folder = scratch_dup(f->sh, len ? p : ".", len ? len : 1);
        if (folder)
            find_programs_in(f, folder);
        p += len + (p[len] == ':');
    }
}

/* Whether the expansion of TEXT could run a command, which nobody wants of a key. */
static bool runs_commands(const char *text)
{
    if (strchr(text, '`') || strstr(text, "$("))
        return true;
    for (const char *p = text; (p = strstr(p, "${")) != NULL; p++)
        if (strchr(" \t\n|", p[2])) /* ${ cmd;}: at the end, it is unfinished */
            return true;
    return false;
}

/* The first LEN bytes of WORD with a home directory in place of its ~, and the values of variables;
 * not of what would run a command. */
static void append_path(struct shell *sh, const char *word, size_t len, struct str *ret)
{
    const char *home = var_text(sh, "HOME"), *text = word;
    size_t skip = 0;
    if (len >= 2 && word[0] == '~') {
        skip = strcspn(word, "/");
        char *name = scratch_dup(sh, word + 1, skip - 1);
        if (skip == 1 && home)
            str_append_z(ret, home);
        else if (!name || !lookup_home(name, ret))
            skip = 0;
    }
    text += skip;
    len -= skip;
    char *copy = scratch_dup(sh, text, len);
    if (copy && strchr(copy, '$') && !runs_commands(copy) &&
        sh->hooks.expand_text(sh, copy, len, &text, &len) != FLOW_NEXT)
        sh->err.printed = true; /* as it stands, then */
    str_append(ret, text, len);
}

void candidates_path(struct shell *sh, const struct context *c, struct str *ret)
{
    append_path(sh, str_text(&c->word), c->word.len, ret);
}

/* The folder that the word names before its last slash; NULL: no memory. */
static const char *folder_of_word(const struct finder *f)
{
    struct str folder;
    str_init(&folder, f->sh->scratch);
    size_t value = f->c->value;
    append_path(f->sh, str_text(&f->c->word) + value, f->c->tail - value, &folder);
    if (f->c->tail == value)
        str_append_z(&folder, ".");
    return str_ok(&folder) ? str_text(&folder) : NULL;
}

static void find_paths_in(struct finder *f, const char *folder, bool folders_only,
                          bool programs_only)
{
    DIR *dir = opendir(folder);
    f->found->paths = true;
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, f->stem, f->stem_len) != 0 || (name[0] == '.' && f->stem[0] != '.') ||
            strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        struct stat st;
        bool is_folder = entry->d_type == DT_DIR;
        if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
            is_folder = fstatat(dirfd(dir), name, &st, 0) == 0 && S_ISDIR(st.st_mode);
        if (!is_folder &&
            (folders_only || (programs_only && faccessat(dirfd(dir), name, X_OK, AT_EACCESS) != 0)))
            continue;
        char text[sizeof entry->d_name + 1];
        int len = snprintf(text, sizeof text, "%s%s", name, is_folder ? "/" : "");
        add(f, text, (size_t)len);
    }
    closedir(dir);
}

static void find_paths(struct finder *f)
{
    const char *folder = folder_of_word(f);
    const char *command = str_text(&f->c->command);
    bool folders = strcmp(command, "cd") == 0 || strcmp(command, "rmdir") == 0;
    if (folder)
        find_paths_in(f, folder, folders && !f->c->is_file, f->c->is_command && !f->c->value);
}

static void add_user(void *arg, const char *name)
{
    struct finder *f = arg;
    struct str text;
    str_init(&text, f->sh->scratch);
    str_printf(&text, "~%s/", name);
    add(f, str_text(&text), text.len);
}

static void find_users(struct finder *f)
{
    lookup_users(f->sh->scratch, add_user, f);
    f->found->paths = true;
}

static void find_jobs(struct finder *f)
{
    for (const struct job *job = job_first(f->sh); job; job = job->next) {
        char text[32];
        if (!job_is_listed(job))
            continue;
        int len = snprintf(text, sizeof text, "%%%u", job->number);
        add(f, text, (size_t)len);
        struct str name;
        str_init(&name, f->sh->scratch);
        str_printf(&name, "%%%.*s", (int)strcspn(job->command, " \t\n"), job->command);
        add(f, str_text(&name), name.len);
    }
}

static void find_options(struct finder *f)
{
    const struct builtin_spec *spec = builtin_meant(f->sh, str_text(&f->c->command));
    for (const struct builtin_option *o = spec ? spec->options : NULL; o && o->letter; o++) {
        char text[64];
        int len = snprintf(text, sizeof text, "-%c", o->letter);
        add(f, text, (size_t)len);
        for (const char *name = o->long_name; name && *name;) {
            int here = (int)strcspn(name, "|");
            len = snprintf(text, sizeof text, "--%.*s%s", here, name, o->argument ? "=" : "");
            add(f, text, (size_t)len);
            name += here + (name[here] == '|');
        }
    }
    add_z(f, "--help");
    add_z(f, "--man");
}

/* HOST behind the user's name that the word may begin with. */
static void add_host(struct finder *f, const char *host)
{
    const char *at = memrchr(f->stem, '@', f->stem_len);
    struct str text;
    str_init(&text, f->sh->scratch);
    str_append(&text, f->stem, at ? (size_t)(at + 1 - f->stem) : 0);
    str_append_z(&text, host);
    if (f->found->hosts)
        str_putc(&text, ':');
    add(f, str_text(&text), text.len);
}

/* Host names in FILE: field 0 of each line (known_hosts), or, if REST, all others, with KEY only of
 * lines whose field 0 is KEY. A field may be a list with commas. */
static void find_hosts_in(struct finder *f, const char *file, bool rest, const char *key)
{
    FILE *in = fopen(file, "re");
    char line[4096];
    while (in && fgets(line, sizeof line, in)) {
        char *fields = line, *field;
        line[strcspn(line, "#\n")] = '\0';
        bool is_first = true;
        while ((field = strsep(&fields, " \t")) != NULL) {
            if (!*field)
                continue;
            if (is_first && key && strcasecmp(field, key) != 0)
                break;
            for (char *host; is_first != rest && (host = strsep(&field, ",")) != NULL;)
                if (*host && !strpbrk(host, "|[*?!"))
                    add_host(f, host);
            is_first = false;
        }
    }
    if (in)
        fclose(in);
}

static void find_hosts(struct finder *f)
{
    const char *home = var_text(f->sh, "HOME");
    struct str path;
    find_hosts_in(f, "/etc/hosts", true, NULL);
    str_init(&path, f->sh->scratch);
    str_printf(&path, "%s/.ssh/known_hosts", home ? home : "");
    find_hosts_in(f, str_text(&path), false, NULL);
    str_clear(&path);
    str_printf(&path, "%s/.ssh/config", home ? home : "");
    find_hosts_in(f, str_text(&path), true, "Host");
}

/* host: or a path. */
static void find_copied(struct finder *f)
{
    f->found->hosts = true;
    find_hosts(f);
    find_paths(f);
}

/* ---- which source --------------------------------------------------------------------------- */

static const struct {
    const char *command;
    void (*find)(struct finder *f);
} arguments[] = {
    { "alias", find_aliases },     { "bg", find_jobs },         { "builtin", find_builtins },
    { "command", find_commands },  { "disown", find_jobs },     { "exec", find_commands },
    { "export", find_variables },  { "fg", find_jobs },         { "jobs", find_jobs },
    { "ping", find_hosts },        { "read", find_variables },  { "readonly", find_variables },
    { "rsync", find_copied },      { "scp", find_copied },      { "sftp", find_hosts },
    { "ssh", find_hosts },         { "telnet", find_hosts },    { "type", find_commands },
    { "typeset", find_variables }, { "unalias", find_aliases }, { "unset", find_variables },
    { "wait", find_jobs },         { "whence", find_commands },
};

static void find_argument(struct finder *f)
{
    const char *command = str_text(&f->c->command);
    if (f->c->word.len > 0 && str_text(&f->c->word)[0] == '-' && f->c->tail == 0 &&
        builtin_meant(f->sh, command)) {
        find_options(f);
        return;
    }
    if (f->stem_len > 0 && f->stem[0] == '%') {
        find_jobs(f);
        return;
    }
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if (f->c->tail == 0 && strcmp(arguments[i].command, command) == 0)
            arguments[i].find(f);
    if (f->found->count == 0)
        find_paths(f);
}

/* What .sh.complete prints. False: there is no such function, or it printed nothing. */
static bool find_by_user(struct finder *f, const char *line)
{
    static const char hook[] = ".sh.complete",
                      call[] = "$(.sh.complete \"${.sh.word}\" \"${.sh.line}\" 2>/dev/null)";
    struct shell *sh = f->sh;
    const char *text;
    size_t len;
    if (!func_find(sh, hook, sizeof hook - 1))
        return false;
    struct name *word = name_intern(sh, ".sh.word", 8);
    struct name *before = name_intern(sh, ".sh.line", 8);
    int status = sh->status;
    if (!word || !before ||
        var_set_name(sh, word, str_text(&f->c->word), f->c->word.len, 0) != FLOW_NEXT ||
        var_set_name(sh, before, line, f->c->word_at, 0) != FLOW_NEXT ||
        sh->hooks.expand_text(sh, call, sizeof call - 1, &text, &len) != FLOW_NEXT) {
        shell_print_error(sh);
        sh->status = status;
        return false;
    }
    sh->status = status;
    for (const char *p = text; p < text + len;) {
        const char *end = memchr(p, '\n', (size_t)(text + len - p));
        end = end ? end : text + len;
        add(f, p, (size_t)(end - p));
        p = end + 1;
    }
    return len > 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_once(struct candidates *found)
{
    size_t kept = 0;
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, compare);
    for (size_t i = 0; i < found->count; i++)
        if (kept == 0 || strcmp(found->items[kept - 1], found->items[i]) != 0)
            found->items[kept++] = found->items[i];
    found->count = kept;
}

void candidates_find(struct shell *sh, const struct context *c, const char *line,
                     struct candidates *ret)
{
    const char *word = str_text(&c->word);
    struct finder f = { .sh = sh, .c = c, .found = ret };
    *ret = (struct candidates){ 0 };
    f.stem = word + c->tail;
    f.stem_len = c->word.len - c->tail;
    if (c->after_dollar) {
        f.stem = scratch_dup(sh, line + c->name_at, strlen(line) - c->name_at);
        f.stem_len = f.stem ? strlen(f.stem) : 0;
        ret->variables = true;
        if (f.stem)
            find_variables(&f);
    } else if (word[c->value] == '~' && c->tail == c->value && c->quote == 0) {
        find_users(&f);
    } else if (c->is_file) {
        find_paths(&f);
    } else if (c->is_command) {
        if (c->tail > 0)
            find_paths(&f);
        else
            find_commands(&f);
    } else if (!find_by_user(&f, line)) {
        find_argument(&f);
    }
    sort_once(ret);
}
