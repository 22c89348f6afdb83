/*
 * cat: files one after the other to standard output, as they are or with what cannot be seen shown.
 *
 * Plain copying passes whole buffers on; anything else goes through one loop over bytes, which
 * hands on stretches that stay as they are. Lines are numbered anew in each file, empty ones that
 * are left out included, as in ksh93.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtins/stream.h"
#include "shell/base/utf8.h"
#include "shell/state/fdtab.h"
#include "shell/state/var.h"

enum cat_show {
    SHOW_NUMBERS = 1u << 0,
    SHOW_NUMBERS_FILLED = 1u << 1, /* of lines that are not empty */
    SHOW_CONTROLS = 1u << 2,
    SHOW_ENDS = 1u << 3,
    SHOW_TABS = 1u << 4,
    SQUEEZE = 1u << 5,
    DROP_RETURNS = 1u << 6,
    ADD_RETURNS = 1u << 7,
};

struct cat {
    struct out *out;
    unsigned show;
    bool unbuffered;
    /* where the file being read stands */
    uint64_t line;
    bool at_start; /* of a line */
    bool was_empty;
};

/* Would what is read come from what is written, without an end? */
static bool is_own_output(struct stream *s)
{
    struct stat in, out;
    int from = stream_fd(s), to = fdtab_real(s->sh, STDOUT_FILENO);
    if (from < 0 || to < 0 || fstat(to, &out) != 0 || !S_ISREG(out.st_mode) ||
        fstat(from, &in) != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
        return false;
    (void)out_flush(s->sh->out);
    off_t at = lseek(from, 0, SEEK_CUR);
    return fstat(from, &in) == 0 && at < in.st_size;
}

/* ---- showing -------------------------------------------------------------------------------- */

static void show_byte(struct out *out, unsigned char c)
{
    if (c >= 0x80) {
        c &= 0x7f;
        out_write(out, "M-", c < ' ' || c == 0x7f ? 1 : 2);
    }
    if (c < ' ' || c == 0x7f) {
        out_putc(out, '^');
        c ^= 0x40;
    }
    out_putc(out, (char)c);
}

/* What stands before the first byte, C, of a line. False: the line is left out. */
static bool begin_line(struct cat *cat, char c)
{
    bool empty = c == '\n';
    cat->line++;
    if (empty && cat->was_empty && (cat->show & SQUEEZE)) {
        if (cat->show & SHOW_NUMBERS_FILLED)
            cat->line--;
        return false;
    }
    cat->was_empty = empty;
    if (cat->show & SHOW_NUMBERS_FILLED && empty)
        cat->line--;
    else if (cat->show & (SHOW_NUMBERS | SHOW_NUMBERS_FILLED))
        out_printf(cat->out, "%6llu\t", (unsigned long long)cat->line);
    return true;
}

/* A byte that may have to look different, at P; ENDED: nothing follows END. Returns how many bytes
 * were used; 0: more are needed to tell. */
static size_t show_special(struct cat *cat, const char *p, const char *end, bool ended)
{
    struct out *out = cat->out;
    unsigned char c = (unsigned char)*p;
    if (c == '\n') {
        if (cat->show & SHOW_ENDS)
            out_putc(out, '$');
        if (cat->show & ADD_RETURNS)
            out_putc(out, '\r');
        out_putc(out, '\n');
        cat->at_start = true;
        return 1;
    }
    if (c == '\r' && (cat->show & DROP_RETURNS)) {
        if (p + 1 == end && !ended)
            return 0;
        if (p + 1 < end && p[1] == '\n')
            return 1;
    }
    if (c == '\t' && cat->show & SHOW_TABS) {
        out_write(out, "^I", 2);
        return 1;
    }
    if (c == '\t' || !(cat->show & SHOW_CONTROLS) || (c >= ' ' && c < 0x7f)) {
        out_putc(out, (char)c);
        return 1;
    }
    uint32_t code;
    if (c >= 0xc0 && utf8_active) {
        if (end - p < 4 && !ended && utf8_valid_bytes(p, end) == 0)
            return 0;
        size_t len = utf8_decode(p, end, &code);
        utf8_need_tables();
        if (code < 0x110000 && utf8_width(code) >= 0) {
            out_write(out, p, len);
            return len;
        }
    }
    show_byte(out, c);
    return 1;
}

/* Is C no more than itself, in the middle of a line? */
static inline bool is_plain(const struct cat *cat, unsigned char c)
{
    return (c >= ' ' && c < 0x7f) ||
           (c >= 0x80 ? !(cat->show & SHOW_CONTROLS)
                      : c != '\n' && c != '\r' && c != '\t' && !(cat->show & SHOW_CONTROLS));
}

/* Shows what is in the buffer of S; what cannot be told yet stays there. */
static void show_buffer(struct cat *cat, struct stream *s)
{
    const char *p = s->buffer + s->start, *end = s->buffer + s->end;
    while (p < end) {
        if (cat->at_start && !begin_line(cat, *p)) {
            p++;
            continue;
        }
        cat->at_start = false;
        const char *plain = p;
        while (p < end && is_plain(cat, (unsigned char)*p))
            p++;
        out_write(cat->out, plain, (size_t)(p - plain));
        if (p == end)
            break;
        size_t used = show_special(cat, p, end, s->ended);
        if (!used)
            break;
        p += used;
    }
    s->start = (size_t)(p - s->buffer);
}

/* ---- files ---------------------------------------------------------------------------------- */

static enum flow cat_file(struct stream *s, void *context, int *ret_error)
{
    struct cat *cat = context;
    struct shell *sh = s->sh;
    cat->out = sh->out;
    cat->line = 0;
    cat->at_start = true;
    cat->was_empty = false;
    if (is_own_output(s)) {
        shell_warn(sh, s->command, "%s: input is the output", text_shown(sh->scratch, s->name));
        sh->status = 1;
        return FLOW_NEXT;
    }
    while (!s->ended && !cat->out->error) {
        TRY(stream_fill(s, ret_error));
        cat->out = sh->out; /* a trap's action may have redirected it */
        if (cat->show) {
            show_buffer(cat, s);
        } else {
            out_write(cat->out, s->buffer + s->start, s->end - s->start);
            s->start = s->end;
        }
        if (cat->unbuffered)
            (void)out_flush(cat->out);
    }
    return FLOW_NEXT;
}

static enum flow cat_run(struct shell *sh, struct args *args)
{
    struct cat cat = { 0 };
    bool quiet = false;
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        static const struct {
            char letter;
            unsigned show;
        } shows[] = {
            { 'b', SHOW_NUMBERS_FILLED },
            { 'n', SHOW_NUMBERS },
            { 'e', SHOW_CONTROLS | SHOW_ENDS },
            { 't', SHOW_CONTROLS | SHOW_TABS },
            { 'v', SHOW_CONTROLS },
            { 'A', SHOW_CONTROLS | SHOW_ENDS | SHOW_TABS },
            { 'B', SQUEEZE },
            { 's', SQUEEZE },
            { 'E', SHOW_ENDS },
            { 'T', SHOW_TABS },
            { 'd', DROP_RETURNS },
            { 'D', ADD_RETURNS },
        };
        for (size_t i = 0; i < sizeof shows / sizeof *shows; i++)
            if (shows[i].letter == option)
                cat.show |= shows[i].show;
        cat.unbuffered |= option == 'u';
        quiet |= option == 'S';
    }
    sh->status = 0;
    return stream_each(sh, args, quiet, cat_file, &cat);
}

static const struct builtin_option options[] = {
    { .letter = 'b',
      .long_name = "number-nonblank",
      .help = "number the lines that are not empty" },
    { .letter = 'd',
      .long_name = "dos-input",
      .help = "leave out carriage returns before newlines" },
    { .letter = 'e', .help = "the same as -vE" },
    { .letter = 'n', .long_name = "number", .help = "number all lines, anew in each file" },
    { .letter = 's', .help = "the same as -B" },
    { .letter = 't', .help = "the same as -vT" },
    { .letter = 'u', .long_name = "unbuffer", .help = "write out at once whatever was read" },
    { .letter = 'v',
      .long_name = "show-nonprinting|print-chars",
      .help = "show control characters as ^X, bytes above 127 that are no printable character as "
              "M-x, or M^X if x is a control character" },
    { .letter = 'A', .long_name = "show-all", .help = "the same as -vET" },
    { .letter = 'B', .long_name = "squeeze-blank", .help = "of several empty lines keep one" },
    { .letter = 'D', .long_name = "dos-output", .help = "put a carriage return before newlines" },
    { .letter = 'E', .long_name = "show-ends", .help = "show a $ where a line ends" },
    { .letter = 'S', .long_name = "silent", .help = "do not complain of files that are not there" },
    { .letter = 'T', .long_name = "show-blank|show-tabs", .help = "show tabs as ^I" },
    { 0 },
};

const struct builtin_spec cat_spec = {
    .name = "cat",
    .flags = BUILTIN_LONG,
    .options = options,
    .usage = "[file ...]",
    .summary = "copy files to standard output",
    .doc = "Copies each file, or standard input when there is none or it is called -, in the order "
           "given. One that cannot be read is reported and makes the status 1; the others are "
           "copied all the same.",
    .run = cat_run,
};
