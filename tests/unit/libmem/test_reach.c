/* Sets of blocks, and which blocks can be reached. */
#include "tests/unit/libmem/mem_test.h"

struct node {
    struct node *next;
    char *text;
};

static struct node *root; /* a variable of the program */

static void marks_know_what_lived(void **state)
{
    struct mem_region *own = mem_region_open("own", MEM_BEST, 0);
    struct mem_region *region = mem_region_open("marked", MEM_BEST, 0);
    void *old[300];

    (void)state;
    for (int i = 0; i < 300; i++)
        old[i] = mem_alloc(region, (size_t)i * 37 + 1);
    void *large = mem_alloc(region, 3 << 20);
    struct mem_marks *marks = mem_marks_new(own);
    assert_non_null(marks);
    assert_false(mem_marks_has(marks, old[7]));
    mem_marks_add_busy(marks);
    void *young = mem_alloc(region, 50);
    for (int i = 0; i < 300; i++)
        assert_true(mem_marks_has(marks, old[i]));
    assert_true(mem_marks_has(marks, large));
    assert_false(mem_marks_has(marks, young));
    assert_true(mem_marks_add(marks, young));
    assert_false(mem_marks_add(marks, young));
    assert_false(mem_marks_has(marks, "text"));
    mem_marks_free(marks);
    mem_region_close(region);
    mem_region_close(own);
}

/* Slices lie in a segment of another region, which has the bits. */
static void marks_know_slices(void **state)
{
    struct mem_region *own = mem_region_open("own", MEM_BEST, 0);
    struct mem_region *region = mem_region_open("small", MEM_BEST, 0);
    struct mem_region *pool = mem_region_open("pool", MEM_POOL, 48);
    void *block[200];

    (void)state;
    mem_region_start_small(region);
    for (int i = 0; i < 200; i++)
        block[i] = mem_alloc(i % 2 ? region : pool, 48);
    struct mem_marks *marks = mem_marks_new(own);
    assert_non_null(marks);
    for (int i = 0; i < 200; i++)
        assert_true(mem_marks_add(marks, block[i]));
    for (int i = 0; i < 200; i++)
        assert_true(mem_marks_has(marks, block[i]));
    mem_marks_free(marks);
    mem_region_close(pool);
    mem_region_close(region);
    mem_region_close(own);
}

/* Kept apart, so that no register or slot of the stack still holds its pointers. */
static __attribute__((noinline)) uintptr_t make_nodes(struct mem_region *region)
{
    root = mem_alloc(region, sizeof *root);
    root->text = mem_alloc(region, 5000);
    root->next = mem_alloc(region, sizeof *root);
    root->next->next = root; /* a ring */
    root->next->text = mem_alloc(region, 2 << 20);
    struct node *lost = mem_alloc(region, 128);
    lost->next = lost;
    return ~(uintptr_t)lost;
}

static __attribute__((noinline)) void wipe_stack(void)
{
    volatile char bytes[4096];
    memset((char *)bytes, 0, sizeof bytes);
}

static void lost_blocks_are_not_reached(void **state)
{
    struct mem_region *own = mem_region_open("own", MEM_BEST, 0);
    struct mem_region *region = mem_region_open("reached", MEM_BEST, 0);
    uintptr_t lost = make_nodes(region);

    (void)state;
    wipe_stack();
    struct mem_marks *marks = mem_marks_new(own);
    assert_non_null(marks);
    assert_true(mem_marks_reach(marks));
    assert_true(mem_marks_has(marks, root));
    assert_true(mem_marks_has(marks, root->text));
    assert_true(mem_marks_has(marks, root->next));
    assert_true(mem_marks_has(marks, root->next->text));
    assert_false(mem_marks_has(marks, (const void *)~lost));
    mem_marks_free(marks);
    root->text += 4999; /* inside is enough */
    marks = mem_marks_new(own);
    assert_true(mem_marks_reach(marks));
    assert_true(mem_marks_has(marks, root->text - 4999));
    mem_marks_free(marks);
    mem_region_close(region);
    mem_region_close(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_know_what_lived),
        cmocka_unit_test(marks_know_slices),
        cmocka_unit_test(lost_blocks_are_not_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
