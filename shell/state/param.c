/*
 * Positional parameters.
 *
 * sh->params points to the struct of the innermost call that has parameters of its own; a call's
 * struct is on the C stack and borrows the arguments. `set --` replaces the contents of the struct
 * in force by a copy, one block that holds pointers and texts (STORAGE). Shifting only moves a
 * pointer.
 *
 * Journaled for the nearest subshell when the struct in force is older than that subshell; a struct
 * made inside it dies with it.
 */
#include "shell/state/param.h"

#include <string.h>

#include "shell/state/frame.h"

static const char *no_params[1];

enum flow param_init(struct shell *sh)
{
    sh->params = mem_alloc(sh->heap, sizeof *sh->params);
    if (!sh->params)
        return shell_fail_memory(sh, sizeof *sh->params);
    *sh->params = (struct params){ .argv = no_params };
    return FLOW_NEXT;
}

void param_release(struct shell *sh)
{
    if (!sh->params)
        return;
    mem_free(sh->params->storage);
    mem_free(sh->params);
    sh->params = NULL;
}

/* The struct that was in force and what it held. */
struct param_save {
    struct params *params;
    struct params old;
};

static void restore(struct shell *sh, void *a, uintptr_t b)
{
    struct param_save *save = a;
    (void)b;
    mem_free(save->params->storage);
    *save->params = save->old;
    mem_free_sized(sh->nodes, save, sizeof *save);
}

/* Before the parameters in force change. Storage that moves into the journal is borrowed from there
 * afterwards. */
static enum flow param_save(struct shell *sh)
{
    struct params *params = sh->params;
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (!frame_should_record(target, params->stamp))
        return FLOW_NEXT;
    struct param_save *save = mem_alloc(sh->nodes, sizeof *save);
    if (!save || frame_record_call(sh, target, restore, save, 0) != FLOW_NEXT) {
        mem_free(save);
        return shell_fail_memory(sh, sizeof *save);
    }
    *save = (struct param_save){ .params = params, .old = *params };
    params->stamp = target->id;
    params->storage = NULL;
    return FLOW_NEXT;
}

/* One block for COUNT pointers, a NULL, and the texts. */
static const char **params_copy(struct shell *sh, size_t count, const char *const *argv,
                                size_t *ret_bytes)
{
    size_t bytes = (count + 1) * sizeof *argv;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(argv[i]) + 1;
    *ret_bytes = bytes;
    const char **copy = mem_alloc(sh->heap, bytes);
    if (!copy)
        return NULL;
    char *text = (char *)(copy + count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(argv[i]) + 1;
        memcpy(text, argv[i], len);
        copy[i] = text;
        text += len;
    }
    copy[count] = NULL;
    return copy;
}

enum flow param_set(struct shell *sh, size_t count, const char *const *argv)
{
    size_t bytes;
    const char **copy = params_copy(sh, count, argv, &bytes);
    if (!copy)
        return shell_fail_memory(sh, bytes);
    enum flow flow = param_save(sh);
    if (flow != FLOW_NEXT) {
        mem_free(copy);
        return flow;
    }
    struct params *params = sh->params;
    mem_free(params->storage);
    params->argv = copy;
    params->count = count;
    params->storage = copy;
    return FLOW_NEXT;
}

void param_enter(struct shell *sh, struct params *params, size_t count, const char *const *argv,
                 struct params **ret_outer)
{
    *params = (struct params){ .argv = (const char **)argv, .count = count, .stamp = sh->frame_id };
    *ret_outer = sh->params;
    sh->params = params;
}

void param_leave(struct shell *sh, struct params *outer)
{
    mem_free(sh->params->storage);
    sh->params = outer;
}

enum flow param_shift(struct shell *sh, size_t count)
{
    if (count == 0)
        return FLOW_NEXT;
    TRY(param_save(sh));
    sh->params->argv += count;
    sh->params->count -= count;
    return FLOW_NEXT;
}

const char *param_get(const struct shell *sh, size_t index)
{
    if (index == 0)
        return sh->arg0;
    return index <= sh->params->count ? sh->params->argv[index - 1] : NULL;
}
