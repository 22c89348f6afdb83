/*
 * libm at first use. A shell starts many times a second and few scripts take a sine, while loading
 * the library costs a tenth of a start: so nothing of it is linked.
 *
 * What needs a function of libm finds it here and keeps the address. Nothing here knows which
 * functions a script may call; that is the table of arith/func.c.
 */
#include "shell/base/mathlib.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stdio.h>
#include <unistd.h>

void *mathlib_find(const char *symbol)
{
    static void *library;
    if (!library)
        library = dlopen(LIBM_SO, RTLD_NOW | RTLD_GLOBAL);
    void *address = library ? dlsym(library, symbol) : NULL;
    if (!address) {
        dprintf(STDERR_FILENO, "memksh: %s: %s: cannot load it: %s\n", LIBM_SO, symbol, dlerror());
        _exit(127);
    }
    return address;
}

long double mathlib_pow(long double x, long double y)
{
    static long double (*function)(long double, long double);
    if (!function)
        *(void **)&function = mathlib_find("powl");
    return function(x, y);
}
