/*
 * option_word.c: reading the words of VMALLOC_OPTIONS: negation, lists, sizes and files.
 *
 * Sizes may be decimal or 0x; k m g t p e after them are powers of 1000, with i of 1024, and a B at
 * the end means nothing. What overflows is no size. Nothing here allocates or writes a message.
 */
#include "libmem/option_word.h"

bool option_word_is(struct word word, const char *text)
{
    return strlen(text) == word.bytes && memcmp(word.text, text, word.bytes) == 0;
}

bool option_word_cut_no(struct word *word)
{
    size_t cut = 0;

    if (word->bytes > 2 && memcmp(word->text, "no", 2) == 0)
        cut = word->bytes > 3 && word->text[2] == '-' ? 3 : 2;
    word->text += cut;
    word->bytes -= cut;
    return cut != 0;
}

bool option_word_next(struct word *list, struct word *ret_part)
{
    if (!list->text)
        return false;
    const char *colon = memchr(list->text, ':', list->bytes);
    size_t bytes = colon ? (size_t)(colon - list->text) : list->bytes;

    *ret_part = (struct word){ list->text, bytes };
    list->text = colon ? colon + 1 : NULL;
    list->bytes = colon ? list->bytes - bytes - 1 : 0;
    return true;
}

static bool digit_value(char c, unsigned base, unsigned *ret_digit)
{
    unsigned digit = 99;

    if (c >= '0' && c <= '9')
        digit = (unsigned)(c - '0');
    else if ((c | 32) >= 'a' && (c | 32) <= 'f')
        digit = (unsigned)((c | 32) - 'a') + 10;
    *ret_digit = digit;
    return digit < base;
}

/* The suffix of a size at TEXT: k m g t p e are powers of 1000, with i of 1024; a B is ignored. */
static bool size_scale(const char *text, size_t bytes, size_t *size)
{
    static const char letters[] = "kmgtpe";
    size_t at = 0, unit = 1000;
    const char *letter = bytes ? memchr(letters, text[0] | 32, sizeof letters - 1) : NULL;

    if (letter) {
        at = 1;
        if (at < bytes && (text[at] | 32) == 'i') {
            unit = 1024;
            at++;
        }
        for (const char *step = letters; step <= letter; step++)
            if (__builtin_mul_overflow(*size, unit, size))
                return false;
        if (at < bytes && (text[at] | 32) == 'b')
            at++;
    }
    return at == bytes;
}

bool option_word_size(struct word word, size_t *ret_size)
{
    unsigned base = 10, digit;
    size_t at = 0, size = 0, digits = 0;

    if (!word.text)
        return false;
    if (word.bytes > 2 && word.text[0] == '0' && (word.text[1] | 32) == 'x') {
        base = 16;
        at = 2;
    }
    for (; at < word.bytes && digit_value(word.text[at], base, &digit); at++, digits++)
        if (__builtin_mul_overflow(size, (size_t)base, &size) ||
            __builtin_add_overflow(size, (size_t)digit, &size))
            return false;
    if (!digits || !size_scale(word.text + at, word.bytes - at, &size))
        return false;
    *ret_size = size;
    return true;
}

/* ---- files ---- */

/* &N and /dev/fd/N are open descriptors; a number too large is one that is not open. */
static bool file_descriptor(const char *name, int *ret_fd)
{
    const char *digits = name[0] == '&' ? name + 1 : NULL;
    int fd = 0;

    if (strncmp(name, "/dev/fd/", 8) == 0)
        digits = name + 8;
    if (!digits || !*digits || digits[strspn(digits, "0123456789")])
        return false;
    for (; *digits; digits++)
        if (__builtin_mul_overflow(fd, 10, &fd) || __builtin_add_overflow(fd, *digits - '0', &fd))
            fd = INT_MAX;
    *ret_fd = fd;
    return true;
}

/* VALUE as a file name, with %p for the process id. */
static bool file_name(struct word value, char *ret_name, size_t bytes)
{
    struct mem_line line = { .used = 0 };

    for (size_t i = 0; i < value.bytes; i++) {
        if (value.text[i] == '%' && i + 1 < value.bytes && value.text[i + 1] == 'p') {
            line_dec(&line, (uint64_t)getpid());
            i++;
        } else {
            line_text(&line, value.text + i, 1);
        }
    }
    if (line.used >= bytes || line.used >= sizeof line.text - 1)
        return false;
    memcpy(ret_name, line.text, line.used);
    ret_name[line.used] = '\0';
    return true;
}

int option_word_open(struct word value, char name[MEM_FILE_BYTES])
{
    char path[MEM_FILE_BYTES];
    int fd;

    errno = ENAMETOOLONG;
    if (!value.text || value.bytes >= MEM_FILE_BYTES || !file_name(value, path, sizeof path))
        return -1;
    memcpy(name, value.text, value.bytes);
    name[value.bytes] = '\0';
    if (file_descriptor(path, &fd))
        return fcntl(fd, F_DUPFD_CLOEXEC, 48);
    return glue_open_write(path, options_restoring);
}
