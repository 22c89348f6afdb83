/*
 * test and [: conditions over words.
 *
 * With up to four words POSIX tells by their number what they mean, so that no operand can be taken
 * for an operator; that comes first. Anything longer is read by the grammar or: and {-o and} and:
 * primary {-a primary}      primary: ! primary | ( or ) | a OP b | -X a | a The operators
 * themselves are those of [[ ]] (shell/exec/exec.h); numbers are arithmetic expressions, as in
 * ksh93, but in the POSIX mode decimal integers. What cannot be understood is an error with
 * status 2. Nothing is allocated.
 */
#include <errno.h>
#include <string.h>

#include "builtins/builtin.h"
#include "shell/base/match.h"
#include "shell/exec/exec.h"
#include "shell/state/option.h"
#include "shell/state/special.h"

struct test {
    struct shell *sh;
    const char *name; /* for messages */
    const char *const *argv;
    size_t next, count;
    uint32_t depth;
};
enum { NESTING_MAX = 1000 };

static enum flow test_fail(struct test *t, const char *what, const char *why)
{
    if (!what)
        return shell_fail(t->sh, ERROR_BUILTIN, 2, t->name, "%s", why);
    return shell_fail(t->sh, ERROR_BUILTIN, 2, t->name, "%s: %s", what, why);
}

enum { TEST_NONE = -1, TEST_EQUAL = -2, TEST_UNEQUAL = -3, TEST_AND = -4, TEST_OR = -5 };

/* The binary operator TEXT: enum cond_op, or one of the above. */
static int binary_op(const char *text)
{
    static const struct {
        char name[4];
        int op;
    } table[] = {
        { "-eq", COND_EQ }, { "-ne", COND_NE }, { "-lt", COND_LT }, { "-le", COND_LE },
        { "-gt", COND_GT }, { "-ge", COND_GE }, { "-nt", COND_NT }, { "-ot", COND_OT },
        { "-ef", COND_EF }, { "-a", TEST_AND }, { "-o", TEST_OR },
    };
    switch (*text) {
    case '=':
        if (!text[1] || (text[1] == '=' && !text[2]))
            return TEST_EQUAL;
        return text[1] == '~' && !text[2] ? COND_REGEX : TEST_NONE;
    case '!':
        return text[1] == '=' && !text[2] ? TEST_UNEQUAL : TEST_NONE;
    case '<':
        return text[1] ? TEST_NONE : COND_LESS;
    case '>':
        return text[1] ? TEST_NONE : COND_GREATER;
    case '-':
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            if (strcmp(table[i].name, text) == 0)
                return table[i].op;
        }
        return TEST_NONE;
    default:
        return TEST_NONE;
    }
}

static bool is_word(const char *text, char c)
{
    return text[0] == c && !text[1];
}

/* The letter of a unary operator; 0: TEXT is none. */
static char unary_op(const char *text)
{
    return text[0] == '-' && text[1] && !text[2] ? text[1] : '\0';
}

static enum flow regex_test(struct test *t, const char *text, const char *regex, bool *ret)
{
    struct shell *sh = t->sh;
    struct match_span spans[MATCH_CAPTURE_MAX];
    size_t len = strlen(text);
    struct pattern *pattern = pattern_compile(sh->heap, regex, strlen(regex), PATTERN_REGEX);
    if (!pattern) {
        const char *why = pattern_error(errno);
        return why ? test_fail(t, regex, why) : shell_fail_memory(sh, 0);
    }
    size_t count = pattern_search(pattern, text, len, 0, spans, MATCH_CAPTURE_MAX);
    pattern_free(pattern);
    *ret = count > 0;
    return count ? special_set_match(sh, text, len, spans, count) : FLOW_NEXT;
}

/* POSIX: nothing but decimal integers. */
static enum flow integer_test(struct test *t, enum cond_op op, const char *a, const char *b,
                              bool *ret)
{
    int64_t x, y;
    if (!num_parse_int(a, strlen(a), &x))
        return test_fail(t, a, "not an integer");
    if (!num_parse_int(b, strlen(b), &y))
        return test_fail(t, b, "not an integer");
    *ret = test_number_relation(op, num_int(x), num_int(y));
    return FLOW_NEXT;
}

static enum flow binary_test(struct test *t, const char *a, int op, const char *b, bool *ret)
{
    enum flow flow;
    switch (op) {
    case TEST_EQUAL:
        *ret = strcmp(a, b) == 0;
        return FLOW_NEXT;
    case TEST_UNEQUAL:
        *ret = strcmp(a, b) != 0;
        return FLOW_NEXT;
    case TEST_AND:
        *ret = *a && *b;
        return FLOW_NEXT;
    case TEST_OR:
        *ret = *a || *b;
        return FLOW_NEXT;
    case COND_LESS:
        *ret = strcoll(a, b) < 0;
        return FLOW_NEXT;
    case COND_GREATER:
        *ret = strcoll(a, b) > 0;
        return FLOW_NEXT;
    case COND_REGEX:
        return regex_test(t, a, b, ret);
    case COND_NT:
    case COND_OT:
    case COND_EF:
        return test_file_compare(t->sh, (enum cond_op)op, a, b, ret);
    default:
        if (option_on(t->sh, OPTION_POSIX))
            return integer_test(t, (enum cond_op)op, a, b, ret);
        flow = test_number_compare(t->sh, (enum cond_op)op, a, strlen(a), b, strlen(b), ret);
        if (flow == FLOW_ERROR && t->sh->err.kind == ERROR_EXPANSION)
            t->sh->err.status = 2;
        return flow;
    }
}

static enum flow unary_test(struct test *t, const char *op, const char *text, bool *ret)
{
    if (!unary_op(op) || !strchr("abcdefghknoprstuvwxzCGLNORS", unary_op(op)))
        return test_fail(t, op, "unknown operator");
    return test_unary(t->sh, unary_op(op), text, ret);
}

/* ---- the grammar ---- */

static const char *peek(const struct test *t, size_t ahead)
{
    return t->next + ahead < t->count ? t->argv[t->next + ahead] : NULL;
}

static enum flow or_test(struct test *t, bool *ret);

static enum flow group_test(struct test *t, bool *ret)
{
    if (++t->depth > NESTING_MAX)
        return test_fail(t, NULL, "nested too deep");
    t->next++;
    TRY(or_test(t, ret));
    const char *close = peek(t, 0);
    if (!close || !is_word(close, ')'))
        return test_fail(t, NULL, "')' missing");
    t->next++;
    t->depth--;
    return FLOW_NEXT;
}

/* Ends an operand list: nothing, ), -a, -o. */
static bool is_end(const char *word)
{
    return !word || is_word(word, ')') || binary_op(word) == TEST_AND || binary_op(word) == TEST_OR;
}

static enum flow operand_test(struct test *t, bool *ret)
{
    const char *word = peek(t, 0), *second = peek(t, 1), *third = peek(t, 2);
    if (!word)
        return test_fail(t, NULL, "argument expected");
    int op = second ? binary_op(second) : TEST_NONE;
    if (op != TEST_NONE && op != TEST_AND && op != TEST_OR) {
        if (!third)
            return test_fail(t, NULL, "argument expected");
        t->next += 3;
        return binary_test(t, word, op, third, ret);
    }
    if (is_word(word, '(') && second)
        return group_test(t, ret);
    if (unary_op(word) && second && (!is_end(second) || (third && is_end(third)))) {
        t->next += 2;
        return unary_test(t, word, second, ret);
    }
    if (unary_op(word) == 't' && !word[2]) {
        t->next++;
        return test_unary(t->sh, 't', "1", ret);
    }
    t->next++;
    *ret = *word != '\0';
    return FLOW_NEXT;
}

static enum flow primary_test(struct test *t, bool *ret)
{
    bool inverted = false;
    for (;;) {
        const char *word = peek(t, 0), *second = peek(t, 1);
        if (!word || !second || !is_word(word, '!'))
            break;
        int op = binary_op(second);
        if (op != TEST_NONE && op != TEST_AND && op != TEST_OR && peek(t, 2))
            break; /* `! = x` */
        inverted = !inverted;
        t->next++;
    }
    TRY(operand_test(t, ret));
    *ret = *ret != inverted;
    return FLOW_NEXT;
}

/* Both sides of -a and -o are looked at, so that an error on the right is seen, as in ksh93. */
static enum flow and_test(struct test *t, bool *ret)
{
    TRY(primary_test(t, ret));
    for (const char *word; (word = peek(t, 0)) && binary_op(word) == TEST_AND;) {
        bool right;
        t->next++;
        TRY(primary_test(t, &right));
        *ret = *ret && right;
    }
    return FLOW_NEXT;
}

static enum flow or_test(struct test *t, bool *ret)
{
    TRY(and_test(t, ret));
    for (const char *word; (word = peek(t, 0)) && binary_op(word) == TEST_OR;) {
        bool right;
        t->next++;
        TRY(and_test(t, &right));
        *ret = *ret || right;
    }
    return FLOW_NEXT;
}

static enum flow grammar_test(struct test *t, bool *ret)
{
    TRY(or_test(t, ret));
    const char *rest = peek(t, 0);
    if (!rest)
        return FLOW_NEXT;
    return test_fail(t, rest, "unknown operator");
}

/* ---- by the number of words ---- */

static enum flow two_words(struct test *t, const char *const *w, bool *ret)
{
    if (is_word(w[0], '!')) {
        *ret = *w[1] == '\0';
        return FLOW_NEXT;
    }
    if (unary_op(w[0]))
        return unary_test(t, w[0], w[1], ret);
    return test_fail(t, NULL, "argument expected");
}

static enum flow three_words(struct test *t, const char *const *w, bool *ret)
{
    int op = binary_op(w[1]);
    if (op != TEST_NONE)
        return binary_test(t, w[0], op, w[2], ret);
    if (is_word(w[0], '!')) {
        TRY(two_words(t, w + 1, ret));
        *ret = !*ret;
        return FLOW_NEXT;
    }
    if (is_word(w[0], '(') && is_word(w[2], ')')) {
        *ret = *w[1] != '\0';
        return FLOW_NEXT;
    }
    return grammar_test(t, ret);
}

static enum flow words_test(struct test *t, bool *ret)
{
    const char *const *w = t->argv + t->next;
    switch (t->count - t->next) {
    case 0:
        *ret = false;
        return FLOW_NEXT;
    case 1:
        *ret = *w[0] != '\0';
        return FLOW_NEXT;
    case 2:
        return two_words(t, w, ret);
    case 3:
        return three_words(t, w, ret);
    case 4:
        if (is_word(w[0], '!')) {
            t->next++;
            TRY(three_words(t, w + 1, ret));
            *ret = !*ret;
            return FLOW_NEXT;
        }
        if (is_word(w[0], '(') && is_word(w[3], ')'))
            return two_words(t, w + 1, ret);
        return grammar_test(t, ret);
    default:
        return grammar_test(t, ret);
    }
}

static enum flow test_run(struct shell *sh, struct args *args)
{
    struct test t = {
        .sh = sh, .name = args->argv[0], .argv = args->argv, .next = 1, .count = args->count
    };
    bool result = false;
    enum flow flow;
    if (t.count >= 3 && strcmp(t.argv[2], "--") == 0 && t.argv[1][0] == '-' &&
        t.count == 3 + (size_t)is_word(args->spec->name, '[') &&
        builtin_help(sh, args, t.argv[1], &flow))
        return flow;
    if (is_word(args->spec->name, '[')) {
        if (t.count < 2 || !is_word(t.argv[t.count - 1], ']'))
            return test_fail(&t, NULL, "']' missing");
        t.count--;
    }
    TRY(words_test(&t, &result));
    sh->status = !result;
    return FLOW_NEXT;
}

static const char doc[] = "Status 0 when the condition is true, 1 when it is false, 2 when it is "
                          "not understood. Strings: -n, -z, =, ==, !=, "
                          "<, >, =~. Numbers, which may be arithmetic expressions: -eq -ne -lt -le "
                          "-gt -ge. Files: -a -b -c -d -e -f -g -h -k "
                          "-p -r -s -u -w -x -G -L -N -O -S, and -nt -ot -ef between two. -o "
                          "option, -t descriptor, -v variable, -R nameref. "
                          "Conditions are joined by ! ( ) -a -o.";

const struct builtin_spec test_spec = {
    .name = "test",
    .flags = BUILTIN_RAW,
    .usage = "[condition]",
    .summary = "evaluate a condition",
    .doc = doc,
    .run = test_run,
};

const struct builtin_spec bracket_spec = {
    .name = "[",
    .flags = BUILTIN_RAW,
    .usage = "[condition] ]",
    .summary = "evaluate a condition",
    .doc = doc,
    .run = test_run,
};
