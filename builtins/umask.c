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
#include "shell/state/cwd.h"

static mode_t who_bits(char who)
{
    switch (who) {
    case 'u':
        return S_IRWXU;
    case 'g':
        return S_IRWXG;
    case 'o':
        return S_IRWXO;
    default:
        return S_IRWXU | S_IRWXG | S_IRWXO;
    }
}

/* The bits that one permission letter stands for; letters u g o copy from ALLOWED. */
static bool permission_bits(char c, mode_t allowed, mode_t *ret_bits)
{
    switch (c) {
    case 'r':
        *ret_bits |= S_IRUSR | S_IRGRP | S_IROTH;
        return true;
    case 'w':
        *ret_bits |= S_IWUSR | S_IWGRP | S_IWOTH;
        return true;
    case 'x':
    case 'X':
        *ret_bits |= S_IXUSR | S_IXGRP | S_IXOTH;
        return true;
    case 's':
    case 't':
        return true;
    case 'u':
        *ret_bits |= (allowed >> 6 & 7) * 0111;
        return true;
    case 'g':
        *ret_bits |= (allowed >> 3 & 7) * 0111;
        return true;
    case 'o':
        *ret_bits |= (allowed & 7) * 0111;
        return true;
    default:
        return false;
    }
}

/* clause(,clause)* with clause: [ugoa]*([+-=][rwxXstugo]*)+ */
static bool parse_symbolic(const char *text, mode_t *allowed)
{
    const char *p = text;
    for (;;) {
        mode_t who = 0;
        for (; *p && strchr("ugoa", *p); p++)
            who |= who_bits(*p);
        if (!who)
            who = who_bits('a');
        if (!*p || !strchr("+-=", *p))
            return false;
        while (*p && strchr("+-=", *p)) {
            char operation = *p++;
            mode_t bits = 0;
            for (; *p && *p != ',' && !strchr("+-=", *p); p++)
                if (!permission_bits(*p, *allowed, &bits))
                    return false;
            if (operation == '=')
                *allowed &= ~who;
            if (operation == '-')
                *allowed &= ~(bits & who);
            else
                *allowed |= bits & who;
        }
        if (*p != ',')
            return *p == '\0';
        p++;
    }
}

static bool parse_octal(const char *text, mode_t *ret_mask)
{
    mode_t mask = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '7')
            return false;
        mask = mask * 8 + (mode_t)(*text - '0');
        if (mask > 07777)
            return false;
    }
    *ret_mask = mask & 0777;
    return true;
}

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
        if (!parse_octal(operand, &mask))
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad number", operand);
    } else {
        mode_t allowed = ~sh->umask & 0777;
        if (!parse_symbolic(operand, &allowed))
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: bad format", operand);
        mask = ~allowed & 0777;
    }
    return umask_set(sh, mask);
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
