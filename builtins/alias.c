/*
 * alias, unalias, hash: other names for commands, and where commands were found.
 *
 * `alias -t` is the old spelling of hash. Aliases live in state/alias, command places in
 * state/cmdhash.
 */
#include <errno.h>
#include <string.h>

#include "builtins/builtin.h"
#include "shell/base/map.h"
#include "shell/state/alias.h"
#include "shell/state/cmdhash.h"
#include "shell/state/var.h"

static enum flow print_alias(struct shell *sh, const char *name, const char *value,
                             bool with_command)
{
    struct str text;

    str_init(&text, sh->heap);
    if (with_command)
        str_append_z(&text, "alias ");
    str_append_z(&text, name);
    str_putc(&text, '=');
    text_quote(&text, value, strlen(value));
    str_putc(&text, '\n');
    bool ok = str_ok(&text);
    out_write(sh->out, str_text(&text), text.len);
    str_release(&text);
    return ok ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

static enum flow print_all(struct shell *sh, bool with_command)
{
    size_t count = 0;
    struct map_slot **slots = map_sorted(&sh->aliases, sh->heap, &count);
    enum flow flow = FLOW_NEXT;

    for (size_t i = 0; i < count && flow == FLOW_NEXT; i++) {
        const char *value = alias_get(sh, slots[i]->key, slots[i]->len);
        if (value)
            flow = print_alias(sh, slots[i]->key, value, with_command);
    }
    mem_free(slots);
    return flow;
}

/* `hash name`, `alias -t name`: forgets what is known and looks again. */
static enum flow track(struct shell *sh, const struct args *args)
{
    for (size_t i = 0; i < args_left(args); i++) {
        const char *name = args_peek(args, i);
        cmdhash_remove(sh, name);
        if (!strchr(name, '/') && !cmdhash_find(sh, name, false)) {
            shell_warn(sh, args->argv[0], "%s: not found", name);
            sh->status = 1;
        }
    }
    return FLOW_NEXT;
}

static enum flow print_tracked(struct shell *sh, bool with_command)
{
    size_t count = 0;
    const char **names;

    TRY(cmdhash_list(sh, &names, &count));
    for (size_t i = 0; i < count; i++) {
        const char *path = cmdhash_find(sh, names[i], false);
        if (path && with_command)
            out_printf(sh->out, "alias -t %s\n", names[i]);
        else if (path)
            out_printf(sh->out, "%s=%s\n", names[i], path);
    }
    return FLOW_NEXT;
}

static bool alias_name_ok(const char *name, size_t len)
{
    return len && !memchr(name, '/', len) && strcspn(name, " \t\n;&|<>()$`\\\"'") >= len;
}

static enum flow alias_run(struct shell *sh, struct args *args)
{
    bool with_command = false, tracked = false, quiet = false;
    enum flow flow = FLOW_NEXT;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        with_command |= option == 'p';
        tracked |= option == 't';
        quiet |= option == 'x';
    }
    sh->status = 0;
    if (tracked)
        return args_left(args) ? track(sh, args)
               : quiet         ? FLOW_NEXT
                               : print_tracked(sh, with_command);
    if (!args_left(args))
        return print_all(sh, with_command);
    for (size_t i = 0; i < args_left(args); i++) {
        const char *operand = args_peek(args, i);
        size_t len = strcspn(operand, "=");
        if (operand[len] == '=') {
            char *name = scratch_dup(sh, operand, len);
            if (!name)
                return shell_fail_memory(sh, len);
            if (!alias_name_ok(name, len))
                return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: invalid alias name",
                                  name);
            TRY(alias_set(sh, name, operand + len + 1));
            continue;
        }
        const char *value = alias_get(sh, operand, len);
        if (value) {
            TRY(print_alias(sh, operand, value, with_command));
        } else {
            shell_warn(sh, args->argv[0], "%s: alias not found", operand);
            if (sh->status < 255)
                sh->status++; /* how many there are not */
        }
    }
    return FLOW_NEXT;
}

static enum flow unalias_run(struct shell *sh, struct args *args)
{
    bool all = false;
    enum flow flow = FLOW_NEXT;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        all |= option == 'a';
    }
    sh->status = 0;
    if (all)
        return alias_unset_all(sh);
    if (!args_left(args))
        return builtin_usage_error(sh, args, "needs an operand");
    for (size_t i = 0; i < args_left(args); i++) {
        bool found = false;
        TRY(alias_unset(sh, args_peek(args, i), &found));
        if (!found) {
            shell_warn(sh, args->argv[0], "%s: alias not found", args_peek(args, i));
            sh->status = 1;
        }
    }
    return FLOW_NEXT;
}

static enum flow hash_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;

    sh->status = 0;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        cmdhash_clear(sh);
        if (!args_left(args))
            return FLOW_NEXT;
    }
    return args_left(args) ? track(sh, args) : print_tracked(sh, false);
}

static const struct builtin_option alias_options[] = {
    { .letter = 'p', .help = "print each as a command that defines it" },
    { .letter = 't', .help = "work on the places of commands, as hash does" },
    { .letter = 'x', .help = "with -t: show nothing; else without effect" },
    { 0 },
};
static const struct builtin_option unalias_options[] = {
    { .letter = 'a', .help = "remove all aliases" },
    { 0 },
};
static const struct builtin_option hash_options[] = {
    { .letter = 'r', .help = "forget all places" },
    { 0 },
};

const struct builtin_spec alias_spec = {
    .name = "alias",
    .options = alias_options,
    .usage = "[name[=value] ...]",
    .summary = "define or show aliases",
    .doc =
        "Defines each name as an alias for the text of value, or shows it when there is no value. "
        "Without operands all aliases are shown.",
    .run = alias_run,
};

const struct builtin_spec unalias_spec = {
    .name = "unalias",
    .options = unalias_options,
    .usage = "name ...",
    .summary = "remove aliases",
    .doc = "Removes the aliases called name.",
    .run = unalias_run,
};

const struct builtin_spec hash_spec = {
    .name = "hash",
    .options = hash_options,
    .usage = "[name ...]",
    .summary = "show or renew the places of commands",
    .doc = "Looks each name up in PATH again and remembers where it is. Without operands the "
           "remembered "
           "places are shown.",
    .run = hash_run,
};
