/*
 * refs: written references -> references to elements.
 *
 * Evaluates subscripts: as text for associative arrays, as arithmetic for all others. Keys are
 * copied to scratch. Further subscripts, of arrays in arrays, and members after a subscript become
 * steps in scratch.
 */
#include "shell/arith/arith.h"
#include "shell/expand/build.h"
#include "shell/syntax/parse.h"

/* One more subscript of R: an index or, of an associative array, a key. */
static enum flow evaluate(struct shell *sh, const struct word *word, const struct var_ref *r,
                          struct ref_step *ret)
{
    const struct var *var = r->name->cur;
    bool is_key = var && var->attrs & VAR_ASSOC;
    if (r->kind != REF_SCALAR || r->base || r->name->parent ||
        (var && var->attrs & (VAR_NAMEREF | VAR_TYPED_INDEX)))
        TRY(var_takes_key(sh, r, &is_key));
    if (is_key) {
        ret->kind = REF_KEY;
        return expand_text(sh, word, &ret->key, &ret->key_len);
    }
    struct num n;
    TRY(expand_arith(sh, word, &n));
    ret->kind = REF_INDEX;
    ret->index = num_to_int(n);
    return FLOW_NEXT;
}

static bool is_all(const struct var_ref *r)
{
    return r->kind == REF_ALL || (r->step_count && r->steps[r->step_count - 1].kind == REF_ALL);
}

enum flow ref_push(struct shell *sh, struct var_ref *r, const struct ref_step *step)
{
    if (r->kind == REF_SCALAR && step->kind != REF_MEMBER) {
        r->kind = step->kind;
        r->all = step->all;
        r->index = step->index;
        r->key = step->key;
        r->key_len = step->key_len;
        return FLOW_NEXT;
    }
    if (r->step_count == REF_STEPS_MAX)
        return shell_fail(sh, ERROR_LIMIT, 1, r->name->text, "too many subscripts");
    struct ref_step *steps = scratch_alloc(sh, (r->step_count + 1) * sizeof *steps);
    if (!steps)
        return shell_fail_memory(sh, (r->step_count + 1) * sizeof *steps);
    if (r->step_count)
        memcpy(steps, r->steps, r->step_count * sizeof *steps);
    steps[r->step_count++] = *step;
    r->steps = steps;
    return FLOW_NEXT;
}

/* A subscript beyond the first; its key is copied, because the program may be gone before R is. */
static enum flow push_inner(struct shell *sh, struct var_ref *r, const struct word *word, char all)
{
    struct ref_step step = { .kind = REF_ALL, .all = all };
    if (is_all(r))
        return shell_fail(sh, ERROR_ASSIGN, 1, r->name->text, "subscript after [%c]", r->all);
    if (!all) {
        TRY(evaluate(sh, word, r, &step));
        if (step.kind == REF_KEY && !(step.key = scratch_dup(sh, step.key, step.key_len)))
            return shell_fail_memory(sh, step.key_len);
    }
    return ref_push(sh, r, &step);
}

static enum flow push_steps(struct shell *sh, struct var_ref *r, const struct name_step *steps,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].len) {
            struct ref_step member = { .kind = REF_MEMBER };
            member.member = name_intern(sh, steps[i].text, steps[i].len);
            if (!member.member)
                return shell_fail_memory(sh, steps[i].len);
            if (is_all(r))
                return shell_fail(sh, ERROR_ASSIGN, 1, r->name->text, "member of all elements");
            TRY(ref_push(sh, r, &member));
        }
        if (steps[i].subscript || steps[i].subscript_all)
            TRY(push_inner(sh, r, steps[i].subscript, steps[i].subscript_all));
    }
    return FLOW_NEXT;
}

enum flow expand_ref(struct shell *sh, const struct name_ref *ref, struct var_ref *ret)
{
    return expand_ref_under(sh, NULL, ref, ret);
}

enum flow expand_ref_under(struct shell *sh, struct members *base, const struct name_ref *ref,
                           struct var_ref *ret)
{
    struct var_ref r = var_ref_name(ref->name);
    r.base = base;
    if (ref->subscript_all) {
        r.kind = REF_ALL;
        r.all = ref->subscript_all;
    } else if (ref->subscript) {
        struct ref_step step = { .kind = REF_INDEX };
        TRY(evaluate(sh, ref->subscript, &r, &step));
        TRY(ref_push(sh, &r, &step));
    }
    if (ref->step_count > 0)
        TRY(push_steps(sh, &r, ref->steps, ref->step_count));
    *ret = r;
    return FLOW_NEXT;
}

enum flow expand_ref_in(struct shell *sh, const struct var_ref *array, const struct name_ref *ref,
                        struct var_ref *ret)
{
    struct var_ref r = *array;
    TRY(push_inner(sh, &r, ref->subscript, ref->subscript_all));
    TRY(push_steps(sh, &r, ref->steps, ref->step_count));
    *ret = r;
    return FLOW_NEXT;
}

/* Does the program text of WORD hold a `..`? */
static bool has_dots(const struct word *word)
{
    for (uint32_t i = 0; i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_LITERAL && memmem(part->literal.text, part->literal.len, "..", 2))
            return true;
    }
    return false;
}

/* One end of a range of indices; empty: VALUE. */
static enum flow range_index(struct shell *sh, const struct var_ref *array, const char *text,
                             size_t len, int64_t value, int64_t *ret)
{
    *ret = value;
    if (len == 0)
        return FLOW_NEXT;
    TRY(arith_eval_int(sh, text, len, ret));
    if (*ret < 0)
        *ret += var_next_index_in(sh, array);
    return FLOW_NEXT;
}

enum flow elements_range(struct shell *sh, const struct name_ref *ref, struct elements *e,
                         struct var_ref *ret_array, bool *ret)
{
    struct name_ref outer = *ref;
    const struct word *word = ref->subscript;
    struct var_ref array;
    if (outer.step_count > 0) {
        const struct name_step *last = &ref->steps[--outer.step_count];
        word = last->len ? NULL : last->subscript;
    } else {
        outer.subscript = NULL;
    }
    if (!word || !has_dots(word))
        return FLOW_NEXT;
    const char *text;
    size_t len;
    bool is_key;
    TRY(expand_ref(sh, &outer, &array));
    TRY(expand_text(sh, word, &text, &len));
    const char *dots = memmem(text, len, "..", 2);
    size_t first_len = (size_t)(dots - text), last_len = len - first_len - 2;
    TRY(var_takes_key(sh, &array, &is_key));
    *ret = true;
    *ret_array = array;
    TRY(ref_push(sh, ret_array, &(struct ref_step){ .kind = REF_ALL, .all = '@' }));
    if (is_key) {
        const char *first = scratch_dup(sh, text, first_len);
        if (!first)
            return shell_fail_memory(sh, first_len);
        e->from_key = first_len ? first : NULL;
        e->to_key = last_len ? dots + 2 : NULL;
        return FLOW_NEXT;
    }
    TRY(range_index(sh, ret_array, text, first_len, 0, &e->from_index));
    TRY(range_index(sh, ret_array, dots + 2, last_len, INT64_MAX, &e->to_index));
    if (e->to_index < e->from_index)
        e->to_index = e->from_index;
    return FLOW_NEXT;
}

enum flow expand_ref_foreign(struct shell *sh, const struct name_ref *ref, struct var_ref *ret)
{
    const struct program *running = sh->program;
    sh->program = NULL;
    enum flow flow = expand_ref(sh, ref, ret);
    sh->program = running;
    return flow;
}

/* Literal keys are borrowed from the program that is about to go. */
static enum flow keep_keys(struct shell *sh, struct var_ref *ref)
{
    struct ref_step *steps = (struct ref_step *)ref->steps; /* scratch, just made */
    for (uint32_t i = 0; i <= ref->step_count; i++) {
        const char **key = i ? &steps[i - 1].key : &ref->key;
        size_t len = i ? steps[i - 1].key_len : ref->key_len;
        if (!*key)
            continue;
        *key = scratch_dup(sh, *key, len);
        if (!*key)
            return shell_fail_memory(sh, len);
    }
    return FLOW_NEXT;
}

enum flow expand_ref_text(struct shell *sh, const char *text, size_t len, struct var_ref *ret,
                          bool *ret_ok)
{
    if (text_is_dotted_name(text, len)) {
        struct name *name = name_intern(sh, text, len);
        if (!name)
            return shell_fail_memory(sh, len);
        *ret = var_ref_name(name);
        *ret_ok = true;
        return FLOW_NEXT;
    }
    struct program *program;
    struct name_ref ref;
    if (!parse_name_ref(sh->parse_hooks, text, len, &program, &ref)) {
        *ret_ok = false;
        return FLOW_NEXT;
    }
    enum flow flow = expand_ref_foreign(sh, &ref, ret);
    if (flow == FLOW_NEXT)
        flow = keep_keys(sh, ret);
    program_release(program);
    if (flow == FLOW_NEXT)
        *ret_ok = true;
    return flow;
}
