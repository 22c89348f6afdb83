/*
 * tilde: ~ ~user ~+ ~- ~{descriptor} at the places the parser marked.
 *
 * The result counts as quoted: no splitting, no patterns. What cannot be expanded stays as written.
 * A script has the first word, as the disciplines of .sh.tilde, but not while one of them runs.
 */
#include "shell/base/lookup.h"
#include "shell/base/num.h"
#include "shell/expand/build.h"
#include "shell/state/discipline.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* The file behind the descriptor that NAME says, a number or a variable: of ~{NAME}. NULL: it is
 * not open. */
static const char *descriptor_path(struct shell *sh, const char *name, size_t len)
{
    enum { PATH_SIZE = 32 };
    char *copy = scratch_dup(sh, name, len);
    char *path = scratch_alloc(sh, PATH_SIZE);
    int64_t fd;
    const char *text = copy;
    if (!copy || !path)
        return NULL;
    if (*copy < '0' || *copy > '9')
        text = var_text(sh, copy);
    if (!text || !num_parse_int(text, strlen(text), &fd) || fd < 0 || fd > INT_MAX ||
        !fdtab_is_open(sh, (int)fd))
        return NULL;
    snprintf(path, PATH_SIZE, "/dev/fd/%d", (int)fd);
    return path;
}

/* Directory of ~NAME, borrowed until the command ends; NULL: none. */
static const char *tilde_directory(struct shell *sh, const char *name, size_t len)
{
    struct str found;
    str_init(&found, sh->scratch);
    if (len == 0) {
        const char *home = var_text(sh, "HOME");
        if (home)
            return home;
        return lookup_home_of(getuid(), &found) ? str_text(&found) : NULL;
    }
    if (name[0] == '{')
        return descriptor_path(sh, name + 1, len - 2);
    if (len == 1 && name[0] == '+')
        return var_text(sh, "PWD");
    if (len == 1 && name[0] == '-')
        return var_text(sh, "OLDPWD");
    return lookup_home(name, &found) ? str_text(&found) : NULL;
}

/* What the disciplines of .sh.tilde make of ~NAME, borrowed; NULL: there are none, or they leave it
 * alone. */
static enum flow tilde_discipline(struct shell *sh, const char *name, size_t len, const char **ret)
{
    static const char variable[] = ".sh.tilde";
    struct name *tilde = name_find(sh, variable, sizeof variable - 1);
    *ret = NULL;
    if (!tilde || !tilde->cur || !(tilde->cur->attrs & VAR_DISCIPLINE) ||
        sh->hooks.call_function == NULL)
        return FLOW_NEXT;
    for (const struct discipline_call *call = sh->discipline; call; call = call->outer)
        if (call->var == tilde->cur)
            return FLOW_NEXT;
    struct str word;
    str_init(&word, sh->scratch);
    str_putc(&word, '~');
    str_append(&word, name, len);
    if (!str_ok(&word))
        return shell_fail_memory(sh, len);
    TRY(var_set_name(sh, tilde, word.data, word.len, ASSIGN_FORCE));
    size_t text_len;
    TRY(var_get_name(sh, tilde, ret, &text_len));
    if (*ret && (**ret == '~' || **ret == '\0'))
        *ret = NULL;
    return FLOW_NEXT;
}

enum flow part_tilde(struct builder *b, const struct part *part, const struct part *next)
{
    const char *name = part->literal.text, *directory = NULL;
    /* In POSIX a colon ends the name in assignments only. */
    bool is_name = !part->before_colon || !option_on(b->sh, OPTION_POSIX);
    if (is_name)
        TRY(tilde_discipline(b->sh, name, part->literal.len, &directory));
    if (is_name && !directory)
        directory = tilde_directory(b->sh, name, part->literal.len);
    if (!directory) {
        build_literal(b, "~", 1);
        build_literal(b, name, part->literal.len);
        return FLOW_NEXT;
    }
    size_t len = strlen(directory);
    /* ~/x with HOME=/ is /x. */
    if (len > 0 && directory[len - 1] == '/' && next && next->kind == PART_LITERAL &&
        next->literal.len > 0 && next->literal.text[0] == '/')
        len--;
    build_quoted(b, directory, len);
    return FLOW_NEXT;
}
