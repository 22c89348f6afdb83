/*
 * Redirections: the operators.
 *
 * Carried out from left to right on the descriptor table, which journals each change in the target
 * frame. Descriptors above 2 that `exec` opens are not passed to commands (ksh), unless in POSIX
 * mode.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/jobs.h"
#include "shell/exec/redir_private.h"
#include "shell/expand/expand.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

/* `exec`: for the rest of the (sub)shell. */
static bool is_permanent(const struct frame *target)
{
    return !target || target->kind == FRAME_SUBSHELL;
}

static void hide(struct shell *sh, const struct frame *target, int fd)
{
    if (fd > STDERR_FILENO && is_permanent(target) && !option_on(sh, OPTION_POSIX))
        fdtab_hide(sh, fd);
}

static enum flow install(struct shell *sh, struct frame *target, int fd, int real)
{
    TRY(fdtab_install(sh, target, fd, real));
    hide(sh, target, fd);
    return FLOW_NEXT;
}

static enum flow dup_to(struct shell *sh, struct frame *target, int fd, int from)
{
    TRY(fdtab_dup(sh, target, fd, from));
    if (fd != from)
        hide(sh, target, fd);
    return FLOW_NEXT;
}

/* A file's name. */
static enum flow apply_file(struct shell *sh, struct frame *target, const struct redir *redir,
                            int fd)
{
    const char *path;
    size_t len;
    int real, dup;
    TRY(expand_target(sh, redir->word, &path, &len));
    xtrace_redir(sh, redir, path, len);
    if (option_on(sh, OPTION_RESTRICTED) && redir->op != REDIR_IN)
        return shell_fail(sh, ERROR_REDIRECT, 1, path, "restricted");
    TRY(redir_open(sh, redir->op, path, &real, &dup));
    return dup >= 0 ? dup_to(sh, target, fd, dup) : install(sh, target, fd, real);
}

/* >;file and <>;file */
static enum flow apply_on_success(struct shell *sh, struct frame *target, const struct redir *redir,
                                  int fd)
{
    const char *path;
    size_t len;
    int real;
    if (is_permanent(target))
        return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "`>;' cannot be used with exec");
    if (redir->op == REDIR_INOUT_TRUNC) {
        TRY(apply_file(sh, target, redir, fd));
        return redir_truncate_later(sh, target, fd);
    }
    TRY(expand_target(sh, redir->word, &path, &len));
    xtrace_redir(sh, redir, path, len);
    if (option_on(sh, OPTION_RESTRICTED))
        return shell_fail(sh, ERROR_REDIRECT, 1, path, "restricted");
    TRY(redir_open_rewrite(sh, target, path, &real));
    return install(sh, target, fd, real);
}

static enum flow apply_here(struct shell *sh, struct frame *target, const struct redir *redir,
                            int fd)
{
    const char *text = "";
    size_t len = 0;
    int real;
    if (redir->word)
        TRY(expand_text(sh, redir->word, &text, &len));
    xtrace_redir(sh, redir, text, len);
    TRY(redir_open_text(sh, text, len, redir->op == REDIR_HERE_STRING, &real));
    return install(sh, target, fd, real);
}

/* n, n-, -, p behind <& or >& */
static enum flow apply_dup(struct shell *sh, struct frame *target, const struct redir *redir,
                           int fd)
{
    const char *text;
    char *end;
    size_t len;
    TRY(expand_target(sh, redir->word, &text, &len));
    xtrace_redir(sh, redir, text, len);
    if (strcmp(text, "-") == 0)
        return fdtab_close(sh, target, fd);
    if (strcmp(text, "p") == 0) {
        TRY(coproc_move(sh, target, fd, redir->op == REDIR_DUP_IN));
        hide(sh, target, fd);
        return FLOW_NEXT;
    }
    long from = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
    if (from < 0 || from > 0x7fffff || (*end && strcmp(end, "-") != 0))
        return shell_fail(sh, ERROR_REDIRECT, 1, text, "bad file unit number");
    TRY(dup_to(sh, target, fd, (int)from));
    return *end && from != fd ? fdtab_close(sh, target, (int)from) : FLOW_NEXT;
}

static enum flow apply_both(struct shell *sh, struct frame *target, const struct redir *redir)
{
    TRY(apply_file(sh, target, redir, STDOUT_FILENO));
    return fdtab_dup(sh, target, STDERR_FILENO, STDOUT_FILENO);
}

static bool is_close(const struct redir *redir)
{
    return (redir->op == REDIR_DUP_IN || redir->op == REDIR_DUP_OUT) && redir->word->text &&
           strcmp(redir->word->text, "-") == 0;
}

/* {name}: the descriptor to use: a free one, or, to close it and to move its position, the one that
 * is in the variable. */
static enum flow named_fd(struct shell *sh, const struct redir *redir, struct var_ref *ref,
                          bool *ret_fresh, int *ret_fd)
{
    TRY(expand_ref(sh, redir->var, ref));
    bool is_seek =
        redir->op == REDIR_SEEK_IN || redir->op == REDIR_SEEK_OUT || redir->op >= REDIR_SKIP_COPY;
    *ret_fresh = !is_seek && !is_close(redir);
    if (*ret_fresh) {
        *ret_fd = fdtab_free_fd(sh);
        if (*ret_fd < 0)
            return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "no free descriptor: %s",
                              strerror(errno));
        return FLOW_NEXT;
    }
    struct num n;
    TRY(var_get_num(sh, ref, &n));
    int64_t fd = num_to_int(n);
    if (fd < 0 || fd > 0x7fffff)
        return shell_fail(sh, ERROR_REDIRECT, 1, redir->var->name->text, "bad file unit number");
    *ret_fd = (int)fd;
    return FLOW_NEXT;
}

static enum flow apply_op(struct shell *sh, struct frame *target, const struct redir *redir, int fd)
{
    switch ((enum redir_op)redir->op) {
    case REDIR_IN:
    case REDIR_OUT:
    case REDIR_CLOBBER:
    case REDIR_APPEND:
    case REDIR_INOUT:
        return apply_file(sh, target, redir, fd);
    case REDIR_OUT_REWRITE:
    case REDIR_INOUT_TRUNC:
        return apply_on_success(sh, target, redir, fd);
    case REDIR_DUP_IN:
    case REDIR_DUP_OUT:
        return apply_dup(sh, target, redir, fd);
    case REDIR_BOTH:
    case REDIR_BOTH_APPEND:
        return apply_both(sh, target, redir);
    case REDIR_HERE_DOC:
    case REDIR_HERE_STRING:
        return apply_here(sh, target, redir, fd);
    case REDIR_SEEK_IN:
    case REDIR_SEEK_OUT:
    case REDIR_SKIP_COPY:
    case REDIR_TELL:
        return redir_seek(sh, redir, fd);
    }
    return FLOW_NEXT;
}

int redir_fd(const struct shell *sh, const struct redir *redir)
{
    bool inout = redir->op == REDIR_INOUT || redir->op == REDIR_INOUT_TRUNC;
    return inout && redir->fd_implied && !option_on(sh, OPTION_POSIX) ? STDOUT_FILENO : redir->fd;
}

static enum flow apply_one(struct shell *sh, struct frame *target, const struct redir *redir)
{
    if (!redir->var)
        return apply_op(sh, target, redir, redir_fd(sh, redir));
    struct var_ref ref;
    bool fresh = false;
    int fd = -1;
    TRY(named_fd(sh, redir, &ref, &fresh, &fd));
    TRY(apply_op(sh, target, redir, fd));
    return fresh ? var_set_num(sh, &ref, num_int(fd), 0) : FLOW_NEXT;
}

/* The process ends with the command that has REDIRS: what they replaced is closed now, so that
 * nobody at the other end of a pipe waits for a process that does not use it. */
static void redirs_keep(struct shell *sh, struct frame *target, const struct redir *redirs,
                        size_t count)
{
    sh->last_redirs = NULL;
    for (size_t i = 0; i < count; i++)
        if (redirs[i].op == REDIR_OUT_REWRITE || redirs[i].op == REDIR_INOUT_TRUNC)
            return; /* these still have to do something in the end */
    fdtab_drop_saved(sh, target);
}

enum flow redir_apply(struct shell *sh, struct frame *target, const struct redir *redirs,
                      size_t count)
{
    uint32_t line = sh->line;
    enum flow flow = FLOW_NEXT;
    for (size_t i = 0; i < count && flow == FLOW_NEXT; i++) {
        if (redirs[i].line > 0)
            sh->line = redirs[i].line;
        flow = apply_one(sh, target, &redirs[i]);
    }
    if (__builtin_expect(sh->redir_traced, 0))
        xtrace_redir_end(sh);
    if (flow == FLOW_NEXT)
        sh->line = line;
    if (__builtin_expect(flow == FLOW_NEXT && count && redirs == sh->last_redirs, 0))
        redirs_keep(sh, target, redirs, count);
    return flow;
}
