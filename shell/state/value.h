/*
 * Values: one piece of data of a variable or an element. Plain storage: attributes, journal and
 * hooks are the callers' business. Text may be any bytes and is NUL-terminated.
 */
#ifndef SHELL_STATE_VALUE_H
#define SHELL_STATE_VALUE_H

#include <string.h>

#include "shell/state/var.h"

/* Frees what V holds and makes it unset; the stamp stays. */
void value_clear(struct value *v);
/* Stores TEXT, reusing the present room. TEXT may be part of V's own text. false: out of memory or
 * too long, and V is as it was. */
bool value_set_text(struct mem_region *heap, struct value *v, const char *text,
                    size_t len) NODISCARD;
/* Appends to V, which holds text or an integer, whose decimal digits become its text; TEXT may be
 * part of V's own text. Room grows geometrically. */
bool value_append_text(struct mem_region *heap, struct value *v, const char *text,
                       size_t len) NODISCARD;
/* Replaces what V holds by a number. */
void value_set_int(struct value *v, int64_t i);
void value_set_float(struct value *v, long double f);
/* Turns the integer that V holds into text in V itself. false: V holds none, or its digits do not
 * fit there, and V is as it was. */
bool value_int_to_text(struct value *v);
/* Makes V hold ARRAY, which V owns from now on. */
void value_take_array(struct value *v, struct array *array);
/* The same for MEMBERS, whose reference becomes V's. */
void value_take_members(struct value *v, struct members *members);
/* Moves FROM's data to TO, which must be unset; FROM becomes unset. Stamps stay. */
void value_move(struct value *to, struct value *from);
/* Copies FROM's data to TO, which must be unset. false: out of memory. */
bool value_copy(struct mem_region *heap, struct value *to, const struct value *from) NODISCARD;

/* The value that stands for V where one piece of data is wanted: V, or of an array its element 0
 * (key "0"); NULL: none. */
const struct value *value_scalar(const struct value *v);

enum { VALUE_OWNS = VALUE_HEAP | VALUE_ARRAY | VALUE_COMPOUND }; /* there is something to free */
/* value_set_text, at once where text fits into V itself. */
static inline bool value_put_text(struct mem_region *heap, struct value *v, const char *text,
                                  size_t len)
{
    if (len > VALUE_INLINE || (v->bits & VALUE_OWNS))
        return value_set_text(heap, v, text, len);
    text_move_short(v->text, text, len);
    v->text[len] = '\0';
    v->inline_len = (uint8_t)len;
    v->bits = VALUE_TEXT;
    return true;
}

static inline bool value_is_set(const struct value *v)
{
    return v->bits != 0;
}
/* The text; V must hold text. Borrowed until V changes or moves. */
static inline const char *value_text(const struct value *v, size_t *ret_len)
{
    if (v->bits & VALUE_HEAP) {
        *ret_len = v->heap.len;
        return v->heap.data;
    }
    *ret_len = v->inline_len;
    return v->text;
}
/* The text in V itself is the decimal number I: kept beside it where there is room. */
static inline void value_note_number(struct value *v, int64_t i)
{
    if (v->inline_len <= VALUE_SHORT) {
        v->bits |= VALUE_NUMBER;
        v->short_number = i;
    }
}
static inline long double value_float(const struct value *v)
{
    long double f;
    memcpy(&f, v->f, sizeof f);
    return f;
}
static inline uint64_t value_stamp(const struct value *v)
{
    return (uint64_t)v->stamp_high << 32 | v->stamp_low;
}
static inline void value_set_stamp(struct value *v, uint64_t stamp)
{
    v->stamp_low = (uint32_t)stamp;
    v->stamp_high = (uint16_t)(stamp >> 32);
}

#endif
