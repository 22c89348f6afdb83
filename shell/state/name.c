/*
 * Interned names: one struct for each text that was ever a name, alive until the shell ends, so
 * that everyone may hold pointers to it and compare by address.
 *
 * Owns sh->names. Must not know what a name means: variables and functions hang on it from outside.
 */
#include "shell/state/name.h"

#include <string.h>

#include "shell/base/kind.h"
#include "shell/base/str.h"
#include "shell/state/special.h"

struct name *name_find(struct shell *sh, const char *text, size_t len)
{
    return map_get(&sh->names, text, len);
}

struct name *name_find_below(struct shell *sh, const char *base, size_t base_len, const char *last,
                             size_t last_len)
{
    char room[256];
    size_t len = base_len + 1 + last_len;
    char *text = len <= sizeof room ? room : scratch_alloc(sh, len);
    if (!text)
        return NULL;
    memcpy(text, base, base_len);
    text[base_len] = '.';
    memcpy(text + base_len + 1, last, last_len);
    return name_find(sh, text, len);
}

static bool is_below_shell(const char *text, size_t len)
{
    return len > 4 && memcmp(text, ".sh.", 4) == 0;
}

/* `.sh.x` is a variable of its own, whose members have names like any other's. Only lists that the
 * shell itself keeps have longer names that are whole. DOT: the last one in TEXT. */
static bool is_flat(const char *text, size_t len, const char *dot)
{
    static const char *const lists[] = { "stats.", "mem.", "math.", "type.", "static." };
    if (dot == text + 3)
        return true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t list_len = strlen(lists[i]);
        if (len - 4 > list_len && memcmp(text + 4, lists[i], list_len) == 0)
            return true;
    }
    return false;
}

/* Where the last part of a member's name begins; 0: it is a name of its own. */
static size_t member_offset(const char *text, size_t len)
{
    const char *dot = memrchr(text, '.', len);
    if (!dot || dot == text || (is_below_shell(text, len) && is_flat(text, len, dot)))
        return 0;
    return (size_t)(dot - text) + 1;
}

enum { MEMBER_DEPTH_MAX = 256 };

/* More levels than any script needs would make the names of all levels cost too much. */
static bool too_deep(const char *text, size_t len)
{
    size_t dots = 0;
    for (size_t i = 0; i < len; i++)
        dots += text[i] == '.';
    return dots > MEMBER_DEPTH_MAX;
}

/* Links the dotted NAME to those that it is made of. */
static bool link_parts(struct shell *sh, struct name *name)
{
    size_t offset = member_offset(name->text, name->len);
    if (offset == 0 || too_deep(name->text, name->len))
        return true;
    name->member = name_intern(sh, name->text + offset, name->len - offset);
    struct name *parent = name->member ? name_intern(sh, name->text, offset - 1) : NULL;
    name->parent = parent;
    return parent != NULL;
}

struct name *name_intern(struct shell *sh, const char *text, size_t len)
{
    struct name *name = map_get(&sh->names, text, len);
    sh->stats.names_asked++;
    if (name) {
        sh->stats.names_known++;
        return name;
    }
    if (len >= UINT32_MAX)
        return NULL;
    name = mem_alloc_zeroed_kind(sh->nodes, sizeof *name + len + 1, KIND_VARIABLE);
    if (!name)
        return NULL;
    memcpy(name->text, text, len);
    name->len = (uint32_t)len;
    name->hash = text_hash(text, len);
    name->dotted = memchr(text, '.', len) != NULL;
    if ((name->dotted && !link_parts(sh, name)) || !map_put(&sh->names, name->text, len, name)) {
        mem_free_sized(sh->nodes, name, sizeof *name + len + 1);
        return NULL;
    }
    if (name->dotted && !special_intern(sh, name))
        return NULL;
    if (special_may_be_late(text, len) && !special_intern_late(sh, name))
        return NULL;
    return name;
}

/* The entry of sh->known_names for what stands at TEXT. */
static struct name **known_name(struct shell *sh, const char *text)
{
    uintptr_t address = (uintptr_t)text;
    return &sh->known_names[(address ^ address / SHELL_KNOWN_NAMES) % SHELL_KNOWN_NAMES];
}

struct name *name_of_operand(struct shell *sh, const char *text)
{
    struct name **known = known_name(sh, text);
    if (*known) {
        const char *a = (*known)->text, *b = text;
        for (; *a == *b; a++, b++)
            if (!*a)
                return *known;
    }
    size_t len = strlen(text);
    struct name *name = text_is_name(text, len) ? name_intern(sh, text, len) : NULL;
    if (name)
        *known = name;
    return name;
}
