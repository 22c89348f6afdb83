/*
 * trap: what to do when a signal arrives or at an event (EXIT, ERR, DEBUG).
 *
 * The first operand is the action: text to run, `-` or a number for the default, empty to ignore.
 * Listed traps can be read back as commands.
 */
#include <ctype.h>
#include <signal.h>
#include <string.h>

#include "builtins/builtin.h"
#include "shell/exec/exec.h"
#include "shell/exec/trap.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

/* How -p shows a condition. */
enum form {
    FORM_COMMAND,     /* a command that brings the action back; nothing for the default */
    FORM_ANY_COMMAND, /* the same, also for the default: POSIX */
    FORM_ACTION,      /* only the action, as ksh93 does for a single condition */
};

static enum flow print_trap(struct shell *sh, int signal, enum form form)
{
    const char *action = trap_get(sh, signal);
    struct str text;

    if (!action && form == FORM_ANY_COMMAND)
        action = "-";
    if (!action)
        return FLOW_NEXT;
    str_init(&text, sh->heap);
    if (form == FORM_ACTION) {
        str_append_z(&text, action);
    } else {
        str_append_z(&text, "trap -- ");
        text_quote(&text, action, strlen(action));
        str_putc(&text, ' ');
        str_append_z(&text, trap_name(signal));
    }
    str_putc(&text, '\n');
    bool ok = str_ok(&text);
    out_write(sh->out, str_text(&text), text.len);
    str_release(&text);
    return ok ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

static enum flow print_all(struct shell *sh, enum form form)
{
    bool upward = option_on(sh, OPTION_POSIX); /* as other shells */
    for (int i = 0; i < TRAP_END; i++) {
        int signal = upward ? i : TRAP_END - 1 - i;
        if (trap_name(signal))
            TRY(print_trap(sh, signal, form));
    }
    return FLOW_NEXT;
}

static enum flow trap_one(struct shell *sh, int signal, const char *action)
{
    /* A virtual subshell would catch the signals of the whole shell. `trap - INT` of what is not
     * trapped changes nothing. */
    if (signal != TRAP_EXIT && signal < TRAP_ERR && (action || trap_get(sh, signal)))
        TRY(subshell_materialize(sh));
    return trap_set(sh, signal, action);
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static enum flow trap_builtin_run(struct shell *sh, struct args *args)
{
    bool print = false;
    enum flow flow = FLOW_NEXT;
    const char *action = NULL;
    size_t first = 0;

    /* `trap -` is an operand, not an option */
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        print = true;
    }
    sh->status = 0;
    enum form form = print && option_on(sh, OPTION_POSIX) ? FORM_ANY_COMMAND
                     : print && args_left(args) == 1      ? FORM_ACTION
                                                          : FORM_COMMAND;
    if (!args_left(args))
        return print_all(sh, form);
    if (!print && !is_number(args_peek(args, 0))) {
        action = args_peek(args, first++);
        if (strcmp(action, "-") == 0 || strcmp(action, "+") == 0)
            action = NULL;
        if (args_left(args) == 1) {
            if (trap_parse(args_peek(args, 0)) < 0)
                return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "condition(s) required");
            action = NULL;
            first = 0;
        }
    }
    for (size_t i = first; i < args_left(args); i++) {
        int signal = trap_parse(args_peek(args, i));
        if (signal < 0) { /* POSIX: not an error that ends the shell */
            shell_warn(sh, args->argv[0], "%s: bad trap", args_peek(args, i));
            sh->status = 1;
            continue;
        }
        if (print)
            TRY(print_trap(sh, signal, form));
        else
            TRY(trap_one(sh, signal, action));
    }
    return FLOW_NEXT;
}

static const struct builtin_option trap_options[] = {
    { .letter = 'p', .help = "show the actions of the given conditions" },
    { 0 },
};

const struct builtin_spec trap_spec = {
    .name = "trap",
    .flags = BUILTIN_SPECIAL,
    .options = trap_options,
    .usage = "[action condition ...]",
    .summary = "say what to do on signals and events",
    .doc = "Runs action when one of the conditions occurs: a signal by name or number, EXIT or 0 "
           "when the "
           "shell or function ends, ERR when a command fails, DEBUG before each command, "
           "MEM when limit= of VMALLOC_OPTIONS is passed. An empty "
           "action "
           "ignores the signal; - brings the default back. Without operands the actions are shown.",
    .run = trap_builtin_run,
};
