/*
 * test_debug.c: method=debug and the options that watch single calls: what is noticed, which line
 * says so, and that the heap survives it; keep, fail, watch, trace.
 */
#include <fcntl.h>
#include <malloc.h>
#include <regex.h>

#include "libmem/trace_format.h"
#include "tests/unit/libmem/mem_test.h"

static char said[65536];

static void assert_said(const char *pattern)
{
    regex_t regex;

    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), 0);
    if (regexec(&regex, said, 0, NULL, 0) != 0)
        fail_msg("does not match %s: %s", pattern, said);
    regfree(&regex);
}

static int status_of(const char *what, const char *options)
{
    return test_program(what, options, said, sizeof said);
}

static void run(const char *what, const char *options)
{
    int status = status_of(what, options);

    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("status %x: %s", (unsigned)status, said);
}

/* ---- what the started program does ---- */

static bool describe(uint32_t site, char *ret_text, size_t bytes)
{
    return snprintf(ret_text, bytes, "script,%u,work", site) > 0;
}

static int double_free(struct mem_region *region)
{
    char *block = mem_alloc(region, 100);
    mem_site = 7;
    mem_free(block);
    mem_site = 8;
    mem_free(block);
    return 0;
}

static int overflow(struct mem_region *region)
{
    volatile char *block = mem_alloc(region, 100);
    block[107] = 1;
    mem_free((char *)block);
    block = mem_alloc(region, 100);
    block[-3] = 1;
    mem_free((char *)block);
    block = mem_alloc(region, 20000);
    block[20005] = 1;
    return mem_resize(region, (char *)block, 20010) != NULL;
}

static int foreign(struct mem_region *region)
{
    char *block = mem_alloc(region, 100);
    static char own[64];
    mem_free(block + 16);
    mem_free(own);
    mem_free((void *)1);
    if (mem_resize(region, (void *)3, 10))
        return 1;
    mem_free(block);
    return mem_resize(region, block, 10) != NULL;
}

static int late_write(struct mem_region *region)
{
    volatile char *block = mem_alloc(region, 200);
    mem_free((char *)block);
    block[5] = 0;
    for (int i = 0; i < 4000; i++) /* pushes it out of the quarantine */
        mem_free(mem_alloc(region, 1000));
    return 0;
}

/* The damaged block is one of many and never freed: only the periodic check can find it. */
static int period(struct mem_region *region)
{
    volatile char *bad = mem_alloc(region, 64);
    for (int i = 0; i < 100; i++)
        (void)!mem_alloc(region, 64);
    bad[64] = 0;
    for (int i = 0; i < 100; i++)
        (void)!mem_alloc(region, 64);
    return 0;
}

static int head(struct mem_region *region)
{
    char *block = mem_alloc(region, 64);
    memset(block - 40, 0, 30);
    mem_free(block);
    return mem_check(region) != 0;
}

/* What is followed in a head, written to from below while the block lives and after it was freed.
 */
static int pointers(struct mem_region *region)
{
    char *blocks[3];
    for (int i = 0; i < 3; i++)
        blocks[i] = mem_alloc(region, 64);
    memset(blocks[0] - 16, 'x', 8);
    mem_free(blocks[0]);
    mem_free(blocks[1]);
    mem_free(mem_alloc(region, 64));
    memset(blocks[1] - 64, 'x', 8); /* the link to the one freed after it */
    for (int i = 0; i < 4000; i++)  /* pushes it out of the quarantine */
        mem_free(mem_alloc(region, 1000));
    mem_free(blocks[2]);
    blocks[2] = mem_alloc(region, 64);
    mem_free(blocks[2]);
    memset(blocks[2] - 64, 'x', 64);
    mem_region_close(mem_region_open("other", MEM_METHOD_DEBUG, 0));
    return mem_check(region) != 0;
}

/* Sizes that no block can have, one of which with the room for growth added is 0. */
static int too_big(struct mem_region *region)
{
    char *block = mem_alloc(region, 100);
    bool failed = !mem_resize(region, block, SIZE_MAX / 5 * 4 + 1) && errno == ENOMEM;
    errno = EINVAL;
    failed = failed && !mem_resize(region, block, SIZE_MAX - 4096) && errno == ENOMEM;
    mem_free(block);
    return !failed || mem_check(region) != 0;
}

/* Of no bytes, and all the same each with an address that can be freed and resized. */
static int empty(struct mem_region *region)
{
    for (int i = 0; i < 10; i++) {
        mem_free(mem_alloc(region, 0));
        mem_free(mem_resize(region, mem_alloc(region, 0), 100));
        mem_free(mem_resize(region, mem_alloc(region, 4096), 4080));
    }
    return mem_check(region) != 0;
}

static int guarded(struct mem_region *region)
{
    char *block = mem_alloc(region, 32);
    memset(block, 1, 32);
    mem_free(block);
    mem_free(block);
    volatile char *last = mem_alloc(region, 32);
    last[32] = 1; /* the closed page */
    return 0;
}

static int content(struct mem_region *region)
{
    enum { COUNT = 300 };
    static char *blocks[COUNT];
    static size_t sizes[COUNT];
    uint64_t seed = 11;

    for (int i = 0; i < 20000; i++) {
        size_t at = test_random(&seed) % COUNT, bytes = test_random(&seed) % 9000;
        for (size_t k = 0; k < sizes[at]; k += 97)
            if (blocks[at][k] != (char)at)
                return 2;
        if (i % 3 == 0) {
            mem_free(blocks[at]);
            blocks[at] = NULL;
            sizes[at] = 0;
            continue;
        }
        char *block = i % 7 ? mem_resize(region, blocks[at], bytes) : NULL;
        if (!block) {
            mem_free(blocks[at]);
            block = mem_align(region, bytes, (size_t)16 << i % 9);
            if ((uintptr_t)block % ((size_t)16 << i % 9))
                return 3;
        }
        memset(block, (int)at, bytes);
        blocks[at] = block;
        sizes[at] = bytes;
    }
    struct mem_stats stats;
    size_t busy = 0, count = 0;
    mem_region_stats(region, &stats);
    for (int i = 0; i < COUNT; i++) {
        busy += sizes[i];
        count += blocks[i] != NULL;
        mem_free(blocks[i]);
    }
    if (stats.busy_bytes != busy || stats.busy_count != count || mem_check(region))
        return 4;
    mem_region_stats(region, &stats);
    return stats.busy_bytes || stats.busy_count || stats.method != MEM_METHOD_DEBUG;
}

static int front(struct mem_region *region)
{
    (void)region;
    void (*volatile release)(void *) = free; /* out of the compiler's sight */
    char *text = strdup("0123456789");
    if (malloc_usable_size(text) != 11)
        return 1;
    text = realloc(text, 5000);
    if (strcmp(text, "0123456789") != 0)
        return 2;
    release(text);
    release(text);
    return 0;
}

static int keeps(struct mem_region *region)
{
    char *block = memcpy(mem_alloc(region, 10), "still", 6);
    mem_free(block);
    for (int i = 0; i < 100; i++)
        memset(mem_alloc(region, 10), 0, 10);
    char *grown = mem_resize(region, block, 1000);
    return strcmp(block, "still") || strcmp(grown, "still");
}

static int fails(struct mem_region *region)
{
    char text[64];
    size_t at = 0;

    mem_options_apply("fail=3:2");
    for (int i = 0; i < 8; i++) {
        char *block = mem_alloc(region, 10);
        text[at++] = block ? 'y' : errno == ENOMEM ? 'n' : '?';
    }
    mem_options_apply("nofail");
    text[at++] = mem_alloc(region, 10) ? 'y' : 'n';
    dprintf(2, "%.*s\n", (int)at, text);
    return mem_check(NULL) != 0;
}

static int watches(struct mem_region *region)
{
    char text[64];
    char *block = mem_alloc(region, 40);
    snprintf(text, sizeof text, "watch=%p", (void *)(block + 8));
    mem_options_apply(text);
    mem_site = 5;
    mem_resize_in_place(block, 44);
    mem_free(block);
    block = mem_alloc(region, 40);
    (void)!mem_resize(region, block, 4000);
    mem_options_apply("nowatch");
    mem_free(mem_alloc(region, 40));
    return 0;
}

static int traced(struct mem_region *region)
{
    char *block = mem_alloc(region, 10);
    mem_site = 3;
    block = mem_resize(region, block, 3000);
    block = mem_resize(region, block, 3001);
    mem_free(block);
    mem_free(mem_align(region, 100, 256));
    (void)!mem_alloc(region, (size_t)1 << 60);
    mem_site = 0;
    (void)!mem_alloc(region, 20);
    mem_site = 3;
    mem_flush();
    (void)!mem_alloc(region, 30);
    (void)!mem_alloc(region, 50);
    pid_t pid = fork();
    (void)!mem_alloc(region, pid ? 70 : 60);
    if (!pid) {
        mem_flush();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return 0;
}

static int leaks(struct mem_region *region)
{
    mem_site = 21;
    for (int i = 0; i < 3; i++)
        (void)!mem_alloc(region, 100);
    mem_site = 22;
    (void)!mem_alloc(region, 5000);
    mem_free(mem_alloc(region, 64));
    return 0;
}

static int fault_after(struct mem_region *region)
{
    volatile char *block = mem_alloc(region, 64);

    *(volatile uint32_t *)&mem_site = 31;
    block[64 + 100] = 1;
    return 0;
}

static int fault_before(struct mem_region *region)
{
    volatile char *block = mem_alloc(region, 4096);

    return block[-1];
}

static int fault_freed(struct mem_region *region)
{
    mem_site = 32;
    volatile char *block = mem_alloc(region, 64);
    mem_site = 33;
    mem_free((char *)block);
    *(volatile uint32_t *)&mem_site = 34;
    return block[5];
}

static int fault_other(struct mem_region *region)
{
    volatile uintptr_t nowhere = 16;

    (void)!mem_alloc(region, 64);
    return *(volatile char *)nowhere;
}

static const struct {
    const char *name;
    int (*code)(struct mem_region *);
} programs[] = {
    { "fault-after", fault_after },
    { "fault-before", fault_before },
    { "fault-freed", fault_freed },
    { "fault-other", fault_other },
    { "double", double_free },
    { "overflow", overflow },
    { "foreign", foreign },
    { "late", late_write },
    { "period", period },
    { "head", head },
    { "pointers", pointers },
    { "big", too_big },
    { "guard", guarded },
    { "empty", empty },
    { "content", content },
    { "front", front },
    { "keep", keeps },
    { "fail", fails },
    { "watch", watches },
    { "trace", traced },
    { "leak", leaks },
};

static int program(const char *what)
{
    struct mem_region *region = mem_region_open("work", MEM_BEST, 0);

    mem_site_describe = describe;
    for (size_t i = 0; region && i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(programs[i].name, what) == 0)
            return programs[i].code(region);
    return 99;
}

/* ---- tests ---- */

#define ADDRESS "0x[0-9a-f]{8,}"
#define BLOCK   ":region=" ADDRESS ":block=" ADDRESS ":"

static void test_double_free(void **state)
{
    (void)state;
    run("double", "method=debug");
    assert_said("^free error" BLOCK "not currently allocated:size=100:allocated at=.*:"
                "freed at=script,7,work:detected at=script,8,work:$");
    run("double", "");
    assert_said("^vmalloc: free error: block=" ADDRESS ": not currently allocated$");
}

static void test_overflow(void **state)
{
    (void)state;
    run("overflow", "method=debug");
    assert_said("^corrupted data" BLOCK "bad byte at=107:size=100:allocated at=");
    assert_said("^corrupted data" BLOCK "bad byte at=-3:size=100:");
    assert_said("^corrupted data" BLOCK "bad byte at=20005:size=20000:");
}

static void test_foreign(void **state)
{
    (void)state;
    run("foreign", "method=Vmdebug");
    assert_said("^free error" BLOCK "inside a block:size=100:");
    assert_said("^free error" BLOCK "outside region:");
    assert_said("^resize error" BLOCK "outside region:");
    assert_said("^resize error" BLOCK "not currently allocated:size=100:");
}

static void test_late_write(void **state)
{
    (void)state;
    run("late", "method=debug");
    assert_said("^corrupted data" BLOCK "written after free:bad byte at=5:size=200:");
}

static void test_period(void **state)
{
    (void)state;
    run("period", "method=debug");
    assert_said("^corrupted data" BLOCK "bad byte at=64:size=64:");
    run("period", "method=debug period=3");
    assert_said("^corrupted data");
    run("period", "method=debug start=10000");
    assert_string_equal(said, "");
    run("period", "period=1000000000");
    assert_string_equal(said, "");
}

static void test_head(void **state)
{
    (void)state;
    run("head", "method=debug");
    assert_said("^corrupted data" BLOCK "head overwritten:");
}

static void test_pointers(void **state)
{
    (void)state;
    run("pointers", "method=debug");
    const char *at = said;
    for (int i = 0; i < 3; i++) {
        at = strstr(at, "head overwritten:");
        assert_non_null(at);
        at++;
    }
    assert_null(strstr(at, "head overwritten:"));
}

static void test_too_big(void **state)
{
    (void)state;
    run("big", "method=debug");
    assert_string_equal(said, "");
    run("big", "method=best");
    assert_string_equal(said, "");
}

static void test_abort(void **state)
{
    (void)state;
    int status = status_of("double", "abort");
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_said("^free error");
}

/* Ended by the closed page; a sanitizer makes an exit of the signal. */
static bool faulted(int status)
{
    return TEST_SANITIZED ? status != 0 : WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void test_empty(void **state)
{
    static const char *const options[] = { "guard=1", "guard=2", "method=debug" };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        int status = status_of("empty", options[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_string_equal(said, "");
    }
}

static void test_guard(void **state)
{
    (void)state;
    int status = status_of("guard", "guard=1");
    assert_true(faulted(status));
    assert_said("^free error" BLOCK "not currently allocated:size=32:");
    run("content", "guard=20");
}

static void test_content(void **state)
{
    (void)state;
    run("content", "method=debug");
    assert_string_equal(said, "");
    for (int i = 0; i < TEST_GETTERS; i++) {
        char options[80];
        snprintf(options, sizeof options, "method=debug getmem=%s", test_getters[i]);
        run("content", options);
        assert_string_equal(said, "");
    }
}

static void test_front_calls(void **state)
{
    (void)state;
    if (!test_front())
        return;
    run("front", "method=debug");
    assert_said("^free error" BLOCK "not currently allocated:size=5000:");
}

static void test_warn_file(void **state)
{
    char name[] = "/tmp/memwarnXXXXXX", options[200], text[1000] = "";

    (void)state;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    snprintf(options, sizeof options, "warn=%s", name);
    run("double", options);
    assert_string_equal(said, "");
    assert_true(read(fd, text, sizeof text - 1) > 0);
    assert_memory_equal(text, "free error:region=", 18);
    snprintf(options, sizeof options, "warn=&2");
    run("double", options);
    assert_said("^free error");
    run("double", "warn=/nonexistent/file");
    assert_said("^vmalloc: warn=/nonexistent/file: cannot write: No such file or directory$");
    close(fd);
    unlink(name);
}

/* What touches a closed page is told in one line, and then dies as it would have. */
static void test_fault(void **state)
{
    (void)state;
    int status = status_of("fault-after", "guard=1");
    assert_true(faulted(status));
    assert_said("^fault" BLOCK "touched outside:byte at=164:size=64:allocated at=.*:"
                "detected at=script,31,work:$");
    status = status_of("fault-before", "guard=1");
    assert_true(faulted(status));
    assert_said("^fault" BLOCK "touched outside:byte at=-1:size=4096:");
    status = status_of("fault-freed", "guard=1");
    assert_true(faulted(status));
    assert_said("^fault" BLOCK "touched after free:byte at=5:size=64:allocated at=script,32,work:"
                "freed at=script,33,work:detected at=script,34,work:$");
    status = status_of("fault-other", "guard=1");
    assert_true(faulted(status));
    if (!TEST_SANITIZED) /* which says much itself */
        assert_string_equal(said, "");
}

static void test_keep(void **state)
{
    (void)state;
    run("keep", "keep");
    run("keep", "keep method=debug");
}

static void test_fail(void **state)
{
    (void)state;
    run("fail", "");
    assert_said("^yynynyny$|^yynynynyy$");
}

static void test_watch(void **state)
{
    (void)state;
    run("watch", "");
    assert_said("^alert" BLOCK "size=40:just allocated:detected at=script,5,work:$");
    assert_said("^alert" BLOCK "size=[0-9]+:being freed:");
    assert_said("^alert" BLOCK "size=[0-9]+:being resized:");
    assert_said("^alert" BLOCK "size=44:just resized:");
    run("watch", "method=debug");
    assert_said("^alert" BLOCK "size=44:being freed:");
}

static void test_leak(void **state)
{
    (void)state;
    run("leak", "leak,method=debug");
    assert_said("^leak:region=work:blocks=3:size=300:allocated at=script,21,work:$");
    assert_said("^leak:region=work:blocks=1:size=5000:allocated at=script,22,work:$");
    assert_null(strstr(said, "size=64:"));
    run("leak", "leak");
    assert_said("^leak:region=work:blocks=3:size=336:112 each:$");
    run("leak", "profile=/dev/fd/2");
    assert_said("^leak:region=work:blocks=1:size=5120:5120 each:$");
    run("leak", "leak noleak");
    assert_string_equal(said, "");
}

static size_t file_read(const char *name, char *ret_text, size_t bytes)
{
    int fd = open(name, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t got = read(fd, ret_text, bytes - 1);
    assert_true(got >= 0);
    ret_text[got] = '\0';
    close(fd);
    unlink(name);
    return (size_t)got;
}

static void test_trace(void **state)
{
    char name[60], options[100];

    (void)state;
    snprintf(name, sizeof name, "/tmp/memtrace%d", (int)getpid());
    snprintf(options, sizeof options, "trace=%s", name);
    run("trace", options);
    file_read(name, said, sizeof said);
#define WHOLE "tid=[0-9]+,pid=[0-9]+:$"
#define SITE  ":b:file=script,line=3,func=work"
    assert_said("^0x0:0x[0-9a-f]+:10:0:0x[0-9a-f]+:b:" WHOLE);
    /* Only what differs from the line before. */
    assert_said("^0x[0-9a-f]+:0x[0-9a-f]+:3000:0:0x[0-9a-f]+" SITE ":$");
    assert_said("^0x[0-9a-f]+:0x[0-9a-f]+:3001:0:0x[0-9a-f]+:b::$");
    assert_said("^0x[0-9a-f]+:0x0:[0-9]+:0:0x[0-9a-f]+:b::$");
    assert_said("^0x0:0x[0-9a-f]+:100:256:0x[0-9a-f]+:b::$");
    assert_said("^0x0:0x[0-9a-f]+:20:0:0x[0-9a-f]+:b:file=,line=,func=:$");
    /* All of it at the start of what is written at once, and in a child. */
    assert_said("^0x0:0x[0-9a-f]+:30:0:0x[0-9a-f]+" SITE "," WHOLE);
    assert_said("^0x0:0x[0-9a-f]+:50:0:0x[0-9a-f]+:b::$");
    assert_said("^0x0:0x[0-9a-f]+:60:0:0x[0-9a-f]+" SITE "," WHOLE);
    assert_said("^0x0:0x[0-9a-f]+:70:0:0x[0-9a-f]+" SITE "," WHOLE);
    unsigned long child = strtoul(strstr(strstr(said, ":60:0:"), "pid=") + 4, NULL, 10);
    assert_true(child != strtoul(strstr(strstr(said, ":70:0:"), "pid=") + 4, NULL, 10));
    run("trace", "trace=&2");
    assert_said("^0x0:0x[0-9a-f]+:100:256:0x[0-9a-f]+:b::$");
}

static void test_trace_compact(void **state)
{
    char name[60], options[100];
    unsigned kinds[8] = { 0 };

    (void)state;
    snprintf(name, sizeof name, "/tmp/memtrace%d.bin", (int)getpid());
    snprintf(options, sizeof options, "trace=%s", name);
    run("trace", options);
    size_t bytes = file_read(name, said, sizeof said);
    assert_true(bytes > sizeof(struct trace_header));
    assert_memory_equal(said, TRACE_MAGIC, 8);
    for (size_t at = sizeof(struct trace_header); at < bytes;) {
        uint64_t word;
        memcpy(&word, said + at, sizeof word);
        kinds[word & 7]++;
        at += (word & 7) == TRACE_FREE ? 8 : 16;
    }
    assert_true(kinds[TRACE_ALIGN] == 1 && kinds[TRACE_MOVE] >= 1 && kinds[TRACE_RESIZE] == 1);
    assert_true(kinds[TRACE_FREE] >= 2 && kinds[TRACE_ALLOC] >= 1 && !kinds[5]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_free),   cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_foreign),       cmocka_unit_test(test_late_write),
        cmocka_unit_test(test_period),        cmocka_unit_test(test_head),
        cmocka_unit_test(test_pointers),      cmocka_unit_test(test_too_big),
        cmocka_unit_test(test_abort),         cmocka_unit_test(test_guard),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_content),
        cmocka_unit_test(test_front_calls),   cmocka_unit_test(test_warn_file),
        cmocka_unit_test(test_fault),         cmocka_unit_test(test_keep),
        cmocka_unit_test(test_fail),          cmocka_unit_test(test_watch),
        cmocka_unit_test(test_leak),          cmocka_unit_test(test_trace),
        cmocka_unit_test(test_trace_compact),
    };

    if (argc > 1)
        return program(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
