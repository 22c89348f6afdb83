/*
 * The options of typeset and its forms.
 *
 * Turns them one by one into a struct decl, and says which do not go together. Must not look at
 * variables.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "builtins/decl.h"
#include "builtins/operand.h"
#include "shell/state/type.h"

static uint32_t option_attr(int option)
{
    switch (option) {
    case 'a':
        return VAR_INDEXED;
    case 'A':
        return VAR_ASSOC;
    case 'b':
        return VAR_BINARY;
    case 'C':
        return VAR_COMPOUND;
    case 'E':
        return VAR_EXPONENT;
    case 'F':
        return VAR_FIXED;
    case 'H':
        return VAR_HOST;
    case 'i':
        return VAR_INTEGER;
    case 'l':
        return VAR_LOWER;
    case 'L':
        return VAR_LEFT;
    case 'n':
        return VAR_NAMEREF;
    case 'r':
        return VAR_READONLY;
    case 'R':
        return VAR_RIGHT;
    case 's':
        return VAR_SHORT;
    case 't':
        return VAR_TAG;
    case 'u':
        return VAR_UPPER;
    case 'x':
        return VAR_EXPORT;
    case 'X':
        return VAR_HEXFLOAT;
    case 'Z':
        return VAR_ZERO;
    default:
        return 0;
    }
}

/* -M NAME, +M NAME; args_option() takes the argument of the first only. */
static enum flow take_mapping(struct shell *sh, struct args *args, struct decl *decl)
{
    const char *mapping = args->option_argument;
    uint32_t *attr = &decl->change.set;
    if (args->sign == '+') {
        bool here = args->cluster && *args->cluster;
        mapping = here ? args->cluster : args_peek(args, 0);
        if (!mapping)
            return builtin_usage_error(sh, args, "+M: mapping argument expected");
        args->next += !here;
        args->cluster = NULL;
        attr = &decl->change.clear;
    }
    if (strcmp(mapping, "toupper") == 0)
        *attr |= VAR_UPPER;
    else if (strcmp(mapping, "tolower") == 0)
        *attr |= VAR_LOWER;
    else
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: unknown mapping name", mapping);
    return FLOW_NEXT;
}

/* typeset -a [TYPE]: the subscripts are the type's values. */
static enum flow take_index_type(struct shell *sh, struct args *args, struct decl *decl)
{
    const char *word = args->option_argument;
    if (!word && (!args->cluster || !*args->cluster)) {
        word = args_peek(args, 0);
        if (!word || *word != '[')
            return FLOW_NEXT;
        args->next++;
    }
    if (!word)
        return FLOW_NEXT;
    size_t len = strlen(word);
    const struct type *type = NULL;
    if (len > 2 && word[len - 1] == ']')
        type = type_find(sh, word + 1, len - 2);
    if (!type)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: unknown type", word);
    decl->change.set |= VAR_TYPED_INDEX;
    decl->change.index_type = type;
    return FLOW_NEXT;
}

/* Of attributes that exclude each other the last one counts; -l and -u may both be sizes. */
static void set_attr(struct decl *decl, uint32_t attr)
{
    uint32_t drop = 0;
    if (attr & VAR_NUMERIC)
        drop = VAR_NUMERIC;
    else if (attr & (VAR_LEFT | VAR_RIGHT))
        drop = VAR_LEFT | VAR_RIGHT;
    else if (attr & VAR_ARRAY)
        drop = VAR_ARRAY;
    decl->change.set = (decl->change.set & ~drop) | attr;
    if (attr & (VAR_LOWER | VAR_UPPER))
        decl->last_case = attr;
    if (attr & (VAR_LOWER | VAR_SHORT))
        decl->last_size = attr;
}

enum flow decl_take_option(struct shell *sh, struct args *args, int option, struct decl *decl)
{
    uint32_t attr = option_attr(option);
    bool first = !decl->any_option;
    decl->any_option = true;
    if (first)
        decl->names_only = args->sign == '+';
    switch (option) {
    case 'p':
        decl->print = true;
        return FLOW_NEXT;
    case 'f':
        decl->functions = true;
        return FLOW_NEXT;
    case 'g':
        decl->change.global = true;
        return FLOW_NEXT;
    case 'm':
        decl->move = true;
        return FLOW_NEXT;
    case 'M':
        return take_mapping(sh, args, decl);
    case 'h':
        decl->help = args->option_argument;
        return FLOW_NEXT;
    case 'S':
        decl->is_static = true;
        return FLOW_NEXT;
    case 'T':
        decl->define_type = true;
        return FLOW_NEXT;
    default:
        break;
    }
    decl->undefined |= option == 'u';
    decl->traced |= option == 't';
    if (args->sign == '+') {
        decl->change.clear |= attr;
        return FLOW_NEXT;
    }
    set_attr(decl, attr);
    if (option == 'a')
        return take_index_type(sh, args, decl);
    if (args->option_argument) {
        long given = strtol(args->option_argument, NULL, 10);
        int number = given < INT_MAX ? (int)given : INT_MAX;
        int *field = option == 'i' ? &decl->change.base : &decl->change.width;
        if (*field < 0) /* the first one counts, as in ksh93 */
            *field = number;
    }
    return FLOW_NEXT;
}

enum flow decl_check_options(struct shell *sh, const struct args *args, const struct decl *decl)
{
    uint32_t set = decl->change.set;
    if (decl->move && (set || decl->functions || decl->print))
        return builtin_usage_error(sh, args, "-m cannot be used with other options");
    if ((set & VAR_BINARY) && (set & (VAR_LEFT | VAR_LOWER | VAR_UPPER)))
        return builtin_usage_error(sh, args, "-b cannot be used with -L/-u/-l");
    if ((set & VAR_NUMERIC) && (set & VAR_JUSTIFY))
        return builtin_usage_error(sh, args, "-i/-F/-E/-X cannot be used with -L/-R/-Z");
    if ((set & VAR_NAMEREF) && (set & ~(uint32_t)VAR_NAMEREF))
        return builtin_usage_error(sh, args, "-n cannot be used with other options except -g");
    if (decl->functions && (set & ~(uint32_t)(VAR_UPPER | VAR_TAG | VAR_EXPORT)))
        return builtin_usage_error(sh, args,
                                   "-f cannot be used with other options except -t and -u");
    return FLOW_NEXT;
}
