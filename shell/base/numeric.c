/*
 * The decimal point and the separator of thousands of LC_NUMERIC.
 *
 * Owns numeric. libc's LC_NUMERIC must stay "C": numbers are written to variables, traces and
 * reports by its functions and must be read back whatever the locale is by then.
 */
#include "shell/base/numeric.h"

#include <langinfo.h>
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
    locale_t symbols = newlocale(LC_NUMERIC_MASK, locale, (locale_t)0);
    if (!symbols)
        return false;
    const char *radix = nl_langinfo_l(RADIXCHAR, symbols);
    take_symbol(numeric.radix, *radix ? radix : ".", ".");
    take_symbol(numeric.thousands, nl_langinfo_l(THOUSEP, symbols), "");
    freelocale(symbols);
    return true;
}
