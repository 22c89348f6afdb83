/*
 * test_lex: the kinds, flags and parts of words.
 *
 * A word is described in one line: kind (L literal, V quoted variable, G general), flags in
 * letters, then the parts: u'text' unquoted, q'text' quoted, ~'text' tilde, and P C A S for
 * parameter, command, arithmetic and process, in lower case when unquoted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse_fixture.h"

static void describe_part(struct str *s, const struct part *part)
{
    static const char letters[] = "?PCAS";
    if (part->kind == PART_LITERAL || part->kind == PART_TILDE)
        str_printf(s, " %c'%s'",
                   part->kind == PART_TILDE ? '~'
                   : part->quoted           ? 'q'
                                            : 'u',
                   part->literal.text);
    else
        str_printf(s, " %c", part->quoted ? letters[part->kind] : letters[part->kind] | 32);
}

static void describe(struct str *s, const struct word *word)
{
    static const char flags[] = "qgbtxu";
    str_putc(s, "LVG"[word->kind]);
    str_putc(s, ' ');
    for (int i = 0; flags[i]; i++) {
        if (word->flags & (1u << i))
            str_putc(s, flags[i]);
    }
    for (uint32_t i = 0; i < word->part_count; i++)
        describe_part(s, &word->parts[i]);
    if (word->kind == WORD_LITERAL)
        str_printf(s, " = %s", word->text);
}

struct row {
    const char *word, *description;
};

/* Second words of `echo WORD`. */
static const struct row arguments[] = {
    { "abc", "L  u'abc' = abc" },
    { "'abc'", "L q q'abc' = abc" },
    { "a'b'c", "L q u'a' q'b' u'c' = abc" },
    { "a\\b\"c\"'d'", "L q u'a' q'bcd' = abcd" },
    { "''", "L q q'' = " },
    { "\"\"", "L q q'' = " },
    { "''\"\"$''", "L q q'' = " },
    { "\"$x\"", "V qx P" },
    { "\"${x}\"", "V qx P" },
    { "\"$x\"''", "G qx P q''" },
    { "\"${x[1]}\"", "G qx P" },
    { "\"$1\"", "G qx P" },
    { "\"${#x}\"", "G qx P" },
    { "\"${x.y}\"", "V qx P" },
    { "$x", "G xu p" },
    { "$x$y", "G xu p p" },
    { "\"a$x\"", "G qx q'a' P" },
    { "$(a)", "G xu c" },
    { "\"`a`\"", "G qx C" },
    { "$((1))", "G xu a" },
    { "<(a)", "G xu s" },
    { "*", "G g u'*'" },
    { "\\*", "L q q'*' = *" },
    { "'*'x", "L q q'*' u'x' = *x" },
    { "[", "L  u'[' = [" },
    { "]", "L  u']' = ]" },
    { "[a]", "G g u'[a]'" },
    { "[$x]", "G gxu u'[' p u']'" },
    { "@(a|b c)", "G g u'@(a|b c)'" },
    { "a@b", "L  u'a@b' = a@b" },
    { "~(i)a", "G g u'~(i)a'" },
    { "{2}(a)", "G g u'{2}(a)'" },
    { "{a,b}", "G b u'{a,b}'" },
    { "{1..3}", "G b u'{1..3}'" },
    { "{a}", "L  u'{a}' = {a}" },
    { "{a,$x}", "G bxu u'{a,' p u'}'" },
    { "{a','b}", "L q u'{a' q',' u'b}' = {a,b}" },
    { "\\{a,b}", "L q q'{' u'a,b}' = {a,b}" },
    { "~", "G t ~''" },
    { "~/a", "G t ~'' u'/a'" },
    { "~user/a", "G t ~'user' u'/a'" },
    { "~+", "G t ~'+'" },
    { "~us\"er\"", "L q u'~us' q'er' = ~user" },
    { "~$x", "G xu u'~' p" },
    { "a~", "L  u'a~' = a~" },
    { "x=~", "L  u'x=~' = x=~" },
    { "$", "L q q'$' = $" },
    { "a\\\nb", "L  u'ab' = ab" },
    { "\\", "L q q'\\' = \\" },
    { "a#b", "L  u'a#b' = a#b" },
    { "$'a\\tb'", "L q q'a\tb' = a\tb" },
    { "$\"a$x\"", "G qx q'a' P" },
};

/* Values of `x=VALUE`. */
static const struct row values[] = {
    { "a*b", "L g u'a*b' = a*b" },
    { "{a,b}", "L  u'{a,b}' = {a,b}" },
    { "~:~u:a", "G t ~'' u':' ~'u' u':a'" },
    { "a:~/b", "G t u'a:' ~'' u'/b'" },
    { "a'~'", "L q u'a' q'~' = a~" },
    { "a':'~", "L q u'a' q':' u'~' = a:~" },
    { "<(a)", "G xu s" },
};

/* Patterns of `case x in PATTERN)`. */
static const struct row patterns[] = {
    { "a", "L  u'a' = a" }, { "a\\*", "L q u'a' q'*' = a*" },
    { "a*", "G g u'a*'" },  { "\"$x\"", "V qx P" },
    { "~", "G t ~''" },     { "{a,b}", "L  u'{a,b}' = {a,b}" },
};

/* Regular expressions of `[[ x =~ REGEX ]]`. */
static const struct row regexes[] = {
    { "^a$", "G  u'^a$'" },         { "a\\.b", "G  u'a\\.b'" },
    { "(a b|c)", "G  u'(a b|c)'" }, { "\"a.b\"", "L q q'a.b' = a.b" },
    { "[]a)]b", "G g u'[]a)]b'" },  { "a|b", "G  u'a|b'" },
    { "a<b", "G  u'a<b'" },         { "a$'x'", "G q u'a' q'x'" },
};

static const struct word *word_of(const struct node *node)
{
    if (node->kind == NODE_CASE)
        return ((const struct node_case *)node)->items[0].patterns[0];
    if (node->kind == NODE_COND)
        return ((const struct node_cond *)node)->cond->b;
    const struct node_simple *simple = (const struct node_simple *)node;
    return simple->arg_count > 1 ? simple->args[1].word : simple->assigns[0].word;
}

static void check_rows(const struct row *rows, size_t count, const char *before, const char *after)
{
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < count; i++) {
        struct str text, s;
        str_init(&text, f.region);
        str_init(&s, f.region);
        str_printf(&text, "%s%s%s", before, rows[i].word, after);
        struct program *program = NULL;
        struct parse_error error;
        if (fixture_parse(&f, str_text(&text), text.len, &program, &error) != PARSE_OK)
            fail_msg("%s: %s", rows[i].word, error.why);
        describe(&s, word_of(program->body->items[0].node));
        if (strcmp(str_text(&s), rows[i].description) != 0)
            fail_msg("%s: %s, not %s", rows[i].word, str_text(&s), rows[i].description);
        program_release(program);
        str_release(&text);
        str_release(&s);
    }
    assert_int_equal(fixture_release(&f), 0);
}

#define CHECK(rows, before, after) check_rows(rows, sizeof(rows) / sizeof *(rows), before, after)

static void test_arguments(void **state)
{
    (void)state;
    CHECK(arguments, "echo ", "");
}

static void test_values(void **state)
{
    (void)state;
    CHECK(values, "x=", "");
}

static void test_patterns(void **state)
{
    (void)state;
    CHECK(patterns, "case x in ", ") a;; esac");
}

static void test_regexes(void **state)
{
    (void)state;
    CHECK(regexes, "[[ x =~ ", " ]]");
}

/* The plain word beside a declared assignment. */
static void test_declared_words(void **state)
{
    (void)state;
    static const char text[] = "typeset a[i]+=x~:~/\"b\"$c";
    struct fixture f;
    fixture_init(&f);
    struct program *program = NULL;
    struct parse_error error;
    assert_int_equal(fixture_parse(&f, text, strlen(text), &program, &error), PARSE_OK);
    const struct node_simple *simple = (const struct node_simple *)program->body->items[0].node;
    assert_true(simple->declaration);
    assert_int_equal(simple->args[1].kind, ARG_ASSIGN);
    assert_true(simple->args[1].assign->append);
    struct str s;
    str_init(&s, f.region);
    describe(&s, simple->args[1].word);
    assert_string_equal(str_text(&s), "G qgxu u'a[i]+=x~:~/' q'b' p");
    str_release(&s);
    program_release(program);
    assert_int_equal(fixture_release(&f), 0);
}

/* NUL bytes in a script are dropped. */
static void test_nul(void **state)
{
    (void)state;
    static const char text[] = "ec\0ho\0 'a\0b' \0 \"\0\" $'\\0' c\\\0 \0\n\0";
    static const char bad[] = "echo ${x\0-y}";
    struct fixture f;
    fixture_init(&f);
    struct str s;
    struct parse_error error;
    str_init(&s, f.region);
    assert_true(fixture_rewrite(&f, bad, sizeof bad - 1, &s, &error));
    assert_string_equal(str_text(&s), "echo ${x-y}\n");
    str_clear(&s);
    assert_true(fixture_rewrite(&f, text, sizeof text - 1, &s, &error));
    assert_string_equal(str_text(&s), "echo 'ab' '' '' c''\n");
    str_release(&s);
    assert_int_equal(fixture_release(&f), 0);
}

/* What stands inside double quotes without them: prompts. */
static void test_dquoted(void **state)
{
    (void)state;
    static const char text[] = "a \"b\" $x 'c' \\$ \\\"";
    struct fixture f;
    fixture_init(&f);
    struct program *program = NULL;
    struct parse_error error;
    assert_int_equal(parse_dquoted(&f.hooks, "PS1", text, strlen(text), &program, &error),
                     PARSE_OK);
    const struct node_simple *simple = (const struct node_simple *)program->body->items[0].node;
    struct str s;
    str_init(&s, f.region);
    describe(&s, simple->args[0].word);
    assert_string_equal(str_text(&s), "G qx q'a \"b\" ' P q' 'c' $ \\\"'");
    str_release(&s);
    program_release(program);
    assert_int_equal(fixture_release(&f), 0);
}

static void test_reserved(void **state)
{
    (void)state;
    assert_true(parse_is_reserved("if", 2));
    assert_true(parse_is_reserved("[[", 2));
    assert_false(parse_is_reserved("iff", 3));
    assert_false(parse_is_reserved("", 0));
    size_t count = 0;
    while (parse_reserved_at(count))
        count++;
    assert_int_equal(count, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),      cmocka_unit_test(test_values),
        cmocka_unit_test(test_patterns),       cmocka_unit_test(test_regexes),
        cmocka_unit_test(test_declared_words), cmocka_unit_test(test_nul),
        cmocka_unit_test(test_dquoted),        cmocka_unit_test(test_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
