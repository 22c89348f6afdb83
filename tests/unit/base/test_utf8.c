/* Characters: strict decoding, both directions, counting, case and width; byte classes. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/base/cclass.h"
#include "shell/base/str.h"
#include "shell/base/utf8.h"

static uint32_t decode(const char *text, size_t *ret_len)
{
    uint32_t cp;
    *ret_len = utf8_decode(text, text + strlen(text), &cp);
    return cp;
}

static void test_decode(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t cp;
        size_t len;
    } examples[] = {
        { "a", 'a', 1 },
        { "\xc3\xa9", 0xe9, 2 },
        { "\xe2\x82\xac", 0x20ac, 3 },
        { "\xf0\x9f\x98\x80", 0x1f600, 4 },
        { "\x80", 0x110080, 1 },
        { "\xc0\x80", 0x1100c0, 1 },         /* overlong */
        { "\xe0\x80\x80", 0x1100e0, 1 },     /* overlong */
        { "\xed\xa0\x80", 0x1100ed, 1 },     /* surrogate */
        { "\xf4\x90\x80\x80", 0x1100f4, 1 }, /* beyond Unicode */
        { "\xc3", 0x1100c3, 1 },
        { "\xe2\x82", 0x1100e2, 1 },
        { "\xff", 0x1100ff, 1 },
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        size_t len;
        assert_int_equal(decode(examples[i].text, &len), examples[i].cp);
        assert_int_equal(len, examples[i].len);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp < 0x110000; cp++) {
        char bytes[6];
        uint32_t back;
        if (cp >= 0xd800 && cp <= 0xdfff)
            continue;
        size_t len = utf8_encode(cp, bytes);
        assert_int_equal(utf8_decode(bytes, bytes + len, &back), len);
        assert_int_equal(back, cp);
        assert_ptr_equal(utf8_prev(bytes, bytes + len), bytes);
    }
    char six[6];
    assert_int_equal(utf8_encode(0x7fffffff, six), 6);
    assert_memory_equal(six, "\xfd\xbf\xbf\xbf\xbf\xbf", 6);
}

/* Any bytes: walking backward finds the same characters as walking forward. */
static void test_both_ways(void **state)
{
    (void)state;
    static const char alphabet[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xed";
    srand(2);
    for (int round = 0; round < 20000; round++) {
        char text[16];
        const char *starts[17];
        size_t len = (size_t)rand() % 16, count = 0;
        for (size_t i = 0; i < len; i++)
            text[i] = alphabet[rand() % (int)(sizeof alphabet - 1)];
        for (const char *p = text; p < text + len; p += utf8_char_bytes(p, text + len))
            starts[count++] = p;
        assert_int_equal(utf8_count(text, len), count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(utf8_offset(text, len, i), starts[i] - text);
        assert_int_equal(utf8_offset(text, len, count + 3), len);
        const char *p = text + len;
        while (count > 0) {
            p = utf8_prev(text, p);
            assert_ptr_equal(p, starts[--count]);
        }
        assert_ptr_equal(utf8_prev(text, text), text);
    }
}

static void test_case(void **state)
{
    (void)state;
    struct str s;
    str_init(&s, mem_region_malloc());
    utf8_upper(&s, "a\xc3\xa9\x80z1", 6);
    assert_string_equal(str_text(&s), "A\xc3\x89\x80Z1");
    str_clear(&s);
    utf8_lower(&s, "A\xc3\x89\xffZ", 5);
    assert_string_equal(str_text(&s), "a\xc3\xa9\xffz");
    str_release(&s);
    assert_int_equal(utf8_width('a'), 1);
    assert_int_equal(utf8_width(7), -1);
    assert_int_equal(utf8_width(0x4e00), 2);
    assert_int_equal(utf8_width(0x301), 0);
    assert_int_equal(utf8_width(0x110080), -1);
}

static void test_bytes(void **state)
{
    (void)state;
    utf8_active = false;
    uint32_t cp;
    assert_int_equal(utf8_decode("\xc3\xa9", NULL, &cp), 1);
    assert_int_equal(cp, 0xc3);
    assert_int_equal(utf8_count("\xc3\xa9", 2), 2);
    assert_int_equal(utf8_offset("abc", 3, 9), 3);
    assert_int_equal(utf8_to_upper(0xe9), 0xe9);
    utf8_active = true;
}

static void test_classes(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool digit = c >= '0' && c <= '9';
        assert_int_equal(cclass_is((char)c, CC_NAME_START), letter);
        assert_int_equal(cclass_is((char)c, CC_NAME), letter || digit);
        assert_int_equal(cclass_is((char)c, CC_DIGIT), digit);
        assert_int_equal(cclass_is((char)c, CC_BLANK), c == ' ' || c == '\t');
        assert_int_equal(cclass_is((char)c, CC_META), c && strchr(" \t\n;&|<>()", c));
        assert_int_equal(cclass_is((char)c, CC_QUOTE), c && strchr("\\'\"`$", c));
        assert_int_equal(cclass_is((char)c, CC_SPACE), c == ' ' || (c >= 9 && c <= 13));
    }
}

int main(void)
{
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 0;
    utf8_refresh();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_both_ways), cmocka_unit_test(test_case),
        cmocka_unit_test(test_bytes),     cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
