/* Growable byte strings and small text helpers. Allocation failure is sticky: a failed append
 * leaves the string as it was and sets `failed`; the user of the result checks once, with str_ok.
 */
#ifndef SHELL_BASE_STR_H
#define SHELL_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libmem.h"

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define NODISCARD         __attribute__((warn_unused_result))

/* DATA is NULL or NUL-terminated (the NUL is not counted in LEN; LEN < CAP). May hold NUL bytes. */
struct str {
    char *data;
    size_t len, cap;
    struct mem_region *region; /* where DATA lives */
    bool failed;               /* an allocation failed since init/clear */
    uint8_t kind;              /* of DATA (kind.h), set after str_init; 0: as its region says */
};

void str_init(struct str *s, struct mem_region *region);
void str_release(struct str *s);
/* Empties S, keeps the room, resets `failed`. */
void str_clear(struct str *s);
/* Makes room for EXTRA more bytes (and the NUL); false when out of memory (sticky). */
bool str_reserve(struct str *s, size_t extra);
void str_append(struct str *s, const char *bytes, size_t len);
void str_append_z(struct str *s, const char *text);
void str_append_int(struct str *s, int64_t n);
void str_printf(struct str *s, const char *format, ...) PRINTF_LIKE(2, 3);
void str_vprintf(struct str *s, const char *format, va_list args) PRINTF_LIKE(2, 0);
void str_insert(struct str *s, size_t at, const char *bytes, size_t len);
void str_remove(struct str *s, size_t at, size_t len);
void str_truncate(struct str *s, size_t len);
/* The text, never NULL; borrowed until the next change of S. */
const char *str_text(const struct str *s);
/* Moves the text out (the caller frees it with mem_free); S is empty after. NULL if failed. */
char *str_take(struct str *s);
static inline bool str_ok(const struct str *s)
{
    return !s->failed;
}
/* One byte; the fast path is inline. */
static inline void str_putc(struct str *s, char c)
{
    if (s->len + 1 >= s->cap && !str_reserve(s, 1))
        return;
    s->data[s->len++] = c;
    s->data[s->len] = '\0';
}

/* Copies; NULL when out of memory. The copy is NUL-terminated and freed with mem_free. */
char *text_dup(struct mem_region *region, const char *text);
char *text_dup_n(struct mem_region *region, const char *text, size_t len);
bool text_eq(const char *a, size_t a_len, const char *b, size_t b_len);
/* Byte order with a shorter prefix first. */
int text_compare(const char *a, size_t a_len, const char *b, size_t b_len);
/* memmove of at most 16 bytes, without a call: copying a short text takes longer to start than to
 * do.
 */
static inline void text_move_short(char *to, const char *from, size_t len)
{
    if (len >= 8) {
        uint64_t head, tail;
        memcpy(&head, from, 8);
        memcpy(&tail, from + len - 8, 8);
        memcpy(to, &head, 8);
        memcpy(to + len - 8, &tail, 8);
    } else if (len >= 4) {
        uint32_t head, tail;
        memcpy(&head, from, 4);
        memcpy(&tail, from + len - 4, 4);
        memcpy(to, &head, 4);
        memcpy(to + len - 4, &tail, 4);
    } else if (len > 0) {
        char first = from[0], middle = from[len / 2], last = from[len - 1];
        to[0] = first;
        to[len / 2] = middle;
        to[len - 1] = last;
    }
}
/* True when TEXT is a shell name: letter or _ then letters, digits, _. */
bool text_is_name(const char *text, size_t len);
/* As text_is_name, with dots between names and a leading dot allowed (ksh variables). */
bool text_is_dotted_name(const char *text, size_t len);
/* Length of the longest name at the start of TEXT. */
size_t text_name_len(const char *text, size_t len);
uint32_t text_hash(const char *text, size_t len);

#endif
