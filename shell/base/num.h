/* Numbers and text. */
#ifndef SHELL_BASE_NUM_H
#define SHELL_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/base/str.h"

/* The result of arithmetic: a 64-bit integer or a long double. */
struct num {
    bool is_float;
    union {
        int64_t i;
        long double f;
    };
};
static inline struct num num_int(int64_t i)
{
    return (struct num){ .is_float = false, .i = i };
}
static inline struct num num_float(long double f)
{
    return (struct num){ .is_float = true, .f = f };
}
static inline bool num_is_true(struct num n)
{
    return n.is_float ? n.f != 0 : n.i != 0;
}
/* Truncates toward zero; out-of-range floats saturate. */
int64_t num_to_int(struct num n);

/* A whole decimal number with optional sign and blanks around it; false when malformed or out of
 * range. */
bool num_parse_int(const char *text, size_t len, int64_t *ret);
/* An arithmetic constant at the start of TEXT: decimal, 0x, 0 octal (when OCTAL), B#digits
 * (base 2..64), floating with exponent, hex float, inf, nan. Sets either *RET_INT or *RET_FLOAT and
 * *RET_IS_FLOAT (integers that do not fit 64 bits become floating). Returns bytes consumed, 0 when
 * no number. *RET_BASE: base if written B#n else 10. */
size_t num_scan(const char *text, size_t len, bool octal, int64_t *ret_int, long double *ret_float,
                bool *ret_is_float, int *ret_base);
/* Decimal digits of N into RET (24 bytes); returns the length. Fast. */
size_t num_format_int(int64_t n, char *ret);
/* BASE 2..64 as `B#digits` (PREFIX) into RET (80 bytes); base 10 without prefix. */
size_t num_format_base(int64_t n, int base, bool prefix, char *ret);
/* As ksh shows an untyped floating result: up to DIGITS significant digits (%.*Lg), never a
 * trailing dot. */
void num_format_float(struct str *s, long double f, int digits);

/* F such that printing it by CONVERSION (f, e, g) with PRECISION (-1: that of C) rounds what lies
 * half way between two away from 0, as ksh93 does, and not to the even one. */
long double num_round_half(long double f, char conversion, int precision);
/* F rounded to PRECISION hexadecimal digits after its first one, which stays 1. */
double num_round_hex(long double f, int precision);

#endif
