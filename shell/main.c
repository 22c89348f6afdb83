/*
 * The program: sets the shell up, runs what the command line asks for, ends it.
 *
 * Start-up does as little as it can, because most shells live for milliseconds: nothing of the
 * interactive layer is touched unless the shell is interactive, and at the end the process is left
 * to the system as it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/diag.h"
#include "shell/base/sys.h"
#include "shell/cmdline.h"
#include "shell/exec/exec.h"
#include "shell/exec/trap.h"
#include "shell/interactive/repl.h"
#include "shell/stack.h"
#include "shell/state/alias.h"
#include "shell/state/cmdhash.h"
#include "shell/state/cwd.h"
#include "shell/state/env.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"
#include "shell/state/param.h"
#include "shell/syntax/xref.h"

struct start {
    int argc;
    char **argv;
};

/* Test switches, not for users: MEMKSH_DEBUG=fork-subshells,no-fastpath (CONTRIBUTING.md). */
static void debug_switches(struct shell *sh, const char *text)
{
    while (text && *text) {
        size_t len = strcspn(text, ",");
        if (text_eq(text, len, "fork-subshells", 14))
            sh->debug_fork_subshells = true;
        else if (text_eq(text, len, "no-fastpath", 11))
            sh->debug_no_fastpath = true;
        text += len;
        text += *text == ',';
    }
}

/* A profile: read if it is there; errors in it do not end the shell. */
static enum flow profile_run(struct shell *sh, const char *path)
{
    struct stat st;
    if (!*path || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || access(path, R_OK) != 0)
        return FLOW_NEXT;
    sh->in_profile = true;
    enum flow flow = exec_file(sh, NULL, path);
    sh->in_profile = false;
    if (flow == FLOW_ERROR) {
        shell_print_error(sh);
        return FLOW_NEXT;
    }
    return flow == FLOW_RETURN ? FLOW_NEXT : flow;
}

static enum flow home_profile(struct shell *sh, const char *name)
{
    struct str path;
    const char *home = var_text(sh, "HOME");
    if (!home)
        return FLOW_NEXT;
    str_init(&path, sh->heap);
    str_printf(&path, "%s/%s", home, name);
    enum flow flow = profile_run(sh, str_text(&path));
    str_release(&path);
    return flow;
}

/* $ENV, expanded; by default ~/.kshrc. */
static enum flow rc_run(struct shell *sh)
{
    const char *env = var_text(sh, "ENV");
    if (!env)
        return option_on(sh, OPTION_POSIX) ? FLOW_NEXT : home_profile(sh, ".kshrc");
    const char *path;
    size_t len;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    enum flow flow = sh->hooks.expand_text(sh, env, strlen(env), &path, &len);
    if (flow == FLOW_NEXT)
        flow = profile_run(sh, path);
    mem_region_reset(sh->scratch, mark);
    return flow;
}

static enum flow profiles_run(struct shell *sh)
{
    bool is_privileged = option_on(sh, OPTION_PRIVILEGED);
    if (sh->login)
        TRY(profile_run(sh, "/etc/profile"));
    if (sh->login && !is_privileged)
        TRY(home_profile(sh, ".profile"));
    if (!option_on(sh, OPTION_RC))
        return FLOW_NEXT;
    return is_privileged ? profile_run(sh, "/etc/suid_profile") : rc_run(sh);
}

/* Standard input as source of commands. */
struct stdin_reader {
    struct shell *sh;
    enum flow
        flow; /* how a trap that ran while waiting for a line ended, when not with FLOW_NEXT */
};

/* A line at a time: what the commands run may read the rest. */
static ptrdiff_t stdin_read(void *ctx, bool continuation, const char **ret_text)
{
    struct stdin_reader *reader = ctx;
    struct shell *sh = reader->sh;
    size_t len;
    (void)continuation;
    struct input *in = fdtab_in(sh, 0);
    if (!in)
        return 0;
    while (input_line(in, '\n', ret_text, &len) < 0) {
        if (errno != EINTR)
            return -1;
        reader->flow = trap_run_pending(sh);
        if (reader->flow != FLOW_NEXT)
            return -1;
    }
    struct out *err = option_on(sh, OPTION_VERBOSE) ? fdtab_out(sh, 2) : NULL;
    if (err) {
        out_write(err, *ret_text, len);
        (void)out_flush(err);
    }
    return (ptrdiff_t)len;
}

static enum flow stdin_run(struct shell *sh)
{
    struct source source;
    struct stdin_reader reader = { .sh = sh, .flow = FLOW_NEXT };
    source_init_reader(&source, sh->arg0, stdin_read, &reader, sh->heap);
    enum flow flow = exec_source(sh, &source);
    source_release(&source);
    return reader.flow != FLOW_NEXT ? reader.flow : flow;
}

/* A script named without a slash that is not here is looked for in PATH; without one it may be the
 * name of a builtin. */
static enum flow script_run(struct shell *sh, const char *script)
{
    static const char builtin_line[] = "\"$0\" \"$@\"";
    const char *path = script;
    if (!strchr(script, '/') && access(script, F_OK) != 0) {
        const char *list = var_text(sh, "PATH");
        const char *found = path_search(sh, list, script, true);
        if (!found && sh->hooks.find_builtin(sh, script, strlen(script)))
            return exec_command_string(sh, builtin_line, strlen(builtin_line));
        if (!found && path_search(sh, list, script, false))
            return shell_fail(sh, ERROR_COMMAND, 126, script, "cannot execute");
        if (!found)
            return shell_fail(sh, ERROR_COMMAND, 127, script, "not found");
        path = found;
    }
    return exec_file(sh, NULL, path);
}

/* -D */
static void print_message(void *ctx, const char *text, size_t len)
{
    struct shell *sh = ctx;
    out_write(sh->out, text, len);
    out_putc(sh->out, '\n');
}

/* Scripts that those seen so far read with `.`; what cannot be read may be made when they run. */
static enum flow xref_follow(struct shell *sh, const struct xref *x)
{
    const char *script;
    for (size_t i = 0; (script = xref_script_at(x, i)); i++) {
        struct stat st;
        const char *found = NULL;
        if (!strchr(script, '/'))
            found = path_search(sh, var_text(sh, "PATH"), script, false);
        if (!found)
            found = script;
        if (stat(found, &st) == 0 && S_ISREG(st.st_mode) && access(found, R_OK) == 0)
            TRY(exec_file(sh, NULL, found));
    }
    return FLOW_NEXT;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Is PATH the file of SCRIPT or of one that it reads? */
static bool xref_reads(const struct xref *x, const char *script, const char *path)
{
    for (size_t i = 0; script; script = xref_script_at(x, i++))
        if (is_same_file(path, script))
            return true;
    return false;
}

static enum flow xref_write(struct shell *sh, struct xref *x, const char *script, const char *path)
{
    struct str s;
    str_init(&s, sh->heap);
    if (!xref_list(x, &s)) {
        str_release(&s);
        return shell_fail_memory(sh, 0);
    }
    if (xref_reads(x, script, path))
        return shell_fail(sh, ERROR_REDIRECT, 1, path, "is one of the scripts");
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool opened = fd >= 0;
    bool written = opened && sys_write_all(fd, str_text(&s), s.len);
    int error = errno;
    if (opened && close(fd) != 0 && written) {
        written = false;
        error = errno;
    }
    str_release(&s);
    if (written)
        return FLOW_NEXT;
    return shell_fail(sh, ERROR_REDIRECT, 1, path, "%s [%s]",
                      opened ? "write failed" : "cannot create", strerror(error));
}

/* -R: nothing runs, because noexec is set. */
static enum flow xref_run(struct shell *sh, const struct cmdline *cmdline)
{
    struct xref x;
    xref_init(&x, sh->heap);
    xref_add_script(&x, cmdline->script);
    sh->parse_hooks->xref = &x;
    enum flow flow = script_run(sh, cmdline->script);
    if (flow == FLOW_NEXT)
        flow = xref_follow(sh, &x);
    sh->parse_hooks->xref = NULL;
    if (flow == FLOW_NEXT)
        flow = xref_write(sh, &x, cmdline->script, cmdline->xref);
    if (flow == FLOW_ERROR) /* while the name of the file is there */
        shell_print_error(sh);
    xref_release(&x);
    return flow;
}

static enum flow commands_run(struct shell *sh, const struct cmdline *cmdline)
{
    if (cmdline->list_messages) {
        sh->parse_hooks->message = print_message;
        TRY(option_set(sh, OPTION_NOEXEC, true));
    }
    if (sh->interactive)
        repl_init(sh);
    TRY(profiles_run(sh));
    if (cmdline->restricted) /* the profiles may still make PATH what it is to be */
        TRY(option_set(sh, OPTION_RESTRICTED, true));
    if (cmdline->command)
        return exec_command_string(sh, cmdline->command, strlen(cmdline->command));
    if (cmdline->xref)
        return xref_run(sh, cmdline);
    if (cmdline->script)
        return script_run(sh, cmdline->script);
    return sh->interactive ? repl_run(sh) : stdin_run(sh);
}

static enum flow state_init(struct shell *sh, const struct start *start, struct cmdline *cmdline)
{
    TRY(exec_init(sh));
    TRY(cmdline_parse(sh, start->argc, start->argv, cmdline));
    sh->arg0 = cmdline->arg0;
    TRY(env_import(sh, environ));
    TRY(cwd_init(sh));
    if (sh->interactive)
        TRY(alias_init(sh)); /* history= and r= make sense only at a prompt */
    TRY(param_set(sh, cmdline->argc, (const char *const *)cmdline->argv));
    if (cmdline->wants_monitor)
        TRY(option_set(sh, OPTION_MONITOR, true));
    traps_init(sh);
    return FLOW_NEXT;
}

static int print_and_exit(void (*make)(struct str *s))
{
    struct str s;
    str_init(&s, mem_region_malloc());
    make(&s);
    return sys_write_all(1, str_text(&s), s.len) ? 0 : 1;
}

static int shell_run(void *ctx, const char *floor)
{
    const struct start *start = ctx;
    struct cmdline cmdline = { 0 };
    struct shell *sh = shell_new();
    if (!sh) {
        diag_printf("%s: cannot start: %s", diag_program, strerror(errno));
        return 1;
    }
    debug_switches(sh, getenv("MEMKSH_DEBUG"));
    enum flow flow = state_init(sh, start, &cmdline);
    if (cmdline.show_version)
        return print_and_exit(cmdline_version);
    if (cmdline.show_help)
        return print_and_exit(cmdline_help);
    if (flow == FLOW_NEXT) {
        sh->parse_hooks->stack_floor = floor;
        if (cmdline.list_options)
            flow = exec_text(sh, "-o", cmdline.list_options, strlen(cmdline.list_options));
        if (flow == FLOW_NEXT)
            flow = commands_run(sh, &cmdline);
    }
    if (flow == FLOW_ERROR)
        shell_print_error(sh);
    return exec_finish(sh);
}

int main(int argc, char **argv)
{
    struct start start = { .argc = argc, .argv = argv };
    int status = stack_run(shell_run, &start);
    mem_exit();
    /* Not exit(): what libraries would do there is not worth its time. */
    _exit(status);
}
