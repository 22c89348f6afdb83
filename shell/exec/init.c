/*
 * Wiring: fills the hooks through which lower layers and the parser call up, and ends the shell.
 *
 * Owns nothing but the static table of parser hooks' functions. Called once after shell_new;
 * nothing that a script does changes the hooks.
 */
#include "shell/exec/exec.h"

#include <string.h>

#include "builtins/builtin.h"
#include "shell/arith/arith.h"
#include "shell/exec/exec_private.h"
#include "shell/exec/jobs.h"
#include "shell/state/alias.h"
#include "shell/state/cmdhash.h"
#include "shell/state/fdtab.h"
#include "shell/state/history.h"

enum { PARSE_DEPTH_MAX = 20000 };

static struct name *hook_intern(void *ctx, const char *text, size_t len)
{
    return name_intern(ctx, text, len);
}

static const char *hook_alias(void *ctx, const char *name, size_t len)
{
    return alias_get(ctx, name, len);
}

static unsigned hook_command_traits(void *ctx, const char *name, size_t len)
{
    const struct builtin_spec *spec = builtin_enabled(ctx, name, len);
    unsigned flags = spec ? spec->flags : 0;
    return (flags & BUILTIN_DECL ? COMMAND_DECLARES : 0) |
           (flags & BUILTIN_TAKES_COMMAND ? COMMAND_TAKES_COMMAND : 0);
}

static bool hook_option_takes_word(void *ctx, const char *name, size_t len, const char *option)
{
    const struct builtin_spec *spec = builtin_enabled(ctx, name, len);
    return spec && builtin_option_takes_word(spec, option);
}

static void hook_warn(void *ctx, uint32_t line, const char *text)
{
    struct shell *sh = ctx;
    sh->line = line;
    shell_warn(sh, NULL, "%s", text);
}

static void hook_path_changed(struct shell *sh)
{
    cmdhash_clear(sh);
}

enum flow exec_init(struct shell *sh)
{
    sh->hooks = (struct shell_hooks){
        .capture = exec_capture,
        .capture_method = exec_capture_method,
        .own_process = subshell_materialize,
        .process_substitution = exec_process_sub,
        .arith_text = arith_eval,
        .resolve_ref = expand_ref_foreign,
        .find_ref = expand_ref_text,
        .expand_text = expand_string,
        .run_text = exec_text,
        .call_function = exec_call,
        .find_builtin = builtin_enabled,
        .path_changed = hook_path_changed,
        .history_add = history_add,
    };
    sh->parse_hooks = mem_alloc_zeroed(sh->heap, sizeof *sh->parse_hooks);
    sh->arith_cache = arith_cache_new(sh->heap);
    sh->jobs = jobs_new(sh->heap);
    sh->traps = traps_new(sh->heap);
    if (!sh->parse_hooks || !sh->arith_cache || !sh->jobs || !sh->traps)
        return shell_fail_memory(sh, sizeof *sh->parse_hooks);
    *sh->parse_hooks = (struct parse_hooks){
        .ctx = sh,
        .intern = hook_intern,
        .alias = hook_alias,
        .alias_count = &sh->aliases.count,
        .command_traits = hook_command_traits,
        .option_takes_word = hook_option_takes_word,
        .region = sh->program_region,
        .scratch_region = sh->program_region,
        .brace_expand = true,
        .depth_max = PARSE_DEPTH_MAX,
        .warn = hook_warn,
    };
    return FLOW_NEXT;
}

void exec_release(struct shell *sh)
{
    expand_cache_free(sh);
    builtin_bound_free(sh);
    arith_cache_free(sh->arith_cache);
    jobs_free(sh->jobs);
    traps_free(sh->traps);
    mem_free(sh->process_subs);
    mem_free(sh->parse_hooks);
    sh->arith_cache = NULL;
    sh->jobs = NULL;
    sh->traps = NULL;
    sh->process_subs = NULL;
    sh->parse_hooks = NULL;
}

int exec_finish(struct shell *sh)
{
    if (!sh->traps || !sh->jobs) /* there was no memory to start with */
        return status_exit_code(sh->status);
    if (sh->pending) /* a signal during the last command */
        (void)!trap_run_pending(sh);
    sh->exiting = true;
    sh->line_shift = 0; /* the action counts for itself */
    exec_exit_trap(sh);
    if (sh->pending & PENDING_SAMPLE)
        sh->hooks.sample_end(sh);
    if (!fdtab_flush(sh)) {
        if (sh->status == 0)
            sh->status = 1;
        shell_warn(sh, NULL, "write to 1 failed: %m");
    }
    fdtab_input_sync(sh);
    jobs_control_leave(sh);
    trap_die(sh);
    return status_exit_code(sh->status);
}
