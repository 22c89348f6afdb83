/* Base64, as in RFC 4648: the text form of binary variables. */
#ifndef SHELL_BASE_BASE64_H
#define SHELL_BASE_BASE64_H

#include "shell/base/str.h"

/* Appends the LEN bytes as text, filled up with `=`. */
void base64_encode(struct str *s, const char *bytes, size_t len);
/* Appends the bytes that TEXT, up to a `=`, stands for. What is no digit is skipped, and a rest
 * of less than a byte lost. */
void base64_decode(struct str *s, const char *text, size_t len);

#endif
