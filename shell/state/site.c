/*
 * Sites: the table behind the numbers that libmem attributes memory to.
 *
 * Owns one entry a site, indexed by its number, and the texts of files and functions, each once.
 * Entries are found by what they say through a hash table; a statement's number is kept in the
 * cache slot of its node together with the call it belongs to. The table is the process's, not a
 * shell's: libmem's numbers are, and the callback that describes them gets nothing else. Its memory
 * is of the `malloc` region and of site 0. A call of a function that is already being called from
 * the same place leads back to that place, so recursion makes no new sites; deeper than DEPTH_MAX
 * the innermost call stands for what it calls.
 */
#include "shell/state/site.h"

#include <stdio.h>
#include <string.h>

#include "shell/state/frame.h"
#include "shell/state/where.h"

enum { DEPTH_MAX = 64, FIRST_CAP = 256 };

static struct {
    struct site *sites; /* by number; 0 is nobody */
    uint32_t *heads;    /* hash chains; CAP of them */
    uint32_t count, cap;
    struct map texts; /* text -> itself */
} table;

const struct site *site_get(uint32_t site)
{
    return site && site < table.count && table.sites[site].line ? &table.sites[site] : NULL;
}

static bool describe(uint32_t number, char *ret_text, size_t bytes)
{
    const struct site *site = site_get(number);
    if (!site)
        return false;
    int length = snprintf(ret_text, bytes, "%s,%u", site->file ? site->file : "", site->line);
    if (length < 0 || (size_t)length >= bytes)
        return false;
    if (site->function)
        snprintf(ret_text + length, bytes - (size_t)length, ",%s", site->function);
    return true;
}

void site_init(void)
{
    mem_site_describe = describe;
}

/* TEXT's one copy; NULL for NULL, and without memory. */
static const char *text_keep(const char *text)
{
    if (!text)
        return NULL;
    size_t len = strlen(text);
    char *copy = map_get(&table.texts, text, len);
    if (!copy && (copy = text_dup_n(mem_region_malloc(), text, len)) &&
        !map_put(&table.texts, copy, len, copy)) {
        mem_free(copy);
        return NULL;
    }
    return copy;
}

static uint32_t hash_of(const struct site *site)
{
    uint64_t hash = (uintptr_t)site->file ^ (uintptr_t)site->function << 20;
    hash = (hash ^ site->parent) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ site->line) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

static bool table_grow(uint32_t least)
{
    uint32_t cap = table.cap ? table.cap : FIRST_CAP;
    while (cap <= least)
        cap *= 2;
    struct site *sites = mem_resize(mem_region_malloc(), table.sites, cap * sizeof *sites);
    if (!sites)
        return false;
    memset(sites + table.cap, 0, (cap - table.cap) * sizeof *sites);
    table.sites = sites;
    uint32_t *heads = mem_alloc_zeroed(mem_region_malloc(), cap * sizeof *heads);
    if (!heads)
        return false;
    mem_free(table.heads);
    table.heads = heads;
    table.cap = cap;
    for (uint32_t i = 1; i < table.count; i++) {
        uint32_t *head = &heads[hash_of(&sites[i]) & (cap - 1)];
        sites[i].next = *head;
        *head = i;
    }
    return true;
}

static bool same_place(const struct site *a, const struct site *b)
{
    return a->line == b->line && a->file == b->file && a->function == b->function;
}

/* The site of WANTED, made if it is new; 0: no memory. */
static uint32_t site_intern(const struct site *wanted)
{
    if (table.cap) {
        uint32_t i = table.heads[hash_of(wanted) & (table.cap - 1)];
        for (; i; i = table.sites[i].next)
            if (table.sites[i].parent == wanted->parent && same_place(&table.sites[i], wanted))
                return i;
    }
    for (uint32_t i = wanted->parent; i; i = table.sites[i].parent)
        if (same_place(&table.sites[i], wanted))
            return i;
    uint32_t number = mem_site_new();
    if (!number || (number >= table.cap && !table_grow(number)))
        return 0;
    uint32_t *head = &table.heads[hash_of(wanted) & (table.cap - 1)];
    table.sites[number] = *wanted;
    table.sites[number].next = *head;
    *head = number;
    table.count = number + 1;
    return number;
}

uint32_t site_at(struct shell *sh, uint32_t line)
{
    uint32_t running = mem_site;
    mem_site = 0;
    if (!table.texts.region)
        map_init(&table.texts, mem_region_malloc());
    struct site wanted = {
        .parent = site_get(sh->site_parent) ? sh->site_parent : 0,
        .line = where_file_line(sh, line ? line : 1),
        .file = text_keep(sh->file),
        .function = text_keep(sh->frame->function_name),
    };
    if (wanted.parent && table.sites[wanted.parent].depth >= DEPTH_MAX)
        wanted.parent = table.sites[wanted.parent].parent;
    if (wanted.parent)
        wanted.depth = table.sites[wanted.parent].depth + 1;
    uint32_t site = site_intern(&wanted);
    mem_site = running;
    return site;
}

/* The site of NODE, a node of the running program. */
static uint32_t site_of_node(struct shell *sh, const struct node *node)
{
    struct cache_slot *slot = cache_at(sh, node->cache);
    if (slot && slot->kind == CACHE_SITE && slot->epoch == sh->site_parent)
        return slot->extra;
    uint32_t site = site_at(sh, node->line);
    slot = cache_at(sh, node->cache);
    if (slot) {
        slot->kind = CACHE_SITE;
        slot->epoch = sh->site_parent;
        slot->extra = site;
    }
    return site;
}

void site_enter_slow(struct shell *sh, const struct node *node)
{
    if (sh->site_line == SITE_LINE_LOOK)
        memset(sh->line_sites, 0xff, sizeof sh->line_sites);
    mem_site = site_of_node(sh, node);
    sh->site_line = node->line;
    sh->line_sites[node->line % LINE_SITES] =
        (struct line_site){ .line = node->line, .site = mem_site };
}
