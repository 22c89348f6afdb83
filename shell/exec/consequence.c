/*
 * The one table of what an error leads to (POSIX 2.8.1, with ksh93's ways where POSIX leaves a
 * choice): does the script go on with the next command, or does everything up to the nearest
 * boundary end?
 *
 * Boundaries are: a ksh function (its caller goes on), a subshell or command substitution, a
 * prompt, and the whole script. They catch FLOW_ERROR; this file only decides whether it starts to
 * travel. It prints the message, once, and sets $?.
 */
#include "shell/exec/exec.h"
#include "shell/state/option.h"

enum verdict {
    GO_ON,          /* only this command failed */
    IF_SPECIAL,     /* ends when the command was a special builtin */
    UNLESS_SPECIAL, /* ends, but not when eval or dot reported it, except in the POSIX mode */
    END,
};

static const enum verdict verdicts[] = {
    [ERROR_NONE] = GO_ON,
    [ERROR_SYNTAX] = UNLESS_SPECIAL, /* ksh93: eval and dot report it and the script goes on */
    [ERROR_EXPANSION] = END,
    [ERROR_ASSIGN] = END,
    [ERROR_REDIRECT] = IF_SPECIAL,
    [ERROR_BUILTIN] = IF_SPECIAL,
    [ERROR_USAGE] = IF_SPECIAL,
    [ERROR_COMMAND] = IF_SPECIAL, /* exec */
    [ERROR_MEMORY] = GO_ON,
    [ERROR_LIMIT] = END, /* unwinds all of a runaway recursion, see call.c */
    [ERROR_UNSUPPORTED] = END,
};

enum flow exec_consequence(struct shell *sh, bool special)
{
    if (sh->err.printed) /* decided before: it travels */
        return FLOW_ERROR;
    shell_print_error(sh);
    switch (verdicts[sh->err.kind]) {
    case GO_ON:
        return FLOW_NEXT;
    case IF_SPECIAL:
        return special ? FLOW_ERROR : FLOW_NEXT;
    case UNLESS_SPECIAL:
        return special && !option_on(sh, OPTION_POSIX) ? FLOW_NEXT : FLOW_ERROR;
    case END:
        break;
    }
    return FLOW_ERROR;
}
