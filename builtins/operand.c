/*
 * Operands that several builtins take: variables and descriptors.
 *
 * A plain name needs no parser. A reference is resolved before its program goes, so its key is
 * copied.
 */
#include "builtins/operand.h"

#include <errno.h>
#include <string.h>

#include "shell/state/fdtab.h"
#include "shell/syntax/parse.h"

enum flow operand_ref(struct shell *sh, const struct args *args, const char *text, size_t len,
                      struct var_ref *ret)
{
    struct name *name = text[len] ? NULL : name_of_operand(sh, text);
    if (!name && text_is_name(text, len)) {
        name = name_intern(sh, text, len);
        if (!name)
            return shell_fail_memory(sh, len);
    }
    if (name) {
        *ret = var_ref_name(name);
        return FLOW_NEXT;
    }
    struct program *program;
    struct name_ref written;
    if (!parse_name_ref(sh->parse_hooks, text, len, &program, &written))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%.*s: invalid variable name",
                          (int)(len < 200 ? len : 200), text);
    enum flow flow = sh->hooks.resolve_ref(sh, &written, ret);
    if (flow == FLOW_NEXT && ret->kind == REF_KEY) {
        ret->key = scratch_dup(sh, ret->key, ret->key_len);
        if (!ret->key)
            flow = shell_fail_memory(sh, ret->key_len);
    }
    program_release(program);
    return flow;
}

enum flow operand_fd(struct shell *sh, const struct args *args, const char *text, int coproc,
                     int *ret)
{
    int64_t fd;
    if (strcmp(text, "p") == 0) {
        if (coproc < 0)
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "no query process");
        *ret = coproc;
        return FLOW_NEXT;
    }
    if (!num_parse_int(text, strlen(text), &fd) || fd < 0 || fd > INT32_MAX ||
        !fdtab_is_open(sh, (int)fd))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "bad file unit number [%s]",
                          strerror(EBADF));
    *ret = (int)fd;
    return FLOW_NEXT;
}
