/*
 * Math functions: one sorted table, and the functions a script defines as .sh.math.NAME.
 *
 * All take long doubles and give one, as in ksh93 (`int(7.5)/2` is 3.5); those that answer a
 * question or an exponent give whole numbers, and classifications give 1 or 0.
 */
#include <math.h>
#include <string.h>

#include "shell/arith/code.h"
#include "shell/state/func.h"

enum shape { SHAPE_1, SHAPE_2, SHAPE_3, SHAPE_INT_FIRST, SHAPE_INT_SECOND };

union code {
    long double (*f1)(long double);
    long double (*f2)(long double, long double);
    long double (*f3)(long double, long double, long double);
    long double (*int_first)(int, long double);
    long double (*int_second)(long double, int);
};

struct function {
    const char *name;
    enum shape shape;
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
    return ilogbl(x);
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

/* Sorted by name. */
static const struct function functions[] = {
    { "abs", SHAPE_1, { .f1 = fabsl } },
    { "acos", SHAPE_1, { .f1 = acosl } },
    { "acosh", SHAPE_1, { .f1 = acoshl } },
    { "asin", SHAPE_1, { .f1 = asinl } },
    { "asinh", SHAPE_1, { .f1 = asinhl } },
    { "atan", SHAPE_1, { .f1 = atanl } },
    { "atan2", SHAPE_2, { .f2 = atan2l } },
    { "atanh", SHAPE_1, { .f1 = atanhl } },
    { "cbrt", SHAPE_1, { .f1 = cbrtl } },
    { "ceil", SHAPE_1, { .f1 = ceill } },
    { "copysign", SHAPE_2, { .f2 = copysignl } },
    { "cos", SHAPE_1, { .f1 = cosl } },
    { "cosh", SHAPE_1, { .f1 = coshl } },
    { "erf", SHAPE_1, { .f1 = erfl } },
    { "erfc", SHAPE_1, { .f1 = erfcl } },
    { "exp", SHAPE_1, { .f1 = expl } },
    { "exp10", SHAPE_1, { .f1 = exp10l } },
    { "exp2", SHAPE_1, { .f1 = exp2l } },
    { "expm1", SHAPE_1, { .f1 = expm1l } },
    { "fabs", SHAPE_1, { .f1 = fabsl } },
    { "fdim", SHAPE_2, { .f2 = fdiml } },
    { "finite", SHAPE_1, { .f1 = call_isfinite } },
    { "float", SHAPE_1, { .f1 = call_float } },
    { "floor", SHAPE_1, { .f1 = floorl } },
    { "fma", SHAPE_3, { .f3 = fmal } },
    { "fmax", SHAPE_2, { .f2 = fmaxl } },
    { "fmin", SHAPE_2, { .f2 = fminl } },
    { "fmod", SHAPE_2, { .f2 = fmodl } },
    { "fpclassify", SHAPE_1, { .f1 = call_fpclassify } },
    { "hypot", SHAPE_2, { .f2 = hypotl } },
    { "ilogb", SHAPE_1, { .f1 = call_ilogb } },
    { "int", SHAPE_1, { .f1 = call_int } },
    { "isfinite", SHAPE_1, { .f1 = call_isfinite } },
    { "isgreater", SHAPE_2, { .f2 = call_isgreater } },
    { "isgreaterequal", SHAPE_2, { .f2 = call_isgreaterequal } },
    { "isinf", SHAPE_1, { .f1 = call_isinf } },
    { "isless", SHAPE_2, { .f2 = call_isless } },
    { "islessequal", SHAPE_2, { .f2 = call_islessequal } },
    { "islessgreater", SHAPE_2, { .f2 = call_islessgreater } },
    { "isnan", SHAPE_1, { .f1 = call_isnan } },
    { "isnormal", SHAPE_1, { .f1 = call_isnormal } },
    { "issubnormal", SHAPE_1, { .f1 = call_issubnormal } },
    { "isunordered", SHAPE_2, { .f2 = call_isunordered } },
    { "iszero", SHAPE_1, { .f1 = call_iszero } },
    { "j0", SHAPE_1, { .f1 = j0l } },
    { "j1", SHAPE_1, { .f1 = j1l } },
    { "jn", SHAPE_INT_FIRST, { .int_first = jnl } },
    { "ldexp", SHAPE_INT_SECOND, { .int_second = ldexpl } },
    { "lgamma", SHAPE_1, { .f1 = lgammal } },
    { "log", SHAPE_1, { .f1 = logl } },
    { "log10", SHAPE_1, { .f1 = log10l } },
    { "log1p", SHAPE_1, { .f1 = log1pl } },
    { "log2", SHAPE_1, { .f1 = log2l } },
    { "logb", SHAPE_1, { .f1 = logbl } },
    { "nearbyint", SHAPE_1, { .f1 = nearbyintl } },
    { "nextafter", SHAPE_2, { .f2 = nextafterl } },
    { "nexttoward", SHAPE_2, { .f2 = nexttowardl } },
    { "pow", SHAPE_2, { .f2 = powl } },
    { "remainder", SHAPE_2, { .f2 = remainderl } },
    { "rint", SHAPE_1, { .f1 = rintl } },
    { "round", SHAPE_1, { .f1 = roundl } },
    { "scalb", SHAPE_INT_SECOND, { .int_second = scalbnl } },
    { "scalbn", SHAPE_INT_SECOND, { .int_second = scalbnl } },
    { "signbit", SHAPE_1, { .f1 = call_signbit } },
    { "sin", SHAPE_1, { .f1 = sinl } },
    { "sinh", SHAPE_1, { .f1 = sinhl } },
    { "sqrt", SHAPE_1, { .f1 = sqrtl } },
    { "tan", SHAPE_1, { .f1 = tanl } },
    { "tanh", SHAPE_1, { .f1 = tanhl } },
    { "tgamma", SHAPE_1, { .f1 = tgammal } },
    { "trunc", SHAPE_1, { .f1 = truncl } },
    { "y0", SHAPE_1, { .f1 = y0l } },
    { "y1", SHAPE_1, { .f1 = y1l } },
    { "yn", SHAPE_INT_FIRST, { .int_first = ynl } },
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

static struct num function_call(int function, const struct num *args)
{
    union code code = functions[function].code;
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
