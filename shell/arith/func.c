/*
 * Math functions: one sorted table, and the functions a script defines as .sh.math.NAME.
 *
 * All take long doubles and give one, as in ksh93 (`int(7.5)/2` is 3.5); those that answer a
 * question or an exponent give whole numbers, and classifications give 1 or 0.
 */
#include <math.h>
#include <string.h>

#include "shell/arith/code.h"
#include "shell/base/mathlib.h"
#include "shell/state/func.h"

enum shape { SHAPE_1, SHAPE_2, SHAPE_3, SHAPE_INT_FIRST, SHAPE_INT_SECOND };

union code {
    long double (*f1)(long double);
    long double (*f2)(long double, long double);
    long double (*f3)(long double, long double, long double);
    long double (*int_first)(int, long double);
    long double (*int_second)(long double, int);
    void *address;
};

struct function {
    const char *name;
    enum shape shape;
    const char *symbol; /* in libm; NULL: code is our own */
    union code code;
};

static long double call_float(long double x)
{
    return x;
}
/* A whole number has no negative zero. */
static long double call_int(long double x)
{
    static const long double limit = 9223372036854775808.0L; /* from there all numbers are whole */
    return x > -limit && x < limit ? (long double)(int64_t)x : x;
}
static long double call_ilogb(long double x)
{
    static int (*function)(long double);
    if (!function)
        *(void **)&function = mathlib_find("ilogbl");
    return function(x);
}
static long double call_fpclassify(long double x)
{
    return fpclassify(x);
}
static long double call_isfinite(long double x)
{
    return isfinite(x) != 0;
}
static long double call_isinf(long double x)
{
    return isinf(x) != 0;
}
static long double call_isnan(long double x)
{
    return isnan(x) != 0;
}
static long double call_isnormal(long double x)
{
    return isnormal(x) != 0;
}
static long double call_issubnormal(long double x)
{
    return fpclassify(x) == FP_SUBNORMAL;
}
static long double call_iszero(long double x)
{
    return fpclassify(x) == FP_ZERO;
}
static long double call_signbit(long double x)
{
    return signbit(x) != 0;
}
static long double call_isgreater(long double x, long double y)
{
    return isgreater(x, y);
}
static long double call_isgreaterequal(long double x, long double y)
{
    return isgreaterequal(x, y);
}
static long double call_isless(long double x, long double y)
{
    return isless(x, y);
}
static long double call_islessequal(long double x, long double y)
{
    return islessequal(x, y);
}
static long double call_islessgreater(long double x, long double y)
{
    return islessgreater(x, y);
}
static long double call_isunordered(long double x, long double y)
{
    return isunordered(x, y);
}

#define LIBM(n, kind, f)                                                                           \
    {                                                                                              \
        .name = n, .shape = kind, .symbol = f                                                      \
    }
#define OWN1(n, f)                                                                                 \
    {                                                                                              \
        .name = n, .shape = SHAPE_1, .code = {.f1 = f }                                            \
    }
#define OWN2(n, f)                                                                                 \
    {                                                                                              \
        .name = n, .shape = SHAPE_2, .code = {.f2 = f }                                            \
    }
/* Sorted by name. */
static const struct function functions[] = {
    LIBM("abs", SHAPE_1, "fabsl"),
    LIBM("acos", SHAPE_1, "acosl"),
    LIBM("acosh", SHAPE_1, "acoshl"),
    LIBM("asin", SHAPE_1, "asinl"),
    LIBM("asinh", SHAPE_1, "asinhl"),
    LIBM("atan", SHAPE_1, "atanl"),
    LIBM("atan2", SHAPE_2, "atan2l"),
    LIBM("atanh", SHAPE_1, "atanhl"),
    LIBM("cbrt", SHAPE_1, "cbrtl"),
    LIBM("ceil", SHAPE_1, "ceill"),
    LIBM("copysign", SHAPE_2, "copysignl"),
    LIBM("cos", SHAPE_1, "cosl"),
    LIBM("cosh", SHAPE_1, "coshl"),
    LIBM("erf", SHAPE_1, "erfl"),
    LIBM("erfc", SHAPE_1, "erfcl"),
    LIBM("exp", SHAPE_1, "expl"),
    LIBM("exp10", SHAPE_1, "exp10l"),
    LIBM("exp2", SHAPE_1, "exp2l"),
    LIBM("expm1", SHAPE_1, "expm1l"),
    LIBM("fabs", SHAPE_1, "fabsl"),
    LIBM("fdim", SHAPE_2, "fdiml"),
    OWN1("finite", call_isfinite),
    OWN1("float", call_float),
    LIBM("floor", SHAPE_1, "floorl"),
    LIBM("fma", SHAPE_3, "fmal"),
    LIBM("fmax", SHAPE_2, "fmaxl"),
    LIBM("fmin", SHAPE_2, "fminl"),
    LIBM("fmod", SHAPE_2, "fmodl"),
    OWN1("fpclassify", call_fpclassify),
    LIBM("hypot", SHAPE_2, "hypotl"),
    OWN1("ilogb", call_ilogb),
    OWN1("int", call_int),
    OWN1("isfinite", call_isfinite),
    OWN2("isgreater", call_isgreater),
    OWN2("isgreaterequal", call_isgreaterequal),
    OWN1("isinf", call_isinf),
    OWN2("isless", call_isless),
    OWN2("islessequal", call_islessequal),
    OWN2("islessgreater", call_islessgreater),
    OWN1("isnan", call_isnan),
    OWN1("isnormal", call_isnormal),
    OWN1("issubnormal", call_issubnormal),
    OWN2("isunordered", call_isunordered),
    OWN1("iszero", call_iszero),
    LIBM("j0", SHAPE_1, "j0l"),
    LIBM("j1", SHAPE_1, "j1l"),
    LIBM("jn", SHAPE_INT_FIRST, "jnl"),
    LIBM("ldexp", SHAPE_INT_SECOND, "ldexpl"),
    LIBM("lgamma", SHAPE_1, "lgammal"),
    LIBM("log", SHAPE_1, "logl"),
    LIBM("log10", SHAPE_1, "log10l"),
    LIBM("log1p", SHAPE_1, "log1pl"),
    LIBM("log2", SHAPE_1, "log2l"),
    LIBM("logb", SHAPE_1, "logbl"),
    LIBM("nearbyint", SHAPE_1, "nearbyintl"),
    LIBM("nextafter", SHAPE_2, "nextafterl"),
    LIBM("nexttoward", SHAPE_2, "nexttowardl"),
    LIBM("pow", SHAPE_2, "powl"),
    LIBM("remainder", SHAPE_2, "remainderl"),
    LIBM("rint", SHAPE_1, "rintl"),
    LIBM("round", SHAPE_1, "roundl"),
    LIBM("scalb", SHAPE_INT_SECOND, "scalbnl"),
    LIBM("scalbn", SHAPE_INT_SECOND, "scalbnl"),
    OWN1("signbit", call_signbit),
    LIBM("sin", SHAPE_1, "sinl"),
    LIBM("sinh", SHAPE_1, "sinhl"),
    LIBM("sqrt", SHAPE_1, "sqrtl"),
    LIBM("tan", SHAPE_1, "tanl"),
    LIBM("tanh", SHAPE_1, "tanhl"),
    LIBM("tgamma", SHAPE_1, "tgammal"),
    LIBM("trunc", SHAPE_1, "truncl"),
    LIBM("y0", SHAPE_1, "y0l"),
    LIBM("y1", SHAPE_1, "y1l"),
    LIBM("yn", SHAPE_INT_FIRST, "ynl"),
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

int arith_function_find(const char *name, size_t len)
{
    int low = 0, high = FUNCTION_COUNT;
    while (low < high) {
        int middle = (low + high) / 2;
        int order = text_compare(name, len, functions[middle].name, strlen(functions[middle].name));
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

static int function_arity(int function)
{
    switch (functions[function].shape) {
    case SHAPE_1:
        return 1;
    case SHAPE_3:
        return 3;
    default:
        return 2;
    }
}

const char *arith_function_at(size_t index)
{
    return index < FUNCTION_COUNT ? functions[index].name : NULL;
}

static long double as_float(struct num n)
{
    return n.is_float ? n.f : (long double)n.i;
}

static int as_int(struct num n)
{
    int64_t i = num_to_int(n);
    return i > INT32_MAX ? INT32_MAX : i < INT32_MIN ? INT32_MIN : (int)i;
}

/* What to call for a row of the table; the answer is kept. */
static union code function_code(int function)
{
    static union code found[FUNCTION_COUNT];
    if (!functions[function].symbol)
        return functions[function].code;
    if (!found[function].address)
        found[function].address = mathlib_find(functions[function].symbol);
    return found[function];
}

static struct num function_call(int function, const struct num *args)
{
    union code code = function_code(function);
    switch (functions[function].shape) {
    case SHAPE_1:
        return num_float(code.f1(as_float(args[0])));
    case SHAPE_2:
        return num_float(code.f2(as_float(args[0]), as_float(args[1])));
    case SHAPE_3:
        return num_float(code.f3(as_float(args[0]), as_float(args[1]), as_float(args[2])));
    case SHAPE_INT_FIRST:
        return num_float(code.int_first(as_int(args[0]), as_float(args[1])));
    case SHAPE_INT_SECOND:
        return num_float(code.int_second(as_float(args[0]), as_int(args[1])));
    }
    return num_int(0);
}

/* The function that a script defined as .sh.math.NAME; NULL: there is none, or no memory to look.
 */
static struct func *user_function(struct shell *sh, const char *name, size_t len)
{
    struct str full;
    str_init(&full, sh->scratch);
    str_printf(&full, MATH_PREFIX "%.*s", (int)len, name);
    return str_ok(&full) ? func_find(sh, full.data, full.len) : NULL;
}

static enum flow call_user(struct shell *sh, const struct arith_code *code, struct func *func,
                           size_t count, const struct num *args, struct num *ret)
{
    enum { ARG_MAX_COUNT = 9 };
    if (count > ARG_MAX_COUNT || !func->node || func->node->parameter_count != count)
        return arith_fail(sh, code->text, code->len, "function has wrong number of arguments");
    const char *argv[ARG_MAX_COUNT + 2] = { func->name->text };
    struct str texts[ARG_MAX_COUNT];
    for (size_t i = 0; i < count; i++) {
        str_init(&texts[i], sh->scratch);
        arith_format(&texts[i], args[i]);
        if (!str_ok(&texts[i]))
            return shell_fail_memory(sh, texts[i].len);
        argv[i + 1] = texts[i].data;
    }
    struct name *value = name_intern(sh, ".sh.value", 9);
    if (!value)
        return shell_fail_memory(sh, sizeof *value);
    struct var_change change = {
        .set = VAR_EXPONENT | VAR_LONG, .base = -1, .width = 18, .global = true
    };
    TRY(var_declare(sh, value, &change));
    TRY(var_set_name(sh, value, "0", 1, ASSIGN_FORCE));
    uint32_t level = sh->arith_level;
    sh->arith_level = 0;
    enum flow flow = sh->hooks.call_function(sh, func, count + 1, argv);
    sh->arith_level = level;
    TRY(flow);
    struct var_ref ref = var_ref_name(value);
    return var_get_num(sh, &ref, ret);
}

enum flow arith_function_call_user(struct shell *sh, const struct arith_code *code,
                                   const struct arith_element *element, size_t count,
                                   const struct num *args, struct num *ret)
{
    struct func *func = user_function(sh, element->text, element->len);
    if (!func)
        return arith_fail(sh, code->text, code->len, "unknown function");
    return call_user(sh, code, func, count, args, ret);
}

enum flow arith_function_run(struct shell *sh, const struct arith_code *code, int function,
                             size_t count, struct num *args)
{
    const char *name = functions[function].name;
    struct func *func = sh->math_functions ? user_function(sh, name, strlen(name)) : NULL;
    if (func)
        return call_user(sh, code, func, count, args, args);
    if ((size_t)function_arity(function) != count)
        return arith_fail(sh, code->text, code->len, "function has wrong number of arguments");
    *args = function_call(function, args);
    return FLOW_NEXT;
}
