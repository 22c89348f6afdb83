/*
 * test_heredoc: where here-documents end and what becomes of their text.
 *
 * A row gives a script and the bodies of its here-documents as they are written back, in order, and
 * how many of them were ended by the end of the input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse_fixture.h"

struct row {
    const char *text, *written;
    unsigned warnings;
};

static const struct row rows[] = {
    { "cat <<E\na\nE\n", "cat <<E\na\nE\n", 0 },
    { "cat <<E\na\nE", "cat <<E\na\nE\n", 0 },
    { "cat <<E\nE\n", "cat <<E\nE\n", 0 },
    { "cat <<E\na", "cat <<E\na\nE\n", 1 },
    { "cat <<E", "cat <<E\nE\n", 1 },
    { "cat <<E\n E\nE \nEE\nE\n", "cat <<E_\n E\nE \nEE\nE_\n", 0 },
    { "cat << E\na\nE\n", "cat <<E\na\nE\n", 0 },
    { "cat <<'E F'\n$x\nE F\n", "cat <<'EOF'\n$x\nEOF\n", 0 },
    { "cat <<\\E\n$x\\\nE\n", "cat <<'E'\n$x\\\nE\n", 0 },
    { "cat <<\"E\"\n`a`\nE\n", "cat <<'E'\n`a`\nE\n", 0 },
    { "cat <<E'F'\n$x\nEF\n", "cat <<'EF'\n$x\nEF\n", 0 },
    { "cat <<$x\na\n$x\n", "cat <<EOF\na\nEOF\n", 0 },
    { "cat <<-E\n\t\ta\n\tb\n\tE\n", "cat <<E\na\nb\nE\n", 0 },
    { "cat <<-E\n\ta\\\n\tb\n\tE\n", "cat <<E\na\tb\nE\n", 0 },
    { "cat <<#E\n   a\n     b\n  c\n   E\n", "cat <<E\na\n  b\nc\nE\n", 0 },
    { "cat <<E\na\\\nE\nE\n", "cat <<E\naE\nE\n", 0 },
    { "cat <<E\na\\\\\nE\n", "cat <<E\na\\\\\nE\n", 0 },
    { "cat <<E\n\\$x \\a \\` \"q\" 'r' $x ${y-\"a b\"} ${y-'c'}\nE\n",
      "cat <<E\n\\$x \\\\a \\` \"q\" 'r' $x ${y-a b} ${y-'c'}\nE\n", 0 },
    { "cat <<A <<B; cat <<C\na\nA\nb\nB\nc\nC\n", "cat <<A <<B\na\nA\nb\nB\ncat <<C\nc\nC\n", 0 },
    { "a <<E | b\nx\nE\n", "a <<E | b\nx\nE\n", 0 },
    { "a <<E && b\nx\nE\nc\n", "a <<E && b\nx\nE\nc\n", 0 },
    { "{\na <<E\nx\nE\n} | b\n", "{\n\ta <<E\nx\nE\n} | b\n", 0 },
    { "f() { cat <<E\nx\nE\n}\n", "f() {\n\tcat <<E\nx\nE\n}\n", 0 },
    { "while read x; do a; done <<E\nx\nE\n", "while read x; do\n\ta\ndone <<E\nx\nE\n", 0 },
    { "if cat <<E; then a; fi\nx\nE\n", "if cat <<E\nx\nE\nthen\n\ta\nfi\n", 0 },
    { "echo $(cat <<E\nx\nE\n)\n", "echo $(cat <<E\nx\nE\n)\n", 0 },
    { "echo $(cat <<E\nx\nE) y\n", "echo $(cat <<E\nx\nE\n) y\n", 0 },
    { "cat <<A $(cat <<B\nb\nB\n)\na\nA\n", "cat $(cat <<B\nb\nB\n) <<A\na\nA\n", 0 },
    { "cat <<E\n$(cat <<F\nin\nF\n)\nE\n", "cat <<E\n$(cat <<F\nin\nF\n)\nE\n", 0 },
    { "echo `cat <<E\nx\nE`\n", "echo $(cat <<E\nx\nE\n)\n", 0 },
    { "x=(a=$(cat <<E\nx\nE\n) b=2)\n", "x=(\n\ta=$(cat <<E\nx\nE\n) b=2\n)\n", 0 },
    { "case x in a) cat <<E;; esac\nx\nE\n", "case x in\na)\n\tcat <<E\nx\nE\n\t;;\nesac\n", 0 },
    { "cat <<E # comment\nx\nE\n", "cat <<E\nx\nE\n", 0 },
    { "cat <<E; echo 'a\nb'\nx\nE\n", "cat <<E\nx\nE\necho 'a\nb'\n", 0 },
    { "cat 3<<E >f\nx\nE\n", "cat 3<<E >f\nx\nE\n", 0 },
    { "cat <<E \\\n>f\nx\nE\n", "cat <<E >f\nx\nE\n", 0 },
    { "$(cat <<E\n)\nE\n)\n", "$(cat <<E\n)\nE\n)\n", 0 },
};

static void test_rows(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str first, second;
        struct parse_error error;
        str_init(&first, f.region);
        str_init(&second, f.region);
        f.warnings = 0;
        if (!fixture_rewrite(&f, rows[i].text, strlen(rows[i].text), &first, &error))
            fail_msg("%s: %s", rows[i].text, error.why);
        assert_int_equal(f.warnings, rows[i].warnings);
        assert_string_equal(str_text(&first), rows[i].written);
        if (!fixture_rewrite(&f, str_text(&first), first.len, &second, &error))
            fail_msg("%s: %s", str_text(&first), error.why);
        assert_string_equal(str_text(&second), str_text(&first));
        str_release(&first);
        str_release(&second);
    }
    assert_int_equal(fixture_release(&f), 0);
}

/* Lines are counted through here-documents, quotes and continuations. */
static void test_lines(void **state)
{
    (void)state;
    static const char text[] = "a <<E 'x\ny'\n1\n2\nE\nb \\\n c; d `e\nf` $(\ng)\nh";
    static const unsigned lines[] = { 1, 6, 7, 10 };
    struct fixture f;
    fixture_init(&f);
    struct program *program = NULL;
    struct parse_error error;
    assert_int_equal(fixture_parse(&f, text, strlen(text), &program, &error), PARSE_OK);
    assert_int_equal(program->body->count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(program->body->items[i].node->line, lines[i]);
    const struct node_simple *d = (const struct node_simple *)program->body->items[2].node;
    const struct list *backquoted = d->args[1].word->parts[0].command->body;
    assert_int_equal(backquoted->items[0].node->line, 7);
    assert_int_equal(backquoted->items[1].node->line, 8);
    const struct list *inner = d->args[2].word->parts[0].command->body;
    assert_int_equal(inner->items[0].node->line, 9);
    program_release(program);
    assert_int_equal(fixture_release(&f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
