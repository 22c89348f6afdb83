/*
 * Assignments of all forms: scalars, elements, whole arrays, arrays in arrays.
 *
 * Values are made before anything is written, and the values of an array are copied before the
 * array is emptied, so that `a=("${a[@]}" x)` sees the old elements. The setters of the state layer
 * journal and convert; this file only decides what to write where.
 *
 * The value of a compound variable is a list of commands, run with sh->compound set: assignments
 * and declarations in it are about members. What those commands run in turn (functions,
 * substitutions) is not: exec/call.c and capture.c take sh->compound away for a while.
 */
#include "shell/exec/exec.h"

#include <string.h>

#include "shell/exec/exec_private.h"
#include "shell/state/members.h"

/* Beyond var_assign_flags: on behalf of a declaration command. */
enum { ASSIGN_DECLARED = 1u << 16 };

/* An element of an array value, ready to be stored. */
struct element {
    const struct assign *assign; /* with its subscript; NULL: the next index */
    const char *text;
    size_t len;
    struct elements *inner;        /* instead of TEXT: an array in the array */
    const struct assign *compound; /* instead of TEXT: members */
};
struct elements {
    struct element *items;
    size_t count, cap;
    bool has_subscript, has_plain, has_inner;
};

static enum flow elements_push(struct shell *sh, struct elements *elements, struct element element)
{
    if (elements->count == elements->cap) {
        size_t cap = elements->cap ? elements->cap * 2 : 16;
        void *items = mem_resize(sh->scratch, elements->items, cap * sizeof element);
        if (!items)
            return shell_fail_memory(sh, cap * sizeof element);
        elements->items = items;
        elements->cap = cap;
    }
    elements->items[elements->count++] = element;
    return FLOW_NEXT;
}

/* Text that may belong to a variable about to be written is copied. */
static enum flow keep_text(struct shell *sh, const struct word *word, const char **text, size_t len)
{
    if (word->kind == WORD_LITERAL)
        return FLOW_NEXT;
    const char *copy = scratch_dup(sh, *text, len);
    if (!copy)
        return shell_fail_memory(sh, len + 1);
    *text = copy;
    return FLOW_NEXT;
}

static enum flow elements_expand(struct shell *sh, const struct word *word,
                                 struct elements *elements)
{
    struct fields fields;
    fields_init(&fields);
    TRY(expand_fields(sh, word, &fields));
    for (size_t i = 0; i < fields.count; i++) {
        struct element element = { .text = fields.argv[i], .len = strlen(fields.argv[i]) };
        TRY(keep_text(sh, word, &element.text, element.len));
        TRY(elements_push(sh, elements, element));
    }
    return FLOW_NEXT;
}

static enum flow elements_gather(struct shell *sh, const struct assign *assign,
                                 struct elements *elements);

/* ( ... ) or [subscript]=( ... ) among the elements */
static enum flow elements_gather_inner(struct shell *sh, const struct assign *item,
                                       struct elements *elements)
{
    struct element element = { .assign = item->ref.subscript ? item : NULL, .text = "" };
    element.inner = mem_alloc_zeroed(sh->scratch, sizeof *element.inner);
    if (!element.inner)
        return shell_fail_memory(sh, sizeof *element.inner);
    elements->has_inner = true;
    TRY(elements_gather(sh, item, element.inner));
    return elements_push(sh, elements, element);
}

static enum flow elements_gather(struct shell *sh, const struct assign *assign,
                                 struct elements *elements)
{
    for (uint32_t i = 0; i < assign->element_count; i++) {
        const struct assign *item = &assign->elements[i];
        elements->has_subscript |= item->ref.subscript != NULL;
        elements->has_plain |= item->ref.subscript == NULL;
        if (item->kind == ASSIGN_COMPOUND) {
            struct element element = { .assign = item->ref.subscript ? item : NULL,
                                       .text = "",
                                       .compound = item };
            elements->has_inner = true;
            TRY(elements_push(sh, elements, element));
            continue;
        }
        if (item->kind == ASSIGN_ARRAY) {
            TRY(elements_gather_inner(sh, item, elements));
            continue;
        }
        if (!item->ref.subscript) {
            if (item->word)
                TRY(elements_expand(sh, item->word, elements));
            continue;
        }
        struct element element = { .assign = item, .text = "" };
        if (item->word) {
            TRY(expand_text(sh, item->word, &element.text, &element.len));
            TRY(keep_text(sh, item->word, &element.text, element.len));
        }
        TRY(elements_push(sh, elements, element));
    }
    return FLOW_NEXT;
}

/* Which kind of array an array value makes: with subscripts an associative one, with plain values
 * an indexed one, as in ksh93, except when it adds to an array or the declaration command at work
 * just said what it is. */
static unsigned array_shape(bool is_array, const struct elements *elements, unsigned flags)
{
    if (is_array && flags & (ASSIGN_APPEND | ASSIGN_DECLARED))
        return 0;
    if (elements->has_plain)
        return elements->has_subscript ? 0 : VAR_INDEXED;
    return elements->has_subscript ? VAR_ASSOC : 0;
}

static void trace_array(struct shell *sh, const struct assign *assign,
                        const struct elements *elements)
{
    struct str s;
    str_init(&s, sh->heap);
    xtrace_append_base(&s, sh->compound);
    str_append(&s, assign->ref.name->text, assign->ref.name->len);
    str_append_z(&s, assign->append ? "+=(" : "=(");
    for (size_t i = 0; i < elements->count; i++) {
        str_putc(&s, ' ');
        text_quote(&s, elements->items[i].text, elements->items[i].len);
    }
    str_append_z(&s, " )");
    xtrace_text(sh, str_text(&s), s.len);
    str_release(&s);
}

/* What ELEMENT of ARRAY is called; NEXT: the index of one without subscript. */
static enum flow element_ref(struct shell *sh, const struct var_ref *array,
                             const struct element *element, int64_t next, struct var_ref *ret)
{
    if (element->assign)
        return expand_ref_in(sh, array, &element->assign->ref, ret);
    *ret = *array;
    return ref_push(sh, ret, &(struct ref_step){ .kind = REF_INDEX, .index = next });
}

/* The index after REF's, whose last subscript may be a key: then 0. */
static int64_t index_after(const struct var_ref *ref)
{
    const struct ref_step *last = ref->step_count ? &ref->steps[ref->step_count - 1] : NULL;
    if ((last ? last->kind : ref->kind) != REF_INDEX)
        return 0;
    return (last ? last->index : ref->index) + 1;
}

/* Are the elements of ARRAY compound by declaration? */
static enum flow holds_compounds(struct shell *sh, const struct var_ref *array, bool *ret)
{
    struct var_ref target = *array;
    struct var *var;
    TRY(var_resolve(sh, &target, &var));
    *ret = var && (var->attrs & (VAR_COMPOUND | VAR_TYPED));
    return FLOW_NEXT;
}

/* ---- members ---- */

/* Runs the commands that make the members of M, whose reference is given up. */
static enum flow members_run(struct shell *sh, const struct list *list, struct members *m)
{
    struct members *outer = sh->compound;
    const struct node *command = sh->command;
    if (!shell_enter(sh)) {
        shell_leave(sh);
        members_release(m);
        return shell_fail(sh, ERROR_LIMIT, 1, NULL, "compound variable: nested too deeply");
    }
    sh->compound = m;
    enum flow flow = exec_list(sh, list);
    sh->compound = outer;
    sh->command = command;
    shell_leave(sh);
    members_release(m);
    return flow;
}

static enum flow compound_store(struct shell *sh, const struct var_ref *target,
                                const struct list *list, unsigned flags)
{
    struct members *m;
    TRY(var_begin_compound(sh, target, flags, &m));
    return members_run(sh, list, m);
}

enum flow exec_members(struct shell *sh, const struct assign *assign, struct members *m)
{
    return members_run(sh, assign->members, members_hold(m));
}

/* ---- arrays ---- */

static enum flow no_append(struct shell *sh, const struct var_ref *array)
{
    return shell_fail(sh, ERROR_ASSIGN, 1, NULL,
                      "cannot append indexed array to associative array %s", array->name->text);
}

/* Makes ARRAY, a variable or an element of one, the array of ELEMENTS. */
static enum flow array_store(struct shell *sh, const struct var_ref *array, unsigned shape,
                             const struct elements *elements, unsigned flags)
{
    int64_t next;
    bool is_assoc, compound;
    TRY(var_begin_array_in(sh, array, shape, flags, &next));
    TRY(var_is_assoc(sh, array, &is_assoc));
    TRY(holds_compounds(sh, array, &compound));
    unsigned element_flags = flags & ~(unsigned)ASSIGN_APPEND;
    struct var_ref ref;
    for (size_t i = 0; i < elements->count; i++) {
        const struct element *element = &elements->items[i];
        unsigned append = element->assign && element->assign->append ? ASSIGN_APPEND : 0;
        if (!element->assign && is_assoc)
            return no_append(sh, array);
        TRY(element_ref(sh, array, element, next, &ref));
        if (element->compound || (element->inner && element->inner->count == 0 && compound)) {
            const struct list *list = element->compound ? element->compound->members : NULL;
            TRY(compound_store(sh, &ref, list, element_flags | append));
        } else if (element->inner) {
            TRY(array_store(sh, &ref, array_shape(false, element->inner, 0), element->inner,
                            element_flags | append));
        } else {
            if ((element->assign || elements->has_inner || array->kind != REF_SCALAR) &&
                xtrace_on(sh))
                xtrace_assign(sh, &ref, append != 0, element->text, element->len);
            TRY(var_set(sh, &ref, element->text, element->len, element_flags | append));
        }
        next = index_after(&ref);
    }
    return FLOW_NEXT;
}

/* A reference that refers to nothing becomes a plain variable when it is assigned an array. */
static enum flow drop_dangling(struct shell *sh, struct name *name)
{
    const struct var *var = name->cur;
    if (!var || !(var->attrs & VAR_NAMEREF) || var->target)
        return FLOW_NEXT;
    struct var_change change = { .clear = VAR_NAMEREF, .base = -1, .width = -1 };
    return var_declare(sh, name, &change);
}

static enum flow assign_array(struct shell *sh, const struct assign *assign, unsigned flags)
{
    struct elements elements = { 0 };
    struct var_ref target;
    struct var *var;
    if (!sh->compound)
        TRY(drop_dangling(sh, assign->ref.name));
    TRY(expand_ref_under(sh, sh->compound, &assign->ref, &target));
    TRY(elements_gather(sh, assign, &elements));
    if (xtrace_on(sh) && !elements.has_subscript && !elements.has_inner &&
        target.kind == REF_SCALAR)
        trace_array(sh, assign, &elements);
    struct var_ref whole = target;
    TRY(var_resolve(sh, &whole, &var));
    bool is_array = whole.kind == REF_SCALAR ? var && var->attrs & VAR_ARRAY : assign->append;
    if (!elements.count && !assign->append && whole.kind == REF_SCALAR && !is_array)
        return compound_store(sh, &target, NULL, flags & ~(unsigned)ASSIGN_DECLARED);
    unsigned shape = array_shape(is_array, &elements, flags);
    if (is_array && whole.kind == REF_SCALAR && shape == VAR_INDEXED && elements.count &&
        var->attrs & VAR_ASSOC && var_count_in(sh, &whole) == 0)
        return no_append(sh, &target); /* one with elements gives way, as in ksh93 */
    if (flags & ASSIGN_DECLARED)
        flags = (flags & ~(unsigned)ASSIGN_DECLARED) | ASSIGN_KEEP_EXPORT;
    return array_store(sh, &target, shape, &elements, flags);
}

/* What most assignments are, without a copy and without a reference in between: a plain variable or
 * an element of a plain associative array, whose key lies somewhere as text. *RET_DONE false:
 * nothing was done. */
static inline enum flow assign_plain(struct shell *sh, const struct assign *assign, unsigned flags,
                                     bool *ret_done)
{
    const struct name_ref *written = &assign->ref;
    struct var *var = var_plain(sh, written->name, VAR_ASSOC);
    const char *text = "", *key;
    size_t len = 0, key_len;
    *ret_done = false;
    if (!var || (flags & ~(unsigned)ASSIGN_APPEND) || sh->compound || xtrace_on(sh))
        return FLOW_NEXT;
    if (assign->word && !expand_peek(sh, assign->word, &text, &len))
        return FLOW_NEXT;
    bool assoc = (var->attrs & VAR_ASSOC) != 0;
    if (!assoc && !written->subscript && !written->subscript_all) {
        *ret_done = true;
        return var_plain_set(sh, var, text, len, flags);
    }
    if (!assoc || !written->subscript || written->step_count || sh->debug_no_fastpath ||
        !expand_peek(sh, written->subscript, &key, &key_len))
        return FLOW_NEXT;
    return var_plain_set_key(sh, var, key, key_len, text, len, flags, ret_done);
}

/* A variable gets a text that has to be made: in place of a copy in scratch, in this frame. */
static enum flow assign_made(struct shell *sh, const struct assign *assign, unsigned flags)
{
    struct buf buf;
    const char *text;
    size_t len;
    enum flow flow = expand_text_in(sh, assign->word, &buf, &text, &len);
    if (flow == FLOW_NEXT && __builtin_expect(xtrace_on(sh), 0)) {
        struct var_ref ref = var_ref_name(assign->ref.name);
        xtrace_assign(sh, &ref, assign->append, text, len);
    }
    if (flow == FLOW_NEXT)
        flow = var_set_name(sh, assign->ref.name, text, len, flags);
    buf_release(&buf);
    return flow;
}

static enum flow assign_word(struct shell *sh, const struct assign *assign, unsigned flags)
{
    bool done;
    TRY(assign_plain(sh, assign, flags, &done));
    if (done)
        return FLOW_NEXT;

    const struct name_ref *written = &assign->ref;
    const struct word *word = assign->word;
    bool plain = !written->subscript && !written->subscript_all && !sh->compound;
    const char *text = "";
    size_t len = 0;
    struct var_ref ref;
    if (plain && word && word->kind == WORD_GENERAL)
        return assign_made(sh, assign, flags);
    if (!plain)
        TRY(expand_ref_under(sh, sh->compound, written, &ref));
    if (word && word->kind == WORD_LITERAL) {
        text = word->text;
        len = word->len;
    } else if (word) {
        TRY(expand_text(sh, word, &text, &len));
    }
    if (plain)
        ref = var_ref_name(written->name);
    if (__builtin_expect(xtrace_on(sh), 0))
        xtrace_assign(sh, &ref, assign->append, text, len);
    if (!plain)
        return var_set(sh, &ref, text, len, flags);
    return var_set_name(sh, written->name, text, len, flags);
}

/* a+=(x=1) of an indexed array means a new element. */
static enum flow append_place(struct shell *sh, struct var_ref *target)
{
    struct var_ref whole = *target;
    struct var *var;
    TRY(var_resolve(sh, &whole, &var));
    bool is_text = var && !(var->attrs & (VAR_ARRAY | VAR_COMPOUND | VAR_TYPED)) &&
                   var_is_set(sh, target); /* it becomes an array, too */
    if (!var || whole.kind != REF_SCALAR || !(is_text || var->attrs & VAR_INDEXED))
        return FLOW_NEXT;
    int64_t next = var_next_index_in(sh, target);
    return ref_push(sh, target, &(struct ref_step){ .kind = REF_INDEX, .index = next });
}

enum flow assign_run(struct shell *sh, const struct assign *assign, unsigned flags)
{
    if (assign->append)
        flags |= ASSIGN_APPEND;
    if (assign->kind == ASSIGN_WORD)
        return assign_word(sh, assign, flags & ~(unsigned)ASSIGN_DECLARED);
    if (assign->kind == ASSIGN_ARRAY)
        return assign_array(sh, assign, flags);
    struct var_ref target;
    TRY(expand_ref_under(sh, sh->compound, &assign->ref, &target));
    if (flags & ASSIGN_APPEND)
        TRY(append_place(sh, &target));
    return compound_store(sh, &target, assign->members, flags & ~(unsigned)ASSIGN_DECLARED);
}

enum flow exec_assign(struct shell *sh, const struct assign *assign, unsigned flags)
{
    return assign_run(sh, assign, flags | ASSIGN_DECLARED);
}
