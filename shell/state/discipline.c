/*
 * Calling disciplines.
 *
 * .sh.name, .sh.subscript and .sh.value, and `_` (method.c), are temporary variables of a CMD frame
 * around the call, so that calls may nest and nothing of them is left. $? is not touched. A
 * discipline is not called for what it does to its own variable itself.
 *
 * Must not look at values: reading and writing are var_read.c's and var_write.c's business.
 */
#include "shell/state/discipline.h"

#include <string.h>

#include "shell/state/func.h"
#include "shell/state/method.h"
#include "shell/state/type.h"

static const char *const kind_names[DISCIPLINE_COUNT] = { "get", "getn", "set", "append", "unset" };

/* `x.get` with the name in front of it cut off; -1: no discipline. The shell's own names (.sh.x)
 * and those of namespaces may end in anything; those of types are kept by type.c. */
static int kind_of(const struct name *name, size_t *ret_base_len)
{
    const char *dot = memrchr(name->text, '.', name->len);
    if (!dot || dot == name->text || strncmp(name->text, ".sh.type.", 9) == 0)
        return -1;
    size_t len = (size_t)(dot - name->text);
    for (int kind = 0; kind < DISCIPLINE_COUNT; kind++) {
        if (strcmp(dot + 1, kind_names[kind]) == 0) {
            *ret_base_len = len;
            return kind;
        }
    }
    *ret_base_len = name->text[0] == '.' ? 0 : len;
    return -1;
}

bool discipline_is_name(const char *text, size_t len)
{
    for (int kind = 0; kind < DISCIPLINE_COUNT; kind++)
        if (text_eq(text, len, kind_names[kind], strlen(kind_names[kind])))
            return true;
    return false;
}

enum flow discipline_attach(struct shell *sh, const struct name *name)
{
    size_t base_len = 0;
    int kind = kind_of(name, &base_len);
    if (base_len == 0)
        return FLOW_NEXT;
    struct name *base = name_intern(sh, name->text, base_len);
    if (!base)
        return shell_fail_memory(sh, base_len);
    struct var_ref ref = var_ref_name(base);
    struct members *m = NULL;
    if (kind < 0) {
        TRY(var_find_members(sh, &ref, &m));
        if (m)
            return FLOW_NEXT;
        struct var *var;
        TRY(var_resolve(sh, &ref, &var));
        if (!var) /* a name with dots in it, such as other shells allow */
            return FLOW_NEXT;
        return shell_fail(sh, ERROR_ASSIGN, 1, name->text, "invalid discipline function");
    }
    struct var *var;
    TRY(var_resolve(sh, &ref, &var));
    if (var && (var->attrs & VAR_DISCIPLINE))
        return FLOW_NEXT;
    struct var_change change = { .set = VAR_DISCIPLINE, .base = -1, .width = -1 };
    return var_declare(sh, base, &change);
}

/* `LABEL.kind`, a function of the variable alone. */
static struct func *find_own(struct shell *sh, const struct var *var, enum discipline kind)
{
    const char *label = var_label(sh, var), *last = kind_names[kind];
    const struct name *name = name_find_below(sh, label, strlen(label), last, strlen(last));
    return name ? name->func : NULL;
}

/* The one for this member of the type that PLACE is a member of an instance of, or else that of the
 * type that it is an instance of. */
static struct func *find_typed(struct shell *sh, const struct place *place, enum discipline kind)
{
    const struct members *own = place_members(place);
    const struct type *type;
    struct func *func;
    struct str path, longer;
    str_init(&path, sh->scratch);
    str_append_z(&path, kind_names[kind]);
    for (const struct var *at = place->var; at && at->in; at = at->in->of) {
        str_init(&longer, sh->scratch);
        str_printf(&longer, "%s.%s", at->name->text, str_text(&path));
        path = longer;
        type = at->in->type;
        if (type && str_ok(&path) && (func = type_method(sh, type, str_text(&path))))
            return func;
    }
    type = own ? own->type : NULL;
    if (!type && (place->var->attrs & VAR_TYPED))
        type = place->var->type;
    return type && type->prototype ? type_method(sh, type, kind_names[kind]) : NULL;
}

static struct func *find(struct shell *sh, const struct place *place, enum discipline kind)
{
    struct func *func = find_own(sh, place->var, kind);
    return func ? func : find_typed(sh, place, kind);
}

static bool is_active(const struct shell *sh, const struct var *var, enum discipline kind)
{
    for (const struct discipline_call *call = sh->discipline; call; call = call->outer)
        if (call->var == var && call->kind == kind)
            return true;
    return false;
}

bool discipline_has(struct shell *sh, const struct place *place, enum discipline kind)
{
    return !is_active(sh, place->var, kind) && find(sh, place, kind);
}

enum flow discipline_detach(struct shell *sh, const struct var *var)
{
    for (int kind = 0; kind < DISCIPLINE_COUNT; kind++) {
        struct func *func = find_own(sh, var, kind);
        if (func)
            TRY(func_unset(sh, func->name));
    }
    return FLOW_NEXT;
}

static enum flow call_bound(struct shell *sh, const struct place *place, struct func *func,
                            const char *text, size_t len, const char **ret_text, size_t *ret_len)
{
    struct name *value;
    TRY(method_bind(sh, place));
    TRY(method_bind_name(sh, ".sh.value", text, len, &value));
    const char *const argv[] = { func->name->text, NULL };
    TRY(sh->hooks.call_function(sh, func, 1, argv));
    TRY(var_get_name(sh, value, ret_text, ret_len));
    if (!*ret_text)
        return FLOW_NEXT;
    *ret_text = scratch_dup(sh, *ret_text, *ret_len);
    return *ret_text ? FLOW_NEXT : shell_fail_memory(sh, *ret_len);
}

enum flow discipline_call(struct shell *sh, const struct place *place, enum discipline kind,
                          const char *text, size_t len, bool *ret_called, const char **ret_text,
                          size_t *ret_len)
{
    struct func *func = is_active(sh, place->var, kind) ? NULL : find(sh, place, kind);
    *ret_called = false;
    *ret_text = NULL;
    *ret_len = 0;
    if (!func || !sh->hooks.call_function)
        return FLOW_NEXT;
    struct discipline_call call = { .var = place->var, .kind = kind, .outer = sh->discipline };
    struct frame frame;
    int status = sh->status;
    sh->discipline = &call;
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = call_bound(sh, place, func, text, len, ret_text, ret_len);
    frame_pop(sh, &frame);
    sh->discipline = call.outer;
    if (flow == FLOW_NEXT)
        sh->status = status;
    *ret_called = true;
    return flow;
}
