/* Words as one text, patterns, references, prompt texts, and what they cost. */
#include "shell/expand/build.h"

#include "expand_test.h"

enum kind { KIND_TEXT, KIND_PATTERN, KIND_REGEX };

static const char *text_of(const char *words, enum kind kind)
{
    struct program *program = parse_words(words);
    struct mem_mark mark = mem_region_mark(sh->scratch);
    const struct word *word = program_words(program)->args[1].word;
    const char *text = "";
    size_t len = 0;
    enum flow flow = kind == KIND_TEXT      ? expand_text(sh, word, &text, &len)
                     : kind == KIND_PATTERN ? expand_pattern(sh, word, &text, &len)
                                            : expand_regex(sh, word, &text, &len);
    if (flow == FLOW_NEXT) {
        assert_int_equal(strlen(text), len);
        snprintf(shown, sizeof shown, "%s", text);
    } else {
        snprintf(shown, sizeof shown, "!%s", sh->err.text);
    }
    mem_region_reset(sh->scratch, mark);
    program_release(program);
    return shown;
}

static void test_text(void **state)
{
    (void)state;
    static const char *const params[] = { "a", "", "b" };
    set_params(3, params);
    set("x", "p  q*");
    set("HOME", "/h");
    assert_string_equal(text_of("lit", KIND_TEXT), "lit");
    assert_string_equal(text_of("$x\"$x\"", KIND_TEXT), "p  q*p  q*");
    assert_string_equal(text_of("$@", KIND_TEXT), "a  b");
    assert_string_equal(text_of("${n:-$@}\"\"", KIND_TEXT), "a  b");
    assert_string_equal(text_of("~/*{a,b}", KIND_TEXT), "/h/*{a,b}");
    set("IFS", ":");
    assert_string_equal(text_of("$*", KIND_TEXT), "a::b");
    assert_string_equal(text_of("$@", KIND_TEXT), "a  b");
    assert_string_equal(text_of("\"$@\"", KIND_TEXT), "a  b");
}

static void test_pattern(void **state)
{
    (void)state;
    set("p", "a*[\\]");
    assert_string_equal(text_of("$p\"$p\"\\?*", KIND_PATTERN), "a*[\\]a\\*\\[\\\\\\]\\?*");
    assert_string_equal(text_of("\"a*\"", KIND_PATTERN), "a\\*");
    assert_string_equal(text_of("$p\"a.b(|+\"", KIND_REGEX), "a*[\\]a.b\\(\\|+");
}

static bool matches(const char *words, const char *text)
{
    struct program *program = parse_words(words);
    const struct word *word = program_words(program)->args[1].word;
    struct pattern_use use;
    assert_int_equal(pattern_use_word(sh, word, &use), FLOW_NEXT);
    bool matched = pattern_use_matches(&use, text, strlen(text));
    pattern_use_release(&use);
    program_release(program);
    return matched;
}

static void test_matches(void **state)
{
    (void)state;
    set("p", "a*");
    assert_true(matches("a*", "abc"));
    assert_false(matches("\"a*\"", "abc"));
    assert_true(matches("\"a*\"", "a*"));
    assert_true(matches("$p", "abc"));
    assert_false(matches("\"$p\"", "abc"));
    assert_true(matches("@(x|abc)", "abc"));
}

static void test_refs(void **state)
{
    (void)state;
    static const char *const pairs[] = { "k 1", "v", NULL };
    set_assoc("A", pairs);
    set("i", "2");
    struct var_ref ref;
    bool ok = false;
    assert_int_equal(expand_ref_text(sh, "plain", 5, &ref, &ok), FLOW_NEXT);
    assert_true(ok);
    assert_int_equal(ref.kind, REF_SCALAR);
    assert_int_equal(expand_ref_text(sh, "a[i*3+1]", 8, &ref, &ok), FLOW_NEXT);
    assert_int_equal(ref.kind, REF_INDEX);
    assert_int_equal(ref.index, 7);
    assert_int_equal(expand_ref_text(sh, "A[k 1]", 6, &ref, &ok), FLOW_NEXT);
    assert_int_equal(ref.kind, REF_KEY);
    assert_string_equal(ref.key, "k 1");
    assert_int_equal(expand_ref_text(sh, "a[@]", 4, &ref, &ok), FLOW_NEXT);
    assert_int_equal(ref.kind, REF_ALL);
    assert_int_equal(expand_ref_text(sh, "1x", 2, &ref, &ok), FLOW_NEXT);
    assert_false(ok);
}

static void check_string(const char *text, const char *want)
{
    const char *got;
    size_t len;
    assert_int_equal(expand_string(sh, text, strlen(text), &got, &len), FLOW_NEXT);
    assert_string_equal(got, want);
}

static void test_strings(void **state)
{
    (void)state;
    set("x", "v  w");
    for (int i = 0; i < 3; i++) {
        check_string("plain", "plain");
        check_string("[$x] ${x#v}", "[v  w]   w");
        check_string("$(print out) \\$x", "out $x");
        check_string("+$((1+1))", "+2");
        check_string("1$x", "1v  w");
        check_string("2$x", "2v  w");
    }
}

/* A warm word that is built from pieces costs nothing but scratch. */
static void test_no_heap(void **state)
{
    (void)state;
    set("i", "line");
    set("k", "1");
    struct program *program = parse_words("\"$i$((k++))\" \"$i\" lit ${i##*/} x$i");
    const struct node_simple *node = program_words(program);
    uint64_t before = 0;
    for (int round = 0; round < 3; round++) {
        struct mem_stats stats;
        struct mem_mark mark = mem_region_mark(sh->scratch);
        struct fields fields;
        mem_region_stats(sh->heap, &stats);
        before = stats.alloc_count;
        fields_init(&fields);
        sh->program = program;
        for (uint32_t i = 1; i < node->arg_count; i++)
            assert_int_equal(expand_fields(sh, node->args[i].word, &fields), FLOW_NEXT);
        sh->program = NULL;
        mem_region_stats(sh->heap, &stats);
        if (round == 2)
            assert_int_equal(stats.alloc_count - before, 0);
        mem_region_reset(sh->scratch, mark);
    }
    program_release(program);
}

/* A long list costs its texts and its pointers, not twice. */
static void test_compact_list(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct var_ref ref = { .name = name_intern(sh, "a", 1), .kind = REF_INDEX };
    for (; ref.index < COUNT; ref.index++)
        assert_int_equal(var_set(sh, &ref, "elevenbytes", 11, 0), FLOW_NEXT);
    struct program *program = parse_words("\"${a[@]}\"");
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct mem_stats before, after;
    struct fields fields;
    fields_init(&fields);
    mem_region_stats(sh->scratch, &before);
    assert_int_equal(expand_fields(sh, program_words(program)->args[1].word, &fields), FLOW_NEXT);
    mem_region_stats(sh->scratch, &after);
    assert_int_equal(fields.count, COUNT);
    assert_true(after.busy_bytes - before.busy_bytes < COUNT * (12 + 8) + COUNT);
    mem_region_reset(sh->scratch, mark);
    program_release(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pattern, setup, teardown),
        cmocka_unit_test_setup_teardown(test_matches, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_heap, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compact_list, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
