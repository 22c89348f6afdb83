/* Elements: dense and sparse forms, hash tables under insertion and removal, order, burying. */
#include "state_test.h"

#include <stdio.h>

#include "shell/state/array.h"

static struct array *new_array(struct shell *sh, bool assoc)
{
    struct array *a = array_new(sh->nodes, sh->heap, assoc);
    assert_non_null(a);
    return a;
}

static void put_index(struct array *a, int64_t index, const char *text)
{
    struct value *value = array_put_index(a, index);
    assert_non_null(value);
    assert_true(value_set_text(a->heap, value, text, strlen(text)));
}

static void put_key(struct array *a, const char *key, const char *text)
{
    struct element *element = array_put_key(a, key, strlen(key));
    assert_non_null(element);
    assert_true(value_set_text(a->heap, &element->value, text, strlen(text)));
}

static void test_dense(void **state)
{
    struct array *a = new_array(*state, false);
    char text[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "%d", i);
        put_index(a, i, text);
    }
    assert_non_null(a->cells);
    assert_int_equal(a->count, 1000);
    assert_int_equal(a->top, 1000);
    array_remove_index(a, 999);
    array_remove_index(a, 500);
    assert_int_equal(a->top, 999);
    assert_int_equal(a->count, 998);
    size_t position = 0, seen = 0;
    int64_t last = -1;
    for (struct array_item item; array_next(a, &position, &item); seen++) {
        assert_true(item.index > last && item.index != 500);
        last = item.index;
    }
    assert_int_equal(seen, 998);
    array_free(a);
}

static void test_sparse_and_back(void **state)
{
    struct array *a = new_array(*state, false);
    put_index(a, 1000000000, "far");
    put_index(a, INT64_MAX - 1, "farthest");
    put_index(a, 3, "near");
    assert_null(a->cells);
    assert_int_equal(a->top, INT64_MAX);
    int64_t expected[] = { 3, 1000000000, INT64_MAX - 1 };
    size_t position = 0, seen = 0;
    for (struct array_item item; array_next(a, &position, &item); seen++)
        assert_int_equal(item.index, expected[seen]);
    assert_int_equal(seen, 3);
    array_remove_index(a, INT64_MAX - 1);
    assert_int_equal(a->top, 1000000001);
    array_free(a);

    a = new_array(*state, false);
    for (int64_t i = 20000; i >= 0; i--) /* downwards: sparse at first, dense in the end */
        put_index(a, i, "x");
    assert_non_null(a->cells);
    assert_int_equal(a->count, 20001);
    assert_int_equal(a->top, 20001);
    for (int64_t i = 0; i <= 20000; i++)
        assert_true(value_is_set(array_find_index(a, i)));
    array_free(a);
}

/* A tiny reference: which of the keys 0..4095 are there. */
static void test_hash_against_reference(void **state)
{
    struct array *a = new_array(*state, true);
    static bool there[4096];
    size_t count = 0;
    uint64_t random = 1;
    char key[32];
    for (int step = 0; step < 200000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned n = (unsigned)(random >> 40) % 4096;
        snprintf(key, sizeof key, "key%u", n * 2654435761u);
        if ((random >> 33) % 5 < 3) {
            put_key(a, key, "v");
            count += !there[n];
            there[n] = true;
        } else {
            struct element *element = array_find_key(a, key, strlen(key));
            assert_int_equal(element != NULL, there[n]);
            if (element)
                array_remove_element(a, element);
            count -= there[n];
            there[n] = false;
        }
        assert_int_equal(a->count, count);
    }
    array_free(a);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Keys made to hurt the sort: common prefixes of all lengths, one a prefix of the other. */
static void test_order(void **state)
{
    enum { COUNT = 30000 };
    struct array *a = new_array(*state, true);
    char **keys = calloc(COUNT, sizeof *keys);
    uint64_t random = 7;
    for (size_t i = 0; i < COUNT; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t prefix = (random >> 60) * 5;
        keys[i] = malloc(120);
        memset(keys[i], 'p', prefix);
        snprintf(keys[i] + prefix, 40, "%.*s%llu", (int)(random >> 40 & 7), "\xff\x01zzzzz",
                 (unsigned long long)(random >> 20) % 100000);
        put_key(a, keys[i], "");
    }
    qsort(keys, COUNT, sizeof *keys, compare);
    size_t position = 0, k = 0;
    for (struct array_item item; array_next(a, &position, &item); k++) {
        while (k > 0 && strcmp(keys[k], keys[k - 1]) == 0) /* drawn twice */
            k++;
        assert_string_equal(item.element->key, keys[k]);
    }
    for (size_t i = 0; i < COUNT; i++)
        free(keys[i]);
    free(keys);
    array_free(a);
}

static void test_keys_with_nul_and_empty(void **state)
{
    struct array *a = new_array(*state, true);
    static const struct {
        const char *key;
        size_t len;
    } keys[] = { { "", 0 },    { "\0", 1 },   { "\0\0", 2 }, { "a", 1 },
                 { "a\0", 2 }, { "a\0b", 3 }, { "b", 1 } };
    for (size_t i = 7; i-- > 0;)
        assert_true(
            value_set_text(a->heap, &array_put_key(a, keys[i].key, keys[i].len)->value, "", 0));
    size_t position = 0, k = 0;
    for (struct array_item item; array_next(a, &position, &item); k++) {
        assert_int_equal(item.element->key_len, keys[k].len);
        assert_memory_equal(item.element->key, keys[k].key, keys[k].len);
    }
    assert_int_equal(k, 7);
    array_free(a);
}

static void test_buried(void **state)
{
    struct array *a = new_array(*state, true);
    put_key(a, "a", "1");
    put_key(a, "b", "2");
    struct element *element = array_find_key(a, "a", 1);
    array_bury_element(a, element);
    assert_int_equal(a->count, 1);
    size_t position = 0;
    struct array_item item;
    assert_true(array_next(a, &position, &item));
    assert_string_equal(item.element->key, "b");
    assert_false(array_next(a, &position, &item));
    assert_ptr_equal(array_put_key(a, "a", 1), element);
    assert_int_equal(a->count, 2);
    assert_true(value_set_text(a->heap, &element->value, "x", 1));
    array_free(a);
}

static void test_copies(void **state)
{
    struct array *a = new_array(*state, false);
    put_index(a, 0, "zero");
    put_index(a, 10, "a longer text that is in the heap");
    put_index(a, 70000, "far");
    struct array *copy = array_dup(a), *assoc = array_to_assoc(a);
    array_free(a);
    assert_int_equal(copy->count, 3);
    assert_int_equal(copy->top, 70001);
    size_t len;
    assert_string_equal(value_text(array_find_index(copy, 10), &len),
                        "a longer text that is in the heap");
    assert_string_equal(value_text(&array_find_key(assoc, "70000", 5)->value, &len), "far");
    array_free(copy);
    array_free(assoc);
}

/* What the largest job needs: 1,000,000 keys of 17 bytes with values of 11. */
static void test_bytes_per_element(void **state)
{
    enum { COUNT = 100000 };
    struct shell *sh = *state;
    struct array *a = new_array(sh, true);
    char key[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "%011d%06d", i * 7919 % 99999, i);
        put_key(a, key, "01234567890");
    }
    struct mem_stats nodes, heap;
    mem_region_stats(sh->nodes, &nodes);
    mem_region_stats(sh->heap, &heap);
    assert_true(nodes.busy_bytes + heap.busy_bytes < (size_t)COUNT * 76 + 100000);
    array_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_dense),
        state_test(test_sparse_and_back),
        state_test(test_hash_against_reference),
        state_test(test_order),
        state_test(test_keys_with_nul_and_empty),
        state_test(test_buried),
        state_test(test_copies),
        state_test(test_bytes_per_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
