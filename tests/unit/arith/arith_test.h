/* What the tests of arithmetic share: a shell, and expression -> text, errors as !message. */
#ifndef TEST_ARITH_TEST_H
#define TEST_ARITH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/arith/arith.h"
#include "shell/exec/exec.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

struct check {
    const char *expression, *want;
};

static struct shell *sh;
static struct str shown;

static int setup(void **state)
{
    (void)state;
    sh = shell_new();
    if (!sh || exec_init(sh) != FLOW_NEXT)
        return -1;
    str_init(&shown, sh->heap);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    str_release(&shown);
    exec_release(sh);
    shell_free(sh);
    return 0;
}

static const char *eval(const char *expression)
{
    struct num n;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    str_clear(&shown);
    if (arith_eval(sh, expression, strlen(expression), &n) == FLOW_NEXT)
        arith_format(&shown, n);
    else
        str_printf(&shown, "!%s", sh->err.text);
    mem_region_reset(sh->scratch, mark);
    return str_text(&shown);
}

static inline void set(const char *name, const char *value)
{
    assert_int_equal(var_set_text(sh, name, value), FLOW_NEXT);
}

static inline const char *get(const char *name)
{
    const char *text = var_text(sh, name);
    return text ? text : "(unset)";
}

#define RUN(checks)                                                                                \
    for (size_t i_ = 0; i_ < sizeof(checks) / sizeof *(checks); i_++)                              \
    assert_string_equal(eval((checks)[i_].expression), (checks)[i_].want)

#endif
