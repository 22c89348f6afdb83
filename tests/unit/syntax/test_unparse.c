/*
 * test_unparse: the public functions of unparse: indentation, single nodes, words and summaries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse_fixture.h"

static struct program *parse(struct fixture *f, const char *text)
{
    struct program *program = NULL;
    struct parse_error error;
    if (fixture_parse(f, text, strlen(text), &program, &error) != PARSE_OK)
        fail_msg("%s: %s", text, error.why);
    return program;
}

static void test_indent(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct program *program = parse(&f, "if a; then b; fi >x; c <<E\nbody\nE\n");
    struct str s;
    str_init(&s, f.region);
    unparse_list(&s, program->body, 2);
    assert_string_equal(str_text(&s), "\t\tif a; then\n\t\t\tb\n\t\tfi >x\n\t\tc <<E\nbody\nE\n");
    str_clear(&s);
    unparse_node(&s, program->body->items[0].node, 1);
    assert_string_equal(str_text(&s), "\tif a; then\n\t\tb\n\tfi >x\n");
    str_release(&s);
    program_release(program);
    assert_int_equal(fixture_release(&f), 0);
}

static void test_function(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct program *program = parse(&f, "function g { x=1; } 2>e");
    struct str s;
    str_init(&s, f.region);
    unparse_function(&s, (const struct node_function *)program->body->items[0].node);
    assert_string_equal(str_text(&s), "function g {\n\tx=1\n} 2>e\n");
    str_release(&s);
    program_release(program);
    assert_int_equal(fixture_release(&f), 0);
}

/* A compound command behind the options of a command that takes one is no argument. */
static void test_compound_argument(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown; /* NULL: an error */
    } cases[] = {
        { "measure -x { a; } >f", "measure -x {\n\ta\n} >f\n" },
        { "measure -n 3 -x >f ( a )", "measure -n 3 -x (\n\ta\n) >f\n" },
        { "measure -x ((1 + 1))", "measure -x ((1 + 1))\n" },
        { "measure -x for i in 1; do a; done | b", "measure -x for i in 1; do\n\ta\ndone | b\n" },
        { "measure -x cmd {", "measure -x cmd {\n" },
        { "measure -n { a", "measure -n { a\n" },
        { "measure {", "measure {\n" },
        { "other -x {", "other -x {\n" },
        { "measure -x { a; } b", NULL },
        { "measure -x { a", NULL },
        { "measure cmd ( a )", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct program *program = NULL;
        struct parse_error error;
        fixture_init(&f);
        enum parse_result result =
            fixture_parse(&f, cases[i].text, strlen(cases[i].text), &program, &error);
        assert_int_equal(result, cases[i].shown ? PARSE_OK : PARSE_ERROR);
        if (cases[i].shown) {
            struct str s;
            str_init(&s, f.region);
            unparse_list(&s, program->body, 0);
            assert_string_equal(str_text(&s), cases[i].shown);
            str_release(&s);
            program_release(program);
        }
        assert_int_equal(fixture_release(&f), 0);
    }
}

static void test_pieces(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct program *program = parse(&f, "x[1]+=(a \"$b\") c' 'd 2>>e");
    const struct node_simple *simple = (const struct node_simple *)program->body->items[0].node;
    struct str s;
    str_init(&s, f.region);
    unparse_word(&s, simple->args[0].word);
    str_putc(&s, '|');
    unparse_node(&s, &simple->node, 0);
    assert_string_equal(str_text(&s), "c\\ d|x[1]+=(a \"$b\") c\\ d 2>>e\n");
    str_release(&s);
    program_release(program);
    assert_int_equal(fixture_release(&f), 0);
}

static void test_summary(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t max;
        const char *written;
    } rows[] = {
        { "sleep 10", 80, "sleep 10" },
        { "if a; then b; fi | c", 80, "if a; then b; fi | c" },
        { "f() { a; (b; c); }", 80, "f() { a; (b; c); }" },
        { "cat <<E 'x\ny' | d\nbody\nE\n", 80, "cat 'x y' <<E | d" },
        { "echo abcdefghijklmnopqrstuvwxyz", 12, "echo abcd..." },
        { "while a; do b; done", 2, "wh" },
        { "case x in a) b;; c) ;; esac", 80, "case x in a) b ;; c) ;; esac" },
    };
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program *program = parse(&f, rows[i].text);
        struct str s;
        str_init(&s, f.region);
        unparse_summary(&s, program->body->items[0].node, rows[i].max);
        assert_string_equal(str_text(&s), rows[i].written);
        str_release(&s);
        program_release(program);
    }
    assert_int_equal(fixture_release(&f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indent),
        cmocka_unit_test(test_function),
        cmocka_unit_test(test_compound_argument),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
