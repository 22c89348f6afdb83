/*
 * Messages on standard error.
 *
 * Owns the program's name as shown in messages. A message is one line and, up to the size of a
 * buffer, one write(2), so that lines of several processes do not mix. Control characters are shown
 * as ^X: file names and script text in a message must not drive the terminal.
 *
 * Must not use struct out (whose errors it may have to report) and must not allocate without need.
 */
#include "shell/base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/base/sys.h"

enum { DIAG_STDERR = 2 };

const char *diag_program = "memksh";

void diag_line(const char *text, size_t len)
{
    char buffer[4096];
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (used > sizeof buffer - 3) {
            sys_write_all(DIAG_STDERR, buffer, used);
            used = 0;
        }
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            buffer[used++] = '^';
            c ^= 0x40;
        }
        buffer[used++] = (char)c;
    }
    buffer[used++] = '\n';
    sys_write_all(DIAG_STDERR, buffer, used);
}

void diag_printf(const char *format, ...)
{
    struct str line;
    str_init(&line, mem_region_malloc());
    va_list args;
    va_start(args, format);
    str_vprintf(&line, format, args);
    va_end(args);
    if (str_ok(&line)) {
        diag_line(str_text(&line), line.len);
    } else { /* no memory: what fits here is better than nothing */
        char cut[1024];
        va_start(args, format);
        int len = vsnprintf(cut, sizeof cut, format, args);
        va_end(args);
        diag_line(cut, len < 0 ? 0 : strlen(cut));
    }
    str_release(&line);
}

void diag_bug(const char *file, int line, const char *what)
{
    char text[512];
    int len = snprintf(text, sizeof text, "%s: bug: %s:%d: %s", diag_program, file, line, what);
    if (len > 0)
        diag_line(text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
    abort();
}
