/*
 * Storage of one value: inline text, heap text with room, numbers.
 *
 * Invariants: exactly one of VALUE_TEXT, VALUE_INT, VALUE_FLOAT, VALUE_ARRAY, VALUE_COMPOUND
 * is set in BITS, or none (unset); VALUE_HEAP only together with VALUE_TEXT. Heap text stays in its
 * block while the block is not grossly too big, so that a variable assigned in a loop allocates
 * nothing.
 *
 * Must not look at attributes and must not record anything: see var_write.c.
 */
#include "shell/state/value.h"

#include "shell/base/kind.h"
#include "shell/base/num.h"
#include "shell/state/array.h"
#include "shell/state/members.h"

enum {
    KEEP_ROOM_BYTES = 512, /* blocks up to here are kept whatever is stored in them */
    FIRST_ROOM_BYTES = 32,
};

static void free_owned(struct value *v)
{
    if (v->bits & VALUE_HEAP)
        mem_free(v->heap.data);
    else if (v->bits & VALUE_ARRAY)
        array_free(v->array);
    else
        members_release(v->members);
}

void value_clear(struct value *v)
{
    if (v->bits & VALUE_OWNS)
        free_owned(v);
    v->bits = 0;
}

/* Bytes to ask for text of LEN bytes, or 0 when it is too long. */
static size_t room_for(size_t len)
{
    if (len >= UINT32_MAX - 64)
        return 0;
    size_t bytes = mem_good_bytes(len + 1);
    return bytes < UINT32_MAX ? bytes : len + 1;
}

static bool set_heap_text(struct mem_region *heap, struct value *v, const char *text, size_t len)
{
    size_t cap = room_for(len);
    char *data = cap ? mem_alloc_kind(heap, cap, KIND_STRING) : NULL;
    if (!data)
        return false;
    memcpy(data, text, len);
    data[len] = '\0';
    if (v->bits & VALUE_OWNS)
        free_owned(v);
    v->bits = VALUE_TEXT | VALUE_HEAP;
    v->heap.data = data;
    v->heap.len = (uint32_t)len;
    v->heap.cap = (uint32_t)cap;
    return true;
}

bool value_set_text(struct mem_region *heap, struct value *v, const char *text, size_t len)
{
    if (v->bits & VALUE_HEAP) {
        bool wasteful = v->heap.cap > KEEP_ROOM_BYTES && len < v->heap.cap / 4;
        if (len < v->heap.cap && !wasteful) {
            memmove(v->heap.data, text, len);
            v->heap.data[len] = '\0';
            v->heap.len = (uint32_t)len;
            return true;
        }
        if (len <= VALUE_INLINE) {
            char *old = v->heap.data;
            memmove(v->text, text, len); /* TEXT may be in OLD: freed after */
            v->text[len] = '\0';
            v->inline_len = (uint8_t)len;
            v->bits = VALUE_TEXT;
            mem_free(old);
            return true;
        }
        return set_heap_text(heap, v, text, len);
    }
    if (len > VALUE_INLINE)
        return set_heap_text(heap, v, text, len);
    struct value old = { .bits = v->bits & VALUE_OWNS };
    if (old.bits)
        memcpy(old.text, v->text, sizeof old.text);
    memmove(v->text, text, len);
    v->text[len] = '\0';
    v->inline_len = (uint8_t)len;
    v->bits = VALUE_TEXT;
    if (old.bits)
        free_owned(&old);
    return true;
}

/* Gives V, which holds text, a heap block with room for BYTES (with the NUL), growing
 * geometrically. */
static bool grow(struct mem_region *heap, struct value *v, size_t bytes)
{
    size_t old_len;
    const char *old = value_text(v, &old_len);
    size_t cap = old_len < FIRST_ROOM_BYTES ? FIRST_ROOM_BYTES : old_len + old_len / 2;
    if (cap < bytes)
        cap = bytes;
    cap = room_for(cap);
    if (!cap) /* geometric growth is too much: just what is needed */
        cap = room_for(bytes - 1);
    if (!cap)
        return false;
    char *data;
    if (v->bits & VALUE_HEAP) {
        data = mem_resize_kind(heap, v->heap.data, cap, KIND_STRING);
        if (!data)
            return false;
    } else {
        data = mem_alloc_kind(heap, cap, KIND_STRING);
        if (!data)
            return false;
        memcpy(data, old, old_len + 1);
        v->heap.len = (uint32_t)old_len;
    }
    v->bits = VALUE_TEXT | VALUE_HEAP;
    v->heap.data = data;
    v->heap.cap = (uint32_t)cap;
    return true;
}

bool value_int_to_text(struct value *v)
{
    const int64_t limit = 100000000000000; /* its digits and a sign fit */
    if (v->bits != VALUE_INT || v->i >= limit || v->i <= -limit)
        return false;
    int64_t i = v->i;
    v->inline_len = (uint8_t)num_format_int(i, v->text);
    v->bits = VALUE_TEXT;
    value_note_number(v, i);
    return true;
}

bool value_append_text(struct mem_region *heap, struct value *v, const char *text, size_t len)
{
    if (v->bits == VALUE_INT && !value_int_to_text(v)) {
        char digits[24];
        if (!value_set_text(heap, v, digits, num_format_int(v->i, digits)))
            return false;
    }
    size_t old_len;
    const char *old = value_text(v, &old_len);
    size_t total = old_len + len;
    v->bits &= (uint8_t)~VALUE_NUMBER;
    if (!(v->bits & VALUE_HEAP) && total <= VALUE_INLINE) {
        memmove(v->text + old_len, text, len);
        v->text[total] = '\0';
        v->inline_len = (uint8_t)total;
        return true;
    }
    if (!(v->bits & VALUE_HEAP) || total >= v->heap.cap) {
        bool own = text >= old && text <= old + old_len;
        size_t offset = own ? (size_t)(text - old) : 0;
        if (!grow(heap, v, total + 1))
            return false;
        if (own)
            text = v->heap.data + offset;
    }
    memmove(v->heap.data + old_len, text, len);
    v->heap.data[total] = '\0';
    v->heap.len = (uint32_t)total;
    return true;
}

void value_set_int(struct value *v, int64_t i)
{
    if (v->bits & VALUE_OWNS)
        free_owned(v);
    v->bits = VALUE_INT;
    v->i = i;
}

void value_set_float(struct value *v, long double f)
{
    if (v->bits & VALUE_OWNS)
        free_owned(v);
    v->bits = VALUE_FLOAT;
    memcpy(v->f, &f, sizeof f);
}

void value_take_array(struct value *v, struct array *array)
{
    value_clear(v);
    v->bits = VALUE_ARRAY;
    v->array = array;
}

void value_take_members(struct value *v, struct members *members)
{
    value_clear(v);
    v->bits = VALUE_COMPOUND;
    v->members = members;
}

const struct value *value_scalar(const struct value *v)
{
    while (v && (v->bits & VALUE_ARRAY)) {
        struct array *array = v->array;
        struct element *element = array->assoc ? array_find_key(array, "0", 1) : NULL;
        v = array->assoc ? (element ? &element->value : NULL) : array_find_index(array, 0);
    }
    return v && value_is_set(v) ? v : NULL;
}

void value_move(struct value *to, struct value *from)
{
    to->bits = from->bits;
    to->inline_len = from->inline_len;
    memcpy(to->text, from->text, sizeof to->text);
    from->bits = 0;
}

bool value_copy(struct mem_region *heap, struct value *to, const struct value *from)
{
    if (from->bits & VALUE_HEAP)
        return set_heap_text(heap, to, from->heap.data, from->heap.len);
    if (from->bits & VALUE_ARRAY) {
        to->array = array_dup(from->array);
        to->bits = to->array ? VALUE_ARRAY : 0;
        return to->array != NULL;
    }
    if (from->bits & VALUE_COMPOUND) {
        to->members = members_dup(from->members);
        to->bits = to->members ? VALUE_COMPOUND : 0;
        return to->members != NULL;
    }
    to->bits = from->bits;
    to->inline_len = from->inline_len;
    memcpy(to->text, from->text, sizeof to->text);
    return true;
}
