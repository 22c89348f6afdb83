/*
 * leak.c: leak[=FILE], what was never freed, told at exit.
 *
 * All blocks that live when the process ends are collected in groups: in a debug region, and with
 * sites=on, by who got them, elsewhere by their size, because nothing else is known of them. The
 * groups stand in a fixed table; what does not fit is summed up in the last. Nothing is allocated.
 * A forked child that ends by _exit says nothing.
 */
#include "libmem/internal.h"

enum { GROUPS = 512 };

struct group {
    const struct mem_region *region;
    const void *caller;
    size_t each; /* bytes of a block; 0: of various sizes */
    size_t count, bytes;
    uint32_t site;
};

static struct group groups[GROUPS];
static size_t group_count;
static int leak_fd = -1;

void leak_to(int fd)
{
    if (leak_fd > STDERR_FILENO)
        (void)close(leak_fd);
    leak_fd = fd;
}

static int leak_visit(void *arg, void *block, size_t bytes, bool busy)
{
    struct mem_region *region = arg;
    struct group key = { .region = region, .each = bytes };

    if (!busy)
        return 0;
    if (region->debug && debug_block_origin(block, &key.site, &key.caller)) {
        key.each = 0;
        if (key.site && mem_site_describe)
            key.caller = NULL; /* the line of the script says it */
    } else if (mem_sites_state() != MEM_SITES_OFF && mem_site_describe) {
        unsigned kind;
        key.site = mem_site_of(block, &kind);
        key.each = key.site ? 0 : key.each;
    }
    for (size_t i = 0; i < GROUPS; i++) {
        struct group *group = &groups[i];
        if (i == group_count) {
            *group = key;
            group_count++;
        }
        bool same = group->region == region && group->site == key.site &&
                    group->caller == key.caller && group->each == key.each;
        if (same || i == GROUPS - 1) {
            group->count++;
            group->bytes += bytes;
            return 0;
        }
    }
    return 0;
}

static void leak_say(const struct group *group)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "leak:region=");
    line_str(&line, group->region->name);
    line_str(&line, ":blocks=");
    line_dec(&line, group->count);
    line_str(&line, ":size=");
    line_dec(&line, group->bytes);
    line_str(&line, ":");
    if (group == &groups[GROUPS - 1])
        line_str(&line, "and others:");
    else if (group->each)
        line_dec(&line, group->each);
    else
        debug_warn_site(&line, "allocated at", group->site, group->caller);
    if (group->each && group != &groups[GROUPS - 1])
        line_str(&line, " each:");
    line_write(&line, leak_fd);
}

static void leak_end(void)
{
    if (leak_fd < 0)
        return;
    mem_lock();
    remote_settle();
    for (struct mem_region *region = mem_regions; region; region = region->next)
        (void)mem_region_walk(region, leak_visit, region);
    for (size_t told = 0; told < group_count; told++) { /* the largest first */
        struct group *most = NULL;
        for (size_t i = 0; i < group_count; i++)
            if (groups[i].count && (!most || groups[i].bytes > most->bytes))
                most = &groups[i];
        if (!most)
            break;
        leak_say(most);
        most->count = 0;
    }
    mem_unlock();
    leak_to(-1); /* once */
}

__attribute__((destructor)) void mem_exit(void)
{
    leak_end();
    mem_flush();
}
