/*
 * The unary file, string and option tests and the comparisons of files and numbers that [[ ]] and
 * test share.
 *
 * A file that cannot be looked at is a false test, never an error. Numbers are arithmetic
 * expressions in both commands.
 */
#include "shell/exec/exec.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/exec/exec_private.h"
#include "shell/state/fdtab.h"
#include "shell/state/param.h"

static bool file_stat(struct shell *sh, const char *path, struct stat *st)
{
    char buffer[FDTAB_PATH_SIZE];
    return *path && stat(fdtab_path(sh, path, buffer), st) == 0;
}

static bool file_access(struct shell *sh, const char *path, int mode)
{
    char buffer[FDTAB_PATH_SIZE];
    return *path && eaccess(fdtab_path(sh, path, buffer), mode) == 0;
}

static bool file_mode_test(struct shell *sh, char op, const char *path)
{
    struct stat st;
    if (op == 'L' || op == 'h')
        return *path && lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    if (!file_stat(sh, path, &st))
        return false;
    switch (op) {
    case 'a':
    case 'e':
        return true;
    case 'b':
        return S_ISBLK(st.st_mode);
    case 'c':
        return S_ISCHR(st.st_mode);
    case 'd':
        return S_ISDIR(st.st_mode);
    case 'f':
        return S_ISREG(st.st_mode);
    case 'p':
        return S_ISFIFO(st.st_mode);
    case 'S':
        return S_ISSOCK(st.st_mode);
    case 'C':
        return false; /* contiguous files: none here */
    case 's':
        return st.st_size > 0;
    case 'g':
        return (st.st_mode & S_ISGID) != 0;
    case 'u':
        return (st.st_mode & S_ISUID) != 0;
    case 'k':
        return (st.st_mode & S_ISVTX) != 0;
    case 'O':
        return st.st_uid == geteuid();
    case 'G':
        return st.st_gid == getegid();
    case 'N':
        return st.st_mtim.tv_sec > st.st_atim.tv_sec ||
               (st.st_mtim.tv_sec == st.st_atim.tv_sec && st.st_mtim.tv_nsec > st.st_atim.tv_nsec);
    default:
        return false;
    }
}

static bool terminal_test(struct shell *sh, const char *text)
{
    int64_t fd = 1;
    if (*text && !num_parse_int(text, strlen(text), &fd))
        return false;
    if (fd < 0 || fd > INT32_MAX)
        return false;
    int real = fdtab_real(sh, (int)fd);
    return real >= 0 && isatty(real);
}

static bool option_test(struct shell *sh, const char *text)
{
    enum option option;
    bool inverted = false;
    if (*text == '?')
        return option_parse_name(text + 1, &option, &inverted);
    return option_parse_name(text, &option, &inverted) && option_on(sh, option) != inverted;
}

/* -v name, -R name. Positional and special parameters count too. */
static enum flow variable_test(struct shell *sh, char op, const char *text, bool *ret)
{
    *ret = false;
    int64_t index;
    if (op == 'v' && num_parse_int(text, strlen(text), &index) && index >= 0) {
        *ret = param_get(sh, (size_t)index) != NULL;
        return FLOW_NEXT;
    }
    if (op == 'R') {
        const struct name *name = name_find(sh, text, strlen(text));
        *ret = name && var_is_reference(name->cur);
        return FLOW_NEXT;
    }
    struct var_ref ref;
    bool is_ref = false;
    TRY(expand_ref_text(sh, text, strlen(text), &ref, &is_ref));
    *ret = is_ref && var_is_set(sh, &ref);
    return FLOW_NEXT;
}

enum flow test_unary(struct shell *sh, char op, const char *text, bool *ret)
{
    switch (op) {
    case 'n':
        *ret = *text != '\0';
        return FLOW_NEXT;
    case 'z':
        *ret = *text == '\0';
        return FLOW_NEXT;
    case 'r':
        *ret = file_access(sh, text, R_OK);
        return FLOW_NEXT;
    case 'w':
        *ret = file_access(sh, text, W_OK);
        return FLOW_NEXT;
    case 'x':
        *ret = file_access(sh, text, X_OK);
        return FLOW_NEXT;
    case 't':
        *ret = terminal_test(sh, text);
        return FLOW_NEXT;
    case 'o':
        *ret = option_test(sh, text);
        return FLOW_NEXT;
    case 'v':
    case 'R':
        return variable_test(sh, op, text, ret);
    default:
        if (!strchr("aebcdfpSCsgukOGNLh", op))
            return shell_fail(sh, ERROR_BUILTIN, 2, NULL, "-%c: unknown operator", op);
        *ret = file_mode_test(sh, op, text);
        return FLOW_NEXT;
    }
}

static int time_compare(struct timespec a, struct timespec b)
{
    if (a.tv_sec != b.tv_sec)
        return a.tv_sec < b.tv_sec ? -1 : 1;
    return a.tv_nsec < b.tv_nsec ? -1 : a.tv_nsec > b.tv_nsec;
}

enum flow test_file_compare(struct shell *sh, enum cond_op op, const char *a, const char *b,
                            bool *ret)
{
    struct stat sa, sb;
    bool has_a = file_stat(sh, a, &sa), has_b = file_stat(sh, b, &sb);
    switch (op) {
    case COND_EF:
        *ret = has_a && has_b && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
        return FLOW_NEXT;
    case COND_NT:
        *ret = has_a && (!has_b || time_compare(sa.st_mtim, sb.st_mtim) > 0);
        return FLOW_NEXT;
    case COND_OT:
        *ret = has_b && (!has_a || time_compare(sa.st_mtim, sb.st_mtim) < 0);
        return FLOW_NEXT;
    default:
        return shell_fail(sh, ERROR_BUILTIN, 2, NULL, "unknown operator");
    }
}

bool test_number_relation(enum cond_op op, struct num a, struct num b)
{
    int order;
    if (a.is_float || b.is_float) {
        long double x = a.is_float ? a.f : (long double)a.i,
                    y = b.is_float ? b.f : (long double)b.i;
        if (x != x || y != y)
            return op == COND_NE;
        order = x < y ? -1 : x > y;
    } else {
        order = a.i < b.i ? -1 : a.i > b.i;
    }
    switch (op) {
    case COND_EQ:
        return order == 0;
    case COND_NE:
        return order != 0;
    case COND_LT:
        return order < 0;
    case COND_LE:
        return order <= 0;
    case COND_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static enum flow number_value(struct shell *sh, const char *text, size_t len, struct num *ret)
{
    int64_t n;
    if (len && len < 18 && (*text != '0' || len == 1) && num_parse_int(text, len, &n)) {
        *ret = num_int(n);
        return FLOW_NEXT;
    }
    return sh->hooks.arith_text(sh, text, len, ret);
}

enum flow test_number_compare(struct shell *sh, enum cond_op op, const char *a, size_t a_len,
                              const char *b, size_t b_len, bool *ret)
{
    struct num x, y;
    TRY(number_value(sh, a, a_len, &x));
    TRY(number_value(sh, b, b_len, &y));
    *ret = test_number_relation(op, x, y);
    return FLOW_NEXT;
}
