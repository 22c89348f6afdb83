/*
 * The commands of types, and typeset -T.
 *
 * A type is a declaration command of its own: a builtin_spec on the heap, which the type owns, with
 * the options of typeset. `typeset -T NAME=(...)` runs the list in the parentheses with the type's
 * prototype as the compound value under construction: what it declares becomes members, and what
 * functions it defines methods (exec/exec.c).
 */
#include <stdlib.h>
#include <string.h>

#include "builtins/builtin.h"
#include "builtins/decl.h"
#include "shell/exec/exec.h"
#include "shell/state/func.h"
#include "shell/state/members.h"
#include "shell/state/method.h"
#include "shell/state/namespace.h"
#include "shell/state/type.h"
#include "shell/syntax/unparse.h"

static enum flow type_run(struct shell *sh, struct args *args)
{
    const struct type *type = type_find_visible(sh, args->argv[0], strlen(args->argv[0]));
    if (!type) /* undefined while its declaration was being expanded */
        return shell_fail(sh, ERROR_COMMAND, 127, args->argv[0], "not found");
    struct decl decl = { .change = { .set = type->prototype ? VAR_TYPED : VAR_ENUM,
                                     .base = -1,
                                     .width = -1,
                                     .local = var_in_function(sh),
                                     .type = type } };
    decl.print = args->count == 1; /* alone it lists what it declared */
    return decl_run(sh, args, &decl);
}

struct builtin_spec *type_command_new(struct shell *sh, const char *name, const char *summary,
                                      const char *doc)
{
    size_t len = strlen(name);
    struct builtin_spec *spec = mem_alloc_zeroed(sh->heap, sizeof *spec + len + 1);
    if (!spec)
        return NULL;
    *spec = (struct builtin_spec){ .name = memcpy(spec + 1, name, len),
                                   .flags = BUILTIN_DECL,
                                   .options = typeset_spec.options,
                                   .usage = "[name[=value]...]",
                                   .summary = summary,
                                   .doc = doc,
                                   .run = type_run };
    return spec;
}

/* ---- what --man says ------------------------------------------------------------------------ */

static const char *member_help(const struct type *type, const struct name *name)
{
    for (size_t i = type->help_count; i-- > 0;)
        if (type->help[i].name == name)
            return type->help[i].text;
    return NULL;
}

static void describe_member(struct str *s, const struct type *type, const struct var *var)
{
    static const struct {
        uint32_t attr;
        const char *word;
    } words[] = {
        { VAR_STATIC, "shared" },           { VAR_READONLY, "readonly" },
        { VAR_ASSOC, "associative array" }, { VAR_INDEXED, "indexed array" },
        { VAR_COMPOUND, "compound" },       { VAR_INTEGER, "integer" },
        { VAR_FLOATING, "float" },
    };
    const char *help = member_help(type, var->name);
    bool any = false;
    str_printf(s, "%s: ", var->name->text);
    if (var->attrs & VAR_TYPED) {
        str_printf(s, "%s", var->type->name);
        any = true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(var->attrs & words[i].attr) || (words[i].attr == VAR_COMPOUND && any))
            continue;
        str_printf(s, "%s%s", any ? " " : "", words[i].word);
        any = true;
    }
    str_append_z(s, any ? "." : "string.");
    if (help)
        str_printf(s, " %s.", help);
    str_putc(s, '\n');
}

/* The name of FUNC among the functions of TYPE, .sh.type.TYPE.NAME; NULL: it is none of them. */
static const char *method_name(const struct type *type, const struct func *func)
{
    static const char root[] = ".sh.type.";
    const size_t root_len = sizeof root - 1, prefix_len = root_len + type->name_len + 1;
    const char *name = func->name->text;
    if (func->name->len <= prefix_len || memcmp(name, root, root_len) != 0 ||
        memcmp(name + root_len, type->name, type->name_len) != 0 || name[prefix_len - 1] != '.')
        return NULL;
    return name + prefix_len;
}

/* Replaces the text of TYPE's command by one that tells its members and functions. */
static enum flow describe(struct shell *sh, struct type *type)
{
    struct str s;
    struct func **funcs;
    size_t count;
    struct builtin_spec *command = type->command;
    struct members *m = type->prototype;
    str_init(&s, sh->heap);
    str_printf(&s, "%s\n\nThe members are:\n", command->doc);
    for (uint32_t i = 0; i < m->count; i++)
        describe_member(&s, type, m->items[i]);
    enum flow flow = func_list(sh, &funcs, &count);
    bool any = false;
    for (size_t i = 0; flow == FLOW_NEXT && i < count; i++) {
        const char *name = method_name(type, funcs[i]);
        if (!name)
            continue;
        str_printf(&s, "%s%s", any ? " " : "\nThe functions are:\n", name);
        any = true;
    }
    type->doc = flow == FLOW_NEXT && str_ok(&s) ? text_dup(sh->heap, str_text(&s)) : NULL;
    str_release(&s);
    TRY(flow);
    if (!type->doc)
        return shell_fail_memory(sh, 0);
    command->doc = type->doc;
    return FLOW_NEXT;
}

/* ---- listing ---------------------------------------------------------------------------- */

/* The functions of TYPE, a line or more each. */
static enum flow list_methods(struct shell *sh, const struct type *type, struct str *s)
{
    struct func **funcs;
    size_t count;
    TRY(func_list(sh, &funcs, &count));
    for (size_t i = 0; i < count; i++) {
        const struct func *func = funcs[i];
        if (!func->node || !method_name(type, func))
            continue;
        str_putc(s, '\t');
        if (func->node->source)
            str_append(s, func->node->source, func->node->source_len);
        else
            unparse_function(s, func->node);
        if (s->len && s->data[s->len - 1] != '\n')
            str_putc(s, '\n');
    }
    return FLOW_NEXT;
}

static enum flow list_type(struct shell *sh, const struct type *type)
{
    struct str s;
    str_init(&s, sh->heap);
    enum flow flow = FLOW_NEXT;
    if (type->prototype) {
        str_printf(&s, "typeset -T %s=", type->name);
        flow = members_print(sh, type->prototype, true, &s);
        if (flow == FLOW_NEXT && s.len >= 2) {
            s.len -= 1; /* the parenthesis */
            flow = list_methods(sh, type, &s);
            str_append_z(&s, ")\n");
        }
    }
    if (flow == FLOW_NEXT && str_ok(&s))
        out_write(sh->out, str_text(&s), s.len);
    str_release(&s);
    return flow;
}

static int compare_types(const void *a, const void *b)
{
    const struct type *x = *(const struct type *const *)a, *y = *(const struct type *const *)b;
    return strcmp(x->name, y->name);
}

enum flow types_list(struct shell *sh)
{
    size_t count = 0, cursor = 0;
    const struct type **types = scratch_alloc(sh, (sh->types.count + 1) * sizeof *types);
    if (!types)
        return shell_fail_memory(sh, sh->types.count * sizeof *types);
    for (struct map_slot *slot; (slot = map_next(&sh->types, &cursor));)
        types[count++] = slot->value;
    qsort(types, count, sizeof *types, compare_types);
    sh->status = 0;
    for (size_t i = 0; i < count; i++) { /* the names first: so does ksh93 */
        if (types[i]->prototype)
            out_printf(sh->out, "typeset -T %s\n", types[i]->name);
    }
    for (size_t i = 0; i < count; i++)
        TRY(list_type(sh, types[i]));
    return FLOW_NEXT;
}

/* ---- typeset -T ----------------------------------------------------------------------------- */

enum flow type_define_operand(struct shell *sh, const char *text, const struct assign *assign)
{
    size_t len = strcspn(text, "=+[");
    const struct builtin_spec *taken = builtin_find(text, len);
    struct type *type;
    if (!text_is_dotted_name(text, len))
        return shell_fail(sh, ERROR_BUILTIN, 1, "typeset", "%s: invalid variable name", text);
    if (taken && (taken->flags & BUILTIN_SPECIAL))
        return shell_fail(sh, ERROR_BUILTIN, 1, "typeset", "%s: is a special shell builtin",
                          taken->name);
    struct str full;
    str_init(&full, sh->scratch);
    if (sh->space && *text != '.') /* it is the name space's: .n.NAME */
        str_printf(&full, "%s.", sh->space->name->text);
    str_append(&full, text, len);
    const char *name = str_text(&full);
    if (!str_ok(&full) || !name_intern(sh, name, full.len)) /* type_find_visible looks for it */
        return shell_fail_memory(sh, len);
    const struct type *known = type_find(sh, name, full.len);
    if (!assign && known && !text[len])
        return list_type(sh, known);
    if (!assign || (assign->kind == ASSIGN_ARRAY && assign->element_count))
        return shell_fail(sh, ERROR_BUILTIN, 1, "typeset", "%s: the members of the type expected",
                          name);
    struct builtin_spec *command =
        type_command_new(sh, name, "declare variables of a type",
                         "Makes each name an instance of the type, which has the members that the "
                         "type was defined with, and then assigns the value. The options are those "
                         "of typeset.");
    if (!command)
        return shell_fail_memory(sh, sizeof *command);
    TRY(type_begin(sh, name, command, &type));
    unsigned failures = sh->memory_failures;
    enum flow flow =
        assign->kind == ASSIGN_COMPOUND ? exec_members(sh, assign, type->prototype) : FLOW_NEXT;
    type_end(type);
    if (flow == FLOW_NEXT)
        flow = type_share(sh, type);
    if (flow == FLOW_NEXT)
        flow = describe(sh, type);
    if (sh->memory_failures != failures) { /* perhaps told already, and something is missing */
        type_abandon(sh, type);
        if (flow == FLOW_NEXT)
            flow = shell_fail(sh, ERROR_MEMORY, 1, name, "type not defined: no memory");
    }
    return flow;
}
