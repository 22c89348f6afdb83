/* Facts about base/base64.h: known texts, what is skipped, and the way there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shell/base/base64.h"

static void check_encode(const char *bytes, size_t len, const char *wanted)
{
    struct str s;
    str_init(&s, mem_region_malloc());
    base64_encode(&s, bytes, len);
    assert_string_equal(str_text(&s), wanted);
    str_release(&s);
}

static void check_decode(const char *text, const char *wanted, size_t len)
{
    struct str s;
    str_init(&s, mem_region_malloc());
    base64_decode(&s, text, strlen(text));
    assert_int_equal(s.len, len);
    assert_memory_equal(str_text(&s), wanted, len);
    str_release(&s);
}

static void test_known_texts(void **state)
{
    (void)state;
    check_encode("", 0, "");
    check_encode("f", 1, "Zg==");
    check_encode("fo", 2, "Zm8=");
    check_encode("foo", 3, "Zm9v");
    check_encode("\0\377\200", 3, "AP+A");
    check_decode("Zg==", "f", 1);
    check_decode("Zm8", "fo", 2);
    check_decode("Zm9v", "foo", 3);
}

static void test_strangers_are_skipped(void **state)
{
    (void)state;
    check_decode("Z m\n9!v", "foo", 3);
    check_decode("Zm9v=Zm9v", "foo", 3);
    check_decode("5", "", 0);
    check_decode("", "", 0);
}

static void test_there_and_back(void **state)
{
    (void)state;
    char bytes[256];
    for (size_t len = 0; len < sizeof bytes; len++) {
        struct str text, again;
        bytes[len] = (char)(len * 37);
        str_init(&text, mem_region_malloc());
        str_init(&again, mem_region_malloc());
        base64_encode(&text, bytes, len);
        base64_decode(&again, str_text(&text), text.len);
        assert_int_equal(again.len, len);
        assert_memory_equal(str_text(&again), bytes, len);
        str_release(&text);
        str_release(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_texts),
        cmocka_unit_test(test_strangers_are_skipped),
        cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
