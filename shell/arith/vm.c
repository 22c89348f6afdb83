/*
 * Runs arithmetic bytecode.
 *
 * Integers stay integers while they fit 64 bits; what overflows goes on as a long double, as in
 * ksh93. A variable that holds an integer is read and written in place, without making text and
 * without a call; everything else (texts, attributes, specials, namerefs, arrays, journaled writes)
 * goes through var.h.
 *
 * References to array elements have a stack of their own, so that a subscript is evaluated once
 * however often the element is used. Nothing is allocated unless an expression is very deep.
 */
#include <math.h>
#include <string.h>

#include "shell/arith/code.h"
#include "shell/state/frame.h"
#include "shell/state/option.h"
#include "shell/state/type.h"
#include "shell/state/value.h"
#include "shell/syntax/parse.h"

enum { STACK_SMALL = 16, REFS_SMALL = 4, LEVEL_COST = 8 };

/* Attributes that let an integer be read, or written, as it lies in the variable. */
enum {
    READ_SLOW =
        VAR_COMPLEX_READ | (VAR_NUMERIC & ~VAR_INTEGER) | VAR_NOTHING | VAR_BINARY | VAR_JUSTIFY,
    WRITE_SLOW = (VAR_COMPLEX & ~VAR_INTEGER) | VAR_UNSIGNED | VAR_SHORT | VAR_NOTHING,
};

struct vm {
    struct shell *sh;
    const struct arith_code *code;
    struct num *top;     /* the newest value */
    struct var_ref *ref; /* the newest reference */
};

static enum flow fail(const struct vm *vm, const char *why)
{
    return arith_fail(vm->sh, vm->code->text, vm->code->len, why);
}

/* ---- variables ------------------------------------------------------------------------------ */

/* Up to 18 digits with an optional minus sign: most values of variables are just that. */
static bool plain_integer(const char *text, size_t len, int64_t *ret)
{
    bool negative = len > 1 && *text == '-';
    size_t i = negative;
    if (len == 0 || len - i > 18 || (text[i] == '0' && len - i > 1))
        return false;
    int64_t value = 0;
    for (; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (text[i] - '0');
    }
    *ret = negative ? -value : value;
    return true;
}

static inline bool load_fast(const struct name *name, int64_t *ret)
{
    struct var *var = name->cur;
    if (!var || var->attrs & READ_SLOW)
        return false;
    if (var->value.bits == VALUE_INT) {
        *ret = var->value.i;
        return true;
    }
    if (var->value.bits & VALUE_NUMBER) {
        *ret = var->value.short_number;
        return true;
    }
    if (var->value.bits != VALUE_TEXT ||
        !plain_integer(var->value.text, var->value.inline_len, ret))
        return false;
    value_note_number(&var->value, *ret);
    return true;
}

/* These write and copy only what counts: a load of all of a number soon after a store to a part of
 * it makes the processor wait. */
static inline void set_int(struct num *n, int64_t i)
{
    n->is_float = false;
    n->i = i;
}

static inline void copy_num(struct num *to, const struct num *from)
{
    if (from->is_float)
        *to = *from;
    else
        set_int(to, from->i);
}

/* An integer variable, or a plain one without a block of text: it holds the number until somebody
 * asks for its text (var_get_name). */
static inline bool store_fast(struct shell *sh, struct name *name, int64_t value)
{
    struct var *var = name->cur;
    if (!var || var->attrs & WRITE_SLOW ||
        (var->value.bits & ~(VALUE_INT | VALUE_TEXT | VALUE_NUMBER)) || !var->value.bits ||
        frame_should_record(sh->frame->subshell, var->stamp) || option_on(sh, OPTION_ALLEXPORT) ||
        sh->space)
        return false;
    var->value.bits = VALUE_INT;
    var->value.i = value;
    return true;
}

/* Too big for an integer variable: the low 64 bits, as integer arithmetic would have given. */
static struct num wrap(struct num n)
{
    if (!n.is_float || !(fabsl(n.f) < 0x1p64L) || (n.f >= -0x1p63L && n.f < 0x1p63L))
        return n;
    return num_int((int64_t)(uint64_t)(n.f < 0 ? n.f + 0x1p64L : n.f));
}

/* REF = *N, and *N becomes what REF then holds. */
static enum flow store_slow(struct shell *sh, struct var_ref *ref, struct num *n)
{
    struct var_ref target = *ref;
    struct var *var;
    TRY(var_resolve(sh, &target, &var));
    struct num value = var && var->attrs & VAR_INTEGER ? wrap(*n) : *n;
    TRY(var_set_num(sh, ref, value, 0));
    target = *ref;
    TRY(var_resolve(sh, &target, &var));
    if (var && var->attrs & VAR_NUMERIC)
        return var_get_num(sh, ref, n);
    return FLOW_NEXT;
}

static enum flow store_name(struct shell *sh, struct name *name, struct num *n)
{
    if (!n->is_float && store_fast(sh, name, n->i))
        return FLOW_NEXT;
    struct var_ref ref = var_ref_name(name);
    return store_slow(sh, &ref, n);
}

static enum flow load_name(struct shell *sh, struct name *name, struct num *ret)
{
    int64_t value;
    if (load_fast(name, &value)) {
        set_int(ret, value);
        return FLOW_NEXT;
    }
    struct var_ref ref = var_ref_name(name);
    TRY(var_get_num(sh, &ref, ret));
    /* To POSIX the value of a variable must be a number. Elsewhere the name it leads to is 0 when
     * it is unset, as one that is written is. */
    if (sh->arith_level > 1 && option_on(sh, OPTION_POSIX) && !ret->is_float && ret->i == 0 &&
        !var_is_set(sh, &ref) && !(name->cur && name->cur->attrs & VAR_NUMERIC))
        return shell_fail(sh, ERROR_EXPANSION, 1, name->text, "parameter not set");
    return FLOW_NEXT;
}

/* A name that is no variable may be an item of an enumeration that a variable beside it is of. */
static bool load_item(const struct arith_code *code, const struct name *name, struct num *ret)
{
    if (name->cur)
        return false;
    for (uint32_t i = 0; i < code->name_count; i++) {
        const struct var *var = code->names[i]->cur;
        int64_t item =
            var && var->attrs & VAR_ENUM ? type_item_find(var->type, name->text, name->len) : -1;
        if (item >= 0) {
            *ret = num_int(item);
            return true;
        }
    }
    return false;
}

static struct num add_step(struct num n, int step)
{
    int64_t sum;
    if (n.is_float)
        return num_float(n.f + step);
    if (__builtin_add_overflow(n.i, (int64_t)step, &sum))
        return num_float((long double)n.i + step);
    return num_int(sum);
}

/* ++ and -- of REF; *TOP gets the old or the new value. */
static enum flow step_ref(struct shell *sh, struct var_ref *ref, int step, bool post,
                          struct num *top)
{
    struct num old;
    TRY(var_get_num(sh, ref, &old));
    struct num value = add_step(old, step);
    TRY(store_slow(sh, ref, &value));
    *top = post ? old : value;
    return FLOW_NEXT;
}

static enum flow step_name(struct shell *sh, struct name *name, int step, bool post,
                           struct num *top)
{
    int64_t old, sum;
    if (load_fast(name, &old) && !__builtin_add_overflow(old, (int64_t)step, &sum) &&
        store_fast(sh, name, sum)) {
        set_int(top, post ? old : sum);
        return FLOW_NEXT;
    }
    struct var_ref ref = var_ref_name(name);
    return step_ref(sh, &ref, step, post, top);
}

/* Starts a reference. *RET_KEY: it is complete (associative, or resolved from its text). */
static enum flow begin_ref(struct vm *vm, const struct arith_element *element, struct var_ref *ref,
                           bool *ret_key)
{
    struct shell *sh = vm->sh;
    *ret_key = true;
    if (element->dynamic) {
        struct program *program;
        struct name_ref written;
        if (!parse_name_ref(sh->parse_hooks, element->text, element->len, &program, &written))
            return fail(vm, "arithmetic syntax error");
        enum flow flow = sh->hooks.resolve_ref(sh, &written, ref);
        if (flow == FLOW_NEXT && ref->kind == REF_KEY) {
            ref->key = scratch_dup(sh, ref->key, ref->key_len);
            flow = ref->key ? FLOW_NEXT : shell_fail_memory(sh, ref->key_len);
        }
        program_release(program);
        return flow;
    }
    *ref = var_ref_name(element->name);
    const struct var *var = element->name->cur;
    bool is_key = var && var->attrs & VAR_ASSOC;
    if (var && var->attrs & (VAR_NAMEREF | VAR_TYPED_INDEX))
        TRY(var_takes_key(sh, ref, &is_key));
    if (is_key) {
        ref->kind = REF_KEY;
        ref->key = element->text;
        ref->key_len = element->len;
        return FLOW_NEXT;
    }
    *ret_key = false;
    return FLOW_NEXT;
}

/* ---- operations ------------------------------------------------------------------------------ */

static inline long double num_to_float(struct num n)
{
    return n.is_float ? n.f : (long double)n.i;
}

static struct num power(struct num a, struct num b)
{
    if (a.is_float || b.is_float || b.i < 0)
        return num_float(powl(num_to_float(a), num_to_float(b)));
    int64_t result = 1, base = a.i;
    for (uint64_t n = (uint64_t)b.i; n; n >>= 1) {
        if (n & 1 && __builtin_mul_overflow(result, base, &result))
            return num_float(powl((long double)a.i, (long double)b.i));
        if (n > 1 && __builtin_mul_overflow(base, base, &base))
            return num_float(powl((long double)a.i, (long double)b.i));
    }
    return num_int(result);
}

static struct num float_operation(enum arith_op op, long double a, long double b)
{
    switch (op) {
    case OP_ADD:
        return num_float(a + b);
    case OP_SUBTRACT:
        return num_float(a - b);
    case OP_MULTIPLY:
        return num_float(a * b);
    case OP_DIVIDE:
        return num_float(a / b);
    case OP_LESS:
        return num_int(a < b);
    case OP_LESS_EQUAL:
        return num_int(a <= b);
    case OP_GREATER:
        return num_int(a > b);
    case OP_GREATER_EQUAL:
        return num_int(a >= b);
    case OP_EQUAL:
        return num_int(a == b);
    case OP_NOT_EQUAL:
        return num_int(a != b);
    default:
        return num_int(0);
    }
}

/* Division and remainder. The quotient of the smallest integer by -1 does not fit. */
static enum flow divide(const struct vm *vm, enum arith_op op, struct num *a, struct num b)
{
    if (op == OP_MODULO) {
        if (b.is_float)
            return fail(vm, "invalid floating point operation");
        *a = num_int(num_to_int(*a));
    }
    if (b.i == 0)
        return fail(vm, "divide by zero");
    if (b.i == -1)
        *a = op == OP_MODULO ? num_int(0) : a->i == INT64_MIN ? num_float(0x1p63L) : num_int(-a->i);
    else
        *a = num_int(op == OP_MODULO ? a->i % b.i : a->i / b.i);
    return FLOW_NEXT;
}

/* Whatever the fast paths of arith_run leave: floats, overflow, division, bits. Result in *A. */
static enum flow operate(const struct vm *vm, enum arith_op op, struct num *a, struct num b)
{
    if (op == OP_POWER) {
        *a = power(*a, b);
        return FLOW_NEXT;
    }
    if (op == OP_MODULO)
        return divide(vm, op, a, b);
    bool any_float = a->is_float || b.is_float;
    bool bits = op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR || op == OP_SHIFT_LEFT ||
                op == OP_SHIFT_RIGHT;
    if (any_float && bits)
        return fail(vm, "invalid floating point operation");
    if (!any_float && op == OP_DIVIDE)
        return divide(vm, op, a, b);
    switch (op) {
    case OP_BIT_AND:
        a->i &= b.i;
        break;
    case OP_BIT_OR:
        a->i |= b.i;
        break;
    case OP_BIT_XOR:
        a->i ^= b.i;
        break;
    case OP_SHIFT_LEFT:
        a->i = (int64_t)((uint64_t)a->i << (b.i & 63));
        break;
    case OP_SHIFT_RIGHT:
        a->i >>= b.i & 63;
        break;
    default:
        *a = float_operation(op, num_to_float(*a), num_to_float(b));
        break;
    }
    return FLOW_NEXT;
}

static enum flow unary(const struct vm *vm, enum arith_op op, struct num *n)
{
    if (op == OP_NOT) {
        *n = num_int(!num_is_true(*n));
    } else if (op == OP_COMPLEMENT) {
        if (n->is_float)
            return fail(vm, "invalid floating point operation");
        n->i = ~n->i;
    } else if (n->is_float) {
        n->f = -n->f;
    } else if (n->i == INT64_MIN) {
        *n = num_float(0x1p63L);
    } else {
        n->i = -n->i;
    }
    return FLOW_NEXT;
}

/* ---- the loop ------------------------------------------------------------------------------- */

#define COMPARE(symbol)                                                                            \
    vm.top--;                                                                                      \
    if (!vm.top[0].is_float && !vm.top[1].is_float)                                                \
        vm.top[0].i = vm.top[0].i symbol vm.top[1].i;                                              \
    else                                                                                           \
        TRY(operate(&vm, in->op, &vm.top[0], vm.top[1]));                                          \
    break

#define CALCULATE(overflow)                                                                        \
    vm.top--;                                                                                      \
    if (vm.top[0].is_float || vm.top[1].is_float || overflow(vm.top[0].i, vm.top[1].i, &result)) { \
        TRY(operate(&vm, in->op, &vm.top[0], vm.top[1]));                                          \
    } else {                                                                                       \
        vm.top[0].i = result;                                                                      \
    }                                                                                              \
    break

/* STACK[0] and REFS[0] are never used: TOP and REF point to the newest item. */
static enum flow vm_run(struct shell *sh, const struct arith_code *code, struct num *stack,
                        struct var_ref *refs, struct num *ret)
{
    struct vm vm = { sh, code, stack, refs };
    int64_t result;
    bool is_key;
    for (const struct arith_insn *in = code->insns;; in++) {
        switch ((enum arith_op)in->op) {
        case OP_NOP:
            break;
        case OP_END:
            copy_num(ret, vm.top);
            return FLOW_NEXT;
        case OP_INT:
            set_int(++vm.top, in->arg);
            break;
        case OP_CONST:
            copy_num(++vm.top, &code->constants[in->arg]);
            break;
        case OP_OCTAL: {
            bool octal = option_on(sh, sh->arith_let ? OPTION_LETOCTAL : OPTION_POSIX);
            *++vm.top = code->constants[in->arg + octal];
            break;
        }
        case OP_POP:
            vm.top--;
            break;
        case OP_LOAD:
            vm.top++;
            if (load_fast(code->names[in->arg], &result))
                set_int(vm.top, result);
            else if (!load_item(code, code->names[in->arg], vm.top))
                TRY(load_name(sh, code->names[in->arg], vm.top));
            break;
        case OP_STORE:
            TRY(store_name(sh, code->names[in->arg], vm.top));
            break;
        case OP_PRE_ADD:
        case OP_POST_ADD:
            TRY(step_name(sh, code->names[in->arg], in->aux, in->op == OP_POST_ADD, ++vm.top));
            break;
        case OP_ELEMENT:
            TRY(begin_ref(&vm, &code->elements[in->arg], ++vm.ref, &is_key));
            if (is_key)
                in = code->insns + code->elements[in->arg].end - 1;
            break;
        case OP_INDEX:
            vm.ref->kind = REF_INDEX;
            vm.ref->index = num_to_int(*vm.top--);
            break;
        case OP_LOAD_REF:
            TRY(var_get_num(sh, vm.ref--, ++vm.top));
            break;
        case OP_PEEK_REF:
            TRY(var_get_num(sh, vm.ref, ++vm.top));
            break;
        case OP_STORE_REF:
            TRY(store_slow(sh, vm.ref--, vm.top));
            break;
        case OP_PRE_ADD_REF:
        case OP_POST_ADD_REF:
            TRY(step_ref(sh, vm.ref--, in->aux, in->op == OP_POST_ADD_REF, ++vm.top));
            break;
        case OP_LESS:
            COMPARE(<);
        case OP_LESS_EQUAL:
            COMPARE(<=);
        case OP_GREATER:
            COMPARE(>);
        case OP_GREATER_EQUAL:
            COMPARE(>=);
        case OP_EQUAL:
            COMPARE(==);
        case OP_NOT_EQUAL:
            COMPARE(!=);
        case OP_ADD:
            CALCULATE(__builtin_add_overflow);
        case OP_SUBTRACT:
            CALCULATE(__builtin_sub_overflow);
        case OP_MULTIPLY:
            CALCULATE(__builtin_mul_overflow);
        case OP_POWER:
        case OP_DIVIDE:
        case OP_MODULO:
        case OP_SHIFT_LEFT:
        case OP_SHIFT_RIGHT:
        case OP_BIT_AND:
        case OP_BIT_XOR:
        case OP_BIT_OR:
            vm.top--;
            TRY(operate(&vm, in->op, &vm.top[0], vm.top[1]));
            break;
        case OP_NEGATE:
        case OP_NOT:
        case OP_COMPLEMENT:
            TRY(unary(&vm, in->op, vm.top));
            break;
        case OP_TO_NUMBER:
            break;
        case OP_TO_BOOL:
            *vm.top = num_int(num_is_true(*vm.top));
            break;
        case OP_JUMP:
            in = code->insns + in->arg - 1;
            break;
        case OP_JUMP_FALSE:
            if (!num_is_true(*vm.top--))
                in = code->insns + in->arg - 1;
            break;
        case OP_AND_JUMP:
        case OP_OR_JUMP:
            if (num_is_true(*vm.top) == (in->op == OP_OR_JUMP)) {
                *vm.top = num_int(in->op == OP_OR_JUMP);
                in = code->insns + in->arg - 1;
            } else {
                vm.top--;
            }
            break;
        case OP_CALL:
            vm.top -= in->aux - 1;
            TRY(arith_function_run(sh, code, (int)in->arg, (size_t)in->aux, vm.top));
            break;
        case OP_CALL_USER:
            vm.top -= in->aux - 1;
            TRY(arith_function_call_user(sh, code, &code->elements[in->arg], (size_t)in->aux,
                                         vm.top, vm.top));
            break;
        case OP_FAIL:
            return arith_fail(sh, code->elements[in->arg].text, code->elements[in->arg].len,
                              "arithmetic syntax error");
        }
    }
}

/* Expressions that need more room than the C stack should give: the room comes from scratch. */
static enum flow run_large(struct shell *sh, const struct arith_code *code, struct num *ret)
{
    size_t bytes = (code->stack_max + 1) * sizeof(struct num);
    char *block = scratch_alloc(sh, bytes + (code->ref_max + 1) * sizeof(struct var_ref));
    if (!block)
        return shell_fail_memory(sh, bytes);
    return vm_run(sh, code, (struct num *)block, (struct var_ref *)(block + bytes), ret);
}

enum flow arith_run(struct shell *sh, const struct arith_code *code, struct num *ret)
{
    struct num stack[STACK_SMALL];
    struct var_ref refs[REFS_SMALL];
    enum flow flow;
    sh->arith_level++;
    if (code->stack_max >= STACK_SMALL || code->ref_max >= REFS_SMALL)
        flow = run_large(sh, code, ret);
    else
        flow = vm_run(sh, code, stack, refs, ret);
    sh->arith_level--;
    return flow;
}

/* ---- text ----------------------------------------------------------------------------------- */

enum flow arith_eval(struct shell *sh, const char *text, size_t len, struct num *ret)
{
    int64_t value;
    if (plain_integer(text, len, &value)) {
        *ret = num_int(value);
        return FLOW_NEXT;
    }
    struct arith_code *code;
    TRY(arith_cache_get(sh, text, len, &code));
    sh->depth += LEVEL_COST;
    enum flow flow = sh->depth <= SHELL_DEPTH_MAX ? arith_run(sh, code, ret)
                                                  : arith_fail(sh, text, len, "recursion too deep");
    sh->depth -= LEVEL_COST;
    arith_code_free(code);
    return flow;
}

enum flow arith_eval_int(struct shell *sh, const char *text, size_t len, int64_t *ret)
{
    struct num n;
    TRY(arith_eval(sh, text, len, &n));
    *ret = num_to_int(n);
    return FLOW_NEXT;
}

void arith_format(struct str *s, struct num n)
{
    enum { DIGITS = 18 };
    if (!n.is_float)
        str_append_int(s, n.i);
    else if (n.f >= -0x1p63L && n.f < 0x1p63L && n.f == (long double)(int64_t)n.f && n.f != 0)
        str_append_int(s, (int64_t)n.f);
    else
        num_format_float(s, n.f, DIGITS);
}
