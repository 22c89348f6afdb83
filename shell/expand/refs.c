/*
 * refs: written references -> references to elements.
 *
 * Evaluates subscripts: as text for associative arrays, as arithmetic for all others. Keys are
 * copied to scratch. Members of compound variables and further subscripts are parsed but not
 * supported; they fail here.
 */
#include "shell/arith/arith.h"
#include "shell/expand/build.h"
#include "shell/syntax/parse.h"

static enum flow subscript_key(struct shell *sh, const struct word *word, struct var_ref *ret)
{
    TRY(expand_text(sh, word, &ret->key, &ret->key_len));
    ret->kind = REF_KEY;
    return FLOW_NEXT;
}

static enum flow subscript_index(struct shell *sh, const struct word *word, struct var_ref *ret)
{
    struct num n;
    TRY(expand_arith(sh, word, &n));
    ret->index = num_to_int(n);
    ret->kind = REF_INDEX;
    return FLOW_NEXT;
}

/* Is the variable behind NAME an associative array? */
static enum flow is_associative(struct shell *sh, struct name *name, bool *ret)
{
    struct var_ref base = var_ref_name(name);
    struct var *var = name->cur;
    if (var && var->attrs & VAR_NAMEREF)
        TRY(var_resolve(sh, &base, &var));
    *ret = var && var->attrs & VAR_ASSOC;
    return FLOW_NEXT;
}

enum flow expand_ref(struct shell *sh, const struct name_ref *ref, struct var_ref *ret)
{
    if (ref->step_count > 0)
        return shell_fail(sh, ERROR_UNSUPPORTED, 1, ref->name->text,
                          ref->steps[0].len ? "compound variable: not supported yet"
                                            : "multi-dimensional array: not supported yet");
    struct var_ref r = var_ref_name(ref->name);
    if (ref->subscript_all) {
        r.kind = REF_ALL;
        r.all = ref->subscript_all;
    } else if (ref->subscript) {
        bool associative;
        TRY(is_associative(sh, ref->name, &associative));
        if (associative)
            TRY(subscript_key(sh, ref->subscript, &r));
        else
            TRY(subscript_index(sh, ref->subscript, &r));
    }
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
static enum flow range_index(struct shell *sh, struct name *name, const char *text, size_t len,
                             int64_t value, int64_t *ret)
{
    *ret = value;
    if (len == 0)
        return FLOW_NEXT;
    TRY(arith_eval_int(sh, text, len, ret));
    if (*ret < 0)
        *ret += var_next_index(sh, name);
    return FLOW_NEXT;
}

enum flow elements_range(struct shell *sh, const struct name_ref *ref, struct elements *e,
                         bool *ret)
{
    if (!has_dots(ref->subscript))
        return FLOW_NEXT;
    const char *text;
    size_t len;
    bool associative;
    TRY(expand_text(sh, ref->subscript, &text, &len));
    const char *dots = memmem(text, len, "..", 2);
    size_t first_len = (size_t)(dots - text), last_len = len - first_len - 2;
    TRY(is_associative(sh, ref->name, &associative));
    *ret = true;
    if (associative) {
        const char *first = scratch_dup(sh, text, first_len);
        if (!first)
            return shell_fail_memory(sh, first_len);
        e->from_key = first_len ? first : NULL;
        e->to_key = last_len ? dots + 2 : NULL;
        return FLOW_NEXT;
    }
    TRY(range_index(sh, ref->name, text, first_len, 0, &e->from_index));
    TRY(range_index(sh, ref->name, dots + 2, last_len, INT64_MAX, &e->to_index));
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
    /* A literal key is borrowed from the program. */
    if (flow == FLOW_NEXT && ret->kind == REF_KEY) {
        ret->key = scratch_dup(sh, ret->key, ret->key_len);
        if (!ret->key)
            flow = shell_fail_memory(sh, ret->key_len);
    }
    program_release(program);
    if (flow == FLOW_NEXT)
        *ret_ok = true;
    return flow;
}
