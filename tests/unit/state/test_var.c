/* Reading and writing variables: kinds of references, arrays, name references, errors, the
 * journal's costs. */
#include "state_test.h"

static void test_scalars(void **state)
{
    struct shell *sh = *state;
    assert_null(get(sh, "x"));
    assert_set(sh, "x", "");
    assert_value(sh, "x", "");
    assert_int_equal(append(sh, "x", "one"), FLOW_NEXT);
    assert_int_equal(append(sh, "y", "two"), FLOW_NEXT);
    assert_value(sh, "x", "one");
    assert_value(sh, "y", "two");
    struct var_ref ref = ref_of(sh, "x");
    assert_true(var_is_set(sh, &ref));
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_false(var_is_set(sh, &ref));
}

static void test_subscripts_of_a_scalar(void **state)
{
    struct shell *sh = *state;
    assert_set(sh, "a", "five");
    assert_string_equal(get_ref(sh, index_of(sh, "a", 0)), "five");
    assert_string_equal(get_ref(sh, index_of(sh, "a", -1)), "five");
    assert_null(get_ref(sh, index_of(sh, "a", 1)));
    assert_int_equal(set_ref(sh, index_of(sh, "a", 2), "six"), FLOW_NEXT);
    assert_string_equal(printed(sh, "a"), "typeset -a a=([0]=five [2]=six)");
    assert_value(sh, "a", "five");
    assert_set(sh, "a", "new");
    assert_string_equal(get_ref(sh, index_of(sh, "a", 0)), "new");
    assert_set(sh, "b", "5");
    struct var_ref zero = index_of(sh, "b", 0);
    assert_int_equal(var_unset(sh, &zero, false), FLOW_NEXT);
    assert_null(get(sh, "b"));
}

static void test_text_of_the_variable_itself(void **state)
{
    struct shell *sh = *state;
    const char *text;
    size_t len;
    assert_set(sh, "x", "a text that is too long to be inline");
    assert_int_equal(var_get_name(sh, name_of(sh, "x"), &text, &len), FLOW_NEXT);
    struct var_ref ref = index_of(sh, "x", 1);
    assert_int_equal(var_set(sh, &ref, text + 2, len - 2, 0), FLOW_NEXT);
    assert_string_equal(get_ref(sh, ref), "text that is too long to be inline");
    assert_int_equal(set_ref(sh, index_of(sh, "y", 0), "short"), FLOW_NEXT);
    for (int i = 1; i < 100; i++) { /* the cells move while the text is in one of them */
        const char *own = get_ref(sh, index_of(sh, "y", i - 1));
        struct var_ref next = index_of(sh, "y", i);
        assert_int_equal(var_set(sh, &next, own, strlen(own), 0), FLOW_NEXT);
    }
    assert_string_equal(get_ref(sh, index_of(sh, "y", 99)), "short");
}

static void test_negative_and_bad_indices(void **state)
{
    struct shell *sh = *state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(set_ref(sh, index_of(sh, "a", i), "x"), FLOW_NEXT);
    assert_int_equal(set_ref(sh, index_of(sh, "a", -1), "last"), FLOW_NEXT);
    assert_string_equal(get_ref(sh, index_of(sh, "a", 3)), "last");
    assert_fails(sh, set_ref(sh, index_of(sh, "a", -5), "y"), "a: subscript out of range");
    assert_fails(sh, set_ref(sh, index_of(sh, "n", -1), "y"), "n: subscript out of range");
    assert_fails(sh, set_ref(sh, index_of(sh, "a", INT64_MAX), "y"), "a: subscript out of range");
    assert_int_equal(var_next_index(sh, name_of(sh, "a")), 4);
}

static void test_associative(void **state)
{
    struct shell *sh = *state;
    assert_set(sh, "a", "s");
    assert_int_equal(declare(sh, "a", VAR_ASSOC, -1), FLOW_NEXT);
    assert_string_equal(printed(sh, "a"), "typeset -A a=([0]=s)");
    assert_int_equal(set_ref(sh, key_of(sh, "a", "y"), "b c"), FLOW_NEXT);
    assert_int_equal(set_ref(sh, key_of(sh, "a", "a]b"), "5"), FLOW_NEXT);
    assert_set(sh, "a", "zero");
    assert_string_equal(printed(sh, "a"), "typeset -A a=([0]=zero ['a]b']=5 [y]='b c')");
    assert_int_equal(var_count(sh, name_of(sh, "a")), 3);
    assert_fails(sh, declare(sh, "a", VAR_INDEXED, -1),
                 "a: cannot change associative array a to indexed array");
    struct var_ref all = { .name = name_of(sh, "a"), .kind = REF_ALL, .all = '@' };
    assert_string_equal(get_ref(sh, all), "zero 5 b c");
    assert_int_equal(var_unset(sh, &all, false), FLOW_NEXT);
    assert_string_equal(printed(sh, "a"), "typeset -A a=()");
}

static void test_unset_while_iterating(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(declare(sh, "a", VAR_ASSOC, -1), FLOW_NEXT);
    static const char *const keys[] = { "a", "b", "c" };
    for (int i = 0; i < 3; i++)
        assert_int_equal(set_ref(sh, key_of(sh, "a", keys[i]), "v"), FLOW_NEXT);
    struct var_cursor cursor = { 0 };
    struct var_item item;
    assert_true(var_next(sh, name_of(sh, "a"), &cursor, &item));
    struct var_ref gone = key_of(sh, "a", "b");
    assert_int_equal(var_unset(sh, &gone, false), FLOW_NEXT);
    assert_false(var_next(sh, name_of(sh, "a"), &cursor, &item));
}

static void test_readonly(void **state)
{
    struct shell *sh = *state;
    assert_set(sh, "r", "1");
    assert_int_equal(declare(sh, "r", VAR_READONLY, -1), FLOW_NEXT);
    struct var_ref ref = ref_of(sh, "r");
    int64_t next;
    assert_fails(sh, set(sh, "r", "2"), "r: is read only");
    assert_fails(sh, append(sh, "r", "2"), "r: is read only");
    assert_fails(sh, set_ref(sh, index_of(sh, "r", 3), "2"), "r: is read only");
    assert_fails(sh, var_unset(sh, &ref, false), "r: is read only");
    assert_fails(sh, var_begin_array(sh, ref.name, 0, 0, &next), "r: is read only");
    assert_fails(sh, declare(sh, "r", VAR_UPPER, -1), "r: is read only");
    assert_int_equal(declare(sh, "r", VAR_EXPORT | VAR_READONLY, -1), FLOW_NEXT);
    assert_string_equal(printed(sh, "r"), "typeset -x -r r=1");
    assert_int_equal(var_set_text(sh, "r", "forced"), FLOW_NEXT);
    assert_value(sh, "r", "forced");
}

static void test_references(void **state)
{
    struct shell *sh = *state;
    struct var_change to_x = {
        .set = VAR_NAMEREF, .base = -1, .width = -1, .nameref_target = name_of(sh, "x")
    };
    assert_int_equal(var_declare(sh, name_of(sh, "n"), &to_x), FLOW_NEXT);
    assert_set(sh, "n", "5");
    assert_value(sh, "x", "5");
    assert_string_equal(printed(sh, "n"), "typeset -n n=x");
    struct var_change to_n = {
        .set = VAR_NAMEREF, .base = -1, .width = -1, .nameref_target = name_of(sh, "n")
    };
    assert_fails(sh, var_declare(sh, name_of(sh, "n"), &to_n), "n: invalid self reference");
    assert_int_equal(var_declare(sh, name_of(sh, "m"), &to_n), FLOW_NEXT);
    struct var_change to_m = {
        .set = VAR_NAMEREF, .base = -1, .width = -1, .nameref_target = name_of(sh, "m")
    };
    assert_int_equal(var_declare(sh, name_of(sh, "x"), &to_m), FLOW_ERROR);
    assert_value(sh, "m", "5");
    struct var_ref ref = ref_of(sh, "n");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_null(get(sh, "x"));
    assert_int_equal(var_unset(sh, &ref, true), FLOW_NEXT);
    assert_string_equal(printed(sh, "n"), "");
    struct var_change element = to_x;
    element.nameref_rest = "[k]";
    assert_int_equal(declare(sh, "x", VAR_ASSOC, -1), FLOW_NEXT);
    assert_int_equal(var_declare(sh, name_of(sh, "e"), &element), FLOW_NEXT);
    assert_set(sh, "e", "v");
    assert_string_equal(printed(sh, "x"), "typeset -A x=([k]=v)");
    assert_string_equal(printed(sh, "e"), "typeset -n e='x[k]'");
    ref = ref_of(sh, "e");
    assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    assert_string_equal(printed(sh, "x"), "typeset -A x=()");
}

static void test_reference_without_target(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(declare(sh, "w", VAR_NAMEREF, -1), FLOW_NEXT);
    const char *text;
    size_t len;
    assert_fails(sh, var_get_name(sh, name_of(sh, "w"), &text, &len), "w: no reference name");
    assert_set(sh, "w", "foo");
    assert_set(sh, "foo", "3");
    assert_value(sh, "w", "3");
    struct var_change none = { .clear = VAR_NAMEREF, .base = -1, .width = -1 };
    assert_int_equal(var_declare(sh, name_of(sh, "w"), &none), FLOW_NEXT);
    assert_value(sh, "w", "foo");
    int64_t next;
    assert_int_equal(declare(sh, "d", VAR_NAMEREF, -1), FLOW_NEXT);
    assert_int_equal(var_begin_array(sh, name_of(sh, "d"), 0, ASSIGN_APPEND, &next), FLOW_NEXT);
    assert_int_equal(set_ref(sh, index_of(sh, "d", next), "p"), FLOW_NEXT);
    assert_string_equal(printed(sh, "d"), "typeset -a d=(p)");
}

/* A reference made from a parameter means the caller's variable, whatever else has its name. */
static void test_reference_to_the_caller(void **state)
{
    struct shell *sh = *state;
    struct frame outer, inner;
    assert_set(sh, "x", "global");
    frame_push(sh, &outer, FRAME_FUNC);
    assert_int_equal(declare(sh, "x", 0, -1), FLOW_NEXT);
    assert_set(sh, "x", "local");
    frame_push(sh, &inner, FRAME_FUNC);
    assert_value(sh, "x", "global");
    struct var_change change = {
        .set = VAR_NAMEREF, .base = -1, .width = -1, .local = true, .nameref_caller = true
    };
    change.nameref_target = name_of(sh, "x");
    assert_int_equal(var_declare(sh, name_of(sh, "r"), &change), FLOW_NEXT);
    assert_int_equal(var_declare(sh, name_of(sh, "x"), &change), FLOW_NEXT);
    assert_value(sh, "r", "local");
    assert_set(sh, "x", "changed");
    frame_pop(sh, &inner);
    assert_value(sh, "x", "changed");
    frame_pop(sh, &outer);
    assert_value(sh, "x", "global");
}

static void test_member_without_parent(void **state)
{
    struct shell *sh = *state;
    assert_fails(sh, set(sh, "p.x", "1"), "p.x: no parent");
    assert_int_equal(sh->err.kind, ERROR_ASSIGN);
    assert_set(sh, ".sh.foo", "1");
}

/* A whole array assigned, or one element, in a subshell costs the same for any size. */
static void test_journal_is_constant(void **state)
{
    struct shell *sh = *state;
    int64_t next;
    for (int i = 0; i < 100000; i++)
        assert_int_equal(set_ref(sh, index_of(sh, "a", i), "a text that lives in the heap, each"),
                         FLOW_NEXT);
    struct mem_stats nodes[2], heap[2];
    mem_region_stats(sh->nodes, &nodes[0]);
    mem_region_stats(sh->heap, &heap[0]);
    struct frame frame;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(set_ref(sh, index_of(sh, "a", 7), "other"), FLOW_NEXT);
    assert_int_equal(var_begin_array(sh, name_of(sh, "a"), 0, 0, &next), FLOW_NEXT);
    for (int i = 0; i < 1000; i++) {
        struct var_ref ref = index_of(sh, "a", 7);
        assert_int_equal(set_ref(sh, ref, "other"), FLOW_NEXT);
        assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
    }
    mem_region_stats(sh->nodes, &nodes[1]);
    mem_region_stats(sh->heap, &heap[1]);
    assert_true(nodes[1].alloc_count - nodes[0].alloc_count < 10);
    assert_true(heap[1].alloc_count - heap[0].alloc_count < 10);
    frame_pop(sh, &frame);
    assert_string_equal(get_ref(sh, index_of(sh, "a", 7)), "a text that lives in the heap, each");
    assert_int_equal(var_count(sh, name_of(sh, "a")), 100000);
}

/* Elements that come and go in a subshell leave one record each, not one for each time. */
static void test_journal_of_elements_is_bounded(void **state)
{
    struct shell *sh = *state;
    assert_int_equal(set_ref(sh, index_of(sh, "a", 0), "x"), FLOW_NEXT);
    struct frame frame;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    struct mem_stats before, after;
    struct var_ref ref = index_of(sh, "a", 5);
    assert_int_equal(set_ref(sh, ref, "new"), FLOW_NEXT);
    mem_region_stats(sh->nodes, &before);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(var_unset(sh, &ref, false), FLOW_NEXT);
        assert_int_equal(set_ref(sh, ref, "new"), FLOW_NEXT);
    }
    mem_region_stats(sh->nodes, &after);
    assert_int_equal(after.busy_count, before.busy_count);
    frame_pop(sh, &frame);
    assert_string_equal(printed(sh, "a"), "typeset -a a=(x)");
}

static void test_plain_write_allocates_nothing(void **state)
{
    struct shell *sh = *state;
    assert_set(sh, "x", "a text that is longer than inline text is");
    struct mem_stats before, after;
    mem_region_stats(sh->heap, &before);
    for (int i = 0; i < 100; i++) {
        assert_set(sh, "x", i % 2 ? "short" : "another text that fits the same block");
        get(sh, "x");
    }
    mem_region_stats(sh->heap, &after);
    assert_int_equal(before.alloc_count, after.alloc_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(test_scalars),
        state_test(test_subscripts_of_a_scalar),
        state_test(test_text_of_the_variable_itself),
        state_test(test_negative_and_bad_indices),
        state_test(test_associative),
        state_test(test_unset_while_iterating),
        state_test(test_readonly),
        state_test(test_references),
        state_test(test_reference_without_target),
        state_test(test_reference_to_the_caller),
        state_test(test_member_without_parent),
        state_test(test_journal_is_constant),
        state_test(test_journal_of_elements_is_bounded),
        state_test(test_plain_write_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
