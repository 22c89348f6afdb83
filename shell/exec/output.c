/*
 * Lost output is an error (POSIX asks for a message): after a builtin and after a redirected
 * command the descriptor table is asked whether all that had to go out went out.
 */
#include "shell/exec/exec_private.h"

#include <errno.h>
#include <string.h>

#include "shell/state/fdtab.h"

enum flow exec_output_check(struct shell *sh, const char *name, enum flow flow)
{
    if (__builtin_expect(fdtab_command_done(sh), 1))
        return flow;
    if (errno == ENOMEM && sh->out->fd < 0) { /* the command substitution will fail and say so */
        sh->status = 1;
        return flow;
    }
    if (errno == ENOMEM)
        return shell_fail_memory(sh, 0);
    return shell_fail(sh, ERROR_BUILTIN, 1, name, "write to 1 failed: %s", strerror(errno));
}
