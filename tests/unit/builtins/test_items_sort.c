/* items_sort: every order of what it is given comes out sorted, and nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "builtins/vmstat/vmstat.h"

enum { MOST = 5000, PATTERNS = 7 };

struct item {
    uint32_t key, extra[11]; /* as large as what vmstat sorts */
};

static struct item items[MOST], copy[MOST];

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static uint32_t key_of(int pattern, uint32_t i, uint32_t count)
{
    switch (pattern) {
    case 0:
        return i;
    case 1:
        return count - i;
    case 2:
        return 7;
    case 3:
        return i % 3;
    case 4:
        return i < count / 2 ? i : count - i;
    case 5:
        return i ^ 1;
    default:
        return (i * 2654435761u >> 7) % (count + 1);
    }
}

static void sort_pattern(int pattern, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(&items[i], 0, sizeof items[i]);
        items[i].key = key_of(pattern, i, count);
        items[i].extra[10] = items[i].key * 3;
        copy[i] = items[i];
    }
    items_sort(items, count, sizeof items[0], by_key);
    qsort(copy, count, sizeof copy[0], by_key);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(items[i].key, copy[i].key);
        assert_int_equal(items[i].extra[10], items[i].key * 3);
    }
}

static void test_patterns(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (uint32_t count = 0; count < 70; count++)
            sort_pattern(pattern, count);
        sort_pattern(pattern, MOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_patterns) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
