/*
 * test_effects.c: what VMALLOC_OPTIONS does in a started program: the effects that no other test
 * sees, and every option of the table with values that are missing, absurd, negative, too big,
 * given twice or against each other. The table in tests/README.md says which test sees which
 * option.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/unit/libmem/mem_test.h"

static char said[65536];
static char directory[] = "/tmp/memeffectsXXXXXX"; /* where the programs run, and write to */

static void run(const char *what, const char *options)
{
    int status = test_program(what, options, said, sizeof said);

    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s '%s': status %x: %s", what, options, (unsigned)status, said);
}

static void assert_said(const char *part)
{
    if (!strstr(said, part))
        fail_msg("'%s' not in: %s", part, said);
}

static size_t lines_said(const char *start)
{
    size_t count = 0;

    for (const char *at = said; *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : "")
        count += strncmp(at, start, strlen(start)) == 0;
    return count;
}

/* ---- what the started program does ---- */

/* Gets memory from the system for REGION: what check= looks at. */
static int get_more(struct mem_region *region)
{
    for (int i = 0; i < 30; i++)
        if (!mem_alloc(region, 300000))
            return 1;
    return 0;
}

static int do_damage(struct mem_region *region)
{
    char *blocks[200];

    for (int i = 0; i < 200; i++)
        blocks[i] = mem_alloc(region, 400);
    for (int i = 0; i < 200; i++)
        mem_free(blocks[i]);
    memset(blocks[0], 7, 8); /* after free: the link of a chain, where the first ones are */
    return get_more(region);
}

static int do_hole(struct mem_region *region)
{
    char *block = mem_alloc(region, 100000);

    munmap(block + 8192, 4096);
    return get_more(region);
}

/* What is free for the whole delay goes; a long one keeps it. */
static int do_delay(struct mem_region *region)
{
    struct mem_stats stats;
    char *blocks[8];

    for (int i = 0; i < 8; i++)
        memset(blocks[i] = mem_alloc(region, 900000), 1, 900000);
    for (int i = 0; i < 2000; i++) /* so that freeing the rest is no collapse */
        memset(mem_alloc(region, 1000), 1, 1000);
    for (int i = 0; i < 4; i++)
        mem_free(blocks[i]);
    int wait = mem_idle();
    usleep(5000);
    (void)mem_idle();
    mem_region_stats(region, &stats);
    dprintf(2, "waits %s, %s\n", wait > 50000 ? "long" : "briefly",
            stats.given_bytes ? "given" : "kept");
    return 0;
}

static int do_state(struct mem_region *region)
{
    char state[900];

    if (!mem_alloc(region, 100) || !mem_alloc(region, 100000) || mem_check(NULL))
        return 1;
    mem_options_get(state, sizeof state);
    dprintf(2, "state %s\n", state);
    return 0;
}

static int do_trace(struct mem_region *region)
{
    for (int i = 0; i < 3000; i++)
        mem_free(mem_alloc(region, 100));
    return mem_check(NULL) != 0;
}

static int do_watch(struct mem_region *region)
{
    static char never[64];
    char text[64];

    snprintf(text, sizeof text, "watch=%p", (void *)never);
    unsigned bad = mem_options_apply(text) + mem_options_apply("watch=0,watch=0xffffffffffffffff");
    return bad || do_trace(region);
}

/* Private debug regions, and what is said of them, while the process heap is best. */
static int do_later(struct mem_region *region)
{
    char *block = mem_alloc(region, 40);
    char text[64];

    snprintf(text, sizeof text, "warn=later,watch=%p", (void *)block);
    unsigned bad = mem_options_apply(text);
    mem_free(block);
    return (int)bad;
}

static int program(const char *what)
{
    static const struct {
        const char *name;
        int (*code)(struct mem_region *);
    } programs[] = {
        { "damage", do_damage }, { "hole", do_hole },   { "more", get_more },
        { "delay", do_delay },   { "state", do_state }, { "trace", do_trace },
        { "watch", do_watch },   { "later", do_later },
    };
    struct mem_region *region = mem_region_open("work", MEM_BEST, 0);

    for (size_t i = 0; region && i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(programs[i].name, what) == 0)
            return programs[i].code(region);
    return 99;
}

/* ---- effects ---- */

static void test_check(void **state)
{
    (void)state;
    run("more", "check=region:segment");
    assert_string_equal(said, "");
    if (TEST_SANITIZED)
        skip(); /* which ends the program itself */
    run("damage", "");
    assert_string_equal(said, "");
    run("damage", "check=region");
    assert_said("vmalloc: corrupted: region work at 0x");
    run("damage", "check=segment");
    assert_string_equal(said, "");
    run("hole", "check=region");
    assert_string_equal(said, "");
    run("hole", "check=region:segment,check=noregion:segment");
    assert_said(": pages of a segment are not mapped\n");
}

static void test_debug_lines(void **state)
{
    (void)state;
    run("more", "debug,getmem=anon");
    assert_true(lines_said("vmalloc: debug: got 0x") >= 2);
    run("more", "debug,nodebug");
    assert_string_equal(said, "");
}

static void test_pagesize(void **state)
{
    unsigned long bytes;

    (void)state;
    run("more", "pagesize=3");
    assert_string_equal(said, "vmalloc: pagesize=3: rounded up to 4096\n");
    run("more", "pagesize=256Ki,segsize=1,getmem=anon,usage");
    assert_true(lines_said("vmalloc: 0x") >= 10);
    for (const char *at = strstr(said, "vmalloc: 0x"); at; at = strstr(at + 1, "vmalloc: 0x")) {
        assert_int_equal(sscanf(at, "vmalloc: 0x%*x %lu region", &bytes), 1);
        assert_int_equal(bytes % 262144, 0);
    }
}

static void test_delay(void **state)
{
    (void)state;
    run("delay", "delay=0");
    assert_string_equal(said, "waits briefly, given\n");
    run("delay", "delay=1");
    assert_string_equal(said, "waits briefly, given\n");
    run("delay", "delay=100000");
    assert_string_equal(said, "waits long, kept\n");
}

static void test_older_spellings(void **state)
{
    (void)state;
    run("more", "mmap,verbose");
    assert_said("vmalloc: getmemory=mmapanonmem\n");
    run("more", "break,verbose");
    assert_said("vmalloc: getmemory=sbrkmem\n");
    run("more", "free");
    assert_string_equal(said, "");
    run("more", "profile=older");
    assert_int_equal(access("older", R_OK), 0);
}

static off_t file_bytes(const char *name)
{
    struct stat info;

    return stat(name, &info) == 0 ? info.st_size : -1;
}

/* The one file that begins with NAME and a process id. */
static bool numbered_file(const char *name)
{
    DIR *dir = opendir(".");
    bool found = false;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(name);
        found = found || (strncmp(entry->d_name, name, length) == 0 &&
                          strtol(entry->d_name + length, NULL, 10) > 1);
    }
    closedir(dir);
    return found;
}

static void test_files(void **state)
{
    (void)state;
    run("trace", "trace=text");
    assert_true(file_bytes("text") > 3000 * 60);
    run("trace", "trace=compact.bin");
    assert_true(file_bytes("compact.bin") > 3000 * 24 && file_bytes("compact.bin") < 3500 * 24);
    struct stat info;
    assert_int_equal(stat("text", &info), 0);
    assert_int_equal(info.st_mode & 07133, 0); /* 0644 at most */
    run("trace", "trace=numbered.%p");
    assert_true(numbered_file("numbered."));
    run("trace", "trace=100%");
    assert_true(file_bytes("100%") > 0);
    run("trace", "trace=%d%s");
    assert_true(file_bytes("%d%s") > 0);
    run("more", "trace=/dev/fd/2");
    assert_true(lines_said("0x0:0x") >= 30);
    run("more", "trace=&2");
    assert_true(lines_said("0x0:0x") >= 30);
}

static void test_unwritable(void **state)
{
    static const char *const options[] = { "trace", "warn", "leak" };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[80], want[200];
        snprintf(text, sizeof text, "%s=/nonexistent/file", options[i]);
        run("state", text);
        snprintf(want, sizeof want, "vmalloc: %s: cannot write: No such file or directory\n", text);
        assert_said(want);
        snprintf(text, sizeof text, "%s=/tmp", options[i]);
        run("state", text);
        snprintf(want, sizeof want, "vmalloc: %s: cannot write: Is a directory\n", text);
        assert_said(want);
        snprintf(text, sizeof text, "%s=&77", options[i]);
        run("state", text);
        snprintf(want, sizeof want, "vmalloc: %s: cannot write: Bad file descriptor\n", text);
        assert_said(want);
        assert_int_equal(lines_said("vmalloc:"), 1);
        snprintf(text, sizeof text, "%s=&99999999999", options[i]);
        run("state", text);
        snprintf(want, sizeof want, "vmalloc: %s: cannot write: Bad file descriptor\n", text);
        assert_said(want);
    }
    run("trace", "trace=/dev/full");
    assert_string_equal(said, "vmalloc: trace: cannot write: No space left on device\n");
}

/* A name that is too long; a file that may not get any longer: neither ends the program. */
static void test_limits(void **state)
{
    struct rlimit before, none;
    char text[320];

    (void)state;
    snprintf(text, sizeof text, "trace=%0300d", 0);
    run("trace", text);
    assert_non_null(strstr(said, "...: cannot write: File name too long\n"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int status = test_program("trace", "trace=limited", said, sizeof said);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Neither waits for a reader nor dies with one. */
static void test_pipes(void **state)
{
    static const char *const options[] = { "trace=fifo", "warn=fifo", "leak=fifo" };
    int fds[2];

    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    for (size_t i = 0; i < 3; i++) {
        char want[200];
        run("state", options[i]);
        snprintf(want, sizeof want, "vmalloc: %s: cannot write: No such device or address\n",
                 options[i]);
        assert_said(want);
    }
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(dup2(fds[1], 70), 70);
    close(fds[0]);
    close(fds[1]);
    run("trace", "trace=&70");
    assert_string_equal(said, "vmalloc: trace: cannot write: Broken pipe\n");
    close(70);

    /* the reader ends while a write waits, a part of which is done */
    pid_t reader = fork();
    assert_true(reader >= 0);
    if (reader == 0) {
        char some[100];
        int fd = open("fifo", O_RDONLY);
        _exit(read(fd, some, sizeof some) < 0 || usleep(200000));
    }
    int fd = open("fifo", O_WRONLY);
    assert_true(fd >= 0);
    run("trace", "trace=fifo");
    close(fd);
    assert_string_equal(said, "vmalloc: trace: cannot write: Broken pipe\n");
    waitpid(reader, NULL, 0);
}

static void test_too_long(void **state)
{
    static char text[3000];

    (void)state;
    memset(text, ' ', sizeof text - 1);
    memcpy(text + 1023, "bogus", 5);
    run("state", text);
    assert_said("vmalloc: VMALLOC_OPTIONS: too long: ignored from byte 1024 on\n");
    assert_int_equal(lines_said("vmalloc:"), 1);
}

static void test_watch_never(void **state)
{
    (void)state;
    run("watch", "watch=0x1234567890"); /* at the start no address is known yet */
    assert_int_equal(lines_said("vmalloc: watch="), 3);
    assert_said("vmalloc: watch=0: no region has memory there now\n");
}

static void test_warn_later(void **state)
{
    (void)state;
    run("later", "");
    assert_string_equal(said, "");
    assert_true(file_bytes("later") > 60);
}

/* ---- bad input: every option, every kind of value ---- */

enum { FORMS = 8 };

static const char *const forms[FORMS] = {
    "", "=", "=zz", "=-1", "=99999999999999999999999", "=0", "=1x", "=:",
};

/* One letter a form: g accepted, b one line. Files are made in the directory. */
static const struct {
    const char *name, *verdicts;
} matrix[] = {
    { "abort", "ggbbbbbb" },    { "arenas", "bbbbbbbb" },   { "cache", "bbbbbgbb" },
    { "check", "bbbbbbbb" },    { "clear", "bbbbbbbb" },    { "debug", "ggbbbbbb" },
    { "delay", "bbbbbgbb" },    { "fail", "bbbbbbbb" },     { "getmemory", "ggbbbbbb" },
    { "giveback", "bbbbbbbb" }, { "guard", "bbbbbbbb" },    { "huge", "bbbbbbbb" },
    { "keep", "ggbbbbbb" },     { "leak", "gggggggg" },     { "limit", "bbbbbbbb" },
    { "method", "bbbbbbbb" },   { "pagesize", "bbbbbbbb" }, { "period", "bbbbbbbb" },
    { "segsize", "bbbbbbbb" },  { "sites", "bbbbbbbb" },    { "start", "bbbbbgbb" },
    { "test", "bbbbbbbb" },     { "trace", "bbgggggg" },    { "usage", "ggbbbbbb" },
    { "verbose", "ggbbbbbb" },  { "warn", "bbgggggg" },     { "watch", "bbbbbgbb" },
};

static size_t complaints(const char *option)
{
    char start[100];
    size_t count = 0;

    snprintf(start, sizeof start, "vmalloc: %s", option);
    for (const char *at = said; (at = strstr(at, start)); at++)
        count += strncmp(at + strlen(start), ": got", 5) != 0; /* what debug says */
    return count;
}

static void test_bad_values(void **state)
{
    static char usual[sizeof said];

    (void)state;
    run("state", "");
    memcpy(usual, said, sizeof usual);
    for (size_t i = 0; i < sizeof matrix / sizeof matrix[0]; i++) {
        bool known = false;
        for (size_t k = 0; mem_option_at(k); k++)
            known = known || strcmp(mem_option_at(k)->name, matrix[i].name) == 0;
        assert_true(known);
        for (int form = 0; form < FORMS; form++) {
            char text[100];
            snprintf(text, sizeof text, "%s%s", matrix[i].name, forms[form]);
            run("state", text);
            bool good = matrix[i].verdicts[form] == 'g';
            if (complaints(matrix[i].name) != !good)
                fail_msg("%s: %s", text, said);
            if (!good && strcmp(strstr(said, "state "), usual) != 0)
                fail_msg("%s is not the default: %s", text, said);
        }
    }
    for (size_t k = 0; mem_option_at(k); k++) { /* none was left out */
        bool known = false;
        for (size_t i = 0; i < sizeof matrix / sizeof matrix[0]; i++)
            known = known || strcmp(mem_option_at(k)->name, matrix[i].name) == 0;
        if (!known)
            fail_msg("%s is not in the matrix", mem_option_at(k)->name);
    }
}

/* The later of two values counts; where that cannot be, the earlier, and a line says so. */
static void test_twice(void **state)
{
    static const struct {
        const char *options, *want;
    } cases[] = {
        { "segsize=64Ki,segsize=1Mi", "segsize=1048576," },
        { "segsize=64Ki,segsize=zz", "segsize=4194304," },
        { "getmem=anon,getmem=zero", "state getmemory=zero," },
        { "giveback=none,giveback=free", "giveback=free," },
        { "delay=5,nodelay", "delay=100," },
        { "limit=1Gi,limit=2Gi:warn", "limit=2147483648:warn" },
        { "limit=1Gi:trap,limit=2Gi", "limit=2147483648:fail" },
        { "limit=1Gi:warn:2Gi", "limit=1073741824:warn:2147483648:fail" },
        { "limit=1Gi:trap,nolimit", "nolimit,nofail" },
        { "keep,nokeep,keep", ",keep" },
        { "huge=on,huge=off", "huge=off" },
        { "fail=1000000:7,fail=1000000", "fail=1000000,noleak" },
        { "watch=0x1000,watch=0x1000", "watch=0x00001000" },
        { "method=debug,method=best", "vmalloc: method=best: contradicts an option before it;" },
        { "method=debug,method=best", "method=debug" },
        { "method=best,method=debug", "vmalloc: method=debug: contradicts an option before it;" },
        { "method=best,abort", "vmalloc: abort: contradicts an option before it; ignored\n" },
        { "method=best,period=3", "vmalloc: period=3: contradicts an option before it; ignored\n" },
        { "abort,method=best", "vmalloc: method=best: contradicts an option before it; ignored\n" },
        { "method=best,abort", "method=best" },
        { "method=best,nomethod,abort", "method=debug,abort" },
        { "method=debug,period=zz", "method=debug,noabort,period=1," },
        { "method=debug,period=9,noperiod", "method=debug,noabort,period=1," },
        { "method=debug,method=debug,abort,noabort", "method=debug,noabort" },
        { "clear=all,clear=none", "clear=none" },
        { "trace=one,trace=two", "trace=two" },
        { "check=region:noregion:region", "check=region," },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run("state", cases[i].options);
        if (!strstr(said, cases[i].want))
            fail_msg("%s: '%s' not in: %s", cases[i].options, cases[i].want, said);
    }
}

static void test_limit_too_low(void **state)
{
    static const char *const limits[] = { "limit=1", "limit=4Ki:warn", "limit=500000:trap" };

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        int status = test_program("state", limits[i], said, sizeof said);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        assert_int_equal(lines_said("vmalloc: limit="), 1);
        assert_said(": below what start-up needs, ");
    }
}

static int enter_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? chdir(directory) : -1;
}

static int leave_directory(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return chdir("/") || system(command);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),           cmocka_unit_test(test_debug_lines),
        cmocka_unit_test(test_pagesize),        cmocka_unit_test(test_delay),
        cmocka_unit_test(test_older_spellings), cmocka_unit_test(test_files),
        cmocka_unit_test(test_unwritable),      cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_watch_never),     cmocka_unit_test(test_warn_later),
        cmocka_unit_test(test_bad_values),      cmocka_unit_test(test_twice),
        cmocka_unit_test(test_limit_too_low),
    };

    if (argc > 1)
        return program(argv[1]);
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
