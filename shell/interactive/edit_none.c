/*
 * memksh without a line editor (-DMEMKSH_EDIT=OFF): lines are read as they come. In place of edit.c
 * and what only it uses.
 */
#include "shell/interactive/edit.h"

struct edit *edit_new(struct shell *sh)
{
    (void)sh;
    return NULL;
}

void edit_free(struct edit *edit)
{
    (void)edit;
}

ptrdiff_t edit_read(struct edit *edit, const char *prompt, const char **ret_text)
{
    (void)edit, (void)prompt, (void)ret_text;
    return 0;
}

void edit_prefill(struct edit *edit, const char *text, size_t len)
{
    (void)edit, (void)text, (void)len;
}

void edit_remember(struct edit *edit, const char *text, bool erase)
{
    (void)edit, (void)text, (void)erase;
}
