/*
 * Calling disciplines.
 *
 * .sh.name, .sh.subscript and .sh.value are temporary variables of a CMD frame around the call, so
 * that calls may nest and nothing of them is left. $? is not touched. A discipline is not called
 * for what it does to its own variable itself.
 *
 * Must not look at values: reading and writing are var_read.c's and var_write.c's business.
 */
#include "shell/state/discipline.h"

#include <string.h>

#include "shell/state/func.h"
#include "shell/state/scope.h"

static const char *const kind_names[DISCIPLINE_COUNT] = { "get", "getn", "set", "append", "unset" };

/* `x.get` with the name in front of it cut off; -1: no discipline. The shell's own names (.sh.x)
 * and those of namespaces may end in anything. */
static int kind_of(const struct name *name, size_t *ret_base_len)
{
    const char *dot = memrchr(name->text, '.', name->len);
    if (!dot || dot == name->text)
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

enum flow discipline_attach(struct shell *sh, const struct name *name)
{
    size_t base_len = 0;
    int kind = kind_of(name, &base_len);
    if (base_len == 0)
        return FLOW_NEXT;
    struct name *base = name_intern(sh, name->text, base_len);
    if (!base)
        return shell_fail_memory(sh, base_len);
    TRY(name_check_supported(sh, base));
    if (kind < 0)
        return shell_fail(sh, ERROR_ASSIGN, 1, name->text, "invalid discipline function");
    struct var_ref ref = var_ref_name(base);
    struct var *var;
    TRY(var_resolve(sh, &ref, &var));
    if (var && (var->attrs & VAR_DISCIPLINE))
        return FLOW_NEXT;
    struct var_change change = { .set = VAR_DISCIPLINE, .base = -1, .width = -1 };
    return var_declare(sh, base, &change);
}

static struct func *find(struct shell *sh, const struct name *name, enum discipline kind)
{
    char room[256];
    size_t kind_len = strlen(kind_names[kind]), len = name->len + 1 + kind_len;
    if (len > sizeof room)
        return NULL;
    memcpy(room, name->text, name->len);
    room[name->len] = '.';
    memcpy(room + name->len + 1, kind_names[kind], kind_len);
    return func_find(sh, room, len);
}

static bool is_active(const struct shell *sh, const struct name *name, enum discipline kind)
{
    for (const struct discipline_call *call = sh->discipline; call; call = call->outer)
        if (call->name == name && call->kind == kind)
            return true;
    return false;
}

bool discipline_has(struct shell *sh, const struct name *name, enum discipline kind)
{
    return find(sh, name, kind) && !is_active(sh, name, kind);
}

enum flow discipline_detach(struct shell *sh, const struct name *name)
{
    for (int kind = 0; kind < DISCIPLINE_COUNT; kind++) {
        struct func *func = find(sh, name, kind);
        if (func)
            TRY(func_unset(sh, func->name));
    }
    return FLOW_NEXT;
}

/* Makes .sh.WHAT a variable of the CMD frame just pushed. TEXT NULL: unset. */
static enum flow bind(struct shell *sh, const char *what, const char *text, size_t len,
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

static enum flow call_bound(struct shell *sh, const struct place *place, struct func *func,
                            const char *text, size_t len, const char **ret_text, size_t *ret_len)
{
    struct name *value, *unused;
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
    TRY(bind(sh, ".sh.name", place->name->text, place->name->len, &unused));
    TRY(bind(sh, ".sh.subscript", subscript, subscript_len, &unused));
    TRY(bind(sh, ".sh.value", text, len, &value));
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
    struct func *func = find(sh, place->name, kind);
    *ret_called = false;
    *ret_text = NULL;
    *ret_len = 0;
    if (!func || is_active(sh, place->name, kind) || !sh->hooks.call_function)
        return FLOW_NEXT;
    struct discipline_call call = { .name = place->name, .kind = kind, .outer = sh->discipline };
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
