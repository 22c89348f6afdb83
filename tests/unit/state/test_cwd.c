/* The working directory, the umask, and finding commands: in subshells, through links, with
 * relative PATHs. */
#include "state_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/state/cmdhash.h"
#include "shell/state/cwd.h"

static char root[64];

static int start(void **state)
{
    static const char template[] = "/tmp/test_cwd.XXXXXX";
    memcpy(root, template, sizeof template);
    if (!mkdtemp(root) || chdir(root) != 0 || mkdir("real", 0700) != 0 ||
        mkdir("real/deep", 0700) != 0 || symlink("real/deep", "link") != 0 ||
        start_shell(state) != 0)
        return -1;
    struct shell *sh = *state;
    return cwd_init(sh) == FLOW_NEXT ? 0 : -1;
}

static int end(void **state)
{
    struct shell *sh = *state;
    cmdhash_clear(sh);
    int result = end_shell(state);
    if (chdir(root) != 0)
        return -1;
    unlink("real/deep/prog");
    unlink("link");
    rmdir("real/deep");
    rmdir("real");
    return rmdir(root) == 0 ? result : -1;
}

#define cwd_test(f) cmocka_unit_test_setup_teardown(f, start, end)

static void go(struct shell *sh, const char *path, bool logical, int wanted_errno)
{
    int error = -1;
    assert_int_equal(cwd_change(sh, path, logical, &error), FLOW_NEXT);
    assert_int_equal(error, wanted_errno);
}

/* The logical directory below the root, and PWD with it. */
static void expect(struct shell *sh, const char *below)
{
    assert_int_equal(strncmp(sh->cwd, root, strlen(root)), 0);
    assert_string_equal(sh->cwd + strlen(root), below);
    assert_string_equal(get(sh, "PWD"), sh->cwd);
}

static void test_logical(void **state)
{
    struct shell *sh = *state;
    expect(sh, "");
    go(sh, "link", true, 0);
    expect(sh, "/link");
    go(sh, "..", true, 0);
    expect(sh, "");
    assert_string_equal(get(sh, "OLDPWD") + strlen(root), "/link");
    go(sh, "link/./..//real/deep/", true, 0);
    expect(sh, "/real/deep");
    go(sh, root, true, 0);
    go(sh, "link/..", false, 0);
    expect(sh, "/real");
    go(sh, "nothing", true, ENOENT);
    go(sh, "nothing/..", true, ENOENT);
    go(sh, "", true, ENOENT);
    expect(sh, "/real");
    go(sh, "/", true, 0);
    assert_string_equal(sh->cwd, "/");
    go(sh, "../..", true, 0);
    assert_string_equal(sh->cwd, "/");
}

static void test_subshell(void **state)
{
    struct shell *sh = *state;
    struct frame frame;
    struct stat here, there;
    go(sh, "link", true, 0);
    frame_push(sh, &frame, FRAME_SUBSHELL);
    go(sh, "/", true, 0);
    go(sh, "/tmp", true, 0);
    assert_int_equal(umask_set(sh, 0), FLOW_NEXT);
    assert_int_equal(umask_set(sh, 077), FLOW_NEXT);
    mode_t before = 022;
    frame_pop(sh, &frame);
    expect(sh, "/link");
    assert_int_equal(stat(".", &here), 0);
    assert_int_equal(stat(sh->cwd, &there), 0);
    assert_int_equal(here.st_ino, there.st_ino);
    assert_int_equal(umask(before), sh->umask);
}

static void make_program(const char *path, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void test_path(void **state)
{
    struct shell *sh = *state;
    make_program("real/deep/prog", 0700);
    assert_set(sh, "PATH", "/nonexistent:/bin");
    assert_null(cmdhash_find(sh, "prog", false));
    assert_int_equal(errno, ENOENT);
    /* A miss is not remembered, a relative directory neither. */
    assert_set(sh, "PATH", "real:deep");
    assert_null(cmdhash_find(sh, "prog", false));
    go(sh, "real", true, 0);
    const char *found = cmdhash_find(sh, "prog", false);
    assert_non_null(found);
    assert_string_equal(found + strlen(root), "/real/deep/prog");
    assert_null(cmdhash_path(sh, "prog"));
    go(sh, "..", true, 0);
    assert_null(cmdhash_find(sh, "prog", false));
    /* An absolute one is, until PATH changes or the file goes. */
    char path[128];
    snprintf(path, sizeof path, "%s/real/deep", root);
    assert_set(sh, "PATH", path);
    found = cmdhash_find(sh, "prog", false);
    assert_non_null(found);
    assert_string_equal(cmdhash_path(sh, "prog"), found);
    assert_int_equal(chmod("real/deep/prog", 0), 0);
    if (geteuid() != 0) {
        assert_null(cmdhash_find(sh, "prog", false));
        assert_int_equal(errno, EACCES);
    }
    unlink("real/deep/prog");
    assert_null(cmdhash_find(sh, "prog", false));
    assert_set(sh, "PATH", "/bin");
    assert_non_null(cmdhash_find(sh, "ls", false));
    assert_null(cmdhash_path(sh, "prog"));
    assert_non_null(cmdhash_find(sh, "ls", true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cwd_test(test_logical),
        cwd_test(test_subshell),
        cwd_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
