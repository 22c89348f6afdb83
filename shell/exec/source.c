/*
 * Running text: read a command, run it, until the end (scripts, -c, eval, dot, traps, profiles, the
 * prompt).
 *
 * One complete command is parsed at a time, so what it changes (aliases, options) holds for the
 * next, and what stands before a syntax error has run. Nothing of a command with a syntax error
 * runs. Errors that travel (FLOW_ERROR) end the source, except at a prompt, where the next command
 * is read. The text of eval counts lines from 1, that of traps from where it is run.
 */
#include "shell/exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec_private.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/site.h"
#include "shell/state/where.h"
#include "shell/syntax/xref.h"

enum { SYNTAX_STATUS = 2 };

struct running {
    struct source *source;
    const char *what;         /* for syntax errors; NULL: the script itself */
    bool interactive;         /* go on after errors */
    bool is_last;             /* nothing follows in this process */
    bool is_script;           /* set -v shows it */
    bool ran;                 /* a command was run */
    void (*typed)(void *ctx); /* called for each command read; NULL: nobody wants to know */
    void *ctx;
};

static enum flow parse_failed(struct shell *sh, const struct running *running,
                              const struct parse_error *error)
{
    sh->line = error->line;
    return shell_fail(sh, ERROR_SYNTAX, SYNTAX_STATUS, running->what, "%s", error->why);
}

/* set -v: the text from START on. */
static void verbose_show(struct shell *sh, const struct source *source, size_t start)
{
    struct out *out = fdtab_out(sh, 2);
    if (!out || source->pos <= start)
        return;
    out_write(out, source->text + start, source->pos - start);
    (void)out_flush(out);
    out_clear_error(out);
}

/* Only blanks are left. */
static bool is_at_end(const struct source *source)
{
    if (source->read)
        return false;
    for (size_t i = source->pos; i < source->len; i++)
        if (!strchr(" \t\n", source->text[i]) || !source->text[i])
            return false;
    return true;
}

static enum flow program_run(struct shell *sh, const struct running *running,
                             struct program *program)
{
    if (!running->is_last || !is_at_end(running->source))
        return exec_program(sh, program);
    const struct program *outer = sh->program;
    sh->program = program;
    enum flow flow = exec_list_last(sh, program->body);
    sh->program = outer;
    return flow;
}

/* Parses and runs the next command; *RET_END: there was none. */
static enum flow next_run(struct shell *sh, struct running *running, bool *ret_end)
{
    struct source *source = running->source;
    struct program *program = NULL;
    struct parse_error error;
    size_t start = source->pos;
    if (running->interactive) /* ^D ends no more than the command that it was typed in */
        source->at_end = false;
    sh->parse_hooks->posix = option_on(sh, OPTION_POSIX);
    sh->parse_hooks->brace_expand = option_on(sh, OPTION_BRACEEXPAND);
    sh->parse_hooks->keyword = option_on(sh, OPTION_KEYWORD);
    sh->parse_hooks->lint = option_on(sh, OPTION_NOEXEC) && !running->interactive &&
                            !sh->parse_hooks->message && !sh->parse_hooks->xref;
    sh->parse_hooks->keep_types = option_on(sh, OPTION_NOEXEC);
    sh->parse_hooks->show = option_on(sh, OPTION_SHOWME);
    uint32_t outer_site = mem_site;
    if (__builtin_expect(mem_site_wanted, 0))
        mem_site = site_at(sh, source->line);
    enum parse_result result = parse_command(sh->parse_hooks, source, &program, &error);
    if (__builtin_expect(mem_site_wanted, 0))
        mem_site = outer_site;
    if (running->typed && (result == PARSE_OK || result == PARSE_ERROR))
        running->typed(running->ctx);
    if (running->is_script && !source->read && option_on(sh, OPTION_VERBOSE))
        verbose_show(sh, source, start);
    switch (result) {
    case PARSE_OK:
        break;
    case PARSE_END:
        *ret_end = true;
        return FLOW_NEXT;
    case PARSE_ERROR:
        return parse_failed(sh, running, &error);
    case PARSE_INTERRUPTED:
        if (running->interactive) { /* what was typed of the command is given up */
            source->failed = false;
            source->pos = source->len;
            return FLOW_NEXT;
        }
        *ret_end = true;
        return shell_fail(sh, ERROR_REDIRECT, 1, source->name, "read error: %s", strerror(errno));
    case PARSE_NO_MEMORY:
        *ret_end = true;
        return shell_fail_memory(sh, 0);
    }
    if (__builtin_expect(sh->parse_hooks->xref != NULL, 0))
        xref_add_program(sh->parse_hooks->xref, program);
    enum flow flow = FLOW_NEXT;
    if (program->body && (!option_on(sh, OPTION_NOEXEC) || running->interactive)) {
        running->ran = true;
        flow = program_run(sh, running, program);
    }
    program_release(program);
    return flow;
}

/* Does set -e make an error that came up to the prompt end the shell? In POSIX any failure does. */
static bool error_exits(const struct shell *sh)
{
    bool is_failure = sh->err.kind != ERROR_SYNTAX && sh->err.kind != ERROR_LIMIT;
    return is_failure && option_on(sh, OPTION_POSIX) && option_on(sh, OPTION_ERREXIT);
}

static enum flow source_run(struct shell *sh, struct running *running)
{
    bool end = false;
    while (!end) {
        enum flow flow = sh->pending ? trap_run_pending(sh) : FLOW_NEXT;
        if (flow == FLOW_NEXT)
            flow = next_run(sh, running, &end);
        if (flow == FLOW_ERROR && running->interactive) {
            shell_print_error(sh);
            sh->condition_depth = 0;
            sh->loop_depth = 0;
            flow = error_exits(sh) ? FLOW_EXIT : FLOW_NEXT;
        }
        if (flow != FLOW_NEXT)
            return flow;
        if (running->is_script && running->ran && option_on(sh, OPTION_ONECMD))
            end = true;
    }
    return FLOW_NEXT;
}

enum flow exec_source(struct shell *sh, struct source *source)
{
    struct running running = { .source = source, .is_script = true };
    return source_run(sh, &running);
}

enum flow exec_interactive(struct shell *sh, struct source *source, void (*typed)(void *ctx),
                           void *ctx)
{
    struct running running = { .source = source, .interactive = true, .typed = typed, .ctx = ctx };
    return source_run(sh, &running);
}

enum flow exec_command_string(struct shell *sh, const char *text, size_t len)
{
    struct source source;
    struct running running = { .source = &source, .is_last = true, .is_script = true };
    source_init_text(&source, sh->arg0, text, len);
    enum flow flow = source_run(sh, &running);
    source_release(&source);
    return flow;
}

/* WHAT: for syntax errors, see struct running. */
static enum flow text_run(struct shell *sh, const char *name, const char *what, const char *text,
                          size_t len)
{
    struct source source;
    struct running running = { .source = &source, .what = what };
    if (!shell_enter(sh)) {
        shell_leave(sh);
        return shell_fail(sh, ERROR_LIMIT, 1, name, "recursion too deep");
    }
    bool exec_last = sh->exec_last;
    uint32_t line = sh->line;
    struct members *compound = sh->compound;
    sh->compound = NULL;
    sh->exec_last = false;
    source_init_text(&source, name, text, len);
    if (sh->line)
        source.line = sh->line;
    enum flow flow = source_run(sh, &running);
    source_release(&source);
    if (!running.ran && flow == FLOW_NEXT)
        sh->status = 0;
    if (flow != FLOW_ERROR)
        sh->line = line;
    sh->exec_last = exec_last;
    sh->compound = compound;
    shell_leave(sh);
    return flow;
}

enum flow exec_text(struct shell *sh, const char *name, const char *text, size_t len)
{
    return text_run(sh, name, name, text, len);
}

enum flow exec_action(struct shell *sh, const char *action)
{
    int status = sh->status;
    enum flow flow = exec_text(sh, "trap", action, strlen(action));
    if (flow != FLOW_ERROR || sh->err.printed || sh->err.kind != ERROR_SYNTAX ||
        option_on(sh, OPTION_POSIX))
        return flow;
    shell_print_error(sh);
    sh->status = status;
    return FLOW_NEXT;
}

enum flow exec_eval(struct shell *sh, const char *text, size_t len)
{
    struct where where;
    uint32_t line = sh->line;
    if (sh->depth >= SHELL_DEPTH_MAX) /* it fails, and says so of where it stands */
        return text_run(sh, "eval", NULL, text, len);
    where_enter(sh, &where, "eval");
    sh->line = 1;
    enum flow flow = text_run(sh, "eval", NULL, text, len);
    where_leave(sh, &where);
    sh->line = line;
    return flow;
}

/* ---- files ---- */

/* A file that is not a plain one is read as it comes. */
struct file_reader {
    struct shell *sh;
    int fd;
    enum flow flow; /* how a trap that ran while waiting ended, when not with FLOW_NEXT */
    char buffer[4096];
};

static ptrdiff_t file_reader_read(void *ctx, bool continuation, const char **ret_text)
{
    struct file_reader *reader = ctx;
    (void)continuation;
    for (;;) {
        ssize_t got = sys_idle_fd(reader->fd)
                          ? sys_read(reader->fd, reader->buffer, sizeof reader->buffer)
                          : -1;
        *ret_text = reader->buffer;
        if (got >= 0 || errno != EINTR)
            return got;
        reader->flow = trap_run_pending(reader->sh);
        if (reader->flow != FLOW_NEXT)
            return -1;
    }
}

/* All of FD into S. */
static bool file_load(int fd, size_t bytes, struct str *s)
{
    for (;;) {
        if (!str_reserve(s, s->len < bytes ? bytes - s->len + 1 : 4096))
            return false;
        ssize_t got = sys_read(fd, s->data + s->len, s->cap - s->len - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            s->data[s->len] = '\0';
            return got == 0;
        }
        s->len += (size_t)got;
    }
}

bool script_is_binary(const char *head, size_t len)
{
    if (len > SCRIPT_HEAD_BYTES)
        len = SCRIPT_HEAD_BYTES;
    const char *newline = memchr(head, '\n', len);
    return memchr(head, '\0', newline ? (size_t)(newline - head) : len) != NULL;
}

/* WHAT is the command that wants the file; NULL: it is the shell's own script, and the status tells
 * why it does not run. */
static enum flow file_error(struct shell *sh, const char *what, const char *path,
                            const char *problem, int status, const char *why)
{
    if (what)
        return shell_fail(sh, ERROR_REDIRECT, 1, what, "%s: cannot open [%s]", path, why);
    return shell_fail(sh, ERROR_REDIRECT, status, path, "%s [%s]", problem, why);
}

/* What a script has added to itself while it ran, behind all of SOURCE, which is TEXT. */
static bool file_grew(int fd, struct str *text, struct source *source)
{
    size_t len = text->len;
    if (!file_load(fd, len, text) || text->len == len)
        return false;
    source->text = str_text(text);
    source->len = text->len;
    return true;
}

static enum flow regular_run(struct shell *sh, const char *what, const char *path, int fd,
                             size_t bytes)
{
    struct source source;
    struct running running = { .source = &source, .is_script = true };
    struct str text;
    str_init(&text, sh->heap);
    bool loaded = file_load(fd, bytes, &text);
    int error = errno;
    enum flow flow;
    if (!loaded && text.failed) {
        flow = shell_fail_memory(sh, bytes);
    } else if (!loaded) {
        flow = file_error(sh, what, path, "cannot read", 126, strerror(error));
    } else if (script_is_binary(str_text(&text), text.len)) {
        flow = file_error(sh, what, path, "cannot execute", 126, "binary file");
    } else {
        sh->file = path;
        source_init_text(&source, path, str_text(&text), text.len);
        do
            flow = source_run(sh, &running);
        while (flow == FLOW_NEXT && !option_on(sh, OPTION_ONECMD) && file_grew(fd, &text, &source));
        source_release(&source);
        if (!running.ran && flow == FLOW_NEXT)
            sh->status = 0;
    }
    close(fd);
    str_release(&text);
    return flow;
}

static enum flow stream_run(struct shell *sh, const char *path, int fd)
{
    struct source source;
    struct running running = { .source = &source, .is_script = true };
    struct file_reader reader = { .sh = sh, .fd = fd, .flow = FLOW_NEXT };
    source_init_reader(&source, path, file_reader_read, &reader, sh->heap);
    sh->file = path;
    enum flow flow = source_run(sh, &running);
    source_release(&source);
    close(fd);
    if (reader.flow != FLOW_NEXT)
        return reader.flow;
    if (!running.ran && flow == FLOW_NEXT)
        sh->status = 0;
    return flow;
}

/* PATH to be read from, on a descriptor that no script sees; -1 with errno. */
static int script_open(struct shell *sh, const char *path)
{
    int fd = fdtab_named(path);
    if (fd >= 0) {
        fdtab_input_sync(sh);
        int real = fdtab_real(sh, fd);
        return real < 0 ? -1 : sys_dup_private(real);
    }
    char buffer[FDTAB_PATH_SIZE];
    fd = sys_open(fdtab_path(sh, path, buffer), O_RDONLY, 0);
    return fd < 0 ? fd : sys_move_private(fd);
}

enum flow exec_file(struct shell *sh, const char *what, const char *path)
{
    struct stat st;
    int fd = script_open(sh, path);
    if (fd < 0 || fstat(fd, &st) != 0) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        int status = error == ENOENT || error == ENOTDIR ? 127 : 126;
        return file_error(sh, what, path, "cannot open", status, strerror(error));
    }
    if (S_ISDIR(st.st_mode)) {
        close(fd);
        return file_error(sh, what, path, "cannot execute", 126, strerror(EISDIR));
    }
    uint32_t line = sh->line;
    const char *file = sh->file;
    uint32_t site_parent = sh->site_parent;
    const struct where *where = sh->where;
    enum flow flow;
    sh->site_parent = mem_site;
    site_look(sh);
    sh->where = NULL;
    where_script(sh, path);
    if (S_ISREG(st.st_mode))
        flow = regular_run(sh, what, path, fd, (size_t)st.st_size);
    else
        flow = stream_run(sh, path, fd);
    sh->where = where;
    sh->site_parent = site_parent;
    site_look(sh);
    if (flow != FLOW_ERROR || sh->err.printed) {
        sh->file = file;
        sh->line = line;
    }
    return flow;
}
