/*
 * Simple commands: assignments, redirections, and the words that name what to run (POSIX 2.9.1).
 *
 * Order: words are expanded, the name is looked up, redirections are made, assignments are done,
 * the command runs. Assignments without a command, those before special builtins and, but for the
 * POSIX mode, before POSIX functions stay; before a ksh function they are its locals; before
 * anything else they last for the command, undone with its CMD frame, which exists only when there
 * is something to undo. Scratch is given back at the end of each command.
 *
 * An error is judged here, where it is known whether a special builtin failed and in which step.
 */
#include "shell/exec/exec.h"

#include <string.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/jobs.h"
#include "shell/exec/redir.h"
#include "shell/exec/spawn.h"
#include "shell/state/cache.h"
#include "shell/state/cmdhash.h"
#include "shell/state/fdtab.h"
#include "shell/state/method.h"
#include "shell/syntax/unparse.h"

static const struct spawn_plan plain_plan = { .in = -1, .out = -1 };

/* A command about to run. */
struct run {
    const struct node_simple *node; /* NULL: exec_argv */
    struct command command;
    struct args
        args; /* what a builtin gets, in place: copying it would wait for the stores just made */
    bool exec_last;
    bool trace_late;   /* the trace shows it after the assignments before it */
    uint64_t assigned; /* TRACE_LATE: of struct declared */
};

/* Member by member: compilers clear the whole with an instruction that takes as long as all the
 * rest of a small command. The command is filled by who finds it. */
static inline void run_init(struct run *run, const struct node_simple *node, bool exec_last)
{
    run->node = node;
    run->args = (struct args){ 0 };
    run->exec_last = exec_last;
    run->trace_late = false;
}

static bool is_named(const struct command *command, const char *name)
{
    return command->kind == COMMAND_BUILTIN && strcmp(command->spec->name, name) == 0;
}

/* An error of a regular command never ends the script. */
static enum flow regular_error(struct shell *sh)
{
    if (sh->err.printed)
        return FLOW_ERROR;
    switch (sh->err.kind) {
    case ERROR_EXPANSION:
    case ERROR_ASSIGN:
    case ERROR_SYNTAX:
        sh->err.kind = ERROR_BUILTIN;
        break;
    default:
        break;
    }
    return exec_consequence(sh, false);
}

/* The same for the assignments and redirections that stand before it; but in the POSIX mode their
 * expansions and assignments are those of the shell. */
static enum flow before_error(struct shell *sh)
{
    return option_on(sh, OPTION_POSIX) ? exec_consequence(sh, false) : regular_error(sh);
}

/* ---- words ---- */

/* Assignment arguments of declaration commands that stay assignments: their places in the argument
 * list. */
struct declared {
    const struct assign **items;
    size_t *places;
    size_t count;
    size_t many_first, many_end; /* struct args */
    uint64_t assigned; /* bit N: field N was written as an assignment; only the first 64 */
};

static enum flow declared_add(struct shell *sh, struct declared *declared, size_t room,
                              const struct assign *assign, size_t place)
{
    if (!declared->items) {
        declared->items = scratch_alloc(sh, room * sizeof *declared->items);
        declared->places = scratch_alloc(sh, room * sizeof *declared->places);
        if (!declared->items || !declared->places)
            return shell_fail_memory(sh, room * sizeof *declared->items);
    }
    declared->items[declared->count] = assign;
    declared->places[declared->count++] = place;
    return FLOW_NEXT;
}

/* `name=value` of a scalar argument as one text, the value expanded as assignments are. */
static enum flow declared_text(struct shell *sh, const struct assign *assign, const char **ret)
{
    const char *value = "";
    size_t len = 0;
    if (assign->word)
        TRY(expand_text(sh, assign->word, &value, &len));
    const struct name *name = assign->ref.name;
    size_t bytes = name->len + 2 + len + 1;
    char *text = scratch_alloc(sh, bytes);
    if (!text)
        return shell_fail_memory(sh, bytes);
    char *p = text;
    memcpy(p, name->text, name->len);
    p += name->len;
    if (assign->append)
        *p++ = '+';
    *p++ = '=';
    memcpy(p, value, len);
    p[len] = '\0';
    *ret = text;
    return FLOW_NEXT;
}

static enum flow declared_arg(struct shell *sh, const struct node_simple *node,
                              const struct assign *assign, struct fields *fields,
                              struct declared *declared)
{
    const struct name_ref *ref = &assign->ref;
    const char *text = ref->name->text;
    if (assign->kind == ASSIGN_WORD && !ref->subscript && !ref->subscript_all && !ref->step_count)
        TRY(declared_text(sh, assign, &text));
    else
        TRY(declared_add(sh, declared, node->arg_count, assign, fields->count));
    return fields_push(sh, fields, text);
}

/* A word, and whether it became several fields. */
static enum flow expand_word(struct shell *sh, const struct word *word, struct fields *fields,
                             struct declared *declared)
{
    size_t before = fields->count;
    TRY(expand_fields(sh, word, fields));
    if (fields->count > before + 1) {
        if (!declared->many_end)
            declared->many_first = before;
        declared->many_end = fields->count;
    }
    return FLOW_NEXT;
}

static enum flow words_expand(struct shell *sh, const struct node_simple *node, bool declaration,
                              struct fields *fields, struct declared *declared)
{
    sh->stats.expanded_words += node->arg_count;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        const struct arg *arg = &node->args[i];
        if (arg->kind == ARG_ASSIGN && fields->count < 64)
            declared->assigned |= UINT64_C(1) << fields->count;
        if (arg->kind == ARG_ASSIGN && (declaration || !arg->word))
            TRY(declared_arg(sh, node, arg->assign, fields, declared));
        else
            TRY(expand_word(sh, arg->word, fields, declared));
    }
    return FLOW_NEXT;
}

/* The assignments as an array beside the arguments. */
static enum flow declared_array(struct shell *sh, const struct declared *declared, size_t argc,
                                const struct assign *const **ret)
{
    const struct assign **array = scratch_alloc(sh, argc * sizeof *array);
    if (!array)
        return shell_fail_memory(sh, argc * sizeof *array);
    for (size_t i = 0; i < argc; i++)
        array[i] = NULL;
    for (size_t i = 0; i < declared->count; i++)
        array[declared->places[i]] = declared->items[i];
    *ret = array;
    return FLOW_NEXT;
}

/* ---- assignments before a command ---- */

static enum flow assigns_run(struct shell *sh, const struct node_simple *node, unsigned flags)
{
    for (uint32_t i = 0; i < node->assign_count; i++)
        TRY(assign_run(sh, &node->assigns[i], flags));
    return FLOW_NEXT;
}

/* Assignments without a command, under its redirections. The status is that of the last command
 * substitution. */
static enum flow assign_only(struct shell *sh, const struct node_simple *node, uint32_t captures)
{
    struct frame frame;
    enum flow flow = FLOW_NEXT;
    if (node->node.redir_count) {
        frame_push(sh, &frame, FRAME_CMD);
        flow = redir_apply(sh, &frame, node->node.redirs, node->node.redir_count);
        if (flow == FLOW_NEXT)
            flow = assigns_run(sh, node, 0);
        if (flow == FLOW_ERROR)
            flow = exec_consequence(sh, false);
        else if (flow == FLOW_NEXT && sh->capture_count == captures)
            sh->status = 0;
        frame_pop(sh, &frame);
        return flow;
    }
    TRY(assigns_run(sh, node, 0));
    if (sh->capture_count == captures)
        sh->status = 0;
    return FLOW_NEXT;
}

/* ---- running ---- */

static enum flow builtin_call(struct shell *sh, struct run *run)
{
    const struct builtin_spec *spec = run->command.spec;
    run->args.next = 1;
    run->args.spec = spec;
    enum flow flow = spec->run(sh, &run->args);
    if (__builtin_expect(flow == FLOW_NEXT, 1))
        return exec_output_check(sh, spec->name, flow);
    return flow;
}

/* Errors of eval and dot scripts: ksh93 lets the script go on after a failed expansion inside them,
 * POSIX does not. */
static enum flow sourced_error(struct shell *sh, const struct command *command)
{
    bool is_sourcing =
        is_named(command, "eval") || is_named(command, ".") || is_named(command, "source");
    bool is_expansion = sh->err.kind == ERROR_EXPANSION || sh->err.kind == ERROR_ASSIGN;
    if (is_sourcing && is_expansion && !sh->interactive && !option_on(sh, OPTION_POSIX))
        return FLOW_NEXT;
    return FLOW_ERROR;
}

static enum flow builtin_error(struct shell *sh, const struct command *command)
{
    if (sh->err.printed)
        return sourced_error(sh, command);
    return command->special ? exec_consequence(sh, true) : regular_error(sh);
}

/* Does the declaration give values in parentheses? Their traces come before its own. */
static bool declares_lists(const struct run *run)
{
    for (size_t i = 0; run->args.assigns && i < run->args.count; i++)
        if (run->args.assigns[i] && run->args.assigns[i]->kind != ASSIGN_WORD)
            return true;
    return false;
}

static void trace_command(struct shell *sh, const struct run *run, uint64_t assigned)
{
    if (run->node->declaration && !option_on(sh, OPTION_POSIX))
        xtrace_declaration(sh, run->args.count, run->args.argv, assigned);
    else
        xtrace_words(sh, run->args.count, run->args.argv);
}

/* The assignments before a command, and then its trace if that comes after them. */
static enum flow assigns_before(struct shell *sh, const struct run *run, unsigned flags)
{
    TRY(assigns_run(sh, run->node, flags));
    if (__builtin_expect(run->trace_late, 0))
        trace_command(sh, run, run->assigned);
    return FLOW_NEXT;
}

/* Do the redirections outlive the command? Not those of a `redirect` that has operands, which
 * fails. */
static bool redirs_last(const struct run *run)
{
    if (is_named(&run->command, "exec"))
        return true;
    return is_named(&run->command, "redirect") &&
           (run->args.count < 2 || *run->args.argv[run->args.count - 1] == '-');
}

/* Redirections and assignments of a builtin, in the CMD frame if there is one. */
static enum flow builtin_prepare(struct shell *sh, const struct run *run, struct frame *frame)
{
    const struct node_simple *node = run->node;
    const struct command *command = &run->command;
    struct frame *target = frame;
    if (node->node.redir_count && redirs_last(run))
        target = frame_target(sh, TARGET_GLOBAL);
    if (node->node.redir_count)
        TRY(redir_apply(sh, target, node->node.redirs, node->node.redir_count));
    if (!node->assign_count)
        return FLOW_NEXT;
    bool is_declaration = (command->spec->flags & BUILTIN_DECL) && !option_on(sh, OPTION_POSIX);
    bool lasting = command->special || is_declaration;
    bool temporary = !lasting || (is_named(command, "exec") && run->args.count > 1);
    return assigns_before(sh, run, temporary ? ASSIGN_TEMP : 0);
}

/* At the prompt, as a process. */
static enum flow builtin_job(struct shell *sh, struct run *run)
{
    static const struct spawn_plan plan = { .in = -1, .out = -1, .group = -1 };
    struct str text;
    struct job *job;
    pid_t pid;
    TRY(spawn_fork(sh, &plan, &pid));
    if (pid == 0) {
        enum flow flow = builtin_call(sh, run);
        exec_child_exit(sh, flow == FLOW_ERROR ? builtin_error(sh, &run->command) : flow);
    }
    str_init(&text, sh->heap);
    xtrace_append_words(&text, run->args.count, run->args.argv);
    enum flow flow = job_add(sh, &pid, 1, pid, str_text(&text), false, &job);
    str_release(&text);
    TRY(flow);
    return job_wait_foreground(sh, job);
}

static enum flow builtin_run(struct shell *sh, struct run *run)
{
    const struct command *command = &run->command;
    const struct node_simple *node = run->node;
    struct frame frame;
    bool framed = node && (node->node.redir_count || node->assign_count);
    if (command->spec->flags & BUILTIN_NEEDS_PROCESS && sh->frame->subshell)
        if (run->args.count > 1 || !is_named(command, "exec"))
            TRY(subshell_materialize(sh));
    if (framed)
        frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = framed ? builtin_prepare(sh, run, &frame) : FLOW_NEXT;
    bool is_prepared = flow == FLOW_NEXT;
    if (is_prepared)
        flow = __builtin_expect(command->spec->flags & BUILTIN_LONG && sh->interactive, 0) &&
                       jobs_control(sh)
                   ? builtin_job(sh, run)
                   : builtin_call(sh, run);
    if (__builtin_expect(flow == FLOW_ERROR, 0))
        flow = is_prepared || command->special ? builtin_error(sh, command) : before_error(sh);
    if (framed)
        frame_pop(sh, &frame);
    return flow;
}

/* Temporary variables in the CMD frame of the call of a ksh function are the function's own
 * (scope.c). */
static enum flow function_prepare(struct shell *sh, const struct run *run, struct frame *frame)
{
    const struct node_simple *node = run->node;
    if (node->node.redir_count)
        TRY(redir_apply(sh, frame, node->node.redirs, node->node.redir_count));
    return assigns_before(sh, run, ASSIGN_TEMP);
}

/* A function c.f of a compound variable is called for it. Kept out of the way of all others. */
static __attribute__((noinline)) enum flow member_call(struct shell *sh, const struct run *run)
{
    bool done;
    TRY(method_command(sh, run->args.count, run->args.argv, &done));
    return done ? FLOW_NEXT : exec_call(sh, run->command.func, run->args.count, run->args.argv);
}

static inline enum flow function_call(struct shell *sh, const struct run *run)
{
    if (__builtin_expect(run->command.func->name->parent != NULL, 0))
        return member_call(sh, run);
    return exec_call(sh, run->command.func, run->args.count, run->args.argv);
}

static enum flow function_run(struct shell *sh, const struct run *run)
{
    const struct node_simple *node = run->node;
    struct frame frame;
    if (!node || (!node->node.redir_count && !node->assign_count))
        return function_call(sh, run);
    struct func *func = func_hold(run->command.func); /* what is expanded may unset it */
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = function_prepare(sh, run, &frame);
    if (flow == FLOW_ERROR) {
        flow = before_error(sh);
    } else if (flow == FLOW_NEXT) {
        flow = function_call(sh, run);
        if (flow != FLOW_ERROR && node->node.redir_count)
            flow = exec_output_check(sh, NULL, flow);
    }
    frame_pop(sh, &frame);
    func_release(sh, func);
    return flow;
}

bool exec_may_replace(struct shell *sh)
{
    if ((sh->interactive && !sh->is_child) ||
        (sh->frame->subshell && !sh->frame->subshell->is_process))
        return false;
    for (int signal = 0; signal < TRAP_END; signal++)
        if (trap_is_set(sh, signal))
            return false;
    return true;
}

/* PATH, which COMMAND was found at, is that of a builtin: the builtin, or NULL. After `command -x`
 * *RET_PATH becomes the first program of that name. */
static const struct builtin_spec *bound_builtin(struct shell *sh, const struct run *run,
                                                const char **ret_path)
{
    const struct builtin_spec *spec = sh->hooks.find_builtin(sh, *ret_path, strlen(*ret_path));
    if (!run->command.program)
        return spec;
    struct vec paths;
    vec_init(&paths, sh->scratch);
    if (cmdhash_find_all(sh, run->args.argv[0], &paths) != FLOW_NEXT)
        sh->err.kind = ERROR_NONE; /* no memory: the builtin will do */
    for (size_t i = 0; i < paths.count; i++) {
        if (!cmdhash_is_builtin(sh, paths.items[i])) {
            *ret_path = paths.items[i];
            return NULL;
        }
    }
    return spec;
}

/* The builtin SPEC, which the search for a program led to. */
static enum flow bound_call(struct shell *sh, const struct run *run,
                            const struct builtin_spec *spec)
{
    struct run call = *run;
    call.command = (struct command){ .kind = COMMAND_BUILTIN, .spec = spec };
    return builtin_call(sh, &call);
}

static enum flow external_start(struct shell *sh, const struct run *run)
{
    const char *path;
    const char *name = run->args.argv[0];
    struct command autoload;
    if (strchr(name, '.') && !run->command.default_path) {
        bool done;
        TRY(method_command(sh, run->args.count, run->args.argv, &done));
        if (done)
            return FLOW_NEXT;
    }
    enum flow flow = command_path(sh, name, run->command.default_path, &path);
    /* 126: what is there is no command; in a directory of FPATH it need not be one */
    bool failed = flow == FLOW_ERROR && (sh->err.status == 127 || sh->err.status == 126);
    if (flow == FLOW_NEXT && path != name)
        failed = autoload_claims(sh, path);
    if (failed && command_autoload(sh, name, &autoload))
        return exec_call(sh, autoload.func, run->args.count, run->args.argv);
    TRY(flow);
    if (cmdhash_is_builtin(sh, path)) {
        const struct builtin_spec *spec = bound_builtin(sh, run, &path);
        if (spec)
            return bound_call(sh, run, spec);
    }
    if (run->exec_last && exec_may_replace(sh))
        return spawn_exec(sh, name, path, run->args.argv);
    pid_t pid;
    TRY(spawn_external(sh, name, path, run->args.argv, &plain_plan, &pid));
    struct str command;
    str_init(&command, sh->heap);
    if (option_on(sh, OPTION_MONITOR) && run->node)
        unparse_summary(&command, &run->node->node, 200);
    else
        str_append_z(&command, name);
    flow = job_run(sh, pid, option_on(sh, OPTION_MONITOR) ? pid : -1, str_text(&command));
    str_release(&command);
    return flow;
}

static enum flow external_run(struct shell *sh, const struct run *run)
{
    const struct node_simple *node = run->node;
    struct frame frame;
    bool framed = node && (node->node.redir_count || node->assign_count);
    TRY(subshell_before_process(sh));
    enum flow flow = FLOW_NEXT;
    if (framed) {
        frame_push(sh, &frame, FRAME_CMD);
        if (node->node.redir_count)
            flow = redir_apply(sh, &frame, node->node.redirs, node->node.redir_count);
        if (flow == FLOW_NEXT)
            flow = assigns_run(sh, node, ASSIGN_TEMP);
    }
    bool is_prepared = flow == FLOW_NEXT;
    if (is_prepared)
        flow = external_start(sh, run);
    if (flow == FLOW_ERROR)
        flow = is_prepared ? regular_error(sh) : before_error(sh);
    if (framed)
        frame_pop(sh, &frame);
    return flow;
}

/* `command [-p] [--] name`: drops the prefix, and with it functions and the ways of special
 * builtins. */
static void prefix_strip(struct shell *sh, struct run *run)
{
    while (run->command.prefix) {
        size_t skip = 1;
        bool default_path = false;
        while (skip < run->args.count && strcmp(run->args.argv[skip], "-p") == 0) {
            default_path = true;
            skip++;
        }
        if (skip < run->args.count && strcmp(run->args.argv[skip], "--") == 0)
            skip++;
        else if (skip < run->args.count && run->args.argv[skip][0] == '-' &&
                 run->args.argv[skip][1])
            return; /* -v and the like are the builtin's own */
        if (skip >= run->args.count)
            return;
        run->args.argv += skip;
        run->args.count -= skip;
        if (run->args.assigns)
            run->args.assigns += skip;
        command_resolve(sh, run->args.argv[0], strlen(run->args.argv[0]), true, &run->command);
        run->command.special = false;
        run->command.default_path = default_path;
    }
}

/* The word before a compound command means another command now than when it was parsed. */
static enum flow body_refused(struct shell *sh, const struct run *run)
{
    enum flow flow =
        shell_fail(sh, ERROR_COMMAND, 2, run->args.argv[0], "takes no compound command any more");
    return flow == FLOW_ERROR ? regular_error(sh) : flow;
}

static enum flow run_dispatch(struct shell *sh, struct run *run)
{
    prefix_strip(sh, run);
    if (run->args.body && (run->command.kind != COMMAND_BUILTIN ||
                           !(run->command.spec->flags & BUILTIN_TAKES_COMMAND)))
        return body_refused(sh, run);
    if (run->command.default_path && option_on(sh, OPTION_RESTRICTED)) {
        enum flow flow = shell_fail(sh, ERROR_COMMAND, 1, "command", "-p: restricted");
        return flow == FLOW_ERROR ? regular_error(sh) : flow;
    }
    switch (run->command.kind) {
    case COMMAND_BUILTIN:
        return builtin_run(sh, run);
    case COMMAND_FUNCTION:
        return function_run(sh, run);
    case COMMAND_EXTERNAL:
        return external_run(sh, run);
    case COMMAND_NONE:
        break;
    }
    return FLOW_NEXT;
}

enum flow exec_argv(struct shell *sh, size_t argc, const char *const *argv, unsigned flags)
{
    struct run run = { .args = { .count = argc, .argv = argv } };
    if (!argc) {
        sh->status = 0;
        return FLOW_NEXT;
    }
    command_resolve(sh, argv[0], strlen(argv[0]), (flags & EXEC_NO_FUNCTION) != 0, &run.command);
    if (flags & EXEC_EXTERNAL)
        run.command = (struct command){ .kind = COMMAND_EXTERNAL, .program = true };
    if (flags & EXEC_NOT_SPECIAL)
        run.command.special = false;
    run.command.default_path = (flags & EXEC_DEFAULT_PATH) != 0;
    return run_dispatch(sh, &run);
}

/* $_ for the next command. */
static inline void last_argument_set(struct shell *sh, const char *text, size_t len)
{
    struct str *last = &sh->last_argument;
    if (__builtin_expect(len <= 16 && len < last->cap, 1)) {
        text_move_short(last->data, text, len);
        last->data[len] = '\0';
        last->len = len;
        return;
    }
    str_clear(last);
    str_append(last, text, len);
}

/* ---- the command ---- */

/* A builtin or function whose words are all literal, with nothing before or behind: no expansion,
 * no allocation. *RET_DONE: it was one. */
static enum flow literal_command(struct shell *sh, const struct node_simple *node, bool *ret_done)
{
    enum { ROOM = 8 };
    const char *argv[ROOM + 1];
    *ret_done = false;
    if (node->arg_count > ROOM || node->assign_count || node->node.redir_count ||
        sh->debug_no_fastpath || sh->show_only || option_on(sh, OPTION_XTRACE))
        return FLOW_NEXT;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        const struct arg *arg = &node->args[i];
        if (arg->kind != ARG_WORD || arg->word->kind != WORD_LITERAL)
            return FLOW_NEXT;
        argv[i] = arg->word->text;
    }
    argv[node->arg_count] = NULL;
    struct run run;
    run_init(&run, NULL, false);
    run.args.count = node->arg_count;
    run.args.argv = argv;
    command_resolve_cached(sh, node->args[0].word, &run.command);
    if (run.command.kind == COMMAND_EXTERNAL || run.command.prefix || node->body)
        return FLOW_NEXT;
    if (run.command.kind == COMMAND_FUNCTION && run.command.func->name->parent)
        return FLOW_NEXT;
    *ret_done = true;
    sh->stats.literal_words += node->arg_count;
    enum flow flow = run.command.kind == COMMAND_FUNCTION
                         ? exec_call(sh, run.command.func, node->arg_count, argv)
                         : builtin_run(sh, &run);
    const struct word *last = node->args[node->arg_count - 1].word;
    last_argument_set(sh, last->text, last->len);
    return flow;
}

/* Is NODE the one word `:` or `true`, as the last time? Then nothing has to be prepared for it. */
static inline bool is_idle(struct shell *sh, const struct node_simple *node)
{
    const struct arg *arg = node->args;
    if (node->arg_count != 1 || arg->kind != ARG_WORD || arg->word->kind != WORD_LITERAL ||
        node->assign_count || node->node.redir_count)
        return false;
    const struct cache_slot *slot = cache_at(sh, arg->word->cache);
    return slot && slot->extra == EXTRA_IDLE && slot->kind == CACHE_COMMAND &&
           slot->epoch == sh->command_epoch && !sh->debug_no_fastpath && !sh->show_only &&
           !option_on(sh, OPTION_XTRACE) && !exec_debug_wanted(sh);
}

/* The DEBUG trap, with what the command is after expansion. */
static enum flow debug_words(struct shell *sh, const struct node_simple *node,
                             const struct fields *fields, bool *ret_skip)
{
    struct str text;
    str_init(&text, sh->heap);
    xtrace_append_words(&text, fields->count, fields->argv);
    enum flow flow = str_ok(&text) ? exec_debug_slow(sh, &node->node, str_text(&text), ret_skip)
                                   : shell_fail_memory(sh, text.len);
    str_release(&text);
    return flow;
}

/* As in ksh93, whose special builtins and functions name() keep what is assigned before them. */
static bool is_traced_late(const struct command *command)
{
    if (command->kind == COMMAND_FUNCTION)
        return command->func->node && !command->func->ksh_style;
    return command->kind == COMMAND_BUILTIN && command->special;
}

/* What was expanded, or ran, since the command was looked up may have changed what it is. */
static inline void command_renew(struct shell *sh, struct run *run, uint32_t *epoch)
{
    if (__builtin_expect(*epoch == sh->command_epoch, 1))
        return;
    const char *name = run->args.argv[0];
    command_resolve(sh, name, strlen(name), false, &run->command);
    *epoch = sh->command_epoch;
}

static enum flow command_run(struct shell *sh, const struct node_simple *node, bool exec_last)
{
    bool done = exec_debug_wanted(sh), debug = done;
    enum flow flow = FLOW_NEXT;
    if (!debug)
        flow = literal_command(sh, node, &done);
    if ((done && !debug) || flow != FLOW_NEXT)
        return flow;
    bool trace_last = false;
    uint32_t captures = sh->capture_count;
    struct run run;
    run_init(&run, node, exec_last);
    run.args.body = node->body;
    const struct word *word = node->args[0].word;
    bool literal = node->args[0].kind == ARG_WORD && word->kind == WORD_LITERAL;
    uint32_t epoch = sh->command_epoch;
    if (literal)
        command_resolve_cached(sh, word, &run.command);
    struct fields fields;
    struct declared declared = { 0 };
    fields_init(&fields);
    TRY(words_expand(sh, node, node->declaration, &fields, &declared));
    if (!fields.count)
        return assign_only(sh, node, captures);
    run.args.count = fields.count;
    run.args.argv = fields.argv;
    if (!literal)
        command_resolve(sh, fields.argv[0], strlen(fields.argv[0]), false, &run.command);
    else
        command_renew(sh, &run, &epoch);
    run.args.many_first = declared.many_first;
    run.args.many_end = declared.many_end;
    if (declared.count)
        TRY(declared_array(sh, &declared, fields.count, &run.args.assigns));
    if (debug) {
        TRY(debug_words(sh, node, &fields, &done));
        if (done)
            return FLOW_NEXT;
        command_renew(sh, &run, &epoch);
    }
    if (__builtin_expect(xtrace_on(sh) || sh->show_only, 0)) {
        run.trace_late = node->assign_count && !sh->show_only && is_traced_late(&run.command);
        run.assigned = declared.assigned;
        trace_last = !sh->show_only && !run.trace_late && declares_lists(&run);
        if (!run.trace_late && !trace_last)
            trace_command(sh, &run, declared.assigned);
        command_renew(sh, &run, &epoch);
    }
    if (sh->show_only) {
        sh->status = 0;
        return FLOW_NEXT;
    }
    flow = run_dispatch(sh, &run);
    if (__builtin_expect(trace_last, 0) && flow == FLOW_NEXT && xtrace_on(sh))
        trace_command(sh, &run, declared.assigned);
    const char *last = fields.argv[fields.count - 1];
    last_argument_set(sh, last, strlen(last));
    return flow;
}

enum flow exec_simple(struct shell *sh, const struct node_simple *node)
{
    bool exec_last = sh->exec_last;
    sh->exec_last = false;
    bool skip = false;
    if (!node->arg_count)
        TRY(exec_debug(sh, &node->node, &skip));
    if (__builtin_expect(skip, 0))
        return FLOW_NEXT;
    sh->command = &node->node;
    sh->stats.simple_commands++;
    if (is_idle(sh, node)) {
        sh->stats.literal_words++;
        sh->status = 0;
        last_argument_set(sh, node->args->word->text, node->args->word->len);
        return FLOW_NEXT;
    }
    struct mem_mark mark = mem_region_mark(sh->scratch);
    enum flow flow;
    if (node->arg_count)
        flow = command_run(sh, node, exec_last);
    else
        flow = assign_only(sh, node, sh->capture_count);
    mem_region_reset(sh->scratch, mark);
    return flow;
}

static bool param_runs_commands(const struct param *param)
{
    const struct word *const words[] = { param->arg, param->arg2, param->ref.subscript };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] && word_runs_commands(words[i]))
            return true;
    return param->ref.step_count > 0;
}

bool word_runs_commands(const struct word *word)
{
    for (uint32_t i = 0; word->kind == WORD_GENERAL && i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_COMMAND || part->kind == PART_PROCESS ||
            (part->kind == PART_ARITH && word_runs_commands(part->arith)) ||
            (part->kind == PART_PARAM && param_runs_commands(part->param)))
            return true;
    }
    return false;
}

bool simple_is_plain_external(struct shell *sh, const struct node_simple *node)
{
    const char *path;
    struct command command;
    if (node->node.kind != NODE_SIMPLE || !node->arg_count || node->assign_count ||
        node->node.redir_count || node->args[0].word->kind != WORD_LITERAL ||
        trap_is_set(sh, TRAP_DEBUG) || sh->show_only)
        return false;
    for (uint32_t i = 1; i < node->arg_count; i++) {
        if (node->args[i].kind != ARG_WORD || word_runs_commands(node->args[i].word))
            return false;
    }
    command_resolve_cached(sh, node->args[0].word, &command);
    return command.kind == COMMAND_EXTERNAL &&
           command_path(sh, node->args[0].word->text, false, &path) == FLOW_NEXT &&
           !cmdhash_is_builtin(sh, path);
}

enum flow simple_spawn(struct shell *sh, const struct node_simple *node,
                       const struct spawn_plan *plan, pid_t *ret_pid)
{
    struct fields fields;
    struct declared declared = { 0 };
    const char *path;
    struct subshell subshell;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    fields_init(&fields);
    TRY(subshell_enter(sh, &subshell, NULL)); /* what expansion changes is undone */
    subshell.frame.is_process = true;         /* it stands for the process that is being started */
    enum flow flow = words_expand(sh, node, false, &fields, &declared);
    if (flow == FLOW_NEXT)
        flow = command_path(sh, fields.argv[0], false, &path);
    if (flow == FLOW_NEXT && xtrace_on(sh))
        xtrace_words(sh, fields.count, fields.argv);
    if (flow == FLOW_NEXT)
        flow = spawn_external(sh, fields.argv[0], path, fields.argv, plan, ret_pid);
    subshell_leave(sh, &subshell);
    mem_region_reset(sh->scratch, mark);
    return flow;
}
