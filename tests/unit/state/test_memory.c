/* No memory: an assignment fails with one message and changes nothing; rolling back works all the
 * same. */
#include "state_test.h"

#include <stdio.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static struct rlimit before;

/* From now on the process may map only a little more. */
static void limit_memory(void)
{
    enum { MORE_BYTES = 8 << 20 };
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    assert_non_null(statm);
    assert_int_equal(fscanf(statm, "%lu", &pages), 1);
    fclose(statm);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit limit = before;
    limit.rlim_cur = pages * 4096 + MORE_BYTES;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void unlimit_memory(void)
{
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

static void test_append_until_full(void **state)
{
    struct shell *sh = *state;
    static char piece[1 << 16];
    memset(piece, 'x', sizeof piece);
    assert_set(sh, "s", "");
    struct name *name = name_of(sh, "s");
    limit_memory();
    size_t pieces = 0, len;
    while (var_set_name(sh, name, piece, sizeof piece, ASSIGN_APPEND) == FLOW_NEXT)
        pieces++;
    unlimit_memory();
    assert_true(pieces > 10);
    assert_int_equal(sh->err.kind, ERROR_MEMORY);
    assert_int_equal(sh->err.status, 1);
    assert_non_null(strstr(sh->err.text, "cannot allocate"));
    const char *text = get(sh, "s");
    len = strlen(text);
    assert_int_equal(len, pieces * sizeof piece);
}

static void fill_array(struct shell *sh, bool assoc)
{
    struct frame frame;
    const char *name = assoc ? "m" : "a";
    if (assoc)
        assert_int_equal(declare(sh, name, VAR_ASSOC, -1), FLOW_NEXT);
    for (int i = 0; i < 10; i++)
        assert_int_equal(
            set_ref(sh, index_of(sh, name, i), "old value, too long to be kept inline"), FLOW_NEXT);
    frame_push(sh, &frame, FRAME_SUBSHELL);
    limit_memory();
    int64_t count = 0;
    while (set_ref(sh, index_of(sh, name, count), "new value, too long to be kept inline, too") ==
           FLOW_NEXT)
        count++;
    assert_int_equal(sh->err.kind, ERROR_MEMORY);
    assert_true(count > 1000);
    assert_int_equal(var_count(sh, name_of(sh, name)), count);
    for (int64_t i = 0; i < count; i += 97)
        assert_string_equal(get_ref(sh, index_of(sh, name, i)),
                            "new value, too long to be kept inline, too");
    assert_null(get_ref(sh, index_of(sh, name, count)));
    frame_pop(sh, &frame); /* while there is still no memory */
    assert_int_equal(var_count(sh, name_of(sh, name)), 10);
    for (int i = 0; i < 10; i++)
        assert_string_equal(get_ref(sh, index_of(sh, name, i)),
                            "old value, too long to be kept inline");
    unlimit_memory();
}

static void test_elements_until_full(void **state)
{
    fill_array(*state, false);
    fill_array(*state, true);
}

static void test_variables_until_full(void **state)
{
    struct shell *sh = *state;
    struct frame frame;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    limit_memory();
    char name[32];
    int count = 0;
    for (;; count++) {
        snprintf(name, sizeof name, "variable_%d", count);
        struct name *interned = name_intern(sh, name, strlen(name));
        if (!interned || var_set_name(sh, interned, name, strlen(name), 0) != FLOW_NEXT)
            break;
    }
    assert_true(count > 1000);
    snprintf(name, sizeof name, "variable_%d", count - 1);
    assert_value(sh, name, name);
    frame_pop(sh, &frame);
    unlimit_memory();
    assert_null(get(sh, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_append_until_full),
        state_test(test_elements_until_full),
        state_test(test_variables_until_full),
    };
#ifdef SANITIZED
    print_message("skipped: sanitizers need the address space\n");
    (void)tests;
    return 0;
#else
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
