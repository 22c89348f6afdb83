/*
 * Arithmetic text to bytecode: one pass of precedence climbing over the characters.
 *
 * A variable is not loaded when it is read but when it turns out to be used as a value: until then
 * the operand says what could be assigned. A subscript is compiled in place and kept as text as
 * well, because only the variable's kind at run time tells which of the two is meant; one that is
 * no expression
 * ("x y") fails only if it is needed as one. The code holds a copy of its source for messages.
 *
 * The finished code is one block. Nothing here reads or writes a variable.
 */
#include <string.h>

#include "shell/arith/code.h"
#include "shell/base/cclass.h"
#include "shell/base/utf8.h"
#include "shell/state/option.h"

enum {
    PREC_COMMA = 1,
    PREC_ASSIGN = 2,
    PREC_TERNARY = 3,
    NEST_MAX = 3000,
};

struct binary {
    const char *text;
    uint8_t len, precedence, op;
    bool right, assign;
};
static const struct binary operators[] = {
#define BINARY(text, precedence, right, op) { text, sizeof text - 1, precedence, op, right, false },
#define ASSIGN(text, op)                    { text, sizeof text - 1, PREC_ASSIGN, op, true, true },
#include "shell/arith/op.def"
#undef BINARY
#undef ASSIGN
};

/* A growing array of equal items; the first ones need no allocation. */
struct items {
    void *data;
    size_t count, cap, size;
    bool heap;
};

enum { FIRST_INSNS = 48, FIRST_ITEMS = 8 };

struct compiler {
    struct shell *sh;
    const char *text, *p, *end;
    struct items insns, constants, names, elements;
    uint32_t stack, stack_max, ref, ref_max;
    uint32_t nest;
    const char *why; /* first error */
    bool no_memory;
    struct arith_insn first_insns[FIRST_INSNS];
    struct num first_constants[FIRST_ITEMS];
    struct name *first_names[FIRST_ITEMS];
    struct arith_element first_elements[FIRST_ITEMS];
};

/* What a primary turned out to be. */
enum operand_kind { OPERAND_VALUE, OPERAND_NAME, OPERAND_ELEMENT };
struct operand {
    enum operand_kind kind;
    uint32_t index; /* OPERAND_NAME: into names */
};

static bool compile_expr(struct compiler *c, int precedence);

enum flow arith_fail(struct shell *sh, const char *text, size_t len, const char *why)
{
    char shown[400];
    size_t n = len < sizeof shown - 1 ? len : sizeof shown - 1;
    memcpy(shown, text, n);
    shown[n] = '\0';
    return shell_fail(sh, ERROR_EXPANSION, 1, shown, "%s", why);
}

static bool fail(struct compiler *c, const char *why)
{
    if (!c->why)
        c->why = why;
    return false;
}

/* ---- emitting ------------------------------------------------------------------------------- */

static void *items_add(struct compiler *c, struct items *items)
{
    if (items->count == items->cap) {
        size_t cap = items->cap * 2;
        void *data = mem_resize(c->sh->heap, items->heap ? items->data : NULL, cap * items->size);
        if (!data) {
            c->no_memory = true;
            fail(c, "no memory");
            return NULL;
        }
        if (!items->heap)
            memcpy(data, items->data, items->count * items->size);
        *items = (struct items){ data, items->count, cap, items->size, true };
    }
    return (char *)items->data + items->size * items->count++;
}

static bool emit(struct compiler *c, enum arith_op op, int aux, size_t arg)
{
    struct arith_insn *insn = items_add(c, &c->insns);
    if (!insn)
        return false;
    *insn = (struct arith_insn){ .op = (uint8_t)op, .aux = (int8_t)aux, .arg = (uint32_t)arg };
    return true;
}

/* The code emitted so far leaves COUNT more values on the stack. */
static void push_values(struct compiler *c, int count)
{
    c->stack = (uint32_t)((int64_t)c->stack + count);
    if (c->stack > c->stack_max)
        c->stack_max = c->stack;
}

static void patch(struct compiler *c, size_t at)
{
    ((struct arith_insn *)c->insns.data)[at].arg = (uint32_t)c->insns.count;
}

static bool emit_int(struct compiler *c, int64_t value)
{
    push_values(c, 1);
    if (value >= 0 && value <= INT32_MAX)
        return emit(c, OP_INT, 0, (size_t)value);
    struct num *constant = items_add(c, &c->constants);
    if (!constant)
        return false;
    *constant = num_int(value);
    return emit(c, OP_CONST, 0, c->constants.count - 1);
}

static bool operand_load(struct compiler *c, const struct operand *operand)
{
    switch (operand->kind) {
    case OPERAND_VALUE:
        return true;
    case OPERAND_NAME:
        push_values(c, 1);
        return emit(c, OP_LOAD, 0, operand->index);
    case OPERAND_ELEMENT:
        c->ref--;
        push_values(c, 1);
        return emit(c, OP_LOAD_REF, 0, 0);
    }
    return false;
}

static bool operand_step(struct compiler *c, const struct operand *operand, int step, bool prefix)
{
    if (operand->kind == OPERAND_VALUE)
        return fail(c, "assignment requires lvalue");
    push_values(c, 1);
    if (operand->kind == OPERAND_NAME)
        return emit(c, prefix ? OP_PRE_ADD : OP_POST_ADD, step, operand->index);
    c->ref--;
    return emit(c, prefix ? OP_PRE_ADD_REF : OP_POST_ADD_REF, step, 0);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Double quotes mean nothing in an expression. */
static void skip_space(struct compiler *c)
{
    while (c->p < c->end && (cclass_is(*c->p, CC_SPACE) || *c->p == '"'))
        c->p++;
}

static bool unexpected(struct compiler *c)
{
    return fail(c, c->p >= c->end ? "more tokens expected" : "arithmetic syntax error");
}

static bool compile_number(struct compiler *c)
{
    int64_t integer = 0, octal = 0;
    long double number = 0;
    bool is_float = false, octal_float = false;
    int base;
    size_t len = (size_t)(c->end - c->p);
    size_t used = num_scan(c->p, len, false, &integer, &number, &is_float, &base);
    if (used == 0)
        return fail(c, "arithmetic syntax error");
    const char *next = c->p + used;
    if (next < c->end && (cclass_is(*next, CC_NAME) || *next == '.' || *next == '#'))
        return fail(c, "arithmetic syntax error");
    bool zero = *c->p == '0' && used > 1 && !is_float && cclass_is(c->p[1], CC_DIGIT);
    if (zero && num_scan(c->p, len, true, &octal, &number, &octal_float, &base) == used &&
        !octal_float) {
        struct num *decimal_value = items_add(c, &c->constants);
        struct num *octal_value = decimal_value ? items_add(c, &c->constants) : NULL;
        if (!octal_value)
            return false;
        octal_value[0] = num_int(octal);
        octal_value[-1] = num_int(integer);
        push_values(c, 1);
        c->p = next;
        return emit(c, OP_OCTAL, 0, c->constants.count - 2);
    }
    c->p = next;
    if (!is_float)
        return emit_int(c, integer);
    struct num *constant = items_add(c, &c->constants);
    if (!constant)
        return false;
    *constant = num_float(number);
    push_values(c, 1);
    return emit(c, OP_CONST, 0, c->constants.count - 1);
}

/* The character after a backslash in a character constant; moves P past it. */
static uint32_t escaped_char(struct compiler *c)
{
    static const char names[] = "ntrabfveE";
    static const char values[] = "\n\t\r\a\b\f\v\033\033";
    char letter = *c->p++;
    const char *at = strchr(names, letter);
    if (letter && at)
        return (unsigned char)values[at - names];
    uint32_t value = 0;
    int base = letter == 'x' ? 16 : 8, digits = 0;
    if (letter != 'x') {
        if (letter < '0' || letter > '7')
            return (unsigned char)letter;
        c->p--;
    }
    for (; digits < (base == 16 ? 2 : 4) && c->p < c->end; digits++, c->p++) {
        char digit = *c->p;
        int n = digit >= '0' && digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
        if (n < 0 || n >= base)
            break;
        value = value * (uint32_t)base + (uint32_t)n;
    }
    return value;
}

/* 'c' */
static bool compile_char(struct compiler *c)
{
    const char *start = ++c->p;
    uint32_t value = 0;
    if (c->p >= c->end)
        return fail(c, "arithmetic syntax error");
    if (*c->p == '\\' && c->end - c->p > 2 && c->p[1] != '\0') {
        c->p++;
        value = escaped_char(c);
    } else if (utf8_active) {
        c->p += utf8_decode(c->p, c->end, &value);
        if (value >= 0x110000)
            value -= 0x110000;
    } else {
        value = (unsigned char)*c->p++;
    }
    if (c->p >= c->end || *c->p != '\'' || c->p == start)
        return fail(c, "arithmetic syntax error");
    c->p++;
    return emit_int(c, value);
}

/* Length of the name with dots at P, 0 when there is none. */
static size_t name_length(const char *p, const char *end)
{
    const char *start = p;
    for (;;) {
        const char *piece = p + (p < end && *p == '.');
        size_t len = text_name_len(piece, (size_t)(end - piece));
        if (len == 0)
            break;
        p = piece + len;
        if (p >= end || *p != '.')
            break;
    }
    return (size_t)(p - start);
}

/* Past the `]` that ends the subscript whose `[` is at P; NULL when there is none. */
static const char *subscript_end(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end) {
            p++;
        } else if (*p == '\'' || *p == '"') {
            const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
            if (close)
                p = close;
        } else if (*p == '[') {
            depth++;
        } else if (*p == ']' && --depth == 0) {
            return p + 1;
        }
    }
    return NULL;
}

/* [subscript] after NAME; P is at the `[`. Emits OP_ELEMENT, the code of the subscript, OP_INDEX.
 */
static bool compile_subscript(struct compiler *c, const char *start, struct name *name)
{
    const char *open = c->p;
    const char *close = subscript_end(open, c->end);
    if (!close)
        return fail(c, "arithmetic syntax error");
    bool dynamic = false;
    const char *after = close;
    while (after && after < c->end &&
           (*after == '[' || (*after == '.' && name_length(after, c->end) > 0))) {
        dynamic = true;
        after = *after == '[' ? subscript_end(after, c->end) : after + name_length(after, c->end);
    }
    if (!after)
        return fail(c, "arithmetic syntax error");
    struct arith_element *element = items_add(c, &c->elements);
    if (!element)
        return false;
    size_t index = c->elements.count - 1;
    *element =
        (struct arith_element){ .name = name,
                                .dynamic = dynamic,
                                .text = dynamic ? start : open + 1,
                                .len = (uint32_t)(dynamic ? after - start : close - open - 2) };
    if (++c->ref > c->ref_max)
        c->ref_max = c->ref;
    if (!emit(c, OP_ELEMENT, 0, index))
        return false;
    c->p = after;
    if (!dynamic) {
        size_t insns = c->insns.count;
        const char *end = c->end;
        uint32_t stack = c->stack, ref = c->ref, nest = c->nest;
        c->p = open + 1;
        c->end = close - 1;
        bool ok = compile_expr(c, PREC_COMMA) && (skip_space(c), c->p == c->end);
        c->end = end;
        c->p = close;
        if (ok) {
            if (!emit(c, OP_INDEX, 0, 0))
                return false;
        } else {
            if (c->no_memory || c->nest > NEST_MAX)
                return false;
            c->why = NULL;
            c->insns.count = insns;
            c->ref = ref;
            c->nest = nest;
            if (!emit(c, OP_FAIL, 0, index))
                return false;
        }
        c->stack = stack;
    }
    ((struct arith_element *)c->elements.data)[index].end = (uint32_t)c->insns.count;
    return true;
}

/* name(expr, ...) ; P is at the `(`. */
static bool compile_call(struct compiler *c, const char *name, size_t len)
{
    int count = 0;
    uint32_t stack = c->stack;
    c->p++;
    skip_space(c);
    bool empty = c->p < c->end && *c->p == ')';
    while (!empty) {
        if (!compile_expr(c, PREC_ASSIGN))
            return false;
        count++;
        skip_space(c);
        if (c->p >= c->end || *c->p != ',' || count == INT8_MAX)
            break;
        c->p++;
    }
    if (c->p >= c->end || *c->p != ')')
        return unexpected(c);
    c->p++;
    c->stack = stack;
    push_values(c, 1);
    int function = arith_function_find(name, len);
    if (function >= 0)
        return emit(c, OP_CALL, count, (size_t)function);
    struct arith_element *element = items_add(c, &c->elements);
    if (!element)
        return false;
    *element = (struct arith_element){ .text = name, .len = (uint32_t)len };
    return emit(c, OP_CALL_USER, count, c->elements.count - 1);
}

/* A variable, an element or a function call. */
static bool compile_name(struct compiler *c, struct operand *ret)
{
    const char *start = c->p;
    size_t len = name_length(start, c->end);
    if (len == 0)
        return unexpected(c);
    c->p += len;
    if (c->p < c->end && *c->p == '(')
        return compile_call(c, start, len);
    struct name *name = name_intern(c->sh, start, len);
    if (!name) {
        c->no_memory = true;
        return fail(c, "no memory");
    }
    if (c->p < c->end && *c->p == '[') {
        ret->kind = OPERAND_ELEMENT;
        return compile_subscript(c, start, name);
    }
    struct name **slot = items_add(c, &c->names);
    if (!slot)
        return false;
    *slot = name;
    *ret = (struct operand){ OPERAND_NAME, (uint32_t)c->names.count - 1 };
    return true;
}

/* number | 'c' | name | name[sub] | name(args) | ( expr ) , then ++ or -- */
static bool compile_primary(struct compiler *c, struct operand *ret)
{
    skip_space(c);
    *ret = (struct operand){ OPERAND_VALUE, 0 };
    if (c->p >= c->end)
        return unexpected(c);
    char first = *c->p;
    bool number = cclass_is(first, CC_DIGIT);
    if (first == '.' && c->end - c->p > 1)
        number = cclass_is(c->p[1], CC_DIGIT);
    if ((first | 0x20) == 'i' || (first | 0x20) == 'n') {
        /* In the POSIX mode inf and nan are variables like others. */
        size_t len = option_on(c->sh, OPTION_POSIX) ? 0 : name_length(c->p, c->end);
        number = len == 3 && (c->p + 3 >= c->end || (c->p[3] != '(' && c->p[3] != '[')) &&
                 num_scan(c->p, 3, false, &(int64_t){ 0 }, &(long double){ 0 }, &(bool){ 0 },
                          &(int){ 0 }) == 3;
    }
    if (first == 'L' && c->end - c->p > 1 && c->p[1] == '\'') /* the same as without the L */
        first = *++c->p;
    bool ok;
    if (number) {
        ok = compile_number(c);
    } else if (first == '\'') {
        ok = compile_char(c);
    } else if (first == '(') {
        c->p++;
        if (!compile_expr(c, PREC_COMMA))
            return false;
        if (c->p >= c->end || *c->p != ')')
            return fail(c, c->p >= c->end ? "unbalanced parenthesis" : "arithmetic syntax error");
        c->p++;
        ok = true;
    } else {
        ok = compile_name(c, ret);
    }
    if (!ok)
        return false;
    skip_space(c);
    if (c->end - c->p >= 2 && c->p[0] == c->p[1] && (*c->p == '+' || *c->p == '-')) {
        if (!operand_step(c, ret, *c->p == '+' ? 1 : -1, false))
            return false;
        c->p += 2;
        *ret = (struct operand){ OPERAND_VALUE, 0 };
    }
    return true;
}

/* Is the text at P a `++` or `--`. */
static int step_operator(const struct compiler *c)
{
    if (c->end - c->p < 2 || c->p[0] != c->p[1])
        return 0;
    return *c->p == '+' ? 1 : *c->p == '-' ? -1 : 0;
}

/* { + - ! ~ } primary | ++ lvalue | -- lvalue */
static bool compile_unary(struct compiler *c, struct operand *ret)
{
    skip_space(c);
    char op = c->p < c->end ? *c->p : '\0';
    if (op == '\0' || !strchr("+-!~", op))
        return compile_primary(c, ret);
    int step = step_operator(c);
    c->p += step ? 2 : 1;
    struct operand operand;
    if (!compile_unary(c, &operand))
        return false;
    *ret = (struct operand){ OPERAND_VALUE, 0 };
    if (step)
        return operand_step(c, &operand, step, true);
    if (!operand_load(c, &operand))
        return false;
    return emit(c,
                op == '-'   ? OP_NEGATE
                : op == '!' ? OP_NOT
                : op == '~' ? OP_COMPLEMENT
                            : OP_TO_NUMBER,
                0, 0);
}

static const struct binary *operator_at(struct compiler *c)
{
    skip_space(c);
    size_t left = (size_t)(c->end - c->p);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const struct binary *op = &operators[i];
        if (op->len <= left && *op->text == *c->p && memcmp(op->text, c->p, op->len) == 0)
            return op;
    }
    return NULL;
}

/* LVALUE op= expr ; P is after the operator. */
static bool compile_assign(struct compiler *c, const struct binary *op,
                           const struct operand *target)
{
    if (target->kind == OPERAND_VALUE)
        return fail(c, "assignment requires lvalue");
    bool element = target->kind == OPERAND_ELEMENT;
    if (op->op != OP_NOP) {
        push_values(c, 1);
        if (!emit(c, element ? OP_PEEK_REF : OP_LOAD, 0, target->index))
            return false;
    }
    if (!compile_expr(c, PREC_ASSIGN))
        return false;
    if (op->op != OP_NOP) {
        push_values(c, -1);
        if (!emit(c, op->op, 0, 0))
            return false;
    }
    c->ref -= element;
    return emit(c, element ? OP_STORE_REF : OP_STORE, 0, target->index);
}

/* expr ? expr : expr ; the condition is on the stack, P is after the `?`. */
static bool compile_ternary(struct compiler *c)
{
    push_values(c, -1);
    size_t to_else = c->insns.count;
    if (!emit(c, OP_JUMP_FALSE, 0, 0) || !compile_expr(c, PREC_COMMA))
        return false;
    if (c->p >= c->end || *c->p != ':')
        return fail(c, "':' expected for '?' operator");
    c->p++;
    size_t to_end = c->insns.count;
    if (!emit(c, OP_JUMP, 0, 0))
        return false;
    patch(c, to_else);
    push_values(c, -1);
    if (!compile_expr(c, PREC_ASSIGN))
        return false;
    patch(c, to_end);
    return true;
}

/* The right side of OP, whose left side is on the stack. */
static bool compile_right(struct compiler *c, const struct binary *op)
{
    if (op->op == OP_JUMP_FALSE)
        return compile_ternary(c);
    bool jump = op->op == OP_AND_JUMP || op->op == OP_OR_JUMP;
    size_t at = c->insns.count;
    if (jump || op->op == OP_POP) {
        push_values(c, -1);
        if (!emit(c, op->op, 0, 0))
            return false;
    }
    if (!compile_expr(c, op->precedence + !op->right))
        return false;
    if (jump) {
        if (!emit(c, OP_TO_BOOL, 0, 0))
            return false;
        patch(c, at);
        return true;
    }
    if (op->op == OP_POP)
        return true;
    push_values(c, -1);
    return emit(c, op->op, 0, 0);
}

/* unary { op expr } with operators of at least PRECEDENCE; leaves one value. */
static bool compile_expr(struct compiler *c, int precedence)
{
    struct operand operand;
    if (++c->nest > NEST_MAX)
        return fail(c, "recursion too deep");
    if (!compile_unary(c, &operand))
        return false;
    const struct binary *op;
    while ((op = operator_at(c)) && op->precedence >= precedence) {
        c->p += op->len;
        if (op->assign) {
            if (!compile_assign(c, op, &operand))
                return false;
        } else if (!operand_load(c, &operand) || !compile_right(c, op)) {
            return false;
        }
        operand = (struct operand){ OPERAND_VALUE, 0 };
    }
    c->nest--;
    return operand_load(c, &operand);
}

/* ---- the finished code ---------------------------------------------------------------------- */

static void items_release(struct items *items)
{
    if (items->heap)
        mem_free(items->data);
}

/* Element texts lose their quotes on the way into the code's own copy of the source, which has room
 * for that. Blanks stay: they are part of an associative key. */
static size_t unquote(const char *text, size_t len, char *ret)
{
    size_t out = 0;
    char quote = '\0';
    for (size_t i = 0; i < len; i++) {
        char ch = text[i];
        if (quote ? ch == quote
                  : ch == '"' || (ch == '\'' && memchr(text + i + 1, '\'', len - i - 1))) {
            quote = quote ? '\0' : ch;
            continue;
        }
        if (ch == '\\' && quote != '\'' && i + 1 < len && strchr("\"'\\[]$`", text[i + 1]) &&
            text[i + 1])
            ch = text[++i];
        ret[out++] = ch;
    }
    return out;
}

static struct arith_code *code_build(struct compiler *c, size_t len)
{
    size_t insns = c->insns.count * sizeof(struct arith_insn);
    size_t constants = c->constants.count * sizeof(struct num);
    size_t names = c->names.count * sizeof(struct name *);
    size_t elements = c->elements.count * sizeof(struct arith_element);
    size_t head = (sizeof(struct arith_code) + 15) & ~(size_t)15;
    size_t texts = len + 1;
    for (size_t i = 0; i < c->elements.count; i++)
        texts += ((struct arith_element *)c->elements.data)[i].len + 1;
    char *block = mem_alloc(c->sh->heap, head + constants + names + elements + insns + texts);
    if (!block)
        return NULL;
    struct arith_code *code = (struct arith_code *)block;
    char *at = block + head;
    code->constants = (struct num *)memcpy(at, c->constants.data, constants);
    code->name_count = (uint32_t)c->names.count;
    code->names = (struct name **)memcpy(at += constants, c->names.data, names);
    struct arith_element *copies = memcpy(at += names, c->elements.data, elements);
    code->elements = copies;
    code->insns = (struct arith_insn *)memcpy(at += elements, c->insns.data, insns);
    char *text = memcpy(at + insns, c->text, len);
    text[len] = '\0';
    code->text = text;
    text += len + 1;
    for (size_t i = 0; i < c->elements.count; i++) {
        size_t used = copies[i].len;
        if (copies[i].dynamic)
            memcpy(text, copies[i].text, used);
        else
            used = unquote(copies[i].text, used, text);
        text[used] = '\0';
        copies[i].text = text;
        copies[i].len = (uint32_t)used;
        text += used + 1;
    }
    code->refs = 1;
    code->posix = option_on(c->sh, OPTION_POSIX);
    code->len = (uint32_t)len;
    code->stack_max = c->stack_max;
    code->ref_max = c->ref_max;
    return code;
}

enum flow arith_compile(struct shell *sh, const char *text, size_t len,
                        struct arith_code **ret_code)
{
    struct compiler c;
    c.sh = sh;
    c.text = c.p = text;
    c.end = text + len;
    c.insns = (struct items){ c.first_insns, 0, FIRST_INSNS, sizeof(struct arith_insn), false };
    c.constants = (struct items){ c.first_constants, 0, FIRST_ITEMS, sizeof(struct num), false };
    c.names = (struct items){ c.first_names, 0, FIRST_ITEMS, sizeof(struct name *), false };
    c.elements =
        (struct items){ c.first_elements, 0, FIRST_ITEMS, sizeof(struct arith_element), false };
    c.stack = c.stack_max = c.ref = c.ref_max = c.nest = 0;
    c.why = NULL;
    c.no_memory = false;
    if (len >= INT32_MAX)
        return arith_fail(sh, text, 40, "expression too long");
    skip_space(&c);
    bool ok = c.p == c.end ? emit_int(&c, 0) : compile_expr(&c, PREC_COMMA);
    if (ok && c.p != c.end)
        ok = fail(&c, *c.p == ')' ? "unbalanced parenthesis" : "arithmetic syntax error");
    ok = ok && emit(&c, OP_END, 0, 0);
    struct arith_code *code = ok ? code_build(&c, len) : NULL;
    items_release(&c.insns);
    items_release(&c.constants);
    items_release(&c.names);
    items_release(&c.elements);
    if (!code && (ok || c.no_memory))
        return shell_fail_memory(sh, len);
    if (!code)
        return arith_fail(sh, text, len, c.why);
    *ret_code = code;
    return FLOW_NEXT;
}

void arith_code_free(struct arith_code *code)
{
    if (code && --code->refs == 0)
        mem_free(code);
}
