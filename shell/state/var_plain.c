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

/* Stores TEXT in VALUE, an element, or appends it. */
static inline bool set_element(struct shell *sh, struct value *value, const char *text, size_t len,
                               unsigned flags)
{
    if ((flags & ASSIGN_APPEND) && (value->bits & (VALUE_TEXT | VALUE_INT)))
        return value_append_text(sh->heap, value, text, len);
    return value_put_text(sh->heap, value, text, len);
}

/* VALUE was put into ARRAY, as ELEMENT or at INDEX, for what then could not be stored. */
static enum flow put_failed(struct shell *sh, struct array *array, const struct value *value,
                            struct element *element, int64_t index, size_t len)
{
    bool is_new = !value_is_set(value) && value_stamp(value) == 0; /* else buried */
    if (!value_is_set(value))
        array->count--;
    if (is_new && element)
        array_remove_element(array, element);
    else if (is_new)
        array_remove_index(array, index);
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
    if (!*ret_done || __builtin_expect(set_element(sh, value, text, len, flags), 1))
        return FLOW_NEXT;
    return put_failed(sh, var->array, value, element, 0, len);
}

enum flow var_plain_set_index(struct shell *sh, struct var *var, int64_t index, const char *text,
                              size_t len, unsigned flags, bool *ret_done)
{
    char small[VALUE_INLINE + 1]; /* TEXT may sit in an element that moves when the array grows */
    if (len <= VALUE_INLINE) {
        text_move_short(small, text, len);
        text = small;
    }
    struct value *value = array_put_index(var->array, index);
    if (!value)
        return shell_fail_memory(sh, sizeof *value);
    *ret_done = !(value->bits & (VALUE_ARRAY | VALUE_COMPOUND));
    if (!*ret_done || __builtin_expect(set_element(sh, value, text, len, flags), 1))
        return FLOW_NEXT;
    return put_failed(sh, var->array, value, NULL, index, len);
}
