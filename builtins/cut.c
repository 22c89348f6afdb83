/*
 * cut: parts of each line, chosen by number: bytes, characters or fields.
 *
 * The list is kept as ranges, sorted and without overlaps, so that a line is walked once beside
 * them. Characters are those of the locale. -n, which keeps characters of a list of bytes whole,
 * takes a character if its last byte is listed, which is what POSIX's rules come to. With -r the
 * input has no lines, but records of so many bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtins/stream.h"
#include "shell/base/utf8.h"

struct range {
    uint64_t low, high;
};

struct cut {
    char kind; /* b c f */
    const char *list;
    struct range *ranges; /* scratch */
    size_t count;
    const char *delim;
    size_t delim_len;
    char line_end;
    bool only_delimited, whole_characters, no_newline;
    uint64_t record; /* 0: lines */
};

/* ---- the list ------------------------------------------------------------------------------- */

static int range_order(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* A number that begins at *TEXT, moved behind it; as big as it gets when it is too big. */
static uint64_t list_number(const char **text)
{
    uint64_t n = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        n = n > UINT64_MAX / 10 - 1 ? UINT64_MAX : n * 10 + (uint64_t)(**text - '0');
    return n;
}

/* N, N-M, N- or -M. */
static const char *list_range(const char **text, struct range *ret)
{
    const char *start = *text;
    ret->low = list_number(text);
    bool has_low = *text > start, dash = **text == '-';
    if (!dash) {
        ret->high = ret->low;
    } else {
        start = ++*text;
        ret->high = list_number(text);
        if (*text == start)
            ret->high = has_low ? UINT64_MAX : 0;
        if (!has_low)
            ret->low = 1;
    }
    if (**text && !strchr(", \t", **text))
        return "bad list";
    if (!ret->low || !ret->high)
        return "positions are counted from 1";
    return ret->high < ret->low ? "a range ends before it begins" : NULL;
}

/* Joins ranges that overlap or touch. */
static void join_ranges(struct cut *cut)
{
    size_t used = 0;
    qsort(cut->ranges, cut->count, sizeof *cut->ranges, range_order);
    for (size_t i = 1; i < cut->count; i++) {
        struct range *last = &cut->ranges[used];
        if (last->high == UINT64_MAX || cut->ranges[i].low <= last->high + 1) {
            if (cut->ranges[i].high > last->high)
                last->high = cut->ranges[i].high;
        } else {
            cut->ranges[++used] = cut->ranges[i];
        }
    }
    cut->count = used + 1;
}

static enum flow parse_list(struct shell *sh, const struct args *args, struct cut *cut)
{
    const char *text = cut->list;
    size_t room = strlen(text) / 2 + 1;
    cut->ranges = scratch_alloc(sh, room * sizeof *cut->ranges);
    if (!cut->ranges)
        return shell_fail_memory(sh, room * sizeof *cut->ranges);
    for (;;) {
        text += strspn(text, ", \t");
        if (!*text)
            break;
        const char *why = list_range(&text, &cut->ranges[cut->count++]);
        if (why)
            return shell_fail(sh, ERROR_BUILTIN, 1, args->spec->name, "%s: %s", cut->list, why);
    }
    if (!cut->count)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->spec->name, "the list is empty");
    join_ranges(cut);
    return FLOW_NEXT;
}

/* ---- a line --------------------------------------------------------------------------------- */

/* BEFORE: bytes of the line before TEXT. */
static void cut_bytes(const struct cut *cut, struct out *out, const char *text, size_t len,
                      uint64_t before)
{
    for (size_t i = 0; i < cut->count && cut->ranges[i].low <= before + len; i++) {
        const struct range *range = &cut->ranges[i];
        if (range->high <= before)
            continue;
        size_t from = range->low > before ? (size_t)(range->low - 1 - before) : 0;
        size_t to = range->high - before < len ? (size_t)(range->high - before) : len;
        out_write(out, text + from, to - from);
    }
}

/* Characters by number, or, WHOLE_CHARACTERS, by the number of their last byte. */
static void cut_characters(const struct cut *cut, struct out *out, const char *text, size_t len)
{
    uint64_t place = 0;
    const char *end = text + len;
    for (size_t i = 0; text < end;) {
        size_t bytes = utf8_char_bytes(text, end);
        place += cut->kind == 'b' ? bytes : 1;
        while (i < cut->count && cut->ranges[i].high < place)
            i++;
        if (i == cut->count)
            return;
        if (cut->ranges[i].low <= place)
            out_write(out, text, bytes);
        text += bytes;
    }
}

static const char *find_delim(const struct cut *cut, const char *text, size_t len)
{
    if (cut->delim_len == 1)
        return memchr(text, *cut->delim, len);
    return memmem(text, len, cut->delim, cut->delim_len);
}

/* False: the line is left out. */
static bool cut_fields(const struct cut *cut, struct out *out, const char *text, size_t len)
{
    const char *end = text + len, *stop = find_delim(cut, text, len);
    bool any = false;
    if (!stop) {
        if (!cut->only_delimited)
            out_write(out, text, len);
        return !cut->only_delimited;
    }
    size_t i = 0;
    for (uint64_t field = 1;; field++) {
        while (i < cut->count && cut->ranges[i].high < field)
            i++;
        if (i == cut->count)
            return true;
        if (cut->ranges[i].high == UINT64_MAX && cut->ranges[i].low <= field)
            stop = NULL; /* all the rest, delimiters included */
        if (cut->ranges[i].low <= field) {
            if (any)
                out_write(out, cut->delim, cut->delim_len);
            out_write(out, text, (size_t)((stop ? stop : end) - text));
            any = true;
        }
        if (!stop)
            return true;
        text = stop + cut->delim_len;
        stop = find_delim(cut, text, (size_t)(end - text));
    }
}

static bool is_by_bytes(const struct cut *cut)
{
    return cut->kind == 'b' && !(cut->whole_characters && utf8_active);
}

static void cut_line(const struct cut *cut, struct out *out, const char *text, size_t len)
{
    if (cut->kind == 'f') {
        if (cut_fields(cut, out, text, len))
            out_putc(out, cut->line_end);
        return;
    }
    if (is_by_bytes(cut))
        cut_bytes(cut, out, text, len, 0);
    else
        cut_characters(cut, out, text, len);
    if (!cut->no_newline)
        out_putc(out, '\n');
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The bytes of the next record in S; 0: more must be read. Of the last one, what there is. */
static size_t record_bytes(const struct cut *cut, const struct stream *s)
{
    size_t left = s->end - s->start;
    return left >= cut->record ? (size_t)cut->record : s->ended ? left : 0;
}

static enum flow cut_records(struct stream *s, const struct cut *cut, int *ret_error)
{
    while (!s->sh->out->error && !s->signal) {
        size_t bytes = s->end > s->start ? record_bytes(cut, s) : 0;
        if (bytes) {
            cut_line(cut, s->sh->out, s->buffer + s->start, bytes);
            s->start += bytes;
            continue;
        }
        if (s->ended)
            break;
        TRY(stream_fill(s, ret_error));
    }
    return FLOW_NEXT;
}

/* Lines of any length, piece by piece. */
static enum flow cut_pieces(struct stream *s, const struct cut *cut, int *ret_error)
{
    struct out *out = s->sh->out;
    uint64_t before = 0;
    while (!out->error && !s->signal) {
        const char *text = s->buffer + s->start;
        size_t len = s->end - s->start;
        const char *line_end = len ? memchr(text, '\n', len) : NULL;
        if (line_end)
            len = (size_t)(line_end - text);
        if (len)
            cut_bytes(cut, out, text, len, before);
        before += len;
        s->start += len + (line_end != NULL);
        if ((line_end || (s->ended && before)) && !cut->no_newline)
            out_putc(out, '\n');
        if (line_end)
            before = 0;
        else if (s->ended)
            break;
        else
            TRY(stream_fill(s, ret_error));
    }
    return FLOW_NEXT;
}

static enum flow cut_file(struct stream *s, void *context, int *ret_error)
{
    const struct cut *cut = context;
    if (cut->record)
        return cut_records(s, cut, ret_error);
    if (is_by_bytes(cut))
        return cut_pieces(s, cut, ret_error);
    while (!s->sh->out->error) {
        const char *text;
        size_t len;
        bool whole;
        TRY(stream_line(s, cut->kind == 'f' ? cut->line_end : '\n', &text, &len, &whole,
                        ret_error));
        if (!text)
            break;
        cut_line(cut, s->sh->out, text, len);
    }
    return FLOW_NEXT;
}

static enum flow take_option(struct shell *sh, struct args *args, struct cut *cut, int option)
{
    const char *text = args->option_argument;
    switch (option) {
    case 'b':
    case 'c':
    case 'f':
        if (cut->kind)
            return builtin_usage_error(sh, args, "-b, -c and -f exclude each other");
        cut->kind = (char)option;
        cut->list = text;
        break;
    case 'd':
        cut->delim = text;
        cut->delim_len = *text ? utf8_char_bytes(text, text + strlen(text)) : 1;
        break;
    case 'n':
        cut->whole_characters = true;
        break;
    case 's':
        cut->only_delimited = true;
        break;
    case 'D':
        cut->line_end = *text;
        break;
    case 'N':
        cut->no_newline = true;
        break;
    default:
        cut->record = strtoull(text, NULL, 10);
        break;
    }
    return FLOW_NEXT;
}

static enum flow cut_run(struct shell *sh, struct args *args)
{
    struct cut cut = { .delim = "\t", .delim_len = 1, .line_end = '\n' };
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        TRY(take_option(sh, args, &cut, option));
    }
    if (!cut.kind)
        return builtin_usage_error(sh, args, "one of -b, -c and -f expected");
    if (cut.only_delimited && cut.kind != 'f')
        return shell_fail(sh, ERROR_BUILTIN, 1, args->spec->name, "-s goes with -f only");
    if (cut.kind == 'f')
        cut.record = 0;
    TRY(parse_list(sh, args, &cut));
    sh->status = 0;
    return stream_each(sh, args, false, cut_file, &cut);
}

static const struct builtin_option options[] = {
    { .letter = 'b', .argument = "list", .long_name = "bytes", .help = "the bytes in list" },
    { .letter = 'c',
      .argument = "list",
      .long_name = "characters",
      .help = "the characters in list" },
    { .letter = 'd',
      .argument = "delim",
      .long_name = "delimiter",
      .help = "the character that separates fields; a tab without it" },
    { .letter = 'f', .argument = "list", .long_name = "fields", .help = "the fields in list" },
    { .letter = 'n',
      .long_name = "nosplit",
      .help = "with -b: of characters whose last byte is not listed, print nothing; else all" },
    { .letter = 'R',
      .argument = "reclen",
      .long_name = "reclen",
      .help = "with -b or -c: the input is records of reclen bytes, not lines",
      .numeric = true },
    { .letter = 'r', .argument = "reclen", .help = "the same as -R", .numeric = true },
    { .letter = 's',
      .long_name = "suppress|only-delimited",
      .help = "with -f: leave out lines that have no delimiter, which are else printed whole" },
    { .letter = 'D',
      .argument = "ldelim",
      .long_name = "line-delimiter|output-delimiter",
      .help = "with -f: the character that ends lines; a newline without it" },
    { .letter = 'N',
      .long_name = "nonewline",
      .help = "with -b or -c: do not end what is printed of each line by a newline" },
    { 0 },
};

const struct builtin_spec cut_spec = {
    .name = "cut",
    .flags = BUILTIN_LONG,
    .options = options,
    .usage = "[file ...]",
    .summary = "print parts of each line",
    .doc = "Prints of each line of the files, or of standard input, the parts that list names: "
           "numbers from 1 on and ranges N-M, N- and -M, separated by commas or blanks, in any "
           "order. They come in the order of the line, each once.",
    .run = cut_run,
};
