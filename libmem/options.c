/*
 * options.c: VMALLOC_OPTIONS: one table of names, the parser, and the settings in force.
 *
 * Each option is one row: name, what values look like, help, what it does. Names match as whole
 * words; "no" or "no-" in front of a name puts the option back to its default or, for a switch,
 * off. Whatever is wrong gives one line and never stops the program. The environment is read once,
 * before the first allocation, so nothing here may allocate or use stdio; what cannot change once
 * memory was got says so.
 */
#include "libmem/option_word.h"

enum { WORD_BYTES = 128 };

struct mem_settings mem_settings = {
    .page_bytes = MEM_PAGE,
    .segment_bytes = MEM_SEGSIZE,
    .giveback = MEM_GIVE_AUTO,
    .cache_most = SIZE_MAX,
    .huge = MEM_HUGE_AUTO,
    .delay_ms = MEM_DELAY_MS,
    .arenas = MEM_ARENAS,
};

struct option {
    struct mem_option_info info;
    const char *accepted, *standard; /* for the line about a bad value */
    /* VALUE.text NULL: none was given. OFF: the name had "no" in front. */
    enum verdict (*apply)(struct word value, bool off);
};

static MEM_WARM bool settings_read = false; /* the environment has been looked at */
static bool method_given;                   /* method= was, and so stays */
bool options_restoring;

/* ---- the options ---- */

static bool source_named(struct word word, unsigned *ret_bit)
{
    static const struct {
        const char *name;
        enum source_id source;
    } also[] = {
        { "mmapanon", SOURCE_ANON }, { "mapanon", SOURCE_ANON }, { "sbrk", SOURCE_BREAK },
        { "malloc", SOURCE_NATIVE }, { "safebrk", SOURCE_SAFE }, { "mmapzero", SOURCE_ZERO },
        { "mapzero", SOURCE_ZERO },
    };

    for (int i = 0; i < SOURCE_COUNT; i++)
        if (option_word_is(word, mem_sources[i].name) ||
            option_word_is(word, mem_sources[i].long_name)) {
            *ret_bit = 1u << i;
            return true;
        }
    for (size_t i = 0; i < sizeof also / sizeof also[0]; i++)
        if (option_word_is(word, also[i].name)) {
            *ret_bit = 1u << also[i].source;
            return true;
        }
    return false;
}

/* Those that this program has. */
static unsigned sources_here(void)
{
    const unsigned all = (1u << SOURCE_COUNT) - 1;

    return glue_native_known() ? all : all & ~(1u << SOURCE_NATIVE);
}

/* getmemory=f[:g...]: only the listed ones; a list that begins with a negation starts from all. */
static enum verdict apply_getmemory(struct word value, bool off)
{
    const unsigned all = sources_here();
    unsigned allowed = 0, bit;
    bool first = true, good = !off || !value.text;
    struct word part;

    if (!value.text)
        allowed = all;
    while (good && option_word_next(&value, &part)) {
        bool no = option_word_cut_no(&part);
        if (!part.bytes)
            continue;
        if (!source_named(part, &bit)) {
            good = false;
            break;
        }
        if (first && no)
            allowed = all;
        first = false;
        allowed = no ? allowed & ~bit : allowed | bit;
    }
    bool absent = good && allowed == 1u << SOURCE_NATIVE && !(allowed & all);
    good = good && (allowed & all);
    mem_settings.sources = good ? allowed & all : all;
    if (source_used() < SOURCE_COUNT && !(mem_settings.sources == 1u << source_used()))
        source_forget();
    if (absent)
        return ABSENT;
    return good ? GOOD : BAD;
}

static enum verdict apply_segsize(struct word value, bool off)
{
    size_t size = MEM_SEGSIZE;
    bool good = off ? !value.text : option_word_size(value, &size);

    good = good && size > 0 && size <= MEM_SEGSIZE_MAX;
    mem_settings.segment_bytes = good ? size : MEM_SEGSIZE;
    return good ? GOOD : BAD;
}

static enum verdict apply_pagesize(struct word value, bool off)
{
    size_t size = 1;
    bool good = off ? !value.text : option_word_size(value, &size);

    good = good && size > 0 && size <= MEM_PAGESIZE_MAX;
    size_t rounded = mem_round_up(good ? size : 1, glue_page_bytes());
    if (mem_regions && good && rounded != mem_settings.page_bytes)
        return TOO_LATE; /* segments of the old page size exist */
    if (!mem_regions)
        mem_settings.page_bytes = rounded;
    if (!good)
        return BAD;
    return off || rounded == size ? GOOD : ROUNDED;
}

static enum verdict apply_clear(struct word value, bool off)
{
    static const char *const names[] = { "none", "first", "all" };

    mem_settings.clear = MEM_CLEAR_NONE;
    if (off)
        return value.text ? BAD : GOOD;
    for (unsigned i = 0; value.text && i < 3; i++)
        if (option_word_is(value, names[i])) {
            mem_settings.clear = (enum mem_clear)i;
            return GOOD;
        }
    return BAD;
}

static enum verdict apply_switch(bool *flag, struct word value, bool off)
{
    *flag = !off && !value.text;
    return value.text ? BAD : GOOD;
}

static enum verdict apply_usage(struct word value, bool off)
{
    return apply_switch(&mem_settings.usage, value, off);
}

static enum verdict apply_verbose(struct word value, bool off)
{
    return apply_switch(&mem_settings.verbose, value, off);
}

static enum verdict apply_keep(struct word value, bool off)
{
    return apply_switch(&mem_settings.keep, value, off);
}

static enum verdict apply_sites(struct word value, bool off)
{
    bool on = !off && value.text && option_word_is(value, "on");

    mem_settings.sites = on;
    return on || (off && !value.text) || (!off && value.text && option_word_is(value, "off")) ? GOOD
                                                                                              : BAD;
}

static enum verdict apply_debug(struct word value, bool off)
{
    return apply_switch(&mem_settings.trace_internal, value, off);
}

/* Whether an option that needs debug regions makes sense: they come at the start or never. */
static enum verdict debug_possible(bool off)
{
    if (off || mem_settings.debug_method)
        return GOOD;
    if (mem_regions)
        return TOO_LATE;
    return method_given ? CONTRADICTS : GOOD;
}

/* An option that was possible and turned out as VERDICT makes them. */
static enum verdict debug_needed(enum verdict verdict, bool off)
{
    if (verdict != GOOD || off || mem_settings.debug_method)
        return verdict;
    mem_settings.debug_method = true;
    if (!mem_settings.period)
        mem_settings.period = 1;
    return GOOD;
}

static enum verdict apply_abort(struct word value, bool off)
{
    enum verdict verdict = debug_possible(off);

    return verdict != GOOD ? verdict
                           : debug_needed(apply_switch(&mem_settings.abort, value, off), off);
}

/* A count of LEAST or more. */
static enum verdict apply_count(size_t *number, size_t standard, size_t least, struct word value,
                                bool off)
{
    size_t count = standard;
    bool good = off ? !value.text : option_word_size(value, &count) && count >= least;

    *number = good ? count : standard;
    return good ? GOOD : BAD;
}

/* The same, for one that needs debug regions. */
static enum verdict apply_debug_count(size_t *number, size_t standard, size_t least,
                                      struct word value, bool off)
{
    enum verdict verdict = debug_possible(off);

    return verdict != GOOD ? verdict
                           : debug_needed(apply_count(number, standard, least, value, off), off);
}

static enum verdict apply_period(struct word value, bool off)
{
    return apply_debug_count(&mem_settings.period, mem_settings.debug_method, 1, value, off);
}

static enum verdict apply_start(struct word value, bool off)
{
    return apply_debug_count(&mem_settings.start, 0, 0, value, off);
}

static enum verdict apply_guard(struct word value, bool off)
{
    return apply_debug_count(&mem_settings.guard, 0, 1, value, off);
}

static enum verdict apply_fail(struct word value, bool off)
{
    struct word part;
    size_t first = 0, each = 0;
    bool good = off ? !value.text
                    : option_word_next(&value, &part) && option_word_size(part, &first) && first;

    if (good && !off && value.text)
        good =
            option_word_next(&value, &part) && option_word_size(part, &each) && each && !value.text;
    mem_settings.fail_first = good ? first : 0;
    mem_settings.fail_each = good ? each : 0;
    return good ? GOOD : BAD;
}

static enum verdict apply_watch(struct word value, bool off)
{
    size_t address;

    if (off) {
        hook_watch_none();
        return value.text ? BAD : GOOD;
    }
    if (!option_word_size(value, &address))
        return BAD;
    hook_watch((const void *)(uintptr_t)address);
    /* At the start there is nothing yet. */
    return !mem_regions || options_restoring || mem_region_of((const void *)(uintptr_t)address)
               ? GOOD
               : NOWHERE;
}

static enum verdict apply_test(struct word value, bool off)
{
    (void)value;
    return off ? GOOD : REFUSED;
}

/* The index of VALUE in NAMES. */
static enum verdict apply_name(unsigned *index, unsigned standard, const char *const *names,
                               unsigned count, struct word value, bool off)
{
    *index = standard;
    if (off)
        return value.text ? BAD : GOOD;
    for (unsigned i = 0; value.text && i < count; i++)
        if (option_word_is(value, names[i])) {
            *index = i;
            return GOOD;
        }
    return BAD;
}

static const char *const giveback_names[] = {
    "none", "dontneed", "free", "fixed", "unmap", "auto"
};
static const char *const huge_names[] = { "on", "off", "auto" };
static const char *const limit_names[] = { "warn", "trap", "fail" };

static enum verdict apply_giveback(struct word value, bool off)
{
    unsigned index;
    enum verdict verdict = apply_name(&index, MEM_GIVE_AUTO, giveback_names, 6, value, off);

    mem_settings.giveback = off && verdict == GOOD ? MEM_GIVE_NONE : (enum mem_giveback)index;
    return verdict;
}

static enum verdict apply_huge(struct word value, bool off)
{
    unsigned index;
    enum verdict verdict = apply_name(&index, MEM_HUGE_AUTO, huge_names, 3, value, off);

    mem_settings.huge = off && verdict == GOOD ? MEM_HUGE_OFF : (enum mem_huge)index;
    return verdict;
}

static enum verdict apply_delay(struct word value, bool off)
{
    enum verdict verdict = apply_count(&mem_settings.delay_ms, MEM_DELAY_MS, 0, value, off);

    if (mem_settings.delay_ms > MEM_DELAY_MAX) {
        mem_settings.delay_ms = MEM_DELAY_MS;
        return BAD;
    }
    return verdict;
}

static enum verdict apply_cache(struct word value, bool off)
{
    enum verdict verdict = apply_count(&mem_settings.cache_bytes, 0, 0, value, off);

    if (mem_settings.cache_bytes > MEM_BYTES_MAX) {
        mem_settings.cache_bytes = 0;
        verdict = BAD;
    }
    mem_settings.cache_most = off || verdict != GOOD ? SIZE_MAX : mem_settings.cache_bytes;
    return verdict;
}

static enum verdict apply_arenas(struct word value, bool off)
{
    return apply_count(&mem_settings.arenas, MEM_ARENAS, 1, value, off);
}

/* SIZE[:fail], or SIZE:warn or :trap and perhaps the hard limit after it. */
static bool limit_read(struct word value, size_t *ret_soft, size_t *ret_hard, unsigned *ret_action)
{
    struct word part;
    size_t size = 0;

    if (!option_word_next(&value, &part) || !option_word_size(part, &size) || !size)
        return false;
    *ret_action = MEM_LIMIT_FAIL;
    if (value.text && (!option_word_next(&value, &part) ||
                       apply_name(ret_action, MEM_LIMIT_FAIL, limit_names, 3, part, false) != GOOD))
        return false;
    if (*ret_action == MEM_LIMIT_FAIL) {
        *ret_hard = size;
        return !value.text;
    }
    *ret_soft = size;
    if (!value.text)
        return true;
    return option_word_next(&value, &part) && option_word_size(part, ret_hard) && *ret_hard &&
           (!value.text || option_word_is(value, "fail"));
}

static enum verdict apply_limit(struct word value, bool off)
{
    size_t soft = 0, hard = 0;
    unsigned action = MEM_LIMIT_FAIL;
    bool good = off ? !value.text : limit_read(value, &soft, &hard, &action);
    size_t least = soft && (!hard || soft < hard) ? soft : hard;

    if (good && !off && least < MEM_LIMIT_MIN && !mem_regions)
        limit_too_low(least);
    mem_settings.limit_soft_bytes = good ? soft : 0;
    mem_settings.limit_bytes = good ? hard : 0;
    mem_settings.limit_action = (enum mem_limit_action)action;
    return good ? GOOD : BAD;
}

static enum verdict apply_warn(struct word value, bool off)
{
    enum verdict verdict = option_warn(value, off);

    /* watch= writes there, too, whatever the method */
    if (verdict == GOOD && !off && value.text && debug_possible(false) == GOOD)
        verdict = debug_needed(GOOD, false);
    return verdict;
}

static enum verdict apply_check(struct word value, bool off)
{
    struct word part;
    enum verdict verdict = GOOD;

    if (off || !value.text) {
        mem_settings.check_region = mem_settings.check_segment = false;
        return (off && value.text) || (!off && !value.text) ? BAD : GOOD;
    }
    while (option_word_next(&value, &part)) {
        bool no = option_word_cut_no(&part);
        if (option_word_is(part, "region"))
            mem_settings.check_region = !no;
        else if (option_word_is(part, "segment"))
            mem_settings.check_segment = !no;
        else
            verdict = BAD;
    }
    if (verdict == BAD)
        mem_settings.check_region = mem_settings.check_segment = false;
    return verdict;
}

static enum verdict apply_method(struct word value, bool off)
{
    bool debug = false;

    if (!off && !value.text)
        return BAD;
    if (off && value.text)
        return BAD;
    if (value.bytes > 2 && (value.text[0] | 32) == 'v' && (value.text[1] | 32) == 'm') {
        value.text += 2;
        value.bytes -= 2;
    }
    if (!off) {
        debug = option_word_is(value, "debug");
        if (option_word_is(value, "last") || option_word_is(value, "pool"))
            return PRIVATE_ONLY;
        if (!debug && !option_word_is(value, "best"))
            return BAD;
    }
    if (mem_regions)
        return debug == mem_settings.debug_method ? GOOD : TOO_LATE;
    if (!off && (method_given || mem_settings.debug_method) && debug != mem_settings.debug_method)
        return CONTRADICTS;
    method_given = !off;
    mem_settings.debug_method = debug;
    if (debug && !mem_settings.period)
        mem_settings.period = 1;
    return GOOD;
}

static const struct option options[] = {
    { { "abort", "", "abort at the first warning of method=debug" },
      "no value",
      "no abort",
      apply_abort },
    { { "arenas", "N", "the most heaps that threads get of their own" },
      "a count from 1",
      "64",
      apply_arenas },
    { { "cache", "SIZE", "the free memory that each region keeps: no less, and never more" },
      "a size",
      "no bound",
      apply_cache },
    { { "check", "region[:segment]",
        "check a region's blocks, or its segments, when it gets memory" },
      "region, segment, noregion or nosegment",
      "no check",
      apply_check },
    { { "clear", "none|first|all", "zero memory when it is got: no, first or every segment" },
      "none, first or all",
      "none",
      apply_clear },
    { { "debug", "", "tell on standard error what libmem does inside" },
      "no value",
      "no debug lines",
      apply_debug },
    { { "delay", "MS", "memory goes back when it was not needed for so many milliseconds" },
      "a count up to 1000000",
      "100",
      apply_delay },
    { { "fail", "N[:M]", "the N-th request and then each M-th fail, for tests" },
      "a count from 1, or two with a colon between",
      "none fails",
      apply_fail },
    { { "getmemory", "GETTER[:...]", "where memory may be got from; also getmem" },
      "a list of anon, break, native, safe, zero",
      "all of them",
      apply_getmemory },
    { { "giveback", "none|dontneed|free|fixed|unmap|auto", "how free memory goes back" },
      "none, dontneed, free, fixed, unmap or auto",
      "auto",
      apply_giveback },
    { { "guard", "N", "method=debug: one block in N between closed pages" },
      "a count from 1",
      "none",
      apply_guard },
    { { "huge", "on|off|auto", "ask for huge pages; auto: from 8 MiB in use on" },
      "on, off or auto",
      "auto",
      apply_huge },
    { { "keep", "", "free nothing" }, "no value", "blocks are freed", apply_keep },
    { { "leak", "[FILE]", "tell at exit what was never freed; method=debug adds by whom" },
      "nothing or a file name",
      "no report",
      option_leak },
    { { "limit", "SIZE[:warn|:trap|:fail][:HARD]",
        "the most that may be got from the system: warn or trap there, fail at HARD" },
      "a size, and perhaps :warn, :trap or :fail, and a hard limit after warn or trap",
      "no limit",
      apply_limit },
    { { "method", "best|debug", "method of the process heap" },
      "best or debug",
      "best",
      apply_method },
    { { "pagesize", "SIZE", "requests to the system are multiples of this" },
      "a size from 1 to 1Gi",
      "the system's page",
      apply_pagesize },
    { { "period", "N", "method=debug: check the next few blocks every N calls" },
      "a count from 1",
      "1 with method=debug",
      apply_period },
    { { "segsize", "SIZE", "requests to the system are rounded up to multiples of this" },
      "a size from 1 to 16Gi such as 64Ki, 8M or 0x10000",
      "4194304",
      apply_segsize },
    { { "sites", "on|off", "attribute each block to the place that got it" },
      "on or off",
      "off",
      apply_sites },
    { { "start", "N", "method=debug: period begins after N calls" }, "a count", "0", apply_start },
    { { "test", "BITS", "experiments of the original; refused" }, "", "", apply_test },
    { { "trace", "FILE", "write each call to a file; compact when its name ends with .bin" },
      "a file name",
      "no trace",
      option_trace },
    { { "usage", "", "one line for each request to the system" },
      "no value",
      "no usage lines",
      apply_usage },
    { { "verbose", "", "tell the settings at the start" },
      "no value",
      "no verbose lines",
      apply_verbose },
    { { "warn", "FILE", "write the warnings of method=debug to a file" },
      "a file name",
      "standard error",
      apply_warn },
    { { "watch", "ADDRESS", "tell what happens to the block there; 32 are kept" },
      "an address such as 0x7f0012345670",
      "none",
      apply_watch },
};

enum { OPTION_COUNT = sizeof options / sizeof options[0] };

/* The names of 2012. `free` asked for frees without delay, which is so. */
static bool word_older(struct word word)
{
    return option_word_is(word, "free") || option_word_is(word, "mmap") ||
           option_word_is(word, "break");
}

static unsigned apply_older(struct word word)
{
    if (option_word_is(word, "mmap"))
        (void)apply_getmemory((struct word){ "anon", 4 }, false);
    else if (option_word_is(word, "break"))
        (void)apply_getmemory((struct word){ "break", 5 }, false);
    return 0;
}

static const struct option *option_find(struct word name)
{
    if (option_word_is(name, "profile"))
        name = (struct word){ "leak", sizeof "leak" - 1 };
    if (option_word_is(name, "getmem"))
        name = (struct word){ "getmemory", sizeof "getmemory" - 1 };
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_word_is(name, options[i].info.name))
            return &options[i];
    return NULL;
}

/* ---- parsing ---- */

/* Shown as it came, but never with control characters, and never too long for the line. */
static void line_word(struct mem_line *line, struct word word)
{
    for (size_t i = 0; i < word.bytes && i < WORD_BYTES; i++) {
        char c = word.text[i];
        line_text(line, (unsigned char)c < 32 || c == 127 ? "?" : &c, 1);
    }
    if (word.bytes > WORD_BYTES)
        line_str(line, "...");
}

static bool all_or_nothing; /* mem_options_change is at work */

static void complain(struct word name, struct word value, const struct option *option,
                     enum verdict verdict)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: ");
    line_word(&line, name);
    if (option && value.text && verdict != TOO_LATE) {
        line_str(&line, "=");
        line_word(&line, value);
    }
    if (!option) {
        line_str(&line, ": unknown option");
    } else if (verdict == REFUSED) {
        line_str(&line, ": experiments of the original do not exist here; ignored");
    } else if (verdict == PRIVATE_ONLY) {
        line_str(&line, ": serves private regions only; using the default, best");
    } else if (verdict == UNWRITABLE) {
        line_str(&line, ": cannot write: ");
        line_str(&line, glue_error_text(errno));
    } else if (verdict == CONTRADICTS) {
        line_str(&line, ": contradicts an option before it; ignored");
    } else if (verdict == TOO_LATE) {
        line_str(&line, ": cannot change while the program runs");
    } else if (verdict == ROUNDED) {
        line_str(&line, ": rounded up to ");
        line_dec(&line, mem_settings.page_bytes);
    } else if (verdict == NOWHERE) {
        line_str(&line, ": no region has memory there now");
    } else {
        if (verdict == ABSENT)
            line_str(&line, ": a statically linked program has no other malloc");
        else if (value.text)
            line_str(&line, ": bad value: accepted is ");
        else
            line_str(&line, ": value missing: accepted is ");
        line_str(&line, verdict == ABSENT ? "" : option->accepted);
        if (!all_or_nothing) {
            line_str(&line, "; using the default, ");
            line_str(&line, option->standard);
        }
    }
    line_send(&line);
}

static unsigned apply_word(struct word word)
{
    const char *equals = memchr(word.text, '=', word.bytes);
    struct word name = { word.text, equals ? (size_t)(equals - word.text) : word.bytes };
    struct word value = { NULL, 0 };
    struct word whole = name;

    if (!equals && word_older(name))
        return apply_older(name);
    if (equals && equals + 1 < word.text + word.bytes)
        value = (struct word){ equals + 1, word.bytes - name.bytes - 1 };
    bool off = false;
    const struct option *option = option_find(name);
    if (!option && (off = option_word_cut_no(&name)))
        option = option_find(name);
    enum verdict verdict = BAD;
    if (option)
        verdict = option->apply(value, off);
    if (verdict != GOOD)
        complain(whole, value, option, verdict);
    return verdict != GOOD && verdict != ROUNDED && verdict != NOWHERE;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

static unsigned options_apply(const char *text, size_t bytes)
{
    unsigned complaints = 0;
    size_t at = 0;

    while (at < bytes) {
        size_t from = at;
        while (at < bytes && !is_separator(text[at]))
            at++;
        if (at > from)
            complaints += apply_word((struct word){ text + from, at - from });
        at++;
    }
    return complaints;
}

static void say_too_long(void)
{
    struct mem_line line = { .used = 0 };

    line_str(&line, "vmalloc: VMALLOC_OPTIONS: too long: ignored from byte ");
    line_dec(&line, MEM_OPTIONS_BYTES + 1);
    line_str(&line, " on");
    line_send(&line);
}

void mem_settings_init(void)
{
    if (settings_read)
        return;
    settings_read = true;
    mem_settings.page_bytes = mem_round_up(MEM_PAGE, glue_page_bytes());
    mem_settings.sources = sources_here();
    const char *text = glue_env("VMALLOC_OPTIONS");
    if (text && !glue_privileged()) {
        size_t bytes = strnlen(text, MEM_OPTIONS_BYTES);
        (void)options_apply(text, bytes);
        if (text[bytes])
            say_too_long();
        hooks_update();
    }
}

unsigned mem_options_apply(const char *text)
{
    (void)mem_region_malloc();
    mem_lock();
    unsigned complaints = options_apply(text, strlen(text));
    hooks_update();
    give_bounds();
    mem_unlock();
    return complaints;
}

static void get_count(struct mem_line *line, const char *name, size_t count)
{
    line_str(line, count ? "," : ",no");
    line_str(line, name);
    if (count) {
        line_str(line, "=");
        line_dec(line, count);
    }
}

static void get_limit(struct mem_line *line)
{
    size_t soft = mem_settings.limit_soft_bytes, hard = mem_settings.limit_bytes;

    line_str(line, soft || hard ? ",limit=" : ",nolimit");
    if (soft) {
        line_dec(line, soft);
        line_str(line, ":");
        line_str(line, limit_names[mem_settings.limit_action]);
        line_str(line, hard ? ":" : "");
    }
    if (hard) {
        line_dec(line, hard);
        line_str(line, ":fail");
    }
}

static void get_switch(struct mem_line *line, const char *name, bool on)
{
    line_str(line, on ? "," : ",no");
    line_str(line, name);
}

static void get_debug(struct mem_line *line)
{
    line_str(line, mem_settings.debug_method ? ",method=debug" : ",method=best");
    if (mem_settings.debug_method) {
        get_switch(line, "abort", mem_settings.abort);
        get_count(line, "period", mem_settings.period);
        get_count(line, "start", mem_settings.start);
        get_count(line, "guard", mem_settings.guard);
    }
}

static void get_memory(struct mem_line *line)
{
    static const char *const clear[] = { "none", "first", "all" };
    const char *before = "getmemory=";

    for (int i = 0; i < SOURCE_COUNT; i++)
        if (mem_settings.sources & 1u << i) {
            line_str(line, before);
            line_str(line, mem_sources[i].name);
            before = ":";
        }
    line_str(line, ",segsize=");
    line_dec(line, mem_settings.segment_bytes);
    line_str(line, ",pagesize=");
    line_dec(line, mem_settings.page_bytes);
    line_str(line, ",clear=");
    line_str(line, clear[mem_settings.clear]);
    line_str(line, mem_settings.check_region ? ",check=region" : ",nocheck");
    if (mem_settings.check_segment)
        line_str(line, mem_settings.check_region ? ":segment" : ",check=segment");
    get_switch(line, "usage", mem_settings.usage);
    get_switch(line, "verbose", mem_settings.verbose);
    get_switch(line, "keep", mem_settings.keep);
    get_switch(line, "debug", mem_settings.trace_internal);
    line_str(line, ",giveback=");
    line_str(line, giveback_names[mem_settings.giveback]);
    line_str(line, ",delay=");
    line_dec(line, mem_settings.delay_ms);
    line_str(line, mem_settings.cache_most == SIZE_MAX ? ",nocache" : ",cache=");
    if (mem_settings.cache_most != SIZE_MAX)
        line_dec(line, mem_settings.cache_bytes);
    line_str(line, ",huge=");
    line_str(line, huge_names[mem_settings.huge]);
}

/* The text of the state, which may be longer than a line. */
struct state {
    char *text;
    size_t room, used; /* room: without the NUL */
};

static void state_add(struct state *state, struct mem_line *line)
{
    size_t rest = state->room - state->used, bytes = line->used < rest ? line->used : rest;

    memcpy(state->text + state->used, line->text, bytes);
    state->used += bytes;
    line->used = 0;
}

void mem_options_get(char *ret_text, size_t bytes)
{
    const void *watched[MEM_WATCH_MAX];
    struct mem_line line = { .used = 0 };
    struct state state = { .text = ret_text, .room = bytes - 1 };

    if (!bytes)
        return;
    get_memory(&line);
    state_add(&state, &line);
    line_str(&line, mem_settings.sites ? ",sites=on" : ",sites=off");
    get_count(&line, "arenas", mem_settings.arenas);
    get_limit(&line);
    get_count(&line, "fail", mem_settings.fail_first);
    if (mem_settings.fail_each) {
        line_str(&line, ":");
        line_dec(&line, mem_settings.fail_each);
    }
    state_add(&state, &line);
    option_files_get(&line);
    state_add(&state, &line);
    get_debug(&line);
    line_str(&line, ",nowatch");
    size_t count = hook_watch_list(watched, MEM_WATCH_MAX);
    for (size_t i = 0; i < count; i++) {
        state_add(&state, &line);
        line_str(&line, ",watch=");
        line_hex(&line, (uintptr_t)watched[i]);
    }
    state_add(&state, &line);
    ret_text[state.used] = '\0';
}

unsigned mem_options_restore(const char *text)
{
    (void)mem_region_malloc();
    mem_lock();
    options_restoring = true;
    unsigned complaints = mem_options_apply(text);
    options_restoring = false;
    mem_unlock();
    return complaints;
}

unsigned mem_options_change(const char *text)
{
    char before[MEM_STATE_BYTES];

    mem_options_get(before, sizeof before);
    all_or_nothing = true;
    unsigned complaints = mem_options_apply(text);
    if (complaints)
        (void)mem_options_restore(before);
    all_or_nothing = false;
    return complaints;
}

const struct mem_option_info *mem_option_at(size_t index)
{
    return index < OPTION_COUNT ? &options[index].info : NULL;
}
