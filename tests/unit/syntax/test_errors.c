/*
 * test_errors: what is refused, with which message and at which line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse_fixture.h"

struct row {
    const char *text;
    unsigned line;
    const char *why; /* without "syntax error: " */
    bool incomplete;
};

static const struct row rows[] = {
    { "fi", 1, "unexpected `fi'", false },
    { "\n\n  done", 3, "unexpected `done'", false },
    { "a )", 1, "unexpected `)'", false },
    { "a ;; b", 1, "unexpected `;;'", false },
    { "; a", 1, "unexpected `;'", false },
    { "& a", 1, "unexpected `&'", false },
    { "a && && b", 1, "unexpected `&&'", false },
    { "a | | b", 1, "unexpected `|'", false },
    { "a | ; b", 1, "unexpected `;'", false },
    { "a &&", 1, "unexpected end of file", true },
    { "a |\n", 2, "unexpected end of file", true },
    { "cat <", 1, "unexpected end of file", true },
    { "cat <\na", 1, "unexpected `newline'", false },
    { "cat << \n", 1, "unexpected `newline'", false },
    { "cat > > a", 1, "unexpected `>'", false },
    { "()", 1, "unexpected `)'", false },
    { "( )", 1, "unexpected `)'", false },
    { "{ }", 1, "unexpected `}'", false },
    { "(a) b", 1, "unexpected `b'", false },
    { "a (b)", 1, "unexpected `('", false },
    { "a=(b) (c)", 1, "unexpected `('", false },
    { "f() { a; } b", 1, "unexpected `b'", false },
    { "f(a) { b; }", 1, "unexpected `('", false },
    { "$f() { b; }", 1, "unexpected `('", false },
    { "function f", 1, "`function' (began at line 1) is not terminated", true },
    { "function f; a", 1, "unexpected `;'", false },
    { "function f a; b", 1, "unexpected `;'", false },
    { "function f in a", 1, "unexpected `in'", false },
    { "f()", 1, "`f' (began at line 1) is not terminated", true },
    { "if a; then b; done", 1, "unexpected `done'", false },
    { "if a; then b\nfi fi", 2, "unexpected `fi'", false },
    { "if ; then a; fi", 1, "unexpected `;'", false },
    { "if a; then fi", 1, "unexpected `fi'", false },
    { "a\nif a\nthen b\n", 4, "`if' (began at line 2) is not terminated", true },
    { "if", 1, "`if' (began at line 1) is not terminated", true },
    { "while a; do b", 1, "`while' (began at line 1) is not terminated", true },
    { "while a; do done", 1, "unexpected `done'", false },
    { "until", 1, "`until' (began at line 1) is not terminated", true },
    { "for", 1, "`for' (began at line 1) is not terminated", true },
    { "for 1x in a; do b; done", 1, "unexpected `1x'", false },
    { "for x in a; dog", 1, "unexpected `dog'", false },
    { "for x in a | b", 1, "unexpected `|'", false },
    { "for ((a;b)) do c; done", 1, "unexpected `)'", false },
    { "for ((a;b;c", 1, "`((' (began at line 1) is not terminated", true },
    { "case", 1, "`case' (began at line 1) is not terminated", true },
    { "case x", 1, "`case' (began at line 1) is not terminated", true },
    { "case x in a) b", 1, "`case' (began at line 1) is not terminated", true },
    { "case x in a b) c;; esac", 1, "unexpected `b'", false },
    { "case x in | a) c;; esac", 1, "unexpected `|'", false },
    { "case x of a) c;; esac", 1, "unexpected `of'", false },
    { "{ a", 1, "`{' (began at line 1) is not terminated", true },
    { "{ a; )", 1, "unexpected `)'", false },
    { "(a", 1, "`(' (began at line 1) is not terminated", true },
    { "((1+", 1, "`(' (began at line 1) is not terminated", true },
    { "{ (( 1 + 2 ; }", 1, "unexpected `}'", false },
    { "\necho $(a\n\n", 4, "`(' (began at line 2) is not terminated", true },
    { "echo ${a", 1, "`${' (began at line 1) is not terminated", true },
    { "echo ${a-b", 1, "`${' (began at line 1) is not terminated", true },
    { "echo ${ a;", 1, "`${' (began at line 1) is not terminated", true },
    { "echo $((1", 1, "`(' (began at line 1) is not terminated", true },
    { "echo ${}", 1, "bad substitution: unexpected `}'", false },
    { "echo ${x!y}", 1, "bad substitution: unexpected `!'", false },
    { "echo ${x y}", 1, "bad substitution: unexpected ` '", false },
    { "echo ${x\ny}", 1, "bad substitution: unexpected `newline'", false },
    { "echo ${x:}", 1, "bad substitution: unexpected `}'", false },
    { "a\necho \"abc\nd", 2, "unterminated quote `\"' (began at line 2)", true },
    { "echo 'abc\nd", 1, "unterminated quote `'' (began at line 1)", true },
    { "echo $'abc", 1, "unterminated quote `$'' (began at line 1)", true },
    { "\n\necho `abc\n\n", 3, "unterminated quote ``' (began at line 3)", true },
    { "echo `a )`", 1, "unexpected `)'", false },
    { "echo \"$(a \"", 1, "unterminated quote `\"' (began at line 1)", true },
    { "x=(a", 1, "`(' (began at line 1) is not terminated", true },
    { "x=(a; b)", 1, "unexpected `;'", false },
    { "x=(a=1", 1, "`(' (began at line 1) is not terminated", true },
    { "echo x=(1)", 1, "unexpected `('", false },
    { "echo @(a|b", 1, "`(' (began at line 1) is not terminated", true },
    { "[[ a", 1, "`[[' (began at line 1) is not terminated", true },
    { "[[ ]]", 1, "unexpected `]]'", false },
    { "[[ -n ]]", 1, "unexpected `]]'", false },
    { "[[ -n && a ]]", 1, "unexpected `&&'", false },
    { "[[ a b ]]", 1, "unexpected `b'", false },
    { "[[ a -foo b ]]", 1, "unexpected `-foo'", false },
    { "[[ -@ x ]]", 1, "unexpected `x'", false },
    { "[[ -q x ]]", 1, "unknown operator `-q' in [[ ]]", false },
    { "[[ (a ]]", 1, "unexpected `]]'", false },
    { "[[ a == (b) ]]", 1, "unexpected `('", false },
    { "[[ a && ]]", 1, "unexpected `]]'", false },
    { "a <#", 1, "unexpected end of file", true },
    { "a >#b", 1, "unexpected `b'", false },
    { "echo $(cat <<E)\nE\n", 1,
      "here-document `E' (began at line 1) does not end within the command substitution", false },
    { "namespace n a", 1, "unexpected `a'", false },
    { "in\nthen", 2, "unexpected `then'", false },
};

static void test_rows(void **state)
{
    (void)state;
    static const char prefix[] = "syntax error: ";
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program *program = NULL;
        struct parse_error error = { 0 };
        const struct row *row = &rows[i];
        if (fixture_parse(&f, row->text, strlen(row->text), &program, &error) != PARSE_ERROR)
            fail_msg("%s: accepted", row->text);
        assert_null(program);
        if (error.line != row->line || strncmp(error.why, prefix, strlen(prefix)) != 0 ||
            strcmp(error.why + strlen(prefix), row->why) != 0 ||
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
