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

static void times_are_kept_beside(void **state)
{
    struct shell *sh = *state;
    static const char file[] = "\201\1#+1700000000\n\0\0\201\0timed\n\0\0plain\n\0#+5\n";
    use_file(sh, file, sizeof file);
    assert_int_equal(history_next(sh), 4);
    assert_entry(sh, 1, "timed");
    assert_int_equal(history_time(sh, 1), 1700000000);
    assert_entry(sh, 2, "plain");
    assert_int_equal(history_time(sh, 2), 0);
    assert_entry(sh, 3, "#+5"); /* nothing took it back: a comment */
    history_add(sh, "new", 3);
    assert_entry(sh, 4, "new");
    assert_true(history_time(sh, 4) > 1700000000);
    unlink(path);
}

static void a_running_command_is_not_yet_to_be_had(void **state)
{
    struct shell *sh = *state;
    use_file(sh, "", 0);
    history_add(sh, "first", 5);
    history_add_running(sh, "second", 6);
    assert_int_equal(history_next(sh), 2);
    history_running_undo(sh);
    history_add(sh, "third", 5);
    assert_int_equal(history_next(sh), 3);
    assert_entry(sh, 2, "third");
    history_add_running(sh, "fourth", 6);
    history_running_end(sh);
    assert_entry(sh, 3, "fourth");
    unlink(path);
}

static void what_was_cut_off_harms_nothing_behind_it(void **state)
{
    struct shell *sh = *state;
    static const char file[] = "\201\1one\n\0\0cut of";
    use_file(sh, file, sizeof file - 1);
    history_add(sh, "next", 4);
    assert_entry(sh, 2, "cut of");
    assert_entry(sh, 3, "next");
    unlink(path);
}

/* A long file is cut; a shell that has the long one open goes on with the short one. */
static void long_files_are_cut(void **state)
{
    struct shell *sh = *state, *other = shell_new();
    use_file(sh, "", 0);
    assert_non_null(other);
    assert_set(other, "HISTFILE", path);
    for (int i = 1; i <= 3000; i++) {
        char text[64];
        int len = snprintf(text, sizeof text, "command %d of very many of these", i);
        history_add(sh, text, (size_t)len);
    }
    assert_int_equal(history_refresh(other, "test"), FLOW_NEXT);
    assert_int_equal(history_next(other), 3001);
    assert_set(sh, "HISTSIZE", "2000");
    history_trim(sh); /* not twice as long */
    assert_int_equal(history_refresh(sh, "test"), FLOW_NEXT);
    assert_set(sh, "HISTSIZE", "3000");
    assert_entry(sh, 1, "command 1 of very many of these");
    assert_set(sh, "HISTSIZE", "100");
    history_trim(sh);
    history_add(other, "by the other", 12);
    assert_int_equal(history_refresh(sh, "test"), FLOW_NEXT);
    assert_set(sh, "HISTSIZE", "3000");
    assert_int_equal(history_first(sh), 2901);
    assert_entry(sh, 3000, "command 3000 of very many of these");
    assert_true(history_time(sh, 3000) > 0);
    assert_entry(sh, 3001, "by the other");
    assert_entry(other, 3001, "by the other");
    history_free(other);
    shell_free(other);
    unlink(path);
}

static void garbage_does_no_harm(void **state)
{
    struct shell *sh = *state;
    static const char file[] = "\201\1no text\n\0\202\0\377\201\0\201\0\201\0\202x\n\0unfinished";
    use_file(sh, file, sizeof file - 1);
    size_t len;
    for (int64_t i = -2; i < 20; i++)
        (void)history_get(sh, i, &len);
    unlink(path);
    assert_set(sh, "HISTFILE", "/nosuch/directory/file");
    assert_int_equal(history_refresh(sh, "test"), FLOW_ERROR);
    assert_null(sh->history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(entries_are_padded_and_may_have_lines),
        state_test(numbers_and_undo),
        state_test(added_commands_are_read_back),
        state_test(times_are_kept_beside),
        state_test(a_running_command_is_not_yet_to_be_had),
        state_test(what_was_cut_off_harms_nothing_behind_it),
        state_test(long_files_are_cut),
        state_test(garbage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
