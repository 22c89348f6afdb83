/* The history file: what of ksh93's format is read, what is written, and the numbers. */
#include "tests/unit/state/state_test.h"

#include <stdio.h>
#include <unistd.h>

#include "shell/state/history.h"

static char path[] = "/tmp/test-history-XXXXXX";

/* A file with these bytes as the history of SH. */
static void use_file(struct shell *sh, const char *bytes, size_t len)
{
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    close(fd);
    assert_set(sh, "HISTFILE", path);
    assert_int_equal(history_refresh(sh, "test"), FLOW_NEXT);
}

static void assert_entry(struct shell *sh, int64_t number, const char *wanted)
{
    size_t len;
    const char *text = history_get(sh, number, &len);
    assert_non_null(text);
    assert_int_equal(len, strlen(wanted));
    assert_memory_equal(text, wanted, len);
}

static void entries_are_padded_and_may_have_lines(void **state)
{
    struct shell *sh = *state;
    static const char file[] = "\201\1one\n\0\0a\nb\n\0\0three\n";
    use_file(sh, file, sizeof file);
    assert_int_equal(history_first(sh), 1);
    assert_int_equal(history_next(sh), 4);
    assert_entry(sh, 1, "one");
    assert_entry(sh, 2, "a\nb");
    assert_entry(sh, 3, "three");
    assert_null(history_get(sh, 4, &(size_t){ 0 }));
    assert_null(history_get(sh, 0, &(size_t){ 0 }));
    assert_value(sh, "HISTCMD", "4");
    unlink(path);
}

static void numbers_and_undo(void **state)
{
    struct shell *sh = *state;
    static const char file[] = "\201\1old\n\0\0\202\0\0\1\0\0new\n\0gone\n\0\201\0last\n";
    use_file(sh, file, sizeof file);
    assert_entry(sh, 256, "new");
    assert_entry(sh, 255, "old");
    assert_entry(sh, 257, "last");
    assert_int_equal(history_next(sh), 258);
    unlink(path);
}

static void added_commands_are_read_back(void **state)
{
    struct shell *sh = *state;
    use_file(sh, "", 0);
    assert_int_equal(history_next(sh), 1);
    history_add(sh, "first\n\n", 7);
    history_add(sh, "", 0);
    history_add(sh, "second", 6);
    assert_entry(sh, 1, "first");
    assert_entry(sh, 2, "second");
    assert_set(sh, "HISTSIZE", "1");
    assert_int_equal(history_first(sh), 2);
    /* another shell adds one */
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fwrite("third\n", 1, 7, file);
    fclose(file);
    assert_int_equal(history_refresh(sh, "test"), FLOW_NEXT);
    assert_entry(sh, 3, "third");
    unlink(path);
}

static void garbage_does_no_harm(void **state)
{
    struct shell *sh = *state;
    static const char file[] = "no header\n\0\202\0\377\201\0\201\0\201\0\202x\n\0unfinished";
    use_file(sh, file, sizeof file - 1);
    size_t len;
    for (int64_t i = -2; i < 20; i++)
        (void)history_get(sh, i, &len);
    assert_set(sh, "HISTFILE", "/nosuch/directory/file");
    assert_int_equal(history_refresh(sh, "test"), FLOW_ERROR);
    assert_null(sh->history);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(entries_are_padded_and_may_have_lines),
        state_test(numbers_and_undo),
        state_test(added_commands_are_read_back),
        state_test(garbage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
