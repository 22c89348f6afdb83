/*
 * param: what $x, ${a[i]}, $1, $@ and ${#x}, ${!x}... name, and how lists become fields.
 *
 * Owns struct subject and struct elements. Texts are borrowed from variables as late as possible
 * and go into the builder at once. Operators are in param_op.c.
 */
#include "shell/state/param.h"
#include "shell/base/utf8.h"
#include "shell/expand/build.h"
#include "shell/state/array.h"
#include "shell/state/method.h"
#include "shell/state/namespace.h"
#include "shell/state/option.h"
#include "shell/syntax/unparse.h"

enum flow param_bad(struct shell *sh, const struct part *part)
{
    struct part bare = *part;
    bare.quoted = false;
    struct word word = { .kind = WORD_GENERAL, .parts = &bare, .part_count = 1 };
    struct str text;
    str_init(&text, sh->heap);
    unparse_word(&text, &word);
    enum flow flow = shell_fail(sh, ERROR_EXPANSION, 1, str_text(&text), "bad substitution");
    str_release(&text);
    return flow;
}

/* ---- elements ---- */

/* Is KEY outside the limits of a range? The first one is always inside. */
static bool is_outside(const struct elements *e, const char *key)
{
    if (e->from_key && strcmp(key, e->from_key) == 0)
        return false;
    return (e->from_key && strcmp(key, e->from_key) < 0) ||
           (e->to_key && strcmp(key, e->to_key) > 0);
}

bool elements_next(struct shell *sh, struct elements *e, const char **ret_text, size_t *ret_len)
{
    if (e->left == 0)
        return false;
    if (!e->name) {
        const char *text;
        if (e->zero_first) {
            e->zero_first = false;
            text = sh->arg0 ? sh->arg0 : "";
        } else if (e->next < e->count) {
            text = e->argv[e->next++];
        } else {
            return false;
        }
        e->left--;
        *ret_text = text;
        *ret_len = strlen(text);
        return true;
    }
    struct var_item item;
    while (e->inner ? var_next_in(sh, e->inner, &e->cursor, &item)
                    : var_next(sh, e->name, &e->cursor, &item)) {
        if (item.key ? e->skip > 0 : item.index < e->from_index) {
            e->skip -= e->skip > 0;
            continue;
        }
        if (item.key ? is_outside(e, item.key) : item.index > e->to_index)
            continue;
        e->left--;
        *ret_text = item.text;
        *ret_len = item.len;
        if (e->keys && item.label) {
            *ret_text = item.label;
            *ret_len = strlen(item.label);
        } else if (e->keys && item.key) {
            *ret_text = item.key;
            *ret_len = item.key_len;
        } else if (e->keys) {
            *ret_len = num_format_int(item.index, e->digits);
            *ret_text = e->digits;
        }
        return true;
    }
    return false;
}

size_t elements_count(struct shell *sh, const struct elements *e)
{
    if (e->inner)
        return var_count_in(sh, e->inner);
    return e->name ? var_count(sh, e->name) : e->count - e->next;
}

static void elements_init_params(struct elements *e, const struct shell *sh)
{
    *e = (struct elements){ .argv = (const char *const *)sh->params->argv,
                            .is_params = true,
                            .count = sh->params->count,
                            .left = SIZE_MAX };
}

static void elements_init_array(struct elements *e, struct name *name, bool keys)
{
    *e = (struct elements){ .name = name,
                            .keys = keys,
                            .left = SIZE_MAX,
                            .to_index = INT64_MAX,
                            .cursor.keys_only = keys };
}

enum flow elements_keep(struct shell *sh, struct elements *e)
{
    struct fields kept;
    const char *text;
    size_t len;
    fields_init(&kept);
    while (elements_next(sh, e, &text, &len))
        TRY(fields_push_copy(sh, &kept, text, len));
    *e = (struct elements){ .argv = kept.argv, .count = kept.count, .left = SIZE_MAX };
    return FLOW_NEXT;
}

/* ---- subject ---- */

static void subject_int(struct subject *s, int64_t n)
{
    s->len = num_format_int(n, s->room);
    s->room[s->len] = '\0';
    s->text = s->room;
}

_Static_assert(OPTION_COUNT < sizeof((struct subject *)0)->room, "room for all option letters");

static void find_special(struct shell *sh, char special, struct subject *ret)
{
    switch (special) {
    case '@':
    case '*':
        ret->all = special;
        elements_init_params(&ret->elements, sh);
        break;
    case '#':
        subject_int(ret, (int64_t)sh->params->count);
        break;
    case '?':
        subject_int(ret, sh->status);
        break;
    case '$':
        subject_int(ret, sh->pid);
        break;
    case '!':
        if (sh->last_background > 0)
            subject_int(ret, sh->last_background);
        break;
    case '-':
        option_letters(sh, ret->room);
        ret->text = ret->room;
        ret->len = strlen(ret->room);
        break;
    default:
        break;
    }
}

/* ${a[2..4]}: the elements as a list. */
static enum flow find_range(struct shell *sh, const struct param *param, struct subject *ret)
{
    if (!param->ref.subscript)
        return FLOW_NEXT;
    bool range = false;
    elements_init_array(&ret->elements, param->ref.name, param->prefix == PARAM_BANG);
    TRY(elements_range(sh, &param->ref, &ret->elements, &ret->ref, &range));
    if (!range)
        return FLOW_NEXT;
    ret->all = '@';
    if (ret->ref.step_count)
        ret->elements.inner = &ret->ref;
    return FLOW_NEXT;
}

/* a[@] and m[1][@] */
static void find_all(const struct param *param, struct subject *ret)
{
    const struct var_ref *ref = &ret->ref;
    const struct ref_step *last = ref->step_count ? &ref->steps[ref->step_count - 1] : NULL;
    if ((last ? last->kind : ref->kind) != REF_ALL)
        return;
    ret->all = last ? last->all : ref->all;
    elements_init_array(&ret->elements, ref->name,
                        param->prefix == PARAM_KEYS || param->prefix == PARAM_BANG);
    if (last)
        ret->elements.inner = ref;
}

enum flow subject_find(struct shell *sh, const struct param *param, struct subject *ret)
{
    ret->all = 0;
    ret->is_var = false;
    ret->position = 0;
    ret->text = NULL;
    ret->len = 0;
    switch ((enum param_form)param->form) {
    case PARAM_NAME:
        ret->is_var = true;
        TRY(find_range(sh, param, ret));
        if (ret->all)
            break;
        TRY(expand_ref(sh, &param->ref, &ret->ref));
        find_all(param, ret);
        break;
    case PARAM_POSITIONAL:
        ret->position = param->index;
        if (ret->position)
            break;
        ret->text = sh->arg0;
        ret->len = ret->text ? strlen(ret->text) : 0;
        break;
    case PARAM_SPECIAL:
        find_special(sh, param->special, ret);
        break;
    }
    return FLOW_NEXT;
}

enum flow name_unset(struct shell *sh, const struct name *name)
{
    if (option_on(sh, OPTION_NOUNSET))
        return shell_fail(sh, ERROR_EXPANSION, 1, name->text, "parameter not set");
    return FLOW_NEXT;
}

/* Ended the look for a variable with FLOW and TEXT because there is none? */
static bool is_missing(const struct shell *sh, enum flow flow, const char *text)
{
    return flow == FLOW_NEXT ? !text : flow == FLOW_ERROR && sh->err.kind == ERROR_ASSIGN;
}

/* ${x.f} where there is no such variable but a discipline or function f of x: what `x.f` prints.
 * FLOW: how the look for the variable ended, which stays if there is none. */
static enum flow method_fetch(struct shell *sh, struct subject *s, enum flow flow)
{
    struct str name;
    const struct error error = sh->err;
    str_init(&name, sh->heap);
    var_ref_append(&name, &s->ref);
    if (!str_ok(&name))
        flow = shell_fail_memory(sh, name.len);
    else if (strchr(name.data, '.') && method_find(sh, name.data))
        flow = method_output(sh, name.data, &s->text, &s->len);
    else
        sh->err = error;
    str_release(&name);
    return flow;
}

enum flow subject_fetch(struct shell *sh, struct subject *s)
{
    if (s->position) {
        s->text = param_get(sh, s->position);
        s->len = s->text ? strlen(s->text) : 0;
    } else if (s->all && s->elements.is_params) {
        elements_init_params(&s->elements, sh);
    }
    if (!s->is_var || s->all)
        return FLOW_NEXT;
    s->text = NULL;
    s->len = 0;
    if (s->ref.kind == REF_SCALAR)
        return name_fetch(sh, s->ref.name, &s->text, &s->len);
    enum flow flow = var_get(sh, &s->ref, &s->text, &s->len);
    bool is_member = s->ref.name->parent || s->ref.step_count || s->ref.base;
    return is_member && is_missing(sh, flow, s->text) ? method_fetch(sh, s, flow) : flow;
}

enum flow member_fetch(struct shell *sh, struct name *name, enum flow flow, const char **ret_text,
                       size_t *ret_len)
{
    if (!is_missing(sh, flow, flow == FLOW_NEXT ? *ret_text : NULL))
        return flow;
    struct subject s = { .is_var = true, .ref = var_ref_name(name) };
    flow = method_fetch(sh, &s, flow);
    *ret_text = s.text;
    *ret_len = s.len;
    return flow;
}

void subject_name(const struct param *param, const struct subject *s, struct str *ret)
{
    switch ((enum param_form)param->form) {
    case PARAM_NAME:
        var_ref_append(ret, &s->ref);
        break;
    case PARAM_POSITIONAL:
        str_append_int(ret, param->index);
        break;
    case PARAM_SPECIAL:
        str_putc(ret, param->special);
        break;
    }
}

enum flow subject_check(struct shell *sh, const struct param *param, const struct subject *s)
{
    if (s->text || s->all)
        return FLOW_NEXT;
    if (s->is_var && s->ref.kind == REF_SCALAR)
        return name_unset(sh, s->ref.name);
    if (!option_on(sh, OPTION_NOUNSET))
        return FLOW_NEXT;
    struct str name;
    str_init(&name, sh->heap);
    subject_name(param, s, &name);
    enum flow flow = shell_fail(sh, ERROR_EXPANSION, 1, str_text(&name), "parameter not set");
    str_release(&name);
    return flow;
}

/* ---- lists ---- */

/* "${a[@]}" alone of an associative array that holds texts: its elements one after the other.
 * *RET_DONE false: not so, and nothing was done. */
static enum flow list_texts(struct builder *b, const struct elements *e, bool *ret_done)
{
    enum { PREFETCH_AHEAD = 12 };
    struct array *array = e->name && !e->inner && !e->keys ? var_peek_assoc(e->name) : NULL;
    struct fields *fields = b->fields;
    size_t before = fields->count, count, len;
    bool whole = e->left == SIZE_MAX && !e->skip && !e->from_key && !e->to_key;
    *ret_done = false;
    struct element *const *order = array && whole ? array_order(array, &count) : NULL;
    if (!order || b->sh->debug_no_fastpath)
        return FLOW_NEXT;
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_AHEAD < count)
            __builtin_prefetch(order[i + PREFETCH_AHEAD]);
        const struct value *value = &order[i]->value;
        if (!(value->bits & VALUE_TEXT)) {
            if (!value_is_set(value))
                continue;
            fields->count = before;
            return FLOW_NEXT;
        }
        const char *text = value_text(value, &len);
        TRY(fields_push_copy(b->sh, fields, text, len));
    }
    *ret_done = fields->count > before;
    return FLOW_NEXT;
}

/* "$@": each element a field; the first and the last join what stands beside them in the word. */
static enum flow list_separate(struct builder *b, struct elements *e, struct text_op *op)
{
    struct shell *sh = b->sh;
    const char *text;
    size_t len;
    bool first = true;
    if (b->sole)
        TRY(fields_reserve(sh, b->fields, e->left == SIZE_MAX ? elements_count(sh, e) + 1 : 1));
    if (b->sole && !op) {
        bool done;
        TRY(list_texts(b, e, &done));
        b->soft &= !done;
        if (done)
            return FLOW_NEXT;
    }
    while (elements_next(sh, e, &text, &len)) {
        if (op)
            TRY(text_op_apply(sh, op, &text, &len));
        if (b->sole) {
            TRY(fields_push_copy(sh, b->fields, text, len));
        } else {
            if (!first)
                TRY(build_end_field(b));
            build_quoted(b, text, len);
        }
        first = false;
    }
    if (first)
        b->empty_at = true;
    else if (b->sole)
        b->soft = false; /* it became fields already */
    return FLOW_NEXT;
}

/* $@ and $* where fields are split: each element is split on its own, empty ones vanish. */
static enum flow list_split(struct builder *b, struct elements *e, struct text_op *op)
{
    const char *text;
    size_t len;
    bool first = true;
    while (elements_next(b->sh, e, &text, &len)) {
        if (op)
            TRY(text_op_apply(b->sh, op, &text, &len));
        if (!first)
            TRY(build_end_field(b));
        TRY(build_value(b, text, len));
        first = false;
    }
    return FLOW_NEXT;
}

/* "$*", and any list where one text is wanted. */
static enum flow list_joined(struct builder *b, bool quoted, char all, struct elements *e,
                             struct text_op *op)
{
    const struct ifs_table *ifs = b->sh->ifs;
    const char *glue = all == '*' ? ifs->first : " ";
    size_t glue_len = all == '*' ? ifs->first_len : 1;
    const char *text;
    size_t len;
    bool first = true;
    if (quoted)
        b->soft = true;
    while (elements_next(b->sh, e, &text, &len)) {
        if (op)
            TRY(text_op_apply(b->sh, op, &text, &len));
        if (!first)
            TRY(build_result(b, quoted, glue, glue_len));
        TRY(build_result(b, quoted, text, len));
        first = false;
    }
    return FLOW_NEXT;
}

enum flow param_list(struct builder *b, const struct part *part, struct subject *s,
                     struct text_op *op)
{
    if (b->mode != BUILD_FIELDS || (part->quoted && s->all == '*'))
        return list_joined(b, part->quoted, s->all, &s->elements, op);
    return part->quoted ? list_separate(b, &s->elements, op) : list_split(b, &s->elements, op);
}

/* ---- prefixes ---- */

/* ${#x} ${#a[@]} */
static enum flow param_length(struct builder *b, const struct part *part, struct subject *s)
{
    size_t n;
    if (s->all) {
        n = elements_count(b->sh, &s->elements);
    } else {
        TRY(subject_fetch(b->sh, s));
        TRY(subject_check(b->sh, part->param, s));
        n = utf8_count(s->text, s->len);
    }
    char digits[24];
    return build_result(b, part->quoted, digits, num_format_int((int64_t)n, digits));
}

/* What WRITTEN, a reference to a member that is not there, refers to; or TARGET, as it was
 * resolved. */
static void target_name(const struct shell *sh, const struct var_ref *written,
                        const struct var_ref *target, struct str *ret)
{
    const struct var *var = written->name->cur;
    if (written->kind != REF_SCALAR || !var || !(var->attrs & VAR_NAMEREF) || !var->target ||
        !(target->base || var->target_rest)) {
        var_ref_append(ret, target->base ? written : target);
        return;
    }
    str_append_z(ret, space_short(sh, var->target->text));
    if (var->target_rest)
        str_append_z(ret, var->target_rest);
}

/* ${!x}: the name of what X refers to. */
static enum flow param_bang(struct builder *b, const struct part *part, struct subject *s)
{
    struct shell *sh = b->sh;
    if (!s->is_var)
        return param_bad(sh, part);
    struct var *var;
    const struct var_ref written = s->ref;
    TRY(var_resolve(sh, &s->ref, &var));
    if (var && (var->attrs & VAR_NAMEREF) && !var->target)
        return shell_fail(sh, ERROR_EXPANSION, 1, var->name->text, "no reference name");
    if (!var)
        TRY(name_unset(sh, s->ref.name));
    struct str name;
    str_init(&name, sh->heap);
    if (var && var->in) {
        str_append_z(&name, space_short(sh, var_label(sh, var)));
        var_ref_append_subscripts(&name, &s->ref);
    } else {
        target_name(sh, &written, &s->ref, &name);
    }
    enum flow flow = str_ok(&name) ? build_result(b, part->quoted, str_text(&name), name.len)
                                   : shell_fail_memory(sh, name.len);
    str_release(&name);
    return flow;
}

/* ${!pre@} ${!pre*}, and ${!x.@} ${!x.*}: all members of x */
static enum flow param_prefixes(struct builder *b, const struct part *part)
{
    struct shell *sh = b->sh;
    const struct param *param = part->param;
    const char **texts;
    size_t count;
    struct subject s = { .all = param->members ? param->members_all : param->ref.subscript_all };
    if (param->members) {
        struct var_ref ref;
        TRY(expand_ref(sh, &param->ref, &ref));
        TRY(var_member_names(sh, &ref, &texts, &count));
    } else {
        TRY(var_prefix_names(sh, param->ref.name->text, param->ref.name->len, &texts, &count));
    }
    s.elements = (struct elements){ .argv = texts, .count = count, .left = SIZE_MAX };
    return param_list(b, part, &s, NULL);
}

/* ${@x}: the attributes, as the options of the command that would declare what x means. */
static enum flow param_type(struct builder *b, const struct part *part)
{
    struct shell *sh = b->sh;
    struct var_ref ref;
    struct var *var;
    struct str text;
    TRY(expand_ref(sh, &part->param->ref, &ref));
    TRY(var_resolve(sh, &ref, &var));
    str_init(&text, sh->heap);
    enum flow flow = FLOW_NEXT;
    if (var)
        flow = var_print_command(sh, var, &text);
    if (flow == FLOW_NEXT)
        flow = build_result(b, part->quoted, str_text(&text), text.len);
    str_release(&text);
    return flow;
}

static enum flow param_subject(struct builder *b, const struct part *part)
{
    const struct param *param = part->param;
    struct shell *sh = b->sh;
    struct subject s;
    TRY(subject_find(sh, param, &s));
    if (param->prefix == PARAM_LENGTH)
        return param->op == OP_NONE ? param_length(b, part, &s) : param_bad(sh, part);
    if (param->prefix == PARAM_BANG && !s.all)
        return param_bang(b, part, &s);
    if (param->op != OP_NONE)
        return param_op(b, part, &s);
    if (s.all)
        return param_list(b, part, &s, NULL);
    TRY(subject_fetch(sh, &s));
    if (!s.text)
        TRY(subject_check(sh, param, &s));
    return build_result(b, part->quoted, s.text, s.len);
}

enum flow part_param(struct builder *b, const struct part *part)
{
    const struct param *param = part->param;
    struct shell *sh = b->sh;
    if (param->prefix == PARAM_PREFIXES)
        return param_prefixes(b, part);
    if (param->prefix == PARAM_TYPE)
        return param_type(b, part);
    if (param->plain) {
        const char *text;
        size_t len;
        TRY(name_fetch(sh, param->ref.name, &text, &len));
        if (!text) {
            len = 0;
            TRY(name_unset(sh, param->ref.name));
        }
        return build_result(b, part->quoted, text, len);
    }
    if (param->form == PARAM_POSITIONAL && param->op == OP_NONE && param->prefix == PARAM_PLAIN) {
        const char *text = param_get(sh, param->index);
        if (text)
            return build_result(b, part->quoted, text, strlen(text));
    }
    if (param->op == OP_BAD)
        return param_bad(sh, part);
    if (!shell_enter(sh)) {
        shell_leave(sh);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "expansion: nested too deeply");
    }
    enum flow flow = param_subject(b, part);
    shell_leave(sh);
    return flow;
}
