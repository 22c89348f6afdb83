/*
 * umask: show or set the file mode creation mask.
 *
 * A mode is octal, or symbolic as for chmod, where the permissions named are those allowed. The
 * mask is journaled, so that a subshell's ends with it.
 */
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "builtins/builtin.h"
#include "builtins/mode.h"
#include "shell/state/cwd.h"

static void print_symbolic(struct out *out, mode_t mask)
{
    static const char who[] = "ugo";
    for (int i = 0; i < 3; i++) {
        unsigned allowed = ~(unsigned)mask >> (6 - 3 * i) & 7;
        out_printf(out, "%c=%s%s%s%s", who[i], allowed & 4 ? "r" : "", allowed & 2 ? "w" : "",
                   allowed & 1 ? "x" : "", i < 2 ? "," : "\n");
    }
}

static enum flow umask_run(struct shell *sh, struct args *args)
{
    bool symbolic = false, command = false;
    enum flow flow = FLOW_NEXT;
    int option;

    /* a mode such as -w is an operand */
    if (!(args->count == 2 && args->argv[1][0] == '-' && args->argv[1][1] &&
          strchr("rwx", args->argv[1][1])))
        while ((option = args_option(sh, args, &flow)) != 0) {
            if (option < 0)
                return flow;
            symbolic |= option == 'S';
            command |= option == 'p';
        }
    if (args_left(args) > 1)
        return builtin_usage_error(sh, args, "too many operands");
    const char *operand = args_peek(args, 0);
    sh->status = 0;
    if (!operand) {
        if (command)
            out_puts(sh->out, symbolic ? "umask -S " : "umask ");
        if (symbolic)
            print_symbolic(sh->out, sh->umask);
        else
            out_printf(sh->out, "%04o\n", (unsigned)sh->umask);
        return FLOW_NEXT;
    }
    mode_t mask;
    if (isdigit((unsigned char)*operand)) {
        if (!mode_parse_octal(operand, 07777, &mask))
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad number", operand);
    } else {
        mode_t allowed = ~sh->umask & 0777;
        if (!mode_parse_symbolic(operand, &allowed))
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad format", operand);
        mask = ~allowed & 0777;
    }
    return umask_set(sh, mask & 0777);
}

static const struct builtin_option options[] = {
    { .letter = 'S', .help = "show the mask as the permissions that it allows" },
    { .letter = 'p', .help = "show the mask as a command that sets it" },
    { 0 },
};

const struct builtin_spec umask_spec = {
    .name = "umask",
    .options = options,
    .usage = "[mode]",
    .summary = "show or set the file creation mask",
    .doc = "Sets the mask of permissions that new files do not get. An octal mode names the bits "
           "to leave "
           "out; a symbolic one, as for chmod, the permissions to allow. Without mode the mask is "
           "shown.",
    .run = umask_run,
};
