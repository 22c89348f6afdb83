/*
 * memksh without a line editor (-DMEMKSH_EDIT=OFF): lines are read as they come. In place of edit.c
 * and what only it uses.
 */
#include "shell/interactive/edit.h"

void edit_offer(struct shell *sh)
{
    (void)sh;
}

struct edit *edit_new(struct shell *sh)
{
    (void)sh;
    return NULL;
}

void edit_free(struct edit *edit)
{
    (void)edit;
}

enum edit_result edit_read(struct edit *edit, const struct str *prompt, bool is_continuation,
                           const char **ret_text, size_t *ret_len)
{
    (void)edit, (void)prompt, (void)is_continuation, (void)ret_text, (void)ret_len;
    return EDIT_END;
}

void edit_prefill(struct edit *edit, const char *text, size_t len, bool up)
{
    (void)edit, (void)text, (void)len, (void)up;
}
