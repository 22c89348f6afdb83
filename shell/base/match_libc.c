/*
 * Regular expressions compiled and run by the C library.
 *
 * Owns struct regex: the parts of an expression as text, and what regcomp made of them, at most
 * four forms of each: with or without an anchor at the end, and for bytes or for the locale's
 * characters. The first form is made when the pattern is compiled, so that errors show then; the
 * others when they are asked for. An expression of only ASCII is run on a text of only ASCII in the
 * "C" locale, where regexec is several times as fast and the locale's tables are not needed; both
 * ways give the same there.
 *
 * A text may hold NUL bytes (which "." does not match), an expression none. What regexec takes in
 * time and memory is its own affair; when it runs out of memory nothing matches, with errno ENOMEM.
 */
#include "shell/base/match_internal.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <regex.h>
#include <string.h>

#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* clang's name for it */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <dlfcn.h>

/* The sanitizer's regexec looks for a NUL after the text, whatever REG_STARTEND says. */
static int libc_regexec(const regex_t *compiled, const char *text, size_t count,
                        regmatch_t *matches, int flags)
{
    static int (*call)(const regex_t *, const char *, size_t, regmatch_t *, int);
    if (!call) {
        void *address = dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "regexec");
        memcpy(&call, &address, sizeof call);
    }
    return call(compiled, text, count, matches, flags);
}
#else
#define libc_regexec regexec
#endif

enum { LIBC_GROUP_MAX = 2 * MATCH_CAPTURE_MAX };

struct regex_form {
    regex_t compiled;
    bool ready;
    bool utf8; /* utf8_active when it was made */
};
struct regex_part {
    const char *text;
    struct regex_form forms[2][2]; /* [anchored at the end][bytes] */
};
struct regex {
    struct mem_region *region;
    bool nocase, ascii;
    bool dot_first; /* it starts with a literal period */
    uint32_t part_count;
    struct regex_group map[MATCH_CAPTURE_MAX];
    struct regex_part parts[];
};

static bool is_ascii(const char *text, size_t len)
{
    const char *end = text + len;
    for (; end - text >= 8; text += 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        if (word & UINT64_C(0x8080808080808080))
            return false;
    }
    for (; text < end; text++) {
        if (*text & 0x80)
            return false;
    }
    return true;
}

/* --- compiling
 * ------------------------------------------------------------------------------------ */

static void form_release(struct regex_form *form)
{
    if (form->ready)
        regfree(&form->compiled);
    form->ready = false;
}

/* TEXT by regcomp in the "C" locale (BYTES) or the one in force: 0 or an errno. */
static int form_compile(struct regex_form *form, const char *text, bool nocase, bool bytes)
{
    locale_t outer = (locale_t)0;
    if (bytes) {
        locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a constant of libc's */
        if (plain)
            outer = uselocale(plain);
    } else if (utf8_active) {
        utf8_need_tables();
    }
    int status = regcomp(&form->compiled, text, REG_EXTENDED | (nocase ? REG_ICASE : 0));
    if (outer)
        uselocale(outer);
    form->ready = status == 0;
    form->utf8 = utf8_active;
    return status == 0 ? 0 : status == REG_ESPACE ? ENOMEM : EINVAL;
}

/* The form of a part, made when it is not there or the locale is another; NULL with errno set. */
static const regex_t *form_get(struct regex *re, struct regex_part *part, bool to_end, bool bytes)
{
    struct regex_form *form = &part->forms[to_end][bytes];
    if (form->ready && (bytes || form->utf8 == utf8_active))
        return &form->compiled;
    form_release(form);
    struct str anchored;
    str_init(&anchored, mem_region_malloc());
    str_append_z(&anchored, part->text);
    if (to_end)
        str_putc(&anchored, '$');
    int error =
        str_ok(&anchored) ? form_compile(form, str_text(&anchored), re->nocase, bytes) : ENOMEM;
    str_release(&anchored);
    if (error)
        errno = error;
    return error ? NULL : &form->compiled;
}

static bool starts_with_dot(const char *text)
{
    while (*text == '^' || *text == '(')
        text++;
    return text[0] == '\\' && text[1] == '.';
}

static struct pattern *regex_build(struct mem_region *region, const struct regex_text *t,
                                   unsigned flags)
{
    size_t head = (sizeof(struct pattern) + 15) & ~(size_t)15;
    size_t table = sizeof(struct regex) + t->part_count * sizeof(struct regex_part);
    size_t bytes = head + table + t->out.len;
    struct pattern *p = mem_alloc_zeroed(region, bytes);
    if (!p)
        return NULL;
    struct regex *re = (void *)((char *)p + head);
    char *text = (char *)re + table;
    memcpy(text, t->out.data, t->out.len);
    *re = (struct regex){
        .region = region,
        .nocase = t->ps.nocase,
        .ascii = is_ascii(text, t->out.len),
        .dot_first = starts_with_dot(text),
        .part_count = t->part_count,
    };
    memcpy(re->map, t->map, sizeof re->map);
    for (uint32_t i = 0; i < t->part_count; i++, text += strlen(text) + 1)
        re->parts[i].text = text;
    uint32_t groups = t->ps.group_count;
    *p = (struct pattern){
        .region = region,
        .bytes = bytes,
        .regex = re,
        .period = (flags & PATTERN_PERIOD) != 0,
        .nullglob = t->ps.nullglob,
        .left_open = t->ps.left_open,
        .right_open = t->ps.right_open,
        .left_fixed = t->ps.left_fixed,
        .right_fixed = t->ps.right_fixed,
        .group_count = groups < MATCH_CAPTURE_MAX ? groups : MATCH_CAPTURE_MAX - 1,
    };
    return p;
}

struct pattern *regex_compile(struct mem_region *region, const char *text, size_t len,
                              unsigned flags)
{
    struct regex_text t = { .error = 0 };
    struct pattern *p = NULL;
    int error = ENOMEM;
    if (regex_translate(&t, text, len, flags))
        p = regex_build(region, &t, flags);
    else
        error = t.error;
    str_release(&t.out);
    if (!p)
        errno = error;
    for (uint32_t i = 0; p && i < p->regex->part_count; i++) {
        if (!form_get(p->regex, &p->regex->parts[i], !p->right_open, p->regex->ascii)) {
            error = errno;
            pattern_free(p);
            p = NULL;
            errno = error;
        }
    }
    return p;
}

void regex_release(struct regex *regex)
{
    for (uint32_t i = 0; i < regex->part_count; i++) {
        for (unsigned k = 0; k < 4; k++)
            form_release(&regex->parts[i].forms[k / 2][k % 2]);
    }
}

/* --- running
 * -------------------------------------------------------------------------------------- */

struct regex_run {
    struct regex *re;
    const char *text;
    size_t len;
    bool bytes;
    size_t match_count; /* wanted in MATCHES; at least 1 */
    regmatch_t matches[LIBC_GROUP_MAX];
};

static bool run_init(struct regex_run *run, const struct pattern *p, const char *text, size_t len)
{
    if (len > INT_MAX) {
        errno = ENOMEM; /* regoff_t is an int */
        return false;
    }
    run->re = p->regex;
    run->text = text;
    run->len = len;
    run->bytes = p->regex->ascii && is_ascii(text, len);
    run->match_count = 1;
    return true;
}

/* Runs PART on the text from START to END; what is before START is still seen by ^ and \<. */
static bool run_part(struct regex_run *run, struct regex_part *part, size_t start, size_t end,
                     bool to_end)
{
    const regex_t *compiled = form_get(run->re, part, to_end, run->bytes);
    if (!compiled)
        return false;
    run->matches[0].rm_so = (regoff_t)start;
    run->matches[0].rm_eo = (regoff_t)end;
    int flags = REG_STARTEND | (end < run->len ? REG_NOTEOL : 0);
    int status = libc_regexec(compiled, run->text, run->match_count, run->matches, flags);
    if (status == REG_ESPACE)
        errno = ENOMEM;
    return status == 0;
}

/* Runs all parts; the place of the match is that of the first. */
static bool run_all(struct regex_run *run, size_t start, size_t end, bool to_end)
{
    for (uint32_t i = run->re->part_count; i-- > 0;) {
        if (!run_part(run, &run->re->parts[i], start, end, to_end))
            return false;
    }
    return true;
}

static bool hides_period(const struct pattern *p, const char *text, size_t len)
{
    return p->period && len > 0 && text[0] == '.' && !p->regex->dot_first;
}

bool regex_matches(const struct pattern *p, const char *text, size_t len)
{
    struct regex_run run;
    return !hides_period(p, text, len) && run_init(&run, p, text, len) &&
           run_all(&run, 0, len, !p->right_open) && (p->left_open || run.matches[0].rm_so == 0);
}

/* The start of the character that AT is in. */
static size_t char_start(const struct regex_run *run, size_t at)
{
    while (!run->bytes && utf8_active && at > 0 && at < run->len && (run->text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static size_t char_end(const struct regex_run *run, size_t at)
{
    return at + utf8_char_bytes(run->text + at, run->text + run->len);
}

ptrdiff_t regex_prefix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    struct regex_run run;
    if (!run_init(&run, p, text, len) || !run_all(&run, 0, len, p->right_fixed) ||
        run.matches[0].rm_so != 0)
        return -1;
    /* A match from 0 is found in a prefix if a shorter one has it: search by halves. */
    size_t low = 0, high = (size_t)run.matches[0].rm_eo;
    while (!longest && !p->right_fixed && low < high) {
        size_t middle = char_start(&run, low + (high - low) / 2);
        if (middle < low)
            break;
        if (run_all(&run, 0, middle, false) && run.matches[0].rm_so == 0)
            high = middle;
        else
            low = char_end(&run, middle);
    }
    return (ptrdiff_t)high;
}

ptrdiff_t regex_suffix(const struct pattern *p, const char *text, size_t len, bool longest)
{
    struct regex_run run;
    if (!run_init(&run, p, text, len) || !run_all(&run, 0, len, true))
        return -1;
    size_t low = (size_t)run.matches[0].rm_so, high = len;
    if (p->left_fixed)
        return low == 0 ? 0 : -1;
    while (!longest && low < high) {
        size_t middle = char_start(&run, high - (high - low) / 2);
        if (middle <= low)
            middle = char_end(&run, low);
        if (run_all(&run, middle, len, true))
            low = (size_t)run.matches[0].rm_so;
        else
            high = char_start(&run, middle - 1);
    }
    return (ptrdiff_t)low;
}

static struct match_span span_of(const struct regex_run *run, uint32_t number)
{
    const regmatch_t *match = &run->matches[number];
    if (number >= run->match_count || match->rm_so < 0 || (size_t)match->rm_eo > run->len)
        return (struct match_span){ -1, -1 };
    return (struct match_span){ match->rm_so, match->rm_eo };
}

size_t regex_spans(const struct pattern *p, const char *text, size_t len, size_t start, bool whole,
                   struct match_span *spans, size_t span_max)
{
    struct regex_run run;
    const struct regex *re = p->regex;
    bool from_start = whole ? !p->left_open : p->left_fixed;
    bool to_end = whole ? !p->right_open : p->right_fixed;
    size_t wanted = p->group_count + 1u < span_max ? p->group_count + 1u : span_max;
    if ((whole && hides_period(p, text, len)) || !run_init(&run, p, text, len))
        return 0;
    for (size_t i = 1; i < wanted; i++) {
        if (re->map[i].number >= run.match_count && re->map[i].number < LIBC_GROUP_MAX)
            run.match_count = re->map[i].number + 1;
    }
    for (uint32_t part = re->part_count; part-- > 0;) {
        if (!run_part(&run, &p->regex->parts[part], start, len, to_end))
            return 0;
        for (size_t i = 1; i < wanted; i++) {
            if (re->map[i].part == part)
                spans[i] = span_of(&run, re->map[i].number ? re->map[i].number : LIBC_GROUP_MAX);
        }
    }
    if (from_start && run.matches[0].rm_so != 0)
        return 0;
    if (wanted > 0)
        spans[0] = span_of(&run, 0);
    return wanted ? wanted : 1;
}
