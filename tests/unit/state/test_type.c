/* Enumeration types: definition, conversion of values, typed subscripts, the journal. */
#include "tests/unit/state/state_test.h"

#include "shell/state/type.h"

static const struct type_item colours[] = { { "red", 3 }, { "green", 5 }, { "blue", 4 } };

static const struct type *define(struct shell *sh, const char *name, bool ignore_case)
{
    const struct type *type = NULL;
    assert_int_equal(type_define(sh, name, ignore_case, colours, 3, NULL, &type), FLOW_NEXT);
    return type;
}

static void declare_type(struct shell *sh, const char *name, uint32_t set, const struct type *type)
{
    struct var_change change = {
        .set = set, .base = -1, .width = -1, .type = type, .index_type = type
    };
    assert_int_equal(var_declare(sh, name_of(sh, name), &change), FLOW_NEXT);
}

static void assert_text(struct shell *sh, struct var_ref ref, const char *expected)
{
    const char *text;
    size_t len;
    assert_int_equal(var_get(sh, &ref, &text, &len), FLOW_NEXT);
    assert_string_equal(text, expected);
}

static void finds_items(void **state)
{
    struct shell *sh = *state;
    const struct type *type = define(sh, "Col", false), *loose = define(sh, "Loose", true);
    assert_ptr_equal(type_find(sh, "Col", 3), type);
    assert_null(type_find(sh, "Co", 2));
    assert_int_equal(type_item_find(type, "blue", 4), 2);
    assert_int_equal(type_item_find(type, "BLUE", 4), -1);
    assert_int_equal(type_item_find(loose, "BLUE", 4), 2);
    assert_int_equal(type_define(sh, "Col", false, colours, 2, NULL, &type), FLOW_ERROR);
}

static void values_are_items(void **state)
{
    struct shell *sh = *state;
    struct var_ref x = ref_of(sh, "x");
    struct num n;
    declare_type(sh, "x", VAR_ENUM, define(sh, "Col", false));
    assert_int_equal(var_set(sh, &x, "green", 5, 0), FLOW_NEXT);
    assert_text(sh, x, "green");
    assert_int_equal(var_get_num(sh, &x, &n), FLOW_NEXT);
    assert_int_equal(n.i, 1);
    assert_int_equal(var_set_num(sh, &x, num_int(1), ASSIGN_APPEND), FLOW_NEXT);
    assert_text(sh, x, "blue");
    assert_int_equal(var_set_num(sh, &x, num_int(3), 0), FLOW_ERROR);
    assert_int_equal(var_set_num(sh, &x, num_int(-1), 0), FLOW_ERROR);
    assert_int_equal(var_set(sh, &x, "pink", 4, 0), FLOW_ERROR);
    assert_non_null(strstr(sh->err.text, "invalid value pink"));
    assert_text(sh, x, "blue");
    declare_type(sh, "x", VAR_UPPER, NULL); /* an ordinary variable again */
    assert_text(sh, x, "BLUE");
}

static void subscripts_are_items(void **state)
{
    struct shell *sh = *state;
    struct var_cursor cursor = { 0 };
    struct var_item item;
    struct var_ref blue = key_of(sh, "a", "blue"), pink = key_of(sh, "a", "pink");
    declare_type(sh, "a", VAR_INDEXED | VAR_TYPED_INDEX, define(sh, "Col", false));
    assert_int_equal(var_set(sh, &blue, "9", 1, 0), FLOW_NEXT);
    assert_int_equal(var_set(sh, &pink, "9", 1, 0), FLOW_ERROR);
    assert_text(sh, (struct var_ref){ .name = blue.name, .kind = REF_INDEX, .index = 2 }, "9");
    assert_true(var_next(sh, blue.name, &cursor, &item));
    assert_string_equal(item.label, "blue");
    assert_int_equal(item.index, 2);
    assert_false(var_next(sh, blue.name, &cursor, &item));
}

static void types_end_with_their_subshell(void **state)
{
    struct shell *sh = *state;
    struct frame frame;
    uint32_t epoch = sh->command_epoch;
    frame_push(sh, &frame, FRAME_SUBSHELL);
    declare_type(sh, "x", VAR_ENUM, define(sh, "Col", false));
    struct var_ref x = ref_of(sh, "x");
    assert_int_equal(var_set(sh, &x, "red", 3, 0), FLOW_NEXT);
    assert_int_not_equal(sh->command_epoch, epoch);
    frame_pop(sh, &frame);
    assert_null(type_find(sh, "Col", 3));
    assert_false(var_is_set(sh, &x));
    define(sh, "Col", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        state_test(finds_items),
        state_test(values_are_items),
        state_test(subscripts_are_items),
        state_test(types_end_with_their_subshell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
