/*
 * Plain variables: those that mean nothing but what they hold, to which nobody listens, and which
 * no frame has to save now. Reading or writing one is a load or a store, so the loops of most
 * scripts go this way; everything else goes through var.h, which does the same in general.
 */
#ifndef SHELL_STATE_VAR_PLAIN_H
#define SHELL_STATE_VAR_PLAIN_H

#include "shell/state/frame.h"
#include "shell/state/name.h"
#include "shell/state/option.h"
#include "shell/state/value.h"

/* The variable of NAME if a write to it is a store and no more; NULL: it is not. ALLOWED:
 * attributes of VAR_COMPLEX that the caller takes care of. What else could run in between may
 * change the answer. */
static inline struct var *var_plain(const struct shell *sh, const struct name *name,
                                    uint32_t allowed)
{
    struct var *var = name->cur;
    if (!var || (var->attrs & VAR_COMPLEX & ~allowed) || option_on(sh, OPTION_ALLEXPORT))
        return NULL;
    if (__builtin_expect(sh->space != NULL, 0) && !var->in && !var->owner)
        return NULL;
    return frame_should_record(sh->frame->subshell, var->stamp) ? NULL : var;
}

/* The text that NAME's variable holds, where it lies; false: it has to be made or asked for. Dies
 * when the variable changes. */
static inline bool var_peek(const struct name *name, const char **ret_text, size_t *ret_len)
{
    const struct var *var = name->cur;
    if (!var || (var->attrs & VAR_COMPLEX_READ) || !(var->value.bits & VALUE_TEXT))
        return false;
    *ret_text = value_text(&var->value, ret_len);
    return true;
}

/* The associative array of NAME's variable, whose elements that hold text show just that; NULL: it
 * is none. */
static inline struct array *var_peek_assoc(const struct name *name)
{
    const struct var *var = name->cur;
    bool plain = var && (var->attrs & VAR_ASSOC) && !(var->attrs & VAR_COMPLEX_READ & ~VAR_ASSOC);
    return plain ? var->array : NULL;
}

/* Stores TEXT in the plain scalar VAR, or appends it (ASSIGN_APPEND, the only flag allowed). TEXT
 * may be VAR's own. */
enum flow var_plain_append(struct shell *sh, struct var *var, const char *text,
                           size_t len) NODISCARD;
static inline enum flow var_plain_set(struct shell *sh, struct var *var, const char *text,
                                      size_t len, unsigned flags)
{
    if (flags & ASSIGN_APPEND)
        return var_plain_append(sh, var, text, len);
    if (__builtin_expect(value_put_text(sh->heap, &var->value, text, len), 1))
        return FLOW_NEXT;
    return shell_fail_memory(sh, len + 1);
}

/* The same for the element KEY of the plain associative array VAR; TEXT may be an element's.
 * *RET_DONE false: the element is an array or compound, and nothing was done. */
enum flow var_plain_set_key(struct shell *sh, struct var *var, const char *key, size_t key_len,
                            const char *text, size_t len, unsigned flags, bool *ret_done) NODISCARD;

/* The same for the element INDEX, not negative, of the plain indexed array VAR. */
enum flow var_plain_set_index(struct shell *sh, struct var *var, int64_t index, const char *text,
                              size_t len, unsigned flags, bool *ret_done) NODISCARD;

#endif
