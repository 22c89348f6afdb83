/*
 * Facts about every row of builtin.def: it is in order and findable, its option table is sound, it
 * answers --help with all its options, and there is a golden file for it
 * (tests/golden/builtins/SYMBOL.test).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "builtins/builtin.h"

struct row {
    const char *symbol, *name;
};
static const struct row rows[] = {
#define BUILTIN(symbol, name) { #symbol, name },
#include "builtins/builtin.def"
#undef BUILTIN
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void test_each_row_has_a_golden_file(void **state)
{
    (void)state;
    int missing = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/tests/golden/builtins/%s.test", SOURCE_DIR, rows[i].symbol);
        if (access(path, R_OK) != 0) {
            print_error("no golden file for %s: %s\n", rows[i].name, path);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static void test_rows_are_in_order_and_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct builtin_spec *spec = builtin_find(rows[i].name, strlen(rows[i].name));
        assert_non_null(spec);
        assert_ptr_equal(spec, builtin_at(i));
        const char *slash = strrchr(rows[i].name, '/');
        assert_string_equal(spec->name, slash ? slash + 1 : rows[i].name);
        if (i)
            assert_true(strcmp(rows[i - 1].name, rows[i].name) < 0);
    }
    assert_null(builtin_at(ROW_COUNT));
    assert_null(builtin_find("nosuch", 6));
    assert_null(builtin_find("", 0));
}

static void test_options_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct builtin_spec *spec = builtin_at(i);
        bool seen[256] = { false };
        for (const struct builtin_option *o = spec->options; o && o->letter; o++) {
            assert_false(seen[(unsigned char)o->letter]);
            seen[(unsigned char)o->letter] = true;
            assert_non_null(o->help);
            assert_true(*o->help != '\0');
        }
    }
}

static void check_help(struct shell *sh, const struct builtin_spec *spec, enum optpage page)
{
    struct str text;
    bool is_man = page == OPTPAGE_MAN;
    const char *option = is_man ? "--man" : "--help";
    str_init(&text, sh->heap);
    builtin_page(spec, &text, page);
    if (!strstr(str_text(&text), spec->name) || (is_man && !strstr(str_text(&text), spec->summary)))
        fail_msg("%s %s says neither its name nor what it is for", spec->name, option);
    for (const struct builtin_option *o = spec->options; o && o->letter; o++) {
        char line[8];
        snprintf(line, sizeof line, "\n  -%c", o->letter);
        if (!strstr(str_text(&text), line))
            fail_msg("%s %s does not list -%c", spec->name, option, o->letter);
    }
    if (is_man && !strstr(str_text(&text), "DESCRIPTION"))
        fail_msg("%s --man has no description", spec->name);
    str_release(&text);
}

static void test_each_answers_help(void **state)
{
    (void)state;
    struct shell *sh = shell_new();
    assert_non_null(sh);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct builtin_spec *spec = builtin_at(i);
        assert_non_null(spec->summary);
        assert_non_null(spec->doc);
        if (spec->flags & BUILTIN_RAW)
            continue;
        struct mem_mark mark = mem_region_mark(sh->scratch);
        check_help(sh, spec, OPTPAGE_HELP);
        check_help(sh, spec, OPTPAGE_MAN);
        mem_region_reset(sh->scratch, mark);
    }
    assert_int_equal(shell_free_counted(sh), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_row_has_a_golden_file),
        cmocka_unit_test(test_rows_are_in_order_and_found),
        cmocka_unit_test(test_options_are_sound),
        cmocka_unit_test(test_each_answers_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
