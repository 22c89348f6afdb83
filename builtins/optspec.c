/*
 * Options of builtins, read by the builtin's own table of options, and the help made from the same
 * table, by way of an option string (optpage.h).
 *
 * As ksh93 does: letters may be clustered; an argument is the rest of the cluster or the next word;
 * a numeric one takes digits only, so that more letters may follow it; `+x` is an option where the
 * table says so;
 * `--` ends the options and a lone `-` is an operand. Long options may be shortened while that is
 * unique.
 */
#include <string.h>

#include <unistd.h>

#include "builtins/builtin.h"
#include "builtins/optpage.h"
#include "shell/state/fdtab.h"
#include "shell/state/special.h"

enum { HELP_WIDTH = 80 };

/* ---- the option string of a table ------------------------------------------------------------ */

/* TEXT as it stands in a group: closing brackets are doubled. */
static void append_escaped(struct str *s, const char *text)
{
    for (; *text; text++) {
        str_putc(s, *text);
        if (*text == ']')
            str_putc(s, *text);
    }
}

static void append_option(struct str *s, const struct builtin_option *o)
{
    str_printf(s, "[%c", o->letter);
    if (o->long_name)
        str_printf(s, ":%s", o->long_name);
    str_putc(s, '?');
    append_escaped(s, o->help ? o->help : "");
    str_append_z(s, ".]");
    if (!o->argument)
        return;
    bool optional = *o->argument == '?';
    str_putc(s, o->numeric ? '#' : ':');
    if (optional)
        str_putc(s, '?');
    str_putc(s, '[');
    append_escaped(s, o->argument + optional);
    str_putc(s, ']');
}

/* The option string that says what SPEC does. */
static void append_optstring(struct str *s, const struct builtin_spec *spec)
{
    str_printf(s, "[-][+NAME?%s - ", spec->name);
    append_escaped(s, spec->summary);
    int64_t date = special_version_number();
    str_printf(s, "][-version?%s (memksh %s) %04d-%02d-%02d][+DESCRIPTION?", spec->name,
               SHELL_VERSION, (int)(date / 10000), (int)(date / 100 % 100), (int)(date % 100));
    for (const char *text = spec->doc ? spec->doc : ""; *text;) {
        const char *end = strstr(text, "\n\n");
        struct str paragraph;
        str_init(&paragraph, s->region);
        str_append(&paragraph, text, end ? (size_t)(end - text) : strlen(text));
        append_escaped(s, str_text(&paragraph));
        str_release(&paragraph);
        if (end)
            str_append_z(s, "][+?");
        text = end ? end + 2 : "";
    }
    str_putc(s, ']');
    for (const struct builtin_option *o = spec->options; o && o->letter; o++)
        append_option(s, o);
    if (spec->usage && *spec->usage)
        str_printf(s, "\n\n%s", spec->usage);
}

void builtin_page(const struct builtin_spec *spec, struct str *s, enum optpage page)
{
    struct str text;
    struct optstring o;
    str_init(&text, s->region);
    append_optstring(&text, spec);
    optstring_init(&o, str_text(&text));
    optpage_append(s, &o, spec->name, page);
    str_release(&text);
}

/* ---- usage ---------------------------------------------------------------------------------- */

/* DETAILED: the usage names each option. */
static enum flow usage_error(struct shell *sh, const struct args *args, const char *why,
                             bool detailed)
{
    struct str text, usage;
    struct optstring o;
    const struct builtin_spec *spec = args->spec->kin ? args->spec->kin : args->spec;
    str_init(&text, sh->scratch);
    str_init(&usage, sh->scratch);
    append_optstring(&text, spec);
    optstring_init(&o, str_text(&text));
    optpage_usage(&usage, &o, spec->name, detailed);
    if (usage.len)
        str_truncate(&usage, usage.len - 1); /* the newline is added where it is printed */
    return shell_fail(sh, ERROR_USAGE, 2, args->argv[0], "%s\n%s", why, str_text(&usage));
}

enum flow builtin_usage_error(struct shell *sh, const struct args *args, const char *why)
{
    return usage_error(sh, args, why, true);
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

/* As ksh93 does, on standard error and with status 2; the builtins that are not ksh93's show their
 * help on standard output. */
static int show_text(struct shell *sh, const struct args *args, const struct str *text,
                     enum flow *ret_flow)
{
    bool own = args->spec->flags & BUILTIN_OWN;
    struct out *out = own ? sh->out : fdtab_out(sh, STDERR_FILENO);
    if (!str_ok(text)) {
        *ret_flow = shell_fail_memory(sh, text->len);
        return -2;
    }
    if (out)
        out_write(out, text->data, text->len);
    if (out && !own) {
        (void)out_flush(out);
        out_clear_error(out);
    }
    sh->status = own ? 0 : 2;
    return -1;
}

static int show_page(struct shell *sh, const struct args *args, enum optpage page,
                     enum flow *ret_flow)
{
    struct str text;
    str_init(&text, sh->scratch);
    builtin_page(args->spec, &text, page);
    return show_text(sh, args, &text, ret_flow);
}

/* --?ITEM: what one option does. 0: there is no such thing. */
static int show_item(struct shell *sh, const struct args *args, const char *item,
                     enum flow *ret_flow)
{
    struct str text, page;
    struct optstring o;
    str_init(&text, sh->scratch);
    str_init(&page, sh->scratch);
    append_optstring(&text, args->spec);
    optstring_init(&o, str_text(&text));
    bool found = optpage_append_item(&page, &o, args->spec->name, item, strlen(item));
    return found ? show_text(sh, args, &page, ret_flow) : 0;
}

int builtin_help(struct shell *sh, const struct args *args, const char *option, enum flow *ret_flow)
{
    enum optpage page;
    *ret_flow = FLOW_NEXT;
    if (strcmp(option, "--version") == 0)
        return show_page(sh, args, OPTPAGE_ABOUT, ret_flow);
    if (strcmp(option, "-?") == 0)
        return show_page(sh, args, OPTPAGE_USAGE, ret_flow);
    if (strncmp(option, "--", 2) == 0 && optpage_find(option + 2, strlen(option + 2), &page))
        return show_page(sh, args, page, ret_flow);
    if (strncmp(option, "--?", 3) == 0)
        return show_item(sh, args, option + 2, ret_flow);
    return 0;
}

/* ---- parsing -------------------------------------------------------------------------------- */

static int fail_option(struct shell *sh, const struct args *args, const char *option, size_t len,
                       const char *why, enum flow *ret_flow)
{
    struct str text;
    str_init(&text, sh->scratch);
    str_append(&text, option, len);
    str_printf(&text, ": %s", why);
    *ret_flow = usage_error(sh, args, str_text(&text), len < 3 || option[1] != '-');
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

/* Does one of NAMES, separated by `|', begin with the LEN bytes of NAME? *RET_WHOLE: it is that. */
static bool names_begin(const char *names, const char *name, size_t len, bool *ret_whole)
{
    bool begins = false;
    while (names) {
        size_t here = strcspn(names, "|");
        if (here >= len && strncmp(names, name, len) == 0) {
            begins = true;
            *ret_whole |= here == len;
        }
        names = names[here] ? names + here + 1 : NULL;
    }
    return begins;
}

/* The option called NAME, or whose name begins so if only one does. */
static const struct builtin_option *find_long(const struct builtin_spec *spec, const char *name,
                                              size_t len)
{
    const struct builtin_option *found = NULL;
    for (const struct builtin_option *o = spec->options; o && o->letter; o++) {
        bool whole = false;
        if (!names_begin(o->long_name, name, len, &whole))
            continue;
        if (whole)
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
    int help = o ? 0 : builtin_help(sh, args, text - 2, ret_flow);
    if (help)
        return help;
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
    } else if (optional && !o->attached && *rest && *rest != '[') {
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
        if (word[0] == '-' && word[1] == '-' && word[2] == '-')
            return 0; /* ---: no long option has such a name */
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
            return builtin_help(sh, args, "-?", ret_flow);
    }
    return cluster_option(sh, args, ret_flow);
}
