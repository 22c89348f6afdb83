/* Hash maps: random operations against a plain array, iteration, sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/base/map.h"
#include "shell/base/str.h"

enum { KEYS = 500 };
static char keys[KEYS][12];
static size_t lens[KEYS];

static void make_keys(void)
{
    for (int i = 0; i < KEYS; i++)
        lens[i] = (size_t)snprintf(keys[i], sizeof keys[i], "k%d", i * i);
    lens[0] = 0;
    lens[1] = 3; /* a key with a NUL byte in it */
    memcpy(keys[1], "k\0x", 3);
}

static size_t count_values(void *const *values)
{
    size_t count = 0;
    for (int i = 0; i < KEYS; i++)
        count += values[i] != NULL;
    return count;
}

static void check_all(const struct map *m, void *const *values)
{
    size_t count = 0, cursor = 0;
    for (int i = 0; i < KEYS; i++)
        assert_ptr_equal(map_get(m, keys[i], lens[i]), values[i]);
    while (map_next(m, &cursor))
        count++;
    assert_int_equal(count, count_values(values));
    assert_int_equal(m->count, count);
}

static void test_random(void **state)
{
    (void)state;
    static void *values[KEYS];
    struct map m;
    map_init(&m, mem_region_malloc());
    srand(7);
    for (int round = 0; round < 60000; round++) {
        int i = rand() % KEYS;
        /* Phases of mostly adding and mostly removing. */
        if (rand() % 10 < (round / 3000 % 2 ? 7 : 3)) {
            void *value = &values[rand() % KEYS];
            assert_true(map_put(&m, keys[i], lens[i], value));
            values[i] = value;
        } else {
            assert_ptr_equal(map_remove(&m, keys[i], lens[i]), values[i]);
            values[i] = NULL;
        }
        if (round % 500 == 0)
            check_all(&m, values);
    }
    check_all(&m, values);
    map_release(&m);
    assert_null(map_get(&m, "a", 1));
}

static void test_sorted(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    static char names[MANY][24];
    struct map m;
    map_init(&m, mem_region_malloc());
    size_t count = 9;
    assert_null(map_sorted(&m, mem_region_malloc(), &count));
    assert_int_equal(count, 0);
    srand(3);
    for (int i = 0; i < MANY; i++) {
        /* Many keys that share their first eight bytes. */
        size_t len =
            (size_t)snprintf(names[i], sizeof names[i], i % 2 ? "%d" : "common-prefix-%d", rand());
        names[i][len - 1] = (char)(rand() % 256);
        assert_true(map_put(&m, names[i], len, names[i]));
    }
    struct map_slot **sorted = map_sorted(&m, mem_region_malloc(), &count);
    assert_non_null(sorted);
    assert_int_equal(count, m.count);
    for (size_t i = 1; i < count; i++) {
        const struct map_slot *a = sorted[i - 1], *b = sorted[i];
        assert_true(text_compare(a->key, a->len, b->key, b->len) < 0);
    }
    mem_free(sorted);
    map_release(&m);
}

int main(void)
{
    make_keys();
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
                                        cmocka_unit_test(test_sorted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
