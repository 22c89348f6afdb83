/*
 * Moving the position of an open file: <#((expr)), >#((expr)), <#pattern, <##pattern; and
 * showing it: $(3<#).
 *
 * Not undone: the file's position is not the shell's. CUR and EOF exist as variables only while the
 * expression is evaluated.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/match.h"
#include "shell/exec/exec_private.h"
#include "shell/exec/redir_private.h"
#include "shell/expand/expand.h"
#include "shell/state/fdtab.h"
#include "shell/syntax/unparse.h"

static enum flow seek_fail(struct shell *sh, int fd)
{
    return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "%d: cannot seek: %s", fd, strerror(errno));
}

/* The target of (EXPR) with CUR and EOF. */
static enum flow evaluate(struct shell *sh, const struct word *word, off_t cur, off_t eof,
                          int64_t *ret)
{
    struct frame frame;
    struct num n = num_int(0);
    struct name *cur_name = name_intern(sh, "CUR", 3), *eof_name = name_intern(sh, "EOF", 3);
    if (!cur_name || !eof_name)
        return shell_fail_memory(sh, 0);
    struct var_ref cur_ref = var_ref_name(cur_name), eof_ref = var_ref_name(eof_name);
    frame_push(sh, &frame, FRAME_CMD);
    enum flow flow = var_set_num(sh, &cur_ref, num_int(cur), ASSIGN_TEMP);
    if (flow == FLOW_NEXT)
        flow = var_set_num(sh, &eof_ref, num_int(eof), ASSIGN_TEMP);
    if (flow == FLOW_NEXT)
        flow = expand_arith(sh, word, &n);
    frame_pop(sh, &frame);
    *ret = num_to_int(n);
    return flow;
}

static enum flow seek_arith(struct shell *sh, const struct redir *redir, int fd, struct input *in)
{
    int64_t offset;
    off_t cur = input_seek(in, 0, SEEK_CUR);
    off_t eof = cur < 0 ? -1 : lseek(fdtab_real(sh, fd), 0, SEEK_END);
    if (eof < 0 || lseek(fdtab_real(sh, fd), cur, SEEK_SET) < 0)
        return seek_fail(sh, fd);
    if (xtrace_on(sh)) {
        struct str s;
        str_init(&s, sh->scratch);
        str_append_z(&s, "((");
        unparse_arith(&s, redir->word);
        str_append_z(&s, "))");
        xtrace_redir(sh, redir, str_text(&s), s.len);
    }
    TRY(evaluate(sh, redir->word, cur, eof, &offset));
    return input_seek(in, (off_t)offset, SEEK_SET) < 0 ? seek_fail(sh, fd) : FLOW_NEXT;
}

/* Reads on to the first line that matches; COPY: what is skipped goes to standard output. Without
 * such a line: the end. */
static enum flow seek_pattern(struct shell *sh, const struct redir *redir, struct input *in,
                              bool copy)
{
    const char *text, *line;
    size_t len, line_len;
    /* as in ksh93 quotes around what is written out do not take its meaning away */
    bool as_written = redir->word->kind == WORD_LITERAL;
    TRY(as_written ? expand_text(sh, redir->word, &text, &len)
                   : expand_pattern(sh, redir->word, &text, &len));
    xtrace_redir(sh, redir, text, len);
    struct pattern *pattern = pattern_compile(sh->heap, text, len, 0);
    if (!pattern) {
        const char *why = pattern_error(errno);
        return why ? shell_fail(sh, ERROR_REDIRECT, 1, text, "%s", why)
                   : shell_fail_memory(sh, len);
    }
    int got;
    while ((got = input_line(in, '\n', &line, &line_len)) >= 0 && line_len > 0) {
        size_t body = line_len - (line[line_len - 1] == '\n');
        if (pattern_matches(pattern, line, body)) {
            input_unread(in, line_len);
            break;
        }
        if (copy)
            out_write(sh->out, line, line_len);
        if (got == 0)
            break;
    }
    pattern_free(pattern);
    return FLOW_NEXT;
}

/* $(3<#) */
static enum flow tell(struct shell *sh, int fd, struct input *in)
{
    off_t cur = input_seek(in, 0, SEEK_CUR);
    if (cur < 0)
        return seek_fail(sh, fd);
    out_printf(sh->out, "%lld\n", (long long)cur);
    return FLOW_NEXT;
}

enum flow redir_seek(struct shell *sh, const struct redir *redir, int fd)
{
    struct input *in = fdtab_in(sh, fd);
    if (!in)
        return shell_fail(sh, ERROR_REDIRECT, 1, NULL, "%d: cannot open [%s]", fd, strerror(EBADF));
    if (redir->op == REDIR_TELL)
        return tell(sh, fd, in);
    if (redir->seek_arith)
        return seek_arith(sh, redir, fd, in);
    return seek_pattern(sh, redir, in, redir->op == REDIR_SKIP_COPY);
}
