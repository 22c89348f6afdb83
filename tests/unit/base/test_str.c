/* Growable strings and the text helpers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/base/str.h"

static void test_append(void **state)
{
    (void)state;
    struct str s;
    str_init(&s, mem_region_malloc());
    assert_string_equal(str_text(&s), "");
    str_append(&s, "", 0);
    str_append_z(&s, "ab");
    str_putc(&s, '\0');
    str_append_int(&s, -7);
    assert_int_equal(s.len, 5);
    assert_memory_equal(s.data, "ab\0-7", 6);
    str_insert(&s, 2, "XY", 2);
    assert_memory_equal(s.data, "abXY\0-7", 8);
    str_remove(&s, 1, 2);
    assert_memory_equal(s.data, "aY\0-7", 6);
    str_remove(&s, 3, 100);
    assert_int_equal(s.len, 3);
    str_remove(&s, 9, 1);
    str_insert(&s, 99, "!", 1);
    assert_memory_equal(s.data, "aY\0!", 5);
    str_truncate(&s, 99);
    assert_int_equal(s.len, 4);
    str_truncate(&s, 1);
    assert_string_equal(str_text(&s), "a");
    assert_true(str_ok(&s));
    str_release(&s);
}

static void test_printf(void **state)
{
    (void)state;
    struct str s;
    str_init(&s, mem_region_malloc());
    str_printf(&s, "%s", "");
    str_printf(&s, "%d-%s", 5, "x");
    str_printf(&s, "%0*d", 5000, 7);
    assert_int_equal(s.len, 5003);
    assert_int_equal(s.data[5002], '7');
    assert_int_equal(s.data[5003], 0);
    str_release(&s);
}

static void test_take(void **state)
{
    (void)state;
    struct str s;
    str_init(&s, mem_region_malloc());
    char *empty = str_take(&s);
    assert_string_equal(empty, "");
    mem_free(empty);
    str_append_z(&s, "hello");
    char *text = str_take(&s);
    assert_string_equal(text, "hello");
    assert_int_equal(s.len, 0);
    mem_free(text);
    str_release(&s);
}

static void test_failure(void **state)
{
    (void)state;
    struct str s;
    str_init(&s, mem_region_malloc());
    str_append_z(&s, "keep");
    assert_false(str_reserve(&s, SIZE_MAX));
    assert_false(str_reserve(&s, SIZE_MAX / 2));
    assert_false(str_ok(&s));
    assert_string_equal(str_text(&s), "keep");
    assert_null(str_take(&s));
    str_clear(&s);
    assert_true(str_ok(&s));
    str_release(&s);
}

static void test_long(void **state)
{
    (void)state;
    enum { BYTES = 100000000 };
    struct str s;
    str_init(&s, mem_region_malloc());
    for (int i = 0; i < BYTES; i++)
        str_putc(&s, (char)i);
    assert_int_equal(s.len, BYTES);
    assert_int_equal((unsigned char)s.data[BYTES - 1], (BYTES - 1) & 255);
    str_release(&s);
}

static void test_names(void **state)
{
    (void)state;
    assert_true(text_is_name("_a1", 3));
    assert_false(text_is_name("1a", 2));
    assert_false(text_is_name("", 0));
    assert_false(text_is_name("a.b", 3));
    assert_true(text_is_dotted_name("a.b.c", 5));
    assert_true(text_is_dotted_name(".sh.match", 9));
    assert_false(text_is_dotted_name("a..b", 4));
    assert_false(text_is_dotted_name("a.", 2));
    assert_false(text_is_dotted_name(".", 1));
    assert_false(text_is_dotted_name("", 0));
    assert_int_equal(text_name_len("ab-c", 4), 2);
    assert_int_equal(text_name_len("9", 1), 0);
}

static void test_compare(void **state)
{
    (void)state;
    assert_true(text_compare("a", 1, "ab", 2) < 0);
    assert_true(text_compare("b", 1, "ab", 2) > 0);
    assert_true(text_compare("\xff", 1, "a", 1) > 0);
    assert_int_equal(text_compare("", 0, "", 0), 0);
    assert_true(text_eq("a\0b", 3, "a\0b", 3));
    assert_false(text_eq("a\0b", 3, "a\0c", 3));
    assert_true(text_hash("abc", 3) == text_hash("abc", 3));
    assert_true(text_hash("abc", 3) != text_hash("abd", 3));
    assert_true(text_hash("", 0) != text_hash("\0", 1));
    char *copy = text_dup_n(mem_region_malloc(), "a\0b", 3);
    assert_memory_equal(copy, "a\0b", 4);
    mem_free(copy);
    copy = text_dup(mem_region_malloc(), "xyz");
    assert_string_equal(copy, "xyz");
    mem_free(copy);
}

/* Keys that differ little must not share hashes: of 2^16 similar keys few may collide in 32 bits.
 */
static int compare_hashes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void test_hash_quality(void **state)
{
    (void)state;
    enum { COUNT = 65536 };
    static uint32_t hashes[COUNT];
    for (size_t len = 2; len <= 40; len++) {
        char key[40];
        memset(key, 'a', sizeof key);
        for (unsigned i = 0; i < COUNT; i++) {
            memcpy(key, &i, 2);
            hashes[i] = text_hash(key, len);
        }
        qsort(hashes, COUNT, sizeof hashes[0], compare_hashes);
        unsigned same = 0;
        for (unsigned i = 1; i < COUNT; i++)
            same += hashes[i] == hashes[i - 1];
        assert_true(same < 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),  cmocka_unit_test(test_printf),
        cmocka_unit_test(test_take),    cmocka_unit_test(test_failure),
        cmocka_unit_test(test_long),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_hash_quality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
