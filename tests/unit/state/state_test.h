/* Fixture of the state layer's unit tests: a fresh shell, and nothing left of it at the end. */
#ifndef TESTS_STATE_TEST_H
#define TESTS_STATE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/state/frame.h"
#include "shell/state/shell.h"
#include "shell/state/var.h"

/* Arithmetic without the arithmetic layer: one constant with or without a sign, else an error. */
static enum flow test_arith(struct shell *sh, const char *text, size_t len, struct num *ret)
{
    int64_t i;
    long double f;
    bool is_float;
    int base;
    size_t sign = len > 0 && *text == '-';
    if (len > 0 && num_scan(text + sign, len - sign, false, &i, &f, &is_float, &base) != len - sign)
        return shell_fail(sh, ERROR_EXPANSION, 1, text, "arithmetic syntax error");
    *ret = len == 0 ? num_int(0) : is_float ? num_float(sign ? -f : f) : num_int(sign ? -i : i);
    return FLOW_NEXT;
}

static int start_shell(void **state)
{
    struct shell *sh = shell_new();
    if (!sh)
        return -1;
    sh->hooks.arith_text = test_arith;
    *state = sh;
    return 0;
}

static int end_shell(void **state)
{
    return shell_free_counted(*state) == 0 ? 0 : -1;
}

#define state_test(f) cmocka_unit_test_setup_teardown(f, start_shell, end_shell)

static inline struct name *name_of(struct shell *sh, const char *text)
{
    return name_intern(sh, text, strlen(text));
}

static inline struct var_ref ref_of(struct shell *sh, const char *name)
{
    return var_ref_name(name_of(sh, name));
}

static inline struct var_ref key_of(struct shell *sh, const char *name, const char *key)
{
    return (struct var_ref){
        .name = name_of(sh, name), .kind = REF_KEY, .key = key, .key_len = strlen(key)
    };
}

static inline struct var_ref index_of(struct shell *sh, const char *name, int64_t index)
{
    return (struct var_ref){ .name = name_of(sh, name), .kind = REF_INDEX, .index = index };
}

static inline enum flow set(struct shell *sh, const char *name, const char *text)
{
    return var_set_name(sh, name_of(sh, name), text, strlen(text), 0);
}

static inline enum flow set_ref(struct shell *sh, struct var_ref ref, const char *text)
{
    return var_set(sh, &ref, text, strlen(text), 0);
}

static inline enum flow append(struct shell *sh, const char *name, const char *text)
{
    return var_set_name(sh, name_of(sh, name), text, strlen(text), ASSIGN_APPEND);
}

static inline const char *get_ref(struct shell *sh, struct var_ref ref)
{
    const char *text = NULL;
    size_t len;
    assert_int_equal(var_get(sh, &ref, &text, &len), FLOW_NEXT);
    assert_true(!text || strlen(text) == len);
    return text;
}

static inline const char *get(struct shell *sh, const char *name)
{
    return get_ref(sh, ref_of(sh, name));
}

static inline enum flow declare(struct shell *sh, const char *name, uint32_t attrs, int number)
{
    struct var_change change = { .set = attrs, .base = number, .width = number, .local = true };
    return var_declare(sh, name_of(sh, name), &change);
}

/* `typeset -p` of NAME, in scratch. */
static inline const char *printed(struct shell *sh, const char *name)
{
    struct str s;
    str_init(&s, sh->scratch);
    assert_int_equal(var_print(sh, name_of(sh, name), &s, true), FLOW_NEXT);
    return str_text(&s);
}

#define assert_set(...)              assert_int_equal(set(__VA_ARGS__), FLOW_NEXT)
#define assert_value(sh, name, text) assert_string_equal(get(sh, name), text)
#define assert_fails(sh, call, message)                                                            \
    do {                                                                                           \
        assert_int_equal(call, FLOW_ERROR);                                                        \
        assert_string_equal((sh)->err.text, message);                                              \
    } while (0)

#endif
