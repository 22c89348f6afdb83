/*
 * Where the file of an autoloaded function is: in a directory of FPATH, or in the one that a file
 * named .paths in a directory of PATH tells by a line FPATH=directory.
 *
 * Looked up anew each time; nothing is kept.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/exec/exec_private.h"
#include "shell/state/cmdhash.h"

/* The directory of a line FPATH=directory in TEXT; NULL: there is none. */
static const char *find_line(char *text)
{
    static const char key[] = "FPATH=";
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (strncmp(line, key, sizeof key - 1) == 0)
            return line + sizeof key - 1;
    }
    return NULL;
}

/* Appends to S the directory that DIR/.paths names; false: none. */
static bool read_paths(const char *dir, size_t len, struct str *s)
{
    enum { PATHS_MAX = 4096 };
    char text[PATHS_MAX + 1];
    str_clear(s);
    str_append(s, dir, len);
    str_append_z(s, "/.paths");
    int fd = str_ok(s) ? sys_open(s->data, O_RDONLY, 0) : -1;
    if (fd < 0)
        return false;
    ssize_t got = sys_read(fd, text, PATHS_MAX);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    const char *found = find_line(text);
    if (!found)
        return false;
    str_clear(s);
    if (*found != '/') {
        str_append(s, dir, len);
        str_putc(s, '/');
    }
    str_append_z(s, found);
    return str_ok(s);
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool autoload_claims(struct shell *sh, const char *path)
{
    const char *dir = var_text(sh, "FPATH"), *slash = strrchr(path, '/');
    size_t wanted = slash ? (size_t)(slash - path) : 0;
    while (dir && *dir) {
        size_t len = strcspn(dir, ":");
        if (len > 0 && len == wanted && memcmp(dir, path, len) == 0)
            return true;
        dir += len + (dir[len] == ':');
    }
    return false;
}

const char *autoload_path(struct shell *sh, const char *name)
{
    const char *fpath = var_text(sh, "FPATH"), *dir = var_text(sh, "PATH");
    if (strchr(name, '/'))
        return NULL;
    const char *path = fpath && *fpath ? path_search(sh, fpath, name, false) : NULL;
    if (path && is_file(path))
        return path;
    struct str s;
    str_init(&s, sh->scratch);
    while (dir) {
        size_t len = strcspn(dir, ":");
        if (len > 0 && read_paths(dir, len, &s)) {
            path = path_search(sh, s.data, name, false);
            if (path && is_file(path))
                return path;
        }
        dir = dir[len] ? dir + len + 1 : NULL;
    }
    return NULL;
}
