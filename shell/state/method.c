/*
 * Functions of variables: methods of types, functions c.f of compound variables, and what both and
 * disciplines find when they run.
 *
 * `_` refers to the variable that a function is called for; .sh.name is its name. Both are
 * temporary variables of the CMD frame around the call.
 */
#include "shell/state/method.h"

#include <string.h>

#include "shell/state/discipline.h"
#include "shell/state/func.h"
#include "shell/state/scope.h"
#include "shell/state/type.h"

enum flow method_bind_name(struct shell *sh, const char *what, const char *text, size_t len,
                           struct name **ret_name)
{
    struct name *name = name_intern(sh, what, strlen(what));
    struct var *var;
    if (!name)
        return shell_fail_memory(sh, 0);
    TRY(scope_temporary(sh, name, false, &var));
    var->attrs = VAR_NOTHING;
    *ret_name = name;
    return text ? var_set_name(sh, name, text, len, ASSIGN_FORCE) : FLOW_NEXT;
}

/* `_` refers to PLACE during a call. */
static enum flow bind_this(struct shell *sh, const struct place *place)
{
    struct name *name = name_intern(sh, "_", 1);
    struct str rest;
    struct var *var;
    if (!name)
        return shell_fail_memory(sh, 0);
    str_init(&rest, sh->scratch);
    const struct var *root = place_append_path(place, false, &rest);
    if (root->in)
        return FLOW_NEXT; /* a prototype, which has no name of its own */
    TRY(scope_temporary(sh, name, false, &var));
    char *text = rest.len ? text_dup_n(sh->heap, rest.data, rest.len) : NULL;
    if (rest.len && (!str_ok(&rest) || !text))
        return shell_fail_memory(sh, rest.len);
    var_state_clear(sh, &var->state);
    var->state = (struct var_state){ .attrs = VAR_NAMEREF, .width = -1 };
    var->target = root->name;
    var->target_var = (struct var *)root;
    var->target_rest = text;
    return FLOW_NEXT;
}

enum flow method_bind(struct shell *sh, const struct place *place)
{
    struct name *unused;
    struct str label;
    char digits[24];
    const char *subscript = "";
    size_t subscript_len = 0;
    if (place->kind == REF_KEY) {
        subscript = place->key;
        subscript_len = place->key_len;
    } else if (place->kind == REF_INDEX) {
        subscript = digits;
        subscript_len = num_format_int(place->index, digits);
    }
    str_init(&label, sh->scratch);
    var_append_path(place->var, true, &label);
    if (!str_ok(&label))
        return shell_fail_memory(sh, label.len);
    TRY(bind_this(sh, place));
    TRY(method_bind_name(sh, ".sh.name", str_text(&label), label.len, &unused));
    return method_bind_name(sh, ".sh.subscript", subscript, subscript_len, &unused);
}

/* Calls FUNC with the words ARGV for what PLACE means. */
static enum flow method_run(struct shell *sh, const struct place *place, struct func *func,
                            size_t argc, const char *const *argv)
{
    struct frame frame;
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = method_bind(sh, place);
    if (flow == FLOW_NEXT)
        flow = sh->hooks.call_function(sh, func, argc, argv);
    frame_pop(sh, &frame);
    return flow;
}

static enum flow create(struct shell *sh, const struct place *place, struct members *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        struct var *var = m->items[i];
        struct place inner = { .name = var->name, .var = var, .kind = REF_SCALAR };
        struct members *members = place_members(&inner);
        if (members && members->type)
            TRY(create(sh, &inner, members));
    }
    struct func *func = type_method(sh, m->type, "create");
    if (!func)
        return FLOW_NEXT;
    const char *const argv[] = { func->name->text, NULL };
    return method_run(sh, place, func, 1, argv);
}

enum flow method_create(struct shell *sh, const struct var_ref *ref)
{
    struct place place;
    TRY(place_find(sh, ref, &place));
    struct members *m = place.var ? place_members(&place) : NULL;
    if (!m || !m->type || !sh->hooks.call_function)
        return FLOW_NEXT;
    for (const struct members *at = m; at; at = at->of ? at->of->in : NULL)
        if (at->open)
            return FLOW_NEXT; /* a part of a prototype */
    members_hold(m);
    enum flow flow = create(sh, &place, m);
    members_release(m);
    return flow;
}

/* Of what an element would be an instance that is not there yet; NULL: of nothing. */
static const struct type *element_type(const struct place *place)
{
    const struct var *var = place->var;
    bool is_element = place->kind == REF_INDEX || place->kind == REF_KEY;
    return is_element && (var->attrs & VAR_TYPED) && (var->attrs & VAR_ARRAY) ? var->type : NULL;
}

/* The function LAST of what PLACE is alone, by whatever reference it was found; NULL: none. */
static struct func *find_own(struct shell *sh, const struct place *place, const char *last)
{
    struct str path;
    str_init(&path, sh->scratch);
    place_append_path(place, true, &path);
    const struct name *name =
        str_ok(&path) ? name_find_below(sh, str_text(&path), path.len, last, strlen(last)) : NULL;
    return name ? name->func : NULL;
}

/* The function that the command COMMAND (p.len) means, and what of; *RET_FUNC NULL: none. */
static enum flow find_method(struct shell *sh, const char *command, struct place *place,
                             struct func **ret_func)
{
    const char *dot = strrchr(command, '.');
    struct var_ref ref;
    bool ok = false;
    *ret_func = NULL;
    if (!dot || dot == command || !sh->hooks.find_ref)
        return FLOW_NEXT;
    size_t len = (size_t)(dot - command), root_len = strcspn(command + 1, ".[") + 1;
    if (!name_find(sh, command, root_len))
        return FLOW_NEXT;
    TRY(sh->hooks.find_ref(sh, command, len, &ref, &ok));
    if (!ok)
        return FLOW_NEXT;
    TRY(place_find(sh, &ref, place));
    if (!place->var)
        return FLOW_NEXT;
    const struct members *m = place_is_all(place) ? NULL : place_members(place);
    *ret_func = func_find(sh, command, strlen(command));
    const struct type *type = m ? m->type : element_type(place);
    if (!*ret_func && m)
        *ret_func = find_own(sh, place, dot + 1);
    if (!*ret_func && type)
        *ret_func = type_method(sh, type, dot + 1);
    return FLOW_NEXT;
}

enum flow method_command(struct shell *sh, size_t argc, const char *const *argv, bool *ret_done)
{
    struct place place;
    struct func *func;
    TRY(find_method(sh, argv[0], &place, &func));
    *ret_done = func != NULL;
    if (func && element_type(&place))
        TRY(place_make_members(sh, &place));
    return func ? method_run(sh, &place, func, argc, argv) : FLOW_NEXT;
}

struct func *method_find(struct shell *sh, const char *command)
{
    struct place place;
    struct func *func;
    if (find_method(sh, command, &place, &func) == FLOW_NEXT)
        return func;
    sh->err.kind = ERROR_NONE;
    return NULL;
}

enum flow method_output(struct shell *sh, const char *command, const char **ret_text,
                        size_t *ret_len)
{
    struct str output;
    str_init(&output, sh->heap);
    sh->err.kind = ERROR_NONE;
    enum flow flow = sh->hooks.capture_method(sh, command, &output);
    if (flow == FLOW_NEXT) {
        *ret_text = scratch_dup(sh, str_text(&output), output.len);
        *ret_len = output.len;
        if (!*ret_text)
            flow = shell_fail_memory(sh, output.len);
    }
    str_release(&output);
    return flow;
}

enum flow method_value(struct shell *sh, const struct var_ref *ref, const char **ret_text,
                       size_t *ret_len)
{
    struct str command;
    if (sh->err.kind != ERROR_ASSIGN || ref->base || !sh->hooks.capture_method)
        return FLOW_ERROR;
    struct error error = sh->err;
    str_init(&command, sh->scratch);
    var_ref_append(&command, ref);
    if (!str_ok(&command))
        return shell_fail_memory(sh, command.len);
    if (method_find(sh, str_text(&command)))
        return method_output(sh, str_text(&command), ret_text, ret_len);
    sh->err = error;
    return FLOW_ERROR;
}
