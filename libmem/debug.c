/*
 * debug.c: the frame that each block of a debug region stands in, and what is noticed by it.
 *
 * A framed block is [head 56][red zone 8, more where aligned][data][tail zone up to the end of the
 * block, at most TAIL_MAX]. The head lies at the start of the block of the region below, so it is
 * found from any address inside: freed twice, inside of a block and outside of all are told apart
 * without a search. The head carries a mark made of its fields and its address; what does not fit
 * its mark was overwritten, and is never followed. Freed blocks are filled and wait in a
 * quarantine; when they leave it the fill is checked. A table lists all live blocks; debug_tick
 * looks at the next few of it, so a call costs the same however many blocks live. A damaged block
 * is told once and then left alone for ever.
 */
#include "libmem/internal.h"

struct debug_head {
    struct debug_head *next; /* freed: the quarantine */
    union {
        size_t slot;             /* live: in the table; SIZE_MAX: in none */
        const void *free_caller; /* freed */
    };
    size_t bytes; /* asked for */
    const void *caller;
    uint32_t mark, lead; /* lead: from the head to the data */
    uint32_t site, free_site;
    struct span *guard; /* between guard pages: its span; the head stands in guard_heads */
};

enum {
    MARK_LIVE = 0x1badb10c,
    MARK_FREED = 0x0ddba11,
    MARK_TOLD = 0x5ca1ab1e, /* damaged, told, never used again */
    RED_BYTE = 0x99,
    FREED_BYTE = 0xdf,
    LEAD_MIN = 64,
    TAIL_MIN = 16,
    TAIL_MAX = 256,
    FILL_MAX = 4096, /* of a freed block are filled and checked, at its start */
    CHECK_STEP = 2,  /* blocks looked at when it is time */
    QUARANTINE_BYTES = 1 << 20,
    GUARD_MAX = 1024,
    LIVE_FIRST_BYTES = 1 << 16,
    GUARD_KEPT = 64, /* freed guarded blocks whose pages stay closed */
};

static struct debug_head **live;
static size_t live_count, live_room;
/* The slot below is looked at next: downwards, so that blocks got meanwhile wait for their turn. */
static size_t live_next;
static struct debug_head *quarantine_first, *quarantine_last;
static size_t quarantine_bytes;
static uint64_t tick_calls, guard_calls;
static int warn_fd = STDERR_FILENO;
static struct debug_head guard_heads[GUARD_MAX]; /* guard NULL: unused */
static struct span *guard_kept[GUARD_KEPT];      /* closed ones, oldest overwritten */
static size_t guard_kept_at;
static struct sigaction fault_before; /* what SIGSEGV did before the first guarded block */
static bool fault_caught;

/* ---- warnings ---- */

void debug_warn_to(int fd)
{
    warn_fd = fd;
}

void debug_warn_begin(struct mem_line *line, const char *what, const struct mem_region *region,
                      const void *block)
{
    line_str(line, what);
    line_str(line, ":region=");
    line_hex(line, (uintptr_t)region);
    line_str(line, ":block=");
    line_hex(line, (uintptr_t)block);
    line_str(line, ":");
}

void debug_warn_site(struct mem_line *line, const char *what, uint32_t site, const void *caller)
{
    char text[256];
    size_t offset;
    const char *module, *name;

    line_str(line, what);
    line_str(line, "=");
    if (mem_site_describe && site && mem_site_describe(site, text, sizeof text)) {
        line_str(line, text);
    } else if (caller && glue_symbol(caller, &module, &name, &offset)) {
        const char *slash = strrchr(module, '/');
        line_str(line, slash ? slash + 1 : module);
        line_str(line, ",");
        line_str(line, name ? name : "");
        line_str(line, "+");
        line_hex(line, offset);
    } else {
        line_hex(line, (uintptr_t)caller);
    }
    line_str(line, ":");
}

/* Every warning ends here. */
void debug_warn_end(struct mem_line *line, const void *caller)
{
    debug_warn_site(line, "detected at", MEM_PEEK(mem_site), caller);
    line_write(line, warn_fd);
    if (mem_settings.abort)
        glue_abort();
}

static void warn_size(struct mem_line *line, const struct debug_head *head)
{
    line_str(line, "size=");
    line_dec(line, head->bytes);
    line_str(line, ":");
    debug_warn_site(line, "allocated at", head->site, head->caller);
}

/* ---- frames ---- */

/* Of all that is followed, so of a freed one of the link of the quarantine, too. */
static uint32_t head_mark(const struct debug_head *head, uint32_t kind)
{
    uint64_t all = (uintptr_t)head >> 4 ^ (uintptr_t)head->guard << 1;

    all = (all ^ head->bytes) * 0x9e3779b97f4a7c15u ^ head->lead;
    if (kind == MARK_FREED)
        all ^= (uintptr_t)head->next >> 1;
    return kind ^ (uint32_t)(all * 0x9e3779b97f4a7c15u >> 32);
}

static bool head_is(const struct debug_head *head, uint32_t kind)
{
    return head->mark == head_mark(head, kind);
}

/* The frame that contains BLOCK, and its size; NULL: none. */
static struct debug_head *frame_of(const struct span *span, const void *block, size_t *ret_bytes)
{
    *ret_bytes = (size_t)span->pages << MEM_PAGE_SHIFT;
    if (span->kind == SPAN_GUARD)
        return span->guard_head;
    if (span->kind == SPAN_LARGE)
        return (struct debug_head *)span->base;
    if (span->kind != SPAN_PACK)
        return NULL;
    const struct size_class *class = &span->region->classes[span->class_index];
    size_t index = pack_index(span, class, block);
    if (index >= span->carved)
        return NULL;
    *ret_bytes = class->bytes;
    return (struct debug_head *)(span->base + index * class->bytes);
}

static char *head_data(struct debug_head *head)
{
    return (head->guard ? head->guard->base : (char *)head) + head->lead;
}

static size_t tail_bytes(const struct debug_head *head, size_t frame_bytes)
{
    size_t rest = frame_bytes - head->lead - head->bytes;

    return rest < TAIL_MAX || head->guard ? rest : TAIL_MAX;
}

/* The first byte of FROM..+BYTES that is not VALUE, or NULL. */
static const char *other_byte(const char *from, size_t bytes, unsigned char value)
{
    size_t i = 0;
    uint64_t want = 0x0101010101010101u * value, word;

    for (; i + 8 <= bytes; i += 8) {
        memcpy(&word, from + i, 8);
        if (word != want)
            break;
    }
    for (; i < bytes; i++)
        if ((unsigned char)from[i] != value)
            return from + i;
    return NULL;
}

/* ---- the table of live blocks: outside of their memory, so that it can be trusted ---- */

static bool live_grow(void)
{
    size_t old = live_room * sizeof *live, bytes = old ? old * 2 : LIVE_FIRST_BYTES;
    struct debug_head **grown = old ? glue_remap(live, old, bytes) : glue_map_sparse(bytes);

    if (!grown)
        return false;
    live = grown;
    live_room = bytes / sizeof *live;
    return true;
}

static void live_add(struct debug_head *head)
{
    head->slot = SIZE_MAX;
    if (live_count == live_room && !live_grow())
        return; /* it is checked when it is freed, but not by period */
    head->slot = live_count;
    live[live_count++] = head;
}

static void live_drop(size_t slot)
{
    struct debug_head *last = live[--live_count];

    live[slot] = last;
    if (slot < live_count)
        last->slot = slot;
}

static void live_remove(const struct debug_head *head)
{
    size_t slot = head->slot;

    if (slot == SIZE_MAX)
        return;
    if (slot >= live_count || live[slot] != head) /* damaged */
        for (slot = 0; slot < live_count && live[slot] != head; slot++)
            ;
    if (slot < live_count)
        live_drop(slot);
}

static void count_live(struct mem_region *region, struct debug_head *head)
{
    region->debug_count++;
    region->debug_bytes += head->bytes;
    if (sites_followed(region))
        site_born(region, head_data(head), head->bytes);
    if (region->debug_bytes > region->debug_peak)
        region->debug_peak = region->debug_bytes;
}

static void count_dead(struct mem_region *region, struct debug_head *head)
{
    region->debug_count--;
    region->debug_bytes -= head->bytes;
    if (sites_followed(region))
        site_died(region, head_data(head), head->bytes);
}

/* ---- checks ---- */

static void warn_damage(const struct mem_region *region, struct debug_head *head, const char *bad,
                        const char *what, const void *caller)
{
    struct mem_line line = { .used = 0 };
    char *data = head_data(head);

    debug_warn_begin(&line, "corrupted data", region, data);
    line_str(&line, what);
    line_str(&line, bad < data ? "bad byte at=-" : "bad byte at=");
    line_dec(&line, (uint64_t)(bad < data ? data - bad : bad - data));
    line_str(&line, ":");
    warn_size(&line, head);
    if (head_is(head, MARK_FREED))
        debug_warn_site(&line, "freed at", head->free_site, head->free_caller);
    debug_warn_end(&line, caller);
}

static const char *zones_bad_byte(struct debug_head *head, size_t frame_bytes)
{
    char *data = head_data(head);
    const char *lead = head->guard ? head->guard->base : (const char *)(head + 1);
    const char *bad = other_byte(lead, (size_t)(data - lead), RED_BYTE);

    return bad ? bad : other_byte(data + head->bytes, tail_bytes(head, frame_bytes), RED_BYTE);
}

/* False: the zones of the live HEAD were written to; told, marked and never used again. */
static bool zones_check(struct span *span, struct debug_head *head, size_t frame_bytes,
                        const void *caller)
{
    const char *bad = zones_bad_byte(head, frame_bytes);

    if (!bad)
        return true;
    warn_damage(span->region, head, bad, "", caller);
    live_remove(head);
    count_dead(span->region, head);
    head->mark = head_mark(head, MARK_TOLD);
    return false;
}

/* HEAD, that of BLOCK, fits no mark; told, marked and never used again. */
static void warn_head(const struct mem_region *region, struct debug_head *head, const void *block,
                      const void *caller)
{
    struct mem_line line = { .used = 0 };

    debug_warn_begin(&line, "corrupted data", region, block);
    line_str(&line, "head overwritten:");
    debug_warn_end(&line, caller);
    head->mark = head_mark(head, MARK_TOLD);
}

/* Checks the block of a slot of the table; false: it is damaged, and in the table no more. */
static bool live_check(size_t slot, const void *caller)
{
    struct debug_head *head = live[slot];
    size_t frame_bytes = 0;
    bool guarded = head >= guard_heads && head < guard_heads + GUARD_MAX;
    struct span *span = guarded ? head->guard : map_find(head);

    if (!span || !head_is(head, MARK_LIVE) ||
        frame_of(span, guarded ? span->base : (char *)head, &frame_bytes) != head) {
        live_drop(slot);
        if (!head_is(head, MARK_TOLD))
            warn_head(span ? span->region : NULL, head, (char *)head + LEAD_MIN, caller);
        return false;
    }
    return zones_check(span, head, frame_bytes, caller);
}

void debug_tick(const void *caller)
{
    tick_calls++;
    if (!mem_settings.period || tick_calls <= mem_settings.start ||
        tick_calls % mem_settings.period)
        return;
    for (int i = 0; i < CHECK_STEP && live_count; i++) {
        if (!live_next || live_next > live_count)
            live_next = live_count;
        (void)live_check(--live_next, caller);
    }
    /* What comes next time will be in the processor's cache then. */
    for (size_t i = 1; i <= CHECK_STEP && i <= live_next && live_next <= live_count; i++) {
        __builtin_prefetch(live[live_next - i]);
        __builtin_prefetch((char *)live[live_next - i] + 2 * (size_t)LEAD_MIN);
    }
}

size_t debug_check_all(void)
{
    size_t faults = 0;

    for (size_t slot = 0; slot < live_count;) {
        bool good = live_check(slot, NULL);
        slot += good;
        faults += !good;
    }
    return faults;
}

/* ---- guard pages ---- */

/* The guarded block that ADDRESS lies in or beside, or NULL. */
static struct debug_head *guard_near(const char *address)
{
    for (int i = 0; i < GUARD_MAX; i++) {
        const struct span *span = guard_heads[i].guard;
        if (span && address >= span->base - MEM_PAGE && address < span_end(span) + MEM_PAGE)
            return &guard_heads[i];
    }
    return NULL;
}

/* Somebody touched what is closed: says which block is meant, and leaves the rest to whoever was to
 * deal with the signal before. */
static void guard_fault(int signal, siginfo_t *info, void *context)
{
    const char *address = info->si_addr;
    struct debug_head *head = guard_near(address);

    (void)sigaction(signal, &fault_before, NULL); /* the access is made again */
    if (!head)
        return;
    struct mem_line line = { .used = 0 };
    const char *data = head_data(head);
    bool freed = head_is(head, MARK_FREED);
    debug_warn_begin(&line, "fault", head->guard->region, data);
    line_str(&line, freed ? "touched after free:byte at=" : "touched outside:byte at=");
    line_str(&line, address < data ? "-" : "");
    line_dec(&line, (uint64_t)(address < data ? data - address : address - data));
    line_str(&line, ":");
    warn_size(&line, head);
    if (freed)
        debug_warn_site(&line, "freed at", head->free_site, head->free_caller);
    debug_warn_end(&line, glue_fault_code(context));
}

static void guard_catch(void)
{
    struct sigaction action = { .sa_sigaction = guard_fault, .sa_flags = SA_SIGINFO };

    if (fault_caught)
        return;
    fault_caught = true;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGSEGV, &action, &fault_before);
}

static void guard_drop(struct span *span)
{
    glue_unmap(span->base - MEM_PAGE, ((size_t)span->pages + 2) << MEM_PAGE_SHIFT);
    memset(span->guard_head, 0, sizeof *span->guard_head);
    span_drop(span);
}

static struct debug_head *guard_new(struct mem_region *region, size_t bytes)
{
    if (!bytes) /* its address lies in its page, too, or free would not find it */
        bytes = 1;
    size_t pages = mem_pages(bytes), all = (pages + 2) << MEM_PAGE_SHIFT;
    struct debug_head *head = NULL;

    for (int i = 0; i < GUARD_MAX && !head; i++)
        head = guard_heads[i].guard ? NULL : &guard_heads[i];
    struct span *span = head && glue_page_bytes() == MEM_PAGE ? span_new() : NULL;
    if (!span)
        return NULL;
    char *base = glue_map(NULL, all);
    if (!base || !map_reserve(base, all)) {
        if (base)
            glue_unmap(base, all);
        span_drop(span);
        return NULL;
    }
    glue_close(base, MEM_PAGE);
    glue_close(base + all - MEM_PAGE, MEM_PAGE);
    *span = (struct span){ .base = base + MEM_PAGE,
                           .pages = (uint32_t)pages,
                           .region = region,
                           .kind = SPAN_GUARD,
                           .guard_head = head };
    map_set(span, 0, pages);
    guard_catch();
    head->guard = span;
    head->lead = (uint32_t)(((pages << MEM_PAGE_SHIFT) - bytes) & ~(size_t)(MEM_ALIGN - 1));
    return head;
}

static void guard_free(struct debug_head *head)
{
    struct span **slot = &guard_kept[guard_kept_at++ % GUARD_KEPT];

    glue_close(head->guard->base, (size_t)head->guard->pages << MEM_PAGE_SHIFT);
    if (*slot)
        guard_drop(*slot);
    *slot = head->guard;
}

static bool guard_due(size_t bytes, size_t align)
{
    return mem_settings.guard && ++guard_calls % mem_settings.guard == 0 && align <= MEM_ALIGN &&
           bytes < MEM_SOLO_MIN;
}

/* ---- quarantine ---- */

static void quarantine_forget(void)
{
    quarantine_first = quarantine_last = NULL;
    quarantine_bytes = 0;
}

/* False: the oldest, HEAD, was overwritten: told, and what waits behind it is never found again. */
static bool quarantine_good(struct debug_head *head)
{
    if (head_is(head, MARK_FREED))
        return true;
    warn_head(mem_region_of(head), head, (char *)head + LEAD_MIN, NULL);
    quarantine_forget();
    return false;
}

static void quarantine_leave(void)
{
    struct debug_head *head = quarantine_first;

    if (!quarantine_good(head))
        return;
    size_t fill = head->bytes < FILL_MAX ? head->bytes : FILL_MAX;
    quarantine_first = head->next;
    if (!quarantine_first)
        quarantine_last = NULL;
    quarantine_bytes -= head->bytes + LEAD_MIN;
    const char *bad = other_byte(head_data(head), fill, FREED_BYTE);
    if (bad)
        warn_damage(mem_region_of(head), head, bad, "written after free:", NULL);
    else
        block_free(head);
}

/* HEAD, freed and filled, comes last. */
static void quarantine_link(struct debug_head *head)
{
    struct debug_head *last = quarantine_last;

    head->next = NULL;
    head->mark = head_mark(head, MARK_FREED);
    if (!last) {
        quarantine_first = head;
    } else if (head_is(last, MARK_FREED)) {
        last->next = head;
        last->mark = head_mark(last, MARK_FREED);
    } /* else it was overwritten, which is told when its turn comes */
    quarantine_last = head;
    quarantine_bytes += head->bytes + LEAD_MIN;
}

static void quarantine_add(struct debug_head *head)
{
    memset(head_data(head), FREED_BYTE, head->bytes < FILL_MAX ? head->bytes : FILL_MAX);
    quarantine_link(head);
    while (quarantine_first && quarantine_bytes > QUARANTINE_BYTES)
        quarantine_leave();
}

/* ---- the calls ---- */

static void head_start(struct mem_region *region, struct debug_head *head, size_t frame_bytes,
                       size_t bytes, const void *caller)
{
    char *data = head_data(head);
    char *lead = head->guard ? head->guard->base : (char *)(head + 1);

    head->bytes = bytes;
    head->caller = caller;
    head->site = MEM_PEEK(mem_site);
    head->free_site = 0;
    head->mark = head_mark(head, MARK_LIVE);
    memset(lead, RED_BYTE, (size_t)(data - lead));
    memset(data + bytes, RED_BYTE, tail_bytes(head, frame_bytes));
    live_add(head);
    count_live(region, head);
}

static void *debug_alloc_room(struct mem_region *region, size_t bytes, size_t room, size_t align,
                              bool zeroed, const void *caller)
{
    struct debug_head *head = NULL;
    size_t lead = align > MEM_ALIGN ? mem_round_up(LEAD_MIN, align) : LEAD_MIN, frame_bytes;

    if (room > MEM_BYTES_MAX || align > UINT32_MAX / 2) { /* lead is kept in 32 bits */
        errno = ENOMEM;
        return NULL;
    }
    if (guard_due(bytes, align))
        head = guard_new(region, bytes);
    if (head) {
        frame_bytes = (size_t)head->guard->pages << MEM_PAGE_SHIFT;
    } else {
        head = plain_alloc(region, room + lead + TAIL_MIN, align, false);
        if (!head)
            return NULL;
        frame_bytes = block_bytes(map_find(head), head);
        head->guard = NULL;
        head->lead = (uint32_t)lead;
    }
    head_start(region, head, frame_bytes, bytes, caller);
    return zeroed ? memset(head_data(head), 0, bytes) : head_data(head);
}

void *debug_alloc(struct mem_region *region, size_t bytes, size_t align, bool zeroed,
                  const void *caller)
{
    return debug_alloc_room(region, bytes, bytes, align, zeroed, caller);
}

static void warn_call(const char *what, const char *why, const struct mem_region *region,
                      const void *block, const struct debug_head *head, const void *caller)
{
    struct mem_line line = { .used = 0 };

    debug_warn_begin(&line, what, region, block);
    line_str(&line, why);
    line_str(&line, ":");
    if (head)
        warn_size(&line, head);
    if (head && head_is(head, MARK_FREED))
        debug_warn_site(&line, "freed at", head->free_site, head->free_caller);
    debug_warn_end(&line, caller);
}

/* The live frame of BLOCK with good zones, or NULL after a warning that begins with WHAT. */
static struct debug_head *frame_live(struct span *span, void *block, const char *what,
                                     size_t *ret_bytes, const void *caller)
{
    struct debug_head *head = frame_of(span, block, ret_bytes);

    if (!head || (uintptr_t)head % 8) {
        warn_call(what, "not currently allocated", span->region, block, NULL, caller);
        return NULL;
    }
    if (head_is(head, MARK_LIVE) && head_data(head) != block)
        warn_call(what, "inside a block", span->region, block, head, caller);
    else if (head_is(head, MARK_LIVE))
        return zones_check(span, head, *ret_bytes, caller) ? head : NULL;
    else if (head_is(head, MARK_FREED))
        warn_call(what, "not currently allocated", span->region, block, head, caller);
    else if (!head_is(head, MARK_TOLD))
        warn_head(span->region, head, block, caller);
    return NULL;
}

void debug_free(struct span *span, void *block, const void *caller)
{
    size_t frame_bytes;

    if (!span || !span->region || !span->region->debug) {
        warn_call("free error", "outside region", NULL, block, NULL, caller);
        return;
    }
    struct debug_head *head = frame_live(span, block, "free error", &frame_bytes, caller);

    if (!head || mem_settings.keep)
        return;
    live_remove(head);
    count_dead(span->region, head);
    head->free_site = MEM_PEEK(mem_site);
    head->free_caller = caller;
    if (!head->guard) {
        quarantine_add(head);
        return;
    }
    head->next = NULL;
    head->mark = head_mark(head, MARK_FREED);
    guard_free(head);
}

/* Gives the live HEAD another size in its frame. */
static void head_resize(struct mem_region *region, struct debug_head *head, size_t frame_bytes,
                        size_t bytes)
{
    char *data = head_data(head);
    size_t had = head->bytes + tail_bytes(head, frame_bytes);

    count_dead(region, head);
    size_t old = head->bytes;
    head->bytes = bytes;
    head->mark = head_mark(head, MARK_LIVE);
    size_t want = bytes + tail_bytes(head, frame_bytes);
    size_t from = bytes < old ? bytes : had;
    if (want > from)
        memset(data + from, RED_BYTE, want - from);
    count_live(region, head);
}

static bool head_fits(const struct debug_head *head, size_t frame_bytes, size_t bytes)
{
    return !head->guard && bytes <= frame_bytes - head->lead - TAIL_MIN;
}

void *debug_resize(struct mem_region *region, void *block, size_t bytes, const void *caller)
{
    size_t frame_bytes;
    struct span *span = map_find(block);

    if (!span || span->region != region) {
        warn_call("resize error", "outside region", region, block, NULL, caller);
        errno = EINVAL;
        return NULL;
    }
    struct debug_head *head = frame_live(span, block, "resize error", &frame_bytes, caller);
    if (!head) {
        errno = EINVAL;
        return NULL;
    }
    if (bytes > MEM_BYTES_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    region->resize_count++;
    size_t old = head->bytes;
    if (head_fits(head, frame_bytes, bytes) && bytes >= frame_bytes / 4) {
        head_resize(region, head, frame_bytes, bytes);
        return block;
    }
    /* Room ahead for what grows: appending byte by byte must not copy each time. */
    size_t room = bytes > old ? bytes + bytes / 4 : bytes;
    void *moved = debug_alloc_room(region, bytes, room, MEM_ALIGN, false, caller);
    if (!moved)
        return NULL;
    memcpy(moved, block, old < bytes ? old : bytes);
    debug_free(span, block, caller);
    return moved;
}

bool debug_resize_in_place(struct mem_region *region, void *block, size_t bytes)
{
    size_t frame_bytes;
    struct span *span = map_find(block);
    struct debug_head *head = frame_live(span, block, "resize error", &frame_bytes, NULL);

    if (!head || !head_fits(head, frame_bytes, bytes))
        return false;
    region->resize_count++;
    head_resize(region, head, frame_bytes, bytes);
    return true;
}

size_t debug_block_bytes(const struct span *span, const void *block)
{
    size_t frame_bytes;
    struct debug_head *head = frame_of(span, block, &frame_bytes);

    return head && head_is(head, MARK_LIVE) && head_data(head) == block ? head->bytes : 0;
}

bool debug_block_origin(const void *block, uint32_t *ret_site, const void **ret_caller)
{
    size_t frame_bytes;
    const struct span *span = map_find(block);
    const struct debug_head *head = span ? frame_of(span, block, &frame_bytes) : NULL;

    if (!head || !head_is(head, MARK_LIVE))
        return false;
    *ret_site = head->site;
    *ret_caller = head->caller;
    return true;
}

const void *debug_block_data(const void *block)
{
    const struct debug_head *head = block;

    return head_is(head, MARK_LIVE) ? head_data((struct debug_head *)head) : NULL;
}

int debug_visit_block(void *arg, void *block, size_t bytes, bool busy)
{
    const struct debug_visit *debug = arg;
    struct debug_head *head = block;

    if (busy && head_is(head, MARK_LIVE))
        return debug->visit(debug->arg, head_data(head), head->bytes ? head->bytes : 1, true);
    return debug->visit(debug->arg, block, bytes, false);
}

/* Takes the frames of REGION out of the table and the quarantine. */
void debug_region_forget(struct mem_region *region)
{
    struct debug_head *head = quarantine_first;

    quarantine_forget();
    for (struct debug_head *next; head && quarantine_good(head); head = next) {
        next = head->next;
        if (mem_region_of(head) != region)
            quarantine_link(head);
    }
    for (size_t slot = 0; slot < live_count;) {
        struct debug_head *at = live[slot];
        struct span *span = at->guard ? at->guard : map_find(at);
        if (!span || span->region != region) {
            slot++;
            continue;
        }
        live_drop(slot);
        count_dead(region, at);
        if (at->guard)
            guard_drop(at->guard);
    }
    region->debug_bytes = region->debug_count = 0;
}
