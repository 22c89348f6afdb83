/*
 * Modes of files as chmod writes them, for umask and mktemp.
 *
 * The letters s and t are read and mean nothing: no mask has such bits, and no temporary file.
 */
#include "builtins/mode.h"

#include <string.h>
#include <sys/stat.h>

static mode_t who_bits(char who)
{
    switch (who) {
    case 'u':
        return S_IRWXU;
    case 'g':
        return S_IRWXG;
    case 'o':
        return S_IRWXO;
    default:
        return S_IRWXU | S_IRWXG | S_IRWXO;
    }
}

/* The bits that one permission letter stands for; letters u g o copy from MODE. */
static bool permission_bits(char c, mode_t mode, mode_t *ret_bits)
{
    switch (c) {
    case 'r':
        *ret_bits |= S_IRUSR | S_IRGRP | S_IROTH;
        return true;
    case 'w':
        *ret_bits |= S_IWUSR | S_IWGRP | S_IWOTH;
        return true;
    case 'x':
    case 'X':
        *ret_bits |= S_IXUSR | S_IXGRP | S_IXOTH;
        return true;
    case 's':
    case 't':
        return true;
    case 'u':
        *ret_bits |= (mode >> 6 & 7) * 0111;
        return true;
    case 'g':
        *ret_bits |= (mode >> 3 & 7) * 0111;
        return true;
    case 'o':
        *ret_bits |= (mode & 7) * 0111;
        return true;
    default:
        return false;
    }
}

bool mode_parse_symbolic(const char *text, mode_t *mode)
{
    const char *p = text;
    for (;;) {
        mode_t who = 0;
        for (; *p && strchr("ugoa", *p); p++)
            who |= who_bits(*p);
        if (!who)
            who = who_bits('a');
        if (!*p || !strchr("+-=", *p))
            return false;
        while (*p && strchr("+-=", *p)) {
            char operation = *p++;
            mode_t bits = 0;
            for (; *p && *p != ',' && !strchr("+-=", *p); p++)
                if (!permission_bits(*p, *mode, &bits))
                    return false;
            if (operation == '=')
                *mode &= ~who;
            if (operation == '-')
                *mode &= ~(bits & who);
            else
                *mode |= bits & who;
        }
        if (*p != ',')
            return *p == '\0';
        p++;
    }
}

bool mode_parse_octal(const char *text, mode_t most, mode_t *ret)
{
    mode_t mode = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '7')
            return false;
        mode = mode * 8 + (mode_t)(*text - '0');
        if (mode > most)
            return false;
    }
    *ret = mode;
    return true;
}
