/*
 * tilde: ~ ~user ~+ ~- at the places the parser marked.
 *
 * The result counts as quoted: no splitting, no patterns. What cannot be expanded stays as written.
 */
#include "shell/expand/build.h"

#include <pwd.h>
#include <unistd.h>

/* Directory of ~NAME, borrowed; NULL: none. */
static const char *tilde_directory(struct shell *sh, const char *name, size_t len)
{
    if (len == 0) {
        const char *home = var_text(sh, "HOME");
        if (home)
            return home;
        struct passwd *self = getpwuid(getuid());
        return self ? self->pw_dir : NULL;
    }
    if (len == 1 && name[0] == '+')
        return var_text(sh, "PWD");
    if (len == 1 && name[0] == '-')
        return var_text(sh, "OLDPWD");
    struct passwd *user = getpwnam(name);
    return user ? user->pw_dir : NULL;
}

enum flow part_tilde(struct builder *b, const struct part *part, const struct part *next)
{
    const char *directory = tilde_directory(b->sh, part->literal.text, part->literal.len);
    if (!directory) {
        build_literal(b, "~", 1);
        build_literal(b, part->literal.text, part->literal.len);
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
