/*
 * getopts: the next option of a list of arguments, by an option string (optstring.h).
 *
 * Where it is between two calls is sh->getopts: the argument (OPTIND) and the byte in a cluster
 * -abc. What it finds goes to the script's variable and to OPTARG. A mistake in the arguments is
 * the script's business when the string begins with a colon; else it is reported and the variable
 * is set to `?`. Long options are known when the string is of the long form; asking for help, or a
 * long option without a value otherwise, shows the usage and ends the shell with status 2, as ksh93
 * does; so does the end of the options after a mistake, when the string is of the long form.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "builtins/operand.h"
#include "builtins/optpage.h"
#include "shell/state/fdtab.h"
#include "shell/state/frame.h"
#include "shell/state/option.h"
#include "shell/state/param.h"

struct getopts {
    struct shell *sh;
    struct optstring spec;
    const char *program;      /* for messages; NULL: the shell's own prefix will do */
    const char *const *words; /* the arguments */
    size_t count;
    /* what was found */
    char letter[3];
    struct optstring_text name; /* for the variable */
    struct optstring_text argument;
    bool has_argument;
    bool at_end;
};

static void found_letter(struct getopts *g, char sign, char letter)
{
    size_t len = 0;
    if (sign == '+')
        g->letter[len++] = '+';
    g->letter[len++] = letter;
    g->name = (struct optstring_text){ g->letter, len };
}

static void found_argument(struct getopts *g, const char *text, size_t len)
{
    g->argument = (struct optstring_text){ text, len };
    g->has_argument = true;
}

static void next_word(struct getopts *g)
{
    g->sh->getopts.index++;
    g->sh->getopts.offset = 0;
}

/* ---- mistakes ---- */

/* OPTION, as written, is not an option or lacks its argument. LETTER is what a script that reports
 * errors itself gets in OPTARG, and KIND (`?` or `:`) in its variable. */
static void found_mistake(struct getopts *g, char kind, const char *option, size_t option_len,
                          const char *letter, const char *why)
{
    g->has_argument = false;
    found_letter(g, '-', g->spec.quiet ? kind : '?');
    if (g->spec.quiet) {
        found_argument(g, letter, 1);
        return;
    }
    g->sh->getopts.failed = true;
    shell_warn(g->sh, g->program, "%.*s: %s", (int)option_len, option, why);
}

/* The letter of ITEM as a text that outlives it; `?` when it has none. */
static const char *letter_text(struct getopts *g, const struct optstring_item *item)
{
    const char *letter = item->letter ? scratch_dup(g->sh, &item->letter, 1) : NULL;
    return letter ? letter : "?";
}

static void missing_argument(struct getopts *g, const char *option, size_t option_len,
                             const struct optstring_item *item)
{
    struct str why;
    str_init(&why, g->sh->scratch);
    if (item->argument == '#')
        str_append_z(&why, "numeric ");
    if (item->argument_name.len) {
        str_append(&why, item->argument_name.text, item->argument_name.len);
        str_append_z(&why, option_len > 2 ? " value expected" : " argument expected");
    } else {
        str_append_z(&why, "argument expected");
    }
    found_mistake(g, ':', option, option_len, letter_text(g, item), str_text(&why));
}

/* What pages and usage call the command. */
static const char *page_name(const struct getopts *g)
{
    return g->program ? g->program : g->sh->arg0;
}

/* Shows TEXT on descriptor 2 and leaves. */
static enum flow show_text(struct getopts *g, const struct str *text)
{
    struct shell *sh = g->sh;
    if (!str_ok(text))
        return shell_fail_memory(sh, text->len);
    struct out *out = fdtab_out(sh, 2);
    if (out) {
        out_write(out, text->data, text->len);
        (void)out_flush(out);
        out_clear_error(out);
    }
    sh->status = 2;
    return FLOW_EXIT;
}

/* Shows a help page and leaves. */
static enum flow show_page(struct getopts *g, enum optpage page)
{
    struct str text;
    str_init(&text, g->sh->scratch);
    optpage_append(&text, &g->spec, page_name(g), page);
    return show_text(g, &text);
}

/* The options are at their end, and not all of them were right. */
static enum flow show_usage(struct getopts *g)
{
    struct str text;
    str_init(&text, g->sh->scratch);
    optpage_usage(&text, &g->spec, page_name(g), true);
    return show_text(g, &text);
}

/* ---- arguments ---- */

/* The factor that the letters of a multiplier at TEXT stand for (k 1000, ki 1024 ... e, ei), and
 * the bytes of it, with a b behind it; a b alone is a block of 512. */
static int64_t multiplier(const char *text, size_t *ret_len)
{
    static const char letters[] = "kmgtpe";
    char letter = (char)(*text | 0x20); /* as lower case */
    const char *at = *text ? strchr(letters, letter) : NULL;
    *ret_len = 0;
    if (!at) {
        *ret_len = letter == 'b';
        return letter == 'b' ? 512 : 1;
    }
    bool binary = text[1] == 'i';
    int64_t factor = 1;
    for (const char *l = letters; l <= at; l++)
        factor *= binary ? 1024 : 1000;
    *ret_len = 1 + binary;
    *ret_len += (text[*ret_len] | 0x20) == 'b';
    return factor;
}

/* Bytes of the whole number at the start of TEXT, with blanks, a sign, a base and a multiplier; 0:
 * none, or out of range. */
static size_t scan_number(const char *text, int64_t *ret)
{
    long double real;
    bool is_float;
    int base;
    size_t start = strspn(text, " \t"), suffix;
    bool negative = text[start] == '-';
    start += negative || text[start] == '+';
    size_t len = num_scan(text + start, strlen(text + start), false, ret, &real, &is_float, &base);
    if (len == 0 || is_float)
        return 0;
    len += start;
    if (__builtin_mul_overflow(*ret, multiplier(text + len, &suffix), ret))
        return 0;
    if (negative)
        *ret = -*ret;
    return len + suffix;
}

static size_t number_length(const char *text)
{
    int64_t value;
    return scan_number(text, &value);
}

/* The argument TEXT of a numeric option, for OPTARG. */
static void found_number(struct getopts *g, const char *text, size_t len)
{
    int64_t value;
    struct str digits;
    str_init(&digits, g->sh->scratch);
    if (scan_number(text, &value))
        str_printf(&digits, "%lld", (long long)value);
    if (digits.len && str_ok(&digits))
        found_argument(g, str_text(&digits), digits.len);
    else
        found_argument(g, text, len);
}

/* Is TEXT of LEN bytes VALUE, or the beginning of it? */
static bool begins(struct optstring_text value, const char *text, size_t len)
{
    return value.len >= len && memcmp(value.text, text, len) == 0;
}

/* The value of ITEM's list, {[l:low?text][h:high?text]}, that the argument TEXT means: its name, or
 * the beginning of one, or its letter. RET_LISTED: there is such a list; entries [+value?text] only
 * explain. */
static bool find_value(struct optstring_text list, const char *text, size_t len, bool *ret_listed,
                       struct optstring_item *ret)
{
    const char *end = list.text + list.len;
    bool found = false;
    struct optstring_item item;
    *ret_listed = false;
    for (const char *pos = list.text; pos && pos < end && optstring_next(&pos, &item) && !found;) {
        if (item.kind != OPTSTRING_OPTION)
            continue;
        *ret_listed = true;
        found = len && ((len == 1 && item.letter == *text) ||
                        (item.value.len == len && begins(item.value, text, len)) ||
                        begins(item.name, text, len));
        if (found)
            *ret = item;
    }
    return found;
}

/* TEXT is the argument of ITEM, which was written OPTION. */
static void take_argument(struct getopts *g, const char *option, size_t option_len,
                          const struct optstring_item *item, const char *text, size_t len)
{
    bool listed;
    struct optstring_item value;
    if (item->argument == '#' && g->spec.values) {
        found_number(g, text, len);
        return;
    }
    if (find_value(item->values, text, len, &listed, &value)) {
        const char *letter = value.letter ? letter_text(g, &value) : text;
        found_argument(g, letter, value.letter ? 1 : len);
        return;
    }
    if (!listed) {
        found_argument(g, text, len);
        return;
    }
    struct str why;
    str_init(&why, g->sh->scratch);
    str_printf(&why, "%.*s: unknown option argument value", (int)len, text);
    found_mistake(g, '?', option, option_len, letter_text(g, item), str_text(&why));
}

/* The argument of ITEM, an option found at OPTION (its sign and letter): the rest of the cluster or
 * the next word. */
static void cluster_argument(struct getopts *g, const char *option,
                             const struct optstring_item *item)
{
    struct getopts_state *state = &g->sh->getopts;
    const char *word = g->words[state->index - 1];
    const char *rest = word + state->offset;
    if (*rest) {
        size_t len = item->argument == '#' ? number_length(rest) : strlen(rest);
        if (len == 0 && item->optional)
            return;
        if (len == 0 || !rest[len])
            next_word(g);
        else
            state->offset += len;
        if (len)
            take_argument(g, option, 2, item, rest, len);
        else
            missing_argument(g, option, 2, item);
        return;
    }
    next_word(g);
    const char *next = (size_t)state->index <= g->count ? g->words[state->index - 1] : NULL;
    bool is_number =
        next && item->argument == '#' && number_length(next) && !next[number_length(next)];
    if (item->optional &&
        (!next || *next == '-' || *next == '+' || (item->argument == '#' && !is_number)))
        return;
    if (next)
        next_word(g);
    if (!next || (item->argument == '#' && !is_number))
        missing_argument(g, option, 2, item);
    else
        take_argument(g, option, 2, item, next, strlen(next));
}

/* OPTARG of an option without argument: where it gets values it tells whether it was turned on. */
static void found_switch(struct getopts *g, bool on)
{
    if (g->spec.values)
        found_argument(g, on ? "1" : "0", 1);
}

static void found_option(struct getopts *g, char sign, const struct optstring_item *item)
{
    if (item->value.len)
        g->name = item->value;
    else
        found_letter(g, sign, item->letter);
}

/* ---- finding options ---- */

static bool find_letter(const struct optstring *spec, char letter, struct optstring_item *ret)
{
    for (const char *pos = spec->items; optstring_next(&pos, ret);) {
        if (ret->kind == OPTSTRING_OPTION && ret->letter == letter)
            return true;
    }
    return false;
}

enum { LONG_NONE, LONG_PREFIX, LONG_FOUND, LONG_AMBIGUOUS };

/* Is NAME the long name of LEN bytes at TEXT, or the beginning of it? `lib*rary`: lib is as good as
 * the whole. */
static int match_name(const char *text, size_t len, struct optstring_text name)
{
    const char *star = memchr(text, '*', len);
    size_t matched = 0, at = 0, least = star ? (size_t)(star - text) : len;
    while (matched < name.len && at < len) {
        at += text[at] == '*';
        if (at >= len || text[at] != name.text[matched])
            return LONG_NONE;
        at++;
        matched++;
    }
    if (matched < name.len)
        return LONG_NONE;
    return at >= least ? LONG_FOUND : LONG_PREFIX;
}

/* The same for all the names of ITEM. */
static int match_long(const struct optstring_item *item, struct optstring_text name)
{
    int best = LONG_NONE;
    const char *text = item->name.text, *end = text + item->name.len;
    while (text < end && best != LONG_FOUND) {
        const char *bar = memchr(text, '|', (size_t)(end - text));
        int match = match_name(text, (size_t)((bar ? bar : end) - text), name);
        best = match > best ? match : best;
        text = bar ? bar + 1 : end;
    }
    return best;
}

/* The option called NAME, or the only one whose name begins so. With ONLY_SWITCHES those that take
 * arguments do not count. */
static int find_long(const struct optstring *spec, struct optstring_text name, bool only_switches,
                     struct optstring_item *ret)
{
    int found = LONG_NONE;
    struct optstring_item item;
    for (const char *pos = spec->items; optstring_next(&pos, &item);) {
        if (item.kind != OPTSTRING_OPTION || !item.name.len || (only_switches && item.argument))
            continue;
        int match = match_long(&item, name);
        if (match == LONG_NONE)
            continue;
        if (match == LONG_FOUND || found == LONG_NONE)
            *ret = item;
        if (match == LONG_FOUND)
            return LONG_FOUND;
        found = found == LONG_NONE ? LONG_PREFIX : LONG_AMBIGUOUS;
    }
    return found == LONG_PREFIX ? LONG_FOUND : found;
}

/* The argument of the long option ITEM of WORD, VALUE being what stands after its =, or NULL. */
static void long_argument(struct getopts *g, const char *word, size_t len, const char *value,
                          const struct optstring_item *item)
{
    struct getopts_state *state = &g->sh->getopts;
    if (!value && !item->optional && (size_t)state->index <= g->count) {
        value = g->words[state->index - 1];
        next_word(g);
    }
    bool is_bad =
        value && item->argument == '#' && (!number_length(value) || value[number_length(value)]);
    if ((!value && !item->optional) || is_bad)
        missing_argument(g, word, len, item);
    else if (value)
        take_argument(g, word, len, item, value, strlen(value));
}

/* --name, --name=value, --noname */
static enum flow long_option(struct getopts *g, const char *word)
{
    const char *text = word + 2;
    struct optstring_text name = { text, strcspn(text, "=") };
    const char *value = text[name.len] ? text + name.len + 1 : NULL;
    struct optstring_item item;
    enum optpage page;
    struct str fact;
    bool on = true;
    next_word(g);
    int found = g->spec.extended ? find_long(&g->spec, name, false, &item) : LONG_NONE;
    if (found == LONG_NONE && g->spec.extended && name.len > 2 && strncmp(text, "no", 2) == 0) {
        size_t skip = text[2] == '-' && name.len > 3 ? 3 : 2; /* no-name too */
        struct optstring_text rest = { text + skip, name.len - skip };
        on = false;
        found = find_long(&g->spec, rest, true, &item);
    }
    if (found == LONG_FOUND) {
        found_option(g, '-', &item);
        if (item.argument)
            long_argument(g, word, name.len + 2, value, &item);
        else if (value)
            found_argument(g, value, strlen(value));
        else
            found_switch(g, on);
        return FLOW_NEXT;
    }
    if (found == LONG_NONE && !g->spec.quiet) {
        if (optpage_find(name.text, name.len, &page))
            return show_page(g, g->spec.extended ? page : OPTPAGE_USAGE);
        if (!g->spec.extended && !value)
            return show_page(g, OPTPAGE_USAGE);
        if (optpage_is_version(&g->spec, name.text, name.len))
            return show_page(g, OPTPAGE_VERSION);
        str_init(&fact, g->sh->scratch);
        if (optpage_append_item(&fact, &g->spec, page_name(g), name.text, name.len))
            return show_text(g, &fact);
    }
    found_mistake(g, '?', word, name.len + 2, "?",
                  found == LONG_NONE ? "unknown option" : "ambiguous option");
    return FLOW_NEXT;
}

/* POSIX knows options of one letter only: -? and --name are some that are not there. */
static bool only_letters(const struct getopts *g)
{
    return !g->spec.extended && option_on(g->sh, OPTION_POSIX);
}

/* The option at the present byte of WORD. */
static enum flow cluster_option(struct getopts *g, const char *word)
{
    struct getopts_state *state = &g->sh->getopts;
    char option[3] = { word[0], word[state->offset], '\0' };
    const char *letter = &word[state->offset];
    struct optstring_item item;
    bool known = option[1] != ':' && option[1] != '#' && option[1] != '?' &&
                 find_letter(&g->spec, option[1], &item);
    if (option[1] == '?' && !g->spec.quiet && !only_letters(g))
        return show_page(g, OPTPAGE_USAGE);
    state->offset++;
    if (known && item.argument) {
        found_option(g, word[0], &item);
        cluster_argument(g, option, &item);
        return FLOW_NEXT;
    }
    if (known) {
        found_option(g, word[0], &item);
        found_switch(g, (word[0] == '-') != item.inverted);
    } else {
        found_mistake(g, '?', option, 2, letter, "unknown option");
    }
    if (!word[state->offset])
        next_word(g);
    return FLOW_NEXT;
}

static enum flow find_next(struct getopts *g)
{
    struct getopts_state *state = &g->sh->getopts;
    if (state->index < 1)
        state->index = 1;
    const char *word = (uint64_t)state->index <= g->count ? g->words[state->index - 1] : NULL;
    if (state->offset && word && state->offset < strlen(word))
        return cluster_option(g, word);
    state->offset = 0;
    bool is_end = word && strcmp(word, "--") == 0;
    bool is_option =
        word && !is_end && word[1] && (word[0] == '-' || (word[0] == '+' && g->spec.plus));
    struct optstring_item item;
    /* A - among the letters is one more: `getopts ab-: o` is how scripts read long options by
     * themselves. */
    if (is_option && word[0] == '-' && word[1] == '-' && !only_letters(g) &&
        (g->spec.extended || !find_letter(&g->spec, '-', &item))) {
        if (word[2] != '-')
            return long_option(g, word);
        is_option = false; /* --- is an operand */
    }
    state->index += is_end;
    if (is_option) {
        state->offset = 1;
        return cluster_option(g, word);
    }
    if (state->failed && g->spec.extended)
        return show_usage(g);
    g->at_end = true;
    found_letter(g, '-', '?');
    return FLOW_NEXT;
}

/* ---- the command ---- */

static enum flow set_variables(struct getopts *g, const struct var_ref *variable)
{
    struct shell *sh = g->sh;
    struct getopts_state state = sh->getopts;
    struct name *argument_name = name_intern(sh, "OPTARG", 6);
    struct name *index_name = name_intern(sh, "OPTIND", 6);
    if (!argument_name || !index_name)
        return shell_fail_memory(sh, 0);
    TRY(var_set(sh, variable, g->name.text, g->name.len, 0));
    struct var_ref ref = var_ref_name(argument_name);
    if (g->has_argument)
        TRY(var_set_name(sh, argument_name, g->argument.text, g->argument.len, 0));
    else if (var_is_set(sh, &ref))
        TRY(var_unset(sh, &ref, false));
    if (!index_name->cur || !(index_name->cur->attrs & VAR_SPECIAL)) /* it was unset */
        TRY(var_set_int(sh, "OPTIND", state.index));
    sh->getopts = state;
    sh->getopts.unset = false;
    if (sh->frame->kind == FRAME_CMD)
        sh->frame->own_getopts = false; /* `OPTIND=1 getopts`: goes on from there next time */
    return FLOW_NEXT;
}

static enum flow getopts_run(struct shell *sh, struct args *args)
{
    struct getopts g = { .sh = sh, .program = sh->frame->function_name };
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        g.program = args->option_argument;
    }
    if (args_left(args) < 2)
        return builtin_usage_error(
            sh, args, args_left(args) ? "variable name expected" : "option string expected");
    const char *variable = args_peek(args, 1);
    struct var_ref ref;
    TRY(operand_ref(sh, args, variable, strlen(variable), &ref));
    optstring_init(&g.spec, args_peek(args, 0));
    g.words = args->argv + args->next + 2;
    g.count = args_left(args) - 2;
    if (!g.count) {
        g.words = (const char *const *)sh->params->argv;
        g.count = sh->params->count;
    }
    TRY(find_next(&g));
    sh->status = g.at_end;
    return set_variables(&g, &ref);
}

static const struct builtin_option options[] = {
    { .letter = 'a', .argument = "name", .help = "the command's name in messages" },
    { 0 },
};

const struct builtin_spec getopts_spec = {
    .name = "getopts",
    .options = options,
    .usage = "optstring name [args...]",
    .summary = "parse options of a script or function",
    .doc = "Puts the next option of args, or of the positional parameters, into the variable name, "
           "its argument into "
           "OPTARG, and the number of the next argument into OPTIND; the status is 1 when there is "
           "none left. In "
           "optstring a letter followed by : takes an argument, by # a number; ? after these makes "
           "it optional. "
           "A leading : makes mistakes silent (name is ? or :, OPTARG the letter), a leading + "
           "takes +x as options "
           "too. The long form is [-1?version] followed by options [letter:name?text], arguments "
           "[name?text] and "
           "sections [+TITLE?text]; it knows long options, --help and --man. Setting OPTIND to 1 "
           "starts anew.",
    .run = getopts_run,
};
