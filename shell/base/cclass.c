/*
 * The table behind cclass.h: what each byte is to the shell's grammar.
 *
 * Constant, and independent of the locale on purpose: a script must parse the same everywhere.
 * Bytes of multibyte characters belong to no class.
 */
#include "shell/base/cclass.h"

enum { LETTER = CC_NAME_START | CC_NAME };

const uint8_t cclass_table[256] = {
    ['a' ... 'z'] = LETTER,
    ['A' ... 'Z'] = LETTER,
    ['_'] = LETTER,
    ['0' ... '9'] = CC_NAME | CC_DIGIT,
    [' '] = CC_BLANK | CC_META | CC_SPACE,
    ['\t'] = CC_BLANK | CC_META | CC_SPACE,
    ['\n'] = CC_META | CC_SPACE,
    ['\v'] = CC_SPACE,
    ['\f'] = CC_SPACE,
    ['\r'] = CC_SPACE,
    [';'] = CC_META,
    ['&'] = CC_META,
    ['|'] = CC_META,
    ['<'] = CC_META,
    ['>'] = CC_META,
    ['('] = CC_META | CC_PATTERN,
    [')'] = CC_META,
    ['*'] = CC_PATTERN,
    ['?'] = CC_PATTERN,
    ['['] = CC_PATTERN,
    ['\\'] = CC_PATTERN | CC_QUOTE,
    ['\''] = CC_QUOTE,
    ['"'] = CC_QUOTE,
    ['`'] = CC_QUOTE,
    ['$'] = CC_QUOTE,
};
