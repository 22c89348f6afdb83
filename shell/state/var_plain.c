/*
 * Writing plain variables: what is too long for var_plain.h.
 *
 * The callers made sure that the variable is plain: no attribute converts what is written, no
 * discipline or special meaning listens, no record of the journal is due. So a write is a look-up,
 * done once, and a store. What fails for memory leaves everything as it was.
 *
 * Must not be used for anything else: var_write.c is the general way.
 */
#include "shell/state/var_plain.h"

#include "shell/state/array.h"

enum flow var_plain_append(struct shell *sh, struct var *var, const char *text, size_t len)
{
    struct value *value = &var->value;
    bool is_text = (value->bits & (VALUE_TEXT | VALUE_INT)) != 0;
    if (is_text ? value_append_text(sh->heap, value, text, len)
                : value_set_text(sh->heap, value, text, len))
        return FLOW_NEXT;
    return shell_fail_memory(sh, len + 1);
}

/* ELEMENT was put into ARRAY for what then could not be stored. */
static enum flow put_failed(struct shell *sh, struct array *array, struct element *element,
                            size_t len)
{
    if (!value_is_set(&element->value)) {
        array->count--;
        if (value_stamp(&element->value) == 0) /* else it was there before, buried */
            array_remove_element(array, element);
    }
    return shell_fail_memory(sh, len + 1);
}

enum flow var_plain_set_key(struct shell *sh, struct var *var, const char *key, size_t key_len,
                            const char *text, size_t len, unsigned flags, bool *ret_done)
{
    struct element *element = array_put_key(var->array, key, key_len);
    if (!element)
        return shell_fail_memory(sh, key_len + sizeof *element);
    struct value *value = &element->value;
    *ret_done = !(value->bits & (VALUE_ARRAY | VALUE_COMPOUND));
    if (!*ret_done)
        return FLOW_NEXT;
    bool append = (flags & ASSIGN_APPEND) && (value->bits & (VALUE_TEXT | VALUE_INT));
    if (__builtin_expect(append ? value_append_text(sh->heap, value, text, len)
                                : value_put_text(sh->heap, value, text, len),
                         1))
        return FLOW_NEXT;
    return put_failed(sh, var->array, element, len);
}
