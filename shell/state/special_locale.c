/*
 * LANG and LC_*: the locale follows the variables at once.
 *
 * Owns what libc, base/utf8 and base/numeric are told. A name that libc has no data for may still
 * be that of a locale: `en_US.UTF-8` without its package installed has UTF-8 characters all the
 * same. Only what cannot be one is warned of, and leaves the locale as it was. Must not write
 * variables.
 */
#include <locale.h>
#include <string.h>

#include "shell/base/numeric.h"
#include "shell/base/utf8.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* ISO 639-1, two letters each. */
static const char languages[] =
    "aaabaeafakamanarasavayazbabebgbhbibmbnbobrbscacechcocrcscucvcydadedvdzeeeleneoeseteufafffifj"
    "fofrfygagdglgngugvhahehihohrhthuhyhziaidieigiiikioisitiujajvkakgkikjkkklkmknkokrkskukvkwkyla"
    "lblglilnloltlulvmgmhmimkmlmnmrmsmtmynanbndnengnlnnnonrnvnyocojomorospapiplpsptqurmrnrorurw"
    "sascsdsesgsiskslsmsnsosqsrssstsusvswtatetgthtitktltntotrtstttwtyugukuruzvevivowawoxhyiyoza"
    "zhzu";

static bool is_language(const char *text, size_t len)
{
    if (len != 2) /* ISO 639-2 has hundreds */
        return len == 3 && len == strspn(text, "abcdefghijklmnopqrstuvwxyz");
    for (const char *at = languages; *at; at += 2)
        if (memcmp(at, text, 2) == 0)
            return true;
    return false;
}

/* Could VALUE be `language[_territory][.codeset][@modifier]`, or the C locale? */
static bool is_plausible(const char *value)
{
    size_t len = strcspn(value, "_.@");
    if ((len == 1 && *value == 'C') || (len == 5 && memcmp(value, "POSIX", 5) == 0))
        return true;
    return is_language(value, len);
}

/* Does the name of a locale say that its characters are UTF-8? */
static bool says_utf8(const char *value)
{
    static const char *const codesets[] = { "UTF-8", "utf8", "utf-8", "UTF8" };
    const char *codeset = strchr(value, '.');
    size_t len = codeset ? strcspn(++codeset, "@") : 0;
    for (size_t i = 0; i < sizeof codesets / sizeof *codesets; i++)
        if (text_eq(codeset, len, codesets[i], strlen(codesets[i])))
            return true;
    return false;
}

/* The locale that the variables ask for in a category: LC_ALL, else OWN, else LANG. */
static const char *wanted_locale(struct shell *sh, const char *own)
{
    const char *names[] = { "LC_ALL", own, "LANG" };
    const char *value = NULL;
    for (size_t i = 0; i < 3 && !(value && *value); i++)
        value = var_text(sh, names[i]);
    return value && *value ? value : "C";
}

static bool is_utf8_c(const char *value)
{
    return strcmp(value, "C.UTF-8") == 0 || strcmp(value, "C.utf8") == 0;
}

static bool is_c(const char *value)
{
    return strcmp(value, "C") == 0 || strcmp(value, "POSIX") == 0 || is_utf8_c(value);
}

static void refresh_category(struct shell *sh, int category, const char *own)
{
    const char *value = wanted_locale(sh, own);
    /* in every C locale all but the characters is the same */
    if (is_c(value) && category == LC_CTYPE) {
        utf8_choose(is_utf8_c(value));
        return;
    }
    if (is_c(value))
        value = "C";
    const char *now = setlocale(category, NULL);
    if (now && strcmp(now, value) == 0)
        return;
    if (setlocale(category, value)) {
        if (category == LC_CTYPE)
            utf8_refresh();
    } else if (is_plausible(value)) {
        if (category == LC_CTYPE)
            utf8_choose(says_utf8(value));
        else
            (void)setlocale(category, "C");
    }
}

static void refresh_numeric(struct shell *sh)
{
    const char *value = wanted_locale(sh, "LC_NUMERIC");
    if (is_c(value) || (!numeric_choose(value) && is_plausible(value)))
        (void)numeric_choose(NULL);
}

void special_locale(struct shell *sh)
{
    refresh_numeric(sh);
    refresh_category(sh, LC_CTYPE, "LC_CTYPE");
    refresh_category(sh, LC_COLLATE, "LC_COLLATE");
    refresh_category(sh, LC_MESSAGES, "LC_MESSAGES");
    refresh_category(sh, LC_TIME, "LC_TIME");
    struct name *ifs = name_find(sh, "IFS", 3);
    if (ifs)
        special_refresh(sh, ifs); /* its characters may be others now */
}

bool special_locale_known(struct shell *sh, const struct name *name, const char *text, size_t len)
{
    const char *all = var_text(sh, "LC_ALL");
    bool counts = strcmp(name->text, "LC_ALL") == 0 || !all || !*all;
    if (len == 0 || !counts || is_plausible(text))
        return true;
    shell_warn(sh, NULL, "%.*s: unknown locale", (int)len, text);
    return false;
}

enum flow special_set_locale(struct shell *sh, struct name *name, const char *text, size_t len)
{
    (void)name;
    (void)text;
    (void)len;
    special_locale(sh);
    return FLOW_NEXT;
}
