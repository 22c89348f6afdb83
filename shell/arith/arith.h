/*
 * Arithmetic: expression text -> bytecode -> number. ksh93 semantics: 64-bit integers and long
 * doubles, variables by name (also a[sub], dotted names, .sh.x), assignment operators, ++ --, ?:,
 * comma, && || short-circuit, ** power, bases, character constants 'x', math functions (func.c) and
 * those of the script, .sh.math.name.
 */
#ifndef SHELL_ARITH_ARITH_H
#define SHELL_ARITH_ARITH_H

#include "shell/base/num.h"
#include "shell/state/shell.h"

struct arith_code;

/* Compiles TEXT. *RET_CODE belongs to the caller (arith_code_free). Fails with ERROR_EXPANSION
 * `EXPR: why`. */
enum flow arith_compile(struct shell *sh, const char *text, size_t len,
                        struct arith_code **ret_code) NODISCARD;
void arith_code_free(struct arith_code *code);
/* Runs compiled code. */
enum flow arith_run(struct shell *sh, const struct arith_code *code, struct num *ret) NODISCARD;
/* Compile (through the cache, keyed by the text) and run: the hook arith_text. Empty or blank text
 * is 0. */
enum flow arith_eval(struct shell *sh, const char *text, size_t len, struct num *ret) NODISCARD;
/* As arith_eval, to a 64-bit integer (subscripts, slices). */
enum flow arith_eval_int(struct shell *sh, const char *text, size_t len, int64_t *ret) NODISCARD;
/* As $((...)) shows a number: appended to S. */
void arith_format(struct str *s, struct num n);

struct arith_cache *arith_cache_new(struct mem_region *region);
void arith_cache_free(struct arith_cache *cache);
/* Names of math functions for listing and completion; NULL past the end. */
const char *arith_function_at(size_t index);

#endif
