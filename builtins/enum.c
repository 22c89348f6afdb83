/*
 * enum: enumeration types.
 *
 * `enum colour=(red green)` leaves the array colour, as in ksh93, and makes the declaration command
 * colour, whose variables take these values only (typeset_type.c).
 */
#include <string.h>

#include "builtins/builtin.h"
#include "builtins/decl.h"
#include "builtins/operand.h"
#include "shell/exec/exec.h"
#include "shell/state/type.h"

/* The description for --man of a type with these items; on the heap, freed with the type. */
static char *describe(struct shell *sh, const struct type_item *items, size_t count,
                      bool ignore_case)
{
    struct str s;
    str_init(&s, sh->heap);
    str_append_z(&s, "Each variable has one of the values ");
    for (size_t i = 0; i < count; i++)
        str_printf(&s, "%s%.*s", i ? ", " : "", (int)items[i].len, items[i].text);
    str_printf(&s, ", whose case is %s.", ignore_case ? "ignored" : "told apart");
    str_printf(&s, " Without one it is %.*s. In arithmetic they are the numbers from 0 to %zu.",
               (int)items[0].len, items[0].text, count - 1);
    str_append_z(&s, " The options are those of typeset. Without names the variables of this type "
                     "are listed.");
    return str_take(&s);
}

static enum flow define(struct shell *sh, struct name *name, bool ignore_case)
{
    struct var_cursor cursor = { 0 };
    struct var_item item;
    size_t count = 0, room = var_count(sh, name);
    struct type_item *items = room >= 2 ? scratch_alloc(sh, room * sizeof *items) : NULL;
    if (room >= 2 && !items)
        return shell_fail_memory(sh, room * sizeof *items);
    if (room < 2 || !(name->cur->attrs & VAR_INDEXED))
        return shell_fail(sh, ERROR_BUILTIN, 1, "enum",
                          "%s must name an array containing at least two elements", name->text);
    while (count < room && var_next(sh, name, &cursor, &item))
        items[count++] = (struct type_item){ .text = item.text, .len = item.len };
    struct builtin_spec *command =
        type_command_new(sh, name->text, "declare variables of an enumeration type", NULL);
    const struct type *type;
    if (!command)
        return shell_fail_memory(sh, sizeof *command);
    TRY(type_define(sh, name->text, ignore_case, items, count, command, &type));
    command->doc = ((struct type *)type)->doc = describe(sh, items, count, ignore_case);
    return command->doc ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

static enum flow define_operand(struct shell *sh, const struct args *args, size_t i,
                                bool ignore_case)
{
    const struct assign *assign = args->assigns ? args->assigns[i] : NULL;
    const char *text = args->argv[i];
    size_t len = strcspn(text, "=+[");
    const struct builtin_spec *taken = builtin_find(text, len);
    if (!text_is_name(text, len))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: invalid variable name", text);
    if (taken && (taken->flags & BUILTIN_SPECIAL))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: is a special shell builtin",
                          taken->name);
    struct name *name = name_intern(sh, text, len);
    if (!name)
        return shell_fail_memory(sh, len);
    if (type_find(sh, text, len))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: type cannot be redefined",
                          name->text);
    if (assign)
        TRY(exec_assign(sh, assign, 0));
    return define(sh, name, ignore_case);
}

static enum flow enum_run(struct shell *sh, struct args *args)
{
    bool ignore_case = false;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        ignore_case = true;
    }
    if (!args_left(args))
        return builtin_usage_error(sh, args, "name expected");
    for (size_t i = args->next; i < args->count; i++)
        TRY(define_operand(sh, args, i, ignore_case));
    sh->status = 0;
    return FLOW_NEXT;
}

static const struct builtin_option options[] = {
    { .letter = 'i',
      .long_name = "ignorecase",
      .help = "the values are the same in lower and upper case" },
    { 0 },
};

const struct builtin_spec enum_spec = {
    .name = "enum",
    .flags = BUILTIN_DECL,
    .options = options,
    .usage = "typename[=(value ...)]...",
    .summary = "declare enumeration types",
    .doc = "Each typename becomes a declaration command whose variables take only the values "
           "given, or, without "
           "them, those of the indexed array of that name, which needs at least two. In arithmetic "
           "such a variable is "
           "the number of its value, from 0; the values may be used there by name beside it. "
           "typeset -a [typename] makes an array whose subscripts are the values.",
    .run = enum_run,
};
