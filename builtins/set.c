/*
 * set: options, positional parameters, arrays; and the listings of options and variables.
 *
 * Options are taken one by one as they are read, as ksh93 does, so those before a mistake stay.
 * Their letters and names are those of option.def; the table below only gives each letter its line
 * of help. Where the letter of an option means its opposite (-C: noclobber), listings name the
 * positive side.
 */
#include <stdlib.h>
#include <string.h>

#include "builtins/builtin.h"
#include "builtins/operand.h"
#include "shell/expand/expand.h"
#include "shell/state/option.h"
#include "shell/state/param.h"
#include "shell/state/var.h"

struct set {
    struct args *args;
    bool any;           /* an option or -- was there: it is not the listing of variables */
    bool ended;         /* by -- : no operands means no parameters */
    bool sort;          /* -s */
    const char *array;  /* -A name, +A name */
    bool array_replace; /* -A: the other elements go */
};

/* ---- listings ---- */

/* The name that listings show: without the `no` of options whose letter turns something off. */
static const char *shown_name(enum option option, bool *ret_inverted)
{
    const char *name = option_info(option)->name;
    switch (option) {
    case OPTION_NOCLOBBER:
    case OPTION_NOEXEC:
    case OPTION_NOGLOB:
    case OPTION_NOLOG:
    case OPTION_NOUNSET:
        *ret_inverted = true;
        return name + 2;
    default:
        *ret_inverted = false;
        return name;
    }
}

static int compare_shown(const void *a, const void *b)
{
    bool inverted;
    return strcmp(shown_name(*(const enum option *)a, &inverted),
                  shown_name(*(const enum option *)b, &inverted));
}

/* All options but those that only a letter tells (where commands come from, -t), by the names
 * shown. */
static size_t sorted_options(enum option ret[OPTION_COUNT])
{
    size_t count = 0;
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (i != OPTION_STDIN && i != OPTION_ONECMD)
            ret[count++] = (enum option)i;
    }
    qsort(ret, count, sizeof *ret, compare_shown);
    return count;
}

static void list_options(struct shell *sh)
{
    enum option options[OPTION_COUNT];
    size_t count = sorted_options(options);
    out_puts(sh->out, "Current option settings\n");
    for (size_t i = 0; i < count; i++) {
        bool inverted;
        const char *name = shown_name(options[i], &inverted);
        out_printf(sh->out, "%-24s %s\n", name,
                   option_on(sh, options[i]) != inverted ? "on" : "off");
    }
}

/* What --default gives: everything off but this, and nothing turned off that shells do. */
static bool is_default(enum option option)
{
    return option == OPTION_BACKSLASHCTRL;
}

/* A command that sets all options as they are. */
static void list_state(struct shell *sh)
{
    enum option options[OPTION_COUNT];
    size_t count = sorted_options(options);
    out_puts(sh->out, "set --default");
    for (size_t i = 0; i < count; i++) {
        bool inverted, on = option_on(sh, options[i]);
        const char *name = shown_name(options[i], &inverted);
        if ((option_info(options[i])->flags & OPT_SET) && on != is_default(options[i]))
            out_printf(sh->out, " --%s%s", on == inverted ? "no" : "", name);
    }
    out_putc(sh->out, '\n');
}

static enum flow restore_defaults(struct shell *sh)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        enum option option = (enum option)i;
        bool settable = (option_info(option)->flags & OPT_SET) && option != OPTION_RESTRICTED;
        if (settable && option_on(sh, option) != is_default(option))
            TRY(option_set(sh, option, is_default(option)));
    }
    return FLOW_NEXT;
}

static enum flow list_variables(struct shell *sh)
{
    struct name **names;
    size_t count;
    struct str line;
    TRY(var_list(sh, 0, &names, &count));
    str_init(&line, sh->heap);
    enum flow flow = FLOW_NEXT;
    for (size_t i = 0; i < count && flow == FLOW_NEXT; i++) {
        struct name *name = names[i];
        struct var_ref ref = var_ref_name(name);
        bool has_value =
            name->cur && (name->cur->attrs & (VAR_ARRAY | VAR_NAMEREF) || var_is_set(sh, &ref));
        if (name->dotted || !has_value || strcmp(name->text, "_") == 0)
            continue;
        str_clear(&line);
        str_append(&line, name->text, name->len);
        str_putc(&line, '=');
        flow = var_print_value(sh, name, &line);
        str_putc(&line, '\n');
        if (flow == FLOW_NEXT && !str_ok(&line))
            flow = shell_fail_memory(sh, line.len);
        if (flow == FLOW_NEXT)
            out_write(sh->out, str_text(&line), line.len);
    }
    str_release(&line);
    return flow;
}

/* ---- options ---- */

static enum flow unknown_option(struct shell *sh, struct set *set, const char *sign,
                                const char *name)
{
    struct str why;
    str_init(&why, sh->scratch);
    str_printf(&why, "%s%s: unknown option", sign, name);
    return builtin_usage_error(sh, set->args, str_text(&why));
}

static enum flow change_option(struct shell *sh, struct set *set, enum option option, bool on)
{
    if (option == OPTION_RESTRICTED && !on && option_on(sh, option))
        return shell_fail(sh, ERROR_BUILTIN, 1, set->args->argv[0], "r: restricted");
    return option_set(sh, option, on);
}

/* name, or name=N: a number that is not 0 means on. */
static enum flow name_option(struct shell *sh, struct set *set, const char *name, bool on)
{
    enum option option;
    bool inverted;
    const char *equals = strchr(name, '=');
    if (equals) {
        const char *text = name;
        on = on == (strtol(equals + 1, NULL, 10) != 0);
        name = scratch_dup(sh, text, (size_t)(equals - text));
        if (!name)
            return shell_fail_memory(sh, (size_t)(equals - text));
    }
    if (!option_parse_name(name, &option, &inverted) || !(option_info(option)->flags & OPT_SET))
        return unknown_option(sh, set, "", name);
    return change_option(sh, set, option, on != inverted);
}

/* The argument of the option whose letter is before REST: the rest of the word, or the next one;
 * NULL: none. */
static const char *option_argument(struct args *args, const char **rest)
{
    const char *argument = *rest;
    *rest += strlen(*rest);
    if (!*argument && (argument = args_peek(args, 0)))
        args->next++;
    return argument;
}

/* -o, -o name, +o, +o name. What looks like an option is no name. */
static enum flow o_option(struct shell *sh, struct set *set, const char **rest, bool on)
{
    const char *next = args_peek(set->args, 0);
    if (!**rest && (!next || *next == '-' || *next == '+')) {
        if (on)
            list_options(sh);
        else
            list_state(sh);
        return FLOW_NEXT;
    }
    return name_option(sh, set, option_argument(set->args, rest), on);
}

/* The letters of WORD, which begins with a sign. */
static enum flow letters(struct shell *sh, struct set *set, const char *word)
{
    bool on = *word == '-';
    for (const char *p = word + 1; *p;) {
        char name[2] = { *p++, '\0' };
        enum option option;
        switch (*name) {
        case 'o':
            TRY(o_option(sh, set, &p, on));
            break;
        case 's':
            set->sort = on;
            break;
        case 'A':
            set->array = option_argument(set->args, &p);
            set->array_replace = on;
            if (!set->array)
                return builtin_usage_error(sh, set->args, "-A: name argument expected");
            break;
        default:
            if (!option_parse_letter(*name, &option) || !(option_info(option)->flags & OPT_SET))
                return unknown_option(sh, set, on ? "-" : "+", name);
            TRY(change_option(sh, set, option, on));
        }
    }
    return FLOW_NEXT;
}

/* --name; the words that every builtin knows go to the option reader. *RET_SHOWN: help was shown.
 */
static enum flow long_option(struct shell *sh, struct set *set, const char *name, bool *ret_shown)
{
    enum flow flow = FLOW_NEXT;
    enum option option;
    bool inverted;
    if (!option_parse_name(name, &option, &inverted)) /* --posix is an option, not a page */
        *ret_shown = builtin_help(sh, set->args, name - 2, &flow) != 0;
    if (*ret_shown)
        return flow;
    if (strcmp(name, "state") == 0) {
        list_state(sh);
        return FLOW_NEXT;
    }
    if (strcmp(name, "default") == 0)
        return restore_defaults(sh);
    return name_option(sh, set, name, true);
}

static enum flow read_options(struct shell *sh, struct set *set, bool *ret_shown)
{
    struct args *args = set->args;
    enum flow flow = FLOW_NEXT;
    for (const char *word; (word = args_peek(args, 0)) && (*word == '-' || *word == '+');) {
        args->next++;
        if (!word[1]) {
            if (*word == '-') {
                TRY(option_set(sh, OPTION_XTRACE, false));
                TRY(option_set(sh, OPTION_VERBOSE, false));
            }
            set->any = true;
            return FLOW_NEXT;
        }
        set->any = true;
        if (strcmp(word, "--") == 0) {
            set->ended = true;
            return FLOW_NEXT;
        }
        if (*word == '-' && word[1] == '-')
            TRY(long_option(sh, set, word + 2, ret_shown));
        else if (strcmp(word, "-?") == 0)
            *ret_shown = builtin_help(sh, args, word, &flow) != 0;
        else
            TRY(letters(sh, set, word));
        if (*ret_shown)
            return FLOW_NEXT;
    }
    return FLOW_NEXT;
}

/* ---- operands ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcoll(*(const char *const *)a, *(const char *const *)b);
}

/* The operands, or for a lone -s the parameters, as texts that may be sorted. */
static enum flow take_texts(struct shell *sh, const struct set *set, const char ***ret,
                            size_t *ret_count)
{
    bool present = !args_left(set->args) && !set->array;
    const char *const *from =
        present ? (const char *const *)sh->params->argv : set->args->argv + set->args->next;
    size_t count = present ? sh->params->count : args_left(set->args);
    const char **texts = scratch_alloc(sh, (count + 1) * sizeof *texts);
    if (!texts)
        return shell_fail_memory(sh, (count + 1) * sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = from[i];
    texts[count] = NULL;
    if (set->sort)
        qsort(texts, count, sizeof *texts, compare_texts);
    *ret = texts;
    *ret_count = count;
    return FLOW_NEXT;
}

static enum flow set_array(struct shell *sh, const struct set *set)
{
    struct var_ref array;
    const char **texts;
    size_t count;
    int64_t next;
    TRY(operand_ref(sh, set->args, set->array, strlen(set->array), &array));
    TRY(take_texts(sh, set, &texts, &count));
    if (!count)
        return set->array_replace ? var_unset(sh, &array, false) : FLOW_NEXT;
    TRY(var_begin_array_in(sh, &array, set->array_replace ? VAR_INDEXED : 0,
                           set->array_replace ? 0 : ASSIGN_APPEND, &next));
    for (size_t i = 0; i < count; i++) {
        struct var_ref element = array;
        TRY(ref_push(sh, &element, &(struct ref_step){ .kind = REF_INDEX, .index = (int64_t)i }));
        TRY(var_set(sh, &element, texts[i], strlen(texts[i]), 0));
    }
    return FLOW_NEXT;
}

static enum flow set_run(struct shell *sh, struct args *args)
{
    struct set set = { .args = args };
    bool shown = false;
    sh->status = 0;
    TRY(read_options(sh, &set, &shown));
    if (shown)
        return FLOW_NEXT;
    if (set.array)
        return set_array(sh, &set);
    if (!args_left(args) && !set.any)
        return list_variables(sh);
    if (!args_left(args) && !set.ended && !set.sort)
        return FLOW_NEXT;
    const char **texts = NULL;
    size_t count = 0;
    if (args_left(args) || !set.ended)
        TRY(take_texts(sh, &set, &texts, &count));
    return param_set(sh, count, texts);
}

static const struct builtin_option options[] = {
    { .letter = 's', .help = "sort the parameters, or the values of -A", .plus = true },
    { .letter = 'A',
      .argument = "name",
      .help = "assign to the array; +A keeps its other elements",
      .plus = true },
    { .letter = 'a', .help = "allexport: export every variable that is assigned", .plus = true },
    { .letter = 'b', .help = "notify: tell at once when background jobs end", .plus = true },
    { .letter = 'e', .help = "errexit: leave the shell when a command fails", .plus = true },
    { .letter = 'f', .help = "noglob: no pathname expansion", .plus = true },
    { .letter = 'h', .help = "trackall: no effect, commands are always remembered", .plus = true },
    { .letter = 'k', .help = "keyword: assignments anywhere among the arguments", .plus = true },
    { .letter = 'm', .help = "monitor: job control", .plus = true },
    { .letter = 'n', .help = "noexec: read commands, do not run them", .plus = true },
    { .letter = 'o',
      .argument = "?option",
      .help = "an option by name; none: list them, +o as a command",
      .plus = true },
    { .letter = 'p', .help = "privileged", .plus = true },
    { .letter = 'r', .help = "restricted; cannot be turned off", .plus = true },
    { .letter = 't', .help = "leave the shell after the next command; obsolete", .plus = true },
    { .letter = 'u', .help = "nounset: expanding an unset variable is an error", .plus = true },
    { .letter = 'v', .help = "verbose: show input as it is read", .plus = true },
    { .letter = 'x', .help = "xtrace: show commands as they are run", .plus = true },
    { .letter = 'B', .help = "braceexpand: {a,b} (on by default)", .plus = true },
    { .letter = 'C', .help = "noclobber: > does not overwrite files", .plus = true },
    { .letter = 'G', .help = "globstar: ** matches through folders", .plus = true },
    { .letter = 'H', .help = "histexpand: history expansion with !", .plus = true },
    { 0 },
};

const struct builtin_spec set_spec = {
    .name = "set",
    .flags = BUILTIN_SPECIAL,
    .options = options,
    .usage = "[arg ...]",
    .summary = "set options and positional parameters",
    .doc = "- turns an option on, + off; --name and --noname do it by name, --default turns all "
           "off that are not on in every "
           "shell, --state shows a command that gives the present ones. Arguments become the "
           "positional parameters; -- "
           "alone leaves none. A lone - turns -x and -v off. Without any arguments lists the "
           "variables.",
    .run = set_run,
};
