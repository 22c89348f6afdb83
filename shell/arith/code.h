/* The bytecode of arithmetic: what compile.c writes and vm.c runs. Private to this folder. */
#ifndef SHELL_ARITH_CODE_H
#define SHELL_ARITH_CODE_H

#include "shell/arith/arith.h"
#include "shell/state/var.h"

enum arith_op {
    OP_NOP,
    OP_END,   /* the top of the stack is the result */
    OP_INT,   /* push ARG as an integer */
    OP_CONST, /* push constants[ARG] */
    OP_OCTAL, /* push constants[ARG], or [ARG + 1] where a leading 0 means octal */
    OP_POP,
    OP_LOAD,      /* push the value of names[ARG] */
    OP_STORE,     /* names[ARG] = top */
    OP_PRE_ADD,   /* names[ARG] += AUX (1 or -1), push the new value */
    OP_POST_ADD,  /* the same, push the old value */
    OP_ELEMENT,   /* push a reference to elements[ARG]; of an associative array: go on at its END */
    OP_INDEX,     /* pop a number: the index of the top reference */
    OP_LOAD_REF,  /* pop a reference, push its value */
    OP_PEEK_REF,  /* push the value of the top reference, which stays */
    OP_STORE_REF, /* pop a reference, assign the top to it */
    OP_PRE_ADD_REF,
    OP_POST_ADD_REF, /* as the ones for names; pop the reference */
    OP_POWER,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_ADD,
    OP_SUBTRACT,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_BIT_AND,
    OP_BIT_XOR,
    OP_BIT_OR,
    OP_NEGATE,
    OP_NOT,
    OP_COMPLEMENT,
    OP_TO_NUMBER, /* unary + */
    OP_TO_BOOL,
    OP_JUMP,       /* to instruction ARG */
    OP_JUMP_FALSE, /* pop; jump when zero */
    OP_AND_JUMP,   /* top zero: make it 0 and jump; else pop */
    OP_OR_JUMP,    /* top not zero: make it 1 and jump; else pop */
    OP_CALL,       /* math function ARG of AUX arguments */
    OP_CALL_USER,  /* function elements[ARG] of the script, AUX arguments */
    OP_FAIL,       /* the subscript at elements[ARG] is no expression */
};

struct arith_insn {
    uint8_t op; /* enum arith_op */
    int8_t aux;
    uint32_t arg;
};

/* Something written NAME[TEXT] or NAME(..). For elements END is the instruction after OP_INDEX. */
struct arith_element {
    struct name *name;
    const char *text; /* in the code's own copy of the source; quotes already removed */
    uint32_t len;
    uint32_t end;
    bool dynamic; /* more than one subscript, or members of an element: resolved from the text each
                     time */
};

struct arith_code {
    uint32_t refs;
    uint32_t len;
    uint32_t stack_max, ref_max;
    bool posix;       /* compiled in the POSIX mode */
    const char *text; /* the source, for messages */
    const struct arith_insn *insns;
    const struct num *constants;
    struct name *const *names;
    uint32_t name_count;
    const struct arith_element *elements;
};

/* How an error in the expression TEXT is reported: `TEXT: why`. */
enum flow arith_fail(struct shell *sh, const char *text, size_t len, const char *why) NODISCARD;

/* cache.c: the code of TEXT; the caller drops it with arith_code_free. */
enum flow arith_cache_get(struct shell *sh, const char *text, size_t len,
                          struct arith_code **ret_code) NODISCARD;

/* func.c. -1: no such function. */
int arith_function_find(const char *name, size_t len);
/* Calls FUNCTION, or what the script has defined in its place, with COUNT of ARGS; the result goes
 * to the first of ARGS, which has room for it in any case. */
enum flow arith_function_run(struct shell *sh, const struct arith_code *code, int function,
                             size_t count, struct num *args) NODISCARD;
/* Calls the script's function .sh.math.NAME. */
enum flow arith_function_call_user(struct shell *sh, const struct arith_code *code,
                                   const struct arith_element *element, size_t count,
                                   const struct num *args, struct num *ret) NODISCARD;

#endif
