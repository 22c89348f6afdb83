/* Byte classes of the shell's grammar, independent of the locale. */
#ifndef SHELL_BASE_CCLASS_H
#define SHELL_BASE_CCLASS_H

#include <stdbool.h>
#include <stdint.h>

enum cclass {
    CC_NAME_START = 1u << 0, /* letter or _ */
    CC_NAME = 1u << 1,       /* letter, digit or _ */
    CC_DIGIT = 1u << 2,
    CC_BLANK = 1u << 3,   /* space, tab */
    CC_META = 1u << 4,    /* ends an unquoted word: blank newline ; & | < > ( ) */
    CC_PATTERN = 1u << 5, /* * ? [ \ and what opens extended patterns */
    CC_QUOTE = 1u << 6,   /* \ ' " ` $ */
    CC_SPACE = 1u << 7,   /* isspace in the C locale */
};
extern const uint8_t cclass_table[256];
static inline bool cclass_is(char c, unsigned classes)
{
    return (cclass_table[(unsigned char)c] & classes) != 0;
}

#endif
