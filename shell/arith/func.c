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

struct function {
    const char *name;
    enum shape shape;
    union {
        long double (*f1)(long double);
        long double (*f2)(long double, long double);
        long double (*f3)(long double, long double, long double);
        long double (*int_first)(int, long double);
        long double (*int_second)(long double, int);
    };
};

static long double call_float(long double x)
{
    return x;
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
#define F1(n, f)                                                                                   \
    {                                                                                              \
        .name = n, .shape = SHAPE_1, .f1 = f                                                       \
    }
#define F2(n, f)                                                                                   \
    {                                                                                              \
        .name = n, .shape = SHAPE_2, .f2 = f                                                       \
    }
static const struct function functions[] = {
    F1("abs", fabsl),
    F1("acos", acosl),
    F1("acosh", acoshl),
    F1("asin", asinl),
    F1("asinh", asinhl),
    F1("atan", atanl),
    F2("atan2", atan2l),
    F1("atanh", atanhl),
    F1("cbrt", cbrtl),
    F1("ceil", ceill),
    F2("copysign", copysignl),
    F1("cos", cosl),
    F1("cosh", coshl),
    F1("erf", erfl),
    F1("erfc", erfcl),
    F1("exp", expl),
    F1("exp10", exp10l),
    F1("exp2", exp2l),
    F1("expm1", expm1l),
    F1("fabs", fabsl),
    F2("fdim", fdiml),
    F1("finite", call_isfinite),
    F1("float", call_float),
    F1("floor", floorl),
    { .name = "fma", .shape = SHAPE_3, .f3 = fmal },
    F2("fmax", fmaxl),
    F2("fmin", fminl),
    F2("fmod", fmodl),
    F1("fpclassify", call_fpclassify),
    F2("hypot", hypotl),
    F1("ilogb", call_ilogb),
    F1("int", truncl),
    F1("isfinite", call_isfinite),
    F2("isgreater", call_isgreater),
    F2("isgreaterequal", call_isgreaterequal),
    F1("isinf", call_isinf),
    F2("isless", call_isless),
    F2("islessequal", call_islessequal),
    F2("islessgreater", call_islessgreater),
    F1("isnan", call_isnan),
    F1("isnormal", call_isnormal),
    F1("issubnormal", call_issubnormal),
    F2("isunordered", call_isunordered),
    F1("iszero", call_iszero),
    F1("j0", j0l),
    F1("j1", j1l),
    { .name = "jn", .shape = SHAPE_INT_FIRST, .int_first = jnl },
    { .name = "ldexp", .shape = SHAPE_INT_SECOND, .int_second = ldexpl },
    F1("lgamma", lgammal),
    F1("log", logl),
    F1("log10", log10l),
    F1("log1p", log1pl),
    F1("log2", log2l),
    F1("logb", logbl),
    F1("nearbyint", nearbyintl),
    F2("nextafter", nextafterl),
    F2("nexttoward", nexttowardl),
    F2("pow", powl),
    F2("remainder", remainderl),
    F1("rint", rintl),
    F1("round", roundl),
    { .name = "scalb", .shape = SHAPE_INT_SECOND, .int_second = scalbnl },
    { .name = "scalbn", .shape = SHAPE_INT_SECOND, .int_second = scalbnl },
    F1("signbit", call_signbit),
    F1("sin", sinl),
    F1("sinh", sinhl),
    F1("sqrt", sqrtl),
    F1("tan", tanl),
    F1("tanh", tanhl),
    F1("tgamma", tgammal),
    F1("trunc", truncl),
    F1("y0", y0l),
    F1("y1", y1l),
    { .name = "yn", .shape = SHAPE_INT_FIRST, .int_first = ynl },
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

int arith_function_arity(int function)
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

struct num arith_function_call(int function, const struct num *args)
{
    const struct function *f = &functions[function];
    switch (f->shape) {
    case SHAPE_1:
        return num_float(f->f1(as_float(args[0])));
    case SHAPE_2:
        return num_float(f->f2(as_float(args[0]), as_float(args[1])));
    case SHAPE_3:
        return num_float(f->f3(as_float(args[0]), as_float(args[1]), as_float(args[2])));
    case SHAPE_INT_FIRST:
        return num_float(f->int_first(as_int(args[0]), as_float(args[1])));
    case SHAPE_INT_SECOND:
        return num_float(f->int_second(as_float(args[0]), as_int(args[1])));
    }
    return num_int(0);
}

enum flow arith_function_call_user(struct shell *sh, const struct arith_code *code,
                                   const struct arith_element *element, size_t count,
                                   const struct num *args, struct num *ret)
{
    enum { ARG_MAX_COUNT = 9 };
    struct str name;
    str_init(&name, sh->scratch);
    str_printf(&name, ".sh.math.%.*s", (int)element->len, element->text);
    struct func *func = str_ok(&name) ? func_find(sh, name.data, name.len) : NULL;
    if (!func)
        return arith_fail(sh, code->text, code->len, "unknown function");
    if (count > ARG_MAX_COUNT || !func->node || func->node->parameter_count != count)
        return arith_fail(sh, code->text, code->len, "function has wrong number of arguments");
    const char *argv[ARG_MAX_COUNT + 2] = { name.data };
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
