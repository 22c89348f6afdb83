/* Storage of values: inline, heap, numbers, and text that overlaps what it replaces. */
#include "state_test.h"

#include "shell/state/value.h"

static void check(const struct value *v, const char *text)
{
    size_t len;
    assert_string_equal(value_text(v, &len), text);
    assert_int_equal(len, strlen(text));
}

static void test_text_of_all_sizes(void **state)
{
    struct shell *sh = *state;
    struct value v = { 0 };
    char text[200];
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t len = 0; len < sizeof text; len++) {
            size_t n = pass ? sizeof text - 1 - len : len;
            memset(text, 'a' + (int)(n % 26), n);
            text[n] = '\0';
            assert_true(value_set_text(sh->heap, &v, text, n));
            check(&v, text);
        }
    value_clear(&v);
    assert_false(value_is_set(&v));
}

static void test_room_is_reused(void **state)
{
    struct shell *sh = *state;
    struct value v = { 0 };
    assert_true(value_set_text(sh->heap, &v, "a text that does not fit inline at all", 38));
    const char *data = v.heap.data;
    assert_true(value_set_text(sh->heap, &v, "short", 5));
    assert_true(value_set_text(sh->heap, &v, "another text that fits the same block", 37));
    assert_ptr_equal(v.heap.data, data);
    value_clear(&v);
}

static void test_big_room_is_given_back(void **state)
{
    struct shell *sh = *state;
    struct value v = { 0 };
    static char big[100000];
    memset(big, 'x', sizeof big);
    assert_true(value_set_text(sh->heap, &v, big, sizeof big));
    assert_true(value_set_text(sh->heap, &v, "a", 1));
    assert_false(v.bits & VALUE_HEAP);
    assert_true(value_set_text(sh->heap, &v, big, sizeof big));
    assert_true(value_set_text(sh->heap, &v, big, 100));
    assert_true(v.heap.cap < 1000);
    value_clear(&v);
}

static void test_own_text(void **state)
{
    struct shell *sh = *state;
    struct value v = { 0 };
    size_t len;
    assert_true(value_set_text(sh->heap, &v, "0123456789", 10));
    assert_true(value_set_text(sh->heap, &v, value_text(&v, &len) + 3, 7));
    check(&v, "3456789");
    assert_true(value_append_text(sh->heap, &v, value_text(&v, &len), 7));
    check(&v, "34567893456789");
    assert_true(value_append_text(sh->heap, &v, value_text(&v, &len), 14)); /* inline to heap */
    check(&v, "3456789345678934567893456789");
    for (int i = 0; i < 8; i++) { /* within the heap, growing */
        const char *own = value_text(&v, &len);
        assert_true(value_append_text(sh->heap, &v, own, len));
    }
    value_text(&v, &len);
    assert_int_equal(len, 28 << 8);
    assert_true(value_set_text(sh->heap, &v, value_text(&v, &len) + 7, 3));
    check(&v, "345");
    value_clear(&v);
}

static void test_append_is_amortized(void **state)
{
    struct shell *sh = *state;
    struct value v = { 0 };
    struct mem_stats before, after;
    assert_true(value_set_text(sh->heap, &v, "", 0));
    mem_region_stats(sh->heap, &before);
    for (int i = 0; i < 1000000; i++)
        assert_true(value_append_text(sh->heap, &v, "0123456789", 10));
    mem_region_stats(sh->heap, &after);
    assert_true(after.alloc_count + after.resize_count - before.alloc_count - before.resize_count <
                100);
    size_t len;
    const char *text = value_text(&v, &len);
    assert_int_equal(len, 10000000);
    assert_int_equal(text[len - 1], '9');
    value_clear(&v);
}

static void test_numbers_and_nul(void **state)
{
    struct shell *sh = *state;
    struct value v = { 0 }, w = { 0 };
    value_set_int(&v, -5);
    assert_true(v.bits == VALUE_INT && v.i == -5);
    value_set_float(&v, 1.5L);
    assert_true(value_float(&v) == 1.5L);
    assert_true(value_set_text(sh->heap, &v, "a\0b", 3));
    size_t len;
    assert_memory_equal(value_text(&v, &len), "a\0b", 4);
    assert_int_equal(len, 3);
    assert_true(value_set_text(sh->heap, &v, "long enough for the heap, surely", 32));
    assert_true(value_copy(sh->heap, &w, &v));
    value_clear(&v);
    check(&w, "long enough for the heap, surely");
    value_move(&v, &w);
    assert_false(value_is_set(&w));
    value_clear(&v);
}

static void test_stamps_hold_48_bits(void **state)
{
    (void)state;
    struct value v = { 0 };
    value_set_stamp(&v, UINT64_C(0xffffeeeeddddcccc) >> 16);
    assert_int_equal(value_stamp(&v), UINT64_C(0xffffeeeeddddcccc) >> 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_text_of_all_sizes),      state_test(test_room_is_reused),
        state_test(test_big_room_is_given_back), state_test(test_own_text),
        state_test(test_append_is_amortized),    state_test(test_numbers_and_nul),
        state_test(test_stamps_hold_48_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
