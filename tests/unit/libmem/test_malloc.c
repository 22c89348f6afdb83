/*
 * test_malloc.c: the C library's calls on libmem. Skipped where the library is built without them.
 */
#include <malloc.h>
#include <pthread.h>

#include "tests/unit/libmem/mem_test.h"

/* Hides a size from the compiler, which would warn of what is tested here. */
static volatile size_t huge = SIZE_MAX;

static bool front_is_on(void)
{
    void *block = calloc(1, 1);
    bool on = mem_region_of(block) == mem_region_malloc();

    free(block);
    return on;
}

static void test_calls(void **state)
{
    void *block = NULL;

    (void)state;
    char *zeroed = calloc(1000, 3);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(zeroed[i], 0);
    free(zeroed);
    errno = 0;
    assert_null(calloc(huge / 2, 3));
    assert_int_equal(errno, ENOMEM);
    assert_null(reallocarray(NULL, huge / 2, 3));
    assert_null(malloc(huge - 100));
    char *one = malloc(0), *two = malloc(0);
    assert_non_null(one);
    assert_ptr_not_equal(one, two);
    free(one);
    free(two);
    one = malloc(100);
    memcpy(one, "kept", 5);
    two = realloc(one, 90); /* shrinking a little keeps the address */
    assert_string_equal(two, "kept");
    assert_true(malloc_usable_size(two) >= 90);
    two = reallocarray(two, 1000, 1000);
    assert_string_equal(two, "kept");
    assert_null(realloc(two, 0));
    assert_int_equal(posix_memalign(&block, 3, 8), EINVAL);
    assert_int_equal(posix_memalign(&block, 24, 8), EINVAL);
    assert_null(block);
    assert_int_equal(posix_memalign(&block, 128, 8), 0);
    assert_int_equal((uintptr_t)block % 128, 0);
    free(block);
    block = aligned_alloc(64, 640);
    assert_int_equal((uintptr_t)block % 64, 0);
    free(block);
    block = valloc(10);
    assert_int_equal((uintptr_t)block % 4096, 0);
    free(block);
    block = memalign(8192, 5);
    assert_int_equal((uintptr_t)block % 8192, 0);
    free(block);
    assert_int_equal(malloc_usable_size(NULL), 0);
    assert_int_equal(mem_check(mem_region_malloc()), 0);
}

static void test_errno_is_kept(void **state)
{
    (void)state;
    errno = 77;
    void *block = malloc(30000000);
    assert_int_equal(errno, 77);
    free(block);
    free(malloc(10));
    assert_int_equal(errno, 77);
}

static void test_other_regions(void **state)
{
    struct mem_region *region = mem_region_open("other", MEM_BEST, 0);
    char *block = mem_alloc(region, 100);

    (void)state;
    memcpy(block, "kept", 5);
    block = realloc(block, 5000);
    assert_string_equal(block, "kept");
    assert_ptr_equal(mem_region_of(block), region);
    free(block);
    test_stats_match(region);
    mem_region_close(region);
}

static void in_child(void *arg)
{
    (void)arg;
    for (size_t i = 0; i < 1000; i++)
        if (!malloc(i))
            _exit(1);
    _exit(mem_check(NULL) ? 1 : 0);
}

static void *work(void *arg)
{
    uint64_t random = (uint64_t)(uintptr_t)arg;
    char *block[64] = { NULL };

    for (int i = 0; i < 60000; i++) {
        uint64_t r = test_random(&random);
        char **at = &block[r % 64];
        if (*at && **at != (char)(uintptr_t)arg)
            return (void *)1;
        *at = r % 3 ? realloc(*at, 1 + (r >> 10) % (r % 50 ? 300 : 40000)) : (free(*at), NULL);
        if (*at)
            **at = (char)(uintptr_t)arg;
    }
    for (int i = 0; i < 64; i++)
        free(block[i]);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t thread[3];
    char said[1000];
    struct mem_region *region = mem_region_open("main", MEM_BEST, 0);

    (void)state;
    for (uintptr_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, (void *)(i + 1)), 0);
    for (int i = 0; i < 300; i++) { /* a region of the main thread beside them, and forks */
        assert_non_null(mem_alloc(region, (size_t)i * 300));
        if (i % 50 == 0) {
            int status = test_child(in_child, NULL, said, sizeof said);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
    }
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(thread[i], &result);
        assert_null(result);
    }
    assert_int_equal(mem_check(NULL), 0);
    mem_region_close(region);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_errno_is_kept),
        cmocka_unit_test(test_other_regions),
        cmocka_unit_test(test_threads),
    };

    if (!front_is_on()) {
        puts("built without the malloc front: skipped");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
