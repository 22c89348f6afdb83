/*
 * Base64.
 *
 * Decoding never fails: line breaks and other strangers are skipped, as the text may come from
 * anywhere. Encoding what was decoded gives the canonical form. Must not know of variables.
 */
#include "shell/base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct str *s, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += 3) {
        uint32_t bits = 0;
        size_t count = len - i < 3 ? len - i : 3;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < count ? (unsigned char)bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            str_putc(s, k <= count ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
}

void base64_decode(struct str *s, const char *text, size_t len)
{
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < len && text[i] != '='; i++) {
        const char *at = text[i] ? strchr(digits, text[i]) : NULL;
        if (!at)
            continue;
        bits = bits << 6 | (uint32_t)(at - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            str_putc(s, (char)(bits >> count & 0xff));
        }
    }
}
