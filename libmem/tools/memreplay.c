/*
 * memreplay.c: runs a recorded trace=FILE again, on libmem under any options and on other mallocs.
 *
 * Usage: memreplay [-n TIMES] [-l LIBMEM] [-o OPTIONS]... [-p LIBRARY]... FILE. Each -o is a run on
 * libmem with that VMALLOC_OPTIONS, each -p one with LIBRARY preloaded (`libc`: none); without any,
 * libmem and libc. One line for each run: processor ms (the least of TIMES), live peak of the
 * trace, resident peak, resident at the end, and fragmentation, resident peak over live peak. The
 * program is not linked with libmem: every run is this program started anew with --run, which reads
 * the trace into memory it maps itself and then only calls malloc, realloc and free.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libmem/trace_format.h"

enum { TIMES_MAX = 1000 };

/* One call: slot says which block. */
struct event {
    uint64_t size;
    uint32_t slot;
    uint8_t kind, align_log; /* enum trace_kind; a move is a resize */
};

struct trace {
    struct event *events;
    size_t count;
    uint32_t slots;
    uint64_t live_peak;
};

/* Open addressing from an address to the slot of the block that lives there. */
struct table {
    uint64_t *address;
    uint32_t *slot;
    size_t size, used;
};

struct loader {
    struct trace trace;
    struct table table;
    uint64_t *slot_bytes;
    uint32_t *free_slots;
    uint32_t free_count;
    size_t room;
    uint64_t live;
};

static void die(const char *what)
{
    fprintf(stderr, "memreplay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *map(size_t bytes)
{
    void *base = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED)
        die("memory");
    return base;
}

/* ---- loading ---- */

static size_t table_find(const struct table *table, uint64_t address)
{
    size_t at = (size_t)((address >> 4) * 0x9e3779b97f4a7c15u >> 20) & (table->size - 1);

    while (table->address[at] && table->address[at] != address)
        at = (at + 1) & (table->size - 1);
    return at;
}

static void table_remove(struct table *table, size_t at)
{
    table->address[at] = 0;
    table->used--;
    for (size_t next = (at + 1) & (table->size - 1); table->address[next];
         next = (next + 1) & (table->size - 1)) {
        uint64_t address = table->address[next];
        table->address[next] = 0;
        size_t home = table_find(table, address);
        table->address[home] = address;
        table->slot[home] = table->slot[next];
    }
}

static void add_event(struct loader *load, enum trace_kind kind, uint32_t slot, uint64_t size,
                      unsigned align_log)
{
    struct trace *trace = &load->trace;

    trace->events[trace->count++] = (struct event){ size, slot, (uint8_t)kind, (uint8_t)align_log };
    load->live += size - load->slot_bytes[slot];
    load->slot_bytes[slot] = size;
    if (load->live > trace->live_peak)
        trace->live_peak = load->live;
}

static void on_free(struct loader *load, uint64_t address)
{
    size_t at = table_find(&load->table, address);

    if (!load->table.address[at])
        return; /* got before the trace began */
    uint32_t slot = load->table.slot[at];
    table_remove(&load->table, at);
    add_event(load, TRACE_FREE, slot, 0, 0);
    load->free_slots[load->free_count++] = slot;
}

static void on_alloc(struct loader *load, uint64_t address, uint64_t size, unsigned align_log)
{
    on_free(load, address); /* its free is not in the trace */
    uint32_t slot = load->free_count ? load->free_slots[--load->free_count] : load->trace.slots++;
    size_t at = table_find(&load->table, address);
    load->table.address[at] = address;
    load->table.slot[at] = slot;
    load->table.used++;
    add_event(load, align_log > 4 ? TRACE_ALIGN : TRACE_ALLOC, slot, size, align_log);
}

static void on_resize(struct loader *load, uint64_t old, uint64_t new, uint64_t size)
{
    size_t at = table_find(&load->table, old);

    if (!load->table.address[at]) {
        on_alloc(load, new, size, 0);
        return;
    }
    uint32_t slot = load->table.slot[at];
    if (old != new) {
        table_remove(&load->table, at);
        on_free(load, new);
        at = table_find(&load->table, new);
        load->table.address[at] = new;
        load->table.slot[at] = slot;
        load->table.used++;
    }
    add_event(load, TRACE_RESIZE, slot, size, 0);
}

static bool load_compact(struct loader *load, const char *text, size_t bytes)
{
    for (size_t at = sizeof(struct trace_header); at + 8 <= bytes;) {
        uint64_t word, more = 0;
        memcpy(&word, text + at, 8);
        enum trace_kind kind = (enum trace_kind)(word & 7);
        at += 8;
        if (kind != TRACE_FREE) {
            if (at + 8 > bytes)
                break; /* cut short */
            memcpy(&more, text + at, 8);
            at += 8;
        }
        uint64_t address = trace_address(word), size = more & (((uint64_t)1 << 40) - 1);
        if (kind == TRACE_FREE) {
            on_free(load, address);
        } else if (kind == TRACE_ALLOC) {
            on_alloc(load, address, size, 0);
        } else if (kind == TRACE_RESIZE) {
            on_resize(load, address, address, size);
        } else if (kind == TRACE_MOVE) {
            size = more >> 43;
            if (size & TRACE_UNITS)
                size = (size & ~TRACE_UNITS) << TRACE_UNIT_SHIFT;
            on_resize(load, address, (more & (((uint64_t)1 << 43) - 1)) << 4, size);
        } else if (kind == TRACE_ALIGN) {
            on_alloc(load, address, more & (((uint64_t)1 << 34) - 1), more >> 34 & 63);
        } else {
            return false;
        }
    }
    return true;
}

/* A number up to a colon. */
static bool field(const char **at, const char *end, uint64_t *ret_value)
{
    const char *text = *at;
    char *stop;
    uint64_t value = strtoull(text, &stop, 0);

    if (stop == text || stop >= end || *stop != ':')
        return false;
    *at = stop + 1;
    *ret_value = value;
    return true;
}

/* The text ends with a NUL: the mapping is longer than the file. */
static bool load_text(struct loader *load, const char *text, size_t bytes)
{
    const char *end = text + bytes;

    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        uint64_t old, new, size, align;
        if (!line_end)
            return true; /* cut short */
        if (!field(&text, line_end, &old) || !field(&text, line_end, &new) ||
            !field(&text, line_end, &size) || !field(&text, line_end, &align))
            return false;
        if (!new)
            on_free(load, old);
        else if (old)
            on_resize(load, old, new, size);
        else
            on_alloc(load, new, size, align ? (unsigned)__builtin_ctzll(align) : 0);
        text = line_end + 1;
    }
    return true;
}

/* The number behind KEY in a file of the system; UINT64_MAX: there is none. */
static uint64_t system_number(const char *path, const char *key)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    const char *at = strstr(text, key);
    at = at ? at + strlen(key) + strspn(at + strlen(key), " ") : text;
    return *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : UINT64_MAX;
}

/* Every page of what lives is written to: what a damaged trace may ask for must not make the system
 * swap, or end other programs. */
static uint64_t bytes_available(void)
{
    uint64_t kib = system_number("/proc/meminfo", "MemAvailable:");
    uint64_t group = system_number("/sys/fs/cgroup/memory.max", "");

    if (kib == UINT64_MAX)
        kib = (uint64_t)sysconf(_SC_PHYS_PAGES) * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024);
    return kib * 1024 < group ? kib * 1024 : group;
}

static struct trace trace_load(const char *name)
{
    struct loader load = { 0 };
    struct stat info;
    int fd = open(name, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0)
        die(name);
    size_t bytes = (size_t)info.st_size;
    char *text = map(bytes + 1);
    for (size_t at = 0; at < bytes;) {
        ssize_t got = read(fd, text + at, bytes - at);
        if (got == 0)
            errno = EIO; /* it became shorter */
        if (got <= 0)
            die(name);
        at += (size_t)got;
    }
    close(fd);
    size_t most = bytes / 8 + 2; /* the shortest event; each may free something first */
    load.trace.events = map(2 * most * sizeof *load.trace.events);
    load.slot_bytes = map(most * sizeof *load.slot_bytes);
    load.free_slots = map(most * sizeof *load.free_slots);
    load.table.size = 1024;
    while (load.table.size < 2 * most)
        load.table.size *= 2;
    load.table.address = map(load.table.size * sizeof *load.table.address);
    load.table.slot = map(load.table.size * sizeof *load.table.slot);
    bool compact = bytes >= sizeof(struct trace_header) && memcmp(text, TRACE_MAGIC, 8) == 0;
    if (!(compact ? load_compact(&load, text, bytes) : load_text(&load, text, bytes))) {
        fprintf(stderr, "memreplay: %s: not a trace\n", name);
        exit(1);
    }
    uint64_t room = bytes_available();
    if (load.trace.live_peak > room) { /* a damaged one, say */
        fprintf(stderr, "memreplay: %s: needs %llu MiB at once, and there are %llu\n", name,
                (unsigned long long)(load.trace.live_peak >> 20), (unsigned long long)(room >> 20));
        exit(1);
    }
    munmap(text, bytes + 1);
    munmap(load.slot_bytes, most * sizeof *load.slot_bytes);
    munmap(load.free_slots, most * sizeof *load.free_slots);
    munmap(load.table.address, load.table.size * sizeof *load.table.address);
    munmap(load.table.slot, load.table.size * sizeof *load.table.slot);
    return load.trace;
}

/* ---- one run ---- */

static long status_kib(const char *key)
{
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    const char *at = strstr(text, key);
    return at ? strtol(at + strlen(key), NULL, 10) : 0;
}

/* A program writes to what it gets. */
static void touch(char *block, uint64_t from, uint64_t bytes)
{
    if (bytes > from)
        block[from] = 1;
    for (uint64_t at = (from | 4095) + 1; at < bytes; at += 4096)
        block[at] = 1;
}

static double cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void replay(const struct trace *trace, char **blocks, uint64_t *sizes)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct event *event = &trace->events[i];
        char **block = &blocks[event->slot];
        uint64_t from = 0;
        if (event->kind == TRACE_FREE) {
            free(*block);
            *block = NULL;
        } else if (event->kind == TRACE_RESIZE) {
            char *moved = realloc(*block, event->size ? event->size : 1);
            if (!moved)
                die("realloc");
            *block = moved;
            from = sizes[event->slot];
        } else {
            *block = event->kind == TRACE_ALIGN
                         ? memalign((size_t)1 << event->align_log, event->size)
                         : malloc(event->size);
            if (!*block)
                die("malloc");
        }
        sizes[event->slot] = event->size;
        touch(*block, from, event->size);
    }
}

/* The dynamic linker goes on without what it cannot preload; figures of another malloc mislead. */
static void require_preloaded(void)
{
    const char *library = getenv("LD_PRELOAD");

    if (library && !dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
        fprintf(stderr, "memreplay: %s: cannot be preloaded\n", library);
        exit(1);
    }
}

static int run(const char *name)
{
    require_preloaded();

    struct trace trace = trace_load(name);
    char **blocks = map(trace.slots * sizeof *blocks);
    uint64_t *sizes = map(trace.slots * sizeof *sizes);

    memset(blocks, 0, trace.slots * sizeof *blocks);
    memset(sizes, 0, trace.slots * sizeof *sizes);
    for (size_t i = 0; i < trace.count; i += 64) /* all of it is resident before the clock starts */
        *(volatile uint8_t *)&trace.events[i].kind = trace.events[i].kind;
    free(malloc(1));
    int clear = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (clear >= 0) { /* the peak counts from here */
        if (write(clear, "5", 1) != 1)
            fprintf(stderr, "memreplay: the resident peak includes the loading\n");
        close(clear);
    }
    long base = status_kib("VmRSS:");
    double start = cpu_ms();
    replay(&trace, blocks, sizes);
    double ms = cpu_ms() - start;
    long end = status_kib("VmRSS:") - base, peak = status_kib("VmHWM:") - base;
    printf("%.2f %llu %ld %ld\n", ms, (unsigned long long)(trace.live_peak / 1024),
           peak > 0 ? peak : 0, end > 0 ? end : 0);
    return 0;
}

/* ---- the table ---- */

struct kind_of_run {
    const char *options, *library; /* options NULL: not libmem; library NULL: libc */
};

/* Starts this program on FILE; false: it failed. QUIET: what it has to say was said before. */
static bool start(const struct kind_of_run *kind, const char *libmem, const char *file, bool quiet,
                  double *ret_figures)
{
    int fds[2];
    char text[200];

    if (pipe(fds) != 0)
        die("pipe");
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0) {
        const char *library = kind->options ? libmem : kind->library;
        int none = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
        dup2(fds[1], 1);
        if (none >= 0)
            dup2(none, 2);
        close(fds[0]);
        close(fds[1]);
        unsetenv("VMALLOC_OPTIONS");
        unsetenv("LD_PRELOAD");
        if (kind->options && *kind->options)
            setenv("VMALLOC_OPTIONS", kind->options, 1);
        if (library)
            setenv("LD_PRELOAD", library, 1);
        execl("/proc/self/exe", "memreplay", "--run", file, (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    ssize_t got = read(fds[0], text, sizeof text - 1);
    int status = 0;
    close(fds[0]);
    waitpid(pid, &status, 0);
    text[got > 0 ? got : 0] = '\0';
    char *at = text;
    for (int i = 0; i < 4; i++)
        ret_figures[i] = strtod(at, &at);
    return got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Prints one line of the table; false: the run failed. */
static bool report(const struct kind_of_run *kind, const char *libmem, const char *file, int times)
{
    double best[4] = { 0 }, figures[4];
    char label[64];

    snprintf(label, sizeof label, "%s%s", kind->options ? "libmem " : "",
             kind->options ? kind->options
             : kind->library
                 ? (strrchr(kind->library, '/') ? strrchr(kind->library, '/') + 1 : kind->library)
                 : "libc");
    for (int i = 0; i < times; i++) {
        if (!start(kind, libmem, file, i > 0, figures)) {
            printf("%-32s failed\n", label);
            return false;
        }
        if (i == 0 || figures[0] < best[0])
            memcpy(best, figures, sizeof best);
    }
    printf("%-32s %10.1f %12.0f %12.0f %12.0f %8.2f\n", label, best[0], best[1], best[2], best[3],
           best[1] > 0 ? best[2] / best[1] : 0);
    fflush(stdout);
    return true;
}

/* libmem.so beside this program, or where the dynamic linker finds it. */
static const char *libmem_path(void)
{
    static char path[4096];
    static const char *const places[] = { "libmem.so", "../lib/libmem.so",
                                          "../lib/x86_64-linux-gnu/libmem.so" };
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 64);

    while (bytes > 0 && path[bytes - 1] != '/')
        bytes--;
    for (size_t i = 0; bytes > 0 && i < sizeof places / sizeof places[0]; i++) {
        snprintf(path + bytes, sizeof path - (size_t)bytes, "%s", places[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    return "libmem.so.0";
}

/* 1 to TIMES_MAX, or 0: TEXT is no such number. */
static int number_of_times(const char *text)
{
    char *end;
    long times = strtol(text, &end, 10);

    return *text && !*end && times > 0 && times <= TIMES_MAX ? (int)times : 0;
}

static void print_usage(FILE *to)
{
    fprintf(to, "usage: memreplay [-n TIMES] [-l LIBMEM] [-o OPTIONS]... [-p LIBRARY]... FILE\n");
}

int main(int argc, char **argv)
{
    static struct kind_of_run kinds[64];
    size_t count = 0;
    const char *libmem = libmem_path();
    int times = 3, option;
    bool bad = false;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--run") == 0)
        return run(argv[2]);
    while ((option = getopt(argc, argv, "n:l:o:p:")) != -1) {
        if (option == 'n')
            times = number_of_times(optarg);
        else if (option == 'l')
            libmem = optarg;
        else if (option == 'o' && count < 64)
            kinds[count++] = (struct kind_of_run){ optarg, NULL };
        else if (option == 'p' && count < 64)
            kinds[count++] =
                (struct kind_of_run){ NULL, strcmp(optarg, "libc") == 0 ? NULL : optarg };
        else
            bad = true;
    }
    if (bad || optind != argc - 1 || times < 1) {
        print_usage(stderr);
        return 2;
    }
    if (!count) {
        kinds[count++] = (struct kind_of_run){ "", NULL };
        kinds[count++] = (struct kind_of_run){ NULL, NULL };
    }
    if (access(argv[optind], R_OK) != 0)
        die(argv[optind]);
    (void)trace_load(argv[optind]); /* what is wrong with it is said once */
    printf("%-32s %10s %12s %12s %12s %8s\n", "run", "cpu ms", "live KiB", "peak KiB", "end KiB",
           "peak/live");
    fflush(stdout);
    int status = 0;
    for (size_t i = 0; i < count; i++)
        if (!report(&kinds[i], libmem, argv[optind], times))
            status = 1;
    return status;
}
