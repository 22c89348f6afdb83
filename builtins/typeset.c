/*
 * typeset and its forms: autoload compound export float integer nameref readonly.
 *
 * All parse their options into a struct decl and declare their operands in the same way: the
 * variable gets its attributes, then its value, then is made read-only. Scalar values come as
 * `name=value` texts, arrays and elements as parsed assignments (ARGS->ASSIGNS). Inside a ksh
 * function typeset makes locals; export and readonly work on the variable that is visible.
 */
#include <string.h>

#include "builtins/decl.h"
#include "builtins/operand.h"
#include "shell/exec/exec.h"
#include "shell/expand/expand.h"
#include "shell/state/members.h"
#include "shell/state/method.h"
#include "shell/state/param.h"
#include "shell/state/scope.h"
#include "shell/state/type.h"

/* ---- operands ------------------------------------------------------------------------------- */

/* An operand taken apart: a name, perhaps a member's, `[subscript]`s or nothing, and the value if
 * there is one. */
struct operand {
    const char *text;
    size_t name_len;  /* of the name up to the first subscript */
    size_t whole_len; /* up to the subscripts at the end: NAME_LEN, or of `a[1].x` */
    size_t ref_len;   /* with them */
    const char *value;
    bool append;
    const struct assign *assign; /* instead of VALUE */
};

static bool operand_parse(const char *text, struct operand *ret)
{
    *ret = (struct operand){ .text = text };
    size_t len = strcspn(text, "[=+");
    bool is_self = len == 1 && *text == '.'; /* the value of a type itself */
    if (!is_self && !text_is_dotted_name(text, len))
        return false;
    ret->name_len = ret->whole_len = len;
    while (text[len] == '[' || (text[len] == '.' && len > ret->name_len)) {
        size_t depth = 0;
        if (text[len] == '.') {
            size_t name_len = strcspn(text + len + 1, "[=+");
            if (!text_is_dotted_name(text + len + 1, name_len))
                return false;
            len += 1 + name_len;
            ret->whole_len = len;
            continue;
        }
        for (; text[len]; len++) {
            depth += (size_t)(text[len] == '[');
            if (text[len] == ']' && --depth == 0)
                break;
        }
        if (!text[len++])
            return false;
    }
    ret->ref_len = len;
    if (text[len] == '+' && text[len + 1] == '=') {
        ret->append = true;
        len++;
    } else if (text[len] == '+') {
        return false;
    }
    if (text[len] == '=')
        ret->value = text + len + 1;
    return text[len] == '\0' || text[len] == '=';
}

/* Does WORD have a positional parameter that is not empty? */
static bool word_has_parameter(const struct shell *sh, const struct word *word)
{
    if (word->kind != WORD_GENERAL)
        return false;
    for (uint32_t i = 0; i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind != PART_PARAM || part->param->form != PARAM_POSITIONAL)
            continue;
        const char *text = param_get(sh, part->param->index);
        if (text && *text)
            return true;
    }
    return false;
}

/* Does the running command write the value of NAME= with a positional parameter? Then a reference
 * to it means a variable of the caller. */
static bool value_is_parameter(const struct shell *sh, const char *name, size_t len)
{
    if (!sh->command || sh->command->kind != NODE_SIMPLE)
        return false;
    const struct node_simple *node = (const struct node_simple *)sh->command;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        const struct assign *assign =
            node->args[i].kind == ARG_ASSIGN ? node->args[i].assign : NULL;
        if (!assign || assign->kind != ASSIGN_WORD || !assign->word || !assign->ref.name ||
            !text_eq(assign->ref.name->text, assign->ref.name->len, name, len))
            continue;
        return word_has_parameter(sh, assign->word);
    }
    return false;
}

/* nameref NAME=TARGET or NAME=TARGET[KEY] */
static enum flow declare_reference(struct shell *sh, const struct decl *decl,
                                   const struct var_ref *ref, const struct operand *operand)
{
    struct var_change change = decl->change;
    if (operand->ref_len != operand->whole_len || operand->assign)
        return shell_fail(sh, ERROR_BUILTIN, 1, decl->command,
                          "%s: reference variable cannot be an array", operand->text);
    if (operand->value) {
        struct operand target;
        if (!operand_parse(operand->value, &target) || target.value)
            return shell_fail(sh, ERROR_BUILTIN, 1, decl->command, "%s: invalid variable name",
                              operand->value);
        change.nameref_target = name_intern(sh, operand->value, target.name_len);
        if (!change.nameref_target)
            return shell_fail_memory(sh, target.name_len);
        if (target.ref_len > target.name_len) {
            size_t len = target.ref_len - target.name_len;
            change.nameref_rest = scratch_dup(sh, operand->value + target.name_len, len);
            if (!change.nameref_rest)
                return shell_fail_memory(sh, len);
        }
        change.nameref_caller = value_is_parameter(sh, operand->text, operand->name_len);
    }
    return var_declare_ref(sh, ref, &change);
}

static enum flow assign_value(struct shell *sh, const struct args *args,
                              const struct var_ref *target, const struct operand *operand)
{
    unsigned flags = operand->append ? ASSIGN_APPEND : 0;
    if (operand->assign)
        return exec_assign(sh, operand->assign, flags);
    if (!operand->value)
        return FLOW_NEXT;
    if (operand->ref_len == operand->whole_len)
        return target->base || target->step_count
                   ? var_set(sh, target, operand->value, strlen(operand->value), flags)
                   : var_set_name(sh, target->name, operand->value, strlen(operand->value), flags);
    struct var_ref ref;
    TRY(operand_ref(sh, args, operand->text, operand->ref_len, &ref));
    ref.base = target->base;
    return var_set(sh, &ref, operand->value, strlen(operand->value), flags);
}

/* typeset -A NAME[SUBSCRIPT]: KIND is meant for NAME, or for the element if NAME is an array
 * already. typeset -a NAME[N] of a new array is one of N elements. */
static enum flow declare_element(struct shell *sh, const struct args *args,
                                 const struct var_ref *whole, const struct operand *operand,
                                 uint32_t kind)
{
    struct var_ref ref, array = *whole;
    struct var *var;
    int64_t unused;
    TRY(var_resolve(sh, &array, &var));
    if (!var || !(var->attrs & VAR_ARRAY)) {
        struct var_change change = { .set = kind & VAR_ASSOC ? VAR_ASSOC : VAR_INDEXED,
                                     .base = -1,
                                     .width = -1 };
        TRY(var_declare_ref(sh, whole, &change));
        if (!(kind & VAR_INDEXED) || operand->value || operand->assign)
            return FLOW_NEXT;
        TRY(operand_ref(sh, args, operand->text, operand->ref_len, &ref));
        ref.base = whole->base;
        return var_size_array(sh, whole, &ref);
    }
    if (!(kind & VAR_ASSOC) || operand->value || operand->assign)
        return FLOW_NEXT;
    TRY(operand_ref(sh, args, operand->text, operand->ref_len, &ref));
    ref.base = whole->base;
    return var_begin_array_in(sh, &ref, VAR_ASSOC, ASSIGN_APPEND, &unused);
}

/* A variable of an enumeration type is never empty. */
static enum flow set_first_value(struct shell *sh, const struct var_ref *ref)
{
    struct var_ref target = *ref;
    struct var *var;
    TRY(var_resolve(sh, &target, &var));
    if (var_is_set(sh, ref) || !var || var->attrs & VAR_ARRAY)
        return FLOW_NEXT;
    return var_set_num(sh, ref, num_int(0), ASSIGN_FORCE);
}

/* TYPE _, or _=(...), in the definition of another one: that extends it, with these values. */
static enum flow extend(struct shell *sh, const struct decl *decl, const struct operand *operand)
{
    const struct assign *assign = operand->assign;
    TRY(type_extend(sh, (struct type *)sh->compound->type, decl->change.type));
    if (assign && assign->kind == ASSIGN_COMPOUND)
        return exec_members(sh, assign, sh->compound);
    return FLOW_NEXT;
}

/* Does OPERAND give the whole variable a new list of members? */
static bool is_new_list(const struct operand *operand)
{
    const struct assign *assign = operand->assign;
    return assign && !operand->append && !assign->append &&
           operand->ref_len == operand->whole_len &&
           (assign->kind == ASSIGN_COMPOUND || (assign->kind == ASSIGN_ARRAY && !assign->elements));
}

/* A type's command: is NAME, in the scope where it is declared, no instance of the type yet? One
 * that is given a list starts anew. */
static enum flow begin_instance(struct shell *sh, const struct var_ref *ref,
                                const struct var_change *change, const struct operand *operand,
                                bool *ret_is_new)
{
    struct members *m;
    if (change->local) {
        const struct var_change scope = { .base = -1, .width = -1, .local = true };
        TRY(var_declare_ref(sh, ref, &scope));
    }
    TRY(var_find_members(sh, ref, &m));
    *ret_is_new = !m || m->type != change->type;
    if (*ret_is_new || change->set & VAR_ARRAY || !is_new_list(operand))
        return FLOW_NEXT;
    *ret_is_new = true;
    return var_unset(sh, ref, false);
}

/* typeset -C and a type's command: what NAME has before it is given its value. */
static enum flow declare_members(struct shell *sh, const struct decl *decl,
                                 const struct var_ref *ref, struct var_change *change,
                                 const struct operand *operand)
{
    bool is_new = false;
    if (change->set & VAR_TYPED)
        TRY(begin_instance(sh, ref, change, operand, &is_new));
    if (decl->is_static && sh->compound && sh->compound->open)
        change->set |= VAR_STATIC;
    TRY(var_declare_ref(sh, ref, change));
    if (!is_new || change->set & VAR_ARRAY)
        return FLOW_NEXT;
    return method_create(sh, ref);
}

/* Does ASSIGN have a subscript at its end? */
static bool is_element(const struct assign *assign)
{
    const struct name_ref *ref = &assign->ref;
    if (ref->step_count)
        return ref->steps[ref->step_count - 1].subscript != NULL;
    return ref->subscript != NULL;
}

/* What OPERAND is about without the subscripts at its end. */
static enum flow whole_ref(struct shell *sh, const struct args *args, const struct operand *operand,
                           struct var_ref *ret)
{
    if (operand->whole_len == operand->name_len &&
        !(operand->assign && operand->assign->ref.step_count)) {
        *ret = var_ref_name(name_intern(sh, operand->text, operand->name_len));
        return ret->name ? FLOW_NEXT : shell_fail_memory(sh, operand->name_len);
    }
    if (!operand->assign || !operand->assign->ref.step_count)
        return operand_ref(sh, args, operand->text, operand->whole_len, ret);
    struct name_ref written = operand->assign->ref;
    struct name_step *steps = scratch_alloc(sh, written.step_count * sizeof *steps);
    if (!steps)
        return shell_fail_memory(sh, written.step_count * sizeof *steps);
    memcpy(steps, written.steps, written.step_count * sizeof *steps);
    written.steps = steps;
    while (written.step_count && !steps[written.step_count - 1].len)
        written.step_count--;
    if (written.step_count)
        steps[written.step_count - 1].subscript = NULL;
    else
        written.subscript = NULL;
    return expand_ref(sh, &written, ret);
}

static enum flow remember_help(struct shell *sh, const struct decl *decl, const struct name *name)
{
    if (!decl->help || !sh->compound || !sh->compound->open)
        return FLOW_NEXT;
    return type_help_add(sh, (struct type *)sh->compound->type, name, decl->help);
}

static enum flow make_readonly(struct shell *sh, const struct var_ref *ref)
{
    struct var_change readonly = { .set = VAR_READONLY, .base = -1, .width = -1 };
    return var_declare_ref(sh, ref, &readonly);
}

static enum flow declare(struct shell *sh, const struct decl *decl, const struct args *args,
                         const struct operand *operand)
{
    struct var_ref ref;
    if (*operand->text == '.' && operand->whole_len == 1) {
        if (!sh->compound || !sh->compound->open)
            return shell_fail(sh, ERROR_BUILTIN, 1, decl->command, "%s: invalid variable name",
                              operand->text);
        ref = var_ref_name(name_intern(sh, ".", 1));
        if (!ref.name)
            return shell_fail_memory(sh, 0);
    } else {
        TRY(whole_ref(sh, args, operand, &ref));
    }
    ref.base = sh->compound;
    TRY(remember_help(sh, decl, ref.name));
    if (sh->compound && sh->compound->open && decl->change.set & VAR_TYPED &&
        text_eq(operand->text, operand->name_len, "_", 1))
        return extend(sh, decl, operand);
    if (decl->change.set & VAR_NAMEREF)
        return declare_reference(sh, decl, &ref, operand);
    struct var_change change = decl->change;
    bool has_value = operand->value || operand->assign;
    if (change.set & VAR_EXPORT && operand->assign && operand->assign->kind == ASSIGN_COMPOUND)
        return shell_fail(sh, ERROR_ASSIGN, 1, ref.name->text,
                          "only simple variables can be exported");
    bool freeze = has_value && (change.set & VAR_READONLY);
    bool subscripted =
        operand->ref_len > operand->whole_len || (operand->assign && is_element(operand->assign));
    change.doomed = has_value && !operand->append && !subscripted;
    if (change.local && change.clear && !change.set && !has_value &&
        !(ref.name->cur && ref.name->cur->owner))
        return FLOW_NEXT; /* `typeset +x v` makes no local, and leaves others as they are */
    if (freeze)
        change.set &= ~(uint32_t)VAR_READONLY;
    uint32_t kind = change.set & VAR_ARRAY;
    if (subscripted)
        change.set &= ~(uint32_t)VAR_ARRAY;
    if (subscripted && change.set & (VAR_COMPOUND | VAR_TYPED))
        change.set |= kind ? kind : VAR_INDEXED;
    /* A local scalar made anew may not meet the array of the same name outside, so it is declared
     * first in any case. */
    if (sh->compound || change.set & (VAR_COMPOUND | VAR_TYPED))
        TRY(declare_members(sh, decl, &ref, &change, operand));
    else
        TRY(var_declare_ref(sh, &ref, &change));
    if (subscripted)
        TRY(declare_element(sh, args, &ref, operand, kind));
    else if (change.set & VAR_ENUM && !has_value)
        TRY(set_first_value(sh, &ref));
    TRY(assign_value(sh, args, &ref, operand));
    return freeze ? make_readonly(sh, &ref) : FLOW_NEXT;
}

/* typeset -S in a ksh function: the local name refers to a hidden global variable, which is given
 * its value by the first call only. */
static enum flow declare_static(struct shell *sh, const struct decl *decl, const struct args *args,
                                const struct operand *operand)
{
    struct str hidden;
    str_init(&hidden, sh->scratch);
    const char *function = sh->frame->func->function_name;
    struct func *func = func_find(sh, function, strlen(function));
    str_printf(&hidden, STATIC_PREFIX "%s/%.*s", function, (int)operand->name_len, operand->text);
    if (func)
        func->has_statics = true;
    struct name *target = str_ok(&hidden) ? name_intern(sh, hidden.data, hidden.len) : NULL;
    struct name *name = name_intern(sh, operand->text, operand->name_len);
    if (!target || !name)
        return shell_fail_memory(sh, hidden.len);
    bool first = !target->cur || (!value_is_set(&target->cur->value) &&
                                  !(target->cur->attrs & ~(uint32_t)VAR_NOTHING));
    struct var_change reference = { .set = VAR_NAMEREF | VAR_STATIC,
                                    .base = -1,
                                    .width = -1,
                                    .local = true,
                                    .nameref_target = target };
    TRY(var_declare(sh, name, &reference));
    if (!first)
        return FLOW_NEXT;
    struct var_change change = decl->change;
    const struct var_ref local = var_ref_name(name);
    bool has_value = operand->value || operand->assign;
    bool freeze = has_value && (change.set & VAR_READONLY);
    if (freeze)
        change.set &= ~(uint32_t)VAR_READONLY;
    change.local = false;
    change.global = true;
    TRY(var_declare(sh, target, &change));
    if (change.set & VAR_ENUM && !has_value)
        TRY(set_first_value(sh, &local));
    TRY(assign_value(sh, args, &local, operand));
    return freeze ? make_readonly(sh, &local) : FLOW_NEXT;
}

/* ---- typeset -m new=old ---------------------------------------------------------------------- */

static enum flow move_variable(struct shell *sh, const struct decl *decl, const struct args *args,
                               const struct operand *operand)
{
    const char *text;
    size_t len;
    struct var_ref from, to;
    const char *old = operand->value;
    if (operand->assign && operand->assign->kind == ASSIGN_WORD && operand->assign->word) {
        TRY(expand_text(sh, operand->assign->word, &old, &len));
        TRY(expand_ref(sh, &operand->assign->ref, &to)); /* new[i]=old */
    } else if (old) {
        TRY(operand_ref(sh, args, operand->text, operand->ref_len, &to));
    }
    if (!old)
        return shell_fail(sh, ERROR_BUILTIN, 1, decl->command, "%s: new=old expected",
                          operand->text);
    TRY(operand_ref(sh, args, old, strlen(old), &from));
    struct var *var;
    struct members *m;
    struct var_ref target = from;
    TRY(var_resolve(sh, &target, &var));
    if (!var || (!var_is_set(sh, &from) && var_count_in(sh, &from) == 0))
        return shell_fail(sh, ERROR_BUILTIN, 1, decl->command, "%s: no such variable", old);
    bool whole = target.kind == REF_SCALAR;
    TRY(var_find_members(sh, &from, &m));
    if (m && !(whole && var->attrs & VAR_ARRAY)) {
        const struct var_change change = { .set = m->type ? VAR_TYPED : 0,
                                           .type = m->type,
                                           .base = -1,
                                           .width = -1,
                                           .local = decl->change.local };
        bool is_member = to.step_count && to.steps[to.step_count - 1].kind == REF_MEMBER;
        if (is_member || (to.kind == REF_SCALAR && !to.step_count))
            TRY(var_declare_ref(sh, &to, &change));
        TRY(var_copy_compound(sh, &to, m, 0));
        return var_unset(sh, &from, false);
    }
    if (whole && to.kind == REF_SCALAR) {
        struct var_change change = { .set = var->attrs &
                                            ~(uint32_t)(VAR_NOTHING | VAR_SPECIAL | VAR_READONLY),
                                     .base = var->base ? var->base : -1,
                                     .width = var->width,
                                     .local = decl->change.local };
        change.type = var->attrs & (VAR_ENUM | VAR_TYPED) ? var->type : NULL;
        TRY(var_declare_ref(sh, &to, &change));
    }
    if (whole && var->attrs & VAR_ARRAY) {
        TRY(var_copy_array(sh, &to, var->array));
    } else {
        TRY(var_get(sh, &from, &text, &len));
        text = scratch_dup(sh, text ? text : "", len);
        if (!text)
            return shell_fail_memory(sh, len);
        TRY(var_set(sh, &to, text, len, 0));
    }
    return var_unset(sh, &from, false);
}

enum flow decl_operands(struct shell *sh, const struct decl *decl, const struct args *args)
{
    for (size_t i = args->next; i < args->count; i++) {
        struct operand operand;
        const struct assign *assign = args->assigns ? args->assigns[i] : NULL;
        if (decl->change.dynamic && strcmp(args->argv[i], "-") == 0) {
            TRY(option_localize(sh, scope_call(sh)));
            continue;
        }
        if (!operand_parse(args->argv[i], &operand))
            return shell_fail(sh, ERROR_BUILTIN, 1, decl->command, "%s: %s", args->argv[i],
                              strcmp(decl->command, "export") == 0 ? "is not an identifier"
                                                                   : "invalid variable name");
        operand.assign = assign;
        if (decl->move)
            TRY(move_variable(sh, decl, args, &operand));
        else if (decl->define_type)
            TRY(type_define_operand(sh, args->argv[i], assign));
        else if (decl->is_static && decl->change.local && !sh->compound)
            TRY(declare_static(sh, decl, args, &operand));
        else
            TRY(declare(sh, decl, args, &operand));
    }
    sh->status = 0;
    return FLOW_NEXT;
}

/* ---- the commands --------------------------------------------------------------------------- */

enum flow decl_run(struct shell *sh, struct args *args, struct decl *decl)
{
    enum flow flow = FLOW_NEXT;
    uint32_t implied = decl->change.set;
    decl->command = args->argv[0];
    decl->any_option = implied != 0 || decl->functions;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        TRY(decl_take_option(sh, args, option, decl));
    }
    const char *lone = args_peek(args, 0);
    if (lone && strcmp(lone, "+") == 0 && args_left(args) == 1) { /* typeset + */
        args->next++;
        decl->names_only = decl->any_option = true;
    }
    TRY(decl_check_options(sh, args, decl));
    if (decl->change.dynamic && !scope_call(sh))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "can only be used in a function");
    if (!(decl->change.set & VAR_NUMERIC) && decl->last_case)
        decl->change.set &= ~(uint32_t)(VAR_LOWER | VAR_UPPER) | decl->last_case;
    if (decl->change.set & VAR_NUMERIC && decl->last_size)
        decl->change.set &= ~(uint32_t)(VAR_LOWER | VAR_LONG | VAR_SHORT) | decl->last_size;
    if (decl->functions)
        return decl_functions(sh, decl, args);
    if (decl->define_type && args_left(args) == 0)
        return types_list(sh);
    if (args_left(args) == 0)
        return decl_list(sh, decl);
    if (decl->print && decl->change.set == implied)
        return decl_print(sh, decl, args);
    return decl_operands(sh, decl, args);
}

static enum flow typeset_with(struct shell *sh, struct args *args, uint32_t set)
{
    struct decl decl = { .change = {
                             .set = set, .base = -1, .width = -1, .local = var_in_function(sh) } };
    return decl_run(sh, args, &decl);
}

static enum flow typeset_run(struct shell *sh, struct args *args)
{
    return typeset_with(sh, args, 0);
}

static enum flow local_run(struct shell *sh, struct args *args)
{
    struct decl decl = { .change = { .base = -1, .width = -1, .local = true, .dynamic = true } };
    return decl_run(sh, args, &decl);
}

/* The word of bash for it: local in functions of both kinds, and typeset outside. */
static enum flow declare_run(struct shell *sh, struct args *args)
{
    return scope_call(sh) ? local_run(sh, args) : typeset_run(sh, args);
}

static enum flow integer_run(struct shell *sh, struct args *args)
{
    return typeset_with(sh, args, VAR_INTEGER | VAR_LONG);
}

static enum flow float_run(struct shell *sh, struct args *args)
{
    return typeset_with(sh, args, VAR_EXPONENT | VAR_LONG);
}

static enum flow nameref_run(struct shell *sh, struct args *args)
{
    return typeset_with(sh, args, VAR_NAMEREF);
}

static enum flow compound_run(struct shell *sh, struct args *args)
{
    return typeset_with(sh, args, VAR_COMPOUND);
}

static enum flow autoload_run(struct shell *sh, struct args *args)
{
    struct decl decl = { .functions = true, .undefined = true };
    return decl_run(sh, args, &decl);
}

static enum flow functions_run(struct shell *sh, struct args *args)
{
    struct decl decl = { .change = { .base = -1, .width = -1 }, .functions = true };
    return decl_run(sh, args, &decl);
}

static enum flow export_run(struct shell *sh, struct args *args)
{
    struct decl decl = { .change = { .set = VAR_EXPORT, .base = -1, .width = -1 },
                         .word = "export" };
    return decl_run(sh, args, &decl);
}

static enum flow readonly_run(struct shell *sh, struct args *args)
{
    struct decl decl = { .change = { .set = VAR_READONLY, .base = -1, .width = -1 },
                         .word = "readonly" };
    return decl_run(sh, args, &decl);
}

static const struct builtin_option typeset_options[] = {
    { .letter = 'a', .argument = "?[type]", .help = "indexed array", .plus = true },
    { .letter = 'A', .help = "associative array", .plus = true },
    { .letter = 'b', .help = "binary data, held as base64", .plus = true },
    { .letter = 'C', .help = "compound variable", .plus = true },
    { .letter = 'E',
      .argument = "?n",
      .numeric = true,
      .plus = true,
      .help = "floating number, shown with n significant digits (10)" },
    { .letter = 'F',
      .argument = "?n",
      .numeric = true,
      .plus = true,
      .help = "floating number, shown with n decimals (10)" },
    { .letter = 'f', .help = "functions instead of variables", .plus = true },
    { .letter = 'g', .help = "the global variable, also in a function", .plus = true },
    { .letter = 'H', .help = "the name of a file of the host system", .plus = true },
    { .letter = 'h', .argument = "string", .help = "help for a member of a type" },
    { .letter = 'i',
      .argument = "?base",
      .numeric = true,
      .help = "integer, shown in this base (10)",
      .plus = true },
    { .letter = 'l', .help = "to lower case; with -i -E -F: long", .plus = true },
    { .letter = 'L',
      .argument = "?n",
      .numeric = true,
      .plus = true,
      .help = "left-justified in n columns; with -Z without leading zeros" },
    { .letter = 'm', .help = "new=old moves a variable" },
    { .letter = 'M', .argument = "mapping", .help = "toupper or tolower", .plus = true },
    { .letter = 'n', .help = "name reference", .plus = true },
    { .letter = 'p', .help = "print declarations that can be read back", .plus = true },
    { .letter = 'r', .help = "read-only", .plus = true },
    { .letter = 'R',
      .argument = "?n",
      .numeric = true,
      .help = "right-justified in n columns",
      .plus = true },
    { .letter = 's', .help = "with -i: short", .plus = true },
    { .letter = 'S', .help = "keeps its value between calls of the function", .plus = true },
    { .letter = 't', .help = "tagged; with -f: traced", .plus = true },
    { .letter = 'T', .argument = "?tname", .help = "define a type", .plus = true },
    { .letter = 'u',
      .help = "to upper case; with -i: unsigned; with -f: to be loaded when called",
      .plus = true },
    { .letter = 'x', .help = "exported", .plus = true },
    { .letter = 'X',
      .argument = "?n",
      .numeric = true,
      .help = "floating number, shown in hexadecimal",
      .plus = true },
    { .letter = 'Z',
      .argument = "?n",
      .numeric = true,
      .plus = true,
      .help = "right-justified in n columns and filled with zeros" },
    { 0 },
};

static const struct builtin_option print_option[] = {
    { .letter = 'p', .help = "print commands that can be read back" },
    { 0 },
};

#define TYPESET_DOC                                                                                \
    "Gives variables attributes and values. With + an attribute is taken away. Inside a function " \
    "defined with the "                                                                            \
    "word function the variables become local to it. Without names the variables that have the "   \
    "attributes are "                                                                              \
    "listed, with + only their names; without options their attributes too."

const struct builtin_spec typeset_spec = {
    .name = "typeset",
    .flags = BUILTIN_SPECIAL | BUILTIN_DECL,
    .options = typeset_options,
    .usage = "[name[=value]...]\n-f [-tu] [name...]\n-m [name=name...]\n-n [-g] [name=name...]",
    .summary = "declare variables, list them and functions",
    .doc = TYPESET_DOC,
    .run = typeset_run,
};

const struct builtin_spec integer_spec = {
    .name = "integer",
    .kin = &typeset_spec,
    .flags = BUILTIN_DECL,
    .options = typeset_options,
    .usage = "[name[=value]...]",
    .summary = "declare integer variables: typeset -li",
    .doc = TYPESET_DOC,
    .run = integer_run,
};

const struct builtin_spec local_spec = {
    .name = "local",
    .flags = BUILTIN_DECL,
    .options = typeset_options,
    .usage = "[name[=value]...]",
    .summary = "declare variables of a function",
    .doc = "The variables belong to the running function, of whichever kind, and are seen by the "
           "POSIX functions that it calls. With a name of - what set changes ends with the "
           "function, too. The options are those of typeset.",
    .run = local_run,
};

const struct builtin_spec declare_spec = {
    .name = "declare",
    .flags = BUILTIN_DECL,
    .options = typeset_options,
    .usage = "[name[=value]...]",
    .summary = "declare variables, local in a function",
    .doc = "Is local in a function of either kind and typeset outside of functions, as scripts "
           "written for bash expect. The options are those of typeset.",
    .run = declare_run,
};

const struct builtin_spec float_spec = {
    .name = "float",
    .kin = &typeset_spec,
    .flags = BUILTIN_DECL,
    .options = typeset_options,
    .usage = "[name[=value]...]",
    .summary = "declare floating variables: typeset -lE",
    .doc = TYPESET_DOC,
    .run = float_run,
};

const struct builtin_spec nameref_spec = {
    .name = "nameref",
    .kin = &typeset_spec,
    .flags = BUILTIN_DECL,
    .options = typeset_options,
    .usage = "[name=name...]",
    .summary = "declare name references: typeset -n",
    .doc = "Makes each name another name of the variable given as its value.",
    .run = nameref_run,
};

const struct builtin_spec compound_spec = {
    .name = "compound",
    .kin = &typeset_spec,
    .flags = BUILTIN_DECL,
    .options = typeset_options,
    .usage = "[name[=value]...]",
    .summary = "declare compound variables: typeset -C",
    .doc = TYPESET_DOC,
    .run = compound_run,
};

const struct builtin_spec autoload_spec = {
    .name = "autoload",
    .kin = &typeset_spec,
    .options = typeset_options,
    .usage = "[name...]",
    .summary = "declare functions to be loaded when called: typeset -fu",
    .doc = "Each name is a function whose definition is in the file of that name in a directory of "
           "FPATH.",
    .run = autoload_run,
};

const struct builtin_spec functions_spec = {
    .name = "functions",
    .kin = &typeset_spec,
    .options = typeset_options,
    .usage = "[name...]",
    .summary = "list functions: typeset -f",
    .doc = "Shows the functions of these names, or all, so that they can be read back; with + "
           "their names only. -t "
           "turns tracing of a function on, -u declares one to be loaded when called.",
    .run = functions_run,
};

const struct builtin_spec export_spec = {
    .name = "export",
    .flags = BUILTIN_SPECIAL | BUILTIN_DECL,
    .options = print_option,
    .usage = "[name[=value]...]",
    .summary = "export variables to commands",
    .doc = "Puts the variables into the environment of the commands that are run; without names "
           "lists those that "
           "are there.",
    .run = export_run,
};

const struct builtin_spec readonly_spec = {
    .name = "readonly",
    .flags = BUILTIN_SPECIAL | BUILTIN_DECL,
    .options = print_option,
    .usage = "[name[=value]...]",
    .summary = "make variables read-only",
    .doc =
        "The variables can no longer be changed or unset; without names lists those that cannot.",
    .run = readonly_run,
};
