/*
 * test_errors: what is refused, with which message and at which line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse_fixture.h"

struct row {
    const char *text;
    unsigned line; /* where the message points */
    unsigned at;   /* "syntax error at line AT: ", 0 for "syntax error: " */
    const char *why;
    bool incomplete;
};

static const struct row rows[] = {
    { "fi", 1, 1, "`fi' unexpected", false },
    { "\n\n  done", 3, 3, "`done' unexpected", false },
    { "a )", 1, 1, "`)' unexpected", false },
    { "a ;; b", 1, 1, "`;;' unexpected", false },
    { "; ; a", 1, 1, "`;' unexpected", false },
    { "& a", 1, 1, "`&' unexpected", false },
    { "a && && b", 1, 1, "`&&' unexpected", false },
    { "a | | b", 1, 1, "`|' unexpected", false },
    { "a | ; b", 1, 1, "`;' unexpected", false },
    { "a &&", 1, 1, "`end of file' unexpected", true },
    { "a |\n", 2, 2, "`end of file' unexpected", true },
    { "cat <", 1, 1, "`end of file' unexpected", true },
    { "cat <\na", 1, 1, "`newline' unexpected", false },
    { "cat << \n", 1, 1, "`newline' unexpected", false },
    { "cat > > a", 1, 1, "`>' unexpected", false },
    { "()", 1, 1, "`)' unexpected", false },
    { "( )", 1, 1, "`)' unexpected", false },
    { "{ }", 1, 1, "`}' unexpected", false },
    { "(a) b", 1, 1, "`b' unexpected", false },
    { "a (b)", 1, 1, "`(' unexpected", false },
    { "a=(b) (c)", 1, 1, "`(' unexpected", false },
    { "f() { a; } b", 1, 1, "`b' unexpected", false },
    { "f(a) { b; }", 1, 1, "`(' unexpected", false },
    { "$f() { b; }", 1, 1, "`(' unexpected", false },
    { "function f", 1, 1, "`function' unmatched", true },
    { "function f; a", 1, 1, "`;' unexpected", false },
    { "function f a; b", 1, 1, "`;' unexpected", false },
    { "function f in a", 1, 1, "`in' unexpected", false },
    { "f()", 1, 1, "`f' unmatched", true },
    { "if a; then b; done", 1, 1, "`done' unexpected", false },
    { "if a; then b\nfi fi", 2, 2, "`fi' unexpected", false },
    { "if ; then a; fi", 1, 1, "`;' unexpected", false },
    { "if a; then fi", 1, 1, "`fi' unexpected", false },
    { "a\nif a\nthen b\n", 4, 2, "`if' unmatched", true },
    { "if", 1, 1, "`if' unmatched", true },
    { "while a; do b", 1, 1, "`while' unmatched", true },
    { "while a; do done", 1, 1, "`done' unexpected", false },
    { "until", 1, 1, "`until' unmatched", true },
    { "for", 1, 1, "`for' unmatched", true },
    { "for 1x in a; do b; done", 1, 1, "`1x' unexpected", false },
    { "for x in a; dog", 1, 1, "`dog' unexpected", false },
    { "for x in a | b", 1, 1, "`|' unexpected", false },
    { "for ((a;b)) do c; done", 1, 1, "`)' unexpected", false },
    { "for ((a;b;c", 1, 1, "`((' unmatched", true },
    { "case", 1, 1, "`case' unmatched", true },
    { "case x", 1, 1, "`case' unmatched", true },
    { "case x in a) b", 1, 1, "`case' unmatched", true },
    { "case x in a b) c;; esac", 1, 1, "`b' unexpected", false },
    { "case x in | a) c;; esac", 1, 1, "`|' unexpected", false },
    { "case x of a) c;; esac", 1, 1, "`of' unexpected", false },
    { "{ a", 1, 1, "`{' unmatched", true },
    { "{ a; )", 1, 1, "`)' unexpected", false },
    { "(a", 1, 1, "`(' unmatched", true },
    { "((1+", 1, 1, "`(' unmatched", true },
    { "{ (( 1 + 2 ; }", 1, 1, "`}' unexpected", false },
    { "\necho $(a\n\n", 4, 2, "`(' unmatched", true },
    { "echo ${a", 1, 1, "`{' unmatched", true },
    { "echo ${a-b", 1, 1, "`{' unmatched", true },
    { "echo ${ a;", 1, 1, "`{' unmatched", true },
    { "echo ${x!y", 1, 1, "`{' unmatched", true },
    { "echo ${x y", 1, 1, "`{' unmatched", true },
    { "echo $((1", 1, 1, "`(' unmatched", true },
    { "a\necho \"abc\nd", 2, 2, "`\"' unmatched", true },
    { "echo 'abc\nd", 1, 1, "`'' unmatched", true },
    { "echo $'abc", 1, 1, "`$'' unmatched", true },
    { "\n\necho `abc\n\n", 3, 3, "``' unmatched", true },
    { "echo `a )`", 1, 1, "`)' unexpected", false },
    { "echo \"$(a \"", 1, 1, "`\"' unmatched", true },
    { "x=(a", 1, 1, "`(' unmatched", true },
    { "x=(a; b)", 1, 1, "`;' unexpected", false },
    { "x=(a=1", 1, 1, "`(' unmatched", true },
    { "echo x=(1)", 1, 1, "`(' unexpected", false },
    { "echo @(a|b", 1, 1, "`(' unmatched", true },
    { "[[ a", 1, 1, "`[[' unmatched", true },
    { "[[ ]]", 1, 1, "`]]' unexpected", false },
    { "[[ -n ]]", 1, 1, "`]]' unexpected", false },
    { "[[ -n && a ]]", 1, 1, "`&&' unexpected", false },
    { "[[ a b ]]", 1, 1, "`b' unexpected", false },
    { "[[ a -foo b ]]", 1, 1, "`-foo' unexpected", false },
    { "[[ -@ x ]]", 1, 1, "`x' unexpected", false },
    { "[[ -q x ]]", 1, 0, "unknown operator `-q' in [[ ]]", false },
    { "[[ (a ]]", 1, 1, "`]]' unexpected", false },
    { "[[ a == (b) ]]", 1, 1, "`(' unexpected", false },
    { "[[ a && ]]", 1, 1, "`]]' unexpected", false },
    { "a <#", 1, 1, "`end of file' unexpected", true },
    { "a >#b", 1, 1, "`b' unexpected", false },
    { "echo $(cat <<E)\nE\n", 1, 0,
      "here-document `E' (began at line 1) does not end within the command substitution", false },
    { "namespace n a", 1, 1, "`a' unexpected", false },
    { "in\nthen", 2, 2, "`then' unexpected", false },
};

static void test_rows(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program *program = NULL;
        struct parse_error error = { 0 };
        const struct row *row = &rows[i];
        if (fixture_parse(&f, row->text, strlen(row->text), &program, &error) != PARSE_ERROR)
            fail_msg("%s: accepted", row->text);
        assert_null(program);
        char why[sizeof error.why];
        if (row->at != 0)
            snprintf(why, sizeof why, "syntax error at line %u: %s", row->at, row->why);
        else
            snprintf(why, sizeof why, "syntax error: %s", row->why);
        if (error.line != row->line || strcmp(error.why, why) != 0 ||
            error.incomplete != row->incomplete)
            fail_msg("%s: line %u: %s (%d)", row->text, error.line, error.why, error.incomplete);
    }
    assert_int_equal(fixture_release(&f), 0);
}

/* Deep nesting is refused or accepted, quickly, and nothing leaks. */
static void test_depth(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "$(",     "(",    "((",     "{ ",        "if ",           "${x:-",
        "$((",    "x=(",  "`",      "\"$(",      "\"${x-",        "! ",
        "while ", "a[$(", "((a+$(", "$(( $(( (", "case x in x) ", "f() { ",
        "<(",     "${ ",  "${| ",   "time ",
    };
    enum { COUNT = 10000 };
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct str text;
        str_init(&text, f.region);
        str_append_z(&text, "echo ");
        if (!strchr("$\"`<", pieces[i][0]))
            str_clear(&text);
        for (int n = 0; n < COUNT; n++)
            str_append_z(&text, pieces[i]);
        struct program *program = NULL;
        struct parse_error error;
        enum parse_result result = fixture_parse(&f, str_text(&text), text.len, &program, &error);
        assert_true(result == PARSE_ERROR || pieces[i][0] == '`' || pieces[i][0] == 't');
        program_release(program);
        str_release(&text);
    }
    assert_int_equal(fixture_release(&f), 0);
}

static void test_depth_limits(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct program *program = NULL;
    struct parse_error error;
    f.hooks.depth_max = 3;
    assert_int_equal(fixture_parse(&f, "(((a);b);c)", 11, &program, &error), PARSE_OK);
    program_release(program);
    program = NULL;
    assert_int_equal(fixture_parse(&f, "((((a);b);c);d)", 15, &program, &error), PARSE_ERROR);
    assert_string_equal(error.why, "syntax error: nesting too deep");
    f.hooks.depth_max = 1000;
    f.hooks.stack_floor = (const char *)UINTPTR_MAX; /* as if the stack were used up */
    assert_int_equal(fixture_parse(&f, "(a)", 3, &program, &error), PARSE_ERROR);
    assert_string_equal(error.why, "syntax error: nesting too deep");
    assert_int_equal(fixture_release(&f), 0);
}

/* 10,000 nested `((` that are no arithmetic must not be read again and again. */
static void test_nested_parens(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    struct fixture f;
    fixture_init(&f);
    f.hooks.depth_max = COUNT + 10;
    struct str text;
    str_init(&text, f.region);
    for (int n = 0; n < COUNT; n++)
        str_putc(&text, '(');
    str_putc(&text, 'a');
    for (int n = 0; n < COUNT; n++)
        str_append_z(&text, n ? ";b)" : ")");
    struct program *program = NULL;
    struct parse_error error;
    assert_int_equal(fixture_parse(&f, str_text(&text), text.len, &program, &error), PARSE_OK);
    program_release(program);
    str_release(&text);
    assert_int_equal(fixture_release(&f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_limits),
        cmocka_unit_test(test_nested_parens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
