/*
 * xref: the facts of a cross reference, and their listing.
 *
 * Owns the facts, all in one arena, and the names that the scripts define. Whether a command word
 * is a function, an alias or a type is decided when facts are listed, because functions may be
 * defined behind the place, or in another file. Finding facts is the business of xref_walk.c. Must
 * not refer to a program: those are gone when the facts are listed.
 */
#include "shell/syntax/xref.h"

#include <stdlib.h>

void xref_init(struct xref *x, struct mem_region *region)
{
    *x = (struct xref){ 0 };
    arena_init(&x->arena, region);
    vec_init(&x->facts, region);
    vec_init(&x->scripts, region);
    map_init(&x->known, region);
    map_init(&x->functions, region);
    map_init(&x->aliases, region);
    map_init(&x->types, region);
    map_init(&x->associative, region);
}

void xref_release(struct xref *x)
{
    vec_release(&x->facts);
    vec_release(&x->scripts);
    map_release(&x->known);
    map_release(&x->functions);
    map_release(&x->aliases);
    map_release(&x->types);
    map_release(&x->associative);
    arena_release(&x->arena);
}

bool xref_add_script(struct xref *x, const char *file)
{
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    size_t len = strlen(file);
    if (map_get(&x->known, file, len))
        return false;
    char *copy = arena_dup(&x->arena, file, len);
    if (!copy || !map_put(&x->known, copy, len, copy))
        x->failed = true;
    return copy != NULL;
}

const char *xref_script_at(const struct xref *x, size_t i)
{
    return i < x->scripts.count ? x->scripts.items[i] : NULL;
}

/* What the scripts define, by kind. */
static void note_definition(struct xref *x, const struct xref_fact *fact)
{
    struct map *map = NULL;
    if (fact->kind == XREF_FUNCTION && fact->use == XREF_DEFINE)
        map = &x->functions;
    else if (fact->kind == XREF_ALIAS && fact->use == XREF_DEFINE)
        map = &x->aliases;
    else if (fact->kind == XREF_TYPE && fact->use == XREF_DEFINE)
        map = &x->types;
    if (map && !map_put(map, fact->name, fact->len, (void *)fact))
        x->failed = true;
    if (fact->kind == XREF_SCRIPT && xref_add_script(x, fact->name))
        vec_push(&x->scripts, (void *)fact->name);
}

const char *xref_full_name(struct xref *x, const char *name, size_t len)
{
    struct str s;
    if (!x->within) {
        const char *copy = arena_dup(&x->arena, name, len);
        x->failed |= !copy;
        return copy;
    }
    str_init(&s, x->arena.region);
    str_printf(&s, "%s.%.*s", x->within, (int)len, name);
    const char *copy = str_ok(&s) ? arena_dup(&x->arena, s.data, s.len) : NULL;
    x->failed |= !copy;
    str_release(&s);
    return copy;
}

/* Such facts are about members, while members are being defined. */
static bool is_defining(enum xref_kind kind, enum xref_use use)
{
    return use == XREF_DEFINE || (kind == XREF_VARIABLE && use != XREF_REFER && use != XREF_UNSET);
}

void xref_fact(struct xref *x, enum xref_kind kind, enum xref_use use, const char *name, size_t len,
               uint32_t line)
{
    struct xref_fact *fact = arena_alloc(&x->arena, sizeof *fact);
    const char *copy =
        is_defining(kind, use) ? xref_full_name(x, name, len) : arena_dup(&x->arena, name, len);
    if (!fact || !copy) {
        x->failed = true;
        return;
    }
    *fact = (struct xref_fact){ .kind = (uint8_t)kind,
                                .use = (uint8_t)use,
                                .line = line,
                                .name = copy,
                                .len = strlen(copy),
                                .file = x->file,
                                .function = x->function };
    vec_push(&x->facts, fact);
    note_definition(x, fact);
}

/* ---- listing ---- */

static void resolve_call(const struct xref *x, struct xref_fact *fact)
{
    if (fact->kind == XREF_MATH) {
        if (map_get(&x->functions, fact->name, fact->len))
            fact->kind = XREF_FUNCTION;
    } else if (fact->kind == XREF_COMMAND) {
        if (map_get(&x->aliases, fact->name, fact->len))
            fact->kind = XREF_ALIAS;
        else if (map_get(&x->functions, fact->name, fact->len))
            fact->kind = XREF_FUNCTION;
        else if (map_get(&x->types, fact->name, fact->len))
            fact->kind = XREF_TYPE;
    }
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_facts(const void *a, const void *b)
{
    const struct xref_fact *x = *(struct xref_fact *const *)a, *y = *(struct xref_fact *const *)b;
    int order = compare_numbers(x->kind, y->kind);
    if (order == 0)
        order = text_compare(x->name, x->len, y->name, y->len);
    if (order == 0)
        order = strcmp(x->file, y->file);
    if (order == 0)
        order = compare_numbers(x->line, y->line);
    if (order == 0)
        order = compare_numbers(x->use, y->use);
    if (order == 0)
        order = strcmp(x->function ? x->function : "", y->function ? y->function : "");
    return order;
}

/* A field of a line: no tab and no newline. */
static void put_field(struct str *s, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\\' || text[i] == '\t' || text[i] == '\n')
            str_putc(s, '\\');
        str_putc(s, text[i] == '\t' ? 't' : text[i] == '\n' ? 'n' : text[i]);
    }
    str_putc(s, '\t');
}

static void put_fact(struct str *s, const struct xref_fact *fact)
{
    static const char *const kinds[] = {
        [XREF_ALIAS] = "alias",   [XREF_COMMAND] = "command", [XREF_FUNCTION] = "function",
        [XREF_SCRIPT] = "script", [XREF_TYPE] = "type",       [XREF_VARIABLE] = "variable"
    };
    static const char *const uses[] = {
        [XREF_ASSIGN] = "assign", [XREF_CALL] = "call",   [XREF_DECLARE] = "declare",
        [XREF_DEFINE] = "define", [XREF_REFER] = "refer", [XREF_UNSET] = "unset"
    };
    str_printf(s, "%s\t", kinds[fact->kind]);
    put_field(s, fact->name, fact->len);
    str_printf(s, "%s\t", uses[fact->use]);
    put_field(s, fact->file, strlen(fact->file));
    str_printf(s, "%u\t", fact->line);
    if (fact->function)
        put_field(s, fact->function, strlen(fact->function));
    else
        put_field(s, "-", 1);
    s->data[s->len - 1] = '\n';
}

bool xref_list(struct xref *x, struct str *s)
{
    struct xref_fact **facts = (struct xref_fact **)x->facts.items;
    const struct xref_fact *last = NULL;
    if (x->failed || !vec_ok(&x->facts) || !vec_ok(&x->scripts))
        return false;
    for (size_t i = 0; i < x->facts.count; i++)
        resolve_call(x, facts[i]);
    if (x->facts.count)
        qsort(facts, x->facts.count, sizeof(struct xref_fact *), compare_facts);
    for (size_t i = 0; i < x->facts.count && str_ok(s); i++) {
        if (facts[i]->kind == XREF_MATH || (last && compare_facts(&last, &facts[i]) == 0))
            continue;
        put_fact(s, facts[i]);
        last = facts[i];
    }
    return str_ok(s);
}
