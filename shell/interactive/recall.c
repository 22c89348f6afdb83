/*
 * Calling commands back: the history as libedit asks for it.
 *
 * libedit keeps no history of its own; whatever it asks for comes from state/history.c, so that
 * what other shells added can be called back too. It walks from the newest command on, each time
 * anew. A command is copied when it is given out: libedit wants an end to it.
 */
#include "shell/interactive/edit_private.h"
#include "shell/state/history.h"

/* Gives out command NUMBER. */
static int give(struct recall *recall, HistEventW *event, int64_t number)
{
    static const wchar_t end[] = L"\n";
    size_t len;
    const char *text = history_get(recall->sh, number, &len);
    if (!text)
        return -1;
    recall->at = number;
    str_clear(&recall->text);
    cluster_append_wide(&recall->sh->editor->clusters, &recall->text, text, len);
    str_append(&recall->text, (const char *)end, sizeof end);
    if (!str_ok(&recall->text))
        return -1;
    event->num = (int)number;
    event->str = (const wchar_t *)(const void *)recall->text.data;
    return 0;
}

/* Whether an equal command was given out before, since the walk began. */
static bool is_seen(struct recall *recall, int64_t number)
{
    size_t len;
    const char *text = history_get(recall->sh, number, &len);
    if (!text)
        return false;
    if (map_get(&recall->seen, text, len))
        return true;
    (void)map_put(&recall->seen, text, len, recall);
    return false;
}

/* The next older command; of several equal ones only the newest, if users want it so. */
static int give_older(struct recall *recall, HistEventW *event)
{
    int64_t number = recall->at - 1;
    if (history_control(recall->sh, "erasedups"))
        while (is_seen(recall, number))
            number--;
    return give(recall, event, number);
}

static int recall_event(void *ctx, HistEventW *event, int op, ...)
{
    struct recall *recall = ctx;
    struct shell *sh = recall->sh;
    *event = (HistEventW){ .str = L"" };
    switch (op) {
    case H_FIRST:
        recall->at = history_next(sh);
        map_release(&recall->seen);
        map_init(&recall->seen, sh->heap);
        return give_older(recall, event);
    case H_NEXT:
        return give_older(recall, event);
    case H_PREV:
        return give(recall, event, recall->at + 1);
    case H_LAST:
        return give(recall, event, history_first(sh));
    case H_CURR:
        return give(recall, event, recall->at);
    case H_GETSIZE:
        event->num = (int)(history_next(sh) - history_first(sh));
        return 0;
    default:
        return -1;
    }
}

void recall_init(struct recall *recall, struct shell *sh, EditLine *line)
{
    *recall = (struct recall){ .sh = sh };
    str_init(&recall->text, sh->heap);
    map_init(&recall->seen, sh->heap);
    el_wset(line, EL_HIST, recall_event, recall);
}

void recall_release(struct recall *recall)
{
    str_release(&recall->text);
    map_release(&recall->seen);
}
