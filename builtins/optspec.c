/*
 * Options of builtins, read by the builtin's own table of options, and the help made from the same
 * table.
 *
 * As ksh93 does: letters may be clustered; an argument is the rest of the cluster or the next word;
 * a numeric one takes digits only, so that more letters may follow it; `+x` is an option where the
 * table says so;
 * `--` ends the options and a lone `-` is an operand. Long options may be shortened while that is
 * unique.
 */
#include <string.h>

#include "builtins/builtin.h"

enum { HELP_WIDTH = 80, HELP_INDENT = 18 };

/* ---- usage ---------------------------------------------------------------------------------- */

static void append_option_usage(struct str *s, const struct builtin_option *option)
{
    if (*option->argument == '?')
        str_printf(s, " [-%c[%s]]", option->letter, option->argument + 1);
    else
        str_printf(s, " [-%c %s]", option->letter, option->argument);
}

/* Usage: name [-letters] [-x arg] operands ; further lines of SPEC->usage as `Or:` lines. */
static void append_usage(struct str *s, const struct builtin_spec *spec)
{
    bool any = false;
    str_printf(s, "Usage: %s", spec->name);
    for (const struct builtin_option *o = spec->options; o && o->letter; o++) {
        if (o->argument)
            continue;
        if (!any)
            str_append_z(s, " [-");
        any = true;
        str_putc(s, o->letter);
    }
    if (any)
        str_putc(s, ']');
    for (const struct builtin_option *o = spec->options; o && o->letter; o++) {
        if (o->argument)
            append_option_usage(s, o);
    }
    const char *line = spec->usage ? spec->usage : "";
    for (;;) {
        size_t len = strcspn(line, "\n");
        if (len)
            str_printf(s, " %.*s", (int)len, line);
        if (line[len] == '\0')
            break;
        line += len + 1;
        str_printf(s, "\n   Or: %s", spec->name);
    }
}

enum flow builtin_usage_error(struct shell *sh, const struct args *args, const char *why)
{
    struct str usage;
    str_init(&usage, sh->scratch);
    append_usage(&usage, args->spec);
    return shell_fail(sh, ERROR_USAGE, 2, args->argv[0], "%s\n%s", why, str_text(&usage));
}

void builtin_help_wrap(struct str *s, const char *text, size_t indent, size_t column)
{
    for (;;) {
        size_t word = strcspn(text, " \n");
        if (column > indent && column + 1 + word > HELP_WIDTH) {
            str_putc(s, '\n');
            column = 0;
        }
        if (column > indent) {
            str_putc(s, ' ');
            column++;
        }
        for (; column < indent; column++)
            str_putc(s, ' ');
        str_append(s, text, word);
        column += word;
        text += word;
        if (*text == '\0')
            break;
        if (*text == '\n') {
            str_putc(s, '\n');
            column = 0;
        }
        text++;
    }
    str_putc(s, '\n');
}

static void append_options(struct str *s, const struct builtin_spec *spec)
{
    if (!spec->options || !spec->options->letter)
        return;
    str_append_z(s, "OPTIONS\n");
    for (const struct builtin_option *o = spec->options; o->letter; o++) {
        size_t start = s->len;
        str_printf(s, "  -%c", o->letter);
        if (o->long_name)
            str_printf(s, ", --%s", o->long_name);
        if (o->argument && *o->argument == '?')
            str_printf(s, "[%s]", o->argument + 1);
        else if (o->argument)
            str_printf(s, "%c%s", o->long_name ? '=' : ' ', o->argument);
        size_t column = s->len - start;
        if (column + 1 > HELP_INDENT) {
            str_putc(s, '\n');
            column = 0;
        }
        builtin_help_wrap(s, o->help ? o->help : "", HELP_INDENT, column);
    }
}

void builtin_help(struct shell *sh, const struct builtin_spec *spec, struct str *s, bool man)
{
    (void)sh;
    if (man) {
        str_printf(s, "NAME\n  %s - %s\n\nSYNOPSIS\n", spec->name, spec->summary);
        struct str usage;
        str_init(&usage, s->region);
        append_usage(&usage, spec);
        const char *line = str_text(&usage);
        while (*line) {
            size_t len = strcspn(line, "\n");
            str_printf(s, "  %.*s\n", (int)(len > 7 ? len - 7 : 0), line + (len > 7 ? 7 : len));
            line += len + (line[len] != '\0');
        }
        str_release(&usage);
        str_append_z(s, "\nDESCRIPTION\n");
        builtin_help_wrap(s, spec->doc ? spec->doc : spec->summary, 2, 0);
        str_putc(s, '\n');
    } else {
        append_usage(s, spec);
        str_putc(s, '\n');
        builtin_help_wrap(s, spec->summary, 2, 0);
    }
    append_options(s, spec);
}

static int show_help(struct shell *sh, const struct args *args, bool man, enum flow *ret_flow)
{
    struct str text;
    str_init(&text, sh->scratch);
    builtin_help(sh, args->spec, &text, man);
    if (!str_ok(&text)) {
        *ret_flow = shell_fail_memory(sh, text.len);
        return -2;
    }
    out_write(sh->out, text.data, text.len);
    sh->status = 0;
    return -1;
}

/* ---- parsing -------------------------------------------------------------------------------- */

static int fail_option(struct shell *sh, const struct args *args, const char *option, size_t len,
                       const char *why, enum flow *ret_flow)
{
    struct str text;
    str_init(&text, sh->scratch);
    str_append(&text, option, len);
    str_printf(&text, ": %s", why);
    *ret_flow = builtin_usage_error(sh, args, str_text(&text));
    return -2;
}

static bool takes_plus(const struct builtin_spec *spec)
{
    for (const struct builtin_option *o = spec->options; o && o->letter; o++) {
        if (o->plus)
            return true;
    }
    return false;
}

/* The option called NAME, or whose name begins so if only one does. */
static const struct builtin_option *find_long(const struct builtin_spec *spec, const char *name,
                                              size_t len)
{
    const struct builtin_option *found = NULL;
    for (const struct builtin_option *o = spec->options; o && o->letter; o++) {
        if (!o->long_name || strncmp(o->long_name, name, len) != 0)
            continue;
        if (o->long_name[len] == '\0')
            return o;
        if (found)
            return NULL;
        found = o;
    }
    return found;
}

bool builtin_option_takes_word(const struct builtin_spec *spec, const char *option)
{
    if (option[1] == '-') {
        size_t len = strcspn(option + 2, "=");
        const struct builtin_option *o = len ? find_long(spec, option + 2, len) : NULL;
        return o && o->argument && *o->argument != '?' && !option[2 + len];
    }
    for (const char *letter = option + 1; *letter; letter++) {
        const struct builtin_option *o = spec->options;
        while (o && o->letter && o->letter != *letter)
            o++;
        if (!o || !o->letter)
            return false;
        if (o->argument && *o->argument != '?')
            return letter[1] == '\0';
    }
    return false;
}

/* --name or --name=value ; TEXT is after the dashes. */
static int long_option(struct shell *sh, struct args *args, const char *text, enum flow *ret_flow)
{
    size_t len = strcspn(text, "=");
    const struct builtin_option *o = len ? find_long(args->spec, text, len) : NULL;
    args->next++;
    if (!o && strcmp(text, "help") == 0)
        return show_help(sh, args, false, ret_flow);
    if (!o && strcmp(text, "man") == 0)
        return show_help(sh, args, true, ret_flow);
    if (!o)
        return fail_option(sh, args, text - 2, len + 2, "unknown option", ret_flow);
    if (text[len] == '=' && !o->argument)
        return fail_option(sh, args, text - 2, len + 2, "takes no argument", ret_flow);
    args->sign = '-';
    args->option_argument = text[len] == '=' ? text + len + 1 : NULL;
    if (o->argument && *o->argument != '?' && !args->option_argument) {
        args->option_argument = args_peek(args, 0);
        if (!args->option_argument)
            return fail_option(sh, args, text - 2, len + 2, "argument expected", ret_flow);
        args->next++;
    }
    return (unsigned char)o->letter;
}

static size_t number_length(const char *text)
{
    size_t len = strspn(text, "0123456789");
    if (text[len] == '.')
        len += 1 + strspn(text + len + 1, "0123456789");
    return len;
}

/* The argument of O from the rest of the cluster or the next word. False: there is none. */
static bool take_argument(struct shell *sh, struct args *args, const struct builtin_option *o)
{
    const char *rest = args->cluster;
    bool optional = *o->argument == '?';
    if (*rest && o->numeric) {
        size_t len = number_length(rest);
        if (len && rest[len]) {
            args->option_argument = scratch_dup(sh, rest, len);
            args->cluster = rest + len;
            return args->option_argument != NULL;
        }
        if (len == 0 && optional)
            return false;
    } else if (*rest && optional && *rest != '[') {
        return false;
    }
    if (*rest) {
        args->option_argument = rest;
        args->cluster = NULL;
        return true;
    }
    const char *next = args_peek(args, 0);
    if (!next || (optional && (!o->numeric || !*next || next[number_length(next)] != '\0')))
        return false;
    args->option_argument = next;
    args->cluster = NULL;
    args->next++;
    return true;
}

static bool is_number(const char *text)
{
    size_t len = number_length(text);
    return len > 0 && text[len] == '\0';
}

/* The next letter of the cluster. */
static int cluster_option(struct shell *sh, struct args *args, enum flow *ret_flow)
{
    char name[3] = { args->sign, *args->cluster, '\0' };
    const struct builtin_option *o = args->spec->options;
    while (o && o->letter && o->letter != name[1])
        o++;
    if (!o || !o->letter || (args->sign == '+' && !o->plus))
        return fail_option(sh, args, name, 2, "unknown option", ret_flow);
    args->cluster++;
    if (o->argument && (args->sign == '-' || *o->argument == '?')) {
        bool taken = take_argument(sh, args, o);
        const char *label = o->argument + (*o->argument == '?');
        struct str why;
        str_init(&why, sh->scratch);
        if (!taken && *o->argument != '?')
            str_printf(&why, "%s argument expected", label);
        else if (taken && o->numeric && !is_number(args->option_argument))
            str_printf(&why, "invalid numeric argument %s -- %s", args->option_argument, label);
        if (why.len)
            return fail_option(sh, args, name, 2, str_text(&why), ret_flow);
    }
    return (unsigned char)o->letter;
}

int args_option(struct shell *sh, struct args *args, enum flow *ret_flow)
{
    args->option_argument = NULL;
    if (!args->cluster || !*args->cluster) {
        const char *word = args_peek(args, 0);
        args->cluster = NULL;
        if (!word || (*word != '-' && *word != '+') || !word[1])
            return 0;
        if (*word == '+' && !takes_plus(args->spec))
            return 0;
        if (args->numbers_are_operands && word[1] >= '0' && word[1] <= '9')
            return 0;
        if (word[0] == '-' && word[1] == '-') {
            if (word[2])
                return long_option(sh, args, word + 2, ret_flow);
            args->next++;
            return 0;
        }
        args->sign = *word;
        args->cluster = word + 1;
        args->next++;
        if (word[0] == '-' && word[1] == '?')
            return show_help(sh, args, false, ret_flow);
    }
    return cluster_option(sh, args, ret_flow);
}
