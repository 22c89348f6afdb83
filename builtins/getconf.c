/*
 * getconf: what the system's limits and options are.
 *
 * One table, getconf.def, says which call answers for a name; standard and section are read off the
 * name. Nothing that it knows can be changed. -v takes the programming environments that this very
 * program was made in, of which the answers then are true.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "shell/base/match.h"

enum call { CALL_SC, CALL_PC, CALL_CS, CALL_LIMIT };
static const char *const call_names[] = { "SC", "PC", "CS", "XX" };

static const struct variable {
    const char *name;
    enum call call;
    long number; /* the argument of the call, or the value */
} variables[] = {
#define SC(name, id) { name, CALL_SC, id },
#define PC(name, id) { name, CALL_PC, id },
#define CS(name, id) { name, CALL_CS, id },
#define LIMIT(name)  { #name, CALL_LIMIT, name },
#include "builtins/getconf.def"
#undef SC
#undef PC
#undef CS
#undef LIMIT
};
enum { VARIABLE_COUNT = sizeof variables / sizeof *variables };

/* What the names begin with; the first that fits. */
static const struct standard {
    const char *prefix, *name;
    int section;
} standards[] = {
    { "_POSIX2_", "POSIX", 2 }, { "POSIX2_", "POSIX", 2 }, { "_POSIX_", "POSIX", 1 },
    { "POSIX_", "POSIX", 1 },   { "_XOPEN_", "XOPEN", 1 }, { "_XBS5_", "XBS5", 1 },
    { "XBS5_", "XBS5", 1 },     { "GNU_", "GNU", 1 },      { "LFS", "XOPEN", 1 },
    { "", "POSIX", 1 },
};

struct listing {
    bool quote, lower, base, table, defined_only, wide;
    const struct pattern *name, *call, *standard; /* NULL: any */
};

static const struct standard *standard_of(const char *name)
{
    const struct standard *s = standards;
    while (strncmp(name, s->prefix, strlen(s->prefix)) != 0)
        s++;
    return s;
}

static const struct variable *variable_find(const char *name)
{
    enum call call = CALL_LIMIT;
    for (int i = 0; i <= CALL_CS; i++) {
        if (strncmp(name, call_names[i], 2) == 0 && name[2] == '_') {
            call = (enum call)i;
            name += 3;
            break;
        }
    }
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i].name, name) == 0 &&
            (call == CALL_LIMIT || call == variables[i].call))
            return &variables[i];
    return NULL;
}

/* Appends the value; *RET_DEFINED: there is one. False: errno says why it cannot be had. */
static bool append_value(struct str *s, const struct variable *v, const char *path,
                         bool *ret_defined)
{
    long value = v->number;
    *ret_defined = true;
    errno = 0;
    if (v->call == CALL_CS) {
        size_t bytes = confstr((int)v->number, NULL, 0);
        if (bytes && str_reserve(s, bytes)) {
            (void)confstr((int)v->number, s->data + s->len, bytes);
            s->len += bytes - 1;
        }
        *ret_defined = bytes || !errno;
        return true;
    }
    if (v->call == CALL_SC)
        value = sysconf((int)v->number);
    if (v->call == CALL_PC)
        value = pathconf(path, (int)v->number);
    if (value == -1 && v->call != CALL_LIMIT) {
        *ret_defined = false;
        return errno == 0 || errno == EINVAL;
    }
    if (v->call == CALL_LIMIT && *v->name == 'U')
        str_printf(s, "%lu", (unsigned long)value);
    else
        str_printf(s, "%ld", value);
    return true;
}

static void append_name(struct str *s, const struct variable *v, const struct listing *how)
{
    const char *name = v->name + (how->base ? strlen(standard_of(v->name)->prefix) : 0);
    for (; *name; name++)
        str_putc(s, how->lower ? (char)tolower((unsigned char)*name) : *name);
}

static bool is_matched(const struct pattern *p, const char *text)
{
    struct match_span span;
    return !p || pattern_search(p, text, strlen(text), 0, &span, 1) > 0;
}

static void list_one(struct shell *sh, const struct variable *v, const struct listing *how)
{
    const struct standard *standard = standard_of(v->name);
    struct str text, value;
    bool defined;
    if (!is_matched(how->name, v->name) || !is_matched(how->call, call_names[v->call]) ||
        !is_matched(how->standard, standard->name))
        return;
    str_init(&text, sh->scratch);
    str_init(&value, sh->scratch);
    bool known = append_value(&value, v, how->wide ? "/" : ".", &defined);
    append_name(&text, v, how);
    if (how->defined_only && (!known || !defined))
        return;
    const char *shown = !known ? "error" : defined ? str_text(&value) : "undefined";
    const char *mark = how->quote && v->call == CALL_CS && defined ? "\"" : "";
    if (how->table)
        out_printf(sh->out, "%-36s %-5s %d %s %6ld %s\n", str_text(&text), standard->name,
                   standard->section, call_names[v->call], v->number, shown);
    else if (how->wide)
        out_printf(sh->out, "%-34s %s\n", str_text(&text), defined ? shown : "");
    else
        out_printf(sh->out, "%s=%s%s%s\n", str_text(&text), mark, shown, mark);
}

static enum flow list_all(struct shell *sh, const struct listing *how)
{
    for (size_t i = 0; i < VARIABLE_COUNT && !sh->out->error; i++) {
        struct mem_mark mark = mem_region_mark(sh->scratch);
        list_one(sh, &variables[i], how);
        mem_region_reset(sh->scratch, mark);
    }
    return FLOW_NEXT;
}

/* One name, with the path and the value after it; the latter may be NULL. */
static enum flow show(struct shell *sh, const struct args *args, const char *name, const char *path,
                      const char *value, const struct listing *how)
{
    const char *command = args->spec->name;
    const struct variable *v = variable_find(name);
    struct str text;
    bool defined;
    if (!v)
        return shell_fail(sh, ERROR_BUILTIN, 2, command, "%s: no such variable", name);
    if (value && strcmp(value, "-") != 0)
        return shell_fail(sh, ERROR_BUILTIN, 1, command, "%s: cannot be changed", name);
    if (v->call == CALL_PC && (!path || strcmp(path, "-") == 0))
        return shell_fail(sh, ERROR_BUILTIN, 1, command, "%s: needs a path", name);
    str_init(&text, sh->scratch);
    if (!append_value(&text, v, path, &defined))
        return shell_fail(sh, ERROR_BUILTIN, 1, command, "%s: %s: %s", name, path ? path : "",
                          strerror(errno));
    if (!str_ok(&text))
        return shell_fail_memory(sh, text.len);
    const char *mark = how->quote && v->call == CALL_CS && defined ? "\"" : "";
    out_printf(sh->out, "%s%s%s\n", mark, defined ? str_text(&text) : "undefined", mark);
    return FLOW_NEXT;
}

/* -v: is this program one of the programming environment NAME? */
static bool is_environment(const char *name)
{
    static const char *const prefixes[] = { "POSIX_V7_", "POSIX_V6_", "XBS5_" };
    const char *own = sizeof(long) == 8 ? "LP64_OFF64" : "ILP32_OFFBIG";
    name += *name == '_';
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t len = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], len) == 0 && strcmp(name + len, own) == 0)
            return true;
    }
    return false;
}

/* The argument of -n, -c and -s, a regular expression, to *RET. */
static enum flow take_pattern(struct shell *sh, const struct args *args, const struct pattern **ret)
{
    const char *text = args->option_argument;
    *ret = pattern_compile(sh->scratch, text, strlen(text), PATTERN_REGEX);
    if (*ret)
        return FLOW_NEXT;
    const char *why = pattern_error(errno);
    if (!why)
        return shell_fail_memory(sh, 0);
    return shell_fail(sh, ERROR_BUILTIN, 1, args->spec->name, "%s: %s", text, why);
}

static enum flow take_option(struct shell *sh, struct args *args, int option, struct listing *how,
                             bool *ret_changeable)
{
    switch (option) {
    case 'a':
        how->wide = true;
        break;
    case 'b':
        how->base = true;
        break;
    case 'c':
        return take_pattern(sh, args, &how->call);
    case 'd':
        how->defined_only = true;
        break;
    case 'l':
        how->lower = true;
        break;
    case 'n':
        return take_pattern(sh, args, &how->name);
    case 's':
        return take_pattern(sh, args, &how->standard);
    case 'q':
        how->quote = true;
        break;
    case 't':
        how->table = true;
        break;
    case 'p':
    case 'w':
        *ret_changeable = true;
        break;
    case 'v':
        if (!is_environment(args->option_argument))
            return shell_fail(sh, ERROR_BUILTIN, 1, args->spec->name,
                              "%s: not an environment that this shell was made in",
                              args->option_argument);
        break;
    default: /* -r: nothing is known that is not */
        break;
    }
    return FLOW_NEXT;
}

static enum flow getconf_run(struct shell *sh, struct args *args)
{
    struct listing how = { 0 };
    bool changeable = false;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        TRY(take_option(sh, args, option, &how, &changeable));
    }
    if (!!how.name + !!how.call + !!how.standard > 1)
        return builtin_usage_error(sh, args, "only one of -c, -n and -s can be given");
    sh->status = 0;
    if (changeable && !args_left(args))
        return FLOW_NEXT;
    if (!args_left(args))
        return list_all(sh, &how);
    while (args_left(args)) {
        const char *path = args_peek(args, 1), *value = path ? args_peek(args, 2) : NULL;
        TRY(show(sh, args, args_peek(args, 0), path, value, &how));
        args->next += 1 + (path != NULL) + (value != NULL);
    }
    return FLOW_NEXT;
}

static const struct builtin_option options[] = {
    { .letter = 'a', .long_name = "all", .help = "list all variables, those of files for /" },
    { .letter = 'b',
      .long_name = "base",
      .help = "in lists leave out of the names what tells the standard" },
    { .letter = 'c',
      .argument = "RE",
      .long_name = "call",
      .help = "list the variables whose call matches: SC for sysconf, PC for pathconf, CS for "
              "confstr, XX for constants" },
    { .letter = 'd', .long_name = "defined", .help = "list only what is defined" },
    { .letter = 'l', .long_name = "lowercase", .help = "list names in lower case" },
    { .letter = 'n',
      .argument = "RE",
      .long_name = "name",
      .help = "list the variables whose name matches" },
    { .letter = 'p',
      .long_name = "portable",
      .help = "list commands that set the variables that can be changed: there are none" },
    { .letter = 'q', .long_name = "quote", .help = "put values that are text between quotes" },
    { .letter = 'r', .long_name = "readonly", .help = "list the variables that cannot be changed" },
    { .letter = 's',
      .argument = "RE",
      .long_name = "standard",
      .help = "list the variables whose standard matches" },
    { .letter = 't',
      .long_name = "table",
      .help = "list standard, section, call and its argument as well" },
    { .letter = 'v',
      .argument = "name",
      .long_name = "specification",
      .help = "answer for this programming environment; an error if the shell was not made in it" },
    { .letter = 'w',
      .long_name = "writable",
      .help = "list the variables that can be changed: there are none" },
    { 0 },
};

const struct builtin_spec getconf_spec = {
    .name = "getconf",
    .options = options,
    .usage = "[name [path [value]] ...]",
    .summary = "show limits and options of the system",
    .doc =
        "Shows the value of each variable, or the word undefined when the system sets no limit "
        "or lacks the option. Those that differ from file to file need a path; - stands for one "
        "that does not matter. No variable can be changed, so value must be -. Without names all "
        "are listed.\n\nThe names are those of POSIX and of the C library; before them SC_, PC_ "
        "or CS_ may tell the call that answers. What POSIX grants at least, such as "
        "_POSIX_ARG_MAX, is that figure.",
    .run = getconf_run,
};
