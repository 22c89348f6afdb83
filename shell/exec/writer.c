/*
 * Heads of pipelines that only write, and little: `echo "$x" | sed ...`, print, printf.
 *
 * They run in this process, in a virtual subshell, before the other parts start; what they wrote
 * waits in the pipe. A pipe holds WRITER_BYTES whatever limits there are, so nobody waits for a
 * reader. What turned out to be longer is written by a copy of the shell.
 *
 * Only what can neither wait for the other parts nor take long comes here: no commands in the
 * words, no redirections, no descriptors but 1, and values known to be short.
 */
#include "shell/exec/exec_private.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/spawn.h"
#include "shell/state/fdtab.h"
#include "shell/state/param.h"
#include "shell/state/special.h"
#include "shell/state/value.h"
#include "shell/state/var.h"

enum { WRITER_BYTES = PIPE_BUF };

/* Bytes that the value of NAME has; more than WRITER_BYTES for what may differ in a process of its
 * own (.sh.pid) or runs a function. */
static size_t variable_size(const struct name *name)
{
    const struct var *var = name->cur;
    size_t len = 0;
    if (!var)
        return 0;
    bool acts = (var->attrs & VAR_SPECIAL) && name->special && name->special->get;
    if (acts || var->attrs & (VAR_NAMEREF | VAR_DISCIPLINE))
        return WRITER_BYTES + 1;
    if (var->value.bits & VALUE_TEXT)
        (void)value_text(&var->value, &len);
    return len;
}

/* Bytes that PARAM becomes, as far as one can tell; more than WRITER_BYTES: any number. */
static size_t param_size(struct shell *sh, const struct param *param)
{
    size_t len = 0;
    const char *text;
    if (param->form == PARAM_POSITIONAL) {
        text = param_get(sh, param->index);
        return text ? strlen(text) : 0;
    }
    if (param->form == PARAM_SPECIAL) {
        if (param->special != '@' && param->special != '*')
            return 0;
        for (size_t i = 0; i < sh->params->count && len <= WRITER_BYTES; i++)
            len += strlen(sh->params->argv[i]) + 1;
        return len;
    }
    if (param->ref.subscript_all || param->members || param->prefix >= PARAM_KEYS)
        return WRITER_BYTES + 1;
    return variable_size(param->ref.name);
}

static size_t word_size(struct shell *sh, const struct word *word)
{
    size_t size = 1;
    if (word->kind == WORD_LITERAL)
        return word->len + 1;
    if (word->flags & WORD_HAS_BRACE)
        return WRITER_BYTES + 1;
    for (uint32_t i = 0; i < word->part_count && size <= WRITER_BYTES; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_PARAM)
            size += param_size(sh, part->param);
        else if (part->kind == PART_LITERAL)
            size += part->literal.len;
    }
    return size;
}

/* Options that lead elsewhere than to descriptor 1: print -u2, -p, -s. */
static bool leads_elsewhere(const struct word *word)
{
    return word->kind == WORD_LITERAL && word->text[0] == '-' && strpbrk(word->text, "ups");
}

bool writer_is_short(struct shell *sh, const struct node *node)
{
    const struct node_simple *simple = (const struct node_simple *)node;
    struct command command;
    if (node->kind != NODE_SIMPLE || !simple->arg_count || simple->assign_count ||
        node->redir_count || simple->args[0].word->kind != WORD_LITERAL ||
        trap_is_set(sh, TRAP_DEBUG) || sh->show_only || sh->debug_fork_subshells ||
        sh->debug_no_fastpath)
        return false;
    command_resolve_cached(sh, simple->args[0].word, &command);
    if (command.kind != COMMAND_BUILTIN || !(command.spec->flags & BUILTIN_WRITER))
        return false;
    size_t size = 0;
    for (uint32_t i = 1; i < simple->arg_count && size <= WRITER_BYTES; i++) {
        const struct word *word = simple->args[i].word;
        if (simple->args[i].kind != ARG_WORD || word_runs_commands(word) || leads_elsewhere(word))
            return false;
        size += word_size(sh, word);
    }
    return size <= WRITER_BYTES;
}

/* A copy of the shell writes TEXT, longer than the pipe may hold, and ends with STATUS. */
static enum flow text_spawn(struct shell *sh, const struct str *text, int status,
                            const struct spawn_plan *plan, int other, pid_t *ret_pid)
{
    TRY(spawn_fork(sh, plan, ret_pid));
    if (*ret_pid)
        return FLOW_NEXT;
    close(other);
    exec_child_begin(sh, false);
    sh->status = status;
    out_write(sh->out, str_text(text), text->len);
    exec_child_exit(sh, FLOW_FORKED);
}

enum flow writer_run(struct shell *sh, const struct node *node, const struct spawn_plan *plan,
                     int other, pid_t *ret_pid, int *ret_status)
{
    struct subshell subshell;
    struct str text;
    int status = sh->status;
    TRY(subshell_enter(sh, &subshell, NULL));
    str_init(&text, sh->heap);
    enum flow flow = fdtab_capture(sh, &subshell.frame, &text);
    if (flow == FLOW_NEXT)
        flow = exec_node(sh, node);
    flow = subshell_finish(sh, flow);
    subshell_leave(sh, &subshell);
    sh->stats.subshells++;
    *ret_status = sh->status;
    sh->status = status;
    if (flow == FLOW_NEXT && !str_ok(&text))
        flow = shell_fail_memory(sh, text.len);
    if (flow == FLOW_NEXT && text.len > WRITER_BYTES)
        flow = text_spawn(sh, &text, *ret_status, plan, other, ret_pid);
    else if (flow == FLOW_NEXT)
        (void)sys_write_all(plan->out, str_text(&text), text.len); /* there is room */
    str_release(&text);
    return flow;
}
