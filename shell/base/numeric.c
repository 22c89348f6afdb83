/*
 * The decimal point and the separator of thousands of LC_NUMERIC.
 *
 * Owns numeric. libc's LC_NUMERIC must stay "C" but while it is asked: numbers are written to
 * variables, traces and reports by its functions and must be read back whatever the locale is by
 * then.
 */
#include "shell/base/numeric.h"

#include <locale.h>
#include <string.h>

struct numeric numeric = { .radix = "." };

static void take_symbol(char *ret, const char *symbol, const char *otherwise)
{
    size_t len = strlen(symbol);
    if (len > NUMERIC_SYMBOL_MAX)
        symbol = otherwise;
    memcpy(ret, symbol, strlen(symbol) + 1);
}

bool numeric_choose(const char *locale)
{
    if (!locale) {
        numeric = (struct numeric){ .radix = "." };
        return true;
    }
    /* nl_langinfo_l does not know these of another locale in a static program */
    if (!setlocale(LC_NUMERIC, locale))
        return false;
    const struct lconv *symbols = localeconv();
    take_symbol(numeric.radix, *symbols->decimal_point ? symbols->decimal_point : ".", ".");
    take_symbol(numeric.thousands, symbols->thousands_sep, "");
    (void)setlocale(LC_NUMERIC, "C");
    return true;
}
