/*
 * Function calls.
 *
 * A ksh function (`function f`) gets a FUNC frame: its own locals, traps and options, the caller's
 * locals hidden. A POSIX function (`f()`) gets a DOT frame: only the parameters are its own. Both
 * forget the caller's loops. An error that ends the script ends only a ksh function, whose caller
 * goes on (as ksh93 does), except runaway recursion, which unwinds to the outermost call.
 *
 * The function, and the program it lives in, are held while they run: the script may redefine or
 * unset it.
 */
#include "shell/exec/exec.h"

#include <string.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/redir.h"
#include "shell/state/namespace.h"
#include "shell/state/param.h"
#include "shell/state/site.h"
#include "shell/state/where.h"

/* Loads an autoloaded function from FPATH: runs the file, which has to define it. */
static enum flow autoload(struct shell *sh, const char *name)
{
    const char *path = autoload_path(sh, name);
    if (!path)
        return shell_fail(sh, ERROR_COMMAND, 127, name, "not found");
    int status = sh->status;
    TRY(exec_file(sh, name, path));
    sh->status = status;
    return FLOW_NEXT;
}

static enum flow body_run(struct shell *sh, const struct func *func)
{
    const struct node_function *node = func->node;
    enum flow flow = FLOW_NEXT;
    if (node->node.redir_count) {
        struct mem_mark mark = mem_region_mark(sh->scratch);
        flow = redir_apply(sh, sh->frame, node->node.redirs, node->node.redir_count);
        mem_region_reset(sh->scratch, mark);
    }
    if (flow != FLOW_NEXT)
        return flow == FLOW_ERROR ? exec_consequence(sh, false) : flow;
    if (node->body->kind == NODE_GROUP && !node->body->redir_count)
        flow = exec_list(sh, ((const struct node_group *)node->body)->body);
    else
        flow = exec_node(sh, node->body);
    if (node->node.redir_count && flow != FLOW_ERROR)
        flow = exec_output_check(sh, NULL, flow);
    return flow;
}

/* A call being made. */
struct call {
    struct func *func;
    size_t argc;
    const char *const *argv;
    bool here; /* a ksh function without a scope of its own */
};

/* What the body runs under besides the frame, and what the caller gets back. */
struct saved {
    const struct program *program;
    const struct node *command;
    uint64_t options;
    uint32_t loop_depth;
    int32_t line_shift; /* of a ksh function */
    struct params *params;
    const char *arg0;
};

static void saved_restore(struct shell *sh, const struct saved *saved)
{
    sh->program = saved->program;
    sh->command = saved->command;
    sh->loop_depth = saved->loop_depth;
    param_leave(sh, saved->params);
}

static enum flow posix_run(struct shell *sh, const struct call *call)
{
    struct frame frame;
    struct params params;
    struct saved saved = { .program = sh->program,
                           .command = sh->command,
                           .loop_depth = sh->loop_depth };
    sh->stats.posix_calls++;
    frame_push(sh, &frame, FRAME_DOT);
    frame.function_name = call->func->name->text;
    frame.is_call = true;
    sh->program = call->func->program;
    sh->loop_depth = 0;
    if (call->func->file)
        sh->file = call->func->file;
    param_enter(sh, &params, call->argc - 1, call->argv + 1, &saved.params);
    enum flow flow = body_run(sh, call->func);
    saved_restore(sh, &saved);
    frame_pop(sh, &frame);
    return flow == FLOW_RETURN ? FLOW_NEXT : flow;
}

/* The action of an EXIT trap that the function set, copied, because it runs after the function's
 * frame is gone. NULL: none. */
static char *exit_action_take(struct shell *sh)
{
    const char *action = trap_is_set(sh, TRAP_EXIT) ? trap_get(sh, TRAP_EXIT) : NULL;
    return action && *action ? text_dup(sh->heap, action) : NULL;
}

static enum flow exit_action_run(struct shell *sh, char *action, enum flow flow)
{
    int status = sh->status;
    enum flow trap_flow = exec_action(sh, action);
    mem_free(action);
    if (trap_flow != FLOW_NEXT)
        return trap_flow;
    sh->status = status;
    return flow;
}

/* `function .sh.math.f x y`: the parameters are floating locals with the arguments as values. */
static enum flow parameters_bind(struct shell *sh, const struct call *call)
{
    const struct node_function *node = call->func->node;
    for (uint32_t i = 0; i < node->parameter_count && i + 1 < call->argc; i++) {
        struct var_change change = {
            .set = VAR_EXPONENT | VAR_LONG, .base = -1, .width = 18, .local = true
        };
        const char *value = call->argv[i + 1];
        TRY(var_declare(sh, node->parameters[i], &change));
        TRY(var_set_name(sh, node->parameters[i], value, strlen(value), 0));
    }
    return FLOW_NEXT;
}

static enum flow ksh_run(struct shell *sh, const struct call *call)
{
    struct frame frame;
    struct params params;
    struct saved saved = { .program = sh->program,
                           .command = sh->command,
                           .options = sh->options,
                           .loop_depth = sh->loop_depth,
                           .line_shift = sh->line_shift,
                           .arg0 = sh->arg0 };
    sh->stats.ksh_calls++;
    frame_push(sh, &frame, FRAME_FUNC);
    frame.function_name = call->func->name->text;
    sh->program = call->func->program;
    sh->loop_depth = 0;
    if (call->func->file)
        sh->file = call->func->file;
    sh->arg0 = call->func->name->text;
    /* set -e is not inherited, nor -x without functrace; typeset -ft traces a function */
    sh->options &= ~(1ull << OPTION_ERREXIT);
    if (!option_on(sh, OPTION_FUNCTRACE))
        sh->options &= ~(1ull << OPTION_XTRACE);
    if (call->func->traced)
        sh->options |= 1ull << OPTION_XTRACE;
    param_enter(sh, &params, call->argc - 1, call->argv + 1, &saved.params);
    enum flow flow = parameters_bind(sh, call);
    if (flow == FLOW_NEXT)
        flow = body_run(sh, call->func);
    if (flow == FLOW_ERROR && !sh->err.printed)
        flow = exec_consequence(sh, false);
    char *action = flow == FLOW_FORKED ? NULL : exit_action_take(sh);
    saved_restore(sh, &saved);
    frame_pop(sh, &frame);
    sh->options = saved.options;
    sh->line_shift = saved.line_shift;
    sh->arg0 = saved.arg0;
    if (flow == FLOW_ERROR && (sh->err.kind != ERROR_LIMIT || !sh->frame->func) && !sh->interactive)
        flow = FLOW_NEXT; /* the boundary */
    if (flow == FLOW_RETURN)
        flow = FLOW_NEXT;
    return action ? exit_action_run(sh, action, flow) : flow;
}

static inline enum flow style_call(struct shell *sh, const struct call *call)
{
    return call->func->ksh_style && !call->here ? ksh_run(sh, call) : posix_run(sh, call);
}

/* The name space that the function was defined in is in force, or none, while it runs. */
static __attribute__((noinline)) enum flow space_call(struct shell *sh, const struct call *call)
{
    struct space space;
    if (sh->space && sh->space->name == call->func->space)
        return style_call(sh, call);
    TRY(space_enter(sh, &space, call->func->space));
    enum flow flow = style_call(sh, call);
    space_leave(sh, &space);
    return flow;
}

/* The file that was to define the function NAME did not. */
static enum flow not_defined(struct shell *sh, const char *name)
{
    const char *path = autoload_path(sh, name);
    return shell_fail(sh, ERROR_COMMAND, 126, name,
                      "function, built-in or type definition for %s not found in %s", name,
                      path ? path : "FPATH");
}

static enum flow call_with(struct shell *sh, struct func *func, size_t argc,
                           const char *const *argv, bool here)
{
    if (!func->node) {
        TRY(autoload(sh, func->name->text));
        size_t len = strlen(argv[0]);
        func = func_find(sh, argv[0], len);
        bool is_undefined = !func || !func->node;
        if (is_undefined && sh->hooks.find_builtin(sh, argv[0], len)) { /* a type */
            if (func)
                TRY(func_unset(sh, func->name));
            return exec_argv(sh, argc, argv, EXEC_NO_FUNCTION);
        }
        if (is_undefined)
            return not_defined(sh, argv[0]);
    }
    if (!shell_enter(sh)) {
        shell_leave(sh);
        return shell_fail(sh, ERROR_LIMIT, 1, func->name->text, "recursion too deep");
    }
    struct call call = { .func = func_hold(func), .argc = argc, .argv = argv };
    uint32_t site_parent = sh->site_parent, site = mem_site;
    struct members *compound = sh->compound;
    sh->site_parent = site;
    site_look(sh);
    sh->compound = NULL;
    call.here = here;
    const struct where *outer = sh->where;
    struct where where = { .name = func->name->text,
                           .line = func->eval_line,
                           .file_line = func->eval_line };
    sh->where = __builtin_expect(func->eval_line > 0, 0) ? &where : NULL;
    enum flow flow = __builtin_expect(func->space || sh->space, 0) ? space_call(sh, &call)
                                                                   : style_call(sh, &call);
    sh->where = outer;
    sh->compound = compound;
    sh->site_parent = site_parent;
    site_look(sh);
    mem_site = site;
    func_release(sh, func);
    shell_leave(sh);
    return flow;
}

enum flow exec_call(struct shell *sh, struct func *func, size_t argc, const char *const *argv)
{
    return call_with(sh, func, argc, argv, false);
}

enum flow exec_call_here(struct shell *sh, struct func *func, size_t argc, const char *const *argv)
{
    return call_with(sh, func, argc, argv, true);
}
