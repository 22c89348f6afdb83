/*
 * What a command name means: special builtin, function, builtin, or a program to be found in PATH
 * (POSIX 2.9.1.4).
 *
 * For literal command words the answer is kept in the program's cache slot of the word, guarded by
 * sh->command_epoch, which changes with every function, builtin or PATH change; a hit is two
 * compares. Slots borrow: a function's or builtin's address is good as long as the epoch stands.
 */
#include "shell/exec/exec_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell/state/cache.h"
#include "shell/state/cmdhash.h"
#include "shell/state/namespace.h"

void command_resolve(struct shell *sh, const char *name, size_t len, bool no_function,
                     struct command *ret)
{
    *ret = (struct command){ .kind = COMMAND_EXTERNAL };
    if (memchr(name, '/', len))
        return;
    const struct builtin_spec *spec = sh->hooks.find_builtin(sh, name, len);
    if (__builtin_expect(sh->space != NULL, 0) && !(spec && spec->flags & BUILTIN_SPECIAL)) {
        const struct name *own = space_find(sh, name, len);
        if (own && own->func && !no_function) {
            ret->kind = COMMAND_FUNCTION;
            ret->func = own->func;
            return;
        }
    }
    if (!(spec && (spec->flags & BUILTIN_SPECIAL)) && !no_function) {
        struct func *func = func_find(sh, name, len);
        if (func) {
            ret->kind = COMMAND_FUNCTION;
            ret->func = func;
            return;
        }
    }
    if (spec) {
        ret->kind = COMMAND_BUILTIN;
        ret->spec = spec;
        ret->special = (spec->flags & BUILTIN_SPECIAL) != 0;
        ret->prefix = strcmp(spec->name, "command") == 0;
    }
}

static void command_from_slot(const struct cache_slot *slot, struct command *ret)
{
    *ret = (struct command){ .kind = COMMAND_EXTERNAL };
    if (slot->extra == EXTRA_BUILTIN || slot->extra == EXTRA_IDLE || slot->extra == EXTRA_PREFIX) {
        ret->kind = COMMAND_BUILTIN;
        ret->spec = slot->data;
        ret->special = (ret->spec->flags & BUILTIN_SPECIAL) != 0;
        ret->prefix = slot->extra == EXTRA_PREFIX;
    } else if (slot->extra == EXTRA_FUNCTION) {
        ret->kind = COMMAND_FUNCTION;
        ret->func = slot->data;
    }
}

static uint32_t slot_extra(const struct command *command)
{
    if (command->kind == COMMAND_FUNCTION)
        return EXTRA_FUNCTION;
    if (command->kind != COMMAND_BUILTIN)
        return EXTRA_EXTERNAL;
    if (command->prefix)
        return EXTRA_PREFIX;
    return command->spec->flags & BUILTIN_IDLE ? EXTRA_IDLE : EXTRA_BUILTIN;
}

void command_resolve_cached(struct shell *sh, const struct word *word, struct command *ret)
{
    struct cache_slot *slot = sh->debug_no_fastpath ? NULL : cache_at(sh, word->cache);
    if (slot && slot->kind == CACHE_COMMAND && slot->epoch == sh->command_epoch) {
        command_from_slot(slot, ret);
        return;
    }
    command_resolve(sh, word->text, word->len, false, ret);
    if (!slot)
        return;
    void *data = ret->kind == COMMAND_BUILTIN ? (void *)ret->spec : (void *)ret->func;
    if (cache_put(slot, CACHE_COMMAND, data, NULL)) {
        slot->epoch = sh->command_epoch;
        slot->extra = slot_extra(ret);
    }
}

bool command_autoload(struct shell *sh, const char *name, struct command *ret)
{
    if (!autoload_path(sh, name))
        return false;
    struct name *interned = name_intern(sh, name, strlen(name));
    if (!interned || func_declare_autoload(sh, interned) != FLOW_NEXT)
        return false;
    ret->func = func_find(sh, name, strlen(name));
    ret->kind = COMMAND_FUNCTION;
    return ret->func != NULL;
}

enum flow command_path(struct shell *sh, const char *name, bool default_path, const char **ret_path)
{
    if (strchr(name, '/')) {
        if (option_on(sh, OPTION_RESTRICTED))
            return shell_fail(sh, ERROR_COMMAND, 1, name, "restricted");
        *ret_path = name;
        return FLOW_NEXT;
    }
    if (*name) {
        const char *path = cmdhash_find(sh, name, default_path);
        if (path) {
            *ret_path = path;
            return FLOW_NEXT;
        }
        if (errno == EACCES || errno == EISDIR)
            return shell_fail(sh, ERROR_COMMAND, 126, name, "cannot execute [%s]", strerror(errno));
    }
    return shell_fail(sh, ERROR_COMMAND, 127, name, "not found");
}
