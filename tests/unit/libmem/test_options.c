/*
 * test_options.c: the grammar of VMALLOC_OPTIONS, every name of its table, what each complaint
 * says, and the exact shape of the lines that usage and verbose write.
 */
#include <regex.h>

#include "tests/unit/libmem/mem_test.h"

static char said[65536];

static void apply_in_child(void *text)
{
    unsigned complaints = mem_options_apply(text);
    char state[900];

    mem_options_get(state, sizeof state);
    dprintf(2, "%u %s", complaints, state);
}

/* Applies TEXT in a child to the defaults; `said` has the complaints, their count and the state. */
static void apply(const char *text)
{
    int status = test_child(apply_in_child, (void *)(uintptr_t)text, said, sizeof said);

    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void assert_said(const char *part)
{
    if (!strstr(said, part))
        fail_msg("'%s' not in: %s", part, said);
}

static void assert_matches(const char *text, const char *pattern)
{
    regex_t regex;

    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&regex, text, 0, NULL, 0) != 0)
        fail_msg("does not match %s: %s", pattern, text);
    regfree(&regex);
}

static void test_sizes(void **state)
{
    static const struct {
        const char *text;
        const char *segsize;
    } cases[] = {
        { "segsize=65536", "segsize=65536," },
        { "segsize=0x10000", "segsize=65536," },
        { "segsize=64k", "segsize=64000," },
        { "segsize=64K", "segsize=64000," },
        { "segsize=64Ki", "segsize=65536," },
        { "segsize=64KiB", "segsize=65536," },
        { "segsize=64kib", "segsize=65536," },
        { "segsize=64KB", "segsize=64000," },
        { "segsize=1M", "segsize=1000000," },
        { "segsize=1Mi", "segsize=1048576," },
        { "segsize=1g", "segsize=1000000000," },
        { "segsize=1Gi", "segsize=1073741824," },
        { "segsize=0x10Ki", "segsize=16384," },
        { "segsize=1", "segsize=1," },
        { "segsize=8M segsize=1Ki", "segsize=1024," },
        { "segsize=8M,nosegsize", "segsize=4194304," },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        apply(cases[i].text);
        assert_said(cases[i].segsize);
        assert_int_equal(strncmp(said, "0 ", 2), 0);
    }
}

static void test_bad_sizes(void **state)
{
    static const char *const values[] = { "zz",
                                          "0",
                                          "-1",
                                          "64Kx",
                                          "1Kib2",
                                          "0x",
                                          "Ki",
                                          "99999999999999999999",
                                          "16E",
                                          "17Gi",
                                          "18446744073709551616" };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char text[80], want[160];
        snprintf(text, sizeof text, "segsize=%s", values[i]);
        snprintf(want, sizeof want, "vmalloc: segsize=%s: bad value: accepted is a size ",
                 values[i]);
        apply(text);
        assert_said(want);
        assert_said("; using the default, 4194304\n1 ");
        assert_said("segsize=4194304,");
    }
    apply("segsize=");
    assert_said("vmalloc: segsize: value missing: accepted is a size ");
    apply("segsize");
    assert_said("vmalloc: segsize: value missing: ");
}

static void test_separators(void **state)
{
    (void)state;
    apply(" ,\tusage\r\n,, segsize=64Ki\nclear=all,");
    assert_said("0 getmemory=anon:break:native:safe:zero,segsize=65536,");
    assert_said("clear=all,nocheck,usage,noverbose");
    apply("");
    assert_int_equal(strncmp(said, "0 ", 2), 0);
}

static void test_negation(void **state)
{
    (void)state;
    apply("usage nousage");
    assert_said(",nousage,");
    apply("verbose no-verbose check=region nocheck clear=all noclear");
    assert_said("clear=none,nocheck,nousage,noverbose");
    apply("check=region:noregion");
    assert_said(",nocheck,");
    apply("nokeep noabort nodebug notrace");
    assert_int_equal(strncmp(said, "0 ", 2), 0);
    apply("getmem=anon nogetmem");
    assert_said("0 getmemory=anon:break:native:safe:zero,");
    apply("noclear=all");
    assert_said("vmalloc: noclear=all: bad value: accepted is none, first or all");
}

static void test_getmem(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "getmem=anon", "0 getmemory=anon," },
        { "getmemory=zero:anon", "0 getmemory=anon:zero," },
        { "getmem=nosafe", "0 getmemory=anon:break:native:zero," },
        { "getmem=no-safe:nozero", "0 getmemory=anon:break:native," },
        { "getmem=anon:safe:noanon", "0 getmemory=safe," },
        { "getmem=sbrk", "0 getmemory=break," },
        { "getmem=safebrkmem:mmapanonmem:mmapzeromem:sbrkmem:mallocmem",
          "0 getmemory=anon:break:native:safe:zero," },
        { "getmem=malloc", "0 getmemory=native," },
        { "getmem=", "0 getmemory=anon:break:native:safe:zero," },
        { "getmem=sa",
          "vmalloc: getmem=sa: bad value: accepted is a list of anon, break, native, safe,"
          " zero; using the default, all of them\n" },
        { "getmem=noanon:nobreak:nonative:nosafe:nozero", "bad value: accepted is a list of" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        apply(cases[i].text);
        assert_said(cases[i].want);
    }
}

static void test_names(void **state)
{
    static const char *const later[] = { "abort", "period=2", "start=1", "guard=9",
                                         "method=debug" };
    static const char *const known[] = { "abort",  "check",    "debug",  "getmemory", "keep",
                                         "method", "pagesize", "period", "segsize",   "start",
                                         "test",   "trace",    "usage",  "verbose",   "warn",
                                         "watch",  "clear",    "fail",   "guard",     "giveback",
                                         "delay",  "huge",     "limit",  "arenas",    "leak",
                                         "sites",  "cache" };
    size_t count = 0;

    (void)state;
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        char want[80];
        snprintf(want, sizeof want, "vmalloc: %.*s: cannot change while the program runs\n1 ",
                 (int)strcspn(later[i], "="), later[i]);
        apply(later[i]);
        assert_int_equal(strncmp(said, want, strlen(want)), 0);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bool found = false;
        for (count = 0; mem_option_at(count); count++)
            found = found || strcmp(mem_option_at(count)->name, known[i]) == 0;
        assert_true(found);
    }
    assert_int_equal(count, sizeof known / sizeof known[0]);
    apply("giveback=fixed,delay=7,huge=off,limit=1Gi:warn");
    assert_said(",giveback=fixed,delay=7,nocache,huge=off,sites=off,arenas=64,limit="
                "1073741824:warn,");
    apply("nogiveback nohuge nodelay");
    assert_said(",giveback=none,delay=100,nocache,huge=off,");
    apply("limit=1Gi:stop");
    assert_said("vmalloc: limit=1Gi:stop: bad value: accepted is a size, and perhaps :warn");
    apply("delay=-1");
    assert_said("vmalloc: delay=-1: bad value: accepted is a count up to 1000000; using");
    apply("sites=on");
    assert_said(",sites=on");
    apply("test=0x10");
    assert_said("vmalloc: test=0x10: experiments of the original do not exist here; ignored\n1 ");
    apply("keep,debug,fail=3:4,watch=0x1234567890");
    assert_said(",keep,debug,giveback=auto,delay=100,nocache,huge=auto,sites=off,arenas=64,nolimit,"
                "fail=3:4,noleak,"
                "notrace,method=best,nowatch,watch=0x1234567890");
    apply("break");
    assert_said("0 getmemory=break,");
    apply("mmap free");
    assert_said("0 getmemory=anon,");
    apply("fail=0");
    assert_said("vmalloc: fail=0: bad value: accepted is a count from 1, or two");
    apply("trace=/nonexistent/x");
    assert_said("vmalloc: trace=/nonexistent/x: cannot write: No such file");
    apply("watch=0x1234567890");
    assert_said("vmalloc: watch=0x1234567890: no region has memory there now\n0 ");
    apply("seg=64Ki use verb g=anon");
    assert_said("vmalloc: seg: unknown option\nvmalloc: use: unknown option\n"
                "vmalloc: verb: unknown option\nvmalloc: g: unknown option\n4 ");
    apply("no");
    assert_said("vmalloc: no: unknown option\n1 ");
    apply("=x");
    assert_said("vmalloc: : unknown option\n1 ");
}

static void test_method_and_check(void **state)
{
    (void)state;
    apply("method=best method=Vmbest");
    assert_int_equal(strncmp(said, "0 ", 2), 0);
    apply("method=last");
    assert_said("vmalloc: method=last: serves private regions only; using the default, best\n1 ");
    apply("method=fast");
    assert_said(
        "vmalloc: method=fast: bad value: accepted is best or debug; using the default, best");
    apply("check=region");
    assert_said("0 ");
    assert_said(",check=region,");
    apply("check=segment");
    assert_said(",check=segment,");
    apply("check=region:segment");
    assert_said(",check=region:segment,");
    apply("check=foo");
    assert_said("vmalloc: check=foo: bad value: accepted is region, segment, noregion or "
                "nosegment; using the default, no");
    apply("usage=often");
    assert_said("vmalloc: usage=often: bad value: accepted is no value");
    apply("clear=some");
    assert_said("vmalloc: clear=some: bad value: accepted is none, first or all");
}

static void test_long_and_odd(void **state)
{
    static char text[3000];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    apply(text);
    assert_said("xxx...: unknown option\n1 ");
    apply("segsize=\033[2J\377");
    assert_said("vmalloc: segsize=?[2J\377: bad value");
}

/* 32 addresses are kept; the oldest goes. */
static void test_watch_oldest(void **state)
{
    const void *watched[40];

    (void)state;
    for (int i = 1; i <= 34; i++) {
        char text[40];
        snprintf(text, sizeof text, "watch=%d", i * 4096);
        assert_int_equal(mem_options_apply(text), 0);
    }
    assert_int_equal(hook_watch_list(watched, 40), 32);
    assert_ptr_equal(watched[0], (void *)(uintptr_t)(3 * 4096));
    assert_ptr_equal(watched[31], (void *)(uintptr_t)(34 * 4096));
    assert_int_equal(mem_options_apply("nowatch"), 0);
    assert_int_equal(hook_watch_list(watched, 40), 0);
}

static void round_trip_in_child(void *arg)
{
    char before[4096], after[4096];

    (void)mem_options_apply(arg);
    mem_options_get(before, sizeof before);
    mem_options_apply("segsize=1Mi,getmem=zero,clear=none,nocheck,nousage,noverbose,nokeep,nodebug,"
                      "giveback=free,delay=3,cache=9,huge=off,sites=off,arenas=3,nolimit,nofail,"
                      "noleak,notrace,nowatch,limit=2Gi:warn:3Gi");
    if (mem_options_apply(before))
        return;
    mem_options_get(after, sizeof after);
    fprintf(stderr, "%s\n", strcmp(before, after) == 0 ? "same" : after);
}

/* What mem_options_get prints leads back to the same state, from whatever other one. */
static void test_round_trip(void **state)
{
    static const char *const options[] = {
        "arenas=5",
        "cache=3Mi",
        "cache=0",
        "nocache",
        "check=region",
        "check=segment",
        "check=region:segment",
        "clear=first",
        "clear=all",
        "debug",
        "delay=7",
        "fail=1000000",
        "fail=1000000:3",
        "getmemory=anon:zero",
        "getmemory=nobreak",
        "giveback=none",
        "giveback=fixed",
        "giveback=auto",
        "huge=on",
        "huge=auto",
        "keep",
        "leak",
        "leak=/dev/null",
        "limit=1Gi",
        "limit=1Gi:warn",
        "limit=1Gi:trap:2Gi",
        "method=best",
        "segsize=64Ki",
        "sites=on",
        "trace=/dev/null",
        "trace=&2",
        "usage",
        "verbose",
        "warn=/dev/null",
        "watch=0x1000,watch=0x2000",
        "sites=on,keep,huge=on,limit=3Gi:trap,cache=1Mi,clear=all",
    };
    char before[4096], after[4096], cut[8], many[2000] = "";

    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        test_child(round_trip_in_child, (void *)(uintptr_t)options[i], said, sizeof said);
        if (!strstr(said, "same\n"))
            fail_msg("%s: %s", options[i], said);
    }
    for (int i = 1; i <= 40; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "watch=0x7fff%08x00 ", i);
    test_child(round_trip_in_child, many, said, sizeof said);
    assert_non_null(strstr(said, "same\n"));
    mem_options_get(before, sizeof before);
    assert_int_equal(mem_options_apply(before), 0);
    mem_options_get(after, sizeof after);
    assert_string_equal(before, after);
    mem_options_get(cut, sizeof cut);
    assert_string_equal(cut, "getmemo");
}

/* ---- lines of a started program ---- */

static int program(const char *what)
{
    struct mem_region *region = mem_region_open("work", MEM_BEST, 0);

    if (!region || strcmp(what, "grow") != 0)
        return 1;
    for (int i = 0; i < 40; i++)
        if (!mem_alloc(region, 300000))
            return 1;
    mem_region_close(region);
    return 0;
}

#define ADDRESS "0x[0-9a-f]{8,}"
#define USAGE_TEXT                                                                                 \
    "vmalloc: " ADDRESS " [0-9]+ region " ADDRESS                                                  \
    " size=[0-9]+ segs=[0-9]+ packs=[0-9]+ busy=[0-9]+% cache=[0-9]+/[0-9]+\n"

static void test_verbose(void **state)
{
    static const char *const names[] = { "mmapanonmem", "sbrkmem", "mallocmem", "safebrkmem",
                                         "mmapzeromem" };
    static const char *const bits[] = { "0x01c00000", "0x02c00000", "0x04c00000", "0x08c00000",
                                        "0x10c00000" };

    (void)state;
    for (int i = 0; i < TEST_GETTERS; i++) {
        char options[80], want[400];
        snprintf(options, sizeof options, "usage verbose getmem=%s", test_getters[i]);
        snprintf(want, sizeof want,
                 "^vmalloc: getmemory=%s\nvmalloc: pagesize=4096 segsize=4194304 assert=%s\n"
                 "vmalloc: method=best\n(%s)+$",
                 names[i], bits[i], USAGE_TEXT);
        int status = test_program("grow", options, said, sizeof said);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_matches(said, want);
    }
    test_program("grow", "verbose,segsize=1M,pagesize=64Ki", said, sizeof said);
    assert_said("vmalloc: pagesize=65536 segsize=1000000 assert=0x1f800000\n");
}

static void test_usage(void **state)
{
    (void)state;
    int status = test_program("grow", "usage segsize=1000000 getmem=anon", said, sizeof said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_matches(said, "^(" USAGE_TEXT ")+$");
    assert_matches(said, "vmalloc: " ADDRESS " 1003520 region "); /* rounded to the page */
    assert_matches(said, "vmalloc: " ADDRESS " 0 region ");       /* given back */
    assert_null(strstr(said, "init"));
    status = test_program("grow", "nonsense", said, sizeof said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_string_equal(said, "vmalloc: nonsense: unknown option\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_negation),
        cmocka_unit_test(test_getmem),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_method_and_check),
        cmocka_unit_test(test_long_and_odd),
        cmocka_unit_test(test_watch_oldest),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_verbose),
        cmocka_unit_test(test_usage),
    };

    if (argc > 1)
        return program(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
