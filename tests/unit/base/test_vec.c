/* Growable arrays of pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shell/base/vec.h"

static void *item(uintptr_t n)
{
    return (void *)n;
}

static void test_all(void **state)
{
    (void)state;
    struct vec v;
    vec_init(&v, mem_region_malloc());
    for (uintptr_t i = 1; i <= 1000; i++) {
        vec_push(&v, item(i));
        assert_null(v.items[v.count]);
    }
    assert_int_equal(v.count, 1000);
    assert_ptr_equal(v.items[0], item(1));
    assert_ptr_equal(v.items[999], item(1000));
    assert_true(vec_ok(&v));
    assert_false(vec_reserve(&v, SIZE_MAX / 4));
    assert_false(vec_ok(&v));
    assert_int_equal(v.count, 1000);
    vec_clear(&v);
    assert_true(vec_ok(&v));
    assert_int_equal(v.count, 0);
    assert_null(v.items[0]);
    vec_release(&v);
    assert_null(v.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
